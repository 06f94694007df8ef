//! How far training is: a bar on a terminal, a plain line every few seconds elsewhere.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use farhop_data::metrics::Metric;
use farhop_train::{EpochReport, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::console::Console;
use crate::table::duration;

/// Time between two plain lines.
const PLAIN_EVERY: Duration = Duration::from_secs(5);

/// Epochs whose time says how long the rest will take.
const RECENT: usize = 20;

/// Listens to one training loop.
pub struct Progress {
    console: Console,
    /// What is trained, at the start of every line.
    name: String,
    bar: Option<ProgressBar>,
    epochs: usize,
    last_line: Instant,
    recent: VecDeque<f64>,
    /// The newest validation score: not every epoch has one.
    valid: Option<f64>,
    metric: Metric,
}

impl Progress {
    /// A display for the model of that name.
    pub fn new(console: &Console, name: &str, metric: Metric) -> Self {
        Progress {
            console: *console,
            name: name.to_string(),
            bar: None,
            epochs: 0,
            last_line: Instant::now(),
            recent: VecDeque::new(),
            valid: None,
            metric,
        }
    }

    fn left(&self, epoch: usize) -> String {
        let mean = self.recent.iter().sum::<f64>() / self.recent.len().max(1) as f64;
        let seconds = mean * self.epochs.saturating_sub(epoch) as f64;
        // Fractions of a second would only flicker.
        duration(seconds.ceil().max(1.0)).replace(".00", "")
    }
}

impl Observer for Progress {
    fn started(&mut self, done: usize, epochs: usize, _parameters: usize) {
        self.epochs = epochs;
        if done > 0 {
            let text = format!("{}: continuing after epoch {done} of {epochs}", self.name);
            self.console.message(&text);
        }
        if !self.console.is_lively() {
            return;
        }
        let bar = ProgressBar::with_draw_target(Some(epochs as u64), ProgressDrawTarget::stderr_with_hz(10));
        // A template that can't be read leaves the plain default.
        let template = "{prefix:<4} {bar:24} {pos}/{len}  {wide_msg}";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("━╸─"));
        bar.set_prefix(self.name.clone());
        bar.set_position(done as u64);
        self.bar = Some(bar);
    }

    fn epoch(&mut self, report: &EpochReport) {
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(report.seconds);
        self.valid = report.valid.or(self.valid);
        let score = self.valid.map_or(String::new(), |valid| format!("  valid {}", self.metric.shown(Some(valid))));
        let state = format!("loss {:.4}{score}  {} left", report.loss, self.left(report.epoch));
        if let Some(bar) = &self.bar {
            bar.set_position(report.epoch as u64);
            bar.set_message(state);
        } else if self.last_line.elapsed() >= PLAIN_EVERY {
            self.last_line = Instant::now();
            let (name, epoch, epochs) = (&self.name, report.epoch, self.epochs);
            self.console.message(&format!("{name}: epoch {epoch}/{epochs}  {state}"));
        }
    }

    fn step(&mut self, epoch: usize, step: usize, steps: usize, loss: f32) {
        if steps == 1 {
            return;
        }
        if let Some(bar) = &self.bar {
            let score = self.valid.map_or(String::new(), |valid| format!("  valid {}", self.metric.shown(Some(valid))));
            bar.set_message(format!("step {step}/{steps}  loss {loss:.4}{score}"));
        } else if self.last_line.elapsed() >= PLAIN_EVERY {
            self.last_line = Instant::now();
            let (name, epochs) = (&self.name, self.epochs);
            self.console.message(&format!("{name}: epoch {epoch}/{epochs}, step {step}/{steps}  loss {loss:.4}"));
        }
    }

    fn message(&mut self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.console.warning(text)),
            None => self.console.warning(text),
        }
    }
}

impl Drop for Progress {
    /// The bar leaves the screen: what comes next says how it ended.
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
