//! The model of the core: found, built, started.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::config::CoreConfig;
use super::error::RtlError;

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

    /// Builds the model, unless it is there; the program.
    ///
    /// # Errors
    /// What the tools say.
    pub(super) fn build(
        &self,
        core: &CoreConfig,
        ports: u16,
        classes: u16,
        wave: bool,
    ) -> Result<PathBuf, RtlError> {
        let parameters = core.parameters(ports, classes);
        let mut command = Command::new(&self.python);
        command.args(["-m", "flow", "model", "tm"]).current_dir(&self.sources);
        command.args(parameters.iter().map(|(name, value)| format!("{name}={value}")));
        if wave {
            command.arg("wave=1");
        }
        let done = command.stdin(Stdio::null()).output();
        let done = done.map_err(|error| RtlError::Build(error.to_string()))?;
        let said = String::from_utf8_lossy(&done.stdout);
        match said.lines().last() {
            Some(program) if done.status.success() => Ok(PathBuf::from(program)),
            Some(_) | None => {
                Err(RtlError::Build(String::from_utf8_lossy(&done.stderr).trim().to_owned()))
            }
        }
    }
}

/// Starts the model: `shares` are beats of each port in 2^32 cycles, `wave` a file for its signals
/// and the cycles of which it gets them.
pub(super) fn start(
    program: &Path,
    shares: &[u64],
    expels: bool,
    wave: Option<&(PathBuf, std::ops::Range<u64>)>,
) -> Result<Child, RtlError> {
    let shares: Vec<_> = shares.iter().map(u64::to_string).collect();
    let mut command = Command::new(program);
    command.arg(shares.join(",")).arg(if expels { "1" } else { "0" });
    if let Some((file, cycles)) = wave {
        command.arg(file).arg(cycles.start.to_string()).arg(cycles.end.to_string());
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(|error| RtlError::Broken(error.to_string()))
}
