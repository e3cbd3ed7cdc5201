//! A terminal screen as SVG: letters are text and box drawing characters are lines, so that it looks
//! the same with any font.
//!
//! Owns the colours and the window frame. An animation is a sequence of frames, switched by the style
//! sheet; with reduced motion only the last frame is shown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use vt100::{Cell, Color, Screen};

/// The size of a cell, and the font size.
const CELL_WIDTH: f64 = 8.4;
const CELL_HEIGHT: f64 = 18.0;
const FONT_SIZE: f64 = 14.0;
/// The margin around the screen, and the height of the title bar.
const MARGIN: f64 = 16.0;
const TITLE_HEIGHT: f64 = 34.0;

const BACKGROUND: &str = "#0f141b";
const TEXT: &str = "#d7dee8";
/// The sixteen ANSI colours.
const COLOURS: [&str; 16] = [
    "#2d333b", "#ff7b72", "#6fdd8b", "#e3b341", "#79b8ff", "#d2a8ff", "#56d4dd", "#d7dee8",
    "#7d8793", "#ffa198", "#8ef0a4", "#f2cc60", "#a5d1ff", "#e2c5ff", "#87e8ef", "#ffffff",
];

/// The content of a screen, in rows of pieces with the same style.
#[derive(Clone, PartialEq)]
pub struct Frame {
    rows: Vec<Vec<Piece>>,
    columns: u16,
}

#[derive(Clone, PartialEq)]
pub struct Piece {
    at: u16,
    text: String,
    style: Style,
}

#[derive(Clone, PartialEq)]
struct Style {
    text: String,
    background: Option<String>,
    bold: bool,
    dim: bool,
}

impl Frame {
    pub fn of(screen: &Screen) -> Self {
        let (rows, columns) = screen.size();
        let rows = (0..rows).map(|row| pieces(screen, row, columns)).collect();
        Self { rows, columns }
    }

    pub fn rows(&self) -> impl Iterator<Item = &Vec<Piece>> {
        self.rows.iter().filter(|row| !row.is_empty())
    }
}

fn pieces(screen: &Screen, row: u16, columns: u16) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for column in 0..columns {
        let Some(cell) = screen.cell(row, column) else {
            continue;
        };
        let style = style_of(cell);
        let text = if cell.has_contents() {
            cell.contents()
        } else {
            " "
        };
        match pieces.last_mut() {
            Some(last) if last.style == style => last.text.push_str(text),
            _ => pieces.push(Piece {
                at: column,
                text: text.to_owned(),
                style,
            }),
        }
    }
    pieces.retain(|piece| piece.style.background.is_some() || !piece.text.trim().is_empty());
    pieces
}

fn style_of(cell: &Cell) -> Style {
    let (mut text, mut background) = (colour(cell.fgcolor()), colour(cell.bgcolor()));
    if cell.inverse() {
        (text, background) = (
            background.or(Some(BACKGROUND.to_owned())),
            text.or(Some(TEXT.to_owned())),
        );
    }
    Style {
        text: text.unwrap_or(TEXT.to_owned()),
        background,
        bold: cell.bold(),
        dim: cell.dim(),
    }
}

fn colour(colour: Color) -> Option<String> {
    match colour {
        Color::Default => None,
        Color::Idx(index) if index < 16 => Some(COLOURS[usize::from(index)].to_owned()),
        Color::Idx(index) => {
            let part = |by: u8| match (index.saturating_sub(16) / by) % 6 {
                0 => 0,
                step => 55 + u32::from(step) * 40,
            };
            let grey = 8 + u32::from(index.saturating_sub(232)) * 10;
            let (red, green, blue) = if index >= 232 {
                (grey, grey, grey)
            } else {
                (part(36), part(6), part(1))
            };
            Some(format!("#{red:02x}{green:02x}{blue:02x}"))
        }
        Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
    }
}

/// One row, at the position of the first row.
pub fn row(pieces: &[Piece]) -> String {
    let mut drawn = String::new();
    for piece in pieces {
        let x = f64::from(piece.at) * CELL_WIDTH;
        if let Some(background) = &piece.style.background {
            let wide = piece.text.chars().count() as f64 * CELL_WIDTH;
            let _ = write!(
                drawn,
                "<rect x=\"{x:.1}\" width=\"{wide:.1}\" height=\"{CELL_HEIGHT}\" fill=\"{background}\"/>"
            );
        }
        let mut lines = String::new();
        // Letters are drawn word by word, so that a slightly wider font moves no letter far.
        let mut word = String::new();
        let mut from = 0;
        for (number, letter) in piece.text.chars().chain(" ".chars()).enumerate() {
            let line = stroke(letter, x + number as f64 * CELL_WIDTH);
            if letter != ' ' && line.is_none() {
                if word.is_empty() {
                    from = number;
                }
                word.push(letter);
                continue;
            }
            if !word.is_empty() {
                letters(
                    &mut drawn,
                    &piece.style,
                    x + from as f64 * CELL_WIDTH,
                    &word,
                );
                word.clear();
            }
            lines.push_str(&line.unwrap_or_default());
        }
        if !lines.is_empty() {
            let (colour, dim) = (
                &piece.style.text,
                if piece.style.dim {
                    " opacity=\".6\""
                } else {
                    ""
                },
            );
            let _ = write!(drawn, "<path d=\"{lines}\" stroke=\"{colour}\"{dim}/>");
        }
    }
    drawn
}

fn letters(drawn: &mut String, style: &Style, x: f64, word: &str) {
    let y = CELL_HEIGHT / 2.0 + FONT_SIZE * 0.35;
    let wide = word.chars().count() as f64 * CELL_WIDTH;
    let fill = if style.text == TEXT {
        String::new()
    } else {
        format!(" fill=\"{}\"", style.text)
    };
    let bold = if style.bold {
        " font-weight=\"700\""
    } else {
        ""
    };
    let dim = if style.dim { " opacity=\".6\"" } else { "" };
    let word = word
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let _ = write!(
        drawn,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{wide:.1}\" lengthAdjust=\"spacingAndGlyphs\"{fill}{bold}{dim}>{word}</text>"
    );
}

/// A box drawing character as strokes from the centre of its cell: up, down, left and right.
fn stroke(letter: char, x: f64) -> Option<String> {
    let (up, down, left, right) = match letter {
        '─' | '━' => (false, false, true, true),
        '│' | '┃' => (true, true, false, false),
        '┌' | '┏' => (false, true, false, true),
        '┐' | '┓' => (false, true, true, false),
        '└' | '┗' => (true, false, false, true),
        '┘' | '┛' => (true, false, true, false),
        '├' | '┣' => (true, true, false, true),
        '┤' | '┫' => (true, true, true, false),
        '┬' => (false, true, true, true),
        '┴' => (true, false, true, true),
        '═' => {
            return Some(format!(
                "M{x:.1} 7h{CELL_WIDTH}m-{CELL_WIDTH} 4h{CELL_WIDTH}"
            ));
        }
        _ => return None,
    };
    let (middle, half) = (x + CELL_WIDTH / 2.0, CELL_HEIGHT / 2.0);
    let mut path = String::new();
    for (is, to) in [(up, "v-9"), (down, "v9"), (left, "h-4.2"), (right, "h4.2")] {
        if is {
            let _ = write!(path, "M{middle:.1} {half}{to}");
        }
    }
    // Thick lines are drawn twice with a small offset.
    if "━┃┏┓┗┛┣┫".contains(letter) {
        path += &path.replace(
            &format!("M{middle:.1} {half}"),
            &format!("M{:.1} {}", middle + 0.8, half + 0.8),
        );
    }
    Some(path)
}

/// A window with these frames; each has its duration in hundredths of a second.
pub fn picture(title: &str, frames: &[(u32, Frame)]) -> String {
    let rows = frames
        .iter()
        .map(|(_, frame)| used(frame))
        .max()
        .unwrap_or(1);
    let columns = frames.first().map_or(80, |(_, frame)| frame.columns);
    let (width, height) = (
        f64::from(columns) * CELL_WIDTH + 2.0 * MARGIN,
        rows as f64 * CELL_HEIGHT + TITLE_HEIGHT + MARGIN,
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\">\n<style>{}</style>\n",
        style(frames)
    );
    let _ = write!(
        out,
        "<rect width=\"{width:.0}\" height=\"{height:.0}\" rx=\"9\" fill=\"{BACKGROUND}\"/>\n\
         <circle cx=\"18\" cy=\"17\" r=\"5.5\" fill=\"#ff5f57\"/><circle cx=\"37\" cy=\"17\" r=\"5.5\" fill=\"#febc2e\"/><circle cx=\"56\" cy=\"17\" r=\"5.5\" fill=\"#28c840\"/>\n\
         <text x=\"{:.0}\" y=\"21\" text-anchor=\"middle\" fill=\"#7d8793\" style=\"font-size:12px\">{title}</text>\n",
        width / 2.0
    );
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let (mut defined, mut shown) = (String::new(), String::new());
    for (number, (_, frame)) in frames.iter().enumerate() {
        let _ = write!(
            shown,
            "<g id=\"f{number}\" fill=\"{TEXT}\" transform=\"translate({MARGIN} {TITLE_HEIGHT})\">"
        );
        for (at, pieces) in frame
            .rows
            .iter()
            .enumerate()
            .filter(|(_, pieces)| !pieces.is_empty())
        {
            let next = known.len();
            let id = *known.entry(row(pieces)).or_insert(next);
            if id == next {
                let _ = writeln!(defined, "<g id=\"r{id}\">{}</g>", row(pieces));
            }
            let _ = write!(
                shown,
                "<use href=\"#r{id}\" y=\"{:.0}\"/>",
                at as f64 * CELL_HEIGHT
            );
        }
        shown.push_str("</g>\n");
    }
    let _ = write!(out, "<defs>\n{defined}</defs>\n{shown}</svg>\n");
    out
}

fn used(frame: &Frame) -> usize {
    frame
        .rows
        .iter()
        .rposition(|row| !row.is_empty())
        .map_or(1, |row| row + 1)
}

fn style(frames: &[(u32, Frame)]) -> String {
    let mut style = format!(
        "text{{font-size:{FONT_SIZE}px;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace;white-space:pre}}path{{fill:none;stroke-width:1.2}}"
    );
    if frames.len() < 2 {
        return style;
    }
    let total: u32 = frames.iter().map(|(duration, _)| duration).sum();
    let share = |time: u32| f64::from(time) * 100.0 / f64::from(total);
    let mut from = 0;
    style.push_str("@media (prefers-reduced-motion:no-preference){");
    for (number, (duration, _)) in frames.iter().enumerate() {
        let (begin, end) = (share(from), share(from + duration));
        let before = if number == 0 {
            String::new()
        } else {
            "0%{visibility:hidden}".to_owned()
        };
        let after = if number + 1 == frames.len() {
            String::new()
        } else {
            format!("{end:.2}%,100%{{visibility:hidden}}")
        };
        let _ = write!(
            style,
            "#f{number}{{animation:k{number} {:.1}s step-end infinite}}@keyframes k{number}{{{before}{begin:.2}%{{visibility:visible}}{after}}}",
            f64::from(total) / 100.0
        );
        from += duration;
    }
    style.push('}');
    let hidden: Vec<String> = (0..frames.len() - 1)
        .map(|number| format!("#f{number}"))
        .collect();
    let _ = write!(style, "{}{{visibility:hidden}}", hidden.join(","));
    style
}
