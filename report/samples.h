/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples.h - a sampled process as threads of call-path trees like those of the instrumentation method, so that every view
 * is the same piece of code: a FRAME-like node for each function (functions inlined by the compiler too), below it a
 * LINE-like node for each place in it, below that what was called from there. The ticks of a node are its exclusive
 * samples; nothing has calls.
 *
 * The cells of these trees are made by the reader and are in no file: of the kinds below, with func = number of the function + 1,
 * and site = number of the place (of a function: in its caller) + 1; 0: none.
 */
#ifndef REPORT_SAMPLES_H
#define REPORT_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

#define SAMPLES_CELL_FUNCTION 14u
#define SAMPLES_CELL_PLACE 15u

struct data;
struct data_thread;

struct sampled_function {
	const char *name;	     /* assembler name, or made up: "[kernel]", "libx.so+0x1200" */
	const struct module *module; /* NULL: none */
	uint64_t entry;		     /* link address; 0: not known */
	const char *file;	     /* where it is defined; NULL: not known */
	uint32_t line;
	int is_inlined;
};

struct sampled_place {
	uint32_t function; /* number */
	uint64_t address;  /* link address (no module: absolute) */
	const char *file;  /* NULL: not known */
	uint32_t line;
};

/* data->sampled; NULL: the process was instrumented. */
struct sampled {
	const struct cinstr_sampling *info; /* of the header */
	const char *event;
	struct sampled_function *functions;
	size_t n_functions;
	struct sampled_place *places;
	size_t n_places;
	uint64_t kept; /* samples that the trees hold: those of a chosen range of time */
};

/* Whether functions that were inlined have frames of their own (--inlines); else they are part of those that hold them. */
void samples_show_inlines(int on);

#endif
