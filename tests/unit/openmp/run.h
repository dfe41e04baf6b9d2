/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short runs with OpenMP that are made note by note. */
#ifndef TESTS_UNIT_OPENMP_RUN_H
#define TESTS_UNIT_OPENMP_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "common/openmp/openmp.h"

#define MEMORY 0x10000u
#define SITES 6
#define THREADS 3

/* A process with an array u of 16 doubles. */
struct run {
	struct openmp *e;
	struct trace_block block[THREADS];
	struct trace_object object;
	struct trace_site site[SITES];
	struct trace_cursor at;
};

static inline void begin_with(struct run *r, const struct openmp_options *o)
{
	struct array_desc *a = &r->object.desc;

	*r = (struct run){ .e = openmp_create(o) };
	assert_non_null(r->e);
	*a = (struct array_desc){ .name = (char *)"u",
				  .file = (char *)"f.c",
				  .type = VALUE_DOUBLE,
				  .order = 'C',
				  .elem_size = 8,
				  .addr = MEMORY,
				  .ndim = 1 };
	a->extent[0] = 16;
	a->own_hi[0] = 15;
	a->stride[0] = 1;
	r->object.version = 1;
	for (uint32_t i = 0; i < SITES; i++)
		r->site[i].place =
			(struct place){ .file = "f.c", .line = i + 1, .func = "", .module = "" };
	for (uint32_t i = 0; i < THREADS; i++) {
		r->block[i] = (struct trace_block){
			.object = &r->object, .nobject = 1, .site = r->site, .nsite = SITES
		};
		r->block[i].info.thread = i;
	}
}

static inline void begin(struct run *r)
{
	begin_with(r, &(struct openmp_options){ 0 });
}

static inline void put(struct run *r, unsigned thread, struct trace_rec rec)
{
	struct err err = { "" };

	r->at.block = &r->block[thread];
	assert_int_equal(openmp_reader.block(r->e, &r->block[thread], &err), 0);
	assert_int_equal(openmp_reader.record(r->e, &rec, &r->at, &err), 0);
}

/* The thread does all of that, with semicolons between. */
static inline void does(struct run *r, unsigned thread, const char *text)
{
	char all[300], *save = NULL;

	snprintf(all, sizeof(all), "%s", text);
	for (char *p = strtok_r(all, ";", &save); p; p = strtok_r(NULL, ";", &save))
		put(r, thread,
		    (struct trace_rec){ .op = TRACE_NOTE,
					.kind = TRACE_NOTE_OPENMP,
					.bytes = (const unsigned char *)p,
					.nbytes = (uint32_t)strlen(p) });
}

/* Element i of u, at the line. */
static inline void touch(struct run *r, unsigned thread, unsigned op, uint64_t i, uint32_t line)
{
	put(r, thread,
	    (struct trace_rec){ .op = (uint8_t)op, .size = 8, .site = line - 1, .at = i * 8 });
}

static inline void writes(struct run *r, unsigned thread, uint32_t line)
{
	touch(r, thread, TRACE_WRITE, 3, line);
}

static inline void reads(struct run *r, unsigned thread, uint32_t line)
{
	touch(r, thread, TRACE_READ, 3, line);
}

/* An address of no object. */
static inline void writes_at(struct run *r, unsigned thread, uint64_t addr, uint32_t line)
{
	put(r, thread,
	    (struct trace_rec){ .op = TRACE_WRITE,
				.size = 8,
				.site = line - 1,
				.object = TRACE_NOWHERE,
				.at = addr });
}

/* Thread t is number t of the region 1, with task 10 + t. */
static inline void team(struct run *r, unsigned threads)
{
	char text[80];

	does(r, 0, "T 700000 7fffff 0 0");
	does(r, 1, "T 800000 8fffff 0 0");
	does(r, 2, "T 900000 9fffff 0 0");
	does(r, 0, "P 1 2 0");
	for (unsigned t = 0; t < threads; t++) {
		snprintf(text, sizeof(text), "I %u 1 1 0 %u %u %x", 10 + t, t, threads,
			 0x780000 + 0x100000 * t);
		does(r, t, text);
	}
}

/* Ends the run: how many pairs there are; text: "1w-2r 3w-3w", of their lines. */
static inline unsigned pairs(struct run *r, char text[200])
{
	struct trace_findings *l;
	struct err err = { "" };
	size_t n = 0;
	unsigned all;

	assert_int_equal(openmp_reader.end(r->e, true, &err), 0);
	l = openmp_reader.findings(r->e);
	all = (unsigned)l->n;
	*text = '\0';
	for (size_t i = 0; i < l->n; i++) {
		struct trace_finding f;

		assert_int_equal(trace_findings_get(l, i, &f), 0);
		assert_int_equal(f.kind, FINDING_RACE);
		n += (size_t)snprintf(text + n, 200 - n, "%s%u%c-%u%c", n ? " " : "",
				      f.spot.place.line, f.write ? 'w' : 'r', f.ref_spot.place.line,
				      f.operand[0].write ? 'w' : 'r');
	}
	openmp_reader.destroy(r->e);
	return all;
}

static inline void expect(struct run *r, const char *wanted)
{
	char text[200];

	pairs(r, text);
	assert_string_equal(text, wanted);
}

#endif
