//! The scheduling tree of policy `tree`: a file of the user's, or the built-in one.

use std::io::Read;
use std::path::Path;

use forebay_lab::{ConfigError, Resolved, config::MAX_FILE};
use forebay_sched::functions::RankConfig;
use forebay_sched::tree::TreeConfig;

use super::configure;

/// The tree that `scheduler.tree` names; what its file does not say of the leaves' orders is as in the parameters.
///
/// # Errors
/// Names the parameter, with the line or the node at fault.
pub fn tree(params: &Resolved) -> Result<TreeConfig, ConfigError> {
    let mut ranks = RankConfig::default();
    configure(&mut ranks, params)?;
    let Some(path) = params.path("scheduler.tree")? else {
        return Ok(TreeConfig { ranks, ..TreeConfig::by_class() });
    };
    let bad =
        |problem: String| params.blame("scheduler.tree", format!("{}: {problem}", path.display()));
    let text = text_of(&path).map_err(bad)?;
    TreeConfig::from_toml_over(&text, ranks).map_err(|error| bad(error.to_string()))
}

/// The text of a file that is no larger than an experiment may be.
fn text_of(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(|error| format!("cannot read it: {error}"))?;
    let read = file.take(MAX_FILE as u64 + 1).read_to_string(&mut text);
    read.map_err(|error| format!("cannot read it: {error}"))?;
    if text.len() > MAX_FILE {
        return Err(format!("a tree has at most {MAX_FILE} bytes; make it smaller"));
    }
    Ok(text)
}
