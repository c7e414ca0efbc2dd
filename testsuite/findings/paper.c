/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0321|CF0308 page_sum|sheet; processor
 * Draws pages. Planted: memory for each page by mmap(), and back by munmap(). */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define SIZE (512 * 1024)

static unsigned char *sheet(void)
{
#ifdef REPAIRED
	static unsigned char *kept;

	if (kept)
		return kept;
	return kept = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#else
	return mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#endif
}

static unsigned long page_sum(unsigned number)
{
	unsigned char *page = sheet();
	unsigned long sum = 0;

	for (unsigned i = 0; i < SIZE; i += 64)
		page[i] = (unsigned char)(i * number >> 6);
	for (unsigned i = 0; i < SIZE; i += 512)
		sum += page[i];
#ifndef REPAIRED
	munmap(page, SIZE);
#endif
	return sum;
}

int main(void)
{
	unsigned long sum = 0;

	for (unsigned i = 0; i < 3000; i++)
		sum += page_sum(i);
	printf("%lu\n", sum);
	return 0;
}
