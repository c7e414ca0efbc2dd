# SPDX-License-Identifier: GPL-3.0-or-later
# cinstr: plugin (cinstr.so), runtime (libcinstr.so, .a), command (cinstr). GNU make, no configure.
#
#   make | man | check | check-full | check-rest | check-changed | demo | bench | world | torture | distros | fuzz | fuzz-unwind | faults | points | mutants | findings | lint | install | install-plugin | uninstall | deb | packages | clean
#   CC=gcc-11   compiler that the plugin is for; CXX follows from it
#   O=FOLDER    build folder, default build: plugins for several compilers stand beside one another, as in
#               make CC=gcc-11 O=build/gcc-11
#   CFLAGS=     default -O2 -g               V=1  show the commands
#   DEVELOPER=1 warnings are errors (also with CI=true in the environment)
#   SAN=address,undefined | thread           command and unit tests with sanitizers, in $O/san-...
#   SUITES="unit e2e"                        all tests of these, by `make check`; JOBS=1: one test at a time; AGAIN=3: see .ci/run

VERSION := 0.1

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := $(subst gcc,g++,$(CC))
endif
CFLAGS ?= -O2 -g
CXXFLAGS ?= $(CFLAGS)
PYTHON ?= python3

PREFIX ?= /usr/local
bindir ?= $(PREFIX)/bin
libdir ?= $(PREFIX)/lib
includedir ?= $(PREFIX)/include
datadir ?= $(PREFIX)/share
docdir ?= $(PREFIX)/share/doc/cinstr
mandir ?= $(PREFIX)/share/man
completionsdir ?= $(PREFIX)/share/bash-completion/completions
zshdir ?= $(PREFIX)/share/zsh/site-functions

SUITES ?= unit compile cli manual fuzz format e2e html build sample faults hosts security points stress viewers lint compilers torture
SAN ?=
comma := ,
O ?= build
B := $O$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))

# Everything that asks the compiler is a recursive variable: it may get installed by contrib/install-deps.
GCC_MAJOR = $(firstword $(subst ., ,$(shell $(CC) -dumpversion)))
PLUGIN_HEADERS = $(shell $(CC) -print-file-name=plugin)/include
# Debian 13's libdwarf.pc names a folder that is not there.
DWARF_CFLAGS = $(shell pkg-config --cflags libdwarf 2>/dev/null) \
	$(addprefix -isystem ,$(wildcard /usr/include/libdwarf /usr/include/libdwarf-[0-9]))

# For `cinstr mcp`, which reads JSON.
JSON_CFLAGS = $(shell pkg-config --cflags json-c 2>/dev/null)
JSON_LIBS = $(shell pkg-config --libs json-c 2>/dev/null || echo -ljson-c)

# Curses of wide characters, for `cinstr ui` alone; without it the command has no ui, and says so. NCURSES_LIBS= builds without.
find_ncurses = pkg-config --libs ncursesw 2>/dev/null || for libs in '-lncursesw -ltinfo' '-lncursesw'; do \
	echo 'int main(void) { return 0; }' | $(CC) -x c - $$libs -o /dev/null 2>/dev/null && echo $$libs && break; done
has_ncurses = printf '\043include <ncurses.h>\n\043include <term.h>\n' | $(CC) $(NCURSES_CFLAGS) -E -x c - >/dev/null 2>&1
NCURSES_CFLAGS = $(shell pkg-config --cflags ncursesw 2>/dev/null)
NCURSES_LIBS = $(shell $(has_ncurses) && { $(find_ncurses); })

# For `cinstr serve` alone, which loads the library when it is used: only its header is needed here. MICROHTTPD= builds without.
MICROHTTPD = $(shell echo '\#include <microhttpd.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)

# For the program cinstr-mpi alone: the compiler of an MPI. MPICC=mpicc.mpich: another one than mpicc; MPICC= builds without.
MPICC = mpicc
has_mpi := $(shell echo '\#include <mpi.h>' | $(MPICC) -E -x c - >/dev/null 2>&1 && echo yes)

# ---- flags ---------------------------------------------------------------------------------------

ifneq ($(DEVELOPER)$(filter true 1,$(CI)),)
werror := -Werror
endif
warnings := -Wall -Wextra -Wshadow -Wvla $(werror)
c_warnings := $(warnings) -Wmissing-prototypes -Wstrict-prototypes
san_flags := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)

PLUGIN_CXXFLAGS = -std=gnu++17 -fPIC -fno-rtti -fno-exceptions -fvisibility=hidden \
	$(warnings) -Iinclude -I$O/obj/plugin -isystem $(PLUGIN_HEADERS)
# What is of the processor: arch/ in each part.
ARCH ?= $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null || uname -m)))
ifeq ($(wildcard runtime/arch/$(ARCH)/flags.mk),)
$(error cinstr is for $(patsubst runtime/arch/%/flags.mk,%,$(wildcard runtime/arch/*/flags.mk)) so far, not for $(ARCH))
endif
include runtime/arch/$(ARCH)/flags.mk
RUNTIME_INCLUDES := -Iruntime -Iruntime/arch/$(ARCH)
# No calls that the compiler makes up, no relocation that the loader resolves late.
RUNTIME_CFLAGS := -std=gnu11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -ftls-model=initial-exec \
	-fno-stack-protector -fno-plt -fno-tree-loop-distribute-patterns $(ARCH_CFLAGS) $(c_warnings) \
	-Iinclude $(RUNTIME_INCLUDES)
REPORT_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(c_warnings) $(san_flags) -I. -Iinclude -Ireport -Ireport/arch/$(ARCH) \
	$(DWARF_CFLAGS) $(JSON_CFLAGS) -DCINSTR_VERSION='"$(VERSION)"'
REPORT_LIBS = -ldwarf -liberty -ldw -lelf -lzstd -lz -lm -pthread $(JSON_LIBS) $(NCURSES_LIBS)

ifneq ($(wildcard $O/Makefile),)
$(error O=$O holds the source: choose another build folder)
endif

# ---- sources -------------------------------------------------------------------------------------

plugin_objects := $(patsubst %.cc,$O/obj/%.o,$(sort $(wildcard plugin/*.cc plugin/arch/$(ARCH)/*.cc)))
runtime_sources := $(sort $(wildcard runtime/*/*.c runtime/arch/$(ARCH)/*.c runtime/arch/$(ARCH)/*.S))
sampler_sources := $(filter runtime/sampler/% runtime/arch/$(ARCH)/sampler_%,$(runtime_sources))
runtime_objects := $(patsubst %,$O/obj/%.o,$(basename $(filter-out $(sampler_sources),$(runtime_sources))))
sampler_objects := $(patsubst %,$O/obj/%.o,$(basename $(sampler_sources)))
# The report holds the fold, the timeline's decoder and the session folder's rules by linking the runtime's sources.
runtime_shared := $(wildcard runtime/fold/*.c runtime/process/session*.c) runtime/process/folder.c \
	runtime/system/text.c runtime/system/plain_name.c runtime/timeline/timeline_codec.c runtime/arch/$(ARCH)/instructions.c
# Its rooms (doc/hacking.md). What the command does for builds it does with the same means as the wrapper of compilers.
report_sources := $(sort $(filter-out report/wrapper/main.c report/mpi/%,$(wildcard report/*.c report/*/*.c report/sampler/*/*.c report/arch/$(ARCH)/*.c))) $(runtime_shared)
wrapper_sources := $(sort $(wildcard report/wrapper/*.c)) $(addprefix report/lib/,util.c files.c text_width.c progress.c ink.c terminal.c pager.c) runtime/system/text.c
report_objects := $(patsubst %.c,$(B)/obj/command/%.o,$(report_sources))
# What of the runtime decides, and touches nothing else, is tested there too.
unit_sources := $(sort $(wildcard testsuite/unit/*.c testsuite/unit/*/*.c)) $(filter-out runtime/choice/budget.c,$(wildcard runtime/choice/*.c)) runtime/system/dynamic.c runtime/arch/$(ARCH)/calls.c
# cinstr-mpi: what knows of MPI is compiled for each MPI, the rest once.
mpi_objects := $(patsubst %.c,$(B)/obj/command/%.o,$(filter-out report/mpi/messages.c,$(sort $(wildcard report/mpi/*.c))))
unit_objects := $(patsubst %.c,$(B)/obj/command/%.o,$(unit_sources))

plugin := $O/cinstr.so
runtime := $O/libcinstr.so $O/libcinstr.a $O/libcinstr-sampler.so
command := $(B)/cinstr
wrapper := $(addprefix $(B)/,cinstr-gcc cinstr-g++ cinstr-gfortran)
mpi := $(if $(SAN),,$(has_mpi:yes=$O/cinstr-mpi))
# Of each MPI that Debian lets stand beside others, for tests.
mpi_flavours = $(foreach mpicc,mpicc.openmpi mpicc.mpich,$(if $(shell command -v $(mpicc)),$(if $(SAN),,$O/mpi/$(mpicc)/cinstr-mpi)))

# ---- rules ---------------------------------------------------------------------------------------

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-4s %s\n' '$(1)' '$(2)')
# Files that hold the flags: what was built with others is built anew.
compile_id = $(CC) $(CXX) $(NCURSES_LIBS) $(MICROHTTPD) $(CFLAGS) $(CXXFLAGS) $(RUNTIME_CFLAGS) $(san_flags) $(VERSION) $(werror)
keep_flags = @mkdir -p $(@D); echo '$(compile_id)' | cmp -s - $@ || echo '$(compile_id)' > $@

all: $(plugin) $(runtime) $(command) $(wrapper) $(mpi)

.PHONY: all check check-full check-rest check-changed demo bench world torture distros fuzz fuzz-unwind faults points mutants findings lint unit install install-plugin uninstall deb packages clean compile_commands.json FORCE
.DELETE_ON_ERROR:
.SECONDARY:

FORCE:
$O/.flags: FORCE
	$(keep_flags)
ifneq ($(SAN),)
$(B)/.flags: FORCE
	$(keep_flags)
endif

# Stamps: the packages of a group are there, for this compiler. Nothing is asked of the network when they are.
$O/.deps-%-$(notdir $(lastword $(CC))): contrib/install-deps
	$(Q)contrib/install-deps $* $(CC)
	@mkdir -p $O; touch $@
deps = $O/.deps-$(1)-$(notdir $(lastword $(CC)))

$O/obj/plugin/%.o: plugin/%.cc $O/.flags | $(call deps,build)
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(PLUGIN_CXXFLAGS) $(CXXFLAGS) -MMD -MP -c $< -o $@

# The code of each module's hook, as assembler in strings. Its labels get names that no unit has, its sections are the hook's group.
HOOK_CFLAGS := -std=gnu11 -D_GNU_SOURCE -Os -fPIC -fvisibility=hidden -fno-stack-protector -fno-builtin -fno-jump-tables \
	-fno-tree-loop-distribute-patterns -fno-merge-constants -fno-lto -g0 $(ARCH_CFLAGS) $(ARCH_HOOK_CFLAGS) $(c_warnings) -Iinclude -Iplugin/arch/$(ARCH)
$O/obj/plugin/hook_code.inc: $(wildcard plugin/hook/* plugin/arch/$(ARCH)/hook_arch.h) include/cinstr/abi.h $O/.flags | $(call deps,build)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(HOOK_CFLAGS) -S -o $(@:.inc=.s) plugin/hook/hook.c
	$(Q)sed -E -f plugin/hook/hook.sed $(@:.inc=.s) > $@
$O/obj/plugin/arch/$(ARCH)/machine.o: $O/obj/plugin/hook_code.inc

# References to GCC are made weak: another release of it, which lacks some of them, shall load the plugin all the same, to be
# told that it is the wrong one, rather than stop at an undefined symbol.
$O/obj/plugin.o: $(plugin_objects)
	$(call say,LD,$@)
	$(Q)$(CXX) -nostdlib -r -o $@ $^
	$(Q)nm -u $@ | sed -n '/_GLOBAL_OFFSET_TABLE_/d; s/.* U //p' > $(@:.o=.undefined)
	$(Q)objcopy --weaken-symbols=$(@:.o=.undefined) $@

$O/cinstr.so: $O/obj/plugin.o
	$(call say,LINK,$@)
	$(Q)$(CXX) -shared $(LDFLAGS) -o $@ $^

$O/obj/runtime/%.o: runtime/%.c $O/.flags | $(call deps,build)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(RUNTIME_CFLAGS) -MMD -MP -c $< -o $@

# Its task works further down on the thread's stack: unwinders find the way up by rbp alone.
$O/obj/runtime/system/apart.o: private RUNTIME_CFLAGS += -fno-omit-frame-pointer

# The labels of the thunks' template are told by name: of its other copies they have none.
strip_second = $(if $(filter %/thunk_sums.o %/thunk_counter.o,$@),$(Q)objcopy --discard-all $@)

$O/obj/runtime/%.o: runtime/%.S $O/.flags | $(call deps,build)
	$(call say,AS,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -g $(RUNTIME_CFLAGS) -MMD -MP -c $< -o $@
	$(strip_second)

# Without libc, start files, or a name that another library could take over.
$O/libcinstr.so: $(filter-out %/libc_static.o,$(runtime_objects))
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -nostdlib $(LDFLAGS) -Wl,-soname,libcinstr.so.0 -Wl,-Bsymbolic -Wl,-z,now -Wl,-z,nodelete -Wl,-z,defs -o $@ $^ -lgcc
	$(Q)ln -sf libcinstr.so $@.0

# The same for tests, in virtual time (testsuite/virtual/hooks.h): nothing of it is installed.
virtual_objects := $(patsubst $O/obj/runtime/%,$O/obj/virtual/%,$(filter-out %/libc_static.o,$(runtime_objects))) $O/obj/virtual/hooks.o
VIRTUAL_CFLAGS = $(CFLAGS) $(RUNTIME_CFLAGS) -DCINSTR_VIRTUAL -Itestsuite/virtual -MMD -MP -c $< -o $@
$O/obj/virtual/%.o: runtime/%.c $O/.flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(VIRTUAL_CFLAGS)

$O/obj/virtual/%.o: runtime/%.S $O/.flags
	$(call say,AS,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(VIRTUAL_CFLAGS)
	$(strip_second)

$O/obj/virtual/%.o: testsuite/virtual/%.c $O/.flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(VIRTUAL_CFLAGS)

$O/virtual/libcinstr.so: $(virtual_objects) $O/obj/virtual/threads.o
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -nostartfiles $(LDFLAGS) -Wl,-soname,libcinstr.so.0 -Wl,-Bsymbolic -Wl,-z,now -Wl,-z,nodelete -Wl,-z,defs -o $@ $^ -pthread
	$(Q)ln -sf libcinstr.so $@.0

# Preloaded into programs that are sampled by timers. Apart: it takes the place of functions of libc.
$O/libcinstr-sampler.so: $(sampler_objects)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared $(LDFLAGS) -Wl,-soname,libcinstr-sampler.so -Wl,-z,now -Wl,-z,nodelete -Wl,-z,defs -o $@ $^

# Programs refer to the runtime weakly, which pulls nothing out of an archive. So the static runtime is one
# object, with its hidden names made local, and libcinstr.a a linker script that always takes it in.
$O/libcinstr-runtime.o: $(runtime_objects)
	$(call say,LD,$@)
	$(Q)$(CC) -nostdlib -r -o $@ $^ && objcopy --localize-hidden $@

$O/libcinstr.a: $O/libcinstr-runtime.o
	$(Q)echo '/* GNU ld script */ INPUT(libcinstr-runtime.o)' > $@

$(B)/obj/command/%.o: %.c $(B)/.flags | $(call deps,build)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(REPORT_CFLAGS) -MMD -MP -c $< -o $@

# The runtime's sources find one another as they do there.
$(B)/obj/command/testsuite/unit/%.o $(B)/obj/command/runtime/%.o $O/fuzz/obj/runtime/%.o: REPORT_CFLAGS += $(RUNTIME_INCLUDES)
$(B)/obj/command/testsuite/unit/%.o: REPORT_CFLAGS += -Itestsuite/unit

# Only what draws knows of curses.
uses_ncurses = screen.o terminal.o
$(foreach folder,$(B)/obj/command $O/demo/obj $O/fuzz/obj,$(addprefix $(folder)/report/ui/,$(uses_ncurses))): \
	REPORT_CFLAGS += $(if $(NCURSES_LIBS),-DCINSTR_NCURSES $(NCURSES_CFLAGS))

$(foreach folder,$(B)/obj/command $O/demo/obj $O/fuzz/obj,$(folder)/report/serve/http.o): \
	REPORT_CFLAGS += $(if $(MICROHTTPD),-DCINSTR_MICROHTTPD)

# The page of `cinstr html`: its parts are put together, the first two scripts before the others.
html_page := report/html/page
html_scripts := $(addprefix $(html_page)/,model.js page.js) \
	$(filter-out $(addprefix $(html_page)/,model.js page.js main.js),$(sort $(wildcard $(html_page)/*.js))) $(html_page)/main.js
$(B)/gen/html_page.inc: report/html/make-page $(html_page)/page.html $(wildcard $(html_page)/*.css) $(html_scripts)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)report/html/make-page $(html_scripts) > $@

$(foreach folder,$(B)/obj/command $O/demo/obj $O/fuzz/obj,$(folder)/report/html/page.o): $(B)/gen/html_page.inc
$(foreach folder,$(B)/obj/command $O/demo/obj $O/fuzz/obj,$(folder)/report/html/page.o): REPORT_CFLAGS += -I$(B)/gen

$(B)/cinstr: $(report_objects)
	$(call say,LINK,$@)
	$(Q)$(CC) $(san_flags) $(LDFLAGS) -o $@ $^ $(REPORT_LIBS)

# Small, since it starts with each compilation: none of the command's libraries.
$(B)/cinstr-gcc: $(patsubst %.c,$(B)/obj/command/%.o,$(wrapper_sources))
	$(call say,LINK,$@)
	$(Q)$(CC) $(san_flags) $(LDFLAGS) -o $@ $^ -lm

$(B)/cinstr-g++ $(B)/cinstr-gfortran: $(B)/cinstr-gcc
	$(Q)ln -sf cinstr-gcc $@

# Of the command it takes what a merge needs, out of an archive.
$(B)/obj/command.a: $(filter-out %/report/main.o,$(report_objects))
	$(Q)rm -f $@ && ar rcT $@ $^

# The MPI's compiler calls the one that the rest is compiled by. Its own name, as a folder: mpicc, mpicc.mpich
$O/mpi/%/cinstr-mpi: report/mpi/messages.c report/mpi/messages.h $(mpi_objects) $(B)/obj/command.a
	$(call say,MPI,$@)
	@mkdir -p $(@D)
	$(Q)OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(mpi_compiler) $(CFLAGS) $(REPORT_CFLAGS) $(LDFLAGS) \
		$< $(mpi_objects) $(B)/obj/command.a -o $@ -Wl,--as-needed $(REPORT_LIBS)

mpi_compiler = $(if $(filter $*,$(notdir $(MPICC))),$(MPICC),$*)
$O/cinstr-mpi: $O/mpi/$(notdir $(firstword $(MPICC)))/cinstr-mpi FORCE
	$(Q)cmp -s $< $@ || cp $< $@

# ---- tests ---------------------------------------------------------------------------------------

$(unit_objects): | $(call deps,check)
$(B)/unit: $(unit_objects) $(filter-out %/report/main.o,$(report_objects))
	$(call say,LINK,$@)
	$(Q)$(CC) $(san_flags) $(LDFLAGS) -o $@ $^ $(REPORT_LIBS) -lcunit -lm

unit: $(B)/unit
	$(abspath $(B)/unit)

# The suites' tools see the same compiler and folders.
suite_environment = CC='$(CC)' CXX='$(CXX)' CFLAGS='$(CFLAGS)' PYTHON='$(PYTHON)' BUILD='$(abspath $O)' ROOT='$(CURDIR)'

# Quick, all suites; with SUITES="..." all tests of these.
check: check_how := $(if $(filter command environment,$(origin SUITES)),--full)
check-full: check_how := --full
check-rest: check_how := --rest
check-changed: check_how := --changed
check check-full check-rest check-changed: all $(if $(filter e2e,$(SUITES)),$O/virtual/libcinstr.so) $(if $(filter manual,$(SUITES)),man) \
		$(if $(filter fuzz,$(SUITES)),$(B)/unit $(B)/fuzz/replay) $(if $(filter unit e2e,$(SUITES)),$(B)/unit) \
		$(if $(filter e2e,$(SUITES)),$(mpi_flavours)) \
		| $(call deps,check) $(if $(filter torture,$(SUITES)),$(call deps,torture))
	@$(suite_environment) UNIT='$(abspath $(B)/unit)' $(PYTHON) testsuite/check.py $(check_how) $(if $(JOBS),--jobs $(JOBS)) $(if $(AGAIN),--again $(AGAIN)) $(SUITES)

# For clangd and the like: what is compiled how.
compile_commands.json: $(call deps,build)
	$(Q)$(MAKE) -Bn --no-print-directory all $(O)/unit | contrib/compile-commands > $@

lint: all
	@$(suite_environment) testsuite/lint/run.sh

bench: all | $(call deps,bench)
	@$(suite_environment) testsuite/bench/run.sh

world: all | $(call deps,world)
	@$(suite_environment) testsuite/world/run.sh

# Every fault many times; puts the list into doc/reliability.md. FAULTS="--seed 7 'kill*'": options, see testsuite/faults/run.sh --help
faults: all
	@$(suite_environment) testsuite/faults/run.sh --full --write doc/reliability.md $(FAULTS)

# TORTURE="--levels -O2 --match '*.C'": options, see testsuite/torture/run.sh --help
torture: all | $(call deps,torture)
	@$(suite_environment) testsuite/torture/run.sh --all $(TORTURE)

# Roots of other Debians, with other compilers: DISTRO=trixie CC=gcc-13 SUITES="demo compile", see testsuite/distros/run.sh
given = $(if $(filter command environment,$(firstword $(origin $(1)))),$($(1)))
distros: | $(call deps,distros)
	@BUILD='$(abspath $O)' DISTRO='$(DISTRO)' CC='$(call given,CC)' SUITES='$(call given,SUITES)' testsuite/distros/run.sh

# Every instruction, not a sample: hours. POINTS="'kill*' 'signal in thread_*'": some of them
points: all | $(call deps,check)
	@$(suite_environment) testsuite/points/run.sh --all $(POINTS)

# The source is changed in one place at a time, in a copy of it: who notices? N=300 SEED=1 JOBS=2;
# MUTANTS="--only 'report/rows/*'": options, see the head of testsuite/mutants/mutants.py
# What summary says first of slow programs (doc/testing.md): FINDINGS="--pairs=FOLDER --keep 'w*'"
findings: all | $(call deps,check)
	@$(suite_environment) testsuite/findings/run.sh $(FINDINGS)

mutants: all | $(call deps,check)
	@$(suite_environment) $(PYTHON) testsuite/mutants/mutants.py $(if $(N),--sample $(N)) $(if $(SEED),--seed $(SEED)) \
		$(if $(JOBS),--jobs $(JOBS)) $(MUTANTS)

# ---- fuzzing -------------------------------------------------------------------------------------

# libFuzzer comes with clang; the command's sources are compiled once more for it.
FUZZ_CC ?= clang
fuzz_flags := -g -O2 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
# Not fuzzer-no-link: tracing each comparison takes more than half of the time.
fuzz_coverage := -fsanitize-coverage=inline-8bit-counters,pc-table
fuzz_sources := $(addprefix testsuite/fuzz/,fuzz.c change.c count.c stored.c program.c mutate.c) \
	$(filter-out report/main.c,$(report_sources))
fuzz_objects := $(patsubst %.c,$O/fuzz/obj/%.o,$(fuzz_sources))

$O/fuzz/obj/%.o: %.c $O/.flags | $(call deps,fuzz)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(FUZZ_CC) $(fuzz_flags) $(fuzz_coverage) $(filter-out -Werror,$(REPORT_CFLAGS)) -MMD -MP -c $< -o $@

unwind_objects := $(patsubst %.c,$O/fuzz/obj/%.o,testsuite/fuzz/unwind.c $(filter-out report/main.c,$(report_sources)))

$O/fuzz/fuzz: $(fuzz_objects)
$O/fuzz/unwind: $(unwind_objects)
$O/fuzz/fuzz $O/fuzz/unwind:
	$(call say,LINK,$@)
	$(Q)$(FUZZ_CC) $(fuzz_flags) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(REPORT_LIBS)

# The corpus once, without sanitizers, for `make check`.
$(B)/fuzz/replay: $(patsubst %.c,$(B)/obj/command/%.o,$(addprefix testsuite/fuzz/,fuzz.c change.c count.c stored.c program.c replay.c)) \
		$(filter-out %/report/main.o,$(report_objects))
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(san_flags) $(LDFLAGS) -o $@ $^ $(REPORT_LIBS)

# FUZZ="--runs 100000 --jobs 1": options, see testsuite/fuzz/run.sh --help
fuzz: all $O/fuzz/fuzz $(B)/unit
	@$(suite_environment) UNIT='$(abspath $(B)/unit)' testsuite/fuzz/run.sh --runs 10000000 $(FUZZ)

fuzz-unwind: $O/fuzz/unwind
	@$(suite_environment) testsuite/fuzz/unwind.sh $(FUZZ)

# Without inlining, so that the report has a row for each function of this small program.
$O/demo/shop: testsuite/demo/shop.c $(plugin)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 -g -fno-inline -fplugin=$(abspath $(plugin)) -pthread $< -o $@

demo: all $O/demo/shop
	@$(suite_environment) testsuite/demo/run.sh

# ---- manual pages, completions ---------------------------------------------------------------------

# The verbs and the plugin tell of themselves; two documents are pages as well.
man: all | $(call deps,docs)
	$(call say,MAN,$O/man)
	$(Q)VERSION='$(VERSION)' contrib/make-manual $(abspath $(command)) $O/man

# ---- install -------------------------------------------------------------------------------------

plugin_dir = $(libdir)/cinstr/gcc-$(GCC_MAJOR)
# Where -fplugin=cinstr is looked for: it gets a link there. GCC_PLUGINS= for none.
GCC_PLUGINS = $(shell $(CC) -print-file-name=plugin)
# What was made besides files, for `make uninstall`: folders and that link. Packages do without: UNINSTALL=no.
made = contrib/install-made '$(DESTDIR)' '$(if $(filter no,$(UNINSTALL)),,$(libdir)/cinstr/made)'
doc_files = README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE LICENSE.MIT contrib/slurm/cinstr-job.sh $(wildcard doc/*.md)
# In /usr and /usr/local compilers look for headers on their own. Elsewhere the tree may be moved.
pc_prefix = $(if $(filter /usr /usr/local,$(PREFIX)),$(PREFIX),$${pcfiledir}/$(shell realpath -m --relative-to='$(libdir)/pkgconfig' '$(PREFIX)'))
pc_values = -e 's|@prefix@|$(pc_prefix)|' -e 's|@libdir@|$(subst $(PREFIX)/,$${prefix}/,$(libdir))|' \
	-e 's|@includedir@|$(subst $(PREFIX)/,$${prefix}/,$(includedir))|' -e 's|@version@|$(VERSION)|' -e 's|@gcc@|$(GCC_MAJOR)|'

# Another compiler's plugin for what is installed: make CC=gcc-11 O=build/gcc-11 install-plugin
install-plugin: $(plugin)
	$(made) folders $(plugin_dir)
	install -m 755 $(plugin) $(DESTDIR)$(plugin_dir)/cinstr.so
	$(made) link '$(plugin_dir)/cinstr.so' '$(GCC_PLUGINS)' '$(PREFIX)'

install: man install-plugin
	$(made) folders $(bindir) $(libdir)/pkgconfig $(includedir)/cinstr $(docdir) $(mandir)/man1 $(mandir)/man5 $(mandir)/man7 \
		$(completionsdir) $(zshdir) $(libdir)/cmake/cinstr $(datadir)/cinstr/meson
	install -m 755 $(command) $(DESTDIR)$(bindir)/cinstr
	$(if $(mpi),install -m 755 $(mpi) $(DESTDIR)$(bindir)/cinstr-mpi)
	install -m 755 $(firstword $(wrapper)) $(DESTDIR)$(bindir)/cinstr-gcc
	for name in g++ gfortran; do ln -sf cinstr-gcc $(DESTDIR)$(bindir)/cinstr-$$name; done
	install -m 755 $O/libcinstr.so $(DESTDIR)$(libdir)/libcinstr.so.0
	ln -sf libcinstr.so.0 $(DESTDIR)$(libdir)/libcinstr.so
	install -m 755 $O/libcinstr-sampler.so $(DESTDIR)$(libdir)/cinstr/libcinstr-sampler.so
	install -m 644 $O/libcinstr.a $O/libcinstr-runtime.o $(DESTDIR)$(libdir)
	sed $(pc_values) contrib/cinstr.pc.in > $O/cinstr.pc
	install -m 644 $O/cinstr.pc $(DESTDIR)$(libdir)/pkgconfig/cinstr.pc
	sed 's|@VERSION@|$(VERSION)|' contrib/cmake/cinstrConfigVersion.cmake.in > $O/cinstrConfigVersion.cmake
	install -m 644 contrib/cmake/cinstrConfig.cmake $O/cinstrConfigVersion.cmake $(DESTDIR)$(libdir)/cmake/cinstr
	install -m 644 contrib/meson/* $(DESTDIR)$(datadir)/cinstr/meson
	install -m 644 include/cinstr.h include/cinstr.hpp $(DESTDIR)$(includedir)
	install -m 644 $(filter-out %/atomics.h %/waits.h %/objects.h,$(wildcard include/cinstr/*.h)) $(DESTDIR)$(includedir)/cinstr
	install -m 644 $O/man/*.1 $(DESTDIR)$(mandir)/man1
	install -m 644 $O/man/*.5 $(DESTDIR)$(mandir)/man5
	install -m 644 $O/man/*.7 $(DESTDIR)$(mandir)/man7
	install -m 644 $O/man/cinstr.bash $(DESTDIR)$(completionsdir)/cinstr
	install -m 644 $O/man/_cinstr $(DESTDIR)$(zshdir)/_cinstr
	install -m 644 $(doc_files) $(DESTDIR)$(docdir)
	@$(made) settled '$(bindir)/cinstr' '$(plugin_dir)/cinstr.so' '$(GCC_PLUGINS)'

# Whatever compilers there are plugins for.
uninstall:
	rm -f $(addprefix $(DESTDIR)$(bindir)/,cinstr cinstr-mpi cinstr-gcc cinstr-g++ cinstr-gfortran)
	rm -f $(addprefix $(DESTDIR)$(libdir)/,libcinstr.so.0 libcinstr.so cinstr/libcinstr-sampler.so libcinstr.a libcinstr-runtime.o)
	rm -f $(DESTDIR)$(libdir)/pkgconfig/cinstr.pc $(addprefix $(DESTDIR)$(includedir)/,cinstr.h cinstr.hpp)
	rm -f $(DESTDIR)$(mandir)/man1/cinstr*.1 $(addprefix $(DESTDIR)$(mandir)/,man5/cinstr-data.5 man7/cinstr-semantics.7)
	rm -f $(DESTDIR)$(completionsdir)/cinstr $(DESTDIR)$(zshdir)/_cinstr
	rm -rf $(DESTDIR)$(datadir)/cinstr $(DESTDIR)$(libdir)/cinstr/gcc-* $(DESTDIR)$(libdir)/cmake/cinstr $(DESTDIR)$(includedir)/cinstr $(DESTDIR)$(docdir)
	$(made) remove '$(libdir)/cinstr'

# Debian packages in $O/deb. GCCS="13 14": plugins for these; GCCS=all: for each that the distribution has
deb:
	contrib/make-deb '$O/deb' '$(GCCS)'
	@echo "cinstr: apt install ./$O/deb/*.deb"

# Makes them in roots of Debian releases, and uses them in others: DISTRO=trixie GCCS="13 14", see testsuite/packages/run.sh
packages:
	@BUILD='$(abspath $O)' $(if $(DISTRO),DISTRO='$(DISTRO)') $(if $(GCCS),GCCS='$(GCCS)') testsuite/packages/run.sh

clean:
	rm -rf $O

-include $(patsubst %.o,%.d,$(plugin_objects) $(runtime_objects) $(virtual_objects) $O/obj/virtual/threads.o $(sampler_objects) $(report_objects) $(mpi_objects) $(B)/obj/command/report/wrapper/main.o $(unit_objects) $(fuzz_objects))
