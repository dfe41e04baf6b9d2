/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/traceview/traceview.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/parse.h"
#include "common/logical/construct.h"
#include "common/protocol/trace_config.h"
#include "common/logical/rankset.h"
#include "common/checksum/checksum.h"
#include "common/tracediff/tracediff.h"
#include "common/tracereport/tracereport.h"
#include "common/array/value.h"
#include "frontend/model/error_file.h"
#include "frontend/model/findings.h"
#include "frontend/output/outcome.h"
#include "frontend/output/output.h"
#include "frontend/model/session.h"
#include "frontend/symbols/symbols.h"
#include "frontend/data/value_json.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define TEXT 600

const char *trace_spot_text(struct symbols *s, const struct trace_spot *p, char *out, size_t size)
{
	const struct place *at = &p->place;

	*out = '\0';
	if ((!at->file || !*at->file) && (!at->module || !*at->module))
		return out;
	if (at->file && *at->file)
		snprintf(out, size, "%s:%u", path_base(at->file), at->line);
	else if (symbols_build_is(s, at->module, p->build_id, p->nbuild_id))
		symbols_text(s, at, out, (unsigned)size);
	else
		snprintf(out, size, "%s+0x%" PRIx64, path_base(at->module), at->vaddr);
	return out;
}

json_t *trace_value_json(const struct trace_pair *v, uint64_t bits)
{
	char text[32];

	if (v->type < VALUE_TYPES && v->size == value_size(v->type))
		return value_json(v->type, &bits);
	snprintf(text, sizeof(text), "0x%0*" PRIx64, 2 * v->size, bits);
	return json_string(text);
}

json_t *trace_index_json(const int64_t *index, unsigned n)
{
	json_t *list = json_array();

	for (unsigned d = 0; d < n; d++)
		json_array_append_new(list, json_integer(index[d]));
	return list;
}

static void put_values(json_t *o, const struct trace_pair *v)
{
	if (!v->has_now && !v->has_ref)
		return;
	if (v->type < VALUE_TYPES)
		json_object_set_new(o, "kind_of_value", json_string(value_type_name(v->type)));
	if (v->has_now)
		json_object_set_new(o, "value", trace_value_json(v, v->now));
	if (v->has_ref)
		json_object_set_new(o, "reference_value", trace_value_json(v, v->ref));
}

const char *trace_thing_name(struct symbols *s, const struct trace_thing *t, char *text,
			     size_t size)
{
	const struct trace_spot *p = &t->spot;

	if (t->what == TRACE_WHAT_ADDRESS)
		return trace_spot_name(s, p, 0, NULL, text, size);
	if (!p->place.module || !*p->place.module ||
	    !symbols_build_is(s, p->place.module, p->build_id, p->nbuild_id))
		return NULL;
	if (t->what == TRACE_WHAT_HEAP)
		return symbols_block_at(s, &p->place, t->within, text, size);
	if (t->what != TRACE_WHAT_STACK)
		return NULL;
	if (symbols_local_at(s, p->place.module, p->place.vaddr, t->index[0], t->index[1], text,
			     size))
		return text;
	if (t->ndim < 4)
		return NULL;
	return symbols_passed_at(s, p->place.module, (uint64_t)t->index[3], t->index[2], text,
				 size);
}

static void put_thing(json_t *o, struct symbols *s, const struct trace_thing *t)
{
	char text[TEXT], where[TEXT];

	if (t->what == TRACE_WHAT_NONE)
		return;
	if (!trace_thing_name(s, t, text, sizeof(text)))
		trace_thing_text(t, text, sizeof(text));
	json_object_set_new(o, "element", out_json_text(text));
	if (t->what == TRACE_WHAT_ARRAY) {
		json_object_set_new(o, "array", out_json_text(t->name));
		json_object_set_new(o, "index", trace_index_json(t->index, t->ndim));
	}
	if (t->what == TRACE_WHAT_ARRAY && t->file && *t->file) {
		snprintf(where, sizeof(where), "%s:%u", path_base(t->file), t->line);
		json_object_set_new(o, "registered", out_json_text(where));
	}
	if (t->what == TRACE_WHAT_ARRAY && t->counter)
		json_object_set_new(o, "counter", json_integer(t->counter));
	if (t->what == TRACE_WHAT_HEAP && *trace_spot_text(s, &t->spot, where, sizeof(where)))
		json_object_set_new(o, "allocated", out_json_text(where));
}

static void put_spot(json_t *o, const char *key, struct symbols *s, const struct trace_spot *p)
{
	char text[TEXT];

	if (*trace_spot_text(s, p, text, sizeof(text)))
		json_object_set_new(o, key, out_json_text(text));
}

static json_t *operand_json(struct symbols *s, const struct trace_operand *x)
{
	json_t *o =
		json_pack("{s:s s:b}", "access", x->write ? "write" : "read", "differs", x->other);

	put_thing(o, s, &x->thing);
	put_values(o, &x->value);
	put_spot(o, "place", s, &x->spot);
	return o;
}

static json_t *frame_json(struct symbols *s, const struct report_frame *f)
{
	json_t *o = json_pack("{s:s}", "construct", construct_brief(f->kind));
	struct trace_spot spot = { .place = f->place };
	char at[POINT_TEXT];

	put_spot(o, "place", s, &spot);
	if (f->point.main)
		json_object_set_new(o, "point", json_string(point_format(&f->point, at)));
	if (f->nidx)
		json_object_set_new(o, "iteration", trace_index_json(f->idx, f->nidx));
	return o;
}

static const char *mode_word(unsigned mode)
{
	return mode == SUM_EXACT ? "exact" : mode == SUM_RELATIVE ? "relative" : "absolute";
}

/* "Loop( No(42), Iter(2) ), " of each construct. */
static size_t put_frames(const struct trace_finding *f, char *out, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; i < f->nframe && n < size; i++) {
		const struct report_frame *at = &f->frame[i];
		bool tasks = at->kind == CONSTRUCT_TR || at->kind == CONSTRUCT_TASK;

		n += (size_t)snprintf(out + n, size - n, "%s%s( No(%u)", i ? ", " : "",
				      tasks ? "Task_region" : "Loop", at->point.main);
		for (unsigned d = 0; d < at->nidx && n < size; d++)
			n += (size_t)snprintf(out + n, size - n, "%s%lld", d ? "," : ", Iter(",
					      (long long)at->idx[d]);
		if (n < size)
			n += (size_t)snprintf(out + n, size - n, "%s )", at->nidx ? ")" : "");
	}
	return n < size ? n : size - 1;
}

/* In the words of the DVM debugger: two lines, with the construct stack. */
static json_t *dvm_message(struct symbols *s, const struct trace_finding *f)
{
	static const char *const says[] = {
		[FINDING_DEPENDENCE] =
			"Undeclared data dependence between iterations or tasks: %s.",
		[FINDING_UNINIT] = "Using of non-initialized element %s.",
		[FINDING_SHARED] =
			"Modification of variable %s not specified as reduction or private.",
		[FINDING_ASYNC] =
			"Using reduction variable %s before completion of the asynchronous "
			"reduction.",
		[FINDING_BOUNDS] = "Access to out of bound element %s.",
		[FINDING_NONLOCAL] = "Access to non-local element %s.",
		[FINDING_HALOWRITE] = "Writing to shadow element %s.",
		[FINDING_STALE] = "Reading shadow element %s before completion of its updating.",
		[FINDING_RENEWING] = "Modification of exported element %s before completion of the "
				     "renewal of shadow edges.",
		[FINDING_UNUSED] = "Declaration is not used%s.",
		[FINDING_RACE] = "Conflicting accesses of threads to %s.",
	};
	char text[2 * TEXT], place[TEXT], name[TEXT];
	size_t n = (size_t)snprintf(text, sizeof(text), "*** DYNCONTROL *** : ");
	const char *line;

	n += put_frames(f, text + n, TEXT);
	trace_spot_text(s, &f->spot, place, sizeof(place));
	line = strrchr(place, ':');
	n += (size_t)snprintf(
		text + n, sizeof(text) - n, "%sFile: %.*s, Line: %s\n", f->nframe ? ". " : "",
		(int)(line ? line - place : (long)strlen(place)), place, line ? line + 1 : "?");
	if (!trace_thing_name(s, &f->thing, name, sizeof(name)))
		trace_thing_text(&f->thing, name, sizeof(name));
	snprintf(text + n, sizeof(text) - n, says[f->kind], f->kind == FINDING_UNUSED ? "" : name);
	return out_json_text(text);
}

/* The other of both accesses, and the region they are in. */
static void put_race(json_t *o, struct symbols *s, const struct trace_finding *f)
{
	json_object_set_new(o, "other_access", json_string(f->operand[0].write ? "write" : "read"));
	put_spot(o, "other_place", s, &f->ref_spot);
	put_spot(o, "region", s, &f->operand[1].spot);
}

json_t *trace_finding_json(struct symbols *s, const struct trace_finding *f)
{
	json_t *o = json_pack("{s:I}", "count", (json_int_t)f->count), *list;
	char name[TEXT];

	put_thing(o, s, &f->thing);
	if (f->thing.what != TRACE_WHAT_NONE && f->kind != FINDING_DEPENDENCE &&
	    f->kind != FINDING_SHARED)
		json_object_set_new(o, "access", json_string(f->write ? "write" : "read"));
	if (finding_is_control(f->kind) && *trace_finding_name(s, f, name, sizeof(name)))
		json_object_set_new(o, "variable", out_json_text(name));
	if (finding_is_control(f->kind))
		json_object_set_new(o, "message", dvm_message(s, f));
	put_values(o, &f->value);
	if (f->rank != TRACE_NO_RANK)
		json_object_set_new(o, "rank", json_integer(f->rank));
	if (f->ref_rank != TRACE_NO_RANK)
		json_object_set_new(o, "reference_rank", json_integer(f->ref_rank));
	if (f->nidx)
		json_object_set_new(o, "iteration", trace_index_json(f->index, f->nidx));
	if (f->kind == FINDING_RACE)
		put_race(o, s, f);
	else
		put_spot(o, "reference_place", s, &f->ref_spot);
	if (f->kind == FINDING_VALUE || f->kind == FINDING_REDUCTION)
		json_object_set_new(o, "compared_as", json_string(mode_word(f->mode)));
	if (f->limit > 0) {
		json_object_set_new(o, "apart", json_real(f->off));
		json_object_set_new(o, "allowed", json_real(f->limit));
	}
	if (f->fewer)
		json_object_set_new(o, "fewer", json_true());
	if (f->missing)
		json_object_set_new(o, "missing", json_integer((json_int_t)f->missing));
	/* a program without marks has no points */
	if (f->kind != FINDING_RACE || f->point.main) {
		list = json_array();
		for (unsigned i = 0; i < f->nframe; i++)
			json_array_append_new(list, frame_json(s, &f->frame[i]));
		json_object_set_new(o, "stack", list);
	}
	if (!f->noperand || f->kind == FINDING_RACE)
		return o;
	list = json_array();
	for (unsigned i = 0; i < f->noperand; i++)
		json_array_append_new(list, operand_json(s, &f->operand[i]));
	json_object_set_new(o, "operands", list);
	return o;
}

void trace_finding_goal(const struct trace_finding *f, struct findings_goal *goal)
{
	const struct report_frame *in = NULL;

	*goal = (struct findings_goal){ .point = f->point,
					.rank = f->rank == TRACE_NO_RANK ? UINT32_MAX : f->rank };
	for (unsigned i = 0; i < f->nframe; i++)
		if (f->frame[i].nidx)
			in = &f->frame[i];
	if (!in)
		return;
	goal->nidx = in->nidx;
	memcpy(goal->index, in->idx, in->nidx * sizeof(*goal->index));
	goal->place = in->place;
	if (goal->place.file && !*goal->place.file)
		goal->place.file = NULL;
}

/* Findings of one source line, which may be several accesses. */
struct line {
	size_t first; /* in the list */
	uint64_t count;
	struct rankset ranks; /* of a race, all that have it */
};

struct lines {
	struct line *line;
	size_t n;
	json_t *at; /* by key */
};

/* What makes it one finding: kind, access, object, source line (of a race both). To be freed. */
static char *key_of(struct symbols *s, const struct trace_finding *f)
{
	const struct trace_thing *t = &f->thing;
	char where[TEXT], from[TEXT] = "", other[TEXT] = "", name[TEXT] = "";

	trace_spot_text(s, &f->spot, where, sizeof(where));
	if (t->what == TRACE_WHAT_HEAP)
		trace_spot_text(s, &t->spot, from, sizeof(from));
	if (f->kind == FINDING_RACE) {
		trace_spot_text(s, &f->ref_spot, other, sizeof(other));
		trace_finding_name(s, f, name, sizeof(name));
	}
	return xasprintf("%u %d %u %s %s %u %u %s %s %s %s %s %d", f->kind, f->write, t->what,
			 t->name ? t->name : "", t->file ? t->file : "", t->line, t->counter,
			 t->field ? t->field : "", from, where, other, name,
			 f->kind == FINDING_RACE && f->operand[0].write);
}

/* What is compared is of the rank where it came first; threads of each rank do the same: races, and
 * private variables, which nobody has registered, without a value. */
static void add_ranks(struct line *x, const struct trace_finding *f)
{
	bool private =
		f->kind == FINDING_UNINIT && f->thing.what == TRACE_WHAT_ARRAY && !*f->thing.file;

	if ((private || f->kind == FINDING_RACE) && f->ranks)
		xrankset_add_set(&x->ranks, f->ranks);
}

/* Counts of the list by lines. */
static void gather(struct lines *g, struct symbols *s, const struct trace_findings *l)
{
	g->line = xcalloc(l->n + 1, sizeof(*g->line));
	g->at = json_object();
	for (size_t i = 0; i < l->n; i++) {
		struct trace_finding f;
		char *key = trace_findings_get(l, i, &f) ? NULL : key_of(s, &f);
		const json_t *at = key ? json_object_get(g->at, key) : NULL;

		if (at) {
			g->line[json_integer_value(at)].count += f.count;
			add_ranks(&g->line[json_integer_value(at)], &f);
		} else if (key) {
			json_object_set_new_nocheck(g->at, key, json_integer((json_int_t)g->n));
			g->line[g->n] = (struct line){ .first = i, .count = f.count };
			add_ranks(&g->line[g->n++], &f);
		}
		free(key);
	}
}

const char *trace_finding_name(struct symbols *s, const struct trace_finding *f, char *out,
			       size_t room)
{
	const struct trace_thing *t = &f->thing;

	*out = '\0';
	if (t->what == TRACE_WHAT_ARRAY)
		snprintf(out, room, "%s", t->name);
	else if (trace_thing_name(s, t, out, room))
		out[strcspn(out, "[(+")] = '\0';
	else
		*out = '\0';
	return out;
}

/* The name of a variable that nobody registered, where the text has its address; of a block, who
 * allocated it. */
static void put_name(struct symbols *s, const struct trace_finding *f, char *text, size_t size)
{
	const struct trace_thing *t = &f->thing;
	char plain[TEXT], name[TEXT], where[TEXT], rest[TEXT];
	size_t n;

	trace_thing_text(t, plain, sizeof(plain));
	n = strlen(plain);
	if (strncmp(text, plain, n))
		return;
	if (trace_thing_name(s, t, name, sizeof(name)))
		;
	else if (t->what == TRACE_WHAT_HEAP && *trace_spot_text(s, &t->spot, where, sizeof(where)))
		snprintf(name, sizeof(name), "byte %" PRIu64 " of the block allocated at %s",
			 t->within, where);
	else
		return;
	snprintf(rest, sizeof(rest), "%s", text + n);
	snprintf(text, size, "%s%s", name, rest);
}

/* The name of a lock's variable, or of a critical region by the variable that the compiler has made
 * for it; "": none. */
static const char *lock_name(struct symbols *s, const struct trace_thing *t, char *text,
			     size_t size)
{
	static const char made[] = ".gomp_critical_user_";
	const struct trace_spot *p = &t->spot;
	char *dot;

	*text = '\0';
	if (t->what != TRACE_WHAT_ADDRESS || !p->place.module || !*p->place.module ||
	    !symbols_build_is(s, p->place.module, p->build_id, p->nbuild_id))
		return text;
	symbols_data_at(s, p->place.module, p->place.vaddr, 0, NULL, NULL, text, size);
	if (strncmp(text, made, strlen(made)) != 0) {
		/* what is within a lock is the library's */
		dot = strstr(text, "._");
		if (dot)
			*dot = '\0';
		return text;
	}
	memmove(text, text + strlen(made), strlen(text + strlen(made)) + 1);
	dot = strchr(text, '.');
	if (dot)
		*dot = '\0';
	return text;
}

/* The note, with names where it has numbers of operands: "under critical(@2) here". */
static void put_note(struct symbols *s, const struct trace_finding *f, char *out, size_t size)
{
	const char *p = f->note;
	size_t n = 0;

	*out = '\0';
	for (const char *at; p && *p && n + 1 < size; p = at) {
		unsigned i;
		char name[TEXT];

		at = strstr(p, "(@");
		if (!at || sscanf(at, "(@%u)", &i) != 1 || i >= f->noperand) {
			snprintf(out + n, size - n, "%s", p);
			return;
		}
		n += (size_t)snprintf(out + n, size - n, "%.*s", (int)(at - p), p);
		lock_name(s, &f->operand[i].thing, name, sizeof(name));
		if (*name && n < size)
			n += (size_t)snprintf(out + n, size - n, "(%s)", name);
		else if (n && n < size && out[n - 1] == ' ')
			out[--n] = '\0';
		at += strcspn(at, ")");
		at += *at == ')';
	}
}

/* "a[3]: written here, and read at a.c:21; parallel region at a.c:12" */
static const char *race_text(struct symbols *s, const struct trace_finding *f, char *text,
			     size_t size)
{
	char name[TEXT], other[TEXT], region[TEXT], note[TEXT];
	const char *what = f->write ? "written" : "read";
	size_t n;

	trace_thing_text(&f->thing, name, sizeof(name));
	put_name(s, f, name, sizeof(name));
	trace_spot_text(s, &f->ref_spot, other, sizeof(other));
	n = (size_t)snprintf(text, size, "%s: %s here, and %s at %s", name, what,
			     f->operand[0].write ? "written" : "read", *other ? other : "?");
	put_note(s, f, note, sizeof(note));
	if (*note && n < size)
		n += (size_t)snprintf(text + n, size - n, "; %s", note);
	if (*trace_spot_text(s, &f->operand[1].spot, region, sizeof(region)) && n < size)
		snprintf(text + n, size - n, "; parallel region at %s", region);
	return text;
}

/* What it is about, without the words of its kind, which are said before it. */
static const char *detail(struct symbols *s, const struct trace_finding *f, char *text, size_t size)
{
	const char *words = finding_kind_text(f->kind);
	size_t n, w = strlen(words);

	if (f->kind == FINDING_RACE)
		return race_text(s, f, text, size);
	trace_finding_text(f, text, size);
	if (finding_is_control(f->kind))
		put_name(s, f, text, size);
	n = strlen(text);
	if (n < w || strcmp(text + n - w, words))
		return text;
	n -= w;
	while (n && strchr(": ", text[n - 1]))
		n--;
	text[n] = '\0';
	return text;
}

/* The ranks a finding is about, added to *one when it is one. */
static const struct rankset *ranks_of(const struct trace_finding *f, const struct rankset *all,
				      struct rankset *one)
{
	if (f->ranks)
		return f->ranks;
	return f->rank != TRACE_NO_RANK && !rankset_add(one, f->rank, f->rank) ? one : all;
}

/* Takes one finding over into the session's; true: it is new. */
static bool report(struct session *s, const struct trace_finding *f, const struct rankset *all)
{
	char where[TEXT], text[TEXT], *key = key_of(s->symbols, f);
	struct report_finding r = { .kind = f->kind, .point = f->point };
	struct rankset one = { 0 };
	struct findings_goal goal;
	bool fresh = false;
	size_t n;

	r.detail = detail(s->symbols, f, text, sizeof(text));
	trace_spot_text(s->symbols, &f->spot, where, sizeof(where));
	trace_finding_goal(f, &goal);
	n = findings_put(s->findings, key, strlen(key), ranks_of(f, all, &one), &r, where, &goal,
			 trace_finding_json(s->symbols, f), &fresh);
	rankset_clear(&one);
	free(key);
	if (n && fresh)
		error_file_report(s, findings_get(s->findings, n));
	return n && fresh;
}

static json_t *answer_of(struct symbols *s, const struct trace_finding *f,
			 const struct rankset *all)
{
	char where[TEXT], text[TEXT];
	struct report_finding r = { .kind = f->kind, .point = f->point };
	struct rankset one = { 0 };
	json_t *o, *more = trace_finding_json(s, f);

	r.detail = detail(s, f, text, sizeof(text));
	trace_spot_text(s, &f->spot, where, sizeof(where));
	o = findings_one(ranks_of(f, all, &one), &r, where);
	json_object_update(o, more);
	json_decref(more);
	rankset_clear(&one);
	return o;
}

/* Calls fn for each, with the count of its line. */
static void each(struct symbols *s, const struct trace_findings *l,
		 void (*fn)(void *arg, const struct trace_finding *f), void *arg)
{
	struct lines g = { 0 };

	if (l->n) {
		gather(&g, s, l);
		for (size_t i = 0; i < g.n; i++) {
			struct trace_finding f;

			trace_findings_get(l, g.line[i].first, &f);
			f.count = g.line[i].count;
			f.ranks = g.line[i].ranks.n ? &g.line[i].ranks : NULL;
			fn(arg, &f);
			rankset_clear(&g.line[i].ranks);
		}
	}
	json_decref(g.at);
	free(g.line);
}

struct telling {
	struct session *s;
	struct symbols *symbols;
	const struct rankset *all;
	size_t fresh;
	json_t *list;
};

static void list_one(void *arg, const struct trace_finding *f)
{
	struct telling *t = arg;

	json_array_append_new(t->list, answer_of(t->symbols, f, t->all));
}

json_t *trace_findings_json(struct symbols *s, const struct trace_findings *l, uint32_t ranks)
{
	struct rankset all = { 0 };
	struct telling t = { .symbols = s, .all = &all, .list = json_array() };

	if (ranks)
		rankset_add(&all, 0, ranks - 1);
	each(s, l, list_one, &t);
	rankset_clear(&all);
	return t.list;
}

static void report_one(void *arg, const struct trace_finding *f)
{
	struct telling *t = arg;

	t->fresh += report(t->s, f, t->all);
}

size_t trace_findings_report(struct session *s, const struct trace_findings *l,
			     const struct rankset *all)
{
	struct telling t = { .s = s, .all = all };

	each(s->symbols, l, report_one, &t);
	if (t.fresh)
		outcome_add(s->outcome, OUTCOME_FINDINGS);
	return t.fresh;
}

static const char *verdict(const struct tracediff_state *r, const struct trace_findings *l)
{
	if (l->n)
		return "findings";
	if (!r->compared && !r->iterations && !r->values && !r->reductions)
		return "nothing";
	return r->close ? "rounding" : "equal";
}

json_t *traceview_compared_json(const struct tracediff_state *r, const struct trace_findings *l,
				size_t reported, const char *reference, unsigned level,
				bool complete)
{
	return json_pack("{s:s s:o s:s s:s s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:b s:b}",
			 "type", "compared-traces", "reference", out_json_text(reference),
			 "verdict", verdict(r, l), "level", trace_config_level_word(level),
			 "accesses", (json_int_t)r->compared, "equal", (json_int_t)r->equal,
			 "close", (json_int_t)r->close, "unknown", (json_int_t)r->unknown, "lost",
			 (json_int_t)r->lost, "iterations", (json_int_t)r->iterations, "constructs",
			 (json_int_t)r->constructs, "values", (json_int_t)r->values, "reductions",
			 (json_int_t)r->reductions, "findings", (json_int_t)reported, "occurrences",
			 (json_int_t)l->total, "more", l->more, "complete", complete);
}
