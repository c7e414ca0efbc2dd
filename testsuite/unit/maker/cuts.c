/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cuts.c - see cuts.h. Each function's values and each of the process's totals are compared in
 * ticks, with no slack. A run is cut at one to three moments at once; half of them are near a
 * record's stamp, where the rules for what lies across a bound are, the others anywhere.
 */
#include "cuts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/module_cache.h"
#include "lib/util.h"
#include "selection/replay.h"
#include "selection/time_range.h"
#include "tests.h"

#define AT_ONCE_MAX 3
#define NEAR_TICKS 40
#define SAID_MAX 20

static const struct counting raw = { .os_mask = CINSTR_OS_DEFAULT_MASK, .raw = 1 };

static const char *const value_names[] = { "calls",
					   "elapsed inclusive",
					   "elapsed exclusive",
					   "application inclusive",
					   "application exclusive",
					   "off the processor, inclusive",
					   "off the processor, exclusive" };
#define VALUES ARRAY_SIZE(value_names)

static const char *const total_names[] = { "elapsed", "application", "outside", "runtime",
					   "paused",  "events",	     "exits",	"implicit exits" };
#define TOTALS ARRAY_SIZE(total_names)

/* What was seen of a run, or added up over parts of it. */
struct seen {
	int64_t (*values)[VALUES]; /* by number of a function */
	size_t size;
	int64_t totals[TOTALS];
};

struct moments {
	uint64_t *stamps;
	size_t n, size;
	uint64_t first, last;
};

/* Functions by name, module and line: the same numbers for the whole and its parts. */
static struct map functions;
static char **function_names;

static uint64_t random_state;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* ---- what is compared ------------------------------------------------------------------------ */

static int64_t ticks(long double ns, long double ns_per_tick)
{
	return (int64_t)(ns / ns_per_tick + 0.5L);
}

static void seen_grow(struct seen *seen, size_t n)
{
	if (n <= seen->size)
		return;
	seen->values = xrealloc(seen->values, 2 * n, sizeof(*seen->values));
	memset(seen->values + seen->size, 0, (2 * n - seen->size) * sizeof(*seen->values));
	seen->size = 2 * n;
}

static int64_t *values_of(struct seen *seen, const struct row *row)
{
	struct strbuf key = { 0 };
	size_t number;
	int is_new;

	strbuf_printf(&key, "%s %s:%u", row->name, row->module ? row->module : "", row->line);
	number = map_add(&functions, key.text, key.length + 1, &is_new);
	if (is_new) {
		function_names = xrealloc(function_names, number + 1, sizeof(*function_names));
		function_names[number] = xstrdup(key.text);
	}
	strbuf_release(&key);
	seen_grow(seen, number + 1);
	return seen->values[number];
}

static void add_row(struct seen *seen, const struct row *row, long double tick)
{
	int64_t *v = values_of(seen, row);
	const struct sums *s = &row->sums;

	v[0] += (int64_t)row->calls;
	v[1] += ticks(s->elapsed_inclusive, tick);
	v[2] += ticks(s->elapsed_exclusive, tick);
	v[3] += ticks(s->application_inclusive, tick);
	v[4] += ticks(s->application_exclusive, tick);
	v[5] += ticks(s->off_cpu_inclusive, tick);
	v[6] += ticks(s->off_cpu_exclusive, tick);
}

static void add_totals(struct seen *seen, const struct totals *t, long double tick)
{
	seen->totals[0] += ticks(t->elapsed, tick);
	seen->totals[1] += ticks(t->application, tick);
	seen->totals[2] += ticks(t->outside, tick);
	seen->totals[3] += ticks(t->runtime, tick);
	seen->totals[4] += ticks(t->paused, tick);
	seen->totals[5] += (int64_t)t->events;
	seen->totals[6] += (int64_t)t->exits;
	seen->totals[7] += (int64_t)t->implicit_exits;
}

/* Adds what lies in [from, to). 0, or -1 after a message. */
static int add_part(struct seen *seen, const char *path, struct module_cache *tables, uint64_t from, uint64_t to)
{
	struct profile profile;
	struct data data;
	int known, status = -1;

	if (data_open_by(&data, path, &(struct data_opening){ .tables = tables }))
		return -1;
	profile_init(&profile, BY_FUNCTION, &raw);
	if (!range_select(&data, from, to, 0)) {
		long double tick = data_ns_per_tick(&data, &known);

		profile_add(&profile, &data);
		for (size_t i = 0; i < profile.n_rows; i++)
			if (profile.rows[i].name)
				add_row(seen, &profile.rows[i], tick);
		add_totals(seen, &profile.totals, tick);
		status = profile.totals.conservation_ticks_off || profile.totals.unbalanced ? -1 : 0;
		if (status)
			printf("FAIL [%llu, %llu): %llu ticks off, %lld events unbalanced\n",
			       (unsigned long long)from, (unsigned long long)to,
			       (unsigned long long)profile.totals.conservation_ticks_off,
			       (long long)profile.totals.unbalanced);
	}
	profile_release(&profile);
	data_release(&data);
	return status;
}

static void seen_release(struct seen *seen)
{
	free(seen->values);
	*seen = (struct seen){ 0 };
}

/* ---- moments --------------------------------------------------------------------------------- */

static void add_moment(struct moments *moments, uint64_t stamp)
{
	if (moments->n == moments->size) {
		moments->size = 2 * moments->size + 1024;
		moments->stamps = xrealloc(moments->stamps, moments->size, sizeof(*moments->stamps));
	}
	moments->stamps[moments->n++] = stamp;
}

/* Of all records of all threads. */
static int find_moments(struct moments *moments, const char *path)
{
	struct data data;
	int status = data_open(&data, path);

	if (status)
		return -1;
	moments->first = UINT64_MAX;
	for (size_t i = 0; !status && i < data.n_threads; i++) {
		const struct data_thread *thread = &data.threads[i];
		struct replay replay;
		struct replay_group group;

		if (thread->record->first_ticks < moments->first)
			moments->first = thread->record->first_ticks;
		if (thread->state->time > moments->last)
			moments->last = thread->state->time;
		status = replay_open(&replay, &data, thread);
		while (!status && replay_next(&replay, &group))
			add_moment(moments, group.time);
		replay_release(&replay);
	}
	data_release(&data);
	return !status && moments->n ? 0 : -1;
}

static uint64_t some_moment(const struct moments *m)
{
	if (next_random() % 2)
		return m->stamps[next_random() % m->n] - NEAR_TICKS + next_random() % (2 * NEAR_TICKS + 1);
	return m->first + next_random() % (m->last - m->first + 1);
}

/* ---- one run --------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void say_cuts(const uint64_t *cuts, unsigned n, const struct moments *moments)
{
	printf("FAIL cut at");
	for (unsigned i = 0; i < n; i++)
		printf(" %lld", (long long)(cuts[i] - moments->first));
	printf(": ");
}

/* How much does not add up. */
static int compare(struct seen *whole, struct seen *parts, const uint64_t *cuts, unsigned n,
		   const struct moments *moments)
{
	int off = 0;

	for (size_t k = 0; k < TOTALS; k++)
		if (whole->totals[k] != parts->totals[k] && off++ < SAID_MAX) {
			say_cuts(cuts, n, moments);
			printf("%s: parts %lld, whole %lld\n", total_names[k], (long long)parts->totals[k],
			       (long long)whole->totals[k]);
		}
	seen_grow(whole, functions.n);
	seen_grow(parts, functions.n);
	for (size_t i = 0; i < functions.n; i++)
		for (size_t k = 0; k < VALUES; k++) {
			if (parts->values[i][k] == whole->values[i][k] || off++ >= SAID_MAX)
				continue;
			say_cuts(cuts, n, moments);
			printf("%s: %s: parts %lld, whole %lld\n", function_names[i], value_names[k],
			       (long long)parts->values[i][k], (long long)whole->values[i][k]);
		}
	return off;
}

static int cut_once(struct seen *whole, const char *path, struct module_cache *tables,
		    const struct moments *moments, unsigned n)
{
	uint64_t cuts[AT_ONCE_MAX + 1];
	struct seen parts = { 0 };
	int status = 0;

	for (unsigned i = 0; i < n; i++)
		cuts[i] = some_moment(moments);
	qsort(cuts, n, sizeof(*cuts), by_number);
	for (unsigned i = 0; !status && i <= n; i++)
		status = add_part(&parts, path, tables, i ? cuts[i - 1] : 0, i < n ? cuts[i] : UINT64_MAX);
	if (!status)
		status = compare(whole, &parts, cuts, n, moments);
	seen_release(&parts);
	return status;
}

int cuts_check(const char *path, unsigned seed, unsigned n)
{
	struct moments moments = { 0 };
	struct seen whole = { 0 };
	struct module_cache *tables = module_cache_new();
	int status = find_moments(&moments, path);
	unsigned failed = 0, done = 0;

	random_state = seed + 0x9e3779b97f4a7c15u;
	if (!status)
		status = add_part(&whole, path, tables, 0, UINT64_MAX);
	while (!status && done < n) {
		unsigned at_once = 1 + done % AT_ONCE_MAX;

		at_once = at_once > n - done ? n - done : at_once;
		failed += cut_once(&whole, path, tables, &moments, at_once) != 0;
		done += at_once;
	}
	if (status)
		printf("FAIL %s: its timeline cannot be folded\n", path);
	printf("%u cuts of %zu records, %zu functions: %u runs do not add up\n", done, moments.n, functions.n,
	       failed);
	seen_release(&whole);
	module_cache_release(tables);
	free(moments.stamps);
	for (size_t i = 0; i < functions.n; i++)
		free(function_names[i]);
	free(function_names);
	function_names = NULL;
	map_release(&functions);
	return status || failed;
}
