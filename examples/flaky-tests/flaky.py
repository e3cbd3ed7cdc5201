"""once: runs the tests once and prints a line of JSON. report: summarizes these lines; exits with 1 if a test is flaky."""
import json
import re
import shlex
import subprocess
import sys


def once(run, failed, command):
    ran = subprocess.run(shlex.split(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    names = sorted(set(re.findall(failed, ran.stdout, re.M)))
    print(json.dumps({"flaky-run": int(run), "exit": ran.returncode, "failed": names, "tail": ran.stdout[-800:]}))


def report():
    runs = [json.loads(line) for line in sys.stdin if line.startswith('{"flaky-run"')]
    if not runs:
        sys.exit("no test run finished")
    red = [run for run in runs if run["exit"]]
    count = {}
    for run in red:
        for name in run["failed"] or ["(a test that the pattern does not match)"]:
            count[name] = count.get(name, 0) + 1
    print(f"{len(runs)} runs, {len(red)} red")
    for name, times in sorted(count.items(), key=lambda one: -one[1]):
        kind = "always fails" if times == len(runs) else f"flaky: failed {times} of {len(runs)}"
        print(f"- {name} {kind}")
    if 0 < len(red) < len(runs):
        print("\nThe end of one failed run:\n\n" + red[0]["tail"])
        sys.exit(1)


{"once": once, "report": report}[sys.argv[1]](*sys.argv[2:])
