use forebay_net_run::network;
use forebay_units::Time;

use super::*;
use crate::{Patterns, Plan, Player, Report};

fn played(words: &str, topology: &str) -> Report {
    let plan = Plan::new(generate(words).unwrap()).unwrap();
    let net = network(topology, &[]).unwrap();
    let mut player = Player::new(plan, net, Patterns::default()).unwrap();
    assert!(player.advance(Time::MAX).unwrap());
    player.report()
}

/// The 64 bytes of an acknowledgement at 10 Gb/s, in µs: what is sent as a message arrives goes
/// behind it.
const ACK: f64 = 64.0 * 8.0 / 10_000.0;

/// Whole picoseconds of so many µs.
fn ps(us: f64) -> f64 {
    (us * 1e6).round()
}

#[test]
fn every_generator_runs_with_its_defaults_and_says_how_large_it_is() {
    for (name, parameters) in generators() {
        assert!(names_generator(name) && names_generator(&format!("{name}:x=1")));
        assert!(parameters.iter().any(|name| name == "iterations"), "{parameters:?}");
        for words in [name.to_owned(), format!("{name}:iterations=3")] {
            let job = generate(&words).unwrap();
            let nodes: usize = job.ranks.iter().map(Vec::len).sum();
            let make = GENERATORS.iter().find(|(known, _)| *known == name).unwrap().1;
            if words == name {
                let said = make().nodes() as usize;
                assert!((nodes..=nodes * 2).contains(&said), "{words}: {nodes}, {said}");
            }
            assert!(Plan::new(job).is_ok(), "{words}");
        }
    }
}

#[test]
fn both_schedules_of_a_pipeline_have_the_bubble_of_the_papers() {
    for schedule in ["1f1b", "gpipe"] {
        for (stages, microbatches) in [(1, 4), (2, 1), (4, 8), (8, 3)] {
            let words = format!(
                "pipeline:stages={stages},microbatches={microbatches},schedule={schedule},\
                 forward=100us,backward=200us,activation=1KB"
            );
            let report = played(&words, "star:8,100G,1us");
            // (m + p − 1) slots of both passes, and at most a message a crossing of a stage.
            let ideal = f64::from(microbatches + stages - 1) * 300.0;
            let messages = f64::from(2 * (stages - 1) * (microbatches + 1)) * 2.2;
            let end = report.end_us;
            assert!((ideal..=ideal + messages).contains(&end), "{words}: {end}, {ideal}");
            let computed = f64::from(microbatches) * 300.0;
            assert!(report.ranks.iter().all(|rank| rank.compute_us == computed), "{words}");
        }
    }
}

#[test]
fn a_pipeline_takes_exactly_what_a_hand_computes() {
    // Two stages, one microbatch: both passes of both, and a message of two hops each way, of 1,000
    // bytes and 52 of headers at 10 Gb/s.
    let words = "pipeline:stages=2,microbatches=1,forward=3us,backward=5us,activation=1KB";
    let message = 2.0 * (1.0 + 1052.0 * 8.0 / 10_000.0);
    let report = played(words, "star:2,10G,1us");
    assert_eq!(ps(report.end_us), ps(16.0 + 2.0 * message));
    assert_eq!(report.messages, 2);
    // The flush: the second iteration takes as long.
    let twice = played(&format!("{words},iterations=2"), "star:2,10G,1us");
    let [Some(first), Some(second)] = twice.iteration_ends_us[..] else { panic!("two iterations") };
    assert_eq!(first, report.end_us);
    assert!((second - 2.0 * first).abs() < 1e-6, "{first}, {second}");
}

#[test]
fn experts_wait_for_everybodys_part() {
    let words = "expert:ranks=2,layers=1,attention=3us,expert=5us,bytes=2KB,backward=0";
    let message = 2.0 * (1.0 + 1052.0 * 8.0 / 10_000.0);
    let report = played(words, "star:2,10G,1us");
    assert_eq!(ps(report.end_us), ps(8.0 + 2.0 * message));
    let back =
        played("expert:ranks=2,layers=1,attention=3us,expert=5us,bytes=2KB", "star:2,10G,1us");
    // The backward pass begins with an exchange as the last one ends: behind its acknowledgement.
    let both = 8.0 + 16.0 + 4.0 * message + ACK;
    assert_eq!(ps(back.end_us), ps(both));
}

#[test]
fn buckets_are_reduced_while_the_backward_pass_goes_on() {
    // Two ranks and two buckets: the first is reduced under the second half of the pass.
    let words = "data:ranks=2,forward=10us,backward=40us,gradients=4KB,buckets=2,step=1us";
    let step = 2.0 * (1.0 + 1052.0 * 8.0 / 10_000.0);
    let report = played(words, "star:2,10G,1us");
    assert_eq!(ps(report.end_us), ps(51.0 + 2.0 * step + ACK));
    let exposed = report.ranks[0].exposed_us;
    assert_eq!(ps(exposed), ps(2.0 * step + ACK), "only the last bucket");
}

#[test]
fn wrong_words_are_refused() {
    for (words, said) in [
        ("ring", "there is no generator ring: give one of data, expert, pipeline"),
        ("data:ranks", "ranks: give a parameter as name=value"),
        ("data:ranks=0", "ranks"),
        ("data:ranks=2,ranks=3", "it is given twice"),
        ("pipeline:stages=65536,microbatches=1048576", "nodes"),
        ("pipeline:schedule=best", "schedule"),
    ] {
        let error = generate(words).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}
