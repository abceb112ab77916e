//! What the command's pages share: their look, their plots, and uPlot 1.6.32 under the MIT licence
//! beside it.

/// A file: where it is found, its `Content-Type`, and what is in it.
pub(crate) type File = (&'static str, &'static str, &'static str);

pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

pub(crate) const PLOTS: File = ("/plots.js", SCRIPT, include_str!("view/page/plots.js"));
pub(crate) const LOOK: File = ("/view.css", STYLE, include_str!("view/page/view.css"));
pub(crate) const UPLOT: File =
    ("/uplot.js", SCRIPT, include_str!("view/page/uplot/uPlot.iife.min.js"));
pub(crate) const UPLOT_LOOK: File =
    ("/uplot.css", STYLE, include_str!("view/page/uplot/uPlot.min.css"));
