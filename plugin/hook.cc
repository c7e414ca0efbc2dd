/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the hook: its code (arch.h), the strings it uses, its one variable, and the entries in
 * .init_array and .fini_array. All in one COMDAT group, so that a module has it once, however many
 * translation units carry it. Its priority is one of those reserved for the implementation: it
 * runs before the program's own constructors and after its destructors.
 */
#include "hook.h"
#include "arch.h"
#include "room.h"
#include "options.h"
#include "cinstr/abi.h"

#define HOOK_GROUP ARCH_HOOK_SYMBOL ",comdat"
#define HOOK_PRIORITY "00099"
#define RUNTIME_FILE "libcinstr.so"
#define RUNTIME_SONAME "libcinstr.so.0"
#define RUNTIME_ARCHIVE "libcinstr.a" /* linked in: the hook needs no file then */
#define INSTALLED_AS "/cinstr/gcc-"   /* LIBDIR/cinstr/gcc-12/cinstr.so */

/*
 * Where the runtime is, found from the plugin's own file, so that a tree may be moved: of an
 * installed plugin in LIBDIR, two folders up; of a built one beside it. Installed, a program that
 * was moved to another machine finds that machine's by its name alone.
 */
struct runtime_place {
	char *folder; /* with its '/' */
	const char *file;
	bool installed;
};

/* folder: with its '/'. */
static bool is_in(const char *folder, const char *name)
{
	char *path = concat(folder, name, NULL);
	bool found = !access(path, R_OK);

	free(path);
	return found;
}

static runtime_place place_of(const char *plugin_path)
{
	char *folder = lrealpath(plugin_path), *up;

	folder[lbasename(folder) - folder] = '\0';
	up = strstr(folder, INSTALLED_AS);
	for (char *next = up; next && (next = strstr(next + 1, INSTALLED_AS));)
		up = next; /* the last */
	/* A build folder may be called so, too. */
	if (!up || strchr(up + strlen(INSTALLED_AS), '/')[1] || is_in(folder, RUNTIME_FILE))
		return { folder, RUNTIME_FILE, false };
	up[1] = '\0';
	return { folder, RUNTIME_SONAME, true };
}

static void write_path(FILE *out, const char *folder, const char *file)
{
	char *path = concat(folder, file, NULL);

	fprintf(out, "\t.asciz\t");
	output_quoted_string(out, path);
	putc('\n', out);
	free(path);
}

void hook_warn_no_runtime(const char *plugin_path)
{
	runtime_place place = place_of(plugin_path);

	if (!is_in(place.folder, place.file) && !is_in(place.folder, RUNTIME_ARCHIVE))
		warning(0, "%<%s%s%> is not there: the program will run, but record nothing. %s",
			place.folder, place.file,
			place.installed ? "Install libcinstr0, or run make install again"
					: "It must stay beside the plugin");
	free(place.folder);
}

/* In this order; an empty string ends the list. */
static void write_paths(FILE *out, const char *plugin_path)
{
	runtime_place place = place_of(plugin_path);

	fprintf(out, "\t.asciz\t\"" CINSTR_HOOK_PATHS "\"\n.Lcinstr_hook_paths:\n");
	write_path(out, place.folder, place.file);
	if (place.installed)
		write_path(out, "", RUNTIME_SONAME);
	fprintf(out, "\t.byte\t0\n");
	free(place.folder);
}

static void write_data(FILE *out, const char *plugin_path)
{
	fprintf(out, "\t.section\t.rodata.cinstr_hook,\"aG\",@progbits," HOOK_GROUP "\n");
	write_paths(out, plugin_path);
	fprintf(out,
		"\t.weak\t__start_" CINSTR_ROOM_SECTION "\n\t.hidden\t__start_" CINSTR_ROOM_SECTION
		"\n\t.weak\t__stop_" CINSTR_ROOM_SECTION "\n\t.hidden\t__stop_" CINSTR_ROOM_SECTION "\n");
	fprintf(out, "\t.p2align 2\n.Lcinstr_hook_data:\n\t.long\t%#x,%u,.Lcinstr_hook_state-.\n",
		CINSTR_HOOK_MAGIC, CINSTR_ABI_VERSION);
	fprintf(out,
		"\t.long\t__start_" CINSTR_ROOM_SECTION "-.\n\t.long\t__stop_" CINSTR_ROOM_SECTION "-.\n");
	fprintf(out, "\t.section\t.bss.cinstr_hook,\"awG\",@nobits," HOOK_GROUP "\n");
	fprintf(out, "\t.p2align 3\n.Lcinstr_hook_state:\n\t.zero\t%u\n",
		(unsigned int)sizeof(struct cinstr_abi_state));
}

/* Thread variables for the runtime (struct cinstr_abi_thread). */
static void write_thread_part(FILE *out)
{
	fprintf(out, "\t.section\t.tdata.cinstr_probe,\"awTG\",@progbits," HOOK_GROUP "\n");
	fprintf(out, "\t.balign\t%d\n\t.zero\t%d\n\t.long\t%#x\n\t.zero\t%u\n", CINSTR_THREAD_ALIGN,
		CINSTR_THREAD_PROBE_AT, CINSTR_THREAD_PROBE,
		(unsigned int)(offsetof(struct cinstr_abi_thread, magic) - CINSTR_THREAD_PROBE_AT - 4));
	fprintf(out, "\t.quad\t%#llx\n\t.long\t%u\n\t.long\t.Lcinstr_hook_data-.\n",
		(unsigned long long)CINSTR_THREAD_MAGIC, (unsigned int)sizeof(struct cinstr_abi_thread));
	fprintf(out, "\t.zero\t%u\n",
		(unsigned int)(sizeof(struct cinstr_abi_thread) -
			       offsetof(struct cinstr_abi_thread, awaited)));
}

/*
 * The note by which the runtime finds out whether the tables or the code were moved (abi.h). It
 * lands among the tables, as it is linked to text as they are. Nothing refers to it, so that it can
 * be removed with them.
 */
static void write_note(FILE *out)
{
	fprintf(out, "\t.section\t" CINSTR_NOTE_SECTION ",\"aoG\",@note," ARCH_HOOK_SYMBOL "," HOOK_GROUP
		     "\n\t.p2align 2\n");
	if (settings.gold) /* sites.cc says why */
		fprintf(out, ".Lcinstr_hook_note:\n\t.reloc\t" ARCH_HOOK_SYMBOL ", %s, .Lcinstr_hook_note\n",
			arch_no_relocation);
	fprintf(out, "\t.long\t%u,%u,%#x\n", (unsigned int)sizeof(CINSTR_NOTE_NAME),
		(unsigned int)sizeof(struct cinstr_abi_hook_note), CINSTR_NOTE_HOOK);
	fprintf(out, "\t.asciz\t\"" CINSTR_NOTE_NAME "\"\n\t.p2align 2\n");
	fprintf(out, "\t.long\t" ARCH_HOOK_SYMBOL "-.\n\t.long\t"
		     ".Lcinstr_hook_data"
		     "-.\n");
}

static void write_array(FILE *out, const char *array, const char *symbol)
{
	fprintf(out, "\t.section\t.%s." HOOK_PRIORITY ",\"awG\",@%s," HOOK_GROUP "\n", array, array);
	fprintf(out, "\t.p2align 3\n\t.quad\t%s\n", symbol);
}

void hook_write(FILE *out, const char *plugin_path)
{
	fprintf(out, "\t.section\t.text.cinstr_hook,\"axG\",@progbits," HOOK_GROUP "\n");
	arch_hook_write(out);
	write_data(out, plugin_path);
	write_thread_part(out);
	room_write_hook(out, HOOK_GROUP);
	write_note(out);
	write_array(out, "init_array", ARCH_HOOK_SYMBOL);
	write_array(out, "fini_array", ARCH_UNHOOK_SYMBOL);
}
