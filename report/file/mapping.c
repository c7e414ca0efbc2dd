/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mapping.c - see mapping.h. Callable from several threads. */
#include "mapping.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cinstr/atomics.h"
#include "lib/util.h"

/* Smaller files are read as quickly. */
#define LEAST_BYTES (8ull << 20)

struct mapping {
	struct mapping *next;
	const char *from, *to;
	char *message;
};

/* read by the handler without the lock: entries are complete before they are linked */
static struct mapping *mappings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

/* A page behind the file's end was touched. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	const char *at = info->si_addr;

	(void)context;
	for (const struct mapping *m = atomic_load_acquire(&mappings); m; m = m->next)
		if (at >= m->from && at < m->to) {
			put(m->message);
			_exit(STATUS_DATA);
		}
	signal(number, SIG_DFL);
	raise(number);
}

static void handler_set(void)
{
	struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &action, NULL);
}

int mapping_may(int fd, uint64_t bytes, int has_ended)
{
	struct stat st;

	return has_ended && bytes >= LEAST_BYTES && !fstat(fd, &st) && (uint64_t)st.st_size >= bytes &&
	       st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

int mapping_add(void *memory, uint64_t bytes, int fd, const char *path)
{
	struct strbuf message = { 0 };
	struct mapping *m;

	if (mmap(memory, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0) ==
	    MAP_FAILED)
		return -1;
	m = xcalloc(1, sizeof(*m));
	strbuf_puts(&message, "cinstr: error: ");
	strbuf_visible(&message, path);
	strbuf_puts(&message, ": got shorter, or cannot be read, while it was being read\n");
	*m = (struct mapping){ NULL, memory, (char *)memory + bytes, message.text };
	pthread_mutex_lock(&lock);
	if (!mappings)
		handler_set();
	m->next = mappings;
	atomic_store_release(&mappings, m); /* on_bus_error */
	pthread_mutex_unlock(&lock);
	return 0;
}

void mapping_remove(const void *memory)
{
	struct mapping **link, *found = NULL;

	pthread_mutex_lock(&lock);
	for (link = &mappings; *link && (*link)->from != memory; link = &(*link)->next)
		;
	if (*link) {
		found = *link;
		atomic_store_release(link, found->next); /* on_bus_error */
	}
	pthread_mutex_unlock(&lock);
	if (found) {
		free(found->message);
		free(found);
	}
}
