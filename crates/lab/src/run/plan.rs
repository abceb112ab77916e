//! Which runs an experiment has, and under which key each is stored.
//!
//! The key is a BLAKE3 hash over everything a result depends on: the program's version, the
//! engine's sources, the scenario and its own version, the policy, the seed, every parameter, and
//! the content of the files it names. So a changed engine or parameter never finds an old row.
//! Complexity: linear in runs × parameters.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use forebay_files::Files;

use crate::config::Experiment;
use crate::digest::field;
use crate::error::{ConfigError, ConfigErrors};
use crate::resolved::Resolved;
use forebay_parameters::Kind;

/// The hash of the engine's sources, or "" if the program was built without them.
pub const ENGINE_HASH: &str = env!("FOREBAY_ENGINE_HASH");

/// The program's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Changes when the layout of stored parts does.
const PART_FORMAT: &str = "forebay part 1";

/// One run of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its policy's place in the experiment.
    pub policy: usize,
    /// Its point's index.
    pub point: usize,
    /// The seed that it draws from, at least 1.
    pub seed: u64,
    /// Under which key its result is stored: 32 hexadecimal digits.
    pub key: String,
}

/// Every run, in the order of the result tables: policy, point, seed.
///
/// # Errors
/// A file that a parameter names cannot be read.
pub fn runs(experiment: &Experiment) -> Result<Vec<Run>, ConfigErrors> {
    let mut files = HashMap::new();
    let mut points = Vec::with_capacity(experiment.point_count());
    for point in 0..experiment.point_count() {
        points.push(point_hash(experiment, &experiment.at_point(point), &mut files)?);
    }
    let mut runs = Vec::with_capacity(experiment.run_count());
    for (policy, info) in experiment.policies.iter().enumerate() {
        for (point, hash) in points.iter().enumerate() {
            for &seed in &experiment.seeds {
                let mut hasher = blake3::Hasher::new();
                hasher.update(hash.as_bytes());
                field(&mut hasher, &info.name);
                field(&mut hasher, &seed.to_string());
                let key = hasher.finalize().to_hex()[..32].to_owned();
                runs.push(Run { policy, point, seed, key });
            }
        }
    }
    Ok(runs)
}

/// The files that an experiment reads: its own, and those that parameters name.
#[must_use]
pub fn files(experiment: &Experiment) -> Files {
    let mut files = Files::default().read("the experiment", &experiment.source.name);
    let named = |params: &Resolved| -> Vec<PathBuf> {
        params.parameters().iter().filter_map(|one| params.file(one)).collect()
    };
    let any = experiment.params.parameters().iter().any(|one| one.spec.kind == Kind::Path);
    // Most experiments name none, and some have many points.
    let points = if any { experiment.point_count() } else { 0 };
    let found: BTreeSet<PathBuf> =
        (0..points).flat_map(|point| named(&experiment.at_point(point))).collect();
    for path in found {
        files = files.read("a file that the experiment reads", path);
    }
    files
}

/// A hash of the whole configuration: scenario, policies, seeds and every point's parameters.
#[must_use]
pub fn configuration_hash(runs: &[Run]) -> String {
    let mut hasher = blake3::Hasher::new();
    for run in runs {
        hasher.update(run.key.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

fn point_hash(
    experiment: &Experiment,
    params: &Resolved,
    files: &mut HashMap<PathBuf, blake3::Hash>,
) -> Result<blake3::Hash, ConfigErrors> {
    let mut hasher = blake3::Hasher::new();
    let scenario = &experiment.scenario;
    for text in [PART_FORMAT, VERSION, ENGINE_HASH, scenario.name(), scenario.version()] {
        field(&mut hasher, text);
    }
    for parameter in params.parameters() {
        field(&mut hasher, &parameter.spec.name);
        field(&mut hasher, &parameter.value.to_string());
        if let Some(path) = params.file(parameter) {
            hasher.update(file_hash(path, files)?.as_bytes());
        }
    }
    Ok(hasher.finalize())
}

fn file_hash(
    path: PathBuf,
    files: &mut HashMap<PathBuf, blake3::Hash>,
) -> Result<blake3::Hash, ConfigErrors> {
    if let Some(hash) = files.get(&path) {
        return Ok(*hash);
    }
    let mut hasher = blake3::Hasher::new();
    let mut read = || {
        let mut file = std::fs::File::open(&path)?;
        // A run reads the file again, which a pipe does not allow, and a device may never end.
        if !file.metadata()?.is_file() {
            return Err(std::io::Error::other("it is not a regular file"));
        }
        std::io::copy(&mut file, &mut hasher).map(|_| ())
    };
    if let Err(error) = read() {
        let message = format!("cannot read {}: {error}", path.display());
        return Err(ConfigError::new(message).fix("give a file that can be read").into());
    }
    let hash = hasher.finalize();
    files.insert(path, hash);
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::{GOOD, read, set};
    use crate::testing::registry;

    #[test]
    fn keys_are_distinct_and_depend_on_values_alone() {
        let base = runs(&read(GOOD, &Default::default()).unwrap()).unwrap();
        let mut keys: Vec<&str> = base.iter().map(|run| run.key.as_str()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 18);
        let renamed = GOOD.replace("A queue", "Another title").replace("a guess", "a reason");
        assert_eq!(base, runs(&read(&renamed, &Default::default()).unwrap()).unwrap());
        let changed = runs(&read(GOOD, &set(&[("wait", "21 us")])).unwrap()).unwrap();
        assert!(base.iter().zip(&changed).all(|(a, b)| a.key != b.key));
        assert_ne!(configuration_hash(&base), configuration_hash(&changed));
    }

    #[test]
    fn the_content_of_a_file_is_part_of_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("trace");
        let read = || {
            let text = GOOD.replace("[switch]", "file = \"trace\"\n[switch]");
            let none = Default::default();
            Experiment::read("e.toml", text.as_bytes(), folder.path(), &none, &registry())
        };
        assert!(read().unwrap_err().to_string().contains("e.toml:8:8: there is no file"));
        std::fs::write(&file, "one").unwrap();
        let one = runs(&read().unwrap()).unwrap();
        std::fs::write(&file, "two").unwrap();
        assert_ne!(one, runs(&read().unwrap()).unwrap());
    }

    #[test]
    fn the_order_is_policy_point_seed() {
        let all = runs(&read(GOOD, &Default::default()).unwrap()).unwrap();
        let order: Vec<_> = all.iter().map(|run| (run.policy, run.point, run.seed)).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(order, sorted);
    }
}
