//! Processes that are threads of one: for tests, and for whoever wants to see what several would do.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use super::{Arrival, Transport};

/// The longest wait for another thread.
const PATIENCE: Duration = Duration::from_secs(120);

/// One of several threads.
#[derive(Debug)]
struct Thread {
    rank: usize,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Mutex<Receiver<Vec<u8>>>>,
}

/// Transports of so many threads, in the order of their ranks.
pub fn threads(ranks: usize) -> Vec<Box<dyn Transport>> {
    let mut to: Vec<Vec<Sender<Vec<u8>>>> = (0..ranks).map(|_| Vec::new()).collect();
    let mut from: Vec<Vec<Mutex<Receiver<Vec<u8>>>>> = (0..ranks).map(|_| Vec::new()).collect();
    for receiver in &mut from {
        for sender in &mut to {
            let (enter, leave) = channel();
            sender.push(enter);
            receiver.push(Mutex::new(leave));
        }
    }
    let thread = |(rank, (to, from))| Box::new(Thread { rank, to, from }) as Box<dyn Transport>;
    to.into_iter().zip(from).enumerate().map(thread).collect()
}

impl Transport for Thread {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn begin<'a>(&'a self, out: Vec<Vec<u8>>, lengths: &[usize]) -> Result<Arrival<'a>, String> {
        for (rank, part) in out.into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
            self.to[rank].send(part).map_err(|_| format!("process {rank} has ended"))?;
        }
        let lengths = lengths.to_vec();
        let receive = |(rank, length): (usize, usize)| {
            if length == 0 || rank == self.rank {
                return Ok(Vec::new());
            }
            let lost = || format!("process {rank} does not answer");
            let receiver = self.from[rank].lock().map_err(|_| lost())?;
            receiver.recv_timeout(PATIENCE).map_err(|_| lost())
        };
        Ok(Box::new(move || lengths.into_iter().enumerate().map(receive).collect()))
    }
}
