/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples.h - a sampled process as threads of call-path trees like those of instrumented ones, so
 * that all views share their code: a FRAME-like node for each function (including functions inlined
 * by the compiler), below it a LINE-like node for each place in it, below that its callees. A
 * node's ticks are its exclusive samples; nothing has calls.
 *
 * The cells of these trees are made by the reader and are in no file: of the kinds below, with func
 * = index of the function + 1, and site = index of the place (of a function: in its caller) + 1; 0:
 * none. They are not in data->memory.
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
	/* A function without a symbol: bounds from the unwind information, name made up. */
	SAMPLED_GUESSED,
	SAMPLED_UNKNOWN,   /* code of a file where no function is known */
	SAMPLED_ANONYMOUS, /* code outside of any file */
	SAMPLED_KERNEL,
	/* Not a function: stands for missing frames at the outer end of stacks. */
	SAMPLED_TRUNCATED,
};

struct sampled_function {
	const char *name;	     /* assembler name, or made up: "[kernel]", "libx.so+0x1200" */
	const struct module *module; /* NULL: none */
	/* Link address; 0: not known. Of an inlined function: of its code in the containing one. */
	uint64_t entry;
	const char *file; /* file of its definition; NULL: not known */
	uint32_t line;
	uint8_t is_inlined;
	uint8_t kind; /* enum sampled_kind */
};

struct sampled_place {
	uint32_t function; /* index */
	/* Link address (without module: absolute); of a caller: the last byte of its call; of an
	 * inlined call: the entry of the inlined code. */
	uint64_t address;
	const char *file; /* NULL: not known */
	uint32_t line;
	uint32_t inlined_at; /* index + 1 of the place where `function` is inlined; 0: it is not */
	/* Index of the function with a symbol that contains the instruction: `function`, or the one
	 * that it is inlined into. */
	uint32_t physical;
	uint8_t is_inlined_call; /* not an instruction: the function below is inlined here */
};

struct samples; /* samples_paths.h */

/* data->sampled; NULL: the process was instrumented. */
struct sampled {
	const struct cinstr_sampling *info; /* in the header */
	const char *event;		    /* name of the event; NULL: not known */
	struct sampled_function *functions;
	size_t n_functions;
	struct sampled_place *places;
	size_t n_places;
	uint64_t kept; /* samples in the trees: those of the chosen range of time */
	struct samples *samples;
};

/* Sets whether inlined functions have nodes of their own (--inlines) or are part of the containing
 * ones. Default: 1. */
void samples_show_inlines(int on);

/* Return what a cell of the kinds above stands for; NULL: invalid number. */
const struct sampled_function *samples_function(const struct data *data, const struct cinstr_cell *cell);
const struct sampled_place *samples_place(const struct data *data, uint32_t site);

/* ---- for the reader (data.c, threads_build.c, time_range.c, phases.c, values.c) -------------- */

/* Returns the memory that samples_build() needs after the end of the file. To be called before
 * anything is read. */
uint64_t samples_room(const struct data *data);
/* Sets data->threads and data->sampled, and makes a phase of each mark. */
void samples_build(struct data *data);
void samples_release(struct data *data);
/* Adds marks of the process from another file, and makes the phases again. */
void samples_add_marks(struct data *data, const struct data_mark *marks, size_t n);
/* Limits the threads' trees to samples in [from_ticks, to_ticks). */
void samples_select(struct data *data, uint64_t from_ticks, uint64_t to_ticks);
/* Makes a copy of the thread with its samples in [from_ticks, to_ticks), of those that
 * samples_select() left. Returns 0 if there are none; else release it with
 * phase_thread_release(). */
int samples_part(const struct data *data, const struct data_thread *thread, uint64_t from_ticks,
		 uint64_t to_ticks, struct data_thread *part);
/* Returns the thread's counts; never NULL. */
const struct cinstr_task *samples_task(const struct data *data, const struct data_thread *thread);

#endif
