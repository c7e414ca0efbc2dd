# SPDX-License-Identifier: GPL-3.0-or-later
"""Tail calls in each format that has a place for them: their number is known, as the program makes
them."""
import json

import callgrind
import collapsed
import firefox
import golden
import lab
import parquet
import perfetto
import pprof
import sqlite

PROGRAM = """
static volatile unsigned sink;
__attribute__((noipa)) static void leaf(unsigned n) { while (n--) sink += n; }
__attribute__((noipa)) static void leaves(void) { leaf(300); leaf(400); }
int main(void)
{
	for (int i = 0; i < 10; i++)
		leaves();
	for (int i = 0; i < 5; i++)
		leaf(100);
	return 0;
}
"""
JUMPS, CALLS = 10, 25


def recorded(bench, **env):
    program = bench.compile(bench.write("jumps.c", PROGRAM), "jumps", "-O2", "-fplugin-arg-cinstr-small=0")
    bench.run(program, env={"CINSTR_DATA": bench.path("data"), **env}, status=0)
    return bench.path("data")


@lab.test("tail calls/numbers of call paths")
def numbers(bench):
    session = recorded(bench)
    lab.equal(collapsed.read(golden.export(bench, "collapsed", session, "--measure=jumps")), [(["main", "leaves", "leaf"], JUMPS)], "collapsed")
    samples, types = pprof.raw(bench, golden.export(bench, "pprof", session))
    of_type = {measure: pprof.by_leaf(samples, types.index(measure))["leaf"] for measure in ("calls", "jumps")}
    lab.equal(of_type, {"calls": CALLS, "jumps": JUMPS}, "pprof")
    path = golden.export(bench, "callgrind", session)
    lab.equal(callgrind.exclusive(bench, path, ["jumps"])["jumps"].get("leaf"), JUMPS, "callgrind_annotate")
    lab.equal(callgrind.calls(bench, path)["leaf"], CALLS, "callgrind's calls")
    sql = """SELECT sum(p.calls) AS calls, sum(p.tail_calls) AS jumps FROM path p JOIN function f ON f.id = p.function
             WHERE f.name = 'leaf'"""
    lab.equal(sqlite.query(sqlite.database(bench, session, "app.db"), sql), [{"calls": str(CALLS), "jumps": str(JUMPS)}], "sqlite")
    (rows,) = parquet.ask(parquet.exported(bench, session), parquet.OF_NAMES)
    lab.equal([(name, n) for name, n in parquet.sums(rows, "tail_calls").items() if n], [("leaf", JUMPS)], "parquet")
    profile = firefox.Profile(firefox.sound(golden.export(bench, "firefox", session)))
    (thread,) = profile.threads
    jumped = {profile.name(stack) for stack, _ in profile.pieces(thread) if firefox_kind(profile, stack) == "Tail call"}
    lab.equal(jumped, {"leaf"}, "firefox")


def firefox_kind(profile, stack):
    """The subcategory of the innermost frame."""
    frames = profile.shared["frameTable"]
    frame = profile.shared["stackTable"]["frame"][stack]
    return profile.categories[frames["category"][frame]]["subcategories"][frames["subcategory"][frame]]


@lab.test("tail calls/single calls of a timeline")
def single(bench):
    session = recorded(bench, CINSTR_TIMELINE="unlimited")
    with open(golden.export(bench, "chrome", session), encoding="utf-8") as file:
        begins = [event for event in json.load(file)["traceEvents"] if event["ph"] == "B"]
    lab.equal([event["name"] for event in begins if event["cat"] == "jumps,tail-call"], ["leaf"] * JUMPS, "chrome")
    lab.equal(sum(event["name"] == "leaf" for event in begins), CALLS, "chrome's calls")
    notes, names = {}, []
    for packet in perfetto.decode(golden.export(bench, "perfetto", session)):
        for data in packet.get("interned_data", []):
            notes.update({note["iid"][0]: note["name"][0] for note in data.get("debug_annotation_names", [])})
        for event in packet.get("track_event", []):
            names += [notes[note["name_iid"][0]] for note in event.get("debug_annotations", []) if note.get("bool_value") == ["true"]]
    lab.equal(names, ["tail_call"] * JUMPS, "perfetto")
    sql = "SELECT f.name, sum(c.tail_call) AS jumps, count(*) AS calls FROM call c JOIN function f ON f.id = c.function GROUP BY f.id HAVING jumps"
    lab.equal(sqlite.query(sqlite.database(bench, session, "app.db"), sql), [{"name": "leaf", "jumps": str(JUMPS), "calls": str(CALLS)}], "sqlite")
    profile = firefox.Profile(firefox.sound(golden.export(bench, "firefox", session)))
    jumped = {profile.name(stack) for stack, _ in profile.pieces(profile.threads[0]) if stack is not None and firefox_kind(profile, stack) == "Tail call"}
    lab.equal(jumped, {"leaf"}, "firefox")
