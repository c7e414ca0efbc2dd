/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options of the table in cinstr/plugin_options.h: read, and listed. An option comes from the
 * command line (-fplugin-arg-cinstr-NAME=VALUE) or from a line of a filter file (NAME VALUE).
 */
#include "options.h"
#include "actions.h"
#include "rules.h"

#include "cinstr/plugin_options.h"

struct settings settings;

/* What is being read. */
static struct {
	const char *plugin;
	const char *filter; /* file; NULL: the command line */
	unsigned int line;
	bool failed; /* an error has been reported */
} reading;

/* What the table's names and texts stand for. */
enum option_id {
#define OPTION_ID(id, name, argument, help) OPTION_##id,
	CINSTR_PLUGIN_OPTION_TABLE(OPTION_ID)
#undef OPTION_ID
};

struct option {
	const char *name, *argument, *help;
	enum option_id id;
};

/* Reports an error in the option or the line that is being read. */
static void ATTRIBUTE_PRINTF_1 complain(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	char *text = xvasprintf(format, arguments);
	va_end(arguments);
	if (reading.filter)
		error("%s:%u: %s", reading.filter, reading.line, text);
	else
		error("plugin %qs: %s", reading.plugin, text);
	free(text);
	reading.failed = true;
}

static bool parse_small(const char *, const char *value)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (!ISDIGIT(*value) || *end || n > INT_MAX)
		return false;
	settings.small = n;
	return true;
}

static bool parse_calls(const char *, const char *value)
{
	static const char *const modes[] = { "all", "unknown", "none" };

	for (unsigned int i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strcmp(value, modes[i])) {
			settings.calls = (enum calls_mode)i;
			return true;
		}
	return false;
}

static bool parse_instructions(const char *, const char *value)
{
	settings.instructions = true;
	settings.sums = value;
	return !value || !strcmp(value, "calls");
}

static bool parse_list(const char *, const char *value)
{
	settings.list_file = value ? xstrdup(value) : NULL;
	return true;
}

static bool parse_include(const char *name, const char *value)
{
	rules_add_choice(name, value, true, false);
	return true;
}

static bool parse_exclude(const char *name, const char *value)
{
	rules_add_choice(name, value, false, false);
	return true;
}

static bool parse_include_file(const char *name, const char *value)
{
	rules_add_choice(name, value, true, true);
	return true;
}

static bool parse_exclude_file(const char *name, const char *value)
{
	rules_add_choice(name, value, false, true);
	return true;
}

static bool parse_start(const char *name, const char *value)
{
	return actions_parse_pair(name, value, CINSTR_ACTION_REGION_BEGIN, CINSTR_ACTION_REGION_END);
}

static bool parse_suspend(const char *name, const char *value)
{
	return actions_parse_pair(name, value, CINSTR_ACTION_QUIET_BEGIN, CINSTR_ACTION_QUIET_END);
}

static bool parse_start_only(const char *name, const char *value)
{
	return actions_parse_one(name, value, CINSTR_ACTION_START);
}

static bool parse_stop_only(const char *name, const char *value)
{
	return actions_parse_one(name, value, CINSTR_ACTION_STOP);
}

static bool parse_suspend_only(const char *name, const char *value)
{
	return actions_parse_one(name, value, CINSTR_ACTION_SUSPEND);
}

static bool parse_resume_only(const char *name, const char *value)
{
	return actions_parse_one(name, value, CINSTR_ACTION_RESUME);
}

static bool parse_filter(const char *name, const char *value);

static const struct option options[] = {
#define OPTION(id, name, argument, help) { name, argument, help, OPTION_##id },
	CINSTR_PLUGIN_OPTION_TABLE(OPTION)
#undef OPTION
};

/* What an option becomes: a flag that is set, or its value parsed (false: it is wrong). */
struct meaning {
	bool *flag;
	bool (*parse)(const char *name, const char *value);
	bool only_command_line;
};

static struct meaning meaning_of(enum option_id id)
{
	switch (id) {
	case OPTION_HELP:
		return { &settings.help, NULL, true };
	case OPTION_VERBOSE:
		return { &settings.verbose, NULL, true };
	case OPTION_QUIET:
		return { &settings.quiet, NULL, false };
	case OPTION_INCLUDE:
		return { NULL, parse_include, false };
	case OPTION_EXCLUDE:
		return { NULL, parse_exclude, false };
	case OPTION_INCLUDE_FILE:
		return { NULL, parse_include_file, false };
	case OPTION_EXCLUDE_FILE:
		return { NULL, parse_exclude_file, false };
	case OPTION_EXCLUDE_SYSTEM_HEADERS:
		return { &settings.exclude_system_headers, NULL, false };
	case OPTION_SMALL:
		return { NULL, parse_small, false };
	case OPTION_CALLS:
		return { NULL, parse_calls, false };
	case OPTION_LINES:
		return { &settings.lines, NULL, false };
	case OPTION_INSTRUCTIONS:
		return { NULL, parse_instructions, false };
	case OPTION_GOLD:
		return { &settings.gold, NULL, false };
	case OPTION_REGION:
		return { NULL, actions_parse_region, false };
	case OPTION_START:
		return { NULL, parse_start, false };
	case OPTION_SUSPEND:
		return { NULL, parse_suspend, false };
	case OPTION_START_ONLY:
		return { NULL, parse_start_only, false };
	case OPTION_STOP_ONLY:
		return { NULL, parse_stop_only, false };
	case OPTION_SUSPEND_ONLY:
		return { NULL, parse_suspend_only, false };
	case OPTION_RESUME_ONLY:
		return { NULL, parse_resume_only, false };
	case OPTION_MARK:
		return { NULL, actions_parse_mark, false };
	case OPTION_FILTER:
		return { NULL, parse_filter, true };
	case OPTION_LIST:
		return { &settings.list, parse_list, true };
	}
	gcc_unreachable();
}

/* In a filter file some make no sense. */
static bool is_known(const struct option *option)
{
	return !(reading.filter && meaning_of(option->id).only_command_line);
}

/* All names in a row, for messages. The caller frees it. */
static char *known_options(void)
{
	char *list = xstrdup("");

	for (const struct option &option : options) {
		if (!is_known(&option))
			continue;
		char *longer = concat(list, *list ? ", " : "", option.name, NULL);
		free(list);
		list = longer;
	}
	return list;
}

static const struct option *find_option(const char *name)
{
	for (const struct option &option : options)
		if (!strcmp(option.name, name) && is_known(&option))
			return &option;

	char *known = known_options();
	complain("no option '%s'; there are: %s", name, known);
	free(known);
	return NULL;
}

/* value: NULL if there is none. */
static void parse_option(const char *name, const char *value)
{
	const struct option *option = find_option(name);

	if (!option)
		return;

	struct meaning meaning = meaning_of(option->id);

	if (value && !option->argument)
		complain("option '%s' takes no value, not '%s'", name, value);
	else if (option->argument && *option->argument == '=' && (!value || !*value))
		complain("option '%s' needs a value: '%s%s'", name, name, option->argument);
	else if (meaning.parse && !meaning.parse(name, value))
		complain("option '%s' does not take '%s': '%s%s'", name, value, name, option->argument);
	else if (meaning.flag)
		*meaning.flag = true;
}

/* NAME VALUE, an empty line, or a comment. Changes the line. */
static void parse_line(char *line, size_t length)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";

	if (strlen(line) != length) {
		complain("a NUL in the line: this is no text file");
		return;
	}
	if (reading.line == 1 && startswith(line, byte_order_mark))
		line += sizeof(byte_order_mark) - 1;

	char *name = line + strspn(line, " \t");
	char *end = name + strlen(name);

	while (end > name && ISSPACE(end[-1]))
		*--end = 0;
	if (!*name || *name == '#')
		return;

	char *value = name + strcspn(name, " \t");
	if (*value)
		*value++ = 0;
	value += strspn(value, " \t");
	parse_option(name, *value ? value : NULL);
}

static bool parse_filter(const char *, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	if (!file) {
		complain("cannot read the filter '%s': %s", path, xstrerror(errno));
		return true;
	}
	reading.filter = path;
	for (reading.line = 1; (length = getline(&line, &size, file)) >= 0; reading.line++)
		parse_line(line, length);
	reading.filter = NULL;
	if (ferror(file))
		complain("cannot read the filter '%s': %s", path, xstrerror(errno));
	free(line);
	fclose(file);
	return true;
}

bool options_parse(const struct plugin_name_args *args)
{
	reading.plugin = args->base_name;
	settings.small = SMALL_DEFAULT;
	for (int i = 0; i < args->argc; i++)
		parse_option(args->argv[i].key, args->argv[i].value);
	return !reading.failed;
}

void options_help(const char *plugin_name)
{
	for (const struct option &option : options)
		inform(UNKNOWN_LOCATION, "%<-fplugin-arg-%s-%s%s%>: %s", plugin_name, option.name,
		       option.argument ? option.argument : "", option.help);
}
