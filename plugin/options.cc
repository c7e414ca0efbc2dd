/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options, in one table that parses and helps. An option comes from the command line
 * (-fplugin-arg-cinstr-NAME=VALUE) or from a line of a filter file (NAME VALUE).
 */
#include "options.h"
#include "actions.h"
#include "rules.h"

struct settings settings;

/* What is being read. */
static struct {
	const char *plugin;
	const char *filter; /* file; NULL: the command line */
	unsigned int line;
	bool failed; /* an error has been reported */
} reading;

struct option {
	const char *name;
	const char *argument; /* "=X", may be left out: "[=X]"; NULL: takes none */
	const char *help;
	bool *flag; /* becomes true */
	/* With the value; false: it is wrong. */
	bool (*parse)(const char *name, const char *value);
	bool only_command_line;
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

#define PLACES "=top|bottom|before|after,GLOB"

static const struct option options[] = {
	{ "help", NULL, "list these options", &settings.help, NULL, true },
	{ "verbose", NULL, "tell what is done with each function", &settings.verbose, NULL, true },
	{ "quiet", NULL, "no warnings about rules without effect", &settings.quiet, NULL, false },
	{ "include", "=GLOB", "instrument these functions; with it, only what is included", NULL,
	  parse_include, false },
	{ "exclude", "=GLOB", "do not instrument these functions", NULL, parse_exclude, false },
	{ "include-file", "=GLOB", "instrument the functions of these source files", NULL, parse_include_file,
	  false },
	{ "exclude-file", "=GLOB", "do not instrument the functions of these source files", NULL,
	  parse_exclude_file, false },
	{ "exclude-system-headers", NULL, "do not instrument functions defined in system headers",
	  &settings.exclude_system_headers, NULL, false },
	{ "small", "=N", "leave out leaf functions without a loop of at most N instructions (10; 0: none)",
	  NULL, parse_small, false },
	{ "calls", "=all|unknown|none",
	  "probe sites at calls: all, those whose callee is not known to have its own, or none", NULL,
	  parse_calls, false },
	{ "lines", NULL, "probe sites at source lines", &settings.lines, NULL, false },
	{ "gold", NULL, "keep the tables when gold links with --gc-sections", &settings.gold, NULL, false },
	{ "region", "=GLOB", "the same as start=inside,GLOB", NULL, actions_parse_region, false },
	{ "start", "=inside|outside,GLOB", "record only while such a function, or a call of it, is going on",
	  NULL, parse_start, false },
	{ "suspend", "=inside|outside,GLOB",
	  "do not record while such a function, or a call of it, is going on", NULL, parse_suspend, false },
	{ "start-only", PLACES, "start recording there", NULL, parse_start_only, false },
	{ "stop-only", PLACES, "stop recording there", NULL, parse_stop_only, false },
	{ "suspend-only", PLACES, "suspend recording there", NULL, parse_suspend_only, false },
	{ "resume-only", PLACES, "resume recording there", NULL, parse_resume_only, false },
	{ "mark", PLACES "[,TEXT]", "put a mark into the recording there", NULL, actions_parse_mark, false },
	{ "filter", "=FILE", "read options from the lines of a file: NAME VALUE", NULL, parse_filter, true },
	{ "list", "[=FILE]", "tell what would be instrumented and why the rest not; change nothing",
	  &settings.list, parse_list, true },
};

/* All names in a row, for messages. The caller frees it. */
static char *known_options(void)
{
	char *list = xstrdup("");

	for (const struct option &option : options) {
		if (reading.filter && option.only_command_line)
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
		if (!strcmp(option.name, name) && !(reading.filter && option.only_command_line))
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
	if (value && !option->argument)
		complain("option '%s' takes no value, not '%s'", name, value);
	else if (option->argument && *option->argument == '=' && (!value || !*value))
		complain("option '%s' needs a value: '%s%s'", name, name, option->argument);
	else if (option->parse && !option->parse(name, value))
		complain("option '%s' does not take '%s': '%s%s'", name, value, name, option->argument);
	else if (option->flag)
		*option->flag = true;
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
