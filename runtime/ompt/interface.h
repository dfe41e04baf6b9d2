/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is used of OMPT, the interface for tools of OpenMP 5.1, chapter 4: numbers of events and
 * kinds, and types of the callbacks. Nothing has to be installed for it.
 */
#ifndef DVMDBG_RUNTIME_OMPT_INTERFACE_H
#define DVMDBG_RUNTIME_OMPT_INTERFACE_H

#include <stdint.h>

union omp_data {
	uint64_t value;
	void *ptr;
};

/* Numbers of callbacks. */
enum {
	OMP_PARALLEL_BEGIN = 3,
	OMP_PARALLEL_END = 4,
	OMP_TASK_CREATE = 5,
	OMP_TASK_SCHEDULE = 6,
	OMP_IMPLICIT_TASK = 7,
	OMP_MUTEX_RELEASED = 17,
	OMP_DEPENDENCES = 18,
	OMP_WORK = 20,
	OMP_MASKED = 21,
	OMP_SYNC_REGION = 23,
	OMP_MUTEX_ACQUIRED = 27,
	OMP_REDUCTION = 31
};

enum { OMP_SCOPE_BEGIN = 1, OMP_SCOPE_END = 2 };
/* Locks of the program's; what the OpenMP runtime excludes itself has higher numbers. */
enum { OMP_MUTEX_LOCK = 1, OMP_MUTEX_TEST_NEST_LOCK = 4, OMP_MUTEX_ORDERED = 7 };

enum {
	OMP_TASK_INITIAL = 0x1,
	OMP_TASK_EXPLICIT = 0x4,
	OMP_TASK_TASKWAIT = 0x10,
	OMP_TASK_UNDEFERRED = 0x8000000
};

#define OMP_PARALLEL_LEAGUE 0x40000000

enum {
	OMP_STATUS_COMPLETE = 1,
	OMP_STATUS_CANCEL = 3,
	OMP_STATUS_DETACH = 4, /* it is executed, but not fulfilled */
	OMP_STATUS_FULFILLED_EARLY = 5,
	OMP_STATUS_FULFILLED_LATE = 6,
	OMP_STATUS_WAITED = 8
};

/* Kinds of dependences: of iterations. */
enum { OMP_DEPEND_SOURCE = 5, OMP_DEPEND_SINK = 6 };

/* Of regions that synchronise: all other numbers are barriers. */
enum { OMP_SYNC_TASKWAIT = 5, OMP_SYNC_TASKGROUP = 6, OMP_SYNC_REDUCTION = 7 };

/* Of a task that has called the runtime: the frame of the function that it has called. */
struct omp_frame {
	union omp_data exit, enter;
	int exit_flags, enter_flags;
};

struct omp_dependence {
	union omp_data variable;
	int type;
};

typedef void (*omp_function)(void);
typedef omp_function (*omp_lookup)(const char *name);
typedef int (*omp_set_callback)(int event, omp_function f);

struct omp_tool {
	int (*initialize)(omp_lookup lookup, int device, union omp_data *data);
	void (*finalize)(union omp_data *data);
	union omp_data data;
};

#endif
