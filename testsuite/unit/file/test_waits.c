/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_waits.c - the tables of functions that are known by name. */
#include "cinstr/waits.h"
#include "plugin/streams.h"
#include "plugin/wrappers.h"
#include "tests.h"

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static size_t n_out_of_order(const char *const *names, size_t n)
{
	size_t wrong = 0;

	for (size_t i = 1; i < n; i++)
		wrong += strcmp(names[i - 1], names[i]) >= 0;
	return wrong;
}

static void each_table_is_in_order(void)
{
	CU_ASSERT_EQUAL(n_out_of_order(wrapper_names, COUNT(wrapper_names)), 0);
	CU_ASSERT_EQUAL(n_out_of_order(stream_names, COUNT(stream_names)), 0);
	CU_ASSERT_EQUAL(n_out_of_order(cinstr_wait_names, COUNT(cinstr_wait_names)), 0);
	CU_ASSERT_EQUAL(n_out_of_order(cinstr_wait_prefixes, COUNT(cinstr_wait_prefixes)), 0);
}

static size_t n_waiting(const char *const *names, size_t n)
{
	size_t waiting = 0;

	for (size_t i = 0; i < n; i++)
		waiting += cinstr_waits_by_name(names[i]) != 0;
	return waiting;
}

static void each_name_is_found(void)
{
	CU_ASSERT_EQUAL(n_waiting(cinstr_wait_names, COUNT(cinstr_wait_names)), COUNT(cinstr_wait_names));
	CU_ASSERT_EQUAL(n_waiting(cinstr_wait_prefixes, COUNT(cinstr_wait_prefixes)),
			COUNT(cinstr_wait_prefixes));
}

static void known_in_other_ways_or_not_waiting(void)
{
	static const char *const others[] = { "",
					      "pthread_cond_signal",
					      "pthread_cond_wai",
					      "pthread_cond_waits",
					      "GOMP_critical_end",
					      "GOMP_loop_start",
					      "MPI_Comm_rank",
					      "omp_unset_lock",
					      "~" };

	CU_ASSERT_EQUAL(n_waiting(others, COUNT(others)), 0);
	CU_ASSERT_EQUAL(n_waiting(wrapper_names, COUNT(wrapper_names)), 0);
	CU_ASSERT_EQUAL(n_waiting(stream_names, COUNT(stream_names)), 0);
	CU_ASSERT_EQUAL(cinstr_waits_by_name("mpi_waitall_f08_"), 1);
}

CU_TestInfo waits_tests[] = {
	{ "each table is in order", each_table_is_in_order },
	{ "each name is found", each_name_is_found },
	{ "not what is known in other ways, or does not wait", known_in_other_ways_or_not_waiting },
	CU_TEST_INFO_NULL,
};
