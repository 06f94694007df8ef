//! Checkpoints: whole or not there, and damage is named.

use std::cell::Cell;
use std::fs;
use std::io;
use std::path::Path;

use farhop_train::fit::EarlyStopping;
use farhop_train::run::checkpoint::{load, save, save_with};
use farhop_train::run::{Checkpoint, Progress};

fn checkpoint(epoch: usize) -> Checkpoint {
    let mut stopping = EarlyStopping::default();
    // Numbers whose decimal form is long: they have to come back exactly.
    stopping.observe(
        farhop_data::metrics::Metric::Accuracy,
        farhop_train::TieBreak::First,
        epoch,
        1.0 / 3.0,
        0.1 + 0.2,
    );
    let part = |start: usize| (start..start + 5000).map(|place| (place * epoch) as u8).collect();
    Checkpoint {
        progress: Progress { epoch, seconds: epoch as f64 / 7.0, loading_seconds: epoch as f64 / 13.0, stopping },
        weights: part(0),
        best: part(1),
        optimizer: part(2),
    }
}

fn newest(folder: &Path) -> std::path::PathBuf {
    let mut folders: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders.pop().unwrap()
}

#[test]
fn the_last_save_comes_back_and_the_older_ones_go() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("checkpoint");
    assert!(load(&place).unwrap().is_none());
    for epoch in [1, 2, 2, 30] {
        save(&place, &checkpoint(epoch)).unwrap();
        let found = load(&place).unwrap().unwrap();
        assert_eq!(found.checkpoint, checkpoint(epoch));
        assert!(found.damaged.is_empty());
        assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
    }
}

#[test]
fn any_flipped_byte_is_noticed_and_its_file_named() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("checkpoint");
    save(&place, &checkpoint(3)).unwrap();
    let inside = newest(&place);
    for entry in fs::read_dir(&inside).unwrap() {
        let file = entry.unwrap().path();
        let whole = fs::read(&file).unwrap();
        // All bytes of the manifest, some of the large files.
        let step = if whole.len() > 4000 { 311 } else { 1 };
        for at in (0..whole.len()).step_by(step) {
            let mut broken = whole.clone();
            broken[at] ^= 1;
            fs::write(&file, &broken).unwrap();
            let message = load(&place).unwrap_err().to_string();
            let name = file.file_name().unwrap().to_str().unwrap();
            assert!(message.contains(name), "byte {at} of {name}: {message}");
            assert!(!message.contains('\n'));
        }
        fs::write(&file, &whole[..whole.len() - 1]).unwrap();
        assert!(load(&place).is_err(), "a cut file was not noticed");
        fs::write(&file, &whole).unwrap();
    }
    assert_eq!(load(&place).unwrap().unwrap().checkpoint, checkpoint(3));
}

#[test]
fn a_damaged_newer_one_is_passed_over_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("checkpoint");
    save(&place, &checkpoint(3)).unwrap();
    let older = newest(&place);
    let copy = place.join("00000900");
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(&older).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
    }
    fs::write(copy.join("best.safetensors"), "broken").unwrap();
    let found = load(&place).unwrap().unwrap();
    assert_eq!(found.checkpoint, checkpoint(3));
    assert_eq!(found.damaged.len(), 1);
    assert!(found.damaged[0].to_string().contains("best.safetensors"));
    // The next save goes after the damaged one.
    save(&place, &checkpoint(4)).unwrap();
    assert_eq!(load(&place).unwrap().unwrap().checkpoint, checkpoint(4));
}

/// A disk that is full after some bytes: writes what fits, then fails, as a real one does.
fn failing_disk(room: usize) -> impl Fn(&Path, &[u8]) -> io::Result<()> {
    let left = Cell::new(room);
    move |path, bytes| {
        let fits = bytes.len().min(left.get());
        left.set(left.get() - fits);
        fs::write(path, &bytes[..fits])?;
        if fits == bytes.len() { Ok(()) } else { Err(io::ErrorKind::StorageFull.into()) }
    }
}

#[test]
fn a_full_disk_leaves_the_previous_checkpoint_wherever_it_fills_up() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("checkpoint");
    save(&place, &checkpoint(1)).unwrap();
    let needed = Cell::new(0);
    save_with(&folder.path().join("other"), &checkpoint(2), &|path, bytes| {
        needed.set(needed.get() + bytes.len());
        fs::write(path, bytes)
    })
    .unwrap();
    for room in (0..needed.get()).step_by(97) {
        let message = save_with(&place, &checkpoint(2), &failing_disk(room)).unwrap_err().to_string();
        assert!(message.contains("Free some space"), "{message}");
        assert_eq!(load(&place).unwrap().unwrap().checkpoint, checkpoint(1));
        assert_eq!(fs::read_dir(&place).unwrap().count(), 1, "space was not freed");
    }
    save_with(&place, &checkpoint(2), &failing_disk(needed.get())).unwrap();
    assert_eq!(load(&place).unwrap().unwrap().checkpoint, checkpoint(2));
}

const LIMITED: &str = "FARHOP_TEST_LIMITED_CHECKPOINT";

/// Not a test by itself: runs in a process whose files may not grow beyond a limit.
#[test]
fn child_saves_under_a_file_size_limit() {
    let Some(place) = std::env::var_os(LIMITED) else {
        return;
    };
    let mut large = checkpoint(2);
    large.best = vec![1; 1 << 22];
    let message = save(Path::new(&place), &large).unwrap_err().to_string();
    assert!(message.contains("best.safetensors"), "{message}");
    assert!(message.contains("Free some space"), "{message}");
}

/// The same through the system's own refusal in the middle of a write.
#[test]
#[cfg(unix)]
fn a_refused_write_leaves_the_previous_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("checkpoint");
    save(&place, &checkpoint(1)).unwrap();
    let status = std::process::Command::new("sh")
        .arg("-c")
        .arg("trap '' XFSZ; ulimit -f 64; exec \"$0\" --exact child_saves_under_a_file_size_limit")
        .arg(std::env::current_exe().unwrap())
        .env(LIMITED, &place)
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(load(&place).unwrap().unwrap().checkpoint, checkpoint(1));
}
