/* SPDX-License-Identifier: GPL-3.0-or-later */
/* known_functions.h - what functions of the C library do to the thread that calls them. */
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
	KNOWN_SPIN,	 /* tries, or lets others run: who calls it again and again waits */
	KNOWN_CONDITION, /* waits until another thread tells it to go on */
	KNOWN_JOIN,	 /* ... until one has ended, or all have come */
	KNOWN_SLEEP,
	KNOWN_POLL, /* waits for files to be ready */
	KNOWN_INPUT,
	KNOWN_OUTPUT,
	KNOWN_SYNC,  /* waits for a disk */
	KNOWN_CHILD, /* waits for a process */
};

enum known_function known_function_of(const struct entity *entity);
/* By entity, by the assembler's names. The caller frees it. */
uint8_t *known_functions_make(const struct names *names);

#endif
