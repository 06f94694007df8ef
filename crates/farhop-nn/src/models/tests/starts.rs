//! Initial weights where they are the authors': their spread is the one that is stated.

use super::support::{config, everything};
use crate::InputShape;

/// How the numbers of an array are drawn.
#[derive(Clone, Copy)]
enum Drawn {
    /// Uniform in plus and minus this.
    Uniform(f64),
    /// Normal with this deviation.
    Normal(f64),
    /// This number, all of them.
    Constant(f64),
}

use Drawn::{Constant, Normal, Uniform};

fn assert_drawn(what: &str, values: &[f32], drawn: Drawn) {
    let mean = values.iter().map(|v| f64::from(*v)).sum::<f64>() / values.len() as f64;
    let square = values.iter().map(|v| (f64::from(*v) - mean).powi(2)).sum::<f64>() / values.len() as f64;
    let most = values.iter().fold(0.0, |most: f64, v| most.max(f64::from(v.abs())));
    let near = |expected: f64| {
        // Four standard errors of a deviation.
        let room = 4.0 / (2.0 * values.len() as f64).sqrt();
        assert!((square.sqrt() / expected - 1.0).abs() < room, "{what}: {} instead of {expected}", square.sqrt());
    };
    match drawn {
        Uniform(limit) => {
            assert!(most <= limit, "{what}: {most} is beyond {limit}");
            near(limit / 3f64.sqrt());
        }
        Normal(deviation) => near(deviation),
        Constant(value) => assert!(values.iter().all(|v| f64::from(*v) == value), "{what}"),
    }
}

#[test]
fn initial_weights_are_the_authors() {
    let of_width = |width: f64| 1.0 / width.sqrt();
    let glorot = |inputs: f64, outputs: f64| (6.0 / (inputs + outputs)).sqrt();
    let xavier = |inputs: f64, outputs: f64| (2.0 / (inputs + outputs)).sqrt();
    let inputs = InputShape { numbers: 50, edge_numbers: 40, ..InputShape::default() };
    let more = r#""width": 64, "heads": 4"#;
    let uniform = Uniform(of_width(64.0));
    let shared = |first: &str| {
        vec![
            ("encoder.projection.weight".to_string(), Uniform(of_width(50.0))),
            (format!("layers.0.{first}.weight"), uniform),
            ("layers.0.feed.inner.weight".into(), uniform),
            ("layers.0.feed.inner.bias".into(), uniform),
            ("layers.0.feed.outer.weight".into(), Uniform(of_width(128.0))),
            ("head.output.weight".into(), uniform),
        ]
    };
    let own = [
        (
            "gps",
            "local.gated.own",
            vec![
                ("layers.0.attention.weight", Uniform(glorot(64.0, 192.0))),
                ("layers.0.attention.bias", Constant(0.0)),
                ("layers.0.output.weight", uniform),
                ("layers.0.output.bias", Constant(0.0)),
                ("edges.numbers.weight", Uniform(of_width(40.0))),
            ],
        ),
        (
            "exphormer",
            "local.gated.own",
            vec![("layers.0.query", uniform), ("expander", Normal(1.0)), ("layers.0.norm.rows.scale", Constant(1.0))],
        ),
        (
            "sat",
            "output",
            vec![("layers.0.key", Uniform(glorot(64.0, 128.0))), ("layers.0.value", Uniform(glorot(64.0, 64.0)))],
        ),
        (
            "grit",
            "output",
            vec![
                ("layers.0.query.weight", Normal(xavier(64.0, 64.0))),
                ("layers.0.query.bias", uniform),
                ("layers.0.pair.weight", Normal(xavier(64.0, 128.0))),
                ("layers.0.score", Normal(xavier(4.0, 16.0))),
                ("layers.0.pair_value", Normal(xavier(64.0, 256.0))),
                ("layers.0.degree", Normal(xavier(128.0, 2.0))),
                ("edges.projection.weight", Uniform(of_width(40.0))),
            ],
        ),
    ];
    for (model, first, further) in own {
        let arrays = config(model, more).init(&inputs, 30, 5).unwrap().network().arrays();
        let further = further.into_iter().map(|(name, drawn)| (name.to_string(), drawn));
        for (name, drawn) in shared(first).into_iter().chain(further) {
            let found = arrays.iter().find(|array| array.name == name);
            let array = found.unwrap_or_else(|| panic!("{model}: no {name}"));
            assert_drawn(&format!("{model}, {name}"), &array.data, drawn);
        }
    }
}

#[test]
fn layers_of_sat_start_as_copies_of_one() {
    let arrays = config("sat", "").init(InputShape::from(3), 2, 5).unwrap().network().arrays();
    let of = |layer: usize| {
        let own =
            arrays.iter().filter_map(move |array| Some((array.name.strip_prefix(&format!("layers.{layer}."))?, array)));
        own.map(|(name, array)| (name.to_string(), array.data.clone())).collect::<Vec<_>>()
    };
    assert!(!of(0).is_empty());
    assert_eq!(of(0), of(1));
}

/// With `initial_weights = "uniform"` every linear map starts so, and nothing else changes: in all models.
#[test]
fn linear_maps_start_uniformly_where_that_is_asked_for() {
    let inputs = InputShape { numbers: 50, ..InputShape::default() };
    let arrays = |name: &str, more: &str| {
        let model = config(name, more).init(&inputs, 30, 5).unwrap_or_else(|error| panic!("{name}: {error}"));
        model.network().arrays()
    };
    let shared = r#""width": 64, "layers": 2, "head_layers": 1"#;
    let uniform = format!(r#"{shared}, "initial_weights": "uniform""#);
    let mut wrong = Vec::new();
    for name in crate::ModelConfig::names() {
        let (own, drawn) = (arrays(name, shared), arrays(name, &uniform));
        assert_eq!(own.len(), drawn.len(), "{name}");
        let changed = own.iter().zip(&drawn).any(|(own, drawn)| own.data != drawn.data);
        let idle = crate::ModelConfig::from_name(name).unwrap().registration().idle.contains(&"initial_weights");
        if changed == idle {
            wrong.push(name);
        }
        assert_eq!(
            arrays(name, &uniform).iter().map(|a| &a.data).collect::<Vec<_>>(),
            drawn.iter().map(|a| &a.data).collect::<Vec<_>>()
        );
    }
    assert!(wrong.is_empty(), "{wrong:?} have linear maps that stay, or none and do not say so");
    let expected = [
        ("gcn", "layers.1.weight", Uniform((6.0 / 128f64).sqrt())),
        ("gcn", "head.output.weight", Uniform(0.125)),
        ("gcn", "head.output.bias", Uniform(0.125)),
        ("graphsage", "layers.0.neighbours", Uniform(1.0 / 50f64.sqrt())),
        ("graphsage", "layers.1.root", Uniform(0.125)),
        ("graphsage", "layers.1.bias", Uniform(0.125)),
        ("gen", "layers.1.value", Uniform(0.125)),
        ("gen", "layers.1.query", Uniform(0.125)),
        ("gen", "layers.1.attention", Uniform((6.0 / 129f64).sqrt())),
        ("mlp", "layers.0.weight", Uniform(1.0 / 50f64.sqrt())),
    ];
    for (name, array, expected) in expected {
        let more = if name == "gen" {
            format!(r#"{uniform}, "hops": 2, "heads": 1, "coefficients": "attention-per-layer""#)
        } else {
            uniform.clone()
        };
        let all = arrays(name, &more);
        let found = all.iter().find(|found| found.name.ends_with(array) || found.name == array);
        let found = found
            .unwrap_or_else(|| panic!("{name}: no {array} in {:?}", all.iter().map(|a| &a.name).collect::<Vec<_>>()));
        assert_drawn(&format!("{name}, {array}"), &found.data, expected);
    }
}

/// Arrays of two axes that are no linear maps elsewhere (tables, vectors of attention, convolutions, what is not trained), or that start as their
/// authors have them, by model and by their last word. A new layer with weights of its own stands here or in `restart.rs`.
const STAY: [(&str, &[&str]); 23] = [
    ("gen", &["attention", "edge_table", "edge_weight"]),
    ("gcn", &["weight"]),
    ("gat", &["weight", "receiver", "sender", "numbers", "vector"]),
    ("jknet", &["weight", "w_in", "w_rec"]),
    ("mixhop", &["weight"]),
    ("gea-gcn", &["weight"]),
    ("gea-mixhop", &["weight"]),
    ("h2gcn", &["embedding"]),
    ("magna", &["values", "sender", "receiver", "output"]),
    ("cpgnn", &["compatibility"]),
    ("sgformer", &["weight"]),
    ("polynormer", &["weight", "source", "target", "learned"]),
    ("gps", &["weight"]),
    ("exphormer", &["query", "key", "value", "edge", "expander", "to_virtual", "from_virtual", "virtual_states"]),
    ("sat", &["key", "query", "value", "weight"]),
    ("grit", &["weight", "key", "value", "score", "pair_value", "degree", "own_walks", "pair_walks"]),
    ("drew", &["weight"]),
    ("graph-mamba", MAMBA),
    ("gmn", MAMBA),
    ("nagphormer", &["embedding", "reading"]),
    ("nodeformer", &["relations"]),
    ("goat", &["centroids", "values", "sums"]),
    ("ipr-mpnn", &["epsilon"]),
];

/// Uniform already, but for the rates.
const MAMBA: &[&str] = &["input", "gate", "taps", "factor", "write", "read", "step", "rates", "output"];

#[test]
fn every_weight_is_known_to_be_a_linear_map_or_not() {
    let inputs = everything();
    let mut unknown = std::collections::BTreeSet::new();
    for name in crate::ModelConfig::names() {
        let arrays = |more: &str| config(name, more).init(&inputs, 3, 5).unwrap().network().arrays();
        let uniform = arrays(r#""initial_weights": "uniform""#);
        let stay = STAY.iter().find(|(model, _)| *model == name).map_or(&[][..], |(_, words)| words);
        for (own, _) in arrays("").iter().zip(&uniform).filter(|(own, drawn)| own.data == drawn.data) {
            let word = own.name.rsplit('.').find(|word| word.parse::<usize>().is_err()).unwrap_or_default();
            let known = word == "categories" || stay.contains(&word);
            let alone = own.shape.len() != 2 || own.data.is_empty() || known;
            if !alone {
                unknown.insert((name, word.to_string()));
            }
        }
    }
    assert!(unknown.is_empty(), "neither in LINEAR of restart.rs nor in STAY: {unknown:?}");
}
