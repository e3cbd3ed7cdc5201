//! Risk: warnings about risky templates. Advisory only; nothing is ever blocked for it.
//!
//! Owns the warnings and the labels, derived from the words as written, whatever the values. This
//! is not a sandbox. Never reads a plan.

use super::node::{NodeBody, Template, TemplateNode};
use crate::finding::Finding;
use crate::text;

/// The kinds of risk, in the order in which labels are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RiskLabel {
    Shell,
    /// Evaluates program text.
    Eval,
    /// May delete.
    DestructiveFs,
    /// Writes to broad paths.
    BroadFsWrite,
    /// Changes external state.
    ExternalSideEffect,
    /// Mentions secrets.
    SecretTouching,
    Network,
    /// May run for a long time.
    LongRunning,
    /// Works on some systems only.
    PlatformSpecific,
}

impl RiskLabel {
    /// The label as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shell => "risk.shell",
            Self::Eval => "risk.eval",
            Self::DestructiveFs => "risk.destructive_fs",
            Self::BroadFsWrite => "risk.broad_fs_write",
            Self::ExternalSideEffect => "risk.external_side_effect",
            Self::SecretTouching => "risk.secret_touching",
            Self::Network => "risk.network",
            Self::LongRunning => "risk.long_running",
            Self::PlatformSpecific => "risk.platform_specific",
        }
    }
}

const SHELLS: &[&str] = &["bash", "sh", "zsh", "fish"];
const SCRIPTS: &[&str] = &["node", "deno", "bun"];
const INTERPRETERS: &[&str] = &["python", "python3", "perl", "ruby"];
const MOVERS: &[&str] = &["mv", "cp", "rsync"];
const REMOTE: &[&str] = &["gh", "glab", "hub", "kubectl", "terraform"];
const PACKAGERS: &[&str] = &["npm", "pnpm", "yarn"];
const PUBLISHING: &[&str] = &["publish", "login", "logout", "deprecate"];
const KEEPERS: &[&str] = &["pass", "gpg", "ssh-add"];
const NETWORK: &[&str] = &[
    "curl", "wget", "ssh", "scp", "sftp", "rsync", "nc", "ncat", "telnet", "ftp",
];
const FETCHING: &[&str] = &["clone", "fetch", "pull", "push", "ls-remote"];
const INSTALLERS: &[&str] = &["npm", "pnpm", "yarn", "pip", "cargo"];
const PLATFORM: &[&str] = &[
    "systemctl",
    "launchctl",
    "osascript",
    "open",
    "xdg-open",
    "powershell",
    "pwsh",
    "cmd.exe",
    "apt",
    "apt-get",
    "dnf",
    "yum",
    "brew",
    "pacman",
    "apk",
    "xclip",
    "wl-copy",
];
const SECRETS: &[&str] = &[
    "secret",
    "token",
    "password",
    "passwd",
    "credential",
    "api_key",
    "private_key",
    "env",
    "ssh_key",
];

/// Warnings about obviously risky commands, without duplicates.
pub fn warnings(template: &Template) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    each_leaf(&template.root, &mut |leaf, node| {
        for (code, risk) in leaf.warnings() {
            let who = label_of(node).unwrap_or_else(|| leaf.command.clone());
            let message = format!("{}: {risk}", text::printable(&text::bounded(&who, 60)));
            let finding = Finding::warning(code, message);
            let known = findings
                .iter()
                .any(|before| before.message == finding.message);
            if !known && findings.len() < 50 {
                findings.push(node.origin.locate(finding, 0));
            }
        }
    });
    findings
}

/// The risk labels of a template, in their fixed order.
pub fn labels(template: &Template) -> Vec<RiskLabel> {
    let mut found = std::collections::BTreeSet::new();
    each_leaf(&template.root, &mut |leaf, _| leaf.labels(&mut found));
    found.into_iter().collect()
}

/// The commands of a template as written, word by word, whatever the values.
pub fn commands(template: &Template) -> Vec<Vec<String>> {
    fn walk(node: &TemplateNode, found: &mut Vec<Vec<String>>) {
        node.recover.iter().for_each(|recover| walk(recover, found));
        match &node.body {
            NodeBody::Command { raw, .. } => found.push(raw.clone()),
            NodeBody::Children(children) => children.iter().for_each(|child| walk(child, found)),
            NodeBody::Nested(inner) => walk(inner, found),
        }
    }
    let mut found = Vec::new();
    walk(&template.root, &mut found);
    found
}

fn each_leaf(node: &TemplateNode, visit: &mut dyn FnMut(&Leaf<'_>, &TemplateNode)) {
    node.recover
        .iter()
        .for_each(|recover| each_leaf(recover, visit));
    match &node.body {
        NodeBody::Command { raw, .. } => visit(&Leaf::new(raw), node),
        NodeBody::Children(children) => children.iter().for_each(|child| each_leaf(child, visit)),
        NodeBody::Nested(inner) => each_leaf(inner, visit),
    }
}

fn label_of(node: &TemplateNode) -> Option<String> {
    node.label
        .as_ref()
        .and_then(|label| label.text.literal())
        .map(str::to_owned)
}

/// A command as written, with the name of its executable.
struct Leaf<'a> {
    command: String,
    args: &'a [String],
}

impl<'a> Leaf<'a> {
    fn new(raw: &'a [String]) -> Self {
        let (first, args) = raw
            .split_first()
            .map_or(("", raw), |(first, args)| (first.as_str(), args));
        let command = first.rsplit('/').next().unwrap_or(first).to_lowercase();
        Self { command, args }
    }

    fn warnings(&self) -> Vec<(&'static str, String)> {
        let name = text::quoted(&self.command);
        let mut found = Vec::new();
        if self.is(SHELLS) && self.flag('c') {
            found.push((
                "risk-shell",
                format!("{name} -c evaluates text as shell code; values in it are code, too"),
            ));
        } else if self.is(SHELLS) {
            found.push((
                "risk-shell",
                format!("{name} is a shell; what it runs is not checked"),
            ));
        }
        if self.evaluates() {
            found.push(("risk-eval", format!("{name} evaluates program text")));
        }
        if self.destroys() {
            found.push((
                "risk-destructive",
                format!("{name} deletes by force, recursively or over a broad path"),
            ));
        }
        if self.is(MOVERS) && self.risky_path() {
            found.push((
                "risk-broad-write",
                format!("{name} writes over a broad path or one that comes from a value"),
            ));
        }
        found
    }

    fn labels(&self, found: &mut std::collections::BTreeSet<RiskLabel>) {
        let first = self.args.first().map_or("", String::as_str);
        let git = |verbs: &[&str]| self.command == "git" && verbs.contains(&first);
        let publishes = self.is(PACKAGERS) && PUBLISHING.contains(&first);
        let waits = self.is(&["sleep", "watch"]) || (self.command == "tail" && self.flag('f'));
        let serves = self
            .args
            .iter()
            .any(|arg| matches!(arg.as_str(), "--watch" | "--serve" | "serve"));
        let secret = self.is(KEEPERS) || self.args.iter().any(|arg| mentions_secret(arg));
        let verdicts = [
            (RiskLabel::Shell, self.is(SHELLS)),
            (RiskLabel::Eval, self.evaluates()),
            (RiskLabel::DestructiveFs, self.destroys()),
            (
                RiskLabel::BroadFsWrite,
                self.is(MOVERS) && self.risky_path(),
            ),
            (
                RiskLabel::ExternalSideEffect,
                self.is(REMOTE) || git(&["push"]) || publishes,
            ),
            (RiskLabel::SecretTouching, secret),
            (
                RiskLabel::Network,
                self.is(NETWORK) || self.is(INSTALLERS) || git(FETCHING),
            ),
            (RiskLabel::LongRunning, waits || serves),
            (RiskLabel::PlatformSpecific, self.is(PLATFORM)),
        ];
        found.extend(
            verdicts
                .into_iter()
                .filter(|(_, yes)| *yes)
                .map(|(label, _)| label),
        );
    }

    fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.command.as_str())
    }

    /// A short flag, alone or bundled: `-lc` has `c`.
    fn flag(&self, letter: char) -> bool {
        self.args.iter().any(|arg| {
            let letters = arg
                .strip_prefix('-')
                .filter(|letters| !letters.starts_with('-'));
            letters.is_some_and(|letters| {
                letters
                    .chars()
                    .take_while(char::is_ascii_alphabetic)
                    .any(|c| c == letter)
            })
        })
    }

    fn evaluates(&self) -> bool {
        let long = self
            .args
            .iter()
            .any(|arg| arg == "--eval" || arg.starts_with("--eval="));
        (self.is(SCRIPTS) && (self.flag('e') || long))
            || (self.is(INTERPRETERS) && (self.flag('c') || self.flag('e')))
    }

    fn destroys(&self) -> bool {
        self.command == "rm"
            && (self.flag('r') || self.flag('R') || self.flag('f') || self.risky_path())
    }

    fn risky_path(&self) -> bool {
        self.args.iter().any(|arg| {
            matches!(arg.as_str(), "~" | "./" | "../")
                || arg.contains('{')
                || arg.starts_with(['/'])
                || arg.starts_with("~/")
        })
    }
}

/// Whether a word contains the name of a secret between common separators.
fn mentions_secret(word: &str) -> bool {
    let lower = text::bounded(word, 4096).to_lowercase();
    let is_edge = |c: Option<char>| c.is_none_or(|c| "{}._-/".contains(c) || c.is_whitespace());
    SECRETS.iter().any(|secret| {
        lower.match_indices(secret).any(|(at, _)| {
            let before = lower[..at].chars().next_back();
            let edges = is_edge(before) && is_edge(lower[at + secret.len()..].chars().next());
            edges && (*secret != "env" || before == Some('.'))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Source;

    fn read(text: &str) -> Template {
        super::super::parse(&Source::new("t", text)).unwrap()
    }

    #[test]
    fn risky_commands_warn_and_ordinary_ones_do_not() {
        for (text, code) in [
            ("bash -c {s}", "risk-shell"),
            ("/bin/ZSH script", "risk-shell"),
            ("sh -lc x", "risk-shell"),
            ("node -e x", "risk-eval"),
            ("deno --eval=x", "risk-eval"),
            ("python3 -c x", "risk-eval"),
            ("rm -rf {dir}", "risk-destructive"),
            ("rm /etc/x", "risk-destructive"),
            ("cp a {to}", "risk-broad-write"),
            ("rsync a ~/", "risk-broad-write"),
            (
                "[\"echo hi\", {\"retry\": 2, \"recover\": \"rm -r x\", \"template\": \"t\"}]",
                "risk-destructive",
            ),
        ] {
            let found = warnings(&read(text));
            assert_eq!(
                found.iter().map(|f| f.code).collect::<Vec<_>>(),
                [code],
                "{text}"
            );
        }
        for text in [
            "echo hi",
            "rm a.txt",
            "cp a b",
            "node x.js",
            "python3 x.py",
            "basher -c x",
            "echo bash",
        ] {
            assert!(warnings(&read(text)).is_empty(), "{text}");
        }
        let twice = read(
            "[\"bash -c a\", \"bash -c b\", {\"label\": \"build\", \"template\": \"bash -c c\"}]",
        );
        let messages: Vec<String> = warnings(&twice).into_iter().map(|f| f.message).collect();
        assert_eq!(messages.len(), 2);
        assert!(
            messages[0].starts_with("bash: ") && messages[1].starts_with("build: "),
            "{messages:?}"
        );
    }

    #[test]
    fn labels_stand_in_their_fixed_order() {
        for (text, expected) in [
            ("echo hi", vec![]),
            (
                "git push origin",
                vec!["risk.external_side_effect", "risk.network"],
            ),
            (
                "npm publish",
                vec!["risk.external_side_effect", "risk.network"],
            ),
            ("tail -f log", vec!["risk.long_running"]),
            ("cat config/.env {api_key}", vec!["risk.secret_touching"]),
            ("printenv environment tokenizer", vec![]),
            ("sh -c 'x'", vec!["risk.shell"]),
            ("apt-get install x", vec!["risk.platform_specific"]),
            (
                "[\"curl x\", \"bash y\"]",
                vec!["risk.shell", "risk.network"],
            ),
        ] {
            let found: Vec<&str> = labels(&read(text))
                .into_iter()
                .map(RiskLabel::as_str)
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
