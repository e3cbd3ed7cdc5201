//! `storm NAME COUNT` alternates between detaching a process and sweeping, and prints how many
//! detached processes the sweeps ended.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::time::Duration;

use materia_engine::process::{
    Command, ProcessSet, end_detached, spawn_detached, spawn_detached_child,
};

/// The role of a detached child, which waits for its request on stdin.
pub(super) const CHILD: &str = "storm-child";

/// Starts a detached process of each kind and sweeps immediately, `COUNT` times.
pub(super) fn run(args: &[String]) {
    let name = args.first().expect("a name");
    let count: usize = args
        .get(1)
        .and_then(|count| count.parse().ok())
        .expect("a count");
    let null = File::open("/dev/null").expect("a file");
    let mut processes = ProcessSet::adopting().expect("a processes");
    let mut lost = 0;
    for round in 0..count {
        let name = format!("{name}-{round}");
        let detached =
            spawn_detached(Command::new(["sleep", "60"]), &name).expect("a detached process");
        processes.sweep(Duration::ZERO);
        lost += usize::from(!detached.is_alive());
        let child = spawn_detached_child(
            &[OsStr::new(CHILD)],
            &BTreeMap::new(),
            &name,
            [&null, &null],
        )
        .expect("a detached child");
        processes.sweep(Duration::ZERO);
        lost += usize::from(!child.identity.is_alive());
        end_detached(&name, Duration::ZERO);
    }
    println!("{lost} lost");
}

/// Reads stdin to its end.
pub(super) fn child() {
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).expect("an order");
}
