//! The random numbers behave like random numbers, and are functions of seed and counter.

use farhop_graph::random::{Stream, mix, unit};

/// Asserts that counts of equal expectation are no more uneven than chance makes them once in a million times.
///
/// A chi-square variable of `f` degrees exceeds `f + 2 sqrt(f x) + 2 x` with probability at most `exp(-x)`
/// (Laurent and Massart, 2000). A normal limit would be far too tight for few degrees.
fn assert_even(counts: &[usize]) {
    let expected = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
    let statistic: f64 = counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum();
    let freedom = counts.len() as f64 - 1.0;
    let rare = 1e6f64.ln();
    let allowed = freedom + 2.0 * (freedom * rare).sqrt() + 2.0 * rare;
    assert!(statistic < allowed, "chi-square {statistic}, {freedom} degrees: {counts:?}");
}

#[test]
fn stream_is_the_sequence_of_its_counter() {
    let mut stream = Stream::new(17);
    for counter in 0..100 {
        assert_eq!(stream.counter(), counter);
        assert_eq!(stream.next_u64(), mix(17, counter));
    }
    let mut resumed = Stream::at(17, stream.counter());
    assert_eq!(resumed, stream);
    assert_eq!(resumed.normal(), stream.normal());
}

#[test]
fn neighbouring_seeds_share_no_words() {
    // Two sequences of which one is the other moved along would repeat words at other counters.
    let mut words: Vec<u64> = (0..300).flat_map(|seed| (0..300).map(move |counter| mix(seed, counter))).collect();
    words.sort_unstable();
    assert!(words.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn every_bit_is_even_over_counters_and_over_seeds() {
    let draws = 40_000;
    for by_seed in [false, true] {
        let word = |n| if by_seed { mix(n, 5) } else { mix(5, n) };
        let deviation = (draws as f64 / 4.0).sqrt();
        for bit in 0..64 {
            let ones = (0..draws).filter(|&n| word(n) >> bit & 1 == 1).count();
            assert!((ones as f64 - draws as f64 / 2.0).abs() < 5.0 * deviation, "bit {bit}");
            // Neighbouring places agree in half of the cases.
            let agree = (0..draws).filter(|&n| (word(n) ^ word(n + 1)) >> bit & 1 == 0).count();
            assert!((agree as f64 - draws as f64 / 2.0).abs() < 5.0 * deviation, "bit {bit}");
        }
    }
}

#[test]
fn unit_stays_below_one() {
    assert_eq!(unit(0), 0.0);
    assert!(unit(u64::MAX) < 1.0);
    assert!(unit(u64::MAX) > 1.0 - 1e-15);
    assert_eq!(unit(1 << 63), 0.5);
}

#[test]
fn uniform_has_mean_variance_and_even_cells() {
    let draws = 200_000;
    let mut stream = Stream::new(1);
    let mut cells = vec![0; 100];
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..draws {
        let value = stream.uniform();
        assert!((0.0..1.0).contains(&value));
        cells[(value * 100.0) as usize] += 1;
        sum += value;
        squares += value * value;
    }
    let mean = sum / draws as f64;
    let variance = squares / draws as f64 - mean * mean;
    assert!((mean - 0.5).abs() < 5.0 * (1.0 / 12.0 / draws as f64).sqrt());
    // The variance of (x - 1/2)^2 is 1/180.
    assert!((variance - 1.0 / 12.0).abs() < 5.0 * (1.0 / 180.0 / draws as f64).sqrt());
    assert_even(&cells);
}

#[test]
fn normal_has_the_moments_of_the_normal_distribution() {
    let draws = 200_000;
    let mut stream = Stream::new(2);
    let values: Vec<f64> = (0..draws).map(|_| stream.normal()).collect();
    let moment = |power| values.iter().map(|value| value.powi(power)).sum::<f64>() / draws as f64;
    // (power, moment, variance of that power)
    for (power, expected, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)] {
        let deviation: f64 = f64::sqrt(variance / draws as f64);
        assert!((moment(power) - expected).abs() < 5.0 * deviation, "moment {power}");
    }
    // Neighbouring draws are not correlated.
    let product: f64 = values.windows(2).map(|pair| pair[0] * pair[1]).sum();
    assert!((product / draws as f64).abs() < 5.0 / (draws as f64).sqrt());
}

#[test]
fn below_is_even_and_in_range() {
    let mut stream = Stream::new(3);
    for bound in [1u64, 2, 3, 7, 100] {
        let mut counts = vec![0; bound as usize];
        for _ in 0..50_000 {
            counts[stream.below(bound) as usize] += 1;
        }
        if bound > 1 {
            assert_even(&counts);
        }
    }
    assert_eq!(stream.below(0), 0);
}

#[test]
fn below_is_unbiased_for_huge_bounds() {
    // With 3 * 2^62 results, a plain multiplication would hit results that are multiples of 3 twice as often
    // as the others.
    let mut stream = Stream::new(4);
    let bound = 3u64 << 62;
    let mut counts = [0; 3];
    for _ in 0..60_000 {
        let value = stream.below(bound);
        assert!(value < bound);
        counts[(value % 3) as usize] += 1;
    }
    assert_even(&counts);
}

#[test]
fn shuffle_is_a_permutation_and_every_order_is_equally_likely() {
    let mut stream = Stream::new(5);
    for length in [0usize, 1, 2, 1_000] {
        let mut items: Vec<usize> = (0..length).collect();
        stream.shuffle(&mut items);
        let moved = items.iter().enumerate().any(|(place, &item)| place != item);
        assert!(moved || length < 1_000);
        items.sort_unstable();
        assert!(items.into_iter().eq(0..length));
    }
    let mut counts = vec![0; 27];
    for _ in 0..60_000 {
        let mut items = [0usize, 1, 2];
        stream.shuffle(&mut items);
        counts[items[0] * 9 + items[1] * 3 + items[2]] += 1;
    }
    let seen: Vec<usize> = counts.into_iter().filter(|&count| count > 0).collect();
    assert_eq!(seen.len(), 6);
    assert_even(&seen);
}
