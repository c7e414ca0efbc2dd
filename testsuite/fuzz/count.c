/* SPDX-License-Identifier: GPL-3.0-or-later */
/* count.c - see count.h. One thread. */
#include "count.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd.h"

#define KINDS 9
#define VERBS 32

static const struct {
	char letter;
	const char *name;
} kinds[KINDS] = { { 'm', "mixed" },  { 'f', "self-sampled" }, { 's', "sampled" },     { 'g', "merged" },
		   { 'p', "packed" }, { 't', "history" },      { 'w', "packed anew" }, { 'e', "executed" },
		   { 0, "plain" } };

struct counts {
	uint64_t runs[KINDS][VERBS], ns[KINDS][VERBS], most_ns[KINDS][VERBS];
};
static struct counts *counts;

static struct counts *counts_map(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *at = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, sizeof(struct counts)))
		at = mmap(NULL, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	return at == MAP_FAILED ? NULL : at;
}

void count_begin(void)
{
	const char *path = getenv("FUZZ_COUNTS");

	counts = path ? counts_map(path) : NULL;
}

void count_run(char kind, const char *verb, uint64_t cpu_ns)
{
	size_t k = 0, v = 0;

	if (!counts)
		return;
	while (kinds[k].letter && kinds[k].letter != kind)
		k++;
	while (v < n_commands && strcmp(commands[v]->name, verb))
		v++;
	counts->runs[k][v]++;
	counts->ns[k][v] += cpu_ns;
	if (cpu_ns > counts->most_ns[k][v])
		counts->most_ns[k][v] = cpu_ns;
}

static void print_row(const char *name, uint64_t runs, uint64_t ns, uint64_t most)
{
	if (runs)
		printf("%-14s %10llu %8.2f ms %8.0f ms\n", name, (unsigned long long)runs,
		       (double)ns / 1e6 / (double)runs, (double)most / 1e6);
}

int count_print(const char *path)
{
	uint64_t of_kind[KINDS][3] = { 0 }, of_verb[VERBS][3] = { 0 }, all[3] = { 0 };

	counts = counts_map(path);
	if (!counts)
		return -1;
	for (size_t k = 0; k < KINDS; k++)
		for (size_t v = 0; v < VERBS; v++) {
			uint64_t *sums[] = { of_kind[k], of_verb[v], all };

			for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
				sums[i][0] += counts->runs[k][v];
				sums[i][1] += counts->ns[k][v];
				if (counts->most_ns[k][v] > sums[i][2])
					sums[i][2] = counts->most_ns[k][v];
			}
		}
	printf("%-14s %10s %11s %11s\n", "seed, verb", "inputs", "mean cpu", "longest");
	for (size_t k = 0; k < KINDS; k++)
		print_row(kinds[k].name, of_kind[k][0], of_kind[k][1], of_kind[k][2]);
	for (size_t v = 0; v < VERBS; v++)
		print_row(v < n_commands ? commands[v]->name : "none", of_verb[v][0], of_verb[v][1],
			  of_verb[v][2]);
	print_row("all", all[0], all[1], all[2]);
	return 0;
}
