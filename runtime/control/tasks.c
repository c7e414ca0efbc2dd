/* SPDX-License-Identifier: MIT */
/*
 * tasks.c - tasks that a program makes by clone(), in the memory of the process, without a thread
 * library. None of them is recorded: each is left alone from its first probe on.
 *
 *   CLONE_VM | CLONE_VFORK  The thread waits until the task is gone (vfork). The number of the task
 *                           tells it from the thread (struct control: tid).
 *   CLONE_VM                Both run, with one thread pointer, so with one probe_state and one
 *                           rseq area, which the kernel knows as the thread's only. From before the
 *                           call on, until the last such task is gone, the thread does not record:
 *                           `active`. Its probes are not armed, and come here.
 *   CLONE_VM | CLONE_SETTLS The task has a thread pointer that no thread library has made. If there
 *                           are zeros below it, its probes come here and go no further. If there is
 *                           anything else, recording ends before the call, and the probes are taken
 *                           out.
 *
 * Calls are known by the callee's name (seccomp_concern). A task that was made in another way, by
 * an instruction `syscall` for example, is detected when it takes the slow path: until then its
 * events are among those of the thread.
 *
 * tasks_leave_alone() is the first thing that the slow path does: it runs in any task, on the
 * program's stack, which may be small, and changes nothing but `struct tasks`.
 */
#include <errno.h>
#include <sched.h>

#include "runtime.h"

#define TASKS_BYTES (64u << 10)
#define TASKS_MAX ((TASKS_BYTES - sizeof(struct tasks)) / sizeof(struct task))
/* Nobody had an event for so long: the thread may have waited for the end of a task. */
#define GAP_NS 1000
/* At the latest after so long, somebody looks who it is, and whether the tasks are gone. */
#define PERIOD_NS 100000
/* From the kernel's 0 that tells of a task's end until its memory is given back. */
#define CLEARED_NS 50000
/* What lies so far below the begin of a stack may be overwritten. */
#define STACK_NEAR (64ull << 10)
#define KCMP_VM 1	    /* linux/kcmp.h, which some systems lack */
#define CALL_BYTES_MAX 24   /* from the sled before a call to the end of the one behind it */
#define CLONE_ARGS_LEAST 64 /* bytes of struct clone_args */
#define MARKS_MAX 1000
#define KEPT_MAX 16

struct task {
	uint32_t tid; /* 0: the place is free */
	uint32_t process;
};

/* Of one thread. Tasks that share its memory change it as well, by the operations below. */
struct tasks {
	uint32_t active;    /* such tasks may be running */
	uint32_t mixed;	    /* the thread's buffer may have events of another task */
	int32_t unknown;    /* calls whose task has not been seen yet */
	uint32_t gone;	    /* so many at the begin of the list are gone for sure */
	int64_t last_ticks; /* of the last event of any of them, about */
	int64_t looked_ticks;
	uint64_t call_sp, call_at; /* of the thread's last such call; 0: it is over */
	uint32_t is_thread;	   /* that call makes a task of the same process */
	uint64_t cleared_at;	   /* where the kernel puts a 0 when that task ends; 0: not known */
	uint32_t marked;	   /* `active`, as the last mark tells */
	struct task list[];
};

/* Of threads that have ended. They stay mapped, as a task may still look there. */
static struct tasks *kept[KEPT_MAX];
static uint32_t n_marks;

/* ---- who am I? ------------------------------------------------------------------------------- */

static uint32_t own_tid(void)
{
	return (uint32_t)SYS0(SYS_gettid);
}

/* Is there a thread's memory at the thread pointer? Reads by fs: offsets only. */
static int has_thread(void)
{
	return arch_thread_word(probe_offset + PROBE_HIGH) >> 32 == PROBE_MAGIC && arch_thread_pointer() != 0;
}

/* A task that shares the memory of the thread has a number of its own; as long as the thread's is
 * not known, at least the process tells. */
static int is_other(const struct probe_state *probe)
{
	return probe->control.tid ? probe->control.tid != own_tid() : SYS0(SYS_getpid) != cinstr.pid;
}

int tasks_is_other(void)
{
	return !has_thread() || (*cinstr.alive && is_other(&cinstr_probe));
}

int tasks_has_no_thread(void)
{
	return !has_thread();
}

int tasks_are_active(const struct control *control)
{
	const struct tasks *tasks = atomic_load_acquire(&control->tasks);

	return tasks && atomic_load_acquire(&tasks->active);
}

/* ---- the list -------------------------------------------------------------------------------- */

static struct tasks *take_kept(void)
{
	for (int i = 0; i < KEPT_MAX; i++) {
		struct tasks *tasks = atomic_load_relaxed(&kept[i]) ? atomic_swap(&kept[i], NULL) : NULL;

		if (tasks)
			return tasks;
	}
	return NULL;
}

static void keep(struct tasks *tasks)
{
	for (int i = 0; tasks && i < KEPT_MAX; i++) {
		struct tasks *none = NULL;

		if (atomic_compare_swap(&kept[i], &none, tasks))
			return;
	}
}

/* Returns the tasks of the thread, or NULL: no memory. */
static struct tasks *tasks_of(struct probe_state *probe)
{
	struct tasks *tasks = atomic_load_acquire(&probe->control.tasks), *none = NULL;

	if (tasks)
		return tasks;
	tasks = take_kept();
	if (!tasks)
		tasks = sys_memory(TASKS_BYTES);
	if (sys_failed(tasks))
		return NULL;
	if (atomic_compare_swap(&probe->control.tasks, &none, tasks))
		return tasks;
	keep(tasks);
	return none;
}

/* Adds a task unless it is listed. Each call of clone() whose task was not known is one less
 * then. */
static void add(struct tasks *tasks, uint32_t tid, uint32_t process)
{
	for (uint32_t i = atomic_load_relaxed(&tasks->gone); i < TASKS_MAX; i++) {
		uint32_t found = 0;

		if (atomic_compare_swap(&tasks->list[i].tid, &found, tid)) {
			tasks->list[i].process = process;
			if (atomic_load_relaxed(&tasks->unknown) > 0)
				atomic_add(&tasks->unknown, -1);
			return;
		}
		if (found == tid)
			return;
	}
	atomic_add(&tasks->unknown, 1); /* for good: nobody will see that it is gone */
}

/* After an exec the task has other memory. Where the kernel does not compare that, its number is
 * there until somebody has waited for it. */
static int shares_memory(const struct task *task)
{
	long result = -ENOSYS;

	if (!atomic_load_relaxed(&cinstr.no_kcmp))
		result = SYS6(SYS_kcmp, own_tid(), task->tid, KCMP_VM, 0, 0, 0);
	if (result >= 0)
		return result == 0;
	if (result == -ESRCH)
		return 0;
	return SYS3(SYS_tgkill, task->process ? task->process : task->tid, task->tid, 0) != -ESRCH;
}

/* In the thread itself. */
static int all_are_gone(struct tasks *tasks)
{
	while (tasks->gone < TASKS_MAX && atomic_load_relaxed(&tasks->list[tasks->gone].tid)) {
		if (shares_memory(&tasks->list[tasks->gone]))
			return 0;
		atomic_store_relaxed(&tasks->gone, tasks->gone + 1);
	}
	return atomic_load_relaxed(&tasks->unknown) <= 0;
}

static void reset(struct tasks *tasks)
{
	arch_zero(tasks->list, tasks->gone * sizeof(struct task));
	tasks->gone = 0;
	tasks->unknown = 0;
	tasks->call_at = tasks->cleared_at = 0;
	atomic_store_release(&tasks->active, 0); /* tasks_are_active */
}

/* ---- at a probe ------------------------------------------------------------------------------ */

static int64_t ticks_of(uint64_t ns)
{
	return (int64_t)((ns * ticks_per_ns()) >> 20);
}

/* Is it the event behind the thread's call of clone()? Only the thread has that stack pointer. */
static int is_behind_call(const struct tasks *tasks, const struct tasks_event *event)
{
	return tasks->call_at && (uint64_t)event->at == tasks->call_sp &&
	       event->at[0] - tasks->call_at <= CALL_BYTES_MAX && !(event->kind & PROBE_KIND_COUNT) &&
	       CINSTR_CODE_KIND(event->kind) == CINSTR_EV_AFTER;
}

/* What the call has returned: the task's number, or that there is none. */
static void end_call(struct tasks *tasks, int64_t result)
{
	tasks->call_at = 0;
	if (result > 0 && result <= INT32_MAX)
		add(tasks, (uint32_t)result, tasks->is_thread ? (uint32_t)cinstr.pid : (uint32_t)result);
	else if (atomic_load_relaxed(&tasks->unknown) > 0)
		atomic_add(&tasks->unknown, -1);
}

static int is_needed(const struct tasks_event *event)
{
	return event->kind & PROBE_KIND_ACTION ||
	       !(event->kind & (PROBE_KIND_COUNT | CINSTR_CODE_KIND(UINT32_MAX)));
}

/* An int of the program's; -1: it cannot be read. */
static int read_int(uint64_t at)
{
	uint64_t old = sys_block_signals();
	int value = sys_is_readable(at & ~7ull) ? *(const volatile int *)at : -1;

	sys_restore_signals(old);
	return value;
}

/*
 * The thread may have waited for the kernel's 0 that tells of the task's end: a moment before the
 * task is gone. So that the thread's next event is recorded, waits for that moment, once.
 */
static int last_is_gone_now(struct tasks *tasks)
{
	const struct task *task = &tasks->list[tasks->gone];
	int64_t until;

	if (!tasks->cleared_at || task >= &tasks->list[TASKS_MAX - 1] || atomic_load_relaxed(&task[1].tid) ||
	    atomic_load_relaxed(&tasks->unknown) > 0 || read_int(tasks->cleared_at))
		return 0;
	tasks->cleared_at = 0;
	for (until = (int64_t)clock_now() + ticks_of(CLEARED_NS); (int64_t)clock_now() < until;)
		if (all_are_gone(tasks))
			return 1;
	return 0;
}

/* In the thread itself, while there may be such tasks. */
static int leave_thread_alone(struct probe_state *probe, struct tasks *tasks, const struct tasks_event *event)
{
	if (is_behind_call(tasks, event))
		end_call(tasks, (int64_t)event->result);
	if (!probe->skip) /* it has not paused yet */
		return 0;
	if (all_are_gone(tasks) || last_is_gone_now(tasks)) {
		reset(tasks);
		return 0;
	}
	return !is_needed(event) && probe->seen == control_epoch();
}

/* There may be such tasks. To ask the kernel at each event whose it is would take too long. */
static int is_due(const struct probe_state *probe, struct tasks *tasks, const struct tasks_event *event)
{
	int64_t now = (int64_t)clock_now(), gap = now - tasks->last_ticks, near = ticks_of(GAP_NS);

	if (gap > near / 4) /* seldom: all of them read it */
		tasks->last_ticks = now;
	if (gap < near && now - tasks->looked_ticks < ticks_of(PERIOD_NS) && probe->skip &&
	    probe->seen == control_epoch() && !is_needed(event) && !is_behind_call(tasks, event))
		return 0;
	tasks->looked_ticks = now;
	return 1;
}

/* Whose event is it? */
static int look(struct probe_state *probe, struct tasks *tasks, const struct tasks_event *event)
{
	if (!is_other(probe))
		return leave_thread_alone(probe, tasks, event);
	/* The thread may have armed its probes when it did not know of the task yet. */
	arch_clear_thread_word(cinstr.armed_offset);
	add(tasks, own_tid(), (uint32_t)SYS0(SYS_getpid));
	return 1;
}

/* A task that nobody knew of. The thread sees `active` at its next probe, as that is not armed any
 * more. */
static void find_out(struct probe_state *probe)
{
	struct tasks *tasks;

	if (!probe->control.tid || probe->control.lends)
		return;
	tasks = tasks_of(probe);
	if (!tasks)
		return;
	add(tasks, own_tid(), (uint32_t)SYS0(SYS_getpid));
	tasks->mixed = 1;
	atomic_store_release(&tasks->active, 1); /* tasks_are_active */
	arch_clear_thread_word(cinstr.armed_offset);
}

/* A task that cannot be told from the thread by looking at the memory. */
static int leave_alone(struct probe_state *probe, struct tasks *tasks, const struct tasks_event *event)
{
	int without_call = cinstr.clock == CINSTR_CLOCK_TSC; /* to read the clock */

	if (tasks)
		return (!without_call && !is_due(probe, tasks, event)) || look(probe, tasks, event);
	if (!is_other(probe)) {
		if (!(event->kind & PROBE_KIND_ACTION))
			probe->control.lends = 0;
		return 0;
	}
	find_out(probe);
	return 1;
}

void tasks_check(struct probe_state *probe, const struct cinstr_record *cursor)
{
	struct tasks *tasks;

	if (likely(probe->cursor == cursor) || tasks_are_active(&probe->control))
		return;
	tasks = tasks_of(probe);
	if (!tasks)
		return;
	tasks->mixed = 1;
	/* tasks_are_active; the task adds itself at its next probe */
	atomic_store_release(&tasks->active, 1);
	arch_clear_thread_word(cinstr.armed_offset);
}

int tasks_leave_unseen(const struct tasks_event *event)
{
	const struct probe_state *probe;

	if (!has_thread() || cinstr.clock != CINSTR_CLOCK_TSC || !atomic_load_relaxed(&cinstr.has_ticks))
		return 0;
	probe = &cinstr_probe;
	if (probe->phase == PROBE_OFF || !*cinstr.alive || !tasks_are_active(&probe->control))
		return 0;
	if (!is_due(probe, probe->control.tasks, event))
		return 1;
	probe->control.tasks->looked_ticks = 0; /* it is still due */
	return 0;
}

int tasks_leave_alone(const struct tasks_event *event)
{
	struct probe_state *probe;
	struct tasks *tasks;
	int alone;

	if (!has_thread())
		return 1;
	probe = &cinstr_probe;
	if (probe->phase == PROBE_OFF || !*cinstr.alive)
		return 0;
	tasks = tasks_are_active(&probe->control) ? probe->control.tasks : NULL;
	if (tasks && cinstr.clock == CINSTR_CLOCK_TSC && !is_due(probe, tasks, event))
		return 1;
	if (!runtime_enter())
		return 0;
	alone = leave_alone(probe, tasks, event);
	runtime_leave();
	return alone;
}

/* ---- in the slow path of the thread ---------------------------------------------------------- */

/* Events of two tasks: nobody can tell which is whose. */
static void drop_buffer(struct thread *thread)
{
	uint64_t n = (uint64_t)(thread->probe->cursor - thread->buffer);

	atomic_add(&cinstr.header->lost_events, n ? n - 1 : 0);
	thread_start_buffer(thread, CINSTR_SPECIAL_VALUE(thread->buffer));
}

static void mark(const char *text)
{
	if (atomic_add(&n_marks, 1) < MARKS_MAX)
		mark_add(CINSTR_MARK_STATE, clock_now(), 0, 0, text);
}

void tasks_settle(struct probe_state *probe)
{
	struct tasks *tasks = atomic_load_acquire(&probe->control.tasks);

	/*
	 * A task that was not found out yet may have gone on where there was no room. (A TARGET and
	 * its event may reach one record behind the end.)
	 */
	if (probe->thread && probe->cursor > probe->end + 1)
		probe->cursor = probe->end;
	if (!tasks)
		return;
	if (tasks->mixed && probe->thread)
		drop_buffer(probe->thread);
	tasks->mixed = 0;
}

void tasks_tell(struct probe_state *probe)
{
	struct tasks *tasks = atomic_load_acquire(&probe->control.tasks);

	if (!tasks || tasks->marked == tasks->active)
		return;
	tasks->marked = tasks->active;
	mark(tasks->marked ? "thread paused: a task made by clone() uses its thread pointer"
			   : "thread resumed: the tasks made by clone() are gone");
}

void tasks_end(struct probe_state *probe)
{
	struct tasks *tasks = probe->control.tasks;

	if (!tasks || atomic_load_acquire(&tasks->active))
		return;
	probe->control.tasks = NULL;
	tasks->marked = 0;
	keep(tasks);
}

/* In a child that has memory of its own: none of them is there. */
void tasks_forked(struct probe_state *probe)
{
	if (probe->control.tasks)
		arch_zero(probe->control.tasks, TASKS_BYTES);
	probe->control.lends = 0;
	n_marks = 0;
}

/* ---- before a call that may make a task ------------------------------------------------------ */

struct call {
	uint64_t flags, tls;
	uint64_t stack;	    /* where it begins, above its first word; 0: not known */
	uint64_t child_tid; /* 0: not known */
};

/* Everything is blocked, so that the kernel can be asked for what can be read. */
static int is_readable(uint64_t from, uint64_t bytes)
{
	for (uint64_t at = from & ~7ull; at < from + bytes; at += CINSTR_PAGE)
		if (!sys_is_readable(at))
			return 0;
	return sys_is_readable(from + bytes - 8);
}

/* Of struct clone_args: flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls */
static void read_args(struct call *call, uint64_t at, uint64_t bytes)
{
	const uint64_t *args = (const void *)at;

	if (bytes < CLONE_ARGS_LEAST || bytes > CINSTR_PAGE || at & 7 || !is_readable(at, CLONE_ARGS_LEAST))
		return;
	*call = (struct call){
		.flags = args[0], .tls = args[7], .stack = args[5] + args[6], .child_tid = args[2]
	};
}

static void read_syscall(struct call *call, const struct arch_registers *registers)
{
	uint64_t number = arch_argument(registers, 0), first = arch_argument(registers, 1);

	if (number == __NR_clone)
		*call = (struct call){ .flags = (uint32_t)first,
				       .tls = arch_argument(registers, 5),
				       .stack = arch_argument(registers, 2),
				       .child_tid = arch_argument(registers, 4) };
	else if (number == __NR_clone3)
		read_args(call, first, arch_argument(registers, 2));
	else if (number == __NR_vfork)
		call->flags = CLONE_VM | CLONE_VFORK;
}

/* The function of libc: function, stack, flags, argument, parent_tid, tls, child_tid. The last one
 * is on the stack. */
static void read_clone(struct call *call, const struct probe_frame *frame)
{
	const struct arch_registers *registers = &frame->registers;

	if (!arch_argument(registers, 0) || !arch_argument(registers, 1))
		return;
	*call = (struct call){ .flags = (uint32_t)arch_argument(registers, 2),
			       .tls = arch_argument(registers, 5),
			       .stack = arch_argument(registers, 1) };
	if (call->flags & CLONE_CHILD_CLEARTID && CINSTR_CODE_KIND(frame->kind) == CINSTR_EV_BEFORE)
		call->child_tid = frame->at[1];
}

static struct call read_call(uint32_t action, const struct probe_frame *frame)
{
	const struct arch_registers *registers = &frame->registers;
	struct call call = { .flags = 0 };

	switch (action) {
	case ACTION_SYSCALL:
		read_syscall(&call, registers);
		break;
	case ACTION_CLONE:
		read_clone(&call, frame);
		break;
	case ACTION_CLONE3:
		read_args(&call, arch_argument(registers, 0), arch_argument(registers, 1));
		break;
	case ACTION_VFORK:
		call.flags = CLONE_VM | CLONE_VFORK;
		break;
	}
	return call;
}

static int is_zero(const struct probe_state *state)
{
	const char *at = (const char *)state;

	for (size_t i = 0; i < sizeof(*state); i++)
		if (at[i])
			return 0;
	return 1;
}

/*
 * What probes will find below a thread pointer of the program's making. A copy of this thread's
 * memory becomes zeros, as far as it is the runtime's.
 */
static int is_safe(const struct probe_state *own, const struct call *call)
{
	uint64_t tls = call->tls, offset = (uint64_t)own - (uint64_t)__builtin_thread_pointer();
	struct probe_state *state = (void *)(tls + offset);
	uint64_t *armed = (uint64_t *)(tls + (uint64_t)cinstr.armed_offset);

	if (call->stack - (uint64_t)state < STACK_NEAR || call->stack - (uint64_t)armed < STACK_NEAR)
		return 0;
	if (!is_readable((uint64_t)state, sizeof(*state)) || !is_readable((uint64_t)armed, 8) ||
	    !is_readable(tls, 8))
		return 0;
	if (thread_is_fresh(state)) /* by a thread library that is itself instrumented */
		return 1;
	if (own->control.tid && state->control.tid == own->control.tid && state->thread == own->thread) {
		*armed = 0;
		arch_zero(state, sizeof(*state));
	}
	return is_zero(state) && !*armed;
}

/* Until no probe is left that the task could come by. */
static void end_recording(void)
{
	struct timespec nap = { 0, 1000000 };

	store_stop(CINSTR_STOP_TASK, 0);
	for (int i = 0; i < 1000 && atomic_load_relaxed(&cinstr.any_on); i++)
		SYS2(SYS_nanosleep, &nap, NULL);
}

static void share(struct probe_state *probe, const struct call *call, const struct probe_frame *frame)
{
	struct tasks *tasks = tasks_of(probe);
	int is_tail = CINSTR_CODE_KIND(frame->kind) == CINSTR_EV_TAIL;

	if (!tasks) {
		end_recording();
		return;
	}
	/* The number that a task has in a name space of its own tells nothing here. */
	atomic_add(&tasks->unknown, call->flags & CLONE_NEWPID ? 2 : 1);
	if (!is_other(probe)) {
		tasks->call_sp = (uint64_t)frame->at + (is_tail ? ARCH_RETURN_BYTES : 0);
		tasks->call_at = is_tail ? frame->at[1] : frame->at[0];
		tasks->is_thread = (call->flags & CLONE_THREAD) != 0;
		tasks->cleared_at = call->flags & CLONE_CHILD_CLEARTID ? call->child_tid : 0;
		if (tasks->cleared_at && read_int(tasks->cleared_at) <= 0)
			tasks->cleared_at = 0;
	}
	tasks->last_ticks = tasks->looked_ticks = (int64_t)clock_now();
	atomic_store_release(&tasks->active, 1); /* tasks_are_active */
}

void tasks_before(uint32_t action, const struct probe_frame *frame)
{
	struct probe_state *probe;
	struct call call = read_call(action, frame);
	int has_own_pointer = (call.flags & CLONE_SETTLS) != 0;

	if (!has_thread())
		return;
	probe = &cinstr_probe;
	if (has_own_pointer && call.tls == (uint64_t)__builtin_thread_pointer())
		has_own_pointer = 0;
	if (!(call.flags & CLONE_VM))
		return;
	if (has_own_pointer && !is_safe(probe, &call))
		end_recording();
	else if (call.flags & CLONE_VFORK)
		probe->control.lends = 1;
	else if (!has_own_pointer)
		share(probe, &call, frame);
}
