/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json_text.h - writes JSON strings to a sink; those of functions are cached. */
#ifndef REPORT_EXPORT_JSON_TEXT_H
#define REPORT_EXPORT_JSON_TEXT_H

#include "sink.h"

/* Quoted names, by number of the entity. */
struct json_names {
	char **list;
	size_t n;
};

/* Writes a string with its quotes. */
void json_put(struct sink *sink, const char *text);
void json_put_name(struct sink *sink, struct json_names *names, uint32_t entity, const char *name);
void json_names_release(struct json_names *names);

#endif
