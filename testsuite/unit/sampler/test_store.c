/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data file of a sampled process as the collector writes it (report/sampler/writer/store.h),
 * read with the command's reader. */
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file/data.h"
#include "sampler/writer/store.h"
#include "tests.h"

#define BEGIN 1000000ull /* first stamp */

static char folder[32];
static char path[300]; /* of the file found last */

static void folder_make(void)
{
	strcpy(folder, "/tmp/cinstr-unit-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
}

/* Number of files; `path` is one of them. remove: they and the folder go. */
static int files(int remove)
{
	DIR *entries = opendir(folder);
	struct dirent *entry;
	int n = 0;

	while (entries && (entry = readdir(entries))) {
		if (entry->d_name[0] == '.')
			continue;
		n++;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (remove)
			unlink(path);
	}
	if (entries)
		closedir(entries);
	if (remove)
		rmdir(folder);
	return n;
}

static struct store *store_of(const char *session, uint32_t pid)
{
	static const char arguments[] = "./app\0--size\0a b";
	struct store_process process = {
		.session = session,
		.pid = pid,
		.parent_pid = 7,
		.process_start = 123,
		.begin_ticks = BEGIN,
		.exe = "/usr/bin/app with a very long name",
		.host = "here",
		.command_line = arguments,
		.command_line_bytes = sizeof(arguments),
		.event = "cpu-clock",
		.sampling = { .interval = 1000000,
			      .unit = CINSTR_SAMPLING_NS,
			      .source = CINSTR_SOURCE_PERF,
			      .stacks = CINSTR_STACKS_CFI },
	};
	int error;
	struct store *store = store_new(&process, &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(store);
	CU_ASSERT_EQUAL(error, 0);
	return store;
}

static const struct data_segment *first_of(const struct data *data, uint32_t type)
{
	for (size_t i = 0; i < data->n_segments; i++)
		if (data->segments[i].type == type)
			return &data->segments[i];
	return NULL;
}

static uint64_t used_of(const struct data *data, uint32_t type)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < data->n_segments; i++)
		if (data->segments[i].type == type)
			bytes += data->segments[i].used;
	return bytes;
}

static const void *payload(const struct data *data, uint32_t type)
{
	static const char nothing[CINSTR_PAGE];
	const struct data_segment *s = first_of(data, type);

	return s ? data->memory + s->offset : nothing;
}

/* The one file of the folder, without problems. */
static void load(struct data *data)
{
	CU_ASSERT_EQUAL(files(0), 1);
	CU_ASSERT_EQUAL_FATAL(data_load(data, path), 0);
	CU_ASSERT_EQUAL(data->n_problems, 0);
	for (size_t i = 0; i < data->n_problems; i++)
		printf("problem: %s\n", data->problems[i].reason);
}

/* ---- what is in it --------------------------------------------------------------------------- */

static void it_is_a_data_file(void)
{
	struct store *store;
	struct data data;

	folder_make();
	store = store_of(folder, 42);
	CU_ASSERT_EQUAL(store_module(store, "/usr/bin/app",
				     &(struct cinstr_module){ .base = 0x1000,
							      .text_start = 0x2000,
							      .text_end = 0x3000,
							      .build_id = { 'a', 'b', 'c', 'd' },
							      .build_id_bytes = 4,
							      .flags = CINSTR_MODULE_MAIN }),
			1);
	CU_ASSERT_EQUAL(store_module(store, "/lib/libc.so.6",
				     &(struct cinstr_module){
					     .base = 0x7000, .text_start = 0x8000, .text_end = 0x9000 }),
			2);
	CU_ASSERT_EQUAL(store_module(store, "/usr/bin/app",
				     &(struct cinstr_module){
					     .base = 0x1000, .text_start = 0x5000, .text_end = 0x6000 }),
			1);
	store_sample(store, BEGIN + 1, store_task(store, 42, "main thread", BEGIN), 0, 0);
	store_end(store, CINSTR_END_EXIT, 3, BEGIN + 5000);
	store_release(store);
	CU_ASSERT_EQUAL(files(0), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(path, "/app with a very.42."));
	CU_ASSERT_EQUAL_FATAL(data_open(&data, path), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	CU_ASSERT_STRING_EQUAL(data_property(&data, "exe"), "/usr/bin/app with a very long name");
	CU_ASSERT_STRING_EQUAL(data_property(&data, "argv0"), "./app");
	CU_ASSERT_STRING_EQUAL(data_property(&data, "argv2"), "a b");
	CU_ASSERT_PTR_NULL(data_property(&data, "argv3"));
	CU_ASSERT_STRING_EQUAL(data_property(&data, "hostname"), "here");
	CU_ASSERT_STRING_EQUAL(data_property(&data, "event"), "cpu-clock");
	CU_ASSERT_EQUAL(data.header->method, CINSTR_METHOD_SAMPLING);
	CU_ASSERT_EQUAL(data.header->pid, 42);
	CU_ASSERT_EQUAL(data.header->end, CINSTR_END_EXIT);
	CU_ASSERT_EQUAL(data.header->end_status, 3);
	CU_ASSERT_EQUAL(data.header->end_realtime_ns - data.header->start_realtime_ns < 1000000000, 1);
	CU_ASSERT_EQUAL(data.header->sampling.kept, 1);
	CU_ASSERT_EQUAL(data.header->sampling.collector, (uint32_t)getpid());
	CU_ASSERT_EQUAL_FATAL(data.modules.n, 2);
	CU_ASSERT_STRING_EQUAL(data.modules.list[0].path, "/usr/bin/app");
	CU_ASSERT_EQUAL(data.modules.list[0].raw->text_start, 0x2000);
	CU_ASSERT_EQUAL(data.modules.list[0].raw->text_end, 0x6000);
	data_release(&data);
	files(1);
}

static void a_node_is_there_once(void)
{
	enum { MANY = 5000 };
	struct store *store;
	struct data data;
	uint32_t parent = 0;
	size_t n;
	struct store_address *list;

	folder_make();
	store = store_of(folder, 42);
	for (uint32_t round = 0; round < 2; round++) {
		parent = store_node(store, 0, CINSTR_NODE_TRUNCATED, 0);
		CU_ASSERT_EQUAL(parent, 1);
		for (uint32_t i = 0; i < MANY; i++) {
			parent = store_node(store, parent, 1 + i % 2, 100 + i / 4);
			CU_ASSERT_EQUAL(parent, i + 2);
		}
	}
	CU_ASSERT_EQUAL(store_node(store, parent, CINSTR_NODE_KERNEL, 0), MANY + 2);
	CU_ASSERT_EQUAL(store_node(store, 0, 0, 0x123456), MANY + 3);
	list = store_addresses(store, &n);
	CU_ASSERT_EQUAL(n, MANY / 2); /* neither the kernel nor code outside of any file */
	for (size_t i = 1; i < n; i++)
		CU_ASSERT(list[i - 1].module < list[i].module ||
			  (list[i - 1].module == list[i].module && list[i - 1].address < list[i].address));
	free(list);
	store_release(store);
	load(&data);
	CU_ASSERT_EQUAL(used_of(&data, CINSTR_SEG_STACKS), (MANY + 3) * sizeof(struct cinstr_stack_node));
	data_release(&data);
	files(1);
}

static void a_tid_that_comes_again_is_another_task(void)
{
	struct store *store;
	struct data data;
	const struct cinstr_task *tasks;

	folder_make();
	store = store_of(folder, 42);
	CU_ASSERT_EQUAL(store_task(store, 42, "a name that is longer than there is room for it", BEGIN), 0);
	CU_ASSERT_EQUAL(store_task(store, 43, NULL, BEGIN), 1);
	store_task_end(store, 1, BEGIN + 10);
	CU_ASSERT_EQUAL(store_task(store, 43, NULL, BEGIN + 9),
			1); /* what it did before becomes known late */
	CU_ASSERT_EQUAL(store_task(store, 43, "again", BEGIN + 11), 2);
	CU_ASSERT_EQUAL(store_task(store, 43, "again", BEGIN + 99), 2);
	store_task_name(store, 1, "x");
	for (int i = 0; i < 10; i++)
		store_sample(store, BEGIN + 12, 2, 0, i < 3);
	store_count(store, 2, STORE_DISCARDED);
	store_count(store, UINT32_MAX, STORE_DISCARDED);
	store_count(store, 0, STORE_PAUSED);
	store_end(store, CINSTR_END_SIGNAL, 9, BEGIN + 100);
	store_release(store);
	load(&data);
	CU_ASSERT_EQUAL_FATAL(used_of(&data, CINSTR_SEG_TASKS), 3 * sizeof(*tasks));
	tasks = payload(&data, CINSTR_SEG_TASKS);
	CU_ASSERT_EQUAL(strlen(tasks[0].name), sizeof(tasks[0].name) - 1);
	CU_ASSERT_EQUAL(tasks[0].end_ticks, BEGIN + 100);
	CU_ASSERT_EQUAL(tasks[0].paused, 1);
	CU_ASSERT_EQUAL(tasks[1].end_ticks, BEGIN + 10);
	CU_ASSERT_STRING_EQUAL(tasks[1].name, "x");
	CU_ASSERT_STRING_EQUAL(tasks[2].name, "again");
	CU_ASSERT_EQUAL(tasks[2].kept, 10);
	CU_ASSERT_EQUAL(tasks[2].truncated, 3);
	CU_ASSERT_EQUAL(tasks[2].discarded, 1);
	CU_ASSERT_EQUAL(data.header->sampling.discarded, 2);
	CU_ASSERT_EQUAL(data.header->sampling.paused, 1);
	CU_ASSERT_EQUAL(data.header->sampling.truncated, 3);
	data_release(&data);
	files(1);
}

static void symbols_are_put_behind_each_other(void)
{
	static const char strings[] = "\0main\0main.c";
	const struct cinstr_symbols head = { .n_addresses = 1,
					     .n_frames = 1,
					     .strings_bytes = sizeof(strings) };
	const struct cinstr_symbol_address address = { .address = 5, .module = 1, .n_frames = 1 };
	const struct cinstr_symbol_frame frame = { .entry = 4, .name = 1, .file = 6, .line = 3 };
	struct store *store;
	struct data data;
	const struct cinstr_symbols *got;
	const char *at;

	folder_make();
	store = store_of(folder, 42);
	CU_ASSERT_EQUAL(store_symbols(store, &head, &address, &frame, strings), 0);
	store_release(store);
	load(&data);
	got = payload(&data, CINSTR_SEG_SYMBOLS);
	at = (const char *)(got + 1);
	CU_ASSERT_EQUAL(memcmp(got, &head, sizeof(head)), 0);
	CU_ASSERT_EQUAL(memcmp(at, &address, sizeof(address)), 0);
	CU_ASSERT_EQUAL(memcmp(at + sizeof(address), &frame, sizeof(frame)), 0);
	CU_ASSERT_STRING_EQUAL(at + sizeof(address) + sizeof(frame) + frame.file, "main.c");
	CU_ASSERT_EQUAL(used_of(&data, CINSTR_SEG_SYMBOLS),
			sizeof(head) + sizeof(address) + sizeof(frame) + sizeof(strings));
	data_release(&data);
	files(1);
}

static void marks_have_room(void)
{
	struct store *store;
	struct data data;

	folder_make();
	store = store_of(folder, 42);
	store_mark(store, BEGIN + 1, 42, CINSTR_MARK_STATE, "recording off");
	for (uint32_t i = 0; i < 500; i++)
		store_mark(store, BEGIN + 2 + i, 42, CINSTR_MARK_STATE,
			   "a mark of some length, of which there are many");
	store_release(store);
	CU_ASSERT_EQUAL(files(0), 1);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, path), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	CU_ASSERT_EQUAL_FATAL(data.n_marks, 501);
	CU_ASSERT_EQUAL(data.header->marks_lost, 0);
	CU_ASSERT_STRING_EQUAL(data.marks[0].text, "recording off");
	data_release(&data);
	files(1);
}

/* ---- harm ------------------------------------------------------------------------------------ */

/* Adds samples with stacks of their own until one is lost, `n` are there, or for ever. Returns
 * those that it tried. */
static uint64_t fill(struct store *store, uint64_t n, int told)
{
	uint32_t task = store_task(store, 42, "task", BEGIN);
	uint64_t i;

	for (i = 0; i < n && !store_sampling(store)->lost; i++) {
		uint32_t node = store_node(store, store_node(store, 0, 1, i), 1, 1);

		store_sample(store, BEGIN + i, task, node, 0);
		if (told >= 0 && i % 1000 == 0 && write(told, &i, sizeof(i)) < 0)
			return i;
	}
	return i;
}

static void check_samples(struct data *data, uint64_t at_least)
{
	uint64_t n_nodes = used_of(data, CINSTR_SEG_STACKS) / sizeof(struct cinstr_stack_node), n = 0;

	for (size_t s = 0; s < data->n_segments; s++) {
		const struct cinstr_sample *samples = (const void *)(data->memory + data->segments[s].offset);

		if (data->segments[s].type != CINSTR_SEG_SAMPLES)
			continue;
		for (size_t i = 0; i < data->segments[s].used / sizeof(*samples); i++, n++)
			if (samples[i].ticks != BEGIN + n || samples[i].stack > n_nodes)
				CU_FAIL_FATAL("a sample is wrong");
	}
	CU_ASSERT(n >= at_least);
}

static void the_writer_may_be_killed(void)
{
	struct data data;
	int channel[2], status;
	uint64_t reached = 0;
	pid_t writer;

	folder_make();
	CU_ASSERT_EQUAL_FATAL(pipe(channel), 0);
	writer = fork();
	if (!writer) {
		fill(store_of(folder, 42), UINT64_MAX, channel[1]);
		_exit(1);
	}
	while (reached < 100000 && read(channel[0], &reached, sizeof(reached)) == sizeof(reached))
		;
	kill(writer, SIGKILL);
	CU_ASSERT(waitpid(writer, &status, 0) == writer && WIFSIGNALED(status) &&
		  WTERMSIG(status) == SIGKILL);
	close(channel[0]);
	close(channel[1]);
	load(&data);
	CU_ASSERT_EQUAL(data.header->end, CINSTR_END_UNKNOWN);
	CU_ASSERT(!(data.header->sampling.flags & CINSTR_SAMPLING_COMPLETE));
	check_samples(&data, reached);
	data_release(&data);
	files(1);
}

/* In a child: fills a disk, or what there is of it. Returns how it ended. */
static int filled(int (*limit)(void))
{
	pid_t writer = fork();
	int status = -1;

	if (!writer) {
		struct store *store;
		uint64_t n;

		if (limit())
			_exit(77);
		store = store_of(folder, 42);
		n = fill(store, 100000000, -1);
		for (int i = 0; i < 10; i++)
			store_sample(store, BEGIN, 0, 0, 0);
		if (store_sampling(store)->kept + store_sampling(store)->lost != n + 10)
			_exit(2);
		store_end(store, CINSTR_END_EXIT, 0, BEGIN);
		store_release(store);
		_exit(files(0) == 1 &&
		      store_sampling(store_of(folder, 43))->lost); /* it has no room any more */
	}
	waitpid(writer, &status, 0);
	return status;
}

static int limit_size(void)
{
	struct rlimit limit = { 3 << 20, 3 << 20 };

	return setrlimit(RLIMIT_FSIZE, &limit);
}

static void a_limited_size_costs_samples_only(void)
{
	struct data data;
	struct stat st;

	folder_make();
	filled(limit_size);
	files(0);
	for (DIR *entries = opendir(folder); entries; closedir(entries), entries = NULL)
		for (struct dirent *entry; (entry = readdir(entries));)
			if (strstr(entry->d_name, ".42."))
				snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
	CU_ASSERT_EQUAL_FATAL(data_load(&data, path), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	CU_ASSERT_EQUAL(data.header->stop, CINSTR_STOP_NO_SPACE);
	CU_ASSERT_EQUAL(data.header->stop_errno, 27);
	CU_ASSERT(data.header->sampling.lost >= 11);
	check_samples(&data, 20000);
	CU_ASSERT(!stat(path, &st) && st.st_size <= 3 << 20);
	data_release(&data);
	files(1);
}

static int small_disk(void)
{
	if (unshare(CLONE_NEWNS | (getuid() ? CLONE_NEWUSER : 0)) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -1;
	return mount("none", folder, "tmpfs", 0, "size=2m,mode=0700");
}

/* A store into a page that the disk has no block for would be SIGBUS. */
static void a_full_disk_is_no_sigbus(void)
{
	int status;

	folder_make();
	status = filled(small_disk);
	CU_ASSERT(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		printf("(no rights to mount a small disk: not tried)\n");
	CU_ASSERT(WEXITSTATUS(status) != 2);
	files(1);
}

static int open_files(void)
{
	DIR *entries = opendir("/proc/self/fd");
	int n = 0;

	while (entries && readdir(entries))
		n++;
	if (entries)
		closedir(entries);
	return n;
}

static void many_short_processes_take_little(void)
{
	enum { MANY = 1000 };
	struct store *stores[MANY];
	int before = open_files();
	struct stat st;

	folder_make();
	for (uint32_t i = 0; i < MANY; i++) {
		stores[i] = store_of(folder, 100 + i);
		fill(stores[i], 3, -1);
	}
	CU_ASSERT_EQUAL(open_files(), before);
	CU_ASSERT(!stat((files(0), path), &st) && st.st_blocks * 512 <= 32 << 10);
	for (uint32_t i = 0; i < MANY; i++) {
		store_end(stores[i], CINSTR_END_EXIT, 0, BEGIN + 3);
		store_release(stores[i]);
	}
	CU_ASSERT_EQUAL(files(0), MANY);
	CU_ASSERT(!stat(path, &st) && st.st_size <= 28 << 10);
	files(1);
}

/* What grew in big steps gives back what it did not need. */
static void an_ended_file_has_no_slack(void)
{
	struct store *store;
	struct stat st;

	folder_make();
	store = store_of(folder, 42);
	fill(store, 40000, -1);
	store_release(store);
	files(0);
	CU_ASSERT(!stat(path, &st));
	CU_ASSERT(st.st_blocks * 512ull <=
		  40000 * (2 * sizeof(struct cinstr_stack_node) + sizeof(struct cinstr_sample)) + (40 << 10));
	files(1);
}

CU_TestInfo store_tests[] = {
	{ "it is a data file", it_is_a_data_file },
	{ "a node is there once", a_node_is_there_once },
	{ "a tid that comes again is another task", a_tid_that_comes_again_is_another_task },
	{ "symbols are put behind each other", symbols_are_put_behind_each_other },
	{ "marks have room", marks_have_room },
	{ "the writer may be killed", the_writer_may_be_killed },
	{ "a limited size costs samples only", a_limited_size_costs_samples_only },
	{ "a full disk is no SIGBUS", a_full_disk_is_no_sigbus },
	{ "1000 short processes take little", many_short_processes_take_little },
	{ "an ended file has no slack", an_ended_file_has_no_slack },
	CU_TEST_INFO_NULL,
};
