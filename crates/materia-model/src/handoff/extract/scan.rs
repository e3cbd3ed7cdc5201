//! Candidates in a text: pieces that may be one JSON object.
//!
//! Owns fences and balanced brackets. Every stage passes pieces to `take` until it returns `true`.
//! Work is bounded by a small multiple of the text: regions do not overlap, and scans that run to
//! the end of the text are counted. Never parses a piece.

use std::collections::HashSet;

/// The maximum number of scans that reach the end of the text without a matching bracket.
const MAX_LOST: usize = 64;

/// The whole text, if it begins like an object or a list.
pub(super) fn whole(text: &str, take: &mut dyn FnMut(&str) -> bool) {
    let text = text.trim();
    if text.starts_with(['{', '[']) && text.ends_with(['}', ']']) {
        take(text);
    }
}

/// The inside of each fenced block that looks like an object.
pub(super) fn fences(text: &str, take: &mut dyn FnMut(&str) -> bool) {
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let ticks = line
            .trim_start()
            .bytes()
            .take_while(|byte| *byte == b'`')
            .count();
        match open {
            None if ticks >= 3 => open = Some((ticks, at)),
            Some((opened, inside)) if ticks >= opened && line.trim().len() == ticks => {
                open = None;
                let block = text[inside..start].trim();
                if block.starts_with('{') && block.ends_with('}') && take(block) {
                    return;
                }
            }
            _ => {}
        }
    }
}

/// Each balanced object that is not inside another balanced object or list.
pub(super) fn objects(text: &str, take: &mut dyn FnMut(&str) -> bool) {
    let bytes = text.as_bytes();
    let mut lost = HashSet::new();
    let mut scans = 0;
    let mut at = 0;
    while let Some(offset) = bytes[at..]
        .iter()
        .position(|byte| matches!(byte, b'{' | b'['))
    {
        let start = at + offset;
        at = start + 1;
        if !may_begin(bytes, start) {
            continue;
        }
        if !lost.contains(&start) {
            match partner(bytes, start) {
                Ok(end) => {
                    let piece = &text[start..end];
                    if bytes[start] == b'{' {
                        if take(piece) {
                            return;
                        }
                        at = end;
                    } else if is_list(piece) {
                        at = end;
                    }
                    continue;
                }
                Err(open) => lost.extend(open),
            }
        }
        scans += 1;
        if scans > MAX_LOST {
            return;
        }
        // A truncated answer is one broken object; nothing inside it is an answer.
        if bytes[start] == b'{' && is_cut_off(&text[start..]) {
            take(&text[start..]);
            return;
        }
    }
}

/// Whether a bracket can begin JSON. Braces in prose cannot.
fn may_begin(bytes: &[u8], start: usize) -> bool {
    let next = bytes[start + 1..]
        .iter()
        .find(|byte| !byte.is_ascii_whitespace());
    match (bytes[start], next) {
        (_, None) => false,
        (b'{', Some(next)) => matches!(next, b'"' | b'}'),
        (_, Some(next)) => {
            matches!(
                next,
                b'{' | b'[' | b'"' | b']' | b'-' | b't' | b'f' | b'n' | b'0'..=b'9'
            )
        }
    }
}

/// The end of the bracket's region, or all brackets still open at the end of the text.
fn partner(bytes: &[u8], start: usize) -> Result<usize, Vec<usize>> {
    let mut open = vec![start];
    let mut in_string = false;
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => open.push(at),
            b'}' | b']' => {
                let opener = if *byte == b'}' { b'{' } else { b'[' };
                if open.last().is_some_and(|last| bytes[*last] == opener) {
                    open.pop();
                }
                if open.is_empty() {
                    return Ok(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    Err(open)
}

fn is_list(piece: &str) -> bool {
    serde_json::from_str::<Vec<serde::de::IgnoredAny>>(piece).is_ok()
}

fn is_cut_off(rest: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(rest).is_err_and(|error| error.is_eof())
}
