//! Pages as a browser shows them, where there is one.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::support::Place;

/// Chromium, if it is on the path.
fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let found =
        names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|file| file.is_file());
    if found.is_none() {
        println!("skipped: there is no chromium on this machine");
    }
    found
}

/// A page that holds another one in a frame of each width, looks at it when it is there, and says what it saw.
const LOOKER: &str = r#"<!DOCTYPE html><html><body><pre id="seen">nothing</pre><script>
const seen = [];
const widths = [1280, 400];
function look(width) {
  const frame = document.createElement('iframe');
  frame.width = width; frame.height = 900; frame.src = 'PAGE';
  frame.onload = () => {
    const page = frame.contentDocument, root = page.documentElement;
    const pictures = [...page.querySelectorAll('svg.picture')];
    const bare = pictures.filter(one => !one.querySelector(':scope > title')?.textContent);
    const wide = [...page.querySelectorAll('main *, header *')].filter(one => !one.closest('.scroll, pre, svg') && one.getBoundingClientRect().right > width + 1);
    const flat = pictures.filter(one => one.getBoundingClientRect().width > 0 && one.getBoundingClientRect().height < 10);
    const outside = pictures.filter(one => one.getBoundingClientRect().width > 0).flatMap(one => {
      const box = one.getBoundingClientRect();
      return [...one.querySelectorAll('text')].filter(text => {
        const own = text.getBoundingClientRect();
        return own.left < box.left - 3 || own.right > box.right + 3 || own.bottom > box.bottom + 3 || own.top < box.top - 3;
      });
    });
    seen.push({ width, overflow: root.scrollWidth - root.clientWidth, pictures: pictures.length, bare: bare.length, wide: wide.length,
      flat: flat.length, outside: outside.map(text => text.textContent), heading: page.querySelector('h1').textContent,
      tables: page.querySelectorAll('table').length, uncaptioned: [...page.querySelectorAll('table')].filter(one => !one.caption).length,
      background: getComputedStyle(page.body).backgroundColor });
    if (widths.length) look(widths.shift()); else document.getElementById('seen').textContent = JSON.stringify(seen);
  };
  document.body.append(frame);
}
look(widths.shift());
</script></body></html>"#;

/// What the browser saw of a page at each width. Any word on its console is a failure.
fn shown(browser: &PathBuf, place: &Place, page: &str, dark: bool) -> Vec<serde_json::Value> {
    place.write("looker.html", &LOOKER.replace("PAGE", page));
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--allow-file-access-from-files",
        ])
        .args(["--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)))
        .arg(format!("--user-data-dir={}", place.path("browser").display()))
        .arg(format!("file://{}", place.path("looker.html").display()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("CONSOLE"), "{said}");
    let page = String::from_utf8_lossy(&output.stdout);
    let seen = page.split("<pre id=\"seen\">").nth(1).and_then(|rest| rest.split("</pre>").next()).unwrap_or_default();
    let seen = seen.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&seen).unwrap_or_else(|error| panic!("{error}: {seen}\n{said}"))
}

#[test]
fn pages_fit_into_wide_and_narrow_windows() {
    let Some(browser) = browser() else { return };
    let place = Place::with_run();
    place.train("long", &["--runs", "2"]).succeeded();
    place.farhop("report run --quiet --out run.html").succeeded();
    place.farhop("report long --quiet --out long.html").succeeded();
    place.write("space.toml", "[space]\nmodel.hops = [1, 2]\ntrain.learning_rate = { log = [1e-3, 1e-1] }\n");
    let tune = "tune --nodes nodes.csv --edges edges.csv --target label --fill mean --quiet --width 8 --layers 1 --epochs 6 --patience none --space space.toml";
    place.farhop(&format!("{tune} --trials 3 --out study")).succeeded();
    place.farhop("report --study study --quiet --out study.html").succeeded();
    for page in ["run.html", "long.html", "study.html"] {
        for dark in [false, true] {
            let seen = shown(&browser, &place, page, dark);
            assert_eq!(seen.len(), 2);
            for of_width in &seen {
                assert_eq!(of_width["overflow"], 0, "{page}: {of_width}");
                assert_eq!(
                    (&of_width["wide"], &of_width["bare"], &of_width["flat"]),
                    (&0.into(), &0.into(), &0.into()),
                    "{page}: {of_width}"
                );
                assert_eq!(of_width["uncaptioned"], 0, "{page}: {of_width}");
                assert_eq!(of_width["outside"], serde_json::json!([]), "{page}: words outside of their picture");
                assert!(
                    of_width["pictures"].as_u64().unwrap() >= 5 && of_width["tables"].as_u64().unwrap() >= 3,
                    "{of_width}"
                );
                assert!(of_width["heading"].as_str().unwrap().contains("gen"), "{of_width}");
                let ground = if dark { "rgb(15, 18, 22)" } else { "rgb(246, 247, 249)" };
                assert_eq!(of_width["background"], ground, "{page}");
            }
        }
    }
}
