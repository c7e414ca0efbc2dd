/* SPDX-License-Identifier: GPL-3.0-or-later */
/* argv[1] threads in turn, each with one call. */
#include "../trees/e2e.h"
#include <pthread.h>

KEEP static int work(int x)
{
	return x + 1;
}

static void *run(void *data)
{
	sink = work(1);
	return data;
}

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
			return 1;
	}
	return 0;
}
