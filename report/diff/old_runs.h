/* SPDX-License-Identifier: GPL-3.0-or-later */
/* old_runs.h - sessions that stood where others were recorded: FOLDER.old. */
#ifndef REPORT_DIFF_OLD_RUNS_H
#define REPORT_DIFF_OLD_RUNS_H

#include <stddef.h>

/* Of paths[n]: what new.data.* takes besides the runs, the sessions that stood there before, is
 * left out. The number left. */
size_t old_runs_leave_out(char **paths, size_t n);

#endif
