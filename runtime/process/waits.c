/* SPDX-License-Identifier: MIT */
/*
 * waits.c - records the objects that a thread waited for, and the calls that ended the waits, by
 * call path, object and ending call (struct cinstr_wait), for `cinstr waits`.
 *
 * At a call of a known function (cinstr/objects.h) the thunk notes the object; a call that releases
 * or signals one ("gives") notes itself in a table that all threads share (waits_gives). After a
 * call that has waited the slow path comes here: the give of that object during the wait has ended
 * it. A mutex is then held by the waiter, so no later give is possible; for signalled objects it
 * may be a later signal, meant for another thread. A thread that ends gives its thread pointer,
 * which pthread_join() waits for.
 *
 * While a thread is in such a call, the object is stored after the records of its buffer, so that
 * it outlives the process (cinstr/awaiting.h), by the thunk or by waits_tell().
 *
 * A wait is kept with its stamp until the fold comes to its AFTER and provides the path
 * (on_slow_event); until then `holder` is the time since the give, where one is known. Each wait is
 * a stretch, too (stretches.c); after the fold it is added to the others of the same path. Waits
 * without room among the sums are added up by site alone. Called in the thread itself, signals
 * blocked.
 */
#include "cinstr/awaiting.h"
#include "cinstr/stretches.h"
#include "runtime.h"
#include "tables.h"

/* Waits that are not folded: few threads have more than the first room has; the second one has more
 * than a buffer has events for. */
#define WAITS_FIRST (CINSTR_PAGE - sizeof(struct cinstr_segment))
#define WAITS_MORE (8 * CINSTR_PAGE - sizeof(struct cinstr_segment))
/* Segments of sums have 1, 4, 16 and 64 pages. */
#define SUMS_BYTES(i) ((CINSTR_PAGE << 2 * (i)) - sizeof(struct cinstr_segment))
#define SUMS_IN(i) ((uint32_t)(SUMS_BYTES(i) / sizeof(struct cinstr_wait)))
/* Behind the end that it has noted, a thread runs destructors, and the kernel frees its memory: who
 * joins it waits for that, too. */
#define ENDING_NS 100000000ull
#define GIVE_FACTOR 0x9e3779b97f4a7c15ull

_Static_assert(sizeof(struct give) == 1 << GIVE_BITS, "");
_Static_assert(offsetof(struct give, ticks) == GIVE_TICKS && offsetof(struct give, by) == GIVE_BY &&
		       offsetof(struct give, check) == GIVE_CHECK,
	       "");

struct give waits_gives[1 << GIVES_BITS];

static struct thread *thread_of(struct fold *fold)
{
	return (struct thread *)(void *)((char *)fold - offsetof(struct thread, fold));
}

/* Who gave an object in the time of a wait. */
struct given {
	uint64_t by; /* as in struct cinstr_wait; 0: nobody is known to */
	uint64_t ticks;
	int is_only; /* nobody else did in that time */
};

/* Says whether what was noted of an object so many ticks ago is a thread's end, and may be that of
 * the thread that has this thread pointer now. */
static int is_ending(uint64_t by, uint64_t ticks)
{
	return !(by >> 32) && ticks < ENDING_NS * ticks_per_ns() >> 20;
}

/* Returns who gave the object between these stamps, and not the thread `tid` itself. A thread may
 * have noted its end before. */
static struct given given_within(uint64_t object, uint32_t tid, uint64_t from, uint64_t to)
{
	const struct give *give = &waits_gives[object * GIVE_FACTOR >> (64 - GIVES_BITS)];
	const struct given nobody = { .by = 0 };
	uint64_t by, ticks, other;

	if (atomic_load_acquire(&give->object) != object)
		return nobody;
	by = atomic_load_acquire(&give->by);
	ticks = atomic_load_acquire(&give->ticks);
	/* it only grows, and is written before `object` of the give that it is of: so it is of that
	 * one, or too late */
	other = atomic_load_acquire(&give->other_ticks);
	/* else somebody has written there meanwhile, or two have at one time */
	if (atomic_load_acquire(&give->check) != (object ^ by ^ ticks) ||
	    atomic_load_acquire(&give->object) != object)
		return nobody;
	if (ticks > to || (uint32_t)by == tid || (ticks < from && !is_ending(by, from - ticks)))
		return nobody;
	return (struct given){ by, ticks > from ? ticks : from, other < from };
}

void waits_end_thread(uint32_t tid)
{
	uint64_t object = arch_thread_pointer(), now = clock_now();
	struct give *give = &waits_gives[object * GIVE_FACTOR >> (64 - GIVES_BITS)];

	atomic_store_release(&give->object, 0);			/* given_within() */
	atomic_store_release(&give->by, tid);			/* given_within() */
	atomic_store_release(&give->ticks, now);		/* given_within() */
	atomic_store_release(&give->check, object ^ tid ^ now); /* given_within() */
	atomic_store_release(&give->object, object);		/* given_within() */
}

static uint32_t code_at(uint64_t sled_end, uint32_t kind)
{
	const char *sled = (const char *)sled_end - ARCH_SLED_BYTES;

	for (unsigned i = 0; i < atomic_load_acquire(&cinstr.n_modules); i++) {
		const struct module *module = &cinstr.modules[i];

		if (module->loaded &&
		    (uint64_t)sled - module->text_start < module->text_end - module->text_start)
			return code_of(module, sled) | kind;
	}
	return 0;
}

/*
 * Returns the code of the sled before the call that has waited, and that this AFTER is the end of:
 * its BEFORE, or a TAIL of who was called; 0: the thread has noted nothing there.
 */
static uint32_t site_of(const struct awaited *awaited, const struct probe_frame *frame, uint32_t code)
{
	uint32_t after = (uint32_t)frame->at[0] - ARCH_SLED_BYTES, before;

	if (!awaited->site)
		return 0;
	if (awaited->returns)
		return after - awaited->returns <= CINSTR_CALL_BYTES_MAX
			       ? code_at(awaited->site, CINSTR_EV_TAIL)
			       : 0;
	before = cinstr.sites.words[code >> 3];
	return (((uint32_t)awaited->site + frame->code_offset) & ~7u) == CINSTR_CODE_WORD(before) ? before
												  : 0;
}

/* Returns the wait that was this interval, with its path now known; NULL: it was none. */
static struct cinstr_wait *wait_of(struct thread *thread, const struct fold_slow *slow)
{
	const struct cinstr_cell *cell = slow->cell;
	struct cinstr_wait *wait;

	while (thread->n_known < thread->n_waits &&
	       thread->waits[thread->n_known].last_ticks < slow->end_ticks)
		thread->n_known++;
	if (thread->n_known == thread->n_waits ||
	    thread->waits[thread->n_known].last_ticks != slow->end_ticks)
		return NULL;
	wait = &thread->waits[thread->n_known++];
	if (cell->site == wait->site) {
		wait->cell = (uint32_t)(((const char *)cell - thread->fold.file) / sizeof(*cell));
	} else if (CINSTR_CELL_KIND(cell->tag) <= CINSTR_CELL_INDIRECT) {
		wait->ticks = 0; /* it was another call, at the same place in the code */
		return NULL;
	}
	return wait;
}

static void on_slow_event(struct fold *fold, const struct fold_slow *slow)
{
	struct thread *thread = thread_of(fold);
	const struct cinstr_wait *wait = wait_of(thread, slow);
	struct cinstr_stretch stretch = {
		.end_ticks = slow->end_ticks,
		.ticks = slow->ticks,
		.bits = slow->bits,
		.off_cpu_ticks = slow->off_cpu_ticks,
		.cell = (uint32_t)(((const char *)slow->cell - fold->file) / sizeof(*slow->cell)),
	};

	if (wait && wait->given_by) {
		stretch.given_by = wait->given_by;
		stretch.since_given = wait->holder;
	}
	stretches_add(thread, &stretch);
}

void waits_begin(struct thread *thread)
{
	thread->waits = NULL;
	thread->n_waits = thread->n_known = thread->waits_room = 0;
	for (int i = 0; i < WAIT_SEGMENTS; i++)
		thread->wait_sums[i] = NULL;
	thread->fold.on_slow_event = on_slow_event;
}

/* Returns a segment for waits, none of which is used; NULL: no room. */
static struct cinstr_wait *make_segment(const struct thread *thread, uint64_t bytes)
{
	struct cinstr_wait *waits = store_segment(CINSTR_SEG_WAITS, bytes, thread->record->index);

	if (waits)
		atomic_store_release(&store_segment_of(waits)->used, bytes); /* reader */
	return waits;
}

/* Gives the thread room for waits that are not folded, none of which is used; if there is none in
 * the file it keeps what it has. */
static void make_room(struct thread *thread, uint64_t bytes)
{
	struct cinstr_wait *waits = make_segment(thread, bytes);

	if (!waits)
		return;
	thread->waits = waits;
	thread->waits_room = (uint32_t)(bytes / sizeof(*waits));
}

static const struct awaited *own_awaited(void)
{
	return (const void *)((const char *)__builtin_thread_pointer() + probe_offset + PROBE_AWAITED);
}

void waits_tell(const struct probe_state *probe, const struct probe_frame *frame)
{
	const struct awaited *awaited = own_awaited();
	uint32_t code = (uint32_t)frame->at[0] + frame->code_offset;
	uint64_t *halves = (void *)probe->cursor;

	if (!probe->thread || awaited->site != frame->at[0] ||
	    probe->cursor + CINSTR_AWAITING_PLACES > probe->thread->buffer_end + SLOW_RECORDS)
		return;
	atomic_store_release(&halves[2 * CINSTR_AWAITING_OBJECT + 1], awaited->object); /* reader */
	atomic_store_release(&halves[2 * CINSTR_AWAITING_GAVE + 1], awaited->gave);	/* reader */
	atomic_store_release(&halves[2 * CINSTR_AWAITING_HOLDER + 1],			/* reader */
			     awaited->holder | (uint64_t)cinstr_awaiting_check(code, awaited->object) << 32);
}

/* Returns the ticks between two stamps, or UINT32_MAX for more. */
static uint32_t since(uint64_t from, uint64_t to)
{
	return to - from < UINT32_MAX ? (uint32_t)(to - from) : UINT32_MAX;
}

/*
 * Returns who gave the object first of those that the descriptors stand for which were ready after
 * poll(), and sets *object to that.
 */
static struct given given_of_ready(const struct probe_frame *frame, uint32_t tid,
				   const struct wait_interval *interval, uint64_t *object)
{
	uint64_t objects[POLLS_READY_MAX];
	unsigned n = polls_ready(frame, objects);
	struct given first = { .by = 0 };

	for (unsigned i = 0; i < n && i < POLLS_READY_MAX; i++) {
		struct given given = { .by = 0 };

		if (objects[i])
			given = given_within(objects[i], tid, interval->before, interval->end);
		if (!given.by || (first.by && first.ticks <= given.ticks))
			continue;
		first = given;
		*object = objects[i];
	}
	first.is_only &= n == 1;
	return first;
}

/* The call that this AFTER is the end of. */
struct waited {
	uint64_t object;
	uint32_t site; /* as in struct cinstr_wait; 0: it waits for no object */
	uint32_t holder;
	int is_failed;
};

static struct waited waited_for(const struct probe_frame *frame, uint32_t code)
{
	const struct awaited *awaited = own_awaited();
	uint64_t end = frame->kind & PROBE_KIND_POLLS ? 1ull << CINSTR_END_BIT : files_awaited(frame);

	if (end)
		return (struct waited){ .object = end, .site = cinstr.sites.words[code >> 3] };
	return (struct waited){
		.object = awaited->object,
		.site = site_of(awaited, frame, code),
		.holder = awaited->holder,
		.is_failed = (int)arch_result(&frame->registers) != 0,
	};
}

/* Returns what is known of how the wait ended (enum cinstr_wait_end). */
static uint32_t end_of(const struct waited *waited, const struct given *given)
{
	return (waited->is_failed ? CINSTR_WAIT_FAILED : 0) |
	       (given->by && waited->holder == ((uint32_t)given->by | CINSTR_HOLDER_WRITER)
			? CINSTR_WAIT_BY_WRITER
			: 0) |
	       (given->is_only ? CINSTR_WAIT_BY_ONLY : 0);
}

int waits_note(struct thread *thread, const struct probe_frame *frame, uint32_t code,
	       const struct wait_interval *interval)
{
	struct waited waited = waited_for(frame, code);
	uint32_t tid = thread->record->tid;
	struct given given;
	struct cinstr_wait *wait;

	if (!waited.site || interval->end <= interval->begin)
		return 0;
	given = frame->kind & PROBE_KIND_POLLS
			? given_of_ready(frame, tid, interval, &waited.object)
			: given_within(waited.object, tid, interval->before, interval->end);
	/* a pipe's other end may be another process's, too */
	if (waited.object >> CINSTR_END_BIT && !given.by)
		return 0;
	if (!thread->waits)
		make_room(thread, WAITS_FIRST);
	if (thread->n_waits == thread->waits_room)
		return 0;
	wait = &thread->waits[thread->n_waits++];
	*wait = (struct cinstr_wait){
		.object = waited.object,
		.given_by = given.by,
		.ticks = interval->end - interval->begin,
		.longest = interval->end - interval->begin,
		.last_ticks = interval->end,
		.site = waited.site,
		.failed = end_of(&waited, &given),
		.holder = given.by ? since(given.ticks, interval->end) : waited.holder,
	};
	atomic_store_release(&wait->waits, 1); /* reader */
	return thread->n_waits == thread->waits_room;
}

static int is_same(const struct cinstr_wait *a, const struct cinstr_wait *b)
{
	return a->object == b->object && a->given_by == b->given_by && a->cell == b->cell &&
	       a->site == b->site && a->holder == b->holder && a->failed == b->failed;
}

static uint64_t hash_of(const struct cinstr_wait *wait)
{
	uint64_t hash = (wait->object ^ wait->given_by * 31) * GIVE_FACTOR;

	return (hash ^ ((uint64_t)wait->cell << 32 | (wait->site ^ wait->holder ^ wait->failed))) *
		       GIVE_FACTOR >>
	       32;
}

/* Says whether the wait's object is not one for several (without_object()). */
static int has_object(const struct cinstr_wait *wait)
{
	return wait->object >> CINSTR_END_BIT ? (wait->object & CINSTR_END_NUMBERS) != 0 : wait->object != 0;
}

/* Returns the sum in segment `i` that the wait belongs to, or a free one if that segment may have
 * another; NULL: neither. */
static struct cinstr_wait *find_in(const struct thread *thread, int i, const struct cinstr_wait *wait)
{
	struct cinstr_wait *sums = thread->wait_sums[i];
	uint32_t at = (uint32_t)(hash_of(wait) % SUMS_IN(i));
	/* a server has an end for each connection; what has no object of its own finds room, too */
	uint32_t most = !has_object(wait)		 ? SUMS_IN(i) - 1
			: wait->object >> CINSTR_END_BIT ? SUMS_IN(i) / 2
							 : SUMS_IN(i) - SUMS_IN(i) / 4;

	while (sums[at].waits && !is_same(&sums[at], wait))
		at = at + 1 == SUMS_IN(i) ? 0 : at + 1;
	return sums[at].waits || thread->n_wait_sums[i] < most ? &sums[at] : NULL;
}

/* Returns the sum that the wait belongs to, which is new if it has no waits; NULL: no room. */
static struct cinstr_wait *sum_of(struct thread *thread, const struct cinstr_wait *wait)
{
	for (int i = 0; i < WAIT_SEGMENTS; i++) {
		struct cinstr_wait *sum;

		if (!thread->wait_sums[i]) {
			thread->wait_sums[i] = make_segment(thread, SUMS_BYTES(i));
			thread->n_wait_sums[i] = 0;
		}
		if (!thread->wait_sums[i])
			return NULL;
		sum = find_in(thread, i, wait);
		if (!sum)
			continue;
		thread->n_wait_sums[i] += !sum->waits;
		return sum;
	}
	return NULL;
}

/* Returns the wait as it is added up if its object finds no room: by its site alone. Each thread
 * that is waited for is an object of its own, and each end of a connection, of which there may be
 * very many; so of these the path is kept, too, and that they have ended, or who wrote. */
static struct cinstr_wait without_object(const struct cinstr_wait *wait)
{
	struct cinstr_wait other = { .site = wait->site, .ticks = wait->ticks, .longest = wait->longest };

	other.last_ticks = wait->last_ticks;
	if (wait->object >> CINSTR_END_BIT) {
		other = *wait;
		other.object &= ~CINSTR_END_NUMBERS;
		other.holder = 0;
	} else if (wait->given_by && !(wait->given_by >> 32)) {
		other.given_by = CINSTR_WAIT_BY_SEVERAL;
		other.cell = wait->cell;
	}
	return other;
}

static void add(struct cinstr_wait *sum, const struct cinstr_wait *wait)
{
	if (!sum->waits) {
		*sum = *wait;
		sum->waits = 0;
		sum->ticks = sum->longest = 0;
	}
	sum->ticks += wait->ticks;
	sum->longest = wait->longest > sum->longest ? wait->longest : sum->longest;
	sum->last_ticks = wait->last_ticks;
	atomic_store_release(&sum->waits, sum->waits + 1); /* reader */
}

void waits_add_up(struct thread *thread)
{
	for (uint32_t i = 0; i < thread->n_waits; i++) {
		struct cinstr_wait *wait = &thread->waits[i], other = without_object(wait), *sum;

		if (wait->given_by)
			wait->holder = 0; /* it was the moment */
		sum = wait->ticks ? sum_of(thread, wait) : NULL;
		/* a kill from here on loses this wait, at most, and never counts it twice */
		atomic_store_release(&wait->waits, 0); /* reader */
		if (!wait->ticks)
			continue;
		if (!sum) {
			sum = sum_of(thread, &other);
			wait = &other;
		}
		if (sum)
			add(sum, wait);
	}
	if (thread->waits_room == WAITS_FIRST / sizeof(struct cinstr_wait) &&
	    thread->n_waits == thread->waits_room)
		make_room(thread, WAITS_MORE);
	thread->n_waits = thread->n_known = 0;
}
