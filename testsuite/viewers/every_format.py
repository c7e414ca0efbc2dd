# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions of other kinds than one run of one process, through all formats of call paths: a merged
one, and one in which calls were counted and sampled. Functions have csv's values in each viewer."""
import csv
import io

import collapsed
import firefox
import golden
import lab
import mixed
import parquet
import pprof
import speedscope
import sqlite

MEASURES = ["elapsed", "waiting", "application", "calls", "switches"]


def by_measure(read, measure):
    """{function: its own value}, of all profiles of the measure, estimates or not."""
    profiles = [profile for profile in read["profiles"] if profile["name"].partition(": ")[2].partition(",")[0] == measure]
    return speedscope.by_name({**read, "profiles": profiles}, "")


def in_every_format(bench, session):
    rows, _ = mixed.compare(bench, session, MEASURES)
    mixed.boxes_are_csvs(bench, session, rows)
    for by in "thread-name", "all":
        path = golden.export(bench, "speedscope", session, f"--by={by}", "--measure=" + ",".join(MEASURES))
        read = speedscope.check_schema(path)
        for measure in MEASURES:
            golden.same_values(by_measure(read, measure), rows, measure, f"speedscope --by={by}")
        for measure in "elapsed", "calls":
            profile = firefox.Profile(firefox.sound(golden.export(bench, "firefox", session, f"--by={by}", f"--measure={measure}")))
            golden.same_values(profile.sums(), rows, measure, f"firefox --by={by}")
    parquet.same_as_csv(bench, session, parquet.exported(bench, session), "parquet")


@lab.test("every format/a merged session")
def merged(bench):
    one = golden.record(bench)
    bench.run(bench.path("golden"), env={"CINSTR_DATA": bench.path("two")}, status=0)
    bench.cinstr("merge", "-o", bench.path("both.cinstr"), one, bench.path("two"))
    in_every_format(bench, bench.path("both.cinstr"))


@lab.test("every format/a mixed session")
def counted_and_sampled(bench):
    in_every_format(bench, mixed.mixed(bench))


@lab.test("every format/time outside any function, with marks")
def outside(bench):
    """Formats with phases have as much of it as those without."""
    session, name = golden.record(bench), "[outside any function]"
    expected = collapsed.by_leaf(collapsed.read(golden.export(bench, "collapsed", session)))[name]
    samples, types = pprof.raw(bench, golden.export(bench, "pprof", session))
    sql = f"SELECT sum(p.elapsed_ns) AS ns FROM path p JOIN function f ON f.id = p.function WHERE f.name = '{name}'"
    (rows,) = parquet.ask(parquet.exported(bench, session), parquet.OF_NAMES)
    lab.equal({"pprof": pprof.by_leaf(samples, types.index("elapsed"))[name],
               "sqlite": int(sqlite.query(sqlite.database(bench, session, "app.db"), sql)[0]["ns"]),
               "parquet": parquet.sums(rows, "elapsed_ns")[name]}, dict.fromkeys(("pprof", "sqlite", "parquet"), expected), "ns")


@lab.test("every format/executed instructions, in the place of time")
def instructions(bench):
    session = golden.record(bench, flags=["-fplugin-arg-cinstr-instructions"])
    rows = csv.DictReader(io.StringIO(bench.cinstr("report", "--measure=instructions", "--names=full", "--format=csv", session)))
    expected = {row["name"]: int(row["instructions"]) for row in rows if int(row["instructions"] or 0)}
    lab.check(sum(expected.values()) > 10000, f"{expected}")
    samples, types = pprof.raw(bench, golden.export(bench, "pprof", session, "--measure=instructions", "--names=full"))
    read = speedscope.check_schema(golden.export(bench, "speedscope", session, "--measure=instructions", "--names=full"))
    profile = firefox.Profile(firefox.sound(golden.export(bench, "firefox", session, "--measure=instructions", "--names=full")))
    found = {"pprof": pprof.by_leaf(samples, types.index("instructions")),
             "collapsed": collapsed.by_leaf(collapsed.read(golden.export(bench, "collapsed", session, "--measure=instructions", "--names=full"))),
             "speedscope": by_measure(read, "instructions"), "firefox": profile.sums()}
    for name, sums in found.items():
        # a semicolon stands between the names of a path
        own = {function.replace(";", ":"): value for function, value in sums.items() if value}
        lab.equal(own, {function.replace(";", ":"): value for function, value in expected.items()}, name)
