//! Live progress, on a real pseudo-terminal.

use super::*;

/// Runs a line on a terminal of its own; everything that was drawn on it.
fn on_terminal(house: &House, columns: usize, line: &str) -> String {
    house.write("line.sh", format!("stty cols {columns} rows 10\n{line}\n"));
    let outcome = house.shell("script -qec 'sh line.sh' /dev/null").env("TERM", "xterm").run();
    outcome.stdout
}

/// A small terminal: what is left on it, and how far to the right anything was written.
#[derive(Default)]
struct Terminal {
    lines: Vec<String>,
    row: usize,
    /// Every line that was ever complete.
    ever: Vec<String>,
}

impl Terminal {
    fn after(drawn: &str) -> Self {
        let mut terminal = Self { lines: vec![String::new()], ..Self::default() };
        let mut rest = drawn;
        while let Some(next) = rest.chars().next() {
            rest = &rest[next.len_utf8()..];
            match next {
                '\u{1b}' => rest = terminal.obey(rest),
                '\r' => {}
                '\n' => terminal.end_line(),
                other => terminal.lines[terminal.row].push(other),
            }
            if terminal.row == terminal.lines.len() {
                terminal.lines.push(String::new());
            }
        }
        terminal
    }

    fn obey<'a>(&mut self, rest: &'a str) -> &'a str {
        let end = rest.find(|c: char| c.is_ascii_alphabetic()).expect("an escape sequence ends");
        let number = rest[1..end].parse::<usize>();
        match &rest[end..=end] {
            "A" => self.row = self.row.checked_sub(number.unwrap()).expect("it stays below the top"),
            "J" => {
                self.lines.truncate(self.row);
                self.lines.push(String::new());
            }
            "m" => {}
            other => panic!("what is {other}?"),
        }
        &rest[end + 1..]
    }

    fn end_line(&mut self) {
        self.ever.push(self.lines[self.row].clone());
        self.row += 1;
    }

    /// Asserts that no line of the progress was wider than the terminal.
    fn assert_fits(&self, columns: usize) {
        let words = ["running ", "done ", "failed ", "stopped ", "        and "];
        let mut progress = self.ever.iter().filter(|line| words.iter().any(|word| line.starts_with(word)));
        let wide = progress.find(|line| line.chars().count() > columns);
        assert!(wide.is_none(), "{wide:?}");
    }
}

#[test]
fn running_commands_have_a_line_each_which_goes_when_they_end() {
    let house = House::new();
    let template = json!({"parallel": true, "template": [
        {"label": "first", "template": "sh -c 'echo step one of many, told at length; touch ready; until test -e seen; do sleep 0.01; done'"},
        {"label": "third", "template": "sh -c 'echo a complaint >&2; until test -e seen; do sleep 0.01; done'"},
        {"label": "a name that is longer than the terminal is wide", "template": "sh -c 'sleep 0.5; touch seen; exit 3'"},
    ]});
    let drawn = on_terminal(
        &house,
        40,
        &format!("materia run --template '{}'", template.to_string().replace('\'', r"'\''")),
    );
    let terminal = Terminal::after(&drawn);
    assert!(
        drawn.contains("running first") && drawn.contains("step one") && drawn.contains("a complaint"),
        "{drawn}"
    );
    terminal.assert_fits(40);
    let left = terminal.lines.join("\n");
    assert!(!left.contains("running"), "{left}");
    assert!(left.contains("done    first (") && left.contains("failed  a name that"), "{left}");
    assert!(
        left.contains("error: a name that") && left.contains("degraded: 1 failed, 3 commands ran"),
        "{left}"
    );
    assert!(left.contains("--- branch: first status: done ---\nstep one of many, told at length"), "{left}");
}

#[test]
fn more_commands_than_rows_are_counted_and_drawn_over() {
    let house = House::new();
    let template = r#"{"parallel": true, "repeat": 30, "label": "n{index}", "template": "sleep 1"}"#;
    let drawn = on_terminal(&house, 30, &format!("materia run --jobs 30 --template '{template}' >/dev/null"));
    let terminal = Terminal::after(&drawn);
    terminal.assert_fits(30);
    assert!(drawn.contains("and 23 more"), "{drawn}");
    let left = terminal.lines.join("\n");
    assert_eq!(
        (left.matches("done    n").count(), left.contains("running"), left.contains("more")),
        (30, false, false),
        "{left}"
    );
}

#[test]
fn an_interrupt_at_the_terminal_is_answered() {
    let house = House::new();
    let command = r#"sh -c "trap 'exit 0' TERM; touch ready; while :; do sleep 0.01; done""#;
    house.write("template.json", json!(command).to_string());
    let line = "materia run --file template.json & run=$!; until test -e ready; do sleep 0.01; done; kill -TERM $run; wait $run; echo exit $?";
    let terminal = Terminal::after(&on_terminal(&house, 60, line));
    let left = terminal.lines.join("\n");
    assert!(
        left.contains("interrupted: nothing of it is left running") && left.contains("exit 130"),
        "{left}"
    );
    assert!(!left.contains("running sh"), "{left}");
}

#[test]
fn a_dumb_terminal_gets_plain_lines() {
    let house = House::new();
    house.write("line.sh", "TERM=dumb materia run --template 'echo hi'\n");
    let outcome = house.shell("script -qec 'sh line.sh' /dev/null").run();
    assert_eq!(outcome.stdout, "hi\r\n");
}
