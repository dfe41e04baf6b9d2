/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/page/page.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "common/logical/construct.h"
#include "runtime/exec/sys/clock.h"

/* What the seqlock protects, copied. */
struct snapshot {
	uint32_t depth;
	uint64_t main_side, task_sub;
	struct page_frame frame[PAGE_FRAMES];
};

/* A copy that is made now and once, whatever the compiler would like better. */
static void copy_in(void *dst, const void *src, size_t len)
{
	memcpy(dst, src, len);
	__asm__ volatile("" ::: "memory");
}

int page_read_init(struct page_read *r, struct page *page)
{
	r->page = page;
	r->used = 0;
	r->text = malloc(PAGE_READ_TEXT);
	return r->text ? 0 : -1;
}

void page_read_clear(struct page_read *r)
{
	free(r->text);
	*r = (struct page_read){ 0 };
}

void page_read_reset(struct page_read *r)
{
	r->used = 0;
}

unsigned page_read_state(const struct page_read *r)
{
	unsigned s = atomic_load(&r->page->state);

	return s <= PAGE_OFF ? s : PAGE_FRESH;
}

unsigned page_read_mpi(const struct page_read *r)
{
	unsigned s = atomic_load(&r->page->mpi);

	/* with nothing preloaded nobody says when MPI is up */
	if (s == MPI_STATE_NONE && r->page->kept)
		return MPI_STATE_UP;
	return s <= MPI_STATE_DOWN ? s : MPI_STATE_NONE;
}

bool page_read_arena(const struct page_read *r, uint32_t off, void *out, size_t len)
{
	if (off == 0 || off >= PAGE_ARENA || len > PAGE_ARENA - off)
		return false;
	copy_in(out, r->page->arena + off, len);
	return true;
}

/* Copies text, which ends at its NUL or after max bytes, to where reports can point to. */
static const char *text_keep(struct page_read *r, const unsigned char *text, size_t max)
{
	const volatile unsigned char *from = text;
	char *to = r->text + r->used;
	size_t room = PAGE_READ_TEXT - r->used, n = 0;

	if (max > PAGE_READ_STRING - 1)
		max = PAGE_READ_STRING - 1;
	if (room <= max)
		return "";
	for (; n < max; n++) {
		unsigned char c = from[n];

		if (!c)
			break;
		to[n] = c < ' ' || c == 0x7f ? '?' : (char)c;
	}
	to[n] = '\0';
	r->used += n + 1;
	return to;
}

const char *page_read_string(struct page_read *r, uint32_t off)
{
	if (off == 0 || off >= PAGE_ARENA)
		return "";
	return text_keep(r, r->page->arena + off, PAGE_ARENA - off);
}

const char *page_read_text(struct page_read *r, const char *at, size_t room)
{
	return text_keep(r, (const unsigned char *)at, room);
}

unsigned page_read_place(struct page_read *r, uint32_t off, struct place *out)
{
	struct page_loc loc;

	*out = (struct place){ .file = "", .func = "", .module = "" };
	if (!page_read_arena(r, off, &loc, sizeof(loc)))
		return CONSTRUCT_KINDS;
	out->file = page_read_string(r, loc.file);
	out->func = page_read_string(r, loc.func);
	out->line = loc.line;
	if (!*out->file) {
		out->module = page_read_string(r, loc.module);
		out->vaddr = loc.vaddr;
	}
	return loc.kind < CONSTRUCT_KINDS ? loc.kind : CONSTRUCT_KINDS;
}

/*
 * One look at what the seqlock protects, tried until it is whole. A program that died or was
 * stopped while it wrote leaves it odd for ever: then what is there is taken as it is.
 */
static void snapshot_take(const struct page_read *r, struct snapshot *s, size_t frames)
{
	int64_t until = 0; /* where many want the processor, each turn of theirs takes a while */
	struct page *p = r->page;
	size_t n;

	for (int i = 0; i < PAGE_READ_TRIES; i++) {
		uint32_t before = atomic_load_explicit(&p->stack_seq, memory_order_acquire);

		copy_in(&s->depth, &p->depth, sizeof(s->depth));
		s->main_side = atomic_load_explicit(&p->point_main_side, memory_order_relaxed);
		s->task_sub = atomic_load_explicit(&p->point_task_sub, memory_order_relaxed);
		n = s->depth < frames ? s->depth : frames;
		copy_in(s->frame, p->frame, n * sizeof(s->frame[0]));
		atomic_thread_fence(memory_order_acquire);
		if (!(before & 1) &&
		    before == atomic_load_explicit(&p->stack_seq, memory_order_relaxed))
			return;
		if (i % 16 != 15)
			continue;
		if (!until)
			until = clock_msec() + PAGE_READ_MS;
		else if (clock_msec() > until)
			return;
		sched_yield();
	}
}

static struct point snapshot_point(const struct snapshot *s)
{
	uint64_t main = s->main_side >> 1;

	if (main > UINT32_MAX)
		return (struct point){ 0 };
	return point_clean((uint32_t)main, (uint32_t)(s->task_sub >> 32), (uint32_t)s->task_sub,
			   s->main_side & 1);
}

struct point page_read_point(const struct page_read *r)
{
	struct snapshot s;

	snapshot_take(r, &s, 0);
	return snapshot_point(&s);
}

uint32_t page_read_ranks(const struct page_read *r)
{
	uint32_t n;

	copy_in(&n, &r->page->size, sizeof(n));
	return n;
}

uint32_t page_read_age(const struct page_read *r)
{
	uint64_t now = (uint64_t)clock_usec(), then = atomic_load(&r->page->point_usec);
	uint64_t start;

	copy_in(&start, &r->page->start_usec, sizeof(start));
	if (!then)
		then = start;
	if (!then || then > now || now - then > (uint64_t)UINT32_MAX * 1000000)
		return 0;
	return (uint32_t)((now - then) / 1000000);
}

void page_read_hash(const struct page_read *r, uint32_t *n, uint64_t *hash)
{
	struct page *p = r->page;

	for (int i = 0; i < PAGE_READ_TRIES; i++) {
		uint32_t before = atomic_load(&p->stack_seq);

		*n = atomic_load(&p->hash_n);
		*hash = atomic_load(&p->hash);
		if (!(before & 1) && atomic_load(&p->stack_seq) == before)
			return;
	}
}

/* false: f is no frame. */
static bool frame_read(struct page_read *r, const struct page_frame *f, struct report_frame *out)
{
	memset(out, 0, sizeof(*out));
	if (f->kind >= CONSTRUCT_KINDS)
		return false;
	out->kind = f->kind;
	out->nidx = f->nidx <= ARRAY_DIMS ? f->nidx : ARRAY_DIMS;
	memcpy(out->idx, f->idx, out->nidx * sizeof(out->idx[0]));
	out->ending = f->ending != 0;
	if (construct_numbered(f->kind))
		out->point = point_clean(f->main, f->task, f->sub, f->ending);
	page_read_place(r, f->loc, &out->place);
	return true;
}

static void frame_none(struct report_frame *out)
{
	memset(out, 0, sizeof(*out));
	out->kind = CONSTRUCT_KINDS;
	out->place = (struct place){ .file = "", .func = "", .module = "" };
}

static void snapshot_innermost(struct page_read *r, const struct snapshot *s,
			       struct report_frame *out)
{
	uint32_t n = s->depth < PAGE_FRAMES ? s->depth : PAGE_FRAMES;

	if (n == 0 || !frame_read(r, &s->frame[n - 1], out))
		frame_none(out);
}

static void snapshot_stack(struct page_read *r, const struct snapshot *s, struct report_stack *out)
{
	uint32_t n = s->depth < PAGE_FRAMES ? s->depth : PAGE_FRAMES;

	out->n = 0;
	out->lost = s->depth - n;
	for (uint32_t i = 0; i < n; i++)
		if (frame_read(r, &s->frame[i], &out->frame[out->n]))
			out->n++;
}

void page_read_stack(struct page_read *r, struct report_stack *out)
{
	struct snapshot s;

	snapshot_take(r, &s, PAGE_FRAMES);
	snapshot_stack(r, &s, out);
}

void page_read_innermost(struct page_read *r, struct report_frame *out)
{
	struct snapshot s;

	snapshot_take(r, &s, PAGE_FRAMES);
	snapshot_innermost(r, &s, out);
}

/* Ascending and without doubles, as the wire wants them. */
static void action_read(const struct page *p, struct report_stop *out)
{
	uint32_t act[REPORT_ACTS], n;

	_Static_assert(sizeof(act) == sizeof(p->act), "the page has room for all of them");
	copy_in(&n, &p->nact, sizeof(n));
	copy_in(act, p->act, sizeof(act));
	if (n > REPORT_ACTS)
		n = REPORT_ACTS;
	for (uint32_t i = 0; i < n; i++) {
		unsigned at = out->nact;

		while (at && out->act[at - 1] > act[i])
			at--;
		if (at && out->act[at - 1] == act[i])
			continue;
		memmove(&out->act[at + 1], &out->act[at], (out->nact - at) * sizeof(act[0]));
		out->act[at] = act[i];
		out->nact++;
	}
}

void page_read_stop(struct page_read *r, struct report_stop *out)
{
	const struct page *p = r->page;
	struct snapshot s;
	uint32_t reason, done;

	memset(out, 0, sizeof(*out));
	copy_in(&reason, &p->reason, sizeof(reason));
	copy_in(&done, &p->done, sizeof(done));
	out->done = done != 0;
	copy_in(&out->changed, &p->changed, sizeof(out->changed));
	copy_in(&out->code, &p->code, sizeof(out->code));
	copy_in(&out->fault, &p->fault, sizeof(out->fault));
	out->reason = reason < STOP_REASONS ? (uint8_t)reason : STOP_HALT;
	action_read(p, out);
	page_read_hash(r, &out->hash_n, &out->hash);
	snapshot_take(r, &s, PAGE_FRAMES);
	out->point = snapshot_point(&s);
	snapshot_innermost(r, &s, &out->frame);
}

void page_read_exit(struct page_read *r, struct report_exit *out)
{
	const struct page *p = r->page;
	struct snapshot s;
	uint32_t aborted;

	out->mpi = (uint8_t)page_read_mpi(r);
	out->had_runtime = page_read_state(r) != PAGE_FRESH;
	copy_in(&aborted, &p->aborted, sizeof(aborted));
	copy_in(&out->abort_code, &p->abort_code, sizeof(out->abort_code));
	out->aborted = aborted != 0;
	if (!out->aborted)
		out->abort_code = 0;
	page_read_hash(r, &out->hash_n, &out->hash);
	snapshot_take(r, &s, PAGE_FRAMES);
	out->point = snapshot_point(&s);
	snapshot_stack(r, &s, &out->stack);
}

uint32_t page_read_findings(const struct page_read *r)
{
	uint32_t n = atomic_load(&r->page->finding_n);

	return n < PAGE_FINDINGS ? n : PAGE_FINDINGS;
}

bool page_read_finding(struct page_read *r, uint32_t i, struct report_finding *out, uint64_t *pc)
{
	struct page_finding f;

	if (i >= page_read_findings(r))
		return false;
	copy_in(&f, &r->page->finding[i], sizeof(f));
	if (f.kind > FINDING_STORED)
		return false;
	memset(out, 0, sizeof(*out));
	out->kind = (uint8_t)f.kind;
	out->point = point_clean(f.point.main, f.point.task, f.point.sub, f.point.side);
	page_read_place(r, f.loc, &out->place);
	*pc = f.loc ? 0 : f.pc;
	out->detail = text_keep(r, (const unsigned char *)f.detail, sizeof(f.detail));
	return true;
}
