/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "user_counts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

static struct {
	const char *wanted, *chosen;
	char **names; /* all that were seen */
	size_t n, size;
} counts;

void user_counts_choose(const char *name)
{
	while (counts.n)
		free(counts.names[--counts.n]);
	counts.wanted = counts.chosen = name;
}

static int is_seen(const char *name)
{
	for (size_t i = 0; i < counts.n; i++)
		if (!strcmp(counts.names[i], name))
			return 1;
	return 0;
}

/* Returns the item of the name with the lowest number that is not noted yet, or NULL. */
static const struct moved_item *next_of(const struct data *data)
{
	const struct moved_item *next = NULL;

	for (size_t i = 0; i < data->n_threads; i++) {
		const struct moved *moved = &data->threads[i].moved;

		for (size_t k = 0; k < moved->n; k++)
			if (moved->list[k].kind == CINSTR_AMOUNT_COUNTED &&
			    (!next || moved->list[k].file < next->file) &&
			    !is_seen(moved_own_name(data, moved->list[k].file)))
				next = &moved->list[k];
	}
	return next;
}

void user_counts_see(const struct data *data)
{
	const struct moved_item *item;

	while ((item = next_of(data))) {
		ARRAY_ROOM(counts.names, counts.n, counts.size, 8);
		counts.names[counts.n++] = xstrdup(moved_own_name(data, item->file));
	}
	if (!counts.wanted && counts.n)
		counts.chosen = counts.names[0];
}

int user_counts_is_chosen(const struct data *data, const struct moved_item *item)
{
	return counts.chosen && !strcmp(moved_own_name(data, item->file), counts.chosen);
}

int user_counts_is_known(void)
{
	return !counts.wanted || is_seen(counts.wanted);
}

void user_counts_put(struct strbuf *text)
{
	strbuf_visible(text, counts.chosen ? counts.chosen : "");
}

int user_counts_put_all(struct strbuf *text)
{
	for (size_t i = 0; i < counts.n; i++) {
		strbuf_puts(text, i ? ", " : "");
		strbuf_visible(text, counts.names[i]);
	}
	return counts.n > 1;
}
