/* SPDX-License-Identifier: MIT */
/* sled.h - finds the thunk that a sled calls, in a walk over a module's sleds (switch.c). */
#ifndef CINSTR_SLED_H
#define CINSTR_SLED_H

#include "rules.h"

/* A walk over sleds. */
struct sled_walk {
	struct module *module;
	const struct choice *choice;
	struct rules_subject subject;
	int fresh;	/* 1: nothing is patched yet */
	unsigned part;	/* the sleds that are switched in this walk (switch.c) */
	int selected;	/* 1: the current function is chosen */
	int level;	/* level of the current function */
	uint32_t slot;	/* slot of the current function, if it is counted */
	int skip_after; /* 1: the next AFTER is not wanted, as its BEFORE is not */
	int is_waiting; /* in a counted function: 1: the next AFTER is wanted, as its BEFORE is */
	/* 1: the last BEFORE was of a call that may enter the kernel, so its AFTER is, too */
	int is_stream;
	/* in a counted function: the lock of the current BEFORE or AFTER */
	enum cinstr_abi_lock lock;
	/* use of the call at the current BEFORE, or at its AFTER (cinstr/amounts.h) */
	enum cinstr_amount_use moves;
	int is_event; /* 1: the current sled records an event */
	/* counter of its own that the call at the current sled is to lead to, or NULL */
	const char *led;
};

/* Returns the thunk or stub for the record's sled to call or jump to, or NULL: the sled stays a
 * NOP. Sets at->is_event and at->led. Call it for the records of a function in their order. */
const char *sled_thunk(struct sled_walk *at, const struct cinstr_abi_table *table,
		       const struct cinstr_abi_record *record);

#endif
