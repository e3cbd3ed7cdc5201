//! `link` and `autocast`: a cast of targets that no config combines into one loadout.
//!
//! Owns looking up targets, the virtual loadout, and the data that an earlier cast passes on to a
//! linked one. Writes no config and leaves the active loadout unchanged.

use std::io::Read;
use std::path::Path;

use materia_model::finding::Finding;
use materia_model::link::{self, LinkPart, LinkTarget, LinkTargetKind};
use materia_model::loadout::Config;
use materia_model::text;
use serde_json::{Value, json};

use crate::cast::show::steps;
use crate::cast::start::find;
use crate::cast::{Definition, Error};
use crate::config::ConfigFiles;
use crate::store::artifact::ArtifactRoot;

/// Maximum number of artifacts that an earlier cast passes on.
const MAX_ARTIFACTS: usize = 20;
/// Maximum size of each, in bytes.
const MAX_CONTENT: usize = 4000;

/// Builds one definition from the targets, in order. `agent` plays the roles that name none.
pub fn link(
    files: &ConfigFiles,
    targets: &[String],
    agent: Option<&str>,
) -> Result<Definition, Error> {
    let config = Config::load(files.layers());
    let parts: Vec<LinkPart> = targets
        .iter()
        .map(|word| part(&config, word))
        .collect::<Result<_, _>>()?;
    if let [
        LinkPart {
            kind: LinkTargetKind::Loadout,
            name,
            ..
        },
    ] = parts.as_slice()
    {
        let target = json!({"target": {"kind": "loadout", "name": name}});
        return Ok(Definition::choose(files, Some(name), agent)?.noting("autocast", target));
    }
    let Some(linked) = link::link(&parts) else {
        return Err(Error::Invalid(vec![
            Finding::error("no-target", "nothing is to be linked")
                .hint("name loadouts or materia, such as `loadout:Release materia:Narrate`"),
        ]));
    };
    let mut loadout = linked.loadout;
    let (name, id, key) = match parts.as_slice() {
        [one] => {
            let id = format!("virtual-autocast-materia-{}", link::plain(&one.name));
            (format!("Virtual loadout: {}", one.name), id, "autocast")
        }
        _ => (linked.name, linked.id, "link"),
    };
    loadout["id"] = Value::String(id);
    let text = json!({"loadouts": {&name: loadout}}).to_string();
    let over = files.with_text("link.json", &text);
    Ok(Definition::choose(&over, Some(&name), agent)?.noting(key, linked.origin))
}

fn part(config: &Config<'_>, word: &str) -> Result<LinkPart, Error> {
    let target = LinkTarget::read(word);
    let loadout = config
        .find(target.name)
        .filter(|_| target.kind != Some(LinkTargetKind::Materia));
    let materia = config.materia().find(|materia| materia.id == target.name);
    let materia = materia.filter(|_| target.kind != Some(LinkTargetKind::Loadout));
    match (loadout, materia) {
        (Some(_), Some(_)) => {
            let (name, quoted) = (target.name, text::quoted(target.name));
            let message = format!("{quoted} is a loadout and a materia");
            let hint = format!("write `loadout:{name}` or `materia:{name}`");
            Err(Error::Invalid(vec![
                Finding::error("ambiguous-target", message).hint(hint),
            ]))
        }
        (Some(name), None) => {
            let compiled = config
                .compile(name)
                .ok_or_else(|| Error::UnknownLoadout(Box::new(config.unknown(name))))?;
            let Some(graph) = compiled.graph else {
                return Err(Error::Invalid(compiled.findings));
            };
            let written = config.resolved(&graph)["loadouts"][name].clone();
            Ok(LinkPart::loadout(graph, written))
        }
        (None, Some(materia)) => Ok(LinkPart::materia(&materia.id)),
        (None, None) => Err(Error::UnknownLoadout(Box::new(unknown(config, target)))),
    }
}

fn unknown(config: &Config<'_>, target: LinkTarget<'_>) -> Finding {
    let what = target
        .kind
        .map_or("loadout or materia", LinkTargetKind::as_str);
    let message = format!("there is no {what} {}", text::quoted(target.name));
    let loadouts = config.loadouts().map(|one| one.name.to_owned());
    let materia = config.materia().map(|one| one.id.clone());
    let names: Vec<String> = match target.kind {
        Some(LinkTargetKind::Loadout) => loadouts.collect(),
        Some(LinkTargetKind::Materia) => materia.collect(),
        None => loadouts.chain(materia).collect(),
    };
    let hint = match text::closest(target.name, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let some: Vec<String> = names
                .iter()
                .take(12)
                .map(|name| text::quoted(name))
                .collect();
            format!("there are {}", text::list(&some, "and"))
        }
    };
    Finding::error("unknown-target", message).hint(hint)
}

/// What an earlier cast passes on: its request and the output of its steps, bounded.
pub fn earlier(cwd: &Path, casts: &Path, given: &str) -> Result<Value, Error> {
    if given.contains(['/', '\\']) || given.contains("..") {
        return Err(Error::NoCast {
            given: given.to_owned(),
            folder: casts.to_owned(),
            near: None,
        });
    }
    let folder = find(cwd, casts, Some(given))?;
    let (state, steps) = steps(&folder, |_, _| {})?;
    let root = ArtifactRoot::open(folder.path())?;
    let mut artifacts = Vec::new();
    // Prefer the newest artifacts, but pass them on in the order they were written.
    for step in steps
        .iter()
        .rev()
        .filter(|step| step.artifact.is_some())
        .take(MAX_ARTIFACTS)
    {
        let path = step.artifact.as_deref().unwrap_or_default();
        let mut bytes = Vec::new();
        root.read(path)?
            .take(MAX_CONTENT as u64 + 1)
            .read_to_end(&mut bytes)?;
        let truncated = bytes.len() > MAX_CONTENT;
        bytes.truncate(MAX_CONTENT);
        artifacts.push(json!({
            "path": path, "socket": step.place.socket, "materia": step.place.materia, "maxBytes": MAX_CONTENT,
            "truncated": truncated, "content": String::from_utf8_lossy(&bytes),
        }));
    }
    artifacts.reverse();
    Ok(json!({
        "castId": state.cast_id, "request": state.request, "runDir": folder.path().to_string_lossy(),
        "status": state.status.as_str(), "artifacts": artifacts,
    }))
}
