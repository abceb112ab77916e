//! What happened at the largest burst, as `compare` tells it: who was paused and who lost first,
//! and whether the headroom is too little or too much.

use forebay_lab::results::number::{self, plural};
use forebay_parameters::grouped;
use forebay_scenarios::sonic::Story;
use forebay_scenarios::sonic::story::{HeadroomNeed, HeadroomOf, HeadroomUse};
use forebay_units::{Bytes, Duration};

use crate::terminal::wrapped;

/// The stories of all policies.
pub(super) fn told(stories: &[Story], burst: &str) -> String {
    let mut text = format!("\nAt a burst of {burst}, seed 1\n");
    for story in stories {
        text += &format!("  {}\n", story.policy);
        for sentence in sentences(story) {
            text += &wrapped(&sentence, 100, "    ");
        }
    }
    // The arithmetic is that of the configuration, whatever the policy.
    let needs = stories.first().map_or(&[][..], |story| &story.needs);
    if !needs.is_empty() {
        text += "  Headroom by arithmetic\n";
        for need in needs {
            text += &wrapped(&arithmetic(need), 100, "    ");
        }
    }
    text
}

fn sentences(story: &Story) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(headroom) = &story.headroom {
        said.push(match &story.first_paused {
            None => "nobody was paused".to_owned(),
            Some(first) => {
                let (pauses, ports) = story.pauses;
                let longest = story.longest.as_ref().map_or(String::new(), |(port, span)| {
                    format!(", {port} for longest, {} in all", short(*span))
                });
                format!(
                    "paused first: priority {} at {}, with {}, {} after the burst began; {} at \
                     {}{longest}",
                    first.priority,
                    first.port,
                    plural(u64::from(first.senders), "sender", "senders"),
                    short(first.after),
                    plural(pauses, "pause", "pauses"),
                    plural(u64::from(ports), "port", "ports"),
                )
            }
        });
        said.push(used(headroom));
    }
    let (arrived, all) = story.arrived;
    if arrived < all {
        said.push(format!(
            "only {} B of the {} B of the burst arrived before the run ended",
            whole(arrived),
            whole(all)
        ));
    }
    said.push(match &story.first_loss {
        None if arrived < all => "nothing of what arrived was lost".to_owned(),
        None => "nothing of the burst was lost".to_owned(),
        Some(loss) => {
            let lost: Vec<String> = [("lossy", story.lost[0]), ("lossless", story.lost[1])]
                .iter()
                .filter(|(_, (_, arrived))| *arrived > Bytes::ZERO)
                .map(|(kind, (lost, all))| {
                    format!("{:.3} % of the {kind} burst", 100.0 * share(*lost, *all))
                })
                .collect();
            let of = loss.profile.as_ref();
            let of = of.map_or(String::new(), |name| format!(", BUFFER_PROFILE|{name}"));
            format!(
                "lost first: a {} packet of sender {} through {}, {} after the burst began \
                 ({}{of}); {}",
                if loss.lossless { "lossless" } else { "lossy" },
                loss.sender,
                loss.port,
                short(loss.after),
                loss.cause,
                lost.join(", ")
            )
        }
    });
    let (marked, all) = story.marked;
    if marked > 0 {
        said.push(format!("marked: {} of {} packets of the burst", grouped(marked), grouped(all)));
    }
    if let Some(completed) = story.completed {
        said.push(format!("the burst was complete after {}", short(completed)));
    }
    said
}

/// "headroom: 33,600 B of 80,000 B …".
fn used(headroom: &HeadroomUse) -> String {
    let left = headroom.configured.get().saturating_sub(headroom.used.get());
    let pool = headroom.pool.map_or(String::new(), |(used, all)| {
        format!("; of the {} B that groups share, {} B at once", whole(all), whole(used))
    });
    format!(
        "headroom: at most {} B of {} B in use, at {}; {} B of it never{pool}",
        whole(headroom.used),
        whole(headroom.configured),
        headroom.port,
        grouped(left)
    )
}

/// What links need, and by how much the configuration has more or less.
fn arithmetic(need: &HeadroomNeed) -> String {
    let (mtu, at_most) = need.needed_at_most;
    let (table, name, at) = match &need.of {
        HeadroomOf::Profile { name, port, link: (speed, metres) } => {
            ("BUFFER_PROFILE", name, format!("At {port} ({speed}, {metres} m)"))
        }
        HeadroomOf::Pool { name, ports } => {
            let ports = plural(*ports as u64, "port", "ports");
            ("BUFFER_POOL", name, format!("At {ports} at once"))
        }
    };
    format!(
        "{table}|{name}.xoff is {} B. {at} packets as they are played need {} B: {}. Packets of \
         64 B to {} B in any mixture need {} B: {}",
        whole(need.configured),
        whole(need.needed),
        beside(need.configured, need.needed),
        whole(mtu),
        whole(at_most),
        beside(need.configured, at_most)
    )
}

fn beside(configured: Bytes, needed: Bytes) -> String {
    let (have, need) = (configured.get(), needed.get());
    match have.cmp(&need) {
        std::cmp::Ordering::Less => format!("too little by {} B", grouped(need - have)),
        std::cmp::Ordering::Equal => "just enough".to_owned(),
        std::cmp::Ordering::Greater => format!("too much by {} B", grouped(have - need)),
    }
}

fn whole(bytes: Bytes) -> String {
    grouped(bytes.get())
}

fn share(part: Bytes, all: Bytes) -> f64 {
    part.get() as f64 / all.get().max(1) as f64
}

fn short(span: Duration) -> String {
    number::time(span)
}
