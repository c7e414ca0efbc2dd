#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The other compilers that cinstr supports and that are installed here: everything is built for each
# of them, in a folder of its own, and the compile suite and a part of the end-to-end tests run with
# it. CC is the one that all suites use. Besides: a plugin in a compiler that it was not built for,
# and a compiler that none can be built for, are refused in words.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${CC:=gcc}" "${BUILD:=$PWD/build}"
supported="11 12 13 14 15 16"
passed=0 failed=0 main=$CC here=$BUILD

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

check() # check NAME COMMAND...
{
	local name=$1 log=$BUILD/compilers.log
	shift
	if "$@" >"$log" 2>&1; then
		echo "ok $name"
		passed=$((passed + 1))
	else
		echo "FAIL $name"
		sed 's/^/    /' "$log" | head -n 8
		failed=$((failed + 1))
	fi
}

# The plugin is loaded, whatever functions of GCC it misses there, and tells what to do.
wrong_compiler() # wrong_compiler PLUGIN CC
{
	local said release
	release=$("$2" -dumpversion | cut -d. -f1)
	said=$(echo 'int x;' | LC_ALL=C "$2" -c -fplugin="$1" -x c - -o /dev/null 2>&1) && return 1
	echo "$said"
	grep -q "was built for GCC .* and cannot run in GCC $release" <<<"$said" &&
		grep -q "gcc-$release-plugin-cinstr, or build it: make CC=gcc-$release O=build/gcc-$release" <<<"$said"
}

refused() # refused VERSION "FIRST LINE OF --version" "WHAT IS SAID": a compiler that says so of itself
{
	local scratch said
	scratch=$(mktemp -d) || return
	printf '#!/bin/sh\ncase $1 in --version) echo "%s" ;; *) echo %s ;; esac\n' "$2" "$1" >"$scratch/gcc-other"
	chmod +x "$scratch/gcc-other"
	said=$(contrib/install-deps --check build "$scratch/gcc-other" 2>&1)
	[ $? -eq 1 ] && [ "$said" = "cinstr: $scratch/gcc-other is $3" ]
	set -- $?
	echo "$said"
	rm -rf "$scratch"
	return "$1"
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
	check "plugin for $main in $CC" wrong_compiler "$here/cinstr.so" "$CC"
	check "plugin for $CC in $main" wrong_compiler "$BUILD/cinstr.so" "$main"
	QUICK="" REST="" FEW=1 testsuite/compile/run.sh "$BUILD/cinstr.so" >"$log" 2>&1
	count "$CC compile" $? "$log"
	testsuite/e2e/run.sh 'tree/*-O2' 'build/lto*' 'build/static*' 'ending/return' >"$log" 2>&1
	count "$CC e2e" $? "$log"
}

known="plugin/gcc.h knows the interfaces of 11 to 16: make CC=gcc-N"
check "GCC 10" refused 10 "gcc-10 (Debian) 10.2.1" "GCC 10; $known"
check "GCC 17" refused 17.1.0 "gcc-17 (GCC) 17.1.0" "GCC 17; $known"
check "clang" refused 14.0.6 "Debian clang version 14.0.6" "clang, and the plugin is one for GCC: make CC=gcc"
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
