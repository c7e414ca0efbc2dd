/* SPDX-License-Identifier: MIT */
/*
 * libc.h - all functions of the program's C library that the runtime uses, and how it finds them.
 *
 * A program may define functions by the names of libc's: its own getenv, dlsym, pthread_key_create.
 * A call by name would lead to these, possibly before the program has prepared them. So the runtime
 * imports nothing: it looks up its few functions in the C library itself.
 */
#ifndef CINSTR_LIBC_H
#define CINSTR_LIBC_H

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* Functions and variables of the C library that are used; NULL: it has none of that name. */
struct libc {
	int (*cxa_atexit)(void (*)(void *, int), void *data, void *dso);
	int (*register_atfork)(void (*)(void), void (*)(void), void (*)(void), void *dso);
	int (*pthread_atfork)(void (*)(void), void (*)(void), void (*)(void));
	int (*pthread_key_create)(unsigned *key, void (*)(void *));
	int (*pthread_setspecific)(unsigned key, const void *);
	/* of a static glibc, by its internal names */
	int (*own_key_create)(unsigned *key, void (*)(void *));
	int (*own_setspecific)(unsigned key, const void *);
	int (*dl_iterate_phdr)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
	unsigned long (*getauxval)(unsigned long type);
	char ***environment;
	const ptrdiff_t *rseq_offset;
	const unsigned *rseq_size;
	const char *single_threaded;
	const ElfW(auxv_t) * *auxiliary; /* auxiliary vector of a static glibc */
	int is_glibc;
};

/* In libcinstr.a only: the functions by name, for static programs (libc_static.c). */
extern const struct libc libc_static __attribute__((weak, visibility("hidden")));

/* Finds the C library; call it once, before anything else here. loaded: the dynamic loader's list
 * of objects, or NULL; ehdr: of a module with probes. Returns 0, or -1: no known C library. No
 * system calls. */
int libc_find(const struct r_debug *loaded, const void *ehdr);

/* Returns the auxiliary vector's value of this type (AT_RANDOM ...), or 0: not known. */
uint64_t libc_auxiliary(unsigned long type);
/* Returns 1 if the program has rights that its user does not have, or if this is not known; else
 * 0. */
int libc_is_secure(void);
/* Returns the value of a variable of the environment, or NULL. */
char *libc_variable(const char *name);
/* Returns all variables, ended by NULL; or NULL. */
char **libc_environment(void);
/* Has exit() call the handler. The second argument is the exit status only with glibc
 * (libc_tells_status). */
void libc_at_exit(void (*handler)(void *data, int status));
int libc_tells_status(void);
void libc_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void));
/* Makes a key whose destructor runs at the end of each thread that has set it. Returns 0, or -1: no
 * key that can be set without allocating. */
int libc_thread_key(unsigned *key, void (*destructor)(void *));
void libc_thread_set(unsigned key, const void *data);
/* Calls `visit` for each loaded object until it returns non-zero. Holds the dynamic loader's lock
 * meanwhile: `visit` must not wait for anything. */
void libc_each_object(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data);
/* Returns 1 if the object is the program itself, else 0. */
int libc_is_program(const struct dl_phdr_info *info);
/* Returns the file of an object in another name space of the loader (dlmopen), which
 * libc_each_object() does not visit, or NULL: not known. Call it in the object's constructor, while
 * the loader's lists do not change. */
const char *libc_unlisted_name(uint64_t base);
/* Returns the offset of each thread's struct rseq from the thread pointer, or 0: the C library has
 * none. */
ptrdiff_t libc_rseq_offset(void);
/* Returns 1 if this is the only thread, 0 if there may be others. */
int libc_is_single_threaded(void);

#endif
