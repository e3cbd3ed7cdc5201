//! Launchers: new, old, changed, removed, and other files in their place.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

use rustix::fs::symlink;
use serde_json::{Value, json};

use super::*;
use crate::home::HomeVariables;

struct Profile(tempfile::TempDir);

impl Profile {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn sync(&self) -> Vec<String> {
        let variables = HomeVariables {
            profile_dir: Some(self.0.path().join("p")),
            ..HomeVariables::default()
        };
        let home = Home::locate(&HomeVariables {
            home: Some("/nowhere".into()),
            ..variables
        })
        .unwrap();
        sync(&home).unwrap();
        let listed = std::fs::read_dir(home.utilities()).unwrap();
        let mut names: Vec<String> = listed
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("p/utilities").join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn put(&self, name: &str, text: &str) {
        dir::create_private(&self.path("")).unwrap();
        atomic::put(&self.path(name), text.as_bytes(), Copied::Text).unwrap();
    }

    fn manifest(&self) -> Value {
        serde_json::from_str(&self.read(MANIFEST)).unwrap()
    }

    fn entry(&self, name: &str) -> Value {
        self.manifest()["utilities"][name].clone()
    }

    fn inodes(&self, names: &[String]) -> Vec<u64> {
        names
            .iter()
            .map(|name| self.path(name).metadata().unwrap().ino())
            .collect()
    }
}

const NAMES: [&str; 6] = [
    MANIFEST,
    "blackbelt-bootstrap",
    "blackbelt-maintain",
    "commit-sigil",
    "detect-vcs",
    "ensure-ignored",
];

/// The hashes in the file names of a launcher's copies.
fn copies(names: &[String], of: &str) -> Vec<String> {
    names
        .iter()
        .filter_map(|name| name.strip_prefix(of)?.strip_prefix('.'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn c18_a_fresh_profile_gets_every_launcher_once_and_nothing_is_written_again() {
    let profile = Profile::new();
    let names = profile.sync();
    assert_eq!(names, NAMES);
    let inodes = profile.inodes(&names);
    assert_eq!(profile.sync(), names);
    assert_eq!(
        profile.inodes(&names),
        inodes,
        "a rename would have changed them"
    );
    assert!(
        profile
            .read("detect-vcs")
            .ends_with("exec materia utility detect-vcs\n")
    );
    assert_eq!(
        profile
            .path("detect-vcs")
            .metadata()
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o700
    );
    let hash = hash(profile.read("detect-vcs").as_bytes());
    assert_eq!(profile.manifest()["version"], 1);
    assert_eq!(
        profile.entry("detect-vcs"),
        json!({"sourceHash": hash, "profileFile": "detect-vcs"})
    );
}

#[test]
fn c18_a_changed_launcher_stays_and_the_current_one_lands_beside_it() {
    let profile = Profile::new();
    profile.sync();
    let current = profile.read("commit-sigil");
    let mine = format!("{current}# mine\n");
    profile.put("commit-sigil", &mine);
    let names = profile.sync();
    let hashes = copies(&names, "commit-sigil");
    assert_eq!(hashes, [hash(current.as_bytes())[..12].to_owned()]);
    let beside = format!("commit-sigil.{}", hashes[0]);
    assert_eq!(
        (profile.read("commit-sigil"), profile.read(&beside)),
        (mine.clone(), current.clone())
    );
    let entry = profile.entry("commit-sigil");
    assert_eq!(
        (&entry["profileFile"], &entry["conflict"]),
        (&json!(beside), &json!("commit-sigil"))
    );
    assert_eq!(profile.sync(), names, "and it stays at that");
    // The copy beside it also belongs to the user once they changed it.
    profile.put(&beside, &mine);
    let names = profile.sync();
    assert_eq!(
        copies(&names, "commit-sigil"),
        [&hashes[0][..], &hash(current.as_bytes())[..16]]
    );
    assert_eq!(profile.read(&beside), mine);
    assert_eq!(profile.sync(), names);
}

#[test]
fn c18_an_old_launcher_of_ours_is_replaced_in_its_place() {
    let profile = Profile::new();
    profile.put("detect-vcs", "old");
    let old = json!({"sourceHash": hash(b"old"), "profileFile": "detect-vcs"});
    let foreign = json!({"sourceHash": "x", "profileFile": "else.mjs"});
    let manifest =
        json!({"version": 1, "utilities": {"detect-vcs": old, "else.mjs": foreign}, "more": 1});
    profile.put(MANIFEST, &manifest.to_string());
    assert_eq!(profile.sync(), NAMES);
    assert!(profile.read("detect-vcs").contains("exec materia"));
    assert_eq!(
        profile.entry("else.mjs"),
        foreign,
        "what others wrote stays"
    );
    assert_eq!(profile.manifest()["more"], 1);
}

#[test]
fn c18_a_removed_or_emptied_launcher_is_put_again() {
    let profile = Profile::new();
    profile.sync();
    rustix::fs::unlink(profile.path("detect-vcs")).unwrap();
    profile.put("commit-sigil", "");
    assert_eq!(profile.sync(), NAMES);
    assert!(profile.read("commit-sigil").contains("exec materia"));
}

#[test]
fn c18_without_a_readable_manifest_the_bytes_decide() {
    for manifest in [
        "",
        "{",
        "[]",
        r#"{"version": 2, "utilities": {}}"#,
        r#"{"version": 1}"#,
    ] {
        let profile = Profile::new();
        profile.sync();
        profile.put("detect-vcs", "mine");
        profile.put(MANIFEST, manifest);
        let names = profile.sync();
        assert_eq!(
            (copies(&names, "detect-vcs").len(), names.len()),
            (1, NAMES.len() + 1),
            "{manifest}"
        );
        assert_eq!(profile.read("detect-vcs"), "mine");
    }
}

#[test]
fn c18_a_manifest_cannot_point_out_of_the_directory() {
    let profile = Profile::new();
    let victim = profile.path("../victim");
    dir::create_private(&profile.path("")).unwrap();
    atomic::put(&victim, b"old", Copied::Text).unwrap();
    let entry = json!({"sourceHash": hash(b"old"), "profileFile": "../victim"});
    let manifest = json!({"version": 1, "utilities": {"detect-vcs": entry, "commit-sigil": 7}});
    profile.put(MANIFEST, &manifest.to_string());
    assert_eq!(profile.sync(), NAMES);
    assert_eq!(std::fs::read(victim).unwrap(), b"old");
}

#[test]
fn c18_links_and_directories_in_the_place_of_a_launcher_are_the_persons() {
    let profile = Profile::new();
    profile.put("real", "mine");
    symlink("real", profile.path("detect-vcs")).unwrap();
    symlink("nowhere", profile.path("commit-sigil")).unwrap();
    dir::create_private(&profile.path("ensure-ignored")).unwrap();
    let names = profile.sync();
    for name in ["detect-vcs", "commit-sigil", "ensure-ignored"] {
        assert_eq!(copies(&names, name).len(), 1, "{name}");
    }
    assert_eq!(profile.read("real"), "mine");
    assert!(profile.path("commit-sigil").is_symlink() && profile.path("ensure-ignored").is_dir());
    assert_eq!(profile.sync(), names);
}
