# SPDX-License-Identifier: GPL-3.0-or-later
"""contrib/slurm/cinstr-job.sh: under a Slurm of one node that is started here, and under a srun
that only looks like one."""
import json
import os
import re
import shutil
import signal
import socket

import lab
from mpi_merge import FLAVOURS

SCRIPT = os.path.join(lab.ROOT, "contrib/slurm/cinstr-job.sh")
DAEMONS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "sinfo", "scontrol")

# No cgroups, no users, no accounting: what a container allows. More processors than there are, so
# that all ranks run at once.
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    """One node, in the test's folder: nothing of it is the machine's."""

    def __init__(self, bench):
        for tool in DAEMONS:
            lab.need(tool)
        if os.geteuid():
            raise lab.Skip("Slurm's daemons are started by root")
        self.bench, self.folder = bench, bench.path("slurm")
        for name in "", "state", "spool":
            os.mkdir(os.path.join(self.folder, name))
        with open(os.path.join(self.folder, "key"), "wb") as file:
            file.write(os.urandom(1024))
        os.chmod(os.path.join(self.folder, "key"), 0o600)
        os.chmod(self.folder, 0o755)
        self.host = os.uname().nodename.split(".")[0]
        self.configuration = bench.write("slurm/slurm.conf", CONFIGURATION.format(host=self.host, folder=self.folder, ports=free_ports(2)))
        self.environment = {"SLURM_CONF": self.configuration}
        self.daemon("munged", "--foreground", "--force", "--syslog", *(f"--{what}-file={self.folder}/{what}" for what in ("key", "pid", "seed")), f"--socket={self.folder}/socket")
        self.daemon("slurmctld", "-D", "-i")
        self.daemon("slurmd", "-D")
        try:
            lab.wait_for(lambda: "idle" in bench.run("sinfo", "-h", "-o", "%t", env=self.environment, timeout=20).stdout, "no node is idle", 60)
        except lab.Failure:
            raise lab.Skip(f"Slurm does not begin here: {self.last_words()}") from None

    def daemon(self, *command):
        log = os.path.join(self.folder, command[0] + ".log")
        self.bench.start("sh", "-c", f'exec "$@" > {log} 2>&1', "sh", *command, env=self.environment)

    def last_words(self):
        lines = []
        for name in DAEMONS[:3]:
            with open(os.path.join(self.folder, name + ".log"), errors="replace") as file:
                lines += [f"{name}: {line.strip()}" for line in file.readlines()[-2:]]
        return "; ".join(lines)

    def submit(self, *command, env=None, status=(0,)):
        """Runs a batch script; its job. Not by sbatch --wait, which looks every few seconds."""
        job = self.bench.run("sbatch", "--parsable", *command, env={**self.environment, **(env or {})}, status=0).stdout.strip()
        code = lab.wait_for(lambda: self.exit_code(job), f"job {job} does not end\n{self.logs()}", lab.TIMEOUT)
        lab.check(int(code) in status, f"exit status of {os.path.basename(command[-1])} {code}, expected {status}\n{self.logs()}")
        return job

    def exit_code(self, job):
        """A word; None: it runs."""
        text = self.bench.run("scontrol", "-o", "show", "job", job, env=self.environment).stdout
        return re.search(r"JobState=(COMPLETED|FAILED|CANCELLED|TIMEOUT).* ExitCode=([0-9]+):", text) and re.search(r" ExitCode=([0-9]+):", text)[1]

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.bench.path("."))):
            if name.endswith((".log", ".out")):
                with open(self.bench.path(name), errors="replace") as file:
                    text += f"{name}: {file.read()[-1500:]}\n"
        return text

    def end(self):
        for process in reversed(self.bench.started):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=lab.TIMEOUT)


def under_slurm(name):
    def register(function):
        def test(bench):
            slurm = Slurm(bench)
            try:
                function(bench, slurm)
            finally:
                slurm.end()
        lab.test(f"slurm/{name}")(test)
        return function
    return register


def processes(bench, session):
    return json.loads(bench.run(lab.COMMAND, "info", "--format=json", session, status=0).stdout)["processes"]


@under_slurm("job, rank and host are Slurm's")
def names(bench, slurm):
    program = bench.compile("programs/work.c", "program", "-O2")
    bench.write("job.sh", f"#!/bin/sh\nexport CINSTR_DATA='out/%j/%h.%r'\n{program} 1\nsrun -n 3 {program} 1\n")
    job = slurm.submit("-n", "3", bench.path("job.sh"))
    host = os.uname().nodename
    lab.equal(sorted(os.listdir(bench.path("out"))), [job], "folder of the job")
    # what the batch script itself runs has no rank
    lab.equal(sorted(os.listdir(bench.path("out", job))), [*(f"{host}.{rank}" for rank in range(3)), f"{host}.norank"], "folders")
    found = processes(bench, f"out/{job}")
    lab.equal(sorted((p["job"], p.get("rank"), p.get("ranks"), p.get("launcher")) for p in found if p.get("rank")),
              [(job, str(rank), "3", "Slurm") for rank in range(3)], "ranks")
    lab.equal([p["job"] for p in found if not p.get("rank")], [job], "job of the script's own")


def run_script(bench, slurm, flavour, way):
    mpicc, mpirun = FLAVOURS[flavour]
    lab.need(mpicc)
    program = os.path.join(lab.BUILD, "mpi", mpicc, "cinstr-mpi")
    known = bench.run("srun", "--mpi=list", env=slurm.environment)
    if way not in known.stdout + known.stderr:
        raise lab.Skip(f"this Slurm knows no --mpi={way}")
    if not os.path.exists(program):
        raise lab.Skip(f"cinstr-mpi is not built for {mpicc}: make check does that")
    os.mkdir(bench.path("bin"))
    for name in lab.COMMAND, program:
        os.symlink(name, bench.path("bin", os.path.basename(name)))
    bench.run(mpicc, "-g", "-O2", f"-fplugin={lab.PLUGIN}", os.path.join(lab.E2E, "programs/stencil.c"), "-o", "stencil", status=0)
    env = {"PATH": bench.path("bin") + ":" + os.environ["PATH"], "LAUNCH": f"srun --mpi={way} --kill-on-bad-exit=1"}
    job = slurm.submit(SCRIPT, bench.path("stencil"), "5", "200", env=env)
    check_result(bench, job, 16)
    path, = json.loads(bench.run(lab.COMMAND, "ranks", "compute", f"cinstr-{job}.cinstr", "--format=json", status=0).stdout)["paths"]
    lab.equal((path["most_rank"], path["n"]), (5, 16), "who computes most")
    job = slurm.submit("-n", "3", SCRIPT, bench.path("stencil"), "1", "20", env={**env, "MERGE_LOCAL": "yes", "RECORD": bench.path("disk")})
    check_result(bench, job, 3)
    lab.check(not os.path.exists(bench.path("disk")), "parts were kept on the local disk")
    # by the MPI's own launcher within the job
    job = slurm.submit("-n", "3", SCRIPT, bench.path("stencil"), "1", "20", env={**env, "LAUNCH": " ".join(mpirun)})
    check_result(bench, job, 3)
    # a rank that is killed: Slurm ends the others, and what was recorded is there
    bench.write("dies.sh", '[ "$SLURM_PROCID" = 2 ] && kill -9 $$\nexec "$@"\n')
    job = slurm.submit("-n", "3", SCRIPT, "sh", "dies.sh", bench.path("stencil"), "1", "20", env=env, status=(137, 143))
    lab.check("Killed" in slurm.logs(), f"no log of job {job}")


def check_result(bench, job, ranks):
    session = f"cinstr-{job}.cinstr"
    text = bench.run(lab.COMMAND, "info", session, status=0).stdout
    lab.check(f"{ranks} processes have a rank, 0 to {ranks - 1}" in text and f"jobs          1: {job}" in text, f"info: {text}")
    with open(bench.path(f"cinstr-{job}.txt"), encoding="utf-8") as file:
        text = file.read()
    lab.check("Findings" in text and "In MPI" in text, f"what is said: {text}")
    with open(bench.path(f"cinstr-{job}.log"), encoding="utf-8") as file:
        lab.check("sum " in file.read(), "the program's output")
    lab.check(not os.path.exists(bench.path("cinstr-raw")), "parts were kept")


@under_slurm("the batch script, Open MPI by srun")
def open_mpi(bench, slurm):
    run_script(bench, slurm, "Open MPI", "pmix")


@under_slurm("the batch script, MPICH by srun")
def mpich(bench, slurm):
    run_script(bench, slurm, "MPICH", "pmi2")


# Three ranks, one after another.
FAKE_SRUN = """#!/bin/bash
while [[ ${1-} == -* ]]; do shift; done
for rank in 0 1 2; do
	SLURM_PROCID=$rank SLURM_NTASKS=3 SLURM_STEP_ID=0 "$@" || status=$?
done
exit ${status-0}
"""


@lab.test("slurm/the batch script under what looks like srun")
def fake(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    bench.run("bash", "-n", SCRIPT, status=0)
    os.mkdir(bench.path("bin"))
    os.symlink(lab.COMMAND, bench.path("bin/cinstr"))
    bench.write("bin/srun", FAKE_SRUN)
    os.chmod(bench.path("bin/srun"), 0o755)
    env = {"PATH": f"{bench.path('bin')}:/usr/bin:/bin", "SLURM_JOB_ID": "4714", "SLURM_SUBMIT_DIR": bench.path("."), "SLURM_JOB_NUM_NODES": "1"}
    bench.run("bash", SCRIPT, env=env, status=2)
    bench.run("bash", SCRIPT, program, "20", env=env, status=0)
    text = bench.run(lab.COMMAND, "info", "cinstr-4714.cinstr", status=0).stdout
    lab.check("3 processes have a rank, 0 to 2" in text and "jobs          1: 4714" in text, f"info: {text}")
    with open(bench.path("cinstr-4714.txt"), encoding="utf-8") as file:
        lab.check("rank 2" in file.read(), "no row of a rank")
    lab.check(not os.path.exists(bench.path("cinstr-raw")), "parts were kept")
    # the program's exit status; what cannot be merged is kept
    shutil.rmtree(bench.path("cinstr-raw"), ignore_errors=True)
    bench.run("bash", SCRIPT, "sh", "-c", f"{program} 1; exit 3", env=env, status=3)
    bench.write("damage.sh", f"{program} 1\nfor f in cinstr-raw/4714/*.1.*/*.cinstr; do [ ! -e $f ] || truncate -s 5000 $f; done\n")
    bench.run("bash", SCRIPT, "sh", "damage.sh", env=env, status=1)
    lab.check(os.path.isdir(bench.path("cinstr-raw/4714")), "parts were thrown away")
