/*
 * Calls of which few take long. argv[1]:
 *   disk     one job of 200 reads from a disk, which takes 10 ms
 *   table    one job of 200 makes a table larger, which computes
 *   cache    jobs do next to nothing, but one of 400 fills a cache, which computes for long
 *   reload   the same, but nobody else computes: it looks like a compressor that fills its blocks
 *   batch    jobs are put aside, and one of 400 works on all of them, each by a call
 *   nested   a call evaluates a number, or a script of all of them, as interpreters do
 *   even     all jobs take the same
 *   server   jobs come seldom: the wait for the next one is long
 *   kinds    a tenth of the jobs are large
 *   buffer   jobs only collect, and one of 200 does the work of all of them
 *   flush    jobs fill a buffer, and one of 400 works on what is in it
 *   busy     one job of 400 does more, and loses the only processor to another thread meanwhile
 *   first    the first job sets up what all others use
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#define KEEP __attribute__((noipa))
#define JOBS 2000
#define SELDOM 400

static const char *what;
static volatile long sink;
static volatile int is_done;

static int is(const char *name)
{
	return !strcmp(what, name);
}

KEEP static void compute(long n)
{
	for (long i = 0; i < n; i++)
		sink += i;
}

KEEP static void disk(void)
{
	nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
}

KEEP static void grow(void)
{
	compute(40000000); /* 8 ms at least, on processors that do it in a cycle */
}

KEEP static void more(void)
{
	compute(100000);
	sched_yield();
	compute(100000);
}

KEEP static void *other(void *arg)
{
	while (!is_done)
		;
	return arg;
}

KEEP static void set_up(void)
{
	compute(1000000);
}

KEEP static void flush(void)
{
	compute(1600000);
}

KEEP static void fill_cache(void)
{
	grow();
}

KEEP static void work_on(int number)
{
	compute(20000 + number % 10);
}

KEEP static void work_on_all(void)
{
	for (int i = 0; i < SELDOM; i++)
		work_on(i);
}

KEEP static void next_job(int number)
{
	if (is("server") && number % SELDOM == 7)
		poll(NULL, 0, 20);
	if (is("cache"))
		compute(60000);
}

KEEP static void job(int number)
{
	compute(is("table")				     ? 70000
		: is("first")				     ? 350
		: is("cache") || is("reload") || is("batch") ? 10
							     : 3000);
	if ((is("cache") || is("reload")) && number % SELDOM == 7)
		fill_cache();
	if (is("batch") && number % SELDOM == 7)
		work_on_all();
	if (is("disk") && number % SELDOM == 7)
		disk();
	if (is("busy") && number % SELDOM == 7)
		more();
	if (is("flush") && number % SELDOM == 7)
		flush();
	if (is("first") && number == 7)
		set_up();
	if (is("table") && number % SELDOM == 7)
		grow();
	if (is("buffer") && number % SELDOM == 7)
		compute(16000000);
	if (is("kinds") && number % 10 == 7)
		compute(100000);
}

KEEP static void jobs(void)
{
	for (int i = 0; i < JOBS; i++) {
		next_job(i);
		job(i);
	}
}

KEEP static void evaluate(int number);

KEEP static void script(void)
{
	for (int i = 0; i < JOBS; i++)
		evaluate(i);
}

KEEP static void evaluate(int number)
{
	if (number < 0)
		script();
	else
		compute(3000);
}

/* Another thread wants the only processor all the time. */
static void busy_jobs(void)
{
	pthread_t thread;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	pthread_create(&thread, NULL, other, NULL);
	jobs();
	is_done = 1;
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "even";
	if (is("nested"))
		for (int i = 0; i < 2; i++)
			evaluate(-1);
	else if (is("busy"))
		busy_jobs();
	else
		jobs();
	return 0;
}
