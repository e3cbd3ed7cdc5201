"""commits: collects the commits and the version. check: checks the notes. tag: writes the files, commits and tags."""
import json
import os
import re
import subprocess
import sys

document = json.load(sys.stdin)
SUBJECT = re.compile(r"^(?P<type>[a-z]+)(\((?P<scope>[^)]*)\))?(?P<breaking>!)?: (?P<text>.+)$")


def git(*words, check=True):
    ran = subprocess.run(["git", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if check and ran.returncode:
        sys.exit(ran.stderr)
    return ran.stdout.strip()


def commits():
    last = git("describe", "--tags", "--abbrev=0", "--match", "v*", check=False)
    entries = git("log", "--format=%h%x1f%s%x1f%b%x1e", *([f"{last}..HEAD"] if last else []))
    lines, breaking, step = [], [], None
    for entry in filter(None, (entry.strip() for entry in entries.split("\x1e"))):
        short, subject, body = (entry.split("\x1f") + [""])[:3]
        parsed = SUBJECT.match(subject)
        if not parsed:
            continue
        lines.append(f"{short} {subject}")
        if parsed["breaking"] or "BREAKING CHANGE:" in body:
            breaking.append(parsed["text"])
        rank = "major" if parsed["breaking"] or "BREAKING CHANGE:" in body else {"feat": "minor", "fix": "patch", "perf": "patch"}.get(parsed["type"])
        if rank and (step is None or "patch minor major".index(rank) > "patch minor major".index(step)):
            step = rank
    if step is None:
        return {"satisfied": False, "context": f"nothing to release since {last or 'the first commit'}"}
    version = bumped(last.lstrip("v") or "0.0.0", step)
    release = {"version": version, "previous": last, "commits": "\n".join(lines), "breaking": breaking}
    return {"satisfied": True, "context": f"{version}: {len(lines)} commits", "state": {"release": release}}


def bumped(version, step):
    major, minor, patch = (int(part) for part in version.split("."))
    if step == "major" and major > 0:
        return f"{major + 1}.0.0"
    return f"{major}.{minor}.{patch + 1}" if step == "patch" else f"{major}.{minor + 1}.0"


def check():
    notes, release = document["state"]["notes"], document["state"]["release"]
    wrong = []
    if release["breaking"] and "### Breaking" not in notes:
        wrong.append(f"`### Breaking` is missing; these break: {'; '.join(release['breaking'])}")
    if re.search(r"^##? ", notes, re.M):
        wrong.append("there is a heading above `###`")
    if not re.search(r"^- ", notes, re.M):
        wrong.append("there is no list")
    return {"satisfied": not wrong, "context": ". ".join(wrong) or "the notes are complete"}


def tag():
    release, notes = document["state"]["release"], document["state"]["notes"].strip()
    name = f"v{release['version']}"
    day = git("log", "-1", "--format=%cs")
    section = f"## [{release['version']}] - {day}\n\n{notes}\n"
    log = open("CHANGELOG.md").read() if os.path.exists("CHANGELOG.md") else "# Changelog\n"
    # Insert above the newest section and below the introduction of the file.
    found = re.search(r"^## \[\d", log, re.M)
    at = found.start() if found else len(log)
    text = log[:at].rstrip("\n") + "\n\n" + section + ("\n" + log[at:] if found else "")
    open("CHANGELOG.md", "w").write(text)
    open("VERSION", "w").write(release["version"] + "\n")
    git("add", "CHANGELOG.md", "VERSION")
    git("commit", "--quiet", "-m", f"chore(release): {name}")
    git("tag", "--annotate", name, "-m", f"{name}\n\n{notes}")
    return {"satisfied": True, "context": f"{name} is tagged; to publish: git push --follow-tags"}


json.dump({"commits": commits, "check": check, "tag": tag}[sys.argv[1]](), sys.stdout)
