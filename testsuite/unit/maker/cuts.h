/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cuts.h - the parts of a recorded run against the whole (cuts.c). */
#ifndef UNIT_CUTS_H
#define UNIT_CUTS_H

/*
 * Cuts the process of a data file, with a complete timeline, at `n` random moments, and compares
 * what the parts have with the whole. Says what does not add up. Returns 0: everything did.
 */
int cuts_check(const char *path, unsigned seed, unsigned n);

#endif
