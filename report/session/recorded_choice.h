/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recorded_choice.h - what of a process was recorded, when that is not everything: as it was asked
 * for at the start (its options), and as it was changed while it ran (its marks).
 */
#ifndef REPORT_SESSION_RECORDED_CHOICE_H
#define REPORT_SESSION_RECORDED_CHOICE_H

#include "cinstr/options.h"
#include "file/data.h"
#include "lib/util.h"

/* Appends it in words, with commas between: "only 'parse_*', depth 5, ..."; nothing: everything. */
void chosen_put(struct strbuf *buf, const struct data *data);

/* Is a mark about the recording itself, not about the program? */
int mark_is_of_recording(const struct data_mark *mark);
/* The kind of a mark in a word. */
const char *mark_kind_name(const struct data_mark *mark);

/* What the process was told of an option, which the caller frees; NULL: it had its default. */
char *chosen_option(const struct data *data, enum cinstr_option option);

#endif
