/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the hook: its code (arch.h), the strings it uses, its one variable, and the entries in
 * .init_array and .fini_array. All in one COMDAT group, so that a module has it once, however many
 * translation units carry it. Its priority is one of those reserved for the implementation: it
 * runs before the program's own constructors and after its destructors.
 */
#include "hook.h"
#include "arch.h"

#define HOOK_GROUP ARCH_HOOK_SYMBOL ",comdat"
#define HOOK_PRIORITY "00099"
#define RUNTIME_FILE "libcinstr.so"
#define RUNTIME_ARCHIVE "libcinstr.a" /* linked in: the hook needs no file then */

static void write_path(FILE *out, const char *folder, size_t folder_length)
{
	char *path = XNEWVEC(char, folder_length + sizeof(RUNTIME_FILE));

	memcpy(path, folder, folder_length);
	memcpy(path + folder_length, RUNTIME_FILE, sizeof(RUNTIME_FILE));
	fprintf(out, "\t.asciz\t");
	output_quoted_string(out, path);
	putc('\n', out);
	XDELETEVEC(path);
}

/* folder: with its '/'. */
static bool is_in(const char *folder, const char *name)
{
	char *path = concat(folder, name, NULL);
	bool found = !access(path, R_OK);

	free(path);
	return found;
}

void hook_warn_no_runtime(const char *plugin_path)
{
	char *folder = lrealpath(plugin_path);
	bool found;

	folder[lbasename(folder) - folder] = '\0';
	found = is_in(folder, RUNTIME_FILE) || is_in(folder, RUNTIME_ARCHIVE);
#ifdef CINSTR_LIBDIR
	found = found || is_in(CINSTR_LIBDIR "/", RUNTIME_FILE);
#endif
	if (!found)
		warning(0,
			"%<%s%s%> is not there: the program will run, but record nothing. It must stay "
			"beside the plugin",
			folder, RUNTIME_FILE);
	free(folder);
}

/* Where the runtime is looked for, in this order; an empty string ends the list. */
static void write_paths(FILE *out, const char *plugin_path)
{
	char *real = lrealpath(plugin_path);

	fprintf(out, ".Lcinstr_hook_paths:\n");
	write_path(out, real, lbasename(real) - real);
#ifdef CINSTR_LIBDIR
	write_path(out, CINSTR_LIBDIR "/", sizeof(CINSTR_LIBDIR "/") - 1);
#endif
	write_path(out, "", 0);
	fprintf(out, "\t.byte\t0\n");
	free(real);
}

static void write_data(FILE *out, const char *plugin_path)
{
	fprintf(out, "\t.section\t.rodata.cinstr_hook,\"aG\",@progbits," HOOK_GROUP "\n");
	fprintf(out, ".Lcinstr_hook_variable:\n\t.asciz\t\"CINSTR\"\n");
	fprintf(out, ".Lcinstr_hook_dlopen:\n\t.asciz\t\"dlopen\"\n");
	fprintf(out, ".Lcinstr_hook_name:\n\t.asciz\t\"cinstr_register_v1\"\n");
	fprintf(out, ".Lcinstr_hook_unregister:\n\t.asciz\t\"cinstr_unregister_v1\"\n");
	write_paths(out, plugin_path);
	fprintf(out, "\t.section\t.bss.cinstr_hook,\"awG\",@nobits," HOOK_GROUP "\n");
	fprintf(out, "\t.p2align 3\n.Lcinstr_hook_state:\n\t.zero\t8\n");
}

static void write_array(FILE *out, const char *array, const char *symbol)
{
	fprintf(out, "\t.section\t.%s." HOOK_PRIORITY ",\"awG\",@%s," HOOK_GROUP "\n", array, array);
	fprintf(out, "\t.p2align 3\n\t.quad\t%s\n", symbol);
}

/*
 * A unit that has a function by the name of one that the hook calls, say a static one, would take
 * the hook's calls. Such a unit goes without; the hook of another unit serves it. Only the
 * assembler knows all names of the unit.
 */
static void write_guard(FILE *out)
{
	for (const char *callee : arch_hook_callees)
		fprintf(out,
			"\t.ifdef %s\n\t.set .Lcinstr_no_hook, 1\n"
			"\t.warning \"cinstr: no hook in this unit, which defines %s\"\n\t.endif\n",
			callee, callee);
	fprintf(out, "\t.ifndef .Lcinstr_no_hook\n");
}

void hook_write(FILE *out, const char *plugin_path)
{
	bool intel = ASSEMBLER_DIALECT == ASM_INTEL;

	write_guard(out);
	fprintf(out, "\t.section\t.text.cinstr_hook,\"axG\",@progbits," HOOK_GROUP "\n");
	if (intel)
		fprintf(out, "\t.att_syntax prefix\n");
	fputs(arch_hook_code, out);
	if (intel)
		fprintf(out, "\t.intel_syntax noprefix\n");
	write_data(out, plugin_path);
	write_array(out, "init_array", ARCH_HOOK_SYMBOL);
	write_array(out, "fini_array", ARCH_UNHOOK_SYMBOL);
	fprintf(out, "\t.endif\n");
}
