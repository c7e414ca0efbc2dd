# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong while a program is sampled: it is never harmed, and what was recorded is
there."""
import ctypes
import os
import resource
import shutil
import signal
import subprocess
import time

import lab
import no_perf
import quiet
from sampled import Skip, check, compile, equal, exclusive, need, program, record, rows, test, wait_for_samples

SOURCES = "--sample-source=perf", "--sample-source=timers"


def start(bench, *command, options=(), session="cinstr.data", **more):
    return bench.start(lab.COMMAND, "record", "--sample", *options, "-o", bench.path(session), "--", *command, **more)


def child_of(process):
    """The program that a cinstr record runs."""

    def children():
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
            return [int(pid) for pid in file.read().split()]

    return lab.wait_for(children, "cinstr record has no child")[0]


def usable(bench, session="cinstr.data", least=50):
    """The session's report; its problems are none."""
    process, *_ = bench.json("info", bench.path(session))["processes"]
    equal(process["problems"], 0, "problems of the data file")
    report = bench.report(session)
    check(report["session"]["samples"] >= least, f"only {report['session']['samples']} samples")
    return report


@test("faults/the target is killed")
def _(bench):
    program = compile(bench, "shares.c", "-pthread")
    for option in SOURCES:
        session = option.replace("=", "-")
        recorder = start(bench, program, "2", "60000", options=[option], session=session)
        wait_for_samples(bench, session)
        os.kill(child_of(recorder), signal.SIGKILL)
        recorder.communicate(timeout=60)
        equal(recorder.returncode, -signal.SIGKILL, "cinstr record ends as the program did")
        report = usable(bench, session, least=90)
        check("half" in {row["name"] for row in report["rows"]}, "no symbols")
        process, = bench.json("info", bench.path(session))["processes"]
        equal(process["ended"], "signal 9 (KILL)", "how it ended")
        check(process["sampling"]["complete"], "the collector has ended orderly, and does not say so")


@test("faults/the collector is killed")
def _(bench):
    """The target runs on to its end, with its exit status and output; the data is usable without
    symbols in it."""
    program = compile(bench, "shares.c", "-pthread")
    for option in SOURCES:
        session = option.replace("=", "-")
        with open(bench.path("out"), "w+") as out, open(os.devnull, "w") as nowhere:
            recorder = subprocess.Popen([lab.COMMAND, "record", "--sample", option, "-o", bench.path(session), "--", program,
                                         "2", "1500"], stdout=out, stderr=nowhere, env=bench.environment())
            bench.started.append(recorder)
            wait_for_samples(bench, session)
            target = child_of(recorder)
            recorder.kill()
            recorder.wait()
            end = time.monotonic() + 60
            while os.path.exists(f"/proc/{target}") and time.monotonic() < end:
                # a zombie, where nobody waits for orphans
                with open(f"/proc/{target}/stat") as file:
                    if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                        break
                time.sleep(0.05)
            out.seek(0)
            text = out.read()
        check(text.strip().replace(".", "").isdigit() and float(text) >= 3000, f"{option}: the program says {text!r}, not 3000 ms")
        report = usable(bench, session)
        names = {row["name"] for row in report["rows"]}
        check({"half", "third"} <= names, f"{option}: no names: {sorted(names)}")
        process, = bench.json("info", bench.path(session))["processes"]
        check(not process["sampling"]["complete"], "nobody has completed it")
        check(not report["session"]["live"], "nobody records into it any more")


@test("faults/record ends by SIGTERM")
def _(bench):
    """Passed on to the program, as for the other method."""
    recorder = start(bench, compile(bench, "shares.c", "-pthread"), "1", "60000")
    wait_for_samples(bench)
    recorder.terminate()
    recorder.communicate(timeout=60)
    equal(recorder.returncode, -signal.SIGTERM, "exit status")
    usable(bench)


STORM = """
#include <pthread.h>
#include <time.h>

static void *work(void *unused)
{
	struct timespec now;

	do {
		for (volatile int i = 0; i < 20000; i++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_nsec < MS * 1000000);
	return unused;
}

int main(void)
{
	pthread_t threads[N];
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	for (int i = 0; i < N; i++)
		if (pthread_create(&threads[i], &attributes, work, 0))
			return 3;
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], 0);
	return 0;
}
"""


def inline(bench, name, text, *flags):
    return bench.compile(bench.write(name + ".c", text), name, "-O1", *flags, plugin=None)


@test("faults/1,000 threads")
def _(bench):
    program = inline(bench, "storm", STORM, "-pthread", "-DN=1000", "-DMS=5")
    for option in SOURCES:
        record(bench, program, options=[option], timeout=300)
        session = usable(bench, least=200)["session"]
        ms = (session["samples"] + session["samples_lost"]) * session["interval"] / 1e6
        # Timers are looked at by the kernel's tick, which does not find each of so short threads.
        least = 1000 if session["source"] == "timers" else 2500
        check(least <= ms <= 10000, f"{option}: {ms} ms of samples, of 1,000 threads of 5 ms each")
        threads = rows(bench, "thread")
        check(len(threads) >= 100, f"{option}: only {len(threads)} threads have samples")
        found, total = exclusive(bench)
        check(found.get("work", 0) >= 0.5 * total, f"{option}: {found}")


@test("faults/short-lived processes")
def _(bench):
    """Each of them has a small file, or, without a sample, none: then it is counted."""
    need("sh")
    bench.write("many.sh", "i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done; exit 5")
    record(bench, "sh", bench.path("many.sh"), options=["--sample=250us"], status=5)
    processes = bench.json("info", bench.path("cinstr.data"))["processes"]
    silent = sum(process["sampling"]["silent_processes"] for process in processes)
    check(len(processes) + silent >= 200, f"{len(processes)} files and {silent} silent processes, of 201")
    size = sum(os.stat(bench.path("cinstr.data", name)).st_blocks * 512 for name in os.listdir(bench.path("cinstr.data")))
    check(size <= 48 * 1024 * (len(processes) + 1), f"{size} bytes for {len(processes)} processes")
    check(all(process["problems"] == 0 for process in processes), "problems")


@test("faults/the ring overflows")
def _(bench):
    """Whole stacks of many samples while the collector is stopped: what is lost is counted."""
    program = compile(bench, "shares.c", "-pthread")
    for option in SOURCES:
        session = option.replace("=", "-")
        recorder = start(bench, program, "2", "2500", options=["--sample=100us", "--stacks=dwarf", option], session=session)
        wait_for_samples(bench, session)
        target = child_of(recorder)
        os.kill(recorder.pid, signal.SIGSTOP)
        lab.let_run(target, 2.5)  # of the 5 s that its two threads have
        os.kill(recorder.pid, signal.SIGCONT)
        recorder.communicate(timeout=120)
        equal(recorder.returncode, 0, "exit status")
        found = usable(bench, session)["session"]
        units = found["samples_kept"] + found["samples_lost"]
        # Threads' timers go off every 4 ms where the kernel says so: then the ring holds what comes
        # meanwhile.
        if found["interval"] < 1000000:
            check(found["samples_lost"] > 0, f"{option}: nothing was lost")
            check(0.6 * 5000 <= units * found["interval"] / 1e6 <= 1.3 * 5000,
                  f"{option}: {units} samples and lost ones every {found['interval']} ns, of 5000 ms")


# The kernel may look at timers every 4 ms only: these are 40 samples in the library and 20 in
# main(), or more of both if the collector is late. Each share that is asked for is missed once in
# 10^5.
UNTIL = """
#include <time.h>

static double taken_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

#define UNTIL(ms) \\
	for (double end = (ms); taken_ms() < end;) \\
		for (volatile int i = 0; i < 100000; i++)
"""
LIBRARY = UNTIL + """
void plugin_work(void)
{
	UNTIL(taken_ms() + 160)
		;
}
"""
LOADER = UNTIL + """
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The collector opens what is mapped; on a busy machine it may take its time. */
static int is_opened(const char *path)
{
	char folder[64], name[400], found[PATH_MAX];
	struct dirent *entry;
	int is = 0;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)getppid());
	for (dir = opendir(folder); dir && (entry = readdir(dir));) {
		ssize_t n;

		snprintf(name, sizeof(name), "%s/%s", folder, entry->d_name);
		n = readlink(name, found, sizeof(found) - 1);
		found[n > 0 ? n : 0] = 0;
		is |= !strncmp(found, path, strlen(path));
	}
	return dir ? closedir(dir), is : 1;
}

int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	void (*work)(void) = library ? (void (*)(void))dlsym(library, "plugin_work") : 0;

	if (!work)
		return fprintf(stderr, "%s\\n", dlerror()), 3;
	if (argc > 2 && (argv[2][0] == '/' ? rename(argv[2], argv[1]) : unlink(argv[1])))
		return 4;
	for (int i = 0; i < 200; i++) {
		work();
		if (is_opened(argv[1]))
			break;
	}
	if (dlclose(library))
		return 5;
	UNTIL(taken_ms() * 1.5)
		;
	return 0;
}
"""


def loader(bench):
    library = inline(bench, "plugin.so", LIBRARY, "-shared", "-fPIC")
    return inline(bench, "loader", LOADER, "-ldl"), library


@test("faults/dlclose before the symbols are looked up")
def _(bench):
    program, library = loader(bench)
    for option in SOURCES:
        record(bench, program, library, options=[option])
        found, total = exclusive(bench)
        check(found.get("plugin_work", 0) >= 0.3 * total, f"{option}: {found}")
        row = next(row for row in rows(bench) if row["name"] == "plugin_work")
        equal(os.path.basename(row["module"]), "plugin.so", "module")


@test("faults/a library that was deleted while it runs")
def _(bench):
    program, library = loader(bench)
    for option in SOURCES:
        shutil.copy(library, library + ".copy")
        record(bench, program, library, "delete", options=[option])
        os.rename(library + ".copy", library)
        found, total = exclusive(bench)
        check(found.get("plugin_work", 0) >= 0.3 * total, f"{option}: {found}")


@test("faults/a program that deletes itself")
def _(bench):
    text = LOADER.replace("void *library", "if (unlink(argv[0])) return 9; void *library")
    _, library = loader(bench)
    for option in SOURCES:
        program = inline(bench, "gone", text, "-ldl")
        record(bench, program, library, options=[option])
        found, total = exclusive(bench)
        check(found.get("main", 0) >= 0.1 * total, f"{option}: {found}")


@test("faults/a library that was replaced by another of the same name")
def _(bench):
    """Symbols are those of the file that ran."""
    program, library = loader(bench)
    other = bench.compile(bench.write("other.c", LIBRARY.replace("plugin_work", "wrong_name")), "other.so", "-O1", "-shared",
                          "-fPIC", plugin=None)
    record(bench, program, library, other)
    found, _ = exclusive(bench)
    check(found.get("plugin_work", 0) > 0 and "wrong_name" not in found, f"{found}")


ABSURD = """
__asm__(".text\\n.type absurd, @function\\nabsurd:\\n.cfi_startproc\\n" CFI
	"mov $20000000, %ecx\\n1: dec %ecx\\njnz 1b\\nret\\n.cfi_endproc\\n.size absurd, . - absurd\\n");
void absurd(void);

int main(void)
{
	for (int i = 0; i < 5; i++)
		absurd();
	return 0;
}
"""


@test("faults/unwind information that makes no sense")
def _(bench):
    """Registers that do not exist: the return address, one that holds another, one with a rule."""
    for cfi, is_found in ((".cfi_return_column 400000000", True), (".cfi_escape 9, 3, 255, 255, 255, 127", True),
                          (".cfi_escape 5, 128, 219, 242, 63, 0", False)):
        program = bench.compile(bench.write("absurd.c", ABSURD), "absurd", "-O1", f'-DCFI="{cfi}\\n"',
                                "-Wa,--gdwarf-cie-version=3", plugin=None)
        for option in SOURCES:
            record(bench, program, options=[option, "--stacks=dwarf"])
            found, total = exclusive(bench)
            check(found["absurd"] >= 0.5 * total, f"{cfi}: {found}")
            inclusive = {row["name"]: row["inclusive_samples"] for row in rows(bench)}
            check(not is_found or inclusive.get("main", 0) >= 0.5 * total, f"{cfi}: {inclusive}")


@test("faults/a full disk")
def _(bench):
    """What has no room is lost and counted; the program is not harmed."""
    program = compile(bench, "shares.c", "-pthread")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (80 << 10, 80 << 10))

    done = bench.run(lab.COMMAND, "record", "--sample=100us", "--sample-source=perf", "-o", bench.path("cinstr.data"), "--", program, "1",
                     "1000", preexec_fn=limit)
    equal(done.returncode, 0, f"exit status ({done.stderr})")
    session = usable(bench, least=100)["session"]
    check(session["samples_lost"] > 100, f"{session['samples_lost']} samples lost, {session['samples']} kept in 80 KB")


def lock_nothing():
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
    ctypes.CDLL(None).prctl(24, 14, 0, 0, 0)  # PR_CAPBSET_DROP, CAP_IPC_LOCK


@test("faults/little memory may be locked", quiet=True)
def _(bench):
    """Each processor has a ring of its own: what may be locked is shared out among them."""
    program = compile(bench, "shares.c", "-pthread")
    done = bench.run(lab.COMMAND, "record", "--sample", "--sample-source=perf", "-o", bench.path("cinstr.data"), "--", program, "2",
                     "300", preexec_fn=lock_nothing)
    equal(done.returncode, 0, f"exit status ({done.stderr})")
    usable(bench, least=100)


@test("faults/another recording has all that may be locked", quiet=True)
def _(bench):
    """Timers do instead, unless the kernel's events were asked for."""
    with open("/proc/sys/kernel/perf_event_paranoid") as file:
        if int(file.read()) < 0:
            raise Skip("kernel.perf_event_paranoid is below 0: any memory may be locked")
    program = compile(bench, "shares.c", "-pthread")
    quiet.measured(lambda: beside_another(bench, program))


def beside_another(bench, program):
    other = start(bench, program, "2", "60000", options=["--sample-source=perf"], session="other")

    def has_rings():
        check(other.poll() is None, "it has ended")
        with open(f"/proc/{other.pid}/maps") as file:
            return "[perf_event]" in file.read()

    try:
        lab.wait_for(has_rings, "no rings of the other recording")
        for options, status in ([], 0), (["--sample-source=perf"], 1), (["--event=cpu-clock"], 0):
            done = bench.run(lab.COMMAND, "record", "--sample", *options, "-o", bench.path("cinstr.data"), "--", program, "2", "300",
                             preexec_fn=lock_nothing)
            # a recording of somebody else's that ends may leave room
            lab.check_time("no more memory may be locked" in done.stderr, f"{options}: {done.stderr}")
            equal(done.returncode, status, f"{options}: exit status ({done.stderr})")
            if not status:
                usable(bench, least=100)
                process, *_ = bench.json("info", bench.path("cinstr.data"))["processes"]
                equal(process["sampling"]["source"], "timers", "what took samples")
    finally:
        other.kill()
        other.wait()


@test("faults/perf is forbidden, as in a container")
def _(bench):
    inside = no_perf.build(bench)
    program = compile(bench, "shares.c", "-pthread")
    done = bench.run(inside, lab.COMMAND, "record", "--sample", "-o", bench.path("cinstr.data"), "--", program, "2", "500")
    if done.returncode == no_perf.NO_FILTER:
        raise Skip("no seccomp filters here")
    equal(done.returncode, 0, f"exit status ({done.stderr})")
    session = usable(bench, least=100)["session"]
    equal(session["source"], "timers", "source")
    check("perf" in done.stderr or "perf_event_open" in done.stderr, f"it does not say why: {done.stderr}")
    found, total = exclusive(bench)
    check(found.get("half", 0) > 0.3 * total, f"{found}")


@test("faults/perf is forbidden and asked for")
def _(bench):
    inside = no_perf.build(bench)
    program = compile(bench, "shares.c", "-pthread")
    done = bench.run(inside, lab.COMMAND, "record", "--sample", "--sample-source=perf", "-o", bench.path("cinstr.data"), "--", program,
                     "1", "100")
    if done.returncode == no_perf.NO_FILTER:
        raise Skip("no seccomp filters here")
    check(done.returncode != 0 and "perf_event_open" in done.stderr and "--sample-source=timers" in done.stderr, f"status {done.returncode}: {done.stderr}")


@test("faults/detaching leaves the target unharmed")
def _(bench):
    """cinstr record --pid; ^C detaches, and the program goes on."""
    program = compile(bench, "shares.c", "-pthread")
    target = bench.start(program, "2", "3000")
    recorder = bench.start(lab.COMMAND, "record", "--sample", "-o", bench.path("cinstr.data"), "--pid", str(target.pid))
    wait_for_samples(bench)
    recorder.send_signal(signal.SIGINT)
    out, err = recorder.communicate(timeout=60)
    equal(recorder.returncode, 0, f"exit status of cinstr record ({err})")
    check(target.poll() is None, "the target has ended")
    session = usable(bench)["session"]
    equal(session["attached_processes"], 1, "attached processes")
    equal(session["detached_processes"], 1, "detached processes")
    found, total = exclusive(bench)
    check(found.get("half", 0) > 0.3 * total, f"{found}")
    out, err = target.communicate(timeout=60)
    equal(target.returncode, 0, "exit status of the target")
    check(float(out) >= 6000, f"the target says {out!r}")


@test("faults/read again and again while it is recorded")
def _(bench):
    """A reader finds whole samples, each with its stack, whatever the collector is doing."""
    recorder = start(bench, compile(bench, "shares.c", "-pthread"), "2", "2000", options=["--stacks=dwarf"])
    wait_for_samples(bench)
    before = reports = 0
    while recorder.poll() is None:
        report = usable(bench)
        check(report["session"]["samples"] >= before, f"{report['session']['samples']} samples, and {before} before")
        names = {row["name"]: row["exclusive_samples"] for row in report["rows"]}
        check(not names.get("[anonymous code]") and names.get("half"), f"{names}")
        before, reports = report["session"]["samples"], reports + 1
    check(reports >= 3, f"only {reports} reports meanwhile")
    equal(recorder.returncode, 0, "exit status")
    check(usable(bench)["session"]["samples"] >= before, "samples were lost at the end")


@test("faults/a session's folder that is deleted while it is recorded")
def _(bench):
    recorder = start(bench, compile(bench, "shares.c", "-pthread"), "2", "1500")
    wait_for_samples(bench)
    shutil.rmtree(bench.path("cinstr.data"))
    out, err = recorder.communicate(timeout=120)
    equal(recorder.returncode, 0, f"exit status ({err})")
    check(float(out) >= 3000, f"the program says {out!r}")
    check("nothing is left of what was recorded: the session's folder was deleted" in err, err)
    check("cinstr: recorded" not in err, err)


@test("faults/a session's folder that is moved while it is recorded")
def _(bench):
    recorder = start(bench, compile(bench, "shares.c", "-pthread"), "2", "1500")
    wait_for_samples(bench)
    os.rename(bench.path("cinstr.data"), bench.path("elsewhere"))
    out, err = recorder.communicate(timeout=120)
    equal(recorder.returncode, 0, f"exit status ({err})")
    check("folder was moved" in err and "cinstr summary elsewhere" in err, err)
    usable(bench, "elsewhere")
