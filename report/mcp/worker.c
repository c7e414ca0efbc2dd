/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/files.h"

#define JOB_MOST 65536 /* bytes of a job's arguments */
#define IDLE_MS 100

struct worker {
	pid_t pid;
	int socket; /* jobs there, statuses back */
	int out_fd, messages_fd;
	struct strbuf key; /* the sessions, each with its NUL */
	size_t n_asked;
};

static void put_key(struct strbuf *key, const struct job *job)
{
	for (size_t i = 0; i < job->n_sessions; i++)
		strbuf_add(key, job->sessions[i], strlen(job->sessions[i]) + 1);
}

/* ---- in the worker --------------------------------------------------------------------------- */

/* Whoever began this process has ended: so does it. */
static void end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_DATA);
}

/* Has what prints print there, or nowhere. */
static void print_to(int out_fd, int messages_fd)
{
	int nowhere = files_open("/dev/null", FILES_CHANGE | FILES_STREAM);

	dup2(nowhere, STDIN_FILENO);
	dup2(out_fd < 0 ? nowhere : out_fd, STDOUT_FILENO);
	dup2(messages_fd < 0 ? nowhere : messages_fd, STDERR_FILENO);
	close(nowhere);
}

/* Runs the verb in this process, which it ends. */
static void run_job(const struct folders *folders, const struct job *job)
{
	int status = STATUS_OK;

	for (size_t i = 0; i < job->n_sessions; i++)
		if (folders_hold(folders, job->sessions[i]))
			_exit(STATUS_DATA);
	status = job->command->run(job->command, job->argc, job->argv);
	if (fflush(stdout))
		status = STATUS_DATA;
	_exit(status);
}

static int fork_job(const struct worker *worker, const struct folders *folders, const struct job *job)
{
	pid_t parent = getpid(), pid = fork();
	int status = -1;

	if (!pid) {
		end_with(parent);
		close(worker->socket);
		print_to(worker->out_fd, worker->messages_fd);
		run_job(folders, job);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* Looks up all that the session has, functions or lines; what stays are symbols. */
static void warm_up(const struct folders *folders, const struct job *job, const char *by)
{
	static char name[] = "report", format[] = "--format=json", end[] = "--";

	for (size_t i = 0; i < job->n_sessions; i++) {
		FREED char *rows = xstrdup(by);
		char *argv[] = { name, format, rows, end, job->sessions[i], NULL };

		if (!folders_hold(folders, job->sessions[i]))
			command_report.run(&command_report, 5, argv);
		fflush(stdout);
	}
}

/* A job of the server: the verb's name and arguments, each with its NUL. */
static int job_parse(char *text, size_t n, struct job *job)
{
	job->argc = 0;
	for (size_t i = 0; i < n; i += strlen(text + i) + 1) {
		job->argv[job->argc++] = text + i;
		if (i + strlen(text + i) >= n)
			return -1;
	}
	job->argv[job->argc] = NULL;
	job->command = job->argc ? command_find(job->argv[0]) : NULL;
	return job->command ? 0 : -1;
}

static void be_the_worker(const struct worker *worker, const struct folders *folders, struct job job)
{
	static char text[JOB_MOST + 1];
	struct pollfd jobs = { .fd = worker->socket, .events = POLLIN };
	int has_lines = 0;
	ssize_t n;

	signal(SIGINT, SIG_IGN); /* the terminal's: the server ends this process */
	print_to(-1, -1);
	warm_up(folders, &job, "--by=function");
	job.argv = xcalloc(JOB_MOST + 1, sizeof(*job.argv));
	for (;;) {
		int status;

		/* Lines take long, too: while nobody asks. */
		if (!has_lines && !poll(&jobs, 1, IDLE_MS)) {
			has_lines = 1;
			warm_up(folders, &job, "--by=line");
		}
		n = recv(worker->socket, text, JOB_MOST, 0);
		if (n <= 0)
			break;
		status = job_parse(text, (size_t)n, &job) ? -1 : fork_job(worker, folders, &job);
		if (send(worker->socket, &status, sizeof(status), MSG_NOSIGNAL) != sizeof(status))
			break;
	}
	_exit(STATUS_OK);
}

/* ---- in the server --------------------------------------------------------------------------- */

struct worker *worker_begin(const struct folders *folders, const struct job *job)
{
	struct worker *worker = xcalloc(1, sizeof(*worker));
	pid_t parent = getpid();
	int sockets[2] = { -1, -1 };

	worker->socket = -1;
	worker->out_fd = memfd_create("cinstr-answer", MFD_CLOEXEC);
	worker->messages_fd = memfd_create("cinstr-messages", MFD_CLOEXEC);
	put_key(&worker->key, job);
	if (worker->out_fd >= 0 && worker->messages_fd >= 0 &&
	    !socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) {
		fflush(NULL);
		worker->pid = fork();
		if (!worker->pid) {
			end_with(parent);
			close(sockets[0]);
			worker->socket = sockets[1];
			be_the_worker(worker, folders, *job);
		}
		close(sockets[1]);
		worker->socket = sockets[0];
	}
	if (worker->pid > 0)
		return worker;
	error("mcp: %s", strerror(errno));
	worker_end(worker);
	return NULL;
}

void worker_end(struct worker *worker)
{
	if (!worker)
		return;
	if (worker->pid > 0) {
		kill(worker->pid, SIGKILL);
		while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (worker->socket >= 0)
		close(worker->socket);
	if (worker->out_fd >= 0)
		close(worker->out_fd);
	if (worker->messages_fd >= 0)
		close(worker->messages_fd);
	strbuf_release(&worker->key);
	free(worker);
}

int worker_is_for(const struct worker *worker, const struct job *job)
{
	STRBUF(key);
	int is;

	put_key(&key, job);
	is = key.length == worker->key.length &&
	     !memcmp(key.text ? key.text : "", worker->key.text ? worker->key.text : "", key.length);
	return is;
}

static int empty(int fd)
{
	return ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) ? -1 : 0;
}

int worker_ask(struct worker *worker, const struct job *job)
{
	STRBUF(text);
	int status = -1;

	for (int i = 0; i < job->argc; i++)
		strbuf_add(&text, job->argv[i], strlen(job->argv[i]) + 1);
	if (text.length <= JOB_MOST && !empty(worker->out_fd) && !empty(worker->messages_fd) &&
	    send(worker->socket, text.text, text.length, MSG_NOSIGNAL) == (ssize_t)text.length)
		status = 0;
	worker->n_asked++;
	return status;
}

int worker_is_new(const struct worker *worker)
{
	return worker->n_asked <= 1;
}

int worker_fd(const struct worker *worker)
{
	return worker->socket;
}

int worker_status(struct worker *worker)
{
	int status;

	return recv(worker->socket, &status, sizeof(status), 0) == sizeof(status) ? status : -1;
}

static char *text_of(int fd, size_t most, size_t *n)
{
	struct stat st;
	char *text;
	ssize_t got;

	if (fstat(fd, &st) || (size_t)st.st_size > most)
		return NULL;
	text = xcalloc((size_t)st.st_size + 1, 1);
	got = pread(fd, text, (size_t)st.st_size, 0);
	*n = got > 0 ? (size_t)got : 0;
	text[*n] = '\0';
	return text;
}

char *worker_output(const struct worker *worker, size_t most, size_t *n)
{
	return text_of(worker->out_fd, most, n);
}

char *worker_messages(const struct worker *worker, size_t most)
{
	size_t n;

	return text_of(worker->messages_fd, most, &n);
}
