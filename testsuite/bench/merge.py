# SPDX-License-Identifier: GPL-3.0-or-later
"""
cinstr merge, how fast and with how much memory: many processes with few call paths, few with many;
then merged files of ten such processes each. Each file is of a process of its own, as merge skips a
process that it has already. Processor time is told, as machines are busy; and whether one and
several at once make the same bytes. merge.py [SCALE]: 2,000 and 20 processes times this.
"""
import os
import re
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


def record(depth, times):
    """The data files of so many processes of a program."""
    with open(f"paths{depth}.c", "w") as file:
        file.write(program(depth))
    subprocess.run([os.environ.get("CC", "gcc"), "-O1", f"-fplugin={BUILD}/cinstr.so", "-fplugin-arg-cinstr-small=0", f"paths{depth}.c", "-o", f"paths{depth}"], check=True)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CINSTR")}
    found = []
    for i in range(times):
        folder = f"paths{depth}.{i}"
        subprocess.run([f"./paths{depth}"], env={**clean, "CINSTR_DATA": folder, "CINSTR_METHOD": "instrumentation", "CINSTR_PATHS": "1000000"}, check=True)
        found += [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".cinstr")]
    return found


def merge(output, paths, threads):
    """Seconds of processor time, megabytes, and how many call paths there are."""
    with open("list", "w") as file:
        file.writelines(f"{path}\n" for path in paths)
    inputs = ["@list"] if threads == 1 else paths
    with subprocess.Popen([COMMAND, "merge", "-o", output, *inputs], env={**os.environ, "CINSTR_REPORT_THREADS": str(threads)}, stderr=subprocess.PIPE, text=True) as done:
        said = done.stderr.read()
        _, status, usage = os.wait4(done.pid, 0)
        done.returncode = status
    if status or "skipped" in said:
        sys.exit(f"cinstr merge ended with {status}: {said}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, int(re.search(r"([0-9,]+) call path", said)[1].replace(",", ""))


def content(path):
    with open(path, "rb") as file:
        return file.read()


def show(what, paths):
    one, memory, nodes = merge("one", paths, 1)
    several, _, _ = merge("several", paths, 2)
    same = "the same bytes" if content("one") == content("several") else "OTHER BYTES"
    print(f"{len(paths):6} x {nodes:7,} call paths of {what:22}  {one:6.1f} s  {memory:5.0f} MB  {len(paths) * nodes / one / 1e6:5.2f} million nodes a second"
          f"  two at once: {several:6.1f} s, {same}", flush=True)


def measure(processes, depth):
    paths = record(depth, processes)
    tens = [paths[i:i + 10] for i in range(0, len(paths), 10)]
    merged = [f"ten{i}" for i in range(len(tens))]
    show("processes", paths)
    for name, ten in zip(merged, tens):
        merge(name, ten, 1)
    show("what was merged of ten", merged)
    for path in paths + merged:
        os.unlink(path)


def main():
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        measure(int(2000 * scale), 3)
        measure(int(20 * scale), 5)


if __name__ == "__main__":
    main()
