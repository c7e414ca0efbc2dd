/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source_text.h - reads the lines of a source file and makes them fit for a terminal. */
#ifndef REPORT_SOURCE_TEXT_H
#define REPORT_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct source_text {
	char *bytes; /* the file, with a NUL after each line */
	char **lines;
	size_t n;
	uint64_t changed_ns; /* time of the last change, ns since 1970 */
};

/* Reads a file. Returns 0, or -errno with nothing to release. EFBIG: too large for a source
 * file. */
int source_text_read(struct source_text *text, const char *path);
/* Returns line `number` (from 1) without its line end, or NULL if the file has no such line. */
const char *source_text_line(const struct source_text *text, uint32_t number);
void source_text_release(struct source_text *text);

struct strbuf;
/* Appends a line with tabs expanded (every 8 columns) and control characters made visible. */
void source_text_put(struct strbuf *buf, const char *line);

#endif
