/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_ranks.c - cinstr ranks: how evenly the processes of a job share the work of each call path,
 * and which of them has least and most. A session that was not merged is merged in memory.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "executed_shares.h"
#include "instructions/instructions.h"
#include "lib/options.h"
#include "lib/terminal.h"
#include "lib/util.h"
#include "merge/union.h"
#include "names/names.h"
#include "output/format.h"
#include "runtime/system/text.h"
#include "session/session.h"
#include "shares.h"
#include "strip.h"
#include "values/values.h"

#define LIMIT 20

struct ranks_options {
	int format, value, inclusive, measure;
	uint64_t limit;
	struct terminal_options terminal;
};

struct ranks {
	const struct ranks_options *options;
	const char *function; /* a glob; NULL: all */
	struct union_tree u;
	struct names names;
	struct shares shares;
	struct executed_shares executed; /* of --measure=instructions */
	struct strip strip;		 /* of `function`, if it is named and no input was merged */
	int has_merged;
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
	FREED uint32_t *n_alike = xcalloc(thread->n_nodes + 1, sizeof(*n_alike));
	FREED uint32_t *all = n_alike_make(data, thread, entities);
	int is_new;

	for (size_t i = 1; i < thread->n_nodes; i++) {
		const struct data_node *node = &thread->nodes[i];
		uint32_t line = all[i] > 1 ? line_of(data, node->cell) : 0;
		uint32_t sibling[4] = { node->parent, entities[i], line, build_of(data, node->cell) };
		uint32_t path[4] = { numbers[node->parent], sibling[1], sibling[2], 0 };

		path[3] = n_alike[map_add(&siblings, sibling, sizeof(sibling), &is_new)]++;
		numbers[i] = (uint32_t)map_add(&paths, path, sizeof(path), &is_new) + 1;
	}
	r->shares.n = paths.n + 1;
	map_release(&paths);
	map_release(&siblings);
	return numbers;
}

static void shares_make(struct ranks *r, const struct data *data)
{
	const struct data_thread *thread = &data->threads[0];
	const struct counting counting = { .os_mask = CINSTR_OS_DEFAULT_MASK };
	struct values *values = values_make(data, thread, &counting);
	FREED uint32_t *entities = names_of_thread(&r->names, data, thread);
	FREED uint32_t *numbers = NULL;
	size_t n = 0;
	int known;
	double ns = (double)data_ns_per_tick(data, &known);

	r->shares.n_processes = data->merged->head->n_contributors;
	for (uint32_t i = 1; i < r->shares.n_processes; i++)
		r->shares.has_jobs |=
			strcmp(data->merged->contributors[i].job, data->merged->contributors[0].job) != 0;
	numbers = numbers_make(r, data, entities);
	r->shares.list = xcalloc(r->shares.n, sizeof(*r->shares.list));
	for (size_t i = 1; i < thread->n_nodes; i++) {
		const struct merged_item *item = merged_item_of(data->merged, thread->nodes[i].cell);
		const char *name = name_of(r, entities[i]);
		struct share *share = &r->shares.list[numbers[i]];

		if (!item || !item->n_contributors || !item->calls ||
		    data_cell_is_line(thread->nodes[i].cell) ||
		    (r->function && !glob_match(r->function, strlen(r->function), name)))
			continue;
		share->name = name;
		share->caller = name_of(r, entities[thread->nodes[i].parent]);
		share_add(share, r, data, item, (double)sum_of(r->options, values_at(values, i)) * ns);
	}
	for (size_t i = 0; i < r->shares.n; i++)
		if (r->shares.list[i].n) {
			share_complete(&r->shares.list[i], r->shares.n_processes);
			r->shares.list[n++] = r->shares.list[i];
		}
	r->shares.n = n;
	values_release(values);
}

/* ---- one function in each process ------------------------------------------------------------ */

/* What a thread has of the function, ns; with what it called: of each path the outermost call. */
static double of_thread(struct ranks *r, const struct data *data, const struct data_thread *thread)
{
	const struct counting counting = { .os_mask = CINSTR_OS_DEFAULT_MASK };
	struct values *values = values_make(data, thread, &counting);
	FREED uint32_t *entities = names_of_thread(&r->names, data, thread);
	FREED uint8_t *is_in = xcalloc(thread->n_nodes + 1, 1);
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

static const char *words_of(const struct ranks *r)
{
	static const char *const words[] = { [OF_CPU] = "time on the processor",
					     [OF_APPLICATION] = "application time",
					     [OF_ELAPSED] = "elapsed time" };

	return r->shares.are_instructions ? "executed instructions" : words[kind_of(r->options)];
}

static void say_none(const struct ranks *r)
{
	if (r->function)
		error("ranks: no function matches '%s'", util_shown(r->function ? r->function : ""));
	else
		error("ranks: no function was recorded");
}

static void print(struct ranks *r)
{
	const struct output_format *format = &output_formats[r->options->format];

	terminal_page();
	if (!r->shares.n) {
		say_none(r);
		r->status = STATUS_DATA;
		return;
	}
	if (!format->shape->is_for_people) {
		shares_print_items(&r->shares, r->options->limit, format->items);
		return;
	}
	shares_print_table(&r->shares, r->options->limit);
	if (!r->has_merged)
		strip_print(&r->strip, r->function, words_of(r), r->shares.are_instructions,
			    terminal_width(stdout));
}

/* ---- executed instructions ------------------------------------------------------------------- */

static const char *add_executed(struct ranks *r, const struct data *data)
{
	uint32_t before = r->executed.n_processes;
	const char *why = executed_shares_add(&r->executed, data);

	if (r->function && r->executed.n_processes > before)
		strip_add(&r->strip, data, r->executed.of_last);
	return why;
}

static void show_executed(struct ranks *r)
{
	size_t n_unknown;

	if (!r->executed.n_processes) {
		error("ranks: no executed instructions were counted: build with "
		      "-fplugin-arg-cinstr-instructions");
		r->status = STATUS_DATA;
		return;
	}
	r->shares = executed_shares_complete(&r->executed, &n_unknown);
	if (r->executed.n_without)
		warning("ranks: left out: processes that have not counted executed instructions: %zu",
			r->executed.n_without);
	if (n_unknown)
		warning("ranks: left out: functions whose executed instructions are not known in some "
			"process: %zu (cinstr report --measure=instructions says why)",
			n_unknown);
	print(r);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void visit(void *arg, struct data *data)
{
	struct ranks *r = arg;
	int is_time = r->options->measure == MEASURE_TIME;
	const char *why = data->n_problems ? "it is damaged"
			  : is_time	   ? union_add_data(&r->u, data)
					   : add_executed(r, data);

	if (!why) {
		if (is_time)
			strip_of(r, data);
		return;
	}
	error("%s: left out: %s", util_shown(data->path), why);
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
	struct session input;
	const char *session;
	int n_operands;
	enum options_result parsed = options_parse(command, argc, argv, &options, &n_operands);

	if (parsed != OPTIONS_OK)
		return parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (terminal_configure(command->name, &options.terminal))
		return STATUS_USAGE;
	if (options.measure == MEASURE_INSTRUCTIONS && (options.value != OF_CPU || options.inclusive))
		return error_usage(
			"ranks: %s does not go with --measure=instructions, which are a function's own",
			options.inclusive ? "--inclusive" : "--value");
	session = n_operands > 1 ? argv[2] : n_operands && session_is_session(argv[1]) ? argv[1] : NULL;
	r.function = n_operands && session != argv[1] ? argv[1] : NULL;
	r.executed.function = r.function;
	union_init(&r.u);
	if (session_open(&input, session)) {
		r.status = STATUS_DATA;
	} else {
		if (session_each(&input, visit, &r))
			r.status = STATUS_DATA;
		if (options.measure == MEASURE_INSTRUCTIONS)
			show_executed(&r);
		else if (r.u.n_contributors)
			show_merged(&r);
	}
	session_release(&input);
	free(r.shares.list);
	executed_shares_release(&r.executed);
	strip_release(&r.strip);
	names_release(&r.names);
	union_release(&r.u);
	return r.status;
}

static const struct option ranks_options[] = {
	MEASURE_OPTION(struct ranks_options, measure),
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
	OPTIONS_OF(ranks_options),
	.max_operands = 2,
	.notes = "Imbalance is most / mean - 1. The cost is what all processes could save together if\n"
		 "each had the mean: processes x (most - mean). A process without the path counts as 0\n"
		 "in the mean and the deviation; least is of the processes that have it. With a FUNCTION\n"
		 "there is a strip of what each process has of it, in the order of ranks; not of sessions\n"
		 "that were merged, which keep the extremes.\n"
		 "\n"
		 "Executed instructions show who has more to do, whatever else the machines did: by\n"
		 "function, without what other libraries execute while a rank waits in them.\n",
	.examples = "  mpirun -np 16 ./app && cinstr ranks\n"
		    "  cinstr ranks all.cinstr\n"
		    "  cinstr ranks 'compute*' all.cinstr\n"
		    "  cinstr ranks --measure=instructions\n",
	.run = run,
};
