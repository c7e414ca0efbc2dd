/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring of samples by timers: order, what is damaged, what stays behind of killed threads; which
 * programs are refused. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/sampler/sampler_ring.h"
#include "sampler/source/source.h"
#include "sampler/source/timer_processes.h"
#include "sampler/source/timer_program.h"
#include "tests.h"

/* What the sink was told, as text. */
struct told {
	char text[4096];
	size_t n;
	uint64_t lost;
};

static void tell(struct told *told, const char *format, unsigned long a, unsigned long b)
{
	told->n += (size_t)snprintf(told->text + told->n, sizeof(told->text) - told->n, format, a, b);
}

static void on_sample(void *arg, const struct raw_sample *sample)
{
	tell(arg, "sample %lu %lu;", sample->tid, sample->registers[MACHINE_IP]);
	if (sample->stack_bytes)
		tell(arg, "stack %lu %lu;", sample->stack_bytes, sample->stack[0]);
}

static void on_mapping(void *arg, const struct raw_mapping *mapping)
{
	tell(arg, "map %lx %lx;", mapping->start, mapping->file_offset);
}

static void on_forked(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid, uint32_t parent_pid,
		      uint32_t parent_tid)
{
	(void)ticks;
	(void)parent_tid;
	tell(arg, pid == parent_pid ? "thread %lu %lu;" : "fork %lu %lu;", tid, parent_pid);
}

static void on_named(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid, const char *name, int is_exec)
{
	(void)ticks;
	(void)pid;
	(void)name;
	if (is_exec)
		tell(arg, "exec %lu %lu;", tid, 0);
}

static void on_exited(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid)
{
	(void)arg;
	(void)ticks;
	(void)pid;
	(void)tid;
}

static void on_lost(void *arg, uint32_t pid, uint64_t n)
{
	(void)pid;
	((struct told *)arg)->lost += n;
}

static void on_throttled(void *arg, uint64_t ticks)
{
	(void)arg;
	(void)ticks;
}

static void on_counted(void *arg, uint32_t pid, uint64_t units)
{
	(void)arg;
	(void)pid;
	(void)units;
}

/* A source with its ring as a program has it. */
struct rig {
	char folder[64], path[96];
	struct told told;
	struct sink sink;
	struct source *source;
	struct sampler_ring *ring;
	size_t bytes;
};

static void rig_init(struct rig *rig, uint32_t stack_bytes)
{
	struct sampling sampling = { .stacks = CINSTR_STACKS_CFI, .stack_bytes = stack_bytes };
	struct stat st;
	int fd;

	memset(rig, 0, sizeof(*rig));
	snprintf(rig->folder, sizeof(rig->folder), "/tmp/cinstr-unit-ring-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(rig->folder));
	snprintf(rig->path, sizeof(rig->path), "%s/%s", rig->folder, SAMPLER_RING_NAME);
	sampling.session = rig->folder;
	rig->sink = (struct sink){ on_sample, on_mapping,   on_forked,	on_named,  on_exited,
				   on_lost,   on_throttled, on_counted, &rig->told };
	rig->source = timer_source_new(&sampling, &rig->sink);
	CU_ASSERT_EQUAL_FATAL(rig->source->operations->open(rig->source, NULL, 0, 4000001), 0);
	fd = open(rig->path, O_RDWR | O_CLOEXEC);
	CU_ASSERT_FATAL(fd >= 0 && !fstat(fd, &st));
	rig->bytes = (size_t)st.st_size;
	rig->ring = mmap(NULL, rig->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	CU_ASSERT_FATAL(rig->ring != MAP_FAILED);
}

static void rig_release(struct rig *rig)
{
	struct stat st;

	rig->source->operations->close(rig->source);
	/* threads see that nobody reads any more */
	CU_ASSERT_EQUAL(rig->ring->state, SAMPLER_ENDED);
	CU_ASSERT(stat(rig->path, &st) && errno == ENOENT);
	munmap(rig->ring, rig->bytes);
	rmdir(rig->folder);
}

static struct sampler_record *put(struct rig *rig, uint32_t slot, uint32_t type, uint64_t ticks, uint32_t tid)
{
	struct sampler_record *record = sampler_slot_at(rig->ring, slot);

	*record = (struct sampler_record){ .type = type, .ticks = ticks, .pid = 4000001, .tid = tid };
	*sampler_word(rig->ring, slot) = SAMPLER_WORD(tid, SAMPLER_READY);
	return record;
}

static struct sampler_sample *put_sample(struct rig *rig, uint32_t slot, uint64_t ticks, uint32_t tid,
					 uint64_t ip)
{
	struct sampler_sample *sample = (void *)(put(rig, slot, SAMPLER_SAMPLE, ticks, tid) + 1);

	*sample = (struct sampler_sample){ .intervals = 1 };
	sample->registers[MACHINE_IP] = ip;
	return sample;
}

static void told_is(struct rig *rig, const char *expected)
{
	CU_ASSERT_STRING_EQUAL(rig->told.text, expected);
	if (strcmp(rig->told.text, expected))
		printf("told: %s\n", rig->told.text);
	rig->told.n = 0;
	rig->told.text[0] = '\0';
}

static void records_come_in_order_of_time(void)
{
	struct rig rig;
	struct sampler_sample *sample;
	uint64_t now = util_raw_ns();

	rig_init(&rig, 64);
	put_sample(&rig, 0, now, 4000002, 7);
	sample = put_sample(&rig, 1, now - 1, 4000001, 5);
	sample->stack_bytes = 8;
	memset(sample + 1, 9, 8);
	put(&rig, 2, SAMPLER_THREAD, now - 2, 4000002)->parent_tid = 4000001;
	put(&rig, 3, SAMPLER_PROGRAM, now - 4, 4000001);
	memcpy(put(&rig, 4, SAMPLER_MAPS, now - 3, 4000001) + 1, "1000-2000 r-xp 3000 0:0 0 \n", 27);
	sampler_slot_at(rig.ring, 4)->text_bytes = 27;
	rig.source->operations->drain(rig.source, 0);
	told_is(&rig, "exec 4000001 0;map 1000 3000;thread 4000002 4000001;sample 4000001 5;stack 8 9;"
		      "sample 4000002 7;");
	for (uint32_t i = 0; i < 5; i++)
		CU_ASSERT_EQUAL(*sampler_word(rig.ring, i), SAMPLER_FREE);
	rig_release(&rig);
}

/* What comes while the slots are looked at may have a predecessor in one that was passed. */
static void the_newest_wait(void)
{
	struct rig rig;
	uint64_t later = util_raw_ns() + 3600 * 1000000000ull;

	rig_init(&rig, 0);
	put(&rig, 1, SAMPLER_PROGRAM, 1, 4000001);
	put_sample(&rig, 2, later, 4000001, 5);
	rig.source->operations->drain(rig.source, 0);
	told_is(&rig, "exec 4000001 0;");
	rig.source->operations->drain(rig.source, 1);
	told_is(&rig, "sample 4000001 5;");
	rig_release(&rig);
}

/* One that was noticed late; and nobody believes in thousands. */
static void a_sample_stands_for_its_intervals(void)
{
	struct rig rig;

	rig_init(&rig, 0);
	put(&rig, 0, SAMPLER_PROGRAM, 1, 4000001);
	put_sample(&rig, 1, 2, 4000001, 5)->intervals = 3;
	rig.source->operations->drain(rig.source, 0);
	told_is(&rig, "exec 4000001 0;sample 4000001 5;sample 4000001 5;sample 4000001 5;");
	put_sample(&rig, 1, 2, 4000001, 5)->intervals = UINT32_MAX;
	rig.source->operations->drain(rig.source, 0);
	CU_ASSERT_EQUAL(rig.told.n, SAMPLER_INTERVALS_MAX * strlen("sample 4000001 5;"));
	rig_release(&rig);
}

static uint32_t dead_pid(void)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	return (uint32_t)child;
}

/* Killed between taking a slot and sending it; and one that only takes its time. */
static void slots_of_dead_threads_come_back(void)
{
	struct rig rig;
	uint64_t mine;

	rig_init(&rig, 0);
	mine = SAMPLER_WORD((uint32_t)getpid(), SAMPLER_BUSY);
	*sampler_word(rig.ring, 0) = SAMPLER_WORD(dead_pid(), SAMPLER_BUSY);
	*sampler_word(rig.ring, 1) = mine;
	put(&rig, 2, SAMPLER_PROGRAM, 1, 4000001);
	rig.source->operations->drain(rig.source, 0);
	told_is(&rig, "exec 4000001 0;"); /* not held up */
	usleep(1100000);
	rig.source->operations->drain(rig.source, 0);
	CU_ASSERT_EQUAL(*sampler_word(rig.ring, 0), SAMPLER_FREE);
	CU_ASSERT_EQUAL(*sampler_word(rig.ring, 1), mine);
	rig.source->operations->drain(rig.source, 1);
	CU_ASSERT_EQUAL(rig.told.lost, 1);
	rig_release(&rig);
}

/* Any process of the session may write there. */
static void nonsense_is_survived(void)
{
	struct rig rig;

	rig_init(&rig, 64);
	put_sample(&rig, 0, 1, 1, 5)->stack_bytes = UINT32_MAX;
	put(&rig, 1, SAMPLER_MAPS, 2, 1)->text_bytes = UINT32_MAX;
	put(&rig, 2, 12345, 3, 1);
	memset(put(&rig, 3, SAMPLER_MAPS, 4, 1) + 1, 'f', SAMPLER_TEXT);
	sampler_slot_at(rig.ring, 3)->text_bytes = SAMPLER_TEXT;
	*sampler_word(rig.ring, 4) = UINT64_MAX;
	rig.ring->n_slots = UINT32_MAX;
	rig.ring->slot_bytes = UINT32_MAX;
	rig.ring->n_slots = UINT32_MAX;
	rig.ring->slot_bytes = SAMPLER_PAGE;
	rig.source->operations->drain(rig.source, 1);
	CU_ASSERT(strstr(rig.told.text, "sample 1 5;stack ") != NULL);
	rig_release(&rig);
}

static void what_was_lost_is_told_once(void)
{
	struct rig rig;

	rig_init(&rig, 0);
	put(&rig, 0, SAMPLER_PROGRAM, 1, 4000001)->lost = 3;
	rig.ring->lost = 5; /* two of them by a thread that never found a slot again */
	rig.source->operations->drain(rig.source, 0);
	CU_ASSERT_EQUAL(rig.told.lost, 3);
	rig.source->operations->drain(rig.source, 1);
	CU_ASSERT_EQUAL(rig.told.lost, 5);
	rig_release(&rig);
}

static void a_process_that_runs_is_refused(void)
{
	struct sampling sampling = { .session = "/tmp" };
	struct sink sink = { .arg = NULL };
	struct source *source = timer_source_new(&sampling, &sink);
	pid_t pid = getpid();

	CU_ASSERT_EQUAL(source->operations->open(source, &pid, 1, 0), -ENOTSUP);
	CU_ASSERT(strstr(source->why, "running already") != NULL);
	source->operations->close(source);
}

static const char *write_program(char *path, const void *bytes, size_t n)
{
	int fd;

	strcpy(path, "/tmp/cinstr-unit-program-XXXXXX");
	fd = mkstemp(path);
	CU_ASSERT_EQUAL(write(fd, bytes, n), (ssize_t)n);
	fchmod(fd, 0755);
	close(fd);
	return path;
}

static void static_programs_are_refused(void)
{
	/* An ELF header for x86-64 without program headers. */
	unsigned char elf[64] = { 0x7f, 'E', 'L', 'F', 2, 1, 1, [16] = 2, [18] = 62 };
	char path[64], why[512] = "", script[128];

	CU_ASSERT_EQUAL(timer_program_check("/proc/self/exe", why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(timer_program_check("sh", why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(timer_program_check("/nonexistent/program", why, sizeof(why)),
			0); /* said elsewhere */
	CU_ASSERT_EQUAL(timer_program_check(write_program(path, elf, sizeof(elf)), why, sizeof(why)), -1);
	CU_ASSERT(strstr(why, "statically linked") != NULL);
	snprintf(script, sizeof(script), "#! %s -x\n", path);
	why[0] = '\0';
	{
		char of_script[64];

		CU_ASSERT_EQUAL(timer_program_check(write_program(of_script, script, strlen(script)), why,
						    sizeof(why)),
				-1);
		unlink(of_script);
	}
	CU_ASSERT(strstr(why, "statically linked") != NULL);
	elf[4] = 1; /* 32 bits */
	unlink(path);
	CU_ASSERT_EQUAL(timer_program_check(write_program(path, elf, sizeof(elf)), why, sizeof(why)), -1);
	CU_ASSERT(strstr(why, "x86-64") != NULL);
	unlink(path);
}

static void filters_are_counted(void)
{
	static const char both[] = "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t3\nx:\t9\n",
			  old[] = "Seccomp:\t1\nSeccomp:\t2\n";

	CU_ASSERT_EQUAL(sampler_filters(both, strlen(both)), 3);
	CU_ASSERT_EQUAL(sampler_filters(old, strlen(old)), 2);
	CU_ASSERT_EQUAL(sampler_filters("x", 1), UINT64_MAX);
	CU_ASSERT_EQUAL(sampler_filters(both, 10), UINT64_MAX);
}

CU_TestInfo timer_source_tests[] = {
	{ "records come in order of time", records_come_in_order_of_time },
	{ "the newest wait", the_newest_wait },
	{ "a sample stands for its intervals", a_sample_stands_for_its_intervals },
	{ "slots of dead threads come back", slots_of_dead_threads_come_back },
	{ "nonsense is survived", nonsense_is_survived },
	{ "what was lost is told once", what_was_lost_is_told_once },
	{ "a process that runs is refused", a_process_that_runs_is_refused },
	{ "static programs are refused", static_programs_are_refused },
	{ "filters are counted", filters_are_counted },
	CU_TEST_INFO_NULL,
};
