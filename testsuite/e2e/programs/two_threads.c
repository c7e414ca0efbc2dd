/*
 * Two threads that work when they are told to, and wait for it in read(): "a 10" on the input lets
 * worker-a call step_a() ten times, and "done" is printed then; "a 0" ends it. First the numbers of
 * the threads are printed, and of a third one, which never has an event.
 */
#include "../trees/e2e.h"
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct worker {
	const char *name;
	void (*step)(void);
	int orders[2], answers[2];
	pthread_t thread;
};

static volatile int quiet_tid;

KEEP static void step_a(void)
{
	sink++;
}

KEEP static void step_b(void)
{
	sink++;
}

static void answer(struct worker *worker, int number)
{
	if (write(worker->answers[1], &number, sizeof(number)) != sizeof(number))
		abort();
}

static int answered(struct worker *worker)
{
	int number = 0;

	if (read(worker->answers[0], &number, sizeof(number)) != sizeof(number))
		abort();
	return number;
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	int n;

	prctl(PR_SET_NAME, worker->name);
	answer(worker, (int)syscall(SYS_gettid));
	while (read(worker->orders[0], &n, sizeof(n)) == sizeof(n) && n) {
		for (int i = 0; i < n; i++)
			worker->step();
		answer(worker, n);
	}
	return NULL;
}

__attribute__((no_instrument_function)) static void *quiet(void *arg)
{
	quiet_tid = (int)syscall(SYS_gettid);
	pause();
	return arg;
}

int main(void)
{
	struct worker workers[] = { { .name = "worker-a", .step = step_a }, { .name = "worker-b", .step = step_b } };
	pthread_t third;
	char who;
	int n;

	alarm(300); /* whoever steers may be gone */
	pthread_create(&third, NULL, quiet, NULL);
	while (!quiet_tid)
		usleep(1000);
	for (int i = 0; i < 2; i++) {
		if (pipe(workers[i].orders) || pipe(workers[i].answers))
			return 1;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
		printf("%d ", answered(&workers[i]));
	}
	printf("%d\n", quiet_tid);
	fflush(stdout);
	while (scanf(" %c %d", &who, &n) == 2) {
		struct worker *worker = &workers[who == 'b'];

		if (write(worker->orders[1], &n, sizeof(n)) != sizeof(n))
			return 1;
		if (n)
			answered(worker);
		else
			pthread_join(worker->thread, NULL);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
