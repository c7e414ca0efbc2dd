/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_bisect.c - cinstr bisect: finds the commit from which on a program does more, or is slower.
 * Builds and records each commit in a worktree of its own and compares it with the good commit. A
 * commit is bad if its increase is more than half of the bad commit's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bisect_tree.h"
#include "cmd.h"
#include "comparison.h"
#include "json/json.h"
#include "lib/files.h"
#include "recorded_run.h"

#define RUNS_OF_TIME 5
#define RUNS_MOST 100
#define HASH_SHOWN 12
/* By calls is decided, if nobody says by what, when BAD makes so many percent more. */
#define CALLS_LEAST 0.5

struct bisect_options {
	uint64_t runs;
	const char *function, *output;
	int measure, format;
};

/* A commit that was tried. */
struct step {
	char *commit;
	double value;		      /* mean of a run */
	const char *verdict;	      /* "good", "bad"; "skip": it could not be built or run */
	struct json_object *executed; /* its instructions, as diff tells them; NULL: not known */
};

struct bisect {
	const struct bisect_options *options;
	char **build, **program; /* each ends with NULL */
	char *good, *bad, *folder;
	struct bisect_tree tree;
	size_t n_runs;
	int decides;  /* enum measured */
	double limit; /* a commit with more is bad */
	off_t input;  /* where the programs' input begins; -1: nowhere */
	struct step *steps;
	size_t n_steps;
};

static const char *const words[] = {
	[BY_CALLS] = "calls", [BY_INSTRUCTIONS] = "instructions", [BY_TIME] = "time"
};

/* ---- one commit ------------------------------------------------------------------------------ */

static char *session_of(const struct bisect *b, const char *commit, size_t run)
{
	struct strbuf path = { 0 };

	strbuf_printf(&path, "%s/%.*s.%zu", b->folder, HASH_SHOWN, commit, run + 1);
	return path.text;
}

/* Builds what is checked out. Returns 0, or -1 after an error message. */
static int build(const struct bisect *b, const char *commit)
{
	int status = -1;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		dup2(STDERR_FILENO, STDOUT_FILENO); /* where the result is printed */
		if (!chdir(b->tree.here))
			execvp(b->build[0], b->build);
		error("bisect: %s: %s", b->build[0], strerror(errno));
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return error("bisect: %.*s cannot be built", HASH_SHOWN, commit);
}

/* Records runs of what is built, from the `first` on. Returns 0, or -1 after an error message. */
static int record(const struct bisect *b, const char *commit, size_t first)
{
	int failed = 0;

	for (size_t i = first; i < b->n_runs && !failed; i++) {
		FREED char *session = session_of(b, commit, i);
		STRBUF(who);

		if (b->input >= 0)
			lseek(STDIN_FILENO, b->input, SEEK_SET);
		strbuf_printf(&who, "bisect: run %zu of %.*s", i + 1, HASH_SHOWN, commit);
		failed = recorded_run(b->program, session, b->tree.here, who.text);
	}
	return failed;
}

static int build_and_record(const struct bisect *b, const char *commit)
{
	return build(b, commit) || record(b, commit, 0) ? -1 : 0;
}

/* Has the commits' runs compared. */
static int compare(const struct bisect *b, int decides, const char *before, const char *after,
		   struct comparison *comparison)
{
	*comparison = (struct comparison){ .n_runs = b->n_runs, .decides = decides };
	for (int side = 0; side < 2; side++) {
		comparison->sessions[side] = xcalloc(b->n_runs, sizeof(char *));
		for (size_t i = 0; i < b->n_runs; i++)
			comparison->sessions[side][i] = session_of(b, side ? after : before, i);
	}
	return comparison_make(comparison);
}

/*
 * Returns what was executed in the commit's runs, as a diff of them and themselves tells it: while
 * its program is there, from whose code instructions are known. NULL: they are not counted.
 */
static struct json_object *executed_of(const struct bisect *b, const char *commit)
{
	struct comparison comparison;
	struct json_object *result;

	if (b->decides != BY_INSTRUCTIONS && b->decides != N_MEASURED)
		return NULL;
	compare(b, N_MEASURED, commit, commit, &comparison);
	result = json_object_get(comparison.results[BY_INSTRUCTIONS]);
	comparison_release(&comparison);
	return result;
}

/* Adds up what GOOD and this commit do. Returns 0, or -1: it is not known, after an error
 * message. */
static int totals_of(const struct bisect *b, const struct step *step, struct compared_totals *totals)
{
	struct comparison comparison = { .decides = b->decides };
	int failed = 0;

	if (b->decides == BY_INSTRUCTIONS)
		comparison.results[BY_INSTRUCTIONS] = json_object_get(step->executed);
	else
		failed = compare(b, b->decides, b->good, step->commit, &comparison);
	failed = failed || comparison_totals(&comparison, b->options->function, totals);
	if (failed && b->options->function)
		error("bisect: %.*s: the runs have no function '%s'", HASH_SHOWN, step->commit,
		      b->options->function);
	else if (failed)
		error("bisect: %.*s: its %s are not known", HASH_SHOWN, step->commit, words[b->decides]);
	comparison_release(&comparison);
	return failed;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void put_value(struct strbuf *text, int decides, double value)
{
	if (decides == BY_TIME) {
		strbuf_duration(text, value);
		return;
	}
	strbuf_thousands(text, util_rounded(value));
	strbuf_printf(text, " %s", words[decides]);
}

/* Builds and runs what is checked out, and adds it to the steps. Returns 0, or -1 after an error
 * message. */
static int add_step(struct bisect *b, const char *commit)
{
	struct step *step;
	int failed = build_and_record(b, commit);

	b->steps = xrealloc(b->steps, b->n_steps + 1, sizeof(*b->steps));
	step = &b->steps[b->n_steps++];
	*step = (struct step){ xstrdup(commit), 0, "skip", failed ? NULL : executed_of(b, commit) };
	return failed;
}

/* Tells what has come out. */
static void tell(const struct bisect *b, const struct step *step)
{
	FREED char *title = bisect_describe(&b->tree, step->commit, "%s");
	STRBUF(shown);

	strbuf_printf(&shown, "%.*s %s", HASH_SHOWN, step->commit, step->verdict);
	if (*step->verdict != 's') {
		strbuf_puts(&shown, ", ");
		put_value(&shown, b->decides, step->value);
	}
	print_visible(stderr, "cinstr: %s: %s\n", shown.text, title);
}

static int is_more(const struct compared_totals *totals, double percent)
{
	return totals->is_worse && totals->of[1] - totals->of[0] > totals->of[0] * percent / 100;
}

/* Chooses what decides, of what was recorded of both ends: the first two steps. Returns 0, or -1
 * after an error message. */
static int choose_measure(struct bisect *b)
{
	struct compared_totals totals;
	struct comparison comparison;

	if (b->decides == N_MEASURED && b->steps[0].executed && b->steps[1].executed) {
		b->decides = BY_INSTRUCTIONS;
	} else if (b->decides == N_MEASURED) {
		b->decides = BY_TIME;
		if (!compare(b, BY_CALLS, b->good, b->bad, &comparison) &&
		    !comparison_totals(&comparison, b->options->function, &totals) &&
		    is_more(&totals, CALLS_LEAST))
			b->decides = BY_CALLS;
		comparison_release(&comparison);
	}
	if (b->decides != BY_TIME || b->options->runs)
		return 0;
	b->n_runs = RUNS_OF_TIME;
	/* BAD is what was built last */
	return record(b, b->bad, 1) || bisect_check_out(&b->tree, b->good) || build(b, b->good) ||
			       record(b, b->good, 1)
		       ? -1
		       : 0;
}

/* Says that there is nothing to be found, if BAD does not do more. */
static int is_worse(const struct bisect *b, int is_certain)
{
	STRBUF(good);
	STRBUF(bad);

	if (is_certain && b->steps[1].value > b->steps[0].value)
		return 1;
	put_value(&good, b->decides, b->steps[0].value);
	put_value(&bad, b->decides, b->steps[1].value);
	error("bisect: %.*s %s than %.*s: %s and %s", HASH_SHOWN, b->bad,
	      b->decides == BY_TIME ? "is not certain to be slower" : "does not do more", HASH_SHOWN, b->good,
	      bad.text, good.text);
	return 0;
}

/* Tries both ends. Returns 0, or -1 after an error message. */
static int try_ends(struct bisect *b)
{
	struct compared_totals good, bad;

	if (bisect_check_out(&b->tree, b->good) || add_step(b, b->good) ||
	    bisect_check_out(&b->tree, b->bad) || add_step(b, b->bad) || choose_measure(b) ||
	    totals_of(b, &b->steps[0], &good) || totals_of(b, &b->steps[1], &bad))
		return -1;
	b->steps[0].value = good.of[1];
	b->steps[1].value = bad.of[1];
	b->limit = (good.of[1] + bad.of[1]) / 2;
	if (!is_worse(b, b->decides != BY_TIME || bad.is_worse))
		return -1;
	b->steps[0].verdict = "good";
	b->steps[1].verdict = "bad";
	tell(b, &b->steps[0]);
	tell(b, &b->steps[1]);
	return 0;
}

/* Tries the commit that is checked out; returns the verdict. */
static const char *try_commit(struct bisect *b, const char *commit)
{
	int failed = add_step(b, commit);
	struct step *step = &b->steps[b->n_steps - 1];
	struct compared_totals totals;

	if (!failed && !totals_of(b, step, &totals)) {
		step->value = totals.of[1];
		step->verdict = step->value > b->limit ? "bad" : "good";
	}
	tell(b, step);
	return step->verdict;
}

/* Returns the first bad commit, which the caller frees; NULL after an error message. */
static char *search(struct bisect *b)
{
	char *first = NULL;
	enum bisect_end end = bisect_start(&b->tree, b->good, b->bad, &first);

	while (end == BISECT_GOES_ON) {
		FREED char *commit = bisect_current(&b->tree);
		const char *verdict = try_commit(b, commit);

		/* what BUILD has changed must not keep git from the next one */
		end = bisect_check_out(&b->tree, commit) ? BISECT_LOST
							 : bisect_mark(&b->tree, verdict, &first);
	}
	return first;
}

/* ---- what has come out ----------------------------------------------------------------------- */

static const struct step *step_of(const struct bisect *b, const char *commit)
{
	size_t i = 0;

	while (strcmp(b->steps[i].commit, commit) != 0)
		i++;
	return &b->steps[i];
}

/* Returns the good commit that the first bad one is compared with: its parent, if that was
 * tried. */
static const char *last_good(const struct bisect *b, const char *first)
{
	FREED char *parents = bisect_describe(&b->tree, first, "%P");
	const char *good = b->good;

	for (size_t i = 0; i < b->n_steps; i++)
		if (*b->steps[i].verdict == 'g' && strstr(parents, b->steps[i].commit))
			good = b->steps[i].commit;
	return good;
}

/* Has the first bad commit compared with that one. Returns 0, or -1 after an error message. */
static int compare_found(const struct bisect *b, const char *before, const char *first,
			 struct comparison *comparison)
{
	int decides = b->decides == BY_INSTRUCTIONS ? BY_CALLS : b->decides;
	int failed = compare(b, decides, before, first, comparison);

	if (failed || b->decides != BY_INSTRUCTIONS)
		return failed;
	comparison->decides = BY_INSTRUCTIONS;
	json_object_put(comparison->results[BY_INSTRUCTIONS]);
	comparison->results[BY_INSTRUCTIONS] =
		comparison_join(step_of(b, before)->executed, step_of(b, first)->executed);
	return 0;
}

static void write_text(const struct bisect *b, const char *first, const struct comparison *comparison,
		       const char *before)
{
	struct compared_programs programs = { .order = NULL };
	FREED char *about = bisect_describe(&b->tree, first, "%an, %ad: %s");

	print_visible(stdout, "First bad commit: %s\n    %s\n\n", first, about);
	programs.names[0] = bisect_describe(&b->tree, before, "%h %s");
	programs.names[1] = bisect_describe(&b->tree, first, "%h %s");
	comparison_write(stdout, COMPARE_TEXT, comparison, &programs);
	free(programs.names[0]);
	free(programs.names[1]);
}

static void write_json(const struct bisect *b, const char *first, const struct comparison *comparison,
		       const char *before)
{
	static const struct {
		const char *name, *format;
	} facts[] = { { "title", "%s" }, { "author", "%an" }, { "date", "%aI" } };
	struct json_object *all = json_object_new_object(), *steps;

	json_add_text(all, "first_bad", first);
	json_add_text(all, "compared_with", before);
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		FREED char *text = bisect_describe(&b->tree, first, facts[i].format);

		json_add_text(all, facts[i].name, text);
	}
	json_add_text(all, "decides", words[b->decides]);
	steps = json_add_list(all, "steps");
	for (size_t i = 0; i < b->n_steps; i++) {
		struct json_object *step = json_append_object(steps);

		json_add_text(step, "commit", b->steps[i].commit);
		json_add_text(step, "verdict", b->steps[i].verdict);
		if (*b->steps[i].verdict != 's')
			json_add_count(step, b->decides == BY_TIME ? "time_ns" : words[b->decides],
				       util_rounded(b->steps[i].value));
	}
	json_object_object_add(all, "change", json_object_get(comparison->results[b->decides]));
	printf("%s\n", json_line(all));
	json_object_put(all);
}

/* Returns the command's exit status. */
static int report(const struct bisect *b, const char *first)
{
	const char *before = last_good(b, first);
	struct comparison comparison;
	int failed = compare_found(b, before, first, &comparison), here = files_folder(".", 0);

	/* files are named as seen from the same folder in the worktree */
	failed |= here < 0 || chdir(b->tree.here);
	if (!failed)
		(b->options->format ? write_json : write_text)(b, first, &comparison, before);
	if (here >= 0 && fchdir(here))
		error("bisect: %s", strerror(errno));
	close(here);
	comparison_release(&comparison);
	return failed ? STATUS_DATA : STATUS_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* "GOOD BAD -- BUILD... -- RUN...": ends the words of each at the --. Returns 0, or -1 after an
 * error message. */
static int split(struct bisect *b, char **operands, size_t n, const char *ends[2])
{
	size_t at[2] = { 0, 0 };

	for (size_t i = 0, k = 0; i < n && k < 2; i++)
		if (!strcmp(operands[i], "--"))
			at[k++] = i;
	if (at[0] != 2 || at[1] <= at[0] + 1 || at[1] + 1 >= n)
		return error("bisect: from where to where, and how? cinstr bisect GOOD BAD -- make -- ./app "
			     "ARGUMENTS");
	operands[at[1]] = operands[n] = NULL;
	ends[0] = operands[0];
	ends[1] = operands[1];
	b->build = operands + at[0] + 1;
	b->program = operands + at[1] + 1;
	return 0;
}

/* Sets b->folder to the absolute path of --output. Returns 0, or -1 after an error message. */
static int make_folder(struct bisect *b)
{
	if (!mkdir(b->options->output, 0700) || errno == EEXIST)
		b->folder = realpath(b->options->output, NULL);
	if (b->folder)
		return 0;
	return error("bisect: %s: %s", b->options->output, strerror(errno));
}

static int bisect(struct bisect *b, const char *const ends[2])
{
	STRBUF(tree);
	char *first = NULL;
	int status = STATUS_DATA;

	b->good = bisect_commit(ends[0]);
	b->bad = b->good ? bisect_commit(ends[1]) : NULL;
	if (!b->bad || make_folder(b))
		return STATUS_DATA;
	strbuf_printf(&tree, "%s/tree", b->folder);
	if (!bisect_tree_make(&b->tree, tree.text) && !try_ends(b))
		first = search(b);
	if (first)
		status = report(b, first);
	bisect_tree_remove(&b->tree);
	free(first);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct bisect_options options = { .output = "cinstr.bisect" };
	static const int measures[] = { N_MEASURED, BY_INSTRUCTIONS, BY_CALLS, BY_TIME };
	struct bisect b = { .options = &options, .input = lseek(STDIN_FILENO, 0, SEEK_CUR) };
	FREED char **own = xcalloc((size_t)argc + 1, sizeof(*own));
	int n_operands, status;
	const char *ends[2] = { NULL, NULL };
	enum options_result parsed;

	memcpy(own, argv, (size_t)argc * sizeof(*own));
	parsed = options_parse(command, argc, own, &options, &n_operands);
	status = parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	b.n_runs = options.runs ? options.runs : 1;
	b.decides = measures[options.measure];
	if (parsed == OPTIONS_OK && options.runs > RUNS_MOST)
		error("bisect: --runs=%llu: 1 to %d", (unsigned long long)options.runs, RUNS_MOST);
	else if (parsed == OPTIONS_OK && !split(&b, own + 1, (size_t)n_operands, ends))
		status = bisect(&b, ends);
	for (size_t i = 0; i < b.n_steps; i++) {
		free(b.steps[i].commit);
		json_object_put(b.steps[i].executed);
	}
	free(b.steps);
	free(b.good);
	free(b.bad);
	free(b.folder);
	return status;
}

static const struct option bisect_options[] = {
	{ "measure", 0, OPTION_CHOICE, "auto|instructions|calls|time",
	  offsetof(struct bisect_options, measure),
	  "what decides; auto: executed instructions, if the program is built with "
	  "-fplugin-arg-cinstr-instructions, else calls, if BAD makes 0.5 % more of them, else time",
	  "auto" },
	{ "function", 0, OPTION_TEXT, "NAME", offsetof(struct bisect_options, function),
	  "what this function does itself, not the whole program", NULL },
	{ "runs", 'n', OPTION_NUMBER, "N", offsetof(struct bisect_options, runs), "run each commit N times",
	  "1, by time 5" },
	{ "format", 'f', OPTION_CHOICE, "text|json", offsetof(struct bisect_options, format),
	  "json: for scripts", "text" },
	{ "output", 'o', OPTION_TEXT, "FOLDER", offsetof(struct bisect_options, output),
	  "the sessions, FOLDER/COMMIT.1 to .N, and while it runs the worktree FOLDER/tree",
	  "cinstr.bisect" },
};

const struct command command_bisect = {
	.name = "bisect",
	.operands = "GOOD BAD -- BUILD... -- RUN...",
	.summary = "Finds the commit from which on a program does more, or is slower.\n",
	OPTIONS_OF(bisect_options),
	.max_operands = 2,
	.stops_at_operand = 1,
	.notes =
		"GOOD and BAD are commits of git. Each commit that git bisect chooses between them is built\n"
		"by BUILD and run by RUN in a worktree of its own, so that nothing of yours changes; both\n"
		"begin in the folder in it that you are in now. BUILD has to build with the plugin, as\n"
		"\"cinstr build make\" does. A commit is bad if it does more than half of what BAD does\n"
		"more than GOOD. One that cannot be built or run is skipped.\n"
		"\n"
		"Calls and executed instructions are exact, so one run of each commit is enough.\n",
	.examples = "  cinstr bisect v1.2 HEAD -- cinstr build make -- ./app input\n"
		    "  cinstr bisect v1.2 HEAD -- sh -c './configure && make' -- ./app\n",
	.run = run,
};
