/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waits.h - cinstr waits: what its files share. */
#ifndef REPORT_WAITS_WAITS_H
#define REPORT_WAITS_WAITS_H

#include "lib/terminal.h"
#include "output/grid.h"
#include "wait_groups.h"

#define LABEL_COLUMNS 11

struct waits_options {
	int format;
	uint64_t limit;
	struct terminal_options terminal;
	struct names_options names;
};

struct waits {
	const struct waits_options *options;
	struct names names;
	struct wait_facts facts;
	struct printer printer;
};

/* What objects are called, by kind, and who ended waits for them. */
struct wait_word {
	const char *one, *many, *given, *word;
};
extern const struct wait_word wait_words[];

const char *waits_name(const struct waits *w, uint32_t entity);
/* "lookup  hold.c:20" */
void waits_put_place(const struct waits *w, struct strbuf *line, const struct wait_place *place);

/* waits_print.c: all, for people. */
void waits_print(struct waits *w);
/* waits_open.c: those that have not ended; and whether there are any that are shown. */
void waits_print_open(const struct waits *w);
int waits_has_open(const struct waits *w);

#endif
