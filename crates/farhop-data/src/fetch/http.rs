//! One request, and what its answer means for a download.

use std::io::Read;
use std::time::Duration;

use ureq::http::HeaderMap;

use super::FetchOptions;
use super::error::FetchError;
use super::tls;

/// What the server said.
pub(super) struct Answer {
    /// Where the body starts in the file.
    pub start: u64,
    /// Bytes of the whole file, if the server says.
    pub total: Option<u64>,
    /// What names this version of the file, if the server says.
    pub version: Option<String>,
    /// The bytes.
    pub body: Box<dyn Read>,
}

/// Why there is no answer.
pub(super) enum Refused {
    /// It may pass: the reason, and how long the server wants to be left alone.
    ForNow(String, Option<Duration>),
    /// The part that is here does not fit what the server has: start over.
    StartOver,
    /// For good.
    ForGood(FetchError),
}

/// A client for one download.
pub(super) struct Client {
    agent: ureq::Agent,
}

impl Client {
    /// A client for `url`. An error if the address needs TLS and there is none; `file` is where the file belongs.
    pub fn new(url: &str, file: &str, options: &FetchOptions) -> Result<Client, FetchError> {
        let patience = Some(options.patience);
        let builder = ureq::Agent::config_builder()
            .http_status_as_error(false)
            // What was asked for over https does not come over http, wherever the server points.
            .https_only(url.starts_with("https:"))
            .user_agent(concat!("farhop/", env!("CARGO_PKG_VERSION")))
            .accept_encoding("identity")
            .timeout_resolve(patience)
            .timeout_connect(patience)
            .timeout_recv_response(patience)
            .timeout_per_read(patience);
        let no_tls = |reason| FetchError::NoTls { url: url.to_string(), reason, file: file.to_string() };
        let builder = tls::add(builder, url.starts_with("https:")).map_err(no_tls)?;
        Ok(Client { agent: builder.build().new_agent() })
    }

    /// Asks for the file from byte `start` on; `version` is what the bytes before it were of.
    pub fn ask(&self, url: &str, file: &str, start: u64, version: Option<&str>) -> Result<Answer, Refused> {
        let mut request = self.agent.get(url);
        if start > 0 {
            request = request.header("Range", format!("bytes={start}-"));
            if let Some(version) = version {
                request = request.header("If-Range", version);
            }
        }
        let response = request.call().map_err(|error| failed(url, &error))?;
        let status = response.status().as_u16();
        let (parts, body) = response.into_parts();
        let headers = parts.headers;
        let reader = || Box::new(body.into_reader()) as Box<dyn Read>;
        let version = text(&headers, "etag").filter(|tag| !tag.starts_with("W/"));
        match status {
            200 if is_web_page(&headers, file) => {
                Err(Refused::ForGood(FetchError::WebPage { url: url.to_string(), file: file.to_string() }))
            }
            200 => {
                let total = text(&headers, "content-length").and_then(|length| length.parse().ok());
                Ok(Answer { start: 0, total, version, body: reader() })
            }
            206 => match text(&headers, "content-range").as_deref().and_then(content_range) {
                Some((from, total)) if from == start => Ok(Answer { start, total, version, body: reader() }),
                _ => Err(Refused::StartOver),
            },
            416 => Err(Refused::StartOver),
            408 | 425 | 429 | 500 | 502 | 503 | 504 => {
                let pause = text(&headers, "retry-after").and_then(|seconds| seconds.parse().ok());
                let reason = format!("the server answered {status}");
                Err(Refused::ForNow(reason, pause.map(Duration::from_secs)))
            }
            _ => Err(Refused::ForGood(FetchError::Status { url: url.to_string(), status })),
        }
    }
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_string)
}

/// Start and total of `bytes 500-999/1000`.
fn content_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (from, _) = range.split_once('-')?;
    Some((from.trim().parse().ok()?, total.trim().parse().ok()))
}

fn is_web_page(headers: &HeaderMap, file: &str) -> bool {
    let page = text(headers, "content-type").is_some_and(|kind| kind.to_ascii_lowercase().starts_with("text/html"));
    page && !file.ends_with(".html")
}

/// Nearly every failure of a connection may pass; a certificate that is not trusted will not.
fn failed(url: &str, error: &ureq::Error) -> Refused {
    let text = error.to_string();
    if text.contains("certificate") {
        return Refused::ForGood(FetchError::Certificate { url: url.to_string(), reason: text });
    }
    if let ureq::Error::RequireHttpsOnly(_) = error {
        return Refused::ForGood(FetchError::Insecure { url: url.to_string() });
    }
    let reason = match error {
        ureq::Error::HostNotFound => "the server's name is not known, or there is no network".to_string(),
        ureq::Error::Timeout(_) => "no answer in time".to_string(),
        ureq::Error::ConnectionFailed => "no connection".to_string(),
        ureq::Error::Io(error) => format!("no connection ({error})"),
        other => other.to_string(),
    };
    Refused::ForNow(reason, None)
}

#[cfg(test)]
mod tests {
    use super::content_range;

    #[test]
    fn ranges_as_the_standard_writes_them() {
        // RFC 9110, section 14.4.
        assert_eq!(content_range("bytes 42-1233/1234"), Some((42, Some(1234))));
        assert_eq!(content_range("bytes 42-1233/*"), Some((42, None)));
        assert_eq!(content_range("bytes */1234"), None);
        assert_eq!(content_range("lines 1-2/3"), None);
    }
}
