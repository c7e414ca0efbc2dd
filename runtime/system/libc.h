/* SPDX-License-Identifier: MIT */
/*
 * libc.h - all that the runtime asks of the program's C library, and how it gets there.
 *
 * A program may define functions by the names of libc's: its own getenv, dlsym, pthread_key_create.
 * A call by name would lead to these, at times before the program has prepared them. So the runtime
 * imports nothing: it looks its few functions up in the C library itself.
 */
#ifndef CINSTR_LIBC_H
#define CINSTR_LIBC_H

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* What of the C library is used; NULL: it has no such function or variable. */
struct libc {
	int (*cxa_atexit)(void (*)(void *, int), void *data, void *dso);
	int (*register_atfork)(void (*)(void), void (*)(void), void (*)(void), void *dso);
	int (*pthread_atfork)(void (*)(void), void (*)(void), void (*)(void));
	int (*pthread_key_create)(unsigned *key, void (*)(void *));
	int (*pthread_setspecific)(unsigned key, const void *);
	/* a static glibc's, by its own names */
	int (*own_key_create)(unsigned *key, void (*)(void *));
	int (*own_setspecific)(unsigned key, const void *);
	int (*dl_iterate_phdr)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
	unsigned long (*getauxval)(unsigned long type);
	char ***environment;
	const ptrdiff_t *rseq_offset;
	const unsigned *rseq_size;
	const char *single_threaded;
	const ElfW(auxv_t) * *auxiliary; /* of a static glibc */
	int is_glibc;
};

/* In libcinstr.a only: the functions by name, for static programs (libc_static.c). */
extern const struct libc libc_static __attribute__((weak, visibility("hidden")));

/* Finds the C library: once, before anything else here. loaded: the dynamic loader's list of loaded
 * objects, or NULL; ehdr: of a module with probes. 0; -1: there is none that is known. No system
 * calls. */
int libc_find(const struct r_debug *loaded, const void *ehdr);

/* Returns what the kernel tells of this type (AT_RANDOM ...), or 0: it is not known. */
uint64_t libc_auxiliary(unsigned long type);
/* Does the program have rights that its user does not have? 1: it does, or this is not known. */
int libc_is_secure(void);
/* The value of a variable of the environment, or NULL. */
char *libc_variable(const char *name);
/* All variables, up to a NULL; or NULL. */
char **libc_environment(void);
/* The handler is called by exit(). Its second argument is the exit status with glibc alone
 * (libc_tells_status). */
void libc_at_exit(void (*handler)(void *data, int status));
int libc_tells_status(void);
void libc_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void));
/* A key whose destructor runs at the end of each thread that has set it. 0; -1: there is none that
 * can be set without allocating. */
int libc_thread_key(unsigned *key, void (*destructor)(void *));
void libc_thread_set(unsigned key, const void *data);
/* Calls `visit` for each loaded object until it returns something else than 0. The dynamic loader's
 * lock is held meanwhile: `visit` must wait for nobody. */
void libc_each_object(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data);
/* Is it the program itself? */
int libc_is_program(const struct dl_phdr_info *info);
/* The file of an object of another of the loader's name spaces (dlmopen), which is not among these;
 * NULL: not known. In its constructor: then the loader's lists do not change. */
const char *libc_unlisted_name(uint64_t base);
/* Where the C library keeps each thread's struct rseq, from the thread pointer; 0: nowhere. */
ptrdiff_t libc_rseq_offset(void);
/* 0: there may be other threads than this one. */
int libc_is_single_threaded(void);

#endif
