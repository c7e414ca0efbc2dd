/* SPDX-License-Identifier: MIT */
/* sled.h - what a sled calls, in a walk over a module's sleds (switch.c). */
#ifndef CINSTR_SLED_H
#define CINSTR_SLED_H

#include "rules.h"

/* A walk over sleds. */
struct sled_walk {
	struct module *module;
	const struct choice *choice;
	struct rules_subject subject;
	int fresh;	/* nothing is patched yet */
	int selected;	/* the function at hand */
	int level;	/* the same */
	uint32_t slot;	/* its counters, if it is counted */
	int skip_after; /* the before of this after is not wanted */
	int is_waiting; /* of a counted function: the before of this after is */
	/* the before was one of a call that may enter the kernel: so is its after */
	int is_stream;
	/* of a counted function: of the before at hand, or of its after */
	enum cinstr_abi_lock lock;
	int is_event; /* the sled at hand tells of an event */
};

/* Returns the thunk or stub that the record's sled is to call or jump to, or NULL: none, it stays a
 * NOP. Sets at->is_event. The records of a function come one after another. */
const char *sled_thunk(struct sled_walk *at, const struct cinstr_abi_table *table,
		       const struct cinstr_abi_record *record);

#endif
