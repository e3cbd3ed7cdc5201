//! A disk without room: nothing is told that is not so, and nothing that ended well is called lost.
//!
//! The disk is a real one, small and mounted for the test, which only root may do.

use std::fs::File;
use std::io::Write;
use std::process::Command;

use super::*;
use crate::tools;

/// A env whose home is a disk of half a megabyte.
struct Small {
    // Unmounted before the env goes.
    mount: Mount,
    env: TestEnv,
}

struct Mount(PathBuf);

impl Drop for Mount {
    fn drop(&mut self) {
        let _busy = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

impl Small {
    fn new() -> Self {
        let env = TestEnv::new();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=512k,mode=700", "tmpfs"])
            .arg(env.home())
            .output()
            .expect("mount");
        if !mounted.status.success() {
            tools::cannot_mount(&String::from_utf8_lossy(&mounted.stderr));
        }
        let mount = Mount(env.home());
        Self { mount, env }
    }

    fn filler(&self) -> PathBuf {
        self.mount.0.join("filler")
    }

    /// Takes every page there is, also the rest of the last one of a run's journal.
    fn fill(&self, run: &str) {
        let mut filler = File::create(self.filler()).unwrap();
        while filler.write_all(&[b'x'; 4096]).is_ok() {}
        let address = format!("run:{run}");
        while self
            .env
            .materia(&["message", &address, "note", "x"])
            .run()
            .status
            .success()
        {}
    }

    fn make_room(&self) {
        std::fs::remove_file(self.filler()).unwrap();
    }
}

#[test]
fn output_that_found_no_room_is_missed() {
    let small = Small::new();
    let env = &small.env;
    env.spawn("a", "head -c 2000000 /dev/zero", &[]);
    let over = env.wait("a");
    assert_eq!(over["status"], "done", "{over}");
    let seen = env
        .materia(&["inspect", "run:a", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(seen["degraded"], true, "{seen}");
    assert!(
        seen["evidence"]
            .as_str()
            .unwrap()
            .contains("is not in its logs: No space left"),
        "{seen}"
    );
}

#[test]
fn an_end_that_finds_no_room_is_kept_until_there_is_some() {
    let small = Small::new();
    let env = &small.env;
    let fifo = env.work_dir().join("fifo");
    env.shell("mkfifo fifo").run().ok();
    env.spawn(
        "a",
        &format!("sh -c 'read line < {}; exit 5'", fifo.display()),
        &[],
    );
    small.fill("a");
    std::fs::write(&fifo, "go\n").unwrap();
    // It is over when the shell is gone, and says so when it can.
    let began = std::time::Instant::now();
    while env.live_processes().len() > 1 {
        assert!(began.elapsed() < WAIT_TIMEOUT, "{:?}", env.live_processes());
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(env.run_state("a").status.as_str(), "running");
    small.make_room();
    let over = env.wait("a");
    assert_has!(over, {"status": "failed", "code": 5});
    assert_eq!(document(env, "a", "result.json")["code"], 5);
    assert_eq!(document(env, "a", "progress.json")["phase"], "failed");
}

#[test]
fn what_fills_the_disk_can_be_stopped() {
    let small = Small::new();
    let env = &small.env;
    for control in ["control.kill", "control.cancel"] {
        env.spawn("a", "sleep 600", &[]);
        small.fill("a");
        let stopped = env
            .materia(&["message", "run:a", control, "--json"])
            .run()
            .ok()
            .json();
        assert_eq!(stopped["ok"], true, "{stopped}");
        assert!(
            env.live_processes().is_empty(),
            "{:?}",
            env.live_processes()
        );
        small.make_room();
        assert!(env.run_state("a").status.is_terminal());
    }
}

#[test]
fn a_dead_supervisor_is_seen_also_where_that_cannot_be_recorded() {
    let small = Small::new();
    let env = &small.env;
    env.spawn("a", "sleep 600", &[]);
    small.fill("a");
    env.kill_supervisor("a");
    let seen = env
        .materia(&["inspect", "run:a", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(seen["status"], "exited", "{seen}");
    assert!(
        seen["evidence"]
            .as_str()
            .unwrap()
            .contains("not recorded yet"),
        "{seen}"
    );
    let listed = env
        .materia(&["inspect", "session:all", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(listed["runs"][0]["status"], "exited", "{listed}");
    small.make_room();
    env.materia(&["inspect", "run:a"]).run().ok();
    assert_eq!(document(env, "a", "result.json")["status"], "exited");
    assert_eq!(
        kinds(env, "a")
            .iter()
            .filter(|kind| *kind == "run.end")
            .count(),
        1
    );
}
