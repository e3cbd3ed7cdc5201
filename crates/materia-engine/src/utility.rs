//! Utilities: deterministic programs, JSON on stdin and their result on stdout.
//!
//! Owns how a program of somebody else is called. What its end means is decided in the model.

pub mod call;
