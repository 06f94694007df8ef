//! Random numbers that are a function of a seed and a counter.
//!
//! Nothing here has hidden state: number `c` of seed `s` is [`mix`]`(s, c)`, whoever asks, in any order and
//! on any thread. [`Stream`] only remembers the next counter.

use std::f64::consts::TAU;

/// Odd constant near 2^64 divided by the golden ratio: steps of it visit all 64-bit words evenly.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The random word at place `counter` of the sequence of `seed`.
///
/// The counter walks a SplitMix64 sequence whose start is the scrambled seed, so neighbouring seeds share
/// nothing. Nest it for more coordinates: `mix(mix(seed, step), element)`.
#[inline]
pub fn mix(seed: u64, counter: u64) -> u64 {
    let start = scramble(seed.wrapping_add(GOLDEN));
    scramble(start.wrapping_add(counter.wrapping_mul(GOLDEN)))
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014): a bijection in which every input bit changes
/// every output bit with probability near one half.
#[inline]
fn scramble(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// Maps a random word to a number in `[0, 1)`, one of 2^53 equally spaced ones.
#[inline]
pub fn unit(word: u64) -> f64 {
    (word >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// The random words of one seed, one after the other.
///
/// Two streams with the same seed and counter continue alike, so a stream is saved by saving both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    seed: u64,
    counter: u64,
}

impl Stream {
    /// A stream at its beginning.
    pub fn new(seed: u64) -> Self {
        Self::at(seed, 0)
    }

    /// A stream whose next word is `mix(seed, counter)`.
    pub fn at(seed: u64, counter: u64) -> Self {
        Self { seed, counter }
    }

    /// Place of the next word.
    pub fn counter(&self) -> u64 {
        self.counter
    }

    /// The next word.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let word = mix(self.seed, self.counter);
        self.counter = self.counter.wrapping_add(1);
        word
    }

    /// A whole number in `0..bound`, every one equally likely; 0 if `bound` is 0.
    ///
    /// Multiplies and takes the high half (Lemire, 2019); words that would favour some results are drawn
    /// again, so the number of words used may vary.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(bound);
        if (product as u64) < bound {
            let uneven = bound.wrapping_neg() % bound;
            while (product as u64) < uneven {
                product = u128::from(self.next_u64()) * u128::from(bound);
            }
        }
        (product >> 64) as u64
    }

    /// A number in `[0, 1)`.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        unit(self.next_u64())
    }

    /// A number from the normal distribution of mean 0 and variance 1 (Box and Muller). Uses two words.
    #[inline]
    pub fn normal(&mut self) -> f64 {
        // 1 - u lies in (0, 1], so the logarithm is finite.
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (TAU * self.uniform()).cos()
    }

    /// Puts the items in random order, every order equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let chosen = self.below(last as u64 + 1) as usize;
            items.swap(last, chosen);
        }
    }
}
