//! The agent roles that ship with the program.

use materia_model::loadout::Config;

use super::Engine;
use crate::config;

/// An agent role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleReport {
    /// Its id.
    pub id: String,
    /// What it is for.
    pub description: String,
    /// Its prompt.
    pub prompt: String,
}

impl Engine {
    /// The roles of the shipped loadouts.
    pub fn shipped_roles(&self) -> Vec<RoleReport> {
        let layers = [config::shipped()];
        let config = Config::load(&layers);
        let roles = config.materia().filter_map(|materia| {
            let title = || materia.title().to_owned();
            Some(RoleReport {
                id: materia.id.clone(),
                description: materia.description.clone().unwrap_or_else(title),
                prompt: materia.agent()?.prompt.clone(),
            })
        });
        roles.collect()
    }
}
