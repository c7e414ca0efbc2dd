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

/* No line: file NULL, line 0. */
struct site_place place_of(location_t location);

struct site_function {
	const char *name; /* assembler name */
	struct site_place definition;
	bool local;
	bool replaceable; /* by another of the same name, at the link or later */
};

struct site_totals {
	unsigned int functions; /* with sleds */
	unsigned int left_out;
	unsigned int sleds;
	unsigned int own_functions;    /* of these, after sites_settle(): not in COMDAT groups */
	unsigned int shared_functions; /* in such groups: most units' are dropped by the linker */
	unsigned int indirect_calls;
	unsigned int own_library_calls; /* by name, of what has no probes in this unit */
	unsigned int shared_library_calls;
};

/*
 * Begins the records of a function, or of its cold part, in the table of `text`. enter: label of
 * the function's enter sled, 0 if that is the next sled to be added.
 */
void sites_begin_function(section *text, const struct site_function *function, unsigned int enter);

/* Adds a sled to the function begun last. Returns its label, which the caller puts into the
 * code. */
unsigned int sites_add(enum cinstr_abi_kind kind, unsigned int flags, unsigned int payload);

/*
 * The BEFORE or TAIL added last, right now, calls a function of this unit that is not compiled yet:
 * sites_settle() will ask whether the sled is wanted.
 */
void sites_await(const char *callee);

/* Adds the place of the sled added last. */
void sites_add_place(struct site_place place);

/* Adds a level of inlining to the place added last (lines_each_inlined()). */
void sites_add_inlined(const char *level);

/* The index of a string in the table of the function begun last; CINSTR_REC_NO_REF for NULL. */
unsigned int sites_ref(const char *string);

/* Adds an action at the sled added last, behind its place. text: of a mark, or NULL. */
void sites_add_action(enum cinstr_abi_action action, const char *text);

/*
 * Notes a function without sleds. Returns the label that has to be put into its code, so that the
 * table has something to stand for; 0 if there is no need.
 */
unsigned int sites_leave_out(section *text, const struct site_function *function,
			     enum cinstr_abi_reason reason);

/* Notes, right behind its function, an alias of a function without sleds. */
void sites_leave_out_alias(section *text, const char *name, enum cinstr_abi_reason reason);

/* The function begun last, as a number; its sleds, as many as are left. */
unsigned int sites_current_function(void);
unsigned int sites_function_sleds(unsigned int function);

enum site_verdict {
	SITE_WANTED,
	SITE_UNWANTED, /* drop the BEFORE and its AFTER */
	SITE_EXIT,     /* the TAIL is an EXIT */
};

/* At the end of the unit: decides on the sleds that have been waiting for their callees. */
void sites_settle(enum site_verdict (*judge)(enum cinstr_abi_kind kind, const char *callee));

const struct site_totals *sites_totals(void);

/*
 * Begins a note of this type, whose descriptor has so many bytes: to be written next. It stands
 * with the text section's table, which has at least a function.
 */
void sites_begin_note(FILE *out, section *text, unsigned int bytes, unsigned int type);

/* Writes all tables and their strings, after sites_settle(). */
void sites_write(FILE *out);

#endif
