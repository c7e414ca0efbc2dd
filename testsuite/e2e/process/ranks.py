# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks of a parallel job: what launchers tell, one session of all ranks, names with templates."""
import csv
import glob
import io
import json
import os
import re
import shutil
import signal

import lab

# And a number for each job of these tests: a session takes ranks of its own job only.
NAMESPACE = 4711000

LAUNCHERS = {
    "Open MPI": ({"OMPI_COMM_WORLD_RANK": "{rank}", "OMPI_COMM_WORLD_SIZE": "3", "PMIX_RANK": "{rank}", "PMIX_NAMESPACE": "{job}"}, "3"),
    "MPICH": ({"PMI_RANK": "{rank}", "PMI_SIZE": "3"}, "3"),
    "PMIx": ({"PMIX_RANK": "{rank}", "PMIX_NAMESPACE": "{job}"}, None),
    "Slurm": ({"SLURM_PROCID": "{rank}", "SLURM_NTASKS": "3", "SLURM_JOB_ID": "{job}", "SLURM_STEP_ID": "0"}, "3"),
    "Flux": ({"FLUX_TASK_RANK": "{rank}", "FLUX_JOB_SIZE": "3", "FLUX_JOB_ID": "f{job}"}, "3"),
}


def environment(launcher, rank, job):
    return {name: value.format(rank=rank, job=job) for name, value in LAUNCHERS[launcher][0].items()}


def processes(bench, session="cinstr.data"):
    done = bench.run(lab.COMMAND, "info", "--format=json", session, status=0)
    return json.loads(done.stdout)["processes"]


def begun(bench, session="cinstr.data"):
    """Those that would be there if they died now."""
    done = bench.run(lab.COMMAND, "info", "--format=json", session)
    return json.loads(done.stdout)["processes"] if done.returncode == 0 else []


def start_ranks(bench, program, launcher, job, ranks, *arguments, **options):
    return [bench.start(program, *arguments, env={**environment(launcher, rank, job), **options}) for rank in ranks]


def wait_all(started):
    for process in started:
        output, errors = process.communicate(timeout=lab.TIMEOUT)
        lab.equal((process.returncode, errors), (0, ""), "a rank")
        lab.check(output, "a rank without output")


@lab.test("ranks/of each launcher, in one session")
def launchers(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    for number, (launcher, (_, ranks)) in enumerate(LAUNCHERS.items()):
        shutil.rmtree(bench.path("cinstr.data"), ignore_errors=True)
        job = str(NAMESPACE + number)
        wait_all(start_ranks(bench, program, launcher, job, range(3), "20"))
        lab.equal(bench.sessions(), ["cinstr.data"], f"sessions of {launcher}")
        found = processes(bench)
        lab.equal(sorted(process.get("rank") for process in found), ["0", "1", "2"], f"ranks of {launcher}")
        lab.equal({process.get("launcher") for process in found}, {launcher}, "launcher")
        lab.equal({process.get("ranks") for process in found}, {ranks}, f"number of ranks of {launcher}")
        jobs = {process.get("job") for process in found}
        lab.equal(len(jobs), 1, f"jobs of {launcher}: {jobs}")
        if launcher != "MPICH":  # which tells none
            lab.check(job in jobs.pop(), f"job of {launcher}")
        lab.equal(sorted(row["rank"] for row in bench.report("cinstr.data", "process")["rows"]), [0, 1, 2], "column rank")
        table = bench.run(lab.COMMAND, "report", "--by=process", status=0).stdout
        lab.check("Rank" in table, f"no ranks in the table: {table}")


@lab.test("ranks/a rank that comes late, and a second job")
def late(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    job = str(NAMESPACE + 20)
    wait_all(start_ranks(bench, program, "Open MPI", job, [0, 1], "1"))
    wait_all(start_ranks(bench, program, "Open MPI", job, [2], "1"))  # the others have ended
    lab.equal(len(processes(bench)), 3, "processes of the job")
    wait_all(start_ranks(bench, program, "Open MPI", str(NAMESPACE + 21), range(4), "20"))
    lab.equal(bench.sessions(), ["cinstr.data", "cinstr.data.old"], "sessions of two jobs")
    lab.equal((len(processes(bench)), len(processes(bench, "cinstr.data.old"))), (4, 3), "processes of two jobs")
    one = bench.cinstr("ranks", bench.path("cinstr.data"))
    lab.check(re.search(r" @[0-3] ", one) and "/" not in one.splitlines()[1].partition("work.c")[0], f"a rank's number is enough: {one}")
    os.mkdir(bench.path("both"))
    for name in "cinstr.data", "cinstr.data.old":
        for path in glob.glob(bench.path(name, "*.cinstr")):
            shutil.copy(path, bench.path("both"))
    both = bench.cinstr("ranks", "--width=0", bench.path("both"))
    lab.check(re.search(rf" @\S*{NAMESPACE + 21}\S*/[0-3] ", both), f"ranks of two jobs: {both}")


# Sleeps for argv[1] milliseconds, and computes for a part of that.
STRIP = """
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) static void work(int ms) { for (volatile int i = 0; i < ms * 50000; i++); usleep(ms * 1000); }
int main(int argc, char **argv) { work(atoi(argv[1])); return 0; }
"""


@lab.test("ranks/a strip of one function, in the order of ranks")
def strip(bench):
    """Ranks begin in another order; one has most, which the table says as well."""
    program = bench.compile(bench.write("program.c", STRIP), "program", "-O2")
    for rank in (4, 2, 0, 1, 3):
        bench.run(program, str(400 if rank == 3 else 10), env=environment("PMIx", rank, NAMESPACE + 80), status=0)
    text = bench.run(lab.COMMAND, "ranks", "work", "--inclusive", "--value=elapsed", status=0).stdout
    path, = json.loads(bench.run(lab.COMMAND, "ranks", "work", "--inclusive", "--value=elapsed", "--format=json", status=0).stdout)["paths"]
    lab.equal(path["most_rank"], 3, "who has most")
    found = re.search(r"^work, elapsed time, of each process; most (.*) in rank 3\n  rank 0 (\d{5}) rank 4$", text, re.M)
    lab.check(found, text)
    lab.check(f"{found[1]} @3" in text, f"another value than the table's: {text}")
    lab.equal([digit == "9" for digit in found[2]], [False, False, False, True, False], "the highest bar")
    lab.check("of each process" not in bench.run(lab.COMMAND, "ranks", status=0).stdout, "a strip without a function")
    bench.run(lab.COMMAND, "merge", "-o", "merged", "cinstr.data", status=0)
    for session in "cinstr.data", "merged":
        text = bench.run(lab.COMMAND, "summary", session, status=0).stdout
        first = re.search(r"^Processes with the most time, of 5\n  program .* on a processor, (.*)$", text, re.M)
        lab.equal(first and first[1], "rank 3", f"the summary's first process: {text}")
    lab.check("of each process" not in bench.run(lab.COMMAND, "ranks", "work", "merged", status=0).stdout, "a strip of what was merged")


@lab.test("ranks/beside a session that is being recorded all share another one")
def beside(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    other = bench.start(program, "100000")
    lab.wait_for(lambda: lab.data_files(bench.path("cinstr.data")), "no data file")
    started = start_ranks(bench, program, "Open MPI", str(NAMESPACE + 30), range(6), "20")
    for process in started:
        lab.equal(process.communicate(timeout=lab.TIMEOUT)[0], "worked\n", "a rank")
    other.kill()
    other.wait()
    names = bench.sessions()
    lab.equal(len(names), 2, f"sessions {names}")
    lab.equal(len(processes(bench, names[1])), 6, "ranks in the second")
    lab.equal(len(processes(bench, names[0])), 1, "processes in the first")


@lab.test("ranks/no rank in a batch script, nor where a number is none")
def none(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    for variables, job in (
            ({"SLURM_PROCID": "0", "SLURM_NTASKS": "4", "SLURM_JOB_ID": "77"}, "77"),
            ({"SLURM_PROCID": "0", "SLURM_JOB_ID": "77", "SLURM_STEP_ID": str(0xfffffffa)}, "77"),
            ({"PBS_JOBID": "12.server"}, "12.server"),
            ({"OMPI_COMM_WORLD_RANK": "", "PMI_RANK": "x1", "PMIX_RANK": "99999999999"}, None)):
        bench.run(program, "1", env=variables, status=0)
        found = processes(bench)
        lab.equal([(p.get("rank"), p.get("job")) for p in found], [(None, job)], f"by {variables}")
        bench.run(program, "1", env=variables, status=0)  # another run: a session of its own
        lab.equal(len(processes(bench)), 1, "processes")


@lab.test("ranks/the innermost launcher counts; a pod has its name")
def innermost(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    slurm = environment("Slurm", 1, NAMESPACE + 40)
    bench.run(program, "1", env={**slurm, **environment("Open MPI", 5, NAMESPACE + 41)}, status=0)
    process = processes(bench)[0]
    lab.equal((process["rank"], process["launcher"], process["job"]), ("5", "Open MPI", str(NAMESPACE + 40)), "in an srun")
    bench.run(program, "1", env={"KUBERNETES_SERVICE_HOST": "::1", "HOSTNAME": "worker-3", "JOB_COMPLETION_INDEX": "3"}, status=0)
    process = processes(bench)[0]
    lab.equal((process["rank"], process["pod"]), ("3", "worker-3"), "a pod")


@lab.test("ranks/what a rank starts is of its rank, and told apart")
def nested(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    variables = environment("Slurm", 2, NAMESPACE + 50)
    bench.run("sh", "-c", f"{program} 1; {program} 1", env=variables, status=0)
    found = processes(bench)
    lab.equal([p["rank"] for p in found], ["2", "2"], "ranks")
    lab.equal(len({p["pid"] for p in found}), 2, "processes")
    lab.equal(len(lab.data_files(bench.path("cinstr.data"))), 2, "files")


@lab.test("ranks/templates name sessions")
def templates(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    job = str(NAMESPACE + 60)
    wait_all(start_ranks(bench, program, "Open MPI", job, range(3), "1", CINSTR_DATA="out/%j/%h.%r"))
    host = os.uname().nodename
    lab.equal(sorted(os.listdir(bench.path(f"out/{job}"))), [f"{host}.{rank}" for rank in range(3)], "folders by rank")
    started = start_ranks(bench, program, "Open MPI", job, range(2), "1", CINSTR_DATA="a%%b/%p")
    wait_all(started)
    lab.equal(sorted(os.listdir(bench.path("a%b"))), sorted(str(process.pid) for process in started), "folders by process")
    wait_all(start_ranks(bench, program, "Open MPI", job, range(3), "1", CINSTR_DATA="of-%j"))
    lab.equal(len(processes(bench, f"of-{job}")), 3, "one folder of a job")
    bench.run(program, "1", env={"CINSTR_DATA": "x.%j.%r"}, status=0)
    lab.equal(len(processes(bench, "x.nojob.norank")), 1, "what is not known")
    bench.run(lab.COMMAND, "record", "-o", "rec/%j/%r", "--", program, "1", env=environment("Flux", 7, job), status=0)
    lab.equal(len(processes(bench, f"rec/f{job}/7")), 1, "of cinstr record")
    bench.run(program, "1", env={"CINSTR_DATA": "q-%j", "PBS_JOBID": "../../up /x"}, status=0)
    lab.equal([name for name in os.listdir(bench.path(".")) if name.startswith("q-")], ["q-_._.._up__x"], "a job's name is no path")


@lab.test("ranks/a template's letter that means nothing")
def wrong(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    for name in ("a%x", "b%"):
        done = bench.run(program, "1", env={"CINSTR_DATA": name}, status=0)
        lab.check(f"CINSTR_DATA={name}: no such value" in done.stderr and "using cinstr.data" in done.stderr, f"stderr: {done.stderr!r}")
        lab.equal(len(processes(bench)), 1, "the default")
        done = bench.run(lab.COMMAND, "record", "-o", name, "--", program, "1", status=2)
        lab.check("means nothing" in done.stderr, f"stderr: {done.stderr!r}")
    lab.check(not [found for found in os.listdir(bench.path(".")) if found[:2] in ("a%", "b%")], "a folder of that name")


@lab.test("ranks/each under a cinstr record of its own")
def by_record(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    job = str(NAMESPACE + 70)
    for method in ((), ("--sample", "--event=cpu-clock")):
        shutil.rmtree(bench.path("cinstr.data"), ignore_errors=True)
        started = [bench.start(lab.COMMAND, "record", *method, "--", program, "300", env=environment("Open MPI", rank, job))
                   for rank in range(3)]
        for process in started:
            lab.equal(process.communicate(timeout=lab.TIMEOUT)[0], "worked\n", "a rank")
        lab.equal(bench.sessions(), ["cinstr.data"], "sessions")
        lab.equal(sorted(p.get("rank") for p in processes(bench)), ["0", "1", "2"], f"ranks {method}")


@lab.test("ranks/a rank that is killed leaves the session to the others")
def killed(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    job = str(NAMESPACE + 80)
    first = start_ranks(bench, program, "Open MPI", job, range(2), "100000")
    lab.wait_for(lambda: len(begun(bench)) == 2, "no data files")
    for process in first:
        process.send_signal(signal.SIGKILL)
        process.wait()
    wait_all(start_ranks(bench, program, "Open MPI", job, [2], "1"))
    lab.equal(sorted(p["rank"] for p in processes(bench)), ["0", "1", "2"], "ranks")


def run_real(bench, command):
    if not shutil.which(command[0]):
        raise lab.Skip(f"no {command[0]}")
    program = bench.compile("programs/work.c", "program", "-O2")
    done = bench.run(*command, program, "100", status=0)
    lab.equal(done.stdout.count("worked"), 16, f"output: {done.stderr!r}")
    lab.equal(bench.sessions(), ["cinstr.data"], "sessions")
    found = processes(bench)
    lab.equal(sorted(int(p["rank"]) for p in found), list(range(16)), "ranks")
    lab.equal({p["ranks"] for p in found}, {"16"}, "number of ranks")
    done = bench.run(*command, "sh", "-c", f"{program} 1; {program} 1", status=0)
    lab.equal(bench.sessions(), ["cinstr.data", "cinstr.data.old"], "sessions")
    lab.equal(len(processes(bench)), 32, "processes of 16 ranks that run two programs each")


@lab.test("ranks/Open MPI's mpirun")
def open_mpi(bench):
    run_real(bench, ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-np", "16"))


@lab.test("ranks/MPICH's mpirun")
def mpich(bench):
    run_real(bench, ("mpirun.mpich", "-np", "16"))


def imbalance(bench, mpicc, command):
    for tool in (mpicc, command[0]):
        if not shutil.which(tool):
            raise lab.Skip(f"no {tool}")
    program = bench.path("stencil")
    bench.run(mpicc, "-g", "-O2", f"-fplugin={lab.PLUGIN}", os.path.join(lab.ROOT, "testsuite/e2e/programs/stencil.c"), "-o", program, status=0)
    done = bench.run(*command, program, "5", "200", status=0)
    lab.check("sum 120.0" in done.stdout, f"output: {done.stdout!r} {done.stderr!r}")
    lab.equal(bench.sessions(), ["cinstr.data"], "sessions")
    bench.run(lab.COMMAND, "merge", "-o", "merged", "cinstr.data", status=0)
    for session in ("cinstr.data", "merged"):
        rows = json.loads(bench.run(lab.COMMAND, "ranks", "compute", session, "--format=json", status=0).stdout)["paths"]
        lab.equal([(row["function"], row["caller"], row["most_rank"], row["n"], row["processes"]) for row in rows],
                  [("compute", "main", 5, 16, 16)], f"who computes most in {session}")
        lab.check(0.5 < rows[0]["imbalance"], f"imbalance {rows[0]}: six times the work of the others")
        text = bench.run(lab.COMMAND, "ranks", "compute", session, "--width=80", status=0).stdout
        lab.check("@5" in text and max(map(len, text.splitlines())) <= 80, f"table: {text}")
        rows = json.loads(bench.run(lab.COMMAND, "report", "--by=rank", session, "--format=json", status=0).stdout)["rows"]
        lab.equal(sorted(row["rank"] for row in rows), list(range(16)), f"ranks of {session}")
        lab.check(all(0 <= row["mpi_busy_ns"] <= row["mpi_wait_ns"] for row in rows) and sum(row["mpi_busy_ns"] for row in rows), f"busy: {rows}")
        row, = [row for row in bench.report(session)["rows"] if row["name"] == "compute"]
        lab.equal((row["process_max_who"], row["contributors"], row["contributors_of"]), ("rank 5", 16, 16), f"compute in {session}")
        found = bench.json("summary", "--findings", bench.path(session))["findings"]
        one, = [one for one in found if one["id"] == "CF0601"]
        lab.check(one["subject"] == "compute" and "in rank 5" in one["text"], f"findings of {session}: {found}")
        text = bench.run(lab.COMMAND, "report", "--by=rank", session, "--width=80", status=0).stdout
        lab.check("rank 5" in text and "In MPI" in text and max(map(len, text.splitlines())) <= 80, f"table: {text}")


@lab.test("ranks/a slow rank of a stencil is named, Open MPI")
def stencil_open_mpi(bench):
    imbalance(bench, "mpicc.openmpi", ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-np", "16"))


@lab.test("ranks/a slow rank of a stencil is named, MPICH")
def stencil_mpich(bench):
    imbalance(bench, "mpicc.mpich", ("mpirun.mpich", "-np", "16"))


@lab.test("ranks/executed instructions: who has more to do, whoever was slower")
def executed(bench):
    program = bench.compile("programs/history.c", "program", "-O1", "-g", "-fplugin-arg-cinstr-instructions")
    plain = bench.compile("programs/history.c", "plain", "-O1", "-g")
    work = [1000, 3000, 2000, 1000]
    for rank, n in enumerate(work):
        bench.run(program, str(n), env=environment("Open MPI", rank, str(NAMESPACE + 60)), status=0)

    def ranks(*arguments, status=0):
        return bench.run(lab.COMMAND, "ranks", "--measure=instructions", *arguments, status=status)

    found = {row["function"]: row for row in json.loads(ranks("--format=json").stdout)["functions"]}
    lab.equal(sorted(found), ["fixed", "main", "planted", "seeded", "tiny"], "functions")
    row, each = found["seeded"], []
    for process in sorted(processes(bench), key=lambda process: int(process["rank"])):
        path, = glob.glob(bench.path(f"cinstr.data/program.{process['pid']}.*.cinstr"))
        text = bench.cinstr("report", "--measure=instructions", "--function=seeded", "--format=csv", path)
        each.append(int(list(csv.DictReader(io.StringIO(text)))[0]["instructions"]))
    lab.check(len({(n - each[0]) / (times - work[0]) for n, times in zip(each[1:3], work[1:3])}) == 1 and each[3] == each[0], f"instructions of {work} rounds: {each}")
    mean = sum(each) / 4
    lab.equal((row["least_instructions"], row["least_rank"], row["most_instructions"], row["most_rank"], row["mean_instructions"], row["n"]),
              (each[0], 0, each[1], 1, mean, 4), "seeded")
    lab.equal((row["cost_instructions"], row["imbalance"]), (4 * (each[1] - mean), round(each[1] / mean - 1, 6)), "what it costs")
    for name in "fixed", "planted":
        lab.equal((found[name]["imbalance"], found[name]["deviation_instructions"]), (0, 0), f"{name}, which all have")
    text = ranks("--width=200").stdout
    lab.check(re.search(rf"{each[1]:,} @1 +4 of 4 +seeded\n", text), text)
    text = ranks("seeded", "--width=200").stdout
    lab.check(f"seeded, executed instructions, of each process; most {each[1]:,} in rank 1\n" in text, text)
    for option in "--inclusive", "--value=elapsed":
        lab.check(f"{option.split('=')[0]} does not go with --measure" in ranks(option, status=2).stderr, option)
    bench.run(plain, "9000", env=environment("Open MPI", 4, str(NAMESPACE + 60)), status=0)
    done = ranks("--format=json")
    lab.check("processes that have not counted executed instructions: 1" in done.stderr, done.stderr)
    lab.equal({row["function"]: row for row in json.loads(done.stdout)["functions"]}, found, "beside a process that has not counted")
    bench.run(lab.COMMAND, "merge", "-o", "merged", "cinstr.data", status=0)
    lab.check("only sums of executed instructions" in ranks("*", "merged", status=1).stderr, "merged")
    shutil.rmtree(bench.path("cinstr.data"))
    bench.run(plain, "9", status=0)
    lab.check("build with -fplugin-arg-cinstr-instructions" in ranks(status=1).stderr, "without them")
