//! Trust is pinned to every byte, and refusals report what changed.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use crate::clock::Clock;
use crate::home::HomeVariables;
use crate::store::atomic;

fn home(dir: &Path) -> Home {
    Home::locate(&HomeVariables {
        home: Some(dir.to_owned()),
        ..HomeVariables::default()
    })
    .unwrap()
}

fn closure(files: &[(&str, &str)]) -> Closure {
    let mut closure = Closure::new(PathBuf::from("/p/.pi/x.json"), PathBuf::from("/p"));
    files
        .iter()
        .for_each(|(name, text)| closure.add(&Path::new("/p").join(name), text.as_bytes()));
    closure
}

fn refused(home: &Home, closure: &Closure) -> TrustRefusal {
    match require(Some(home), closure) {
        Err(Error::Refused(refusal)) => *refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn s1_trust_holds_for_these_bytes_and_what_changed_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let home = home(dir.path());
    let first = closure(&[("c.json", "1"), ("a.sh", "echo"), ("b.sh", "x")]);
    assert_eq!(refused(&home, &first).changes, None);
    assert!(matches!(require(None, &first), Err(Error::Refused(_))));
    grant(&home, &first, &Clock::system()).unwrap();
    require(Some(&home), &first).unwrap();
    assert_eq!(
        home.trust().metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );
    let refusal = refused(
        &home,
        &closure(&[("c.json", "1"), ("a.sh", "echo "), ("n.sh", "")]),
    );
    let said = refusal.to_string();
    assert!(
        said.contains("`a.sh` has changed, `n.sh` is new and `b.sh` is gone"),
        "{said}"
    );
    assert_eq!(revoke(&home, Path::new("/p")).unwrap(), ["/p/.pi/x.json"]);
    assert_eq!(refused(&home, &first).changes, None);
    assert!(matches!(
        revoke(&home, Path::new("/p")),
        Err(Error::Unknown(_))
    ));
}

#[test]
fn s1_a_ledger_that_cannot_be_read_trusts_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let home = home(dir.path());
    let closure = closure(&[("c.json", "1")]);
    grant(&home, &closure, &Clock::system()).unwrap();
    atomic::write(&home.trust(), b"{").unwrap();
    assert!(matches!(
        require(Some(&home), &closure),
        Err(Error::Read(_))
    ));
    assert!(
        matches!(
            grant(&home, &closure, &Clock::system()),
            Err(Error::Read(_))
        ),
        "nothing is lost by a rewrite"
    );
}

#[test]
fn a_seal_is_ours_and_of_this_document() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (home, other) = (home(dir.path()), home(other.path()));
    let seal = seal(&home, "document", &Clock::system()).unwrap();
    assert!(is_sealed(&home, "document", &seal));
    assert!(!is_sealed(&home, "documents", &seal) && !is_sealed(&home, "document", ""));
    assert!(
        !is_sealed(&other, "document", &seal),
        "somebody without a key believes no seal"
    );
    self::seal(&other, "x", &Clock::system()).unwrap();
    assert!(!is_sealed(&other, "document", &seal));
    assert_eq!(
        home.seal_key().metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );
}

proptest! {
    #[test]
    fn s1_two_closures_have_the_same_digest_only_if_they_are_the_same(
        one in prop::collection::btree_map("[ab/]{1,4}", "[ab]{0,3}", 0..4),
        other in prop::collection::btree_map("[ab/]{1,4}", "[ab]{0,3}", 0..4),
    ) {
        let of = |files: &std::collections::BTreeMap<String, String>| {
            let mut closure = Closure::new("/p/x".into(), "/p".into());
            files.iter().for_each(|(name, text)| closure.add(Path::new(name), text.as_bytes()));
            closure
        };
        let (one, other) = (of(&one), of(&other));
        prop_assert_eq!(one.digest() == other.digest(), one.files() == other.files());
    }
}
