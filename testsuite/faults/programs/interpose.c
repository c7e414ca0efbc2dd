/* Has its own malloc and its own pthread_create, both with probes. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KEEP __attribute__((noipa))

static char heap[64 << 20] __attribute__((aligned(16)));
static size_t used;
static long n_takes, n_starts;
static volatile int sink;

KEEP static void *take(size_t bytes)
{
	__atomic_fetch_add(&n_takes, 1, __ATOMIC_RELAXED);
	bytes = (bytes + 31) & ~(size_t)15;
	return heap + __atomic_fetch_add(&used, bytes, __ATOMIC_RELAXED) + 16;
}

void *malloc(size_t bytes)
{
	size_t *at = take(bytes + 16);

	at[-1] = bytes;
	return at;
}

void free(void *at)
{
	(void)at;
}

void *calloc(size_t n, size_t bytes)
{
	return memset(malloc(n * bytes), 0, n * bytes);
}

void *realloc(void *at, size_t bytes)
{
	void *other = malloc(bytes);

	if (at)
		memcpy(other, at, ((size_t *)at)[-1] < bytes ? ((size_t *)at)[-1] : bytes);
	return other;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *data)
{
	static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	n_starts++;
	if (!real)
		real = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT,
												      "pthread_create");
	return real(thread, attributes, body, data);
}

KEEP static int work(int x)
{
	char *text = malloc(100);

	snprintf(text, 100, "%d", x);
	free(text);
	return text[0] - '0';
}

static void *body(void *data)
{
	for (int i = 0; i < 100; i++)
		sink = work(i);
	return data;
}

int main(void)
{
	for (int i = 0; i < 50; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, body, NULL);
		pthread_join(thread, NULL);
	}
	printf("%ld threads\n", n_starts);
	return 0;
}
