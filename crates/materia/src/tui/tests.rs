//! The inspector on a virtual terminal: the drawn screen, and the effects of keys and the mouse.

use insta::assert_snapshot;
use materia_engine::api::{ObservedStatus, TopSide};
use materia_model::run::RunStatus;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use super::app::{ActionKind, App, KeyEffect, Mode};
use super::rows::{Row, RowStatus};
use super::{deed, draw, keys, rows};

fn row(id: &str, status: RowStatus, what: &str, note: &str, age: u64) -> Row {
    Row {
        id: id.to_owned(),
        status,
        what: what.to_owned(),
        note: note.to_owned(),
        age: Some(age),
        folder: String::new(),
        driver: None,
    }
}

fn app() -> App {
    let mut app = App::new(false);
    app.rows(vec![
        row(
            "tests",
            RowStatus::Run(RunStatus::Running),
            "nightly",
            "session s1",
            65_000,
        ),
        row(
            "2026-01-01T00-00-00-000Z",
            RowStatus::Cast(ObservedStatus::Paused),
            "Planning-Consult",
            "Interactive-Plan · Add a door",
            4_000,
        ),
        row(
            "lint",
            RowStatus::Run(RunStatus::Failed),
            "",
            "exit code 3",
            130_000,
        ),
        row(
            "old",
            RowStatus::Run(RunStatus::Done),
            "report",
            "",
            7_200_000,
        ),
    ]);
    app.detail = (1..=40)
        .map(|line| format!("line {line} of the output"))
        .collect();
    app
}

fn drawn(app: &mut App, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw::draw(frame, app)).unwrap();
    terminal.backend().to_string()
}

fn press(app: &mut App, code: KeyCode) -> KeyEffect {
    keys::take(app, &Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn typed(app: &mut App, words: &str) {
    for one in words.chars() {
        press(app, KeyCode::Char(one));
    }
}

fn click(app: &mut App, kind: MouseEventKind, column: u16, row: u16) -> KeyEffect {
    keys::take(
        app,
        &Event::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers: KeyModifiers::NONE,
        }),
    )
}

#[test]
fn it_fits_a_small_and_a_wide_terminal() {
    assert_snapshot!("narrow", drawn(&mut app(), 80, 24));
    let mut wide = app();
    press(&mut wide, KeyCode::Down);
    assert_snapshot!("wide", drawn(&mut wide, 160, 12));
    for (width, height) in [(1, 1), (20, 4), (300, 3)] {
        drawn(&mut app(), width, height);
    }
}

#[test]
fn help_questions_and_what_is_typed_are_shown() {
    let mut app = app();
    press(&mut app, KeyCode::Char('?'));
    assert_snapshot!("help", drawn(&mut app, 80, 24));
    press(&mut app, KeyCode::Esc);
    press(&mut app, KeyCode::Char('x'));
    assert!(drawn(&mut app, 80, 24).contains("kill run:tests? y does it"));
    press(&mut app, KeyCode::Char('n'));
    press(&mut app, KeyCode::Char('m'));
    typed(&mut app, "task.run fast");
    assert!(drawn(&mut app, 80, 24).contains("to run:tests: task.run fast"));
    App::rows(&mut app, Vec::new());
    app.mode = Mode::Browse;
    app.detail.clear();
    assert!(drawn(&mut app, 80, 24).contains("nothing runs here"));
}

#[test]
fn keys_select_filter_and_turn() {
    let mut app = app();
    assert_eq!(press(&mut app, KeyCode::Char('j')), KeyEffect::Reload);
    assert!(app.row().unwrap().status.is_cast());
    assert_eq!(press(&mut app, KeyCode::Char('G')), KeyEffect::Reload);
    assert_eq!(app.row().unwrap().id, "old");
    assert_eq!(
        press(&mut app, KeyCode::Down),
        KeyEffect::Redraw,
        "there is nothing further down"
    );
    press(&mut app, KeyCode::Char('3'));
    assert_eq!(app.tab, TopSide::Room);
    press(&mut app, KeyCode::Left);
    assert_eq!(app.tab, TopSide::Messages);
    press(&mut app, KeyCode::Char('/'));
    typed(&mut app, "failed 3");
    press(&mut app, KeyCode::Enter);
    assert_eq!(
        app.shown()
            .iter()
            .map(|row| row.id.as_str())
            .collect::<Vec<_>>(),
        ["lint"]
    );
    assert_eq!(app.mode, Mode::Browse);
    press(&mut app, KeyCode::Esc);
    assert_eq!(
        (app.shown().len(), app.row().unwrap().id.as_str()),
        (4, "lint"),
        "the same one stays selected"
    );
    let again = app.shown().into_iter().rev().cloned().collect();
    app.rows(again);
    assert_eq!((app.selected, app.row().unwrap().id.as_str()), (1, "lint"));
    assert_eq!(press(&mut app, KeyCode::Char('q')), KeyEffect::Quit);
}

#[test]
fn nothing_is_ended_without_a_yes() {
    let mut app = app();
    press(&mut app, KeyCode::Char('x'));
    assert_eq!(press(&mut app, KeyCode::Enter), KeyEffect::Redraw);
    press(&mut app, KeyCode::Char('x'));
    let KeyEffect::Perform(action) = press(&mut app, KeyCode::Char('y')) else {
        panic!("it was meant")
    };
    assert_eq!(
        (action.row.id.as_str(), action.kind),
        ("tests", ActionKind::Kill)
    );
    app.select(3);
    press(&mut app, KeyCode::Char('x'));
    assert_eq!(app.told, Some(Err("it is over".to_owned())));
    press(&mut app, KeyCode::Char('m'));
    typed(&mut app, "hi");
    press(&mut app, KeyCode::Backspace);
    let KeyEffect::Perform(action) = press(&mut app, KeyCode::Enter) else {
        panic!("it was said")
    };
    assert_eq!(action.kind, ActionKind::Say("h".to_owned()));
}

#[test]
fn the_mouse_points_and_scrolls() {
    let mut app = app();
    drawn(&mut app, 80, 24);
    let left = MouseEventKind::Down(MouseButton::Left);
    assert_eq!(click(&mut app, left, 5, 4), KeyEffect::Reload);
    assert_eq!(app.row().unwrap().id, "lint");
    let (area, _) = app.areas.tabs[3];
    click(&mut app, left, area.x + 1, area.y);
    assert_eq!(app.tab, TopSide::Artifacts);
    click(&mut app, MouseEventKind::ScrollDown, 5, 3);
    assert_eq!(app.row().unwrap().id, "old");
    app.tab = TopSide::Tail;
    assert!(drawn(&mut app, 80, 24).contains("line 40 of"));
    click(&mut app, MouseEventKind::ScrollUp, 5, 15);
    assert!(!app.follow && !drawn(&mut app, 80, 24).contains("line 40 of"));
    press(&mut app, KeyCode::PageDown);
    assert!(app.follow, "at the end it is followed again");
}

#[test]
fn words_are_a_message_of_their_kind() {
    assert_eq!(
        deed::spoken("task.run {\"a\": 1}"),
        ("task.run", Some(serde_json::json!({"a": 1})))
    );
    assert_eq!(deed::spoken("control.stop"), ("control.stop", None));
    assert_eq!(
        deed::spoken(" go on. please "),
        ("chat.message", Some("go on. please".into()))
    );
}

#[test]
fn without_a_terminal_it_is_a_list() {
    let all: Vec<Row> = app().shown().into_iter().cloned().collect();
    assert_snapshot!("plain", rows::plain(&all));
}
