# SPDX-License-Identifier: GPL-3.0-or-later
"""How functions are called: as the source has them, told apart where they look the same, found
without symbols."""
import csv
import io
import json
import os
import re
import shutil
import unicodedata

import lab

OPTIONS = ("-O1", "-fno-inline", "-fplugin-arg-cinstr-system")


def calls(bench, *args):
    text = bench.cinstr("report", "--format=json", *args, bench.path("cinstr.data"))
    return {row["name"]: row["calls"] for row in json.loads(text)["rows"]}


def table_names(bench, *args):
    """The names in a table, which stand behind the numbers, and may hold blanks."""
    return bench.run(lab.COMMAND, "report", *args, bench.path("cinstr.data"), status=0,
                     env={"COLUMNS": "300", "LC_ALL": "C.UTF-8"}).stdout


def expect(got, expected):
    for name, n in expected.items():
        lab.equal(got.get(name), n, f"calls of {name}")


WIDE = """
__attribute__((noipa)) void \u6f22\u5b57\u306e\u95a2\u6570\u306e\u540d\u524d\u3092\u9577\u304f\u3059\u308b(void) { __asm__ volatile(""); }
__attribute__((noipa)) void \u00e9t\u00e9_e\u0301te\u0301(void) { __asm__ volatile(""); }
__attribute__((noipa)) void plain(void) { __asm__ volatile(""); }
int main(void)
{
	for (int i = 0; i < 3; i++)
		\u6f22\u5b57\u306e\u95a2\u6570\u306e\u540d\u524d\u3092\u9577\u304f\u3059\u308b(), \u00e9t\u00e9_e\u0301te\u0301(), plain();
	return 0;
}
"""


def columns_of(text):
    """What it takes on a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


@lab.test("names/wide characters and marks keep columns in line")
def wide(bench):
    bench.run(bench.compile(bench.write("program.c", WIDE), "program", "-O1", "-Wno-normalized"), status=0)
    for width in ("300", "30"):
        table = bench.run(lab.COMMAND, "report", "--columns=name,calls", bench.path("cinstr.data"), status=0,
                          env={"COLUMNS": width}).stdout
        rows = re.findall(r"^(\S+ +3)$", table, re.M)
        lab.equal(len(rows), 3, f"rows of {table}")
        lab.equal({columns_of(row) for row in rows}, {columns_of(rows[0])}, f"width of the rows of\n{table}")
        lab.check(("\u9577\u304f\u3059\u308b " in table) == (width == "300") or "\u308b " in table, table)


@lab.test("names/C++")
def cplusplus(bench):
    other = bench.path("names_other.o")
    bench.compile("programs/names_other.c", "names_other.o", "-O1", "-c")
    program = bench.compile(["programs/names.cc", other], "program", "-O1", "-fplugin-arg-cinstr-small=0")
    bench.run(program, status=0)
    expect(calls(bench), {
        "shapes::size(int)": 1, "shapes::size(double)": 1, "int shapes::box<int>::get<int>(int) const": 1,
        "double shapes::box<int>::get<double>(double) const": 1,
        "double shapes::box<double>::get<double>(double) const": 1,
        "shapes::box<int>::operator<(shapes::box<int> const&) const": 1, "helper(int)": 1, "helper": 1,
        "middle::middle()": 3, "middle::~middle()": 3, "middle::~middle() [deleting]": 1, "base::base()": 3})
    expect(calls(bench, "--names=short"), {"shapes::box<int>::operator<": 1, "hidden": 1,
                                           "main::{lambda}:56": 1})
    expect(calls(bench, "--names=assembler"), {"_ZN6shapes4sizeEi": 1, "_ZL6helperi": 1})
    for pattern in ("shapes::box<int>::get<int>", "_ZNK6shapes3boxIiE3getIiEET_S3_",
                    "int shapes::box<int>::get<int>(int) const"):
        lab.equal(list(calls(bench, "--names=short", f"--function={pattern}")), ["shapes::box<int>::get<int>"],
                  f"functions that match {pattern}")
    lab.equal(len(calls(bench, "--function=shapes::box::get")), 3, "functions that match without arguments")
    text = bench.cinstr("report", "--by=site", "--format=csv", "--function=shapes::size", bench.path("cinstr.data"))
    lab.equal(sorted(row["callee"] for row in csv.DictReader(io.StringIO(text))),
              ["shapes::size(double)", "shapes::size(int)"], "call sites of shapes::size")
    table = table_names(bench)
    for name in ("shapes::size(int)", "shapes::size(double)", " shapes::box<int>::get<int> ",
                 " shapes::box<double>::get<double> ", "shapes::box<int>::operator<", " helper(int) ", " helper "):
        lab.check(name in table, f"no {name} in\n{table}")
    lab.check("both(int)" not in table and "_Z" not in table, f"names in a table are not short:\n{table}")
    lab.check("_ZN6shapes4sizeEi" in table_names(bench, "--names=assembler"), "--names=assembler")


CHOSEN = """
#include <map>
#include <string>
#define OWN __attribute__((noipa))
namespace json { inline namespace v2 {
struct Value {
	std::string text;
	OWN std::string dump(int n) const { return text + std::string(n, 'x'); }
	OWN bool operator<(const Value &other) const { return text < other.text; }
};
} }
template <class T> OWN T twice(T t) { return t + t; }
namespace { OWN int hidden(int n) { return n + 1; } }
template <class F> OWN int call(F f) { return f(1); }
int main()
{
	std::map<std::string, json::Value> values;
	auto lambda = [](int n) OWN { return hidden(n); };
	for (int i = 0; i < 3; i++)
		values[std::to_string(i)].text = "text";
	json::Value value;
	value.dump(twice(3));
	twice(std::string("x"));
	return (value < value) + call(lambda) + values.size() == 0;
}
"""


@lab.test("names/C++: each name that is shown can be chosen, when recording and later")
def chosen(bench):
    program = bench.compile(bench.write("program.cc", CHOSEN), "program", "-O1", "-std=c++17",
                            "-fplugin-arg-cinstr-small=0")
    bench.run(program, env={"CINSTR_MAX_OVERHEAD": "unlimited"}, status=0)
    shown = calls(bench, "--names=short")
    own = ["json::Value::dump", "json::Value::operator<", "twice<int>", "twice<std::string>", "hidden", "main::{lambda}:18"]
    lab.check(set(own) <= set(shown), f"no {set(own) - set(shown)} in {sorted(shown)}")
    for name in own:
        lab.equal(list(calls(bench, "--names=short", f"--function={name}")), [name], f"--function={name}")
        lab.check(name in bench.cinstr("callers", name, bench.path("cinstr.data")), f"callers {name}")
    for name in own:
        bench.run(program, env={"CINSTR_ONLY": name}, status=0)
        lab.check(name in calls(bench, "--names=short"), f"CINSTR_ONLY={name}: {calls(bench, '--names=short')}")
        lab.check("main" not in calls(bench), f"CINSTR_ONLY={name} records main")


@lab.test("names/Fortran")
def fortran(bench):
    program = bench.compile("trees/fortran.f90", "program", "-O0")
    bench.run(program, status=0)
    got = calls(bench)
    expect(got, {"shapes::fact": 5, "shapes::square_area": 1, "MAIN__": 1})
    lab.check(not any("_MOD_" in name for name in got), f"names: {sorted(got)}")
    expect(calls(bench, "--names=assembler"), {"__shapes_MOD_fact": 5})


@lab.test("names/same names in two files")
def two_files(bench):
    for name in "ab":
        bench.write(f"{name}.c", f"""
            static volatile int sink;
            __attribute__((noinline)) static int helper(int n) {{ return n + sink; }}
            int run_{name}(void) {{ return helper(1){" + helper(2)" if name == "b" else ""}; }}
            """)
    bench.write("main.c", "int run_a(void), run_b(void); int main(void) { return run_a() + run_b() < 0; }")
    program = bench.compile([bench.path(n) for n in ("main.c", "a.c", "b.c")], "program", "-O1",
                            "-fplugin-arg-cinstr-small=0")
    bench.run(program, status=0)
    rows = csv.DictReader(io.StringIO(bench.cinstr("report", "--format=csv", bench.path("cinstr.data"))))
    helpers = {os.path.basename(row["file"]): row["calls"] for row in rows if row["name"] == "helper"}
    lab.equal(helpers, {"a.c": "1", "b.c": "2"}, "calls of helper by file")
    table = table_names(bench)
    lab.check("helper (a.c)" in table and "helper (b.c)" in table and "run_a (" not in table, table)


class Stripped:
    """A session with a call of a library's static function, whose symbols and lines were then taken
    off the library."""

    def __init__(self, bench):
        self.bench = bench
        source = bench.write("library.c", """
            static int hidden(int n) { return n + 1; }
            int (*which(void))(int) { return hidden; }
            """)
        self.library = bench.compile(source, "library.so", "-O1", "-fPIC", "-shared", "-Wl,--build-id", plugin=None)
        main = bench.write("main.c", "int (*which(void))(int); int main(void) { return which()(1) - 2; }")
        program = bench.compile([main, self.library], "program", "-O1", "-Wl,-rpath," + bench.folder)
        bench.run(program, status=0)
        lab.equal(self.found(), "library.c:2", "with symbols")
        self.full = shutil.copy(self.library, bench.path("full"))
        self.debug = bench.path("symbols.debug")
        bench.run(lab.need("objcopy"), "--only-keep-debug", self.library, self.debug, status=0)
        bench.run(lab.need("strip"), "-s", self.library, status=0)
        lab.equal(self.found(), None, "without symbols")
        notes = bench.run("readelf", "-n", self.library, status=0).stdout
        self.build_id = notes.split("Build ID: ")[1].split()[0]

    def found(self, *args, **env):
        """Where the function is defined; None: it has no name."""
        text = self.bench.run(lab.COMMAND, "report", "--format=json", *args, self.bench.path("cinstr.data"), status=0,
                              env=env).stdout
        rows = {row["name"]: row for row in json.loads(text)["rows"]}
        if "hidden" not in rows:
            lab.check(any(name.startswith("0x") for name in rows), f"no address among {sorted(rows)}")
            return None
        row = rows["hidden"]
        return f"{os.path.basename(row['file'])}:{row['line']}" if row["file"] else "no file"

    def put(self, *parts):
        """The debug file, at another place."""
        path = self.bench.path(*parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return shutil.copy(self.debug, path)


@lab.test("names/stripped library: build-id folder")
def by_build_id(bench):
    stripped = Stripped(bench)
    folder = "--debug-dir=" + bench.path("nothing") + "," + bench.path("debug")
    path = stripped.put("debug", ".build-id", stripped.build_id[:2], stripped.build_id[2:] + ".debug")
    lab.equal(stripped.found(folder), "library.c:2", "in the build-id folder")
    lab.equal(stripped.found(), None, "without --debug-dir")
    os.rename(stripped.library, bench.path("elsewhere.so"))
    lab.equal(stripped.found(folder), "library.c:2", "when the library is gone")
    os.rename(bench.path("elsewhere.so"), stripped.library)
    shutil.copy("/proc/self/exe", path)
    lab.equal(stripped.found(folder), None, "a file with another build-id")
    os.remove(path)
    shutil.copy(stripped.full, bench.path("debug", "library.so"))
    lab.equal(stripped.found(folder), "library.c:2", "the unstripped library")


@lab.test("names/stripped library: debug link")
def by_debug_link(bench):
    stripped = Stripped(bench)
    bench.run("objcopy", "--add-gnu-debuglink=" + stripped.debug, stripped.library, status=0)
    lab.equal(stripped.found(), "library.c:2", "beside the library")
    os.rename(stripped.debug, bench.path("kept"))
    stripped.debug = bench.path("kept")
    lab.equal(stripped.found(), None, "no file")
    path = stripped.put(".debug", "symbols.debug")
    lab.equal(stripped.found(), "library.c:2", "in .debug")
    with open(path, "ab") as file:
        file.write(b"more")
    lab.equal(stripped.found(), None, "with another checksum")
    os.remove(path)
    stripped.put("tree" + bench.folder, "symbols.debug")
    lab.equal(stripped.found("--debug-dir=" + bench.path("tree")), "library.c:2", "in a tree of debug files")


@lab.test("names/stripped library: packed symbols")
def packed(bench):
    stripped = Stripped(bench)
    mini = bench.path("mini")
    bench.run("objcopy", "--strip-debug", stripped.full, mini, status=0)
    bench.run(lab.need("xz"), mini, status=0)
    bench.run("objcopy", "--add-section", f".gnu_debugdata={mini}.xz", stripped.library, status=0)
    lab.equal(stripped.found(), "no file", ".gnu_debugdata")


@lab.test("names/stripped library: debuginfod")
def debuginfod(bench):
    stripped = Stripped(bench)
    stripped.put("server", "buildid", stripped.build_id, "debuginfo")
    env = {"DEBUGINFOD_URLS": "file://" + bench.path("server"), "DEBUGINFOD_CACHE_PATH": bench.path("cache")}
    found = stripped.found(**env)
    if found is None and not any("libdebuginfod.so.1" in line for line in
                                 bench.run(shutil.which("ldconfig") or "/sbin/ldconfig", "-p").stdout.splitlines()):
        raise lab.Skip("no libdebuginfod here")
    lab.equal(found, "library.c:2", "from the server")
    shutil.rmtree(bench.path("server"))
    lab.equal(stripped.found(**env), "library.c:2", "from its cache")
    env["DEBUGINFOD_CACHE_PATH"] = bench.path("cache2")
    lab.equal(stripped.found(**env), None, "nothing at the server")


@lab.test("names/stubs without PIE, the runtime's functions")
def stubs(bench):
    source = bench.write("main.c", """
        #include <cinstr.h>
        #include <stdio.h>
        __attribute__((noinline)) static int (*pick(int n))(const char *) { return n > 5 ? remove : puts; }
        int main(int argc, char **argv)
        {
            (void)argv;
            cinstr_mark(1);
            cinstr_is_on();
            return pick(argc)("x") < 0;
        }
        """)
    include = lab.INCLUDE
    for flags in (("-no-pie", "-fno-pic"), ("-pie", "-fPIE")):
        program = bench.compile(source, "program", "-O1", "-fplugin-arg-cinstr-small=0", include, *flags)
        shutil.rmtree(bench.path("cinstr.data"), ignore_errors=True)
        bench.run(program, status=0)
        rows = {row["name"]: row for row in bench.report()["rows"]}
        lab.check("libc" in rows["puts"]["module"], f"puts is in {rows['puts']['module']}")
        lab.equal([rows[name]["calls"] for name in ("cinstr_mark", "cinstr_is_on", "pick")], [1, 1, 1], "calls")
        lab.check("_init" not in rows, f"stubs are functions: {sorted(rows)}")


@lab.test("names/the kernel's functions")
def vdso(bench):
    source = bench.write("main.c", """
        #include <dlfcn.h>
        #include <time.h>
        int main(void)
        {
            void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
            int (*clock)(clockid_t, struct timespec *) = vdso ? dlsym(vdso, "__vdso_clock_gettime") : 0;
            struct timespec now;

            return clock ? clock(CLOCK_MONOTONIC, &now) : 77;
        }
        """)
    program = bench.compile(source, "program", "-O1")
    if bench.run(program).returncode == 77:
        raise lab.Skip("no vdso here")
    names = [row["name"] for row in bench.report()["rows"] if "vdso" in row["module"]]
    lab.check(len(names) == 1 and "clock_gettime" in names[0], f"functions of the vdso: {names}")


REGIONS = """
#include <stdlib.h>
volatile double sink;
int main(void)
{
	double total = 0;
#pragma omp parallel for reduction(+ : total) num_threads(2)
	for (int i = 0; i < 2000000; i++)
		total += 1.0 / (i + 1) * (i % 7);
	sink = total;
	return 0;
}
"""


def proposed(bench, session):
    """The commands that summary proposes, as they are to be typed."""
    text = bench.cinstr("summary", session)
    summary = json.loads(bench.cinstr("summary", "--format=json", session))
    commands = summary["next"] + [finding["command"] for finding in summary["findings"]]
    return commands + re.findall(r"(?:Next: |; |-> )(cinstr [^;\n]*)", text)


@lab.test("names/what summary proposes works as it is typed")
def typed(bench):
    folder = os.path.dirname(lab.COMMAND)
    for source, options in ((bench.write("c.cc", CHOSEN), ["-O2", "-std=c++17"]), (bench.write("o.c", REGIONS), ["-O2", "-fopenmp"]),
                            ("trees/fortran.f90", ["-O2"])):
        program = bench.compile(source, "program", *options)
        for mode in "--full", "--mixed", "--sample":
            session = bench.path("typed.data")
            bench.run(lab.COMMAND, "record", mode, "-o", session, "--", program, status=0)
            commands = proposed(bench, session)
            lab.check(commands, f"{source} {mode}: nothing is proposed")
            for command in commands:
                bench.run("sh", "-c", f'S={session}; {command}', status=0, env={"PATH": f"{folder}:{os.environ['PATH']}"})


@lab.test("names/a parallel region has its lines, by probes and by samples")
def region(bench):
    program = bench.compile(bench.write("o.c", REGIONS), "program", "-O2", "-fopenmp")
    for mode in "--full", "--sample":
        session = bench.path("region.data")
        bench.run(lab.COMMAND, "record", mode, "-o", session, "--", program, status=0)
        text = bench.cinstr("annotate", "main::{parallel}:7", session)
        lab.check(re.search(r" 9 .*total \+= 1.0", text), f"{mode}:\n{text}")
        rows = list(csv.DictReader(io.StringIO(bench.cinstr("report", "--by=line", "--format=csv", session))))
        lines = [int(row["line"]) for row in rows if row["file"].endswith("o.c")]
        lab.check(lines and min(lines) > 0, f"{mode}: lines {lines}")
