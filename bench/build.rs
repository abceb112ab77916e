//! Compiles the peers that are written in C++, if there is a compiler; the race goes on without
//! them.

fn main() {
    println!("cargo::rerun-if-changed=cpp/heaps.cpp");
    println!("cargo::rustc-check-cfg=cfg(forebay_cpp)");
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(3).warnings(true).file("cpp/heaps.cpp");
    match build.try_compile("forebay_heaps") {
        Ok(()) => println!("cargo::rustc-cfg=forebay_cpp"),
        Err(error) => println!("cargo::warning=the C++ peers are left out: {error}"),
    }
}
