# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory that calls allocate (R21): programs/memory.c says how many bytes each of its functions
does, and what a function allocates by itself is exact, in all modes of recording."""
import os
import signal

import lab

TIMES = 200_000
LIMITS = "10", "unlimited", "0"
# of one run of all() and its thread: bytes and calls, with what it calls
WITH_CALLED = {"by_wrapper": (20_000, 200), "wrapped": (20_000, 200), "all": (11_846, 108), "in_thread": (10_000, 100),
               "main": (11_846, 108)}


def own(row):
    return row["allocated_own"], row["allocations_own"]


def inclusive(row):
    return row["allocated_inclusive"], row["allocations"]


def truth(times):
    """By itself, with the thread's part."""
    return {"wrapped": (20_000, 200), "all_kinds": (1_846, 8), "small": (32 * times, 2 * times),
            "copies": (12 * times, 2 * times), "all": (0, 0), "main": (0, 0)}


def whole(times):
    return 21_846 + 44 * times, 208 + 4 * times


def same_as_truth(bench, title, times, runs=1, session="cinstr.data"):
    rows = {row["name"]: row for row in bench.report(session)["rows"]}
    for name, expected in truth(times).items():
        lab.equal(own(rows[name]), tuple(runs * n for n in expected), f"{title}: {name}")
    sums = tuple(sum(column) for column in zip(*(own(row) for row in rows.values())))
    expected = tuple(runs * n for n in whole(times))
    lab.equal(sums, expected, f"{title}: all functions")
    return rows


def compiled(bench, *options):
    return bench.compile("programs/memory.c", "memory", "-O2", "-g", "-pthread", *options)


def recorded(bench, program, how, times, **env):
    status = -signal.SIGKILL if how == "kill" else 0
    bench.run("rm", "-rf", bench.path("cinstr.data"), status=0)
    bench.run(program, how, str(times), status=status, env=env)


@lab.test("memory/in all modes, by function, thread and call site")
def modes(bench):
    program = compiled(bench)
    for limit in LIMITS:
        recorded(bench, program, "end", TIMES, CINSTR_MAX_OVERHEAD=limit)
        rows = same_as_truth(bench, f"limit {limit}", TIMES)
        allocators = {name: inclusive(rows[name]) for name in ("malloc", "memalign", "calloc", "posix_memalign")}
        lab.equal(allocators, {"malloc": (20_030 + 32 * TIMES, 201 + 2 * TIMES), "memalign": (10 + 12 * TIMES, 2 + 2 * TIMES),
                               "calloc": (42, 1), "posix_memalign": (1_000, 1)}, f"limit {limit}: allocators")
        lab.equal([inclusive(row) for row in bench.report("cinstr.data", "process")["rows"]], [whole(TIMES)],
                  f"limit {limit}: the process")
        threads = sorted(inclusive(row) for row in bench.report("cinstr.data", "thread")["rows"])
        part = 22 * TIMES, 2 * TIMES
        lab.equal(threads, [(10_000 + part[0], 100 + part[1]), (11_846 + part[0], 108 + part[1])], f"limit {limit}: threads")
        sites = [inclusive(row) for row in bench.report("cinstr.data", "site")["rows"]
                 if row["callee"] in ("malloc", "memalign")]
        lab.equal(sorted(sites), sorted([(20_000, 200), (32 * TIMES, 2 * TIMES), (12 * TIMES, 2 * TIMES), (30, 1), (6, 1), (4, 1)]),
                  f"limit {limit}: call sites")


@lab.test("memory/by call path, where every call is timed; else at least")
def by_path(bench):
    program = compiled(bench)
    recorded(bench, program, "end", 1000, CINSTR_MAX_OVERHEAD="unlimited")
    rows = {row["name"]: row for row in bench.report()["rows"]}
    expected = {name: (n[0], n[1]) for name, n in WITH_CALLED.items()}
    for name in "all", "in_thread", "main":
        expected[name] = expected[name][0] + 22_000, expected[name][1] + 2000
    lab.equal({name: inclusive(rows[name]) for name in expected}, expected, "inclusive")
    lab.equal({rows[name]["allocated_bound"] for name in expected}, {"exact"}, "it is exact")
    small = [row for row in bench.json("tree", "--min-percent=0")["rows"] if row["name"] == "small"]
    lab.equal([own(row) for row in small], [(16_000, 1000)] * 2, "its two call paths")
    edges = [inclusive(row) for row in bench.json("callers", "malloc")["rows"]]
    lab.check((16_000 * 2, 2000) in edges and (20_000, 200) in edges, f"callers of malloc: {edges}")
    recorded(bench, program, "end", TIMES, CINSTR_MAX_OVERHEAD="0")
    rows = {row["name"]: row for row in bench.report()["rows"]}
    for name in "all", "often":
        known, calls = rows[name]["allocated_inclusive"], rows[name]["allocations"]
        lab.check(known is None or (known <= 11_846 + 44 * TIMES and calls <= 108 + 4 * TIMES), f"{name}: {known}, {calls}")
        lab.equal(rows[name]["allocated_bound"], "at least", name)
    lab.check(">=" in bench.cinstr("report", "--view=memory"), "the table says so")


@lab.test("memory/after fork, exec, and kill -9")
def endings(bench):
    program = compiled(bench)
    for limit in LIMITS:
        for how in "fork", "exec":
            recorded(bench, program, how, TIMES, CINSTR_MAX_OVERHEAD=limit)
            same_as_truth(bench, f"{how}, limit {limit}", TIMES, 2)
        recorded(bench, program, "kill", TIMES, CINSTR_MAX_OVERHEAD=limit)
        same_as_truth(bench, f"kill, limit {limit}", TIMES)


@lab.test("memory/merged sessions keep it")
def merged(bench):
    program = compiled(bench)
    for limit in LIMITS:
        recorded(bench, program, "fork", TIMES, CINSTR_MAX_OVERHEAD=limit)
        bench.cinstr("merge", "-o", bench.path("once"), bench.path("cinstr.data"))
        same_as_truth(bench, f"merged, limit {limit}", TIMES, 2, "once")
        recorded(bench, program, "exec", TIMES, CINSTR_MAX_OVERHEAD=limit)
        bench.cinstr("merge", "-o", bench.path("twice"), bench.path("once"), bench.path("cinstr.data"))
        same_as_truth(bench, f"merged twice, limit {limit}", TIMES, 4, "twice")


@lab.test("memory/beyond the budget of paths, and from a timeline")
def few_paths(bench):
    program = compiled(bench)
    recorded(bench, program, "end", 1000, CINSTR_MAX_OVERHEAD="unlimited", CINSTR_PATHS="1")
    same_as_truth(bench, "beyond the budget", 1000)
    recorded(bench, program, "end", 1000, CINSTR_MAX_OVERHEAD="unlimited", CINSTR_TIMELINE="100M")
    same_as_truth(bench, "with a timeline", 1000)
    bench.cinstr("refold", "cinstr.data")
    rows = bench.json("report", "--from=0s", "--by=process", "cinstr.data")["rows"]
    lab.equal([inclusive(row) for row in rows], [whole(1000)], "made of the timeline")


NONE = "int main(int argc, char **argv) { (void)argv; return argc - 1; }"


@lab.test("memory/a program without such calls has nothing of it")
def nothing(bench):
    bench.run(bench.compile(bench.write("none.c", NONE), "none", "-O2"), status=0)
    lab.check("allocated_own" not in bench.report()["rows"][0], "no columns")


NEW = """
#include <cstdlib>
#include <memory>
#include <new>
#ifdef OWN
void *operator new(std::size_t n) { void *p = std::malloc(n); if (!p) std::abort(); return p; }
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
#endif
static void *volatile sink;
struct alignas(64) Wide { char bytes[128]; };
struct Three { long a, b, c; };
template <class T> static void used(T *p) { sink = p; delete p; }
__attribute__((noinline)) static void makes(long n)
{
	for (long i = 0; i < n; i++)
		used(new Three());
}
__attribute__((noinline)) static void others()
{
	auto wide = new Wide();
	auto array = new long[10];
	auto tried = new (std::nothrow) long;
	sink = wide; sink = array; sink = tried;
	delete wide; delete[] array; delete tried;
}
int main(int argc, char **argv) { makes(std::atol(argv[argc - 1])); others(); }
"""


@lab.test("memory/operator new, of the library and of the program's own")
def operator_new(bench):
    """One that the program defines, with probes, tells by what it calls: nothing counts twice."""
    source = bench.write("new.cc", NEW)
    for own_new in 0, 1:
        program = bench.compile(source, f"new{own_new}", "-O2", "-g", *["-DOWN"] * own_new)
        for limit in LIMITS:
            bench.run("rm", "-rf", bench.path("cinstr.data"), status=0)
            bench.run(program, "300000", status=0, env={"CINSTR_MAX_OVERHEAD": limit})
            rows = {row["name"]: row for row in bench.report()["rows"]}
            sums = tuple(sum(column) for column in zip(*map(own, rows.values())))
            lab.equal(sums, (24 * 300_000 + 128 + 80 + 8, 300_003), f"own {own_new}, limit {limit}")
            if not own_new:
                makes = [own(row) for name, row in rows.items() if "makes" in name]
                lab.equal(makes, [(24 * 300_000, 300_000)], f"makes, limit {limit}: {list(rows)}")


@lab.test("memory/counted sites beyond a block of counters")
def many_sites(bench):
    """Slots come in blocks of 504 and more: both counters of a site are in one."""
    functions = "".join(f"__attribute__((noipa)) void f{i}(void) {{ sink = malloc({i + 1}); }}\n" for i in range(1200))
    calls = "".join(f"\tf{i}();\n" for i in range(1200))
    source = bench.write("many.c", "#include <stdlib.h>\nvoid *volatile sink;\n" + functions +
                         "int main(void) {\nfor (int i = 0; i < 300; i++) {\n" + calls + "}\nreturn 0; }\n")
    program = bench.compile(source, "many", "-O1", "-fplugin-arg-cinstr-small=0")
    bench.run(program, status=0, env={"CINSTR_MAX_OVERHEAD": "0"})
    rows = {row["name"]: row for row in bench.report()["rows"]}
    wrong = [(i, own(rows[f"f{i}"])) for i in range(1200) if own(rows[f"f{i}"]) != ((i + 1) * 300, 300)]
    lab.equal(wrong, [], "functions whose bytes are not known")


def allocators():
    folder = "/usr/lib/x86_64-linux-gnu"
    names = "libjemalloc.so.2", "libtcmalloc_minimal.so.4"
    return [os.path.join(folder, name) for name in names if os.path.exists(os.path.join(folder, name))]


@lab.test("memory/jemalloc and tcmalloc, preloaded and linked")
def other_allocators(bench):
    libraries = allocators()
    if not libraries:
        raise lab.Skip("no libjemalloc2 and no libtcmalloc-minimal4 here")
    for library in libraries:
        for program, env in (compiled(bench), {"LD_PRELOAD": library}), (compiled(bench, library), {}):
            for limit in LIMITS:
                recorded(bench, program, "end", 10_000, CINSTR_MAX_OVERHEAD=limit, **env)
                same_as_truth(bench, f"{library}, limit {limit}, {env}", 10_000)
