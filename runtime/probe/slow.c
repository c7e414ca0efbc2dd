/* SPDX-License-Identifier: MIT */
/*
 * slow.c - logs events that the thunk could not log by itself: the thread's first one, after a
 * switch or a signal, after a long interval, with a new high half of the clock, with every register
 * live, or without a usable TSC; and handles the full buffer. In the thread itself; called by
 * slow_entry.S with every register saved.
 *
 * It logs   SLOW [OS SWITCHES] [TARGET or AMOUNT] event RESUME   (cinstr/format.h): the event with
 * its full stamp, what the operating system did in the interval that it ends, and when the runtime
 * was done.
 * Where recording goes on or off (control.c): CONTINUE STACK before it, PAUSE in RESUME's place.
 *
 * For a counted call in a thread without counters, it makes these and counts the call.
 */
#include "runtime.h"

#define PREEMPTED_FROM 4 /* thresholds: what the slow path takes in so long is not all its own */

static struct cinstr_record special(uint32_t code, uint64_t now, uint64_t value)
{
	return (struct cinstr_record){ .code = code,
				       .time_lo = (uint32_t)now,
				       .extra = (uint32_t)value,
				       .second = (uint32_t)(value >> 32) | 1u << 31 };
}

static uint32_t code_of(const struct probe_frame *frame)
{
	return (((uint32_t)frame->at[0] + frame->code_offset) & ~7u) | CINSTR_CODE_KIND(frame->kind);
}

static struct cinstr_record event_record(const struct probe_frame *frame, uint32_t code, uint64_t now)
{
	struct cinstr_record record = { .code = code, .time_lo = (uint32_t)now };
	uint32_t stack = (uint32_t)(uint64_t)frame->at;

	switch (CINSTR_CODE_KIND(code)) {
	case CINSTR_EV_ENTER:
		record.extra = (uint32_t)frame->at[1];
		record.second = stack | 1;
		break;
	case CINSTR_EV_EXIT:
		record.extra = (uint32_t)frame->at[1];
		record.second = CINSTR_SECOND_EXIT;
		break;
	case CINSTR_EV_BEFORE:
		record.extra = (uint32_t)frame->at[0];
		break;
	case CINSTR_EV_TAIL:
		record.extra = (uint32_t)frame->at[1];
		break;
	default:
		record.extra = stack;
		record.second = CINSTR_SECOND_PLAIN;
	}
	return record;
}

static int is_indirect(uint32_t code)
{
	uint32_t kind = CINSTR_CODE_KIND(code);

	return (kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_TAIL) &&
	       cinstr.indirect[code >> 6] & 1u << (code >> 3 & 7);
}

uint64_t slow_last_stamp(const struct probe_state *probe)
{
	return (uint64_t)probe->high << 32 | probe->cursor[-1].time_lo;
}

/* The clock has a new high half: nothing old may lie behind the cursor (it could look newer than it
 * is). */
static void set_high(struct thread *thread, uint64_t now)
{
	struct probe_state *probe = thread->probe;
	struct cinstr_record *r;

	if (probe->high == (uint32_t)(now >> 32))
		return;
	for (r = thread->buffer_end + SLOW_RECORDS; r > probe->cursor;)
		*--r = (struct cinstr_record){ 0 };
	probe->high = (uint32_t)(now >> 32);
}

/* Second half first, then {code, time}: a reader of a killed process's buffer sees whole
 * records. */
static void put(struct cinstr_record *at, const struct cinstr_record *record)
{
	const uint64_t *from = (const void *)record;
	uint64_t *to = (void *)at;

	atomic_store_release(&to[1], from[1]); /* reader */
	atomic_store_release(&to[0], from[0]); /* reader: the half that tells its kind last */
}

void slow_note(struct thread *thread, uint32_t type, uint64_t now, uint64_t value)
{
	struct cinstr_record record = special(CINSTR_SPECIAL(type, 0), now, value);

	set_high(thread, now);
	call_sums_note(thread, thread->probe->cursor, 1);
	put(thread->probe->cursor, &record);
	thread->probe->cursor++;
}

/* SLOW [OS SWITCHES]: how an interval ended. Returns the number of records. */
static uint32_t end_of_interval(struct cinstr_record *group, uint64_t now, const struct os_answer *os)
{
	uint32_t n = 0;

	group[n++] = special(CINSTR_SPECIAL(CINSTR_SP_SLOW, os->bits), now, now);
	if (os->bits) {
		group[n++] = special(CINSTR_SPECIAL(CINSTR_SP_OS, 0), now, os->off_cpu_ticks);
		group[n++] = special(CINSTR_SPECIAL(CINSTR_SP_SWITCHES, 0), now, os->switches);
	}
	return n;
}

/* The last first: SLOW makes the group count. */
static void put_group(struct thread *thread, const struct cinstr_record *group, uint32_t n)
{
	call_sums_note(thread, thread->probe->cursor, n);
	for (uint32_t i = n; i-- > 0;)
		put(&thread->probe->cursor[i], &group[i]);
	thread->probe->cursor += n;
}

static void log_event(struct thread *thread, const struct probe_frame *frame, uint32_t code, uint64_t now,
		      const struct os_answer *os)
{
	struct cinstr_record group[SLOW_RECORDS];
	uint32_t n = end_of_interval(group, now, os);
	struct indirect_call call = { .skip = 0 };

	if (is_indirect(code)) {
		const uint8_t *at = (const uint8_t *)frame->at[0];
		uint64_t target = call_decode(at, &call) ? call_target(&call, at, frame) : 0;

		group[n++] = special(CINSTR_SPECIAL(CINSTR_SP_TARGET, 0), now, target);
	}
	if (frame->kind & (PROBE_KIND_MOVES | PROBE_KIND_OPENS) && CINSTR_CODE_KIND(code) == CINSTR_EV_AFTER)
		group[n++] = special(CINSTR_AMOUNT_RECORD, now, files_moved(frame));
	if (frame->kind & PROBE_KIND_PAIRS)
		files_paired(frame);
	if (frame->kind & PROBE_KIND_REGISTERS)
		polls_register(frame);
	if (frame->kind & PROBE_KIND_ALLOCATES)
		group[n++] = special(CINSTR_AMOUNT_MEMORY_RECORD, now, CINSTR_AMOUNT_BYTES(files_size()));
	group[n] = special(CINSTR_HELD_RECORD, now, held_note(thread, frame, now));
	n += CINSTR_SPECIAL_VALUE(&group[n]) != 0;
	group[n] = event_record(frame, code, now);
	group[n++].extra += call.skip; /* callees are known by a return address right behind it */
	put_group(thread, group, n);
}

/*
 * Returns what the operating system did in the interval from the last stamp, which is stored with
 * its high half (the probe's may be now's from here on), up to now, which is moved behind it.
 * next: the event that ends the interval, or NULL.
 */
static struct os_answer ask(struct thread *thread, uint64_t *last, uint64_t *now,
			    const struct cinstr_record *next)
{
	struct os_answer os = { .bits = 0 };
	int asks;

	*last = slow_last_stamp(thread->probe);
	/* A handler ran between the stamp and the blocking of signals, or recording came on. */
	if (*now < *last)
		*now = clock_now();
	if (*now < *last)
		*now = *last;
	asks = !*thread->armed || *now - *last > cinstr.threshold;
	if (asks) {
		os = os_ask(thread, *now, *now - *last);
		thread->record->long_intervals += !os.bits && *now - *last > cinstr.threshold;
	}
	if (asks && *thread->armed && !os.bits)
		resume_settle_undisturbed(thread, *now, next);
	else
		resume_settle(thread, *now);
	*last = slow_last_stamp(thread->probe);
	os.off_cpu_ticks = min_of(os.off_cpu_ticks, *now - *last);
	set_high(thread, *now);
	return os;
}

uint64_t slow_end_interval(struct thread *thread, uint64_t now)
{
	uint64_t last;
	struct os_answer os = ask(thread, &last, &now, NULL);
	struct cinstr_record group[SLOW_RECORDS];

	put_group(thread, group, end_of_interval(group, now, &os));
	return now;
}

void slow_resume(struct probe_state *probe)
{
	uint64_t now = clock_now(), last, preempted;

	if (!probe->thread || probe->skip)
		return;
	last = slow_last_stamp(probe);
	if (now > last && now - last > PREEMPTED_FROM * cinstr.threshold) {
		preempted = os_ask_own(probe->thread, last);
		now = clock_now() - preempted; /* not before `last`: the question was earlier */
	}
	probe->thread->resuming = probe->cursor;
	slow_note(probe->thread, CINSTR_SP_RESUME, now, now);
}

void slow_pause(struct thread *thread, uint64_t now)
{
	now = slow_end_interval(thread, now);
	slow_note(thread, CINSTR_SP_PAUSE, now, now);
}

static int counts_depth(const struct probe_state *probe)
{
	return atomic_load_relaxed(&rules_depth) || probe->control.deep;
}

/* Has the thread waited in an interval of so many ticks, and not only lost its processor? */
static int is_wait(const struct os_answer *os, uint64_t ticks)
{
	return (uint32_t)os->switches || (ticks > cinstr.threshold && !(os->switches >> 32));
}

/* waited: the interval in which the thread has waited for the call that is over now, as far as
 * check_stack() has ended it; its end is 0 if there is none. */
static void record_event(struct thread *thread, const struct probe_frame *frame,
			 const struct control_event *event, struct wait_interval *waited)
{
	uint64_t now = event->now, before = slow_last_stamp(thread->probe), settled;
	struct cinstr_record next;
	struct os_answer os;

	if (event->silent) {
		slow_end_interval(thread, now);
		return;
	}
	next = event_record(frame, control_code(event), now);
	os = ask(thread, &settled, &now, &next);
	if (os_was_entered(frame, now - before))
		os.bits |= CINSTR_OS_SYSCALL;
	thread->record->slow_events++;
	log_event(thread, frame, control_code(event), now, &os);
	if (is_wait(&os, now - settled)) {
		*waited = (struct wait_interval){ before, settled, now };
		thread->probe->control.flush |= self_samples_look(thread);
	}
	if (CINSTR_CODE_KIND(control_code(event)) == CINSTR_EV_AFTER && waited->end &&
	    !counts_depth(thread->probe))
		thread->probe->control.flush |= waits_note(thread, frame, control_code(event), waited) != 0;
}

/* What is left of an interval of which a part has been recorded. */
struct interval {
	uint64_t from, to;
	struct os_answer os;
};

/*
 * The interval's part up to `ticks` belongs to what is on top of the stack. On which side of it the
 * operating system did something is not known: both have it, as those of an interval across a mark
 * have.
 */
static void end_part(struct thread *thread, struct interval *left, uint64_t ticks)
{
	struct cinstr_record group[SLOW_RECORDS];
	struct os_answer part = left->os;

	part.switches = 0;
	part.off_cpu_ticks = (uint64_t)((unsigned __int128)part.off_cpu_ticks * (ticks - left->from) /
					(left->to - left->from));
	left->os.off_cpu_ticks -= part.off_cpu_ticks;
	set_high(thread, ticks);
	put_group(thread, group, end_of_interval(group, ticks, &part));
	left->from = ticks;
}

/* Ends what is over, each at the moment when its probes went, or at the last event. If the event is
 * the entry of what the topmost call calls, and the caller is there, all goes on. */
static void end_lost(struct thread *thread, const struct control_event *event, struct interval *left)
{
	uint32_t alive = control_count_alive(thread, event), n = control_count_open(thread), next = n;
	int is_called = control_is_called(thread, event) && n > 1 && lost_keeps_end(thread, n - 2);
	uint64_t ticks;

	while (!is_called && lost_ends_top(thread, alive, &next, &ticks)) {
		if (ticks > left->from && ticks < left->to) {
			control_note_open(thread, n, event->sp, left->from);
			end_part(thread, left, ticks);
		}
		n = next;
	}
	control_note_open(thread, n, event->sp, left->from);
	lost_note_unseen(thread, n, left->from);
}

/*
 * The first event since sleds were switched: what is open on the fold's stack though it is gone, is
 * ended before the event counts. The interval up to the event belongs to what remains. Returns
 * whether the interval was ended here; `waited` is set to it if the thread has waited.
 */
static int check_stack(struct probe_state *probe, const struct control_event *event,
		       struct wait_interval *waited)
{
	struct thread *thread = probe->thread;
	uint64_t before = slow_last_stamp(probe);
	struct interval left = { .to = event->now };
	uint32_t switches = atomic_load_acquire(&cinstr.switches_done);
	struct cinstr_record group[SLOW_RECORDS];

	if (thread->switches == switches || control_is_elsewhere(event->sp))
		return 0;
	left.os = ask(thread, &left.from, &left.to, NULL);
	if (is_wait(&left.os, left.to - left.from))
		*waited = (struct wait_interval){ before, left.from, left.to };
	thread_fold(thread);
	if (!probe->thread)
		return 1;
	thread_start_buffer(thread, left.from);
	end_lost(thread, event, &left);
	thread->switches = switches;
	set_high(thread, left.to);
	put_group(thread, group, end_of_interval(group, left.to, &left.os));
	slow_resume(probe);
	return 1;
}

/* The same where no event is to be recorded: the interval at hand ends now. */
static void end_without_event(struct probe_state *probe, uint64_t sp, uint64_t now)
{
	/* not an entry: what is on top of the stack may have called the function that is counted
	 * now, long ago, when it was timed */
	const struct control_event event = { .code = CINSTR_EV_LINE, .sp = sp, .now = now };
	struct wait_interval waited;

	if (!check_stack(probe, &event, &waited))
		slow_end_interval(probe->thread, now);
}

void slow_end_last(struct thread *thread, uint64_t sp, uint64_t now)
{
	struct probe_state *probe = thread->probe;

	if (!probe->skip && probe->cursor <= thread->buffer_end)
		end_without_event(probe, sp, now);
}

/* This call may start another task in this thread's memory (seccomp_concern): the first event of
 * that task has to come here. */
static int is_watched(const struct control_event *event)
{
	const struct action *action = event->has_actions ? module_actions(event->code) : NULL;

	for (; action && action->code == CINSTR_CODE_WORD(event->code); action++)
		if (action->action >= ACTION_SECCOMP)
			return 1;
	return 0;
}

/* The call behind this sled may make a task that runs beside the thread. */
static void watch_tasks(uint32_t code, const struct probe_frame *frame)
{
	const struct action *action = module_actions(code);

	for (; action && action->code == CINSTR_CODE_WORD(code); action++)
		if (action->action >= ACTION_SECCOMP)
			tasks_before(action->action, frame);
}

static void slow_event(struct probe_state *probe, const struct probe_frame *frame, uint64_t now)
{
	struct control_event event = { .code = code_of(frame),
				       .has_actions = (frame->kind & PROBE_KIND_ACTION) != 0,
				       .silent = (frame->kind & PROBE_KIND_SILENT) != 0,
				       .sled_end = frame->at[0],
				       .sp = (uint64_t)frame->at,
				       .now = now };
	struct wait_interval waited = { .end = 0 };

	if (!*cinstr.alive)
		process_forked();
	control_meet(probe);
	if (event.has_actions)
		watch_tasks(event.code, frame);
	if (cinstr.state != RUNTIME_ON || !control_before(probe, &event))
		return;
	if (probe->phase == PROBE_NEW) {
		if (event.silent || thread_begin(probe, now))
			return;
		thread_arm(probe); /* what happened until now happened inside the runtime */
	}
	if (probe->thread)
		check_stack(probe, &event, &waited);
	if (!probe->thread)
		return;
	if (counts_depth(probe) && !depth_before(probe, &event)) {
		if (!event.has_actions || !probe->thread)
			return;
		event.silent = 1;
	}
	record_event(probe->thread, frame, &event, &waited);
	if (event.silent && unlikely(cinstr.counts))
		counting_hand(probe->thread, event.code);
	probe->threshold = cinstr.threshold << 32;
	if (is_watched(&event)) {
		probe->threshold = 0;
		counting_close(probe);
	}
	if (event.has_actions)
		control_behind(probe, &event);
	if (counts_depth(probe))
		depth_behind(probe, &event);
	if (probe->thread)
		self_samples_open_late(probe->thread);
	if (probe->thread && !probe->segments && !is_watched(&event))
		segments_open(probe->thread);
	if (probe->thread && probe->cursor < probe->end) { /* else slow_finish */
		probe->thread->resumed_sp = (uint32_t)event.sp;
		slow_resume(probe);
	}
	if (unlikely(cinstr.budget) && budget_wants_fold(probe->thread, now))
		probe->control.flush = 1;
}

static int is_count(const struct probe_frame *frame)
{
	return (frame->kind & PROBE_KIND_COUNT) != 0;
}

/* Says whether the stub has counted, and comes here since a pulse is due. */
static int is_pulse(const struct probe_frame *frame)
{
	return is_count(frame) && !(frame->kind & PROBE_KIND_KEPT) && arch_has_counted(&frame->registers);
}

/* Counts for the stub that has come here: that of a call's own counter, or of this sled's. */
static void count(struct thread *thread, const struct probe_frame *frame, uint32_t code)
{
	const char *end = frame->kind & PROBE_KIND_KEPT ? NULL : arch_stub_end(&frame->registers);
	int slot = end ? thunks_slot_before(end) : -1;

	if (slot >= 0) {
		counting_add_slot(thread, (uint32_t)slot);
		return;
	}
	counting_add(thread, code);
	counting_add_bytes(thread, code, files_size());
}

/*
 * Counts a call for which the thread has no counters yet, and gives it some. Between the handlers
 * of a fork it may not keep them: the child would go on with them. (The sled cannot be executed
 * again instead: its start may be its function's, and no unwinder takes that for a return address.)
 */
static void slow_count(struct probe_state *probe, const struct probe_frame *frame, uint64_t now)
{
	int is_counted = is_pulse(frame);
	struct control_event event = { .code = counting_sled(code_of(frame)),
				       .silent = 1,
				       .sled_end = frame->at[0],
				       .sp = (uint64_t)frame->at,
				       .now = now };

	if (!*cinstr.alive)
		process_forked();
	if (cinstr.state != RUNTIME_ON)
		return;
	control_meet(probe);
	if (!control_before(probe, &event))
		return;
	if (probe->phase == PROBE_NEW) {
		if (thread_begin(probe, now))
			return;
		thread_arm(probe);
	}
	if (probe->thread)
		end_without_event(probe, event.sp, now);
	if (!probe->thread)
		return;
	if (!is_counted) {
		int keeps = likely(atomic_load_relaxed(&cinstr.forking) != probe);

		if (keeps)
			counting_open(probe, frame->kind & 7);
		if (!keeps || probe->counts[frame->kind & 7])
			count(probe->thread, frame, event.code);
	}
	if (probe->thread && probe->cursor < probe->end) {
		probe->thread->resumed_sp = (uint32_t)event.sp;
		slow_resume(probe);
	}
	if (is_counted && probe->thread && budget_wants_fold(probe->thread, now))
		probe->control.flush = 1;
}

/* The end of work in the slow path: folds what is to be folded. Then it is the time to see what has
 * changed. */
void slow_finish(struct probe_state *probe)
{
	if (!probe->thread || (probe->cursor < probe->end && !probe->control.flush))
		return;
	probe->control.flush = 0;
	thread_fold(probe->thread);
	if (probe->thread)
		control_after_fold(probe);
}

struct slow_frame {
	struct probe_state *probe;
	const struct probe_frame *frame;
	uint64_t now;
	uint32_t switches; /* when the thread came here */
};

/* Returns whether the frame is of a sled before a call, where the call has its event or is
 * counted. */
static int is_at_call(const struct probe_frame *frame)
{
	uint32_t kind = frame->kind & ~(PROBE_KIND_ALLOCATES | PROBE_KIND_FREES | PROBE_KIND_HOLDS);

	if (is_count(frame))
		return frame->kind & PROBE_KIND_KEPT || !arch_stub_end(&frame->registers);
	return kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_TAIL || frame->kind == PROBE_KIND_FULL;
}

/* Sleds were switched while the thread was at this one. If its call leads to a counter of its own
 * from now on, the call that is about to be made has been seen at its site. */
static void settle_call(struct thread *thread, const struct probe_frame *frame)
{
	int slot = -1;

	if (is_at_call(frame))
		slot = direct_slot((const char *)frame->at[0]);
	if (slot >= 0)
		counting_had_event(thread, (uint32_t)slot);
}

static void slow_work(void *data)
{
	const struct slow_frame *call = data;
	struct probe_state *probe = call->probe;

	tasks_settle(probe);
	if (is_count(call->frame))
		slow_count(probe, call->frame, call->now);
	else if (CINSTR_CODE_KIND(call->frame->kind) != PROBE_KIND_FULL)
		slow_event(probe, call->frame, call->now);
	slow_finish(probe);
	if (call->switches != atomic_load_relaxed(&cinstr.switches) && probe->thread)
		settle_call(probe->thread, call->frame);
	waits_tell(probe, call->frame);
	tasks_tell(probe);
}

static int may_record(const struct probe_state *probe)
{
	return cinstr.state == RUNTIME_ON && probe->phase != PROBE_OFF && !probe->busy;
}

/* In a thread that does not record, most likely nothing. */
static int is_idle(struct probe_state *probe, const struct probe_frame *frame)
{
	return *cinstr.alive && !probe->thread && probe->skip == UINT64_MAX &&
	       !(frame->kind & PROBE_KIND_ACTION) && probe->seen == control_epoch();
}

/* In every thread and task, recording or not: a filter may be for all. */
static void seccomp_work(const struct probe_frame *frame)
{
	uint32_t code = code_of(frame);
	const struct action *action = module_actions(code);

	for (; action && action->code == CINSTR_CODE_WORD(code); action++)
		if (action->action >= ACTION_SECCOMP && cinstr.state == RUNTIME_ON) {
			seccomp_before(action->action, frame);
			return;
		}
}

static void work_aside(const struct probe_frame *frame)
{
	seccomp_work(frame);
	if (cinstr.state == RUNTIME_ON)
		watch_tasks(code_of(frame), frame);
}

int cinstr_slow_early(uint64_t *gate)
{
	const struct tasks_event event = { .kind = *(const uint32_t *)gate[0],
					   .at = gate + 1,
					   .result = gate[GATE_RAX / 8] };

	return !(event.kind & PROBE_KIND_ACTION) && tasks_leave_unseen(&event);
}

uint64_t cinstr_slow_stack(uint64_t *gate)
{
	const struct tasks_event event = { .kind = *(const uint32_t *)gate[0],
					   .at = gate + 1,
					   .result = gate[GATE_RAX / 8] };
	struct probe_state *probe;

	if (tasks_leave_alone(&event))
		return event.kind & PROBE_KIND_ACTION && cinstr.state == RUNTIME_ON ? slow_call_stack_aside()
										    : SLOW_NOTHING;
	probe = &cinstr_probe;
	thread_ready(probe);
	return may_record(probe) ? (uint64_t)slow_call_stack(probe) : SLOW_HERE;
}

/*
 * When the event was: as the thunk has stamped it that found the interval too long, or when the
 * gate was entered. If the thread is still armed, the kernel has not been here since; else what is
 * at the cursor may be of another time.
 */
static uint64_t time_of_event(const struct probe_state *probe, const struct probe_frame *frame)
{
	uint64_t now = cinstr.clock == CINSTR_CLOCK_TSC ? frame->now : clock_now(), stamp;
	const struct cinstr_record *at = probe->cursor;

	if (frame->kind & ~(7u | PROBE_KIND_MOVES | PROBE_KIND_WRITES | PROBE_KIND_ALLOCATES) ||
	    !probe->thread || !cinstr.restartable || cinstr.clock != CINSTR_CLOCK_TSC ||
	    probe->high != (uint32_t)(now >> 32))
		return now;
	at += at->code == CINSTR_SPECIAL(CINSTR_SP_TARGET, 0) || at->code == CINSTR_AMOUNT_RECORD ||
	      at->code == CINSTR_AMOUNT_MEMORY_RECORD;
	stamp = (uint64_t)probe->high << 32 | at->time_lo;
	if (at->code != code_of(frame) || stamp <= slow_last_stamp(probe) || stamp > now ||
	    !*probe->thread->armed)
		return now;
	return stamp;
}

/* An event that is not recorded: its thread has ended, had no room, or is in the runtime. */
static void pass(struct probe_state *probe)
{
	/* within calibrate(), in the scratch behind the buffer: another task has moved the cursor,
	 * and nobody else would stop it */
	if (probe->busy && probe->thread && probe->end > probe->thread->buffer_end + SLOW_RECORDS &&
	    probe->cursor > probe->end)
		probe->cursor = probe->end;
	if (cinstr.state != RUNTIME_ON && !probe->busy && probe->phase != PROBE_OFF)
		thread_off(probe);
	else if (cinstr.state == RUNTIME_ON && !probe->busy)
		atomic_add(&cinstr.header->lost_events, 1);
	if (probe->phase != PROBE_OFF)
		return;
	probe->seen = control_epoch(); /* nothing to see any more */
	/* where there is no memory to write to the program's text, its sleds stay switched on */
	if (cinstr.state == RUNTIME_OFF)
		probe->skip = UINT64_MAX;
}

static void enter(struct probe_state *probe, struct probe_frame *frame)
{
	struct slow_frame call = { .probe = probe,
				   .frame = frame,
				   .switches = atomic_load_relaxed(&cinstr.switches) };

	if (frame->kind & PROBE_KIND_ACTION && cinstr.state == RUNTIME_ON && !probe->busy)
		seccomp_work(frame);
	held_free(probe->thread, frame);
	if (!may_record(probe)) {
		pass(probe);
		return;
	}
	call.now = time_of_event(probe, frame);
	if (is_idle(probe, frame))
		return;
	slow_call_begin(probe);
	slow_work(&call);
	slow_call_end(probe);
}

uint64_t cinstr_slow(struct probe_frame *frame)
{
	struct probe_state *probe = &cinstr_probe;

	/* what stands there behind the call is from the call (thunk_template.S) */
	if (frame->kind & PROBE_KIND_STREAM && CINSTR_CODE_KIND(frame->kind) == CINSTR_EV_BEFORE)
		arch_left_clear(&frame->registers);
	if (!runtime_enter())
		return (uint64_t)GATE_ARM_AS_IT_IS;
	if (frame->stack & SLOW_ASIDE) {
		work_aside(frame);
		runtime_leave();
		return (uint64_t)GATE_ARM_AS_IT_IS;
	}
	enter(probe, frame);
	runtime_leave();
	return thread_armed(probe);
}
