"""once: one run of the tests, as a line of JSON. report: what the lines say together; exit code 1 when a test is flaky."""
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
        sys.exit("no run of the tests came to an end")
    red = [run for run in runs if run["exit"]]
    count = {}
    for run in red:
        for name in run["failed"] or ["(a test whose name the pattern does not find)"]:
            count[name] = count.get(name, 0) + 1
    print(f"{len(runs)} runs, {len(red)} red")
    for name, times in sorted(count.items(), key=lambda one: -one[1]):
        kind = "always fails" if times == len(runs) else f"flaky: failed {times} of {len(runs)}"
        print(f"- {name} {kind}")
    if 0 < len(red) < len(runs):
        print("\nThe end of one red run:\n\n" + red[0]["tail"])
        sys.exit(1)


{"once": once, "report": report}[sys.argv[1]](*sys.argv[2:])
