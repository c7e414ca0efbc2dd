/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * companions.h - what sampled processes say of themselves through cinstr.h: the companion files that the runtime makes in the session's
 * folder (CINSTR_SAMPLING_COMPANION), found as they come, and read as they grow: when the program switched itself, or a thread, off and
 * on. Their control blocks count, too. Other marks are copied at the end.
 */
#ifndef SAMPLER_COMPANIONS_H
#define SAMPLER_COMPANIONS_H

#include <stdint.h>

struct companions;
struct store;

struct companions *companions_new(const char *session);
void companions_release(struct companions *companions);
/* Reads what is new. 1: there is one whose process is on. */
int companions_look(struct companions *companions, uint64_t now);
/* -1: the process has none at that moment; else whether the process, or the thread, is off. Moments are asked for in order. */
int companions_is_off(struct companions *companions, uint32_t pid, uint32_t tid, uint64_t ticks);
/*
 * The process has ended, or runs another program: its marks, its name and those of its threads go into the file of its samples, so that
 * one file holds all there is; the companion is removed.
 */
void companions_take(struct companions *companions, uint32_t pid, uint64_t ticks, struct store *store);
/* Those of the process that began before that moment are of no interest any more. */
void companions_drop(struct companions *companions, uint32_t pid, uint64_t ticks);

#endif
