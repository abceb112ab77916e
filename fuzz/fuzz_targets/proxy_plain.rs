//! Any bytes as what a client of the proxy begins with: a request that is taken for a plain one is,
//! as Pingora reads it, a request for the same, by which nothing is asked but that; never a panic.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use forebay_proxy::Config;
use forebay_proxy::fuzzing::plain;
use libfuzzer_sys::fuzz_target;

static CONFIG: LazyLock<Config> = LazyLock::new(|| {
    let text = "[[origin]]\nurl = \"http://127.0.0.1:9\"\n";
    Config::parse(text, Path::new("/")).expect("it is a configuration")
});

fuzz_target!(|bytes: &[u8]| plain(bytes, &CONFIG));
