/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parallel loops: the outermost loops without MPI that go over an array's own part on all runs; and
 * which arrays they use when they are come to for the first time.
 */
#include "frontend/annotate/internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/parse.h"
#include "frontend/util/xvec.h"

/* Of the own part along each dimension, that a loop has to go over; a loop that spares the border
 * may have less. */
#define MOST_OF_IT 0.45
#define LEAST_FILL 0.2 /* every fourth element, or a triangle */
/*
 * Records between the first accesses of a line to arrays that it uses in the same pass. What comes
 * later is another array under the same name.
 */
#define SAME_PASS 256
#define LEAST_ELEMENTS 16 /* of what may be an array */

static bool in_loop(const struct sweep *w, const struct draft_loop *l)
{
	return w->line >= l->loop->first && w->line <= l->loop->last &&
	       !strcmp(w->file, l->scan->path);
}

#define MOST_COMPONENTS 32 /* where they are as many for any size */

/* The densest or the widest one is as large for any size of the program, and not divided: members
 * of a structure, unknowns of a point. */
static bool is_of_components(const struct guesses *g, const struct array_guess *a, unsigned d)
{
	bool sizes = !g->training[0].rank[0].nstop; /* so far there is one only */

	for (uint32_t k = 0; k < a->nrun; k++) {
		sizes = sizes || g->training[k].size != g->training[0].size;
		if (a->run[k].shape[d] != a->run[0].shape[d] || a->run[k].grid[d] > 1)
			return false;
	}
	return sizes && a->ndim > 1 && (!d || d == a->ndim - 1) &&
	       a->run[0].shape[d] <= MOST_COMPONENTS;
}

/* It goes over the own part, not only along an edge of it. */
static bool covers(const struct guesses *g, const struct array_guess *a, const struct part *p,
		   const struct sweep *w)
{
	int64_t lo[LAYOUT_DIMS], n[LAYOUT_DIMS];
	double fill;

	if (!sweep_box(w, p, a->ndim, a->unit, lo, n, &fill) || fill < LEAST_FILL ||
	    !sweep_middle(w, p, a->ndim, a->unit, lo, n))
		return false;
	for (unsigned d = 0; d < a->ndim; d++)
		if (!is_of_components(g, a, d) && (double)n[d] < MOST_OF_IT * (double)p->own_n[d])
			return false;
	return true;
}

/* Of an assignment of arrays the dimensions that sections go along, "u(2:n, j)": 1; whole arrays
 * may have any. */
static unsigned sections_of(const struct loop *l)
{
	unsigned most = 0, here[16] = { 0 }, depth = 0;

	for (const char *c = l->at; c < l->end; c++) {
		if (*c == '(' && depth < 15)
			here[++depth] = 0;
		else if (*c == ')' && depth)
			depth--;
		else if (*c == ':' && depth)
			most = ++here[depth] > most ? here[depth] : most;
	}
	return most ? most : LAYOUT_DIMS;
}

/* How many loops are nested in it, itself included. */
static unsigned depth_of(const struct scan *s, const struct loop *l)
{
	unsigned most = 0;

	if (l->implicit)
		return s->fortran ? sections_of(l) : LAYOUT_DIMS;
	for (uint32_t i = 0; i < s->nloop; i++) {
		const struct loop *x = &s->loop[i];

		if (x != l && x->at > l->at && x->end <= l->end) {
			unsigned n = depth_of(s, x);

			most = n > most ? n : most;
		}
	}
	return most + 1;
}

#define COMPONENTS 4 /* of an element, at most: they may be written without a loop */

/*
 * It has a loop for each dimension that is not gone over together with another one; else other
 * planes come with other calls.
 */
static bool has_dimensions(const struct guesses *g, const struct scan *s, const struct loop *l,
			   const struct array_guess *a)
{
	unsigned n = 0;

	for (unsigned d = 0; d < a->ndim; d++)
		n += a->run[0].shape[d] > COMPONENTS && !is_of_components(g, a, d);
	return depth_of(s, l) >= n;
}

/* How many elements what the loop goes over as a whole has: "u", "this->u" or a vector so. */
static int64_t all_elements(const struct rank_seen *s, const struct stop_seen *stop,
			    const char *name, unsigned unit)
{
	static const char *const as[] = { "%s", "this->%s", "%s._M_impl._M_start",
					  "this->%s._M_impl._M_start" };

	for (uint32_t i = 0; i < stop->frame[0].nvariable; i++) {
		const struct variable *v = &stop->frame[0].variable[i];
		bool is = false;

		for (unsigned k = 0; v->pointer && k < sizeof(as) / sizeof(*as) && !is; k++) {
			char *text = xasprintf(as[k], name);

			is = !strcmp(v->name, text);
			free(text);
		}
		for (uint32_t k = 0; is && k < s->nregion; k++)
			if (s->region[k].base == (uint64_t)v->number)
				return (int64_t)(s->region[k].bytes / unit);
	}
	return 0;
}

/* How often the loop was gone through at the stop; 0: not known. */
static int64_t passes(const struct rank_seen *s, const struct scan *scan, const struct loop *l,
		      const struct stop_seen *stop, unsigned unit)
{
	struct env env = { .scan = scan, .line = l->first, .seen = s, .frame = &stop->frame[0] };
	size_t n = l->to ? strlen(l->to) : 0;
	int64_t from = 0, to, count;
	char *name;

	if (l->over)
		return all_elements(s, stop, l->over, unit);
	if (!l->variable || !l->from || l->down || !env_value(&env, l->from, &from))
		return 0;
	if (n > 7 && !strcmp(l->to + n - 7, ".size()")) {
		name = xstrndup(l->to, n - 7);
		count = all_elements(s, stop, name, unit);
		free(name);
		return count - from;
	}
	return l->to && env_value(&env, l->to, &to) ? to - l->below - from + 1 : 0;
}

/* It goes over all of the own part by one index. */
static bool is_flat(const struct guesses *g, const struct scan *s, const struct loop *l,
		    const struct array_guess *a, uint32_t run)
{
	const struct rank_seen *seen = &g->training[run].rank[0];
	const struct stop_seen *stop = stop_at(seen, s->path, l->first);
	int64_t own = 1;

	if (depth_of(s, l) != 1 || a->ndim < 2)
		return false;
	if (!seen->nstop) /* so far no rank stops there */
		return l->over || l->to;
	for (unsigned d = 0; d < a->ndim; d++)
		own *= a->run[run].part[0].own_n[d];
	return stop && passes(seen, s, l, stop, a->unit) >= own;
}

static struct draft_loop *loop_mark(struct draft *m, const struct guesses *g, const struct scan *s,
				    const struct loop *l)
{
	struct draft_loop *x;

	for (uint32_t i = 0; i < m->nloop; i++)
		if (m->loop[i].scan == s && m->loop[i].loop == l)
			return &m->loop[i];
	x = xvec_add(m->loop, m->nloop);
	*x = (struct draft_loop){ .scan = s, .loop = l };
	x->run = xcalloc(g->ntraining, sizeof(*x->run));
	x->sequential = draft_in_loop(s, l->first, true);
	return x;
}

static void add(uint32_t *list, uint32_t *n, uint32_t array)
{
	for (uint32_t i = 0; i < *n; i++)
		if (list[i] == array)
			return;
	if (*n < DRAFT_ARRAYS)
		list[(*n)++] = array;
}

/* The line has accessed another array long before. */
static bool is_later(const struct rank_seen *s, const struct sweep *w)
{
	for (uint32_t i = 0; i < s->nsweep; i++) {
		const struct sweep *o = &s->sweep[i];

		/* what it does with variables on the stack says nothing of that */
		if (o->line == w->line && o->file == w->file && o->write == w->write &&
		    o->size == w->size && o->first + SAME_PASS < w->first &&
		    !s->region[o->region].stack)
			return true;
	}
	return false;
}

/* The loops of a run that go over the array. */
static void loops_over(struct draft *m, const struct guesses *g, uint32_t array, uint32_t run)
{
	const struct array_guess *a = &g->array[array];
	const struct rank_seen *s = &g->training[run].rank[0];
	const struct part *p = &a->run[run].part[0];

	for (uint32_t j = 0; j < s->nsweep; j++) {
		const struct sweep *w = &s->sweep[j];
		const struct scan *f;
		const struct loop *l;
		struct uses *u;
		bool flat;

		if (w->region != p->region || !covers(g, a, p, w) || is_later(s, w))
			continue;
		f = draft_open(m, w->file);
		l = f ? draft_in_loop(f, w->line, false) : NULL;
		flat = l && !has_dimensions(g, f, l, a);
		if (!l || (flat && !is_flat(g, f, l, a, run)))
			continue;
		loop_mark(m, g, f, l)->flat |= flat;
		u = &loop_mark(m, g, f, l)->run[run];
		if (w->write)
			add(u->writes, &u->nwrites, array);
		else
			add(u->reads, &u->nreads, array);
	}
}

/* Arrays that loops go over when they are come to again. */
static void loops_later(struct draft *m, const struct guesses *g, uint32_t array)
{
	const struct array_guess *a = &g->array[array];
	const struct rank_seen *s = &g->training[0].rank[0];
	const struct part *p = &a->run[0].part[0];

	for (uint32_t j = 0; j < s->nsweep; j++) {
		const struct sweep *w = &s->sweep[j];

		if (w->region != p->region || !covers(g, a, p, w) || !is_later(s, w))
			continue;
		for (uint32_t i = 0; i < m->nloop; i++)
			if (in_loop(w, &m->loop[i]) &&
			    (m->loop[i].flat ||
			     has_dimensions(g, m->loop[i].scan, m->loop[i].loop, a)))
				add(m->loop[i].later, &m->loop[i].nlater, array);
	}
}

/* Those that go over own parts in some runs only are not parallel loops. */
static void drop_odd(struct draft *m, const struct guesses *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->nloop; i++) {
		bool all = true;

		for (uint32_t k = 0; k < g->ntraining; k++)
			all = all && m->loop[i].run[k].nwrites + m->loop[i].run[k].nreads;
		if (all)
			m->loop[n++] = m->loop[i];
		else
			uses_clear(&m->loop[i]);
	}
	m->nloop = n;
}

/*
 * As long as nothing has stopped at loops the shapes of Fortran's arrays are not known, nor what is
 * on a stack: then all loops that go over a good part of what is used of an array, or over some of
 * the stack.
 */
static void survey(struct draft *m, const struct guesses *g, uint32_t array)
{
	const struct array_guess *a = &g->array[array];
	const struct rank_seen *s = &g->training[0].rank[0];
	bool stack = array < s->nregion && s->region[array].stack;
	uint32_t region = stack ? array : a->run[0].part[0].region;
	uint64_t used = region == UINT32_MAX ? 0 : region_used(s, region);

	for (uint32_t j = 0; !a->replicated && region != UINT32_MAX && j < s->nsweep; j++) {
		const struct sweep *w = &s->sweep[j];
		const struct scan *f;
		const struct loop *l;

		if (w->region != region ||
		    (stack ? w->elements < LEAST_ELEMENTS :
			     w->elements * w->size * 4 < used))
			continue;
		f = draft_open(m, w->file);
		l = f && (f->fortran || stack) ? draft_in_loop(f, w->line, false) : NULL;
		if (l)
			loop_mark(m, g, f, l);
	}
}

void draft_loops(struct draft *m, const struct guesses *g)
{
	for (uint32_t i = 0; i < g->narray; i++)
		for (uint32_t k = 0; g->array[i].tiles && k < g->ntraining;
		     k++)
			loops_over(m, g, i, k);
	drop_odd(m, g);
	for (uint32_t i = 0; i < g->narray; i++)
		if (g->array[i].tiles)
			loops_later(m, g, i);
	for (uint32_t i = 0; !g->training[0].rank[0].nstop && i < g->narray; i++)
		survey(m, g, i);
}

void uses_clear(struct draft_loop *l)
{
	mark_clear(&l->mark);
	free(l->run);
	l->run = NULL;
}

static bool has(const uint32_t *list, uint32_t n, uint32_t array)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == array)
			return true;
	return false;
}

bool uses_in(const struct draft_loop *l, uint32_t array)
{
	const struct uses *u = &l->run[0];

	return has(u->writes, u->nwrites, array) || has(u->reads, u->nreads, array);
}

bool uses_array(const struct draft *m, uint32_t array)
{
	for (uint32_t i = 0; i < m->nloop; i++)
		if (uses_in(&m->loop[i], array) ||
		    has(m->loop[i].later, m->loop[i].nlater, array))
			return true;
	return false;
}

/* ---- names at a loop ---- */

/* When the rank first came to the loop, in its records. */
static uint64_t begin_of(const struct rank_seen *s, const struct draft_loop *l)
{
	uint64_t begin = UINT64_MAX;

	for (uint32_t i = 0; i < s->nsweep; i++)
		if (in_loop(&s->sweep[i], l) && s->sweep[i].first < begin)
			begin = s->sweep[i].first;
	return begin;
}

/* The array of the set that is at the address, on that rank; UINT32_MAX: none is. */
static uint32_t array_at(const struct guesses *g, const uint32_t *list, uint32_t n, uint32_t run,
			 uint32_t rank, uint64_t addr)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct part *p = &g->array[list[i]].run[run].part[rank];

		if (p->region != UINT32_MAX &&
		    g->training[run].rank[rank].region[p->region].base == addr)
			return list[i];
	}
	return UINT32_MAX;
}

/* Which array of the loop has the name in a run, the same on all ranks; UINT32_MAX: none. */
static uint32_t array_named(const struct guesses *g, const struct draft_loop *l, uint32_t run,
			    bool write, const char *name)
{
	const struct uses *u = &l->run[run];
	uint32_t is = UINT32_MAX;

	for (uint32_t r = 0; r < g->training[run].ranks; r++) {
		const struct rank_seen *s = &g->training[run].rank[r];
		uint64_t addr;
		uint32_t now;

		/* it was not seen to stop there, though it came there: nothing is known of it */
		if (!stop_at(s, l->scan->path, l->loop->first) && begin_of(s, l) != UINT64_MAX)
			continue;
		if (!place_address(s, l->scan->path, l->loop->first, name, begin_of(s, l), &addr))
			return UINT32_MAX;
		now = array_at(g, write ? u->writes : u->reads, write ? u->nwrites : u->nreads, run,
			       r, addr);
		if (now == UINT32_MAX || (is != UINT32_MAX && is != now))
			return UINT32_MAX;
		is = now;
	}
	return is;
}

static bool is_name(const struct guesses *g, const struct draft_loop *l, uint32_t array, bool write,
		    const char *name)
{
	if (strchr(name, ':') || array_named(g, l, 0, write, name) != array)
		return false;
	for (uint32_t k = 1; k < g->ntraining; k++)
		if (array_named(g, l, k, write, name) == UINT32_MAX)
			return false;
	return true;
}

/* All ranks have all of it along the widest dimension, which may be planes of several times. */
static bool has_planes(const struct guesses *g, const struct array_guess *a)
{
	for (uint32_t k = 0; k < g->ntraining; k++)
		if (a->run[k].grid[0] > 1)
			return false;
	return a->ndim > 1;
}

/* A pointer of the frame leads to another plane of the array than the first one. */
static bool has_plane(const struct guesses *g, const struct array_guess *a, const struct region *x,
		      const struct frame_seen *f)
{
	uint64_t plane = (uint64_t)a->run[0].part[0].pitch[0] * a->unit;

	if (!has_planes(g, a) || !plane)
		return false;
	for (uint32_t i = 0; i < f->nvariable; i++) {
		uint64_t addr = (uint64_t)f->variable[i].number;

		if (f->variable[i].pointer && addr > x->base && addr < x->base + x->bytes &&
		    !((addr - x->base) % plane))
			return true;
	}
	return false;
}

bool uses_plane(const struct guesses *g, const struct draft_loop *l, uint32_t array)
{
	const struct rank_seen *s = &g->training[0].rank[0];
	const struct stop_seen *stop = stop_at(s, l->scan->path, l->loop->first);
	const struct array_guess *a = &g->array[array];

	return stop && !l->scan->fortran &&
	       has_plane(g, a, &s->region[a->run[0].part[0].region], &stop->frame[0]);
}

const char *uses_name(const struct guesses *g, const struct draft_loop *l, uint32_t array,
		      bool write)
{
	const struct rank_seen *s = &g->training[0].rank[0];
	const struct stop_seen *stop = stop_at(s, l->scan->path, l->loop->first);
	const struct region *x = &s->region[g->array[array].run[0].part[0].region];
	const char *best = NULL;
	/* then a plain pointer may lead there, too, when the loop is come to again */
	bool moves = uses_plane(g, l, array);

	/* members of its elements are said with the dimensions that it has */
	if (x->structures && is_name(g, l, array, write, x->name))
		return x->name;
	for (uint32_t i = 0; stop && i < stop->frame[0].nvariable; i++) {
		const struct variable *v = &stop->frame[0].variable[i];

		if (v->pointer && (uint64_t)v->number == x->base &&
		    (!best || strlen(v->name) < strlen(best)) &&
		    (!moves || place_keeps(v->name)) && is_name(g, l, array, write, v->name))
			best = v->name;
	}
	if (!best && x->name && is_name(g, l, array, write, x->name))
		best = x->name;
	for (uint32_t i = 0; !best && i < s->nscalar; i++)
		if (s->scalar[i].size == 8 && is_name(g, l, array, write, s->scalar[i].name))
			best = s->scalar[i].name;
	return best;
}

const char *uses_on(const struct draft *m, const struct guesses *g, struct draft_loop *l)
{
	for (int write = 1; write >= 0; write--) {
		const struct uses *u = &l->run[0];

		for (uint32_t i = 0; i < (write ? u->nwrites : u->nreads); i++) {
			uint32_t array = write ? u->writes[i] : u->reads[i];
			const char *name =
				m->array[array].good ? uses_name(g, l, array, write) : NULL;

			for (uint32_t k = 0; name && k < g->ntraining; k++)
				l->run[k].on = array_named(g, l, k, write, name);
			if (name)
				return name;
		}
	}
	return NULL;
}

/* The line has accessed an array with a mark before. */
static bool follows_marked(const struct draft *m, const struct rank_seen *s, const struct sweep *w)
{
	for (uint32_t i = 0; i < s->nsweep; i++) {
		const struct sweep *o = &s->sweep[i];

		if (o->line == w->line && o->file == w->file && o->write == w->write &&
		    o->size == w->size && o->first < w->first && o->region < m->narray &&
		    m->array[o->region].good)
			return true;
	}
	return false;
}

bool region_leads(const struct rank_seen *s, const struct region *x)
{
	uint64_t n = 0;

	for (uint64_t e = 0; x->value && e < x->bytes / 8; e++) {
		bool inside = false;

		if (!(x->valued[e / 8] >> e % 8 * 8 & 1))
			continue;
		for (uint32_t i = 0; i < s->nregion && !inside; i++)
			inside = x->value[e] - s->region[i].base < s->region[i].bytes;
		if (!inside)
			return false;
		n++;
	}
	return n;
}

bool uses_others(const struct draft *m, const struct guesses *g, const struct draft_loop *l)
{
	const struct rank_seen *s = &g->training[0].rank[0];

	for (uint32_t i = 0; i < s->nsweep; i++) {
		const struct sweep *w = &s->sweep[i];

		/* arrays are numbered as the regions of that rank */
		if (in_loop(w, l) && w->region < m->narray && !m->array[w->region].good &&
		    !s->region[w->region].stack && w->elements >= LEAST_ELEMENTS &&
		    is_later(s, w) && follows_marked(m, s, w) &&
		    !region_leads(s, &s->region[w->region]))
			return true;
	}
	return false;
}

bool uses_nested(const struct draft *m, const struct guesses *g, const struct draft_loop *l)
{
	const struct stop_seen *stop =
		stop_at(&g->training[0].rank[0], l->scan->path, l->loop->first);

	for (uint32_t k = 1; stop && k < stop->nframe; k++)
		for (uint32_t i = 0; i < m->nloop; i++)
			if (m->loop[i].loop->first <= stop->frame[k].line &&
			    stop->frame[k].line <= m->loop[i].loop->last &&
			    !strcmp(m->loop[i].scan->path, stop->frame[k].file))
				return true;
	return false;
}

/* ---- pipelines ---- */

#define CALLS 3 /* in each other, that are looked into for messages */

enum message { SENDS = 1, RECEIVES = 2, POSTS = 4, WAITS = 8 };

/* What a call of MPI does, by its name behind MPI_. */
static unsigned message_of(const char *name, size_t n)
{
	static const struct {
		const char *name;
		unsigned does;
	} of[] = { { "send", SENDS },	 { "isend", SENDS },   { "ssend", SENDS },
		   { "issend", SENDS },	 { "bsend", SENDS },   { "ibsend", SENDS },
		   { "rsend", SENDS },	 { "irsend", SENDS },  { "recv", RECEIVES },
		   { "irecv", POSTS },	 { "wait", WAITS },    { "waitall", WAITS },
		   { "waitany", WAITS }, { "waitsome", WAITS } };

	for (unsigned i = 0; i < sizeof(of) / sizeof(*of); i++)
		if (strlen(of[i].name) == n && !strncasecmp(of[i].name, name, n))
			return of[i].does;
	return n >= 8 && !strncasecmp(name, "sendrecv", 8) ? SENDS | RECEIVES
	       : n >= 5 && !strncasecmp(name, "start", 5)  ? SENDS | RECEIVES
							   : 0;
}

static unsigned messages(const struct draft *m, const struct scan *s, const char *from,
			 const char *end, unsigned depth);

/* The same of functions of that name that communicate; it may stand where they begin. */
static unsigned messages_of(const struct draft *m, const char *name, size_t n, unsigned depth)
{
	unsigned does = 0;

	for (uint32_t i = 0; i < m->nscan; i++)
		for (uint32_t k = 0; k < m->scan[i]->nfunction; k++) {
			const struct function *f = &m->scan[i]->function[k];

			if (f->mpi && !(f->body <= name && name < f->end) && strlen(f->name) == n &&
			    !strncmp(f->name, name, n))
				does |= messages(m, m->scan[i], f->body, f->end, depth + 1);
		}
	return does;
}

/* The word of n letters is called there. */
static bool is_call(const struct scan *s, const char *c, size_t n)
{
	const char *end = c + n + strspn(c + n, " \t\r\n");

	while (c > s->text && c[-1] == ' ')
		c--;
	return *end == '(' || (s->fortran && c - s->text >= 4 && scan_word(s, c - 4, "call"));
}

/* What the text does, and functions that it calls. */
static unsigned messages(const struct draft *m, const struct scan *s, const char *from,
			 const char *end, unsigned depth)
{
	unsigned does = 0;

	for (const char *c = from; c < end; c++) {
		size_t n = 0;

		while (c + n < end && (isalnum((unsigned char)c[n]) || c[n] == '_'))
			n++;
		if (!n)
			continue;
		if (n > 4 && !strncasecmp(c, "mpi_", 4))
			does |= message_of(c + 4, n - 4);
		else if (depth < CALLS && !isdigit((unsigned char)*c) && is_call(s, c, n))
			does |= messages_of(m, c, n, depth);
		c += n - 1;
	}
	return does;
}

/* In front of `at` ranks receive in the text, and behind `behind` they send: not the other way
 * round. */
static bool in_turn(const struct draft *m, const struct scan *s, const char *from, const char *at,
		    const char *behind, const char *end)
{
	unsigned before = messages(m, s, from, at, 0), then;

	if (before & SENDS || !(before & RECEIVES || (before & POSTS && before & WAITS)))
		return false;
	then = messages(m, s, behind, end, 0);
	return then & SENDS && !(then & (RECEIVES | POSTS));
}

/* So it is in a loop around it, or in its function. */
static bool in_pipeline(const struct draft *m, const struct scan *s, uint32_t line, const char *at,
			const char *behind)
{
	const struct function *f = draft_function(s, line);

	for (uint32_t i = 0; i < s->nloop; i++) {
		const struct loop *l = &s->loop[i];

		if (l->mpi && l->body <= at && behind <= l->end &&
		    in_turn(m, s, l->body, at, behind, l->end))
			return true;
	}
	return f && f->body <= at && behind <= f->end && in_turn(m, s, f->body, at, behind, f->end);
}

bool uses_pipelined(const struct draft *m, const struct guesses *g, const struct draft_loop *l)
{
	const struct stop_seen *stop =
		stop_at(&g->training[0].rank[0], l->scan->path, l->loop->first);

	if (in_pipeline(m, l->scan, l->loop->first, l->loop->at, l->loop->end))
		return true;
	for (uint32_t k = 1; stop && k < stop->nframe; k++) {
		const struct frame_seen *f = &stop->frame[k];
		const struct scan *s = draft_source(m, f->file);
		const char *at = s ? scan_line_begin(s, f->line) : NULL,
			   *behind = at ? scan_line_begin(s, f->line + 1) : NULL;

		if (behind && in_pipeline(m, s, f->line, at, behind))
			return true;
	}
	return false;
}

/* ---- loops over edges ---- */

static bool is_marked(const struct draft *m, const struct scan *s, const struct loop *l)
{
	for (uint32_t i = 0; i < m->nloop; i++)
		if (m->loop[i].scan == s &&
		    (m->loop[i].loop == l ||
		     (m->loop[i].inside && m->loop[i].good && m->loop[i].mark.line == l->first)))
			return true;
	return false;
}

/* Statements of the loop write elements of an array that has a mark, on some rank of the first
 * runs. */
static bool writes_marked(const struct draft *m, const struct guesses *g, const struct scan *s,
			  const struct loop *l)
{
	struct draft_loop x = { .scan = s, .loop = l };

	for (uint32_t k = 0; k < g->ntraining; k++)
		for (uint32_t r = 0; r < g->training[k].ranks; r++) {
			const struct rank_seen *seen = &g->training[k].rank[r];

			for (uint32_t j = 0; j < seen->nsweep; j++) {
				const struct sweep *w = &seen->sweep[j];

				for (uint32_t a = 0; w->write && in_loop(w, &x) && a < m->narray;
				     a++)
					if (m->array[a].good &&
					    g->array[a].run[k].part[r].region == w->region)
						return true;
			}
		}
	return false;
}

void uses_edges(struct draft *m, const struct guesses *g)
{
	for (uint32_t i = 0; i < m->nscan; i++) {
		const struct scan *s = m->scan[i];
		char *text = NULL, *more;
		uint32_t last = 0;

		for (uint32_t k = 0; k < s->nloop; k++) {
			const struct loop *l = &s->loop[k];

			if (draft_in_loop(s, l->first, false) != l || l->first == last ||
			    (l->implicit && !l->braces && !s->fortran) ||
			    is_marked(m, s, l) || !writes_marked(m, g, s, l))
				continue;
			last = l->first;
			more = text ? xasprintf("%s, %" PRIu32, text, last)
				    : xasprintf("%s:%" PRIu32, path_base(s->path), last);
			free(text);
			text = more;
		}
		if (!text)
			continue;
		more = xasprintf("loops that go over an edge or a few elements have no mark: %s",
				 text);
		mark_name_add(&m->notes, more);
		free(more);
		free(text);
	}
}
