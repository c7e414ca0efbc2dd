/* SPDX-License-Identifier: MIT */
/*
 * control.c - when a thread records: actions at sleds (cinstr/abi.h: start, stop, suspend, resume, regions), and marks.
 *
 * While recording is off the thread's `skip` makes its probes return at once; only sleds with actions come here, and, where
 * a QUIET is open, the first probe behind the frame that opened it, however that was left.
 * In the thread it is about, signals blocked.
 */
#include "runtime.h"

#define QUIET 1ull
#define SAME_STACK (64ull << 20) /* farther away is another stack */
#define MARK_TEXT_MAX 1000
#define MARKS_SEGMENT (64u << 10)
#define MARKS_SEGMENTS_MAX 16
#define FRAMES_CHECKED 256

/* ---- the state of a thread ------------------------------------------------------------------------------ */

static void count_open(const struct control *control, int *regions, int *quiets)
{
	*regions = *quiets = 0;
	for (int i = 0; i < control->n_open; i++)
		*(control->open[i] & QUIET ? quiets : regions) += 1;
}

static int is_on(const struct control *control)
{
	int regions, quiets;

	count_open(control, &regions, &quiets);
	return (control->started || regions) && !quiets && control->suspensions <= 0;
}

/* Stack pointers below this one have nothing to record. */
static uint64_t skip_limit(const struct control *control)
{
	int regions, quiets;

	if (is_on(control))
		return 0;
	count_open(control, &regions, &quiets);
	if (control->suspensions > 0 || !(control->started || regions))
		return UINT64_MAX;
	for (int i = 0;; i++) /* there is one, or it would be on */
		if (control->open[i] & QUIET)
			return control->open[i] & ~QUIET;
}

static void begin_control(struct probe_state *probe)
{
	probe->control = (struct control){ .known = 1, .started = !cinstr.starts_off };
	probe->skip = skip_limit(&probe->control);
}

static int on_alternate_stack(void)
{
	stack_t stack = { .ss_flags = 0 };

	SYS2(SYS_sigaltstack, NULL, &stack);
	return stack.ss_flags & SS_ONSTACK;
}

/* Closes what was opened by frames that are gone: code runs with stack pointer `sp` now. */
static void prune(struct control *control, uint64_t sp)
{
	while (control->n_open) {
		uint64_t limit = control->open[control->n_open - 1] & ~QUIET;

		if (sp < limit || sp - limit > SAME_STACK || on_alternate_stack())
			return;
		control->n_open--;
		control->deeper = 0;
	}
}

/* limit: of the frame that opens it. */
static void open_region(struct control *control, uint64_t limit, uint64_t quiet)
{
	if (control->n_open < CONTROL_OPEN_MAX)
		control->open[control->n_open++] = limit | quiet;
	else
		control->deeper++;
}

/* The END at the frame with this limit; what was opened further in is gone already. */
static void close_region(struct control *control, uint64_t limit)
{
	uint64_t last = control->n_open ? control->open[control->n_open - 1] & ~QUIET : UINT64_MAX;

	if (last <= limit)
		control->n_open--;
	else if (control->deeper)
		control->deeper--;
}

/* ---- marks ------------------------------------------------------------------------------------------------ */

/* Room for `bytes` in the segment of marks; NULL: none. */
static struct cinstr_mark *mark_room(uint64_t bytes)
{
	for (;;) {
		char *marks = __atomic_load_n(&cinstr.marks, __ATOMIC_ACQUIRE), *fresh;

		if (marks) {
			uint64_t *used = &store_segment_of(marks)->used;
			uint64_t at = __atomic_fetch_add(used, bytes, __ATOMIC_RELAXED);

			if (at + bytes <= MARKS_SEGMENT - sizeof(struct cinstr_segment))
				return (struct cinstr_mark *)(void *)(marks + at);
			__atomic_fetch_sub(used, bytes, __ATOMIC_RELAXED);
		}
		if (__atomic_fetch_add(&cinstr.n_marks_segments, 1, __ATOMIC_RELAXED) >= MARKS_SEGMENTS_MAX)
			return NULL;
		fresh = store_segment(CINSTR_SEG_MARKS, MARKS_SEGMENT - sizeof(struct cinstr_segment), 0);
		if (!fresh)
			return NULL;
		if (!__atomic_compare_exchange_n(&cinstr.marks, &marks, fresh, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			store_free(fresh);
	}
}

static void add_mark(uint64_t now, uint32_t site, const char *text)
{
	size_t length = min_of(string_length(text), (size_t)MARK_TEXT_MAX);
	uint64_t bytes = (sizeof(struct cinstr_mark) + length + 1 + 7) & ~7ull;
	struct cinstr_mark *mark = mark_room(bytes);

	if (!mark) {
		__atomic_fetch_add(&cinstr.header->marks_lost, 1, __ATOMIC_RELAXED);
		return;
	}
	mark->tid = (uint32_t)SYS0(SYS_gettid);
	mark->ticks = now;
	mark->site = site;
	arch_copy(mark + 1, text, length); /* zero bytes follow */
	__atomic_store_n(&mark->bytes, (uint32_t)bytes, __ATOMIC_RELEASE);
}

/* ---- actions ------------------------------------------------------------------------------------------------ */

static int turns_on(uint32_t action)
{
	return action == CINSTR_ACTION_START || action == CINSTR_ACTION_RESUME ||
	       action == CINSTR_ACTION_REGION_BEGIN || action == CINSTR_ACTION_QUIET_END;
}

static void perform(struct probe_state *probe, const struct action *action, uint64_t limit, uint64_t now)
{
	struct control *control = &probe->control;

	switch (action->action) {
	case CINSTR_ACTION_START:
		control->started = 1;
		break;
	case CINSTR_ACTION_STOP:
		control->started = 0;
		break;
	case CINSTR_ACTION_SUSPEND:
		control->suspensions++;
		break;
	case CINSTR_ACTION_RESUME:
		control->suspensions--;
		break;
	case CINSTR_ACTION_MARK:
		if (is_on(control))
			add_mark(now, action->code, action->text);
		break;
	case CINSTR_ACTION_REGION_BEGIN:
	case CINSTR_ACTION_QUIET_BEGIN:
		open_region(control, limit, action->action == CINSTR_ACTION_QUIET_BEGIN ? QUIET : 0);
		break;
	case CINSTR_ACTION_REGION_END:
	case CINSTR_ACTION_QUIET_END:
		close_region(control, limit);
		break;
	}
}

/* At the entry and the exits of a function its own probes are within; around a call only the callee's are. */
static uint64_t limit_of(const struct control_event *event)
{
	uint32_t kind = CINSTR_CODE_KIND(event->code);
	int around = kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_AFTER || kind == CINSTR_EV_LANDING;

	return event->sp + (around ? 0 : 8);
}

/* Turning on comes before the event, so that it is recorded; turning off behind it, but before a call. */
static void perform_all(struct probe_state *probe, const struct control_event *event, int behind)
{
	int is_before = CINSTR_CODE_KIND(event->code) == CINSTR_EV_BEFORE;
	const struct action *action = module_actions(event->code);

	for (; action && action->code == CINSTR_CODE_WORD(event->code); action++) {
		int first = turns_on(action->action) || is_before || action->action == CINSTR_ACTION_MARK;

		if (first != behind)
			perform(probe, action, limit_of(event), event->now);
	}
	probe->skip = skip_limit(&probe->control);
}

/* ---- off and on ----------------------------------------------------------------------------------------------- */

/* Is the frame still there? sp: of this probe. */
static int is_alive(const struct cinstr_open *open, const struct cinstr_cell *cell, uint64_t sp)
{
	uint64_t at = (sp & ~0xffffffffull) | (open->where & ~1u);
	uint64_t word;

	at += at < sp - (1ull << 31) ? 1ull << 32 : 0;
	if ((int64_t)(at - sp) < 0)
		return 0;
	word = CINSTR_CODE_KIND(cell->site) == CINSTR_EV_BEFORE ? module_address(cell->site) : 0;
	/* It returns behind the call that entered it: a sled of 5 bytes in that word, and a call of up to 16. */
	return !word || sys_read_word(at + 8) - word <= 8 + 16;
}

/* Number of entries of the thread's stack that are still open. Its buffer is folded. */
static uint32_t count_alive(const struct thread *thread, uint64_t sp)
{
	const struct cinstr_thread *record = thread->record;
	const struct cinstr_open *open = (const void *)(cinstr.store.file + record->stack_offset);
	uint32_t depth = record->states[record->commit & 1].depth;
	uint32_t i = depth > FRAMES_CHECKED ? depth - FRAMES_CHECKED : 0;

	for (; i < depth; i++) {
		const struct cinstr_cell *cell = fold_cell(&thread->fold, open[i].cell);

		if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_LINE)
			cell = fold_cell(&thread->fold, cell->parent);
		if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME && !is_alive(&open[i], cell, sp))
			return i;
	}
	return depth;
}

/*
 * Ends the frames that are gone. Where a function is just entered, what had the same place on the stack is gone, too.
 */
static void note_stack(struct thread *thread, const struct control_event *event, uint64_t now)
{
	uint64_t sp = event->sp + (CINSTR_CODE_KIND(event->code) == CINSTR_EV_ENTER);

	slow_note(thread, CINSTR_SP_STACK, now,
		  count_alive(thread, sp) | (event->sp & 0xffffffff) >> 1 << 32);
}

static void go_off(struct probe_state *probe, uint64_t now)
{
	if (probe->thread)
		slow_note(probe->thread, CINSTR_SP_PAUSE, now, now);
}

/* A region was left, by an exception for one: what it left open is over. */
static void go_off_left(struct probe_state *probe, const struct control_event *event)
{
	go_off(probe, event->now);
	if (!probe->thread)
		return;
	thread_fold(probe->thread);
	if (probe->thread)
		note_stack(probe->thread, event, clock_now());
}

static void go_on(struct probe_state *probe, const struct control_event *event)
{
	struct thread *thread = probe->thread;
	uint64_t now;

	if (probe->phase == PROBE_NEW ? thread_begin(probe, event->now) : !thread)
		return;
	thread = probe->thread;
	thread_fold(thread);
	if (!probe->thread)
		return;
	now = clock_now();
	slow_note(thread, CINSTR_SP_CONTINUE, now, now);
	note_stack(thread, event, now);
}

int control_before(struct probe_state *probe, const struct control_event *event)
{
	int was_on, n_open = probe->control.n_open;

	if (!probe->control.known)
		begin_control(probe);
	was_on = !probe->skip;
	if (n_open)
		prune(&probe->control, event->sp);
	if (event->has_actions)
		perform_all(probe, event, 0);
	else
		probe->skip = skip_limit(&probe->control);
	if (was_on && probe->skip && probe->control.n_open < n_open)
		go_off_left(probe, event);
	else if (was_on && probe->skip)
		go_off(probe, event->now);
	else if (!was_on && !probe->skip)
		go_on(probe, event);
	if (!probe->skip)
		return 1;
	if (event->has_actions) /* there is no event for them to follow */
		perform_all(probe, event, 1);
	return 0;
}

void control_behind(struct probe_state *probe, const struct control_event *event)
{
	int was_on = !probe->skip;

	perform_all(probe, event, 1);
	if (was_on && probe->skip)
		go_off(probe, clock_now());
}

/*
 * What the event is recorded as. A tail call where recording goes off is a plain exit: nobody sees the end of what it
 * calls.
 */
uint32_t control_code(const struct control_event *event)
{
	const struct action *action = event->has_actions ? module_actions(event->code) : NULL;

	for (; action && action->code == CINSTR_CODE_WORD(event->code); action++)
		if (CINSTR_CODE_KIND(event->code) == CINSTR_EV_TAIL && !turns_on(action->action) &&
		    action->action != CINSTR_ACTION_MARK)
			return CINSTR_CODE_WORD(event->code) | CINSTR_EV_EXIT;
	return event->code;
}

void control_forked(struct probe_state *probe)
{
	if (probe->skip)
		go_off(probe, clock_now());
}

/* A module with a start or a region has come: this thread waits for it, and so do threads that begin from now on. */
void control_starts_off(void)
{
	struct probe_state *probe = &cinstr_probe;

	if (cinstr.starts_off)
		return;
	cinstr.starts_off = 1;
	if (!probe->control.known)
		return;
	probe->control.started = 0;
	if (!probe->skip)
		go_off(probe, clock_now());
	probe->skip = skip_limit(&probe->control);
	thread_arm(probe);
}
