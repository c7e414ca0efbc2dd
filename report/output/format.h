/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format.h - the output formats. Each has a name in this table and one of three shapes. The words
 * of every --format, and the message about an unknown one, come from the table. A view has a writer
 * for each shape (formats.c). A new format for scripts needs a word here and a file with its
 * output_NAME_items (items.h).
 */
#ifndef REPORT_OUTPUT_FORMAT_H
#define REPORT_OUTPUT_FORMAT_H

/* In the order of --help; the first is the default. PEOPLE: tables; FLAT: rows under columns;
 * NESTED: groups and lists. */
/* clang-format off */
#define OUTPUT_FORMATS(PEOPLE, FLAT, NESTED) PEOPLE(table) FLAT(csv) NESTED(json)
#define OUTPUT_EACH_FORMAT(DO) OUTPUT_FORMATS(DO, DO, DO)
/* The formats of views without rows. */
#define OUTPUT_EACH_NESTED(DO) OUTPUT_FORMATS(DO, OUTPUT_NOT, DO)
#define OUTPUT_NOT(name)
/* clang-format on */

#define OUTPUT_FORMAT_NUMBER(name) OUTPUT_FORMAT_##name,
/* The value that an option of OPTION_CHOICE sets. */
enum output_format_number { OUTPUT_EACH_FORMAT(OUTPUT_FORMAT_NUMBER) OUTPUT_N_FORMATS };

/* "table|csv|json" */
#define OUTPUT_FORMAT_WORD(name) "|" #name
#define OUTPUT_FORMAT_WORDS (&("" OUTPUT_EACH_FORMAT(OUTPUT_FORMAT_WORD))[1])
/* OUTPUT_FORMAT_WORDS followed by a format of the view's own, such as "sarif". Its number is
 * OUTPUT_FORMAT_OWN, which the view handles before it uses enum output_format_number. */
#define OUTPUT_FORMAT_WORDS_AND(word) (&("" OUTPUT_EACH_FORMAT(OUTPUT_FORMAT_WORD) "|" word)[1])
#define OUTPUT_FORMAT_OWN ((int)OUTPUT_N_FORMATS)
/* "table|json" */
#define OUTPUT_NESTED_WORDS (&("" OUTPUT_EACH_NESTED(OUTPUT_FORMAT_WORD))[1])

#define OUTPUT_ONE(name) +1
_Static_assert(OUTPUT_FORMATS(OUTPUT_ONE, OUTPUT_NOT, OUTPUT_NOT) == 1,
	       "another format for people needs an output_shape of its own (formats.c)");

struct event_writer;
struct info;
struct session;
struct sample_writer;
struct items;
struct items_format;
struct view;

/* Results that view_write() writes. The writers get the view that is the first member of that
 * result's structure: struct diff_view, struct summary. */
enum output_kind {
	OUTPUT_ROWS,
	OUTPUT_HISTOGRAM,
	OUTPUT_DIFF,
	OUTPUT_SHARES, /* diff_shares.h */
	OUTPUT_ANNOTATION,
	OUTPUT_SUMMARY,
	OUTPUT_KINDS
};

typedef void (*view_writer)(struct items *items, const struct view *view);

/* The writers of a shape. */
struct output_shape {
	int is_for_people; /* names that look alike are renamed, unimportant rows left out */
	view_writer views[OUTPUT_KINDS];
	/* Write to info->items and return the exit status. */
	int (*info)(struct info *info, struct session *input);
	int (*marks)(struct info *info, struct session *input);
	const struct event_writer *events;   /* timeline/event_lines.h */
	const struct sample_writer *samples; /* timeline/samples_timeline.h */
};

struct output_format {
	const struct output_shape *shape;
	const struct items_format *items; /* NULL: a format for people */
};

/* Each writer is a macro argument, so that a shape lacking one does not compile. */
/* clang-format off */
#define OUTPUT_WRITERS(rows, histogram, diff, shares, annotation, summary, the_info, the_marks, the_events, the_samples) \
	.views = { [OUTPUT_ROWS] = rows, [OUTPUT_HISTOGRAM] = histogram, [OUTPUT_DIFF] = diff, [OUTPUT_SHARES] = shares, \
		   [OUTPUT_ANNOTATION] = annotation, [OUTPUT_SUMMARY] = summary }, \
	.info = the_info, .marks = the_marks, .events = the_events, .samples = the_samples
/* clang-format on */
_Static_assert(OUTPUT_KINDS == 6, "OUTPUT_WRITERS has an argument for each kind");

#define OUTPUT_NAME_ITEMS(name) extern const struct items_format output_##name##_items;
OUTPUT_FORMATS(OUTPUT_NOT, OUTPUT_NAME_ITEMS, OUTPUT_NAME_ITEMS)

/* Indexed by enum output_format_number. */
extern const struct output_format output_formats[OUTPUT_N_FORMATS];
/* Indexed by the number of the word in OUTPUT_NESTED_WORDS. */
extern const struct output_format output_nested_formats[];

#endif
