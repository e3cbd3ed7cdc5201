//! `playlist-build`: the music below a directory, as paths, as a playlist or as JSON.

use std::path::PathBuf;

use serde_json::json;

use super::super::answer::{Answer, Output, Trouble};
use super::options::Options;
use super::{Asked, files};

/// What counts as music where nothing is said.
pub(super) const EXTENSIONS: &str = "mp3,flac,ogg,opus,m4a,wav";

#[derive(Debug, Clone, Copy)]
enum Shape {
    Paths,
    Playlist,
    Json,
}

pub(super) fn run(asked: &mut Asked<'_>, options: &Options) -> Result<Answer, Trouble> {
    let shapes = [
        ("paths", Shape::Paths),
        ("m3u", Shape::Playlist),
        ("json", Shape::Json),
    ];
    let shape = options.word("mode", &shapes, Shape::Paths)?;
    let directory = options.path("directory", asked).unwrap_or_default();
    let depth = options.number("max-depth", 2)?;
    let found = tracks(&directory, options.text_or("extensions", EXTENSIONS), depth)?;
    let names: Vec<String> = found
        .files
        .iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    let output = match shape {
        Shape::Paths => Output::Text(names.iter().map(|name| format!("{name}\n")).collect()),
        Shape::Playlist => {
            let entry = |(path, name): (&PathBuf, &String)| {
                let title = path
                    .file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                format!("#EXTINF:-1,{title}\n{name}\n")
            };
            Output::Text(format!(
                "#EXTM3U\n{}",
                found
                    .files
                    .iter()
                    .zip(&names)
                    .map(entry)
                    .collect::<String>()
            ))
        }
        Shape::Json => Output::Json(
            json!({"directory": directory.to_string_lossy(), "count": names.len(), "tracks": names}),
        ),
    };
    let notes = found.more.then(|| {
        format!(
            "there are more than {} files; the rest is not listed",
            files::MOST_FILES
        )
    });
    Ok(Answer {
        output,
        notes: notes.into_iter().collect(),
    })
}

/// The music below a directory; a name with a line break in it cannot stand in a playlist and is
/// left out.
pub(super) fn tracks(
    directory: &std::path::Path,
    extensions: &str,
    depth: u64,
) -> Result<files::Found, Trouble> {
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
