//! `artifact-manifest`: describes a file for its recipient.

use std::time::UNIX_EPOCH;

use materia_engine::registry::sha256;
use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityReport};
use materia_model::text;
use materia_model::time::Timestamp;
use serde_json::json;

use crate::files;

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let path = options.path("path", context).unwrap_or_default();
    let about = path.metadata().ok().filter(std::fs::Metadata::is_file);
    let (bytes, digest) = match &about {
        Some(_) => {
            let bytes = files::bytes(&path)?;
            (bytes.len(), Some(sha256(&bytes)))
        }
        None => (0, None),
    };
    let modified = about
        .as_ref()
        .and_then(|about| about.modified().ok())
        .and_then(|time| {
            let since = time.duration_since(UNIX_EPOCH).ok()?;
            Some(Timestamp::from_millis(i64::try_from(since.as_millis()).ok()?).to_string())
        });
    Ok(json!({
        "title": options.text_or("title", "Artifact"),
        "status": options.text_or("status", "draft"),
        "path": path.to_string_lossy(),
        "exists": about.is_some(),
        "bytes": bytes,
        "sha256": digest,
        "modified": modified,
        "summary": text::bounded(options.text_or("summary", ""), 2000),
    })
    .into())
}
