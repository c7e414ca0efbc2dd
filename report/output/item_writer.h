/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * item_writer.h - items with names, in groups and lists, as json (nested) or as csv with the
 * columns pid, key, value, where the key is the path to the item: calibration.call.mean_ns,
 * modules.0.path.
 */
#ifndef REPORT_OUTPUT_ITEM_WRITER_H
#define REPORT_OUTPUT_ITEM_WRITER_H

#include <stdint.h>
#include <stdio.h>

#include "lib/util.h"

struct sheet {
	FILE *out;
	int is_csv;
	uint32_t pid; /* of the items to come; 0: of the session */
	struct strbuf key;
	size_t depth;
	int is_first; /* of its group */
};

void sheet_begin(struct sheet *sheet, FILE *out, int is_csv);
void sheet_end(struct sheet *sheet);

/* name NULL: the item of a list that has the number. */
void sheet_open(struct sheet *sheet, const char *name, size_t number, char bracket);
void sheet_close(struct sheet *sheet, char bracket);

/* NULL: null, or an empty value. */
void sheet_text(struct sheet *sheet, const char *name, const char *text);
void sheet_count(struct sheet *sheet, const char *name, uint64_t n);
void sheet_signed(struct sheet *sheet, const char *name, int64_t n);
void sheet_ns(struct sheet *sheet, const char *name, long double ns);
void sheet_decimal(struct sheet *sheet, const char *name, long double number);
void sheet_flag(struct sheet *sheet, const char *name, int is_true);

#endif
