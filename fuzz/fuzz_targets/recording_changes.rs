//! Any bytes as the changes of the policy while a run was recorded: changes in order that are
//! written and read again the same, or an error that says something; never a panic.
#![no_main]

use forebay_dataplane::record::PolicyChange;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let changes = match PolicyChange::read(bytes) {
        Ok(changes) => changes,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(changes.is_sorted_by_key(|change| change.after));
    assert!(changes.iter().all(|change| change.at().count() == change.devices.len()));
    let lines: String = changes
        .iter()
        .map(|change| serde_json::to_string(change).expect("it was read from JSON") + "\n")
        .collect();
    let again = PolicyChange::read(lines.as_bytes()).expect("it is what was read");
    assert_eq!(again, changes);
});
