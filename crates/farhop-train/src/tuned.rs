//! The recipes that come with farhop: for a dataset of the catalogue and a model, complete settings with the protocol they are scored by.
//! They lie in `recipes/DATASET/MODEL.toml` of the repository; comments at the top of each say whose settings they are and what was
//! measured.

use std::path::PathBuf;

use farhop_data::catalogue;
use farhop_nn::ModelConfig;

use crate::{Recipe, TrainError};

/// What stands for the recipe that comes with farhop where a file could be named.
pub const TUNED: &str = "tuned";

/// Dataset, model, text.
static RECIPES: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/recipes.rs"));

/// A recipe that comes with farhop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TunedRecipe {
    /// The dataset, as the catalogue has it.
    pub dataset: &'static str,
    /// The model.
    pub model: &'static str,
    /// TOML, comments included.
    pub text: &'static str,
}

impl TunedRecipe {
    /// Where it lies in the repository: `recipes/cora/gcn.toml`.
    pub fn path(&self) -> PathBuf {
        ["recipes", self.dataset, &format!("{}.toml", self.model)].iter().collect()
    }

    /// Its settings.
    ///
    /// # Errors
    /// When they are not allowed, which a test rules out.
    pub fn recipe(&self) -> Result<Recipe, TrainError> {
        Recipe::parse(self.text, &self.path())
    }
}

/// All of them, by dataset and model.
pub fn all() -> impl Iterator<Item = TunedRecipe> {
    RECIPES.iter().map(|&(dataset, model, text)| TunedRecipe { dataset, model, text })
}

/// The recipe of a model for a dataset, if there is one. Names of datasets are those of the catalogue, in any spelling.
pub fn get(dataset: &str, model: &str) -> Option<TunedRecipe> {
    let name = catalogue::find(dataset).ok()?.name;
    all().find(|one| one.dataset == name && one.model == model)
}

/// The recipe of a model for a dataset.
///
/// # Errors
/// When there is no such model or no recipe: those that are there are named.
pub fn find(dataset: Option<&str>, model: &str) -> Result<TunedRecipe, TrainError> {
    ModelConfig::from_name(model)?;
    if let Some(found) = dataset.and_then(|dataset| get(dataset, model)) {
        return Ok(found);
    }
    let known = dataset.and_then(|dataset| catalogue::find(dataset).ok()).map_or("", |entry| entry.name);
    let models: Vec<&str> = all().filter(|one| one.dataset == known).map(|one| one.model).collect();
    if !models.is_empty() {
        return Err(TrainError::NoTuned { of: format!("{model} on {known}"), known: models.join(", ") });
    }
    let mut datasets: Vec<&str> = all().map(|one| one.dataset).collect();
    datasets.dedup();
    let of = dataset.map_or("data of one's own".to_string(), str::to_string);
    Err(TrainError::NoTuned { of, known: datasets.join(", ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A recipe that can't be followed would be found out by a user.
    #[test]
    fn every_recipe_is_one_for_its_dataset_and_model() {
        for one in all() {
            let path = one.path();
            // Parsing refuses keys that are not known.
            let recipe = one.recipe().unwrap_or_else(|error| panic!("{error}"));
            let entry = catalogue::find(one.dataset).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(entry.name, one.dataset, "{}", path.display());
            assert_eq!(recipe.data.dataset.as_deref(), Some(one.dataset), "{}", path.display());
            assert_eq!(recipe.model.name(), one.model, "{}", path.display());
            // What was measured, or that nothing was, stands at its top.
            for word in ["# settings  ", "# measured  "] {
                assert!(one.text.lines().take_while(|line| line.starts_with('#')).any(|line| line.starts_with(word)));
            }
        }
    }

    /// The models that the tables of nodes are to have.
    #[test]
    fn tables_of_nodes_have_their_recipes() {
        let datasets = ["cora", "citeseer", "pubmed", "photo", "computers", "physics"];
        for dataset in datasets.iter().chain(&["squirrel-filtered", "chameleon-filtered"]) {
            for model in
                ["gen", "gcn", "gat", "graphsage", "mlp", "appnp", "gprgnn", "dagnn", "mixhop", "jknet", "h2gcn"]
            {
                assert!(get(dataset, model).is_some(), "{model} on {dataset}");
            }
        }
    }

    #[test]
    fn names_are_those_of_the_catalogue_in_any_spelling() {
        assert_eq!(find(Some("Cora"), "gcn").unwrap().path(), PathBuf::from("recipes/cora/gcn.toml"));
    }

    #[test]
    fn what_is_not_there_is_said_with_what_is() {
        let said = |dataset, model| find(dataset, model).unwrap_err().to_string();
        let text = said(Some("cora"), "nagphormer");
        assert!(text.contains("nagphormer on cora") && text.contains("gcn, gen, gprgnn"), "{text}");
        let text = said(Some("mutag"), "gcn");
        assert!(text.contains("mutag") && text.contains("citeseer, computers, cora"), "{text}");
        assert!(said(None, "gcn").contains("data of one's own"));
        assert!(said(Some("cora"), "gcnn").contains("gcn"));
    }
}
