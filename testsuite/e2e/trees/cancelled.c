/* Threads that end in other ways than by returning: pthread_exit, cancellation at a point of it
 * and anywhere; with cleanup handlers and data of the thread to be destroyed. */
#include "e2e.h"
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t ready;
static pthread_key_t key;
static volatile int spinning;

KEEP static int leaf(int x)
{
	return x + 1;
}

KEEP static void cleanup(void *arg)
{
	sink = leaf(*(int *)arg);
}

KEEP static void destroy(void *arg)
{
	(void)arg;
	sink = leaf(1);
}

KEEP static void leave(int depth)
{
	pthread_cleanup_push(cleanup, &depth);
	if (!depth)
		pthread_exit(NULL);
	leave(depth - 1);
	pthread_cleanup_pop(1);
}

KEEP static void *leaver(void *arg)
{
	pthread_setspecific(key, arg);
	leave(2);
	return NULL;
}

KEEP static void wait_forever(int depth)
{
	pthread_cleanup_push(cleanup, &depth);
	if (depth)
		wait_forever(depth - 1);
	sem_post(&ready);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
}

KEEP static void *deferred(void *arg)
{
	pthread_setspecific(key, arg);
	wait_forever(1);
	return NULL;
}

KEEP static void spin(void)
{
	int depth = 7;

	pthread_cleanup_push(cleanup, &depth);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	spinning = 1;
	for (;;)
		sink++;
	pthread_cleanup_pop(0);
}

KEEP static void *asynchronous(void *arg)
{
	pthread_setspecific(key, arg);
	spin();
	return NULL;
}

KEEP static void end(void *(*function)(void *), int cancel)
{
	pthread_t thread;

	spinning = 0; /* before the thread may set it */
	pthread_create(&thread, NULL, function, &sink);
	if (cancel) {
		if (function == deferred)
			sem_wait(&ready);
		else
			while (!spinning)
				;
		pthread_cancel(thread);
	}
	pthread_join(thread, NULL);
}

int main(void)
{
	pthread_key_create(&key, destroy);
	sem_init(&ready, 0, 0);
	for (int i = 0; i < 3; i++) {
		end(leaver, 0);
		end(deferred, 1);
		end(asynchronous, 1);
	}
	printf("end\n");
	return 0;
}
