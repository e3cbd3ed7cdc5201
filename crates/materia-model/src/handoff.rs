//! Handoffs: the contract of a socket's output, its extraction from a text, and its changes to the
//! state.
//!
//! Owns value paths, the extraction of JSON from an answer (C5), the contract of a socket (C6),
//! assignments (C8) and the writes of a valid payload. Never calls an agent, never routes: `cast`
//! decides what follows a bad answer.
//!
//! ```
//! use materia_model::handoff::{OutputAuthor, OutputContract, extract};
//!
//! let contract = OutputContract {
//!     author: OutputAuthor::Agent,
//!     generator: false,
//!     needs_satisfied: true,
//!     assign: Vec::new(),
//! };
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
