//! How long an epoch over several processes is going to take: a prediction, of a try on this machine and of the links between them.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use farhop_data::Dataset;
use farhop_data::parts::DatasetPart;
use farhop_kernels::exchange::Group;
use farhop_train::{EpochReport, Job, Material, Observer, Places, Recipe};
use serde_json::{Value, json};

use crate::arguments::PlanArguments;
use crate::failure::Failure;
use crate::together;

/// Nodes that are tried.
const TRIED_NODES: usize = 20_000;
/// Epochs of the try; the fastest counts, which is never the first.
const TRIED_EPOCHS: usize = 3;
/// Bytes to every other process, to measure how fast they go.
const TRIED_BYTES: usize = 4 << 20;
/// How often: the fastest counts, since whatever else a machine does makes a link look slower.
const TRIED_TIMES: u32 = 3;
/// Messages of one byte, to measure how long one takes.
const TRIED_MESSAGES: u32 = 40;

/// The links between processes.
#[derive(Clone, Copy)]
pub struct Link {
    /// Bytes a second.
    bandwidth: f64,
    /// Seconds of a message.
    latency: f64,
    /// Where the numbers come from.
    known: &'static str,
}

impl Link {
    /// As given, as measured between the processes that were started, or as is usual.
    pub fn of(arguments: &PlanArguments) -> Result<Self, Failure> {
        let allowed = |flag: &str, value: Option<f64>| match value {
            Some(value) if !(value > 0.0 && value < 1e9) => {
                Err(Failure::usage(format!("{flag} {value}: allowed is a number above 0.")))
            }
            value => Ok(value),
        };
        let bandwidth = allowed("--bandwidth", arguments.bandwidth)?.map(|gigabits| gigabits * 1e9 / 8.0);
        let latency = allowed("--latency", arguments.latency)?.map(|microseconds| microseconds * 1e-6);
        let found = together::group().map(|group| measured(group));
        let usual = found.unwrap_or((1.25e9, 50e-6));
        let known = match (bandwidth, latency, found) {
            (Some(_), Some(_), _) => "given",
            (None, None, Some(_)) => "measured here",
            (None, None, None) => "assumed",
            (_, _, Some(_)) => "given and measured",
            (_, _, None) => "given and assumed",
        };
        Ok(Link { bandwidth: bandwidth.unwrap_or(usual.0), latency: latency.unwrap_or(usual.1), known })
    }
}

/// Bytes a second that a process sends while all of them do, and seconds of a short message.
fn measured(group: &Group) -> (f64, f64) {
    let exchange = |bytes: usize| group.swap(vec![vec![1; bytes]; group.ranks()], &vec![bytes; group.ranks()]);
    exchange(TRIED_BYTES);
    let start = Instant::now();
    (0..TRIED_MESSAGES).for_each(|_| drop(exchange(1)));
    let latency = start.elapsed().as_secs_f64() / f64::from(TRIED_MESSAGES);
    let timed = |_| {
        let start = Instant::now();
        exchange(TRIED_BYTES);
        start.elapsed().as_secs_f64()
    };
    let fastest = (0..TRIED_TIMES).map(timed).fold(f64::INFINITY, f64::min);
    let sent = (TRIED_BYTES * (group.ranks() - 1)) as f64;
    (sent / fastest.max(1e-9), latency)
}

/// What the busiest process has to say in an epoch.
#[derive(Clone, Copy)]
pub struct Traffic {
    /// Bytes that it receives.
    pub bytes: u64,
    /// How often it waits for others.
    pub rounds: u64,
}

/// An epoch of the largest part.
pub struct Prediction {
    computing: f64,
    talking: f64,
    tried: usize,
    link: Link,
}

impl Prediction {
    /// Tries the model on some of the part. Nodes and entries are those of the part with its halo.
    pub fn of(
        recipe: &Recipe,
        part: &DatasetPart,
        sizes: [usize; 2],
        training: bool,
        traffic: Traffic,
        link: Link,
    ) -> Result<Self, Failure> {
        let mut sample = part.sample(TRIED_NODES)?;
        let graph = sample.graphs.union();
        let tried = graph.nodes();
        let work = (tried + graph.entries()) as f64;
        if sample.split.train.is_empty() {
            sample.split.train = (0..tried as u32).collect();
            sample.split.valid.clear();
            sample.split.test.clear();
        }
        let seconds = try_epochs(recipe, sample)?;
        // Of the three passes of an epoch (forward, backward, evaluation) a prediction has one.
        let passes = if training { 1.0 } else { 1.0 / 3.0 };
        let computing = seconds * passes * (sizes[0] + sizes[1]) as f64 / work.max(1.0);
        let talking = traffic.bytes as f64 / link.bandwidth + traffic.rounds as f64 * link.latency;
        Ok(Prediction { computing, talking, tried, link })
    }

    /// For programs.
    pub fn object(&self) -> Value {
        json!({
            "seconds_per_epoch": self.computing + self.talking,
            "computing_seconds": self.computing,
            "talking_seconds": self.talking,
            "tried_nodes": self.tried,
            "bandwidth_gbit": self.link.bandwidth * 8.0 / 1e9,
            "latency_microseconds": self.link.latency * 1e6,
            "link": self.link.known,
        })
    }

    /// For readers.
    pub fn text(&self) -> String {
        let Prediction { computing, talking, tried, link } = self;
        format!(
            "prediction: {} an epoch: {} computing, from a try on {tried} nodes here,\nand {} talking at {:.1} Gbit/s and {:.0} microseconds ({}).",
            short(computing + talking),
            short(*computing),
            short(*talking),
            link.bandwidth * 8.0 / 1e9,
            link.latency * 1e6,
            link.known
        )
    }
}

/// Seconds with three digits that count.
fn short(seconds: f64) -> String {
    match seconds {
        _ if seconds >= 100.0 => format!("{seconds:.0} s"),
        _ if seconds >= 1.0 => format!("{seconds:.1} s"),
        _ => format!("{seconds:.3} s"),
    }
}

/// The seconds of every epoch.
#[derive(Default)]
struct Seconds(Vec<f64>);

impl Observer for Seconds {
    fn epoch(&mut self, report: &EpochReport) {
        self.0.push(report.seconds);
    }
}

fn try_epochs(recipe: &Recipe, sample: Dataset) -> Result<f64, Failure> {
    let mut recipe = recipe.clone();
    recipe.data = Default::default();
    recipe.train.epochs = TRIED_EPOCHS;
    recipe.train.patience = None;
    recipe.train.evaluate_every = 1;
    let places = Places { cache: None, group: None, ..Places::usual(None) };
    let mut seen = Seconds::default();
    Job::new(recipe, Material::of(sample), &places).train(&mut seen, &AtomicBool::new(false))?;
    Ok(seen.0.iter().copied().fold(f64::INFINITY, f64::min))
}
