#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# run.sh - every input of the corpus once, on the command as it is built: for `make check`. run.sh
# --runs N [--jobs N] [--seconds N] [--kind LETTER] [--timeout S] [--keep] - libFuzzer on the reader
# and every view (fuzz.c), from the corpus that is kept beside this script. Stops at the first
# finding and leaves its input in $BUILD/fuzz/findings. --kind: new inputs are of such seeds only.
# --timeout: an input may take that long, by default 5 s; more where others run beside it. --keep:
# puts what is new and worth keeping into the corpus. run.sh --every VERB - every input of the
# corpus on all runs of that verb, with sanitizers. By `make fuzz`.
set -u
cd "$(dirname "$0")" || exit 2
: "${BUILD:=$PWD/../../build}"
: "${UNIT:=$BUILD/unit}"
runs=0 jobs=2 seconds=0 keep='' every='' kind='' timeout=5
while [ $# -gt 0 ]; do
	case $1 in
	--runs) runs=$2; shift ;;
	--jobs) jobs=$2; shift ;;
	--seconds) seconds=$2; shift ;;
	--keep) keep=1 ;;
	--every) every=$2; shift ;;
	--kind) kind=$2; shift ;;
	--timeout) timeout=$2; shift ;;
	*) sed -n "4,10s/^# //p" run.sh; exit 2 ;;
	esac
	shift
done
work=$BUILD/fuzz
seeds=$work/seeds
rm -rf "$work/new"
mkdir -p "$seeds" "$work/new" "$work/findings"

# ---- seeds: hand-made files, and sessions of the example programs --------------------------------
rm -f "$seeds"/*
"$UNIT" --make "$seeds/0.cinstr" && "$UNIT" --make-lines "$seeds/1.cinstr" &&
	"$UNIT" --make-timeline "$seeds/5.cinstr" && "$UNIT" --make-sampled "$seeds/s0.cinstr" || exit 1

program=$work/example flags=
record() # record NUMBER ARGUMENTS [VARIABLE=VALUE...]: a session of the example as a seed
{
	local number=$1 argument=$2
	shift 2
	# shellcheck disable=SC2086
	"${CC:-gcc}" -O1 -g -pthread -fplugin="$BUILD/cinstr.so" -fplugin-arg-cinstr-lines -fplugin-arg-cinstr-small=0 $flags \
		example.c -o "$program" &&
		env CINSTR_METHOD=instrumentation CINSTR_DATA="$work/example.data" "$@" "$program" $argument > /dev/null &&
		cp "$(find "$work/example.data" -name '*.cinstr' | head -n 1)" "$seeds/$number.cinstr"
	rm -rf "$work/example.data" "$work/example.data.old"
}
record 2 threads CINSTR_TIMELINE=64K || exit 1
record 3 '' CINSTR_PROBES=lines || exit 1
record 4 '' CINSTR_TIMELINE=ring:128K CINSTR_PROBES=functions || exit 1

# Of a mixed session: what was timed, with the samples of a collector beside it, and the other way
# round; one of a process that sampled itself; one that fuzz.c packs.
record m0 threads CINSTR_METHOD=mixed || exit 1
record f0 'threads long' CINSTR_METHOD=mixed CINSTR_TIMELINE=16K || exit 1
"$BUILD/cinstr" merge -o "$seeds/g0.cinstr" "$seeds/0.cinstr" "$seeds/5.cinstr" "$seeds/2.cinstr" > /dev/null || exit 1
for source in perf timers; do # each where the kernel permits it
	rm -rf "$work/mixed"
	"$BUILD/cinstr" record --mixed --sample-source=$source -o "$work/mixed" "$work/example" threads long > /dev/null 2>&1
	mapfile -t files < <(find "$work/mixed" -name '*.cinstr' -size -2000 2> /dev/null)
	[ ${#files[@]} -eq 2 ] || continue
	cp "${files[0]}" "$seeds/m-$source-0.cinstr" && cp "${files[1]}" "$seeds/m-$source-0.cinstr.with" &&
		cp "${files[1]}" "$seeds/m-$source-1.cinstr" && cp "${files[0]}" "$seeds/m-$source-1.cinstr.with" || exit 1
done
record p0 threads || exit 1
rm -rf "$work/mixed"

# Executed instructions: of a program made by hand, with another of its processes beside it, and of
# the example. In a folder whose name is long enough for those that fuzz.c gives to the programs.
# Tables of a history of the latter.
executed=$(mktemp -d /dev/shm/cinstr-fuzz-seeds.XXXXXX) || exit 1
"$UNIT" --make-executed "$executed" 7 && mv "$executed"/counted.*.cinstr "$seeds/e0.cinstr.with" &&
	"$UNIT" --make-executed "$executed" && mv "$executed"/counted.*.cinstr "$seeds/e0.cinstr" &&
	mv "$executed/counted" "$seeds/e0.cinstr.program" || exit 1
program=$executed/counted-example flags=-fplugin-arg-cinstr-instructions
record e1 threads || exit 1
rm -rf "$work/history" && "$BUILD/cinstr" history add "$work/history" "$seeds/e1.cinstr" > /dev/null || exit 1
for table in run function module; do
	cp "$work/history/run=000001/$table.parquet" "$seeds/t-$table.parquet.cinstr" || exit 1
done
mv "$program" "$seeds/e1.cinstr.program" && rm -rf "$executed" "$work/history" || exit 1

export FUZZ_SEEDS=$seeds
if [ "$runs" -eq 0 ]; then
	timeout -s KILL 300 "$work/replay" corpus
	exit
fi

# ---- fuzzing -------------------------------------------------------------------------------------
export ASAN_OPTIONS=detect_leaks=0:allocator_release_to_os_interval_ms=-1:detect_odr_violation=0:allocator_may_return_null=1:malloc_context_size=1:quarantine_size_mb=1:thread_local_quarantine_size_kb=64:max_redzone=16 UBSAN_OPTIONS=print_stacktrace=1
if [ "$every" ]; then
	FUZZ_EVERY=$every exec "$work/fuzz" -runs=0 -timeout=10 -rss_limit_mb=3000 -detect_leaks=0 -artifact_prefix="$work/findings/" corpus
fi
export FUZZ_COUNTS=$work/counts
[ -n "$kind" ] && export FUZZ_KIND=$kind
rm -f "$FUZZ_COUNTS"
status=0 pids=()
for ((i = 0; i < jobs; i++)); do
	"$work/fuzz" -runs=$((runs / jobs)) -max_total_time="$seconds" -max_len=256 -timeout="$timeout" -rss_limit_mb=1000 -malloc_limit_mb=900 \
		-close_fd_mask=0 -seed=$((i + 1 + RANDOM)) -reload=1 -entropic=0 -detect_leaks=0 -print_final_stats=1 -artifact_prefix="$work/findings/" \
		"$work/new" corpus > "$work/job-$i.log" 2>&1 &
	pids+=($!)
done
for pid in "${pids[@]}"; do
	wait "$pid" || status=1
done
for ((i = 0; i < jobs; i++)); do
	grep -E 'stat::number_of_executed_units|stat::average_exec|ERROR|SUMMARY|Test unit written' "$work/job-$i.log"
	tail -n 1 "$work/job-$i.log"
done
"$work/replay" --counts "$FUZZ_COUNTS"
if [ "$keep" ]; then
	mkdir -p corpus
	"$work/fuzz" -merge=1 corpus "$work/new" > "$work/merge.log" 2>&1
fi
exit $status
