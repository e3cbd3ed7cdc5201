//! What every command says to a person at a terminal: at two widths, with colour and without.
//!
//! One script types every command of the program into a terminal. The two widths are kept as
//! snapshots; in colour, the same letters must be there, so that nothing is said by colour alone.
//! Those that serve until they are ended are typed by somebody who sits there and ends them.

use insta::assert_snapshot;

use crate::casts::example_env;
use crate::test_env::TestEnv;
use crate::test_env::terminal::{Terminal, is_coloured, run_on_terminal};

/// Every command, in an order in which each has something to show.
const LINES: &[&str] = &[
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

/// Commands that serve until they are ended: what is typed, what they say when they are ready, and
/// the key that ends them.
const SERVERS: [(&str, &str, &str); 3] = [
    ("materia mcp", "Ctrl-D ends it", "\u{4}"),
    ("materia ui --no-open --port 0", "agents:", "\u{3}"),
    (
        "materia ui --no-open --port 0 --host 0.0.0.0",
        "warning:",
        "\u{3}",
    ),
];

/// Programs that are found in these houses, so that nothing depends on what a machine has besides.
const TOOLS: &[&str] = &[
    "sh", "git", "cut", "head", "cat", "ls", "sleep", "setsid", "echo", "false",
];

/// A directory with these tools and this program.
fn tools(env: &TestEnv) -> String {
    let bin = env.home().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let ours = std::path::Path::new(env!("CARGO_BIN_EXE_materia"));
    std::os::unix::fs::symlink(ours, bin.join("materia")).unwrap();
    for tool in TOOLS {
        std::os::unix::fs::symlink(format!("/usr/bin/{tool}"), bin.join(tool)).unwrap();
    }
    bin.to_str().unwrap().to_owned()
}

/// Types every command at a terminal so wide.
fn typed(columns: usize, setting: &str) -> String {
    let env = example_env();
    let mut script = format!(
        "export MATERIA_CONFIG=flow.json PATH={} {setting}\n",
        tools(&env)
    );
    for line in LINES {
        script.push_str(&format!(
            "echo '$ '\"{}\"\n{{ {line}; }} </dev/null\necho \"[$?]\"\n",
            line.replace('"', "\\\"")
        ));
    }
    let drawn = run_on_terminal(&env, columns, &script);
    env.redact(&drawn)
}

/// What is left of it, with what differs from machine to machine taken out.
fn left(drawn: &str) -> String {
    let kept = Terminal::after(drawn).lines.join("\n");
    // Advice of the doctor depends on the machine, like what it is about.
    let kept = kept
        .lines()
        .filter(|line| !line.starts_with(&format!("{:28}hint:", "")));
    kept.map(redacted)
        .map(|line| steady(&line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A line of `materia doctor` without what differs from machine to machine.
fn steady(line: &str) -> String {
    let varies = ["durable writes", "free space", "file watches", "open files"];
    let varying = varies
        .iter()
        .find(|name| line.get(12..).is_some_and(|line| line.starts_with(*name)));
    varying.map_or_else(|| line.to_owned(), |name| format!("  …         {name} …"))
}

/// Types every command that serves, ends it, and gives what is left on the screen.
fn served(columns: u16, setting: &str) -> (String, bool) {
    let env = example_env();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let mut script = format!("export {setting}\n");
    let refused = format!("materia ui --no-open --port {port}");
    let typed = SERVERS
        .iter()
        .map(|(line, ..)| *line)
        .chain(["materia mcp </dev/null", &refused]);
    for line in typed {
        script.push_str(&format!("echo '$ {line}'\n{line}\necho \"[$?]\"\n"));
    }
    // The shell that types goes on when what it typed is interrupted.
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
    let (left, _shell_was_interrupted) = session.wait();
    let left = env.redact(&left).replace(&port.to_string(), "[TAKEN]");
    (
        left.lines()
            .map(|line| unaddressed(line.trim_end()))
            .collect::<Vec<_>>()
            .join("\n"),
        coloured,
    )
}

/// A line without the port and the code of an address.
fn unaddressed(line: &str) -> String {
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
                assert!(code.len() >= 20, "a code that can be guessed: {line}");
                format!("{name}=[CODE]")
            }
            None => path.to_owned(),
        };
        format!("http://{host}:[PORT]/{path}")
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A line without how long something took: `(43 ms)`, `(after 1.2 s)`.
fn timeless(line: &str) -> String {
    let mut kept = String::new();
    for part in line.split_inclusive(')') {
        let (before, inside) = part.rsplit_once('(').unwrap_or((part, ""));
        let time = inside.strip_prefix("after ").unwrap_or(inside);
        let is_time = time.starts_with(|one: char| one.is_ascii_digit())
            && (time.ends_with(" ms)") || time.ends_with(" s)"));
        kept.push_str(&if is_time {
            format!("{before}(TIME)")
        } else {
            part.to_owned()
        });
    }
    kept
}

fn redacted(line: &str) -> String {
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
    timeless(line)
        .split(' ')
        .map(word)
        .collect::<Vec<_>>()
        .join(" ")
        .trim_end()
        .to_owned()
}

#[test]
fn every_command_reads_well_at_80_columns_and_in_colour() {
    let plain = typed(80, "NO_COLOR=1");
    assert!(!is_coloured(&plain), "no colour was wanted");
    let coloured = typed(80, "CLICOLOR=1");
    assert!(
        coloured.contains("\u{1b}[32m") && coloured.contains("\u{1b}[1m"),
        "colour was wanted"
    );
    assert_eq!(
        left(&coloured),
        left(&plain),
        "colour says what letters do not"
    );
    assert_snapshot!(left(&plain));
}

#[test]
fn every_command_reads_well_at_120_columns() {
    let plain = typed(120, "NO_COLOR=1");
    assert_snapshot!(left(&plain));
    let coloured = typed(120, "CLICOLOR=1");
    assert_eq!(
        left(&coloured),
        left(&plain),
        "colour says what letters do not"
    );
}

#[test]
fn servers_say_where_they_are_and_how_they_are_ended() {
    for columns in [80, 120] {
        let (plain, coloured) = served(columns, "NO_COLOR=1");
        assert!(!coloured, "no colour was wanted");
        assert_snapshot!(format!("servers_at_{columns}"), plain);
        let (painted, coloured) = served(columns, "CLICOLOR=1");
        assert!(coloured, "colour was wanted");
        assert_eq!(painted, plain, "colour says what letters do not");
    }
}

#[test]
fn no_command_is_forgotten() {
    let env = TestEnv::new();
    let all = env.materia(&["complete", "--", ""]).run().ok().stdout;
    let verbs = all
        .lines()
        .map(|line| line.split('\t').next().unwrap())
        .filter(|verb| *verb != "help");
    let shown = |verb: &str| {
        LINES
            .iter()
            .any(|line| line.split(' ').nth(1) == Some(verb))
    };
    let served = |verb: &str| {
        SERVERS
            .iter()
            .any(|(line, ..)| line.split(' ').nth(1) == Some(verb))
    };
    let forgotten: Vec<&str> = verbs.filter(|verb| !shown(verb) && !served(verb)).collect();
    assert_eq!(forgotten, [""; 0]);
}
