/* The same program as tailcalls where nothing is a tail call. */
#include "tailcalls.c"
