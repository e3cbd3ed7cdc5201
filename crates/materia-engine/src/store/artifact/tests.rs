//! No path escapes the root: a canary file outside must stay untouched.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};

use proptest::prelude::*;

use super::*;

/// A root next to a canary file, with links in it that lead outside.
struct Trap {
    temp: tempfile::TempDir,
    root: ArtifactRoot,
}

impl Trap {
    fn set() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let outside = temp.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("canary"), "alive").unwrap();
        let root = temp.path().join("root");
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("file"), "mine").unwrap();
        symlink(&outside, root.join("out")).unwrap();
        symlink("../../outside", root.join("a/out")).unwrap();
        symlink(outside.join("canary"), root.join("canary")).unwrap();
        symlink(outside.join("new"), root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let root = ArtifactRoot::open(&root).unwrap();
        Self { temp, root }
    }

    fn is_untouched(&self) -> bool {
        let outside = self.temp.path().join("outside");
        fs::read_to_string(outside.join("canary")).unwrap() == "alive"
            && fs::read_dir(&outside).unwrap().count() == 1
            && fs::read_dir(self.temp.path()).unwrap().count() == 2
    }
}

fn read(root: &ArtifactRoot, path: &str) -> Result<String, ArtifactError> {
    let mut text = String::new();
    root.read(path)?.read_to_string(&mut text).unwrap();
    Ok(text)
}

#[test]
fn artifacts_are_private_and_never_overwritten() {
    let temp = tempfile::tempdir().unwrap();
    let root = ArtifactRoot::open(temp.path()).unwrap();
    root.write("sockets/build/1.output.md", b"first").unwrap();
    let mut streamed = root.create("sockets/build/1.stdout.txt").unwrap();
    streamed.write_all(b"streamed").unwrap();
    streamed.commit().unwrap();
    assert!(matches!(
        root.write("sockets/build/1.output.md", b"x"),
        Err(ArtifactError::Exists(_))
    ));
    assert!(matches!(
        root.create("sockets/build/1.output.md"),
        Err(ArtifactError::Exists(_))
    ));
    assert_eq!(read(&root, "sockets/build/1.output.md").unwrap(), "first");
    assert_eq!(
        read(&root, "sockets/build/1.stdout.txt").unwrap(),
        "streamed"
    );
    assert!(root.exists("sockets/build").unwrap() && !root.exists("sockets/none/x").unwrap());
    let mode = |path: &str| {
        temp.path()
            .join(path)
            .metadata()
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(
        (mode("sockets"), mode("sockets/build/1.output.md")),
        (0o700, 0o600)
    );
    assert_eq!(
        fs::read_dir(temp.path().join("sockets/build"))
            .unwrap()
            .count(),
        2
    );
}

#[test]
fn bad_paths_say_which_component_is_bad() {
    let trap = Trap::set();
    let long = "x".repeat(256);
    let deep = "x/".repeat(40);
    let table = [
        ("", "component 1 (``) is empty"),
        ("/etc/passwd", "it is absolute"),
        (
            "a/../../outside/new",
            "component 2 (`..`) is a direction, not a name",
        ),
        (".", "component 1 (`.`) is a direction, not a name"),
        ("a//b", "component 2 (``) is empty"),
        ("a/", "component 2 (``) is empty"),
        ("a/b\0c", "contains a NUL character"),
        (long.as_str(), "is longer than 255 bytes"),
        (deep.as_str(), "more than 32 components"),
        (".materia-tmp-x", "is the name of a temporary file"),
    ];
    for (path, expected) in table {
        for error in [
            trap.root.create(path).unwrap_err(),
            trap.root.write(path, b"x").unwrap_err(),
        ] {
            assert!(error.to_string().contains(expected), "{error}");
        }
        assert!(trap.root.read(path).is_err() && trap.root.exists(path).is_err());
    }
    assert!(trap.is_untouched());
}

#[test]
fn links_are_refused_in_every_component() {
    let trap = Trap::set();
    for path in ["out/new", "a/out/new", "a/out/b/new", "loop/new"] {
        let error = trap.root.create(path).unwrap_err();
        assert!(
            error.to_string().ends_with("which is a symbolic link"),
            "{error}"
        );
    }
    assert!(matches!(
        trap.root.create("dangling"),
        Err(ArtifactError::Exists(_))
    ));
    assert!(matches!(
        trap.root.write("canary", b"x"),
        Err(ArtifactError::Exists(_))
    ));
    for path in ["canary", "out/canary", "loop"] {
        assert!(
            matches!(trap.root.read(path), Err(ArtifactError::Blocked { .. })),
            "{path}"
        );
    }
    let error = trap.root.create("file/below").unwrap_err();
    assert!(error.to_string().ends_with("which is a file"), "{error}");
    assert!(matches!(
        trap.root.read("a"),
        Err(ArtifactError::Blocked {
            what: "a directory",
            ..
        })
    ));
    assert!(trap.is_untouched());
}

#[test]
fn a_directory_swapped_for_a_link_during_a_write_changes_nothing_outside() {
    let trap = Trap::set();
    let path = trap.root.path().to_owned();
    let mut artifact = trap.root.create("s/new").unwrap();
    fs::rename(path.join("s"), path.join("moved")).unwrap();
    symlink(trap.temp.path().join("outside"), path.join("s")).unwrap();
    artifact.write_all(b"late").unwrap();
    artifact.commit().unwrap();
    assert!(trap.root.create("s/new").is_err());
    assert_eq!(read(&trap.root, "moved/new").unwrap(), "late");
    assert!(trap.is_untouched());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn no_path_ever_touches_the_canary(
        parts in proptest::collection::vec(
            prop_oneof!["out|a|canary|dangling|loop|file|outside|root", "\\.{0,3}", "[^/]{0,6}", "-rf|/|~|\n"], 1..6),
        absolute: bool,
    ) {
        let trap = Trap::set();
        let mut path = parts.join("/");
        if absolute {
            path = trap.temp.path().join(path).to_string_lossy().into_owned();
        }
        let _ = trap.root.write(&path, b"dead");
        if let Ok(mut artifact) = trap.root.create(format!("{path}.x")) {
            artifact.write_all(b"dead").unwrap();
        }
        prop_assert!(read(&trap.root, &path).map_or(true, |text| text != "alive"));
        let _ = trap.root.exists(&path);
        prop_assert!(trap.is_untouched());
    }
}

#[test]
fn a_shelf_keeps_what_nothing_overwrites_and_stays_where_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let root = ArtifactRoot::open(dir.path()).unwrap();
    let shelf = root.shelf("sockets/build").unwrap();
    shelf.keep("1.txt", b"one").unwrap();
    assert!(matches!(
        shelf.keep("1.txt", b"two"),
        Err(ArtifactError::Exists(_))
    ));
    for bad in ["../1.txt", "a/b", "", ".."] {
        assert!(
            matches!(shelf.keep(bad, b""), Err(ArtifactError::BadPath { .. })),
            "{bad}"
        );
    }
    // A link replaces the directory; writes still go to the original directory.
    fs::rename(dir.path().join("sockets"), dir.path().join("moved")).unwrap();
    symlink("/", dir.path().join("sockets")).unwrap();
    shelf.keep("2.txt", b"").unwrap();
    assert!(dir.path().join("moved/build/2.txt").is_file());
    assert!(matches!(
        root.shelf("sockets/build"),
        Err(ArtifactError::Blocked { .. })
    ));
}
