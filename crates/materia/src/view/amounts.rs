//! Formatting of amounts: tokens, money, time, and columns of them.
//!
//! Owns their short forms and the padding of plain columns. Never decides what is shown.

use materia_model::text::{bounded, printable};

/// Formats a number that may be large: `950`, `12.3k`, `4M`.
pub fn short(number: f64) -> String {
    let scaled = |value: f64, unit: &str| {
        let text = format!("{value:.1}");
        format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
    };
    match number {
        n if n >= 999_950.0 => scaled(n / 1e6, "M"),
        n if n >= 1000.0 => scaled(n / 1e3, "k"),
        n => format!("{n:.0}"),
    }
}

/// Formats an amount of money: `$0.12`, with more digits below one cent.
pub fn money(dollars: f64) -> String {
    if dollars > 0.0 && dollars < 0.01 {
        format!("${dollars:.4}")
    } else {
        format!("${dollars:.2}")
    }
}

/// Formats a duration: `250 ms`, `3.2 s`, `4 min 5 s`, `3 h 2 min`, `5 d`.
pub fn time(millis: u64) -> String {
    let seconds = millis / 1000;
    match seconds {
        0 => format!("{millis} ms"),
        1..=59 => format!("{seconds}.{} s", millis % 1000 / 100),
        60..=3599 => format!("{} min {} s", seconds / 60, seconds % 60),
        3600..=172_799 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// Formats an age: `now`, `4 min ago`.
pub fn ago(millis: u64) -> String {
    match millis / 1000 {
        0..=4 => "now".to_owned(),
        seconds @ 5..=59 => format!("{seconds} s ago"),
        seconds @ 60..=3599 => format!("{} min ago", seconds / 60),
        seconds @ 3600..=172_799 => format!("{} h ago", seconds / 3600),
        seconds => format!("{} d ago", seconds / 86_400),
    }
}

/// Puts a text on one line and truncates it to `most` characters.
pub fn line(said: &str, most: usize) -> String {
    let said = bounded(said, 4 * most).replace(['\n', '\t', '\r'], " ");
    let said = printable(&said);
    if said.chars().count() <= most {
        return said.into_owned();
    }
    let kept: String = said.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Aligns rows of cells as columns, two spaces apart. The columns in `right` are right-aligned.
pub fn columns(rows: &[Vec<String>], right: &[usize]) -> Vec<String> {
    let most = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..most).map(width).collect();
    let padded = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let width = widths[column];
            if right.contains(&column) {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(padded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_short() {
        assert_eq!(
            [0.0, 950.0, 1000.0, 12_345.0, 4e6].map(short),
            ["0", "950", "1k", "12.3k", "4M"]
        );
        assert_eq!([0.0, 0.004, 1.5].map(money), ["$0.00", "$0.0040", "$1.50"]);
        assert_eq!(
            [12, 3_210, 245_000, 1e10 as u64].map(time),
            ["12 ms", "3.2 s", "4 min 5 s", "115 d"]
        );
        assert_eq!(
            [0, 61_000, 7_200_000].map(ago),
            ["now", "1 min ago", "2 h ago"]
        );
    }

    #[test]
    fn lines_are_cut_and_columns_stand_below_each_other() {
        assert_eq!(line("a\nbc def", 5), "a bc…");
        let rows = [
            vec!["a".to_owned(), "10".to_owned()],
            vec!["bcd".to_owned(), "1".to_owned()],
        ];
        assert_eq!(columns(&rows, &[1]), ["a    10", "bcd   1"]);
    }
}
