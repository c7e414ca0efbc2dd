/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html_changes.c - what changed from A to B, as in cinstr diff (diff/diff.h): its rows, verdicts
 * and intervals, and the functions or modules of the page that they are. Reads both sessions once
 * more, with the names that distinguish functions. */
#include "html_changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff_shares.h"
#include "file/samples.h"
#include "json_pack.h"
#include "pack.h"

#define THRESHOLD 0.1 /* percent: that of cinstr diff */
#define NOT_THERE (-1)

/* What is compared, in the page's order of columns. */
static const enum column of_times[] = {
	COLUMN_ELAPSED_EXCLUSIVE, COLUMN_ELAPSED_INCLUSIVE,	COLUMN_CPU_EXCLUSIVE,
	COLUMN_OFF_CPU_EXCLUSIVE, COLUMN_APPLICATION_EXCLUSIVE, COLUMN_CALLS,
};
static const enum column of_shares[] = { COLUMN_ELAPSED_EXCLUSIVE, COLUMN_ELAPSED_INCLUSIVE };
#define SETS_MOST (2 * ARRAY_SIZE(of_times))

struct set {
	struct changes *changes;
	struct diff diff;
	struct shares shares;
	int64_t *numbers[2]; /* by run: of each row of the diff, that of the page */
	size_t n_numbers[2];
};

struct changes {
	const struct html_wish *wish;
	const struct html_known *known; /* by side */
	struct view_options view;
	struct counting counting;
	char *paths[2];
	enum shares_kind kind;
	int is_swapped; /* the first run is B */
	struct set sets[SETS_MOST];
	size_t n_sets;
	/* of the run at hand */
	struct profile profiles[2];
	size_t run;
	int is_read;
};

static enum profile_by by_of(const struct changes *changes, size_t set)
{
	return set < changes->n_sets / 2 || changes->kind == SHARES_BESIDE ? BY_FUNCTION : BY_MODULE;
}

/* ---- which function or module of the page a row is ------------------------------------------- */

static int64_t number_in(const struct map *map, const char *key, size_t length)
{
	size_t number = map_find(map, key, length);

	return number == MAP_NONE ? NOT_THERE : (int64_t)number;
}

static int64_t number_of(const struct set *set, size_t run, const struct profile *profile, uint32_t i)
{
	struct changes *changes = set->changes;
	const struct html_known *known = &changes->known[changes->is_swapped ? 1 - run : run];
	const struct row *row = profile->n_rows > i ? &profile->rows[i] : NULL;
	/* of a sampled session that is folded, rows are entities of the profile that was read */
	int is_folded = !profile->names;
	const struct map *keys = is_folded ? &changes->profiles[0].names->keys : &profile->names->keys;
	uint32_t entity = is_folded ? i : row ? row->entity : UINT32_MAX;

	if (set->diff.by == BY_MODULE)
		return row && html_module_key(row) ? number_in(&known->modules, html_module_key(row),
							       strlen(html_module_key(row)))
						   : NOT_THERE;
	return entity < keys->n ? number_in(&known->functions, keys->keys[entity], keys->lengths[entity])
				: NOT_THERE;
}

/* diff_match() has found the rows of a run. */
static void matched(void *arg, size_t run, const struct profile *profile, const uint32_t *rows)
{
	struct set *set = arg;

	set->numbers[run] = xrealloc(set->numbers[run], set->diff.n_rows + 1, sizeof(**set->numbers));
	for (size_t i = set->n_numbers[run]; i < set->diff.n_rows; i++)
		set->numbers[run][i] = NOT_THERE;
	set->n_numbers[run] = set->diff.n_rows;
	for (uint32_t i = 0; i < profile->n_rows; i++)
		if (rows[i] != DIFF_NONE)
			set->numbers[run][rows[i]] = number_of(set, run, profile, i);
}

static int64_t number_at(const struct set *set, size_t run, uint32_t row)
{
	return row < set->n_numbers[run] ? set->numbers[run][row] : NOT_THERE;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void resolve(struct view *view, struct profile *profile)
{
	view->rows = xcalloc(profile->n_rows + 1, sizeof(*view->rows));
	view->n_rows = 0;
	for (size_t i = 0; i < profile->n_rows; i++)
		view->rows[view->n_rows++] = &profile->rows[i];
	view_resolve(view, profile);
	free(view->rows);
	view->rows = NULL;
}

static int take(struct view *view, void *arg)
{
	struct changes *changes = arg;
	struct profile *functions = &changes->profiles[0], *second = &changes->profiles[1];

	changes->is_read = 1;
	resolve(view, functions);
	for (size_t i = 0; i < changes->n_sets; i++) {
		struct diff *diff = &changes->sets[i].diff;
		struct profile *profile = diff->by == BY_MODULE ? second : functions;

		if (changes->kind == SHARES_NONE)
			diff_add(diff, changes->run, profile, profile->totals.exe);
		else
			shares_add(diff, changes->run, profile, profile->totals.exe,
				   changes->kind == SHARES_BESIDE ? second : NULL);
	}
	return STATUS_OK;
}

/* The sampled side beside an instrumented one: by paths, so that it is seen as by probes. */
static int take_folded(struct view *view, void *arg)
{
	struct changes *changes = arg;
	struct profile *paths = &changes->profiles[0];

	(void)view;
	changes->is_read = 1;
	for (size_t i = 0; i < changes->n_sets; i++)
		shares_fold(&changes->sets[i].diff, changes->run, paths, paths->totals.exe);
	return STATUS_OK;
}

/* 0, or -1: it cannot be read. */
static int read_run(struct changes *changes, size_t run)
{
	struct profile *profiles[] = { &changes->profiles[0], &changes->profiles[1] };
	struct view_options options = changes->view;
	struct counting counting = changes->counting;
	int is_beside = changes->kind == SHARES_BESIDE, is_folded = is_beside && !run;

	if (is_folded) {
		options.application = options.raw = 0;
		options.os_events = "default";
		counting = (struct counting){ .os_mask = CINSTR_OS_DEFAULT_MASK };
	}
	changes->run = run;
	changes->is_read = 0;
	profile_init(profiles[0], is_folded ? BY_PATH : BY_FUNCTION, &counting);
	profile_init(profiles[1], is_beside ? BY_PATH : BY_MODULE, &counting);
	profiles[0]->paths.read_once = profiles[1]->paths.read_once = 1;
	view_read(changes->paths[run], &options, profiles, is_folded ? 1 : 2, is_folded ? take_folded : take,
		  changes);
	for (size_t i = 0; i < 2; i++)
		profile_release(profiles[i]);
	return changes->is_read ? 0 : -1;
}

static void begin(struct changes *changes)
{
	int is_times = changes->kind == SHARES_NONE;
	size_t columns = is_times ? ARRAY_SIZE(of_times) : ARRAY_SIZE(of_shares);

	changes->n_sets = changes->kind == SHARES_BESIDE ? columns : 2 * columns;
	for (size_t i = 0; i < changes->n_sets; i++) {
		struct set *set = &changes->sets[i];

		set->changes = changes;
		diff_init(&set->diff, by_of(changes, i),
			  is_times ? of_times[i % columns] : of_shares[i % columns], 1, 1);
		set->diff.matched = matched;
		set->diff.matched_arg = set;
		if (is_times)
			continue;
		shares_init(&set->shares, changes->kind, 2);
		set->shares.is_inclusive = set->diff.column == COLUMN_ELAPSED_INCLUSIVE;
		set->diff.shares = &set->shares;
	}
	if (changes->kind != SHARES_BESIDE)
		return;
	changes->view.inlines = 1;
	changes->view.application = changes->counting.on_cpu = 1;
	samples_show_inlines(0); /* probes do not see them */
}

static void end(struct changes *changes)
{
	for (size_t i = 0; i < changes->n_sets; i++) {
		struct set *set = &changes->sets[i];

		diff_release(&set->diff);
		if (set->shares.samples)
			shares_release(&set->shares);
		free(set->numbers[0]);
		free(set->numbers[1]);
	}
}

/* ---- writing --------------------------------------------------------------------------------- */

static const char *verdict_of(const struct set *set, int verdict)
{
	if (set->diff.shares)
		return shares_verdicts[set->shares.kind == SHARES_BESIDE][verdict];
	return diff_verdicts[!diff_is_time(set->diff.column)][verdict];
}

static int is_in_page(const struct set *set, uint32_t row)
{
	return number_at(set, 0, row) != NOT_THERE || number_at(set, 1, row) != NOT_THERE;
}

static size_t rows_in_page(const struct set *set)
{
	size_t n = 0;

	for (uint32_t i = 0; i < set->diff.n_rows; i++)
		n += (size_t)is_in_page(set, i);
	return n;
}

static void put_set(struct items *items, const struct set *set)
{
	const struct diff *diff = &set->diff;

	items_open(items, NULL, '{', ITEMS_BLOCK);
	items_text(items, "by", diff->by == BY_MODULE ? "modules" : "functions");
	if (diff->shares)
		items_text(items, "column", set->shares.is_inclusive ? "inclusive" : "exclusive");
	else
		items_text(items, "column", column_infos[diff->column].key);
	items_count(items, "rows", rows_in_page(set));
	items_flag(items, "has_interval", diff->shares || diff_has_interval(diff));
	items_open(items, "verdicts", '[', ITEMS_INLINE);
	for (int verdict = DIFF_SAME; verdict <= DIFF_REMOVED; verdict++)
		items_text(items, NULL, verdict_of(set, verdict));
	items_close(items);
	if (!diff->shares && diff_total_of(diff->column)) {
		items_ns(items, "total_a", diff->total.a);
		items_ns(items, "total_b", diff->total.b);
	} else if (set->shares.kind == SHARES_BESIDE) {
		items_decimal(items, "distortion", set->shares.distortion, 6);
		items_decimal(items, "by_chance", set->shares.by_chance, 6);
	}
	items_close(items);
}

static void write_info(struct pack *pack, const struct changes *changes)
{
	static const char *const kinds[] = { "times", "sampled", "beside" };
	struct json json;
	struct items *items = &json.items;

	json_begin(&json);
	items_open(items, NULL, '{', ITEMS_BLOCK);
	items_text(items, "kind", kinds[changes->kind]);
	items_flag(items, "is_swapped", changes->is_swapped);
	items_decimal(items, "threshold", THRESHOLD, 1);
	items_open(items, "sets", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < changes->n_sets; i++)
		put_set(items, &changes->sets[i]);
	items_close(items);
	items_close(items);
	pack_section(pack, "", "changes_info");
	json_pack(&json, pack);
	pack_section_end(pack);
}

/* Of a row; `a`, `b`: of the first run and of the second. */
enum change_column {
	CHANGE_A,
	CHANGE_B,
	CHANGE_VERDICT,
	CHANGE_BEFORE,
	CHANGE_AFTER,
	CHANGE_CHANGE,
	CHANGE_HALF,
	CHANGE_LOW,
	CHANGE_HIGH,
	CHANGE_COLUMNS
};
static const char *const column_names[CHANGE_COLUMNS] = { "a",	    "b",    "verdict", "before", "after",
							  "change", "half", "low",     "high" };

static void put_number(struct pack *pack, const struct set *set, uint32_t row, enum change_column column)
{
	const struct difference *d = &set->diff.rows[row].difference;
	const double values[CHANGE_COLUMNS] = { [CHANGE_BEFORE] = d->a,
						[CHANGE_AFTER] = d->b,
						[CHANGE_CHANGE] = d->change,
						[CHANGE_HALF] = d->half,
						[CHANGE_LOW] = d->change - d->half,
						[CHANGE_HIGH] = d->change + d->half };
	int64_t number = number_at(set, column == CHANGE_B, row);
	int has_interval = set->diff.shares || diff_has_interval(&set->diff);

	if (column == CHANGE_VERDICT)
		pack_number(pack, set->diff.rows[row].verdict);
	else if (column <= CHANGE_B && number == NOT_THERE)
		pack_none(pack);
	else if (column <= CHANGE_B)
		pack_number(pack, number);
	else if (column >= CHANGE_LOW && !has_interval)
		pack_none(pack);
	else
		pack_number(pack, llrint(pack->kind == PACK_MILLI ? values[column] * 1e6 : values[column]));
}

static void write_rows(struct pack *pack, const struct changes *changes)
{
	enum pack_kind of_values = changes->kind == SHARES_NONE ? PACK_NUMBER : PACK_MILLI;

	pack_section(pack, "", "changes");
	for (int column = 0; column < CHANGE_COLUMNS; column++) {
		pack_column(pack, column_names[column],
			    column == CHANGE_VERDICT ? PACK_BYTE
			    : column <= CHANGE_B     ? PACK_NUMBER
						     : of_values,
			    NULL);
		for (size_t i = 0; i < changes->n_sets; i++)
			for (uint32_t row = 0; row < changes->sets[i].diff.n_rows; row++)
				if (is_in_page(&changes->sets[i], row))
					put_number(pack, &changes->sets[i], row, (enum change_column)column);
		pack_column_end(pack);
	}
	pack_section_end(pack);
}

static void compare(struct changes *changes)
{
	for (size_t i = 0; i < changes->n_sets; i++) {
		if (changes->kind == SHARES_NONE)
			diff_compare(&changes->sets[i].diff, THRESHOLD);
		else
			shares_compare(&changes->sets[i].diff, THRESHOLD);
	}
}

/* Beside a sampled session, the instrumented one is first: what it has seen, the other is folded
 * by. */
static int read_both(struct changes *changes)
{
	size_t first = changes->kind == SHARES_BESIDE;

	return read_run(changes, first) || read_run(changes, 1 - first) ? -1 : 0;
}

int html_changes_write(FILE *out, const struct html_wish *wish, const struct html_known known[2])
{
	struct changes *changes = xcalloc(1, sizeof(*changes));
	struct names_options names = wish->view->names;
	struct pack pack;
	size_t n_a = 1;
	int status;

	*changes = (struct changes){ .wish = wish,
				     .known = known,
				     .view = *wish->view,
				     .counting = *wish->counting,
				     .paths = { (char *)wish->path, (char *)wish->other } };
	changes->view.keep_names = changes->view.is_quiet = 1;
	status = shares_sides(changes->paths, 2, &n_a, &changes->kind) ? -1 : 0;
	changes->is_swapped = changes->paths[0] != wish->path;
	names.style = NAMES_ASSEMBLER; /* what tells functions apart */
	names_configure("html", &names, 0);
	if (!status) {
		begin(changes);
		status = read_both(changes);
	}
	if (!status) {
		compare(changes);
		pack_begin(&pack, out, wish->parts);
		write_rows(&pack, changes);
		write_info(&pack, changes);
		pack_release(&pack);
	}
	end(changes);
	names_configure("html", &wish->view->names, 1);
	samples_show_inlines(!wish->view->inlines);
	free(changes);
	return status;
}
