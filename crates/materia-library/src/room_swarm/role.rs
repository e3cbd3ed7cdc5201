//! The roles of a swarm and their prompts.

use materia_engine::utility::UtilityError;
use materia_model::name::BranchName;
use materia_model::text;

/// Maximum number of roles in a swarm.
const MOST: usize = 32;

/// The default roles.
const USUAL: &str = "builder: proposes the simplest thing that works, and how to show that it does
skeptic: looks for what breaks it, and asks for evidence
user: speaks for whoever has to live with the result";

/// A role.
#[derive(Debug, Clone)]
pub(crate) struct Role {
    /// Its name, which is also the name of its branch.
    pub(crate) name: BranchName,
    /// Its description.
    pub(crate) about: String,
}

/// Parses roles: `name: description`, one per line, or names separated by commas.
pub(crate) fn read(told: Option<&str>) -> Result<Vec<Role>, UtilityError> {
    let told = told.filter(|told| !told.trim().is_empty()).unwrap_or(USUAL);
    let lines: Vec<&str> = if told.contains(['\n', ':']) {
        told.lines().collect()
    } else {
        told.split(',').collect()
    };
    let mut roles: Vec<Role> = Vec::new();
    for line in lines
        .into_iter()
        .map(bare)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let (name, about) = line.split_once(':').unwrap_or((&line, ""));
        let name = named(name)?;
        if roles.iter().any(|role| role.name == name) {
            return Err(UtilityError::wrong(
                format!("the role `{name}` is there twice"),
                "give each its own name",
            ));
        }
        roles.push(Role {
            name,
            about: about.trim().to_owned(),
        });
    }
    match roles.len() {
        0 => Err(UtilityError::wrong(
            "there are no roles",
            "write `name: what it is like`, one on each line",
        )),
        many if many > MOST => Err(UtilityError::wrong(
            format!("there are {many} roles, at most {MOST} can work together"),
            "merge some",
        )),
        _ => Ok(roles),
    }
}

/// Strips list markers from a line.
pub(crate) fn bare(line: &str) -> String {
    let line = line.trim().trim_start_matches(['-', '*', '•']).trim_start();
    let numbered = line.split_once(['.', ')']).filter(|(number, _)| {
        !number.is_empty() && number.len() <= 3 && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    numbered.map_or(line, |(_, rest)| rest).trim().to_owned()
}

fn named(name: &str) -> Result<BranchName, UtilityError> {
    let name = name.trim().to_lowercase().replace(' ', "-");
    name.parse().map_err(|error| {
        let message = format!("{} is no name of a role: {error}", text::quoted(&name));
        UtilityError::wrong(message, "use letters, digits, `_`, `.` and `-`")
    })
}

impl Role {
    /// The role for work that belongs to no other role.
    pub(crate) fn anybody() -> Self {
        Self::fixed("coordinator", "cuts work into parts")
    }

    /// The role that writes the result.
    pub(crate) fn writer() -> Self {
        Self::fixed(
            "writer",
            "writes down what others found out, without adding to it",
        )
    }

    fn fixed(name: &str, about: &str) -> Self {
        let name = named(name).or_else(|_| named("role"));
        let Ok(name) = name else {
            unreachable!("a plain word is a name")
        };
        Self {
            name,
            about: about.to_owned(),
        }
    }

    /// The prompt of one turn.
    pub(crate) fn prompt(&self, mission: &str, task: &str, said: &str) -> String {
        let about = if self.about.is_empty() {
            "a participant"
        } else {
            &self.about
        };
        let said = if said.is_empty() {
            String::new()
        } else {
            format!("\n## Said so far\n\n{said}\n")
        };
        format!(
            "You are `{}` in a group: {about}.\n\n## Mission\n\n{mission}\n\n## Now\n\n{task}\n{said}",
            self.name
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_lines_or_words() {
        let names = |told| {
            read(told)
                .unwrap()
                .iter()
                .map(|role| role.name.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(None), ["builder", "skeptic", "user"]);
        assert_eq!(names(Some("a, Big B")), ["a", "big-b"]);
        assert_eq!(names(Some("- a: x\n\n# no\n2. b")), ["a", "b"]);
        assert!(
            read(Some("a,a")).is_err() && read(Some("../x")).is_err() && read(Some(",")).is_err()
        );
        assert_eq!(bare(" 12) do it "), "do it");
    }
}
