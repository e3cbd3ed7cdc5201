#!/usr/bin/env python3
"""Writes crates/materia/first.ld: the functions that short commands run, so that the linker puts them side by side.

    cargo build --release -p materia && python3 bench/first.py

A verb is over in two milliseconds, and most of that the kernel spends on bringing in pages of the program, sixteen at a
time. What a spawn, a message or a wait runs is a tenth of the program and was scattered over all of it. This steps
through such commands, one instruction at a time, notes every function they enter, and writes them down in the order in which they were
first entered. A name that is gone by now is harmless, a function that is missing only costs a page more: run it again
when a measurement (`materia-bench runs-spawn`) says so, not at every change.
"""

import bisect
import collections
import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BINARY = os.path.realpath(os.path.join(HERE, "../target/release/materia"))
SCRIPT = os.path.join(HERE, "../crates/materia/first.ld")

TRACEME, PEEKUSER, CONT, STEP, DETACH, SETOPTIONS = 0, 3, 7, 9, 17, 0x4200
RIP = 16 * 8
FORK_VFORK_CLONE_EXEC = 2 | 4 | 8 | 16
EXEC_EVENT = 4
WALL = 0x40000000

libc = ctypes.CDLL(None, use_errno=True)
ptrace = libc.ptrace
ptrace.restype = ctypes.c_long
ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def stepped(words, home):
    """Where a command's own program is executed, in pieces of sixteen bytes, also in processes that it starts."""
    first = os.fork()
    if first == 0:
        ptrace(TRACEME, 0, None, None)
        os.kill(os.getpid(), signal.SIGSTOP)
        os.chdir(home)
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.execve(BINARY, [BINARY, *words], {"HOME": home, "PATH": "/usr/bin:/bin"})
    os.waitpid(first, WALL)
    ptrace(SETOPTIONS, first, None, FORK_VFORK_CLONE_EXEC)
    ptrace(CONT, first, None, None)
    os.waitpid(first, WALL)
    ptrace(STEP, first, None, None)
    pieces, live = {}, {first}
    while live:
        try:
            pid, status = os.waitpid(-1, WALL)
        except ChildProcessError:
            break
        if not os.WIFSTOPPED(status):
            live.discard(pid)
            continue
        live.add(pid)
        number, event = os.WSTOPSIG(status), status >> 16
        if event == EXEC_EVENT and not os.path.samefile(f"/proc/{pid}/exe", BINARY):
            ptrace(DETACH, pid, None, None)
            live.discard(pid)
            continue
        if number == signal.SIGTRAP and not event:
            pieces[ptrace(PEEKUSER, pid, RIP, None) >> 4] = None
        ours = number in (signal.SIGTRAP, signal.SIGSTOP)
        ptrace(STEP, pid, None, None if ours else number)
    print(f"  {' '.join(words)}: {len(pieces) * 16} bytes of it run", file=sys.stderr)
    return pieces


def entered():
    """The pieces of all commands, in the order in which they were first executed."""
    pieces = {}
    with tempfile.TemporaryDirectory() as home:
        def plain(*words):
            subprocess.run([BINARY, *words], cwd=home, env={"HOME": home, "PATH": "/usr/bin:/bin"}, stdout=subprocess.DEVNULL, check=True)
        plain("spawn", "--template", "sleep 600", "--as", "run:long")
        for words in COMMANDS:
            pieces.update(stepped(words, home))
        plain("wait", "run:short")
    return pieces


COMMANDS = [
    ["spawn", "--template", "true", "--as", "run:short"],
    ["message", "run:long", "note", "hello"],
    ["receive", "--address", "run:long"],
    ["inspect", "run:long"],
    ["message", "run:long", "control.kill"],
    ["wait", "run:long"],
    ["run", "--template", "true"],
]


def symbols(*words):
    return subprocess.run(["nm", *words], capture_output=True, text=True, check=False).stdout.splitlines()


def functions(pieces):
    """The functions that the pieces belong to, and the sizes of all there are."""
    table, sizes = [], {}
    for line in symbols("-S", BINARY):
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tTwWi":
            begin, size = int(fields[0], 16), int(fields[1], 16)
            table.append((begin, size, fields[3]))
            sizes[fields[3]] = size
    table.sort()
    begins = [begin for begin, _, _ in table]
    found = {}
    for piece in pieces:
        at = piece << 4
        for probe in (at, at + 15):
            index = bisect.bisect_right(begins, probe) - 1
            if index >= 0 and table[index][0] + table[index][1] > at:
                found[table[index][2]] = None
    return found, sizes


def pattern(name):
    """A name without what another compiler, or another build, would call differently."""
    name = re.sub(r"17h[0-9a-f]{16}E(\.llvm\.\d+)?", "17h*E", name)
    name = re.sub(r"Cs[0-9A-Za-z]+_", "Cs*_", name)
    return re.sub(r"\.\d+$", ".*", name)


def members():
    """Which member of the C library has a function."""
    archive = subprocess.run(["cc", "-print-file-name=libc.a"], capture_output=True, text=True, check=True).stdout.strip()
    of = {}
    for line in symbols("-A", "--defined-only", archive):
        match = re.match(r".*:([^:]+\.o):\S+ [tTwWi] (\S+)$", line)
        if match:
            of.setdefault(match[2], match[1])
    return of


def lines(found, sizes):
    """The lines of the script. Functions that share a name with many others, as generic ones do, are named exactly."""
    whole, wanted = collections.Counter(), collections.Counter()
    for name, size in sizes.items():
        whole[pattern(name)] += size
    for name in found:
        wanted[pattern(name)] += sizes[name]
    of, out = members(), {}
    for name in found:
        if name.startswith("_ZN") or name.startswith("_R"):
            general = pattern(name)
            name = general if whole[general] - wanted[general] <= 2048 else name
            out[f"*(.text.{name} .text.unlikely.{name})"] = None
        elif name in of:
            out[f"*libc.a:{of[name]}(.text .text.*)"] = None
    return out


def main():
    found, sizes = functions(entered())
    script = lines(found, sizes)
    with open(SCRIPT, "w", encoding="utf-8") as out:
        out.write("/* What short commands run, side by side. Written by bench/first.py; see there. */\n")
        out.write("SECTIONS\n{\n  .text.first :\n  {\n")
        out.writelines(f"    {line}\n" for line in script)
        out.write("  }\n}\nINSERT BEFORE .text;\n")
    print(f"{len(found)} functions of {len(sizes)}, {sum(sizes[name] for name in found)} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
