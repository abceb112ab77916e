//! What each input brings to each congested output: no input more than it can, none to itself, and
//! every output what it is to get.
//!
//! In proportion to what the inputs have left, corrected by inputs and by outputs in turn until
//! both fit. O(rounds · (inputs + outputs)).

/// Corrections after which what an output lacks is far below a packet.
const ROUNDS: usize = 2_000;

/// Of each input what it brings to each of `outputs`, in bits a second. `left` is what inputs can
/// bring; an output is the number of its own port and what it is to get.
pub(super) fn brought(left: &[u64], outputs: &[(usize, u64)]) -> Vec<Vec<f64>> {
    let all: f64 = left.iter().map(|one| *one as f64).sum();
    let wanted: f64 = outputs.iter().map(|(_, wanted)| *wanted as f64).sum();
    // Of every input, and of every output; the last is for what nobody needs.
    let mut inputs = vec![0.0; left.len()];
    let mut taken = vec![1.0; outputs.len() + 1];
    let mut place = vec![None; left.len()];
    for (output, (port, _)) in outputs.iter().enumerate() {
        place[*port] = Some(output);
    }
    for _ in 0..ROUNDS {
        let sum: f64 = taken.iter().sum();
        for (input, factor) in inputs.iter_mut().enumerate() {
            let own = place[input].map_or(0.0, |output: usize| taken[output]);
            *factor = if sum > own { left[input] as f64 / (sum - own) } else { 0.0 };
        }
        let sum: f64 = inputs.iter().sum();
        for (output, (port, wanted)) in outputs.iter().enumerate() {
            taken[output] = part(*wanted as f64, sum - inputs[*port]);
        }
        taken[outputs.len()] = part(all - wanted, sum);
    }
    let sum: f64 = taken.iter().sum();
    let row = |input: usize| {
        let own = place[input].map_or(0.0, |output| taken[output]);
        let each = part(left[input] as f64, sum - own);
        let to = |(output, (port, _)): (usize, &(usize, u64))| {
            if *port == input { 0.0 } else { each * taken[output] }
        };
        outputs.iter().enumerate().map(to).collect()
    };
    (0..left.len()).map(row).collect()
}

/// `amount` over `sum`; nothing of nothing.
fn part(amount: f64, sum: f64) -> f64 {
    if amount > 0.0 && sum > 0.0 { amount / sum } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(left: &[u64], outputs: &[(usize, u64)]) -> (Vec<f64>, Vec<f64>) {
        let all = brought(left, outputs);
        let rows = all.iter().map(|row| row.iter().sum()).collect();
        let columns = (0..outputs.len()).map(|to| all.iter().map(|row| row[to]).sum()).collect();
        (rows, columns)
    }

    #[test]
    fn outputs_get_theirs_and_inputs_bring_what_they_can() {
        let left = [0, 93, 87, 75, 90, 85, 70, 100];
        for outputs in [&[(1, 200)][..], &[(1, 200), (2, 200)], &[(1, 200), (2, 200), (3, 200)]] {
            let (rows, columns) = sums(&left, outputs);
            for (row, left) in rows.iter().zip(left) {
                assert!(*row <= left as f64 + 1e-6, "{rows:?}");
            }
            for (column, (_, wanted)) in columns.iter().zip(outputs) {
                assert!((column - *wanted as f64).abs() < 1e-6, "{columns:?}");
            }
        }
    }

    #[test]
    fn one_output_takes_in_proportion_and_no_port_sends_to_itself() {
        let all = brought(&[0, 50, 100, 100], &[(1, 100)]);
        let of: Vec<u64> = all.iter().map(|row| row[0].round() as u64).collect();
        assert_eq!(of, [0, 0, 50, 50]);
        assert_eq!(brought(&[10, 0], &[(0, 0)]), [[0.0], [0.0]]);
    }
}
