//! Rendering of the web server's address.

use std::path::PathBuf;

use serde::Serialize;

use super::Report;
use super::style::Role;

/// The addresses of the server.
#[derive(Debug, Serialize)]
pub struct Serving {
    /// Always true.
    pub ok: bool,
    /// The address with its login code, which works once.
    pub url: String,
    /// The address without the code.
    pub address: String,
    /// Whether other machines can reach the address.
    #[serde(rename = "reachable")]
    pub reachable: bool,
    /// The MCP endpoint for agents.
    pub mcp: Agents,
}

/// The MCP endpoint for agents.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Agents {
    /// The address.
    pub url: String,
    /// The file with the token that agents send to authenticate.
    pub token_file: PathBuf,
}

impl Report for Serving {
    fn human(&self, colour: bool) -> String {
        let mut text = format!("{}  {}\n", Role::Strong.paint("materia", colour), self.url);
        text.push_str("open it once in your browser; Ctrl-C ends the server, casts run on\n");
        let (url, file) = (&self.mcp.url, self.mcp.token_file.display());
        text.push_str(&format!("agents: {url} with the bearer token in {file}\n"));
        if self.reachable {
            let warning = Role::Warning.paint("warning:", colour);
            text.push_str(&format!(
                "{warning} other machines can reach this address, unencrypted\n"
            ));
        }
        text
    }
}
