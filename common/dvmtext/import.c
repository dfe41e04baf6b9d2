/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text traces into native ones, in two rounds: the first sees what operands and loops there are,
 * the second writes records, through the same encoder as a program.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/core/vec.h"
#include "common/dvmtext/internal.h"
#include "common/dvmtext/dvmtext.h"
#include "common/logical/construct.h"
#include "common/trace/encode.h"
#include "common/tracefile/tracefile.h"

#define ROOM (1u << 20)	   /* bytes of a raw block */
#define NUMBERS_MOST 65536 /* numbers of constructs whose iterations are looked at */

/* A line of the program's text; its position + 1 is the program's number for it. */
struct spot {
	char *file; /* owned */
	uint32_t line;
};

/* The iterations of one construct of the text, by its number. */
struct box {
	uint8_t ndim; /* 0: none, or not always as many indices */
	bool seen;
	int64_t lo[ARRAY_DIMS], hi[ARRAY_DIMS];
	/* of the last iteration, and the weights that follow from linear numbers; by bits of
	 * known */
	int64_t linear, last[ARRAY_DIMS];
	uint64_t weight[ARRAY_DIMS];
	unsigned known;
};

struct import {
	struct text_file f;
	struct text_rec rec;
	struct dvmtext_count count;
	struct text_objects objects;
	struct spot *spot;
	uint32_t nspot;
	uint32_t near[1024]; /* spots by line + 1: where one was found last */
	struct box *box;
	uint32_t nbox;
	struct trace_frame frame[TRACE_FRAMES + 1];
	uint32_t number[TRACE_FRAMES + 1]; /* of the construct in the text */
	const struct dvmtext_loop *loop[TRACE_FRAMES + 1]; /* in the head; NULL: it is not there */
	uint32_t depth;
	struct point point;
	bool writing; /* the second round */
	bool part;    /* iterations were chosen by the process's own part */
	/* writing */
	struct trace_enc *enc;
	void *mem;
	struct trace_writer *out;
	struct trace_meta meta;
	char *kept; /* owned; meta.head */
	uint64_t seen[TRACE_FRAMES + 1]; /* iterations of the construct */
	uint64_t executed; /* of the next construct that ends, by a comment of ours; 0 not said */
	char result[256]; /* the variable of the next RV:, by a comment of ours; "" not known */
	struct text_object_value value; /* that was read last */
	uint64_t seq, pending;
	struct err *err;
};

static int no_memory(struct import *m)
{
	return err_set(m->err, "out of memory");
}

/* The number of a line of the program's text; 0: no memory. */
static uint32_t spot_of(struct import *m, const char *file, uint32_t line)
{
	uint32_t *near = &m->near[line % 1024];
	struct spot *spot;

	if (*near && m->spot[*near - 1].line == line && !strcmp(m->spot[*near - 1].file, file))
		return *near;
	for (uint32_t i = 0; i < m->nspot; i++)
		if (m->spot[i].line == line && !strcmp(m->spot[i].file, file))
			return *near = i + 1;
	if (vec_more(m->spot, m->nspot, 1))
		return 0;
	spot = &m->spot[m->nspot];
	*spot = (struct spot){ strdup(file), line };
	return spot->file ? (*near = ++m->nspot) : 0;
}

static int place_of(void *arg, uint32_t number, struct place *out)
{
	const struct import *m = arg;

	if (!number || number > m->nspot)
		return -1;
	*out = (struct place){ .file = m->spot[number - 1].file,
			       .line = m->spot[number - 1].line,
			       .func = "",
			       .module = "" };
	return 0;
}

static int site_of(void *arg, uint64_t pc, struct trace_site *out)
{
	*out = (struct trace_site){ 0 };
	return pc > UINT32_MAX ? -1 : place_of(arg, (uint32_t)pc, &out->place);
}

static int object_of(void *arg, uint32_t version, struct trace_object *out)
{
	const struct import *m = arg;

	return text_objects_describe(&m->objects, version, out);
}

static void open_block(struct import *m)
{
	const struct trace_start start = { .rank = m->meta.rank,
					   .seq = m->seq++,
					   .point = m->point,
					   .frame = m->frame,
					   .nframe = m->depth };

	trace_enc_open(m->enc, m->mem, ROOM, &start);
}

/* The block that is full goes to the file. */
static int close_block(struct import *m)
{
	const struct trace_resolver r = {
		.arg = m, .site = site_of, .object = object_of, .place = place_of
	};
	struct trace_block b;
	int rc;

	if (!trace_enc_records(m->enc))
		return 0;
	trace_enc_close(m->enc);
	if (trace_block_from_raw(&b, m->mem, ROOM, &r, m->err))
		return -1;
	for (unsigned k = 0; k < TRACE_OPS; k++)
		m->count.count[k] += b.info.count[k];
	m->count.records += b.info.records;
	rc = trace_writer_put(m->out, &b, m->err);
	trace_block_clear(&b);
	return rc;
}

static int next_block(struct import *m)
{
	if (close_block(m))
		return -1;
	open_block(m);
	return 0;
}

/* Does what writes a record; when the block is full, again in a new one. */
#define WRITE(m, call) (!(m)->writing || (call) || (!next_block(m) && (call)) ? 0 : -1)

static struct trace_frame *inner(struct import *m)
{
	return m->depth ? &m->frame[m->depth - 1] : NULL;
}

/* The position and extent of a loop: what the head says, or what was seen in the first round. */
static void set_range(struct import *m, struct trace_opening *o)
{
	const struct dvmtext_loop *l =
		dvmtext_loop_at(&m->count.head, o->kind, m->rec.file, m->rec.line);
	const struct box *b = m->rec.number < m->nbox ? &m->box[m->rec.number] : NULL;

	if (l && l->level >= 0)
		o->level = (uint8_t)l->level;
	if (o->kind == CONSTRUCT_TR)
		return;
	for (o->ndim = 0; l && l->noted && o->ndim < l->ndim && l->step[o->ndim]; o->ndim++) {
		o->first[o->ndim] = l->first[o->ndim];
		o->last[o->ndim] = l->last[o->ndim];
		o->step[o->ndim] = l->step[o->ndim];
	}
	if (o->ndim)
		return;
	/* parts of a loop are not known to be all of it */
	if (m->meta.ranks != 1 || !b || !b->ndim)
		return;
	o->ndim = b->ndim;
	memcpy(o->first, b->lo, sizeof(b->lo));
	memcpy(o->last, b->hi, sizeof(b->hi));
}

static int too_deep(struct import *m)
{
	text_back(&m->f);
	return text_error(&m->f, m->err, "constructs nested deeper than %d", TRACE_FRAMES);
}

/* A construct that the head does not have: what is kept of the head has it. */
static int add_loop(struct import *m, uint32_t parent)
{
	const struct text_rec *r = &m->rec;
	struct dvmtext_loop *l = dvmtext_add_loop(&m->count.head);

	if (!l)
		return no_memory(m);
	*l = (struct dvmtext_loop){ .kind = r->kind,
				    .number = r->number,
				    .parent = parent,
				    .ndim = r->rank,
				    .file = strdup(r->file),
				    .line = r->line,
				    .level = -1,
				    .unsaid = true };
	return l->file ? 0 : no_memory(m);
}

/* What the head does not say of a construct that begins: its number there, or that of its
 * parent. */
static int note_number(struct import *m)
{
	const struct text_rec *r = &m->rec;
	uint32_t parent = m->depth ? m->number[m->depth - 1] : 0;
	const struct dvmtext_loop *l;
	char text[64], in[16] = "";

	if (m->depth > 1 && m->frame[m->depth - 1].kind == CONSTRUCT_TASK)
		parent = m->number[m->depth - 2];
	l = dvmtext_loop_in(&m->count.head, r->kind, r->file, r->line, parent);
	if (!m->writing)
		return l ? 0 : add_loop(m, parent);
	m->loop[m->depth] = l;
	if (l && l->number == r->number && l->ndim == r->rank && r->parent == parent)
		return 0;
	if (r->parent)
		snprintf(in, sizeof(in), "%u", r->parent);
	snprintf(text, sizeof(text), "%u(%s) [%u]", r->number, in, r->rank);
	return WRITE(m, trace_enc_note(m->enc, TRACE_NOTE_NUMBER, text));
}

static int begin(struct import *m)
{
	uint32_t spot = spot_of(m, m->rec.file, m->rec.line);
	const struct trace_frame *around = inner(m);
	struct trace_opening o = { .kind = m->rec.kind,
				   .level = around ? around->level : m->meta.level,
				   .place = spot,
				   .point = m->rec.point };

	if (!spot)
		return no_memory(m);
	if (m->depth == TRACE_FRAMES)
		return too_deep(m);
	set_range(m, &o);
	if (note_number(m) || WRITE(m, trace_enc_begin(m->enc, &o)))
		return -1;
	m->number[m->depth] = m->rec.number;
	m->seen[m->depth] = 0;
	m->frame[m->depth++] = (struct trace_frame){
		.kind = o.kind, .level = o.level, .place = spot, .point = o.point
	};
	if (o.point.main)
		m->point = o.point;
	return 0;
}

static int end_task(struct import *m)
{
	const struct trace_frame *f = inner(m);
	const struct point none = { 0 };

	if (!f || f->kind != CONSTRUCT_TASK)
		return 0;
	if (WRITE(m, trace_enc_end(m->enc, f->kind, &none, f->place, false, UINT64_MAX)))
		return -1;
	m->depth--;
	return 0;
}

/*
 * How many iterations the innermost construct has had; UINT64_MAX: those that are there. With
 * limits by the process's own part others have others.
 */
static uint64_t executed(struct import *m)
{
	uint64_t n = m->executed, seen = m->seen[m->depth - 1];
	const struct trace_frame *f = inner(m);

	m->executed = 0;
	if (n)
		return n;
	return m->part && f->kind == CONSTRUCT_PL ? seen + 1 : UINT64_MAX;
}

static int end(struct import *m)
{
	uint32_t spot = spot_of(m, m->rec.file, m->rec.line);
	const struct trace_frame *f;
	uint64_t iterations;

	if (!spot)
		return no_memory(m);
	if (end_task(m))
		return -1;
	f = inner(m);
	text_back(&m->f);
	if (!f)
		return text_error(&m->f, m->err, "EL: %u, and no construct is open", m->rec.number);
	if (m->number[m->depth - 1] != m->rec.number)
		return text_error(&m->f, m->err, "EL: %u, and construct %u is open", m->rec.number,
				  m->number[m->depth - 1]);
	iterations = executed(m);
	if (WRITE(m, trace_enc_end(m->enc, f->kind, &m->rec.point, spot, false, iterations)))
		return -1;
	m->depth--;
	if (m->rec.point.main)
		m->point = m->rec.point;
	return 0;
}

/* The weight of the one index that has moved from an iteration, among those not known yet. */
static void weigh(struct box *b, const struct text_rec *r, int64_t linear, const int64_t *from)
{
	uint64_t left = (uint64_t)r->linear - (uint64_t)linear;
	unsigned unknown = ARRAY_DIMS;
	int64_t step;

	for (unsigned d = 0; d < r->nidx; d++) {
		step = (int64_t)((uint64_t)r->index[d] - (uint64_t)from[d]);
		if (b->known >> d & 1)
			left -= (uint64_t)step * b->weight[d];
		else if (step && unknown < ARRAY_DIMS)
			return;
		else if (step)
			unknown = d;
	}
	if (unknown == ARRAY_DIMS)
		return;
	step = (int64_t)((uint64_t)r->index[unknown] - (uint64_t)from[unknown]);
	if (step == -1)
		left = -left;
	else if ((int64_t)left % step)
		return;
	else
		left = (uint64_t)((int64_t)left / step);
	b->weight[unknown] = left;
	b->known |= 1u << unknown;
}

static void learn(struct box *b, const struct text_rec *r)
{
	static const int64_t origin[ARRAY_DIMS];

	b->weight[r->nidx - 1] = 1;
	b->known |= 1u << (r->nidx - 1);
	weigh(b, r, 0, origin);
	weigh(b, r, b->linear, b->last);
	b->linear = r->linear;
	memcpy(b->last, r->index, sizeof(b->last));
}

/* Widens what was seen of the construct that is open. */
static int widen(struct import *m, uint32_t number)
{
	const struct text_rec *r = &m->rec;
	struct box *b;

	if (number >= NUMBERS_MOST)
		return 0;
	if (number >= m->nbox) {
		uint32_t had = m->nbox;

		if (vec_room(m->box, m->nbox, number + 1))
			return no_memory(m);
		memset(m->box + had, 0, (m->nbox - had) * sizeof(*b));
	}
	b = &m->box[number];
	if (!b->seen) {
		*b = (struct box){ .ndim = r->nidx, .seen = true };
		memcpy(b->lo, r->index, sizeof(b->lo));
		memcpy(b->hi, r->index, sizeof(b->hi));
	}
	if (b->ndim != r->nidx)
		b->ndim = 0;
	if (b->ndim)
		learn(b, r);
	for (unsigned d = 0; d < b->ndim; d++) {
		b->lo[d] = r->index[d] < b->lo[d] ? r->index[d] : b->lo[d];
		b->hi[d] = r->index[d] > b->hi[d] ? r->index[d] : b->hi[d];
	}
	return 0;
}

/* The linear number of an iteration, unless it is what the export will make of it. */
static int note_linear(struct import *m, int64_t expected)
{
	char text[24];

	if (m->rec.linear == expected)
		return 0;
	snprintf(text, sizeof(text), "%" PRId64, m->rec.linear);
	return WRITE(m, trace_enc_note(m->enc, TRACE_NOTE_LINEAR, text));
}

/* What the export will make of it: of loops that the head has not, nothing. */
static int64_t expected_linear(const struct import *m)
{
	const struct dvmtext_loop *l = m->loop[m->depth - 1];
	const struct text_rec *r = &m->rec;
	const struct box *b = l && l->number < m->nbox ? &m->box[l->number] : NULL;

	if (!b || !b->ndim || b->ndim != r->nidx)
		return ~r->linear;
	return dvmtext_linear(b->weight, r->nidx, r->index);
}

/* An iteration of a region is a task. */
static int begin_task(struct import *m)
{
	const struct trace_frame *f = inner(m);
	struct trace_opening o = { .kind = CONSTRUCT_TASK, .ndim = 1 };

	o.level = f->level;
	o.place = f->place;
	o.first[0] = o.last[0] = m->rec.index[0];
	if (m->depth == TRACE_FRAMES)
		return too_deep(m);
	if (note_linear(m, m->rec.index[0]) || WRITE(m, trace_enc_begin(m->enc, &o)))
		return -1;
	m->number[m->depth] = 0;
	m->frame[m->depth] = (struct trace_frame){
		.kind = o.kind, .level = o.level, .place = o.place, .nidx = 1
	};
	m->frame[m->depth++].index[0] = m->rec.index[0];
	return 0;
}

static int iteration(struct import *m)
{
	struct trace_frame *f;

	if (end_task(m))
		return -1;
	f = inner(m);
	text_back(&m->f);
	if (!f)
		return text_error(&m->f, m->err, "IT: and no construct is open");
	if (f->kind == CONSTRUCT_TR)
		return begin_task(m);
	m->seen[m->depth - 1]++;
	if (!m->writing)
		return widen(m, m->number[m->depth - 1]);
	if (note_linear(m, expected_linear(m)) ||
	    WRITE(m, trace_enc_iter(m->enc, m->rec.nidx, m->rec.index)))
		return -1;
	f->nidx = m->rec.nidx;
	memcpy(f->index, m->rec.index, sizeof(f->index));
	return 0;
}

/* What follows in the parallel loop is in no iteration. */
static int leave(struct import *m)
{
	struct trace_frame *f = inner(m);

	if (!m->writing)
		return 0;
	if (!f || f->kind != CONSTRUCT_PL)
		return WRITE(m, trace_enc_note(m->enc, TRACE_NOTE_COMMENT, m->rec.value));
	f->nidx = 0;
	return WRITE(m, trace_enc_iter(m->enc, 0, NULL));
}

static int bad_value(struct import *m)
{
	m->f.p = m->rec.value;
	return text_error(&m->f, m->err, "\"%.40s\" is not a value of type %u (%s)", m->rec.value,
			  m->rec.type, value_type_name(m->rec.type));
}

static int access_record(struct import *m)
{
	const struct text_rec *r = &m->rec;
	uint32_t spot = spot_of(m, r->file, r->line), object;
	unsigned flags, type;
	unsigned char value[16];
	uint64_t at = 0;

	object = text_objects_find(&m->objects, r->operand, r->type, m->writing ? &at : NULL);
	if (!spot || object == TRACE_NOWHERE)
		return no_memory(m);
	type = text_objects_value(&m->objects, object, r->type);
	flags = (unsigned)value_size(type);
	if (r->what != TEXT_READ)
		flags |= TRACE_WRITES;
	if (r->reduction)
		flags |= TRACE_REDUCED;
	if (r->what == TEXT_BEFORE) {
		m->pending++;
		return WRITE(m, trace_enc_before(m->enc, spot, flags, object, at));
	}
	if (text_value(type, r->value, value))
		return bad_value(m);
	if (r->what == TEXT_WRITE && m->pending)
		m->pending--;
	return WRITE(m, trace_enc_access(m->enc, spot, flags, object, at, value));
}

/* The result of a reduction; the text does not say of which variable. */
static int result(struct import *m)
{
	const struct text_rec *r = &m->rec;
	uint32_t spot = spot_of(m, r->file, r->line), object;
	unsigned char value[16];

	object = text_objects_find(&m->objects, *m->result ? m->result : "RV", r->type, NULL);
	m->result[0] = '\0';
	if (!spot || object == TRACE_NOWHERE)
		return no_memory(m);
	if (text_value(r->type, r->value, value))
		return bad_value(m);
	return WRITE(m, trace_enc_reduction(m->enc, spot, object, 0, value, value_size(r->type)));
}

static int sum(struct import *m)
{
	const struct text_rec *r = &m->rec;
	uint32_t object =
		text_objects_array(&m->objects, r->operand, r->file, r->line, r->counter);
	char text[256];

	if (object == TRACE_NOWHERE)
		return no_memory(m);
	snprintf(text, sizeof(text), "%.8s %.200s", r->access, r->value ? r->value : "FAILED");
	return WRITE(m, trace_enc_sum(m->enc, object, text));
}

/* False: it is a comment. */
static bool value(struct import *m, int *rc)
{
	struct text_object_value *v = &m->value;
	uint32_t object;

	if (!text_take_values(m->rec.value, v))
		return false;
	object = text_objects_find(&m->objects, v->operand, v->type, NULL);
	*rc = -1;
	if (object == TRACE_NOWHERE ||
	    text_objects_declare(&m->objects, object, v->file, v->line, v->counter, false))
		no_memory(m);
	else if (v->form == TRACE_VALUE_PART)
		*rc = WRITE(m, trace_enc_value_part(m->enc, object, TRACE_NONE, v->bytes, v->n,
						    v->before, v->behind));
	else
		*rc = WRITE(m, trace_enc_value(m->enc, object, TRACE_NONE, v->bytes, v->n,
					       v->form == TRACE_VALUE_PRINT));
	return true;
}

/* Likewise. */
static bool results(struct import *m, int *rc)
{
	struct text_object_value *v = &m->value;
	char file[512];
	uint32_t line, spot, object;

	if (!text_take_results(m->rec.value, v, file, &line))
		return false;
	spot = spot_of(m, file, line);
	object = text_objects_find(&m->objects, v->operand, v->type, NULL);
	if (!spot || object == TRACE_NOWHERE ||
	    text_objects_declare(&m->objects, object, v->file, v->line, v->counter, false))
		*rc = no_memory(m);
	else
		*rc = WRITE(m, trace_enc_reduction(m->enc, spot, object, 0, v->bytes, v->n));
	return true;
}

/* What an export has written about records that are missing, and of values, is that again. */
static int comment(struct import *m)
{
	const char *p = m->rec.value;
	int64_t n;
	int rc;

	if (!strcmp(p, "End trace header"))
		return 0;
	if (value(m, &rc) || results(m, &rc))
		return rc;
	if (!strncmp(p, "LOST: ", 6) && (p += 6, !parse_int_at(&p, &n)) && n >= 0 &&
	    !strcmp(p, " records"))
		return WRITE(m, trace_enc_lost(m->enc, 0, (uint64_t)n));
	if (!strncmp(p, TEXT_EXECUTED, strlen(TEXT_EXECUTED)))
		m->executed = strtoull(p + strlen(TEXT_EXECUTED), NULL, 10);
	if (!strncmp(p, TEXT_RESULT_OF, strlen(TEXT_RESULT_OF)))
		snprintf(m->result, sizeof(m->result), "%s", p + strlen(TEXT_RESULT_OF));
	return WRITE(m, trace_enc_note(m->enc, TRACE_NOTE_COMMENT, m->rec.value));
}

static int record(struct import *m)
{
	uint32_t spot;

	switch (m->rec.what) {
	case TEXT_BEGIN:
		return begin(m);
	case TEXT_END:
		return end(m);
	case TEXT_ITER:
		return iteration(m);
	case TEXT_LEAVE:
		return leave(m);
	case TEXT_COMMENT:
		return comment(m);
	case TEXT_BEFORE:
	case TEXT_WRITE:
	case TEXT_READ:
		return access_record(m);
	case TEXT_RESULT:
		return result(m);
	case TEXT_SUM:
		return sum(m);
	case TEXT_SKIP:
		spot = spot_of(m, m->rec.file, m->rec.line);
		return spot ? WRITE(m, trace_enc_skip(m->enc, spot)) : no_memory(m);
	default:
		return 0;
	}
}

/*
 * All records. A last line without its end that cannot be read is a trace that was cut off, not an
 * error.
 */
static int round_of(struct import *m)
{
	int more, rc = 0;

	m->depth = 0;
	m->point = (struct point){ 0 };
	m->pending = 0;
	m->count.ended = false;
	while (!rc && !m->count.ended && (more = text_next(&m->f, m->err))) {
		rc = more < 0 ? -1 : text_record(&m->f, &m->rec, m->err);
		if (rc && more > 0 && !m->f.whole)
			return 0;
		rc = rc ? rc : record(m);
		m->count.ended = m->rec.what == TEXT_STOP;
	}
	m->count.unfinished = m->pending;
	m->count.lines = m->f.number;
	return rc;
}

static const char *setting(const struct import *m, const char *name)
{
	const char *value = dvmtext_setting(&m->count.head, name);

	return value ? value : "";
}

static void set_meta(struct import *m, const char *from, uint32_t rank)
{
	struct trace_meta *meta = &m->meta;
	struct tm t = { 0 };
	const char *cpus = setting(m, "CPU_COUNT");
	int64_t n = 0;
	struct text_file word = { .p = setting(m, "MODE") };
	int level = text_level(&word);

	(void)parse_int_at(&cpus, &n);
	*meta = (struct trace_meta){ .rank = rank,
				     .ranks = n > 0 && n <= INT32_MAX ? (uint32_t)n : 1,
				     .level = level < 0 ? 0 : (uint8_t)level,
				     .program = setting(m, "TASK_NAME"),
				     .build_id = "",
				     .version = setting(m, "DEB_VERSION"),
				     .origin = from };
	m->part = strtol(setting(m, "ILOC_LEFT"), NULL, 10) >= 0 && *setting(m, "ILOC_LEFT");
	m->part |= strtol(setting(m, "ILOC_RIGHT"), NULL, 10) >= 0 && *setting(m, "ILOC_RIGHT");
	/* a point that is none is as good as none */
	if (point_parse(&meta->start, setting(m, "STARTPOINT"), NULL))
		meta->start = (struct point){ 0 };
	if (point_parse(&meta->finish, setting(m, "FINISHPOINT"), NULL))
		meta->finish = (struct point){ 0 };
	if (strptime(setting(m, "TRACE_TIME"), "%a %b %d %H:%M:%S %Y", &t))
		meta->seconds = (uint64_t)timegm(&t);
}

/* Never waits, as a pipe would: it is read twice. */
static int open_text(struct import *m, const char *from)
{
	int fd = open(from, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	m->f = (struct text_file){ .name = from };
	if (fd < 0)
		return err_set(m->err, "%s: %s", from, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !(m->f.in = fdopen(fd, "r"))) {
		close(fd);
		return err_set(m->err, "%s: not a regular file", from);
	}
	if (getc(m->f.in) == 0x1f && getc(m->f.in) == 0x8b)
		return err_set(m->err, "%s is compressed: gunzip it first", from);
	rewind(m->f.in);
	return 0;
}

/* The head, with what linear numbers follow. -1: no memory. */
static int keep_head(struct import *m)
{
	struct dvmtext_head *h = &m->count.head;
	size_t n = 0;
	FILE *f = open_memstream(&m->kept, &n);

	for (uint32_t i = 0; f && i < h->nloop; i++) {
		struct dvmtext_loop *l = &h->loop[i];

		if (l->number < m->nbox && m->box[l->number].ndim)
			memcpy(l->weight, m->box[l->number].weight, sizeof(l->weight));
	}
	if (f)
		dvmtext_head_keep(h, f);
	if (!f || fclose(f))
		return -1;
	m->meta.head = m->kept;
	return 0;
}

static int first_round(struct import *m)
{
	unsigned long line = m->f.number;

	if (round_of(m))
		return -1;
	if (m->f.number == line)
		return err_set(m->err, "%s has no records: it is a configuration file", m->f.name);
	if (text_objects_fix(&m->objects, &m->count.head) || keep_head(m))
		return no_memory(m);
	m->f.number = line;
	return 0;
}

/* Both rounds, up to a file that is not closed yet. */
static int run(struct import *m, const char *from, const char *to, uint32_t rank)
{
	long first;

	if (open_text(m, from) || dvmtext_head_get(&m->count.head, &m->f, m->err))
		return -1;
	m->objects.head = &m->count.head;
	set_meta(m, from, rank);
	first = ftell(m->f.in);
	if (first < 0)
		return err_set(m->err, "%s: %s", from, strerror(errno));
	m->enc = calloc(1, sizeof(*m->enc));
	m->mem = malloc(ROOM);
	if (!m->enc || !m->mem)
		return no_memory(m);
	if (first_round(m))
		return -1;
	m->out = trace_writer_create_adjacent(to, &m->meta, m->err);
	if (!m->out)
		return -1;
	if (fseek(m->f.in, first, SEEK_SET))
		return err_set(m->err, "%s: %s", from, strerror(errno));
	m->writing = true;
	m->depth = 0;
	m->point = (struct point){ 0 };
	open_block(m);
	return round_of(m) || close_block(m) ? -1 : 0;
}

static void clear(struct import *m)
{
	if (m->f.in)
		fclose(m->f.in);
	text_clear(&m->f);
	text_objects_clear(&m->objects);
	for (uint32_t i = 0; i < m->nspot; i++)
		free(m->spot[i].file);
	free(m->spot);
	free(m->box);
	free(m->enc);
	free(m->mem);
	free(m->kept);
	free(m);
}

int dvmtext_import(const char *from, const char *to, uint32_t rank, struct dvmtext_count *count,
		   struct err *err)
{
	struct import *m = calloc(1, sizeof(*m));
	char *partial = NULL;
	int rc;

	if (!m || asprintf(&partial, "%s.partial", to) < 0) {
		free(m);
		return err_set(err, "out of memory");
	}
	m->err = err;
	rc = run(m, from, to, rank);
	if (m->out && rc)
		trace_writer_close(m->out, false, NULL);
	else if (m->out)
		rc = trace_writer_close(m->out, m->count.ended, err);
	/* of a trace that is cut off all that there is has been taken */
	if (!rc && m->out && !m->count.ended && rename(partial, to))
		rc = err_set(err, "%s: %s", to, strerror(errno));
	if (m->out && rc)
		unlink(partial);
	free(partial);
	if (count && !rc)
		*count = m->count;
	else
		dvmtext_head_clear(&m->count.head);
	if (count && rc)
		*count = (struct dvmtext_count){ 0 };
	clear(m);
	return rc;
}
