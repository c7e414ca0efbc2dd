/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which calls of MPI wait for other ranks, by their names in C and Fortran. */
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

CU_TestInfo mpi_calls_tests[] = {
	{ "of which names", test_names },
	CU_TEST_INFO_NULL,
};
