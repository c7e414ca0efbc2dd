/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shift.h - separates what most functions have in common from run to run: a machine that is slower
 * today makes all of them slower. It becomes a series of its own, and is taken out of the others.
 */
#ifndef REPORT_HISTORY_SHIFT_H
#define REPORT_HISTORY_SHIFT_H

#include "series.h"

/* Adds the series SERIES_SHIFT, how long all functions would take if each had changed as most of
 * them have, and divides the values of all others by that change. Does nothing if fewer functions
 * are tested than tell what most of them do. */
void shift_separate(struct series_set *set);

#endif
