/* SPDX-License-Identifier: MIT */
/*
 * direct.c - redirects calls by name to stubs that count them, past their callee's sled: one jump
 * less. Such a stub counts for the call itself, so that one count tells of both, the call and the
 * function; where there is none it is the function's own stub.
 *
 * A counted function's sled jumps to its stub, which jumps back behind the sled (patch.c). A call
 * of it in the same module, or a tail call, in front of which is a sled, can lead to the stub at
 * once: the stack is the same. Only the displacement is changed, and only where it lies in one
 * aligned 8-byte word (the plugin sees to that), by one aligned store: a processor fetches the old
 * one or the new one, and either leads to the function. Other calls, and pointers, go by the sled.
 * So do these where the sled, or the function's mark, is not as it was: the stub looks at it first.
 * Breakpoints, uprobes and hooks on a function are met by all calls of it.
 *
 * The target of a call follows from the present state of its callee's sled: so this is done with
 * each switch of sleds (switch.c), under the lock of patch.c, while the text is writable.
 */
#include "runtime.h"
#include "tables.h"

#define WORD 8u
#define DISTANCE 4u /* bytes of a displacement, at the end of the instruction */
#define MASK_4_BYTES 0xffffffffull

static int32_t get32(const char *at)
{
	return (int32_t)((uint32_t)(uint8_t)at[0] | (uint32_t)(uint8_t)at[1] << 8 |
			 (uint32_t)(uint8_t)at[2] << 16 | (uint32_t)(uint8_t)at[3] << 24);
}

static int is_in_text(const struct module *module, const char *at)
{
	return (uint64_t)at >= module->text_start + WORD && (uint64_t)at + 4 * WORD <= module->text_end;
}

static int has_entry_mark(const char *at)
{
	return (uint32_t)get32(at) == ARCH_ENTRY_MARK;
}

/* The sled, if it is the function's first instruction but a mark and its padding; else the entry.
 * In between there may be room that other tools patch (-fpatchable-function-entry). */
static const char *sled_of(const char *entry)
{
	const char *sled = entry + ARCH_ENTRY_MARK_BYTES;

	if (!has_entry_mark(entry))
		return entry;
	return (uint32_t)get32(sled) == ARCH_PADDING_4 ? sled + 4 : sled;
}

const char *direct_entry(const char *sled)
{
	for (unsigned i = ARCH_ENTRY_MARK_BYTES; i <= WORD; i += 4)
		if (has_entry_mark(sled - i) && sled_of(sled - i) == sled)
			return sled - i;
	return sled;
}

/* The stub that the sled jumps to; NULL: none. */
static const char *stub_at(const struct module *module, const char *sled)
{
	const char *stub = sled + ARCH_SLED_BYTES + get32(sled + 1);

	return (uint8_t)*sled == ARCH_JUMP_OPCODE && thunk_is_jumped_to(module->thunks, stub) ? stub : NULL;
}

/* Returns the sled of the function that a call to `to`, its entry or a stub's, enters. If the
 * function has no sled, returns other code of the module, or NULL. */
static const char *sled_behind(const struct module *module, const char *to)
{
	const char *led = thunk_sled_of(module->thunks, to), *sled = led ? led : to;

	if (!is_in_text(module, sled))
		return NULL;
	return led ? led : sled_of(to);
}

/* Where a call to `to`, an entry or a stub's way in, leads as the sleds are now. */
static const char *lead(const struct module *module, const char *to)
{
	const char *sled = sled_behind(module, to), *stub = sled ? stub_at(module, sled) : NULL;

	if (stub)
		return thunk_for_calls(stub);
	return sled && thunk_sled_of(module->thunks, to) ? direct_entry(sled) : to;
}

/* Not for TSan, as in patch.c. */
__attribute__((no_sanitize_thread)) static void store_distance(char *field, uint64_t distance)
{
	unsigned at = (unsigned)(uint64_t)field & (WORD - 1);
	uint64_t *word = (uint64_t *)(void *)(field - at), old = atomic_load_relaxed(word), fresh;

	do {
		fresh = (old & ~(MASK_4_BYTES << at * 8)) | (distance & MASK_4_BYTES) << at * 8;
	} while (!atomic_compare_swap(word, &old, fresh));
}

/* Returns the displacement of the call or tail call by name behind a sled, or NULL: there is no
 * such call, or its displacement cannot be changed. */
static char *field_of(const struct module *module, char *sled, uint32_t info)
{
	uint32_t kind = CINSTR_REC_KIND(info);
	uint8_t opcode = kind == CINSTR_REC_BEFORE ? ARCH_CALL_OPCODE : ARCH_JUMP_OPCODE;
	char *call = sled + ARCH_SLED_BYTES;

	if ((kind != CINSTR_REC_BEFORE && kind != CINSTR_REC_TAIL) ||
	    CINSTR_REC_PAYLOAD(info) == CINSTR_REC_NO_REF || !is_in_text(module, call))
		return NULL;
	while ((uint8_t)*call == ARCH_IDLE_PREFIX)
		call++;
	if ((uint8_t)*call != opcode || ((uint64_t)(call + 1) & (WORD - 1)) > WORD - DISTANCE)
		return NULL;
	return call + 1;
}

const char *direct_counted(const struct module *module, char *sled, uint32_t info)
{
	const char *field = field_of(module, sled, info), *entered;

	entered = field ? sled_behind(module, field + DISTANCE + get32(field)) : NULL;
	return entered && stub_at(module, entered) ? entered + ARCH_SLED_BYTES : NULL;
}

void direct_call(const struct module *module, char *sled, uint32_t info, const char *led)
{
	char *field = field_of(module, sled, info);
	const char *now = field ? field + DISTANCE + get32(field) : NULL, *to;

	if (!field)
		return;
	to = led ? led : lead(module, now);
	if (to != now)
		store_distance(field, (uint64_t)(to - (field + DISTANCE)));
}

int direct_slot(const char *sled_end)
{
	const char *call = sled_end, *to;
	int slot;

	while ((uint8_t)*call == ARCH_IDLE_PREFIX)
		call++;
	if ((uint8_t)*call != ARCH_CALL_OPCODE && (uint8_t)*call != ARCH_JUMP_OPCODE)
		return -1;
	to = call + 1 + DISTANCE + get32(call + 1);
	slot = thunks_slot_before(to - STUB_DIRECT + STUB_END);
	return slot >= 0 ? slot : thunks_slot_before(to - STUB_MARKED + STUB_END);
}

static void lead_sled(const struct module *module, char *sled, uint32_t info)
{
	direct_call(module, sled, info, NULL);
}

void direct_module(struct module *module)
{
	module_each_sled(module, lead_sled);
}
