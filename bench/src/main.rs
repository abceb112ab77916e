//! Races Forebay's parts against their peers, side by side in one run.

fn main() {}
