//! Rows that are chosen from a matrix, and gradients on their way back.

/// Row `row` of a matrix of `width` columns.
pub(super) fn row_of(matrix: &[f32], width: usize, row: u32) -> &[f32] {
    &matrix[row as usize * width..(row as usize + 1) * width]
}

/// Writes a gradient that is zero but for the chosen rows, whose gradients come in `parts` one after the other. Rows may
/// repeat, so it is serial and in order.
pub(super) fn scatter(rows: &[u32], parts: &[Vec<f32>], width: usize, gradient: &mut [f32]) {
    gradient.fill(0.0);
    let values = parts.iter().flat_map(|part| part.chunks_exact(width.max(1)));
    for (&row, values) in rows.iter().zip(values) {
        let start = row as usize * width;
        gradient[start..start + width].iter_mut().zip(values).for_each(|(g, v)| *g += v);
    }
}
