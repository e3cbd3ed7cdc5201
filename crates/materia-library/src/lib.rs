//! The steps that the shipped recipes are made of.
//!
//! Owns the table of steps and one file per step or service. A step reads `key=value` arguments and
//! its stdin, and reports once. A service reports when its run is stopped. Never prints, never
//! reads argv or the environment: all input comes from the `StepContext`. Called by `materia
//! utility`.

mod files;
mod artifact_write;
mod artifact_manifest;
mod actor_message;
mod changelog_section;
mod package_summary;
mod skill_summary;
mod playlist_build;
mod jsonl_tail;
mod markdown_index;
mod validation;
mod validate_recipes;
mod runs;
mod run_ops_snapshot;
mod service;
mod locker;
mod worker;
mod room_swarm;
mod music_player;

use materia_engine::utility::step::RecipeStep;

/// Every step, by the name that recipes use.
pub const STEPS: &[RecipeStep] = &[
    RecipeStep {
        name: "artifact-write",
        about: "write stdin, or `source=FILE`, to a file in one piece",
        takes: "path | mode source check",
        act: artifact_write::run,
    },
    RecipeStep {
        name: "artifact-manifest",
        about: "describe a file: title, status, size, digest",
        takes: "path | title status summary",
        act: artifact_manifest::run,
    },
    RecipeStep {
        name: "actor-message",
        about: "put stdin into a message; with `send=true` inside a run, send it",
        takes: "type | to from summary metadata correlation reply-to send",
        act: actor_message::run,
    },
    RecipeStep {
        name: "changelog-section",
        about: "show one version's section of a changelog",
        takes: "file | version",
        act: changelog_section::run,
    },
    RecipeStep {
        name: "package-summary",
        about: "show what a package says about itself",
        takes: "| scope file",
        act: package_summary::run,
    },
    RecipeStep {
        name: "skill-summary",
        about: "show what skills say about themselves",
        takes: "| scope file",
        act: skill_summary::run,
    },
    RecipeStep {
        name: "playlist-build",
        about: "list the music below a directory",
        takes: "directory | extensions max-depth mode",
        act: playlist_build::run,
    },
    RecipeStep {
        name: "jsonl-tail",
        about: "show the last records of a JSONL file",
        takes: "file | lines",
        act: jsonl_tail::run,
    },
    RecipeStep {
        name: "markdown-index",
        about: "list the documents of a directory with their titles",
        takes: "directory | title pattern format",
        act: markdown_index::run,
    },
    RecipeStep {
        name: "validation",
        about: "run a check without a shell, and say how it ended",
        takes: "command | scope timeout-ms report",
        act: validation::run,
    },
    RecipeStep {
        name: "validate-recipes",
        about: "say what is wrong with a recipe, or with all of a directory",
        takes: "| target all",
        act: validate_recipes::run,
    },
    RecipeStep {
        name: "run-summary",
        about: "list all runs with their status",
        takes: "| root",
        act: runs::summary,
    },
    RecipeStep {
        name: "run-state-files",
        about: "list files of one name below the directories of runs",
        takes: "| root name max-depth",
        act: runs::state_files,
    },
    RecipeStep {
        name: "run-ops-snapshot",
        about: "show how runs stand, which are stale, and what to do",
        takes: "| root run lines stale-minutes",
        act: run_ops_snapshot::run,
    },
    RecipeStep {
        name: "locker",
        about: "keep a queue and locks with leases, by message; inside a run",
        takes: "| lease-ms prefix",
        act: locker::run,
    },
    RecipeStep {
        name: "lock-snapshot",
        about: "show what a lock service keeps",
        takes: "| run state-dir lines",
        act: locker::snapshot,
    },
    RecipeStep {
        name: "worker",
        about: "take a branch's messages one by one; inside a run",
        takes: "| branch command max-messages artifacts",
        act: worker::run,
    },
    RecipeStep {
        name: "room-swarm",
        about: "let roles work on the mission on stdin in a room; inside a run",
        takes: "| mode rounds delay roles roles-path lease-ms ttl-ms artifact agent model thinking tools",
        act: room_swarm::run,
    },
    RecipeStep {
        name: "music-player",
        about: "play music, steered by messages; inside a run",
        takes: "source | command loop volume player",
        act: music_player::run,
    },
];
