#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# check.sh SUITE... - runs test suites one after another and adds up. Called by `make check`, which sets
# CC, CFLAGS, BUILD, ROOT, UNIT. Every suite prints "ok NAME", "FAIL NAME: why" or "skip NAME: why" lines
# and ends with "N passed, N failed". So does this script, with the sum, and its exit status is 0 only
# if nothing failed. A suite that does not end with that line counts as one failure. With CI=true the tests that
# passed are not shown, so that what failed stands out; $BUILD/check has all the lines. A suite that prints nothing
# for SILENCE seconds hangs: it is killed, with the stacks of its processes (hangs.py), and the next one runs.
set -u
cd "$(dirname "$0")" || exit 2
: "${BUILD:=$PWD/../build}" "${SILENCE:=1800}"
logs=$BUILD/check
mkdir -p "$logs"
rm -f "$logs/total"

run_suite()
{
	case $1 in
	unit) watched "${UNIT:-$BUILD/unit}" ;;
	compile) watched compile/run.sh "$BUILD/cinstr.so" ;;
	e2e) watched e2e/run.sh ${E2E:+"$E2E"} ;;
	cli) watched cli/run.sh "$BUILD/cinstr" ;;
	*) watched "$1/run.sh" ;;
	esac
}

watched()
{
	if command -v "${PYTHON:=python3}" >/dev/null; then
		PYTHONDONTWRITEBYTECODE=1 "$PYTHON" hangs.py "$SILENCE" "$@"
	else
		"$@"
	fi
}

show()
{
	if [ "${CI:-}" = true ]; then
		grep -v --line-buffered '^ok '
	else
		cat
	fi
}

passed=0 failed=0
for suite; do
	echo "== $suite"
	start=$SECONDS
	run_suite "$suite" 2>&1 | tee "$logs/$suite.log" | show
	status=${PIPESTATUS[0]}
	last=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$logs/$suite.log" | tail -n 1)
	if [ -z "$last" ]; then
		echo "FAIL $suite: the suite did not finish (exit status $status)"
		last="0 passed, 1 failed"
	elif [ "$status" -ne 0 ] && [ "${last##*, }" = "0 failed" ]; then
		echo "FAIL $suite: exit status $status"
		last="${last%%,*}, 1 failed"
	fi
	read -r p _ f _ <<< "$last"
	passed=$((passed + p)) failed=$((failed + f))
	echo "== $suite: $((SECONDS - start)) s"
done

if grep -h '^FAIL' "$logs"/*.log >/dev/null 2>&1 && [ $failed -gt 0 ]; then
	echo "== what failed"
	for suite; do
		sed -n "s/^FAIL/FAIL $suite:/p" "$logs/$suite.log"
	done
fi
echo "$passed passed, $failed failed" | tee "$logs/total"
[ $failed -eq 0 ]
