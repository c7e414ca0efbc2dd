/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_loops.h"

#include <stdlib.h>

#include "arch/operation.h"
#include "code_flow.h"
#include "lib/array.h"
#include "lib/util.h"

/*
 * What a register holds within a round of a loop: the sum of what registers held at the begin of
 * the round (each so many times), of a constant, and, with is_same, of something that no round
 * changes. is_unknown: the register holds something else; if that was read from memory, `from` is
 * the register that held the address at the begin of the round, else it is OPERATION_NONE.
 * is_listed: it was read from a place that is another one in each round, as those of a list of
 * pointers are.
 */
struct value {
	int64_t times[OPERATION_REGISTERS];
	int64_t constant;
	int is_same; /* and something that no round changes */
	int is_unknown;
	int is_listed;
	uint8_t from;
	uint64_t from_at;
};

/* What a register is in the next round. */
enum change { SAME, BY_CONSTANT, BY_SAME, IN_ANOTHER_WAY };

struct step {
	enum change change;
	int64_t bytes; /* BY_CONSTANT */
};

struct round {
	const struct flow *flow;
	const uint8_t *code;
	uint64_t address;     /* of code[0] */
	size_t first, behind; /* steps of the flow */
	struct value at[OPERATION_REGISTERS];
	struct step steps[OPERATION_REGISTERS];
};

static struct value value_of(uint8_t reg)
{
	struct value value = { .from = OPERATION_NONE };

	if (reg != OPERATION_NONE)
		value.times[reg] = 1;
	return value;
}

static struct value unknown(void)
{
	struct value value = { .is_unknown = 1, .from = OPERATION_NONE };

	return value;
}

static struct value same(void)
{
	struct value value = { .is_same = 1, .from = OPERATION_NONE };

	return value;
}

/* a + b * times */
static struct value sum_of(struct value a, const struct value *b, int64_t times)
{
	a.is_unknown |= b->is_unknown;
	a.is_same |= b->is_same;
	a.constant = (int64_t)((uint64_t)a.constant + (uint64_t)b->constant * (uint64_t)times);
	for (int i = 0; i < OPERATION_REGISTERS; i++)
		a.times[i] = (int64_t)((uint64_t)a.times[i] + (uint64_t)b->times[i] * (uint64_t)times);
	a.is_listed = 0;
	a.from = OPERATION_NONE;
	return a;
}

static struct value times_of(const struct value *value, int64_t times)
{
	struct value none = value_of(OPERATION_NONE);

	return times == 1 ? *value : sum_of(none, value, times);
}

static struct value address_of(const struct round *round, const struct operation_address *address)
{
	struct value value = value_of(OPERATION_NONE);

	value.constant = address->displacement;
	if (address->base != OPERATION_NONE)
		value = sum_of(value, &round->at[address->base], 1);
	if (address->index != OPERATION_NONE)
		value = sum_of(value, &round->at[address->index], address->scale);
	return value;
}

/* The only register that the value is made of, once; OPERATION_NONE: there is none. */
static uint8_t only_register(const struct value *value)
{
	uint8_t only = OPERATION_NONE;

	for (uint8_t i = 0; i < OPERATION_REGISTERS; i++) {
		if (!value->times[i])
			continue;
		if (only != OPERATION_NONE || value->times[i] != 1)
			return OPERATION_NONE;
		only = i;
	}
	return value->is_unknown || value->is_same ? OPERATION_NONE : only;
}

/* What lies in the function's frame, or at a fixed address, is taken for the same in all rounds. */
static struct value loaded(const struct round *round, const struct operation_address *address, uint64_t at)
{
	struct value where = address_of(round, address), value = unknown();

	if (address->index == OPERATION_NONE &&
	    (address->base == OPERATION_NONE || operation_is_frame(address->base)))
		return same();
	value.from = only_register(&where);
	value.from_at = at;
	return value;
}

static struct value result_of(const struct round *round, const struct operation *o, uint64_t at)
{
	struct value value = value_of(OPERATION_NONE), other;

	switch (o->kind) {
	case OPERATION_LOAD:
		return loaded(round, &o->address, at);
	case OPERATION_ADDRESS:
		return address_of(round, &o->address);
	case OPERATION_ADD:
	case OPERATION_SUBTRACT:
		value.constant = o->amount;
		if (o->from != OPERATION_NONE)
			value = sum_of(value, &round->at[o->from], 1);
		return sum_of(round->at[o->to], &value, o->kind == OPERATION_ADD ? 1 : -1);
	case OPERATION_ADD_LOADED:
		other = loaded(round, &o->address, at);
		return sum_of(round->at[o->to], &other, 1);
	case OPERATION_MULTIPLY:
		return times_of(&round->at[o->from], o->amount);
	case OPERATION_CONSTANT:
		value.constant = o->amount;
		return value;
	default:
		return unknown();
	}
}

static int read_step(const struct round *round, size_t i, struct operation *o)
{
	const struct instruction *is = &round->flow->steps[i].is;

	return operation_read(round->code + (is->address - round->address), is->length, o);
}

static void execute(struct round *round, const struct operation *o, uint64_t at)
{
	struct value result = o->to != OPERATION_NONE ? result_of(round, o, at) : unknown();

	for (uint8_t i = 0; i < OPERATION_REGISTERS; i++)
		if (o->writes >> i & 1)
			round->at[i] = unknown();
	if (o->to != OPERATION_NONE)
		round->at[o->to] = result;
}

static void begin_round(struct round *round)
{
	for (uint8_t i = 0; i < OPERATION_REGISTERS; i++)
		round->at[i] = value_of(i);
}

/* How a sum of registers changes from round to round, itself not looked at. */
static struct step change_of(const struct round *round, const struct value *value, uint8_t itself)
{
	struct step all = { SAME, 0 };

	if (value->is_unknown)
		return (struct step){ IN_ANOTHER_WAY, 0 };
	for (uint8_t i = 0; i < OPERATION_REGISTERS; i++) {
		const struct step *step = &round->steps[i];

		if (!value->times[i] || i == itself || step->change == SAME)
			continue;
		all.bytes += value->times[i] * step->bytes;
		all.change = step->change > all.change ? step->change : all.change;
	}
	return all;
}

/* Registers that are the same at the end of the round, then those that go on by what is. */
static void find_steps(struct round *round)
{
	for (uint8_t i = 0; i < OPERATION_REGISTERS; i++) {
		const struct value *end = &round->at[i];
		int is_same = only_register(end) == i && !end->constant;

		round->steps[i].change = is_same ? SAME : IN_ANOTHER_WAY;
	}
	for (uint8_t i = 0; i < OPERATION_REGISTERS; i++) {
		const struct value *end = &round->at[i];
		int is_constant = only_register(end) == i;

		if (round->steps[i].change == SAME || end->is_unknown || end->times[i] != 1)
			continue;
		if (is_constant)
			round->steps[i] = (struct step){ BY_CONSTANT, end->constant };
		else if (change_of(round, end, i).change == SAME)
			round->steps[i] = (struct step){ BY_SAME, 0 };
	}
}

static int is_in_frame(const struct operation *o)
{
	return o->address.base != OPERATION_NONE && operation_is_frame(o->address.base);
}

static void add_access(struct code_loop *loop, const struct step *step, uint64_t at)
{
	uint64_t bytes = (uint64_t)(step->bytes < 0 ? -step->bytes : step->bytes);

	if (step->change == SAME || step->change == IN_ANOTHER_WAY || (step->change == BY_CONSTANT && !bytes))
		return;
	loop->moving++;
	if (step->change == BY_CONSTANT && bytes < CODE_LOOPS_LARGE)
		return;
	loop->large++;
	if (!loop->large_at) {
		loop->large_at = at;
		loop->step = step->change == BY_CONSTANT ? bytes : 0;
	}
}

/*
 * Is it in a list of pointers, at the same variable offset from each of them? So a loop goes down a
 * column of a table whose rows are allocated one by one.
 */
static int is_column(const struct round *round, const struct operation *o)
{
	struct operation_address offset = o->address;
	struct value value;
	int is_variable = 0;

	if (offset.base == OPERATION_NONE || !round->at[offset.base].is_listed)
		return 0;
	offset.base = OPERATION_NONE;
	value = address_of(round, &offset);
	for (uint8_t i = 0; i < OPERATION_REGISTERS; i++)
		is_variable |= value.times[i] != 0;
	return (is_variable || value.is_same) && change_of(round, &value, OPERATION_NONE).change == SAME;
}

static void list_pointer(struct round *round, const struct operation *o, const struct step *step)
{
	if (o->kind == OPERATION_LOAD && o->is_pointer && step->change == BY_CONSTANT && step->bytes)
		round->at[o->to].is_listed = 1;
}

/* The round once more, now that it is known which registers go on in which steps. */
static void find_accesses(struct round *round, struct code_loop *loop)
{
	struct operation o;

	begin_round(round);
	for (size_t i = round->first; i < round->behind; i++) {
		uint64_t at = round->flow->steps[i].is.address;

		struct step step = { SAME, 0 };

		if (read_step(round, i, &o))
			continue;
		if (o.is_memory && !is_in_frame(&o)) {
			struct value where = address_of(round, &o.address);

			step = is_column(round, &o) ? (struct step){ BY_SAME, 0 }
						    : change_of(round, &where, OPERATION_NONE);
			add_access(loop, &step, at);
			if (o.is_locked && !loop->locked_at)
				loop->locked_at = at;
			if (o.is_changed && !loop->changed_at)
				loop->changed_at = at;
		}
		execute(round, &o, at);
		list_pointer(round, &o, &step);
	}
}

/* Where a register is in the next round lies where it is in this one. */
static void find_chase(const struct round *round, struct code_loop *loop)
{
	for (uint8_t i = 0; i < OPERATION_REGISTERS && !loop->chase_at; i++)
		if (round->at[i].is_unknown && round->at[i].from == i)
			loop->chase_at = round->at[i].from_at;
}

static void look_at_round(const struct flow *flow, const uint8_t *code, uint64_t address, size_t first,
			  size_t behind, struct code_loop *loop)
{
	struct round round = {
		.flow = flow, .code = code, .address = address, .first = first, .behind = behind
	};
	struct operation o;

	begin_round(&round);
	for (size_t i = first; i < behind; i++)
		if (!read_step(&round, i, &o))
			execute(&round, &o, flow->steps[i].is.address);
	find_steps(&round);
	find_chase(&round, loop);
	find_accesses(&round, loop);
	if (loop->step && loop->large * CODE_LOOPS_LINE >= loop->step)
		loop->large = 0; /* they lie side by side */
}

/* ---- which loops there are ------------------------------------------------------------------- */

static size_t number_of(const struct flow *flow, const struct flow_step *step)
{
	return (size_t)(step - flow->steps);
}

/* Can the jump back at `last` be come to from the loop's head, without leaving the loop's code?
 * Else it is the way back from code that lies apart. */
static int is_loop(struct flow *flow, size_t first, size_t last)
{
	uint64_t end = flow->steps[last].is.address + flow->steps[last].is.length;
	size_t n = 0;

	flow_reach_begin(flow);
	flow->open[n++] = (uint32_t)first;
	while (n) {
		size_t at = flow->open[--n];
		struct flow_step *step = &flow->steps[at];
		const struct flow_step *target;

		if (step->is_reached)
			continue;
		step->is_reached = 1;
		if (at == last)
			return 1;
		if ((step->is.kind == INSTRUCTION_NEXT || step->is.kind == INSTRUCTION_BRANCH) && at < last)
			flow->open[n++] = (uint32_t)at + 1;
		if (step->is.kind != INSTRUCTION_BRANCH && step->is.kind != INSTRUCTION_JUMP)
			continue;
		target = step->is.target >= flow->steps[first].is.address && step->is.target < end
				 ? flow_step_at(flow, step->is.target)
				 : NULL;
		if (target)
			flow->open[n++] = (uint32_t)number_of(flow, target);
	}
	return 0;
}

/* Adds a loop, or makes the one with the same head longer. */
static void add_loop(struct code_loops *loops, size_t *size, const struct code_loop *loop)
{
	for (size_t i = 0; i < loops->n; i++)
		if (loops->list[i].begin == loop->begin) {
			if (loop->end > loops->list[i].end)
				loops->list[i].end = loop->end;
			return;
		}
	ARRAY_ROOM(loops->list, loops->n, *size, 8);
	loops->list[loops->n++] = *loop;
}

static void find_loops(struct code_loops *loops, struct flow *flow)
{
	size_t size = 0;

	for (size_t i = 0; i < flow->n; i++) {
		const struct instruction *is = &flow->steps[i].is;
		const struct flow_step *head;
		struct code_loop loop = { .end = is->address + is->length };

		if ((is->kind != INSTRUCTION_BRANCH && is->kind != INSTRUCTION_JUMP) ||
		    is->target > is->address)
			continue;
		head = flow_step_at(flow, is->target);
		if (!head || !is_loop(flow, number_of(flow, head), i))
			continue;
		loop.begin = head->is.address;
		add_loop(loops, &size, &loop);
	}
}

static int is_within(const struct code_loop *inner, const struct code_loop *outer)
{
	return inner != outer && inner->begin >= outer->begin && inner->end <= outer->end;
}

/* Counts for each loop those around it, and keeps those that have none in them. */
static void keep_inner(struct code_loops *loops)
{
	FREED uint8_t *has_inner = xcalloc(loops->n + 1, 1);
	size_t n = 0;

	for (size_t i = 0; i < loops->n; i++) {
		loops->list[i].depth = 1;
		for (size_t k = 0; k < loops->n; k++) {
			loops->list[i].depth += is_within(&loops->list[i], &loops->list[k]) ? 1 : 0;
			has_inner[i] |= is_within(&loops->list[k], &loops->list[i]) ? 1 : 0;
		}
	}
	for (size_t i = 0; i < loops->n; i++)
		if (!has_inner[i])
			loops->list[n++] = loops->list[i];
	loops->n = n;
}

int code_loops_make(struct code_loops *loops, const uint8_t *code, size_t n, uint64_t address)
{
	struct flow flow;

	*loops = (struct code_loops){ 0 };
	if (flow_read(&flow, code, n, address))
		return -1;
	find_loops(loops, &flow);
	keep_inner(loops);
	for (size_t i = 0; i < loops->n; i++) {
		struct code_loop *loop = &loops->list[i];
		const struct flow_step *behind = flow_step_at(&flow, loop->end);

		look_at_round(&flow, code, address, number_of(&flow, flow_step_at(&flow, loop->begin)),
			      behind ? number_of(&flow, behind) : flow.n, loop);
	}
	flow_release(&flow);
	return 0;
}

void code_loops_release(struct code_loops *loops)
{
	free(loops->list);
	*loops = (struct code_loops){ 0 };
}

int code_loop_is_strided(const struct code_loop *loop)
{
	return loop->large && 2 * loop->large >= loop->moving;
}
