//! Features of several graphs side by side, and of one of them.

use std::ops::Range;

use farhop_data::{Columns, Csr, Numbers};

use crate::errors::Failure;

/// The features of all graphs, one after the other. `what` is the argument they came with.
pub fn joined(parts: &[&Columns], rows: &[usize], what: &str) -> Result<Columns, Failure> {
    let Some(first) = parts.first() else { return Ok(Columns::none()) };
    if let [only] = parts {
        return Ok((*only).clone());
    }
    let sizes: Vec<u32> = (0..first.sizes.len())
        .map(|column| parts.iter().filter_map(|part| part.sizes.get(column)).copied().max().unwrap_or(0))
        .collect();
    for (graph, part) in parts.iter().enumerate() {
        if part.width != first.width || part.sizes.len() != first.sizes.len() {
            return Err(Failure::data(format!(
                "{what} of graph {graph} has {} numbers and {} categories in a row, that of graph 0 has {} and {}. Give all graphs the same columns.",
                part.width,
                part.sizes.len(),
                first.width,
                first.sizes.len()
            )));
        }
    }
    let categories = parts.iter().flat_map(|part| part.categories.iter().copied()).collect();
    let sparse = parts.iter().all(|part| matches!(part.numbers, Numbers::Sparse(_)));
    let numbers = if sparse { sparse_numbers(parts, rows, first.width) } else { dense_numbers(parts)? };
    Ok(Columns { width: first.width, numbers, sizes, categories })
}

fn dense_numbers(parts: &[&Columns]) -> Result<Numbers, Failure> {
    let mut all = Vec::new();
    for part in parts {
        match &part.numbers {
            Numbers::Dense(numbers) => all.extend_from_slice(numbers),
            other => all.extend(other.clone().into_dense()?),
        }
    }
    Ok(Numbers::Dense(all))
}

fn sparse_numbers(parts: &[&Columns], rows: &[usize], width: usize) -> Numbers {
    let mut all =
        Csr { rows: rows.iter().sum(), columns: width, offsets: vec![0], indices: Vec::new(), values: Vec::new() };
    for part in parts {
        if let Numbers::Sparse(csr) = &part.numbers {
            let start = all.indices.len();
            all.offsets.extend(csr.offsets.iter().skip(1).map(|offset| start + offset));
            all.indices.extend_from_slice(&csr.indices);
            all.values.extend_from_slice(&csr.values);
        }
    }
    Numbers::Sparse(all)
}

/// The features of some rows.
pub fn rows_of(columns: &Columns, rows: Range<usize>) -> Result<Columns, Failure> {
    let numbers = match &columns.numbers {
        Numbers::Dense(numbers) => {
            Numbers::Dense(numbers[rows.start * columns.width..rows.end * columns.width].to_vec())
        }
        Numbers::OnDisk(_) => {
            let all = Columns { numbers: Numbers::Dense(columns.numbers.clone().into_dense()?), ..columns.clone() };
            return rows_of(&all, rows);
        }
        Numbers::Sparse(csr) => {
            let (start, end) = (csr.offsets[rows.start], csr.offsets[rows.end]);
            Numbers::Sparse(Csr {
                rows: rows.len(),
                columns: csr.columns,
                offsets: csr.offsets[rows.start..=rows.end].iter().map(|offset| offset - start).collect(),
                indices: csr.indices[start..end].to_vec(),
                values: csr.values[start..end].to_vec(),
            })
        }
    };
    let count = columns.sizes.len();
    let categories = columns.categories[rows.start * count..rows.end * count].to_vec();
    Ok(Columns { width: columns.width, numbers, sizes: columns.sizes.clone(), categories })
}
