//! The files of a project that its commands would run.
//!
//! Owns the rule: the program if its name has a slash, the first argument that is no option (C19),
//! and every other word of a command, or of a script inside one, that names a script: an executable
//! file, a file that begins with `#!`, or a file with the extension of a script. Files outside of
//! the project are not part of it. What a script runs in turn is not followed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use materia_model::template::risk;

use crate::library::Library;
use crate::trust::hash_file;

/// The extensions of scripts.
const ENDINGS: [&str; 16] = [
    "sh", "bash", "zsh", "fish", "py", "js", "mjs", "cjs", "ts", "mts", "rb", "pl", "lua", "php",
    "awk", "jq",
];

/// Finds scripts and collects their hashes.
pub(super) struct Scripts {
    /// The bases of relative names: the directory of the config, then the project.
    from: [PathBuf; 2],
    looked_at: BTreeSet<String>,
    found: BTreeSet<PathBuf>,
}

impl Scripts {
    pub(super) fn new(config: &Path, project: &Path) -> Self {
        let beside = config.parent().unwrap_or(project).to_owned();
        Self {
            from: [beside, project.to_owned()],
            looked_at: BTreeSet::new(),
            found: BTreeSet::new(),
        }
    }

    /// Finds scripts in the words of one command.
    pub(super) fn look_in(&mut self, argv: &[String]) {
        let first = argv.iter().skip(1).find(|word| !word.starts_with('-'));
        for word in argv
            .first()
            .filter(|program| program.contains('/'))
            .into_iter()
            .chain(first)
        {
            self.take(word, |_| true);
        }
        for word in argv {
            let breaks = |c: char| c.is_whitespace() || "\"'`=;|&()<>,:$".contains(c);
            for part in word
                .split(breaks)
                .chain([word.as_str()])
                .filter(|part| part.len() > 1)
            {
                if self.looked_at.insert(part.to_owned()) {
                    self.take(part, is_script);
                }
            }
        }
    }

    /// Adds a recipe and its imports that belong to the project, and returns its commands as
    /// written. A recipe that cannot be linked cannot be cast either.
    pub(super) fn follow(&mut self, recipe: &str, library: &Library) -> Vec<Vec<String>> {
        let beside = self.from[0].join(recipe);
        let located = if recipe.contains('/') && beside.is_file() {
            library.open(&beside, recipe)
        } else {
            library.find(recipe, &self.from[1])
        };
        let Some(linked) = located.ok().and_then(|located| library.link(&located).ok()) else {
            return Vec::new();
        };
        let files: BTreeSet<PathBuf> = linked
            .composition
            .iter()
            .map(|part| PathBuf::from(&part.file))
            .collect();
        let ours: Vec<&PathBuf> = files
            .iter()
            .filter(|file| file.starts_with(&self.from[1]))
            .collect();
        self.found.extend(ours.iter().map(|file| (*file).clone()));
        let commands = risk::commands(&linked.template);
        // A script beside a recipe is named by the directory of the recipe.
        for dir in ours.iter().filter_map(|file| file.parent()?.to_str()) {
            for command in &commands {
                let placed: Vec<String> = command
                    .iter()
                    .map(|word| word.replace("{recipe_dir}", dir))
                    .collect();
                self.look_in(&placed);
            }
        }
        commands
    }

    /// The files and their hashes. An unreadable file gets a hash that no file has.
    pub(super) fn found(self) -> BTreeMap<PathBuf, String> {
        let hashed = |path: &PathBuf| hash_file(path).unwrap_or_else(|_| "unreadable".to_owned());
        self.found
            .into_iter()
            .map(|path| (path.clone(), hashed(&path)))
            .collect()
    }

    fn take(&mut self, word: &str, is_meant: impl Fn(&Path) -> bool) {
        if word.len() > 4096 || word.contains('\0') {
            return;
        }
        for from in self.from.clone() {
            let path = plain(&from.join(word));
            if path.starts_with(&self.from[1]) && path.is_file() && is_meant(&path) {
                self.found.insert(path);
            }
        }
    }
}

/// A path with `.` and `..` removed lexically.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = out.pop(),
            other => out.push(other),
        }
    }
    out
}

fn is_script(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let executable = || {
        path.metadata()
            .is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
    };
    let mut beginning = [0; 2];
    let begins = |bytes: &mut [u8; 2]| {
        File::open(path)
            .and_then(|mut file| file.read_exact(bytes))
            .is_ok()
    };
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
        || executable()
        || (begins(&mut beginning) && beginning == *b"#!")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{atomic, dir};

    #[test]
    fn s1_scripts_are_found_where_they_would_run() {
        let temp = tempfile::tempdir().unwrap();
        let project = temp.path().join("p");
        let write = |name: &str, text: &str, kind| {
            let path = project.join(name);
            dir::create_private(path.parent().unwrap()).unwrap();
            atomic::put(&path, text.as_bytes(), kind).unwrap();
        };
        for name in [
            ".pi/beside",
            "first",
            "deep/tool.py",
            "data.txt",
            "lib.sh",
            "../outside.sh",
        ] {
            write(name, "x", atomic::Copied::Text);
        }
        write("run", "x", atomic::Copied::Program);
        write("hash", "#!/bin/x", atomic::Copied::Text);
        let looked = |argv: &[&str]| -> Vec<String> {
            let mut scripts = Scripts::new(&project.join(".pi/c.json"), &project);
            scripts.look_in(
                &argv
                    .iter()
                    .map(|word| (*word).to_owned())
                    .collect::<Vec<_>>(),
            );
            let found = scripts.found().into_keys();
            found
                .map(|path| path.strip_prefix(&project).unwrap().display().to_string())
                .collect()
        };
        assert_eq!(looked(&["python3", "-u", "first"]), ["first"]);
        assert_eq!(
            looked(&["./run", "data.txt"]),
            ["data.txt", "run"],
            "the first argument counts as it is"
        );
        assert_eq!(looked(&["cat", "-", "x", "data.txt"]), [""; 0]);
        assert_eq!(
            looked(&["sh", "-c", "x; python3 ./deep/tool.py>out && ./run"]),
            ["deep/tool.py", "run"]
        );
        assert_eq!(
            looked(&["make", "x", "SCRIPT=hash", "--lib=lib.sh"]),
            ["hash", "lib.sh"]
        );
        assert_eq!(looked(&["sh", "beside"]), [".pi/beside"]);
        assert_eq!(looked(&["sh", "../outside.sh"]), [""; 0]);
        assert_eq!(looked(&["sh", "../p/lib.sh"]), ["lib.sh"]);
    }
}
