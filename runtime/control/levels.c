/* SPDX-License-Identifier: MIT */
/*
 * levels.c - reads from the control blocks whether the session, the process and the thread are on
 * (struct cinstr_control_block, struct cinstr_thread), and serves other requests there: folds, new
 * rules.
 *
 * Anybody who may write the files changes them, and adds 1 to an epoch. Threads look at the sum of
 * the epochs in the slow path, at folds, and at each probe while they do not record. In the thread
 * itself, signals blocked; the rest in constructors and at a fork.
 */
#include <errno.h>

#include "runtime.h"

/* if somebody toggles all the time, the room for marks has better uses */
#define STATE_MARKS_MAX 1000

/* ---- the pages ------------------------------------------------------------------------------- */

int levels_begin(void)
{
	char *pages = sys_memory(2 * CINSTR_PAGE);

	if (sys_failed(pages))
		return -ENOMEM;
	cinstr.control_pages = pages;
	return 0;
}

/* There is always a page to look at: probes do so without asking. */
void levels_drop_process(void)
{
	sys_mmap(cinstr.control_pages, CINSTR_PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

int levels_map_process(int fd)
{
	void *at = sys_mmap(cinstr.control_pages, CINSTR_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			    fd, 0);

	if (!sys_failed(at)) {
		race_tools_ignore(at, CINSTR_PAGE);
		return 0;
	}
	levels_drop_process();
	return (int)(long)at;
}

/* Moves the mapping that holds the session's lock to its fixed place. Where that fails, the session
 * counts as on. */
void levels_map_session(void)
{
	struct session_page page = session_page();
	long moved;

	if (!page.at)
		return;
	moved = SYS6(SYS_mremap, page.at, CINSTR_PAGE, CINSTR_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		     cinstr.control_pages + CINSTR_PAGE, 0);
	if (moved != (long)(cinstr.control_pages + CINSTR_PAGE))
		return;
	session_page_moved(cinstr.control_pages + CINSTR_PAGE);
	race_tools_ignore(cinstr.control_pages + CINSTR_PAGE, CINSTR_PAGE);
	cinstr.session_writable = page.writable;
}

struct cinstr_messages *levels_messages(void)
{
	struct session_page page = session_page();

	if (!page.at || !page.writable)
		return NULL;
	return (struct cinstr_messages *)(void *)((char *)page.at + CINSTR_MESSAGES_OFFSET);
}

/* ---- marks ----------------------------------------------------------------------------------- */

enum state_bit { STATE_STOPPED = 1, STATE_SUSPENDED = 2 };

static uint32_t marked[2]; /* state bits of the process and the session that a mark tells about */
static uint32_t n_state_marks;

static uint32_t state_of(const struct cinstr_control_block *block)
{
	return (atomic_load_relaxed(&block->stopped) ? STATE_STOPPED : 0u) |
	       (atomic_load_relaxed(&block->suspensions) > 0 ? STATE_SUSPENDED : 0u);
}

static void add_mark(const char *level, const char *what, const char *who)
{
	struct text text = { .used = 0 };

	if (atomic_add(&n_state_marks, 1) >= STATE_MARKS_MAX)
		return;
	text_add(&text, level);
	text_add(&text, what);
	text_add(&text, who ? who : "");
	mark_add(CINSTR_MARK_STATE, clock_now(), 0, 0, text.data);
}

/* Each change is told by one mark, by the thread that sees it first. */
static void mark_level(int i, const char *level, const struct cinstr_control_block *block, const char *who)
{
	uint32_t state = state_of(block), old = atomic_swap(&marked[i], state);

	if ((state ^ old) & STATE_STOPPED)
		add_mark(level, state & STATE_STOPPED ? " stopped" : " started", who);
	if ((state ^ old) & STATE_SUSPENDED)
		add_mark(level, state & STATE_SUSPENDED ? " suspended" : " resumed", who);
}

void levels_mark(const char *who)
{
	if (cinstr.state == RUNTIME_SAMPLED) /* sampled.c does it, and tells more */
		return;
	mark_level(0, "process", control_block(), who);
	mark_level(1, "session", session_block(), who);
}

/* ---- the states ------------------------------------------------------------------------------ */

int levels_are_on(const struct probe_state *probe)
{
	const struct cinstr_thread *record = probe->thread ? probe->thread->record : NULL;
	uint32_t stopped = record ? atomic_load_relaxed(&record->stopped) : probe->control.stopped;
	int32_t suspensions =
		record ? atomic_load_relaxed(&record->suspensions) : probe->control.waiting_suspensions;

	return !stopped && suspensions <= 0 && !state_of(control_block()) && !state_of(session_block());
}

/* Only that: what else is asked for waits for levels_poll(). */
void levels_look(struct probe_state *probe)
{
	probe->control.levels_off = !levels_are_on(probe);
}

/* Rules from outside the process. They are copied first: others may write there at any time. */
static void take_choice(void)
{
	struct cinstr_control_block *block = control_block();
	char rules[sizeof(block->choice) + 1];
	uint32_t waiting = 2;

	if (atomic_load_acquire(&block->choice_state) != waiting ||
	    !atomic_compare_swap(&block->choice_state, &waiting, 1))
		return;
	arch_copy(rules, block->choice, sizeof(block->choice));
	rules[sizeof(block->choice)] = '\0';
	block->choice_result = choose_apply(rules);
	if (block->choice_result ==
	    -16) { /* EBUSY: somebody else is switching; whoever looks next tries again */
		/* that is the thread itself, though it has another process number */
		atomic_store_release(&block->choice_state, 2);
		atomic_add(&block->epoch, 1);
		return;
	}
	atomic_store_release(&block->choice_state, 3); /* cmd_control.c */
}

void levels_poll(struct probe_state *probe)
{
	uint32_t flushes, epoch = control_epoch();

	if (likely(probe->seen == epoch))
		return;
	probe->seen = epoch; /* before the work: what changes during it is seen the next time */
	levels_look(probe);
	levels_mark(" from outside");
	flushes = atomic_load_relaxed(&control_block()->flushes) +
		  atomic_load_relaxed(&session_block()->flushes);
	probe->control.flush |= flushes != probe->control.flushes;
	probe->control.flushes = flushes;
	take_choice();
}

/* ---- beginnings ------------------------------------------------------------------------------ */

/* CINSTR_START. */
void levels_start(void)
{
	static const char *const words[] = { "on", "paused", NULL };

	if (option_word(CINSTR_OPTION_START, words) == 1 &&
	    !atomic_load_relaxed(&session_block()->started_later))
		control_block()->stopped = 1;
	levels_mark(" from its start");
}

/* A forked child begins with its parent's state at the level of the process. Its epoch is a new
 * one: its thread looks. */
void levels_forked(const char *parent_file)
{
	const struct cinstr_control_block *parent = (const void *)(parent_file + CINSTR_CONTROL_OFFSET);
	struct cinstr_control_block *own = control_block();

	own->stopped = parent->stopped;
	own->suspensions = parent->suspensions;
	own->flushes = parent->flushes;
	own->epoch = parent->epoch + 1;
	marked[0] = marked[1] = 0;
	n_state_marks = 0;
	levels_mark(" as its parent");
}
