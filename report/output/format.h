/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format.h - the output formats. Each has a name in this table and an output_format_NAME
 * (formats.c); the words of every --format, and what is said of an unknown one, are made from the
 * table. A new format is a word here and a file with its writers.
 */
#ifndef REPORT_OUTPUT_FORMAT_H
#define REPORT_OUTPUT_FORMAT_H

#include <stddef.h>
#include <stdio.h>

/* In the order of --help; the first is what no --format means. */
/* clang-format off */
#define OUTPUT_FORMATS(FORMAT) FORMAT(table) FORMAT(csv) FORMAT(json)
/* clang-format on */

#define OUTPUT_FORMAT_NUMBER(name) OUTPUT_FORMAT_##name,
/* What an option of OPTION_CHOICE sets. */
enum output_format_number { OUTPUT_FORMATS(OUTPUT_FORMAT_NUMBER) OUTPUT_N_FORMATS };

/* "table|csv|json" */
#define OUTPUT_FORMAT_WORD(name) "|" #name
#define OUTPUT_FORMAT_WORDS (&("" OUTPUT_FORMATS(OUTPUT_FORMAT_WORD))[1])

struct event_writer;
struct info;
struct input;
struct sample_writer;
struct view;

/* What view_write() writes. The functions get the view that is first in the result of that kind:
 * struct diff_view, struct summary. */
enum output_kind {
	OUTPUT_ROWS,
	OUTPUT_DIFF,
	OUTPUT_SHARES, /* diff_shares.h */
	OUTPUT_ANNOTATION,
	OUTPUT_SUMMARY,
	OUTPUT_KINDS
};

typedef void (*view_writer)(FILE *out, const struct view *view);

struct output_format {
	int is_for_people; /* names are told apart, rows that matter little are left out */
	view_writer views[OUTPUT_KINDS];
	/* To stdout; they return the exit status. */
	int (*info)(struct info *info, struct input *input);
	int (*marks)(struct info *info, struct input *input);
	const struct event_writer *events;   /* timeline/event_lines.h */
	const struct sample_writer *samples; /* timeline/samples_timeline.h */
};

/* Each writer is an argument: a format that lacks one does not compile. */
/* clang-format off */
#define OUTPUT_WRITERS(rows, diff, shares, annotation, summary, the_info, the_marks, the_events, the_samples) \
	.views = { [OUTPUT_ROWS] = rows, [OUTPUT_DIFF] = diff, [OUTPUT_SHARES] = shares, \
		   [OUTPUT_ANNOTATION] = annotation, [OUTPUT_SUMMARY] = summary }, \
	.info = the_info, .marks = the_marks, .events = the_events, .samples = the_samples
/* clang-format on */
_Static_assert(OUTPUT_KINDS == 5, "OUTPUT_WRITERS has an argument for each kind");

#define OUTPUT_FORMAT_DECLARE(name) extern const struct output_format output_format_##name;
OUTPUT_FORMATS(OUTPUT_FORMAT_DECLARE)

/* By enum output_format_number. */
extern const struct output_format *const output_formats[OUTPUT_N_FORMATS];

#endif
