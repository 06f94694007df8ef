//! Graph attention over several processes is that over the whole graph: output, all gradients, and the bytes between processes.

use farhop_graph::{Direction, LocalPart, PartCutter, build, random};
use farhop_kernels::dense::Dropout;
use farhop_kernels::edges::gat::{self, Attention};
use farhop_kernels::edges::gat_within;
use farhop_kernels::edges::scores::Pairs;
use farhop_kernels::edges::sums;
use farhop_kernels::exchange::{Group, Halo, HaloParts, threads};

fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let number = |at: u64| (random::mix(seed, at) >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
    (0..count as u64).map(number).collect()
}

fn near(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-5 * (1.0 + expected.abs()), "{what}: {found} for {expected}");
    }
}

/// With nodes themselves if `choice` is odd, with numbers of entries if its second bit is set.
fn attention<'a>(heads: usize, choice: u32, [x, y, b, c]: [&'a [f32]; 4], dropout: Dropout) -> Attention<'a> {
    let (own, with_b) = (choice & 1 != 0, choice & 2 != 0);
    let (entries, nodes) = (with_b.then_some(b), (own && with_b).then_some(c));
    Attention { pairs: Pairs { heads, receiver: x, sender: y, entries, nodes, slope: 0.2 }, own, dropout }
}

#[test]
fn attention_over_parts_is_that_over_the_whole() {
    // A hub, a chain, a triangle, nodes without edges.
    let mut edges: Vec<(u32, u32)> = (1..18).map(|node| (0, node)).collect();
    edges.extend((1..22).map(|node| (node, node + 1)));
    edges.extend([(3, 9), (9, 20), (20, 3), (25, 26), (4, 13)]);
    for (direction, heads, choice) in [
        (Direction::Undirected, 1, 0),
        (Direction::Undirected, 2, 7),
        (Direction::Directed, 2, 5),
        (Direction::Directed, 1, 3),
        (Direction::Undirected, 3, 4),
    ] {
        let graph = build(30, &edges, direction).unwrap().graph;
        let (n, e, width) = (graph.nodes(), graph.entries(), 6);
        let own = choice & 1 != 0;
        let dropout = if choice & 4 != 0 { Dropout::new(0.4, 5) } else { Dropout::NONE };
        let (v, dz) = (numbers(n * width, 1), numbers(n * width, 2));
        let (x, y) = (numbers(n * heads, 3), numbers(n * heads, 4));
        let (b, c) = (numbers(e * heads, 5), numbers(n * heads, 6));
        let whole = attention(heads, choice, [&x, &y, &b, &c], dropout);
        let (mut z, mut statistics) = (vec![0.0; n * width], vec![0.0; 2 * n * heads]);
        gat::forward(&graph, &whole, &v, width, &mut z, &mut statistics);
        let mut dv = vec![0.0; n * width];
        gat::backward_values(&graph, &whole, &statistics, &dz, width, &mut dv);
        let mut ds = vec![0.0; (e + if own { n } else { 0 }) * heads];
        gat::backward_scores(&graph, &whole, &v, &statistics, &dz, width, &mut ds);
        let (mut dx, mut dy) = (vec![0.0; n * heads], vec![0.0; n * heads]);
        sums::to_targets(&graph, heads, &ds[..e * heads], &mut dx);
        sums::to_sources(&graph, heads, &ds[..e * heads], &mut dy);
        for sum in [&mut dx, &mut dy] {
            sum.iter_mut().zip(&ds[e * heads..]).for_each(|(sum, g)| *sum += g);
        }
        for ranks in [1, 2, 3, 5] {
            let drawn = |node: u64| (random::mix(ranks, node) % ranks) as u32;
            let in_order = |node: u64| (node * ranks / 30) as u32;
            let owners: Vec<u32> = (0..30).map(|node| if own { drawn(node) } else { in_order(node) }).collect();
            let mut cutter = PartCutter::new(&graph, &owners).unwrap();
            let parts: Vec<LocalPart> = (0..ranks as u32).map(|rank| cutter.cut(rank).unwrap()).collect();
            let what = format!("{direction:?}, {heads} heads, choice {choice}, {ranks} processes");
            let run = |part: &LocalPart, transport, waits: bool| {
                let halo = HaloParts {
                    own: part.own,
                    owners: part.owners.clone(),
                    nodes: part.nodes.clone(),
                    entries: part.entries.clone(),
                    degrees: part.degrees.clone(),
                    total_nodes: n as u64,
                    total_entries: e as u64,
                };
                let group = Group::new(transport);
                let halo = Halo::new(group.clone(), &part.graph, halo).unwrap();
                let halo = if waits { halo.waiting() } else { halo };
                let of = |values: &[f32], names: &[u32], width: usize| -> Vec<f32> {
                    names.iter().flat_map(|&name| &values[name as usize * width..][..width]).copied().collect()
                };
                let names = &part.nodes[..part.own];
                let [x, y, c] = [&x, &y, &c].map(|values| of(values, names, heads));
                let (b, v, dz) = (of(&b, &part.entries, heads), of(&v, names, width), of(&dz, names, width));
                let mask = dropout.for_rows(halo.entry_names());
                let local = attention(heads, choice, [&x, &y, &b, &c], mask);
                let mut z = vec![0.0; part.own * width];
                let mut kept = gat_within::forward(&part.graph, &local, &v, width, &mut z, &halo);
                let found = gat_within::backward(&part.graph, &local, &v, width, &mut kept, &dz, &halo);
                let volume = halo.rows_sent() as u64 * 4 * (2 * width + 5 * heads) as u64;
                assert_eq!(group.sent_bytes(), volume, "{what}: bytes");
                assert_eq!(group.failure(), None);
                (z, found)
            };
            let spread = |waits: bool| -> Vec<(Vec<f32>, gat_within::Gradients)> {
                std::thread::scope(|scope| {
                    let run = &run;
                    let starts: Vec<_> = parts
                        .iter()
                        .zip(threads(ranks as usize))
                        .map(|(part, transport)| scope.spawn(move || run(part, transport, waits)))
                        .collect();
                    starts.into_iter().map(|started| started.join().unwrap()).collect()
                })
            };
            let (found, late) = (spread(false), spread(true));
            for ((part, (local, gradients)), (late, late_gradients)) in parts.iter().zip(&found).zip(&late) {
                for (at, &name) in part.nodes[..part.own].iter().enumerate() {
                    let of = |values: &[f32], width: usize| values[name as usize * width..][..width].to_vec();
                    near(&local[at * width..][..width], &of(&z, width), &format!("{what}: z"));
                    near(&gradients.v[at * width..][..width], &of(&dv, width), &format!("{what}: dv"));
                    near(&gradients.receiver[at * heads..][..heads], &of(&dx, heads), &format!("{what}: dx"));
                    near(&gradients.sender[at * heads..][..heads], &of(&dy, heads), &format!("{what}: dy"));
                    if own {
                        let expected = of(&ds[e * heads..], heads);
                        near(&gradients.nodes[at * heads..][..heads], &expected, &format!("{what}: dc"));
                    }
                }
                let inside = part.graph.offsets()[part.own];
                for (at, &name) in part.entries.iter().enumerate() {
                    let whole = ds[name as usize * heads..][..heads].to_vec();
                    let expected = if at < inside { whole } else { vec![0.0; heads] };
                    near(&gradients.entries[at * heads..][..heads], &expected, &format!("{what}: db"));
                }
                // Nothing depends on what is computed while messages are under way.
                assert_eq!((local, &gradients.v), (late, &late_gradients.v), "{what}: the same bits");
                assert_eq!(gradients.sender, late_gradients.sender, "{what}: the same bits");
                assert_eq!(gradients.entries, late_gradients.entries, "{what}: the same bits");
            }
        }
    }
}
