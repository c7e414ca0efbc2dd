/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_ranks.c - cinstr ranks: how evenly the processes of a job share the work of each call path,
 * and which of them has least and most. A session that was not merged is merged in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/options.h"
#include "lib/terminal.h"
#include "lib/util.h"
#include "merge/union.h"
#include "names/names.h"
#include "output/format.h"
#include "output/grid.h"
#include "output/item_writer.h"
#include "runtime/system/text.h"
#include "session/session.h"
#include "strip.h"
#include "values/values.h"

#define LIMIT 20
#define NAME_LEAST 12

struct ranks_options {
	int format, value, inclusive;
	uint64_t limit;
	struct terminal_options terminal;
};

/* A call path: times in ns, over all processes; who does not have it counts as 0. Several builds of
 * a program have a path each, which no process shares with another build: these are one. */
struct share {
	const char *name, *caller;
	double sum, squares;
	uint64_t calls;
	double mean, deviation, cost, imbalance;
	double least, most;
	const struct merged_contributor *who_least, *who_most;
	uint32_t n; /* processes that have it */
};

struct ranks {
	const struct ranks_options *options;
	const char *function; /* a glob; NULL: all */
	struct union_tree u;
	struct names names;
	struct share *shares;
	size_t n_shares;
	struct strip strip; /* of `function`, if it is named and no input was merged */
	int has_merged;
	uint32_t n_processes;
	int status;
};

/* ---- values ---------------------------------------------------------------------------------- */

enum { OF_CPU, OF_APPLICATION, OF_ELAPSED };

/* Time on the processor is kept of paths alone, not with what they call. */
static int kind_of(const struct ranks_options *options)
{
	return options->inclusive && options->value == OF_CPU ? OF_APPLICATION : options->value;
}

static enum cinstr_merged_value value_of(const struct ranks_options *options)
{
	switch (kind_of(options)) {
	case OF_CPU:
		return CINSTR_MERGED_CE;
	case OF_APPLICATION:
		return options->inclusive ? CINSTR_MERGED_AI : CINSTR_MERGED_AE;
	default:
		return options->inclusive ? CINSTR_MERGED_EI : CINSTR_MERGED_EE;
	}
}

static uint64_t sum_of(const struct ranks_options *options, const struct node_values *values)
{
	const struct ticks *t = options->inclusive ? &values->inclusive : &values->exclusive;

	switch (kind_of(options)) {
	case OF_CPU:
		return t->elapsed > t->off_cpu ? t->elapsed - t->off_cpu : 0;
	case OF_APPLICATION:
		return t->application;
	default:
		return t->elapsed;
	}
}

static void share_add(struct share *share, const struct ranks *r, const struct data *data,
		      const struct merged_item *item, double sum)
{
	const struct merged_statistic *s = &item->of[value_of(r->options)];

	share->calls += item->calls;
	share->sum += sum;
	share->squares += (double)s->squares;
	if (!share->n || (double)s->least < share->least) {
		share->least = (double)s->least;
		share->who_least = &data->merged->contributors[s->who_least];
	}
	if (!share->n || (double)s->most > share->most) {
		share->most = (double)s->most;
		share->who_most = &data->merged->contributors[s->who_most];
	}
	share->n += item->n_contributors;
}

static void share_complete(struct share *share, double n)
{
	double variance;

	share->mean = share->sum / n;
	variance = share->squares / n - share->mean * share->mean;
	share->deviation = variance > 0 ? sqrt(variance) : 0;
	/* of one alone it is nothing: what is rounded may be below the mean */
	share->imbalance = share->mean > 0 ? fmax(share->most / share->mean - 1, 0) : 0;
	share->cost = share->most > share->mean ? (share->most - share->mean) * n : 0;
}

static const char *name_of(const struct ranks *r, uint32_t entity)
{
	return entity == NAMES_NONE ? "" : r->names.list[entity].name;
}

static uint32_t line_of(const struct data *data, const struct cinstr_cell *cell)
{
	const struct module *module = cell->site ? modules_by_code(&data->modules, cell->site) : NULL;
	const struct module_site *site = module ? module_site(module, cell->site) : NULL;

	return site ? site->line : 0;
}

/* Which build the node is of. */
static uint32_t build_of(const struct data *data, const struct cinstr_cell *cell)
{
	uint32_t code = cell->site ? cell->site : cell->func;
	const struct module *module = code ? modules_by_code(&data->modules, code) : NULL;

	return module ? (uint32_t)(module - data->modules.list) : UINT32_MAX;
}

/* How many calls of the same function each node's caller has there. */
static uint32_t *n_alike_make(const struct data *data, const struct data_thread *thread,
			      const uint32_t *entities)
{
	uint32_t *n = xcalloc(thread->n_nodes, sizeof(*n)), *first = xcalloc(thread->n_nodes, sizeof(*first));
	struct map siblings = { 0 };
	int is_new;

	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 1; i < thread->n_nodes; i++) {
			uint32_t key[3] = { thread->nodes[i].parent, entities[i],
					    build_of(data, thread->nodes[i].cell) };
			size_t number = map_add(&siblings, key, sizeof(key), &is_new);

			if (!pass)
				first[number]++;
			else
				n[i] = first[number];
		}
	map_release(&siblings);
	free(first);
	return n;
}

/*
 * Numbers of paths by what they are in every build: the path above and the function; where it is
 * called at several places there, also by the line, and which of that line's calls it is.
 */
static uint32_t *numbers_make(struct ranks *r, const struct data *data, const uint32_t *entities)
{
	const struct data_thread *thread = &data->threads[0];
	uint32_t *numbers = xcalloc(thread->n_nodes, sizeof(*numbers));
	struct map paths = { 0 }, siblings = { 0 };
	uint32_t *n_alike = xcalloc(thread->n_nodes + 1, sizeof(*n_alike));
	uint32_t *all = n_alike_make(data, thread, entities);
	int is_new;

	for (size_t i = 1; i < thread->n_nodes; i++) {
		const struct data_node *node = &thread->nodes[i];
		uint32_t line = all[i] > 1 ? line_of(data, node->cell) : 0;
		uint32_t sibling[4] = { node->parent, entities[i], line, build_of(data, node->cell) };
		uint32_t path[4] = { numbers[node->parent], sibling[1], sibling[2], 0 };

		path[3] = n_alike[map_add(&siblings, sibling, sizeof(sibling), &is_new)]++;
		numbers[i] = (uint32_t)map_add(&paths, path, sizeof(path), &is_new) + 1;
	}
	r->n_shares = paths.n + 1;
	map_release(&paths);
	map_release(&siblings);
	free(n_alike);
	free(all);
	return numbers;
}

static void shares_make(struct ranks *r, const struct data *data)
{
	const struct data_thread *thread = &data->threads[0];
	const struct counting counting = { .os_mask = CINSTR_OS_DEFAULT_MASK };
	struct values *values = values_make(data, thread, &counting);
	uint32_t *entities = names_of_thread(&r->names, data, thread), *numbers;
	size_t n = 0;
	int known;
	double ns = (double)data_ns_per_tick(data, &known);

	r->n_processes = data->merged->head->n_contributors;
	numbers = numbers_make(r, data, entities);
	r->shares = xcalloc(r->n_shares, sizeof(*r->shares));
	for (size_t i = 1; i < thread->n_nodes; i++) {
		const struct merged_item *item = merged_item_of(data->merged, thread->nodes[i].cell);
		const char *name = name_of(r, entities[i]);
		struct share *share = &r->shares[numbers[i]];

		if (!item || !item->n_contributors || !item->calls ||
		    data_cell_is_line(thread->nodes[i].cell) ||
		    (r->function && !glob_match(r->function, strlen(r->function), name)))
			continue;
		share->name = name;
		share->caller = name_of(r, entities[thread->nodes[i].parent]);
		share_add(share, r, data, item, (double)sum_of(r->options, values_at(values, i)) * ns);
	}
	for (size_t i = 0; i < r->n_shares; i++)
		if (r->shares[i].n) {
			share_complete(&r->shares[i], r->n_processes);
			r->shares[n++] = r->shares[i];
		}
	r->n_shares = n;
	free(entities);
	free(numbers);
	values_release(values);
}

/* ---- one function in each process ------------------------------------------------------------ */

/* What a thread has of the function, ns; with what it called: of each path the outermost call. */
static double of_thread(struct ranks *r, const struct data *data, const struct data_thread *thread)
{
	const struct counting counting = { .os_mask = CINSTR_OS_DEFAULT_MASK };
	struct values *values = values_make(data, thread, &counting);
	uint32_t *entities = names_of_thread(&r->names, data, thread);
	uint8_t *is_in = xcalloc(thread->n_nodes + 1, 1);
	double sum = 0;

	for (size_t i = 1; i < thread->n_nodes; i++) {
		const struct data_node *node = &thread->nodes[i];
		const char *name = name_of(r, entities[i]);
		int is_it = glob_match(r->function, strlen(r->function), name);

		is_in[i] = is_it || is_in[node->parent];
		if (is_it && !data_cell_is_line(node->cell) &&
		    !(r->options->inclusive && is_in[node->parent]))
			sum += (double)sum_of(r->options, values_at(values, i));
	}
	free(is_in);
	free(entities);
	values_release(values);
	return sum;
}

static void strip_of(struct ranks *r, const struct data *data)
{
	int known;
	double ns = (double)data_ns_per_tick(data, &known), sum = 0;

	r->has_merged |= data->merged != NULL;
	if (!r->function || data->merged)
		return;
	for (size_t i = 0; i < data->n_threads; i++)
		sum += of_thread(r, data, &data->threads[i]);
	strip_add(&r->strip, data, sum * ns);
}

/* ---- output ---------------------------------------------------------------------------------- */

static int compare_shares(const void *a, const void *b, void *arg)
{
	const struct share *x = a, *y = b;

	(void)arg;
	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void put_who(struct strbuf *text, const struct merged_contributor *c)
{
	if (c->rank_after)
		strbuf_printf(text, " @%u", c->rank_after - 1);
	else
		strbuf_printf(text, " @pid %u", c->pid);
}

enum { COST, IMBALANCE, MEAN, DEVIATION, LEAST, MOST, OF_ALL, NAME, CALLER, COLUMNS };

static void put_line(const struct grid *grid, size_t line, const struct share *s, uint32_t n_processes)
{
	strbuf_duration(grid_cell(grid, line, COST), (long double)s->cost);
	strbuf_printf(grid_cell(grid, line, IMBALANCE), "%.0f %%", s->imbalance * 100);
	strbuf_duration(grid_cell(grid, line, MEAN), (long double)s->mean);
	strbuf_duration(grid_cell(grid, line, DEVIATION), (long double)s->deviation);
	strbuf_duration(grid_cell(grid, line, LEAST), (long double)s->least);
	put_who(grid_cell(grid, line, LEAST), s->who_least);
	strbuf_duration(grid_cell(grid, line, MOST), (long double)s->most);
	put_who(grid_cell(grid, line, MOST), s->who_most);
	strbuf_printf(grid_cell(grid, line, OF_ALL), "%u of %u", s->n, n_processes);
	strbuf_visible(grid_cell(grid, line, NAME), s->name);
	strbuf_visible(grid_cell(grid, line, CALLER), s->caller);
}

static void print_table(const struct ranks *r, size_t n)
{
	static const char *const heads[COLUMNS] = { "Cost",	 "Imbal.",	"Mean",
						    "Deviation", "Least @rank", "Most @rank",
						    "Have it",	 "Function",	"called by" };
	static const int order[] = { DEVIATION, CALLER, OF_ALL, LEAST };
	struct grid grid;

	grid_init(&grid, n + 1, COLUMNS);
	for (size_t i = 0; i < COLUMNS; i++) {
		strbuf_puts(grid_cell(&grid, 0, i), heads[i]);
		grid.columns[i].is_text = i >= NAME;
	}
	for (size_t i = 0; i < n; i++)
		put_line(&grid, i + 1, &r->shares[i], r->n_processes);
	grid_measure(&grid);
	grid_fit(&grid, terminal_width(stdout), order, ARRAY_SIZE(order), NAME, NAME_LEAST);
	for (size_t i = 0; i <= n; i++)
		grid_print(&grid, stdout, i, terminal_is_coloured(stdout), INK_PLAIN);
	grid_release(&grid);
	if (r->n_shares > n)
		printf("\n%zu more call paths; --limit=0 shows them.\n", r->n_shares - n);
}

static void print_tables(struct ranks *r, size_t n)
{
	static const char *const words[] = { [OF_CPU] = "time on the processor",
					     [OF_APPLICATION] = "application time",
					     [OF_ELAPSED] = "elapsed time" };

	print_table(r, n);
	if (!r->has_merged)
		strip_print(&r->strip, r->function, words[kind_of(r->options)], terminal_width(stdout));
}

static void put_rank(struct sheet *sheet, const char *name, const struct merged_contributor *c)
{
	if (c->rank_after)
		sheet_count(sheet, name, c->rank_after - 1);
	else
		sheet_none(sheet, name);
}

static void put_share(struct sheet *sheet, const struct share *s, uint32_t n_processes)
{
	sheet_open(sheet, NULL, '{', SHEET_LINES);
	sheet_text(sheet, "function", s->name);
	sheet_text(sheet, "caller", s->caller);
	sheet_count(sheet, "calls", s->calls);
	sheet_ns(sheet, "cost_ns", (long double)s->cost);
	sheet_decimal(sheet, "imbalance", (long double)s->imbalance, 6);
	sheet_ns(sheet, "mean_ns", (long double)s->mean);
	sheet_ns(sheet, "deviation_ns", (long double)s->deviation);
	sheet_ns(sheet, "least_ns", (long double)s->least);
	put_rank(sheet, "least_rank", s->who_least);
	sheet_count(sheet, "least_pid", s->who_least->pid);
	sheet_text(sheet, "least_host", s->who_least->host);
	sheet_ns(sheet, "most_ns", (long double)s->most);
	put_rank(sheet, "most_rank", s->who_most);
	sheet_count(sheet, "most_pid", s->who_most->pid);
	sheet_text(sheet, "most_host", s->who_most->host);
	sheet_count(sheet, "n", s->n);
	sheet_count(sheet, "processes", n_processes);
	/* the same under the names of other views */
	sheet_text(sheet, "name", s->name);
	sheet_count(sheet, "contributors", s->n);
	sheet_count(sheet, "contributors_of", n_processes);
	sheet_close(sheet);
}

static void print_items(const struct ranks *r, size_t n, const struct sheet_format *format)
{
	static const char *const columns[] = { "function",   "caller",	  "calls",	  "cost_ns",
					       "imbalance",  "mean_ns",	  "deviation_ns", "least_ns",
					       "least_rank", "least_pid", "least_host",	  "most_ns",
					       "most_rank",  "most_pid",  "most_host",	  "n",
					       "processes",  "name",	  "contributors", "contributors_of" };
	struct sheet sheet;

	sheet_begin(&sheet, stdout, format);
	if (format->columns) {
		sheet_columns(&sheet, columns, ARRAY_SIZE(columns));
	} else {
		sheet_open(&sheet, NULL, '{', SHEET_LINES);
		sheet_open(&sheet, "session", '{', SHEET_LINES);
		sheet_count(&sheet, "rows_hidden", r->n_shares - n);
		sheet_close(&sheet);
		sheet_open(&sheet, "paths", '[', SHEET_LINES);
	}
	for (size_t i = 0; i < n; i++)
		put_share(&sheet, &r->shares[i], r->n_processes);
	if (!format->columns) {
		sheet_close(&sheet);
		sheet_close(&sheet);
	}
	sheet_end(&sheet);
}

static void print(struct ranks *r)
{
	const struct output_format *format = &output_formats[r->options->format];
	size_t n = r->n_shares;

	util_sort(r->shares, r->n_shares, sizeof(*r->shares), compare_shares, NULL);
	if (r->options->limit && n > r->options->limit)
		n = r->options->limit;
	terminal_page();
	if (!n)
		error("ranks: no such call");
	else if (format->shape->is_for_people)
		print_tables(r, n);
	else
		print_items(r, n, format->items);
	r->status = n ? r->status : STATUS_DATA;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void visit(void *arg, struct data *data)
{
	struct ranks *r = arg;
	const char *why = data->n_problems ? "it is damaged" : union_add_data(&r->u, data);
	char *shown;

	if (!why) {
		strip_of(r, data);
		return;
	}
	shown = util_visible(data->path);
	error("%s: left out: %s", shown, why);
	free(shown);
	r->status = STATUS_DATA;
}

/* What was merged, read as a file: names and values are those of every other view. */
static void show_merged(struct ranks *r)
{
	int fd = memfd_create("cinstr-ranks", MFD_CLOEXEC);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	struct data data;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!out || union_write(&r->u, out) || fflush(out)) {
		error("ranks: no memory for what was merged: %s", strerror(errno));
		r->status = STATUS_DATA;
	} else {
		if (!data_open(&data, path) && data.merged) {
			shares_make(r, &data);
			print(r);
		}
		data_release(&data);
	}
	if (out)
		fclose(out);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct ranks_options options = { .limit = LIMIT };
	struct ranks r = { .options = &options, .status = STATUS_OK };
	struct input input;
	const char *session;
	int n_operands;
	enum options_result parsed = options_parse(command, argc, argv, &options, &n_operands);

	if (parsed != OPTIONS_OK)
		return parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (terminal_configure(command->name, &options.terminal))
		return STATUS_USAGE;
	session = n_operands > 1 ? argv[2] : n_operands && input_is_session(argv[1]) ? argv[1] : NULL;
	r.function = n_operands && session != argv[1] ? argv[1] : NULL;
	union_init(&r.u);
	if (input_open(&input, session)) {
		r.status = STATUS_DATA;
	} else {
		if (input_each(&input, visit, &r))
			r.status = STATUS_DATA;
		if (r.u.n_contributors)
			show_merged(&r);
	}
	input_release(&input);
	free(r.shares);
	strip_release(&r.strip);
	names_release(&r.names);
	union_release(&r.u);
	return r.status;
}

static const struct option ranks_options[] = {
	{ "value", 0, OPTION_CHOICE, "cpu|application|elapsed", offsetof(struct ranks_options, value),
	  "which time: cpu: on the processor; application: without intervals in which the operating system "
	  "did something (with --inclusive in place of cpu); elapsed: all",
	  "cpu" },
	{ "inclusive", 0, OPTION_FLAG, NULL, offsetof(struct ranks_options, inclusive), "with what it called",
	  NULL },
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct ranks_options, limit),
	  "show the first N call paths; 0: all", "20" },
	{ "format", 'f', OPTION_CHOICE, OUTPUT_FORMAT_WORDS, offsetof(struct ranks_options, format),
	  "csv, json: a row for each call path", "table" },
	TERMINAL_OPTIONS(struct ranks_options, terminal),
};

const struct command command_ranks = {
	.name = "ranks",
	.operands = "[FUNCTION [FOLDER | FILE]]",
	.summary = "Shows how evenly the processes of a job share each call path's time,\n"
		   "and which rank has least and most of it. Default: '*' cinstr.data. One operand\n"
		   "that is there as a folder or data file is the session.",
	.options = ranks_options,
	.n_options = ARRAY_SIZE(ranks_options),
	.max_operands = 2,
	.notes = "Imbalance is most / mean - 1. The cost is what all processes could save together if\n"
		 "each had the mean: processes x (most - mean). A process without the path counts as 0\n"
		 "in the mean and the deviation; least is of the processes that have it. With a FUNCTION\n"
		 "there is a strip of what each process has of it, in the order of ranks; not of sessions\n"
		 "that were merged, which keep the extremes.\n",
	.examples = "  mpirun -np 16 ./app && cinstr ranks\n"
		    "  cinstr ranks all.cinstr\n"
		    "  cinstr ranks 'compute*' all.cinstr\n",
	.run = run,
};
