/*
 * What programs do with descriptors while the runtime may be at work: one thread makes the data
 * file grow, by ever new call paths, and another one (or, for some modes, one beside threads that
 * begin, forks, and the exit) uses a number, the lowest that is free, again and again. Each mode
 * counts what it did not get, or lost, and prints that, at the very end of the process.
 *
 *   descriptors MODE [closed]     closed: without descriptors 0 to 2
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))
#define PLAIN __attribute__((noinline, no_instrument_function))
#define PATHS_LOG 15
#define HOME 100 /* where the program's own file stays */
#define OUT 101	 /* where its output goes */
#define HELLO "hello\n"

static volatile int is_done;
static volatile long sink, wrong, changed;
static int number; /* the lowest free descriptor */

/* ---- calls, each by another path ------------------------------------------------------------- */

KEEP long left(unsigned long path, int depth);
KEEP long right(unsigned long path, int depth);

KEEP long leaf(long x)
{
	__asm__ volatile("");
	return x + 1;
}

KEEP long step(unsigned long path, int depth)
{
	return !depth ? leaf(0) : path & 1 ? right(path >> 1, depth - 1) : left(path >> 1, depth - 1);
}

KEEP long left(unsigned long path, int depth)
{
	return step(path, depth) + 1;
}

KEEP long right(unsigned long path, int depth)
{
	return step(path, depth) + 2;
}

KEEP void walk(int paths_log)
{
	for (unsigned long path = 0; path < 1ul << paths_log; path++)
		sink += step(path, paths_log);
}

static void *grow(void *unused)
{
	walk(PATHS_LOG);
	is_done = 1;
	return unused;
}

static void *short_thread(void *unused)
{
	walk(2);
	return unused;
}

static void *begin_threads(void *unused)
{
	for (int i = 0; i < 300; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, short_thread, NULL);
		pthread_join(thread, NULL);
	}
	is_done = 1;
	return unused;
}

static void *fork_children(void *unused)
{
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (!child) {
			walk(10);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		walk(12);
	}
	is_done = 1;
	return unused;
}

/* Children that share this process's descriptors. */
static void *clone_children(void *unused)
{
	for (int i = 0; i < 20; i++) {
		long child = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);

		if (!child) {
			walk(10);
			_exit(0);
		}
		waitpid((pid_t)child, NULL, 0);
	}
	is_done = 1;
	return unused;
}

/* ---- what is done with the number ------------------------------------------------------------ */

PLAIN static void check_home(void)
{
	struct stat status;
	char text[8] = "";

	if (fstat(HOME, &status) || status.st_size != sizeof(HELLO) - 1 ||
	    pread(HOME, text, sizeof(text), 0) != sizeof(HELLO) - 1 || strcmp(text, HELLO)) {
		changed++;
		ftruncate(HOME, sizeof(HELLO) - 1);
	}
}

PLAIN static void spend(void)
{
	for (volatile int i = 0; i < 30; i++)
		;
}

PLAIN static void give_up(int descriptor)
{
	wrong += close(descriptor) != 0;
	check_home();
}

PLAIN static void use_dup2(void)
{
	dup2(HOME, number);
	spend();
	give_up(number);
}

PLAIN static void use_dup3(void)
{
	dup3(HOME, number, O_CLOEXEC);
	spend();
	give_up(number);
}

PLAIN static void use_fcntl(void)
{
	int got = fcntl(HOME, F_DUPFD, 0);

	wrong += got != number;
	give_up(got);
}

/* All but what the program needs, twice. */
PLAIN static void use_close_range(void)
{
	dup2(HOME, number);
	syscall(SYS_close_range, number, HOME - 1, 0);
	wrong += fcntl(number, F_GETFD) >= 0;
	check_home();
}

PLAIN static void use_close_all(void)
{
	dup2(HOME, number);
	for (int i = number; i < 20; i++)
		wrong += !close(i) != (i == number);
	check_home();
}

PLAIN static void use_open(void)
{
	int got = open("own", O_RDWR);

	wrong += got != number;
	give_up(got);
}

PLAIN static void use_socket(void)
{
	int pair[2];

	wrong += socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pair[0] != number || pair[1] != number + 1;
	wrong += write(pair[0], "x", 1) != 1;
	give_up(pair[0]);
	give_up(pair[1]);
}

PLAIN static void use_pipe(void)
{
	int ends[2];
	char byte = 0;

	wrong += pipe(ends) || ends[0] != number || ends[1] != number + 1;
	wrong += write(ends[1], "x", 1) != 1 || read(ends[0], &byte, 1) != 1 || byte != 'x';
	give_up(ends[0]);
	give_up(ends[1]);
}

/* The one descriptor that the limit leaves. */
PLAIN static void use_last(void)
{
	struct rlimit limit = { number + 1, 4096 };
	static int is_set;

	if (!is_set)
		is_set = !setrlimit(RLIMIT_NOFILE, &limit);
	use_open();
}

/* ---- modes ----------------------------------------------------------------------------------- */

static const struct mode {
	const char *name;
	void (*use)(void);
	void *(*beside)(void *);
} modes[] = {
	{ "dup2", use_dup2, grow },	      { "dup3", use_dup3, grow },
	{ "fcntl", use_fcntl, grow },	      { "close_range", use_close_range, grow },
	{ "close_all", use_close_all, grow }, { "open", use_open, grow },
	{ "socket", use_socket, grow },	      { "pipe", use_pipe, grow },
	{ "last", use_last, grow },	      { "threads", use_open, begin_threads },
	{ "forks", use_open, fork_children }, { "clones", use_open, clone_children },
	{ "exit", use_open, NULL },
};

static const struct mode *mode;

PLAIN static void *use_for_ever(void *unused)
{
	for (;;)
		mode->use();
	return unused;
}

/* After the runtime's own exit handler. */
PLAIN __attribute__((destructor)) static void tell(void)
{
	if (mode)
		dprintf(OUT, "%ld wrong, %ld changed\n", wrong, changed);
}

static void prepare(int is_closed)
{
	int own = open("own", O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (write(own, HELLO, sizeof(HELLO) - 1) != sizeof(HELLO) - 1)
		exit(3);
	dup2(own, HOME);
	dup2(1, OUT);
	close(own);
	for (int i = 0; is_closed && i < 3; i++)
		close(i);
	number = open("own", O_RDWR);
	close(number);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	for (unsigned i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(argv[1], modes[i].name))
			mode = &modes[i];
	prepare(argc > 2);
	if (!mode->beside) {
		walk(12);
		pthread_create(&thread, NULL, use_for_ever, NULL);
		usleep(1000);
		return 0;
	}
	pthread_create(&thread, NULL, mode->beside, NULL);
	while (!is_done)
		mode->use();
	pthread_join(thread, NULL);
	return 0;
}
