//! A run over several processes beside one, for tests: the processes are threads.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use farhop_data::Dataset;
use farhop_data::catalogue::DataFolders;
use farhop_nn::exchange::{Group, threads};
use farhop_train::{EpochReport, Job, Material, Observer, Outputs, Places, Recipe, Scores, probabilities};

/// What a run came to.
pub struct Course {
    pub losses: Vec<f32>,
    pub valid: Vec<f64>,
    pub scores: Scores,
    /// Probabilities of all nodes, by their numbers.
    pub answers: Vec<f32>,
}

#[derive(Default)]
pub struct Losses {
    pub losses: Vec<f32>,
    pub valid: Vec<f64>,
}

impl Observer for Losses {
    fn epoch(&mut self, report: &EpochReport) {
        self.losses.push(report.loss);
        self.valid.push(report.valid_loss.unwrap_or(0.0));
    }
}

pub fn places(group: Option<Arc<Group>>) -> Places {
    Places { folders: DataFolders::new(Vec::new()), cache: None, group }
}

/// In one process, without parts.
pub fn alone(dataset: &Dataset, recipe: &Recipe) -> Course {
    let places = places(None);
    let mut seen = Losses::default();
    let job = Job::new(recipe.clone(), Material::of(dataset.clone()), &places);
    let trained = job.train(&mut seen, &AtomicBool::new(false)).unwrap();
    let outputs = Outputs::of_all(&trained.task, &trained.fitted.model).unwrap();
    let answers = probabilities(trained.task.target(), &outputs.values);
    Course { losses: seen.losses, valid: seen.valid, scores: trained.fitted.summary.scores, answers }
}

/// The same on every one of several threads, in the order of their ranks.
pub fn on_threads<T: Send>(ranks: usize, work: impl Fn(Arc<Group>) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let started: Vec<_> =
            threads(ranks).into_iter().map(|transport| scope.spawn(move || work(Group::new(transport)))).collect();
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

pub fn compare(alone: &Course, together: &Course, what: &str) {
    assert!(!alone.losses.is_empty() && alone.losses.len() == together.losses.len(), "{what}");
    let off = |pairs: &mut dyn Iterator<Item = (f64, f64)>| {
        pairs.map(|(a, b)| (a - b).abs() / a.abs().max(1e-12)).fold(0.0, f64::max)
    };
    let worst = off(&mut alone.losses.iter().zip(&together.losses).map(|(a, b)| (f64::from(*a), f64::from(*b))));
    assert!(worst <= 1e-5, "{what}: a loss is off by {worst:e}: {:?}, {:?}", alone.losses, together.losses);
    let valid = off(&mut alone.valid.iter().copied().zip(together.valid.iter().copied()));
    assert!(valid <= 1e-5, "{what}: a loss in validation is off by {valid:e}: {:?}, {:?}", alone.valid, together.valid);
    let off = alone.answers.iter().zip(&together.answers).map(|(a, b)| (a - b).abs());
    // NaN is not below anything.
    assert!(off.clone().all(|off| off <= 1e-4), "{what}: a probability is off by {}", off.fold(0.0, f32::max));
    let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 0.01,
        (a, b) => a == b,
    };
    let (a, b) = (alone.scores, together.scores);
    assert!(near(a.train, b.train) && near(a.valid, b.valid) && near(a.test, b.test), "{what}: {a:?}, {b:?}");
    println!("{what}: losses within {worst:.1e}");
}
