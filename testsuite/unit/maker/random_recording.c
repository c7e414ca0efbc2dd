/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random_recording.c - a process whose trees of calls were made by chance, for golden files of
 * views: functions, calls of what has no probes, tail calls, recursion, lines; shortest and longest
 * calls, time after calls, events of the system; open calls, ranks of a job. Of another kind of
 * process not all calls were timed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maker_samples.h"
#include "runtime/fold/fold.h"

#define NODES 26u /* of a thread; with what hangs at them they fit into its cells */
#define DEPTH 7

/* A place of the function that calls another one, or is a line. */
struct place {
	enum maker_site function, site;
	enum { FRAME, CALL, INDIRECT, LINE } what;
	enum maker_site callee;
};

static const struct place places[] = {
	{ MAIN_ENTER, MAIN_WORK, FRAME, WORK_ENTER },
	{ MAIN_ENTER, MAIN_REC, FRAME, REC_ENTER },
	{ MAIN_ENTER, MAIN_PUTS, CALL, 0 },
	{ MAIN_ENTER, MAIN_USLEEP, CALL, 0 },
	{ MAIN_ENTER, MAIN_POINTER, INDIRECT, 0 },
	{ MAIN_ENTER, MAIN_POINTER, FRAME, LINED_ENTER },
	{ MAIN_ENTER, MAIN_TWIN, FRAME, TWIN_A_ENTER },
	{ WORK_ENTER, WORK_READ, CALL, 0 },
	{ WORK_ENTER, WORK_REC, FRAME, REC_ENTER },
	{ WORK_ENTER, WORK_TAIL, FRAME, TAIL_ENTER },
	{ REC_ENTER, REC_REC, FRAME, REC_ENTER },
	{ LINED_ENTER, LINED_80, LINE, 0 },
	{ LINED_ENTER, LINED_81, LINE, 0 },
	{ LINED_ENTER, LINED_82, LINE, 0 },
	{ LINED_ENTER, LINED_INLINED, LINE, 0 },
	{ LINED_ENTER, LINED_AGAIN, LINE, 0 },
	{ LINED_ENTER, LINED_PUTS, CALL, 0 },
	{ LINED_ENTER, LINED_LINED, FRAME, LINED_ENTER },
};
#define PLACES (uint32_t)(sizeof(places) / sizeof(*places))

static struct maker maker;
static uint64_t state;
static uint32_t thread, n_nodes;
static uint64_t enters, deepest; /* deepest: a cell that may be open */
static uint64_t scale;		 /* of times */
static uint64_t first_change;	 /* stamp; of probes */
static uint64_t often;		 /* calls, and so much shorter */
static int is_odd;		 /* calls without time, calls that are open */

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % n;
}

/* Of a call with so many events: as it stands in the file. */
static uint64_t length(uint64_t ticks, uint32_t events)
{
	return fold_extreme(ticks, events, maker_header(&maker)->event_cost);
}

/* What is known of single calls, of `calls` that have taken `ticks` by themselves. */
static void put_lengths(uint32_t at, uint64_t calls, uint64_t ticks)
{
	struct cinstr_detail *detail = maker_detail(&maker, thread, at);
	struct cinstr_cell *cell = maker_cell_at(&maker, at);
	uint64_t mean = ticks / (calls ? calls : 1);
	int are_all = calls < 250 && below(2); /* finished: an average is known */

	detail->shortest[CINSTR_INCLUSIVE] = length(mean / 2, 2);
	detail->longest[CINSTR_INCLUSIVE] = length(mean + mean / 2 + below(1000), 2 + below(20));
	detail->shortest[CINSTR_EXCLUSIVE] = length(mean / 3, 2);
	detail->longest[CINSTR_EXCLUSIVE] = length(mean + below(500), 2 + below(8));
	detail->window = 20 + below(60);
	if (are_all) {
		detail->longest[CINSTR_INCLUSIVE] = length(mean - mean / 8, 2);
		cell->recent[below(CINSTR_RECENT_SLOTS)] = (uint8_t)calls;
	}
	for (uint32_t i = 0; i < CINSTR_RECENT_SLOTS && calls > 8 && !are_all; i++)
		cell->recent[i] = (uint8_t)below(calls < 200 ? (uint32_t)calls / 8 : 25);
}

static void put_system(uint32_t at, uint64_t ticks)
{
	static const uint32_t bits[] = { CINSTR_OS_VOLUNTARY, CINSTR_OS_INVOLUNTARY, CINSTR_OS_MINOR_FAULT,
					 CINSTR_OS_VOLUNTARY | CINSTR_OS_MAJOR_FAULT };
	uint32_t which = below(4);
	uint64_t part = ticks / (2 + below(6));

	maker_bucket(&maker, thread, at, bits[which], part, which == 2 ? 0 : part - part / 8);
}

static void details(uint32_t at, uint64_t calls, uint64_t ticks, int is_line)
{
	if (!is_line && below(3) == 0)
		put_lengths(at, calls, ticks);
	if (below(5) == 0)
		put_system(at, ticks);
}

static void children(uint32_t at, uint32_t within, enum maker_site function, uint64_t calls, int level);

static void node(uint32_t parent, const struct place *place, uint64_t calls, int level)
{
	uint64_t n = 1 + calls * below(8) / 4,
		 ticks = n * (30 + below(level > 3 ? 100 : 20000)) * scale / often;
	uint32_t code = maker_code(place->site), at;

	n_nodes++;
	if (is_odd && below(12) == 0)
		ticks = 0;
	if (is_odd && place->what == FRAME && below(12) == 0) /* announced; it has probes */
		parent = maker_call(&maker, thread, parent, code, 0, 0);
	if (place->what == FRAME)
		at = maker_frame(&maker, thread, parent, code, maker_code(place->callee), n, ticks);
	else if (place->what == CALL)
		at = maker_call(&maker, thread, parent, code, n, ticks);
	else if (place->what == INDIRECT)
		at = maker_indirect(&maker, thread, parent, code, MAKER_LIBC + 0x10, n, ticks);
	else
		at = maker_line(&maker, thread, parent, code, n, ticks);
	details(at, n, ticks, place->what == LINE);
	if (place->what == LINE) {
		children(at, 1, place->function, n, level + 1);
		return;
	}
	/* of the caller's own ticks */
	maker_cell_at(&maker, at)->after_ticks =
		maker_cell_at(&maker, parent)->ticks / (4 * PLACES) * below(4);
	if (place->what != FRAME)
		return;
	enters += n;
	deepest = at;
	children(at, 0, place->callee, n, level + 1);
}

/* within: a line of the function, where there are no further lines. */
static void children(uint32_t at, uint32_t within, enum maker_site function, uint64_t calls, int level)
{
	for (uint32_t i = 0; i < PLACES && level < DEPTH; i++)
		if (places[i].function == function && !(within && places[i].what == LINE) && below(3) &&
		    n_nodes < NODES)
			node(at, &places[i], calls, level);
}

static void root(enum maker_site function)
{
	uint64_t calls = (1 + below(3)) * often, ticks = (1000000 + below(1000000)) * scale;
	uint32_t at = maker_frame(&maker, thread, maker_root(&maker, thread), 0, maker_code(function), calls,
				  ticks);

	n_nodes++;
	enters += calls;
	details(at, calls, ticks, 0);
	children(at, 0, function, calls, 0);
}

static void some_thread(const char *name)
{
	struct cinstr_fold_state *fold;

	thread = maker_thread(&maker, name);
	n_nodes = 0;
	enters = deepest = 0;
	maker_root_ticks(&maker, thread, 1000 + below(100000));
	if (below(2))
		put_system(maker_root(&maker, thread), 1000);
	root(thread ? LINED_ENTER : MAIN_ENTER);
	root(thread ? WORK_ENTER : REC_ENTER);
	root(below(2) ? TWIN_B_ENTER : CLONE_ENTER);
	if (is_odd && below(2))
		maker_open(&maker, thread, (uint32_t)deepest);
	fold = &maker_thread_at(&maker, thread)->states[1];
	fold->enters = enters;
	fold->exits = enters;
	fold->events = 2 * enters;
	fold->runtime_ticks = below(1000000);
	fold->paused_ticks = below(2) * 12345;
	fold->voluntary = below(100);
}

/* A limit on overhead takes out probes, of one function in steps, and puts some back. */
static void some_marks(unsigned number)
{
	static const struct {
		enum maker_site function;
		int level;
	} changes[] = {
		{ WORK_ENTER, 1 }, { WORK_ENTER, 3 }, { REC_ENTER, 3 }, { REC_ENTER, 0 }, { TAIL_ENTER, 1 }
	};
	struct cinstr_budget *budget = &maker_header(&maker)->budget;
	struct cinstr_mark *mark;

	for (uint32_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		mark = maker_mark(&maker, 5000 + number, 2000000 + 1000 * i,
				  CINSTR_CODE_WORD(maker_code(changes[i].function)), "");
		mark->kind = CINSTR_MARK_DEMOTED;
		mark->id = changes[i].level;
	}
	mark = maker_mark(&maker, 5000 + number, 3000000, CINSTR_CODE_WORD(maker_code(TAIL_ENTER)), "");
	mark->kind = CINSTR_MARK_RESTORED;
	mark->id = 2;
	*budget = (struct cinstr_budget){ .limit = 50000,
					  .probe_ticks = 5000 + number,
					  .own_ticks = 300000,
					  .probe_ticks_before = 4000,
					  .own_ticks_before = 50000,
					  .taken_out = number % 2 ? 5 : 0 };
}

/* ---- of which not all calls were timed ------------------------------------------------------- */

/* What may be counted: functions, then calls. */
static const enum maker_site countable[] = { WORK_ENTER,  REC_ENTER, TAIL_ENTER, TWIN_A_ENTER, LINED_ENTER,
					     MAIN_WORK,	  MAIN_REC,  MAIN_PUTS,	 MAIN_USLEEP,  MAIN_POINTER,
					     MAIN_TWIN,	  WORK_READ, WORK_REC,	 WORK_TAIL,    REC_REC,
					     LINED_LINED, LINED_PUTS };
#define COUNTABLE (uint32_t)(sizeof(countable) / sizeof(*countable))
#define COUNTABLE_FUNCTIONS 5

static void put_segment(uint32_t type, uint32_t owner, const void *payload, size_t bytes)
{
	size_t at = maker_segment(&maker, type, owner, 1);

	memcpy(maker.bytes + at, payload, bytes);
	((struct cinstr_segment *)(void *)(maker.bytes + at))[-1].used = bytes;
}

/* Returns bits, by number in `countable`, of what was counted in some thread. */
static uint32_t some_counters(void)
{
	uint32_t n_countable = below(3) ? COUNTABLE : COUNTABLE_FUNCTIONS, n = 0, found = 0;
	uint32_t codes[COUNTABLE];
	uint64_t counts[COUNTABLE];

	for (uint32_t i = 0; i < n_countable; i++)
		if (below(2)) {
			codes[n++] = maker_code(countable[i]);
			found |= 1u << i;
		}
	put_segment(CINSTR_SEG_COUNTED, 0, codes, n * sizeof(*codes));
	for (uint32_t t = 0; t < maker.n_threads; t++) {
		for (uint32_t i = 0; i < n; i++)
			counts[i] = below(3) ? 1 + below(1000) : 0;
		put_segment(CINSTR_SEG_COUNTERS, t, counts, n * sizeof(*counts));
	}
	return found;
}

/* The limit on overhead has changed these functions' probes; of some that were counted no mark
 * tells. */
static void some_levels(uint32_t counted)
{
	struct cinstr_header *h;

	for (uint32_t i = 0; i < 2 * COUNTABLE_FUNCTIONS; i++) {
		uint32_t which = i % COUNTABLE_FUNCTIONS;
		struct cinstr_mark *mark;

		if (below(3))
			continue;
		mark = maker_mark(&maker, 1000, first_change + 500000 * (scale - 1) * i + 1000 * i,
				  CINSTR_CODE_WORD(maker_code(countable[which])), "");
		mark->kind = below(3) ? CINSTR_MARK_DEMOTED : CINSTR_MARK_RESTORED;
		mark->id = counted >> which & 1 ? 3 : below(4);
	}
	h = maker_header(&maker);
	h->budget.taken_out = below(2);
	h->budget.functions_out = below(4);
	h->marks_lost = !below(6);
}

/* Calls beyond the budget of paths are known by function, and by call. */
static void some_flat(void)
{
	static const enum maker_site functions[] = { WORK_ENTER, REC_ENTER, TWIN_B_ENTER, TAIL_ENTER };
	static const enum maker_site calls[] = { MAIN_PUTS, WORK_READ, LINED_PUTS, MAIN_POINTER };

	uint32_t merged = maker_frame(&maker, thread, (uint32_t)deepest, 0, 0, 1 + below(50), 100 * scale);

	maker_cell_at(&maker, merged)->tag = CINSTR_CELL_MERGED;
	for (uint32_t i = 0; i < 4; i++) {
		uint64_t n = 1 + below(50), ticks = n * below(300);
		uint32_t is_frame = below(2), code = maker_code(is_frame ? functions[i] : calls[i]);
		struct cinstr_cell *cell;

		if (below(3))
			continue;
		cell = maker_cell_at(&maker, maker_frame(&maker, thread, 0, is_frame ? 0 : code,
							 is_frame ? code : 0, n, ticks));
		maker.ticks[thread] -= ticks; /* no part of the tree */
		cell->tag = is_frame ? CINSTR_CELL_FLAT_FRAME : CINSTR_CELL_FLAT_CALL;
		if (!is_frame && calls[i] == MAIN_POINTER)
			cell->func = (uint32_t)MAKER_LIBC + 0x10;
		cell->flat_ticks = ticks + below(1000);
		cell->flat_calls = below(5);
	}
}

/* How the process was recorded, and how it ended. */
static void some_facts(unsigned number)
{
	static const enum cinstr_end ends[] = { CINSTR_END_UNKNOWN, CINSTR_END_EXIT, CINSTR_END_SIGNAL,
						CINSTR_END_EXEC, CINSTR_END_HANDLERS };
	struct cinstr_header *h = maker_header(&maker);
	struct cinstr_control_block *block = (void *)(maker.bytes + CINSTR_CONTROL_OFFSET);

	h->end = ends[below(5)];
	h->end_status = (int32_t)below(12);
	h->stop = below(4) ? CINSTR_STOP_NONE : below(10);
	h->stop_errno = h->stop ? 1 + below(40) : 0;
	h->lost_events = below(3);
	h->lost_threads = below(3);
	h->attach_ns = below(1000000);
	h->restartable = below(3) != 0;
	h->threshold_ticks = below(3) * 7000;
	h->no_counters = !below(4);
	h->streams = below(2);
	h->self_refused = below(3);
	h->self_errno = h->self_refused ? 1 + below(30) : 0;
	h->budget.limit = below(2) * 50000;
	h->budget.own_ticks = below(3) * 1000000;
	h->budget.probe_ticks = below(100000);
	block->named = below(2);
	strcpy(block->name, "render");
	for (uint32_t i = 0; i < maker.n_threads; i++) {
		struct cinstr_thread *t = maker_thread_at(&maker, i);
		struct cinstr_fold_state *s = &t->states[1];

		t->state = below(3) ? CINSTR_THREAD_ENDED : CINSTR_THREAD_LIVE;
		t->members = below(4) ? 0 : 1 + below(5);
		t->timeline_lost = below(3);
		t->counters_last.voluntary = 10 + below(50);
		t->counters_last.involuntary = 10 + below(50);
		t->counters_first.voluntary = below(10);
		t->own_voluntary = below(3);
		t->own_involuntary = below(3);
		s->pauses = below(3);
		s->paused = below(3) == 2;
		s->repaired = below(4);
		s->uncounted = below(9);
		s->orphans = number % 4 ? 0 : below(2);
		s->involuntary = below(60);
		s->exits -= s->exits > 3 ? below(3) : 0;
		s->implicit_exits = below(2);
	}
	if (below(3) == 0)
		maker_property(&maker, "options", "CINSTR=on CINSTR_START=paused");
	maker_property(&maker, "argv3",
		       number % 3 ? "an argument that is so long that a name is cut off" : "x");
	maker_property(&maker, "hostname", below(2) ? "alpha" : "beta");
	if (below(2))
		maker_property(&maker, "rank", below(2) ? "3" : "12");
	if (below(3) == 0)
		maker_property(&maker, "pod", "the-pod");
}

static void some_process(unsigned number, uint64_t times, uint64_t change, uint64_t calls)
{
	static const char *const others[] = { "wait", "poll" };
	struct cinstr_header *h;
	uint32_t counted = 0;

	state = number * 77 + 5;
	scale = times;
	often = calls;
	first_change = change;
	is_odd = 1;
	maker_init(&maker);
	h = maker_header(&maker);
	h->pid = 5000 + number;
	h->probes = number % 4 == 3 ? 3 : 2;
	h->end_realtime_ns = h->start_realtime_ns + 2500000000u;
	h->clock_ns[2] = h->clock_ns[0] + (h->clock_ticks[2] - h->clock_ticks[0]) / (1 + number % 3);
	for (uint32_t i = 0; i < 1 + number % 3; i++) {
		some_thread(i == 2 ? "helper" : i ? "worker" : "app");
		maker_thread_at(&maker, i)->tid = i ? 6000 + i : 5000 + number;
		if (below(2))
			some_flat();
	}
	if (number % 5)
		counted = some_counters();
	if (number % 3)
		some_levels(counted);
	if (number % 2)
		maker_rename(&maker, "puts", others[below(2)]);
	some_facts(number);
}

struct maker *maker_random_counted(unsigned number)
{
	some_process(number, 1, 2000000, 1);
	return &maker;
}

struct maker *maker_random_mixed(unsigned number)
{
	struct cinstr_header *h;

	some_process(number, 100, MAKER_BEGIN, number % 2 ? 200 : 1);
	h = maker_header(&maker);
	h->mixed = 1;
	h->clock = CINSTR_CLOCK_MONOTONIC_RAW;
	h->calibration.rounds = 1;
	for (int i = 0; i < CINSTR_COST_KINDS; i++)
		h->calibration.sum[i] = h->calibration.minimum[i] = h->calibration.maximum[i] =
			number % 2 ? 300 * 1024 : 0;
	return &maker;
}

/* ---- ranks of a job -------------------------------------------------------------------------- */

int maker_random_recording(const char *path, unsigned number)
{
	struct cinstr_header *h;
	char text[16];

	state = number * 77 + 5;
	scale = often = 1;
	is_odd = 0;
	maker_init(&maker);
	snprintf(maker.path, sizeof(maker.path), "%s", path);
	h = maker_header(&maker);
	h->pid = 5000 + number;
	h->parent_pid = number ? 5000 : 1;
	h->end = CINSTR_END_EXIT;
	h->end_realtime_ns = h->start_realtime_ns + 2500000000u + below(1000000000);
	h->calibration.rounds = 4;
	h->calibration.contexts = 4;
	for (int i = 0; i < CINSTR_COST_KINDS; i++) {
		h->calibration.sum[i] = (4 * (uint64_t)(8 + i) + number) * 1024;
		h->calibration.minimum[i] = (7 + (uint64_t)i) * 1024;
		h->calibration.maximum[i] = (12 + (uint64_t)i) * 1024;
	}
	h->calibration.alone_sum = 4 * 30 * 1024;
	h->calibration.beside_sum = 4 * 12 * 1024;
	h->event_cost = number % 2 ? 10 * 1024 : 0;
	snprintf(text, sizeof(text), "%u", number);
	maker_property(&maker, "rank", text);
	maker_property(&maker, "job", "job 7");
	snprintf(text, sizeof(text), "%u", 700 - 100 * number);
	maker_property(&maker, "cpu_limit", text);
	maker_property(&maker, "hostname", number % 3 ? "alpha" : "beta");
	for (uint32_t i = 0; i < 1 + number % 3; i++)
		some_thread(i ? "helper" : "app");
	some_marks(number);
	maker_write(&maker);
	free(maker.bytes);
	return 0;
}
