/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/traceview/traceview.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/trace/call.h"
#include "common/protocol/trace_config.h"
#include "common/tracereport/tracereport.h"
#include "common/traceindex/traceindex.h"
#include "common/dvmtext/dvmtext.h"
#include "common/array/value.h"
#include "frontend/output/output.h"
#include "frontend/output/outcome.h"
#include "frontend/model/session.h"
#include "frontend/traceview/internal.h"
#include "frontend/data/value_json.h"
#include "frontend/util/xalloc.h"

#define TEXT 600
#define PART 500  /* records of one answer */
#define RANGES 8  /* modules that have a variable of one name */
#define VALUES 16 /* elements of a replicated object that are shown */

struct show {
	struct session *s;
	const struct trace_want *want;
	struct traceview_element element; /* of want */
	json_t *list;			  /* owned; of the answer that is being made */
	uint64_t shown, left_out;
	uint32_t rank, thread;
	/* where the variable that is wanted is in the block's process, when nobody registered it */
	struct trace_range range[RANGES];
	unsigned nrange;
	uint64_t base; /* calls: when the first of all began */
};

/* Says what was gathered. more: and that this many are left out. */
static void flush(struct show *x, uint64_t more)
{
	json_t *o;

	if (!json_array_size(x->list) && !more)
		return;
	o = json_pack("{s:s s:O}", "type", "trace", "list", x->list);
	if (more)
		json_object_set_new(o, "more", json_integer((json_int_t)more));
	out_answer(x->s->out, o);
	json_array_clear(x->list);
}

/* Bytes as numbers of the type; "hash …" or how many they are when they are none, many, or a part.
 */
static json_t *bytes_json(const struct trace_rec *r, unsigned type)
{
	size_t size = type < VALUE_TYPES ? value_size(type) : 0, n = size ? r->nbytes / size : 0;
	char text[64] = "hash ";
	json_t *list;

	for (size_t i = 0; r->hashed == TRACE_VALUE_PRINT && i < r->nbytes && i < 16; i++)
		snprintf(text + 5 + 2 * i, 3, "%02x", r->bytes[i]);
	if (r->hashed == TRACE_VALUE_PART)
		snprintf(text, sizeof(text), "%u of %" PRIu64 " bytes, behind %" PRIu64, r->nbytes,
			 r->at + r->nbytes + r->value[0], r->at);
	else if (!r->hashed)
		snprintf(text, sizeof(text), "%u bytes", r->nbytes);
	if (r->hashed || !n || n > VALUES || n * size != r->nbytes)
		return json_string(text);
	if (n == 1)
		return value_json(type, r->bytes);
	list = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, value_json(type, r->bytes + i * size));
	return list;
}

/* The type of what an access reads or writes, VALUE_TYPES: not known. */
static unsigned access_type(const struct trace_block *b, const struct trace_rec *r)
{
	const struct trace_object *o;
	struct trace_shape shape;
	int64_t index[ARRAY_DIMS];
	uint32_t within = 0;

	if (r->object == TRACE_NOWHERE)
		return VALUE_TYPES;
	o = &b->object[r->object];
	if (o->kind == TRACE_HEAP)
		return VALUE_TYPES;
	trace_shape_make(&shape, &o->desc);
	trace_shape_find(&shape, r->at, index, &within);
	return object_id_desc_type(&o->desc, within, r->size);
}

/* "heat.c:12", of a variable that nobody registered, or of heap memory. */
static void put_origin(struct symbols *s, json_t *o, const struct trace_block *b,
		       const struct trace_rec *r, const struct symbol_data *data)
{
	const struct trace_site *site = NULL;
	char text[TEXT];
	const char *slash;

	if (data->file && data->line) {
		slash = strrchr(data->file, '/');
		snprintf(text, sizeof(text), "%s:%u", slash ? slash + 1 : data->file, data->line);
		json_object_set_new(o, "declared", out_json_text(text));
	}
	if (r->object < b->nobject && b->object[r->object].kind == TRACE_HEAP &&
	    b->object[r->object].site < b->nsite)
		site = &b->site[b->object[r->object].site];
	if (site) {
		struct trace_spot spot = { site->place, site->build_id, site->nbuild_id };

		if (*trace_spot_text(s, &spot, text, sizeof(text)))
			json_object_set_new(o, "allocated", out_json_text(text));
	}
}

/* "v[20][1]", "z(1,2)%im". Returns out; *whole: the characters without the name of a complex part.
 */
static char *element_text(const struct trace_block *b, const struct trace_rec *r, char out[TEXT],
			  size_t *whole)
{
	const struct array_desc *a = NULL;
	char *plus;

	dvmtext_operand(b, r, out, TEXT);
	*whole = strlen(out);
	if (r->object < b->nobject && b->object[r->object].kind != TRACE_HEAP)
		a = &b->object[r->object].desc;
	if (!a || (a->type != VALUE_FCOMPLEX && a->type != VALUE_DCOMPLEX) ||
	    2 * r->size != a->elem_size)
		return out;
	plus = strrchr(out, '+');
	/* outside of it there are no elements */
	if (plus && a->ndim && !strchr(")]", plus[-1]))
		return out;
	*whole = plus ? (size_t)(plus - out) : strlen(out);
	snprintf(out + *whole, TEXT - *whole, "%c%s", a->order == 'F' ? '%' : '.',
		 plus ? "im" : "re");
	return out;
}

static void put_access(struct symbols *s, json_t *o, const struct trace_block *b,
		       const struct trace_rec *r)
{
	struct trace_pair v = { .type = (uint8_t)access_type(b, r), .size = r->size };
	struct symbol_data data = { .type = VALUE_TYPES };
	char text[TEXT];
	size_t whole;

	if (!trace_access_name(s, b, r, &data, text, sizeof(text)))
		element_text(b, r, text, &whole);
	if (data.type < VALUE_TYPES)
		v.type = (uint8_t)data.type;
	json_object_set_new(o, "element", out_json_text(text));
	put_origin(s, o, b, r, &data);
	if (r->op == TRACE_BEFORE)
		return;
	if (r->size <= 8) {
		json_object_set_new(o, "value", trace_value_json(&v, r->value[0]));
	} else {
		snprintf(text, sizeof(text), "0x%016" PRIx64 "%016" PRIx64, r->value[1],
			 r->value[0]);
		json_object_set_new(o, "value",
				    v.type < VALUE_TYPES && value_size(v.type) == 16
					    ? value_json(v.type, r->value)
					    : json_string(text));
	}
	if (r->flags & TRACE_ATOMIC)
		json_object_set_new(o, "atomic", json_true());
}

static void put_object(json_t *o, const struct trace_block *b, const struct trace_rec *r)
{
	const struct array_desc *a = r->object == TRACE_NOWHERE ? NULL : &b->object[r->object].desc;

	if (a && a->name)
		json_object_set_new(o, "element", out_json_text(a->name));
	json_object_set_new(o, "value", bytes_json(r, a ? a->type : VALUE_TYPES));
}

static json_t *ranges_json(const struct trace_rec *r)
{
	json_t *list = json_array();

	for (unsigned d = 0; d < r->nidx; d++)
		json_array_append_new(list,
				      json_pack("[I, I, I]", (json_int_t)r->index[d],
						(json_int_t)r->last[d], (json_int_t)r->step[d]));
	return list;
}

static void put_construct(json_t *o, const struct trace_rec *r)
{
	json_object_set_new(o, "construct", json_string(construct_brief(r->kind)));
	if (r->op == TRACE_BEGIN) {
		json_object_set_new(o, "level", json_string(trace_config_level_word(r->level)));
		if (r->nidx && r->kind == CONSTRUCT_TASK)
			json_object_set_new(o, "iteration", trace_index_json(r->index, 1));
		else if (r->nidx)
			json_object_set_new(o, "range", ranges_json(r));
	} else {
		if (r->value[0] != UINT64_MAX)
			json_object_set_new(o, "iterations", json_integer((json_int_t)r->value[0]));
		if (r->left)
			json_object_set_new(o, "left", json_true());
	}
}

static void put_place(const struct show *x, json_t *o, const struct trace_block *b,
		      const struct trace_rec *r)
{
	struct trace_spot spot = { .place = { 0 } };
	char text[TEXT];

	if (r->site != TRACE_NONE && r->site < b->nsite) {
		const struct trace_site *site = &b->site[r->site];

		spot = (struct trace_spot){ site->place, site->build_id, site->nbuild_id };
	} else if (r->place != TRACE_NONE && r->place < b->nplace) {
		spot.place = b->place[r->place];
	}
	if (*trace_spot_text(x->s->symbols, &spot, text, sizeof(text)))
		json_object_set_new(o, "place", out_json_text(text));
}

static const char *const op_words[TRACE_OPS] = {
	[TRACE_BEGIN] = "begin",	 [TRACE_END] = "end",	  [TRACE_ITER] = "iteration",
	[TRACE_READ] = "read",		 [TRACE_WRITE] = "write", [TRACE_VALUE] = "value",
	[TRACE_REDUCTION] = "reduction", [TRACE_SKIP] = "skip",	  [TRACE_LOST] = "lost",
	[TRACE_NOTE] = "note",		 [TRACE_SUM] = "sum",	  [TRACE_BEFORE] = "before",
	[TRACE_CALL] = "call",
};

static void put_call(const struct show *x, json_t *o, const struct trace_rec *r)
{
	char text[TEXT], time[32];
	struct trace_call c;

	if (!trace_call_get(&c, r->bytes, r->nbytes)) {
		json_object_set_new(o, "text", json_string("?"));
		return;
	}
	traceview_call_text(&c, text, sizeof(text));
	json_object_set_new(o, "text", out_json_text(text));
	traceview_time_text(r->value[1], time, sizeof(time));
	json_object_set_new(o, "took", json_string(time));
	json_object_set_new(o, "time", json_real((double)(int64_t)(r->value[0] - x->base) * 1e-9));
	json_object_set_new(o, "seconds", json_real((double)r->value[1] * 1e-9));
	for (unsigned i = 0; i < TRACE_CALL_NUMBERS; i++)
		if (trace_call_has(&c, i))
			json_object_set_new(o, trace_call_number_word(i),
					    json_integer((json_int_t)c.number[i]));
	for (unsigned i = 0; i < TRACE_CALL_TEXTS; i++)
		if (*c.text[i])
			json_object_set_new(o, trace_call_text_word(i), out_json_text(c.text[i]));
}

static json_t *record_json(const struct show *x, const struct trace_block *b,
			   const struct trace_rec *r, unsigned depth)
{
	json_t *o = json_pack("{s:s s:I s:I}", "op", op_words[r->op], "rank", (json_int_t)x->rank,
			      "depth", (json_int_t)depth);
	char at[POINT_TEXT];

	if (x->thread)
		json_object_set_new(o, "thread", json_integer(x->thread));
	/* of most constructs that have no number nothing is reported, of all else where it is */
	if (r->point.main || (r->op != TRACE_BEGIN && r->op != TRACE_END))
		json_object_set_new(o, "point", json_string(point_format(&r->point, at)));
	switch (r->op) {
	case TRACE_BEGIN:
	case TRACE_END:
		put_construct(o, r);
		break;
	case TRACE_ITER:
		json_object_set_new(o, "iteration", trace_index_json(r->index, r->nidx));
		break;
	case TRACE_READ:
	case TRACE_WRITE:
	case TRACE_BEFORE:
		put_access(x->s->symbols, o, b, r);
		break;
	case TRACE_VALUE:
	case TRACE_REDUCTION:
		put_object(o, b, r);
		break;
	case TRACE_SUM:
	case TRACE_NOTE:
		json_object_set_new(o, "text", json_stringn((const char *)r->bytes, r->nbytes));
		break;
	case TRACE_CALL:
		put_call(x, o, r);
		break;
	case TRACE_LOST:
		json_object_set_new(o, "records", json_integer((json_int_t)r->value[0]));
		break;
	}
	put_place(x, o, b, r);
	return o;
}

static bool in_iteration(const struct trace_cursor *c, const struct trace_want *w)
{
	for (unsigned i = c->depth < TRACE_FRAMES ? c->depth : TRACE_FRAMES; i-- > 0;) {
		const struct trace_frame *f = &c->frame[i];

		if (f->nidx == w->nidx && f->kind == CONSTRUCT_PL)
			return !memcmp(f->index, w->index, w->nidx * sizeof(*w->index));
	}
	return false;
}

static bool is_access(const struct trace_rec *r)
{
	return r->op == TRACE_READ || r->op == TRACE_WRITE || r->op == TRACE_VALUE ||
	       r->op == TRACE_REDUCTION;
}

/* What only the text of an imported trace needs. */
static bool is_textual(const struct trace_rec *r)
{
	return r->op == TRACE_NOTE &&
	       (r->kind == TRACE_NOTE_LINEAR || r->kind == TRACE_NOTE_NUMBER);
}

static bool in_range(const struct show *x, const struct trace_rec *r)
{
	for (unsigned i = 0; i < x->nrange; i++)
		if (r->at < x->range[i].at + x->range[i].size && r->at + r->size > x->range[i].at)
			return true;
	return false;
}

/* The access is to the element, however its indices were typed. */
static bool has_index(const struct trace_block *b, const struct trace_rec *r,
		      const struct traceview_element *e)
{
	int64_t index[ARRAY_DIMS];
	struct trace_shape shape;
	enum trace_where where;

	if (r->object == TRACE_NOWHERE || !e->whole || !e->ndim ||
	    b->object[r->object].kind == TRACE_HEAP || b->object[r->object].desc.ndim != e->ndim ||
	    !array_is_named(&b->object[r->object].desc, e->name))
		return false;
	trace_shape_make(&shape, &b->object[r->object].desc);
	where = trace_shape_find(&shape, r->at, index, NULL);
	return (where == TRACE_OWN || where == TRACE_HALO) &&
	       !memcmp(index, e->index, e->ndim * sizeof(*index));
}

/* Of a complex element the name of a part may be left out. */
static bool is_text(const struct trace_block *b, const struct trace_rec *r, const char *wanted)
{
	bool letters = r->object != TRACE_NOWHERE && b->object[r->object].desc.order == 'F';
	int (*differ)(const char *, const char *, size_t) = letters ? strncasecmp : strncmp;
	char text[TEXT];
	size_t whole, n = strlen(wanted);

	element_text(b, r, text, &whole);
	return (n == strlen(text) || n == whole) && !differ(text, wanted, n);
}

static bool is_element(const struct show *x, const struct trace_block *b, const struct trace_rec *r)
{
	return has_index(b, r, &x->element) || is_text(b, r, x->want->element);
}

/* A call of the function that is wanted. */
static bool is_call(const struct trace_rec *r, const char *wanted)
{
	struct trace_call c;

	if (r->op != TRACE_CALL)
		return false;
	if (!wanted)
		return true;
	if (!trace_call_get(&c, r->bytes, r->nbytes))
		return false;
	return !strcasecmp(c.text[TRACE_CALL_NAME], wanted) ||
	       (!strncmp(c.text[TRACE_CALL_NAME], "MPI_", 4) &&
		!strcasecmp(c.text[TRACE_CALL_NAME] + 4, wanted));
}

static bool is_wanted(const struct show *x, const struct trace_block *b,
		      const struct trace_cursor *c, const struct trace_rec *r)
{
	const struct trace_want *w = x->want;

	if ((w->from.main && point_compare(&r->point, &w->from) == POINT_BEFORE) ||
	    (w->to.main && point_compare(&r->point, &w->to) == POINT_AFTER))
		return false;
	if ((w->nidx && !in_iteration(c, w)) || (w->calls && !is_call(r, w->call)))
		return false;
	if (is_textual(r) || ((w->array || w->element) && !is_access(r)))
		return false;
	if ((w->array || w->element) && r->object == TRACE_NOWHERE)
		return (r->op == TRACE_READ || r->op == TRACE_WRITE) &&
		       (in_range(x, r) || (w->element && is_element(x, b, r)));
	if (w->array && !array_is_named(&b->object[r->object].desc, w->array))
		return false;
	if (w->element && r->op != TRACE_READ && r->op != TRACE_WRITE)
		return array_is_named(&b->object[r->object].desc, w->element);
	return !w->element || is_element(x, b, r);
}

/* A warning of what cannot be shown, which counts for the exit status. */
static __attribute__((format(printf, 2, 3))) void damaged(struct session *s, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	out_warning(s->out, "%s", text);
	outcome_incomplete(s->outcome, "%s", text);
	free(text);
}

/* Shows the records of a block that are wanted; 1: no more are, or Ctrl-C. */
static int show_block(struct show *x, struct trace_cursor *c, const struct trace_block *b,
		      struct err *err)
{
	const struct trace_want *w = x->want;
	struct trace_rec r;
	int rc;

	x->thread = b->info.thread;
	x->nrange = 0;
	if (w->element || w->array)
		x->nrange = trace_name_ranges(x->s->symbols, b, w->element ? w->element : w->array,
					      x->range, RANGES);
	if (trace_cursor_start(c, b))
		return err_set(err, "out of memory");
	while ((rc = trace_block_next(c, &r)) > 0) {
		unsigned depth = c->depth - (r.op == TRACE_BEGIN || r.op == TRACE_ITER);

		if (!is_wanted(x, b, c, &r))
			continue;
		if (w->most && x->shown == w->most) {
			x->left_out++;
			continue;
		}
		json_array_append_new(x->list, record_json(x, b, &r, depth));
		x->shown++;
		if (json_array_size(x->list) == PART)
			flush(x, 0);
	}
	if (rc < 0)
		damaged(x->s, "rank %u: block %" PRIu64 " is damaged: the rest of it is not shown",
			x->rank, b->info.seq);
	return out_cut_short();
}

/* What is not shown is counted only when it could be. */
static void check_block(struct session *s, const struct trace_reader *m, size_t i)
{
	struct err why = { "" };
	struct trace_block *b = trace_reader_block(m, i, &why);

	if (!b)
		damaged(s, "%s", why.text);
	trace_block_free(b);
}

/* No record of the block can be wanted. */
static bool is_adjacent(const struct trace_info *i, const struct trace_want *w)
{
	return (w->from.main && point_compare(&i->last, &w->from) == POINT_BEFORE) ||
	       (w->to.main && point_compare(&i->first, &w->to) == POINT_AFTER);
}

static int show_map(struct show *x, const struct trace_reader *m, struct err *err)
{
	struct trace_cursor *c = NULL;
	int rc = 0;

	x->rank = trace_reader_meta(m)->rank;
	for (size_t i = 0; i < trace_reader_blocks(m) && !rc; i++) {
		const struct trace_info *info = trace_reader_info(m, i);
		struct err why = { "" };
		struct trace_block *b;

		if (is_adjacent(info, x->want) || (x->want->calls && !info->count[TRACE_CALL]))
			continue;
		/* how many there are more is known without looking when all are wanted */
		if (x->want->most && x->shown == x->want->most && !x->want->array &&
		    !x->want->call && !x->want->element && !x->want->nidx && !x->want->from.main &&
		    !x->want->to.main) {
			x->left_out += x->want->calls ? info->count[TRACE_CALL] : info->records;
			check_block(x->s, m, i);
			continue;
		}
		b = trace_reader_block(m, i, &why);
		if (!b) {
			damaged(x->s, "%s", why.text);
			continue;
		}
		if (!c)
			c = trace_cursor_open(b);
		rc = c ? show_block(x, c, b, err) : err_set(err, "out of memory");
		trace_block_free(b);
	}
	trace_cursor_free(c);
	if (!rc && *trace_reader_note(m))
		damaged(x->s, "%s", trace_reader_note(m));
	return rc;
}

/* Ranks whose files are not there. */
static void missing_ranks(struct session *s, const struct trace_files *f)
{
	uint32_t ranks = trace_reader_meta(trace_files_map(f, 0))->ranks;

	if (f->ref && trace_files_count(f) < ranks)
		damaged(s, "there are traces of %zu ranks of %u", trace_files_count(f), ranks);
}

/* When the first call of a block began; UINT64_MAX: it has none. */
static uint64_t first_call(const struct trace_block *b)
{
	struct trace_cursor *c = trace_cursor_open(b);
	uint64_t first = UINT64_MAX;
	struct trace_rec r;

	while (c && first == UINT64_MAX && trace_block_next(c, &r) > 0)
		if (r.op == TRACE_CALL)
			first = r.value[0];
	trace_cursor_free(c);
	return first;
}

/* Times count from the first call of all ranks: main threads begin with it. */
static uint64_t calls_base(const struct trace_files *f)
{
	uint64_t base = UINT64_MAX;

	for (size_t i = 0; i < trace_files_count(f); i++) {
		const struct trace_reader *m = trace_files_map(f, i);
		uint64_t first = UINT64_MAX;

		for (size_t k = 0; k < trace_reader_blocks(m) && first == UINT64_MAX; k++) {
			struct trace_block *b = trace_reader_info(m, k)->count[TRACE_CALL]
							? trace_reader_block(m, k, NULL)
							: NULL;

			if (b)
				first = first_call(b);
			trace_block_free(b);
		}
		base = first < base ? first : base;
	}
	return base == UINT64_MAX ? 0 : base;
}

json_t *traceview_call_json(struct symbols *symbols, const struct traceview_calls *calls,
			    const struct traceview_rank *rank, const struct traceview_call *call,
			    const struct trace_files *f)
{
	struct session s = { .symbols = symbols };
	struct show x = { .s = &s, .rank = rank->rank, .base = calls->first };
	struct trace_block *b =
		trace_reader_block(trace_files_map(f, rank->file), call->block, NULL);
	struct trace_cursor *c = b ? trace_cursor_open(b) : NULL;
	struct trace_rec r;
	json_t *o = NULL;

	while (c && trace_block_next(c, &r) > 0)
		if (c->record == call->record + 1) {
			x.thread = b->info.thread;
			o = record_json(&x, b, &r, c->depth);
			break;
		}
	trace_cursor_free(c);
	trace_block_free(b);
	return o;
}

int traceview_show(struct session *s, const struct trace_files *f, const struct trace_want *w,
		   struct err *err)
{
	struct show x = { .s = s, .want = w, .list = json_array(), .base = calls_base(f) };
	char why[TEXT];
	int rc = 0;

	if (w->element)
		traceview_element_parse(w->element, &x.element);
	for (size_t i = 0; i < trace_files_count(f) && !rc; i++) {
		const struct trace_reader *m = trace_files_map(f, i);

		if (!w->ranks.n || rankset_has(&w->ranks, trace_reader_meta(m)->rank))
			rc = show_map(&x, m, err);
	}
	if (!rc && !x.shown)
		out_note(s->out, "%s", trace_miss(s->symbols, f, w, why, sizeof(why)));
	flush(&x, rc < 0 ? 0 : x.left_out);
	json_decref(x.list);
	missing_ranks(s, f);
	outcome_report(s->outcome, s->out, "shown");
	return rc < 0 ? -1 : 0;
}

static json_t *file_json(const struct trace_reader *m, uint64_t count[TRACE_OPS], uint64_t *bytes)
{
	const struct trace_meta *meta = trace_reader_meta(m);
	uint64_t records = 0, packed = 0, raw = 0, half = 0;
	struct point last = { 0 };
	char at[POINT_TEXT];
	json_t *o;

	for (size_t i = 0; i < trace_reader_blocks(m); i++) {
		const struct trace_info *b = trace_reader_info(m, i);

		records += b->records;
		packed += b->packed;
		raw += b->raw;
		half += b->half;
		for (unsigned k = 0; k < TRACE_OPS; k++)
			count[k] += b->count[k];
		if (point_sort(&b->last, &last) > 0)
			last = b->last;
	}
	*bytes += packed;
	o = json_pack("{s:I s:I s:s s:I s:I s:I s:I s:b}", "rank", (json_int_t)meta->rank, "ranks",
		      (json_int_t)meta->ranks, "level", trace_config_level_word(meta->level),
		      "blocks", (json_int_t)trace_reader_blocks(m), "records", (json_int_t)records,
		      "bytes", (json_int_t)packed, "raw", (json_int_t)raw, "complete",
		      trace_reader_complete(m));
	json_object_set_new(o, "program", out_json_text(meta->program));
	json_object_set_new(o, "last", json_string(point_format(&last, at)));
	if (half)
		json_object_set_new(o, "half", json_integer((json_int_t)half));
	if (*meta->origin)
		json_object_set_new(o, "origin", out_json_text(meta->origin));
	if (meta->start.main)
		json_object_set_new(o, "start", json_string(point_format(&meta->start, at)));
	if (meta->finish.main)
		json_object_set_new(o, "finish", json_string(point_format(&meta->finish, at)));
	if (*trace_reader_note(m))
		json_object_set_new(o, "note", out_json_text(trace_reader_note(m)));
	return o;
}

/* Reads the blocks, as only that shows whether they are whole. */
static void check_blocks(struct session *s, const struct trace_reader *m)
{
	for (size_t i = 0; i < trace_reader_blocks(m) && !out_cut_short(); i++)
		check_block(s, m, i);
	if (*trace_reader_note(m))
		outcome_incomplete(s->outcome, "%s", trace_reader_note(m));
}

json_t *traceview_stat(const struct trace_files *f)
{
	uint64_t count[TRACE_OPS] = { 0 }, bytes = 0, records = 0;
	json_t *list = json_array(), *counts = json_object(), *o;
	struct traceview_calls calls = { 0 };

	for (size_t i = 0; i < trace_files_count(f); i++)
		json_array_append_new(list, file_json(trace_files_map(f, i), count, &bytes));
	for (unsigned k = 0; k < TRACE_OPS; k++) {
		records += count[k];
		if (count[k])
			json_object_set_new(counts, op_words[k],
					    json_integer((json_int_t)count[k]));
	}
	o = json_pack("{s:s s:o s:o s:I s:I}", "type", "trace-stat", "list", list, "counts", counts,
		      "records", (json_int_t)records, "bytes", (json_int_t)bytes);
	if (count[TRACE_CALL] && !traceview_calls_load(&calls, f, NULL))
		json_object_set_new(o, "calls", traceview_calls_json(&calls));
	traceview_calls_clear(&calls);
	return o;
}

void traceview_check(struct session *s, const struct trace_files *f)
{
	for (size_t i = 0; i < trace_files_count(f); i++)
		check_blocks(s, trace_files_map(f, i));
	missing_ranks(s, f);
	outcome_report(s->outcome, s->out, "readable");
}
