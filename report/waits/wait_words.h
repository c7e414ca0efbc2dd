/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wait_words.h - words for objects that are waited for, for their holders, and for the ends of
 * waits. */
#ifndef REPORT_WAITS_WAIT_WORDS_H
#define REPORT_WAITS_WAIT_WORDS_H

#include "rows/open_waits.h"

/* Words for a kind of object, and for who ended waits for it. */
struct wait_word {
	const char *one, *many, *given, *word;
};
extern const struct wait_word wait_words[];

/* Returns the word for a holder: "had by" if it had the object when the wait began, but may have
 * released it since. */
const char *wait_holder_word(const struct open_wait *wait);

#endif
