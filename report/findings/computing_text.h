/* SPDX-License-Identifier: GPL-3.0-or-later */
/* computing_text.h - words that the findings on computing have in common. */
#ifndef REPORT_FINDINGS_COMPUTING_TEXT_H
#define REPORT_FINDINGS_COMPUTING_TEXT_H

#include "computing.h"

/* "12 % of the computing" */
void computing_put_percent(const struct computing *c, struct strbuf *text, long double part);
void computing_put_times(struct strbuf *text, long double n);
const char *computing_at_least(int are_calls_least);
void computing_put_name(const struct computing *c, struct strbuf *text, uint32_t entity);
/* " (a.c:3)": where the edge's call is. Of what was inlined from a header of the system: where its
 * function is. */
void computing_put_place(const struct computing *c, struct strbuf *text, const struct row *edge);
/* "calls g 12 times a call" */
void computing_put_calls(const struct computing *c, struct strbuf *text, const struct row *edge);

#endif
