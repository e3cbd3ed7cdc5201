"""Writes state.decision as the next numbered record and commits it."""
import json
import os
import re
import subprocess
import sys

document = json.load(sys.stdin)
decision, folder = document["state"]["decision"], document["params"]["folder"]
os.makedirs(folder, exist_ok=True)
taken = [int(name[:4]) for name in os.listdir(folder) if re.match(r"\d{4}-", name)]
number = max(taken, default=0) + 1
slug = re.sub(r"[^a-z0-9]+", "-", decision["title"].lower()).strip("-")[:60]
path = f"{folder}/{number:04}-{slug}.md"
parts = [f"# {number}. {decision['title']}"]
parts += [f"## {name.capitalize()}\n\n{decision[name].strip()}" for name in ("situation", "decision", "consequences")]
with open(path, "x") as out:
    out.write("\n\n".join(parts) + "\n")
subprocess.run(["git", "add", "--", path], check=True)
subprocess.run(["git", "commit", "--quiet", "-m", f"docs: decide {decision['title'].lower()}", "--", path], check=True, stdout=sys.stderr)
json.dump({"satisfied": True, "context": path}, sys.stdout)
