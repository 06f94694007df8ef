//! The random numbers of PyTorch on the CPU, as far as published splits were drawn with them: the Mersenne twister of 32 bits
//! (Matsumoto and Nishimura, 1998) and the permutation that is made of it.

const WORDS: usize = 624;
const OFFSET: usize = 397;

/// The twister. It is here to draw again what was drawn before; everything new uses `farhop_graph::random`.
pub(crate) struct Mersenne {
    state: [u32; WORDS],
    /// Words of the state that were given out.
    used: usize,
}

impl Mersenne {
    /// Seeded as `torch.manual_seed` does.
    pub fn new(seed: u32) -> Self {
        let mut state = [seed; WORDS];
        for place in 1..WORDS {
            let before = state[place - 1];
            state[place] = (before ^ (before >> 30)).wrapping_mul(1_812_433_253).wrapping_add(place as u32);
        }
        Mersenne { state, used: WORDS }
    }

    /// The next 32 bits.
    pub fn next(&mut self) -> u32 {
        if self.used == WORDS {
            self.renew();
        }
        let mut word = self.state[self.used];
        self.used += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    fn renew(&mut self) {
        for place in 0..WORDS {
            let (here, next) = (self.state[place], self.state[(place + 1) % WORDS]);
            let joined = (here & 0x8000_0000) | (next & 0x7fff_ffff);
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[place] = self.state[(place + OFFSET) % WORDS] ^ (joined >> 1) ^ odd;
        }
        self.used = 0;
    }

    /// Brings the items into the order of `torch.randperm`: each place in turn takes one of those that are left.
    pub fn permute<T>(&mut self, items: &mut [T]) {
        for place in 0..items.len().saturating_sub(1) {
            let left = (items.len() - place) as u32;
            items.swap(place, place + (self.next() % left) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first and the ten thousandth number that the C++ standard names for its `mt19937`, whose seed is 5489.
    #[test]
    fn numbers_are_those_of_the_standard() {
        let mut random = Mersenne::new(5489);
        assert_eq!(random.next(), 3_499_211_612);
        assert_eq!((0..9_999).map(|_| random.next()).last(), Some(4_123_659_995));
    }

    #[test]
    fn a_permutation_has_every_item_once() {
        for length in [0, 1, 700] {
            let mut items: Vec<usize> = (0..length).collect();
            Mersenne::new(123).permute(&mut items);
            let moved = items.iter().enumerate().any(|(place, item)| place != *item);
            items.sort_unstable();
            assert!(items.into_iter().eq(0..length));
            assert_eq!(moved, length > 1, "{length}");
        }
    }
}
