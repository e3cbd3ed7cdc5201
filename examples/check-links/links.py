"""Checks links between the Markdown files of a repository, including links to headings. Fetches nothing."""
import json
import os
import re
import subprocess
import sys
from urllib.parse import unquote

document = json.load(sys.stdin)
LINK = re.compile(r"(?<!\\)\]\(\s*<?([^)\s>]+)")


def git(*words):
    return subprocess.run(["git", *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def prose(path):
    """Returns the text outside of code."""
    text = open(path, errors="replace").read()
    text = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(path):
    headings = re.findall(r"^#+ +(.*)$", open(path, errors="replace").read(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def broken(path):
    found = []
    for target in LINK.findall(prose(path)):
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        file, _, fragment = unquote(target).partition("#")
        full = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if not os.path.exists(full):
            found.append(f"{target}: {full} does not exist")
        elif fragment and full.endswith(".md") and fragment not in anchors(full):
            found.append(f"{target}: {full} has no heading for it")
    return found


def find():
    pages = {path: broken(path) for path in git("ls-files", "-z", "*.md").split("\0") if path}
    items = [{"title": path, "context": "\n".join(wrong)} for path, wrong in pages.items() if wrong]
    return {"workItems": items, "context": f"{len(items)} of {len(pages)} pages have broken links"}


def verify():
    wrong = broken(document["item"]["title"])
    return {"satisfied": not wrong, "context": "; ".join(wrong) or "every link works"}


def commit():
    git("add", "--update", "--", "*.md")
    if git("diff", "--cached", "--name-only"):
        git("commit", "--quiet", "-m", "docs: mend links")
    return {"satisfied": True}


json.dump({"find": find, "verify": verify, "commit": commit}[sys.argv[1]](), sys.stdout)
