/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * continuous.c - cinstr push --every: sends repeatedly what is new in a session while its processes
 * record. Files of running processes are copied (control/snapshot.h) without making them wait;
 * those of ended ones are read directly. Signals are handled only between pushes.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "baseline.h"
#include "control/snapshot.h"
#include "control/target.h"
#include "lib/temporary.h"
#include "lib/util.h"
#include "push.h"
#include "session/session.h"

#define LOOK_MS 1000 /* so often it is looked whether the session has ended */
#define NS_PER_S 1000000000u
#define NS_PER_MS 1000000u

struct continuous {
	struct pushing *p;
	char *session;
	char *folder; /* for copies */
	struct baseline baseline;
	int signals;	   /* a descriptor */
	uint64_t begin_ns; /* of all, time of day */
	size_t n_read;	   /* files of the last reading, if nothing recorded any more; 0: it did */
	int is_stopped;
	int status; /* of what has gone wrong so far */
};

/* ---- a push ---------------------------------------------------------------------------------- */

/* What there is: *n data files; whether somebody records. */
static int look(const struct continuous *c, size_t *n)
{
	struct session input;
	int is_live = 0;

	*n = 0;
	if (!session_list(&input, c->session)) {
		*n = input.n_files;
		is_live = input.is_live;
	}
	session_release(&input);
	return is_live;
}

/* A copy of what is there now; NULL after an error message. */
static char *copy_make(const struct continuous *c)
{
	STRBUF(name);
	struct snapshot_file *files;
	struct target target;
	char *made = NULL;

	if (!target_open(&target, c->session)) {
		files = xcalloc(target.n + 1, sizeof(*files));
		for (size_t i = 0; i < target.n; i++)
			files[i] = (struct snapshot_file){ target.processes[i].path,
							   target.processes[i].pid != 0, 1 };
		strbuf_printf(&name, "%s/now", c->folder);
		temporary_remove(name.text);
		if (target.n)
			made = snapshot_make(target.folder, files, target.n, name.text);
		free(files);
	}
	target_release(&target);
	return made;
}

/* The request is there: without a spool its values go with the next push if it cannot be sent. */
static void send_new(struct continuous *c, const struct strbuf *request, uint64_t until_ns)
{
	if (c->p->spool.path) {
		if (baseline_spool(&c->baseline, c->p, request, until_ns))
			c->status = STATUS_DATA;
	} else if (sending_body(c->p, request) == LATER) {
		baseline_undo(&c->baseline);
	} else {
		baseline_done(&c->baseline, until_ns);
	}
}

static void push_new(struct continuous *c, char *session)
{
	uint64_t now = util_realtime_ns();
	uint64_t since = c->baseline.until_ns ? c->baseline.until_ns : c->begin_ns;
	struct export_delta delta = { .take = baseline_take,
				      .arg = &c->baseline,
				      .begin_ns = since,
				      .length_ns = now > since ? now - since : 0 };
	STRBUF(request);

	request_make(c->p, session, &delta, &request);
	if (request.length)
		send_new(c, &request, now);
	else
		baseline_undo(&c->baseline);
	if (c->p->spool.path)
		sending_spool(c->p);
}

/* Whether it was the last one. */
static int push_now(struct continuous *c)
{
	size_t n;
	int is_live;
	FREED char *copy = NULL;

	is_live = look(c, &n);
	copy = is_live ? copy_make(c) : NULL;
	c->baseline.is_last = !is_live && !c->p->options->wait;
	c->p->is_once = !c->baseline.is_last;
	if (is_live && copy)
		push_new(c, copy);
	else if (!is_live && n && n != c->n_read)
		push_new(c, c->session);
	else if (c->p->spool.path)
		sending_spool(c->p);
	if (copy)
		temporary_remove(copy);
	c->n_read = is_live || c->p->is_away ? 0 : n;
	return c->is_stopped || (n && c->baseline.is_last);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Until it is time for the next push: by the clock, as somebody wants it, or because it will be the
 * last one. */
static void wait_for_next(struct continuous *c, uint64_t until)
{
	for (uint64_t now = util_monotonic_ns(); now < until; now = util_monotonic_ns()) {
		uint64_t left = (until - now) / NS_PER_MS + 1;
		struct pollfd fd = { c->signals, POLLIN, 0 };
		struct signalfd_siginfo got;
		size_t n;

		if (poll(&fd, 1, left < LOOK_MS ? (int)left : LOOK_MS) == 1 &&
		    read(c->signals, &got, sizeof(got)) == sizeof(got)) {
			c->is_stopped |= got.ssi_signo != SIGUSR1;
			return;
		}
		if (!c->p->options->wait && !look(c, &n) && n)
			return;
	}
}

static int signals_open(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int push_continuously(struct pushing *p, char *session, double every_s)
{
	struct continuous c = { .p = p, .session = session, .begin_ns = util_realtime_ns() };
	uint64_t every = (uint64_t)(every_s * NS_PER_S), next;
	int status = baseline_open(&c.baseline, p, session ? session : INPUT_DEFAULT);

	c.folder = status ? NULL : temporary_make("push");
	if (!c.folder) {
		baseline_release(&c.baseline);
		return STATUS_DATA;
	}
	c.signals = signals_open();
	for (next = util_monotonic_ns() + every; wait_for_next(&c, next), !push_now(&c); next += every)
		if (next < util_monotonic_ns()) /* it took longer: none of them is made up for */
			next = util_monotonic_ns();
	status = push_end(p);
	temporary_remove(c.folder);
	free(c.folder);
	close(c.signals);
	baseline_release(&c.baseline);
	return status ? status : p->is_away ? STATUS_DATA : c.status;
}
