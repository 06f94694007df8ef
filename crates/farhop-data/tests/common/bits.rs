//! Datasets that are equal to the last bit: NaN equals the same NaN, 0 does not equal -0.

use farhop_data::{Columns, Dataset, Numbers, Target};

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

fn assert_same_columns(one: &Columns, two: &Columns) {
    assert_eq!((one.width, &one.sizes, &one.categories), (two.width, &two.sizes, &two.categories));
    match (&one.numbers, &two.numbers) {
        (Numbers::Dense(one), Numbers::Dense(two)) => assert_eq!(bits(one), bits(two)),
        (Numbers::Sparse(one), Numbers::Sparse(two)) => {
            assert_eq!((one.rows, one.columns, &one.offsets), (two.rows, two.columns, &two.offsets));
            assert_eq!((&one.indices, bits(&one.values)), (&two.indices, bits(&two.values)));
        }
        _ => panic!("one is sparse, one is not"),
    }
}

fn assert_same_target(one: &Target, two: &Target) {
    match (one, two) {
        (Target::Binary { values: one, names }, Target::Binary { values: two, names: others })
        | (Target::Number { values: one, names }, Target::Number { values: two, names: others }) => {
            assert_eq!((bits(one), names), (bits(two), others));
        }
        _ => assert_eq!(one, two),
    }
}

/// Fails unless the datasets are equal in everything.
pub fn assert_same(one: &Dataset, two: &Dataset) {
    assert_eq!((&one.name, &one.graphs, one.level), (&two.name, &two.graphs, two.level));
    assert_same_columns(&one.nodes, &two.nodes);
    assert_same_columns(&one.edges, &two.edges);
    assert_same_target(&one.target, &two.target);
    assert_eq!((&one.split, one.metric, &one.ids), (&two.split, two.metric, &two.ids));
    assert_eq!((&one.notes, &one.sources), (&two.notes, &two.sources));
    assert_eq!(bits(&one.weights), bits(&two.weights));
}
