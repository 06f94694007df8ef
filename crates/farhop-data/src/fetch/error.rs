//! Why a download failed, on one line.

use crate::text::thousands;

/// Why a download failed: what was asked of whom, what came back, what to do.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The dataset is made, not downloaded.
    #[error("{name} is made on the spot and needs no download.")]
    NothingToFetch {
        /// The dataset.
        name: String,
    },
    /// Upstream has no such file.
    #[error("{name}: no address is known for {file}. Put the file there by hand; `data show {name}` says what it is.")]
    NotPublished {
        /// The dataset.
        name: String,
        /// Where the file belongs.
        file: String,
    },
    /// The server answered, and its answer will not change.
    #[error("{url}: the server answered {status} ({}). {}", status_name(*.status), status_remedy(*.status))]
    Status {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// The address gave a web page in place of the file.
    #[error("{url}: a web page came in place of the file. Open the address in a browser and save the file as {file}.")]
    WebPage {
        /// The address.
        url: String,
        /// Where the file belongs.
        file: String,
    },
    /// No connection, or it broke, more often than is put up with.
    #[error("{url}: {reason} ({attempts} attempts). Check the network, then fetch again: it goes on from {} bytes.", thousands(*.kept))]
    Network {
        /// The address.
        url: String,
        /// What failed last.
        reason: String,
        /// Attempts in a row without a byte.
        attempts: u32,
        /// Bytes that are kept.
        kept: u64,
    },
    /// The file came whole, and is another one.
    #[error(
        "{url}: the file has {what} {found} where {expected} is expected. It was not kept; upstream may have changed it."
    )]
    Checksum {
        /// The address.
        url: String,
        /// `SHA-256` or `bytes`.
        what: &'static str,
        /// What arrived.
        found: String,
        /// What the catalogue says.
        expected: String,
    },
    /// There is a file of this name with other content.
    #[error(
        "{file} is here already with {what} {found} where {expected} is expected. It was left as it is: move it away to fetch again."
    )]
    Different {
        /// The file.
        file: String,
        /// `SHA-256` or `bytes`.
        what: &'static str,
        /// What it has.
        found: String,
        /// What the catalogue says.
        expected: String,
    },
    /// The build has no TLS.
    #[error("{url}: {reason}. Download it by other means and save it as {file}.")]
    NoTls {
        /// The address.
        url: String,
        /// Why there is none.
        reason: &'static str,
        /// Where the file belongs.
        file: String,
    },
    /// The server cannot prove who it is.
    #[error(
        "{url}: the server's certificate is not trusted ({reason}). Behind a company's proxy, set SSL_CERT_FILE to the file of its authority."
    )]
    Certificate {
        /// The address.
        url: String,
        /// What is wrong with the certificate.
        reason: String,
    },
    /// The server points from https to http.
    #[error("{url}: the server points to an address without TLS, which is not followed. Download it by other means.")]
    Insecure {
        /// The address.
        url: String,
    },
    /// The disk refused.
    #[error("cannot write {file}: {source}.")]
    Write {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The archive is not what it should be.
    #[error("{file}: {reason}")]
    Archive {
        /// The archive.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl FetchError {
    /// Whether the server said no for good, so that an optional file can be done without.
    pub fn is_final_answer(&self) -> bool {
        matches!(self, FetchError::Status { .. } | FetchError::WebPage { .. })
    }
}

fn status_name(status: u16) -> &'static str {
    match status {
        401 => "login needed",
        403 => "forbidden",
        404 => "not found",
        410 => "gone",
        429 => "too many requests",
        500..=599 => "server error",
        _ => "refused",
    }
}

fn status_remedy(status: u16) -> &'static str {
    match status {
        404 | 410 => "Upstream has moved or removed the file.",
        401 | 403 => "Upstream does not hand the file out.",
        429 | 500..=599 => "Try again later.",
        _ => "The file cannot be had from there.",
    }
}
