/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stepper - runs a program and does something to it between two instructions of a function that it
 * chooses.
 *
 *   stepper ACTION WHERE HIT START STRIDE MS|FOLDER -- PROGRAM ARGUMENT...
 *
 *   WHERE   LIBRARY+OFFSET (hexadecimal), or LIBRARY*POINTER+OFFSET: behind the address that is
 *           stored there. Before it may stand another place and a comma: it is looked up when that
 *           one is reached for the first time
 *   HIT     the first call of the place to look at, from 0
 *   ACTION  kill    START instructions behind it: SIGKILL
 *           signal  SIGUSR1 to that thread, START instructions behind that call, START + STRIDE
 *                   behind the next ...; as far as the place's function goes, then from the
 *                   beginning, shifted by one
 *           stop    the same, but the thread waits there for MS milliseconds, and all others run
 *           step    the same, and nothing else is done (a tracer at work)
 *           copy    one call: its instructions START, START + STRIDE, ... : copies of the files in
 *                   FOLDER/from to FOLDER/NUMBER, which is what a kill there would leave of them
 *
 * Prints "HITS ACTIONS LONGEST STATUS": calls seen, things done, the most instructions that a call
 * was followed for, and the program's exit status (128 + N: signal N). A child of the program is
 * traced as well, until it execs. The program must have the library from its start: the
 * environment's STEPPER_PRELOAD. STEPPER_STEPS: after so many steps the program runs on by itself.
 * STEPPER_EVERY: only every so many calls count (a handler's probes come to the place as well).
 * STEPPER_COUNTS: a file that is copied to FOLDER/NUMBER.counts.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEPS_MAX 3000000
#define TASKS_MAX 4096

enum action { KILL, SIGNAL, STOP, STEP, COPY };

static struct {
	enum action action;
	const char *where, *folder;
	long hit, start, stride, ms, every;
} order;

static struct {
	pid_t main;
	unsigned long address; /* of the breakpoint; 0: none yet */
	unsigned char old;
	/* of the one before it: the program's entry, then the first place, if there are two */
	unsigned long
		stage;
	unsigned char stage_old;
	long hits, actions, longest, next, steps_left;
	int followed;
	pid_t held; /* waits until `held_until` */
	struct timespec held_until;
	int status;
} run;

static void fail(const char *what)
{
	fprintf(stderr, "stepper: %s: %s\n", what, strerror(errno));
	if (run.main > 0)
		kill(run.main, SIGKILL);
	exit(99);
}

/* ---- memory and registers of a task ---------------------------------------------------------- */

static unsigned long peek(pid_t task, unsigned long address)
{
	errno = 0;
	unsigned long word = (unsigned long)ptrace(PTRACE_PEEKDATA, task, (void *)address, NULL);

	if (errno)
		fail("reading memory");
	return word;
}

static unsigned char put_byte(pid_t task, unsigned long address, unsigned char byte)
{
	unsigned long word = peek(task, address & ~7ul);
	unsigned shift = (unsigned)(address & 7) * 8;
	unsigned char old = (unsigned char)(word >> shift);

	word = (word & ~(0xfful << shift)) | (unsigned long)byte << shift;
	if (ptrace(PTRACE_POKEDATA, task, (void *)(address & ~7ul), (void *)word))
		fail("writing memory");
	return old;
}

/* 0: the task is gone. */
static int get_registers(pid_t task, struct user_regs_struct *registers)
{
	return !ptrace(PTRACE_GETREGS, task, NULL, registers);
}

static void resume(pid_t task, int number)
{
	if (ptrace(PTRACE_CONT, task, NULL, (void *)(long)number) && errno != ESRCH)
		fail("going on");
}

/* ---- where ----------------------------------------------------------------------------------- */

static unsigned long entry_of(pid_t task)
{
	char path[64];
	Elf64_auxv_t pair;
	unsigned long entry = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/auxv", task);
	file = fopen(path, "r");
	while (file && fread(&pair, sizeof(pair), 1, file) == 1)
		if (pair.a_type == AT_ENTRY)
			entry = pair.a_un.a_val;
	if (file)
		fclose(file);
	return entry;
}

static unsigned long base_of(pid_t task, const char *library)
{
	char path[64], line[PATH_MAX + 200];
	unsigned long base = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", task);
	file = fopen(path, "r");
	while (file && !base && fgets(line, sizeof(line), file))
		if (strstr(line, library))
			base = strtoul(line, NULL, 16);
	if (file)
		fclose(file);
	return base;
}

/* 0: it is not known yet. */
static unsigned long place(pid_t task, const char *where)
{
	char library[PATH_MAX];
	unsigned long base, pointer, offset;

	if (sscanf(where, "%[^*+]*%lx+%lx", library, &pointer, &offset) == 3) {
		base = base_of(task, library);
		base = base ? peek(task, base + pointer) : 0;
	} else if (sscanf(where, "%[^*+]+%lx", library, &offset) == 2) {
		base = base_of(task, library);
	} else {
		fail("no such place");
	}
	return base ? base + offset : 0;
}

/* ---- actions --------------------------------------------------------------------------------- */

static void copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC),
	    out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	static char block[4096], zero[4096];
	long n, bytes = 0;

	if (in < 0 || out < 0)
		fail(to);
	while ((n = read(in, block, sizeof(block))) > 0) { /* with holes: most of it is zero */
		if (memcmp(block, zero, sizeof(block)) || n < (long)sizeof(block)) {
			if (write(out, block, (size_t)n) != n)
				fail(to);
		} else {
			lseek(out, n, SEEK_CUR);
		}
		bytes += n;
	}
	if (ftruncate(out, bytes))
		fail(to);
	close(in);
	close(out);
}

static void copy_files(long number)
{
	char from[PATH_MAX], to[PATH_MAX], source[PATH_MAX * 2], target[PATH_MAX * 2];
	struct dirent *entry;
	DIR *folder;

	snprintf(from, sizeof(from), "%s/from", order.folder);
	snprintf(to, sizeof(to), "%s/%ld", order.folder, number);
	folder = opendir(from);
	if (!folder || mkdir(to, 0777))
		fail(to);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(source, sizeof(source), "%s/%s", from, entry->d_name);
		snprintf(target, sizeof(target), "%s/%s", to, entry->d_name);
		copy_file(source, target);
	}
	closedir(folder);
	snprintf(target, sizeof(target), "%s/%ld.counts", order.folder, number);
	if (getenv("STEPPER_COUNTS"))
		copy_file(getenv("STEPPER_COUNTS"), target);
}

static pid_t process_of(pid_t task)
{
	char path[64], line[200];
	pid_t process = task;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", task);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "Tgid: %d", &process);
	if (file)
		fclose(file);
	return process;
}

/* Returns 1: the task is not to go on now. */
static int act(pid_t task)
{
	run.actions++;
	switch (order.action) {
	case KILL:
		kill(process_of(task), SIGKILL);
		return 1;
	case SIGNAL:
		syscall(SYS_tgkill, process_of(task), task, SIGUSR1);
		return 0;
	case STOP:
		run.held = task;
		clock_gettime(CLOCK_MONOTONIC, &run.held_until);
		run.held_until.tv_nsec += order.ms % 1000 * 1000000;
		run.held_until.tv_sec += order.ms / 1000 + run.held_until.tv_nsec / 1000000000;
		run.held_until.tv_nsec %= 1000000000;
		return 1;
	default:
		return 0;
	}
}

/* One instruction. 0: the task is gone. */
static int step(pid_t task)
{
	int status, number = 0;

	for (;;) {
		if (ptrace(PTRACE_SINGLESTEP, task, NULL, (void *)(long)number))
			return 0;
		if (waitpid(task, &status, __WALL) != task || !WIFSTOPPED(status)) {
			if (task == run.main)
				run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			return 0;
		}
		number = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		if (!number && !(status >> 16))
			return 1;
	}
}

/*
 * Follows a call. Returns the number of instructions until it has returned, or `limit` if that is
 * less; -1: the task is gone.
 */
static long follow(pid_t task, const struct user_regs_struct *begin, long limit)
{
	unsigned long behind = peek(task, begin->rsp);
	struct user_regs_struct now;
	long n = 0, next = order.start;

	for (;; n++) {
		if (order.action == COPY && n == next) {
			copy_files(n);
			run.actions++;
			next += order.stride;
		}
		if (n >= limit || run.steps_left-- <= 0)
			return n;
		if (!step(task) || !get_registers(task, &now))
			return -1;
		if (now.rip == behind && now.rsp == begin->rsp + 8)
			return n + 1;
	}
}

/* ---- the breakpoint -------------------------------------------------------------------------- */

/* The task stands at the breakpoint; the original instruction is done before anything else. Returns
 * 0: task is gone. */
static int at_breakpoint(pid_t task, struct user_regs_struct *registers)
{
	long limit = order.action == COPY ? STEPS_MAX : order.start + run.next * order.stride, n;
	int hold = 0;

	registers->rip = run.address;
	if (ptrace(PTRACE_SETREGS, task, NULL, registers))
		return 0;
	put_byte(task, run.address, run.old);
	if (run.hits++ < order.hit || run.hits % order.every ||
	    ((order.action == KILL || order.action == COPY) && run.followed) || run.held) {
		n = step(task) ? 1 : -1;
	} else {
		n = follow(task, registers, limit);
		run.followed = 1;
		if (n > run.longest)
			run.longest = n;
		if (n >= 0 && n == limit && order.action != COPY) {
			hold = act(task);
			run.next++;
		} else if (order.action != COPY) { /* it was shorter */
			order.start += order.action != KILL;
			run.next = 0;
		}
	}
	if (n < 0)
		return 0;
	if (hold && order.action == KILL)
		return 0;
	if (!n && !hold && !step(task)) /* it still stands there */
		return 0;
	if (run.steps_left > 0 || hold)
		put_byte(task, run.address, 0xcc);
	if (!hold)
		resume(task, 0);
	return 1;
}

/* The next place. */
static void plant(pid_t task)
{
	char first[PATH_MAX];
	const char *comma = strchr(order.where, ',');

	if (comma) {
		snprintf(first, sizeof(first), "%.*s", (int)(comma - order.where), order.where);
		run.stage = place(task, first);
		run.stage_old = put_byte(task, run.stage, 0xcc);
		order.where = comma + 1;
		return;
	}
	run.stage = 0;
	run.address = place(task, order.where);
	if (!run.address)
		fail("no such library");
	run.old = put_byte(task, run.address, 0xcc);
}

/* Returns 0: a trap of the program's own. */
static int on_trap(pid_t task)
{
	struct user_regs_struct registers;

	if (!get_registers(task, &registers))
		return 1;
	if (run.stage && registers.rip == run.stage + 1) {
		put_byte(task, run.stage, run.stage_old);
		registers.rip--;
		ptrace(PTRACE_SETREGS, task, NULL, &registers);
		plant(task);
		resume(task, 0);
		return 1;
	}
	if (!run.address || registers.rip != run.address + 1)
		return 0;
	at_breakpoint(task, &registers);
	return 1;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void release_held(int now)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	if (!run.held ||
	    (!now && (time.tv_sec < run.held_until.tv_sec ||
		      (time.tv_sec == run.held_until.tv_sec && time.tv_nsec < run.held_until.tv_nsec))))
		return;
	/* It may stand at the breakpoint itself (START 0), which its first instruction must not hit
	 * again. */
	put_byte(run.held, run.address, run.old);
	if (step(run.held)) {
		if (run.steps_left > 0)
			put_byte(run.held, run.address, 0xcc);
		resume(run.held, 0);
	}
	run.held = 0;
}

static void on_stop(pid_t task, int status)
{
	int event = status >> 16, number = WSTOPSIG(status);

	if (event == PTRACE_EVENT_EXEC) { /* another program */
		ptrace(PTRACE_DETACH, task, NULL, NULL);
		return;
	}
	if (event) {
		resume(task, 0);
		return;
	}
	if (number == SIGSTOP || (number == SIGTRAP && on_trap(task)))
		number = number == SIGSTOP ? 0 : -1; /* SIGSTOP: a new task's first stop */
	if (number >= 0)
		resume(task, number);
}

static void watch(void)
{
	int status;

	for (;;) {
		pid_t task = waitpid(-1, &status, __WALL | (run.held ? WNOHANG : 0));

		if (!task) {
			struct timespec nap = { 0, 200000 };

			release_held(0);
			nanosleep(&nap, NULL);
			continue;
		}
		if (task < 0)
			return;
		if (WIFSTOPPED(status)) {
			on_stop(task, status);
			continue;
		}
		if (task == run.held)
			run.held = 0;
		if (task == run.main)
			run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		if (task == run.main && run.held)
			run.held = 0;
	}
}

static void launch(char **program)
{
	long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
		       PTRACE_O_EXITKILL;
	int status;

	run.main = fork();
	if (!run.main) {
		setenv("LD_PRELOAD", getenv("STEPPER_PRELOAD"), 1);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(program[0], program);
		_exit(127);
	}
	if (waitpid(run.main, &status, 0) != run.main || !WIFSTOPPED(status))
		fail(program[0]);
	if (ptrace(PTRACE_SETOPTIONS, run.main, NULL, (void *)options))
		fail("tracing");
	run.stage = entry_of(run.main);
	run.stage_old = put_byte(run.main, run.stage, 0xcc);
	resume(run.main, 0);
}

int main(int argc, char **argv)
{
	static const char *const actions[] = { "kill", "signal", "stop", "step", "copy" };

	if (argc < 9 || strcmp(argv[7], "--"))
		return 98;
	for (int i = 0; i < 5; i++)
		if (!strcmp(argv[1], actions[i]))
			order.action = (enum action)i;
	order.where = argv[2];
	order.hit = atol(argv[3]);
	order.start = atol(argv[4]);
	order.stride = atol(argv[5]);
	order.folder = argv[6];
	order.ms = atol(argv[6]);
	run.steps_left = getenv("STEPPER_STEPS") ? atol(getenv("STEPPER_STEPS")) : LONG_MAX;
	order.every = getenv("STEPPER_EVERY") ? atol(getenv("STEPPER_EVERY")) : 1;
	launch(argv + 8);
	watch();
	fprintf(stderr, "\nstepper: %ld %ld %ld %d\n", run.hits, run.actions, run.longest, run.status);
	return 0;
}
