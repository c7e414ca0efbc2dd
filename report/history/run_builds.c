/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run_builds.h"

#include <stdlib.h>
#include <string.h>

#include "instructions/builds.h"
#include "lib/order.h"
#include "parquet/reader.h"

struct run_module {
	const char *name, *build_id; /* kept */
	struct built built;
};

struct run_modules {
	struct run_module *list; /* by name and build */
	size_t n;
};

/* ---- reading --------------------------------------------------------------------------------- */

/* The rows of a module stand together. */
static struct run_module *module_at(struct run_builds *builds, struct run_modules *modules, const char *path,
				    const char *build_id)
{
	const char *name = map_keep(&builds->strings, util_basename(path));
	struct run_module *last = modules->n ? &modules->list[modules->n - 1] : NULL;

	build_id = map_keep(&builds->strings, build_id);
	if (last && last->name == name && last->build_id == build_id)
		return last;
	modules->list[modules->n] = (struct run_module){ .name = name, .build_id = build_id };
	for (int k = 0; k < BUILT_KINDS; k++)
		modules->list[modules->n].built.lines[k] = xstrdup("");
	return &modules->list[modules->n++];
}

static void add_line(char **lines, const char *line)
{
	struct strbuf text = { 0 };

	strbuf_printf(&text, "%s%s\n", *lines, line);
	free(*lines);
	*lines = text.text;
}

ORDER_ITEMS(compare_modules, struct run_module, strcmp(x->name, y->name), strcmp(x->build_id, y->build_id))

static void read_run(struct run_builds *builds, const struct history *history, size_t run)
{
	static const struct parquet_column columns[] = {
		{ "module", PARQUET_TEXT, 0, 0 },
		{ "build_id", PARQUET_TEXT, 1, 0 },
		{ "compiler", PARQUET_TEXT, 1, 0 },
		{ "compiler_has_options", PARQUET_INT32, 1, 0 },
	};
	struct run_modules *modules = &builds->runs[run];
	FREED char *path = history_table(history, &history->runs[run], "module.parquet");
	struct parquet_table table;
	const char *why = parquet_read(&table, path, columns, ARRAY_SIZE(columns));

	if (why) {
		error("%s: left out: %s", util_shown(path), why);
		builds->status = STATUS_DATA;
		builds->is_left_out[run] = 1;
	}
	modules->list = xcalloc(table.n_rows + 1, sizeof(*modules->list));
	for (size_t i = 0; !why && i < table.n_rows; i++) {
		const struct parquet_cells *cells = table.columns;
		struct run_module *module = module_at(builds, modules, cells[0].texts[i], cells[1].texts[i]);

		if (cells[2].is_some[i])
			add_line(&module->built.lines[cells[3].numbers[i] ? SYMBOLS_BUILT_WITH_OPTIONS
									  : SYMBOLS_BUILT_BY],
				 cells[2].texts[i]);
	}
	util_sort(modules->list, modules->n, sizeof(*modules->list), compare_modules, NULL);
	parquet_table_release(&table);
}

/* ---- other compilers ------------------------------------------------------------------------- */

/* Returns a module of `a` that all modules of that name in `b` are other than, or NULL; *to: one of
 * these. */
static const struct run_module *other_of(const struct run_modules *a, const struct run_modules *b,
					 const struct run_module **to, int *kind)
{
	for (size_t i = 0; i < a->n; i++) {
		int is_known = 0;

		*to = NULL;
		for (size_t k = 0; k < b->n; k++) {
			if (strcmp(a->list[i].name, b->list[k].name) != 0)
				continue;
			if (built_is_other(&a->list[i].built, &b->list[k].built, kind))
				*to = &b->list[k];
			else
				is_known = 1;
		}
		if (*to && !is_known) {
			built_is_other(&a->list[i].built, &(*to)->built, kind);
			return &a->list[i];
		}
	}
	return NULL;
}

static void put_run_name(struct strbuf *text, const struct history *history, size_t run)
{
	strbuf_printf(text, "run %llu", (unsigned long long)history->runs[run].number);
}

/* Warns that so many runs are left out, of which `run` is one. */
static void say_others(const struct run_builds *builds, const struct history *history, size_t n, size_t run,
		       size_t last)
{
	STRBUF(text);
	STRBUF(run_a);
	STRBUF(run_b);
	const struct run_module *to, *module;
	int kind;

	module = other_of(&builds->runs[run], &builds->runs[last], &to, &kind);
	put_run_name(&run_a, history, run);
	put_run_name(&run_b, history, last);
	strbuf_visible(&text, module->name);
	strbuf_puts(&text, " (");
	built_put_difference(&text, run_a.text, &module->built, run_b.text, &to->built, kind);
	warning("history: executed instructions of %zu run%s are left out, as another compiler or other "
		"options have made %s); --any-build compares all",
		n, n == 1 ? "" : "s", text.text);
}

/* Leaves out what another compiler has made than the last run's. */
static void leave_out_others(struct run_builds *builds, const struct history *history, size_t first)
{
	size_t last = history->n, n_others = 0, other = 0;

	for (size_t i = history->n; i-- > first;) {
		const struct run_module *to;
		int kind;

		if (builds->is_left_out[i])
			continue;
		if (last == history->n)
			last = i;
		if (!other_of(&builds->runs[i], &builds->runs[last], &to, &kind))
			continue;
		builds->is_left_out[i] = 1;
		if (!n_others++)
			other = i;
	}
	if (n_others)
		say_others(builds, history, n_others, other, last);
}

void run_builds_read(struct run_builds *builds, const struct history *history, size_t first, int any_build)
{
	*builds = (struct run_builds){ .n = history->n, .status = STATUS_OK };
	builds->runs = xcalloc(history->n + 1, sizeof(*builds->runs));
	builds->is_left_out = xcalloc(history->n + 1, 1);
	for (size_t i = 0; i < history->n; i++) {
		builds->is_left_out[i] = i < first || !history->runs[i].has_instructions;
		if (!builds->is_left_out[i])
			read_run(builds, history, i);
	}
	if (!any_build)
		leave_out_others(builds, history, first);
}

void run_builds_release(struct run_builds *builds)
{
	for (size_t i = 0; i < builds->n; i++) {
		for (size_t k = 0; k < builds->runs[i].n; k++)
			built_release(&builds->runs[i].list[k].built);
		free(builds->runs[i].list);
	}
	free(builds->runs);
	free(builds->is_left_out);
	map_release(&builds->strings);
}

/* ---- builds ---------------------------------------------------------------------------------- */

const char *run_builds_of(struct run_builds *builds, size_t run, const char *module)
{
	const struct run_modules *modules = &builds->runs[run];
	STRBUF(build);

	for (size_t i = 0; i < modules->n; i++) {
		const struct run_module *m = &modules->list[i];

		if (*module && strcmp(m->name, module) != 0)
			continue;
		if (!*m->build_id) { /* any build may be without one */
			return NULL;
		}
		strbuf_printf(&build, "%s\n%s\n", m->name, m->build_id);
	}
	return build.text ? map_keep(&builds->strings, build.text) : NULL;
}
