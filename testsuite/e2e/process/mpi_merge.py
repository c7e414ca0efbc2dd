# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr-mpi: the bytes of cinstr merge by any number of ranks; ranks that die; full disks."""
import glob
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess

import hangs
import lab
import quiet

# Open MPI's warnings of what a machine without a network lacks; MPICH's and its ways of waiting are
# as they are.
ENVIRONMENT = {"OMPI_MCA_btl_base_warn_component_unused": "0", "OMPI_MCA_plm_rsh_agent": "false"}
FLAVOURS = {
    "Open MPI": ("mpicc.openmpi", ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe")),
    "MPICH": ("mpicc.mpich", ("mpirun.mpich",)),
}
SOON = 30  # seconds in which a job ends after a rank's death; it takes one or two


def each_flavour(name):
    """Registers the test for both."""

    def register(function):
        for flavour in FLAVOURS:
            lab.test(f"mpi/{name}, {flavour}")(lambda bench, flavour=flavour: function(bench, Mpi(bench, flavour)))
        return function

    return register


class Mpi:
    """One MPI: its compiler, its launcher, cinstr-mpi built for it."""

    def __init__(self, bench, flavour):
        mpicc, mpirun = FLAVOURS[flavour]
        lab.need(mpicc)
        lab.need(mpirun[0])
        self.bench, self.flavour, self.mpicc, self.mpirun = bench, flavour, mpicc, mpirun
        self.program = os.path.join(lab.BUILD, "mpi", mpicc, "cinstr-mpi")
        if not os.path.exists(self.program):
            raise lab.Skip(f"cinstr-mpi is not built for {mpicc}: make check does that")

    def command(self, ranks, *arguments):
        return (*self.mpirun, "-np", str(ranks), *arguments)

    def run(self, ranks, *arguments, status=None, **options):
        """MPICH's launcher may die of SIGPIPE when all ranks fail at once: then once more."""
        env = {**ENVIRONMENT, **options.pop("env", {})}
        for _ in range(5):
            done = self.bench.run(*self.command(ranks, *arguments), env=env, **options)
            if done.returncode != -signal.SIGPIPE:
                break
        if status is not None:
            lab.equal(done.returncode, status, f"exit status of {arguments}: {done.stderr}")
        return done

    def merge(self, ranks, output, *inputs, status=0, **options):
        return self.run(ranks, self.program, "merge", "-o", output, *inputs, status=status, **options)


def content(bench, name):
    with open(bench.path(name), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def plain(bench, output, *inputs, status=0):
    bench.run(lab.COMMAND, "merge", "-o", output, *inputs, status=status)
    return content(bench, output)


def sessions(bench, number):
    """A folder of so many sessions of three programs: some do other things, one has tags."""
    program = bench.compile("programs/views.c", "program", "-O1")
    other = bench.compile("trees/recursion.c", "other", "-O1")
    tags = bench.compile("programs/user_values.c", "tags", "-O1", "-pthread", lab.INCLUDE)
    for i in range(number):
        bench.run(*(tags, "end") if i % 7 == 6 else (program, str(i % 5)) if i % 3 else (other,), env={"PMIX_RANK": str(i), "PMIX_NAMESPACE": "4713", "CINSTR_DATA": "in/%r.%p"})
    return sorted(os.path.relpath(path, bench.path(".")) for path in glob.glob(bench.path("in/*")))


@each_flavour("the same bytes by any number of ranks")
def same_bytes(bench, mpi):
    parts = sessions(bench, 21)
    expected = plain(bench, "plain", "in")
    lab.equal(len(bench.json("report", "--by=tag", bench.path("plain"))["tags"]), 12, "tags of three ranks")
    for ranks in (1, 2, 7, 16):
        done = mpi.merge(ranks, f"of{ranks}", "in")
        lab.equal(content(bench, f"of{ranks}"), expected, f"bytes of {ranks} ranks")
        lab.equal(done.stderr.count("merged 21 processes"), 1, f"what is said: {done.stderr!r}")
    plain(bench, "some", *parts[:9])
    bench.run(lab.COMMAND, "pack", parts[10], status=0)
    bench.write("list", "\n".join(parts[11:]) + "\n")
    # folders, what was merged, what was packed, a list; messages of one kilobyte
    mpi.merge(3, "mixed", "some", *parts[9:11], "@list", "--message-kb=1")
    lab.equal(content(bench, "mixed"), expected, "of all kinds of inputs")
    # inputs are many: each rank takes whole ones
    mpi.merge(2, "many", *parts, "--local", "-v")
    lab.equal(content(bench, "many"), expected, "of many inputs, divided within the host")


@each_flavour("a stencil's slow rank, recorded by plain mpirun, merged both ways")
def stencil(bench, mpi):
    bench.run(mpi.mpicc, "-g", "-O2", f"-fplugin={lab.PLUGIN}", os.path.join(lab.E2E, "programs/stencil.c"), "-o", "stencil", status=0)
    quiet.measured(lambda: stencil_recorded(bench, mpi), quiet.MANY)


def stencil_recorded(bench, mpi):
    shutil.rmtree(bench.path("out"), ignore_errors=True)
    done = mpi.run(16, bench.path("stencil"), "5", "200", env={"CINSTR_DATA": "out/%j/%h.%r.%p"}, status=0)
    lab.check("sum 120.0" in done.stdout, f"output: {done.stdout!r} {done.stderr!r}")
    job, = os.listdir(bench.path("out"))
    names = [name.removeprefix(os.uname().nodename + ".").split(".") for name in os.listdir(bench.path("out", job))]
    lab.equal(sorted(int(rank) for rank, _ in names), list(range(16)), "a folder of each rank")
    mpi.merge(16, "by-ranks", f"out/{job}")
    lab.equal(content(bench, "by-ranks"), plain(bench, "plain", f"out/{job}"), "bytes")
    path, = json.loads(bench.run(lab.COMMAND, "ranks", "compute", "by-ranks", "--format=json", status=0).stdout)["paths"]
    lab.equal((path["most_rank"], path["n"]), (5, 16), "who computes most")
    rows = bench.report("by-ranks", "rank")["rows"]
    lab.check(all(0 <= row["mpi_busy_ns"] <= row["mpi_wait_ns"] for row in rows) and any(row["mpi_busy_ns"] for row in rows), f"busy: {rows}")
    found = bench.json("summary", "--findings", bench.path("by-ranks"))["findings"]
    texts = {one["id"]: one["text"] for one in found if one["id"].startswith("CF06")}
    lab.check(not [one for one in found if one["id"] == "CF0209" and "MPI_" in (one["subject"] or "")], f"waits are no hot spot: {found}")
    lab.check("in rank 5" in texts.get("CF0601", "in rank 5"), f"findings: {found}")
    # of a run that others have made long by far what could be saved is little
    lab.check_time("CF0601" in texts and "wait for one another in MPI" in texts.get("CF0603", ""), f"findings: {found}")


@each_flavour("what a rank has recorded needs no MPI_Finalize")
def aborted(bench, mpi):
    bench.write("aborts.c", "#include <mpi.h>\n#include <unistd.h>\nstatic volatile int n;\n__attribute__((noinline)) static void work(int times)\n"
                "{ for (int i = 0; i < times; i++) n++; }\n"
                "int main(int argc, char **argv)\n{ int rank; MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
                "for (int i = 0; i < 3; i++) work(1000); MPI_Barrier(MPI_COMM_WORLD);\n"
                "if (rank) for (;;) pause(); MPI_Abort(MPI_COMM_WORLD, 7); }\n")
    bench.run(mpi.mpicc, "-g", "-O1", f"-fplugin={lab.PLUGIN}", "-fplugin-arg-cinstr-small=0", "aborts.c", "-o", "aborts", status=0)
    lab.check(mpi.run(4, bench.path("aborts")).returncode, "MPI_Abort")
    mpi.merge(2, "by-ranks", "cinstr.data")
    lab.equal(content(bench, "by-ranks"), plain(bench, "plain", "cinstr.data"), "bytes")
    row, = [row for row in bench.report("by-ranks")["rows"] if row["name"] == "work"]
    lab.equal(row["calls"], 12, "calls of four ranks")


@each_flavour("through stdin and stdout")
def streams(bench, mpi):
    parts = sessions(bench, 4)
    expected = plain(bench, "plain", "in")
    plain(bench, "first", *parts[:2])
    command = " ".join(mpi.command(3, mpi.program, "merge", "-o", "-", "-", *parts[2:]))
    bench.run("sh", "-c", f"{command} < first > piped", env=ENVIRONMENT, status=0)
    lab.equal(content(bench, "piped"), expected, "through stdin and stdout")


@each_flavour("what is damaged is named and left out")
def damaged(bench, mpi):
    parts = sessions(bench, 8)
    path, = glob.glob(bench.path(parts[5], "*.cinstr"))
    os.truncate(path, os.path.getsize(path) // 2)
    expected = plain(bench, "plain", "in", status=1)
    for inputs in (["in"], parts, ["in", "there-is-none"]):
        done = mpi.merge(4, "all", *inputs, status=1)
        lab.equal(done.stderr.count(f"{os.path.basename(path)}: skipped"), 1, f"stderr: {done.stderr}")
        lab.equal(done.stderr.count("there-is-none"), len(inputs) == 2, f"stderr: {done.stderr}")
        lab.equal(content(bench, "all"), expected, "bytes of the others")
    done = mpi.merge(4, "nothing", os.path.relpath(path, bench.path(".")), status=1)
    lab.equal(done.stderr.count("nothing is left to be merged"), 1, f"stderr: {done.stderr}")
    lab.check(not os.path.exists(bench.path("nothing")), "a file of nothing")


REMOTE = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec unshare --uts --mount --propagation private sh -c 'hostname "$0" && mount --bind "%s/disk.$0" "%s/disk" && exec sh -c "$1"' "$host" "$*"
"""


@each_flavour("two hosts, each with files of its own")
def hosts(bench, mpi):
    """As ssh would, REMOTE gives commands of a host its name and its own folder `disk`."""
    if os.getuid() or bench.run("unshare", "--uts", "--mount", "true").returncode:
        raise lab.Skip("no hosts can be made here")
    parts = sessions(bench, 8)
    expected = plain(bench, "plain", "in")
    os.mkdir(bench.path("disk"))
    for number, part in enumerate(parts):
        shutil.copytree(bench.path(part), bench.path(f"disk.{('alpha', 'beta')[number % 3 > 0]}/in/{number}"))
    bench.write("remote", REMOTE % ((bench.path("."),) * 2))
    os.chmod(bench.path("remote"), 0o755)
    agent = {"Open MPI": ("--host", "alpha:2,beta:2"),
             "MPICH": ("-launcher", "ssh", "-launcher-exec", bench.path("remote"), "-hosts", "alpha:2,beta:2")}[mpi.flavour]

    # no network but this machine's own
    env = {**ENVIRONMENT, "OMPI_MCA_plm_rsh_agent": bench.path("remote"), "OMPI_MCA_oob_tcp_if_include": "lo", "OMPI_MCA_btl_tcp_if_include": "lo"}

    def merge(status, folder="in"):
        command = (*mpi.mpirun, *agent, "-np", "4", mpi.program, "merge", "--local", "-o", bench.path("all"), bench.path("disk", folder))
        return bench.run(*command, env=env, status=status).stderr

    merge(0)
    lab.equal(content(bench, "all"), expected, "bytes of two hosts")
    path, = glob.glob(bench.path("disk.beta/in/1/*.cinstr"))
    os.truncate(path, os.path.getsize(path) // 2)
    said = merge(1)
    lab.check(re.search(f"^cinstr: beta: error: .*/in/1/{os.path.basename(path)}: skipped", said, re.M), said)
    said = merge(1, "none")
    for host in "alpha", "beta":
        lab.equal(said.count(f"cinstr: {host}: error: {bench.path('disk/none')}: No such file"), 1, said)


@each_flavour("a rank that dies ends the job, and nothing is written")
def dies(bench, mpi):
    sessions(bench, 6)
    os.mkdir(bench.path("out"))
    for victim in (0, 1, 3):
        # rank 0 waits for stdin, the others for rank 0
        process = bench.start(*mpi.command(4, mpi.program, "merge", "-o", "out/all", "in", "-"), env=ENVIRONMENT, stdin=subprocess.PIPE)
        ranks = lab.wait_for(lambda process=process: ranks_of(process.pid, mpi, 4), "four ranks do not begin")
        os.kill(ranks[victim], signal.SIGKILL)
        try:
            process.communicate(timeout=SOON)
        except subprocess.TimeoutExpired:
            raise lab.Failure(f"the job goes on without rank {victim}\n{bench.stacks()}") from None
        lab.check(process.returncode, f"exit status {process.returncode} without rank {victim}")
        lab.equal(os.listdir(bench.path("out")), [], f"left without rank {victim}")
        lab.wait_for(lambda: not [pid for pid in ranks.values() if os.path.exists(f"/proc/{pid}")], "ranks go on")


def ranks_of(launcher, mpi, n):
    """Their processes by rank, when all have begun to merge."""
    found = {}
    for pid in hangs.descendants(launcher):
        variables = dict(line.split("=", 1) for line in hangs.read(f"/proc/{pid}/environ").split("\0") if "=" in line)
        rank = variables.get("OMPI_COMM_WORLD_RANK", variables.get("PMI_RANK"))
        if rank and hangs.link(f"/proc/{pid}/exe") == mpi.program:
            found[int(rank)] = pid
    return found if len(found) == n and has_memory_file(found[0]) else None


def has_memory_file(pid):
    """Of rank 0, which waits for stdin: it has its share of the files, and all have met before."""
    return any("memfd:cinstr-merge" in hangs.link(name) for name in glob.glob(f"/proc/{pid}/fd/*"))


@each_flavour("a full disk is an error, and leaves nothing")
def full(bench, mpi):
    sessions(bench, 6)
    done = mpi.merge(4, "/dev/full", "in", status=1)
    lab.check("cannot be written: No space left" in done.stderr, f"stderr: {done.stderr}")
    os.mkdir(bench.path("small"))
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", bench.path("small")], capture_output=True).returncode:
        return
    try:
        done = mpi.merge(4, "small/all", "in", status=1)
        lab.check("cannot be written: No space left" in done.stderr, f"stderr: {done.stderr}")
        lab.equal(os.listdir(bench.path("small")), [], "left")
    finally:
        subprocess.run(["umount", bench.path("small")], check=True)


@each_flavour("ranks that see other files do not add up")
def different(bench, mpi):
    parts = sessions(bench, 4)
    for number in range(2):
        os.mkdir(bench.path(f"host{number}"))
        for part in parts[:3 + number]:
            shutil.copytree(bench.path(part), bench.path(f"host{number}", part))
    bench.write("rank.sh", 'cd host${OMPI_COMM_WORLD_RANK-$PMI_RANK} && exec "$@"\n')
    done = mpi.run(2, "sh", "rank.sh", mpi.program, "merge", "-o", bench.path("all"), "in", status=1)
    lab.equal(done.stderr.count("ranks have found different files"), 1, f"stderr: {done.stderr}")
    lab.check(not os.path.exists(bench.path("all")), "a file of what does not add up")


@each_flavour("wrong use is told once")
def usage(bench, mpi):
    for arguments, says in ((("merge", "-o", "all"), "which sessions?"), (("merge", "in"), "where to?"), (("merge", "--nonesuch"), "unknown option"),
                            (("nonesuch",), "Usage: cinstr-mpi merge")):
        done = mpi.run(3, mpi.program, *arguments, status=2)
        lab.equal(done.stderr.count(says), 1, f"{arguments}: {done.stderr}")
    # a launcher kills all at the first that fails: that must be the one that tells
    bench.write("late.sh", '[ ${OMPI_COMM_WORLD_RANK-$PMI_RANK} != 0 ] || sleep 0.3; exec "$@"\n')
    for _ in range(4):
        done = mpi.run(3, "sh", "late.sh", mpi.program, "nonesuch", status=2)
        lab.equal(done.stderr.count("Usage: cinstr-mpi merge"), 1, f"rank 0 is late: {done.stderr}")
    text = bench.run(mpi.program, "--help", status=0).stdout
    lab.check("--local" in text and "Usage: cinstr-mpi merge" in text and max(map(len, text.splitlines())) <= 80, text)
    lab.check(bench.run(mpi.program, "--version", status=0).stdout.startswith("cinstr-mpi "), "version")


@each_flavour("the launcher of another MPI is refused")
def foreign(bench, mpi):
    """Its ranks are not a job: each would do all the work."""
    other = Mpi(bench, {"Open MPI": "MPICH", "MPICH": "Open MPI"}[mpi.flavour])
    sessions(bench, 2)
    done = mpi.run(3, other.program, "merge", "-o", "all", "in", status=1)
    lab.equal(done.stderr.count(f"{mpi.flavour} has started 3 ranks that do not know one another"), 1, done.stderr)
    lab.check(not os.path.exists(bench.path("all")), "written nevertheless")


@each_flavour("messages of more than 2 GB")
def large(bench, mpi):
    bench.run(mpi.mpicc, "-O1", "-D_GNU_SOURCE", "-I" + os.path.join(lab.ROOT, "report"), os.path.join(lab.E2E, "programs/mpi_messages.c"),
              os.path.join(lab.ROOT, "report/mpi/messages.c"), "-o", "messages", status=0)
    for bytes_sent, size, step in ((2_000_003, 1000, 1), (100, 1 << 40, 1), *(((1 << 31) + 5, 16 << 20, 64),) * (free_memory() > 8 << 30)):
        done = mpi.run(2, bench.path("messages"), str(bytes_sent), str(size), str(step), status=0)
        marks = (bytes_sent - 8) // (step << 10) + 1
        lab.equal(done.stdout, f"{marks} of {marks}, last !, equal 1\n", f"{bytes_sent} bytes in messages of {size}")


def free_memory():
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable"))
