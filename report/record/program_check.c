/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cinstr/abi.h"
#include "lib/util.h"
#include "machine.h"
#include "symbols/elf_file.h"

/* ---- the program's file ---------------------------------------------------------------------- */

/* 0 if `path` can be executed, else an errno. */
static int executable(const char *path)
{
	return access(path, X_OK) ? errno : 0;
}

char *program_find(const char *program, int *why)
{
	const char *path = getenv("PATH");
	struct strbuf candidate = { 0 };

	*why = ENOENT;
	if (strchr(program, '/')) {
		*why = executable(program);
		return *why ? NULL : xstrdup(program);
	}
	for (path = path ? path : "/bin:/usr/bin"; *path;) {
		size_t n = strcspn(path, ":");
		int error;

		strbuf_clear(&candidate);
		strbuf_printf(&candidate, "%.*s/%s", n ? (int)n : 1, n ? path : ".", program);
		error = executable(candidate.text);
		if (!error) {
			*why = 0;
			return candidate.text;
		}
		if (error != ENOENT && error != ENOTDIR)
			*why = error;
		path += n + (path[n] == ':');
	}
	strbuf_release(&candidate);
	return NULL;
}

/* ---- what the plugin has left in it ---------------------------------------------------------- */

enum found {
	NOT_AN_ELF_FILE, /* a script, or of another machine */
	NOT_BUILT,	 /* without the plugin; a library of it may be */
	BUILT,		 /* and a runtime is there, or linked in */
	NO_RUNTIME,
	STATIC, /* linked so, and without the runtime: none can be loaded */
};

struct check {
	enum found found;
	char *first; /* where its runtime is looked for first; the caller frees it */
};

static const char *paths_of(const struct elf *elf)
{
	static const char before[] = CINSTR_HOOK_PATHS;
	const char *at = elf->bytes, *end = elf->bytes + elf->n_bytes;

	while ((at = memmem(at, (size_t)(end - at), before, sizeof(before)))) {
		at += sizeof(before);
		if (at < end && *at == '/')
			return at;
	}
	return NULL;
}

/* A name without a folder is the loader's to find; so far as can be told without asking it to load
 * the file. */
static int is_there(const char *path)
{
	static const char *const folders[] = { "/lib/" MACHINE_TRIPLET,
					       "/usr/lib/" MACHINE_TRIPLET,
					       "/usr/local/lib/" MACHINE_TRIPLET,
					       "/lib64",
					       "/usr/lib64",
					       "/lib",
					       "/usr/lib",
					       "/usr/local/lib",
					       "/usr/local/lib64" };
	STRBUF(name);
	int found = strchr(path, '/') && !access(path, R_OK);

	for (size_t i = 0; i < ARRAY_SIZE(folders) && !strchr(path, '/') && !found; i++) {
		strbuf_clear(&name);
		strbuf_printf(&name, "%s/%s", folders[i], path);
		found = !access(name.text, R_OK);
	}
	return found;
}

static int has_runtime(const struct elf *elf, const char *paths, struct check *check)
{
	const char *end = elf->bytes + elf->n_bytes;

	while (paths < end && *paths) {
		size_t n = strnlen(paths, (size_t)(end - paths));

		if (paths + n == end)
			return 1; /* not what it seems */
		if (!check->first)
			check->first = xstrdup(paths);
		if (is_there(paths))
			return 1;
		paths += n + 1;
	}
	return 0;
}

static int is_static(const struct elf *elf)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)elf->bytes;
	const Elf64_Phdr *segments = (const Elf64_Phdr *)(elf->bytes + head->e_phoff);

	if (!elf_has(elf, head->e_phoff, head->e_phnum * sizeof(*segments)))
		return 0;
	for (unsigned i = 0; i < head->e_phnum; i++)
		if (segments[i].p_type == PT_INTERP)
			return 0;
	return 1;
}

/* By the name of a variable that it alone reads. */
static int is_linked_in(const struct elf *elf)
{
	static const char name[] = "CINSTR_RESTARTABLE";

	return memmem(elf->bytes, elf->n_bytes, name, sizeof(name)) != NULL;
}

static struct check check_file(const char *path)
{
	struct check check = { .found = NOT_AN_ELF_FILE };
	const char *paths;
	struct elf elf;

	if (elf_open(&elf, path))
		return check;
	paths = paths_of(&elf);
	if (!paths)
		check.found = NOT_BUILT;
	else if (is_static(&elf) && !is_linked_in(&elf))
		check.found = STATIC;
	else
		check.found = has_runtime(&elf, paths, &check) ? BUILT : NO_RUNTIME;
	elf_close(&elf);
	return check;
}

static struct check check_program(const char *program)
{
	struct check check = { .found = NOT_AN_ELF_FILE };
	int why;
	FREED char *path = program_find(program, &why);

	if (path)
		check = check_file(path);
	return check;
}

static void put_name(struct strbuf *text, const char *program, const char *rest)
{
	strbuf_puts(text, "'");
	strbuf_visible(text, program);
	strbuf_puts(text, "'");
	strbuf_puts(text, rest);
}

static void put_no_runtime(struct strbuf *text, const char *program, const struct check *check)
{
	put_name(text, program, " was built with cinstr.so, but its recorder is not there any more: ");
	strbuf_visible(text, check->first);
	strbuf_puts(text, strstr(check->first, ".so.0") ? " (install libcinstr0, or run make install again)"
							: " (it must stay beside that cinstr.so)");
}

void program_why_not_recorded(struct strbuf *text, const char *program)
{
	struct check check = check_program(program);

	if (check.found == NO_RUNTIME) {
		put_no_runtime(text, program, &check);
	} else if (check.found == STATIC) {
		put_name(text, program,
			 " is linked statically, so it can load no recorder: link it with -lcinstr, too, as "
			 "cinstr build does");
	} else if (check.found == BUILT) {
		put_name(text, program,
			 " was built with -fplugin=cinstr.so, but something kept the recorder from being "
			 "loaded (CINSTR=off, a set-user-ID program, a filter of system calls), or deleted "
			 "its files");
	} else {
		put_name(text, program,
			 " was not built with -fplugin=cinstr.so, and no program or library that it started "
			 "or opened has loaded the recorder: none was built with it, or a filter of system "
			 "calls or what is said above kept it from that");
	}
	free(check.first);
}
