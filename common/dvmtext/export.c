/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Native traces into text, in two rounds: the first sees what loops and arrays there are, for the
 * head, the second writes records.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/core/vec.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/trace_config.h"
#include "common/tracefile/tracefile.h"
#include "common/dvmtext/dvmtext.h"
#include "common/dvmtext/internal.h"
#include "common/array/value.h"

static void close_block(struct text_export *x)
{
	if (!x->block)
		return;
	for (uint32_t i = 0; x->site && i < x->block->nsite; i++)
		free(x->site[i].file);
	for (uint32_t i = 0; x->place && i < x->block->nplace; i++)
		free(x->place[i].file);
	free(x->site);
	free(x->place);
	trace_block_free(x->block);
	x->site = x->place = NULL;
	x->block = NULL;
}

/* A registered array for the head. */
static int add_array(struct text_export *x, const struct trace_object *o)
{
	const struct array_desc *a = &o->desc;
	struct dvmtext_array *t;

	if (o->kind == TRACE_HEAP || !a->ndim || x->verbatim)
		return 0;
	for (uint32_t i = 0; i < x->head.narray; i++)
		if (x->head.array[i].line == a->line && x->head.array[i].counter == a->counter &&
		    !strcmp(x->head.array[i].name, a->name))
			return 0;
	t = dvmtext_add_array(&x->head);
	if (!t)
		return text_no_memory(x);
	*t = (struct dvmtext_array){ .name = text_plain(a->name),
				     .file = text_plain(a->file),
				     .type = a->type < VALUE_TYPES ? dvmtext_type_number(a->type)
								   : VALUE_CHAR,
				     .ndim = a->ndim,
				     .line = a->line,
				     .counter = a->counter,
				     .distributed = a->kind == ARRAY_DISTRIBUTED,
				     .level = -1 };
	if (a->type < VALUE_TYPES && a->type != t->type)
		t->own = a->type;
	t->shaped = a->ndim <= ARRAY_DIMS;
	for (unsigned d = 0; t->shaped && d < a->ndim; d++) {
		t->first[d] = a->lower[d];
		t->last[d] = a->lower[d] + a->extent[d] - 1;
		t->shaped = a->extent[d] > 0;
	}
	return t->name && t->file ? 0 : text_no_memory(x);
}

/* Notes that the construct uses an array. */
static int add_use(struct text_export *x, struct dvmtext_loop *l, const struct dvmtext_sum *s)
{
	struct dvmtext_use *u;

	for (uint32_t i = 0; i < l->nuse; i++) {
		u = &l->use[i];
		if (u->line == s->line && u->counter == s->counter && !strcmp(u->name, s->name)) {
			u->read |= s->read;
			u->written |= s->written;
			return 0;
		}
	}
	u = vec_add(l->use, l->nuse);
	if (!u)
		return text_no_memory(x);
	*u = (struct dvmtext_use){ .name = text_plain(s->name),
				   .file = text_plain(s->file),
				   .line = s->line,
				   .counter = s->counter,
				   .read = s->read,
				   .written = s->written };
	return u->name && u->file ? 0 : text_no_memory(x);
}

/* The array of a checksum, for the head. */
static int add_summed(struct text_export *x, const struct dvmtext_sum *s)
{
	struct dvmtext_array *t;

	for (uint32_t i = 0; i < x->head.narray; i++)
		if (x->head.array[i].line == s->line && x->head.array[i].counter == s->counter &&
		    !strcmp(x->head.array[i].name, s->name))
			return 0;
	t = dvmtext_add_array(&x->head);
	if (!t)
		return text_no_memory(x);
	*t = (struct dvmtext_array){ .name = text_plain(s->name),
				     .file = text_plain(s->file),
				     .type = dvmtext_type_number(s->type),
				     .ndim = s->ndim,
				     .line = s->line,
				     .counter = s->counter,
				     .distributed = s->distributed,
				     .level = -1 };
	return t->name && t->file ? 0 : text_no_memory(x);
}

/* The checksums at the end of a construct: for the head, or as records. */
static int sums_of(struct text_export *x, uint32_t loop, const struct point *at)
{
	struct dvmtext_sum s;

	if (!x->form.checksum || !x->names || !x->names->sum || x->verbatim || !at->main)
		return 0;
	for (size_t i = 0; x->names->sum(x->names->arg, at, i, &s); i++) {
		if (x->writing)
			text_put_sum(x, &s);
		else if (add_summed(x, &s) || add_use(x, &x->head.loop[loop], &s))
			return -1;
	}
	return 0;
}

static int open_block(struct text_export *x, size_t i)
{
	x->block = trace_reader_block(x->map, i, x->err);
	if (!x->block)
		return -1;
	x->site = calloc(x->block->nsite + 1, sizeof(*x->site));
	x->place = calloc(x->block->nplace + 1, sizeof(*x->place));
	if (!x->site || !x->place)
		return text_no_memory(x);
	for (uint32_t k = 0; !x->writing && k < x->block->nobject; k++)
		if (add_array(x, &x->block->object[k]))
			return -1;
	if (x->cursor)
		return trace_cursor_start(x->cursor, x->block) ? text_no_memory(x) : 0;
	x->cursor = trace_cursor_open(x->block);
	return x->cursor ? 0 : text_no_memory(x);
}

/* Functions and tasks have no lines of their own. */
static bool has_line(unsigned kind)
{
	return kind == CONSTRUCT_PL || kind == CONSTRUCT_SL || kind == CONSTRUCT_TR;
}

/* The loop of the program's text, made when it is new; *at is its position. */
static int find_loop(struct text_export *x, unsigned kind, unsigned level,
		     const struct text_line *where, uint32_t *at)
{
	uint32_t parent = x->depth ? x->number[x->depth - 1] : 0;
	struct dvmtext_loop *l =
		dvmtext_loop_in(&x->head, kind, where->file, where->line, parent);

	if (l) {
		*at = (uint32_t)(l - x->head.loop);
		return 0;
	}
	l = dvmtext_add_loop(&x->head);
	if (!l || vec_more(x->extent, x->head.nloop - 1, 1))
		return text_no_memory(x);
	x->extent[x->head.nloop - 1] = (struct extent){ 0 };
	*l = (struct dvmtext_loop){ .kind = (uint8_t)kind,
				    .number = x->head.nloop,
				    .parent = parent,
				    .depth = x->depth,
				    .file = strdup(where->file),
				    .line = where->line,
				    .unsaid = x->verbatim,
				    .level = level == trace_reader_meta(x->map)->level
						     ? -1
						     : (int)level };
	*at = x->head.nloop - 1;
	return l->file ? 0 : text_no_memory(x);
}

/* What has come out so far. */
static struct dvmtext_counter counted(struct text_export *x)
{
	if (!x->names || !x->names->counter)
		return (struct dvmtext_counter){ 0 };
	fflush(x->out);
	return *x->names->counter;
}

/* The construct has ended: what it has cost, with all that is in it. */
static void cost(struct text_export *x)
{
	struct dvmtext_loop *l = &x->head.loop[x->open[x->depth]];
	const struct dvmtext_counter to = counted(x), *from = &x->from[x->depth];

	l->bytes += to.bytes - from->bytes;
	l->lines += to.lines - from->lines;
}

static int begin(struct text_export *x, unsigned kind, unsigned level, uint32_t place,
		 const struct point *at)
{
	const struct text_line *where = text_place_line(x, place);
	const struct dvmtext_loop *l;
	char in[16] = "";
	uint32_t i = 0;

	if (!where)
		return text_no_memory(x);
	if (x->depth == TRACE_FRAMES)
		return err_set(x->err, "constructs nested deeper than %d", TRACE_FRAMES);
	if (find_loop(x, kind, level, where, &i))
		return -1;
	l = &x->head.loop[i];
	if (!*x->said) {
		if (l->parent)
			snprintf(in, sizeof(in), "%u", l->parent);
		snprintf(x->said, sizeof(x->said), "%u(%s) [%u]", l->number, in, l->ndim);
	}
	if (x->writing) {
		text_indent(x);
		x->from[x->depth] = counted(x);
		fprintf(x->out, "%s: %s; ", construct_brief(kind), x->said);
		text_put_place(x, where, at);
	}
	x->number[x->depth] = (uint32_t)strtoul(x->said, NULL, 10);
	x->said[0] = '\0';
	x->begun[x->depth] = *at;
	x->seen[x->depth] = 0;
	x->open[x->depth++] = i;
	return 0;
}

/* What a loop's beginning says of its range, and of its level. */
static void set_extent(struct text_export *x, const struct trace_rec *r)
{
	struct extent *e = &x->extent[x->open[x->depth - 1]], was = *e;

	if (!r->nidx || r->kind == CONSTRUCT_TR)
		return;
	*e = (struct extent){ .ndim = r->nidx, .known = true, .varies = was.varies };
	for (unsigned d = 0; d < r->nidx; d++) {
		e->lo[d] = r->index[d];
		e->hi[d] = r->last[d];
		e->step[d] = r->step[d];
		e->varies |= was.known && (was.ndim != e->ndim || was.lo[d] != e->lo[d] ||
					  was.hi[d] != e->hi[d] || was.step[d] != e->step[d]);
	}
}

static void widen(struct text_export *x, unsigned n, const int64_t *index)
{
	struct extent *e = &x->extent[x->open[x->depth - 1]];

	if (e->known)
		return;
	for (unsigned d = 0; d < n; d++) {
		e->lo[d] = d >= e->ndim || index[d] < e->lo[d] ? index[d] : e->lo[d];
		e->hi[d] = d >= e->ndim || index[d] > e->hi[d] ? index[d] : e->hi[d];
	}
	e->ndim = (uint8_t)(n > e->ndim ? n : e->ndim);
}

/* A loop may run downwards. */
static uint64_t extent_of(const struct extent *e, unsigned d)
{
	return (e->hi[d] < e->lo[d] ? (uint64_t)e->lo[d] - (uint64_t)e->hi[d]
				    : (uint64_t)e->hi[d] - (uint64_t)e->lo[d]) +
	       1;
}

/* Last index + the others times the extents behind them. */
static int64_t linear(const struct text_export *x, unsigned n, const int64_t *index)
{
	uint32_t i = x->open[x->depth - 1];
	const struct dvmtext_loop *l = &x->head.loop[i];
	const struct extent *e = &x->extent[i];
	uint64_t sum = 0, product = 1;

	if (n && l->weight[n - 1])
		return dvmtext_linear(l->weight, n, index);

	for (unsigned d = n; d-- > 0;) {
		sum += (uint64_t)index[d] * product;
		if (d < e->ndim)
			product *= extent_of(e, d);
	}
	return (int64_t)sum;
}

static void iteration(struct text_export *x, unsigned n, const int64_t *index)
{
	if (!x->depth)
		return;
	x->seen[x->depth - 1] += n > 0;
	if (!x->writing) {
		widen(x, n, index);
		x->numbered = false;
		return;
	}
	x->held &= !x->form.dense;
	if (!n) {
		/* what follows in the loop is in none */
		text_indent(x);
		fputs("# END_ITERATION\n", x->out);
		return;
	}
	if (x->held)
		text_flush(x);
	x->held = true;
	x->held_depth = x->depth;
	x->held_number = x->numbered ? x->linear : linear(x, n, index);
	x->numbered = false;
	x->held_nidx = n;
	memcpy(x->held_index, index, n * sizeof(*index));
}

/* The iterations and accesses that other threads made in the loop that began at the point. */
static int put_thread(struct text_export *x)
{
	struct trace_rec r;
	int rc = 0, more;

	for (uint32_t i = 0; i < x->block->nframe; i++)
		if (i + 1 == x->block->nframe && has_line(x->block->frame[i].kind) &&
		    x->block->frame[i].nidx)
			iteration(x, x->block->frame[i].nidx, x->block->frame[i].index);
	while (!rc && (more = trace_block_next(x->cursor, &r)) > 0) {
		if (r.op == TRACE_ITER)
			iteration(x, r.nidx, r.index);
		else if (x->writing && r.op != TRACE_BEGIN && r.op != TRACE_END)
			rc = text_put_record(x, &r);
	}
	return rc;
}

static int put_threads(struct text_export *x, const struct point *at)
{
	struct trace_cursor *cursor = x->cursor;
	struct trace_block *block = x->block;
	struct text_line *site = x->site, *place = x->place;
	int rc = 0;

	if (!at->main)
		return 0;
	for (size_t i = 0; !rc && i < trace_reader_blocks(x->map); i++) {
		const struct trace_info *info = trace_reader_info(x->map, i);

		if (!info->thread || point_sort(&info->first, at))
			continue;
		x->block = NULL;
		x->cursor = NULL;
		x->site = x->place = NULL;
		rc = open_block(x, i);
		rc = rc ? rc : put_thread(x);
		close_block(x);
		trace_cursor_free(x->cursor);
	}
	x->block = block;
	x->cursor = cursor;
	x->site = site;
	x->place = place;
	return rc;
}

/* A note that is no record of its own in text. False: another one. */
static bool take_note(struct text_export *x, const struct trace_rec *r)
{
	char text[sizeof(x->said)];

	if (r->op != TRACE_NOTE ||
	    (r->kind != TRACE_NOTE_LINEAR && r->kind != TRACE_NOTE_NUMBER) ||
	    r->nbytes >= sizeof(text))
		return false;
	memcpy(text, r->bytes, r->nbytes);
	text[r->nbytes] = '\0';
	if (r->kind == TRACE_NOTE_LINEAR) {
		x->numbered = true;
		x->linear = strtoll(text, NULL, 10);
	} else if (strspn(text, "0123456789()[] ") == r->nbytes) {
		memcpy(x->said, text, r->nbytes + 1);
	}
	return true;
}

/* What the head says of a loop's extent: its range, when that is always the same. */
static void set_loop(struct dvmtext_loop *l, const struct extent *e)
{
	l->ndim = e->ndim ? e->ndim : 1;
	l->noted = e->known && !e->varies;
	for (unsigned d = 0; l->noted && d < e->ndim; d++) {
		l->first[d] = e->lo[d];
		l->last[d] = e->hi[d];
		l->step[d] = e->step[d];
	}
}

static int end(struct text_export *x, const struct trace_rec *r)
{
	const struct text_line *where = text_place_line(x, r->place);

	if (!where)
		return text_no_memory(x);
	if (!x->depth)
		return 0;
	if (put_threads(x, &x->begun[x->depth - 1]))
		return -1;
	x->depth--;
	if (!x->writing)
		return sums_of(x, x->open[x->depth], &r->point);
	x->held &= !x->form.dense;
	if (!x->verbatim && !x->form.none && !x->form.checksum && r->value[0] != UINT64_MAX &&
	    r->value[0] > x->seen[x->depth]) {
		text_indent(x);
		fprintf(x->out, "# " TEXT_EXECUTED "%" PRIu64 "\n", r->value[0]);
	}
	text_indent(x);
	fprintf(x->out, "EL: %u; ", x->number[x->depth]);
	text_put_place(x, where, &r->point);
	if (sums_of(x, x->open[x->depth], &r->point))
		return -1;
	cost(x);
	return 0;
}

/* What the level of the text does not have, though it was recorded. */
static bool is_hidden(const struct text_export *x, const struct trace_rec *r)
{
	unsigned kind = x->depth ? x->head.loop[x->open[x->depth - 1]].kind : CONSTRUCT_SL;

	if ((!x->form.none && !x->form.checksum) || r->op == TRACE_BEGIN || r->op == TRACE_END ||
	    r->op == TRACE_LOST)
		return false;
	return r->op != TRACE_ITER || x->form.none || kind == CONSTRUCT_PL;
}

static int record(struct text_export *x, const struct trace_rec *r)
{
	if (take_note(x, r) || is_hidden(x, r))
		return 0;
	if (r->op == TRACE_BEGIN && has_line(r->kind)) {
		if (begin(x, r->kind, r->level, r->place, &r->point))
			return -1;
		set_extent(x, r);
	} else if (r->op == TRACE_BEGIN) {
		/* a task is an iteration of its region */
		if (r->kind == CONSTRUCT_TASK)
			iteration(x, r->nidx, r->index);
	} else if (r->op == TRACE_END) {
		return has_line(r->kind) ? end(x, r) : 0;
	} else if (r->op == TRACE_ITER) {
		iteration(x, r->nidx, r->index);
	} else if (x->writing) {
		return text_put_record(x, r);
	}
	return 0;
}

/* What was open already where the trace begins. */
static int start(struct text_export *x)
{
	for (uint32_t i = 0; i < x->block->nframe; i++) {
		const struct trace_frame *f = &x->block->frame[i];

		if (has_line(f->kind) && begin(x, f->kind, f->level, f->place, &f->point))
			return -1;
		if (f->nidx && !construct_is_frame(f->kind))
			iteration(x, f->nidx, f->index);
	}
	x->started = true;
	return 0;
}

static int one_block(struct text_export *x, size_t i)
{
	struct trace_rec r;
	int rc = open_block(x, i), more = 0;

	if (!rc && !x->started)
		rc = start(x);
	while (!rc && (more = trace_block_next(x->cursor, &r)) > 0)
		rc = record(x, &r);
	if (!rc && more < 0)
		rc = err_set(x->err, "block %zu of the trace is damaged at record %" PRIu64, i,
			     x->cursor->record);
	close_block(x);
	return rc;
}

static int round_of(struct text_export *x)
{
	int rc = 0;

	x->depth = 0;
	x->started = false;
	for (size_t i = 0; !rc && i < trace_reader_blocks(x->map); i++)
		if (!trace_reader_info(x->map, i)->thread)
			rc = one_block(x, i);
	return rc;
}

static int set(struct text_export *x, const char *name, const char *value, bool quoted)
{
	char *copy = text_plain(value);
	int rc = copy ? dvmtext_set(&x->head, name, copy, quoted) : -1;

	free(copy);
	return rc;
}

static int set_point(struct text_export *x, const char *name, const struct point *p)
{
	char text[POINT_TEXT];

	return set(x, name, p->main ? point_format(p, text) : "", false);
}

/* In the order in which the historical debugger wrote them. What is not known is empty, or -1. */
static int set_head(struct text_export *x)
{
	static const char *const empty[] = { "OS", "ARCHITECTURE", "USER_HOST", "WORK_DIR" };
	static const char *const limits[] = { "IG_LEFT",    "IG_RIGHT",	 "ILOC_LEFT",
					      "ILOC_RIGHT", "IREP_LEFT", "IREP_RIGHT" };
	const struct trace_meta *m = trace_reader_meta(x->map);
	time_t when = (time_t)m->seconds;
	char text[128] = "";
	struct tm t;
	int rc;

	if (when && gmtime_r(&when, &t))
		strftime(text, sizeof(text), "%a %b %d %H:%M:%S %Y", &t);
	rc = set(x, "TRACE_TIME", text, true);
	snprintf(text, sizeof(text), *m->origin ? "%.80s" : "dvmdbg %.80s", m->version);
	rc = rc || set(x, "DEB_VERSION", text, true);
	for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++)
		rc = rc || set(x, empty[i], "", true);
	rc = rc || set(x, "TASK_NAME", m->program, true) ||
	     set(x, "MODE",
		 text_level_name(x->form.none	    ? TRACE_CONFIG_NONE
				 : x->form.checksum ? TRACE_CONFIG_CHECKSUM
						    : m->level),
		 false);
	snprintf(text, sizeof(text), "%u", m->ranks);
	rc = rc || set(x, "CPU_COUNT", text, false) ||
	     set(x, "EMPTYITER", x->form.dense ? "0" : "1", false) ||
	     set(x, "MULTIDIMARR", "1", false) || set(x, "DEFARRSTEP", "1", false) ||
	     set(x, "DEFITERSTEP", "1", false) || set_point(x, "STARTPOINT", &m->start) ||
	     set_point(x, "FINISHPOINT", &m->finish);
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		rc = rc || set(x, limits[i], "-1", false);
	return rc || set(x, "LOCITERWIDTH", "1", false) || set(x, "REPITERWIDTH", "1", false) ||
			       set(x, "CALC_CHECKSUM", "0", false)
		       ? text_no_memory(x)
		       : 0;
}

/* The settings that the trace keeps, and of a text all of its head. */
static int take_kept(struct text_export *x)
{
	const char *text = trace_reader_meta(x->map)->head;
	struct dvmtext_head kept = { 0 };
	FILE *in = *text ? fmemopen((void *)text, strlen(text), "r") : NULL;
	int rc = 0;

	if (*text && !in)
		return text_no_memory(x);
	if (in)
		rc = dvmtext_head_read(&kept, in, "the head that the trace keeps", x->err);
	if (in)
		fclose(in);
	x->verbatim = in && *trace_reader_meta(x->map)->origin;
	if (x->verbatim && !rc) {
		dvmtext_head_clear(&x->head);
		x->head = kept;
		x->kept = kept.nloop;
		x->extent = calloc(kept.nloop + 1, sizeof(*x->extent));
		rc = x->extent ? 0 : text_no_memory(x);
		if (!rc && x->form.dense && dvmtext_set(&x->head, "EMPTYITER", "0", false))
			rc = text_no_memory(x);
		return rc;
	}
	for (uint32_t i = 0; i < kept.nsetting && !rc; i++)
		if (dvmtext_set(&x->head, kept.setting[i].name, kept.setting[i].value,
				kept.setting[i].quoted))
			rc = text_no_memory(x);
	dvmtext_head_clear(&kept);
	return rc;
}

/* Loops and their extents into the order in which a file has them: a parent before what is in
 * it. */
static int order_loops(struct text_export *x)
{
	uint32_t n = x->head.nloop, done = 0, *stack = calloc(n + 1, sizeof(*stack)), depth = 0;
	struct dvmtext_loop *loop = calloc(n + 1, sizeof(*loop));
	struct extent *extent = calloc(n + 1, sizeof(*extent));
	bool *taken = calloc(n + 1, sizeof(*taken));

	while (stack && loop && extent && taken && done < n) {
		uint32_t parent = depth ? stack[depth - 1] : 0, i = 0;

		while (i < n && (taken[i] || x->head.loop[i].parent != parent))
			i++;
		if (i == n && !depth)
			break;
		if (i == n) {
			depth--;
			continue;
		}
		taken[i] = true;
		loop[done] = x->head.loop[i];
		extent[done++] = x->extent[i];
		stack[depth++] = x->head.loop[i].number;
	}
	free(stack);
	free(taken);
	if (!loop || !extent || done < n) {
		free(loop);
		free(extent);
		return n && done < n ? text_no_memory(x) : 0;
	}
	free(x->head.loop);
	free(x->extent);
	x->head.loop = loop;
	x->extent = extent;
	return 0;
}

int dvmtext_export(const struct trace_reader *m, FILE *out, const char *name,
		   const struct dvmtext_names *names, struct err *err)
{
	static const struct dvmtext_form form = { .indent = 2 };
	struct text_export x = { .map = m, .names = names, .out = out, .err = err };
	int rc;

	x.form = names && names->form ? *names->form : form;
	rc = set_head(&x) || take_kept(&x) || round_of(&x);
	if (!rc && !x.verbatim)
		rc = order_loops(&x);
	for (uint32_t i = x.kept; !rc && i < x.head.nloop; i++)
		set_loop(&x.head.loop[i], &x.extent[i]);
	if (!rc && dvmtext_head_write(&x.head, out, false))
		rc = err_set(err, "%s: %s", name, strerror(errno));
	x.writing = true;
	rc = rc || round_of(&x);
	if (!rc && x.held && !x.form.dense)
		text_flush(&x);
	if (!rc && trace_reader_complete(m))
		fputs("END_TRACE\n", out);
	if (!rc && (fflush(out) || ferror(out)))
		rc = err_set(err, "%s: %s", name, strerror(errno));
	trace_cursor_free(x.cursor);
	if (!rc && names && names->costs)
		*names->costs = x.head;
	else
		dvmtext_head_clear(&x.head);
	free(x.extent);
	return rc ? -1 : 0;
}
