//! The end of a program that gets no more memory: one line and exit code 1, without a single allocation on the way.

use std::fmt::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

static ENDS: AtomicBool = AtomicBool::new(false);
static DOING: AtomicPtr<&'static str> = AtomicPtr::new(std::ptr::null_mut());
static REMEDY: AtomicPtr<&'static str> = AtomicPtr::new(std::ptr::null_mut());

/// From now on an allocation that fails ends the process with one line on standard error and exit code 1, where Rust would
/// abort. For programs, not for libraries: what calls `try_reserve` ends, too. Only on Unix; elsewhere nothing changes.
/// `remedy` is the last sentence of the line.
pub fn end_when_exhausted(remedy: &'static &'static str) {
    REMEDY.store(std::ptr::from_ref(remedy).cast_mut(), Ordering::Relaxed);
    ENDS.store(true, Ordering::Relaxed);
}

/// What the program is busy with from now on, as the line of its end says it: "reading the data".
pub fn doing(what: &'static &'static str) {
    DOING.store(std::ptr::from_ref(what).cast_mut(), Ordering::Relaxed);
}

/// Passes on what the system gave for `size` bytes, or ends the process if that was nothing and it is asked to.
#[inline]
pub(super) fn checked(start: *mut u8, size: usize) -> *mut u8 {
    if start.is_null() && ENDS.load(Ordering::Relaxed) {
        end(size);
    }
    start
}

#[cold]
#[cfg(not(unix))]
fn end(_: usize) {}

#[cold]
#[cfg(unix)]
fn end(size: usize) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::SeqCst) {
        // SAFETY: what is stored there is a reference that lives as long as the process.
        let stored =
            |place: &AtomicPtr<&'static str>| unsafe { place.load(Ordering::Relaxed).as_ref() }.map_or("", |text| text);
        let line = line([stored(&DOING), stored(&REMEDY)], size as u64, in_use(), address_space());
        // SAFETY: the bytes are ours, and a short write is nothing that could be mended now.
        unsafe {
            // A bar on a terminal gives way.
            if libc::isatty(2) == 1 {
                libc::write(2, b"\r\x1b[2K".as_ptr().cast(), 5);
            }
            libc::write(2, line.bytes.as_ptr().cast(), line.length);
            // Nothing is flushed or dropped: files that are being written have their names only when they are complete.
            libc::_exit(1);
        }
    }
    // Another thread is about to end the process.
    loop {
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
}

/// A text of fixed size; what does not fit is left out.
struct Line {
    bytes: [u8; 400],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let free = &mut self.bytes[self.length..];
        let count = text.len().min(free.len());
        free[..count].copy_from_slice(&text.as_bytes()[..count]);
        self.length += count;
        Ok(())
    }
}

/// Bytes as a reader would say them.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..0x10_0000 => write!(formatter, "{:.0} KiB", (bytes / 1024.0).ceil()),
            0x10_0000..0x4000_0000 => write!(formatter, "{:.0} MiB", bytes / f64::from(1 << 20)),
            _ => write!(formatter, "{:.1} GiB", bytes / f64::from(1 << 30)),
        }
    }
}

/// `in_use` is what is mapped and what is resident; `most` the limit of what is mapped.
fn line([what, remedy]: [&str; 2], size: u64, in_use: Option<(u64, u64)>, most: Option<u64>) -> Line {
    let mut line = Line { bytes: [0; 400], length: 0 };
    let busy = if what.is_empty() { "" } else { " while " };
    let _ = write!(line, "error: out of memory{busy}{what}: the system gives no {} more", Bytes(size));
    let _ = match (in_use, most) {
        (Some((mapped, _)), Some(most)) => {
            write!(line, "; {} of {} are in use (ulimit -v)", Bytes(mapped), Bytes(most))
        }
        (Some((_, resident)), None) => write!(line, "; {} are in use", Bytes(resident)),
        _ => Ok(()),
    };
    let space = if remedy.is_empty() { "" } else { " " };
    let _ = writeln!(line, ".{space}{remedy}");
    line
}

/// Mapped and resident bytes of this process, where the system tells.
#[cfg(unix)]
fn in_use() -> Option<(u64, u64)> {
    let mut text = [0u8; 128];
    // SAFETY: the path ends with a zero, the buffer is as long as said, and the file is closed again.
    let count = unsafe {
        let file = libc::open(c"/proc/self/statm".as_ptr(), libc::O_RDONLY);
        if file < 0 {
            return None;
        }
        let count = libc::read(file, text.as_mut_ptr().cast(), text.len());
        libc::close(file);
        count
    };
    let text = std::str::from_utf8(text.get(..usize::try_from(count).ok()?)?).ok()?;
    let mut pages = text.split_ascii_whitespace().map(|number| number.parse::<u64>().ok());
    // SAFETY: a question about the system.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    Some((pages.next()?? * page, pages.next()?? * page))
}

/// The limit of what this process may map; none if there is none.
#[cfg(unix)]
pub(super) fn address_space() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure is ours to be filled.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0;
    #[allow(clippy::unnecessary_cast)] // Not 64 bits everywhere.
    let most = limit.rlim_cur as u64;
    (known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &Line) -> &str {
        std::str::from_utf8(&line.bytes[..line.length]).unwrap()
    }

    #[test]
    fn the_last_line_says_what_was_asked_for_and_what_there_is() {
        let (mib, gib) = (1 << 20, 1 << 30);
        assert_eq!(
            text(&line(["training", "Allow more memory."], 3 * gib / 2, Some((380 * mib, 200 * mib)), Some(400 * mib))),
            "error: out of memory while training: the system gives no 1.5 GiB more; 380 MiB of 400 MiB are in use (ulimit -v). \
             Allow more memory.\n"
        );
        let unlimited = line(["", ""], 100, Some((3 * gib, 2 * gib)), None);
        assert!(
            text(&unlimited).starts_with("error: out of memory: the system gives no 1 KiB more; 2.0 GiB are in use.\n"),
            "{}",
            text(&unlimited)
        );
        let unknown = line(["reading the data", "Allow more."], 5 * mib, None, Some(mib));
        assert!(text(&unknown).contains("no 5 MiB more. Allow"), "{}", text(&unknown));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_in_use_is_known() {
        let (mapped, resident) = in_use().unwrap();
        assert!(mapped > resident && resident > 1 << 16, "{mapped} {resident}");
    }
}
