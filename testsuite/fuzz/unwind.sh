#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# unwind.sh [--runs N] [--jobs N] - libFuzzer on what reads unwind information (unwind.c). Stops at
# the first finding and leaves its input in $BUILD/fuzz/findings. Started by `make fuzz-unwind`.
set -u
cd "$(dirname "$0")" || exit 2
: "${BUILD:=$PWD/../../build}"
runs=10000000 jobs=2
while [ $# -gt 0 ]; do
	case $1 in
	--runs) runs=$2; shift ;;
	--jobs) jobs=$2; shift ;;
	*) sed -n "4,5s/^# //p" unwind.sh; exit 2 ;;
	esac
	shift
done
work=$BUILD/fuzz
export FUZZ_SEEDS=$work/libraries
rm -rf "$FUZZ_SEEDS"
mkdir -p "$FUZZ_SEEDS" "$work/unwind-new" "$work/findings"

library() # library NAME OPTION...
{
	local name=$1
	shift
	"${CC:-gcc}" -shared -fPIC "$@" -o "$FUZZ_SEEDS/$name.so" unwind_example.c || exit 1
}
debug_frame='-fno-asynchronous-unwind-tables -fno-unwind-tables -g'
library 1-aligned -O2 -DALIGNED=64 -mavx2
library 2-guarded -O3 -DALIGNED=64 -fcf-protection=full -fstack-protector-all
library 3-plt -O2 -DALIGNED=4 -Wl,-z,lazy
library 4-stripped -O2 -DALIGNED=4 -s
library 5-no-table -O2 -DALIGNED=4 -Wl,--no-eh-frame-hdr
# shellcheck disable=SC2086
library 6-debug-frame -O2 -DALIGNED=4 $debug_frame -Wl,--no-eh-frame-hdr
# shellcheck disable=SC2086
library 7-debug-frame-4 -O2 -DALIGNED=4 $debug_frame -Wa,--gdwarf-cie-version=4

# memory_limit.c's limit is met by a NULL.
export ASAN_OPTIONS=detect_odr_violation=0:allocator_may_return_null=1:max_allocation_size_mb=256:malloc_context_size=1:quarantine_size_mb=1:thread_local_quarantine_size_kb=64 UBSAN_OPTIONS=print_stacktrace=1
status=0 pids=()
for ((i = 0; i < jobs; i++)); do
	"$work/unwind" -runs=$((runs / jobs)) -max_len=257 -timeout=20 -rss_limit_mb=3000 -seed=$((i + 1 + RANDOM)) \
		-reload=1 -entropic=0 -detect_leaks=0 -print_final_stats=1 -artifact_prefix="$work/findings/" \
		"$work/unwind-new" > "$work/unwind-$i.log" 2>&1 &
	pids+=($!)
done
for pid in "${pids[@]}"; do
	wait "$pid" || status=1
done
for ((i = 0; i < jobs; i++)); do
	grep -E 'stat::number_of_executed_units|stat::average_exec|ERROR|SUMMARY|Test unit written' "$work/unwind-$i.log"
	tail -n 1 "$work/unwind-$i.log"
done
exit $status
