/* SPDX-License-Identifier: GPL-3.0-or-later */
/* known_functions.c - see known_functions.h. */
#include "known_functions.h"

#include <string.h>

static const struct {
	enum known_function known;
	const char *names; /* with a space before and behind each */
} table[] = {
	{ KNOWN_LOCK,
	  " pthread_mutex_lock pthread_mutex_timedlock pthread_mutex_clocklock mtx_lock mtx_timedlock "
	  "GOMP_critical_start GOMP_critical_name_start omp_set_lock "
	  "omp_set_nest_lock GOMP_atomic_start " },
	{ KNOWN_READ_LOCK, " pthread_rwlock_rdlock pthread_rwlock_timedrdlock pthread_rwlock_clockrdlock " },
	{ KNOWN_WRITE_LOCK, " pthread_rwlock_wrlock pthread_rwlock_timedwrlock pthread_rwlock_clockwrlock " },
	{ KNOWN_SEMAPHORE, " sem_wait sem_timedwait sem_clockwait " },
	{ KNOWN_UNLOCK, " pthread_mutex_unlock sem_post mtx_unlock pthread_rwlock_unlock "
			"GOMP_critical_end GOMP_critical_name_end omp_unset_lock omp_unset_nest_lock "
			"GOMP_atomic_end " },
	{ KNOWN_SPIN,
	  " sched_yield pthread_yield thrd_yield pthread_mutex_trylock pthread_spin_trylock sem_trywait "
	  "mtx_trylock pthread_rwlock_tryrdlock pthread_rwlock_trywrlock " },
	{ KNOWN_CONDITION,
	  " pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait cnd_wait cnd_timedwait "
	  "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE "
	  /* std::future's get() and wait(); with wait_for() and wait_until() */
	  "_ZNSt28__" /* the parts are no atomic operations */
	  "atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5"
	  "ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE "
	  "_ZNSt28__"
	  "atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5"
	  "ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE " },
	{ KNOWN_JOIN,
	  " pthread_join pthread_timedjoin_np pthread_clockjoin_np thrd_join pthread_barrier_wait "
	  "GOMP_barrier GOMP_parallel GOMP_parallel_end GOMP_loop_end GOMP_taskwait _ZNSt6thread4joinEv " },
	{ KNOWN_SLEEP, " nanosleep clock_nanosleep usleep sleep thrd_sleep " },
	{ KNOWN_POLL, " poll ppoll select pselect epoll_wait epoll_pwait epoll_pwait2 sigwait sigwaitinfo "
		      "sigtimedwait pause sigsuspend accept accept4 " },
	{ KNOWN_INPUT,
	  " read readv pread pread64 preadv preadv64 recv recvfrom recvmsg recvmmsg fread fgets getline "
	  "getdelim fgetc getc fscanf __isoc99_fscanf __isoc23_fscanf __fgets_chk __fread_chk __getdelim "
	  "_IO_getc " },
	{ KNOWN_OUTPUT,
	  " write writev pwrite pwrite64 pwritev pwritev64 send sendto sendmsg sendmmsg sendfile "
	  "sendfile64 fwrite fputs fputc putc puts printf fprintf vfprintf fflush connect " },
	{ KNOWN_SYNC, " fsync fdatasync sync syncfs msync sync_file_range " },
	{ KNOWN_CHILD, " wait wait3 wait4 waitpid waitid system pclose " },
};

static enum known_function known_by(const char *assembler)
{
	struct strbuf word = { 0 };
	enum known_function known = KNOWN_NOT;

	strbuf_printf(&word, " %s ", assembler);
	for (size_t i = 0; !known && i < ARRAY_SIZE(table); i++)
		if (strstr(table[i].names, word.text))
			known = table[i].known;
	strbuf_release(&word);
	return known;
}

enum known_function known_function_of(const struct entity *entity)
{
	return entity->is_function && entity->assembler ? known_by(entity->assembler) : KNOWN_NOT;
}

uint8_t *known_functions_make(const struct names *names)
{
	uint8_t *known = xcalloc(names->keys.n + 1, sizeof(*known));

	for (size_t i = 0; i < names->keys.n; i++)
		known[i] = (uint8_t)known_function_of(&names->list[i]);
	return known;
}
