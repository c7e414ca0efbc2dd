/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json_pack.h"

#include <stdlib.h>

#include "output/output.h"
#include "pack.h"

void json_begin(struct json *json)
{
	*json = (struct json){ 0 };
	json->out = open_memstream(&json->text, &json->size);
	if (!json->out)
		abort();
	items_begin(&json->items, json->out, &output_json_items);
}

void json_end(struct json *json)
{
	items_end(&json->items);
	fclose(json->out);
}

void json_pack(struct json *json, struct pack *pack)
{
	json_end(json);
	pack_bytes(pack, json->text, json->size);
	free(json->text);
}

char *json_quoted(const char *text)
{
	char *quoted = NULL;
	size_t size;
	FILE *out = open_memstream(&quoted, &size);

	if (!out)
		abort();
	output_json_text(out, text);
	fclose(out);
	return quoted;
}
