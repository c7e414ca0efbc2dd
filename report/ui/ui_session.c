/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui_session.h"

#include <stdlib.h>

#define SUMMARY_LIMIT 5 /* rows of a list */

void ui_session_init(struct ui_session *session, const struct view_options *options,
		     const struct counting *counting)
{
	struct profile *profiles = session->summary.profiles;

	*session = (struct ui_session){ .options = options, .counting = counting };
	summary_begin(&session->summary, options, SUMMARY_LIMIT, counting);
	session->summary.is_brief = 1;
	session->functions = &profiles[SUMMARY_FUNCTIONS];
	session->functions->is_work_wanted = 1;
	session->threads = &profiles[SUMMARY_THREADS];
	session->processes = &profiles[SUMMARY_PROCESSES];
	session->paths = &profiles[SUMMARY_PATHS];
}

void ui_session_release(struct ui_session *session)
{
	summary_end(&session->summary);
	if (session->has_callers) {
		profile_release(&session->callers);
		caller_rows_release(&session->edges);
	}
	if (!session->has_lines)
		return;
	annotate_release(&session->annotation);
	for (int i = 0; i < ANNOTATE_PROFILES; i++)
		profile_release(&session->annotation.profiles[i]);
}

void ui_session_busy(struct ui_session *session, const char *what)
{
	if (session->busy)
		session->busy(session->busy_arg, what);
}

void ui_session_read_callers(struct ui_session *session)
{
	struct profile *profile = &session->callers;

	if (session->has_callers)
		return;
	ui_session_busy(session, "Reading callers ...");
	profile_init(profile, BY_CALLERS, session->counting);
	view_read_more(session->view, &profile, 1);
	caller_rows_begin(&session->edges, profile);
	session->has_callers = 1;
}

void ui_session_read_lines(struct ui_session *session)
{
	static const enum profile_by by[ANNOTATE_PROFILES] = { BY_LINE, BY_SITE, BY_FUNCTION };
	struct annotation *annotation = &session->annotation;
	struct profile *profiles[ANNOTATE_PROFILES];

	if (session->has_lines)
		return;
	ui_session_busy(session, "Reading source lines ...");
	for (int i = 0; i < ANNOTATE_PROFILES; i++) {
		profiles[i] = &annotation->profiles[i];
		profile_init(profiles[i], by[i], session->counting);
	}
	view_read_more(session->view, profiles, ANNOTATE_PROFILES);
	annotation->view = *session->view;
	annotation->view.profile = profiles[ANNOTATE_LINES];
	annotation->all = 1;
	session->has_lines = 1;
}

int ui_session_read_summary(struct ui_session *session)
{
	static const int probed[] = { SUMMARY_SITES, SUMMARY_EDGES },
			 sampled[] = { SUMMARY_SITES, SUMMARY_EDGES, SUMMARY_LINES, SUMMARY_MODULES };
	int is_sampled = profile_is_sampled(session->functions);
	const int *which = is_sampled ? sampled : probed;
	size_t n = is_sampled ? ARRAY_SIZE(sampled) : ARRAY_SIZE(probed);
	struct profile *more[ARRAY_SIZE(sampled)];

	if (session->has_summary)
		return 0;
	ui_session_busy(session, "Looking for what could be better ...");
	for (size_t i = 0; i < n; i++)
		more[i] = &session->summary.profiles[which[i]];
	view_read_more(session->view, more, n);
	session->has_summary = 1;
	return summary_make(&session->summary, session->view) ? -1 : 0;
}

/* ---- functions ------------------------------------------------------------------------------- */

const char *ui_function_key(struct ui_function function, size_t *length)
{
	if (!function.names || function.entity >= function.names->keys.n)
		return NULL;
	*length = function.names->keys.lengths[function.entity];
	return function.names->keys.keys[function.entity];
}

struct ui_function ui_function_of_key(const struct names *names, const char *key, size_t length)
{
	size_t number = key ? map_find(&names->keys, key, length) : MAP_NONE;

	if (number == MAP_NONE)
		return (struct ui_function){ NULL, NAMES_NONE };
	return (struct ui_function){ names, (uint32_t)number };
}

uint32_t ui_function_in(const struct names *names, struct ui_function function)
{
	size_t length;
	const char *key = ui_function_key(function, &length);

	return names == function.names ? function.entity : ui_function_of_key(names, key, length).entity;
}

const char *ui_function_name(struct ui_function function)
{
	return function.names ? function.names->list[function.entity].name : "";
}
