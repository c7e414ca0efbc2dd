/* SPDX-License-Identifier: MIT */
/*
 * thunk_more.h - pages of thunks, and the templates whose thunks also store a count with each
 * record (cinstr/call_sums.h): thunk_template.S assembled a second and a third time. For thunk.c
 * and thunk_count.c, as probe.h is.
 */
#ifndef CINSTR_THUNK_MORE_H
#define CINSTR_THUNK_MORE_H

#include "runtime.h"
#include "system/index.h"

#define THUNK_TEMPLATE(as) \
	extern const char thunk_template##as[], thunk_template_end##as[]; \
	extern const struct thunk_fixup thunk_fixups##as[], thunk_fixups_end##as[]; \
	extern const struct thunk_sequence thunk_sequences##as[], thunk_sequences_end##as[]; \
	extern const uint32_t thunk_fast##as[8], thunk_keep##as[8], thunk_slow##as[8]; \
	extern const uint32_t thunk_action##as[8]; \
	extern const uint32_t thunk_silent##as[8]; \
	extern const uint32_t thunk_indirect##as[6], thunk_indirect_nothing##as[6]; \
	extern const uint32_t thunk_enter_only##as[2]; \
	extern const uint32_t thunk_stream##as[8], thunk_stream_slow##as[8]; \
	extern const uint32_t thunk_lock##as[2][6], thunk_unlocked##as[2]; \
	extern const uint32_t thunk_lock_taken##as[2][6], thunk_lock_own##as[1]; \
	extern const uint32_t thunk_object##as[CINSTR_OBJECT_USES], \
		thunk_object_tail##as[CINSTR_OBJECT_USES], thunk_give##as[CINSTR_OBJECT_USES], \
		thunk_give_alone##as[CINSTR_OBJECT_USES]; \
	extern const uint32_t thunk_moves##as[CINSTR_AMOUNT_USES], thunk_moved##as[CINSTR_AMOUNT_USES], \
		thunk_sizes##as[CINSTR_AMOUNT_USES]; \
	extern const uint32_t thunk_holds##as[CINSTR_AMOUNT_USES], thunk_held##as[CINSTR_AMOUNT_USES], \
		thunk_frees##as[8], thunk_frees_alone##as[8]; \
	extern const uint32_t thunk_count##as[CINSTR_COUNTER_BLOCKS], \
		thunk_count_keep##as[CINSTR_COUNTER_BLOCKS], thunk_count_jump##as[CINSTR_COUNTER_BLOCKS]; \
	extern const uint32_t thunk_slow_pointer##as, thunk_early_pointer##as, thunk_slow_reach##as, \
		thunk_has_ticks##as, thunk_is_mute##as, thunk_gives##as, thunk_files##as, thunk_pipes##as, \
		thunk_control_pages##as;

THUNK_TEMPLATE(_sums)
THUNK_TEMPLATE(_counter)

/* What a template's thunks store with each record. */
enum thunk_stores { THUNK_STORES_NOTHING, THUNK_STORES_SUMS, THUNK_STORES_COUNTER };

/* What those of a new copy are to store. */
static inline enum thunk_stores stores_now(void)
{
	return cinstr.counter ? THUNK_STORES_COUNTER : cinstr.sums ? THUNK_STORES_SUMS : THUNK_STORES_NOTHING;
}

/* The part `name` of the template that `thunks` are a copy of. */
#define OF(thunks, name) \
	((thunks)->stores == THUNK_STORES_COUNTER ? thunk_##name##_counter \
	 : (thunks)->stores == THUNK_STORES_SUMS  ? thunk_##name##_sums \
						  : thunk_##name)

static inline size_t template_bytes(enum thunk_stores stores)
{
	return (size_t)(stores == THUNK_STORES_COUNTER ? thunk_template_end_counter - thunk_template_counter
			: stores == THUNK_STORES_SUMS  ? thunk_template_end_sums - thunk_template_sums
						       : thunk_template_end - thunk_template);
}

#define COUNT_BYTES CINSTR_ROOM_FUNCTION /* of a stub that counts */

struct stub {
	struct indirect_call call;
	uint8_t thunk;		/* enum indirect_thunk */
	const uint8_t *operand; /* the operand's address, if it is relative to rip; else NULL */
	uint32_t offset;
};

struct thunks {
	char *page;
	size_t bytes;
	size_t mapped; /* of these; a room grows with the stubs that count */
	const struct module *module;
	uint32_t used; /* template and stubs */
	uint32_t code_offset;
	int in_use;
	int is_room, has_aborts;
	enum thunk_stores stores; /* which template it is a copy of */
	uint32_t n_stubs, max_stubs;
	struct stub *stubs;
	uint32_t counts_at; /* offset of the stubs that count */
	uint32_t n_counts, max_counts;
	uint32_t most_counts; /* of these, in this module's memory */
	uint32_t sites_left;  /* ... that calls may still have, as functions need the others */
	uint32_t *counts;     /* of each of these its STUB_KEY; NULL: no room */
	struct index counts_index;
	struct rseq_cs *sequences;
	int writable;
};

/* Makes the page writable, as it is until thunks_ready(). Returns 1: it is, else 0. */
int thunks_writable(struct thunks *thunks);
/* Returns the page in use, or the room, that the address is in, or NULL. */
const struct thunks *thunks_around(const char *at);
size_t thunks_whole_pages(size_t bytes);

#endif
