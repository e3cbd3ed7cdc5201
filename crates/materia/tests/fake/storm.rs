//! A program that detaches and sweeps in one breath: `storm NAME COUNT` says how many of its
//! detached were swept away.

use std::time::Duration;

use materia_engine::process::{Command, Nursery, end_detached, spawn_detached};

/// Starts a detached process and sweeps at once, again and again.
pub(super) fn run(args: &[String]) {
    let name = args.first().expect("a name");
    let count: usize = args
        .get(1)
        .and_then(|count| count.parse().ok())
        .expect("a count");
    let mut nursery = Nursery::adopting().expect("a nursery");
    let mut lost = 0;
    for round in 0..count {
        let name = format!("{name}-{round}");
        let detached =
            spawn_detached(Command::new(["sleep", "60"]), &name).expect("a detached process");
        nursery.sweep(Duration::ZERO);
        lost += usize::from(!detached.is_alive());
        end_detached(&name, Duration::ZERO);
    }
    println!("{lost} lost");
}
