/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0313 save; wall
 * Keeps the state of machines, and saves it. Planted: the file of all machines is written anew, and
 * renamed, for each change; the repaired one does so for 500 of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MACHINES 6000
#define CHANGES 2500
#ifdef REPAIRED
#define EACH 500
#else
#define EACH 1
#endif

struct machine {
	char name[48];
	int state, changes;
	double load;
};

static struct machine machines[MACHINES];
static char path[] = "/tmp/keeper.XXXXXX", next[64];

static int save(void)
{
	FILE *file = fopen(next, "w");

	if (!file || fwrite(machines, sizeof(*machines), MACHINES, file) != MACHINES)
		return -1;
	fclose(file);
	return rename(next, path);
}

static int change(unsigned number, int state)
{
	static int pending;
	struct machine *machine = &machines[number % MACHINES];

	machine->state = state;
	machine->changes++;
	machine->load = machine->load * 0.9 + state;
	return ++pending % EACH == 0 ? save() : 0;
}

int main(void)
{
	int failed = 0, fd = mkstemp(path);
	unsigned state = 5;

	snprintf(next, sizeof(next), "%s.next", path);
	for (int i = 0; i < MACHINES; i++)
		snprintf(machines[i].name, sizeof(machines[i].name), "machine %d", i);
	for (int i = 0; i < CHANGES; i++) {
		state = state * 1664525 + 1013904223;
		failed += change(state >> 8, (int)(state >> 29)) != 0;
	}
	printf("%d\n", failed);
	close(fd);
	unlink(path);
	return failed != 0;
}
