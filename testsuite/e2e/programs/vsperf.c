/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of the other API (cinstr/VSPerf.h): what they do, and what they answer. */
#include <stdio.h>

#include "cinstr/VSPerf.h"

static volatile int sink;

__attribute__((noinline)) void leaf(void)
{
	sink++;
}

#define TRY(call) printf("%s: %d\n", #call, (int)(call))

int main(void)
{
	leaf();
	TRY(StopProfile(PROFILE_THREADLEVEL, PROFILE_CURRENTID));
	leaf();
	TRY(MarkProfile(1));
	TRY(StartProfile(PROFILE_THREADLEVEL, PROFILE_CURRENTID));
	leaf();
	TRY(SuspendProfile(PROFILE_PROCESSLEVEL, PROFILE_CURRENTID));
	leaf();
	TRY(ResumeProfile(PROFILE_PROCESSLEVEL, PROFILE_CURRENTID));
	TRY(SuspendProfile(PROFILE_GLOBALLEVEL, PROFILE_CURRENTID));
	leaf();
	TRY(ResumeProfile(PROFILE_GLOBALLEVEL, PROFILE_CURRENTID));
	leaf();
	TRY(StartProfile((PROFILE_CONTROL_LEVEL)9, PROFILE_CURRENTID));
	TRY(StartProfile(PROFILE_PROCESSLEVEL, 0));
	TRY(MarkProfile(1));
	TRY(MarkProfile(0));
	TRY(CommentMarkProfile(2, "with a text"));
	TRY(CommentMarkAtProfile(1, 3, "long ago"));
	TRY(NameProfile("vsperf", PROFILE_PROCESSLEVEL, PROFILE_CURRENTID));
	TRY(NameProfile("again", PROFILE_PROCESSLEVEL, PROFILE_CURRENTID));
	TRY(NameProfile("9", PROFILE_THREADLEVEL, PROFILE_CURRENTID));
	TRY(NameProfile("all", PROFILE_GLOBALLEVEL, PROFILE_CURRENTID));
	return 0;
}
