/* SPDX-License-Identifier: MIT */
/*
 * race_tools.h - tells helgrind and drd (of valgrind) which memory is the runtime's: threads share
 * it by rules that these tools do not know (atomic words, membarrier), and their reports on it
 * would hide those on the program. Instructions without effect unless the program runs under
 * valgrind; nothing if valgrind's headers were missing at the build.
 */
#ifndef CINSTR_RACE_TOOLS_H
#define CINSTR_RACE_TOOLS_H

#include <stddef.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>

/* As in valgrind/helgrind.h (MAKE_UNTRACKED) and valgrind/drd.h (START_SUPPRESSION), which cannot
 * both be included. */
#define RACE_TOOLS_HELGRIND (VG_USERREQ_TOOL_BASE('H', 'G') + 295)
#define RACE_TOOLS_DRD (VG_USERREQ_TOOL_BASE('D', 'R') + 2)

static inline void race_tools_ignore(const void *at, size_t bytes)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(RACE_TOOLS_HELGRIND, at, bytes, 0, 0, 0);
	VALGRIND_DO_CLIENT_REQUEST_STMT(RACE_TOOLS_DRD, at, bytes, 0, 0, 0);
}

/*
 * Returns the bytes to leave inaccessible after the runtime's memory: drd takes writable memory
 * right below a thread's stack for a part of the stack (glibc 2.42 has no guard page there), and
 * touches it again when the thread is joined.
 */
static inline size_t race_tools_gap(void)
{
	return RUNNING_ON_VALGRIND ? 4096 : 0;
}
#else
static inline size_t race_tools_gap(void)
{
	return 0;
}

static inline void race_tools_ignore(const void *at, size_t bytes)
{
	(void)at;
	(void)bytes;
}
#endif

#endif
