/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Halo copies against their owners.
 */
#ifndef DVMDBG_FRONTEND_HALO_HALO_H
#define DVMDBG_FRONTEND_HALO_HALO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array/section.h"
#include "common/array/value.h"
#include "common/logical/point.h"
#include "common/logical/rankset.h"
#include "common/protocol/rule.h"
#include "frontend/session/session.h"

struct err;
struct halo_entry;
struct halo_report;
struct halo_watch;
struct rankset;
struct session;

/* Elements of rank's halo on one side that differ from what one owner has. */
struct halo_entry {
	char array[128];
	uint8_t order;
	unsigned ndim;
	int8_t side[ARRAY_DIMS]; /* -1 below the own part, 1 above it, 0 beside; several: an edge or
				    corner */
	uint32_t rank, owner;
	uint64_t total, differ;
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS]; /* box around those that differ, global */
	int64_t first[ARRAY_DIMS];
	int8_t wrap[ARRAY_DIMS]; /* the rank has them so many extents further, beyond the array */
	uint8_t type;		/* enum value_type of these: */
	struct value halo, own; /* of the first; of a structure its first field that differs */
	char field[64];		/* that field's name, "": no structure */
	double largest;		/* difference; infinite where one is no number */
	/* The array, and how wide the rank's halo is around its own part. */
	char name[128], file[128]; /* of the base name */
	uint32_t line, counter;
	int64_t lower[ARRAY_DIMS], extent[ARRAY_DIMS];
	int64_t own_lo[ARRAY_DIMS], own_hi[ARRAY_DIMS], halo_lo[ARRAY_DIMS], halo_hi[ARRAY_DIMS];
	/*
	 * Against an earlier report: elements that were set since; of these, where the owner has a
	 * new value, those that have it; and stale ones that are as the owner was then.
	 */
	uint64_t renewed, fresh, former;
};

/* What the halo of a rank on one side held, and what its owners had of it. */
struct halo_kept {
	char array[128];
	uint32_t rank;
	int8_t side[ARRAY_DIMS];
	int64_t lo[ARRAY_DIMS],
		hi[ARRAY_DIMS]; /* global; its elements, the last dimension fastest */
	uint64_t n;		/* bytes */
	unsigned char *
		halo; /* owned; n bytes, then those of the owners, then a byte per element: known */
};

struct halo_report {
	struct halo_entry
		*entry; /* owned; only those with differ > 0; by array, rank, side, owner */
	size_t n;
	uint64_t arrays, elements; /* that were compared */
	uint64_t unowned;	   /* others, whose owner could not be asked, or that nobody owns */
	char **note;		   /* owned; what was left out and why */
	struct halo_kept *kept;	   /* owned */
	size_t nkept;
	size_t nnote;
	struct rankset silent;
};

/*
 * Compares the halos of who, bit by bit, with what their owners, any stopped ranks, have; one NaN
 * equals another. name "": all distributed arrays with a halo. Halo outside the global array has no
 * owner and is left out, but where the array is periodic; of several owners of an element the
 * lowest rank is meant. An array of
 * which there is no halo is no error, one that does not exist is. -1 and err, out is empty then.
 */
int halo_check(struct session *s, const char *name, const struct rankset *who,
	       struct halo_report *out, struct err *err);
/* All arrays of all ranks; keeps what is there, and compares it with what an earlier such report
 * kept. before may be NULL. */
int halo_check_again(struct session *s, const struct halo_report *before, struct halo_report *out,
		     struct err *err);
void halo_report_clear(struct halo_report *r);

#define HALO_SHIFTED 8

/* An array whose contents are adjacent to where it is registered, and what to do. */
struct halo_shifted {
	char array[128], text[512];
};
/* Looks at all arrays of all stopped ranks, best where halos have just been renewed. How many. */
size_t halo_shifted(struct session *s, struct halo_shifted out[HALO_SHIFTED]);

/* Where the rank has those that differ, as if the array went on. */
static inline int64_t halo_lo_here(const struct halo_entry *e, unsigned d)
{
	return e->lo[d] + e->wrap[d] * e->extent[d];
}

static inline int64_t halo_hi_here(const struct halo_entry *e, unsigned d)
{
	return e->hi[d] + e->wrap[d] * e->extent[d];
}

/* "below in dimension 1", "corner: below in 1, above in 2", "edge: …"; returns out. */
const char *halo_side(const struct halo_entry *e, char *out, size_t size);
/* By array, rank, side, owner: the order of a report. */
int halo_order(const struct halo_entry *a, const struct halo_entry *b);

/*
 * Since when halos are stale: with CHECK_HALO ON they are compared at the beginning and the end of
 * every construct of a run, and what differs is remembered until it is renewed.
 */

/* One per job. */
struct halo_watch *halo_watch_create(void);
void halo_watch_destroy(struct halo_watch *w); /* NULL is fine */
/*
 * The halos of all ranks have been compared at p, the beginning or end of a construct at `where`
 * ("heat.c:61"). What is stale at a beginning, where it may be read, is reported as a note, once
 * per array, construct, and construct since which it is that.
 */
void halo_watch_take(struct halo_watch *w, struct session *s, const struct point *p,
		     const char *where, const struct halo_report *r);
/*
 * Whether e was stale at the last comparison; *since is the first point at which it was seen so,
 * *equal the one of the comparison before, where it was not (main 0: there was none). w may be
 * NULL.
 */
bool halo_watch_since(const struct halo_watch *w, const struct halo_entry *e, struct point *since,
		      struct point *equal);

/* The point of the last comparison; main 0: there was none. */
struct point halo_watch_last(const struct halo_watch *w);
/* Ranks that halo_watch_go has left on their way; owned by w. */
struct rankset *halo_watch_left(struct halo_watch *w);

/* In go.c. The setting CHECK_HALO is ON. */
bool halo_watch_on(const struct session *s);
/*
 * In place of job_go and session_wait: lets those members go on that are stopped or loaded, from
 * construct to construct, until a stop that the user wants (modes PLAN_CONT and PLAN_STEP; others
 * in one go), and compares halos at each end that all ranks have come to. Adds to who those that an
 * earlier call has left on their way.
 */
int halo_watch_go(struct session *s, struct rankset *who, enum plan_mode mode, uint32_t n,
		  enum stop_verdict *verdict, struct err *err);

#endif
