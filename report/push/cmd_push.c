/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_push.c - cinstr push: a session as pprof to a store of profiles. What cannot be sent now is
 * kept in a spool, if there is one, and goes with the next push.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "export/export.h"
#include "http.h"
#include "spool.h"

#include <sys/mman.h>
#include <sys/stat.h>

#define SPOOL_MOST (UINT64_C(64) << 20)
#define TIMEOUT_S 30
#define RETRIES 3
#define WAIT_MOST_S 60
#define LABEL "label=" /* before each of options.labels */

struct push_options {
	const char *service, *version, *token, *authorities, *spool;
	struct option_each labels;
	int to;
	const char *spool_size;
	uint64_t retries, timeout_s;
	struct export_options export; /* .view: what of the session */
};

/* In the order of --to's words. */
static const struct store {
	const char *name, *path;
	int is_nested; /* "labels" are an object with a list */
} stores[] = {
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
	{ "retries", 0, OPTION_NUMBER, "N", offsetof(struct push_options, retries),
	  "try again N times, after 1, 2, 4, ... seconds", "3" },
	{ "timeout", 0, OPTION_NUMBER, "SECONDS", offsetof(struct push_options, timeout_s),
	  "that one attempt may take", "30" },
	READING_OPTIONS(struct push_options, export.view),
};

struct pushing {
	const struct push_options *options;
	const struct store *store;
	char *url;
	struct strbuf authorization;
	struct spool spool;
	uint64_t sent, refused;
};

/* ---- the request ----------------------------------------------------------------------------- */

static void put_json(struct strbuf *out, const char *text)
{
	char *visible = util_visible(text); /* UTF-8 without control characters */

	strbuf_puts(out, "\"");
	for (const char *at = visible; *at; at++) {
		if (*at == '"' || *at == '\\')
			strbuf_puts(out, "\\");
		strbuf_add(out, at, 1);
	}
	strbuf_puts(out, "\"");
	free(visible);
}

static void put_label(struct strbuf *out, const char *name, size_t length, const char *value)
{
	char *copy = strndup(name, length);

	strbuf_puts(out, out->text[out->length - 1] == '[' ? "{\"name\":" : ",{\"name\":");
	put_json(out, copy);
	strbuf_puts(out, ",\"value\":");
	put_json(out, value);
	strbuf_puts(out, "}");
	free(copy);
}

static void put_base64(struct strbuf *out, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		unsigned long three = (unsigned long)bytes[i] << 16 | (i + 1 < n ? bytes[i + 1] << 8 : 0) |
				      (i + 2 < n ? bytes[i + 2] : 0);
		char four[4] = { digits[three >> 18], digits[three >> 12 & 63], digits[three >> 6 & 63],
				 digits[three & 63] };

		if (i + 1 >= n)
			four[2] = '=';
		if (i + 2 >= n)
			four[3] = '=';
		strbuf_add(out, four, 4);
	}
}

/* What the session says of itself. */
struct session_facts {
	char *service, *host;
	const char *method;
};

static void visit(void *arg, struct data *data)
{
	struct session_facts *facts = arg;
	const char *exe = data_property(data, "exe"), *host = data_property(data, "hostname");

	if (!facts->service && exe)
		facts->service = xstrdup(util_basename(exe));
	if (!facts->host && host)
		facts->host = xstrdup(host);
	if (!facts->method)
		facts->method = data->sampled ? "samples" : data->mixed ? "mixed" : "probes";
}

static void put_labels(struct strbuf *out, const struct push_options *options,
		       const struct session_facts *facts)
{
	const char *service = options->service ? options->service : facts->service;

	strbuf_puts(out, "[");
	put_label(out, "__name__", 8, "cinstr");
	put_label(out, "service_name", 12, service ? service : "unknown");
	if (facts->host)
		put_label(out, "host", 4, facts->host);
	put_label(out, "method", 6, facts->method ? facts->method : "probes");
	if (options->version)
		put_label(out, "version", 7, options->version);
	for (size_t i = 0; i < options->labels.n; i++) {
		const char *item = options->labels.items[i] + strlen(LABEL), *equal = strchr(item, '=');

		put_label(out, item, (size_t)(equal - item), equal + 1);
	}
	strbuf_puts(out, "]");
}

static void put_request(struct strbuf *out, const struct pushing *p, const struct session_facts *facts,
			const unsigned char *profile, size_t n)
{
	strbuf_puts(out, "{\"series\":[{\"labels\":");
	if (p->store->is_nested)
		strbuf_puts(out, "{\"labels\":");
	put_labels(out, p->options, facts);
	strbuf_puts(out, p->store->is_nested ? "},\"samples\":[{\"rawProfile\":\""
					     : ",\"samples\":[{\"rawProfile\":\"");
	put_base64(out, profile, n);
	strbuf_puts(out, "\"}]}]}");
}

/* The session as pprof into the file; an exit status. */
static int export_to(const struct command *command, const struct push_options *options, const char *path,
		     char *session)
{
	char *paths[] = { session };
	struct export_job job = { .command = command,
				  .options = options->export,
				  .kind = &export_pprof,
				  .paths = session ? paths : NULL,
				  .n_paths = 1,
				  .is_quiet = 1 };
	int status;

	job.options.view.output = path;
	job.options.by = (int)export_pprof.by;
	job.options.force = 1;
	status = view_counting(command, &job.options.view, &job.counting) ? STATUS_USAGE
									  : export_pprof.write(&job);
	if (job.is_open)
		sink_close(&job.sink, 0);
	return status;
}

/* *request is empty: there is nothing to be sent. An exit status. */
static int request_make(const struct command *command, const struct pushing *p, char *session,
			struct strbuf *request)
{
	int fd = memfd_create("cinstr-push", MFD_CLOEXEC), status;
	struct session_facts facts = { 0 };
	struct input input;
	struct stat size = { 0 };
	char path[32];
	void *profile;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	status = export_to(command, p->options, path, session);
	if (fd >= 0 && !fstat(fd, &size) && size.st_size) {
		if (!input_open(&input, session))
			input_each_quietly(&input, visit, &facts);
		input_release(&input);
		profile = mmap(NULL, (size_t)size.st_size, PROT_READ, MAP_SHARED, fd, 0);
		if (profile != MAP_FAILED) {
			put_request(request, p, &facts, profile, (size_t)size.st_size);
			munmap(profile, (size_t)size.st_size);
		}
	}
	if (fd >= 0)
		close(fd);
	free(facts.service);
	free(facts.host);
	return status;
}

/* ---- sending --------------------------------------------------------------------------------- */

enum outcome { SENT, REFUSED, LATER };

static enum outcome send_once(const struct pushing *p, const struct strbuf *body, struct http_reply *reply)
{
	const char *headers[] = { "Content-Type: application/json", "Expect:", p->authorization.text, NULL };

	const struct http_request request = { p->url, headers, p->options->authorities,
					      (long)p->options->timeout_s * 1000 };

	http_post(&request, body->text, body->length, reply);
	if (reply->status >= 200 && reply->status < 300)
		return SENT;
	/* timeouts, too many at once, and what the server has failed at, may be better later */
	return reply->status >= 400 && reply->status < 500 && reply->status != 408 && reply->status != 429
		       ? REFUSED
		       : LATER;
}

static void say(const struct pushing *p, const struct http_reply *reply, const char *then)
{
	char *text = util_visible(reply->text.text ? reply->text.text : "");

	if (reply->status)
		error("%s: status %ld%s%s; %s", p->url, reply->status, *text ? ": " : "", text, then);
	else
		error("%s: %s; %s", p->url, text, then);
	free(text);
}

static enum outcome send_body(struct pushing *p, const struct strbuf *body)
{
	enum outcome outcome = LATER;
	uint64_t wait = 1;

	for (uint64_t attempt = 0; outcome == LATER && attempt <= p->options->retries; attempt++) {
		struct http_reply reply;
		int is_last = attempt == p->options->retries;

		if (attempt) {
			nanosleep(&(struct timespec){ (time_t)wait, 0 }, NULL);
			wait = 2 * wait < WAIT_MOST_S ? 2 * wait : WAIT_MOST_S;
		}
		outcome = send_once(p, body, &reply);
		if (outcome == REFUSED)
			say(p, &reply, "it will not be sent again");
		else if (outcome == LATER && is_last)
			say(p, &reply, p->spool.path ? "it is kept" : "nothing was sent");
		strbuf_release(&reply.text);
	}
	p->sent += outcome == SENT;
	p->refused += outcome == REFUSED;
	return outcome;
}

/* Oldest first; the first that has to wait lets the others wait, too. */
static void send_spool(struct pushing *p)
{
	char *after = NULL;
	struct spooled spooled;
	enum outcome outcome = SENT;

	while (outcome != LATER && spool_next(&p->spool, p->store->name, after, &spooled)) {
		free(after);
		after = xstrdup(util_basename(spooled.path));
		outcome = send_body(p, &spooled.body);
		spool_done(&spooled, outcome != LATER);
	}
	free(after);
}

/* An exit status. */
static int send_all(struct pushing *p, const struct strbuf *request)
{
	uint64_t bytes, waiting = 0;

	if (!p->spool.path) {
		if (send_body(p, request) != SENT)
			return STATUS_DATA;
	} else {
		if (request->length && spool_add(&p->spool, p->store->name, request->text, request->length))
			return STATUS_DATA;
		send_spool(p);
		waiting = spool_waiting(&p->spool, &bytes);
	}
	printf("%s: %llu sent", p->url, (unsigned long long)p->sent);
	if (waiting)
		printf(", %llu in %s", (unsigned long long)waiting, p->spool.path);
	putchar('\n');
	return waiting || p->refused ? STATUS_DATA : STATUS_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* 0, or -1 after an error message. */
static int read_token(struct pushing *p, const char *path)
{
	char line[4096];
	FILE *file = path ? fopen(path, "re") : NULL;

	if (!path)
		return 0;
	if (!file || !fgets(line, sizeof(line), file)) {
		error("push: --token=%s cannot be read, or is empty", path);
		if (file)
			fclose(file);
		return -1;
	}
	fclose(file);
	line[strcspn(line, "\r\n")] = '\0';
	strbuf_printf(&p->authorization, "Authorization: Bearer %s", line);
	return 0;
}

static int labels_are_sound(const struct push_options *options)
{
	for (size_t i = 0; i < options->labels.n; i++) {
		const char *item = options->labels.items[i] + strlen(LABEL);
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

	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) {
		error("push: %s is no URL of http or https", url);
		return STATUS_USAGE;
	}
	if (!labels_are_sound(p->options) || read_token(p, p->options->token))
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

static int run(const struct command *command, int argc, char **argv)
{
	struct push_options options = { .retries = RETRIES,
					.timeout_s = TIMEOUT_S,
					.export = { .depth = EXPORT_EVERY_DEPTH,
						    .view = { .os_events = "default",
							      .format = OUTPUT_FORMAT_csv } } };
	struct pushing p = { .options = &options };
	struct strbuf request = { 0 };
	int n, status, wrong;
	enum options_result parsed = options_parse(command, argc, argv, &options, &n);

	if (parsed != OPTIONS_OK)
		return parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (!n) {
		error("push: where to? cinstr push URL [SESSION]");
		return STATUS_USAGE;
	}
	p.store = &stores[options.to];
	status = pushing_open(&p, argv[1]);
	if (!status) {
		status = request_make(command, &p, n > 1 ? argv[2] : NULL, &request);
		/* what is in the spool goes in any case */
		if (request.length || p.spool.path) {
			wrong = send_all(&p, &request);
			status = status ? status : wrong;
		}
	}
	strbuf_release(&request);
	strbuf_release(&p.authorization);
	free(p.url);
	selection_release(&options.export.view.selection);
	return status;
}

const struct command command_push = {
	.name = "push",
	.operands = "URL [SESSION]",
	.summary = "Sends a session (default: cinstr.data) to a store of profiles, as pprof.",
	.options = push_options,
	.n_options = ARRAY_SIZE(push_options),
	.max_operands = 2,
	.notes = "The profile is that of cinstr export -f pprof. It needs libcurl, which is loaded when\n"
		 "it is used. With --spool nothing is lost by an outage, as long as the spool has room:\n"
		 "the exit status is 1, and the next push sends what waits, the oldest first. What the\n"
		 "server refuses (status 4xx, but for 408 and 429) is not sent again. The program that\n"
		 "was recorded has nothing to do with it, and never waits.\n",
	.examples = "  cinstr push http://localhost:4040 --service=shop --spool=/var/spool/cinstr\n"
		    "  cinstr push --to=parca https://parca.example.org --token=token.txt app.data\n",
	.run = run,
};
