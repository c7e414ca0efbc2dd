/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the C library that enter the kernel at each call, sorted by strcmp(). A call of one
 * of them is an operating-system event (doc/semantics.md, R11). Not here: functions that enter the
 * kernel only at times (streams.h: stdio, readdir; malloc, mutexes) and those that the vDSO serves
 * (clock_gettime, time); their costs show up through the kernel's own counters.
 */
#ifndef CINSTR_PLUGIN_WRAPPERS_H
#define CINSTR_PLUGIN_WRAPPERS_H

/* clang-format off */
static const char *const wrapper_names[] = {
	"_Exit", "_Fork", "__fxstat", "__fxstat64", "__getcwd_chk", "__lxstat", "__lxstat64",
	"__open64_2", "__open_2", "__openat64_2", "__openat_2", "__poll_chk", "__ppoll_chk",
	"__pread64_chk", "__pread_chk", "__read_chk", "__readlink_chk", "__readlinkat_chk",
	"__recv_chk", "__recvfrom_chk", "__xstat", "__xstat64", "_exit", "accept", "accept4",
	"access", "alarm", "bind", "brk", "chdir", "chmod", "chown", "chroot", "clock_nanosleep",
	"clone", "close", "connect", "copy_file_range", "creat", "creat64", "dup", "dup2", "dup3",
	"epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait",
	"eventfd", "eventfd_read", "eventfd_write", "execl", "execle", "execlp", "execv", "execve",
	"execveat", "execvp", "execvpe", "faccessat", "fallocate", "fallocate64", "fchdir",
	"fchmod", "fchmodat", "fchown", "fchownat", "fcntl", "fcntl64", "fdatasync", "fexecve",
	"flock", "fork", "fstat", "fstat64", "fstatat", "fstatat64", "fstatfs", "fstatfs64",
	"fstatvfs", "fstatvfs64", "fsync", "ftruncate", "ftruncate64", "futimens", "getcwd",
	"getdents", "getdents64", "getegid", "geteuid", "getgid", "getitimer", "getpeername",
	"getpid", "getppid", "getrandom", "getrlimit", "getrlimit64", "getrusage", "getsockname",
	"getsockopt", "gettid", "getuid", "inotify_add_watch", "inotify_init", "inotify_init1",
	"inotify_rm_watch", "io_destroy", "io_getevents", "io_setup", "io_submit", "ioctl", "kill",
	"killpg", "lchown", "link", "linkat", "listen", "lockf", "lockf64", "lseek", "lseek64",
	"lstat", "lstat64", "madvise", "memfd_create", "mkdir", "mkdirat", "mkfifo", "mknod",
	"mknodat", "mlock", "mlockall", "mmap", "mmap64", "mount", "mprotect", "mq_open",
	"mq_receive", "mq_send", "mq_timedreceive", "mq_timedsend", "mremap", "msgctl", "msgget",
	"msgrcv", "msgsnd", "msync", "munlock", "munlockall", "munmap", "nanosleep", "open",
	"open64", "openat", "openat64", "pause", "pipe", "pipe2", "poll", "posix_fadvise",
	"posix_fadvise64", "posix_fallocate", "posix_fallocate64", "posix_spawn", "posix_spawnp",
	"ppoll", "prctl", "pread", "pread64", "preadv", "preadv2", "preadv64", "preadv64v2",
	"prlimit", "prlimit64", "process_vm_readv", "process_vm_writev", "pselect", "pthread_kill",
	"pthread_sigmask", "pthread_yield", "ptrace", "pwrite", "pwrite64", "pwritev", "pwritev2",
	"pwritev64", "pwritev64v2", "raise", "read", "readahead", "readlink", "readlinkat",
	"readv", "recv", "recvfrom", "recvmmsg", "recvmsg", "rename", "renameat", "renameat2",
	"rmdir", "sched_getaffinity", "sched_setaffinity", "sched_setscheduler", "sched_yield",
	"select", "semctl", "semget", "semop", "semtimedop", "send", "sendfile", "sendfile64",
	"sendmmsg", "sendmsg", "sendto", "setgid", "setitimer", "setns", "setpgid", "setrlimit",
	"setrlimit64", "setsid", "setsockopt", "setuid", "shmat", "shmctl", "shmdt", "shmget",
	"shutdown", "sigaction", "signalfd", "sigprocmask", "sigqueue", "sigsuspend",
	"sigtimedwait", "sigwait", "sigwaitinfo", "sleep", "socket", "socketpair", "splice",
	"stat", "stat64", "statfs", "statfs64", "statvfs", "statvfs64", "statx", "symlink",
	"symlinkat", "sync", "sync_file_range", "syncfs", "syscall", "sysinfo", "system",
	"tcdrain", "tcflush", "tcgetattr", "tcsetattr", "tee", "tgkill", "thrd_sleep",
	"thrd_yield", "timer_create", "timer_delete", "timer_settime", "timerfd_create",
	"timerfd_gettime", "timerfd_settime", "times", "truncate", "truncate64", "umask", "umount",
	"umount2", "uname", "unlink", "unlinkat", "unshare", "usleep", "utime", "utimensat",
	"utimes", "vfork", "vmsplice", "wait", "wait3", "wait4", "waitid", "waitpid", "write",
	"writev",
};
/* clang-format on */

#endif
