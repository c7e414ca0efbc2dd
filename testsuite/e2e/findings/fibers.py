# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that switch stacks by themselves are told that callers are uncertain."""
import json

import lab

SWITCHING = """
#include <stdlib.h>
#define N 8
#define F __attribute__((noinline))
static volatile int sum, done[N];
%s
F void leaf(int n) { for (int i = 0; i < n; i++) sum += i; }
F void step(int i) { leaf(300); pause_(i); leaf(200); }
F void body(int i) { for (int k = 0; k < 100; k++) step(i); done[i] = 1; pause_(i); }
F void start(void) { body(current); }
F void schedule(void)
{
	for (int left = 1; left;)
		for (int i = left = 0; i < N; i++)
			if (!done[i]) {
				left++;
				go(current = i);
			}
}
int main(void)
{
	for (int i = 0; i < N; i++)
		make(i, (char *)malloc(65536));
	schedule();
	return 0;
}
"""
CONTEXTS = """
#include <ucontext.h>
static ucontext_t mine, of[N];
static int current;
void start(void);
F void pause_(int i) { swapcontext(&of[i], &mine); }
F void go(int i) { swapcontext(&mine, &of[i]); }
F void make(int i, char *stack)
{
	getcontext(&of[i]);
	of[i].uc_stack.ss_sp = stack;
	of[i].uc_stack.ss_size = 65536;
	makecontext(&of[i], start, 0);
}
"""
BY_HAND = """
static void *mine, *of[N];
static int current;
void start(void), change(void **from, void **to);
__asm__(".globl change; .type change,@function; change: push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15;"
	"mov %rsp,(%rdi); mov (%rsi),%rsp; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret; .size change,.-change");
F void pause_(int i) { change(&of[i], &mine); }
F void go(int i) { change(&mine, &of[i]); }
F void make(int i, char *stack)
{
	void **top = (void **)(((unsigned long)stack + 65536 - 64) & ~15ul);
	*--top = 0;
	*--top = (void *)start;
	of[i] = top - 6;
}
"""
STRAIGHT = """
static int current;
void body(int i);
F void pause_(int i) { sum += i; }
F void go(int i) { body(i); }
F void make(int i, char *stack) { sum += i + (stack != 0); }
"""


def ids(bench, kind):
    done = json.loads(bench.cinstr("summary", kind, "--format=json"))
    return {one["id"] for one in done[kind.strip("-")]}


def summary_of(bench, how):
    program = bench.compile(bench.write("fibers.c", SWITCHING.replace("%s", how, 1)), "fibers", "-O1", "-fplugin-arg-cinstr-small=0")
    bench.run(program, status=0)
    return json.loads(bench.cinstr("summary", "--format=json"))["recording"]["reliability"]


@lab.test("summary/fibers")
def _(bench):
    for how in CONTEXTS, BY_HAND:
        reliability = summary_of(bench, how)
        lab.check("CI0113" in ids(bench, "--advice"), f"not told:\n{how}")
        lab.check(reliability != "good", f"reliability {reliability}:\n{how}")
        lab.check("CF0502" not in ids(bench, "--findings"), f"an exit:\n{how}")
    summary_of(bench, STRAIGHT)
    lab.check("CI0113" not in ids(bench, "--advice"), "of a program with one stack")
