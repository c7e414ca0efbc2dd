#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# run.sh - the manual pages and completions that `make man` made in $BUILD/man: they are sound,
# every verb, option and variable is in them, and completions complete. Prints "ok NAME" or "FAIL
# NAME: why", ends with "N passed, N failed".
set -u
cd "$(dirname "$0")" || exit 2
: "${BUILD:=$PWD/../../build}"
cinstr=$BUILD/cinstr man=$BUILD/man
export LC_ALL=C.UTF-8 PATH=$BUILD:$PATH
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

ok() { echo "ok $1"; passed=$((passed + 1)); }
fail() { echo "FAIL $1: $2"; failed=$((failed + 1)); }
check() # check NAME WHY: empty is good
{
	if [ -z "$2" ]; then ok "$1"; else fail "$1" "$2"; fi
}

# ---- pages ---------------------------------------------------------------------------------------

# A page that was made has no date: it is the version's.
complaints() { mandoc -Tlint -W warning "$1" 2>&1 | grep -v 'missing date' | head -n 3; }
plain() { mandoc -Tutf8 "$1" | col -b; }

for page in "$man"/*.[157]; do
	name=$(basename "$page")
	case $name in # what lowdown makes has empty paragraphs; errors count
	cinstr-data.5|cinstr-semantics.7) check "sound $name" "$(mandoc -Tlint -W error "$page" 2>&1 | head -n 3)" ;;
	*) check "sound $name" "$(complaints "$page")" ;;
	esac
	case $name in # tables
	cinstr-data.5|cinstr-semantics.7) ;;
	*) check "fits 80 columns: $name" "$(plain "$page" | expand | grep -E '^.{81}' | head -n 3)" ;;
	esac
	plain "$page" | sed -n '/^NAME$/{n;p}' | grep -q " [-–] [a-z]" && ok "purpose of $name" || fail "purpose of $name" "no line NAME"
done

for command in $("$cinstr" help --list); do
	page=$man/cinstr-$command.1
	[ -e "$page" ] || { fail "page of $command" "there is none"; continue; }
	mandoc -Tutf8 -O width=500 "$page" | col -b > "$work/page"
	missing=
	for option in $("$cinstr" "$command" --help | sed -nE 's/^  (-., )?(--[a-z-]+).*/\2/p'); do
		grep -qE -- "^ +(-., )?$option\b" "$work/page" || missing="$missing $option"
	done
	check "options of $command" "$missing"
	grep -q "cinstr-$command(1)" <(plain "$man/cinstr.1") && ok "overview has $command" || fail "overview has $command" "no"
done

missing=
for variable in $(sed -nE 's/.*OPTION\([A-Z_]+, "(CINSTR[A-Z_]*)".*/\1/p' ../../include/cinstr/options.h); do
	grep -q "^ *$variable=" <(plain "$man/cinstr.1") || missing="$missing $variable"
	found=1
done
check "variables" "$missing$([ "${found-}" ] || echo none found)"

found=
echo 'int main(void) { return 0; }' > "$work/main.c"
missing=
for option in $("${CC:-gcc}" -c -o "$work/main.o" -fplugin="$BUILD/cinstr.so" -fplugin-arg-cinstr-help "$work/main.c" 2>&1 |
	grep -o 'plugin-arg-cinstr-[a-z-]*' | sed 's/plugin-arg-cinstr-//'); do
	grep -qE "^ +$option\b" <(plain "$man/cinstr-plugin.1") || missing="$missing $option"
	found=1
done
check "options of the plugin" "$missing$([ "$found" ] || echo none found)"

# ---- completions ---------------------------------------------------------------------------------

# words NAME WANT WORD...: what bash completes for these words, the last one unfinished.
words()
{
	local name=$1 want=$2 got
	shift 2
	got=$(cd "$work" && bash -c '
		. "$1"; shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_cinstr
		printf "%s\n" "${COMPREPLY[@]}" | sort | paste -sd" "' bash "$man/cinstr.bash" "$@" 2>&1)
	if [ "$got" = "$want" ]; then ok "bash: $name"; else fail "bash: $name" "'$got', not '$want'"; fi
}

touch "$work/session.data"
words "commands" "record refold report" cinstr re
words "options" "--format=" cinstr report --form
words "words of an option" "table" cinstr report --format = t
words "words behind =" "csv json table" cinstr report --format =
words "files" "session.data" cinstr report sess
words "a letter and its value" "csv" cinstr report -f c
words "an option, a blank, its value" "thread thread-name" cinstr report --by th
words "columns" "p90 p90_elapsed_inclusive_ns" cinstr report --sort = p90
words "the last column of a list" "calls,p90 calls,p90_elapsed_inclusive_ns" cinstr report --columns = calls,p90
words "columns of another command" "duration_ns" cinstr timeline --sort = dur
words "rules" "CF0211" cinstr summary --explain = CF0211
words "events" "page-faults" cinstr record --event = page
words "verbs" "off on" cinstr control o
words "what follows a verb" "session.data" cinstr control on sess
words "commands of help" "tree" cinstr help tre
zsh -fc "compdef() { :; }; _arguments() { :; }; source '$man/_cinstr'; _cinstr_values summary --explain" 2>/dev/null |
	grep -qx CF0101 && ok "zsh: values" || fail "zsh: values" "no rules"
zsh -n "$man/_cinstr" 2> "$work/err" && ok "zsh: sound" || fail "zsh: sound" "$(head -n 1 "$work/err")"
zsh -fc "autoload -Uz compinit && compinit -u -D; source '$man/_cinstr' 2>/dev/null; whence -w _cinstr" 2>&1 |
	grep -q function && ok "zsh: loads" || fail "zsh: loads" "no function _cinstr"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
