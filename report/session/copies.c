/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "copies.h"

#include <stdlib.h>

#include "file/merged.h"
#include "session.h"

uint32_t copies_in(const struct data *data)
{
	return data->merged ? data->merged->head->n_contributors : 1;
}

void copies_key(struct strbuf *key, uint32_t pid, uint64_t start_realtime_ns, const char *host)
{
	strbuf_clear(key);
	strbuf_printf(key, "%u %llu %s", pid, (unsigned long long)start_realtime_ns, host ? host : "");
}

static void key_of(struct strbuf *key, const struct data *data, uint32_t number)
{
	const struct merged_contributor *c = data->merged ? &data->merged->contributors[number] : NULL;

	if (c)
		copies_key(key, c->pid, c->start_realtime_ns, c->host);
	else
		copies_key(key, data->header->pid, data->header->start_realtime_ns, process_host(data));
	strbuf_printf(key, " %u", data->header->method); /* samples of it are something else */
}

uint32_t copies_seen(const struct map *seen, const struct data *data)
{
	STRBUF(key);
	uint32_t n = 0;

	for (uint32_t i = 0; i < copies_in(data); i++) {
		key_of(&key, data, i);
		n += map_find(seen, key.text, key.length) != MAP_NONE;
	}
	return n;
}

void copies_note(struct map *seen, const struct data *data)
{
	STRBUF(key);
	int is_new;

	for (uint32_t i = 0; i < copies_in(data); i++) {
		key_of(&key, data, i);
		map_add(seen, key.text, key.length, &is_new);
	}
}

int copies_leave_out(struct session *input, size_t number, const struct data *data)
{
	uint32_t n = copies_in(data), n_seen;
	const char *path;

	if (input->n_files < 2 || input->is_to_merge)
		return 0;
	n_seen = copies_seen(&input->seen, data);
	copies_note(&input->seen, data);
	if (n_seen && !input->is_quiet) {
		path = util_shown(data->path);
		if (n_seen < n)
			warning("%s: %u of its %u processes are in other files, too: they count twice", path,
				n_seen, n);
		else
			warning("%s: left out: it is of %s", path,
				n > 1 ? "processes that other files have, too"
				      : "a process that another file has, too");
	}
	if (n_seen < n)
		return 0;
	if (!input->left_out)
		input->left_out = xcalloc(input->n_files, 1);
	input->left_out[number] = 1;
	return 1;
}
