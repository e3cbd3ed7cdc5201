//! Process trees as tables: tests membership without any process.

use super::*;

const ME: i32 = 100;

/// pid, parent, group, session
fn process(pid: i32, parent: i32, group: i32, session: i32) -> Stat {
    Stat {
        pid,
        parent,
        group,
        session,
        start: pid.unsigned_abs().into(),
        gone: false,
        forked: false,
    }
}

fn marks(leaf: &str) -> ProcessMarks {
    ProcessMarks {
        leaf: Some(leaf.into()),
        detached: None,
    }
}

fn asker<'a>(adopting: bool, leaves: &'a [(i32, &'a str)]) -> Asker<'a> {
    Asker {
        me: ME,
        adopting,
        nursery: "n",
        detached: None,
        leaves,
    }
}

fn found(
    asker: Asker<'_>,
    scope: Scope<'_>,
    processes: &[Stat],
    environ: &[(i32, ProcessMarks)],
) -> Vec<i32> {
    let environ: BTreeMap<i32, ProcessMarks> = environ.iter().cloned().collect();
    let read = |pid| environ.get(&pid).cloned().unwrap_or_default();
    members(asker, scope, processes, &Known::new(), read)
        .iter()
        .map(|stat| stat.pid)
        .collect()
}

const ONE: Scope<'_> = Scope::Leaf {
    leader: 200,
    marker: "n.1",
};

#[test]
fn a_tree_is_descent_group_and_session() {
    let processes = [
        process(1, 0, 1, 1),
        process(ME, 1, ME, ME),
        process(200, ME, 200, ME),
        process(201, 200, 200, ME),
        process(202, 201, 202, 202),
        process(203, 1, 202, 202),
        process(204, 1, 200, ME),
        process(300, 1, 300, 300),
    ];
    let leaves = [(200, "n.1")];
    for adopting in [true, false] {
        assert_eq!(
            found(asker(adopting, &leaves), ONE, &processes, &[]),
            [200, 201, 202, 203, 204]
        );
    }
}

#[test]
fn orphans_go_to_the_leaf_they_name() {
    let processes = [
        process(ME, 1, ME, ME),
        process(200, ME, 200, ME),
        process(210, ME, 210, ME),
        process(301, ME, 301, 301),
        process(302, ME, 302, 302),
        process(303, ME, 303, 303),
        process(304, ME, 304, 304),
    ];
    let environ = [
        (301, marks("n.1")),
        (302, marks("n.2")),
        (303, marks("n.1:other.4")),
    ];
    let both = [(200, "n.1"), (210, "n.2")];
    assert_eq!(
        found(asker(true, &both), ONE, &processes, &environ),
        [200, 301, 303]
    );
    let alone = [(200, "n.1")];
    assert_eq!(
        found(asker(true, &alone), ONE, &processes[..2], &environ),
        [200],
        "nothing is invented when there is nothing"
    );
    let without: Vec<Stat> = processes
        .iter()
        .filter(|stat| stat.pid != 210)
        .copied()
        .collect();
    assert_eq!(
        found(asker(true, &alone), ONE, &without, &environ),
        [200, 301, 303, 304],
        "unmarked orphans are the only leaf's; those of an ended leaf wait for the sweep"
    );
    assert_eq!(
        found(asker(true, &both), Scope::Everything, &processes, &environ),
        [200, 210, 301, 302, 303, 304]
    );
}

#[test]
fn without_adoption_only_marks_find_orphans() {
    let processes = [
        process(ME, 1, ME, ME),
        process(200, ME, 200, ME),
        process(301, 1, 301, 301),
        process(302, 7, 302, 302),
        process(303, 1, 303, 303),
    ];
    let environ = [
        (301, marks("n.1")),
        (302, marks("n.1")),
        (303, marks("n2.1")),
    ];
    let leaves = [(200, "n.1")];
    assert_eq!(
        found(asker(false, &leaves), ONE, &processes, &environ),
        [200, 301, 302]
    );
    assert_eq!(
        found(
            asker(false, &leaves),
            Scope::Everything,
            &processes,
            &environ
        ),
        [200, 301, 302]
    );
}

#[test]
fn what_was_detached_on_purpose_is_left_alone() {
    let processes = [
        process(ME, 1, ME, ME),
        process(200, ME, 200, ME),
        process(201, 200, 201, 201),
        process(202, 201, 202, ME),
        process(203, 200, 200, ME),
        process(400, ME, 400, 400),
    ];
    let foreign = ProcessMarks {
        leaf: None,
        detached: Some("theirs".into()),
    };
    let ours = ProcessMarks {
        leaf: Some("n.1".into()),
        detached: Some("mine".into()),
    };
    let environ = [(201, foreign.clone()), (400, foreign), (203, ours)];
    let leaves = [(200, "n.1")];
    let asker = Asker {
        detached: Some(b"mine"),
        ..asker(true, &leaves)
    };
    assert_eq!(found(asker, ONE, &processes, &environ), [200, 203]);
    assert_eq!(
        found(asker, Scope::Everything, &processes, &environ),
        [200, 203]
    );
}

#[test]
fn what_the_dead_left_is_found_by_the_name_it_carries_and_nobody_else_is() {
    let processes = [
        process(ME, 1, ME, ME),
        process(200, 1, 200, 200),
        process(201, 200, 201, 201),
        process(202, 200, 200, 200),
        process(203, 202, 203, 203),
        process(300, 1, 300, 300),
    ];
    let detached = |leaf: Option<&str>| ProcessMarks {
        leaf: leaf.map(Into::into),
        detached: Some("d".into()),
    };
    let environ = [
        (ME, marks("cast-1.0:n.1")),
        (200, detached(Some("x.1:cast-1.0:n.1"))),
        (203, detached(None)),
        (300, marks("cast-11.0:n.1")),
    ];
    assert_eq!(
        found(
            asker(false, &[]),
            Scope::Left("cast-1"),
            &processes,
            &environ
        ),
        [200, 201, 202]
    );
}

#[test]
fn the_known_stay_members_and_their_successors_do_not() {
    let processes = [
        process(ME, 1, ME, ME),
        process(200, ME, 200, ME),
        process(310, ME, 310, 310),
    ];
    let leaves = [(200, "n.1"), (220, "n.2")];
    let ask = |known| {
        let members = members(asker(true, &leaves), ONE, &processes, &known, |_| {
            ProcessMarks::default()
        });
        members.iter().map(|stat| stat.pid).collect::<Vec<_>>()
    };
    assert_eq!(ask(Known::from([(310, 310)])), [200, 310]);
    assert_eq!(ask(Known::from([(310, 12)])), [200]);
}

#[test]
fn neither_we_nor_our_elders_are_ever_members() {
    // A child process that moved into our group, and a process that was in it before.
    let processes = [
        process(50, 1, ME, ME),
        process(ME, 50, ME, ME),
        process(200, ME, ME, ME),
        process(150, ME, 200, ME),
    ];
    let leaves = [(200, "n.1")];
    assert_eq!(found(asker(true, &leaves), ONE, &processes, &[]), [200]);
}

#[test]
fn marks_are_read_from_an_environment() {
    let marks =
        ProcessMarks::parse(b"A=1\0MATERIA_LEAFY=no\0MATERIA_LEAF=x.1:n.12\0MATERIA_DETACHED=d\0");
    assert!(marks.names_leaf("n.12") && marks.names_leaf("x.1") && !marks.names_leaf("n.1"));
    assert!(marks.names_nursery("n") && !marks.names_nursery("n.1"));
    assert_eq!(marks.detached.as_deref(), Some(&b"d"[..]));
    assert_eq!(ProcessMarks::parse(b""), ProcessMarks::default());
}
