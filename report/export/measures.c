/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measures.c - see measures.h. */
#include "measures.h"

#include <string.h>

#include "lib/util.h"

enum { PROBES, SAMPLES };

const struct measure_info measure_infos[MEASURES] = {
#define INFO(id, name, unit, method, column) { name, unit, method },
	EXPORT_MEASURES(INFO)
#undef INFO
};

static int find(const char *word, size_t n)
{
	for (int i = 0; i < MEASURES; i++)
		if (strlen(measure_infos[i].name) == n && !strncmp(measure_infos[i].name, word, n))
			return i;
	return -1;
}

static int has(const struct measures *measures, enum export_measure measure)
{
	for (unsigned i = 0; i < measures->n; i++)
		if (measures->list[i] == measure)
			return 1;
	return 0;
}

static int say_unknown(const char *word, size_t n)
{
	struct strbuf names = { 0 };

	for (int i = 0; i < MEASURES; i++)
		strbuf_printf(&names, "%s%s", i ? ", " : "", measure_infos[i].name);
	error("export: --measure has no '%.*s'; it takes %s", (int)n, word, names.text);
	strbuf_release(&names);
	return -1;
}

int measures_parse(struct measures *measures, const char *list, unsigned most)
{
	measures->n = 0;
	while (*list) {
		size_t n = strcspn(list, ",");
		int found = find(list, n);

		if (found < 0)
			return say_unknown(list, n);
		if (!has(measures, (enum export_measure)found))
			measures->list[measures->n++] = (enum export_measure)found;
		list += n + (list[n] == ',');
	}
	if (measures->n && measures->n <= most)
		return 0;
	error(measures->n ? "export: --measure: this format takes %u at most"
			  : "export: --measure names nothing; this format takes up to %u",
	      most);
	return -1;
}

int measures_of_method(struct measures *measures, int is_sampled, int is_given)
{
	unsigned n = 0;

	for (unsigned i = 0; i < measures->n; i++) {
		const struct measure_info *info = &measure_infos[measures->list[i]];

		if (info->is_of_samples == is_sampled) {
			measures->list[n++] = measures->list[i];
		} else if (is_given) {
			error("export: --measure=%s: %s", info->name,
			      is_sampled ? "this session was sampled: it has samples"
					 : "this session was not sampled");
			return -1;
		}
	}
	measures->n = n;
	return 0;
}
