//! How evenly nodes attend to their neighbours: one hill for every layer and round.

use farhop_train::insight::EntropyCounts;

use super::svg::Svg;

const WIDTH: f64 = 520.0;
const LINE: f64 = 40.0;
/// A hill may reach into the line above.
const TALL: f64 = 34.0;
/// With more lines than this the rounds of a layer are one.
const MOST_LINES: usize = 20;

/// The hills.
pub fn ridges(rows: &[EntropyCounts]) -> Svg {
    let lines = if rows.len() > MOST_LINES { by_layer(rows) } else { by_round(rows) };
    let (left, right) = (146.0, WIDTH - 58.0);
    let top = 24.0;
    let bottom = top + LINE * lines.len() as f64;
    let mut svg = Svg::new(WIDTH, bottom + 48.0, "How evenly nodes attend to their neighbours");
    for (share, word) in [(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")] {
        let x = left + (right - left) * share;
        svg.line((x, top), (x, bottom), "grid");
        svg.text((x, bottom + 18.0), "middle", word);
    }
    svg.text((right + 8.0, 12.0), "", "mean");
    for (number, line) in lines.iter().enumerate() {
        let base = top + LINE * (number + 1) as f64 - 4.0;
        let most = line.counts.iter().copied().max().unwrap_or(1).max(1) as f64;
        let width = (right - left) / line.counts.len() as f64;
        for (bin, count) in line.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let height = (TALL * *count as f64 / most).max(1.0);
            let place = (left + width * bin as f64 + 0.5, base - height);
            svg.bar(
                place,
                (width - 1.0, height),
                "fill c1",
                &format!("{count} of {}", line.counts.iter().sum::<u64>()),
            );
        }
        svg.line((left, base), (right, base), "axis");
        let mean = left + (right - left) * line.mean;
        svg.line((mean, base - TALL), (mean, base + 3.0), "line c2");
        svg.text((left - 10.0, base - 8.0), "end", &line.name);
        svg.text((right + 8.0, base - 8.0), "", &format!("{:.3}", line.mean));
    }
    svg.text((left, bottom + 38.0), "", "all on one");
    svg.text((right, bottom + 38.0), "end", "all the same");
    let told: Vec<String> = lines.iter().map(|line| format!("{}: mean {:.2}", line.name, line.mean)).collect();
    svg.describe(&told.join("; "));
    svg
}

struct Line {
    name: String,
    counts: Vec<u64>,
    mean: f64,
}

fn by_round(rows: &[EntropyCounts]) -> Vec<Line> {
    let line = |row: &EntropyCounts| Line {
        name: match row.rounds {
            1 => format!("layer {}", row.layer),
            _ => format!("layer {}, round {}", row.layer, row.round),
        },
        counts: row.counts.clone(),
        mean: row.mean,
    };
    rows.iter().map(line).collect()
}

fn by_layer(rows: &[EntropyCounts]) -> Vec<Line> {
    let of_layer = |rows: &[EntropyCounts]| {
        let bins = rows[0].counts.len();
        let counts: Vec<u64> = (0..bins).map(|bin| rows.iter().map(|row| row.counts[bin]).sum()).collect();
        let weight = |row: &EntropyCounts| row.counts.iter().sum::<u64>() as f64;
        let all: f64 = rows.iter().map(weight).sum();
        let mean = rows.iter().map(|row| weight(row) * row.mean).sum::<f64>() / all;
        Line { name: format!("layer {}", rows[0].layer), counts, mean }
    };
    rows.chunk_by(|one, other| one.layer == other.layer).map(of_layer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rounds_become_one_line_a_layer() {
        let row = |layer: usize, round: usize| EntropyCounts { layer, round, rounds: 8, counts: vec![1, 2], mean: 0.5 };
        let few: Vec<EntropyCounts> = (1..=2).flat_map(|layer| (1..=8).map(move |round| row(layer, round))).collect();
        assert!(ridges(&few).inline().contains("layer 2, round 8"));
        let many: Vec<EntropyCounts> = (1..=3).flat_map(|layer| (1..=8).map(move |round| row(layer, round))).collect();
        let svg = ridges(&many).inline();
        assert!(svg.contains(">layer 3<") && !svg.contains("round") && svg.contains("16 of 24"), "{svg}");
    }
}
