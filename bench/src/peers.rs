//! Peers: other people's programs for the same work, installed from the registries when a contest
//! wants them.
//!
//! What cannot be installed is left out of the table, and said.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where peers are put that the system's packages do not have.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/peers")
}

/// Installs what is missing; a failure only makes the table shorter.
pub(crate) fn install() {
    let packages = [
        ("make", "make"),
        ("xargs", "findutils"),
        ("ninja", "ninja-build"),
        ("parallel", "parallel"),
    ];
    let missing: Vec<&str> = packages
        .iter()
        .filter(|(program, _)| find(program).is_none())
        .map(|(_, package)| *package)
        .collect();
    if !missing.is_empty() {
        quietly(Command::new("apt-get").arg("update"));
        quietly(
            Command::new("apt-get")
                .args(["install", "-y", "-q"])
                .args(missing),
        );
    }
    if find("just").is_none() {
        quietly(
            Command::new("pip")
                .args(["install", "-q", "--target"])
                .arg(folder())
                .arg("rust-just"),
        );
    }
}

/// The Python of an environment that has these packages; made where it is missing.
pub(crate) fn python(name: &str, packages: &[&str]) -> Option<PathBuf> {
    let (home, python) = (folder().join(name), folder().join(name).join("bin/python"));
    let module = packages.first()?.replace('-', "_");
    let has_it = || {
        let mut asked = Command::new(&python);
        asked
            .args(["-c", &format!("import {module}")])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        asked.status().is_ok_and(|status| status.success())
    };
    if !has_it() {
        quietly(Command::new("python3").args(["-m", "venv"]).arg(&home));
        quietly(
            Command::new(&python)
                .args(["-m", "pip", "install", "-q"])
                .args(packages),
        );
    }
    has_it().then_some(python)
}

/// Installs the queues of detached commands that are missing.
pub(crate) fn install_queues() {
    let packages = [("tsp", "task-spooler"), ("nq", "nq")];
    let missing: Vec<&str> = packages
        .iter()
        .filter(|(program, _)| find(program).is_none())
        .map(|(_, package)| *package)
        .collect();
    if !missing.is_empty() {
        quietly(Command::new("apt-get").arg("update"));
        quietly(
            Command::new("apt-get")
                .args(["install", "-y", "-q"])
                .args(missing),
        );
    }
}

fn quietly(command: &mut Command) {
    let _missing_peer = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
}

/// Where a program is, if it is installed.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(program.into()).filter(|path: &PathBuf| path.exists());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([folder().join("bin")]);
    folders
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}
