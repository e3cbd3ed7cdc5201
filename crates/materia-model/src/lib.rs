//! The pure half of `materia`: it decides what should happen.
//!
//! Owns the languages (names, documents, records, templates, recipes, loadouts, casts) and the
//! decisions made from them. Never accesses a file, a clock, a process or the environment: all
//! input is an argument, and all output is a return value. The engine and the front ends call it;
//! it calls none of them.
//!
//! The list below is the order of the modules: a module may use those above it, never below.

#![allow(
    missing_docs,
    reason = "fields and variants are documented where their name does not say it all"
)]

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
