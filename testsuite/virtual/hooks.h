/* SPDX-License-Identifier: MIT */
/*
 * hooks.h - what the runtime asks in place of the processor and the kernel, where it is built with
 * CINSTR_VIRTUAL (Makefile: $O/virtual/libcinstr.so): the clock, processor time, the counters of
 * system events, restartable sequences. Included by runtime/system/sys.h, runtime/arch/, and by
 * assembly.
 *
 * Nothing of it is in the runtime that is installed. See virtual.h for what programs call.
 */
#ifndef CINSTR_VIRTUAL_HOOKS_H
#define CINSTR_VIRTUAL_HOOKS_H

/* Offsets in struct virtual_thread, for thunk_template.S. */
#define VIRTUAL_NOW 0
#define VIRTUAL_PROBE_TICKS 8

/* Fields of the template (struct thunk_fixup.type), beside those of probe.h. */
#define FIX_VIRTUAL_NOW 32
#define FIX_VIRTUAL_PROBE 33
#define FIX_VIRTUAL_COUNTERS 34

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "virtual.h"

/* A reading by the runtime: moves the clock by what that costs. */
uint64_t virtual_ticks(void);
/* The clocks that time of the program is told by; returns 0 for the others, which are real. */
int virtual_clock(int clock, uint64_t *ns);
void virtual_usage(struct rusage *usage);
/* From the thread pointer to a struct rseq that the kernel does not know. */
ptrdiff_t virtual_rseq_offset(void);
/* The thread's page of its counter, as the kernel maps it; -errno: it has none. */
struct perf_event_mmap_page *virtual_counter_page(void);
uint64_t virtual_counter(uint32_t index);
/* Of a field of this type, from the thread pointer. */
uint32_t virtual_field(uint32_t type);
/* Before the first reading: what readings cost, from the environment. */
void virtual_begin(void);
#endif
#endif
