/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unwind.c - see unwind.h. Finds a frame's caller by the rule of its address (unwind_rules.c), by a
 * step of unwind_cfi.c if there is no simple rule, by a frame pointer if there is no unwind
 * information. Stack and registers belong to the target and are not trusted: every step goes up the
 * stack, and a stack has at most UNWIND_FRAMES_MAX frames.
 */
#include "unwind.h"

#include <stdlib.h>
#include <string.h>

#include "arch/registers.h"
#include "internal.h"
#include "lib/util.h"

/* What a probe has pushed at most, and where it returns to. */
#define PROBE_WORDS_MAX 8

struct unwinder {
	struct rules *rules;
};

/* What one step tells. */
enum outcome { CALLER, INTERRUPTED, OUTERMOST, LOST };

struct walk {
	struct rules *rules;
	const struct space *space;
	struct stack stack;
	struct registers registers;
	int is_call; /* the instruction pointer is where a call returns to */
};

struct unwinder *unwinder_new(void)
{
	struct unwinder *unwinder = xcalloc(1, sizeof(*unwinder));

	unwinder->rules = rules_new();
	return unwinder;
}

void unwinder_release(struct unwinder *unwinder)
{
	if (unwinder)
		rules_release(unwinder->rules);
	free(unwinder);
}

int stack_read(const struct stack *stack, uint64_t address, uint64_t *value)
{
	uint64_t at = address - stack->start;

	if (stack->n < sizeof(*value) || at > stack->n - sizeof(*value))
		return -1;
	memcpy(value, stack->bytes + at, sizeof(*value));
	return 0;
}

/* ---- one step -------------------------------------------------------------------------------- */

static int find_cfa(const struct walk *w, const struct rule *rule, uint64_t *cfa)
{
	if (!(w->registers.known >> rule->cfa_register & 1))
		return -1;
	*cfa = w->registers.value[rule->cfa_register] + (uint64_t)(int64_t)rule->cfa_offset;
	if (!rule->cfa_in_memory)
		return 0;
	if (stack_read(&w->stack, *cfa, cfa))
		return -1;
	*cfa += (uint64_t)(int64_t)rule->cfa_add;
	return 0;
}

/*
 * A place below the stack pointer is not in the copy. Compilers leave it as the rule when they have
 * popped the register: its value is what the register holds.
 */
static void restore(const struct walk *w, const struct place *place, unsigned int n, uint64_t cfa,
		    struct registers *next)
{
	uint64_t address = cfa, value;

	if (place->base == PLACE_SAME)
		return;
	next->known &= ~(1u << n);
	if (place->base == PLACE_UNKNOWN)
		return;
	if (place->base != PLACE_CFA) {
		if (!(w->registers.known >> place->base & 1))
			return;
		address = w->registers.value[place->base];
	}
	address += (uint64_t)(int64_t)place->offset;
	if (address < w->registers.value[MACHINE_SP]) {
		next->known |= w->registers.known & 1u << n;
	} else if (!stack_read(&w->stack, address, &value)) {
		next->value[n] = value;
		next->known |= 1u << n;
	}
}

/* The rule's caller. The stack shrinks: one that does not would go in circles. */
static enum outcome apply(struct walk *w, const struct rule *rule)
{
	struct registers next = w->registers;
	uint64_t cfa;

	if (find_cfa(w, rule, &cfa) || cfa <= w->registers.value[MACHINE_SP])
		return LOST;
	for (int i = 0; i < MACHINE_N_SAVED; i++)
		restore(w, &rule->saved[i], saved_registers[i], cfa, &next);
	if (!(next.known >> MACHINE_IP & 1))
		return LOST;
	next.value[MACHINE_SP] = cfa;
	w->registers = next;
	return CALLER;
}

/* The kernel has put all registers onto the stack, where the handler's return address is in front
 * of them. */
static enum outcome leave_signal(struct walk *w)
{
	uint64_t at = w->registers.value[MACHINE_SP] + signal_registers.offset;
	struct registers next = { .known = (1u << MACHINE_REGISTERS) - 1 };

	for (size_t i = 0; i < signal_registers.n; i++)
		if (stack_read(&w->stack, at + 8 * i, &next.value[signal_registers.number[i]]))
			return LOST;
	w->registers = next;
	return INTERRUPTED;
}

static enum outcome ask(struct walk *w, const struct mapped_image *mapped, uint64_t pc)
{
	uint64_t before = w->registers.value[MACHINE_SP];

	switch (cfi_step(mapped->image, pc - mapped->base, &w->registers, &w->stack)) {
	case 0:
		return OUTERMOST;
	case 1:
		return w->registers.value[MACHINE_SP] > before && w->registers.known >> MACHINE_IP & 1
			       ? CALLER
			       : LOST;
	default:
		return LOST;
	}
}

/* Without unwind information: the frame that the frame pointer points to, if it looks like one. */
static enum outcome follow_frame_pointer(struct walk *w)
{
	uint64_t fp = w->registers.value[MACHINE_FP], caller, next;

	if (w->is_call && code_is_outermost_call(w->space, w->registers.value[MACHINE_IP]))
		return OUTERMOST;
	if (!(w->registers.known >> MACHINE_FP & 1))
		return LOST;
	if (!fp)
		return OUTERMOST;
	if (fp % 8 || fp < w->registers.value[MACHINE_SP] || stack_read(&w->stack, fp, &next) ||
	    stack_read(&w->stack, fp + 8, &caller))
		return LOST;
	if (caller && (!space_find(w->space, caller - 1) || !code_is_after_call(w->space, caller)))
		return LOST;
	w->registers.value[MACHINE_FP] = next;
	w->registers.value[MACHINE_SP] = fp + 16;
	w->registers.value[MACHINE_IP] = caller;
	w->registers.known = 1u << MACHINE_FP | 1u << MACHINE_SP | 1u << MACHINE_IP;
	return CALLER;
}

/* Is it where a call that is in a file returns to? */
static int is_return(const struct walk *w, uint64_t address)
{
	const struct mapped_image *mapped = address ? space_find(w->space, address - 1) : NULL;

	return mapped && mapped->image && code_is_after_call(w->space, address);
}

static enum outcome return_to(struct walk *w, uint64_t caller, uint64_t stack)
{
	w->registers.value[MACHINE_SP] = stack;
	w->registers.value[MACHINE_IP] = caller;
	return CALLER;
}

/*
 * What a sled leads to is in no file, and has no unwind information. It changes no register that
 * calls preserve. A thunk, or a stub that is called, has few words of its own on the stack, if any,
 * and its caller behind them; a stub that a function jumps to at its begin has none, and the stack
 * is as the function was called: it has no frame of its own yet.
 */
static enum outcome leave_probe(struct walk *w)
{
	uint64_t at = w->registers.value[MACHINE_SP], caller;

	if (!stack_read(&w->stack, at, &caller) && is_return(w, caller))
		return return_to(w, caller, at + 8);
	for (int i = 0; i < PROBE_WORDS_MAX && !stack_read(&w->stack, at, &caller); i++) {
		at += 8;
		if (code_is_after_sled(w->space, caller))
			return return_to(w, caller, at);
	}
	return LOST;
}

/* Code outside of any file. */
static enum outcome leave_unknown(struct walk *w)
{
	if (!w->is_call && leave_probe(w) == CALLER)
		return CALLER;
	return follow_frame_pointer(w);
}

static enum outcome step(struct walk *w)
{
	uint64_t pc = w->registers.value[MACHINE_IP] - (w->is_call ? 1 : 0);
	const struct mapped_image *mapped = space_find(w->space, pc);
	const struct rule *rule;

	if (!mapped || !mapped->image)
		return leave_unknown(w);
	rule = rules_find(w->rules, mapped->image, pc - mapped->base, w->is_call);
	switch (rule->kind) {
	case RULE_STEP:
		return apply(w, rule);
	case RULE_END:
		return OUTERMOST;
	case RULE_SIGNAL:
		return leave_signal(w);
	case RULE_ASK:
		return ask(w, mapped, pc);
	default:
		return follow_frame_pointer(w);
	}
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static size_t walk(struct walk *w, struct frame *frames, size_t max, int *truncated)
{
	size_t n = 0;

	frames[n++].address = w->registers.value[MACHINE_IP];
	for (;;) {
		enum outcome outcome = step(w);
		uint64_t pc = w->registers.value[MACHINE_IP];

		if (outcome == OUTERMOST || (outcome == CALLER && !pc))
			return n;
		w->is_call = outcome == CALLER;
		pc -= (uint64_t)w->is_call;
		if (outcome == LOST || n == max || !space_find(w->space, pc)) {
			*truncated = 1;
			return n;
		}
		frames[n++].address = pc;
	}
}

static size_t unwind_copy(struct unwinder *unwinder, const struct space *space,
			  const struct raw_sample *sample, struct frame *frames, size_t max, int *truncated)
{
	struct walk w = {
		.rules = unwinder->rules,
		.space = space,
		.stack = { sample->stack, sample->registers[MACHINE_SP], sample->stack_bytes },
		.registers.known = (1u << MACHINE_REGISTERS) - 1,
	};

	memcpy(w.registers.value, sample->registers, sizeof(w.registers.value));
	return walk(&w, frames, max, truncated);
}

/* Whether the caller at the end of a chain has none itself. What has no unwind information is
 * believed. */
static int is_outermost(struct unwinder *unwinder, const struct space *space, uint64_t pc)
{
	const struct mapped_image *mapped = space_find(space, pc);
	const struct rule *rule;

	if (!mapped || !mapped->image)
		return 1;
	rule = rules_find(unwinder->rules, mapped->image, pc - mapped->base, 1);
	return rule->kind == RULE_END || rule->kind == RULE_NONE || code_is_outermost_call(space, pc + 1);
}

static size_t unwind_chain(struct unwinder *unwinder, const struct space *space,
			   const struct raw_sample *sample, struct frame *frames, size_t max, int *truncated)
{
	size_t n = 0;

	frames[n++].address = sample->registers[MACHINE_IP];
	for (size_t i = 0; i < sample->n_chain && sample->chain[i]; i++) {
		uint64_t pc = sample->chain[i] - 1;

		if (n == max || !space_find(space, pc)) {
			*truncated = 1;
			return n;
		}
		frames[n++].address = pc;
	}
	*truncated = n > 1 && !is_outermost(unwinder, space, frames[n - 1].address);
	return n;
}

struct image *unwind_blind(struct unwinder *unwinder, const struct space *space, uint64_t address)
{
	const struct mapped_image *mapped = space_find(space, address);

	if (!mapped || !mapped->image ||
	    rules_find(unwinder->rules, mapped->image, address - mapped->base, 1)->kind != RULE_NONE)
		return NULL;
	return mapped->image;
}

size_t unwind(struct unwinder *unwinder, const struct space *space, const struct raw_sample *sample,
	      struct frame *frames, size_t max, int *truncated)
{
	*truncated = 0;
	if (!max || !sample->registers[MACHINE_IP])
		return 0;
	if (sample->stack && sample->has_registers)
		return unwind_copy(unwinder, space, sample, frames, max, truncated);
	return unwind_chain(unwinder, space, sample, frames, max, truncated);
}
