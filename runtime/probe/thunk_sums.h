/* SPDX-License-Identifier: MIT */
/*
 * thunk_sums.h - the template whose thunks also store the executed instructions with each record
 * (cinstr/call_sums.h): thunk_template.S assembled a second time. For thunk.c, as probe.h is.
 */
#ifndef CINSTR_THUNK_SUMS_H
#define CINSTR_THUNK_SUMS_H

#include "probe.h"

extern const char thunk_template_sums[], thunk_template_end_sums[];
extern const struct thunk_fixup thunk_fixups_sums[], thunk_fixups_end_sums[];
extern const struct thunk_sequence thunk_sequences_sums[], thunk_sequences_end_sums[];
extern const uint32_t thunk_fast_sums[8], thunk_keep_sums[8], thunk_slow_sums[8];
extern const uint32_t thunk_action_sums[8];
extern const uint32_t thunk_silent_sums[8];
extern const uint32_t thunk_indirect_sums[6], thunk_indirect_nothing_sums[6];
extern const uint32_t thunk_enter_only_sums[2];
extern const uint32_t thunk_stream_sums[8], thunk_stream_slow_sums[8];
extern const uint32_t thunk_lock_sums[2][6], thunk_unlocked_sums[2];
extern const uint32_t thunk_lock_taken_sums[2][6], thunk_lock_own_sums[1];
extern const uint32_t thunk_object_sums[CINSTR_OBJECT_USES], thunk_object_tail_sums[CINSTR_OBJECT_USES],
	thunk_give_sums[CINSTR_OBJECT_USES], thunk_give_alone_sums[CINSTR_OBJECT_USES];
extern const uint32_t thunk_count_sums[CINSTR_COUNTER_BLOCKS], thunk_count_keep_sums[CINSTR_COUNTER_BLOCKS],
	thunk_count_jump_sums[CINSTR_COUNTER_BLOCKS];
extern const uint32_t thunk_slow_pointer_sums, thunk_early_pointer_sums, thunk_slow_reach_sums,
	thunk_has_ticks_sums, thunk_is_mute_sums, thunk_gives_sums, thunk_control_pages_sums;

/* The part `name` of the template that `thunks` are a copy of. */
#define OF(thunks, name) ((thunks)->has_sums ? thunk_##name##_sums : thunk_##name)

static inline size_t template_bytes(int has_sums)
{
	return (size_t)(has_sums ? thunk_template_end_sums - thunk_template_sums
				 : thunk_template_end - thunk_template);
}

#endif
