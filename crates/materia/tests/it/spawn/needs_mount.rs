//! A full disk: every reported state is correct, and a run that succeeded is not reported as lost.
//!
//! The disk is a small tmpfs that the test mounts, which needs root.

use std::fs::File;
use std::io::Write;
use std::process::Command;

use super::*;
use crate::tools;

/// A test environment whose home is a disk of 512 KiB.
struct SmallDisk {
    // Declared first, so that it is unmounted before the directory is removed.
    mount: Mount,
    env: TestEnv,
}

struct Mount(PathBuf);

impl Drop for Mount {
    fn drop(&mut self) {
        let _busy = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

impl SmallDisk {
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

    /// Fills the disk, including the rest of the last page of a run's journal.
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

    fn free_space(&self) {
        std::fs::remove_file(self.filler()).unwrap();
    }
}

#[test]
fn lost_output_is_reported() {
    let disk = SmallDisk::new();
    let env = &disk.env;
    env.spawn("a", "head -c 2000000 /dev/zero", &[]);
    let ended = env.wait("a");
    assert_eq!(ended["status"], "done", "{ended}");
    let inspected = env
        .materia(&["inspect", "run:a", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(inspected["degraded"], true, "{inspected}");
    assert!(
        inspected["evidence"]
            .as_str()
            .unwrap()
            .contains("is not in its logs: No space left"),
        "{inspected}"
    );
}

#[test]
fn an_end_is_recorded_as_soon_as_there_is_space() {
    let disk = SmallDisk::new();
    let env = &disk.env;
    let fifo = env.work_dir().join("fifo");
    env.shell("mkfifo fifo").run().ok();
    env.spawn(
        "a",
        &format!("sh -c 'read line < {}; exit 5'", fifo.display()),
        &[],
    );
    disk.fill("a");
    std::fs::write(&fifo, "go\n").unwrap();
    // The run has ended when the shell is gone; the end is recorded when there is space.
    let began = std::time::Instant::now();
    while env.live_processes().len() > 1 {
        assert!(began.elapsed() < WAIT_TIMEOUT, "{:?}", env.live_processes());
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(env.run_state("a").status.as_str(), "running");
    disk.free_space();
    let ended = env.wait("a");
    assert_has!(ended, {"status": "failed", "code": 5});
    assert_eq!(document(env, "a", "result.json")["code"], 5);
    assert_eq!(document(env, "a", "progress.json")["phase"], "failed");
}

#[test]
fn a_run_can_be_stopped_on_a_full_disk() {
    let disk = SmallDisk::new();
    let env = &disk.env;
    for control in ["control.kill", "control.cancel"] {
        env.spawn("a", "sleep 600", &[]);
        disk.fill("a");
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
        disk.free_space();
        assert!(env.run_state("a").status.is_terminal());
    }
}

#[test]
fn a_dead_supervisor_is_detected_on_a_full_disk() {
    let disk = SmallDisk::new();
    let env = &disk.env;
    env.spawn("a", "sleep 600", &[]);
    disk.fill("a");
    env.kill_supervisor("a");
    let inspected = env
        .materia(&["inspect", "run:a", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(inspected["status"], "exited", "{inspected}");
    assert!(
        inspected["evidence"]
            .as_str()
            .unwrap()
            .contains("not recorded yet"),
        "{inspected}"
    );
    let listed = env
        .materia(&["inspect", "session:all", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(listed["runs"][0]["status"], "exited", "{listed}");
    disk.free_space();
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
