//! Processes that are threads of one: for tests, and for whoever wants to see what several would do.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::{Arrival, Arrived, Transport};

/// The longest wait for another thread.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a thread has sent, and when.
type Message = (Instant, Vec<u8>);

/// One of several threads.
#[derive(Debug)]
struct Thread {
    rank: usize,
    to: Vec<Sender<Message>>,
    from: Vec<Mutex<Receiver<Message>>>,
}

/// Transports of so many threads, in the order of their ranks.
pub fn threads(ranks: usize) -> Vec<Box<dyn Transport>> {
    let mut to: Vec<Vec<Sender<Message>>> = (0..ranks).map(|_| Vec::new()).collect();
    let mut from: Vec<Vec<Mutex<Receiver<Message>>>> = (0..ranks).map(|_| Vec::new()).collect();
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
        let now = Instant::now();
        for (rank, part) in out.into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
            self.to[rank].send((now, part)).map_err(|_| format!("process {rank} has ended"))?;
        }
        let lengths = lengths.to_vec();
        let receive = |rank: usize| {
            let lost = || format!("process {rank} does not answer");
            let receiver = self.from[rank].lock().map_err(|_| lost())?;
            receiver.recv_timeout(PATIENCE).map_err(|_| lost())
        };
        Ok(Box::new(move || {
            let mut arrived = Arrived { messages: vec![Vec::new(); lengths.len()], met: None };
            for (rank, _) in lengths.iter().enumerate().filter(|&(rank, &length)| length > 0 && rank != self.rank) {
                let (begun, message) = receive(rank)?;
                arrived.met = arrived.met.max(Some(begun));
                arrived.messages[rank] = message;
            }
            Ok(arrived)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Arrived, Group, Transport};
    use super::{Arrival, Duration, Instant};

    /// The other of two processes, which begins to send `late` after it was asked and takes `moves` for it.
    #[derive(Debug)]
    struct Other {
        late: Duration,
        moves: Duration,
    }

    impl Transport for Other {
        fn rank(&self) -> usize {
            0
        }

        fn ranks(&self) -> usize {
            2
        }

        fn begin<'a>(&'a self, _: Vec<Vec<u8>>, lengths: &[usize]) -> Result<Arrival<'a>, String> {
            let (met, length) = (Instant::now() + self.late, lengths[1]);
            Ok(Box::new(move || {
                while Instant::now() < met + self.moves {
                    std::thread::yield_now();
                }
                Ok(Arrived { messages: vec![Vec::new(), vec![7; length]], met: Some(met) })
            }))
        }
    }

    #[test]
    fn waiting_ends_when_the_other_begins() {
        let [late, moves] = [Duration::from_millis(20), Duration::from_millis(30)];
        let group = Group::new(Box::new(Other { late, moves }));
        let whole = Instant::now();
        group.swap(vec![Vec::new(); 2], &[0, 3]);
        let whole = whole.elapsed();
        let found = group.talking();
        // Whatever the machine does meanwhile is in one of them.
        assert!(found.exchange >= moves && found.exchange + found.waiting <= whole, "{found:?} of {whole:?}");
        assert!(found.waiting <= late, "{found:?}");
        // What was computed meanwhile is in none.
        let underway = group.begin(vec![Vec::new(); 2], &[0, 3]);
        std::thread::sleep(late + moves);
        underway.finish();
        assert_eq!(group.talking().waiting, found.waiting, "it had begun long ago");
    }
}
