//! Whole numbers as categories.

use crate::error::DataError;
use crate::text::thousands;

/// The most categories a column may have.
pub const MOST_CATEGORIES: usize = 1 << 16;

/// Columns of categories.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Categories {
    /// For each column, how many categories there are.
    pub sizes: Vec<u32>,
    /// `[rows, sizes.len()]`.
    pub values: Vec<u16>,
    /// For each column the number that stood for each category, ascending.
    pub meanings: Vec<Vec<i64>>,
}

/// Numbers the different values of every column of `[rows, width]` in ascending order.
pub fn number_categories(file: &str, width: usize, rows: &[i64]) -> Result<Categories, DataError> {
    let mut categories = Categories { values: vec![0; rows.len()], ..Categories::default() };
    for column in 0..width {
        let of_column = || rows.iter().skip(column).step_by(width);
        let mut different: Vec<i64> = of_column().copied().collect();
        different.sort_unstable();
        different.dedup();
        if different.len() > MOST_CATEGORIES {
            return Err(DataError::TooMany {
                file: file.to_string(),
                what: format!("column {} has {} categories", column + 1, thousands(different.len() as u64)),
                remedy: "At most 65,536 are allowed.".to_string(),
            });
        }
        let places = categories.values.iter_mut().skip(column).step_by(width);
        for (place, value) in places.zip(of_column()) {
            *place = different.partition_point(|known| known < value) as u16;
        }
        categories.sizes.push(different.len() as u32);
        categories.meanings.push(different);
    }
    Ok(categories)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_numbered_by_column_in_ascending_order() {
        let found = number_categories("x", 2, &[-1, 7, 5, 7, -1, 0]).unwrap();
        assert_eq!(found.sizes, [2, 2]);
        assert_eq!(found.values, [0, 1, 1, 1, 0, 0]);
        assert_eq!(found.meanings, [vec![-1, 5], vec![0, 7]]);
    }
}
