//! Rank functions: the number by which a scheduler orders packets
