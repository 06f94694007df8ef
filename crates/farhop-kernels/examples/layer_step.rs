//! Times one GEN layer with its feed-forward network, forward and backward, on random graphs of two familiar sizes.
//!
//! ```text
//! cargo run --release -p farhop-kernels --example layer_step -- [cora|arxiv] [repetitions] [hops ...]
//! ```
//!
//! Prints the best and the median milliseconds of each pass, on one thread and on two, and the processor time of both passes over
//! all threads, which a busy machine disturbs less. Compare the best of many, and run what is compared in turns.

use farhop_graph::random::Stream;
use farhop_graph::{Graph, generate};
use farhop_kernels::dense::feed_forward::{self, Parameters};
use farhop_kernels::elimination::{self, Attention, Mode, Reading, Source, Storage};
use farhop_kernels::gen_layer::{self, Weights};
use farhop_kernels::heads::Heads;
use farhop_kernels::hop_attention;
use std::error::Error;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: farhop_kernels::allocator::PageAligned = farhop_kernels::allocator::PageAligned;

/// The arrays of one layer.
struct Layer {
    config: gen_layer::Config,
    z: Vec<f32>,
    attention: Vec<f32>,
    square: [Vec<f32>; 6],
    bias: Vec<f32>,
    hop_bias: Vec<f32>,
}

impl Layer {
    fn new(nodes: usize, width: usize, rounds: usize, storage: Storage) -> Self {
        let mut stream = Stream::new(7);
        let mut numbers = |count: usize, size: f32| -> Vec<f32> {
            (0..count).map(|_| (stream.uniform() as f32 - 0.5) * size).collect()
        };
        let heads = Heads::new(width, 1);
        let scale = 1.0 / (width as f32).sqrt();
        let elimination = elimination::Config { rounds, heads, mode: Mode::Exact, skip_negligible: true, storage };
        let reading = Reading::Cumulative;
        let hops = hop_attention::Config { heads, reading, include_self: false, gamma: 0.5, epsilon: 1e-6, scale };
        Layer {
            config: gen_layer::Config { elimination, hops, outputs: width, recompute: false },
            z: numbers(nodes * width, 2.0),
            attention: numbers(rounds * 2 * width, scale),
            square: [(); 6].map(|()| numbers(width * width, 2.0 * scale)),
            bias: numbers(width, 0.1),
            hop_bias: numbers(rounds, 0.1),
        }
    }

    /// Milliseconds of the forward and of the backward pass, and processor time of both.
    fn step(&self, graph: &Graph) -> [f64; 3] {
        let [query, key, value, residual, w1, w2] = &self.square;
        let weights = Weights { query_key: Some((query, key)), hop_bias: Some(&self.hop_bias), value, residual };
        let source = Source::Attention(Attention {
            weights: &self.attention,
            each_round: true,
            bias: None,
            slope: 0.2,
            dropout: None,
        });
        let parameters = Parameters { w1, b1: &self.bias, w2, b2: &self.bias };
        let (start, cpu) = (Instant::now(), processor_seconds());
        let (pre, kept) = gen_layer::forward(graph, &self.config, &source, &weights, &self.z, true);
        let mut out = farhop_kernels::buffers::take(pre.len());
        feed_forward::forward(&pre, parameters, graph.nodes(), &mut out);
        let forward = start.elapsed().as_secs_f64();
        // The layer's output serves as its gradient: any numbers do.
        let mut gradient = farhop_kernels::buffers::take(pre.len());
        feed_forward::backward(&pre, parameters, &out, graph.nodes(), &mut gradient);
        let result = gen_layer::backward(graph, &self.config, &source, &weights, &self.z, kept, gradient, true);
        let both = start.elapsed().as_secs_f64();
        let cpu = processor_seconds() - cpu;
        [pre, out, result.z].into_iter().for_each(farhop_kernels::buffers::give);
        [forward * 1e3, (both - forward) * 1e3, cpu * 1e3]
    }
}

/// Processor time of this process so far; 0 where it is not known.
fn processor_seconds() -> f64 {
    #[cfg(target_os = "linux")]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the clock exists on Linux and `time` is ours to write.
        unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    }
    #[cfg(not(target_os = "linux"))]
    0.0
}

fn best_and_median(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    format!("{:9.2} {:9.2}", times[0], times[times.len() / 2])
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let large = arguments.first().is_some_and(|name| name == "arxiv");
    let repetitions = arguments.get(1).map_or(Ok(if large { 2 } else { 200 }), |text| text.parse::<usize>())?.max(1);
    let given = arguments.iter().skip(2).map(|text| text.parse()).collect::<Result<Vec<usize>, _>>()?;
    let all_hops = if given.is_empty() { vec![1, 4, 8] } else { given };
    let (nodes, edges, width) = if large { (169_343, 1_166_243, 128) } else { (2_708, 5_278, 64) };
    let graph = generate::chung_lu(nodes, edges, 2.5, 1)?;
    println!(
        "{nodes} nodes, {} entries, width {width}, best and median of {repetitions}, milliseconds",
        graph.entries()
    );
    println!("hops bits threads   forward    median  backward    median      both    median processor    median");
    for hops in all_hops {
        for (bits, storage) in [(32, Storage::Full), (16, Storage::Packed)] {
            let layer = Layer::new(nodes, width, hops, storage);
            for threads in [1, 2] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
                pool.install(|| layer.step(&graph));
                let times: Vec<[f64; 3]> = (0..repetitions).map(|_| pool.install(|| layer.step(&graph))).collect();
                let pass = |n: usize| best_and_median(times.iter().map(|t| t[n]).collect());
                let both = best_and_median(times.iter().map(|t| t[0] + t[1]).collect());
                println!("{hops:4} {bits:4} {threads:7} {} {} {both} {}", pass(0), pass(1), pass(2));
            }
        }
    }
    Ok(())
}
