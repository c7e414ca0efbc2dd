/* SPDX-License-Identifier: GPL-3.0-or-later */
/* old_runs.h - sessions that later recordings moved out of their place: FOLDER.old. */
#ifndef REPORT_DIFF_OLD_RUNS_H
#define REPORT_DIFF_OLD_RUNS_H

#include <stddef.h>

/* Removes from paths[n] the earlier sessions of others in it, which new.data.* matches as well,
 * with a note for each. Returns the number of paths left. */
size_t old_runs_leave_out(char **paths, size_t n);

#endif
