/* SPDX-License-Identifier: MIT */
/*
 * segments.c - counters of executed segments of code (struct cinstr_abi_segments): numbered,
 * switched on when their module comes, and each thread's memory for them.
 *
 * A counter's NOPs become `movq %fs:SEGMENTS, %reg; incq NOWHERE + 8 * number(%reg)`, or, where the
 * segment is a loop, `addq %rax` of all its iterations. SEGMENTS is a word of the thread's
 * probe_state. It is 0 in a thread that does not record: that counts in `nowhere`, memory in the
 * lowest 2 GiB that all such threads share. In a recording thread it is the distance from there to
 * an area of the thread's own in the data file. So no test is needed, and the counts survive
 * however the process ends.
 *
 * Counters are switched on when the loader has the module's first constructor run. Threads may be
 * in the module's code already: those that constructors of other libraries have begun, and that
 * call functions which several libraries define (templates). So first a jump over the rest is
 * stored, then the rest, then the begin, and all processors take notice in between. A thread's
 * instruction pointer can only be before the NOPs or at the last one, which becomes a harmless
 * prefix (arch_counter_prefixes): the highest byte of an address in `nowhere`. Counters are
 * switched off by the jump alone.
 *
 * A vfork's child, and a fork's until it has a file of its own, count nowhere (counting_close());
 * between the two instructions a handler may fork: segments_hide().
 *
 * Under the lock of patch.c, but for a thread's area, which is its own, signals blocked.
 */
#include "runtime.h"
#include "tables.h"

/* So many in all modules together. */
#define COUNTERS_MAX (1u << 20)
/* In each area, for modules that come while threads run. */
#define COUNTERS_MORE (16u << 10)
#define ENTRIES_BYTES (CINSTR_PAGE - sizeof(struct cinstr_segment))
#define ENTRIES ((uint32_t)(ENTRIES_BYTES / sizeof(struct cinstr_segment_module)))
#define HIDDEN_MAX 64u /* as in counting.c */
#define NOWHERE_BYTES (COUNTERS_MAX * sizeof(uint64_t))

static struct {
	uint64_t *nowhere;
	uint32_t n;    /* counters that have a number */
	uint32_t room; /* numbers that an area has room for; 0: none is needed */
	/* number of the first of SUMS parts of what a thread has executed (cinstr.sums) */
	uint32_t sums;
	char *entries; /* the segment of the file that is being filled */
	uint32_t n_entries;
	int is_begun; /* a thread has had an area */
	int was_off;  /* recording was, when a module came */
	/* by their place in cinstr.modules, which they keep when they are loaded again; n 0: it has
	 * none, or none that is counted */
	struct cinstr_segment_module modules[MODULES_MAX];
	/* of those that are coming: what their counters add; NULL: nothing */
	struct {
		int32_t *list;
		uint32_t n;
	} adds[MODULES_MAX];
} segments;

/* ---- a module's counters --------------------------------------------------------------------- */

struct visit {
	void (*counter)(struct visit *, char *at, const struct cinstr_abi_segment *);
	uint32_t n;	       /* counters so far */
	char *lowest, *behind; /* their bytes */
	int is_changed;	       /* what is there are not the NOPs */
	uint32_t number;       /* of the next one */
	int sums;	       /* it adds up instructions, too */
	const int32_t *adds;   /* what the next one adds; NULL: nothing is added up */
};

static uint32_t bytes_of(const struct visit *visit)
{
	return visit->sums ? CINSTR_COUNT_SUM_BYTES : CINSTR_COUNT_BYTES;
}

static void each_counter(const struct module *module, struct visit *visit)
{
	const char *at = module->notes, *end = at + module->notes_bytes;
	struct note note;

	while (at < end) {
		const struct cinstr_abi_segments *function;
		const struct cinstr_abi_segment *list;

		if (!note_read(at, end, 4, &note)) {
			at += 4;
			continue;
		}
		at = note.end;
		if (note.type != CINSTR_NOTE_SEGMENTS && note.type != CINSTR_NOTE_SEGMENTS_SUM)
			continue;
		visit->sums = note.type == CINSTR_NOTE_SEGMENTS_SUM;
		function = (const void *)note.descriptor;
		list = (const void *)(function + 1);
		for (uint32_t i = 0; i < function->n_segments; i++)
			if (list[i].counter)
				visit->counter(visit, table_target(module, &list[i].counter), &list[i]);
	}
}

static void look(struct visit *visit, char *at, const struct cinstr_abi_segment *segment)
{
	static const uint8_t nops[CINSTR_COUNT_BYTES] = CINSTR_COUNT_NOP;
	static const uint8_t more[CINSTR_COUNT_SUM_BYTES - CINSTR_COUNT_BYTES] = CINSTR_COUNT_SUM_NOP;

	(void)segment;
	visit->n++;
	for (unsigned i = 0; i < bytes_of(visit); i++)
		visit->is_changed |= (uint8_t)at[i] != (i < sizeof(nops) ? nops[i] : more[i - sizeof(nops)]);
	if (!visit->lowest || at < visit->lowest)
		visit->lowest = at;
	if (at + bytes_of(visit) > visit->behind)
		visit->behind = at + bytes_of(visit);
}

static void put_rest(struct visit *visit, char *at, const struct cinstr_abi_segment *segment)
{
	ptrdiff_t word = probe_offset + (ptrdiff_t)offsetof(struct probe_state, segments);
	uint32_t reg = CINSTR_SEGMENT_REGISTER(segment->from);

	arch_write_counter(at, reg, CINSTR_SEGMENT_IS_LOOP(segment->to) != 0, (int32_t)word,
			   (int32_t)(uint64_t)&segments.nowhere[visit->number]);
	if (visit->sums && visit->adds) {
		arch_write_sum(at + CINSTR_COUNT_BYTES, reg,
			       (int32_t)(cinstr.sums + visit->number % SUMS * sizeof(uint64_t)),
			       *visit->adds);
		visit->adds++;
	}
	visit->number++;
}

static void put_begin(struct visit *visit, char *at, const struct cinstr_abi_segment *segment)
{
	(void)visit;
	arch_enter_counter(at, CINSTR_SEGMENT_REGISTER(segment->from));
}

static void switch_off(struct visit *visit, char *at, const struct cinstr_abi_segment *segment)
{
	(void)segment;
	arch_skip_counter(at, bytes_of(visit));
}

static uint32_t index_of(const struct module *module)
{
	return (uint32_t)(module - cinstr.modules);
}

int segments_are_counted(const struct module *module)
{
	return segments.modules[index_of(module)].n != 0;
}

void segments_off(const struct module *module)
{
	struct visit visit = { .counter = switch_off };

	if (segments_are_counted(module))
		each_counter(module, &visit);
}

static void look_for_threads(void *is_alone)
{
	static const char alone[] = "*\nThreads:\t1\n*";
	char text[4096];
	int fd = sys_open("/proc/self/status", O_RDONLY, 0);
	long n = 0;

	if (fd < 0)
		return;
	n = sys_read(fd, text, sizeof(text) - 1);
	sys_close(fd);
	text[n > 0 ? n : 0] = '\0';
	*(int *)is_alone = glob_match(alone, sizeof(alone) - 1, text);
}

/* Not where this is not known: musl does not tell. */
static int is_only_thread(void)
{
	int is_alone = libc_is_single_threaded();

	if (!is_alone)
		call_apart(look_for_threads, &is_alone);
	return is_alone;
}

/* Says whether the process has never had another thread. Where the C library does not tell, as
 * musl, the processor time of threads that have ended is in the process's, and not in this
 * thread's. */
static int was_only_thread(void)
{
	uint64_t process;

	if (libc_is_single_threaded())
		return 1;
	process = sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	return process && process <= sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) && is_only_thread();
}

static void switch_on(const struct module *module)
{
	struct visit skip = { .counter = switch_off }, rest = { .counter = put_rest };
	struct visit begin = { .counter = put_begin };

	rest.number = segments.modules[index_of(module)].first;
	/* another thread might stand between the counter's load and what adds up */
	if (cinstr.sums && is_only_thread())
		rest.adds = segments.adds[index_of(module)].list;
	if (segments.adds[index_of(module)].n && !rest.adds)
		cinstr.sums_flags |= CINSTR_CALL_SUMS_UNKNOWN;
	each_counter(module, &skip);
	patch_sync();
	each_counter(module, &rest);
	patch_sync();
	each_counter(module, &begin);
}

/* ---- what there may be ----------------------------------------------------------------------- */

/* Addresses for all counters that there may be, whose highest byte is the prefix. NULL: others use
 * them. */
static uint64_t *find_nowhere(uint64_t prefix)
{
	uint64_t *at = (uint64_t *)(prefix << 24);
	uint64_t *memory = sys_mmap(at, NOWHERE_BYTES, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (memory == at)
		return memory;
	if (!sys_failed(memory)) /* Linux before 4.17 */
		sys_munmap(memory, NOWHERE_BYTES);
	return NULL;
}

/* Makes the memory there for the first n. 0, or -1. */
static int make_nowhere(uint32_t n)
{
	for (unsigned i = 0; !segments.nowhere && i < sizeof(arch_counter_prefixes); i++)
		segments.nowhere = find_nowhere(arch_counter_prefixes[i]);
	if (!segments.nowhere || sys_mprotect(segments.nowhere, n * sizeof(uint64_t), PROT_READ | PROT_WRITE))
		return -1;
	race_tools_ignore(segments.nowhere, n * sizeof(uint64_t));
	return 0;
}

/* Makes room for n more counters in each thread's area. Others than its own a thread cannot change;
 * if threads run, some may be making theirs. Returns why not, or NULL. */
static const char *make_room(uint32_t n)
{
	int is_alone;

	if (n > COUNTERS_MAX - segments.n)
		return "there are too many in all modules together";
	if (make_nowhere(segments.n + n))
		return "there is no memory for them in the lowest GiB";
	is_alone = is_only_thread();
	if (!is_alone && patch_sync())
		return "threads run, and the system has no membarrier";
	if (segments.n + n <= segments.room)
		return NULL;
	if (!is_alone && segments.room)
		return "it was loaded while threads run, and their memory for counts is too small";
	atomic_store_relaxed(&segments.room, min_of(segments.n + n + COUNTERS_MORE, COUNTERS_MAX));
	return NULL;
}

/* ---- the data file --------------------------------------------------------------------------- */

/* 0, or -1: no room in the file. */
static int tell(const struct cinstr_segment_module *entry)
{
	uint32_t at = segments.n_entries % ENTRIES;

	if (!at)
		segments.entries = store_segment(CINSTR_SEG_SEGMENT_MODULES, ENTRIES_BYTES, 0);
	if (!segments.entries)
		return -1;
	((struct cinstr_segment_module *)(void *)segments.entries)[at] = *entry;
	atomic_store_release(&store_segment_of(segments.entries)->used,
			     (at + 1) * sizeof(*entry)); /* reader */
	segments.n_entries++;
	return 0;
}

/* Numbers for the module's counters. 0, or -1: they are not counted. */
static int number(const struct module *module, uint32_t n)
{
	struct cinstr_segment_module *entry = &segments.modules[index_of(module)];
	struct cinstr_segment_module fresh = {
		.base = module->base, .text_start = module->text_start, .first = segments.n, .n = n
	};
	const char *why;

	if (entry->n)
		return entry->n == n ? 0 : -1;
	why = make_room(n);
	if (why) {
		struct text text = text_of("instructions are not counted: ", why, "");

		cinstr_say(text.data, module_path(module), 0);
		return -1;
	}
	if (tell(&fresh))
		return -1;
	*entry = fresh;
	segments.n += n;
	return 0;
}

/* Has each thread add up what it executes. It is too late when threads have buffers without room
 * for that, and without memory it is not done. */
static void begin_sums(void)
{
	if (cinstr.sums || atomic_load_relaxed(&cinstr.n_threads) || segments.n + SUMS > COUNTERS_MAX ||
	    make_nowhere(segments.n + SUMS))
		return;
	cinstr.sums = (uint64_t)&segments.nowhere[segments.n];
	segments.sums = segments.n;
	segments.n += SUMS;
}

void segments_expect(const struct module *module)
{
	uint32_t flags, i = index_of(module);

	if (cinstr.counter) /* which the second trees are of */
		return;
	segments.adds[i].list = segment_sums_make(module, &segments.adds[i].n, &flags);
	if (segments.adds[i].list)
		begin_sums();
	cinstr.sums_flags |= flags;
}

void segments_expected(const struct module *module)
{
	uint32_t i = index_of(module), n = segments.adds[i].n;

	if (n && !segments_are_counted(module))
		cinstr.sums_flags |= CINSTR_CALL_SUMS_UNKNOWN;
	if (segments.adds[i].list)
		sys_munmap(segments.adds[i].list, n * sizeof(*segments.adds[i].list));
	segments.adds[i].list = NULL;
	segments.adds[i].n = 0;
}

void segments_module(struct module *module)
{
	struct visit seen = { .counter = look };

	each_counter(module, &seen);
	if (!seen.n)
		return;
	if (seen.is_changed) {
		cinstr_say("instructions are not counted: somebody else has changed the code",
			   module_path(module), 0);
		return;
	}
	/* switch.c has said why code cannot be changed. Without an entry in the file readers know
	 * that nothing is counted. */
	if (patch_begin(module, (uint64_t)seen.lowest, (uint64_t)seen.behind))
		return;
	if (number(module, seen.n)) {
		patch_end(module, (uint64_t)seen.lowest, (uint64_t)seen.behind);
		return;
	}
	segments.was_off |= cinstr.starts_off || control_block()->stopped || session_block()->stopped;
	switch_on(module);
	patch_end(module, (uint64_t)seen.lowest, (uint64_t)seen.behind);
	cinstr.any_on = 1;
	if (cinstr_probe.thread)
		segments_open(cinstr_probe.thread);
}

void segments_forked(void)
{
	segments.entries = NULL;
	segments.n_entries = 0;
	segments.is_begun = 0;
	if (segments.nowhere)
		arch_zero(segments.nowhere, segments.n * sizeof(*segments.nowhere));
	for (uint32_t i = 0; i < cinstr.n_modules; i++)
		if (segments.modules[i].n && tell(&segments.modules[i]))
			return;
}

/* ---- a thread's area ------------------------------------------------------------------------- */

/* What the program's first thread has counted before its first event: nobody else was there. */
static void take_early(uint64_t *area)
{
	if (segments.is_begun || segments.was_off || !was_only_thread())
		return;
	for (uint32_t i = 0; i < segments.n; i++) {
		/* nobody has called what was executed before */
		if (!cinstr.sums || i - segments.sums >= SUMS)
			area[i] += segments.nowhere[i];
		segments.nowhere[i] = 0;
	}
}

uint64_t segments_sum(const struct thread *thread)
{
	uint64_t sum = 0;

	if (!cinstr.sums || !thread->segments || thread->segments_owner != thread->record)
		return SUM_FIRST;
	for (int i = 0; i < SUMS; i++)
		sum += thread->segments[segments.sums + (uint32_t)i];
	return sum;
}

static int make_area(struct thread *thread, uint32_t room)
{
	uint64_t bytes = room * sizeof(uint64_t);
	uint64_t *area = store_segment(CINSTR_SEG_SEGMENT_COUNTS, bytes, thread->record->index);

	if (!area)
		return -1;
	if (cinstr.sums)
		area[segments.sums] = segments_sum(thread);
	store_segment_of(area)->used = bytes;
	thread->segments = area;
	thread->segments_room = room;
	thread->segments_owner = thread->record;
	return 0;
}

void segments_open(struct thread *thread)
{
	uint32_t room = atomic_load_relaxed(&segments.room);

	if (!room || thread->probe->skip)
		return;
	if ((thread->segments_owner != thread->record || thread->segments_room < room) &&
	    make_area(thread, room))
		return;
	take_early(thread->segments);
	atomic_store_relaxed(&segments.is_begun, 1);
	thread->probe->segments = (uint64_t)thread->segments - (uint64_t)segments.nowhere;
}

void segments_hide(const struct thread *parents)
{
	static uint32_t n_hidden;
	uint64_t start, bytes;

	if (!parents || !parents->segments || n_hidden++ >= HIDDEN_MAX)
		return;
	start = (uint64_t)parents->segments & ~(uint64_t)(CINSTR_PAGE - 1);
	bytes = (uint64_t)(parents->segments + parents->segments_room) - start;
	sys_mmap((void *)start, (bytes + CINSTR_PAGE - 1) & ~(uint64_t)(CINSTR_PAGE - 1),
		 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

void segments_end(void)
{
	uint64_t *area;
	uint32_t i = 0;

	while (i < segments.n && !segments.nowhere[i])
		i++;
	if (i == segments.n)
		return;
	area = store_segment(CINSTR_SEG_SEGMENT_COUNTS, segments.n * sizeof(*area), UINT32_MAX);
	if (!area)
		return;
	arch_copy(area, segments.nowhere, segments.n * sizeof(*area));
	store_segment_of(area)->used = segments.n * sizeof(*area);
}
