/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/dvmtext/dvmtext.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/trace_config.h"
#include "common/tracefile/tracefile.h"
#include "common/array/value.h"
#include "tests/unit/trace_help.h"

static char top[] = "/tmp/test-trace-text-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[4][300];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[0]), "%s/%s", top, name);
	return path[turn];
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void import(const char *from, const char *to, struct dvmtext_count *count)
{
	struct err err = { "" };

	if (dvmtext_import(from, to, 3, count, &err))
		fail_msg("%s", err.text);
}

static void export(const char *from, const char *to)
{
	struct err err = { "" };
	struct trace_reader *m = trace_reader_open(from, &err);
	FILE *f = fopen(to, "wb");

	if (!m || dvmtext_export(m, f, to, NULL, &err))
		fail_msg("%s", err.text);
	fclose(f);
	trace_reader_close(m);
}

/* A configuration file has nothing to import. */
static void test_no_records(void **state)
{
	struct err err = { "" };

	assert_int_equal(dvmtext_import(trace_help_data("small-config.trd"), path_of("c.bin"), 0,
					NULL, &err),
			 -1);
	assert_non_null(strstr(err.text, "has no records: it is a configuration file"));
	assert_int_equal(access(path_of("c.bin"), F_OK), -1);
	assert_int_equal(access(path_of("c.bin.partial"), F_OK), -1);
}

static struct trace_rec rec;

static void next(struct trace_cursor *c, unsigned op)
{
	do
		assert_int_equal(trace_block_next(c, &rec), 1);
	while (rec.op == TRACE_BEFORE && op != TRACE_BEFORE);
	assert_int_equal(rec.op, op);
}

static const char *operand(struct trace_cursor *c)
{
	static char out[100];

	return dvmtext_operand(c->block, &rec, out, sizeof(out));
}

static double value_of(void)
{
	double v;

	memcpy(&v, rec.value, 8);
	return v;
}

static void test_import(void **state)
{
	struct dvmtext_count count;
	struct trace_block *b;
	struct trace_cursor *c;
	struct trace_reader *m;
	const struct array_desc *a;

	import(trace_help_data("small.trd"), path_of("small.bin"), &count);
	assert_true(count.ended);
	assert_int_equal(count.unfinished, 0);
	assert_int_equal(count.lines, 86);
	assert_int_equal(count.count[TRACE_WRITE], 6);
	assert_int_equal(count.count[TRACE_READ], 12);
	assert_int_equal(count.count[TRACE_SUM], 2);
	assert_int_equal(count.head.nloop, 4);
	dvmtext_head_clear(&count.head);
	m = trace_reader_open(path_of("small.bin"), NULL);
	assert_true(trace_reader_complete(m));
	assert_int_equal(trace_reader_meta(m)->rank, 3);
	assert_int_equal(trace_reader_meta(m)->ranks, 1);
	assert_int_equal(trace_reader_meta(m)->level, TRACE_CONFIG_FULL);
	assert_int_equal(trace_reader_meta(m)->start.main, 1);
	assert_int_equal(trace_reader_meta(m)->finish.side, POINT_END);
	assert_string_equal(trace_reader_meta(m)->program, "./small");
	assert_string_equal(trace_reader_meta(m)->origin, trace_help_data("small.trd"));
	assert_int_equal(trace_reader_meta(m)->seconds, 1795224924);
	assert_int_equal(trace_reader_blocks(m), 1);
	b = trace_reader_block(m, 0, NULL);
	c = trace_cursor_open(b);
	next(c, TRACE_WRITE);
	assert_string_equal(operand(c), "EPS");
	assert_int_equal(b->object[rec.object].desc.kind, ARRAY_REPLICATED);
	assert_true(value_of() == 5e-8);
	assert_string_equal(b->site[rec.site].place.file, "small.c");
	assert_int_equal(b->site[rec.site].place.line, 13);
	next(c, TRACE_BEGIN);
	assert_int_equal(rec.nidx, 2);
	assert_true(rec.index[1] == 1 && rec.last[0] == 2 && rec.last[1] == 3);
	next(c, TRACE_ITER);
	next(c, TRACE_READ);
	next(c, TRACE_WRITE);
	assert_string_equal(operand(c), "A[1][1]");
	assert_true(value_of() == -1.5);
	a = &b->object[rec.object].desc;
	assert_int_equal(a->kind, ARRAY_DISTRIBUTED);
	assert_int_equal(a->line, 15);
	assert_true(a->extent[0] == 2 && a->extent[1] == 3 && a->lower[0] == 1);
	next(c, TRACE_ITER);
	next(c, TRACE_WRITE);
	assert_string_equal(operand(c), "A[1][3]");
	next(c, TRACE_ITER);
	next(c, TRACE_WRITE);
	assert_true(isnan(value_of()));
	next(c, TRACE_WRITE);
	assert_string_equal(operand(c), "F(-1,7)");
	assert_int_equal(rec.at, 4 * 2);
	assert_int_equal(rec.size, 4);
	next(c, TRACE_READ);
	assert_string_equal(operand(c), "F(0,6)");
	assert_int_equal(rec.at, 4 * 1);
	next(c, TRACE_READ);
	assert_int_equal(rec.value[0], 0xfd);
	next(c, TRACE_READ);
	assert_string_equal(operand(c), "B[i][j+1]");
	assert_int_equal(b->object[rec.object].desc.kind, ARRAY_DISTRIBUTED);
	assert_int_equal(rec.value[0], 0x80000000);
	trace_cursor_free(c);
	trace_block_free(b);
	trace_reader_close(m);
}

/* One process's part of a loop says nothing of the whole. */
static void test_part(void **state)
{
	char *text = trace_help_text(trace_help_data("small.trd"));
	struct trace_block *b;
	struct trace_cursor *c;
	struct trace_reader *m;

	memcpy(strstr(text, "CPU_COUNT = 1"), "CPU_COUNT = 2", strlen("CPU_COUNT = 2"));
	write_text(path_of("wrong"), text);
	import(path_of("wrong"), path_of("w.bin"), NULL);
	m = trace_reader_open(path_of("w.bin"), NULL);
	assert_int_equal(trace_reader_meta(m)->ranks, 2);
	b = trace_reader_block(m, 0, NULL);
	c = trace_cursor_open(b);
	next(c, TRACE_WRITE);
	next(c, TRACE_BEGIN);
	assert_int_equal(rec.nidx, 0);
	trace_cursor_free(c);
	trace_block_free(b);
	trace_reader_close(m);
	assert_int_equal(unlink(path_of("w.bin")), 0);
	free(text);
}

/* Its text without blanks, line by line. */
static char *comparable(const char *path)
{
	char *text = trace_help_text(path), *to = text;

	for (char *p = text; *p; p++)
		if (*p != ' ' && !(*p == '\n' && p[1] == '\n'))
			*to++ = *p;
	*to = '\0';
	return text;
}

/* Equal up to blanks. */
static void same_text(const char *one, const char *other)
{
	char *a = comparable(one), *b = comparable(other), *p = a, *q = b;

	while (*p && *p == *q)
		p++, q++;
	while (p > a && p[-1] != '\n')
		p--, q--;
	if (*p || *q)
		fail_msg("%s: %.80s\nnot %.80s", one, q, p);
	free(a);
	free(b);
}

static void test_export(void **state)
{
	char *text;

	import(trace_help_data("small.trd"), path_of("small.bin"), NULL);
	export(path_of("small.bin"), path_of("small.out"));
	same_text(trace_help_data("small.trd"), path_of("small.out"));
	text = trace_help_text(path_of("small.out"));
	assert_non_null(strstr(text, "TRACE_TIME = \"Sat Nov 21 01:35:24 2026\"\n"));
	assert_non_null(strstr(text, "\nMODE = FULL\n"));
	assert_non_null(strstr(text, "\nSTARTPOINT = 1.B\n"));
	free(text);
	/* and again the same */
	import(path_of("small.out"), path_of("again.bin"), NULL);
	export(path_of("again.bin"), path_of("again.out"));
	same_text(path_of("small.out"), path_of("again.out"));
}

/* Numbers that follow no rule, what the head does not say, a trace without its end. */
static void test_odd(void **state)
{
	struct dvmtext_count count;
	struct trace_reader *m;

	import(trace_help_data("odd.trd"), path_of("small.bin"), &count);
	assert_false(count.ended);
	assert_int_equal(count.unfinished, 1);
	assert_int_equal(count.count[TRACE_BEFORE], 5);
	assert_int_equal(count.count[TRACE_LOST], 1);
	dvmtext_head_clear(&count.head);
	m = trace_reader_open(path_of("small.bin"), NULL);
	assert_false(trace_reader_complete(m));
	trace_reader_close(m);
	export(path_of("small.bin"), path_of("small.out"));
	same_text(trace_help_data("odd.trd"), path_of("small.out"));
}

static int line_of(void *arg, const struct trace_site *s, const char **file, uint32_t *line)
{
	if (s->place.vaddr != 0x1000)
		return -1;
	*file = "found.c";
	*line = 17;
	return 0;
}

static const char *variable_of(void *arg, const struct trace_block *b, const struct trace_rec *r)
{
	return r->at == 0x7ffffffff000 ? "local" : NULL;
}

/* What a program recorded, with names from debug information and without. */
static void test_export_names(void **state)
{
	const struct dvmtext_names names = { .line = line_of, .variable = variable_of };
	struct trace_writer *f = trace_writer_create(path_of("own.bin"), &trace_help_meta, NULL);
	struct err err = { "" };
	struct trace_block b;
	struct trace_reader *m;
	char *text;
	FILE *out;

	trace_help_block(&b);
	b.info.thread = 0;
	assert_int_equal(trace_writer_put(f, &b, NULL), 0);
	assert_int_equal(trace_writer_close(f, true, NULL), 0);
	trace_block_clear(&b);
	m = trace_reader_open(path_of("own.bin"), NULL);
	out = fopen(path_of("own.out"), "wb");
	if (dvmtext_export(m, out, "own.out", &names, &err))
		fail_msg("%s", err.text);
	fclose(out);
	trace_reader_close(m);
	text = trace_help_text(path_of("own.out"));
	assert_non_null(strstr(text, "\nSL: 1() [1]; {\"main.c\", 20}\n  IT: -7, (-7)\n"));
	assert_non_null(strstr(text, "\n    PL: 3(2) [2]; {\"main.c\", 31}, 6.B\n"));
	assert_non_null(strstr(text, "\n      IT: 5, (1,-4)\n"));
	assert_non_null(
		strstr(text, "RD: [4] \"u[0][0]\" = 5.447603722011605E-270; {\"found.c\", 17}\n"));
	assert_non_null(strstr(text, "AW: [3] \"local\" = 1; {\"prog+0x1008\", 0}\n"));
	assert_non_null(strstr(text, "AW: [3] \"0x7fffffffeff0\" = -1; {\"prog+0x1008\", 0}\n"));
	assert_non_null(strstr(text, "RD: [0] \"malloc#4+63\" = -2; "));
	assert_non_null(strstr(text, "RV_RD: [3] \"f(2,1)\" = "));
	assert_non_null(strstr(text, "\n# NOTE: a note\n"));
	assert_non_null(strstr(text, "\n# VALUE: [1] \"n\" {\"main.c\", 2, 0} = 7\n"));
	free(text);
	import(path_of("own.out"), path_of("again.bin"), NULL);
}

/* A block of a thread in loop `main`: one iteration and one access; of thread 0 the whole loop. */
static void put_thread(struct trace_writer *f, uint32_t main, uint32_t thread)
{
	struct trace_enc *e = calloc(1, sizeof(*e));
	struct trace_opening o = { .kind = CONSTRUCT_PL, .place = 5, .point = { .main = main } };
	struct trace_frame frame = { .kind = CONSTRUCT_PL, .place = 5, .point = { .main = main } };
	struct trace_start start = { .thread = thread, .point = { main - 1, 0, 0, main > 1 } };
	void *mem = malloc(TRACE_BLOCK_LEAST);
	struct trace_block b;

	if (thread)
		start = (struct trace_start){
			.thread = thread, .point = frame.point, .frame = &frame, .nframe = 1
		};
	trace_enc_open(e, mem, TRACE_BLOCK_LEAST, &start);
	if (!thread)
		assert_true(trace_enc_begin(e, &o));
	assert_true(trace_enc_iter(e, 1, (int64_t[]){ thread }));
	assert_true(trace_enc_access(e, 0x1000, 8, 1, 48 + 8 * thread, "\0\0\0\0\0\0\0\100"));
	if (!thread)
		assert_true(trace_enc_end(e, CONSTRUCT_PL, &o.point, 6, false, 1));
	trace_enc_close(e);
	assert_int_equal(
		trace_block_from_raw(&b, mem, TRACE_BLOCK_LEAST, &trace_help_resolver, NULL), 0);
	assert_int_equal(trace_writer_put(f, &b, NULL), 0);
	trace_block_clear(&b);
	free(mem);
	free(e);
}

/* The iterations of other threads stand inside the loop that they are of. */
static void test_threads(void **state)
{
	struct trace_writer *f = trace_writer_create(path_of("own.bin"), &trace_help_meta, NULL);
	char *text;

	put_thread(f, 1, 1);
	put_thread(f, 1, 0);
	put_thread(f, 2, 0);
	put_thread(f, 2, 3);
	assert_int_equal(trace_writer_close(f, true, NULL), 0);
	export(path_of("own.bin"), path_of("own.out"));
	text = trace_help_text(path_of("own.out"));
	assert_string_equal(strstr(text, "# End trace header\n"),
			    "# End trace header\n\n"
			    "PL: 1() [1]; {\"main.c\", 5}, 1.B\n"
			    "  IT: 0, (0)\n"
			    "  RD: [4] \"u[1][0]\" = 2; {\"prog+0x1000\", 0}\n"
			    "  IT: 1, (1)\n"
			    "  RD: [4] \"u[1][1]\" = 2; {\"prog+0x1000\", 0}\n"
			    "EL: 1; {\"main.c\", 6}, 1.E\n"
			    "PL: 1() [1]; {\"main.c\", 5}, 2.B\n"
			    "  IT: 0, (0)\n"
			    "  RD: [4] \"u[1][0]\" = 2; {\"prog+0x1000\", 0}\n"
			    "  IT: 3, (3)\n"
			    "  RD: [4] \"u[1][3]\" = 2; {\"prog+0x1000\", 0}\n"
			    "EL: 1; {\"main.c\", 6}, 2.E\n"
			    "END_TRACE\n");
	free(text);
}

#define HEAD "MODE = FULL\nEND_HEADER\n"
static const struct {
	const char *text, *error;
} wrong[] = {
	{ "MODE FULL\n", ":1:6: not part of the head of a trace: MODE FULL" },
	{ "MODE = FULL\n\n", "has no records" },
	{ "PL: 1() [9] {\"a\", 1} =\n",
	  ":1:11: expected a construct as 2(4) [2] {\"file\", line} =" },
	{ "PL: 1() [2] {\"a\", 1} = , (2:1,2,1)\n",
	  ":1:35: dimension 2, and the loop has 2, from 0" },
	{ "PL: 1() [2] {\"a\", 1} = , (0:1,2,0)\n", ":1:35: a step of 0" },
	{ "PL: 1() [2] {\"a\", 1} =\nEL: 2\n", ":2:1: EL: 2, and construct 1 is open" },
	{ "PL: 1() [2] {\"a\", 1} =\nEND_HEADER\n", ":2:11: the head ends inside construct 1" },
	{ "EL: 2\n", ":1:1: EL: 2, and no construct is open" },
	{ "ARR: \"A\" 4\n", ":1:10: expected an array as" },
	{ HEAD "PL: 1() [1]; {\"a\", 1}, 6\nx\n", ":3:24: expected a point as 6.B or 5.2.1.E" },
	{ HEAD "PL: 1() [1]; {a, 1}, 6.B\nx\n", ":3:15: expected a place as {\"file\", line}" },
	{ HEAD "EL: 1; {\"a\", 1}\nx\n", ":3:1: EL: 1, and no construct is open" },
	{ HEAD "SL: 1() [1]; {\"a\", 1}\nEL: 3; {\"a\", 1}\nx\n",
	  ":4:1: EL: 3, and construct 1 is open" },
	{ HEAD "IT: 1, (1)\nx\n", ":3:1: IT: and no construct is open" },
	{ HEAD "IT: 1, (1,2,3,4,5,6,7,8,9)\nx\n", ":3:25: an iteration has 1 … 8 numbers" },
	{ HEAD "RD: [9] \"a\" = 1; {\"a\", 1}\nx\n", ":3:7: expected a type, [0] … [8]" },
	{ HEAD "RD: [1] \"a\" = x; {\"a\", 1}\nx\n",
	  ":3:15: \"x\" is not a value of type 1 (int)" },
	{ HEAD "RD: [4] \"a\" = ; {\"a\", 1}\nx\n",
	  ":3:15: \"\" is not a value of type 4 (double)" },
	{ HEAD "RD: [4] \"a\" = 1 {\"a\", 1}\nx\n", ":3:25: expected ; after the value" },
	{ HEAD "RD: [4] \"a\" = 1; {\"a\", 1} and\nx\n", ":3:27: more than a record: and" },
	{ HEAD "CS(\"a\", \"b\", 1, 1, \"w\")\nx\n", ":3:24: expected a checksum in quotes, or "
						     "FAILED" },
	{ HEAD "\n# fine\nwhat\nx\n", ":5:1: not a record of a trace: what" },
};

static void test_wrong(void **state)
{
	struct err err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char want[400];

		write_text(path_of("wrong"), wrong[i].text);
		assert_int_equal(dvmtext_import(path_of("wrong"), path_of("w.bin"), 0, NULL, &err),
				 -1);
		snprintf(want, sizeof(want), "%s%s%s", path_of("wrong"),
			 *wrong[i].error == ':' ? "" : " ", wrong[i].error);
		if (strncmp(err.text, want, strlen(want)))
			fail_msg("%s, not %s", err.text, want);
		assert_int_equal(access(path_of("w.bin"), F_OK), -1);
		assert_int_equal(access(path_of("w.bin.partial"), F_OK), -1);
	}
	write_text(path_of("wrong"), "\x1f\x8b\x08 and so on");
	assert_int_equal(dvmtext_import(path_of("wrong"), path_of("w.bin"), 0, NULL, &err), -1);
	assert_non_null(strstr(err.text, "/wrong is compressed: gunzip it first"));
	assert_int_equal(dvmtext_import(path_of("none"), path_of("w.bin"), 0, NULL, &err), -1);
	assert_non_null(strstr(err.text, "/none: No such file"));
	assert_int_equal(mkfifo(path_of("wrong.pipe"), 0600), 0);
	assert_int_equal(dvmtext_import(path_of("wrong.pipe"), path_of("w.bin"), 0, NULL, &err),
			 -1);
	assert_non_null(strstr(err.text, "/wrong.pipe: not a regular file"));
	assert_int_equal(unlink(path_of("wrong.pipe")), 0);
	assert_int_equal(
		dvmtext_import(trace_help_data("small.trd"), path_of("no/x"), 0, NULL, &err), -1);
	assert_non_null(strstr(err.text, "/no/x.partial: No such file"));
}

/* A trace whose writer died ends in the middle of a line. */
static void test_cut(void **state)
{
	char *text = trace_help_text(trace_help_data("small.trd")),
	     *at = strstr(text, "  IT: 8, (2,2)");
	struct dvmtext_count count;
	struct trace_reader *m;

	at[strlen("  IT: 8, (2")] = '\0';
	write_text(path_of("wrong"), text);
	import(path_of("wrong"), path_of("w.bin"), &count);
	assert_false(count.ended);
	assert_int_equal(count.count[TRACE_ITER], 2);
	dvmtext_head_clear(&count.head);
	m = trace_reader_open(path_of("w.bin"), NULL);
	assert_int_equal(trace_reader_info(m, 0)->records, 2 + 1 + 4 + 3);
	trace_reader_close(m);
	free(text);
}

static const char shared[] = "../shared/traces";

static void one_of_history(const char *name)
{
	char command[600], base[200];

	snprintf(base, sizeof(base), "%s", name);
	snprintf(command, sizeof(command), "gunzip -c '%s/%s' >%s", shared, name, path_of("real"));
	assert_int_equal(system(command), 0);
	if (strstr(name, "config")) {
		FILE *f = fopen(path_of("real"), "rb");
		struct dvmtext_head h;

		assert_int_equal(dvmtext_head_read(&h, f, name, NULL), 0);
		fclose(f);
		f = fopen(path_of("real.out"), "wb");
		assert_int_equal(dvmtext_head_write(&h, f, true), 0);
		fclose(f);
		same_text(path_of("real"), path_of("real.out"));
		dvmtext_head_clear(&h);
		return;
	}
	import(path_of("real"), path_of("real.bin"), NULL);
	export(path_of("real.bin"), path_of("real.out"));
	same_text(path_of("real"), path_of("real.out"));
}

/* What the historical debugger wrote. */
static void test_history(void **state)
{
	static const char *const names[] = {
		"jacobi-c.checksum.p1",	  "jacobi-c.config",
		"jacobi-c.full.p1",	  "jacobi-c.full.p2.rank0",
		"jacobi-c.full.p2.rank1", "jacobi-c.minimal.p1",
		"jacobi-c.modify.p1",	  "jacobi-f.checksum.p4.rank3",
		"jacobi-f.full.p1",	  "redblack-c.full.p1",
		"sor-f.modify.p1",	  "tasks-f.checksum.p1",
		"tasks-f.config",	  "tasks-f.full.p1",
	};
	const char *src = getenv("srcdir");

	if (src && chdir(src))
		skip();
	if (access(shared, R_OK))
		skip();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char file[100];

		snprintf(file, sizeof(file), "%s.trd.gz", names[i]);
		one_of_history(file);
	}
}

static int set_up(void **state)
{
	return mkdtemp(top) ? 0 : -1;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "small.bin", "small.out", "again.bin", "again.out",
					     "own.bin",	  "own.out",   "wrong",	    "w.bin",
					     "real",	  "real.bin",  "real.out" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(path_of(names[i]));
	return rmdir(top);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_records),   cmocka_unit_test(test_import),
		cmocka_unit_test(test_part),	     cmocka_unit_test(test_export),
		cmocka_unit_test(test_odd),
		cmocka_unit_test(test_export_names), cmocka_unit_test(test_threads),
		cmocka_unit_test(test_wrong),	     cmocka_unit_test(test_cut),
		cmocka_unit_test(test_history),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
