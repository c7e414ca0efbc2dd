/* SPDX-License-Identifier: MIT */
/*
 * thread_names.c - reads names of threads from the kernel: at a thread's first event, at some of
 * its folds, at its end, and, for threads that still exist then, in the thread that calls exit(),
 * with their processor time. Names given by cinstr_name() stay.
 */
#include "runtime.h"

#define NAME_BYTES 16 /* of the kernel's: with the NUL */
/* names of other threads that are asked for at exit(), which is to be quick */
#define NAMES_MAX 256

static void put_name(struct cinstr_thread *record, const char name[NAME_BYTES])
{
	if (!atomic_load_relaxed(&record->named))
		arch_copy(record->name, name, NAME_BYTES);
}

/* In the thread itself. */
void thread_name(struct cinstr_thread *record)
{
	char name[NAME_BYTES] = "";

	if (!SYS2(SYS_prctl, 16, name)) /* PR_GET_NAME */
		put_name(record, name);
}

/* 0, or the error number: it cannot be read. */
static int read_name(uint32_t tid, char name[NAME_BYTES])
{
	struct text path = { .used = 0 };
	long n;
	int fd;

	text_add(&path, "/proc/self/task/");
	text_add_number(&path, tid);
	text_add(&path, "/comm");
	fd = sys_open(path.data, O_RDONLY, 0);
	if (fd < 0)
		return -1;
	n = sys_read(fd, name, NAME_BYTES);
	sys_close(fd);
	if (n <= 0)
		return -1;
	for (long i = n - 1; i < NAME_BYTES; i++) /* over the newline, too */
		name[i] = '\0';
	return 0;
}

/* Under the lock a thread does not end, and its record is not another one's. */
static void note_others(void *unused)
{
	struct thread *thread = atomic_load_acquire(&cinstr.threads);
	char name[NAME_BYTES];

	(void)unused;
	for (int i = 0; thread; i++, thread = thread->next_made) {
		uint64_t old = store_lock();

		if (thread->running && thread->probe != &cinstr_probe) {
			os_note_end(thread->record);
			if (i < NAMES_MAX && !read_name(thread->record->tid, name))
				put_name(thread->record, name);
		}
		store_unlock(old);
	}
}

void thread_others_at_exit(void)
{
	const struct thread *thread = atomic_load_acquire(&cinstr.threads);

	while (thread && (!thread->running || thread->probe == &cinstr_probe))
		thread = thread->next_made;
	if (thread)
		call_apart(note_others, NULL);
}
