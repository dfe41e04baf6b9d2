/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was received against the marks: a halo has to get the element of its own index from the rank
 * that owns it, or that of the other end of the array, and an own part gets nothing.
 */
#include "frontend/tags/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/parse.h"
#include "common/protocol/report.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/names.h"
#include "frontend/util/xvec.h"

enum fault {
	FAULT_SHIFT,   /* a halo has got an element of another index */
	FAULT_OWN,     /* an own element was received */
	FAULT_OWNER,   /* from a rank that has it in its halo only */
	FAULT_KINDS
};

/* Elements of one fault, with the first of them. */
struct wrong {
	enum fault fault;
	int64_t delta[ARRAY_DIMS];
	uint64_t n;
	uint32_t rank, from;
	int64_t at[ARRAY_DIMS], from_at[ARRAY_DIMS];
};

#define WRONG_SHOWN 4

/* An array of all ranks. */
struct judged {
	const struct tags_array *a; /* of the first rank that has it */
	const char *file;	    /* where it is marked */
	uint32_t line;
	uint64_t right, periodic, foreign, taken;
	uint32_t *main; /* owned; intervals in which something came */
	uint32_t nmain;
	int64_t filled[ARRAY_DIMS][2]; /* how far out the halo was received */
	bool round[ARRAY_DIMS];	       /* some of it round the end */
	struct wrong *wrong;	       /* owned */
	uint32_t nwrong;
	char *foreign_name; /* owned; from which other array */
	uint64_t between;   /* elements that came to the room between rows; the first: */
	char *behind, *came; /* owned */
	uint32_t between_rank, came_from;
};

struct judges {
	struct noted *n;
	struct judged *judged; /* owned */
	uint32_t njudged;
};

/* Where a stored element is. */
struct place_in {
	int64_t g[ARRAY_DIMS];
	int out[ARRAY_DIMS]; /* < 0 below the own part, so far; > 0 above */
	unsigned nout;
	bool known, boxed; /* boxed: g is inside of the array */
};

static bool same_array(const struct tags_array *a, const struct tags_array *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->file, b->file) && a->line == b->line &&
	       a->vaddr == b->vaddr && a->counter == b->counter && a->ndim == b->ndim;
}

static struct judged *judged_of(struct judges *j, const struct tags_array *a)
{
	struct judged *x;

	for (uint32_t i = 0; i < j->njudged; i++)
		if (same_array(j->judged[i].a, a))
			return &j->judged[i];
	x = xvec_add(j->judged, j->njudged);
	x->a = a;
	return x;
}

static void place_of(const struct noted_array *h, uint64_t at, struct place_in *p)
{
	*p = (struct place_in){ .known = at < h->total, .boxed = true };
	for (uint32_t d = h->a.ndim; p->known && d-- > 0;) {
		const struct tags_array *a = &h->a;
		bool list = h->list[d] != NULL;
		int64_t own = list ? a->list_n[d] : a->own_hi[d] - a->own_lo[d] + 1;
		uint64_t n = (uint64_t)(own + a->halo_lo[d] + a->halo_hi[d]);
		int64_t i = (int64_t)(at % n) - a->halo_lo[d];

		at /= n;
		if (i < 0)
			p->out[d] = (int)i;
		else if (i >= own)
			p->out[d] = (int)(i - own + 1);
		p->nout += p->out[d] != 0;
		if (list && p->out[d])
			p->known = false;
		else
			p->g[d] = list ? h->list[d][i] : a->own_lo[d] + i;
		p->boxed = p->boxed && p->g[d] >= a->lower[d] &&
			   p->g[d] - a->lower[d] < a->extent[d];
	}
}

static struct wrong *wrong_of(struct judged *x, enum fault f, const int64_t *delta)
{
	struct wrong *w;

	for (uint32_t i = 0; i < x->nwrong; i++)
		if (x->wrong[i].fault == f &&
		    !memcmp(x->wrong[i].delta, delta, sizeof(x->wrong[i].delta)))
			return &x->wrong[i];
	w = xvec_add(x->wrong, x->nwrong);
	w->fault = f;
	memcpy(w->delta, delta, sizeof(w->delta));
	return w;
}

/* The first time that the element is seen. */
static bool is_first(uint64_t **seen, const struct noted_array *h, uint64_t at)
{
	uint64_t bit = UINT64_C(1) << at % 64;
	bool first;

	if (!*seen)
		*seen = xcalloc((size_t)(h->total / 64 + 1), sizeof(**seen));
	first = !((*seen)[at / 64] & bit);
	(*seen)[at / 64] |= bit;
	return first;
}

static void blame(struct judged *x, enum fault f, const int64_t *delta, uint32_t rank,
		  const struct place_in *p, uint32_t from, const struct place_in *s)
{
	struct wrong *w = wrong_of(x, f, delta);

	if (w->n++)
		return;
	w->rank = rank;
	w->from = from;
	memcpy(w->at, p->g, sizeof(w->at));
	memcpy(w->from_at, s->g, sizeof(w->from_at));
}

/* A halo's element has come as it should; counted once. */
static void count_right(struct judged *x, struct noted_array *h, uint64_t at,
			const struct place_in *p, bool wraps)
{
	if (!is_first(&h->right, h, at))
		return;
	x->right++;
	x->periodic += wraps;
	for (uint32_t d = 0; p->nout == 1 && d < x->a->ndim; d++) {
		int64_t far = p->out[d] < 0 ? -(int64_t)p->out[d] : p->out[d];
		int64_t *most = &x->filled[d][p->out[d] > 0];

		if (p->out[d] && far > *most)
			*most = far;
		x->round[d] |= p->out[d] && wraps;
	}
}

/*
 * It has come from where it should along the dimension that messages go, and is another along
 * dimensions at whose ends it is: walls are filled with copies before they are sent. Were all of it
 * off, elements between would say so.
 */
static bool is_wall(const struct tags_array *a, const struct place_in *p, const int64_t *delta)
{
	bool came = false;

	for (uint32_t d = 0; d < a->ndim; d++) {
		if (delta[d] % a->extent[d] == 0)
			came = came || p->out[d];
		else if (p->g[d] > a->lower[d] && p->g[d] - a->lower[d] < a->extent[d] - 1)
			return false;
	}
	return came;
}

static void judge_one(struct judged *x, struct noted_array *h, uint64_t at, uint32_t rank,
		      const struct noted_array *from, uint64_t from_at, uint32_t from_rank)
{
	static const int64_t none[ARRAY_DIMS];
	int64_t delta[ARRAY_DIMS] = { 0 };
	struct place_in p, s;
	bool equal = true, wraps = false;

	place_of(h, at, &p);
	place_of(from, from_at, &s);
	if (!p.known || !s.known)
		return;
	for (uint32_t d = 0; d < x->a->ndim; d++) {
		int64_t n = x->a->extent[d];

		delta[d] = s.g[d] - p.g[d];
		wraps = wraps || (delta[d] && delta[d] % n == 0 && n > 1);
		equal = equal && delta[d] % n == 0;
	}
	if (p.nout && equal && !s.nout)
		count_right(x, h, at, &p, wraps);
	else if (p.nout && (equal ? p.nout > 1 || !s.boxed : is_wall(x->a, &p, delta)))
		return;
	else if (!is_first(&h->wrong, h, at))
		return;
	else if (!p.nout)
		blame(x, FAULT_OWN, none, rank, &p, from_rank, &s);
	else if (!equal)
		blame(x, FAULT_SHIFT, delta, rank, &p, from_rank, &s);
	else
		blame(x, FAULT_OWNER, none, rank, &p, from_rank, &s);
}

static void count_main(struct judged *x, uint32_t main)
{
	for (uint32_t i = x->nmain; i-- > 0;)
		if (x->main[i] == main)
			return;
	*xvec_add(x->main, x->nmain) = main;
}

static void count_foreign(struct judged *x, const struct tags_array *from)
{
	if (!x->foreign++)
		x->foreign_name = xstrdup(from->name);
}

/*
 * An element of another array of that shape, which was copied before it was sent: it proves what
 * one of the same array would; where it does not, it says nothing.
 */
static bool is_copy(struct judged *x, struct noted_array *h, uint64_t at,
		    const struct noted_array *from, uint64_t from_at)
{
	struct place_in p, s;

	if (h->a.ndim != from->a.ndim)
		return false;
	place_of(h, at, &p);
	place_of(from, from_at, &s);
	for (uint32_t d = 0; d < h->a.ndim; d++)
		if (h->a.extent[d] != from->a.extent[d] || h->a.lower[d] != from->a.lower[d] ||
		    p.g[d] != s.g[d])
			return false;
	if (!p.known || !s.known || !p.nout || s.nout)
		return false;
	count_right(x, h, at, &p, false);
	return true;
}

static void judge_moved(struct judges *j, uint32_t rank, const struct moved *m)
{
	struct noted_array *h = noted_array_of(&j->n->rank[rank], m->m.array, m->main);
	const struct noted_array *from = NULL;
	struct judged *x;

	if (m->m.from_rank < j->n->ranks && m->m.from_rank != rank)
		from = noted_array_of(&j->n->rank[m->m.from_rank], m->m.from_array, UINT32_MAX);
	/* as it was then, where it has changed since */
	if (from)
		from = noted_array_of(&j->n->rank[m->m.from_rank], m->m.from_array, m->main)
			       ?: from;
	if (!h || !from || !h->total || !from->total)
		return;
	x = judged_of(j, &h->a);
	x->taken += m->m.n;
	count_main(x, m->main);
	for (uint64_t i = 0; i < m->m.n; i++) {
		uint64_t at = m->m.at + i * (uint64_t)m->m.step;
		uint64_t from_at = m->m.from + i * (uint64_t)m->m.from_step;

		if (at >= h->total || from_at >= from->total)
			continue;
		if (same_array(&h->a, &from->a))
			judge_one(x, h, at, rank, from, from_at, m->m.from_rank);
		else if (!is_copy(x, h, at, from, from_at))
			count_foreign(x, &from->a);
	}
}

/* ---- words ---- */

static char *element(const struct tags_array *a, const int64_t *g)
{
	char text[600];

	return xstrdup(names_element(a->name, a->order == 'F', a->ndim, g, text, sizeof(text)));
}

static char *dims_of(const struct tags_array *a, const int64_t *delta)
{
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);
	bool any = false;

	for (uint32_t d = 0; d < a->ndim; d++) {
		if (!delta[d])
			continue;
		fprintf(f, "%s%+" PRId64 " in dimension %u", any ? ", " : "", delta[d], d + 1);
		any = true;
	}
	xmemstream_close(f);
	return text;
}

static json_t *finding(const char *kind, const struct judged *x, char *text)
{
	json_t *o = json_pack("{s:s s:s s:s s:s s:i}", "kind", kind, "array", x->a->name, "text",
			      text, "file", path_base(x->file), "line", (int)x->line);

	free(text);
	return o;
}

static json_t *wrong_json(const struct judged *x, const struct wrong *w)
{
	char *to = element(x->a, w->at), *from = element(x->a, w->from_at);
	char *dims = dims_of(x->a, w->delta), *text;
	json_t *o;

	if (w->fault == FAULT_SHIFT)
		text = xasprintf("%s in the halo of rank %" PRIu32 " gets %s of rank %" PRIu32
				 ": own bounds or halo are off by %s (%" PRIu64 " element%s)",
				 to, w->rank, from, w->from, dims, w->n, w->n == 1 ? "" : "s");
	else if (w->fault == FAULT_OWN)
		text = xasprintf("%s, which rank %" PRIu32
				 " owns by its mark, is received: it gets %s "
				 "of rank %" PRIu32 " (%" PRIu64 " element%s)",
				 to, w->rank, from, w->from, w->n, w->n == 1 ? "" : "s");
	else
		text = xasprintf("%s in the halo of rank %" PRIu32 " comes from rank %" PRIu32
				 ", which by its mark does not own it (%" PRIu64 " element%s)",
				 to, w->rank, w->from, w->n, w->n == 1 ? "" : "s");
	o = finding(w->fault == FAULT_SHIFT ? "halo" : "own", x, text);
	json_object_set_new(o, "rank", json_integer(w->rank));
	json_object_set_new(o, "from", json_integer(w->from));
	json_object_set_new(o, "element", json_string(to));
	json_object_set_new(o, "source", json_string(from));
	json_object_set_new(o, "elements", json_integer((json_int_t)w->n));
	free(to);
	free(from);
	free(dims);
	return o;
}

/* Elements that came to where the mark has nothing: the halo is marked narrower than it is
 * exchanged. */
static void judge_between(struct judges *j, uint32_t rank, const struct between *m)
{
	const struct noted_array *h = noted_array_of(&j->n->rank[rank], m->b.array, m->main),
				 *from = NULL;
	struct place_in p, s;
	struct judged *x;

	if (m->b.from_rank < j->n->ranks)
		from = noted_array_of(&j->n->rank[m->b.from_rank], m->b.array, m->main);
	if (!h || !from || !same_array(&h->a, &from->a))
		return;
	place_of(h, m->b.at, &p);
	place_of(from, m->b.from, &s);
	x = judged_of(j, &h->a);
	if (!p.known || !s.known || m->b.n <= x->between)
		return;
	free(x->behind);
	free(x->came);
	x->between = m->b.n;
	x->between_rank = rank;
	x->came_from = m->b.from_rank;
	x->behind = element(&h->a, p.g);
	x->came = element(&h->a, s.g);
}

static void put_between(const struct judged *x, json_t *findings)
{
	if (x->between)
		json_array_append_new(
			findings,
			finding("halo", x,
				xasprintf("%s of rank %" PRIu32 " comes to rank %" PRIu32
					  " between its rows, behind %s, "
					  "where the mark has no halo: the halo is wider than it "
					  "is marked "
					  "(%" PRIu64 " element%s)",
					  x->came, x->came_from, x->between_rank, x->behind,
					  x->between, x->between == 1 ? "" : "s")));
}

static int by_number(const void *a, const void *b)
{
	const struct wrong *x = a, *y = b;

	return (x->n < y->n) - (x->n > y->n);
}

static void note(json_t *list, char *text)
{
	json_array_append_new(list, json_string(text));
	free(text);
}

static void put_wrong(struct judged *x, json_t *findings, json_t *notes)
{
	if (x->nwrong)
		qsort(x->wrong, x->nwrong, sizeof(*x->wrong), by_number);
	for (uint32_t i = 0; i < x->nwrong && i < WRONG_SHOWN; i++)
		json_array_append_new(findings, wrong_json(x, &x->wrong[i]));
	if (x->nwrong > WRONG_SHOWN)
		note(notes, xasprintf("%s: %" PRIu32 " other differences", x->a->name,
				      x->nwrong - WRONG_SHOWN));
}

/* ---- own parts ---- */

static const struct noted_array *newest(const struct noted_rank *r, const struct tags_array *a)
{
	for (uint32_t i = r->narrays; i-- > 0;)
		if (same_array(&r->array[i].a, a))
			return &r->array[i];
	return NULL;
}

static bool is_box(const struct noted_array *h)
{
	for (uint32_t d = 0; d < h->a.ndim; d++)
		if (h->list[d])
			return false;
	return true;
}

static bool meet(const struct noted_array *a, const struct noted_array *b, int64_t *at)
{
	for (uint32_t d = 0; d < a->a.ndim; d++) {
		int64_t lo = a->a.own_lo[d] > b->a.own_lo[d] ? a->a.own_lo[d] : b->a.own_lo[d];
		int64_t hi = a->a.own_hi[d] < b->a.own_hi[d] ? a->a.own_hi[d] : b->a.own_hi[d];

		if (hi < lo)
			return false;
		at[d] = lo;
	}
	return true;
}

static uint64_t volume(const struct noted_array *h, bool own)
{
	uint64_t n = 1;

	for (uint32_t d = 0; d < h->a.ndim; d++)
		n *= (uint64_t)(own ? h->a.own_hi[d] - h->a.own_lo[d] + 1 : h->a.extent[d]);
	return n;
}

/* Boxes make up the array, each element once. */
static void judge_tiles(const struct judges *j, const struct judged *x, json_t *findings)
{
	const struct noted_array **part = xcalloc(j->n->ranks, sizeof(*part));
	uint64_t owned = 0, whole = 0;
	int64_t at[ARRAY_DIMS] = { 0 };
	bool boxes = true, overlap = false;

	for (uint32_t r = 0; r < j->n->ranks; r++) {
		part[r] = newest(&j->n->rank[r], x->a);
		boxes = boxes && j->n->rank[r].any && (!part[r] || is_box(part[r]));
		if (!part[r])
			continue;
		owned += volume(part[r], true);
		whole = volume(part[r], false);
	}
	for (uint32_t r = 0; boxes && r < j->n->ranks; r++)
		for (uint32_t k = 0; part[r] && k < r && !overlap; k++) {
			char *e;

			if (!part[k] || !meet(part[r], part[k], at))
				continue;
			overlap = true;
			e = element(x->a, at);
			json_array_append_new(findings,
					      finding("own", x,
						      xasprintf("%s is owned by rank %" PRIu32
								" and by rank %" PRIu32,
								e, k, r)));
			free(e);
		}
	if (boxes && !overlap && owned != whole)
		json_array_append_new(findings,
				      finding("own", x,
					      xasprintf("own parts have %" PRIu64 " of %" PRIu64
							" elements: the others are nobody's",
							owned, whole)));
	free(part);
}

/* ---- halos that nothing fills ---- */

static void judge_width(const struct judges *j, const struct judged *x, json_t *notes)
{
	int64_t wide[ARRAY_DIMS][2] = { { 0 } };

	for (uint32_t r = 0; r < j->n->ranks; r++) {
		const struct noted_array *h = newest(&j->n->rank[r], x->a);

		for (uint32_t d = 0; h && is_box(h) && d < h->a.ndim; d++) {
			const struct tags_array *a = &h->a;

			if (a->own_lo[d] > a->lower[d] && a->halo_lo[d] > wide[d][0])
				wide[d][0] = a->halo_lo[d];
			if (a->own_hi[d] < a->lower[d] + a->extent[d] - 1 &&
			    a->halo_hi[d] > wide[d][1])
				wide[d][1] = a->halo_hi[d];
		}
	}
	for (uint32_t d = 0; d < x->a->ndim; d++)
		for (int side = 0; side < 2; side++)
			if (x->filled[d][side] < wide[d][side])
				note(notes,
				     xasprintf("%s: halo of %" PRId64 " %s in dimension %u is "
					       "marked, %" PRId64 " is exchanged",
					       x->a->name, wide[d][side], side ? "above" : "below",
					       d + 1, x->filled[d][side]));
}

static json_t *pairs(const struct tags_array *a, const int64_t *lo, const int64_t *hi)
{
	json_t *list = json_array();

	for (uint32_t d = 0; d < a->ndim; d++)
		json_array_append_new(list,
				      json_pack("[I, I]", (json_int_t)lo[d], (json_int_t)hi[d]));
	return list;
}

static const char *why_not(unsigned why)
{
	static const char *const words[TAGS_WHYS] = {
		[TAGS_TYPE] = "its elements are of a type that holds no tags",
		[TAGS_INTEGER] = "the program does not stand tags in integers",
		[TAGS_MANY] = "there is no memory for its contents",
		[TAGS_SHARED] = "its memory is that of another array",
		[TAGS_GONE] = "its memory is not there",
	};

	return words[why];
}

static json_t *array_json(const struct judges *j, const struct judged *x)
{
	json_t *o =
		json_pack("{s:s s:s s:i s:i s:o s:o}", "name", x->a->name, "file",
			  path_base(x->file), "line", (int)x->line, "dims", (int)x->a->ndim, "halo",
			  pairs(x->a, x->a->halo_lo, x->a->halo_hi), "own", json_array());
	json_t *shape = json_array(), *round = json_array();
	uint64_t wrong = 0;

	for (uint32_t d = 0; d < x->a->ndim; d++) {
		json_array_append_new(shape, json_integer(x->a->extent[d]));
		json_array_append_new(round, json_integer(x->round[d]));
	}
	for (uint32_t r = 0; r < j->n->ranks; r++) {
		const struct noted_array *h = newest(&j->n->rank[r], x->a);

		json_array_append_new(json_object_get(o, "own"),
				      h ? pairs(&h->a, h->a.own_lo, h->a.own_hi) : json_null());
	}
	json_object_set_new(o, "shape", shape);
	json_object_set_new(o, "round", round);
	json_object_set_new(o, "right", json_integer((json_int_t)x->right));
	json_object_set_new(o, "periodic", json_integer((json_int_t)x->periodic));
	json_object_set_new(o, "exchanges", json_integer(x->nmain));
	for (uint32_t i = 0; i < x->nwrong; i++)
		wrong += x->wrong[i].n;
	json_object_set_new(o, "wrong", json_integer((json_int_t)wrong));
	return o;
}

static bool has_list(const struct tags_array *a)
{
	for (uint32_t d = 0; d < a->ndim; d++)
		if (a->list_n[d] != UINT32_MAX)
			return true;
	return false;
}

/* What nothing can be said of, and why. */
static const char *unproved(const struct judged *x)
{
	if (x->a->why != TAGS_TAGGED)
		return why_not(x->a->why);
	if (!x->taken && !x->between)
		return "no exchange between two parallel constructs moves it; one before the "
		       "first, or inside of one, is "
		       "not seen";
	if (x->nwrong || x->right || x->between)
		return NULL;
	return has_list(x->a)
		       ? "its own part is a list of indices, which says nothing of the halo's"
		       : "what it receives says nothing of its parts";
}

static void put_array(const struct judges *j, struct judged *x, json_t *answer)
{
	json_t *o = array_json(j, x), *findings = json_object_get(answer, "findings");
	json_t *notes = json_object_get(answer, "notes");
	size_t before = json_array_size(findings);
	const char *why = unproved(x);

	if (why)
		json_object_set_new(o, "unproved", json_string(why));
	judge_tiles(j, x, findings);
	put_wrong(x, findings, notes);
	put_between(x, findings);
	if (!why && !x->nwrong)
		judge_width(j, x, notes);
	if (x->foreign)
		note(notes, xasprintf("%s: receives elements of %s", x->a->name, x->foreign_name));
	json_object_set_new(o, "findings",
			    json_integer((json_int_t)(json_array_size(findings) - before)));
	json_array_append_new(json_object_get(answer, "arrays"), o);
}

static void find_place(struct judged *x, struct symbols *symbols)
{
	struct place p = { .file = x->a->file, .func = "", .line = x->a->line,
			   .module = x->a->module, .vaddr = x->a->vaddr };

	if (symbols && !*x->a->file)
		symbols_resolve(symbols, &p);
	x->file = p.file;
	x->line = p.line;
}

void tags_judge(struct noted *n, struct symbols *symbols, json_t *answer)
{
	struct judges j = { .n = n };

	for (uint32_t r = 0; r < n->ranks; r++)
		for (uint32_t i = 0; i < n->rank[r].narrays; i++)
			judged_of(&j, &n->rank[r].array[i].a);
	for (uint32_t r = 0; r < n->ranks; r++)
		for (uint32_t i = 0; i < n->rank[r].nmoved; i++)
			judge_moved(&j, r, &n->rank[r].moved[i]);
	for (uint32_t r = 0; r < n->ranks; r++)
		for (uint32_t i = 0; i < n->rank[r].nbetween; i++)
			judge_between(&j, r, &n->rank[r].between[i]);
	for (uint32_t i = 0; i < j.njudged; i++) {
		find_place(&j.judged[i], symbols);
		put_array(&j, &j.judged[i], answer);
		free(j.judged[i].main);
		free(j.judged[i].wrong);
		free(j.judged[i].foreign_name);
		free(j.judged[i].behind);
		free(j.judged[i].came);
	}
	free(j.judged);
}
