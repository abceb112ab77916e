//! Links of pages to what is beside them.

use std::path::{Component, Path};

use super::html::escape;

/// A link to something beside the pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportLink {
    /// What is shown.
    pub text: String,
    /// Where it leads, relative to the pages.
    pub to: String,
}

impl ReportLink {
    /// A link that shows `text` and leads to `to`.
    #[must_use]
    pub fn new(text: impl Into<String>, to: impl Into<String>) -> Self {
        ReportLink { text: text.into(), to: to.into() }
    }

    /// A link from the pages in `folder` to a file, if that is there.
    #[must_use]
    pub fn to_file(text: impl Into<String>, folder: &Path, file: &Path) -> Option<Self> {
        file.exists().then(|| ReportLink::new(text, relative(folder, file)))
    }

    pub(super) fn html(&self) -> String {
        format!("<a href=\"{}\">{}</a>", escape(&self.to), escape(&self.text))
    }
}

/// Links in a row; nothing if there are none.
pub(super) fn links(links: &[ReportLink]) -> String {
    if links.is_empty() {
        return String::new();
    }
    let all: Vec<String> = links.iter().map(ReportLink::html).collect();
    format!("<p class=\"links\">{}</p>\n", all.join("\n"))
}

/// How a page in `folder` refers to a file.
fn relative(folder: &Path, file: &Path) -> String {
    let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let (from, to) = (absolute(folder), absolute(file));
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (from.components().collect(), to.components().collect());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - shared);
    let down = to[shared..].iter().map(|part| encoded(&part.as_os_str().to_string_lossy()));
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// A part of a path as it stands in a link.
fn encoded(text: &str) -> String {
    let keep = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(byte);
    text.bytes()
        .map(|byte| if keep(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_go_up_and_down() {
        let folder = tempfile::tempdir().unwrap();
        let (out, docs) = (folder.path().join("results/quick"), folder.path().join("a docs"));
        std::fs::create_dir_all(&out).unwrap();
        std::fs::create_dir_all(&docs).unwrap();
        assert_eq!(relative(&out, &docs), "../../a%20docs");
        assert_eq!(relative(&out, &out.join("x.html")), "x.html");
        assert_eq!(ReportLink::to_file("x", &out, &out.join("x.html")), None, "it is not there");
    }
}
