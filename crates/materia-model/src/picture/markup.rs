//! Renderings for other drawing programs: Mermaid and DOT.
//!
//! Owns the two notations and their escaping. A socket is in the first loop that has it, since
//! neither notation can put it into two. Never computes a layout.

use std::fmt::Write;

use super::{kind, one_line, ways};
use crate::loadout::graph::{Graph, RouteTarget, SocketIndex};

/// The graph as a Mermaid flowchart.
pub fn mermaid(graph: &Graph) -> String {
    let mut out = String::from("flowchart TD\n");
    let node = |slot: SocketIndex| {
        let socket = graph.socket(slot);
        let text = format!(
            "{}<br/>{}",
            escaped(socket.id.as_str()),
            escaped(socket.materia.title())
        );
        let (open, close) = if kind(&socket.materia.kind) == "agent" {
            ("(", ")")
        } else {
            ("[[", "]]")
        };
        format!("n{}{open}\"{text}\"{close}", slot.position())
    };
    for (at, region) in graph.loops().iter().enumerate() {
        let _ = writeln!(
            out,
            "  subgraph loop{at} [\"loop {}\"]",
            escaped(&region.id)
        );
        for slot in first_members(graph, at) {
            let _ = writeln!(out, "    {}", node(slot));
        }
        out.push_str("  end\n");
    }
    for slot in graph
        .slots()
        .filter(|slot| graph.socket(*slot).loops.is_empty())
    {
        let _ = writeln!(out, "  {}", node(slot));
    }
    out.push_str("  stop(((\"end\")))\n");
    let _ = writeln!(out, "  start((start)) --> n{}", graph.entry().position());
    for slot in graph.slots() {
        let mut alone = true;
        for way in ways(graph, slot) {
            alone = false;
            let arrow = if way.done { "==>" } else { "-->" };
            let label = if way.label.is_empty() {
                String::new()
            } else {
                format!("|\"{}\"|", escaped(&way.label))
            };
            let _ = writeln!(
                out,
                "  n{} {arrow}{label} {}",
                slot.position(),
                name(way.to, "stop")
            );
        }
        if alone {
            let _ = writeln!(out, "  n{} --> stop", slot.position());
        }
    }
    out
}

/// The graph in the DOT language.
pub fn dot(graph: &Graph) -> String {
    let mut out = format!("digraph {} {{\n", quoted(graph.name()));
    out.push_str("  rankdir=TB;\n  node [shape=box, style=rounded];\n");
    let node = |slot: SocketIndex| {
        let socket = graph.socket(slot);
        let label = format!("{}\n{}", socket.id, one_line(socket.materia.title(), 100));
        let shape = if kind(&socket.materia.kind) == "agent" {
            ""
        } else {
            ", style=solid"
        };
        format!("n{} [label={}{shape}];", slot.position(), quoted(&label))
    };
    for (at, region) in graph.loops().iter().enumerate() {
        let _ = writeln!(
            out,
            "  subgraph cluster_{at} {{\n    label={};",
            quoted(&format!("loop {}", region.id))
        );
        for slot in first_members(graph, at) {
            let _ = writeln!(out, "    {}", node(slot));
        }
        out.push_str("  }\n");
    }
    for slot in graph
        .slots()
        .filter(|slot| graph.socket(*slot).loops.is_empty())
    {
        let _ = writeln!(out, "  {}", node(slot));
    }
    out.push_str("  start [shape=circle];\n  end [shape=doublecircle];\n");
    let _ = writeln!(out, "  start -> n{};", graph.entry().position());
    for slot in graph.slots() {
        let mut alone = true;
        for way in ways(graph, slot) {
            alone = false;
            let label = if way.label.is_empty() {
                String::new()
            } else {
                format!(" [label={}]", quoted(&way.label))
            };
            let style = if way.done { " [style=bold]" } else { "" };
            let _ = writeln!(
                out,
                "  n{} -> {}{label}{style};",
                slot.position(),
                name(way.to, "end")
            );
        }
        if alone {
            let _ = writeln!(out, "  n{} -> end;", slot.position());
        }
    }
    out.push_str("}\n");
    out
}

/// The members of a loop that are in no earlier loop.
fn first_members(graph: &Graph, at: usize) -> impl Iterator<Item = SocketIndex> {
    let members = graph.loops()[at].members.iter().copied();
    members.filter(move |slot| graph.socket(*slot).loops.first() == Some(&at))
}

fn name(target: RouteTarget, end: &str) -> String {
    match target {
        RouteTarget::Socket(slot) => format!("n{}", slot.position()),
        RouteTarget::End => end.to_owned(),
    }
}

/// Escapes a text for Mermaid's quotes.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for c in one_line(text, 100).chars() {
        match c {
            '"' => safe.push_str("#quot;"),
            '<' => safe.push_str("#lt;"),
            '>' => safe.push_str("#gt;"),
            '#' => safe.push_str("#35;"),
            '`' => safe.push_str("#96;"),
            _ => safe.push(c),
        }
    }
    safe
}

/// Quotes a text as a DOT string; keeps line breaks.
fn quoted(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            one_line(line, 100)
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
        })
        .collect();
    format!("\"{}\"", lines.join("\\n"))
}
