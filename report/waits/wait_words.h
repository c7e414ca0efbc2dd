/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wait_words.h - what views call objects that are waited for, and who has them or ends waits. */
#ifndef REPORT_WAITS_WAIT_WORDS_H
#define REPORT_WAITS_WAIT_WORDS_H

#include "rows/open_waits.h"

/* What objects are called, by kind, and who ended waits for them. */
struct wait_word {
	const char *one, *many, *given, *word;
};
extern const struct wait_word wait_words[];

/* Returns what the holder does: "had by" if it had the object when the wait began, and may have
 * given it back since. */
const char *wait_holder_word(const struct open_wait *wait);

#endif
