//! The hop-majority task against distances computed another way.

use farhop_data::synthetic::{HopMajorityOptions, hop_majority};
use farhop_data::{Dataset, Numbers, Target};
use farhop_graph::distances;

fn features(data: &Dataset) -> &[f32] {
    match &data.nodes.numbers {
        Numbers::Dense(numbers) => numbers,
        _ => panic!("not dense"),
    }
}

fn labels(data: &Dataset) -> &[Option<u32>] {
    match &data.target {
        Target::Class { labels, .. } => labels,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_label_is_the_only_most_frequent_colour_at_that_distance() {
    let options = HopMajorityOptions { nodes: 300, trees: 3, distance: 3, colours: 3, seed: 5 };
    let data = hop_majority(&options).unwrap();
    let mut labelled = 0;
    for i in 0..300 {
        let mut counts = [0; 3];
        for (j, d) in distances(data.graphs.union(), i).unwrap().into_iter().enumerate() {
            if d == 3 {
                let colour = features(&data)[j * 3..(j + 1) * 3].iter().position(|v| *v == 1.0).unwrap();
                counts[colour] += 1;
            }
        }
        let most = *counts.iter().max().unwrap();
        let winners: Vec<u32> = (0..3).filter(|c| counts[*c as usize] == most).collect();
        let expected = if most > 0 && winners.len() == 1 { Some(winners[0]) } else { None };
        assert_eq!(labels(&data)[i], expected, "node {i}");
        labelled += usize::from(expected.is_some());
    }
    let split = &data.split;
    assert_eq!(split.train.len() + split.valid.len() + split.test.len(), labelled);
}

#[test]
fn one_seed_one_task() {
    let make = |seed| hop_majority(&HopMajorityOptions { nodes: 200, seed, ..Default::default() }).unwrap();
    assert_eq!(features(&make(1)), features(&make(1)));
    assert_eq!(labels(&make(1)), labels(&make(1)));
    assert_ne!(features(&make(1)), features(&make(2)));
}

#[test]
fn settings_without_sense_are_refused() {
    for options in [
        HopMajorityOptions { distance: 0, ..Default::default() },
        HopMajorityOptions { colours: 1, ..Default::default() },
    ] {
        assert!(hop_majority(&options).unwrap_err().to_string().contains("at least 1"));
    }
}
