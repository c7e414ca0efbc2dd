/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sending.c - sends requests to the store, and handles failures (push.h). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "http.h"
#include "push.h"

#define WAIT_MOST_S 60

static enum outcome send_once(const struct pushing *p, const struct strbuf *body, struct http_reply *reply)
{
	const char *headers[] = { "Content-Type: application/json", "Expect:", p->authorization.text, NULL };

	const struct http_request request = { p->url, headers, p->authorities.text,
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
	/* not util_shown(): what servers answer may differ each time, for days */
	FREED char *text = util_visible(reply->text.text ? reply->text.text : "");

	if (reply->status)
		error("%s: status %ld%s%s; %s", p->url, reply->status, *text ? ": " : "", text, then);
	else
		error("%s: %s; %s", p->url, text, then);
}

enum outcome sending_body(struct pushing *p, const struct strbuf *body)
{
	enum outcome outcome = LATER;
	uint64_t wait = 1, retries = p->is_once ? 0 : p->options->retries;

	for (uint64_t attempt = 0; outcome == LATER && attempt <= retries; attempt++) {
		struct http_reply reply;
		int is_last = attempt == retries;

		if (attempt) {
			nanosleep(&(struct timespec){ (time_t)wait, 0 }, NULL);
			wait = 2 * wait < WAIT_MOST_S ? 2 * wait : WAIT_MOST_S;
		}
		outcome = send_once(p, body, &reply);
		if (outcome == REFUSED)
			say(p, &reply,
			    p->spool.path ? "it will not be sent again, and is kept as *" SPOOL_NOT_TAKEN
					  : "it will not be sent again");
		else if (outcome == LATER && is_last && !p->is_away)
			say(p, &reply,
			    p->spool.path ? "it is kept"
			    : p->is_once  ? "it goes with the next push"
					  : "nothing was sent");
		strbuf_release(&reply.text);
	}
	p->is_away = p->is_once && outcome == LATER;
	p->sent += outcome == SENT;
	p->refused += outcome == REFUSED;
	return outcome;
}

void sending_spool(struct pushing *p)
{
	char *after = NULL;
	struct spooled spooled;
	enum outcome outcome = SENT;

	while (outcome != LATER && spool_next(&p->spool, p->store->name, after, &spooled)) {
		free(after);
		after = xstrdup(spooled.name);
		outcome = sending_body(p, &spooled.body);
		spool_done(&p->spool, &spooled,
			   outcome == SENT	? SPOOL_SENT
			   : outcome == REFUSED ? SPOOL_REFUSED
						: SPOOL_KEPT);
	}
	free(after);
}

int push_end(const struct pushing *p)
{
	uint64_t bytes, waiting = p->spool.path ? spool_waiting(&p->spool, &bytes) : 0;

	printf("%s: %llu sent", p->url, (unsigned long long)p->sent);
	if (waiting)
		print_visible(stdout, ", %llu in %s", (unsigned long long)waiting, p->spool.path);
	putchar('\n');
	return waiting || p->refused ? STATUS_DATA : STATUS_OK;
}
