/* SPDX-License-Identifier: GPL-3.0-or-later */
/* progress.c - see progress.h. A separate thread draws the line, so that a single long step is
 * shown, too. */
#include "progress.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

#define FIRST_MS 1000
#define EACH_MS 200
#define ERASE "\r\033[K"

static struct {
	const char *does, *what; /* does NULL: nothing is shown */
	uint64_t total, n;
	int is_shown, ends;
	pthread_t thread;
} progress;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended;

static void put(const char *text, size_t n)
{
	if (write(STDERR_FILENO, text, n) < 0)
		return; /* nobody sees it */
}

static void draw(void)
{
	STRBUF(line);

	strbuf_printf(&line, "%s%s ", ERASE, progress.does);
	if (progress.total > 1) {
		strbuf_thousands(&line, progress.n);
		strbuf_puts(&line, " of ");
		strbuf_thousands(&line, progress.total);
		strbuf_puts(&line, " ");
	}
	strbuf_printf(&line, "%s ", progress.what);
	put(line.text, line.length);
	progress.is_shown = 1;
}

static void erase(void)
{
	if (progress.is_shown)
		put(ERASE, strlen(ERASE));
	progress.is_shown = 0;
}

static void wait_ms(long ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ms % 1000 * 1000000;
	until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (!progress.ends && !pthread_cond_timedwait(&ended, &lock, &until))
		;
}

static void *show(void *arg)
{
	pthread_mutex_lock(&lock);
	wait_ms(FIRST_MS);
	while (!progress.ends) {
		draw();
		wait_ms(EACH_MS);
	}
	erase();
	pthread_mutex_unlock(&lock);
	return arg;
}

void progress_begin(const char *does, uint64_t total, const char *what)
{
	const char *terminal = getenv("TERM");
	pthread_condattr_t by_monotonic;

	if (progress.does || !isatty(STDERR_FILENO) || (terminal && !strcmp(terminal, "dumb")))
		return;
	pthread_condattr_init(&by_monotonic);
	pthread_condattr_setclock(&by_monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&ended, &by_monotonic);
	pthread_condattr_destroy(&by_monotonic);
	progress.does = does;
	progress.what = what;
	progress.total = total;
	progress.n = 0;
	progress.is_shown = progress.ends = 0;
	if (pthread_create(&progress.thread, NULL, show, NULL))
		progress.does = NULL;
}

void progress_at(uint64_t n)
{
	pthread_mutex_lock(&lock);
	progress.n = n;
	pthread_mutex_unlock(&lock);
}

void progress_pause(void)
{
	pthread_mutex_lock(&lock);
	erase();
	pthread_mutex_unlock(&lock);
}

void progress_end(void)
{
	if (!progress.does)
		return;
	pthread_mutex_lock(&lock);
	progress.ends = 1;
	pthread_cond_signal(&ended);
	pthread_mutex_unlock(&lock);
	pthread_join(progress.thread, NULL);
	pthread_cond_destroy(&ended);
	progress.does = NULL;
}
