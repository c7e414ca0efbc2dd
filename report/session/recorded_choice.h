/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recorded_choice.h - describes which part of a process was recorded, unless it was everything: as
 * requested at the start (its options) and as changed while it ran (its marks).
 */
#ifndef REPORT_SESSION_RECORDED_CHOICE_H
#define REPORT_SESSION_RECORDED_CHOICE_H

#include "cinstr/options.h"
#include "file/data.h"
#include "lib/util.h"

/* Appends the choice in words, separated by commas: "only 'parse_*', depth 5, ..."; nothing if
 * everything was recorded. */
void choice_put(struct strbuf *buf, const struct data *data);

/* Whether the mark is about the recording itself, not about the program. */
int mark_is_of_recording(const struct data_mark *mark);
/* Returns a word for the kind of a mark. */
const char *mark_kind_name(const struct data_mark *mark);

/* Returns the value of an option that the process was started with, as a new string, or NULL if it
 * had the default. */
char *choice_option(const struct data *data, enum cinstr_option option);

#endif
