/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "rows/uncertainty.h"
#include "table_cells.h"
#include "upper_end.h"

#define DEPTH_SHOWN 40 /* deeper levels are not indented further */

/* ---- headings -------------------------------------------------------------------------------- */

static const char *name_heading(const struct profile *profile)
{
	static const char *const names[] = {
		[BY_FUNCTION] = "Function", [BY_MODULE] = "Module", [BY_THREAD] = "Thread",
		[BY_PROCESS] = "Process",   [BY_LINE] = "Line",	    [BY_SITE] = "Call site",
		[BY_ADDRESS] = "Address",   [BY_MARK] = "Mark",	    [BY_PATH] = "Call path",
		[BY_CALLERS] = "Function",
	};

	static const char *const groups[] = {
		[GROUP_PROCESS] = "Process", [GROUP_RANK] = "Rank", [GROUP_HOST] = "Host", [GROUP_JOB] = "Job"
	};

	if (profile->by == BY_PROCESS)
		return groups[profile->group];
	if (profile->by == BY_MODULE && profile->functions)
		return "Module, function";
	return (size_t)profile->by < ARRAY_SIZE(names) && names[profile->by] ? names[profile->by] : "Name";
}

struct heading cell_heading(enum column column, const struct profile *profile)
{
	struct heading heading = column_infos[column].heading;

	if (heading.form == FORM_NAME)
		heading.text = name_heading(profile);
	return heading;
}

struct heading cell_heading_brief(enum column column, const struct profile *profile)
{
	static const struct {
		enum column column;
		struct heading heading;
	} brief[] = {
		{ COLUMN_CPU, { NULL, "CPU", FORM_DURATION } },
		{ COLUMN_CPU_EXCLUSIVE, { NULL, "CPU excl", FORM_DURATION } },
		{ COLUMN_OFF_CPU, { NULL, "Waiting", FORM_DURATION } },
		{ COLUMN_OFF_CPU_EXCLUSIVE, { NULL, "Waiting", FORM_DURATION } },
		{ COLUMN_ELAPSED_INCLUSIVE, { NULL, "Total", FORM_DURATION } },
		{ COLUMN_ELAPSED_EXCLUSIVE, { NULL, "Total excl", FORM_DURATION } },
		{ COLUMN_AVERAGE, { NULL, "Avg", FORM_DURATION } },
		{ COLUMN_LONGEST, { NULL, "Max", FORM_DURATION } },
		{ COLUMN_UNCERTAINTY_EXCLUSIVE, { NULL, "+-", FORM_DURATION } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(brief); i++)
		if (brief[i].column == column)
			return brief[i].heading;
	return cell_heading(column, profile);
}

/* ---- cells ----------------------------------------------------------------------------------- */

#define SMALLEST 1e-3L /* of a unit: the least that its decimals can show */

/* R9. A call into the kernel that has only a few nanoseconds of Application time need not be marked
 * in a table of milliseconds; nor what is shown as `<= x`. */
static int is_rough(const struct view *view, const struct row *row, enum value_kind kind,
		    const struct unit *unit)
{
	int is_application = kind == VALUE_APPLICATION_INCLUSIVE || kind == VALUE_APPLICATION_EXCLUSIVE;

	return !view->profile->counting.raw && uncertainty_is_rough(&row->sums, kind) &&
	       (!is_application || uncertainty_of(&row->sums, kind) >= SMALLEST * unit->ns) &&
	       uncertainty_upper_end(&row->sums, kind) < 0;
}

static int is_cpu(enum column column)
{
	return column_infos[column].family == FAMILY_CPU;
}

/* Of time on the processor, as is_rough(). */
static int is_rough_cpu(const struct view *view, const struct row *row, int inclusive)
{
	return !view->profile->counting.raw && uncertainty_cpu_is_rough(&row->sums, inclusive) &&
	       uncertainty_cpu_upper_end(&row->sums, inclusive) < 0;
}

static int is_estimate(const struct row *row, int inclusive)
{
	return mixed_row_is_estimate(row, inclusive ? VALUE_ELAPSED_INCLUSIVE : VALUE_ELAPSED_EXCLUSIVE);
}

long double cell_upper_end(const struct view *view, enum column column, const struct row *row,
			   const struct unit *unit)
{
	return upper_end_of(view->profile, row, column, SMALLEST * unit->ns);
}

struct unit cell_unit(const struct view *view)
{
	static const struct unit units[] = { { 1, "ns", 0, 0, 0, 0, 0 },
					     { 1e3L, "us", 3, 0, 0, 0, 0 },
					     { 1e6L, "ms", 3, 0, 0, 0, 0 },
					     { 1e9L, "s", 3, 0, 0, 0, 0 } };
	struct unit unit;
	long double most = 0;
	size_t i = 0;

	for (size_t k = 0; k < view->n_rows; k++)
		if (view->rows[k]->sums.elapsed_inclusive > most)
			most = view->rows[k]->sums.elapsed_inclusive;
	while (i + 1 < ARRAY_SIZE(units) && most >= 10000 * units[i].ns)
		i++;
	unit = units[i];
	unit.rough = 1u << VALUE_ELAPSED_EXCLUSIVE;
	for (size_t k = 0; k < view->n_rows; k++)
		for (int kind = 0; kind < VALUE_KINDS; kind++)
			unit.rough |=
				(unsigned)(mixed_row_is_estimate(view->rows[k], (enum value_kind)kind) ||
					   is_rough(view, view->rows[k], (enum value_kind)kind, &unit))
				<< kind;
	for (size_t k = 0; k < view->n_rows; k++)
		for (int inclusive = 0; inclusive < 2; inclusive++)
			unit.rough_cpu |= (unsigned)(is_estimate(view->rows[k], inclusive) ||
						     is_rough_cpu(view, view->rows[k], inclusive))
					  << inclusive;
	for (size_t k = 0; k < view->n_rows; k++)
		for (int kind = 0; kind < VALUE_KINDS; kind++)
			unit.shares |=
				(unsigned)row_is_share(view->profile, view->rows[k], (enum value_kind)kind)
				<< kind;
	for (size_t k = 0; k < view->n_rows; k++)
		for (int column = COLUMN_ELAPSED_INCLUSIVE; column <= COLUMN_APPLICATION_EXCLUSIVE; column++)
			unit.has_upper_ends |=
				cell_upper_end(view, (enum column)column, view->rows[k], &unit) >= 0;
	return unit;
}

static void put_time(struct strbuf *buf, const struct unit *unit, long double ns)
{
	char digits[64];
	size_t point;

	snprintf(digits, sizeof(digits), "%.*Lf", unit->decimals, ns / unit->ns);
	point = strcspn(digits, ".");
	strbuf_thousands(buf, strtoull(digits, NULL, 10));
	strbuf_puts(buf, digits + point);
}

/* Behind file:line. */
static void put_range(struct strbuf *buf, const struct row *row)
{
	if (row->line_from == row->line)
		strbuf_printf(buf, "-%u", row->line_to);
	else
		strbuf_printf(buf, " (%u-%u)", row->line_from, row->line_to);
}

const char *cell_jump_mark(const struct row *row)
{
	if (!row->tail_calls)
		return "";
	return row->tail_calls < row->calls ? " (part jump)" : " (jump)";
}

static void put_name(struct strbuf *buf, const struct view *view, const struct row *row)
{
	uint32_t depth = row->depth ? row->depth - 1 : 0, most = view->depth_shown;

	most = most ? most : DEPTH_SHOWN;
	if (view->profile->by == BY_PATH)
		strbuf_puts(buf, row->is_hot ? "#" : " ");
	strbuf_fill(buf, ' ', (size_t)2 * (depth > most ? most : depth));
	if (view->profile->by == BY_PATH)
		strbuf_printf(buf, "%c", view->branch ? view->branch(view, row) : ' ');
	if (depth > most)
		strbuf_printf(buf, "(%u) ", row->depth);
	strbuf_visible(buf, row->name);
	if (view->profile->by == BY_LINE && row_has_range(row))
		put_range(buf, row);
	if (view->profile->by_call_site && row->line && row->relation == RELATION_CALLER)
		strbuf_printf(buf, ":%u", row->line);
	if (view->profile->by_call_site && row->line && row->relation == RELATION_CALLEE)
		strbuf_printf(buf, " in line %u", row->line);
	if (row->callee && view->profile->by == BY_SITE && row->line)
		strbuf_printf(buf, ":%u", row->line);
	if (row->callee && *row->callee) {
		strbuf_puts(buf, view->profile->by == BY_SITE && row->tail_calls ? " => " : " -> ");
		strbuf_visible(buf, row->callee);
	}
	if (view->profile->by == BY_PATH && !row->is_chain)
		strbuf_puts(buf, cell_jump_mark(row));
}

static void put_relation(struct strbuf *buf, const struct row *row)
{
	static const char *const relations[] = { "", "called by", "", "calls" };

	strbuf_puts(buf, relations[row->relation]);
	strbuf_puts(buf, row->is_recursive ? " (recursive)" : "");
	strbuf_puts(buf, row->relation == RELATION_ROOT ? "" : cell_jump_mark(row));
}

static void put_source(struct strbuf *buf, const struct row *row)
{
	if (!row->file)
		return;
	strbuf_visible(buf, util_basename(row->file));
	if (row->line)
		strbuf_printf(buf, ":%u", row->line);
}

/* In the brief table the module stands there where no source is known: it has no column of its
 * own. */
static void put_place(struct strbuf *buf, const struct view *view, const struct row *row)
{
	if (view->set == COLUMNS_CPU && !view->columns && !profile_is_sampled(view->profile))
		output_put_place(buf, view->profile, row);
	else
		put_source(buf, row);
}

/* Its times cover a part of the run only: not so in a mixed session, where what was not timed was
 * sampled. */
static int is_partial(const struct view *view, const struct row *row)
{
	return row->entity != UINT32_MAX && exclusions_have(&view->profile->taken_outs, row->entity);
}

int cell_has_mark(const struct view *view, enum column column, const struct unit *unit)
{
	const struct column_info *info = &column_infos[column];

	if (info->family == FAMILY_TOTAL)
		return (int)(unit->rough >> info->which & 1);
	if (info->family == FAMILY_INSTRUCTIONS)
		return (int)(unit->shares >> info->which & 1);
	if (is_cpu(column))
		return (int)(unit->rough_cpu >> (info->which == VALUE_ELAPSED_INCLUSIVE) & 1);
	return column == COLUMN_AVERAGE || (column == COLUMN_CALLS && view->profile->taken_outs.n &&
					    !view->profile->totals.mixed.processes);
}

static const char *mark_of_cpu(const struct view *view, const struct row *row, int inclusive)
{
	return is_estimate(row, inclusive) ? OUTPUT_ESTIMATE : is_rough_cpu(view, row, inclusive) ? "~" : " ";
}

static const char *mark_of(const struct view *view, enum column column, const struct row *row,
			   const struct unit *unit)
{
	const struct column_info *info = &column_infos[column];

	if (!cell_has_mark(view, column, unit))
		return "";
	if (column == COLUMN_CALLS)
		return is_partial(view, row) ? "*" : " ";
	if (info->family == FAMILY_INSTRUCTIONS)
		return row_is_share(view->profile, row, info->which) &&
				       column_value(view->profile, row, column).type != VALUE_NONE
			       ? OUTPUT_ESTIMATE
			       : " ";
	if (is_cpu(column))
		return mark_of_cpu(view, row, info->which == VALUE_ELAPSED_INCLUSIVE);
	if (info->family != FAMILY_TOTAL)
		return row->open_calls ? "+" : " ";
	if (mixed_row_is_estimate(row, (enum value_kind)info->which))
		return OUTPUT_ESTIMATE;
	return is_rough(view, row, (enum value_kind)info->which, unit) ? "~" : " ";
}

unsigned cell_marks(const struct view *view, enum column column, const struct row *row,
		    const struct unit *unit)
{
	unsigned marks = output_marks_in(mark_of(view, column, row, unit));

	if (cell_upper_end(view, column, row, unit) >= 0)
		marks |= output_marks_in(UPPER_END_MARK);
	else if (lower_end_is_all(row, column))
		marks |= output_marks_in(LOWER_END_MARK);
	return marks;
}

/* What has no value: n/a where others of its group have one, or can have one. */
static const char *absent(const struct heading *heading)
{
	return heading->form == FORM_TIME || heading->form == FORM_PERCENT ||
			       (heading->form == FORM_COUNT && heading->group)
		       ? "n/a"
		       : "";
}

static void put_number(struct strbuf *buf, const struct heading *heading, const struct value *value,
		       const struct unit *unit)
{
	if (value->type == VALUE_NONE)
		strbuf_puts(buf, absent(heading));
	else if (heading->form == FORM_TIME)
		put_time(buf, unit, value->number);
	else if (heading->form == FORM_PERCENT)
		strbuf_printf(buf, "%.1Lf", value->number);
	else if (heading->form == FORM_DURATION)
		strbuf_duration(buf, value->number);
	else if (heading->form == FORM_DECIMAL)
		strbuf_printf(buf, "%.2Lf", value->number);
	else if (heading->form == FORM_ID)
		strbuf_printf(buf, "%llu", (unsigned long long)value->count);
	else
		strbuf_thousands(buf, value->count);
}

/* What the value may be at most, rounded up. */
static void put_upper_end(struct strbuf *buf, const struct heading *heading, long double end,
			  const struct unit *unit)
{
	strbuf_puts(buf, UPPER_END_MARK);
	if (heading->form == FORM_TIME)
		put_time(buf, unit, unit->ns * upper_end_shown(end / unit->ns, unit->decimals));
	else if (heading->form == FORM_PERCENT)
		strbuf_printf(buf, "%.1Lf", upper_end_shown(end, 1));
	else
		strbuf_duration(buf, end);
}

void cell_put(struct strbuf *buf, const struct view *view, enum column column, const struct heading *heading,
	      const struct row *row, const struct unit *unit)
{
	struct value value = column_value(view->profile, row, column);
	long double end = cell_upper_end(view, column, row, unit);

	if (column_infos[column].family == FAMILY_OFF_CPU && heading->form == FORM_DURATION &&
	    value.number <= 0)
		/* most rows wait for nothing */
		strbuf_puts(buf, value.type == VALUE_NONE ? "n/a" : "");
	else if (end >= 0)
		put_upper_end(buf, heading, end, unit);
	else if (heading->form == FORM_NAME)
		put_name(buf, view, row);
	else if (heading->form == FORM_RELATION)
		put_relation(buf, row);
	else if (heading->form == FORM_SOURCE)
		put_place(buf, view, row);
	else if (heading->form == FORM_MODULE || heading->form == FORM_TEXT)
		strbuf_visible(buf, value.type == VALUE_TEXT ? value.text : "");
	else {
		strbuf_puts(buf, lower_end_is_all(row, column) ? LOWER_END_MARK : "");
		put_number(buf, heading, &value, unit);
	}
	strbuf_puts(buf, mark_of(view, column, row, unit));
}
