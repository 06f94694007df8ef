//! `farhop train` without an argument, on smaller trees.

use crate::support::Place;

#[test]
fn three_models_and_what_guessing_gives() {
    let place = Place::new();
    let answer = place.farhop("train --distance 2 --tree-nodes 600 --epochs 3 --json");
    let object = answer.object();
    assert_eq!(object["distance"], 2);
    let models = object["models"].as_array().unwrap();
    assert_eq!(models.iter().map(|model| model["model"].as_str().unwrap()).collect::<Vec<_>>(), ["mlp", "gcn", "gen"]);
    for model in models {
        for key in ["train", "valid", "test", "seconds", "parameters"] {
            assert!(model[key].is_number(), "{key} in {model}");
        }
    }
    let chance = object["chance"].as_f64().unwrap();
    assert!(chance > 0.0 && chance < 1.0);
    assert!(answer.stderr.contains("distance exactly 2"), "{}", answer.stderr);
    assert_eq!(std::fs::read_dir(place.path("")).unwrap().count(), 0, "nothing is kept unless asked for");
}

#[test]
fn kept_runs_are_runs_like_any_other() {
    let place = Place::new();
    let kept = place.farhop("train --distance 2 --tree-nodes 600 --epochs 3 --out demo --json").object();
    let free = place.farhop("train --distance 2 --tree-nodes 600 --epochs 3 --json").object();
    for (one, other) in kept["models"].as_array().unwrap().iter().zip(free["models"].as_array().unwrap()) {
        assert_eq!(one["test"], other["test"], "tables change nothing");
    }
    let scores = place.farhop("evaluate demo/gen --json").object();
    assert_eq!(scores["accuracy"], kept["models"][2]["test"]);
    place.farhop("train --resume demo/gcn --epochs 5 --quiet").succeeded();
}

#[test]
fn the_picture_has_a_line_for_every_model() {
    let place = Place::new();
    let object =
        place.farhop("train --picture accuracy.svg --distances 1,3 --tree-nodes 600 --epochs 2 --json").object();
    assert_eq!(object["results"].as_array().unwrap().len(), 2);
    let svg = place.text("accuracy.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    for name in ["mlp", "gcn", "gen", "guessing"] {
        assert!(svg.contains(&format!(">{name}</text>")), "{name}");
    }
}
