//! A snapshot changes how fast a log is opened, and nothing else.

use materia_model::cast::event::{
    BoundItem, CastRoute, CursorName, RouteReason, SocketComplete, SocketStart, VisitId,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

struct Desk {
    _dir: tempfile::TempDir,
    folder: Folder,
    clock: Clock,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        Self {
            _dir: dir,
            folder,
            clock: Clock::system(),
        }
    }

    fn begin(&self) -> Log {
        let start = CastStart {
            cast_id: "c1".to_owned(),
            request: "do".to_owned(),
            loadout: "T".to_owned(),
            data: Map::new(),
            more: Map::new(),
        };
        let beginning = self.folder.write_definition("{}").unwrap();
        Log::begin(&self.folder, &self.clock, beginning, start)
            .unwrap()
            .0
    }

    fn open(&self) -> CastState {
        Log::open(&self.folder, &self.clock).unwrap().state
    }

    /// The state folded from the log alone.
    fn folded(&self) -> CastState {
        fold(&self.folder.events(), From::Beginning, CastState::default())
            .unwrap()
            .0
    }

    fn tamper(&self, with: impl Fn(&mut Vec<u8>)) {
        let path = self.folder.state();
        let mut bytes = std::fs::read(&path).unwrap();
        with(&mut bytes);
        crate::store::atomic::write(&path, &bytes).unwrap();
    }
}

fn snapshot(log: &mut Log) {
    log.pace.write(
        &log.snapshot,
        log.journal.checkpoint(),
        &log.state,
        Secrets::shapes(),
    );
}

fn place(luck: u8) -> VisitId {
    let socket = format!("s{}", luck % 3);
    let key = format!("WI-{luck}");
    VisitId {
        socket,
        materia: "M".to_owned(),
        visit: luck.into(),
        item_key: Some(key),
        item_label: None,
    }
}

/// An event that may or may not be valid here: the fold accepts it either way.
fn body(luck: u8) -> CastEventBody {
    let cursor = CursorName {
        key: "k".to_owned(),
        name: "i".to_owned(),
    };
    match luck % 3 {
        0 => CastEventBody::SocketRoute(CastRoute {
            from: Some(place(luck).socket),
            to: Some(place(luck / 2).socket),
            via: RouteReason::Edge,
            edge: None,
            restarted: if luck.is_multiple_of(2) {
                vec![cursor]
            } else {
                Vec::new()
            },
            rework: (luck > 100).then(|| "again".to_owned()),
        }),
        1 => {
            let value = json!({"n": luck});
            let bound = BoundItem {
                cursor,
                index: luck.into(),
                count: 300,
                names: vec!["item".to_owned()],
                value,
            };
            CastEventBody::SocketStart(SocketStart {
                place: place(luck),
                materia_label: "M".to_owned(),
                item: Some(bound),
            })
        }
        _ => {
            let payload = json!({"satisfied": luck > 100, "context": "why", "state": {"x": f64::from(luck) / 7.0}});
            CastEventBody::SocketComplete(SocketComplete {
                place: place(luck),
                materia_label: "M".to_owned(),
                parsed: true,
                utility: true,
                generator: false,
                payload: payload.as_object().cloned(),
                output: None,
                assign: Vec::new(),
                restarted: Vec::new(),
                warnings: Vec::new(),
                finalized: false,
                artifact: None,
            })
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn c9_snapshot_and_tail_come_to_the_same_as_the_whole_log(luck in proptest::collection::vec(any::<u8>(), 1..40), cut in 0usize..40) {
        let desk = Desk::new();
        let mut log = desk.begin();
        for (index, luck) in luck.iter().enumerate() {
            log.record(body(*luck)).unwrap();
            if index == cut {
                snapshot(&mut log);
            }
        }
        let state = log.state.clone();
        drop(log);
        prop_assert_eq!(&desk.open(), &state);
        prop_assert_eq!(&desk.folded(), &state);
    }
}

#[test]
fn c9_a_snapshot_is_never_trusted_over_the_log() {
    let desk = Desk::new();
    let mut log = desk.begin();
    (0..20).for_each(|luck| drop(log.record(body(luck)).unwrap()));
    // A value that the test would notice if the snapshot were used.
    log.state.data.insert("lie".to_owned(), json!(true));
    snapshot(&mut log);
    (20..30).for_each(|luck| drop(log.record(body(luck)).unwrap()));
    drop(log);
    assert_eq!(
        desk.open().data.get("lie"),
        Some(&Value::Bool(true)),
        "a whole one is used"
    );
    let whole = std::fs::read(desk.folder.state()).unwrap();
    let reset = || crate::store::atomic::write(&desk.folder.state(), &whole).unwrap();
    desk.tamper(|bytes| bytes[40] ^= 1);
    assert_eq!(desk.open(), desk.folded(), "a flipped bit");
    reset();
    desk.tamper(|bytes| bytes.truncate(bytes.len() / 2));
    assert_eq!(desk.open(), desk.folded(), "a torn one");
    desk.tamper(Vec::clear);
    assert_eq!(desk.open(), desk.folded(), "an empty one");
    reset();
    // Another log, with different records under the same numbers.
    let other = Desk::new();
    let mut log = other.begin();
    (10..40).for_each(|luck| drop(log.record(body(luck)).unwrap()));
    drop(log);
    assert_eq!(other.open(), other.folded(), "none");
    crate::store::atomic::write(&other.folder.state(), &whole).unwrap();
    assert_eq!(other.open(), other.folded(), "that of another log");
    assert!(!other.open().data.contains_key("lie"));
}

#[test]
fn snapshots_are_made_by_the_way_and_one_that_cannot_be_written_is_not_missed() {
    let desk = Desk::new();
    let mut log = desk.begin();
    (0..510).for_each(|_| drop(log.record(body(3)).unwrap()));
    assert!(!desk.folder.state().exists());
    log.record(body(3)).unwrap();
    assert!(desk.folder.state().exists());
    drop(log);
    assert_eq!(desk.open(), desk.folded());
    let blocked = Desk::new();
    crate::store::dir::create_private(&blocked.folder.state().join("in the way")).unwrap();
    let mut log = blocked.begin();
    (0..600).for_each(|_| drop(log.record(body(3)).unwrap()));
    drop(log);
    assert_eq!(blocked.open(), blocked.folded());
}
