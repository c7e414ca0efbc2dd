# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows one change to the tests, within limits: what is changed may do anything.

What runs is a group of processes of its own, which ends with the test; its memory, its processor
time and the size of its files are limited, and its scratch files are in the copy. Memory is looked
at each second, for the command reserves address space that it never uses; if that is too late, the
kernel ends these processes before any other.
"""
import os
import resource
import selectors
import shutil
import signal
import subprocess
import time

import hangs
import notices

LIMIT = 240  # seconds of processor time of all end-to-end tests of a change
PATIENCE = 10  # times as long by the clock: other processes may have the processors
GIGABYTE = 1 << 30
ENDLESS = "it does not end"
MOST_RESIDENT = 4 * GIGABYTE
SOUND = {}  # what noticed: whether it passes without a change
LISTED = {}


def try_change(copy, change, text, quick):
    """Returns "broken" (it does not compile), "same" (to the same code), "survived", or who
    noticed."""
    while True:
        try:
            how, noticed = looked_at(copy, change, text, quick)
        finally:
            copy.restore()
        if not noticed or is_sound(copy, noticed):
            return how


def looked_at(copy, change, text, quick):
    """That, and what noticed: (notice, end-to-end test or None)."""
    programs = copy.change(change, text)
    if not programs:
        return "same" if programs is not None else "broken", None
    for notice in notices.notices_for(change.path, quick):
        if set(programs) & set(notice.programs):
            if not copy.link(notice.programs):
                return "broken", None
            who, test = noticed_by(copy, notice)
            if who:
                return f"{notice.name}: {who}", (notice, test)
    return "survived", None


def is_sound(copy, noticed):
    """Whether what noticed passes without a change, which is tried once. An end-to-end test that
    does not is left out; nothing is measured if another one does not."""
    notice, name = noticed
    if notice.words and not name:  # all of them together took too long or too much
        return True
    key = name or notice.name
    if key not in SOUND:
        command = (*notice.command, "--exact", name) if name else notice.command
        SOUND[key] = copy.link(notice.programs) and not first_failure(copy, command, 60)
        print("" if SOUND[key] else f"it fails without a change: {key}\n", end="", flush=True)
    if not SOUND[key] and not name:
        raise RuntimeError(f"{key} fails without a change")
    return SOUND[key]


def noticed_by(copy, notice):
    """What failed, and of end-to-end tests the name. All must fail twice, but unit
    tests that fail."""
    if not notice.words:
        who = first_failure(copy, notice.command, 20)
        if who and (notice.name != "unit" or who == ENDLESS):  # other processes may be the cause
            who = first_failure(copy, notice.command, 60)
        return who, None
    names = [name for name in listed(copy, notice) if SOUND.get(name, True)]
    while names:
        text = first_failure(copy, (*notice.command, "--exact", *names), LIMIT)
        who = next((name for name in names if text and text.startswith(name + ": ")), None)
        if not who:
            return text, None
        if first_failure(copy, (*notice.command, "--exact", who), 60):
            return who, who
        names = names[names.index(who) + 1:]
    return None, None


def listed(copy, notice):
    """End-to-end tests that these globs mean, without those that compare real time."""
    if notice.words not in LISTED:
        done = subprocess.run([*notice.command, "--list", *notice.words], cwd=copy.folder, capture_output=True, text=True,
                              check=True, env=environment(copy))
        LISTED[notice.words] = [line[4:] for line in done.stdout.splitlines() if line.startswith("any ")]
    return LISTED[notice.words]


def environment(copy):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("CINSTR", "MAKE"))}
    return {**clean, "ROOT": copy.folder, "BUILD": copy.path("build"), "UNIT": copy.path("build/unit"), "TMPDIR": copy.path("tmp"),
            "LC_ALL": "C", "LIMIT": "30", "CI": ""}


def resident(pid):
    """Bytes of memory of a process and its descendants."""
    pages = (hangs.read(f"/proc/{one}/statm").split() for one in [pid, *hangs.descendants(pid)])
    return sum(int(words[1]) for words in pages if words) * resource.getpagesize()


def limit():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    for what, most in [(resource.RLIMIT_AS, 64 * GIGABYTE), (resource.RLIMIT_CPU, 120), (resource.RLIMIT_FSIZE, GIGABYTE),
                       (resource.RLIMIT_CORE, 0)]:
        resource.setrlimit(what, (most, most))


def first_failure(copy, command, seconds):
    """Runs tests until one fails, or all have so many seconds of processor time; its name, or what
    else went wrong; None: all pass."""
    os.makedirs(copy.path("tmp"), exist_ok=True)
    process = subprocess.Popen(command, cwd=copy.folder, env=environment(copy), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=limit)
    try:
        return failure_in(process, seconds)
    finally:
        end(process, copy)


def processor_seconds(pid):
    """Of a process, its descendants, and what they have waited for."""
    found = [hangs.read(f"/proc/{one}/stat").rpartition(")")[2].split() for one in [pid, *hangs.descendants(pid)]]
    return sum(int(word) for words in found for word in words[11:15]) / os.sysconf("SC_CLK_TCK")


def failure_in(process, seconds):
    end = time.monotonic() + PATIENCE * seconds
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        text, at = b"", 0
        while True:
            if not selector.select(1):
                if processor_seconds(process.pid) > seconds or time.monotonic() > end:
                    return ENDLESS
                if resident(process.pid) > MOST_RESIDENT:
                    return "it takes too much memory"
                continue
            piece = os.read(process.stdout.fileno(), 65536)
            text += piece
            for line in text[at:].split(b"\n")[:-1]:
                if line.startswith(b"FAIL "):
                    return line[5:].decode(errors="replace")
            at = text.rfind(b"\n") + 1
            if not piece:
                status = process.wait()
                return f"ended with {status}" if status or b" passed, " not in text else None


def end(process, copy):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    process.stdout.close()
    hangs.kill(hangs.inside(copy.path("tmp")))
    shutil.rmtree(copy.path("tmp"), ignore_errors=True)
