//! The options for traces.

use std::num::NonZeroU32;
use std::path::PathBuf;

use forebay_trace::{Bounds, TraceOutput, TraceWindow};

/// What is traced, and into which file.
#[derive(clap::Args)]
pub(crate) struct TraceArguments {
    /// Write what happens in the switches to this file, a trace for ui.perfetto.dev.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Trace only this span, as "1 ms..2 ms"; either end may be omitted.
    #[arg(long, value_name = "FROM..TO", requires = "trace", default_value = "..")]
    trace_window: TraceWindow,
    /// Trace one packet in N, and read levels at one event in N.
    #[arg(long, value_name = "N", requires = "trace", default_value = "1")]
    trace_sample: NonZeroU32,
}

impl TraceArguments {
    /// The requested trace.
    pub(crate) fn output(&self) -> Option<TraceOutput> {
        let bounds = Bounds { window: self.trace_window, sample: self.trace_sample };
        self.trace.clone().map(|path| TraceOutput { path, bounds })
    }
}
