/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source_lines.h - source lines that have code, executed or not, with how often that was. */
#ifndef REPORT_INSTRUCTIONS_SOURCE_LINES_H
#define REPORT_INSTRUCTIONS_SOURCE_LINES_H

#include "executed/executed.h"

struct source_line {
	const char *file;
	uint32_t number;
	uint64_t instructions, executions; /* as of struct executed_row */
	int is_estimate;
	/* the function whose code was looked at last, and its most executions there */
	size_t last;
	uint64_t last_executions;
};

/* A function whose code is among the lines. */
struct source_function {
	const char *assembler, *file;
	uint32_t entity, line; /* of its definition */
	uint32_t last;	       /* line of its code in its file, or `line` */
	uint64_t calls;	       /* not known: how often its first segment was executed */
};

struct source_lines {
	struct map keys, strings;
	struct source_line *list; /* after source_lines_read(): by file and number */
	size_t n, size;
	struct source_function *functions; /* by file and line */
	size_t n_functions, size_functions;
	size_t n_unknown; /* functions whose code or counts are not known: they are left out */
	size_t n_read;	  /* functions so far */
};

/*
 * Reads the lines of those functions that `takes` takes, of all images. Names of functions that
 * were not executed are added to the session's names.
 */
void source_lines_read(struct source_lines *lines, const struct executed *executed,
		       int (*takes)(const void *arg, const struct entity *entity), const void *arg);
/* Leaves only the lines and functions of files whose path is this one or ends with it. */
void source_lines_keep(struct source_lines *lines, const char *path_end);
void source_lines_release(struct source_lines *lines);

#endif
