# SPDX-License-Identifier: GPL-3.0-or-later
"""What calls read and write (R18): programs/moved.c says how many bytes each of its functions does,
and each count is exact, in all modes of recording."""
import os
import signal

import executed_calls
import lab

# function: (bytes read, reads, bytes written, writes), with what it calls
TRUTH = {
    "fill": (0, 0, 60_000, 60),
    "by_byte": (5_000, 5_000, 0, 0),
    "by_wrapper": (60_000, 16, 0, 0),
    "wrapped": (60_000, 16, 0, 0),
    "at_offsets": (500, 2, 700, 1),
    "often": (0, 0, 280, 40),
    "fails": (0, 5, 0, 0),
    "streams": (60_000, 500, 1_200, 10),
    "sends": (0, 0, 5_000, 20),
    "receives": (5_000, 20, 0, 0),
    "main": (125_500, 5_523, 67_180, 131),
}
# file: (bytes read, reads, bytes written, writes, times that it was opened, calls that failed)
FILES = {
    "big": (65_500, 5_018, 60_700, 61, 4, 0),
    "log": (0, 0, 280, 40, 40, 0),
    None: (65_000, 525, 6_200, 30, 0, 5),  # streams, sockets, and no descriptor
}


def moved(row):
    return tuple(row[f"{name}"] for name in ("bytes_read_inclusive", "reads", "bytes_written_inclusive", "writes"))


def same_as_truth(bench, title, times=1, session="cinstr.data"):
    rows = {row["name"]: row for row in bench.report(session)["rows"]}
    for name, truth in TRUTH.items():
        lab.equal(moved(rows[name]), tuple(times * n for n in truth), f"{title}: {name}")
    lab.equal(rows["main"]["bytes_read_exclusive"], 0, f"{title}: main alone")
    alone = sum(row["bytes_written_exclusive"] for row in rows.values())
    lab.equal(alone, times * 67_180, f"{title}: all functions alone")
    alone = sum(row["bytes_read_exclusive"] for row in rows.values())
    lab.equal(alone, times * 130_500, f"{title}: all functions alone")


def files_of(bench, session="cinstr.data"):
    sums = {}
    for fact in bench.json("files", session)["files"]:
        path = fact["file"]
        name = os.path.basename(path) if path and path.startswith("/") else None
        of = sums.setdefault(name, [0] * 6)
        of[5] += fact["failed"]
        at = {"read": 0, "written": 2, "opened": 4}[fact["kind"]]
        of[at] += fact["calls"] if fact["kind"] == "opened" else fact["bytes"]
        if fact["kind"] != "opened":
            of[at + 1] += fact["calls"]
    return {name: tuple(of) for name, of in sums.items()}


def compiled(bench, *options):
    return bench.compile("programs/moved.c", "moved", "-O2", "-g", "-pthread", *options)


def recorded(bench, program, how, **env):
    status = -signal.SIGKILL if how == "kill" else 0
    bench.run("rm", "-rf", bench.path("cinstr.data"), status=0)
    bench.run(program, bench.path("."), how, status=status, env=env)


@lab.test("moved/in all modes, by function and file")
def modes(bench):
    program = compiled(bench)
    for limit in ("10", "unlimited", "0"):
        recorded(bench, program, "end", CINSTR_MAX_OVERHEAD=limit)
        same_as_truth(bench, f"limit {limit}")
        lab.equal(files_of(bench), FILES, f"limit {limit}: files")


@lab.test("moved/by call path, thread and place")
def by(bench):
    recorded(bench, compiled(bench), "end", CINSTR_MAX_OVERHEAD="unlimited")
    paths = {row["path"]: row for row in bench.json("files")["files"] if row["kind"] == "read"}
    lab.equal(paths["main;all;by_wrapper;wrapped"]["bytes"], 60_000, "a path")
    lab.equal(paths["main;all;by_byte"]["largest"], 1, "the largest call")
    functions = {row["name"]: row for row in bench.report()["rows"]}
    for name in "open", "write":
        took = sum(fact["elapsed_ns"] for fact in bench.json("files")["files"] if fact["callee"] == name)
        probes = took - functions[name]["elapsed_inclusive_ns"]
        lab.check(0 <= probes <= 200 * functions[name]["calls"], f"{name}: {took} ns with probes, {functions[name]}")
    threads = sorted(moved(row) for row in bench.report("cinstr.data", "thread")["rows"])
    lab.equal(threads, sorted([TRUTH["main"], TRUTH["receives"]]), "threads")
    rows = bench.json("tree")["rows"]
    lab.equal(max(row["bytes_inclusive"] for row in rows), 125_500 + 67_180, "the tree")
    sites = [row for row in bench.report("cinstr.data", "site")["rows"] if row["callee"] == "fread"]
    lab.equal([moved(row) for row in sites], [(60_000, 500, 0, 0)], "a call site")
    words = [line.split() for line in bench.cinstr("files", "--limit=0").splitlines()]
    lines = {tuple(line[:-1]): line[-1].split(":")[0] for line in words if len(line) == 10 and line[0] == "read"}
    lab.check(any(line[:6] == ("read", "5.0", "KB", "5,000", "1", "byte") and line[8] == "by_byte" and
                  source == "moved.c" for line, source in lines.items()), f"for people: {words}")


@lab.test("moved/after fork, exec, and kill -9")
def endings(bench):
    program = compiled(bench)
    for how in "fork", "exec":
        recorded(bench, program, how, CINSTR_MAX_OVERHEAD="unlimited")
        same_as_truth(bench, how, 2)
        lab.equal(files_of(bench), {name: tuple(2 * n for n in of) for name, of in FILES.items()}, f"{how}: files")
    recorded(bench, program, "kill", CINSTR_MAX_OVERHEAD="unlimited")
    same_as_truth(bench, "kill")
    lab.equal(files_of(bench), FILES, "kill: files")


@lab.test("moved/beyond the budget of paths, and from a timeline")
def few_paths(bench):
    program = compiled(bench)
    recorded(bench, program, "end", CINSTR_MAX_OVERHEAD="unlimited", CINSTR_PATHS="1")
    whole = bench.report("cinstr.data", "process")["rows"]
    lab.equal([moved(row) for row in whole], [(130_500, 5_543, 67_180, 131)], "beyond the budget")
    recorded(bench, program, "end", CINSTR_MAX_OVERHEAD="unlimited", CINSTR_TIMELINE="100M")
    same_as_truth(bench, "with a timeline")
    bench.cinstr("refold", "cinstr.data")
    whole = bench.json("report", "--from=0s", "--by=process", "cinstr.data")["rows"]
    lab.equal([moved(row) for row in whole], [(130_500, 5_543, 67_180, 131)], "made of the timeline")


@lab.test("moved/a program without such calls has nothing of it")
def nothing(bench):
    bench.write("none.c", "int main(int argc, char **argv) { return argc - 1; }")
    bench.run(bench.compile(bench.path("none.c"), "none", "-O2"), status=0)
    lab.check("bytes_inclusive" not in bench.report()["rows"][0], "no columns")
    lab.check("Nothing was read" in bench.cinstr("files"), "cinstr files")


@lab.test("moved/with executed instructions of each call")
def with_instructions(bench):
    """Both folds of the same records: neither tree loses anything by the other one."""
    same_code = (*executed_calls.SAME_CODE, "-fno-ipa-cp")
    program = compiled(bench, executed_calls.OPTION, "-fplugin-arg-cinstr-small=0", *same_code)
    plain = bench.compile("programs/moved.c", "plain", "-O2", "-g", "-pthread", *same_code, plugin=False)
    expected = executed_calls.by_callgrind(bench, plain, bench.path("."), "end")
    for how in "end", "kill":
        recorded(bench, program, how, CINSTR_MAX_OVERHEAD="unlimited")
        same_as_truth(bench, f"with instructions, {how}")
        lab.equal(files_of(bench), FILES, f"with instructions, {how}: files")
        found = {name: (int(row["inclusive_instructions"]), row["inclusive_instructions_is_estimate"])
                 for name, row in executed_calls.functions(bench).items()}
        names = TRUTH.keys() - ({"main"} if how == "kill" else ())
        lab.equal({name: found[name] for name in names}, {name: (expected[name], "0") for name in names},
                  f"instructions, {how}")


OWN = """
long send(long n, long sum);
long even(long n, long sum) { return n ? send(n - 1, sum + 1) : sum; }
int main(void) { return even(10000000, 0) != 10000000 || send(1000, 0) % 7 != 6; }
"""
OWN_SEND = """
long even(long n, long sum);
long send(long n, long sum) { return n ? even(n - 1, sum + 1) : sum; }
"""


@lab.test("moved/a program's own function with such a name")
def own_function(bench):
    """It is none that reads or writes, and its tail calls stay: the stack does not grow."""
    bench.write("own.c", OWN)
    bench.write("send.c", OWN_SEND)
    sources = [bench.path(name) for name in ("own.c", "send.c")]
    bench.run(bench.compile(sources, "own", "-O2"), status=0)
    lab.check("Nothing was read" in bench.cinstr("files"), "cinstr files")


MANY = """
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char name[4096];
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "%s/a-file-with-a-long-name-%d", argv[argc - 1], i);
		int fd = open(name, O_CREAT | O_RDWR, 0600);
		if (write(fd, name, (size_t)i) != i)
			return 1;
		close(fd);
	}
	return 0;
}
"""


@lab.test("moved/many files have their names")
def many_files(bench):
    bench.write("many.c", MANY)
    bench.run(bench.compile(bench.path("many.c"), "many", "-O2"), bench.path("."), status=0)
    found = {os.path.basename(fact["file"]): fact["bytes"] for fact in bench.json("files")["files"]
             if fact["kind"] == "written"}
    lab.equal(found, {f"a-file-with-a-long-name-{i}": i for i in range(1000)}, "bytes by file")


REOPENED = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static char data[1024];
static void take(int fd, size_t n)
{
	if (read(fd, data, n) != (ssize_t)n)
		abort();
}
static void by_stream(const char *name, size_t n)
{
	FILE *file = fopen(name, "r");

	take(fileno(file), n);
	fclose(file);
}
/* closes by a stream what open() has opened */
static void close_by_stream(int fd)
{
	fclose(fdopen(fd, "r"));
}
static int by_pipe(size_t n)
{
	int fds[2];

	if (pipe(fds) || write(fds[1], data, n) != (ssize_t)n)
		abort();
	take(fds[0], n);
	close(fds[0]);
	close(fds[1]);
	return fds[0];
}
int main(void)
{
	char name[] = "made-XXXXXX";
	FILE *file;
	int fd;

	by_stream("a", 1);
	by_stream("b", 2);
	by_stream("a", 4);
	fd = open("a", O_RDONLY);
	take(fd, 8);
	close_by_stream(fd);
	if (mkstemp(name) != fd || write(fd, data, 16) != 16)
		abort();
	close_by_stream(fd);
	if (by_pipe(32) != fd)
		abort();
	file = popen("head -c 64 b", "r");
	take(fileno(file), 64);
	pclose(file);
	by_stream("b", 128);
	return 0;
}
"""


@lab.test("moved/a descriptor that a stream has closed has its next file's name")
def reopened(bench):
    for name in "a", "b":
        bench.write(name, "x" * 4096)
    bench.write("reopened.c", REOPENED)
    program = bench.compile(bench.path("reopened.c"), "reopened", "-O2")
    for overhead in "10", "unlimited", "0":
        bench.run("rm", "-rf", bench.path("cinstr.data"), status=0)
        bench.run(program, status=0, env={"CINSTR_MAX_OVERHEAD": overhead})
        found = {}
        for fact in bench.json("files")["files"]:
            if fact["kind"] != "opened":
                key = os.path.basename(fact["file"]).partition("-")[0].partition(":")[0], fact["kind"]
                found[key] = found.get(key, 0) + fact["bytes"]
        lab.equal(found, {("a", "read"): 13, ("b", "read"): 130, ("made", "written"): 16,
                          ("pipe", "written"): 32, ("pipe", "read"): 32 + 64}, overhead)


REPLACED = r"""
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static char data[4096];
static void put(int fd, int n)
{
	if (write(fd, data, (size_t)n) != n)
		abort();
}
static int made(const char *name)
{
	int fd = open(name, O_CREAT | O_RDWR, 0600);

	if (fd < 0)
		abort();
	return fd;
}
static FILE *unbuffered(FILE *file)
{
	if (!file)
		abort();
	setvbuf(file, NULL, _IONBF, 0);
	return file;
}
int main(void)
{
	int fd = made("a"), other, ends[2];
	FILE *file;
	DIR *folder;

	put(fd, 1);
	other = made("b");
	dup2(other, fd);
	put(fd, 20);
	dup3(made("c"), fd, O_CLOEXEC);
	put(fd, 300);
	close_range((unsigned)fd, (unsigned)fd, 0);
	fd = made("d");
	put(fd, 4000);
	file = unbuffered(fopen("e", "w"));
	put(fileno(file), 5);
	file = unbuffered(freopen("f", "w", file));
	put(fileno(file), 60);
	fclose(file);
	folder = opendir(".");
	if (read(dirfd(folder), data, 1) >= 0) /* of a folder: fails */
		abort();
	closedir(folder);
	file = unbuffered(fopen("g", "w"));
	put(fileno(file), 700);
	fclose(file);
	if (pipe(ends))
		abort();
	put(ends[1], 8);
	if (read(ends[0], data, 8) != 8)
		abort();
	dup2(fd, ends[1]);
	put(ends[1], 16);
	return 0;
}
"""


@lab.test("moved/a descriptor that another one replaces, or a folder had, has the name of its file")
def replaced(bench):
    bench.write("replaced.c", REPLACED)
    program = bench.compile(bench.path("replaced.c"), "replaced", "-O2")
    for overhead in "10", "unlimited", "0":
        for folder in "cinstr.data", *"abcdefg":
            bench.run("rm", "-rf", bench.path(folder), status=0)
        bench.run(program, status=0, env={"CINSTR_MAX_OVERHEAD": overhead})
        found = {}
        for fact in bench.json("files")["files"]:
            if fact["kind"] == "written":
                name = os.path.basename(fact["file"])
                found[name] = found.get(name, 0) + fact["bytes"]
        lab.equal(found, {"a": 1, "b": 20, "c": 300, "d": 4016, "e": 5, "f": 60, "g": 700, "pipe": 8}, overhead)


SMALL = """
#include <fcntl.h>
#include <unistd.h>
static char data[8192];
__attribute__((noinline)) static int logs(int n)
{
	int all = 0;
	for (int i = 0; i < n; i++) {
		int fd = open("app.log", O_CREAT | O_WRONLY | O_APPEND, 0600);
		all += (int)write(fd, "hello\\n", 6);
		close(fd);
	}
	return all;
}
__attribute__((noinline)) static int reads(int n, int bytes)
{
	int fd = open("/dev/zero", O_RDONLY), all = 0;
	for (int i = 0; i < n; i++)
		all += (int)read(fd, data, (size_t)bytes);
	close(fd);
	return all;
}
__attribute__((noinline)) static int bytes(void) { return reads(30000, 16); }
__attribute__((noinline)) static int blocks(void) { return reads(30000, 8192); }
int main(int argc, char **argv)
{
	(void)argv;
	return argc > 1 ? blocks() == 0 : logs(10000) + bytes() == 0;
}
"""


def findings(bench):
    return {found["id"]: found["text"] for found in bench.json("summary")["findings"]}


@lab.test("moved/findings tell bytes and files")
def findings_with_bytes(bench):
    bench.write("small.c", SMALL)
    program = bench.compile(bench.path("small.c"), "small", "-O2")
    bench.run(program, status=0)
    found = findings(bench)
    lab.check("30,000 calls of read, 16 bytes and " in found["CF0301"], f"small reads: {found}")
    lab.check("of app.log, into which it writes 60,000 bytes" in found["CF0305"], f"opened again: {found}")
    bench.run("rm", "-r", bench.path("cinstr.data"), status=0)
    bench.run(program, "blocks", status=0)
    lab.check("CF0301" not in findings(bench), "reads of 8 KiB are not small")


def facts_of(bench, session):
    return sorted((fact["path"], fact["file"] or "", fact["kind"], fact["calls"], fact["failed"], fact["bytes"],
                   fact["largest"], fact["function"], fact["source_line"])
                  for fact in bench.json("files", session)["files"])


@lab.test("moved/merged sessions keep it")
def merged(bench):
    program = compiled(bench)
    recorded(bench, program, "fork", CINSTR_MAX_OVERHEAD="unlimited")
    bench.cinstr("merge", "-o", bench.path("once"), bench.path("cinstr.data"))
    same_as_truth(bench, "merged", 2, "once")
    lab.equal(facts_of(bench, "once"), facts_of(bench, "cinstr.data"), "files, merged")
    recorded(bench, program, "exec", CINSTR_MAX_OVERHEAD="unlimited")
    bench.cinstr("merge", "-o", bench.path("both"), bench.path("once"), bench.path("cinstr.data"))
    bench.cinstr("merge", "-o", bench.path("turned"), bench.path("cinstr.data"), bench.path("once"))
    same_as_truth(bench, "merged twice", 4, "both")
    lab.equal(files_of(bench, "both"), {name: tuple(4 * n for n in of) for name, of in FILES.items()}, "merged twice")
    with open(bench.path("both"), "rb") as one, open(bench.path("turned"), "rb") as other:
        lab.check(one.read() == other.read(), "the order of what is merged shows")
    recorded(bench, program, "end", CINSTR_MAX_OVERHEAD="unlimited", CINSTR_PATHS="1")
    bench.cinstr("merge", "-o", bench.path("few"), bench.path("cinstr.data"))
    for session in "cinstr.data", "few":
        rows = bench.report(session)["rows"]
        alone = [sum(row[f"bytes_{what}_exclusive"] for row in rows) for what in ("read", "written")]
        lab.equal(alone, [130_500, 67_180], f"few paths: {session}")
        lab.equal(files_of(bench, session), FILES, f"few paths: {session}: files")


SAMPLED = """
#include <fcntl.h>
#include <unistd.h>
static char bytes[8];
__attribute__((noipa)) static void reads(int file) { for (int i = 0; i < 200000; i++) if (read(file, bytes, 8) != 8) _exit(1); }
int main(void) { int file = open("/dev/zero", O_RDONLY); reads(file); return close(file); }
"""


@lab.test("moved/of functions whose time is from samples, too")
def sampled(bench):
    """Samples have copies made of cells: these keep what was read."""
    program = bench.compile(bench.write("program.c", SAMPLED), "program", "-O2")
    for overhead in "10", "unlimited", "0":
        bench.run(program, status=0, env={"CINSTR_MAX_OVERHEAD": overhead})
        rows = {row["name"]: row for row in bench.report()["rows"]}
        for name in "read", "reads", "main":
            lab.equal((rows[name]["reads"], rows[name]["bytes_read_inclusive"]), (200000, 1600000), f"{name}, {overhead}")
