//! The output of every command on a terminal: at two widths, with and without colour.
//!
//! One script runs every command on a terminal. Snapshots hold the output at both widths. With
//! colour the text must be the same, so that colour alone carries no information. Servers run until
//! a key press ends them.

use insta::assert_snapshot;

use crate::casts::example_env;
use crate::test_env::TestEnv;
use crate::test_env::terminal::{Terminal, is_coloured, run_on_terminal};

/// Every command, in an order in which each has something to show.
const COMMANDS: &[&str] = &[
    "materia",
    "materia cast --help",
    "materia init",
    "materia demo --dir demo --fast",
    "materia cast --agent-script script.json 'do the work'",
    "materia casts",
    "materia cast-show",
    "materia status",
    "materia budget",
    "materia resume",
    "materia continue",
    "materia recast",
    "materia revive",
    "materia abort",
    "materia fork 2026-01-01T00-00-00-000Z --at plan:1 --agent-script script.json",
    "materia link T T --draw",
    "materia autocast T 'once more' --agent-script script.json",
    "materia quest add 'mend the door'",
    "materia quest list",
    "materia loadout list",
    "materia grid T",
    "materia grid",
    "materia plan T",
    "materia export T --format dot",
    "materia import justfile no-such-file",
    "materia validate flow.json",
    "materia schema loadout | cut -c1-60",
    "materia trust",
    "materia run --template 'echo hi'",
    "materia run --template '[\"echo hi\", \"false\"]' --strict",
    "materia spawn --as run:tests --session s --template 'echo hi'",
    "materia wait run:tests",
    "materia inspect run:tests",
    "materia inspect run:tests --view tail",
    "materia inspect session:all",
    "materia inspect run:tetss",
    "materia message run:tests task.run",
    "materia watch --once --session s",
    "materia receive",
    "materia explain --template '[\"echo {name}\", \"cat\"]' name=you",
    "materia split 'a \"b c\"'",
    "materia recipe show utility-git-log",
    "materia tool list",
    "materia utility --list | head -3",
    "materia agent --help | head -1",
    "materia top --once",
    "materia skill show | head -2",
    "materia completions fish | head -2",
    "materia man cast | head -3",
    "materia doctor",
    "materia doctor --no-such-option",
    "materia csat",
];

/// Servers: the command line, a text in its output when it is ready, and the key that ends it.
const SERVERS: [(&str, &str, &str); 3] = [
    ("materia mcp", "Ctrl-D ends it", "\u{4}"),
    ("materia ui --no-open --port 0", "agents:", "\u{3}"),
    (
        "materia ui --no-open --port 0 --host 0.0.0.0",
        "warning:",
        "\u{3}",
    ),
];

/// The programs in the `PATH`, so that the output does not depend on the machine.
const TOOLS: &[&str] = &[
    "sh", "git", "cut", "head", "cat", "ls", "sleep", "setsid", "echo", "false",
];

/// Creates a directory with [`TOOLS`] and `materia`.
fn bin_dir(env: &TestEnv) -> String {
    let bin = env.home().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let materia = std::path::Path::new(env!("CARGO_BIN_EXE_materia"));
    std::os::unix::fs::symlink(materia, bin.join("materia")).unwrap();
    for tool in TOOLS {
        std::os::unix::fs::symlink(format!("/usr/bin/{tool}"), bin.join(tool)).unwrap();
    }
    bin.to_str().unwrap().to_owned()
}

/// Runs every command on a terminal with this width and returns everything that was drawn.
fn run_commands(columns: usize, setting: &str) -> String {
    let env = example_env();
    let mut script = format!(
        "export MATERIA_CONFIG=flow.json PATH={} {setting}\n",
        bin_dir(&env)
    );
    for line in COMMANDS {
        script.push_str(&format!(
            "echo '$ '\"{}\"\n{{ {line}; }} </dev/null\necho \"[$?]\"\n",
            line.replace('"', "\\\"")
        ));
    }
    let drawn = run_on_terminal(&env, columns, &script);
    env.redact(&drawn)
}

/// The text that stays on the terminal, without what differs from machine to machine.
fn screen_text(drawn: &str) -> String {
    let text = Terminal::after(drawn).lines.join("\n");
    // The hints of `materia doctor` depend on the machine.
    let text = text
        .lines()
        .filter(|line| !line.starts_with(&format!("{:28}hint:", "")));
    text.map(redact_line)
        .map(|line| redact_check(&line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Replaces a line of `materia doctor` that differs from machine to machine.
fn redact_check(line: &str) -> String {
    let varies = ["durable writes", "free space", "file watches", "open files"];
    let varying = varies
        .iter()
        .find(|name| line.get(12..).is_some_and(|line| line.starts_with(*name)));
    varying.map_or_else(|| line.to_owned(), |name| format!("  …         {name} …"))
}

/// Runs every server, ends it, and returns the last screen and whether it had colour.
fn run_servers(columns: u16, setting: &str) -> (String, bool) {
    let env = example_env();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut script = format!("export {setting}\n");
    let refused = format!("materia ui --no-open --port {port}");
    let lines = SERVERS
        .iter()
        .map(|(line, ..)| *line)
        .chain(["materia mcp </dev/null", &refused]);
    for line in lines {
        script.push_str(&format!("echo '$ {line}'\n{line}\necho \"[$?]\"\n"));
    }
    // The shell continues after Ctrl-C has interrupted a server.
    let mut session = env.start_on_terminal(columns, 50, &format!("trap : INT\n{script}"));
    for (number, (_, ready, key)) in SERVERS.iter().enumerate() {
        session
            .wait_until(|screen| screen.matches("$ ").count() > number && screen.contains(ready));
        session.send_keys(key);
        session.wait_until(|screen| {
            screen.lines().filter(|line| line.ends_with(']')).count() > number
        });
    }
    let coloured = session.is_coloured();
    let (screen, _shell_was_interrupted) = session.wait();
    let screen = env.redact(&screen).replace(&port.to_string(), "[TAKEN]");
    (
        screen
            .lines()
            .map(|line| redact_address(line.trim_end()))
            .collect::<Vec<_>>()
            .join("\n"),
        coloured,
    )
}

/// Replaces the port and the code of an address.
fn redact_address(line: &str) -> String {
    let words = line.split(' ').map(|word| {
        let Some((host, rest)) = word
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once(':'))
        else {
            return word.to_owned();
        };
        let (port, path) = rest.split_once('/').unwrap();
        assert!(port.parse::<u16>().is_ok(), "{line}");
        let path = match path.split_once('=') {
            Some((name, code)) => {
                assert!(code.len() >= 20, "the code is too short: {line}");
                format!("{name}=[CODE]")
            }
            None => path.to_owned(),
        };
        format!("http://{host}:[PORT]/{path}")
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Replaces durations: `(43 ms)`, `(after 1.2 s)`.
fn redact_times(line: &str) -> String {
    let mut text = String::new();
    for part in line.split_inclusive(')') {
        let (before, inside) = part.rsplit_once('(').unwrap_or((part, ""));
        let time = inside.strip_prefix("after ").unwrap_or(inside);
        let is_time = time.starts_with(|one: char| one.is_ascii_digit())
            && (time.ends_with(" ms)") || time.ends_with(" s)"));
        text.push_str(&if is_time {
            format!("{before}(TIME)")
        } else {
            part.to_owned()
        });
    }
    text
}

/// Replaces hashes, ids, pids and durations.
fn redact_line(line: &str) -> String {
    let is_hash = |word: &str| word.len() == 7 && word.chars().all(|one| one.is_ascii_hexdigit());
    let is_id = |word: &str| {
        word.len() > 20
            && word
                .chars()
                .all(|one| one.is_ascii_lowercase() || one.is_ascii_digit())
    };
    let word = |word: &str| match word {
        word if is_hash(word) => "[HASH]".to_owned(),
        word if is_id(word) => "[ID]".to_owned(),
        word if word.starts_with("pid=") => "pid=[PID]".to_owned(),
        word => word.to_owned(),
    };
    redact_times(line)
        .split(' ')
        .map(word)
        .collect::<Vec<_>>()
        .join(" ")
        .trim_end()
        .to_owned()
}

#[test]
fn every_command_at_80_columns() {
    let plain = run_commands(80, "NO_COLOR=1");
    assert!(!is_coloured(&plain), "NO_COLOR was ignored");
    let coloured = run_commands(80, "CLICOLOR=1");
    assert!(
        coloured.contains("\u{1b}[32m") && coloured.contains("\u{1b}[1m"),
        "CLICOLOR was ignored"
    );
    assert_eq!(
        screen_text(&coloured),
        screen_text(&plain),
        "the text differs with colour"
    );
    assert_snapshot!(screen_text(&plain));
}

#[test]
fn every_command_at_120_columns() {
    let plain = run_commands(120, "NO_COLOR=1");
    assert_snapshot!(screen_text(&plain));
    let coloured = run_commands(120, "CLICOLOR=1");
    assert_eq!(
        screen_text(&coloured),
        screen_text(&plain),
        "the text differs with colour"
    );
}

#[test]
fn servers_print_their_address_and_how_to_stop_them() {
    for columns in [80, 120] {
        let (plain, coloured) = run_servers(columns, "NO_COLOR=1");
        assert!(!coloured, "NO_COLOR was ignored");
        assert_snapshot!(format!("servers_at_{columns}"), plain);
        let (with_colour, coloured) = run_servers(columns, "CLICOLOR=1");
        assert!(coloured, "CLICOLOR was ignored");
        assert_eq!(with_colour, plain, "the text differs with colour");
    }
}

#[test]
fn every_command_is_in_the_transcript() {
    let env = TestEnv::new();
    let all = env.materia(&["complete", "--", ""]).run().ok().stdout;
    let commands = all
        .lines()
        .map(|line| line.split('\t').next().unwrap())
        .filter(|command| *command != "help");
    let shown = |command: &str| {
        COMMANDS
            .iter()
            .any(|line| line.split(' ').nth(1) == Some(command))
    };
    let is_server = |command: &str| {
        SERVERS
            .iter()
            .any(|(line, ..)| line.split(' ').nth(1) == Some(command))
    };
    let forgotten: Vec<&str> = commands
        .filter(|command| !shown(command) && !is_server(command))
        .collect();
    assert_eq!(forgotten, [""; 0]);
}
