/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Phases: what the fold does at a mark, and how the reader puts phases together and takes them
 * apart. Random runs of which every interval's owner is known; and the odd cases one by one.
 */
#include <stdlib.h>
#include <string.h>

#include "file/cell_details.h"
#include "file/phases.h"
#include "lib/util.h"
#include "tests.h"

#define FIRST 1000000u
#define SP_TOP 0x9000u
#define DEPTH_MOST 40
#define RECORDS 190
#define PHASES 12
#define RUNS 300

static struct maker maker;
static struct data data;

static struct cinstr_record special(uint32_t code, uint64_t stamp, uint64_t value)
{
	value |= 1ull << 63;
	return (struct cinstr_record){ code, (uint32_t)stamp, (uint32_t)value, (uint32_t)(value >> 32) };
}

static struct cinstr_record start(uint64_t stamp)
{
	return special(CINSTR_SPECIAL(CINSTR_SP_START, 0), stamp, stamp);
}

static struct cinstr_record event(enum maker_site site, uint64_t stamp, uint32_t extra, uint32_t second)
{
	return (struct cinstr_record){ maker_code(site), (uint32_t)stamp, extra, second };
}

static struct cinstr_phases *put_phases(const uint64_t *stamps, uint32_t n)
{
	size_t payload = maker_segment(&maker, CINSTR_SEG_PHASES, 0, 1);
	struct cinstr_phases *phases = (void *)(maker.bytes + payload);

	phases->max = 100;
	phases->n = n;
	for (uint32_t i = 0; i < n; i++)
		phases->begin_ticks[i] = stamps[i];
	return phases;
}

static void begin(void)
{
	maker_init(&maker);
	maker_thread(&maker, "t");
}

static void open_data(void)
{
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	for (size_t i = 0; i < data.n_problems; i++)
		printf("problem: %s\n", data.problems[i].reason);
	CU_ASSERT_EQUAL_FATAL(data.n_threads, 1);
}

static void close_data(void)
{
	data_release(&data);
	maker_release(&maker);
}

/* ---- a random run ---------------------------------------------------------------------------- */

enum function { OUTSIDE, MAIN, WORK, REC, LINED, PUTS, FUNCTIONS };

struct run {
	struct cinstr_record records[RECORDS + DEPTH_MOST + 20];
	size_t n;
	uint64_t now;
	enum function stack[DEPTH_MOST];
	uint32_t depth;
	uint64_t moments[PHASES];
	uint32_t n_moments;
	uint64_t truth[PHASES + 1][FUNCTIONS]; /* exclusive, raw */
	uint64_t calls[PHASES + 1][FUNCTIONS];
	uint64_t runtime, paused;
	int announced; /* the function on top has been called; its enter is to come */
	unsigned seed;
};

static uint32_t some(struct run *run, uint32_t n)
{
	run->seed = run->seed * 1103515245u + 12345u;
	return (run->seed >> 8) % n;
}

static enum function top(const struct run *run)
{
	return run->depth ? run->stack[run->depth - 1] : OUTSIDE;
}

/* Number of the phase of an event with this stamp: one with a moment's own stamp belongs before
 * it. */
static uint32_t phase_at(const struct run *run, uint64_t stamp)
{
	uint32_t phase = 0;

	while (phase < run->n_moments && run->moments[phase] < stamp)
		phase++;
	return phase;
}

/* Time goes on; the ticks are the function's on top. */
static void spend(struct run *run, uint64_t ticks)
{
	uint64_t end = run->now + ticks;

	while (run->now < end) {
		uint32_t phase = phase_at(run, run->now + 1);
		uint64_t until =
			phase < run->n_moments && run->moments[phase] < end ? run->moments[phase] : end;

		run->truth[phase][top(run)] += until - run->now;
		run->now = until;
	}
}

static void put(struct run *run, struct cinstr_record record)
{
	run->records[run->n++] = record;
}

static uint32_t sp_of(uint32_t depth)
{
	return SP_TOP - depth * 0x40;
}

static void call(struct run *run, enum function function)
{
	run->calls[phase_at(run, run->now)][function]++;
	run->stack[run->depth++] = function;
}

static void put_call(struct run *run, enum maker_site site, enum maker_site callee, enum function function)
{
	put(run, event(site, run->now, sp_of(run->depth + 1), maker_code(callee)));
	call(run, function);
}

static void put_exit(struct run *run, enum maker_site site)
{
	put(run, event(site, run->now, sp_of(run->depth - 1) - 8, CINSTR_SECOND_EXIT));
	run->depth--;
}

/* What may come next, from the function on top. */
static void put_event(struct run *run)
{
	int deep = run->depth >= DEPTH_MOST - 2;

	if (run->announced) {
		put(run, event(WORK_ENTER, run->now, 0x22228, sp_of(run->depth) | 1));
		run->announced = 0;
		return;
	}
	switch (top(run)) {
	case OUTSIDE:
		put(run, event(MAIN_ENTER, run->now, 0x111, sp_of(1) | 1));
		call(run, MAIN);
		break;
	case MAIN:
		if (some(run, 4) == 0)
			put_call(run, MAIN_WORK, WORK_ENTER, WORK);
		else if (some(run, 4) == 0) {
			put(run, event(MAIN_WORK, run->now, 0x22222, 0));
			call(run, WORK); /* R4: from the call on the time is the callee's */
			run->announced = 1;
		} else if (some(run, 3) == 0)
			put_call(run, MAIN_REC, REC_ENTER, REC);
		else if (some(run, 2) == 0) {
			put(run, event(LINED_ENTER, run->now, 0x111, sp_of(run->depth + 1) | 1));
			call(run, LINED);
		} else {
			put(run, event(MAIN_PUTS, run->now, 0x22222, 0));
			call(run, PUTS);
		}
		break;
	case WORK:
		if (some(run, 2) == 0)
			put_call(run, WORK_REC, REC_ENTER, REC);
		else
			put_exit(run, WORK_EXIT);
		break;
	case REC:
		if (!deep && some(run, 5) < 3)
			put_call(run, REC_REC, REC_ENTER, REC);
		else
			put_exit(run, REC_EXIT);
		break;
	case LINED:
		if (some(run, 4) == 0)
			put_exit(run, LINED_EXIT);
		else
			put(run, event(some(run, 2) ? LINED_81 : LINED_82, run->now, sp_of(run->depth) - 8,
				       CINSTR_SECOND_PLAIN));
		break;
	default:
		put(run, event(MAIN_PUTS_AFTER, run->now, sp_of(run->depth - 1) - 8, CINSTR_SECOND_PLAIN));
		run->depth--;
	}
}

static void put_slow(struct run *run, uint32_t ticks)
{
	put(run, special(CINSTR_SPECIAL(CINSTR_SP_SLOW, CINSTR_OS_VOLUNTARY), run->now, run->now));
	put(run, special(CINSTR_SPECIAL(CINSTR_SP_OS, 0), run->now, some(run, ticks + 3)));
	put(run, special(CINSTR_SPECIAL(CINSTR_SP_SWITCHES, 0), run->now, 2 | 1ull << 32));
	put_event(run);
	run->runtime += 40;
	run->now += 40;
	put(run, special(CINSTR_SPECIAL(CINSTR_SP_RESUME, 0), run->now, run->now));
}

static void put_pause(struct run *run)
{
	put(run, special(CINSTR_SPECIAL(CINSTR_SP_PAUSE, 0), run->now, run->now));
	run->paused += 500;
	run->now += 500;
	put(run, special(CINSTR_SPECIAL(CINSTR_SP_CONTINUE, 0), run->now, run->now));
	put(run, special(CINSTR_SPECIAL(CINSTR_SP_STACK, 0), run->now, run->depth));
}

static void step(struct run *run)
{
	uint32_t ticks = some(run, 4) ? some(run, 60) : 0, kind = some(run, 20);

	if (kind == 0)
		ticks += 2000; /* across several moments, perhaps */
	if (top(run) == REC &&
	    !some(run, 12)) { /* out of all of it, without exits: the time is that of main */
		run->depth = 1;
		spend(run, ticks);
		put(run, event(MAIN_REC_AFTER, run->now, sp_of(1) - 8, CINSTR_SECOND_PLAIN));
		return;
	}
	spend(run, ticks);
	if (kind < 3)
		put_slow(run, ticks);
	else if (kind == 4 && run->depth && !run->announced)
		put_pause(run);
	else
		put_event(run);
}

/* Returns out of all functions above `depth`. */
static void end_all(struct run *run, uint32_t depth)
{
	static const enum maker_site exits[] = {
		[MAIN] = MAIN_EXIT, [WORK] = WORK_EXIT, [REC] = REC_EXIT, [LINED] = LINED_EXIT
	};

	while (run->depth > depth) {
		spend(run, 10 + some(run, 100));
		if (top(run) == PUTS || run->announced)
			put_event(run);
		else
			put_exit(run, exits[top(run)]);
	}
}

/* Moments are chosen first, over the time that a run takes, some of them at once, some at an
 * event's very stamp. */
static void make_run(struct run *run, unsigned seed, uint32_t n_moments)
{
	uint64_t at = FIRST - 100;

	*run = (struct run){ .seed = seed * 7919 + 1, .now = FIRST };
	for (uint32_t i = 0; i < PHASES; i++) {
		at += some(run, 5) ? some(run, 2500) : 0;
		run->moments[i] = at;
	}
	run->n_moments = n_moments;
	put(run, start(run->now));
	while (run->n < RECORDS || run->announced)
		step(run);
	if (seed % 2)
		end_all(run, 0);
}

/* main is open from before, and what it calls is beyond the budget of paths. */
static void put_beyond_budget(struct run *run)
{
	uint32_t root = maker_root(&maker, 0), cell;

	cell = maker_frame(&maker, 0, root, 0, maker_code(MAIN_ENTER), 1, 0);
	maker_open(&maker, 0, cell);
	((struct cinstr_open *)(void *)(maker.bytes + maker_thread_at(&maker, 0)->stack_offset))->where =
		sp_of(1);
	maker_thread_at(&maker, 0)->states[1].enters = 1;
	cell = maker_frame(&maker, 0, root, 0, 0, 0, 0);
	maker_cell_at(&maker, cell)->tag = CINSTR_CELL_MERGED;
	run->stack[run->depth++] = MAIN;
	run->calls[0][MAIN] = 1;
}

static void make_data(struct run *run, unsigned seed, uint32_t n_moments, int beyond_budget)
{
	struct run made;

	begin();
	if (!beyond_budget) {
		make_run(run, seed, n_moments);
	} else {
		uint64_t at = FIRST;

		made = (struct run){ .seed = seed + 5, .now = FIRST, .n_moments = n_moments };
		for (uint32_t i = 0; i < PHASES; i++)
			made.moments[i] = at += 1 + some(&made, 800);
		put_beyond_budget(&made);
		put(&made, start(made.now));
		while (made.n < RECORDS)
			step(&made);
		end_all(&made, 1); /* the inclusive time of what is open is not known */
		*run = made;
	}
	if (n_moments)
		put_phases(run->moments, n_moments);
	maker_records(&maker, 0, run->records, run->n);
	open_data();
}

/* ---- checks ---------------------------------------------------------------------------------- */

static enum function function_of(const struct data_thread *thread, size_t node)
{
	const struct cinstr_cell *cell = thread->nodes[node].cell;

	if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_LINE)
		return LINED;
	if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_CALL)
		return PUTS;
	return !cell->func			      ? OUTSIDE
	       : cell->func == maker_code(MAIN_ENTER) ? MAIN
	       : cell->func == maker_code(WORK_ENTER) ? WORK
	       : cell->func == maker_code(REC_ENTER)  ? REC
						      : LINED;
}

static void check_part(const struct run *run, const struct data_thread *part, uint32_t phase)
{
	uint64_t ticks[FUNCTIONS] = { 0 }, calls[FUNCTIONS] = { 0 };

	for (size_t i = 0; i < part->n_nodes; i++) {
		const struct cinstr_cell *cell = part->nodes[i].cell;

		ticks[function_of(part, i)] += cell->ticks;
		if (CINSTR_CELL_KIND(cell->tag) != CINSTR_CELL_LINE)
			calls[function_of(part, i)] += cell->calls;
		CU_ASSERT(part->nodes[i].parent <= i && part->nodes[i].last >= i &&
			  part->nodes[i].last < part->n_nodes);
	}
	for (int f = 0; f < FUNCTIONS; f++) {
		CU_ASSERT_EQUAL(ticks[f], run->truth[phase][f]);
		CU_ASSERT_EQUAL(calls[f], run->calls[phase][f]);
	}
}

static void check_phases(const struct run *run)
{
	for (uint32_t phase = 0; phase <= run->n_moments; phase++) {
		struct data_thread part;

		if (phase_thread(&data, &data.threads[0], phase, &part)) {
			check_part(run, &part, phase);
			phase_thread_release(&part);
			continue;
		}
		for (int f = 0; f < FUNCTIONS; f++)
			CU_ASSERT_EQUAL(run->truth[phase][f], 0);
	}
}

static uint64_t buckets_of(const struct data *d, const struct cinstr_cell *cell)
{
	uint64_t sum = 0;

	for (uint32_t i = details_buckets(d->memory, cell); i;) {
		const struct cinstr_bucket *b = (const void *)(d->memory + (uint64_t)i * sizeof(*cell));

		sum += (uint64_t)b->bits * 7 + b->intervals * 1000003 + b->ticks * 31 +
		       b->off_cpu_ticks * 17 + b->switches;
		i = b->next;
	}
	return sum;
}

static void check_same_cell(const struct data *whole, const struct cinstr_cell *a,
			    const struct cinstr_cell *b)
{
	CU_ASSERT_EQUAL(a->calls, b->calls);
	CU_ASSERT_EQUAL(a->ticks, b->ticks);
	CU_ASSERT_EQUAL(a->after_ticks, b->after_ticks);
	uint64_t slots_a[CINSTR_SLOTS], slots_b[CINSTR_SLOTS];

	for (uint32_t part = 0; part < CINSTR_DIRTY_PARTS; part++) {
		struct details_extremes x, y;

		details_extremes(whole->memory, a, part, &x);
		details_extremes(data.memory, b, part, &y);
		CU_ASSERT_EQUAL(memcmp(&x, &y, sizeof(x)), 0);
	}
	CU_ASSERT_EQUAL(details_slots(whole->memory, a, slots_a), details_slots(data.memory, b, slots_b));
	CU_ASSERT_EQUAL(memcmp(slots_a, slots_b, sizeof(slots_a)), 0);
	CU_ASSERT_EQUAL(buckets_of(whole, a), buckets_of(&data, b));
}

static size_t child_like(const struct data_thread *t, size_t parent, const struct cinstr_cell *cell)
{
	for (size_t i = parent + 1; i <= t->nodes[parent].last; i++)
		if (t->nodes[i].parent == parent && t->nodes[i].cell->site == cell->site &&
		    t->nodes[i].cell->func == cell->func)
			return i;
	return 0;
}

/* The same records without a phase: the joined tree is that one. */
static void check_same_as_whole(const struct data *whole)
{
	const struct data_thread *a = &whole->threads[0], *b = &data.threads[0];
	size_t *found = xcalloc(a->n_nodes, sizeof(*found));

	CU_ASSERT_EQUAL_FATAL(a->n_nodes, b->n_nodes);
	for (size_t i = 0; i < a->n_nodes; i++) {
		found[i] = i ? child_like(b, found[a->nodes[i].parent], a->nodes[i].cell) : 0;
		CU_ASSERT_FATAL(!i || found[i]);
		check_same_cell(whole, a->nodes[i].cell, b->nodes[found[i]].cell);
	}
	CU_ASSERT_EQUAL_FATAL(a->n_open, b->n_open);
	for (size_t i = 0; i < a->n_open; i++)
		CU_ASSERT_EQUAL(found[a->open[i]], b->open[i]);
	CU_ASSERT_EQUAL(a->n_open_flat, b->n_open_flat);
	CU_ASSERT_EQUAL(a->state->runtime_ticks, b->state->runtime_ticks);
	CU_ASSERT_EQUAL(a->state->paused_ticks, b->state->paused_ticks);
	CU_ASSERT_EQUAL(a->state->enters, b->state->enters);
	CU_ASSERT_EQUAL(a->state->exits, b->state->exits);
	CU_ASSERT_EQUAL(a->state->events, b->state->events);
	CU_ASSERT_EQUAL(a->state->orphans, 0);
	free(found);
}

static uint64_t flat_sum(const struct data_thread *t, uint32_t func, uint32_t site, int what)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->n_flat; i++)
		if (t->flat[i]->func == func && t->flat[i]->site == site)
			sum += what == 0   ? t->flat[i]->ticks
			       : what == 1 ? t->flat[i]->calls
			       : what == 2 ? t->flat[i]->flat_ticks
					   : t->flat[i]->flat_calls;
	return sum;
}

static void check_same_flat(const struct data *whole)
{
	const struct data_thread *a = &whole->threads[0], *b = &data.threads[0];

	CU_ASSERT(b->n_flat >= a->n_flat);
	for (size_t i = 0; i < a->n_flat; i++)
		for (int what = 0; what < 4; what++)
			CU_ASSERT_EQUAL(flat_sum(a, a->flat[i]->func, a->flat[i]->site, what),
					flat_sum(b, a->flat[i]->func, a->flat[i]->site, what));
}

static void random_runs(int beyond_budget)
{
	for (unsigned seed = 0; seed < RUNS; seed++) {
		struct run run;
		struct data whole;

		make_data(&run, seed, 0, beyond_budget);
		maker_release(&maker);
		whole = data;
		make_data(&run, seed, PHASES, beyond_budget);
		CU_ASSERT_EQUAL(values_conservation(&data.threads[0]), 0);
		check_same_as_whole(&whole);
		if (beyond_budget)
			check_same_flat(&whole);
		else
			check_phases(&run);
		CU_ASSERT_EQUAL(data.threads[0].state->runtime_ticks, run.runtime);
		CU_ASSERT_EQUAL(data.threads[0].state->paused_ticks, run.paused);
		data_release(&whole);
		close_data();
	}
}

static void each_interval_has_its_phase_and_owner(void)
{
	random_runs(0);
}

static void the_same_beyond_the_budget_of_paths(void)
{
	random_runs(1);
}

/* ---- choosing -------------------------------------------------------------------------------- */

static void check_selected(const struct run *run, uint32_t first, uint32_t end)
{
	const struct data_thread *t = &data.threads[0];
	uint64_t ticks = 0, truth = 0;
	struct profile profile;

	for (size_t i = 0; i < t->n_nodes; i++)
		ticks += t->nodes[i].cell->ticks;
	for (uint32_t phase = first; phase < end; phase++)
		for (int f = 0; f < FUNCTIONS; f++)
			truth += run->truth[phase][f];
	CU_ASSERT_EQUAL(ticks, truth);
	profile_init(&profile, BY_FUNCTION, &default_counting);
	profile_add(&profile, &data);
	CU_ASSERT_EQUAL(profile.totals.conservation_ticks_off, 0);
	CU_ASSERT_EQUAL(profile.totals.unbalanced, 0);
	CU_ASSERT(nearly(profile.totals.elapsed, truth));
	profile_release(&profile);
}

static void phases_are_chosen(void)
{
	for (unsigned seed = 0; seed < 60; seed++) {
		struct run run;
		uint32_t first, end;

		make_data(&run, seed, PHASES, 0);
		/* Equal moments are one: the phases between them are empty. */
		first = some(&run, PHASES + 1);
		end = first + some(&run, PHASES + 2 - first);
		if ((first && first > 1 && run.moments[first - 2] == run.moments[first - 1]) ||
		    (end > 1 && end <= PHASES && run.moments[end - 2] == run.moments[end - 1]) ||
		    (first && run.moments[first - 1] < data.header->clock_ticks[0])) {
			close_data();
			continue;
		}
		if (phase_at(&run, FIRST - 9) == phase_at(&run, FIRST + 12))
			CU_ASSERT_EQUAL(phases_select(&data, FIRST + 1, UINT64_MAX), -1);
		CU_ASSERT_EQUAL(phases_select(&data, first ? run.moments[first - 1] : 0,
					      end > PHASES ? UINT64_MAX
					      : end	   ? run.moments[end - 1]
							   : 0),
				0);
		check_selected(&run, first, end);
		/* and others, after that */
		CU_ASSERT_EQUAL(phases_select(&data, 0, run.moments[PHASES - 1]), 0);
		check_selected(&run, 0, PHASES);
		close_data();
	}
}

/* ---- one by one ------------------------------------------------------------------------------ */

/* main 100 .., work 300 .. 700, main is still open at 800 */
static void put_main_work(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(MAIN_ENTER, FIRST + 100, 0x111, 0x8001),
		event(MAIN_WORK, FIRST + 300, 0x7000, maker_code(WORK_ENTER)),
		event(WORK_EXIT, FIRST + 700, 0x7000, CINSTR_SECOND_FUSED_EXIT),
		event(MAIN_PUTS, FIRST + 800, 0x222, 0),
	};

	maker_records(&maker, 0, records, ARRAY_SIZE(records));
}

static uint64_t longest(const struct cinstr_cell *cell)
{
	struct details_extremes extremes;

	details_extremes(data.memory, cell, CINSTR_DIRTY_ELAPSED, &extremes);
	return extremes.longest[CINSTR_INCLUSIVE];
}

static void what_is_open_goes_on(void)
{
	uint64_t moments[] = { FIRST + 450 };
	struct data_thread part;

	begin();
	put_phases(moments, 1);
	put_main_work();
	open_data();
	CU_ASSERT_EQUAL(longest(data.threads[0].nodes[2].cell), 400); /* whole */
	CU_ASSERT_EQUAL_FATAL(phase_thread(&data, &data.threads[0], 0, &part), 1);
	CU_ASSERT_EQUAL_FATAL(part.n_nodes, 3);
	CU_ASSERT_EQUAL(part.nodes[2].cell->ticks, 150);
	CU_ASSERT_EQUAL(part.nodes[2].cell->calls, 1);
	CU_ASSERT_EQUAL(longest(part.nodes[2].cell), 0);
	CU_ASSERT_EQUAL(part.n_open, 0);
	phase_thread_release(&part);
	CU_ASSERT_EQUAL_FATAL(phase_thread(&data, &data.threads[0], 1, &part), 1);
	CU_ASSERT_EQUAL_FATAL(part.n_nodes, 4); /* and puts */
	CU_ASSERT_EQUAL(part.nodes[0].cell->ticks, 0);
	CU_ASSERT_EQUAL(part.nodes[1].cell->ticks, 100);
	CU_ASSERT_EQUAL(part.nodes[1].cell->calls, 0);
	CU_ASSERT_EQUAL(part.nodes[2].cell->ticks, 250);
	CU_ASSERT_EQUAL(part.nodes[2].cell->calls, 0);
	CU_ASSERT_EQUAL(longest(part.nodes[2].cell), 400);
	CU_ASSERT_EQUAL(part.n_open, 2);
	phase_thread_release(&part);
	close_data();
}

static void an_event_at_the_moment_belongs_before(void)
{
	uint64_t moments[] = { FIRST + 300 };
	struct data_thread part;

	begin();
	put_phases(moments, 1);
	put_main_work();
	open_data();
	CU_ASSERT_EQUAL_FATAL(phase_thread(&data, &data.threads[0], 0, &part), 1);
	CU_ASSERT_EQUAL_FATAL(part.n_nodes, 3);
	CU_ASSERT_EQUAL(part.nodes[2].cell->calls, 1);
	CU_ASSERT_EQUAL(part.nodes[2].cell->ticks, 0);
	phase_thread_release(&part);
	close_data();
}

/* Off the processor for 5000 of 6000 ticks, across two moments, and one within the runtime's own
 * work. */
static void an_interval_with_events_of_the_system_is_shared(void)
{
	uint64_t moments[] = { FIRST + 2000, FIRST + 4000, FIRST + 6120 }, off_cpu = 0, intervals = 0;
	uint64_t switches = 0, stamp = FIRST + 6100;
	struct cinstr_record records[] = {
		start(FIRST),
		event(MAIN_ENTER, FIRST + 100, 0x111, 0x8001),
		special(CINSTR_SPECIAL(CINSTR_SP_SLOW, CINSTR_OS_VOLUNTARY), stamp, stamp),
		special(CINSTR_SPECIAL(CINSTR_SP_OS, 0), stamp, 5000),
		special(CINSTR_SPECIAL(CINSTR_SP_SWITCHES, 0), stamp, 3),
		event(MAIN_PUTS, FIRST + 6100, 0x222, 0),
		special(CINSTR_SPECIAL(CINSTR_SP_RESUME, 0), FIRST + 6200, FIRST + 6200),
		event(MAIN_PUTS_AFTER, FIRST + 6300, 0x7fc0, CINSTR_SECOND_PLAIN),
	};
	static const uint64_t ticks[] = { 1900, 2000, 2100, 0 };

	begin();
	put_phases(moments, 3);
	maker_records(&maker, 0, records, ARRAY_SIZE(records));
	open_data();
	for (uint32_t phase = 0; phase < 4; phase++) {
		struct data_thread part;
		const struct cinstr_bucket *b;

		CU_ASSERT_EQUAL_FATAL(phase_thread(&data, &data.threads[0], phase, &part), 1);
		CU_ASSERT_EQUAL(part.nodes[1].cell->ticks, ticks[phase]);
		b = (const void *)(data.memory +
				   (uint64_t)details_buckets(data.memory, part.nodes[1].cell) * 64);
		if (phase < 3) {
			CU_ASSERT_EQUAL(b->ticks, ticks[phase]);
			CU_ASSERT_EQUAL(b->bits, CINSTR_OS_VOLUNTARY);
			CU_ASSERT(nearly(b->off_cpu_ticks, 5000.0L * ticks[phase] / 6000) ||
				  b->off_cpu_ticks + 1 == 5000 * ticks[phase] / 6000 ||
				  b->off_cpu_ticks == 5000 * ticks[phase] / 6000 ||
				  b->off_cpu_ticks == 5000 * ticks[phase] / 6000 + 1);
			off_cpu += b->off_cpu_ticks;
			intervals += b->intervals;
			switches += b->switches;
		} else {
			CU_ASSERT_EQUAL(part.nodes[2].cell->ticks, 100);
		}
		phase_thread_release(&part);
	}
	CU_ASSERT_EQUAL(off_cpu, 5000);
	CU_ASSERT_EQUAL(intervals, 1);
	CU_ASSERT_EQUAL(switches, 3);
	CU_ASSERT_EQUAL(data.threads[0].state->runtime_ticks, 100);
	CU_ASSERT_EQUAL(values_conservation(&data.threads[0]), 0);
	close_data();
}

static void a_moment_that_was_only_taken_begins_nothing(void)
{
	uint64_t moments[] = { FIRST + 450, 0 };

	begin();
	put_phases(moments, 2);
	put_main_work();
	open_data();
	CU_ASSERT_EQUAL(data.n_phases, 1);
	close_data();
}

static void expect_problem(const char *text)
{
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	CU_ASSERT_EQUAL_FATAL(data.n_problems, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(data.problems[0].reason, text));
	close_data();
}

static void damaged_lists_are_refused(void)
{
	uint64_t moments[] = { FIRST + 450, FIRST + 400, FIRST + 500 };

	begin();
	put_phases(moments, 3);
	put_main_work();
	expect_problem("out of order after number 1");
	begin();
	put_phases(moments, 1)->n = 505;
	put_main_work();
	expect_problem("longer than its place");
}

static void damaged_roots_are_refused(void)
{
	uint32_t frame, root;

	begin();
	frame = maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	root = maker_frame(&maker, 0, frame, 8, 0, 0, 0);
	maker_cell_at(&maker, root)->tag = CINSTR_CELL_ROOT;
	expect_problem("a root in the wrong place");
	begin();
	frame = maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	maker_thread_at(&maker, 0)->states[1].root = frame;
	expect_problem("its phase has no root");
}

static void marks_know_their_phases(void)
{
	uint64_t moments[] = { FIRST + 450, FIRST + 500 };
	struct phase phase;

	begin();
	put_phases(moments, 2)->left_out = 7;
	maker_mark(&maker, 1000, FIRST + 450, 0, "first")->kind = 1 << 8;
	maker_mark(&maker, 1000, FIRST + 470, 0, "none");
	put_main_work();
	open_data();
	CU_ASSERT_EQUAL(phases_count(&data), 3);
	CU_ASSERT_EQUAL(phases_left_out(&data), 7);
	phase = phases_get(&data, 1);
	CU_ASSERT_EQUAL(phase.begin_ticks, FIRST + 450);
	CU_ASSERT_EQUAL(phase.end_ticks, FIRST + 500);
	CU_ASSERT_PTR_NOT_NULL_FATAL(phase.mark);
	CU_ASSERT_STRING_EQUAL(phase.mark->text, "first");
	CU_ASSERT_EQUAL(phase.mark->kind, CINSTR_MARK_PROGRAM);
	CU_ASSERT_PTR_NULL(phases_get(&data, 2).mark);
	CU_ASSERT_EQUAL(phases_get(&data, 2).end_ticks, UINT64_MAX);
	close_data();
}

CU_TestInfo phases_tests[] = {
	{ "each interval has its phase and owner", each_interval_has_its_phase_and_owner },
	{ "the same beyond the budget of paths", the_same_beyond_the_budget_of_paths },
	{ "phases are chosen", phases_are_chosen },
	{ "what is open goes on", what_is_open_goes_on },
	{ "an event at the moment belongs before it", an_event_at_the_moment_belongs_before },
	{ "an interval with events of the system is shared",
	  an_interval_with_events_of_the_system_is_shared },
	{ "a moment that was only taken begins nothing", a_moment_that_was_only_taken_begins_nothing },
	{ "damaged lists are refused", damaged_lists_are_refused },
	{ "damaged roots are refused", damaged_roots_are_refused },
	{ "marks know their phases", marks_know_their_phases },
	CU_TEST_INFO_NULL,
};
