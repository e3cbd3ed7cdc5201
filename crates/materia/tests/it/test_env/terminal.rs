//! Programs on a pseudo-terminal: everything they drew, what is on the screen, and key presses.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{TestEnv, TestProcess};

/// Runs a shell command line on a new terminal and returns everything that was drawn.
pub fn run_on_terminal(env: &TestEnv, columns: usize, line: &str) -> String {
    env.write("line.sh", format!("stty cols {columns} rows 10\n{line}\n"));
    let output = env
        .shell("script -qec 'sh line.sh' /dev/null")
        .env("TERM", "xterm")
        .run();
    output.stdout
}

/// A minimal terminal emulator: the lines on the screen, and every line that was ever completed.
#[derive(Default)]
pub struct Terminal {
    pub lines: Vec<String>,
    row: usize,
    /// Every line that was ever completed, also those that were erased later.
    pub completed: Vec<String>,
}

impl Terminal {
    /// The terminal after a program has drawn this.
    pub fn after(drawn: &str) -> Self {
        let mut terminal = Self {
            lines: vec![String::new()],
            ..Self::default()
        };
        let mut rest = drawn;
        while let Some(next) = rest.chars().next() {
            rest = &rest[next.len_utf8()..];
            match next {
                '\u{1b}' => rest = terminal.apply_escape(rest),
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

    fn apply_escape<'a>(&mut self, rest: &'a str) -> &'a str {
        let end = rest
            .find(|c: char| c.is_ascii_alphabetic())
            .expect("unterminated escape sequence");
        let number = rest[1..end].parse::<usize>();
        match &rest[end..=end] {
            "A" => {
                self.row = self
                    .row
                    .checked_sub(number.unwrap())
                    .expect("the cursor moved above the first line");
            }
            "J" => {
                self.lines.truncate(self.row);
                self.lines.push(String::new());
            }
            // Colours, modes and the mouse do not change the text.
            "m" | "h" | "l" => {}
            other => panic!("unknown escape sequence {other}"),
        }
        &rest[end + 1..]
    }

    fn end_line(&mut self) {
        self.completed.push(self.lines[self.row].clone());
        self.row += 1;
    }

    /// Asserts that no progress line was wider than the terminal.
    pub fn assert_fits(&self, columns: usize) {
        let words = ["running ", "done ", "failed ", "stopped ", "        and "];
        let mut progress = self
            .completed
            .iter()
            .filter(|line| words.iter().any(|word| line.starts_with(word)));
        let wide = progress.find(|line| line.chars().count() > columns);
        assert!(wide.is_none(), "{wide:?}");
    }
}

/// Whether anything was drawn in colour.
pub fn is_coloured(drawn: &str) -> bool {
    let sequences = drawn.split("\u{1b}[").skip(1);
    sequences
        .filter_map(|rest| rest.chars().find(char::is_ascii_alphabetic))
        .any(|end| end == 'm')
}

/// An interactive program on a terminal.
pub struct TerminalSession<'a> {
    process: TestProcess<'a>,
    keys: Option<ChildStdin>,
    output: ChildStdout,
    screen: vt100::Parser,
    all: Vec<u8>,
    /// The file that holds the name of the terminal.
    tty: PathBuf,
}

impl TestEnv {
    /// Starts a shell command line on a new terminal.
    pub fn start_on_terminal(&self, columns: u16, rows: u16, line: &str) -> TerminalSession<'_> {
        self.write(
            "line.sh",
            format!("tty >line.tty; stty cols {columns} rows {rows}\n{line}\n"),
        );
        let command = self
            .shell("exec script -qec 'sh line.sh' /dev/null")
            .env("TERM", "xterm-256color");
        let mut process = command.without_env("MATERIA_TEST_CLOCK").start();
        let (keys, output) = (Some(process.stdin()), process.stdout());
        let (tty, screen) = (
            self.work_dir().join("line.tty"),
            vt100::Parser::new(rows, columns, 0),
        );
        TerminalSession {
            process,
            keys,
            output,
            screen,
            all: Vec::new(),
            tty,
        }
    }
}

impl TerminalSession<'_> {
    /// The text on the screen.
    pub fn screen(&self) -> String {
        self.screen.screen().contents()
    }

    /// The screen with its colours.
    pub fn vt(&self) -> &vt100::Screen {
        self.screen.screen()
    }

    /// Whether the program uses the alternate screen.
    pub fn is_full_screen(&self) -> bool {
        self.screen.screen().alternate_screen()
    }

    /// Whether anything on the screen is in colour or bold.
    pub fn is_coloured(&self) -> bool {
        let (screen, (rows, columns)) = (self.screen.screen(), self.screen.screen().size());
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let mut cells = cells.filter_map(|(row, column)| screen.cell(row, column));
        cells.any(|cell| cell.fgcolor() != vt100::Color::Default || cell.bold())
    }

    /// Resizes the terminal, as a window manager does.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        let tty = std::fs::read_to_string(&self.tty).unwrap();
        let size = ["cols", &columns.to_string(), "rows", &rows.to_string()].map(str::to_owned);
        let status = std::process::Command::new("stty")
            .args(["-F", tty.trim()])
            .args(size)
            .status();
        assert!(status.unwrap().success());
        self.screen.screen_mut().set_size(rows, columns);
    }

    /// Types these keys.
    pub fn send_keys(&mut self, keys: &str) {
        self.keys
            .as_mut()
            .unwrap()
            .write_all(keys.as_bytes())
            .unwrap();
    }

    /// Waits until the screen satisfies the condition. After two minutes it panics with the screen,
    /// because the timeout of the test runner would not show it.
    #[track_caller]
    pub fn wait_until(&mut self, condition: impl Fn(&str) -> bool) {
        let (mut buffer, began) = ([0; 4096], Instant::now());
        while !condition(&self.screen()) {
            let second = Timespec {
                tv_sec: 1,
                tv_nsec: 0,
            };
            let ready = poll(
                &mut [PollFd::new(&self.output, PollFlags::IN)],
                Some(&second),
            )
            .unwrap();
            assert!(
                began.elapsed().as_secs() < 120,
                "timed out; the screen is:\n{}",
                self.screen()
            );
            if ready == 0 {
                continue;
            }
            let read = self.output.read(&mut buffer).unwrap();
            assert!(
                read > 0,
                "the program exited; the screen is:\n{}",
                self.screen()
            );
            self.draw(&buffer[..read]);
        }
    }

    /// Waits until the screen has this text.
    #[track_caller]
    pub fn wait_for_screen_text(&mut self, text: &str) {
        self.wait_until(|screen| screen.contains(text));
    }

    /// Waits until the program exits and returns the last screen and the exit code.
    pub fn wait(mut self) -> (String, i32) {
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest).unwrap();
        self.draw(&rest);
        let screen = self.screen();
        assert!(
            !self.is_full_screen(),
            "the program did not leave the alternate screen:\n{screen}"
        );
        drop(self.keys.take());
        let output = self.process.wait();
        (screen, output.code())
    }

    /// Waits until the program exits and returns everything that was drawn.
    pub fn wait_for_output(mut self) -> String {
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest).unwrap();
        self.draw(&rest);
        drop(self.keys.take());
        self.process.wait();
        String::from_utf8_lossy(&self.all).into_owned()
    }

    fn draw(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        self.all.extend_from_slice(bytes);
    }
}
