/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank 1 sends argv[1] bytes to rank 0, in messages of at most argv[2]; argv[3]: kilobytes are
 * apart that hold their own number, all others 0. Rank 0 says how many arrived as they were. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mpi/messages.h"

static char *memory(uint64_t n)
{
	char *bytes =
		mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (bytes == MAP_FAILED)
		messages_abort();
	madvise(bytes, n, MADV_HUGEPAGE); /* else it takes seconds to touch all pages */
	return bytes;
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 3 ? strtoull(argv[1], NULL, 10) : 1000,
		 step = argc > 3 ? strtoull(argv[3], NULL, 10) << 10 : 100;
	uint64_t n_right = 0, n_all = 0;
	struct messages_place place;
	char *bytes;

	messages_begin();
	place = messages_of_job();
	messages_set_size(argc > 3 ? strtoull(argv[2], NULL, 10) : 7);
	bytes = memory(n);
	for (uint64_t at = 0; place.rank == 1 && at + sizeof(at) <= n; at += step)
		memcpy(bytes + at, &at, sizeof(at));
	if (place.rank == 1)
		memcpy(bytes + n - 1, "!", 1);
	if (place.rank == 1)
		messages_send(0, bytes, n);
	else
		messages_receive(1, bytes, n);
	for (uint64_t at = 0; at + sizeof(at) <= n; at += step, n_all++)
		n_right += !memcmp(bytes + at, &at, sizeof(at));
	if (!place.rank)
		printf("%llu of %llu, last %c, equal %d\n", (unsigned long long)n_right,
		       (unsigned long long)n_all, bytes[n - 1], messages_are_equal(n, 0));
	else
		messages_are_equal(n, 0);
	messages_meet();
	messages_end();
	return 0;
}
