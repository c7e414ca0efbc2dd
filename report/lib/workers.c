/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workers.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "util.h"

#define THREADS_MAX 8

struct workers {
	void (*do_item)(void *arg, size_t item);
	void *arg;
	size_t n, ahead;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t changed;
	size_t next;   /* to be begun */
	size_t wanted; /* by workers_wait */
	uint8_t *is_done;
	unsigned n_threads;
	pthread_t threads[THREADS_MAX];
};

unsigned workers_threads(void)
{
	const char *wish = getenv("CINSTR_REPORT_THREADS");
	long n = wish ? strtol(wish, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : (unsigned)n;
}

static void *work(void *arg)
{
	struct workers *t = arg;

	pthread_mutex_lock(&t->lock);
	while (t->next < t->n) {
		size_t item = t->next;

		if (item > t->wanted + t->ahead) {
			pthread_cond_wait(&t->changed, &t->lock);
			continue;
		}
		t->next++;
		pthread_mutex_unlock(&t->lock);
		t->do_item(t->arg, item);
		pthread_mutex_lock(&t->lock);
		t->is_done[item] = 1;
		pthread_cond_broadcast(&t->changed);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

struct workers *workers_begin(size_t n, size_t ahead, void (*do_item)(void *arg, size_t item), void *arg)
{
	struct workers *t = xcalloc(1, sizeof(*t));
	size_t threads = n > 1 && workers_threads() > 1 ? workers_threads() : 0;

	*t = (struct workers){ .do_item = do_item, .arg = arg, .n = n, .ahead = ahead };
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
	t->is_done = xcalloc(n, 1);
	while (t->n_threads < threads && t->n_threads < n)
		if (pthread_create(&t->threads[t->n_threads], NULL, work, t))
			break;
		else
			t->n_threads++;
	return t;
}

void workers_wait(struct workers *t, size_t item)
{
	if (!t->n_threads) {
		t->do_item(t->arg, item);
		return;
	}
	pthread_mutex_lock(&t->lock);
	t->wanted = item;
	pthread_cond_broadcast(&t->changed);
	while (!t->is_done[item])
		pthread_cond_wait(&t->changed, &t->lock);
	pthread_mutex_unlock(&t->lock);
}

void workers_end(struct workers *t)
{
	for (unsigned i = 0; i < t->n_threads; i++)
		pthread_join(t->threads[i], NULL);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->changed);
	free(t->is_done);
	free(t);
}
