/* SPDX-License-Identifier: MIT */
/*
 * cinstr.h - steers the recording from inside the program: when to record, marks, names, values of
 * the program's own.
 *
 * The calls may stay in shipped code. Without a runtime they do nothing, at the cost of a load and
 * a branch, and return CINSTR_NO_RUNTIME; nothing has to be linked for them. The runtime comes with
 * code compiled with -fplugin=cinstr.so (README.md). It finds the variable below through a note in
 * each module that includes this file, whenever a module with probes is loaded (a library without
 * probes that is loaded later is found when the next module with probes is loaded).
 *
 * All calls may be made from any thread and from signal handlers, leave errno alone, and never wait
 * for other threads. C90 and later, C++98 and later.
 *
 * Levels. A thread records while all of these are on: the session (all processes that are recorded
 * together), its process, itself. Each has a flag, which start and stop set, and a count, which
 * suspend adds 1 to and resume subtracts 1 from: it is on while started and the count is not above
 * 0. A count may go below 0: a surplus resume cancels the next suspend. Initially all are started
 * (CINSTR_START=paused: processes are stopped). Options of compilation (-fplugin-arg-cinstr-start
 * and so on) are one more condition. The calling thread goes off or on within the call, others at
 * their next event.
 */
#ifndef CINSTR_H
#define CINSTR_H

#include <stdint.h>

enum cinstr_level {
	/* all processes that are recorded into the same folder; id: CINSTR_SELF */
	CINSTR_SESSION = 1,
	CINSTR_PROCESS = 2, /* id: a process of the session */
	/* id: gettid() of a thread of this process that has been recorded */
	CINSTR_THREAD = 3
};

/* As an id: the calling process, the calling thread. */
#define CINSTR_SELF 0u

enum cinstr_status {
	CINSTR_OK = 0,
	/* nothing is being recorded, or recording has ended; the call did nothing */
	CINSTR_NO_RUNTIME = 1,
	CINSTR_OFF = 2,	      /* the thread does not record: no mark was set */
	CINSTR_BAD_LEVEL = 3, /* there is no such level, or it cannot be named */
	/* no such process in the session, or thread in this process, is being recorded */
	CINSTR_NO_ID = 4,
	CINSTR_RESERVED = 5, /* numbers of marks begin at 1: no mark was set */
	/* done, but the text or name was cut off at CINSTR_TEXT_MAX or CINSTR_NAME_MAX bytes */
	CINSTR_TRUNCATED = 6,
	CINSTR_NAMED = 7, /* already named; the name was not changed */
	/* empty, begins with a digit, or holds one of the characters that names must not have */
	CINSTR_BAD_NAME = 8,
	CINSTR_NO_MEMORY = 9, /* no room in the data file */
	CINSTR_DENIED = 10,   /* the session's or the other process's file may not be written */
	/* called from inside the runtime (by a handler of a fault there), or another thread is
	 * changing the rules */
	CINSTR_BUSY = 11,
	CINSTR_BAD_RULES = 12,	/* invalid rules: nothing was changed */
	CINSTR_UNSUPPORTED = 13 /* this runtime cannot do it */
};

#define CINSTR_TEXT_MAX 1000
#define CINSTR_NAME_MAX 31
/* A single cinstr_count() adds at most this. */
#define CINSTR_COUNT_MAX 0xffffffffff
#define CINSTR_TAGS_MAX 4 /* tags of a thread, by name */

/* A thread's tags, to be handed to another thread of the process. */
struct cinstr_tags {
	uint32_t names[CINSTR_TAGS_MAX]; /* their numbers; 0: none */
	int64_t ids[CINSTR_TAGS_MAX];
};

/* ---- provided by the runtime; not to be used directly ---------------------------------------- */

enum cinstr_api_change {
	CINSTR_API_START = 0,
	CINSTR_API_STOP = 1,
	CINSTR_API_SUSPEND = 2,
	CINSTR_API_RESUME = 3
};

struct cinstr_api_v1 {
	uint64_t bytes; /* the size of this struct: later runtimes may have a longer one */
	enum cinstr_status (*change)(enum cinstr_api_change change, enum cinstr_level level, unsigned int id);
	int (*is_on)(void);
	/* at: ns of CLOCK_MONOTONIC; NULL: now */
	enum cinstr_status (*mark)(const int64_t *at, int64_t id, const char *text);
	enum cinstr_status (*name)(enum cinstr_level level, unsigned int id, const char *name);
	enum cinstr_status (*flush)(void);
	enum cinstr_status (*choose)(const char *rules);
	enum cinstr_status (*count)(const char *name, uint64_t n);
	/* id: NULL: ends the tag; name: NULL: ends all */
	enum cinstr_status (*tag)(const char *name, const int64_t *id);
	enum cinstr_status (*tags)(struct cinstr_tags *tags, int are_put);
};

#if defined(__GNUC__) && defined(__linux__) && defined(__x86_64__) && defined(__LP64__) && \
	defined(__ELF__) && !defined(CINSTR_DISABLED)
#define CINSTR_API_FUNCTION static __inline__ __attribute__((__no_instrument_function__, __unused__))

#ifdef __cplusplus
extern "C" {
#endif
/* One per module; the runtime sets it, and recognizes it by its initial value. */
#define CINSTR_API_NOBODY 0x7631495041534943ul /* "CISAPI1v" */
__attribute__((__weak__, __visibility__("hidden"), __used__)) const struct cinstr_api_v1 *cinstr_api_v1 =
	(const struct cinstr_api_v1 *)CINSTR_API_NOBODY;
#ifdef __cplusplus
}
#endif

/* An ELF note: name "cinstr", type CINSTR_NOTE_API (cinstr/abi.h), descriptor: distance of the
 * variable from there. */
__asm__(".pushsection .note.cinstr.api,\"a\",@note\n\t"
	".balign 4\n\t"
	".long 7, 4, 0x43490002\n\t"
	".asciz \"cinstr\"\n\t"
	".byte 0\n\t"
	".long cinstr_api_v1 - .\n\t"
	".popsection\n");

CINSTR_API_FUNCTION const struct cinstr_api_v1 *cinstr_api(void)
{
	const struct cinstr_api_v1 *api = *(const struct cinstr_api_v1 *volatile *)&cinstr_api_v1;

	return api == (const struct cinstr_api_v1 *)CINSTR_API_NOBODY ? 0 : api;
}
#else
#define CINSTR_API_FUNCTION static
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#undef CINSTR_API_FUNCTION
#define CINSTR_API_FUNCTION static inline
#endif

CINSTR_API_FUNCTION const struct cinstr_api_v1 *cinstr_api(void)
{
	return 0;
}
#endif

/* ---- on and off ------------------------------------------------------------------------------ */

/* Set and clear the level's flag. They do not nest. */
CINSTR_API_FUNCTION enum cinstr_status cinstr_start(enum cinstr_level level, unsigned int id)
{
	const struct cinstr_api_v1 *api = cinstr_api();

	return api ? api->change(CINSTR_API_START, level, id) : CINSTR_NO_RUNTIME;
}

CINSTR_API_FUNCTION enum cinstr_status cinstr_stop(enum cinstr_level level, unsigned int id)
{
	const struct cinstr_api_v1 *api = cinstr_api();

	return api ? api->change(CINSTR_API_STOP, level, id) : CINSTR_NO_RUNTIME;
}

/* Change the level's count: they nest. */
CINSTR_API_FUNCTION enum cinstr_status cinstr_suspend(enum cinstr_level level, unsigned int id)
{
	const struct cinstr_api_v1 *api = cinstr_api();

	return api ? api->change(CINSTR_API_SUSPEND, level, id) : CINSTR_NO_RUNTIME;
}

CINSTR_API_FUNCTION enum cinstr_status cinstr_resume(enum cinstr_level level, unsigned int id)
{
	const struct cinstr_api_v1 *api = cinstr_api();

	return api ? api->change(CINSTR_API_RESUME, level, id) : CINSTR_NO_RUNTIME;
}

/* Returns 1 if the calling thread records, all levels considered, else 0. */
CINSTR_API_FUNCTION int cinstr_is_on(void)
{
	const struct cinstr_api_v1 *api = cinstr_api();

	return api ? api->is_on() : 0;
}

/* ---- marks: moments with a number (from 1) and a text, listed by `cinstr info --marks` ------- */

/* Set a mark, if the calling thread records; else they return CINSTR_OFF. */
CINSTR_API_FUNCTION enum cinstr_status cinstr_mark(int64_t id)
{
	const struct cinstr_api_v1 *api = cinstr_api();

	return api ? api->mark(0, id, 0) : CINSTR_NO_RUNTIME;
}

CINSTR_API_FUNCTION enum cinstr_status cinstr_mark_text(int64_t id, const char *text)
{
	const struct cinstr_api_v1 *api = cinstr_api();

	return api ? api->mark(0, id, text) : CINSTR_NO_RUNTIME;
}

/* Sets a mark at time_ns, a reading of CLOCK_MONOTONIC in nanoseconds, for an event that happened
 * elsewhere or earlier. */
CINSTR_API_FUNCTION enum cinstr_status cinstr_mark_at(int64_t time_ns, int64_t id, const char *text)
{
	const struct cinstr_api_v1 *api = cinstr_api();

	return api ? api->mark(&time_ns, id, text) : CINSTR_NO_RUNTIME;
}

/* ---- values of the program's own ------------------------------------------------------------- */

/* Returns the interface if it has these functions: a runtime may be older than this file. */
CINSTR_API_FUNCTION const struct cinstr_api_v1 *cinstr_api_values(void)
{
	const struct cinstr_api_v1 *api = cinstr_api();

	return api && api->bytes >= sizeof(*api) ? api : 0;
}

/*
 * Adds n to what is counted by this name (rows, cache misses ...), on the call path of the caller:
 * `cinstr report --view=counts` has the sums and the time for each one. A call takes about as long
 * as a system call: count what a loop has done behind it.
 */
CINSTR_API_FUNCTION enum cinstr_status cinstr_count(const char *name, uint64_t n)
{
	const struct cinstr_api_v1 *api = cinstr_api_values();

	return api ? api->count(name, n) : CINSTR_NO_RUNTIME;
}

/*
 * Says that the calling thread works on this request, tenant, file ... from now on, until it has
 * another id or cinstr_tag_end(). `cinstr report --by=tag` has the time, and the waiting, of each
 * id. A thread may have tags of CINSTR_TAGS_MAX names (else CINSTR_NO_MEMORY); a forked child
 * begins without any.
 */
CINSTR_API_FUNCTION enum cinstr_status cinstr_tag(const char *name, int64_t id)
{
	const struct cinstr_api_v1 *api = cinstr_api_values();

	return api ? api->tag(name, &id) : CINSTR_NO_RUNTIME;
}

/* Ends the tag; NULL: all tags of the thread. */
CINSTR_API_FUNCTION enum cinstr_status cinstr_tag_end(const char *name)
{
	const struct cinstr_api_v1 *api = cinstr_api_values();

	return api ? api->tag(name, 0) : CINSTR_NO_RUNTIME;
}

/* Copies the thread's tags, for the thread that goes on with its work, which puts them. */
CINSTR_API_FUNCTION enum cinstr_status cinstr_tag_take(struct cinstr_tags *tags)
{
	const struct cinstr_api_v1 *api = cinstr_api_values();
	int i;

	for (i = 0; i < CINSTR_TAGS_MAX; i++) {
		tags->names[i] = 0;
		tags->ids[i] = 0;
	}
	return api ? api->tags(tags, 0) : CINSTR_NO_RUNTIME;
}

/* Gives the calling thread these tags, and no others. */
CINSTR_API_FUNCTION enum cinstr_status cinstr_tag_put(struct cinstr_tags tags)
{
	const struct cinstr_api_v1 *api = cinstr_api_values();

	return api ? api->tags(&tags, 1) : CINSTR_NO_RUNTIME;
}

/* ---- the rest -------------------------------------------------------------------------------- */

/*
 * Names a process or a thread, once; a forked child is another process. At most CINSTR_NAME_MAX
 * bytes, UTF-8; no digit first; no white space, control character, or one of , ; . ` ~ ! @ # $ % ^
 * & * ( ) = [ ] { } | \ ? / < >
 */
CINSTR_API_FUNCTION enum cinstr_status cinstr_name(enum cinstr_level level, unsigned int id, const char *name)
{
	const struct cinstr_api_v1 *api = cinstr_api();

	return api ? api->name(level, id, name) : CINSTR_NO_RUNTIME;
}

/*
 * Adds what the calling thread has recorded to its values in the data file, with their checksums,
 * and asks the process's other threads to do so at their next event. Never necessary: the data
 * survive however the process ends.
 */
CINSTR_API_FUNCTION enum cinstr_status cinstr_flush(void)
{
	const struct cinstr_api_v1 *api = cinstr_api();

	return api ? api->flush() : CINSTR_NO_RUNTIME;
}

/*
 * Replaces the rules for what this process records. Rules are as in the environment, separated by
 * spaces: only=GLOB,... not=GLOB,... probes=functions|calls|lines depth=N; or "all": as at its
 * start.
 */
CINSTR_API_FUNCTION enum cinstr_status cinstr_choose(const char *rules)
{
	const struct cinstr_api_v1 *api = cinstr_api();

	return api ? api->choose(rules) : CINSTR_NO_RUNTIME;
}

CINSTR_API_FUNCTION const char *cinstr_status_text(enum cinstr_status status)
{
	switch (status) {
	case CINSTR_OK:
		return "done";
	case CINSTR_NO_RUNTIME:
		return "nothing is being recorded";
	case CINSTR_OFF:
		return "the thread does not record";
	case CINSTR_BAD_LEVEL:
		return "no such level";
	case CINSTR_NO_ID:
		return "no such process or thread is being recorded";
	case CINSTR_RESERVED:
		return "this number is reserved";
	case CINSTR_TRUNCATED:
		return "done, with the text cut off";
	case CINSTR_NAMED:
		return "it has a name already";
	case CINSTR_BAD_NAME:
		return "no valid name";
	case CINSTR_NO_MEMORY:
		return "no room in the data file";
	case CINSTR_DENIED:
		return "the file may not be written";
	case CINSTR_BUSY:
		return "busy: try later";
	case CINSTR_BAD_RULES:
		return "rules that are not understood";
	case CINSTR_UNSUPPORTED:
		return "not supported";
	}
	return "unknown status";
}

#endif
