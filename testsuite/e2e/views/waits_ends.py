# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr waits of ends of pipes, sockets and events. programs/ends.c makes each wait last until the
kernel says that its thread sleeps: nothing depends on time."""
import lab

# waiter -> kinds of what it waited for, and who ended that, by the program's own logic
TRUTH = {
    "reads_pair": {("socket", "writes_pair")},
    "asks": {("socket", "answers")},  # who read the same socket after it had written to it
    "answers": {("socket", "asks")},
    "reads_copy": {("socket", "writes_copied")},
    "wants_room": {("socket", "gives_room")},
    "wants_last": {("socket", "gives_last")},
    "wants_end": {("socket", "gives_end")},
    "wants_event": {("event", "gives_event")},
    "wants_less": {("event", "takes_event")},
    "reads_tcp": {("socket", "writes_tcp")},
    "reads_fresh": {("pipe", "writes_fresh")},
    "polls": {("pipe", "pokes")},
    "polls_both": {("pipe", "pokes_first")},
    "awaits": {("socket", "feeds"), ("event", "tells")},
    # by a descriptor whose number was another end before
    "reads_passed": {("socket", "writes_passed")},
    "reads_moved": {("pipe", "writes_moved")},
    "reads_again": {("pipe", "writes_again")},
}
# not by an address of AF_UNIX, nor another process: these are waits for input
UNKNOWN = "reads_named", "reads_from_child"


@lab.test("waits/at ends of pipes, sockets and events")
def ends(bench):
    program = bench.compile("programs/ends.c", "ends", "-O2", "-g", "-pthread")
    for overhead in "10", "unlimited", "0":
        bench.run(program, status=0, env={"CINSTR_MAX_OVERHEAD": overhead})
        rows = [row for row in bench.json("waits", bench.path("cinstr.data"))["waits"] if row["kind"] != "thread"]
        found = {waiter: {(row["kind"], row["ended_by"]) for row in rows if row["waiter"] == waiter}
                 for waiter in (*TRUTH, *UNKNOWN)}
        lab.equal(found, {**TRUTH, **{waiter: set() for waiter in UNKNOWN}}, f"{overhead}: who ended the waits")
        # the second one may have written before the first one's reader ran
        lab.equal({row["known"] for row in rows if row["waiter"] != "polls_both"}, {"call"}, f"{overhead}: what is known")
        lab.equal({row["address"] for row in rows}, {None}, "an end is no place in memory")


CONNECTIONS = """
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static int questions[2];
static void *answers(void *unused)
{
	int fd;

	pthread_mutex_lock(&held);
	while (read(questions[0], &fd, sizeof(fd)) == sizeof(fd)) {
		usleep(20);
		if (write(fd, "x", 1) != 1)
			_exit(1);
	}
	usleep(20000);
	pthread_mutex_unlock(&held);
	return unused;
}
int main(void)
{
	pthread_t thread;
	int pair[2];
	char c;

	if (pipe(questions) || pthread_create(&thread, NULL, answers, NULL))
		return 1;
	for (int i = 0; i < 6000; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || write(questions[1], &pair[1], sizeof(int)) != sizeof(int) ||
		    read(pair[0], &c, 1) != 1)
			return 1;
		close(pair[0]);
		close(pair[1]);
	}
	close(questions[1]);
	pthread_mutex_lock(&held);
	return pthread_join(thread, NULL);
}
"""


@lab.test("waits/at ends of more sockets than there is room for")
def many(bench):
    """It stays known who wrote, and what else was waited for finds room."""
    bench.run(bench.compile(bench.write("many.c", CONNECTIONS), "many", "-O2", "-g", "-pthread"), status=0)
    rows = bench.json("waits", bench.path("cinstr.data"))["waits"]
    sockets = [row for row in rows if row["kind"] == "socket"]
    # the machine may let the answer come before the read: then it has not waited
    lab.check(sum(row["waits"] for row in sockets) > 4000, f"{sum(row['waits'] for row in sockets)} waits")
    lab.equal({(row["waiter"], row["ended_by"]) for row in sockets}, {("main", "answers")}, "who wrote")
    # what is given meanwhile at another end that shares its place makes it likely
    likely = sum(row["waits"] for row in sockets if row["known"] == "likely")
    lab.check(likely < 60, f"{likely} waits are only likely")
    lab.check(max(row["waits"] for row in sockets) > 500, "those without room are added up")
    lab.equal([(row["object"], row["ended_by"]) for row in rows if row["kind"] == "mutex" and row["waiter"] == "main"],
              [("held", "answers")], "the mutex")


@lab.test("waits/at ends of pipes, on the screen")
def shown(bench):
    program = bench.compile("programs/ends.c", "ends", "-O2", "-g", "-pthread")
    bench.run(program, status=0)
    text = bench.cinstr("waits", bench.path("cinstr.data"), "--width=80", "--limit=0")
    for said in "ends of threads", "eventfd: ", "socket: ", "  other end   100 %  answers  ends.c:", "  ended by ":
        lab.check(said in text, f"{said!r} is missing:\n{text}")
    lab.check(all(len(line) <= 80 for line in text.splitlines()), text)
