/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/traceindex/internal.h"
#include "common/traceindex/traceindex.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/core/vec.h"

#define BLOCKS 1024u /* of so many, summaries are kept */

/* ---- the order of use ---- */

static void link_out(struct ref_link *l)
{
	l->older->newer = l->newer;
	l->newer->older = l->older;
}

static void link_newest(struct trace_index *r, struct ref_link *head, struct ref_link *l)
{
	l->stamp = ++r->clock;
	l->older = head->older;
	l->newer = head;
	head->older->newer = l;
	head->older = l;
}

static void link_touch(struct trace_index *r, struct ref_link *head, struct ref_link *l)
{
	if (head->older == l)
		return;
	link_out(l);
	link_newest(r, head, l);
}

/* ---- giving up ---- */

static void stream_close(struct trace_index *r, struct ref_stream *st)
{
	if (!st)
		return;
	link_out(&st->link);
	r->held -= st->bytes;
	st->of->stream = NULL;
	trace_block_free(st->block);
	segment_reader_destroy(st->reader);
	free(st);
}

static void seg_detach(struct trace_index *r, struct ref_seg *s)
{
	link_out(&s->link);
	r->held -= s->bytes;
	s->block->seg[s->k] = NULL;
}

static void seg_free(struct ref_seg *s)
{
	if (!s)
		return;
	segment_clear(&s->s);
	free(s->hash);
	free(s);
}

static struct ref_seg *oldest_seg(struct trace_index *r)
{
	for (struct ref_link *l = r->segs.newer; l != &r->segs; l = l->newer)
		if (!((struct ref_seg *)l)->pins)
			return (struct ref_seg *)l;
	return NULL;
}

/* Makes room; a segment that is given up is kept for its memory when *spare is wanted. */
static void evict(struct trace_index *r, const struct ref_stream *keep, struct ref_seg **spare)
{
	while (r->held > r->limit) {
		struct ref_seg *s = oldest_seg(r);
		struct ref_stream *st = r->streams.newer != &r->streams
						? (struct ref_stream *)r->streams.newer
						: NULL;

		if (st && st != keep && (!s || st->link.stamp < s->link.stamp)) {
			stream_close(r, st);
			continue;
		}
		if (!s)
			return;
		seg_detach(r, s);
		if (spare && !*spare)
			*spare = s;
		else
			seg_free(s);
	}
}

static void block_free(struct ref_block *b)
{
	free(b->sum);
	free(b->seg);
	free(b->site);
	free(b);
}

/* Forgets blocks of which nothing is held. */
static void sweep(struct trace_index *r)
{
	for (uint32_t f = 0; f < r->files; f++)
		for (size_t i = 0; i < r->file[f].n; i++) {
			struct ref_block *b = r->file[f].block[i];
			bool held = b && b->stream;

			for (uint32_t k = 0; b && k < b->nseg; k++)
				held = held || b->seg[k];
			if (!b || held)
				continue;
			block_free(b);
			r->file[f].block[i] = NULL;
			r->blocks--;
		}
}

/* ---- decoding ---- */

static struct ref_block *block_get(struct trace_index *r, uint32_t f, size_t at)
{
	struct ref_block **slot = &r->file[f].block[at];

	if (*slot)
		return *slot;
	if (r->blocks >= BLOCKS)
		sweep(r);
	*slot = calloc(1, sizeof(**slot));
	if (*slot) {
		(*slot)->file = f;
		(*slot)->at = (uint32_t)at;
		r->blocks++;
	} else {
		trace_index_note_no_memory(r);
	}
	return *slot;
}

void trace_index_note_no_memory(struct trace_index *r)
{
	r->damaged = r->no_memory = true;
}

struct trace_block *ref_block_load(struct trace_index *r, uint32_t f, size_t b)
{
	struct trace_block *block;

	errno = 0;
	block = trace_reader_block(r->file[f].map, b, NULL);
	if (!block && errno == ENOMEM)
		trace_index_note_no_memory(r);
	return block;
}

struct trace_block *ref_block_adjacent(struct trace_index *r, uint32_t f, size_t b, int step)
{
	uint32_t thread = ref_info(r, f, b)->thread;

	/* before the first is beyond the last, too */
	for (b += (size_t)step; b < r->file[f].n; b += (size_t)step)
		if (ref_info(r, f, b)->thread == thread)
			return ref_block_load(r, f, b);
	return NULL;
}

static void note_sites(struct ref_block *b, const struct trace_block *from)
{
	if (b->site || !from->nsite)
		return;
	b->site = malloc(from->nsite * sizeof(*b->site));
	for (uint32_t i = 0; b->site && i < from->nsite; i++)
		b->site[b->nsite++] = segment_place_hash(&from->site[i].place);
}

/* A damaged block is as if it were not there. */
static struct ref_stream *stream_open(struct trace_index *r, struct ref_block *b)
{
	struct ref_stream *st = calloc(1, sizeof(*st));

	if (!st) {
		trace_index_note_no_memory(r);
		return NULL;
	}
	st->of = b;
	st->block = ref_block_load(r, b->file, b->at);
	st->reader = segment_reader_create(r->idents, b->file);
	if (!st->block || !st->reader || segment_reader_start(st->reader, st->block)) {
		if (st->block)
			trace_index_note_no_memory(r);
		r->damaged = true;
		trace_block_free(st->block);
		segment_reader_destroy(st->reader);
		free(st);
		return NULL;
	}
	note_sites(b, st->block);
	st->bytes = sizeof(*st) + trace_block_bytes(st->block) + segment_reader_bytes(st->reader);
	r->held += st->bytes;
	r->decoded++;
	b->stream = st;
	link_newest(r, &r->streams, &st->link);
	return st;
}

/* The box of the iterations that begin in the segment, when they are of one loop. */
static void summarise(const struct segment *s, struct ref_sum *sum)
{
	for (uint32_t i = 0; i < s->nscope; i++) {
		const struct trace_scope *scope = &s->scope[i];
		const int64_t *index = &s->index[scope->index];

		if (scope->kind == TRACE_SCOPE_BODY || scope->flags & TRACE_SCOPE_CONT)
			continue;
		if (scope->kind != TRACE_SCOPE_ITER || scope->nidx > REF_BOX || !scope->nidx ||
		    (sum->n && (sum->n != scope->nidx || !ref_same(&sum->of, &scope->point)))) {
			sum->n = 255;
			return;
		}
		for (unsigned d = 0; d < scope->nidx; d++) {
			if (!sum->n || index[d] < sum->lo[d])
				sum->lo[d] = index[d];
			if (!sum->n || index[d] > sum->hi[d])
				sum->hi[d] = index[d];
		}
		sum->n = scope->nidx;
		sum->of = scope->point;
	}
}

/* Which elements are accessed outside of iterations: the least and the greatest of each object. */
static void summarise_keys(const struct segment *s, const struct trace_scope *scope,
			   struct ref_sum *sum)
{
	struct ref_keys *k = sum->keys;

	for (uint32_t i = scope->acc; i < scope->acc + scope->nacc && sum->nkeys != 255; i++) {
		uint64_t key = s->acc[i].key;

		if (!sum->nkeys || (k->lo ^ key) >> TRACE_KEY_BITS) {
			for (k = sum->keys; k < sum->keys + sum->nkeys; k++)
				if (!((k->lo ^ key) >> TRACE_KEY_BITS))
					break;
			if (k == sum->keys + REF_OBJECTS) {
				sum->nkeys = 255;
				return;
			}
			if (k == sum->keys + sum->nkeys) {
				sum->nkeys++;
				k->lo = k->hi = key;
			}
		}
		if (key < k->lo)
			k->lo = key;
		if (key > k->hi)
			k->hi = key;
	}
}

static int block_room(struct ref_block *b, uint32_t k)
{
	struct ref_sum *sum;
	struct ref_seg **seg;
	uint32_t cap;

	if (k < b->nseg)
		return 0;
	cap = (k + 16) & ~15u;
	sum = realloc(b->sum, cap * sizeof(*sum));
	if (sum)
		b->sum = sum;
	seg = realloc(b->seg, cap * sizeof(struct ref_seg *));
	if (seg)
		b->seg = seg;
	if (!sum || !seg)
		return -1;
	b->seg[k] = NULL;
	b->nseg = k + 1;
	return 0;
}

/* Decodes the stream's next segment into s; the stream is closed when the block ends. */
static int stream_next(struct trace_index *r, struct ref_stream *st, struct ref_seg *s)
{
	struct ref_block *b = st->of;
	uint32_t k = st->next;
	int rc;

	errno = 0;
	rc = segment_reader_fill(st->reader, &s->s);
	link_touch(r, &r->streams, &st->link);
	if (rc < 0 && errno == ENOMEM)
		trace_index_note_no_memory(r);
	if (rc < 0)
		r->damaged = true;
	if (block_room(b, k)) {
		trace_index_note_no_memory(r);
		return -1;
	}
	if (b->seg[k]) { /* it is held still: that of before is as good */
		link_touch(r, &r->segs, &b->seg[k]->link);
	} else {
		b->sum[k] = (struct ref_sum){ 0 };
		for (uint32_t i = 0; i < s->s.nscope; i++)
			if (s->s.scope[i].kind == TRACE_SCOPE_BODY)
				summarise_keys(&s->s, &s->s.scope[i], &b->sum[k]);
			else if (s->s.scope[i].nacc)
				b->sum[k].nkeys = 255;
		summarise(&s->s, &b->sum[k]);
		free(s->hash);
		s->hash = NULL;
		s->block = b;
		s->k = k;
		s->bytes = sizeof(*s) + segment_bytes(&s->s);
	}
	st->next++;
	if (rc <= 0) {
		b->done = true;
		stream_close(r, st);
	}
	return 0;
}

/* Decodes up to segment k; NULL: the block has not so many. */
static struct ref_seg *decode_to(struct trace_index *r, struct ref_block *b, uint32_t k)
{
	struct ref_stream *st = b->stream;
	struct ref_seg *s = NULL;
	uint32_t at;

	if (st && st->next > k) {
		stream_close(r, st);
		st = NULL;
	}
	if (!st)
		st = stream_open(r, b);
	if (!st) {
		b->done = true;
		return NULL;
	}
	for (at = st->next; at <= k; at++) {
		bool last;

		evict(r, st, s ? NULL : &s);
		if (!s)
			s = calloc(1, sizeof(*s));
		if (!s)
			trace_index_note_no_memory(r);
		if (!s || stream_next(r, st, s))
			break;
		last = !b->stream;
		if (!b->seg[at] && (at == k || r->held + s->bytes <= r->limit)) {
			s->pins = 0;
			b->seg[at] = s;
			r->held += s->bytes;
			link_newest(r, &r->segs, &s->link);
			s = NULL;
		}
		if (last)
			break;
	}
	seg_free(s);
	return k < b->nseg ? b->seg[k] : NULL;
}

struct ref_seg *ref_seg_get(struct trace_index *r, uint32_t file, size_t at, uint32_t k)
{
	struct ref_block *b = block_get(r, file, at);
	struct ref_seg *s = NULL;

	if (!b)
		return NULL;
	if (k < b->nseg)
		s = b->seg[k];
	if (!s && b->done && k >= b->nseg)
		return NULL;
	if (s)
		link_touch(r, &r->segs, &s->link);
	else
		s = decode_to(r, b, k);
	if (s)
		s->pins++;
	return s;
}

void ref_seg_put(struct ref_seg *s)
{
	if (s)
		s->pins--;
}

/* ---- opening ---- */

/* The rank of "trace.RANK.bin" or "trace.RANK.bin.partial"; -1: another name. */
static long rank_of(const char *name, bool *partial)
{
	const char *end = name + 6;
	int64_t rank;

	if (strncmp(name, "trace.", 6) || *end < '0' || *end > '9' || parse_int_at(&end, &rank))
		return -1;
	*partial = !strcmp(end, ".bin.partial");
	return rank > INT32_MAX || (!*partial && strcmp(end, ".bin") != 0) ? -1 : rank;
}

static bool has_native(const char *dir)
{
	const struct dirent *e;
	bool there = false, partial;
	DIR *d = opendir(dir);

	while (d && !there && (e = readdir(d)))
		there = rank_of(e->d_name, &partial) >= 0;
	if (d)
		closedir(d);
	return there;
}

bool trace_index_there(const char *dir)
{
	return has_native(dir) || trace_index_text(dir);
}

static int take_text(void *arg, struct trace_reader *m, struct err *err)
{
	struct trace_index *r = arg;
	struct ref_file *f;

	if (vec_more(r->file, r->files, 1)) {
		trace_reader_close(m);
		return err_set(err, "out of memory");
	}
	f = &r->file[r->files++];
	*f = (struct ref_file){ .rank = trace_reader_meta(m)->rank,
				.map = m,
				.n = trace_reader_blocks(m) };
	f->block = calloc(f->n ? f->n : 1, sizeof(struct ref_block *));
	return f->block ? 0 : err_set(err, "out of memory");
}

static int take_file(struct trace_index *r, const char *dir, const char *name, uint32_t rank,
		     bool partial, struct err *err)
{
	struct ref_file *f;
	char path[4096];

	if (vec_more(r->file, r->files, 1))
		return err_set(err, "out of memory");
	f = &r->file[r->files];
	*f = (struct ref_file){ .rank = rank };
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return err_set(err, "%s/%s: the path is too long", dir, name);
	f->map = trace_reader_open(path, err);
	if (!f->map) /* one that was hardly begun is as one that is not there */
		return partial ? 0 : -1;
	f->n = trace_reader_blocks(f->map);
	f->block = calloc(f->n ? f->n : 1, sizeof(struct ref_block *));
	r->files++;
	return f->block ? 0 : err_set(err, "out of memory");
}

/* A file that was finished is taken rather than one that was not. */
static int take_name(struct trace_index *r, const char *dir, const char *name, struct err *err)
{
	bool partial;
	long rank = rank_of(name, &partial);
	char path[4096];
	FILE *other;

	if (rank < 0)
		return 0;
	if (partial) {
		snprintf(path, sizeof(path), "%s/trace.%ld.bin", dir, rank);
		other = fopen(path, "re");
		if (other) {
			fclose(other);
			return 0;
		}
	}
	return take_file(r, dir, name, (uint32_t)rank, partial, err);
}

static int by_rank(const void *a, const void *b)
{
	const struct ref_file *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

static void note(struct trace_index *r, const char *text)
{
	r->whole = false;
	if (!*r->note)
		snprintf(r->note, sizeof(r->note), "%s", text);
}

/* Whether it is all ranks that the files say there were, and what else the files as a whole show.
 */
static void settle(struct trace_index *r)
{
	char text[128];

	r->whole = true;
	for (uint32_t f = 0; f < r->files; f++) {
		const struct ref_file *file = &r->file[f];
		uint32_t ranks = trace_reader_meta(file->map)->ranks;

		for (size_t i = 0; i < file->n; i++)
			r->threads |= ref_info(r, f, i)->thread > 0;
		if (*trace_reader_note(file->map))
			note(r, trace_reader_note(file->map));
		if (!trace_reader_complete(file->map)) {
			snprintf(text, sizeof(text),
				 "rank %u of the reference did not come to its end", file->rank);
			note(r, text);
		}
		if (ranks != r->files) {
			snprintf(text, sizeof(text), "the reference has traces of %u ranks of %u",
				 r->files, ranks);
			note(r, text);
		}
	}
}

static int open_files(struct trace_index *r, const char *dir, struct err *err)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	int rc = 0;

	if (!d && errno == ENOTDIR)
		return err_set(err, "%s is a file: a directory with traces is needed", dir);
	if (!d)
		return err_set(err, "%s: %s", dir, strerror(errno));
	while (!rc && (e = readdir(d)))
		rc = take_name(r, dir, e->d_name, err);
	closedir(d);
	return rc;
}

static int open_all(struct trace_index *r, const char *dir, struct err *err)
{
	bool text = !has_native(dir) && trace_index_text(dir);

	if (text ? trace_index_texts(dir, take_text, r, err) : open_files(r, dir, err))
		return -1;
	if (!r->files)
		return err_set(err, "%s has no trace (trace.0.bin …)", dir);
	qsort(r->file, r->files, sizeof(*r->file), by_rank);
	settle(r);
	r->idents = object_ids_create(r->files);
	return r->idents ? 0 : err_set(err, "out of memory");
}

/* Without them small numbers are judged as those of their own size are. */
static void load_scales(struct trace_index *r, const char *dir)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/" SUM_SCALES_FILE, dir) < (int)sizeof(path))
		sum_scales_load(&r->scales, path);
}

struct trace_index *trace_index_open(const char *dir, size_t memory, struct err *err)
{
	struct trace_index *r = calloc(1, sizeof(*r));

	if (!r) {
		err_set(err, "out of memory");
		return NULL;
	}
	r->limit = memory ? memory : TRACE_REF_MEMORY;
	r->segs.older = r->segs.newer = &r->segs;
	r->streams.older = r->streams.newer = &r->streams;
	if (!open_all(r, dir, err)) {
		load_scales(r, dir);
		return r;
	}
	trace_index_close(r);
	return NULL;
}

void trace_index_close(struct trace_index *r)
{
	if (!r)
		return;
	while (r->streams.newer != &r->streams)
		stream_close(r, (struct ref_stream *)r->streams.newer);
	while (r->segs.newer != &r->segs) {
		struct ref_seg *s = (struct ref_seg *)r->segs.newer;

		seg_detach(r, s);
		seg_free(s);
	}
	for (uint32_t f = 0; f < r->files; f++) {
		for (size_t i = 0; r->file[f].block && i < r->file[f].n; i++)
			if (r->file[f].block[i])
				block_free(r->file[f].block[i]);
		free(r->file[f].block);
		trace_reader_close(r->file[f].map);
	}
	free(r->file);
	object_ids_destroy(r->idents);
	sum_scales_clear(&r->scales);
	free(r);
}

uint32_t trace_index_files(const struct trace_index *r)
{
	return r->files;
}

const struct trace_reader *trace_index_map(const struct trace_index *r, uint32_t file)
{
	return file < r->files ? r->file[file].map : NULL;
}

bool trace_index_whole(const struct trace_index *r)
{
	return r->whole && !r->damaged;
}

bool trace_index_damaged(const struct trace_index *r)
{
	return r->damaged || trace_index_no_memory(r);
}

bool trace_index_no_memory(const struct trace_index *r)
{
	return r->no_memory || object_ids_failed(r->idents);
}

const char *trace_index_note(const struct trace_index *r)
{
	return r->damaged && !*r->note ? "blocks of the reference are damaged" : r->note;
}

uint64_t trace_index_decoded(const struct trace_index *r)
{
	return r->decoded;
}

size_t trace_index_held(const struct trace_index *r)
{
	return r->held;
}
