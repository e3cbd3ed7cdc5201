//! A small sealed world for one test: own HOME, own directory, fixed clock and ids, no colour.
//!
//! A test builds a [`House`], calls programs in it and looks at what they said. When the house is
//! torn down, no process that was started in it may be left: a leak fails the test.

mod call;
mod leak;
pub mod terminal;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub use call::{Call, Outcome, Running};

/// The moment it is in every house.
pub const NOW: &str = "2026-01-01T00:00:00.000Z";

/// A sealed world in a directory of its own.
pub struct House {
    root: tempfile::TempDir,
    mark: String,
}

impl House {
    /// An empty house.
    pub fn new() -> Self {
        Self::at(tempfile::Builder::new().prefix("house-").tempdir().unwrap())
    }

    /// An empty house whose disk is memory where there is one, for tests that sync thousands of
    /// times.
    pub fn in_memory() -> Self {
        let memory = tempfile::Builder::new()
            .prefix("house-")
            .tempdir_in("/dev/shm");
        memory.map_or_else(|_| Self::new(), Self::at)
    }

    fn at(root: tempfile::TempDir) -> Self {
        static BUILT: AtomicU32 = AtomicU32::new(0);
        let number = BUILT.fetch_add(1, Ordering::Relaxed);
        let mark = format!(
            "{}-{number}-{}",
            std::process::id(),
            root.path().file_name().unwrap().display()
        );
        let house = Self { root, mark };
        fs::create_dir_all(house.home()).unwrap();
        fs::create_dir_all(house.work()).unwrap();
        house
    }

    /// The person's home directory.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The directory that programs are started in.
    pub fn work(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// Writes a file below the working directory.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Reads a file below the working directory.
    pub fn read(&self, path: &str) -> String {
        let path = self.work().join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// A call of `materia` with these words.
    pub fn materia(&self, words: &[&str]) -> Call<'_> {
        Call::new(
            self,
            Path::new(env!("CARGO_BIN_EXE_materia")),
            "materia",
            words,
        )
    }

    /// A call of the fake program with these words.
    pub fn fake(&self, words: &[&str]) -> Call<'_> {
        Call::new(
            self,
            Path::new(env!("CARGO_BIN_EXE_materia-fake")),
            "materia-fake",
            words,
        )
    }

    /// A line for the shell, with `materia` and `materia-fake` on its PATH.
    pub fn shell(&self, line: &str) -> Call<'_> {
        Call::new(self, Path::new("/bin/sh"), "sh", &["-c", line])
    }

    /// The mark in the environment of everything started here.
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// The processes of this house that are alive now.
    pub fn alive(&self) -> Vec<leak::Living> {
        leak::living(&self.mark)
    }

    /// `text` with this house's paths taken out, so that it is the same on every machine.
    pub fn redact(&self, text: &str) -> String {
        let canonical = self.root.path().canonicalize().unwrap();
        text.replace(&*canonical.to_string_lossy(), "[HOUSE]")
            .replace(&*self.root.path().to_string_lossy(), "[HOUSE]")
    }
}

impl Drop for House {
    fn drop(&mut self) {
        leak::settle(&self.alive());
        let left = self.alive();
        leak::end(&left);
        if !left.is_empty() && !std::thread::panicking() {
            panic!("left running: {left:?}");
        }
    }
}

#[test]
fn a_leaked_process_fails_the_test_and_is_ended() {
    let house = House::new();
    let outcome = house
        .shell("sleep 600 >/dev/null 2>&1 & echo $!")
        .run()
        .ok();
    let pid = outcome.stdout.trim().to_owned();
    let torn_down = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(house)));
    let said = *torn_down.unwrap_err().downcast::<String>().unwrap();
    assert!(
        said.contains("left running") && said.contains("sleep 600"),
        "{said}"
    );
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(
        state.is_empty() || state.contains(") Z ") || state.contains(") X "),
        "{state}"
    );
}

#[test]
fn a_house_is_sealed() {
    let house = House::new();
    let seen = house.shell("env | sort").run().ok().stdout;
    let names: Vec<&str> = seen
        .lines()
        .filter_map(|line| line.split('=').next())
        .collect();
    let shells_own = ["OLDPWD", "PWD", "SHLVL", "_"];
    let given: Vec<&&str> = names
        .iter()
        .filter(|name| !shells_own.contains(name))
        .collect();
    assert_eq!(
        given,
        [
            &"HOME",
            &"LC_ALL",
            &"MATERIA_HOUSE",
            &"MATERIA_TEST_CLOCK",
            &"PATH",
            &"TMPDIR"
        ]
    );
}
