# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034 # here, plugin_flag, CC and CXX are run.sh's
# What gets sleds: rules, small functions, call modes, actions; lists and warnings. Sourced by
# run.sh.

arg=-fplugin-arg-cinstr
echo 'void touch(void) {}' >touch.c

# "option option" as flags, for use without quotes.
flags_of() # OPTION...
{
	for option; do
		printf '%s-%s ' "$arg" "$option"
	done
}

# What is left out of choosing.cc and why, in one line. WAY: "compile", or with -flto at the "link".
left_out_of() # WAY OPTION...
{
	way=$1
	shift
	# shellcheck disable=SC2046
	if [ "$way" = link ]; then
		$CXX -O2 -flto -c "$here/choosing.cc" -o list.o &&
			$CXX -O2 -flto "$plugin_flag" $(flags_of list "$@") list.o touch.o -o list.out 2>list.err
	else
		$CXX -O2 "$plugin_flag" $(flags_of list "$@") -c "$here/choosing.cc" -o list.o 2>list.err
	fi || { cat list.err; return 1; }
	sed -n 's/^[^ ]*: \([^:].*\): left out: it is \(.*\)/\1 \2/p' list.err | sed 's/ (rule.*//
		s/ defined in a system header$/ system/
		s/ not included$/ no/' | LC_ALL=C sort | paste -sd'|'
}

chooses() # WAY EXPECTED OPTION...
{
	way=$1
	expected=$(echo "$2" | tr '|' '\n' | LC_ALL=C sort | paste -sd'|')
	shift 2
	found=$(left_out_of "$way" "$@")
	printf 'expected %s\nfound    %s\n' "$expected" "$found"
	cat list.err
	[ "$found" = "$expected" ]
}

# Standard input: options ; what is left out and why.
each_choice() # WAY
{
	set -f
	while IFS=';' read -r options expected; do
		options=$(eval "echo \"$options\"")
		# shellcheck disable=SC2086
		check "choose ($1) $options" chooses "$1" "$(eval "echo \"$expected\"")" $options
	done
	set +f
}

# shellcheck disable=SC2034 # the tables of choices() name it
s='small_one(int) small'
c='ns::Class::Class(int)' m='ns::Class::method' o='ns::operator<(ns::Class const&, ns::Class const&)' t='ns::twice<ns::Class>(ns::Class)'
rest="$c no|$m(char const*) const no|$m(int) const no|$o no|$t no"

choices()
{
	each_choice compile <<-'END'
		small=10;$s
		small=0;
		small=2;$s
		small=1;
		small=99;large_one(int) small|$s
		exclude=plain;plain excluded|$s
		exclude=pla*;plain excluded|$s
		exclude=pl?in exclude=nothing;plain excluded|$s
		exclude=ns::Class::method;$m(char const*) const excluded|$m(int) const excluded|$s
		exclude=_ZNK2ns5Class6methodEi;$m(int) const excluded|$s
		exclude=ns::Class::method(int)*;$m(int) const excluded|$s
		exclude=ns::twice;$t excluded|$s
		exclude=ns::twice<ns::Class>;$t excluded|$s
		exclude=ns::twice(ns::Class);$t excluded|$s
		exclude=ns::operator<;$o excluded|$s
		exclude=ns::Class::Class;$c excluded|$s
		exclude=method;$s
		exclude=pl* include=plain include=*;$s
		include=* exclude=plain;plain excluded|$s
		include=* exclude-system-headers;from_header() system|$s
		exclude-system-headers include=* include=from_header;$s
		exclude-system-headers mark=after,from_header;$s
		include=[ps]* include=from_header;$rest|large_one(int) no|loop_one(char const*) no|main no|$s|tail_one(int (*)(int)) no
		include=[m]* include=small_one;$rest|from_header() no|large_one(int) no|loop_one(char const*) no|plain no|tail_one(int (*)(int)) no
		include=m* mark=top,*_one;$rest|from_header() no|plain no
		include=m* region=plain exclude=plain;$rest|from_header() no|large_one(int) no|loop_one(char const*) no|plain excluded|small_one(int) small|tail_one(int (*)(int)) no
		mark=top,small_one;
		mark=before,small_one;
		exclude-file=*choosing.h;from_header() excluded|$s
		exclude-file=choosing.h;from_header() excluded|$s
		exclude-file=$here/choosing.h;from_header() excluded|$s
		exclude-file=*.cc include-file=*.[ch]*;$s
	END
}

# The same where C++ is known by its assembler names only.
choices_at_link()
{
	each_choice link <<-'END'
		exclude=ns::Class::method;$m(char const*) const excluded|$m(int) const excluded|$s
		exclude=ns::twice(ns::Class);$t excluded|$s
		exclude-file=*choosing.h exclude=p*;from_header() excluded|plain excluded|$s
		include=* exclude-system-headers;from_header() system|$s
	END
}

# The sleds of a function in a row, with callees and actions: "enter[mark hello] before:f after
# exit".
sleds_of() # DUMP FUNCTION
{
	awk -v wanted="$2" '
		/^  [^ ]/ { inside = $1 == wanted && $2 == "flags" }
		inside && /^    0x/ {
			if (row) row = row " "
			row = row $2 ($2 == "before" || $2 == "tail" ? ":" $5 : "")
		}
		inside && /^      / && !/^      at line/ { sub(/^ */, ""); row = row "[" $0 "]" }
		END { print row }' "$1"
}

# options ; function ; sleds. Callees before and behind their callers in the unit: the same.
acts() # ORDER FUNCTION EXPECTED OPTION...
{
	order=$1
	function=$2
	expected=$3
	shift 3
	# shellcheck disable=SC2046
	$CC -O2 -fno-toplevel-reorder $order "$plugin_flag" $(flags_of quiet "$@") "$here/actions.c" touch.o -o acts || return 1
	check_sleds --some-calls acts && ./acts || return 1
	check_sleds --dump acts >acts.dump
	found=$(sleds_of acts.dump "$function")
	printf 'expected %s\nfound    %s\n' "$expected" "$found"
	[ "$found" = "$expected" ]
}

each_action()
{
	set -f
	while IFS=';' read -r options function expected; do
		for order in -DEARLY -DLATE; do
			slow_unless $order = -DLATE
			# shellcheck disable=SC2086
			check "act $order $options $function" acts $order "$function" "$expected" $options
		done
	done <<-'END'
		calls=all;calls;enter before:work after before:outer after exit
		calls=unknown;calls;enter exit
		calls=none;calls;enter exit
		calls=all;outer;enter before:touch after exit before:work after exit
		calls=unknown;outer;enter before:touch after exit exit
		calls=none;outer;enter exit exit
		calls=unknown exclude=work;calls;enter before:work after exit
		calls=all small=0;calls;enter before:small after before:work after before:outer after exit
		calls=all;tail_small;enter before:touch after exit
		calls=none;tail_small;enter exit
		calls=all small=0;tail_small;enter before:touch after tail:small
		calls=none;tail_work;enter tail:work
		calls=all;lands;enter before:_setjmp landing exit
		calls=none;lands;enter landing exit
		region=outer;outer;enter[region-begin] before:touch after exit[region-end] before:work after exit[region-end]
		start=inside,tail_small;tail_small;enter[region-begin] before:touch after exit[region-end]
		start=inside,tail_work;tail_work;enter[region-begin] before:touch after tail:work[region-end]
		start=outside,work;calls;enter before:work[region-begin] after[region-end] before:outer after exit
		suspend=outside,work calls=none;calls;enter before:work[quiet-begin] after[quiet-end] exit
		suspend=inside,work;work;enter[quiet-begin] before:touch after exit[quiet-end]
		suspend=outside,work;tail_work;enter before:touch after tail:work
		mark=before,work,one mark=after,work,two;tail_work;enter before:touch after tail:work[mark one]
		mark=before,small calls=unknown;calls;enter before:small[mark] after exit
		mark=before,touch calls=none;outer;enter before:touch[mark] after exit exit
		mark=after,_setjmp,back;lands;enter before:_setjmp landing[mark back] exit
		mark=top,outer,hello,world mark=top,out*;outer;enter[mark hello,world][mark] before:touch after exit before:work after exit
		start-only=top,work suspend-only=top,work stop-only=bottom,work mark=bottom,work resume-only=bottom,work;work;enter[suspend][start] before:touch after exit[stop][resume][mark]
		suspend-only=top,work start-only=top,work resume-only=bottom,work stop-only=bottom,work;work;enter[suspend][start] before:touch after exit[resume][stop]
	END
	part=quick
	set +f
}

# The options of a filter file, in the place of the option.
filter_file()
{
	cat >filter.txt <<-END
		# comment
		include    ns::*

		 	exclude ns::operator<	
		mark top,main,text with blanks # and more
		small 0
		exclude-file nothing
	END
	chooses compile "$o excluded|plain excluded|small_one(int) no|from_header() no|large_one(int) no|loop_one(char const*) no|tail_one(int (*)(int)) no" \
		exclude=plain filter=filter.txt || return 1
	grep "rule .exclude-file nothing. matches nothing" list.err || return 1
	chooses compile "$o no|$c no|$m(char const*) const no|$m(int) const no|$t no|from_header() no|main no|small_one(int) small|large_one(int) no|loop_one(char const*) no|tail_one(int (*)(int)) no" \
		include=plain include=small* || return 1
	$CC -O2 -Wno-error "$plugin_flag" $arg-filter=filter.txt "$here/actions.c" touch.o -o filter || return 1
	check_sleds --dump filter | grep "mark text with blanks # and more"
}

filter_wrong() # LINE TEXT
{
	printf '# first\n\n%s\n' "$1" >wrong.txt
	refused $arg-filter=wrong.txt "wrong.txt:3: $2"
}

# Of files that editors and accidents make: a mark of the byte order, and NULs.
filter_bytes()
{
	printf '\357\273\277exclude work\n' >bytes.txt
	$CC -O2 -Werror "$plugin_flag" $arg-list $arg-filter=bytes.txt -c "$here/actions.c" -o bytes.o 2>bytes.log || return 1
	cat bytes.log
	grep 'work(int): left out\|: work: left out: it is excluded (rule "exclude work")' bytes.log || return 1
	printf 'small 0\nexclude wo\0rk\n' >bytes.txt
	refused $arg-filter=bytes.txt "bytes.txt:2: a NUL in the line"
}

# Debugging information of a compilation that lists keeps the options of other plugins.
list_forgets_itself()
{
	cp cinstr.so cinstrument.so
	$CC -O2 -g "$plugin_flag" $arg-list -fplugin="$scratch/cinstrument.so" -fplugin-arg-cinstrument-calls=none \
		-S "$here/nothing.c" -o forgets.s 2>/dev/null || return 1
	grep "GNU C" forgets.s
	grep "GNU C.*fplugin-arg-cinstrument-calls=none" forgets.s
}

# Warnings of rules that have no effect: none of them ends a build.
warns() # TEXT OPTION...
{
	text=$1
	shift
	# shellcheck disable=SC2046
	$CC -O2 -Werror -Wall -Wextra "$plugin_flag" $(flags_of "$@") -c "$here/actions.c" -o warns.o 2>warns.log || return 1
	cat warns.log
	[ "$(grep -c "warning: cinstr: rule .$text" warns.log)" = 1 ] || return 1
	# shellcheck disable=SC2046
	$CC -O2 -Werror "$plugin_flag" $(flags_of "$@" quiet) -c "$here/actions.c" -o warns.o 2>&1 | grep . && return 1
	return 0
}

# With -flto nothing is known until the link, and each of several processes sees a part only.
warns_at_link()
{
	for unit in a b; do
		echo "int $unit(void); __attribute__((noinline)) int $unit(void) { return 1; }" >part_$unit.c
	done
	echo 'int a(void), b(void); int main(void) { return a() - b(); }' >part_main.c
	lto="-O2 -flto -flto-partition=1to1 $plugin_flag $arg-exclude=a $arg-exclude=nothing"
	# shellcheck disable=SC2086
	$CC $lto -c part_a.c part_b.c part_main.c 2>&1 | grep . && return 1
	# shellcheck disable=SC2086
	$CC $lto part_a.o part_b.o part_main.o -o parts 2>warns.log || return 1
	cat warns.log
	[ "$(grep -c "warning: cinstr" warns.log)" = 1 ] && grep "rule .exclude nothing. matches nothing" warns.log
}

# The rule leaves out so many functions, and nothing else does.
excludes() # N GLOB
{
	$CXX -O2 -fopenmp "$plugin_flag" $arg-list $arg-exclude-system-headers "$arg-exclude=$2" -c "$here/names.cc" -o names.o 2>names.log
	cat names.log
	[ "$(grep -c 'left out: it is excluded (rule "exclude' names.log)" = "$1" ]
}

each_name()
{
	while IFS=';' read -r count glob; do
		check "exclude $glob" excludes "$count" "$glob"
	done <<-'END'
		1;(anonymous namespace)::hidden
		1;S::operator<<
		1;S::operator<< <int>
		1;S::operator std*
		1;S::operator()
		1;S::operator[]
		1;S::operator[](int)
		1;operator<
		1;operator< <double>(S, double)
		1;tagged
		1;cloned
		1;main::{lambda*
		1;main
		2;parallel
	END
}

# Looking leaves no trace in the code.
list_changes_nothing() # SOURCE FLAG...
{
	file=$here/$1
	shift
	compiler=$CC
	case $file in *.cc) compiler=$CXX ;; esac
	$compiler "$@" -S "$file" -o plain.s && $compiler "$@" -c "$file" -o plain.o || return 1
	$compiler "$@" "$plugin_flag" $arg-list -S "$file" -o list.s && $compiler "$@" "$plugin_flag" $arg-list -c "$file" -o list.o ||
		return 1
	diff plain.s list.s | head && cmp plain.s list.s && cmp plain.o list.o
}

list_of_files()
{
	rm -f list.txt
	for unit in choosing.cc actions.c; do
		for option in calls=none exclude=wor*; do
			$CXX -O2 "$plugin_flag" $arg-list=list.txt "$arg-$option" -c "$here/$unit" -o list.o || return 1
		done
	done
	cat list.txt
	[ "$(wc -l <list.txt)" = 44 ] &&
		grep "/choosing.cc:[0-9]*: main: instrumented, 2 probe sites" list.txt &&
		grep "/choosing.cc:[0-9]*: ns::Class::method(int) const: instrumented, 4 probe sites" list.txt &&
		grep '/actions.c:[0-9]*: work(int): left out: it is excluded (rule "exclude wor\*")' list.txt &&
		grep "/actions.c: 6 functions with [0-9]* probe sites, 2 left out (1: it is small; 1: it is excluded)" list.txt
}

# No name of a temporary file.
total_at_link()
{
	$CC -O2 -flto "$plugin_flag" $arg-list "$here/actions.c" touch.o -o total 2>total.log
	cat total.log
	grep "^[0-9]* functions with [0-9]* probe sites, [0-9]* left out" total.log && ! grep "ltrans\|/tmp/cc.*functions with" total.log
}

verbose_tells_rule()
{
	$CC -O2 "$plugin_flag" $arg-verbose "$arg-exclude=w*" -c "$here/actions.c" -o tells.o 2>tells.log
	cat tells.log
	grep '.work.: not instrumented: it is excluded (rule "exclude w\*")' tells.log
}

# A unit whose functions are all left out says so, and needs no hook.
only_left_out()
{
	$CC -O2 "$plugin_flag" "$arg-exclude=*" "$here/actions.c" touch.o -o all_out || return 1
	check_sleds --dump all_out >all_out.dump
	cat all_out.dump
	[ "$(grep -c "left out .*: 7 flags" all_out.dump)" = 8 ] && grep "left out work: 7 flags 1" all_out.dump &&
		grep "left out outer: 7 flags 0" all_out.dump || return 1
	nm all_out | grep cinstr && return 1
	return 0
}

# The flags of small functions: 4 if another may take their place, 8 of another name.
small_flags() # FLAG EXPECTED
{
	cat >names_small.cc <<-END
		struct S { int v; S(int); ~S(); };
		S::S(int x) { v = x; }
		S::~S() { v = 0; }
		template <typename T> __attribute__((noinline)) T same(T x) { return x; }
		template short same<short>(short);
		extern "C" {
		__attribute__((weak)) int weak(int x) { return x + 1; }
		__attribute__((visibility("hidden"))) int hidden(int x) { return x + 2; }
		int open(int x) { return x + 3; }
		static __attribute__((noinline, used)) int local(int x) { return x + 4; }
		int second(int x) __attribute__((alias("local")));
		int third(int x) __attribute__((alias("local"), weak));
		}
		int main(int argc, char **) { for (int i = 0; i < argc; i++) S s(i); return same<long>(0); }
	END
	$CXX -O1 -fno-inline "$plugin_flag" "$1" names_small.cc -o names_small -rdynamic || return 1
	check_sleds --dump names_small >small.dump || return 1
	cat small.dump
	[ "$(sed -n 's/^  left out \([^:]*\): 6 flags \(.*\)/\1 \2/p' small.dump | LC_ALL=C sort | paste -sd,)" = "$2" ]
}

# At the link, functions have local aliases that no record names.
check_small_names()
{
	$CXX -O1 -fno-inline -fwhole-program "$plugin_flag" names_small.cc -o names_small && check_sleds names_small
}

# Few instructions are not small if one of them may take long; an empty asm statement is none.
not_small()
{
	cat >long.c <<-END
		void copy(char *to, const char *from, unsigned long n) { __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory"); }
		void pause_once(void) { __asm__("pause"); }
		int jumps(void) { __asm__ goto("jmp %l0" : : : : out); return 1; out: return 2; }
		struct big { long a[80]; };
		void assign(struct big *to, const struct big *from) { *to = *from; }
		unsigned long length(const char *s) { return __builtin_strlen(s); }
		int empty(int x) { __asm__("" : "+r"(x)); return x; }
		void barrier(void) { __asm__ volatile("" : : : "memory"); }
		int plain(int x) { return x + 1; }
	END
	$CC -O2 -minline-all-stringops -mstringop-strategy=rep_8byte "$plugin_flag" $arg-list -c long.c -o long.o 2>long.log || return 1
	cat long.log
	[ "$(sed -n 's/^long.c:[0-9]*: \(.*\): left out: it is small$/\1/p' long.log | sort | paste -sd' ')" = "barrier empty plain" ]
}

# The comma behind an operator's name begins the text of a mark.
marks_operator() # GLOB TEXT
{
	$CXX -O2 "$plugin_flag" "$arg-mark=top,$1,$2" -std=c++20 -fopenmp -c "$here/names.cc" -o operators.o 2>operators.log || return 1
	cat operators.log
	! grep "matches nothing" operators.log && strings -a operators.o | grep -xF "$2"
}

# A rule may use any name of a function that has several.
other_names() # RULE
{
	$CXX -O1 "$plugin_flag" "$arg-exclude=$1" -c names_small.cc -o other_names.o 2>other.log || return 1
	cat other.log
	! grep . other.log
}

# What a program does, with small functions left out.
same_with_defaults() # SOURCE FLAG...
{
	(
		# shellcheck disable=SC2034 # same() reads it
		with=$plugin_flag
		same "$@"
	)
}

# ld leaves __ehdr_start undefined where no segment holds the headers: then there is nothing to
# register.
no_headers()
{
	cat >free.c <<-END
		extern void (*__init_array_start[])(void), (*__init_array_end[])(void);
		static int registered;
		void cinstr_register_v1(const void *ehdr) { registered = ehdr ? 2 : 3; }
		void _start(void)
		{
			for (void (**f)(void) = __init_array_start; f < __init_array_end; f++)
				(*f)();
			__asm__ volatile("syscall" : : "a"(60), "D"(registered));
		}
	END
	$CC -O2 -nostdlib -static -Wl,-N "$plugin_flag" free.c -o free && ./free || return 1
	$CC -O2 -nostdlib -static "$plugin_flag" free.c -o free && ./free
	[ $? = 2 ]
}

options_and_rules()
{
	each_name
	for name in 'operator<' 'operator< <double>(S, double)' 'S::operator<<' 'S::operator->' 'S::operator<?>(S const&) const' 'S::operator()'; do
		check "mark $name" marks_operator "$name" "the text"
	done
	check "filter file" filter_file
	check "filter with odd bytes" filter_bytes
	check "filter with an unknown option" filter_wrong "includes x" "no option .includes.; there are: quiet, include"
	check "filter in a filter" filter_wrong "filter x" "no option .filter."
	check "filter with a wrong value" filter_wrong "calls some" "option .calls. does not take .some.: .calls=all|unknown|none."
	check "filter without a value" filter_wrong "include " "option .include. needs a value: .include=GLOB."
	check "filter that is not there" refused $arg-filter=no.txt "plugin .cinstr.: cannot read the filter .no.txt.: No such file"
	check "filter that is a folder" refused $arg-filter=. "cannot read the filter .\..: Is a directory"
	for option in small=x small= small=-1 small calls=some start=plain mark=top 'mark=top,' mark=up,plain region include=; do
		check "wrong $option" refused "$arg-$option" "plugin .cinstr.: option .${option%%=*}. \(needs a value\|does not take\)"
	done
	check "warns of include" warns "include nothing. matches nothing (inlined, or not called here)" include=nothing include=main
	check "warns of file" warns "exclude-file x/actions.c. matches nothing" exclude-file=x/actions.c
	check "warns of action" warns "mark before,main. matches nothing" mark=before,main
	check "warns of tail call" warns "start outside,work. does nothing at this tail call" start=outside,work
	check "warns of excluded region" warns "region work. does nothing in .work., which has no probes: it is excluded (rule .exclude wor..)" region=work exclude=wor?
	check "warns at link" warns_at_link
	for source in choosing.cc actions.c control.c; do
		check "list changes nothing $source -O0" list_changes_nothing $source -O0
		check "list changes nothing $source -O2 -g" list_changes_nothing $source -O2 -g
	done
	check "list of files" list_of_files
	check "list total at the link" total_at_link
	check "list and other plugins" list_forgets_itself
	check "verbose tells rule" verbose_tells_rule
	check "only left out" only_left_out
	for source in control.c values.c; do
		for level in -O0 -O2 "-O2 -flto"; do
			# shellcheck disable=SC2086
			check "small left out $source $level" same_with_defaults $source $level -w
		done
	done
	check "small left out exceptions.cc" same_with_defaults exceptions.cc -O2
	check "no headers" no_headers
	check "flags of small functions" small_flags -fPIE "_Z4sameIlET_S0_ 0,_Z4sameIsET_S0_ 0,_ZN1SC1Ei 8,_ZN1SC2Ei 0,_ZN1SD1Ev 8,_ZN1SD2Ev 0,hidden 0,local 1,open 0,second 8,weak 4"
	check "flags of small functions -fPIC" small_flags -fPIC "_Z4sameIlET_S0_ 0,_Z4sameIsET_S0_ 0,_ZN1SC2Ei 4,_ZN1SD2Ev 4,hidden 0,local 1,open 4,weak 4"
	check "not small" not_small
	check "small by another name" check_small_names
	for name in _ZN1SC1Ei _ZN1SC2Ei 'S::S' second local; do
		check "exclude $name" other_names "$name"
	done
}

choosing()
{
	$CC -O2 -c touch.c || return
	choices
	choices_at_link
	each_action
	options_and_rules
}
