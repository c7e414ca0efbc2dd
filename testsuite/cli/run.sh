#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# run.sh CINSTR - tests of the command line: help, output of every command on a data file with known
# content (made by the unit tests' program, $UNIT), errors and exit statuses, record. Prints "ok
# NAME" or "FAIL NAME: why" and ends with "N passed, N failed". UPDATE=1 writes the expected texts
# in golden/ anew: look at the difference.
set -u
cinstr=$(realpath "${1:?which cinstr?}")
here=$(cd "$(dirname "$0")" && pwd)
unit=${UNIT:-$(dirname "$cinstr")/unit}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export LC_ALL=C TZ=UTC COLUMNS=0 PAGER=
unset NO_COLOR LESS CINSTR_PAGER CINSTR_COLOR CINSTR CINSTR_DATA CINSTR_SESSION CINSTR_ONLY CINSTR_NOT CINSTR_PROBES
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

# ---- findings ------------------------------------------------------------------------------------

# On random sessions, which are made, looked at and printed by the unit tests' program.
golden findings-random.txt "$unit" --findings
# Rows of random processes, of which some calls were only counted.
golden random-rows.txt "$unit" --rows
# What the runtime makes of modules: what is wrong with changed tables, where sleds lead.
golden modules-tables.txt "$unit" --tables
golden modules-sleds.txt "$unit" --sleds
golden limits-random.txt "$unit" --budget

# ---- values --------------------------------------------------------------------------------------

# Ranks of a job, whose calls were made by chance.
mkdir random
for number in 0 1 2 3 4; do
	"$unit" --make-random random/app.500$number.cinstr $number
done
for by in function module thread rank line site address mark; do
	golden random-$by.csv "$cinstr" report --by=$by --format=csv random
done
golden random-raw.csv "$cinstr" report --raw --format=csv random
golden random-on-cpu.csv "$cinstr" report --application=on-cpu --by=thread-name --format=csv random
golden random-events.csv "$cinstr" report --os-events=all --by=line --format=csv random
golden random-tree.csv "$cinstr" tree --format=csv random
golden random-tree.txt "$cinstr" tree --verbose random
golden random-callers.csv "$cinstr" callers --format=csv '*' random
golden random-summary.txt "$cinstr" summary --verbose random
golden random-findings.json "$cinstr" summary --findings --format=json random
"$cinstr" merge -o random-merged random 2> err || fail "random-merged" "$(head -n 1 err)"
golden random-merged.csv "$cinstr" report --format=csv random-merged
golden random-merged-line.csv "$cinstr" report --by=line --format=csv random-merged
golden random-merged-tree.csv "$cinstr" tree --format=csv random-merged
golden random-report.txt "$cinstr" report --verbose random
golden random-info.txt "$cinstr" info random
golden random-ranks.txt "$cinstr" ranks random
# ... and processes of which some calls were only counted.
mkdir random-counted
for number in 1 2 4 7 11; do
	"$unit" --make-counted random-counted/app.$((5000 + number)).cinstr $number
done
# ... with samples of some.
mkdir random-joined
for number in 1 4 11; do
	"$unit" --make-random-mixed random-joined $number
done
for session in random-counted random-joined; do
	"$cinstr" merge -o $session-merged $session 2> err || fail "$session-merged" "$(head -n 1 err)"
	golden $session-merged-rows.txt "$unit" --rows $session-merged
	for folder in $session $session-merged; do
		for by in function module line site process; do
			golden $folder-$by.csv "$cinstr" report --by=$by --format=csv $folder
		done
		golden $folder-tree.csv "$cinstr" tree --format=csv $folder
		golden $folder-callers.csv "$cinstr" callers --format=csv '*' $folder
		golden $folder-summary.txt "$cinstr" summary --verbose $folder
	done
done
# ... and one of which some functions were only counted, with samples.
mkdir random-mixed && "$unit" --make-mixed random-mixed
"$cinstr" merge -o random-all random random-mixed 2> err || fail "random-all" "$(head -n 1 err)"
for by in function line site; do
	golden random-all-$by.csv "$cinstr" report --by=$by --format=csv random-all
done
golden random-all-tree.csv "$cinstr" tree --format=csv random-all
golden random-all-callers.csv "$cinstr" callers --format=csv '*' random-all
mkdir random-sampled && "$unit" --make-sampled random-sampled/app.4242.cinstr
golden sampled-site.csv "$cinstr" report --by=site --format=csv random-sampled
golden sampled-address.csv "$cinstr" report --by=address --format=csv random-sampled

# ---- executed instructions -----------------------------------------------------------------------

mkdir executed && "$unit" --make-executed executed
for by in function module thread line; do
	golden executed-$by.txt "$cinstr" report --measure=instructions --by=$by executed
	golden executed-$by.csv "$cinstr" report --measure=instructions --by=$by --format=csv executed
done
says "info of executed instructions" 0 '^      executed instructions are counted: 9 segments$' "$cinstr" info executed
says "info of executed instructions, json" 0 '"segments_counted": 9' "$cinstr" info --format=json executed
golden executed-tree.txt "$cinstr" tree --measure=instructions executed
golden executed-tree.csv "$cinstr" tree --measure=instructions --format=csv executed
golden executed-tree.json "$cinstr" tree --measure=instructions --format=json executed
golden executed-callers.txt "$cinstr" callers --measure=instructions branch executed
for view in tree "callers loop"; do
	says "$view: executed instructions: --raw" 2 "--raw does not go with --measure=instructions: " \
		"$cinstr" $view --measure=instructions --raw executed
done
for session in random random-sampled; do
	says "no executed instructions by call path: $session" 1 "$session: no executed instructions were counted: " \
		"$cinstr" tree --measure=instructions $session
done
golden executed.json "$cinstr" report --measure=instructions --format=json executed
golden executed-chosen.txt "$cinstr" report --measure=instructions --sort=calls:asc --function='!loop' --limit=2 executed
golden executed-worker.txt "$cinstr" report --measure=instructions --thread=worker executed
says "no executed instructions" 1 'random: no executed instructions were counted: build with -fplugin-arg-cinstr-instructions$' \
	"$cinstr" report --measure=instructions random
says "no executed instructions of what was merged" 1 'random-merged: no executed instructions were counted: ' \
	"$cinstr" report --measure=instructions random-merged
for option in --raw --application=on-cpu --os-events=all --view=os --histogram --columns=calls --from=1s --to=1s --just-my-code --inlines=off; do
	says "executed instructions: $option" 2 "report: ${option%%=*} does not go with --measure=instructions: " \
		"$cinstr" report --measure=instructions $option executed
done
says "executed instructions: --by=site" 2 'goes with --by=function, module, thread or line$' "$cinstr" report --measure=instructions --by=site executed
says "executed instructions: an unknown function" 1 "nothing here matches 'nope'" "$cinstr" report --measure=instructions --function=nope executed
cp executed/counted was && printf '\xcc' | dd of=executed/counted bs=1 seek=$((0x142)) conv=notrunc 2> /dev/null
says "executed instructions: another program" 0 'Not known of loop: its file is gone, or is another one now' "$cinstr" report --measure=instructions executed
mv was executed/counted
# ... of several runs.
for more in 1 2 3 4 7 20 21 22 23 24; do
	mkdir executed-$more && "$unit" --make-executed executed-$more $more
done
golden executed-diff.txt "$cinstr" diff --measure=instructions executed executed-7
golden executed-diff.csv "$cinstr" diff --measure=instructions --format=csv executed executed-7
golden executed-diff.json "$cinstr" diff --measure=instructions --format=json executed executed-7
golden executed-diff-module.txt "$cinstr" diff --measure=instructions --by=module executed executed-7
golden executed-diff-same.txt "$cinstr" diff --measure=instructions --fail-over=0 executed executed
golden executed-diff-runs.txt "$cinstr" diff --measure=instructions --fail-over=0 executed executed-20 -- executed-7
golden executed-diff-many.txt "$cinstr" diff --measure=instructions executed executed-{1,2,3,4} -- executed-{20,21,22,23,24}
says "executed instructions: a function that varies, four runs on a side" 0 '' "$cinstr" diff --measure=instructions --fail-over=0 \
	executed executed-{1,2,3} -- executed-{20,21,22,23}
says "executed instructions: a function that varies, five runs on a side" 1 'loop: executed instructions grew by 1.5' "$cinstr" diff \
	--measure=instructions --fail-over=0 executed executed-{1,2,3,4} -- executed-{20,21,22,23,24}
golden executed-diff-range.csv "$cinstr" diff --measure=instructions --format=csv executed executed-7 -- executed-20
says "executed instructions: more than --fail-over" 1 'diff: loop: executed instructions grew by 0.66 % .3183 to 3204., which is more than --fail-over=0.6$' \
	"$cinstr" diff --measure=instructions --fail-over=0.6 executed executed-7
says "executed instructions: less than --fail-over" 0 '' "$cinstr" diff --measure=instructions --fail-over=0.7 executed executed-7
says "executed instructions: --fail-on=total" 1 "total: executed instructions grew by 0.368 %" \
	"$cinstr" diff --measure=instructions --fail-over=0.1 --fail-on=total executed executed-7
for option in --column=calls --sort=a --relative --per=process --single --threshold=1 --by=line; do
	says "diff of executed instructions: $option" 2 "diff: ${option%%=*} does not go with --measure=instructions: " \
		"$cinstr" diff --measure=instructions $option executed executed
done
says "executed instructions without sources" 1 'no function with a known source is counted: build with -g$' \
	"$cinstr" annotate --coverage executed
says "executed instructions of no such function" 1 "no function 'nope' with a known source is counted" \
	"$cinstr" annotate --measure=instructions nope executed
says "annotated executed instructions: --sort" 2 'annotate: --sort does not go with --measure=instructions' \
	"$cinstr" annotate --measure=instructions --sort=calls executed
says "coverage in csv" 2 "annotate: --coverage has a format of its own" "$cinstr" annotate --coverage --format=csv executed
says "diff of executed instructions: none" 1 'random: no executed instructions were counted' "$cinstr" diff --measure=instructions executed random

# ---- help ----------------------------------------------------------------------------------------

golden help.txt "$cinstr" --help
for command in summary ui report tree callers waits annotate diff timeline export html serve history push info record control refold suggest pack merge ranks build compare bisect mcp schema help; do
	golden "help-$command.txt" "$cinstr" help "$command"
	if [ "$("$cinstr" "$command" --help)" = "$("$cinstr" help "$command")" ]; then
		ok "$command --help is help $command"
	else
		fail "$command --help is help $command" "they differ"
	fi
done
# The same options in every command that prints: each has it, or says why it does not.
holes=
for command in summary ui report tree callers annotate diff timeline info suggest; do
	for option in limit width sort columns view verbose format output color no-pager names process thread function module from to just-my-code \
		filter save-filter; do
		"$cinstr" help $command | grep -qE -e "^  (-., )?--$option(=| |$)" && continue
		"$cinstr" $command --$option=1 2> err
		[ $? = 2 ] && grep -q "^cinstr: error: $command has no --$option: " err || holes="$holes $command/$option"
	done
done
if [ -z "$holes" ]; then ok "every view has each option, or says why not"; else fail "every view has each option" "$holes"; fi
if grep -E '.{81}' "$here"/golden/help*.txt; then
	fail "help fits 80 columns" "it does not"
else
	ok "help fits 80 columns"
fi
says "version" 0 '^cinstr [0-9]' "$cinstr" --version

# ---- where the plugin is -------------------------------------------------------------------------

# Compilers that say what they are told to, in the way of GCC.
compiler() # compiler NAME VERSION MACHINE [LINE OF --version]
{
	cat > "$1" <<-EOF
		#!/bin/sh
		case \$* in
		*-version*) echo "${4-$1 Copyright Free Software Foundation}" ;;
		*-dumpversion*) echo $2 ;;
		*-print-file-name*) echo "$work/its gcc/plugin" ;;
		*-dumpmachine*) echo $3 ;;
		*-fplugin=*/tree/*/gcc-14/*|*-fplugin=*/plugin/*) [ "\${REFUSES-}" ] && exit 1 || exit 0 ;;
		*) exit 1 ;;
		esac
	EOF
	chmod +x "$1"
}

path() # path NAME WANT COMMAND...: this path on stdout
{
	local name=$1 want=$2
	shift 2
	if [ "$("$@" 2> err)" = "$want" ]; then ok "$name"; else fail "$name" "not $want: $("$@" 2>&1 | head -n 1)"; fi
}

compiler gcc-14 14.2.0 x86_64-linux-gnu
compiler gcc-10 10.2.1 x86_64-linux-gnu
compiler cross-gcc 14.2.0 aarch64-linux-gnu
compiler cc-as-clang 14.0.6 x86_64-pc-linux-gnu "Debian clang version 14.0.6"
compiler other-cc 0.9 x86_64-linux-gnu "other-cc version 0.9"
mkdir -p 'its gcc/plugin' 'a tree/bin' 'a tree/lib/cinstr/gcc-14'
cp "$cinstr" 'a tree/bin/cinstr'
lonely="$work/a tree/bin/cinstr"
says "plugin: none" 1 "no plugin for GCC 14 .*14.2.0.*: install gcc-14-plugin-cinstr, or make CC='./gcc-14'" "$lonely" --plugin-path ./gcc-14
touch 'its gcc/plugin/cinstr.so'
path "plugin: in GCC's folder" "$work/its gcc/plugin/cinstr.so" "$lonely" --plugin-path ./gcc-14
says "plugin: of another GCC" 1 "its gcc/plugin/cinstr.so was built for another GCC" env REFUSES=1 "$lonely" --plugin-path ./gcc-14
mv 'a tree' tree
touch tree/lib/cinstr/gcc-14/cinstr.so
lonely=$work/tree/bin/cinstr
path "plugin: in the command's tree first" "$work/tree/lib/cinstr/gcc-14/cinstr.so" "$lonely" --plugin-path=./gcc-14
says "plugin: in the tree, of another GCC" 1 "tree/lib/cinstr/gcc-14/cinstr.so was built for another GCC.*upgrade gcc-14-plugin-cinstr" env REFUSES=1 "$lonely" --plugin-path ./gcc-14
path "plugin: \$CC" "$work/tree/lib/cinstr/gcc-14/cinstr.so" env CC=./gcc-14 "$lonely" --plugin-path
path "plugin: a compiler of two words" "$work/tree/lib/cinstr/gcc-14/cinstr.so" "$lonely" --plugin-path "env ./gcc-14"
mv tree/lib tree/lib64
path "plugin: lib64" "$work/tree/lib64/cinstr/gcc-14/cinstr.so" "$lonely" --plugin-path ./gcc-14
rm tree/lib64/cinstr/gcc-14/cinstr.so
path "flags: a space in the path" "-fplugin=$work/its\\ gcc/plugin/cinstr.so" "$lonely" --cflags ./gcc-14
mkdir tree/include
touch tree/include/cinstr.h
path "flags: the header" "-fplugin=$work/its\\ gcc/plugin/cinstr.so -I$work/tree/include" "$lonely" --cflags ./gcc-14
says "plugin: too old" 1 "is GCC 10.2.1: cinstr is written for GCC 11 to" "$lonely" --plugin-path ./gcc-10
says "plugin: another machine" 1 "compiles for aarch64-linux-gnu" "$lonely" --plugin-path ./cross-gcc
says "plugin: clang" 1 "is clang, and the plugin is one for GCC" "$lonely" --cflags ./cc-as-clang
says "plugin: another compiler" 1 "is not GCC" "$lonely" --plugin-path ./other-cc
says "plugin: no compiler" 1 "no such compiler" "$lonely" --plugin-path ./gcc-15
says "plugin: an empty name" 1 "which compiler" "$lonely" --plugin-path=
if plugin=$("$cinstr" --plugin-path "${CC:-gcc}") && echo 'int main(void) { return 0; }' |
	"${CC:-gcc}" -fplugin="$plugin" -x c - -o program && CINSTR_DATA=found.data ./program && [ -e found.data/session ]; then
	ok "plugin: the real one"
else
	fail "plugin: the real one" "nothing was recorded"
fi

# ---- wrong use -----------------------------------------------------------------------------------

says "no command" 2 'Usage: cinstr' "$cinstr"
says "unknown command" 2 "no command 'reprot'; did you mean 'report'" "$cinstr" reprot
says "perf's command" 2 "no command 'flamegraph'; cinstr html draws flame graphs" "$cinstr" flamegraph -o x
says "perf's command that is like one of ours" 2 "no command 'replay'; .*cinstr timeline" "$cinstr" replay
says "perf's command in help" 2 "no command 'stat'; cinstr record -- PROGRAM" "$cinstr" help stat
says "a program for a command" 2 "no command '/bin/true'; to record that program: cinstr record -- /bin/true" "$cinstr" /bin/true
says "a folder for a command" 2 "no command './nowhere' .see" "$cinstr" ./nowhere
says "perf's options: callers" 2 'record has no -g: callers are recorded anyway' "$cinstr" record -g -- true
says "perf's options: a frequency" 2 'record has no -F: .*--sample=10ms for -F 99' "$cinstr" record -F99 -- true
says "a measure that a view lacks" 2 'suggest has no --measure: cinstr report, .*export' "$cinstr" suggest --measure=instructions
says "perf's options: a long one" 2 'record has no --call-graph: .*--stacks' "$cinstr" record --call-graph=dwarf -- true
says "perf's options: the input" 2 'report has no -i: the session is the last word' "$cinstr" report -i x
says "perf's options: of any command" 2 'annotate has no --stdio: it prints text anyway' "$cinstr" annotate --stdio
says "unknown command in help" 2 "no command 'xyzzy'" "$cinstr" help xyzzy
says "unknown option" 2 "unknown option '--limt'; did you mean --limit" "$cinstr" report --limt=3
says "unknown letter" 2 "unknown option '-Z'" "$cinstr" report -Z
says "option without its value" 2 'limit needs a value' "$cinstr" report --limit
says "value that is not one" 2 "limit does not take 'many'" "$cinstr" report --limit=many
says "choice that is not one" 2 "by does not take 'lines'; it takes function" "$cinstr" report --by=lines
says "group that is not one" 2 "no column 'percentile'; did you mean percentiles" "$cinstr" report --columns=+percentile
says "column of another view" 2 "rows of this view have no column 'callee'" "$cinstr" report --columns=callee
says "no column left" 2 'columns leaves no column' "$cinstr" report --columns=calls,-calls
says "direction that is not one" 2 "sort does not take 'calls:up'" "$cinstr" report --sort=calls:up
says "functions of what" 2 'functions goes with --by=module' "$cinstr" report --functions --by=thread
says "columns are listed" 0 '^  p99_elapsed_inclusive_ns  ' "$cinstr" report --columns=help
says "OS event that is not one" 2 "os-events has no event 'sleep'" "$cinstr" report --os-events=voluntary,sleep
says "timeline: events that are none" 2 "events has no 'exits'; it takes enter, exit" "$cinstr" timeline --events=enter,exits
says "timeline: a duration that is none" 2 "min-duration does not take '10'" "$cinstr" timeline --min-duration=10
says "filter: an empty glob" 2 "function does not take 'a,,b'" "$cinstr" report --function=a,,b
says "filter: backward" 2 'from=2s is not before --to=300ms' "$cinstr" report --from=2s --to=300ms
says "filter: an empty moment" 2 'to needs a time' "$cinstr" tree --to=
says "filter: no file" 2 'filter: nowhere: No such file' "$cinstr" report --filter=nowhere
printf '#\nthraed x\n' > wrong
says "filter: a name that is none" 2 "wrong:2: there is no filter 'thraed'; did you mean thread" "$cinstr" report --filter=wrong
printf 'thread\n' > wrong
says "filter: no value" 2 "wrong:1: a value is missing after 'thread'" "$cinstr" report --filter=wrong
printf 'just-my-code yes\n' > wrong
says "filter: a value too many" 2 "wrong:1: no value belongs after 'just-my-code'" "$cinstr" report --filter=wrong
printf 'thread a\nthread b\n' > wrong
says "filter: twice" 2 "wrong:2: a second line for 'thread'" "$cinstr" report --filter=wrong
printf 'thread a\0b\n' > wrong
says "filter: NUL" 2 "wrong:1: a NUL byte" "$cinstr" report --filter=wrong
says "filter: not saved" 2 'save-filter: no/such/file: cannot be written' "$cinstr" report --function=x --save-filter=no/such/file
says "a column that is none" 2 "no column 'foo'; --columns=help lists them" "$cinstr" report --sort=foo
says "one operand too many" 2 "too many: 'b'" "$cinstr" report a b
says "abbreviated: a command, an option" 0 "" "$cinstr" rep --lim=1 --colu=help
says "abbreviated: several commands" 2 "'re' is not clear: it may be record, report, refold" "$cinstr" re
says "abbreviated: several options" 2 "'--co' is not clear: it may be --count, --columns, --color" "$cinstr" report --co=calls
says "abbreviated: help" 0 "^Usage: cinstr tree" "$cinstr" tre --he
says "escapes in arguments" 2 "unknown option '--x.x1b" "$cinstr" report $'--x\033[31m'
says "diff: one side" 2 'which two' "$cinstr" diff a
says "diff: three sides" 2 'which two' "$cinstr" diff a b c
says "diff: nothing behind --" 2 'which two' "$cinstr" diff a b --
says "diff: no amount" 2 'column=module is not a number that can be compared' "$cinstr" diff --column=module a b
says "diff: no share" 2 'relative needs one of the four times' "$cinstr" diff --relative --column=calls a b
says "diff: wrong percentage" 2 "fail-over does not take '5x'" "$cinstr" diff --fail-over=5x a b
says "diff: no such folder" 1 'nowhere: No such file' "$cinstr" diff nowhere nowhere
says "names: a mapping that is none" 2 "source-path needs FROM=TO, not 'x'" "$cinstr" report --source-path=/a=/b,x
says "callers of nothing" 2 'of which function' "$cinstr" callers
says "record without a program" 2 'which program' "$cinstr" record
says "record: unknown option" 2 "unknown option '--outptu'; did you mean --output" "$cinstr" record --outptu=x -- true
says "record: wrong value" 2 "probes does not take 'all'" "$cinstr" record --probes=all true

says "control without a verb" 2 'to do what' "$cinstr" control
says "control: a process, but no verb" 2 'to do what' "$cinstr" control 1
says "control: unknown verb" 2 "there is no 'stauts'; did you mean 'status'" "$cinstr" control stauts
says "control: unknown verb of a process" 2 "there is no 'kill'; it takes on, off" "$cinstr" control 1 kill
says "control: too many words" 2 'on takes one PID or FOLDER, and no more words' "$cinstr" control 1 on now
says "control: the process behind the verb" 1 "process $$ is not recording" "$cinstr" control off $$
says "control: threads are switched only" 2 '--thread goes with on, off, suspend and resume' "$cinstr" control 1 mark -t 7 x
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

# ---- input that is none --------------------------------------------------------------------------

says "no session here" 1 'no session in this folder .cinstr.data.' "$cinstr" report
says "no such folder" 1 'nowhere: No such file' "$cinstr" report nowhere
mkdir empty folder
says "folder without data" 1 'empty: the folder holds no data' "$cinstr" report empty
: > folder/a.cinstr
says "empty file" 1 'folder/a.cinstr: the file is empty' "$cinstr" report folder
echo "some text that is long enough" > folder/a.cinstr
says "another kind of file" 1 'not a cinstr data file' "$cinstr" tree folder
says "a file as the operand" 1 'not a cinstr data file' "$cinstr" info folder/a.cinstr

# ---- a session with known content ----------------------------------------------------------------

if [ -x "$unit" ] && mkdir session && "$unit" --make session/app.4242.cinstr; then
	golden report.txt "$cinstr" report session
	golden report-80.txt env COLUMNS=80 "$cinstr" report session
	golden report-full.txt "$cinstr" report --view=full --verbose session
	golden report-raw.txt "$cinstr" report --raw --view=full session
	golden report-on-cpu.txt "$cinstr" report --application=on-cpu --sort=calls --limit=3 session
	golden report-events.txt "$cinstr" report --os-events=voluntary session
	golden report-200.txt "$cinstr" report --width=200 session
	# The same, but what the probes cost is not known: values of which only the upper end is.
	mkdir rough && "$unit" --rough --make rough/app.4242.cinstr
	golden rough-site.txt "$cinstr" report --by=site rough
	golden rough-site-80.txt "$cinstr" report --by=site --width=80 rough
	golden rough-site.csv "$cinstr" report --by=site --format=csv --columns=name,elapsed,avg,uncertainty rough
	golden rough-full.txt "$cinstr" report --by=site --view=full --verbose rough
	golden rough-tree.txt "$cinstr" tree --min-percent=0 rough
	golden rough-callers.txt "$cinstr" callers rec rough
	golden rough-diff.txt "$cinstr" diff --by=site --threshold=0 session rough
	says "report --raw: no upper ends" 0 '500,000|501,000' "$cinstr" report --raw rough
	if grep -q '<=' out; then fail "report --raw has no upper ends" "it has"; else ok "report --raw has no upper ends"; fi
	golden report-os.txt "$cinstr" report --view=os session
	golden report-os-80.txt "$cinstr" report --view=os --width=80 --by=site session
	golden report-os-thread.txt "$cinstr" report --view=os --by=thread session
	golden report-functions.txt "$cinstr" report --by=module --functions --limit=2 session
	golden report-functions.csv "$cinstr" report --by=module --functions --columns=id,parent,depth,name,calls,ee --format=csv session
	golden report-columns.txt "$cinstr" report --columns=name,calls,min,max,off-cpu,exclusive --sort=max:asc session
	golden report-columns.csv "$cinstr" report --columns=calls,name,os --sort=name --format=csv session
	golden report-plus.txt env COLUMNS=60 "$cinstr" report --columns=+overhead,-application,uncertainty session
	golden report-columns.json "$cinstr" report --columns=name,avg --format=json --limit=2 session
	golden tree-columns.txt "$cinstr" tree --columns=calls,percent --width=60 session
	golden report-module.txt "$cinstr" report --by=module session
	golden report-thread.txt "$cinstr" report --by=thread session
	golden report-process.txt "$cinstr" report --by=process session
	golden report.csv "$cinstr" report --format=csv session
	golden report.json "$cinstr" report --format=json session
	golden tree.txt "$cinstr" tree session
	golden tree-depth.txt "$cinstr" tree --depth=2 --min-percent=2 session
	golden tree.csv "$cinstr" tree --format=csv session
	golden tree-fold.txt "$cinstr" tree --fold-percent=4 --min-percent=0.01 session
	golden tree-root.txt "$cinstr" tree --root=rec --min-percent=0 session
	golden tree.json "$cinstr" tree --format=json --fold-percent=80 session
	says "tree: no such root" 1 "no function 'nosuch' was called" "$cinstr" tree --root=nosuch session
	golden info.txt "$cinstr" info session
	golden report-site.txt "$cinstr" report --by=site session
	golden summary.txt "$cinstr" summary session
	golden summary-verbose.txt env COLUMNS=80 "$cinstr" summary --verbose session
	golden summary-80.txt env COLUMNS=80 "$cinstr" summary session
	golden summary.csv "$cinstr" summary --format=csv session
	golden summary.json "$cinstr" summary --format=json session
	golden summary-advice.txt env COLUMNS=80 "$cinstr" summary --advice session
	says "json of the summary is json" 0 '' "${PYTHON:-python3}" -m json.tool "$here/golden/summary.json"
	if [ "$(wc -l < "$here/golden/summary-80.txt")" -le 50 ] && ! grep -E '.{81}' "$here/golden/summary-80.txt"; then
		ok "summary fits 80x50"
	else
		fail "summary fits 80x50" "it does not"
	fi
	golden callers.txt "$cinstr" callers rec session
	golden callers-80.txt env COLUMNS=80 "$cinstr" callers '*' --matches=2 session
	golden callers.csv "$cinstr" callers --format=csv '*' session
	golden callers.json "$cinstr" callers --format=json rec session
	says "callers: a session is no function" 2 'session is a session; of which function.*callers main session' "$cinstr" callers session
	mkdir -p rec
	says "callers: a folder that is no session" 1 'no session in this folder' "$cinstr" callers rec
	rmdir rec
	says "callers: no such function" 1 "no function 'wrok' was called; there is work" "$cinstr" callers wrok session
	says "callers: some like it" 1 "no function 'slee' was called; there is usleep" "$cinstr" callers slee session
	says "callers: escapes in names" 1 "no function '.x1b.31m'" "$cinstr" callers $'\033[31m' session
	golden report-filter.txt "$cinstr" report --thread='!evil*' --function='rec,puts' session
	golden report-filter.json "$cinstr" report --module='libc*' --format=json session
	golden tree-filter.txt "$cinstr" tree --function=puts --min-percent=0 session
	golden tree-mine.txt "$cinstr" tree --just-my-code --min-percent=0 session
	mkdir timeline && "$unit" --make-timeline timeline/app.4242.cinstr
	golden timeline.txt "$cinstr" timeline timeline
	golden timeline.csv "$cinstr" timeline --format=csv timeline
	golden timeline.json "$cinstr" timeline --format=json timeline
	says "json of a timeline is json" 0 '' "${PYTHON:-python3}" -m json.tool "$here/golden/timeline.json"
	golden timeline-some.txt "$cinstr" timeline --min-duration=150ns --depth=2 --events=enter,exit,mark --thread=app timeline
	golden timeline-os.txt "$cinstr" timeline --events=os timeline
	golden timeline-range.csv "$cinstr" timeline --from=42 --to='from*' --function='r*,work' --format=csv timeline
	golden report-range.txt "$cinstr" report --raw --thread=app --from=42 --to='rec *' timeline
	"$cinstr" timeline --limit=3 timeline > out && cp out difference
	says "timeline: --limit" 0 '^5$' sh -c 'wc -l < difference'
	says "timeline: --limit is told" 0 '^... .--limit.$' cat difference
	says "timeline: ... also in json" 0 '' sh -c "'$cinstr' timeline --limit=3 --format=json timeline | '${PYTHON:-python3}' -m json.tool"
	golden timeline-sort.txt env COLUMNS=80 "$cinstr" timeline --sort=duration --limit=6 timeline
	golden timeline-columns.txt env COLUMNS=80 "$cinstr" timeline --columns=start,duration,event,function --sort=start --events=exit timeline
	golden timeline-columns.csv "$cinstr" timeline --columns=function,time,off-cpu --sort=function:desc --events=exit --format=csv timeline
	says "timeline: --columns in json" 0 '^{"depth": 1, "function": "main"' "$cinstr" timeline --columns=depth,function --events=enter --format=json timeline
	says "timeline: --columns=help" 0 '^  duration_ns$' "$cinstr" timeline --columns=help
	says "timeline: no such column" 2 "no column 'durtion'; did you mean duration" "$cinstr" timeline --sort=durtion timeline
	says "timeline: no such order" 2 "sort does not take 'time:up'" "$cinstr" timeline --sort=time:up timeline
	says "timeline: none was recorded" 1 'no timeline was recorded: run the program with CINSTR_TIMELINE=' "$cinstr" timeline session
	says "timeline: no such function" 1 "function: nothing here matches 'mian'; did you mean 'main'" "$cinstr" timeline --function=mian timeline
	says "timeline: no such mark" 1 "from: 'rec begin' is no time .* did you mean 'rec begins'" "$cinstr" timeline --from='rec begin' timeline
	says "timeline: no such mark behind" 1 "no such mark after --from" "$cinstr" timeline --from='rec*' --to=42 timeline
	says "timeline: nothing there" 1 'nothing was recorded there: --from, --to' "$cinstr" report --from=1s timeline
	says "timeline: a gap has no range" 1 'its timeline does not hold all of it' "$cinstr" report --from=1001us timeline
	says "annotate: numbers only" 2 'columns=module has no numbers' "$cinstr" annotate --columns=module --source-path=/src=sources session
	says "annotate: no such column" 2 "there is no column 'callz'; did you mean calls" "$cinstr" annotate --sort=callz session
	says "annotate: of the other method" 2 "was not sampled, so there is no 'exclusive_samples'" "$cinstr" annotate --sort=exclusive_samples session
	says "annotate: --columns=help" 0 '^  calls +' "$cinstr" annotate --columns=help
	says "filter: by pid" 0 ' 501,000 .* rec ' "$cinstr" report --process=4242 session
	says "filter: no such process" 1 "process: nothing here matches 'ap'; did you mean 'app'" "$cinstr" report --process=ap session
	says "filter: no such thread" 1 "thread: nothing here matches 'x'; there is 'main', '1000', 'app'" "$cinstr" report --thread=x session
	# Visible in a file as on a terminal.
	"$cinstr" report --by=thread --format=csv session > file.csv
	script -qec "'$cinstr' report --by=thread --format=csv session" /dev/null > tty.csv < /dev/null
	says "report --view=os: time off the processor on a narrow terminal" 0 'Off-CPU, [a-z]+ ' \
		"$cinstr" report --view=os --by=thread --width=70 session
	says "csv: names with escapes in a file" 0 'evil.x1b.31m' cat file.csv
	says "csv: names with escapes on a terminal" 0 'evil.x1b.31m' cat tty.csv
	says "filter: names with escapes" 1 "there is .*'evil.x1b.31m'" "$cinstr" report --thread=zzz session
	says "filter: no such function" 1 "function: nothing here matches 'recc'; did you mean 'rec'" "$cinstr" report --function=recc session
	says "filter: no such module" 1 "module: nothing here matches '!libx.*'; there is" "$cinstr" tree --module='!libx.*' session
	says "filter: functions of threads" 2 'do not apply to --by=thread, process or mark' "$cinstr" report --by=thread --function=rec session
	says "filter: no marks" 1 "from: 'x' is no time .* there are no marks here" "$cinstr" report --from=x session
	says "filter: no timeline" 1 'app.4242.cinstr: .* CINSTR_TIMELINE' "$cinstr" report --from=1ms session
	printf '# of mine\n\n thread !evil*\t\nfunction  rec,puts\r\n' > filter
	"$cinstr" report --filter=filter --save-filter=saved session > out && cp out difference
	says "filter: from a file" 0 '' cmp difference "$here/golden/report-filter.txt"
	"$cinstr" report --filter=saved session > out && cp out difference
	says "filter: saved" 0 '' cmp difference "$here/golden/report-filter.txt"
	says "filter: the command line holds" 0 'thread=app, function=rec,puts' "$cinstr" report --filter=filter --thread=app session
	golden report-line.txt "$cinstr" report --by=line session
	golden report-address.txt "$cinstr" report --by=address session
	golden report-address.csv "$cinstr" report --by=address --format=csv session
	says "json says what lines are" 0 '"line_events": false' "$cinstr" report --by=line --format=json session
	golden info.csv "$cinstr" info --format=csv session
	golden info.json "$cinstr" info --format=json session
	says "json of info is json" 0 '' "${PYTHON:-python3}" -m json.tool "$here/golden/info.json"
	golden marks-none.json "$cinstr" info --marks --format=json session
	golden marks-none.txt "$cinstr" info --marks session
	mkdir lines && "$unit" --make-lines lines/app.4242.cinstr
	golden lines-report.txt "$cinstr" report lines
	golden lines-line.txt "$cinstr" report --by=line lines
	golden lines-line-80.txt env COLUMNS=80 "$cinstr" report --by=line lines
	golden lines-line.csv "$cinstr" report --by=line --format=csv lines
	golden lines-line.json "$cinstr" report --by=line --format=json lines
	golden lines-address.txt "$cinstr" report --by=address lines
	golden lines-site.txt "$cinstr" report --by=site lines
	golden lines-summary.txt env COLUMNS=80 "$cinstr" summary lines
	# The source is made here: 90 lines, older than the recording; with a tab and an escape
	# sequence.
	mkdir sources && for i in $(seq 90); do printf 'line\t%d \033[31m\n' "$i"; done > sources/a.c
	touch -d 2001-01-01 sources/a.c
	golden lines-annotate-missing.txt env COLUMNS=120 "$cinstr" annotate lined lines
	golden lines-annotate.txt "$cinstr" annotate lined --source-path=/src=sources lines
	golden lines-annotate-80.txt env COLUMNS=80 "$cinstr" annotate a.c --source-path=/src=sources lines
	says "annotate: a folder alone is the session" 0 '^lined, sources/a.c' "$cinstr" annotate --source-path=/src=sources lines
	says "annotate: a data file alone is the session" 0 '^lined, sources/a.c' "$cinstr" annotate --source-path=/src=sources lines/*.cinstr
	golden lines-annotate.csv "$cinstr" annotate lined --source-path=/src=sources --format=csv lines
	golden lines-annotate.json "$cinstr" annotate lined --source-path=/src=sources --format=json lines
	says "json of a source is json" 0 '' "${PYTHON:-python3}" -m json.tool "$here/golden/lines-annotate.json"
	golden lines-files.csv "$cinstr" annotate --files --source-path=/src=sources --format=csv lines
	says "annotate --files: bounded" 0 '"sources_hidden": 1,' "$cinstr" annotate --files --limit=1 --format=json lines
	says "annotate --files: those with something of a function" 0 '"sources_hidden": 0,' \
		"$cinstr" annotate --files --limit=1 --function=work --format=json lines
	says "annotate --files: of all" 2 'files is of the time of a whole session' "$cinstr" annotate --files lined lines
	says "annotate: not of the functions that were chosen" 1 "no function 'lined'" "$cinstr" annotate lined --function=work lines
	"$cinstr" annotate lined --all --source-path=/src=sources lines > all.txt
	says "annotate --all: to the end of the file" 0 '^ +90  line    90 ..?x1b.31m$' cat all.txt
	touch sources/a.c
	says "annotate: a newer source, for programs" 0 '"newer_than": "recording"' \
		"$cinstr" annotate lined --source-path=/src=sources --format=json lines
	says "annotate: a newer source" 0 'Note: the source is newer than the recording' \
		"$cinstr" annotate lined --source-path=/src=sources lines
	says "annotate: shown all the same" 0 'line    81' "$cinstr" annotate lined --newer --source-path=/src=sources lines
	head -n 50 sources/a.c > sources/b && mv sources/b sources/a.c
	says "annotate: another source" 0 'Note: the source has fewer lines than were recorded' \
		"$cinstr" annotate lined --newer --source-path=/src=sources lines
	says "annotate: no such function" 1 "no function 'nosuch' with a known source was called" "$cinstr" annotate nosuch lines
	golden lines-callers.txt "$cinstr" callers --sites puts lines
	golden lines-site.csv "$cinstr" report --by=site --format=csv lines
	golden lines-tree.txt "$cinstr" tree --min-percent=0 lines
	golden lines-info.txt "$cinstr" info lines
	golden lines-marks.csv "$cinstr" info --marks --format=csv lines
	golden lines-marks.json "$cinstr" info --marks --format=json lines
	says "json of marks is json" 0 '' "${PYTHON:-python3}" -m json.tool "$here/golden/lines-marks.json"
	golden lines-marks.txt "$cinstr" info --marks lines
	# A mixed session: counted, and timed by samples.
	mkdir counted && "$unit" --make-mixed counted
	for by in function module thread process line site address mark; do
		golden "mixed-$by.csv" "$cinstr" report --by=$by --format=csv counted
	done
	golden mixed-report.txt "$cinstr" report --verbose counted
	golden mixed-full.txt "$cinstr" report --view=full --raw counted
	golden mixed-tree.csv "$cinstr" tree --format=csv counted
	golden mixed-tree.txt "$cinstr" tree --verbose --min-percent=0 counted
	golden mixed-callers-work.csv "$cinstr" callers --format=csv work counted
	golden mixed-callers-rec.csv "$cinstr" callers --format=csv rec counted
	golden mixed-summary.txt "$cinstr" summary --verbose counted
	# A sampled session, with too few samples; four of them together are enough.
	mkdir sampled && "$unit" --make-sampled sampled/app.4242.cinstr
	golden sampled-verbose.txt "$cinstr" report --verbose sampled
	golden sampled-report.txt "$cinstr" report sampled
	golden sampled-report-80.txt env COLUMNS=80 "$cinstr" report sampled
	golden sampled-report.csv "$cinstr" report --format=csv sampled
	golden sampled-report.json "$cinstr" report --format=json --limit=2 sampled
	golden sampled-module.txt "$cinstr" report --by=module --functions sampled
	golden sampled-line.txt "$cinstr" report --by=line sampled
	golden sampled-line.csv "$cinstr" report --by=line --format=csv sampled
	golden sampled-address.txt env COLUMNS=120 "$cinstr" report --by=address sampled
	golden sampled-site.txt "$cinstr" report --by=site sampled
	golden sampled-thread.txt env COLUMNS=80 "$cinstr" report --by=thread sampled
	golden sampled-thread-name.txt env COLUMNS=80 "$cinstr" report --by=thread-name sampled
	golden sampled-thread.csv "$cinstr" report --by=thread --format=csv sampled
	golden sampled-process.txt "$cinstr" report --by=process sampled
	golden sampled-mark.txt "$cinstr" report --by=mark sampled
	golden sampled-inlines.txt "$cinstr" report --inlines=off --columns=exclusive,name,file --sort=exclusive_percent sampled
	golden sampled-filter.txt "$cinstr" report --thread=app --function='w*,h*' --from='rec*' sampled
	golden sampled-tree.txt env COLUMNS=100 "$cinstr" tree sampled
	golden sampled-tree-fold.txt "$cinstr" tree --fold --min-percent=5 sampled
	golden sampled-tree.csv "$cinstr" tree --format=csv sampled
	golden sampled-callers.txt "$cinstr" callers rec sampled
	golden sampled-callers-80.txt env COLUMNS=80 "$cinstr" callers helper sampled
	golden sampled-callers.csv "$cinstr" callers --format=csv '*' sampled
	golden sampled-info.txt "$cinstr" info sampled
	golden sampled-info.json "$cinstr" info --format=json sampled
	golden sampled-summary.txt env COLUMNS=80 "$cinstr" summary sampled
	golden sampled-summary.csv "$cinstr" summary --format=csv sampled
	golden sampled-summary.json "$cinstr" summary --format=json --limit=1 sampled
	golden sampled-advice.txt "$cinstr" summary --advice sampled
	golden sampled-timeline.txt "$cinstr" timeline --thread=worker sampled
	golden sampled-timeline.csv "$cinstr" timeline --format=csv --from=198ms --to=302ms sampled
	golden sampled-timeline.json "$cinstr" timeline --format=json --function=puts --limit=2 sampled
	for file in report info summary timeline; do
		says "json of a sampled session is json: $file" 0 '' "${PYTHON:-python3}" -m json.tool "$here/golden/sampled-$file.json"
	done
	mkdir sampled-sources && for i in $(seq 40); do printf 'line %d\n' "$i"; done > sampled-sources/a.c
	touch -d 2001-01-01 sampled-sources/a.c
	golden sampled-annotate.txt env COLUMNS=100 "$cinstr" annotate work --source-path=/src=sampled-sources sampled
	golden sampled-annotate.csv "$cinstr" annotate work --source-path=/src=sampled-sources --format=csv sampled
	golden sampled-annotate.json "$cinstr" annotate rec --source-path=/src=sampled-sources --format=json sampled
	mkdir enough && for i in 1 2 3 4; do "$unit" --make-sampled enough/app.$i.cinstr $i; done
	golden sampled-enough.txt "$cinstr" report enough
	golden sampled-enough-tree.txt env COLUMNS=80 "$cinstr" tree enough
	says "sampled: thin is said once it is" 0 '^Only 273 samples: a share of 10 % is known within 7.0-14.1 % .95 %.' "$cinstr" report sampled
	says "sampled: --raw" 2 'raw: this session was sampled' "$cinstr" report --raw sampled
	says "sampled: --application" 2 'application: this session was sampled' "$cinstr" tree --application=on-cpu sampled
	says "sampled: --os-events" 2 'os-events: this session was sampled' "$cinstr" summary --os-events=all sampled
	says "sampled: --view=os" 2 'view=os: this session was sampled' "$cinstr" report --view=os sampled
	says "sampled: columns of calls" 2 "this session was sampled, so there is no 'calls'" "$cinstr" report --columns=+calls sampled
	says "sampled: groups of times" 2 "this session was sampled, so there is no 'elapsed_inclusive_ns'" "$cinstr" report --columns=elapsed sampled
	says "sampled: order by what is not there" 2 "there is no 'max_elapsed_inclusive_ns'" "$cinstr" callers rec --sort=max sampled
	says "sampled: order by samples of an instrumented one" 2 "was not sampled, so there is no 'inclusive_samples'" \
		"$cinstr" report --sort=inclusive_samples session
	says "sampled: timeline of calls" 2 'min-duration: this session was sampled' "$cinstr" timeline --min-duration=1ms sampled
	says "sampled: no such function" 1 "no function 'wrok' was sampled; there is work" "$cinstr" callers wrok sampled
	says "sampled: no such root" 1 "no function 'nosuch' is in any sample" "$cinstr" tree --root=nosuch sampled
	mkdir mixed && cp sampled/app.4242.cinstr mixed/s.1.cinstr && cp session/app.4242.cinstr mixed/i.2.cinstr
	for command in report tree summary timeline 'callers rec' 'annotate work'; do
		# shellcheck disable=SC2086
		says "sampled and instrumented: $command" 1 'sampled data .mixed/s.1.cinstr. and instrumented data .mixed/i.2.cinstr.' \
			"$cinstr" $command mixed
	done
	says "sampled and instrumented: info has both" 0 'sampled by' "$cinstr" info mixed
	golden diff.txt "$cinstr" diff session lines
	golden diff-80.txt env COLUMNS=80 "$cinstr" diff session lines
	golden diff-path.txt "$cinstr" diff --by=path --relative --threshold=2 session lines
	golden diff-address.txt "$cinstr" diff --by=address --threshold=0 session session
	golden diff-address-sampled.txt env COLUMNS=100 "$cinstr" diff --by=address --threshold=5 sampled sampled
	golden diff-runs.txt "$cinstr" diff session session -- lines session
	golden diff.csv "$cinstr" diff --format=csv --column=calls session session -- lines lines
	golden diff-verbose.txt env COLUMNS=80 "$cinstr" diff --verbose session lines
	golden diff-columns.txt env COLUMNS=80 "$cinstr" diff --columns=name,b,a,interval --sort=b session lines
	golden diff-columns.csv "$cinstr" diff --columns=change,name,calls_b --sort=change:asc --format=csv session lines
	golden diff-columns-sampled.txt env COLUMNS=80 "$cinstr" diff --columns=b,name,change_percent --sort=name sampled sampled
	says "diff: --columns in json" 0 '^    . "b": [0-9]+, "a": [0-9]+ .' "$cinstr" diff --columns=b,a --format=json session lines
	says "diff: --columns=help" 0 '^  change_percent$' "$cinstr" diff --columns=help a b
	says "diff: no such column" 2 "no column 'changes'; did you mean change" "$cinstr" diff --columns=changes session lines
	golden diff.json "$cinstr" diff --format=json --limit=2 session lines
	says "json of diff is json" 0 '' "${PYTHON:-python3}" -m json.tool "$here/golden/diff.json"
	says "diff: the same session" 0 'same .* main' "$cinstr" diff --single=0 --fail-over=0 session session
	says "diff: --fail-over of single runs" 2 'cinstr record --repeat=5 -o new.data -- PROGRAM.*--single' \
		"$cinstr" diff --fail-over=5 session session
	says "diff: --fail-over of single runs of counts" 2 'how much runs differ is not known' \
		"$cinstr" diff --column=calls --fail-over=5 session session
	says "diff: single runs have no +-" 0 '^Verdict +A +B +Change +% +Calls A' "$cinstr" diff session lines
	says "diff: no bar in csv" 0 '^puts,[^,]*,[^,]*,,,[0-9]*,slower,elapsed_exclusive_ns,[0-9]+,[0-9]+,[0-9]+,[0-9.]+,,,' \
		"$cinstr" diff --format=csv session lines
	golden diff-single.txt "$cinstr" diff --single --limit=3 session lines
	says "diff: --single in json" 0 '"floor_percent": 5,' "$cinstr" diff --single=5 --format=json session lines
	says "diff: no such floor" 2 "single does not take '5x'" "$cinstr" diff --single=5x session lines
	mkdir sides && cp -r session sides/a.1 && cp -r session sides/a.2 && cp -r lines sides/a.1.old && cp -r lines sides/a.old
	says "diff: what stood there before is left out" 0 '^A +sides/a.1, sides/a.2$' "$cinstr" diff sides/a.* -- lines lines
	says "diff: which is told" 0 'note: sides/a.1.old is left out' "$cinstr" diff sides/a.* -- lines lines
	says "diff: a session and the one before" 0 '^B +sides/a.1.old$' "$cinstr" diff sides/a.1 sides/a.1.old
	"$cinstr" suggest session -o filter.suggest
	golden suggest.txt cat filter.suggest
	golden suggest-few.txt "$cinstr" suggest --limit=1 --percent=20 session
	says "suggest: a library is one's own if it is named" 0 '^include .p.uts' "$cinstr" suggest --percent=0.1 --module='libc*' session
	says "suggest: nothing of the program's own" 1 'nothing to suggest: ' "$cinstr" suggest --function=puts session
	says "suggest: cannot be written" 1 'nowhere/x: cannot be written' "$cinstr" suggest -o nowhere/x session
	says "diff: no lines in one" 1 'session: has no line events .--probes=lines., other than the first run' "$cinstr" diff --by=line lines session
	# Whatever the view, on a terminal of 80 columns no line is wider; of a timeline the
	# heading, its rows are as long as they are.
	widths=0 wide=
	fits() # fits COMMAND...: the lines that it prints
	{
		local line
		widths=$((widths + 1))
		COLUMNS=80 "$cinstr" "$@" 2> /dev/null > out || wide="$wide; $* failed"
		[ "$1" = timeline ] && sed -i 1q out
		[ -s out ] || wide="$wide; $* is empty"
		line=$(sed 's/[\x80-\xbf]//g' out | grep -E -m 1 '.{81}') && wide="$wide; $*: $line"
	}
	for data in session lines sampled; do
		for by in function module thread thread-name process line site address; do
			fits report --by=$by $data
			[ $data = sampled ] || fits report --view=os --by=$by $data
		done
		fits report --by=module --functions $data
		fits tree --min-percent=0 $data
		fits tree --fold $data
		fits callers '*' $data
		fits callers --sites '*' $data
		fits annotate --source-path=/src=sources --newer a.c $data
		fits summary $data
		fits info $data
		for by in function line module path site address; do
			fits diff --by=$by $data $data
			fits diff --by=$by $data $data -- $data $data
		done
	done
	fits report --by=mark lines
	fits diff session lines
	fits diff sampled session
	fits timeline timeline
	fits timeline sampled
	if [ -z "$wide" ]; then
		ok "width: 80 columns hold $widths views"
	else
		fail "width: 80 columns" "${wide#; }"
	fi
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
	golden hosts-summary.txt env COLUMNS=80 "$cinstr" summary flat
	golden hosts-thread.txt "$cinstr" report --by=thread flat
	golden hosts-thread-name.txt "$cinstr" report --by=thread-name flat
	golden hosts-thread-name.csv "$cinstr" report --by=thread-name --format=csv flat
	golden hosts-status.txt "$cinstr" control flat status
	golden hosts-status.json "$cinstr" control nested status --format=json
	"$cinstr" report --by=process --format=csv nested > out && cp out difference
	says "sessions in a folder" 0 '' cmp difference "$here/golden/hosts-process.csv"
	says "json of hosts is json" 0 '' "${PYTHON:-python3}" -m json.tool "$here/golden/hosts-status.json"

	mkdir -p jobs/4711 && cp -r nested/a nested/b jobs/4711
	says "sessions two folders deep: where" 1 'jobs: the folder holds no data, but jobs/4711 does' "$cinstr" report jobs
	cp -r jobs/4711 jobs/4712
	says "sessions two folders deep: of several" 1 'but 2 folders in it do: jobs/471[12] is one of them' "$cinstr" merge -o all jobs

	says "control: a session that has ended" 1 'flat: the session has ended; no process is recording' "$cinstr" control flat off
	says "control: an ended session behind the verb" 1 'flat: the session has ended' "$cinstr" control resume flat
	says "control: a session without a process yet" 0 'is off, for 0 running processes' flock flat/session "$cinstr" control off flat
	says "control: ... is switched on again" 0 'is on, for 0 running processes' flock flat/session "$cinstr" control on flat
	says "control: an empty list of threads" 2 'none of them empty' "$cinstr" control flat off --thread=1,,2
	says "control: rules too long" 1 'longer than 1023 bytes' "$cinstr" control flat choose "only=$(printf '%01100d' 0)"
	says "control: a session file without room" 1 'nested/a/session: has no room' flock nested/a/session "$cinstr" control nested/a off
	says "control: nobody to mark" 1 'flat: the session has ended; no process is recording' "$cinstr" control flat mark x
	says "control: nobody to choose" 1 'flat: the session has ended; no process is recording' "$cinstr" control flat choose all
	says "control: a data file" 1 'process 4242 .app. has ended' "$cinstr" control flat/app.4242.0000000a.cinstr on
	says "control: snapshot of what has ended" 0 'cinstr summary mine$' "$cinstr" control flat snapshot mine
	"$cinstr" report --by=process --format=csv mine > out && cp out difference
	says "control: the snapshot has it all" 0 '' cmp difference "$here/golden/hosts-process.csv"
	says "control: the snapshot's folder is there" 1 'mine: exists already' "$cinstr" control flat snapshot mine
	says "control: a snapshot in a session" 1 'is in a session' "$cinstr" control flat snapshot flat/mine
	says "control: snapshots have names" 0 'flat.snapshot: 2 processes' "$cinstr" control flat snapshot
	says "control: ... of their own" 0 'flat.snapshot.2: 2 processes' "$cinstr" control flat/ snapshot
	says "json of lines is json" 0 '' "${PYTHON:-python3}" -m json.tool "$here/golden/lines-line.json"
	says "json of the tree is json" 0 '' "${PYTHON:-python3}" -m json.tool "$here/golden/tree.json"
	says "json is json" 0 '' "${PYTHON:-python3}" -m json.tool "$here/golden/report.json"
	"$cinstr" report --format=csv -o written.csv session
	says "-o writes the file" 0 '' cmp written.csv "$here/golden/report.csv"
	says "-o cannot write" 1 'no/such/file: cannot be written' "$cinstr" report -o no/such/file session
	[ -e /dev/full ] && says "full disk" 1 'cannot be written: No space' "$cinstr" report -o /dev/full session
	[ -e /dev/full ] && says "full disk, html" 1 'cannot be written: No space' "$cinstr" html -o /dev/full session
	for words in --version --help help "help report" "help --man tree" "help --completion=bash" "ranks session"; do
		[ -e /dev/full ] && says "full disk, $words" 1 'stdout: cannot be written: No space' \
			sh -c '"$0" $1 > /dev/full' "$cinstr" "$words"
	done

	printf 'M' | dd of=session/app.4242.cinstr bs=1 seek=8 conv=notrunc status=none
	says "another version" 1 'format version 77, but this cinstr reads version 4' "$cinstr" report session
	"$unit" --make session/app.4242.cinstr
	truncate -s 64000 session/app.4242.cinstr
	says "truncated: the usable part is shown" 1 ' rec .*a[.]c:30' "$cinstr" report session
	says "truncated: a warning" 1 'warning: session/app.4242.cinstr: at byte 64000: the file is truncated' \
		"$cinstr" report session
	echo "some text that is long enough" > session/b.cinstr
	"$unit" --make session/app.4242.cinstr
	says "one of two files is bad" 1 'b.cinstr: not a cinstr data file' "$cinstr" report session
	says "the other one is shown" 1 ' 501,000 .* rec ' "$cinstr" report session
	: > session/b.cinstr
	says "one of two was not begun" 0 'warning: session/b.cinstr: no data' "$cinstr" report session
	says "control: one is only beginning, empty" 0 'Session session: on, 1 process, 0 running' "$cinstr" control session status
	truncate -s 64K session/b.cinstr
	says "control: one is only beginning, zeros" 0 'Session session: on, 1 process, 0 running' "$cinstr" control session status
	says "one of two holds zeros" 0 'warning: session/b.cinstr: no data' "$cinstr" report session
	printf 'M' | dd of=session/b.cinstr conv=notrunc status=none
	says "control: one is none of ours" 1 'ended; not a cinstr data file' "$cinstr" control session status
else
	echo "skip known content: no unit test program at $unit"
fi

# ---- record --------------------------------------------------------------------------------------

says "record: no such program" 127 "cannot run 'nosuchprogram'" "$cinstr" record nosuchprogram
says "record: not executable" 126 "cannot run './out'" "$cinstr" record ./out
if [ -e cinstr.data ]; then
	fail "a mistyped name makes no session" "cinstr.data is there"
else
	ok "a mistyped name makes no session"
fi
says "record: exit status" 7 'nothing was recorded|no calls were recorded' "$cinstr" record -o s1 -- sh -c 'exit 7'
says "record: arguments are the program's" 0 '^-o --x$' "$cinstr" record -o s2 echo -o --x
says "record: no folder" 1 "session folder .*cannot be made" "$cinstr" record -o no/such/folder/s true
says "record: died by a signal" 143 '' sh -c "'$cinstr' record -o s3 -- sh -c 'kill -TERM \$\$'; exit \$?"
# shellcheck disable=SC2016 # the inner shell expands them
says "record: the environment" 0 '^functions;.*/s4$' "$cinstr" record -o s4 --probes=functions -- \
	sh -c 'echo "$CINSTR_PROBES;$CINSTR_SESSION"'
"$cinstr" record -o s5 -- sh -c 'trap "exit 9" USR1; : > ready; while :; do sleep 0.05; done' 2> err &
for _ in $(seq 1000); do [ -e ready ] && break; sleep 0.05; done
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
