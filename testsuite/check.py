# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the suites' tests beside one another. Called by make.

check.py [--full | --rest | --changed] [--again N] [--write-slow] [--budget] [--jobs N] SUITE...

Each suite is a command that prints "ok NAME", "FAIL NAME: why" or "skip NAME: why" and ends with "N
passed, N failed". Those that list their tests (LISTED) are cut into pieces, which run beside those
of the others, by half as many jobs again as there are processors, since many wait; the longest
begin. Tests that compare times of the program are run last, one at a time, with nothing beside them
("quiet", lab/lab.py). A piece that prints nothing for SILENCE seconds hangs: it is killed, with the
stacks of its processes (lab/hangs.py).

--again N, of continuous integration: a test that failed is run N times more, alone, and is unsteady
instead if it passes each time. Those are named at the end, to be mended; more than UNSTEADY of them
are failures again, as is all of suites that cannot run one test (AGAIN has those that can).

What is skipped is counted in the last line. With CI=true a skip that skips.txt does not list is a
failure.

Without --full it leaves out what slow.txt lists, which is what takes long, and runs a part of the
suites in PARTS only; --rest runs what that leaves out. --write-slow makes slow.txt anew of what
this run took. --budget only says what is wrong with slow.txt, skips.txt and the number of quiet
tests, and what took too long in each of five quick runs here; for lint. --changed: only suites that
can break by what differs from commit BASE (default HEAD) in the worktree, all of their tests.
Prints what failed, how long each suite and the slowest tests took, and "N passed, N failed, N
skipped"; the last line goes to $BUILD/check/total, all lines to $BUILD/check/SUITE.log, times of
tests to $BUILD/check/times.quick and times.full, by which the pieces are cut the next time. Exit
status 0: nothing failed.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(HERE, "../build")))
LOGS = os.path.join(BUILD, "check")
SILENCE = os.environ.get("SILENCE", "1800")
LISTED = {"e2e", "sample", "build", "hosts", "stress"}
AGAIN = LISTED | {"html", "viewers"}
PARTS = {"compile", "lint"}  # of these the quick check runs a part (QUICK), --rest the other (REST)
UNSTEADY = 3  # tests, at most, of thousands
PIECE = 10  # seconds of tests, at most, in one piece
UNKNOWN = 0.2  # seconds of a test that never ran here, and that slow.txt does not list
# Seconds of suites that are one piece, roughly: only the order depends on it.
WHOLE = {"compilers": 150, "compile": 100, "faults": 140, "points": 106, "html": 140, "viewers": 100, "unit": 35, "torture": 15, "lint": 13, "format": 11}
SLOW_LIST = os.path.join(HERE, "slow.txt")
SKIP_LIST = os.path.join(HERE, "skips.txt")
QUICK = 0.3  # seconds of a test that the quick check can afford
SLOW = 2  # seconds of a test that are too many for the quick check
MOST = 120  # seconds of the quick check, on two processors
QUIET = 60  # tests that need a machine for themselves, at most
RUNS = 5  # of a test, before its time is held against it: machines are busy
# What may break by a change there; the first that matches counts.
DOCUMENTS = {"lint", "manual"}
READER = {"unit", "cli", "manual", "format", "fuzz", "lint"}
RECORDING = {"unit", "format", "e2e", "faults", "hosts", "points", "stress", "security", "lint"}
BREAKS = [("testsuite/lab/", {"e2e", "sample", "build", "hosts", "stress", "faults", "security", "points"}),
          ("testsuite/check.py", set()), ("testsuite/", None),  # None: the suite of that name
          ("doc/", DOCUMENTS), ("README.md", DOCUMENTS), ("CHANGELOG.md", set()), ("contrib/", {"build", "e2e", "lint"}),
          ("plugin/", {"compile", "compilers", "e2e", "hosts", "torture", "lint"}),
          ("runtime/sampler/", {"sample", "lint"}), ("runtime/", RECORDING | {"torture", "compilers"}),
          ("report/sampler/", {"unit", "sample", "fuzz", "lint"}), ("report/wrapper/", {"build", "unit", "lint"}),
          ("report/build/", {"build", "cli", "manual", "lint"}),
          ("report/export/", {"cli", "manual", "viewers", "fuzz", "lint"}),
          ("report/parquet/", {"cli", "viewers", "unit", "lint"}),
          ("report/push/", {"cli", "manual", "viewers", "lint"}),
          ("report/history/", {"cli", "manual", "unit", "e2e", "viewers", "lint"}),
          ("report/html/", {"html", "unit", "cli", "manual", "lint"}), ("report/serve/", {"html", "unit", "cli", "manual", "lint"}),
          ("report/mpi/", {"e2e", "lint"}),
          ("report/", READER | {"e2e", "sample", "html"})]
LAST = re.compile(r"^(\d+) passed, (\d+) failed$", re.MULTILINE)
# with why, where that is in lines of its own
FAIL = re.compile(r"^FAIL (.*(?:\n {4}.*){0,3})$", re.MULTILINE)
SKIP = re.compile(r"^skip (.*)$", re.MULTILINE)
TOOK = re.compile(r"^ok (.*?)  \((\d+\.\d) s\)$", re.MULTILINE)


class Piece:
    """Some tests of a suite, or all of it."""

    def __init__(self, suite, names=(), quiet=False, seconds=0.0):
        self.suite, self.names, self.quiet, self.seconds = suite, list(names), quiet, seconds

    def command(self):
        whole = {"unit": [os.environ.get("UNIT", os.path.join(BUILD, "unit"))],
                 "compile": ["compile/run.sh", os.path.join(BUILD, "cinstr.so")],
                 "cli": ["cli/run.sh", os.path.join(BUILD, "cinstr")]}
        command = whole.get(self.suite, [f"{self.suite}/run.sh"])
        return command + (["--exact", *self.names] if self.names else [])

    def run(self):
        """(its output, passed, failed, seconds)"""
        begin = time.monotonic()
        process = subprocess.Popen([sys.executable, "lab/hangs.py", SILENCE, *self.command()], cwd=HERE, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace", stdin=subprocess.DEVNULL)
        text = with_times(process.stdout)
        status, seconds = process.wait(), time.monotonic() - begin
        last = LAST.findall(text)
        passed, failed = map(int, last[-1]) if last else (0, 0)
        if not last:
            text += f"FAIL {self.suite}: it did not finish (exit status {status})\n"
            failed = 1
        elif status and not failed:
            text += f"FAIL {self.suite}: exit status {status}\n"
            failed = 1
        return text, passed, failed, seconds


def with_times(lines):
    """The suite's output; a test that does not tell its own time gets what passed since the one
    before."""
    last, text = time.monotonic(), []
    for line in lines:
        if line.startswith(("ok ", "FAIL ", "skip ")):
            now = time.monotonic()
            if line.startswith("ok ") and not TOOK.match(line):
                line = f"{line.rstrip()}  ({now - last:.1f} s)\n"
            last = now
        text.append(line)
    return "".join(text)


def tests_of(suite, wanted):
    """[(name, quiet)] of a suite that lists them"""
    globs = os.environ.get("E2E", "").split() if suite == "e2e" else []
    done = subprocess.run([f"{suite}/run.sh", "--list", *globs], cwd=HERE, stdout=subprocess.PIPE, text=True, check=True)
    found = [line.split(" ", 1) for line in done.stdout.splitlines()]
    return [(name, how == "quiet") for how, name in found if wanted(suite, name)]


def times_before(how):
    """{suite and name: (the fewest seconds it took here, in how many runs)}; of quick or full
    runs"""
    try:
        with open(os.path.join(LOGS, "times." + how), encoding="utf-8") as file:
            found = [line.rstrip("\n").split(" ", 2) for line in file]
        return {name: (float(seconds), int(runs)) for seconds, runs, name in found}
    except (OSError, ValueError):
        return {}


def times_listed():
    """{suite and name: seconds}, as slow.txt has them"""
    with open(SLOW_LIST, encoding="utf-8") as file:
        found = [line.split(None, 1) for line in file.read().splitlines() if line and line[0] != "#"]
    return {name: float(seconds) for seconds, name in found}


def pieces_of(suite, wanted, times):
    """In the order of the suite: tests that share what they build are beside one another."""
    if suite not in LISTED:
        return [Piece(suite, seconds=WHOLE.get(suite, UNKNOWN))] if wanted(suite, "") else []
    pieces = []
    for name, quiet in tests_of(suite, wanted):
        seconds = times.get(f"{suite} {name}", UNKNOWN)
        if not pieces or pieces[-1].quiet != quiet or pieces[-1].seconds + seconds > PIECE:
            pieces.append(Piece(suite, quiet=quiet))
        pieces[-1].names.append(name)
        pieces[-1].seconds += seconds
    return pieces


class Score:
    """What came out so far. Pieces end in several threads."""

    def __init__(self):
        self.passed, self.failed, self.seconds, self.times = 0, 0, {}, {}
        self.failures, self.unsteady, self.skips = [], [], []  # (suite, name and why)
        self.lock = threading.Lock()

    def add(self, piece, text, passed, failed, seconds):
        text = LAST.sub("", text).strip("\n") + "\n"
        with self.lock:
            self.passed += passed
            self.failed += failed
            self.seconds[piece.suite] = self.seconds.get(piece.suite, 0) + seconds
            self.times.update({f"{piece.suite} {name}": float(took) for name, took in TOOK.findall(text)})
            self.failures += [(piece.suite, what) for what in FAIL.findall(text)]
            self.skips += [(piece.suite, what) for what in SKIP.findall(text)]
            with open(os.path.join(LOGS, piece.suite + ".log"), "a", encoding="utf-8") as file:
                file.write(text)
            shown = [line for line in text.splitlines() if os.environ.get("CI") != "true" or not line.startswith("ok ")]
            print("".join(f"{piece.suite}: {line}\n" for line in shown if line), end="", flush=True)


def run_all(pieces, jobs):
    score = Score()
    beside = sorted((piece for piece in pieces if not piece.quiet), key=lambda piece: -piece.seconds)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for ending in [pool.submit(lambda piece=piece: score.add(piece, *piece.run())) for piece in beside]:
            ending.result()
    for piece in pieces:
        if piece.quiet:
            score.add(piece, *piece.run())
    return score


def run_again(score, times):
    """Sorts the unsteady out of what failed."""
    unsteady = [failure for failure in score.failures if is_unsteady(*failure, times)]
    if len(unsteady) > UNSTEADY:
        print(f"== {len(unsteady)} tests passed when they were run again: too many to be let pass")
        return
    score.unsteady, score.failures = unsteady, [failure for failure in score.failures if failure not in unsteady]
    score.failed -= len(unsteady)
    score.passed += len(unsteady)


def is_unsteady(suite, what, times):
    """Whether the test that failed passes each time when it is alone."""
    if suite not in AGAIN:
        return False
    names = [name for name, _ in tests_of(suite, lambda *_: True) if what.startswith(name + ": ")]
    if not names:
        return False
    piece = Piece(suite, [max(names, key=len)])
    for number in range(1, times + 1):
        text, passed, failed, _ = piece.run()
        print(f"== again, {number} of {times}: {'passed' if passed and not failed else 'failed'}: {suite} {piece.names[0]}", flush=True)
        if failed or not passed:
            print(text, end="", flush=True)
            return False
    return True


def expected_skips():
    """Lines of skips.txt, "SUITE NAME: REASON"."""
    with open(SKIP_LIST, encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and line[0] != "#"]


def refuse_skips(score):
    """Makes a failure of each skip that nobody expects."""
    patterns = [re.compile(re.escape(line).replace(r"\*", ".*")) for line in expected_skips()]
    for suite, what in score.skips:
        if not any(pattern.fullmatch(f"{suite} {what}") for pattern in patterns):
            score.failures.append((suite, f"{what} (skipped, and not listed in testsuite/skips.txt)"))
            score.failed += 1


def keep_times(score, how):
    times = times_before(how)
    for name, seconds in score.times.items():
        least, runs = times.get(name, (seconds, 0))
        times[name] = min(seconds, least), runs + 1
    with open(os.path.join(LOGS, "times." + how), "w", encoding="utf-8") as file:
        file.writelines(f"{seconds} {runs} {name}\n" for name, (seconds, runs) in sorted(times.items()))


def summary(score, began, is_quick):
    print("== seconds: " + ", ".join(f"{suite} {seconds:.0f}" for suite, seconds in sorted(score.seconds.items())))
    slowest = sorted(score.times.items(), key=lambda item: -item[1])[:5]
    print("== slowest: " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in slowest))
    if is_quick:
        for name, seconds in slowest:
            if seconds > SLOW:
                print(f"warning: {name}: {seconds:.1f} s, more than {SLOW} in the quick check: testsuite/slow.txt")
    if score.failures:
        print("== what failed")
        print("".join(f"FAIL {suite}: {what}\n" for suite, what in score.failures), end="")
    if score.unsteady:
        print("== unsteady: failed, and passed alone each time")
        print("".join(f"UNSTEADY {suite}: {what}\n" for suite, what in score.unsteady), end="")
    print(f"== {time.monotonic() - began:.0f} s")
    last = f"{score.passed} passed, {score.failed} failed, {len(score.skips)} skipped"
    with open(os.path.join(LOGS, "total"), "w", encoding="utf-8") as file:
        file.write(last + "\n")
    print(last)


def changed_files():
    base = os.environ.get("BASE", "HEAD")
    git = ["git", "-C", HERE]
    names = subprocess.run(git + ["diff", "--name-only", base], stdout=subprocess.PIPE, text=True, check=True).stdout
    new = subprocess.run(git + ["ls-files", "--others", "--exclude-standard", "--full-name", ".."], stdout=subprocess.PIPE,
                         text=True, check=True).stdout
    return (names + new).split()


def breaks(path, suites):
    """Of the suites, those that a change of the file can break: all, if nobody knows."""
    for prefix, broken in BREAKS:
        if path.startswith(prefix):
            return {path.split("/")[1]} & set(suites) if broken is None else broken & set(suites)
    return set(suites)


def quick_tests():
    """All but what slow.txt lists."""
    with open(SLOW_LIST, encoding="utf-8") as file:
        slow = {tuple(line.split(None, 2)[1:]) for line in file.read().splitlines() if line and line[0] != "#"}
    return lambda suite, name: ((suite, name) if name else (suite,)) not in slow


def rest_tests():
    """What the quick check leaves out."""
    quick = quick_tests()
    return lambda suite, name: suite in PARTS or not quick(suite, name)


def write_slow(score):
    """Of the suites that list their tests; the rest stays as it is."""
    with open(SLOW_LIST, encoding="utf-8") as file:
        kept = [line for line in file.read().splitlines() if not line or line[0] == "#" or len(line.split(None, 2)) < 3]
    slow = [(name, seconds) for name, seconds in score.times.items() if seconds > QUICK and name.split(" ", 1)[0] in LISTED]
    with open(SLOW_LIST, "w", encoding="utf-8") as file:
        file.write("\n".join(kept + [f"{seconds:5.1f} {name}" for name, seconds in sorted(slow)]) + "\n")


def budget(suites):
    """What is wrong with slow.txt and with the quick check's time, a line each. A test is slow that
    was so in RUNS runs here."""
    with open(SLOW_LIST, encoding="utf-8") as file:
        listed = [line.split(None, 2)[1:] for line in file.read().splitlines() if line and line[0] != "#"]
    tests = {suite: tests_of(suite, lambda *_: True) for suite in LISTED}
    known = {suite: {name for name, _ in found} for suite, found in tests.items()}
    wrong = [f"testsuite/slow.txt: {suite} has no test {name!r}" for suite, *names in listed for name in names
             if name not in known.get(suite, set())]
    wrong += [f"testsuite/skips.txt: {line}: for whatever reason" for line in expected_skips()
              if line.split(": ", 1)[-1] == "*"]
    wrong += [f"testsuite/slow.txt: no suite {suite}" for suite, *names in listed if not names and suite not in suites]
    quiet = sum(is_quiet for found in tests.values() for _, is_quiet in found)
    if quiet > QUIET:
        wrong.append(f"{quiet} tests are quiet, more than {QUIET}")
    wanted, total = quick_tests(), 0
    for test, (seconds, runs) in times_before("quick").items():
        suite, name = test.split(" ", 1)
        if runs < RUNS or not wanted(suite, name if suite in LISTED else ""):
            continue
        total += seconds
        if seconds > SLOW:
            wrong.append(f"{test} takes {seconds:.1f} s: more than {SLOW} are too many for the quick check (testsuite/slow.txt)")
    if total > MOST * 2:
        wrong.append(f"the quick check takes {total / 2:.0f} s on two processors, more than {MOST}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--rest", action="store_true", help="what is left out without --full")
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--again", type=int, default=0, metavar="N")
    parser.add_argument("--write-slow", action="store_true")
    parser.add_argument("--budget", action="store_true", help="only say what is wrong with slow.txt and with times here")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)) * 3 // 2)
    parser.add_argument("suites", nargs="+")
    options = parser.parse_args()
    if options.budget:
        print("".join(line + "\n" for line in budget(options.suites)), end="")
        return 0
    if options.changed:
        broken = set().union(*(breaks(path, options.suites) for path in changed_files()))
        options.suites = [suite for suite in options.suites if suite in broken]
        options.full = True
        print("== " + (" ".join(options.suites) or "nothing that a test looks at has changed"))
    began = time.monotonic()
    before = {**times_listed(), **{name: took[0] for how in ("quick", "full") for name, took in times_before(how).items()}}
    os.makedirs(LOGS, exist_ok=True)
    for suite in options.suites:
        open(os.path.join(LOGS, suite + ".log"), "w").close()
    for name in "MAKEFLAGS", "MFLAGS", "MAKELEVEL":  # a make in a test is not part of ours
        os.environ.pop(name, None)
    os.environ.update(PYTHONDONTWRITEBYTECODE="1", PYTHONUNBUFFERED="1")
    is_quick = not (options.full or options.rest)
    if not options.full:
        os.environ["QUICK" if is_quick else "REST"] = "1"
    wanted = (lambda suite, name: True) if options.full else rest_tests() if options.rest else quick_tests()
    pieces = [piece for suite in options.suites for piece in pieces_of(suite, wanted, before)]
    score = run_all(pieces, options.jobs)
    if options.again:
        run_again(score, options.again)
    if os.environ.get("CI") == "true":
        refuse_skips(score)
    keep_times(score, "quick" if is_quick else "full")
    if options.write_slow:
        write_slow(score)
    summary(score, began, is_quick)
    return 1 if score.failed else 0


if __name__ == "__main__":
    sys.exit(main())
