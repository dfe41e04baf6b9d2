/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each callback is one note. A task knows the outermost region it is in, and in which interval
 * between barriers of that it was created: accesses need nothing else to be sorted.
 */
#include "runtime/ompt/ompt.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/base/omp_table.h"
#include "runtime/ompt/interface.h"
#include "runtime/ompt/locks.h"
#include "runtime/record/record.h"

/* The OpenMP runtime has its own data of a task before what it gives for the program's. */
#define TASK_DATA 1024u /* and where that is not known, of both */

/* What a task or a region is known by; in the OpenMP runtime's data of it. */
struct omp_task {
	uint64_t id, root; /* root: the outermost region around it, 0 none */
	uint32_t interval;
	bool counts;		   /* an implicit task of the outermost region */
	bool league;		   /* in one of several teams */
	struct task_memory memory; /* of its copies; id 0: not known */
	struct omp_task *outer;	   /* whose place the OpenMP runtime has given it */
};

struct omp_region {
	uint64_t id, root;
	uint32_t interval;
	bool league;		  /* of teams, or in one */
	struct omp_region *outer; /* that this thread has begun before, and not ended */
	bool entered;		  /* its thread is in it */
};

/* The regions that the thread has begun. The OpenMP runtime may name an outer one where those of
 * one thread are in each other. */
static OPENMP_THREAD struct omp_region *innermost;

static _Atomic uint64_t last_id;

static uint64_t next_id(void)
{
	return atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
}

/*
 * What the frames of the task are below, in a callback: the runtime calls its code from the
 * function that calls us, or from the one around that, whose own frames are between.
 */
#define STACK_BETWEEN 256
#define STACK ((uintptr_t)__builtin_frame_address(0) + STACK_BETWEEN)

static const struct omp_task *task_of(const union omp_data *d)
{
	static const struct omp_task none;

	return d && d->ptr ? d->ptr : &none;
}

static void forget(union omp_data *d)
{
	free(d->ptr);
	d->ptr = NULL;
}

/* ---- regions and tasks ---- */

/* What the stack pointer and the frame pointer of the program were at the call before pc; 0: not
 * known. */
static void registers(const struct omp_frame *f, const void *pc, uintptr_t *sp, uintptr_t *bp)
{
#if defined(__x86_64__) || defined(__aarch64__)
	void *const *frame = f ? f->enter.ptr : NULL;

	*sp = *bp = 0;
	if (!frame || (uintptr_t)frame % sizeof(*frame) || frame[1] != pc)
		return;
	*sp = (uintptr_t)(frame + 2);
	*bp = (uintptr_t)frame[0];
#else
	(void)f;
	(void)pc;
	*sp = *bp = 0;
#endif
}

static void on_parallel_begin(union omp_data *task, const struct omp_frame *frame,
			      union omp_data *region, unsigned requested, int flags, const void *pc)
{
	struct begun_by by = begun_by;
	const struct omp_task *t = task_of(task);
	struct omp_region *r = calloc(1, sizeof(*r));

	begun_by.pc = 0;
	if (!by.pc) {
		by = (struct begun_by){ .pc = (uintptr_t)pc };
		registers(frame, pc, &by.sp, &by.bp);
	}
	region->ptr = r;
	if (!r)
		return;
	r->id = next_id();
	r->root = t->root ? t->root : r->id;
	r->interval = t->root ? t->interval : 0;
	r->league = t->league || flags & OMP_PARALLEL_LEAGUE;
	r->outer = innermost;
	innermost = r;
	openmp_note("P %" PRIu64 " %u %" PRIxPTR " %" PRIxPTR " %" PRIxPTR " %" PRIxPTR
		    " %" PRIxPTR,
		    r->id, requested, by.pc, by.sp, by.bp, by.code, by.data);
}

static void on_parallel_end(union omp_data *region, union omp_data *task, int flags, const void *pc)
{
	struct omp_region *r = innermost;

	(void)task;
	(void)flags;
	(void)pc;
	if (!r)
		return;
	openmp_note("p %" PRIu64, r->id);
	innermost = r->outer;
	if (region->ptr == r)
		region->ptr = NULL;
	free(r);
}

static void implicit_begin(const union omp_data *region, union omp_data *task, unsigned n,
			   unsigned index, uintptr_t stack)
{
	const struct omp_region *r = region ? region->ptr : NULL;
	struct omp_task *t;

	if (innermost && !innermost->entered) {
		innermost->entered = true;
		r = innermost;
	}
	t = r ? calloc(1, sizeof(*t)) : NULL;
	if (!t)
		return;
	t->outer = task->ptr;
	task->ptr = t;
	t->id = next_id();
	t->root = r->root;
	t->interval = r->interval;
	t->counts = r->root == r->id;
	t->league = r->league;
	openmp_loop();
	openmp_note("I %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %u %u %" PRIxPTR " %d", t->id, r->id,
		    t->root, t->interval, index, n, stack, t->league);
}

static void implicit_end(union omp_data *task)
{
	struct omp_task *t = task->ptr;

	openmp_note("i %" PRIu64, t->id);
	task->ptr = t->outer;
	free(t);
}

static void on_implicit_task(int endpoint, union omp_data *region, union omp_data *task, unsigned n,
			     unsigned index, int flags)
{
	/* of a team it is the first, of the program it counts for nothing */
	if (flags & OMP_TASK_INITIAL && endpoint == OMP_SCOPE_BEGIN && !(region && region->ptr))
		return;
	if (endpoint == OMP_SCOPE_BEGIN)
		implicit_begin(region, task, n, index, STACK);
	else if (task->ptr)
		implicit_end(task);
}

static void on_task_create(union omp_data *parent, const struct omp_frame *frame,
			   union omp_data *task, int flags, int depends, const void *pc)
{
	uintptr_t sp, bp;
	const struct omp_task *p = task_of(parent);
	struct omp_task *t;

	(void)depends;
	registers(frame, pc, &sp, &bp);
	if (!(flags & (OMP_TASK_EXPLICIT | OMP_TASK_TASKWAIT)))
		return;
	t = calloc(1, sizeof(*t));
	task->ptr = t;
	if (!t)
		return;
	t->id = next_id();
	t->root = p->root;
	t->interval = p->interval;
	t->league = p->league;
	/* a task that only waits for others has none */
	if (flags & OMP_TASK_EXPLICIT && task_memory.id &&
	    task_memory.at - (uintptr_t)task < TASK_DATA)
		t->memory = task_memory;
	else if (flags & OMP_TASK_EXPLICIT)
		t->memory = openmp_memory(task, TASK_DATA);
	openmp_note("C %" PRIu64 " %s %" PRIxPTR " %" PRIxPTR " %" PRIxPTR " %" PRIu64 " %" PRIx64
		    " %" PRIx64,
		    t->id,
		    flags & OMP_TASK_TASKWAIT	  ? "w"
		    : flags & OMP_TASK_UNDEFERRED ? "u"
						  : "-",
		    (uintptr_t)pc, sp, bp, t->memory.id, t->memory.at, t->memory.n);
}

#define MOST_DIMENSIONS 6 /* of a loop whose iterations wait for each other */

static void on_dependences(union omp_data *task, const struct omp_dependence *d, int n)
{
	const struct omp_task *t = task_of(task);
	char vector[MOST_DIMENSIONS * 21 + 1];

	if (n > 0 && n <= MOST_DIMENSIONS &&
	    (d->type == OMP_DEPEND_SOURCE || d->type == OMP_DEPEND_SINK)) {
		for (int i = 0, to = 0; i < n; i++)
			to += snprintf(vector + to, sizeof(vector) - (size_t)to, " %" PRIu64,
				       d[i].variable.value);
		openmp_note("X %s%s", d->type == OMP_DEPEND_SINK ? "q" : "p", vector);
		return;
	}
	for (int i = 0; i < n && t->id; i++)
		openmp_note("D %" PRIu64 " %d %" PRIx64, t->id, d[i].type, d[i].variable.value);
}

static void on_task_schedule(union omp_data *prior, int status, union omp_data *next)
{
	const struct omp_task *t = task_of(next);
	bool over = status == OMP_STATUS_COMPLETE || status == OMP_STATUS_CANCEL ||
		    status == OMP_STATUS_WAITED || status == OMP_STATUS_DETACH;

	if (status == OMP_STATUS_FULFILLED_EARLY || status == OMP_STATUS_FULFILLED_LATE) {
		if (prior && prior->ptr)
			openmp_note("F %" PRIu64, task_of(prior)->id);
		if (prior && status == OMP_STATUS_FULFILLED_LATE)
			forget(prior);
		return;
	}
	if (over && prior && prior->ptr) {
		openmp_note("s %" PRIu64, task_of(prior)->id);
		/* one that waits for its event is needed until that */
		if (status != OMP_STATUS_DETACH)
			forget(prior);
	}
	openmp_loop();
	if (next && next->ptr)
		openmp_note("S %" PRIu64 " %" PRIu64 " %u %" PRIxPTR " %" PRIu64 " %" PRIx64
			    " %" PRIx64,
			    t->id, t->root, t->interval, STACK, t->memory.id, t->memory.at,
			    t->memory.n);
}

/* ---- synchronisation ---- */

static void on_sync_region(int kind, int endpoint, union omp_data *region, union omp_data *task,
			   const void *pc)
{
	const char *word = kind == OMP_SYNC_TASKWAIT ? "w" : kind == OMP_SYNC_TASKGROUP ? "g" : "b";
	struct omp_task *t = task ? task->ptr : NULL;

	(void)region;
	(void)pc;
	if (kind == OMP_SYNC_REDUCTION || !t)
		return;
	if (endpoint == OMP_SCOPE_END && *word == 'b' && t->counts)
		t->interval++;
	if (endpoint == OMP_SCOPE_BEGIN && *word == 'b')
		locks_keep();
	openmp_note("%s %s", endpoint == OMP_SCOPE_BEGIN ? "B" : "b", word);
}

static void on_reduction(int kind, int endpoint, union omp_data *region, union omp_data *task,
			 const void *pc)
{
	(void)kind;
	(void)region;
	(void)task;
	(void)pc;
	openmp_note("%s", endpoint == OMP_SCOPE_BEGIN ? "R" : "r");
}

static bool is_lock(int kind)
{
	return kind >= OMP_MUTEX_LOCK && kind <= OMP_MUTEX_TEST_NEST_LOCK;
}

/* Numbered in the order of the run; ordered regions of a loop are executed one after the other. */
static void put_mutex(char what, int kind, uint64_t id, const void *pc)
{
	openmp_note("%c %d %" PRIx64 " %" PRIxPTR " %d %" PRIu64, what, kind, id, (uintptr_t)pc,
		    is_lock(kind) && lock_was_kept(id), dvmdbg_thread_clock());
}

static void on_acquired(int kind, uint64_t id, const void *pc)
{
	if (is_lock(kind))
		lock_acquired(id);
	put_mutex('L', kind, id, pc);
}

static void on_released(int kind, uint64_t id, const void *pc)
{
	if (is_lock(kind))
		lock_released(id);
	put_mutex('l', kind, id, pc);
}

static void on_work(int kind, int endpoint, union omp_data *region, union omp_data *task,
		    uint64_t count, const void *pc)
{
	(void)region;
	(void)task;
	openmp_loop();
	openmp_note("%s %d %" PRIu64 " %" PRIxPTR, endpoint == OMP_SCOPE_BEGIN ? "W" : "w", kind,
		    count, (uintptr_t)pc);
}

static void on_masked(int endpoint, union omp_data *region, union omp_data *task, const void *pc)
{
	(void)region;
	(void)task;
	(void)pc;
	openmp_note("%s", endpoint == OMP_SCOPE_BEGIN ? "M" : "m");
}

/* ---- the tool ---- */

#define TEAMS 2 /* with fewer, what teams do at the same time is not seen */

/* Where nobody has said how many teams there are, the OpenMP runtime has one. */
static void have_teams(void)
{
	int (*most)(void);
	void (*set)(int n);

	*(void **)&most = dlsym(RTLD_DEFAULT, "omp_get_max_teams");
	*(void **)&set = dlsym(RTLD_DEFAULT, "omp_set_num_teams");
	if (most && set && most() <= 0)
		set(TEAMS);
}

/* ---- points ---- */

static bool recorded; /* events are notes, too */
/* The OpenMP runtime reads it as it starts: then it is ours, behind that what it was. */
#define METHOD "KMP_FORCE_REDUCTION"
static char *method;

static void on_region_begin(union omp_data *task, const struct omp_frame *frame,
			    union omp_data *region, unsigned requested, int flags, const void *pc)
{
	if (rt.at_region && !(flags & OMP_PARALLEL_LEAGUE))
		rt.at_region(pc, true);
	if (recorded)
		on_parallel_begin(task, frame, region, requested, flags, pc);
}

static void on_region_end(union omp_data *region, union omp_data *task, int flags, const void *pc)
{
	if (recorded)
		on_parallel_end(region, task, flags, pc);
	if (rt.at_region && !(flags & OMP_PARALLEL_LEAGUE))
		rt.at_region(pc, false);
}

static int initialize(omp_lookup lookup, int device, union omp_data *data)
{
	static const struct {
		int event;
		omp_function f;
	} all[] = { /* regions come first */
		    { OMP_PARALLEL_BEGIN, (omp_function)on_region_begin },
		    { OMP_PARALLEL_END, (omp_function)on_region_end },
		    { OMP_IMPLICIT_TASK, (omp_function)on_implicit_task },
		    { OMP_TASK_CREATE, (omp_function)on_task_create },
		    { OMP_TASK_SCHEDULE, (omp_function)on_task_schedule },
		    { OMP_DEPENDENCES, (omp_function)on_dependences },
		    { OMP_SYNC_REGION, (omp_function)on_sync_region },
		    { OMP_REDUCTION, (omp_function)on_reduction },
		    { OMP_MUTEX_ACQUIRED, (omp_function)on_acquired },
		    { OMP_MUTEX_RELEASED, (omp_function)on_released },
		    { OMP_WORK, (omp_function)on_work },
		    { OMP_MASKED, (omp_function)on_masked }
	};
	const size_t regions = 2, n = recorded ? sizeof(all) / sizeof(*all) : regions;
	omp_set_callback set = (omp_set_callback)lookup("ompt_set_callback");

	(void)device;
	(void)data;
	if (recorded && method)
		setenv(METHOD, method, 1);
	else if (recorded)
		unsetenv(METHOD);
	for (size_t i = 0; set && i < n; i++)
		set(all[i].event, all[i].f);
	if (recorded)
		have_teams();
	return set != NULL;
}

static void finalize(union omp_data *data)
{
	(void)data;
}

RT_PUBLIC struct omp_tool *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct omp_tool tool = { initialize, finalize, { 0 } };

	(void)version;
	(void)runtime;
	recorded = trace_is_there() && access_hooked();
	/* which thread combines results is not to depend on how many there are */
	if (recorded) {
		method = getenv(METHOD);
		method = method ? strdup(method) : NULL;
		setenv(METHOD, "critical", 1);
	}
	return recorded || (rt_is_on() && rt.page->points == POINT_KIND_OMP) ? &tool : NULL;
}
