/* SPDX-License-Identifier: MIT */
/*
 * libc.c - see libc.h. libc_find() runs in the first module's constructor. The objects it looks at
 * were loaded with the program, and are never unloaded; other threads may load further ones
 * meanwhile, whose entries come after all of these in the loader's list.
 */
#include <sys/auxv.h>

#include "runtime.h"

/* glibc keeps these in the thread itself, musl 128: setting one allocates nothing. */
#define FIRST_LEVEL_KEYS 32
#define STACK_MAX (64ull << 20)
#define AUXILIARY_MAX 64

static struct libc libc;
static const struct r_debug *list; /* of loaded objects; NULL: a static program */
static const void *program;	   /* the program's ELF header; NULL: it has a dynamic loader */

#define AT(name, field) \
	{ \
		name, offsetof(struct libc, field) \
	}
struct wanted {
	const char *name;
	size_t field;
};

static const struct wanted functions[] = {
	AT("__cxa_atexit", cxa_atexit),
	AT("__register_atfork", register_atfork),
	AT("pthread_atfork", pthread_atfork),
	AT("pthread_key_create", pthread_key_create),
	AT("pthread_setspecific", pthread_setspecific),
	AT("dl_iterate_phdr", dl_iterate_phdr),
	AT("getauxval", getauxval),
};

/* A program that is linked to a fixed address may have a copy of these, which then is in use. */
static const struct wanted variables[] = {
	AT("__environ", environment),
	AT("__rseq_offset", rseq_offset),
	AT("__rseq_size", rseq_size),
	AT("__libc_single_threaded", single_threaded),
};

#define N_FUNCTIONS (sizeof(functions) / sizeof(*functions))
#define N_VARIABLES (sizeof(variables) / sizeof(*variables))

/* ---- the search ------------------------------------------------------------------------------ */

/* Takes those of the wanted that have not been found in an object before. */
static void take(const struct dynamic *object, const struct wanted *wanted, size_t n)
{
	for (; n > 0; n--, wanted++) {
		uint64_t *field = (uint64_t *)(void *)((char *)&libc + wanted->field);

		if (!*field)
			*field = dynamic_find(object, wanted->name, dynamic_hash(wanted->name));
	}
}

/* musl is its own loader, and at times has no soname. */
static int is_musl(const struct dynamic *object, const struct r_debug *loaded)
{
	return object->base == loaded->r_ldbase &&
	       dynamic_find(object, "__libc_start_main", dynamic_hash("__libc_start_main"));
}

static int is_complete(void)
{
	return libc.cxa_atexit && libc.pthread_key_create && libc.pthread_setspecific;
}

/* No further than needed: behind the objects that were loaded with the program there may be some
 * that another thread unloads. */
static void search(const struct r_debug *loaded)
{
	int has_loader = 0;

	for (const struct link_map *map = loaded->r_map; map; map = map->l_next) {
		struct dynamic object;
		int is_glibc;

		if (dynamic_read(&object, map->l_ld, map->l_addr))
			continue;
		is_glibc = string_equal(object.soname, "libc.so.6");
		libc.is_glibc |= is_glibc;
		/* until glibc 2.33 */
		if (is_glibc || string_equal(object.soname, "libpthread.so.0") || is_musl(&object, loaded))
			take(&object, functions, N_FUNCTIONS);
		take(&object, variables, N_VARIABLES);
		has_loader |= map->l_addr == loaded->r_ldbase;
		if (has_loader && is_complete())
			break;
	}
}

/* The loader's list of loaded objects, as a program's own dynamic section has it. */
static const struct r_debug *loaded_by(const void *ehdr_address)
{
	const ElfW(Ehdr) *ehdr = ehdr_address;
	const ElfW(Phdr) *ph = (const void *)((const char *)ehdr + ehdr->e_phoff);
	uint64_t base = load_base(ehdr);
	struct dynamic dynamic = { .debug = NULL };

	dynamic_read(&dynamic, dynamic_section(ph, ehdr->e_phnum, base), base);
	return dynamic.debug;
}

static void take_static(const void *ehdr)
{
	libc = libc_static;
	program = ehdr;
	libc.is_glibc = libc.auxiliary != NULL;
	if (!libc.is_glibc)
		return;
	/* If these are not there, the other names are functions of the program's. */
	libc.pthread_key_create = libc.own_key_create;
	libc.pthread_setspecific = libc.own_setspecific;
	libc.pthread_atfork = NULL;
}

int libc_find(const struct r_debug *loaded, const void *ehdr)
{
	if (!loaded)
		loaded = loaded_by(ehdr);
	if (loaded)
		search(loaded); /* a static program's list is empty */
	if (libc.cxa_atexit)
		list = loaded;
	else if (&libc_static)
		take_static(ehdr);
	return libc.cxa_atexit && libc.environment ? 0 : -1;
}

/* ---- the process ----------------------------------------------------------------------------- */

/*
 * A static program's auxiliary vector. musl does not tell where it is: behind the environment, as
 * long as that is the kernel's, on the stack.
 */
static const ElfW(auxv_t) * auxiliary_vector(void)
{
	char **entry = *libc.environment;
	const ElfW(auxv_t) * at;

	if (libc.auxiliary)
		return *libc.auxiliary;
	if (!entry || (uint64_t)entry - (uint64_t)__builtin_frame_address(0) > STACK_MAX)
		return NULL;
	while (*entry)
		entry++;
	while (!*entry) /* unsetenv() leaves several */
		entry++;
	at = (const void *)entry;
	for (int i = 0; i < AUXILIARY_MAX && at[i].a_type != AT_NULL; i++)
		if (at[i].a_type == AT_PAGESZ && at[i].a_un.a_val == CINSTR_PAGE)
			return at;
	return NULL;
}

static int ask_static(uint64_t type, uint64_t *value)
{
	const ElfW(auxv_t) *at = auxiliary_vector();

	for (; at && at->a_type != AT_NULL; at++)
		if (at->a_type == type) {
			*value = at->a_un.a_val;
			return 1;
		}
	return 0;
}

uint64_t libc_auxiliary(unsigned long type)
{
	uint64_t value = 0;

	if (libc.getauxval)
		return libc.getauxval(type);
	ask_static(type, &value);
	return value;
}

int libc_is_secure(void)
{
	uint64_t secure = 1;

	if (libc.getauxval) /* every Linux tells this one: errno stays */
		return libc.getauxval(AT_SECURE) != 0;
	return !ask_static(AT_SECURE, &secure) || secure;
}

char **libc_environment(void)
{
	return *libc.environment;
}

char *libc_variable(const char *name)
{
	size_t length = string_length(name);

	for (char **entry = libc_environment(); entry && *entry; entry++) {
		size_t i = 0;

		while (i < length && (*entry)[i] == name[i])
			i++;
		if (i == length && (*entry)[i] == '=')
			return *entry + length + 1;
	}
	return NULL;
}

void libc_at_exit(void (*handler)(void *data, int status))
{
	libc.cxa_atexit(handler, NULL, NULL);
}

int libc_tells_status(void)
{
	return libc.is_glibc;
}

void libc_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
	if (libc.register_atfork)
		libc.register_atfork(before, parent, child, NULL);
	else if (libc.pthread_atfork && !libc.is_glibc)
		libc.pthread_atfork(before, parent, child);
}

/* ---- threads --------------------------------------------------------------------------------- */

int libc_thread_key(unsigned *key, void (*destructor)(void *))
{
	if (!libc.pthread_key_create || !libc.pthread_setspecific)
		return -1;
	return libc.pthread_key_create(key, destructor) || *key >= FIRST_LEVEL_KEYS ? -1 : 0;
}

void libc_thread_set(unsigned key, const void *data)
{
	libc.pthread_setspecific(key, data);
}

ptrdiff_t libc_rseq_offset(void)
{
#ifdef CINSTR_VIRTUAL
	return virtual_rseq_offset();
#endif
	return libc.rseq_size && libc.rseq_offset && *libc.rseq_size ? *libc.rseq_offset : 0;
}

int libc_is_single_threaded(void)
{
	return libc.single_threaded && *libc.single_threaded;
}

/* ---- loaded objects -------------------------------------------------------------------------- */

static int visit_image(const void *ehdr_address, const char *name,
		       int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
{
	const ElfW(Ehdr) *ehdr = ehdr_address;
	struct dl_phdr_info info = { .dlpi_addr = load_base(ehdr),
				     .dlpi_name = name,
				     .dlpi_phdr = (const void *)((const char *)ehdr + ehdr->e_phoff),
				     .dlpi_phnum = ehdr->e_phnum };

	return visit(&info, sizeof(info), data);
}

void libc_each_object(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
{
	uint64_t vdso;

	if (libc.dl_iterate_phdr)
		libc.dl_iterate_phdr(visit, data);
	else if (program && !visit_image(program, "", visit, data) && ask_static(AT_SYSINFO_EHDR, &vdso))
		visit_image((const void *)vdso, "linux-vdso.so.1", visit, data);
}

/* The first in the loader's list. musl names it by the argument that it was started with. */
int libc_is_program(const struct dl_phdr_info *info)
{
	return list ? info->dlpi_addr == list->r_map->l_addr : !*info->dlpi_name;
}

/* The lists of further name spaces hang together since glibc 2.35. */
struct extended {
	struct r_debug first;
	const struct extended *next;
};

const char *libc_unlisted_name(uint64_t base)
{
	const struct extended *space = (const void *)list;

	if (!list || list->r_version < 2 || !libc.is_glibc)
		return NULL;
	while ((space = space->next))
		for (const struct link_map *map = space->first.r_map; map; map = map->l_next)
			if (map->l_addr == base)
				return map->l_name;
	return NULL;
}
