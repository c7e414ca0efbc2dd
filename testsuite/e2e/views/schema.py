# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr schema: what --format=json prints is as its schema says, with no key that the schema does
not know. Sessions of all kinds are asked by each verb and in each of its shapes; most sessions are
made by the unit tests' program and the same in each run. A document that was changed is refused."""
import copy
import json
import os
import subprocess

import lab

PROGRAM = r"""
__attribute__((noipa)) static long work(long n) { long s = 0; for (long i = 0; i < n; i++) s += i ^ (s >> 3); return s; }
__attribute__((noipa)) static long parse(int times) { long s = 0; for (int i = 0; i < times; i++) s += work(1000); return s; }
int main(int argc, char **argv) { (void)argv; return parse(20 + 5 * (argc > 1)) == 1; }
"""
COUNTED = "-fplugin-arg-cinstr-instructions"
KINDS = ("function", "module", "thread", "thread-name", "process", "line", "site", "address", "mark", "rank", "host", "job")

# Made by unit --make...: folder, and its files with what makes them.
MADE = {
    "random": [["--make-random", f"random/app.500{n}.cinstr", str(n)] for n in range(5)],
    "counted": [["--make-counted", f"counted/app.{5000 + n}.cinstr", str(n)] for n in (1, 2, 4, 7, 11)],
    "joined": [["--make-random-mixed", "joined", str(n)] for n in (1, 4, 11)],
    "mixed": [["--make-mixed", "mixed"]],
    "sampled": [["--make-sampled", f"sampled/app.{n}.cinstr", str(n)] for n in (1, 2, 3, 4)],
    "executed": [["--make-executed", "executed"]],
    "executed-7": [["--make-executed", "executed-7", "7"]],
    "timed": [["--make", "timed/app.4242.cinstr"]],
    "rough": [["--rough", "--make", "rough/app.4242.cinstr"]],
    "timeline": [["--make-timeline", "timeline/app.4242.cinstr"]],
    "lines": [["--make-lines", "lines/app.4242.cinstr"]],
}
TIMED = ("random", "counted", "joined", "mixed", "timed", "rough", "timeline", "lines", "merged", "all", "waits")


def need_validator():
    try:
        import jsonschema
    except ImportError:
        raise lab.Skip("jsonschema is not installed")
    return jsonschema.Draft202012Validator


def schema_of(bench, *verb):
    return json.loads(bench.cinstr("schema", *verb))


def make_sessions(bench):
    unit = os.path.join(lab.BUILD, "unit")
    if not os.path.exists(unit):
        raise lab.Skip("build/unit is not built")
    for folder, files in MADE.items():
        os.mkdir(bench.path(folder))
        for words in files:
            bench.run(unit, *words, status=0)
    bench.cinstr("merge", "-o", "merged", "random")
    bench.cinstr("merge", "-o", "all", "random", "mixed")


class Documents:
    """What verbs print: each is one of `found`: verb, how it was asked, the document."""

    def __init__(self, bench):
        self.bench, self.found = bench, []

    def add(self, *words, may_fail=False, cwd=None):
        done = self.bench.run(lab.COMMAND, *words, "--format=json", cwd=cwd) if "--" not in words else self.bench.run(
            lab.COMMAND, words[0], "--format=json", *words[1:], cwd=cwd)
        if may_fail and (done.returncode or not done.stdout):
            return
        lab.check(done.stdout.startswith(("{", "[")), f"{' '.join(words)}: {done.returncode}: {done.stderr[-500:]}")
        self.found.append((words[0], " ".join(map(str, words)), json.loads(done.stdout)))


READS = """
#include <fcntl.h>
#include <unistd.h>
#include "cinstr.h"
int main(void)
{
    char bytes[16];
    int file = open("/dev/zero", O_RDONLY);
    cinstr_tag("request", 1);
    cinstr_count("bytes", 16);
    return read(file, bytes, 16) != 16;
}
"""


def of_made_sessions(docs, sessions):
    for session in sessions:
        for by in KINDS:
            docs.add("report", f"--by={by}", session, may_fail=True)
        for words in (["report"], ["report", "--columns=name,calls"], ["report", "--by=module", "--functions"], ["tree"], ["callers", "*"],
                      ["callers", "--sites", "*"], ["summary"], ["summary", "--findings"], ["summary", "--advice"], ["info"], ["info", "--marks"],
                      ["ranks"], ["suggest"], ["timeline"], ["timeline", "--columns=+start"], ["waits"], ["waits", "--graph"],
                      ["waits", "--critical-path"], ["files"], ["annotate"], ["annotate", "*"], ["report", "--histogram"],
                      ["diff", session], ["diff", "--by=line", session], ["diff", "--by=path", session], ["diff", "--relative", session],
                      ["diff", "--by=site", session], ["diff", "--by=address", session], ["diff", "--per=process", session], ["diff", "--column=calls", session],
                      ["diff", "sampled"], ["diff", "timed"]):
            docs.add(*words, session, may_fail=True)
        docs.add("diff", session, session, "--", session, session, may_fail=True)
        docs.add("diff", "--columns=verdict,name", session, session, may_fail=True)


def of_instructions(docs):
    for by in ("function", "module", "thread", "line"):
        docs.add("report", "--measure=instructions", f"--by={by}", "executed")
    for words in (["tree"], ["callers", "*"], ["annotate"], ["annotate", "loop"], ["ranks"]):
        docs.add(words[0], "--measure=instructions", *words[1:], "executed", may_fail=True)
    for by in ("function", "module"):
        docs.add("diff", "--measure=instructions", f"--by={by}", "executed", "executed-7")
    docs.add("diff", "--measure=instructions", "executed", "executed-7", "--", "executed-7")


def of_recorded_sessions(docs):
    """Of a program with locks and a timeline, one that hangs, one that was sampled; histories and
    comparisons."""
    bench = docs.bench
    program = bench.compile("programs/objects.c", "objects", "-O2", "-g", "-pthread")
    for session in ("waits", "again"):
        bench.run(program, status=0, env={"CINSTR_DATA": bench.path(session), "CINSTR_TIMELINE": "unlimited"})
    hang = bench.compile("programs/hang.c", "hang", "-O2", "-g", "-pthread")
    bench.run(hang, "two", "kill", status=-9, env={"CINSTR_DATA": bench.path("hung")})
    of_made_sessions(docs, ["waits", "hung"])
    docs.add("diff", "waits", "again")
    reads = bench.compile(bench.write("reads.c", READS), "reader", "-O2", lab.INCLUDE)
    bench.run(reads, status=0, env={"CINSTR_DATA": bench.path("reads"), "CINSTR_HELD": "on"})
    docs.add("files", "reads")
    docs.add("report", "--view=io", "reads")
    docs.add("report", "--view=held", "reads")
    docs.add("report", "--view=counts", "reads")
    docs.add("report", "--by=tag", "reads")

    bench.write("work.c", PROGRAM)
    work = bench.compile(bench.path("work.c"), "work", "-O2", COUNTED)
    plain = bench.compile(bench.path("work.c"), "plain", "-O2", plugin=None)
    bench.cinstr("record", "--sample", "--sample-source=timers", "-o", "taken", "--", plain)
    of_made_sessions(docs, ["taken"])
    for _ in range(7):
        bench.cinstr("history", "add", "history", "waits")
    for _ in range(2):
        bench.run(work, status=0, env={"CINSTR_DATA": bench.path("less")})
        bench.cinstr("history", "add", "exact", "less")
    bench.run(work, "more", status=0, env={"CINSTR_DATA": bench.path("more")})
    docs.add("annotate", "--measure=instructions", "work", "more")
    docs.add("report", "more")
    bench.cinstr("history", "add", "exact", "more")
    bench.cinstr("history", "add", "--label=x", "--commit=abc", "exact", "more")
    for words in (["list", "history"], ["trend", "history"], ["trend", "history", "*"], ["trend", "exact"], ["trend", "exact", "parse"]):
        docs.add("history", *words)
    for options in ([], ["--measure=calls"], ["--fail-over=1"]):
        for other in ([work], [work, "more"]):
            docs.add("compare", "--runs=2", "--output=out", *options, "--", work, "--", *other)


def of_bisect(docs):
    bench = docs.bench
    os.mkdir(bench.path("commits"))

    def git(*args):
        subprocess.run(["git", "-c", "user.email=a@b.c", "-c", "user.name=A B", *args], cwd=bench.path("commits"), check=True, capture_output=True)

    git("init", "-q", ".")
    for i in range(4):
        bench.write("commits/work.c", f"/* {i} */" + PROGRAM.replace("1000", str(1000 + 10 * (i > 1))).replace("20 +", f"{20 + (i > 1)} +"))
        git("add", "-A")
        git("commit", "-q", "-m", f"Step {i}")
    for flags in ([], [COUNTED]):
        docs.add("bisect", "HEAD~3", "HEAD", "--", *lab.CC, "-O2", f"-fplugin={lab.PLUGIN}", *flags, "work.c", "-o", "work", "--", "./work",
                 cwd=bench.path("commits"))


def of_control(docs):
    bench = docs.bench
    program = bench.compile(bench.write("waiter.c", "#include <stdio.h>\nint main(void) { puts(\"begins\"); fflush(stdout); return getchar() == 'x'; }\n"),
                            "waiter", "-O2")
    waiter = bench.start(program, stdin=subprocess.PIPE, env={"CINSTR_DATA": bench.path("live")})
    waiter.stdout.readline()
    docs.add("control", "live", "status")
    docs.add("report", "live")
    docs.add("info", "live")
    waiter.stdin.close()
    lab.equal(waiter.wait(lab.TIMEOUT), 0, "exit status")
    docs.add("control", "live", "status")


# ---- tests ---------------------------------------------------------------------------------------

# Members that may be missing, and that none of these sessions has: where probes cost much,
# bisecting by time, phases, what is kept of a timeline, a sampled program that runs, counters
# of the processor, which few virtual machines have.
NOT_SEEN = {
    "row": {f"{which}_counted{what}" for which in ("inclusive", "exclusive") for what in ("", "_percent", "_per_call")},
    "changes_session": {f"total_{what}" for what in ("a", "b", "change", "interval_low", "interval_high")},
    "recording": {"computing_low_ns", "computing_high_ns", "computing_with_probes_ns"},
    "step": {"time_ns"},
    "process": {"phases", "phases_left_out", "phases_missed"},
    "timeline_part": {"kept_ns"},
    "controlled": {"samples", "lost_samples"},
}


class Checker:
    """Validates documents, and notes which objects and members of the schema they have."""

    def __init__(self, bench, *verb, schema=None):
        validator = need_validator()
        import jsonschema
        self.schema = schema or schema_of(bench, *verb)
        validator.check_schema(self.schema)
        self.objects = self.schema["$defs"]
        self.seen = {}
        plain = validator.VALIDATORS["$ref"]

        def reference(one, ref, instance, schema):
            errors = list(plain(one, ref, instance, schema))
            if not errors:
                self.seen.setdefault(ref.rsplit("/", 1)[1], set()).update(instance if isinstance(instance, dict) else ())
            return errors

        self.validator = jsonschema.validators.extend(validator, {"$ref": reference})(self.schema)

        roots = [one for name, one in self.objects.items() if name in verb] if verb else []
        for root in [one for root in roots for one in root.get("anyOf", ())]:
            roots.append(self.objects[root["$ref"].rsplit("/", 1)[1]])
        # those that each outermost object needs that may have it
        self.needed = {key for root in roots for key in root.get("required", ())
                       if all(key in other["required"] for other in roots if key in other.get("properties", ()))}

    def problem(self, document):
        from jsonschema.exceptions import best_match
        error = best_match(self.validator.iter_errors(document))
        return error and f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"


def changed(document, needed):
    """The document with one thing changed, in turn: a key too many, a value of another kind, one
    of the needed members less in the outermost object."""
    found = []

    def walk(value, way):
        if isinstance(value, dict):
            found.append((way, None))
        for key, one in value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ():
            if not isinstance(one, (dict, list)):
                found.append((way, key))
            walk(one, [*way, key])

    walk(document, [])
    for way, key in found:
        copied = copy.deepcopy(document)
        place = copied
        for step in way:
            place = place[step]
        if key is None:
            place["unexpected"] = 1
        else:
            place[key] = [1]
        yield f"{way} {key}", copied
    for key in needed & set(document if isinstance(document, dict) else ()):
        yield f"without {key}", {name: one for name, one in document.items() if name != key}


@lab.test("schema/every verb")
def every_verb(bench):
    need_validator()
    lab.need("git")
    make_sessions(bench)
    docs = Documents(bench)
    of_made_sessions(docs, [*MADE, "merged", "all"])
    of_instructions(docs)
    of_recorded_sessions(docs)
    of_bisect(docs)
    of_control(docs)
    whole = schema_of(bench)
    checkers = {verb["$ref"].rsplit("/", 1)[1]: None for verb in whole["anyOf"]}
    lab.equal({verb for verb, _, _ in docs.found}, set(checkers), "verbs with a schema, and those that were asked")
    for verb in checkers:
        checkers[verb] = Checker(bench, verb)
        lab.check(all(whole["$defs"][name] == one for name, one in checkers[verb].objects.items()), f"{verb}: another schema than in that of all")
    smallest = {}
    for verb, how, document in docs.found:
        problem = checkers[verb].problem(document)
        lab.check(not problem, f"cinstr {how}: {problem}")
        kind = (verb, tuple(document) if isinstance(document, dict) else "")
        if kind not in smallest or 2 < len(str(document)) < len(str(smallest[kind])):
            smallest[kind] = document
    seen = {}
    for checker in checkers.values():
        for name, members in checker.seen.items():
            seen.setdefault(name, set()).update(members)
    lab.equal(set(whole["$defs"]) - set(seen), set(), "objects that were not seen")
    missing = {name: set(whole["$defs"][name].get("properties", ())) - members for name, members in seen.items()}
    columns = set(whole["$defs"]["row"]["properties"])
    for name in ("line", "line_item"):  # have some columns only
        missing[name] -= columns
    lab.equal({name: members for name, members in missing.items() if members}, NOT_SEEN, "members that were not seen")
    for (verb, _), document in smallest.items():
        for how, broken in changed(document, checkers[verb].needed):
            lab.check(checkers[verb].problem(broken), f"{verb}: it is not noticed: {how}: {str(document)[:300]}")


@lab.test("schema/wrong verbs")
def wrong(bench):
    done = bench.run(lab.COMMAND, "schema", "record", status=2)
    lab.check("record has no --format=json; there are schemas of report, " in done.stderr, done.stderr)
    lab.check("no command 'nonsense'" in bench.run(lab.COMMAND, "schema", "nonsense", status=2).stderr, "an unknown verb")
