/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executed_shares.h"

#include <stdlib.h>
#include <string.h>

#include "executed/executed.h"
#include "lib/array.h"
#include "rows/profile.h"
#include "runtime/system/text.h"

struct executed_share {
	struct share share;
	int is_unknown; /* in some process */
	/* of the process at hand */
	uint64_t now;
	uint32_t process; /* + 1 */
};

static struct executed_share *share_of(struct executed_shares *shares, const struct entity *entity)
{
	STRBUF(key);
	size_t number;
	int is_new;

	strbuf_printf(&key, "%s\n%s\n%s", entity->name, util_basename(entity->module ? entity->module : ""),
		      entity->file ? util_basename(entity->file) : "");
	number = map_add(&shares->keys, key.text, key.length, &is_new);
	ARRAY_REACH_ZEROED(shares->list, number, shares->size);
	if (is_new)
		shares->list[number] =
			(struct executed_share){ .share = { .name = map_keep(&shares->strings, entity->name),
							    .caller = "" } };
	return &shares->list[number];
}

static void function_add(struct executed_shares *shares, const struct entity *entity,
			 const struct executed_function *f)
{
	struct executed_share *share = share_of(shares, entity);

	if (share->process != shares->n_processes)
		share->now = 0;
	share->process = shares->n_processes;
	share->share.is_estimate |= f->is_estimate;
	share->is_unknown |= f->verdict != EXECUTED_KNOWN ||
			     __builtin_add_overflow(share->now, f->instructions, &share->now);
}

/* What the process has of each function is complete. */
static void process_end(struct executed_shares *shares)
{
	const struct merged_contributor *process = shares->processes[shares->n_processes - 1];

	shares->of_last = 0;
	for (size_t i = 0; i < shares->keys.n; i++) {
		struct share *share = &shares->list[i].share;
		double now = (double)shares->list[i].now;

		if (shares->list[i].process != shares->n_processes)
			continue;
		if (!share->n || now < share->least) {
			share->least = now;
			share->who_least = process;
		}
		if (!share->n || now > share->most) {
			share->most = now;
			share->who_most = process;
		}
		share->sum += now;
		share->squares += now * now;
		share->n++;
		shares->of_last += now;
	}
}

static void process_begin(struct executed_shares *shares, const struct data *data)
{
	const char *host = process_host(data);
	struct merged_contributor *process = xcalloc(1, sizeof(*process));

	process->host = map_keep(&shares->strings, host ? host : "");
	process->rank_after = process_rank_after(data);
	process->pid = data->header->pid;
	ARRAY_ONE_MORE(shares->processes, shares->n_processes);
	shares->processes[shares->n_processes++] = process;
}

const char *executed_shares_add(struct executed_shares *shares, const struct data *data)
{
	struct executed executed;
	const char *why =
		data->merged ? "of what was merged only sums of executed instructions are known" : NULL;

	if (why)
		return why;
	executed_init(&executed, names_new());
	executed_add(&executed, data);
	executed_finish(&executed);
	if (executed.n_counting) {
		process_begin(shares, data);
		for (size_t i = 0; i < executed.n_functions; i++) {
			const struct executed_function *f = &executed.functions[i];
			const struct entity *entity = &executed.names->list[f->entity];

			if (!shares->function ||
			    glob_match(shares->function, strlen(shares->function), entity->name))
				function_add(shares, entity, f);
		}
		process_end(shares);
	} else {
		shares->n_without++;
	}
	names_drop(executed.names);
	executed_release(&executed);
	return NULL;
}

struct shares executed_shares_complete(struct executed_shares *shares, size_t *n_unknown)
{
	struct shares known = { .n_processes = shares->n_processes, .are_instructions = 1 };

	known.list = xcalloc(shares->keys.n + 1, sizeof(*known.list));
	*n_unknown = 0;
	for (size_t i = 0; i < shares->keys.n; i++) {
		struct executed_share *share = &shares->list[i];

		*n_unknown += share->is_unknown != 0;
		if (share->is_unknown)
			continue;
		share_complete(&share->share, shares->n_processes);
		known.list[known.n++] = share->share;
	}
	return known;
}

void executed_shares_release(struct executed_shares *shares)
{
	for (uint32_t i = 0; i < shares->n_processes; i++)
		free(shares->processes[i]);
	free(shares->processes);
	free(shares->list);
	map_release(&shares->keys);
	map_release(&shares->strings);
}
