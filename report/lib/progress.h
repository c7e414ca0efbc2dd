/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * progress.h - a line on stderr that says how far a long piece of work is, if stderr is a terminal:
 * after a second, and erased at the end. One at a time.
 */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include <stdint.h>

/* "reading 412 of 1,000 files": does = "reading", what = "files". */
void progress_begin(const char *does, uint64_t total, const char *what);
/* May be called often. */
void progress_at(uint64_t n);
/* Erases the line before a message is printed; it comes again if the work goes on for another
 * second. */
void progress_pause(void);
void progress_end(void);

#endif
