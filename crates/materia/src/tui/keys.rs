//! What keys and the mouse mean.
//!
//! Owns the bindings and the page that lists them. Never acts: what follows is told to the loop.

use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Position;

use super::app::{App, Deed, Mode, Tab, Then, What};

/// Every key and what it does.
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

/// Takes one event of the terminal.
pub(super) fn take(app: &mut App, event: &Event) -> Then {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => pressed(app, *key),
        Event::Mouse(mouse) => pointed(app, *mouse),
        _ => Then::Nothing,
    }
}

fn pressed(app: &mut App, key: KeyEvent) -> Then {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    if control && matches!(key.code, KeyCode::Char('c' | 'd')) {
        return Then::Leave;
    }
    match std::mem::take(&mut app.mode) {
        Mode::Browse => browse(app, key.code),
        Mode::Help => Then::Nothing,
        Mode::Filter => filter(app, key.code),
        Mode::Say(words) => typed(app, words, key.code, Mode::Say),
        Mode::Answer(words) => typed(app, words, key.code, Mode::Answer),
        Mode::Confirm(deed) => match key.code {
            KeyCode::Char('y' | 'Y') => Then::Do(deed),
            _ => {
                app.told = Some(Ok("left as it is".to_owned()));
                Then::Nothing
            }
        },
    }
}

fn browse(app: &mut App, key: KeyCode) -> Then {
    match key {
        KeyCode::Char('q') => Then::Leave,
        KeyCode::Up | KeyCode::Char('k') => app.step(-1),
        KeyCode::Down | KeyCode::Char('j') => app.step(1),
        KeyCode::Char('g') | KeyCode::Home => app.step(isize::MIN),
        KeyCode::Char('G') | KeyCode::End => app.step(isize::MAX),
        KeyCode::Right | KeyCode::Tab | KeyCode::Char('l') => app.turn_by(1),
        KeyCode::Left | KeyCode::BackTab | KeyCode::Char('h') => app.turn_by(Tab::ALL.len() - 1),
        KeyCode::Char(digit @ '1'..='5') => app.turn(Tab::ALL[digit as usize - '1' as usize]),
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
            Then::Nothing
        }
        KeyCode::Char('/') => mode(app, Mode::Filter),
        KeyCode::Char('?') | KeyCode::F(1) => mode(app, Mode::Help),
        KeyCode::Esc => app.filter(String::clear),
        KeyCode::Char('m') if app.row().is_some() => mode(app, Mode::Say(String::new())),
        KeyCode::Char('x') => match deed(app, What::Kill) {
            Some(deed) if deed.row.open => mode(app, Mode::Confirm(deed)),
            Some(_) => refused(app, "it is over"),
            None => Then::Nothing,
        },
        KeyCode::Char('c') => match deed(app, What::Continue) {
            Some(deed) if deed.row.waits() => mode(app, Mode::Answer(String::new())),
            other => other.map_or(Then::Nothing, Then::Do),
        },
        _ => Then::Nothing,
    }
}

fn deed(app: &App, what: What) -> Option<Deed> {
    app.row().map(|row| Deed {
        row: row.clone(),
        what,
    })
}

fn mode(app: &mut App, mode: Mode) -> Then {
    (app.mode, app.told) = (mode, None);
    Then::Nothing
}

fn refused(app: &mut App, why: &str) -> Then {
    app.told = Some(Err(why.to_owned()));
    Then::Nothing
}

fn filter(app: &mut App, key: KeyCode) -> Then {
    match key {
        KeyCode::Enter => Then::Nothing,
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
            Then::Nothing
        }
    }
}

/// One more key of a line that is typed; `again` is the mode in which it goes on.
fn typed(app: &mut App, mut words: String, key: KeyCode, again: fn(String) -> Mode) -> Then {
    match key {
        KeyCode::Esc => return Then::Nothing,
        KeyCode::Enter => {
            let what = match (again(String::new()), words.trim().is_empty()) {
                (_, false) => What::Say(words),
                (Mode::Answer(_), true) => What::Continue,
                (_, true) => return Then::Nothing,
            };
            return deed(app, what).map_or(Then::Nothing, Then::Do);
        }
        KeyCode::Backspace => {
            words.pop();
        }
        KeyCode::Char(one) => words.push(one),
        _ => {}
    }
    app.mode = again(words);
    Then::Nothing
}

fn pointed(app: &mut App, mouse: MouseEvent) -> Then {
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
            tab.map_or(Then::Nothing, |tab| app.turn(tab))
        }
        MouseEventKind::ScrollUp if on_list => app.step(-1),
        MouseEventKind::ScrollDown if on_list => app.step(1),
        MouseEventKind::ScrollUp => app.scroll(-3),
        MouseEventKind::ScrollDown => app.scroll(3),
        _ => Then::Nothing,
    }
}
