//! The model of the core: found, built, started.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::RtlError;
use super::process;

/// What the model is built with: the sources in a checkout, and their tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RtlTools {
    /// The checkout's folder `rtl`.
    sources: PathBuf,
    /// The tools' Python.
    python: PathBuf,
}

/// Where the tools are in a checkout, if nothing else is said.
const TOOLS: &str = ".tools/rtl";

impl RtlTools {
    /// The checkout around the folder `from`, or around the tools, and the tools in `tools`, which
    /// are the checkout's own if that is `None`.
    ///
    /// # Errors
    /// There is no checkout, or there are no tools.
    pub fn find(tools: Option<&Path>, from: &Path) -> Result<Self, RtlError> {
        let around = |folder: &Path| {
            folder
                .ancestors()
                .find(|folder| folder.join("rtl/tm/replay/replay.cpp").is_file())
                .map(Path::to_path_buf)
        };
        let absolute = |folder: &Path| std::path::absolute(folder).unwrap_or(folder.to_path_buf());
        let checkout = around(&absolute(from))
            .or_else(|| tools.and_then(|tools| around(&absolute(tools))))
            .ok_or(RtlError::NoSources)?;
        let folder = tools.map_or_else(|| checkout.join(TOOLS), absolute);
        let python = folder.join("bin/python");
        if !python.exists() {
            return Err(RtlError::NoTools { folder });
        }
        Ok(RtlTools { sources: checkout.join("rtl"), python })
    }

    /// Builds the model of a core with these parameters, by its names, unless it is there, or
    /// `stop` is raised; the program.
    ///
    /// # Errors
    /// What the tools say, or that it was stopped.
    pub(super) fn build(
        &self,
        core: &str,
        parameters: &[(&'static str, u32)],
        wave: bool,
        stop: &AtomicBool,
    ) -> Result<PathBuf, RtlError> {
        let mut command = Command::new(&self.python);
        command.args(["-m", "flow", "model", core]).current_dir(&self.sources);
        command.args(parameters.iter().map(|(name, value)| format!("{name}={value}")));
        if wave {
            command.arg("wave=1");
        }
        let (status, said, failed) = output(&mut command, stop)
            .map_err(|error| RtlError::Build(format!("{}: {error}", self.python.display())))?;
        if stop.load(Ordering::Relaxed) {
            return Err(RtlError::Stopped);
        }
        match said.lines().last() {
            Some(program) if status.success() => Ok(PathBuf::from(program)),
            Some(_) | None => Err(RtlError::Build(failed.trim().to_owned())),
        }
    }
}

/// Runs a command to its end, or until `stop` is raised; what it says on both its outputs.
fn output(
    command: &mut Command,
    stop: &AtomicBool,
) -> std::io::Result<(ExitStatus, String, String)> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = process::start(command)?;
    let (said, failed) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let said = scope.spawn(|| process::text(said));
        let failed = scope.spawn(|| process::text(failed));
        let status = process::wait(&mut child, || stop.load(Ordering::Relaxed))?;
        Ok((status, said.join().unwrap_or_default(), failed.join().unwrap_or_default()))
    })
}

/// Starts the model: `shares` are beats of each port in 2^32 cycles, `settings` are the driver's
/// own, `wave` is a file for its signals and the cycles of which it gets them.
pub(super) fn start(
    program: &Path,
    shares: &[u64],
    settings: &[&str],
    wave: Option<&(PathBuf, std::ops::Range<u64>)>,
) -> Result<Child, RtlError> {
    let shares: Vec<_> = shares.iter().map(u64::to_string).collect();
    let mut command = Command::new(program);
    command.arg(shares.join(",")).args(settings);
    if let Some((file, cycles)) = wave {
        command.arg(file).arg(cycles.start.to_string()).arg(cycles.end.to_string());
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    process::start(&mut command).map_err(|error| RtlError::Broken(error.to_string()))
}
