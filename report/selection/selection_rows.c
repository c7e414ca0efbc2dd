/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selection_rows.c - which rows of a profile are shown (selection.h). */
#include <stdlib.h>
#include <string.h>

#include "selection.h"
#include "selection_state.h"

static enum globs_verdict with_module(const struct selection *selection, enum globs_verdict function,
				      const char *module)
{
	const char *names[] = { module, module ? util_basename(module) : NULL };
	enum globs_verdict m = globs_match(&selection->state->modules, names, ARRAY_SIZE(names));

	if (function == GLOBS_EXCLUDED || m == GLOBS_EXCLUDED)
		return GLOBS_EXCLUDED;
	return function == GLOBS_TAKEN && m == GLOBS_TAKEN ? GLOBS_TAKEN : GLOBS_OTHER;
}

enum globs_verdict selection_of_names(const struct selection *selection, const char *const *names, size_t n,
				      const char *module)
{
	return with_module(selection, globs_match(&selection->state->functions, names, n), module);
}

static int entity_matches(const void *entity, const char *glob)
{
	return names_matches(entity, glob);
}

enum globs_verdict selection_of_entity(const struct selection *selection, const struct entity *entity)
{
	struct globs *functions = &selection->state->functions;

	globs_see(functions, entity->name);
	return with_module(selection, globs_match_if(functions, entity_matches, entity), entity->module);
}

enum globs_verdict selection_of_function(const struct selection *selection, const char *name,
					 const char *module)
{
	return selection_of_names(selection, &name, 1, module);
}

int selection_check_seen(const struct selection *selection)
{
	struct selection_state *state = selection->state;

	return globs_check_matched(&state->functions, "function") |
	       globs_check_matched(&state->modules, "module");
}

static enum globs_verdict of_row(const struct selection *selection, const struct profile *profile,
				 const struct row *row)
{
	enum profile_by by = profile->by;
	const char *function = by == BY_LINE || by == BY_ADDRESS ? row->function
			       : by == BY_SITE			 ? row->callee
								 : row->name;
	uint32_t entity = row->about != NAMES_NONE ? row->about : row->entity;
	enum globs_verdict verdict = GLOBS_OTHER;

	if (entity != NAMES_NONE)
		verdict = selection_of_entity(selection, &profile->names->list[entity]);
	/* Of a line there may be several functions. */
	if (verdict == GLOBS_OTHER && (entity == NAMES_NONE || by == BY_LINE))
		verdict = selection_of_function(selection, function, row->module);
	return verdict;
}

int selection_takes_row(const struct selection *selection, const struct profile *profile,
			const struct row *row)
{
	return of_row(selection, profile, row) == GLOBS_TAKEN;
}

/* A call path is shown below what was chosen, and on the way to it; not below what is excluded. */
static void choose_paths(const struct selection *selection, struct profile *profile)
{
	enum globs_verdict *verdicts = xcalloc(profile->n_rows, sizeof(*verdicts));
	struct row *rows = profile->rows;

	for (size_t i = 1; i < profile->n_rows; i++) {
		enum globs_verdict above = rows[i].parent ? verdicts[rows[i].parent] : GLOBS_OTHER;

		verdicts[i] = of_row(selection, profile, &rows[i]);
		if (above == GLOBS_EXCLUDED || (above == GLOBS_TAKEN && verdicts[i] == GLOBS_OTHER))
			verdicts[i] = above;
	}
	for (size_t i = profile->n_rows; i-- > 1;)
		if (verdicts[i] == GLOBS_TAKEN && rows[i].parent)
			verdicts[rows[i].parent] = GLOBS_TAKEN;
	for (size_t i = 1; i < profile->n_rows; i++)
		rows[i].filtered = verdicts[i] != GLOBS_TAKEN;
	free(verdicts);
}

/* --function and --module choose among functions only. */
static int fits(const struct selection *selection, enum profile_by by)
{
	if (by == BY_THREAD || by == BY_PROCESS || by == BY_MARK) {
		error("--function and --module do not apply to --by=thread, process or mark; use --thread or "
		      "--process");
		return 0;
	}
	if (by == BY_MODULE && selection->functions) {
		error("--function does not apply to --by=module; use --module");
		return 0;
	}
	return 1;
}

int selection_rows(const struct selection *selection, struct profile *profile)
{
	if (!selection->functions && !selection->modules)
		return STATUS_OK;
	if (!fits(selection, profile->by))
		return STATUS_USAGE;
	if (profile->by == BY_PATH)
		choose_paths(selection, profile);
	else
		for (size_t i = 0; i < profile->n_rows; i++)
			if (profile->rows[i].name)
				profile->rows[i].filtered =
					of_row(selection, profile, &profile->rows[i]) != GLOBS_TAKEN;
	return selection_check_seen(selection) ? STATUS_DATA : STATUS_OK;
}
