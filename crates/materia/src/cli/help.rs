//! The first page of help: every subcommand, grouped by task.
//!
//! Owns the groups and their order. The help of each subcommand stays in its own file; a line here
//! says what a group is for. A test compares this page with the existing subcommands.

/// The help page, for the grammar.
pub(super) const PAGE: &str = "\
{about}

{usage-heading} {usage}

Start here
  demo       Watch a whole cast: plan, build, evaluate, rework, commit
  init       Write a starter loadout and a recipe here, and explain them
  doctor     Check what this machine offers, and which agents are found
  top        Watch runs and casts live, and steer them, in the terminal
  ui         Draw loadouts, watch casts and steer runs in a browser

Casts: a request walks through a graph of roles and utilities
  cast       Drive a request through a loadout
  status     Say where a cast is, what it spent and what it needs from you
  continue   Answer a paused cast, or let it finish
  resume     Go on after Ctrl-C or a kill; `recast`, `revive` after a failure
  abort      End a cast
  casts      List the casts of this project; `cast-show` shows one step by step
  fork       Begin a new cast behind a finished step of another one
  link       Cast several loadouts in a row; `autocast` casts one by name
  quest      Keep requests on a board and run them one behind the other
  budget     Show what a cast may spend, or raise it, also while it runs

Loadouts: the graphs
  loadout    List loadouts, check them, or make one the active one
  grid       Draw a loadout; `plan` says how many turns it takes at most
  export     Write a loadout as a picture, or a cast as one page of HTML
  validate   Say what is wrong with configs and recipes; `schema` for editors
  trust      Agree to what this project's own config would run

Actors: any program, spawned, messaged and inspected
  run        Run a command template or a recipe and wait for it
  spawn      Start a run that goes on by itself
  message    Say something to a run, a room, or whoever started our run
  inspect    Show runs, sessions and what they did
  wait       Wait until runs are over; `watch` tells everything as it happens
  receive    Take the next message of the run we are in, waiting for it
  explain    Show what would run, and start nothing; `split` shows words
  recipe     List, show and check recipes; `utility` runs one of their steps
  tool       List, call and register tools: recipes in your own root
  import     Turn goose recipes and justfiles into recipes

Agents
  agent      Ask an agent once, or see which agents there are
  mcp        Serve an agent over the Model Context Protocol, on stdin and stdout
  skill      Teach an agent to use materia

This program
  completions  Let your shell complete ids and names; `man` prints the manual

Options:
{options}

`materia help COMMAND` says more, with examples.
";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_help_has_an_example() {
        fn without(command: &clap::Command, path: &str, found: &mut Vec<String>) {
            for one in command
                .get_subcommands()
                .filter(|one| !one.is_hide_set() && one.get_name() != "help")
            {
                let path = format!("{path} {}", one.get_name());
                if !one
                    .get_after_help()
                    .is_some_and(|help| help.to_string().starts_with("Examples:\n  "))
                {
                    found.push(path.clone());
                }
                without(one, &path, found);
            }
        }
        let mut found = Vec::new();
        without(&super::super::grammar(), "materia", &mut found);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn every_verb_is_on_the_page_and_nothing_else() {
        let command = super::super::CommandLine::command();
        let verbs: Vec<&str> = command
            .get_subcommands()
            .filter(|verb| !verb.is_hide_set())
            .map(clap::Command::get_name)
            .collect();
        let is_told = |verb: &str| {
            PAGE.contains(&format!("\n  {verb} ")) || PAGE.contains(&format!("`{verb}`"))
        };
        assert_eq!(
            verbs
                .iter()
                .filter(|verb| !is_told(verb))
                .collect::<Vec<_>>(),
            Vec::<&&str>::new()
        );
        let lines = PAGE
            .lines()
            .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
        let listed: Vec<&str> = lines
            .filter(|word| word.chars().all(|one| one.is_ascii_lowercase()))
            .collect();
        assert!(listed.iter().all(|word| verbs.contains(word)), "{listed:?}");
    }
}
