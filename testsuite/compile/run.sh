#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compiles programs with and without the plugin and compares what they do; checks the tables.
#
#	run.sh PLUGIN.so
#
# Prints "ok NAME" or "FAIL NAME" for each case, and a last line "N passed, N failed". CC, CXX:
# compilers (the plugin's release). FEW=1: a smaller part. QUICK=1: what is quick, REST=1: what that
# leaves out, neither: both. Scratch files go to a folder of mktemp.

plugin=$(realpath "${1:?usage: run.sh PLUGIN.so}")
here=$(dirname "$(realpath "$0")")
CC=${CC:-gcc}
CXX=${CXX:-$(echo "$CC" | sed 's/gcc/g++/')} FC=
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
# No runtime beside this copy, and none by the environment: programs run as if nothing were there.
[ -f "$plugin" ] || { echo "no plugin $plugin"; exit 2; }
cp "$plugin" cinstr.so
touch libcinstr.a # a runtime to be linked: none is loaded here, and the plugin misses none
unset CINSTR LD_LIBRARY_PATH LD_PRELOAD
# By default since GCC 14: frames in memory that is not executable, where nested functions have
# their trampolines.
export ASAN_OPTIONS=detect_stack_use_after_return=0
plugin_flag=-fplugin=$scratch/cinstr.so
# Most tests want sleds in small functions, too.
echo "$plugin_flag -fplugin-arg-cinstr-small=0" >with
with=@$scratch/with
echo "$plugin_flag -fplugin-arg-cinstr-small=0 -fplugin-arg-cinstr-instructions" >counters
passed=0 failed=0

report() # STATUS NAME
{
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
		echo "ok $2"
	elif [ "$1" = 77 ]; then
		echo "skip $2: $(tail -n 1 log)"
	else
		failed=$((failed + 1))
		echo "FAIL $2"
		sed 's/^/    /' log 2>/dev/null | head -n 12
	fi
}

# As a command of these arguments. One process answers all, since Python takes longer to start than
# to check a program; it ends when nobody can ask it any more.
check_sleds() # [--dump] [--some-calls] FILE
{
	echo "$*" >&8
	while IFS= read -r sleds_line <&9; do
		case $sleds_line in
		"status "[0-9]) return "${sleds_line#status }" ;;
		*) printf '%s\n' "$sleds_line" ;;
		esac
	done
	return 2
}

mkfifo questions answers || exit 2
python3 "$here/check_sleds.py" --serve <questions >answers 2>&1 &
exec 8>questions 9<answers

# Which of QUICK and REST the next checks belong to: quick, or slow.
part=quick

slow_unless() # CONDITION OF test...
{
	part=slow
	[ "$@" ] && part=quick
	return 0
}

is_wanted()
{
	case $part in
	quick) [ -z "$REST" ] ;;
	slow) [ -z "$QUICK" ] ;;
	esac
}

check() # NAME COMMAND...
{
	is_wanted || return 0
	check_name=$1
	shift
	"$@" >log 2>&1
	report $? "$check_name"
}

# What a program prints and its exit status, in a file. Runs with a small stack.
run() # PROGRAM RESULT
{
	# shellcheck disable=SC3045 # dash and bash have it
	(ulimit -s 1024; "./$1") >"$2" 2>&1
	echo "exit $?" >>"$2"
}

# plain.log and plain.out: what the compiler says without the plugin, and what the program does.
# Kept in BUILD, if there is one, by compiler, flags and the sources here.
without() # SOURCE FLAG...
{
	kept=$BUILD/check/plain/$({ $compiler -v 2>&1 && echo "$@" && cat "$here"/*.*; } | md5sum | cut -d' ' -f1)
	if [ -n "$BUILD" ] && [ -f "$kept.out" ]; then
		cp "$kept.log" plain.log && cp "$kept.out" plain.out
		return
	fi
	source=$1
	shift
	$compiler "$@" "$source" -o plain 2>plain.log || return
	run plain plain.out
	sed -i 's,[^ ]*/cc[A-Za-z0-9]*,,g' plain.log # temporary files
	[ -z "$BUILD" ] || { mkdir -p "$BUILD/check/plain" && cp plain.log "$kept.log" && cp plain.out plain.kept && mv plain.kept "$kept.out"; }
}

# Compiles a source with and without the plugin, runs both, checks the tables of the instrumented
# one.
same() # SOURCE FLAG...
{
	source=$here/$1
	shift
	compiler=$CC flag=$with
	case $source in
	*.cc) compiler=$CXX ;;
	*.f90) compiler=$FC ;;
	*.c) ;;
	*) compiler=$front_end flag=$plugin_flag ;; # gnatmake reads no @FILE
	esac
	rm -f ./*.gcda
	without "$source" "$@" || { echo "does not compile without the plugin"; return 77; }
	$compiler "$@" "$flag" -fchecking=2 "$source" -o probed 2>probed.log || { cat probed.log; return 1; }
	sed -i 's,[^ ]*/cc[A-Za-z0-9]*,,g' probed.log
	diff plain.log probed.log || return 1
	run probed probed.out
	diff plain.out probed.out && check_sleds probed || return 1
	# With sleds that destroy what they may. (Static programs load nothing and run as before.)
	mv clobber.so libcinstr.so
	run probed probed.out
	mv libcinstr.so clobber.so
	diff plain.out probed.out
}

# For a processor that is not here: as `same`, but nothing runs.
linked() # SOURCE FLAG...
{
	source=$here/$1
	shift
	$CC "$@" "$source" -o plain 2>plain.log || { echo "does not compile without the plugin"; return 77; }
	$CC "$@" "$with" -fchecking=2 "$source" -o probed 2>probed.log || { cat probed.log; return 1; }
	sed -i 's,[^ ]*/cc[A-Za-z0-9]*,,g' plain.log probed.log
	diff plain.log probed.log && check_sleds probed
}

# With a profile of a run without the plugin, and with one of a run with it: hot, cold and unlikely
# parts are laid apart.
profiled() # SOURCE FLAG...
{
	source=$here/$1
	shift
	for kind in plain probed; do
		extra=
		[ $kind = plain ] || extra="$with -fchecking=2"
		rm -f ./*.gcda
		# shellcheck disable=SC2086
		$CC "$@" -w $extra -fprofile-generate "$source" -o trained && run trained $kind.train || return 1
		# shellcheck disable=SC2086
		$CC "$@" -w $extra -fprofile-use="$(echo trained-*.gcda)" -fprofile-partial-training "$source" -o $kind || return 1
		run $kind $kind.out
	done
	diff plain.train probed.train && diff plain.out probed.out && check_sleds probed || return 1
	# Nothing is cold in values.c.
	[ "$(basename "$source")" = values.c ] || nm probed | grep '\.cold$'
}

each_level()
{
	levels="-O0 -O2 -O3"
	[ -n "$FEW" ] || levels="$levels -O1 -Os -Og -Ofast"
	for level in $levels; do
		slow_unless $level = -O2
		for source in control.c values.c; do
			check "$source $level" same $source $level -w
		done
	done
	for level in -O2 -O3 -Os; do
		slow_unless $level = -Os # the others take two seconds and more
		check "tail.c $level" same tail.c $level
	done
	part=quick
}

# The table of flags: [control:|values:|[SOURCE ]needs TOOL:] FLAG...
each_flag()
{
	n_flags=0
	while read -r flags <&3; do
		sources="control values" how=same
		case $flags in
		"#"*) continue ;;
		linked:*) how=linked ;;
		control:*|values:*) sources=${flags%%:*} ;;
		*needs*)
			tool=${flags%%:*}
			sources=${tool%%needs*}
			sources=${sources:-control}
			command -v "${tool#*needs }" >/dev/null || { [ -n "$REST" ] || echo "skip $flags"; continue; } ;;
		esac
		[ -z "$FEW" ] || sources=${sources%% *}
		n_flags=$((n_flags + 1))
		for source in $sources; do
			slow_unless "$((n_flags % 3)) $source" = "0 ${sources%% *}"
			# shellcheck disable=SC2086
			check "$source.c ${flags#*: }" $how "$source.c" ${flags#*: } -w
		done
	done 3<"$here/flags"
	part=quick
}

# With counters of executed instructions, which nobody switches on here.
with_counters() # COMMAND...
{
	saved=$with with=@$scratch/counters
	"$@"
	status=$?
	with=$saved
	return $status
}

# -mtune=atom: the last pass looks at blocks.
each_counted()
{
	for flags in -O0 -O2 "-O3 -fcf-protection=full" "-O1 -mtune=atom"; do
		# shellcheck disable=SC2086
		check "control.c with counters $flags" with_counters same control.c $flags -w
	done
	check "values.c with counters" with_counters same values.c -O2 -w
}

# A program in another language, if the front end of this release is installed.
hello() # COMMAND SOURCE FLAG...
{
	release=$($CC -dumpversion | cut -d. -f1)
	for front_end in "$1-$release" "$1"; do
		$front_end --version 2>/dev/null | head -n 1 | grep -q "[ )]$release\." && break
		front_end=
	done
	[ "$1" != gcc ] || case $($CC -print-prog-name=cc1obj) in /*) front_end=$CC ;; *) front_end= ;; esac
	[ "$1" != gfortran ] || FC=$front_end
	# Modula-2's driver takes these folders for those of its own modules.
	[ "$1" != gm2 ] || [ -z "$front_end" ] || front_end="env -u LIBRARY_PATH $front_end"
	[ -n "$front_end" ] || { echo "skip $2: no $1 of release $release here"; return; }
	shift
	check "$*" same "$@"
}

languages()
{
	for level in -O0 -O2; do
		hello gfortran hello.f90 $level -fopenmp
		hello gcc hello.m $level -fobjc-exceptions -Wl,--no-as-needed -lobjc
		hello gnatmake hello.adb $level -f -q
		hello gdc hello.d $level
		hello gccgo hello.go $level
		hello gm2 hello.mod $level -flibs=m2pim,m2iso
		hello gcobol hello.cob $level
		hello gccrs hello.rs $level -frust-incomplete-and-experimental-compiler-do-not-use
	done
}

# A library's code, called from a program without the plugin.
shared() # FLAG...
{
	for kind in plain probed; do
		extra=
		[ $kind = plain ] || extra="$with -fchecking=2"
		# shellcheck disable=SC2086
		$CC -O2 -w $extra "$@" -fPIC -shared "$here/control.c" -o libcontrol.so || return 1
		echo "int main(int argc, char **argv);" >caller.c # it is the library's
		$CC caller.c -Wl,-rpath,. libcontrol.so -o "$kind" || return 1
		run $kind $kind.out
	done
	diff plain.out probed.out && check_sleds libcontrol.so
}

# --gc-sections drops an unused function together with its table.
gc_sections() # LINKER
{
	option=
	[ "$1" != gold ] || option=-fplugin-arg-cinstr-gold
	# shellcheck disable=SC2086
	$CC -O2 -ffunction-sections "$with" $option "$here/unused.c" -Wl,--gc-sections -fuse-ld="$1" -o gc || return 1
	check_sleds --dump gc >gc.dump && ./gc || return 1
	cat gc.dump
	grep -q "  main flags" gc.dump && ! grep -q unused_function gc.dump && ! nm gc | grep unused_function
}

# Nothing but the note itself refers to a note: what drops notes leaves a program that links and
# runs.
notes_dropped()
{
	cat >bare.c <<-END
		static volatile int n;
		void _start(void)
		{
			for (int i = 0; i < 3; i++)
				n += i;
			__asm__ volatile("syscall" : : "a"(60), "D"(n));
		}
	END
	cat >bare.ld <<-END
		ENTRY(_start)
		SECTIONS {
			.text : { *(.text*) }
			.data : { *(.rodata*) *(.eh_frame*) *(.data*) *(.bss*) *(.init_array*) *(.fini_array*) }
			/DISCARD/ : { *(*) }
		}
	END
	$CC -O2 -ffunction-sections "$with" -c bare.c -o bare.o && readelf -S bare.o | grep -q cinstr.note || return 1
	ld -T bare.ld bare.o -o bare && ./bare
	[ $? = 3 ] || return 1
	objcopy -R .cinstr.note bare.o stripped.o && ld stripped.o -o bare && ./bare
	[ $? = 3 ] || return 1
	$CC -O2 -ffunction-sections "$with" -c "$here/unused.c" -o unused.o && ld -r unused.o -o partial.o &&
		$CC -Wl,--gc-sections partial.o -o partial && ./partial && ! nm partial | grep unused_function
}

refused() # FLAG TEXT
{
	$CC "$with" "$1" -c "$here/nothing.c" -o refused.o >refused.log 2>&1 && return 1
	cat refused.log
	grep -q "$2" refused.log
}

# Code that is none of ours is left as it is, with one warning that is no error.
other_code() # FLAG
{
	echo "int f(int x) { return x; }" >other.c
	$CC -O2 -S "$1" other.c -o other.plain 2>/dev/null || { echo "not this compiler"; return 77; }
	$CC -O2 -S -Werror "$1" "$with" other.c -o other.probed 2>other.log || { cat other.log; return 1; }
	[ "$(grep -c "warning: .*x86-64 code with a small or medium code model only" other.log)" = 1 ] || return 1
	grep -v cinstr_at_link other.probed | diff other.plain -
}

tells()
{
	$CC -O2 "$with" -fplugin-arg-cinstr-verbose -c "$here/control.c" -o tells.o 2>tells.log || return 1
	cat tells.log
	grep -q "note: .use_setjmp.: [0-9]* probe sites" tells.log &&
		grep -q "note: .left_out.: not instrumented: it has the attribute" tells.log &&
		grep -q "note: cinstr: [0-9]* functions with [0-9]* probe sites, 1 functions left out" tells.log
}

# What the symbols of an object gain.
symbols()
{
	$CC -O2 "$with" -c "$here/nothing.c" -o nothing.o && nm nothing.o || return 1
	[ "$(nm nothing.o | grep -vc ' variable$')" = 0 ] || return 1
	$CC -O2 -c "$here/unused.c" -o plain.o && $CC -O2 "$with" -c "$here/unused.c" -o probed.o || return 1
	nm plain.o | sed 's/^[0-9a-f ]*//' | sort >plain.nm
	nm probed.o | sed 's/^[0-9a-f ]*//' | grep -v '\.Lcinstr' | sort >probed.nm
	comm -13 plain.nm probed.nm | grep -vE 'cinstr|^w (_r_debug|_dl_debug_addr|__ehdr_start)$|_GLOBAL_OFFSET' && return 1
	[ -z "$(comm -23 plain.nm probed.nm)" ]
}

# Several units: one hook. In the finished program no label of ours is left.
one_hook()
{
	for unit in a b c; do
		echo "int $unit(int x); int $unit(int x) { return x + 1; }" >$unit.c
	done
	$CC -O2 -g "$with" a.c b.c c.c "$here/unused.c" -o units || return 1
	nm units
	[ "$(nm units | grep -c '__cinstr_hook_v1')" = 1 ] && ! nm units | grep '\.Lcinstr'
}

# Left-out functions are in the tables, with their reasons.
left_out()
{
	$CC -O2 "$with" "$here/values.c" -o left && check_sleds --dump left >left.dump || return 1
	grep "left out" left.dump
	grep -q "left out leaf: 1" left.dump && grep -q "left out naked: 2" left.dump &&
		grep -q "left out resolve_doubled: 3" left.dump
}

# A call without a value in r10 or r11 that it must keep has no flag, the others have.
keeps()
{
	$CC -O2 "$with" "$here/values.c" -o keeps && check_sleds --dump keeps >keeps.dump || return 1
	grep -E "before|after" keeps.dump
	grep -q "before flags 1 leaf" keeps.dump && grep -q "before flags 0 qsort" keeps.dump || return 1
	$CC -O2 "$with" "$here/control.c" -o keeps && check_sleds --dump keeps >keeps.dump || return 1
	grep -q "before flags 2 vfork" keeps.dump && grep -q "before flags 2 waitpid" keeps.dump &&
		grep -q "before flags 4 exit" keeps.dump
}

static_link() # FLAG
{
	$CC -O2 "$with" "$1" "$here/quiet.c" -o static 2>static.plugin
	$CC -O2 "$1" "$here/quiet.c" -o static.plain 2>static.none
	diff static.none static.plugin && ./static && ./static.plain
}

# The runtime beside the plugin is found without flags, one registration and its end.
loads() # EXPECTED FLAG...
{
	expected=$1
	shift
	$CC -O2 "$with" "$@" "$here/unused.c" -o loads || return 1
	./loads 2>loads.err >/dev/null || return 1
	cat loads.err
	[ "$(grep -c registered loads.err)" = "$expected" ] && ! grep -v "registered 0" loads.err
}

quiet_with_runtime()
{
	$CC -O2 "$with" "$here/quiet.c" -o quiet && ./quiet 2>/dev/null >quiet.out
	cat quiet.out
	[ "$(cat quiet.out)" = "errno 0 0, dlerror none" ]
}

switched_off()
{
	$CC -O2 "$with" "$here/unused.c" -o off || return 1
	CINSTR=off ./off 2>&1 | grep registered && return 1
	CINSTR=office ./off 2>&1 | grep -q "^registered 0"
}

# A library opened and closed has a hook of its own.
library()
{
	$CC -O2 "$with" -shared -fPIC a.c -o liba.so || return 1
	cat >open.c <<-END
		#include <dlfcn.h>
		int main(void) { void *a = dlopen("./liba.so", RTLD_NOW); return a ? dlclose(a) : 1; }
	END
	$CC open.c -o open && ./open 2>open.err || return 1
	cat open.err
	readelf -d liba.so | grep TEXTREL && return 1
	[ "$(cat open.err)" = "registered 0
unregistered 0" ]
}

# A function of the program by the name of one that the hook calls.
# A unit whose functions have names that the hook once called.
own_names()
{
	cat >own.c <<-END
		#include <stdio.h>
		static __attribute__((noinline)) int dlsym(void) { return puts("mine"); }
		__attribute__((noinline)) int getauxval(void) { return puts("mine"); }
		int main(void) { return dlsym() + getauxval() < 0; }
	END
	$CC -O0 -Wa,--fatal-warnings "$with" own.c a.c -o own 2>own.log || { cat own.log; return 1; }
	./own >own.out 2>own.err
	cat own.out own.err
	[ "$(cat own.out)" = "mine
mine" ] && [ "$(cat own.err)" = "registered 0
unregistered 0" ]
}

lto_reminder()
{
	$CC -O2 -flto "$with" -c a.c "$here/unused.c" && $CC -O2 -flto a.o unused.o -o lto 2>lto.log
	[ "$(grep -c "Warning: cinstr: nothing is instrumented" lto.log)" = 1 ] || { cat lto.log; return 1; }
	$CC -O2 -flto "$with" a.o unused.o -o lto 2>lto.log
	[ ! -s lto.log ] && ./lto
}

# SQLITE3_C=path/to/sqlite3.c: the size of text and of tables.
sqlite_size()
{
	$CC -O2 -c "$SQLITE3_C" -o sqlite.plain.o && $CC -O2 "$with" -c "$SQLITE3_C" -o sqlite.o || return 1
	plain=$(size -A sqlite.plain.o | awk '/^\.text/ { n += $2 } END { print n }')
	probed=$(size -A sqlite.o | awk '/^\.text/ { n += $2 } END { print n }')
	tables=$(size -A sqlite.o | awk '/cinstr\.note|cinstr_str/ { n += $2 } END { print n }')
	echo "text $plain $probed tables $tables"
	[ $((probed * 100)) -le $((plain * 125)) ] && [ "$tables" -le 450000 ]
}

$CC -O2 -shared -fPIC -I"$here/../../include" "$here/clobber.c" -o clobber.so || exit 2
each_level
each_flag
each_counted
for level in -O0 -O2 -O3 -Os "-O2 -flto"; do
	slow_unless "$level" = -Os
	# shellcheck disable=SC2086
	check "exceptions.cc $level" same exceptions.cc $level
done
part=quick
check "exceptions.cc gc" same exceptions.cc -O1 -ffunction-sections -Wl,--gc-sections -fcf-protection
[ -n "$REST" ] || languages
for source in control.c values.c; do
	check "profiled $source" profiled $source -O2
done
for flag in -fvisibility=default -flto -Wl,-z,now,-Bsymbolic; do
	check "shared $flag" shared $flag
done
for linker in bfd lld gold; do
	command -v ld.$linker >/dev/null && check "gc-sections $linker" gc_sections $linker
done
check "notes dropped" notes_dropped
for flag in -m32 -mx32 -mcmodel=large; do
	check "other code $flag" other_code $flag
done
check "unknown option" refused -fplugin-arg-cinstr-verbos "no option .verbos.; there are: .*verbose"
check "option with a value" refused -fplugin-arg-cinstr-verbose=1 "takes no value"
check "verbose" tells
check "symbols" symbols
check "one hook" one_hook
check "left out" left_out
check "keep and other flags" keeps
check "lto reminder" lto_reminder
check "quiet" same quiet.c -O2 -w
for flag in -static -static-pie; do
	check "no warning $flag" static_link $flag
done
. "$here/choosing.sh"
. "$here/lines.sh"
choosing
$CC -O2 -shared -fPIC -fno-stack-protector -nostdlib "$here/runtime.c" -o libcinstr.so
for flag in -pie -no-pie -fcf-protection; do
	check "loads runtime $flag" loads 2 $flag
done
check "quiet with runtime" quiet_with_runtime
check "static does not load" loads 0 -static
check "linked runtime" loads 2 "$here/runtime.c"
check "linked static runtime" loads 2 -static "$here/runtime.c"
check "linked static-pie runtime" loads 2 -static-pie "$here/runtime.c"
check "switched off" switched_off
check "library" library
check "own names" own_names
[ -n "$SQLITE3_C" ] && check "size of sqlite" sqlite_size

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
