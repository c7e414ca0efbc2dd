# SPDX-License-Identifier: GPL-3.0-or-later
"""
cinstr merge, how fast and with how much memory: many processes with few call paths, few with many.
One recorded process stands for all of them: its file is merged so often, and so is what was merged
of it. Processor time is told, as machines are busy; and whether one and several at once make the
same bytes.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(HERE, "../../build")))
COMMAND = os.path.join(BUILD, "cinstr")
WAYS = 10  # each function calls so many others, which are all different ones on a path


def program(depth):
    """A tree of WAYS ** depth call paths and those above them."""
    lines = ["volatile unsigned sink;", *(f"static void f{i}(int depth);" for i in range(WAYS))]
    calls = " ".join(f"f{i}(depth - 1);" for i in range(WAYS))
    lines += [f"__attribute__((noinline)) static void f{i}(int depth) {{ sink += {i}; if (depth) {{ {calls} }} }}" for i in range(WAYS)]
    lines += [f"int main(void) {{ int depth = {depth}; {calls} return 0; }}"]
    return "\n".join(lines) + "\n"


def record(depth):
    source = f"paths{depth}.c"
    with open(source, "w") as file:
        file.write(program(depth))
    subprocess.run([os.environ.get("CC", "gcc"), "-O1", f"-fplugin={BUILD}/cinstr.so", "-fplugin-arg-cinstr-small=0", source, "-o", f"paths{depth}"], check=True)
    subprocess.run([f"./paths{depth}"], env={**os.environ, "CINSTR_DATA": f"paths{depth}.data", "CINSTR_METHOD": "instrumentation", "CINSTR_PATHS": "1000000"}, check=True)
    folder = f"paths{depth}.data"
    return os.path.join(folder, next(name for name in os.listdir(folder) if name.endswith(".cinstr")))


def merge(output, path, times, threads):
    """Seconds of processor time, megabytes, and how many call paths there are."""
    with open("list", "w") as file:
        file.write(f"{path}\n" * times)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    inputs = ["@list"] if threads == 1 else [path] * times
    done = subprocess.Popen([COMMAND, "merge", "-o", output, *inputs], env={**os.environ, "CINSTR_REPORT_THREADS": str(threads)}, stderr=subprocess.PIPE, text=True)
    said = done.stderr.read()
    _, status, usage = os.wait4(done.pid, 0)
    done.returncode = status
    if status:
        sys.exit(f"cinstr merge ended with {status}: {said}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, usage.ru_maxrss / 1024, int(re.search(r"([0-9,]+) call path", said)[1].replace(",", ""))


def content(path):
    with open(path, "rb") as file:
        return file.read()


def show(processes, depth):
    path = record(depth)
    for what, source, times in (("processes", path, processes), ("what was merged of ten", "ten", max(1, processes // 10))):
        if source == "ten":
            merge("ten", path, 10, 1)
        one, memory, nodes = merge("one", source, times, 1)
        several, _, _ = merge("several", source, times, 2)
        same = "the same bytes" if content("one") == content("several") else "OTHER BYTES"
        print(f"{times:6} x {nodes:7,} call paths of {what:22}  {one:6.1f} s  {memory:5.0f} MB  {times * nodes / one / 1e6:5.2f} million nodes a second"
              f"  two at once: {several:6.1f} s, {same}", flush=True)


def main():
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        show(int(10000 * scale), 3)
        show(int(100 * scale), 5)


if __name__ == "__main__":
    main()
