#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The other compilers that cinstr supports and that are installed here: everything is built for each of them, in a folder
# of its own, and the compile suite and a part of the end-to-end tests run with it. CC is the one that all suites use.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${CC:=gcc}" "${BUILD:=$PWD/build}"
supported="11 12 13"
passed=0 failed=0

count() # count NAME STATUS LOG: adds up a suite's last line and passes on what failed
{
	local p f
	read -r p _ f _ <<< "$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$3" | tail -n 1)"
	if [ -z "${f-}" ] || { [ "$2" -ne 0 ] && [ "$f" -eq 0 ]; }; then
		p=${p:-0} f=1
		echo "FAIL $1: it did not finish (exit status $2)"
		tail -n 5 "$3"
	fi
	passed=$((passed + p)) failed=$((failed + f))
	sed -n -e "s/^FAIL /FAIL $1: /p" -e '/^    /p' "$3"
	echo "ok $1: $p passed"
}

try_compiler() # try_compiler CC
{
	local -x CC=$1 CXX=${1/gcc/g++} BUILD=$BUILD/$1
	local log=$BUILD/check.log
	mkdir -p "$BUILD"
	if ! MAKEFLAGS='' MAKELEVEL='' make CC="$CC" CXX="$CXX" O="$BUILD" all >"$log" 2>&1; then
		echo "FAIL $CC: does not build"
		tail -n 20 "$log"
		failed=$((failed + 1))
		return
	fi
	FEW=1 testsuite/compile/run.sh "$BUILD/cinstr.so" >"$log" 2>&1
	count "$CC compile" $? "$log"
	testsuite/e2e/run.sh 'tree/*-O2' 'build/lto*' 'build/static*' 'ending/return' >"$log" 2>&1
	count "$CC e2e" $? "$log"
}

version=$($CC -dumpversion | cut -d. -f1)
for other in $supported; do
	[ "$other" = "$version" ] && continue
	if ! command -v "gcc-$other" >/dev/null || ! command -v "g++-$other" >/dev/null ||
	   [ ! -e "$("gcc-$other" -print-file-name=plugin)/include/gcc-plugin.h" ]; then
		echo "skip gcc-$other: it or its headers for plugins are not installed"
		continue
	fi
	try_compiler "gcc-$other"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
