# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that look at their own code: by default it is left as it is, which is said; there are
samples, and probes for who asks for them."""
import os

from host import calls, check, equal, lab, program, test

KINDS = {"pie": [], "fixed": ["-no-pie", "-fno-pie"], "lto": ["-flto"]}
REASON = "it looks at its own code, which probes would change"
ASKED = {"CINSTR_CHECKED_CODE": "change"}


def build(bench, way, *flags):
    return bench.compile(program("own_code.c"), "probes", "-O2", "-w", f"-D{way}", "-fplugin-arg-cinstr-small=0", *flags)


def unchanged(bench, command, **env):
    """Runs it without the runtime and with it: the output is equal. Returns what was said."""
    expected = bench.run(command, env={"CINSTR": "off"}, status=0)
    done = bench.run(command, env=env, status=0)
    equal(done.stdout, expected.stdout, "output")
    return done.stderr


for way in "HEADER", "SUM", "ENDS", "COPY":
    for kind, flags in KINDS.items():
        @test(f"own code/{way.lower()}, {kind}")
        def left_alone(bench, way=way, flags=flags):
            command = build(bench, way, *flags)
            for _ in range(2):
                said = unchanged(bench, command, CINSTR_VERBOSE="1")
                check(REASON in said and command in said and "CINSTR_CHECKED_CODE=change" in said, f"said: {said}")
            check(not os.path.exists(bench.path("cinstr.data")), "a session was made")


@test("own code/the reason is told once, and a good session stays")
def reason(bench):
    bench.run(build(bench, "BOUND"), status=0)
    build(bench, "HEADER")
    done = bench.run(bench.path("probes"), status=0, env={"CINSTR_VERBOSE": "1"})
    equal(len(done.stderr.splitlines()), 1, f"lines said: {done.stderr}")
    equal(calls(bench, "leaf"), 100000, "calls of leaf in the session of before")


@test("own code/probes for who asks for them")
def asked(bench):
    command = build(bench, "HEADER")
    expected = bench.run(command, env={"CINSTR": "off"}, status=0).stdout
    equal(expected.split()[1], "1", "parts of the code that are as in the file")
    changed = bench.run(command, env=ASKED, status=0).stdout
    equal(changed.split()[1], "1000", "the check has found no probe")
    equal(calls(bench, "leaf"), 100000, "calls of leaf")
    bench.run(lab.COMMAND, "record", "--checked-code=change", "-o", "asked", "--", command, status=0)
    equal(calls(bench, "leaf", "asked"), 100000, "calls of leaf, by record")


@test("own code/there are samples")
def sampled(bench):
    command = build(bench, "SUM", "-g")
    done = bench.run(lab.COMMAND, "record", "-o", "samples", "--", command, env={"CINSTR_METHOD": "auto"}, status=0)
    equal(done.stdout, bench.run(command, env={"CINSTR": "off"}, status=0).stdout, "output")
    check(REASON in done.stderr and "not built with" not in done.stderr, f"said: {done.stderr}")
    check("only sampled" in done.stderr and "recorded 0 samples" not in done.stderr, f"said: {done.stderr}")


@test("own code/of a library: the program has its probes")
def library(bench):
    bench.compile(program("own_code.c"), "liblooks.so", "-O2", "-w", "-DCOPY", "-DLIBRARY", "-shared", "-fPIC",
                  "-fplugin-arg-cinstr-small=0")
    bench.write("main.c", "#include <stdio.h>\nlong library_work(void);\n"
                "__attribute__((noinline)) int work(int i) { __asm__(\"\"); return i; }\n"
                "int main(void) { for (int i = 0; i < 10; i++) work(i); return library_work() < 0; }\n")
    command = bench.compile(bench.path("main.c"), "main", "-O2", "-fplugin-arg-cinstr-small=0", f"-L{bench.folder}",
                            "-llooks", f"-Wl,-rpath,{bench.folder}")
    unchanged(bench, command)
    equal(calls(bench, "work"), 10, "calls of the program's work")
    equal(calls(bench, "leaf"), None, "calls of the library's leaf")
    text = " ".join(bench.cinstr("report", "cinstr.data").split())
    check(f"liblooks.so: {REASON}" in text, text)


@test("own code/a bound of the code alone says nothing")
def bound(bench):
    unchanged(bench, build(bench, "BOUND"))
    equal(calls(bench, "leaf"), 100000, "calls of leaf")
