//! A cast as one page of HTML for other people: no network, no script, light and dark.
//!
//! Owns the page. Every text of the cast is escaped, and the content security policy in the page's
//! head is the second defence. Computes only positions on the time line.

mod parts;

use materia_engine::api::{CastExport, ExportReport, ObservedStatus};

use super::amounts::{money, short, time};
use super::screen;
use parts::escaped;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1f2328;--soft:#59636e;--paper:#fff;--card:#f6f8fa;--line:#d1d9e0;--accent:#0969da;\
--done:#1a7f37;--failed:#cf222e;--open:#9a6700}\
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9198a1;--paper:#0d1117;--card:#161b22;--line:#3d444d;\
--accent:#4493f8;--done:#3fb950;--failed:#f85149;--open:#d29922}}\
*{box-sizing:border-box}body{margin:0 auto;max-width:1080px;padding:32px 24px 64px;background:var(--paper);color:var(--ink);\
font:15px/1.5 ui-sans-serif,system-ui,sans-serif}h1{font-size:24px;margin:0 0 4px;overflow-wrap:anywhere}\
h2{font-size:17px;margin:36px 0 10px}.soft{color:var(--soft)}.facts{display:grid;grid-template-columns:repeat(auto-fit,\
minmax(150px,1fr));gap:12px;margin:20px 0 0}.facts div{background:var(--card);border:1px solid var(--line);border-radius:8px;\
padding:10px 14px}.facts b{display:block;font-size:18px;font-weight:600;overflow-wrap:anywhere}.pill{display:inline-block;\
padding:1px 10px;border-radius:99px;border:1px solid currentColor;font-size:13px}.done{color:var(--done)}.failed{color:var(\
--failed)}.open{color:var(--open)}.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:8px}\
.scroll svg{display:block;margin:0 auto;max-width:none}table{border-collapse:collapse;width:100%}th,td{text-align:left;\
padding:6px 12px;border-bottom:1px solid var(--line);vertical-align:top}tr:last-child td{border-bottom:0}th{font-weight:600;\
color:var(--soft);font-size:13px;white-space:nowrap}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;\
white-space:nowrap}.lane{position:relative;height:22px;min-width:260px}.bar{position:absolute;top:5px;height:12px;\
border-radius:3px;min-width:3px;background:currentColor}details{border:1px solid var(--line);border-radius:8px;margin:8px 0}\
summary{cursor:pointer;padding:8px 14px;overflow-wrap:anywhere}pre{margin:0;padding:12px 14px;border-top:1px solid var(\
--line);background:var(--card);white-space:pre-wrap;overflow-wrap:anywhere;font:12.5px/1.5 ui-monospace,monospace}\
.error{border-left:4px solid var(--failed);padding:8px 14px;background:var(--card);margin:20px 0 0}\
@media print{details{break-inside:avoid}}";

/// Renders the page.
pub fn page(export: &CastExport) -> String {
    let cast = &export.cast;
    let mut out = String::new();
    let title = escaped(&super::amounts::line(&cast.request, 120));
    out.push_str(&format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src \
         'none'; style-src 'unsafe-inline'\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n"
    ));
    head(&mut out, export, &title);
    if let Some(picture) = &export.picture {
        out.push_str("<h2>Graph</h2>\n<div class=\"scroll\" tabindex=\"0\">");
        out.push_str(picture);
        out.push_str("</div>\n");
    }
    parts::steps(&mut out, export);
    parts::rework(&mut out, export);
    parts::cost(&mut out, export);
    parts::texts(&mut out, export);
    let version = env!("CARGO_PKG_VERSION");
    out.push_str(&format!(
        "<p class=\"soft\">Written by materia {version} from the log of {}. Known secrets are redacted.</p>\n</body>\n</html>\n",
        escaped(&cast.cast_id)
    ));
    out
}

fn head(out: &mut String, export: &CastExport, title: &str) {
    let cast = &export.cast;
    let class = match cast.status {
        ObservedStatus::Complete => "done",
        status if status.is_open() => "open",
        _ => "failed",
    };
    out.push_str(&format!(
        "<h1>{title}</h1>\n<p class=\"soft\"><span class=\"pill {class}\">{}</span> {} · {}{}</p>\n",
        escaped(cast.status.as_str()),
        escaped(&cast.loadout),
        escaped(&cast.cast_id),
        cast.started_at.map(|at| format!(" · began {at}")).unwrap_or_default()
    ));
    let took = cast.started_at.zip(cast.updated_at);
    let took = took.and_then(|(from, to)| u64::try_from(to.as_millis() - from.as_millis()).ok());
    let used = &cast.usage.total;
    let facts = [
        ("took", took.map(time).unwrap_or_default()),
        ("steps", cast.steps.len().to_string()),
        ("sent back", export.rework.len().to_string()),
        ("turns", cast.usage.turns.to_string()),
        ("tokens", short(used.tokens.total as f64)),
        ("cost", money(used.cost.total)),
    ];
    out.push_str("<div class=\"facts\">");
    for (name, value) in facts {
        out.push_str(&format!(
            "<div><b>{}</b><span class=\"soft\">{name}</span></div>",
            escaped(&value)
        ));
    }
    out.push_str("</div>\n");
    if let Some(error) = &cast.error {
        let hint = error
            .hint
            .as_deref()
            .map(|hint| format!("<br><span class=\"soft\">{}</span>", escaped(hint)));
        out.push_str(&format!(
            "<p class=\"error\">{}{}</p>\n",
            escaped(&error.message),
            hint.unwrap_or_default()
        ));
    }
    if cast.request.len() > 120 {
        out.push_str(&format!(
            "<details><summary>The whole request</summary><pre>{}</pre></details>\n",
            escaped(&cast.request)
        ));
    }
}

impl screen::Report for ExportReport {
    fn human(&self, _colour: bool) -> String {
        format!("{}\n", self.file)
    }
}

#[cfg(test)]
mod tests;
