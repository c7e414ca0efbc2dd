/* A thread waits for another one: by trying to take its lock in a loop (argv[1]: try), or by a
 * condition variable (condition). */
#include <pthread.h>
#include <string.h>
#include <time.h>

#define KEEP __attribute__((noipa))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static volatile int flag;
static volatile long tries;

KEEP static void wait_for_lock(void)
{
	while (pthread_mutex_trylock(&held))
		tries++;
	pthread_mutex_unlock(&held);
}

KEEP static void wait_for_change(void)
{
	pthread_mutex_lock(&lock);
	while (!flag)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void nap(void)
{
	nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
}

static void *setter(void *arg)
{
	for (int i = 0; !arg && i < 20; i++)
		nap();
	while (arg && tries < 2000000)
		nap();
	if (arg)
		pthread_mutex_unlock(&held);
	pthread_mutex_lock(&lock);
	flag = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	int is_try = argc > 1 && !strcmp(argv[1], "try");
	pthread_t thread;

	if (is_try)
		pthread_mutex_lock(&held);
	pthread_create(&thread, NULL, setter, is_try ? &thread : NULL);
	if (is_try)
		wait_for_lock();
	else
		wait_for_change();
	return pthread_join(thread, NULL);
}
