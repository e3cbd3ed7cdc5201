//! `materia ui`: authorization, and the HTTP API.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::test_env::{TestEnv, TestProcess};

/// A running `materia ui` with the cookie of a browser session.
struct UiSession<'a> {
    server: Option<TestProcess<'a>>,
    port: u16,
    cookie: String,
}

/// An HTTP response.
struct HttpResponse {
    status: u16,
    head: String,
    body: String,
}

impl HttpResponse {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl<'a> UiSession<'a> {
    fn new(env: &'a TestEnv) -> Self {
        let mut server = env
            .materia(&["ui", "--port", "0", "--no-open", "--json"])
            .start();
        let startup: Value = serde_json::from_str(&server.read_line()).unwrap();
        let url = startup["url"].as_str().unwrap();
        let port = url
            .split(':')
            .nth(2)
            .unwrap()
            .split('/')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let mut session = Self {
            server: Some(server),
            port,
            cookie: String::new(),
        };
        let login_path = format!("/?{}", url.split('?').nth(1).unwrap());
        let response = session.send("GET", &login_path, &[("host", &session.host())], "");
        assert_eq!(response.status, 200, "{}", response.head);
        let line = response
            .head
            .lines()
            .find(|line| line.starts_with("set-cookie:"))
            .unwrap();
        assert!(
            line.contains("HttpOnly") && line.contains("SameSite=Strict"),
            "{line}"
        );
        session.cookie = line
            .trim_start_matches("set-cookie: ")
            .split(';')
            .next()
            .unwrap()
            .to_owned();
        // The code in the address works only once.
        assert_eq!(
            session
                .send("GET", &login_path, &[("host", &session.host())], "")
                .status,
            401
        );
        session
    }

    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> HttpResponse {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let mut text = format!(
            "{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        stream
            .write_all(format!("{text}\r\n{body}").as_bytes())
            .unwrap();
        let mut bytes = Vec::new();
        // A live stream has no end; its head is enough.
        let _timeout = stream.set_read_timeout(Some(std::time::Duration::from_secs(20)));
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while reader.read_line(&mut head).unwrap() > 2 {}
        if !head.contains("text/event-stream") {
            reader.read_to_end(&mut bytes).unwrap();
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        HttpResponse {
            status,
            head,
            body: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    fn get(&self, path: &str) -> HttpResponse {
        self.send(
            "GET",
            path,
            &[("host", &self.host()), ("cookie", &self.cookie)],
            "",
        )
    }

    fn post(&self, path: &str, body: &Value) -> HttpResponse {
        let (host, origin) = (self.host(), format!("http://{}", self.host()));
        let headers = [
            ("host", host.as_str()),
            ("cookie", &self.cookie),
            ("origin", &origin),
            ("content-type", "application/json"),
        ];
        self.send("POST", path, &headers, &body.to_string())
    }
}

impl Drop for UiSession<'_> {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.signal(rustix::process::Signal::TERM);
            let _ended = server.wait();
        }
    }
}

/// Every route, from the route table itself, so that none is missed.
fn routes(method: &str) -> Vec<String> {
    let table = include_str!("../../src/web/api.rs");
    let call = format!("{method}(");
    let rows = table
        .lines()
        .filter_map(|line| line.trim().strip_prefix(".route(\""));
    let paths = rows
        .filter(|row| row.contains(&call))
        .filter_map(|row| row.split('"').next());
    let fill_parameters = |path: &str| {
        let parts = path
            .split('/')
            .map(|part| if part.starts_with('{') { "x" } else { part });
        format!("/api{}", parts.collect::<Vec<_>>().join("/"))
    };
    paths.map(fill_parameters).collect()
}

#[test]
fn s4_requests_without_cookie_or_from_another_site_are_refused() {
    let env = TestEnv::new();
    let session = UiSession::new(&env);
    let (host, cookie) = (session.host(), session.cookie.clone());
    let origin = format!("http://{host}");
    let kind = ("content-type", "application/json");
    let (gets, posts) = (routes("get"), routes("post"));
    assert!(gets.len() > 12 && posts.len() > 12, "{gets:?} {posts:?}");
    for path in ["/", "/app.js"]
        .into_iter()
        .chain(gets.iter().map(String::as_str))
    {
        assert_eq!(
            session.send("GET", path, &[("host", &host)], "").status,
            401,
            "{path} without a cookie"
        );
        let wrong = ("cookie", "materia_1=ab; other=x");
        assert_eq!(
            session
                .send("GET", path, &[("host", &host), wrong], "")
                .status,
            401,
            "{path} with a wrong cookie"
        );
        for name in [
            "evil.example",
            "evil.example:80",
            "127.0.0.1",
            "127.0.0.1.evil.example:80",
            "",
        ] {
            let response = session.send("GET", path, &[("host", name), ("cookie", &cookie)], "");
            assert!(
                response.status == 403 || response.status == 400,
                "{path} as {name}: {}",
                response.status
            );
        }
        let foreign = session.send(
            "GET",
            path,
            &[("host", &host), ("cookie", &cookie), ("origin", "null")],
            "",
        );
        assert_eq!(foreign.status, 403, "{path} with a null origin");
    }
    for path in posts.iter().map(String::as_str) {
        let send = |headers: &[(&str, &str)]| session.send("POST", path, headers, "{}").status;
        assert_eq!(
            send(&[("host", &host), ("origin", &origin), kind]),
            401,
            "{path} without a cookie"
        );
        for from in ["http://evil.example", "null", "https://127.0.0.1", ""] {
            let headers = [
                ("host", host.as_str()),
                ("cookie", &cookie),
                ("origin", from),
                kind,
            ];
            assert_eq!(send(&headers), 403, "{path} from {from}");
        }
        assert_eq!(
            send(&[("host", &host), ("cookie", &cookie), kind]),
            403,
            "{path} without an origin"
        );
        let cross_site = ("sec-fetch-site", "cross-site");
        assert_eq!(
            send(&[
                ("host", &host),
                ("cookie", &cookie),
                ("origin", &origin),
                cross_site,
                kind
            ]),
            403
        );
        for other in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "",
            "application/jsonp",
        ] {
            let headers = [
                ("host", host.as_str()),
                ("cookie", &cookie),
                ("origin", &origin),
                ("content-type", other),
            ];
            assert_eq!(send(&headers), 415, "{path} as {other}");
        }
    }
}

#[test]
fn s4_every_response_has_security_headers() {
    let env = TestEnv::new();
    let session = UiSession::new(&env);
    for response in [
        session.get("/"),
        session.get("/api/about"),
        session.get("/api/nothing"),
    ] {
        let head = response.head.to_lowercase();
        assert!(
            head.contains(
                "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';"
            ),
            "{head}"
        );
        assert!(
            head.contains("frame-ancestors 'none'") && head.contains("nosniff"),
            "{head}"
        );
        assert!(!head.contains("access-control-allow"), "{head}");
    }
    assert!(session.get("/api/about").head.contains("no-store"));
    assert_eq!(session.get("/api/nothing").status, 404);
    assert_eq!(session.post("/api/about", &json!({})).status, 405);
    let page = session.get("/loadouts/Full-Auto");
    assert!(page.status == 200 && page.body.contains("<div id=\"root\">"));
    assert_eq!(session.get("/missing.js").status, 404);
    assert_eq!(
        session.get("/actors/v1.2").status,
        200,
        "names of runs may have dots"
    );
    let huge = json!({"target": "user", "edits": [], "x": "y".repeat(5 << 20)});
    assert_eq!(session.post("/api/config/save", &huge).status, 413);
    assert_eq!(
        session
            .post("/api/config/save", &json!({"target": "elsewhere"}))
            .status,
        400
    );
}

#[test]
fn a_browser_session_survives_a_restart_and_is_stored_hashed() {
    let env = TestEnv::new();
    let mut session = UiSession::new(&env);
    let (port, cookie) = (session.port, session.cookie.clone());
    let server = session.server.take().unwrap();
    server.signal(rustix::process::Signal::TERM);
    assert_eq!(server.wait().code(), 0);
    let file = env.home().join(".config/pi/pi-materia/ui-sessions.json");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains(cookie.split('=').nth(1).unwrap()), "{text}");
    let mut again = env
        .materia(&["ui", "--port", &port.to_string(), "--no-open", "--json"])
        .start();
    let _startup = again.read_line();
    session.server = Some(again);
    assert_eq!(session.get("/api/about").status, 200);
}

#[test]
fn loadouts_are_saved_unchanged_and_conflicts_are_reported() {
    let env = TestEnv::new();
    let session = UiSession::new(&env);
    let config = session.get("/api/config").json();
    let shipped = config["loadouts"].as_array().unwrap();
    assert_eq!(config["active"], "Full-Auto");
    // Shipped loadouts pass through the editor unchanged.
    for one in shipped {
        let name = format!("{} <Copy> \"'&", one["name"].as_str().unwrap());
        let edit =
            json!({"section": "loadouts", "name": name, "value": one["value"], "base": null});
        let saved = session.post(
            "/api/config/save",
            &json!({"target": "user", "edits": [edit]}),
        );
        assert_eq!(saved.status, 200, "{}", saved.body);
        let after = session.get("/api/config").json();
        let loadouts = after["loadouts"].as_array().unwrap();
        let copy = loadouts
            .iter()
            .find(|one| one["name"] == name.as_str())
            .unwrap();
        assert_eq!(copy["value"], one["value"]);
        assert_eq!(
            copy["value"].to_string(),
            one["value"].to_string(),
            "the order of fields must not change"
        );
    }
    let edit = |base: Option<&str>, text: &str| {
        let value =
            json!({"entry": "a", "sockets": {"a": {"materia": "Detect-VCS"}}, "description": text});
        json!({"target": "user", "edits": [{"section": "loadouts", "name": "Mine", "value": value, "base": base}]})
    };
    let first = session
        .post("/api/config/save", &edit(None, "first"))
        .json();
    let version = first["versions"][0].as_str().unwrap();
    assert_eq!(
        session
            .post("/api/config/save", &edit(Some(version), "theirs"))
            .status,
        200
    );
    let late = session.post("/api/config/save", &edit(Some(version), "mine"));
    assert_eq!(late.status, 409);
    assert_eq!(late.json()["conflict"]["current"]["description"], "theirs");
    let readonly = json!({"target": "user", "edits": [{"section": "loadouts", "name": "Full-Auto", "value": {}, "base": null}]});
    let refused = session.post("/api/config/save", &readonly);
    assert_eq!(refused.status, 403);
    assert_eq!(refused.json()["error"]["code"], "readonly_loadout");
}

#[test]
fn artifacts_are_read_only_inside_their_cast() {
    let env = TestEnv::new();
    env.write(
        "hello.json",
        r#"{"activeLoadout": "Hello", "loadouts": {"Hello": {"entry": "hello", "sockets": {"hello": {"materia": "Greet"}}}},
            "materia": {"Greet": {"type": "utility", "command": ["echo", "<script>alert(1)</script>"]}}}"#,
    );
    env.write("secret.txt", "secret");
    let cast = env
        .materia(&["cast", "--config", "hello.json", "--json", "hi"])
        .run()
        .ok()
        .json();
    let id = cast["castId"].as_str().unwrap();
    let session = UiSession::new(&env);
    let read = |path: &str| session.get(&format!("/api/casts/{id}/artifact?path={path}"));
    let good = read("sockets/hello/1.stdout.txt");
    assert_eq!(good.status, 200, "{}", good.body);
    assert_eq!(good.json()["text"], "<script>alert(1)</script>\n");
    assert!(
        good.head.contains("application/json"),
        "artifacts must never be served as HTML"
    );
    std::os::unix::fs::symlink(
        env.work_dir().join("secret.txt"),
        env.work_dir().join(".pi/pi-materia").join(id).join("link"),
    )
    .unwrap();
    for path in [
        "../../../secret.txt",
        "..%2F..%2F..%2Fsecret.txt",
        "/etc/passwd",
        "sockets/../../../../secret.txt",
        "link",
        "",
        ".",
    ] {
        let response = read(path);
        assert_eq!(response.status, 404, "{path}: {}", response.body);
        assert!(!response.body.contains("\"secret\""));
    }
    for id in ["..", "..%2F..", "%2Fetc", "x"] {
        assert_eq!(
            session
                .get(&format!("/api/casts/{id}/artifact?path=passwd"))
                .status,
            404,
            "{id}"
        );
        assert_eq!(session.get(&format!("/api/casts/{id}")).status, 404, "{id}");
    }
    let list = session.get("/api/casts").json();
    assert_has!(list["casts"][0], {"castId": id, "status": "complete"});
}

#[test]
fn a_utility_can_be_tried_while_it_is_edited() {
    let env = TestEnv::new();
    let session = UiSession::new(&env);
    let value = json!({"type": "utility", "command": ["sh", "-c", "cat >/dev/null; echo '{\"a\": 1}'; echo hint >&2"], "parse": "json"});
    let request = json!({"materia": "Mine", "value": value, "target": "user", "request": "x", "state": {}, "item": null});
    let tried = session.post("/api/trial", &request);
    assert_eq!(tried.status, 200, "{}", tried.body);
    let tried = tried.json();
    assert_eq!(tried["result"], json!({"a": 1}));
    assert_has!(tried, {"stderr": "hint\n", "problem": null});
    let unknown = json!({"materia": "Nobody", "value": null, "target": "user", "request": "", "state": {}, "item": null});
    assert_eq!(session.post("/api/trial", &unknown).status, 404);
}

#[test]
fn s1_a_project_config_runs_only_after_trust_in_the_browser() {
    let env = TestEnv::new();
    env.write(
        ".pi/pi-materia.json",
        r#"{"activeLoadout": "Theirs", "loadouts": {"Theirs": {"entry": "a", "sockets": {"a": {"materia": "Run"}}}},
            "materia": {"Run": {"type": "utility", "command": ["sh", "-c", "echo ran >gate; exec sleep 600"]}}}"#,
    );
    env.shell("mkfifo gate").run().ok();
    let session = UiSession::new(&env);
    let request = json!({"request": "go", "loadout": null, "agentScript": null});
    let refused = session.post("/api/casts", &request);
    assert_eq!(refused.status, 403);
    assert_eq!(refused.json()["error"]["code"], "untrusted");
    let shown = session.get("/api/trust").json();
    assert_eq!(
        session.post("/api/trust", &json!({"digest": "0"})).status,
        409
    );
    assert_eq!(
        session
            .post("/api/trust", &json!({"digest": shown["digest"]}))
            .status,
        200
    );
    let started = session.post("/api/casts", &request);
    assert_eq!(started.status, 200, "{}", started.body);
    assert_eq!(env.read("gate"), "ran\n");
    let id = started.json()["castId"].as_str().unwrap().to_owned();
    assert_eq!(
        session
            .post(
                &format!("/api/casts/{id}/abort"),
                &json!({"text": null, "agentScript": null})
            )
            .status,
        200
    );
    assert_eq!(
        session.get(&format!("/api/casts/{id}")).json()["cast"]["status"],
        "aborted"
    );
}

#[test]
fn the_types_of_the_client_are_current() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/types.ts");
    let types = materia::web::client_types().unwrap();
    if std::env::var_os("MATERIA_WRITE_REFERENCE").is_some() {
        std::fs::write(&file, &types).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == types,
        "web/src/types.ts is not current: MATERIA_WRITE_REFERENCE=1 writes it"
    );
}
