/* SPDX-License-Identifier: GPL-3.0-or-later */
/* formats.c - the output formats (output/format.h): who writes what, in each shape. */
#include "annotate/annotate.h"
#include "diff/diff.h"
#include "diff/diff_shares.h"
#include "info/info.h"
#include "output/histogram.h"
#include "output/output.h"
#include "summary/summary.h"
#include "timeline/event_lines.h"
#include "timeline/samples_timeline.h"

static const struct output_shape for_people = {
	.is_for_people = 1,
	OUTPUT_WRITERS(output_table, histogram_table, diff_table, shares_table, annotate_table, summary_table,
		       info_table, info_marks_table, &events_table, &samples_table),
};

static const struct output_shape flat = {
	OUTPUT_WRITERS(output_flat, histogram_flat, diff_flat, shares_flat, annotate_flat, summary_flat,
		       info_data, info_marks_flat, &events_flat, &samples_flat),
};

static const struct output_shape nested = {
	OUTPUT_WRITERS(output_nested, histogram_nested, diff_nested, shares_nested, annotate_nested,
		       summary_nested, info_data, info_marks_nested, &events_nested, &samples_nested),
};

/* clang-format off */
#define PEOPLE(name) { &for_people, NULL },
#define FLAT(name) { &flat, &output_##name##_items },
#define NESTED(name) { &nested, &output_##name##_items },
/* clang-format on */

const struct output_format output_formats[OUTPUT_N_FORMATS] = { OUTPUT_FORMATS(PEOPLE, FLAT, NESTED) };
const struct output_format output_nested_formats[] = { OUTPUT_FORMATS(PEOPLE, OUTPUT_NOT, NESTED) };

void output_write(FILE *out, enum output_format_number format, enum output_kind kind, const struct view *view)
{
	struct items items;

	items_begin(&items, out, output_formats[format].items);
	output_formats[format].shape->views[kind](&items, view);
	items_end(&items);
}
