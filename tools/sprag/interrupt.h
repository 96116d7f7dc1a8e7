// interrupt.h: Ctrl-C, and the clock for lines of progress.
#ifndef SPRAG_TOOL_INTERRUPT_H
#define SPRAG_TOOL_INTERRUPT_H

// Catches the first Ctrl-C from now on; the second ends the program at once. Non-zero behind the
// pointer: it came.
const volatile int *tool_catch_interrupts(void);
// A clock that only runs forward, s.
double tool_seconds(void);

#endif
