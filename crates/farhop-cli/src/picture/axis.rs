//! Numbers along a line, with round ones to read them by.

/// How numbers are told apart along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Even.
    Even,
    /// Even in the logarithm.
    Powers,
}

/// One axis of a chart.
#[derive(Debug, Clone)]
pub struct Axis {
    from: f64,
    to: f64,
    scale: Scale,
    /// Numbers that are written, with how they are written.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Even, from round number to round number around `low` and `high`. `percent`: shares are written in percent.
    pub fn around(low: f64, high: f64, percent: bool) -> Self {
        let (low, high) = finite(low, high);
        let step = round_step(high - low);
        let (from, to) = ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step);
        Axis { from, to, scale: Scale::Even, ticks: even_ticks(from, to, step, percent) }
    }

    /// Even, exactly from `low` to `high`.
    pub fn exactly(low: f64, high: f64, percent: bool) -> Self {
        let (low, high) = finite(low, high);
        let step = round_step(high - low);
        let first = (low / step - 1e-9).ceil() * step;
        Axis { from: low, to: high, scale: Scale::Even, ticks: even_ticks(first, high, step, percent) }
    }

    /// Whole numbers from `first` to `last`.
    pub fn whole(first: usize, last: usize) -> Self {
        let (from, to) = (first as f64, last.max(first + 1) as f64);
        let step = round_step(to - from).max(1.0);
        let begin = (from / step).ceil() * step;
        let mut ticks = even_ticks(begin, to, step, false);
        // The first one is told where it does not touch the next.
        if begin - from > 0.4 * step {
            ticks.insert(0, (from, first.to_string()));
        }
        Axis { from, to, scale: Scale::Even, ticks }
    }

    /// Even in the logarithm, from `low` to `high`, both above 0.
    pub fn powers(low: f64, high: f64) -> Self {
        let (low, high) = (low.max(f64::MIN_POSITIVE), high.max(low).max(f64::MIN_POSITIVE));
        let (first, last) = ((low.log10() + 1e-9).floor(), (high.log10() - 1e-9).ceil());
        // Within one or two powers of ten, two and five times a power help.
        let factors: &[f64] = if last - first <= 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = ((last - first) / 6.0).ceil().max(1.0);
        let mut ticks = Vec::new();
        let mut power = first;
        while power <= last {
            for factor in factors {
                let value = factor * 10f64.powf(power);
                ticks.push((value, number_text(value)));
            }
            power += every;
        }
        // The nearest ticks around the numbers are the ends.
        let below = ticks.iter().map(|(value, _)| *value).rfind(|value| *value <= low * (1.0 + 1e-9));
        let above = ticks.iter().map(|(value, _)| *value).find(|value| *value >= high * (1.0 - 1e-9));
        let (from, mut to) = (below.unwrap_or(low), above.unwrap_or(high));
        if to <= from {
            to = from * 10.0;
        }
        ticks.retain(|(value, _)| (from * (1.0 - 1e-9)..=to * (1.0 + 1e-9)).contains(value));
        Axis { from, to, scale: Scale::Powers, ticks }
    }

    /// As the scale says.
    pub fn scaled(scale: Scale, low: f64, high: f64, percent: bool) -> Self {
        match scale {
            Scale::Even => Axis::around(low, high, percent),
            Scale::Powers => Axis::powers(low, high),
        }
    }

    /// From 0 at the beginning to 1 at the end.
    pub fn place(&self, value: f64) -> f64 {
        let along = |value: f64| match self.scale {
            Scale::Even => value,
            Scale::Powers => value.max(f64::MIN_POSITIVE).log10(),
        };
        let (from, to) = (along(self.from), along(self.to));
        ((along(value) - from) / (to - from)).clamp(0.0, 1.0)
    }
}

/// Numbers that an axis can be made of, and are not the same.
fn finite(low: f64, high: f64) -> (f64, f64) {
    match (low.is_finite() && high.is_finite(), high > low) {
        (false, _) => (0.0, 1.0),
        (true, true) => (low, high),
        (true, false) => {
            let room = (0.05 * low.abs()).max(1e-3);
            (low - room, low + room)
        }
    }
}

/// A step of 1, 2 or 5 times a power of ten that divides a span into about five.
fn round_step(span: f64) -> f64 {
    let rough = span / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let factor =
        [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough * (1.0 - 1e-9)).unwrap_or(10.0);
    factor * power
}

fn even_ticks(first: f64, last: f64, step: f64, percent: bool) -> Vec<(f64, String)> {
    let count = ((last - first) / step + 1e-6).floor().max(0.0) as usize;
    let digits = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
    let text = |value: f64| match percent {
        true => format!("{:.*} %", digits.saturating_sub(2), 100.0 * value),
        false if !(1e-5..1e5).contains(&step) => number_text(value),
        false => format!("{value:.digits$}"),
    };
    // Counted from the first, so that rounding does not add up; never -0.
    (0..=count)
        .map(|at| first + step * at as f64)
        .map(|value| if value.abs() < step * 1e-6 { 0.0 } else { value })
        .map(|value| (value, text(value)))
        .collect()
}

/// A number in few letters.
pub fn number_text(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) {
        return format!("{value:.0e}");
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_cover_the_numbers() {
        assert_eq!(texts(&Axis::around(0.13, 0.87, true)), ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]);
        assert_eq!(texts(&Axis::around(0.803, 0.817, true)), ["80.0 %", "80.5 %", "81.0 %", "81.5 %", "82.0 %"]);
        assert_eq!(texts(&Axis::whole(1, 200)), ["1", "50", "100", "150", "200"]);
        assert_eq!(texts(&Axis::whole(0, 1)), ["0", "1"]);
        assert_eq!(texts(&Axis::powers(0.02, 70.0)), ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(texts(&Axis::powers(1.2, 4.0)), ["1", "2", "5"]);
        for (low, high) in
            [(0.0, 1.0), (-3.0, 1e-9), (5.0, 5.0), (0.0, 0.0), (1e9, 3e9), (f64::NAN, 1.0), (-1e-7, 1e-7)]
        {
            let axis = Axis::around(low, high, false);
            assert!((2..=9).contains(&axis.ticks.len()), "{low} to {high}: {:?}", axis.ticks);
            assert!(low.is_nan() || (axis.place(low) >= 0.0 && axis.place(high) <= 1.0));
        }
        for value in [1e-3, 0.5, 1.0, 1e6] {
            let axis = Axis::powers(value, value);
            assert!(axis.place(value) <= 1.0 && axis.ticks.len() >= 2, "{value}: {:?}", axis.ticks);
        }
        assert_eq!(Axis::around(-1.0, 1.0, false).place(0.0), 0.5);
    }
}
