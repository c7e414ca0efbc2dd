/* SPDX-License-Identifier: MIT */
/*
 * control.c - decides when a thread records: by actions at sleds (cinstr/abi.h: start, stop,
 * suspend, resume, regions) and by levels.c.
 *
 * While recording is off the thread's `skip` makes its probes return at once; only sleds with
 * actions come here, and, where a QUIET is open, the first probe after the frame that opened it,
 * however that was left. In the thread concerned, signals blocked.
 */
#include "runtime.h"

#define SAME_STACK (64ull << 20) /* a stack pointer farther away is on another stack */
#define NEAR (1ull << 20)
#define FRAMES_CHECKED 256

/* ---- the state of a thread ------------------------------------------------------------------- */

/* Without a look at the tasks that use its memory. */
static int is_on(const struct control *control)
{
	return !control->levels_off && (control->started || control->region.limit) && !control->quiet.limit &&
	       control->suspensions <= 0;
}

/* Stack pointers below this one have nothing to record. */
static uint64_t skip_limit(const struct control *control)
{
	int is_shared = tasks_are_active(control);

	if (is_on(control) && !is_shared)
		return 0;
	if (control->levels_off || control->suspensions > 0 || !(control->started || control->region.limit))
		return UINT64_MAX;
	/* not 0, and no probe has a stack pointer below it: each one comes into the slow path */
	return is_shared ? 1 : control->quiet.limit;
}

void control_meet(struct probe_state *probe)
{
	struct control *control = &probe->control;

	if (control->tid)
		return;
	*control = (struct control){ .tid = (uint32_t)SYS0(SYS_gettid),
				     .started = !cinstr.starts_off,
				     .flushes = atomic_load_relaxed(&control_block()->flushes) +
						atomic_load_relaxed(&session_block()->flushes) };
	levels_look(probe);
	probe->skip = skip_limit(control);
}

/* ---- regions --------------------------------------------------------------------------------- */

static int is_within(uint64_t address, const stack_t *stack)
{
	return address - (uint64_t)stack->ss_sp < stack->ss_size;
}

/*
 * Was the frame that opened it left, by an exception or a jump? A stack pointer above it says so,
 * but only on the same stack: a coroutine's or a signal handler's may lie above as well. There the
 * frame is still what it was. A landing near by is one in a caller.
 */
static int was_left(const struct control_span *span, const struct control_event *event)
{
	int is_enter = CINSTR_CODE_KIND(event->code) == CINSTR_EV_ENTER;
	/* the new frame is where the old one was, which is gone then */
	uint64_t sp = event->sp + (is_enter ? 8 : 0);
	stack_t alternate = { .ss_flags = SS_DISABLE };

	/* asked on a stack of our own, so SS_ONSTACK says nothing of the program's */
	SYS2(SYS_sigaltstack, NULL, &alternate);
	if (!(alternate.ss_flags & SS_DISABLE)) {
		if (is_within(span->limit, &alternate))
			return !is_within(event->sp, &alternate) || sp >= span->limit;
		if (is_within(event->sp, &alternate))
			return 0;
	}
	if (sp < span->limit || sp - span->limit > SAME_STACK)
		return 0;
	if (CINSTR_CODE_KIND(event->code) == CINSTR_EV_LANDING && sp - span->limit < NEAR)
		return 1;
	return (is_enter && sp == span->limit) ||
	       sys_read_word(span->limit) - span->word > CINSTR_CALL_BYTES_MAX;
}

/* Closes what was opened by frames that are gone. Returns 1 if there was something. */
static int prune(struct control *control, const struct control_event *event)
{
	struct control_span *spans[] = { &control->region, &control->quiet };
	int n = 0;

	for (int i = 0; i < 2; i++) {
		if (!spans[i]->limit || !was_left(spans[i], event))
			continue;
		spans[i]->limit = 0;
		n++;
	}
	return n > 0;
}

/* At the entry and the exits of a function its own probes are within; around a call only the
 * callee's are. */
static uint64_t limit_of(const struct control_event *event)
{
	uint32_t kind = CINSTR_CODE_KIND(event->code);
	int around = kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_AFTER || kind == CINSTR_EV_LANDING;

	return event->sp + (around ? 0 : 8);
}

static void open_span(struct control_span *span, const struct control_event *event)
{
	uint64_t limit = limit_of(event);

	if (span->limit)
		return;
	span->limit = limit;
	/* Around a call the return address is not there yet. */
	span->word = limit == event->sp ? event->sled_end : *(const uint64_t *)limit;
}

static void close_span(struct control_span *span, const struct control_event *event)
{
	if (span->limit && span->limit <= limit_of(event))
		span->limit = 0;
}

/* ---- actions --------------------------------------------------------------------------------- */

static int turns_on(uint32_t action)
{
	return action == CINSTR_ACTION_START || action == CINSTR_ACTION_RESUME ||
	       action == CINSTR_ACTION_REGION_BEGIN || action == CINSTR_ACTION_QUIET_END;
}

static void perform(struct probe_state *probe, const struct action *action, const struct control_event *event)
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
			mark_now(event->now, action->code, 0, action->text);
		break;
	case CINSTR_ACTION_REGION_BEGIN:
		open_span(&control->region, event);
		break;
	case CINSTR_ACTION_REGION_END:
		close_span(&control->region, event);
		break;
	case CINSTR_ACTION_QUIET_BEGIN:
		open_span(&control->quiet, event);
		break;
	case CINSTR_ACTION_QUIET_END:
		close_span(&control->quiet, event);
		break;
	}
}

/* Turning on comes before the event, so that it is recorded; turning off behind it, but before a
 * call. */
static void perform_all(struct probe_state *probe, const struct control_event *event, int behind)
{
	int is_before = CINSTR_CODE_KIND(event->code) == CINSTR_EV_BEFORE;
	const struct action *action = module_actions(event->code);

	for (; action && action->code == CINSTR_CODE_WORD(event->code); action++) {
		int first = turns_on(action->action) || is_before || action->action == CINSTR_ACTION_MARK;

		if (first != behind)
			perform(probe, action, event);
	}
	probe->skip = skip_limit(&probe->control);
}

/* ---- off and on ------------------------------------------------------------------------------ */

uint64_t control_place_of(const struct cinstr_open *open, uint64_t sp)
{
	uint64_t at = (sp & ~0xffffffffull) | fold_frame_sp(open->where);

	return at + (at < sp - (1ull << 31) ? 1ull << 32 : 0);
}

/* Asks for each page once. */
struct reading {
	uint64_t page;
	int readable;
};

static uint64_t read_stack(struct reading *reading, uint64_t address)
{
	if (reading->page != address / CINSTR_PAGE) {
		reading->page = address / CINSTR_PAGE;
		reading->readable = sys_is_readable(address);
	}
	return reading->readable ? *(const uint64_t *)address : 0;
}

/* A handler's stack, where nothing can be said of the frames of the other one. */
int control_is_elsewhere(uint64_t sp)
{
	stack_t alternate = { .ss_flags = SS_DISABLE };

	SYS2(SYS_sigaltstack, NULL, &alternate); /* its flags tell of our own stack */
	return !(alternate.ss_flags & SS_DISABLE) && is_within(sp, &alternate);
}

/*
 * Is the call from the frame at `at` still going on? Then its return address lies between: where
 * the frame makes another call, it lies in the same place, so that nothing is left of the old one.
 */
static int is_going_on(struct reading *reading, uint64_t sp, uint64_t at, const struct cinstr_open *call)
{
	if (at - sp > NEAR)
		return 1;
	for (uint64_t word = sp & ~7ull; word < at; word += 8)
		if (fold_returns_to(call->where, (uint32_t)read_stack(reading, word)))
			return 1;
	return 0;
}

/* Does the frame at `at` still return behind the call that entered it: a sled in that word, and the
 * call? */
static int returns_to_site(struct reading *reading, uint64_t at, const struct cinstr_cell *cell)
{
	uint64_t word = CINSTR_CODE_KIND(cell->site) == CINSTR_EV_BEFORE ? module_address(cell->site) : 0;

	return !word || read_stack(reading, at + ARCH_RETURN_BYTES) - word <= 8 + CINSTR_CALL_BYTES_MAX;
}

static int is_frame(const struct cinstr_cell *cell)
{
	return CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME;
}

/*
 * Number of entries of the thread's stack that are still open: frames below this stack pointer are
 * gone, and of the others the first one that something else has taken the place of, with all above
 * it. Its buffer is folded.
 */
static uint32_t count_alive(const struct thread *thread, uint64_t sp)
{
	const struct cinstr_thread *record = thread->record;
	const struct cinstr_open *open = (const void *)(cinstr.store.file + record->stack_offset);
	uint32_t depth = record->states[record->commit & 1].depth, alive = depth;
	struct reading reading = { .page = 0 };

	while (alive > 0) {
		const struct cinstr_cell *cell = fold_entry_cell(&thread->fold, &open[alive - 1]);

		if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME &&
		    control_place_of(&open[alive - 1], sp) >= sp)
			break;
		alive--;
	}
	if (alive < depth &&
	    CINSTR_CELL_KIND(fold_entry_cell(&thread->fold, &open[alive])->tag) != CINSTR_CELL_FRAME)
		alive += !atomic_load_relaxed(&cinstr.switches) || !alive ||
			 is_going_on(&reading, sp, control_place_of(&open[alive - 1], sp), &open[alive]);
	for (uint32_t i = alive > FRAMES_CHECKED ? alive - FRAMES_CHECKED : 0; i < alive; i++) {
		const struct cinstr_cell *cell = fold_entry_cell(&thread->fold, &open[i]);

		if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME &&
		    !returns_to_site(&reading, control_place_of(&open[i], sp), cell))
			return i;
	}
	return alive;
}

uint32_t control_count_open(const struct thread *thread)
{
	const struct cinstr_thread *record = thread->record;

	return record->states[record->commit & 1].depth;
}

/*
 * Is the function that is entered the callee of the call on top of the stack? Then the caller is
 * there, also if the callee took its place (a tail call), or if where it stands is only guessed.
 */
int control_is_called(const struct thread *thread, const struct control_event *event)
{
	const struct cinstr_open *open = thread_entries(thread);
	uint32_t depth = control_count_open(thread);
	struct reading reading = { .page = 0 };
	const struct cinstr_cell *call = depth ? fold_entry_cell(&thread->fold, &open[depth - 1]) : NULL;

	return CINSTR_CODE_KIND(event->code) == CINSTR_EV_ENTER && call && !is_frame(call) &&
	       fold_returns_to(open[depth - 1].where,
			       (uint32_t)read_stack(&reading, event->sp + ARCH_RETURN_BYTES)) &&
	       (CINSTR_CODE_KIND(call->site) != CINSTR_EV_TAIL ||
		fold_jumps_to(&thread->fold, call->site, event->code));
}

uint32_t control_count_alive(const struct thread *thread, const struct control_event *event)
{
	uint64_t sp = event->sp + (CINSTR_CODE_KIND(event->code) == CINSTR_EV_ENTER);
	uint32_t returned = lost_count_returned(thread, event->code, event->sp);
	uint32_t alive =
		control_is_called(thread, event) ? control_count_open(thread) : count_alive(thread, sp);

	return alive > returned ? alive : returned;
}

void control_note_open(struct thread *thread, uint32_t n, uint64_t sp, uint64_t now)
{
	slow_note(thread, CINSTR_SP_STACK, now, n | (sp & 0xffffffff) >> 1 << 32);
}

/*
 * Ends the frames that are gone. Where a function is just entered, what had the same place on the
 * stack is gone, too.
 */
static void note_stack(struct thread *thread, const struct control_event *event, uint64_t now)
{
	control_note_open(thread, control_count_alive(thread, event), event->sp, now);
}

static void go_off(struct probe_state *probe, uint64_t now)
{
	if (probe->thread)
		slow_pause(probe->thread, now);
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
	int was_on = !probe->skip;
	int left = prune(&probe->control, event);

	levels_poll(probe);
	if (event->has_actions)
		perform_all(probe, event, 0);
	else
		probe->skip = skip_limit(&probe->control);
	if (was_on && probe->skip && left)
		go_off_left(probe, event);
	else if (was_on && probe->skip)
		go_off(probe, event->now);
	else if (!was_on && !probe->skip)
		go_on(probe, event);
	if (!probe->skip)
		return 1;
	if (event->has_actions) /* pause records follow events, and there has been none */
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
 * What the event is recorded as. A tail call where recording goes off is a plain exit: nobody sees
 * the end of what it calls.
 */
uint32_t control_code(const struct control_event *event)
{
	const struct action *action = event->has_actions ? module_actions(event->code) : NULL;

	for (; action && action->code == CINSTR_CODE_WORD(event->code); action++)
		if (CINSTR_CODE_KIND(event->code) == CINSTR_EV_TAIL && !turns_on(action->action) &&
		    action->action != CINSTR_ACTION_MARK && action->action < ACTION_SECCOMP)
			return CINSTR_CODE_WORD(event->code) | CINSTR_EV_EXIT;
	return event->code;
}

void control_after_fold(struct probe_state *probe)
{
	if (probe->skip) /* going on is for an event */
		return;
	levels_poll(probe);
	probe->skip = skip_limit(&probe->control);
	if (probe->skip)
		go_off(probe, clock_now());
}

int control_is_on(const struct probe_state *probe)
{
	struct control control = probe->control;

	if (probe->phase == PROBE_OFF)
		return 0;
	if (!control.tid)
		control.started = !cinstr.starts_off;
	control.levels_off = !levels_are_on(probe);
	return is_on(&control) && !tasks_are_active(&control);
}

void control_begin(struct probe_state *probe, uint64_t now)
{
	if (probe->phase == PROBE_NEW && !thread_begin(probe, now) && probe->skip)
		go_off(probe, clock_now());
}

void control_after_request(struct probe_state *probe, uint64_t sp, uint64_t now)
{
	/* As at the first sled of a function that has been called there. */
	struct control_event event = { .code = CINSTR_EV_ENTER, .sp = sp - ARCH_RETURN_BYTES, .now = now };
	int was_on = !probe->skip;

	levels_poll(probe);
	levels_look(probe); /* the epochs do not tell of the thread's own state */
	probe->skip = skip_limit(&probe->control);
	if (was_on && probe->skip)
		go_off(probe, now);
	else if (!was_on && !probe->skip)
		go_on(probe, &event);
}

void control_forked(struct probe_state *probe)
{
	levels_look(probe);
	probe->skip = skip_limit(&probe->control);
	if (probe->skip)
		go_off(probe, clock_now());
}

/* The runtime begins to work in this thread: until it has done, the state is that of a thread whose
 * probes are not skipped. */
void control_open(struct probe_state *probe)
{
	if (probe->thread && probe->high == UINT32_MAX)
		probe->high = probe->kept_high;
	depth_open(probe);
}

/* A module with a start or a region was loaded: this thread records only once it has come there,
 * and so do threads that begin from now on. */
void control_starts_off(void)
{
	struct probe_state *probe = &cinstr_probe;

	if (cinstr.starts_off)
		return;
	cinstr.starts_off = 1;
	if (!probe->control.tid)
		return;
	probe->control.started = 0;
	control_open(probe);
	if (!probe->skip)
		go_off(probe, clock_now());
	probe->skip = skip_limit(&probe->control);
	thread_arm(probe);
}
