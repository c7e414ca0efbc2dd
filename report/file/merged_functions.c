/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merged_functions.c - encodes and decodes how the processes of a merged file share each function
 * (merged.h, doc/format.md). Files of older versions end before that. */
#include "merged.h"

static void get_statistic(struct varint_reader *in, struct merged_statistic *s, uint32_t n_contributors)
{
	s->squares = varint_get(in);
	s->least = varint_get64(in);
	s->most = s->least + varint_get64(in);
	s->who_least = varint_get32(in);
	s->who_most = varint_get32(in);
	in->is_bad |= s->who_least >= n_contributors || s->who_most >= n_contributors;
}

static void get_function(struct varint_reader *in, struct merged_function *f, uint32_t n_contributors)
{
	f->kind = varint_get32(in);
	f->site = varint_get32(in);
	f->func = varint_get32(in);
	f->target = varint_get64(in);
	f->n_contributors = varint_get32(in);
	in->is_bad |= (f->kind != CINSTR_CELL_FLAT_FRAME && f->kind != CINSTR_CELL_FLAT_CALL) ||
		      f->n_contributors > n_contributors;
	for (int i = 0; f->n_contributors && i < MERGED_OWN_VALUES; i++)
		get_statistic(in, &f->of[i], n_contributors);
}

void merged_functions_get(struct merged *merged, struct varint_reader *in)
{
	uint64_t n;

	if (in->is_bad || in->at == in->end)
		return;
	n = varint_get64(in);
	if (n > (uint64_t)(in->end - in->at)) { /* each takes bytes */
		in->is_bad = 1;
		return;
	}
	merged->has_functions = 1;
	merged->functions = xcalloc(n + 1, sizeof(*merged->functions));
	for (; merged->n_functions < n && !in->is_bad; merged->n_functions++)
		get_function(in, &merged->functions[merged->n_functions], merged->head->n_contributors);
}

void merged_put_functions(struct strbuf *out, const struct merged_function *list, size_t n)
{
	varint_put(out, n);
	for (const struct merged_function *f = list; f < list + n; f++) {
		varint_put(out, f->kind);
		varint_put(out, f->site);
		varint_put(out, f->func);
		varint_put(out, f->target);
		varint_put(out, f->n_contributors);
		for (int i = 0; f->n_contributors && i < MERGED_OWN_VALUES; i++) {
			varint_put(out, f->of[i].squares);
			varint_put(out, f->of[i].least);
			varint_put(out, f->of[i].most - f->of[i].least);
			varint_put(out, f->of[i].who_least);
			varint_put(out, f->of[i].who_most);
		}
	}
}

struct cinstr_cell merged_function_cell(const struct merged_function *function)
{
	struct cinstr_cell cell = { .site = function->site, .func = function->func, .tag = function->kind };

	if (function->target) {
		cell.func = (uint32_t)function->target;
		cell.last_exit = (uint32_t)(function->target >> 32);
	}
	return cell;
}
