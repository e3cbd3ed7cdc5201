//! Peers: other programs for the same work, installed from registries when a benchmark needs them.
//!
//! A peer that cannot be installed is skipped with a message.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The directory for peers that are not system packages.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/peers")
}

/// Installs missing peers. A failure only makes the table shorter.
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
        run_quietly(Command::new("apt-get").arg("update"));
        run_quietly(
            Command::new("apt-get")
                .args(["install", "-y", "-q"])
                .args(missing),
        );
    }
    if find("just").is_none() {
        run_quietly(
            Command::new("pip")
                .args(["install", "-q", "--target"])
                .arg(folder())
                .arg("rust-just"),
        );
    }
}

/// The Python of a virtual environment with these packages, which is created if it is missing.
pub(crate) fn python(name: &str, packages: &[&str]) -> Option<PathBuf> {
    let (home, python) = (folder().join(name), folder().join(name).join("bin/python"));
    let module = packages.first()?.replace('-', "_");
    let is_installed = || {
        let mut import = Command::new(&python);
        import
            .args(["-c", &format!("import {module}")])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        import.status().is_ok_and(|status| status.success())
    };
    if !is_installed() {
        run_quietly(Command::new("python3").args(["-m", "venv"]).arg(&home));
        run_quietly(
            Command::new(&python)
                .args(["-m", "pip", "install", "-q"])
                .args(packages),
        );
    }
    is_installed().then_some(python)
}

/// Installs missing job queues.
pub(crate) fn install_queues() {
    let packages = [("tsp", "task-spooler"), ("nq", "nq")];
    let missing: Vec<&str> = packages
        .iter()
        .filter(|(program, _)| find(program).is_none())
        .map(|(_, package)| *package)
        .collect();
    if !missing.is_empty() {
        run_quietly(Command::new("apt-get").arg("update"));
        run_quietly(
            Command::new("apt-get")
                .args(["install", "-y", "-q"])
                .args(missing),
        );
    }
}

fn run_quietly(command: &mut Command) {
    let _may_fail = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
}

/// The path of a program, if it is installed.
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
