/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/taker.h"

#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/trace/decode.h"
#include "runtime/exec/page/page.h"

#define TEXT (8u << 20)

static char text_all[TEXT], text_some[TEXT];
static size_t used;

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	used += (size_t)vsnprintf(text_all + used, TEXT - used, fmt, ap);
	va_end(ap);
	assert_true(used < TEXT);
}

static void say_value(const struct trace_block *b, const struct trace_rec *r)
{
	const struct trace_object *o = r->object == TRACE_NOWHERE ? NULL : &b->object[r->object];
	double d;

	if (!o)
		say(" nobody");
	else
		say(" %s+%" PRIu64, o->desc.name, r->at);
	if (r->op == TRACE_VALUE || r->op == TRACE_REDUCTION) {
		if (r->hashed || r->nbytes != 8) {
			say("#%u", r->nbytes);
			return;
		}
		memcpy(&d, r->bytes, sizeof(d));
		say("=%g", d);
		return;
	}
	memcpy(&d, r->value, sizeof(d));
	if (r->size == 8)
		say("=%g", d);
	else
		say("=%" PRIu64 ":%u", r->value[0], r->size);
	say("%s", r->flags & TRACE_ATOMIC ? "!" : "");
}

static void say_indices(unsigned n, const int64_t *index)
{
	for (unsigned d = 0; d < n; d++)
		say("%c%" PRId64, d ? ',' : ' ', index[d]);
}

static void say_record(const struct trace_block *b, const struct trace_rec *r)
{
	char at[POINT_TEXT];

	point_format(&r->point, at);
	switch (r->op) {
	case TRACE_BEGIN:
		say("begin %s %s %u", at, construct_brief(r->kind), r->level);
		break;
	case TRACE_END:
		say("end %s %s%s ", at, construct_brief(r->kind), r->left ? " left" : "");
		say(r->value[0] == UINT64_MAX ? "-" : "%" PRIu64, r->value[0]);
		break;
	case TRACE_ITER:
		say("iter");
		say_indices(r->nidx, r->index);
		break;
	case TRACE_READ:
	case TRACE_WRITE:
		say("%s", r->op == TRACE_READ ? "read" : "write");
		say_value(b, r);
		break;
	case TRACE_VALUE:
		say("value");
		say_value(b, r);
		break;
	case TRACE_REDUCTION:
		say("reduction");
		say_value(b, r);
		say(" %u", r->kind);
		break;
	case TRACE_LOST:
		say("lost %" PRIu64, r->value[0]);
		break;
	}
	say("\n");
}

static void say_block(const struct trace_block *b)
{
	struct trace_cursor *c = trace_cursor_open(b);
	struct trace_rec r;
	int rc;

	assert_non_null(c);
	say("block %u", b->info.thread);
	for (uint32_t i = 0; i < b->nframe; i++) {
		say(" %s", construct_brief(b->frame[i].kind));
		for (unsigned d = 0; d < b->frame[i].nidx; d++)
			say("%c%" PRId64, d ? ',' : '(', b->frame[i].index[d]);
		say("%s", b->frame[i].nidx ? ")" : "");
	}
	say("\n");
	while ((rc = trace_block_next(c, &r)) > 0)
		say_record(b, &r);
	assert_int_equal(rc, 0);
	trace_cursor_free(c);
}

/* The block in that state with the lowest number, -1: none. */
static int first(unsigned state)
{
	uint64_t low = UINT64_MAX;
	int found = -1;

	for (int i = 0; i < PAGE_BLOCKS; i++) {
		const struct page_block *b = &s.p->trace.block[i];
		uint64_t n = atomic_load(state == PAGE_BLOCK_FULL ? &b->closed : &b->opened);

		if (atomic_load(&b->state) != state || n >= low)
			continue;
		low = n;
		found = i;
	}
	return found;
}

static void set_free(int i)
{
	atomic_store(&s.p->trace.block[i].state, PAGE_BLOCK_FREE);
	atomic_fetch_add(&s.p->wake, 1);
	syscall(SYS_futex, &s.p->wake, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static bool take(unsigned state)
{
	struct page_names *names;
	struct trace_block b;
	struct err err;
	size_t n = s.p->trace.block_bytes;
	int i = first(state);

	if (i < 0)
		return false;
	names = page_names_create(s.p);
	assert_non_null(names);
	if (trace_block_from_raw(&b, s.blocks + (size_t)i * n, n,
				 page_names_resolver(names, s.p->trace.block[i].opened), &err))
		fail_msg("%s", err.text);
	say_block(&b);
	trace_block_clear(&b);
	page_names_destroy(names);
	set_free(i);
	return true;
}

const char *taken(void)
{
	while (take(PAGE_BLOCK_FULL))
		;
	while (s.ended && take(PAGE_BLOCK_FILLING))
		;
	return text_all;
}

void taken_reset(void)
{
	used = 0;
	*text_all = '\0';
}

unsigned lines_like(const char *text)
{
	unsigned n = 0;

	for (const char *at = text_all; at && *at; at = strchr(at, '\n') + 1)
		n += !strncmp(at, text, strlen(text));
	return n;
}

static bool is_in(const char *words, const char *word, size_t len)
{
	for (const char *at = words; *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strcspn(at, " ") == len && !strncmp(at, word, len))
			return true;
	return false;
}

const char *only(const char *kinds)
{
	size_t n = 0;
	bool main = true;

	for (const char *at = text_all; *at; at = strchr(at, '\n') + 1) {
		size_t len = strcspn(at, "\n");

		if (!strncmp(at, "block ", 6))
			main = at[6] == '0';
		if (!main || !is_in(kinds, at, strcspn(at, " \n")))
			continue;
		if (n)
			text_some[n++] = '\n';
		memcpy(text_some + n, at, len);
		n += len;
	}
	text_some[n] = '\0';
	return text_some;
}

static pthread_t thread;
static _Atomic bool over;
static _Atomic uint64_t records;

static void *count_all(void *arg)
{
	while (!atomic_load(&over) || first(PAGE_BLOCK_FULL) >= 0) {
		int i = first(PAGE_BLOCK_FULL);

		if (i < 0) {
			usleep(100);
			continue;
		}
		atomic_fetch_add(&records, 1);
		set_free(i);
	}
	return arg;
}

void take_for_ever(void)
{
	atomic_store(&over, false);
	atomic_store(&records, 0);
	assert_int_equal(pthread_create(&thread, NULL, count_all, NULL), 0);
}

uint64_t take_ended(void)
{
	atomic_store(&over, true);
	pthread_join(thread, NULL);
	return atomic_load(&records);
}
