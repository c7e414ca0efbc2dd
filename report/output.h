/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * output.h - a profile's rows as a table for people, as csv (RFC 4180) or as json. Text from data
 * files is made visible before it gets to a table; csv and json keep it, quoted by their rules.
 */
#ifndef REPORT_OUTPUT_H
#define REPORT_OUTPUT_H

#include <stdio.h>

#include "columns.h"
#include "profile.h"

/* What is to be shown. */
struct view {
	const struct profile *profile;
	const struct row **rows; /* in the order to show */
	size_t n_rows;
	size_t n_hidden;	/* rows left out by --limit, --min-percent, --depth */
	long double hidden;	/* their exclusive elapsed time, ns */
	const char *hidden_why; /* "--limit", ... */
	const char *source;	/* the session's path */
	int is_live;
	const char *colour_wish; /* NULL: by terminal */
};

void output_csv(FILE *out, const struct view *view);
void output_json(FILE *out, const struct view *view);
/* A string as json has it, with its quotes. */
void output_json_text(FILE *out, const char *text);
void output_table(FILE *out, const struct view *view);

/* output_totals.c: what stands above and below the table. */
void output_heading(FILE *out, const struct view *view);
void output_totals(FILE *out, const struct view *view);

/* Columns of the terminal that `out` is; 0: not a terminal and COLUMNS is not set. */
unsigned output_width(FILE *out);
int output_is_coloured(FILE *out);

/* "interval" or "on-cpu" */
const char *output_application_mode(const struct counting *counting);
/* The names of the mask's OS events, with `separator` in between. */
void output_os_events(struct strbuf *buf, uint32_t mask, const char *separator);
/* What was chosen to be recorded, and when it was paused; nothing: everything. */
void output_chosen(struct strbuf *buf, const struct totals *totals);
/* What detected the OS events. */
void output_os_source(struct strbuf *buf, const struct totals *totals);

#endif
