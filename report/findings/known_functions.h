/* SPDX-License-Identifier: GPL-3.0-or-later */
/* known_functions.h - the effect of functions of the C library on the thread that calls them. */
#ifndef REPORT_FINDINGS_KNOWN_FUNCTIONS_H
#define REPORT_FINDINGS_KNOWN_FUNCTIONS_H

#include "names/names.h"

enum known_function {
	KNOWN_NOT,
	KNOWN_LOCK,	  /* waits for a mutex or a spin lock */
	KNOWN_READ_LOCK,  /* ... for a reader's part of a lock */
	KNOWN_WRITE_LOCK, /* ... for a writer's */
	KNOWN_SEMAPHORE,
	KNOWN_UNLOCK,
	KNOWN_SPIN,	 /* tries, or lets others run: calling it repeatedly is waiting */
	KNOWN_CONDITION, /* waits until another thread signals */
	KNOWN_JOIN,	 /* ... until a thread has ended, or all have arrived */
	KNOWN_SLEEP,
	KNOWN_POLL, /* waits for files to be ready */
	KNOWN_INPUT,
	KNOWN_OUTPUT,
	KNOWN_SYNC,  /* waits for a disk */
	KNOWN_CHILD, /* waits for a process */
};

enum known_function known_function_of(const struct entity *entity);
/* Returns the enum known_function of each entity, by assembler names. The caller frees the
 * array. */
uint8_t *known_functions_make(const struct names *names);

#endif
