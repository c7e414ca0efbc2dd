/* SPDX-License-Identifier: MIT */
/*
 * atomics.h - what several threads, or several processes, read and write without a lock goes
 * through these. Who shares what with whom: runtime.h.
 *
 * What was written before an atomic_store_release() is seen by whoever gets that value by
 * atomic_load_acquire(): a comment at the store names who that is. Data files are read by others,
 * too, also when their process was killed: "reader" is report/file/, and sees the stores in their
 * order. Changes are in one order for all threads, and nothing moves across them. They return what
 * was there.
 */
#ifndef CINSTR_ATOMICS_H
#define CINSTR_ATOMICS_H

#define atomic_load_relaxed(at) __atomic_load_n(at, __ATOMIC_RELAXED)
#define atomic_store_relaxed(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)

#define atomic_load_acquire(at) __atomic_load_n(at, __ATOMIC_ACQUIRE)
#define atomic_store_release(at, value) __atomic_store_n(at, value, __ATOMIC_RELEASE)

#define atomic_add(at, n) __atomic_fetch_add(at, n, __ATOMIC_SEQ_CST)
#define atomic_swap(at, value) __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST)
/* Stores `value` if *expected is there: 1. Otherwise 0, and *expected is what is there. */
#define atomic_compare_swap(at, expected, value) \
	__atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
/* A load that is not moved before the changes in front of it. */
#define atomic_load_ordered(at) __atomic_load_n(at, __ATOMIC_SEQ_CST)

/* The stores in front of it are visible no later than those behind it. */
#define atomic_fence_release() __atomic_thread_fence(__ATOMIC_RELEASE)
/* The compiler moves nothing across it: for the thread's own signal handlers, and for the
 * kernel. */
#define atomic_fence_compiler() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#endif
