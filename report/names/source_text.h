/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source_text.h - a source file's lines, fit for a terminal. */
#ifndef REPORT_SOURCE_TEXT_H
#define REPORT_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct source_text {
	char *bytes; /* NUL behind each line */
	char **lines;
	size_t n;
	uint64_t changed_ns; /* when the file was last written, since 1970 */
};

/* 0, or -errno: then there is nothing to release. EFBIG: too big to be a source. */
int source_text_read(struct source_text *text, const char *path);
/* Line `number`, from 1, as it is in the file but for its end; NULL: there is none. */
const char *source_text_line(const struct source_text *text, uint32_t number);
void source_text_release(struct source_text *text);

struct strbuf;
/* Appends a line with tabs expanded (every 8 columns) and control characters made visible. */
void source_text_put(struct strbuf *buf, const char *line);

#endif
