/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of a translation unit (cinstr/abi.h): collected while the pass walks the functions,
 * written when the unit is finished. A table stands for one text section; the functions of a
 * table, and the sleds of a function, come in the order of the code.
 *
 * Sleds are named by labels: .Lcinstr<number>, numbered from 1 per unit; 0 is no label.
 */
#ifndef CINSTR_PLUGIN_SITES_H
#define CINSTR_PLUGIN_SITES_H

#include "gcc.h"
#include "cinstr/abi.h"

struct site_place {
	const char *file; /* NULL: unknown */
	unsigned int line;
};

struct site_function {
	const char *name; /* assembler name */
	struct site_place definition;
	bool local;
};

struct site_totals {
	unsigned int functions; /* with sleds */
	unsigned int left_out;
	unsigned int sleds;
};

/*
 * Begins the records of a function, or of its cold part, in the table of `text`. enter: label of
 * the function's enter sled, 0 if that is the next sled to be added.
 */
void sites_begin_function(section *text, const struct site_function *function, unsigned int enter);

/* Adds a sled to the function begun last. Returns its label, which the caller puts into the code. */
unsigned int sites_add(enum cinstr_abi_kind kind, unsigned int flags, unsigned int payload);

/* Adds the place of the sled added last. */
void sites_add_place(struct site_place place);

/* The index of a string in the table of the function begun last; CINSTR_REC_NO_REF for NULL. */
unsigned int sites_ref(const char *string);

/*
 * Notes a function without sleds. Returns the label that has to be put into its code, so that the
 * table has something to stand for; 0 if there is no need.
 */
unsigned int sites_leave_out(section *text, const char *name, enum cinstr_abi_reason reason);

const struct site_totals *sites_totals(void);

/* Writes all tables and their strings. Only at the end of a unit that has sleds. */
void sites_write(FILE *out);

#endif
