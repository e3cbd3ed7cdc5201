//! Drawing: the list, the detail, and the available keys.
//!
//! Owns the layout: side by side on a wide terminal, otherwise stacked. Every colour has a mark
//! with the same meaning.

use materia_engine::api::{ObservedStatus, TopSide};
use materia_model::run;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use super::app::{ActionKind, App, Mode};
use super::keys::KEYS;
use super::rows::{Row, RowStatus};
use crate::view::amounts;

/// From this width on, the list is beside the detail.
const WIDE: u16 = 150;

/// Draws the whole screen.
pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App) {
    let [head, body, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let (list, detail) = parted(body, app);
    frame.render_widget(heading(app), head);
    rows(frame, app, list);
    side(frame, app, detail);
    frame.render_widget(footing(app), foot);
    if app.mode == Mode::Help {
        help(frame, app);
    }
}

fn parted(body: Rect, app: &App) -> (Rect, Rect) {
    let parts = if body.width >= WIDE {
        Layout::horizontal([Constraint::Percentage(45), Constraint::Min(0)])
    } else {
        let wanted = u16::try_from(app.shown().len())
            .unwrap_or(u16::MAX)
            .saturating_add(1);
        let most = (body.height / 2).max(3);
        Layout::vertical([
            Constraint::Length(wanted.clamp(3, most)),
            Constraint::Min(0),
        ])
    };
    let [list, detail] = parts.areas(body);
    (list, detail)
}

fn look(app: &App, style: Style) -> Style {
    if app.colour {
        style
    } else {
        Style::new().add_modifier(style.add_modifier)
    }
}

fn quiet(app: &App) -> Style {
    look(app, Style::new().fg(Color::DarkGray))
}

fn heading(app: &App) -> Line<'static> {
    let going = app.count(|row| row.status.is_running());
    let waiting = app.count(|row| row.status.is_open() && !row.status.is_running());
    let mut parts = vec![
        Span::styled("materia top", Style::new().add_modifier(Modifier::BOLD)),
        Span::raw(format!("  {going} running")),
    ];
    if waiting > 0 {
        parts.push(Span::styled(
            format!(" · {waiting} waiting for you"),
            look(app, Style::new().fg(Color::Yellow)),
        ));
    }
    parts.push(Span::styled(
        format!(" · {} in all", app.total()),
        quiet(app),
    ));
    if !app.filter.is_empty() {
        parts.push(Span::raw(format!(
            "  filter: {} ({})",
            app.filter,
            app.shown().len()
        )));
    }
    Line::from(parts)
}

fn status_style(status: RowStatus) -> Style {
    use run::RunStatus;
    let colour = match status {
        RowStatus::Run(RunStatus::Done) | RowStatus::Cast(ObservedStatus::Complete) => Color::Green,
        RowStatus::Run(RunStatus::Failed | RunStatus::Exited)
        | RowStatus::Cast(
            ObservedStatus::Failed | ObservedStatus::Aborted | ObservedStatus::Unreadable,
        ) => Color::Red,
        RowStatus::Run(RunStatus::Killed | RunStatus::Cancelled)
        | RowStatus::Cast(ObservedStatus::Paused | ObservedStatus::Interrupted) => Color::Yellow,
        RowStatus::Run(RunStatus::Starting | RunStatus::Running)
        | RowStatus::Cast(ObservedStatus::Running) => Color::Cyan,
    };
    Style::new().fg(colour)
}

fn rows(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    let [title, list] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    let room = usize::from(list.height);
    if app.selected < app.first {
        app.first = app.selected;
    } else if app.selected >= app.first + room {
        app.first = app.selected + 1 - room.max(1);
    }
    let shown = app.shown();
    let width = usize::from(list.width);
    let name = shown
        .iter()
        .map(|row| row.name().chars().count())
        .max()
        .unwrap_or(0)
        .clamp(4, (width / 2).clamp(8, 32));
    frame.render_widget(
        Line::styled(
            format!("  {:<11} {:<name$} {:<11} what", "status", "name", "time"),
            quiet(app),
        ),
        title,
    );
    let lines: Vec<Line<'_>> = shown
        .iter()
        .enumerate()
        .skip(app.first)
        .take(room)
        .map(|(at, row)| row_line(app, row, (at == app.selected).then_some(width), name))
        .collect();
    let empty = shown.is_empty();
    let said = match (app.total(), app.filter.is_empty()) {
        (0, _) => "  nothing runs here: `materia spawn` starts a run, `materia demo` shows a cast",
        _ => "  nothing fits the filter; Esc drops it",
    };
    frame.render_widget(
        Paragraph::new(if empty { vec![Line::raw(said)] } else { lines }),
        list,
    );
    app.areas.list = list;
}

/// Renders one row. The selected row is highlighted over its full width.
fn row_line(app: &App, row: &Row, selected: Option<usize>, name: usize) -> Line<'static> {
    let note = if row.what.is_empty() {
        row.note.clone()
    } else {
        format!("{} · {}", row.what, row.note)
    };
    let status = format!("{:<11} ", row.status.as_str());
    let named = format!("{:<name$} ", amounts::line(&row.name(), name));
    let rest = format!("{:<11} {}", row.time(), note.trim_end_matches(" · "));
    if let Some(width) = selected {
        let line = format!("▶ {status}{named}{rest}");
        return Line::styled(
            format!("{line:<width$}"),
            Style::new().add_modifier(Modifier::REVERSED),
        );
    }
    let kind = if row.status.is_cast() {
        Modifier::BOLD
    } else {
        Modifier::empty()
    };
    Line::from(vec![
        Span::raw("  "),
        Span::styled(status, look(app, status_style(row.status))),
        Span::styled(named, Style::new().add_modifier(kind)),
        Span::raw(rest),
    ])
}

fn side(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    let [title, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    let mut spans = vec![Span::styled("─ ", quiet(app))];
    let mut x = title.x + 2;
    app.areas.tabs.clear();
    for (number, tab) in TopSide::ALL.into_iter().enumerate() {
        let text = format!("{} {}", number + 1, tab.as_str());
        let wide = u16::try_from(text.chars().count()).unwrap_or(0);
        app.areas.tabs.push((
            Rect {
                x,
                y: title.y,
                width: wide,
                height: 1,
            },
            tab,
        ));
        let style = if tab == app.tab {
            Style::new().add_modifier(Modifier::REVERSED)
        } else {
            quiet(app)
        };
        spans.push(Span::styled(text, style));
        spans.push(Span::styled(" ─ ", quiet(app)));
        x += wide + 3;
    }
    let followed = if app.follow { "follows" } else { "stays" };
    let used: usize = spans.iter().map(Span::width).sum();
    let rest = usize::from(title.width).saturating_sub(used + followed.len() + 3);
    spans.push(Span::styled(
        format!("{} {followed} ─", "─".repeat(rest)),
        quiet(app),
    ));
    frame.render_widget(Line::from(spans), title);
    app.areas.detail = body;
    let seen = app.seen(usize::from(body.height));
    let lines: Vec<Line<'_>> = seen.iter().map(|line| Line::raw(line.as_str())).collect();
    frame.render_widget(Paragraph::new(lines), body);
}

fn footing(app: &App) -> Line<'static> {
    match &app.mode {
        Mode::Filter => Line::raw(format!("/{}▏  Enter keeps it, Esc drops it", app.filter)),
        Mode::Say(words) => {
            let name = app.row().map(Row::name).unwrap_or_default();
            Line::raw(format!("to {name}: {words}▏  Enter sends it, Esc does not"))
        }
        Mode::Answer(words) => {
            let hint = if words.is_empty() {
                "Enter lets it finish"
            } else {
                "Enter says it"
            };
            Line::raw(format!("continue with: {words}▏  {hint}, Esc does not"))
        }
        Mode::Confirm(action) => {
            let what = match (&action.kind, action.row.status) {
                (ActionKind::Kill, RowStatus::Run(_)) => "kill",
                (ActionKind::Kill, RowStatus::Cast(_)) => "abort",
                _ => "do it to",
            };
            let style = look(app, Style::new().fg(Color::Yellow)).add_modifier(Modifier::BOLD);
            Line::styled(
                format!(
                    "{what} {}? y does it, any other key does not",
                    action.row.name()
                ),
                style,
            )
        }
        Mode::Browse | Mode::Help => match &app.told {
            Some(Ok(said)) => Line::styled(said.clone(), look(app, Style::new().fg(Color::Green))),
            Some(Err(said)) => Line::styled(said.clone(), look(app, Style::new().fg(Color::Red))),
            None => Line::styled(
                "? keys  / filter  Tab sides  f follow  m message  c continue  x kill  q leave",
                quiet(app),
            ),
        },
    }
}

fn help(frame: &mut Frame<'_>, app: &App) {
    let wide = KEYS
        .iter()
        .map(|(keys, _)| keys.chars().count())
        .max()
        .unwrap_or(0);
    let lines: Vec<Line<'_>> = KEYS
        .iter()
        .map(|(keys, does)| {
            Line::from(vec![
                Span::styled(
                    format!(" {keys:<wide$}  "),
                    Style::new().add_modifier(Modifier::BOLD),
                ),
                Span::raw(*does),
            ])
        })
        .collect();
    let (width, height) = (76, u16::try_from(lines.len()).unwrap_or(0) + 2);
    let area = frame.area();
    let (width, height) = (width.min(area.width), height.min(area.height));
    let at = Rect {
        x: (area.width - width) / 2,
        y: (area.height - height) / 2,
        width,
        height,
    };
    frame.render_widget(Clear, at);
    let block = Block::bordered()
        .title(" keys ")
        .title_bottom(" any key closes this ")
        .border_style(quiet(app));
    frame.render_widget(Paragraph::new(lines).block(block), at);
}
