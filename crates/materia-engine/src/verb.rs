//! The facade: everything a door can ask for, one file per verb.
//!
//! Owns the verbs' inputs and reports. A verb takes plain data and returns plain data, so that the
//! command line, the browser and an agent get the same answer. Never prints and never parses argv.

pub mod agent;
pub mod doctor;
pub mod skill;
pub mod template;
pub mod recipe;
pub mod tool;
pub mod run;
pub mod trust;
pub mod init;
pub mod status;
pub mod spawn;
pub mod wait;
pub mod message;
pub mod receive;
pub mod watch;
pub mod actor;
pub mod inspect;
pub mod cast;
pub mod casts;
pub mod cast_show;
pub mod cast_status;
pub mod demo;
pub mod budget;
pub mod fork;
pub mod link;
pub mod quest;
pub mod utility;
pub mod validate;
pub mod loadout;
pub mod grid;
pub mod export;
pub mod import;
pub mod definition;
pub mod trial;
pub mod session;
pub mod browser;
pub mod steer;
pub mod activity;
pub mod plan;
pub mod top;
