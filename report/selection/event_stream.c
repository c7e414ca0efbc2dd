/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * event_stream.c - see event_stream.h. Folds each group of records alone and compares the stack
 * before and after. A call stays in the queue until the next group shows that it is not the enter
 * of a function with probes, and, if short calls are left out, until it is long enough. Shorter
 * calls inside are dropped by then, so at most the open calls are queued.
 */
#include "event_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/util.h"

#define NOT_HELD UINT64_MAX
#define NOT_QUEUED UINT64_MAX
#define NOT_KNOWN UINT64_MAX

/* ---- queue ----------------------------------------------------------------------------------- */

static struct stream_event *queued(struct event_stream *trace, uint64_t sequence)
{
	return sequence >= trace->first && sequence < trace->end ? &trace->queue[sequence % trace->size_queue]
								 : NULL;
}

static void queue_grow(struct event_stream *trace)
{
	size_t size = trace->size_queue ? 2 * trace->size_queue : 64;
	struct stream_event *queue = xcalloc(size, sizeof(*queue));

	for (uint64_t i = trace->first; i < trace->end; i++)
		queue[i % size] = trace->queue[i % trace->size_queue];
	free(trace->queue);
	trace->queue = queue;
	trace->size_queue = size;
}

static struct stream_event *queue_add(struct event_stream *trace, enum stream_kind kind, uint64_t ticks)
{
	struct stream_event *event;

	if (trace->end - trace->first == trace->size_queue)
		queue_grow(trace);
	event = &trace->queue[trace->end++ % trace->size_queue];
	*event = (struct stream_event){ .kind = kind, .ticks = ticks, .depth = (uint32_t)trace->depth };
	return event;
}

static int is_begin(const struct stream_event *event)
{
	return event->kind == STREAM_ENTER || event->kind == STREAM_CALL || event->kind == STREAM_RUNNING;
}

static uint64_t outside(const struct cinstr_fold_state *state)
{
	return state->runtime_ticks + state->paused_ticks;
}

/* Whether the queue's first event is still to be told from what has not been read. */
static int is_undecided(const struct event_stream *trace, const struct stream_event *event)
{
	const struct cinstr_fold_state *state = replay_state(&trace->replay);

	if (trace->first == trace->held)
		return 1;
	/* As its duration will be: without the runtime's own time. */
	return trace->min_ticks && !trace->is_over && is_begin(event) &&
	       state->time - outside(state) - event->start_ticks < trace->min_ticks;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static uint32_t kind_of(const struct cinstr_cell *cell)
{
	return CINSTR_CELL_KIND(cell->tag);
}

static int is_frame(uint32_t kind)
{
	return kind == CINSTR_CELL_FRAME || kind == CINSTR_CELL_FLAT_FRAME;
}

/* Of an entry of the stack: the call's, not that of the line it is in. */
static uint32_t call_cell(const struct event_stream *trace, uint32_t index)
{
	const struct cinstr_cell *cell = replay_cell(&trace->replay, index);

	return kind_of(cell) == CINSTR_CELL_LINE ? cell->parent : index;
}

static struct stream_function function_of(const struct event_stream *trace, uint32_t cell)
{
	const struct cinstr_cell *c = replay_cell(&trace->replay, cell);

	return (struct stream_function){ c->func, c->site, kind_of(c), c->last_exit };
}

/* Of the call at this depth, from 1. */
static void describe(const struct event_stream *trace, struct stream_event *event, size_t depth)
{
	event->depth = (uint32_t)depth;
	event->function = function_of(trace, trace->stack[depth - 1].cell);
	if (depth > 1)
		event->caller = function_of(trace, trace->stack[depth - 2].cell);
}

struct cinstr_cell stream_cell(const struct stream_function *function)
{
	return (struct cinstr_cell){ .func = function->func,
				     .site = function->site,
				     .tag = function->tag,
				     .last_exit = function->last_exit };
}

static uint32_t site_word(const struct event_stream *trace, uint32_t code)
{
	const struct fold_sites *sites = trace->replay.fold.sites;

	return code >> 3 < sites->n_words ? sites->words[code >> 3] : 0;
}

/* ---- one group ------------------------------------------------------------------------------- */

/* What a group has done. */
struct step {
	const struct replay_group *group;
	uint32_t kind; /* of its event */
	struct cinstr_fold_state before, after;
	int exits;  /* a function that was on the stack, by its exit */
	int adopts; /* a function whose enter was not recorded */
	/* the interval was time of what had been on top, though it ended without a return (R4) */
	int is_late;
};

/* Of intervals before it that have ended with nothing that is told. */
static void add_untold(struct event_stream *trace, struct stream_event *event)
{
	struct stream_untold *untold = &trace->untold;

	event->os_bits |= untold->os_bits;
	event->off_cpu_ticks += untold->off_cpu_ticks;
	event->switches += untold->switches;
	*untold = (struct stream_untold){ .is_taken = untold->is_taken };
}

/* The same, and of the interval that it ends. */
static void add_os(struct event_stream *trace, struct stream_event *event, const struct replay_group *group)
{
	event->os_bits |= group->os_bits;
	event->off_cpu_ticks += group->off_cpu_ticks;
	event->switches += group->switches;
	add_untold(trace, event);
	trace->untold.is_taken = 1;
}

/* The group is done with: if nothing has told of what the operating system did, the next will. */
static void keep_untold(struct event_stream *trace, const struct replay_group *group)
{
	struct stream_untold *untold = &trace->untold;

	if (!untold->is_taken) {
		untold->os_bits |= group->os_bits;
		untold->off_cpu_ticks += group->off_cpu_ticks;
		untold->switches += group->switches;
	}
	untold->is_taken = 0;
}

/* The call on top of the stack is over. */
static void end_call(struct event_stream *trace, const struct step *step, int is_last)
{
	const struct stream_open *open = &trace->stack[--trace->depth];
	const struct cinstr_cell *cell = replay_cell(&trace->replay, open->cell);
	int frame = is_frame(kind_of(cell));
	uint32_t site = step->kind == CINSTR_EV_AFTER ? site_word(trace, step->group->event->code) : 0;
	int is_usual =
		is_last &&
		(frame ? step->exits
		       : site && (cell->site == site || CINSTR_CODE_KIND(cell->site) == CINSTR_EV_TAIL));
	const struct cinstr_fold_state *state = is_usual || step->is_late ? &step->after : &step->before;
	uint64_t duration = state->time - outside(state) - open->open.start_ticks;
	struct stream_event *begin = queued(trace, open->sequence), none = { 0 }, *event = &none;

	if (trace->min_ticks && duration < trace->min_ticks && begin) {
		begin->kind = STREAM_NONE; /* nor are its end and the system's part in it told */
	} else {
		event = queue_add(trace,
				  is_usual ? (frame ? STREAM_EXIT : STREAM_RETURN)
					   : (frame ? STREAM_IMPLICIT_EXIT : STREAM_IMPLICIT_RETURN),
				  state->time);
		describe(trace, event, trace->depth + 1);
		event->duration_ticks = duration;
	}
	if (step->is_late ? trace->depth + 1 == step->before.depth : is_usual)
		add_os(trace, event, step->group);
	else if (state == &step->before) /* it is over since those have ended */
		add_untold(trace, event);
}

static void stack_push(struct event_stream *trace, const struct cinstr_open *open, uint64_t sequence)
{
	ARRAY_ROOM(trace->stack, trace->depth, trace->size, 64);
	trace->stack[trace->depth++] = (struct stream_open){ *open, call_cell(trace, open->cell), sequence };
}

static void begin_call(struct event_stream *trace, const struct step *step, const struct cinstr_open *open,
		       int was_running)
{
	struct stream_event *event;
	const struct cinstr_cell *cell = replay_cell(&trace->replay, call_cell(trace, open->cell));
	int frame = is_frame(kind_of(cell));

	stack_push(trace, open, trace->end);
	if (!frame)
		trace->held = trace->end;
	event = queue_add(trace,
			  was_running ? STREAM_RUNNING
			  : frame     ? STREAM_ENTER
				      : STREAM_CALL,
			  step->after.time);
	event->start_ticks = open->start_ticks;
	describe(trace, event, trace->depth);
	add_os(trace, event, step->group);
}

/* A function whose enter was not recorded, and which ends here. */
static void pass_through(struct event_stream *trace, const struct step *step)
{
	uint32_t func = site_word(trace, step->group->event->code);

	for (int i = 0; i < 2; i++) {
		struct stream_event *event =
			queue_add(trace, i ? STREAM_EXIT : STREAM_RUNNING, step->after.time);

		event->depth++;
		event->function = (struct stream_function){ .func = func, .tag = CINSTR_CELL_FRAME };
		event->duration_ticks = NOT_KNOWN;
		if (i)
			add_os(trace, event, step->group);
	}
}

/* The call that was announced was one of a function with probes. */
static int turns_into_enter(struct event_stream *trace, const struct step *step,
			    const struct cinstr_open *now)
{
	struct stream_open *top = &trace->stack[trace->depth - 1];
	struct stream_event *event = queued(trace, top->sequence);

	if (step->kind != CINSTR_EV_ENTER || step->after.depth != step->before.depth || !trace->depth ||
	    is_frame(kind_of(replay_cell(&trace->replay, top->cell))) ||
	    now[trace->depth - 1].start_ticks != top->open.start_ticks)
		return 0;
	top->open = now[trace->depth - 1];
	top->cell = call_cell(trace, top->open.cell);
	if (event) { /* at the call's moment: what was between is the next one's (keep_untold) */
		event->kind = STREAM_ENTER;
		describe(trace, event, trace->depth);
	}
	return 1;
}

/* How much of the stack is what it was. */
static size_t common_depth(const struct event_stream *trace, const struct step *step,
			   const struct cinstr_open *now)
{
	size_t n = trace->depth < step->after.depth ? trace->depth : step->after.depth;

	while (n) {
		const struct stream_open *then = &trace->stack[n - 1];

		if (then->open.start_ticks == now[n - 1].start_ticks &&
		    !((then->open.where ^ now[n - 1].where) & ~(WHERE_ANNOUNCED | WHERE_UNSEEN)) &&
		    then->cell == call_cell(trace, now[n - 1].cell))
			break;
		n--;
	}
	/* The exit of one and the enter of another, in its place and at the same moment. */
	return step->exits && n == trace->depth && n ? n - 1 : n;
}

/* What is open from entry n on ends. The one that the event is the end of, with those that it was
 * called by by tail calls: up to which? */
static size_t last_to_end(const struct event_stream *trace, size_t n)
{
	while (n + 1 < trace->depth && trace->stack[n + 1].open.flags & CINSTR_OPEN_TAILED)
		n++;
	return n;
}

static void compare_stacks(struct event_stream *trace, const struct step *step)
{
	const struct cinstr_open *now = replay_stack(&trace->replay);
	size_t n, last;

	if (trace->depth && turns_into_enter(trace, step, now))
		return;
	n = common_depth(trace, step, now);
	last = last_to_end(trace, n);
	while (trace->depth > n)
		end_call(trace, step, trace->depth <= last + 1);
	if (step->adopts && (step->kind == CINSTR_EV_EXIT || step->kind == CINSTR_EV_TAIL))
		pass_through(trace, step);
	for (size_t i = n; i < step->after.depth; i++)
		begin_call(trace, step, &now[i],
			   i == n && step->adopts && step->kind != CINSTR_EV_EXIT &&
				   step->kind != CINSTR_EV_TAIL);
}

static void special(struct event_stream *trace, const struct step *step)
{
	const struct cinstr_record *r = step->group->records;
	struct stream_event *event;

	switch (CINSTR_CODE_KIND(r->code) == CINSTR_EV_SPECIAL ? CINSTR_SPECIAL_TYPE(r->code) : 0) {
	case CINSTR_SP_LOST:
		queue_add(trace, STREAM_LOST, step->after.time)->count = CINSTR_SPECIAL_VALUE(r);
		break;
	case CINSTR_SP_PAUSE:
		add_os(trace, queue_add(trace, STREAM_PAUSE, step->after.time), step->group);
		break;
	case CINSTR_SP_CONTINUE:
		event = queue_add(trace, STREAM_CONTINUE, step->after.time);
		event->duration_ticks = step->after.paused_ticks - step->before.paused_ticks;
		break;
	}
}

/* What was open before a gap is not known behind it: functions are found as they show up. */
static void skip_gap(struct event_stream *trace, const struct replay_group *group)
{
	struct cinstr_fold_state *state = replay_state(&trace->replay);
	struct stream_event *event = queue_add(trace, STREAM_MISSING, group->time);

	if (group->time > state->time)
		event->duration_ticks = group->time - state->time;
	if (trace->replay.data->header->timeline_mode == CINSTR_TIMELINE_FIRST)
		event->count = trace->replay.thread->record->timeline_lost;
	event->depth = 0;
	trace->gaps++;
	trace->depth = 0;
	state->depth = 0;
	state->current = state->slot = trace->replay.record->root;
	state->slot_across = 0;
	state->unsettled = 1;
	state->pauses++;
}

/* The group's interval lies in what is told as missing: what the operating system did then, too. */
static struct replay_group behind_gap(struct event_stream *trace, const struct replay_group *group)
{
	struct replay_group first = *group;

	skip_gap(trace, group);
	trace->untold = (struct stream_untold){ 0 };
	first.os_bits = 0;
	first.off_cpu_ticks = first.switches = 0;
	return first;
}

static void step(struct event_stream *trace, const struct replay_group *group)
{
	struct replay_group first = group->has_gap ? behind_gap(trace, group) : *group;
	struct step s = { .group = &first };
	uint64_t ticks;

	s.kind = group->event ? CINSTR_CODE_KIND(group->event->code) : CINSTR_EV_SPECIAL;
	s.before = *replay_state(&trace->replay);
	ticks = replay_cell(&trace->replay, s.before.current)->ticks;
	replay_fold(&trace->replay, group->records, group->n);
	s.is_late = replay_cell(&trace->replay, s.before.current)->ticks != ticks;
	s.after = *replay_state(&trace->replay);
	s.adopts = s.after.repaired != s.before.repaired;
	s.exits = s.after.exits != s.before.exits && !s.adopts;
	if (group->event) /* the recording's own work may lie between a call and its enter */
		trace->held = NOT_HELD;
	special(trace, &s);
	compare_stacks(trace, &s);
	if (s.kind == CINSTR_EV_LINE && s.after.orphans == s.before.orphans) {
		struct stream_event *event = queue_add(trace, STREAM_LINE, s.after.time);

		if (trace->depth)
			describe(trace, event, trace->depth);
		event->line = group->event->code;
		add_os(trace, event, &first);
	}
	keep_untold(trace, &first);
}

/* ---- a thread -------------------------------------------------------------------------------- */

static void finish(struct event_stream *trace)
{
	const struct cinstr_thread *record = trace->replay.thread->record;
	const struct replay_group none = { 0 };
	struct step s = { .group = &none };
	int has_ended = record->state == CINSTR_THREAD_ENDED;

	trace->held = NOT_HELD;
	trace->is_over = 1;
	if (record->timeline_lost && !trace->gaps) {
		queue_add(trace, STREAM_MISSING, replay_state(&trace->replay)->time)->count =
			record->timeline_lost;
	} else if (has_ended) {
		s.before = *replay_state(&trace->replay);
		replay_close(&trace->replay);
		s.after = *replay_state(&trace->replay);
		compare_stacks(trace, &s);
	}
	if (has_ended)
		queue_add(trace, STREAM_THREAD_END, trace->replay.thread->state->time);
}

/* Folds what is before the first moment to be told, over gaps too. */
static void skip(struct event_stream *trace, uint64_t from_ticks)
{
	struct replay_group group;
	const struct cinstr_open *now;
	int more;

	while ((more = replay_until(&trace->replay, from_ticks, &group)) < 0 && trace->replay.has_piece &&
	       trace->replay.at < trace->replay.piece.n_records) {
		group = (struct replay_group){ .time = trace->replay.piece.start_ticks };
		skip_gap(trace, &group);
	}
	if (more == 1)
		replay_unread(&trace->replay, &group);
	now = replay_stack(&trace->replay);
	for (uint32_t i = 0; i < replay_state(&trace->replay)->depth; i++)
		stack_push(trace, &now[i], NOT_QUEUED);
	trace->first = trace->end; /* gaps before it are not told */
}

int stream_open(struct event_stream *trace, struct data *data, const struct data_thread *thread,
		uint64_t from_ticks, uint64_t min_ticks)
{
	const struct cinstr_open *now;

	*trace = (struct event_stream){ .min_ticks = min_ticks, .held = NOT_HELD };
	if (replay_open(&trace->replay, data, thread) && (replay_release(&trace->replay), 1) &&
	    replay_open_empty(&trace->replay, data, thread))
		return -1;
	queue_grow(trace);
	if (from_ticks > thread->record->first_ticks) {
		skip(trace, from_ticks);
		return 0;
	}
	queue_add(trace, STREAM_THREAD_BEGIN, thread->record->first_ticks);
	now = replay_stack(&trace->replay);
	for (uint32_t i = 0; i < replay_state(&trace->replay)->depth; i++) { /* of a forked child */
		struct stream_event *event;

		stack_push(trace, &now[i], NOT_QUEUED);
		event = queue_add(trace,
				  is_frame(kind_of(replay_cell(&trace->replay, now[i].cell))) ? STREAM_RUNNING
											      : STREAM_CALL,
				  thread->record->first_ticks);
		describe(trace, event, trace->depth);
	}
	return 0;
}

int stream_next(struct event_stream *trace, struct stream_event *event)
{
	struct replay_group group;

	for (;;) {
		const struct stream_event *head = queued(trace, trace->first);

		if (head && head->kind == STREAM_NONE) {
			trace->first++;
		} else if (head && !is_undecided(trace, head)) {
			*event = *head;
			trace->first++;
			return 1;
		} else if (trace->is_over) {
			return 0;
		} else if (replay_next(&trace->replay, &group)) {
			step(trace, &group);
		} else {
			finish(trace);
		}
	}
}

uint64_t stream_ticks_least(uint64_t ns, long double ns_per_tick)
{
	return ns ? (uint64_t)ceill(((long double)ns - 0.5L) / ns_per_tick) : 0;
}

void stream_release(struct event_stream *trace)
{
	replay_release(&trace->replay);
	free(trace->stack);
	free(trace->queue);
	*trace = (struct event_stream){ .replay.timeline.fd = -1 };
}
