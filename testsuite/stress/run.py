# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs stress.c: what it counted must be what was recorded; under TSan nothing may be found."""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
sys.path.insert(0, os.path.join(HERE, "../lab"))
import lab  # noqa: E402

SECONDS = int(os.environ.get("STRESS_SECONDS", "3"))
PROGRAM = ["-O1", "-pthread", f"-I{ROOT}/include", "-fplugin-arg-cinstr-mark=top,marked", "-fplugin-arg-cinstr-suspend=inside,quiet"]
# As in the Makefile, with TSan's calls.
RUNTIME = ["-O1", "-g", "-std=gnu11", "-D_GNU_SOURCE", "-fPIC", "-fvisibility=hidden", "-ftls-model=initial-exec",
           "-fno-stack-protector", "-fno-plt", "-mgeneral-regs-only", "-fno-tree-loop-distribute-patterns", "-fcf-protection=none",
           "-fsanitize=thread", f"-I{ROOT}/include", f"-I{ROOT}/runtime",
           f"-I{ROOT}/runtime/arch/x86_64"]
# What TSan does not see: thunks and system calls. A thread's buffer, tree and probe_state are its
# own; they pass to the next thread through the list of free ones, under the store's lock, which
# TSan knows (it is made of atomics).
TSAN = "halt_on_error=0:second_deadlock_stack=1:history_size=4:exitcode=66:detect_deadlocks=0:report_signal_unsafe=0"
# (name, environment)
TOGGLING = ["+levels", "+probe_kinds"]  # workers that make the counts no truth
WAYS = [("as it is", {}), ("toggling", {}), ("timeline", {"CINSTR_TIMELINE": "64M"}), ("functions", {"CINSTR_PROBES": "functions"}),
        ("few paths", {"CINSTR_PATHS": "200"}), ("no restartable sequences", {"CINSTR_RESTARTABLE": "off"})]


def known(output):
    return {name: int(n) for name, n in (line.split() for line in output.splitlines())}


def check_truth(bench, done, name):
    bench.sound()
    if name == "toggling":
        return
    rows = bench.report()["rows"]
    for name, n in known(done.stdout).items():
        # A library that was loaded to several places may have several rows.
        lab.equal(sum(row["calls"] for row in rows if row["name"] == name), n, f"calls of {name}")
    lab.check("unrecorded" not in {row["name"] for row in rows}, "what is called with recording off was recorded")


def build_tsan_runtime(bench):
    """A libcinstr whose C parts are instrumented by TSan. Skip: TSan does not run here."""
    probe = bench.write("probe.c", "int main(void) { return 0; }")
    try:
        program = bench.compile(probe, "probe", "-fsanitize=thread", plugin=None)
    except lab.Failure:
        raise lab.Skip("no TSan for this compiler here")
    prefix = []
    if bench.run(program).returncode:
        # too much entropy in addresses for this TSan
        prefix = [lab.need("setarch"), os.uname().machine, "-R"]
        done = bench.run(*prefix, program)
        if done.returncode:
            raise lab.Skip(f"TSan does not run here: {done.stderr.strip()[:200]}")
    objects = []
    for source in sorted(glob.glob(os.path.join(ROOT, "runtime/**/*.[cS]"), recursive=True)):
        if "/sampler" in source:  # another library's
            continue
        objects.append(bench.path(os.path.basename(source) + ".o"))
        done = subprocess.run(lab.CC + RUNTIME + ["-c", source, "-o", objects[-1]], capture_output=True, text=True)
        lab.check(not done.returncode, f"{source}: {done.stderr[:1000]}")
    os.makedirs(bench.path("tsan"))
    done = subprocess.run(lab.CC + ["-shared", "-fsanitize=thread", "-Wl,-soname,libcinstr.so", "-Wl,-z,nodelete", "-o",
                                    bench.path("tsan/libcinstr.so")] + objects, capture_output=True, text=True)
    lab.check(not done.returncode, done.stderr[:1000])
    return prefix


def findings(text):
    """TSan's reports, each as its headline and the functions of the runtime it names, without
    repetitions."""
    short = {}
    for report in re.findall(r"={18}\nWARNING: ThreadSanitizer: (.*?)\n={18}", text, re.S):
        frames = re.findall(r"#[01] (\S+) (\S+)", report)
        key = report.splitlines()[0].split("(pid")[0] + " ".join(f"{f} {os.path.basename(where)}" for f, where in frames[:4])
        short.setdefault(key, report)
    return short


def tsan(bench):
    prefix = build_tsan_runtime(bench)
    library = bench.compile("programs/library.c", "library.so", "-O1", "-shared", "-fPIC", "-fsanitize=thread")
    program = bench.compile(os.path.join(HERE, "stress.c"), "stress", *PROGRAM, "-fsanitize=thread",
                            f"-L{bench.path('tsan')}", f"-Wl,-rpath,{bench.path('tsan')}", "-Wl,--no-as-needed", "-lcinstr")
    for name, env in WAYS:
        done = bench.run(*prefix, program, str(SECONDS), library, *(TOGGLING if name == "toggling" else []), env=dict(env, TSAN_OPTIONS=TSAN), timeout=600)
        with open(bench.path("tsan.log"), "a") as log:
            log.write(done.stderr)
        found = findings(done.stderr)
        lab.check(not found, f"{name}: {len(found)} findings: " + "; ".join(list(found)[:40]))
        lab.equal(done.returncode, 0, f"{name}: exit status, {done.stderr[-1500:]}")
        check_truth(bench, done, name)


def plain(bench, name, env):
    library = bench.compile("programs/library.c", "library.so", "-O2", "-shared", "-fPIC")
    program = bench.compile(os.path.join(HERE, "stress.c"), "stress", *PROGRAM)
    done = bench.run(program, str(SECONDS), library, *(TOGGLING if name == "toggling" else []), env=env, status=0, timeout=600)
    lab.equal(done.stderr, "", "messages")
    check_truth(bench, done, name)


def main():
    for name, env in WAYS:
        lab.TESTS.append((f"stress/{name}", lambda bench, name=name, env=env: plain(bench, name, env)))
    lab.TESTS.append(("stress/tsan", tsan))
    return lab.run_tests()


if __name__ == "__main__":
    sys.exit(main())
