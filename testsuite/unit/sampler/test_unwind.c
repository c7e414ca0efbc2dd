/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks of this process: a trap in a known place is a sample, taken by a signal handler, whose
 * callers are known. Libraries that are compiled here in several ways call it in between.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ucontext.h>
#include <time.h>
#include <unistd.h>

#include "lib/util.h"
#include "sampler/images/image.h"
#include "sampler/unwind/internal.h"
#include "sampler/unwind/unwind.h"
#include "tests.h"

#define CALLED __attribute__((noinline, noclone, noipa, used))
/* Keeps a call from becoming a jump. */
#define AFTER __asm__ volatile("")

static struct images *images;
static struct space *space;
static struct unwinder *unwinder;
static struct frame frames[UNWIND_FRAMES_MAX];
static size_t n_frames;
static int truncated;

/* ---- samples --------------------------------------------------------------------------------- */

#define COPY_MAX (256 << 10)
static uint8_t copy[COPY_MAX];
static struct raw_sample sample;
/* Of the thread that traps. Volatile: raise() is declared as one that calls nothing of this file,
 * so a store before it may be left out. */
static volatile uint64_t stack_end;
static volatile size_t copied_at_most;

static void set_registers(const greg_t *from)
{
	static const int order[MACHINE_REGISTERS] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
						      REG_RBP, REG_RSP, REG_R8,	 REG_R9,  REG_R10, REG_R11,
						      REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };

	for (int i = 0; i < MACHINE_REGISTERS; i++)
		sample.registers[i] = (uint64_t)from[order[i]];
}

/* All of it, which a sanitizer would not let memcpy() do. */
__attribute__((no_sanitize("address", "thread"))) static void copy_stack(uint64_t from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		copy[i] = ((const volatile uint8_t *)from)[i];
}

static void on_trap(int signal_number, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;
	uint64_t sp = (uint64_t)at->uc_mcontext.gregs[REG_RSP];

	(void)signal_number, (void)info;
	sample = (struct raw_sample){ .has_registers = 1, .stack = copy };
	set_registers(at->uc_mcontext.gregs);
	sample.stack_bytes =
		stack_end > sp && stack_end - sp < copied_at_most ? stack_end - sp : copied_at_most;
	copy_stack(sp, sample.stack_bytes);
}

static void find_stack_end(void)
{
	pthread_attr_t attributes;
	size_t bytes;
	void *start;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &start, &bytes);
	pthread_attr_destroy(&attributes);
	stack_end = (uint64_t)start + bytes;
}

CALLED static void take_sample(void)
{
	__asm__ volatile("int3");
}

static void unwind_it(size_t max)
{
	CU_ASSERT_FALSE_FATAL(space_read(space));
	n_frames = unwind(unwinder, space, &sample, frames, max, &truncated);
}

static int begin(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	images = images_new();
	space = space_new(images, (uint32_t)getpid());
	unwinder = unwinder_new();
	copied_at_most = COPY_MAX;
	sigaction(SIGTRAP, &action, NULL);
	find_stack_end();
	return 0;
}

static void end(void)
{
	unwinder_release(unwinder);
	space_release(space);
	images_release(images);
}

/* The functions of these tests are that long at most. */
static int is_in(size_t i, const void *function)
{
	return i < n_frames && frames[i].address - (uint64_t)function < 512;
}

#define IS_IN(i, function) CU_ASSERT(is_in(i, (const void *)(uintptr_t)(function)))

/* Number of the first frame from i on that is in the function; n_frames: none. */
static size_t next_in(size_t i, const void *function)
{
	while (i < n_frames && !is_in(i, function))
		i++;
	return i;
}

/* ---- plain stacks ---------------------------------------------------------------------------- */

CALLED static void third(void)
{
	take_sample();
	AFTER;
}

CALLED static void second(void)
{
	third();
	AFTER;
}

CALLED static void first(void)
{
	second();
	AFTER;
}

static void callers_up_to_the_start(void)
{
	begin();
	first();
	unwind_it(UNWIND_FRAMES_MAX);
	IS_IN(0, take_sample);
	IS_IN(1, third);
	IS_IN(2, second);
	IS_IN(3, first);
	IS_IN(4, callers_up_to_the_start);
	CU_ASSERT(n_frames > 8);
	CU_ASSERT_FALSE(truncated);
	end();
}

static void *thread(void *arg)
{
	find_stack_end();
	first();
	return arg;
}

#ifdef __SANITIZE_ADDRESS__
#define STARTED_BY_SANITIZER 1 /* since GCC 14 AddressSanitizer's function is between */
#else
#define STARTED_BY_SANITIZER 0
#endif

static void a_thread_has_an_outermost_frame(void)
{
	pthread_t id;

	begin();
	pthread_create(&id, NULL, thread, NULL);
	pthread_join(id, NULL);
	unwind_it(UNWIND_FRAMES_MAX);
	IS_IN(3, first);
	IS_IN(4, thread);
	/* start_thread, clone3 */
	CU_ASSERT_TRUE(n_frames == 7 || (STARTED_BY_SANITIZER && n_frames == 8));
	CU_ASSERT_FALSE(truncated);
	find_stack_end();
	end();
}

__attribute__((no_sanitize("address", "undefined"))) CALLED static int descend(int depth)
{
	volatile char room[200] = { 0 };

	if (!depth)
		take_sample();
	else
		room[depth % 200] = (char)descend(depth - 1);
	return room[0];
}

static void what_is_missing_is_said(void)
{
	begin();
	descend(300);
	unwind_it(UNWIND_FRAMES_MAX);
	CU_ASSERT_FALSE(truncated);
	IS_IN(301, descend);
	unwind_it(100);
	CU_ASSERT_EQUAL(n_frames, 100);
	CU_ASSERT(truncated);
	copied_at_most = 16384;
	descend(300);
	unwind_it(UNWIND_FRAMES_MAX);
	CU_ASSERT(n_frames > 40 && n_frames < 300);
	IS_IN(n_frames - 1, descend);
	CU_ASSERT(truncated);
	end();
}

static int compare(const void *a, const void *b)
{
	take_sample();
	return *(const int *)a - *(const int *)b;
}

static void through_the_library(void)
{
	int numbers[] = { 3, 1, 2 };
	size_t i;

	begin();
	qsort(numbers, 3, sizeof(int), compare);
	unwind_it(UNWIND_FRAMES_MAX);
	IS_IN(1, compare);
	i = next_in(2, (const void *)(uintptr_t)through_the_library);
	CU_ASSERT(i > 2 && i < 8);
	CU_ASSERT_FALSE(truncated);
	end();
}

/* ---- signals --------------------------------------------------------------------------------- */

static void on_signal(int signal_number)
{
	(void)signal_number;
	take_sample();
	AFTER;
}

static uint64_t raised_at;

CALLED static void raise_it(void)
{
	__asm__ volatile(
		"lea 1f(%%rip), %%rax\n\tmov %%rax, %0\n\txor %%eax, %%eax\n1:\tmovl %%eax, (%%rax)\n2:"
		: "=m"(raised_at)
		:
		: "rax", "memory");
}

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
	ucontext_t *at = context;

	(void)signal_number, (void)info;
	take_sample();
	at->uc_mcontext.gregs[REG_RIP] += 2; /* the length of the instruction */
}

static void a_handler_is_called_by_what_it_interrupts(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO }, before;
	size_t i;

	begin();
	sigaction(SIGSEGV, &action, &before);
	raise_it();
	sigaction(SIGSEGV, &before, NULL);
	unwind_it(UNWIND_FRAMES_MAX);
	IS_IN(0, take_sample);
	IS_IN(1, on_fault);
	i = next_in(2, (const void *)(uintptr_t)raise_it);
	CU_ASSERT_EQUAL(i, 3); /* the frame of the signal is between them */
	CU_ASSERT_EQUAL(frames[i].address, raised_at);
	IS_IN(i + 1, a_handler_is_called_by_what_it_interrupts);
	CU_ASSERT_FALSE(truncated);
	end();
}

/* The stack that was interrupted is not in the copy: its innermost frame is known, and that others
 * are missing. */
static void a_handler_with_its_own_stack(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK }, before;
	stack_t own = { .ss_sp = malloc(65536), .ss_size = 65536 }, old;
	uint64_t usual = stack_end;

	begin();
	sigaltstack(&own, &old);
	sigaction(SIGUSR1, &action, &before);
	stack_end = (uint64_t)own.ss_sp + own.ss_size;
	raise(SIGUSR1);
	stack_end = usual;
	sigaction(SIGUSR1, &before, NULL);
	old.ss_flags = SS_DISABLE;
	sigaltstack(&old, NULL);
	unwind_it(UNWIND_FRAMES_MAX);
	IS_IN(1, on_signal);
	CU_ASSERT_EQUAL(n_frames, 4); /* the frame of the signal, raise() */
	CU_ASSERT(truncated);
	free(own.ss_sp);
	end();
}

/* ---- code of all kinds ----------------------------------------------------------------------- */

static const char library_source[] =
	"__attribute__((noinline, noclone)) int inner(int (*call)(int *), int n)\n"
	"{ int room[8] __attribute__((aligned(ALIGNED))); for (int i = 0; i < 8; i++) room[i] = n + i; "
	"return call(room) + room[n & 7]; }\n"
	"__attribute__((noinline, noclone)) int middle(int (*call)(int *), int n) { return inner(call, n + "
	"1) + n; }\n"
	"__attribute__((noinline, noclone)) int outer(int (*call)(int *), int n) { volatile int room[n]; "
	"room[0] = 1; return middle(call, n) + room[0]; }\n";

static char folder[] = "/tmp/cinstr-unwind-XXXXXX";

/* Compiles `source` into a library, loads it. */
static void *load(const char *source, const char *suffix, const char *options)
{
	static unsigned int turn;
	struct strbuf path = { 0 }, command = { 0 };
	const char *cc = getenv("CC");
	FILE *file;
	void *library;

	strbuf_printf(&path, "%s/%u.%s", folder, turn, suffix);
	file = fopen(path.text, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs(source, file);
	fclose(file);
	strbuf_printf(&command, "%s -shared -fPIC %s -o %s/%u.so %s", cc && *cc ? cc : "gcc", options, folder,
		      turn, path.text);
	CU_ASSERT_EQUAL_FATAL(system(command.text), 0);
	strbuf_clear(&path);
	strbuf_printf(&path, "%s/%u.so", folder, turn++);
	library = dlopen(path.text, RTLD_NOW);
	CU_ASSERT_PTR_NOT_NULL_FATAL(library);
	strbuf_release(&path);
	strbuf_release(&command);
	return library;
}

static int called_back(int *room)
{
	take_sample();
	return room[0];
}

static void with_library(const char *options)
{
	void *library = load(library_source, "c", options);
	int (*outer)(int (*)(int *), int) = (int (*)(int (*)(int *), int))(uintptr_t)dlsym(library, "outer");

	outer(called_back, 3);
	unwind_it(UNWIND_FRAMES_MAX);
	IS_IN(1, called_back);
	CU_ASSERT_EQUAL(next_in(0, dlsym(library, "inner")), 2);
	CU_ASSERT_EQUAL(next_in(0, dlsym(library, "middle")), 3);
	CU_ASSERT_EQUAL(next_in(0, dlsym(library, "outer")), 4);
	CU_ASSERT_EQUAL(next_in(0, (const void *)(uintptr_t)with_library), 5);
	CU_ASSERT_FALSE(truncated);
	if (truncated || n_frames < 7)
		printf("    with %s: %zu frames\n", options, n_frames);
	dlclose(library);
}

static void code_as_compilers_make_it(void)
{
	static const char *const options[] = {
		"-O2 -DALIGNED=4",
		"-O2 -DALIGNED=4 -s",
		"-O0 -DALIGNED=4 -fno-omit-frame-pointer",
		"-O2 -DALIGNED=4 -fno-omit-frame-pointer",
		"-O2 -DALIGNED=64 -mavx2",
		"-O3 -DALIGNED=64 -fcf-protection=full -fstack-protector-all",
		"-O2 -DALIGNED=4 -Wl,--no-eh-frame-hdr",
		"-O2 -DALIGNED=4 -fno-asynchronous-unwind-tables -fno-unwind-tables -g",
		"-O2 -DALIGNED=4 -fno-asynchronous-unwind-tables -fno-unwind-tables -g "
		"-Wa,--gdwarf-cie-version=4",
		"-O2 -DALIGNED=4 -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer "
		"-s",
	};

	begin();
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		with_library(options[i]);
	end();
}

/* Hand-written code: the last instruction of a function calls; another one saves in registers and
 * says so. */
static const char assembly[] =
	"	.globl last\n	.type last, @function\n"
	"last:	.cfi_startproc\n	push %rbx\n	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset 3, -16\n	mov %rdi, %rbx\n	lea behind(%rip), %rax\n"
	"	call *%rbx\n"
	"	.cfi_endproc\n	.size last, .-last\n"
	"behind: .cfi_startproc\n	.cfi_def_cfa_offset 16\n	.cfi_offset 3, -16\n"
	"	pop %rbx\n	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n"
	"	.globl moved\n	.type moved, @function\n"
	"moved:	.cfi_startproc\n	mov %rsp, %r12\n	.cfi_def_cfa r12, 8\n"
	"	and $-64, %rsp\n	sub $64, %rsp\n	call *%rdi\n	mov %r12, %rsp\n"
	"	.cfi_def_cfa rsp, 8\n	ret\n	.cfi_endproc\n	.size moved, .-moved\n"
	"	.section .note.GNU-stack,\"\",@progbits\n";

CALLED static void hold_r12(void (*function)(void (*)(void)), void (*call)(void))
{
	__asm__ volatile("" ::: "r12", "rbx");
	function(call);
	__asm__ volatile("" ::: "r12", "rbx");
}

static void code_as_people_write_it(void)
{
	static const char *const names[] = { "last", "moved" };
	void *library;

	begin();
	library = load(assembly, "s", "");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		void *function = dlsym(library, names[i]);

		hold_r12((void (*)(void (*)(void)))(uintptr_t)function, third);
		unwind_it(UNWIND_FRAMES_MAX);
		IS_IN(1, third);
		IS_IN(2, function);
		IS_IN(3, hold_r12);
		IS_IN(4, code_as_people_write_it);
		CU_ASSERT_FALSE(truncated);
	}
	dlclose(library);
	end();
}

/* Code that a program makes: with a frame pointer it can be walked through, otherwise the stack
 * ends there. */
static void code_that_is_made_at_run_time(void)
{
	static const uint8_t with[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
	static const uint8_t without[] = { 0x48, 0x83, 0xec, 0x28, 0x31, 0xed, 0x48, 0xff,
					   0xc5, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x28, 0xc3 };
	uint8_t *code =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	begin();
	memcpy(code, with, sizeof(with));
	((void (*)(void (*)(void)))(uintptr_t)code)(third);
	unwind_it(UNWIND_FRAMES_MAX);
	IS_IN(1, third);
	IS_IN(2, code);
	IS_IN(3, code_that_is_made_at_run_time);
	CU_ASSERT_FALSE(truncated);
	memcpy(code, without, sizeof(without));
	__asm__ volatile(
		"mov %0, %%rdi\n\tpush %%rbp\n\tsub $8, %%rsp\n\tcall *%1\n\tadd $8, %%rsp\n\tpop %%rbp"
		:
		: "r"(third), "r"(code)
		: "rdi", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
	unwind_it(UNWIND_FRAMES_MAX);
	IS_IN(2, code);
	CU_ASSERT_EQUAL(n_frames, 3);
	CU_ASSERT(truncated);
	munmap(code, 4096);
	end();
}

/* ---- chains ---------------------------------------------------------------------------------- */

static void a_chain_is_taken_as_it_is(void)
{
	uint64_t chain[UNWIND_FRAMES_MAX];
	size_t n;

	begin();
	first();
	unwind_it(UNWIND_FRAMES_MAX);
	n = n_frames - 1;
	for (size_t i = 0; i < n; i++)
		chain[i] = frames[i + 1].address + 1;
	sample.stack = NULL;
	sample.chain = chain;
	sample.n_chain = n;
	unwind_it(UNWIND_FRAMES_MAX);
	CU_ASSERT_EQUAL(n_frames, n + 1);
	IS_IN(3, first);
	CU_ASSERT_FALSE(truncated);
	sample.n_chain = 3;
	unwind_it(UNWIND_FRAMES_MAX);
	CU_ASSERT_EQUAL(n_frames, 4);
	CU_ASSERT(truncated);
	sample.chain = NULL;
	sample.n_chain = 0;
	unwind_it(UNWIND_FRAMES_MAX);
	CU_ASSERT_EQUAL(n_frames, 1);
	CU_ASSERT_FALSE(truncated);
	end();
}

static int has_frame_pointers(const char *options)
{
	void *library = load(library_source, "c", options);
	void *function = dlsym(library, "inner");
	const struct mapped_image *mapped;

	CU_ASSERT_FALSE_FATAL(space_read(space));
	mapped = space_find(space, (uint64_t)function);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mapped);
	dlclose(library);
	return unwind_has_frame_pointers(mapped->image);
}

static void frame_pointers_are_noticed(void)
{
	begin();
	CU_ASSERT(has_frame_pointers("-O2 -DALIGNED=4 -fno-omit-frame-pointer"));
	CU_ASSERT_FALSE(has_frame_pointers("-O2 -DALIGNED=4 -fomit-frame-pointer"));
	end();
}

/* ---- damage ---------------------------------------------------------------------------------- */

static char *read_library(const char *options, size_t *n)
{
	Dl_info info;
	void *library = load(library_source, "c", options);
	FILE *file;
	char *bytes;

	CU_ASSERT_FATAL(dladdr(dlsym(library, "inner"), &info) != 0);
	file = fopen(info.dli_fname, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	bytes = xcalloc(1, 1 << 16);
	*n = fread(bytes, 1, 1 << 16, file);
	fclose(file);
	dlclose(library);
	return bytes;
}

/* The rules of all its code, from tables that say anything. */
static void learn_all(const char *bytes, size_t n)
{
	struct image image = { .fd = memfd_create("damaged", MFD_CLOEXEC), .number = 1 };
	struct rules *rules = rules_new();

	CU_ASSERT_EQUAL(write(image.fd, bytes, n), n);
	image_read_headers(&image);
	for (uint64_t pc = 0x1000; pc < 0x1200; pc += 16)
		rules_find(rules, &image, pc, 1);
	unwind_has_frame_pointers(&image);
	rules_release(rules);
	unwind_image_release(&image);
	free(image.segments);
	close(image.fd);
}

/* DAMAGES=1000000 in the environment does it more often. */
static void damaged_information_does_no_harm(void)
{
	static const char *const options[] = {
		"-O2 -DALIGNED=64 -mavx2",
		"-O2 -DALIGNED=4 -Wl,--no-eh-frame-hdr",
		"-O2 -DALIGNED=4 -fno-asynchronous-unwind-tables -fno-unwind-tables -g -Wl,--no-eh-frame-hdr",
	};
	const char *wanted = getenv("DAMAGES");
	long times = wanted ? atol(wanted) : 150;
	uint32_t random = 1;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		size_t n;
		char *bytes = read_library(options[i], &n), *damaged = xcalloc(n, 1);

		for (long round = 0; round < times; round++) {
			memcpy(damaged, bytes, n);
			for (int k = 0; k < 40; k++) {
				random = random * 1664525 + 1013904223;
				damaged[0x1000 + (random >> 8) % (n - 0x1000)] = (char)(random >> 4);
			}
			learn_all(damaged, n);
		}
		free(bytes);
		free(damaged);
	}
}

/* A function `f` with this unwind information besides what is usual. */
#define WITH_CFI(cfi) \
	".text\n.globl f\n.type f, @function\nf:\n.cfi_startproc\n" cfi \
	"nop\nret\n.cfi_endproc\n.size f, . - f\n"

/* What is learned of f's second byte; what a step from there comes to, and its stack pointer. */
static int learn_one(const char *source, const char *options, struct rule *rule, uint64_t *sp)
{
	static const uint64_t words[4] = { 0x1234, 0x1234 };
	const struct stack stack = { (const uint8_t *)words, 1 << 20, sizeof(words) };
	struct registers registers = { .known = (1u << MACHINE_REGISTERS) - 1 };
	void *library = load(source, "s", options), *f = dlsym(library, "f");
	struct image image = { .number = 1 };
	uint64_t pc;
	Dl_info info;
	int outcome;

	CU_ASSERT_FATAL(dladdr(f, &info) != 0);
	image.fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
	image_read_headers(&image);
	pc = (uint64_t)((char *)f - (char *)info.dli_fbase) + 1;
	cfi_learn(&image, pc, rule);
	registers.value[MACHINE_SP] = stack.start;
	outcome = cfi_step(&image, pc, &registers, &stack);
	*sp = registers.value[MACHINE_SP] - stack.start;
	if (outcome == 1)
		CU_ASSERT_EQUAL(registers.value[MACHINE_IP], 0x1234);
	unwind_image_release(&image);
	free(image.segments);
	close(image.fd);
	dlclose(library);
	return outcome;
}

/* Numbers of registers that nobody has, unwind programs that take time and memory, expressions that
 * are long or go in circles. */
static void absurd_information_does_no_harm(void)
{
	struct rule rule;
	uint64_t sp;

	CU_ASSERT_EQUAL(learn_one(WITH_CFI(""), "", &rule, &sp), 1);
	CU_ASSERT_EQUAL(rule.kind, RULE_STEP);
	CU_ASSERT_EQUAL(sp, 8);
	/* the return address is in column 400,000,000 */
	CU_ASSERT_EQUAL(learn_one(WITH_CFI(".cfi_return_column 400000000\n"), "-Wa,--gdwarf-cie-version=3",
				  &rule, &sp),
			1);
	CU_ASSERT_EQUAL(rule.kind, RULE_STEP);
	/* rbx is in register 268,435,455 */
	CU_ASSERT_EQUAL(learn_one(WITH_CFI(".cfi_escape 9, 3, 255, 255, 255, 127\n"), "", &rule, &sp), 1);
	CU_ASSERT_EQUAL(rule.kind, RULE_ASK);
	/* register 134,000,000, for which libdw would take 2 GB, is at the CFA */
	CU_ASSERT_EQUAL(learn_one(WITH_CFI(".cfi_escape 5, 128, 219, 242, 63, 0\n"), "", &rule, &sp), -1);
	CU_ASSERT_EQUAL(rule.kind, RULE_NONE);
	/* all rules are remembered 600,000 times, and 1,000 times */
	CU_ASSERT_EQUAL(learn_one(WITH_CFI(".rept 600000\n.cfi_remember_state\n.endr\n"), "", &rule, &sp),
			-1);
	CU_ASSERT_EQUAL(rule.kind, RULE_NONE);
	CU_ASSERT_EQUAL(learn_one(WITH_CFI(".rept 1000\n.cfi_remember_state\n.endr\n"), "", &rule, &sp), 1);
	CU_ASSERT_EQUAL(rule.kind, RULE_STEP);
	/* CFA = rsp + 16 behind 100 operations that do nothing, 1,500, and a jump back */
	CU_ASSERT_EQUAL(learn_one(WITH_CFI(".cfi_escape 15, 102\n.rept 100\n.cfi_escape 150\n.endr\n"
					   ".cfi_escape 119, 16\n"),
				  "", &rule, &sp),
			1);
	CU_ASSERT_EQUAL(sp, 16);
	CU_ASSERT_EQUAL(learn_one(WITH_CFI(".cfi_escape 15, 222, 11\n.rept 1500\n.cfi_escape 150\n.endr\n"
					   ".cfi_escape 119, 16\n"),
				  "", &rule, &sp),
			-1);
	CU_ASSERT_EQUAL(rule.kind, RULE_ASK);
	CU_ASSERT_EQUAL(learn_one(WITH_CFI(".cfi_escape 15, 5, 47, 253, 255, 119, 16\n"), "", &rule, &sp),
			-1);
}

/* ---- the price ------------------------------------------------------------------------------- */

/* Prints it for the README: a stack of 20 frames and the start's. It must not take longer than 50
 * us, even on a busy machine. */
static void a_sample_costs_microseconds(void)
{
	enum { TIMES = 20000 };
	struct timespec from, to;
	double ns;

	begin();
	descend(12);
	unwind_it(UNWIND_FRAMES_MAX);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	for (int i = 0; i < TIMES; i++)
		n_frames = unwind(unwinder, space, &sample, frames, UNWIND_FRAMES_MAX, &truncated);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	ns = ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / TIMES;
	printf("    %zu frames: %.0f ns, %.1f ns per frame\n", n_frames, ns, ns / (double)n_frames);
	CU_ASSERT(ns < 50000);
	end();
}

CU_TestInfo unwind_tests[] = {
	{ "callers up to the start", callers_up_to_the_start },
	{ "a thread has an outermost frame", a_thread_has_an_outermost_frame },
	{ "what is missing is said", what_is_missing_is_said },
	{ "through the library", through_the_library },
	{ "a handler is called by what it interrupts", a_handler_is_called_by_what_it_interrupts },
	{ "a handler with its own stack", a_handler_with_its_own_stack },
	{ "code as compilers make it", code_as_compilers_make_it },
	{ "code as people write it", code_as_people_write_it },
	{ "code that is made at run time", code_that_is_made_at_run_time },
	{ "a chain is taken as it is", a_chain_is_taken_as_it_is },
	{ "frame pointers are noticed", frame_pointers_are_noticed },
	{ "damaged information does no harm", damaged_information_does_no_harm },
	{ "absurd information does no harm", absurd_information_does_no_harm },
	{ "a sample costs microseconds", a_sample_costs_microseconds },
	CU_TEST_INFO_NULL,
};

int unwind_begin(void)
{
	return mkdtemp(folder) ? 0 : -1;
}

int unwind_end(void)
{
	struct strbuf command = { 0 };
	int status;

	strbuf_printf(&command, "rm -rf %s", folder);
	status = system(command.text);
	strbuf_release(&command);
	return status;
}
