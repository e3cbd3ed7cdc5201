//! The name of a step of a cast, and its summary on one line.
//!
//! Owns what is left out on a narrow terminal: first the cost, then the end of the item's label,
//! then tokens and time.

use materia_model::cast::event::VisitId;
use materia_model::text;

use super::amounts::line;

/// The longest label of an item, in characters.
const LONGEST: usize = 80;

/// The name of a visit: its socket and materia, its item, and the number of the visit from the
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

/// Summarizes a finished step, to be written behind a keyword of seven letters. Leaves out details
/// until the summary fits `room`; the name and the outcome always stay.
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
