/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The session's folder: its page, and the data files of its processes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/process/session.h"
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

/* ---- one behind another ---------------------------------------------------------------------- */

static char stage[] = "/tmp/cinstr-unit-XXXXXX";

static const char *on_stage(const char *name)
{
	static char path[SESSION_PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", stage, name);
	return path;
}

static int is_there(const char *name)
{
	return !access(on_stage(name), F_OK);
}

/* A session that has ended before this process began: its folder is that old. Its data file tells
 * which it is. */
static void stage_session(const char *name, const char *data)
{
	struct timespec long_ago[2] = { { 1000, 0 }, { 1000, 0 } };
	char file[SESSION_PATH_MAX + 64];

	snprintf(file, sizeof(file), "%s", on_stage(name));
	CU_ASSERT_EQUAL(session_create(file, folder), 0);
	write_file(data, CINSTR_FILE_MAGIC, 8);
	session_keep();
	forget_session();
	CU_ASSERT_EQUAL(utimensat(AT_FDCWD, file, long_ago, 0), 0);
}

static void stage_end(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", stage);
	CU_ASSERT_EQUAL(system(command), 0);
	strcpy(stage + sizeof(stage) - 7, "XXXXXX");
}

static void what_is_undone_leaves_what_was_there(void)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(stage));
	stage_session("d", "1.cinstr");
	stage_session("d", "2.cinstr");
	CU_ASSERT(is_there("d/2.cinstr") && is_there("d.old/1.cinstr"));
	CU_ASSERT_EQUAL(session_create(on_stage("d"), folder), 0);
	CU_ASSERT(!is_there("d/2.cinstr") && is_there("d/session") && is_there("d.old/2.cinstr"));
	session_undo();
	CU_ASSERT(is_there("d/2.cinstr") && is_there("d.old/1.cinstr"));
	CU_ASSERT_EQUAL(session_is_live(on_stage("d")), 0);
	CU_ASSERT_EQUAL(session_folder(), -1);
	stage_session("d", "3.cinstr");
	CU_ASSERT(is_there("d/3.cinstr") && is_there("d.old/2.cinstr") && !is_there("d.old/1.cinstr"));
	stage_end();
}

static void what_is_not_ours_stays(void)
{
	struct stat status;
	char file[SESSION_PATH_MAX + 64];

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(stage));
	stage_session("d", "1.cinstr");
	snprintf(folder, sizeof(folder), "%.100s/d.old", stage);
	CU_ASSERT_EQUAL(mkdir(folder, 0755), 0);
	write_file("session", "somebody's\n", 11);
	snprintf(file, sizeof(file), "%s", on_stage("d"));
	CU_ASSERT_EQUAL(session_create(file, folder), SESSION_ELSEWHERE);
	CU_ASSERT(strcmp(folder, file) && !strncmp(folder, file, strlen(file)));
	CU_ASSERT(!stat(folder, &status) && (status.st_mode & 0777) == 0700);
	session_undo();
	CU_ASSERT(is_there("d/1.cinstr") && is_there("d.old/session") && stat(folder, &status));
	stage_end();
}

/* Of programs that were killed between two steps; what has just been made is at work, perhaps. */
static void leftovers_are_swept(void)
{
	const char *const names[] = { "d.new.12.0123abcd", "d.old.12.0123abcd", "d.old.keep",
				      "d.new.13.0123abcd" };
	struct timespec long_ago[2] = { { 1000, 0 }, { 1000, 0 } };

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(stage));
	stage_session("d", "1.cinstr");
	for (size_t i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL(mkdir(on_stage(names[i]), 0700), 0);
		if (i < 3)
			CU_ASSERT_EQUAL(utimensat(AT_FDCWD, on_stage(names[i]), long_ago, 0), 0);
	}
	stage_session("d", "2.cinstr");
	CU_ASSERT(!is_there(names[0]) && !is_there(names[1]) && is_there(names[2]) && is_there(names[3]));
	stage_end();
}

CU_TestInfo session_tests[] = {
	{ "it has a page for all of its processes", it_has_a_page_for_all },
	{ "without a page nothing is written", without_a_page_nothing_is_written },
	{ "a process is found by its number", a_process_is_found_by_its_number },
	{ "what is undone leaves what was there", what_is_undone_leaves_what_was_there },
	{ "what is not ours stays", what_is_not_ours_stays },
	{ "leftovers are swept", leftovers_are_swept },
	CU_TEST_INFO_NULL,
};
