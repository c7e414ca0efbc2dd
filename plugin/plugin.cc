/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Entry of cinstr.so: version check, options, registration. What happens when:
 *
 *	plugin_init		options are read, the pass is registered
 *	start of a unit		the target is checked
 *	each function		the pass puts in sleds (sleds.cc) and notes them (sites.cc)
 *	end of a unit		tables and hook are written
 *
 * With -flto the functions pass through here at the link, in lto1, which needs -fplugin, too.
 */
#include "arch.h"
#include "hook.h"
#include "sites.h"
#include "sleds.h"

#define EXPORTED __attribute__((visibility("default")))

extern "C" {
EXPORTED int plugin_is_GPL_compatible;
EXPORTED int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *version);
}

static struct {
	bool help;
	bool verbose;
	const char *path; /* of the plugin */
	const char *name;
} plugin;

struct option {
	const char *name;
	const char *help;
	bool *given;
};

/* -fplugin-arg-cinstr-NAME */
static const struct option options[] = {
	{ "help", "list these options", &plugin.help },
	{ "verbose", "tell what is done with each function", &plugin.verbose },
};

/* All names in a row, for messages. The caller frees it. */
static char *known_options(void)
{
	char *list = xstrdup("");

	for (const struct option &option : options) {
		char *longer = concat(list, *list ? ", " : "", option.name, NULL);
		free(list);
		list = longer;
	}
	return list;
}

static const struct option *find_option(const char *name)
{
	for (const struct option &option : options)
		if (!strcmp(option.name, name))
			return &option;
	return NULL;
}

static bool parse_option(const struct plugin_argument *argument)
{
	const struct option *option = find_option(argument->key);

	if (!option) {
		char *known = known_options();
		error("plugin %qs has no option %qs; it has: %s", plugin.name, argument->key, known);
		free(known);
		return false;
	}
	if (argument->value) {
		error("option %qs of plugin %qs takes no value", argument->key, plugin.name);
		return false;
	}
	*option->given = true;
	return true;
}

static bool parse_options(const struct plugin_name_args *args)
{
	bool right = true;

	for (int i = 0; i < args->argc; i++)
		right &= parse_option(&args->argv[i]);
	return right;
}

static void print_help(void)
{
	for (const struct option &option : options)
		inform(UNKNOWN_LOCATION, "%<-fplugin-arg-%s-%s%>: %s", plugin.name, option.name, option.help);
}

/* The tables and the passes depend on the very compiler that the plugin was built for. */
static bool check_version(struct plugin_gcc_version *version)
{
	struct plugin_gcc_version *built_for = gcc_built_for();

	if (plugin_default_version_check(version, built_for))
		return true;
	error("plugin %qs was built for GCC %s of %s and cannot run in GCC %s of %s%s", plugin.name,
	      built_for->basever, built_for->datestamp, version->basever, version->datestamp,
	      strcmp(built_for->datestamp, version->datestamp) ? "" : ", which is configured otherwise");
	return false;
}

/*
 * Functions that -flto puts off until the link pass us by if the plugin is missing there, and
 * nothing would be said. So the compilation leaves a line of assembler in the object, which comes
 * out at the link and warns unless the plugin has been there first to define the symbol.
 */
#define LTO_SYMBOL ".Lcinstr_at_link"
static const char lto_reminder[] = "\t.ifndef " LTO_SYMBOL "\n"
				   "\t.warning \"cinstr: nothing is instrumented: with -flto, give "
				   "-fplugin=cinstr.so at the link, too\"\n"
				   "\t.set " LTO_SYMBOL ", 1\n"
				   "\t.endif";

static void start_unit(void *, void *)
{
	if (asm_out_file && !flag_wpa)
		fprintf(asm_out_file, "\t.set " LTO_SYMBOL ", 1\n");
	if (flag_generate_lto && !in_lto_p)
		symtab->finalize_toplevel_asm(build_string(sizeof(lto_reminder) - 1, lto_reminder));
	if (!arch_supported())
		warning(0, "plugin %qs instruments x86-64 code with a small or medium code model only",
			plugin.name);
}

static void finish_unit(void *, void *)
{
	const struct site_totals *totals = sites_totals();

	if (plugin.verbose)
		inform(UNKNOWN_LOCATION, "cinstr: %u functions with %u probe sites, %u functions left out",
		       totals->functions, totals->sleds, totals->left_out);
	if (!totals->sleds || seen_error())
		return;
	sites_write(asm_out_file);
	hook_write(asm_out_file, plugin.path);
}

int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *version)
{
	plugin.name = args->base_name;
	plugin.path = args->full_name;
	if (!check_version(version) || !parse_options(args))
		return 1;
	if (plugin.help)
		print_help();
	sleds_register(plugin.name, plugin.verbose);
	register_callback(plugin.name, PLUGIN_START_UNIT, start_unit, NULL);
	register_callback(plugin.name, PLUGIN_FINISH_UNIT, finish_unit, NULL);
	return 0;
}
