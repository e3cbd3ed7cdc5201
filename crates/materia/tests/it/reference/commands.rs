//! The command line page, from the grammar.

use std::fmt::Write as _;

use super::check;

#[test]
fn cli() {
    let mut grammar = materia::cli::grammar().term_width(100);
    grammar.build();
    let mut page = String::from(
        "# The command line\n\nEvery command with its options and examples, as `materia help COMMAND` prints them. Scripts can rely \
         on this: with `--json` stdout has exactly one document, and [exit codes](exit-codes.md) distinguish failures.\n",
    );
    commands(&mut page, &grammar, "materia");
    check("cli.md", &page);
}

fn commands(page: &mut String, command: &clap::Command, path: &str) {
    for one in command
        .get_subcommands()
        .filter(|one| !one.is_hide_set() && one.get_name() != "help")
    {
        let path = format!("{path} {}", one.get_name());
        let help = one.clone().term_width(100).render_long_help().to_string();
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        let _ = write!(
            page,
            "\n## {path}\n\n```text\n{}\n```\n",
            help.join("\n").trim_end()
        );
        commands(page, one, &path);
    }
}

#[test]
fn every_command_has_an_example() {
    let grammar = materia::cli::grammar();
    let without_example: Vec<&str> = grammar
        .get_subcommands()
        .filter(|one| !one.is_hide_set() && one.get_name() != "help")
        .filter(|one| {
            let has_example = |command: &clap::Command| {
                command.get_after_help().is_some() || command.get_after_long_help().is_some()
            };
            !has_example(one) && !one.get_subcommands().any(has_example)
        })
        .map(clap::Command::get_name)
        .collect();
    assert!(
        without_example.is_empty(),
        "no example in the help of {without_example:?}"
    );
}
