/* SPDX-License-Identifier: MIT */
/*
 * rules.h - what is recorded, as chosen (rules.c); asked by patching (switch.c) for each function
 * and each sled.
 */
#ifndef CINSTR_RULES_H
#define CINSTR_RULES_H

#include "runtime.h"

/* What rules can be about. No field is NULL. */
struct rules_subject {
	const char *function;	   /* assembler name */
	const char *file, *folder; /* source file as the compiler was given it, and where it ran */
	const char *module;	   /* path */
};

/* Is the function chosen? */
int rules_select(const struct choice *choice, const struct rules_subject *subject);
/* Are sleds of this event kind, of functions that are chosen? */
int rules_want(const struct choice *choice, uint32_t kind);

#endif
