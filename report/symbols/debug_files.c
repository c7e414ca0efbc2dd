/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * debug_files.c - see debug_files.h. The libraries for debuginfod and xz are opened when they are
 * needed, so that cinstr runs without them.
 */
#include "debug_files.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/util.h"

#define SYSTEM_FOLDER "/usr/lib/debug"
#define UNPACKED_MAX (256u << 20)
#define MEMORY_MAX (256ull << 20) /* for xz */
/* a server that takes longer to have nothing is not asked again */
#define SLOW_SECONDS 10

static const char *own_folders;

void debug_files_configure(const char *folders)
{
	own_folders = folders;
}

int debug_files_are_chosen(void)
{
	return own_folders != NULL;
}

/* What is looked for. */
struct wish {
	const struct elf *module;
	const char *module_path;
	const uint8_t *build_id;
	size_t n;
	struct elf *debug;
	const char *link; /* name in .gnu_debuglink; NULL: none */
	uint32_t checksum;
};

/* ---- files ----------------------------------------------------------------------------------- */

/* Takes the file if its build-id is the module's. */
static int take(const struct wish *wish, const char *path)
{
	if (elf_open(wish->debug, path))
		return -1;
	if (wish->n && elf_build_id_is(wish->debug, wish->build_id, wish->n))
		return 0;
	elf_close(wish->debug);
	return -1;
}

/* As all that writes .gnu_debuglink computes it. */
static uint32_t checksum(const char *bytes, size_t n)
{
	static uint32_t table[256];
	uint32_t sum = 0xffffffffu;

	if (!table[1])
		for (uint32_t i = 0; i < 256; i++) {
			table[i] = i;
			for (int bit = 0; bit < 8; bit++)
				table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
		}
	for (size_t i = 0; i < n; i++)
		sum = sum >> 8 ^ table[(sum ^ (unsigned char)bytes[i]) & 255];
	return ~sum;
}

/* Takes the file if its checksum is the one that the module tells, and its build-id is no other. */
static int take_linked(const struct wish *wish, const char *path)
{
	if (elf_open(wish->debug, path))
		return -1;
	if (elf_build_id_is(wish->debug, wish->build_id, wish->n) &&
	    checksum(wish->debug->bytes, wish->debug->n_bytes) == wish->checksum)
		return 0;
	elf_close(wish->debug);
	return -1;
}

static int take_printf(const struct wish *wish, int (*how)(const struct wish *wish, const char *path),
		       const char *format, ...) PRINTF_LIKE(3, 4);

static int take_printf(const struct wish *wish, int (*how)(const struct wish *wish, const char *path),
		       const char *format, ...)
{
	STRBUF(path);
	va_list args;

	va_start(args, format);
	strbuf_vprintf(&path, format, args);
	va_end(args);
	return how(wish, path.text);
}

/* ---- folders --------------------------------------------------------------------------------- */

static int by_build_id(const struct wish *wish, const char *folder, int length)
{
	STRBUF(rest);
	int status;

	if (wish->n < 2)
		return -1;
	for (size_t i = 1; i < wish->n; i++)
		strbuf_printf(&rest, "%02x", wish->build_id[i]);
	status = take_printf(wish, take, "%.*s/.build-id/%02x/%s.debug", length, folder, wish->build_id[0],
			     rest.text);
	if (status && !wish->module->bytes) /* the module itself */
		status = take_printf(wish, take, "%.*s/.build-id/%02x/%s", length, folder, wish->build_id[0],
				     rest.text);
	return status;
}

static int module_folder_length(const struct wish *wish)
{
	return (int)(util_basename(wish->module_path) - wish->module_path);
}

/* Below a folder that holds debug files as the system's are laid out. */
static int in_tree(const struct wish *wish, const char *folder, int length)
{
	if (!by_build_id(wish, folder, length))
		return 0;
	return wish->link ? take_printf(wish, take_linked, "%.*s/%.*s%s", length, folder,
					module_folder_length(wish), wish->module_path, wish->link)
			  : -1;
}

/* In a folder of the user's; files may simply lie there, too, also unstripped ones. */
static int in_own(const struct wish *wish, const char *folder, int length)
{
	const char *base = util_basename(wish->module_path);

	if (!in_tree(wish, folder, length))
		return 0;
	if (wish->link && !take_printf(wish, take_linked, "%.*s/%s", length, folder, wish->link))
		return 0;
	return take_printf(wish, take, "%.*s/%s.debug", length, folder, base) &&
			       take_printf(wish, take, "%.*s/%s", length, folder, base)
		       ? -1
		       : 0;
}

static int beside_module(const struct wish *wish)
{
	int n = module_folder_length(wish);

	if (!wish->link)
		return -1;
	return take_printf(wish, take_linked, "%.*s%s", n, wish->module_path, wish->link) &&
			       take_printf(wish, take_linked, "%.*s.debug/%s", n, wish->module_path,
					   wish->link)
		       ? -1
		       : 0;
}

static int in_folders(const struct wish *wish)
{
	size_t n;

	for (const char *folder = own_folders; folder && *folder; folder += n + (folder[n] == ',')) {
		n = strcspn(folder, ",");
		if (n && !in_own(wish, folder, (int)n))
			return 0;
	}
	if (!in_tree(wish, SYSTEM_FOLDER, (int)strlen(SYSTEM_FOLDER)))
		return 0;
	return beside_module(wish);
}

/* ---- debuginfod ------------------------------------------------------------------------------ */

struct client; /* libdebuginfod's */

struct server {
	int state; /* 0 not tried, 1 there, -1 none, or not to be asked any more */
	struct client *client;
	void (*end)(struct client *client);
	int (*find)(struct client *client, const unsigned char *build_id, int n, char **path);
	const char *module; /* that is asked for */
	time_t begin;
	int has_said;
};

static struct server server;

/* Says on a terminal what takes so long. Nobody waits longer than libdebuginfod does:
 * DEBUGINFOD_TIMEOUT. */
static int on_progress(struct client *client, long done, long all)
{
	(void)client;
	if (!isatty(STDERR_FILENO) || time(NULL) - server.begin < 1)
		return 0;
	if (done > 0 && all > 0)
		fprintf(stderr, "\r\033[Kcinstr: debuginfod: %s, %ld of %ld kB", server.module, done >> 10,
			all >> 10);
	else
		fprintf(stderr, "\r\033[Kcinstr: debuginfod: %s", server.module);
	server.has_said = 1;
	return 0;
}

static void server_find(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct client *(*begin)(void);
	void (*progress)(struct client * client, int (*f)(struct client * client, long a, long b));
	void *library;

	server.state = -1;
	library = urls && *urls ? dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!library)
		return;
	*(void **)&begin = dlsym(library, "debuginfod_begin");
	*(void **)&server.end = dlsym(library, "debuginfod_end");
	*(void **)&server.find = dlsym(library, "debuginfod_find_debuginfo");
	*(void **)&progress = dlsym(library, "debuginfod_set_progressfn");
	if (!begin || !server.end || !server.find || !progress)
		return;
	server.client = begin();
	if (!server.client)
		return;
	progress(server.client, on_progress);
	server.state = 1;
}

static int from_server(const struct wish *wish)
{
	char *path = NULL, *shown;
	int fd, status;

	if (!server.state)
		server_find();
	if (server.state < 0 || wish->n < 2)
		return -1;
	shown = util_visible(util_basename(wish->module_path));
	server.module = shown;
	server.begin = time(NULL);
	fd = server.find(server.client, wish->build_id, (int)wish->n, &path);
	if (server.has_said)
		fputs("\r\033[K", stderr);
	server.has_said = 0;
	if (fd < 0 && time(NULL) - server.begin >= SLOW_SECONDS) {
		warning("%s: no debuginfod server has answered; none is asked again", shown);
		server.state = -1;
	}
	free(shown);
	if (fd < 0)
		return -1;
	close(fd);
	status = path ? take(wish, path) : -1;
	free(path);
	return status;
}

/* ---- one module ------------------------------------------------------------------------------ */

static void link_read(struct wish *wish)
{
	const Elf64_Shdr *s = elf_section_named(wish->module, ".gnu_debuglink");
	const char *name = s ? wish->module->bytes + s->sh_offset : NULL;
	size_t n = name ? strnlen(name, s->sh_size) : 0;
	uint64_t at = (n + 4) & ~3ull; /* the checksum is aligned, behind the NUL */

	if (!n || at + 4 > s->sh_size || memchr(name, '/', n))
		return;
	memcpy(&wish->checksum, name + at, 4);
	wish->link = name;
}

int debug_file_open(struct elf *debug, const struct elf *module, const char *module_path,
		    const uint8_t *build_id, size_t build_id_bytes)
{
	struct wish wish = { .module = module,
			     .module_path = module_path,
			     .build_id = build_id,
			     .n = build_id_bytes,
			     .debug = debug };

	if (module->bytes)
		link_read(&wish);
	if (!in_folders(&wish))
		return 0;
	if (elf_section_of_type(module, SHT_SYMTAB))
		/* names are known already: lines alone are not worth asking the network */
		return -1;
	return from_server(&wish);
}

/* ---- what debug files share ------------------------------------------------------------------ */

/* Where a relative path may begin: at the file that refers to it, with all links followed. */
static int shared_beside(const struct wish *wish, const struct elf *debug, const char *name)
{
	char *real = name[0] != '/' && debug->path ? realpath(debug->path, NULL) : NULL;
	int status;

	status = take_printf(wish, take, "%.*s%s", real ? (int)(util_basename(real) - real) : 0,
			     real ? real : "", name);
	free(real);
	return status;
}

static int shared_in_folders(const struct wish *wish)
{
	size_t n;

	for (const char *folder = own_folders; folder && *folder; folder += n + (folder[n] == ',')) {
		n = strcspn(folder, ",");
		if (n && !by_build_id(wish, folder, (int)n))
			return 0;
	}
	return by_build_id(wish, SYSTEM_FOLDER, (int)strlen(SYSTEM_FOLDER));
}

char *debug_file_shared(const struct elf *debug)
{
	const Elf64_Shdr *s = elf_section_named(debug, ".gnu_debugaltlink");
	const char *name = s ? debug->bytes + s->sh_offset : NULL;
	size_t n = name ? strnlen(name, s->sh_size) : 0;
	struct elf nothing = { 0 }, found = { 0 };
	struct wish wish = { .module = &nothing, .module_path = "", .debug = &found };
	char *path;

	if (!n || n + 1 >= s->sh_size)
		return NULL;
	wish.build_id = (const uint8_t *)name + n + 1;
	wish.n = s->sh_size - n - 1;
	if (shared_beside(&wish, debug, name) && shared_in_folders(&wish))
		return NULL;
	path = xstrdup(found.path);
	elf_close(&found);
	return path;
}

/* ---- .gnu_debugdata -------------------------------------------------------------------------- */

/* lzma_stream_buffer_decode() of liblzma. */
typedef int (*decoder)(uint64_t *memory_limit, uint32_t flags, const void *allocator, const uint8_t *in,
		       size_t *in_at, size_t in_bytes, uint8_t *out, size_t *out_at, size_t out_bytes);
enum { LZMA_DONE = 0, LZMA_NO_ROOM = 10 };

static decoder decoder_find(void)
{
	static decoder found;
	static int is_tried;
	void *library;

	if (is_tried)
		return found;
	is_tried = 1;
	library = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
	if (library)
		*(void **)&found = dlsym(library, "lzma_stream_buffer_decode");
	return found;
}

int debug_file_unpack(struct elf *symbols, const struct elf *module)
{
	const Elf64_Shdr *s = elf_section_named(module, ".gnu_debugdata");
	decoder decode = s ? decoder_find() : NULL;

	for (size_t size = s ? s->sh_size * 8 + 4096 : 0; decode && size <= UNPACKED_MAX; size *= 4) {
		uint64_t memory = MEMORY_MAX;
		size_t in_at = 0, out_at = 0;
		char *out = xcalloc(size, 1);
		int status = decode(&memory, 0, NULL, (const uint8_t *)module->bytes + s->sh_offset, &in_at,
				    s->sh_size, (uint8_t *)out, &out_at, size);

		if (status == LZMA_DONE)
			return elf_open_bytes(symbols, out, out_at);
		free(out);
		if (status != LZMA_NO_ROOM)
			return -1;
	}
	return -1;
}
