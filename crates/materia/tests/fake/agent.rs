//! A one-shot agent: a prompt on stdin, a reply on stdout.
//!
//! `agent [--reply TEXT | --script FILE | --brief] [--prompts FILE] [--code N]`: the script is a
//! JSON array of replies, one per call; after the last one it repeats. `FILE.count` counts the calls.
//! Prompts are appended to their file as JSON lines. `--brief` answers with the first line of the
//! prompt and the arguments after the option.

use std::io::{Read, Write};

use crate::{number, option};

pub(crate) fn run(args: &[String]) {
    let mut prompt = String::new();
    let _ = std::io::stdin().read_to_string(&mut prompt);
    if let Some(path) = option(args, "--prompts") {
        let mut file = std::fs::File::options()
            .append(true)
            .create(true)
            .open(path)
            .expect("a prompts file");
        // One write: several agents may append at the same time.
        let line = format!("{}\n", serde_json::Value::from(prompt.as_str()));
        file.write_all(line.as_bytes()).expect("a prompt written");
    }
    let reply = match (option(args, "--reply"), option(args, "--script")) {
        (Some(reply), _) => reply.to_owned(),
        (None, Some(script)) => scripted(script),
        (None, None) if crate::flag(args, "--brief") => {
            let rest = args
                .iter()
                .skip_while(|arg| *arg != "--brief")
                .skip(1)
                .cloned()
                .collect::<Vec<_>>();
            let first = prompt.lines().next().unwrap_or_default();
            format!("ANSWER {} TO {first}", rest.join(" "))
        }
        (None, None) => format!("You asked: {}", prompt.trim()),
    };
    println!("{reply}");
    std::process::exit(
        number(args, "--code")
            .unwrap_or(0)
            .try_into()
            .expect("an exit code"),
    );
}

fn scripted(script: &str) -> String {
    let text = std::fs::read_to_string(script).expect("a script");
    let replies: Vec<serde_json::Value> = serde_json::from_str(&text).expect("an array of replies");
    let counter = format!("{script}.count");
    let call: usize = std::fs::read_to_string(&counter)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    std::fs::write(&counter, (call + 1).to_string()).expect("a counter");
    let reply = replies
        .get(call)
        .or(replies.last())
        .expect("at least one reply");
    reply
        .as_str()
        .map_or_else(|| reply.to_string(), str::to_owned)
}
