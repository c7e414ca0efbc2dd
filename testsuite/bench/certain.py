# SPDX-License-Identifier: GPL-3.0-or-later
"""Of how many waits of 10 us and more (on the average of a call path) `cinstr waits` is certain who
ended them, in the suite's programs with locks. BUILD: where cinstr is, CC: the compiler.

    certain.py [NAME...]
"""
import collections
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile

SUITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
LONG_NS = 10000
SCENES = "lock", "rwlock", "semaphore", "pipeline", "server", "stream", "shift", "barrier", "threads_anew", "tail", "polling"
# source, flags, argument
PROGRAMS = {
    **{scene: ("bench/predicted.c", [f"-DSCENE={scene}"], []) for scene in SCENES},
    **{name: (f"e2e/programs/{name}.c", [], []) for name in ("objects", "lock_truth")},
    **{f"{name} {how}": (f"e2e/programs/findings/{name}", [], [how]) for name in ("locks.c", "locks.cc", "locks_inlined.c")
       for how in ("bad", "convoy", "held", "short")},
    **{name: (f"findings/{name}", [], []) for name in (
        "spool.c", "guard.c", "mosaic.cpp", "hands.cpp", "kitchen.cpp", "belt.cpp", "votes.c", "shop.c", "telegraph.c")},
}


def long_waits(folder, source, flags, arguments):
    """{whether it is certain who ended them: waits} of one run."""
    build, program, session = os.environ["BUILD"], os.path.join(folder, "program"), os.path.join(folder, "session")
    compiler = os.environ["CC"] if source.endswith(".c") else os.environ["CC"].replace("gcc", "g++")
    shutil.rmtree(session, ignore_errors=True)
    subprocess.run([compiler, "-O2", "-g", "-pthread", f"-fplugin={build}/cinstr.so", *flags, os.path.join(SUITE, source),
                    "-o", program, "-lm"], check=True)
    subprocess.run([program, *arguments], check=False, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "CINSTR_DATA": session})
    shown = subprocess.run([f"{build}/cinstr", "waits", "--format=json", session], check=True, capture_output=True, text=True)
    waits = collections.Counter()
    for row in json.loads(shown.stdout)["waits"]:
        if not row["open"] and row["waits"] and row["waiting_ns"] >= LONG_NS * row["waits"]:
            waits[row["known"] in ("call", "thread")] += row["waits"]
    return waits


def main():
    os.environ["BUILD"] = os.path.abspath(os.environ.get("BUILD", os.path.join(SUITE, "../build")))
    os.environ.setdefault("CC", "gcc")
    whole = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="cinstr-certain.") as folder:
        for name, program in PROGRAMS.items():
            if sys.argv[1:] and not any(fnmatch.fnmatch(name, glob) for glob in sys.argv[1:]):
                continue
            waits = long_waits(folder, *program)
            whole.update(waits)
            if waits:
                print(f"{name:24} {waits.total():7,} waits, {100 * waits[True] / waits.total():5.1f} % certain", flush=True)
    print(f"{'all':24} {whole.total():7,} waits, {100 * whole[True] / max(whole.total(), 1):5.1f} % certain")


if __name__ == "__main__":
    main()
