/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples.h - a sampled process as threads of call-path trees like those of the instrumentation
 * method, so that every view is the same piece of code: a FRAME-like node for each function
 * (functions inlined by the compiler too), below it a LINE-like node for each place in it, below
 * that what was called from there. The ticks of a node are its exclusive samples; nothing has
 * calls.
 *
 * The cells of these trees are made by the reader and are in no file: of the kinds below, with func
 * = number of the function + 1, and site = number of the place (of a function: in its caller) + 1;
 * 0: none. They are no part of data->memory.
 */
#ifndef REPORT_SAMPLES_H
#define REPORT_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

#define SAMPLES_CELL_FUNCTION 14u
#define SAMPLES_CELL_PLACE 15u

#define SAMPLES_KERNEL "[kernel]"
#define SAMPLES_TRUNCATED "[truncated stack]"
#define SAMPLES_ANONYMOUS "[anonymous code]"

struct data;
struct data_mark;
struct data_thread;
struct module;

enum sampled_kind {
	SAMPLED_CODE, /* a function of a file */
	/* without symbol: its bounds are those of the unwind information, its name is made up */
	SAMPLED_GUESSED,
	SAMPLED_UNKNOWN,   /* of a file, where no function is known */
	SAMPLED_ANONYMOUS, /* code outside of any file */
	SAMPLED_KERNEL,
	/* no function: stands for the frames that are missing at the outer end of stacks */
	SAMPLED_TRUNCATED,
};

struct sampled_function {
	const char *name;	     /* assembler name, or made up: "[kernel]", "libx.so+0x1200" */
	const struct module *module; /* NULL: none */
	/* link address; 0: not known. Of an inlined one: of its code in the function that it is
	 * in */
	uint64_t entry;
	const char *file; /* where it is defined; NULL: not known */
	uint32_t line;
	uint8_t is_inlined;
	uint8_t kind; /* enum sampled_kind */
};

struct sampled_place {
	uint32_t function; /* number */
	/* Link address (no module: absolute); of a caller: the last byte of its call. Of an inlined
	 * call: the entry of what is inlined. */
	uint64_t address;
	const char *file; /* NULL: not known */
	uint32_t line;
	uint32_t inlined_at; /* number + 1 of the place where `function` is inlined; 0: it is not */
	/* number of the function with a symbol that the instruction is in: `function`, or what that
	 * is inlined in */
	uint32_t physical;
	uint8_t is_inlined_call; /* no instruction: what is below is inlined there */
};

struct samples; /* samples_paths.h */

/* data->sampled; NULL: the process was instrumented. */
struct sampled {
	const struct cinstr_sampling *info; /* of the header */
	const char *event;		    /* NULL: not known */
	struct sampled_function *functions;
	size_t n_functions;
	struct sampled_place *places;
	size_t n_places;
	uint64_t kept; /* samples that the trees hold: those of a chosen range of time */
	struct samples *samples;
};

/* Whether functions that were inlined have frames of their own (--inlines); else they are part of
 * those that hold them. Default: 1. */
void samples_show_inlines(int on);

/* What a cell of the kinds above means. NULL: nothing (a damaged number). */
const struct sampled_function *samples_function(const struct data *data, const struct cinstr_cell *cell);
const struct sampled_place *samples_place(const struct data *data, uint32_t site);

/* ---- for the reader (data.c, threads_build.c, time_range.c, phases.c, values.c) -------------- */

/* Before anything was read of it: room that samples_build needs behind the file's end. */
uint64_t samples_room(const struct data *data);
/* Fills data->threads and data->sampled, and makes a phase of each mark. */
void samples_build(struct data *data);
void samples_release(struct data *data);
/* Marks of the process that stand in another file; phases are made anew. */
void samples_add_marks(struct data *data, const struct data_mark *marks, size_t n);
/* Leaves in the threads' trees the samples of [from, to). */
void samples_select(struct data *data, uint64_t from_ticks, uint64_t to_ticks);
/* A thread with its samples of [from, to) (and of what samples_select() has left) only. 0: it has
 * none. Else phase_thread_release(). */
int samples_part(const struct data *data, const struct data_thread *thread, uint64_t from_ticks,
		 uint64_t to_ticks, struct data_thread *part);
/* Its counts; never NULL. */
const struct cinstr_task *samples_task(const struct data *data, const struct data_thread *thread);

#endif
