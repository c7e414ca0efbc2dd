/* SPDX-License-Identifier: MIT */
/*
 * place.c - address space that grows where it is, for the data file and the table of sites, which
 * must not move. Far from the kernel's choice for the program's mappings, nothing has to be kept
 * reserved: the program's own limits (RLIMIT_AS that it sets itself, mlockall) see only what is in
 * use. Where no far place can be had, one is held: mapped without access.
 *
 * In constructors, in a forked child, and under the store's lock or the loader's. System calls
 * only.
 */
#include <errno.h>

#include "runtime.h"

#define FAR (2ull << 40)
#define FAR_PLACES 10	    /* the eight there are, and a forked child's file beside its parent's */
#define NO_REPLACE 0x100000 /* MAP_FIXED_NOREPLACE; an old kernel takes the address as a hint */

static int flags_of(int fd)
{
	return MAP_NORESERVE | (fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
}

static char *take_far(int fd, uint64_t size)
{
	char *near = sys_mmap(NULL, CINSTR_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (sys_failed(near))
		return NULL;
	sys_munmap(near, CINSTR_PAGE);
#ifdef __SANITIZE_THREAD__
	return NULL; /* TSan does not know what lies there (testsuite/stress) */
#endif
	for (uint64_t i = 1; i <= FAR_PLACES && (uint64_t)near > i * FAR; i++) {
		char *hint = (char *)(((uint64_t)near - i * FAR) & ~((1ull << 30) - 1));
		char *at = sys_mmap(hint, size, PROT_NONE, flags_of(fd) | NO_REPLACE, fd, 0);

		if (at == hint)
			return at;
		if (!sys_failed(at))
			sys_munmap(at, size);
	}
	return NULL;
}

char *place_take(struct place *place, int fd, uint64_t size, uint64_t first)
{
	char *at = take_far(fd, size);

	*place = (struct place){ .at = at, .size = size, .mapped = first, .held = !at };
	if (!at)
		at = sys_mmap(NULL, size, PROT_NONE, flags_of(fd), fd, 0);
	if (sys_failed(at))
		return NULL;
	place->at = at;
	if (sys_mprotect(at, first, PROT_READ | PROT_WRITE)) {
		sys_munmap(at, size);
		return NULL;
	}
	if (!place->held)
		sys_munmap(at + first, size - first);
	race_tools_ignore(at, first);
	return at;
}

int place_grow(struct place *place, uint64_t bytes)
{
	char *at = place->at;

	bytes = (bytes + CINSTR_PAGE - 1) & ~(uint64_t)(CINSTR_PAGE - 1);
	if (bytes <= place->mapped)
		return 0;
	if (bytes > place->size)
		return -ENOMEM;
	if (place->held) {
		int result = sys_mprotect(at + place->mapped, bytes - place->mapped, PROT_READ | PROT_WRITE);

		if (result)
			return result;
	} else {
		void *same = (void *)SYS4(SYS_mremap, at, place->mapped, bytes, 0);

		if (sys_failed(same))
			return (int)(long)same;
	}
	race_tools_ignore(at + place->mapped, bytes - place->mapped);
	place->mapped = bytes;
	return 0;
}

void place_cut(struct place *place, uint64_t bytes)
{
	if (bytes >= place->mapped)
		return;
	if (place->held)
		sys_mprotect(place->at + bytes, place->mapped - bytes, PROT_NONE);
	else
		sys_munmap(place->at + bytes, place->mapped - bytes);
	place->mapped = bytes;
}

void place_drop(const struct place *place)
{
	sys_munmap(place->at, place->held ? place->size : place->mapped);
}
