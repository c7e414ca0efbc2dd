#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Rules that hold for the source as a whole. Each prints "ok" or "FAIL name: what".
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${CC:=gcc}" "${BUILD:=$PWD/build}"
passed=0 failed=0

verdict() # verdict NAME FINDINGS: nothing found is good
{
	if [ -z "$2" ]; then
		echo "ok $1"
		passed=$((passed + 1))
	else
		echo "FAIL $1:"
		echo "$2" | head -n 20 | sed 's/^/    /'
		failed=$((failed + 1))
	fi
}

# QUICK=1 leaves these out, REST=1 all others.
slow() # slow FUNCTION: it takes long
{
	if [ -n "${QUICK-}" ]; then
		echo "skip $1: in make check-full and make lint"
	else
		verdict "$1" "$("$1")"
	fi
}

sources() # sources FOLDER...
{
	find "$@" -name '*.[ch]' -o -name '*.cc' | sort
}

layout()
{
	local release
	command -v clang-format >/dev/null || { echo "skip layout: no clang-format here"; return; }
	release=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
	# Others align comments and macros otherwise.
	[ "$release" = 14 ] || { echo "skip layout: clang-format is of release $release, the source by release 14"; return; }
	# shellcheck disable=SC2046
	verdict layout "$(clang-format --dry-run -Werror $(sources include runtime report plugin) 2>&1 |
		grep 'error:' | cut -d: -f1 | sort | uniq -c)"
}

# Every header compiles by itself.
headers()
{
	local header dwarf plugin_headers
	dwarf="$(pkg-config --cflags libdwarf 2>/dev/null) -I/usr/include/libdwarf -I/usr/include/libdwarf-0"
	plugin_headers=$($CC -print-file-name=plugin)/include
	for header in $(sources include runtime report | grep '\.h$'); do
		# shellcheck disable=SC2086
		$CC -std=gnu11 -D_GNU_SOURCE -mgeneral-regs-only -Wall -Wextra -Werror -fsyntax-only -Iinclude \
			-I. -Ireport -Ireport/arch/x86_64 -Iruntime -Iruntime/arch/x86_64 $dwarf -include "$header" -x c /dev/null 2>&1 | grep -m1 -E 'error|warning'
	done
	# What programs include, by the strictest of their standards.
	for header in cinstr.h cinstr/VSPerf.h; do
		$CC -std=c89 -pedantic -Wall -Wextra -Werror -fsyntax-only -Iinclude -include "$header" -x c /dev/null 2>&1 |
			grep -m1 -E 'error|warning'
		$CC -std=c++98 -pedantic -Wall -Wextra -Werror -fsyntax-only -Iinclude -include "$header" -include cinstr.hpp \
			-x c++ /dev/null 2>&1 | grep -m1 -E 'error|warning'
	done
	for header in $(sources plugin | grep '\.h$' | grep -vE '^plugin/(hook/|arch/[^/]*/hook_arch)') include/cinstr/abi.h include/cinstr/format.h; do
		$CC -std=gnu++17 -fno-rtti -Wall -fsyntax-only -Iinclude -Iplugin -isystem "$plugin_headers" \
			-include "$header" -x c++ /dev/null 2>&1 | grep -m1 -E 'error|warning'
	done
}

# Plugin, runtime and report meet in include/ only; the report also has the runtime's fold and
# session folder (rooms.py). GCC's headers are for plugin/gcc.h alone, libdwarf's for
# dwarf_interface.h.
layers()
{
	grep -nE '#include "(\.\./)*(runtime|report)/' -r plugin
	grep -nE '#include "(\.\./)*(plugin|report)/' -r runtime
	grep -nE '#include "(\.\./)*plugin/' -r report
	grep -lE '#include [<"](gcc-plugin|tree|rtl|plugin-version|tree-pass)\.h[>"]' -r plugin | grep -v '^plugin/gcc\.h$'
	grep -lE '#include <json' -r report | grep -v '^report/json/json\.h$'
	grep -lE '#include <.*libdwarf\.h>' -r report | grep -v '^report/symbols/dwarf_interface\.h$'
	grep -lE '#include <(dwarf|elfutils/.*|libelf|gelf)\.h>' -r report |
		grep -vE '^report/(symbols/dwarf_interface\.h|sampler/unwind/unwind_cfi\.[ch])$'
}

# Which room may include which, and doc/rooms.svg.
rooms()
{
	"${PYTHON:-python3}" testsuite/lint/rooms.py
}

# A name of a header begins with a word of its file, or of its structure.
prefixes()
{
	"${PYTHON:-python3}" testsuite/lint/prefixes.py
}

# What is of the processor is named in arch/ alone.
processor()
{
	"${PYTHON:-python3}" testsuite/lint/processor.py
}

# What is shared goes through cinstr/atomics.h, and a release names who sees it.
atomics()
{
	local file
	grep -rnE '__(atomic|sync)_' include runtime report plugin | grep -vE '^include/cinstr(/atomics\.h|\.h|/waits\.h|/objects\.h)'
	for file in $(sources runtime report); do
		awk -v file="$file" '
			/atomic_(store|fence)_release\(/ && last !~ /\*\/$/ { begin = NR; what = $0 }
			begin && /\/\*/ { begin = 0 }
			begin && /;/ { print file ":" begin ": who sees it? " what; begin = 0 }
			{ last = $0 }' "$file"
	done
}

# What the kernel answers has names (errno.h); -1 is nobody's.
errno_names()
{
	grep -rnE '(\breturn|[=!]=|[?:]|case) *\(?-([2-9]|[0-9]{2,3})\b' runtime --include='*.[ch]'
}

# Comments and documents are at most 100 columns wide.
comments()
{
	"${PYTHON:-python3}" testsuite/lint/comments.py
}

# Lines, functions and files of JavaScript.
javascript()
{
	"${PYTHON:-python3}" testsuite/lint/javascript.py
}

# The list of changes that no test can notice is of the source as it is.
mutants()
{
	"${PYTHON:-python3}" testsuite/mutants/mutants.py --check
}

documents()
{
	"${PYTHON:-python3}" testsuite/lint/documents.py
}

# The rows of its tables, each in one line.
rows_of()
{
	"${PYTHON:-python3}" testsuite/lint/documents.py --rows "$1"
}

# Formats are named in output/format.h alone: nobody else lists them, or knows one by its number.
formats()
{
	grep -nE '"table\|csv|format (==|!=|[<>]=?) *[0-9]|![a-z_.>-]*[.>]format\b[^-]' -r report \
		--include='*.[ch]' --exclude=format.h
}

# One room opens files (report/lib/files.h): what is opened is looked at, and nothing is waited for.
opens()
{
	grep -rnE '(^|[^A-Za-z0-9_.>])(open|open64|openat|creat|fopen|fopen64|freopen|mkstemp|mkostemp|opendir)\(' \
		report --include='*.[ch]' | grep -v '^report/lib/files\.[ch]:'
}

# doc/reliability.md names what runtime/system/libc.c looks up.
looked_up()
{
	diff <(grep -oE '\bAT\("[a-z_]+' runtime/system/libc.c | sed 's/.*"//' | sort) \
		<(sed -n '/^## What the runtime does, and when/,/^## /p' doc/reliability.md | grep -oE '^- `[a-z_]+`' | tr -d '` -' | sort) |
		grep '^[<>]' | sed 's/^</doc\/reliability.md lacks/; s/^>/doc\/reliability.md has too many:/'
}

allowed() # allowed FILE: its lines, without comments
{
	sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "testsuite/lint/$1"
}

# What the runtime takes from libc by name: nothing, as a program may define each of these names.
# What libc.c looks up allocates nothing, and has no stdio. And the runtime is loaded without a
# search for symbols.
imports()
{
	[ -e "$BUILD/libcinstr.so" ] || { echo "libcinstr.so is not built"; return; }
	nm -D -u "$BUILD/libcinstr.so" | awk '{ print $NF }' | sed 's/@.*//' | sort -u |
		sed 's/^/imported: /'
	readelf -dW "$BUILD/libcinstr.so" | grep -E 'NEEDED|INIT|FINI'
	readelf -rW "$BUILD/libcinstr.so" | awk '/R_X86_64/ { print $3 " " $5 }' |
		grep -vE "R_X86_64_(RELATIVE|TPOFF64|DTPMOD64)"
	looked_up
	nm -D --defined-only "$BUILD/libcinstr.so" | awk '{ print $NF }' | grep -v '^cinstr_' | sed 's/^/exported: /'
	# The library that samples by timers: the same, and it takes the place of these functions
	# only.
	nm -D -u "$BUILD/libcinstr-sampler.so" | awk '{ print $NF }' | sed 's/@.*//' | sort -u |
		grep -vxF -f <(allowed sampler-imports) | sed 's/^/sampler: /'
	nm -D --defined-only "$BUILD/libcinstr-sampler.so" | awk '{ print $NF }' |
		grep -vxE 'pthread_create|thrd_create|prctl|syscall|sigaction|signal|sigwait|sigwaitinfo|sigtimedwait|signalfd' | sed 's/^/exported by the sampler: /'
}

# Each system call of the runtime's is among those that a filter is evaluated for. (The sampler's:
# runtime/sampler/sampler_filter.c.)
system_calls()
{
	local name
	for name in $(find runtime -name '*.[ch]' ! -name 'sampler_*' -exec grep -ohE '\bSYS_[a-z0-9_]+' {} + | sort -u); do
		grep -qE "$name\b" runtime/system/seccomp.c || echo "$name is not in the table of runtime/system/seccomp.c"
	done
}

# The table on top of fold.h has each kind of event and of special record; the functions that it
# names are there.
fold_table()
{
	local word table
	table=$(sed -n '2,/\*\//p' runtime/fold/fold.h)
	for word in $(grep -oE 'CINSTR_(EV|SP)_[A-Z]+ =' include/cinstr/format.h | sed 's/CINSTR_.._//; s/ =//; /SPECIAL/d'); do
		grep -qw "$word" <<< "$table" || echo "runtime/fold/fold.h does not say which function is for $word"
	done
	for word in $(grep -oE '[a-z_]+\(\)' <<< "$table" | tr -d '()' | sort -u); do
		grep -qE "^[a-zA-Z].*\b$word\(" runtime/fold/*.[ch] || echo "runtime/fold/fold.h tells about $word(), which does not exist"
	done
}

# The runtime leaves the vector and floating-point registers alone. The second template is the
# first one's source again; its data, which have no names, would be taken for code.
vectors()
{
	objdump -d --no-show-raw-insn "$BUILD/libcinstr-runtime.o" "$BUILD/libcinstr-sampler.so" |
		awk '/^[0-9a-f]+ <.*>:$/ { name = $2 } /%([xyz]mm|st|mm)[0-9(]/ { if (name !~ /^<thunk_template_(sums|counter)>:$/ && !seen[name]++) print name " " $0 }'
}

# Each option of recording and each command is in the documents; the documents name no other.
documented()
{
	local option
	for option in $(grep -oE 'OPTION\([A-Z]+, "[A-Z_]+"' include/cinstr/options.h | sed 's/.*"\(.*\)"/\1/'); do
		grep -qE "\`${option}[\`=]" doc/recording.md || echo "doc/recording.md does not tell about $option"
	done
	for option in $(grep -ohE '\bCINSTR_[A-Z]+\b' README.md doc/recording.md doc/control.md doc/plugin.md | sort -u); do
		grep -qE "\"$option\"|\b$option = " include/cinstr/options.h include/cinstr.h ||
			grep -q "^#define $option " include/cinstr.h || echo "the documents tell about $option, which does not exist"
	done
	for option in $(grep -oE '#define CINSTR_FORMAT_VERSION [0-9]+' include/cinstr/format.h | grep -oE '[0-9]+$'); do
		grep -qi "version $option" doc/format.md || echo "doc/format.md is not of version $option"
	done
	for option in $(grep -oE 'EVENT\(x, [A-Z_]+, [0-9]+' include/cinstr/os_events.h | grep -oE '[0-9]+$'); do
		rows_of doc/format.md | grep -E '^\| [0-9]+ \| 4 \| `bits` \|' | grep -qE "[|,] $((1 << option)) " ||
			echo "doc/format.md does not tell what $((1 << option)) is among the bits of an interval"
	done
	diff <("$BUILD/cinstr" report --columns=help | sed -nE '/^Columns/,/^$/s/^  ([a-z0-9_]+) +(.*)$/| `\1` | \2 |/p') \
		<(rows_of doc/columns.md | sed -n '/^| column /,/^| group/p' | grep '^| `') > /dev/null ||
		echo "doc/columns.md has other columns than cinstr report --columns=help"
}

# Sizes in doc/format.md ("struct NAME (N bytes)") are what the compiler says.
format_sizes()
{
	local name bytes
	grep -oE 'struct `cinstr_[a-z_]+` \([0-9]+ bytes\)' doc/format.md | tr -d '`()' |
	while read -r _ name bytes _; do
		printf '#include "cinstr/abi.h"\n#include "cinstr/format.h"\n#include "cinstr/merged.h"\n#include "cinstr/amounts.h"\n_Static_assert(sizeof(struct %s) == %s, "");\n' \
			"$name" "$bytes" | $CC -std=gnu11 -Iinclude -fsyntax-only -x c - 2>/dev/null ||
			echo "doc/format.md: struct $name has not $bytes bytes"
	done
}

licences()
{
	local file
	for file in $(sources include runtime plugin/hook) $(find runtime -name '*.S') plugin/arch/*/hook_arch.h; do
		head -n 1 "$file" | grep -q 'SPDX-License-Identifier: MIT' || echo "$file: first line is not the MIT identifier"
	done
	for file in $(sources plugin report | grep -vE '^plugin/(hook/|arch/[^/]*/hook_arch)'); do
		head -n 1 "$file" | grep -q 'SPDX-License-Identifier: GPL-3.0-or-later' ||
			echo "$file: first line is not the GPL identifier"
	done
}

# Budgets: function 80 lines, file 700, or what long-files says of it.
budgets()
{
	local file
	for file in $(allowed long-files | cut -d' ' -f1); do
		[ -e "$file" ] && [ "$(wc -l < "$file")" -gt 700 ] || echo "testsuite/lint/long-files: $file needs no more than 700 lines"
	done
	# shellcheck disable=SC2046
	awk 'function is_long() { if (lines > (name in most ? most[name] : 700)) print name ": " lines " lines" }
		FILENAME == list { if (!/^#/) most[$1] = $2; next }
		FNR == 1 { is_long(); start = 0; name = FILENAME }
		{ lines = FNR }
		/^[a-zA-Z_].*[^;]$/ { head = $0 }
		/^{$/ { start = FNR }
		/^}$/ { if (start && FNR - start > 80) printf "%s:%d: function of %d lines: %s\n", FILENAME, start, FNR - start, head; start = 0 }
		END { is_long() }' list=testsuite/lint/long-files testsuite/lint/long-files $(sources include runtime report plugin)
}

scripts()
{
	command -v shellcheck >/dev/null || { echo "no shellcheck here: contrib/install-deps check"; return; }
	# shellcheck disable=SC2046
	shellcheck -x -S warning .ci/run contrib/install-deps contrib/install-made contrib/slurm/cinstr-job.sh $(find testsuite -name '*.sh' | sort) 2>&1 | head -n 20
}

# Nothing of one machine: home folders, private hosts.
portable()
{
	grep -rnE '/home/[a-z]|/root/|/work/(main|shared)|192\.168\.|10\.[0-9]+\.[0-9]+\.[0-9]+' \
		--include='*' Makefile README.md CHANGELOG.md .ci contrib doc include plugin runtime report testsuite |
		grep -v '^testsuite/lint/run.sh'
}

# The quick check stays quick.
quick()
{
	# shellcheck disable=SC2046
	"${PYTHON:-python3}" testsuite/check.py --budget $(sed -n 's/^SUITES ?= //p' Makefile)
}

if [ $# -gt 0 ]; then # run.sh FUNCTION: the findings of one
	"$1"
	exit
fi
slow headers
slow scripts
if [ -n "${REST-}" ]; then
	echo "$passed passed, $failed failed"
	[ $failed -eq 0 ]
	exit
fi
layout
verdict layers "$(layers)"
verdict rooms "$(rooms)"
verdict processor "$(processor)"
verdict prefixes "$(prefixes)"
verdict atomics "$(atomics)"
verdict "errno names" "$(errno_names)"
verdict comments "$(comments)"
verdict documents "$(documents)"
verdict javascript "$(javascript)"
verdict formats "$(formats)"
verdict opens "$(opens)"
verdict imports "$(imports)"
verdict "system calls" "$(system_calls)"
verdict "table of the fold" "$(fold_table)"
verdict mutants "$(mutants)"
verdict vectors "$(vectors)"
verdict documented "$(documented)"
verdict "format sizes" "$(format_sizes)"
verdict licences "$(licences)"
verdict portable "$(portable)"
verdict quick "$(quick)"
verdict budgets "$(budgets)"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
