//! Any bytes as what a results folder stores: a part, a table or a manifest, read or refused, never
//! a panic. A part with any numbers is written and read again the same.
#![no_main]

use std::fs;
use std::panic;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use forebay_lab::results::frame::DataFrame;
use forebay_lab::run::manifest::Manifest;
use forebay_lab::run::store::{Part, Store};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Stored<'a> {
    Part(&'a [u8]),
    Manifest(&'a [u8]),
    Written {
        values: Vec<(String, f64)>,
        series: Vec<(String, Vec<(f64, f64)>)>,
        seconds: Option<f64>,
    },
}

/// The parts' folder of a store of this process's own.
static STORE: LazyLock<(Store, PathBuf)> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("forebay-fuzz-{}", std::process::id()));
    (Store::open(&folder).unwrap(), folder.join("parts"))
});

/// Lets a panic of the parquet crate unwind to `DataFrame::from_parquet`, which answers it with an
/// error. The fuzzer's own hook would end the process before; any panic that nobody answers still
/// ends it, since the fuzzer catches what leaves the target.
fn let_parquet_unwind() {
    let abort = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let parquet = info.location().is_some_and(|at| at.file().contains("/parquet-"));
        if !parquet {
            abort(info);
        }
    }));
}

fuzz_target!(init: let_parquet_unwind(), |stored: Stored<'_>| {
    let (store, parts) = &*STORE;
    match stored {
        Stored::Part(bytes) => {
            fs::write(parts.join("raw.parquet"), bytes).unwrap();
            if let Err(error) = store.read_part("raw") {
                assert!(error.to_string().contains("raw.parquet"));
            }
            if let Ok(frame) = DataFrame::from_parquet(bytes.to_vec()) {
                assert!(frame.to_csv().lines().count() >= frame.rows());
            }
        }
        Stored::Manifest(bytes) => {
            let Ok(manifest) = serde_json::from_slice::<Manifest>(bytes) else { return };
            let again = serde_json::to_vec(&manifest).unwrap();
            assert!(serde_json::from_slice::<Manifest>(&again).is_ok());
            let _ = manifest.experiment.point_count();
        }
        Stored::Written { values, series, seconds } => {
            let values = values.into_iter().map(|(name, value)| (Arc::from(name), value)).collect();
            let series =
                series.into_iter().map(|(name, points)| (Arc::from(name), points)).collect();
            let part = Part { values, series, seconds };
            if store.write_part("own", &part).is_ok()
                && let Ok(Some(again)) = store.read_part("own")
            {
                // Debug tells NaN from NaN no more than it must.
                assert_eq!(format!("{again:?}"), format!("{part:?}"));
            }
        }
    }
});
