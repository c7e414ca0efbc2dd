/* SPDX-License-Identifier: MIT */
/*
 * cinstr/waits.h - library functions most of whose calls wait for other threads, processes or
 * machines, or for time to pass: names sorted by strcmp(), and prefixes of names. Their calls are
 * timed also in functions that are only counted (CINSTR_SITE_WAITS). Not here: wrappers of system
 * calls and stdio (wrappers.h, streams.h of the plugin), which are timed likewise; and locks, which
 * are free most times.
 */
#ifndef CINSTR_WAITS_H
#define CINSTR_WAITS_H

#include <stddef.h>
#include <string.h>

#include "names.h"

/* clang-format off */
static const char *const cinstr_wait_names[] = {
	"GOACC_wait", "GOMP_atomic_start", "GOMP_critical_name_start", "GOMP_critical_start",
	"GOMP_doacross_ull_wait", "GOMP_doacross_wait", "GOMP_ordered_start",
	"GOMP_single_copy_start", "GOMP_taskgroup_end", "GOMP_teams_reg", "PQexec", "PQexecParams",
	"PQexecPrepared", "PQgetResult", "SDL_CondWait", "SDL_CondWaitTimeout", "SDL_Delay",
	"SDL_WaitEvent", "SDL_WaitEventTimeout", "SDL_WaitThread", "SSL_accept", "SSL_connect",
	"_ZN5boost6thread12join_noexceptEv",
	"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
	"_ZNSt3__118condition_variable4waitERNS_11unique_lockINS_5mutexEEE",
	"_ZNSt3__16thread4joinEv", "_ZNSt6thread4joinEv", "__atomic_flag_wait_explicit",
	"_gfortran_caf_sync_all", "_gfortran_caf_sync_images", "_gfortran_caf_sync_memory",
	"_gfortran_execute_command_line_i4", "_gfortran_execute_command_line_i8",
	"_gfortran_sleep_i4_sub", "_gfortran_sleep_i8_sub", "_gfortran_system_sub", "acc_wait",
	"acc_wait_", "acc_wait_all", "acc_wait_all_",
	"ada__synchronous_barriers__wait_for_release",
	"ada__synchronous_task_control__suspend_until_true", "aio_suspend", "cnd_timedwait",
	"cnd_wait", "cudaDeviceSynchronize", "cudaEventSynchronize", "cudaMemcpy",
	"cudaStreamSynchronize", "curl_easy_perform", "curl_multi_poll", "curl_multi_wait",
	"ev_run", "event_base_dispatch", "event_base_loop", "g_async_queue_pop",
	"g_async_queue_pop_unlocked", "g_async_queue_timeout_pop",
	"g_async_queue_timeout_pop_unlocked", "g_cond_wait", "g_cond_wait_until",
	"g_main_loop_run", "g_poll", "g_thread_join", "g_usleep", "gai_suspend", "getaddrinfo",
	"gethostbyaddr", "gethostbyaddr_r", "gethostbyname", "gethostbyname2", "gethostbyname2_r",
	"gethostbyname_r", "getnameinfo", "lio_listio", "mtx_timedlock", "mysql_query",
	"mysql_real_query", "mysql_stmt_execute", "pthread_barrier_wait", "pthread_clockjoin_np",
	"pthread_cond_clockwait", "pthread_cond_timedwait", "pthread_cond_wait", "pthread_join",
	"pthread_mutex_clocklock", "pthread_mutex_timedlock", "pthread_rwlock_clockrdlock",
	"pthread_rwlock_clockwrlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_timedwrlock",
	"pthread_timedjoin_np", "res_query", "res_search", "sem_clockwait", "sem_timedwait",
	"system__tasking__protected_objects__operations__protected_entry_call",
	"system__tasking__protected_objects__operations__timed_protected_entry_call",
	"system__tasking__protected_objects__single_entry__protected_single_entry_call",
	"system__tasking__stages__activate_tasks", "system__tasking__stages__complete_master",
	"thrd_join", "uv_barrier_wait", "uv_cond_timedwait", "uv_cond_wait", "uv_run",
	"uv_thread_join",
};

static const char *const cinstr_wait_prefixes[] = {
	"GOACC_parallel", "GOMP_barrier", "GOMP_loop_end", "GOMP_parallel", "GOMP_sections_end",
	"GOMP_target", "GOMP_taskloop", "GOMP_taskwait", "MPI_All", "MPI_Barrier", "MPI_Bcast",
	"MPI_Exscan", "MPI_Finalize", "MPI_Gather", "MPI_Init", "MPI_Mprobe", "MPI_Mrecv",
	"MPI_Neighbor_", "MPI_Probe", "MPI_Recv", "MPI_Reduce", "MPI_Rsend", "MPI_Scan",
	"MPI_Scatter", "MPI_Send", "MPI_Ssend", "MPI_Wait", "MPI_Win_fence", "MPI_Win_wait",
	"_ZN14QWaitCondition4wait", "_ZN7QThread4wait", "_ZNSt11this_thread11__sleep_for",
	"_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_until",
	"_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until", "_ZNSt8__detail11__wait_impl",
	"_ZNSt8__detail17__wait_until_impl", "ada__calendar__delays__delay_",
	"ada__real_time__delays__delay_", "mpi_all", "mpi_barrier", "mpi_bcast", "mpi_exscan",
	"mpi_finalize", "mpi_gather", "mpi_init", "mpi_mprobe", "mpi_mrecv", "mpi_neighbor_",
	"mpi_probe", "mpi_recv", "mpi_reduce", "mpi_rsend", "mpi_scan", "mpi_scatter", "mpi_send",
	"mpi_ssend", "mpi_wait", "mpi_win_fence", "mpi_win_wait", "omp_set_lock",
	"omp_set_nest_lock", "system__tasking__rendezvous__",
};
/* clang-format on */

static inline int cinstr_waits_by_name(const char *name)
{
	for (size_t i = 0; i < sizeof(cinstr_wait_prefixes) / sizeof(*cinstr_wait_prefixes); i++)
		if (!strncmp(name, cinstr_wait_prefixes[i], strlen(cinstr_wait_prefixes[i])))
			return 1;
	return CINSTR_NAMES_FIND(cinstr_wait_names, name) != NULL;
}

#endif
