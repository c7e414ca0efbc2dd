# SPDX-License-Identifier: GPL-3.0-or-later
"""Says which tests can notice a change of a file, the most likely ones first.

All are deterministic and quick: unit tests, tests in virtual time, golden outputs of the command,
and end-to-end tests that compare counts or words. Tests of which real time is the subject are none
of them.
"""
import dataclasses

# What reads recordings, but what is about damage and hostile names, which takes long.
UNIT = ["fold", "detail", "hot paths", "extremes", "modules", "values", "profile", "paths", "lines", "after", "columns",
        "shares", "output", "session", "beside", "mixed", "budget", "counters", "index", "calls", "timeline", "edges", "advice",
        "computing", "threads", "annotate", "course", "os counts", "selection", "phases", "suggest", "samples", "data",
        "open time", "waits", "wait times", "range", "rows", "findings", "choice", "executed", "call shares", "diff"]
RECORDING = ("cinstr", "libcinstr.so", "libcinstr-runtime.o", "virtual/libcinstr.so")

# End-to-end tests by what they are about, some fifteen seconds of them; a file has those of the
# longest name here that it begins with.
ABOUT = {
    "runtime/fold/": ["tree/[a-e]*", "jumps/[a-c]*", "phases/[ark]*", "hot path*", "mixed/alone: [ot]*"],
    "runtime/fold/fold_amount": ["moved/[ibw]*", "phases/[ark]*"],
    "runtime/fold/fold_sums": ["executed/of each*", "moved/w*"],
    "runtime/fold/fold_phase": ["phases/*", "mixed/counts of phases*"],
    "runtime/choice/": ["switching/[rwkfb]*", "switching/depth*0", "counting/[oe]*", "counting/8*", "counting/sites: [eo]*", "api/[a-c]*"],
    "runtime/choice/budget": ["budget/*"],
    "runtime/choice/counting": ["counting/[oea48]*", "counting/sites: [eocf]*", "mixed/counts of phases*"],
    "runtime/choice/direct": ["counting/[oetac]*", "counting/sites: [eo]*"],
    "runtime/choice/callee": ["counting/[oetac]*", "counting/sites: [eo]*"],
    "runtime/choice/module": ["library/*", "switching/[arwk]*", "counting/a library*", "counting/[oe]*", "api/[a-c]*"],
    "runtime/choice/rules": ["rules/[won]*", "switching/[rwk]*", "api/*"],
    "runtime/choice/segment": ["instructions/[wnou]*", "executed/two*", "executed/of each*threads*"],
    "runtime/choice/depth": ["switching/depth*", "switching/[rwkfb]*"],
    "report/values/": ["mixed/alone: [or]*", "mixed/what*", "extremes/*", "percall/*", "places/*", "lines/[a-e]*"],
    "report/rows/": ["mixed/alone: [or]*", "mixed/what*", "places/*", "hot path*", "phases/[ab]*", "used/*", "summary/*"],
    "report/rows/critical": ["waits/[bwo]*", "summary/*"],
    "report/rows/instruction": ["executed/by*", "executed/of each*"],
    "report/rows/wait": ["waits/*", "moved/[ib]*"],
    "report/rows/open_waits": ["hang/*", "waits/*"],
    "report/rows/place": ["places/*", "lines/*"],
    "report/rows/process": ["merge/[a-m]*", "ranks/*", "summary/*", "thread names/*"],
    "report/rows/caller": ["callers/*", "mixed/alone: [or]*", "counting/sites: e*"],
    "report/rows/counted": ["counting/sites: [ew]*", "counting/w*", "mixed/[cw]*"],
    "report/rows/known": ["counting/*what*", "mixed/[cw]*", "callers/*"],
    "report/rows/mixed": ["mixed/*", "callers/*"],
    "report/rows/budget": ["budget/*", "summary/*"],
    "report/mixed/": ["mixed/alone: [oartf]*", "mixed/[cw]*", "callers/*", "findings/*mixed*"],
    "report/findings/": ["findings/demo", "findings/formats", "findings/explain"],
    "report/findings/moved": ["findings/small*", "moved/findings*", "moved/b*"],
    "report/findings/findings_hangs": ["hang/*", "findings/explain"],
    "report/findings/findings_sarif": ["findings/SARIF", "findings/formats"],
    "report/findings/findings_code": ["findings/what inner*"],
    "report/findings/findings_calls": ["findings/short f*", "findings/a pointer*", "findings/a recursion*", "findings/*hot spot*"],
    "report/findings/computing": ["findings/*hot spot*", "findings/computing*", "findings/probes*"],
    "report/findings/findings_computing": ["findings/*hot spot*", "findings/computing*", "findings/probes*", "findings/work*"],
    "report/findings/findings_kernel": ["findings/page*", "findings/waits for pages*", "findings/the kernel*"],
    "report/findings/findings_libraries": ["findings/memory*", "findings/exceptions", "findings/strings*", "findings/what was*"],
    "report/findings/findings_format": ["findings/text*", "findings/computing*"],
    "report/findings/call_place": ["findings/*scan*", "findings/what was*"],
    "report/findings/findings_loops": ["findings/*scan*", "findings/a search*", "findings/text that*", "findings/strings*"],
    "report/findings/call_graph": ["findings/*scan*", "findings/a search*", "findings/text that*", "findings/a recursion*"],
    "report/findings/findings_processes": ["findings/time b*", "findings/short [cp]*", "findings/waits for c*", "findings/process*"],
    "report/findings/findings_ranks": ["findings/*ranks*", "findings/what calls*"],
    "report/findings/findings_rare": ["findings/rare*"],
    "report/findings/findings_system": ["findings/small*", "findings/a se*", "findings/flush*", "findings/a sy*", "findings/the same*",
                                        "findings/files*", "findings/polling", "findings/sleeps*"],
    "report/findings/findings_threads": ["findings/threads*", "findings/a team*", "findings/tasks*", "findings/more*"],
    "report/findings/findings_waiting": ["findings/*lock*", "findings/a loop*", "findings/polling", "findings/work*"],
    "report/findings/lock_holders": ["findings/*lock*"],
}


@dataclasses.dataclass(frozen=True)
class Notice:
    name: str
    programs: tuple  # that it runs
    command: tuple  # in the folder of the copy
    words: tuple = ()  # globs of end-to-end tests


def about(path):
    return ABOUT[max((name for name in ABOUT if path.startswith(name)), key=len)]


def notices_for(path, quick):
    """In order; quick: without end-to-end tests."""
    found = [Notice("unit", ("unit",), ("build/unit", *UNIT))]
    if path.startswith(("report/", "runtime/choice/")):
        found.append(Notice("cli", ("cinstr", "unit"), ("testsuite/cli/run.sh", "build/cinstr")))
    found.append(Notice("virtual", RECORDING, ("testsuite/e2e/run.sh",), ("virtual/*",)))
    if not quick:
        found.append(Notice("e2e", RECORDING, ("testsuite/e2e/run.sh",), tuple(about(path))))
    return found
