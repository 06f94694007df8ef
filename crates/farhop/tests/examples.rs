//! Every example runs to its end: what it claims, it asserts.

#[path = "../examples/custom_layer.rs"]
mod custom_layer;
#[path = "../examples/elimination.rs"]
mod elimination;
#[path = "../examples/molecules.rs"]
mod molecules;
#[path = "../examples/own_graph.rs"]
mod own_graph;

#[test]
fn a_graph_of_ones_own() {
    own_graph::main().unwrap();
}

#[test]
fn molecules_from_smiles() {
    molecules::main().unwrap();
}

#[test]
fn the_elimination_alone() {
    elimination::main().unwrap();
}

#[test]
fn a_layer_of_ones_own() {
    custom_layer::main().unwrap();
}
