//! The reports of every story of the page, and of a capture, as a native build computes them: what
//! the module in Node and in a browser must give, too.
//!
//! ```text
//! cargo run --example reports > reports.json
//! ```

use std::error::Error;
use std::path::Path;

use forebay_web::{Inputs, Run, Setup};
use serde_json::{Map, Value, json};

/// A capture of the experiments.
const CAPTURE: &str = "experiments/themis/captures/mixed-programs.pcap";

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let stories = std::fs::read_to_string(root.join("web/src/stories.json"))?;
    let stories: Vec<Value> = serde_json::from_str(&stories)?;
    let capture = std::fs::read(root.join(CAPTURE))?;
    let mut setups: Vec<(String, Value, Inputs)> = Vec::new();
    for story in stories {
        let id = story["id"].as_str().unwrap_or_default().to_owned();
        setups.push((id, story["setup"].clone(), Inputs::default()));
    }
    let inputs = Inputs { capture: Some(("mixed-programs.pcap".to_owned(), capture)) };
    let sides = [json!({"policy": "drop-tail"}), json!({"policy": "occamy"})];
    setups.push(("capture".to_owned(), json!({"lab": "capture", "sides": sides}), inputs));
    let mut reports = Map::new();
    for (id, setup, inputs) in setups {
        let read = Setup::read(&setup.to_string())?;
        let mut pair = Vec::new();
        for side in 0..2 {
            let mut run = Run::new(&read, side, &inputs)?;
            while !run.advance(1000.0)? {}
            pair.push(serde_json::from_str::<Value>(&run.report(0.0)?)?);
        }
        reports.insert(id, json!({ "setup": setup, "reports": pair }));
    }
    println!("{:#}", Value::Object(reports));
    Ok(())
}
