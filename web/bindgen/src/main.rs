//! `bindgen MODULE FOLDER`: the module of the engine, and the JavaScript and types that call it.
//!
//! What `wasm-bindgen` the command does, as a program of this workspace, so that the version is
//! pinned by its lock file and nothing has to be installed.

use std::path::PathBuf;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [module, folder] = arguments.as_slice() else {
        eprintln!("error: give the module and the folder to write to");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let made = bindgen.input_path(module).web(true).map(|bindgen| {
        bindgen.typescript(true).remove_name_section(true).remove_producers_section(true)
    });
    match made.and_then(|bindgen| bindgen.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}: {error:#}", module.display());
            ExitCode::FAILURE
        }
    }
}
