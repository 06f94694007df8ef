//! `farhop hops` against distances counted by hand.

use farhop_data::npz::Npz;

use crate::support::Place;

/// Nodes a to e, each with a feature of its own.
fn chain(place: &Place) {
    let mut nodes = String::from("id,xa,xb,xc,xd,xe\n");
    for (row, name) in ["a", "b", "c", "d", "e"].iter().enumerate() {
        let cells: Vec<&str> = (0..5).map(|column| if column == row { "1" } else { "0" }).collect();
        nodes.push_str(&format!("{name},{}\n", cells.join(",")));
    }
    place.write("nodes.csv", &nodes);
    place.write("edges.csv", "source,target,weight\nd,c,0.5\na,b,2\nb,c,3\ne,d,-1\n");
}

fn arrays(place: &Place, name: &str) -> (Vec<f32>, Vec<f32>, Vec<String>, Vec<usize>) {
    let mut npz = Npz::open(&place.path(name)).unwrap();
    let increments = npz.array("increments").unwrap();
    let shape = increments.shape.clone();
    let cumulative = npz.array("cumulative").unwrap();
    assert_eq!(cumulative.shape, shape);
    let ids = npz.array("ids").unwrap().to_text().unwrap();
    (increments.to_f32().unwrap(), cumulative.to_f32().unwrap(), ids, shape)
}

#[test]
fn increments_of_a_chain_are_its_distances() {
    let place = Place::new();
    chain(&place);
    place.farhop("hops --edges edges.csv --nodes nodes.csv --rounds 6 --out hops.npz").succeeded();
    let (increments, cumulative, ids, shape) = arrays(&place, "hops.npz");
    assert_eq!(shape, [6, 5, 5]);
    assert_eq!(ids, ["a", "b", "c", "d", "e"]);
    for round in 1..=6usize {
        for i in 0..5usize {
            for j in 0..5usize {
                let at = ((round - 1) * 5 + i) * 5 + j;
                let apart = i.abs_diff(j);
                assert_eq!(increments[at], f32::from(u8::from(apart == round)), "round {round}, {i}, {j}");
                assert_eq!(cumulative[at], f32::from(u8::from(apart <= round)), "round {round}, {i}, {j}");
            }
        }
    }
}

#[test]
fn given_weights_multiply_along_the_path_and_directions_are_kept() {
    let place = Place::new();
    chain(&place);
    let line = "hops --edges edges.csv --nodes nodes.csv --rounds 2 --coefficients given --directed --self-coefficient 10 --out hops.npz";
    place.farhop(line).succeeded();
    let (increments, cumulative, ..) = arrays(&place, "hops.npz");
    let at = |round: usize, i: usize, j: usize| ((round - 1) * 5 + i) * 5 + j;
    // b receives from a with 2, c from b with 3: c hears a at 6. d receives from e, c from d.
    assert_eq!(increments[at(1, 1, 0)], 2.0);
    assert_eq!(increments[at(1, 0, 1)], 0.0);
    assert_eq!(increments[at(2, 2, 0)], 6.0);
    assert_eq!(increments[at(2, 2, 4)], -0.5);
    assert_eq!(cumulative[at(1, 2, 2)], 10.0);
    assert_eq!(cumulative[at(2, 2, 2)], 100.0);
}

#[test]
fn gcn_coefficients_and_the_modes_on_one_edge() {
    let place = Place::new();
    place.write("nodes.csv", "id,x\np,1\nq,4\nr,0\n");
    place.write("edges.csv", "source,target\np,q\nq,r\n");
    place.farhop("hops --edges edges.csv --nodes nodes.csv --rounds 1 --coefficients gcn --out hops.npz").succeeded();
    let (increments, cumulative, ..) = arrays(&place, "hops.npz");
    let root = 1.0 / 6f32.sqrt();
    let close = |left: f32, right: f32| (left - right).abs() < 1e-6;
    assert!(close(increments[0], 4.0 * root) && close(increments[1], root), "{increments:?}");
    assert!(close(cumulative[0], 0.5 + 4.0 * root) && close(cumulative[1], 4.0 / 3.0 + root), "{cumulative:?}");
    // Without elimination the second round walks back; with it, it does not.
    for (mode, back) in [("none", true), ("self-loop", true), ("exact", false)] {
        let line = format!(
            "hops --edges edges.csv --nodes nodes.csv --rounds 2 --elimination {mode} --out hops.npz --overwrite"
        );
        place.farhop(&line).succeeded();
        let (increments, ..) = arrays(&place, "hops.npz");
        // p hears r = 0 at distance 2, and itself when walks may turn back.
        assert_eq!(increments[3] != 0.0, back, "{mode}: {increments:?}");
    }
}
