# SPDX-License-Identifier: GPL-3.0-or-later
"""What a process leaves that does next to nothing, however it ends."""
import ctypes
import glob
import mmap
import os
import signal

import lab

PAGE = 4096
PAGES = 21  # header, properties, marks, phases, modules, and a thread with little in it
NOTHING = """
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    if (argc > 1 && *argv[1] == 'k')
        raise(SIGKILL);
    if (argc > 1)
        execl("/bin/true", "true", (char *)0);
    return 0;
}
"""
ENDS = {"ended": ([], 0), "killed": (["k"], -signal.SIGKILL), "other program": (["e"], 0)}


def data_file(bench):
    files = glob.glob(bench.path("cinstr.data", "*.cinstr"))
    lab.equal(len(files), 1, "data files")
    return files[0]


def run_nothing(bench, end):
    args, status = ENDS[end]
    bench.run(bench.compile(bench.write("nothing.c", NOTHING), "nothing", "-O2"), *args, status=status)
    return data_file(bench)


def pages_in_memory(path):
    libc = ctypes.CDLL(None, use_errno=True)
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapping:
        first = ctypes.c_char.from_buffer(mapping)
        pages = (ctypes.c_ubyte * (len(mapping) // PAGE))()
        failed = libc.mincore(ctypes.c_void_p(ctypes.addressof(first)), ctypes.c_size_t(len(mapping)), pages)
        del first
    lab.check(not failed, "mincore()")
    return sum(page & 1 for page in pages)


def pages_with_blocks(path):
    return os.stat(path).st_blocks * 512 // PAGE


@lab.test("start/of a file's hole nothing is read ahead")
def read_ahead(bench):
    path = run_nothing(bench, "killed")
    lab.check(os.path.getsize(path) > 4 << 20, "the file has no hole")
    in_memory, with_blocks = pages_in_memory(path), pages_with_blocks(path)
    lab.check(in_memory <= with_blocks, f"{in_memory} pages are in memory, {with_blocks} have blocks")
    bench.sound()


for end_name in ENDS:
    @lab.test(f"start/blocks of a process that does nothing, {end_name}")
    def blocks(bench, end=end_name):
        pages = pages_with_blocks(run_nothing(bench, end))
        lab.check(pages <= PAGES, f"{pages} pages of the file have blocks, more than {PAGES}")
        bench.sound()
