/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process_end.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "processes.h"
#include "recorded_choice.h"

#define EXEC "by becoming another program (exec)"

/* Calls that a process does not return from. signal: it is killed by that one, which nobody may
 * have noted; 0: it is not. */
static const struct end_call {
	const char *name, *sentence;
	int signal;
} end_calls[] = {
	{ "_exit", "by a call of _exit", 0 },
	{ "_Exit", "by a call of _Exit", 0 },
	{ "quick_exit", "by a call of quick_exit", 0 },
	{ "exit", "by a call of exit that did not finish", 0 },
	{ "daemon", "by a call of daemon: its child goes on", 0 },
	{ "raise", "in a call of raise: probably by that signal", 0 },
	{ "abort", "by SIGABRT: it called abort", SIGABRT },
	{ "__assert_fail", "by SIGABRT: an assertion failed", SIGABRT },
	{ "__assert_perror_fail", "by SIGABRT: an assertion failed", SIGABRT },
	{ "__stack_chk_fail", "by SIGABRT: a stack buffer overflowed (__stack_chk_fail)", SIGABRT },
	{ "__fortify_fail", "by SIGABRT: a buffer overflowed (__fortify_fail)", SIGABRT },
	{ "__chk_fail", "by SIGABRT: a buffer overflowed (__chk_fail)", SIGABRT },
	{ "_ZSt9terminatev", "by SIGABRT: it called std::terminate", SIGABRT },
	{ "__cxa_throw", "by SIGABRT, probably: nobody caught an exception (__cxa_throw)", SIGABRT },
	{ "__cxa_rethrow", "by SIGABRT, probably: nobody caught an exception (__cxa_rethrow)", SIGABRT },
	{ "_Unwind_Resume", "by SIGABRT, probably: nobody caught an exception (_Unwind_Resume)", SIGABRT },
};

/* Functions of the C library that may call a program's code, become another program, or end the
 * process by exit. */
/* clang-format off */
static const char *const may_end[] = {
	"syscall", "err", "errx", "verr", "verrx", "error", "error_at_line", "verror", "argp_parse",
	"qsort", "qsort_r", "bsearch", "ftw", "nftw", "glob", "scandir", "twalk", "tdestroy", "pthread_once", "call_once",
	"dlopen", "dlmopen", "dlclose", "makecontext", "swapcontext", "setcontext", "fork", "clone", "__libc_start_main",
};
/* clang-format on */

static int is_exec(const char *name)
{
	return !strncmp(name, "exec", 4) || !strcmp(name, "fexecve");
}

static const struct end_call *end_call(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(end_calls); i++)
		if (!strcmp(end_calls[i].name, name))
			return &end_calls[i];
	return NULL;
}

static int is_exit(const char *name)
{
	return !strcmp(name, "exit") || !strcmp(name, "quick_exit") || !strcmp(name, "daemon");
}

/* ---- what was open --------------------------------------------------------------------------- */

/* Innermost open call of a thread that is no source line; NULL: none. */
static const struct data_node *innermost(const struct data_thread *thread)
{
	const struct data_node *node;

	if (!thread->n_open)
		return NULL;
	node = &thread->nodes[thread->open[thread->n_open - 1]];
	return CINSTR_CELL_KIND(node->cell->tag) == CINSTR_CELL_LINE ? &thread->nodes[node->parent] : node;
}

static int has_probes(const struct data_node *node)
{
	return CINSTR_CELL_KIND(node->cell->tag) == CINSTR_CELL_FRAME;
}

static const struct entity *entity_of(struct names *names, const struct data *data,
				      const struct data_node *node)
{
	uint32_t entity = node ? names_of_cell(names, data, node->cell) : NAMES_NONE;

	return entity == NAMES_NONE ? NULL : &names->list[entity];
}

static void add_place(struct ending *ending, const char *name, const char *caller)
{
	for (size_t i = 0; i < ending->n_places && i < ENDING_THREADS; i++)
		if (!strcmp(ending->places[i].name, name))
			return;
	if (ending->n_places < ENDING_THREADS)
		ending->places[ending->n_places] = (struct ending_place){ name, caller };
	ending->n_places++;
}

static void see_places(struct ending *ending, const struct data *data, struct names *names)
{
	for (size_t i = 0; i < data->n_threads; i++) {
		const struct data_thread *thread = &data->threads[i];
		const struct data_node *node = innermost(thread);
		const struct entity *entity = entity_of(names, data, node);
		const char *name;

		if (!entity || !entity->is_function || thread->record->state == CINSTR_THREAD_ENDED)
			continue;
		name = entity->name; /* the entity may move when another one is asked for */
		entity = has_probes(node) ? NULL : entity_of(names, data, &thread->nodes[node->parent]);
		add_place(ending, name, entity && entity->is_function ? entity->name : NULL);
	}
}

/* A call that ends processes. */
static int see_end_call(struct ending *ending, const struct data *data, struct names *names)
{
	for (size_t i = 0; i < data->n_threads; i++) {
		const struct data_node *node = innermost(&data->threads[i]);
		const struct entity *entity = entity_of(names, data, node);

		if (!entity)
			continue;
		if (is_exec(entity->assembler)) {
			ending->kind = ENDING_EXEC;
			return 1;
		}
		if (end_call(entity->assembler)) {
			ending->kind = ENDING_CALL;
			ending->call = entity->assembler;
			entity = entity_of(names, data, &data->threads[i].nodes[node->parent]);
			if (entity && entity->is_function)
				add_place(ending, entity->name, NULL);
			return 1;
		}
	}
	return 0;
}

/* ---- whether an end could go unseen ---------------------------------------------------------- */

static int is_of_libc(const struct entity *entity)
{
	const char *module = util_basename(entity->module ? entity->module : "");

	return !strncmp(module, "libc.so", 7) || !strncmp(module, "libc-", 5) ||
	       !strncmp(module, "libpthread", 10) || !strncmp(module, "libm.so", 7);
}

/* The C library does not end processes but by calls that are known, unless it calls somebody. */
static int could_end(const struct entity *entity)
{
	if (!is_of_libc(entity))
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(may_end); i++)
		if (!strcmp(may_end[i], entity->assembler))
			return 1;
	return 0;
}

/* Whether the function's source was compiled with probes at calls (not so: calls=none): one of
 * them, or of its neighbours', is there. */
static int has_call_probes(const struct data *data, const struct data_node *node)
{
	const struct module *module = modules_by_code(&data->modules, node->cell->func);
	const struct module_function *own = module ? module_function(module, node->cell->func) : NULL;

	for (size_t i = 0; own && i < module->n_sites; i++) {
		const struct module_function *other = &module->functions[module->sites[i].function];

		if (CINSTR_CODE_KIND(module->sites[i].code) == CINSTR_EV_BEFORE &&
		    (other == own || (other->file && own->file && !strcmp(other->file, own->file))))
			return 1;
	}
	return 0;
}

/* Whether all probes at calls were there all the time. */
static int sees_all_calls(const struct data *data)
{
	const struct cinstr_header *h = data->header;
	FREED char *depth = choice_option(data, CINSTR_OPTION_DEPTH);
	int sees =
		!depth && h->probes >= 2 && h->stop == CINSTR_STOP_NONE && !h->switches && !h->budget.limit;

	return sees;
}

/* Whether each thread that had not ended was in a function of which it is known what it did: not
 * _exit, not exec. */
static int would_have_seen(const struct data *data, struct names *names)
{
	size_t n = 0;

	if (!sees_all_calls(data))
		return 0;
	for (size_t i = 0; i < data->n_threads; i++) {
		const struct data_thread *thread = &data->threads[i];
		const struct data_node *node = innermost(thread);
		const struct entity *entity = entity_of(names, data, node);

		if (thread->record->state == CINSTR_THREAD_ENDED)
			continue;
		if (!entity || thread->n_open_flat || thread->state->paused ||
		    (has_probes(node) ? !has_call_probes(data, node) : could_end(entity)))
			return 0;
		n++;
	}
	return n > 0;
}

/* ---- together -------------------------------------------------------------------------------- */

/* No end is noted. */
static void infer(struct ending *ending, const struct data *data, struct names *names)
{
	const struct cinstr_header *h = data->header;
	enum process_fate fate = process_fate(data->path, h, data_property(data, "boot_id"));

	if (fate == PROCESS_RECORDING || fate == PROCESS_COPIED) {
		ending->kind = ENDING_RUNNING;
		ending->until_now = fate == PROCESS_RECORDING;
		return;
	}
	if (fate == PROCESS_ANOTHER || beside_has_successor(data->path, h)) {
		ending->kind = ENDING_EXEC;
		return;
	}
	if (see_end_call(ending, data, names))
		return;
	see_places(ending, data, names);
	if (fate == PROCESS_ELSEWHERE || beside_is_hidden(data->path))
		ending->kind = ENDING_UNNOTED;
	else
		ending->kind = would_have_seen(data, names) ? ENDING_KILLED : ENDING_UNKNOWN;
}

/* Calls that end processes and are made in destructors: not those that run them. */
static int is_end_in_destructor(const struct ending *ending)
{
	return ending->kind == ENDING_EXEC || !is_exit(ending->call);
}

/* exit() has called the runtime's handler. */
static void after_handlers(struct ending *ending, const struct data *data, struct names *names)
{
	struct ending seen = *ending;
	enum process_fate fate = process_fate(data->path, data->header, data_property(data, "boot_id"));

	ending->kind = ENDING_HANDLERS;
	if (fate == PROCESS_RECORDING) {
		ending->kind = ENDING_RUNNING;
		ending->until_now = 1;
	} else if (fate == PROCESS_ANOTHER) {
		ending->kind = ENDING_EXEC;
	} else if (see_end_call(&seen, data, names) && is_end_in_destructor(&seen)) {
		*ending = seen;
	}
}

static enum ending_kind sampled_kind(const struct data *data)
{
	if (process_of(data->path, data->header))
		return ENDING_RUNNING;
	return data->header->sampling.flags & CINSTR_SAMPLING_DETACHED ? ENDING_DETACHED : ENDING_UNSEEN;
}

struct ending ending_of(const struct data *data, struct names *names)
{
	static const enum ending_kind noted[] = { [CINSTR_END_EXIT] = ENDING_EXIT,
						  [CINSTR_END_SIGNAL] = ENDING_SIGNAL,
						  [CINSTR_END_EXEC] = ENDING_EXEC,
						  [CINSTR_END_SNAPSHOT] = ENDING_SNAPSHOT };
	const struct cinstr_header *h = data->header;
	struct ending ending = { .kind = ENDING_UNKNOWN, .status = h->end_status };

	if (h->end == CINSTR_END_HANDLERS && data->merged) {
		ending.kind = ENDING_HANDLERS;
	} else if (h->end == CINSTR_END_HANDLERS) {
		after_handlers(&ending, data, names);
	} else if (h->end != CINSTR_END_UNKNOWN && h->end < ARRAY_SIZE(noted)) {
		ending.kind = noted[h->end];
		if (ending.kind == ENDING_SIGNAL && !data->sampled)
			see_places(&ending, data, names);
	} else if (data->merged) {
		ending.kind = ENDING_SEVERAL;
	} else if (h->method == CINSTR_METHOD_SAMPLING) {
		ending.kind = sampled_kind(data);
		ending.until_now = ending.kind == ENDING_RUNNING;
	} else {
		infer(&ending, data, names);
	}
	return ending;
}

uint64_t ending_length_ns(const struct data *data, const struct ending *ending)
{
	uint64_t now = ending->until_now ? util_realtime_ns() : 0, begin = data->header->start_realtime_ns;

	return now > begin ? now - begin : data_length_ns(data);
}

int ending_signal(const struct ending *ending)
{
	if (ending->kind == ENDING_CALL)
		return end_call(ending->call)->signal ? end_call(ending->call)->signal : -1;
	return ending->kind == ENDING_SIGNAL ? ending->status : ending->kind == ENDING_KILLED ? 0 : -1;
}

int ending_is_death(const struct ending *ending)
{
	if (ending->kind == ENDING_CALL)
		return end_call(ending->call)->signal || !strcmp(ending->call, "raise");
	return ending->kind == ENDING_SIGNAL || ending->kind == ENDING_KILLED ||
	       ending->kind == ENDING_UNKNOWN || ending->kind == ENDING_UNNOTED;
}

/* ---- in words -------------------------------------------------------------------------------- */

static void put_signal(struct strbuf *text, int number)
{
	const char *name = sigabbrev_np(number), *words = sigdescr_np(number);

	strbuf_printf(text, "signal %d", number);
	if (name)
		strbuf_printf(text, " (SIG%s, %s)", name, words ? words : "?");
}

static void put_places(struct strbuf *text, const struct ending *ending)
{
	if (!ending->n_places)
		return;
	strbuf_puts(text, ending->n_places > 1 ? " while its threads were in " : " while in ");
	for (size_t i = 0; i < ending->n_places && i < ENDING_THREADS; i++) {
		const struct ending_place *place = &ending->places[i];

		strbuf_puts(text, i ? ", " : "");
		strbuf_visible(text, place->name);
		if (!place->caller)
			continue;
		strbuf_puts(text, " (called by ");
		strbuf_visible(text, place->caller);
		strbuf_puts(text, ")");
	}
	if (ending->n_places > ENDING_THREADS)
		strbuf_printf(text, " and %zu more", ending->n_places - ENDING_THREADS);
}

void ending_put(struct strbuf *text, const struct ending *ending)
{
	static const char *const words[] = {
		[ENDING_EXEC] = "exec",	     [ENDING_SNAPSHOT] = "snapshot", [ENDING_RUNNING] = "running",
		[ENDING_KILLED] = "signal",  [ENDING_UNKNOWN] = "unknown",   [ENDING_UNNOTED] = "unknown",
		[ENDING_UNSEEN] = "unknown", [ENDING_DETACHED] = "detached", [ENDING_SEVERAL] = "several",
	};
	const char *name = ending->kind == ENDING_SIGNAL ? sigabbrev_np(ending->status) : NULL;

	if (ending->kind == ENDING_EXIT && ending->status < 0)
		strbuf_puts(text, "exit");
	else if (ending->kind == ENDING_HANDLERS && ending->status < 0)
		strbuf_puts(text, "exit?");
	else if (ending->kind == ENDING_HANDLERS)
		strbuf_printf(text, "exit %d?", ending->status);
	else if (ending->kind == ENDING_EXIT)
		strbuf_printf(text, "exit %d", ending->status);
	else if (ending->kind == ENDING_SIGNAL)
		strbuf_printf(text, "signal %d (%s)", ending->status, name ? name : "?");
	else if (ending->kind == ENDING_CALL)
		strbuf_visible(text, ending->call);
	else
		strbuf_puts(text, words[ending->kind]);
}

void ending_tell(struct strbuf *text, const struct ending *ending)
{
	static const char *const words[] = {
		[ENDING_EXEC] = EXEC,
		[ENDING_SNAPSHOT] = "not yet: this is a snapshot of it",
		[ENDING_RUNNING] = "still running",
		[ENDING_KILLED] = "by a signal (no exit was seen)",
		[ENDING_UNKNOWN] =
			"without exit(): by a signal, or by _exit() or exec in code without probes",
		[ENDING_UNNOTED] = "not noted: by a signal, by _exit() or exec in code without probes, or it "
				   "runs on elsewhere",
		[ENDING_DETACHED] = "not yet: it went on when the recording ended",
		[ENDING_SEVERAL] = "each in its own way: these are many processes",
		[ENDING_UNSEEN] = "how is not noted: that is known of the program that cinstr record began",
	};

	if (ending->kind == ENDING_EXIT && ending->status < 0) {
		strbuf_puts(text, "by exit, status not known (musl does not tell it; cinstr record sees it)");
	} else if (ending->kind == ENDING_EXIT) {
		strbuf_printf(text, "by exit, status %d", ending->status);
	} else if (ending->kind == ENDING_HANDLERS && ending->status < 0) {
		strbuf_puts(text, "after exit's handlers, unknown (cinstr record sees it)");
	} else if (ending->kind == ENDING_HANDLERS) {
		strbuf_printf(text, "after exit's handlers (status %d), unknown (cinstr record sees it)",
			      ending->status);
	} else if (ending->kind == ENDING_SIGNAL) {
		strbuf_puts(text, "by ");
		put_signal(text, ending->status);
	} else if (ending->kind == ENDING_CALL) {
		strbuf_puts(text, end_call(ending->call)->sentence);
	} else {
		strbuf_puts(text, words[ending->kind]);
	}
	put_places(text, ending);
}

/* ---- those that died ------------------------------------------------------------------------- */

static void put_death(struct strbuf *text, const struct ending *ending)
{
	switch (ending->kind) {
	case ENDING_SIGNAL:
		strbuf_puts(text, "died by ");
		put_signal(text, ending->status);
		break;
	case ENDING_KILLED:
		strbuf_puts(text, "was killed by a signal (no exit was seen)");
		break;
	case ENDING_UNNOTED:
		strbuf_puts(text, "has no noted end: killed by a signal, ended by _exit() or exec in code "
				  "without probes, or still running elsewhere");
		break;
	case ENDING_UNKNOWN:
		strbuf_puts(text,
			    "was killed by a signal, or ended by _exit() or exec in code without probes,");
		break;
	default:
		strbuf_puts(text, "died ");
		strbuf_puts(text, end_call(ending->call)->sentence);
	}
	put_places(text, ending);
	if (ending->kind == ENDING_KILLED || ending->kind == ENDING_UNKNOWN)
		strbuf_puts(text, "; recorded up to its last event");
}

/* One among several, "by SIGABRT: it called abort while in parse". */
static void put_brief(struct strbuf *text, const struct ending *ending)
{
	const char *name = ending->kind == ENDING_SIGNAL ? sigabbrev_np(ending->status) : NULL;

	if (name)
		strbuf_printf(text, " by SIG%s", name);
	else if (ending->kind == ENDING_SIGNAL)
		strbuf_printf(text, " by signal %d", ending->status);
	else if (ending->kind == ENDING_CALL)
		strbuf_printf(text, " %s", end_call(ending->call)->sentence);
	else if (ending->kind == ENDING_KILLED)
		strbuf_puts(text, " by a signal");
	put_places(text, ending);
}

static int is_certain(const struct ending *ending)
{
	return ending->kind != ENDING_UNKNOWN && ending->kind != ENDING_UNNOTED;
}

void deaths_add(struct deaths *deaths, const struct data *data, const struct ending *ending)
{
	struct deaths_list *list = is_certain(ending) ? &deaths->certain : &deaths->perhaps;
	const char *exe = data_property(data, "exe");
	STRBUF(name);

	if (!ending_is_death(ending))
		return;
	strbuf_visible(&name, exe && *exe ? util_basename(exe) : SYMBOL_UNKNOWN);
	strbuf_printf(&name, " (pid %u)", data->header->pid);
	if (!deaths->n++) {
		strbuf_printf(&deaths->only, "%s ", name.text);
		put_death(&deaths->only, ending);
	}
	if (list->n++ < DEATHS_TOLD) {
		strbuf_printf(&list->first, "%s%s", list->n > 1 ? "; " : "", name.text);
		put_brief(&list->first, ending);
	}
}

static void put_list(struct strbuf *text, const struct deaths_list *list, const char *what)
{
	strbuf_thousands(text, list->n);
	strbuf_printf(text, " process%s %s: %s", list->n == 1 ? "" : "es", what, list->first.text);
	if (list->n > DEATHS_TOLD) {
		strbuf_puts(text, "; and ");
		strbuf_thousands(text, list->n - DEATHS_TOLD);
		strbuf_puts(text, " more (cinstr info)");
	}
}

void deaths_put(struct strbuf *text, const struct deaths *deaths)
{
	if (deaths->n == 1) {
		strbuf_puts(text, deaths->only.text);
		return;
	}
	if (deaths->certain.n)
		put_list(text, &deaths->certain, "died");
	strbuf_puts(text, deaths->certain.n && deaths->perhaps.n ? ". " : "");
	if (deaths->perhaps.n)
		put_list(text, &deaths->perhaps,
			 "ended by a signal, or by _exit() or exec in code without probes");
}

void deaths_release(struct deaths *deaths)
{
	strbuf_release(&deaths->only);
	strbuf_release(&deaths->certain.first);
	strbuf_release(&deaths->perhaps.first);
	*deaths = (struct deaths){ 0 };
}
