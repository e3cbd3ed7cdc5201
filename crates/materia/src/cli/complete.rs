//! Completes a command line: commands and options from the grammar, ids and names from the engine.
//!
//! Owns which argument takes which kind of name. Never fails: without proposals, the shell
//! completes file names.

use clap::{Arg, ArgAction, Args, Command};
use materia_model::text;

use crate::view::Screen;
use crate::world::World;
use materia_engine::api::{CompletionKind, MAX_COMPLETIONS};

/// Say what could stand at the end of a line
#[derive(Debug, Args)]
pub(super) struct Complete {
    /// The line up to the cursor, the program's name first
    #[arg(long, conflicts_with = "words", allow_hyphen_values = true)]
    line: Option<String>,

    /// The words behind the program's name, the last one being typed
    #[arg(last = true)]
    words: Vec<String>,
}

impl Complete {
    pub(super) fn run(self, world: &World, screen: Screen) -> u8 {
        let words = match &self.line {
            Some(line) => split(line),
            None => self.words,
        };
        let typed = words.last().cloned().unwrap_or_default();
        let mut found = proposals(world, &words);
        found.retain(|(name, _)| name.starts_with(&typed));
        let line = |(name, about): &(String, String)| {
            let about = text::bounded(about.lines().next().unwrap_or_default(), 80).into_owned();
            format!("{}\t{}\n", text::printable(name), text::printable(&about))
        };
        screen.text(
            &found
                .iter()
                .take(MAX_COMPLETIONS)
                .map(line)
                .collect::<String>(),
        );
        0
    }
}

/// Splits a line into words, without the program's name. Adds an empty last word if the line ends
/// in whitespace, because a new word begins there.
fn split(line: &str) -> Vec<String> {
    let mut words: Vec<String> = line
        .split_whitespace()
        .skip(1)
        .map(|word| word.trim_matches(['\'', '"']).to_owned())
        .collect();
    if line.ends_with(char::is_whitespace) {
        words.push(String::new());
    }
    words
}

type Proposal = (String, String);

fn proposals(world: &World, words: &[String]) -> Vec<Proposal> {
    let Some((typed, before)) = words.split_last() else {
        return Vec::new();
    };
    let command = super::grammar();
    let mut at = Place {
        command: &command,
        path: Vec::new(),
        wants: None,
        given: Vec::new(),
    };
    before.iter().for_each(|word| at.take(word));
    if let Some(option) = at.wants {
        return values(world, &at, option);
    }
    if let Some((name, _)) = typed.split_once('=').filter(|_| typed.starts_with("--")) {
        let option = at.option(name);
        let all = option
            .map(|option| values(world, &at, option))
            .unwrap_or_default();
        return all
            .into_iter()
            .map(|(value, about)| (format!("{name}={value}"), about))
            .collect();
    }
    if typed.starts_with('-') {
        return options(at.command);
    }
    let below: Vec<Proposal> = at
        .command
        .get_subcommands()
        .filter(|one| !one.is_hide_set())
        .map(named)
        .collect();
    if !below.is_empty() && at.given.is_empty() {
        return below;
    }
    let places: Vec<&Arg> = at.command.get_positionals().collect();
    let next = places
        .get(at.given.len())
        .or(places.last().filter(|last| is_many(last)));
    next.map(|next| values(world, &at, next))
        .unwrap_or_default()
}

/// The parser's position after the words so far.
struct Place<'c> {
    command: &'c Command,
    path: Vec<&'c str>,
    /// The option whose value is expected next.
    wants: Option<&'c Arg>,
    /// The positional arguments so far.
    given: Vec<String>,
}

impl<'c> Place<'c> {
    fn take(&mut self, word: &str) {
        if self.wants.take().is_some() {
            return;
        }
        if word.starts_with('-') && word.len() > 1 {
            let takes =
                |option: &&Arg| matches!(option.get_action(), ArgAction::Set | ArgAction::Append);
            self.wants = self.option(word).filter(takes);
            return;
        }
        match self
            .command
            .find_subcommand(word)
            .filter(|_| self.given.is_empty())
        {
            Some(below) => {
                self.command = below;
                self.path.push(below.get_name());
            }
            None => self.given.push(word.to_owned()),
        }
    }

    fn option(&self, word: &str) -> Option<&'c Arg> {
        self.command.get_arguments().find(|option| {
            option
                .get_long()
                .is_some_and(|long| word.strip_prefix("--") == Some(long))
                || option
                    .get_short()
                    .is_some_and(|short| word == format!("-{short}"))
        })
    }
}

fn is_many(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Append)
}

fn named(command: &Command) -> Proposal {
    (
        command.get_name().to_owned(),
        command
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default(),
    )
}

fn options(command: &Command) -> Vec<Proposal> {
    let shown = command
        .get_arguments()
        .filter(|option| !option.is_hide_set());
    let long = |option: &Arg| {
        let about = option
            .get_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        Some((format!("--{}", option.get_long()?), about))
    };
    shown.filter_map(long).collect()
}

/// The values of an argument: its possible values if it has a fixed set, otherwise names from the
/// engine.
fn values(world: &World, at: &Place<'_>, argument: &Arg) -> Vec<Proposal> {
    let own = argument.get_possible_values();
    if !own.is_empty() {
        let one = |value: &clap::builder::PossibleValue| {
            (
                value.get_name().to_owned(),
                value
                    .get_help()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
            )
        };
        return own
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(one)
            .collect();
    }
    let path = at.path.as_slice();
    match (path, argument.get_id().as_str()) {
        (["wait"], "runs") => runs(world, &["run"]),
        (["message"], "to") => runs(world, &["run", "room"]),
        (["inspect"], "target") => {
            let fixed = ["session:all", "tool:materia", "coordinator"]
                .map(|one| (one.to_owned(), String::new()));
            runs(world, &["run", "room"])
                .into_iter()
                .chain(fixed)
                .collect()
        }
        (["inspect"], "view") => VIEWS.map(|view| (view.to_owned(), String::new())).to_vec(),
        (["message"], "kind") => KINDS.map(|kind| (kind.to_owned(), String::new())).to_vec(),
        (
            [
                "resume" | "continue" | "recast" | "revive" | "abort" | "cast-show" | "status"
                | "fork" | "budget",
            ],
            "id",
        ) => names(world, &CompletionKind::Cast),
        (["link"], "from") | (["budget"], "words") => names(world, &CompletionKind::Cast),
        (["fork"], "at") => match at.given.first() {
            Some(cast) => names(world, &CompletionKind::CastStep(cast.clone())),
            None => Vec::new(),
        },
        (_, "loadout") | (["loadout", "use"], "name") => names(world, &CompletionKind::Loadout),
        (["link" | "autocast"], "targets" | "target") => {
            let materia = names(world, &CompletionKind::Materia);
            let loadouts = names(world, &CompletionKind::Loadout).into_iter();
            loadouts.chain(materia).collect()
        }
        (["run" | "spawn" | "explain"], "words") if at.given.is_empty() => {
            names(world, &CompletionKind::Recipe)
        }
        (["recipe", ..], "name") | (["tool", "register"], "from") => {
            names(world, &CompletionKind::Recipe)
        }
        (["tool", ..], "name") => names(world, &CompletionKind::Tool),
        (["quest", ..], "quest" | "id" | "before" | "after") => {
            names(world, &CompletionKind::Quest)
        }
        (["man" | "help"], _) => super::grammar()
            .get_subcommands()
            .filter(|one| !one.is_hide_set())
            .map(named)
            .collect(),
        _ => Vec::new(),
    }
}

const VIEWS: [&str; 13] = [
    "status",
    "tail",
    "messages",
    "mailbox",
    "communication",
    "artifacts",
    "files",
    "previews",
    "roster",
    "contacts",
    "runs",
    "triage",
    "doctor",
];
const KINDS: [&str; 5] = [
    "control.kill",
    "control.stop",
    "control.continue",
    "control.abort",
    "chat.message",
];

fn runs(world: &World, prefixes: &[&str]) -> Vec<Proposal> {
    let ids = world.engine().complete(&CompletionKind::Run);
    let addresses = |prefix| {
        ids.iter()
            .map(move |id| (format!("{prefix}:{}", id.name), String::new()))
    };
    prefixes.iter().flat_map(addresses).collect()
}

fn names(world: &World, kind: &CompletionKind) -> Vec<Proposal> {
    let names = world.engine().complete(kind).into_iter();
    names.map(|one| (one.name, one.about)).collect()
}
