//! What the folder of a disk cache holds: any bytes, any payloads in right frames, right records
//! with damage, a body with damage, and a start on all that records can say. What is read is a
//! beginning of what was written; never a panic, never a wrong byte.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use forebay_pingora::fuzzing::{Damage, Logged, any_index, any_start, damaged_body, damaged_index};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Said {
    Put {
        key: u8,
        primary: u8,
        generation: Generation,
        length: u64,
        waited: [u64; 2],
        waiters: u32,
        meta: [Vec<u8>; 2],
    },
    Changed {
        key: u8,
        generation: Generation,
        meta: [Vec<u8>; 2],
    },
    Removed {
        key: u8,
        generation: Generation,
    },
}

/// Mostly small ones, so that records meet.
#[derive(Arbitrary, Debug)]
enum Generation {
    Small(u8),
    Any(u64),
}

impl Generation {
    fn number(self) -> u64 {
        match self {
            Generation::Small(number) => u64::from(number % 4),
            Generation::Any(number) => number,
        }
    }
}

#[derive(Arbitrary, Debug)]
enum Folder {
    Index { bytes: Vec<u8>, payloads: Vec<Vec<u8>> },
    Records { said: Vec<Said>, damage: (u32, u32, u8) },
    Body { keys: [u128; 2], length: u32, damage: (u32, u32, u8) },
    Start { said: Vec<Said> },
}

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("forebay-fuzz-disk-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
});

fn logged(said: Vec<Said>) -> Vec<Logged> {
    let of = |said| match said {
        Said::Put { key, primary, generation, length, waited, waiters, meta } => Logged::Put {
            keys: [u128::from(key % 8), primary.into()],
            generation: generation.number(),
            length,
            waited,
            waiters,
            meta,
        },
        Said::Changed { key, generation, meta } => {
            Logged::Changed { key: u128::from(key % 8), generation: generation.number(), meta }
        }
        Said::Removed { key, generation } => {
            Logged::Removed { key: u128::from(key % 8), generation: generation.number() }
        }
    };
    said.into_iter().map(of).collect()
}

fuzz_target!(|folder: Folder| {
    let damage = |(stays, place, flip)| Damage { stays, place, flip };
    let done = match folder {
        Folder::Index { bytes, payloads } => any_index(&FOLDER.join("any"), &bytes, &payloads),
        Folder::Records { said, damage: of } => {
            damaged_index(&FOLDER.join("records"), &logged(said), damage(of))
        }
        Folder::Body { keys, length, damage: of } => {
            damaged_body(&FOLDER.join("body"), keys, length as usize % 200_000, damage(of))
        }
        Folder::Start { said } => any_start(&FOLDER, &logged(said)),
    };
    done.unwrap();
});
