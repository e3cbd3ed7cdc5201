//! The fake program of the tests.
fn main() {}
