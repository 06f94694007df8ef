//! One exchange: messages to and from others, until all have arrived.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use farhop_kernels::exchange::Arrived;
use mpi::Tag;
use mpi::request::{LocalScope, Request};
use mpi::traits::{Communicator, Destination, Source};

use super::{Looking, Talk};
use crate::interrupt;
use crate::together::log;

/// MPI counts in 32 bits: longer messages go in pieces.
const PIECE: usize = 1 << 30;

/// A message of more bytes than this has a short one before it, which says that its sender has begun; a shorter one says so by itself.
const MARKED: usize = 1 << 12;

const MARK: Tag = 1;
const DATA: Tag = 0;

/// After somebody asked to stop, a wait in which nothing moves ends this soon: the others may be gone.
const LAST_WAIT: Duration = Duration::from_secs(20);

/// After somebody asked to stop, a wait in which nothing moves is told this soon: a launcher that ends the processes of one that died gives them
/// a second.
const TOLD_AFTER: Duration = Duration::from_millis(300);

/// A wait in which nothing has moved for so long asks whether the others are still there, and again as often.
const LOOKS: Duration = Duration::from_millis(300);

/// So long the thread looks without a pause before it begins to sleep between looks. Not a number of looks: where processes share cores, one of them
/// takes as long as the others please.
const BUSY: Duration = Duration::from_millis(1);

/// A message on its way.
struct Waiting<'a, 'scope> {
    /// The process at the other end.
    other: usize,
    /// Whether its arrival says that the other has begun.
    meets: bool,
    request: Option<Request<'a, [u8], &'scope LocalScope<'a>>>,
}

impl Talk<'_> {
    /// Sends and receives, and hands over what has arrived. Does not return after an error: memory that is lent to messages must stay.
    pub(super) fn swap(&self, out: Vec<Vec<u8>>, lengths: &[usize], answer: impl FnOnce(Result<Arrived, String>)) {
        let length = |(other, &length): (usize, &usize)| if other == self.rank { 0 } else { length };
        let mut found: Vec<Vec<u8>> = lengths.iter().enumerate().map(length).map(|length| vec![0; length]).collect();
        let mut marks = vec![[0u8]; self.ranks];
        let mark = [0u8];
        let world = &self.world;
        let (mut result, mut answer) = (Ok(None), Some(answer));
        mpi::request::scope(|scope| {
            let mut waiting: Vec<Waiting> = Vec::new();
            for (other, (place, mark)) in found.iter_mut().zip(&mut marks).enumerate() {
                let from = world.process_at_rank(other as i32);
                let marked = place.len() > MARKED;
                if marked {
                    let request = from.immediate_receive_into_with_tag(scope, &mut mark[..], MARK);
                    waiting.push(Waiting { other, meets: true, request: Some(request) });
                }
                for piece in place.chunks_mut(PIECE) {
                    let request = from.immediate_receive_into_with_tag(scope, piece, DATA);
                    waiting.push(Waiting { other, meets: !marked, request: Some(request) });
                }
            }
            // All marks go before what may be long.
            let long = |(other, part): &(usize, &Vec<u8>)| *other != self.rank && part.len() > MARKED;
            for (other, _) in out.iter().enumerate().filter(long) {
                let request = world.process_at_rank(other as i32).immediate_send_with_tag(scope, &mark[..], MARK);
                waiting.push(Waiting { other, meets: false, request: Some(request) });
            }
            for (other, part) in out.iter().enumerate().filter(|(other, _)| *other != self.rank) {
                for piece in part.chunks(PIECE) {
                    let request = world.process_at_rank(other as i32).immediate_send_with_tag(scope, piece, DATA);
                    waiting.push(Waiting { other, meets: false, request: Some(request) });
                }
            }
            result = self.complete(&mut waiting);
            if let Err(problem) = &result {
                log::write(self.rank, self.ranks, problem);
                if let Some(answer) = answer.take() {
                    answer(Err(problem.clone()));
                }
                self.answer_all(problem);
            }
        });
        if let Some(answer) = answer {
            answer(result.map(|met| Arrived { messages: found, met }));
        }
    }

    /// Looks until all messages have arrived. When the last of those who send here had begun: a short message takes its way, which is no waiting.
    fn complete(&self, waiting: &mut Vec<Waiting>) -> Result<Option<Instant>, String> {
        let mut idle = Idle { told: false, since: Instant::now(), asked: Instant::now() };
        let mut met = None;
        while !waiting.is_empty() {
            let before = waiting.len();
            waiting.retain_mut(|message| match message.request.take().map(Request::test) {
                None => false,
                Some(Ok(_)) => {
                    if message.meets {
                        met = Instant::now().checked_sub(self.way).max(met);
                    }
                    false
                }
                Some(Err(again)) => {
                    message.request = Some(again);
                    true
                }
            });
            if waiting.len() < before {
                idle.since = Instant::now();
                continue;
            }
            if idle.since.elapsed() < BUSY {
                std::thread::yield_now();
                continue;
            }
            std::thread::sleep(Duration::from_micros(100));
            if let Looking::Break(problem) = self.look(&mut idle, waiting) {
                return Err(problem);
            }
        }
        Ok(met)
    }

    /// Where nothing moves: whether there is anything to wait for.
    fn look(&self, idle: &mut Idle, waiting: &[Waiting]) -> Looking {
        let quiet = idle.since.elapsed();
        if idle.asked.elapsed() > LOOKS && quiet > LOOKS {
            idle.asked = Instant::now();
            if let Some(lost) = self.peers.lost() {
                return Looking::Break(lost);
            }
        }
        let asked = interrupt::asked().load(Ordering::SeqCst);
        if asked && !idle.told && quiet > TOLD_AFTER {
            idle.told = true;
            let names = silent(waiting);
            let note = format!("asked to stop while it waits for process {names}, from which nothing comes");
            log::write(self.rank, self.ranks, &note);
            log::say(self.rank, self.ranks, &note);
        }
        let limit = if asked { LAST_WAIT.min(self.patience) } else { self.patience };
        if quiet > limit {
            return Looking::Break(format!(
                "no answer from process {} for {:.0} seconds (FARHOP_PATIENCE says how long to wait)",
                silent(waiting),
                quiet.as_secs_f64()
            ));
        }
        Looking::Continue(())
    }
}

/// A wait in which nothing moves.
struct Idle {
    since: Instant,
    /// When it was last asked whether the others are still there.
    asked: Instant,
    /// Whether somebody was told.
    told: bool,
}

/// The processes at the other ends.
fn silent(waiting: &[Waiting]) -> String {
    let mut others: Vec<usize> = waiting.iter().map(|message| message.other).collect();
    others.sort_unstable();
    others.dedup();
    others.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}
