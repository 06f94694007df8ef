//! Where the nodes of a small graph are drawn. Nothing is random: the same graph is drawn the same.

use std::f64::consts::TAU;

/// Nodes on rings around the centre, places in [-1, 1]²: `ring` is the number of the ring of each node, those of the first one in the centre
/// if there is one only. A node is put near its neighbours on the ring before its own.
pub fn rings(ring: &[usize], edges: &[(usize, usize)]) -> Vec<(f64, f64)> {
    let last = ring.iter().copied().max().unwrap_or(0);
    let mut angles = vec![0.0; ring.len()];
    let mut places = vec![(0.0, 0.0); ring.len()];
    for number in 0..=last {
        let mut members: Vec<usize> = (0..ring.len()).filter(|node| ring[*node] == number).collect();
        let wanted = |node: usize| {
            let inner = edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
            let inner = inner.filter(|&(a, b)| a == node && ring[b] + 1 == number).map(|(_, b)| angles[b]);
            // The mean of directions, not of numbers: 350 degrees and 10 have 0 between them.
            let (x, y) = inner.fold((0.0, 0.0), |(x, y), angle: f64| (x + angle.cos(), y + angle.sin()));
            if x == 0.0 && y == 0.0 { 0.0 } else { f64::atan2(y, x).rem_euclid(TAU) }
        };
        let mut order: Vec<(f64, usize)> = members.iter().map(|&node| (wanted(node), node)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        members = order.iter().map(|(_, node)| *node).collect();
        let radius = if last == 0 { 0.0 } else { number as f64 / last as f64 };
        // Turned so that the members are as near as can be to where they want to be.
        let spaced = |place: usize| TAU * place as f64 / members.len().max(1) as f64;
        let turn = order.iter().enumerate().map(|(place, (angle, _))| angle - spaced(place));
        let (x, y) = turn.fold((0.0, 0.0), |(x, y), angle| (x + angle.cos(), y + angle.sin()));
        let turn = if number <= 1 { -TAU / 4.0 } else { f64::atan2(y, x) };
        for (place, &node) in members.iter().enumerate() {
            angles[node] = (spaced(place) + turn).rem_euclid(TAU);
            places[node] = (radius * angles[node].cos(), radius * angles[node].sin());
        }
    }
    places
}

/// Nodes that push each other away and edges that hold them together (Fruchterman and Reingold, 1991), places in [-1, 1]². For up to a few
/// hundred nodes: every step looks at all pairs.
#[allow(clippy::needless_range_loop, reason = "pairs of nodes, by their numbers")]
pub fn springs(nodes: usize, edges: &[(usize, usize)]) -> Vec<(f64, f64)> {
    const STEPS: usize = 300;
    let mut places: Vec<(f64, f64)> = (0..nodes)
        .map(|node| {
            let angle = TAU * node as f64 / nodes.max(1) as f64;
            (angle.cos(), angle.sin())
        })
        .collect();
    let ideal = (4.0 / nodes.max(1) as f64).sqrt();
    for step in 0..STEPS {
        let mut moves = vec![(0.0, 0.0); nodes];
        for a in 0..nodes {
            for b in a + 1..nodes {
                let (x, y) = (places[a].0 - places[b].0, places[a].1 - places[b].1);
                let force = ideal * ideal / (x * x + y * y).max(1e-9);
                moves[a] = (moves[a].0 + x * force, moves[a].1 + y * force);
                moves[b] = (moves[b].0 - x * force, moves[b].1 - y * force);
            }
        }
        for &(a, b) in edges {
            let (x, y) = (places[a].0 - places[b].0, places[a].1 - places[b].1);
            let force = (x * x + y * y).sqrt() / ideal;
            moves[a] = (moves[a].0 - x * force, moves[a].1 - y * force);
            moves[b] = (moves[b].0 + x * force, moves[b].1 + y * force);
        }
        let most = 0.2 * (1.0 - step as f64 / STEPS as f64);
        for (place, (x, y)) in places.iter_mut().zip(moves) {
            let length = (x * x + y * y).sqrt();
            let share = if length > most { most / length } else { 1.0 };
            *place = (place.0 + x * share, place.1 + y * share);
        }
    }
    fitted(places)
}

/// Moved and scaled into [-1, 1]², the same both ways.
fn fitted(places: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let range = |of: fn(&(f64, f64)) -> f64| {
        let values = || places.iter().map(of);
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let ((left, right), (low, high)) = (range(|place| place.0), range(|place| place.1));
    let half = ((right - left).max(high - low) / 2.0).max(1e-9);
    let middle = ((left + right) / 2.0, (low + high) / 2.0);
    places.into_iter().map(|(x, y)| ((x - middle.0) / half, (y - middle.1) / half)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_keep_their_distance_and_neighbours_their_direction() {
        let ring = [0, 1, 1, 1, 2, 2, 2];
        let edges = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (3, 6)];
        let places = rings(&ring, &edges);
        for (place, number) in places.iter().zip(ring) {
            let length = (place.0 * place.0 + place.1 * place.1).sqrt();
            assert!((length - number as f64 / 2.0).abs() < 1e-9);
        }
        for (inner, outer) in [(1, 4), (2, 5), (3, 6)] {
            let dot = places[inner].0 * places[outer].0 + places[inner].1 * places[outer].1;
            assert!(dot > 0.4, "{inner} and {outer}: {dot}");
        }
        assert_eq!(rings(&[0], &[]), [(0.0, 0.0)]);
    }

    #[test]
    fn springs_stay_inside_and_keep_neighbours_together() {
        let chain: Vec<(usize, usize)> = (0..9).map(|node| (node, node + 1)).collect();
        let places = springs(10, &chain);
        assert!(places.iter().all(|(x, y)| x.abs() <= 1.0 + 1e-9 && y.abs() <= 1.0 + 1e-9));
        let length = |a: usize, b: usize| (places[a].0 - places[b].0).hypot(places[a].1 - places[b].1);
        assert!(chain.iter().all(|&(a, b)| length(a, b) < length(0, 9)), "{places:?}");
        assert_eq!(springs(10, &chain), places, "the same again");
        assert_eq!(springs(1, &[]), [(0.0, 0.0)]);
        assert!(springs(0, &[]).is_empty());
    }
}
