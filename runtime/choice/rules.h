/* SPDX-License-Identifier: MIT */
/*
 * rules.h - applies the rules for what is recorded (rules.c) to each function and each sled, for
 * switch.c.
 */
#ifndef CINSTR_RULES_H
#define CINSTR_RULES_H

#include "runtime.h"

/* The properties of a function that rules refer to. No field is NULL. */
struct rules_subject {
	const char *function; /* assembler name */
	/* source file as given to the compiler, and the compiler's folder */
	const char *file, *folder;
	const char *module; /* path */
};

/* Returns 1 if the rules choose the function, else 0. */
int rules_select(const struct choice *choice, const struct rules_subject *subject);
/* Returns 1 if the rules choose sleds of this event kind in chosen functions, else 0. */
int rules_want(const struct choice *choice, uint32_t kind);

#endif
