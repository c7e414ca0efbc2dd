/*
 * Four threads and a lock. argv[1] says what they do:
 *   sleep     each sleeps while it holds the lock: the others wait for it
 *   last      the same in one call each, whose last lock is given back by another function
 *   write     the same; one thread only adds while it holds the lock
 *   compute   each computes while it holds the lock
 *   short     the lock is held for so short that nobody waits
 *   alone     one thread, which sleeps while it holds the lock
 *   events    threads wait for their turn by a condition variable
 */
#include <pthread.h>
#include <string.h>
#include <time.h>

#define KEEP __attribute__((noipa))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all;
static const char *what;
static long total, turn;

static void nap(long ns)
{
	nanosleep(&(struct timespec){ 0, ns }, NULL);
}

KEEP static void put_line(void)
{
	nap(3000000);
}

KEEP static void write_log(void)
{
	pthread_mutex_lock(&lock);
	total++;
	put_line();
	pthread_mutex_unlock(&lock);
}

KEEP static void give_back(void)
{
	pthread_mutex_unlock(&lock);
}

KEEP static void write_all(void)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		total++;
		put_line(); /* all */
		if (i < 19)
			pthread_mutex_unlock(&lock);
	}
	give_back();
}

KEEP static void add(void)
{
	pthread_mutex_lock(&lock);
	total++;
	pthread_mutex_unlock(&lock);
}

KEEP static long compute(long n)
{
	volatile long sum = 0;

	for (long i = 0; i < n; i++)
		sum += i;
	return sum;
}

KEEP static void add_much(void)
{
	pthread_mutex_lock(&lock); /* much */
	total += compute(1500000);
	pthread_mutex_unlock(&lock);
}

KEEP static void take_turn(long number)
{
	pthread_mutex_lock(&lock);
	while (turn % 4 != number)
		pthread_cond_wait(&turned, &lock);
	turn++;
	pthread_cond_broadcast(&turned);
	pthread_mutex_unlock(&lock);
	nap(1000000);
}

static int is(const char *name)
{
	return !strcmp(what, name);
}

static void *worker(void *arg)
{
	pthread_barrier_wait(&all);
	if (is("short"))
		nap((long)arg * 1000000);
	if (is("last"))
		write_all();
	for (int i = 0; i < 20; i++) {
		if (is("sleep") || is("alone"))
			write_log();
		else if (is("write") && (long)arg == 1)
			add(), nap(100000);
		else if (is("write"))
			write_log();
		else if (is("events"))
			take_turn((long)arg);
		else if (is("compute"))
			add_much();
		for (int k = 0; is("short") && k < 10; k++)
			compute(20000), add();
	}
	return arg;
}

int main(int argc, char **argv)
{
	long n;
	pthread_t threads[4];

	what = argc > 1 ? argv[1] : "sleep";
	n = is("alone") ? 1 : 4;
	pthread_barrier_init(&all, NULL, (unsigned)n);
	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return total == 0 && turn == 0;
}
