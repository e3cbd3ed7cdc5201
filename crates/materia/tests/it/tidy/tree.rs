//! The files of the repository, read once per test.

use std::fs;
use std::path::Path;

/// A file of the repository.
pub struct File {
    /// The path from the root of the repository, with `/`.
    pub path: String,
    pub text: String,
}

/// All text files of the repository.
pub struct Tree {
    pub files: Vec<File>,
}

const SKIPPED: [&str; 5] = [".git", "target", "node_modules", "assets", "dist"];
const KINDS: [&str; 13] = [
    "rs", "md", "toml", "snap", "sh", "c", "ts", "tsx", "mjs", "css", "html", "py", "",
];

impl Tree {
    /// Reads the repository.
    pub fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .canonicalize()
            .unwrap();
        let mut files = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                if path.is_dir() {
                    if !SKIPPED.contains(&name.as_str()) {
                        folders.push(path);
                    }
                    continue;
                }
                let kind = path
                    .extension()
                    .map_or("", |extension| extension.to_str().unwrap());
                // In a linked worktree `.git` is a file that names the checkout.
                if name != ".git"
                    && KINDS.contains(&kind)
                    && let Ok(text) = fs::read_to_string(&path)
                {
                    let path = path
                        .strip_prefix(&root)
                        .unwrap()
                        .to_string_lossy()
                        .into_owned();
                    files.push(File { path, text });
                }
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self { files }
    }

    /// The Rust files below a directory.
    pub fn rust<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a File> {
        self.files
            .iter()
            .filter(move |file| file.path.starts_with(folder) && file.path.ends_with(".rs"))
    }

    /// The file at a path, which must exist.
    pub fn file(&self, path: &str) -> &File {
        self.get(path)
            .unwrap_or_else(|| panic!("{path} is missing"))
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }
}

impl File {
    /// The code of a Rust file without comments and the tests at its end.
    pub fn code(&self) -> String {
        let end = self
            .text
            .find("#[cfg(test)]\nmod tests")
            .unwrap_or(self.text.len());
        let lines = self.text[..end]
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        lines.collect::<Vec<_>>().join("\n")
    }
}
