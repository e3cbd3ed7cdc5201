//! An isolated environment for one test: its own HOME and working directory, a fixed clock and
//! ids, no colour.
//!
//! A test creates a [`TestEnv`], runs programs in it and checks their output. When the environment
//! is dropped, no process started in it may be left: a leaked process fails the test.

#[macro_use]
pub mod json;
mod command;
mod leak;
pub mod terminal;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub use command::{TestCommand, TestOutput, TestProcess};

/// The time that the clock of every test environment shows.
pub const NOW: &str = "2026-01-01T00:00:00.000Z";

/// An isolated environment in a temporary directory.
pub struct TestEnv {
    root: tempfile::TempDir,
    marker: String,
}

impl TestEnv {
    /// Creates an empty environment.
    pub fn new() -> Self {
        Self::at(tempfile::Builder::new().prefix("env-").tempdir().unwrap())
    }

    /// Creates an empty environment in memory where the system has a memory disk. For tests that
    /// sync thousands of times.
    pub fn in_memory() -> Self {
        let memory = tempfile::Builder::new()
            .prefix("env-")
            .tempdir_in("/dev/shm");
        memory.map_or_else(|_| Self::new(), Self::at)
    }

    fn at(root: tempfile::TempDir) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let marker = format!(
            "{}-{number}-{}",
            std::process::id(),
            root.path().file_name().unwrap().display()
        );
        let env = Self { root, marker };
        fs::create_dir_all(env.home()).unwrap();
        fs::create_dir_all(env.work_dir()).unwrap();
        env
    }

    /// The user's home directory.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The directory that programs are started in.
    pub fn work_dir(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// Writes a file below the working directory.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work_dir().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Reads a file below the working directory.
    pub fn read(&self, path: &str) -> String {
        let path = self.work_dir().join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// `materia` with these arguments.
    pub fn materia(&self, args: &[&str]) -> TestCommand<'_> {
        TestCommand::new(
            self,
            Path::new(env!("CARGO_BIN_EXE_materia")),
            "materia",
            args,
        )
    }

    /// The fake program with these arguments.
    pub fn fake(&self, args: &[&str]) -> TestCommand<'_> {
        TestCommand::new(
            self,
            Path::new(env!("CARGO_BIN_EXE_materia-fake")),
            "materia-fake",
            args,
        )
    }

    /// A shell command line, with `materia` and `materia-fake` in its PATH.
    pub fn shell(&self, line: &str) -> TestCommand<'_> {
        TestCommand::new(self, Path::new("/bin/sh"), "sh", &["-c", line])
    }

    /// The value of `MATERIA_TEST_ENV` in every process started here.
    pub fn marker(&self) -> &str {
        &self.marker
    }

    /// The processes started here that are still alive.
    pub fn live_processes(&self) -> Vec<leak::LiveProcess> {
        leak::find_processes(&self.marker)
    }

    /// Replaces the temporary directory in `text` with `[ROOT]`, so that it is the same on every
    /// machine.
    pub fn redact(&self, text: &str) -> String {
        let canonical = self.root.path().canonicalize().unwrap();
        text.replace(&*canonical.to_string_lossy(), "[ROOT]")
            .replace(&*self.root.path().to_string_lossy(), "[ROOT]")
    }
}

impl Drop for TestEnv {
    fn drop(&mut self) {
        leak::wait_for_supervisors(&self.live_processes());
        let left = self.live_processes();
        leak::kill_all(&left);
        if !left.is_empty() && !std::thread::panicking() {
            panic!("left running: {left:?}");
        }
    }
}

#[test]
fn a_leaked_process_fails_the_test_and_is_killed() {
    let env = TestEnv::new();
    let output = env.shell("sleep 600 >/dev/null 2>&1 & echo $!").run().ok();
    let pid = output.stdout.trim().to_owned();
    let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(env)));
    let message = *dropped.unwrap_err().downcast::<String>().unwrap();
    assert!(
        message.contains("left running") && message.contains("sleep 600"),
        "{message}"
    );
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(
        state.is_empty() || state.contains(") Z ") || state.contains(") X "),
        "{state}"
    );
}

#[test]
fn programs_get_only_the_variables_of_the_test_env() {
    let env = TestEnv::new();
    let output = env.shell("env | sort").run().ok().stdout;
    let names: Vec<&str> = output
        .lines()
        .filter_map(|line| line.split('=').next())
        .collect();
    let set_by_shell = ["OLDPWD", "PWD", "SHLVL", "_"];
    let inherited: Vec<&&str> = names
        .iter()
        .filter(|name| !set_by_shell.contains(name))
        .collect();
    assert_eq!(
        inherited,
        [
            &"HOME",
            &"LC_ALL",
            &"MATERIA_TEST_CLOCK",
            &"MATERIA_TEST_ENV",
            &"PATH",
            &"TMPDIR"
        ]
    );
}
