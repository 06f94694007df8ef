//! A density made of points that were tried: one kernel around each, and a wide one for what nobody tried.
//!
//! With points `x_1 .. x_n` of weights `w_i`, and one kernel `k_d` an axis,
//!
//! ```text
//! p(x) = ( Σ_i w_i Π_d k_d(x_d | x_id)  +  w_0 Π_d k_d(x_d | whole axis) ) / Σ w
//! ```
//!
//! Axes are multiplied within a kernel, so that settings that were good together are proposed together. Kernels are normal
//! distributions cut off at the ends of the axis; on an axis of steps the normal distribution of a step's cell; on an axis of
//! kinds the kind itself with most of the weight. Bergstra et al., Algorithms for hyper-parameter optimization, NeurIPS 2011; as
//! there, the kernel of a point is as wide, axis by axis, as the way to the farther of its two neighbours: narrow where the points
//! agree, wide along an axis where they do not.

use farhop_graph::random::Stream;

/// What a coordinate may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    /// A number from 0 to 1.
    Line,
    /// One of so many values that have an order: 0, 1, ...
    Steps(usize),
    /// One of so many values without an order: 0, 1, ...
    Kinds(usize),
}

impl Axis {
    /// A coordinate, every one equally likely, from a number in `[0, 1)`.
    pub(super) fn uniform(self, unit: f64) -> f64 {
        match self {
            Axis::Line => unit,
            Axis::Steps(count) | Axis::Kinds(count) => (unit * count as f64).floor().min(count as f64 - 1.0),
        }
    }

    /// Where a coordinate lies on an axis of length one.
    fn along(self, at: f64) -> f64 {
        match self {
            Axis::Line => at,
            Axis::Steps(count) | Axis::Kinds(count) => (at + 0.5) / count as f64,
        }
    }
}

/// A coordinate for every axis; none where a condition leaves the setting out.
pub(super) type Place = Vec<Option<f64>>;

/// Weight of the wide kernel; a point has at most 1.
const PRIOR: f64 = 1.0;
/// Points that keep their full weight; older ones count less.
const RECENT: usize = 25;

/// The narrowest kernel, of the share of an axis that a point would have among evenly spread ones.
const NARROWEST: f64 = 0.5;

/// The density.
pub(super) struct Parzen<'a> {
    axes: &'a [Axis],
    points: Vec<&'a Place>,
    /// Of the points, then of the wide kernel; they sum to one.
    weights: Vec<f64>,
    /// Standard deviations of the points' kernels, `[points, axes]`, of an axis of length one.
    widths: Vec<f64>,
}

impl<'a> Parzen<'a> {
    /// Around `points`, oldest first.
    pub(super) fn new(axes: &'a [Axis], points: Vec<&'a Place>) -> Self {
        let count = points.len();
        let old = count.saturating_sub(RECENT);
        let mut weights: Vec<f64> = (0..count)
            .map(|place| match place < old {
                // Straight from 1 / n to 1.
                true if old > 1 => 1.0 / count as f64 + (1.0 - 1.0 / count as f64) * place as f64 / (old - 1) as f64,
                _ => 1.0,
            })
            .chain([PRIOR])
            .collect();
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        let widths = widths(axes, &points);
        Parzen { axes, points, weights, widths }
    }

    fn width(&self, point: usize, axis: usize) -> f64 {
        self.widths[point * self.axes.len() + axis]
    }

    /// A place from the density, without regard to conditions: every axis has a coordinate.
    pub(super) fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let mut left = stream.uniform();
        let chosen = self.weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        let chosen = chosen.filter(|chosen| *chosen < self.points.len());
        let coordinate = |(place, axis): (usize, &Axis)| match chosen
            .and_then(|chosen| Some((chosen, self.points[chosen][place]?)))
        {
            None => axis.uniform(stream.uniform()),
            Some((chosen, at)) => self.near(*axis, at, self.width(chosen, place), stream),
        };
        self.axes.iter().enumerate().map(coordinate).collect()
    }

    /// A coordinate from the kernel around `at`.
    fn near(&self, axis: Axis, at: f64, width: f64, stream: &mut Stream) -> f64 {
        match axis {
            Axis::Line => inside(at, width, stream),
            Axis::Steps(_) => axis.uniform(inside(axis.along(at), width, stream)),
            Axis::Kinds(_) => match stream.uniform() < self.stay() {
                true => at,
                false => axis.uniform(stream.uniform()),
            },
        }
    }

    /// Share of a kind's kernel that is that kind, beside the share that is any kind.
    fn stay(&self) -> f64 {
        let count = self.points.len() as f64;
        count / (count + PRIOR)
    }

    /// Logarithm of the density at a place.
    pub(super) fn log_density(&self, place: &[Option<f64>]) -> f64 {
        let logs: Vec<f64> = self
            .weights
            .iter()
            .enumerate()
            .map(|(number, weight)| {
                let point = self.points.get(number);
                let axes = self.axes.iter().zip(place).enumerate();
                let along = |(d, (axis, at)): (usize, (&Axis, &Option<f64>))| match at {
                    None => 0.0,
                    Some(at) => {
                        let point = point.and_then(|point| Some((point[d]?, self.width(number, d))));
                        self.kernel(*axis, *at, point).ln()
                    }
                };
                weight.ln() + axes.map(along).sum::<f64>()
            })
            .collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most == f64::NEG_INFINITY {
            return most;
        }
        most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln()
    }

    /// Density of `at` on an axis in the kernel around a point of this width, or in the wide one.
    fn kernel(&self, axis: Axis, at: f64, point: Option<(f64, f64)>) -> f64 {
        let Some((point, width)) = point else {
            return match axis {
                Axis::Line => 1.0,
                Axis::Steps(count) | Axis::Kinds(count) => 1.0 / count as f64,
            };
        };
        let around = axis.along(point);
        let below = |place: f64| normal((place - around) / width);
        let all = below(1.0) - below(0.0);
        match axis {
            Axis::Line => {
                let far = (at - around) / width;
                (-0.5 * far * far).exp() / (width * std::f64::consts::TAU.sqrt()) / all
            }
            Axis::Steps(count) => {
                let count = count as f64;
                (below((at + 1.0) / count) - below(at / count)) / all
            }
            Axis::Kinds(count) => {
                let any = (1.0 - self.stay()) / count as f64;
                if at == point { self.stay() + any } else { any }
            }
        }
        .max(f64::MIN_POSITIVE)
    }
}

/// How wide the kernel of every point is along every axis: the way to the farther of its two neighbours there.
fn widths(axes: &[Axis], points: &[&Place]) -> Vec<f64> {
    // A kernel far narrower than the distance of points would propose one place again and again.
    let least = NARROWEST / (points.len() as f64 + 2.0).min(100.0);
    let mut widths = vec![1.0; points.len() * axes.len()];
    for (d, axis) in axes.iter().enumerate() {
        let mut order: Vec<(f64, usize)> =
            points.iter().enumerate().filter_map(|(number, point)| Some((axis.along(point[d]?), number))).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (place, (at, number)) in order.iter().enumerate() {
            let before = place.checked_sub(1).map(|before| at - order[before].0);
            let after = order.get(place + 1).map(|after| after.0 - at);
            // A point by itself has the whole axis.
            let far = before.into_iter().chain(after).reduce(f64::max).unwrap_or(1.0);
            widths[number * axes.len() + d] = far.clamp(least, 1.0);
        }
    }
    widths
}

/// A number in `[0, 1)` from the normal distribution around `at`, cut off at both ends.
fn inside(at: f64, width: f64, stream: &mut Stream) -> f64 {
    let (low, high) = (normal((0.0 - at) / width), normal((1.0 - at) / width));
    let level = low + (high - low) * stream.uniform();
    (at + width * normal_inverse(level)).clamp(0.0, 1.0 - f64::EPSILON)
}

/// Share of the normal distribution below `x`.
fn normal(x: f64) -> f64 {
    0.5 * erfc(-x / std::f64::consts::SQRT_2)
}

/// The complementary error function, by its continued fraction far out and its series near zero.
fn erfc(x: f64) -> f64 {
    let far = x.abs();
    let tail = if far < 2.5 {
        // erf(x) = 2 / √π · exp(-x²) · Σ 2^n x^(2n+1) / (1 · 3 ··· (2n+1))
        let (mut term, mut sum, mut n) = (far, far, 0.0);
        while term > 1e-17 * sum {
            n += 1.0;
            term *= 2.0 * far * far / (2.0 * n + 1.0);
            sum += term;
        }
        1.0 - std::f64::consts::FRAC_2_SQRT_PI * (-far * far).exp() * sum
    } else {
        // erfc(x) = exp(-x²) / √π · 1 / (x + (1/2) / (x + 1 / (x + (3/2) / (x + ...))))
        let fraction = (1..=60).rev().fold(far, |below, n| far + 0.5 * f64::from(n) / below);
        0.5 * std::f64::consts::FRAC_2_SQRT_PI * (-far * far).exp() / fraction
    };
    if x < 0.0 { 2.0 - tail } else { tail }
}

/// The number below which the share `level` of the normal distribution lies, by halving: exact enough for a draw.
fn normal_inverse(level: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if normal(middle) < level {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AXES: [Axis; 3] = [Axis::Line, Axis::Steps(5), Axis::Kinds(3)];

    fn points() -> Vec<Place> {
        vec![vec![Some(0.1), Some(0.0), Some(2.0)], vec![Some(0.95), None, Some(1.0)], vec![None, Some(3.0), None]]
    }

    /// Numbers of Python's `0.5 * math.erfc(-x / math.sqrt(2))`.
    #[test]
    fn the_normal_distribution_is_that_of_others() {
        let known = [
            (-8.0, 6.220960574271819e-16),
            (-2.6, 0.004661188023718751),
            (-0.3, 0.3820885778110474),
            (1.7, 0.955434537241457),
            (4.0, 0.9999683287581669),
        ];
        for (x, share) in known {
            assert!((normal(x) - share).abs() <= 1e-12 * share, "{x}: {} against {share}", normal(x));
            if x < 3.0 {
                assert!((normal_inverse(share) - x).abs() < 1e-9, "{x}");
            }
        }
    }

    #[test]
    fn the_density_sums_to_one() {
        let points = points();
        let density = Parzen::new(&AXES, points.iter().collect());
        let cells = 400;
        let mut sum = 0.0;
        for line in 0..cells {
            for step in 0..5 {
                for kind in 0..3 {
                    let place = [
                        Some((f64::from(line) + 0.5) / f64::from(cells)),
                        Some(f64::from(step)),
                        Some(f64::from(kind)),
                    ];
                    sum += density.log_density(&place).exp() / f64::from(cells);
                }
            }
        }
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    }

    /// What is drawn has the density that is told: the share of draws in a cell is the cell's mass.
    #[test]
    fn draws_follow_the_density() {
        let points = points();
        let density = Parzen::new(&AXES, points.iter().collect());
        let mut stream = Stream::new(7);
        let draws: Vec<Vec<f64>> = (0..40_000).map(|_| density.draw(&mut stream)).collect();
        for (step, kind) in [(0.0, 2.0), (3.0, 1.0), (4.0, 0.0)] {
            let share =
                draws.iter().filter(|place| place[1] == step && place[2] == kind).count() as f64 / draws.len() as f64;
            let mass: f64 = (0..200)
                .map(|cell| {
                    let place = [Some((f64::from(cell) + 0.5) / 200.0), Some(step), Some(kind)];
                    density.log_density(&place).exp() / 200.0
                })
                .sum();
            let deviation = (mass * (1.0 - mass) / draws.len() as f64).sqrt();
            assert!((share - mass).abs() < 4.0 * deviation + 1e-4, "{step} {kind}: {share} against {mass}");
        }
        assert!(draws.iter().all(|place| (0.0..1.0).contains(&place[0])));
    }

    /// By hand, for five points: at least 0.5 / 7; the way to the farther neighbour along each axis; all of it where a point is alone.
    #[test]
    fn kernels_are_as_wide_as_the_way_to_the_farther_neighbour() {
        let place = |line: f64, step: Option<f64>| vec![Some(line), step];
        let points = [place(0.5, None), place(0.1, None), place(0.9, Some(3.0)), place(0.52, None), place(0.51, None)];
        let found = widths(&[Axis::Line, Axis::Steps(5)], &points.iter().collect::<Vec<_>>());
        let line: Vec<f64> = found.iter().step_by(2).copied().collect();
        for (width, expected) in line.iter().zip([0.4, 0.4, 0.38, 0.38, 0.5 / 7.0]) {
            assert!((width - expected).abs() < 1e-12, "{line:?}");
        }
        assert_eq!(found[5], 1.0);
    }
}
