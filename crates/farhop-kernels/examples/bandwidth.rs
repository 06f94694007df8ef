//! How close the sparse-dense product comes to what the memory of this machine allows.
//!
//! ```text
//! cargo run --release -p farhop-kernels --example bandwidth -- [threads] [width] [repetitions]
//! ```
//!
//! On a power-law graph with the counts of ogbn-arxiv. Three passes, each the best of many, in turns:
//!
//! * copy: a block as large as the features is copied; its bytes are those read and those written;
//! * gather: every entry's row of features is read and added up, in the order of the graph, with rows asked for ahead: what the
//!   pattern of the graph allows at best, since nothing is computed or written;
//! * product: [`spmm::forward`] with a weight per entry.
//!
//! Two rates of gather and product: over the bytes that the pattern moves (a row per entry), and over the bytes that must move at
//! least if the cache were perfect (every row in and out once, every entry's id and weight).

use farhop_graph::random::Stream;
use farhop_graph::{Graph, generate};
use farhop_kernels::buffers;
use farhop_kernels::parallel::{Blocks, SharedMut};
use farhop_kernels::simd::prefetch;
use farhop_kernels::simd_fn;
use farhop_kernels::spmm::{self, Weights};
use std::error::Error;
use std::ops::Range;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: farhop_kernels::allocator::PageAligned = farhop_kernels::allocator::PageAligned;

const AHEAD: usize = 8;

simd_fn! {
    /// Adds up the rows that these rows of the graph gather, in 32 registers' worth of lanes.
    fn gathered<M>(graph: &Graph, x: &[f32], width: usize, rows: Range<usize>) -> f32 {
        let sources = graph.sources();
        let mut lanes = [0.0f32; 32];
        for entry in graph.offsets()[rows.start]..graph.offsets()[rows.end] {
            if let Some(&next) = sources.get(entry + AHEAD) {
                prefetch(x, next as usize * width, width);
            }
            let row = &x[sources[entry] as usize * width..][..width];
            for part in row.as_chunks::<32>().0 {
                for (lane, value) in lanes.iter_mut().zip(part) {
                    *lane = M::fma(0.5, *value, *lane);
                }
            }
        }
        lanes.iter().sum()
    }
}

fn copy(x: &[f32], y: &mut [f32]) {
    let shared = SharedMut::new(y);
    Blocks::by_rows(x.len() / 1024, 1024).run(|rows| {
        let range = rows.start * 1024..rows.end * 1024;
        // SAFETY: blocks are disjoint.
        unsafe { shared.part(range.clone()) }.copy_from_slice(&x[range]);
    });
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let mut next = |or: usize| arguments.next().unwrap_or(Ok(or));
    let (threads, width, repetitions) = (next(2)?, next(128)?, next(20)?.max(1));
    let graph = generate::chung_lu(169_343, 1_166_243, 2.5, 1)?;
    let (nodes, entries) = (graph.nodes(), graph.entries());
    let mut stream = Stream::new(7);
    let mut x = buffers::take(nodes * width);
    x.iter_mut().for_each(|value| *value = stream.uniform() as f32 - 0.5);
    let mut y = buffers::zeros(nodes * width);
    let weights: Vec<f32> = (0..entries).map(|_| stream.uniform() as f32).collect();
    let blocks = Blocks::by_entries(graph.offsets(), 1, width);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut best = [f64::INFINITY; 3];
    for _ in 0..repetitions {
        let mut time = |which: usize, work: &mut (dyn FnMut() + Send)| {
            let start = Instant::now();
            pool.install(work);
            best[which] = best[which].min(start.elapsed().as_secs_f64());
        };
        time(0, &mut || copy(&x, &mut y));
        time(1, &mut || {
            std::hint::black_box(blocks.map(|rows| gathered(&graph, &x, width, rows)));
        });
        let weights = Weights { entries: Some(&weights), nodes: None };
        time(2, &mut || spmm::forward(&graph, weights, None, &x, width, &mut y));
    }
    let copied = 2.0 * 4.0 * (nodes * width) as f64;
    let pattern = 4.0 * (entries * width) as f64;
    let written = 4.0 * (nodes * width) as f64;
    let least = copied + 8.0 * entries as f64;
    println!("{nodes} nodes, {entries} entries, width {width}, {threads} threads, best of {repetitions}");
    println!("pass       milliseconds  GB/s moved  GB/s of the least bytes");
    let lines = [("copy", copied, copied), ("gather", pattern, least), ("product", pattern + written, least)];
    for ((name, moved, least), seconds) in lines.into_iter().zip(best) {
        println!("{name:9} {:13.2} {:11.1} {:24.1}", seconds * 1e3, moved / seconds / 1e9, least / seconds / 1e9);
    }
    println!(
        "product: {:.0} % of copy bandwidth over the least bytes, {:.0} % of what the gather pattern allows",
        100.0 * (least / best[2]) / (copied / best[0]),
        100.0 * best[1] / best[2]
    );
    Ok(())
}
