//! Messages over MPI. One thread makes all calls, so that nothing depends on what an MPI allows threads to do; whoever wants to say something
//! hands it over, and waits or computes meanwhile.
//!
//! No wait is without end: where nothing moves for [`patience`], or somebody asked to stop and nothing moves for a moment, the wait is an error
//! that names the processes that did not answer. The thread then stays where it is, since a message that has begun can't be taken back, until
//! the process ends.

use std::fmt;
use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use farhop_kernels::exchange::{Arrival, Transport};
use mpi::Threading;
use mpi::request::{LocalScope, Request};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};

use crate::interrupt;

/// MPI counts in 32 bits: longer messages go in pieces.
const PIECE: usize = 1 << 30;

/// After somebody asked to stop, a wait in which nothing moves ends this soon: the others may be gone.
const LAST_WAIT: Duration = Duration::from_secs(20);

/// After somebody asked to stop, a wait in which nothing moves is told this soon: a launcher that ends the processes of one that died gives them
/// a second.
const TOLD_AFTER: Duration = Duration::from_millis(300);

/// Looks without a pause before the thread begins to sleep between looks.
const BUSY_LOOKS: usize = 2000;

/// What a process has to say, and where the answer goes.
struct Order {
    out: Vec<Vec<u8>>,
    lengths: Vec<usize>,
    answer: Sender<Result<Vec<Vec<u8>>, String>>,
}

/// What the thread is asked for.
enum Asked {
    Swap(Order),
    Leave(Sender<()>),
}

static ASK: OnceLock<Mutex<Sender<Asked>>> = OnceLock::new();

/// This process among those that were started.
struct Mpi {
    rank: usize,
    ranks: usize,
}

impl fmt::Debug for Mpi {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "process {} of {}", self.rank, self.ranks)
    }
}

/// The longest wait in which nothing moves: `FARHOP_PATIENCE` seconds, ten minutes unless told.
fn patience() -> Duration {
    let told = std::env::var("FARHOP_PATIENCE").ok().and_then(|text| text.trim().parse::<f64>().ok());
    Duration::from_secs_f64(told.filter(|seconds| *seconds > 0.0 && *seconds < 1e9).unwrap_or(600.0))
}

/// Starts MPI.
pub fn connect() -> Result<Box<dyn Transport>, String> {
    let (ask, asked) = channel();
    let (tell, told) = channel();
    let thread = std::thread::Builder::new().name("farhop-mpi".to_string());
    let started = thread.spawn(move || talk(&asked, &tell));
    started.map_err(|error| format!("can't start the thread that talks to other processes: {error}."))?;
    let (rank, ranks) =
        told.recv().map_err(|_| "MPI can't be started. Start farhop with mpirun or srun.".to_string())?;
    let _ = ASK.set(Mutex::new(ask));
    Ok(Box::new(Mpi { rank, ranks }))
}

/// Ends MPI in order, which takes all processes.
pub fn leave() {
    let (answer, done) = channel();
    if let Some(ask) = ASK.get().and_then(|ask| ask.lock().ok())
        && ask.send(Asked::Leave(answer)).is_ok()
    {
        let _ = done.recv_timeout(patience());
    }
}

impl Transport for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn begin<'a>(&'a self, out: Vec<Vec<u8>>, lengths: &[usize]) -> Result<Arrival<'a>, String> {
        let gone = || "the thread that talks to other processes has ended".to_string();
        let (answer, found) = channel();
        let ask = ASK.get().ok_or_else(gone)?.lock().map_err(|_| gone())?;
        ask.send(Asked::Swap(Order { out, lengths: lengths.to_vec(), answer })).map_err(|_| gone())?;
        Ok(Box::new(move || found.recv().map_err(|_| gone())?))
    }
}

/// The life of the thread.
fn talk(asked: &Receiver<Asked>, tell: &Sender<(usize, usize)>) {
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else { return };
    let world = universe.world();
    let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    let patience = patience();
    if tell.send((rank, ranks)).is_err() {
        return;
    }
    while let Ok(order) = asked.recv() {
        match order {
            Asked::Swap(order) => swap(&world, rank, order, patience),
            Asked::Leave(done) => {
                drop(universe);
                let _ = done.send(());
                return;
            }
        }
    }
    // Nobody asks any more, since the process ends; in order or not, that is no place to wait for others.
    std::mem::forget(universe);
}

fn swap(world: &SimpleCommunicator, rank: usize, order: Order, patience: Duration) {
    let Order { out, lengths, answer } = order;
    let length = |(other, &length): (usize, &usize)| if other == rank { 0 } else { length };
    let mut found: Vec<Vec<u8>> = lengths.iter().enumerate().map(length).map(|length| vec![0; length]).collect();
    mpi::request::scope(|scope| {
        let mut waiting: Vec<Waiting> = Vec::new();
        for (other, place) in found.iter_mut().enumerate() {
            for piece in place.chunks_mut(PIECE) {
                let request = world.process_at_rank(other as i32).immediate_receive_into(scope, piece);
                waiting.push((other, Some(request)));
            }
        }
        for (other, part) in out.iter().enumerate() {
            for piece in part.chunks(PIECE) {
                let request = world.process_at_rank(other as i32).immediate_send(scope, piece);
                waiting.push((other, Some(request)));
            }
        }
        if let Err(problem) = complete(&mut waiting, patience, [rank, lengths.len()]) {
            let _ = answer.send(Err(problem));
            // What has begun can't be taken back: its memory must stay until the process ends.
            loop {
                std::thread::park();
            }
        }
    });
    let _ = answer.send(Ok(found));
}

/// A message on its way, and the process at the other end.
type Waiting<'a, 'scope> = (usize, Option<Request<'a, [u8], &'scope LocalScope<'a>>>);

/// Looks until all messages have arrived.
fn complete(waiting: &mut Vec<Waiting>, patience: Duration, [rank, ranks]: [usize; 2]) -> Result<(), String> {
    let mut told = false;
    let mut last = Instant::now();
    let mut looks = 0usize;
    while !waiting.is_empty() {
        let before = waiting.len();
        waiting.retain_mut(|(_, request)| match request.take().map(Request::test) {
            None | Some(Ok(_)) => false,
            Some(Err(again)) => {
                *request = Some(again);
                true
            }
        });
        if waiting.len() < before {
            (last, looks) = (Instant::now(), 0);
            continue;
        }
        looks += 1;
        if looks < BUSY_LOOKS {
            std::thread::yield_now();
            continue;
        }
        std::thread::sleep(Duration::from_micros(100));
        let asked = interrupt::asked().load(Ordering::SeqCst);
        let limit = if asked { LAST_WAIT.min(patience) } else { patience };
        if asked && !told && last.elapsed() > TOLD_AFTER {
            told = true;
            let names = silent(waiting);
            let note = format!(
                "process {rank} of {ranks}: asked to stop while it waits for process {names}, from which nothing comes"
            );
            // It is a courtesy: where it can't be said, it is not.
            let _ = writeln!(std::io::stderr(), "{note}");
        }
        if last.elapsed() > limit {
            return Err(format!(
                "no answer from process {} for {:.0} seconds (FARHOP_PATIENCE says how long to wait)",
                silent(waiting),
                last.elapsed().as_secs_f64()
            ));
        }
    }
    Ok(())
}

/// The processes at the other ends.
fn silent(waiting: &[Waiting]) -> String {
    let mut others: Vec<usize> = waiting.iter().map(|(other, _)| *other).collect();
    others.sort_unstable();
    others.dedup();
    others.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}
