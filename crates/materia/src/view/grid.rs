//! The colours of a drawn loadout: frames are dimmed, names and guards stand out.
//!
//! Owns only the colours. The model decides what is drawn, and where.

use super::style::Role;

/// Colours a drawing if `colour` is set. The text itself does not change.
pub fn painted(drawn: &str, colour: bool) -> String {
    if !colour {
        return drawn.to_owned();
    }
    let mut lines = drawn.split_inclusive('\n');
    let title = lines
        .next()
        .map(|title| Role::Strong.paint(title.trim_end(), colour) + "\n");
    title.into_iter().chain(lines.map(line)).collect()
}

fn is_frame(letter: char) -> bool {
    ('\u{2500}'..='\u{257f}').contains(&letter)
}

fn line(line: &str) -> String {
    let (mut out, mut rest) = (String::new(), line.trim_end_matches('\n'));
    while let Some(first) = rest.chars().next() {
        let end = rest
            .find(|letter| is_frame(letter) != is_frame(first))
            .unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        out.push_str(&if is_frame(first) {
            Role::Quiet.paint(run, true)
        } else {
            words(run)
        });
        rest = after;
    }
    out + &line[line.trim_end_matches('\n').len()..]
}

fn words(run: &str) -> String {
    let (said, paint) = (run.trim(), |word: &str, role: Role| {
        run.replacen(word, &role.paint(word, true), 1)
    });
    match said {
        _ if said.starts_with("not_satisfied") || said.starts_with('✗') => {
            paint(said, Role::Warning)
        }
        _ if ["satisfied", "done", "✓"]
            .iter()
            .any(|word| said.starts_with(word)) =>
        {
            paint(said, Role::Good)
        }
        _ => match said.split_once(" · ") {
            Some((_, name)) => paint(name, Role::Strong),
            None => run.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_add_no_letters() {
        let drawn = "T\n\n│ a · Work ├─ not_satisfied, at most 2× ──┤\n┗━ done ▶ end\n";
        let painted = painted(drawn, true);
        assert!(
            painted.contains("\u{1b}[1mWork\u{1b}[0m") && painted.contains("\u{1b}[33mnot_"),
            "{painted:?}"
        );
        let plain: String = painted
            .split('\u{1b}')
            .enumerate()
            .map(|(at, part)| match at {
                0 => part,
                _ => part.split_once('m').unwrap().1,
            })
            .collect();
        assert_eq!(plain, drawn);
        assert_eq!(super::painted(drawn, false), drawn);
    }
}
