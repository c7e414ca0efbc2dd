/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which calls of MPI wait for other ranks, by their names in C and Fortran; how long. */
#include "rows/mpi_calls.h"
#include "tests.h"

static void test_names(void)
{
	static const struct {
		const char *name;
		enum mpi_call call;
	} names[] = {
		{ "MPI_Recv", MPI_CALL_MESSAGE },
		{ "PMPI_Recv", MPI_CALL_MESSAGE },
		{ "MPI_Recv_c", MPI_CALL_MESSAGE },
		{ "mpi_recv_", MPI_CALL_MESSAGE },
		{ "mpi_recv__", MPI_CALL_MESSAGE },
		{ "pmpi_recv_f08_", MPI_CALL_MESSAGE },
		{ "MPI_WAITALL", MPI_CALL_MESSAGE },
		{ "MPI_Test", MPI_CALL_MESSAGE },
		{ "MPI_Win_flush_local_all", MPI_CALL_MESSAGE },
		{ "MPI_Allreduce", MPI_CALL_COLLECTIVE },
		{ "MPI_Allreduce_c", MPI_CALL_COLLECTIVE },
		{ "MPI_Barrier", MPI_CALL_COLLECTIVE },
		{ "MPI_Comm_split_type", MPI_CALL_COLLECTIVE },
		{ "MPI_Intercomm_create_from_groups", MPI_CALL_COLLECTIVE },
		{ "MPI_File_write_ordered", MPI_CALL_COLLECTIVE },
		{ "MPI_Init_thread", MPI_CALL_SETUP },
		{ "mpi_finalize_", MPI_CALL_SETUP },
		/* these do not wait for others */
		{ "MPI_Irecv", MPI_CALL_NOT },
		{ "MPI_Iallreduce", MPI_CALL_NOT },
		{ "MPI_Comm_rank", MPI_CALL_NOT },
		{ "MPI_Wtime", MPI_CALL_NOT },
		{ "MPI_Pack", MPI_CALL_NOT },
		{ "MPI_", MPI_CALL_NOT },
		{ "MPI_c", MPI_CALL_NOT },
		{ "MPI_Rec", MPI_CALL_NOT },
		{ "my_MPI_Recv", MPI_CALL_NOT },
		{ "MPI_A_name_that_is_longer_than_any_that_the_standard_has", MPI_CALL_NOT },
		{ "P", MPI_CALL_NOT },
		{ "", MPI_CALL_NOT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (mpi_call_of(names[i].name) != names[i].call)
			fprintf(stderr, "%s: %d\n", names[i].name, mpi_call_of(names[i].name));
		CU_ASSERT_EQUAL(mpi_call_of(names[i].name), names[i].call);
	}
}

/* A call, with all that is called from there; what is on the processor meanwhile is busy. */
static void test_times(void)
{
	static const struct {
		const char *name;
		long double mpi, busy;
	} names[] = { { "MPI_Recv", 70 + 9, 40 + 9 },
		      { "MPI_Barrier", 70 + 9, 40 + 9 },
		      { "MPI_Irecv", 0, 0 },
		      { "MPI_Init", 0, 0 } };
	struct profile p;
	struct maker m;
	uint32_t at, call;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		maker_init(&m);
		maker_rename(&m, "work._omp_fn.0", names[i].name);
		maker_thread(&m, "t");
		at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(MAIN_ENTER), 1, 100);
		call = maker_frame(&m, 0, at, maker_code(MAIN_TWIN), maker_code(OMP_ENTER), 2, 50);
		maker_bucket(&m, 0, call, CINSTR_OS_VOLUNTARY, 30, 30);
		maker_frame(&m, 0, call, 0, maker_code(REC_ENTER), 1, 20);
		maker_frame(&m, 0, at, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 1, 1000);
		maker_frame(&m, 0, at, maker_code(MAIN_POINTER), maker_code(OMP_ENTER), 1, 9);
		profile_of(&p, &m, BY_PROCESS, &default_counting);
		CU_ASSERT_EQUAL_FATAL(p.n_rows, 1);
		CU_ASSERT(nearly(p.rows[0].mpi, names[i].mpi));
		CU_ASSERT(nearly(p.rows[0].mpi_busy, names[i].busy));
		profile_release(&p);
		maker_release(&m);
	}
}

/* Events of the system outside of any function are the thread's, too. */
static void test_outside(void)
{
	struct profile p;
	struct maker m;

	maker_init(&m);
	maker_thread(&m, "t");
	maker_root_ticks(&m, 0, 50);
	maker_bucket(&m, 0, maker_root(&m, 0), CINSTR_OS_VOLUNTARY, 30, 20);
	profile_of(&p, &m, BY_THREAD, &default_counting);
	CU_ASSERT_EQUAL_FATAL(p.n_rows, 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p.rows[0].os);
	CU_ASSERT_EQUAL(p.rows[0].os->inclusive.of[OS_VOLUNTARY], 1);
	profile_release(&p);
	maker_release(&m);
}

CU_TestInfo mpi_calls_tests[] = {
	{ "times of calls that wait", test_times },
	{ "events outside of functions", test_outside },
	{ "of which names", test_names },
	CU_TEST_INFO_NULL,
};
