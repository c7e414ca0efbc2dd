/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "content.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "http.h"
#include "lib/util.h"

int content_init(struct content *content)
{
	*content = (struct content){ .lock = PTHREAD_MUTEX_INITIALIZER, .now.fd = -1, .before.fd = -1 };
	content->asked_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (content->asked_fd >= 0)
		return 0;
	return error("serve: %s", strerror(errno));
}

static void edition_release(struct content_edition *edition)
{
	if (edition->fd >= 0)
		close(edition->fd);
	free(edition->names);
	free(edition->parts);
	*edition = (struct content_edition){ .fd = -1 };
}

void content_release(struct content *content)
{
	edition_release(&content->now);
	edition_release(&content->before);
	free(content->state.problem);
	close(content->asked_fd);
}

/* A line: NAME OFFSET SIZE. Each part lies in the file. */
static int edition_parse(struct content_edition *edition, const char *list, uint64_t file_bytes)
{
	char *at, *line;

	edition->names = xstrdup(list);
	for (const char *c = list; *c; c++)
		edition->n += *c == '\n';
	edition->parts = xcalloc(edition->n + 1, sizeof(*edition->parts));
	edition->n = 0;
	for (line = strtok_r(edition->names, "\n", &at); line; line = strtok_r(NULL, "\n", &at)) {
		struct content_part *part = &edition->parts[edition->n++];
		char *blank = strchr(line, ' '), *end;

		if (!blank)
			return -1;
		*blank = '\0';
		part->name = line;
		part->offset = strtoull(blank + 1, &end, 10);
		part->size = strtoull(end, &end, 10);
		if (*end || part->offset > file_bytes || part->size > file_bytes - part->offset)
			return -1;
	}
	return edition->n ? 0 : -1;
}

int content_add(struct content *content, int fd, const char *list)
{
	struct content_edition edition = { .fd = fd };
	struct stat st;

	if (fstat(fd, &st) || edition_parse(&edition, list, (uint64_t)st.st_size)) {
		edition_release(&edition);
		return -1;
	}
	pthread_mutex_lock(&content->lock);
	edition.number = content->now.number + 1;
	edition_release(&content->before);
	content->before = content->now;
	content->now = edition;
	pthread_mutex_unlock(&content->lock);
	return 0;
}

void content_set_state(struct content *content, int is_live, unsigned every_ms, const char *problem)
{
	pthread_mutex_lock(&content->lock);
	free(content->state.problem);
	content->state.problem = problem ? xstrdup(problem) : NULL;
	content->state.is_live = is_live;
	content->state.every_ms = every_ms;
	pthread_mutex_unlock(&content->lock);
}

/* ---- from the server's thread ---------------------------------------------------------------- */

static void put_json_text(struct strbuf *to, const char *text)
{
	struct strbuf visible = { 0 };

	strbuf_visible(&visible, text);
	strbuf_puts(to, "\"");
	for (const char *c = visible.text; c && *c; c++)
		if (*c == '"' || *c == '\\')
			strbuf_printf(to, "\\%c", *c);
		else
			strbuf_add(to, c, 1);
	strbuf_puts(to, "\"");
	strbuf_release(&visible);
}

/* Somebody looks: the session is read again, if it may have changed. */
/* The main thread is to look. */
static void tell(struct content *content)
{
	uint64_t one = 1;

	if (write(content->asked_fd, &one, sizeof(one)) < 0) {
		/* it has been asked so often that it knows */
	}
}

static void put_state(struct content *content, struct http_answer *answer)
{
	const struct content_state *state = &content->state;
	struct strbuf text = { 0 };

	strbuf_printf(&text, "{\"edition\":%u,\"live\":%s,\"every\":%u,\"parts\":[", content->now.number,
		      state->is_live ? "true" : "false", state->every_ms);
	for (size_t i = 0; i < content->now.n; i++)
		strbuf_printf(&text, "%s\"%s\"", i ? "," : "", content->now.parts[i].name);
	strbuf_puts(&text, "],\"problem\":");
	if (state->problem)
		put_json_text(&text, state->problem);
	else
		strbuf_puts(&text, "null");
	strbuf_puts(&text, "}\n");
	answer->type = "application/json";
	answer->text = text.text;
	tell(content);
}

/* "FROM-TO", of which FROM is before TO, or both are 0. */
static void put_range(struct content *content, const char *text, struct http_answer *answer)
{
	char *middle, *end;
	uint64_t from = strtoull(text, &middle, 10), to = *middle == '-' ? strtoull(middle + 1, &end, 10) : 0;

	if (!isdigit((unsigned char)*text) || *middle != '-' || !isdigit((unsigned char)middle[1]) || *end ||
	    (from >= to && (from || to)))
		return;
	content->from_ns = from;
	content->to_ns = to;
	content->is_range_new = 1;
	tell(content);
	answer->type = "text/plain";
	answer->text = xstrdup("ok\n");
}

int content_take_range(struct content *content, uint64_t *from_ns, uint64_t *to_ns)
{
	int is_new;

	pthread_mutex_lock(&content->lock);
	is_new = content->is_range_new;
	content->is_range_new = 0;
	*from_ns = content->from_ns;
	*to_ns = content->to_ns;
	pthread_mutex_unlock(&content->lock);
	return is_new;
}

static void put_part(const struct content_edition *edition, const char *name, const char *type,
		     struct http_answer *answer)
{
	for (size_t i = 0; i < edition->n; i++)
		if (!strcmp(edition->parts[i].name, name)) {
			answer->fd = fcntl(edition->fd, F_DUPFD_CLOEXEC, 0);
			answer->offset = edition->parts[i].offset;
			answer->size = edition->parts[i].size;
			answer->type = answer->fd >= 0 ? type : NULL;
			return;
		}
}

void content_find(void *arg, const char *name, struct http_answer *answer)
{
	struct content *content = arg;
	char *end;
	unsigned long number;

	pthread_mutex_lock(&content->lock);
	if (!*name) {
		put_part(&content->now, CONTENT_PAGE, "text/html; charset=utf-8", answer);
	} else if (!strcmp(name, "state")) {
		put_state(content, answer);
	} else if (!strncmp(name, "range/", 6)) {
		put_range(content, name + 6, answer);
	} else if (*name >= '1' && *name <= '9') {
		number = strtoul(name, &end, 10);
		if (*end == '/' && number == content->now.number)
			put_part(&content->now, end + 1, "application/octet-stream", answer);
		else if (*end == '/' && number == content->before.number)
			put_part(&content->before, end + 1, "application/octet-stream", answer);
	}
	pthread_mutex_unlock(&content->lock);
}
