/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_control.c - cinstr control: steers a recording from outside. It writes into the files that
 * the processes have mapped (struct cinstr_control_block), where they look from time to time; no
 * signal, nothing that the program could notice.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cinstr/atomics.h"
#include "control_levels.h"
#include "control_threads.h"
#include "lib/options.h"
#include "lib/util.h"
#include "output/format.h"
#include "session/rule_check.h"
#include "snapshot.h"
#include "target.h"

#define CHOICE_WAIT_NS 5000000
#define CHOICE_WAITS 400
#define LOOKED_AT_MAX (256 << 20)

struct control_options {
	int format; /* of OUTPUT_NESTED_WORDS */
	const char *threads;
};

static const struct option control_options[] = {
	{ "format", 'f', OPTION_CHOICE, OUTPUT_NESTED_WORDS, offsetof(struct control_options, format),
	  "of status", "table" },
	{ "thread", 't', OPTION_TEXT, "TID|NAME,...", offsetof(struct control_options, threads),
	  "on, off, suspend, resume: of these threads only. Globs match, !GLOB leaves out", NULL },
};

/* What stands behind the verb. */
struct words {
	char **words;
	int n;
	int format;	     /* of OUTPUT_NESTED_WORDS */
	const char *threads; /* NULL: all */
};

/* ---- what remains ---------------------------------------------------------------------------- */

/* Prints the state of a process, seen from its block and its session's. */
static void say_state(const struct target *target, const struct process *process,
		      const struct cinstr_control_block *own)
{
	struct cinstr_control_block *session = control_map(target->session_file, 0);
	STRBUF(line);
	STRBUF(name);
	STRBUF(other);

	strbuf_clear(&line);
	strbuf_clear(&other);
	level_put_why(&other, "its session is", level_of(session));
	if (level_of(session).stopped)
		strbuf_printf(&other, " (cinstr control %s on)", target->folder);
	level_put_state(&line, level_of(own), other.text);
	printf("%s%s\n", process_name(process, &name), line.text);
	control_unmap(session);
}

/* ---- on, off, suspend, resume ---------------------------------------------------------------- */

static int switch_process(const struct target *target, const struct process *process, const void *arg)
{
	const enum level_change *change = arg;
	struct cinstr_control_block *block = target_block(target, process);
	STRBUF(name);
	int failed;

	if (!block)
		return STATUS_DATA;
	failed = level_change(&block->stopped, &block->suspensions, *change);
	control_changed(block);
	if (failed)
		error("%s is not suspended", process_name(process, &name));
	else if (!target->is_session || level_of(block).suspensions)
		say_state(target, process, block);
	control_unmap(block);
	return failed ? STATUS_DATA : STATUS_OK;
}

/* Calls `act` for each process that records. */
static int each_live(const struct target *target,
		     int (*act)(const struct target *, const struct process *, const void *), const void *arg)
{
	int status = STATUS_OK;

	if (!target->is_session && !target->n_live)
		return target_say_nobody(target);
	for (size_t i = 0; i < target->n; i++)
		if (target->processes[i].pid && act(target, &target->processes[i], arg))
			status = STATUS_DATA;
	return status;
}

static void say_session(const struct target *target, const struct cinstr_control_block *block)
{
	STRBUF(line);

	strbuf_visible(&line, target->folder);
	level_put_state(&line, level_of(block), "");
	printf("session %s, for %zu running process%s and those that come\n", line.text, target->n_live,
	       target->n_live == 1 ? "" : "es");
}

/* Switching on: also each process, which may have begun paused, and processes to come. */
static int switch_session(const struct target *target, enum level_change change)
{
	struct cinstr_control_block *block = target_block(target, NULL);
	int status = STATUS_OK;

	if (block && change == LEVEL_ON)
		atomic_store_relaxed(&block->started_later, 1);
	if (!block) {
		status = STATUS_DATA;
	} else if (level_change(&block->stopped, &block->suspensions, change)) {
		error("session %s is not suspended", util_shown(target->folder));
		status = STATUS_DATA;
	} else {
		control_changed(block);
		say_session(target, block);
	}
	control_unmap(block);
	return !status && change == LEVEL_ON ? each_live(target, switch_process, &change) : status;
}

static int do_switch(struct target *target, const struct words *words, enum level_change change)
{
	if (words->threads)
		return control_threads(target, words->threads, change);
	if (target_has_ended(target))
		return target_say_nobody(target);
	return target->is_session ? switch_session(target, change)
				  : each_live(target, switch_process, &change);
}

static int do_on(struct target *target, const struct words *words)
{
	return do_switch(target, words, LEVEL_ON);
}

static int do_off(struct target *target, const struct words *words)
{
	return do_switch(target, words, LEVEL_OFF);
}

static int do_suspend(struct target *target, const struct words *words)
{
	return do_switch(target, words, LEVEL_SUSPEND);
}

static int do_resume(struct target *target, const struct words *words)
{
	return do_switch(target, words, LEVEL_RESUME);
}

/* ---- mark ------------------------------------------------------------------------------------ */

static char *joined(const struct words *words)
{
	struct strbuf text = { 0 };

	strbuf_clear(&text);
	for (int i = 0; i < words->n; i++)
		strbuf_printf(&text, "%s%s", i ? " " : "", words->words[i]);
	return text.text;
}

static int mark_one(const struct target *target, const struct process *process, const void *text)
{
	int why = control_mark(process->path, text);
	STRBUF(name);
	STRBUF(shown);

	(void)target;
	process_name(process, &name);
	strbuf_visible(&shown, text);
	if (!why)
		printf("%s: marked%s%s\n", name.text, shown.length ? ": " : "", shown.text);
	else if (why == ENOSPC)
		error("%s has no room for marks until one of its threads runs", name.text);
	else if (why == EACCES || why == EPERM)
		error("%s: no permission to write into its data: it belongs to another user", name.text);
	else if (why)
		error("%s: %s", name.text, strerror(why));
	return why != 0;
}

static int do_mark(struct target *target, const struct words *words)
{
	FREED char *text = joined(words);

	return target->n_live ? each_live(target, mark_one, text) : target_say_nobody(target);
}

/* ---- snapshot -------------------------------------------------------------------------------- */

/* A process's snapshot stands beside its session, with its number. */
static char *default_source(const struct target *target)
{
	struct strbuf name = { 0 };

	strbuf_puts(&name, target->folder);
	while (name.length > 1 && name.text[name.length - 1] == '/')
		name.text[--name.length] = '\0';
	return name.text;
}

static int do_snapshot(struct target *target, const struct words *words)
{
	struct snapshot_file *files = xcalloc(target->n + 1, sizeof(*files));
	FREED char *from = default_source(target);
	FREED char *made = NULL;
	size_t n = 0;

	for (size_t i = 0; i < target->n; i++)
		files[n++] =
			(struct snapshot_file){ target->processes[i].path, target->processes[i].pid != 0, 0 };
	if (n)
		made = snapshot_make(from, files, n, words->n ? words->words[0] : NULL);
	else
		error("%s: it holds no data yet", from);
	if (made) {
		const char *shown = util_shown(made);

		printf("%s: %zu process%s. Look at it with: cinstr summary %s\n", shown, n,
		       n == 1 ? "" : "es", shown);
	}
	free(files);
	if (!made)
		return STATUS_DATA;
	return STATUS_OK;
}

/* ---- choose ---------------------------------------------------------------------------------- */

enum choice_state { CHOICE_FREE = 0, CHOICE_WRITING = 1, CHOICE_WAITING = 2, CHOICE_DONE = 3 };

static void nap(void)
{
	struct timespec time = { 0, CHOICE_WAIT_NS };

	nanosleep(&time, NULL);
}

/* Takes the right to write the rules. Rules that wait there, which the process has not seen yet,
 * are replaced. */
static int choice_take(struct cinstr_control_block *block)
{
	for (int i = 0; i < CHOICE_WAITS; i++) {
		uint32_t state = atomic_load_acquire(&block->choice_state);

		if (state != CHOICE_WRITING &&
		    atomic_compare_swap(&block->choice_state, &state, CHOICE_WRITING))
			return 0;
		nap();
	}
	return -1;
}

static void choice_write(struct cinstr_control_block *block, const char *rules)
{
	memset(block->choice, 0, sizeof(block->choice));
	memcpy(block->choice, rules, strlen(rules));
	atomic_store_release(&block->choice_state, CHOICE_WAITING); /* levels.c */
	control_changed(block);
}

/* Prints what became of it. */
static int choice_say(const struct process *process, const struct cinstr_control_block *block,
		      const char *rules)
{
	uint32_t state = atomic_load_acquire(&block->choice_state);
	STRBUF(name);
	STRBUF(shown);
	int result = block->choice_result;

	process_name(process, &name);
	strbuf_visible(&shown, rules);
	if (state != CHOICE_DONE)
		printf("%s has not answered yet: it does when one of its threads next has an event\n",
		       name.text);
	else if (result == -EINVAL)
		error("%s: these rules are not understood: %s", name.text, shown.text);
	else if (result == -ENOSYS)
		error("%s: its recorder cannot choose while it runs", name.text);
	else if (result)
		error("%s: %s", name.text, strerror(-result));
	else
		printf("%s: chosen: %s\n", name.text, shown.text);
	return state == CHOICE_DONE && result ? STATUS_DATA : STATUS_OK;
}

/* One process's, while it is waited for. */
struct choosing {
	const struct process *process;
	struct cinstr_control_block *block;
};

/* There is nothing to be chosen of samples: each is of what was running. */
static int say_sampled(const struct process *process)
{
	STRBUF(name);

	return error_data("%s is being sampled: choose works with probes only", process_name(process, &name));
}

static int choice_begin(const struct target *target, struct choosing *choosing, const char *rules)
{
	STRBUF(name);

	if (choosing->process->header.method == CINSTR_METHOD_SAMPLING)
		return say_sampled(choosing->process);
	choosing->block = target_block(target, choosing->process);
	if (!choosing->block)
		return STATUS_DATA;
	if (!choice_take(choosing->block)) {
		choice_write(choosing->block, rules);
		return STATUS_OK;
	}
	error("%s: another choose is running, or was stopped before it ended",
	      process_name(choosing->process, &name));
	control_unmap(choosing->block);
	choosing->block = NULL;
	return STATUS_DATA;
}

static size_t choices_waiting(const struct choosing *choosing, size_t n)
{
	size_t waiting = 0;

	for (size_t i = 0; i < n; i++)
		waiting += choosing[i].block &&
			   atomic_load_acquire(&choosing[i].block->choice_state) != CHOICE_DONE;
	return waiting;
}

/* Rules that match nothing in any of the processes. In a large file looking would take too long. */
static void say_unmatched(const struct target *target, const char *rules)
{
	struct rule_check check = { 0 };
	struct stat st;

	for (size_t i = 0; i < target->n; i++) {
		const struct process *process = &target->processes[i];
		struct data data;

		if (!process->pid)
			continue;
		if (stat(process->path, &st) || st.st_size > LOOKED_AT_MAX) {
			/* another process may have what these do not have */
			rule_check_drop(&check);
			return;
		}
		if (!data_open_modules(&data, process->path))
			rule_check_choice(&check, &data, rules);
		data_release(&data);
	}
	rule_check_end(&check);
}

static int choose_all(const struct target *target, const char *rules)
{
	struct choosing *choosing = xcalloc(target->n + 1, sizeof(*choosing));
	int status = STATUS_OK;
	size_t n = 0;

	for (size_t i = 0; i < target->n; i++)
		if (target->processes[i].pid) {
			choosing[n].process = &target->processes[i];
			if (choice_begin(target, &choosing[n++], rules))
				status = STATUS_DATA;
		}
	for (int i = 0; i < CHOICE_WAITS && choices_waiting(choosing, n); i++)
		nap();
	for (size_t i = 0; i < n; i++) {
		if (choosing[i].block && choice_say(choosing[i].process, choosing[i].block, rules))
			status = STATUS_DATA;
		control_unmap(choosing[i].block);
	}
	if (!status && (strstr(rules, "only=") || strstr(rules, "not=")))
		say_unmatched(target, rules);
	free(choosing);
	return status;
}

static int do_choose(struct target *target, const struct words *words)
{
	FREED char *rules = joined(words);
	int status = STATUS_DATA;

	if (strlen(rules) >= sizeof(((struct cinstr_control_block *)0)->choice))
		error("control: these rules are longer than %zu bytes",
		      sizeof(((struct cinstr_control_block *)0)->choice) - 1);
	else if (!target->n_live)
		status = target_say_nobody(target);
	else
		status = choose_all(target, rules);
	return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int do_status(struct target *target, const struct words *words)
{
	return status_show(target, output_nested_formats[words->format].items);
}

static const struct verb {
	const char *name;
	int min, max; /* words behind it */
	const char *needs;
	int (*act)(struct target *target, const struct words *words);
} verbs[] = {
	{ "on", 0, 0, "", do_on },
	{ "off", 0, 0, "", do_off },
	{ "suspend", 0, 0, "", do_suspend },
	{ "resume", 0, 0, "", do_resume },
	{ "mark", 1, INT_MAX, "a text", do_mark },
	{ "snapshot", 0, 1, "at most one folder", do_snapshot },
	{ "status", 0, 0, "", do_status },
	{ "choose", 1, INT_MAX, "rules, such as only='parse_*' probes=functions, or: all", do_choose },
};

static const struct verb *verb_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

static int say_no_verb(const char *name)
{
	const char *names[ARRAY_SIZE(verbs)], *closest;
	const char *shown;

	if (!name)
		return error_usage(
			"control: to do what? It takes [PID | FOLDER] and on, off, suspend, resume, mark, "
			"snapshot, status or choose");
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		names[i] = verbs[i].name;
	closest = util_closest(name, names, ARRAY_SIZE(names));
	shown = util_shown(name);
	if (closest)
		error("control: there is no '%s'; did you mean '%s'?", shown, closest);
	else
		error("control: there is no '%s'; it takes on, off, suspend, resume, mark, snapshot, status "
		      "or choose",
		      shown);
	return STATUS_USAGE;
}

static int act(const char *operand, const struct verb *verb, const struct words *words)
{
	struct target target;
	int status;

	if (words->n < verb->min || words->n > verb->max) {
		if (*verb->needs)
			error("control: %s needs %s", verb->name, verb->needs);
		else
			error("control: %s takes one PID or FOLDER, and no more words", verb->name);
		return STATUS_USAGE;
	}
	if (words->threads && verb->act != do_on && verb->act != do_off && verb->act != do_suspend &&
	    verb->act != do_resume)
		return error_usage("control: --thread goes with on, off, suspend and resume");
	status = target_open(&target, operand);
	if (!status)
		status = verb->act(&target, words);
	target_release(&target);
	if (fflush(stdout) && errno != EPIPE) {
		error("stdout: cannot be written: %s", strerror(errno));
		status = STATUS_DATA;
	}
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct control_options options = { 0 };
	int n, at;
	const struct verb *verb;
	enum options_result result = options_parse(command, argc, argv, &options, &n);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	/* The first word is a verb, or what stands before one. */
	at = n && verb_find(argv[1]) && !(n > 1 && verb_find(argv[2]) && !verb_find(argv[1])->max) ? 1 : 2;
	verb = at <= n ? verb_find(argv[at]) : NULL;
	if (!verb)
		return say_no_verb(at <= n ? argv[at] : n && !target_is(argv[1]) ? argv[1] : NULL);
	if (at == 1 && n == 2 && !verb->max)
		return act(argv[2], verb, &(struct words){ NULL, 0, options.format, options.threads });
	return act(at == 2 ? argv[1] : NULL, verb,
		   &(struct words){ argv + at + 1, n - at, options.format, options.threads });
}

const struct command command_control = {
	.name = "control",
	.operands = "on|off|suspend|resume|status [PID | FOLDER]\n"
		    "       cinstr control [PID | FOLDER] mark TEXT|snapshot [FOLDER]|choose RULE...",
	.summary = "Steers a recording while it runs: on, off, marks, snapshots,\n"
		   "of a process or a session (default: cinstr.data).",
	OPTIONS_OF(control_options),
	.max_operands = INT_MAX,
	.notes = "  on, off       starts or stops recording. A thread records while it, its\n"
		 "                process and its session are on. For a session, on also starts\n"
		 "                processes that began paused (cinstr record --paused), and\n"
		 "                those that begin later\n"
		 "  suspend,      suspend stops recording; resume undoes one suspend. After two\n"
		 "  resume        suspends it takes two resumes; on does not undo a suspend\n"
		 "  mark TEXT     puts a mark with this text into the data: cinstr info --marks\n"
		 "  snapshot      copies what has been recorded so far into a session of its own\n"
		 "                (default: FOLDER.snapshot), while the program runs on\n"
		 "  status        one line a process: does it record, and if not, why\n"
		 "  choose        what is recorded from now on: only=GLOB,... not=GLOB,...\n"
		 "                depth=N probes=functions|calls|lines; all: as at the start\n\n"
		 "PID or FOLDER may always stand before the verb, too: cinstr control 4711 off.\n"
		 "--thread is for threads that have recorded something; status -f json lists\n"
		 "them. The program gets no signal. A running thread reacts within\n"
		 "milliseconds; a sleeping one when it wakes. A snapshot of a large tree may\n"
		 "stop a busy thread for up to 50 ms.\n",
	.examples = "  cinstr record --paused -- ./server &\n"
		    "  cinstr control on\n"
		    "  cinstr control mark \"load test begins\"\n"
		    "  cinstr control snapshot now && cinstr summary now\n"
		    "  cinstr control off 4711\n"
		    "  cinstr control off 4711 --thread=4713\n"
		    "  cinstr control on --thread='worker-*'\n"
		    "  cinstr control 4711 choose only='parse_*,file:*/lexer.c' depth=5\n"
		    "  cinstr control status server.data\n",
	.run = run,
};
