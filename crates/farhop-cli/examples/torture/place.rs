//! Where it happens: the command, small data, and runs that were left alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use farhop_graph::random::{Stream, mix};
use tempfile::TempDir;

/// Ways to train: a name, the data and settings, and the threads.
pub const RUNS: [(&str, &str, &str); 3] = [
    ("whole", "--nodes nodes.csv --edges edges.csv --target label --width 16 --layers 2 --epochs 60", "1"),
    ("parts", "--nodes nodes.csv --edges edges.csv --target label --width 16 --layers 1 --epochs 12 --parts 6", "2"),
    ("batches", "molecules.csv --target y --width 16 --layers 2 --epochs 12 --batch-size 8", "8"),
];

const NODES: usize = 600;

/// A folder with data and runs.
pub struct Place {
    folder: TempDir,
    farhop: PathBuf,
}

impl Place {
    /// Makes the data and trains every run of [`RUNS`] undisturbed.
    pub fn new() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let place = Place { folder, farhop: binary()? };
        place.write("nodes.csv", &nodes());
        place.write("edges.csv", &edges());
        place.write("molecules.csv", &molecules());
        for (name, ..) in RUNS {
            let answer = place.run(&place.train(name, &format!("{name}-alone")));
            if !answer.status.success() {
                return Err(format!("{name} does not even train: {}", text(&answer)));
            }
        }
        Ok(place)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.path(name)).ok()
    }

    pub fn write(&self, name: &str, contents: &str) {
        fs::write(self.path(name), contents).expect("the temporary folder can be written");
    }

    /// The line that begins a run of [`RUNS`] in the folder `out`.
    pub fn train(&self, name: &str, out: &str) -> String {
        let (_, settings, threads) = RUNS.into_iter().find(|run| run.0 == name).expect("a run of the list");
        format!(
            "train {settings} --dropout 0.3 --patience none --checkpoint-every 1_epochs --out {out} --threads {threads}"
        )
    }

    /// The line that begins such a run, or goes on with it.
    pub fn train_on(&self, name: &str, out: &str) -> String {
        match self.path(out).join("run.json").exists() {
            true => format!("train --resume {out}"),
            false => self.train(name, out),
        }
    }

    /// The command with the words of a line; `_` stands for a space within a word.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(&self.farhop);
        command.args(line.split(' ').map(|word| word.replace('_', " "))).current_dir(self.folder());
        command.env("FARHOP_CACHE", "").env("NO_COLOR", "1").stdin(Stdio::null());
        command
    }

    /// Runs a line undisturbed.
    pub fn run(&self, line: &str) -> Output {
        self.command(line).output().expect("farhop can be started")
    }

    /// Runs a line after words of a shell, such as `ulimit -v 100000`.
    pub fn run_after(&self, shell: &str, line: &str) -> Output {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{shell}; exec \"$0\" \"$@\"")]).arg(&self.farhop);
        command.args(line.split(' ').map(|word| word.replace('_', " "))).current_dir(self.folder());
        command.env("FARHOP_CACHE", "").env("NO_COLOR", "1").stdin(Stdio::null()).output().expect("sh can be started")
    }

    /// Runs a line and disturbs it by `signal` after `pause`. The status, and whether the signal hit.
    pub fn disturb(&self, line: &str, signal: &str, pause: Duration) -> (ExitStatus, bool) {
        let mut command = self.command(line);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("farhop can be started");
        std::thread::sleep(pause);
        let hit = child.try_wait().ok().flatten().is_none();
        if hit {
            let _ = Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
        }
        let begun = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return (status, hit),
                // A hang is a loss like any other.
                _ if begun.elapsed() > Duration::from_secs(60) => {
                    let _ = child.kill();
                    return (child.wait().expect("a killed child ends"), hit);
                }
                _ => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    /// How long a line takes undisturbed.
    pub fn time(&self, line: &str) -> Duration {
        let begun = Instant::now();
        self.run(line);
        begun.elapsed()
    }

    /// Whether the weights of a run are those of the one that was left alone.
    pub fn is_like_alone(&self, name: &str, out: &str) -> bool {
        let weights = |run: String| self.read(&format!("{run}/model.safetensors"));
        weights(out.to_string()).is_some_and(|found| weights(format!("{name}-alone")) == Some(found))
    }
}

/// A moment within a little more than `whole`, by chance.
pub fn moment(whole: Duration, seed: u64, number: usize) -> Duration {
    let share = (mix(seed, number as u64) % 10_000) as f64 / 10_000.0;
    whole.mul_f64(1.05 * share)
}

/// What a command said on standard error.
pub fn text(answer: &Output) -> String {
    String::from_utf8_lossy(&answer.stderr).trim().to_string()
}

/// The command beside this example, built now if cargo is at hand.
fn binary() -> Result<PathBuf, String> {
    let here = std::env::current_exe().map_err(|error| error.to_string())?;
    let target = here.parent().and_then(Path::parent).ok_or("this program lies nowhere")?;
    if let Some(cargo) = std::env::var_os("CARGO") {
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--package", "farhop-cli", "--bin", "farhop"]);
        if target.ends_with("release") {
            build.arg("--release");
        }
        build.status().map_err(|error| error.to_string())?;
    }
    let farhop = target.join("farhop");
    if farhop.exists() { Ok(farhop) } else { Err(format!("there is no {}: build it first.", farhop.display())) }
}

fn nodes() -> String {
    let mut random = Stream::new(1);
    let mut text = String::from("id,a,b,label\n");
    for node in 0..NODES {
        let (a, b) = (random.normal(), random.normal());
        text.push_str(&format!("n{node},{a:.4},{b:.4},{}\n", if a + b > 0.0 { "up" } else { "down" }));
    }
    text
}

fn edges() -> String {
    let pairs = (0..NODES).flat_map(|node| [(node, (node + 1) % NODES), (node, node * 7 % NODES)]);
    pairs.fold(String::from("source,target\n"), |text, (a, b)| format!("{text}n{a},n{b}\n"))
}

fn molecules() -> String {
    let smiles = |number: usize| {
        format!("{}{}{}", "C".repeat(1 + number % 9), ["O", "N", "CO", "S"][number % 4], "C".repeat(number % 5))
    };
    (0..160).fold(String::from("smiles,y\n"), |text, number| format!("{text}{},{}.5\n", smiles(number), number % 13))
}
