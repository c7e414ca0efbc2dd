/* SPDX-License-Identifier: GPL-3.0-or-later */
/* side_method.c - see diff_shares.h: finds the method by which each side was recorded, and applies
 * --fail-over to shares. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff_shares.h"
#include "session/session.h"

/* Sets *method to that of the first data file that can be read, if any. STATUS_OK, or an exit
 * status after an error message. */
static int method_of(const char *path, int *method)
{
	struct session input;
	struct cinstr_header header;
	int status = session_open(&input, path) ? STATUS_DATA : STATUS_OK;

	for (size_t i = 0; !status && i < input.n_files; i++)
		if (!session_header(input.files[i], &header)) {
			*method = (int)header.method;
			break;
		}
	session_release(&input);
	return status;
}

/* Whether all runs of a side were recorded by one method, which is put into *method. An exit
 * status. */
static int side_method(char *const *paths, size_t n, int *method)
{
	*method = -1;
	for (size_t i = 0; i < n; i++) {
		int one = *method, status = method_of(paths[i], &one);

		if (status)
			return status;
		if (*method >= 0 && one != *method)
			return error_usage(
				"diff: one side has both sampled and instrumented sessions: give only one "
				"method on each side");
		*method = one;
	}
	if (*method < 0) /* nothing can be read, which is told where it is tried */
		*method = CINSTR_METHOD_INSTRUMENTATION;
	return STATUS_OK;
}

/* Those from n_a on come first. */
static void sides_swap(char **paths, size_t n, size_t *n_a)
{
	FREED char **old = xcalloc(n, sizeof(*old));

	memcpy(old, paths, n * sizeof(*old));
	memcpy(paths, old + *n_a, (n - *n_a) * sizeof(*old));
	memcpy(paths + n - *n_a, old, *n_a * sizeof(*old));
	*n_a = n - *n_a;
}

int shares_sides(char **paths, size_t n, size_t *n_a, enum shares_kind *kind)
{
	int a = 0, b = 0, status = side_method(paths, *n_a, &a);

	*kind = SHARES_NONE;
	status = status ? status : side_method(paths + *n_a, n - *n_a, &b);
	if (status)
		return status;
	if (a == b) {
		*kind = a == CINSTR_METHOD_SAMPLING ? SHARES_SAMPLED : SHARES_NONE;
		return STATUS_OK;
	}
	if (b == CINSTR_METHOD_SAMPLING)
		sides_swap(paths, n, n_a);
	*kind = SHARES_BESIDE;
	return STATUS_OK;
}

/* ---- --fail-over ----------------------------------------------------------------------------- */

int shares_differ(const struct diff *diff, size_t n, const uint32_t *rows, int with_total, double points)
{
	const struct shares *shares = diff->shares;
	int found = 0;

	for (size_t i = 0; i < n; i++) {
		const struct diff_row *row = &diff->rows[rows[i]];
		double least = fabs(row->difference.change) - row->difference.half;

		if (least <= points)
			continue;
		error("diff: %s: the share differs by %+.1f points, at least %.1f, which is more than "
		      "--fail-over=%g",
		      util_shown(row->name), row->difference.change, least, points);
		found = 1;
	}
	if (!with_total || shares->distortion - shares->by_chance <= points)
		return found;
	error("diff: %.1f %% of the session is in other functions, by chance about %.1f %%, which is more "
	      "than --fail-over=%g",
	      shares->distortion, shares->by_chance, points);
	return 1;
}
