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
	STRBUF(names);

	for (int i = 0; i < MEASURES; i++)
		strbuf_printf(&names, "%s%s", i ? ", " : "", measure_infos[i].name);
	if (n == strlen("instructions") && !strncmp(word, "instructions", n))
		error("export: --measure=instructions goes with --format=callgrind, alone");
	else
		error("export: --measure has no '%.*s'; it takes %s", (int)n, word, names.text);
	return -1;
}

void measures_add(struct measures *measures, enum export_measure measure)
{
	if (!has(measures, measure))
		measures->list[measures->n++] = measure;
}

static int parse(struct measures *measures, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ",");
		int found = find(list, n);

		if (found < 0)
			return say_unknown(list, n);
		measures_add(measures, (enum export_measure)found);
		list += n + (list[n] == ',');
	}
	return 0;
}

int measures_choose(struct measures *measures, const char *option, const char *defaults, unsigned most)
{
	*measures = (struct measures){ .n = 0 };
	if (parse(measures, option ? option : defaults))
		return -1;
	measures->n_given = option ? measures->n : 0;
	if (measures->n && measures->n_given <= most)
		return 0;
	error(measures->n ? "export: --measure: it takes %u at most here"
			  : "export: --measure names nothing; it takes up to %u here",
	      most);
	return -1;
}

int measures_of_method(struct measures *measures, int is_sampled)
{
	unsigned n = 0;

	for (unsigned i = 0; i < measures->n; i++) {
		const struct measure_info *info = &measure_infos[measures->list[i]];

		if (info->is_of_samples == is_sampled) {
			measures->list[n++] = measures->list[i];
		} else if (i < measures->n_given) {
			error("export: --measure=%s: %s", info->name,
			      is_sampled ? "this session was sampled: it has samples"
					 : "this session was not sampled");
			return -1;
		}
	}
	measures->n = n;
	return 0;
}
