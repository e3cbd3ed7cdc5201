//! `export`: a cast as something to hand to somebody else.
//!
//! Owns what a report has: the picture with what happened at each socket, the steps, why work went
//! back, the texts of the artifacts, bounded and without secrets. How it looks is the view's
//! business. Changes nothing in the cast.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;

use materia_model::cast::Body;
use materia_model::loadout::Graph;
use materia_model::picture::{self, Mark, Standing};
use materia_model::secret::Secrets;
use materia_model::text;
use serde_json::Value;

use crate::cast::show::{self, CastShowReport, CastStep, Wanted};
use crate::cast::{Definition, Error, Folder};
use crate::clock::Clock;
use crate::store::artifact::Root;
use crate::store::file::{self, Mode};

/// How much of one artifact is shown.
pub const MAX_TEXT: usize = 64 << 10;
/// How much of all artifacts is shown.
pub const MAX_TEXTS: usize = 4 << 20;
/// The artifacts that say what was done; the log and the snapshots say the same in other words.
const TOLD: [&str; 7] = [
    "prompt.md",
    "output.md",
    "output.json",
    "input.json",
    "stdout.txt",
    "stderr.txt",
    "command.json",
];

/// A cast, ready to be shown to somebody who has nothing but this.
#[derive(Debug)]
pub struct Exported {
    /// What it did.
    pub cast: CastShowReport,
    /// The graph it walked, as SVG; nothing where its definition cannot be read any more.
    pub picture: Option<String>,
    /// Why work went back, in order.
    pub rework: Vec<Rework>,
    /// The texts of its artifacts, by path.
    pub texts: Vec<Text>,
}

/// Work that went back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rework {
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
pub struct Text {
    /// Its path below the cast's directory.
    pub path: String,
    /// The beginning of it.
    pub text: String,
    /// How large it is.
    pub bytes: u64,
    /// Whether there is more.
    pub is_cut: bool,
}

/// Collects a cast.
pub fn cast(
    folder: &Folder,
    variables: &BTreeMap<OsString, OsString>,
    clock: &Clock,
) -> Result<Exported, Error> {
    let wanted = Wanted {
        artifacts: true,
        ..Wanted::default()
    };
    let mut cast = show::show(folder, wanted, clock)?;
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
    Ok(Exported {
        cast,
        picture,
        rework,
        texts,
    })
}

/// Writes an export where the person said, over what was there.
pub fn save(path: &Path, text: &str) -> std::io::Result<()> {
    file::write(path, text.as_bytes(), Mode::Overwrite)
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

/// The reasons in the words of whoever sent the work back.
fn rework(folder: &Folder) -> Result<Vec<Rework>, Error> {
    let mut reasons: Vec<(String, u64, String)> = Vec::new();
    let (_, steps) = show::steps(folder, |_, event| {
        if let Body::SocketComplete(complete) = &event.body
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
    let told = reasons.into_iter().filter_map(|(socket, visit, reason)| {
        let step: &CastStep = at(&socket, visit)?;
        let item = step
            .place
            .item_label
            .clone()
            .or_else(|| step.place.item_key.clone());
        Some(Rework {
            step: step.step,
            socket,
            item,
            reason,
        })
    });
    Ok(told.collect())
}

/// What happened at each socket.
fn marks(graph: &Graph, cast: &CastShowReport) -> BTreeMap<String, Mark> {
    let mut marks = BTreeMap::new();
    for socket in graph.sockets() {
        let visits: Vec<&CastStep> = cast
            .steps
            .iter()
            .filter(|step| step.place.socket == socket.id.as_str())
            .collect();
        let standing = match visits.last().map(|step| step.outcome) {
            None => Standing::Never,
            Some("done") => Standing::Done,
            Some("failed") => Standing::Failed,
            Some(_) => Standing::Open,
        };
        let note = match visits.len() {
            0 => "not visited".to_owned(),
            1 => "once".to_owned(),
            many => format!("{many} times"),
        };
        marks.insert(socket.id.as_str().to_owned(), Mark { standing, note });
    }
    marks
}

fn texts(root: &Path, cast: &CastShowReport, secrets: &Secrets) -> Vec<Text> {
    let Ok(shelf) = Root::open(root) else {
        return Vec::new();
    };
    let mut left = MAX_TEXTS;
    let mut texts = Vec::new();
    for artifact in cast.artifacts.iter().flatten() {
        let told = TOLD
            .iter()
            .any(|name| artifact.path.ends_with(&format!(".{name}")));
        if !told || left == 0 {
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
        let is_cut = artifact.bytes > bytes.len() as u64;
        texts.push(Text {
            path: artifact.path.clone(),
            text,
            bytes: artifact.bytes,
            is_cut,
        });
    }
    texts
}
