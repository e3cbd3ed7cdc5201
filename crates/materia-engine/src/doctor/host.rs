//! Checks the resources of the host: free space, watches, open files.

use std::fs;
use std::path::Path;

use super::DoctorCheck;

const ENOUGH: u64 = 1 << 30;
const BARELY: u64 = 64 << 20;

/// The read-only checks.
pub(super) fn checks(runs: &Path) -> Vec<DoctorCheck> {
    vec![free_space(runs), watches(), open_files()]
}

fn free_space(runs: &Path) -> DoctorCheck {
    const NAME: &str = "free space";
    const NEEDED: &str = "P1";
    let Some(place) = nearest(runs) else {
        return DoctorCheck::broken(
            NAME,
            NEEDED,
            "no directory above the runs exists",
            "set MATERIA_HOME",
        );
    };
    let stat = match rustix::fs::statvfs(place) {
        Ok(stat) => stat,
        Err(error) => {
            let detail = format!("{}: {error}", place.display());
            return DoctorCheck::doubtful(NAME, NEEDED, detail, "check the filesystem");
        }
    };
    let free = stat.f_bavail.saturating_mul(stat.f_frsize);
    let detail = format!("{} free at {}", size(free), place.display());
    match free {
        ENOUGH.. => DoctorCheck::good(NAME, NEEDED, detail),
        BARELY..ENOUGH => DoctorCheck::doubtful(
            NAME,
            NEEDED,
            detail,
            "make room; journals and artifacts grow",
        ),
        _ => DoctorCheck::broken(
            NAME,
            NEEDED,
            detail,
            "make room, or move state with MATERIA_HOME",
        ),
    }
}

fn watches() -> DoctorCheck {
    const NAME: &str = "file watches";
    const NEEDED: &str = "P4";
    let limit = fs::read_to_string("/proc/sys/fs/inotify/max_user_instances").unwrap_or_default();
    match limit.trim().parse::<u64>() {
        Ok(limit) if limit >= 64 => {
            DoctorCheck::good(NAME, NEEDED, format!("{limit} inotify instances allowed"))
        }
        Ok(limit) => DoctorCheck::doubtful(
            NAME,
            NEEDED,
            format!("only {limit} inotify instances allowed"),
            "sysctl fs.inotify.max_user_instances=128",
        ),
        Err(_) => DoctorCheck::doubtful(
            NAME,
            NEEDED,
            "the inotify limit is unknown",
            "is this Linux with /proc mounted?",
        ),
    }
}

fn open_files() -> DoctorCheck {
    const NAME: &str = "open files";
    const NEEDED: &str = "P3";
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    match limit {
        Some(limit) if limit < 256 => DoctorCheck::doubtful(
            NAME,
            NEEDED,
            format!("only {limit} allowed"),
            "ulimit -n 1024",
        ),
        Some(limit) => DoctorCheck::good(NAME, NEEDED, format!("{limit} allowed")),
        None => DoctorCheck::good(NAME, NEEDED, "as many as needed"),
    }
}

/// The nearest directory at or above a path that exists.
pub(super) fn nearest(path: &Path) -> Option<&Path> {
    path.ancestors().find(|path| path.is_dir())
}

fn size(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 30 => format!("{:.1} GiB", b as f64 / f64::from(1 << 30)),
        b => format!("{:.1} MiB", b as f64 / f64::from(1 << 20)),
    }
}
