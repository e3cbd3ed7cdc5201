//! How the program is linked: at a fixed place, and with the C library inside, where that is to be
//! had.
//!
//! A verb is over in milliseconds, and a supervisor lives as long as its run, hundreds of them at a
//! time. Looking for libraries and putting thousands of addresses right at each start cost both:
//! most of the time, and forty pages of memory that no two processes can share. What short commands
//! run stands side by side (`first.ld`, written by `bench/first.py`): the rest of the program is
//! never brought in for them. Where something is missing for that, the program is linked as any
//! other.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "a build script talks to cargo and to the compiler"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the standard library asks for by name. Whatever of it is in the C library is found there.
const ASKED_FOR: [&str; 7] = ["c", "gcc_s", "util", "rt", "pthread", "m", "dl"];

/// What the standard library uses where it is there, and does without where nobody asked for it:
/// without the first two it forks to start a process, which copies every page.
const LOOKED_UP: [&str; 7] = [
    "gnu_get_libc_version",
    "posix_spawn_file_actions_addchdir_np",
    "__cxa_thread_atexit_impl",
    "__pthread_get_minstack",
    "getrandom",
    "statx",
    "copy_file_range",
];

/// Where all of it is.
const ARCHIVES: [&str; 4] = ["libc.a", "libgcc_eh.a", "libgcc.a", "libm.a"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let is_native = variable("HOST") == variable("TARGET");
    if variable("CARGO_CFG_TARGET_OS") != "linux"
        || variable("CARGO_CFG_TARGET_ENV") != "gnu"
        || !is_native
    {
        return;
    }
    println!("cargo::rerun-if-changed=first.ld");
    // Who chose a linker knows what it takes; what follows is for the one that comes with the
    // compiler.
    let flags = variable("CARGO_ENCODED_RUSTFLAGS");
    if !variable("RUSTC_LINKER").is_empty()
        || flags.contains("linker=")
        || flags.contains("fuse-ld")
    {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-no-pie");
    if variable("PROFILE") == "release" {
        let script = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("first.ld");
        println!("cargo::rustc-link-arg-bins=-Wl,-T,{}", script.display());
    }
    let archives: Option<Vec<PathBuf>> = ARCHIVES.iter().map(|name| archive(name)).collect();
    let out = PathBuf::from(variable("OUT_DIR"));
    if let Some(archives) = archives
        && stand_ins(&out, &archives).is_ok()
    {
        println!("cargo::rustc-link-arg-bins=-static");
        println!("cargo::rustc-link-arg-bins=-L{}", out.display());
        for name in LOOKED_UP {
            println!("cargo::rustc-link-arg-bins=-Wl,--undefined={name}");
        }
    }
}

/// Where the compiler has an archive; it repeats the name of one that it does not have.
fn archive(name: &str) -> Option<PathBuf> {
    let said = Command::new("cc")
        .arg(format!("-print-file-name={name}"))
        .output()
        .ok()?;
    let path = PathBuf::from(String::from_utf8(said.stdout).ok()?.trim());
    (path.is_absolute() && path.exists()).then_some(path)
}

/// Scripts for the linker under the names of the shared libraries, which lead to the archives.
fn stand_ins(out: &Path, archives: &[PathBuf]) -> std::io::Result<()> {
    let all: Vec<String> = archives
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    ASKED_FOR.iter().try_for_each(|name| {
        std::fs::write(
            out.join(format!("lib{name}.so")),
            format!("GROUP ( {} )\n", all.join(" ")),
        )
    })
}
