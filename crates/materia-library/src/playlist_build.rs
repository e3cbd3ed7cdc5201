//! `playlist-build`: the music below a directory, as paths, as a playlist or as JSON.

use std::path::PathBuf;

use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityOutput, UtilityReport};
use serde_json::json;

use crate::files;

/// The file extensions of music, by default.
pub(crate) const EXTENSIONS: &str = "mp3,flac,ogg,opus,m4a,wav";

#[derive(Debug, Clone, Copy)]
enum Shape {
    Paths,
    Playlist,
    Json,
}

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let shapes = [
        ("paths", Shape::Paths),
        ("m3u", Shape::Playlist),
        ("json", Shape::Json),
    ];
    let shape = options.word("mode", &shapes, Shape::Paths)?;
    let directory = options.path("directory", context).unwrap_or_default();
    let depth = options.number("max-depth", 2)?;
    let found = tracks(&directory, options.text_or("extensions", EXTENSIONS), depth)?;
    let names: Vec<String> = found
        .files
        .iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    let output = match shape {
        Shape::Paths => UtilityOutput::Text(names.iter().map(|name| format!("{name}\n")).collect()),
        Shape::Playlist => {
            let entry = |(path, name): (&PathBuf, &String)| {
                let title = path
                    .file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                format!("#EXTINF:-1,{title}\n{name}\n")
            };
            UtilityOutput::Text(format!(
                "#EXTM3U\n{}",
                found
                    .files
                    .iter()
                    .zip(&names)
                    .map(entry)
                    .collect::<String>()
            ))
        }
        Shape::Json => UtilityOutput::Json(
            json!({"directory": directory.to_string_lossy(), "count": names.len(), "tracks": names}),
        ),
    };
    let notes = found.more.then(|| {
        format!(
            "there are more than {} files; the rest is not listed",
            files::MOST_FILES
        )
    });
    Ok(UtilityReport {
        output,
        notes: notes.into_iter().collect(),
    })
}

/// The music below a directory. A playlist cannot contain a name with a line break, so such files
/// are left out.
pub(crate) fn tracks(
    directory: &std::path::Path,
    extensions: &str,
    depth: u64,
) -> Result<files::Found, UtilityError> {
    let wanted: Vec<String> = extensions
        .split([',', ' '])
        .map(|ending| {
            ending
                .trim()
                .trim_start_matches(['*', '.'])
                .to_ascii_lowercase()
        })
        .filter(|ending| !ending.is_empty())
        .collect();
    files::below(directory, depth.max(1), |name| {
        let ending = name
            .rsplit_once('.')
            .map(|(_, ending)| ending.to_ascii_lowercase());
        !name.contains(['\n', '\r']) && ending.is_some_and(|ending| wanted.contains(&ending))
    })
}
