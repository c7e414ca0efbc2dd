# SPDX-License-Identifier: GPL-3.0-or-later
"""make bench: what the probes cost, against the plain program and other tools.

Every round runs each variant once, in turn; a figure is the median over the rounds of its ratio to
the plain run of the same round. The slow tools have fewer rounds, and what must be almost as fast
as the plain program has three times as many. Ratios carry over between machines; times do not.
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

import defaults
import placed
import sampling
import world

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.path.join(world.BUILD, "bench")
ROUNDS = int(os.environ.get("ROUNDS", "5"))
LEAF_CALLS = 20000000
FLAGS = ["-O2"]
OPTION = "-fplugin-arg-cinstr-"
# name: (flags, with the plugin). Functions that are left out as small by default are kept where
# tools are compared.
BINARIES = {"plain": ([], False), "probed": ([OPTION + "small=0"], True), "defaults": ([], True),
            "lines": ([OPTION + "small=0", OPTION + "lines"], True),
            "pg": (["-pg"], False), "rdtsc": (["-DRDTSC"], False)}
COMPILE_TIMED = ("plain", "probed", "lines")
UFTRACE_DATA = os.path.join(WORK, "uftrace.data")
UFTRACE = ["uftrace", "record", "-b", "8M", "--no-libcall", "-d", UFTRACE_DATA]

MANY = 3 * ROUNDS
# name: (binary, environment, wrapper, tool needed, rounds, programs)
VARIANTS = {
    "plain": ("plain", {}, [], None, MANY, None),
    "2 rdtsc a call": ("rdtsc", {}, [], None, ROUNDS, ["leaf"]),
    "cinstr calls": ("probed", {}, [], None, ROUNDS, None),
    "cinstr functions": ("probed", {"CINSTR_PROBES": "functions"}, [], None, ROUNDS, None),
    "cinstr as it comes": ("defaults", {"CINSTR_METHOD": "auto"}, [], None, ROUNDS, None),
    "cinstr calls, defaults": ("defaults", {}, [], None, ROUNDS, None),
    "cinstr lines": ("lines", {"CINSTR_PROBES": "lines"}, [], None, ROUNDS, None),
    "cinstr calls, whole timeline": ("probed", {"CINSTR_TIMELINE": "unlimited"}, [], None, ROUNDS, None),
    "cinstr calls, at most 20 %": ("probed", {"CINSTR_MAX_OVERHEAD": "20"}, [], None, ROUNDS, None),
    "cinstr paused": ("probed", {"CINSTR_START": "paused"}, [], None, ROUNDS, None),
    "cinstr off": ("probed", {"CINSTR": "off"}, [], None, MANY, None),
    "cinstr off, built with lines": ("lines", {"CINSTR": "off"}, [], None, ROUNDS, None),
    "cinstr attached only": ("probed", {"CINSTR_NOT": "*"}, [], None, MANY, None),
    "uftrace record": ("pg", {}, UFTRACE, "uftrace", min(3, ROUNDS), None),
    "gprof": ("pg", {}, [], None, ROUNDS, None),
    "callgrind": ("plain", {}, ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + WORK + "/callgrind.out"],
                  "valgrind", 1, None),
}


def selected(name, default):
    return [n for n in default if n in os.environ[name].split(",")] if name in os.environ else list(default)


def bench_programs():
    programs = {name: world.Program([os.path.join(HERE, name + ".c")], [], [], []) for name in ("leaf", "fib")}
    programs.update(world.programs())
    return {name: programs[name] for name in selected("PROGRAMS", programs)}


def build(programs):
    """Compiles what is needed, sqlite several times. Returns {(program, binary): least seconds}."""
    seconds = {}
    for name, program in programs.items():
        for _ in range(3 if name == "sqlite" else 1):
            for binary, (flags, plugin) in BINARIES.items():
                if (binary == "rdtsc" and name != "leaf") or \
                   (binary not in COMPILE_TIMED and (name, binary) in seconds):
                    continue
                path = os.path.join(WORK, f"{name}-{binary}")
                took = world.compile(program, path, FLAGS + flags, plugin)
                seconds[name, binary] = min(took, seconds.get((name, binary), took))
    return seconds


def clean_up():
    for name in ("cinstr.data", "cinstr.data.old", "uftrace.data", "uftrace.data.old"):
        shutil.rmtree(os.path.join(WORK, name), ignore_errors=True)


def run_once(name, program, variant):
    binary, env, wrap, _, _, _ = VARIANTS[variant]
    clean_up()
    start = time.perf_counter()
    done = program.run(os.path.join(WORK, f"{name}-{binary}"), env=env, wrap=wrap, cwd=WORK)
    seconds = time.perf_counter() - start
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{name}, {variant}: ended with {done.returncode}: {done.stderr.decode()[-300:]}")
    return seconds


def usable(variant, name):
    _, _, _, tool, _, programs = VARIANTS[variant]
    return (not tool or shutil.which(tool)) and (not programs or name in programs)


def measure(programs):
    """{program: {variant: [seconds]}}, and the session of the last round of `cinstr calls` kept as
    NAME.data."""
    times = {name: {v: [] for v in selected("TOOLS", VARIANTS) if usable(v, name)} for name in programs}
    for name, program in programs.items():
        for r in range(MANY):
            for variant in times[name]:
                if r >= VARIANTS[variant][4]:
                    continue
                print(f"\r{name}: round {r + 1}, {variant:30}", end="", file=sys.stderr, flush=True)
                times[name][variant].append(run_once(name, program, variant))
                if variant == "cinstr calls":
                    kept = os.path.join(WORK, name + ".data")
                    shutil.rmtree(kept, ignore_errors=True)
                    shutil.move(os.path.join(WORK, "cinstr.data"), kept)
    clean_up()
    print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
    return times


def ratio(times, variant, base="plain"):
    if variant not in times:
        return None
    return statistics.median(t / b for t, b in zip(times[variant], times[base]))


def added(times, variant):
    """Median of the time added to the plain run, in seconds."""
    if variant not in times:
        return None
    return statistics.median(t - b for t, b in zip(times[variant], times["plain"]))


def number(value, form="{:.2f}"):
    return "-" if value is None else form.format(value)


def print_times(times):
    names = list(times)
    print(f"Time over plain, median of {ROUNDS} rounds (plain in seconds)")
    print(f"  {'':28}" + "".join(f"{n:>12}" for n in names) + "   ns a call (leaf)")
    for variant in VARIANTS:
        if not any(variant in times[n] for n in names):
            continue
        cells = []
        for n in names:
            if variant == "plain":
                cells.append(f"{statistics.median(times[n]['plain']):10.3f} s")
            else:
                cells.append(number(ratio(times[n], variant)) if variant in times[n] else "-")
        extra = ""
        if "leaf" in times and variant in times["leaf"] and variant != "plain":
            extra = f"{added(times['leaf'], variant) / LEAF_CALLS * 1e9:19.1f}"
        print(f"  {variant:28}" + "".join(f"{c:>12}" for c in cells) + extra)
    print()


def section_bytes(binary, *names):
    table = subprocess.run(["size", "-A", binary], capture_output=True, text=True, check=True).stdout
    sizes = {line.split()[0]: int(line.split()[1]) for line in table.splitlines() if len(line.split()) == 3 and
             line.split()[1].isdigit()}
    return sum(sizes.get(name, 0) for name in names)


def report_seconds(folder):
    best = 1e9
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([world.COMMAND, "report", "--format=csv", "-o", os.devnull, folder], check=True,
                       capture_output=True)
        best = min(best, time.perf_counter() - start)
    return best


def large_session(what, *args):
    """A session of many paths or processes (testsuite/e2e/programs/paths.c); its folder."""
    program, folder = os.path.join(WORK, "paths"), os.path.join(WORK, what + ".data")
    world.compile(world.Program([os.path.join(HERE, "../e2e/programs/paths.c")], [], ["-pthread"], []), program,
                  FLAGS + [OPTION + "small=0"], True)
    shutil.rmtree(folder, ignore_errors=True)
    clean = {k: v for k, v in os.environ.items() if not k.startswith("CINSTR")}
    subprocess.run([program, *args], cwd=WORK, check=True, capture_output=True,
                   env={**clean, "CINSTR_METHOD": "instrumentation", "CINSTR_DATA": folder, "CINSTR_PATHS": "20000000"})
    return folder


def large_targets(aim):
    """How long the command takes for large sessions, and its memory without what is mapped of the
    files."""
    for what, args in ("10 M paths in 9 threads", ("10", "6", "9")), ("1,000 processes", ("4", "3", "1", "1000")):
        folder = large_session(what.replace(" ", "-").replace(",", ""), *args)
        for verb in "report", "tree":
            seconds, megabytes = command_cost(verb, folder)
            aim(f"{what}: {verb}", seconds, 10, "s")
            aim(f"{what}: {verb}: memory", megabytes, 1000, "MB")
            if "paths" in what:
                aim(f"{what}: {verb}: M paths a second", 10 / seconds, None, "")
        shutil.rmtree(folder, ignore_errors=True)


def command_cost(verb, folder):
    """(seconds, peak of anonymous memory in MB) of one run."""
    start, peak = time.perf_counter(), 0
    with subprocess.Popen([world.COMMAND, verb, folder], stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            with open(f"/proc/{process.pid}/status") as status:
                found = re.search(r"RssAnon:\s+(\d+)", status.read())
            peak = max(peak, int(found.group(1)) / 1000 if found else 0)
            time.sleep(0.005)
    if process.returncode:
        raise RuntimeError(f"cinstr {verb} {folder}: ended with {process.returncode}")
    return time.perf_counter() - start, peak


def attach_ms(program):
    """Median of the time that the runtime says it took to attach, over runs with nothing to do."""
    took = []
    for _ in range(9):
        clean_up()
        program.run(os.path.join(WORK, "sqlite-probed"), cwd=WORK, args=[":memory:", "SELECT 1"])
        text = subprocess.run([world.COMMAND, "report", "--format=json"], capture_output=True, cwd=WORK, check=True)
        took.append(json.loads(text.stdout)["session"]["attach_ns"] / 1e6)
    clean_up()
    return statistics.median(took)


def timeline_bytes(name, program, probes):
    """Bytes that the timeline takes for an event."""
    clean_up()
    program.run(os.path.join(WORK, name + "-probed"), env={"CINSTR_TIMELINE": "unlimited", "CINSTR_PROBES": probes}, cwd=WORK)
    text = subprocess.run([world.COMMAND, "info"], capture_output=True, text=True, cwd=WORK, check=True).stdout
    clean_up()
    return float(re.search(r"\(([\d.]+) bytes an event\)", text).group(1))


def targets(programs, times, compiled):
    """(what, value, limit, unit) of the aims that can be judged with what was measured."""
    rows = []

    def aim(what, value, limit, unit="x"):
        if value is not None:
            rows.append((what, value, limit, unit))

    if "leaf" in times:
        clock = added(times["leaf"], "2 rdtsc a call")
        if clock:
            aim("leaf: added time / that of two rdtsc a call", (added(times["leaf"], "cinstr calls") or 0) / clock, 1.7)
    for name in ("lua", "sqlite"):
        if name in times and "uftrace record" in times[name]:
            for variant, limit in ("cinstr calls", 0.5), ("cinstr functions", 0.35):
                more = added(times[name], variant)  # None: it was not to be measured
                aim(f"{name}: added time, {variant} / uftrace record",
                    more and more / added(times[name], "uftrace record"), limit)
    for name in times:
        aim(f"{name}: off over plain", ratio(times[name], "cinstr off"), 1.05)
        # the others take few milliseconds: what counts there is the time to attach
        if name in ("lua", "sqlite"):
            aim(f"{name}: attached without a probe over plain", ratio(times[name], "cinstr attached only"), 1.05)
    for name in ("lua", "sqlite"):
        if name in times:
            for probes in ("calls", "functions"):
                aim(f"{name}: timeline, {probes}: bytes an event", timeline_bytes(name, programs[name], probes), 4, "B")
    if "sqlite" in times:
        plain, probed = (os.path.join(WORK, "sqlite-" + kind) for kind in ("plain", "probed"))
        lines = os.path.join(WORK, "sqlite-lines")
        aim("sqlite: text over plain", section_bytes(probed, ".text") / section_bytes(plain, ".text"), 1.25)
        aim("sqlite: text over plain, with lines", section_bytes(lines, ".text") / section_bytes(plain, ".text"), None)
        tables = section_bytes(probed, ".cinstr.note", "cinstr_str")
        aim("sqlite: tables", tables / 1e6, 0.6, "MB")
        tables = section_bytes(lines, ".cinstr.note", "cinstr_str")
        aim("sqlite: tables, with lines", tables / 1e6, None, "MB")
        aim("sqlite: compile time over plain", compiled["sqlite", "probed"] / compiled["sqlite", "plain"], 1.1)
        aim("sqlite: compile time over plain, with lines", compiled["sqlite", "lines"] / compiled["sqlite", "plain"],
            None)
    for name in times:
        folder = os.path.join(WORK, name + ".data")
        if os.path.isdir(folder):
            aim(f"{name}: report", report_seconds(folder), 0.2, "s")
            if name == "sqlite":
                aim("sqlite: attach and patch", attach_ms(programs["sqlite"]), 5, "ms")
    if "large" in os.environ.get("PROGRAMS", "large").split(","):
        large_targets(aim)
    return rows


def print_targets(rows):
    print(f"  {'Aim':52}{'measured':>12}{'at most':>12}")
    for what, value, limit, unit in rows:
        judged = f"{limit:>9.2f} {unit:2}  {'met' if value <= limit else 'MISSED'}" if limit else f"{'no aim':>12}"
        print(f"  {what:52}{value:>9.2f} {unit:2}{judged}")


def main():
    world.fetch()
    os.makedirs(WORK, exist_ok=True)
    programs = bench_programs()
    print(f"building {', '.join(programs)}", file=sys.stderr)
    compiled = build(programs)
    times = measure(programs)
    print_times(times)
    placed.main(WORK, ROUNDS)
    print_targets(targets(programs, times, compiled))
    if "PROGRAMS" not in os.environ:
        sampling.main()
        defaults.main()


if __name__ == "__main__":
    sys.exit(main())
