/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Registered objects and their values, from the ranks: which there are, and sections of them put
 * together from the pieces of their owners.
 */
#ifndef DVMDBG_FRONTEND_FETCH_H
#define DVMDBG_FRONTEND_FETCH_H

#include <stdbool.h>

#include <jansson.h>

#include "common/array/array.h"
#include "common/expr/expr.h"
#include "common/array/values.h"
#include "common/logical/rankset.h"

struct groups;
struct err;
struct job_req;
struct rankset;
struct session;

/* An object as these ranks have it. */
struct fetch_object {
	struct array_desc desc; /* the global part */
	struct rankset ranks;
};

/* Zeroed: empty. Sorted by name. */
struct fetch_objects {
	struct fetch_object *item;
	size_t n;
	struct rankset silent; /* asked, without an answer */
};

/*
 * Objects called name ("p.x" finds p, of structures their name all fields), or all when it is "".
 * -1 and err when nobody can be asked.
 */
int fetch_names(struct session *s, const char *name, const struct rankset *who,
		struct fetch_objects *out, struct err *err);
void fetch_objects_clear(struct fetch_objects *o);
/* "there is no object 'eqs'; near: eps. `what` lists all"; always -1. */
int fetch_unknown(struct session *s, const char *name, const struct rankset *who, struct err *err);

/* Elements of one object that are held at a time, for what is computed of them. */
#define FETCH_MOST (UINT64_C(1) << 24)
#define FETCH_COMPARED 1000000 /* elements of which copies are compared, also where one would do */

/* What a name and a section gave. Zeroed: empty. */
struct fetched {
	struct array_desc desc;
	const struct array_field *field; /* in desc; NULL: the whole object */
	struct section section;		 /* bound */
	bool beyond; /* it goes beyond the array, into halo that ranks store there */
	struct values q;
	unsigned char *missing; /* a byte per element, 1 where none came; NULL: all came */
	uint64_t nmissing;
	json_t *notes; /* array of texts: ranks that are left out and why, owners that disagree */
};

/*
 * The values of name, or of its section sec (not bound; NULL: all), of the ranks of who. A
 * distributed object becomes one group; elements that no rank of who has sent are marked missing,
 * when there are any at all. The error shows names and ranges.
 */
int fetch_object(struct session *s, const char *name, const struct section *sec,
		 const struct rankset *who, struct fetched *out, struct err *err);
/* The same for at most so many elements, whatever PRINT_LIMIT says. */
int fetch_large(struct session *s, const char *name, const struct section *sec,
		const struct rankset *who, uint64_t limit, struct fetched *out, struct err *err);
/* The same with each copy of an array that is partly replicated, where they differ. */
int fetch_all(struct session *s, const char *name, const struct section *sec,
	      const struct rankset *who, struct fetched *out, struct err *err);
/*
 * The same of an object whose description is known, without another question, and in two steps: so
 * that the next part is on its way when this one comes. d and name are borrowed until the end; the
 * section is inside the array. `who` are the ranks that have something of it.
 */
struct fetch_part {
	struct fetched f; /* desc is empty afterwards */
	struct job_req *req;
	struct rankset who;
};
int fetch_ahead(struct session *s, const char *name, const struct array_desc *d,
		const struct section *sec, const struct rankset *who, struct fetch_part *out,
		struct err *err);
/* -1 when nothing of it came. */
int fetch_await(struct session *s, struct fetch_part *p, struct err *err);
/* At any time; also what is not awaited. */
void fetch_part_clear(struct session *s, struct fetch_part *p);
void fetched_clear(struct fetched *f);
/* Why elements are missing, "no owner in [2]"; borrowed. */
const char *fetched_lack(const struct fetched *f);
/*
 * The dimensions that are left as `dims` of an answer, and per dimension of the object the fixed
 * index or null as `subscripts`.
 */
json_t *fetched_dims(const struct fetched *f);
json_t *fetched_subscripts(const struct fetched *f);

/* One evaluation: what fetch_resolve needs and leaves behind. */
struct fetch {
	struct session *s;
	const struct rankset *who;
	uint64_t limit; /* elements of an object at most; 0: PRINT_LIMIT */
	struct fetched
		*kept; /* in the order of fetching; their descriptions live as long as this */
	size_t nkept;
	json_t *notes; /* of what has been computed; NULL: none */
};
/* For expr_eval; arg is a struct fetch. An object with missing elements is an error. */
int fetch_resolve(void *arg, const char *name, const struct section *sec, struct values *out,
		  struct err *err);
void fetch_clear(struct fetch *f);
/* In reduce.c: names as fetch_resolve has them, sums and extremes by the ranks. f is borrowed. */
struct expr_scope fetch_scope(struct fetch *f);

#endif
