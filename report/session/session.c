/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beside.h"
#include "beside_files.h"
#include "companion_files.h"
#include "copies.h"
#include "lib/array.h"
#include "lib/files.h"
#include "lib/order.h"
#include "lib/progress.h"
#include "lib/terminal.h"
#include "lib/util.h"
#include "lib/workers.h"
#include "mixed/mixed_join.h"
#include "processes.h"
#include "recording_end.h"
#include "runtime/process/session.h"
#include "session_messages.h"
#include "siblings.h"
#include "symbols_lock.h"
#include "twins.h"

/* Problems of one file that are told one by one. */
#define PROBLEMS_MAX 10
/* Levels of folders in which sessions are looked for. */
#define DEPTH_MAX 4
/* Files that are to be visited again stay in memory up to so many bytes. */
#define KEPT_BYTES_MAX (64ull << 20)
#define LARGE_BYTES (64ull << 20)
#define FETCHED_LEAST 100 /* files; fewer are read as quickly one by one */
#define FETCHED_BYTES (128 << 10)

static void file_add(struct session *input, const char *folder, const char *name)
{
	struct strbuf path = { 0 };

	if (folder)
		strbuf_printf(&path, "%s/%s", folder, name);
	else
		strbuf_puts(&path, name);
	input->files = xrealloc(input->files, input->n_files + 1, sizeof(*input->files));
	input->files[input->n_files++] = path.text;
}

/* The first bytes of a file, nothing else of which is looked at; how many there are, or -1. */
static ssize_t first_bytes(const char *path, void *bytes, size_t n)
{
	int fd = files_open(path, 0);
	ssize_t got = fd < 0 ? -1 : pread(fd, bytes, n, 0);

	if (fd >= 0)
		close(fd);
	return got;
}

static int header_read(const char *path, struct cinstr_header *header)
{
	return first_bytes(path, header, sizeof(*header)) == sizeof(*header) &&
			       !memcmp(header->magic, CINSTR_FILE_MAGIC, sizeof(header->magic)) &&
			       header->version == CINSTR_FORMAT_VERSION
		       ? 0
		       : -1;
}

/*
 * Headers of a session's files, as they were when it was listed: which process a file is of does
 * not change, and is asked for often.
 */
static struct {
	pthread_mutex_t lock;
	struct map numbers; /* by path */
	struct cinstr_header *list;
	size_t n, size;
} headers = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void headers_forget(void)
{
	pthread_mutex_lock(&headers.lock);
	map_release(&headers.numbers);
	free(headers.list);
	headers.list = NULL;
	headers.n = headers.size = 0;
	pthread_mutex_unlock(&headers.lock);
}

static void headers_keep(const char *path, const struct cinstr_header *header)
{
	int is_new;

	pthread_mutex_lock(&headers.lock);
	map_add(&headers.numbers, path, strlen(path), &is_new);
	if (is_new) {
		ARRAY_ROOM(headers.list, headers.n, headers.size, 64);
		headers.list[headers.n++] = *header;
	}
	pthread_mutex_unlock(&headers.lock);
}

int session_header(const char *path, struct cinstr_header *header)
{
	size_t number;

	pthread_mutex_lock(&headers.lock);
	number = map_find(&headers.numbers, path, strlen(path));
	if (number != MAP_NONE)
		*header = headers.list[number];
	pthread_mutex_unlock(&headers.lock);
	return number != MAP_NONE ? 0 : header_read(path, header);
}

int session_is_beginning(const char *path)
{
	static const char nothing[8];
	char magic[8];
	ssize_t n = first_bytes(path, magic, sizeof(magic));

	return !n || (n == sizeof(magic) && !memcmp(magic, nothing, sizeof(magic)));
}

/* A file and when its process began. */
struct entry {
	uint64_t start; /* 0: of a merged file, which is of several */
	char *path;
};

ORDER_ITEMS(compare_entries, struct entry, ORDER(x->start, y->start), strcmp(x->path, y->path))

/* The kernel begins to fetch what the files begin with, of many at once: where a disk is waited
 * for, one after the other takes long. */
static void files_fetch(const struct session *input)
{
	for (size_t i = 0; input->n_files >= FETCHED_LEAST && i < input->n_files; i++) {
		int fd = files_open(input->files[i], 0);

		if (fd < 0)
			continue;
		posix_fadvise(fd, 0, FETCHED_BYTES, POSIX_FADV_WILLNEED);
		close(fd);
	}
}

/* Reads the header of a file, once its names have been written. Returns what header_read() does. */
static int header_await(const char *path, struct cinstr_header *header)
{
	int failed = header_read(path, header);

	if (!failed && header->method == CINSTR_METHOD_SAMPLING && symbols_lock_wait(path))
		failed = header_read(path, header);
	return failed;
}

static void files_sort(struct session *input)
{
	FREED struct entry *entries = xcalloc(input->n_files, sizeof(*entries));

	files_fetch(input);
	for (size_t i = 0; i < input->n_files; i++) {
		struct cinstr_header header;

		entries[i].path = input->files[i];
		if (header_await(input->files[i], &header))
			continue;
		entries[i].start = header.pid ? header.start_realtime_ns : 0;
		headers_keep(input->files[i], &header);
	}
	util_sort(entries, input->n_files, sizeof(*entries), compare_entries, NULL);
	for (size_t i = 0; i < input->n_files; i++)
		input->files[i] = entries[i].path;
}

/* 1: some process is recording into the session, 0: none, negative: it is no session. */
static int live_check(const char *path)
{
	FREED char *absolute = realpath(path, NULL);

	return absolute && strlen(absolute) < SESSION_PATH_MAX ? session_is_live(absolute) : -1;
}

/* It holds data, or sessions. */
static int is_session_folder(const char *path)
{
	DIR *folder = files_list(path, 0);
	struct dirent *entry;
	STRBUF(sub);
	int found = 0;

	while (folder && !found && (entry = readdir(folder))) {
		strbuf_clear(&sub);
		strbuf_printf(&sub, "%s/%s", path, entry->d_name);
		found = util_has_suffix(entry->d_name, CINSTR_FILE_SUFFIX) ||
			(entry->d_name[0] != '.' && live_check(sub.text) >= 0);
	}
	if (folder)
		closedir(folder);
	return found;
}

int session_is_session(const char *operand)
{
	struct cinstr_header header;

	return is_session_folder(operand) || !session_header(operand, &header);
}

static int folder_read(struct session *input, const char *path, int depth);

/* The folder's messages are told by session_open. */
static void messages_of(struct session *input, const char *folder)
{
	input->folders = xrealloc(input->folders, input->n_folders + 1, sizeof(*input->folders));
	input->folders[input->n_folders++] = xstrdup(folder);
}

/* A session in the folder: sessions of several machines are put together by copying their folders
 * into one. */
static void session_add(struct session *input, const char *folder, const char *name, int depth)
{
	STRBUF(path);
	int live;

	if (siblings_is_old(folder, name)) {
		strbuf_visible(&path, name);
		warning("%s: left out: it is the session before the one beside it", path.text);
		return;
	}
	strbuf_printf(&path, "%s/%s", folder, name);
	live = live_check(path.text);
	if (live >= 0 && !folder_read(input, path.text, depth + 1))
		input->is_live |= live == 1;
	input->is_over &= live == 0;
	if (live >= 0)
		messages_of(input, path.text);
}

static int folder_read(struct session *input, const char *path, int depth)
{
	DIR *folder = files_list(path, 0);
	struct dirent *entry;

	if (!folder)
		return error("%s: cannot be read: %s%s", path, files_problem(errno),
			     errno == EACCES
				     ? " (a session is its user's alone, unless it was recorded with --mode, "
				       "CINSTR_MODE)"
				     : "");
	while ((entry = readdir(folder)))
		if (util_has_suffix(entry->d_name, CINSTR_FILE_SUFFIX))
			file_add(input, path, entry->d_name);
		else if (entry->d_name[0] != '.' && depth < DEPTH_MAX &&
			 (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN))
			session_add(input, path, entry->d_name, depth);
	closedir(folder);
	return 0;
}

static void say_no_session(const char *shown)
{
	if (!access(INPUT_DEFAULT ".old", F_OK))
		error("there is no session in this folder (%s), only the one before: %s.old", shown, shown);
	else
		error("there is no session in this folder (%s); run a program that was built with "
		      "-fplugin=cinstr.so, or name its session",
		      shown);
}

int session_list(struct session *input, const char *path)
{
	struct stat st;
	int live;

	*input = (struct session){ .path = xstrdup(path ? path : INPUT_DEFAULT) };
	if (stat(input->path, &st)) {
		const char *shown = util_shown(input->path);

		if (errno == ENOENT && !path)
			say_no_session(shown);
		else
			error("%s: %s", shown, strerror(errno));
		return -1;
	}
	headers_forget();
	beside_forget();
	if (!S_ISDIR(st.st_mode)) {
		struct cinstr_header header;

		file_add(input, NULL, input->path);
		if (!header_read(input->path, &header))
			headers_keep(input->path, &header);
		return 0;
	}
	live = live_check(input->path);
	input->is_live = live == 1;
	input->is_over = live == 0;
	messages_of(input, input->path);
	if (folder_read(input, input->path, 0))
		return -1;
	files_sort(input);
	return 0;
}

/* Of one file: the samples that were taken beside it are in its folder. */
static void samples_add(struct session *input)
{
	size_t length = (size_t)(util_basename(input->path) - input->path);
	char *folder = strndup(input->path, length); /* with its slash */
	STRBUF(path);
	struct session all = { .path = NULL };
	struct cinstr_header header;

	if (!session_header(input->path, &header) && header.method == CINSTR_METHOD_INSTRUMENTATION &&
	    header.mixed && !folder_read(&all, *folder ? folder : ".", DEPTH_MAX))
		for (size_t i = 0; i < all.n_files; i++) {
			strbuf_clear(&path);
			strbuf_add(&path, folder, length);
			strbuf_puts(&path, util_basename(all.files[i]));
			if (beside_is_of(path.text, &header))
				file_add(input, NULL, path.text);
		}
	session_release(&all);
	free(folder);
}

/* Without a path: the newest session of those that were recorded here. */
static int list_newest(struct session *input)
{
	struct siblings siblings;
	int status;

	siblings_find(&siblings, INPUT_DEFAULT);
	status = session_list(input, siblings.n ? siblings.paths[0] : NULL);
	if (!status)
		siblings_say_others(&siblings);
	siblings_release(&siblings);
	return status;
}

/* Sessions may lie a folder deeper, as jobs put them there (CINSTR_DATA=out/%j/%p). */
static void say_no_data(const char *path)
{
	DIR *folder = files_list(path, 0);
	struct dirent *entry;
	STRBUF(sub);
	STRBUF(deeper);
	size_t n = 0;

	while (folder && (entry = readdir(folder))) {
		strbuf_clear(&sub);
		strbuf_printf(&sub, "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.' && is_session_folder(sub.text) && !n++)
			strbuf_visible(&deeper, sub.text);
	}
	if (folder)
		closedir(folder);
	strbuf_clear(&sub);
	strbuf_visible(&sub, path);
	if (!n)
		error("%s: the folder holds no data (no *%s file)", sub.text, CINSTR_FILE_SUFFIX);
	else if (n == 1)
		error("%s: the folder holds no data, but %s does", sub.text, deeper.text);
	else
		error("%s: the folder holds no data, but %zu folders in it do: %s is one of them", sub.text,
		      n, deeper.text);
}

int session_open(struct session *input, const char *path)
{
	if (path ? session_list(input, path) : list_newest(input))
		return -1;
	if (!input->n_folders && input->n_files == 1)
		samples_add(input);
	if (input->n_files > 1) {
		companions_set_aside(input);
		beside_set_aside(input);
		twins_find(input);
	}
	for (size_t i = 0; i < input->n_folders; i++)
		session_messages_say(input->folders[i]);
	if (input->n_files)
		return 0;
	say_no_data(input->path);
	return -1;
}

static void problems_say(const struct data *data, int usable)
{
	const char *path = util_shown(data->path);

	for (size_t i = 0; i < data->n_problems && i < PROBLEMS_MAX; i++) {
		const char *reason = util_shown(data->problems[i].reason);
		unsigned long long offset = data->problems[i].offset;

		if (!usable)
			error("%s: %s", path, reason);
		else
			warning("%s: at byte %llu: %s", path, offset, reason);
	}
	if (data->n_problems > PROBLEMS_MAX)
		warning("%s: and %zu more problems", path, data->n_problems - PROBLEMS_MAX);
}

/* Warns about a file without data, unless its process runs: that is still starting. */
static void begun_not_say(const struct data *data)
{
	struct cinstr_header header;

	if (first_bytes(data->path, &header, sizeof(header)) == sizeof(header) &&
	    process_of(data->path, &header))
		return;

	warning("%s: no data: its process is starting, was stopped while starting, or the file was emptied",
		util_shown(data->path));
}

/* Samples that were taken beside the recording. */
static void samples_join(const struct session *input, struct data *data)
{
	const char *path = beside_find(input->beside, data->path);
	struct data *sampled = path && !data->sampled && !data->merged ? xcalloc(1, sizeof(*sampled)) : NULL;

	if (!sampled) {
		mixed_join_own(data);
		return;
	}
	if (data_open(sampled, path) || !sampled->sampled) {
		if (!sampled->not_begun)
			data_problem(data, 0, "its samples cannot be read (%s)", util_basename(path));
		data_release(sampled);
		free(sampled);
		return;
	}
	for (size_t i = 0; i < sampled->n_problems; i++)
		data_problem(data, sampled->problems[i].offset, "%s (of its samples %s)",
			     sampled->problems[i].reason, util_basename(path));
	mixed_join(data, sampled);
}

/* What other files of the session have of the process. */
static void others_join(const struct session *input, struct data *data)
{
	companions_join(input->companions, data);
	if (!input->is_of_calls)
		samples_join(input, data);
}

int session_open_one(struct session *input, size_t number, struct data *data)
{
	int usable = !data_open_by(data, input->files[number],
				   &(struct data_opening){ .note_end = recording_note_end,
							   .is_over = input->is_over });

	twins_note(input, number, data);
	if (usable)
		others_join(input, data);
	if (data->not_begun && input->n_files > 1) {
		begun_not_say(data); /* nothing is lost */
		return STATUS_OK;
	}
	problems_say(data, usable);
	input->n_usable += (size_t)usable;
	return data->n_problems ? STATUS_DATA : STATUS_OK;
}

/* Keeps a file for a second visit, or releases it: data of a live process cannot be read the same
 * way again, others are kept as long as there is room for them. */
static void keep_or_release(struct session *input, size_t i, struct data *data)
{
	if (!input->keeps || !data->header ||
	    (input->n_files > 1 && input->kept_bytes + data->file_bytes > KEPT_BYTES_MAX &&
	     !process_of(data->path, data->header))) {
		data_release(data);
		return;
	}
	input->kept[i] = *data;
	input->kept_bytes += data->file_bytes;
}

/* Files being opened ahead of who visits them: data, usable of each that is visited. */
struct opening {
	const struct session *input;
	struct data *data;
	uint8_t *usable;
};

/* How many files are visited, and which one is the i-th of these. */
static size_t n_visited(const struct session *input)
{
	if (!input->n_shares)
		return input->n_files;
	return (input->n_files + input->n_shares - 1 - input->share) / input->n_shares;
}

static size_t number_of(const struct session *input, size_t i)
{
	return input->n_shares ? input->share + i * input->n_shares : i;
}

static void open_one(void *arg, size_t i)
{
	struct opening *opening = arg;
	const struct session *input = opening->input;
	const struct data_opening how = { input->tables, recording_note_end, input->is_to_merge,
					  input->is_over };
	size_t number = number_of(input, i);

	if (input->kept && input->kept[number].path)
		return;
	opening->usable[i] = !data_open_by(&opening->data[i], input->files[number], &how);
	twins_note(input, number, &opening->data[i]);
	if (opening->usable[i])
		others_join(input, &opening->data[i]);
}

/* Whether there are files of which no more than two should be in memory at a time. */
static int are_large(const struct session *input)
{
	struct stat st;

	for (size_t i = 0; i < input->n_files; i++)
		if (!stat(input->files[i], &st) && (uint64_t)st.st_size > LARGE_BYTES)
			return 1;
	return 0;
}

/* Visits all files in their order, opened by several threads. */
static void each_opened(struct session *input,
			void (*visit)(struct session *input, size_t i, struct data *data, int usable,
				      void *arg),
			void *arg)
{
	size_t n = n_visited(input);
	struct opening opening = { input, xcalloc(n, sizeof(*opening.data)), xcalloc(n, 1) };
	struct workers *tasks;

	if (!input->tables)
		input->tables = module_cache_new();
	tasks = workers_begin(n, are_large(input) ? 1 : workers_threads(), open_one, &opening);
	if (input->is_silent || !terminal_is_watched())
		progress_begin("reading", n, n == 1 ? "the data file" : "files");
	for (size_t i = 0; i < n; i++) {
		workers_wait(tasks, i);
		progress_at(i + 1);
		visit(input, number_of(input, i), &opening.data[i], opening.usable[i], arg);
	}
	progress_end();
	workers_end(tasks);
	free(opening.data);
	free(opening.usable);
}

struct visiting {
	void (*visit)(void *arg, struct data *data);
	void *arg;
	int status;
};

static void visit_first(struct session *input, size_t i, struct data *data, int usable, void *arg)
{
	struct visiting *v = arg;

	if (data->not_begun && input->n_files > 1) {
		if (!input->is_quiet)
			begun_not_say(data); /* nothing is lost */
		data_release(data);
		return;
	}
	if (!input->is_quiet)
		problems_say(data, usable);
	if (data->n_problems)
		v->status = STATUS_DATA;
	if (usable && copies_leave_out(input, i, data)) {
		data_release(data);
		return;
	}
	if (usable) {
		input->n_usable++;
		v->visit(v->arg, data);
	}
	keep_or_release(input, i, data);
}

int session_each(struct session *input, void (*visit)(void *arg, struct data *data), void *arg)
{
	struct visiting visiting = { visit, arg, STATUS_OK };

	if (input->keeps)
		input->kept = xcalloc(input->n_files, sizeof(*input->kept));
	each_opened(input, visit_first, &visiting);
	return input->n_usable || input->n_shares ? visiting.status : STATUS_DATA;
}

static void visit_again(struct session *input, size_t i, struct data *data, int usable, void *arg)
{
	struct visiting *v = arg;

	if (input->kept && input->kept[i].path) {
		v->visit(v->arg, &input->kept[i]);
		return;
	}
	if (usable && !(input->left_out && input->left_out[i]))
		v->visit(v->arg, data);
	data_release(data);
}

static void visit_quietly(struct session *input, size_t i, struct data *data, int usable, void *arg)
{
	struct visiting *v = arg;

	(void)input;
	(void)i;
	if (usable)
		v->visit(v->arg, data);
	data_release(data);
}

void session_each_quietly(struct session *input, void (*visit)(void *arg, struct data *data), void *arg)
{
	struct visiting visiting = { visit, arg, STATUS_OK };

	each_opened(input, visit_quietly, &visiting);
}

void session_again(struct session *input, void (*visit)(void *arg, struct data *data), void *arg)
{
	struct visiting visiting = { visit, arg, STATUS_OK };

	each_opened(input, visit_again, &visiting);
}

void session_release(struct session *input)
{
	for (size_t i = 0; i < input->n_files; i++) {
		if (input->kept)
			data_release(&input->kept[i]);
		free(input->files[i]);
	}
	free(input->kept);
	for (size_t i = 0; i < input->n_folders; i++)
		free(input->folders[i]);
	free(input->folders);
	module_cache_release(input->tables);
	companions_read_release(input->companions);
	beside_files_release(input->beside);
	free(input->twins);
	map_release(&input->seen);
	free(input->left_out);
	free(input->files);
	free(input->path);
	*input = (struct session){ 0 };
}
