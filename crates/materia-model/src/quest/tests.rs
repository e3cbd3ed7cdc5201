//! The board as a table of transitions (C17).

use super::{QuestBoard, QuestLookupError, QuestProblem, QuestRefusal, QuestStatus, QuestTarget};
use crate::time::Timestamp;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000)
}

/// A board with three queued quests.
fn board() -> QuestBoard {
    let mut board = QuestBoard::new(at(0));
    for (number, id) in ["quest-aaaa0001", "quest-aabb0002", "quest-bbbb0003"]
        .into_iter()
        .enumerate()
    {
        board.add(
            id.to_owned(),
            &format!("prompt {number}"),
            None,
            None,
            at(1),
        );
    }
    board
}

fn order(board: &QuestBoard) -> String {
    board
        .quests
        .iter()
        .map(|quest| &quest.id[6..10])
        .collect::<Vec<_>>()
        .join(" ")
}

fn trouble(message: &str) -> Option<QuestProblem> {
    Some(QuestProblem {
        message: message.to_owned(),
        occurred_at: at(3),
        cast_id: None,
        code: None,
    })
}

#[test]
fn a_quest_goes_its_way() {
    let mut board = board();
    assert_eq!(board.next().unwrap().id, "quest-aaaa0001");
    board.start("quest-aaaa0001", "cast-1", at(2)).unwrap();
    assert_eq!(board.problems(), Vec::<String>::new());
    assert_eq!(
        board.start("quest-bbbb0003", "cast-2", at(2)),
        Err(QuestRefusal::Busy("quest-aaaa0001".to_owned()))
    );
    assert!(matches!(
        board.remove("quest-aaaa0001", at(2)),
        Err(QuestRefusal::NotNow { .. })
    ));
    board
        .settle("quest-aaaa0001", QuestStatus::Failed, trouble("no"), at(3))
        .unwrap();
    let quest = board.get("quest-aaaa0001").unwrap();
    assert_eq!(
        (quest.status, quest.attempts, &quest.current_cast_id),
        (QuestStatus::Failed, 1, &None)
    );
    assert_eq!(quest.last_result.as_ref().unwrap().cast_id, "cast-1");
    assert_eq!(board.runner.active_quest_id, None);
    board.requeue("quest-aaaa0001", at(4)).unwrap();
    assert_eq!(order(&board), "aabb bbbb aaaa");
    assert!(
        board.get("quest-aaaa0001").unwrap().last_result.is_some(),
        "what was keeps standing"
    );
    assert!(matches!(
        board.requeue("quest-aaaa0001", at(4)),
        Err(QuestRefusal::NotNow { .. })
    ));
    board.remove("quest-aabb0002", at(5)).unwrap();
    assert_eq!(order(&board), "bbbb aaaa");
    assert_eq!(board.problems(), Vec::<String>::new());
}

#[test]
fn moving_touches_nothing_else() {
    let mut board = board();
    let mut to = |id: &str, place: QuestTarget<'_>, moved: bool, expected: &str| {
        assert_eq!(board.reorder(id, place, at(9)), Ok(moved), "{expected}");
        assert_eq!(order(&board), expected);
    };
    to("quest-bbbb0003", QuestTarget::First, true, "bbbb aaaa aabb");
    to(
        "quest-bbbb0003",
        QuestTarget::First,
        false,
        "bbbb aaaa aabb",
    );
    to(
        "quest-bbbb0003",
        QuestTarget::After("quest-aaaa0001"),
        true,
        "aaaa bbbb aabb",
    );
    to(
        "quest-aabb0002",
        QuestTarget::Before("quest-bbbb0003"),
        true,
        "aaaa aabb bbbb",
    );
    to(
        "quest-aabb0002",
        QuestTarget::After("quest-aabb0002"),
        false,
        "aaaa aabb bbbb",
    );
    assert_eq!(
        board.reorder("quest-aabb0002", QuestTarget::Before("x"), at(9)),
        Err(QuestRefusal::Gone("x".to_owned()))
    );
    board.start("quest-aaaa0001", "c", at(9)).unwrap();
    assert!(
        board
            .reorder("quest-aaaa0001", QuestTarget::First, at(9))
            .is_err()
    );
}

#[test]
fn quests_are_named_by_the_beginning_of_their_id() {
    let board = board();
    assert_eq!(board.find("bb").unwrap(), "quest-bbbb0003");
    assert_eq!(board.find("quest-aab").unwrap(), "quest-aabb0002");
    assert!(
        matches!(board.find("aa"), Err(QuestLookupError::Several { found, .. }) if found.len() == 2)
    );
    assert_eq!(
        board.find(""),
        Err(QuestLookupError::None(String::new(), None))
    );
    assert_eq!(
        board.find("zz"),
        Err(QuestLookupError::None("zz".to_owned(), None))
    );
}

#[test]
fn titles_are_short_and_foreign_boards_are_checked() {
    let mut board = board();
    board.add(
        "quest-cccc0004".to_owned(),
        &"long  words ".repeat(10),
        None,
        Some("Release"),
        at(1),
    );
    let title = &board.get("quest-cccc0004").unwrap().title;
    assert!(
        title.chars().count() == 60 && title.ends_with("...") && !title.contains("  "),
        "{title}"
    );
    let read: QuestBoard = serde_json::from_str(&serde_json::to_string(&board).unwrap()).unwrap();
    assert_eq!(read, board);
    board.quests[0].status = QuestStatus::Running;
    board.quests[1].id = board.quests[0].id.clone();
    board.runner.active_quest_id = Some("nobody".to_owned());
    board.version = 2;
    assert_eq!(board.problems().len(), 4, "{:?}", board.problems());
}
