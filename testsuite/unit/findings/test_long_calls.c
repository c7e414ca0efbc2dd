/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings on system calls that take long for what they give (CF0313 to CF0315, CF0506): each with
 * what is just enough for it, and with a little less. */
#include "finding_lab.h"

#define MB 1000000ull

static struct file_sums file = { .name = "/data/state" };
static struct file_fact fact = { .place = { .entity = WORKER } };

/* A thread that computes for a second; each call's time is in the kernel. */
static void second(struct advised *s)
{
	begin(s, 1000);
	thread(s, 1000, 1000, 0);
}

/* ---- data that nobody has computed ----------------------------------------------------------- */

/* Ten calls that move so many bytes and take so long, of a second. */
static struct row *moves(struct advised *s, uint32_t callee, uint64_t bytes, long double ms)
{
	struct row *row = makes(s, WORKER, callee, 10, ms, ms * MS / 10);
	enum cinstr_amount_kind kind = callee == WRITE ? CINSTR_AMOUNT_WRITTEN : CINSTR_AMOUNT_READ;

	row->os->inclusive.moved[kind].calls = 10;
	row->os->inclusive.moved[kind].bytes = bytes;
	fact.kind = kind;
	fact.sums.bytes = bytes;
	s->edges.files = (struct file_facts){ .files = &file, .n_files = 1, .list = &fact, .n = 1 };
	return row;
}

/* The program computes 100 ms of the second. */
static void old_data(void)
{
	static const char text[] =
		"writes 2.0 GB in 10 calls of write, 200 MB each, but the program computes only "
		"100 ms: most of it has likely not changed";
	struct advised s = { 0 };

	second(&s);
	moves(&s, WRITE, 2000 * MB, 900);
	tells(&s, "CF0313", text);
	takes_part(&s, "CF0313", 90);
	makes(&s, WORKER, OPEN, 10, 30, 1000); /* for each of them */
	takes_part(&s, "CF0313", 93);
	s.rows[1].calls = 11;
	takes_part(&s, "CF0313", 90);
	second(&s);
	moves(&s, WRITE, 1999 * MB, 900); /* 20 bytes in each ns */
	silent(&s, "CF0313");
	second(&s);
	moves(&s, READ, 2000 * MB, 900);
	tells(&s, "CF0313",
	      "reads 2.0 GB in 10 calls of read, 200 MB each, but the program computes only 100 ms: it "
	      "hardly "
	      "looks at most of it");
	second(&s);
	moves(&s, WRITE, 2000 * MB, 900)->calls = 9;
	silent(&s, "CF0313");
	second(&s);
	moves(&s, WRITE, 2000 * MB, 900);
	file.name = "/dev/null";
	silent(&s, "CF0313");
	file.name = "socket";
	silent(&s, "CF0313");
	file.name = NULL;
	silent(&s, "CF0313");
	s.entities[WRITE].assembler = "fwrite"; /* of a stream the file is not known */
	silent(&s, "CF0313");
	makes(&s, WORKER, OPEN, 10, 10, 1000);
	takes_part(&s, "CF0313", 91);
	file.name = "/data/state";
	end(&s);
}

/* Where the program does nothing but call, any data are more than it computes. */
static void little_data(void)
{
	struct advised s = { 0 };

	second(&s);
	moves(&s, WRITE, 163840, 1000);
	takes_part(&s, "CF0313", 100);
	s.counts[0].inclusive.moved[CINSTR_AMOUNT_WRITTEN].bytes--;
	silent(&s, "CF0313");
	end(&s);
}

/* What is read may be written; and what is mapped, and seen page by page, too. */
static void data_of_others(void)
{
	struct advised s = { 0 };
	struct row *row;

	second(&s);
	moves(&s, WRITE, 5000 * MB, 900);
	row = makes(&s, HOT, READ, 10, 1, 1000);
	row->os->inclusive.moved[CINSTR_AMOUNT_READ].calls = 10;
	row->os->inclusive.moved[CINSTR_AMOUNT_READ].bytes = 3000 * MB;
	tells(&s, "CF0313",
	      "writes 5.0 GB in 10 calls of write, 500 MB each, but the program computes only 99.0 ms: most "
	      "of it "
	      "has likely not changed");
	row->os->inclusive.moved[CINSTR_AMOUNT_READ].bytes = 3100 * MB;
	silent(&s, "CF0313");
	row->os->inclusive.moved[CINSTR_AMOUNT_READ].bytes = 0;
	s.edges.system.minor_faults = 5000 * MB / 65536 + 1;
	silent(&s, "CF0313");
	end(&s);
}

/* ---- events of many files -------------------------------------------------------------------- */

/* So many calls of poll take so long, in a second; and 1,000 of read. */
static void looks(struct advised *s, uint64_t calls, long double ms, long double read_ms)
{
	second(s);
	makes(s, WORKER, POLL, calls, ms, 100e3L);
	makes(s, WORKER, READ, 1000, read_ms, 33e3L);
}

static void many_files(void)
{
	static const char text[] =
		"1,000 calls of poll take 100 us of a processor each: likely they ask for many "
		"files; epoll tells only those with events";
	struct advised s = { 0 };

	looks(&s, 1000, 100, 33);
	tells(&s, "CF0314", text);
	takes_part(&s, "CF0314", 10);
	looks(&s, 1000, 100, 34); /* all that enters the kernel takes as long here */
	silent(&s, "CF0314");
	looks(&s, 999, 100, 33);
	silent(&s, "CF0314");
	looks(&s, 1000, 99, 33); /* a tenth of the second is much */
	silent(&s, "CF0314");
	looks(&s, 20000, 199, 1); /* each is short */
	s.rows[1].calls = 2000;	  /* it does not poll in vain */
	silent(&s, "CF0314");
	looks(&s, 1000, 100, 33);
	s.entities[POLL].assembler = "epoll_wait";
	silent(&s, "CF0314");
	end(&s);
}

/* ---- folders --------------------------------------------------------------------------------- */

/* So many folders with so many names in each. */
static void reads_folders(struct advised *s, uint64_t opened, uint64_t names)
{
	second(s);
	s->entities[OPEN].name = s->entities[OPEN].assembler = "opendir";
	s->entities[FGETS].name = s->entities[FGETS].assembler = "readdir";
	makes(s, WORKER, OPEN, opened, 20, 2e5L);
	makes(s, WORKER, FGETS, names, 80, 1e5L);
}

static void folders(void)
{
	struct advised s = { 0 };

	reads_folders(&s, 100, 1000);
	tells(&s, "CF0315",
	      "looks through a folder again and again: 100 calls of opendir, 10 names each; ask for the file "
	      "itself, or keep the names");
	takes_part(&s, "CF0315", 10);
	makes(&s, MAIN, STAT, 100, 1, 1000);
	takes_part(&s, "CF0315", 10);
	s.counts[2].exclusive.of[OS_SYSCALL] = 101; /* what has the names is looked at */
	silent(&s, "CF0315");
	reads_folders(&s, 99, 1000);
	silent(&s, "CF0315");
	reads_folders(&s, 100, 999);
	silent(&s, "CF0315");
	reads_folders(&s, 100, 1000);
	s.rows[1].sums.elapsed_exclusive = 79 * MS;
	silent(&s, "CF0315");
	end(&s);
}

/* ---- copies of a large process --------------------------------------------------------------- */

static void large_forks(void)
{
	struct advised s = { 0 };

	second(&s);
	makes(&s, WORKER, FORK, 50, 50, 1e6L);
	tells(&s, "CF0506",
	      "50 calls of fork take 1.00 ms of a processor each: likely the process has much memory, which "
	      "posix_spawn does not copy");
	takes_part(&s, "CF0506", 5);
	takes(makes(&s, WORKER, WAITPID, 50, 30, 1e6L), 30, 30, 0);
	takes_part(&s, "CF0506", 8);
	takes(&s.rows[1], 300, 300, 0); /* as much again at most */
	takes_part(&s, "CF0506", 10);
	second(&s);
	makes(&s, WORKER, FORK, 100, 99, 1e6L);
	silent(&s, "CF0506");
	second(&s);
	makes(&s, WORKER, FORK, 9, 100, 1e6L);
	silent(&s, "CF0506");
	second(&s);
	makes(&s, WORKER, FORK, 50, 50, 1e6L);
	s.entities[FORK].assembler = "posix_spawn";
	silent(&s, "CF0506");
	end(&s);
}

/* clang-format off */
CU_TestInfo findings_long_calls_tests[] = {
	{ "data that nobody has computed", old_data },
	{ "little data are none that nobody has computed", little_data },
	{ "data that others have computed", data_of_others },
	{ "events of many files", many_files },
	{ "folders that are read again", folders },
	{ "forks of a large process", large_forks },
	CU_TEST_INFO_NULL,
};
/* clang-format on */
