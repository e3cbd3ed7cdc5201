//! `export`: a cast as a report to share.
//!
//! Owns its content: the picture with what happened at each socket, the steps, why work was sent
//! back, and the texts of the artifacts, truncated and redacted. Renderers lay it out. Changes
//! nothing in the cast.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;

use materia_model::cast::CastEventBody;
use materia_model::loadout::Graph;
use materia_model::picture::{self, MarkStatus, SocketMark};
use materia_model::secret::Secrets;
use materia_model::text;
use serde::Serialize;
use serde_json::Value;

use crate::cast::show::{self, CastParts, CastShowReport, CastStep, StepOutcome};
use crate::cast::{Definition, Error, Folder};
use crate::clock::Clock;
use crate::store::artifact::ArtifactRoot;
use crate::store::file::{self, WriteMode};

/// Maximum size of one artifact in the report, in bytes.
pub const MAX_TEXT: usize = 64 << 10;
/// Maximum size of all artifacts in the report, in bytes.
pub const MAX_TEXTS: usize = 4 << 20;
/// The kinds of artifacts in the report. The log and the snapshots only repeat their content.
const SHOWN_ARTIFACTS: [&str; 7] = [
    "prompt.md",
    "output.md",
    "output.json",
    "input.json",
    "stdout.txt",
    "stderr.txt",
    "command.json",
];

/// A cast with all content of its report.
#[derive(Debug)]
pub struct CastExport {
    /// What it did.
    pub cast: CastShowReport,
    /// The graph it walked, as SVG; `None` if its definition cannot be read any more.
    pub picture: Option<String>,
    /// Why work was sent back, in order.
    pub rework: Vec<ReworkReason>,
    /// The texts of its artifacts, by path.
    pub texts: Vec<ArtifactText>,
}

/// Why work was sent back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReworkReason {
    /// The step that sent it back.
    pub step: usize,
    /// Its socket.
    pub socket: String,
    /// The item it was about.
    pub item: Option<String>,
    /// Why.
    pub reason: String,
}

/// The text of one artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactText {
    /// Its path below the cast's directory.
    pub path: String,
    /// Its beginning.
    pub text: String,
    /// How large it is.
    pub bytes: u64,
    /// Whether there is more.
    pub truncated: bool,
}

/// An export that was saved.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExportReport {
    /// Always true.
    pub ok: bool,
    /// The cast.
    pub cast_id: String,
    /// The file.
    pub file: String,
    /// Its size.
    pub bytes: usize,
}

/// Collects a cast.
pub fn cast(
    folder: &Folder,
    variables: &BTreeMap<OsString, OsString>,
    clock: &Clock,
) -> Result<CastExport, Error> {
    let parts = CastParts {
        artifacts: true,
        ..CastParts::default()
    };
    let mut cast = show::show(folder, parts, clock)?;
    let definition = folder
        .read_definition()
        .and_then(|text| Definition::reopen(&text))
        .ok();
    let graph = definition.as_ref().map(Definition::graph);
    let secrets = secrets(graph, variables);
    let mut rework = rework(folder)?;
    rework
        .iter_mut()
        .for_each(|one| one.reason = secrets.redact_text(&one.reason).into_owned());
    cast.request = secrets.redact_text(&cast.request).into_owned();
    if let Some(error) = &mut cast.error {
        error.message = secrets.redact_text(&error.message).into_owned();
    }
    let picture = graph.map(|graph| picture::svg(graph, &marks(graph, &cast)));
    let texts = texts(folder.path(), &cast, &secrets);
    Ok(CastExport {
        cast,
        picture,
        rework,
        texts,
    })
}

/// Writes an export to a file, replacing what is there.
pub fn save(path: &Path, text: &str) -> std::io::Result<()> {
    file::write(path, text.as_bytes(), WriteMode::Overwrite)
}

fn secrets(graph: Option<&Graph>, variables: &BTreeMap<OsString, OsString>) -> Secrets {
    let materia = graph
        .into_iter()
        .flat_map(Graph::sockets)
        .flat_map(|socket| &socket.materia.secret);
    let named: Vec<&str> = materia.map(String::as_str).collect();
    let texts = variables
        .iter()
        .filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
    Secrets::new(texts, &named)
}

/// The reasons why work was sent back, as the sockets gave them.
fn rework(folder: &Folder) -> Result<Vec<ReworkReason>, Error> {
    let mut reasons: Vec<(String, u64, String)> = Vec::new();
    let (_, steps) = show::steps(folder, |_, event| {
        if let CastEventBody::SocketComplete(complete) = &event.body
            && let Some(payload) = &complete.payload
            && payload.get("satisfied").and_then(Value::as_bool) == Some(false)
        {
            let reason = payload
                .get("context")
                .and_then(Value::as_str)
                .unwrap_or("no reason was given");
            let reason = text::bounded(reason, 2000).into_owned();
            reasons.push((complete.place.socket.clone(), complete.place.visit, reason));
        }
    })?;
    let at = |socket: &str, visit: u64| {
        steps
            .iter()
            .find(|step| step.place.socket == socket && step.place.visit == visit)
    };
    let found = reasons.into_iter().filter_map(|(socket, visit, reason)| {
        let step: &CastStep = at(&socket, visit)?;
        let item = step
            .place
            .item_label
            .clone()
            .or_else(|| step.place.item_key.clone());
        Some(ReworkReason {
            step: step.step,
            socket,
            item,
            reason,
        })
    });
    Ok(found.collect())
}

/// What happened at each socket.
fn marks(graph: &Graph, cast: &CastShowReport) -> BTreeMap<String, SocketMark> {
    let mut marks = BTreeMap::new();
    for socket in graph.sockets() {
        let visits: Vec<&CastStep> = cast
            .steps
            .iter()
            .filter(|step| step.place.socket == socket.id.as_str())
            .collect();
        let standing = match visits.last().map(|step| step.outcome) {
            None => MarkStatus::Never,
            Some(StepOutcome::Done) => MarkStatus::Done,
            Some(StepOutcome::Failed) => MarkStatus::Failed,
            Some(_) => MarkStatus::Open,
        };
        let note = match visits.len() {
            0 => "not visited".to_owned(),
            1 => "once".to_owned(),
            many => format!("{many} times"),
        };
        marks.insert(socket.id.as_str().to_owned(), SocketMark { standing, note });
    }
    marks
}

fn texts(root: &Path, cast: &CastShowReport, secrets: &Secrets) -> Vec<ArtifactText> {
    let Ok(shelf) = ArtifactRoot::open(root) else {
        return Vec::new();
    };
    let mut left = MAX_TEXTS;
    let mut texts = Vec::new();
    for artifact in cast.artifacts.iter().flatten() {
        let is_shown = SHOWN_ARTIFACTS
            .iter()
            .any(|name| artifact.path.ends_with(&format!(".{name}")));
        if !is_shown || left == 0 {
            continue;
        }
        let most = MAX_TEXT.min(left);
        let mut bytes = Vec::new();
        let read = shelf
            .read(&artifact.path)
            .map(|file| file.take(most as u64).read_to_end(&mut bytes));
        if !matches!(read, Ok(Ok(_))) {
            continue;
        }
        left -= bytes.len();
        let text = String::from_utf8_lossy(&bytes);
        let text = secrets.redact_text(&text).into_owned();
        let truncated = artifact.bytes > bytes.len() as u64;
        texts.push(ArtifactText {
            path: artifact.path.clone(),
            text,
            bytes: artifact.bytes,
            truncated,
        });
    }
    texts
}
