//! Markdown recipes: frontmatter, prose for users, and the first fence with a template (R1).
//!
//! Owns finding the frontmatter and the fence, and merging both into one object. Positions are
//! those of the file. Never reads a field of it.

use std::ops::Range;

use super::yaml;
use crate::document::{self, JsonContent, JsonMember, JsonNode};
use crate::finding::{Finding, Source};

/// The info words that mark a template fence.
const FENCES: &[&str] = &["recipe", "template", "command", "json"];

/// Parses a Markdown recipe to the object of an equivalent JSON recipe.
pub(super) fn parse(source: &Source) -> Result<JsonNode, Vec<Finding>> {
    let (front, rest) = frontmatter(source).map_err(|finding| vec![*finding])?;
    let mut root = yaml::parse(source, front)?;
    let JsonContent::Object(members) = &mut root.content else {
        return Err(vec![wrong(
            source,
            root.span.start,
            "the frontmatter is no object",
            "write `key: value` lines",
        )]);
    };
    members
        .iter_mut()
        .filter(|member| member.name == "defaults")
        .for_each(|member| merged(&mut member.value));
    let Some(fence) = fence(source, rest).map_err(|finding| vec![*finding])? else {
        if members.iter().any(|member| member.name == "template") {
            return Ok(root);
        }
        let hint =
            "add a fence such as ```template with the command, or `template:` to the frontmatter";
        return Err(vec![wrong(
            source,
            source.text().len(),
            "there is no fence with a template",
            hint,
        )]);
    };
    let mut fenced = fenced(source, &fence)?;
    if let JsonContent::Object(inside) = &mut fenced.content
        && inside.iter().any(|member| member.name == "template")
    {
        // The fence overrides the frontmatter.
        members.retain(|member| inside.iter().all(|inner| inner.name != member.name));
        members.append(inside);
        return Ok(root);
    }
    members.retain(|member| member.name != "template");
    let name_span = fenced.span.clone();
    members.push(JsonMember {
        name: "template".to_owned(),
        name_span,
        value: fenced,
    });
    Ok(root)
}

/// The range of the frontmatter, and the offset of the rest.
fn frontmatter(source: &Source) -> Result<(Range<usize>, usize), Box<Finding>> {
    let text = source.text();
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut lines = lines(text, start);
    if lines
        .next()
        .is_none_or(|(_, line)| line.trim_end() != "---")
    {
        let hint = "begin with a line `---`, then `description: …`, then a line `---`";
        return Err(Box::new(wrong(
            source,
            start,
            "a Markdown recipe begins with frontmatter",
            hint,
        )));
    }
    let begin = lines.next().map_or(text.len(), |(at, _)| at);
    let mut at_fence = self::lines(text, begin);
    let close = at_fence.find(|(_, line)| matches!(line.trim_end(), "---" | "..."));
    match close {
        Some((at, line)) => Ok((begin..at, (at + line.len() + 1).min(text.len()))),
        None => Err(Box::new(wrong(
            source,
            start,
            "the frontmatter is not closed",
            "close it with a line `---`",
        ))),
    }
}

/// A fenced block.
struct Fence {
    body: Range<usize>,
    json: bool,
}

/// The first template fence.
fn fence(source: &Source, from: usize) -> Result<Option<Fence>, Box<Finding>> {
    let text = source.text();
    let mut open: Option<(usize, &str, String, usize)> = None;
    for (at, line) in lines(text, from) {
        let inner = line.trim_start();
        let mark = inner.len() - inner.trim_start_matches(['`', '~']).len();
        let (fence, info) = inner.split_at(mark);
        let same = fence.chars().all(|c| fence.starts_with(c))
            && mark >= 3
            && line.len() - inner.len() <= 3;
        match &open {
            None if same => {
                open = Some((
                    at,
                    fence,
                    info.trim().to_lowercase(),
                    (at + line.len() + 1).min(text.len()),
                ));
            }
            Some((_, opening, info, body))
                if same && fence.starts_with(opening) && inner.trim_end() == fence =>
            {
                if FENCES.iter().any(|word| info.contains(word)) {
                    let json = info.contains("json") || info.contains("recipe");
                    return Ok(Some(Fence {
                        body: *body..at,
                        json,
                    }));
                }
                open = None;
            }
            _ => {}
        }
    }
    match open {
        Some((at, ..)) => Err(Box::new(wrong(
            source,
            at,
            "the fence is not closed",
            "close it with the same marks",
        ))),
        None => Ok(None),
    }
}

/// Parses a fence: JSON if it is marked as such or looks like it, else one command.
fn fenced(source: &Source, fence: &Fence) -> Result<JsonNode, Vec<Finding>> {
    let body = source.text().get(fence.body.clone()).unwrap_or("");
    let trimmed = body.trim();
    if fence.json || trimmed.starts_with(['{', '[', '"']) {
        match document::parse(&only(source, &fence.body)) {
            Ok(node) => return Ok(node),
            Err(findings) if fence.json => return Err(findings),
            Err(_) => {}
        }
    }
    if trimmed.is_empty() {
        return Err(vec![wrong(
            source,
            fence.body.start,
            "the fence is empty",
            "write the command in it",
        )]);
    }
    let start = fence.body.start + (body.len() - body.trim_start().len());
    Ok(JsonNode {
        content: JsonContent::String(trimmed.to_owned()),
        span: start..start + trimmed.len(),
    })
}

/// Blanks out everything but a part of the source, so that positions stay the same.
fn only(source: &Source, part: &Range<usize>) -> Source {
    let blank = |text: &str| {
        text.bytes()
            .map(|byte| if byte == b'\n' { '\n' } else { ' ' })
            .collect::<String>()
    };
    let text = source.text();
    let (before, after) = (&text[..part.start], &text[part.end..]);
    Source::new(
        source.name(),
        &format!("{}{}{}", blank(before), &text[part.clone()], blank(after)),
    )
}

/// Merges a list of `key: value` items into one object.
fn merged(node: &mut JsonNode) {
    if let JsonContent::Array(items) = &mut node.content
        && items
            .iter()
            .all(|item| matches!(item.content, JsonContent::Object(_)))
    {
        let mut members: Vec<JsonMember> = Vec::new();
        for item in items.drain(..) {
            if let JsonContent::Object(inner) = item.content {
                members.retain(|member| inner.iter().all(|newer| newer.name != member.name));
                members.extend(inner);
            }
        }
        node.content = JsonContent::Object(members);
    }
}

/// The lines from an offset on, each with its offset.
fn lines(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = from;
    text.get(from..).unwrap_or("").split('\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        (start, line)
    })
}

fn wrong(source: &Source, at: usize, message: &str, hint: &str) -> Finding {
    Finding::error("invalid-markdown", message)
        .at(source, &(at..at))
        .hint(hint)
}
