/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_push.c - cinstr push: sends a session as pprof to a store of profiles, once, or repeatedly
 * what is new. What cannot be sent is kept in a spool, if there is one, and sent by the next push.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "http.h"
#include "lib/files.h"
#include "push.h"

#define SPOOL_MOST (UINT64_C(64) << 20)
#define TIMEOUT_S 30
#define RETRIES 3
#define EVERY_LEAST_S 0.01
#define EVERY_MOST_S 86400.0

/* In the order of --to's words. */
static const struct push_store stores[] = {
	{ "pyroscope", "/push.v1.PusherService/Push", 0 },
	{ "parca", "/api/profiles/writeraw", 1 },
};

static const struct option push_options[] = {
	{ "to", 0, OPTION_CHOICE, "pyroscope|parca", offsetof(struct push_options, to), "what is at the URL",
	  "pyroscope" },
	{ "service", 's', OPTION_TEXT, "NAME", offsetof(struct push_options, service),
	  "the label service_name", "the program's" },
	{ "version", 0, OPTION_TEXT, "TEXT", offsetof(struct push_options, version), "the label version",
	  NULL },
	{ "label", 'l', OPTION_EACH, "NAME=VALUE", offsetof(struct push_options, labels),
	  "one more label; may be repeated. host and method are there", NULL },
	{ "token", 0, OPTION_TEXT, "FILE", offsetof(struct push_options, token),
	  "send what is in FILE as a bearer token", NULL },
	{ "ca", 0, OPTION_TEXT, "FILE", offsetof(struct push_options, authorities),
	  "of https: believe the certificates in FILE", "the system's" },
	{ "spool", 0, OPTION_TEXT, "FOLDER", offsetof(struct push_options, spool),
	  "keep there what cannot be sent; the next push sends it first", NULL },
	{ "spool-size", 0, OPTION_TEXT, "SIZE", offsetof(struct push_options, spool_size),
	  "no more than this; the oldest goes first", "64M" },
	{ "every", 0, OPTION_TEXT, "SECONDS", offsetof(struct push_options, every),
	  "while it records: send what is new every so many seconds, until the session has ended", NULL },
	{ "wait", 0, OPTION_FLAG, NULL, offsetof(struct push_options, wait),
	  "with --every: go on when nothing records any more, as other processes may come", NULL },
	{ "retries", 0, OPTION_NUMBER, "N", offsetof(struct push_options, retries),
	  "try again N times, after 1, 2, 4, ... seconds", "3" },
	{ "timeout", 0, OPTION_NUMBER, "SECONDS", offsetof(struct push_options, timeout_s),
	  "that one attempt may take", "30" },
	READING_OPTIONS(struct push_options, export.view),
};

/* An exit status. */
static int send_all(struct pushing *p, const struct strbuf *request)
{
	if (!p->spool.path) {
		if (sending_body(p, request) != SENT)
			return STATUS_DATA;
	} else {
		if (request->length && spool_add(&p->spool, p->store->name, request->text, request->length))
			return STATUS_DATA;
		sending_spool(p);
	}
	return push_end(p);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* 0, or -1 after an error message. */
static int read_token(struct pushing *p, const char *path)
{
	char line[4096];
	FILE *file = path ? files_read(path, FILES_STREAM) : NULL;

	if (!path)
		return 0;
	if (!file || !fgets(line, sizeof(line), file)) {
		error("push: --token=%s: %s", path, file ? "it is empty" : files_problem(errno));
		if (file)
			fclose(file);
		return -1;
	}
	fclose(file);
	line[strcspn(line, "\r\n")] = '\0';
	strbuf_printf(&p->authorization, "Authorization: Bearer %s", line);
	return 0;
}

/* libcurl is to read the very file that was looked at. 0, or -1 after an error message. */
static int open_authorities(struct pushing *p, const char *path)
{
	int fd = path ? files_open(path, 0) : -1;

	if (!path)
		return 0;
	if (fd < 0)
		return error("push: --ca=%s: %s", path, files_problem(errno));
	strbuf_printf(&p->authorities, "/proc/self/fd/%d", fd);
	return 0;
}

static int labels_are_sound(const struct push_options *options)
{
	for (size_t i = 0; i < options->labels.n; i++) {
		const char *item = options->labels.items[i] + strlen(PUSH_LABEL);
		size_t length =
			strspn(item, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

		if (!length || item[length] != '=' || (*item >= '0' && *item <= '9')) {
			error("push: --label=%s: NAME=VALUE, with a name of letters, digits and _", item);
			return 0;
		}
	}
	return 1;
}

/* The option's table has checked it. */
static uint64_t size_of(const char *text)
{
	char *end;
	uint64_t size = strtoull(text, &end, 10);
	unsigned shift = *end == 'K' || *end == 'k'   ? 10
			 : *end == 'M' || *end == 'm' ? 20
			 : *end == 'G' || *end == 'g' ? 30
						      : 0;

	if (end == text) /* unlimited */
		return UINT64_MAX / 2;
	return size > UINT64_MAX / 2 >> shift ? UINT64_MAX / 2 : size << shift;
}

static int pushing_open(struct pushing *p, const char *url)
{
	struct strbuf text = { 0 };
	uint64_t most = SPOOL_MOST;
	size_t length = strlen(url);

	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return error_usage("push: %s is no URL of http or https", url);
	if (!labels_are_sound(p->options) || read_token(p, p->options->token) ||
	    open_authorities(p, p->options->authorities))
		return STATUS_USAGE;
	while (length && url[length - 1] == '/')
		length--;
	strbuf_add(&text, url, length);
	strbuf_puts(&text, p->store->path);
	p->url = text.text;
	if (p->options->spool_size)
		most = size_of(p->options->spool_size);
	if (p->options->spool && spool_open(&p->spool, p->options->spool, most))
		return STATUS_DATA;
	return http_load() ? STATUS_DATA : STATUS_OK;
}

/* The session as it is now. An exit status. */
static int push_once(struct pushing *p, char *session)
{
	STRBUF(request);
	int status = request_make(p, session, NULL, &request), wrong;

	/* what is in the spool goes in any case */
	if (request.length || p->spool.path) {
		wrong = send_all(p, &request);
		status = status ? status : wrong;
	}
	return status;
}

/* --every: seconds; 0: it is not given. < 0: an error has been told. */
static double every_of(const struct push_options *options)
{
	char *end;
	double every = options->every ? strtod(options->every, &end) : 0;

	if (!options->every && !options->wait)
		return 0;
	if (options->every && !*end && end != options->every && every >= EVERY_LEAST_S &&
	    every <= EVERY_MOST_S)
		return every;
	if (options->every)
		error("push: --every takes seconds, from %g to %g, not '%s'", EVERY_LEAST_S, EVERY_MOST_S,
		      options->every);
	else
		error("push: --wait is about --every=SECONDS");
	return -1;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct push_options options = { .retries = RETRIES,
					.timeout_s = TIMEOUT_S,
					.export = { .depth = EXPORT_EVERY_DEPTH,
						    .view = { .os_events = "default",
							      .format = OUTPUT_FORMAT_csv } } };
	struct pushing p = { .command = command, .options = &options };
	double every;
	int n, status;
	enum options_result parsed = options_parse(command, argc, argv, &options, &n);

	if (parsed != OPTIONS_OK)
		return parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (!n)
		return error_usage("push: where to? cinstr push URL [SESSION]");
	p.store = &stores[options.to];
	every = every_of(&options);
	status = every < 0 ? STATUS_USAGE : pushing_open(&p, argv[1]);
	if (!status)
		status = every > 0 ? push_continuously(&p, n > 1 ? argv[2] : NULL, every)
				   : push_once(&p, n > 1 ? argv[2] : NULL);
	strbuf_release(&p.authorization);
	strbuf_release(&p.authorities);
	free(p.url);
	selection_release(&options.export.view.selection);
	return status;
}

const struct command command_push = {
	.name = "push",
	.operands = "URL [SESSION]",
	.summary = "Sends a session (default: cinstr.data) to a store of profiles, as pprof.",
	OPTIONS_OF(push_options),
	.max_operands = 2,
	.notes = "The profile is that of cinstr export -f pprof. It needs libcurl, which is loaded when\n"
		 "it is used. With --spool nothing is lost by an outage, as long as the spool has room:\n"
		 "the exit status is 1, and the next push sends what waits, the oldest first. What the\n"
		 "server refuses (status 4xx, but for 408 and 429) is not sent again, and stays in the\n"
		 "spool as a file *.refused. Pyroscope refuses by default what is older than an hour.\n"
		 "Profiles have no more samples and bytes than it takes by default (16,000, 4 MiB); a\n"
		 "larger one is sent as several, in one request. The program that was recorded has\n"
		 "nothing to do with it, and never waits.\n"
		 "\n"
		 "With --every each push has what is new since the one before, so that all of them\n"
		 "together are the session; a path whose corrected time has become less is made up\n"
		 "for by later pushes, and at the end by a negative value. What cannot be sent goes\n"
		 "with the next push, or into the spool, where what has been sent is noted, too:\n"
		 "started again, push goes on where it was. SIGTERM ends it, SIGUSR1 pushes at once.\n",
	.examples = "  cinstr push http://localhost:4040 --service=shop --spool=/var/spool/cinstr\n"
		    "  cinstr push --every=10 --wait --spool=spool http://localhost:4040 sessions\n"
		    "  cinstr push --to=parca https://parca.example.org --token=token.txt app.data\n",
	.run = run,
};
