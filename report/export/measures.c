/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measures.h"

#include <string.h>

#include "lib/util.h"

const struct measure_info measure_infos[MEASURES] = {
#define INFO(id, name, unit, method, column) { name, unit, MEASURE_OF_##method },
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
	return error("export: --measure has no '%.*s'; it takes %s", (int)n, word, names.text);
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

enum export_measure measures_counted(const char *option)
{
	for (const char *word = option; word && *word;) {
		size_t n = strcspn(word, ",");
		int found = find(word, n);

		if (found >= 0 && measure_infos[found].origin == MEASURE_OF_COUNTED)
			return (enum export_measure)found;
		word += n + (word[n] == ',');
	}
	return MEASURES;
}

/* Returns 0, or -1 after an error message if times were requested beside the counted measure. */
static int check_alone(const struct measures *measures, enum export_measure counted)
{
	for (unsigned i = 0; i < measures->n; i++)
		if (measures->list[i] != counted && measures->list[i] != MEASURE_CALLS)
			return error("export: --measure=%s goes with calls, and not with %s",
				     measure_infos[counted].name, measure_infos[measures->list[i]].name);
	return 0;
}

int measures_choose(struct measures *measures, const char *option, const char *defaults, unsigned most)
{
	*measures = (struct measures){ .n = 0 };
	if (parse(measures, option ? option : defaults))
		return -1;
	if (measures_counted(option) != MEASURES && check_alone(measures, measures_counted(option)))
		return -1;
	measures->n_given = option ? measures->n : 0;
	if (measures->n && measures->n_given <= most)
		return 0;
	return error(measures->n ? "export: --measure: it takes %u at most here"
				 : "export: --measure names nothing; it takes up to %u here",
		     most);
}

int measures_of_method(struct measures *measures, int is_sampled)
{
	int is_counted = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < measures->n; i++)
		is_counted |= measure_infos[measures->list[i]].origin == MEASURE_OF_COUNTED;

	for (unsigned i = 0; i < measures->n; i++) {
		const struct measure_info *info = &measure_infos[measures->list[i]];

		if (is_counted || (info->origin == MEASURE_OF_SAMPLES) == is_sampled) {
			measures->list[n++] = measures->list[i];
		} else if (i < measures->n_given) {
			return error("export: --measure=%s: %s", info->name,
				     is_sampled ? "this session was sampled: it has samples"
						: "this session was not sampled");
		}
	}
	measures->n = n;
	return 0;
}
