/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_pack.h - makes JSON in memory, with items.h, for a part of a page. */
#ifndef REPORT_HTML_JSON_PACK_H
#define REPORT_HTML_JSON_PACK_H

#include <stdio.h>

#include "output/items.h"

struct pack;

struct json {
	struct items items;
	FILE *out;
	char *text; /* complete after json_end() */
	size_t size;
};

void json_begin(struct json *json);
/* Completes json->text, which the caller frees. */
void json_end(struct json *json);
/* Completes the text, writes it as bytes of a section, and frees it. */
void json_pack(struct json *json, struct pack *pack);
/* Returns a JSON string with its quotes, which the caller frees. */
char *json_quoted(const char *text);

#endif
