/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mpi_calls.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	enum mpi_call call;
	const char *names; /* behind MPI_, with a space before and behind each */
} table[] = {
	{ MPI_CALL_MESSAGE, " recv send ssend rsend sendrecv sendrecv_replace wait waitall waitany waitsome "
			    "probe mprobe mrecv test testall testany testsome iprobe improbe win_wait "
			    "win_lock win_lock_all win_unlock win_unlock_all win_flush win_flush_all "
			    "win_flush_local win_flush_local_all win_start win_complete win_test parrived "
			    "request_get_status comm_join " },
	{ MPI_CALL_COLLECTIVE,
	  " barrier bcast reduce allreduce gather gatherv scatter scatterv allgather allgatherv alltoall "
	  "alltoallv alltoallw reduce_scatter reduce_scatter_block scan exscan neighbor_allgather "
	  "neighbor_allgatherv neighbor_alltoall neighbor_alltoallv neighbor_alltoallw win_fence win_create "
	  "win_allocate win_allocate_shared win_create_dynamic win_free comm_dup comm_dup_with_info "
	  "comm_split comm_split_type comm_create comm_create_group comm_create_from_group comm_free "
	  "comm_accept comm_connect comm_disconnect comm_spawn comm_spawn_multiple intercomm_create "
	  "intercomm_create_from_groups intercomm_merge cart_create cart_sub graph_create dist_graph_create "
	  "dist_graph_create_adjacent file_open file_close file_read_all file_write_all file_read_at_all "
	  "file_write_at_all file_read_ordered file_write_ordered file_read_all_end file_write_all_end "
	  "file_read_at_all_end file_write_at_all_end file_read_ordered_end file_write_ordered_end "
	  "file_set_view file_set_size file_preallocate file_sync file_seek_shared " },
	{ MPI_CALL_SETUP, " init init_thread finalize session_init session_finalize " },
};

/* Fortran's compilers write mpi_recv_, mpi_recv__, mpi_recv_f08_; MPI_Recv_c has large counts. */
static size_t length_of(const char *name)
{
	size_t n = strlen(name);

	while (n && name[n - 1] == '_')
		n--;
	if (n > 4 && !strncasecmp(name + n - 4, "_f08", 4))
		n -= 4;
	if (n > 2 && !strncasecmp(name + n - 2, "_c", 2))
		n -= 2;
	return n;
}

enum mpi_call mpi_call_of(const char *assembler)
{
	const char *name = assembler + (*assembler == 'P' || *assembler == 'p');
	char word[40] = " ";
	size_t n;

	if (strncasecmp(name, "mpi_", 4))
		return MPI_CALL_NOT;
	name += 4;
	n = length_of(name);
	if (!n || n > sizeof(word) - 3)
		return MPI_CALL_NOT;
	for (size_t i = 0; i < n; i++)
		word[1 + i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
	word[1 + n] = ' ';
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (strstr(table[i].names, word))
			return table[i].call;
	return MPI_CALL_NOT;
}

static const char *name_of(const struct data *data, const struct cinstr_cell *cell)
{
	int is_call = CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_CALL;
	uint32_t code = is_call ? cell->site : cell->func;
	const struct module *module = NULL;

	if (is_call || CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME)
		module = modules_by_code(&data->modules, code);
	if (module && is_call) {
		const struct module_site *site = module_site(module, code);

		return site ? site->callee : NULL;
	}
	if (module) {
		const struct module_function *f = module_function(module, code);

		return f ? f->name : NULL;
	}
	return NULL;
}

/* Calls of one site, and of one function, are many. */
struct known {
	uint32_t code, is_known;
	enum mpi_call call;
};
#define KNOWN 256u

static enum mpi_call call_of(struct known *known, const struct data *data, const struct cinstr_cell *cell)
{
	int is_call = CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_CALL;
	uint32_t code = is_call ? cell->site : cell->func;
	struct known *k = &known[((code >> 2) ^ (uint32_t)is_call) % KNOWN];
	const char *name;

	if (!is_call && CINSTR_CELL_KIND(cell->tag) != CINSTR_CELL_FRAME)
		return MPI_CALL_NOT;
	if (k->code == code && k->is_known == 1u + (uint32_t)is_call)
		return k->call;
	name = name_of(data, cell);
	*k = (struct known){ code, 1u + (uint32_t)is_call, name ? mpi_call_of(name) : MPI_CALL_NOT };
	return k->call;
}

struct mpi_time mpi_time_of_thread(const struct data *data, const struct data_thread *thread,
				   struct values *values)
{
	struct mpi_time time = { 0, 0 };
	struct known known[KNOWN] = { 0 };

	for (size_t i = 1; !data->sampled && i < thread->n_nodes; i++) {
		const struct data_node *node = &thread->nodes[i];
		enum mpi_call call = call_of(known, data, node->cell);

		if (call != MPI_CALL_MESSAGE && call != MPI_CALL_COLLECTIVE)
			continue;
		time.elapsed += values_at(values, i)->inclusive.elapsed;
		time.off_cpu += values_at(values, i)->inclusive.off_cpu;
		i = node->last;
	}
	return time;
}
