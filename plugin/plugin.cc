/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Entry of cinstr.so: version check, registration. What happens when:
 *
 *      plugin_init             options are read (options.cc), the pass is registered
 *      start of a unit         the target is checked
 *      each function           the pass puts in sleds (sleds.cc) and notes them (sites.cc)
 *      end of a unit           calls of functions that came late are settled; tables and hook are
 *                              written
 *
 * With -flto the functions pass through here at the link, in lto1, which needs -fplugin, too.
 */
#include "arch.h"
#include "hook.h"
#include "room.h"
#include "lines.h"
#include "list.h"
#include "options.h"
#include "rules.h"
#include "segments.h"
#include "sites.h"
#include "sleds.h"
#include "tail_calls.h"

#define EXPORTED __attribute__((visibility("default")))

extern "C" {
EXPORTED int plugin_is_GPL_compatible;
EXPORTED int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *version);
}

static struct {
	const char *path;
	const char *name;
} plugin;

/*
 * The tables and the passes depend on the very compiler that the plugin was built for. In another
 * one only what all releases have may be called here: this is reached because references to the
 * rest are weak (see the Makefile).
 */
static bool check_version(struct plugin_gcc_version *version)
{
	struct plugin_gcc_version *built_for = gcc_built_for();
	int release = atoi(version->basever);
	bool same_release = !strcmp(built_for->basever, version->basever) &&
			    !strcmp(built_for->datestamp, version->datestamp);

	if (plugin_default_version_check(version, built_for))
		return true;
	error("plugin %qs was built for GCC %s of %s and cannot run in GCC %s of %s%s", plugin.name,
	      built_for->basever, built_for->datestamp, version->basever, version->datestamp,
	      same_release ? ", which is configured otherwise" : "");
	if (release < GCC_FIRST || release > GCC_LAST)
		error("there is none for GCC %d: cinstr is written for GCC %d to %d", release, GCC_FIRST,
		      GCC_LAST);
	else
		error("install the package gcc-%d-plugin-cinstr, or build it: make CC=gcc-%d O=build/gcc-%d",
		      release, release, release);
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
	no_werror guard;

	if (!arch_supported())
		warning(0, "plugin %qs instruments %s only", plugin.name, arch_supports);
	if (settings.list)
		return;
	if (!settings.quiet && !flag_ltrans)
		hook_warn_no_runtime(plugin.path);
	if (asm_out_file && !flag_wpa)
		fprintf(asm_out_file, "\t.set " LTO_SYMBOL ", 1\n");
	if (flag_generate_lto && !in_lto_p)
		symtab->finalize_toplevel_asm(build_string(sizeof(lto_reminder) - 1, lto_reminder));
}

/* "cinstr-list" as GCC has it from -fplugin-arg-, "path/cinstr.so" from -fplugin=. */
static bool names_us(const char *argument, const char *separators)
{
	size_t length = strlen(plugin.name);

	return startswith(argument, plugin.name) &&
	       (!argument[length] || strchr(separators, argument[length]));
}

/* Debugging information tells the options of the compiler: looking takes its own out. */
static void forget_options(void)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < save_decoded_options_count; i++) {
		const struct cl_decoded_option *option = &save_decoded_options[i];
		bool ours = (option->opt_index == OPT_fplugin_arg_ && names_us(option->arg, "-")) ||
			    (option->opt_index == OPT_fplugin_ && names_us(lbasename(option->arg), "."));
		if (!ours)
			save_decoded_options[kept++] = *option;
	}
	save_decoded_options_count = kept;
}

/* With -flto the functions pass by at the link only. */
static bool functions_seen(void)
{
	return arch_supported() && !(flag_generate_lto && !flag_fat_lto_objects);
}

/*
 * With -flto, several processes compile parts of the program; the one that made the parts knows all
 * functions, and warns.
 */
static void finish(void *, void *)
{
	cgraph_node *node;

	if (!flag_wpa || settings.quiet || seen_error())
		return;
	FOR_EACH_FUNCTION(node)
	if (!node->inlined_to)
		rules_note(names_of(names_assembler(node->decl), node->decl), DECL_SOURCE_FILE(node->decl));
	rules_warn_unmatched();
}

static void tell(const struct site_totals *totals)
{
	if (settings.verbose)
		inform(UNKNOWN_LOCATION, "cinstr: %u functions with %u probe sites, %u functions left out",
		       totals->functions, totals->sleds, totals->left_out);
	if (!settings.quiet && !flag_ltrans && functions_seen())
		rules_warn_unmatched();
	if (settings.list && functions_seen())
		list_write(totals);
}

static void finish_unit(void *, void *)
{
	const struct site_totals *totals = sites_totals();

	sleds_settle();
	tell(totals);
	if (settings.list || seen_error())
		return;
	if (totals->sleds || totals->left_out)
		sites_write(asm_out_file);
	segments_write(asm_out_file);
	if (!totals->sleds && !segments_functions())
		return;
	hook_write(asm_out_file, plugin.path);
	room_write_unit(asm_out_file, totals->own_functions + (totals->shared_functions + 3) / 4,
			totals->indirect_calls + totals->own_named_calls +
				(totals->shared_named_calls + 3) / 4);
}

int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *version)
{
	plugin.name = args->base_name;
	plugin.path = args->full_name;
	if (!check_version(version) || !options_parse(args))
		return 1;
	if (settings.help)
		options_help(plugin.name);
	if (settings.lines && !settings.list)
		lines_setup();
	if (settings.list)
		forget_options();
	sleds_register(plugin.name);
	tail_calls_register(plugin.name);
	register_callback(plugin.name, PLUGIN_START_UNIT, start_unit, NULL);
	register_callback(plugin.name, PLUGIN_FINISH_UNIT, finish_unit, NULL);
	register_callback(plugin.name, PLUGIN_FINISH, finish, NULL);
	return 0;
}
