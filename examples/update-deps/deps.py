"""The steps around npm: outdated, update, test, settle (commit or take back), report."""
import json
import subprocess
import sys

asked = json.load(sys.stdin)
item = asked["item"]


def run(*words, check=True):
    ran = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if check and ran.returncode:
        sys.exit(f"{' '.join(words)} exited with {ran.returncode}: {ran.stdout[-2000:]}")
    return ran


def outdated():
    # npm exits with 1 when something is outdated.
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
    ran = run(*asked["params"]["command"], check=False)
    passed = ran.returncode == 0
    tests = {"passed": passed, "output": ran.stdout[-6000:]}
    return {"satisfied": passed, "context": f"exit code {ran.returncode}", "state": {"tests": tests}}


def settle():
    done = asked["state"].get("settled", [])
    if asked["state"]["tests"]["passed"]:
        run("git", "add", "--all", "--", ".")
        run("git", "reset", "--quiet", "--", ".pi")
        run("git", "commit", "--quiet", "-m", f"build(deps): {item['title']}")
        line = f"kept {item['title']}"
    else:
        why = (asked["state"].get("envelope") or {}).get("context") or "the tests fail"
        run("git", "checkout", "--quiet", "HEAD", "--", ".")
        run("git", "clean", "--quiet", "-fd", "--exclude=.pi", "--exclude=node_modules")
        line = f"took back {item['title']}: {why}"
    return {"satisfied": True, "state": {"settled": [*done, line]}}


def report():
    return "\n".join(asked["state"].get("settled", ["everything is up to date"])) + "\n"


gave = {"outdated": outdated, "update": update, "test": test, "settle": settle, "report": report}[sys.argv[1]]()
sys.stdout.write(gave if isinstance(gave, str) else json.dumps(gave))
