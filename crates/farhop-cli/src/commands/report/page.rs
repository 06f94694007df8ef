//! The page around all pieces: one file that needs nothing else.

use super::html::{Markup, link};
use crate::picture::{STYLE, escaped};

/// What stands on a page.
pub struct Page {
    /// What kind of report it is.
    pub kind: &'static str,
    pub title: String,
    /// In a sentence or two.
    pub lead: Markup,
    /// Behind the lead: numbers that matter, what is missing.
    pub top: Markup,
    /// Where to find what: id and words.
    pub contents: Vec<(String, String)>,
    pub body: Markup,
    /// Version of farhop that made the runs.
    pub version: String,
}

impl Page {
    /// The whole file.
    pub fn html(&self) -> String {
        let title = escaped(&self.title);
        let links: Markup = self.contents.iter().map(|(id, words)| link(id, words)).collect();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <meta name=\"generator\" content=\"farhop\">\n<title>{title}</title>\n<style>\n{}{STYLE}</style>\n</head>\n<body>\n\
             <header>\n<p class=\"eyebrow\">farhop · {}</p>\n<h1>{title}</h1>\n{}{}<nav aria-label=\"Contents\">{}</nav>\n</header>\n\
             <main>\n{}</main>\n<footer>Trained with farhop {}.</footer>\n</body>\n</html>\n",
            include_str!("page.css"),
            escaped(self.kind),
            self.lead.text(),
            self.top.text(),
            links.text(),
            self.body.text(),
            escaped(&self.version)
        )
    }
}
