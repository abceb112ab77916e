//! What JavaScript calls: texts and bytes in, JSON out; an error is thrown as its sentence.

use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::command::command;
use crate::error::LabError;
use crate::panel;
use crate::run::{Inputs, Run};
use crate::setup::Setup;

fn thrown(error: impl ToString) -> String {
    error.to_string()
}

fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(thrown)
}

/// The setup with all that it left out, as JSON.
///
/// # Errors
/// It is no setup.
#[wasm_bindgen]
pub fn read_setup(setup: &str) -> Result<String, String> {
    Ok(Setup::read(setup).map_err(thrown)?.text())
}

/// The [`Panel`](crate::Panel) of a side, as JSON.
///
/// # Errors
/// There is no such policy or parameter, or it cannot have its value.
#[wasm_bindgen(js_name = panel)]
pub fn panel_of(setup: &str, side: usize) -> Result<String, String> {
    let setup = Setup::read(setup).map_err(thrown)?;
    json(&panel::panel(&setup, side).map_err(thrown)?)
}

/// The command that gives the digits of a side; empty where there is none.
///
/// # Errors
/// It is no setup.
#[wasm_bindgen(js_name = command)]
pub fn command_of(setup: &str, side: usize) -> Result<String, String> {
    let setup = Setup::read(setup).map_err(thrown)?;
    let side = setup.side(side).map_err(thrown)?;
    Ok(command(&setup, side).unwrap_or_default())
}

/// The flow file of a network's setup, for the command.
///
/// # Errors
/// It is no setup of a network, or its flows cannot be made.
#[wasm_bindgen]
pub fn flows(setup: &str) -> Result<String, String> {
    match Setup::read(setup).map_err(thrown)? {
        #[cfg(feature = "switches")]
        Setup::Network(setup) => {
            use crate::traffic::{flow_file, graph};
            let graph = graph(&setup.topology).map_err(thrown)?;
            flow_file(&setup, &graph).map_err(thrown)
        }
        #[cfg(not(feature = "switches"))]
        Setup::Network(_) => Err(thrown(LabError::elsewhere("network"))),
        other @ (Setup::Capture(_) | Setup::Cache(_) | Setup::Jobs(_)) => {
            let problem = format!("a setup of {} has no flows", other.lab());
            Err(thrown(LabError::at("lab", problem)))
        }
    }
}

/// What a `config_db.json` means, and a setup with its buffer, as JSON.
///
/// # Errors
/// It is no configuration; a line for each mistake.
#[wasm_bindgen(js_name = sonic)]
pub fn sonic_of(file: &[u8]) -> Result<String, String> {
    #[cfg(feature = "others")]
    return json(&crate::sonic::read(file).map_err(thrown)?);
    #[cfg(not(feature = "others"))]
    return Err(thrown(LabError::elsewhere(&format!("a configuration of {} bytes", file.len()))));
}

/// A side under way.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SideRun(Run);

#[wasm_bindgen]
impl SideRun {
    /// The side of this number, 0 or 1; `capture` and its `name` are read by laboratories of
    /// captures alone.
    ///
    /// # Errors
    /// The setup cannot be run.
    #[wasm_bindgen(constructor)]
    pub fn new(
        setup: &str,
        side: usize,
        name: &str,
        capture: Option<Vec<u8>>,
    ) -> Result<SideRun, String> {
        let setup = Setup::read(setup).map_err(thrown)?;
        let inputs = Inputs { capture: capture.map(|file| (name.to_owned(), file)) };
        Run::new(&setup, side, &inputs).map(SideRun).map_err(thrown)
    }

    /// Goes on for so much; whether it is over.
    ///
    /// # Errors
    /// It cannot go on.
    pub fn advance(&mut self, effort: f64) -> Result<bool, String> {
        self.0.advance(effort).map_err(thrown)
    }

    /// The [`Picture`](crate::Picture) as it stands, as JSON.
    ///
    /// # Errors
    /// None that is known: a picture is data.
    pub fn picture(&self) -> Result<String, String> {
        json(&self.0.picture())
    }

    /// The digits of the whole, as the command has them.
    ///
    /// # Errors
    /// It is not over.
    pub fn report(&mut self, wall_s: f64) -> Result<String, String> {
        self.0.report(wall_s).map_err(thrown)
    }
}
