/* SPDX-License-Identifier: MIT */
/*
 * seccomp.c - handles programs that restrict their own system calls. A call of the runtime's that a
 * filter answers with a signal would kill the program, so recording ends before such a filter comes
 * into force.
 *
 * Calls that can install one (by the callee's name) have an action of their own, so their sleds are
 * always on. There, in the slow path, signals blocked, the filter is interpreted for each system
 * call that the runtime makes. A filter that was in force when the program started is tried out by
 * a child process.
 *
 * The same calls can forbid the time-stamp counter, or redirect system calls to a handler of the
 * program.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "tables.h"

#define PROGRAM_MAX 4096
#define STEPS_MAX 20000
#define BRANCHES_MAX 24
#define WAIT_STEPS 1000
#define WAIT_NAP_NS 1000000
#define USER_DISPATCH 59 /* PR_SET_SYSCALL_USER_DISPATCH */

#define FD (-1)		   /* no descriptor: a trial must not do anything */
#define ANY(i) (1u << (i)) /* argument i differs from call to call */
#define AT ((uint64_t)AT_FDCWD)
#define OPENED (O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) /* as folder.c opens everything */

enum tolerance {
	MUST = 1,  /* recording makes no sense, or does harm, when this one fails */
	CLOCK = 2, /* the same where stamps come from it */
	COUNTERS = 4,
	SPEAK = 8,    /* for a line on stderr */
	SAMPLES = 32, /* for a thread to sample itself: it does not, then */
	THREADS = 64, /* for what other threads do at the end: that is not known, then */
	MEMORY = 256, /* to compare the memory of tasks: their numbers tell, then */
	PEERS = 512,  /* to know the peers of sockets: they have no names, then */
	TASKS = 128,  /* for descriptors that are not in the program's table: they are, then */
	OTHERS = 16,  /* for what the program asks of other processes only: it is not done then */
};

/* Every system call in runtime/, with the arguments that a filter may look at (lint compares). */
static const struct need {
	uint16_t number;
	uint16_t tolerance;
	uint8_t any; /* arguments whose value is not known here; for a trial they are as below */
	uint64_t arguments[6];
} needs[] = {
	{ SYS_rt_sigprocmask, MUST | SPEAK, ANY(1) | ANY(2), { SIG_BLOCK, 0, 0, 8 } },
	{ SYS_rt_sigprocmask, MUST | SPEAK, ANY(1) | ANY(2), { SIG_SETMASK, 0, 0, 8 } },
	{ SYS_fstat, SPEAK, ANY(0) | ANY(1), { FD } },
	{ SYS_write, SPEAK, ANY(1) | ANY(2), { 2, 0, 0 } },
	{ SYS_rt_sigpending, SPEAK, ANY(0), { 0, 8 } },
	{ SYS_rt_sigtimedwait, SPEAK, ANY(0) | ANY(2), { 0, 0, 0, 8 } },
	{ SYS_getpid, MUST, 0, { 0 } },
	{ SYS_gettid, MUST, 0, { 0 } },
	{ SYS_close, MUST, ANY(0), { FD } },
	{ SYS_clock_gettime, CLOCK, ANY(1), { CLOCK_MONOTONIC_RAW } },
	{ SYS_clock_gettime, 0, ANY(1), { CLOCK_THREAD_CPUTIME_ID } },
	{ SYS_clock_gettime, 0, ANY(1), { CLOCK_PROCESS_CPUTIME_ID } },
	{ SYS_clock_gettime, 0, ANY(1), { CLOCK_REALTIME } },
	{ SYS_clock_gettime, THREADS, ANY(0) | ANY(1), { 0 } }, /* of another thread */
	{ SYS_getrusage, COUNTERS, ANY(1), { RUSAGE_THREAD } },
	{ SYS_getppid, 0, 0, { 0 } },
	{ SYS_sched_yield, 0, 0, { 0 } },
	{ SYS_nanosleep, 0, ANY(0), { 0 } },
	{ SYS_openat, 0, ANY(0) | ANY(1), { FD, 0, O_RDWR | OPENED } },
	{ SYS_openat, 0, ANY(0) | ANY(1), { FD, 0, O_RDONLY | OPENED } },
	{ SYS_openat, 0, ANY(1), { AT, 0, O_RDONLY | O_CLOEXEC } },
	{ SYS_openat, 0, ANY(1), { AT, 0, O_RDONLY | O_DIRECTORY | OPENED } },
	{ SYS_openat, 0, ANY(0) | ANY(1) | ANY(3), { FD, 0, O_RDWR | O_CREAT | O_EXCL | OPENED, 0600 } },
	{ SYS_openat, 0, ANY(1), { AT, 0, O_PATH | O_CLOEXEC } },
	{ SYS_fchmod, 0, ANY(0) | ANY(1), { FD } },
	{ SYS_read, 0, ANY(0) | ANY(1) | ANY(2), { FD } },
	{ SYS_prlimit64, 0, ANY(1) | ANY(3), { 0, RLIMIT_FSIZE } },
	{ SYS_fallocate, 0, ANY(0) | ANY(2) | ANY(3), { FD } },
	{ SYS_pwrite64, 0, ANY(0) | ANY(1) | ANY(3), { FD, 0, 4096 } },
	{ SYS_ftruncate, 0, ANY(0) | ANY(1), { FD } },
	{ SYS_mmap, 0, ANY(1), { 0, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, FD } },
	{ SYS_mmap, 0, ANY(0) | ANY(1) | ANY(3) | ANY(4), { 0, 0, PROT_NONE, MAP_SHARED, FD } },
	{ SYS_mmap,
	  0,
	  ANY(0) | ANY(1) | ANY(3),
	  { 0, 0, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, FD } },
	{ SYS_mmap,
	  0,
	  ANY(0) | ANY(1) | ANY(4) | ANY(5),
	  { 0, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, FD } },
	{ SYS_mmap,
	  0,
	  ANY(0) | ANY(1),
	  { 0, 0, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, FD } },
	{ SYS_mremap, 0, ANY(0) | ANY(1) | ANY(2) | ANY(3) | ANY(4), { 0 } },
	{ SYS_futex, 0, ANY(0) | ANY(1) | ANY(2) | ANY(3), { 0 } },
	{ SYS_tgkill, 0, ANY(0) | ANY(1), { 0, 0, 0 } },
	{ SYS_kcmp, MEMORY, ANY(0) | ANY(1), { 0, 0, 1 /* KCMP_VM */ } },
	{ SYS_munmap, 0, ANY(0) | ANY(1), { 0 } },
	{ SYS_mprotect, 0, ANY(0) | ANY(1), { 0, 0, PROT_READ | PROT_WRITE } },
	{ SYS_mprotect, 0, ANY(0) | ANY(1), { 0, 0, PROT_READ | PROT_WRITE | PROT_EXEC } },
	{ SYS_mprotect, 0, ANY(0) | ANY(1), { 0, 0, PROT_READ | PROT_EXEC } },
	{ SYS_mprotect, 0, ANY(0) | ANY(1), { 0, 0, PROT_NONE } },
	{ SYS_membarrier, 0, ANY(0), { 0 } },
	{ SYS_prctl, 0, ANY(1), { PR_GET_NAME } },
	{ SYS_sigaltstack, 0, ANY(1), { 0 } },
	{ SYS_getcwd, 0, ANY(0) | ANY(1), { 0 } },
	{ SYS_readlinkat, 0, ANY(1) | ANY(2) | ANY(3), { AT } },
	{ SYS_unlinkat, 0, ANY(0) | ANY(1) | ANY(2), { FD } },
	{ SYS_madvise, 0, ANY(0) | ANY(1), { 0, 0, 23 } },
	{ SYS_perf_event_open,
	  SAMPLES,
	  ANY(0) | ANY(1),
	  { 0, 0, (uint64_t)-1, (uint64_t)-1, 8 /* CLOEXEC */ } },
	{ SYS_mmap, SAMPLES, ANY(1) | ANY(4), { 0, 0, PROT_READ | PROT_WRITE, MAP_SHARED, FD } },
	{ SYS_clone, TASKS, ANY(5), { APART_CLONE_FLAGS } },
	{ SYS_close_range, TASKS, 0, { APART_FIRST, UINT32_MAX, 2 /* CLOSE_RANGE_UNSHARE */ } },
	{ SYS_exit, TASKS, 0, { 0 } },
	{ SYS_getdents64, OTHERS, ANY(0) | ANY(1) | ANY(2), { FD } },
	{ SYS_geteuid, OTHERS, 0, { 0 } },
	{ SYS_getpeername, PEERS, ANY(0) | ANY(1) | ANY(2), { FD } },
	{ SYS_getsockname, PEERS, ANY(0) | ANY(1) | ANY(2), { FD } },
};

/* SYS_clone3 and SYS_vfork are not made: tasks.c finds out whether the program makes them. */

/* Those made at the start only. */
static const struct need needs_at_start[] = {
	{ SYS_flock, 0, 0, { FD, 4 } },		{ SYS_madvise, 0, 0, { 0 } },
	{ SYS_mkdirat, 0, 0, { FD } },		{ SYS_renameat, 0, 0, { FD, 0, FD } },
	{ SYS_sched_getaffinity, 0, 0, { 0 } }, { SYS_uname, 0, 0, { 0 } },
	{ SYS_fchmodat, 0, 0, { FD } },		{ SYS_prctl, 0, 0, { PR_GET_TSC } },
	{ SYS_ioctl, TASKS, 0, { FD } },
};

#define N_NEEDS (sizeof(needs) / sizeof(needs[0]))
#define N_NEEDS_AT_START (sizeof(needs_at_start) / sizeof(needs_at_start[0]))

/* ---- classic BPF, with words that may be anything -------------------------------------------- */

struct word {
	uint32_t value;
	uint32_t known;
};

struct machine {
	uint32_t at;
	struct word a, x, memory[BPF_MEMWORDS];
};

struct evaluation {
	const struct sock_filter *program;
	uint32_t length;
	const struct need *need;
	struct machine pending[BRANCHES_MAX]; /* branches not looked at yet */
	uint32_t n_pending;
	uint32_t steps;
};

enum verdict { ALLOWED, FAILS, DEADLY };

static enum verdict verdict_of(struct word action)
{
	if (!action.known)
		return DEADLY;
	switch (action.value & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
	case SECCOMP_RET_LOG:
		return ALLOWED;
	case SECCOMP_RET_ERRNO:
		return FAILS;
	default: /* kills, traps, or asks somebody else */
		return DEADLY;
	}
}

/* A word of struct seccomp_data. */
static struct word data_word(const struct need *need, uint32_t offset)
{
	uint32_t argument = (offset - (uint32_t)offsetof(struct seccomp_data, args)) / 8;

	if (offset == offsetof(struct seccomp_data, nr))
		return (struct word){ need->number, 1 };
	if (offset == offsetof(struct seccomp_data, arch))
		return (struct word){ ARCH_AUDIT, 1 };
	if (offset < offsetof(struct seccomp_data, args) || argument > 5 || need->any & ANY(argument))
		return (struct word){ 0, 0 };
	return (struct word){ (uint32_t)(need->arguments[argument] >> (offset & 4 ? 32 : 0)), 1 };
}

static struct word compute(uint32_t operation, struct word a, struct word b)
{
	struct word result = { 0, a.known && b.known };

	switch (operation) {
	case BPF_ADD:
		result.value = a.value + b.value;
		break;
	case BPF_SUB:
		result.value = a.value - b.value;
		break;
	case BPF_MUL:
		result.value = a.value * b.value;
		break;
	case BPF_DIV:
		result.value = b.value ? a.value / b.value : 0;
		break;
	case BPF_AND:
		result.value = a.value & b.value;
		break;
	case BPF_OR:
		result.value = a.value | b.value;
		break;
	case BPF_XOR:
		result.value = a.value ^ b.value;
		break;
	case BPF_LSH:
		result.value = b.value < 32 ? a.value << b.value : 0;
		break;
	case BPF_RSH:
		result.value = b.value < 32 ? a.value >> b.value : 0;
		break;
	case BPF_NEG:
		result = (struct word){ -a.value, a.known };
		break;
	default:
		result.known = 0;
	}
	return result;
}

static int jumps(uint32_t operation, uint32_t a, uint32_t b)
{
	switch (operation) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	default:
		return (a & b) != 0; /* BPF_JSET */
	}
}

/* Both ways where the condition is not known. 0, or -1: too many branches. */
static int jump(struct evaluation *run, struct machine *m, const struct sock_filter *in)
{
	struct word b = BPF_SRC(in->code) == BPF_X ? m->x : (struct word){ in->k, 1 };

	if (BPF_OP(in->code) == BPF_JA) {
		m->at += in->k;
	} else if (m->a.known && b.known) {
		m->at += jumps(BPF_OP(in->code), m->a.value, b.value) ? in->jt : in->jf;
	} else {
		if (run->n_pending == BRANCHES_MAX)
			return -1;
		run->pending[run->n_pending] = *m;
		run->pending[run->n_pending++].at += in->jt;
		m->at += in->jf;
	}
	return 0;
}

static struct word load(const struct evaluation *run, const struct machine *m, const struct sock_filter *in)
{
	switch (BPF_MODE(in->code)) {
	case BPF_IMM:
		return (struct word){ in->k, 1 };
	case BPF_ABS:
		return data_word(run->need, in->k);
	case BPF_LEN:
		return (struct word){ sizeof(struct seccomp_data), 1 };
	case BPF_MEM:
		return m->memory[in->k % BPF_MEMWORDS];
	default:
		return (struct word){ 0, 0 };
	}
}

/* One way through the program. What the kernel would not take counts as deadly. */
static enum verdict run_branch(struct evaluation *run, struct machine *m)
{
	while (m->at < run->length && run->steps++ < STEPS_MAX) {
		const struct sock_filter *in = &run->program[m->at++];
		struct word operand = BPF_SRC(in->code) == BPF_X ? m->x : (struct word){ in->k, 1 };

		switch (BPF_CLASS(in->code)) {
		case BPF_LD:
			m->a = load(run, m, in);
			break;
		case BPF_LDX:
			m->x = load(run, m, in);
			break;
		case BPF_ST:
			m->memory[in->k % BPF_MEMWORDS] = m->a;
			break;
		case BPF_STX:
			m->memory[in->k % BPF_MEMWORDS] = m->x;
			break;
		case BPF_ALU:
			m->a = compute(BPF_OP(in->code), m->a, operand);
			break;
		case BPF_JMP:
			if (jump(run, m, in))
				return DEADLY;
			break;
		case BPF_RET:
			return verdict_of(BPF_RVAL(in->code) == BPF_A ? m->a : (struct word){ in->k, 1 });
		default: /* BPF_MISC */
			if (BPF_MISCOP(in->code) == BPF_TAX)
				m->x = m->a;
			else
				m->a = m->x;
		}
	}
	return DEADLY;
}

/* The worst that the filter may answer to a call. */
static enum verdict evaluate(const struct sock_filter *program, uint32_t length, const struct need *need)
{
	struct evaluation run = { .program = program, .length = length, .need = need, .n_pending = 1 };
	enum verdict worst = ALLOWED;

	run.pending[0] = (struct machine){ .at = 0 };
	while (run.n_pending && worst != DEADLY) {
		struct machine m = run.pending[--run.n_pending];
		enum verdict verdict = run_branch(&run, &m);

		if (verdict > worst)
			worst = verdict;
	}
	return worst;
}

/* 0: one the runtime can live with. *lost: what it takes away of COUNTERS, OTHERS, THREADS, TASKS,
 * PEERS and SAMPLES. */
static int is_too_strict(const struct sock_filter *program, uint32_t length, uint32_t *lost)
{
	for (unsigned i = 0; i < N_NEEDS; i++) {
		uint32_t must = MUST | (cinstr.clock == CINSTR_CLOCK_TSC ? 0 : CLOCK);
		enum verdict verdict = evaluate(program, length, &needs[i]);

		if (verdict != ALLOWED && needs[i].tolerance & (SAMPLES | THREADS | TASKS | MEMORY | PEERS))
			*lost |= needs[i].tolerance;
		else if (verdict == DEADLY && needs[i].tolerance & OTHERS)
			*lost |= OTHERS;
		else if (verdict == DEADLY || (verdict == FAILS && needs[i].tolerance & must))
			return 1;
		if (verdict == FAILS && needs[i].tolerance & COUNTERS)
			*lost |= COUNTERS;
	}
	return 0;
}

/* ---- before a call that may install a filter ------------------------------------------------- */

uint32_t seccomp_concern(const struct module *module, const struct cinstr_abi_table *table,
			 const struct cinstr_abi_record *record)
{
	/* Those behind seccomp_load may leave another task in the memory of this one: slow.c looks
	 * closely at what follows. */
	static const struct {
		const char *name;
		enum watched_action action;
	} calls[] = {
		{ "prctl", ACTION_PRCTL },     { "seccomp", ACTION_SECCOMP_CALL },
		{ "syscall", ACTION_SYSCALL }, { "seccomp_load", ACTION_SECCOMP_LOAD },
		{ "clone", ACTION_CLONE },     { "__clone", ACTION_CLONE },
		{ "clone3", ACTION_CLONE3 },   { "__clone3", ACTION_CLONE3 },
		{ "vfork", ACTION_VFORK },     { "_Fork", ACTION_FORK },
	};
	uint32_t kind = CINSTR_REC_KIND(record->info);
	const char *callee;

	if (kind != CINSTR_REC_BEFORE && kind != CINSTR_REC_TAIL)
		return 0;
	if (CINSTR_REC_PAYLOAD(record->info) == CINSTR_REC_NO_REF)
		return 0;
	callee = table_string(module, table, CINSTR_REC_PAYLOAD(record->info));
	for (uint32_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (string_equal(callee, calls[i].name))
			return calls[i].action;
	return 0;
}

/* Whether threads other than the caller's may make a system call for the runtime. */
static int others_are_inside(void)
{
	return atomic_load_ordered(&cinstr.n_inside) > 1 || atomic_load_ordered(&cinstr.n_gates) > 1;
}

/*
 * Recording ends. Where the filter may be for other threads as well, every thread is out of the
 * runtime, or, if one is held up in it by a debugger, had a second's time.
 */
static void end_recording(enum cinstr_stop why, int is_for_all)
{
	struct timespec nap = { 0, WAIT_NAP_NS };

	clock_mark(2);
	if (why == CINSTR_STOP_CLOCK)
		atomic_swap(&cinstr.has_ticks, 0); /* the gate (thunk_template.S) */
	store_stop(why, 0);
	/* Without the counter system calls are permitted, and other threads may read it. */
	if (why == CINSTR_STOP_CLOCK)
		return;
	atomic_swap(&cinstr.is_mute, 1); /* pairs with runtime_enter */
	for (int i = 0; is_for_all && i < WAIT_STEPS && others_are_inside(); i++)
		SYS2(SYS_nanosleep, &nap, NULL);
}

static int is_readable(uint64_t from, uint64_t bytes)
{
	for (uint64_t at = from & ~7ull; at < from + bytes; at += CINSTR_PAGE)
		if (!sys_is_readable(at))
			return 0;
	return sys_is_readable(from + bytes - 8);
}

static void before_filter(uint64_t address, int is_for_all)
{
	const struct sock_fprog *filter = (const void *)address;
	uint32_t lost = 0;

	/* What the kernel cannot read, or is too long for it, does not come into force. */
	if (!is_readable(address, sizeof(*filter)) || !filter->len || filter->len > PROGRAM_MAX ||
	    !is_readable((uint64_t)filter->filter, filter->len * sizeof(*filter->filter)))
		return;
	if (is_too_strict(filter->filter, filter->len, &lost)) {
		end_recording(CINSTR_STOP_SECCOMP, is_for_all);
		return;
	}
	if (lost & PEERS)
		atomic_store_relaxed(&cinstr.no_peers, 1);
	if (lost & SAMPLES)
		atomic_store_relaxed(&cinstr.no_self_samples, 1);
	if (lost & THREADS)
		atomic_store_relaxed(&cinstr.no_thread_clocks, 1);
	if (lost & MEMORY)
		atomic_store_relaxed(&cinstr.no_kcmp, 1);
	if (lost & TASKS)
		apart_not();
	if (lost & COUNTERS)
		os_no_counters();
	if (lost & OTHERS)
		atomic_store_relaxed(&cinstr.is_alone, 1);
}

static void before_seccomp(uint64_t operation, uint64_t flags, uint64_t filter)
{
	if ((uint32_t)operation == SECCOMP_SET_MODE_STRICT)
		end_recording(CINSTR_STOP_SECCOMP, 0);
	else if ((uint32_t)operation == SECCOMP_SET_MODE_FILTER)
		before_filter(filter, (flags & SECCOMP_FILTER_FLAG_TSYNC) != 0);
}

static void before_prctl(uint64_t option, uint64_t mode, uint64_t filter)
{
	if ((uint32_t)option == PR_SET_TSC && mode == PR_TSC_SIGSEGV && cinstr.clock == CINSTR_CLOCK_TSC)
		end_recording(CINSTR_STOP_CLOCK, 0);
	if ((uint32_t)option == USER_DISPATCH && mode)
		end_recording(CINSTR_STOP_DISPATCH, 0);
	if ((uint32_t)option != PR_SET_SECCOMP)
		return;
	if (mode == SECCOMP_MODE_STRICT)
		end_recording(CINSTR_STOP_SECCOMP, 0);
	else if (mode == SECCOMP_MODE_FILTER)
		before_filter(filter, 0);
}

void seccomp_before(uint32_t action, const struct probe_frame *frame)
{
	uint64_t arg[4];

	for (int i = 0; i < 4; i++)
		arg[i] = arch_argument(&frame->registers, i);
	if (action == ACTION_PRCTL) {
		before_prctl(arg[0], arg[1], arg[2]);
	} else if (action == ACTION_SECCOMP_CALL) {
		before_seccomp(arg[0], arg[1], arg[2]);
	} else if (action == ACTION_SYSCALL) {
		if (arg[0] == SYS_prctl)
			before_prctl(arg[1], arg[2], arg[3]);
		else if (arg[0] == SYS_seccomp)
			before_seccomp(arg[1], arg[2], arg[3]);
	} else if (action == ACTION_SECCOMP_LOAD) { /* libseccomp makes its filter inside */
		end_recording(CINSTR_STOP_SECCOMP, 1);
	}
}

/* ---- a filter from before the program's start ------------------------------------------------ */

/* The number behind a name at the start of a line; -1: none. */
static long field(const char *text, const char *name)
{
	size_t length = string_length(name);
	const char *line = text;

	while (*line) {
		size_t n = 0;
		long value = 0;

		while (n < length && line[n] == name[n])
			n++;
		if (n == length) {
			for (line += n; *line == '\t' || *line == ' '; line++)
				;
			for (; *line >= '0' && *line <= '9'; line++)
				value = value * 10 + (*line - '0');
			return value;
		}
		while (*line && *line++ != '\n')
			;
	}
	return -1;
}

struct status {
	long parent, tracer, mode, filters;
};

/* By calls that the dynamic loader has made as well. */
static int read_status(const char *path, struct status *status)
{
	char text[4096];
	int fd = sys_open(path, O_RDONLY, 0);
	long n;

	if (fd < 0)
		return fd;
	n = sys_read(fd, text, sizeof(text) - 1);
	sys_close(fd);
	text[n > 0 ? n : 0] = '\0';
	*status = (struct status){ .parent = field(text, "PPid:"),
				   .tracer = field(text, "TracerPid:"),
				   .mode = field(text, "Seccomp:"),
				   .filters = field(text, "Seccomp_filters:") };
	return 0;
}

static int parent_has_as_many(const struct status *own)
{
	struct text path = { .used = 0 };
	struct status parent;

	text_add(&path, "/proc/");
	text_add_number(&path, own->parent);
	text_add(&path, "/status");
	return !read_status(path.data, &parent) && parent.mode == own->mode && parent.filters == own->filters;
}

struct trial {
	uint32_t n_done;
	uint32_t fails; /* of what must not */
};

static void try_all(const struct need *list, unsigned n, struct trial *trial)
{
	for (unsigned i = 0; i < n; i++) {
		const uint64_t *a = list[i].arguments;
		long result = 0;

		/* there are none of these under such a filter */
		if (!(list[i].tolerance & (SAMPLES | TASKS | MEMORY | PEERS)))
			result = arch_syscall(list[i].number, (long)a[0], (long)a[1], (long)a[2], (long)a[3],
					      (long)a[4], (long)a[5]);

		if (list[i].tolerance & MUST && result < 0 && result != -EBADF)
			trial->fails = 1;
		trial->n_done++;
	}
}

/* In the child, a copy. No core file, whatever the pattern of its name is; nobody else's process is
 * touched. */
static void try_in_child(struct trial *trial)
{
	struct rlimit one = { 1, 1 };

	SYS4(SYS_prlimit64, 0, RLIMIT_CORE, &one, NULL);
	SYS4(SYS_wait4, FD, NULL, 0, NULL); /* for the parent */
	trial->n_done = 1;
	try_all(needs, N_NEEDS, trial);
	try_all(needs_at_start, N_NEEDS_AT_START, trial);
	SYS1(SYS_exit_group, 0);
}

static void say_restricted(const struct trial *trial)
{
	unsigned speak = 1;

	while (needs[speak - 1].tolerance & SPEAK)
		speak++;
	if (trial->n_done < speak)
		return;
	messages_begin();
	messages_go(1);
	cinstr_say("not recorded: a seccomp filter forbids what recording needs", NULL, 0);
}

/* A child that sends no signal when it ends, and that wait() does not see, makes every call
 * once. */
static int trial_succeeds(void)
{
	struct trial *trial =
		sys_mmap(NULL, CINSTR_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, FD, 0);
	int good;
	long child;

	if (sys_failed(trial))
		return 0;
	child = SYS6(SYS_clone, 0x4000 /* CLONE_VFORK: until it has ended */, 0, 0, 0, 0, 0);
	if (!child)
		try_in_child(trial);
	if (child > 0 && trial->n_done)
		SYS4(SYS_wait4, child, NULL, 0x40000000 /* __WALL */, NULL);
	good = trial->n_done == 1 + N_NEEDS + N_NEEDS_AT_START && !trial->fails;
	if (!good && child > 0)
		say_restricted(trial);
	sys_munmap(trial, CINSTR_PAGE);
	return good;
}

/*
 * A filter that came with the program's start cannot be read. Under one that the parent has as
 * well, and under one of a container's first process, making a child is no risk (the parent has
 * just made this one); under any other one nothing is tried, and the process is not recorded.
 */
int seccomp_permits_start(void)
{
	struct status own = { .mode = -1 };

	if (read_status("/proc/self/status", &own))
		own.mode = SYS1(SYS_prctl, PR_GET_SECCOMP);
	/* A tracer may change what paths mean, for the tasks that it knows of. */
	if (own.mode > 0 || own.tracer > 0)
		apart_not();
	if (own.mode <= 0) /* none; or a kernel without */
		return 1;
	cinstr.no_self_samples = cinstr.no_thread_clocks = cinstr.no_kcmp = cinstr.no_peers = 1;
	return own.filters > 0 && (!own.parent || parent_has_as_many(&own)) && trial_succeeds();
}
