# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's own counts (R19) and tags (R20): programs/user_values.c says how many of which, and
each number is exact, in all modes of recording."""
import signal

import lab

# function: rows counted in it and what it called, alone
ROWS = {"parse": (150, 150), "skip": (5, 5), "load": (150, 0), "handle": (5, 0), "worker": (50, 0), "main": (105, 0)}
BATCHES = {"parse": (15, 15), "load": (15, 0), "skip": (0, 0), "main": (10, 0)}
NAP_NS = 30_000_000


def compiled(bench, *options, **more):
    return bench.compile("programs/user_values.c", "user_values", "-O2", "-g", "-pthread", lab.INCLUDE, *options, **more)


def recorded(bench, program, how, **env):
    bench.run("rm", "-rf", bench.path("cinstr.data"), status=0)
    return bench.run(program, how, status=-signal.SIGKILL if how == "kill" else 0, env=env)


def counts(bench, name, session="cinstr.data"):
    rows = bench.json("report", f"--count={name}", session)["rows"]
    return {row["name"]: (row["count_inclusive"], row["count_exclusive"]) for row in rows}


def same_counts(bench, title, times=1, session="cinstr.data"):
    for name, truth in ("rows", ROWS), ("batches", BATCHES):
        found = counts(bench, name, session)
        lab.equal(sum(row[1] for row in found.values()), times * (155 if name == "rows" else 15), f"{title}: all {name}")
        for function, numbers in truth.items():
            lab.equal(found[function][0], times * numbers[0], f"{title}: {name} of {function}")
            lab.equal(found[function][1], times * numbers[1], f"{title}: {name} of {function} alone")


def tags(bench, session="cinstr.data"):
    return {(fact["tag"], None if fact["is_others"] else int(fact["value"])): fact
            for fact in bench.json("report", "--by=tag", session)["tags"]}


def same_tags(bench, title, times=1, session="cinstr.data"):
    found = tags(bench, session)
    expected = {("request", i): times for i in [*range(10), -77]} | {("tenant", 5): times}
    # the thread that hands its tags over has them, too
    expected |= {("request", -77): 2 * times, ("tenant", 5): 2 * times}
    lab.equal({key: fact["times"] for key, fact in found.items() if key != ("request", 1000)}, expected, f"{title}: times")
    for key in ("request", 3), ("request", -77), ("tenant", 5):
        fact = found[key]
        lab.check(NAP_NS * times <= fact["waiting_ns"] <= fact["elapsed_ns"], f"{title}: {key} waits: {fact}")
        lab.equal(fact["waited_in"], "nanosleep", f"{title}: {key} waited in")
    lab.equal(found["request", 3]["function"], "handle", f"{title}: where")
    lab.equal(found["request", 3]["path"], "main;all;handle", f"{title}: path")
    lab.equal(found["request", 4]["waiting_ns"], 0, f"{title}: waiting of what does not wait")
    return found


@lab.test("user values/in all modes")
def modes(bench):
    program = compiled(bench)
    for limit in ("10", "unlimited", "0"):
        recorded(bench, program, "end", CINSTR_MAX_OVERHEAD=limit)
        # functions that are only counted have no path of their own
        if limit == "unlimited":
            same_counts(bench, f"limit {limit}")
            same_tags(bench, f"limit {limit}")
        else:
            lab.equal(sum(row[1] for row in counts(bench, "rows").values()), 155, f"limit {limit}: rows")
            lab.equal(sum(fact["times"] for fact in tags(bench).values()), 14, f"limit {limit}: tags")


@lab.test("user values/after fork, exec, and kill -9")
def endings(bench):
    program = compiled(bench)
    for how in "fork", "exec":
        recorded(bench, program, how, CINSTR_MAX_OVERHEAD="unlimited")
        same_counts(bench, how, 2)
        same_tags(bench, how, 2)
    recorded(bench, program, "kill", CINSTR_MAX_OVERHEAD="unlimited")
    same_counts(bench, "kill")
    open_one = same_tags(bench, "kill")["request", 1000]
    lab.equal((open_one["is_open"], open_one["times"]), (1, 1), "the tag that it died in")
    lab.check(open_one["waiting_ns"] >= NAP_NS, f"and its time: {open_one}")


@lab.test("user values/beyond the budget of paths")
def few_paths(bench):
    recorded(bench, compiled(bench), "end", CINSTR_MAX_OVERHEAD="unlimited", CINSTR_PATHS="1")
    lab.equal(sum(row[1] for row in counts(bench, "rows").values()), 155, "rows")
    lab.equal(sum(fact["times"] for fact in tags(bench).values()), 14, "tags")


@lab.test("user values/by call path, and time for one")
def by_path(bench):
    recorded(bench, compiled(bench), "end", CINSTR_MAX_OVERHEAD="unlimited")
    rows = bench.json("tree", "--count=rows", "--min-percent=0")["rows"]
    lab.equal(sorted(row["count_inclusive"] for row in rows if row["name"] == "parse"), [50, 100], "two paths to parse")
    row = {row["name"]: row for row in bench.json("report", "--count=rows")["rows"]}["load"]
    lab.check(abs(row["ns_per_count"] - row["elapsed_inclusive_ns"] / 150) < 0.01, f"time for one: {row}")
    words = bench.cinstr("report", "--view=counts")
    lab.check("Names: rows, batches; --count=NAME chooses." in " ".join(bench.cinstr(
        "report", "--view=counts", "--verbose").split()), f"names: {words}")


def added_up(sessions):
    """The tags of several sessions, added up as cinstr merge is to do it: of several that are as
    long the longest is the first contributor's, which is not told here."""
    sums = {}
    for found in sessions:
        for key, fact in found.items():
            to = sums.setdefault(key, {name: 0 for name in ("times", "elapsed_ns", "waiting_ns", "longest_ns", "is_open")})
            for name in "times", "elapsed_ns", "waiting_ns":
                to[name] += fact[name]
            to["is_open"] |= fact["is_open"]
            if fact["longest_ns"] > to["longest_ns"]:
                to |= {name: fact[name] for name in ("longest_ns", "path", "function", "waited_in")}
    return sums


def same_sums(found, expected, title):
    """Equal, but for how merged files and sums of decimals round."""
    lab.equal(set(found), set(expected), f"{title}: tags")
    for key, truth in expected.items():
        fact = found[key]
        for name in "times", "is_open", "path", "function", "waited_in":
            lab.equal(fact[name], truth[name], f"{title}: {name} of {key}")
        for name in "elapsed_ns", "waiting_ns", "longest_ns":
            lab.check(abs(fact[name] - truth[name]) <= 3, f"{title}: {name} of {key}: {fact[name]}, not {truth[name]}")


@lab.test("user values/merged sessions keep counts and tags")
def merged(bench):
    program = compiled(bench)
    parts = []
    for i, how in enumerate(("end", "fork", "kill")):
        recorded(bench, program, how, CINSTR_MAX_OVERHEAD="unlimited")
        parts.append(bench.path(f"part{i}"))
        bench.run("mv", bench.path("cinstr.data"), parts[i], status=0)
    bench.cinstr("merge", "-o", bench.path("once"), *parts)
    same_counts(bench, "merged", 4, "once")
    lab.equal(same_tags(bench, "merged", 4, "once")["request", 1000]["is_open"], 1, "one had not ended")
    same_sums(tags(bench, "once"), added_up(tags(bench, part) for part in parts), "merged")
    bench.cinstr("merge", "-o", bench.path("two"), *parts[1:])
    bench.cinstr("merge", "-o", bench.path("in steps"), bench.path("two"), parts[0])
    bench.run("cmp", bench.path("once"), bench.path("in steps"), status=0)


@lab.test("user values/merged tags of functions that are only counted, of phases, and beyond the budget of paths")
def merged_modes(bench):
    program = compiled(bench)
    for env in {}, {"CINSTR_MAX_OVERHEAD": "0"}, {"CINSTR_MAX_OVERHEAD": "unlimited", "CINSTR_PATHS": "1"}:
        recorded(bench, program, "end", **env)
        bench.cinstr("merge", "-o", bench.path("once"), bench.path("cinstr.data"))
        same_sums(tags(bench, "once"), tags(bench), str(env))


@lab.test("user values/a thread keeps the values with most time, and the sum of the others")
def many(bench):
    recorded(bench, compiled(bench), "many", CINSTR_MAX_OVERHEAD="unlimited")
    found = tags(bench)
    kept = {key[1] for key in found if key[1] is not None}
    lab.equal(len(kept), 256, "kept")
    lab.check({i for i in range(0, 1000, 10)} <= kept, "the 100 with most time are kept")
    lab.equal(sum(fact["times"] for fact in found.values()), 1000, "none is lost")
    lab.equal(found["many", None]["times"], 744, "the others")


@lab.test("user values/statuses, and nothing without a runtime")
def statuses(bench):
    run = recorded(bench, compiled(bench), "statuses")
    found = [int(line.rsplit(": ", 1)[1]) for line in run.stdout.splitlines()]
    lab.equal(found, [0, 6, 8, 8, 0, 0, 0, 0, 9, 0, 2, 2], "statuses")
    plain = compiled(bench, plugin=None)
    found = {line.rsplit(": ", 1)[1] for line in recorded(bench, plain, "statuses").stdout.splitlines()}
    lab.equal(found, {"1"}, "without a runtime")
