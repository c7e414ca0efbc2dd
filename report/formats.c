/* SPDX-License-Identifier: GPL-3.0-or-later */
/* formats.c - the output formats (output/format.h): who writes what. */
#include "annotate/annotate.h"
#include "diff/diff.h"
#include "diff/diff_shares.h"
#include "info/info.h"
#include "output/output.h"
#include "summary/summary.h"
#include "timeline/event_lines.h"
#include "timeline/samples_timeline.h"

const struct output_format output_format_table = {
	.is_for_people = 1,
	OUTPUT_WRITERS(output_table, diff_table, shares_table, annotate_table, summary_table, info_table,
		       info_marks_table, &events_table, &samples_table),
};

const struct output_format output_format_csv = {
	OUTPUT_WRITERS(output_csv, diff_csv, shares_csv, annotate_csv, summary_csv, info_csv, info_marks_csv,
		       &events_csv, &samples_csv),
};

const struct output_format output_format_json = {
	OUTPUT_WRITERS(output_json, diff_json, shares_json, annotate_json, summary_json, info_json,
		       info_marks_json, &events_json, &samples_json),
};

#define POINTER(name) &output_format_##name,
const struct output_format *const output_formats[OUTPUT_N_FORMATS] = { OUTPUT_FORMATS(POINTER) };
