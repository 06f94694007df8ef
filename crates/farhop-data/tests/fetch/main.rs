//! Downloads against a server that misbehaves on purpose.

mod server;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use farhop_data::catalogue::{self, DataFile, DataFolders, Presence};
use farhop_data::fetch::{Download, Event, FetchError, FetchOptions, Outcome, download, fetch};
use farhop_data::hash::sha256_hex;

use server::{Request, Server, honest, serve, status};

fn content() -> Vec<u8> {
    (0..300_000u32).flat_map(|number| (number.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()).collect()
}

fn quick() -> FetchOptions {
    let pause = Duration::from_millis(1);
    FetchOptions { attempts: 4, first_pause: pause, longest_pause: pause, patience: Duration::from_secs(10) }
}

fn get(server: &Server, to: &Path, content: &[u8]) -> (Result<Outcome, FetchError>, Vec<String>) {
    let (url, sha256) = (format!("{}/file.bin", server.address), sha256_hex(content));
    let job = Download { url: &url, to, sha256: Some(&sha256), bytes: Some(content.len() as u64) };
    let mut log = Vec::new();
    let result = download(&job, &quick(), &mut |event| match event {
        Event::Started { resumed, .. } => log.push(format!("started {resumed}")),
        Event::Waiting { .. } => log.push("waiting".to_string()),
        Event::Finished { bytes, .. } => log.push(format!("finished {bytes}")),
        Event::Present { .. } => log.push("present".to_string()),
        Event::Received { .. } => {}
    });
    (result, log)
}

fn files_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_arrives_once_and_is_not_fetched_again() {
    let folder = tempfile::tempdir().unwrap();
    let (to, bytes) = (folder.path().join("deep/er/file.bin"), content());
    let served = bytes.clone();
    let server = serve(move |_, request, stream| honest(&served, request, stream, usize::MAX, ""));
    let (result, log) = get(&server, &to, &bytes);
    assert_eq!(result.unwrap(), Outcome::Fetched);
    assert_eq!(log, ["started 0".to_string(), format!("finished {}", bytes.len())]);
    assert_eq!(fs::read(&to).unwrap(), bytes);
    assert_eq!(files_in(to.parent().unwrap()), ["file.bin"]);
    let (result, log) = get(&server, &to, &bytes);
    assert_eq!((result.unwrap(), log), (Outcome::Present, vec!["present".to_string()]));
    assert_eq!(server.seen.lock().unwrap().len(), 1);
}

#[test]
fn drop_outs_are_resumed_where_they_happened() {
    let folder = tempfile::tempdir().unwrap();
    let (to, bytes) = (folder.path().join("file.bin"), content());
    let served = bytes.clone();
    // Nine drop-outs: more than the attempts that may fail in a row, but each one brought something.
    let server = serve(move |number, request, stream| {
        honest(&served, request, stream, if number < 9 { 100_000 } else { usize::MAX }, "")
    });
    let (result, log) = get(&server, &to, &bytes);
    assert_eq!(result.unwrap(), Outcome::Fetched);
    assert_eq!(fs::read(&to).unwrap(), bytes);
    assert_eq!(log.iter().filter(|line| *line == "waiting").count(), 9);
    let seen = server.seen.lock().unwrap();
    let starts: Vec<usize> = seen.iter().map(Request::start).collect();
    assert!(starts.windows(2).all(|pair| pair[0] < pair[1]), "{starts:?}");
    assert_eq!(files_in(folder.path()), ["file.bin"]);
}

#[test]
fn a_later_run_goes_on_with_the_part_of_an_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let (to, bytes) = (folder.path().join("file.bin"), content());
    fs::write(folder.path().join("file.bin.part"), &bytes[..70_001]).unwrap();
    let served = bytes.clone();
    let server = serve(move |_, request, stream| honest(&served, request, stream, usize::MAX, ""));
    assert_eq!(get(&server, &to, &bytes).0.unwrap(), Outcome::Fetched);
    assert_eq!(server.seen.lock().unwrap()[0].range.as_deref(), Some("bytes=70001-"));
    assert_eq!(fs::read(&to).unwrap(), bytes);
}

#[test]
fn a_part_of_another_version_is_found_out_and_fetched_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (to, bytes) = (folder.path().join("file.bin"), content());
    fs::write(folder.path().join("file.bin.part"), vec![7; 5_000]).unwrap();
    let served = bytes.clone();
    let server = serve(move |_, request, stream| honest(&served, request, stream, usize::MAX, ""));
    assert_eq!(get(&server, &to, &bytes).0.unwrap(), Outcome::Fetched);
    assert_eq!(fs::read(&to).unwrap(), bytes);
    let starts: Vec<usize> = server.seen.lock().unwrap().iter().map(Request::start).collect();
    assert_eq!(starts, [5_000, 0]);
}

#[test]
fn a_server_that_ignores_ranges_is_read_from_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let (to, bytes) = (folder.path().join("file.bin"), content());
    fs::write(folder.path().join("file.bin.part"), &bytes[..1_000]).unwrap();
    let served = bytes.clone();
    let server = serve(move |_, request, stream| {
        let whole = Request { range: None, ..request.clone() };
        honest(&served, &whole, stream, usize::MAX, "");
    });
    assert_eq!(get(&server, &to, &bytes).0.unwrap(), Outcome::Fetched);
    assert_eq!(fs::read(&to).unwrap(), bytes);
}

#[test]
fn without_a_checksum_only_a_named_version_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let (to, bytes) = (folder.path().join("file.bin"), content());
    // A part that nobody can vouch for is dropped.
    fs::write(folder.path().join("file.bin.part"), vec![9; 777]).unwrap();
    let served = bytes.clone();
    let server = serve(move |number, request, stream| {
        honest(&served, request, stream, if number == 0 { 50_000 } else { usize::MAX }, "ETag: \"v1\"\r\n")
    });
    let url = format!("{}/file.bin", server.address);
    let job = Download { url: &url, to: &to, sha256: None, bytes: None };
    assert_eq!(download(&job, &quick(), &mut |_| {}).unwrap(), Outcome::Fetched);
    assert_eq!(fs::read(&to).unwrap(), bytes);
    let seen = server.seen.lock().unwrap();
    assert_eq!(seen[0].range, None);
    assert!(seen[1].start() > 0);
    assert_eq!(seen[1].if_range.as_deref(), Some("\"v1\""));
    assert_eq!(files_in(folder.path()), ["file.bin"]);
}

#[test]
fn a_wrong_checksum_names_both_and_keeps_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (to, bytes) = (folder.path().join("file.bin"), content());
    let mut served = bytes.clone();
    served[1234] ^= 1;
    let found = sha256_hex(&served);
    let server = serve(move |_, request, stream| honest(&served, request, stream, usize::MAX, ""));
    let text = get(&server, &to, &bytes).0.unwrap_err().to_string();
    assert!(text.contains(&found) && text.contains(&sha256_hex(&bytes)), "{text}");
    assert!(files_in(folder.path()).is_empty());
}

#[test]
fn a_wrong_size_is_said_before_the_transfer() {
    let folder = tempfile::tempdir().unwrap();
    let (to, bytes) = (folder.path().join("file.bin"), content());
    let served = bytes[..900].to_vec();
    let server = serve(move |_, request, stream| honest(&served, request, stream, usize::MAX, ""));
    let text = get(&server, &to, &bytes).0.unwrap_err().to_string();
    assert!(text.contains("bytes 900 where 1,200,000 is expected"), "{text}");
}

#[test]
fn a_file_with_other_content_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (to, bytes) = (folder.path().join("file.bin"), content());
    fs::write(&to, "mine").unwrap();
    let server = serve(|_, _, stream| status(stream, "500 Oops"));
    let text = get(&server, &to, &bytes).0.unwrap_err().to_string();
    assert!(text.contains("left as it is"), "{text}");
    assert_eq!(fs::read(&to).unwrap(), b"mine");
    assert!(server.seen.lock().unwrap().is_empty());
}

#[test]
fn not_found_is_final_and_server_errors_pass() {
    let folder = tempfile::tempdir().unwrap();
    let (to, bytes) = (folder.path().join("file.bin"), content());
    let server = serve(|_, _, stream| status(stream, "404 Not Found"));
    let text = get(&server, &to, &bytes).0.unwrap_err().to_string();
    assert_eq!(
        text,
        format!(
            "{}/file.bin: the server answered 404 (not found). Upstream has moved or removed the file.",
            server.address
        )
    );
    assert_eq!(server.seen.lock().unwrap().len(), 1);

    let served = bytes.clone();
    let server = serve(move |number, request, stream| match number {
        0 => status(stream, "500 Internal Server Error"),
        1 => status(stream, "503 Service Unavailable\r\nRetry-After: 0"),
        _ => honest(&served, request, stream, usize::MAX, ""),
    });
    let (result, log) = get(&server, &to, &bytes);
    assert_eq!(result.unwrap(), Outcome::Fetched);
    assert_eq!(log[..2], ["waiting", "waiting"]);
}

#[test]
fn redirects_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (to, bytes) = (folder.path().join("file.bin"), content());
    let served = bytes.clone();
    let server = serve(move |_, request, stream| match request.path.as_str() {
        "/file.bin" => status(stream, "302 Found\r\nLocation: /elsewhere/file"),
        _ => honest(&served, request, stream, usize::MAX, ""),
    });
    assert_eq!(get(&server, &to, &bytes).0.unwrap(), Outcome::Fetched);
    assert_eq!(server.seen.lock().unwrap()[1].path, "/elsewhere/file");
}

/// A server that speaks TLS. `/file.bin` is there, everything else points to `elsewhere`. Returns its address.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn serve_with_tls(content: Vec<u8>, elsewhere: String) -> String {
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};

    let file = |name: &str| Path::new(TLS_FIXTURES).join(name);
    let certificate = CertificateDer::from_pem_file(file("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(file("server.key")).unwrap();
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls_graviola::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = rustls::StreamOwned::new(connection, stream.unwrap());
            let mut head = String::new();
            let mut lines = BufReader::new(&mut stream);
            while !head.ends_with("\r\n\r\n") && lines.read_line(&mut head).is_ok_and(|count| count > 0) {}
            let answer = if head.starts_with("GET /file.bin ") {
                format!("200 OK\r\nContent-Length: {}", content.len())
            } else {
                format!("302 Found\r\nLocation: {elsewhere}\r\nContent-Length: 0")
            };
            // A client that has gone is not this server's business.
            let _ = stream.write_all(format!("HTTP/1.1 {answer}\r\nConnection: close\r\n\r\n").as_bytes());
            if head.starts_with("GET /file.bin ") {
                let _ = stream.write_all(&content);
            }
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    address
}

const TLS_FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/tls");

/// Who trusts the server is told by the environment, so the client is a process of its own: this test once more.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn https_never_leads_to_http() {
    const ADDRESS: &str = "FARHOP_TEST_HTTPS_SERVER";
    let bytes = content();
    if let Ok(address) = std::env::var(ADDRESS) {
        let folder = tempfile::tempdir().unwrap();
        let get = |name: &str| {
            let (url, to, sha256) = (format!("{address}/{name}"), folder.path().join(name), sha256_hex(&bytes));
            let job = Download { url: &url, to: &to, sha256: Some(&sha256), bytes: Some(bytes.len() as u64) };
            download(&job, &quick(), &mut |_| {})
        };
        match get("file.bin") {
            Err(error @ FetchError::NoTls { .. }) => println!("skipped: {error}"),
            fetched => {
                // The connection itself works, so that what comes is about the address.
                assert_eq!(fetched.unwrap(), Outcome::Fetched);
                let error = get("leads-away").unwrap_err();
                assert!(matches!(error, FetchError::Insecure { .. }), "{error}");
                assert!(!folder.path().join("leads-away").exists());
            }
        }
        return;
    }
    let served = bytes.clone();
    let plain = serve(move |_, request, stream| honest(&served, request, stream, usize::MAX, ""));
    let address = serve_with_tls(bytes, format!("{}/file.bin", plain.address));
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "https_never_leads_to_http", "--nocapture"])
        .env(ADDRESS, address)
        .env("SSL_CERT_FILE", Path::new(TLS_FIXTURES).join("authority.pem"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(plain.seen.lock().unwrap().is_empty(), "the file was asked for without TLS");
}

#[test]
fn a_web_page_is_not_taken_for_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("file.bin");
    let server = serve(|_, request, stream| honest(b"<html>", request, stream, 6, "Content-Type: text/html\r\n"));
    let url = format!("{}/file.bin", server.address);
    let error =
        download(&Download { url: &url, to: &to, sha256: None, bytes: None }, &quick(), &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("a web page came in place of the file"), "{error}");
    assert!(!to.exists());
}

#[test]
fn nobody_there_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("file.bin");
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{free}/file.bin");
    let error =
        download(&Download { url: &url, to: &to, sha256: None, bytes: None }, &quick(), &mut |_| {}).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("(4 attempts). Check the network") && !text.contains('\n'), "{text}");
}

/// A zip archive of these members.
fn zipped(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn an_entry_is_fetched_file_by_file_and_out_of_its_archive() {
    let archive = zipped(&[("set/a.txt", b"first"), ("set/../../evil.txt", b"never"), ("set/b.txt", b"second")]);
    let server = serve(move |_, request, stream| match request.path.as_str() {
        "/set.zip" => honest(&archive, request, stream, usize::MAX, ""),
        "/plain.txt" => honest(b"plain", request, stream, usize::MAX, ""),
        _ => status(stream, "404 Not Found"),
    });
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let url = |path: &str| Some(leak(format!("{}{path}", server.address)));
    let file = |names: &'static [&'static str], url, member, sha256, required| DataFile {
        names,
        url,
        member,
        sha256,
        bytes: None,
        required,
    };
    let first = leak(sha256_hex(b"first"));
    let wrong = leak(sha256_hex(b"something else"));
    let mut entry = catalogue::find("mutag").unwrap().clone();
    entry.folders = &["made"];
    entry.files = Box::leak(Box::new([
        file(&["raw/a.txt"], url("/set.zip"), Some("set/a.txt"), Some(first), true),
        file(&["b.txt"], url("/set.zip"), Some("set/b.txt"), Some(wrong), true),
        file(&["plain.txt"], url("/plain.txt"), None, None, true),
        file(&["extra.txt"], url("/extra.txt"), None, None, false),
        file(&["nowhere.txt"], None, None, None, false),
    ]));
    let folder = tempfile::tempdir().unwrap();
    // A member that is not what it should be is said, and is not kept; what was right is.
    let text = fetch(&entry, folder.path(), &quick(), &mut |_| {}).unwrap_err().to_string();
    assert!(text.contains("set/b.txt in http") && text.contains(wrong), "{text}");
    assert_eq!(fs::read(folder.path().join("made/raw/a.txt")).unwrap(), b"first");
    assert!(!folder.path().join("made/b.txt").exists());

    let mut files = entry.files.to_vec();
    files[1].sha256 = None;
    entry.files = Box::leak(files.into_boxed_slice());
    let folders = DataFolders::new(vec![folder.path().to_path_buf()]);
    assert!(matches!(entry.on_this_machine(&folders), Presence::Partly { .. }));
    let report = fetch(&entry, folder.path(), &quick(), &mut |_| {}).unwrap();
    assert_eq!((report.fetched.len(), report.present.len(), report.skipped.len()), (2, 1, 2), "{report:?}");
    assert_eq!(entry.on_this_machine(&folders), Presence::Here { folder: folder.path().to_path_buf() });
    assert_eq!(fs::read(folder.path().join("made/b.txt")).unwrap(), b"second");
    assert_eq!(files_in(&folder.path().join("made")), ["b.txt", "plain.txt", "raw"]);
    let again = fetch(&entry, folder.path(), &quick(), &mut |_| {}).unwrap();
    assert_eq!((again.fetched.len(), again.present.len()), (0, 3));
}

#[test]
fn made_data_needs_no_download() {
    let folder = tempfile::tempdir().unwrap();
    let entry = catalogue::find("ring-transfer").unwrap();
    let text = fetch(entry, folder.path(), &quick(), &mut |_| {}).unwrap_err().to_string();
    assert_eq!(text, "ring-transfer is made on the spot and needs no download.");
}

#[test]
fn a_body_that_does_not_end_is_cut_at_the_known_size() {
    let folder = tempfile::tempdir().unwrap();
    let (to, bytes) = (folder.path().join("file.bin"), content());
    // No length, and more than the file has: only the catalogue knows its size.
    let server = serve(move |_, _, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        for _ in 0..10_000 {
            if stream.write_all(&[7; 1 << 16]).is_err() {
                return;
            }
        }
    });
    let (result, _) = get(&server, &to, &bytes);
    let text = result.unwrap_err().to_string();
    assert!(text.contains("the file has bytes more than 1,200,000 where 1,200,000 is expected"), "{text}");
    assert_eq!(files_in(folder.path()), Vec::<String>::new());
    assert_eq!(server.seen.lock().unwrap().len(), 1);
}

#[test]
fn a_server_that_drips_is_given_up_on() {
    let folder = tempfile::tempdir().unwrap();
    let (to, bytes) = (folder.path().join("file.bin"), content());
    let served = bytes.clone();
    let server = serve(move |_, request, stream| honest(&served, request, stream, 1, ""));
    let (result, _) = get(&server, &to, &bytes);
    let text = result.unwrap_err().to_string();
    assert!(text.contains("(80 attempts)"), "{text}");
    assert_eq!(server.seen.lock().unwrap().len(), 80);
}
