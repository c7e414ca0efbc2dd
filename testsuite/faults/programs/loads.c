/*
 * Loads and unloads libraries. argv[1]: threads, argv[2]: rounds, then paths of copies of one
 * library. Before each load something is mapped that stays, so that the library comes to other
 * addresses each time.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define KEEP __attribute__((noipa))

static char **paths;
static int rounds, n_paths;

KEEP static int own(int x)
{
	return x + 1;
}

KEEP static void *loader(void *data)
{
	long number = (long)data, sum = 0;

	for (int i = 0; i < rounds; i++) {
		void *handle, *filler = mmap(NULL, 4096 * (size_t)(1 + (i * 7 + number) % 64), PROT_NONE,
					     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		int (*work)(int);

		handle = dlopen(paths[(number + i) % n_paths], RTLD_NOW | RTLD_LOCAL);
		work = handle ? (int (*)(int))dlsym(handle, "plugin_work") : NULL;
		if (!work || filler == MAP_FAILED)
			abort();
		for (int j = 0; j < 10; j++)
			sum += work(own(j));
		if (dlclose(handle))
			abort();
	}
	return (void *)sum;
}

int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	pthread_t threads[16];
	long sum = 0;
	void *part;

	rounds = atoi(argv[2]);
	paths = argv + 3;
	n_paths = argc - 3;
	for (long i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, loader, (void *)i))
			abort();
	for (int i = 0; i < n; i++) {
		pthread_join(threads[i], &part);
		sum += (long)part;
	}
	printf("%ld\n", sum);
	return 0;
}
