/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sink.h - where an export goes: a file, or stdout. Counts the bytes, packs them if the format
 * wants that, and remembers the first error, so that writers need not look. A file that could not
 * be finished is removed: what stood there before stays until the new one is whole.
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
	const char *path;	    /* NULL: stdout */
	char *partial;		    /* what is written until it is whole; NULL: the file itself */
	uint64_t bytes;		    /* as the reader gets them, unpacked */
	uint64_t written;	    /* as they are in the file */
	uint64_t most;		    /* of `written`; 0: any number */
	int error;		    /* errno of the first failure; SINK_TOO_LARGE; 0: none */
	struct sink_packer *packer; /* gzip; NULL: as it is */
	char *buffer;
	size_t n_buffer;
};
#define SINK_TOO_LARGE (-1)

/* path NULL or "-": stdout. 0, or an exit status after an error message. */
int sink_open(struct sink *sink, const char *path, int is_gzip, uint64_t most);
void sink_bytes(struct sink *sink, const void *bytes, size_t n);
void sink_puts(struct sink *sink, const char *text);
void sink_number(struct sink *sink, uint64_t number);
void sink_printf(struct sink *sink, const char *format, ...) PRINTF_LIKE(2, 3);
/* Nobody needs more of it: a loop may end. */
static inline int sink_failed(const struct sink *sink)
{
	return sink->error != 0;
}
/* Ends it; is_whole: else it is to be removed. An exit status, after an error message. */
int sink_close(struct sink *sink, int is_whole);

#endif
