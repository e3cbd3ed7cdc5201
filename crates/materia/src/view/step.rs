//! What one step of a cast is called, and how it is told on one line.
//!
//! Owns what is left out first where a terminal is narrow: what it cost, then how it went, then the
//! end of its item.

use materia_model::cast::event::VisitId;
use materia_model::text;

use super::amounts::line;

/// The longest item that is spelled out.
const LONGEST: usize = 80;

/// What a visit is called: its socket and what it holds, its item, and which visit it is from the
/// second on.
pub(super) fn named(place: &VisitId) -> String {
    within(place, LONGEST)
}

fn within(place: &VisitId, longest: usize) -> String {
    let item = place.item_label.as_ref().or(place.item_key.as_ref());
    let item = item
        .map(|item| format!(" {}", text::quoted(&line(item, longest))))
        .unwrap_or_default();
    let visit = if place.visit > 1 {
        format!(", visit {}", place.visit)
    } else {
        String::new()
    };
    let materia = if place.materia == place.socket {
        String::new()
    } else {
        format!(" ({})", place.materia)
    };
    format!("{}{materia}{item}{visit}", place.socket)
}

/// A finished step, behind a word of seven letters: on one line where there is room for what
/// matters.
pub(super) fn compact(place: &VisitId, more: &str, took: &[String], room: Option<usize>) -> String {
    let told = |longest: usize, parts: usize| {
        let took = &took[..parts.min(took.len())];
        let took = if took.is_empty() {
            String::new()
        } else {
            format!(" ({})", took.join(", "))
        };
        format!("{}{more}{took}", within(place, longest))
    };
    let shorter = [
        (LONGEST, 3),
        (LONGEST, 2),
        (32, 2),
        (24, 2),
        (24, 1),
        (16, 0),
    ]
    .map(|(longest, parts)| told(longest, parts));
    let room = room.map_or(usize::MAX, |room| room.saturating_sub("running ".len()));
    let fits = shorter.iter().find(|told| told.chars().count() <= room);
    fits.unwrap_or(&shorter[5]).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> VisitId {
        serde_json::from_value(
            serde_json::json!({"socket": "Socket-5", "materia": "Auto-Eval", "visit": 2,
            "itemKey": "2", "itemLabel": "Tell everybody who reads the manual about it"}),
        )
        .unwrap()
    }

    #[test]
    fn what_matters_least_goes_first() {
        let took = ["264 ms", "2.5k tokens", "$0.0080"].map(str::to_owned);
        let told = |room| compact(&place(), ", not satisfied", &took, room);
        assert_eq!(told(None), told(Some(500)));
        let full = "Socket-5 (Auto-Eval) `Tell everybody who reads the manual about it`, visit 2, not satisfied";
        assert_eq!(told(None), format!("{full} (264 ms, 2.5k tokens, $0.0080)"));
        assert_eq!(told(Some(125)), format!("{full} (264 ms, 2.5k tokens)"));
        let short =
            "Socket-5 (Auto-Eval) `Tell everybody who reads the ma…`, visit 2, not satisfied";
        assert_eq!(told(Some(115)), format!("{short} (264 ms, 2.5k tokens)"));
        assert_eq!(
            told(Some(80)),
            "Socket-5 (Auto-Eval) `Tell everybody…`, visit 2, not satisfied"
        );
        assert_eq!(
            told(Some(20)),
            told(Some(80)),
            "what matters stays, and wraps"
        );
    }
}
