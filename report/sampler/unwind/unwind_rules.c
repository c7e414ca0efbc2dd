/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unwind_rules.c - rules by address: a hash table in front of unwind_cfi.c. See internal.h.
 *
 * The frame that the kernel makes for a signal handler is recognised by its code, which calls
 * rt_sigreturn: the ABI fixes the instructions, debuggers look for them too, and not every C
 * library has unwind information there.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/machine_code.h"
#include "internal.h"
#include "lib/util.h"

/* More addresses are not remembered at a time: 100 MB. */
#define RULES_MAX (1u << 20)

struct entry {
	uint64_t pc;
	uint32_t image; /* number + 1, 0: free */
	uint32_t is_call;
	struct rule rule;
};

struct rules {
	struct entry *entries;
	size_t n, size; /* size: a power of two, more than twice n */
};

struct rules *rules_new(void)
{
	struct rules *rules = xcalloc(1, sizeof(*rules));

	rules->size = 1024;
	rules->entries = xcalloc(rules->size, sizeof(*rules->entries));
	return rules;
}

void rules_release(struct rules *rules)
{
	if (!rules)
		return;
	free(rules->entries);
	free(rules);
}

/* Whether a signal's handler has returned there. In the kernel the pointer may be behind the system
 * call. */
static int is_sigreturn(struct image *image, uint64_t pc, int is_call)
{
	uint8_t bytes[MACHINE_SIGRETURN_BYTES];

	if (is_call)
		return image_unwind_read(image, pc + 1, bytes, sizeof(bytes)) == sizeof(bytes) &&
		       !memcmp(bytes, code_sigreturn.bytes, sizeof(bytes));
	for (size_t i = 0; i < MACHINE_SIGRETURN_OFFSETS; i++)
		if (image_unwind_read(image, pc - code_sigreturn.offsets[i], bytes, sizeof(bytes)) ==
			    sizeof(bytes) &&
		    !memcmp(bytes, code_sigreturn.bytes, sizeof(bytes)))
			return 1;
	return 0;
}

static struct entry *slot(const struct rules *rules, uint64_t pc, uint32_t image, uint32_t is_call)
{
	size_t i = (size_t)((pc * 2 + is_call + ((uint64_t)image << 40)) * 0x9e3779b97f4a7c15ull >> 20);

	for (;; i++) {
		struct entry *e = &rules->entries[i & (rules->size - 1)];

		if (!e->image || (e->pc == pc && e->image == image && e->is_call == is_call))
			return e;
	}
}

static void grow(struct rules *rules)
{
	FREED struct entry *old = rules->entries;
	size_t n = rules->size;

	rules->size *= 2;
	rules->entries = xcalloc(rules->size, sizeof(*rules->entries));
	for (size_t i = 0; i < n; i++)
		if (old[i].image)
			*slot(rules, old[i].pc, old[i].image, old[i].is_call) = old[i];
}

static void make_room(struct rules *rules)
{
	if (rules->n >= RULES_MAX) {
		memset(rules->entries, 0, rules->size * sizeof(*rules->entries));
		rules->n = 0;
	} else if (2 * rules->n >= rules->size) {
		grow(rules);
	}
	rules->n++;
}

const struct rule *rules_find(struct rules *rules, struct image *image, uint64_t pc, int is_call)
{
	uint32_t number = image->number + 1;
	struct entry *e = slot(rules, pc, number, (uint32_t)is_call);

	if (e->image)
		return &e->rule;
	make_room(rules);
	e = slot(rules, pc, number, (uint32_t)is_call);
	e->pc = pc;
	e->image = number;
	e->is_call = (uint32_t)is_call;
	if (is_sigreturn(image, pc, is_call))
		e->rule.kind = RULE_SIGNAL;
	else
		cfi_learn(image, pc, &e->rule);
	return &e->rule;
}
