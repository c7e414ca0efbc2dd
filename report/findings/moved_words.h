/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * moved_words.h - words on how much the calls at a place have read or written, and of which file,
 * for findings on system calls.
 */
#ifndef REPORT_FINDINGS_MOVED_WORDS_H
#define REPORT_FINDINGS_MOVED_WORDS_H

#include "rules.h"

/* Returns 1 if the calls move few bytes each, or, if the bytes are not known, half of them take no
 * longer than short_ns; else 0. */
int moved_is_little(const struct kernel_site *site, long double short_ns);
/* Writes the mean of a call, "16 bytes and ", or nothing if it is not known. */
void moved_put_mean(struct strbuf *text, const struct kernel_site *site);
/* Writes ", most of app.log, into which it writes 6,000 bytes" if the function of the site opens
 * one file again and again; else nothing. */
void moved_put_opened(const struct finder *finder, struct strbuf *text, const struct kernel_site *site);

#endif
