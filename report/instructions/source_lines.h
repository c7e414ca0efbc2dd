/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source_lines.h - source lines that have code, and how often each was executed, if at all. */
#ifndef REPORT_INSTRUCTIONS_SOURCE_LINES_H
#define REPORT_INSTRUCTIONS_SOURCE_LINES_H

#include "executed/executed.h"

struct source_line {
	const char *file;
	uint32_t number;
	uint64_t instructions, executions; /* as in struct executed_row */
	int is_estimate;
	/* the function whose code was read last, and its most executions there */
	size_t last;
	uint64_t last_executions;
};

/* A function with code among the lines. */
struct source_function {
	const char *assembler, *file;
	uint32_t entity, line; /* line: of its definition */
	uint32_t last;	       /* last line of its code in its file, or `line` */
	uint64_t calls;	       /* if not known, how often its first segment was executed */
};

struct source_lines {
	struct map keys, strings;
	struct source_line *list; /* sorted by file and number after source_lines_read() */
	size_t n, size;
	struct source_function *functions; /* sorted by file and line */
	size_t n_functions, size_functions;
	size_t n_unknown; /* functions left out, as their code or counts are not known */
	size_t n_read;	  /* functions read so far */
};

/* Reads the lines of the functions that `takes` accepts, of all images. Adds the names of functions
 * that were not executed to the session's names. */
void source_lines_read(struct source_lines *lines, const struct executed *executed,
		       int (*takes)(const void *arg, const struct entity *entity), const void *arg);
/* Keeps only the lines and functions of files whose path is this one, or ends with it. */
void source_lines_keep(struct source_lines *lines, const char *path_end);
void source_lines_release(struct source_lines *lines);

#endif
