//! `changelog-section`: the section of a changelog about one version, by default the newest.

use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityOutput, UtilityReport};
use materia_model::text;

use crate::files;

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let path = options.path("file", context).unwrap_or_default();
    let changelog = files::text(&path)?;
    let version = options.text("version");
    let found = section(&changelog, version).ok_or_else(|| {
        let known: Vec<&str> = headings(&changelog)
            .map(|(_, title)| title)
            .take(5)
            .collect();
        let what = version.map_or_else(|| "a version".to_owned(), text::quoted);
        let message = format!(
            "{} has no section for {what}",
            text::quoted(&path.to_string_lossy())
        );
        let hint = if known.is_empty() {
            "sections are headings such as `## 1.2.0`".to_owned()
        } else {
            format!("it has {}", known.join("; "))
        };
        UtilityError::failed(message, hint)
    })?;
    Ok(UtilityReport {
        output: UtilityOutput::Text(format!("{}\n", found.trim_end())),
        notes: Vec::new(),
    })
}

/// The headings of versions. By convention they are second-level headings.
fn headings(changelog: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    changelog.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        line.strip_prefix("## ").map(|title| (start, title.trim()))
    })
}

fn section<'a>(changelog: &'a str, version: Option<&str>) -> Option<&'a str> {
    let all: Vec<(usize, &str)> = headings(changelog).collect();
    let index = match version {
        None => (!all.is_empty()).then_some(0)?,
        Some(version) => all.iter().position(|(_, title)| is_of(title, version))?,
    };
    let end = all
        .get(index + 1)
        .map_or(changelog.len(), |(start, _)| *start);
    changelog.get(all.get(index)?.0..end)
}

/// Whether a heading belongs to a version: `[1.2.0] - 2026-01-01`, `v1.2.0` and `1.2.0` all belong
/// to `1.2.0`.
fn is_of(title: &str, version: &str) -> bool {
    let bare = |text: &str| {
        text.trim_start_matches(['[', 'v', 'V'])
            .to_ascii_lowercase()
    };
    let (title, version) = (bare(title), bare(version));
    title.strip_prefix(&version).is_some_and(|rest| {
        rest.chars()
            .next()
            .is_none_or(|next| !next.is_ascii_alphanumeric() && !matches!(next, '.' | '-' | '+'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_found_by_its_version_alone() {
        let changelog = "# Log\n\n## [Unreleased]\nnew\n\n## [1.2.0] - 2026-01-01\n### Added\n- x\n## v1.2\nold\n";
        assert_eq!(section(changelog, None), Some("## [Unreleased]\nnew\n\n"));
        assert_eq!(
            section(changelog, Some("1.2.0")),
            Some("## [1.2.0] - 2026-01-01\n### Added\n- x\n")
        );
        assert_eq!(section(changelog, Some("v1.2")), Some("## v1.2\nold\n"));
        assert_eq!(
            section(changelog, Some("unreleased")),
            section(changelog, None)
        );
        assert_eq!(section(changelog, Some("1.2.0-rc")), None);
        assert_eq!(section("", None), None);
    }
}
