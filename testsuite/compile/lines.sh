# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034 # here, with, CC and CXX are run.sh's
# Line mode: which lines get sleds, that programs bear them, off and on. Sourced by run.sh.

# One word for two options.
echo "$with -fplugin-arg-cinstr-lines -fplugin-arg-cinstr-small=0" >lines.options
lines=@$scratch/lines.options

# A line for each function: its name and its sleds in the order of the code. Line sleds by their
# numbers, with the file if that is not the function's and the levels of inlining.
cat >lines.awk <<'EOF'
/^  [^ ]+ flags/ { printf("%s%s", NR > 2 ? "\n" : "", $1); next }
/^    0x[0-9a-f]+ / { printf(" %s", $2 == "line" ? $5 : $2); is_line = $2 == "line"; next }
is_line && /^      at line/ { n = split($5, part, "/"); printf("@%s", part[n]); next }
/^      inlined/ { for (i = 2; i <= NF; i++) { gsub(/:.*\//, ":", $i); printf("<%s", $i) } }
END { print "" }
EOF

# What the sources' functions must have at -O0.
cat >lines.expected <<'END'
straight enter 102 103 104 105 104 107 exit
loop enter 202 203 204 203 205 exit
loop_on_one_line enter 302 303 304 305 exit
branches enter 402 403 405 406 407 exit
choose enter 502 503 504 505 506 508 509 511 513 exit
one_line enter exit
calls enter 702 before after before after 703 before after before after exit
inlines enter 802 22@lines.h<outer:lines.c:803 12@lines.h<inner:lines.h:23<outer:lines.c:803 13@lines.h<inner:lines.h:23<outer:lines.c:803 23@lines.h<outer:lines.c:803 803 804 exit
condition enter 1202 1203 1204 1205 1206 exit
jump_into_line enter 1403 1404 1404 1405 exit
choose_into_line enter 1502 1503 1503 1504 1505 1506 1507 1509 exit
_Z8destroysi enter 202 203 before after 204 205 before after 204 landing 205 before after before exit
_Z7catchesi enter 303 before after 304 308 landing 305 before before after 306 307 before after exit
_Z9instancesi enter 502 403<_Z5twiceIlET_S0_:lines.cc:502 404<_Z5twiceIlET_S0_:lines.cc:502 502 504<_ZZ9instancesiENKUliE_clEi:lines.cc:506 505<_ZZ9instancesiENKUliE_clEi:lines.cc:506 403<_Z5twiceIiET_S0_:lines.cc:507 404<_Z5twiceIiET_S0_:lines.cc:507 507 exit
_ZN5guardD2Ev enter 104 105 exit
END

lines_of() # LISTING FLAG...
{
	listing=$1
	shift
	$CC "$lines" "$@" "$here/lines.c" -o lines.c.probed && $CXX "$lines" "$@" "$here/lines.cc" -o lines.cc.probed || return 1
	for source in lines.c lines.cc; do
		check_sleds $source.probed || return 1
		check_sleds --dump $source.probed | awk -f lines.awk
	done | LC_ALL=C sort >"$listing"
}

expected_lines() # FLAG...
{
	LC_ALL=C sort lines.expected >lines.sorted
	lines_of lines.found -O0 "$@" && grep -vE '^(main|leaf.*|compare_once|_ZL5touchi) |functions' lines.found | diff lines.sorted -
}

# The same levels of inlining, and no others, in optimized code; of a constructor's or destructor's
# common source, too.
inlined_lines() # FLAG...
{
	lines_of lines.found -O2 "$@" || return 1
	tr ' ' '\n' <lines.found | sed -n 's/^[0-9]*\(@[^<]*\)*</\1</p' | sed 's/guardD[24]/guardD4/' | sort -u >lines.inlined
	cat lines.inlined
	for chain in '@lines.h<outer:lines.c:803' '@lines.h<inner:lines.h:23<outer:lines.c:803' \
		'<_Z5twiceIlET_S0_:lines.cc:502' '<_ZZ9instancesiENKUliE_clEi:lines.cc:506' '<_ZN5guardD4Ev:lines.cc:205'; do
		grep -qxF "$chain" lines.inlined || return 1
	done
}

# Nothing may lie below the stack pointer in a function that has line sleds.
no_red_zone() # FLAG...
{
	$CC "$lines" "$@" "$here/lines.c" -o zone || return 1
	objdump -d --no-show-raw-insn zone | awk '
		/^[0-9a-f]+ </ { name = $2 }
		name ~ /leaf/ && /-0x[0-9a-f]+\(%rsp/ { print name, $0; bad = 1 }
		name ~ /leaf/ && /nopl +0x0\(%rax,%rax,1\)/ { sleds++ }
		END { exit bad || sleds < 12 }'
}

# At the link of units with and without line mode: functions that use the red zone have no line
# sleds.
mixed_units()
{
	$CC -O2 -flto "$with" -Dmain=other_main -c "$here/lines.c" -o other.o || return 1
	echo 'int other_main(void); int main(void) { int n = other_main();
		return n; }' >mixed.c
	$CC -O2 -flto "$lines" mixed.c other.o -o mixed || return 1
	check_sleds --dump mixed | awk -f lines.awk >mixed.lines
	objdump -d --no-show-raw-insn mixed --disassemble=leaf >mixed.dis
	cat mixed.lines mixed.dis
	grep -q -- '-0x[0-9a-f]*(%rsp' mixed.dis || { echo "leaf has no red zone: nothing tested"; return 1; }
	grep -q '^leaf enter exit$' mixed.lines && grep -q '^straight enter 10' mixed.lines
}

# Instructions that use the flags follow what sets them without a sled between.
fused()
{
	$CC -O2 "$lines" -c "$here/lines.c" -o fused.o || return 1
	objdump -d --no-show-raw-insn fused.o | awk '
		/nopl +0x0\(%rax,%rax,1\)/ { sled = 1; next }
		/\t(j[a-z]+|set|cmov|adc|sbb)/ && !/\tjmp/ { if (sled) { print; bad = 1 } n++ }
		{ sled = 0 }
		END { exit bad || !n }'
}

# A loop that is all on one line has its sled outside. (Not where something jumps into it from
# another line.)
loops_without_sleds() # FLAG...
{
	$CC "$lines" "$@" "$here/lines.c" -o loops || return 1
	objdump -d --no-show-raw-insn loops --disassemble=loop_on_one_line | tee loops.dis | awk '
		/^ +[0-9a-f]+:/ { address = $1; sub(":", "", address); at[address] = ++n }
		/nopl +0x0\(%rax,%rax,1\)/ { last = n; sleds++ }
		/\tj/ && at[$3] { backward++; if (last >= at[$3]) bad = 1 }
		END { exit bad || backward != 2 || sleds < 4 }' && return
	cat loops.dis
	return 1
}

# Debug information stays right: the assembler checks view numbers, the verifier the rest.
lines_debug() # FLAG...
{
	$CC -O2 "$lines" "$@" -c "$here/control.c" -o debug.o -w && $CXX -O2 "$lines" "$@" -c "$here/exceptions.cc" -o debug2.o
}

with_lines() # COMMAND...
{
	saved=$with with=$lines
	"$@"
	status=$?
	with=$saved
	return $status
}

for flags in -g -g0 "-g -fPIC -fcf-protection" "-g -flto"; do
	# shellcheck disable=SC2086
	check "lines at -O0 $flags" expected_lines $flags
	# shellcheck disable=SC2086
	check "inlined lines $flags" inlined_lines $flags
done
for flags in -O1 -O2 -O3 -Os "-O2 -flto"; do
	# shellcheck disable=SC2086
	check "red zone $flags" no_red_zone $flags
done
check "red zone of other units" mixed_units
check "compare and jump" fused
check "loops on one line" loops_without_sleds -O0
for flags in "-g -gstatement-frontiers" "-g -gvariable-location-views" "-g -gsplit-dwarf" "-g3 -gdwarf-4" \
	"-g -fno-var-tracking-assignments"; do
	# shellcheck disable=SC2086
	check "lines and debug $flags" lines_debug $flags
done
for level in -O0 -O1 -O2 -O3 -Os -Og; do
	for source in control.c values.c exceptions.cc lines.c lines.cc; do
		slow_unless $level = -O2
		[ $source != exceptions.cc ] || part=slow
		check "lines $source $level" with_lines same $source $level -g -w
	done
done
part=slow
check "lines tail.c" with_lines same tail.c -O2
while read -r flags <&3; do
	for source in control.c values.c exceptions.cc; do
		# shellcheck disable=SC2086
		check "lines $source $flags" with_lines same $source $flags -w
	done
done 3<<-END
	-O2 -g -flto
	-O2 -flto -ffat-lto-objects
	-O2 -fcf-protection=full -fPIC -pie
	-O2 -mavx2 -mfpmath=387
	-O2 -fexceptions -fnon-call-exceptions
	-O2 -fstack-protector-all -fstack-clash-protection
	-O2 -fsplit-stack
	-O2 -pg -mfentry
	-O2 -freorder-blocks-and-partition -ffunction-sections -Wl,--gc-sections
END
part=quick
