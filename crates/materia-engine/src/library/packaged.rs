//! The recipes that come with the binary.
//!
//! Owns the table of them: one name per line, one file per name in `assets/recipes`. A test compares both. Nothing is
//! unpacked: what a recipe needs beside itself it asks for by name.

/// A recipe of the library: its name and its text.
#[derive(Debug, Clone, Copy)]
pub struct Packaged {
    /// Its name.
    pub name: &'static str,
    /// Its JSON.
    pub text: &'static str,
}

macro_rules! packaged {
    ($($name:literal),* $(,)?) => {
        &[$(Packaged { name: $name, text: include_str!(concat!("../../assets/recipes/", $name, ".json")) }),*]
    };
}

/// All of them, by name.
pub const PACKAGED: &[Packaged] = packaged!["pipeline-git-glance", "utility-git-log", "utility-git-status",];

/// The one of this name.
pub fn find(name: &str) -> Option<&'static Packaged> {
    PACKAGED.iter().find(|packaged| packaged.name == name)
}
