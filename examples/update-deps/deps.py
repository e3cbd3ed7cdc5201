"""The npm steps: outdated, update, test, settle (commit or revert), report."""
import json
import subprocess
import sys

document = json.load(sys.stdin)
item = document["item"]


def run(*words, check=True):
    ran = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if check and ran.returncode:
        sys.exit(f"{' '.join(words)} exited with {ran.returncode}: {ran.stdout[-2000:]}")
    return ran


def outdated():
    # npm exits with 1 if something is outdated.
    listed = subprocess.run(["npm", "outdated", "--json"], stdout=subprocess.PIPE, text=True).stdout
    found = json.loads(listed or "{}")
    items = [
        {"title": f"{name} {about['current']} -> {about['latest']}", "context": json.dumps({"name": name, "version": about["latest"]})}
        for name, about in sorted(found.items())
    ]
    return {"workItems": items, "context": f"{len(items)} outdated"}


def update():
    wanted = json.loads(item["context"])
    run("npm", "install", "--save-exact", f"{wanted['name']}@{wanted['version']}")
    return {"satisfied": True}


def test():
    ran = run(*document["params"]["command"], check=False)
    passed = ran.returncode == 0
    tests = {"passed": passed, "output": ran.stdout[-6000:]}
    return {"satisfied": passed, "context": f"exit code {ran.returncode}", "state": {"tests": tests}}


def settle():
    done = document["state"].get("settled", [])
    if document["state"]["tests"]["passed"]:
        run("git", "add", "--all", "--", ".")
        run("git", "reset", "--quiet", "--", ".pi")
        run("git", "commit", "--quiet", "-m", f"build(deps): {item['title']}")
        line = f"kept {item['title']}"
    else:
        why = (document["state"].get("envelope") or {}).get("context") or "the tests fail"
        run("git", "checkout", "--quiet", "HEAD", "--", ".")
        run("git", "clean", "--quiet", "-fd", "--exclude=.pi", "--exclude=node_modules")
        line = f"took back {item['title']}: {why}"
    return {"satisfied": True, "state": {"settled": [*done, line]}}


def report():
    return "\n".join(document["state"].get("settled", ["everything is up to date"])) + "\n"


result = {"outdated": outdated, "update": update, "test": test, "settle": settle, "report": report}[sys.argv[1]]()
sys.stdout.write(result if isinstance(result, str) else json.dumps(result))
