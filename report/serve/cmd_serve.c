/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_serve.c - cinstr serve: the page of `cinstr html` from a server on this machine, for sessions
 * that are too large for a file or are being recorded. The main thread waits for signals and for
 * pages that poll; a child process reads (reading.h); the server's thread answers (http.h) from
 * content.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "content.h"
#include "http.h"
#include "lib/files.h"
#include "lib/temporary.h"
#include "reading.h"
#include "session/session.h"

#define PATHS_MOST 2000000
#define SOURCE_MOST 20000000
#define NS_PER_MS 1000000u
#define PORT_MOST 65535
/* A session is read again at most so often, and takes at most this part of the time. */
#define EVERY_MS 2000
#define EVERY_FACTOR 4

struct serve_options {
	int open;
	uint64_t port;
	struct html_asked asked;
};

static const struct option serve_options[] = {
	{ "open", 0, OPTION_FLAG, NULL, offsetof(struct serve_options, open), "open it in the browser",
	  NULL },
	{ "port", 0, OPTION_NUMBER, "N", offsetof(struct serve_options, port), "the port of 127.0.0.1",
	  "any that is free" },
	HTML_OPTIONS(struct serve_options, asked, "2000000", "leave out the lines of sources", "20000000"),
	READING_OPTIONS(struct serve_options, asked.view),
};

struct serve {
	struct reading_wish wish;
	char *folder; /* of our own; NULL: none so far */
	struct content content;
	struct http http;
	struct reading reading;
	int signals_fd;
	struct strbuf seen;  /* what the files looked like when they were last read */
	int was_live;	     /* one of them, then */
	int is_asked;	     /* a page wants to know */
	int is_wanted;	     /* ... to see another range of time, now */
	uint64_t not_before; /* realtime, ns: the next reading */
};

/* ---- what there is to be read ---------------------------------------------------------------- */

/* What changes with the files of a session. Returns whether it is being recorded. */
static int look_at(const char *path, struct strbuf *seen)
{
	struct session input;
	struct stat st;
	int is_live = 0;

	if (!session_list(&input, path)) {
		is_live = input.is_live;
		strbuf_printf(seen, "%s:", input.path);
		for (size_t i = 0; i < input.n_files; i++)
			if (!stat(input.files[i], &st))
				strbuf_printf(seen, "%s %llu %lld %lld.%09ld;", input.files[i],
					      (unsigned long long)st.st_ino, (long long)st.st_size,
					      (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	}
	session_release(&input);
	return is_live;
}

/* ... of both sessions. */
static int look_at_all(struct serve *serve, struct strbuf *seen)
{
	struct reading_wish *wish = &serve->wish;

	strbuf_clear(seen);
	wish->is_live = look_at(wish->html.path, seen);
	wish->is_other_live = wish->html.other && look_at(wish->html.other, seen);
	return wish->is_live || wish->is_other_live;
}

/* 0, or -1 after an error message. */
static int begin_reading(struct serve *serve)
{
	serve->was_live = look_at_all(serve, &serve->seen);
	if (serve->was_live && !serve->folder) {
		serve->folder = temporary_make("serve");
		if (!serve->folder)
			return -1;
	}
	serve->wish.folder = serve->folder;
	serve->is_asked = serve->is_wanted = 0;
	return reading_begin(&serve->reading, &serve->wish);
}

static int has_changed(struct serve *serve)
{
	STRBUF(now);
	int changed;

	changed = look_at_all(serve, &now) || serve->was_live || !serve->seen.text ||
		  strcmp(now.text, serve->seen.text) != 0;
	return changed;
}

/* A reading has ended. 0: there is a new edition. */
static int end_reading(struct serve *serve, int status)
{
	uint64_t now = util_realtime_ns(), took = now - serve->reading.begin_ns, every;
	char *list;
	int fd = reading_end(&serve->reading, status, &list);
	int failed = fd < 0 || content_add(&serve->content, fd, list);

	every = took * EVERY_FACTOR / NS_PER_MS;
	every = every > EVERY_MS ? every : EVERY_MS;
	serve->not_before = now + every * NS_PER_MS;
	content_set_state(&serve->content, serve->was_live, (unsigned)every, failed ? list : NULL);
	free(list);
	return failed ? -1 : 0;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Signals, by a descriptor. Returns the one that ends us, or 0. */
static int take_signals(struct serve *serve)
{
	struct signalfd_siginfo signal;
	int status, ending = 0;

	while (read(serve->signals_fd, &signal, sizeof(signal)) == sizeof(signal)) {
		if (signal.ssi_signo != SIGCHLD)
			ending = (int)signal.ssi_signo;
		else if (serve->reading.pid > 0 && waitpid(serve->reading.pid, &status, WNOHANG) > 0)
			end_reading(serve, status);
	}
	while (!serve->reading.pid && waitpid(-1, NULL, WNOHANG) > 0)
		; /* what opened the browser */
	return ending;
}

static int wait_ms(const struct serve *serve)
{
	uint64_t now = util_realtime_ns();

	if (!serve->is_asked || serve->reading.pid > 0)
		return -1;
	return now < serve->not_before && !serve->is_wanted ? (int)((serve->not_before - now) / NS_PER_MS) + 1
							    : 0;
}

/* Until a signal ends it, or, if `once`, the reading. Returns the signal, or 0. */
static int serve_on(struct serve *serve, int once)
{
	struct pollfd fds[] = { { .fd = serve->signals_fd, .events = POLLIN },
				{ .fd = serve->content.asked_fd, .events = POLLIN } };
	uint64_t times;
	int ending;

	for (;;) {
		if (poll(fds, ARRAY_SIZE(fds), wait_ms(serve)) < 0 && errno != EINTR)
			return SIGTERM;
		ending = take_signals(serve);
		if (ending || (once && serve->reading.pid <= 0))
			return ending;
		if (read(serve->content.asked_fd, &times, sizeof(times)) == sizeof(times))
			serve->is_asked = 1;
		serve->is_wanted |=
			content_take_range(&serve->content, &serve->wish.from_ns, &serve->wish.to_ns);
		if (!wait_ms(serve)) {
			serve->is_asked = 0;
			if (serve->is_wanted || has_changed(serve))
				begin_reading(serve);
		}
	}
}

/* ---- opening it in the browser --------------------------------------------------------------- */

/* The token is in no argument, which everybody can see, but in a file that only we can read. */
static char *write_redirection(const char *folder, const char *address)
{
	struct strbuf name = { 0 };
	FILE *out;
	int fd;

	strbuf_printf(&name, "%s/open.html", folder);
	fd = files_make(name.text);
	out = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (out)
		fprintf(out,
			"<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>cinstr</title>\n"
			"<meta http-equiv=\"refresh\" content=\"0;url=%s\">\n<a href=\"%s\">cinstr</a>\n",
			address, address);
	if (out && !fclose(out))
		return name.text;
	error("serve: %s: %s", name.text, strerror(errno));
	strbuf_release(&name);
	return NULL;
}

static void open_browser(struct serve *serve, const char *address)
{
	extern char **environ;
	char program[] = "xdg-open";
	char *file, *words[] = { program, NULL, NULL };
	posix_spawnattr_t attributes;
	sigset_t none;
	pid_t pid;
	int why;

	if (!serve->folder)
		serve->folder = temporary_make("serve");
	file = serve->folder ? write_redirection(serve->folder, address) : NULL;
	if (!file)
		return;
	words[1] = file;
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	why = posix_spawnp(&pid, program, NULL, &attributes, words, environ);
	posix_spawnattr_destroy(&attributes);
	if (why)
		warning("serve: --open needs xdg-open (Debian: xdg-utils): %s", strerror(why));
	free(file);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int watch_signals(struct serve *serve)
{
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	sigaddset(&ours, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ours, NULL); /* in the server's thread, too */
	signal(SIGPIPE, SIG_IGN);
	serve->signals_fd = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
	if (serve->signals_fd >= 0)
		return 0;
	return error("serve: %s", strerror(errno));
}

static int serve_pages(struct serve *serve, const struct serve_options *options)
{
	STRBUF(address);

	strbuf_printf(&address, "http://127.0.0.1:%u/%s/", serve->http.access.port, serve->http.access.token);
	printf("%s\n", address.text);
	if (isatty(STDOUT_FILENO))
		printf("Open it in a browser on this machine. Ctrl+C ends it.\n");
	fflush(stdout);
	if (options->open)
		open_browser(serve, address.text);
	serve_on(serve, 0);
	return STATUS_OK;
}

static int serve_session(struct serve *serve, const struct serve_options *options)
{
	int status = STATUS_DATA;

	if (watch_signals(serve) || content_init(&serve->content))
		return STATUS_DATA;
	serve->wish.is_first = 1;
	if (!begin_reading(serve) && !serve_on(serve, 1) && serve->content.now.number) {
		serve->wish.is_first = 0;
		if (!http_start(&serve->http, (unsigned)options->port, content_find, &serve->content))
			status = serve_pages(serve, options);
		http_stop(&serve->http);
	}
	reading_stop(&serve->reading);
	content_release(&serve->content);
	if (serve->folder)
		temporary_remove(serve->folder);
	free(serve->folder);
	strbuf_release(&serve->seen);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct serve_options options = { .open = 0 };
	struct serve serve = { .signals_fd = -1 };
	int status;

	html_asked_init(&options.asked, PATHS_MOST, SOURCE_MOST);
	status = html_asked_parse(&options.asked, command, argc, argv, &options);
	if (status != HTML_GO_ON)
		return status;
	if (options.port > PORT_MOST)
		return error_usage("serve: --port=%llu: ports are 1 to %d", (unsigned long long)options.port,
				   PORT_MOST);
	serve.wish.html = options.asked.wish;
	status = serve_session(&serve, &options);
	selection_release(&options.asked.view.selection);
	return status;
}

const struct command command_serve = {
	.name = "serve",
	.operands = "[A] [-- B]",
	.summary = "Shows a session (default: cinstr.data) in a browser on this machine,\n"
		   "also while it is being recorded, and one that is too large for cinstr html.",
	OPTIONS_OF(serve_options),
	.max_operands = 3,
	.notes = "A and B are folders or files of sessions. With B the page tells what changed from A to B.\n"
		 "It prints the address, with a token that is new each time. Without the token other\n"
		 "users of this machine and other web pages cannot read the session. Ctrl+C ends it.\n"
		 "It needs libmicrohttpd.\n",
	.examples = "  cinstr serve --open                the last session, in the browser\n"
		    "  cinstr serve --port=8080 old.data  another one, on this port\n"
		    "  cinstr serve before.data -- after.data   and what changed\n",
	.run = run,
};
