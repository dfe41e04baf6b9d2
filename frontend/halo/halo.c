/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/halo/halo.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/layout.h"
#include "common/core/err.h"
#include "frontend/model/ask.h"
#include "frontend/data/fetch.h"
#include "frontend/halo/internal.h"
#include "frontend/data/halo_parts.h"
#include "frontend/job/job.h"
#include "frontend/session/session.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

void halo_report_clear(struct halo_report *r)
{
	free(r->entry);
	halo_kept_clear(r);
	for (size_t i = 0; i < r->nnote; i++)
		free(r->note[i]);
	free(r->note);
	rankset_clear(&r->silent);
	memset(r, 0, sizeof(*r));
}

static void note(struct halo_report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void note(struct halo_report *r, const char *fmt, ...)
{
	va_list ap;

	xvec_more(r->note, r->nnote, 1);
	va_start(ap, fmt);
	r->note[r->nnote++] = xvasprintf(fmt, ap);
	va_end(ap);
}

/* One look at the halos of one array. */
struct look {
	const struct halo_array *a;
	struct halo_report *out;
	const struct halo_report *before; /* NULL: there is none */
	bool keep;
	uint64_t compared;
	bool narrow; /* an owner has not reported all that was needed of it */
};

/* One box of a rank's halo while its owners are looked up. */
struct side {
	const struct halo_box *box;
	const struct halo_part *part;
	unsigned char *done; /* a byte per element: its owner has been found */
	struct halo_kept *keep;
	const struct halo_kept *was;
	struct halo_entry e;
};

static bool same_real(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
}

/* Whether two single values of that type, which differ as bytes, are the same after all. */
static bool same_value(unsigned type, const struct value *a, const struct value *b)
{
	switch (value_class(type)) {
	case VALUE_IS_REAL:
		return same_real(a->re, b->re);
	case VALUE_IS_COMPLEX:
		return same_real(a->re, b->re) && same_real(a->im, b->im);
	default:
		return false;
	}
}

static double distance(unsigned type, const struct value *a, const struct value *b)
{
	double d;

	switch (value_class(type)) {
	case VALUE_IS_REAL:
		d = fabs(a->re - b->re);
		break;
	case VALUE_IS_COMPLEX:
		d = hypot(a->re - b->re, a->im - b->im);
		break;
	case VALUE_IS_UINT:
		d = fabs((double)(uint64_t)a->i - (double)(uint64_t)b->i);
		break;
	default:
		d = fabs((double)a->i - (double)b->i);
	}
	return isnan(d) ? INFINITY : d;
}

/* Two values of one type; when they differ they are kept in *x, and true is returned. */
struct pair {
	unsigned type;
	const char *field;
	struct value halo, own;
};

static bool differ(unsigned type, const unsigned char *halo, const unsigned char *own,
		   struct pair *x)
{
	if (!memcmp(halo, own, value_size(type)))
		return false;
	x->type = type;
	x->halo = value_load(type, halo);
	x->own = value_load(type, own);
	return !same_value(type, &x->halo, &x->own);
}

/* The same of elements: of structures the first field that differs. */
static bool elements_differ(const struct array_desc *a, const unsigned char *halo,
			    const unsigned char *own, struct pair *x)
{
	x->field = "";
	if (!memcmp(halo, own, a->elem_size))
		return false;
	if (a->type != VALUE_STRUCT)
		return differ(a->type, halo, own, x);
	for (uint32_t i = 0; i < a->nfield; i++) {
		const struct array_field *f = &a->field[i];
		size_t size = value_size(f->type);

		x->field = f->name;
		for (uint32_t k = 0; k < f->count; k++)
			if (differ(f->type, halo + f->offset + k * size, own + f->offset + k * size,
				   x))
				return true;
	}
	return false;
}

/* Whether index a comes before b in memory. */
static bool before(const struct array_desc *desc, const int64_t *a, const int64_t *b)
{
	for (unsigned i = 0; i < desc->ndim; i++) {
		unsigned d = desc->order == 'F' ? desc->ndim - 1 - i : i;

		if (a[d] != b[d])
			return a[d] < b[d];
	}
	return false;
}

/* Element g differs. */
static void count_it(struct halo_entry *e, const struct array_desc *a, const int64_t *g,
		     const struct pair *x)
{
	double far = distance(x->type, &x->halo, &x->own);
	bool first = !e->differ || before(a, g, e->first);

	for (unsigned d = 0; d < a->ndim; d++) {
		if (!e->differ || g[d] < e->lo[d])
			e->lo[d] = g[d];
		if (!e->differ || g[d] > e->hi[d])
			e->hi[d] = g[d];
	}
	if (!e->differ || far > e->largest)
		e->largest = far;
	if (first) {
		memcpy(e->first, g, sizeof(e->first));
		e->type = (uint8_t)x->type;
		e->halo = x->halo;
		e->own = x->own;
		snprintf(e->field, sizeof(e->field), "%s", x->field);
	}
	e->differ++;
}

/* What lo … hi has of the box; false when that is nothing. */
static bool overlap(struct layout *l, const struct array_desc *a, const struct halo_box *box,
		    uint32_t size, const int64_t *lo, const int64_t *hi)
{
	layout_box(l, a->ndim, box->lo, box->hi, size);
	for (unsigned d = 0; d < a->ndim; d++)
		layout_within(l, d, lo[d], hi[d]);
	return layout_total(l) != 0;
}

/* The global indices of element `at` of the box. */
static void index_of(unsigned ndim, const struct halo_box *box, uint64_t at, int64_t *g)
{
	for (unsigned d = ndim; d-- > 0;) {
		uint64_t n = (uint64_t)(box->hi[d] - box->lo[d] + 1);

		g[d] = box->lo[d] + (int64_t)(at % n);
		at /= n;
	}
}

/* Element `at` of the side: keeps it, and compares it with what it was. */
static void remember(struct side *s, size_t at, size_t size, const unsigned char *own, bool stale)
{
	const unsigned char *halo = s->box->bytes + at * size, *was;

	if (s->keep) {
		memcpy(s->keep->halo + at * size, halo, size);
		memcpy(s->keep->halo + s->keep->n + at * size, own, size);
		s->keep->halo[2 * s->keep->n + at] = 1;
	}
	if (!s->was || !s->was->halo[2 * s->was->n + at])
		return;
	was = s->was->halo + at * size;
	if (memcmp(was, halo, size)) {
		s->e.renewed++;
		s->e.fresh += !stale && memcmp(was + s->was->n, own, size);
	}
	s->e.former += stale && !memcmp(was + s->was->n, halo, size);
}

/* Compares element `at` of the side with what its owner has. */
static void compare_element(struct look *l, struct side *s, uint64_t at, const unsigned char *own)
{
	const struct array_desc *a = l->a->desc;
	int64_t g[ARRAY_DIMS] = { 0 };
	struct pair x;
	bool stale;

	if (s->done[at])
		return;
	s->done[at] = 1;
	s->e.total++;
	stale = elements_differ(a, s->box->bytes + at * a->elem_size, own, &x);
	if (stale) {
		index_of(a->ndim, s->box, at, g);
		count_it(&s->e, a, g, &x);
	}
	remember(s, at, a->elem_size, own, stale);
}

/* Compares what one box of an owner's send halo has of the side. */
static void compare_box(struct look *l, struct side *s, const struct halo_box *send_halo)
{
	const struct array_desc *a = l->a->desc;
	uint64_t extent[ARRAY_DIMS];
	struct layout_walk w;
	struct layout_run r;
	struct layout own;

	if (!overlap(&own, a, send_halo, a->elem_size, s->box->lo, s->box->hi))
		return;
	for (unsigned d = 0; d < a->ndim; d++) {
		own.lower[d] = s->box->lo[d];
		extent[d] = (uint64_t)(s->box->hi[d] - s->box->lo[d] + 1);
	}
	layout_walk(&w, &own, LAYOUT_C);
	layout_walk_dense(&w, extent);
	while (layout_next(&w, &r))
		for (uint64_t k = 0; k < r.n; k++)
			compare_element(l, s, r.key + k * r.step,
					send_halo->bytes + r.offset + (int64_t)k * r.stride);
}

/* Elements of the side that are in the owner's part and have not been found so far. */
static uint64_t still_wanted(const struct side *s, const struct array_desc *a)
{
	struct layout_walk w;
	struct layout_run r;
	struct layout both;
	uint64_t n = 0;

	if (!overlap(&both, a, s->box, 1, a->own_lo, a->own_hi))
		return 0;
	layout_walk(&w, &both, LAYOUT_C);
	while (layout_next(&w, &r))
		for (uint64_t k = 0; k < r.n; k++)
			n += !s->done[r.offset + (int64_t)k * r.stride];
	return n;
}

static int keep(struct halo_report *out, const struct halo_entry *e)
{
	struct halo_entry *grown;

	/* room doubles at powers of two */
	if (!(out->n & (out->n - 1))) {
		grown = realloc(out->entry, (out->n ? 2 * out->n : 1) * sizeof(*grown));
		if (!grown)
			return -1;
		out->entry = grown;
	}
	out->entry[out->n++] = *e;
	return 0;
}

static int compare_owner(struct look *l, struct side *s, const struct halo_holder *owner)
{
	uint64_t wanted = still_wanted(s, &owner->part->desc);

	if (!wanted)
		return 0;
	s->e.owner = owner->rank;
	s->e.total = s->e.differ = 0;
	s->e.renewed = s->e.fresh = s->e.former = 0;
	for (size_t i = 0; i < owner->part->nrim; i++)
		compare_box(l, s, &owner->part->box[owner->part->nhalo + i]);
	l->compared += s->e.total;
	l->narrow |= s->e.total < wanted;
	return s->e.differ ? keep(l->out, &s->e) : 0;
}

static void name_of(const struct halo_array *a, char *out, size_t size)
{
	const char *slash = strrchr(a->desc->file, '/');

	if (a->alone || !*a->desc->file)
		snprintf(out, size, "%s", a->desc->name);
	else if (a->desc->counter)
		snprintf(out, size, "%s@%s:%u#%u", a->desc->name, slash ? slash + 1 : a->desc->file,
			 a->desc->line, a->desc->counter);
	else
		snprintf(out, size, "%s@%s:%u", a->desc->name, slash ? slash + 1 : a->desc->file,
			 a->desc->line);
}

static void describe(struct halo_entry *e, const struct halo_array *a, const struct array_desc *own)
{
	const char *slash = strrchr(a->desc->file, '/');

	name_of(a, e->array, sizeof(e->array));
	snprintf(e->name, sizeof(e->name), "%s", a->desc->name);
	snprintf(e->file, sizeof(e->file), "%s", slash ? slash + 1 : a->desc->file);
	e->line = a->desc->line;
	e->counter = a->desc->counter;
	e->order = own->order;
	e->ndim = own->ndim;
	memcpy(e->lower, own->lower, sizeof(e->lower));
	memcpy(e->extent, own->extent, sizeof(e->extent));
	memcpy(e->own_lo, own->own_lo, sizeof(e->own_lo));
	memcpy(e->own_hi, own->own_hi, sizeof(e->own_hi));
	memcpy(e->halo_lo, own->halo_lo, sizeof(e->halo_lo));
	memcpy(e->halo_hi, own->halo_hi, sizeof(e->halo_hi));
}

/* One side, edge or corner of the halo of a rank. */
static int compare_side(struct look *l, const struct halo_holder *h, const struct halo_box *box)
{
	const struct array_desc *own = &h->part->desc;
	uint64_t total = halo_box_volume(box, own->ndim), before_it = l->compared;
	struct side s = { .box = box, .part = h->part, .done = calloc(1, total) };
	int rc = s.done ? 0 : -1;

	describe(&s.e, l->a, own);
	s.e.rank = h->rank;
	for (unsigned d = 0; d < own->ndim; d++)
		s.e.side[d] = box->lo[d] > own->own_hi[d]   ? 1
			      : box->hi[d] < own->own_lo[d] ? -1
							    : 0;
	s.was = halo_kept_find(l->before, &s.e, total * own->elem_size);
	if (!rc && l->keep) {
		s.keep = halo_kept_new(l->out, &s.e, total, total * own->elem_size);
		rc = s.keep ? 0 : -1;
	}
	if (s.keep) {
		memcpy(s.keep->lo, box->lo, sizeof(s.keep->lo));
		memcpy(s.keep->hi, box->hi, sizeof(s.keep->hi));
	}
	while (!rc) {
		struct halo_box at = *box;
		bool wrapped = false;

		for (unsigned d = 0; d < own->ndim; d++) {
			at.lo[d] -= s.e.wrap[d] * own->extent[d];
			at.hi[d] -= s.e.wrap[d] * own->extent[d];
			wrapped |= s.e.wrap[d] != 0;
		}
		s.box = &at;
		for (size_t i = 0; !rc && i < l->a->n; i++)
			if (wrapped || l->a->holder[i].rank != h->rank)
				rc = compare_owner(l, &s, &l->a->holder[i]);
		if (!array_wrap_next(own, s.e.wrap))
			break;
	}
	free(s.done);
	l->out->unowned += total - (l->compared - before_it);
	return rc;
}

static int compare_array(struct look *l, const struct rankset *who)
{
	for (size_t i = 0; i < l->a->n; i++) {
		const struct halo_holder *h = &l->a->holder[i];

		for (size_t k = 0; k < h->part->nhalo && rankset_has(who, h->rank); k++)
			if (compare_side(l, h, &h->part->box[k]))
				return -1;
	}
	return 0;
}

int halo_order(const struct halo_entry *a, const struct halo_entry *b)
{
	int o = strcmp(a->array, b->array);

	if (o)
		return o;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	for (unsigned d = 0; d < a->ndim && d < b->ndim; d++)
		if (a->side[d] != b->side[d])
			return a->side[d] < b->side[d] ? -1 : 1;
	return a->owner < b->owner ? -1 : a->owner > b->owner;
}

static int by_order(const void *a, const void *b)
{
	return halo_order(a, b);
}

/* "[2:3]: the halo of u was left out: …", once for all ranks with the same reason. */
static void note_left_out(const struct halo_parts *p, struct halo_report *out)
{
	char text[128];

	for (size_t i = 0; i < p->n; i++) {
		const struct halo_part *x = &p->part[i];
		struct rankset ranks = { 0 };
		bool known = false;

		for (size_t k = 0; x->why && k < p->n; k++) {
			const struct halo_part *y = &p->part[k];

			if (!y->why || strcmp(x->why, y->why) || strcmp(x->desc.name, y->desc.name))
				continue;
			known |= k < i;
			xrankset_add_set(&ranks, y->ranks);
		}
		if (ranks.n && !known)
			note(out, "%s: %s is left out: %s",
			     rankset_format(&ranks, text, sizeof(text)), x->desc.name, x->why);
		rankset_clear(&ranks);
	}
}

static void note_answers(const struct halo_parts *p, struct halo_report *out)
{
	char text[128];

	if (p->bad.n)
		note(out, "%s: the answer of the ranks is invalid",
		     rankset_format(&p->bad, text, sizeof(text)));
	if (p->refused.n)
		note(out, "%s: %s", rankset_format(&p->refused, text, sizeof(text)), p->why);
	note_left_out(p, out);
}

/* What is asked: the array, "": all; whose halos; and beside what. */
struct question {
	const char *name;
	const struct rankset *who;
	const struct halo_report *before;
	bool keep;
	uint32_t shift;
};

/* Compares all; *narrow: the rims were not wide enough, which the widest halo shows. */
static int compare_all(const struct halo_parts *p, const struct question *q,
		       struct halo_report *out, bool *narrow)
{
	*narrow = false;
	for (size_t i = 0; i < p->narray; i++) {
		struct look l = {
			.a = &p->array[i], .out = out, .before = q->before, .keep = q->keep
		};

		if (compare_array(&l, q->who))
			return -1;
		out->elements += l.compared;
		out->arrays += l.compared > 0;
		*narrow |= l.narrow;
	}
	if (out->n)
		qsort(out->entry, out->n, sizeof(*out->entry), by_order);
	halo_kept_sort(out);
	note_answers(p, out);
	return 0;
}

/* The widest halo of any rank, as far as it can matter. */
static uint32_t widest(const struct halo_parts *p)
{
	int64_t most = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct array_desc *a = &p->part[i].desc;

		for (unsigned d = 0; !p->part[i].why && d < a->ndim; d++) {
			most = a->halo_lo[d] > most ? a->halo_lo[d] : most;
			most = a->halo_hi[d] > most ? a->halo_hi[d] : most;
		}
	}
	return most > INT32_MAX ? INT32_MAX : (uint32_t)most;
}

/* -1 and err when no rank has an object of that name. */
static int check_name(struct session *s, const char *name, const struct rankset *who,
		      struct err *err)
{
	struct fetch_objects objects;
	int rc;

	if (fetch_names(s, name, who, &objects, err))
		return -1;
	rc = objects.n || objects.silent.n ? 0 : fetch_unknown(s, name, who, err);
	fetch_objects_clear(&objects);
	return rc;
}

/* Asks all that stand, with rims of at least that width; *again: that they have to be so wide. */
static int check(struct session *s, const struct question *x, uint32_t width,
		 struct halo_report *out, uint32_t *again, struct err *err)
{
	struct msg_query q = { .kind = QUERY_HALO, .name = x->name, .n = width, .rank = x->shift };
	struct groups answers = { 0 };
	struct halo_parts parts = { 0 };
	bool narrow = false, known = false;
	struct rankset asked = { 0 };
	int rc;

	/* neighbours of those that are asked about, and these as they are now */
	xrankset_copy(&asked, job_set(s->job, JOB_STOPPED));
	if (x->who)
		xrankset_add_set(&asked, x->who);
	rc = ask(s, &q, &asked, &answers, &out->silent, err);
	rankset_clear(&asked);
	*again = 0;
	if (!rc)
		rc = halo_parts_make(&parts, &answers, err);
	if (!rc && compare_all(&parts, x, out, &narrow))
		rc = err_set(err, "out of memory: compare the halos of one array, by its name");
	if (!rc && narrow && widest(&parts) > width)
		*again = widest(&parts);
	known = parts.n || parts.refused.n || parts.bad.n || out->silent.n;
	halo_parts_clear(&parts);
	groups_clear(&answers);
	return !rc && *x->name && !known ? check_name(s, x->name, x->who, err) : rc;
}

static int check_wide(struct session *s, const struct question *x, struct halo_report *out,
		      struct err *err)
{
	uint32_t again;
	int rc;

	memset(out, 0, sizeof(*out));
	rc = check(s, x, 0, out, &again, err);
	/* Ranks' halos are not equally wide: each was asked for a rim of its own width first. */
	if (!rc && again) {
		halo_report_clear(out);
		rc = check(s, x, again, out, &again, err);
	}
	if (rc)
		halo_report_clear(out);
	return rc;
}

int halo_check(struct session *s, const char *name, const struct rankset *who,
	       struct halo_report *out, struct err *err)
{
	struct question x = { .name = name, .who = who };

	return check_wide(s, &x, out, err);
}

int halo_check_again(struct session *s, const struct halo_report *before, struct halo_report *out,
		     struct err *err)
{
	struct question x = {
		.name = "", .who = job_set(s->job, JOB_ALL), .before = before, .keep = true
	};

	return check_wide(s, &x, out, err);
}

int halo_check_shift(struct session *s, unsigned shift, struct halo_report *out, struct err *err)
{
	struct question x = {
		.name = "", .who = job_set(s->job, JOB_ALL), .keep = true, .shift = shift
	};

	return check_wide(s, &x, out, err);
}

const char *halo_side(const struct halo_entry *e, char *out, size_t size)
{
	unsigned sides = 0, reported = 0;
	size_t used = 0;

	for (unsigned d = 0; d < e->ndim; d++)
		sides += e->side[d] != 0;
	*out = 0;
	if (sides > 1)
		used = (size_t)snprintf(out, size, "%s:", sides == e->ndim ? "corner" : "edge");
	for (unsigned d = 0; d < e->ndim && used < size; d++) {
		if (!e->side[d])
			continue;
		used += (size_t)snprintf(out + used, size - used, "%s%s in%s %u",
					 sides < 2    ? ""
					 : reported++ ? ", "
						      : " ",
					 e->side[d] < 0 ? "below" : "above",
					 sides < 2 ? " dimension" : "", d + 1);
		if (e->wrap[d] && used < size)
			used += (size_t)snprintf(out + used, size - used, " (other end)");
	}
	return out;
}
