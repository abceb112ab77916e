//! Mistakes with pools: oversubscribed, on the wrong side, unused.

use forebay_units::Bytes;

use super::words::{bytes, profile_path};
use super::{Check, Report, Seen, Severity, counted};
use crate::config::{Direction, Kind};

/// More is reserved than the pool has.
pub(super) const OVERSUBSCRIBED: Check = Check {
    name: "oversubscribed-pool",
    about: "reservations, headroom included, and shared headroom exceed the pool",
    severity: Severity::Warning,
    run: oversubscribed,
};

fn oversubscribed(seen: &Seen<'_>, report: &mut Report<'_>) {
    for (pool, share) in seen.config.pools.iter().zip(seen.shares) {
        let Some(size) = pool.size.filter(|_| share.lacking.get() > 0) else { continue };
        let (members, reserved) = (share.members, share.reserved.get());
        let message = format!(
            "{} reserve {} in all and shared headroom takes {}, {} more than the pool's {}: \
             nothing is left to share; lower `size` of the profiles or raise the pool's",
            counted(members, "member"),
            bytes(reserved),
            bytes(pool.shared_headroom.get()),
            bytes(share.lacking.get()),
            bytes(size.get())
        );
        report(format!("BUFFER_POOL|{}.size", pool.name), message);
    }
}

/// A queue in an ingress pool, a priority group in an egress pool.
pub(super) const WRONG_DIRECTION: Check = Check {
    name: "wrong-direction",
    about: "a queue draws from an ingress pool, or a priority group from an egress pool",
    severity: Severity::Warning,
    run: wrong_direction,
};

fn wrong_direction(seen: &Seen<'_>, report: &mut Report<'_>) {
    let cases = [
        (Kind::Queue, Direction::Ingress, "queue", "an ingress pool", "an egress"),
        (Kind::PriorityGroup, Direction::Egress, "priority group", "an egress pool", "an ingress"),
    ];
    for (index, profile) in seen.config.profiles.iter().enumerate() {
        let pool = &seen.config.pools[profile.pool];
        for (kind, wrong, who, what, right) in cases {
            let of_profile = |m: &&crate::config::Member| m.profile == index && m.kind == kind;
            let count = seen.config.members.iter().filter(of_profile).count();
            if count > 0 && pool.direction == wrong {
                let message = format!(
                    "it is the profile of {}, but `{}` is {what}: point `pool` to {right} pool, \
                     unless the switch counts both sides in one, as files for Teralynx chips do",
                    counted(count as u64, who),
                    pool.name
                );
                report(format!("{}.pool", profile_path(seen, index)), message);
            }
        }
    }
}

/// A pool without members.
pub(super) const UNUSED_POOL: Check = Check {
    name: "unused-pool",
    about: "nothing draws from a pool; vendors ship such files, for pools that a switch needs or \
            fills itself",
    severity: Severity::Note,
    run: unused_pool,
};

fn unused_pool(seen: &Seen<'_>, report: &mut Report<'_>) {
    let config = seen.config;
    for (index, pool) in config.pools.iter().enumerate() {
        let limits = config.port_limits.iter().map(|limit| limit.profile);
        let mut users = config.members.iter().map(|member| member.profile).chain(limits);
        let used = users.any(|profile| config.profiles[profile].pool == index);
        let empty = pool.size == Some(Bytes::ZERO);
        if !used && !empty && config.unread.is_empty() {
            let message = "no queue, priority group or port draws from it: check the names that \
                           should; files that vendors ship may have such pools"
                .to_owned();
            report(format!("BUFFER_POOL|{}", pool.name), message);
        }
    }
}

/// A profile without members.
pub(super) const UNUSED_PROFILE: Check = Check {
    name: "unused-profile",
    about: "nothing refers to a profile",
    severity: Severity::Note,
    run: unused_profile,
};

fn unused_profile(seen: &Seen<'_>, report: &mut Report<'_>) {
    // What is not read may refer to any of them.
    if !seen.config.unread.is_empty() {
        return;
    }
    let mut used = vec![false; seen.config.profiles.len()];
    for member in &seen.config.members {
        used[member.profile] = true;
    }
    for limit in &seen.config.port_limits {
        used[limit.profile] = true;
    }
    for index in (0..used.len()).filter(|index| !used[*index]) {
        let message = "nothing refers to it: remove it, or check the names that should".to_owned();
        report(profile_path(seen, index), message);
    }
}

/// Keys of a form that is not read.
pub(super) const UNREAD_KEYS: Check = Check {
    name: "unread-keys",
    about: "keys of priority groups or queues have a form that is not read, so that the numbers \
            are of the others alone",
    severity: Severity::Warning,
    run: unread_keys,
};

fn unread_keys(seen: &Seen<'_>, report: &mut Report<'_>) {
    let Some(first) = seen.config.unread.first() else { return };
    let message = format!(
        "{} of a form that is not read (port|index and host|asic|port|index are): their members \
         are missing in every number here, and whatever seems unused may be theirs",
        match seen.config.unread.len() {
            1 => "the key is".to_owned(),
            more => format!("this and {} are", counted(more as u64 - 1, "more key")),
        }
    );
    report(first.clone(), message);
}

/// A pool whose size the switch computes.
pub(super) const UNKNOWN_SIZE: Check = Check {
    name: "unknown-size",
    about: "the switch computes a pool's size, so that thresholds have no bytes here",
    severity: Severity::Note,
    run: unknown_size,
};

fn unknown_size(seen: &Seen<'_>, report: &mut Report<'_>) {
    for pool in seen.config.pools.iter().filter(|pool| pool.size.is_none()) {
        let message =
            "the switch computes it at run time: for numbers in bytes, put in the size that \
                       `show buffer configuration` or the state database gives"
                .to_owned();
        report(format!("BUFFER_POOL|{}.size", pool.name), message);
    }
}
