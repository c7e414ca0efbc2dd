/* SPDX-License-Identifier: GPL-3.0-or-later */
/* request.c - makes the request: a session as pprof, in base64, with its labels (push.h). */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/export_delta.h"
#include "push.h"

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
	FREED char *copy = strndup(name, length);

	strbuf_puts(out, out->text[out->length - 1] == '[' ? "{\"name\":" : ",{\"name\":");
	put_json(out, copy);
	strbuf_puts(out, ",\"value\":");
	put_json(out, value);
	strbuf_puts(out, "}");
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
	const char *exe = data_property(data, "exe"), *host = process_host(data);

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
		const char *item = options->labels.items[i] + strlen(PUSH_LABEL), *equal = strchr(item, '=');

		put_label(out, item, (size_t)(equal - item), equal + 1);
	}
	strbuf_puts(out, "]");
}

/* A profile may have as many samples and bytes as Pyroscope takes by default: 16,000, and 4 MiB
 * before compression, of which a part is left for what is only estimated. */
#define PROFILE_SAMPLES 16000
#define PROFILE_BYTES 3500000

/* Profiles are written into a file in memory, one after another. */
struct profiles {
	int fd;
	struct strbuf text; /* {"rawProfile":"..."},... */
};

/* Takes a profile from the file. */
static void profile_end(void *arg)
{
	struct profiles *profiles = arg;
	struct stat size;
	void *bytes;

	if (fstat(profiles->fd, &size) || !size.st_size)
		return;
	bytes = mmap(NULL, (size_t)size.st_size, PROT_READ, MAP_SHARED, profiles->fd, 0);
	if (bytes == MAP_FAILED)
		return;
	strbuf_puts(&profiles->text, profiles->text.length ? ",{\"rawProfile\":\"" : "{\"rawProfile\":\"");
	put_base64(&profiles->text, bytes, (size_t)size.st_size);
	strbuf_puts(&profiles->text, "\"}");
	munmap(bytes, (size_t)size.st_size);
}

static void put_request(struct strbuf *out, const struct pushing *p, const struct session_facts *facts,
			const struct profiles *profiles)
{
	strbuf_puts(out, "{\"series\":[{\"labels\":");
	if (p->store->is_nested)
		strbuf_puts(out, "{\"labels\":");
	put_labels(out, p->options, facts);
	strbuf_puts(out, p->store->is_nested ? "},\"samples\":[" : ",\"samples\":[");
	strbuf_add(out, profiles->text.text, profiles->text.length);
	strbuf_puts(out, "]}]}");
}

/* Makes profiles of the session. Returns an exit status. */
static int profiles_make(struct profiles *profiles, const struct pushing *p, char *session,
			 struct export_delta *delta)
{
	const struct export_parts parts = { PROFILE_SAMPLES, PROFILE_BYTES, profile_end, profiles };
	char path[32];

	char *paths[] = { session };
	struct export_job job = { .command = p->command,
				  .options = p->options->export,
				  .kind = &export_pprof,
				  .paths = session ? paths : NULL,
				  .n_paths = 1,
				  .is_quiet = 1,
				  .delta = delta,
				  .parts = &parts };
	int status;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", profiles->fd);
	job.options.view.output = path;
	job.options.by = (int)export_pprof.by;
	job.options.force = 1;
	status = view_counting(p->command, &job.options.view, &job.counting) ? STATUS_USAGE
									     : export_pprof.write(&job);
	if (job.is_open)
		sink_close(&job.sink, 0);
	return status;
}

int request_make(const struct pushing *p, char *session, struct export_delta *delta, struct strbuf *request)
{
	struct profiles profiles = { .fd = memfd_create("cinstr-push", MFD_CLOEXEC) };
	struct session_facts facts = { 0 };
	struct session input;
	int status = profiles_make(&profiles, p, session, delta);

	if (profiles.text.length && (!delta || delta->n_samples)) {
		if (!session_open(&input, session))
			session_each_quietly(&input, visit, &facts);
		session_release(&input);
		put_request(request, p, &facts, &profiles);
	}
	if (profiles.fd >= 0)
		close(profiles.fd);
	strbuf_release(&profiles.text);
	free(facts.service);
	free(facts.host);
	return status;
}
