//! What should happen: the pure half of `materia`.
//!
//! Owns the languages (names, documents, records, later templates, recipes, loadouts, casts) and
//! the decisions made from them. Never touches a file, a clock, a process or the environment:
//! everything is an argument, and everything it concludes is a return value. The engine and the
//! doors call it; it calls nobody.
//!
//! The list below is the order of the rooms: a room may use rooms above it, never below.

pub mod text;
pub mod secret;
pub mod time;
pub mod finding;
pub mod name;
pub mod document;
pub mod record;
pub mod template;
pub mod message;
pub mod run;
pub mod recipe;
pub mod import;
pub mod materia;
pub mod loadout;
pub mod picture;
pub mod handoff;
pub mod utility;
pub mod agent;
pub mod cast;
pub mod actor;
pub mod run_fold;
pub mod quest;
pub mod link;
