/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernel_setting.h - settings of the kernel (sysctl) that say what may be sampled. */
#ifndef SAMPLER_KERNEL_SETTING_H
#define SAMPLER_KERNEL_SETTING_H

/* The number in /proc/sys/kernel/NAME. */
long kernel_setting(const char *name, long otherwise);
/* perf_event_paranoid: what may be sampled without CAP_PERFMON: -1 all, from 2 on no code of the
 * kernel. */
long kernel_setting_paranoid(void);

#endif
