/* SPDX-License-Identifier: MIT */
/*
 * api.c - serves the program's requests through cinstr.h. Called from any thread, and from signal
 * handlers; on the slow path's stack with signals blocked. While the calling thread records, the
 * time it takes is the runtime's own.
 *
 * cinstr.h leaves a variable in each module that includes it, which api_offer() sets; nothing has
 * to be linked.
 */
#include <elf.h>
#include <errno.h>
#include <link.h>

#include "cinstr.h"
#include "cinstr/amounts.h"
#include "runtime.h"

#define NS_PER_S 1000000000ull

/* One call. */
struct request {
	enum cinstr_status (*work)(struct request *request);
	struct probe_state *probe;
	uint64_t now;
	uint64_t sp; /* where the call's return address is */
	int is_foreign;
	int seals; /* segments that were folded at the end are sealed, with checksums */
	enum cinstr_status status;
	enum cinstr_api_change change;
	enum cinstr_level level;
	uint32_t id;
	int64_t number;
	const int64_t *at;
	const char *text;
	uint64_t n;
	struct cinstr_tags *tags;
	int are_put;
};

/* ---- around each call ------------------------------------------------------------------------ */

static void serve(void *data)
{
	struct request *request = data;
	struct probe_state *probe = request->probe;

	if (!*cinstr.alive)
		process_forked();
	if (cinstr.state != RUNTIME_ON)
		return;
	if (!request->is_foreign)
		control_meet(probe);
	if (request->is_foreign || probe->phase == PROBE_OFF) {
		request->status = request->work(request);
		return;
	}
	if (probe->thread && !probe->skip)
		slow_end_interval(probe->thread, request->now);
	request->status = request->work(request);
	control_after_request(probe, request->sp, request->now);
	slow_resume(probe);
	slow_finish(probe);
	if (request->seals && probe->thread) {
		thread_seal(probe->thread);
		slow_resume(probe);
	}
}

/* In a process that is sampled. */
static void serve_sampled(void *data)
{
	struct request *request = data;

	request->now = clock_now();
	request->status = request->work(request);
}

static enum cinstr_status ask_sampled(struct request *request)
{
	int error = sampled_call(serve_sampled, request);

	return error == -EBUSY ? CINSTR_BUSY : error ? CINSTR_NO_RUNTIME : request->status;
}

static int is_sampled(void)
{
	return cinstr.state == RUNTIME_SAMPLED;
}

static enum cinstr_status ask(struct request *request)
{
	request->status = CINSTR_NO_RUNTIME;
	if (is_sampled())
		return ask_sampled(request);
	if (tasks_has_no_thread())
		return CINSTR_NO_RUNTIME;
	request->probe = &cinstr_probe;
	if (cinstr.state != RUNTIME_ON)
		return CINSTR_NO_RUNTIME;
	/* Not earlier: a program in seccomp's strict mode may not read the clock, whichever clock
	 * it is. */
	if (!runtime_enter())
		return CINSTR_NO_RUNTIME;
	request->now = clock_now();
	request->is_foreign = tasks_is_other();
	runtime_leave();
	if ((request->is_foreign ? slow_call_aside : slow_call)(serve, request))
		return CINSTR_BUSY;
	return request->status;
}

/* Of a function of the API that is not inlined: where its return address is. */
#define RETURN_SLOT() ((uint64_t)__builtin_dwarf_cfa() - ARCH_RETURN_BYTES)

/* ---- levels ---------------------------------------------------------------------------------- */

static void change_state(enum cinstr_api_change change, uint32_t *stopped, int32_t *suspensions)
{
	switch (change) {
	case CINSTR_API_START:
	case CINSTR_API_STOP:
		atomic_store_relaxed(stopped, change == CINSTR_API_STOP);
		break;
	case CINSTR_API_SUSPEND:
		atomic_add(suspensions, 1);
		break;
	case CINSTR_API_RESUME:
		atomic_add(suspensions, -1);
		break;
	}
}

/* The release makes all changes visible; pairs with the acquire in control_epoch(). */
static void next_epoch(struct cinstr_control_block *block)
{
	atomic_add(&block->epoch, 1);
}

static void change_block(enum cinstr_api_change change, struct cinstr_control_block *block)
{
	change_state(change, &block->stopped, &block->suspensions);
	levels_mark(" by the program");
	next_epoch(block);
}

static int is_own_process(const struct request *request)
{
	return !request->is_foreign && (request->id == CINSTR_SELF || request->id == (uint32_t)cinstr.pid);
}

struct other_process {
	uint32_t id;
	char *page;
	enum cinstr_status status; /* why there is none */
};

static void map_other(void *data)
{
	struct other_process *other = data;
	char folder[SESSION_PATH_MAX + 64];
	size_t n = string_length(cinstr.store.path);
	int fd;

	while (n > 0 && cinstr.store.path[n] != '/')
		n--;
	arch_copy(folder, cinstr.store.path, n);
	folder[n] = '\0';
	fd = session_open_process(folder, other->id);
	other->status = fd == -EACCES || fd == -EROFS ? CINSTR_DENIED : CINSTR_NO_ID;
	if (fd < 0)
		return;
	other->page = sys_mmap(NULL, CINSTR_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	sys_close(fd);
	other->status = CINSTR_NO_MEMORY;
	if (sys_failed(other->page))
		other->page = NULL;
}

/* The control block of another process, mapped. NULL: *status says why. */
static struct cinstr_control_block *other_block(const struct request *request, enum cinstr_status *status)
{
	struct other_process other = { .id = request->id, .status = CINSTR_NO_ID };

	*status = CINSTR_DENIED;
	if (atomic_load_relaxed(&cinstr.is_alone))
		return NULL;
	if (request->id != CINSTR_SELF)
		call_apart(map_other, &other);
	*status = other.status;
	return other.page ? (struct cinstr_control_block *)(void *)(other.page + CINSTR_CONTROL_OFFSET)
			  : NULL;
}

static void drop_block(struct cinstr_control_block *block)
{
	sys_munmap((char *)block - CINSTR_CONTROL_OFFSET, CINSTR_PAGE);
}

static enum cinstr_status change_process(const struct request *request)
{
	struct cinstr_control_block *block;
	enum cinstr_status status;

	if (is_own_process(request)) {
		change_block(request->change, control_block());
		if (is_sampled())
			sampled_changed(CINSTR_PROCESS, 0, request->now);
		return CINSTR_OK;
	}
	block = other_block(request, &status);
	if (!block)
		return status;
	change_state(request->change, &block->stopped, &block->suspensions);
	next_epoch(block);
	drop_block(block);
	return CINSTR_OK;
}

/* The living thread of this process with this number. */
static struct cinstr_thread *find_thread(const struct request *request)
{
	uint64_t end = atomic_load_acquire(&cinstr.header->file_bytes);
	struct thread *own = request->probe->thread;

	if (request->is_foreign)
		return NULL;
	if (request->id == CINSTR_SELF || request->id == request->probe->control.tid)
		return own ? own->record : NULL;
	for (uint64_t at = CINSTR_PAGE; at < end;) {
		const struct cinstr_segment *segment = (const void *)(cinstr.store.file + at);
		struct cinstr_thread *record =
			(void *)(cinstr.store.file + at + sizeof(struct cinstr_segment));

		if (segment->bytes < CINSTR_PAGE)
			break;
		if (segment->type == CINSTR_SEG_THREAD && record->tid == request->id &&
		    record->state == CINSTR_THREAD_LIVE)
			return record;
		at += segment->bytes;
	}
	return NULL;
}

static int is_self(const struct request *request)
{
	return !request->is_foreign && request->probe->phase != PROBE_OFF &&
	       (request->id == CINSTR_SELF || request->id == request->probe->control.tid);
}

static enum cinstr_status change_sampled_thread(const struct request *request)
{
	struct sampled_thread *thread = sampled_thread(request->id);

	if (!thread)
		return CINSTR_NO_ID;
	change_state(request->change, &thread->stopped, &thread->suspensions);
	sampled_changed(CINSTR_THREAD, thread->tid, request->now);
	return CINSTR_OK;
}

static enum cinstr_status change_thread(const struct request *request)
{
	struct cinstr_thread *record = find_thread(request);
	struct control *control = &request->probe->control;

	if (record)
		change_state(request->change, &record->stopped, &record->suspensions);
	else if (is_self(request)) /* the thread's record gets it when there is one */
		change_state(request->change, &control->stopped, &control->waiting_suspensions);
	else
		return CINSTR_NO_ID;
	if (!is_self(request))
		next_epoch(control_block());
	return CINSTR_OK;
}

static enum cinstr_status change_level(struct request *request)
{
	switch (request->level) {
	case CINSTR_SESSION:
		if (!cinstr.session_writable)
			return CINSTR_DENIED;
		change_block(request->change, session_block());
		if (is_sampled())
			sampled_changed(CINSTR_SESSION, 0, request->now);
		return CINSTR_OK;
	case CINSTR_PROCESS:
		return change_process(request);
	case CINSTR_THREAD:
		return is_sampled() ? change_sampled_thread(request) : change_thread(request);
	}
	return CINSTR_BAD_LEVEL;
}

static enum cinstr_status api_change(enum cinstr_api_change change, enum cinstr_level level, uint32_t id)
{
	struct request request = {
		.work = change_level, .sp = RETURN_SLOT(), .change = change, .level = level, .id = id
	};

	return ask(&request);
}

static enum cinstr_status nothing(struct request *request)
{
	(void)request;
	return CINSTR_OK;
}

static enum cinstr_status look_sampled(struct request *request)
{
	(void)request;
	return sampled_is_on() ? CINSTR_OK : CINSTR_OFF;
}

/* Applies what has changed first, so that the answer says what will happen. */
static int api_is_on(void)
{
	struct request request = { .work = is_sampled() ? look_sampled : nothing, .sp = RETURN_SLOT() };

	if (is_sampled())
		return ask(&request) == CINSTR_OK;
	if (tasks_has_no_thread())
		return 0;
	if (cinstr.state == RUNTIME_ON && cinstr_probe.seen != control_epoch())
		ask(&request);
	return cinstr.state == RUNTIME_ON && control_is_on(&cinstr_probe);
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* The stamp of a moment on CLOCK_MONOTONIC, in the past or the future. */
static uint64_t stamp_of(int64_t time_ns)
{
	int64_t ago = (int64_t)(sys_clock_ns(CLOCK_MONOTONIC) - (uint64_t)time_ns);
	__int128 ticks = (__int128)clock_now() - (((__int128)ago * (int64_t)ticks_per_ns()) >> 20);

	return ticks < 0 ? 0 : (uint64_t)ticks;
}

static enum cinstr_status set_mark(struct request *request)
{
	const char *text = request->text ? request->text : "";
	int failed;

	if (request->number <= 0)
		return CINSTR_RESERVED;
	if (is_sampled() ? !sampled_is_on() : !control_is_on(request->probe))
		return CINSTR_OFF;
	if (request->at)
		failed = mark_add(CINSTR_MARK_PROGRAM, stamp_of(*request->at), 0, request->number, text);
	else
		failed = mark_now(request->now, 0, request->number, text);
	if (failed)
		return CINSTR_NO_MEMORY;
	return string_length(text) > CINSTR_TEXT_MAX ? CINSTR_TRUNCATED : CINSTR_OK;
}

static enum cinstr_status api_mark(const int64_t *at, int64_t id, const char *text)
{
	struct request request = {
		.work = set_mark, .sp = RETURN_SLOT(), .number = id, .at = at, .text = text
	};

	return ask(&request);
}

/* ---- names ----------------------------------------------------------------------------------- */

static int is_name(const char *name)
{
	static const char never[] = ",;.`~!@#$%^&*()=[]{}|\\?/<>";

	if (!*name || (*name >= '0' && *name <= '9'))
		return 0;
	for (; *name; name++) {
		if ((unsigned char)*name <= ' ' || *name == 127)
			return 0;
		for (const char *c = never; *c; c++)
			if (*c == *name)
				return 0;
	}
	return 1;
}

/* `named` goes from 0 to 2 while the name is written, then to 1. */
static enum cinstr_status give_name(uint32_t *named, char out[32], const char *name)
{
	size_t length = string_length(name), n = text_cut(name, CINSTR_NAME_MAX);
	uint32_t none = 0;

	if (!atomic_compare_swap(named, &none, 2))
		return CINSTR_NAMED;
	for (size_t i = 0; i < 32; i++)
		out[i] = '\0';
	arch_copy(out, name, n);
	atomic_store_release(named, 1); /* target.c */
	return n < length ? CINSTR_TRUNCATED : CINSTR_OK;
}

static enum cinstr_status name_process(const struct request *request)
{
	struct cinstr_control_block *block = control_block();
	enum cinstr_status status;

	if (is_own_process(request))
		return give_name(&block->named, block->name, request->text);
	block = other_block(request, &status);
	if (!block)
		return status;
	status = give_name(&block->named, block->name, request->text);
	drop_block(block);
	return status;
}

static enum cinstr_status name_sampled_thread(const struct request *request)
{
	struct sampled_thread *thread = sampled_thread(request->id);
	struct cinstr_task *task = thread ? sampled_task(thread, request->now) : NULL;

	if (!task)
		return thread ? CINSTR_NO_MEMORY : CINSTR_NO_ID;
	return give_name(&task->state, task->name, request->text);
}

static enum cinstr_status name_thread(const struct request *request)
{
	struct cinstr_thread *record = find_thread(request);

	/* if it was paused from its start it has no record yet: now it needs one */
	if (!record && is_self(request)) {
		control_begin(request->probe, request->now);
		record = find_thread(request);
	}
	return record ? give_name(&record->named, record->name, request->text) : CINSTR_NO_ID;
}

static enum cinstr_status give_request_name(struct request *request)
{
	if (request->level != CINSTR_PROCESS && request->level != CINSTR_THREAD)
		return CINSTR_BAD_LEVEL;
	if (!request->text || !is_name(request->text))
		return CINSTR_BAD_NAME;
	if (request->level == CINSTR_PROCESS)
		return name_process(request);
	return is_sampled() ? name_sampled_thread(request) : name_thread(request);
}

static enum cinstr_status api_name(enum cinstr_level level, uint32_t id, const char *name)
{
	struct request request = {
		.work = give_request_name, .sp = RETURN_SLOT(), .level = level, .id = id, .text = name
	};

	return ask(&request);
}

/* ---- values of the program's own ------------------------------------------------------------- */

static int is_of_value(const char *name)
{
	return name && *name && string_length(name) <= CINSTR_NAME_MAX;
}

/* Whether records of values can be written now: the thread records, and has a buffer. */
static enum cinstr_status may_note(const struct request *request)
{
	struct probe_state *probe = request->probe;

	if (is_sampled())
		return CINSTR_UNSUPPORTED;
	if (request->is_foreign || probe->phase == PROBE_OFF || !control_is_on(probe))
		return CINSTR_OFF;
	if (!probe->thread)
		control_begin(probe, request->now);
	return probe->thread && !probe->skip ? CINSTR_OK : CINSTR_OFF;
}

static enum cinstr_status count(struct request *request)
{
	uint64_t n = min_of(request->n, (uint64_t)CINSTR_COUNT_MAX);
	enum cinstr_status status = may_note(request);

	if (!is_of_value(request->text))
		return CINSTR_BAD_NAME;
	if (status != CINSTR_OK)
		return status;
	slow_note(request->probe->thread, CINSTR_SP_AMOUNT, slow_last_stamp(request->probe),
		  n | (uint64_t)files_number(request->text) << CINSTR_AMOUNT_BITS |
			  (uint64_t)CINSTR_AMOUNT_COUNTED << CINSTR_AMOUNT_KIND_AT);
	return n < request->n ? CINSTR_TRUNCATED : CINSTR_OK;
}

static enum cinstr_status api_count(const char *name, uint64_t n)
{
	struct request request = { .work = count, .sp = RETURN_SLOT(), .text = name, .n = n };

	return ask(&request);
}

static enum cinstr_status tag(struct request *request)
{
	enum cinstr_status status = may_note(request);
	struct thread *thread;
	uint32_t name;

	if (request->text ? !is_of_value(request->text) : request->at != NULL)
		return CINSTR_BAD_NAME;
	if (status != CINSTR_OK)
		return status;
	thread = request->probe->thread;
	name = request->text ? files_number(request->text) : 0;
	if (request->at)
		return tags_begin(thread, name, *request->at) ? CINSTR_NO_MEMORY : CINSTR_OK;
	tags_end(thread, name);
	return CINSTR_OK;
}

static enum cinstr_status api_tag(const char *name, const int64_t *id)
{
	struct request request = { .work = tag, .sp = RETURN_SLOT(), .text = name, .at = id };

	return ask(&request);
}

static enum cinstr_status tags(struct request *request)
{
	enum cinstr_status status = may_note(request);

	if (status != CINSTR_OK)
		return status;
	if (request->are_put)
		return tags_put(request->probe->thread, request->tags) ? CINSTR_NO_MEMORY : CINSTR_OK;
	tags_take(request->probe->thread, request->tags);
	return CINSTR_OK;
}

static enum cinstr_status api_tags(struct cinstr_tags *of, int are_put)
{
	struct request request = { .work = tags, .sp = RETURN_SLOT(), .tags = of, .are_put = are_put };

	return ask(&request);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static enum cinstr_status flush_all(struct request *request)
{
	struct control *control = &request->probe->control;

	if (is_sampled()) /* there is nothing to fold */
		return CINSTR_OK;
	atomic_add(&control_block()->flushes, 1);
	next_epoch(control_block());
	if (is_self(request) && request->probe->thread) {
		control->flushes++;
		control->flush = 1;
		request->seals = 1;
	}
	return CINSTR_OK;
}

static enum cinstr_status api_flush(void)
{
	struct request request = { .work = flush_all, .sp = RETURN_SLOT() };

	return ask(&request);
}

static enum cinstr_status choose(struct request *request)
{
	char rules[sizeof(control_block()->choice)];
	size_t n = request->text ? string_length(request->text) : sizeof(rules);
	int error;

	if (n >= sizeof(rules))
		return CINSTR_BAD_RULES;
	if (request->is_foreign || is_sampled())
		return CINSTR_UNSUPPORTED;
	arch_copy(rules, request->text, n + 1);
	error = choose_apply(rules);
	switch (error) {
	case 0:
		return CINSTR_OK;
	case -EINVAL:
		return CINSTR_BAD_RULES;
	case -EBUSY:
		return CINSTR_BUSY;
	case -ENOMEM:
		return CINSTR_NO_MEMORY;
	default:
		return CINSTR_UNSUPPORTED;
	}
}

static enum cinstr_status api_choose(const char *rules)
{
	struct request request = { .work = choose, .sp = RETURN_SLOT(), .text = rules };

	return ask(&request);
}

/* ---- the modules' variables ------------------------------------------------------------------ */

static const struct cinstr_api_v1 functions = {
	.bytes = sizeof(functions),
	.change = api_change,
	.is_on = api_is_on,
	.mark = api_mark,
	.name = api_name,
	.flush = api_flush,
	.choose = api_choose,
	.count = api_count,
	.tag = api_tag,
	.tags = api_tags,
};

/* 1: this is a module's variable, which is set now. Once: other threads may be reading it. */
static int offer_at(uint64_t *variable)
{
	if (*variable == CINSTR_API_NOBODY)
		atomic_store_release((const struct cinstr_api_v1 **)variable,
				     &functions); /* cinstr.h: a plain load */
	return *variable == (uint64_t)&functions;
}

/* The note was moved, by patchelf: the variable is where its first value is. */
static void offer_anywhere(const struct image *image)
{
	for (int i = 0; i < image->n; i++) {
		const ElfW(Phdr) *ph = image->headers + i;
		uint64_t *at = (uint64_t *)((image->base + ph->p_vaddr + 7) & ~7ull);

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_W))
			continue;
		for (; image_segment(image, at, sizeof(*at), PF_R | PF_W) == ph; at++)
			if (offer_at(at))
				return;
	}
}

static void offer_by_note(const struct image *image, const struct note *note)
{
	const int32_t *field = (const void *)note->descriptor;
	uint64_t *variable;

	if (note->type != CINSTR_NOTE_API || note->bytes != sizeof(*field) ||
	    !note_is(note, CINSTR_NOTE_NAME, sizeof(CINSTR_NOTE_NAME)))
		return;
	variable = (uint64_t *)((char *)field + *field);
	if ((uint64_t)variable & 7 || !image_segment(image, variable, sizeof(*variable), PF_R | PF_W) ||
	    !offer_at(variable))
		offer_anywhere(image);
}

void api_offer(const struct image *image)
{
	struct note_segments segments = { .image = image };

	while (image_next_notes(&segments)) {
		const char *at = segments.at;
		struct note note;

		while (at < segments.end) {
			if (!note_read(at, segments.end, segments.align, &note)) {
				at += 4;
				continue;
			}
			offer_by_note(image, &note);
			at = note.end;
		}
	}
}
