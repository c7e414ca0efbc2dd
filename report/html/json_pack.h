/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_pack.h - JSON made in memory, by a sheet, for a part of a page. */
#ifndef REPORT_HTML_JSON_PACK_H
#define REPORT_HTML_JSON_PACK_H

#include <stdio.h>

#include "output/item_writer.h"

struct pack;

struct json {
	struct sheet sheet;
	FILE *out;
	char *text; /* complete after json_end() */
	size_t size;
};

void json_begin(struct json *json);
/* What was written, in json->text: to be freed. */
void json_end(struct json *json);
/* As json_end(), into a section of bytes. */
void json_pack(struct json *json, struct pack *pack);
/* A string of JSON, with its quotes: to be freed. */
char *json_quoted(const char *text);

#endif
