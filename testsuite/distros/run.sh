#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# make distros [DISTRO="trixie sid"] [CC="gcc-13 gcc-14"] [SUITES="demo unit compile"]
# [FRONT_ENDS="gnat gdc"] [FEW=1] [UPDATE=1]
#
# Other releases of Debian, with their compilers, libc, libdwarf and binutils: each is a root of its
# own (root.sh), where a clean clone of HEAD is built and tested as a user would,
# contrib/install-deps and all, for each compiler of CC in turn, with every front end of its that
# the release has. SUITES are those of `make check`, demo, world (`make world`), trees (tree/* of
# e2e) and torture-all (`make torture`; TORTURE="--sample 5": every fifth test). What they print is
# kept in $BUILD/distros/DISTRO-CC-SUITE.log; what failed is shown, and a table at the end. As root,
# with a network the first time. FEW=1: less of the compile suite. UPDATE=1: the packages there are
# brought up to date first.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${BUILD:=$PWD/build}" "${DISTRO:=trixie sid}" "${SUITES:=demo unit compile cli manual fuzz format e2e build sample faults security points stress lint compilers torture}"
: "${FRONT_ENDS=gobjc gnat gdc gccgo gm2 gccrs gcobol}" # FRONT_ENDS= for none
developer=
[ "${CI-}" = true ] && developer=DEVELOPER=1
logs=$BUILD/distros
root=testsuite/distros/root.sh
total_passed=0 total_failed=0 rows=()
mkdir -p "$logs"

compilers_of()
{
	case $1 in
	bookworm) echo gcc-12 gcc-11 ;;
	trixie) echo gcc-14 gcc-13 ;;
	*) echo gcc-16 gcc-15 gcc-14 ;;
	esac
}

# A clone in the root, with everything installed that the suites use.
prepare() # prepare DISTRO CC
{
	local folder
	folder=$($root path "$1")/var/tmp/cinstr
	mkdir -p "$folder"
	if [ -e "$folder/$2/.git" ]; then
		git -C "$folder/$2" fetch -q "file://$PWD" HEAD && git -C "$folder/$2" checkout -q --force --detach FETCH_HEAD
	else
		git clone -q "file://$PWD" "$folder/$2"
	fi || return
	# shellcheck disable=SC2016
	$root enter "$1" bash -c '
		cd "/var/tmp/cinstr/$1" || exit
		export DEBIAN_FRONTEND=noninteractive
		[ -n "$2" ] && { apt-get update && apt-get dist-upgrade -y || exit; }
		contrib/install-deps torture "$1" || exit 77
		# Not all releases have all of them, and some cannot stand beside those of another
		# compiler.
		for front_end in $3; do
			dpkg -s "$front_end${1#gcc}" >/dev/null 2>&1 ||
				apt-get install -y --no-install-recommends --no-remove "$front_end${1#gcc}" || echo "no $front_end"
		done
		apt-get clean
		make -j"$(nproc)" CC="$1" $4' prepare "$2" "${UPDATE-}" "$FRONT_ENDS" "$developer" >"$logs/$1-$2-prepare.log" 2>&1
}

note() # note DISTRO CC SUITE PASSED FAILED
{
	rows+=("$(printf '%-10s %-8s %-10s %7s %7s' "$@")")
	total_passed=$((total_passed + $4)) total_failed=$((total_failed + $5))
}

run_suite() # run_suite DISTRO CC SUITE
{
	local log=$logs/$1-$2-$3.log what=(check "SUITES=$3") p f status started=$SECONDS
	case $3 in
	demo | world) what=("$3") ;;
	torture-all) what=(torture "TORTURE=${TORTURE-}") ;;
	trees) what=(check SUITES=e2e 'E2E=tree/*') ;;
	esac
	[ -n "${FEW-}" ] && what+=("FEW=$FEW")
	[ -n "$developer" ] && what+=("$developer")
	# shellcheck disable=SC2016
	$root enter "$1" bash -c 'cd "/var/tmp/cinstr/$1" && CC=$1 && shift && exec make CC="$CC" "$@"' suite "$2" "${what[@]}" >"$log" 2>&1
	status=$?
	read -r p _ f _ <<< "$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -n 1)"
	if [ "$3" = demo ] && [ $status -eq 0 ]; then
		p=1 f=0
	elif [ -z "${f-}" ] || { [ $status -ne 0 ] && [ "$f" -eq 0 ]; }; then
		p=${p:-0} f=1
		tail -n 20 "$log"
	fi
	echo "== $1 $2 $3: $p passed, $f failed, $((SECONDS - started)) s"
	# "SUITE: FAIL TEST", and what it said; torture has no such prefix.
	sed -n -E -e '/^== what failed/,$d' -e "s/^([a-z]+: )?FAIL /FAIL $1 $2 $3: /p" \
		-e '/^([a-z]+: )?FAIL/,/^([a-z]+: )?(ok|skip|FAIL|==)/{/^([a-z]+: )?    /p}' "$log"
	note "$1" "$2" "$3" "$p" "$f"
}

for distro in $DISTRO; do
	if ! $root make "$distro"; then
		note "$distro" - root 0 1
		continue
	fi
	for cc in ${CC:-$(compilers_of "$distro")}; do
		prepare "$distro" "$cc"
		status=$?
		if [ $status -eq 77 ] && [ -n "$developer" ]; then # continuous integration: its network is not what is tested
			echo "skip $distro $cc: its packages cannot be installed: $(tail -n 1 "$logs/$distro-$cc-prepare.log")"
			continue
		fi
		if [ $status -ne 0 ]; then
			echo "FAIL $distro $cc: it does not build: $logs/$distro-$cc-prepare.log"
			tail -n 20 "$logs/$distro-$cc-prepare.log"
			note "$distro" "$cc" build 0 1
			continue
		fi
		for suite in $SUITES; do
			run_suite "$distro" "$cc" "$suite"
		done
	done
done
printf '%-10s %-8s %-10s %7s %7s\n' distro compiler suite passed failed
printf '%s\n' "${rows[@]}"
echo "$total_passed passed, $total_failed failed"
[ $total_failed -eq 0 ]
