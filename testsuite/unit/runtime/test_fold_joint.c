/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_fold_joint.c - where calls that are timed meet calls that are counted: programs by chance,
 * whose functions lose their probes and get them back at any moment, in several threads. The fold
 * gets the events that probes would give. No function is ever below itself, each has the calls that
 * were entered with an event, and no tick is lost.
 *
 * The stack is looked at as in a process: runtime/control/lost.c is compiled into this file. No
 * function calls itself, directly or not: which one of its activations an exit is of, no event
 * tells where some were counted.
 */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/util.h"
#include "maker/random_events.h"
#include "runtime/control/lost.c"
#include "runtime/fold/fold_steps.h"

#define FUNCTIONS 6u
#define OTHER FUNCTIONS /* without probes */
#define WORDS 32u
#define CALLS 5u /* by name, but for the last one */
#define TAILS 3u
enum { ENTER, EXIT, CALL, TAIL = CALL + 2 * CALLS };
#define CODE(f, word, kind) ((((f) + 1) * WORDS + (word)) << 3 | CINSTR_EV_##kind)
#define CODES ((FUNCTIONS + 1) * WORDS)
#define TEXT 0x400000u
#define OTHERS_TEXT 0x7f0000u
#define STACK_TOP 0x7fff0000u

#define THREADS 3u
#define STREAMS 600u
#define STEPS 4000u
#define DEEPEST 20u
#define NODES_MAX 20000u
#define CELLS_MAX 40000u
#define SLOTS (1u << 17)
#define STACK_AT (2ull * CINSTR_PAGE)
#define JOURNAL_AT (4ull * CINSTR_PAGE)
#define JOURNAL_BYTES (8u << 20)
#define CELLS_AT (JOURNAL_AT + JOURNAL_BYTES)
#define FILE_BYTES (CELLS_AT + CELLS_MAX * sizeof(struct cinstr_cell))
#define RECORDS_MAX 400u

struct runtime cinstr;

/* ---- the program ----------------------------------------------------------------------------- */

static uint32_t words[CODES];
static uint8_t wrappers[CODES / 8 + 1], counted[CODES / 8 + 1];
static uint16_t names[CODES];
static uint32_t lost[CODES];
static struct fold_sites sites = { words, CODES, wrappers, counted, names };
static uint32_t callees[FUNCTIONS][CALLS + TAILS]; /* by name; OTHER */
static int is_timed[FUNCTIONS];

/* ---- the truth ------------------------------------------------------------------------------- */

struct node {
	uint32_t parent, site, func; /* func 0: a call of what has no probes */
	uint64_t calls, ticks;
};

/* What is open in the tree, as it has to be. */
struct entry {
	uint32_t node, activation;
	int is_frame, is_tailed, is_announced, is_end_lost, is_call_lost;
	uint64_t start, events;
};

struct activation {
	uint32_t function, sp, returns_to;
	uint32_t site;	 /* of the call that began it, or was jumped on from: BEFORE, or 0 */
	uint32_t number; /* no two have the same */
	uint32_t above;	 /* the function that has called it, or jumped to it */
};

struct joint {
	struct thread thread;
	struct probe_state probe;
	struct cinstr_thread *record;
	struct cinstr_record records[RECORDS_MAX];
	uint64_t now, last, n_events;
	struct activation stack[DEEPEST + 2];
	uint32_t depth, next_number;
	struct node nodes[NODES_MAX];
	uint32_t n_nodes;
	struct entry open[4 * DEEPEST];
	uint32_t n_open;
	int is_unsettled; /* the topmost entry is over at the next event */
};

static struct joint joints[THREADS];
static uint64_t n_events;

void slow_note(struct thread *thread, uint32_t type, uint64_t now, uint64_t value)
{
	*thread->probe->cursor++ = (struct cinstr_record){ .code = CINSTR_SPECIAL(type, 0),
							   .time_lo = (uint32_t)now,
							   .extra = (uint32_t)value,
							   .second = (uint32_t)(value >> 32) | 1u << 31 };
}

uint32_t control_count_open(const struct thread *thread)
{
	return thread->record->states[thread->record->commit & 1].depth;
}

static int more_cells(struct fold *fold)
{
	if (fold->cell_end == CELLS_AT / sizeof(struct cinstr_cell) + CELLS_MAX)
		return -1;
	fold->cell_end = CELLS_AT / sizeof(struct cinstr_cell) + CELLS_MAX;
	return 0;
}

static int no_more(struct fold *fold)
{
	(void)fold;
	return -1;
}

/* ---- the tree as it has to be ---------------------------------------------------------------- */

static uint32_t node_of(struct joint *j, uint32_t parent, uint32_t site, uint32_t func)
{
	for (uint32_t i = j->n_nodes; i-- > 1;)
		if (j->nodes[i].parent == parent && j->nodes[i].site == site && j->nodes[i].func == func)
			return i;
	CU_ASSERT_FATAL(j->n_nodes < NODES_MAX);
	j->nodes[j->n_nodes] = (struct node){ parent, site, func, 0, 0 };
	return j->n_nodes++;
}

static struct entry *top_entry(struct joint *j)
{
	return j->n_open ? &j->open[j->n_open - 1] : NULL;
}

static uint32_t current_node(struct joint *j)
{
	return j->n_open ? top_entry(j)->node : 0;
}

static void spend(struct joint *j, uint64_t until)
{
	j->nodes[current_node(j)].ticks += until - j->last;
	j->last = until;
}

static struct entry *begin(struct joint *j, uint32_t site, uint32_t func, uint32_t activation)
{
	struct entry *entry = &j->open[j->n_open];

	*entry = (struct entry){ .node = node_of(j, current_node(j), site, func),
				 .activation = activation,
				 .is_frame = func != 0,
				 .start = j->last,
				 .events = j->n_events };
	j->nodes[entry->node].calls++;
	j->n_open++;
	return entry;
}

/* With what has led to it by tail calls. */
static void end_top(struct joint *j)
{
	while (j->open[j->n_open - 1].is_tailed)
		j->n_open--;
	j->n_open--;
	j->is_unsettled = 0;
}

static void end_lost_entries(struct joint *j)
{
	while (j->n_open) {
		struct entry *top = top_entry(j);

		if (top->is_frame)
			top->is_call_lost = 0;
		if (top->is_frame ? !top->is_end_lost
				  : j->n_open < 2 || !top[-1].is_frame || !top[-1].is_call_lost)
			return;
		end_top(j);
	}
}

/* ---- a look at the stack --------------------------------------------------------------------- */

static uint32_t lost_since(const struct joint *j, uint32_t code)
{
	uint32_t in = lost[code >> 3];

	return in > j->thread.switches ? in : 0;
}

static uint32_t entry_lost_since(const struct joint *j, uint32_t i, int is_end)
{
	const struct entry *base = &j->open[i];

	if (is_end && base->is_frame)
		return lost_since(j, j->nodes[base->node].func);
	while (base->is_tailed)
		base--;
	return CINSTR_CODE_KIND(j->nodes[base->node].site) == CINSTR_EV_BEFORE
		       ? lost_since(j, j->nodes[base->node].site)
		       : 0;
}

/* As it follows from the truth: what lost its end is over when that went. */
static void look(struct joint *j)
{
	for (; j->n_open; end_top(j)) {
		uint32_t in = entry_lost_since(j, j->n_open - 1, 1);
		uint64_t moment = in ? cinstr.lost_ticks[in % SWITCHES_KEPT] : 0;

		const struct entry *top = top_entry(j);
		int is_marked = top->is_frame ? top->is_end_lost
					      : j->n_open > 1 && top[-1].is_frame && top[-1].is_call_lost;

		if (!in && !j->is_unsettled && !is_marked)
			break;
		if (moment > j->last && moment < j->now)
			spend(j, moment);
	}
	for (uint32_t i = 0; i < j->n_open; i++) {
		struct entry *entry = &j->open[i];

		if (!entry->is_frame)
			continue;
		entry->is_end_lost |= entry_lost_since(j, i, 1) != 0;
		if (entry_lost_since(j, i, 0))
			entry->is_announced = 0;
		if (i + 1 < j->n_open && !entry[1].is_frame && entry_lost_since(j, i + 1, 1))
			entry->is_call_lost = 1;
	}
}

/* The same by what the fold has: see check_stack() in runtime/probe/slow.c. */
static void fold_records(struct joint *j)
{
	size_t n = (size_t)(j->probe.cursor - j->records);

	CU_ASSERT_EQUAL(fold_run(&j->thread.fold, j->records, n), n);
	fold_commit(&j->thread.fold);
	j->probe.cursor = j->records;
	slow_note(&j->thread, CINSTR_SP_START, j->last, j->last);
}

static uint32_t site_address(uint32_t code)
{
	return TEXT + CINSTR_CODE_WORD(code);
}

/* Is the address of a call there on the stack? The sled of the event has left its own, too. */
static int returns_somewhere(const struct joint *j, uint32_t where, uint32_t code)
{
	if (CINSTR_CODE_KIND(code) == CINSTR_EV_AFTER &&
	    fold_returns_to(where, site_address(words[code >> 3]) + 15))
		return 1;
	for (uint32_t i = 1; i <= j->depth; i++)
		if (fold_returns_to(where, j->stack[i].returns_to))
			return 1;
	return 0;
}

/* As control_is_called(). */
static int is_called(const struct joint *j, uint32_t code)
{
	uint32_t n = control_count_open(&j->thread);
	const struct cinstr_open *open = thread_entries(&j->thread) + n - 1;
	const struct cinstr_cell *call = n ? fold_entry_cell(&j->thread.fold, open) : NULL;

	return call && CINSTR_CODE_KIND(code) == CINSTR_EV_ENTER && !is_function(call) &&
	       fold_returns_to(open->where, j->stack[j->depth].returns_to) &&
	       (CINSTR_CODE_KIND(call->site) != CINSTR_EV_TAIL ||
		fold_jumps_to(&j->thread.fold, call->site, code));
}

static uint32_t alive_of(const struct joint *j, uint32_t code, uint32_t sp)
{
	const struct cinstr_open *open = thread_entries(&j->thread);
	const struct fold *fold = &j->thread.fold;
	uint32_t depth = control_count_open(&j->thread), n = depth, returned;

	sp += CINSTR_CODE_KIND(code) == CINSTR_EV_ENTER;
	while (n &&
	       !(is_function(fold_entry_cell(fold, &open[n - 1])) && fold_frame_sp(open[n - 1].where) >= sp))
		n--;
	if (n < depth && !is_function(fold_entry_cell(fold, &open[n])))
		n += !n || returns_somewhere(j, open[n].where, code);
	returned = lost_count_returned(&j->thread, code, sp);
	return n > returned ? n : returned;
}

static void look_by_fold(struct joint *j, uint32_t code, uint32_t sp)
{
	struct thread *thread = &j->thread;
	uint64_t from = j->last, ticks;
	uint32_t alive, n, next;
	int called;

	fold_records(j);
	next = n = control_count_open(thread);
	called = is_called(j, code);
	alive = called ? n : alive_of(j, code, sp);
	called &= n > 1 && lost_keeps_end(thread, n - 2);
	while (!called && lost_ends_top(thread, alive, &next, &ticks)) {
		if (ticks > from && ticks < j->now) {
			slow_note(thread, CINSTR_SP_STACK, from, n);
			slow_note(thread, CINSTR_SP_SLOW, ticks, ticks);
			from = ticks;
		}
		n = next;
	}
	slow_note(thread, CINSTR_SP_STACK, from, n);
	lost_note_unseen(thread, n, from);
	slow_note(thread, CINSTR_SP_SLOW, j->now, j->now);
	slow_note(thread, CINSTR_SP_RESUME, j->now, j->now);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Before an event at `now`. */
static void meet(struct joint *j, uint32_t code, uint32_t sp)
{
	n_events++;
	j->n_events++;
	if (j->probe.cursor > j->records + RECORDS_MAX - 4 * DEEPEST - 8)
		fold_records(j);
	if (j->thread.switches == cinstr.switches_done)
		return;
	look_by_fold(j, code, sp);
	look(j);
	spend(j, j->now);
	j->thread.switches = cinstr.switches_done;
}

static void put(struct joint *j, uint32_t code, uint32_t extra, uint32_t second)
{
	if (random_once_in(9))
		slow_note(&j->thread, CINSTR_SP_SLOW, j->now, j->now);
	*j->probe.cursor++ = (struct cinstr_record){ code, (uint32_t)j->now, extra, second };
}

/* The slow path has its own record behind its event: nothing fuses with that. */
static void put_end(struct joint *j)
{
	if (random_once_in(9))
		slow_note(&j->thread, CINSTR_SP_RESUME, j->now, j->now);
}

static void settle(struct joint *j)
{
	if (!j->is_unsettled)
		return;
	end_top(j);
	end_lost_entries(j);
}

/* 1: an event that has no stamp of its own. */
static int fuses(const struct joint *j, uint32_t address, uint32_t second)
{
	const struct cinstr_record *last = j->probe.cursor - 1;

	return last->second == second && CINSTR_CODE_KIND(last->code) != CINSTR_EV_SPECIAL &&
	       address - last->extra <= CINSTR_CALL_BYTES_MAX;
}

static void on_entry(struct joint *j, uint32_t site, int is_jump, struct entry *call)
{
	struct activation *a = &j->stack[j->depth];
	uint32_t code = CODE(a->function, ENTER, ENTER), sp = a->sp - 8;
	int is_tailed = call && call->is_tailed, is_announced = call && call->is_announced;
	int is_next = !call && j->n_open && !top_entry(j)->is_frame &&
		      j->nodes[top_entry(j)->node].site == a->site && top_entry(j)->events == j->n_events;
	struct entry *entry;
	uint64_t until;

	if (!is_timed[a->function])
		return;
	if (fuses(j, a->returns_to, 0) && j->thread.switches == cinstr.switches_done) {
		j->probe.cursor[-1].second = code;
		j->probe.cursor[-1].extra = sp;
		until = j->last; /* it has no stamp of its own */
	} else {
		j->now += random_below(90);
		meet(j, code, sp);
		put(j, code, a->returns_to, sp | 1);
		put_end(j);
		until = j->now;
	}
	if (is_next && j->n_open && j->nodes[top_entry(j)->node].site == a->site) {
		call = top_entry(j); /* a counted function was called, and has jumped here */
		site = a->site;
		is_tailed = 0;
		is_announced = call->is_announced;
	}
	if (call && call == top_entry(j)) { /* it has turned out to be this one */
		uint64_t start = call->start;

		j->nodes[call->node].calls--;
		j->n_open--;
		j->is_unsettled = 0;
		entry = begin(j, site, code, a->number);
		entry->start = start;
		entry->is_tailed = is_tailed;
		entry->is_announced = is_announced;
		spend(j, until);
		return;
	}
	settle(j);
	spend(j, until);
	begin(j, is_jump ? site : 0, code, a->number)->is_tailed = 0;
}

/* Calls by name of what is counted have no events. */
static int has_events(uint32_t function, uint32_t i)
{
	uint32_t callee = callees[function][i];

	return is_timed[function] && (i == CALLS - 1 || callee == OTHER || is_timed[callee]);
}

static struct activation *push_activation(struct joint *j, uint32_t function, uint32_t sp,
					  uint32_t returns_to, uint32_t site)
{
	struct activation *a = &j->stack[++j->depth];

	*a = (struct activation){ function, sp, returns_to, site, ++j->next_number, 0 };
	return a;
}

static uint32_t inner_sp(const struct activation *a)
{
	return a->sp - 32 - 16 * (a->function % 3);
}

static void call(struct joint *j)
{
	struct activation *a = &j->stack[j->depth];
	uint32_t f = a->function, i = random_below(CALLS), callee = callees[f][i];
	uint32_t site = CODE(f, CALL + 2 * i, BEFORE), sp = inner_sp(a), extra = site_address(site) + 5;
	struct entry *entry = NULL;

	if (i == CALLS - 1 && f + 1 < FUNCTIONS)
		callee = f + 1 + random_below(FUNCTIONS - f);
	j->now += random_below(90);
	if (has_events(f, i)) {
		meet(j, site, sp - 8);
		settle(j);
		spend(j, j->now);
		put(j, site, extra, 0);
		entry = begin(j, site, 0, 0);
		entry->is_announced = 1;
		put_end(j);
	}
	a = push_activation(j, callee, sp - 8, extra + 5, site);
	a->above = f;
	if (callee != OTHER)
		on_entry(j, site, 0, entry);
	else if (entry)
		entry->activation = a->number;
}

/* A function without probes calls one that has some. */
static void call_back(struct joint *j)
{
	struct activation *a = &j->stack[j->depth];
	uint32_t above = a->above;

	j->now += random_below(90);
	if (above + 1 >= FUNCTIONS ||
	    (j->n_open > 1 && !j->open[j->n_open - 1].is_frame && !j->open[j->n_open - 2].is_frame))
		return;
	push_activation(j, above + 1 + random_below(FUNCTIONS - above - 1), inner_sp(a) - 8,
			OTHERS_TEXT + 32 * random_below(2), 0);
	on_entry(j, 0, 0, NULL);
}

static void on_exit_event(struct joint *j, const struct activation *a, uint32_t code)
{
	j->now += random_below(90);
	meet(j, code, a->sp - 8);
	settle(j);
	put(j, code, a->returns_to, CINSTR_SECOND_EXIT);
	put_end(j);
	spend(j, j->now);
	if (j->n_open && top_entry(j)->activation == a->number) {
		end_top(j);
		end_lost_entries(j);
	}
}

/* An exit of what has no frame, fused with its after-call, would be taken for this call's. */
static int is_in_another_call(struct joint *j, uint32_t site)
{
	const struct entry *top = top_entry(j);

	for (; top && !top->is_frame && top->is_tailed; top--)
		;
	return top && !top->is_frame && j->nodes[top->node].site != site;
}

/* The call of this site has returned, or what has made tail calls to it. */
static void end_call(struct joint *j, uint32_t site)
{
	const struct entry *base = top_entry(j);

	if (!base || base->is_frame)
		return;
	while (base->is_tailed)
		base--;
	if (j->nodes[base->node].site != site)
		return;
	end_top(j);
	end_lost_entries(j);
}

/* Back in the function that has called, by this site. */
static void on_return(struct joint *j, uint32_t site)
{
	struct activation *a = &j->stack[j->depth];
	uint32_t f = a->function, i = (CINSTR_CODE_WORD(site) / 8 % WORDS - CALL) / 2, sp = inner_sp(a) - 8;
	uint32_t code = CODE(f, CALL + 2 * i + 1, AFTER);

	if (!has_events(f, i))
		return;
	if (fuses(j, site_address(site) + 15, CINSTR_SECOND_EXIT) && !is_in_another_call(j, site) &&
	    j->thread.switches == cinstr.switches_done) {
		j->probe.cursor[-1].second = CINSTR_SECOND_FUSED_EXIT;
		j->probe.cursor[-1].extra = sp;
		end_call(j, site);
		return;
	}
	j->now += random_below(90);
	meet(j, code, sp);
	settle(j);
	spend(j, j->now);
	put(j, code, sp, CINSTR_SECOND_PLAIN);
	put_end(j);
	end_call(j, site);
}

static void leave_function(struct joint *j)
{
	struct activation a = j->stack[j->depth];

	if (a.function == OTHER)
		j->now += random_below(90);
	else if (is_timed[a.function])
		on_exit_event(j, &a, CODE(a.function, EXIT, EXIT));
	j->depth--;
	if (a.site)
		on_return(j, a.site);
}

static void jump(struct joint *j)
{
	struct activation a = j->stack[j->depth];
	uint32_t f = a.function, i = random_below(TAILS), callee = callees[f][CALLS + i];
	uint32_t code = CODE(f, TAIL + i, TAIL);
	struct entry *entry = NULL;
	int is_there, is_announced;

	if (is_timed[f] && callee != OTHER && !is_timed[callee]) {
		on_exit_event(j, &a, CINSTR_CODE_WORD(code) | CINSTR_EV_EXIT);
	} else if (is_timed[f]) {
		j->now += random_below(90);
		meet(j, code, a.sp - 8);
		settle(j);
		spend(j, j->now);
		put(j, code, a.returns_to, 0);
		is_there = j->n_open && top_entry(j)->activation == a.number;
		is_announced = is_there && top_entry(j)->is_announced;
		entry = begin(j, code, 0, 0);
		entry->is_tailed = is_there;
		entry->is_announced = is_announced;
		j->is_unsettled = !is_announced;
		put_end(j);
	}
	j->depth--;
	push_activation(j, callee, a.sp, a.returns_to, a.site)->above = f;
	if (callee != OTHER)
		on_entry(j, code, entry != NULL, entry);
	else if (entry)
		entry->activation = j->stack[j->depth].number;
}

static void step(struct joint *j)
{
	uint32_t f = j->stack[j->depth].function, what = random_below(10);

	if (f == OTHER)
		j->depth < DEEPEST &&what < 3 ? call_back(j) : leave_function(j);
	else if (what < 5 && j->depth < DEEPEST)
		call(j);
	else if (what < 7 && j->depth > 1)
		jump(j);
	else if (j->depth > 1)
		leave_function(j);
}

/* ---- switches -------------------------------------------------------------------------------- */

static void switch_some(uint64_t now)
{
	int was[FUNCTIONS][CALLS], f_was[FUNCTIONS];

	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		f_was[f] = is_timed[f];
		for (uint32_t i = 0; i < CALLS; i++)
			was[f][i] = has_events(f, i);
	}
	cinstr.lost_ticks[++cinstr.switches % SWITCHES_KEPT] = now;
	for (uint32_t n = 1 + random_below(2); n > 0; n--) {
		uint32_t f = random_below(FUNCTIONS), word = CODE(f, ENTER, ENTER) >> 3;

		is_timed[f] = !is_timed[f];
		if (!is_timed[f])
			counted[word >> 3] |= (uint8_t)(1u << (word & 7));
	}
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		if (f_was[f] && !is_timed[f])
			lost[CODE(f, ENTER, ENTER) >> 3] = cinstr.switches;
		for (uint32_t i = 0; i < CALLS; i++)
			if (was[f][i] && !has_events(f, i))
				lost[CODE(f, CALL + 2 * i, BEFORE) >> 3] = cinstr.switches;
	}
	cinstr.switches_done = cinstr.switches;
}

/* ---- streams --------------------------------------------------------------------------------- */

static void program_make(void)
{
	memset(counted, 0, sizeof(counted));
	memset(lost, 0, sizeof(lost));
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		is_timed[f] = 1;
		for (uint32_t word = 0; word < WORDS; word++)
			words[(f + 1) * WORDS + word] = CODE(f, ENTER, ENTER);
		for (uint32_t i = 0; i < CALLS + TAILS; i++)
			callees[f][i] = f + 1 + random_below(FUNCTIONS - f);
		for (uint32_t i = 0; i < CALLS; i++)
			words[CODE(f, CALL + 2 * i + 1, AFTER) >> 3] = CODE(f, CALL + 2 * i, BEFORE);
		names[CODE(f, ENTER, ENTER) >> 3] = (uint16_t)(2 * f + 1);
		for (uint32_t i = 0; i < TAILS; i++)
			names[CODE(f, TAIL + i, TAIL) >> 3] = (uint16_t)(2 * callees[f][CALLS + i] + 1);
	}
	cinstr.sites = sites;
	cinstr.lost = lost;
	cinstr.switches = cinstr.switches_done = 0;
}

static void joint_begin(struct joint *j, char *file, uint32_t *slots, uint64_t now)
{
	memset(file, 0, JOURNAL_AT);
	memset(slots, 0, SLOTS * sizeof(*slots));
	memset(j, 0, sizeof(*j));
	j->record = (void *)(file + CINSTR_PAGE);
	j->record->commit = 1;
	j->record->stack_offset = STACK_AT;
	j->record->stack_bytes = JOURNAL_AT - STACK_AT;
	j->record->journal_offset = JOURNAL_AT;
	j->record->journal_bytes = JOURNAL_BYTES;
	j->thread.record = j->record;
	j->thread.probe = &j->probe;
	j->thread.fold = (struct fold){ .file = file,
					.thread = j->record,
					.sites = &sites,
					.index = { slots, SLOTS, 0 },
					.cell_next = CELLS_AT / sizeof(struct cinstr_cell),
					.cell_end = CELLS_AT / sizeof(struct cinstr_cell),
					.max_cells = CELLS_MAX,
					.max_cells_open = CELLS_MAX,
					.switched = 1,
					.more_cells = more_cells,
					.more_index = no_more,
					.more_stack = no_more };
	CU_ASSERT_EQUAL_FATAL(fold_begin(&j->thread.fold, now), 0);
	j->now = j->last = now;
	j->n_nodes = 1;
	j->probe.cursor = j->records;
	j->probe.end = j->records + RECORDS_MAX;
	slow_note(&j->thread, CINSTR_SP_START, now, now);
	push_activation(j, 0, STACK_TOP, OTHERS_TEXT, 0);
	on_entry(j, 0, 0, NULL);
}

static uint64_t n_frames_open(const struct joint *j)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < control_count_open(&j->thread); i++)
		n += (uint64_t)is_function(fold_entry_cell(&j->thread.fold, &thread_entries(&j->thread)[i]));
	return n;
}

/* Is a function there twice on one path? */
static int is_recursive(struct joint *j, const struct cinstr_cell *cell)
{
	const struct cinstr_cell *above = fold_cell(&j->thread.fold, cell->parent);

	for (; CINSTR_CELL_KIND(above->tag) != CINSTR_CELL_ROOT;
	     above = fold_cell(&j->thread.fold, above->parent))
		if (is_function(above) && above->func == cell->func)
			return 1;
	return 0;
}

static uint64_t calls_of(const struct joint *j, uint32_t func)
{
	uint64_t calls = 0;

	for (uint32_t i = 1; i < j->n_nodes; i++)
		calls += j->nodes[i].func == func ? j->nodes[i].calls : 0;
	return calls;
}

static const char *difference(struct joint *j)
{
	const struct cinstr_fold_state *state = &j->record->states[j->record->commit & 1];
	uint64_t ticks = 0, calls[FUNCTIONS] = { 0 };

	for (uint32_t i = CELLS_AT / sizeof(struct cinstr_cell); i < j->thread.fold.cell_next; i++) {
		const struct cinstr_cell *cell = fold_cell(&j->thread.fold, i);
		uint32_t kind = CINSTR_CELL_KIND(cell->tag);

		if (kind > CINSTR_CELL_CALL || kind < CINSTR_CELL_ROOT)
			continue;
		ticks += cell->ticks;
		if (kind != CINSTR_CELL_FRAME)
			continue;
		if (is_recursive(j, cell))
			return "a function calls itself";
		calls[(cell->func >> 3) / WORDS - 1] += cell->calls;
	}
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		if (calls[f] != calls_of(j, CODE(f, ENTER, ENTER)))
			return "calls";
	if (ticks != j->last - RANDOM_FIRST)
		return "ticks";
	if (state->enters != state->exits + state->implicit_exits + n_frames_open(j))
		return "enters";
	return NULL;
}

static uint64_t latest(void)
{
	uint64_t now = 0;

	for (uint32_t t = 0; t < THREADS; t++)
		now = joints[t].now > now ? joints[t].now : now;
	return now;
}

/* Returns 1 if all is well. */
static int check_stream(char **files, uint32_t **slots, uint32_t seed)
{
	struct random_manners manners = { 0 };
	struct random_events none;
	const char *what = NULL;

	random_events_begin(&none, &manners, seed);
	program_make();
	for (uint32_t t = 0; t < THREADS; t++)
		joint_begin(&joints[t], files[t], slots[t], RANDOM_FIRST);
	for (uint32_t i = 0; i < STEPS && !what; i++) {
		struct joint *j = &joints[random_below(THREADS)];

		step(j);
		if (random_once_in(60)) { /* all threads are at one moment then */
			uint64_t now = latest() + random_below(50);

			switch_some(now);
			for (uint32_t t = 0; t < THREADS; t++)
				joints[t].now = now;
		}
		if (random_once_in(40) || i == STEPS - 1) {
			fold_records(j);
			what = difference(j);
			if (what)
				printf("seed %u, step %u: %s\n", seed, i, what);
		}
	}
	return !what;
}

static void timed_and_counted_calls_meet(void)
{
	char *files[THREADS];
	uint32_t *slots[THREADS], good = 0;

	for (uint32_t t = 0; t < THREADS; t++) {
		files[t] = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		slots[t] = xcalloc(SLOTS, sizeof(uint32_t));
	}
	for (uint32_t seed = 1; seed <= STREAMS; seed++)
		good += (uint32_t)check_stream(files, slots, seed);
	printf("%u streams of seeds 1 to %u, %llu events: ", STREAMS, STREAMS, (unsigned long long)n_events);
	CU_ASSERT_EQUAL(good, STREAMS);
	for (uint32_t t = 0; t < THREADS; t++) {
		munmap(files[t], FILE_BYTES);
		free(slots[t]);
	}
}

/* not by tests.h: a module is something else there than in the runtime */
extern CU_TestInfo fold_joint_tests[];
CU_TestInfo fold_joint_tests[] = {
	{ "timed and counted calls meet", timed_and_counted_calls_meet },
	CU_TEST_INFO_NULL,
};
