/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/traceview/internal.h"
#include "frontend/traceview/traceview.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/point_sums.h"
#include "common/protocol/trace_config.h"
#include "common/dvmtext/dvmtext.h"
#include "common/array/value.h"
#include "frontend/reference/reference.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

/* What counting needs beside the head. */
struct costs {
	struct dvmtext_head *head;
	struct symbols *symbols;
	uint32_t open[TRACE_FRAMES]; /* positions of loops */
	unsigned depth;
	unsigned level; /* of the traces */
	uint64_t records, packed, raw;
	uint64_t *own; /* owned; records of each loop, those inside not counted */
};

static bool has_line(unsigned kind)
{
	return kind == CONSTRUCT_PL || kind == CONSTRUCT_SL || kind == CONSTRUCT_TR;
}

static struct dvmtext_loop *add_loop(struct costs *t)
{
	struct dvmtext_head *h = t->head;

	xvec_more(h->loop, h->nloop, 1);
	xvec_more(t->own, h->nloop, 1);
	t->own[h->nloop] = 0;
	h->loop[h->nloop] = (struct dvmtext_loop){ .level = -1 };
	return &h->loop[h->nloop];
}

/* Behind which loop one that is new has to stand: after its parent and all that is in that. */
static uint32_t slot_of(const struct costs *t)
{
	const struct dvmtext_head *h = t->head;
	uint32_t at;

	if (!t->depth)
		return h->nloop;
	at = t->open[t->depth - 1] + 1;
	while (at < h->nloop && h->loop[at].depth >= t->depth)
		at++;
	return at;
}

/* Moves the loop that was made last to its slot. */
static void move_loop(struct costs *t, uint32_t at)
{
	struct dvmtext_head *h = t->head;
	uint32_t last = h->nloop - 1;
	struct dvmtext_loop loop = h->loop[last];

	memmove(&h->loop[at + 1], &h->loop[at], (last - at) * sizeof(*h->loop));
	memmove(&t->own[at + 1], &t->own[at], (last - at) * sizeof(*t->own));
	h->loop[at] = loop;
	t->own[at] = 0;
}

/* The loop of the program's text that begins */
static void enter(struct costs *t, unsigned kind, unsigned level, const struct place *where)
{
	struct place p = *where;
	uint32_t parent = t->depth ? t->head->loop[t->open[t->depth - 1]].number : 0, at;
	struct dvmtext_loop *x;

	if (t->depth == TRACE_FRAMES)
		return;
	symbols_resolve(t->symbols, &p);
	for (uint32_t i = 0; i < t->head->nloop; i++) {
		x = &t->head->loop[i];
		if (x->kind == kind && x->line == p.line && x->parent == parent &&
		    !strcmp(x->file, p.file ? p.file : "")) {
			t->open[t->depth++] = i;
			return;
		}
	}
	x = add_loop(t);
	at = slot_of(t);
	*x = (struct dvmtext_loop){ .kind = (uint8_t)kind,
				    .number = t->head->nloop + 1,
				    .parent = parent,
				    .depth = t->depth,
				    .ndim = 1,
				    .file = xstrdup(p.file ? p.file : ""),
				    .line = p.line,
				    .level = level == t->level ? -1 : (int)level,
				    .noted = true };
	t->head->nloop++;
	move_loop(t, at);
	t->open[t->depth++] = at;
}

static void set_range(struct dvmtext_loop *x, const struct trace_rec *r)
{
	if (!r->nidx || x->kind == CONSTRUCT_TR)
		return;
	x->ndim = r->nidx;
	for (unsigned d = 0; d < r->nidx; d++) {
		x->first[d] = r->index[d];
		x->last[d] = r->last[d];
		x->step[d] = r->step[d] ? r->step[d] : 1;
	}
}

/* Notes that the construct reads or writes an array. */
static void use(struct dvmtext_loop *x, const struct array_desc *a, bool write)
{
	for (uint32_t i = 0; i < x->nuse; i++) {
		struct dvmtext_use *u = &x->use[i];

		if (u->line == a->line && u->counter == a->counter && !strcmp(u->name, a->name)) {
			u->read |= !write;
			u->written |= write;
			return;
		}
	}
	xvec_more(x->use, x->nuse, 1);
	x->use[x->nuse] = (struct dvmtext_use){ .name = xstrdup(a->name),
						.file = xstrdup(a->file),
						.line = a->line,
						.counter = a->counter,
						.read = !write,
						.written = write };
	x->nuse++;
}

static void add_array(struct costs *t, const struct array_desc *a)
{
	struct dvmtext_head *h = t->head;

	for (uint32_t i = 0; i < h->narray; i++)
		if (h->array[i].line == a->line && h->array[i].counter == a->counter &&
		    !strcmp(h->array[i].name, a->name))
			return;
	xvec_more(h->array, h->narray, 1);
	h->array[h->narray++] = (struct dvmtext_array){ .name = xstrdup(a->name),
							.file = xstrdup(a->file),
							.type = a->type < 9 ? a->type : 0,
							.ndim = a->ndim,
							.line = a->line,
							.counter = a->counter,
							.distributed = true,
							.level = -1 };
}

/* Neither or both: the annotation does not say it. */
static void use_sums(struct costs *t, struct dvmtext_loop *x, const struct sums_point *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct sums_array *s = &p->array[i];
		bool read = s->flags & POINT_SUMS_READ, written = s->flags & POINT_SUMS_WRITE;
		struct array_desc a = { .name = s->name,
					.file = s->file,
					.line = s->line,
					.counter = s->counter,
					.type = s->sum ? s->sum->plan.type : VALUE_DOUBLE,
					.ndim = (uint8_t)(s->sum ? s->sum->plan.ndim : 1) };

		if (s->kind != ARRAY_DISTRIBUTED)
			continue;
		if (read == written) {
			read = false;
			written = s->flags & POINT_SUMS_CHANGED;
		}
		if (read || written)
			add_array(t, &a);
		if (read)
			use(x, &a, false);
		if (written)
			use(x, &a, true);
	}
}

static bool is_array(const struct trace_object *o)
{
	return o->kind != TRACE_HEAP && o->desc.kind == ARRAY_DISTRIBUTED && o->desc.ndim &&
	       o->desc.name && o->desc.file;
}

/* A record inside of the loops that are open. */
static void count(struct costs *t, const struct trace_block *b, const struct trace_rec *r)
{
	struct dvmtext_loop *x = t->depth ? &t->head->loop[t->open[t->depth - 1]] : NULL;
	bool access = r->op == TRACE_READ || r->op == TRACE_WRITE;

	t->records++;
	if (!x)
		return;
	t->own[t->open[t->depth - 1]]++;
	x->iterations += r->op == TRACE_ITER;
	if (access && r->object != TRACE_NOWHERE && is_array(&b->object[r->object]))
		use(x, &b->object[r->object].desc, r->op == TRACE_WRITE);
}

static void take(struct costs *t, const struct trace_block *b, const struct trace_rec *r)
{
	static const struct place nowhere = { 0 };
	const struct place *where = r->place < b->nplace ? &b->place[r->place] : &nowhere;

	if (r->op == TRACE_BEGIN && has_line(r->kind)) {
		enter(t, r->kind, r->level, where);
		if (t->depth)
			set_range(&t->head->loop[t->open[t->depth - 1]], r);
	}
	count(t, b, r);
	if (r->op == TRACE_END && has_line(r->kind) && t->depth)
		t->depth--;
}

static int take_block(struct costs *t, const struct trace_block *b, struct trace_cursor *c)
{
	struct trace_rec r;

	for (uint32_t k = 0; k < b->nobject; k++)
		if (is_array(&b->object[k]))
			add_array(t, &b->object[k].desc);
	/* what is open where it begins is known of the main thread; others have their own */
	t->depth = 0;
	for (uint32_t i = 0; i < b->nframe; i++) {
		const struct trace_frame *f = &b->frame[i];

		if (has_line(f->kind) && f->place < b->nplace)
			enter(t, f->kind, f->level, &b->place[f->place]);
	}
	if (trace_cursor_start(c, b))
		return -1;
	while (trace_block_next(c, &r) > 0)
		take(t, b, &r);
	t->packed += b->info.packed;
	t->raw += b->info.raw;
	return 0;
}

static int take_map(struct costs *t, const struct trace_reader *m, struct err *err)
{
	struct trace_cursor *c = NULL;
	int rc = 0;

	for (size_t i = 0; i < trace_reader_blocks(m) && !rc; i++) {
		struct trace_block *b = trace_reader_block(m, i, err);

		if (!b)
			break;
		b->info.packed = trace_reader_info(m, i)->packed;
		b->info.raw = trace_reader_info(m, i)->raw;
		c = c ? c : trace_cursor_open(b);
		rc = c ? take_block(t, b, c) : -1;
		trace_block_free(b);
		if (rc)
			err_set(err, "out of memory");
	}
	trace_cursor_free(c);
	return rc || *err->text ? -1 : 0;
}

static uint64_t share(uint64_t whole, uint64_t part, uint64_t all)
{
	return all ? (uint64_t)((double)whole * (double)part / (double)all) : 0;
}

/* What a loop costs is with all that is in it. */
static void sum_up(struct costs *t)
{
	struct dvmtext_head *h = t->head;

	for (uint32_t i = h->nloop; i-- > 0;)
		for (uint32_t k = i; k-- > 0;)
			if (h->loop[k].number == h->loop[i].parent) {
				t->own[k] += t->own[i];
				break;
			}
	for (uint32_t i = 0; i < h->nloop; i++) {
		h->loop[i].native = share(t->packed, t->own[i], t->records);
		h->loop[i].memory = share(t->raw, t->own[i], t->records);
	}
	h->native = t->packed;
	h->memory = t->raw;
}

/* The construct of ours that is loop i of a text, by what is around both; NULL: none. */
static struct dvmtext_loop *ours(struct dvmtext_head *h, const struct dvmtext_head *text,
				 uint32_t i)
{
	const struct dvmtext_loop *x = &text->loop[i];
	const struct dvmtext_loop *around = NULL;

	for (uint32_t k = 0; x->parent && k < i; k++)
		if (text->loop[k].number == x->parent)
			around = ours(h, text, k);
	if (x->parent && !around)
		return NULL;
	return dvmtext_loop_in(h, x->kind, x->file, x->line, around ? around->number : 0);
}

/* Adds what the trace costs as a text: counted, not estimated. */
static int add_text(struct costs *t, const struct trace_reader *m, struct err *err)
{
	struct dvmtext_counter all;
	struct dvmtext_head text;
	int rc = text_costs(t->symbols, m, &text, &all, err);

	for (uint32_t i = 0; i < text.nloop && !rc; i++) {
		struct dvmtext_loop *x = ours(t->head, &text, i);

		if (!x)
			continue;
		x->bytes += text.loop[i].bytes;
		x->lines += text.loop[i].lines;
	}
	t->head->bytes += all.bytes;
	t->head->lines += all.lines;
	dvmtext_head_clear(&text);
	return rc;
}

/* Numbers rise in the order of the file. */
static void number(struct dvmtext_head *h)
{
	uint32_t *was = xcalloc(h->nloop + 1, sizeof(*was));

	for (uint32_t i = 0; i < h->nloop; i++)
		if (h->loop[i].number <= h->nloop)
			was[h->loop[i].number] = i + 1;
	for (uint32_t i = 0; i < h->nloop; i++) {
		h->loop[i].number = i + 1;
		if (h->loop[i].parent)
			h->loop[i].parent = was[h->loop[i].parent];
	}
	free(was);
}

/* What the checksums of a run say that constructs use. */
static void add_sums(struct costs *t, struct reference *sums)
{
	const struct sums_point *p;
	char where[600];

	for (size_t i = 0; (p = reference_at(sums, i, NULL)); i++)
		for (uint32_t k = 0; k < t->head->nloop && p->point.side == POINT_END; k++) {
			struct dvmtext_loop *x = &t->head->loop[k];
			const char *slash = strrchr(x->file, '/');

			snprintf(where, sizeof(where), "%s:%u", slash ? slash + 1 : x->file,
				 x->line);
			if (x->kind == p->kind && !strcmp(where, p->where))
				use_sums(t, x, p);
		}
}

int trace_costs(const struct trace_files *f, struct symbols *s, long rank, struct reference *sums,
		struct dvmtext_head *h, struct err *err)
{
	struct costs t = { .head = h, .symbols = s };
	bool any = false;
	int rc = 0;

	*h = (struct dvmtext_head){ 0 };
	err->text[0] = '\0';
	for (size_t i = 0; i < trace_files_count(f) && !rc; i++) {
		const struct trace_meta *meta = trace_reader_meta(trace_files_map(f, i));

		if (rank >= 0 && meta->rank != rank)
			continue;
		t.level = meta->level;
		any = true;
		rc = take_map(&t, trace_files_map(f, i), err);
	}
	if (!rc && !any)
		rc = err_set(err, "rank %ld has no trace", rank);
	if (!rc && dvmtext_set(h, "MODE", trace_config_level_word(t.level), false))
		rc = err_set(err, "out of memory");
	if (sums)
		add_sums(&t, sums);
	sum_up(&t);
	for (size_t i = 0; i < trace_files_count(f) && !rc; i++)
		if (rank < 0 || trace_reader_meta(trace_files_map(f, i))->rank == rank)
			rc = add_text(&t, trace_files_map(f, i), err);
	number(h);
	free(t.own);
	return rc;
}

int traceview_costs_write(const struct trace_files *f, struct symbols *s, long rank,
			  struct reference *sums, const char *path, struct err *err)
{
	struct dvmtext_head h;
	char *new = NULL;
	FILE *out;
	int rc = trace_costs(f, s, rank, sums, &h, err);

	if (!rc)
		new = xasprintf("%s.new", path);
	out = rc ? NULL : fopen(new, "we");
	if (!rc && !out)
		rc = err_set(err, "%s: %s", new, strerror(errno));
	if (!rc && dvmtext_head_write(&h, out, true))
		rc = err_set(err, "%s: %s", new, strerror(errno));
	if (out && fclose(out) && !rc)
		rc = err_set(err, "%s: %s", new, strerror(errno));
	if (!rc && rename(new, path))
		rc = err_set(err, "%s: %s", path, strerror(errno));
	if (rc && out)
		unlink(new);
	free(new);
	dvmtext_head_clear(&h);
	return rc;
}
