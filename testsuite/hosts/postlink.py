# SPDX-License-Identifier: GPL-3.0-or-later
"""What tools do to a program after it was linked, and damage to its tables: it runs as without
probes, and is recorded, or not recorded with the true reason."""
import glob
import os
import random
import re
import shutil
import struct
import subprocess

from host import calls, check, equal, lab, need, program, run, test

DAMAGED = "its tables (.cinstr.note) are damaged"
REMOVED = "its tables (.cinstr.note) were removed (strip -R, gold's --gc-sections)"
MOVED = "its code was changed after it was linked, so its tables do not fit (BOLT?)"
LONG = "/a/rather/long/path" * 20
KINDS = {"pie": ["-fPIE", "-pie"], "fixed": ["-fno-pie", "-no-pie"], "library": None, "static": ["-static", "-fno-pie"],
         "static-pie": ["-static-pie", "-fPIE"]}


def build(bench, kind, *flags):
    """Builds "plain" and "probes" of that kind, and returns the pairs of files that the tools work
    on."""
    if kind == "library":
        for name, plugin in (("plain", None), ("probes", lab.PLUGIN)):
            bench.compile(program("postlink.c"), f"lib{name}.so", "-O2", "-DLIBRARY", "-shared", "-fPIC",
                          lab.INCLUDE, *flags, plugin=plugin)
            bench.compile(program("postlink_main.c"), name, "-O2", f"-L{bench.folder}", f"-l{name}",
                          f"-Wl,-rpath,{bench.folder}", plugin=None)
        return ["libplain.so", "libprobes.so"]
    runtime = [os.path.join(lab.BUILD, "libcinstr-runtime.o"), "-pthread"] if "static" in kind else []
    bench.compile(program("postlink.c"), "plain", "-O2", lab.INCLUDE, *KINDS[kind], *flags, plugin=None)
    bench.compile(program("postlink.c"), "probes", "-O2", lab.INCLUDE, *KINDS[kind], *flags, *runtime)
    return ["plain", "probes"]


def work_on(bench, files, command):
    """Runs the tool on both; the last word is the file's name, or OUT where it writes another."""
    need(command[0])
    for name in files:
        words = [name if word == "FILE" else word for word in command]
        done = subprocess.run(words, cwd=bench.folder, capture_output=True, text=True)
        check(done.returncode == 0, f"{' '.join(words)}: {done.stderr}")


def is_told(bench, reason):
    """Does report say that nothing was recorded for that reason?"""
    text = " ".join(bench.cinstr("report", "cinstr.data").split())
    return re.search(r"Nothing was recorded of \S+: " + re.escape(reason), text) is not None


def expect(bench, reason=None, api=True):
    """The program runs as the plain one does; it is recorded, or not for that reason."""
    expected = run(bench, "plain")
    got = run(bench, "probes")
    equal(got.stdout, expected.stdout, "output")
    equal(got.returncode, expected.returncode, "status")
    if not reason:
        equal(calls(bench, "leaf"), 2000, "calls of leaf")
        lines = ["on"] if api else []
        equal(got.stderr.splitlines(), lines, "error output")
        bench.sound()
        return
    equal(calls(bench, "leaf"), None, "calls of leaf")
    check(is_told(bench, reason), f"report does not say: {reason}")
    equal(got.stderr.count("cinstr: not recorded: "), 1, f"lines on stderr: {got.stderr}")


PATCHELF = [["--set-rpath", "$ORIGIN/lib" + LONG], ["--add-rpath", LONG], ["--add-needed", "libm.so.6"],
            ["--set-soname", "libanother" + LONG.replace("/", "") + ".so.1"]]


def names_moved(bench):
    """Is the section of names no longer behind .rodata?"""
    text = bench.run("readelf", "-lW", bench.path("libprobes.so")).stdout
    return re.search(r"^ +\d+ +(?!.*\.rodata).*\bcinstr_str\b", text, re.M) is not None


@test("postlink/patchelf: programs")
def patchelf_programs(bench):
    for kind in ("pie", "fixed"):
        for words in PATCHELF[:3] + [["--set-interpreter", "/lib64/./ld-linux-x86-64.so.2"]]:
            work_on(bench, build(bench, kind), ["patchelf", *words, "FILE"])
            expect(bench)


@test("postlink/patchelf: a library")
def patchelf_library(bench):
    for words in PATCHELF:
        work_on(bench, build(bench, "library"), ["patchelf", *words, "FILE"])
        expect(bench, api=False)
    version = tuple(map(int, re.findall(r"\d+", bench.run("patchelf", "--version").stdout)[:2]))
    # again, on what was moved already: some move the names, without what refers to them
    for words in PATCHELF[1:3]:
        work_on(bench, ["libplain.so", "libprobes.so"], ["patchelf", *words, "FILE"])
        expect(bench, DAMAGED if version >= (0, 16) and names_moved(bench) else None, api=False)


@test("postlink/patchelf: several times, and strip, in both orders")
def patchelf_again(bench):
    files = build(bench, "pie")
    for command in (["patchelf", "--set-rpath", LONG, "FILE"], ["strip", "FILE"],
                    ["patchelf", "--add-needed", "libm.so.6", "FILE"], ["patchelf", "--remove-needed", "libm.so.6", "FILE"],
                    ["patchelf", "--shrink-rpath", "FILE"]):
        work_on(bench, files, command)
        expect(bench)


@test("postlink/a static program")
def static_program(bench):
    """patchelf refuses it (and spoils static-pie, plain or not)."""
    for kind in ("static", "static-pie"):
        files = build(bench, kind)
        expect(bench)
        for command in (["strip", "FILE"], ["strip", "-R", ".note.gnu.build-id", "FILE"]):
            work_on(bench, files, command)
            expect(bench)
        work_on(bench, build(bench, kind)[1:], ["strip", "-R", ".cinstr.note", "FILE"])
        expect(bench, REMOVED)


STAYS = [["strip", "FILE"], ["strip", "-g", "FILE"], ["strip", "-R", ".note.gnu.build-id", "FILE"],
         ["strip", "-R", ".note.ABI-tag", "FILE"], ["strip", "-R", ".note.gnu.property", "FILE"],
         ["strip", "-R", ".comment", "-s", "FILE"], ["eu-strip", "FILE"],
         ["objcopy", "--compress-debug-sections", "FILE"], ["objcopy", "--remove-section=.note.gnu.build-id", "FILE"],
         ["objcopy", "--only-keep-debug", "FILE", "FILE.debug"], ["llvm-objcopy", "-R", ".note.gnu.build-id", "FILE"],
         ["llvm-objcopy", "-R", ".note.ABI-tag", "--strip-all", "FILE"],
         ["llvm-objcopy", "--compress-debug-sections", "FILE"], ["llvm-strip", "FILE"],
         ["objcopy", "--add-section", ".more=/etc/passwd", "FILE"]]


@test("postlink/strip, objcopy, eu-strip, llvm-objcopy")
def tools_that_leave_it(bench):
    for kind in ("pie", "library"):
        files = build(bench, kind)
        for name in files:
            shutil.copy(bench.path(name), bench.path(name + ".linked"))
        for command in STAYS:
            if not shutil.which(command[0]):
                continue
            for name in files:
                shutil.copy(bench.path(name + ".linked"), bench.path(name))
            work_on(bench, files, command)
            expect(bench, api=kind != "library")


@test("postlink/chrpath")
def chrpath(bench):
    for kind in ("pie", "library"):
        work_on(bench, build(bench, kind, "-Wl,-rpath,/one/two/three"), ["chrpath", "-r", "/four", "FILE"])
        expect(bench, api=kind != "library")


@test("postlink/dwz")
def dwz(bench):
    work_on(bench, build(bench, "pie", "-gdwarf-4"), ["dwz", "FILE"])
    expect(bench)


@test("postlink/the tables were removed")
def tables_removed(bench):
    for kind in ("pie", "fixed", "library"):
        for command in (["strip", "-R", ".cinstr.note", "FILE"], ["objcopy", "-R", ".cinstr.note", "FILE"],
                        ["objcopy", "-R", ".note*", "-R", ".cinstr*", "FILE"],
                        ["llvm-objcopy", "-R", ".cinstr.note", "FILE"]):
            if not shutil.which(command[0]):
                continue
            work_on(bench, build(bench, kind)[1:], command)
            expect(bench, REMOVED)


def bolt_tool():
    found = sorted(glob.glob("/usr/bin/llvm-bolt*")) or [need("llvm-bolt")]
    return found[-1]


def by_bolt(bench, files, *words):
    """Has BOLT work on the files. False: it refuses the one with probes, as the room for them
    (abi.h) has unwind information and is not executable in the file."""
    for name in files:
        done = subprocess.run([bolt_tool(), name, "-o", name + ".bolt", *words], cwd=bench.folder, capture_output=True,
                              text=True)
        if "probes" in name and "section is non-executable" in done.stderr:
            check(not os.path.exists(bench.path(name + ".bolt")), "it has written a file all the same")
            return False
        check(done.returncode == 0, done.stderr)
        os.rename(bench.path(name + ".bolt"), bench.path(name))
    return True


@test("postlink/BOLT")
def bolt(bench):
    for kind in ("pie", "library"):
        for words in (["-reorder-blocks=ext-tsp", "-reorder-functions=hfsort"], ["-lite=0"], ["-split-functions"]):
            if by_bolt(bench, build(bench, kind, "-Wl,-q", "-fno-reorder-blocks-and-partition"), *words):
                expect(bench, MOVED)


@test("postlink/BOLT without relocations")
def bolt_in_place(bench):
    """It changes functions where they are, if it changes any."""
    if not by_bolt(bench, build(bench, "pie", "-fno-reorder-blocks-and-partition"), "-reorder-blocks=ext-tsp", "-lite=0"):
        return
    expected, got = run(bench, "plain"), run(bench, "probes")
    equal(got.stdout, expected.stdout, "output")
    leaf = calls(bench, "leaf")
    check(leaf == 2000 or (leaf is None and is_told(bench, MOVED)), f"calls of leaf: {leaf}")


# ---- damage --------------------------------------------------------------------------------


def section(path, name):
    """Offset and size of a section in its file."""
    with open(path, "rb") as file:
        data = file.read()
    table, = struct.unpack_from("<Q", data, 40)
    size, n, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(n)]
    for header in headers:
        at = headers[names][4] + header[0]
        if data[at:data.index(b"\0", at)].decode() == name:
            return header[4], header[5]
    raise lab.Failure(f"no section {name} in {path}")


def damage(data, begin, size, chance):
    """Damages one to three words or bytes of data[begin:begin + size]."""
    for _ in range(chance.choice([1, 1, 2, 3])):
        at = begin + chance.randrange(size // 4) * 4
        old, = struct.unpack_from("<I", data, at)
        kind = chance.randrange(6)
        if kind == 0:
            data[begin + chance.randrange(size)] = chance.randrange(256)
        elif kind == 1:
            struct.pack_into("<I", data, at, old ^ 1 << chance.randrange(32))
        elif kind == 2:
            struct.pack_into("<I", data, at, chance.choice([0, 1, 0x7fffffff, 0x80000000, 0xffffffff]))
        elif kind == 3:
            struct.pack_into("<I", data, at, (old + chance.choice([1, -1, 4, -4, 8, -8, 256])) & 0xffffffff)
        elif kind == 4:
            other = begin + chance.randrange(size // 4) * 4
            data[at:at + 4], data[other:other + 4] = data[other:other + 4], data[at:at + 4]
        else:
            data[at:begin + size] = bytes(begin + size - at)


@test("postlink/damaged tables in the file")
def damaged_file(bench):
    """RUNS: how many programs, the half of them with the notes moved by patchelf."""
    build(bench, "pie")
    expected = run(bench, "plain")
    with open(bench.path("probes"), "rb") as file:
        sound = file.read()
    chance, kinds = random.Random(int(os.environ.get("SEED", "33"))), {}
    for i in range(int(os.environ.get("RUNS", "120"))):
        data = bytearray(sound)
        damage(data, *section(bench.path("probes") if not i else bench.path("sound"), ".cinstr.note"), chance)
        if not i:
            shutil.copy(bench.path("probes"), bench.path("sound"))
        with open(bench.path("damaged"), "wb") as file:
            file.write(data)
        os.chmod(bench.path("damaged"), 0o755)
        if i % 4 == 3 and shutil.which("patchelf"):
            subprocess.run(["patchelf", "--set-rpath", LONG, "damaged"], cwd=bench.folder, check=True)
        shutil.rmtree(bench.path("cinstr.data"), ignore_errors=True)
        got = bench.run(bench.path("damaged"))
        equal((got.stdout, got.returncode), (expected.stdout, expected.returncode), f"run {i}")
        said = [line for line in got.stderr.splitlines() if line.startswith("cinstr: not recorded: ")]
        text = " ".join(bench.cinstr("report", "cinstr.data").split())
        leaf = calls(bench, "leaf")
        kinds[len(said)] = kinds.get(len(said), 0) + 1
        check(leaf in (2000, None), f"run {i}: leaf was called {leaf} times")
        check(leaf or said and "Nothing was recorded of damaged: " in text, f"run {i}: {said} {text}")
    check(kinds.get(1, 0) > kinds.get(0, 0), f"most damage is noticed: {kinds}")


@test("postlink/damaged tables in memory")
def damaged_memory(bench):
    """RUNS: how many; see programs/fuzz_tables.c."""
    library = bench.compile(program("tables_library.c"), "library.so", "-O2", "-shared", "-fPIC",
                            "-fplugin-arg-cinstr-lines")
    objects = [name for name in glob.glob(os.path.join(lab.BUILD, "obj/runtime/**/*.o"), recursive=True)
               if "/sampler" not in name]
    runtime = os.path.join(lab.ROOT, "runtime")
    machine = glob.glob(os.path.join(runtime, "arch/*/arch.h"))[0]
    bench.compile(program("fuzz_tables.c"), "fuzz", "-O2", "-w", "-rdynamic", "-I" + runtime,
                  "-I" + os.path.dirname(machine), lab.INCLUDE, *objects, "-ldl", "-pthread", plugin=None)
    done = bench.run(bench.path("fuzz"), library, os.environ.get("RUNS", "100000"), os.environ.get("SEED", "33"))
    accepted = int(re.search(r"(\d+) accepted", done.stdout).group(1))
    check(accepted > 0, done.stdout)
