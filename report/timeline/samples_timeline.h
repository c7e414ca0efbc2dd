/* SPDX-License-Identifier: GPL-3.0-or-later */
/* samples_timeline.h - writes the timeline of a sampled session: a line per sample in order of
 * time; csv and json with its stack. */
#ifndef REPORT_SAMPLES_TIMELINE_H
#define REPORT_SAMPLES_TIMELINE_H

#include <stdio.h>

#include "output/field_choice.h"
#include "selection/selection.h"
#include "session/session.h"

struct strbuf;
struct sampled_line; /* samples_timeline.c: a sample with all its details */
struct samples_timeline;
struct items;

/* Writes samples in one shape. `line` is scratch, empty before and after. */
struct sample_writer {
	void (*begin)(struct items *items, const struct samples_timeline *wish, struct strbuf *line);
	void (*put)(struct items *items, const struct sampled_line *t, struct strbuf *line);
	void (*end)(struct items *items, int is_cut);
};
extern const struct sample_writer samples_table, samples_flat, samples_nested;

struct samples_timeline {
	const struct selection *selection;
	const struct output_format *format;
	uint64_t limit;
	const struct field_choice *columns; /* of sample_fields; NULL: the default */
	const struct field_order *order;    /* NULL: by time */
};
/* The fields of a sample for --columns and --sort, named as in csv. */
extern const struct field_list sample_fields;
extern const struct field_choice sample_fields_default;

/* Writes the samples. Returns the exit status. */
int samples_timeline_write(const struct samples_timeline *wish, struct session *input, FILE *out);

#endif
