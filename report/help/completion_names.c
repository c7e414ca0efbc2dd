/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * completion_names.c - lists functions of a session whose names begin with a prefix, for the
 * shells' completions (manual.h). It must be fast: prints no errors, and reads no trees.
 */
#include <stdlib.h>
#include <string.h>

#include "file/samples.h"
#include "lib/order.h"
#include "manual.h"
#include "names/names.h"
#include "session/session.h"

#define FILES_MOST 32	/* processes of one session mostly run the same programs */
#define NAMES_MOST 1000 /* more are of no help to anybody */

struct offer {
	const char *prefix;
	struct map names, modules;
};

/* Without parameters and template arguments: what a shell takes as it is. */
static void offer_name(struct offer *offer, const char *assembler, const char *file)
{
	char *forms[NAMES_FORMS], *name, *space;

	names_forms(assembler, file, 0, forms);
	name = forms[NAMES_FORM_PLAIN];
	name[strcspn(name, "<(")] = '\0';
	space = strrchr(name, ' '); /* behind what a template returns */
	name = space ? space + 1 : name;
	if (*name && !strpbrk(name, "'\"\\$`;&|*?[]{}#!\n\t") &&
	    !strncmp(name, offer->prefix, strlen(offer->prefix)) && offer->names.n < NAMES_MOST)
		map_keep(&offer->names, name);
	for (int i = 0; i < NAMES_FORMS; i++)
		free(forms[i]);
}

/* An assembler name can only be of such a function if it holds the first part of what was typed;
 * that of std:: is written otherwise. */
static int may_begin(const struct offer *offer, const char *assembler)
{
	size_t n = strcspn(offer->prefix, ":");
	FREED char *part = strndup(offer->prefix, n);

	return strstr(assembler, part) != NULL || !strncmp("std", part, n);
}

static void offer_module(struct offer *offer, const struct module *module)
{
	int is_new;

	map_add(&offer->modules, module->path, strlen(module->path), &is_new);
	if (!is_new)
		return;
	for (size_t i = 0; i < module->n_functions; i++)
		if (may_begin(offer, module->functions[i].name))
			offer_name(offer, module->functions[i].name, module->functions[i].file);
	for (size_t i = 0; i < module->n_sites; i++)
		if (module->sites[i].callee && may_begin(offer, module->sites[i].callee))
			offer_name(offer, module->sites[i].callee, NULL);
}

static void offer_file(struct offer *offer, const char *path)
{
	struct cinstr_header header;
	struct data data = { 0 };

	if (session_header(path, &header))
		return;
	if (header.method == CINSTR_METHOD_SAMPLING ? data_open(&data, path)
						    : data_open_modules(&data, path)) {
		data_release(&data);
		return;
	}
	for (size_t i = 0; i < data.modules.n; i++)
		offer_module(offer, &data.modules.list[i]);
	for (size_t i = 0; data.sampled && i < data.sampled->n_functions; i++) {
		const struct sampled_function *function = &data.sampled->functions[i];

		if (function->name && may_begin(offer, function->name))
			offer_name(offer, function->name, function->file);
	}
	data_release(&data);
}

ORDER_ITEMS(compare_names, char *const, strcmp(*x, *y))

void completion_names(FILE *out, const char *prefix, const char *session)
{
	struct offer offer = { .prefix = prefix };
	struct session input = { 0 };
	FREED char **sorted = NULL;

	if (!session_list(&input, session))
		for (size_t i = 0; i < input.n_files && i < FILES_MOST; i++)
			offer_file(&offer, input.files[i]);
	sorted = xcalloc(offer.names.n, sizeof(*sorted));
	for (size_t i = 0; i < offer.names.n; i++)
		sorted[i] = offer.names.keys[i];
	util_sort(sorted, offer.names.n, sizeof(*sorted), compare_names, NULL);
	for (size_t i = 0; i < offer.names.n; i++)
		fprintf(out, "%s\n", sorted[i]);
	session_release(&input);
	map_release(&offer.names);
	map_release(&offer.modules);
}
