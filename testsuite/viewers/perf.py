# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples as perf script prints them: read by the patterns of its three readers, which are
stackcollapse-perf.pl, speedscope and Firefox Profiler: they understand the same of it, and that is
csv's; and by speedscope's own app."""
import os
import re

import golden
import lab
import speedscope

PROGRAM = r"""
#include <pthread.h>
#include <time.h>
#define NOIPA __attribute__((noipa))
static volatile unsigned sink;
static double used() { timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec / 1e9; }
extern "C" NOIPA void hostile(unsigned n) __asm__("\"HOSTILE\"");
NOIPA void hostile(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }
namespace { struct shape { NOIPA void draw(unsigned n); }; NOIPA void shape::draw(unsigned n) { for (unsigned i = 0; i < n; i++) sink -= i; } }
static inline __attribute__((always_inline)) void inlined(unsigned n) { hostile(n); for (unsigned i = 0; i < n; i++) sink ^= i; }
NOIPA static void work(double seconds) { shape s; for (double end = used() + seconds; used() < end;) { s.draw(20000); inlined(20000); } }
NOIPA static void *thread(void *name) { pthread_setname_np(pthread_self(), (const char *)name); work(0.15); return nullptr; }
int main()
{
	pthread_t ids[2];
	pthread_create(&ids[0], nullptr, thread, (void *)"work 12 (3):");
	pthread_create(&ids[1], nullptr, thread, (void *)"x");
	for (pthread_t id : ids)
		pthread_join(id, nullptr);
	return 0;
}
""".replace("HOSTILE", golden.HOSTILE)

HEADER_STACKCOLLAPSE = re.compile(r"^(\S.+?)\s+(\d+)/*(\d+)*\s+")
EVENT_STACKCOLLAPSE = re.compile(r":\s*(\d+)*\s+(\S+):\s*$")
FRAME = re.compile(r"^\s*(\w+)\s*(.+) \((\S*)\)")
FRAME_FIREFOX = re.compile(r"^\s*(\w+)\s*(.+) \(([^)]*)\)")
HEADER_FIREFOX = re.compile(r"^\S.*?\s+(?:\d+/)?\d+\s+(?:\[\d+\]\s+)?[\d.]+:")
TIME_FIREFOX = re.compile(r"^(.*)\s+([\d.]+):")
THREAD_FIREFOX = re.compile(r"^(.*)\s+(?:(\d+)/)?(\d+)\b")
HEADER_SPEEDSCOPE = re.compile(r"^(\S.+?)\s+(\d+)(?:/?(\d+))?\s+")
TIME_SPEEDSCOPE = re.compile(r"\s+(\d+\.\d+):\s+")


def header(line):
    """(thread's name, pid, tid, weight, event, time), as each reader finds them."""
    lab.check(HEADER_FIREFOX.match(line), f"Firefox does not know it: {line}")
    one, two = (tuple(word.strip() for word in pattern.match(line).groups()) for pattern in (HEADER_STACKCOLLAPSE, HEADER_SPEEDSCOPE))
    before, time = TIME_FIREFOX.match(line).groups()
    three = tuple(word.strip() for word in THREAD_FIREFOX.match(before).groups())
    lab.equal(one, two, f"stackcollapse and speedscope: {line}")
    lab.equal(one, three, f"stackcollapse and Firefox: {line}")
    lab.equal(time, TIME_SPEEDSCOPE.search(line).group(1), "the time")
    weight, event = EVENT_STACKCOLLAPSE.search(line).groups()
    return one[0], int(one[1]), int(one[2]), int(weight), event, float(time)


def read(path):
    """[(header, names with the innermost first)]"""
    samples = []
    with open(path, encoding="utf-8", newline="") as file:
        for block in file.read().split("\n\n"):
            if not block:
                continue
            first, *rest = block.split("\n")
            frames = []
            for line in rest:
                frame = FRAME.match(line).groups()
                lab.equal(FRAME_FIREFOX.match(line).groups(), frame, "a frame as Firefox reads it")
                name = re.sub(r"\+0x[\da-f]+$", "", frame[1])
                lab.check(not name.startswith("("), f"{name} would be a process")
                frames.append(name)
            lab.check(frames, "a sample has a stack")
            samples.append((header(first), frames))
    return samples


def record(bench):
    bench.write("sampled.cc", PROGRAM)
    bench.compile(bench.path("sampled.cc"), "sampled", "-O2", "-pthread", plugin=None)
    done = bench.run(lab.COMMAND, "record", "--sample=1ms", "-o", bench.path("samples"), bench.path("sampled"))
    if done.returncode:
        raise lab.Skip("no samples here: " + done.stderr.strip()[-100:])
    return bench.path("samples")


def functions(rows):
    """Without those that only stand for something, as same_values() leaves them out."""
    return [row for row in rows if not row["name"].startswith("[")]


def plain(name):
    return name.replace("{anonymous namespace}", "(anonymous namespace)")


@lab.test("perf/samples are csv's")
def samples(bench):
    session = record(bench)
    rows = golden.csv_rows(bench, session)
    read_samples = read(golden.export(bench, "perf", session))
    weight = {head[3] for head, _ in read_samples}
    lab.equal(len(weight), 1, "what a sample stands for")
    times = [head[5] for head, _ in read_samples]
    lab.equal(times, sorted(times), "in order of time")
    lab.equal({head[0] for head, _ in read_samples} & {"work_12 (3):", "x"}, {"work_12 (3):", "x"}, "threads")
    sums, inside = {}, {}
    for _, names in read_samples:
        sums[plain(names[0])] = sums.get(plain(names[0]), 0) + 1
        for name in {plain(name) for name in names}:
            inside[name] = inside.get(name, 0) + 1
    golden.same_values(sums, functions(rows), "samples", "perf")
    lab.equal(sum(sums.values()), sum(int(row["exclusive_samples"]) for row in rows), "all samples")
    inclusive = {row["name"]: int(row["inclusive_samples"]) for row in rows}
    for name in "work(double)", "main", golden.HOSTILE:
        lab.equal(inside.get(name, 0), inclusive.get(name, 0), f"{name}: inclusive")
    path = golden.export(bench, "perf", session, "--thread=x")
    lab.equal({head[0] for head, _ in read(path)}, {"x"}, "--thread")
    lab.equal(len(read(path)), sum(head[0] == "x" for head, _ in read_samples), "--thread")


@lab.test("perf/speedscope opens it, and its own format")
def app(bench):
    session = record(bench)
    rows = golden.csv_rows(bench, session)
    path = golden.export(bench, "speedscope", session)
    speedscope.check_schema(path)
    golden.same_values(speedscope.by_name(speedscope.opened(path, "samples"), ": samples"), functions(rows), "samples", "speedscope")
    saved = speedscope.opened(golden.export(bench, "perf", session, output="out.perf.txt"), "perf")
    # The app counts by time, so shares differ; functions and threads do not.
    leaves = {plain(name) for name, value in speedscope.by_name(saved, "").items() if value}
    lab.check({golden.HOSTILE, "inlined", "(anonymous namespace)::shape::draw(unsigned int)"} <= leaves, f"functions: {leaves}")
    lab.equal({profile["name"].partition(" pid")[0].strip() for profile in saved["profiles"]} & {"x", "work_12 (3):"}, {"x", "work_12 (3):"}, "threads")


@lab.test("perf/a session without samples")
def none(bench):
    session = golden.record(bench)
    done = bench.run(lab.COMMAND, "export", "--format=perf", session)
    lab.equal((done.returncode, done.stdout), (1, ""), "perf of calls")
    lab.check("cinstr record --sample" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr)
    sampled = record(bench)
    done = bench.run(lab.COMMAND, "export", "--format=perfetto", sampled)
    lab.equal((done.returncode, done.stdout), (1, ""), "perfetto of samples")
    lab.check("was sampled" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr)
    lab.check("; speedscope, perf and collapsed take samples" in done.stderr, f"words that --format takes: {done.stderr}")


@lab.test("perf/samples that were taken beside calls")
def beside(bench):
    unit = os.path.join(lab.BUILD, "unit")
    if not os.path.exists(unit):
        raise lab.Skip("build/unit is not built")
    os.mkdir(bench.path("joined"))
    bench.run(unit, "--make-random-mixed", "joined", "1", status=0)
    both = bench.run(lab.COMMAND, "export", "--format=perf", "--output=-", "joined", status=0).stdout
    alone = bench.run(lab.COMMAND, "export", "--format=perf", "--output=-", "joined/app.5001.sampled.cinstr", status=0).stdout
    lab.check("main" in alone and both == alone, f"{len(both)} and {len(alone)} bytes")
