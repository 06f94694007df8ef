//! Several processes that work on one graph: how they talk.
//!
//! All processes make the same calls in the same order, so no call has to say what it is about. A [`Transport`] carries bytes; everything
//! else (halos, sums, what one tells all) is made of its only verb, which begins to talk and can be waited for later. Sums are taken in the order of the ranks, so that the same number of
//! processes gives the same bits.
//!
//! A call that fails does not stop whoever called it, which may be deep inside a pass: it answers with zeros, the group remembers the first
//! [failure](Group::failure) and talks no more. Whoever uses a result asks for it first.

mod halo;
mod threads;

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

pub use halo::{Halo, HaloParts, Names, RowsUnderway};
pub use threads::threads;

/// Carries bytes between processes.
pub trait Transport: Debug + Send + Sync {
    /// The number of this process, from 0.
    fn rank(&self) -> usize;

    /// How many processes there are.
    fn ranks(&self) -> usize;

    /// Begins to send `out[r]` to every other rank r, and does not wait. What is returned waits for what each of them sends here, which has
    /// `lengths[r]` bytes. What is empty is not sent. Several may be under way: they arrive in the order in which they were begun.
    ///
    /// # Errors
    /// When a process is lost or does not answer in time: one line that says which.
    fn begin<'a>(&'a self, out: Vec<Vec<u8>>, lengths: &[usize]) -> Result<Arrival<'a>, String>;
}

/// Waits for messages that were begun.
pub type Arrival<'a> = Box<dyn FnOnce() -> Result<Arrived, String> + 'a>;

/// Messages that have arrived.
#[derive(Debug)]
pub struct Arrived {
    /// What every rank has sent; nothing for this one.
    pub messages: Vec<Vec<u8>>,
    /// When the last of those who send here had begun to, as far as this process can tell; none if nobody does.
    pub met: Option<Instant>,
}

/// Time in which a process did not compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Talking {
    /// While bytes were moving.
    pub exchange: Duration,
    /// Until the last of those who had something to send here began to: for slower processes.
    pub waiting: Duration,
}

/// Messages of a [`Group`] that are under way; [`Underway::finish`] waits for them.
#[must_use = "others wait for what is begun, and so must this process"]
pub struct Underway<'a> {
    group: &'a Group,
    arrival: Option<Arrival<'a>>,
    own: Vec<u8>,
    lengths: Vec<usize>,
}

impl Debug for Underway<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "messages of {:?} bytes under way", self.lengths)
    }
}

/// All processes of a run, as one of them sees them.
#[derive(Debug)]
pub struct Group {
    transport: Box<dyn Transport>,
    failure: OnceLock<String>,
    sent: AtomicU64,
    messages: AtomicU64,
    /// Nanoseconds of [`Talking`].
    exchange: AtomicU64,
    waiting: AtomicU64,
}

impl Underway<'_> {
    /// What every rank sent here; zeros after a failure.
    pub fn finish(self) -> Vec<Vec<u8>> {
        let Underway { group, arrival, own, lengths } = self;
        let start = Instant::now();
        let mut met = None;
        let here = |rank: usize| if rank == group.rank() { 0 } else { lengths[rank] };
        let mut found = arrival
            .filter(|_| group.failure.get().is_none())
            .and_then(|arrival| group.heard(arrival()))
            .and_then(|Arrived { messages: found, met: last }| {
                met = last;
                let agreed = found.iter().map(Vec::len).eq((0..lengths.len()).map(here));
                let wrong = || "a process sent another number of bytes than agreed".to_string();
                group.heard(if agreed { Ok(found) } else { Err(wrong()) })
            })
            .unwrap_or_else(|| lengths.iter().map(|&length| vec![0; length]).collect());
        group.talked(start, met);
        found[group.rank()] = own;
        found
    }
}

impl Group {
    /// Over a transport.
    pub fn new(transport: Box<dyn Transport>) -> Arc<Self> {
        Arc::new(Group {
            transport,
            failure: OnceLock::new(),
            sent: AtomicU64::new(0),
            messages: AtomicU64::new(0),
            exchange: AtomicU64::new(0),
            waiting: AtomicU64::new(0),
        })
    }

    /// The number of this process, from 0.
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// How many processes there are.
    pub fn ranks(&self) -> usize {
        self.transport.ranks()
    }

    /// Whether this process speaks and writes for all.
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// What went wrong first, if something did. From then on nothing is said or heard.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// Bytes that this process has sent so far.
    pub fn sent_bytes(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Messages that this process has sent so far.
    pub fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Time in which this process has talked or waited for others so far; what it computed while messages were under way is not in it.
    pub fn talking(&self) -> Talking {
        let of = |counter: &AtomicU64| Duration::from_nanos(counter.load(Ordering::Relaxed));
        Talking { exchange: of(&self.exchange), waiting: of(&self.waiting) }
    }

    /// Sends `out[r]` to every rank r and returns what each of them sent here, which has `lengths[r]` bytes; zeros after a failure. What is for
    /// this process itself comes back as it is.
    pub fn swap(&self, out: Vec<Vec<u8>>, lengths: &[usize]) -> Vec<Vec<u8>> {
        self.begin(out, lengths).finish()
    }

    /// As [`Group::swap`], without waiting.
    pub fn begin(&self, mut out: Vec<Vec<u8>>, lengths: &[usize]) -> Underway<'_> {
        let own = std::mem::take(&mut out[self.rank()]);
        let mut arrival = None;
        if self.failure.get().is_none() {
            let start = Instant::now();
            self.sent.fetch_add(out.iter().map(|part| part.len() as u64).sum(), Ordering::Relaxed);
            self.messages.fetch_add(out.iter().filter(|part| !part.is_empty()).count() as u64, Ordering::Relaxed);
            arrival = self.heard(self.transport.begin(out, lengths));
            self.talked(start, None);
        }
        Underway { group: self, arrival, own, lengths: lengths.to_vec() }
    }

    /// Remembers the first failure.
    fn heard<T>(&self, said: Result<T, String>) -> Option<T> {
        said.map_err(|problem| self.failure.set(problem)).ok()
    }

    /// Counts the time since then: until the others had begun to send, this process waited for them.
    fn talked(&self, since: Instant, met: Option<Instant>) {
        let all = since.elapsed();
        let waited = met.map_or(Duration::ZERO, |met| met.saturating_duration_since(since).min(all));
        let add = |counter: &AtomicU64, time: Duration| counter.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
        add(&self.waiting, waited);
        add(&self.exchange, all - waited);
    }

    /// What every process has to say, in the order of the ranks, whatever its length.
    pub fn all(&self, own: &[u8]) -> Vec<Vec<u8>> {
        let lengths = self.numbers(&[own.len() as f64]);
        let lengths: Vec<usize> = lengths.iter().map(|length| length[0] as usize).collect();
        self.swap(vec![own.to_vec(); self.ranks()], &lengths)
    }

    /// The same few numbers of every process, in the order of the ranks.
    pub fn numbers(&self, own: &[f64]) -> Vec<Vec<f64>> {
        let bytes: Vec<u8> = own.iter().flat_map(|number| number.to_le_bytes()).collect();
        let found = self.swap(vec![bytes; self.ranks()], &vec![8 * own.len(); self.ranks()]);
        let decoded =
            |bytes: Vec<u8>| bytes.as_chunks::<8>().0.iter().map(|&chunk| f64::from_le_bytes(chunk)).collect();
        found.into_iter().map(decoded).collect()
    }

    /// The sums over all processes of a few numbers, in the order of the ranks.
    pub fn sums(&self, own: &[f64]) -> Vec<f64> {
        let mut total = vec![0.0; own.len()];
        for numbers in self.numbers(own) {
            total.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
        total
    }

    /// `values` become their sums over all processes, in the order of the ranks and in f64: every process adds up its share of them.
    pub fn sum(&self, values: &mut [f32]) {
        let (rank, ranks) = (self.rank(), self.ranks());
        if ranks == 1 {
            return;
        }
        let bound = |rank: usize| values.len() * rank / ranks;
        let bounds: Vec<usize> = (0..=ranks).map(bound).collect();
        let share = |rank: usize| bounds[rank]..bounds[rank + 1];
        let out = (0..ranks).map(|other| halo::bytes_of(&values[share(other)]).to_vec()).collect();
        let parts = self.swap(out, &vec![4 * share(rank).len(); ranks]);
        let mut total = vec![0.0f64; share(rank).len()];
        let mut part = vec![0.0f32; total.len()];
        for bytes in parts {
            halo::bytes_of_mut(&mut part).copy_from_slice(&bytes);
            total.iter_mut().zip(&part).for_each(|(sum, value)| *sum += f64::from(*value));
        }
        part.iter_mut().zip(total).for_each(|(value, sum)| *value = sum as f32);
        let lengths: Vec<usize> = (0..ranks).map(|other| 4 * share(other).len()).collect();
        let found = self.swap(vec![halo::bytes_of(&part).to_vec(); ranks], &lengths);
        for (other, bytes) in found.iter().enumerate() {
            halo::bytes_of_mut(&mut values[share(other)]).copy_from_slice(bytes);
        }
    }

    /// What the first process says, on all of them; the others say nothing.
    pub fn first(&self, said: Vec<u8>) -> Vec<u8> {
        let length = self.numbers(&[said.len() as f64])[0][0] as usize;
        let out = if self.is_first() { vec![said; self.ranks()] } else { vec![Vec::new(); self.ranks()] };
        let lengths: Vec<usize> = (0..self.ranks()).map(|rank| if rank == 0 { length } else { 0 }).collect();
        self.swap(out, &lengths).swap_remove(0)
    }

    /// What every process says, in the order of the ranks, on the first; nothing on the others.
    pub fn to_first(&self, said: Vec<u8>) -> Vec<Vec<u8>> {
        let lengths = self.numbers(&[said.len() as f64]);
        let mut out = vec![Vec::new(); self.ranks()];
        out[0] = said;
        let lengths: Vec<usize> =
            lengths.iter().map(|length| if self.is_first() { length[0] as usize } else { 0 }).collect();
        let mut found = self.swap(out, &lengths);
        if !self.is_first() {
            found.clear();
        }
        found
    }
}
