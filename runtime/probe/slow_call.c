/* SPDX-License-Identifier: MIT */
/*
 * slow_call.c - work of the runtime in a thread: its stack, its begin and end, and the entry for
 * work that is requested by a call instead of a probe (which uses the gate, thunk_template.S). In
 * the thread itself, signals blocked.
 */
#include "runtime.h"

char *slow_call_stack(struct probe_state *probe)
{
	char *stack;

	if (probe->slow_stack || !cinstr.restartable)
		return probe->slow_stack;
	stack = sys_memory(SLOW_STACK);
	if (!sys_failed(stack))
		probe->slow_stack = stack + SLOW_STACK;
	return probe->slow_stack;
}

void slow_call_drop_stack(struct probe_state *probe)
{
	if (probe->thread || !probe->slow_stack)
		return;
	sys_munmap(probe->slow_stack - SLOW_STACK, SLOW_STACK);
	probe->slow_stack = NULL;
}

void slow_call_begin(struct probe_state *probe)
{
	probe->busy = 1;
	control_open(probe);
}

void slow_call_end(struct probe_state *probe)
{
	depth_close(probe);
	if (probe->thread) {
		probe->thread->resumed = probe->thread->resuming;
		probe->thread->resuming = NULL;
	}
	probe->busy = 0;
}

void slow_call_close(struct probe_state *probe, uint64_t gate)
{
	if (!gate || probe->gate != gate)
		return;
	probe->gate = 0;
	atomic_add(&cinstr.n_gates, -1);
}

/* As the thunks' gate does (GATE_OPEN). 0: a filter has come. */
static int open_gate(struct probe_state *probe, uint64_t gate)
{
	if (!probe->gate)
		atomic_add(&cinstr.n_gates, 1); /* before the look; pairs with seccomp.c */
	if (probe->gate <= gate)
		probe->gate = gate;
	if (likely(!atomic_load_ordered(&cinstr.is_mute)))
		return 1;
	slow_call_close(probe, gate);
	return 0;
}

int slow_call(void (*work)(void *), void *data)
{
	struct probe_state *probe = &cinstr_probe;
	uint64_t gate = (uint64_t)__builtin_frame_address(0), old;

	if (probe->busy)
		return -1;
	thread_ready(probe);
	if (!open_gate(probe, gate))
		return -1;
	old = sys_block_signals();
	slow_call_begin(probe);
	cinstr_call_on_stack(work, data, slow_call_stack(probe));
	slow_call_end(probe);
	slow_call_drop_stack(probe);
	sys_restore_signals(old);
	slow_call_close(probe, gate);
	if (cinstr.clock == CINSTR_CLOCK_TSC)
		probe->left = clock_now();
	/* last: a tracer that stops at each system call would make every event a slow one */
	thread_arm(probe);
	return 0;
}

uint64_t slow_call_stack_aside(void)
{
	char *stack = cinstr.restartable ? sys_memory(SLOW_STACK) : NULL; /* as slow_call_stack() */

	if (sys_failed(stack))
		return SLOW_NOTHING;
	return SLOW_ASIDE | (stack ? (uint64_t)stack + SLOW_STACK : SLOW_HERE);
}

void cinstr_slow_unstack(uint64_t stack)
{
	struct probe_state *probe = &cinstr_probe;

	if (stack & SLOW_ASIDE) {
		if (stack != SLOW_ASIDE)
			sys_munmap((char *)(stack - SLOW_ASIDE) - SLOW_STACK, SLOW_STACK);
	} else if (!probe->busy) {
		slow_call_drop_stack(probe);
	}
}

int slow_call_aside(void (*work)(void *), void *data)
{
	uint64_t stack, old;

	if (!runtime_enter())
		return -1;
	old = sys_block_signals();
	stack = slow_call_stack_aside();
	if (stack != SLOW_NOTHING) {
		cinstr_call_on_stack(work, data, (void *)(stack & ~(uint64_t)SLOW_ASIDE));
		cinstr_slow_unstack(stack);
	}
	sys_restore_signals(old);
	runtime_leave(); /* where a handler jumps away the task stays counted */
	return stack != SLOW_NOTHING ? 0 : -1;
}
