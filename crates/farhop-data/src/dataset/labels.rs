//! Labels as class numbers.

use std::collections::HashMap;

use crate::tables::targets::answer;

/// Puts classes in their final order and numbers the labels after it: as numbers if all classes
/// are whole numbers, else as text; but no goes before yes, in whatever words.
pub fn sorted_classes(labels: &[Option<u32>], values: &[String]) -> (Vec<Option<u32>>, Vec<String>) {
    let numbers: Option<Vec<i64>> = values.iter().map(|value| value.parse().ok()).collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    match numbers {
        // "1" and "01" are different classes with the same number: text decides.
        Some(numbers) => order.sort_by_key(|&value| (numbers[value], &values[value])),
        None if values.iter().all(|value| answer(value).is_some()) => {
            order.sort_by_key(|&value| (answer(&values[value]), &values[value]));
        }
        None => order.sort_by_key(|&value| &values[value]),
    }
    let mut class_of = vec![0; values.len()];
    for (class, &value) in order.iter().enumerate() {
        class_of[value] = class as u32;
    }
    let labels = labels.iter().map(|label| label.map(|value| class_of[value as usize])).collect();
    let classes = order.into_iter().map(|value| values[value].clone());
    (labels, classes.collect())
}

/// Numbers labels after the classes of a schema. Labels that are none of them become `None`; the
/// second result is how many rows that were.
pub fn known_classes(labels: &[Option<u32>], values: &[String], classes: &[String]) -> (Vec<Option<u32>>, u64) {
    let number_of: HashMap<&str, u32> =
        classes.iter().enumerate().map(|(number, class)| (class.as_str(), number as u32)).collect();
    let class_of: Vec<Option<u32>> = values.iter().map(|value| number_of.get(value.as_str()).copied()).collect();
    let mut unknown = 0;
    let labels = labels
        .iter()
        .map(|label| {
            let class = label.and_then(|value| class_of[value as usize]);
            unknown += u64::from(label.is_some() && class.is_none());
            class
        })
        .collect();
    (labels, unknown)
}

/// How many rows each class has.
pub fn class_counts(labels: &[Option<u32>], classes: usize) -> Vec<usize> {
    let mut counts = vec![0; classes];
    for class in labels.iter().flatten() {
        counts[*class as usize] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| value.to_string()).collect()
    }

    #[test]
    fn no_goes_before_yes() {
        for values in [["yes", "No"], ["Yes", "no"], ["TRUE", "False"], ["t", "F"]] {
            assert_eq!(sorted_classes(&[], &strings(&values)).1, [values[1], values[0]]);
        }
    }

    #[test]
    fn classes_sort_as_numbers_or_as_text_and_labels_follow() {
        for (values, sorted) in [(["10", "9", "-1"], ["-1", "9", "10"]), (["b", "9", "a"], ["9", "a", "b"])] {
            let values = strings(&values);
            let labels = [Some(2), None, Some(0), Some(1)];
            let (numbered, classes) = sorted_classes(&labels, &values);
            assert_eq!(classes, sorted);
            for (before, after) in labels.iter().zip(&numbered) {
                assert_eq!(before.map(|value| &values[value as usize]), after.map(|class| &classes[class as usize]));
            }
        }
    }

    #[test]
    fn strange_classes_are_counted_and_become_unlabelled() {
        let values = strings(&["b", "new"]);
        let classes = strings(&["a", "b"]);
        let labels = [Some(0), Some(1), None, Some(1)];
        let (numbered, unknown) = known_classes(&labels, &values, &classes);
        assert_eq!(numbered, [Some(1), None, None, None]);
        assert_eq!(unknown, 2);
    }
}
