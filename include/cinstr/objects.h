/* SPDX-License-Identifier: MIT */
/*
 * cinstr/objects.h - library functions that wait for an object (a mutex, a condition variable, a
 * semaphore ...), and those that release or signal one; sorted by strcmp(). Probes at their calls
 * note the object, so that each wait has its object and the call that ended it
 * (runtime/process/waits.c). The first argument points to the object, if nothing else is said.
 */
#ifndef CINSTR_OBJECTS_H
#define CINSTR_OBJECTS_H

#include "names.h"

/* Effect of a call on its object. */
enum cinstr_object_use {
	CINSTR_OBJECT_NONE,
	CINSTR_OBJECT_TAKES,	   /* waits until another thread releases the object */
	CINSTR_OBJECT_TAKES_MUTEX, /* waits for a pthread_mutex_t, which records its holder */
	/* waits for a pthread_rwlock_t, which records its writer, or how many readers it has */
	CINSTR_OBJECT_TAKES_RWLOCK,
	CINSTR_OBJECT_TAKES_AT, /* as TAKES; the first argument points to the object's address */
	/* waits for others at the same object; the last one to come ends all waits */
	CINSTR_OBJECT_MEETS,
	/* waits for a signal and releases the mutex of its second argument meanwhile */
	CINSTR_OBJECT_TAKES_SIGNAL,
	/* as TAKES_SIGNAL; the second argument points to the mutex's address (std::unique_lock) */
	CINSTR_OBJECT_TAKES_SIGNAL_LOCK,
	/* syscall(): if its first argument is that of futex(), waits for the word that its second
	 * argument points to, or wakes who does; other calls have no object */
	CINSTR_OBJECT_FUTEX_CALL,
	CINSTR_OBJECT_GIVES, /* releases the object, or signals it */
	/* releases a lock whose 32-bit word is 1 if nobody waits for it */
	CINSTR_OBJECT_GIVES_WORD,
	/* releases a pthread_rwlock_t: a reader whom no writer waits for ends no wait */
	CINSTR_OBJECT_GIVES_RWLOCK,
	CINSTR_OBJECT_USES
};

enum cinstr_object_kind {
	CINSTR_OBJECT_LOCK,
	CINSTR_OBJECT_MUTEX,
	CINSTR_OBJECT_RWLOCK,
	CINSTR_OBJECT_SEMAPHORE,
	CINSTR_OBJECT_CONDITION,
	CINSTR_OBJECT_BARRIER,
	CINSTR_OBJECT_THREAD,
	CINSTR_OBJECT_FUTURE, /* state that std::future and std::promise share */
	CINSTR_OBJECT_FUTEX,  /* a word in memory: of std::atomic, or of a program's own lock */
	CINSTR_OBJECT_PIPE,   /* one end of it waits for the other (cinstr/amounts.h) */
	CINSTR_OBJECT_SOCKET, /* likewise, of a pair of sockets, or of a connection */
	CINSTR_OBJECT_EVENT,  /* descriptor of eventfd(), which is both ends */
	CINSTR_OBJECT_KINDS
};

struct cinstr_object_call {
	const char *name;
	enum cinstr_object_use use;
	enum cinstr_object_kind kind;
};

/* clang-format off */
static const struct cinstr_object_call cinstr_object_calls[] = {
	{ "GOMP_critical_name_end", CINSTR_OBJECT_GIVES_WORD, CINSTR_OBJECT_LOCK },
	{ "GOMP_critical_name_start", CINSTR_OBJECT_TAKES, CINSTR_OBJECT_LOCK },
	{ "_ZNSt18condition_variable10notify_allEv", CINSTR_OBJECT_GIVES, CINSTR_OBJECT_CONDITION },
	{ "_ZNSt18condition_variable10notify_oneEv", CINSTR_OBJECT_GIVES, CINSTR_OBJECT_CONDITION },
	{ "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", CINSTR_OBJECT_TAKES_SIGNAL_LOCK,
	  CINSTR_OBJECT_CONDITION },
	{ "_ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj", CINSTR_OBJECT_GIVES,
	  CINSTR_OBJECT_FUTURE },
	{ "_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1E"
	  "Ll1EEEENS2_IlS3_ILl1ELl1000000000EEEE", CINSTR_OBJECT_TAKES, CINSTR_OBJECT_FUTURE },
	{ "_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5rat"
	  "ioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE", CINSTR_OBJECT_TAKES, CINSTR_OBJECT_FUTURE },
	{ "_ZNSt6thread4joinEv", CINSTR_OBJECT_TAKES_AT, CINSTR_OBJECT_THREAD },
	{ "cnd_broadcast", CINSTR_OBJECT_GIVES, CINSTR_OBJECT_CONDITION },
	{ "cnd_signal", CINSTR_OBJECT_GIVES, CINSTR_OBJECT_CONDITION },
	{ "cnd_timedwait", CINSTR_OBJECT_TAKES_SIGNAL, CINSTR_OBJECT_CONDITION },
	{ "cnd_wait", CINSTR_OBJECT_TAKES_SIGNAL, CINSTR_OBJECT_CONDITION },
	{ "g_cond_broadcast", CINSTR_OBJECT_GIVES, CINSTR_OBJECT_CONDITION },
	{ "g_cond_signal", CINSTR_OBJECT_GIVES, CINSTR_OBJECT_CONDITION },
	{ "g_cond_wait", CINSTR_OBJECT_TAKES_SIGNAL, CINSTR_OBJECT_CONDITION },
	{ "g_cond_wait_until", CINSTR_OBJECT_TAKES_SIGNAL, CINSTR_OBJECT_CONDITION },
	{ "g_mutex_lock", CINSTR_OBJECT_TAKES, CINSTR_OBJECT_MUTEX },
	{ "g_mutex_unlock", CINSTR_OBJECT_GIVES_WORD, CINSTR_OBJECT_MUTEX },
	{ "mtx_lock", CINSTR_OBJECT_TAKES_MUTEX, CINSTR_OBJECT_MUTEX },
	{ "mtx_timedlock", CINSTR_OBJECT_TAKES_MUTEX, CINSTR_OBJECT_MUTEX },
	{ "mtx_unlock", CINSTR_OBJECT_GIVES_WORD, CINSTR_OBJECT_MUTEX },
	{ "omp_set_lock", CINSTR_OBJECT_TAKES, CINSTR_OBJECT_LOCK },
	{ "omp_unset_lock", CINSTR_OBJECT_GIVES_WORD, CINSTR_OBJECT_LOCK },
	{ "pthread_barrier_wait", CINSTR_OBJECT_MEETS, CINSTR_OBJECT_BARRIER },
	{ "pthread_clockjoin_np", CINSTR_OBJECT_TAKES, CINSTR_OBJECT_THREAD },
	{ "pthread_cond_broadcast", CINSTR_OBJECT_GIVES, CINSTR_OBJECT_CONDITION },
	{ "pthread_cond_clockwait", CINSTR_OBJECT_TAKES_SIGNAL, CINSTR_OBJECT_CONDITION },
	{ "pthread_cond_signal", CINSTR_OBJECT_GIVES, CINSTR_OBJECT_CONDITION },
	{ "pthread_cond_timedwait", CINSTR_OBJECT_TAKES_SIGNAL, CINSTR_OBJECT_CONDITION },
	{ "pthread_cond_wait", CINSTR_OBJECT_TAKES_SIGNAL, CINSTR_OBJECT_CONDITION },
	{ "pthread_join", CINSTR_OBJECT_TAKES, CINSTR_OBJECT_THREAD },
	{ "pthread_mutex_clocklock", CINSTR_OBJECT_TAKES_MUTEX, CINSTR_OBJECT_MUTEX },
	{ "pthread_mutex_lock", CINSTR_OBJECT_TAKES_MUTEX, CINSTR_OBJECT_MUTEX },
	{ "pthread_mutex_timedlock", CINSTR_OBJECT_TAKES_MUTEX, CINSTR_OBJECT_MUTEX },
	{ "pthread_mutex_unlock", CINSTR_OBJECT_GIVES_WORD, CINSTR_OBJECT_MUTEX },
	{ "pthread_rwlock_clockrdlock", CINSTR_OBJECT_TAKES_RWLOCK, CINSTR_OBJECT_RWLOCK },
	{ "pthread_rwlock_clockwrlock", CINSTR_OBJECT_TAKES_RWLOCK, CINSTR_OBJECT_RWLOCK },
	{ "pthread_rwlock_rdlock", CINSTR_OBJECT_TAKES_RWLOCK, CINSTR_OBJECT_RWLOCK },
	{ "pthread_rwlock_timedrdlock", CINSTR_OBJECT_TAKES_RWLOCK, CINSTR_OBJECT_RWLOCK },
	{ "pthread_rwlock_timedwrlock", CINSTR_OBJECT_TAKES_RWLOCK, CINSTR_OBJECT_RWLOCK },
	{ "pthread_rwlock_unlock", CINSTR_OBJECT_GIVES_RWLOCK, CINSTR_OBJECT_RWLOCK },
	{ "pthread_rwlock_wrlock", CINSTR_OBJECT_TAKES_RWLOCK, CINSTR_OBJECT_RWLOCK },
	{ "pthread_timedjoin_np", CINSTR_OBJECT_TAKES, CINSTR_OBJECT_THREAD },
	{ "sem_clockwait", CINSTR_OBJECT_TAKES, CINSTR_OBJECT_SEMAPHORE },
	{ "sem_post", CINSTR_OBJECT_GIVES, CINSTR_OBJECT_SEMAPHORE },
	{ "sem_timedwait", CINSTR_OBJECT_TAKES, CINSTR_OBJECT_SEMAPHORE },
	{ "sem_wait", CINSTR_OBJECT_TAKES, CINSTR_OBJECT_SEMAPHORE },
	{ "syscall", CINSTR_OBJECT_FUTEX_CALL, CINSTR_OBJECT_FUTEX },
	{ "thrd_join", CINSTR_OBJECT_TAKES, CINSTR_OBJECT_THREAD },
	{ "uv_barrier_wait", CINSTR_OBJECT_MEETS, CINSTR_OBJECT_BARRIER },
	{ "uv_cond_broadcast", CINSTR_OBJECT_GIVES, CINSTR_OBJECT_CONDITION },
	{ "uv_cond_signal", CINSTR_OBJECT_GIVES, CINSTR_OBJECT_CONDITION },
	{ "uv_cond_timedwait", CINSTR_OBJECT_TAKES_SIGNAL, CINSTR_OBJECT_CONDITION },
	{ "uv_cond_wait", CINSTR_OBJECT_TAKES_SIGNAL, CINSTR_OBJECT_CONDITION },
	{ "uv_mutex_lock", CINSTR_OBJECT_TAKES_MUTEX, CINSTR_OBJECT_MUTEX },
	{ "uv_mutex_unlock", CINSTR_OBJECT_GIVES_WORD, CINSTR_OBJECT_MUTEX },
	{ "uv_rwlock_rdlock", CINSTR_OBJECT_TAKES_RWLOCK, CINSTR_OBJECT_RWLOCK },
	{ "uv_rwlock_rdunlock", CINSTR_OBJECT_GIVES_RWLOCK, CINSTR_OBJECT_RWLOCK },
	{ "uv_rwlock_wrlock", CINSTR_OBJECT_TAKES_RWLOCK, CINSTR_OBJECT_RWLOCK },
	{ "uv_rwlock_wrunlock", CINSTR_OBJECT_GIVES_RWLOCK, CINSTR_OBJECT_RWLOCK },
	{ "uv_sem_post", CINSTR_OBJECT_GIVES, CINSTR_OBJECT_SEMAPHORE },
	{ "uv_sem_wait", CINSTR_OBJECT_TAKES, CINSTR_OBJECT_SEMAPHORE },
	{ "uv_thread_join", CINSTR_OBJECT_TAKES_AT, CINSTR_OBJECT_THREAD },
};
/* clang-format on */

/* Returns the entry of the function with this assembler name, or NULL. */
static inline const struct cinstr_object_call *cinstr_object_call_of(const char *name)
{
	return (const struct cinstr_object_call *)CINSTR_NAMES_FIND(cinstr_object_calls, name);
}

/* Returns 1 if such a call releases an object: its own, or the mutex of a condition variable. */
static inline int cinstr_object_is_given(enum cinstr_object_use use)
{
	return use >= CINSTR_OBJECT_MEETS;
}

#endif
