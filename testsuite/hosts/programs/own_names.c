/*
 * A program's (or library's) own functions by names of libc's, as shells, allocators, emulators and
 * test doubles have them. Each needs what main sets up, and takes no notice of its arguments. In a
 * static program (OWN_FEW) only those which libc itself does not use by these names.
 */
#include "own_names.h"

int own_ready, own_calls;

static long own(const char *name)
{
	own_calls++;
	own_write(2, name);
	own_write(2, own_ready ? " was called\n" : " was called before main\n");
	if (!own_ready)
		own_exit(99);
	return 0;
}

#define OWN(name) long name(void) { return own(#name); }

OWN(secure_getenv)
OWN(dlopen)
OWN(dlsym)
OWN(dlerror)
OWN(dladdr)
OWN(on_exit)
OWN(pthread_key_create)
OWN(pthread_setspecific)
OWN(pthread_getspecific)
OWN(pthread_atfork)
OWN(sigaction)
OWN(syscall)
OWN(prctl)
#ifndef OWN_FEW
OWN(getenv)
OWN(setenv)
OWN(putenv)
OWN(dlclose)
OWN(dlvsym)
OWN(dl_iterate_phdr)
OWN(getauxval)
OWN(__cxa_atexit)
OWN(__register_atfork)
OWN(pthread_create)
OWN(pthread_self)
OWN(pthread_once)
OWN(pthread_mutex_lock)
OWN(pthread_mutex_unlock)
OWN(signal)
OWN(sigprocmask)
OWN(pthread_sigmask)
OWN(mmap)
OWN(munmap)
OWN(mprotect)
OWN(madvise)
OWN(open)
OWN(openat)
OWN(close)
OWN(read)
OWN(write)
OWN(pwrite)
OWN(fstat)
OWN(fcntl)
OWN(ioctl)
OWN(flock)
OWN(ftruncate)
OWN(fallocate)
OWN(readlink)
OWN(getcwd)
OWN(mkdir)
OWN(rename)
OWN(unlink)
OWN(fork)
OWN(waitpid)
OWN(kill)
OWN(getpid)
OWN(gettid)
OWN(getppid)
OWN(getrusage)
OWN(getrlimit)
OWN(clock_gettime)
OWN(nanosleep)
OWN(sched_yield)
OWN(time)
OWN(memcpy)
OWN(memmove)
OWN(memset)
OWN(memcmp)
OWN(strlen)
OWN(strcmp)
OWN(strcpy)
OWN(strchr)
OWN(malloc)
OWN(calloc)
OWN(realloc)
OWN(free)
OWN(uname)
OWN(__errno_location)
#endif
