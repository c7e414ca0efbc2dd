/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record_symbols.h - writes names and lines of sampled addresses into the data files, at the end of
 * cinstr record. */
#ifndef REPORT_RECORD_SYMBOLS_H
#define REPORT_RECORD_SYMBOLS_H

struct collector;

/* Writes the symbols (collector_symbolize()). Of an interactive shell the user need not wait for
 * that: a process of its own does so, which outlives this one. But a script may copy the files at
 * once, and so it is with is_awaited. */
void record_symbols(struct collector *collector, int is_awaited);

#endif
