#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A job of MPI under Slurm, recorded, and merged to one file: copy it, change what begins with
# #SBATCH, and submit it with your program, which was built with -fplugin=cinstr:
#
#     sbatch cinstr-job.sh ./solver input.dat
#
# It leaves cinstr-JOB.cinstr where it was submitted, which all commands of cinstr read, and
# cinstr-JOB.txt: what is wrong with the program, and a row for each rank. The exit status is the
# program's; if that is 0, but not all could be merged, 1.
#
#SBATCH --job-name=cinstr
#SBATCH --ntasks=16
#SBATCH --time=00:30:00
#SBATCH --output=%x-%j.log
set -u

# How ranks are started. srun does, if it knows the MPI's way to begin (srun --mpi=list): Open MPI
# mostly --mpi=pmix, MPICH --mpi=pmi2. Otherwise the MPI's own mpirun, which finds Slurm's hosts.
# A rank that dies is to end the others, too, instead of letting them wait until the time is up.
LAUNCH=${LAUNCH:-srun --kill-on-bad-exit=1}
# Where ranks record: a folder that all hosts have, or, better with many of them, a local disk
# (RECORD=/local/$USER MERGE_LOCAL=yes): then each host merges its own before anything is sent.
RECORD=${RECORD:-$SLURM_SUBMIT_DIR/cinstr-raw}
MERGE_LOCAL=${MERGE_LOCAL:-}

[ $# -gt 0 ] || { echo "cinstr-job: which program? sbatch cinstr-job.sh ./solver input.dat" >&2; exit 2; }
cd "$SLURM_SUBMIT_DIR" || exit 2
job=cinstr-$SLURM_JOB_ID

# A folder for each process: host, rank and process number. Slurm tells the rank and the job.
export CINSTR_DATA="$RECORD/%j/%h.%r.%p"
# shellcheck disable=SC2086
$LAUNCH "$@"
status=$?
unset CINSTR_DATA

# Afterwards, by a program of its own: nothing is done in MPI_Finalize, and ranks that were killed
# have left what they had recorded. Without cinstr-mpi one process merges all.
if command -v cinstr-mpi >/dev/null; then
	# shellcheck disable=SC2086
	$LAUNCH cinstr-mpi merge ${MERGE_LOCAL:+--local} -o "$job.cinstr" "$RECORD/$SLURM_JOB_ID"
else
	cinstr merge -o "$job.cinstr" "$RECORD/$SLURM_JOB_ID"
fi
merged=$?
if [ -e "$job.cinstr" ]; then
	{
		cinstr summary "$job.cinstr"
		echo
		cinstr report --by=rank "$job.cinstr"
	} > "$job.txt"
fi

# What was merged whole need not be kept in parts.
if [ $merged -eq 0 ]; then
	remove='rm -rf "${1:?}/${2:?}"; rmdir --ignore-fail-on-non-empty "$1"'
	if [ -n "$MERGE_LOCAL" ]; then
		srun --ntasks-per-node=1 --ntasks="$SLURM_JOB_NUM_NODES" sh -c "$remove" sh "$RECORD" "$SLURM_JOB_ID"
	else
		sh -c "$remove" sh "$RECORD" "$SLURM_JOB_ID"
	fi
fi
[ $status -ne 0 ] || status=$((merged != 0))
exit $status
