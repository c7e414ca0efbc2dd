/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ui_session.c - see ui_session.h. */
#include "ui_session.h"

#include <stdlib.h>

void ui_session_init(struct ui_session *session, const struct view_options *options,
		     const struct counting *counting)
{
	*session = (struct ui_session){ .options = options, .counting = counting };
	profile_init(&session->functions, BY_FUNCTION, counting);
	profile_init(&session->threads, BY_THREAD, counting);
	profile_init(&session->processes, BY_PROCESS, counting);
	profile_init(&session->paths, BY_PATH, counting);
}

void ui_session_release(struct ui_session *session)
{
	profile_release(&session->functions);
	profile_release(&session->threads);
	profile_release(&session->processes);
	profile_release(&session->paths);
	if (session->has_callers) {
		profile_release(&session->callers);
		edges_release(&session->edges);
	}
	if (session->has_findings) {
		findings_release(&session->findings);
		profile_release(&session->places);
	}
	if (!session->has_lines)
		return;
	annotation_release(&session->annotation);
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
	edges_begin(&session->edges, profile);
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

void ui_session_read_findings(struct ui_session *session)
{
	struct profile *places = &session->places;
	const struct findings_input input = { .view = session->view,
					      .functions = &session->functions,
					      .paths = &session->paths,
					      .threads = &session->threads,
					      .processes = &session->processes,
					      .edges = places };

	if (session->has_findings)
		return;
	ui_session_busy(session, "Looking for what could be better ...");
	profile_init(places, BY_CALLERS, session->counting);
	places->by_call_site = 1;
	places->shares.is_wanted = 1;
	view_read_more(session->view, &places, 1);
	findings_make(&session->findings, &input);
	session->has_findings = 1;
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
