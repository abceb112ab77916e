//! The page that a proxy shows at its looking address.

use forebay_proxy::{Page, PageFile};

use crate::page::{File, HTML, LOOK, PLOTS, SCRIPT, UPLOT, UPLOT_LOOK};

const fn file((path, kind, text): File) -> PageFile {
    PageFile::new(path, kind, text)
}

pub(super) const PAGE: Page = Page(&[
    file(("/", HTML, include_str!("page/index.html"))),
    file(("/proxy.js", SCRIPT, include_str!("page/proxy.js"))),
    file(PLOTS),
    file(LOOK),
    file(UPLOT),
    file(UPLOT_LOOK),
]);
