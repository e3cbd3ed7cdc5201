//! Making it happen, and recording it.
//!
//! Owns every effect: time, files, processes, runs, casts and agents. Decisions come from
//! `materia-model`; front ends call [`api`] and render what it reports. Never prints, never reads
//! argv or the environment, never exits.
//!
//! The list below is the order of the modules: a module may use those above it, never those below.

pub mod clock;
pub mod home;
pub mod failpoint;
pub mod wake;
pub mod store;
pub mod process;
pub mod library;
pub mod registry;
pub mod execute;
pub mod run;
pub mod post;
pub mod config;
pub mod agent;
pub mod utility;
pub mod trust;
pub mod cast;
pub mod quest;
pub mod recipe;
pub mod launch;
pub mod routing;
pub mod actor;
pub mod agent_turn;
pub mod doctor;
pub mod inspect;
pub mod editor;
pub mod skill;
pub mod demo;
pub mod web_session;
pub mod error;
pub mod api;
