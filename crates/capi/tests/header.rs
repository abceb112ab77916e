//! `include/forebay.h` is what cbindgen writes.

use std::path::Path;

#[test]
fn the_header_is_that_of_the_source() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(here.join("cbindgen.toml")).unwrap();
    let builder = cbindgen::Builder::new().with_config(config).with_src(here.join("src/capi.rs"));
    let mut written = Vec::new();
    builder.generate().unwrap().write(&mut written);
    let path = here.join("include/forebay.h");
    if std::env::var_os("FOREBAY_WRITE_HEADER").is_some() {
        std::fs::write(&path, &written).unwrap();
    }
    let there = std::fs::read(&path).unwrap_or_default();
    assert!(there == written, "write it anew: FOREBAY_WRITE_HEADER=1 cargo test -p forebay-capi");
}
