/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reading.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/snapshot.h"
#include "control/target.h"
#include "lib/temporary.h"
#include "lib/util.h"

#define WORDS_MOST 65536
#define LIST_MOST (1 << 20)

/* ---- in the process that reads --------------------------------------------------------------- */

/* The folder that it is in; NULL after an error message. */
static char *make_snapshot(const char *path, const char *folder, const char *name_there)
{
	STRBUF(name);
	FREED struct snapshot_file *files = NULL;
	struct target target;
	char *made;

	if (target_open(&target, path)) {
		target_release(&target);
		return NULL;
	}
	files = xcalloc(target.n + 1, sizeof(*files));
	for (size_t i = 0; i < target.n; i++)
		files[i] =
			(struct snapshot_file){ target.processes[i].path, target.processes[i].pid != 0, 0 };
	strbuf_printf(&name, "%s/%s", folder, name_there);
	temporary_remove(name.text); /* of a reading that was stopped */
	if (target.n)
		made = snapshot_make(target.folder, files, target.n, name.text);
	else
		made = NULL, error("%s: it holds no data yet", target.folder);
	target_release(&target);
	return made;
}

/* The same view, of a range of time. */
static int view_of_range(struct view_options *view, const struct reading_wish *wish)
{
	static struct strbuf from, to;

	*view = *wish->html.view;
	if (!wish->to_ns)
		return STATUS_OK;
	strbuf_printf(&from, "%lluns", (unsigned long long)wish->from_ns);
	strbuf_printf(&to, "%lluns", (unsigned long long)wish->to_ns);
	view->selection.state = NULL;
	view->selection.file = view->selection.save = NULL;
	view->selection.from = from.text;
	view->selection.to = to.text;
	return selection_check(&view->selection);
}

static int read_session(const struct reading *reading, const struct reading_wish *wish)
{
	struct view_options view;
	struct html_wish html = wish->html;
	FILE *out = fdopen(reading->data_fd, "w"), *list = fdopen(reading->list_fd, "w");
	char *snapshots[2] = { NULL, NULL };
	int status, failed, is_whole = 0;

	if (!out || !list || view_of_range(&view, wish))
		return STATUS_DATA;
	html.view = &view;
	html.parts = list;
	html.shown_as = html.path ? html.path : INPUT_DEFAULT;
	html.other_shown_as = html.other;
	if (wish->is_live && !(html.path = snapshots[0] = make_snapshot(html.path, wish->folder, "a")))
		return STATUS_DATA;
	if (wish->is_other_live &&
	    !(html.other = snapshots[1] = make_snapshot(html.other, wish->folder, "b")))
		return STATUS_DATA;
	status = html_write(out, &html, &is_whole);
	failed = ferror(out) | ferror(list);
	failed |= fclose(out) | fclose(list);
	if (failed)
		error("serve: there is no memory for the page");
	for (int i = 0; i < 2; i++) {
		if (snapshots[i])
			temporary_remove(snapshots[i]);
		free(snapshots[i]);
	}
	return failed || (!is_whole && !status) ? STATUS_DATA : status;
}

static void be_the_reader(const struct reading *reading, const struct reading_wish *wish, pid_t parent)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_DATA);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_IGN); /* the terminal's: who serves ends us */
	if (!wish->is_first)
		dup2(reading->words_fd, STDERR_FILENO);
	_exit(read_session(reading, wish));
}

/* ---- in the process that serves -------------------------------------------------------------- */

static void close_all(struct reading *reading)
{
	int *fds[] = { &reading->data_fd, &reading->list_fd, &reading->words_fd };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
	reading->pid = 0;
}

int reading_begin(struct reading *reading, const struct reading_wish *wish)
{
	pid_t parent = getpid();

	*reading = (struct reading){ .data_fd = memfd_create("cinstr-page", MFD_CLOEXEC),
				     .list_fd = memfd_create("cinstr-list", MFD_CLOEXEC),
				     .words_fd = memfd_create("cinstr-words", MFD_CLOEXEC),
				     .begin_ns = util_realtime_ns() };
	if (reading->data_fd >= 0 && reading->list_fd >= 0 && reading->words_fd >= 0) {
		fflush(NULL);
		reading->pid = fork();
		if (!reading->pid)
			be_the_reader(reading, wish, parent);
		if (reading->pid > 0)
			return 0;
	}
	error("serve: %s", strerror(errno));
	close_all(reading);
	return -1;
}

static char *text_of(int fd, size_t most)
{
	struct stat st;
	char *text;
	ssize_t n = 0;

	if (fstat(fd, &st) || (size_t)st.st_size > most)
		return xstrdup("");
	text = xcalloc((size_t)st.st_size + 1, 1);
	n = pread(fd, text, (size_t)st.st_size, 0);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* The last line of what was said. */
static char *last_line(char *words)
{
	static const char prefix[] = "cinstr: ";
	size_t n = strlen(words);
	char *line;

	while (n && words[n - 1] == '\n')
		words[--n] = '\0';
	line = strrchr(words, '\n');
	line = line ? line + 1 : words;
	if (!strncmp(line, prefix, sizeof(prefix) - 1))
		line += sizeof(prefix) - 1;
	return xstrdup(*line ? line : "It could not be read.");
}

int reading_end(struct reading *reading, int status, char **list)
{
	int fd = -1;

	/* The page is its last part: all others are there, too. What was wrong with data is said
	 * in it. */
	*list = text_of(reading->list_fd, LIST_MOST);
	if (WIFEXITED(status) && WEXITSTATUS(status) != STATUS_USAGE && strstr(*list, "\npage ")) {
		fd = reading->data_fd;
		reading->data_fd = -1;
	} else {
		FREED char *words = text_of(reading->words_fd, WORDS_MOST);

		free(*list);
		*list = last_line(words);
	}
	close_all(reading);
	return fd;
}

void reading_stop(struct reading *reading)
{
	if (reading->pid <= 0)
		return;
	kill(reading->pid, SIGKILL);
	while (waitpid(reading->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close_all(reading);
}
