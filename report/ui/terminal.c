/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "terminal.h"

#include "lib/util.h"

#ifdef CINSTR_NCURSES

#include <ncurses.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
/* its macros are called `lines`, `columns` and the like */
#include <term.h>
#include <termios.h>
#include <unistd.h>

static struct {
	volatile sig_atomic_t is_changed;
	struct termios before;
	char sequence[256]; /* what puts the terminal back */
	size_t n;
} kept;

int terminal_check(void)
{
	const char *terminal = getenv("TERM");
	const char *shown;
	int why;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return error("ui: needs a terminal as input and output; cinstr summary and cinstr report do "
			     "without");
	if (!terminal || !*terminal) {
		return error("ui: TERM is not set; it names the kind of terminal, for example TERM=xterm");
	}
	shown = util_shown(terminal);
	why = setupterm(NULL, STDOUT_FILENO, &why) == ERR ? 1 : cursor_address && clear_screen ? 0 : 2;
	if (why == 1)
		error("ui: the terminal TERM=%s is not known here; TERM=xterm or TERM=vt100 may do", shown);
	else if (why == 2)
		error("ui: a terminal TERM=%s cannot place the cursor; cinstr summary and cinstr report do "
		      "without",
		      shown);
	return why ? -1 : 0;
}

static void keep(const char *sequence)
{
	size_t i = 0;

	while (sequence && sequence != (const char *)-1 && sequence[i] && kept.n < sizeof(kept.sequence)) {
		if (sequence[i] == '$' && sequence[i + 1] == '<') { /* padding, for old terminals */
			i += strcspn(sequence + i, ">");
			i += sequence[i] == '>';
			continue;
		}
		kept.sequence[kept.n++] = sequence[i++];
	}
}

void terminal_keep(void)
{
	tcgetattr(STDOUT_FILENO, &kept.before);
	kept.n = 0;
	keep(exit_attribute_mode);
	keep(cursor_normal);
	keep(keypad_local);
	keep(exit_ca_mode);
}

/* Calls only what a signal handler may. */
static void die(int number)
{
	struct sigaction by_default = { .sa_handler = SIG_DFL };
	ssize_t done;

	if (kept.is_changed) {
		done = write(STDOUT_FILENO, kept.sequence, kept.n);
		(void)done;
		tcsetattr(STDOUT_FILENO, TCSADRAIN, &kept.before);
	}
	sigaction(number, &by_default, NULL);
	raise(number);
}

void terminal_restore_on_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV,
				       SIGBUS, SIGABRT, SIGFPE, SIGILL };
	struct sigaction action = { .sa_handler = die, .sa_flags = SA_NODEFER };

	kept.is_changed = 1;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

void terminal_is_restored(void)
{
	kept.is_changed = 0;
}

#else

int terminal_check(void)
{
	return error("ui: this cinstr was built without ncurses; install libncurses-dev or ncurses-devel, "
		     "and build it again");
}

#endif
