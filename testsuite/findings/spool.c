/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0306 wait_a_bit|main|printer; wall
 * A spooler: one thread takes jobs that another makes, one after the other. Planted: both ask every
 * millisecond whether the other is done, in place of waiting for it. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct spool {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int is_full, is_closed;
	char job[4096];
	unsigned long sum;
};

static void wait_a_bit(struct spool *s)
{
#ifdef REPAIRED
	pthread_cond_wait(&s->changed, &s->lock);
#else
	pthread_mutex_unlock(&s->lock);
	usleep(1000);
	pthread_mutex_lock(&s->lock);
#endif
}

static int take(struct spool *s, char *job)
{
	int got;

	pthread_mutex_lock(&s->lock);
	while (!s->is_full && !s->is_closed)
		wait_a_bit(s);
	got = s->is_full;
	memcpy(job, s->job, sizeof(s->job));
	s->is_full = 0;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return got;
}

static void put(struct spool *s, const char *job)
{
	pthread_mutex_lock(&s->lock);
	while (s->is_full)
		wait_a_bit(s);
	memcpy(s->job, job, sizeof(s->job));
	s->is_full = 1;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

static unsigned long print(const char *job)
{
	unsigned long sum = 0;

	for (int round = 0; round < 20; round++)
		for (int i = 0; i < 4096; i++)
			sum = sum * 31 + (unsigned char)job[i];
	return sum;
}

static void *printer(void *arg)
{
	struct spool *s = arg;
	char job[4096];

	while (take(s, job))
		s->sum += print(job);
	return NULL;
}

int main(void)
{
	static struct spool s = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, "", 0 };
	char job[4096];
	pthread_t thread;

	pthread_create(&thread, NULL, printer, &s);
	for (int i = 0; i < 800; i++) {
		memset(job, i, sizeof(job));
		put(&s, job);
	}
	pthread_mutex_lock(&s.lock);
	s.is_closed = 1;
	pthread_cond_broadcast(&s.changed);
	pthread_mutex_unlock(&s.lock);
	pthread_join(thread, NULL);
	printf("%lx\n", s.sum);
	return 0;
}
