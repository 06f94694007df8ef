//! General settings: one set for a single graph, what differs where its nodes have many numbers and few labels, one for many graphs. They hold where neither a recipe nor an option says
//! otherwise, the same for every dataset: chosen over the datasets at hand by their validation scores (`benches/defaults`).
//! What was chosen for one model stands in its registration.

use std::fmt;

use farhop_data::catalogue;
use farhop_data::{Dataset, Level};
use farhop_nn::ModelConfig;
use serde_json::{Value, json};

use crate::{DataConfig, Recipe, SplitSetting, TrainError};

/// Fewer nodes than this to learn from are few.
const FEW: usize = 2000;
/// As many numbers of a node as this are many: words of a text, say. With few labels they are soon learned by heart.
const WIDE: usize = 256;

/// What the general settings depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// One graph, learned as a whole or in parts.
    OneGraph,
    /// One graph with many numbers of each node, and few nodes to learn from.
    FewLabels,
    /// Many graphs in batches, molecules among them.
    ManyGraphs,
}

impl fmt::Display for Preset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Preset::OneGraph => "for one graph",
            Preset::FewLabels => "for one graph with few labels",
            Preset::ManyGraphs => "for many graphs",
        })
    }
}

impl Preset {
    /// That of data that was read.
    pub fn of(dataset: &Dataset) -> Self {
        match dataset.level {
            _ if dataset.graphs.len() > 1 => Preset::ManyGraphs,
            Level::Node => Preset::of_sizes(dataset.split.train.len(), dataset.nodes.width),
            Level::Graph | Level::Pair => Preset::OneGraph,
        }
    }

    /// For one graph with so many nodes to learn from and so many numbers a node.
    pub fn of_sizes(labelled: usize, width: usize) -> Self {
        if labelled < FEW && width >= WIDE { Preset::FewLabels } else { Preset::OneGraph }
    }

    /// That of data that was not read yet; none where only reading tells, as for files of one's own.
    pub fn expected(data: &DataConfig) -> Option<Self> {
        if data.molecules.is_some() {
            return Some(Preset::ManyGraphs);
        }
        let entry = catalogue::find(data.dataset.as_deref()?).ok()?;
        if entry.level != Level::Node || entry.expected.graphs.is_some_and(|graphs| graphs > 1) {
            return Some(Preset::ManyGraphs);
        }
        let width = entry.expected.features?;
        let split = entry.expected.split.filter(|_| data.split == SplitSetting::default());
        // With few numbers of a node, any split will do.
        let train = split.map(|[train, ..]| train).or((width < WIDE).then_some(FEW))?;
        Some(Preset::of_sizes(train, width))
    }

    /// The recipe for a model.
    ///
    /// # Errors
    /// When there is no such model.
    pub fn recipe(self, model: &str) -> Result<Recipe, TrainError> {
        let recipe = Recipe::for_model(model)?;
        let settings = self.settings(&recipe.model);
        Ok(settings.into_iter().fold(recipe, laid_over))
    }

    /// The settings that were chosen for a model, never for a dataset: those of training that most authors used, and over them what its
    /// registration says. A baseline keeps its authors' settings.
    fn settings(self, model: &ModelConfig) -> Vec<Value> {
        let training = match self {
            Preset::OneGraph | Preset::FewLabels => json!({
                "train": {
                    "epochs": 200, "learning_rate": 0.01, "patience": 100,
                    "optimizer": { "kind": "adam", "weight_decay": 0.0005 },
                },
            }),
            Preset::ManyGraphs => json!({
                "train": { "epochs": 100, "batch_size": 64, "learning_rate": 0.001, "warmup_epochs": 5, "patience": 30 },
            }),
        };
        let registration = model.registration();
        let few = (self == Preset::FewLabels).then(registration.few_labels);
        [training, (registration.general)(self == Preset::ManyGraphs)].into_iter().chain(few).collect()
    }
}

/// The settings over the recipe. A test sees to it that there are no others.
fn laid_over(recipe: Recipe, settings: Value) -> Recipe {
    fn lay(place: &mut Value, settings: &Value) {
        match (place, settings) {
            (Value::Object(place), Value::Object(settings)) => {
                for (key, value) in settings {
                    if let Some(place) = place.get_mut(key) {
                        lay(place, value);
                    }
                }
            }
            (place, value) => *place = value.clone(),
        }
    }
    let Ok(mut tree) = serde_json::to_value(&recipe) else {
        return recipe;
    };
    lay(&mut tree, &settings);
    serde_json::from_value(tree).unwrap_or(recipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farhop_nn::{OptimizerKind, REGISTRY, Registration};

    /// A key that is misspelt would be left out in silence; so every key must be one of the model's recipe.
    #[test]
    fn every_setting_exists_and_every_recipe_is_valid() {
        fn check(known: &Value, settings: &Value, path: &str) {
            if let (Value::Object(known), Value::Object(settings)) = (known, settings) {
                for (key, value) in settings {
                    assert!(known.contains_key(key), "{path}.{key}");
                    check(&known[key], value, &format!("{path}.{key}"));
                }
            }
        }
        for preset in [Preset::OneGraph, Preset::FewLabels, Preset::ManyGraphs] {
            for model in ModelConfig::names() {
                let recipe = Recipe::for_model(model).unwrap();
                let known = serde_json::to_value(&recipe).unwrap();
                for settings in preset.settings(&recipe.model) {
                    check(&known, &settings, &format!("{preset}, {model}"));
                }
                let made = preset.recipe(model).unwrap();
                made.validate().unwrap();
                assert_ne!(made, recipe, "{preset} {model}");
                assert_eq!(made.model.name(), model);
            }
        }
    }

    #[test]
    fn baselines_keep_the_settings_of_their_authors() {
        let chosen = |line: &&Registration| (line.general)(false).as_object().is_some_and(|tree| !tree.is_empty());
        let (ours, theirs): (Vec<_>, Vec<_>) = REGISTRY.iter().partition(chosen);
        assert!(ours.iter().any(|line| line.name == "gen") && theirs.len() > ours.len());
        for model in theirs.iter().map(|line| line.name) {
            for preset in [Preset::OneGraph, Preset::FewLabels, Preset::ManyGraphs] {
                let made = preset.recipe(model).unwrap();
                assert_eq!(made.model, ModelConfig::from_name(model).unwrap(), "{preset} {model}");
            }
            let optimizer = Preset::OneGraph.recipe(model).unwrap().train.optimizer;
            assert_eq!((optimizer.kind, optimizer.weight_decay), (OptimizerKind::Adam, 5e-4), "{model}");
        }
    }

    #[test]
    fn the_catalogue_tells_before_anything_is_read() {
        let of = |name: &str| {
            let data = DataConfig { dataset: Some(name.to_string()), ..DataConfig::default() };
            Preset::expected(&data)
        };
        assert_eq!(of("cora"), Some(Preset::FewLabels));
        assert_eq!(of("tolokers"), Some(Preset::OneGraph));
        assert_eq!(of("squirrel"), Some(Preset::OneGraph));
        let dataset = Some("cora".to_string());
        let tuned = DataConfig { dataset, split: SplitSetting::Tuned, ..DataConfig::default() };
        assert_eq!(Preset::expected(&tuned), None);
        assert_eq!(of("enzymes"), Some(Preset::ManyGraphs));
        assert_eq!(of("pascalvoc-sp"), Some(Preset::ManyGraphs));
        assert_eq!(of("./mine.farhop"), None);
        assert_eq!(Preset::expected(&DataConfig::default()), None);
    }
}
