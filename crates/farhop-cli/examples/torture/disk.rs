//! Disks that fill up: files may not grow beyond a limit, or a small file system has no space left.

use std::process::{Command, Stdio};

use crate::Row;
use crate::place::{Place, text};

pub fn all(place: &Place) -> Vec<Row> {
    let mut rows = vec![limited_files(place)];
    rows.push(small_file_system(place));
    rows
}

/// `ulimit -f`: every write beyond it is an error.
fn limited_files(place: &Place) -> Row {
    let mut row = Row { what: "train, predict and import, ulimit -f".to_string(), tries: 0, hit: 0, lost: Vec::new() };
    for blocks in [0, 1, 2, 4, 8, 16, 32, 64, 128, 1024] {
        for (line, file) in [
            (place.train("whole", &format!("limited-{blocks}")), None),
            ("predict whole-alone --out limited.csv --overwrite --quiet".to_string(), Some("limited.csv")),
            (
                "data import --nodes nodes.csv --edges edges.csv --target label --out limited.farhop --overwrite --quiet"
                    .to_string(),
                Some("limited.farhop"),
            ),
        ] {
            row.tries += 1;
            file.into_iter().for_each(|file| place.write(file, "old"));
            let answer = place.run_after(&format!("ulimit -f {blocks}"), &line);
            let said = text(&answer);
            let failed = answer.status.code() == Some(1) && said.lines().last().is_some_and(|line| line.starts_with("error: "));
            row.hit += usize::from(failed);
            if !answer.status.success() && !failed {
                row.lost.push(format!("ulimit -f {blocks}, {line}: {}: {said}", answer.status));
            }
            if let Some(file) = file.filter(|_| failed)
                && place.read(file).as_deref() != Some(b"old")
            {
                row.lost.push(format!("{file} did not stay as it was"));
            }
        }
        let out = format!("limited-{blocks}");
        let ended = place.run(&place.train_on("whole", &out));
        if !ended.status.success() || !place.is_like_alone("whole", &out) {
            row.lost.push(format!("{out}: it did not go on to the same end: {}", text(&ended)));
        }
    }
    row
}

/// A run on a file system of a few hundred KiB, which grows when the run has failed.
fn small_file_system(place: &Place) -> Row {
    let mut row =
        Row { what: "train on a full file system, then --resume".to_string(), tries: 0, hit: 0, lost: Vec::new() };
    for kibibytes in [8, 16, 32, 48, 64, 96, 128, 160] {
        let line = |out: &str| place.train("whole", out).replace('_', " ").replace("1 epochs", "'1 epochs'");
        let script = format!(
            "mkdir -p full && mount -t tmpfs -o size={kibibytes}k none full || exit 77; \
             \"$0\" {} 2>full.txt; echo $? >full.code; \
             mount -o remount,size=64m none full || exit 77; \
             if [ -e full/run/run.json ]; then \"$0\" train --resume full/run; else \"$0\" {}; fi >/dev/null 2>full-again.txt || exit 1; \
             cp full/run/model.safetensors full.safetensors",
            line("full/run"),
            line("full/run"),
        );
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", &script]).arg(place.command("").get_program());
        command.current_dir(place.folder()).env("FARHOP_CACHE", "").stdin(Stdio::null());
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        let code = status.ok().and_then(|status| status.code());
        if matches!(code, None | Some(77 | 126 | 127)) {
            row.what.push_str(" (not permitted here)");
            return row;
        }
        row.tries += 1;
        let read = |file: &str| place.read(file).map(|bytes| String::from_utf8_lossy(&bytes).trim().to_string());
        let (first, said) = (read("full.code").unwrap_or_default(), read("full.txt").unwrap_or_default());
        let failed = first == "1" && said.lines().last().is_some_and(|line| line.starts_with("error: "));
        row.hit += usize::from(failed);
        if first != "0" && !failed {
            row.lost.push(format!("a disk of {kibibytes} KiB: code {first}: {said}"));
        }
        if code != Some(0) || place.read("full.safetensors") != place.read("whole-alone/model.safetensors") {
            let again = read("full-again.txt").unwrap_or_default();
            row.lost.push(format!("a disk of {kibibytes} KiB: the run did not go on to the same end: {again}"));
        }
    }
    row
}
