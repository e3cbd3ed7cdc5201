//! Steps: the small programs that recipes of the library are made of, native (R7).
//!
//! Owns their table and what each is given: words such as `path=report.md`, stdin, and where things
//! are. Unlike the utilities of casts they read no input document; what flows to them is data. Each
//! answers once; a service answers when it is told to stop. Never prints: what a service says while
//! it runs goes through [`Asked::say`].

mod options;
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

use std::io::Read;
use std::path::Path;

use materia_model::name::RunId;

use super::answer::{Answer, Trouble};
use crate::clock::Clock;
use crate::library::Library;
use crate::process::Nursery;
use crate::run::Root;
use options::Options;

/// What a step is asked, and where.
pub struct Asked<'a> {
    /// `key=value` words.
    pub words: &'a [String],
    /// What flows to it.
    pub stdin: &'a mut dyn Read,
    /// Where relative paths begin.
    pub cwd: &'a Path,
    /// The person's home directory.
    pub home_dir: Option<&'a Path>,
    /// The directory of all runs.
    pub runs: &'a Root,
    /// Where recipes are found.
    pub library: &'a Library,
    /// The run that it is a part of.
    pub within: Option<&'a RunId>,
    /// The clock.
    pub clock: &'a Clock,
    /// Where its programs run.
    pub nursery: &'a mut Nursery,
    /// What it says while it runs, one line each.
    pub say: &'a mut dyn FnMut(&str),
}

impl std::fmt::Debug for Asked<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked")
            .field("words", &self.words)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// One step.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// What one types.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// The words it takes; those in front of the bar are required.
    pub takes: &'static str,
    act: fn(&mut Asked<'_>, &Options) -> Result<Answer, Trouble>,
}

/// All of them.
pub const STEPS: &[Step] = &[
    Step {
        name: "artifact-write",
        about: "write stdin, or `source=FILE`, to a file in one piece",
        takes: "path | mode source check",
        act: artifact_write::run,
    },
    Step {
        name: "artifact-manifest",
        about: "describe a file: title, status, size, digest",
        takes: "path | title status summary",
        act: artifact_manifest::run,
    },
    Step {
        name: "actor-message",
        about: "put stdin into a message; with `send=true` inside a run, send it",
        takes: "type | to from summary metadata correlation reply-to send",
        act: actor_message::run,
    },
    Step {
        name: "changelog-section",
        about: "show one version's section of a changelog",
        takes: "file | version",
        act: changelog_section::run,
    },
    Step {
        name: "package-summary",
        about: "show what a package says about itself",
        takes: "| scope file",
        act: package_summary::run,
    },
    Step {
        name: "skill-summary",
        about: "show what skills say about themselves",
        takes: "| scope file",
        act: skill_summary::run,
    },
    Step {
        name: "playlist-build",
        about: "list the music below a directory",
        takes: "directory | extensions max-depth mode",
        act: playlist_build::run,
    },
    Step {
        name: "jsonl-tail",
        about: "show the last records of a JSONL file",
        takes: "file | lines",
        act: jsonl_tail::run,
    },
    Step {
        name: "markdown-index",
        about: "list the documents of a directory with their titles",
        takes: "directory | title pattern format",
        act: markdown_index::run,
    },
    Step {
        name: "validation",
        about: "run a check without a shell, and say how it ended",
        takes: "command | scope timeout-ms report",
        act: validation::run,
    },
    Step {
        name: "validate-recipes",
        about: "say what is wrong with a recipe, or with all of a directory",
        takes: "| target all",
        act: validate_recipes::run,
    },
    Step {
        name: "run-summary",
        about: "list all runs with their status",
        takes: "| root",
        act: runs::summary,
    },
    Step {
        name: "run-state-files",
        about: "list files of one name below the directories of runs",
        takes: "| root name max-depth",
        act: runs::state_files,
    },
    Step {
        name: "run-ops-snapshot",
        about: "show how runs stand, which are stale, and what to do",
        takes: "| root run lines stale-minutes",
        act: run_ops_snapshot::run,
    },
    Step {
        name: "locker",
        about: "keep a queue and locks with leases, by message; inside a run",
        takes: "| lease-ms prefix",
        act: locker::run,
    },
    Step {
        name: "lock-snapshot",
        about: "show what a lock service keeps",
        takes: "| run state-dir lines",
        act: locker::snapshot,
    },
    Step {
        name: "worker",
        about: "take a branch's messages one by one; inside a run",
        takes: "| branch command max-messages artifacts",
        act: worker::run,
    },
    Step {
        name: "room-swarm",
        about: "let roles work on the mission on stdin in a room; inside a run",
        takes: "| mode rounds delay roles roles-path lease-ms ttl-ms artifact agent model thinking tools",
        act: room_swarm::run,
    },
    Step {
        name: "music-player",
        about: "play music, steered by messages; inside a run",
        takes: "source | command loop volume player",
        act: music_player::run,
    },
];

impl Step {
    /// Does it.
    pub fn run(&self, asked: &mut Asked<'_>) -> Result<Answer, Trouble> {
        let options = Options::read(self, asked.words)?;
        (self.act)(asked, &options)
    }
}

/// How we start ourselves.
fn ourselves() -> &'static str {
    // Also when the file of the program was replaced meanwhile.
    "/proc/self/exe"
}

/// A command line whose `materia` is the program that runs now.
fn program_words(words: &[String]) -> Vec<String> {
    let own = |(index, word): (usize, &String)| {
        if index == 0 && word == "materia" {
            ourselves().to_owned()
        } else {
            word.clone()
        }
    };
    words.iter().enumerate().map(own).collect()
}

/// The step of this name.
pub fn find(name: &str) -> Option<&'static Step> {
    STEPS.iter().find(|step| step.name == name)
}
