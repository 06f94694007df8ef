//! Where the matrix of classes of CPGNN starts: which classes the neighbours of training nodes have, or are thought to have.

use farhop_graph::Graph;

/// Rounds of Sinkhorn's scaling.
const ROUNDS: usize = 3000;

/// The scaling ends when all numbers together change by less.
const SETTLED: f64 = 1e-12;

/// `[C, C]`, centred: the mean beliefs of the neighbours of training nodes, class by class, scaled until rows and columns sum to one,
/// made symmetric, less `1 / C`. `beliefs` `[N, C]` are those of the prior; `known` are training nodes with their classes.
pub(super) fn compatibility(graph: &Graph, mut beliefs: Vec<f64>, classes: usize, known: &[(u32, u32)]) -> Vec<f64> {
    for &(node, class) in known {
        let row = &mut beliefs[node as usize * classes..][..classes];
        row.fill(0.0);
        row[class as usize] = 1.0;
    }
    let mut counts = vec![0usize; classes];
    let mut matrix = vec![0.0; classes * classes];
    for &(node, class) in known {
        counts[class as usize] += 1;
        let neighbours = graph.neighbours(node as usize);
        for &j in neighbours {
            for c in 0..classes {
                let belief = beliefs[j as usize * classes + c];
                matrix[class as usize * classes + c] += belief / neighbours.len() as f64;
            }
        }
    }
    for (row, count) in matrix.chunks_exact_mut(classes).zip(&counts) {
        row.iter_mut().for_each(|value| *value /= (*count).max(1) as f64);
    }
    // A class that no training node has: what the others say of it, and equal shares of the rest.
    for missing in (0..classes).filter(|&class| counts[class] == 0) {
        let (known, unknown): (Vec<usize>, Vec<usize>) = (0..classes).partition(|&class| counts[class] > 0);
        let told: f64 = known.iter().map(|&class| matrix[class * classes + missing]).sum();
        known.iter().for_each(|&class| matrix[missing * classes + class] = matrix[class * classes + missing]);
        let share = (1.0 - told) / unknown.len() as f64;
        unknown.iter().for_each(|&class| matrix[missing * classes + class] = share);
    }
    scale(&mut matrix, classes);
    let turned = |at: usize| matrix[at % classes * classes + at / classes];
    (0..matrix.len()).map(|at| (matrix[at] + turned(at)) / 2.0 - 1.0 / classes as f64).collect()
}

/// Divides columns by their sums, then rows by theirs, again and again.
fn scale(matrix: &mut [f64], classes: usize) {
    let divide = |value: &mut f64, sum: f64| {
        if sum != 0.0 {
            *value /= sum;
        }
    };
    for _ in 0..ROUNDS {
        let before = matrix.to_vec();
        for c in 0..classes {
            let sum: f64 = matrix.iter().skip(c).step_by(classes).sum();
            matrix.iter_mut().skip(c).step_by(classes).for_each(|value| divide(value, sum));
        }
        for row in matrix.chunks_exact_mut(classes) {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|value| divide(value, sum));
        }
        let change: f64 = matrix.iter().zip(&before).map(|(now, before)| (now - before).abs()).sum();
        if change < SETTLED {
            return;
        }
    }
}
