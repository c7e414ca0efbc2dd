/* A library without probes whose constructor starts a thread that opens and closes another one. */
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

static pthread_t thread;
static volatile int stop;
static volatile int rounds;

static void *open_and_close(void *data)
{
	while (!stop) {
		void *library = dlopen("./libopened.so", RTLD_NOW);

		if (library)
			dlclose(library);
		rounds++;
	}
	return NULL;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_create(&thread, NULL, open_and_close, NULL);
	usleep(20000);
}

void opens_end(void)
{
	stop = 1;
	pthread_join(thread, NULL);
}
