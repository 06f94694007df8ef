//! The tests of the Python package, in an environment of their own.
//!
//! The library that cargo has just built is put beside the Python files, and pytest runs `python/tests` on them. `$FARHOP_PYTHON` names a
//! Python whose packages are used as they are; without it a virtual environment is made once in the target folder. Where there is no
//! Python or no way to get its packages, one line says so.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The least version of Python.
const LEAST: (u32, u32) = (3, 10);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Where the environment and the package are put together.
fn place() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("python")
}

/// The folder with what cargo built: that of this test and its parent.
fn built() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_path_buf()
}

fn succeeded(command: &mut Command) -> Result<Output, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}: {}", text.lines().last().unwrap_or("no message")))
}

/// A Python that is new enough.
fn interpreter() -> Result<PathBuf, String> {
    for name in ["python3", "python"] {
        let version = "import sys; print(sys.version_info[0], sys.version_info[1])";
        let Ok(output) = succeeded(Command::new(name).args(["-c", version])) else { continue };
        let text = String::from_utf8_lossy(&output.stdout).to_string();
        let mut numbers = text.split_whitespace().filter_map(|number| number.parse::<u32>().ok());
        if let (Some(major), Some(minor)) = (numbers.next(), numbers.next())
            && (major, minor) >= LEAST
        {
            return Ok(PathBuf::from(name));
        }
    }
    Err(format!("there is no Python {}.{} or newer", LEAST.0, LEAST.1))
}

/// The Python of the tests.
fn environment() -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os("FARHOP_PYTHON") {
        return Ok(PathBuf::from(given));
    }
    let requirements = root().join("python/tests/requirements.txt");
    let folder = place().join("environment");
    let (python, made) = (folder.join("bin/python"), folder.join("made-of.txt"));
    let wanted = fs::read(&requirements).map_err(|error| error.to_string())?;
    if python.exists() && fs::read(&made).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    succeeded(Command::new(interpreter()?).args(["-m", "venv", "--clear"]).arg(&folder))?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).arg(&requirements);
    succeeded(&mut install)?;
    fs::write(&made, wanted).map_err(|error| error.to_string())?;
    Ok(python)
}

/// The package as a wheel would install it.
fn package() -> PathBuf {
    let folder = place().join("package");
    let target = folder.join("farhop");
    let _ = fs::remove_dir_all(&target);
    fs::create_dir_all(&target).unwrap();
    for entry in fs::read_dir(root().join("python/farhop")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, target.join(path.file_name().unwrap())).unwrap();
        }
    }
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = built().join(format!("{prefix}_farhop{suffix}"));
    let name = if cfg!(windows) { "_farhop.pyd" } else { "_farhop.abi3.so" };
    fs::copy(&library, target.join(name)).unwrap();
    folder
}

#[test]
fn the_python_package_works() {
    let python = match environment() {
        Ok(python) => python,
        Err(reason) => {
            // Said to whoever runs the tests, also where they are quiet.
            let _ = writeln!(std::io::stderr(), "skipped the tests of the Python package: {reason}");
            return;
        }
    };
    let command = built().parent().unwrap().join(format!("farhop{}", std::env::consts::EXE_SUFFIX));
    let status = Command::new(&python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=8"])
        .arg(root().join("python/tests"))
        .env("PYTHONPATH", package())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("FARHOP_COMMAND", command)
        .env("FARHOP_CACHE", "")
        .status()
        .unwrap();
    assert!(status.success(), "pytest says {status}");
}
