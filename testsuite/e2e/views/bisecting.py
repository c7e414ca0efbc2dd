# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr bisect: the first commit that makes more calls, or executes more instructions. Both are
exact, so nothing here depends on time."""
import json
import re
import subprocess

import lab

PROGRAM = r"""/* %d */
__attribute__((noipa)) static long work(long n) { long s = 0; for (long i = 0; i < n; i++) s += i ^ (s >> 3); return s; }
__attribute__((noipa)) static long parse(int times) { long s = 0; for (int i = 0; i < times; i++) s += work(%d); return s; }
int main(void) { return parse(%d) == 1; }
"""
COMMITS = 12
BROKEN, LONGER, MORE = 6, 8, 10  # commits: does not compile; first one with longer, with more calls
COUNTED = "-fplugin-arg-cinstr-instructions"


def git(bench, *args):
    done = subprocess.run(["git", "-c", "user.email=a@b.c", "-c", "user.name=A B", *args], cwd=bench.path("tree"), check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout.strip()


def make_tree(bench):
    """The commits, the first one first. The program is in a folder of its own."""
    bench.run("mkdir", "-p", bench.path("tree/part"), status=0)
    git(bench, "init", "-q", ".")
    for i in range(COMMITS):
        text = PROGRAM % (i, 1010 if i >= LONGER else 1000, 21 if i >= MORE else 20)
        bench.write("tree/part/work.c", text + ("#error broken\n" if i == BROKEN else ""))
        git(bench, "add", "-A")
        git(bench, "commit", "-q", "-m", f"Step {i}")
    return git(bench, "rev-list", "--reverse", "HEAD").split()


def bisect(bench, *args, status=0, folder="tree/part"):
    return bench.run(lab.COMMAND, "bisect", *args, status=status, cwd=bench.path(folder))


def how(*flags):
    return ["--", *lab.CC, "-O2", f"-fplugin={lab.PLUGIN}", *flags, "work.c", "-o", "work", "--", "./work"]


@lab.test("bisect/calls and instructions")
def both(bench):
    commits = make_tree(bench)
    done = bisect(bench, commits[0], commits[-1], *how())
    lab.check(re.match(rf"First bad commit: {commits[MORE]}\n    A B, \d{{4}}-\d\d-\d\d: Step {MORE}\n", done.stdout), done.stdout)
    lab.check("\n      +5.0 %  20 to 21                      work  work.c:2\n" in done.stdout, done.stdout)
    lab.check(f"A             {commits[MORE - 1][:7]}" in done.stdout, done.stdout)
    lab.check(f"cinstr: {commits[0][:12]} good, 22 calls: Step 0\ncinstr: {commits[-1][:12]} bad, 23 calls: Step 11\n" in done.stderr, done.stderr)
    found = json.loads(bisect(bench, "--format=json", commits[0], commits[MORE - 1], *how(COUNTED)).stdout)
    lab.equal((found["first_bad"], found["decides"]), (commits[LONGER], "instructions"), "what instructions say")
    steps = {commits.index(step["commit"]): step["verdict"] for step in found["steps"]}
    lab.equal(steps.get(BROKEN, "skip"), "skip", f"the commit that cannot be built: {steps}")
    lab.check(all((verdict == "bad") == (at >= LONGER) for at, verdict in steps.items() if verdict != "skip"), f"{steps}")
    found = json.loads(bisect(bench, "--format=json", "--function=parse", commits[0], commits[-1], *how(COUNTED)).stdout)
    lab.equal(found["first_bad"], commits[MORE], "of one function")
    lab.equal(git(bench, "worktree", "list").count("\n"), 0, "worktrees that are left")
    lab.equal(git(bench, "rev-parse", "HEAD"), commits[-1], "what is checked out")


@lab.test("bisect/a commit that cannot be built")
def broken(bench):
    """It is between the two that are left, so git has to ask for it."""
    commits = make_tree(bench)
    found = json.loads(bisect(bench, "--format=json", "--measure=instructions", commits[BROKEN - 1], commits[LONGER], *how(COUNTED)).stdout)
    lab.equal(found["first_bad"], commits[LONGER], "the first bad one")
    done = bisect(bench, "--measure=calls", commits[BROKEN - 1], commits[BROKEN], *how(), status=1)
    lab.check(f"bisect: {commits[BROKEN][:12]} cannot be built" in done.stderr, done.stderr)


@lab.test("bisect/what goes wrong")
def wrong(bench):
    commits = make_tree(bench)
    for text, args, status in (
            ("does not do more than", ("--measure=calls", commits[0], commits[3], *how()), 1),
            ("git knows no commit 'v9'", (commits[0], "v9", *how()), 1),
            ("the runs have no function 'none'", ("--measure=calls", "--function=none", commits[0], commits[-1], *how()), 1),
            ("run 1 of " + commits[0][:12] + " ended with status 1", (commits[0], commits[-1], *how()[:-1], "false"), 1),
            ("from where to where", (commits[0], commits[-1], "--", "make"), 2),
            ("--runs=101", ("--runs=101", commits[0], commits[-1], *how()), 2)):
        done = bisect(bench, *args, status=status)
        lab.check(text in done.stderr and not done.stdout, f"{args}: {done.stderr}")
    lab.equal(git(bench, "worktree", "list").count("\n"), 0, "worktrees that are left")
    bench.run("mkdir", bench.path("none"), status=0)
    done = bench.run(lab.COMMAND, "bisect", "a", "b", *how(), status=1, cwd=bench.path("none"), env={"GIT_CEILING_DIRECTORIES": bench.folder})
    lab.check("not a git repository" in done.stderr, done.stderr)
