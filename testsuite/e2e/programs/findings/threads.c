/*
 * Threads and how they share the work. argv[1]:
 *   unbalanced  one of four has most of it
 *   idle        one of four has all of it, the others wait for work that does not come
 *   serial      main computes before the four begin
 *   equal       all have the same
 *   ahead       main computes while the four do, too
 *   rounds      four at a time, eight times; the last one has most of it
 *   even        the same, and all have the same
 *   requests    a thread for each request, one of which is long
 *   jobs        one of them reads, the others have work that is another function
 *   loop        one thread computes now and then, another waits for input, one sleeps
 *   exec        the process becomes another program, which has all the work
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noipa))
#define MOST 60
#define THREADS 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t all;
static int is_over;
static const char *what;
static int times = 1; /* argv[2] */
static volatile long sink;

KEEP static void work(void)
{
	long sum = 0;

	for (long i = 0; i < 1200000; i++)
		sum += i ^ sink;
	sink = sum;
}

KEEP static void piece(void)
{
	for (volatile int i = 0; i < 50000;)
		i++;
}

KEEP static void works(int n)
{
	n *= times;
	while (n--)
		work();
}

KEEP static void read_all(int n)
{
	works(n);
}

static int is(const char *name)
{
	return !strcmp(what, name);
}

static void wait_for_work(void)
{
	pthread_mutex_lock(&lock);
	while (!is_over)
		pthread_cond_wait(&more, &lock);
	pthread_mutex_unlock(&lock);
}

static void end_of_work(void)
{
	pthread_mutex_lock(&lock);
	is_over = 1;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
	long number = (long)arg;

	pthread_barrier_wait(&all);
	if (is("unbalanced"))
		works(number ? MOST / 12 : MOST);
	else if (is("jobs") && !number)
		read_all(MOST);
	else if (is("jobs"))
		works(MOST / 12);
	else if (is("idle") && number)
		wait_for_work();
	else if (is("idle"))
		works(MOST), end_of_work();
	else
		works(MOST / 3);
	return arg;
}

static void *request(void *arg)
{
	works(arg ? 1 : MOST);
	return arg;
}

static void *part(void *arg)
{
	pthread_barrier_wait(&all);
	for (long i = 0; i < 20 * (long)arg; i++)
		piece();
	return arg;
}

static void rounds(int more)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&all, NULL, THREADS);
	for (int round = 0; round < 8; round++) {
		for (long i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, part, (void *)(4 + more * (2 * i - 3)));
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
}

static void *sleeper(void *arg)
{
	for (int i = 0; i < 50; i++)
		nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
	return arg;
}

static void *listener(void *arg)
{
	int ends[2];

	if (!pipe(ends))
		for (int i = 0; i < 10; i++)
			poll(&(struct pollfd){ .fd = ends[0], .events = POLLIN }, 1, 10);
	return arg;
}

static void loop(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, sleeper, NULL);
	pthread_create(&threads[1], NULL, listener, NULL);
	works(MOST / 10);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

static void requests(void)
{
	pthread_t threads[6];

	for (long i = 0; i < 6; i++) {
		pthread_create(&threads[i], NULL, request, (void *)i);
		nanosleep(&(struct timespec){ 0, 15000000 }, NULL);
	}
	for (int i = 0; i < 6; i++)
		pthread_join(threads[i], NULL);
}

static void pool(void)
{
	pthread_t threads[THREADS];

	if (is("serial"))
		read_all(MOST);
	pthread_barrier_init(&all, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	if (is("ahead"))
		read_all(MOST);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "equal";
	if (is("exec"))
		execl("/proc/self/exe", "threads", "alone", "8", (char *)NULL);
	times = argc > 2 ? atoi(argv[2]) : 1;
	if (is("requests"))
		requests();
	else if (is("rounds") || is("even"))
		rounds(is("rounds"));
	else if (is("loop"))
		loop();
	else if (is("alone"))
		works(MOST);
	else
		pool();
	return 0;
}
