/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who set an element last, in the traces of both runs: also outside of constructs, and before it
 * was registered.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/rule.h"
#include "common/tracereport/tracereport.h"
#include "frontend/job/job.h"
#include "frontend/locate/internal.h"
#include "frontend/output/output.h"
#include "frontend/pair/pair.h"
#include "frontend/scan/scan.h"
#include "frontend/session/session.h"
#include "frontend/symbols/symbols.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/xalloc.h"

#define BEHIND_MARK 4  /* lines between a mark and its loop */
#define HELD_ARRAYS 16 /* in which a strange value of a halo is looked for */

static struct trace_index *open_traces(struct locate_traced *t, struct trace_index **at,
				       const char *dir)
{
	struct err err = { "" };

	if (!*at)
		*at = trace_index_open(dir, 0, &err);
	if (!*at)
		locate_note(t->l, "traces cannot be read: %s", err.text);
	else if (at == &t->ref_traces)
		t->tolerance.scales = &(*at)->scales;
	return *at;
}

bool locate_traces_open(struct locate_traced *t)
{
	return open_traces(t, &t->now_traces, t->x.now) && open_traces(t, &t->ref_traces, t->x.dir);
}

/*
 * The last write of one run, in *list; false: none. Names of checksums are also those of fields of
 * structures.
 */
static bool last_write(struct trace_index *r, struct trace_last w, struct trace_findings *list,
		       struct trace_finding *out)
{
	const char *dot = strrchr(w.name, '.');
	struct err err = { "" };
	char object[300];
	bool known = false;
	int n = r ? trace_last_write(r, &w, list, &known, &err) : 0;

	if (r && !known && dot && dot - w.name < (ptrdiff_t)sizeof(object)) {
		snprintf(object, sizeof(object), "%.*s", (int)(dot - w.name), w.name);
		w.name = object;
		w.field = dot + 1;
		n = trace_last_write(r, &w, list, NULL, &err);
	}
	return n > 0 && !trace_findings_get(list, 0, out);
}

static void last_writes(struct locate_traced *t, const struct trace_thing *element, uint32_t rank,
			const struct point *before, bool halo, struct locate_writes *out)
{
	struct trace_index *now = open_traces(t, &t->now_traces, t->x.now);
	struct trace_index *ref = open_traces(t, &t->ref_traces, t->x.dir);
	struct trace_last w = { .name = element->name,
				.line = element->line,
				.counter = element->counter,
				.ndim = element->ndim,
				.before = *before,
				.rank = rank,
				.halo = halo };

	*out = (struct locate_writes){ 0 };
	memcpy(w.index, element->index, sizeof(w.index));
	if (element->field && (!strcmp(element->field, "re") || !strcmp(element->field, "im")))
		w.field = element->field;
	out->here = last_write(now, w, &out->now_list, &out->now);
	/* in another version of the program lines may have moved */
	if (t->l->spec->with)
		w.line = 0;
	w.rank = TRACE_NO_RANK;
	w.halo = false;
	out->there = last_write(ref, w, &out->ref_list, &out->ref);
}

void locate_last_writes(struct locate_traced *t, const struct trace_thing *element, uint32_t rank,
			const struct point *before, struct locate_writes *out)
{
	last_writes(t, element, rank, before, false, out);
}

void locate_halo_writes(struct locate_traced *t, const struct trace_thing *element, uint32_t rank,
			const struct point *before, struct locate_writes *out)
{
	last_writes(t, element, rank, before, true, out);
}

/* Whether the owner has set it to that value, in a pipeline also in the same loop. */
static bool is_set_to(struct locate_traced *t, const struct trace_thing *e, uint32_t owner,
		      const struct point *before, const struct trace_pair *v)
{
	const struct point when[] = { *before, { 0 } };
	bool is = false;

	for (unsigned i = 0; i < 2 && !is; i++) {
		struct locate_writes w;

		locate_last_writes(t, e, owner, &when[i], &w);
		is = w.here && w.now.value.type == v->type && w.now.value.now == v->now;
		locate_writes_clear(&w);
	}
	return is;
}

/*
 * The rank has also read that element, of its halo, and has found there what o should be. An older
 * value of o alone could as well be what a copy of the array has.
 */
static bool is_mutual(const struct locate_traced *t, const struct trace_thing *e, uint32_t rank,
		      const struct trace_operand *o)
{
	struct trace_finding f;

	for (size_t i = 0; i < t->found.n; i++) {
		if (trace_findings_get(&t->found, i, &f) || f.rank != rank)
			continue;
		for (unsigned k = 0; k <= f.noperand; k++) {
			const struct trace_thing *x = k ? &f.operand[k - 1].thing : &f.thing;
			const struct trace_pair *v = k ? &f.operand[k - 1].value : &f.value;

			if ((k || !f.write) && x->what == TRACE_WHAT_ARRAY && x->ndim == e->ndim &&
			    !strcmp(x->name, e->name) && v->has_now && v->now == o->value.ref &&
			    !memcmp(x->index, e->index, e->ndim * sizeof(*e->index)))
				return true;
		}
	}
	return false;
}

bool locate_held(struct locate_traced *t, const struct trace_operand *o, uint32_t owner,
		 uint32_t rank, const struct point *before, char out[LOCATE_TEXT])
{
	struct session *s = second_session(t->now);
	struct fetch_objects all = { 0 };
	struct trace_thing e = o->thing;
	struct err err = { "" };
	bool is = false;

	if (o->value.now == o->value.ref ||
	    fetch_names(s, "", job_set(s->job, JOB_ALL), &all, &err))
		return false;
	for (size_t i = 0; i < all.n && i < HELD_ARRAYS && !is; i++) {
		const struct array_desc *a = &all.item[i].desc;

		if (a->kind != ARRAY_DISTRIBUTED || a->ndim != e.ndim ||
		    !strcmp(a->name, o->thing.name))
			continue;
		e.name = a->name;
		e.file = a->file;
		e.line = a->line;
		e.counter = a->counter;
		is = is_mutual(t, &e, rank, o) && is_set_to(t, &e, owner, before, &o->value);
		if (is)
			locate_thing(t->l, &e, out);
	}
	fetch_objects_clear(&all);
	return is;
}

void locate_writes_clear(struct locate_writes *w)
{
	trace_findings_clear(&w->now_list);
	trace_findings_clear(&w->ref_list);
}

bool locate_is_named(const struct trace_thing *t, const char *name)
{
	size_t n = strlen(t->name);

	if (!strcmp(t->name, name))
		return true;
	return t->field && *t->field && !strncmp(t->name, name, n) && name[n] == '.' &&
	       !strcmp(name + n + 1, t->field);
}

bool locate_outside(const struct trace_finding *f)
{
	for (unsigned i = 0; i < f->nframe; i++)
		if (f->frame[i].kind == CONSTRUCT_PL || f->frame[i].kind == CONSTRUCT_TASK)
			return false;
	return true;
}

bool locate_differ(const struct locate_traced *t, const struct trace_thing *thing,
		   const struct trace_pair *v)
{
	return v->has_now && v->has_ref && inspect_compare(&t->tolerance, thing, v) == TRACE_OTHER;
}

static bool same_operand(struct symbols *s, const struct trace_operand *a,
			 const struct trace_operand *b)
{
	char x[600], y[600];

	return !strcmp(trace_thing_text(&a->thing, x, sizeof(x)),
		       trace_thing_text(&b->thing, y, sizeof(y))) &&
	       !strcmp(trace_spot_text(s, &a->spot, x, sizeof(x)),
		       trace_spot_text(s, &b->spot, y, sizeof(y)));
}

/* A statement behind the loop belongs to the rank's last iteration, whichever that is. */
static bool behind_loop(const struct locate *l, const struct locate_writes *w)
{
	return l->m->id.kind == ARRAY_REPLICATED && w->here && w->there &&
	       (w->now.nidx != w->ref.nidx ||
		memcmp(w->now.index, w->ref.index, w->now.nidx * sizeof(*w->now.index)) != 0);
}

/* Outside of iterations only what is read on the line itself is what it is computed from. */
static void keep_line(const struct locate_traced *t, struct trace_finding *f,
		      const struct trace_finding *ref)
{
	struct symbols *s = t->l->s->symbols;
	char line[600], text[600];
	unsigned n = 0;

	trace_spot_text(s, &f->spot, line, sizeof(line));
	for (unsigned i = 0; i < f->noperand; i++) {
		struct trace_operand o = f->operand[i];

		if (strcmp(trace_spot_text(s, &o.spot, text, sizeof(text)), line) != 0 ||
		    o.thing.what != TRACE_WHAT_ARRAY)
			continue;
		for (unsigned k = 0; ref && k < ref->noperand; k++) {
			if (!same_operand(s, &o, &ref->operand[k]))
				continue;
			o.value.has_ref = true;
			o.value.ref = ref->operand[k].value.now;
			o.other = locate_differ(t, &o.thing, &o.value);
		}
		f->operand[n++] = o;
	}
	f->noperand = (uint8_t)n;
}

void locate_element(const struct locate *l, struct trace_thing *e)
{
	const struct sums_array *id = &l->m->id;

	*e = (struct trace_thing){ .what = TRACE_WHAT_ARRAY,
				   .array_kind = id->kind,
				   .order = id->order,
				   .name = id->name,
				   .file = id->file,
				   .line = id->line,
				   .counter = id->counter };
	if (l->values.there && l->values.diff.total) {
		e->ndim = (uint8_t)l->values.now.section.ndim;
		memcpy(e->index, l->values.diff.first, sizeof(e->index));
	}
}

uint32_t locate_wrong_rank(const struct locate *l)
{
	struct rankset ranks = { 0 };
	uint32_t rank = 0;

	if (l->m->kind == MISMATCH_COPIES)
		locate_wrong_ranks(l->m, &ranks);
	if (ranks.n)
		rank = (uint32_t)rankset_next(&ranks, 0);
	else if (l->m->id.kind == ARRAY_DISTRIBUTED && l->values.diff.first_owner != UINT32_MAX)
		rank = l->values.diff.first_owner;
	rankset_clear(&ranks);
	return rank;
}

/* Whether the write has left something else than what was found there. */
static bool is_another(const struct locate *l, const struct trace_pair *v)
{
	const struct locate_values *w = &l->values;
	const struct value *found = w->spoilt ? &w->first_now_begin : &w->diff.first_now;
	char a[VALUE_TEXT], b[VALUE_TEXT];
	struct value x;

	/* a part of an element says nothing of the other */
	if (!w->there || v->type >= VALUE_TYPES || v->type != w->now.q.type ||
	    v->size != value_size(v->type))
		return false;
	x = value_load(v->type, &v->now);
	return strcmp(value_format(v->type, &x, 0, a), value_format(v->type, found, 0, b)) != 0;
}

static void name_source(void *arg, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *names = arg;
	size_t n = strlen(names);

	snprintf(names + n, LOCATE_UNHOOKED - n, "%s%s", n ? ", " : ": ", slash ? slash + 1 : path);
}

/* What else can have set it: ": lib.c, mesh.c" are sources that have no hooks. */
const char *locate_unhooked(const struct locate *l, char out[LOCATE_UNHOOKED])
{
	*out = '\0';
	symbols_unhooked(l->s->symbols, job_path(l->s->job), name_source, out);
	return out;
}

const char *locate_value_text(const struct trace_pair *v, char out[VALUE_TEXT])
{
	struct value x;

	if (v->type >= VALUE_TYPES || v->size != value_size(v->type)) {
		snprintf(out, VALUE_TEXT, "0x%0*" PRIx64, 2 * v->size, v->now);
		return out;
	}
	x = value_load(v->type, &v->now);
	return value_format(v->type, &x, 0, out);
}

static char *why_overwritten(const struct locate *l, const struct trace_finding *f)
{
	char where[600], value[VALUE_TEXT], names[LOCATE_UNHOOKED];

	trace_spot_text(l->s->symbols, &f->spot, where, sizeof(where));
	locate_value_text(&f->value, value);
	if (l->set_by)
		return xasprintf("the last write that is seen, at %s, has set it to %s; the result "
				 "of %s goes there",
				 where, value, l->set_by);
	return xasprintf("the last write that is seen, at %s, has set it to %s: MPI has changed it "
			 "since, or code that is not compiled with dvmdbg-cc or dvmdbg-fc%s",
			 where, value, locate_unhooked(l, names));
}

static char *why_unseen(const struct locate *l)
{
	char names[LOCATE_UNHOOKED];

	if (l->set_by)
		return xasprintf("no write of it is seen there in either run: the result of %s "
				 "goes there",
				 l->set_by);
	return xasprintf("no write of it is seen there in either run: it is written by another "
			 "name, as that "
			 "of a pointer that is swapped with it, or MPI sets it, or code that is "
			 "not compiled "
			 "with dvmdbg-cc or dvmdbg-fc%s",
			 locate_unhooked(l, names));
}

static void pair_up(const struct locate_traced *t, const struct locate_writes *w,
		    struct trace_finding *f)
{
	f->write = true;
	f->ref_rank = w->ref.rank;
	f->ref_spot = w->ref.spot;
	f->mode = t->tolerance.mode;
	f->value.has_ref = true;
	f->value.ref = w->ref.value.now;
	if (f->value.has_now) {
		const struct trace_tolerance tol =
			inspect_tolerance(&t->tolerance, &f->thing, f->value.type);

		f->off = tolerance_off(&tol, f->value.type, f->value.now, f->value.ref, &f->limit);
	}
}

bool locate_setter(struct locate_traced *t, struct trace_finding *f, struct locate_writes *w,
		   char **why)
{
	struct locate *l = t->l;
	struct point before = { 0 };
	struct trace_thing e;
	uint32_t rank = locate_wrong_rank(l);

	*why = NULL;
	if (l->values.spoilt) {
		before = l->m->point;
		before.side = POINT_BEGIN;
	}
	locate_element(l, &e);
	locate_last_writes(t, &e, rank, &before, w);
	/* it was right after what was done before */
	w->here &= point_sort(&w->now.point, &l->m->previous) >= 0;
	w->there &= point_sort(&w->ref.point, &l->m->previous) >= 0;
	if (!w->here && !w->there) {
		*why = why_unseen(l);
		return false;
	}
	*f = w->here ? w->now : w->ref;
	if (locate_outside(f) || behind_loop(l, w))
		keep_line(t, f, w->here && w->there ? &w->ref : NULL);
	if (!w->here) {
		f->kind = FINDING_UNWRITTEN;
		f->rank = rank;
		f->value.has_now = false;
		f->spot = (struct trace_spot){ .place = { 0 } };
		f->noperand = 0;
	}
	if (w->there)
		pair_up(t, w, f);
	if (!w->here || (!is_another(l, &w->now.value) &&
			 (!w->there || locate_differ(t, &f->thing, &f->value))))
		return true;
	*why = why_overwritten(l, &w->now);
	return false;
}

json_t *locate_set_at(struct locate_traced *t)
{
	struct locate_writes w;
	struct point all = { 0 };
	struct trace_thing e;
	json_t *at = NULL;
	char text[600];

	locate_element(t->l, &e);
	locate_last_writes(t, &e, TRACE_NO_RANK, &all, &w);
	if (w.there && *trace_spot_text(t->l->s->symbols, &w.ref.spot, text, sizeof(text)))
		at = out_json_text(text);
	locate_writes_clear(&w);
	return at;
}

/* ---- lines that set a variable ---- */

/* What the program has code of. */
struct compiled {
	bool *has; /* owned; NULL: not known */
	uint32_t n;
};

static bool is_compiled(void *arg, const char *path, uint32_t line)
{
	const struct compiled *x = arg;

	(void)path;
	return !x->has || (line < x->n && x->has[line]);
}

struct scan *locate_scan(struct locate *l, const char *file, const char *module)
{
	struct compiled x = { .has = NULL };
	struct err err = { "" };
	struct scan *scan;

	x.has = symbols_code(l->s->symbols, module, file, &x.n);
	scan = scan_open_compiled(file, is_compiled, &x, &err);
	free(x.has);
	return scan;
}

const struct loop *locate_loop_of(const struct scan *scan, const char *where, uint32_t line)
{
	const char *colon = where ? strrchr(where, ':') : NULL;
	char file[SCAN_NAME];
	uint32_t first;

	snprintf(file, sizeof(file), "%.*s", colon ? (int)(colon - where) : 0, where ? where : "");
	if (colon && !rule_file_matches(file, scan->path))
		return NULL;
	first = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
	for (uint32_t i = 0; i < scan->nloop; i++) {
		const struct loop *l = &scan->loop[i];
		bool has = l->first <= line && line <= l->last;

		/* a mark in the source may stand on lines before it */
		if (colon ? l->first == first ||
				    (has && l->first > first && l->first <= first + BEHIND_MARK)
			  : has)
			return l;
	}
	return NULL;
}

#define LINES 4

/* Those of the text before the ones in line, the last one first. Returns how many there are. */
static unsigned set_lines(const struct scan *s, const char *from, const char *to, const char *name,
			  uint32_t line[LINES], unsigned n)
{
	const char *at = to;

	while (n < LINES && from && (at = scan_sets(s, from, at, name)))
		line[n++] = scan_line(s, at);
	return n;
}

static int by_line(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void say_lines(struct locate *l, const uint32_t *line, unsigned n)
{
	const char *slash = strrchr(l->m->id.file, '/');
	char text[LOCATE_TEXT] = "";
	size_t used = 0;

	for (unsigned i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.100s:%u",
					 !i	     ? ""
					 : i + 1 < n ? ", "
						     : " or ",
					 slash ? slash + 1 : l->m->id.file, line[i]);
	l->grade = SLICE_LIKELY;
	locate_because(l, 0, "%s sets it, and not to the same on all ranks", text);
	locate_say(
		&l->advice,
		"%s is meant to be equal on all ranks: look at %s, which ranks execute that, and "
		"what it depends on",
		l->m->id.name, text);
}

/* "this->p" is p, also as "this->p._M_impl._M_start": its letters, without those of an object in
 * front; NULL: what is set at that place is set by no header, as containers are. */
static const char *container_of(const char *name, const char *at, char out[SCAN_NAME])
{
	const char *end = strstr(name, "._M_"), *c;

	end = end ? end : name + strlen(name);
	for (c = end; c > name && strchr(SCAN_LETTERS, c[-1]);)
		c--;
	if (c == end || (!strstr(at, ".h:") && !strstr(at, ".tcc:")))
		return NULL;
	snprintf(out, SCAN_NAME, "%.*s", (int)(end - c), c);
	return out;
}

void locate_container_lines(struct locate *l, const char *name, const char *at, uint32_t rank)
{
	const char *colon = strrchr(l->m->where, ':');
	char own[SCAN_NAME], file[SCAN_NAME], text[LOCATE_TEXT] = "";
	size_t n = colon ? (size_t)(colon - l->m->where) : 0, used = 0;
	uint32_t line[LINES];
	unsigned count = 0;
	struct scan *s;

	snprintf(file, sizeof(file), "%.*s", (int)n, l->m->where);
	if (!n || !strncmp(at, l->m->where, n + 1) || !container_of(name, at, own))
		return;
	s = locate_scan(l, locate_path(l, file), job_path(l->s->job));
	if (s)
		count = set_lines(s, s->text, s->text + strlen(s->text), own, line, 0);
	qsort(line, count, sizeof(*line), by_line);
	for (unsigned i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.100s:%u",
					 i ? ", " : "", file, line[i]);
	if (count)
		locate_say(&l->also_advice,
			   "the program's own lines that set all of %s: %s; are they executed on "
			   "rank %u, and with the same conditions?",
			   own, text, rank);
	scan_close(s);
}

bool locate_set_lines(struct locate *l)
{
	const struct function *in;
	struct scan *s;
	uint32_t line[LINES];
	unsigned n = 0;

	if (l->m->kind != MISMATCH_COPIES || !l->m->id.file || !*l->m->id.file)
		return false;
	s = locate_scan(l, locate_path(l, l->m->id.file), job_path(l->s->job));
	in = s ? scan_function(s, l->m->id.line) : NULL;
	if (in)
		n = set_lines(s, in->body, in->end, l->m->id.name, line, 0);
	for (uint32_t i = 0; in && s->fortran && i < s->nfunction; i++)
		if (s->function[i].host != UINT32_MAX && &s->function[s->function[i].host] == in)
			n = set_lines(s, s->function[i].body, s->function[i].end, l->m->id.name,
				      line, n);
	qsort(line, n, sizeof(*line), by_line);
	if (n)
		say_lines(l, line, n);
	scan_close(s);
	return n;
}

void locate_puts(struct locate *l, const struct trace_finding *f, char out[LOCATE_TEXT])
{
	static const char *const names[] = { "MPI_Put", "MPI_Rput", "MPI_Accumulate" };
	struct place at = f->spot.place;
	struct scan *s = NULL;
	size_t used = 0;
	unsigned n = 0;

	*out = 0;
	symbols_resolve(l->s->symbols, &at);
	if (at.file && *at.file && at.module)
		s = locate_scan(l, at.file, at.module);
	for (const char *c = s ? s->text : ""; *c && n < LINES; c++)
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			size_t len = strlen(names[i]);
			const char *slash = strrchr(s->path, '/');

			if (strncasecmp(c, names[i], len) || c[len + strspn(c + len, " ")] != '(')
				continue;
			used += (size_t)snprintf(out + used, LOCATE_TEXT - used, "%s%s at %.80s:%u",
						 n++ ? ", " : " (", names[i],
						 slash ? slash + 1 : s->path, scan_line(s, c));
		}
	if (n)
		snprintf(out + used, LOCATE_TEXT - used, ")");
	scan_close(s);
}
