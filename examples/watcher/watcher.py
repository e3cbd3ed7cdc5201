"""Runs watched commands at an interval and reports those whose output changed.

All communication is by message. The timeout of `materia receive` is also the timer. The list of commands is stored in the
run's directory, so it survives a restart of the run.
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


def send(kind, body):
    materia("message", "coordinator", kind, json.dumps(body))


def save():
    with open(kept + ".new", "w") as out:
        json.dump(watched, out)
    os.replace(kept + ".new", kept)


def check(name, command):
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=600)
    return {"exit": ran.returncode, "output": ran.stdout[-4000:]}


def check_all():
    for name, about in watched.items():
        try:
            seen = check(name, about["command"])
        except (OSError, subprocess.TimeoutExpired) as error:
            seen = {"exit": None, "output": str(error)}
        if about.get("seen") not in (None, seen):
            send("watch.changed", {"name": name, "before": about["seen"], "now": seen})
        about["seen"] = seen
    save()


def handle(kind, body):
    if kind == "watch.add":
        watched[body["name"]] = {"command": body["command"]}
        check_all()
    elif kind == "watch.remove":
        watched.pop(body["name"], None)
        save()
    elif kind == "watch.now":
        check_all()
    elif kind == "watch.list":
        send("watch.list", {name: about["command"] for name, about in watched.items()})


send("watch.started", {"every": every, "watched": sorted(watched)})
due = time.monotonic() + every
while True:
    got = materia("receive", "--timeout", str(max(0.1, due - time.monotonic())), "--json")
    message = json.loads(got.stdout).get("message") if got.returncode == 0 else None
    if message:
        stop = message["type"] == "control.stop"
        try:
            handle(message["type"], message.get("body") or {})
        except (KeyError, TypeError, AttributeError) as error:
            send("watch.error", {"type": message["type"], "error": f"missing in the body: {error}"})
        materia("receive", "--ack", message["id"])
        if stop:
            break
    if time.monotonic() >= due:
        check_all()
        due = time.monotonic() + every
send("watch.stopped", {})
