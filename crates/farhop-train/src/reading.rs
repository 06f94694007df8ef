//! From what a recipe says about its data to a checked dataset.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use farhop_data::cache::{CacheKey, NamedArray, cached_arrays};
use farhop_data::catalogue::{self, DataFolders, Entry};
use farhop_data::hash::sha256_of_graphs;
use farhop_data::import::{self, FileSchema, ImportOptions, Kind};
use farhop_data::molecules::{MoleculeSchema, MoleculeTable};
use farhop_data::parts::{PartsFolder, Pieces};
use farhop_data::{
    ApplyOptions, DataCard, DataError, Dataset, FeatureScaling, Fill, Level, NodeTableOptions, NodeTables, Schema,
    Scratch, Setting, SourceFile, SplitFile, TableSummary,
};
use farhop_graph::GraphSet;
use farhop_nn::NodeArray;
use farhop_nn::exchange::{Group, threads};
use serde::{Deserialize, Serialize};

use crate::together::OwnPart;
use crate::{DataConfig, EncodingConfig, Encodings, FeatureScale, NoMaterial, Recipe, TrainError};

/// One graph from files that are larger than this together is worth a cache.
const WORTH_CACHING: u64 = 4 << 20;
/// Raise it when an encoding gives something else for the same graphs.
const CACHE_VERSION: u32 = 2;

/// Where datasets are looked for, and where what was made of them is kept.
#[derive(Clone, Debug)]
pub struct Places {
    /// Folders with datasets.
    pub folders: DataFolders,
    /// The cache; none: nothing is kept.
    pub cache: Option<PathBuf>,
    /// The processes that data in parts is read by; none: this one alone.
    pub group: Option<Arc<Group>>,
}

impl Places {
    /// `given` is what the user says; then `$FARHOP_DATA` and the user's data folder. The cache is `$FARHOP_CACHE`, else
    /// `farhop` in the user's cache folder; an empty `$FARHOP_CACHE` means none.
    pub fn usual(given: Option<&Path>) -> Self {
        let cache = match std::env::var_os("FARHOP_CACHE") {
            Some(place) if place.is_empty() => None,
            Some(place) => Some(PathBuf::from(place)),
            None => {
                let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
                std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home).map(|cache| cache.join("farhop"))
            }
        };
        Places { folders: DataFolders::usual(given), cache, group: None }
    }
}

/// How the columns of tables were read, to treat new rows the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SavedSchema {
    /// A table of nodes and one of edges.
    Nodes(Schema),
    /// A table of molecules.
    Molecules(MoleculeSchema),
    /// A file or folder with a whole dataset.
    File(Box<FileSchema>),
}

impl SavedSchema {
    /// The name of the column of ids, if there was one.
    pub fn id_column(&self) -> Option<&str> {
        match self {
            SavedSchema::Nodes(schema) => Some(&schema.id),
            SavedSchema::Molecules(schema) => schema.id.as_deref(),
            SavedSchema::File(schema) => schema.molecules.as_ref().and_then(|molecules| molecules.id.as_deref()),
        }
    }
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Material {
    /// The data.
    pub dataset: Dataset,
    /// How its columns were read; none where there are none to be read again.
    pub schema: Option<SavedSchema>,
    /// What became of the rows and columns of tables.
    pub summary: Option<TableSummary>,
    /// The scale that the numbers of nodes were brought to, where that is not a matter of columns.
    pub features: Option<FeatureScale>,
    /// The file that says the split, if one does.
    pub split_file: Option<SourceFile>,
    /// The part of this process, where the data is divided among several. The dataset is then that of own nodes.
    pub part: Option<OwnPart>,
}

impl Material {
    /// A dataset that is there already.
    pub fn of(dataset: Dataset) -> Self {
        Material { dataset, schema: None, summary: None, features: None, split_file: None, part: None }
    }

    /// A dataset that a program has at hand, treated as one that was read: scored and scaled as `config` says. Its recipe names
    /// [`names::DATA`](crate::run::names::DATA), and [`Job::own_data`](crate::Job::own_data) puts it there.
    ///
    /// # Errors
    /// When it has nothing to predict.
    pub fn given(mut dataset: Dataset, config: &DataConfig) -> Result<Self, TrainError> {
        if dataset.target.outputs() == 0 {
            return Err(NoMaterial::NothingToPredict { name: dataset.name }.into());
        }
        dataset.metric = config.metric.unwrap_or(dataset.metric);
        let schema = SavedSchema::File(Box::new(FileSchema::of_dataset(&dataset)));
        Material { schema: Some(schema), ..Material::of(dataset) }.scaled(config)
    }

    /// Reads the data that a recipe names, to learn from.
    ///
    /// # Errors
    /// When nothing is named, it is not there, it does not hold together, or it has nothing to predict.
    pub fn read(recipe: &Recipe, places: &Places) -> Result<Self, TrainError> {
        check_target(&recipe.data)?;
        Material::read_any(recipe, places)?.scaled(&recipe.data)?.with_target()
    }

    /// As [`Material::read`], of one graph whose nodes are predicted, with nothing of the size of its edges or features in memory: the dataset has
    /// an edgeless graph, and its rows are beside it. What has to be made first lies in `scratch`. None for data that is not read that way.
    ///
    /// # Errors
    /// As [`Material::read`].
    pub fn read_in_pieces(recipe: &Recipe, scratch: &Scratch) -> Result<Option<(Self, Pieces)>, TrainError> {
        let data = &recipe.data;
        check_target(data)?;
        check_named(data)?;
        let split = data.split.file().map(SplitFile::open).transpose()?;
        let found = match (&data.nodes, &data.edges, &data.dataset) {
            (Some(nodes), Some(edges), _) => {
                let options = NodeTableOptions { split_file: split.clone(), ..data.table_options(recipe.train.seed) };
                import::tables_in_pieces(nodes, edges, &options, scratch)?
            }
            (None, None, Some(name)) if catalogue::find(name).is_err() && !PartsFolder::is_at(Path::new(name)) => {
                if matches!(import::detect(Path::new(name))?, Kind::EdgeList | Kind::EdgesTable) {
                    // That is known before they are read.
                    return Err(NoMaterial::NothingToPredict { name: name.clone() }.into());
                }
                import::import_in_pieces(Path::new(name), &data.import_options(recipe.train.seed), scratch)?
            }
            _ => None,
        };
        let Some((dataset, pieces)) = found else { return Ok(None) };
        let material = data.divided_and_scored(Material::of(dataset), split)?.scaled(data)?;
        Ok(Some((material.with_target()?, pieces)))
    }

    /// Reads the data that a recipe names, with or without something to predict.
    ///
    /// # Errors
    /// When nothing is named, it is not there, or it does not hold together.
    pub fn read_any(recipe: &Recipe, places: &Places) -> Result<Self, TrainError> {
        let data = &recipe.data;
        check_named(data)?;
        data.read(recipe.train.seed, places).map_err(|error| {
            let same = data.dataset.as_ref().filter(|name| Path::new(name).exists() && catalogue::find(name).is_ok());
            match same {
                Some(name) => NoMaterial::SameName { error: Box::new(error), name: name.clone() }.into(),
                None => error,
            }
        })
    }

    fn with_target(self) -> Result<Self, TrainError> {
        match self.dataset.target.outputs() {
            0 => Err(NoMaterial::NothingToPredict { name: self.dataset.name }.into()),
            _ => Ok(self),
        }
    }

    /// What was read, on one screen.
    pub fn card(&self) -> DataCard {
        DataCard { table: self.summary.clone(), ..DataCard::of(&self.dataset) }
    }

    /// Brings the numbers of nodes to the scale that `config` asks for. Columns of tables are standardised already.
    ///
    /// # Errors
    /// When numbers that stay in a file can't be read.
    pub fn scaled(mut self, config: &DataConfig) -> Result<Self, TrainError> {
        if self.part.is_some() {
            // Parts hold numbers on the scale of the whole.
            return Ok(self);
        }
        if config.dataset.is_some() && config.scaling == FeatureScaling::Standardise {
            self.features = FeatureScale::of(&self.dataset)?;
        }
        config.scale_again(self.features.as_ref(), &mut self.dataset)?;
        match (&self.features, config.scaling) {
            (Some(_), _) => {
                let none = Setting::to("scaling", "none");
                let told = format!("numbers of nodes are standardised over the training part; {none} leaves them");
                self.dataset.notes.push(told);
            }
            (_, FeatureScaling::RowNormalised) => {
                self.dataset.notes.push("numbers of nodes are divided by the sum of their row".to_string());
            }
            _ => {}
        }
        Ok(self)
    }
}

impl DataConfig {
    /// Brings the numbers of nodes to the scale of training; `features` is what was learned of it.
    ///
    /// # Errors
    /// When there are other numbers than in training, or they can't be read.
    pub fn scale_again(&self, features: Option<&FeatureScale>, dataset: &mut Dataset) -> Result<(), TrainError> {
        if let Some(scale) = features {
            scale.apply(dataset)?;
        }
        if self.scaling == FeatureScaling::RowNormalised {
            dataset.nodes.row_normalise();
        }
        Ok(())
    }

    /// Reads the data that the settings name.
    ///
    /// # Errors
    /// When nothing is named, it is not there, or it does not hold together.
    pub fn read(&self, seed: u64, places: &Places) -> Result<Material, TrainError> {
        let file = self.split.file().map(SplitFile::open).transpose()?;
        let material = self.read_as_is(seed, places, file.as_ref())?;
        self.divided_and_scored(material, file)
    }

    /// With the split of a file and the metric that the settings name.
    fn divided_and_scored(&self, mut material: Material, file: Option<SplitFile>) -> Result<Material, TrainError> {
        if let Some(file) = file {
            let dataset = &mut material.dataset;
            let units = if dataset.splits_nodes() { dataset.graphs.union().nodes() } else { dataset.graphs.len() };
            // Of many graphs whose nodes are predicted, the ids are those of nodes, and graphs are called by their numbers.
            let ids: &[String] = if dataset.ids.len() == units { &dataset.ids } else { &[] };
            dataset.split = file.split(units, ids)?;
            material.split_file = Some(file.source().clone());
        }
        if let Some(metric) = self.metric {
            material.dataset.metric = metric;
        }
        Ok(material)
    }

    /// The options of the reader of whole datasets.
    pub fn import_options(&self, seed: u64) -> ImportOptions {
        ImportOptions {
            table: self.table_options(seed),
            targets: self.targets.clone(),
            task: self.task,
            smiles: self.smiles.clone(),
            skip_bad_molecules: self.skip_bad_molecules,
            split: self.load_options(seed).split,
            ..ImportOptions::default()
        }
    }

    fn read_as_is(&self, seed: u64, places: &Places, split: Option<&SplitFile>) -> Result<Material, TrainError> {
        if let (Some(nodes), Some(edges)) = (&self.nodes, &self.edges) {
            // Numbers are standardised over the training rows: the split has to be known while they are read.
            let options = NodeTableOptions { split_file: split.cloned(), ..self.table_options(seed) };
            let NodeTables { dataset, schema, summary } = NodeTables::load(nodes, edges, &options)?;
            let schema = Some(SavedSchema::Nodes(schema));
            return Ok(Material { schema, summary: Some(summary), ..Material::of(dataset) });
        }
        if let Some(molecules) = &self.molecules {
            let table = MoleculeTable::load(molecules, &self.molecule_options(seed))?;
            let schema = Some(SavedSchema::Molecules(table.schema));
            return Ok(Material { schema, ..Material::of(table.dataset) });
        }
        let Some(name) = &self.dataset else {
            return Err(NoMaterial::Source.into());
        };
        if PartsFolder::is_at(Path::new(name)) {
            if split.is_some() {
                return Err(TrainError::Task(format!(
                    "{name} is divided already: its split is that of the whole. Give the file to farhop data partition."
                )));
            }
            let alone = || Group::new(threads(1).swap_remove(0));
            let group = places.group.clone().unwrap_or_else(alone);
            let (dataset, part) = OwnPart::load(Path::new(name), &group)?;
            return Ok(Material { part: Some(part), ..Material::of(dataset) });
        }
        // A name of the catalogue comes first: a run folder may have the name of its dataset.
        let (dataset, schema) = match catalogue::find(name) {
            Ok(entry) => (named(entry, self, seed, places)?, None),
            Err(_) if Path::new(name).exists() => {
                let (dataset, schema) = import::import_learning(Path::new(name), &self.import_options(seed))?;
                (dataset, Some(SavedSchema::File(Box::new(schema))))
            }
            Err(error) => return Err(error.into()),
        };
        Ok(Material { schema, ..Material::of(dataset) })
    }
}

/// Tables are read for a target.
fn check_target(data: &DataConfig) -> Result<(), NoMaterial> {
    let tables = data.nodes.is_some() || data.molecules.is_some();
    if tables && data.targets.is_empty() { Err(NoMaterial::Target) } else { Ok(()) }
}

/// Something is named, and what is named may be there.
fn check_named(data: &DataConfig) -> Result<(), NoMaterial> {
    match (&data.nodes, &data.edges) {
        (Some(_), None) => return Err(NoMaterial::Edges),
        (None, Some(_)) => return Err(NoMaterial::Nodes),
        (None, None) if data.dataset.is_none() && data.molecules.is_none() => return Err(NoMaterial::Source),
        _ => {}
    }
    if let Some(name) = &data.dataset {
        check_name(name)?;
    }
    refuse_distance(data)
}

/// A name that is neither a path that exists nor in the catalogue is a slip.
fn check_name(name: &str) -> Result<(), NoMaterial> {
    let path = Path::new(name);
    let looks_like_a_path = name.contains(['/', '\\']) || path.extension().is_some();
    match catalogue::find(name) {
        Ok(_) => Ok(()),
        Err(_) if path.exists() => Ok(()),
        Err(_) if looks_like_a_path => Err(NoMaterial::File { name: name.to_string() }),
        Err(error) => Err(NoMaterial::Dataset(Box::new(error))),
    }
}

/// Only data that is made has a distance to choose.
fn refuse_distance(data: &DataConfig) -> Result<(), NoMaterial> {
    let made = |name: &String| catalogue::find(name).is_ok_and(Entry::is_made);
    if data.distance.is_none() || data.dataset.as_ref().is_some_and(made) {
        return Ok(());
    }
    let known: Vec<&str> =
        catalogue::entries().iter().filter(|entry| entry.is_made()).map(|entry| entry.name).collect();
    Err(NoMaterial::Distance { known: known.join(", ") })
}

/// A dataset of the catalogue, from the cache where reading it takes long: molecules are parsed, many graphs are built.
fn named(entry: &Entry, config: &DataConfig, seed: u64, places: &Places) -> Result<Dataset, TrainError> {
    let options = config.load_options(seed);
    let slow = entry.level != Level::Node || entry.found_bytes(&places.folders) >= WORTH_CACHING;
    Ok(match places.cache.as_deref().filter(|_| slow && !entry.is_made()) {
        Some(cache) => catalogue::load_cached(entry, &places.folders, &options, cache)?,
        None => catalogue::load(entry, &places.folders, &options)?,
    })
}

/// Reads new data the way `schema` read that of training, which `config` describes.
///
/// # Errors
/// When a column is missing or a cell can't be read.
pub fn read_again(
    schema: &SavedSchema,
    files: &NewFiles<'_>,
    config: &DataConfig,
    fill: Option<Fill>,
    add_missing_nodes: bool,
) -> Result<Dataset, TrainError> {
    match (schema, files) {
        (SavedSchema::Nodes(schema), NewFiles::Tables { nodes, edges }) => {
            let options = ApplyOptions { fill, add_missing_nodes };
            Ok(NodeTables::load_with_schema(nodes, edges, schema, &options)?.dataset)
        }
        (SavedSchema::Molecules(schema), NewFiles::Molecules { table, skip_bad }) => {
            Ok(MoleculeTable::load_with_schema(table, schema, *skip_bad)?.dataset)
        }
        (SavedSchema::Molecules(schema), NewFiles::File { path, skip_bad }) => {
            Ok(MoleculeTable::load_with_schema(path, schema, *skip_bad)?.dataset)
        }
        (
            SavedSchema::File(schema),
            NewFiles::File { path, skip_bad } | NewFiles::Molecules { table: path, skip_bad },
        ) => {
            let options = ImportOptions { skip_bad_molecules: *skip_bad, ..config.import_options(0) };
            Ok(import::import_again(path, &options, schema)?)
        }
        (SavedSchema::File(schema), NewFiles::Tables { .. }) => {
            Err(TrainError::NeedsFile { layout: schema.layout.clone() })
        }
        (SavedSchema::Nodes(_), NewFiles::Molecules { .. } | NewFiles::File { .. }) => Err(TrainError::Task(format!(
            "the run was trained on node tables. Pass {} and {}.",
            Setting::named("nodes"),
            Setting::named("edges")
        ))),
        (SavedSchema::Molecules(_), NewFiles::Tables { .. }) => Err(TrainError::Task(format!(
            "the run was trained on molecules. Pass a table with its SMILES column as {}.",
            Setting::named("molecules")
        ))),
    }
}

/// New files for a trained model.
#[derive(Clone, Copy, Debug)]
pub enum NewFiles<'a> {
    /// A table of nodes and one of edges.
    Tables {
        /// Nodes.
        nodes: &'a Path,
        /// Edges.
        edges: &'a Path,
    },
    /// A file or folder of the layout that training had.
    File {
        /// Where it is.
        path: &'a Path,
        /// Whether molecules that can't be read are left out.
        skip_bad: bool,
    },
    /// A table of molecules.
    Molecules {
        /// The table.
        table: &'a Path,
        /// Whether molecules that can't be read are left out.
        skip_bad: bool,
    },
}

impl EncodingConfig {
    /// As [`EncodingConfig::compute`], kept in the cache under the contents of the graphs.
    ///
    /// # Errors
    /// As [`EncodingConfig::compute`].
    pub fn compute_cached(&self, graphs: &GraphSet, cache: Option<&Path>) -> Result<Encodings, TrainError> {
        let Some(cache) = cache.filter(|_| *self != EncodingConfig::default()) else {
            return self.compute(graphs);
        };
        let nodes = graphs.union().nodes();
        let key = CacheKey::new("encodings", CACHE_VERSION, &[], &(sha256_of_graphs(graphs), self))?;
        let (arrays, _) = cached_arrays(cache, &key, || {
            // An error leaves the cache as it is.
            let found = self.compute(graphs).map_err(|error| DataError::Mismatch { what: error.to_string() })?;
            let array = |array: NodeArray| NamedArray {
                name: array.name,
                shape: vec![nodes, array.width],
                numbers: array.values,
            };
            Ok(found.arrays.into_iter().map(array).collect())
        })?;
        // An earlier version kept empty arrays too.
        let full = arrays.into_iter().filter(|array| array.shape.get(1) != Some(&0));
        let array = |array: NamedArray| {
            let width = array.shape.get(1).copied().unwrap_or(0);
            NodeArray { name: array.name, width, values: array.numbers }
        };
        let found = Encodings { arrays: full.map(array).collect() };
        let columns: usize = self.asked().map(|(_, width)| width).sum();
        if found.shapes() != self.shapes() || found.bytes() != 4 * nodes * columns {
            // Not what was saved under this key: the cache is not to be trusted.
            return self.compute(graphs);
        }
        Ok(found)
    }
}
