/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * baseline.c - see baseline.h. The file contains a line, the name of the last request, numbers, and
 * for each sample its key and values as in memory: it is read on the machine that wrote it.
 */
#include "baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/files.h"

#define MAGIC "cinstr push 2\n"
#define NAME_BYTES 128

struct stored_head {
	char magic[16];
	char request[NAME_BYTES]; /* its path, without the folder */
	uint64_t until_ns, n;
	uint32_t n_values, reserved;
};

/* ---- values ---------------------------------------------------------------------------------- */

static void reach(struct baseline *b, size_t number)
{
	size_t size = b->size;

	if (number < size)
		return;
	size = size ? 2 * size : 1024;
	b->pids = xrealloc(b->pids, size, sizeof(*b->pids));
	b->sent = xrealloc(b->sent, size * b->n_values, sizeof(*b->sent));
	b->now = xrealloc(b->now, size * b->n_values, sizeof(*b->now));
	memset(b->sent + b->size * b->n_values, 0, (size - b->size) * b->n_values * sizeof(*b->sent));
	memset(b->now + b->size * b->n_values, 0, (size - b->size) * b->n_values * sizeof(*b->now));
	b->size = size;
}

static size_t number_of(struct baseline *b, const struct sample_key *key)
{
	int is_new;
	size_t number = map_add(&b->keys, key->half, sizeof(key->half), &is_new);

	reach(b, number);
	b->pids[number] = key->pid;
	return number;
}

/*
 * A corrected time may be less than it was, where the probes cost less than the calibration says:
 * nothing is sent of it until it is more again, or until the end.
 */
int baseline_take(void *arg, const struct sample_key *key, uint64_t *values, unsigned n_values)
{
	struct baseline *b = arg;
	int is_any = 0;
	int64_t *sent, *now;
	size_t number;

	if (!b->n_values)
		b->n_values = n_values;
	if (b->n_values != n_values) /* another method; nobody could add that up */
		return 0;
	number = number_of(b, key);
	sent = b->sent + number * n_values;
	now = b->now + number * n_values;
	for (unsigned i = 0; i < n_values; i++) {
		int64_t more = (int64_t)values[i] - sent[i];

		if (more < 0 && !b->is_last)
			more = 0;
		now[i] = sent[i] + more;
		values[i] = (uint64_t)more;
		is_any |= more != 0;
	}
	return is_any;
}

void baseline_undo(struct baseline *b)
{
	if (b->keys.n)
		memcpy(b->now, b->sent, b->keys.n * b->n_values * sizeof(*b->now));
}

void baseline_done(struct baseline *b, uint64_t until_ns)
{
	if (b->keys.n)
		memcpy(b->sent, b->now, b->keys.n * b->n_values * sizeof(*b->now));
	b->until_ns = until_ns;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int say(const struct baseline *b, const char *why)
{
	return error_data("push: %s/%s: %s", util_shown(b->spool->path), b->name, why);
}

static int store(const struct baseline *b, const char *name, const char *request, uint64_t until_ns)
{
	struct stored_head head = {
		.magic = MAGIC, .until_ns = until_ns, .n = b->keys.n, .n_values = b->n_values
	};
	int fd, failed;
	FILE *out;

	unlinkat(b->spool->folder, name, 0); /* of a push that was killed */
	fd = files_make_at(b->spool->folder, name);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out)
		return -1;
	snprintf(head.request, sizeof(head.request), "%s", request);
	fwrite(&head, sizeof(head), 1, out);
	for (size_t i = 0; i < b->keys.n; i++) {
		struct sample_key key = { .pid = b->pids[i] };

		memcpy(key.half, b->keys.keys[i], sizeof(key.half));
		fwrite(&key, sizeof(key), 1, out);
		fwrite(b->now + i * b->n_values, sizeof(*b->now), b->n_values, out);
	}
	failed = ferror(out);
	return fclose(out) || failed ? -1 : 0;
}

static int load(struct baseline *b, FILE *in, struct stored_head *head)
{
	if (fread(head, sizeof(*head), 1, in) != 1 || memcmp(head->magic, MAGIC, sizeof(MAGIC)) != 0 ||
	    !memchr(head->request, '\0', sizeof(head->request)) || strchr(head->request, '/') ||
	    !head->n_values || head->n_values > MEASURES)
		return -1;
	b->n_values = head->n_values;
	b->until_ns = head->until_ns;
	for (uint64_t i = 0; i < head->n; i++) {
		struct sample_key key;
		size_t number;

		if (fread(&key, sizeof(key), 1, in) != 1)
			return -1;
		number = number_of(b, &key);
		if (fread(b->sent + number * b->n_values, sizeof(*b->sent), b->n_values, in) != b->n_values)
			return -1;
	}
	baseline_undo(b);
	return 0;
}

/* A name of the session and the URL, in the spool; spool.c takes no notice of it. */
static char *name_of(const struct pushing *p, const char *session)
{
	char *real = realpath(session, NULL);
	struct strbuf name = { 0 };
	STRBUF(text);
	uint64_t hash = 0xcbf29ce484222325;

	strbuf_printf(&text, "%s\n%s", real ? real : session, p->url);
	for (size_t i = 0; i < text.length; i++)
		hash = (hash ^ (unsigned char)text.text[i]) * 0x100000001b3;
	strbuf_printf(&name, ".sent-%016llx", (unsigned long long)hash);
	free(real);
	return name.text;
}

static int take_lock(struct baseline *b)
{
	STRBUF(name);

	strbuf_printf(&name, "%s.lock", b->name);
	b->lock = files_make_at(b->spool->folder, name.text);
	if (b->lock < 0 && errno == EEXIST)
		b->lock = files_open_at(b->spool->folder, name.text, FILES_OWN | FILES_CHANGE);
	if (b->lock < 0)
		return say(b, files_problem(errno));
	return flock(b->lock, LOCK_EX | LOCK_NB) ? say(b, "another cinstr push sends this session")
						 : STATUS_OK;
}

int baseline_open(struct baseline *b, const struct pushing *p, const char *session)
{
	struct stored_head head = { 0 };
	int status, fd;
	FILE *in;

	*b = (struct baseline){ .spool = &p->spool, .lock = -1 };
	if (!p->spool.path)
		return STATUS_OK;
	b->name = name_of(p, session);
	status = take_lock(b);
	if (status)
		return status;
	fd = files_open_at(p->spool.folder, b->name, FILES_OWN);
	in = fd < 0 ? NULL : fdopen(fd, "r");
	if (!in)
		return errno == ENOENT ? STATUS_OK : say(b, files_problem(errno));
	status = load(b, in, &head) ? say(b, "is damaged: what has been sent is not known; remove it to "
					     "send all of the session again")
				    : STATUS_OK;
	fclose(in);
	if (!status && *head.request) /* step 3 of a push that was stopped before it */
		spool_name(&p->spool, head.request);
	return status;
}

void baseline_release(struct baseline *b)
{
	map_release(&b->keys);
	free(b->pids);
	free(b->sent);
	free(b->now);
	free(b->name);
	if (b->lock >= 0)
		close(b->lock);
}

/* ---- step by step ---------------------------------------------------------------------------- */

struct noting {
	struct baseline *baseline;
	uint64_t until_ns;
};

/* Step 2. */
static int note(void *arg, const char *name)
{
	const struct noting *noting = arg;
	const struct baseline *b = noting->baseline;
	STRBUF(partial);
	int failed;

	strbuf_printf(&partial, "%s" SPOOL_PARTIAL, b->name);
	failed = store(b, partial.text, name, noting->until_ns) || spool_name(b->spool, b->name);
	if (failed)
		say(b, files_problem(errno));
	return failed ? -1 : 0;
}

int baseline_spool(struct baseline *b, const struct pushing *p, const struct strbuf *request,
		   uint64_t until_ns)
{
	struct noting noting = { b, until_ns };

	if (spool_add_noted(&p->spool, p->store->name, request->text, request->length, note, &noting)) {
		baseline_undo(b);
		return -1;
	}
	baseline_done(b, until_ns);
	return 0;
}
