//! Messages over MPI. One thread makes all calls, so that nothing depends on what an MPI allows threads to do; whoever wants to say something
//! hands it over, and waits or computes meanwhile.
//!
//! No wait is without end: where a process of this host has ended, or nothing moves for [`patience`], or somebody asked to stop and nothing moves for
//! a moment, the wait is an error that names the processes. A message that has begun can't be taken back, so its memory stays until the
//! process ends: the thread remembers the error and answers with it whatever it is asked from then on. MPI itself may be stuck with a process that
//! is gone (OpenMPI reconnects to it over TCP): so a second thread looks after the others too, and ends this process if nobody else does.

mod peers;
mod swap;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use farhop_kernels::exchange::{Arrival, Arrived, Transport};
use farhop_train::TrainError;
use mpi::Threading;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use super::log;
use crate::console::error_line;
use crate::interrupt;
use peers::Peers;

/// A thread that has nothing to do looks this often whether all others are still there.
const LOOKS: Duration = Duration::from_millis(250);

/// So long after one of the others has ended this process has to end in order. A launcher gives it a second or two.
const IN_ORDER: Duration = Duration::from_millis(800);

/// Messages to all before the first of the run: the fastest says how long a short one takes.
const TRIED: usize = 5;

/// What a process has to say, and where the answer goes.
struct Order {
    out: Vec<Vec<u8>>,
    lengths: Vec<usize>,
    answer: Sender<Result<Arrived, String>>,
}

/// What the thread is asked for.
enum Asked {
    Swap(Order),
    Leave(Sender<()>),
}

/// Set when this process ends by itself: then others may have ended, too.
static ENDS: AtomicBool = AtomicBool::new(false);

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
    let started = thread.spawn(move || live(&asked, &tell));
    started.map_err(|error| format!("can't start the thread that talks to other processes: {error}."))?;
    let (rank, ranks) =
        told.recv().map_err(|_| "MPI can't be started. Start farhop with mpirun or srun.".to_string())?;
    let _ = ASK.set(Mutex::new(ask));
    Ok(Box::new(Mpi { rank, ranks }))
}

/// From now on it is nobody's business whether the others are still there.
pub fn ends() {
    ENDS.store(true, Ordering::SeqCst);
}

/// Looks after the others while the other thread may be stuck in MPI.
fn watch(peers: &Peers, rank: usize, ranks: usize) {
    while !ENDS.load(Ordering::SeqCst) {
        std::thread::sleep(LOOKS);
        let Some(problem) = peers.lost() else { continue };
        std::thread::sleep(IN_ORDER);
        if !ENDS.load(Ordering::SeqCst) {
            log::write(rank, ranks, &problem);
            error_line(&TrainError::Lost { rank, problem }.to_string());
            std::process::exit(1);
        }
    }
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
fn live(asked: &Receiver<Asked>, tell: &Sender<(usize, usize)>) {
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else { return };
    let world = universe.world();
    let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    if tell.send((rank, ranks)).is_err() {
        return;
    }
    let mut talk = Talk {
        world,
        rank,
        ranks,
        patience: patience(),
        way: Duration::ZERO,
        peers: Arc::new(Peers::unknown()),
        asked,
    };
    talk.introduce();
    let peers = talk.peers.clone();
    // Where there is no room for a second thread, the first one has to do.
    let _ = std::thread::Builder::new().name("farhop-peers".to_string()).spawn(move || watch(&peers, rank, ranks));
    let mut told = false;
    loop {
        match asked.recv_timeout(LOOKS) {
            Ok(Asked::Swap(Order { out, lengths, answer })) => talk.swap(out, &lengths, |found| {
                let _ = answer.send(found);
            }),
            Ok(Asked::Leave(done)) => {
                // Nobody ends before all are here: who is gone before has died.
                talk.swap(vec![vec![0]; ranks], &vec![1; ranks], |_| ());
                drop(universe);
                let _ = done.send(());
                return;
            }
            // This process computes. Whoever waits for it can't tell it that somebody is gone, and the launcher may end it before it asks.
            Err(RecvTimeoutError::Timeout) => {
                if !told && interrupt::asked().load(Ordering::SeqCst) {
                    told = true;
                    log::write(rank, ranks, "asked to stop while it computed");
                }
                if let Some(lost) = talk.peers.lost().filter(|_| !ENDS.load(Ordering::SeqCst)) {
                    log::write(rank, ranks, &format!("{lost} while this one computed"));
                    talk.answer_all(&lost);
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    // Nobody asks any more, since the process ends; in order or not, that is no place to wait for others.
    std::mem::forget(universe);
}

/// What the thread knows.
struct Talk<'a> {
    world: SimpleCommunicator,
    rank: usize,
    ranks: usize,
    patience: Duration,
    /// What a short message takes.
    way: Duration,
    peers: Arc<Peers>,
    asked: &'a Receiver<Asked>,
}

impl Talk<'_> {
    /// Tells all others who this process is for its system, and measures the way to them.
    fn introduce(&mut self) {
        let card = peers::card();
        let mut cards = Vec::new();
        let to_all = |part: Vec<u8>| vec![part; self.ranks];
        self.swap(to_all(card.to_vec()), &vec![card.len(); self.ranks], |found| {
            cards = found.map(|found| found.messages).unwrap_or_default();
        });
        let mut fastest = Duration::MAX;
        for _ in 0..TRIED {
            let start = std::time::Instant::now();
            self.swap(to_all(vec![0]), &vec![1; self.ranks], |_| fastest = fastest.min(start.elapsed()));
        }
        self.way = fastest;
        self.peers = Arc::new(Peers::of(self.rank, &card, &cards));
    }

    /// Answers whatever is asked with what went wrong, until the process ends.
    fn answer_all(&self, lost: &str) -> ! {
        loop {
            match self.asked.recv() {
                Ok(Asked::Swap(order)) => drop(order.answer.send(Err(lost.to_string()))),
                Ok(Asked::Leave(done)) => drop(done.send(())),
                Err(_) => std::thread::park(),
            }
        }
    }
}

/// Whether to go on looking.
type Looking = ControlFlow<String>;
