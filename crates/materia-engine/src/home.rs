//! Every path that we own, derived from environment variables.
//!
//! Owns the layout of our directories (A13, C19). Never reads the environment and never creates a
//! directory: `main.rs` passes the variables, `engine::store` creates what is missing.

use std::path::{Path, PathBuf};

use materia_model::name::SessionId;
use materia_model::text;
use sha2::{Digest, Sha256};

/// The environment variables that move our directories, as read by `main.rs`.
#[derive(Debug, Clone, Default)]
pub struct HomeVariables {
    /// `HOME`
    pub home: Option<PathBuf>,
    /// `MATERIA_HOME`: moves everything.
    pub materia_home: Option<PathBuf>,
    /// `PI_CODING_AGENT_DIR`: moves the agent directory.
    pub agent_dir: Option<PathBuf>,
    /// `PI_MATERIA_PROFILE_DIR`: the profile directory.
    pub profile_dir: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`
    pub config_home: Option<PathBuf>,
}

/// The directories of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    agent: PathBuf,
    profile: PathBuf,
    user: Option<PathBuf>,
}

/// The variables name no usable home directory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoHome {
    /// Neither variable is set.
    #[error("neither HOME nor MATERIA_HOME names a directory")]
    Unset,
    /// `MATERIA_HOME` is relative, so it would name a different directory in every working
    /// directory.
    #[error("MATERIA_HOME is {}, which is not absolute", text::quoted(&.0.to_string_lossy()))]
    Relative(PathBuf),
}

impl Home {
    /// Derives all directories. Empty and relative variables count as unset, as the XDG rules
    /// require. A relative `MATERIA_HOME` is an error instead: ignoring it would silently use other
    /// directories.
    pub fn locate(variables: &HomeVariables) -> Result<Self, NoHome> {
        let moved = variables
            .materia_home
            .as_ref()
            .filter(|path| !path.as_os_str().is_empty());
        if let Some(relative) = moved.filter(|path| path.is_relative()) {
            return Err(NoHome::Relative(relative.clone()));
        }
        let home = set(&variables.home);
        let materia = set(&variables.materia_home);
        let agent = match (set(&variables.agent_dir), materia, home) {
            (Some(agent), _, _) => agent.to_owned(),
            (None, Some(materia), _) => materia.join("agent"),
            (None, None, Some(home)) => home.join(".pi/agent"),
            (None, None, None) => return Err(NoHome::Unset),
        };
        let profile = match (
            set(&variables.profile_dir),
            materia,
            set(&variables.config_home),
            home,
        ) {
            (Some(profile), ..) => profile.to_owned(),
            (None, Some(materia), ..) => materia.join("profile"),
            (None, None, Some(config), _) => config.join("pi/pi-materia"),
            (None, None, None, Some(home)) => home.join(".config/pi/pi-materia"),
            (None, None, None, None) => return Err(NoHome::Unset),
        };
        Ok(Self {
            agent,
            profile,
            user: home.map(Path::to_owned),
        })
    }

    /// The directory that `~` stands for, if any.
    pub fn user(&self) -> Option<&Path> {
        self.user.as_deref()
    }

    /// The agent directory, which holds recipes and runs.
    pub fn agent(&self) -> &Path {
        &self.agent
    }

    /// The profile directory, which holds the user's configuration.
    pub fn profile(&self) -> &Path {
        &self.profile
    }

    /// The user's own loadouts, materia and settings.
    pub fn config(&self) -> PathBuf {
        self.profile.join("materia.json")
    }

    /// The launchers of the shipped utilities (C18).
    pub fn utilities(&self) -> PathBuf {
        self.profile.join("utilities")
    }

    /// The user's trust decisions (S1).
    pub fn trust(&self) -> PathBuf {
        self.profile.join("trust.json")
    }

    /// The key that authenticates the files that we wrote ourselves.
    pub fn seal_key(&self) -> PathBuf {
        self.profile.join("trust.key")
    }

    /// The token that authenticates agents over HTTP (S4).
    pub fn mcp_token(&self) -> PathBuf {
        self.profile.join("mcp-token")
    }

    /// The user's recipes. Every recipe in this directory is a tool.
    pub fn recipes(&self) -> PathBuf {
        self.agent.join("recipes")
    }

    /// The launch counters of recipes.
    pub fn usage(&self) -> PathBuf {
        self.agent.join("tmp/pi-actors/usage.json")
    }

    /// The complete outputs of tools whose output was truncated.
    pub fn outputs(&self) -> PathBuf {
        self.agent.join("tmp/pi-actors/outputs")
    }

    /// The agent sessions that the user named.
    pub fn sessions(&self) -> PathBuf {
        self.agent.join("tmp/materia/sessions")
    }

    /// The socket of a session's host, which plays turns in its own conversation. The name is short
    /// because the path of a socket is limited in length.
    pub fn host(&self, session: &SessionId) -> PathBuf {
        let hash = Sha256::digest(session.as_str().as_bytes());
        let name: String = hash
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        self.agent.join("tmp/materia/hosts").join(name)
    }

    /// The state directories of all runs.
    pub fn runs(&self) -> PathBuf {
        self.agent.join("tmp/pi-actors/runs")
    }
}

fn set(variable: &Option<PathBuf>) -> Option<&Path> {
    variable.as_deref().filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables() -> HomeVariables {
        HomeVariables {
            home: Some("/home/a".into()),
            ..HomeVariables::default()
        }
    }

    #[test]
    fn the_seeds_paths_are_the_default() {
        let home = Home::locate(&variables()).unwrap();
        assert_eq!(home.recipes(), Path::new("/home/a/.pi/agent/recipes"));
        assert_eq!(
            home.runs(),
            Path::new("/home/a/.pi/agent/tmp/pi-actors/runs")
        );
        assert_eq!(home.profile(), Path::new("/home/a/.config/pi/pi-materia"));
        assert_eq!(
            home.config(),
            Path::new("/home/a/.config/pi/pi-materia/materia.json")
        );
    }

    #[test]
    fn specific_variables_beat_materia_home_and_relative_ones_count_as_unset() {
        let moved = HomeVariables {
            materia_home: Some("/m".into()),
            ..variables()
        };
        let home = Home::locate(&moved).unwrap();
        assert_eq!(
            (home.agent(), home.profile()),
            (Path::new("/m/agent"), Path::new("/m/profile"))
        );
        let both = HomeVariables {
            agent_dir: Some("/a".into()),
            profile_dir: Some("p".into()),
            ..moved
        };
        let home = Home::locate(&both).unwrap();
        assert_eq!(
            (home.agent(), home.profile()),
            (Path::new("/a"), Path::new("/m/profile"))
        );
        assert_eq!(Home::locate(&HomeVariables::default()), Err(NoHome::Unset));
        let relative = HomeVariables {
            materia_home: Some("m".into()),
            ..variables()
        };
        assert_eq!(Home::locate(&relative), Err(NoHome::Relative("m".into())));
    }
}
