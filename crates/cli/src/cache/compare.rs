//! `forebay cache compare`: whether hit rates would have chosen the policy that latencies choose (thesis Fig.
//! 2.4).

use forebay_lab::scenarios::delayed_hits::drive;

use super::SimulateArguments;
use super::simulate::failure;
use crate::terminal::{self, columns};
use crate::{Failure, experiment};

pub(super) fn compare(arguments: &SimulateArguments) -> Result<(), Failure> {
    let params = arguments.trace.params()?;
    let stop = experiment::stop_flag();
    let mut found = Vec::new();
    for policy in &arguments.policies {
        let run = || {
            let setup = drive::Setup::new(&params, policy, arguments.trace.seed)?;
            let classical = setup.run(policy, true, &stop)?;
            let actual = setup.run(policy, false, &stop)?;
            Ok((policy.as_str(), classical.misses, actual.latency, actual.mean()))
        };
        found.push(run().map_err(|error| failure(policy, &error, true))?);
    }
    let verdict = |a: usize, b: usize| {
        let same = found[a].1.cmp(&found[b].1) == found[a].2.total_cmp(&found[b].2);
        if same { "agree" } else { "MISLEADS" }.to_owned()
    };
    let mut table =
        vec![vec![String::new(), "classical misses".to_owned(), "mean latency".to_owned()]];
    table[0].extend(found.iter().skip(1).map(|row| row.0.to_owned()));
    for (index, (policy, misses, _, mean)) in found.iter().enumerate() {
        let mut cells = vec![(*policy).to_owned(), misses.to_string(), format!("{mean:.3}")];
        let pair = |other| if other > index { verdict(index, other) } else { String::new() };
        cells.extend((1..found.len()).map(pair));
        table.push(cells);
    }
    let meaning =
        "\nMISLEADS: by hit rates without delayed hits, the other policy of the pair is better.\n";
    terminal::print(&(columns(&table, 1) + meaning));
    Ok(())
}
