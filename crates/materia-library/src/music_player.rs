//! `music-player`: plays the files below a directory, controlled by messages.
//!
//! Owns the choice of the player program and the playlist. Waits for the end of a track and for
//! messages, and for nothing else. Pausing ends the program instead of stopping it, since only
//! `process` may send SIGSTOP; a paused track therefore restarts from its beginning.

use std::path::PathBuf;

use materia_engine::post::{ClaimedMessage, MessageSettlement};
use materia_engine::process::{
    Cause, ChildId, Command, Event, ProcessEnd, StopReason, find_program,
};
use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityOutput, UtilityReport};
use materia_model::message::{MessageDraft, QueueId};
use materia_model::text;
use serde_json::{Value, json};

use crate::playlist_build;
use crate::service::Service;

/// A program that plays one file and exits.
struct Program {
    name: &'static str,
    words: fn(u64) -> Vec<String>,
}

const PROGRAMS: [Program; 6] = [
    Program {
        name: "mpv",
        words: |volume| {
            words(&[
                "--no-video",
                "--really-quiet",
                &format!("--volume={volume}"),
            ])
        },
    },
    Program {
        name: "ffplay",
        words: |volume| {
            words(&[
                "-nodisp",
                "-autoexit",
                "-loglevel",
                "error",
                "-volume",
                &volume.to_string(),
            ])
        },
    },
    Program {
        name: "mpg123",
        words: |volume| words(&["-q", "-f", &(volume * 32_768 / 100).to_string()]),
    },
    Program {
        name: "cvlc",
        words: |volume| {
            words(&[
                "--play-and-exit",
                "--quiet",
                "--gain",
                &format!("{:.2}", volume as f64 / 100.0),
            ])
        },
    },
    Program {
        name: "play",
        words: |volume| words(&["-q", "-v", &format!("{:.2}", volume as f64 / 100.0)]),
    },
    Program {
        name: "afplay",
        words: |volume| words(&["-v", &format!("{:.2}", volume as f64 / 100.0)]),
    },
];

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The state of the player.
struct Player<'a, 'b> {
    context: &'a mut StepContext<'b>,
    service: Service,
    program: &'static Program,
    tracks: Vec<PathBuf>,
    at: usize,
    volume: u64,
    repeats: bool,
    playing: Option<ChildId>,
    paused: bool,
    failures: usize,
}

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let source = options.path("source", context).unwrap_or_default();
    let tracks = if source.is_file() {
        vec![source.clone()]
    } else {
        playlist_build::tracks(&source, playlist_build::EXTENSIONS, 4)?.files
    };
    if tracks.is_empty() {
        let message = format!(
            "there is no music in {}",
            text::quoted(&source.to_string_lossy())
        );
        return Err(UtilityError::failed(message, "name another source=DIR"));
    }
    if options.text("command") == Some("list") {
        let list = tracks
            .iter()
            .map(|track| format!("{}\n", track.display()))
            .collect();
        return Ok(UtilityReport {
            output: UtilityOutput::Text(list),
            notes: Vec::new(),
        });
    }
    let program = chosen(options.text_or("player", "auto"))?;
    let service = Service::open(context, "music-player")?;
    let volume = options.number("volume", 70)?.min(100);
    let repeats = options.flag("loop");
    let mut player = Player {
        context,
        service,
        program,
        tracks,
        at: 0,
        volume,
        repeats,
        playing: None,
        paused: false,
        failures: 0,
    };
    player.play()
}

/// The requested program, or the first one that is installed.
fn chosen(wanted: &str) -> Result<&'static Program, UtilityError> {
    let names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
    let fits = |program: &&Program| wanted == "auto" || program.name == wanted;
    let there = |program: &&Program| find_program(program.name).is_some();
    PROGRAMS.iter().filter(fits).find(there).ok_or_else(|| {
        let message = if wanted == "auto" {
            "there is no program that plays music".to_owned()
        } else {
            format!("there is no {} in PATH", text::quoted(wanted))
        };
        UtilityError::failed(message, format!("install {}", text::list(&names, "or")))
    })
}

impl Player<'_, '_> {
    fn play(&mut self) -> Result<UtilityReport, UtilityError> {
        let ear = self.service.ear()?;
        let failed = |error: std::io::Error| {
            UtilityError::failed(format!("nobody can be heard: {error}"), "try again")
        };
        self.context.processes.watch(&ear).map_err(failed)?;
        self.start()?;
        loop {
            while let Some(message) = self.service.waiting(&QueueId::Run)? {
                let stops = self.obey(&message)?;
                self.service
                    .settle(&QueueId::Run, &message.id, &MessageSettlement::Handled)?;
                if stops {
                    return self.stopped("asked");
                }
            }
            match self.context.processes.next(None) {
                Some(Event::Ended(ended)) if Some(ended.leaf) == self.playing => {
                    if let Some(why) = self.track_ended(&ended)? {
                        return self.stopped(why);
                    }
                }
                Some(Event::Readable(_)) => ear.drain(),
                Some(Event::Interrupt(_)) => {
                    self.halt();
                    return Err(UtilityError::interrupted(self.program.name));
                }
                Some(_) => {}
                None => return self.stopped("over"),
            }
        }
    }

    /// Starts the current track.
    fn start(&mut self) -> Result<(), UtilityError> {
        let Some(track) = self.tracks.get(self.at).cloned() else {
            return Ok(());
        };
        let mut argv = vec![self.program.name.to_owned()];
        argv.extend((self.program.words)(self.volume));
        argv.push(track.to_string_lossy().into_owned());
        self.paused = false;
        self.playing = Some(self.context.processes.spawn(Command::new(&argv)));
        self.tell("music.playing", &format!("playing {}", track.display()))
    }

    /// Moves on after a track ended. Returns the reason if playback ends instead.
    fn track_ended(&mut self, ended: &ProcessEnd) -> Result<Option<&'static str>, UtilityError> {
        self.playing = None;
        let bad = matches!(ended.cause, Cause::NotStarted(_)) || !ended.success();
        self.failures = if bad { self.failures + 1 } else { 0 };
        if bad {
            let said = String::from_utf8_lossy(&ended.stderr.bytes);
            self.tell(
                "music.error",
                &format!("cannot play it: {}", text::bounded(said.trim(), 200)),
            )?;
        }
        if self.failures >= self.tracks.len() {
            return Ok(Some("nothing plays"));
        }
        let last = self.at + 1 == self.tracks.len();
        if last && !self.repeats {
            return Ok(Some("end"));
        }
        self.at = (self.at + 1) % self.tracks.len();
        self.start().map(|()| None)
    }

    /// Applies a message. Returns whether playback ends.
    fn obey(&mut self, message: &ClaimedMessage) -> Result<bool, UtilityError> {
        let kind = message.envelope.kind.as_str();
        let plain = message.envelope.text().trim().to_ascii_lowercase();
        let verb = match kind {
            "run.message" => plain.as_str(),
            other => other.rsplit('.').next().unwrap_or(other),
        };
        let many = self.tracks.len();
        match verb {
            "stop" | "quit" => return Ok(true),
            "next" => self.jump((self.at + 1) % many)?,
            "previous" => self.jump((self.at + many - 1) % many)?,
            "pause" => {
                self.halt();
                self.paused = true;
            }
            "resume" | "play" if self.playing.is_none() => self.start()?,
            "volume" => {
                let given = message.envelope.body.as_ref().and_then(|body| {
                    body.as_u64()
                        .or_else(|| body.get("volume")?.as_u64())
                        .or_else(|| body.as_str()?.parse().ok())
                });
                if let Some(volume) = given {
                    self.volume = volume.min(100);
                    self.jump(self.at)?;
                }
            }
            _ => {}
        }
        let summary = if self.paused { "paused" } else { "playing" };
        self.service
            .answer(message, "music.status", summary, self.status())?;
        Ok(false)
    }

    fn jump(&mut self, to: usize) -> Result<(), UtilityError> {
        self.halt();
        self.at = to;
        self.start()
    }

    /// Stops the player program. Its exit does not count as the end of the track.
    fn halt(&mut self) {
        if let Some(leaf) = self.playing.take() {
            self.context.processes.stop(leaf, StopReason::Cancelled);
        }
    }

    fn status(&self) -> Value {
        json!({"track": self.tracks.get(self.at), "number": self.at + 1, "of": self.tracks.len(),
            "paused": self.paused, "volume": self.volume, "player": self.program.name})
    }

    fn tell(&self, kind: &str, summary: &str) -> Result<(), UtilityError> {
        self.service.send(MessageDraft {
            to: "coordinator".to_owned(),
            kind: kind.to_owned(),
            body: Some(self.status()),
            from: Some(format!("run:{}", self.service.run())),
            summary: Some(text::bounded(summary, 300).into_owned()),
            ..MessageDraft::default()
        })
    }

    fn stopped(&mut self, why: &str) -> Result<UtilityReport, UtilityError> {
        self.halt();
        self.tell("music.stopped", why)?;
        if why == "nothing plays" {
            let hint = "try a file with the program by hand";
            return Err(UtilityError::failed(
                format!("`{}` can play none of it", self.program.name),
                hint,
            ));
        }
        Ok(json!({"ok": true, "stopped": why}).into())
    }
}
