# SPDX-License-Identifier: GPL-3.0-or-later
"""pprof files, read by go tool pprof, and field by field by protoc."""
import gzip
import re

import golden
import lab

MEASURES = ["elapsed", "application", "waiting", "calls", "switches"]
UNITS = {"ns": 1}


def pprof(bench, *options, status=0):
    golden.need("go")
    done = bench.run("go", "tool", "pprof", *options, env={"HOME": bench.folder, "PPROF_TMPDIR": bench.folder}, status=status)
    for line in done.stderr.splitlines():
        lab.check(not re.search(r"error|malformed|invalid|warning|fetching", line, re.I), f"pprof says: {line}")
    return done.stdout


def raw(bench, path):
    """[(values, labels, [(function, line)] innermost first)], [types]"""
    text = pprof(bench, "-raw", path).splitlines()
    types = [word.split("/")[0] for word in text[text.index("Samples:") + 1].replace("[dflt]", "").split()]
    first, behind = text.index("Samples:") + 2, text.index("Locations")
    places, samples = {}, []
    for line in text[behind + 1:text.index("Mappings")]:
        found = re.match(r"^ *(\d+): 0x0(?: M=\d+)? (.*) (\S*):(\d+):\d+ s=(\d+)(?:\(.*\))?$", line) or \
            re.match(r"^ *(\d+): 0x0(?: M=\d+)? (.*) (\S*):(\d+) s=(\d+)(?:\(.*\))?$", line)
        if found:
            places[int(found.group(1))] = (found.group(2), int(found.group(4)))
        else:
            lab.check(re.match(r"^ {5,}", line), f"a location: {line!r}")
    for line in text[first:behind]:
        sample = re.match(r"^ *([-\d ]+): ([\d ]+)$", line)
        label = re.match(r"^ +(\w+):\[(.*?)\](?: (.*))?$", line)
        if sample:
            samples.append(([int(value) for value in sample.group(1).split()], {},
                            [places[int(place)] for place in sample.group(2).split()]))
        else:
            lab.check(label, f"a sample: {line!r}")
            samples[-1][1].update(re.findall(r"(\w+):\[(.*?)\](?= \w+:\[|$)", line.strip()))
    return samples, types


def by_leaf(samples, number):
    sums = {}
    for values, _, stack in samples:
        sums[stack[0][0]] = sums.get(stack[0][0], 0) + values[number]
    return sums


def tops(bench, path, *options):
    """{function: flat} of -top, of -sample_index=..., in ns or numbers"""
    sums = {}
    for line in pprof(bench, "-top", "-unit=ns", "-nodecount=100000", "-nodefraction=0", "-edgefraction=0", *options, path).splitlines():
        found = re.match(r"^ *(-?[\d.]+)(ns)? +[-\d.e]+% +[-\d.e]+% +(-?[\d.]+)(?:ns)? +[-\d.e]+%  (.*?)(?: \(inline\))?$", line)
        if found and float(found.group(1)):
            sums[found.group(4)] = int(float(found.group(1)))
    return sums


@lab.test("pprof/go tool pprof says what csv says")
def values(bench):
    session = golden.record(bench)
    rows = golden.csv_rows(bench, session)
    path = golden.export(bench, "pprof", session)
    samples, types = raw(bench, path)
    lab.equal(sorted(types), sorted(MEASURES + ["cpu", "jumps", "preempted"]), "what a sample has")
    for measure in MEASURES:
        golden.same_values(by_leaf(samples, types.index(measure)), rows, measure, "pprof -raw")
        golden.same_values(tops(bench, path, f"-sample_index={measure}"), rows, measure, "pprof -top")
    names = {row["name"] for row in rows}
    lab.check(any(golden.HOSTILE in name for name in names), "the odd name")
    lab.equal(len({(tuple(sorted(labels.items())), tuple(stack)) for _, labels, stack in samples}), len(samples), "each path is there once")


@lab.test("pprof/threads and phases")
def labels(bench):
    session = golden.record(bench)
    path = golden.export(bench, "pprof", session)
    samples, types = raw(bench, path)
    calls = types.index("calls")
    found = {}
    for values_, labels_, _ in samples:
        key = labels_["thread"], labels_["phase"]
        found[key] = found.get(key, 0) + values_[calls]
    for row in golden.csv_rows(bench, session, "--by=mark"):
        lab.equal(sum(n for (_, phase), n in found.items() if phase == row["name"].replace('"', "'")), int(row["calls"]), f"calls in phase {row['name']}")
    for row in golden.csv_rows(bench, session, "--by=thread"):
        name = row["name"].replace('"', "'")
        lab.equal(sum(n for (thread, _), n in found.items() if thread == name), int(row["calls"]), f"calls of thread {name}")
    tags = pprof(bench, "-tags", "-sample_index=calls", path)
    for word in "process", "thread", "phase", "work;er '1'", "two", "end":
        lab.check(word in tags, f"{word} is not in -tags: {tags}")
    only = tops(bench, path, "-sample_index=calls", "-tagfocus=thread=two")
    lab.equal(sum(only.values()), sum(n for (thread, _), n in found.items() if thread == "two"), "-tagfocus")
    for option in "-traces", "-peek=fib", "-tree", "-list=fib":
        text = pprof(bench, option, "-sample_index=calls", path)
        lab.check("fib" in text, f"{option}: {text[:300]}")


@lab.test("pprof/what changed")
def difference(bench):
    one = golden.record(bench)
    bench.run(bench.path("golden"), env={"CINSTR_DATA": bench.path("two")}, status=0)
    paths = [golden.export(bench, "pprof", session, output=name) for session, name in ((one, "a.pb.gz"), (bench.path("two"), "b.pb.gz"))]
    changed = tops(bench, paths[1], f"-diff_base={paths[0]}", "-sample_index=elapsed")
    sides = [golden.of_csv(golden.csv_rows(bench, session), "elapsed") for session in (one, bench.path("two"))]
    for name in "main", "fib(unsigned int)", "usleep":
        lab.equal(changed.get(name, 0), sides[1].get(name, 0) - sides[0].get(name, 0), f"change of {name}")


@lab.test("pprof/protoc reads each field")
def fields(bench):
    golden.need("protoc")
    session = golden.record(bench)
    path = golden.export(bench, "pprof", session)
    with open(bench.path("plain"), "wb") as file:
        file.write(gzip.open(path).read())
    with open(bench.path("plain"), "rb") as file:
        text = bench.run("protoc", "--decode_raw", stdin=file, status=0).stdout
    lab.check(re.search(r"^6: \"\"$", text, re.M), "the first string is empty")
    ids = re.findall(r'"([0-9a-f]{40})"', text)
    built = bench.run("readelf", "-n", bench.path("golden"), status=0).stdout
    build = re.search(r"Build ID: ([0-9a-f]+)", built)
    if build:
        lab.check(build.group(1) in ids, f"the build-id: {ids}")


@lab.test("pprof/inlined functions, lines")
def inlined(bench):
    session = golden.record(bench, ["-fplugin-arg-cinstr-lines"], {"CINSTR_PROBES": "lines"})
    path = golden.export(bench, "pprof", session)
    text = pprof(bench, "-raw", path)
    lab.check(re.search(r" inlined\(int\) ", text), "the inlined function is a frame of its own")
    samples, types = raw(bench, path)
    rows = golden.csv_rows(bench, session)
    total = sum(int(row["elapsed_exclusive_ns"]) for row in rows)
    lab.equal(sum(values_[types.index("elapsed")] for values_, _, stack in samples if not stack[0][0].startswith("[")), total,
              "all of the time")


@lab.test("pprof/the page Source")
def source(bench):
    """It shows lines although the program is there, which it could disassemble."""
    path = golden.export(bench, "pprof", golden.record(bench))
    page = bench.path("source.html")
    pprof(bench, "-weblist=^fib", "-sample_index=calls", f"-output={page}", path)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    calls = tops(bench, path, "-sample_index=calls")["fib(unsigned int)"]
    lab.check(re.search(rf"Total: +{calls} +\d+ \(flat, cum\)", text), f"calls of fib: {calls}: {text[-3000:]}")
    lab.check("return n &lt; 2 ? n" in text, "its line")


@lab.test("pprof/lines of a header")
def of_header(bench):
    """Calls from one are at the function's first line, not at that number in its own file."""
    bench.write("through.h", "\n" * 40 + "static inline __attribute__((always_inline)) void through(void (*f)(void))\n{\n\tf();\n}\n")
    bench.write("calls.c", '#include "through.h"\n__attribute__((noipa)) static void f(void) { for (volatile int i = 0; i < 99999; i++) { } }\n'
                           "__attribute__((noipa)) static void g(void)\n{\n\tthrough(f);\n\tf();\n\tf();\n}\n"
                           "int main(void)\n{\n\tg();\n\treturn 0;\n}\n")
    for flags, env, expected in (([], {}, [["g calls.c:3"], ["g calls.c:6"], ["g calls.c:7"]]),
                                 (["-fplugin-arg-cinstr-lines"], {"CINSTR_PROBES": "lines"},
                                  [["g calls.c:6"], ["g calls.c:7"], ["through through.h:43 (inline)", "g calls.c:5"]])):
        session = bench.path("data" + str(len(flags)))
        bench.run(bench.compile(bench.path("calls.c"), "calls", "-O2", *flags), env={"CINSTR_DATA": session, **env}, status=0)
        text = pprof(bench, "-traces", "-lines", "-sample_index=calls", golden.export(bench, "pprof", session)).replace(bench.path(""), "")
        callers = [re.findall(r"^ +(\S.*)$", found, re.M) for found in re.findall(r"^ +1   f calls.c:2\n(.*?)^ +main ", text, re.M | re.S)]
        lab.equal(sorted(callers), expected, f"callers of f, {flags}")


@lab.test("pprof/names that are cut within a letter, or have quotes")
def odd_names(bench):
    """Graphviz takes the graph, and protoc the strings, which must be UTF-8."""
    golden.need("dot", "protoc")
    path = golden.export(bench, "pprof", golden.odd_names(bench))
    svg = pprof(bench, "-svg", "-nodefraction=0", "-edgefraction=0", path)
    lab.check("a &#39;quoted&#39; n" in svg and "say &#39;hi&#39;" in svg, "labels in the picture")
    with gzip.open(path) as packed, open(bench.path("plain"), "wb") as file:
        file.write(packed.read())
    bench.write("strings.proto", 'syntax = "proto3"; message Profile { repeated string string_table = 6; }')
    with open(bench.path("plain"), "rb") as file:
        text = bench.run("protoc", "--decode=Profile", "strings.proto", cwd=bench.folder, stdin=file, status=0).stdout
    lab.check(r'"abcdefghijklmn\\xc3"' in text, f"the cut name: {text}")
