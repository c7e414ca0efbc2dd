/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * progress.h - shows the progress of long work in a line on stderr, if that is a terminal: after a
 * second, erased at the end. Only one at a time.
 */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include <stdint.h>

/* Starts the display: "reading 412 of 1,000 files" for does = "reading", what = "files". */
void progress_begin(const char *does, uint64_t total, const char *what);
/* Sets the number done. Cheap enough to be called often. */
void progress_at(uint64_t n);
/* Erases the line before a message is printed. It reappears if the work goes on for another
 * second. */
void progress_pause(void);
void progress_end(void);

#endif
