# SPDX-License-Identifier: GPL-3.0-or-later
"""Times between marks, without a timeline: each phase its own tree; whatever marks it, however it
ends."""

import lab

FLAGS = ("-O1", "-pthread", lab.INCLUDE)
VALUES = ("elapsed_inclusive_ns", "elapsed_exclusive_ns")
# Of each run: threads or what else, number of marks, more arguments.
REFOLDED = {
    "threads": (("4", "6", "3"), {}),
    "storm": (("storm", "250"), {"CINSTR_PHASES": "1000"}),
    "storm, default budget": (("storm", "100"), {}),
    "storm without restartable sequences": (("storm", "60"), {"CINSTR_PHASES": "500", "CINSTR_RESTARTABLE": "off"}),
    "storm, clock of the kernel": (("storm", "60"), {"CINSTR_PHASES": "500", "CINSTR_CLOCK": "monotonic"}),
    "storm, functions only": (("storm", "100"), {"CINSTR_PHASES": "500", "CINSTR_PROBES": "functions"}),
    "storm, lines": (("storm", "100"), {"CINSTR_PHASES": "500", "CINSTR_PROBES": "lines"}),
    "asleep across marks": (("sleep", "12"), {}),
}


def compile_phases(bench, *flags):
    return bench.compile("programs/phases.c", "program", *FLAGS, *flags)


def by_mark(bench, *args):
    """Rows by mark, raw."""
    return bench.report("cinstr.data", "mark", "--raw", *args)["rows"]


def measured(rows):
    return [row for row in rows if row["elapsed_inclusive_ns"] is not None]


def whole(bench, *args):
    return bench.report("cinstr.data", "process", "--raw", *args)["rows"]


def check_sum(bench):
    """All phases together are the session: each row is rounded to a nanosecond."""
    rows, total = measured(by_mark(bench)), whole(bench)
    for value in VALUES:
        difference = sum(row[value] for row in rows) - sum(row[value] for row in total)
        lab.check(abs(difference) <= len(rows) + len(total), f"{value}: phases are {difference} ns off the session")
    lab.equal(sum(row["calls"] for row in rows), sum(row["calls"] for row in total), "calls")
    bench.sound()
    return rows


def refold(bench):
    text = bench.cinstr("refold", bench.path("cinstr.data"))
    lab.check("gives the same tree" in text, text)
    lab.check("ANOTHER" not in text and "complete" not in text, text)


def known_times(bench, threads):
    program = compile_phases(bench)
    bench.run(program, str(threads), "4", "30", status=0)
    check_sum(bench)
    rows = by_mark(bench, "--application=on-cpu")
    lab.equal([row["name"] for row in rows], ["(begin of the recording)"] + [f"phase {i}" for i in (1, 2, 3)], "marks")
    lab.equal([row["id"] for row in rows], [None, 1, 2, 3], "numbers")
    lab.equal([row["end_ns"] for row in rows[:-1]], [row["begin_ns"] for row in rows[1:]], "ends are the next begins")
    # Of processor time, measured by the threads themselves, however busy the machine is: it is 0.94
    # to 0.99 of that, as the probes' own part is not in it.
    spun = [threads * 30e6 * (i % 3 + 1) for i in range(len(rows))]
    got = [row["application_inclusive_ns"] for row in rows]
    for i, ns in enumerate(got):
        lab.check(spun[i] * 0.85 <= ns <= spun[i] * 1.02, f"phase {i}: {ns} ns on a processor, spun {spun[i]}")
    lab.equal(sum(row["calls"] for row in rows), sum(row["calls"] for row in whole(bench)), "calls")


for n in 1, 4:
    lab.TESTS.append((f"phases/known times, {n} thread{'s' * (n > 1)}", lambda bench, threads=n: known_times(bench, threads)))


def refolded(bench, args, env):
    program = compile_phases(bench, *(["-fplugin-arg-cinstr-lines"] if env.get("CINSTR_PROBES") == "lines" else []))
    bench.run(program, *args, env=dict(env, CINSTR_TIMELINE="unlimited"), status=0)
    refold(bench)
    check_sum(bench)


for name, (args, env) in REFOLDED.items():
    lab.TESTS.append((f"phases/refolded: {name}", lambda bench, args=args, env=env: refolded(bench, args, env)))


@lab.test("phases/killed at any time")
def killed(bench):
    program = compile_phases(bench)
    env, rows = {"CINSTR_PHASES": "2000", "CINSTR_TIMELINE": "unlimited"}, ()
    for ms in 2, 5, 9, 14, 20, 27, 54, 108, 216:
        if ms > 27 and len(rows) > 20:  # else the machine is busy
            break
        bench.run(program, "kill", "3000", str(ms), env=env, status=-9)
        refold(bench)
        rows = check_sum(bench)
    lab.check(len(rows) > 20, f"{len(rows)} phases only")


@lab.test("phases/a part between marks")
def part(bench):
    program = compile_phases(bench)
    bench.run(program, "3", "5", "5", status=0)
    rows = by_mark(bench)
    chosen = bench.report("cinstr.data", "function", "--raw", "--from=phase 1", "--to=phase 3")
    lab.equal(chosen["session"]["conservation_ticks_off"], 0, "conservation_ticks_off")
    work = next(row for row in chosen["rows"] if row["name"] == "work")
    lab.equal(work["calls"], 2 * 3, "calls of work in two phases of three threads")
    elapsed = whole(bench, "--from=phase 1", "--to=phase 3")[0]["elapsed_inclusive_ns"]
    difference = elapsed - rows[1]["elapsed_inclusive_ns"] - rows[2]["elapsed_inclusive_ns"]
    lab.check(abs(difference) <= 3, f"{difference} ns off the two rows")
    names = [row["name"] for row in by_mark(bench, "--from=phase 1", "--to=phase 3")]
    lab.equal(names, ["phase 1", "phase 2"], "rows")


@lab.test("phases/a part between marks, with a timeline")
def part_of_timeline(bench):
    program = compile_phases(bench)
    bench.run(program, "3", "5", "5", env={"CINSTR_TIMELINE": "unlimited"}, status=0)
    whole_rows, rows = by_mark(bench), by_mark(bench, "--from=phase 1", "--to=phase 3")
    lab.equal([row["name"] for row in rows], ["phase 1", "phase 2"], "rows")
    for row, same in zip(rows, whole_rows[1:]):
        lab.equal((row["calls"], row["elapsed_inclusive_ns"]), (same["calls"], same["elapsed_inclusive_ns"]), row["name"])


LATE_CHILD = """
#include <sys/wait.h>
#include <unistd.h>
#include "cinstr.h"
__attribute__((noinline, noclone)) void work(void)
{
	for (volatile int i = 0; i < 1000; i++)
		;
}
static void part(int n)
{
	while (n--)
		work();
}
int main(void)
{
	pid_t child = fork();

	if (!child)
		usleep(50000);
	part(5);
	cinstr_mark_text(1, "begins");
	part(20);
	cinstr_mark_text(2, "ends");
	part(5);
	return child ? waitpid(child, 0, 0) < 0 : 0;
}
"""


@lab.test("phases/from and to each process's own marks")
def own_marks(bench):
    program = bench.compile(bench.write("late.c", LATE_CHILD), "program", *FLAGS)
    for timeline in "0", "unlimited":
        bench.run(program, env={"CINSTR_TIMELINE": timeline, "CINSTR_DATA": timeline}, status=0)
        rows = bench.report(timeline, "process", "--from=begins", "--to=ends")["rows"]
        lab.equal(len(rows), 2, f"timeline {timeline}: processes")
        works = bench.report(timeline, "function", "--from=begins", "--to=ends", "--function=work")["rows"]
        lab.equal(works[0]["calls"], 2 * 20, f"timeline {timeline}: calls of work")
        after = bench.report(timeline, "function", "--from=ends", "--function=work")["rows"]
        lab.equal(after[0]["calls"], 2 * 5, f"timeline {timeline}: calls of work behind")


@lab.test("phases/budget")
def budget(bench):
    program = compile_phases(bench)
    bench.run(program, "2", "6", "1", env={"CINSTR_PHASES": "3"}, status=0)
    rows = by_mark(bench)
    lab.equal([row["calls"] is not None for row in rows], [True] * 4 + [False] * 2, "rows with values")
    lab.check(all(row["begin_ns"] is not None for row in rows), "a mark without its time")
    check_sum(bench)
    lab.check("2 more marks begin none" in bench.cinstr("info", bench.path("cinstr.data")), "what the budget left out is not told")
    bench.run(program, "2", "6", "1", env={"CINSTR_PHASES": "0"}, status=0)
    lab.equal(len(measured(check_sum(bench))), 1, "phases without a budget for any")


@lab.test("phases/beyond the budget of paths")
def paths(bench):
    program = compile_phases(bench)
    bench.run(program, "storm", "250", env={"CINSTR_PHASES": "1000", "CINSTR_PATHS": "20"}, status=0)
    check_sum(bench)
    text = bench.cinstr("info", bench.path("cinstr.data"))
    lab.check("no room for one, beyond CINSTR_PATHS" in text, text)
    bench.run(program, "flat", "1", env={"CINSTR_PATHS": "40"}, status=0)
    rows = check_sum(bench)
    lab.equal(len(rows), 17, "phases")


@lab.test("phases/many threads share records")
def many(bench):
    program = compile_phases(bench)
    bench.run(program, "many", "600", env={"CINSTR_PHASES": "1000"}, status=0)
    rows = check_sum(bench)
    lab.equal(len(rows), 601, "phases")
    lab.equal({row["id"] for row in rows[1:]}, set(range(1, 601)), "numbers")
    # From one mark to the next: 8 of recurse() behind it, 6 before it in the next thread, marker,
    # and calls of libraries.
    lab.check(all(row["calls"] >= 15 for row in rows[1:-1]), "calls are missing")
    lab.equal(bench.functions()["recurse"]["calls"], 600 * (6 + 8), "calls of recurse")


@lab.test("phases/a mark of the past begins none")
def past(bench):
    program = compile_phases(bench)
    bench.run(program, "past", "5", status=0)
    rows = by_mark(bench)
    lab.equal([row["name"] for row in measured(rows)], ["(begin of the recording)", "now"], "phases")
    lab.equal([row["name"] for row in rows if row not in measured(rows)], ["past"], "other marks")


@lab.test("phases/a mark of the plugin's")
def plugin_mark(bench):
    program = compile_phases(bench, "-fplugin-arg-cinstr-mark=top,work,work begins")
    bench.run(program, "1", "3", "2", env={"CINSTR_TIMELINE": "unlimited"}, status=0)
    refold(bench)
    rows = check_sum(bench)
    lab.equal([row["name"] for row in rows].count("work begins"), 3, "marks at work()")


@lab.test("phases/a forked child begins anew")
def forked(bench):
    program = compile_phases(bench)
    bench.run(program, "fork", "10", status=0)
    rows = check_sum(bench)
    lab.equal(len({row["pid"] for row in rows}), 2, "processes")
    parent = rows[0]["pid"]
    lab.equal([row["name"] for row in rows if row["pid"] == parent], ["(begin of the recording)", "parent"], "parent")
    lab.equal([row["name"] for row in rows if row["pid"] != parent], ["(begin of the recording)", "child"], "child")


@lab.test("phases/marks from outside")
def outside(bench):
    program = compile_phases(bench)
    process = bench.start(program, "loop", "2", stdin=-1, env={"CINSTR_TIMELINE": "unlimited"})
    process.stdout.readline()

    def has_gone_on(name):
        last = measured(by_mark(bench))[-1]
        return last["name"] == name and last["elapsed_inclusive_ns"] > 5e6

    for i in range(5):
        bench.cinstr("control", str(process.pid), "mark", f"outside {i}")
        lab.wait_for(lambda i=i: has_gone_on(f"outside {i}"), f"no time behind mark {i}")
    live = measured(by_mark(bench))
    lab.equal([row["name"] for row in live[1:]], [f"outside {i}" for i in range(5)], "marks, while it runs")
    process.communicate()
    refold(bench)
    rows = check_sum(bench)
    lab.equal([row["name"] for row in rows[1:]], [f"outside {i}" for i in range(5)], "marks")
    for row in rows[1:]:
        lab.check(row["elapsed_inclusive_ns"] > 1e6, f"nothing happened behind {row['name']}")
