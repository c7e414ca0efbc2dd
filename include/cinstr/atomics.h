/* SPDX-License-Identifier: MIT */
/*
 * atomics.h - operations on data that several threads, or several processes, read and write without
 * a lock. runtime.h lists the data and their writers and readers.
 *
 * An atomic_load_acquire() that gets the value of an atomic_store_release() sees everything written
 * before that store; a comment at the store names the loading side. Data files are also read by
 * other processes, even after their own was killed: "reader" is report/file/, which sees the stores
 * in their order. atomic_add() and atomic_swap() are sequentially consistent (one order for all
 * threads, nothing moves across them) and return the previous value.
 */
#ifndef CINSTR_ATOMICS_H
#define CINSTR_ATOMICS_H

#define atomic_load_relaxed(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#define atomic_store_relaxed(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)

#define atomic_load_acquire(at) __atomic_load_n(at, __ATOMIC_ACQUIRE)
#define atomic_store_release(at, value) __atomic_store_n(at, value, __ATOMIC_RELEASE)

#define atomic_add(at, n) __atomic_fetch_add(at, n, __ATOMIC_SEQ_CST)
#define atomic_swap(at, value) __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST)
/* Stores `value` and returns 1 if *at equals *expected. Otherwise sets *expected to *at and returns
 * 0. Sequentially consistent. */
#define atomic_compare_swap(at, expected, value) \
	__atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
/* A load that is not moved before the preceding atomic changes. */
#define atomic_load_ordered(at) __atomic_load_n(at, __ATOMIC_SEQ_CST)

/* Stores before it become visible no later than stores after it. */
#define atomic_fence_release() __atomic_thread_fence(__ATOMIC_RELEASE)
/* The compiler moves nothing across it: orders memory for the thread's own signal handlers and for
 * the kernel. */
#define atomic_fence_compiler() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#endif
