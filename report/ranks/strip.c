/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * strip.c - see strip.h. Shows bars if the terminal can; else digits: tenths of the largest value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"
#include "lib/terminal.h"
#include "lib/util.h"
#include "rows/profile.h"
#include "strip.h"

#define LEVELS 8 /* of bars */
#define TENTHS 10
#define MARGIN 24 /* columns for what stands before and behind the bars */
#define BARS_LEAST 16

void strip_add(struct strip *strip, const struct data *data, double value)
{
	ARRAY_ROOM(strip->bars, strip->n, strip->size, 64);
	strip->bars[strip->n++] = (struct strip_bar){ process_rank_after(data), data->header->pid, value };
}

ORDER_ITEMS(compare, struct strip_bar, ORDER(x->rank_after, y->rank_after), ORDER(x->pid, y->pid))

/* A bar, or a digit, of a value of 0 to 1; a blank: nothing. */
static void put_bar(struct strbuf *text, double part)
{
	int levels = terminal_has_bars() ? LEVELS : TENTHS, level = (int)(part * levels);

	if (level > levels - 1)
		level = levels - 1;
	if (part <= 0)
		strbuf_puts(text, terminal_has_bars() ? " " : ".");
	else if (terminal_has_bars())
		strbuf_printf(text, "\xe2\x96%c", 0x81 + level); /* from U+2581 on */
	else
		strbuf_printf(text, "%d", level);
}

static void put_who(struct strbuf *text, const struct strip_bar *bar)
{
	if (bar->rank_after)
		strbuf_printf(text, "rank %u", bar->rank_after - 1);
	else
		strbuf_printf(text, "pid %u", bar->pid);
}

/* Of several processes for each bar the one with most: who stands out is seen. */
static void put_bars(struct strbuf *text, const struct strip *strip, size_t n, double most)
{
	for (size_t i = 0; i < n; i++) {
		double value = 0;

		for (size_t k = i * strip->n / n; k < (i + 1) * strip->n / n; k++)
			value = strip->bars[k].value > value ? strip->bars[k].value : value;
		put_bar(text, most > 0 ? value / most : 0);
	}
}

void strip_print(struct strip *strip, const char *function, const char *what, int is_number, unsigned width)
{
	size_t n = width > MARGIN + BARS_LEAST ? width - MARGIN : BARS_LEAST;
	const struct strip_bar *most = strip->bars;
	STRBUF(text);

	if (strip->n < 2)
		return;
	util_sort(strip->bars, strip->n, sizeof(*strip->bars), compare, NULL);
	for (size_t i = 1; i < strip->n; i++)
		if (strip->bars[i].value > most->value)
			most = &strip->bars[i];
	n = strip->n < n ? strip->n : n;
	strbuf_puts(&text, "\n");
	strbuf_visible(&text, function);
	strbuf_printf(&text, ", %s, of each process; most ", what);
	if (is_number)
		strbuf_thousands(&text, util_rounded((long double)most->value));
	else
		strbuf_duration(&text, (long double)most->value);
	strbuf_puts(&text, " in ");
	put_who(&text, most);
	strbuf_puts(&text, "\n  ");
	put_who(&text, &strip->bars[0]);
	strbuf_puts(&text, " ");
	put_bars(&text, strip, n, most->value);
	strbuf_puts(&text, " ");
	put_who(&text, &strip->bars[strip->n - 1]);
	if (!terminal_has_bars())
		strbuf_puts(&text, "\n  (digits: tenths of the most)");
	printf("%s\n", text.text);
}

void strip_release(struct strip *strip)
{
	free(strip->bars);
}
