/* SPDX-License-Identifier: MIT */
/*
 * thunk_field.c - values of the fields that the template (thunk_template.S) leaves open: offsets in
 * a thread's memory from its thread pointer, and values that depend on the module. Called by
 * thunk.c. It also makes the descriptor of a restartable sequence that no thread executes.
 */
#include <sys/rseq.h>

#include "runtime.h"

/* Where in a thread's memory the fields of these types are, from its probe_state on. */
static const uint16_t field_places[] = {
	[FIX_CURSOR] = PROBE_CURSOR,
	[FIX_END] = PROBE_END,
	[FIX_HIGH] = PROBE_HIGH,
	[FIX_THRESHOLD] = PROBE_THRESHOLD,
	[FIX_SKIP] = PROBE_SKIP,
	[FIX_SEEN] = PROBE_SEEN,
	[FIX_TASKS] = offsetof(struct probe_state, control.tasks),
	[FIX_GATE] = PROBE_GATE,
	[FIX_WAITS] = PROBE_WAITS,
	[FIX_TID] = offsetof(struct probe_state, control.tid),
	[FIX_AWAITED] = PROBE_AWAITED,
	[FIX_AWAITED_SITE] = PROBE_AWAITED_SITE,
	[FIX_AWAITED_HOLDER] = PROBE_AWAITED_HOLDER,
	[FIX_AWAITED_RETURNS] = PROBE_AWAITED_RETURNS,
	[FIX_GAVE] = PROBE_GAVE,
	[FIX_LEFT] = PROBE_LEFT,
	[FIX_COUNTER] = offsetof(struct probe_state, counter),
	[FIX_SEGMENTS] = offsetof(struct probe_state, segments),
	[FIX_MOVES] = PROBE_MOVES,
	[FIX_MOVES_FD] = PROBE_MOVES_FD,
	[FIX_MOVES_SIZE] = PROBE_MOVES_SIZE,
};

uint32_t thunk_field(uint32_t type, uint32_t code_offset)
{
	switch (type) {
	case FIX_ARMED:
		return (uint32_t)cinstr.armed_offset;
	case FIX_CODE:
		return code_offset;
	case FIX_SUM:
	case FIX_SUM + 1:
	case FIX_SUM + 2:
	case FIX_SUM + 3:
		return (uint32_t)(cinstr.sums + (type - FIX_SUM) * sizeof(uint64_t));
#ifdef CINSTR_VIRTUAL
	case FIX_VIRTUAL_NOW:
	case FIX_VIRTUAL_PROBE:
	case FIX_VIRTUAL_COUNTERS:
		return virtual_field(type);
#endif
	default:
		return (uint32_t)(probe_offset + field_places[type]);
	}
}

/* Its abort handler has the signature before it, which the kernel checks nevertheless. */
uint64_t thunks_idle_descriptor(void)
{
	static struct {
		struct rseq_cs sequence;
		uint32_t signature;
		char abort;
	} idle;

	idle.signature = ARCH_RSEQ_SIGNATURE;
	idle.sequence.start_ip = (uint64_t)&idle.sequence;
	idle.sequence.post_commit_offset = 1;
	idle.sequence.abort_ip = (uint64_t)&idle.abort;
	return (uint64_t)&idle.sequence;
}
