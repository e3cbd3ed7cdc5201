"""Runs watched commands every so many seconds, and reports the ones whose output changed.

Messages are the only way in and out: `materia receive` waits for the next one and is also the clock. What is watched is
kept in the run's directory, so a new generation of the run goes on with it.
"""
import json
import os
import subprocess
import sys
import time

every = float(sys.argv[1])
kept = os.path.join(os.environ["MATERIA_STATE_DIR"], "watched.json")
watched = json.load(open(kept)) if os.path.exists(kept) else {}


def materia(*words):
    return subprocess.run(["materia", *words], stdout=subprocess.PIPE, text=True)


def say(kind, body):
    materia("message", "coordinator", kind, json.dumps(body))


def keep():
    with open(kept + ".new", "w") as out:
        json.dump(watched, out)
    os.replace(kept + ".new", kept)


def look(name, command):
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=600)
    return {"exit": ran.returncode, "output": ran.stdout[-4000:]}


def look_at_all():
    for name, about in watched.items():
        try:
            seen = look(name, about["command"])
        except (OSError, subprocess.TimeoutExpired) as error:
            seen = {"exit": None, "output": str(error)}
        if about.get("seen") not in (None, seen):
            say("watch.changed", {"name": name, "before": about["seen"], "now": seen})
        about["seen"] = seen
    keep()


def obey(kind, body):
    if kind == "watch.add":
        watched[body["name"]] = {"command": body["command"]}
        look_at_all()
    elif kind == "watch.remove":
        watched.pop(body["name"], None)
        keep()
    elif kind == "watch.now":
        look_at_all()
    elif kind == "watch.list":
        say("watch.list", {name: about["command"] for name, about in watched.items()})


say("watch.started", {"every": every, "watched": sorted(watched)})
due = time.monotonic() + every
while True:
    got = materia("receive", "--timeout", str(max(0.1, due - time.monotonic())), "--json")
    message = json.loads(got.stdout).get("message") if got.returncode == 0 else None
    if message:
        stop = message["type"] == "control.stop"
        try:
            obey(message["type"], message.get("body") or {})
        except (KeyError, TypeError, AttributeError) as error:
            say("watch.error", {"type": message["type"], "error": f"the body lacks {error}"})
        materia("receive", "--ack", message["id"])
        if stop:
            break
    if time.monotonic() >= due:
        look_at_all()
        due = time.monotonic() + every
say("watch.stopped", {})
