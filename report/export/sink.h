/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sink.h - the output of an export: a file, or stdout. Counts the bytes, compresses them if the
 * format requires it, and keeps the first error, so that writers need not check. An incomplete file
 * is removed: an existing one is replaced only by a complete new one.
 */
#ifndef REPORT_EXPORT_SINK_H
#define REPORT_EXPORT_SINK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/util.h"

struct sink_packer;

struct sink {
	FILE *out;
	const char *path; /* NULL: stdout */
	/* path of the file until it is complete; NULL: written directly */
	char *partial;
	uint64_t bytes;		    /* before compression */
	uint64_t written;	    /* in the file */
	uint64_t most;		    /* limit of `written`; 0: unlimited */
	int error;		    /* errno of the first failure; SINK_TOO_LARGE; 0: none */
	struct sink_packer *packer; /* gzip; NULL: none */
	char *buffer;
	size_t n_buffer;
};
#define SINK_TOO_LARGE (-1)

/* Opens the sink. path NULL or "-": stdout. Returns 0, or an exit status after an error message. */
int sink_open(struct sink *sink, const char *path, int is_gzip, uint64_t most);
void sink_bytes(struct sink *sink, const void *bytes, size_t n);
void sink_puts(struct sink *sink, const char *text);
void sink_number(struct sink *sink, uint64_t number);
void sink_printf(struct sink *sink, const char *format, ...) PRINTF_LIKE(2, 3);
/* Whether an error makes further output useless: a loop may end. */
static inline int sink_failed(const struct sink *sink)
{
	return sink->error != 0;
}
/* Closes the sink. is_whole 0: removes the incomplete file. Returns 0, or an exit status after an
 * error message. */
int sink_close(struct sink *sink, int is_whole);

#endif
