"""list: lists the files that match. verify: checks one migrated file. commit: commits that file alone."""
import json
import re
import subprocess
import sys

document = json.load(sys.stdin)
params = document["params"]
file = document["item"]["title"] if document["item"] else None


def git(*words):
    return subprocess.run(["git", *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def has_old(path):
    with open(path, errors="replace") as text:
        return [number for number, line in enumerate(text, 1) if re.search(params["old"], line)]


def listed():
    found = [(path, has_old(path)) for path in git("ls-files", "-z", "--", params["glob"]).split("\0") if path]
    items = [{"title": path, "context": f"lines {lines}"} for path, lines in found if lines]
    return {"workItems": items, "context": f"{len(items)} files to migrate"}


def verified():
    others = [line[3:] for line in git("status", "--porcelain").splitlines()]
    others = [path for path in others if path != file and not path.startswith(".pi/") and path != ".pi/"]
    if others:
        return refused(f"other files were changed: {', '.join(others)}; revert them")
    if lines := has_old(file):
        return refused(f"{file} still has the old call in line {lines[0]}")
    check = [word.replace("{file}", file) for word in params["check"]]
    ran = subprocess.run(check, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ran.returncode:
        return refused(f"{' '.join(check)} fails: {ran.stdout[-600:]}")
    return {"satisfied": True, "context": f"{file} is migrated"}


def refused(why):
    return {"satisfied": False, "context": why}


def committed():
    git("add", "--", file)
    git("commit", "--quiet", "-m", params["title"].replace("{file}", file))
    return {"satisfied": True, "context": f"committed {file}"}


json.dump({"list": listed, "verify": verified, "commit": committed}[sys.argv[1]](), sys.stdout)
