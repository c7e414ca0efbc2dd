/* SPDX-License-Identifier: GPL-3.0-or-later */
/* repeated_calls.h - calls that a function makes of the kernel again and again, taken together,
 * such as those that open, read and close a file each time. */
#ifndef REPORT_FINDINGS_REPEATED_CALLS_H
#define REPORT_FINDINGS_REPEATED_CALLS_H

#include "operating.h"

/* Reads whose sizes are not known move little, if half of them take at most so many ns. */
#define REPEATED_CALLS_SHORT_NS 2500

struct repeated_calls {
	long double on_cpu;		/* ns */
	const struct kernel_site *most; /* that neither reads nor writes; NULL: there is none */
};

struct repeated_calls repeated_calls_in(const struct operating *operating, uint32_t caller);
/* Whether the site's calls are among those of its function. */
int repeated_calls_has(const struct operating *operating, const struct kernel_site *site);
/* Whether the site reads or writes little at a time, for longer than all else that its function
 * asks the kernel for takes: then it is a cause of its own. */
int repeated_calls_is_outweighing(const struct operating *operating, const struct kernel_site *site);

#endif
