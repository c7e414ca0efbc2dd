# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr history of executed instructions: they are kept as the report has them, compared exactly,
and those functions that vary by themselves, and other compilers, are told apart."""
import csv
import io
import json
import os
import shutil

import lab

OPTION = "-fplugin-arg-cinstr-instructions"
PROGRAM = "programs/history.c"


class Runs:
    """A history, and programs whose runs are added to it."""

    def __init__(self, bench):
        self.bench, self.store = bench, bench.path("store")

    def build(self, name, *flags):
        os.makedirs(self.bench.path(name), exist_ok=True)
        return self.bench.compile(PROGRAM, name + "/program", "-O1", "-g", OPTION, "-fplugin-arg-cinstr-small=12", *flags)

    def add(self, program, *args, times=1):
        for _ in range(times):
            session = self.bench.path("session")
            shutil.rmtree(session, ignore_errors=True)
            self.bench.run(program, *map(str, args), env={"CINSTR_DATA": session}, status=0)
            self.history("add", self.store, session)

    def history(self, *arguments, status=0):
        done = self.bench.run(lab.COMMAND, "history", *arguments)
        lab.equal(done.returncode, status, f"history {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done

    def trend(self, *arguments, status=0):
        """What has changed: function, run, and in percent."""
        done = self.history("trend", self.store, "--format=json", "--fail-within=1", *arguments, status=status)
        found = json.loads(done.stdout)
        lab.equal(found["session"]["measure"], "instructions", "the measure")
        return {(row["function"], row["run"]): row for row in found["changes"]}, done.stderr


@lab.test("history/instructions: those of the report")
def kept(bench):
    runs = Runs(bench)
    program = runs.build("a")
    runs.add(program, times=2)
    text = bench.cinstr("report", "--measure=instructions", "--format=csv", bench.path("session"))
    expected = {row["name"]: row["instructions"] for row in csv.DictReader(io.StringIO(text))}
    lab.equal(sorted(expected), ["fixed", "main", "planted", "seeded", "tiny"], "functions of the report")
    for name, instructions in [*expected.items(), ("[[]all functions]", str(sum(map(int, expected.values()))))]:
        text = runs.history("trend", runs.store, name, "--format=csv").stdout
        lab.equal([row["value"] for row in csv.DictReader(io.StringIO(text))], [instructions] * 2, name)
    lab.check("Nothing has changed" in runs.history("trend", runs.store).stdout, "two equal runs")
    lab.check(int(json.loads(runs.history("list", runs.store, "--format=json").stdout)["runs"][0]["functions"]) >= 4, "functions")


@lab.test("history/instructions: a hundredth more is named, by the next run")
def a_hundredth(bench):
    runs = Runs(bench)
    runs.add(runs.build("a"), times=2)
    runs.add(runs.build("same", "-DOTHER"))
    lab.equal(runs.trend()[0], {}, "another build of the same")
    runs.add(runs.build("b", "-DWORK=1010"))
    found, said = runs.trend(status=1)
    lab.equal(list(found), [("planted", 4)], "what has changed")
    row = found["planted", 4]
    lab.check(0.9 < row["change_percent"] <= 1 and row["chance"] == 0, f"planted: {row}")
    lab.equal(row["after"] - row["before"], 10 * round(row["before"] / 1000), "ten rounds more")
    lab.check("planted: +1.0 % since run 4" in said and "[all" not in said, said)
    lab.check("exact" in runs.history("trend", runs.store, "--width=200").stdout, "the table's chance")
    runs.trend("--min-percent=2")
    fresh = runs.build("c", "-DWORK=990", "-DFRESH")
    runs.add(fresh)
    found, said = runs.trend(status=1)
    lab.equal(sorted(found), [("[all functions]", 5), ("planted", 4), ("planted", 5)], "less, and one that is new")
    lab.check("[all functions]: +" in said and "planted" not in said and "fresh" not in said, said)
    runs.add(fresh)
    row = runs.trend("--fail-within=2", status=1)[0]["fresh", 5]
    lab.check(row["before"] == 0 and row["after"] > 1500 and row["change_percent"] is None, f"what is new: {row}")


@lab.test("history/instructions: what varies by itself is left to statistics")
def varies(bench):
    runs = Runs(bench)
    program = runs.build("a")
    for n in 1000, 1100:
        runs.add(program, n)
    runs.add(runs.build("b", "-DOTHER"), 1200)
    lab.equal(runs.trend()[0], {}, "a function that has varied")
    text = runs.history("trend", runs.store, "--width=200").stdout
    lab.check("Left to statistics, from 6 runs on: 2 functions that vary between runs of one build." in text, text)
    runs.add(runs.build("c", "-DWORK=1010"), 1300)
    lab.equal(list(runs.trend(status=1)[0]), [("planted", 4)], "one that has not varied")
    (row,) = json.loads(runs.history("trend", runs.store, "seeded", "--format=json").stdout)["runs"][-1:]
    lab.equal(row["chance"], None, "too few runs")
    text = runs.history("trend", runs.store, "--width=200").stdout
    lab.check("3 functions over 4 runs: its own executed instructions, exactly" in text, text)
    for n in (1050, 1150, 1250, 1000, 1100) + (2000, 2100, 2050, 2200, 2150, 2250, 2300, 2001):
        runs.add(program, n)
    found = runs.trend("--fail-within=9", status=1)[0]
    lab.check(("seeded", 10) in found and 0 < found["seeded", 10]["chance"] < 0.01, f"found of it by ranks: {list(found)}")


@lab.test("history/instructions: single runs of builds tell nothing of what varies")
def singles(bench):
    runs = Runs(bench)
    for n in range(3):
        runs.add(runs.build(f"a{n}", f"-DWORK={1000 + 100 * n}"))
    text = runs.history("trend", runs.store, "--fail-within=1", "--width=200").stdout
    lab.check("no function was seen in 6 runs, or in two of one build" in text, text)


@lab.test("history/instructions: other options are left out, and said")
def others(bench):
    runs = Runs(bench)
    for build, flags in ("a", ()), ("b", ("-O0",)):
        runs.add(runs.build(build, *flags), times=2)
    found, said = runs.trend()
    lab.equal(found, {}, "what has changed since the options have")
    lab.check("executed instructions of 2 runs are left out, as another compiler or other options have made program (run 2 by "
              in said and "--any-build" in said, said)
    lab.check(json.loads(bench.run(lab.COMMAND, "history", "trend", runs.store, "--any-build", "--format=json").stdout)["changes"], "--any-build")
    runs.add(runs.build("d"), times=1)  # as the first two
    lab.equal(list(runs.trend()[0]), [], "a change of options and back")


@lab.test("history/instructions: a run without them is not compared")
def without(bench):
    runs = Runs(bench)
    runs.add(runs.build("a"), times=2)
    plain = bench.compile(PROGRAM, "a/program", "-O1", "-g")
    runs.add(plain)
    text = runs.history("trend", runs.store, "--last=2", "--width=200").stdout
    lab.check("Nothing can be said" in text and "one build" not in text, "elapsed time, if the last run has no instructions: " + text)
    runs.history("trend", runs.store, "--measure=instructions", "planted")
    text = runs.history("trend", runs.store, "--measure=instructions", "planted", "--format=csv").stdout
    lab.equal([row["run"] for row in csv.DictReader(io.StringIO(text))], ["1", "2"], "runs that have them")
