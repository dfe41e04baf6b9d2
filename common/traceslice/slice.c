/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slice itself: a list of pairs of writes that is worked through, those of the two runs beside
 * each other. What each of them reads differently leads to further pairs, or is an end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/traceslice/internal.h"

#define SLICE_TURNS 24u /* writes that are looked at in turn */

/* A write of this run, and the reference's; ref.run NULL: it has none, or none is known. */
struct node {
	struct slice_at now, ref;
	struct trace_pair value;  /* what it should be is known without ref */
	struct trace_thing meant; /* the element that a message was to bring */
	enum slice_how how;
	int from;     /* the node whose write reads it; -1: the first */
	bool matched; /* by equal values, here or before */
	bool done;
	bool loose; /* … or in a loop without marks: what is read there may be for something else */
};

/* An end that was found. */
struct root {
	enum slice_end end;
	enum slice_grade grade;
	int node;
	struct slice_at read, right, instead;
	struct slice_at ref_read; /* STALE: the reference's read of the element */
	struct trace_pair value;  /* of the read */
	uint32_t owner;
	bool unclear; /* STATEMENT: it also reads what has no counterpart in the reference */
	bool unset;   /* STALE, UNSEEN: no write of what is read is seen on the rank */
};

struct slicing {
	const struct slice_wanted *w;
	struct slice *out;
	struct slice_run now, ref;
	size_t bytes;
	struct node node[SLICE_WRITES];
	unsigned n, next;
	struct root best;
	bool any, hidden;
	bool replaced; /* by the write that is looked at: a former value that differs is left out */
};

struct slice_hold {
	struct slicing s;
};

/* ---- values ---- */

static bool differs(const struct slicing *s, const struct trace_pair *v)
{
	return v->has_now && v->has_ref && v->now != v->ref &&
	       tolerance_check(s->w->tolerance, v->type, v->size, v->now, v->ref) == TRACE_OTHER;
}

static void pair_of(const struct slice_at *now, const struct slice_at *ref, struct trace_pair *v)
{
	const struct slice_access *a = slice_access_of(now);

	*v = (struct trace_pair){ .type = (uint8_t)slice_type(now),
				  .size = a->size > 8 ? 8 : a->size,
				  .has_now = true,
				  .now = a->value };
	if (!ref->run)
		return;
	v->has_ref = true;
	v->ref = slice_access_of(ref)->value;
	if (v->type >= VALUE_TYPES)
		inspect_guess_type(v);
}

/* ---- ends ---- */

/* Of equal grade the one that says most. */
static int weight(const struct root *r)
{
	static const int by_end[SLICE_ENDS] = {
		[SLICE_STALE] = 9,   [SLICE_SENT_OTHER] = 8, [SLICE_OTHER_READ] = 7,
		[SLICE_MISSING] = 6, [SLICE_EXTRA] = 5,	     [SLICE_STATEMENT] = 4,
		[SLICE_UNSEEN] = 3,  [SLICE_NOWHERE] = 0,
	};

	return (int)r->grade * 16 + by_end[r->end];
}

static void end_with(struct slicing *s, struct root r)
{
	if ((s->node[r.node].matched || (s->node[r.node].loose && r.end != SLICE_STALE)) &&
	    r.grade > SLICE_LIKELY)
		r.grade = SLICE_LIKELY;
	if ((s->now.cut || s->ref.cut) && r.grade > SLICE_LIKELY)
		r.grade = SLICE_LIKELY;
	if (s->any && weight(&r) <= weight(&s->best))
		return;
	s->best = r;
	s->any = true;
}

/* An end in the write of a node itself. */
static void end_here(struct slicing *s, int node, enum slice_end end, enum slice_grade grade)
{
	end_with(s,
		 (struct root){ .end = end, .grade = grade, .node = node, .owner = TRACE_NO_RANK });
}

/* ---- going on ---- */

/* False: it was looked at already, so nothing is its own cause. */
static bool push(struct slicing *s, struct node n)
{
	for (unsigned i = 0; i < s->n; i++)
		if (slice_same(&s->node[i].now, &n.now))
			return false;
	if (s->n == SLICE_WRITES) {
		s->out->bounded = true;
		return false;
	}
	n.matched |= n.from >= 0 && s->node[n.from].matched;
	n.loose = (n.from >= 0 && s->node[n.from].loose) ||
		  (slice_scope_of(&n.now)->loop && !slice_scope_of(&n.now)->marked);
	s->node[s->n++] = n;
	return true;
}

/* ---- reads of a write ---- */

/* One read with its counterpart. */
struct reading {
	struct slice_at now, ref; /* ref.run NULL: none */
	struct trace_pair value;
};

/* ---- what a wrong read comes from ---- */

/* Searches what an owner has of an element. */
struct having {
	struct slicing *s;
	struct trace_pair v; /* as it was read */
	struct slice_at right, same;
};

static bool look_at_state(void *arg, const struct slice_at *at)
{
	struct having *h = arg;
	struct trace_pair v = h->v;
	const struct slice_access *a = slice_access_of(at);

	if (a->size != v.size)
		return true;
	if (a->value == v.now && !h->same.run)
		h->same = *at;
	v.now = a->value;
	if (!differs(h->s, &v))
		h->right = *at;
	return !h->right.run;
}

/*
 * What a message has brought in place of a halo's element: through buffers, back to a registered
 * element that another rank has read into them, or has sent.
 */
static bool trace_back(struct slicing *s, const struct slice_at *setter, uint32_t owner,
		       struct slice_at *out)
{
	struct slice_at at = *setter, read, write;
	bool many;

	s->hidden |= !s->w->others;
	for (unsigned i = 0; i < 8; i++) {
		if (!slice_copied_from(&at, &read))
			return false;
		if (slice_rank_of(&read) != slice_rank_of(setter) && slice_is_element(&read)) {
			*out = read;
			return true;
		}
		if (slice_write_before(&read, &write) && slice_same_bits(&write, &read))
			at = write;
		else if (!slice_sender(&read, owner, &at, &many) || many)
			return false;
		if (slice_is_element(&at) && slice_rank_of(&at) != slice_rank_of(setter)) {
			*out = at;
			return true;
		}
	}
	return false;
}

static void brought(struct slicing *s, const struct slice_at *setter, uint32_t owner,
		    struct slice_at *out)
{
	if (trace_back(s, setter, owner, out) && !slice_is_alone(out))
		out->run = NULL;
}

/* Both are in the same loop. */
static bool same_loop(const struct slice_at *a, const struct slice_at *b)
{
	return a->run && b->run && slice_scope_of(a)->loop &&
	       !point_sort(&slice_scope_of(a)->point, &slice_scope_of(b)->point);
}

/*
 * The copy has come from elsewhere: it was set outside of loops, or, as in pipelines, between the
 * iterations of the loop in which the reference computes the element.
 */
static bool is_received(const struct slice_at *local, const struct slice_at *ref_local)
{
	if (!local->run)
		return false;
	return !slice_scope_of(local)->loop ||
	       (same_loop(local, ref_local) && !slice_scope_of(local)->marked &&
		slice_scope_of(ref_local)->marked);
}

/* The read is of a halo, its owner had it right: true when that is the end. */
static bool is_stale(struct slicing *s, int node, const struct reading *r,
		     const struct slice_at *local, const struct slice_at *ref_local, uint32_t owner)
{
	struct having h = { .s = s, .v = r->value };
	struct root end = { .end = SLICE_STALE,
			    .grade = SLICE_PROVED,
			    .node = node,
			    .read = r->now,
			    .ref_read = r->ref,
			    .unset = !local->run,
			    .value = r->value };
	struct trace_thing t;

	/* computed here as well, in the loop in which the reference does */
	if (same_loop(local, ref_local) && !is_received(local, ref_local))
		return false;
	slice_thing(&r->now, &t);
	slice_states(&s->now, owner, &t, &slice_scope_of(&r->now)->point, look_at_state, &h);
	if (!h.right.run)
		return false;
	end.owner = s->now.index->file[owner].rank;
	slice_write_of(&h.right, &end.right);
	if (is_received(local, ref_local))
		brought(s, local, owner, &end.instead);
	end_with(s, end);
	return true;
}

/* The owner has it wrong, too (*same): its write is next, if it is seen. */
static bool of_owner(struct slicing *s, int node, const struct reading *r,
		     const struct slice_at *ref_local, uint32_t owner, bool *same)
{
	struct having h = { .s = s, .v = r->value };
	struct trace_thing t;
	struct slice_at write;

	slice_thing(&r->now, &t);
	slice_states(&s->now, owner, &t, &slice_scope_of(&r->now)->point, look_at_state, &h);
	*same = h.same.run;
	if (!h.same.run || !slice_write_of(&h.same, &write) ||
	    (ref_local->run &&
	     point_sort(&slice_scope_of(&write)->point, &slice_scope_of(ref_local)->point) != 0))
		return false;
	return push(s, (struct node){ .now = write,
				      .ref = *ref_local,
				      .value = r->value,
				      .how = SLICE_OWNER,
				      .from = node });
}

/* The last write of the reference's read, on whatever rank. */
static bool ref_write(struct slicing *s, const struct slice_at *read, struct slice_at *out)
{
	struct having h = { .s = s };
	struct trace_thing t;
	uint32_t owner;

	*out = (struct slice_at){ .run = NULL };
	if (!read->run)
		return false;
	if (slice_write_before(read, out) && slice_same_bits(out, read))
		return true;
	*out = (struct slice_at){ .run = NULL };
	if (!slice_is_halo(read))
		return false;
	slice_thing(read, &t);
	owner = slice_owner(&s->ref, &t);
	if (owner == s->ref.index->files)
		return false;
	pair_of(read, read, &h.v);
	slice_states(&s->ref, owner, &t, &slice_scope_of(read)->point, look_at_state, &h);
	if (h.right.run && slice_write_of(&h.right, out))
		return true;
	*out = (struct slice_at){ .run = NULL };
	return false;
}

/* A variable of the program that nobody registered and neither run sets: it differs as it is. */
static bool is_constant(const struct reading *r, const struct slice_at *ref_local)
{
	struct slice_at write;
	struct trace_thing t;

	slice_thing(&r->now, &t);
	return t.what == TRACE_WHAT_ADDRESS && t.spot.place.module && *t.spot.place.module &&
	       r->ref.run && !ref_local->run && !slice_write_before(&r->now, &write);
}

/* No write on this rank has set it: a message may have. */
static void of_message(struct slicing *s, int node, const struct reading *r,
		       const struct slice_at *ref_local, uint32_t owner, bool same)
{
	struct slice_at from;
	bool many;

	s->hidden |= !s->w->others;
	if (!slice_is_element(&r->now) && slice_sender(&r->now, owner, &from, &many) && !many &&
	    !slice_sets_too(&r->now, &from) &&
	    push(s, (struct node){ .now = from,
				   .value = r->value,
				   .how = SLICE_MESSAGE,
				   .from = node,
				   .matched = true }))
		return;
	end_with(s,
		 (struct root){ .end = SLICE_UNSEEN,
				.grade = is_constant(r, ref_local) ? SLICE_PROVED : SLICE_LIKELY,
				.node = node,
				.read = r->now,
				.value = r->value,
				.right = *ref_local,
				.unset = true,
				.owner = same ? s->now.index->file[owner].rank : TRACE_NO_RANK });
}

/* Written here in another loop or iteration than in the reference: one of them is missing. */
static bool is_out_of_step(struct slicing *s, int node, const struct reading *r,
			   const struct slice_at *local, const struct slice_at *ref_local)
{
	const struct slice_scope *a = slice_scope_of(local), *b = slice_scope_of(ref_local);
	int order = point_sort(&a->point, &b->point);
	struct root end = {
		.node = node, .read = r->now, .value = r->value, .owner = TRACE_NO_RANK
	};

	/* what is set between loops is moved about there; in a loop behind that it is one too many
	 */
	if (a->loop && !b->loop && order > 0 && slice_is_element(&r->now) &&
	    !slice_is_halo(&r->now))
		b = a;
	if (!order || a->loop != b->loop || (!a->loop && order > 0) || !slice_is_element(&r->now))
		return false;
	/* outside of loops a message may have brought what was there before */
	end.grade = a->loop ? SLICE_PROVED : SLICE_LIKELY;
	end.end = order < 0 ? SLICE_MISSING : SLICE_EXTRA;
	end.right = order < 0 ? *ref_local : *local;
	end_with(s, end);
	return true;
}

static void follow(struct slicing *s, int node, const struct reading *r)
{
	bool halo = slice_is_halo(&r->now), local, same = false;
	struct slice_at write, ref;
	struct trace_thing t;
	uint32_t owner = s->now.index->files;

	ref_write(s, &r->ref, &ref);
	local = slice_write_before(&r->now, &write) && slice_same_bits(&write, &r->now);
	if (!local)
		write.run = NULL;
	if (halo) {
		slice_thing(&r->now, &t);
		owner = slice_owner(&s->now, &t);
	}
	if (owner < s->now.index->files && r->value.has_ref) {
		if (is_stale(s, node, r, &write, &ref, owner))
			return;
		if ((!local || is_received(&write, &ref)) &&
		    of_owner(s, node, r, &ref, owner, &same))
			return;
	}
	if (!local) {
		of_message(s, node, r, &ref, owner, same);
		return;
	}
	/* beyond the array's edge MPI has renewed it in the reference, and what it is here is from
	 * before */
	if (halo && owner == s->now.index->files && r->ref.run && !ref.run &&
	    !slice_scope_of(&write)->loop) {
		end_here(s, node, SLICE_NOWHERE, SLICE_POSSIBLE);
		return;
	}
	if (ref.run && is_out_of_step(s, node, r, &write, &ref))
		return;
	/* what is set between loops is moved about there */
	if (ref.run && slice_scope_of(&write)->loop != slice_scope_of(&ref)->loop)
		ref.run = NULL;
	push(s, (struct node){ .now = write,
			       .ref = ref,
			       .value = r->value,
			       .how = SLICE_LOCAL,
			       .from = node });
}

/* ---- one pair of writes ---- */

/* Reads that differ are followed; false: none does. *strange: one that only this run has. */
static bool of_reads(struct slicing *s, int node, const struct slice_both *l,
		     struct slice_at *strange, bool *unclear)
{
	bool any = false;

	for (unsigned i = 0; i < l->nnow; i++) {
		const struct slice_at *ref =
			slice_counterpart(&l->now[i], slice_nth(l->now, i), l->ref, l->nref);
		struct reading r = { .now = l->now[i] };

		if (!ref && slice_is_element(&l->now[i]))
			ref = slice_counterpart(&l->now[i], 0, l->all, l->nall);
		if (ref)
			r.ref = *ref;
		pair_of(&r.now, &r.ref, &r.value);
		if (!ref) {
			*unclear |= !slice_is_element(&r.now) && slice_is_number(&r.now);
			if (slice_is_element(&r.now) && !strange->run)
				*strange = r.now;
			continue;
		}
		/* whole numbers of no type are bounds and addresses, mostly: not compared */
		if (!differs(s, &r.value))
			continue;
		if (slice_is_replaced(&r.now, &s->node[node].now)) {
			s->replaced = true;
			continue;
		}
		if (slice_is_running(&r.now, &s->node[node].now)) {
			*unclear = true;
			continue;
		}
		any = true;
		follow(s, node, &r);
	}
	return any;
}

/* Searches the last write of a statement. */
struct setting {
	uint64_t site;
	unsigned size;
	struct slice_at at;
};

static bool look_at_setting(void *arg, const struct slice_at *at)
{
	struct setting *x = arg;
	const struct slice_access *a = slice_access_of(at);

	if (a->write && a->size == x->size && slice_site(at) == x->site)
		x->at = *at;
	return !x->at.run;
}

/*
 * The reference reads an element for it that another rank owns here, as in pipelines, of which the
 * value comes in a message: when that rank has set it to something else, that is followed. False:
 * it has not.
 */
static bool of_unread(struct slicing *s, int node, const struct slice_both *l)
{
	for (unsigned i = 0; i < l->nref; i++) {
		const struct slice_access *a = slice_access_of(&l->ref[i]);
		struct node x = { .how = SLICE_MESSAGE, .from = node, .matched = true };
		struct setting set = { .size = a->size };
		struct trace_thing t;
		uint32_t owner;

		if (!slice_is_element(&l->ref[i]) ||
		    slice_counterpart(&l->ref[i], 0, l->now, l->nnow) ||
		    !ref_write(s, &l->ref[i], &x.ref))
			continue;
		slice_thing(&l->ref[i], &t);
		owner = slice_owner(&s->now, &t);
		if (owner == s->now.index->files || owner == s->node[node].now.file)
			continue;
		set.site = slice_site(&x.ref);
		slice_states(&s->now, owner, &t, &slice_scope_of(&s->node[node].now)->point,
			     look_at_setting, &set);
		if (!set.at.run)
			continue;
		x.now = set.at;
		pair_of(&x.now, &x.ref, &x.value);
		if (differs(s, &x.value) && push(s, x))
			return true;
	}
	return false;
}

/*
 * A read that the reference has not: in its place another one, of the same iteration. Where not all
 * of its reads are looked at it may be among the others.
 */
static enum slice_grade grade_of_read(const struct slicing *s, int node, bool whole, bool cut,
				      bool unread)
{
	if (s->node[node].loose || cut)
		return SLICE_POSSIBLE;
	return whole && unread ? SLICE_PROVED : SLICE_LIKELY;
}

static void of_pair(struct slicing *s, int node)
{
	const struct node *x = &s->node[node];
	struct slice_at strange = { .run = NULL };
	struct slice_both *l = NULL;
	bool any = false, unclear = false, whole = false, cut = false, unread = false;
	bool just = false; /* of what is read there the reference reads all */

	s->replaced = false;
	/* what is read just before it is of the statement itself, mostly */
	for (int reach = SLICE_JUST; reach <= SLICE_FAR && !any; reach++) {
		free(l);
		l = slice_both_get(&x->now, &x->ref, (enum slice_reach)reach);
		if (!l)
			return;
		strange.run = NULL;
		unclear = false;
		any = of_reads(s, node, l, &strange, &unclear) ||
		      (reach == SLICE_JUST && of_unread(s, node, l));
		if (reach == SLICE_JUST)
			just = !strange.run && slice_both_has_element(l);
		whole = l->whole;
		cut = l->cut;
		if (reach == SLICE_NEAR)
			unread = slice_both_has_unread(l);
		/* outside of iterations what was read before is of something else */
		if (reach == SLICE_NEAR && !slice_scope_of(&x->now)->marked)
			break;
	}
	if (just && strange.run && !slice_scope_of(&x->now)->marked) {
		strange.run = NULL;
		whole = false;
	}
	free(l);
	if (any)
		return;
	s->hidden |= !s->w->others;
	if (strange.run) {
		struct root end = { .end = SLICE_OTHER_READ,
				    .grade = grade_of_read(s, node, whole, cut, unread),
				    .node = node,
				    .read = strange,
				    .owner = TRACE_NO_RANK };

		pair_of(&strange, &(struct slice_at){ .run = NULL }, &end.value);
		end_with(s, end);
		return;
	}
	end_with(s,
		 (struct root){ .end = SLICE_STATEMENT,
				.grade = !whole || unclear || unread || s->replaced || !s->w->others
						 ? SLICE_LIKELY
						 : SLICE_PROVED,
				.node = node,
				.owner = TRACE_NO_RANK,
				.unclear = unclear });
}

/* A write between loops that the reference has not: what it has replaced was right. */
static void end_unpaired(struct slicing *s, int node)
{
	const struct node *x = &s->node[node];
	struct trace_pair v = x->value;
	struct slice_at before;

	if (x->how == SLICE_LOCAL && v.has_ref && slice_is_element(&x->now) &&
	    slice_write_before(&x->now, &before)) {
		v.now = slice_access_of(&before)->value;
		if (!differs(s, &v)) {
			end_with(s, (struct root){ .end = SLICE_EXTRA,
						   .grade = SLICE_PROVED,
						   .node = node,
						   .right = x->now,
						   .owner = TRACE_NO_RANK });
			return;
		}
	}
	end_here(s, node, SLICE_NOWHERE, SLICE_LIKELY);
}

/* The reference has no such write: what it has copied is followed. */
static void of_copy(struct slicing *s, int node)
{
	const struct node *x = &s->node[node];
	struct reading r = { .value = x->value };
	struct slice_at write, from;
	struct trace_thing t;
	struct root end = {
		.end = SLICE_SENT_OTHER, .grade = SLICE_LIKELY, .node = node, .owner = TRACE_NO_RANK
	};

	if (slice_is_element(&x->now) && x->how == SLICE_MESSAGE)
		from = x->now;
	else if (!slice_copied_from(&x->now, &from)) {
		/* the statement computes what was sent, and in the reference what is read there */
		if (x->how == SLICE_MESSAGE && x->value.has_ref &&
		    slice_twin(&s->ref, &x->now, x->value.ref, &s->node[node].ref))
			of_pair(s, node);
		else
			end_unpaired(s, node);
		return;
	}
	r.now = from;
	r.value.now = slice_access_of(&from)->value;
	if (!slice_is_element(&from)) {
		follow(s, node, &r);
		return;
	}
	/* what the reference has set the element to says whether it was wrong there */
	slice_thing(&from, &t);
	for (uint32_t f = 0; f < s->ref.index->files && !r.ref.run; f++) {
		struct slice_search q = { .run = &s->ref,
					  .file = f,
					  .thing = &t,
					  .until = &slice_scope_of(&from)->point };

		if (slice_element_write(&q, &write))
			r.ref = write;
	}
	if (!r.ref.run) {
		end_here(s, node, SLICE_NOWHERE, SLICE_POSSIBLE);
		return;
	}
	pair_of(&from, &r.ref, &r.value);
	if (differs(s, &r.value)) {
		follow(s, node, &r);
		return;
	}
	end.read = from;
	end.instead = from;
	end.value = r.value;
	end_with(s, end);
}

/* How far the value is off. */
static double distance(const struct node *x)
{
	size_t size = x->value.type < VALUE_TYPES ? value_size(x->value.type) : 0;
	double d;

	if (!x->value.has_ref || !x->value.has_now || size != x->value.size ||
	    value_class(x->value.type) != VALUE_IS_REAL)
		return 0;
	d = fabs(value_load(x->value.type, &x->value.now).re -
		 value_load(x->value.type, &x->value.ref).re);
	return isnan(d) ? INFINITY : d;
}

/* In turn; later, when the room gets short, those that are off most: they are nearest to where it
 * began. -1: all are done. */
static int next_node(struct slicing *s)
{
	int best = -1;

	while (s->next < s->n && s->node[s->next].done)
		s->next++;
	if (s->next == s->n)
		return -1;
	if (s->next < SLICE_TURNS)
		return (int)s->next;
	for (unsigned i = s->next; i < s->n; i++)
		if (!s->node[i].done &&
		    (best < 0 || distance(&s->node[i]) > distance(&s->node[best])))
			best = (int)i;
	return best;
}

static void work(struct slicing *s)
{
	int i;

	while ((i = next_node(s)) >= 0) {
		/* nothing can be more sure than that */
		if (s->any && s->best.grade == SLICE_PROVED && s->best.end == SLICE_STALE)
			return;
		s->node[i].done = true;
		if (s->node[i].ref.run)
			of_pair(s, i);
		else
			of_copy(s, i);
	}
}

/* ---- where it begins, and what is made of it ---- */

static bool in_iteration(const struct slice_at *at, const struct trace_finding *f)
{
	const struct slice_scope *s = slice_scope_of(at);

	return !f->nidx ||
	       (s->nidx == f->nidx && !memcmp(s->index, f->index, f->nidx * sizeof(*f->index)));
}

/* The wrong write, and the reference's. */
static bool begin(struct slicing *s)
{
	const struct trace_finding *f = s->w->wrong;
	struct node first = { .from = -1 };
	struct slice_search q = { .run = &s->now, .thing = &f->thing, .until = &f->point };
	bool found = false;

	q.value = f->value.has_now ? &f->value.now : NULL;
	for (q.file = 0; q.file < s->now.index->files && !found; q.file++)
		found = s->now.index->file[q.file].rank == f->rank &&
			slice_element_write(&q, &first.now);
	if (!found || !in_iteration(&first.now, f))
		return false;
	q = (struct slice_search){ .run = &s->ref, .thing = &f->thing, .until = &f->point };
	q.in = slice_scope_of(&first.now);
	q.value = f->value.has_ref ? &f->value.ref : NULL;
	for (q.file = 0; q.file < s->ref.index->files && !first.ref.run; q.file++)
		if (!slice_element_write(&q, &first.ref))
			first.ref.run = NULL;
	if (!first.ref.run)
		return false;
	pair_of(&first.now, &first.ref, &first.value);
	return push(s, first);
}

static void operand_of(const struct slice_at *at, const struct trace_pair *v,
		       struct trace_operand *out)
{
	struct trace_finding f;

	if (!at->run)
		return;
	slice_finding(at, &f);
	*out = (struct trace_operand){ .thing = f.thing, .spot = f.spot, .value = f.value };
	if (v)
		out->value = *v;
	out->other = true;
}

static void step_of(const struct node *x, struct slice_step *to)
{
	slice_finding(&x->now, &to->write);
	to->how = x->how;
	if (!x->ref.run) {
		/* what should have been read of it */
		if (x->value.has_ref && x->value.size == to->write.value.size &&
		    x->value.now == to->write.value.now)
			to->write.value = x->value;
		return;
	}
	pair_of(&x->now, &x->ref, &to->write.value);
	slice_spot(&x->ref, &to->write.ref_spot);
	to->write.ref_rank = slice_rank_of(&x->ref);
}

static void finish(struct slicing *s)
{
	struct slice *out = s->out;
	const struct root *r = &s->best;
	int path[SLICE_WRITES];
	unsigned n = 0;

	for (int i = r->node; i >= 0; i = s->node[i].from)
		path[n++] = i;
	out->shortened = n > SLICE_DEPTH;
	for (unsigned i = 0; i < n; i++) {
		/* the beginning, and the end */
		unsigned k = n - 1 - i;

		if (out->shortened && i >= SLICE_DEPTH / 2 && k >= SLICE_DEPTH / 2)
			continue;
		step_of(&s->node[path[k]], &out->step[out->n++]);
	}
	out->end = r->end;
	out->grade = r->grade;
	out->owner = r->owner;
	out->hidden = s->hidden;
	out->unclear = r->unclear;
	out->unset = r->unset;
	out->in_halo = slice_is_halo(&s->node[r->node].now);
	operand_of(&r->read, &r->value, &out->read);
	if (r->ref_read.run)
		slice_spot(&r->ref_read, &out->read.ref_spot);
	if (r->right.run)
		slice_finding(&r->right, &out->right);
	operand_of(&r->instead, NULL, &out->instead);
	if (r->instead.run)
		out->instead_rank = slice_rank_of(&r->instead);
}

int slice_make(const struct slice_wanted *w, struct slice *out)
{
	struct slicing *s;

	memset(out, 0, sizeof(*out));
	out->hold = calloc(1, sizeof(*out->hold));
	if (!out->hold)
		return -1;
	s = &out->hold->s;
	s->w = w;
	s->out = out;
	if (slice_run_open(&s->now, w->now, &s->bytes) ||
	    slice_run_open(&s->ref, w->ref, &s->bytes))
		return -1;
	if (!begin(s))
		return 0;
	work(s);
	if (!s->any)
		end_here(s, 0, SLICE_NOWHERE, SLICE_POSSIBLE);
	finish(s);
	return 1;
}

void slice_clear(struct slice *s)
{
	if (s->hold) {
		slice_run_close(&s->hold->s.now);
		slice_run_close(&s->hold->s.ref);
	}
	free(s->hold);
	*s = (struct slice){ .n = 0 };
}

const char *slice_grade_word(enum slice_grade g)
{
	static const char *const word[] = { "possible", "likely", "proved" };

	return word[g];
}
