//! A run folder: settings, record and weights, and what the model says.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use farhop_data::{ApplyOptions, Dataset as Data, Level, Target};
use farhop_train::insight::{ExplanationMethod, Question, Subject};
use farhop_train::run::names;
use farhop_train::{Places, Silent, Task, TrainedRun, plan_explanation, plan_task, prepare_task, probabilities};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::arrays::array;
use crate::dataset::Dataset;
use crate::errors::Failure;
use crate::json::to_python;
use crate::threads::compute;

/// A run that has weights.
#[pyclass(frozen)]
pub struct Run {
    path: PathBuf,
    /// The model is used by one thread at a time.
    run: Mutex<TrainedRun>,
    /// The data of training, unscaled, once it is there.
    data: Mutex<Option<Arc<Data>>>,
}

#[pymethods]
impl Run {
    /// Opens a run folder, whoever wrote it.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        compute(py, None, || Run::open(&path, None))
    }

    /// The folder.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// `run.json`.
    fn record<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let record = serde_json::to_value(&self.locked().record);
        to_python(py, &record.map_err(|error| Failure::run(error.to_string()))?)
    }

    /// Every setting.
    fn recipe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let recipe = serde_json::to_value(&self.locked().recipe);
        to_python(py, &recipe.map_err(|error| Failure::run(error.to_string()))?)
    }

    /// The lines of `metrics.jsonl`, one an epoch.
    fn history<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let file = self.path.join(names::METRICS);
        let text = std::fs::read_to_string(&file)
            .map_err(|error| Failure::run(format!("{}: can't read: {error}.", file.display())))?;
        // The last line may be cut off if the run was killed.
        let lines: Vec<Value> = text.lines().map_while(|line| serde_json::from_str(line).ok()).collect();
        to_python(py, &Value::Array(lines))
    }

    /// The data of training, with the split of the run.
    fn training_data(&self, py: Python<'_>) -> PyResult<Dataset> {
        compute(py, None, || {
            let run = self.locked();
            let data = self.own_data(&run)?;
            let split = run.split(&data)?;
            Ok(Dataset::of(Data { split, ..data.as_ref().clone() }))
        })
    }

    /// What is predicted: level, kind, names.
    fn target(&self, py: Python<'_>) -> PyResult<(&'static str, &'static str, Vec<String>)> {
        let (level, target) = compute(py, None, || {
            let data = self.own_data(&self.locked())?;
            Ok((data.level, data.target.clone()))
        })?;
        let level = match level {
            Level::Node => "node",
            Level::Graph => "graph",
            Level::Pair => "pair",
        };
        let kind = match target {
            Target::Class { .. } => "classes",
            Target::Binary { .. } => "labels",
            Target::Number { .. } => "numbers",
            Target::Pair { .. } => "pairs",
        };
        Ok((level, kind, target.names().to_vec()))
    }

    /// Probabilities or numbers for all rows of the data, `[rows, outputs]`; of the data of training without any.
    #[pyo3(signature = (dataset, threads))]
    fn outputs<'py>(
        &self,
        py: Python<'py>,
        dataset: Option<PyRef<'py, Dataset>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (rows, width, values) = self.ask(py, dataset, threads, |run, task| {
            let outputs = run.outputs(task)?;
            let width = task.output().outputs.max(1);
            let mut values = probabilities(task.target(), &outputs.values);
            if task.level() != Level::Pair {
                values = in_order(&outputs.rows, &values, width);
            }
            Ok((values.len() / width, width, values))
        })?;
        array(py, values, &[rows, width])
    }

    /// How the model weighs the hops of every node, `[layers, nodes, heads, hops]`.
    #[pyo3(signature = (dataset, threads))]
    fn hop_attention<'py>(
        &self,
        py: Python<'py>,
        dataset: Option<PyRef<'py, Dataset>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = self.ask(py, dataset, threads, |run, task| Ok(run.hop_weights(task, &all_units(task))?))?;
        let hops = &found.hops;
        array(py, found.weights, &[hops.layers, found.nodes.len(), hops.heads, hops.hops])
    }

    /// One prediction explained. `asked` names it: a row by its number or its id, or two nodes of a graph. Gives what is said of it, the nodes
    /// (as numbers in their graph) with their ids, hops (-1: none) and weights, the weights in every head, and the picture.
    #[pyo3(signature = (dataset, asked, output, method, layer, threads))]
    #[allow(clippy::type_complexity, reason = "unpacked at once in Python")]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        dataset: Option<PyRef<'py, Dataset>>,
        asked: Asked,
        output: Option<usize>,
        method: Option<&str>,
        layer: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
        Vec<String>,
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
        String,
    )> {
        let method = match method {
            None => None,
            Some("weights") => Some(ExplanationMethod::Weights),
            Some("contributions") => Some(ExplanationMethod::Contributions),
            Some(other) => {
                let text = format!("method is {other:?}; None, \"weights\" or \"contributions\" is needed.");
                return Err(Failure::setting(text).into());
            }
        };
        let method = method.or(layer.map(|_| ExplanationMethod::Weights));
        let told = self.ask(py, dataset, threads, |run, task| {
            let subject = match asked {
                Asked::Row(row) => Subject::Row(row),
                Asked::Pair(graph, one, other) => Subject::Pair { graph, nodes: [one, other] },
                Asked::Id(id) => match task.find_row(&id) {
                    Some(row) => Subject::Row(row),
                    None => return Err(Failure::data(format!("{} has no {id:?}. Give an id of the data.", task.name))),
                },
            };
            let question = Question { subject, output, method, layer };
            plan_explanation(&run.recipe, task, &question, &mut Silent)?;
            let found = run.explain(task, &question)?;
            let about = json!({
                "output": task.target().names().get(found.output),
                "value": found.value,
                "probability": found.probability,
                "method": found.method.name(),
                "layer": found.layer,
                "layers": found.layers,
                "sum": found.sum(),
            });
            let number = |node: u32| task.node_key(node).pop().unwrap_or_default();
            let named = task.level() == Level::Node && !task.ids.is_empty();
            let nodes: Vec<i64> = match named {
                true => found.shares.iter().map(|share| i64::from(share.node)).collect(),
                false => found.shares.iter().map(|share| number(share.node).parse().unwrap_or(-1)).collect(),
            };
            let ids = found.shares.iter().filter(|_| named).map(|share| number(share.node)).collect::<Vec<String>>();
            Ok((about, nodes, ids, farhop_cli::explanation_picture(task, &found), found))
        })?;
        let (about, nodes, ids, picture, found) = told;
        let rows = found.shares.len();
        let hops = found.shares.iter().map(|share| share.hop.map_or(-1, i64::from)).collect();
        let weights = found.shares.iter().map(|share| share.weight).collect();
        let heads = found.shares.first().map_or(0, |share| share.heads.len());
        let of_heads = found.shares.iter().flat_map(|share| share.heads.iter().copied()).collect();
        Ok((
            to_python(py, &about)?,
            array::<i64>(py, nodes, &[rows])?,
            ids,
            array::<i64>(py, hops, &[rows])?,
            array::<f32>(py, weights, &[rows])?,
            array::<f32>(py, of_heads, &[rows, heads])?,
            picture,
        ))
    }

    /// What goes into the head of the model, `[rows, width]`.
    #[pyo3(signature = (dataset, threads))]
    fn embeddings<'py>(
        &self,
        py: Python<'py>,
        dataset: Option<PyRef<'py, Dataset>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = self.ask(py, dataset, threads, |run, task| Ok(run.embeddings(task, &all_units(task))?))?;
        let rows = found.values.len().checked_div(found.width).unwrap_or(0);
        array(py, found.values, &[rows, found.width])
    }
}

/// What is to be explained.
#[derive(FromPyObject)]
enum Asked {
    /// A node or a graph by its number.
    Row(u32),
    /// A node by its name.
    Id(String),
    /// A graph and two nodes of it.
    Pair(u32, u32, u32),
}

impl Run {
    /// Opens a run folder; `data` is what it was trained on, if that is at hand.
    pub fn open(path: &Path, data: Option<Arc<Data>>) -> Result<Self, Failure> {
        let run = TrainedRun::open(path)?;
        Ok(Run { path: path.to_path_buf(), run: Mutex::new(run), data: Mutex::new(data) })
    }

    /// Asks the model about data; without any, about that of training.
    fn ask<R: Send>(
        &self,
        py: Python<'_>,
        dataset: Option<PyRef<'_, Dataset>>,
        threads: Option<usize>,
        question: impl FnOnce(&TrainedRun, &Task) -> Result<R, Failure> + Send,
    ) -> PyResult<R> {
        let dataset = dataset.map(|dataset| dataset.data().clone());
        compute(py, threads, || {
            let run = self.locked();
            let task = self.task(&run, dataset)?;
            question(&run, &task)
        })
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, TrainedRun> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The data of training, read once.
    fn own_data(&self, run: &TrainedRun) -> Result<Arc<Data>, Failure> {
        let mut held = self.data.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(data) = held.as_ref() {
            return Ok(data.clone());
        }
        let places = Places::usual(run.record.data_dir.as_deref());
        let data = Arc::new(run.training_data(&places, &ApplyOptions::default(), false)?);
        *held = Some(data.clone());
        Ok(data)
    }

    /// The data as the model reads it.
    fn task(&self, run: &TrainedRun, data: Option<Arc<Data>>) -> Result<Task, Failure> {
        let own = data.is_none();
        let data = match data {
            Some(data) => data,
            None => self.own_data(run)?,
        };
        let (task, recipe) = prepared(run, data.as_ref().clone(), own)?;
        plan_task(&recipe, &task, false, &mut Silent)?;
        Ok(task)
    }
}

/// Data on its way into the model of a run, as the run had its own.
fn prepared(run: &TrainedRun, mut data: Data, own: bool) -> Result<(Task, farhop_train::Recipe), Failure> {
    run.recipe.data.scale_again(run.record.features.as_ref(), &mut data)?;
    data.metric = run.record.metric;
    let places = Places::usual(run.record.data_dir.as_deref());
    if own {
        data.split = run.split(&data)?;
    }
    let task = prepare_task(&run.recipe, data, None, run.record.scale.clone(), false, &places, &mut Silent)?;
    Ok((task, run.recipe.clone()))
}

fn all_units(task: &Task) -> Vec<u32> {
    (0..task.units() as u32).collect()
}

/// Rows of outputs in the order of the data.
fn in_order(rows: &[u32], values: &[f32], width: usize) -> Vec<f32> {
    let mut ordered = vec![0.0; values.len()];
    for (row, values) in rows.iter().zip(values.chunks_exact(width)) {
        ordered[*row as usize * width..(*row as usize + 1) * width].copy_from_slice(values);
    }
    ordered
}
