/* One thread makes argv[1] tail calls, while another one chooses anew, again and again: what is
 * recorded of the first one is the same each time. */
#include <pthread.h>

#include "../trees/e2e.h"
#include "cinstr.h"

static volatile int is_over;

KEEP static void target(int x)
{
	sink += x;
}

KEEP static void jumps(int x)
{
	sink++;
	target(x); /* a jump */
}

static void *choose(void *arg)
{
	(void)arg;
	for (int i = 0; !is_over; i++)
		cinstr_choose(i % 2 ? "all" : "not=neither");
	return NULL;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t thread;

	pthread_create(&thread, NULL, choose, NULL);
	for (int i = 0; i < rounds; i++)
		jumps(i);
	is_over = 1;
	pthread_join(thread, NULL);
	return 0;
}
