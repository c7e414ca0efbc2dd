/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record_end.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file/open_time.h"
#include "lib/util.h"
#include "program_check.h"
#include "runtime/process/folder.h"
#include "runtime/process/session.h"
#include "session/beside_files.h"
#include "session/pack_session.h"
#include "session/processes.h"
#include "session/rule_check.h"
#include "session/session.h"
#include "session/session_messages.h"

#define SHOWN_PIDS 4

/* ---- how the program ended ------------------------------------------------------------------- */

/* The data file of the program as it was last, if its end is not noted in full: after an exec there
 * are several of its pid, and those before it are not what has ended now. */
static const char *file_of(const struct session *input, pid_t pid)
{
	int is_noted = 0;
	const char *found = NULL;
	uint64_t latest = 0;

	for (size_t i = 0; i < input->n_files; i++) {
		struct cinstr_header header;

		if (session_header(input->files[i], &header) || header.pid != (uint32_t)pid ||
		    process_is_companion(&header) || (found && header.start_realtime_ns < latest))
			continue;
		found = input->files[i];
		latest = header.start_realtime_ns;
		is_noted = process_end_is_known(&header) &&
			   !(header.end == CINSTR_END_EXIT && header.end_status < 0);
	}
	return is_noted ? NULL : found;
}

#define WRITE_FIELD(fd, field, value) \
	(pwrite(fd, &(value), sizeof(value), offsetof(struct cinstr_header, field)) == (ssize_t)sizeof(value))

static int write_fields(int fd, pid_t pid, int status)
{
	uint32_t end = WIFSIGNALED(status) ? CINSTR_END_SIGNAL : CINSTR_END_EXIT;
	int32_t end_status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	uint64_t now = util_realtime_ns(), end_ticks;
	struct cinstr_header header;

	/* Looks again: the file may have been replaced by another one. */
	if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    memcmp(header.magic, CINSTR_FILE_MAGIC, sizeof(header.magic)) || header.pid != (uint32_t)pid)
		return -1;
	/* What was open when a signal came was open up to now; after exit nothing counts but what
	 * the probes of destructors have told. */
	end_ticks = header.end_ticks;
	if (!end_ticks || (header.end == CINSTR_END_HANDLERS && WIFSIGNALED(status)))
		end_ticks = open_time_stamp(&header, util_raw_ns());
	return WRITE_FIELD(fd, end_ticks, end_ticks) && WRITE_FIELD(fd, end_status, end_status) &&
			       WRITE_FIELD(fd, end_realtime_ns, now) && WRITE_FIELD(fd, end, end)
		       ? 0
		       : -1;
}

static void write_end(const struct session *input, pid_t pid, int status)
{
	const char *path = file_of(input, pid);
	int fd;

	if (!path)
		return;
	fd = folder_open_trusted_file(session_folder(), util_basename(path), O_RDWR);
	if (fd < 0 || write_fields(fd, pid, status))
		warning("%s: how the program ended could not be saved", path);
	if (fd >= 0)
		close(fd);
}

/* ---- what was recorded ----------------------------------------------------------------------- */

struct summary {
	uint64_t processes, threads, events, bytes;
	struct rule_check rules;
	uint64_t n_running;
	uint32_t running[SHOWN_PIDS];
};

static void summarize(void *arg, struct data *data)
{
	struct summary *summary = arg;

	rule_check_add(&summary->rules, data);
	summary->processes++;
	summary->bytes += data->file_bytes;
	for (size_t i = 0; i < data->n_threads; i++) {
		uint32_t members = data->threads[i].record->members;

		summary->threads += members ? members : 1;
		summary->events += data->threads[i].state->events;
	}
}

/* Those that go on: daemons, and what the program has left in the background. Some may not have
 * begun their files. */
static void find_running(const struct session *input, struct summary *summary)
{
	for (size_t i = 0; i < input->n_files; i++) {
		struct cinstr_header header;
		int fd = folder_open_trusted_file(session_folder(), util_basename(input->files[i]), O_RDONLY);
		uint32_t pid = 0;

		if (fd >= 0 && pread(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header))
			pid = process_of(input->files[i], &header);
		if (fd >= 0)
			close(fd);
		if (pid && summary->n_running++ < SHOWN_PIDS)
			summary->running[summary->n_running - 1] = pid;
	}
}

/* What has to be said to a command for this session: nothing, if it is the one it takes by
 * itself. */
static void put_operand(struct strbuf *line, const char *shown)
{
	if (!strcmp(shown, INPUT_DEFAULT))
		return;
	strbuf_puts(line, " ");
	strbuf_visible(line, shown);
}

static void say_running(const struct summary *s, const char *shown)
{
	STRBUF(line);

	if (!s->n_running)
		return;
	strbuf_thousands(&line, s->n_running);
	strbuf_printf(&line, " process%s (", s->n_running == 1 ? "" : "es");
	for (size_t i = 0; i < s->n_running && i < SHOWN_PIDS; i++)
		strbuf_printf(&line, "%s%u", i ? ", " : "", s->running[i]);
	strbuf_puts(&line,
		    s->n_running > SHOWN_PIDS ? ", ...). See cinstr control" : "). See cinstr control");
	put_operand(&line, shown);
	print_visible(stderr, "cinstr: still recording: %s status\n", line.text);
}

const char *record_shown_path(const char *path)
{
	static char folder[SESSION_PATH_MAX];
	size_t n;

	if (!getcwd(folder, sizeof(folder)))
		return path;
	n = strlen(folder);
	return !strncmp(path, folder, n) && path[n] == '/' ? path + n + 1 : path;
}

static void say_recorded(const struct summary *s, const char *shown)
{
	STRBUF(line);

	if (!s->processes)
		return;
	strbuf_thousands(&line, s->processes);
	strbuf_printf(&line, " process%s, ", s->processes == 1 ? "" : "es");
	strbuf_thousands(&line, s->threads);
	strbuf_printf(&line, " thread%s, ", s->threads == 1 ? "" : "s");
	strbuf_thousands(&line, s->events);
	strbuf_printf(&line, " event%s in ", s->events == 1 ? "" : "s");
	strbuf_visible(&line, shown);
	strbuf_puts(&line, " (");
	strbuf_size(&line, s->bytes);
	strbuf_puts(&line, "). Look at it with: cinstr summary");
	put_operand(&line, shown);
	print_visible(stderr, "cinstr: recorded %s\n", line.text);
}

/* The files of many short processes would take gigabytes, so they are packed. Large ones are not:
 * mapped, as they are, they are read faster. */
static void pack_ended(struct session *input, const char *session, struct summary *summary)
{
	static const struct pack_limits limits = { 1 << 20, 32 << 20 };
	struct pack_result result;

	session_leave();
	if (session_is_live(session))
		return;
	pack_session(input, PACK, &limits, &result);
	summary->bytes -= result.sizes.before - result.sizes.after;
}

static void say_summary(struct summary *summary, const char *session, struct record_outcome *outcome)
{
	const char *shown = record_shown_path(session);

	if (outcome)
		*outcome = (struct record_outcome){ summary->processes != 0, summary->events };
	else
		say_recorded(summary, shown);
	say_running(summary, shown);
	rule_check_end(&summary->rules);
}

/* The program's processes know better why than its file tells. */
static void say_missing(const char *what, const char *session, const char *program, const char *hint)
{
	STRBUF(why);

	if (session_messages_say(session)) {
		warning("%s", what);
		return;
	}
	program_why_not_recorded(&why, program);
	warning("%s: %s%s", what, why.text, hint);
}

static void finish_with_data(struct session *input, const char *session, pid_t pid, int status,
			     struct record_outcome *outcome)
{
	struct summary summary = { 0 };

	write_end(input, pid, status);
	find_running(input, &summary);
	input->is_of_calls = 1;
	session_each(input, summarize, &summary);
	session_keep();
	pack_ended(input, session, &summary);
	say_summary(&summary, session, outcome);
	session_messages_say(session);
}

/* Whether this is the name of the folder that session_create made; 0 also if there is none. */
static int is_folder(const char *path, const struct stat *made)
{
	struct stat found;

	return !stat(path, &found) && found.st_dev == made->st_dev && found.st_ino == made->st_ino;
}

int record_is_gone(char *session)
{
	char link[64], now[SESSION_PATH_MAX];
	struct stat made;
	ssize_t n;

	if (session_folder() < 0 || fstat(session_folder(), &made) || is_folder(session, &made))
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", session_folder());
	n = readlink(link, now, sizeof(now) - 1);
	now[n > 0 ? n : 0] = '\0';
	if (is_folder(now, &made)) {
		warning("%s: the session's folder was moved while it was recorded",
			record_shown_path(session));
		strcpy(session, now);
		return 0;
	}
	error("%s: nothing is left of what was recorded: the session's folder was deleted meanwhile",
	      record_shown_path(session));
	session_keep();
	return 1;
}

int record_has_calls(const char *session)
{
	struct session input;
	int found = 0;

	if (session_list(&input, session))
		return 0;
	for (size_t i = 0; i < input.n_files && !found; i++) {
		struct cinstr_header header;

		found = !session_header(input.files[i], &header) &&
			header.method == CINSTR_METHOD_INSTRUMENTATION;
	}
	session_release(&input);
	return found;
}

void record_say_no_calls(const char *session, const char *program)
{
	say_missing("no calls were recorded, only samples", session, program, "");
}

void record_finish(const char *session, const char *program, pid_t pid, int status,
		   struct record_outcome *outcome)
{
	struct session input;
	int failed = session_list(&input, session);

	if (!failed && input.n_files > 1)
		beside_set_aside(&input);
	if (!failed && input.n_files) {
		finish_with_data(&input, session, pid, status, outcome);
		session_release(&input);
		return;
	}
	if (failed) {
		session_messages_say(session);
		session_keep();
	} else {
		say_missing("nothing was recorded", session, program,
			    ". Samples can be taken of any program: cinstr record --sample");
		session_undo();
	}
	session_release(&input);
}
