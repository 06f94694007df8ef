//! Spaces of settings as they are written.

use super::*;

fn parse(text: &str) -> Result<Space, String> {
    Space::parse(text, Path::new("space.toml"), &Recipe::for_model("gen").unwrap()).map_err(|error| error.to_string())
}

#[test]
fn every_form_is_read() {
    let space = parse(
        "[space]\nmodel.hops = [1, 2, 4]\nmodel.norm = [\"layer\", \"none\"]\n\
         model.dropout = { uniform = [0.0, 0.3], step = 0.1 }\ntrain.learning_rate = { log = [1e-4, 1e-2] }\n\
         model.layers = { integer = [2, 6], step = 2 }\ntrain.optimizer.weight_decay = { uniform = [0.0, 1.0], when = { \"model.norm\" = \"none\" } }\n",
    )
    .unwrap();
    let axes = space.axes();
    assert_eq!(axes, [Axis::Steps(3), Axis::Kinds(2), Axis::Steps(4), Axis::Line, Axis::Steps(3), Axis::Line]);
    let full = [2.0, 1.0, 3.0, 0.5, 1.0, 0.25];
    let place: Place = full.iter().copied().map(Some).collect();
    let settings = space.settings(&place);
    assert_eq!(settings["model.hops"], 4);
    assert_eq!(settings["model.dropout"], 0.3);
    assert_eq!(settings["train.learning_rate"], 1e-3);
    assert_eq!(settings["model.layers"], 4);
    assert_eq!(space.open(&full), [true; 6]);
    assert_eq!(space.open(&[2.0, 0.0, 3.0, 0.5, 1.0, 0.25]), [true, true, true, true, true, false]);
    let recipe = space.recipe(&Recipe::for_model("gen").unwrap(), &settings).unwrap();
    assert_eq!((recipe.model.common().layers, recipe.train.optimizer.weight_decay), (4, 0.25));
    assert_eq!(space.place(&settings), place);
}

#[test]
fn the_settings_of_a_recipe_are_found_in_the_space() {
    let space = parse("[space]\nmodel.hops = [1, 2, 8]\ntrain.learning_rate = { log = [1e-4, 1e-2] }\n").unwrap();
    let recipe = Recipe::for_model("gen").unwrap();
    let own = space.of_recipe(&recipe);
    // The nearest of the list; the learning rate as it is.
    assert_eq!(own["train.learning_rate"], recipe.train.learning_rate);
    assert!([1, 2, 8].contains(&own["model.hops"].as_i64().unwrap()));
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let cases = [
        ("[space]\nmodel.hopps = [1, 2]\n", "line 2", "Did you mean \"hops\""),
        ("[space]\n\nmodel.hops = 3\n", "line 3", "nothing to search"),
        ("[space]\nmodel.hops = [0, 2]\n", "line 2", "hops"),
        ("[space]\nmodel.norm = [\"layer\", \"lair\"]\n", "line 2", "lair"),
        ("[space]\nmodel.dropout = { uniform = [0.5, 0.5] }\n", "line 2", "below the second"),
        ("[space]\ntrain.learning_rate = { log = [0.0, 1.0] }\n", "line 2", "above 0"),
        ("[space]\ntrain.learning_rate = { log = [0.1, 1.0], step = 0.1 }\n", "line 2", "no step"),
        ("[space]\nmodel.hops = { integer = [1, 2], steps = 3 }\n", "line 2", "no \"steps\""),
        ("[space]\nmodel.hops = [1, 2, 1]\n", "line 2", "twice"),
        ("[space]\nmodel.hops = []\n", "line 2", "empty"),
        ("[space]\nmodel.hops = { integer = [1, 4], when = { \"model.norm\" = \"none\" } }\n", "line 2", "further up"),
        ("[space]\ntrain.seed = [1, 2]\n", "line 2", "same for all trials"),
        ("[model]\nhops = 3\n", "line 1", "[space] alone"),
        ("[space]\n", "space.toml", "empty"),
    ];
    for (text, place, told) in cases {
        let error = parse(text).unwrap_err();
        assert!(error.contains(place) && error.contains(told), "{text}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
}
