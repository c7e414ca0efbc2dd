# SPDX-License-Identifier: GPL-3.0-or-later
"""Every way a program ends: same end, and the session holds everything up to it, open frames
included (D5, R15)."""
import json
import os
import re
import shutil
import signal
import time

import lab

ENDINGS = {
    "return": 6, "exit": 3, "_exit": 4, "quick_exit": 5, "pthread_exit": 0,
    "abort": -signal.SIGABRT, "sigterm": -signal.SIGTERM, "sigkill": -signal.SIGKILL, "segv": -signal.SIGSEGV,
}


def run_ending(bench, how):
    done = bench.same_as_plain("programs/endings.c", "-O2", "-fno-builtin", args=[how])
    lab.equal(done.returncode, ENDINGS[how], "exit status")
    tree = bench.tree()
    outer = tree["main"][1]["outer"]
    steps = 1001 if how == "return" else 1000
    lab.equal(outer[1]["step"][0], steps, "calls of step")
    lab.equal(tree["main"][1]["outer"][1]["finish"][0], 1, "calls of finish")
    bench.sound()


for ending in ENDINGS:
    lab.TESTS.append((f"ending/{ending}", lambda bench, ending=ending: run_ending(bench, ending)))


def told_of(bench, session="cinstr.data"):
    """What the views say of the one process: advice, the line above tables (also in json and csv),
    and cinstr info."""
    summary = bench.json("summary", bench.path(session))
    line = summary["session"]["died_first"]
    lab.equal(summary["session"]["died"], int(line != ""), "processes that died")
    for verb in "report", "summary", "tree":
        text = " ".join(bench.cinstr(verb, bench.path(session)).split())
        lab.equal("Ended" in text and " ".join(line.split()) in text, line != "", f"{verb} has {line!r}")
    rows = bench.cinstr("summary", "--format=csv", bench.path(session))
    lab.check(f"session,,died,,{int(line != '')},,," in rows and line in rows, rows)
    info = bench.cinstr("info", bench.path(session))
    ended = re.search(r"\n  ended +(.*)\n", info).group(1)
    ids = {item["id"] for item in summary["advice"]} & {"CI0109", "CI0211"}
    return line, ended, ids


LAST = "; recorded up to its last event"
HINTS = "killed by a signal, or ended by _exit() or exec in code without probes"


@lab.test("ending/who died by a signal is told")
def told(bench):
    seen = "was killed by a signal (no exit was seen) while in"
    expected = {
        "return": ("", "after exit's handlers (status 6), unknown (cinstr record sees it)", set()),
        "_exit": ("", "by a call of _exit while in finish", set()),
        "abort": ("died by SIGABRT: it called abort while in finish", "by SIGABRT: it called abort while in finish",
                  {"CI0109"}),
        "segv": (f"{seen} finish{LAST}", "by a signal (no exit was seen) while in finish", {"CI0109"}),
        "sigkill": (f"{seen} kill (called by finish){LAST}",
                    "by a signal (no exit was seen) while in kill (called by finish)", {"CI0109"}),
    }
    for how, (line, ended, ids) in expected.items():
        bench.same_as_plain("programs/endings.c", "-O2", "-fno-builtin", args=[how])
        got = told_of(bench)
        lab.check(got[0].endswith(line) and bool(got[0]) == bool(line), f"{how}: {got[0]!r}")
        lab.equal(got[1:], (ended, ids), how)


@lab.test("ending/cinstr record knows the signal")
def told_number(bench):
    program = bench.compile("programs/endings.c", "program", "-O2", "-fno-builtin")
    bench.run(lab.COMMAND, "record", "--", program, "segv", status=-signal.SIGSEGV)
    line, ended, ids = told_of(bench)
    lab.check(line.endswith("died by signal 11 (SIGSEGV, Segmentation fault) while in finish"), line)
    lab.equal((ended, ids), ("by signal 11 (SIGSEGV, Segmentation fault) while in finish", {"CI0109"}), "info, advice")


@lab.test("ending/who aborted is told by what it called")
def aborted(bench):
    source = bench.write("aborts.cc", """
        #include <assert.h>
        #include <exception>
        extern "C" __attribute__((noipa)) void fail(int how)
        {
                assert(how != 1);
                if (how == 2)
                        throw how;
                if (how == 3)
                        std::terminate();
        }
        __attribute__((noipa)) static void caught(void) { try { fail(2); } catch (int) { } }
        int main(int argc, char **) { caught(); fail(argc); return 0; }""")
    program = bench.compile(source, "aborts", "-O1")
    for args, why in (("",), "nobody caught an exception (__cxa_throw)"), (("", ""), "it called std::terminate"), ((), "an assertion failed"):
        bench.run(program, *args, status=-signal.SIGABRT)
        line, ended, ids = told_of(bench)
        lab.check("died by SIGABRT" in line and why in line and "while in fail" in line and ids == {"CI0109"}, f"{line} {ids}")
        lab.check(why in ended, ended)


@lab.test("ending/where _exit may go unseen nobody is called killed")
def told_unknown(bench):
    program = bench.compile("programs/endings.c", "program", "-O2", "-fno-builtin")
    for env in {"CINSTR_PROBES": "functions"}, {"CINSTR_ONLY": "step"}, {"CINSTR_MAX_OVERHEAD": "50"}, {"CINSTR_DEPTH": "2"}:
        for how, status in ("_exit", 4), ("segv", -signal.SIGSEGV):
            bench.run(program, how, status=status, env=env)
            line, ended, ids = told_of(bench)
            if how == "_exit" and "CINSTR_MAX_OVERHEAD" in env:
                continue  # its call was recorded
            lab.check(HINTS in line, f"{env} {how}: {line!r}")
            lab.equal(ids, {"CI0211"}, f"{env} {how}")
            lab.check(ended.startswith("without exit(): by a signal, or by _exit()"), ended)
    unseeing = bench.compile("programs/endings.c", "unseeing", "-O2", "-fno-builtin", "-fplugin-arg-cinstr-calls=none")
    bench.run(unseeing, "_exit", status=4)
    line, ended, ids = told_of(bench)
    lab.check(f"{HINTS}, while in finish" in line and ids == {"CI0211"}, f"calls=none: {line} {ids}")
    source = bench.write("leave.c", "#include <unistd.h>\nvoid leave(void) { _exit(4); }")
    library = bench.compile(source, "libleave.so", "-shared", "-fPIC", plugin=None)
    source = bench.write("caller.c", "void leave(void);\nint main(void) { leave(); return 0; }")
    bench.run(bench.compile([source, library], "caller", f"-Wl,-rpath,{bench.folder}"), status=4)
    line, ended, ids = told_of(bench)
    lab.check(f"{HINTS}, while in leave (called by main)" in line and ids == {"CI0211"}, f"{line} {ids}")


@lab.test("ending/record notes the end of the last program only")
def replaced(bench):
    """It becomes itself by exec, and that ends: the first one's time ends with the exec."""
    source = bench.write("becomes.c", """
        #include <signal.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        __attribute__((noipa)) static void work(const char *how)
        {
                if (!strcmp(how, "exits"))
                        exit(3);
                raise(SIGKILL);
        }
        int main(int argc, char **argv)
        {
                if (argc > 2)
                        execl("/proc/self/exe", "becomes", argv[1], (char *)0);
                usleep(50000);
                work(argv[1]);
                return 0;
        }""")
    program = bench.compile(source, "becomes", "-O1")
    for how, status, wanted in ("exits", 3, ["exec", "exit 3"]), ("dies", -9, ["exec", "signal 9 (KILL)"]):
        bench.run(lab.COMMAND, "record", "-o", how, program, how, "first", status=status)
        rows = bench.report(how, "process")["rows"]
        lab.equal(sorted(row["ended"] for row in rows), wanted, how)
        lab.equal(len([row for row in rows if row["elapsed_inclusive_ns"] > 4e7]), 1, how + ": who slept")


@lab.test("ending/who runs, or became another program, did not die")
def alive(bench):
    source = bench.write("alive.c", """
        #include <stdio.h>
        #include <string.h>
        #include <unistd.h>
        __attribute__((noipa)) static void work(const char *how)
        {
                if (!strcmp(how, "other"))
                        execl("/bin/sleep", "sleep", "60", (char *)0);
                if (!strcmp(how, "itself"))
                        execl("/proc/self/exe", "alive", "wait", (char *)0);
                puts("waits");
                fflush(stdout);
                pause();
        }
        int main(int argc, char **argv) { (void)argc; work(argv[1]); return 0; }""")
    program = bench.compile(source, "alive", "-O1")
    running = bench.start(program, "wait")
    running.stdout.readline()
    time.sleep(1.3)  # what is copied sooner is not told from the session itself
    lab.equal(told_of(bench), ("", "still running", set()), "of one that runs")
    shutil.copytree(bench.path("cinstr.data"), bench.path("copy"))
    lab.equal(told_of(bench, "copy")[0], "", "of one that runs, from a copy")
    lab.equal(bench.report("copy", "process")["rows"][0]["ended"], "running", "in a copy")
    running.kill()
    running.wait()
    lab.check("was killed by a signal" in told_of(bench)[0], "it was killed")
    line, ended, _ = told_of(bench, "copy")
    lab.check("has no noted end" in line and ended.startswith("not noted"), f"the copy does not know: {line} {ended}")
    for how in "other", "itself":
        for env in {}, {"CINSTR_PROBES": "functions"}:
            running = bench.start(program, how, env=env)
            wanted = ["exec"] if how == "other" else ["exec", "running"]
            for _ in range(500):
                rows = bench.run(lab.COMMAND, "report", "--by=process", "--format=json", bench.path("cinstr.data")).stdout
                rows = json.loads(rows or '{"rows": []}')["rows"]
                ends = sorted(row["ended"] for row in rows)
                # not those of before
                if ends == wanted and {row["pid"] for row in rows} == {running.pid}:
                    break
                time.sleep(0.02)
            lab.equal(ends, wanted, f"{how} {env}")
            lab.equal(bench.report()["session"]["died"], 0, "nobody died")
            running.kill()
            running.wait()


@lab.test("ending/a session of another machine knows no end that was not noted")
def elsewhere(bench):
    program = bench.compile("programs/endings.c", "program", "-O2", "-fno-builtin")
    bench.run(program, "sigkill", status=-signal.SIGKILL)
    boot = open("/proc/sys/kernel/random/boot_id").read().strip().encode()
    name = next(n for n in os.listdir(bench.path("cinstr.data")) if n.endswith(".cinstr"))
    with open(bench.path("cinstr.data", name), "rb") as file:
        bytes_ = file.read()
    lab.check(boot in bytes_, "the boot is not in the file")
    bench.run("mkdir", "other")
    with open(bench.path("other", name), "wb") as file:
        file.write(bytes_.replace(boot, boot[::-1]))
    told = bench.run(lab.COMMAND, "info", bench.path("other", name)).stdout
    lab.check("not noted: by a signal, by _exit()" in told, told)


@lab.test("ending/of many that died the first are told")
def many(bench):
    source = bench.write("many.c", """
        #include <sys/wait.h>
        #include <unistd.h>
        __attribute__((noipa)) static void crash(void) { *(volatile int *)8 = 1; }
        int main(void)
        {
                for (int i = 0; i < 12; i++) {
                        if (!fork())
                                crash();
                        wait(0);
                }
                return 0;
        }""")
    program = bench.compile(source, "many", "-O1")

    def told_of_many(**env):
        bench.run(program, status=0, env=env)
        session = bench.report()["session"]
        lab.equal(session["died"], 12, "died")
        return re.sub(r"pid \d+", "pid N", session["died_first"])

    lab.equal(told_of_many(), "12 processes died: " + "many (pid N) by a signal while in crash; " * 3 +
              "and 9 more (cinstr info)", "of those that died")
    lab.equal(told_of_many(CINSTR_PROBES="functions"),
              "12 processes ended by a signal, or by _exit() or exec in code without probes: " +
              "many (pid N) while in crash; " * 3 + "and 9 more (cinstr info)", "of those that may have ended otherwise")


@lab.test("ending/how long it has been, also while its threads are idle")
def until_now(bench):
    source = bench.write("idle.c", """
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        __attribute__((noipa)) static void work(void) { __asm__ volatile(""); }
        static void *worker(void *arg) { work(); pause(); return arg; }
        int main(void)
        {
                pthread_t id;
                for (int i = 0; i < 3; i++)
                        pthread_create(&id, NULL, worker, NULL);
                puts("waits");
                fflush(stdout);
                pause();
                return 0;
        }""")
    begin = time.time()
    running = bench.start(bench.compile(source, "idle", "-O1", "-pthread"))
    running.stdout.readline()
    time.sleep(2.2)
    live, least = bench.path("cinstr.data"), 2e9

    def lengths(session):
        process = json.loads(bench.cinstr("info", "--format=json", session))["processes"][0]
        row = bench.report(session, "process")["rows"][0]
        return {"session": bench.report(session)["session"]["duration_ns"], "info": process["recorded_ns"],
                "row": row["end_ns"] - row["begin_ns"]}

    def check(session, what):
        found = lengths(session)
        most = (time.time() - begin + 1) * 1e9
        for key, ns in found.items():
            lab.check(least <= ns <= most, f"{what}: {key}: {ns / 1e9} s")

    head = bench.cinstr("report", live)
    lab.check(re.search(r", until now (1\d|[2-9])[\d.]* s,", head), head)
    check(live, "of one that runs")
    bench.cinstr("control", live, "snapshot", bench.path("copy"))
    check(bench.path("copy"), "of a snapshot")
    running.kill()
    running.wait()
    time.sleep(0.5)
    lab.check(lengths(live)["session"] < 2e9, "of one that is gone only what it did is known")
    check(bench.path("copy"), "of a snapshot, when it is gone")
@lab.test("ending/killed from outside")
def killed(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    process = bench.start(program, "60000")
    lab.wait_for(lambda: lab.data_files(bench.path("cinstr.data")), "no data file")
    lab.wait_for(lambda: bench.functions().get("work", {}).get("calls", 0) > 2, "no calls")
    process.kill()
    lab.equal(process.wait(), -signal.SIGKILL, "exit status")
    rows = bench.functions()
    lab.check(rows["leaf"]["calls"] >= 1000, f"leaf: {rows['leaf']['calls']} calls")
    lab.check(rows["leaf"]["calls"] <= rows["work"]["calls"] * 1000 and
              rows["leaf"]["calls"] >= (rows["work"]["calls"] - 1) * 1000, "calls of leaf and work do not fit")
    bench.sound()


OPEN_AT_THE_END = """
    #include <pthread.h>
    #include <signal.h>
    #include <stdio.h>
    #include <string.h>
    #include <unistd.h>
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t nobody = PTHREAD_COND_INITIALIZER;
    static int waits;
    static volatile int sink, runs;
    __attribute__((noipa)) static void wait_for_work(void)
    {
            pthread_mutex_lock(&lock);
            waits = 1;
            for (;;)
                    pthread_cond_wait(&nobody, &lock);
    }
    __attribute__((noipa)) static void count_for_ever(void)
    {
            runs = 1;
            for (;;)
                    sink++;
    }
    static void *idle(void *arg) { wait_for_work(); return arg; }
    static void *busy(void *arg) { count_for_ever(); return arg; }
    static int is_waiting(void)
    {
            pthread_mutex_lock(&lock);
            int is = waits;
            pthread_mutex_unlock(&lock);
            return is;
    }
    __attribute__((noipa)) static void last(const char *how)
    {
            usleep(300000);
            if (!strcmp(how, "kill"))
                    raise(SIGKILL);
            if (!strcmp(how, "pause")) {
                    puts("waits");
                    fflush(stdout);
                    pause();
            }
    }
    int main(int argc, char **argv)
    {
            pthread_t id;
            pthread_create(&id, NULL, idle, NULL);
            pthread_create(&id, NULL, busy, NULL);
            while (!is_waiting() || !runs)
                    usleep(1000);
            last(argv[1]);
            return 0;
    }"""


def check_open(bench, session="cinstr.data"):
    """Both threads are still in what they have been in for 0.3 s and more: it counts, as time of a
    call that is open, and its parts fit."""
    rows = bench.functions(session)
    for name in "pthread_cond_wait", "wait_for_work", "count_for_ever":
        row = rows[name]
        lab.equal((row["calls"], row["open_calls"]), (1, 1), name)
        lab.check(row["elapsed_inclusive_ns"] >= 3e8, f"{name}: {row['elapsed_inclusive_ns']} ns")
        lab.check(row["off_cpu_exclusive_ns"] <= row["elapsed_exclusive_ns"], f"{name}: {row}")
    wait = rows["pthread_cond_wait"]
    lab.check(wait["off_cpu_exclusive_ns"] >= 2e8 and wait["application_exclusive_ns"] == 0, wait)
    lab.check(wait["elapsed_min_ns"] in (None, "") if "elapsed_min_ns" in wait else True, wait)
    lab.check("pthread_cond_wait" in bench.cinstr("tree", "--sort=elapsed", bench.path(session)), "tree")
    for row in bench.report(session, "thread")["rows"]:
        lab.check(row["elapsed_inclusive_ns"] >= 3e8, f"{row['name']}: {row['elapsed_inclusive_ns']} ns")
    bench.sound(session)


@lab.test("ending/what is open at the end has its time up to there")
def open_at_the_end(bench):
    program = bench.compile(bench.write("open.c", OPEN_AT_THE_END), "open", "-O1", "-pthread")
    bench.run(program, "end", env={"CINSTR_TIMELINE": "unlimited"})
    check_open(bench)
    lab.check("differ" not in bench.cinstr("refold", bench.path("cinstr.data")), "refold")
    end = bench.report()["session"]["duration_ns"] / 1e9
    # all wait for the last 0.3 s at least, whenever they began
    part = bench.json("report", f"--from={end - 0.25:.6f}s", f"--to={end - 0.15:.6f}s", bench.path("cinstr.data"))
    wait, = [row for row in part["rows"] if row["name"] == "pthread_cond_wait"]
    lab.check(end > 0.3 and 9.9e7 < wait["elapsed_inclusive_ns"] <= 1.001e8, f"a range of 0.1 s: {wait['elapsed_inclusive_ns']} ns")
    bench.run(program, "kill", status=-signal.SIGKILL)
    check_open(bench)
    bench.run(lab.COMMAND, "record", "-o", bench.path("recorded"), "--", program, "kill", status=-signal.SIGKILL)
    check_open(bench, "recorded")


@lab.test("ending/what is open when a snapshot is taken, or the session read")
def open_now(bench):
    program = bench.compile(bench.write("open.c", OPEN_AT_THE_END), "open", "-O1", "-pthread")
    running = bench.start(program, "pause")
    running.stdout.readline()
    check_open(bench)
    bench.cinstr("control", bench.path("cinstr.data"), "snapshot", bench.path("copy"))
    check_open(bench, "copy")
    running.kill()
    running.wait()
    pause = bench.functions("copy")["pause"]
    lab.equal((pause["calls"], pause["open_calls"]), (1, 1), "pause")


@lab.test("ending/stopped and continued")
def stopped(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    process = bench.start(program, "1500")
    lab.wait_for(lambda: lab.data_files(bench.path("cinstr.data")), "no data file")
    process.send_signal(signal.SIGSTOP)
    time.sleep(0.2)
    process.send_signal(signal.SIGCONT)
    lab.equal(process.wait(lab.TIMEOUT), 0, "exit status")
    bench.sound()


AFTER = """
    #include <signal.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    static const char *how = "";
    __attribute__((noinline)) void burn(void) { for (volatile int i = 0; i < 1000; i++) ; }
    __attribute__((destructor)) static void last(void)
    {
            burn();
            if (!strcmp(how, "sleep")) usleep(100000);
            if (!strcmp(how, "segv")) raise(SIGSEGV);
            if (!strcmp(how, "abort")) abort();
            if (!strcmp(how, "_exit")) _exit(7);
            burn();
    }
    int main(int argc, char **argv)
    {
            how = argv[1];
            burn();
            if (argc > 2) exit(5);
            return 5;
    }"""


@lab.test("ending/after exit's handlers")
def after_handlers(bench):
    """What destructors do is recorded, and an end that they make is no exit with main's status."""
    program = bench.compile(bench.write("after.c", AFTER), "program", "-O2")
    ends = {"none": (5, "by exit, status 5"), "sleep": (5, "by exit, status 5"), "_exit": (7, "by exit, status 7"),
            "segv": (-signal.SIGSEGV, "by signal 11 (SIGSEGV"), "abort": (-signal.SIGABRT, "by signal 6 (SIGABRT")}
    alone = {"none": "after exit's handlers (status 5), unknown", "sleep": "after exit's handlers (status 5), unknown",
             "_exit": "by a call of _exit while in last", "segv": "in a call of raise: probably by that signal",
             "abort": "by SIGABRT: it called abort while in last"}
    for how, (status, noted) in ends.items():
        for more in [], ["exit"]:
            bench.run(program, how, *more, status=status)
            process = bench.json("info", bench.path("cinstr.data"))["processes"][0]
            text = bench.cinstr("info", bench.path("cinstr.data"))
            lab.check(re.search(r"\n  ended +" + re.escape(alone[how]), text), f"{how} {more}: {text[:700]}")
            lab.equal(bench.functions()["burn"]["calls"], 3 if status == 5 else 2, f"calls of burn ({how})")
            if how == "sleep":
                lab.check(process["recorded_ns"] >= 100e6, f"the destructor's time is not there: {process['recorded_ns']}")
                lab.check(bench.report()["session"]["duration_ns"] >= 100e6, "nor in the session's length")
            bench.run(lab.COMMAND, "record", "-o", "noted", "--", program, how, *more, status=status)
            text = bench.cinstr("info", bench.path("noted"))
            lab.check(re.search(r"\n  ended +" + re.escape(noted), text), f"record, {how} {more}: {text[:700]}")


@lab.test("ending/a library without probes crashes behind the handlers")
def after_library(bench):
    library = bench.write("library.cc", """
        struct S { int *p; S() : p(new int(3)) {} ~S() { *(volatile int *)16 = *p; } } s;
        int lib(int x) { return x + 1; }""")
    bench.compile(library, "liblast.so", "-O2", "-shared", "-fPIC", plugin=None)
    main = bench.write("main.cc", "int lib(int); int main() { return lib(0) & 0; }")
    program = bench.compile(main, "program", "-O2", f"-L{bench.folder}", "-llast", f"-Wl,-rpath,{bench.folder}")
    bench.run(program, status=-signal.SIGSEGV)
    lab.check("after exit's handlers (status 0), unknown" in bench.cinstr("info", bench.path("cinstr.data")), "alone")
    bench.run(lab.COMMAND, "record", "-o", "noted", "--", program, status=-signal.SIGSEGV)
    lab.check("by signal 11 (SIGSEGV" in bench.cinstr("info", bench.path("noted")), "cinstr record")
