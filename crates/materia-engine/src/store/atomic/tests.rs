//! Documents are replaced atomically, and errors in them have a position.

use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Snapshot {
    name: String,
    count: u32,
}

fn snapshot() -> Snapshot {
    Snapshot {
        name: "ü".to_owned(),
        count: 3,
    }
}

fn finding(error: DocumentReadError) -> Finding {
    match error {
        DocumentReadError::Bad(finding) => *finding,
        other => panic!("{other}"),
    }
}

#[test]
fn a_document_is_replaced_as_a_whole_and_is_private() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("state.json");
    assert!(matches!(
        read_json::<Snapshot>(&path, 1, 100),
        Err(DocumentReadError::Missing(_))
    ));
    write_json(
        &path,
        1,
        &Snapshot {
            name: "old".into(),
            count: 1,
        },
    )
    .unwrap();
    write_json(&path, 1, &snapshot()).unwrap();
    assert_eq!(read_json::<Snapshot>(&path, 1, 100).unwrap(), snapshot());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("{\n  \"format\": 1,\n"), "{text}");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 1);
}

#[test]
fn a_failed_replacement_leaves_the_old_document_and_no_temporary_file() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("occupied");
    std::fs::create_dir(&path).unwrap();
    let error = write(&path, b"x").unwrap_err();
    assert!(error.to_string().starts_with("cannot replace"), "{error}");
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 1);
    assert!(write(&temp.path().join("no/such/dir"), b"x").is_err());
}

#[test]
fn bad_documents_are_placed() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("state.json");
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        finding(read_json::<Snapshot>(&path, 2, 100).unwrap_err())
    };
    let newer = read(br#"{"format": 7, "unknown": true}"#);
    assert_eq!(
        (newer.code, newer.path.as_deref()),
        ("newer-format", Some("format"))
    );
    assert!(newer.message.contains("format 7"), "{}", newer.message);
    assert_eq!(read(b"{}").code, "format-missing");
    assert_eq!(read(b"").code, "bad-document");
    assert_eq!(read(b"{\"format\": 1}\xff").code, "not-utf8");
    assert_eq!(read(&[b' '; 101]).code, "too-large");
    let broken = read("{\"format\": 1,\n \"ü\": 1, oops}".as_bytes());
    let place = broken.place.unwrap();
    assert_eq!((place.line, place.column), (2, 10));
    assert!(
        broken.hint.is_some() && !broken.message.contains("line"),
        "{}",
        broken.message
    );
    assert_eq!(read("[".repeat(100).as_bytes()).code, "bad-document");
}

#[test]
fn only_abandoned_temporary_files_are_swept() {
    let temp = tempfile::tempdir().unwrap();
    let alive = temp_in(temp.path()).unwrap();
    std::fs::write(temp.path().join(format!("{TEMP_PREFIX}dead")), "half").unwrap();
    std::fs::write(temp.path().join("other"), "").unwrap();
    assert_eq!(sweep(temp.path()).unwrap(), 1);
    assert!(alive.path().exists() && temp.path().join("other").exists());
    assert_eq!(sweep(temp.path()).unwrap(), 0);
}

proptest! {
    #[test]
    fn arbitrary_documents_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60), text in ".{0,40}") {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("x.json");
        for bytes in [bytes.as_slice(), text.as_bytes()] {
            std::fs::write(&path, bytes).unwrap();
            prop_assert!(read_json::<Snapshot>(&path, 1, 50).is_err());
        }
    }
}

#[test]
fn a_name_that_cannot_be_is_refused_at_once() {
    let error = write(Path::new(""), b"x").unwrap_err();
    assert!(matches!(error, WriteError::Io { .. }), "{error}");
}

#[test]
fn sweeps_may_meet() {
    let temp = tempfile::tempdir().unwrap();
    for number in 0..500 {
        std::fs::write(temp.path().join(format!("{TEMP_PREFIX}{number}")), "").unwrap();
    }
    let removed: usize = std::thread::scope(|scope| {
        let sweeps: Vec<_> = (0..4).map(|_| scope.spawn(|| sweep(temp.path()))).collect();
        sweeps
            .into_iter()
            .map(|sweep| sweep.join().unwrap().unwrap())
            .sum()
    });
    assert_eq!(removed, 500);
}

#[test]
fn what_is_written_can_be_read_again_however_deep_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("deep.json");
    for levels in [1, 100, 118, 119, 120, 127, 300] {
        let mut value = serde_json::json!("[{\"\\");
        for _ in 0..levels {
            value = serde_json::json!([value]);
        }
        let document = serde_json::json!({ "value": value });
        match write_json(&path, 1, &document) {
            Ok(()) => assert_eq!(
                read_json::<serde_json::Value>(&path, 1, 1 << 20).unwrap()["value"],
                value
            ),
            Err(error) => {
                assert!(
                    levels >= 120 && matches!(error, WriteError::TooDeep { .. }),
                    "{levels}: {error}"
                );
            }
        }
    }
}

#[test]
fn a_snapshot_replaces_files_and_links_and_leaves_directories() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("run.json");
    for text in ["one", "a longer one", ""] {
        write_cache(&path, text.as_bytes()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
    let elsewhere = temp.path().join("elsewhere");
    std::fs::write(&elsewhere, "theirs").unwrap();
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    write_cache(&path, b"ours").unwrap();
    assert!(path.symlink_metadata().unwrap().is_file());
    assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "theirs");
    let folder = temp.path().join("folder");
    std::fs::create_dir(&folder).unwrap();
    write_cache(&folder, b"ours").unwrap_err();
    assert!(folder.is_dir());
    let names = std::fs::read_dir(temp.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    assert_eq!(names.count(), 3, "no temporary file is left");
}
