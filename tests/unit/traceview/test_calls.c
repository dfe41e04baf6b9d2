/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system trace: calls as records, rows of a time line, what was called when, totals. */
#include "frontend/traceview/traceview.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/core/err.h"
#include "common/trace/call.h"
#include "common/trace/encode.h"
#include "common/tracefile/tracefile.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/util/loop.h"

#define BASE UINT64_C(1700000000000000000)

static char top[] = "/tmp/test-calls-XXXXXX";

static void put(struct trace_enc *e, const char *name, uint64_t begin, uint64_t ns, int64_t to,
		int64_t bytes)
{
	struct trace_call c = { .begin = BASE + begin, .ns = ns };

	c.text[TRACE_CALL_NAME] = name;
	if (to != -9) {
		trace_call_set(&c, TRACE_CALL_TO, to);
		trace_call_set(&c, TRACE_CALL_TAG, 7);
	}
	if (bytes) {
		trace_call_set(&c, TRACE_CALL_COUNT, bytes / 8);
		trace_call_set(&c, TRACE_CALL_BYTES, bytes);
		c.text[TRACE_CALL_TYPE] = "MPI_DOUBLE";
	}
	assert_true(trace_enc_call(e, 0x1000, &c));
}

/* Rank 0: 0 … 100 init, 200 … 300 send, 390 … 400 barrier; rank 1 the first and the last. */
static void make(uint32_t rank)
{
	static uint64_t mem[TRACE_BLOCK_LEAST / 8];
	const struct trace_start start = { .rank = rank };
	struct trace_meta meta = { .rank = rank, .ranks = 2, .level = 1, .program = "p",
				   .build_id = "", .version = "1", .origin = "" };
	struct trace_enc *e = calloc(1, sizeof(*e));
	struct err err = { "" };
	struct trace_writer *w;
	struct trace_block b;
	char path[300];

	trace_enc_open(e, mem, sizeof(mem), &start);
	put(e, "MPI_Init", rank ? 10 : 0, 100, -9, 0);
	if (!rank) {
		put(e, "MPI_Send", 200, 100, 1, 80);
		put(e, "MPI_Send", 310, 0, -2, 80);
	}
	put(e, "MPI_Barrier", 390, 10, -9, 0);
	trace_enc_close(e);
	free(e);
	assert_int_equal(trace_block_from_raw(&b, mem, sizeof(mem), NULL, &err), 0);
	assert_int_equal(b.info.count[TRACE_CALL], rank ? 2 : 4);
	snprintf(path, sizeof(path), "%s/trace.%u.bin", top, rank);
	w = trace_writer_create(path, &meta, &err);
	assert_non_null(w);
	assert_int_equal(trace_writer_put(w, &b, &err), 0);
	assert_int_equal(trace_writer_close(w, true, &err), 0);
	trace_block_clear(&b);
}

static int setup(void **state)
{
	if (!mkdtemp(top))
		return -1;
	make(0);
	make(1);
	return 0;
}

static int teardown(void **state)
{
	char path[300];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/trace.%u.bin", top, i);
		unlink(path);
	}
	return rmdir(top);
}

static void load(struct trace_files *f, struct traceview_calls *c)
{
	struct err err = { "" };

	if (trace_files_open(f, top, &err) || traceview_calls_load(c, f, &err))
		fail_msg("%s", err.text);
}

static void test_row(void **state)
{
	struct traceview_calls c;
	struct trace_files f;
	uint8_t kind[41];
	char row[41];

	load(&f, &c);
	assert_int_equal(c.nrank, 2);
	assert_int_equal(c.rank[0].n, 4);
	assert_true(c.first == BASE && c.last == BASE + 400);
	traceview_row(&c, &c.rank[0], c.first, c.last, 8, row, kind);
	assert_string_equal(row, "MM..SSsb");
	assert_int_equal(kind[0], TRACEVIEW_INIT);
	assert_int_equal(kind[2], TRACEVIEW_KINDS);
	assert_int_equal(kind[7], TRACEVIEW_BARRIER);
	traceview_row(&c, &c.rank[1], c.first, c.last, 4, row, NULL);
	assert_string_equal(row, "Mm.b");
	/* a part of it, that begins inside of a call */
	traceview_row(&c, &c.rank[0], c.first + 250, c.first + 350, 10, row, NULL);
	assert_string_equal(row, "SSSSS.s...");
	traceview_calls_clear(&c);
	trace_files_close(&f);
}

static void test_at(void **state)
{
	const struct traceview_call *x;
	struct traceview_calls c;
	struct trace_files f;

	load(&f, &c);
	x = traceview_call_at(&c.rank[0], BASE + 150, BASE + 250);
	assert_non_null(x);
	assert_string_equal(c.name[x->name].text, "MPI_Send");
	assert_true(x->begin == BASE + 200 && x->bytes == 80);
	assert_null(traceview_call_at(&c.rank[0], BASE + 120, BASE + 200));
	assert_non_null(traceview_call_at(&c.rank[0], BASE + 305, BASE + 315));
	x = traceview_call_next(&c.rank[0], BASE + 200, 1);
	assert_true(x && x->begin == BASE + 310 && !x->bytes);
	x = traceview_call_next(&c.rank[0], BASE + 200, -1);
	assert_true(x && x->begin == BASE);
	assert_null(traceview_call_next(&c.rank[0], BASE, -1));
	assert_null(traceview_call_next(&c.rank[0], BASE + 390, 1));
	traceview_calls_clear(&c);
	trace_files_close(&f);
}

static void test_totals(void **state)
{
	struct traceview_calls c;
	struct trace_files f;
	json_t *o, *t;

	load(&f, &c);
	o = traceview_calls_json(&c);
	assert_int_equal(json_array_size(json_object_get(o, "list")), 3);
	t = json_array_get(json_object_get(o, "list"), 0);
	assert_string_equal(json_string_value(json_object_get(t, "call")), "MPI_Init");
	assert_int_equal(json_integer_value(json_object_get(t, "calls")), 2);
	t = json_array_get(json_object_get(o, "list"), 1);
	assert_string_equal(json_string_value(json_object_get(t, "call")), "MPI_Send");
	assert_int_equal(json_integer_value(json_object_get(t, "bytes")), 80);
	assert_int_equal(json_integer_value(json_object_get(t, "calls")), 2);
	t = json_array_get(json_object_get(o, "ranks"), 1);
	assert_int_equal(json_integer_value(json_object_get(t, "calls")), 2);
	assert_int_equal(json_array_size(json_object_get(t, "calls_of")), 2);
	json_decref(o);
	traceview_calls_clear(&c);
	trace_files_close(&f);
}

static void test_text(void **state)
{
	unsigned char bytes[TRACE_CALL_ROOM];
	struct trace_call c = { .have = 0 }, back;
	char text[300];
	size_t n;

	c.text[TRACE_CALL_NAME] = "MPI_Recv";
	c.text[TRACE_CALL_COMM] = "twin";
	c.text[TRACE_CALL_TYPE] = "MPI_INT";
	trace_call_set(&c, TRACE_CALL_FROM, -1);
	trace_call_set(&c, TRACE_CALL_FROM_TAG, -1);
	trace_call_set(&c, TRACE_CALL_GOT, 3);
	trace_call_set(&c, TRACE_CALL_GOT_TAG, 0);
	trace_call_set(&c, TRACE_CALL_COUNT, 2);
	trace_call_set(&c, TRACE_CALL_BYTES, 8);
	trace_call_set(&c, TRACE_CALL_SIZE, 4);
	trace_call_set(&c, TRACE_CALL_ERROR, INT64_MIN);
	n = trace_call_put(bytes, &c);
	assert_true(trace_call_get(&back, bytes, n));
	traceview_call_text(&back, text, sizeof(text));
	assert_string_equal(text,
			    "MPI_Recv from any tag any got from 3 tag 0, 2 MPI_INT (8 bytes), "
			    "twin of 4, error -9223372036854775808");
	/* cut anywhere it is none */
	for (size_t cut = 0; cut < n; cut++)
		assert_false(trace_call_get(&back, bytes, cut));
}

static void test_kinds(void **state)
{
	static const struct {
		const char *name;
		unsigned kind;
	} cases[] = { { "MPI_Isend", TRACEVIEW_POST },	     { "MPI_Iallreduce", TRACEVIEW_POST },
		      { "MPI_Waitall", TRACEVIEW_WAIT },     { "MPI_Bcast", TRACEVIEW_FROM },
		      { "MPI_Reduce", TRACEVIEW_TO },	     { "MPI_Allreduce", TRACEVIEW_ALL },
		      { "MPI_Win_fence", TRACEVIEW_WINDOW }, { "MPI_Get", TRACEVIEW_WINDOW },
		      { "MPI_File_sync", TRACEVIEW_FILE },   { "MPI_Comm_dup", TRACEVIEW_MAKE },
		      { "MPI_Comm_set_name", TRACEVIEW_MAKE }, { "MPI_Iprobe", TRACEVIEW_TEST },
		      { "nothing", TRACEVIEW_OTHER } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(traceview_kind_of(cases[i].name), cases[i].kind);
	for (unsigned i = 0; i < TRACEVIEW_KINDS; i++)
		for (unsigned k = 0; k < i; k++)
			assert_true(traceview_kind_letter(i) != traceview_kind_letter(k));
}

/* Answers of two ranks; -mpi and -call choose. */
static void test_answers(void **state)
{
	struct trace_want w = { .calls = true, .call = "send" };
	struct loop *loop = loop_create(NULL);
	struct rankset none = { 0 };
	struct err err = { "" };
	struct session *s;
	struct trace_files f;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct out *o = out_create(out, false);

	s = session_create(loop, o);
	assert_int_equal(trace_files_open(&f, top, &err), 0);
	assert_int_equal(traceview_timeline(s, &f, &none, 0, 0, 8, &err), 0);
	assert_int_equal(traceview_show(s, &f, &w, &err), 0);
	fflush(out);
	assert_non_null(strstr(text, "\"rank\":0,\"row\":\"MM..SSsb\""));
	assert_non_null(strstr(text, "\"rank\":1,\"row\":\"MMm....b\""));
	assert_non_null(strstr(text, "\"cell\":\"50 ns\""));
	assert_non_null(strstr(text, "\"text\":\"MPI_Send to 1 tag 7, 10 MPI_DOUBLE (80 bytes)\""));
	assert_non_null(strstr(text, "to MPI_PROC_NULL tag 7"));
	assert_null(strstr(text, "MPI_Barrier"));
	trace_files_close(&f);
	session_destroy(s);
	out_destroy(o);
	loop_destroy(loop);
	fclose(out);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_row),    cmocka_unit_test(test_at),
		cmocka_unit_test(test_totals), cmocka_unit_test(test_text),
		cmocka_unit_test(test_kinds),  cmocka_unit_test(test_answers)
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
