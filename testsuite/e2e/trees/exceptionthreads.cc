/* An exception thrown in one thread and rethrown in another; threads that throw at the same
 * time. */
#include "e2e.h"
#include <exception>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static std::exception_ptr &carried = *new std::exception_ptr;
static sem_t ready;

struct Guard {
	KEEP ~Guard();
};

KEEP static int leaf(int x)
{
	return x + 1;
}

KEEP static int thrower(int depth)
{
	if (!depth)
		throw 42;
	return thrower(depth - 1) + 1;
}

KEEP static void *carrier(void *)
{
	try {
		thrower(3);
	} catch (int) {
		carried = std::current_exception();
		leaf(1);
	}
	return nullptr;
}

KEEP static void *storm(void *arg)
{
	long *caught = (long *)arg;

	for (int i = 0; i < 500; i++)
		try {
			thrower(i % 3);
		} catch (int x) {
			*caught += leaf(x);
		}
	return nullptr;
}

KEEP Guard::~Guard()
{
	sink = leaf(1);
}

/* Cancellation unwinds like an exception that only passes. */
KEEP static void wait_forever(int depth)
{
	Guard guard;

	try {
		if (depth)
			wait_forever(depth - 1);
		sem_post(&ready);
		for (;;)
			pause();
	} catch (...) {
		leaf(depth);
		throw;
	}
}

KEEP static void *cancelled(void *)
{
	wait_forever(1);
	return nullptr;
}

int main()
{
	pthread_t threads[3];
	long caught[3] = { 0, 0, 0 };

	pthread_create(&threads[0], nullptr, carrier, nullptr);
	pthread_join(threads[0], nullptr);
	try {
		std::rethrow_exception(carried);
	} catch (int x) {
		printf("%d\n", leaf(x));
	}
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], nullptr, storm, &caught[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], nullptr);
	sem_init(&ready, 0, 0);
	pthread_create(&threads[0], nullptr, cancelled, nullptr);
	sem_wait(&ready);
	pthread_cancel(threads[0]);
	pthread_join(threads[0], nullptr);
	printf("%ld\n", caught[0] + caught[1] + caught[2]);
	carried = nullptr;
	return 0;
}
