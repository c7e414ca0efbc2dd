/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view_method.c - decides whether a session was sampled or instrumented (view.h), from the headers
 * of its data files before anything is read, as columns and options depend on it. Samples and times
 * do not add up, so a view is of one kind.
 */
#include <stdlib.h>
#include <string.h>

#include "view.h"

/* The first file of each kind; NULL: there is none. */
struct kinds {
	const char *sampled, *instrumented;
	int is_mixed; /* some instrumented one is part of a mixed recording */
};

static void kinds_find(struct kinds *kinds, const struct session *input)
{
	struct cinstr_header header;

	for (size_t i = 0; i < input->n_files; i++) {
		const char **first;

		if (session_header(input->files[i], &header))
			continue;
		first = header.method == CINSTR_METHOD_SAMPLING ? &kinds->sampled : &kinds->instrumented;
		*first = *first ? *first : input->files[i];
		kinds->is_mixed |= header.mixed == 1 && first == &kinds->instrumented;
	}
}

static void say_mixed(const struct session *input, const struct kinds *kinds)
{
	const char *session = util_shown(input->path), *sampled = util_shown(kinds->sampled);
	const char *instrumented = util_shown(kinds->instrumented);

	error("%s: holds sampled data (%s) and instrumented data (%s): samples and times do not add up; "
	      "name one of its folders or files",
	      session, sampled, instrumented);
}

/* Options that change how times are made of probes' events. */
static int check_options(const struct view_options *options)
{
	const char *option = options->raw				  ? "--raw"
			     : options->application			  ? "--application"
			     : strcmp(options->os_events, "default") != 0 ? "--os-events"
			     : options->set == COLUMNS_OS		  ? "--view=os"
			     : options->set == COLUMNS_IO		  ? "--view=io"
			     : options->set == COLUMNS_MEMORY		  ? "--view=memory"
			     : options->set == COLUMNS_HELD		  ? "--view=held"
			     : options->set == COLUMNS_COUNTS		  ? "--view=counts"
									  : NULL;

	if (!option)
		return STATUS_OK;
	return error_usage(
		"%s: this session was sampled: there are no probes in it, nor what the operating system did",
		option);
}

static int method_of(const struct session *input, struct kinds *kinds)
{
	kinds_find(kinds, input);
	if (kinds->sampled && kinds->instrumented) {
		say_mixed(input, kinds);
		return -1;
	}
	return kinds->sampled ? CINSTR_METHOD_SAMPLING : CINSTR_METHOD_INSTRUMENTATION;
}

int view_method_of(const struct session *input)
{
	struct kinds kinds = { 0 };

	return method_of(input, &kinds);
}

int view_method(const struct session *input, const struct view_options *options,
		struct profile *const *profiles, size_t n_profiles)
{
	struct kinds kinds = { 0 };
	int method = method_of(input, &kinds);

	if (method < 0)
		return STATUS_DATA;
	if (options->measure != MEASURE_TIME) {
		method = CINSTR_METHOD_INSTRUMENTATION;
		kinds.is_mixed = 0;
	}
	for (size_t i = 0; i < n_profiles; i++) {
		profiles[i]->totals.method =
			options->measure != MEASURE_TIME
				? (enum cinstr_method)DATA_METHOD_COUNTED(view_counter(options->measure))
				: (enum cinstr_method)method;
		profiles[i]->totals.is_mixed = kinds.is_mixed;
	}
	if (method == CINSTR_METHOD_SAMPLING && check_options(options))
		return STATUS_USAGE;
	return column_check_sort(profiles[0], (enum column)options->sort) ? STATUS_USAGE : STATUS_OK;
}
