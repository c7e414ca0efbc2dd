/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * demangle.c - see demangle.h. libiberty limits its recursion, but neither its time nor its text:
 * each reference to an earlier part of a name can double both. Therefore its text goes through a
 * callback that can stop it, and names with many references run against a timer. Both leave it by
 * siglongjmp(): for C++ names it holds no memory then (it uses alloca and the callback).
 */
#include "demangle.h"

#include <ctype.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif
#undef ARRAY_SIZE /* libiberty's and ours are the same */

#include "cxx_names.h"
#include "lib/util.h"

#define TEXT_PER_BYTE 32 /* of the assembler name */
#define TEXT_EXTRA 512
#define REFERENCES_FREE 16	 /* as many can do no harm */
#define NANOSECONDS_MAX 50000000 /* for one name */
/* after so many failures, names with many references stay as they are */
#define FAILURES_MAX 20

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* ---- limits ---------------------------------------------------------------------------------- */

struct text {
	struct strbuf buf;
	size_t limit;
	int is_too_long;
};

static __thread sigjmp_buf leave;
static __thread volatile sig_atomic_t can_leave;
static __thread struct text current;
static unsigned failures;

static void text_add(const char *bytes, size_t n, void *arg)
{
	struct text *text = arg;

	if (text->is_too_long || n > text->limit - text->buf.length) {
		text->is_too_long = 1;
		if (can_leave)
			siglongjmp(leave, 1);
		return;
	}
	strbuf_add(&text->buf, bytes, n);
}

static void on_timer(int signal)
{
	(void)signal;
	if (can_leave)
		siglongjmp(leave, 1);
}

/* A signal to this thread after so much of its time on the processor. */
static int timer_begin(timer_t *timer)
{
	struct sigaction action = { .sa_handler = on_timer, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM };
	struct itimerspec time = { .it_value.tv_nsec = NANOSECONDS_MAX };

	event.sigev_notify_thread_id = gettid();
	return sigaction(SIGVTALRM, &action, NULL) || timer_create(CLOCK_THREAD_CPUTIME_ID, &event, timer) ||
			       timer_settime(*timer, 0, &time, NULL)
		       ? -1
		       : 0;
}

/* References to earlier parts of a C++ name, or more. */
static unsigned references(const char *name)
{
	unsigned n = 0;

	for (; *name; name++)
		n += (*name == 'S' || *name == 'T') &&
		     (name[1] == '_' || isdigit((unsigned char)name[1]) || isupper((unsigned char)name[1]));
	return n;
}

/* ---- languages ------------------------------------------------------------------------------- */

/* Whether it came to an end by itself, and well. */
static int run_guarded(const char *name, int options)
{
	int is_done = 0;

	if (!sigsetjmp(leave, 1)) {
		can_leave = 1;
		is_done = cplus_demangle_v3_callback(name, options, text_add, &current);
	}
	can_leave = 0;
	return is_done;
}

static int cplus(const char *name, int options)
{
	timer_t timer;
	int is_done;

	if (references(name) <= REFERENCES_FREE)
		return run_guarded(name, options);
	if (failures >= FAILURES_MAX || timer_begin(&timer))
		return 0;
	is_done = run_guarded(name, options);
	timer_delete(timer);
	failures += !is_done;
	return is_done;
}

/* libiberty makes the strings of D itself: only names that cannot grow much. */
static char *dlang(const char *name)
{
	unsigned n = 0;

	for (const char *s = name; *s; s++)
		n += *s == 'Q';
	return n <= REFERENCES_FREE / 2 && strlen(name) <= 1024 ? dlang_demangle(name, DMGL_PARAMS) : NULL;
}

static char *kept(void)
{
	char *result = current.buf.text;

	current.buf = (struct strbuf){ 0 };
	return result;
}

static int has_suffix(const char *file, const char *const *suffixes, size_t n)
{
	const char *dot = file ? strrchr(file, '.') : NULL;

	for (size_t i = 0; dot && i < n; i++)
		if (!strcasecmp(dot + 1, suffixes[i]))
			return 1;
	return 0;
}

static int is_ada(const char *file)
{
	static const char *const suffixes[] = { "adb", "ads", "ada" };

	return has_suffix(file, suffixes, ARRAY_SIZE(suffixes));
}

static int is_fortran(const char *file)
{
	static const char *const suffixes[] = { "f", "for", "ftn", "f77", "f90", "f95", "f03", "f08", "fpp" };

	return has_suffix(file, suffixes, ARRAY_SIZE(suffixes));
}

static char *ada(const char *name)
{
	char *text = ada_demangle(name, 0);

	if (text && (text[0] == '<' || !strcmp(text, name))) {
		free(text);
		return NULL;
	}
	return text;
}

/* __geometry_MOD_area, __geometry.inner_MOD_area */
static char *fortran_module_procedure(const char *name)
{
	const char *mark = strstr(name, "_MOD_"), *module = name + 2;
	struct strbuf text = { 0 };

	if (strncmp(name, "__", 2) || !mark || mark <= module || !mark[5] ||
	    strspn(module, "abcdefghijklmnopqrstuvwxyz0123456789_.") < (size_t)(mark - module))
		return NULL;
	strbuf_printf(&text, "%.*s::%s", (int)(mark - module), module, mark + 5);
	return text.text;
}

/* GNU Fortran adds `_` to external procedures, and another one, if asked to, where there was
 * one. */
static char *fortran(const char *name)
{
	size_t n = strlen(name);
	char *text;

	if (n < 2 || name[n - 1] != '_' || name[0] == '_' || !strcmp(name, "MAIN__"))
		return NULL;
	n -= n > 3 && name[n - 2] == '_' ? 2 : 1;
	text = xcalloc(n + 1, 1);
	memcpy(text, name, n);
	return text;
}

/* ---- shorter names --------------------------------------------------------------------------- */

/* Puts `name`, which has no parameters of its own, without those of what it is in, and `arguments`
 * for template arguments. */
static void put_shorter(struct strbuf *text, const char *name, const char *end, const char *arguments)
{
	const char *begin = name, *close;

	while (name < end) {
		size_t n = cxx_operator_length(name, begin);

		if (n) {
			strbuf_add(text, name, n);
			name += n;
		} else if (*name == '<' && (close = cxx_closing(name)) && close < end) {
			if (arguments[0] || !text->length || text->text[text->length - 1] != ' ')
				strbuf_puts(text, arguments);
			else
				text->text[--text->length] = '\0'; /* operator< <int> */
			name = close + 1;
		} else if (*name == '(' && strncmp(name, "(anonymous", 10) && (close = cxx_closing(name)) &&
			   close < end) {
			name = cxx_behind_qualifiers(close + 1);
		} else {
			strbuf_add(text, name++, 1);
		}
	}
}

static char *shorter(char *name, const char *arguments)
{
	struct strbuf text = { 0 };

	strbuf_clear(&text);
	put_shorter(&text, name, name + strlen(name), arguments);
	free(name);
	return text.text;
}

/* One destructor is made into several functions: those that end objects have its name, the one that
 * frees them too, more. */
static char *with_deleting(char *text, const char *name)
{
	struct strbuf longer = { 0 };

	if (!text || !strstr(name, "D0E") || is_gnu_v3_mangled_dtor(name) != gnu_v3_deleting_dtor)
		return text;
	strbuf_printf(&longer, "%s [deleting]", text);
	free(text);
	return longer.text;
}

/* GCC makes two functions of a coroutine beside the one that is called: its body, f.Frame.actor,
 * and what frees it, f.Frame.destroy. Clang's are f.resume, f.destroy, and f.cleanup. */
static char *with_coroutine(char *text, const char *name)
{
	static const char *const parts[][2] = { { ".actor", "::{coroutine}" },
						{ ".resume", "::{coroutine}" },
						{ ".destroy", "::{destroy}" },
						{ ".cleanup", "::{cleanup}" } };
	const char *suffix = strrchr(name, '.');
	struct strbuf longer = { 0 };

	for (size_t i = 0; text && suffix && i < ARRAY_SIZE(parts); i++)
		if (!strcmp(suffix, parts[i][0])) {
			strbuf_printf(&longer, "%.*s%s", (int)strcspn(text, "["), text, parts[i][1]);
			free(text);
			return longer.text;
		}
	return text;
}

/* ---- all ------------------------------------------------------------------------------------- */

static char *rust(const char *name, enum demangle_detail detail)
{
	char *text;

	current = (struct text){ .limit = TEXT_EXTRA + TEXT_PER_BYTE * strlen(name) };
	if (!rust_demangle_callback(name, detail == DEMANGLE_FULL ? DMGL_PARAMS : 0, text_add, &current) ||
	    current.is_too_long || !current.buf.length) {
		strbuf_release(&current.buf);
		return NULL;
	}
	text = kept();
	if (detail == DEMANGLE_WRITTEN || detail == DEMANGLE_PLAIN)
		text = shorter(text, detail == DEMANGLE_WRITTEN ? "<...>" : "");
	return text;
}

static char *itanium(const char *name, int options)
{
	current = (struct text){ .limit = TEXT_EXTRA + TEXT_PER_BYTE * strlen(name) };
	if (cplus(name, options | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT) && !current.is_too_long &&
	    current.buf.length)
		return kept();
	strbuf_release(&current.buf);
	return NULL;
}

static char *written(char *text, uint32_t line)
{
	char *written = text ? cxx_name_written(text, line) : NULL;

	if (!written)
		return text;
	free(text);
	return written;
}

static char *mangled(const char *name, uint32_t line, enum demangle_detail detail)
{
	char *text = rust(name, detail);

	if (text || name[1] != 'Z')
		return text;
	text = itanium(name, detail == DEMANGLE_FULL	     ? DMGL_PARAMS
			     : detail == DEMANGLE_PARAMETERS ? DMGL_PARAMS | DMGL_RET_DROP
							     : 0);
	if (text && detail == DEMANGLE_PLAIN)
		text = shorter(text, "");
	if (detail >= DEMANGLE_PARAMETERS)
		text = with_coroutine(written(text, line), name);
	return with_deleting(text, name);
}

char *demangle(const char *name, const char *file, uint32_t line, enum demangle_detail detail)
{
	char *text = NULL;

	if (strnlen(name, DEMANGLE_LENGTH_MAX + 1) > DEMANGLE_LENGTH_MAX)
		return NULL;
	if (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R'))
		return mangled(name, line, detail);
	if (name[0] == '_' && name[1] == 'D' &&
	    (isdigit((unsigned char)name[2]) || !strcmp(name, "_Dmain"))) {
		text = dlang(name);
		return text && (detail == DEMANGLE_WRITTEN || detail == DEMANGLE_PLAIN)
			       ? shorter(text, detail == DEMANGLE_WRITTEN ? "<...>" : "")
			       : text;
	}
	text = fortran_module_procedure(name);
	if (!text && is_fortran(file))
		text = fortran(name);
	if (!text && is_ada(file))
		text = ada(name);
	return text;
}
