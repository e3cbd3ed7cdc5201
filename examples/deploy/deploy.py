"""Acquires a lock for the environment, runs the deployment and releases the lock. Must run inside a run, which receives the answers."""
import json
import shlex
import subprocess
import sys

locks, environment, wait, command = sys.argv[1:5]
resource = f"deploy:{environment}"


def materia(*words):
    return subprocess.run(["materia", *words], stdout=subprocess.PIPE, text=True)


def ask(kind):
    sent = materia("message", f"run:{locks}", kind, json.dumps({"resource": resource}))
    if sent.returncode:
        sys.exit(f"run:{locks} does not answer; start it: materia spawn locker --as run:{locks}")
    while True:
        got = materia("receive", "--timeout", wait, "--json")
        message = json.loads(got.stdout).get("message") if got.returncode == 0 else None
        if message is None:
            sys.exit(f"run:{locks} did not answer within {wait} seconds")
        materia("receive", "--ack", message["id"])
        if message["type"].startswith("lock."):
            return message


answer = ask("lock.acquire")
if answer["type"] != "lock.granted":
    holder = (answer.get("body") or {}).get("heldBy") or "another owner"
    materia("message", "coordinator", "deploy.refused", json.dumps({"environment": environment, "holder": holder}))
    sys.exit(f"{environment} is being deployed by {holder}")
try:
    ran = subprocess.run(shlex.split(command))
finally:
    ask("lock.release")
kind = "deploy.done" if ran.returncode == 0 else "deploy.failed"
materia("message", "coordinator", kind, json.dumps({"environment": environment, "exit": ran.returncode}))
sys.exit(ran.returncode)
