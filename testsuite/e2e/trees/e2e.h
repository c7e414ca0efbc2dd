/* Common to the programs: functions that stay functions at every level. */
#ifndef E2E_H
#define E2E_H
#include <stdio.h>
#include <stdlib.h>

#define KEEP __attribute__((noipa))

extern volatile int sink;
#ifndef E2E_NO_SINK
volatile int sink;
#endif
#endif
