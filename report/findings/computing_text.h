/* SPDX-License-Identifier: GPL-3.0-or-later */
/* computing_text.h - texts that the findings on computing share. */
#ifndef REPORT_FINDINGS_COMPUTING_TEXT_H
#define REPORT_FINDINGS_COMPUTING_TEXT_H

#include "computing.h"

/* Appends "12 % of the computing", or "of the samples". */
void computing_put_percent(const struct computing *c, struct strbuf *text, long double part);
void computing_put_times(struct strbuf *text, long double n);
const char *computing_at_least(int are_calls_least);
void computing_put_name(const struct computing *c, struct strbuf *text, uint32_t entity);
/* Appends " (a.c:3)", the place of the edge's call. If that was inlined from a header of the
 * system, appends the innermost place outside such headers, or that of the caller. */
void computing_put_place(const struct computing *c, struct strbuf *text, const struct row *edge);
/* Appends "calls g 12 times a call". */
void computing_put_calls(const struct computing *c, struct strbuf *text, const struct row *edge);

#endif
