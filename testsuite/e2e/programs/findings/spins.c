/* A thread waits for another one: by sched_yield in a loop (argv[1]: yield), or by a condition
 * variable (condition). */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#define KEEP __attribute__((noipa))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int flag;

KEEP static void wait_for_flag(void)
{
	while (!flag)
		sched_yield();
}

KEEP static void wait_for_change(void)
{
	pthread_mutex_lock(&lock);
	while (!flag)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void *setter(void *arg)
{
	nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
	pthread_mutex_lock(&lock);
	flag = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	pthread_create(&thread, NULL, setter, NULL);
	if (argc > 1 && !strcmp(argv[1], "yield"))
		wait_for_flag();
	else
		wait_for_change();
	return pthread_join(thread, NULL);
}
