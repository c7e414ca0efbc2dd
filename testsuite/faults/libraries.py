# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries that come and go, destructors, and programs that replace parts of libc."""
import os
import shutil

from trial import check, data_files, equal, fault, same_run


def loads(name, how, threads, rounds, copies, runs=(2, 10)):
    @fault(name, runs, how)
    def prepare(t):
        program, plain = t.both("loads.c", "-pthread", "-ldl")
        library = t.compile("plugin.c", "-fPIC", "-shared", output="plugin.so")
        bare = t.compile("plugin.c", "-fPIC", "-shared", output="bare.so", plugin=None)

        def paths(of):
            names = [t.bench.path(f"copy{i}-{os.path.basename(of)}") for i in range(copies)]
            for one in names:
                shutil.copy(of, one)
            return names

        words = [str(threads), str(rounds)]
        expected = t.run(plain, *words, *paths(bare))
        with_probes = paths(library)
        n = threads * rounds

        def once(number):
            same_run(t.run(program, *words, *with_probes), expected)
            totals = t.totals()
            equal((totals["lost_events"], totals["lost_threads"]), (0, 0), "lost events and threads")
            calls = t.functions()
            equal((calls["plugin_work"], calls["helper"], calls["own"]), (10 * n, 20 * n, 10 * n), "calls")
            hooks = calls["hook"]  # one library may serve several threads at once
            check(2 <= hooks <= 2 * n and (threads > 1 or hooks == 2 * n), f"{hooks} calls of hook")

        return once


loads("dlopen and dlclose in a loop, at other addresses",
      "300 times one of 8 copies of a library with probes, constructor, destructor",
      1, 300, 8)
loads("dlopen and dlclose from four threads", "100 times each, 8 copies", 4, 100, 8)


def size_of_data(t):
    return sum(os.stat(path).st_size for path in data_files(t.path("cinstr.data")))


@fault("static and thread destructors", (3, 30),
       "thread_local objects, keys at all four rounds, in 400 threads; static ones behind main")
def destructors(t):
    program, plain = t.both("destructors.cc", "-pthread")
    expected = t.run(plain, "200")

    def once(number):
        same_run(t.run(program, "200"), expected)
        totals = t.totals()
        calls = t.functions()
        equal((totals["lost_events"], totals["lost_threads"]), (0, 0), "lost events and threads")
        equal((calls["_ZL6on_keyPv"], calls["_ZL4bodyPv"]), (800, 200), "calls")
        # Threads whose end nobody tells are found by the kernel's word: no more than 32 wait for
        # that.
        check(size_of_data(t) < 20 << 20, f"data of {size_of_data(t)} bytes")
        # Of each thread: object, its end, body, four rounds, a late one; and the global one's two.
        equal(calls["_ZL4leafi"], 200 * 8 + 2, "calls of leaf")

    return once


@fault("own malloc and pthread_create, with probes", (3, 30), "50 threads that allocate 100 times")
def interpose(t):
    program, plain = t.both("interpose.c", "-pthread", "-ldl", "-fno-builtin")
    expected = t.run(plain)

    def once(number):
        same_run(t.run(program), expected)
        totals = t.totals()
        calls = t.functions()
        equal((totals["lost_events"], totals["lost_threads"]), (0, 0), "lost events and threads")
        # The program's own pthread_create, and by it the C library's.
        equal((calls["work"], calls["pthread_create"]), (5000, 2 * 50), "calls")

    return once


@fault("restartable sequences of the program's own", (3, 30),
       "registered by hand with glibc's switched off; signals every 0.5 ms; its sum is exact")
def own_rseq(t):
    program, plain = t.both("rseq.c", "-pthread")
    env = {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}
    expected = t.run(plain, env=env)
    equal(expected.stdout, "600000\n", "the plain program's sum")
    t.lost = "switches are found by long intervals only; info says so"

    def once(number):
        same_run(t.run(program, env=env), expected)
        totals = t.totals()
        check(abs(t.functions()["leaf"] - 600000) < 60000, "calls of leaf")
        check("no restartable sequences" in totals["info"], "info does not say that there are none")

    return once
