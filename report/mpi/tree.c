/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/util.h"
#include "messages.h"

#define MAGIC 0x3172746e69636d70ull

/* Before a union. */
struct head {
	uint64_t magic;
	uint64_t bytes; /* of the union that follows; 0: none */
	uint64_t n_added, n_files, n_skipped;
	struct tree_figures figures;
	int32_t status;
	uint32_t unused;
};

__attribute__((noreturn)) static void give_up(const char *what)
{
	error("merge: %s: %s", what, strerror(errno));
	messages_abort();
}

/* The file in memory; its bytes are mapped. */
static void *map(int fd, uint64_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		give_up("no memory for a message");
	return memory;
}

static int memory_file(void)
{
	int fd = memfd_create("cinstr-mpi", MFD_CLOEXEC);

	if (fd < 0)
		give_up("no file in memory");
	return fd;
}

/* The descriptor, and how long it is: 0 if nothing was merged. */
static int write_union(struct merging *m, uint64_t *bytes)
{
	int fd = memory_file();
	FILE *out = fdopen(dup(fd), "w");
	struct stat st;

	if (!out || (m->u.n_contributors && union_write(&m->u, out)) || fclose(out) || fstat(fd, &st))
		give_up("a share cannot be kept in memory");
	*bytes = (uint64_t)st.st_size;
	return fd;
}

static void send_up(struct merging *m, uint32_t to, const struct tree_figures *figures)
{
	struct head head = { .magic = MAGIC,
			     .n_added = m->u.n_added,
			     .n_files = m->n_files,
			     .n_skipped = m->n_skipped,
			     .figures = *figures,
			     .status = m->status };
	int fd = write_union(m, &head.bytes);

	messages_send(to, &head, sizeof(head));
	if (head.bytes) {
		void *memory = map(fd, head.bytes);

		messages_send(to, memory, head.bytes);
		munmap(memory, head.bytes);
	}
	close(fd);
}

static void take_union(struct merging *m, uint32_t from, uint64_t bytes)
{
	int fd = memory_file();
	void *memory;

	/* what cannot be had is told here, not by a signal when it is written to */
	errno = posix_fallocate(fd, 0, (off_t)bytes);
	if (errno)
		give_up("no memory for a message");
	memory = map(fd, bytes);
	messages_receive(from, memory, bytes);
	munmap(memory, bytes);
	if (merging_add_memory(m, fd)) {
		error("merge: what rank %u has merged does not fit", from);
		messages_abort();
	}
	close(fd);
}

static void take_from(struct merging *m, uint32_t from, struct tree_figures *figures)
{
	struct head head;

	messages_receive(from, &head, sizeof(head));
	if (head.magic != MAGIC) {
		error("merge: rank %u runs another cinstr-mpi", from);
		messages_abort();
	}
	if (head.bytes)
		take_union(m, from, head.bytes);
	m->u.n_added += head.n_added;
	m->n_files += head.n_files;
	m->n_skipped += head.n_skipped;
	m->status = head.status ? head.status : m->status;
	figures->n_messages += head.figures.n_messages + (head.bytes != 0);
	figures->bytes += head.figures.bytes + head.bytes;
	if (head.bytes > figures->most_bytes)
		figures->most_bytes = head.bytes;
	if (head.figures.most_bytes > figures->most_bytes)
		figures->most_bytes = head.figures.most_bytes;
}

struct tree_figures tree_collect(struct merging *m, uint32_t rank, uint32_t n)
{
	struct tree_figures figures = { 0 };

	for (uint32_t step = 1; step && step < n; step <<= 1) {
		if (rank & step) {
			send_up(m, rank - step, &figures);
			break;
		}
		if (step < n - rank)
			take_from(m, rank + step, &figures);
		figures.n_steps++;
	}
	return figures;
}
