#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# run.sh CINSTR - tests of the command line: help, output of every command on a data file with known content
# (made by the unit tests' program, $UNIT), errors and exit statuses, record. Prints "ok NAME" or "FAIL NAME: why"
# and ends with "N passed, N failed". UPDATE=1 writes the expected texts in golden/ anew: look at the difference.
set -u
cinstr=$(realpath "${1:?which cinstr?}")
here=$(cd "$(dirname "$0")" && pwd)
unit=${UNIT:-$(dirname "$cinstr")/unit}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export LC_ALL=C TZ=UTC
unset COLUMNS NO_COLOR CINSTR CINSTR_DATA CINSTR_SESSION CINSTR_ONLY CINSTR_NOT CINSTR_PROBES
passed=0 failed=0

ok() { echo "ok $1"; passed=$((passed + 1)); }
fail() { echo "FAIL $1: $2"; failed=$((failed + 1)); }

# golden NAME COMMAND...: stdout is golden/NAME.
golden()
{
	local name=$1 want="$here/golden/$1" status
	shift
	"$@" > out 2> err
	status=$?
	[ "${UPDATE:-}" ] && cp out "$want"
	if [ $status -ne 0 ]; then
		fail "$name" "exit status $status: $(head -n 1 err)"
	elif ! diff -u "$want" out > difference; then
		fail "$name" "other output than golden/$name"
		sed 's/^/    /' difference | head -n 40
	else
		ok "$name"
	fi
}

# says NAME STATUS PATTERN COMMAND...: exit status, and a line of stderr or stdout that matches.
says()
{
	local name=$1 want=$2 pattern=$3 status
	shift 3
	"$@" > out 2> err
	status=$?
	if [ $status -ne "$want" ]; then
		fail "$name" "exit status $status, not $want: $(head -n 1 err)"
	elif [ -n "$pattern" ] && ! grep -qE -e "$pattern" err out; then
		fail "$name" "nothing matches '$pattern': $(head -n 1 err)"
	else
		ok "$name"
	fi
}

# ---- help -------------------------------------------------------------------------------------------

golden help.txt "$cinstr" --help
for command in report tree info record control refold; do
	golden "help-$command.txt" "$cinstr" help "$command"
	if [ "$("$cinstr" "$command" --help)" = "$("$cinstr" help "$command")" ]; then
		ok "$command --help is help $command"
	else
		fail "$command --help is help $command" "they differ"
	fi
done
if grep -E '.{121}' "$here"/golden/help*.txt; then
	fail "help fits 120 columns" "it does not"
else
	ok "help fits 120 columns"
fi
says "version" 0 '^cinstr [0-9]' "$cinstr" --version

# ---- wrong use --------------------------------------------------------------------------------------

says "no command" 2 'Usage: cinstr' "$cinstr"
says "unknown command" 2 "no command 'reprot'; did you mean 'report'" "$cinstr" reprot
says "unknown command in help" 2 "no command 'xyzzy'" "$cinstr" help xyzzy
says "unknown option" 2 "unknown option '--limt'; did you mean --limit" "$cinstr" report --limt=3
says "unknown letter" 2 "unknown option '-Z'" "$cinstr" report -Z
says "option without its value" 2 'limit needs a value' "$cinstr" report --limit
says "value that is not one" 2 "limit does not take 'many'" "$cinstr" report --limit=many
says "choice that is not one" 2 "by does not take 'lines'; it takes function" "$cinstr" report --by=lines
says "column that is not one" 2 "no column 'elapsed'; did you mean elapsed_" "$cinstr" report --sort=elapsed
says "OS event that is not one" 2 "os-events has no event 'sleep'" "$cinstr" report --os-events=voluntary,sleep
says "one operand too many" 2 "too many: 'b'" "$cinstr" report a b
says "escapes in arguments" 2 "unknown option '--x.x1b" "$cinstr" report $'--x\033[31m'
says "record without a program" 2 'which program' "$cinstr" record
says "record: unknown option" 2 "unknown option '--outptu'; did you mean --output" "$cinstr" record --outptu=x -- true
says "record: wrong value" 2 "probes does not take 'all'" "$cinstr" record --probes=all true

says "control without a verb" 2 'to do what' "$cinstr" control
says "control: a process, but no verb" 2 'to do what' "$cinstr" control 1
says "control: unknown verb" 2 "there is no 'stauts'; did you mean 'status'" "$cinstr" control stauts
says "control: unknown verb of a process" 2 "there is no 'kill'; it takes on, off" "$cinstr" control 1 kill
says "control: too many words" 2 'on takes nothing behind it' "$cinstr" control 1 on now
says "control: no text" 2 'mark needs a text' "$cinstr" control 1 mark
says "control: no rules" 2 'choose needs rules' "$cinstr" control 1 choose
says "control: two folders" 2 'snapshot needs at most one folder' "$cinstr" control . snapshot a b
says "control: no such process" 1 'there is no process 999999999' "$cinstr" control 999999999 off
says "control: no process has so high a number" 1 'there is no process 99999999999' "$cinstr" control 99999999999 off
says "control: a process that does not record" 1 "process $$ is not recording" "$cinstr" control $$ off
says "control: no such folder" 1 'nowhere: No such file' "$cinstr" control nowhere status
says "control: no session here" 1 'no session in this folder .cinstr.data.' "$cinstr" control status
mkdir somewhere
says "control: not a session" 1 'somewhere: not a session' "$cinstr" control somewhere on

# ---- input that is none -----------------------------------------------------------------------------

says "no session here" 1 'no session in this folder .cinstr.data.' "$cinstr" report
says "no such folder" 1 'nowhere: No such file' "$cinstr" report nowhere
mkdir empty folder
says "folder without data" 1 'empty: the folder holds no data' "$cinstr" report empty
: > folder/a.cinstr
says "empty file" 1 'folder/a.cinstr: the file is empty' "$cinstr" report folder
echo "some text that is long enough" > folder/a.cinstr
says "another kind of file" 1 'not a cinstr data file' "$cinstr" tree folder
says "a file as the operand" 1 'not a cinstr data file' "$cinstr" info folder/a.cinstr

# ---- a session with known content -------------------------------------------------------------------

if [ -x "$unit" ] && mkdir session && "$unit" --make session/app.4242.cinstr; then
	golden report.txt "$cinstr" report session
	golden report-80.txt env COLUMNS=80 "$cinstr" report session
	golden report-raw.txt "$cinstr" report --raw session
	golden report-on-cpu.txt "$cinstr" report --application=on-cpu --sort=calls --limit=3 session
	golden report-events.txt "$cinstr" report --os-events=voluntary session
	golden report-module.txt "$cinstr" report --by=module session
	golden report-thread.txt "$cinstr" report --by=thread session
	golden report-process.txt "$cinstr" report --by=process session
	golden report.csv "$cinstr" report --format=csv session
	golden report.json "$cinstr" report --format=json session
	golden tree.txt "$cinstr" tree session
	golden tree-depth.txt "$cinstr" tree --depth=2 --min-percent=2 session
	golden tree.csv "$cinstr" tree --format=csv session
	golden info.txt "$cinstr" info session
	golden report-site.txt "$cinstr" report --by=site session
	says "no line events" 1 'no line events were recorded: build with -fplugin-arg-cinstr-lines and record with --probes=lines' \
		"$cinstr" report --by=line session
	if [ -s out ]; then
		fail "no line events: no table" "there is one"
	else
		ok "no line events: no table"
	fi
	golden marks-none.txt "$cinstr" info --marks session
	mkdir lines && "$unit" --make-lines lines/app.4242.cinstr
	golden lines-report.txt "$cinstr" report lines
	golden lines-line.txt "$cinstr" report --by=line lines
	golden lines-line-80.txt env COLUMNS=80 "$cinstr" report --by=line lines
	golden lines-line.csv "$cinstr" report --by=line --format=csv lines
	golden lines-line.json "$cinstr" report --by=line --format=json lines
	golden lines-site.txt "$cinstr" report --by=site lines
	golden lines-site.csv "$cinstr" report --by=site --format=csv lines
	golden lines-tree.txt "$cinstr" tree --min-percent=0 lines
	golden lines-info.txt "$cinstr" info lines
	golden lines-marks.txt "$cinstr" info --marks lines
	# Two machines, the same process number: files in one folder, or folders in one.
	mkdir flat nested nested/a nested/b nested/c nested/.hidden
	"$unit" --make flat/app.4242.0000000a.cinstr alpha && "$unit" --make flat/app.4242.0000000b.cinstr beta
	cp flat/app.4242.0000000a.cinstr nested/a && cp flat/app.4242.0000000b.cinstr nested/b
	cp flat/*a.cinstr nested/c # no session: somebody's folder
	cp flat/*a.cinstr nested/.hidden
	printf 'cinstr session\n' | tee nested/a/session nested/b/session nested/.hidden/session > flat/session
	truncate -s 4096 flat/session
	golden hosts-process.txt "$cinstr" report --by=process flat
	golden hosts-process.csv "$cinstr" report --by=process --format=csv flat
	golden hosts-thread.txt "$cinstr" report --by=thread flat
	golden hosts-status.txt "$cinstr" control flat status
	golden hosts-status.json "$cinstr" control nested status --format=json
	"$cinstr" report --by=process --format=csv nested > out && cp out difference
	says "sessions in a folder" 0 '' cmp difference "$here/golden/hosts-process.csv"
	says "json of hosts is json" 0 '' "${PYTHON:-python3}" -m json.tool "$here/golden/hosts-status.json"

	says "control: a session that has ended" 0 'is off, for 0 running processes' "$cinstr" control flat off
	says "control: rules too long" 1 'longer than 1023 bytes' "$cinstr" control flat choose "only=$(printf '%01100d' 0)"
	says "control: a session file without room" 1 'nested/a/session: has no room' "$cinstr" control nested/a off
	says "control: nobody to mark" 1 'flat: no process is recording' "$cinstr" control flat mark x
	says "control: nobody to choose" 1 'flat: no process is recording' "$cinstr" control flat choose all
	says "control: a data file" 1 'process 4242 .app. has ended' "$cinstr" control flat/app.4242.0000000a.cinstr on
	says "control: snapshot of what has ended" 0 'cinstr report mine$' "$cinstr" control flat snapshot mine
	"$cinstr" report --by=process --format=csv mine > out && cp out difference
	says "control: the snapshot has it all" 0 '' cmp difference "$here/golden/hosts-process.csv"
	says "control: the snapshot's folder is there" 1 'mine: is there already' "$cinstr" control flat snapshot mine
	says "control: a snapshot in a session" 1 'lies in a session' "$cinstr" control flat snapshot flat/mine
	says "control: snapshots have names" 0 'flat.snapshot: 2 processes' "$cinstr" control flat snapshot
	says "control: ... of their own" 0 'flat.snapshot.2: 2 processes' "$cinstr" control flat/ snapshot
	says "json of lines is json" 0 '' "${PYTHON:-python3}" -m json.tool "$here/golden/lines-line.json"
	says "json is json" 0 '' "${PYTHON:-python3}" -m json.tool "$here/golden/report.json"
	"$cinstr" report --format=csv -o written.csv session
	says "-o writes the file" 0 '' cmp written.csv "$here/golden/report.csv"
	says "-o cannot write" 1 'no/such/file: cannot be written' "$cinstr" report -o no/such/file session
	[ -e /dev/full ] && says "full disk" 1 'cannot be written: No space' "$cinstr" report -o /dev/full session

	printf 'M' | dd of=session/app.4242.cinstr bs=1 seek=8 conv=notrunc status=none
	says "another version" 1 'format version 77, but this cinstr reads version 3' "$cinstr" report session
	"$unit" --make session/app.4242.cinstr
	truncate -s 40000 session/app.4242.cinstr
	says "truncated: the usable part is shown" 1 'rec .*app ' "$cinstr" report session
	says "truncated: a warning" 1 'warning: session/app.4242.cinstr: at byte 40000: the file is truncated' \
		"$cinstr" report session
	echo "some text that is long enough" > session/b.cinstr
	"$unit" --make session/app.4242.cinstr
	says "one of two files is bad" 1 'b.cinstr: not a cinstr data file' "$cinstr" report session
	says "the other one is shown" 1 '^ *501,000 .* rec ' "$cinstr" report session
	: > session/b.cinstr
	says "one of two was not begun" 0 'warning: session/b.cinstr: no data' "$cinstr" report session
else
	echo "skip known content: no unit test program at $unit"
fi

# ---- record -------------------------------------------------------------------------------------------

says "record: no such program" 127 "cannot run 'nosuchprogram'" "$cinstr" record nosuchprogram
says "record: not executable" 126 "cannot run './out'" "$cinstr" record ./out
if [ -e cinstr.data ]; then
	fail "a mistyped name makes no session" "cinstr.data is there"
else
	ok "a mistyped name makes no session"
fi
says "record: exit status" 7 'nothing was recorded' "$cinstr" record -o s1 -- sh -c 'exit 7'
says "record: arguments are the program's" 0 '^-o --x$' "$cinstr" record -o s2 echo -o --x
says "record: no folder" 1 "session folder .*cannot be made" "$cinstr" record -o no/such/folder/s true
says "record: died by a signal" 143 '' sh -c "'$cinstr' record -o s3 -- sh -c 'kill -TERM \$\$'; exit \$?"
# shellcheck disable=SC2016 # the inner shell expands them
says "record: the environment" 0 '^functions;.*/s4$' "$cinstr" record -o s4 --probes=functions -- \
	sh -c 'echo "$CINSTR_PROBES;$CINSTR_SESSION"'
"$cinstr" record -o s5 -- sh -c 'trap "exit 9" USR1; : > ready; while :; do sleep 0.05; done' 2> err &
for _ in $(seq 100); do [ -e ready ] && break; sleep 0.05; done
kill -USR1 $!
wait $!
status=$?
if [ $status -eq 9 ]; then
	ok "record: signals are passed on"
else
	fail "record: signals are passed on" "exit status $status"
fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
