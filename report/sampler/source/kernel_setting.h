/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernel_setting.h - the kernel's settings (sysctl) that limit sampling. */
#ifndef SAMPLER_KERNEL_SETTING_H
#define SAMPLER_KERNEL_SETTING_H

/* Returns the number in /proc/sys/kernel/NAME, or `otherwise` if it cannot be read. */
long kernel_setting(const char *name, long otherwise);
/* Returns perf_event_paranoid, the limit without CAP_PERFMON: -1: everything is allowed, from 2 on
 * no code of the kernel. */
long kernel_setting_paranoid(void);

#endif
