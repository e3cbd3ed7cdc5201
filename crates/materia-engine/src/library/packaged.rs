//! The recipes that come with the binary.
//!
//! Owns the table of them: one name per line, one file per name in `assets/recipes`. A test
//! compares both. Nothing is unpacked: a recipe refers to other recipes by name.

/// A recipe in the binary: its name and its text.
#[derive(Debug, Clone, Copy)]
pub struct Packaged {
    /// The name of its file, without the extension.
    pub name: &'static str,
    /// The recipe as JSON.
    pub text: &'static str,
}

macro_rules! packaged {
    ($($name:literal),* $(,)?) => {
        &[$(Packaged { name: $name, text: include_str!(concat!("../../assets/recipes/", $name, ".json")) }),*]
    };
}

/// All packaged recipes, sorted by name.
pub const PACKAGED: &[Packaged] = packaged![
    "actor-worker",
    "coordinator-locker",
    "lens-swarm",
    "locker",
    "music-player",
    "pipeline-architect-coordinator",
    "pipeline-artifact-bundle",
    "pipeline-artifact-report",
    "pipeline-artifact-write",
    "pipeline-async-run-ops",
    "pipeline-checkpoint-continuation",
    "pipeline-development-tasking",
    "pipeline-docs-maintenance",
    "pipeline-git-glance",
    "pipeline-media-library",
    "pipeline-quorum-review",
    "pipeline-release-readiness",
    "pipeline-release-summary",
    "pipeline-repo-health",
    "pipeline-research-synthesis",
    "pipeline-review-readiness",
    "pipeline-room-swarm",
    "subagent-artifact",
    "subagent-checkpoint",
    "subagent-conflict-report",
    "subagent-contradiction-map",
    "subagent-critic",
    "subagent-evidence-map",
    "subagent-followup",
    "subagent-judge",
    "subagent-merge",
    "subagent-message",
    "subagent-normalize",
    "subagent-plan",
    "subagent-prompt",
    "subagent-quorum",
    "subagent-review",
    "subagent-review-coordinator",
    "subagent-task-card",
    "subagent-tools",
    "subagent-verify",
    "subagents-prompts",
    "utility-actor-message",
    "utility-artifact-manifest",
    "utility-artifact-write",
    "utility-changelog-head",
    "utility-changelog-section",
    "utility-coordinator-lock-snapshot",
    "utility-git-log",
    "utility-git-status",
    "utility-jsonl-tail",
    "utility-markdown-index",
    "utility-package-summary",
    "utility-playlist-build",
    "utility-playlist-scan",
    "utility-run-ops-snapshot",
    "utility-run-state-files",
    "utility-run-summary",
    "utility-skill-summary",
    "utility-validate-recipe",
    "utility-validation-wrapper",
];

/// The packaged recipe with this name.
pub fn find(name: &str) -> Option<&'static Packaged> {
    PACKAGED.iter().find(|packaged| packaged.name == name)
}
