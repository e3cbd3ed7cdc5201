//! Members that change between the scan and the signal.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use super::*;
use crate::process::Exits;

/// A shell forks a copy of itself, which executes `sleep` only after the scan.
#[test]
fn a_process_that_has_executed_a_program_since_the_scan_is_scanned_again() {
    let mut shell = Command::new("sh")
        .args([
            "-c",
            "exec 3<&0; (read go <&3; exec sleep 600) & echo $!; wait",
        ])
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(shell.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let scanned = Stat::read(line.trim().parse().unwrap()).unwrap();
    assert!(scanned.forked);
    shell.stdin.take().unwrap().write_all(b"go\n").unwrap();
    while Stat::read(scanned.pid).unwrap().forked {
        std::thread::yield_now();
    }
    let process = ProcessIdentity::from_stat(&scanned);
    for grace in [Duration::ZERO, Duration::from_secs(60)] {
        let mut scans = vec![vec![], vec![scanned]];
        let mut ending = EndingProcesses::new(grace);
        let survivors = ending.advance(|_| {
            let members = scans.pop().unwrap();
            ProcessScan {
                processes: members.clone(),
                members,
                stirred: false,
            }
        });
        assert_eq!((survivors, ending.ended()), (Some(Vec::new()), 0));
        assert!(process.is_alive(), "signalled after {grace:?}");
    }
    // Scanned as the program that it is now, it is ended.
    let members = vec![Stat::read(scanned.pid).unwrap()];
    let found = ProcessScan {
        processes: members.clone(),
        members,
        stirred: false,
    };
    let mut exits = Exits::default();
    assert_eq!(exits.add(&process, "ended"), None);
    EndingProcesses::new(Duration::ZERO).kill(&found);
    assert_eq!(exits.next(None), ["ended"]);
    shell.wait().unwrap();
}
