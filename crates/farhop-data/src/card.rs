//! The data card: what was read, on one screen.

use std::fmt;

use farhop_graph::{BuildReport, Graph, connected_components};
use serde::{Deserialize, Serialize};

use crate::labels::class_counts;
use crate::schema::{FeatureKind, Schema};
use crate::split::Split;
use crate::text::{counted, listed, quoted, thousands};

/// A summary of a dataset, for people (`Display`) and for records (serde).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataCard {
    /// Where the nodes come from.
    pub nodes_file: String,
    /// Where the edges come from.
    pub edges_file: String,
    /// Nodes.
    pub nodes: usize,
    /// Nodes that only the edges table names.
    pub added_nodes: usize,
    /// Edges; an undirected edge counts once.
    pub edges: usize,
    /// Whether edges have a direction.
    pub directed: bool,
    /// Rows of the edges table that repeat an edge and were merged.
    pub duplicates: usize,
    /// Rows of the edges table that join a node to itself and were set apart.
    pub self_loops: usize,
    /// Smallest number of neighbours that a node receives from.
    pub degree_min: usize,
    /// The number in the middle; with an even count the mean of the two.
    pub degree_median: f64,
    /// Largest number.
    pub degree_max: usize,
    /// Nodes without any edge.
    pub isolated: usize,
    /// Connected components; the direction of edges does not count.
    pub components: usize,
    /// Nodes of the largest component.
    pub largest_component: usize,
    /// Numbers in a feature row.
    pub width: usize,
    /// The feature columns.
    pub features: Vec<FeatureSummary>,
    /// The column to predict.
    pub target: Option<String>,
    /// The classes and how many nodes each has.
    pub classes: Vec<ClassCount>,
    /// Nodes without a label.
    pub unlabelled: usize,
    /// The sizes of the split.
    pub split: Option<SplitSizes>,
    /// Share of edges between labelled nodes whose ends have the same label; `None` if there is
    /// no such edge.
    pub homophily: Option<f64>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// A feature column on the card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureSummary {
    /// The name of the column.
    pub name: String,
    /// `number`, `category`, `degree` or `one`.
    pub kind: String,
    /// How many numbers it becomes.
    pub width: usize,
}

/// A class on the card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCount {
    /// The class.
    pub name: String,
    /// How many nodes have it.
    pub nodes: usize,
}

/// The sizes of a split and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitSizes {
    /// Training nodes.
    pub train: usize,
    /// Validation nodes.
    pub valid: usize,
    /// Test nodes.
    pub test: usize,
    /// Where the split comes from, in words.
    pub origin: String,
}

/// What a card is made from.
pub(crate) struct CardParts<'a> {
    pub nodes_file: &'a str,
    pub edges_file: &'a str,
    pub added_nodes: usize,
    pub graph: &'a Graph,
    pub report: BuildReport,
    pub schema: &'a Schema,
    pub labels: &'a [Option<u32>],
    pub split: Option<(&'a Split, String)>,
    pub warnings: Vec<String>,
}

impl DataCard {
    pub(crate) fn new(parts: CardParts<'_>) -> DataCard {
        let graph = parts.graph;
        let mut degrees: Vec<usize> = (0..graph.nodes()).map(|node| graph.degree(node)).collect();
        degrees.sort_unstable();
        let components = connected_components(graph);
        let classes = parts.schema.classes();
        let counts = class_counts(parts.labels, classes.len());
        let features = parts.schema.features.iter().map(|column| FeatureSummary {
            name: column.name.clone(),
            kind: kind_name(&column.kind).to_string(),
            width: column.kind.width(),
        });
        DataCard {
            nodes_file: parts.nodes_file.to_string(),
            edges_file: parts.edges_file.to_string(),
            nodes: graph.nodes(),
            added_nodes: parts.added_nodes,
            edges: graph.edges(),
            directed: graph.is_directed(),
            duplicates: parts.report.duplicates,
            self_loops: parts.report.self_loops,
            degree_min: degrees.first().copied().unwrap_or(0),
            degree_median: median(&degrees),
            degree_max: degrees.last().copied().unwrap_or(0),
            isolated: components.sizes.iter().filter(|&&size| size == 1).count(),
            components: components.sizes.len(),
            largest_component: components.sizes.iter().copied().max().unwrap_or(0),
            width: parts.schema.width(),
            features: features.collect(),
            target: parts.schema.target.as_ref().map(|t| t.name.clone()),
            classes: classes.iter().zip(counts).map(|(name, nodes)| ClassCount { name: name.clone(), nodes }).collect(),
            unlabelled: parts.labels.iter().filter(|label| label.is_none()).count(),
            split: parts.split.map(|(split, origin)| SplitSizes {
                train: split.train.len(),
                valid: split.valid.len(),
                test: split.test.len(),
                origin,
            }),
            homophily: homophily(graph, parts.labels),
            warnings: parts.warnings,
        }
    }
}

fn kind_name(kind: &FeatureKind) -> &'static str {
    match kind {
        FeatureKind::Number { .. } => "number",
        FeatureKind::Category { .. } => "category",
        FeatureKind::Degree { .. } => "degree",
        FeatureKind::One => "one",
    }
}

fn median(sorted: &[usize]) -> f64 {
    match sorted.len() {
        0 => 0.0,
        count if count % 2 == 1 => sorted[count / 2] as f64,
        count => (sorted[count / 2 - 1] + sorted[count / 2]) as f64 / 2.0,
    }
}

/// Edge homophily: of the edges whose two ends are labelled, the share with equal labels.
pub fn homophily(graph: &Graph, labels: &[Option<u32>]) -> Option<f64> {
    let (mut same, mut all) = (0u64, 0u64);
    for node in 0..graph.nodes() {
        let Some(own) = labels[node] else { continue };
        for &other in graph.neighbours(node) {
            if let Some(label) = labels[other as usize] {
                all += 1;
                same += u64::from(label == own);
            }
        }
    }
    (all > 0).then(|| same as f64 / all as f64)
}

impl fmt::Display for DataCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, text: String| writeln!(f, "{name:<11} {text}");
        let number = |n: usize| thousands(n as u64);
        let mut nodes = format!("{} ({})", number(self.nodes), self.nodes_file);
        if self.added_nodes > 0 {
            nodes.push_str(&format!(", {} of them only in the edges table", number(self.added_nodes)));
        }
        line("nodes", nodes)?;
        line(
            "edges",
            format!(
                "{} {} ({}), {} merged, {} set apart",
                number(self.edges),
                if self.directed { "directed" } else { "undirected" },
                self.edges_file,
                counted(self.duplicates as u64, "duplicate", "duplicates"),
                counted(self.self_loops as u64, "self-loop", "self-loops"),
            ),
        )?;
        line(
            "degree",
            format!(
                "min {}, median {}, max {}, isolated nodes {}",
                number(self.degree_min),
                self.degree_median,
                number(self.degree_max),
                number(self.isolated)
            ),
        )?;
        line(
            "components",
            format!(
                "{}, the largest has {}",
                number(self.components),
                counted(self.largest_component as u64, "node", "nodes")
            ),
        )?;
        line("features", self.features_text())?;
        if let Some(target) = &self.target {
            line("target", self.target_text(target))?;
        }
        if let Some(split) = &self.split {
            line(
                "split",
                format!(
                    "train {}, valid {}, test {} ({})",
                    number(split.train),
                    number(split.valid),
                    number(split.test),
                    split.origin
                ),
            )?;
        }
        if let Some(homophily) = self.homophily {
            line("homophily", format!("{homophily:.2} of edges join equal labels"))?;
        }
        for warning in &self.warnings {
            line("warning", warning.clone())?;
        }
        Ok(())
    }
}

impl DataCard {
    fn features_text(&self) -> String {
        let of = |kind: &str| {
            let names = self.features.iter().filter(|column| column.kind == kind);
            names.map(|c| c.name.as_str()).collect::<Vec<_>>()
        };
        let mut parts = vec![format!("{} wide", thousands(self.width as u64))];
        for (kind, singular, plural) in [
            ("number", "number", "numbers"),
            ("category", "category", "categories"),
            ("degree", "from the graph", "from the graph"),
            ("one", "constant", "constants"),
        ] {
            let names = of(kind);
            if !names.is_empty() {
                parts.push(format!(
                    "{} ({})",
                    counted(names.len() as u64, singular, plural),
                    listed(names.into_iter())
                ));
            }
        }
        parts.join(", ")
    }

    fn target_text(&self, target: &str) -> String {
        const SHOWN: usize = 10;
        let labelled = (self.nodes - self.unlabelled).max(1) as f64;
        let mut shares: Vec<String> = self
            .classes
            .iter()
            .take(SHOWN)
            .map(|class| {
                let share = 100.0 * class.nodes as f64 / labelled;
                format!("{} {share:.1} %", quoted(&class.name))
            })
            .collect();
        if self.classes.len() > SHOWN {
            shares.push(format!("and {} more", self.classes.len() - SHOWN));
        }
        let mut text = format!(
            "{}, {}: {}",
            quoted(target),
            counted(self.classes.len() as u64, "class", "classes"),
            shares.join(", ")
        );
        if self.unlabelled > 0 {
            text.push_str(&format!("; {} without a label", counted(self.unlabelled as u64, "node", "nodes")));
        }
        text
    }
}
