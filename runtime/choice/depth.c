/* SPDX-License-Identifier: MIT */
/*
 * depth.c - CINSTR_DEPTH: limits the levels of functions that are recorded. The time of deeper ones
 * belongs to the innermost recorded function.
 *
 * Each entry and exit takes the slow path and is counted here, in its own thread, signals blocked.
 * When the last level is entered, `control.deep` is its stack pointer and becomes the thread's
 * `skip` (control.c) whenever the runtime has done its work: deeper probes return at once, and
 * nothing is paused. The first event that is not inside of that frame comes here again, also after
 * an exception or a jump.
 */
#include "rules.h"

/* in a level's stack pointer: entered on the alternate stack for signals, above other levels */
#define ALTERNATE 1ull

/* ---- stacks ---------------------------------------------------------------------------------- */

static int is_on_alternate(uint64_t sp)
{
	stack_t stack = { .ss_flags = SS_DISABLE };

	SYS2(SYS_sigaltstack, NULL, &stack); /* its flags tell of our own stack */
	return !(stack.ss_flags & SS_DISABLE) && sp - (uint64_t)stack.ss_sp < stack.ss_size;
}

/*
 * Levels that the program has left: those below this stack pointer. A handler on an alternate stack
 * above the others leaves none of them; once it is left, its own levels are gone.
 */
static void drop_left(struct thread *thread, uint64_t sp)
{
	int alternate = -1;

	while (thread->n_levels) {
		uint64_t level = thread->levels[thread->n_levels - 1];
		int is_flagged = (level & ALTERNATE) != 0;

		if (level >= sp && !is_flagged)
			return;
		if (alternate < 0)
			alternate = is_on_alternate(sp);
		if (alternate != is_flagged ? alternate && !is_on_alternate(level) : level >= sp)
			return;
		thread->n_levels--;
	}
}

/* ---- a thread that begins to count ----------------------------------------------------------- */

/* The number of counted frames that are open now. */
static void learn_levels(struct thread *thread, uint64_t sp)
{
	const struct cinstr_thread *record = thread->record;
	const struct cinstr_open *open = (const void *)(cinstr.store.file + record->stack_offset);
	uint32_t depth = record->states[record->commit & 1].depth;

	thread->n_levels = 0;
	for (uint32_t i = 0; i < depth && thread->n_levels < DEPTH_MAX; i++) {
		const struct cinstr_cell *cell = fold_cell(&thread->fold, open[i].cell);
		uint32_t kind = CINSTR_CELL_KIND(cell->tag);

		if (i + 1 < depth && open[i + 1].flags & CINSTR_OPEN_TAILED)
			continue; /* it has left */
		if (kind == CINSTR_CELL_FRAME || kind == CINSTR_CELL_LINE || kind == CINSTR_CELL_FLAT_FRAME)
			thread->levels[thread->n_levels++] = control_place_of(&open[i], sp) & ~7ull;
	}
}

static void begin_counting(struct thread *thread, uint32_t depth, uint64_t sp)
{
	if (!thread->depth) {
		thread_fold(thread);
		learn_levels(thread, sp);
	}
	thread->depth = depth;
	thread->n_levels = min_of(thread->n_levels, depth);
}

/* ---- events ---------------------------------------------------------------------------------- */

static int is_exit(const struct control_event *event)
{
	uint32_t kind = CINSTR_CODE_KIND(event->code);

	return kind == CINSTR_EV_EXIT || kind == CINSTR_EV_TAIL;
}

static int ends_level(const struct thread *thread, const struct control_event *event)
{
	return is_exit(event) && thread->n_levels &&
	       (thread->levels[thread->n_levels - 1] & ~ALTERNATE) == event->sp;
}

static void settle(struct probe_state *probe)
{
	const struct thread *thread = probe->thread;
	uint32_t n = thread->n_levels;
	uint64_t last = n && n == thread->depth ? thread->levels[n - 1] : 0;

	/* On an alternate stack: what is below may be the program again, behind a jump out of the
	 * handler. All is looked at. */
	probe->control.deep = last & ALTERNATE ? 1 : last;
}

int depth_before(struct probe_state *probe, const struct control_event *event)
{
	struct thread *thread = probe->thread;
	uint32_t depth = atomic_load_relaxed(&rules_depth);

	if (!depth) {
		thread->depth = 0;
		probe->control.deep = 0;
		return 1;
	}
	if (thread->depth != depth) {
		begin_counting(thread, depth, event->sp);
		if (!probe->thread)
			return 0;
	}
	/* What is entered at the place of an older frame shows that this one is gone. */
	drop_left(thread, event->sp + (CINSTR_CODE_KIND(event->code) == CINSTR_EV_ENTER));
	settle(probe);
	return !probe->control.deep || ends_level(thread, event);
}

void depth_behind(struct probe_state *probe, const struct control_event *event)
{
	struct thread *thread = probe->thread;
	uint64_t sp = event->sp;

	if (!thread || !thread->depth || (event->silent && !ends_level(thread, event)))
		return;
	if (ends_level(thread, event)) {
		thread->n_levels--;
	} else if (CINSTR_CODE_KIND(event->code) == CINSTR_EV_ENTER && thread->n_levels < thread->depth) {
		uint64_t last = thread->n_levels ? thread->levels[thread->n_levels - 1] : UINT64_MAX;

		thread->levels[thread->n_levels++] =
			sp | (last <= sp || (last & ALTERNATE && last != UINT64_MAX) ? ALTERNATE : 0);
	}
	settle(probe);
}

/* ---- around the runtime's work --------------------------------------------------------------- */

void depth_open(struct probe_state *probe)
{
	const struct control *control = &probe->control;

	/* else recording is off in this thread, and stays off */
	if (control->deep && probe->skip == control->deep && control->quiet.limit != control->deep)
		probe->skip = 0;
}

void depth_close(struct probe_state *probe)
{
	if (probe->control.deep && !probe->skip)
		probe->skip = probe->control.deep;
}

/* In a forked child: its thread is where `parent` was; NULL: it is not known where. */
void depth_forked(struct probe_state *probe, const struct thread *parent)
{
	struct thread *thread = probe->thread;

	probe->control.deep = 0;
	if (!parent || !thread)
		return;
	thread->depth = parent->depth;
	thread->n_levels = parent->n_levels;
	for (uint32_t i = 0; i < parent->n_levels; i++)
		thread->levels[i] = parent->levels[i];
	settle(probe);
}
