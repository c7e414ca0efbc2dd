// Probes that run before main, after it, and at the end of threads: static and thread_local
// objects, keys of pthread at every round.
#include <cstdio>
#include <cstdlib>
#include <pthread.h>

#define KEEP __attribute__((noipa))

static volatile int sink;
static long n_born, n_gone, n_rounds, n_late;
static pthread_key_t key, late_key;

KEEP static int leaf(int x)
{
	return x + 1;
}

struct object {
	KEEP object()
	{
		__atomic_fetch_add(&n_born, 1, __ATOMIC_RELAXED);
		sink = leaf(sink);
	}
	KEEP ~object()
	{
		__atomic_fetch_add(&n_gone, 1, __ATOMIC_RELAXED);
		sink = leaf(sink);
	}
};

static object global;
static thread_local object local;

// Comes back until the last round.
KEEP static void on_key(void *data)
{
	long rounds = (long)data;

	__atomic_fetch_add(&n_rounds, 1, __ATOMIC_RELAXED);
	sink = leaf(sink);
	if (rounds > 1)
		pthread_setspecific(key, (void *)(rounds - 1));
}

// In a thread that runs nothing else with probes: not before the last round.
__attribute__((no_instrument_function)) static void on_late_key(void *data)
{
	long rounds = (long)data;

	if (rounds > 1) {
		pthread_setspecific(late_key, (void *)(rounds - 1));
		return;
	}
	__atomic_fetch_add(&n_late, 1, __ATOMIC_RELAXED);
	sink = leaf(sink);
}

KEEP static void *body(void *data)
{
	object *mine = &local;

	sink = leaf(mine != nullptr);
	pthread_setspecific(key, (void *)4l);
	return data;
}

__attribute__((no_instrument_function)) static void *late_body(void *data)
{
	pthread_setspecific(late_key, data);
	return nullptr;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10;

	pthread_key_create(&key, on_key);
	pthread_key_create(&late_key, on_late_key);
	for (int i = 0; i < n; i++) {
		pthread_t one, other;

		pthread_create(&one, nullptr, body, nullptr);
		pthread_create(&other, nullptr, late_body, (void *)4l);
		pthread_join(one, nullptr);
		pthread_join(other, nullptr);
	}
	printf("%ld born, %ld gone, %ld rounds, %ld late\n", n_born, n_gone, n_rounds, n_late);
	return 0;
}
