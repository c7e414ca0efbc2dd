# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings as SARIF 2.1.0: they are those of json, each with its rule and its place, and what the
published schema asks of these parts of the format holds."""
import json
import os
import re
import urllib.parse

import lab

# what the schema has of an object: the names that there may be, the first ones needed
OBJECTS = {
    "log": (2, "version runs $schema"),
    "run": (1, "tool results originalUriBaseIds"),
    "driver": (1, "name version rules"),
    "rule": (1, "id shortDescription fullDescription help"),
    "result": (1, "message ruleId ruleIndex level rank locations properties"),
    "physicalLocation": (1, "artifactLocation region"),
    "artifactLocation": (1, "uri uriBaseId"),
    "region": (1, "startLine"),
}


def has(value, kind):
    needed, names = OBJECTS[kind]
    names = names.split()
    lab.check(set(names[:needed]) <= set(value) <= set(names), f"{kind} has {sorted(value)}")
    return value


def message(value):
    lab.check(set(value) == {"text"} and value["text"].strip(), f"a message: {value}")
    return value["text"]


def sound(text):
    """The only run, which is sound."""
    log = has(json.loads(text), "log")
    lab.equal((log["version"], len(log["runs"])), ("2.1.0", 1), "version, runs")
    run = has(log["runs"][0], "run")
    lab.equal(set(run["tool"]), {"driver"}, "the tool")
    rules = [has(rule, "rule") for rule in has(run["tool"]["driver"], "driver")["rules"]]
    lab.equal(len({rule["id"] for rule in rules}), len(rules), "each rule is there once")
    for rule in rules:
        for name in "shortDescription", "fullDescription", "help":
            message(rule[name])
    for result in run["results"]:
        has(result, "result")
        message(result["message"])
        lab.equal(rules[result["ruleIndex"]]["id"], result["ruleId"], "the rule's number")
        lab.check(result["level"] in ("none", "note", "warning", "error") and 0 <= result["rank"] <= 100, f"{result}")
        for location in result["locations"]:
            place = has(location["physicalLocation"], "physicalLocation")
            uri = has(place["artifactLocation"], "artifactLocation")["uri"]
            lab.check(re.fullmatch(r"[!-~]+", uri), f"a URI: {uri!r}")
            if "region" in place:
                lab.check(has(place["region"], "region")["startLine"] >= 1, "lines begin with 1")
    lab.equal({result["ruleId"] for result in run["results"]}, {rule["id"] for rule in rules}, "rules that have results")
    return run


def path_of(run, location):
    """The file, and the line or None."""
    place = location["physicalLocation"]
    artifact = place["artifactLocation"]
    base = run["originalUriBaseIds"][artifact["uriBaseId"]]["uri"] if "uriBaseId" in artifact else ""
    return urllib.parse.unquote(urllib.parse.urlsplit(base + artifact["uri"]).path), place.get("region", {}).get("startLine")


def compare(bench, session, cwd):
    run = sound(bench.run(lab.COMMAND, "summary", "--format=sarif", session, cwd=cwd, status=0).stdout)
    told = bench.json("summary", "--findings", session)["findings"]
    lab.equal([result["ruleId"] for result in run["results"]], [one["id"] for one in told], "which findings")
    for result, one in zip(run["results"], told):
        lab.check(one["text"] in result["message"]["text"] and (one["inlined"] or one["subject"] or "") in result["message"]["text"], f"{result} says {one}")
        lab.equal(result["properties"]["percent"], one["percent"], "percent")
        lab.equal(result["level"], "warning" if one["percent"] >= 10 else "note", "level")
        places = [path_of(run, location) for location in result["locations"]]
        lab.equal(places, [(one["file"], one["line"])] if one["file"] else [], "the place")
        explained = bench.cinstr("summary", f"--explain={one['id']}")
        help_text = next(rule["help"]["text"] for rule in run["tool"]["driver"]["rules"] if rule["id"] == one["id"])
        lab.equal(help_text.split(), explained.split(), "the help is what --explain says")
    return run


@lab.test("findings/SARIF")
def sarif(bench):
    os.mkdir(bench.path("a folder, 100%"))
    os.rename(bench.write("one.c", PROGRAM), bench.path("a folder, 100%/one.c"))
    program = bench.compile(bench.path("a folder, 100%/one.c"), "one", "-O1", "-pthread")
    bench.run(program, status=0, env={"CINSTR_DATA": bench.path("one.data")})
    for cwd in bench.folder, "/usr":
        run = compare(bench, bench.path("one.data"), cwd)
        lab.check(run["results"], "there is a finding")
    uris = {location["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"] for location in result["locations"]}
    lab.check(any(uri.startswith("file:///") and uri.endswith("/a%20folder%2C%20100%25/one.c") for uri in uris), f"{uris}")
    bench.run(bench.compile(bench.write("none.c", "int main(void) { return 0; }"), "none"), status=0, env={"CINSTR_DATA": bench.path("none.data")})
    lab.equal(compare(bench, bench.path("none.data"), bench.folder)["results"], [], "nothing to find")
    for options, said in (("--advice", "shows none"), ("--format=sarif,json", "does not take")):
        done = bench.run(lab.COMMAND, "summary", "--format=sarif", options, bench.path("one.data"), status=2)
        lab.check(said in done.stderr and not done.stdout, done.stderr)


PROGRAM = """
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noipa)) static void put(int n)
{
	pthread_mutex_lock(&lock);
	usleep(2000 + n);
	pthread_mutex_unlock(&lock);
}
static void *thread(void *arg)
{
	for (int i = 0; i < 40; i++)
		put(i);
	return arg;
}
int main(void)
{
	pthread_t ids[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&ids[i], 0, thread, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(ids[i], 0);
	return 0;
}
"""
