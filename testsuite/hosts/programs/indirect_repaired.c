/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * indirect_repaired - calls through tables that cannot be read at first: the handler makes them
 * readable, or replaces the pointer in its register, and returns. Prints what the calls gave, and
 * how often the handler ran.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

#define WITH_PROBES __attribute__((noinline, noipa))
#define ROUNDS 50

struct table {
	long other[2];
	long (*run)(struct table *);
};

static struct table *page, good;
static int faults, replaces;

static void handler(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	faults++;
	if (!replaces)
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
	else if (registers[REG_RDI] == (greg_t)page)
		registers[REG_RDI] = (greg_t)&good;
}

WITH_PROBES static long counted(struct table *table)
{
	long n = 0;

	for (volatile int i = 0; i < 2; i++)
		n++;
	return n + (table != NULL);
}

/* The table is in rdi at the call. */
WITH_PROBES static long call(struct table *table)
{
	return table->run(table) + 1;
}

WITH_PROBES static long calls(void)
{
	long sum = 0;

	faults = 0;
	for (int i = 0; i < ROUNDS; i++) {
		mprotect(page, 4096, PROT_NONE);
		sum += call(page);
	}
	return sum;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	long sum;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page->run = good.run = counted;
	sigaction(SIGSEGV, &action, NULL);
	sum = calls();
	printf("made readable: %ld, %d faults\n", sum, faults);
	replaces = 1;
	sum = calls();
	printf("replaced: %ld, %d faults\n", sum, faults);
	return 0;
}
