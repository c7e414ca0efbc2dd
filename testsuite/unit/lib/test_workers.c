/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work done ahead, mapped files, the progress line. */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "file/mapping.h"
#include "lib/progress.h"
#include "lib/workers.h"
#include "tests.h"

#define ITEMS 300

struct items {
	int done[ITEMS];
	size_t taken; /* items that were waited for */
	size_t most_ahead;
};

static void do_item(void *arg, size_t i)
{
	struct items *items = arg;
	size_t taken = __atomic_load_n(&items->taken, __ATOMIC_SEQ_CST);

	if (i > taken && i - taken > __atomic_load_n(&items->most_ahead, __ATOMIC_SEQ_CST))
		__atomic_store_n(&items->most_ahead, i - taken, __ATOMIC_SEQ_CST);
	if (i % 7 == 0)
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	items->done[i]++;
}

/* Until an item has been begun that is not wanted yet, however busy the machine is. */
static void wait_for_one_ahead(struct items *items)
{
	for (int ms = 0; ms < 60000 && !__atomic_load_n(&items->most_ahead, __ATOMIC_SEQ_CST); ms++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void items_are_done_once_and_in_time(void)
{
	static const char *const threads[] = { "1", "2", "5" };

	for (size_t k = 0; k < ARRAY_SIZE(threads); k++) {
		struct items items = { .taken = 0 };
		struct workers *tasks;
		int missing = 0;

		setenv("CINSTR_REPORT_THREADS", threads[k], 1);
		tasks = workers_begin(ITEMS, 3, do_item, &items);
		if (k > 0)
			wait_for_one_ahead(&items);
		for (size_t i = 0; i < ITEMS; i++) {
			__atomic_store_n(&items.taken, i, __ATOMIC_SEQ_CST);
			workers_wait(tasks, i);
			missing += items.done[i] != 1;
		}
		workers_end(tasks);
		CU_ASSERT_EQUAL(missing, 0);
		CU_ASSERT(items.most_ahead <= 3);
		CU_ASSERT_EQUAL(items.most_ahead > 0, k > 0);
	}
	unsetenv("CINSTR_REPORT_THREADS");
}

static void no_items(void)
{
	workers_end(workers_begin(0, 3, do_item, NULL));
}

static const char *big_file(void)
{
	static char path[] = "/tmp/cinstr-unit-mapXXXXXX";
	int fd;

	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	CU_ASSERT_EQUAL(ftruncate(fd, 9 << 20), 0);
	close(fd);
	return path;
}

static void who_may_be_mapped(void)
{
	const char *path = big_file();
	int fd = open(path, O_RDONLY);

	CU_ASSERT(mapping_may(fd, 8 << 20, 1));
	CU_ASSERT(!mapping_may(fd, 1 << 20, 1)); /* little of it is used */
	CU_ASSERT(!mapping_may(fd, 8 << 20, 0)); /* its process may go on */
	chmod(path, 0620);
	CU_ASSERT(!mapping_may(fd, 8 << 20, 1)); /* somebody else could change it */
	chmod(path, 0602);
	CU_ASSERT(!mapping_may(fd, 8 << 20, 1));
	chmod(path, 0600);
	CU_ASSERT_EQUAL(truncate(path, 1 << 20), 0);
	CU_ASSERT(!mapping_may(fd, 8 << 20, 1));
	close(fd);
	unlink(path);
}

/* In a child: maps the file, makes it shorter, looks behind its end. */
static void look_behind_the_end(const char *path, int messages)
{
	char *memory = mmap(NULL, 9 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open(path, O_RDONLY);

	dup2(messages, STDERR_FILENO);
	if (mapping_add(memory, 9 << 20, fd, "some\033file") || truncate(path, 4096))
		_exit(77);
	_exit(memory[8 << 20] ? 78 : 79);
}

static void a_file_that_gets_shorter_ends_with_a_message(void)
{
	const char *path = big_file();
	char text[200] = "";
	int pipes[2], status;
	pid_t child;

	CU_ASSERT_EQUAL_FATAL(pipe(pipes), 0);
	child = fork();
	if (!child)
		look_behind_the_end(path, pipes[1]);
	close(pipes[1]);
	CU_ASSERT(read(pipes[0], text, sizeof(text) - 1) > 0);
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	CU_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == STATUS_DATA);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "cinstr: error: some\\x1bfile: got shorter"));
	close(pipes[0]);
	unlink(path);
}

/* stderr is no terminal here: nothing is written. */
static void no_progress_without_a_terminal(void)
{
	int pipes[2], kept = dup(STDERR_FILENO);
	char c;

	CU_ASSERT_EQUAL_FATAL(pipe2(pipes, O_NONBLOCK), 0);
	dup2(pipes[1], STDERR_FILENO);
	progress_begin("reading", 3, "files");
	progress_at(1);
	nanosleep(&(struct timespec){ .tv_sec = 1, .tv_nsec = 300000000 }, NULL);
	progress_pause();
	progress_end();
	dup2(kept, STDERR_FILENO);
	close(kept);
	CU_ASSERT(read(pipes[0], &c, 1) < 0);
	close(pipes[0]);
	close(pipes[1]);
}

static int terminal_open(int *inner)
{
	int outer = posix_openpt(O_RDWR | O_NOCTTY);

	*inner = -1;
	if (outer >= 0 && !grantpt(outer) && !unlockpt(outer))
		*inner = open(ptsname(outer), O_RDWR | O_NOCTTY);
	return outer;
}

static void progress_on_a_terminal_is_erased(void)
{
	static const char last[] = "\r\033[K";
	int inner, outer = terminal_open(&inner), kept = dup(STDERR_FILENO);
	char text[2000] = "";
	size_t length = 0;
	ssize_t n;

	if (inner < 0)
		return; /* there are no terminals here */
	setenv("TERM", "xterm", 1);
	dup2(inner, STDERR_FILENO);
	progress_begin("reading", 1000, "files");
	progress_at(412);
	nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
	progress_end(); /* within the second: nothing */
	progress_begin("reading", 1000, "files");
	progress_at(412);
	nanosleep(&(struct timespec){ .tv_sec = 1, .tv_nsec = 300000000 }, NULL);
	progress_end();
	dup2(kept, STDERR_FILENO);
	close(kept);
	/* A terminal hands on what was written in pieces, some time later. */
	while (poll(&(struct pollfd){ outer, POLLIN, 0 }, 1, 300) > 0 && length < sizeof(text) - 1) {
		n = read(outer, text + length, sizeof(text) - 1 - length);
		if (n <= 0)
			break;
		length += (size_t)n;
	}
	CU_ASSERT_EQUAL(strncmp(text, last, strlen(last)), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "reading 412 of 1,000 files"));
	CU_ASSERT_STRING_EQUAL(text + strlen(text) - strlen(last), last);
	close(inner);
	close(outer);
}

CU_TestInfo tasks_tests[] = {
	{ "items are done once and in time", items_are_done_once_and_in_time },
	{ "no items", no_items },
	{ "who may be mapped", who_may_be_mapped },
	{ "a file that gets shorter ends with a message", a_file_that_gets_shorter_ends_with_a_message },
	{ "no progress without a terminal", no_progress_without_a_terminal },
	{ "progress on a terminal is erased", progress_on_a_terminal_is_erased },
	CU_TEST_INFO_NULL,
};
