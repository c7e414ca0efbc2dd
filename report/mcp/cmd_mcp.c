/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_mcp.c - cinstr mcp: a server of the Model Context Protocol on stdin and stdout, for agents.
 * One thread reads requests, has one call of a tool at a time answered by a worker (worker.h) or
 * runs a program (mcp_program.h), and goes on reading meanwhile.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "answer.h"
#include "folders.h"
#include "mcp_program.h"
#include "protocol.h"

#define WORKERS_MOST 4		 /* sessions that are kept ready */
#define QUEUE_MOST 100		 /* calls that wait */
#define OUTPUT_MOST (32 << 20)	 /* bytes that a verb prints */
#define MESSAGES_MOST (64 << 10) /* ... to stderr */
#define CALL_NS 120000000000u	 /* that a call may take */
#define STOP_NS 3000000000u	 /* that a program may take to end when it is asked to */
#define LAST_NS 5000000000u	 /* for what is left when stdin has ended */
#define NEVER UINT64_MAX

struct mcp_options {
	int allow_record;
};

struct waiting {
	struct message message;
	struct waiting *next;
};

struct server {
	struct folders folders;
	struct protocol protocol;
	struct line_reader reader;
	struct worker *workers[WORKERS_MOST]; /* the one that was used last is first; NULL: none */
	struct waiting *queue, **queue_end;
	size_t n_queue;
	/* the call at hand; its message is not NULL */
	struct waiting *current;
	struct call call;
	struct worker *worker; /* NULL: a program */
	struct program program;
	uint64_t deadline_ns;
	int is_late;
	int is_lost; /* nobody reads */
};

/* ---- answers --------------------------------------------------------------------------------- */

static struct json_object *with_text(const char *text)
{
	struct json_object *result = json_object_new_object(), *item;

	item = json_append_object(json_add_list(result, "content"));
	json_add_text(item, "type", "text");
	json_add_text(item, "text", text);
	return result;
}

/* The call at hand is done; `structured` is put; NULL: `why` it failed. */
static void answer(struct server *server, struct json_object *structured, const char *why)
{
	struct json_object *result = with_text(structured ? json_line(structured) : why);

	if (structured)
		json_object_object_add(result, "structuredContent", structured);
	else
		json_add_flag(result, "isError", 1);
	server->is_lost |= protocol_answer(&server->current->message, result) != 0;
}

static void call_done(struct server *server)
{
	message_release(&server->current->message);
	free(server->current);
	call_release(&server->call);
	server->current = NULL;
	server->worker = NULL;
	server->is_late = 0;
	server->deadline_ns = NEVER;
}

/* Gives the call at hand so much time. */
static void set_deadline(struct server *server, uint64_t ns)
{
	server->deadline_ns = util_raw_ns() + (server->reader.is_over && ns > LAST_NS ? LAST_NS : ns);
}

/* ---- workers --------------------------------------------------------------------------------- */

static void worker_forget(struct server *server, struct worker *worker)
{
	size_t i = 0;

	while (i < WORKERS_MOST && server->workers[i] != worker)
		i++;
	worker_end(worker);
	for (; i < WORKERS_MOST; i++)
		server->workers[i] = i + 1 < WORKERS_MOST ? server->workers[i + 1] : NULL;
}

/* The worker for the call at hand, which then is the first; NULL after an error message. */
static struct worker *worker_for(struct server *server)
{
	struct worker *worker = NULL;
	size_t i = 0;

	while (i < WORKERS_MOST && server->workers[i] &&
	       !worker_is_for(server->workers[i], &server->call.job))
		i++;
	if (i < WORKERS_MOST && server->workers[i]) {
		worker = server->workers[i];
	} else {
		worker = worker_begin(&server->folders, &server->call.job);
		i = WORKERS_MOST - 1;
		worker_end(worker ? server->workers[i] : NULL);
	}
	if (worker) {
		memmove(server->workers + 1, server->workers, i * sizeof(*server->workers));
		server->workers[0] = worker;
	}
	return worker;
}

static void begin_verb(struct server *server)
{
	set_deadline(server, CALL_NS);
	for (int attempt = 0; attempt < 2; attempt++) {
		server->worker = worker_for(server);
		if (server->worker && !worker_ask(server->worker, &server->call.job))
			return;
		/* it has ended while nobody asked: another one */
		if (server->worker)
			worker_forget(server, server->worker);
	}
	answer(server, NULL, "the session cannot be read: there is no memory, or no process, for it");
	call_done(server);
}

static void end_verb(struct server *server)
{
	struct outcome outcome = { .status = server->is_late ? -1 : worker_status(server->worker),
				   .is_late = server->is_late };
	char *output, *messages;
	struct json_object *result;
	STRBUF(why);

	if (outcome.status == -1 && !server->is_late && !worker_is_new(server->worker)) {
		/* it has ended since the last call: a new one */
		worker_forget(server, server->worker);
		begin_verb(server);
		return;
	}
	output = worker_output(server->worker, OUTPUT_MOST, &outcome.n);
	messages = worker_messages(server->worker, MESSAGES_MOST);
	outcome.output = output;
	outcome.messages = messages ? messages : "";
	result = answer_make(&server->call, &outcome, &why);
	answer(server, result, why.text);
	if (outcome.status == -1)
		worker_forget(server, server->worker);
	free(output);
	free(messages);
	call_done(server);
}

/* ---- programs -------------------------------------------------------------------------------- */

static void begin_program(struct server *server)
{
	if (!server->protocol.allows_programs) {
		answer(server, NULL,
		       "record: this server runs no programs: it was started without --allow-record");
		call_done(server);
	} else if (mcp_program_begin(&server->program, server->call.job.argv, server->folders.list[0])) {
		answer(server, NULL,
		       "record: the program cannot be run: there is no process, or no pipe, for it");
		call_done(server);
	} else {
		set_deadline(server, server->call.numbers[NUMBER_SECONDS] * 1000000000);
	}
}

static void end_program(struct server *server)
{
	struct json_object *result = json_object_new_object();
	const char *session = server->call.job.sessions[0];
	STRBUF(printed);
	int status = mcp_program_end(&server->program);

	json_add_text(result, "session", session);
	if (WIFSIGNALED(status))
		json_add_text(result, "signal", strsignal(WTERMSIG(status)));
	else
		json_add_count(result, "exit_status", (uint64_t)WEXITSTATUS(status));
	if (server->is_late)
		json_add_flag(result, "was_stopped_at_time_limit", 1);
	for (char *rest = server->program.end.text, *line; (line = strsep(&rest, "\n"));) {
		strbuf_visible(&printed, line);
		strbuf_puts(&printed, rest ? "\n" : "");
	}
	json_add_text(result, "printed", printed.text ? printed.text : "");
	next_steps_add(json_add_list(json_add_object(result, "answer"), "next"), &server->call, result);
	answer(server, result, NULL);
	mcp_program_release(&server->program);
	call_done(server);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void begin_call(struct server *server)
{
	struct json_object *params, *arguments;
	STRBUF(why);

	server->current = server->queue;
	server->queue = server->queue->next;
	server->n_queue--;
	if (!server->queue)
		server->queue_end = &server->queue;
	params = server->current->message.params;
	arguments = json_member(params, "arguments", json_type_object);
	if (call_make(&server->call, tool_find(json_member_text(params, "name")), &server->folders, arguments,
		      &why)) {
		answer(server, NULL, why.text);
		call_done(server);
	} else if (server->call.tool->runs_programs) {
		begin_program(server);
	} else {
		begin_verb(server);
	}
}

/* The call at hand takes too long, or nobody wants it. */
static void stop_call(struct server *server)
{
	server->is_late = 1;
	if (server->worker) {
		end_verb(server);
		return;
	}
	mcp_program_stop(&server->program);
	server->deadline_ns = util_raw_ns() + STOP_NS;
}

/* The client takes it back: there is no answer. */
static void cancel(struct server *server, struct json_object *id)
{
	for (struct waiting **at = &server->queue; *at; at = &(*at)->next) {
		struct waiting *waiting = *at;

		if (!json_object_equal(waiting->message.id, id))
			continue;
		*at = waiting->next;
		if (!*at)
			server->queue_end = at;
		server->n_queue--;
		message_release(&waiting->message);
		free(waiting);
		return;
	}
	if (!server->current || !json_object_equal(server->current->message.id, id))
		return;
	if (server->worker) {
		worker_forget(server, server->worker);
	} else {
		mcp_program_stop(&server->program);
		mcp_program_stop(&server->program);
		mcp_program_end(&server->program);
		mcp_program_release(&server->program);
	}
	call_done(server);
}

static void enqueue(struct server *server, struct message *message)
{
	struct waiting *waiting;

	if (server->n_queue >= QUEUE_MOST) {
		server->is_lost |=
			message_fail(message->id, RPC_INTERNAL, "too many calls wait already", NULL) != 0;
		message_release(message);
		return;
	}
	waiting = xcalloc(1, sizeof(*waiting));
	waiting->message = *message;
	*server->queue_end = waiting;
	server->queue_end = &waiting->next;
	server->n_queue++;
}

static void take_line(struct server *server, const char *line, size_t n)
{
	struct message message;
	const char *why;
	int code;

	switch (message_read(&message, line, n, &code, &why)) {
	case MESSAGE_WRONG:
		server->is_lost |= message_fail(message.id, code, why, NULL) != 0;
		break;
	case MESSAGE_REQUEST:
		switch (protocol_request(&server->protocol, &message)) {
		case PROTOCOL_CALL:
			enqueue(server, &message);
			return;
		case PROTOCOL_LOST:
			server->is_lost = 1;
			break;
		case PROTOCOL_ANSWERED:
			break;
		}
		break;
	case MESSAGE_NOTICE:
		if (!strcmp(message.method, "notifications/cancelled") && message.params) {
			struct json_object *id;

			if (json_object_object_get_ex(message.params, "requestId", &id))
				cancel(server, id);
		}
		break;
	case MESSAGE_IGNORED:
		break;
	}
	message_release(&message);
}

/* ---- the server ------------------------------------------------------------------------------ */

static int wait_ms(const struct server *server)
{
	uint64_t now = util_raw_ns();

	if (server->deadline_ns == NEVER)
		return -1;
	return server->deadline_ns <= now ? 0 : (int)((server->deadline_ns - now) / 1000000 + 1);
}

/* Waits until something is to be done, and does it. */
static void serve_once(struct server *server)
{
	struct pollfd fds[3] = { { .fd = server->reader.is_over ? -1 : server->reader.fd, .events = POLLIN },
				 { .fd = -1, .events = POLLIN },
				 { .fd = -1, .events = POLLIN } };
	const char *line;
	size_t n;

	if (server->current) {
		fds[1].fd = server->worker ? worker_fd(server->worker) : server->program.end_fd;
		fds[2].fd = server->worker ? -1 : server->program.out_fd;
	}
	if (poll(fds, ARRAY_SIZE(fds), wait_ms(server)) < 0 && errno != EINTR) {
		server->is_lost = 1;
		return;
	}
	if (fds[2].revents)
		mcp_program_read(&server->program);
	if (fds[1].revents) {
		if (server->worker)
			end_verb(server);
		else
			end_program(server);
	} else if (server->current && server->deadline_ns <= util_raw_ns()) {
		stop_call(server);
	}
	if (fds[0].revents) {
		line_reader_fill(&server->reader);
		while (!server->is_lost && (line = line_reader_next(&server->reader, &n)))
			take_line(server, line, n);
		if (server->reader.is_over && server->current &&
		    server->deadline_ns > util_raw_ns() + LAST_NS)
			set_deadline(server, LAST_NS);
	}
}

static void serve(struct server *server)
{
	while (!server->is_lost && !(server->reader.is_over && !server->current && !server->queue)) {
		if (!server->current && server->queue)
			begin_call(server);
		else
			serve_once(server);
	}
}

static void server_release(struct server *server)
{
	if (server->current) {
		if (!server->worker) {
			mcp_program_stop(&server->program);
			mcp_program_stop(&server->program);
			mcp_program_end(&server->program);
			mcp_program_release(&server->program);
		}
		call_done(server);
	}
	while (server->queue) {
		struct waiting *waiting = server->queue;

		server->queue = waiting->next;
		message_release(&waiting->message);
		free(waiting);
	}
	for (size_t i = 0; i < WORKERS_MOST; i++)
		worker_end(server->workers[i]);
	strbuf_release(&server->reader.buffer);
	folders_release(&server->folders);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct mcp_options options = { 0 };
	struct server server = { .reader.fd = STDIN_FILENO, .deadline_ns = NEVER };
	int n_operands;
	enum options_result parsed = options_parse(command, argc, argv, &options, &n_operands);

	if (parsed != OPTIONS_OK)
		return parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (isatty(STDIN_FILENO))
		return error_usage(
			"mcp: agents start it, and talk with it by stdin and stdout; this is a terminal "
			"(cinstr mcp --help)");
	server.queue_end = &server.queue;
	server.protocol.allows_programs = options.allow_record;
	signal(SIGPIPE, SIG_IGN);
	if (folders_open(&server.folders, argv + 1, (size_t)n_operands)) {
		folders_release(&server.folders);
		return STATUS_USAGE;
	}
	serve(&server);
	server_release(&server);
	return STATUS_OK;
}

static const struct option mcp_options[] = {
	{ "allow-record", 0, OPTION_FLAG, NULL, offsetof(struct mcp_options, allow_record),
	  "also run programs, to record them: any program that the agent names, as this user", NULL },
};

const struct command command_mcp = {
	.name = "mcp",
	.operands = "[FOLDER...]",
	.summary = "Lets agents ask about sessions, by the Model Context Protocol on stdin and stdout.\n"
		   "They are read from these folders only (default: the current one).",
	OPTIONS_OF(mcp_options),
	.max_operands = 100,
	.notes = "Agents start it. Its tools are summary, findings, report, callers, annotate, waits, diff\n"
		 "and explain, which answer what these verbs have with --format=json, a page of it; and\n"
		 "record. It reads sources and programs from where a session says they are. It speaks\n"
		 "the protocol's versions 2026-07-28, 2025-11-25, 2025-06-18 and 2024-11-05. What agents\n"
		 "should know: doc/agents.md.\n",
	.examples = "  cinstr mcp                       sessions below the current folder\n"
		    "  cinstr mcp --allow-record ~/app  the agent may also run programs there\n",
	.run = run,
};
