//! The key and mouse bindings.
//!
//! Owns the bindings and the page that lists them. Never acts: the loop performs the returned
//! effect.

use materia_engine::api::TopSide;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use super::app::{Action, ActionKind, App, KeyEffect, Mode};

/// All keys with their descriptions.
pub(super) const KEYS: [(&str, &str); 12] = [
    ("↑ ↓  j k", "select a run or a cast; the mouse does it too"),
    ("← →  Tab  1-5", "show another side of it"),
    ("PgUp PgDn  wheel", "scroll"),
    ("f", "follow the end, or stay"),
    ("/", "filter the list: words that must be there"),
    ("Esc", "leave what you are typing, or drop the filter"),
    ("m", "say something: TYPE BODY, or words for a paused cast"),
    (
        "c",
        "continue: a paused cast with words or none, or one that ended badly",
    ),
    ("x", "kill a run, or abort a cast; asks first"),
    ("g G", "go to the first, to the last"),
    ("?", "this page"),
    ("q  Ctrl-C", "leave; nothing that runs is touched"),
];

/// Handles one terminal event.
pub(super) fn take(app: &mut App, event: &Event) -> KeyEffect {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => pressed(app, *key),
        Event::Mouse(mouse) => pointed(app, *mouse),
        _ => KeyEffect::Redraw,
    }
}

fn pressed(app: &mut App, key: KeyEvent) -> KeyEffect {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    if control && matches!(key.code, KeyCode::Char('c' | 'd')) {
        return KeyEffect::Quit;
    }
    match std::mem::take(&mut app.mode) {
        Mode::Browse => browse(app, key.code),
        Mode::Help => KeyEffect::Redraw,
        Mode::Filter => filter(app, key.code),
        Mode::Say(words) => typed(app, words, key.code, Mode::Say),
        Mode::Answer(words) => typed(app, words, key.code, Mode::Answer),
        Mode::Confirm(action) => match key.code {
            KeyCode::Char('y' | 'Y') => KeyEffect::Perform(action),
            _ => {
                app.told = Some(Ok("left as it is".to_owned()));
                KeyEffect::Redraw
            }
        },
    }
}

fn browse(app: &mut App, key: KeyCode) -> KeyEffect {
    match key {
        KeyCode::Char('q') => KeyEffect::Quit,
        KeyCode::Up | KeyCode::Char('k') => app.step(-1),
        KeyCode::Down | KeyCode::Char('j') => app.step(1),
        KeyCode::Char('g') | KeyCode::Home => app.step(isize::MIN),
        KeyCode::Char('G') | KeyCode::End => app.step(isize::MAX),
        KeyCode::Right | KeyCode::Tab | KeyCode::Char('l') => app.turn_by(1),
        KeyCode::Left | KeyCode::BackTab | KeyCode::Char('h') => {
            app.turn_by(TopSide::ALL.len() - 1)
        }
        KeyCode::Char(digit @ '1'..='5') => app.turn(TopSide::ALL[digit as usize - '1' as usize]),
        KeyCode::PageUp => app.scroll(-isize::try_from(app.areas.detail.height).unwrap_or(10)),
        KeyCode::PageDown | KeyCode::Char(' ') => {
            app.scroll(isize::try_from(app.areas.detail.height).unwrap_or(10))
        }
        KeyCode::Char('f') => {
            app.follow = !app.follow;
            if !app.follow {
                app.scroll = app
                    .detail
                    .len()
                    .saturating_sub(usize::from(app.areas.detail.height));
            }
            KeyEffect::Redraw
        }
        KeyCode::Char('/') => mode(app, Mode::Filter),
        KeyCode::Char('?') | KeyCode::F(1) => mode(app, Mode::Help),
        KeyCode::Esc => app.filter(String::clear),
        KeyCode::Char('m') if app.row().is_some() => mode(app, Mode::Say(String::new())),
        KeyCode::Char('x') => match action(app, ActionKind::Kill) {
            Some(action) if action.row.status.is_open() => mode(app, Mode::Confirm(action)),
            Some(_) => refused(app, "it is over"),
            None => KeyEffect::Redraw,
        },
        KeyCode::Char('c') => match action(app, ActionKind::Continue) {
            Some(action) if action.row.is_paused_cast() => mode(app, Mode::Answer(String::new())),
            other => other.map_or(KeyEffect::Redraw, KeyEffect::Perform),
        },
        _ => KeyEffect::Redraw,
    }
}

fn action(app: &App, kind: ActionKind) -> Option<Action> {
    app.row().map(|row| Action {
        row: row.clone(),
        kind,
    })
}

fn mode(app: &mut App, mode: Mode) -> KeyEffect {
    (app.mode, app.told) = (mode, None);
    KeyEffect::Redraw
}

fn refused(app: &mut App, why: &str) -> KeyEffect {
    app.told = Some(Err(why.to_owned()));
    KeyEffect::Redraw
}

fn filter(app: &mut App, key: KeyCode) -> KeyEffect {
    match key {
        KeyCode::Enter => KeyEffect::Redraw,
        KeyCode::Esc => app.filter(String::clear),
        KeyCode::Backspace => {
            app.mode = Mode::Filter;
            app.filter(|filter| {
                filter.pop();
            })
        }
        KeyCode::Char(one) => {
            app.mode = Mode::Filter;
            app.filter(|filter| filter.push(one))
        }
        _ => {
            app.mode = Mode::Filter;
            KeyEffect::Redraw
        }
    }
}

/// Handles a key in an input line. `again` is the mode in which the input continues.
fn typed(app: &mut App, mut words: String, key: KeyCode, again: fn(String) -> Mode) -> KeyEffect {
    match key {
        KeyCode::Esc => return KeyEffect::Redraw,
        KeyCode::Enter => {
            let kind = match (again(String::new()), words.trim().is_empty()) {
                (_, false) => ActionKind::Say(words),
                (Mode::Answer(_), true) => ActionKind::Continue,
                (_, true) => return KeyEffect::Redraw,
            };
            return action(app, kind).map_or(KeyEffect::Redraw, KeyEffect::Perform);
        }
        KeyCode::Backspace => {
            words.pop();
        }
        KeyCode::Char(one) => words.push(one),
        _ => {}
    }
    app.mode = again(words);
    KeyEffect::Redraw
}

fn pointed(app: &mut App, mouse: MouseEvent) -> KeyEffect {
    let at = Position {
        x: mouse.column,
        y: mouse.row,
    };
    let on_list = app.areas.list.contains(at);
    match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) if on_list => {
            let row = usize::from(mouse.row - app.areas.list.y) + app.first;
            app.select(row)
        }
        MouseEventKind::Down(MouseButton::Left) => {
            let tab = app
                .areas
                .tabs
                .iter()
                .find(|(area, _)| area.contains(at))
                .map(|(_, tab)| *tab);
            tab.map_or(KeyEffect::Redraw, |tab| app.turn(tab))
        }
        MouseEventKind::ScrollUp if on_list => app.step(-1),
        MouseEventKind::ScrollDown if on_list => app.step(1),
        MouseEventKind::ScrollUp => app.scroll(-3),
        MouseEventKind::ScrollDown => app.scroll(3),
        _ => KeyEffect::Redraw,
    }
}
