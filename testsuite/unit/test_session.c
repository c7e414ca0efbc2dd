/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The session's folder: its page, and the data files of its processes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session.h"
#include "tests.h"

static char folder[SESSION_PATH_MAX];

static const char *in_folder(const char *name)
{
	static char path[SESSION_PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const void *bytes, size_t n)
{
	int fd = open(in_folder(name), O_RDWR | O_CREAT | O_TRUNC, 0666);

	CU_ASSERT(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
}

/* A new session in the temporary folder; with no process in it once it is forgotten. */
static void make_session(void)
{
	char wanted[] = "/tmp/cinstr-unit-XXXXXX";

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(wanted));
	CU_ASSERT_EQUAL(session_create(wanted, folder), 0);
}

static void forget_session(void)
{
	munmap(session_page().at, CINSTR_PAGE);
}

static void remove_session(const char *const *names)
{
	forget_session();
	for (; *names; names++)
		unlink(in_folder(*names));
	unlink(in_folder("session"));
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

static void it_has_a_page_for_all(void)
{
	const char *const none[] = { NULL };
	struct stat status;
	struct cinstr_control_block *block, *same;

	make_session();
	CU_ASSERT_EQUAL(stat(in_folder("session"), &status), 0);
	CU_ASSERT_EQUAL(status.st_size, CINSTR_PAGE);
	CU_ASSERT(session_page().writable);
	CU_ASSERT_EQUAL(session_is_live(folder), 1);
	block = (void *)((char *)session_page().at + CINSTR_CONTROL_OFFSET);
	CU_ASSERT_EQUAL(block->stopped + block->epoch, 0);
	block->stopped = 1;
	CU_ASSERT_EQUAL(session_join(folder), 0);
	same = (void *)((char *)session_page().at + CINSTR_CONTROL_OFFSET);
	CU_ASSERT(same != block && same->stopped == 1);
	munmap((char *)block - CINSTR_CONTROL_OFFSET, CINSTR_PAGE);
	remove_session(none);
}

/* As an earlier version, or a full disk, leaves it. */
static void without_a_page_nothing_is_written(void)
{
	const char *const none[] = { NULL };
	struct stat status;

	make_session();
	forget_session();
	write_file("session", "cinstr session\n", 15);
	CU_ASSERT_EQUAL(session_is_live(folder), 0);
	CU_ASSERT_EQUAL(session_join(folder), 0);
	CU_ASSERT(session_page().at && !session_page().writable);
	CU_ASSERT_EQUAL(((char *)session_page().at)[CINSTR_CONTROL_OFFSET + 4], 0);
	CU_ASSERT_EQUAL(session_is_live(folder), 1);
	CU_ASSERT_EQUAL(stat(in_folder("session"), &status), 0);
	CU_ASSERT_EQUAL(status.st_size, 15);
	write_file("session", "cinstr sessions!", 15);
	CU_ASSERT(session_is_live(folder) < 0); /* somebody's file */
	remove_session(none);
}

static void a_process_is_found_by_its_number(void)
{
	const char *const names[] = { "a.cinstr", "b.cinstr", "c.cinstr", "d.cinstr", "e.cinstr", NULL };
	struct cinstr_header header = { .version = CINSTR_FORMAT_VERSION,
					.pid = (uint32_t)getpid(),
					.process_start = session_process_start(),
					.start_realtime_ns = 10 };
	uint64_t found = 0;
	int fd;

	make_session();
	CU_ASSERT(session_open_process(folder, header.pid) < 0);
	write_file("a.cinstr", &header, sizeof(header));
	header.start_realtime_ns = 20; /* after an exec */
	write_file("b.cinstr", &header, sizeof(header));
	header.start_realtime_ns = 30;
	header.end = CINSTR_END_EXIT;
	write_file("c.cinstr", &header, sizeof(header));
	header.end = CINSTR_END_UNKNOWN;
	header.process_start++; /* an earlier process of this number */
	write_file("d.cinstr", &header, sizeof(header));
	write_file("e.cinstr", &header, 100);
	fd = session_open_process(folder, header.pid);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(pread(fd, &found, sizeof(found), offsetof(struct cinstr_header, start_realtime_ns)),
			(ssize_t)sizeof(found));
	CU_ASSERT_EQUAL(found, 20);
	CU_ASSERT_EQUAL(pwrite(fd, &found, sizeof(found), 0), (ssize_t)sizeof(found));
	close(fd);
	CU_ASSERT(session_open_process(folder, header.pid + 1) < 0);
	remove_session(names);
}

CU_TestInfo session_tests[] = {
	{ "it has a page for all of its processes", it_has_a_page_for_all },
	{ "without a page nothing is written", without_a_page_nothing_is_written },
	{ "a process is found by its number", a_process_is_found_by_its_number },
	CU_TEST_INFO_NULL,
};
