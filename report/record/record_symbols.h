/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record_symbols.h - writes names and lines of sampled addresses into the data files, at the end of
 * cinstr record. */
#ifndef REPORT_RECORD_SYMBOLS_H
#define REPORT_RECORD_SYMBOLS_H

struct collector;

/* Has a process of its own write the symbols (collector_symbolize()), which outlives this one: the
 * user need not wait for it. If none can be made, or with is_awaited, this process writes them. */
void record_symbols(struct collector *collector, int is_awaited);

#endif
