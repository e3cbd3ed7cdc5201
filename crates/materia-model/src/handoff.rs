//! Handoffs: what a socket's output must be, how it is found in a text, and what it changes in the
//! state.
//!
//! Owns value paths, the extraction of JSON from an answer (C5), the contract of a socket (C6),
//! assignments (C8) and the writes that a valid payload makes. Never asks anybody, never routes:
//! `cast` decides what a bad answer means.
//!
//! ```
//! use materia_model::handoff::{Author, Contract, extract};
//!
//! let contract = Contract { author: Author::Agent, generator: false, needs_satisfied: true, assign: Vec::new() };
//! let found = extract::answer("Verdict: {\"satisfied\": true}", &contract).unwrap();
//! assert_eq!(found.payload["satisfied"], true);
//! ```

pub mod path;
pub mod contract;
pub mod extract;
pub mod assign;
pub mod merge;

pub use assign::StateWrite;
pub use contract::{
    AcceptedOutput, InvalidOutput, OutputAuthor, OutputContract, OutputIssue, OutputStage,
};
