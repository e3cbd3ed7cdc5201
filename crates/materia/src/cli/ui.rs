//! `materia ui`: serves the browser client until it is interrupted.

use clap::Args;

use crate::door::WebOptions;
use crate::view::{OutputFormat, Screen};

/// Draw loadouts, watch casts and steer runs in a browser
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia ui\n  materia ui --port 7717 --no-open\n\n\
    Listens on this machine only. The address it prints works once: it turns into a cookie of that browser. Nothing is \
    loaded from elsewhere. Ctrl-C ends the server; casts that it started run on."
)]
pub(super) struct Ui {
    /// The port; the usual one is 7717, or any other that is free
    #[arg(long, value_name = "N")]
    port: Option<u16>,

    /// The address to listen on
    #[arg(long, value_name = "H", default_value = "127.0.0.1")]
    host: String,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

impl Ui {
    pub(super) fn wish(self, screen: Screen, format: OutputFormat) -> WebOptions {
        WebOptions {
            port: self.port,
            host: self.host,
            open: !self.no_open,
            screen,
            format,
        }
    }
}
