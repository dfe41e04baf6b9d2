/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks beside the source: they come compiled (common/markcode/markcode.h) in the shared page,
 * before the program starts. Where one is an instruction of the program is replaced by one that
 * traps; the thread that runs main does there what the macros of dvmdbg.h would do, on its own
 * stack, and goes on.
 */
#ifndef DVMDBG_RUNTIME_MARKS_H
#define DVMDBG_RUNTIME_MARKS_H

/* When the runtime is up; nothing without such marks. */
void marks_init(void);

#endif
