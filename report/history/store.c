/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store.c - see store.h: lists the runs. add.c adds them. */
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/files.h"
#include "lib/order.h"
#include "parquet/reader.h"
#include "runtime/system/text.h"

#define FOLDER "run="

const struct history_measure_info history_measures[HISTORY_N_MEASURES] = {
#define INFO(id, name, column, words, is_time) { name, column, words, is_time },
	HISTORY_MEASURES(INFO)
#undef INFO
};

char *history_table(const struct history *history, const struct history_run *run, const char *name)
{
	struct strbuf path = { 0 };

	strbuf_printf(&path, "%s/" FOLDER "%06llu/%s", history->path, (unsigned long long)run->number, name);
	return path.text;
}

static const char *kept_text(struct history *history, const struct parquet_table *table, size_t column)
{
	return map_keep(&history->strings, table->columns[column].texts[0]);
}

static void add_run(struct history *history, uint64_t number, const char *label)
{
	static const struct parquet_column columns[] = {
		{ "time_ns", PARQUET_INT64, 0, 0 },
		{ "duration_ns", PARQUET_INT64, 0, 0 },
		{ "processes", PARQUET_INT64, 0, 0 },
		{ "functions", PARQUET_INT64, 0, 0 },
		{ "label", PARQUET_TEXT, 1, 0 },
		{ "commit", PARQUET_TEXT, 1, 0 },
		{ "command", PARQUET_TEXT, 1, 0 },
		{ "host", PARQUET_TEXT, 1, 0 },
		{ "method", PARQUET_TEXT, 0, 0 },
		{ "instructions", PARQUET_INT64, 1, 0 },
		{ "functions_not_known", PARQUET_INT64, 1, 0 },
		{ "unpreempted_ns", PARQUET_INT64, 1, 0 },
	};
	struct history_run run = { .number = number };
	FREED char *path = history_table(history, &run, "run.parquet");
	struct parquet_table table;
	const char *why = parquet_read(&table, path, columns, ARRAY_SIZE(columns));

	if (!why && table.n_rows != 1)
		why = "it is not one run";
	if (why) {
		error("%s: left out: %s", util_shown(path), why);
		history->status = STATUS_DATA;
	} else {
		run.time_ns = (uint64_t)table.columns[0].numbers[0];
		run.duration_ns = (uint64_t)table.columns[1].numbers[0];
		run.processes = (uint64_t)table.columns[2].numbers[0];
		run.functions = (uint64_t)table.columns[3].numbers[0];
		run.label = kept_text(history, &table, 4);
		run.commit = kept_text(history, &table, 5);
		run.command = kept_text(history, &table, 6);
		run.host = kept_text(history, &table, 7);
		run.method = kept_text(history, &table, 8);
		run.instructions = (uint64_t)table.columns[9].numbers[0];
		run.unknown = (uint64_t)table.columns[10].numbers[0];
		run.has_instructions = table.columns[9].is_some[0];
		run.has_unpreempted = table.columns[11].is_some[0];
		if (!label || glob_match(label, strlen(label), run.label)) {
			ARRAY_ROOM(history->runs, history->n, history->size, 64);
			history->runs[history->n++] = run;
		}
	}
	parquet_table_release(&table);
}

ORDER_ITEMS(compare_runs, struct history_run, ORDER(x->time_ns, y->time_ns), ORDER(x->number, y->number))

/* 0: it is none. */
static uint64_t number_of(const char *name)
{
	char *end;
	unsigned long long number;

	if (strncmp(name, FOLDER, strlen(FOLDER)) != 0)
		return 0;
	number = strtoull(name + strlen(FOLDER), &end, 10);
	return *end ? 0 : number;
}

int history_open(struct history *history, const char *path, const char *label)
{
	DIR *folder = files_list(path, 0);
	struct dirent *entry;

	*history = (struct history){ .path = path, .status = STATUS_OK };
	if (!folder)
		return error("%s: %s%s", util_shown(path), files_problem(errno),
			     errno == ENOENT ? "; cinstr history add makes it" : "");
	while ((entry = readdir(folder)))
		if (entry->d_type != DT_LNK && number_of(entry->d_name))
			add_run(history, number_of(entry->d_name), label);
	closedir(folder);
	util_sort(history->runs, history->n, sizeof(*history->runs), compare_runs, NULL);
	return 0;
}

void history_release(struct history *history)
{
	free(history->runs);
	map_release(&history->strings);
}
