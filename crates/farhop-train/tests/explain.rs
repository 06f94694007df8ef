//! Predictions explained, in a whole graph, in parts and among many graphs.

mod common;

use common::{NODES, Ring, create, recipe, train};
use farhop_data::Dataset;
use farhop_train::insight::{Explanation, ExplanationMethod, Question, Subject};
use farhop_train::{Encodings, Recipe, Silent, Task, TrainConfig, TrainedRun, plan_explanation, plan_task};

fn gen_recipe(layers: usize) -> Recipe {
    let mut recipe = recipe(3);
    recipe.model = Recipe::for_model("gen").unwrap().model;
    for (key, value) in [("width", 6), ("layers", layers), ("hops", 2), ("heads", 2)] {
        recipe.model = recipe.model.with(key, value).unwrap();
    }
    recipe
}

fn trained(ring: &Ring, recipe: &Recipe, path: &std::path::Path) -> TrainedRun {
    let mut folder = create(path, recipe);
    train(ring, &mut folder).unwrap();
    drop(folder);
    TrainedRun::open(path).unwrap()
}

fn task(dataset: &Dataset, config: &TrainConfig) -> Task {
    Task::new(dataset.clone(), Encodings::default(), config, None).unwrap()
}

fn distance(one: u32, other: u32) -> u32 {
    let apart = one.abs_diff(other);
    apart.min(NODES as u32 - apart)
}

fn nodes(found: &Explanation) -> Vec<(u32, Option<u32>)> {
    let mut nodes: Vec<(u32, Option<u32>)> = found.shares.iter().map(|share| (share.node, share.hop)).collect();
    nodes.sort_unstable();
    nodes
}

#[test]
fn one_layer_is_explained_by_its_walks_and_several_by_contributions() {
    let (ring, place) = (Ring::new(), tempfile::tempdir().unwrap());
    let one = trained(&ring, &gen_recipe(1), &place.path().join("one"));
    let found = one.explain(&ring.task(), &Question::about(88)).unwrap();
    assert_eq!((found.method, found.layer, found.layers), (ExplanationMethod::Weights, Some(1), 1));
    // On a ring there is one way to each node, and it has as many steps as the node is away.
    let expected: Vec<(u32, Option<u32>)> = (0..NODES as u32)
        .filter(|node| distance(88, *node) <= 2)
        .map(|node| (node, Some(distance(88, node))))
        .collect();
    assert_eq!(nodes(&found), expected);
    assert!(found.shares.iter().all(|share| share.heads.len() == 2));

    let two = trained(&ring, &gen_recipe(2), &place.path().join("two"));
    let found = two.explain(&ring.task(), &Question::about(88)).unwrap();
    assert_eq!((found.method, found.layer), (ExplanationMethod::Contributions, None));
    assert!(found.shares.iter().all(|share| share.hop == Some(distance(88, share.node)) && share.hop <= Some(4)));
    assert!(found.shares.windows(2).all(|pair| pair[0].weight.abs() >= pair[1].weight.abs()));
    let outputs = two.outputs(&ring.task()).unwrap();
    assert_eq!(found.value, outputs.values[88 * 3 + found.output]);
    let by_hop = found.by_hop();
    assert_eq!(by_hop.iter().map(|hop| hop.nodes).sum::<usize>(), found.shares.len());
    assert!((by_hop.iter().map(|hop| hop.share).sum::<f64>() - 1.0).abs() < 1e-9);
    assert!((by_hop.iter().map(|hop| hop.sum).sum::<f64>() - found.sum()).abs() < 1e-6);
    let first = Question { method: Some(ExplanationMethod::Weights), layer: Some(1), ..Question::about(88) };
    assert_eq!(two.explain(&ring.task(), &first).unwrap().layer, Some(1));
}

/// Parts with enough around them see all that the whole graph sees.
#[test]
fn parts_explain_as_the_whole_graph_does() {
    let (ring, place) = (Ring::new(), tempfile::tempdir().unwrap());
    let config = TrainConfig { parts: Some(4), halo: Some(5), ..TrainConfig::default() };
    for layers in [1, 2] {
        let run = trained(&ring, &gen_recipe(layers), &place.path().join(layers.to_string()));
        for node in [0, 22, 23, 89] {
            let whole = run.explain(&ring.task(), &Question::about(node)).unwrap();
            let parts = run.explain(&task(&ring.dataset, &config), &Question::about(node)).unwrap();
            assert_eq!(nodes(&whole), nodes(&parts));
            let weight = |found: &Explanation, of: (u32, Option<u32>)| {
                found.shares.iter().find(|share| (share.node, share.hop) == of).unwrap().weight
            };
            for of in nodes(&whole) {
                let (one, other) = (weight(&whole, of), weight(&parts, of));
                assert!((one - other).abs() < 1e-5, "{layers} layers, node {node}: {one} and {other} of {of:?}");
            }
        }
    }
}

#[test]
fn what_is_not_there_is_refused_in_one_line() {
    let (ring, place) = (Ring::new(), tempfile::tempdir().unwrap());
    let run = trained(&ring, &gen_recipe(1), &place.path().join("run"));
    let plain = trained(&ring, &recipe(1), &place.path().join("plain"));
    let refused = |run: &TrainedRun, question: Question| {
        let text = run.explain(&ring.task(), &question).unwrap_err().to_string();
        assert!(!text.contains('\n'), "{text}");
        text
    };
    let about = Question::about(3);
    let weights = Some(ExplanationMethod::Weights);
    assert_eq!(refused(&run, Question::about(90)), "there is no node 90. Allowed: 0 to 89.");
    assert_eq!(refused(&run, Question { output: Some(3), ..about }), "there is no output 3. Allowed: 0 to 2.");
    assert_eq!(
        refused(&run, Question { layer: Some(2), method: weights, ..about }),
        "layer 2 is not there. Allowed: 1 to 1."
    );
    assert!(
        refused(&plain, Question { method: weights, ..about }).contains("holds a mlp, whose layers have no weights")
    );
    let pair = Question { subject: Subject::Pair { graph: 0, nodes: [1, 2] }, ..about };
    assert_eq!(refused(&run, pair), "the model answers for no pairs. Name one row.");
}

#[test]
fn a_pass_back_is_planned_for_where_there_may_be_one() {
    let task = Ring::new().task();
    let planned = |recipe: &Recipe, training: bool| plan_task(recipe, &task, training, &mut Silent).unwrap().total;
    for layers in [1, 2] {
        let recipe = gen_recipe(layers);
        let (forward, back) = (planned(&recipe, false), planned(&recipe, true));
        assert!(forward < back);
        let asked = |method: Option<ExplanationMethod>| {
            let question = Question { method, ..Question::about(3) };
            plan_explanation(&recipe, &task, &question, &mut Silent).unwrap().total
        };
        assert_eq!(asked(Some(ExplanationMethod::Weights)), forward);
        assert_eq!(asked(Some(ExplanationMethod::Contributions)), back);
        assert_eq!(asked(None), if layers == 1 { forward } else { back });
    }
    let mlp = recipe(1);
    assert_eq!(plan_explanation(&mlp, &task, &Question::about(3), &mut Silent).unwrap().total, planned(&mlp, true));
}
