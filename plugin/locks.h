/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Library functions that take a lock that is free most times, sorted by strcmp(): the word that
 * their first argument points to tells whether it is free (enum cinstr_abi_lock). Functions that
 * mostly wait: cinstr/waits.h.
 */
#ifndef CINSTR_PLUGIN_LOCKS_H
#define CINSTR_PLUGIN_LOCKS_H

#include "cinstr/abi.h"

static const struct lock_name {
	const char *name;
	enum cinstr_abi_lock lock;
} lock_names[] = {
	{ "GOMP_critical_name_start", CINSTR_LOCK_WORD },
	{ "g_mutex_lock", CINSTR_LOCK_WORD },
	{ "mtx_lock", CINSTR_LOCK_MUTEX },
	{ "omp_set_lock", CINSTR_LOCK_WORD },
	{ "pthread_mutex_lock", CINSTR_LOCK_MUTEX },
	{ "pthread_rwlock_rdlock", CINSTR_LOCK_READ },
	{ "pthread_rwlock_wrlock", CINSTR_LOCK_WRITE },
	{ "sem_wait", CINSTR_LOCK_SEMAPHORE },
	{ "uv_mutex_lock", CINSTR_LOCK_MUTEX },
	{ "uv_rwlock_rdlock", CINSTR_LOCK_READ },
	{ "uv_rwlock_wrlock", CINSTR_LOCK_WRITE },
};

#endif
