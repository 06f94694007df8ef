//! One run, trained on a thread of its own while Python listens: to epochs, to signals, and to whoever wants it to stop.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use farhop_kernels::simd::Isa;
use farhop_train::memory::Plan;
use farhop_train::presets::Preset;
use farhop_train::run::names;
use farhop_train::{
    DataConfig, EpochReport, GivenSetting, Job, Keep, Machine, Material, Observer, Places, Recipe, Resume, Settings,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value, json};

use crate::dataset::Dataset;
use crate::errors::Failure;
use crate::json::{settings, to_python};
use crate::run::Run;
use crate::threads;

/// How long Python waits for news before it looks for signals.
const WAIT: Duration = Duration::from_millis(50);

/// How long whoever interrupts waits for the step that is being computed. A longer one ends by itself, and saves.
const PATIENCE: Duration = Duration::from_millis(700);

/// Runs whose last step was not waited for, by their folder.
static LEFT: Mutex<BTreeMap<PathBuf, JoinHandle<()>>> = Mutex::new(BTreeMap::new());

/// What the training thread tells.
enum News {
    /// Something happened; the thread goes on once it was told if `answer` is there.
    Event { kind: &'static str, what: Value, answer: Option<Sender<()>> },
    /// It ended.
    Done(Box<Result<(), Failure>>),
}

/// Trains a model in a folder, or goes on with the run that is there. `listener` is called with the kind of an event and its contents, and
/// asks to stop by saying True.
#[pyfunction]
#[pyo3(signature = (dataset, model, given, folder, overwrite, resume, threads, listener))]
pub fn train(
    py: Python<'_>,
    dataset: PyRef<'_, Dataset>,
    model: &str,
    given: &Bound<'_, PyDict>,
    folder: PathBuf,
    overwrite: bool,
    resume: bool,
    threads: Option<usize>,
    listener: &Bound<'_, PyAny>,
) -> PyResult<Run> {
    let given = settings(given)?;
    let threads = threads::count(threads)?;
    let data = dataset.data().clone();
    drop(dataset);
    wait_for_left(py, &folder);
    let recipe = settled(model, &given, &data)?;
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, news) = channel();
    let work = {
        let (stop, folder, data, sender) = (stop.clone(), folder.clone(), data.clone(), sender.clone());
        move || -> Result<(), Failure> {
            let mut observer = Messenger { sender };
            if resume {
                let again = Resume { epochs: Some(recipe.train.epochs), ..Resume::new(&folder) };
                again.train(&mut observer, &stop)?;
                return Ok(());
            }
            let places = Places::usual(None);
            let material = Material::given(data.as_ref().clone(), &recipe.data)?;
            let job = Job {
                keep: Keep::In { path: folder, overwrite },
                machine: Machine::detect(threads, Isa::active().name()),
                own_data: Some(data),
                ..Job::new(recipe, material, &places)
            };
            job.train(&mut observer, &stop)?;
            Ok(())
        }
    };
    let handle = std::thread::Builder::new().name("farhop-train".to_string()).spawn(move || {
        let done = threads::guarded(threads, work);
        // Nobody listens any more if it was left to itself.
        let _ = sender.send(News::Done(Box::new(done)));
    });
    let handle = handle.map_err(|error| Failure::run(format!("can't start a thread: {error}.")))?;
    listen(py, &Mutex::new(news), listener, &stop, handle, &folder)?;
    threads::compute(py, Some(threads), || Run::open(&folder, Some(data)))
}

/// The recipe for data that is at hand.
fn settled(model: &str, given: &Map<String, Value>, data: &farhop_data::Dataset) -> Result<Recipe, Failure> {
    let plain = Recipe::for_model(model)?;
    let given = given.iter().map(|(name, value)| {
        let section = plain.place_of(name).unwrap_or_else(|| vec!["model"]);
        GivenSetting::new(name, section.into_iter().chain([name.as_str()]), value.clone())
    });
    let asked = Settings {
        base: None,
        model: model.to_string(),
        data: DataConfig { dataset: Some(names::DATA.to_string()), ..DataConfig::default() },
        given: given.collect(),
    };
    Ok(asked.settle(Some(Preset::of(data)))?.recipe)
}

/// Tells the listener what happens until the run ends or is stopped.
fn listen(
    py: Python<'_>,
    news: &Mutex<Receiver<News>>,
    listener: &Bound<'_, PyAny>,
    stop: &AtomicBool,
    handle: JoinHandle<()>,
    folder: &Path,
) -> PyResult<()> {
    let mut broken: Option<(PyErr, Instant)> = None;
    loop {
        let next = py.detach(|| news.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(WAIT));
        match next {
            Ok(News::Event { kind, what, answer }) => {
                if broken.is_none() {
                    match tell(py, listener, kind, &what) {
                        Ok(true) => stop.store(true, Ordering::SeqCst),
                        Ok(false) => {}
                        Err(error) => broken = Some((error, Instant::now())),
                    }
                }
                if broken.is_some() {
                    stop.store(true, Ordering::SeqCst);
                }
                if let Some(answer) = answer {
                    let _ = answer.send(());
                }
            }
            Ok(News::Done(result)) => {
                let _ = py.detach(|| handle.join());
                return match broken {
                    Some((error, _)) => Err(error),
                    None => (*result).map_err(PyErr::from),
                };
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::run("the training thread ended without a word.").into());
            }
        }
        if broken.is_none()
            && let Err(error) = py.check_signals()
        {
            stop.store(true, Ordering::SeqCst);
            broken = Some((error, Instant::now()));
        }
        if broken.as_ref().is_some_and(|(_, since)| since.elapsed() > PATIENCE) {
            LEFT.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_path_buf(), handle);
            return broken.map_or(Ok(()), |(error, _)| Err(error));
        }
    }
}

fn tell(py: Python<'_>, listener: &Bound<'_, PyAny>, kind: &str, what: &Value) -> PyResult<bool> {
    listener.call1((kind, to_python(py, what)?))?.is_truthy()
}

/// Waits for a run in the folder that was left to itself.
fn wait_for_left(py: Python<'_>, folder: &Path) {
    let left = LEFT.lock().unwrap_or_else(PoisonError::into_inner).remove(folder);
    if let Some(handle) = left {
        let _ = py.detach(|| handle.join());
    }
}

/// Sends what happens to the thread of Python.
struct Messenger {
    sender: Sender<News>,
}

impl Messenger {
    fn send(&self, kind: &'static str, what: Value) {
        let _ = self.sender.send(News::Event { kind, what, answer: None });
    }
}

impl Observer for Messenger {
    fn planned(&mut self, plan: &Plan) {
        self.send("planned", json!({ "bytes": plan.total }));
    }

    fn started(&mut self, done: usize, epochs: usize, parameters: usize) {
        self.send("started", json!({ "done": done, "epochs": epochs, "parameters": parameters }));
    }

    fn epoch(&mut self, report: &EpochReport) {
        // A callback that stops the run stops it after this very epoch.
        let (answer, answered) = channel();
        let what = serde_json::to_value(report).unwrap_or_default();
        if self.sender.send(News::Event { kind: "epoch", what, answer: Some(answer) }).is_ok() {
            let _ = answered.recv();
        }
    }

    fn message(&mut self, text: &str) {
        self.send("message", json!({ "text": text }));
    }
}
