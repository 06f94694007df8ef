//! The order of elements in memory.

/// Rearranges elements whose first index runs fastest so that the last one does. The array is
/// not empty, and `bytes` holds all of it.
pub(super) fn in_c_order(bytes: &[u8], shape: &[usize], size: usize) -> Vec<u8> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = size;
    for &length in shape {
        strides.push(stride);
        stride *= length;
    }
    let mut result = Vec::with_capacity(bytes.len());
    let mut index = vec![0usize; shape.len()];
    while result.len() < bytes.len() {
        let at: usize = index.iter().zip(&strides).map(|(i, s)| i * s).sum();
        result.extend_from_slice(&bytes[at..at + size]);
        for (place, &length) in index.iter_mut().zip(shape).rev() {
            *place += 1;
            if *place < length {
                break;
            }
            *place = 0;
        }
    }
    result
}
