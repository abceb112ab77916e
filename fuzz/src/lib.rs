//! What several targets check: the promises of a file, whether its bytes are any or were made to be
//! read.

pub mod experiment;
pub mod tree;
