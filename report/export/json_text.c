/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "output/output.h"

/* A new string; NULL: there is no memory. */
static char *quoted(const char *text)
{
	char *string = NULL;
	size_t n;
	FILE *memory = open_memstream(&string, &n);

	if (!memory)
		return NULL;
	output_json_text(memory, text);
	if (!fclose(memory))
		return string;
	free(string);
	return NULL;
}

void json_put(struct sink *sink, const char *text)
{
	FREED char *string = NULL;

	/* Most need nothing but the quotes. */
	if (!text[strspn(text, " !#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`"
			       "abcdefghijklmnopqrstuvwxyz{|}~")]) {
		sink_bytes(sink, "\"", 1);
		sink_puts(sink, text);
		sink_bytes(sink, "\"", 1);
		return;
	}
	string = quoted(text);
	if (string)
		sink_puts(sink, string);
	else
		sink->error = ENOMEM;
}

void json_put_name(struct sink *sink, struct json_names *names, uint32_t entity, const char *name)
{
	ARRAY_REACH_ZEROED(names->list, entity, names->n);
	if (!names->list[entity])
		names->list[entity] = quoted(name);
	if (names->list[entity])
		sink_puts(sink, names->list[entity]);
	else
		sink->error = ENOMEM;
}

void json_names_release(struct json_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->list[i]);
	free(names->list);
}
