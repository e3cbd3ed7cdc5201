//! Making it happen, and remembering it.
//!
//! Owns every effect: time, files, processes, casts, later runs and agents. Decisions come from
//! `materia-model`; what people and agents see is made by the doors. Never prints, never reads argv
//! or the environment, never exits.
//!
//! The list below is the order of the rooms: a room may use rooms above it, never below.

pub mod clock;
pub mod home;
pub mod failpoint;
pub mod wake;
pub mod store;
pub mod process;
pub mod trust;
pub mod library;
pub mod registry;
pub mod execute;
pub mod run;
pub mod post;
pub mod config;
pub mod agent;
pub mod utility;
pub mod cast;
pub mod quest;
pub mod verb;
