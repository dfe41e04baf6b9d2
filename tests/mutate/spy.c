/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands before libdvmdbg.so (LD_PRELOAD) and writes down all registered objects at each point:
 * what the truth about a fault is taken from, without any of dvmdbg's code. A file of each rank,
 * $SPY.RANK: a line "point SIDE WRITTEN…" at each beginning and end of a parallel loop or task
 * region outside of tasks, and for each object a line "name kind type n" and for each dimension "lo
 * hi", and then the values in the order of the first rank's loops, the last index fastest.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dvmdbg.h"
#undef DVMDBG_ON

enum { OBJECTS = 64, DIMS = DVMDBG_DIMS };
struct cfi {
	void *base;
	size_t elem_len;
	int version;
	int8_t rank, attribute;
	int16_t type;
	struct {
		ptrdiff_t lower, extent, sm;
	} dim[15];
};
struct object {
	const void *addr;
	int by_pointer, ndim, replicated;
	char name[64];
	int type;
	size_t bytes;
	long own[DIMS][2], from[DIMS],
		stride[DIMS]; /* from: global index of the first stored one */
	const long *index[DIMS];
	long halo[DIMS];
};
int dvmdbg_active = 1;
static struct object objects[OBJECTS];
static int nobjects, tasks, depth;
static char kinds[100], writes[100][400];
static FILE *out;

static void file(void)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *name = getenv("SPY");
	char path[1000];

	if (out || !name)
		return;
	if (!rank)
		rank = getenv("PMI_RANK") ? getenv("PMI_RANK") : "0";
	snprintf(path, sizeof(path), "%s.%s", name, rank);
	out = fopen(path, "w");
}

static void put(const struct object *o, const char *base, int d, const long at[DIMS])
{
	long offset = 0, next[DIMS];

	if (d < o->ndim) {
		memcpy(next, at, sizeof(next));
		for (next[d] = o->own[d][0]; next[d] <= o->own[d][1]; next[d]++)
			put(o, base, d + 1, next);
		return;
	}
	for (d = 0; d < o->ndim; d++)
		offset += (at[d] - o->from[d]) * o->stride[d];
	fwrite(base + offset * (long)o->bytes, o->bytes, 1, out);
}

static void point(char side, const char *written)
{
	const long at[DIMS] = { 0 };

	file();
	if (!out || tasks)
		return;
	fprintf(out, "point %c%s\n", side, written);
	for (int i = 0; i < nobjects; i++) {
		const struct object *o = &objects[i];
		const char *base = o->by_pointer ? *(char *const *)o->addr : o->addr;
		int some = base != NULL;

		fprintf(out, "%s %d %d %zu %d", o->name, o->replicated, o->type, o->bytes, o->ndim);
		for (int d = 0; d < o->ndim; d++) {
			const long *l = o->index[d];

			fprintf(out, " %ld %ld", o->own[d][0],
				some ? o->own[d][1] : o->own[d][0] - 1);
			for (long k = 0; l && k <= o->own[d][1]; k++)
				fprintf(out, "%c%ld", k ? ',' : '=', l[k]);
		}
		fprintf(out, "\n");
		if (some)
			put(o, base, 0, at);
		fprintf(out, "\n");
	}
	fflush(out);
}

static struct object *object(const void *addr, int by_pointer, const char *name)
{
	struct object *o = NULL;
	char *c;

	for (int i = 0; i < nobjects && !o; i++)
		if (objects[i].addr == addr && objects[i].by_pointer == by_pointer)
			o = &objects[i];
	if (!o && nobjects == OBJECTS)
		abort();
	if (!o)
		o = &objects[nobjects++];
	memset(o, 0, sizeof(*o));
	o->addr = addr;
	o->by_pointer = by_pointer;
	snprintf(o->name, sizeof(o->name), "%s", name);
	while ((c = strchr(o->name, ' ')))
		*c = '_';
	return o;
}

static size_t size_of(int type)
{
	switch (type) {
	case DVMDBG_INT:
	case DVMDBG_FLOAT:
	case DVMDBG_LOGICAL:
		return 4;
	case DVMDBG_CHAR:
		return 1;
	default:
		return 8;
	}
}

/* Strides of a dense block from the stored extents. */
static void dense(struct object *o, const long stored[DIMS], int fortran)
{
	long s = 1;

	for (int k = 0; k < o->ndim; k++) {
		int d = fortran ? k : o->ndim - 1 - k;

		o->stride[d] = s;
		s *= stored[d];
	}
}

void dvmdbg_array_at(const void *addr, int by_pointer, const char *name, int type, size_t row,
		     size_t whole, const struct dvmdbg_array *a, const char *given,
		     const char *file, int line)
{
	struct object *o = object(addr, by_pointer, name);
	long stored[DIMS];

	(void)row, (void)whole, (void)file, (void)line;
	for (o->ndim = a->ndim; !a->ndim && o->ndim < DIMS && a->shape[o->ndim];)
		o->ndim++;
	o->type = a->type ? a->type - 1 : type;
	o->bytes = size_of(o->type);
	o->replicated = a->replicated;
	for (int d = 0; d < o->ndim; d++) {
		int owns = strstr(given, ".own") != NULL;
		long lo = a->halo_lo[d] ? a->halo_lo[d] : a->halo[d],
		     hi = a->halo_hi[d] ? a->halo_hi[d] : a->halo[d];

		o->own[d][0] = owns ? a->own[d].first : a->lower[d];
		o->own[d][1] = owns ? a->own[d].last : a->lower[d] + a->shape[d] - 1;
		if (a->index[d]) {
			o->index[d] = a->index[d];
			o->own[d][0] = 0;
			o->own[d][1] = a->count[d] - 1;
		}
		if (a->nothing)
			o->own[d][1] = o->own[d][0] - 1;
		o->from[d] = o->own[d][0] - lo;
		stored[d] = o->own[d][1] + hi - o->from[d] + 1;
	}
	dense(o, stored, a->fortran);
	for (int d = 0; d < o->ndim; d++)
		if (a->stride[d])
			o->stride[d] = a->stride[d];
}

void dvmdbg_scalar_at(const void *addr, const char *name, int type, size_t size,
		      const struct dvmdbg_field *field, int nfield, const char *file, int line)
{
	struct object *o = object(addr, 0, name);

	(void)field, (void)nfield, (void)file, (void)line;
	o->type = type;
	o->bytes = size;
	o->replicated = 1;
}

/* Of the address of a variable, by its value or its name. */
static void forget(const void *addr, const char *name)
{
	for (int i = 0; i < nobjects; i++)
		if (addr ? objects[i].addr == addr : !strcmp(objects[i].name, name)) {
			memmove(&objects[i], &objects[i + 1],
				sizeof(objects[0]) * (size_t)(nobjects - i - 1));
			nobjects--;
			return;
		}
}

void dvmdbg_forget_at(const void *addr)
{
	forget(addr, NULL);
}

static void opened(int kind)
{
	if (kind == 'T')
		tasks++;
	if (kind == 'P' || kind == 'R')
		point('B', "");
	kinds[depth++] = (char)kind;
}

static void closed(int kind)
{
	while (depth > 0 && kinds[depth - 1] != kind)
		depth--;
	depth -= depth > 0;
	if (kind == 'P' || kind == 'R')
		point('E', writes[depth]);
	tasks -= kind == 'T';
}

unsigned dvmdbg_open_at(int kind, long number, const struct dvmdbg_construct *c, const char *file,
			int line, const char *func)
{
	(void)number, (void)file, (void)line, (void)func;
	opened(kind);
	writes[depth - 1][0] = '\0';
	for (int i = 0; i < DIMS; i++)
		for (int k = 0; c->writes[i] && k < nobjects; k++)
			if (c->writes[i] == (objects[k].by_pointer ? *(void *const *)objects[k].addr
								   : objects[k].addr))
				snprintf(writes[depth - 1] + strlen(writes[depth - 1]), 80, " %s",
					 objects[k].name);
	return (unsigned)depth;
}

void dvmdbg_close_at(unsigned id, int left)
{
	(void)left;
	while (depth >= (int)id)
		closed(kinds[depth - 1]);
}

void dvmdbg_end_at(int kind)
{
	closed(kind);
}

void dvmdbg_iteration_at(int n, const long *index)
{
	(void)n, (void)index;
}

void dvmdbg_pl_iteration_at(int n, long i, long j, long k, long l, long p, long q, long r, long s)
{
	(void)n, (void)i, (void)j, (void)k, (void)l, (void)p, (void)q, (void)r, (void)s;
}

void dvmdbg_sl_iteration_at(int n, long i, long j, long k, long l, long p, long q, long r, long s)
{
	(void)n, (void)i, (void)j, (void)k, (void)l, (void)p, (void)q, (void)r, (void)s;
}

void dvmdbg_reduction_at(const void *addr, const char *name, int type, size_t size, int op,
			 const char *file, int line)
{
	(void)addr, (void)name, (void)type, (void)size, (void)op, (void)file, (void)line;
}

void dvmdbg_skip_at(const char *file, int line)
{
	(void)file, (void)line;
}

/* ---- Fortran */

static long value(const struct cfi *c, int i)
{
	const char *at = (const char *)c->base + (c->rank ? i * c->dim[0].sm : 0);

	return c->elem_len == 8 ? (long)*(const int64_t *)at : *(const int *)at;
}

static void text(const struct cfi *c, char *to, size_t size)
{
	size_t n = c ? c->elem_len : 0;

	snprintf(to, size, "%.*s", (int)n, c ? (const char *)c->base : "");
	for (n = strlen(to); n && to[n - 1] == ' ';)
		to[--n] = '\0';
}

static struct object *described(const struct cfi *a, const struct cfi *name)
{
	char called[64];
	struct object *o;

	text(name, called, sizeof(called));
	forget(NULL, called);
	o = object(a->base, 0, called);
	o->ndim = a->rank;
	o->bytes = a->elem_len;
	o->type = (a->type & 0xff) == 3 ? (a->elem_len == 8 ? DVMDBG_DOUBLE : DVMDBG_FLOAT)
		  : a->elem_len == 8	? DVMDBG_LONG
					: DVMDBG_INT;
	for (int d = 0; d < o->ndim; d++) {
		o->own[d][0] = o->from[d] = 1;
		o->own[d][1] = a->dim[d].extent;
		o->stride[d] = a->dim[d].sm / (ptrdiff_t)a->elem_len;
	}
	return o;
}

void dvmdbg_f_array_periodic(const struct cfi *a, const struct cfi *name, const struct cfi *shape,
			     const struct cfi *own_lo, const struct cfi *own_hi,
			     const struct cfi *halo, const struct cfi *halo_lo,
			     const struct cfi *halo_hi, const struct cfi *lower, const int *nothing)
{
	struct object *o = described(a, name);

	(void)shape, (void)halo_hi, (void)lower;
	for (int d = 0; d < o->ndim; d++) {
		long lo = halo_lo ? value(halo_lo, d) : halo ? value(halo, d) : 0;

		if (own_lo)
			o->own[d][0] = value(own_lo, d);
		if (own_hi)
			o->own[d][1] = value(own_hi, d);
		if (nothing && *nothing)
			o->own[d][1] = o->own[d][0] - 1;
		o->from[d] = o->own[d][0] - lo;
	}
}

void dvmdbg_f_replicated(const struct cfi *a, const struct cfi *name)
{
	described(a, name)->replicated = 1;
}

void dvmdbg_f_forget(const struct cfi *name)
{
	char called[64];

	text(name, called, sizeof(called));
	forget(NULL, called);
}

static void open_f(int kind, const struct cfi *names)
{
	char *to = writes[depth];

	opened(kind);
	to[0] = ' ';
	text(names, to + 1, sizeof(writes[0]) - 1);
	if (!to[1])
		to[0] = '\0';
	for (char *c = to; *c; c++)
		if (*c == ',')
			*c = ' ';
}

void dvmdbg_f_pl_mapped(const void *first, const void *last, const void *on, const struct cfi *names)
{
	(void)first, (void)last, (void)on;
	open_f('P', names);
}

void dvmdbg_f_tr_open(const void *first, const void *last, const struct cfi *names)
{
	(void)first, (void)last;
	open_f('R', names);
}

#define NOTHING(name)   \
	void name(void) \
	{               \
	}
void dvmdbg_f_sl_begin(void)
{
	open_f('S', NULL);
}
void dvmdbg_f_task_begin(void)
{
	open_f('T', NULL);
}
void dvmdbg_f_function_begin(void)
{
	open_f('F', NULL);
}
void dvmdbg_f_pl_end(void)
{
	closed('P');
}
void dvmdbg_f_sl_end(void)
{
	closed('S');
}
void dvmdbg_f_tr_end(void)
{
	closed('R');
}
void dvmdbg_f_task_end(void)
{
	closed('T');
}
void dvmdbg_f_function_end(void)
{
	closed('F');
}
NOTHING(dvmdbg_f_reduction)
NOTHING(dvmdbg_f_skip)
NOTHING(dvmdbg_f_pl_iteration_end)
NOTHING(dvmdbg_f_iteration_4)
NOTHING(dvmdbg_f_iteration_44)
NOTHING(dvmdbg_f_iteration_444)
NOTHING(dvmdbg_f_iteration_8)
NOTHING(dvmdbg_f_pl_iteration_4)
NOTHING(dvmdbg_f_pl_iteration_44)
NOTHING(dvmdbg_f_pl_iteration_444)
