/* SPDX-License-Identifier: GPL-3.0-or-later */
/* comparison.c - see comparison.h: runs each diff in a process of its own and reads its JSON. */
#include "comparison.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/files.h"

#define DEPTH_MOST 16
#define OPTIONS_MOST 8
#define SUSPICION_ALPHA "1"

/* Prints a diff there; returns its exit status. */
static int run_diff(const struct comparison *c, const char *const *options, int out_fd, int is_silent)
{
	FREED char **argv = xcalloc(OPTIONS_MOST + 2 * c->n_runs + 2, sizeof(*argv));
	int argc = 0, status = -1;
	pid_t child;

	argv[argc++] = xstrdup("diff");
	while (*options)
		argv[argc++] = xstrdup(*options++);
	for (size_t i = 0; i < 2 * c->n_runs; i++) {
		if (i == c->n_runs)
			argv[argc++] = xstrdup("--");
		argv[argc++] = xstrdup(c->sessions[i / c->n_runs][i % c->n_runs]);
	}
	fflush(NULL);
	child = fork();
	if (!child) {
		int nowhere = files_open("/dev/null", FILES_CHANGE | FILES_STREAM);

		dup2(out_fd, STDOUT_FILENO);
		if (is_silent)
			dup2(nowhere, STDERR_FILENO);
		status = command_diff.run(&command_diff, argc, argv);
		fflush(NULL);
		_exit(status);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	for (int i = 0; i < argc; i++)
		free(argv[i]);
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_DATA;
}

static struct json_object *result_of(int fd)
{
	struct json_object *result = NULL;
	const char *why;
	struct stat st;
	FREED char *text = NULL;

	if (fstat(fd, &st) || st.st_size <= 0)
		return NULL;
	text = xcalloc((size_t)st.st_size + 1, 1);
	if (pread(fd, text, (size_t)st.st_size, 0) == st.st_size)
		result = json_read(text, (size_t)st.st_size, DEPTH_MOST, &why);
	return result;
}

/* By one measure; `gates`: with what --fail-over says. alpha: of times, for a gate. */
static int compare_by(struct comparison *c, enum measured by, int gates, int is_silent, const char *alpha)
{
	static const char *const by_options[] = { [BY_CALLS] = "--column=calls",
						  [BY_INSTRUCTIONS] = "--measure=instructions",
						  [BY_TIME] = "--column=elapsed_exclusive" };
	STRBUF(fail_over);
	STRBUF(certainty);
	const char *options[OPTIONS_MOST] = { "--format=json", by_options[by] };
	int fd = memfd_create("cinstr-diff", MFD_CLOEXEC), status, n = 2;

	if (gates && c->fail_over) {
		strbuf_printf(&fail_over, "--fail-over=%s", c->fail_over);
		options[n++] = fail_over.text;
	}
	if (gates && c->fail_over && by == BY_CALLS && c->n_runs == 1)
		options[n++] = "--single=0";
	if (by == BY_TIME)
		options[n++] = "--unpreempted";
	if (by == BY_TIME && c->fail_over) {
		strbuf_printf(&certainty, "--alpha=%s", alpha);
		options[n++] = certainty.text;
	}
	if (fd < 0)
		return error_data("compare: %s", strerror(errno));
	status = run_diff(c, options, fd, is_silent);
	json_object_put(c->results[by]);
	c->results[by] = result_of(fd);
	close(fd);
	return status;
}

int comparison_suspects(struct comparison *c)
{
	if (c->decides == N_MEASURED) {
		compare_by(c, BY_INSTRUCTIONS, 0, 1, COMPARISON_ALPHA);
		c->decides = c->results[BY_INSTRUCTIONS] ? BY_INSTRUCTIONS : BY_TIME;
	}
	return c->decides == BY_TIME && c->fail_over &&
	       compare_by(c, BY_TIME, 1, 1, SUSPICION_ALPHA) == STATUS_DATA && c->results[BY_TIME];
}

int comparison_make(struct comparison *c)
{
	for (int by = 0; by < N_MEASURED; by++)
		if (by != c->decides)
			compare_by(c, (enum measured)by, 0, 1, COMPARISON_ALPHA);
	if (c->decides == N_MEASURED)
		c->decides = c->results[BY_INSTRUCTIONS] ? BY_INSTRUCTIONS : BY_TIME;
	c->status = compare_by(c, (enum measured)c->decides, 1, 0, COMPARISON_ALPHA);
	return c->results[c->decides] ? 0 : -1;
}

/* ---- what diff has written ------------------------------------------------------------------- */

double comparison_number(struct json_object *object, const char *name)
{
	struct json_object *value;

	if (!object || !json_object_object_get_ex(object, name, &value) || !value)
		return NAN;
	return json_object_get_double(value);
}

double comparison_value(struct json_object *object, char side)
{
	const char name[] = { side, 0 }, most[] = { side, '_', 'm', 'a', 'x', 0 };
	double value = comparison_number(object, name);

	return isnan(value) ? comparison_number(object, most) : value;
}

static int is_named(struct json_object *row, const char *function)
{
	const char *name = json_member_text(row, "name");

	return !function || (name && !strcmp(name, function));
}

static int is_slower(struct json_object *row)
{
	const char *verdict = json_member_text(row, "verdict");

	return verdict && (!strcmp(verdict, "slower") || !strcmp(verdict, "added"));
}

int comparison_totals(const struct comparison *c, const char *function, struct compared_totals *totals)
{
	struct json_object *result = c->results[c->decides];
	struct json_object *rows = json_member(result, "rows", json_type_array);
	struct json_object *session = json_member(result, "session", json_type_object);
	size_t n = rows ? json_object_array_length(rows) : 0, n_found = 0;
	const char *verdict = json_member_text(session, "total_verdict");

	*totals = (struct compared_totals){ { 0, 0 }, 0 };
	for (size_t i = 0; i < n; i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (!is_named(row, function))
			continue;
		for (int side = 0; side < 2; side++) {
			double value = comparison_value(row, 'a' + side);

			totals->of[side] += isnan(value) ? 0 : value;
		}
		totals->is_worse |= is_slower(row);
		n_found++;
	}
	for (int side = 0; side < 2 && c->decides == BY_INSTRUCTIONS && !function; side++)
		totals->of[side] = comparison_value(session, 'a' + side);
	if (c->decides != BY_TIME) {
		totals->is_worse = totals->of[1] > totals->of[0];
	} else if (!function) {
		totals->of[0] = comparison_number(session, "total_a_ns");
		totals->of[1] = comparison_number(session, "total_b_ns");
		totals->is_worse = verdict && !strcmp(verdict, "slower");
	}
	return (n_found || !function) && !isnan(totals->of[0]) && !isnan(totals->of[1]) ? 0 : -1;
}

/* ---- two results in one ---------------------------------------------------------------------- */

static struct json_object *same_function(struct json_object *result, struct json_object *row)
{
	struct json_object *rows = json_member(result, "rows", json_type_array);
	const char *name = json_member_text(row, "name"), *module = json_member_text(row, "module");

	for (size_t i = 0; rows && i < json_object_array_length(rows); i++) {
		struct json_object *other = json_object_array_get_idx(rows, i);
		const char *other_module = json_member_text(other, "module");

		if (name && is_named(other, name) && module && other_module && !strcmp(module, other_module))
			return other;
	}
	return NULL;
}

/* Sets a whole number, or takes it away. */
static void set_number(struct json_object *object, const char *name, double value)
{
	json_object_object_del(object, name);
	if (!isnan(value))
		json_object_object_add(object, name, json_object_new_int64(util_whole_signed(value)));
}

/* Makes B's values of `from` the values of one side; NULL: it has none. */
static void take_side(struct json_object *to, char side, struct json_object *from)
{
	const char least[] = { side, '_', 'm', 'i', 'n', 0 }, most[] = { side, '_', 'm', 'a', 'x', 0 };
	const char calls[] = { 'c', 'a', 'l', 'l', 's', '_', side, 0 };

	set_number(to, least, comparison_number(from, "b_min"));
	set_number(to, most, comparison_number(from, "b_max"));
	set_number(to, calls, comparison_number(from, "calls_b"));
}

/* Adds a row of a function; before or after is NULL: it was not executed there. Returns whether the
 * two differ. */
static int join_row(struct json_object *rows, struct json_object *before, struct json_object *after)
{
	struct json_object *row = json_append_object(rows), *facts = after ? after : before;
	static const char *const kept[] = { "name", "module", "file", "line" };
	double a = before ? comparison_number(before, "b_max") : 0,
	       a_least = before ? comparison_number(before, "b_min") : 0;
	double b = after ? comparison_number(after, "b_max") : 0,
	       b_least = after ? comparison_number(after, "b_min") : 0;
	const char *verdict = isnan(a) || isnan(b)	     ? "not known"
			      : b_least > a		     ? before ? "more" : "added"
			      : b < a_least		     ? after ? "less" : "removed"
			      : a == b && a_least == b_least ? "same"
							     : "varies";

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		struct json_object *value;

		if (json_object_object_get_ex(facts, kept[i], &value))
			json_object_object_add(row, kept[i], json_object_get(value));
	}
	json_add_text(row, "verdict", verdict);
	take_side(row, 'a', before);
	take_side(row, 'b', after);
	set_number(row, "change", b - a);
	return *verdict != 's';
}

struct json_object *comparison_join(struct json_object *before, struct json_object *after)
{
	struct json_object *of[2] = { json_member(before, "rows", json_type_array),
				      json_member(after, "rows", json_type_array) };
	struct json_object *all, *session, *rows;
	uint64_t n_differ = 0;

	if (!of[0] || !of[1])
		return NULL;
	all = json_object_new_object();
	session = json_add_object(all, "session");
	json_add_text(session, "measure", "instructions");
	take_side(session, 'a', json_member(before, "session", json_type_object));
	take_side(session, 'b', json_member(after, "session", json_type_object));
	rows = json_add_list(all, "rows");
	for (size_t i = 0; i < json_object_array_length(of[1]); i++) {
		struct json_object *row = json_object_array_get_idx(of[1], i);

		n_differ += (uint64_t)join_row(rows, same_function(before, row), row);
	}
	for (size_t i = 0; i < json_object_array_length(of[0]); i++) {
		struct json_object *row = json_object_array_get_idx(of[0], i);

		if (!same_function(after, row))
			n_differ += (uint64_t)join_row(rows, row, NULL);
	}
	json_add_count(session, "rows_that_differ", n_differ);
	return all;
}

void comparison_release(struct comparison *c)
{
	for (int by = 0; by < N_MEASURED; by++)
		json_object_put(c->results[by]);
	for (size_t i = 0; i < 2 * c->n_runs; i++)
		free(c->sessions[i / c->n_runs][i % c->n_runs]);
	free(c->sessions[0]);
	free(c->sessions[1]);
}
