//! Nothing that runs in a pool waits for something that needs the pool.

mod common;

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::time::Duration;

use common::{Ring, recipe};
use farhop_train::{Encodings, Session, Silent, Task, TrainConfig, fit};
use rayon::prelude::*;

/// What `work` gives on a pool of so many threads; fails when that takes a minute, which is what a hang looks like.
fn on_threads<R: Send + 'static>(threads: usize, work: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let _ = sender.send(pool.install(work));
    });
    receiver.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|_| panic!("{threads} threads: it hangs"))
}

/// The weights of a short run on the ring in parts.
fn by_parts(seed: u64) -> Vec<u8> {
    let recipe = recipe(3);
    let config = TrainConfig { parts: Some(5), halo: Some(1), seed, ..recipe.train };
    let task = Task::new(Ring::new().dataset, Encodings::default(), &config, None).unwrap();
    let stop = AtomicBool::new(false);
    let mut session = Session { folder: None, observer: &mut Silent, stop: &stop };
    fit(&task, &recipe.model, &config, &mut session).unwrap().model.to_safetensors()
}

#[test]
fn parts_are_loaded_on_any_number_of_threads() {
    let expected = by_parts(1);
    for threads in [1, 2, 3] {
        assert!(on_threads(threads, || by_parts(1)) == expected, "{threads} threads give other weights");
    }
}

#[test]
fn runs_inside_of_one_pool_do_not_wait_for_each_other() {
    let seeds = [1, 2, 3, 4, 5, 6];
    let expected: Vec<Vec<u8>> = seeds.iter().map(|seed| by_parts(*seed)).collect();
    for threads in [1, 2] {
        let found = on_threads(threads, move || seeds.par_iter().map(|seed| by_parts(*seed)).collect::<Vec<_>>());
        assert!(found == expected, "{threads} threads give other weights");
    }
}
