//! A terminal of its own for a program: what was drawn on it, what is left, and keys that are
//! pressed.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{House, Running};

/// Runs a line on a terminal of its own; everything that was drawn on it.
pub fn on_terminal(house: &House, columns: usize, line: &str) -> String {
    house.write("line.sh", format!("stty cols {columns} rows 10\n{line}\n"));
    let outcome = house
        .shell("script -qec 'sh line.sh' /dev/null")
        .env("TERM", "xterm")
        .run();
    outcome.stdout
}

/// A small terminal: what is left on it, and how far to the right anything was written.
#[derive(Default)]
pub struct Terminal {
    pub lines: Vec<String>,
    row: usize,
    /// Every line that was ever complete.
    pub ever: Vec<String>,
}

impl Terminal {
    pub fn after(drawn: &str) -> Self {
        let mut terminal = Self {
            lines: vec![String::new()],
            ..Self::default()
        };
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
        let end = rest
            .find(|c: char| c.is_ascii_alphabetic())
            .expect("an escape sequence ends");
        let number = rest[1..end].parse::<usize>();
        match &rest[end..=end] {
            "A" => {
                self.row = self
                    .row
                    .checked_sub(number.unwrap())
                    .expect("it stays below the top");
            }
            "J" => {
                self.lines.truncate(self.row);
                self.lines.push(String::new());
            }
            // Colours, modes and the mouse leave no letters.
            "m" | "h" | "l" => {}
            other => panic!("what is {other}?"),
        }
        &rest[end + 1..]
    }

    fn end_line(&mut self) {
        self.ever.push(self.lines[self.row].clone());
        self.row += 1;
    }

    /// Asserts that no line of the progress was wider than the terminal.
    pub fn assert_fits(&self, columns: usize) {
        let words = ["running ", "done ", "failed ", "stopped ", "        and "];
        let mut progress = self
            .ever
            .iter()
            .filter(|line| words.iter().any(|word| line.starts_with(word)));
        let wide = progress.find(|line| line.chars().count() > columns);
        assert!(wide.is_none(), "{wide:?}");
    }
}

/// Whether something was drawn in colour.
pub fn is_coloured(drawn: &str) -> bool {
    let sequences = drawn.split("\u{1b}[").skip(1);
    sequences
        .filter_map(|rest| rest.chars().find(char::is_ascii_alphabetic))
        .any(|end| end == 'm')
}

/// A program on a terminal that a person sits at.
pub struct Seat<'a> {
    running: Running<'a>,
    keys: Option<ChildStdin>,
    drawn: ChildStdout,
    screen: vt100::Parser,
    all: Vec<u8>,
    /// The file that says which terminal it is.
    tty: PathBuf,
}

impl House {
    /// Starts a line on a terminal of its own.
    pub fn seat(&self, columns: u16, rows: u16, line: &str) -> Seat<'_> {
        self.write(
            "line.sh",
            format!("tty >line.tty; stty cols {columns} rows {rows}\n{line}\n"),
        );
        let call = self
            .shell("exec script -qec 'sh line.sh' /dev/null")
            .env("TERM", "xterm-256color");
        let mut running = call.without_env("MATERIA_TEST_CLOCK").start();
        let (keys, drawn) = (Some(running.stdin()), running.stdout());
        let (tty, screen) = (
            self.work().join("line.tty"),
            vt100::Parser::new(rows, columns, 0),
        );
        Seat {
            running,
            keys,
            drawn,
            screen,
            all: Vec::new(),
            tty,
        }
    }
}

impl Seat<'_> {
    /// What is on the screen.
    pub fn screen(&self) -> String {
        self.screen.screen().contents()
    }

    /// The screen itself, with its colours.
    pub fn vt(&self) -> &vt100::Screen {
        self.screen.screen()
    }

    /// Whether the program has the whole screen.
    pub fn is_full(&self) -> bool {
        self.screen.screen().alternate_screen()
    }

    /// Whether anything on the screen is in colour or bold.
    pub fn is_coloured(&self) -> bool {
        let (screen, (rows, columns)) = (self.screen.screen(), self.screen.screen().size());
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let mut cells = cells.filter_map(|(row, column)| screen.cell(row, column));
        cells.any(|cell| cell.fgcolor() != vt100::Color::Default || cell.bold())
    }

    /// Another size of the terminal, as if its window were drawn smaller.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        let tty = std::fs::read_to_string(&self.tty).unwrap();
        let size = ["cols", &columns.to_string(), "rows", &rows.to_string()].map(str::to_owned);
        let sized = std::process::Command::new("stty")
            .args(["-F", tty.trim()])
            .args(size)
            .status();
        assert!(sized.unwrap().success());
        self.screen.screen_mut().set_size(rows, columns);
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        self.keys
            .as_mut()
            .unwrap()
            .write_all(keys.as_bytes())
            .unwrap();
    }

    /// Waits until the screen is as wanted; bounded, because a test that hangs does not say what it
    /// saw.
    #[track_caller]
    pub fn until(&mut self, wanted: impl Fn(&str) -> bool) {
        let (mut buffer, began) = ([0; 4096], Instant::now());
        while !wanted(&self.screen()) {
            let second = Timespec {
                tv_sec: 1,
                tv_nsec: 0,
            };
            let ready = poll(
                &mut [PollFd::new(&self.drawn, PollFlags::IN)],
                Some(&second),
            )
            .unwrap();
            assert!(
                began.elapsed().as_secs() < 120,
                "it never came:\n{}",
                self.screen()
            );
            if ready == 0 {
                continue;
            }
            let read = self.drawn.read(&mut buffer).unwrap();
            assert!(read > 0, "it ended first:\n{}", self.screen());
            self.draw(&buffer[..read]);
        }
    }

    /// Waits until the screen has this text.
    #[track_caller]
    pub fn until_shown(&mut self, text: &str) {
        self.until(|screen| screen.contains(text));
    }

    /// Waits for the end of the program; what is left on the screen, and the exit code.
    pub fn end(mut self) -> (String, i32) {
        let mut rest = Vec::new();
        self.drawn.read_to_end(&mut rest).unwrap();
        self.draw(&rest);
        let left = self.screen();
        assert!(!self.is_full(), "the terminal was not given back:\n{left}");
        drop(self.keys.take());
        let ended = self.running.end();
        (left, ended.code())
    }

    /// Waits for the end of the program; everything that was drawn.
    pub fn end_drawn(mut self) -> String {
        let mut rest = Vec::new();
        self.drawn.read_to_end(&mut rest).unwrap();
        self.draw(&rest);
        drop(self.keys.take());
        self.running.end();
        String::from_utf8_lossy(&self.all).into_owned()
    }

    fn draw(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        self.all.extend_from_slice(bytes);
    }
}
