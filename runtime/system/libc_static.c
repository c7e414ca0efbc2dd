/* SPDX-License-Identifier: MIT */
/*
 * libc_static.c - the functions of libc.h by name, only in libcinstr.a: a static program has no
 * list of loaded objects to look them up in. Names that begin with "__" are preferred, as programs
 * do not define these. What is weak here is missing in musl or in glibc; where pthread_atfork or
 * pthread_setspecific come from glibc, they bring the weak one with them.
 */
#include "runtime.h"

extern int __cxa_atexit(void (*)(void *, int), void *, void *);
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *) __attribute__((weak));
extern int pthread_atfork(void (*)(void), void (*)(void), void (*)(void));
extern int __pthread_key_create(unsigned *, void (*)(void *)) __attribute__((weak));
extern int pthread_key_create(unsigned *, void (*)(void *));
extern int __pthread_setspecific(unsigned, const void *) __attribute__((weak));
extern int pthread_setspecific(unsigned, const void *);
extern char **__environ;
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));
extern const char __libc_single_threaded __attribute__((weak));
extern const ElfW(auxv_t) * _dl_auxv __attribute__((weak));

const struct libc libc_static = {
	.cxa_atexit = __cxa_atexit,
	.register_atfork = __register_atfork,
	.pthread_atfork = pthread_atfork,
	.pthread_key_create = pthread_key_create,
	.own_key_create = __pthread_key_create,
	.pthread_setspecific = pthread_setspecific,
	.own_setspecific = __pthread_setspecific,
	.environment = &__environ,
	.rseq_offset = &__rseq_offset,
	.rseq_size = &__rseq_size,
	.single_threaded = &__libc_single_threaded,
	.auxiliary = &_dl_auxv,
};
