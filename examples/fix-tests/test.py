"""Runs params.command in the project. Its exit code is the verdict; the end of its output goes into the state."""
import json
import subprocess
import sys

document = json.load(sys.stdin)
command = document["params"]["command"]
ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
tail = ran.stdout[-6000:]
json.dump(
    {
        "satisfied": ran.returncode == 0,
        "context": f"{' '.join(command)} exited with {ran.returncode}",
        "state": {"tests": {"exit": ran.returncode, "output": tail}},
    },
    sys.stdout,
)
