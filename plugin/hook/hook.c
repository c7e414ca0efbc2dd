/* SPDX-License-Identifier: MIT */
/*
 * The constructor and the destructor of each module (cinstr/abi.h), as the plugin writes them into
 * it: compiled when the plugin is built, and kept in it as assembler (Makefile).
 *
 * The constructor runs before the program's own initialisers, and may run in a program that has a
 * malloc, getenv or dlopen of its own, not ready yet. So nothing is called that a program can
 * define: only system calls, and functions of the C library by their addresses there. The runtime
 * is
 *   - linked in (libcinstr.a, -lcinstr): called at once;
 *   - loaded already: by the dynamic loader, or by the hook of a module that came with the program;
 *   - loaded by load.h, if some module that came with the program has this hook: there is room for
 *     the runtime's thread variables in such a module (its thread block is at one distance from the
 *     thread pointer in all threads);
 *   - loaded by the C library's dlopen: into a program without the hook, by a library that it has
 *     loaded while it ran.
 * errno and dlerror() are left as they were found.
 */
#include <asm/ioctls.h>
#include <errno.h>
#include <signal.h>
#include <sys/uio.h>

#include "cinstr/abi.h"

#include "load.h"

HOOK_LOCAL(const struct cinstr_abi_hook, hook_data, ".Lcinstr_hook_data");
HOOK_LOCAL(struct cinstr_abi_state, hook_state, ".Lcinstr_hook_state");
HOOK_LOCAL(const char, hook_paths[], ".Lcinstr_hook_paths");

extern const char __ehdr_start __attribute__((weak, visibility("hidden")));
extern struct r_debug _r_debug __attribute__((weak));	     /* glibc's */
extern struct r_debug *_dl_debug_addr __attribute__((weak)); /* musl's */
static cinstr_register_function hook_linked_register __attribute__((weakref("cinstr_register_v1")));
static cinstr_unregister_function hook_linked_unregister __attribute__((weakref("cinstr_unregister_v1")));

/* Loads the address of a weak variable into a register. A linker script may have no global offset
 * table: the linker makes a constant of an address that is loaded from it, but not of one that is
 * compared where it is, as compilers like to do; so it is volatile. */
#define HOOK_REGISTER(variable) \
	({ \
		__typeof__(variable) *volatile address = &(variable); \
		address; \
	})

void __cinstr_hook_v1(int argc, char **argv, char **environment) __attribute__((visibility("hidden")));
void __cinstr_unhook_v1(void) __attribute__((visibility("hidden")));

struct hook_search {
	struct hook_object runtime; /* loaded by the dynamic loader; dynamic NULL: it is not */
	/* of the module with room for thread variables; NULL: there is none */
	const struct cinstr_abi_hook *carrier;
	struct cinstr_abi_state *state; /* of that module */
	int64_t offset;			/* of that room, from the thread pointer */
	int n_objects;
};

/* ---- who is there ---------------------------------------------------------------------------- */

/* Returns where the hook's part is in an image of thread variables, or NULL. */
static const struct cinstr_abi_thread *cinstr_hook_thread_part(const char *image, uint64_t bytes)
{
	for (uint64_t at = 0; at + sizeof(struct cinstr_abi_thread) <= bytes; at += CINSTR_THREAD_ALIGN) {
		const struct cinstr_abi_thread *part = (const void *)(image + at);

		if (part->magic == CINSTR_THREAD_MAGIC && part->size == sizeof(*part))
			return part;
	}
	return NULL;
}

/* A library with this flag may be unloaded, with its thread variables: only the program may not. */
static int cinstr_hook_is_static_tls(const struct hook_object *object)
{
	for (const Elf64_Dyn *d = object->dynamic; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_FLAGS && d->d_un.d_val & DF_STATIC_TLS)
			return 1;
	return 0;
}

static void cinstr_hook_see_thread_part(const struct dl_phdr_info *info, const Elf64_Phdr *tls,
					const struct hook_object *object, struct hook_search *search)
{
	const char *image = (const char *)(info->dlpi_addr + tls->p_vaddr);
	const struct cinstr_abi_thread *part = cinstr_hook_thread_part(image, tls->p_filesz);
	const struct cinstr_abi_hook *hook;

	if (!part || !info->dlpi_tls_data || (search->n_objects > 1 && cinstr_hook_is_static_tls(object)))
		return;
	hook = (const void *)((const char *)&part->hook + part->hook);
	search->carrier = hook;
	search->state = (void *)((const char *)&hook->state + hook->state);
	search->offset = (char *)info->dlpi_tls_data + ((const char *)part->probe - image) -
			 (char *)__builtin_thread_pointer();
}

static int cinstr_hook_see(struct dl_phdr_info *info, size_t size, void *data)
{
	struct hook_search *search = data;
	struct hook_object object = { .base = info->dlpi_addr };
	const Elf64_Phdr *tls = NULL;

	search->n_objects++;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_DYNAMIC)
			object.dynamic = (const void *)(info->dlpi_addr + ph->p_vaddr);
		else if (ph->p_type == PT_TLS)
			tls = ph;
	}
	if (info->dlpi_name && hook_begins(hook_base_name(info->dlpi_name), "libcinstr.so"))
		search->runtime = object;
	else if (tls && !search->carrier &&
		 size >= offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof(void *))
		cinstr_hook_see_thread_part(info, tls, &object, search);
	return 0;
}

/* ---- may the runtime be loaded? -------------------------------------------------------------- */

/* Returns the value of a variable, or NULL. */
static const char *cinstr_hook_variable(char **environment, const char *name_equals)
{
	for (; environment && *environment; environment++)
		if (hook_begins(*environment, name_equals))
			return *environment + hook_length(name_equals);
	return NULL;
}

/* A set-user-ID program, or the like: the dynamic loader knows. */
static int cinstr_hook_is_secure(const struct hook_object *loader)
{
	const int *secure = cinstr_hook_symbol(loader, "__libc_enable_secure");

	return secure ? *secure
		      : hook_syscall(SYS_getuid, NULL, 0, 0, 0, 0, 0) !=
				hook_syscall(SYS_geteuid, NULL, 0, 0, 0, 0, 0);
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Writes "cinstr: not recorded: WHAT WHY" to stderr. No signal comes of it: nobody may read there
 * any more (SIGPIPE), or the program is in the background (SIGTTOU). */
static void cinstr_hook_say(const char *what, const char *why)
{
	const char *const parts[] = { "cinstr: not recorded: ", what, why, "\n" };
	uint64_t broken = 1ull << (SIGPIPE - 1), quiet = broken | 1ull << (SIGTTOU - 1);
	uint64_t before = 0, pending = 0, none[2] = { 0, 0 };
	struct iovec line[4];

	for (int i = 0; i < 4; i++)
		line[i] = (struct iovec){ (void *)parts[i], hook_length(parts[i]) };
	hook_syscall(SYS_rt_sigprocmask, (void *)SIG_BLOCK, (long)&quiet, (long)&before, 8, 0, 0);
	hook_syscall(SYS_rt_sigpending, &pending, 8, 0, 0, 0, 0);
	if (hook_syscall(SYS_writev, (void *)2, (long)line, 4, 0, 0, 0) == -EPIPE && !(pending & broken))
		hook_syscall(SYS_rt_sigtimedwait, &broken, 0, (long)none, 8, 0, 0);
	hook_syscall(SYS_rt_sigprocmask, (void *)SIG_SETMASK, (long)&before, 0, 8, 0, 0);
}

/* By our own loader. Returns 1: done. */
static int cinstr_hook_load_first(const struct r_debug *debug, const char *library_path,
				  struct hook_library *out)
{
	const char *libc = "";

	for (const struct link_map *map = debug->r_map; map; map = map->l_next)
		if (map->l_name && hook_begins(hook_base_name(map->l_name), "libc.so.6"))
			libc = map->l_name;
	for (const char *path = hook_paths; *path; path += hook_length(path) + 1)
		if (*path == '/' ? cinstr_hook_load(path, hook_length(path), out)
				 : cinstr_hook_search(path, library_path, libc, out))
			return 1;
	return 0;
}

static int cinstr_hook_is_file(const char *path)
{
	return !hook_syscall(SYS_faccessat, (void *)(long)AT_FDCWD, (long)path, 4, 0, 0, 0);
}

static void cinstr_hook_tell_why(const char *path, const char *why)
{
	if (*path == '/' && cinstr_hook_is_file(path) && why)
		cinstr_hook_say(why, "");
}

/* Says that there is no runtime, to a person who looks, or who has asked for all that is to be
 * said. Others are not disturbed: a program that was moved without the runtime is no error. Of a
 * session that others have begun `cinstr record` says it. */
static void cinstr_hook_say_missing(char **environment)
{
	const char *verbose = cinstr_hook_variable(environment, "CINSTR_VERBOSE=");
	char terminal[64];

	if (!verbose || !*verbose || hook_equal(verbose, "0"))
		if (cinstr_hook_variable(environment, "CINSTR_SESSION=") ||
		    hook_syscall(SYS_ioctl, (void *)2, TCGETS, (long)terminal, 0, 0, 0))
			return;
	cinstr_hook_say(hook_paths, cinstr_hook_is_file(hook_paths) ? " cannot be loaded" : " is not there");
}

/* By the C library. Returns 1: done. */
static int cinstr_hook_dlopen(const struct r_debug *debug, const struct hook_object *libc,
			      struct hook_object *out)
{
	struct hook_object libdl;
	void *(*open)(const char *, int) = (void *(*)(const char *, int))cinstr_hook_symbol(libc, "dlopen");
	char *(*error)(void) = (char *(*)(void))cinstr_hook_symbol(libc, "dlerror");
	int *(*errno_location)(void) = (int *(*)(void))cinstr_hook_symbol(libc, "__errno_location");
	const struct link_map *map = NULL;
	int kept = errno_location ? *errno_location() : 0;

	if (!open && cinstr_hook_object(debug, "libdl.so", &libdl)) {
		open = (void *(*)(const char *, int))cinstr_hook_symbol(&libdl, "dlopen");
		error = (char *(*)(void))cinstr_hook_symbol(&libdl, "dlerror");
	}
	for (const char *path = hook_paths; open && !map && *path; path += hook_length(path) + 1) {
		map = open(path, 2 /* RTLD_NOW */);
		if (!map && error)
			cinstr_hook_tell_why(path, error());
	}
	if (errno_location)
		*errno_location() = kept;
	if (!map)
		return 0;
	out->base = map->l_addr;
	out->dynamic = map->l_ld;
	return 1;
}

static const void *cinstr_hook_symbol_or(const struct hook_object *object, const char *name,
					 const void *other)
{
	const void *found = cinstr_hook_symbol(object, name);

	return found ? found : other;
}

static int cinstr_hook_take(const struct hook_object *runtime, struct cinstr_abi_state *state)
{
	state->add = (cinstr_register_function *)cinstr_hook_symbol(runtime, "cinstr_register_v1");
	state->remove = (cinstr_unregister_function *)cinstr_hook_symbol(runtime, "cinstr_unregister_v1");
	return state->add && state->remove;
}

/* Finds the runtime, or loads it. */
static void cinstr_hook_find(const struct r_debug *debug, char **environment, struct hook_library *library,
			     struct cinstr_abi_start *start, struct cinstr_abi_state *out)
{
	struct hook_search search = { .n_objects = 0 };
	struct hook_object libc, loader;
	int (*iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
	char **none = NULL;
	const char *wish;

	if (!cinstr_hook_loader(debug, &loader))
		return;
	if (!cinstr_hook_object(debug, "libc.so.6", &libc)) {
		libc = loader; /* musl, which gives constructors no arguments */
		environment = *(char ***)cinstr_hook_symbol_or(&libc, "__environ", &none);
	}
	wish = cinstr_hook_variable(environment, "CINSTR=");
	if ((wish && hook_equal(wish, "off")) || cinstr_hook_is_secure(&loader))
		return;
	*(void **)&iterate = cinstr_hook_symbol(&libc, "dl_iterate_phdr");
	if (!iterate)
		return;
	iterate(cinstr_hook_see, &search);
	if (search.runtime.dynamic && cinstr_hook_take(&search.runtime, out))
		return;
	start->offset = search.offset;
	start->carrier = search.carrier;
	if (search.carrier && search.state->add) {
		*out = *search.state;
	} else if (search.carrier &&
		   cinstr_hook_load_first(debug, cinstr_hook_variable(environment, "LD_LIBRARY_PATH="),
					  library) &&
		   cinstr_hook_take(&library->object, out)) {
		*search.state = *out;
		start->runtime = (const void *)library->object.base;
		start->path = library->path;
	} else if (search.carrier == &hook_data) { /* of several modules, this one says it */
		cinstr_hook_say_missing(environment);
	} else if (!search.carrier && cinstr_hook_dlopen(debug, &libc, &search.runtime)) {
		cinstr_hook_take(&search.runtime, out);
	} else if (!search.carrier && !cinstr_hook_is_file(hook_paths)) {
		cinstr_hook_say_missing(environment);
	}
}

/* Where the kernel has put the dynamic loader, 0: there is none. */
static uint64_t cinstr_hook_loader_base(void)
{
	long fd = hook_open("/proc/self/auxv");
	Elf64_auxv_t at;
	uint64_t base = 0;

	while (fd >= 0 && !base &&
	       hook_syscall(SYS_read, (void *)fd, (long)&at, sizeof(at), 0, 0, 0) == sizeof(at))
		if (at.a_type == AT_BASE)
			base = at.a_un.a_val;
	if (fd >= 0)
		hook_syscall(SYS_close, (void *)fd, 0, 0, 0, 0, 0);
	return base;
}

/* Returns the loader's list where the library needs no other one and is in a name space of its own
 * (dlmopen): its names are not looked up in the loader then. Returns NULL without a loader. */
static struct r_debug *cinstr_hook_debug_elsewhere(void)
{
	struct hook_object loader = { .base = cinstr_hook_loader_base() };
	const Elf64_Ehdr *header = (const void *)loader.base;
	const Elf64_Phdr *ph;

	if (!header)
		return NULL;
	ph = (const void *)(loader.base + header->e_phoff);
	for (int i = 0; i < header->e_phnum; i++)
		if (ph[i].p_type == PT_DYNAMIC)
			loader.dynamic = (const void *)(loader.base + ph[i].p_vaddr);
	return loader.dynamic ? (struct r_debug *)cinstr_hook_symbol(&loader, "_r_debug") : NULL;
}

/* Returns what the dynamic loader keeps for debuggers, or NULL: there is no loader. */
static struct r_debug *cinstr_hook_debug(void)
{
	struct r_debug *debug = HOOK_REGISTER(_r_debug), **of_musl = HOOK_REGISTER(_dl_debug_addr);

	if (!debug && of_musl)
		debug = *of_musl;
	if (!debug)
		debug = cinstr_hook_debug_elsewhere();
	return debug && debug->r_map ? debug : NULL;
}

/* ---- what the loader calls ------------------------------------------------------------------- */

void __cinstr_hook_v1(int argc, char **argv, char **environment)
{
	struct cinstr_abi_start start = { .bytes = sizeof(start) };
	struct hook_library library;
	const char *header = HOOK_REGISTER(__ehdr_start);
	struct cinstr_abi_state runtime = { .add = hook_linked_register, .remove = hook_linked_unregister };

	(void)argc;
	(void)argv;
	start.debug = !runtime.add || HOOK_REGISTER(_r_debug) || HOOK_REGISTER(_dl_debug_addr)
			      ? cinstr_hook_debug()
			      : NULL;
	if (!runtime.add && start.debug)
		cinstr_hook_find(start.debug, environment, &library, &start, &runtime);
	/* The headers are in no segment: ld -N. */
	if (!runtime.add || !header)
		return;
	hook_state = runtime;
	runtime.add(header, &hook_data, (const void *)__cinstr_hook_v1, &start);
}

void __cinstr_unhook_v1(void)
{
	if (hook_state.remove)
		hook_state.remove(&__ehdr_start);
}
