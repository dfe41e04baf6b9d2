/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text traces: what comments of ours keep, from text to trace and back.
 */
#include "common/dvmtext/dvmtext.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/core/err.h"
#include "common/tracefile/tracefile.h"
#include "tests/unit/trace_help.h"

static char top[] = "/tmp/test-trace-back-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[4][300];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[0]), "%s/%s", top, name);
	return path[turn];
}

static void write_text(const char *path, const char *head, const char *body)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	fprintf(f,
		"# Begin trace header. Don't modify these records\nMODE = FULL\nCPU_COUNT = 2\n");
	fprintf(f, "%s%s", head, body);
	fclose(f);
}

static void import(const char *from, const char *to)
{
	struct err err = { "" };

	if (dvmtext_import(from, to, 1, NULL, &err))
		fail_msg("%s", err.text);
}

static char *exported(const char *from)
{
	struct err err = { "" };
	struct trace_reader *m = trace_reader_open(from, &err);
	FILE *f = fopen(path_of("out.txt"), "wb");

	if (!m || dvmtext_export(m, f, "out.txt", NULL, &err))
		fail_msg("%s", err.text);
	fclose(f);
	trace_reader_close(m);
	return trace_help_text(path_of("out.txt"));
}

static struct trace_rec rec;

static void next(struct trace_cursor *c, unsigned op)
{
	do
		assert_int_equal(trace_block_next(c, &rec), 1);
	while (rec.op == TRACE_BEFORE);
	assert_int_equal(rec.op, op);
}

/* What the format has no place for, and ours puts into comments, comes back. */
static void test_back(void **state)
{
	static const char notes[] =
		"ARR: \"A\" (4) [2] {\"b.c\", 3, 0, 1} =  # , (0:0,9,1), (1:-1,7,1)\n"
		"ARR: \"r\" (4) [1] {\"b.c\", 4, 0, 0} =  # , (0:1,5,1)\n"
		"PL: 1() [2] {\"b.c\", 7} =  # , (0:0,9,1), (1:6,0,-2)\nEL: 1\nEND_HEADER\n"
		"# End trace header\n\n";
	static const char body[] = "PL: 1() [2]; {\"b.c\", 7}, 1.B\n"
				   "  IT: 32, (4,4)\n"
				   "  BW: [4] \"A[4][4]\"; {\"b.c\", 8}\n"
				   "  AW: [4] \"A[4][4]\" = 0.5; {\"b.c\", 8}\n"
				   "  # END_ITERATION\n"
				   "  RD: [4] \"r[2]\" = 0.25; {\"b.c\", 9}\n"
				   "EL: 1; {\"b.c\", 9}, 1.E\nEND_TRACE\n";
	struct trace_reader *m;
	struct trace_cursor *c;
	struct trace_block *b;
	char *text;

	write_text(path_of("back.txt"), notes, body);
	import(path_of("back.txt"), path_of("back.bin"));
	m = trace_reader_open(path_of("back.bin"), NULL);
	b = trace_reader_block(m, 0, NULL);
	c = trace_cursor_open(b);
	next(c, TRACE_BEGIN);
	assert_int_equal(rec.nidx, 2);
	assert_int_equal(rec.index[1], 6);
	assert_int_equal(rec.last[0], 9);
	assert_int_equal(rec.step[1], -2);
	next(c, TRACE_ITER);
	next(c, TRACE_WRITE);
	assert_int_equal(b->object[rec.object].desc.kind, ARRAY_DISTRIBUTED);
	assert_int_equal(b->object[rec.object].desc.lower[1], -1);
	assert_int_equal(b->object[rec.object].desc.extent[0], 10);
	assert_int_equal(b->object[rec.object].desc.extent[1], 9);
	assert_int_equal(rec.at, (4 * 9 + 5) * 8);
	next(c, TRACE_ITER);
	assert_int_equal(rec.nidx, 0);
	assert_int_equal(c->frame[0].nidx, 0);
	next(c, TRACE_READ);
	assert_int_equal(b->object[rec.object].desc.kind, ARRAY_REPLICATED);
	next(c, TRACE_END);
	trace_cursor_free(c);
	trace_block_free(b);
	trace_reader_close(m);
	text = exported(path_of("back.bin"));
	assert_non_null(strstr(text, notes));
	assert_non_null(strstr(text, body));
	free(text);
}

/* Where nothing can be used of a note, it is as if it was not there. */
static void test_part_of_shape(void **state)
{
	static const char head[] = "ARR: \"A\" (4) [2] {\"b.c\", 3, 0, 1} =  # , (0:0,9,1)\n"
				   "ARR: \"B\" (4) [1] {\"b.c\", 3, 0, 1} =  # , (0:9,0,1)\n"
				   "ARR: \"C\" (4) [1] {\"b.c\", 3, 0, 1} = FULL\nEND_HEADER\n";
	static const char body[] = "RD: [4] \"A[4][4]\" = 0.25; {\"b.c\", 9}\n"
				   "RD: [4] \"B[4]\" = 0.25; {\"b.c\", 9}\n"
				   "RD: [4] \"C[4]\" = 0.25; {\"b.c\", 9}\nEND_TRACE\n";
	struct trace_reader *m;
	struct trace_cursor *c;
	struct trace_block *b;

	write_text(path_of("part.txt"), head, body);
	import(path_of("part.txt"), path_of("part.bin"));
	m = trace_reader_open(path_of("part.bin"), NULL);
	b = trace_reader_block(m, 0, NULL);
	c = trace_cursor_open(b);
	for (unsigned i = 0; i < 3; i++) {
		next(c, TRACE_READ);
		assert_int_equal(b->object[rec.object].desc.extent[0], 1);
		assert_int_equal(b->object[rec.object].desc.lower[0], 4);
		/* before the first construct nothing has been passed */
		assert_int_equal(rec.point.main, 0);
	}
	trace_cursor_free(c);
	trace_block_free(b);
	trace_reader_close(m);
}

static void refused(const char *head, const char *words)
{
	struct err err = { "" };

	write_text(path_of("bad.txt"), head, "END_HEADER\nEND_TRACE\n");
	assert_int_equal(dvmtext_import(path_of("bad.txt"), path_of("bad.bin"), 0, NULL, &err), -1);
	if (!strstr(err.text, words))
		fail_msg("'%s' does not say '%s'", err.text, words);
}

static void test_bad_shapes(void **state)
{
	refused("ARR: \"A\" (4) [1] {\"b.c\", 3, 0, 1} =  # , (1:0,9,1)\n",
		"bad.txt:4:51: dimension 1, and the array has 1, from 0");
	refused("ARR: \"A\" (4) [1] {\"b.c\", 3, 0, 1} =  # , (0:0,9,0)\n", "a step of 0");
	refused("ARR: \"A\" (4) [1] {\"b.c\", 3, 0, 1} =  # , 0:0\n",
		"expected a range as (dim:first,last,step)");
	refused("ARR: \"A\" (4) [1] {\"b.c\", 3, 0, 1} = , (0:0,9,1)\n", "expected a level: ");
}

static int make_top(void **state)
{
	return mkdtemp(top) ? 0 : -1;
}

static int remove_top(void **state)
{
	static const char *const names[] = { "back.txt", "back.bin", "out.txt",
					     "part.txt", "part.bin", "bad.txt" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(path_of(names[i]));
	return rmdir(top);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_back),
		cmocka_unit_test(test_part_of_shape),
		cmocka_unit_test(test_bad_shapes),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
