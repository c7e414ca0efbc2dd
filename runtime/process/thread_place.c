/* SPDX-License-Identifier: MIT */
/*
 * thread_place.c - the place of each thread's probe_state and struct awaited: in a thread variable
 * of the program (struct cinstr_abi_thread), or in one of the runtime. Chosen once, when the
 * runtime starts.
 */
#include "runtime.h"

static __thread union {
	struct cinstr_abi_thread part;
	struct probe_state probe;
} own_probe = { .probe = { .magic = PROBE_MAGIC } };
ptrdiff_t probe_offset;

void thread_place_probe(ptrdiff_t offset)
{
	if (!probe_offset)
		probe_offset = offset ? offset : (char *)&own_probe - (char *)__builtin_thread_pointer();
}
