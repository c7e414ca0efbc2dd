# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs: whose processes they are, where they stand, and their end.

As a command, hangs.py SECONDS COMMAND...: runs a suite and passes on its output. When there is none
for so long, it says so, shows the stacks of the suite's processes, kills them, and ends with status
124. check.py runs every suite so; besides, each test in Python has a limit of its own (lab/lab.py).
"""
import os
import select
import shutil
import signal
import subprocess
import sys
import time

MOST_SHOWN = 6
LINES = 60  # of each process


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def link(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


def parents():
    """{process number: its parent's}, without those that have ended."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
        if fields and fields[0] not in "ZX":
            found[int(pid)] = int(fields[1])
    return found


def descendants(pid):
    """Those whose parents are still there; not the process itself."""
    parent, found = parents(), {pid}
    while True:
        more = {child for child, of in parent.items() if of in found} - found
        if not more:
            return sorted(found - {pid})
        found |= more


def inside(folder):
    """What runs in the folder, or is a program there: orphans as well."""
    folder = os.path.realpath(folder)
    places = {pid: (link(f"/proc/{pid}/cwd"), link(f"/proc/{pid}/exe")) for pid in parents()}
    return sorted(pid for pid, both in places.items()
                  if pid != os.getpid() and any(place == folder or place.startswith(folder + "/") for place in both))


def stack(pid):
    """By gdb if it is there; what the kernel tells in any case."""
    words = read(f"/proc/{pid}/cmdline").replace("\0", " ").strip()
    state = read(f"/proc/{pid}/stat").rpartition(")")[2].split()[:1]
    lines = [f"process {pid}, state {''.join(state)}, in {read(f'/proc/{pid}/wchan') or '?'}: {words}"]
    gdb = shutil.which("gdb")
    if gdb:
        try:
            done = subprocess.run([gdb, "-q", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-p", str(pid),
                                   "-ex", "thread apply all backtrace 20"], capture_output=True, text=True,
                                  errors="replace", timeout=30, stdin=subprocess.DEVNULL)
            frames = [line for line in done.stdout.splitlines() if line.startswith(("#", "Thread "))]
            lines += frames[:LINES] or done.stderr.splitlines()[-2:]
        except subprocess.TimeoutExpired:
            lines.append("gdb does not end")
    return "\n    ".join(lines)


def show_and_kill(pids):
    """Their stacks, the youngest first, which the others may be waiting for; then they are gone."""
    text = [stack(pid) for pid in sorted(pids, reverse=True)[:MOST_SHOWN]]
    if len(pids) > MOST_SHOWN:
        text.append(f"{len(pids) - MOST_SHOWN} more processes")
    kill(pids)
    return "\n".join(text)


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def pass_on(process, seconds):
    """Its output, until it and that have ended; False: there was none for so long."""
    pipe, last = process.stdout.fileno(), time.monotonic()
    while time.monotonic() < last + seconds:
        if select.select([pipe], [], [], min(seconds, 5))[0]:
            data, last = os.read(pipe, 65536), time.monotonic()
            if not data:
                return True
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        elif process.poll() is not None:  # what it left behind has the pipe still
            return True
    return False


def main():
    seconds = float(sys.argv[1])
    process = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if pass_on(process, seconds):
        status = process.wait()
        return status if status >= 0 else 128 - status
    print(f"no output for {seconds:.0f} s: it hangs; its processes are killed", flush=True)
    print(show_and_kill([process.pid] + descendants(process.pid)), flush=True)
    process.wait()
    return 124


if __name__ == "__main__":
    sys.exit(main())
