/* SPDX-License-Identifier: GPL-3.0-or-later */
/* merging.c - see merging.h. */
#include "merging.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/module_cache.h"
#include "lib/files.h"
#include "lib/util.h"
#include "session/copies.h"
#include "session/session.h"

#define STREAM "-"
/* With fewer inputs for each share their files are divided. */
#define INPUTS_EACH 8

void merging_init(struct merging *m, uint32_t share, uint32_t n_shares)
{
	*m = (struct merging){ .status = STATUS_OK, .share = share, .n_shares = n_shares };
	m->tables = module_cache_new();
	union_init(&m->u);
}

void merging_release(struct merging *m)
{
	union_release(&m->u);
	map_release(&m->seen);
	strbuf_release(&m->twice);
	module_cache_release(m->tables);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static void skip(struct merging *m, const char *path, const char *why)
{
	error("%s: skipped: %s", util_shown(path), why);
	m->n_skipped++;
	m->status = STATUS_DATA;
}

/* ---- the same process twice ------------------------------------------------------------------ */

/* Files that are named; of the others only the number is told. */
#define TWICE_MOST 5

/* Notes what is to be said in the end. A merged file that also has others cannot be taken apart. */
static void skip_twice(struct merging *m, const struct data *data, uint32_t n_twice)
{
	uint32_t n = copies_in(data);
	struct strbuf *text = &m->twice;

	if (n_twice < n) {
		m->n_partial++;
		m->status = STATUS_DATA;
	} else if (m->n_twice++ >= TWICE_MOST) {
		return;
	}
	strbuf_visible(text, data->path);
	strbuf_puts(text, ": skipped: ");
	if (n_twice < n)
		strbuf_printf(text, "%u of its %u processes are merged already, the others are lost", n_twice,
			      n);
	else if (n == 1)
		strbuf_printf(text, "its process (pid %u) is merged already",
			      data->merged ? data->merged->contributors[0].pid : data->header->pid);
	else
		strbuf_printf(text, "its %u processes are merged already", n);
	strbuf_add(text, "\n", 1);
}

static void say_twice(struct merging *m)
{
	for (char *line = m->twice.text, *end; line && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		warning("%s", line);
	}
	if (m->n_twice > TWICE_MOST)
		warning("and %zu more files whose processes are merged already", m->n_twice - TWICE_MOST);
}

int merging_has_twice(const struct merging *m)
{
	struct map seen = { 0 };
	struct strbuf key = { 0 };
	int is_new = 1;

	for (size_t i = 0; i < m->u.n_contributors && is_new; i++) {
		const struct merged_contributor *c = &m->u.contributors[i];

		copies_key(&key, c->pid, c->start_realtime_ns, c->host);
		map_add(&seen, key.text, key.length, &is_new);
	}
	map_release(&seen);
	strbuf_release(&key);
	return !is_new;
}

/* A sum of which nobody knows what it is of is worth nothing: what is damaged is left out whole. */
static void visit(void *arg, struct data *data)
{
	struct merging *m = arg;
	const char *why = NULL;
	uint32_t n_twice;

	if (m->pass != MERGING_ALL && (data->merged != NULL) != (m->pass == MERGING_MERGED))
		return;
	n_twice = m->is_distinct && !data->n_problems ? copies_seen(&m->seen, data) : 0;
	if (n_twice) {
		skip_twice(m, data, n_twice);
		return;
	}
	m->n_files++;
	if (data->n_problems)
		why = "it is damaged";
	else if (!data->merged && !data->n_threads && !data->sampled)
		why = "nothing was recorded in it";
	else
		why = union_add_data(&m->u, data);
	if (!why && m->is_distinct)
		copies_note(&m->seen, data);
	if (why)
		skip(m, data->path, why);
}

static int is_mine(struct merging *m)
{
	return m->n_seen++ % m->n_shares == m->share;
}

static void found_add(struct merging *m, const char *name)
{
	do /* FNV-1a, with the end of the string */
		m->found = (m->found ^ (unsigned char)*name) * 1099511628211ull;
	while (*name++);
}

/* Files go on to be dealt out where those of the input before have ended. */
static void divide(struct merging *m, struct session *input)
{
	input->n_shares = m->n_shares;
	input->share = (m->share + m->n_shares - m->n_seen % m->n_shares) % m->n_shares;
	m->n_seen += (uint32_t)input->n_files;
	for (size_t i = 0; i < input->n_files; i++)
		found_add(m, input->files[i]);
}

static void add_session(struct merging *m, const char *path, int divides)
{
	struct session input;
	int failed;

	messages_silence((divides && m->share) || m->pass != MERGING_ALL);
	failed = session_open(&input, path);
	messages_silence(m->pass != MERGING_ALL);
	input.is_to_merge = 1;
	input.tables = m->tables;
	if (divides)
		divide(m, &input);
	if (failed) {
		m->n_skipped++;
		m->status = STATUS_DATA;
	} else {
		if (session_each(&input, visit, m))
			m->status = STATUS_DATA;
		if (!input.n_usable && !m->status && !divides)
			skip(m, path, "it holds no data");
	}
	input.tables = NULL;
	session_release(&input);
}

/* What comes through a pipe is one file, kept in memory. */
static void add_stream(struct merging *m)
{
	int fd = memfd_create("cinstr-merge", MFD_CLOEXEC);
	char path[32], buffer[1 << 16];
	ssize_t n = fd < 0 ? -1 : 0;

	while (fd >= 0 && (n = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0)
		if (write(fd, buffer, (size_t)n) != n) {
			n = -1;
			break;
		}
	if (n < 0) {
		skip(m, "stdin", strerror(errno));
	} else {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		add_session(m, path, 0);
	}
	if (fd >= 0)
		close(fd);
}

static void add_list(struct merging *m, const char *path);

void merging_add(struct merging *m, const char *path)
{
	if (*path == '@') {
		add_list(m, path + 1);
	} else if (!strcmp(path, STREAM)) {
		if (!m->share) /* who has stdin */
			add_stream(m);
	} else if (m->divides_files || is_mine(m)) {
		add_session(m, path, m->divides_files);
	}
}

/* One path a line. */
static void add_list(struct merging *m, const char *path)
{
	FILE *file = files_read(path, FILES_STREAM);
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if (!file) {
		if (!m->share) /* one says so */
			skip(m, path, files_problem(errno));
		return;
	}
	while ((n = getline(&line, &size, file)) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line == '@' && !m->share)
			skip(m, line, "a list in a list");
		else if (*line == '@')
			continue;
		else if (*line)
			merging_add(m, line);
	}
	free(line);
	fclose(file);
}

static size_t count_lines(const char *path)
{
	FILE *file = files_read(path, FILES_STREAM);
	size_t n = 0;

	for (int c; file && (c = getc(file)) != EOF;)
		n += c == '\n';
	if (file)
		fclose(file);
	return n;
}

static size_t count_files(const char *path)
{
	struct session input;
	size_t n;

	messages_silence(1);
	n = session_list(&input, path) ? 0 : input.n_files;
	messages_silence(0);
	session_release(&input);
	return n;
}

static int is_read_once(const char *input)
{
	struct stat st;

	return !strcmp(input, STREAM) || (*input == '@' && !stat(input + 1, &st) && !S_ISREG(st.st_mode));
}

int merging_is_read_once(int n_inputs, char **inputs)
{
	for (int i = 0; i < n_inputs; i++)
		if (is_read_once(inputs[i]))
			return 1;
	return 0;
}

void merging_add_distinct(struct merging *m, int n_inputs, char **inputs, enum merging_pass first)
{
	m->is_distinct = 1;
	for (int k = 0; k < 2; k++) {
		m->pass = !k == (first == MERGING_MERGED) ? MERGING_MERGED : MERGING_PROCESSES;
		for (int i = 0; i < n_inputs; i++)
			merging_add(m, inputs[i]);
	}
	m->pass = MERGING_ALL;
	messages_silence(0);
}

size_t merging_count(int n_inputs, char **inputs, size_t most)
{
	size_t n = 0;

	if (merging_is_read_once(n_inputs, inputs))
		return 0;
	for (int i = 0; i < n_inputs && n < most; i++)
		n += *inputs[i] == '@' ? count_lines(inputs[i] + 1) : count_files(inputs[i]);
	return n;
}

void merging_divide(struct merging *m, int n_inputs, char **inputs)
{
	size_t n = 0;

	if (m->n_shares == 1) /* a list may be a pipe */
		return;
	for (int i = 0; i < n_inputs; i++)
		n += *inputs[i] == '@' ? count_lines(inputs[i] + 1) : 1;
	m->divides_files = n < (size_t)INPUTS_EACH * m->n_shares;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void add_one(void *arg, struct data *data)
{
	struct merging *m = arg;
	const char *why = data->merged ? union_add_data(&m->u, data) : "it is damaged";

	if (why)
		skip(m, data->path, why);
}

int merging_add_memory(struct merging *m, int fd)
{
	struct stat st;
	struct data data;
	char path[32];
	size_t n_before = m->n_skipped;

	if (fstat(fd, &st) || !st.st_size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (data_open_by(&data, path, &(struct data_opening){ .is_to_merge = 1 })) {
		skip(m, path, "it cannot be read");
	} else {
		add_one(m, &data);
	}
	data_release(&data);
	return m->n_skipped == n_before ? 0 : -1;
}

/* ---- output ---------------------------------------------------------------------------------- */

/* A file without a name, where that can be had: whoever is killed leaves nothing. */
static int open_beside(const char *name, const char *temporary, int *is_named)
{
	const char *base = util_basename(name);
	char *folder = strndup(name, (size_t)(base - name));
	int fd = files_make_nameless(*folder ? folder : ".");

	free(folder);
	*is_named = fd < 0;
	return fd >= 0 ? fd : files_make(temporary);
}

static int give_name(int fd, const char *name, const char *temporary, int is_named)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!is_named && !linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW))
		return 0;
	/* What has the name is replaced in one step. */
	if (!is_named && linkat(AT_FDCWD, path, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW))
		return -1;
	if (!rename(temporary, name))
		return 0;
	unlink(temporary);
	return -1;
}

static int write_file(struct union_tree *u, const char *name)
{
	struct strbuf temporary = { 0 };
	FILE *out;
	int is_named, fd, failed, why;

	strbuf_printf(&temporary, "%s.merging.%ld", name, (long)getpid());
	fd = open_beside(name, temporary.text, &is_named);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	failed = !out || union_write(u, out) || fflush(out);
	why = errno;
	if (!failed && give_name(fd, name, temporary.text, is_named)) {
		failed = 1;
		why = errno;
	} else if (failed && is_named && fd >= 0) {
		unlink(temporary.text);
	}
	if (out)
		fclose(out);
	strbuf_release(&temporary);
	errno = why;
	return failed;
}

/* Into a device, a pipe, or what a link names. */
static int write_into(struct union_tree *u, const char *name)
{
	FILE *out = files_write(name);
	int failed = !out || union_write(u, out), why = errno;

	if (out && fclose(out) && !failed) {
		failed = 1;
		why = errno;
	}
	errno = why;
	return failed;
}

static int write_all(struct merging *m, const char *name)
{
	struct union_tree *u = &m->u;
	int failed = !strcmp(name, STREAM)	 ? union_write(u, stdout) || fflush(stdout)
		     : util_is_replaceable(name) ? write_file(u, name)
						 : write_into(u, name);

	if (!failed)
		return STATUS_OK;
	if (strcmp(name, STREAM) || errno != EPIPE)
		error("%s: cannot be written: %s", util_shown(name), strerror(errno));
	return STATUS_DATA;
}

static void say(const struct merging *m, double seconds)
{
	struct strbuf line = { 0 };

	strbuf_thousands(&line, m->u.n_contributors);
	strbuf_printf(&line, " process%s, ", m->u.n_contributors == 1 ? "" : "es");
	strbuf_thousands(&line, m->u.n_nodes - 1);
	strbuf_printf(&line, " call path%s", m->u.n_nodes == 2 ? "" : "s");
	if (seconds > 0) {
		strbuf_puts(&line, ", ");
		strbuf_thousands(&line, (uint64_t)((double)m->u.n_added / seconds));
		strbuf_printf(&line, " nodes added a second for %.2f s", seconds);
		if (m->n_shares > 1)
			strbuf_printf(&line, " by %u processes", (unsigned)m->n_shares);
	}
	print_visible(stderr, "cinstr: merged %s\n", line.text);
	strbuf_release(&line);
}

int merging_finish(struct merging *m, const char *name, uint64_t begin_ns)
{
	int status;

	say_twice(m);
	if (!m->u.n_contributors) {
		error("merge: nothing is left to be merged");
		return STATUS_DATA;
	}
	status = write_all(m, name);
	if (status)
		return status;
	say(m, begin_ns ? (double)(util_raw_ns() - begin_ns) / 1e9 : 0);
	return m->status;
}

int merging_is_asked(const char *output, int n_inputs, const char *example)
{
	if (!output)
		error("merge: where to? -o FILE, or -o - for stdout");
	else if (!n_inputs)
		error("merge: which sessions? For example: %s", example);
	return output && n_inputs;
}
