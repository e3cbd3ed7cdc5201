//! Rendering of recipes and tools.

use std::fmt::Write as _;

use materia_engine::api::{
    DraftListReport, Imported, Imports, RecipeDoctorReport, RecipeListReport, RecipeReport,
    RecipeState, ToolCallReport, ToolChangeReport, ToolListReport,
};
use materia_model::template::TemplateArg;
use materia_model::text::{count, printable};

use super::Report;
use super::screen::finding_lines;
use super::style::Role;

impl Report for RecipeListReport {
    fn human(&self, colour: bool) -> String {
        let mut text = String::new();
        let width = self
            .recipes
            .iter()
            .map(|one| one.id.chars().count())
            .max()
            .unwrap_or(0)
            .min(40);
        let mut kind = None;
        for one in &self.recipes {
            if kind != Some(&one.kind) {
                let gap = if kind.is_some() { "\n" } else { "" };
                let _ = writeln!(
                    text,
                    "{gap}{}",
                    Role::Strong.paint(&printable(&one.kind), colour)
                );
                kind = Some(&one.kind);
            }
            let about = match (one.state, one.problem()) {
                (RecipeState::Invalid, Some(problem)) => {
                    Role::Bad.paint(&format!("broken: {}", printable(&problem.message)), colour)
                }
                (RecipeState::Disabled, _) => Role::Warning.paint("disabled", colour),
                _ => printable(one.description.as_deref().unwrap_or_default()).replace('\n', " "),
            };
            let mark = if one.tool {
                Role::Good.paint("*", colour)
            } else {
                " ".to_owned()
            };
            let line = format!("{mark} {:<width$}  {about}", printable(&one.id));
            let _ = writeln!(text, "{}", line.trim_end());
        }
        let tools = self.recipes.iter().filter(|one| one.tool).count();
        let _ = writeln!(
            text,
            "\n{}, {} (*) in {}",
            count(self.recipes.len(), "recipe"),
            count(tools, "tool"),
            printable(&self.root)
        );
        self.issues
            .iter()
            .for_each(|issue| finding_lines(&mut text, issue, colour));
        text
    }
}

impl Report for Imports {
    fn human(&self, _: bool) -> String {
        if self.imports.is_empty() {
            return "no recipe imports another\n".to_owned();
        }
        let line = |one: &Imported| {
            format!(
                "{} {} = {}\n",
                printable(&one.recipe),
                printable(&one.alias),
                printable(&one.from)
            )
        };
        self.imports.iter().map(line).collect()
    }
}

impl Report for RecipeReport {
    fn human(&self, colour: bool) -> String {
        let mut text = format!(
            "{}  {}\n",
            Role::Strong.paint(&printable(&self.name), colour),
            Role::Quiet.paint(&printable(&self.path), colour)
        );
        if let Some(about) = &self.recipe.description {
            let _ = writeln!(text, "{}", printable(about));
        }
        let _ = writeln!(text, "\n{}", printable(&self.picture));
        arguments(&mut text, &self.args, colour);
        for (name, artifact) in &self.recipe.artifacts {
            let _ = writeln!(
                text,
                "artifact {}: {}",
                printable(name),
                printable(&artifact.path)
            );
        }
        if self.recipe.detached {
            text.push_str("runs detached as a tool\n");
        }
        if self.recipe.disabled {
            text.push_str("disabled\n");
        }
        if !self.risks.is_empty() {
            let _ = writeln!(text, "touches: {}", self.risks.join(", "));
        }
        if let Some(usage) = &self.usage {
            let _ = writeln!(
                text,
                "launched {}, last at {}",
                count(usize::try_from(usage.calls).unwrap_or(usize::MAX), "time"),
                usage.last_called
            );
        }
        self.warnings
            .iter()
            .for_each(|warning| finding_lines(&mut text, warning, colour));
        text
    }
}

fn arguments(text: &mut String, args: &[TemplateArg], colour: bool) {
    if args.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", Role::Strong.paint("arguments", colour));
    let width = args
        .iter()
        .map(|arg| arg.name.chars().count())
        .max()
        .unwrap_or(0);
    for arg in args {
        let wanted = match (&arg.default, arg.required) {
            (_, true) => "required".to_owned(),
            (Some(default), _) => format!("default {default}"),
            (None, false) => "optional".to_owned(),
        };
        let _ = writeln!(
            text,
            "  {:<width$}  {:<9}  {}",
            arg.name,
            arg.ty.to_string(),
            printable(&wanted)
        );
    }
}

impl Report for RecipeDoctorReport {
    fn human(&self, colour: bool) -> String {
        let mut text = String::new();
        for state in [
            "active", "tools", "shadowed", "invalid", "disabled", "blocking", "risky",
        ] {
            let _ = writeln!(
                text,
                "{state:<9} {}",
                self.counts.get(state).copied().unwrap_or(0)
            );
        }
        self.issues
            .iter()
            .for_each(|issue| finding_lines(&mut text, issue, colour));
        if !self.remediations.is_empty() {
            text.push('\n');
        }
        for remedy in &self.remediations {
            let kind = serde_json::to_value(remedy.kind).unwrap_or_default();
            let kind = kind.as_str().unwrap_or_default().replace('_', " ");
            let _ = writeln!(
                text,
                "{} {}: {}",
                Role::Warning.paint(&format!("{kind}:"), colour),
                printable(&remedy.id),
                printable(&remedy.reason)
            );
            if let Some(blocked) = &remedy.blocked_fallback {
                let _ = writeln!(text, "  hides {}", printable(blocked));
            }
            let _ = writeln!(
                text,
                "  {} {}",
                Role::Good.paint("do:", colour),
                printable(&remedy.action)
            );
        }
        if let Some(top) = &self.top_action {
            let _ = writeln!(
                text,
                "\n{} {}",
                Role::Strong.paint("first:", colour),
                printable(top)
            );
        }
        if !self.drafts.is_empty() {
            let _ = writeln!(
                text,
                "{}, see `materia tool promote`",
                count(self.drafts.len(), "draft")
            );
        }
        text
    }
}

impl Report for ToolListReport {
    fn human(&self, colour: bool) -> String {
        let mut text = String::new();
        let width = self
            .tools
            .iter()
            .map(|tool| tool.name.chars().count())
            .max()
            .unwrap_or(0)
            .min(40);
        for tool in &self.tools {
            let detached = if tool.detached { " (detached)" } else { "" };
            let name = Role::Strong.paint(&format!("{:<width$}", tool.name), colour);
            let _ = writeln!(
                text,
                "{name}  {}{detached}",
                printable(&tool.description).replace('\n', " ")
            );
        }
        if self.tools.is_empty() {
            let _ = writeln!(
                text,
                "no tools in {}; `materia tool register` makes one",
                printable(&self.root)
            );
        }
        text
    }
}

impl Report for DraftListReport {
    fn human(&self, _: bool) -> String {
        let mut text = String::new();
        for draft in &self.drafts {
            let about = if draft.valid {
                draft.description.as_deref().unwrap_or_default()
            } else {
                "broken"
            };
            let _ = writeln!(text, "{}  {}", printable(&draft.id), printable(about));
        }
        if self.drafts.is_empty() {
            text.push_str("no drafts\n");
        }
        text
    }
}

impl Report for ToolChangeReport {
    fn human(&self, colour: bool) -> String {
        let args = if self.args.is_empty() {
            String::new()
        } else {
            format!(" (arguments: {})", self.args.join(", "))
        };
        let mut text = format!("{} {}{args}\n", self.action, printable(&self.name));
        let yes = |yes: bool| if yes { "yes" } else { "no" };
        let _ = writeln!(
            text,
            "persisted {}, valid {}, callable {}: {}",
            yes(self.persisted),
            yes(self.valid),
            yes(self.callable),
            printable(&self.path)
        );
        for warning in &self.warnings {
            let _ = writeln!(
                text,
                "{} {}",
                Role::Warning.paint("warning:", colour),
                printable(warning)
            );
        }
        text
    }
}

impl Report for ToolCallReport {
    fn human(&self, _: bool) -> String {
        format!("{}\n", printable(&self.text))
    }
}
