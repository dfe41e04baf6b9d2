/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/annotate/internal.h"
#include "frontend/util/xalloc.h"

/* A file with the text; its path ends with XXXXXX and a suffix of two. */
static void write_source(char *path, const char *text)
{
	int fd = mkstemps(path, 2);
	FILE *f = fdopen(fd, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static struct scan *scanned_as(const char *text, scan_compiled is)
{
	char path[] = "/tmp/dvmdbg-scan-XXXXXX.c";
	struct scan *s;

	write_source(path, text);
	s = scan_open_compiled(path, is, NULL, NULL);
	unlink(path);
	assert_non_null(s);
	return s;
}

static struct scan *scanned(const char *text)
{
	return scanned_as(text, NULL);
}

static bool is_even(void *arg, const char *path, uint32_t line)
{
	(void)arg;
	(void)path;
	return line % 2 == 0 && line != 6;
}

/* Of branches of #if those count that have code. */
static void test_branches(void **state)
{
	static const char text[] = "int f(int n)\n{\n"
				   "#if A\n" /* 3 */
				   "\tfor (int i = 0; i < n; i++) {\n"
				   "#else\n"
				   "\n\tfor (int i = 1; i < n; i++) {\n" /* 7 */
				   "#endif\n"
				   "\t}\n"
				   "#ifdef B\n" /* 10 */
				   "\twhile (n) {}\n"
				   "#endif\n"
				   "\treturn 0;\n}\n"
				   "#if C\n" /* 15 */
				   "\n\nint g(void) { for (;;) {} }\n#endif\n";
	struct scan *s = scanned_as(text, is_even);

	assert_int_equal(s->nfunction, 2);
	assert_int_equal(s->nloop, 2);
	assert_int_equal(s->loop[0].first, 4);
	assert_int_equal(s->loop[0].last, 9);
	assert_int_equal(s->loop[1].first, 18);
	scan_close(s);
}

/* A call with the body of a loop counts as one; a value, or an order to sort by, does not. */
static void test_lambdas(void **state)
{
	struct scan *s = scanned("void f(grid &g)\n{\n"
				 "\tauto at = [&](int i) { return i; };\n"
				 "\tg.cells(1, [&](int i, int j) {\n" /* 4 */
				 "\t\tfor (;;) i++;\n"
				 "\t});\n"
				 "\tint n = count(g, [](int i) { return i; });\n"
				 "}\n");

	assert_int_equal(s->nloop, 2);
	assert_int_equal(s->loop[0].first, 4);
	assert_int_equal(s->loop[0].last, 6);
	assert_true(s->loop[0].implicit);
	assert_int_equal(s->loop[1].first, 5);
	(void)state;
	scan_close(s);
}

/* What a class gives of its members: by its name, and the call. */
static void assert_gives(const struct scan *s, const char *name, int kind, const char *member,
			 const char *call)
{
	struct accessor a = { 0 };
	bool any = false;

	for (uint32_t i = 0; i < s->nfunction && !any; i++)
		any = !strcmp(s->function[i].name, name) && scan_accessor(s, &s->function[i], &a);
	assert_int_equal(any, member != NULL);
	if (!any)
		return;
	assert_int_equal(a.kind, kind);
	assert_string_equal(a.member, member);
	assert_string_equal(a.call, call);
	free(a.member);
	free(a.call);
}

static void test_accessors(void **state)
{
	struct scan *s = scanned(
		"class grid {\n"
		"public:\n"
		"\tgrid(int n) : n_{ n }, v_(new double[n]) { for (;;) n--; }\n"
		"\tdouble &operator()(int i, int j) { return v_[idx(i, j) * 2]; }\n"
		"\tdouble &at(int i, int j) { return v_[(i * (n_ + 2) + j)]; }\n"
		"\tdouble &second(int i) { return v_[i + 1]; }\n"
		"\tdouble *row(size_t i) { return &v_[static_cast<size_t>(i) * n_]; }\n"
		"\tdouble *all() { return w_.data(); }\n"
		"\tstd::vector<double> &same() { return w_; }\n"
		"\tint n() const { return n_; }\n"
		"\tint twice() const { return 2 * n_; }\n"
		"\tdouble value(int i) const { return v_[i]; }\n"
		"private:\n"
		"\tint idx(int i, int j) const { return i * n_ + j; }\n"
		"};\n");

	assert_string_equal(s->function[0].name, "grid");
	assert_int_equal(s->nloop, 1);
	assert_gives(s, "operator()", ACCESSOR_ELEMENT, "v_", "(0, 0)");
	assert_gives(s, "at", ACCESSOR_ELEMENT, "v_", ".at(0, 0)");
	assert_gives(s, "row", ACCESSOR_ELEMENT, "v_", ".row(0)[0]");
	assert_gives(s, "all", ACCESSOR_ELEMENT, "w_", ".all()[0]");
	assert_gives(s, "same", ACCESSOR_OBJECT, "w_", ".same()");
	assert_gives(s, "n", ACCESSOR_NUMBER, "n_", ".n()");
	assert_gives(s, "second", ACCESSOR_ELEMENT, "v_", ".second(-1)");
	assert_gives(s, "twice", 0, NULL, NULL);
	assert_gives(s, "value", 0, NULL, NULL);
	(void)state;
	scan_close(s);
}

/* Indices that do not count from 0: constants that can be named, or have a value, where they are
 * called. */
static void test_shifted(void **state)
{
	struct scan *s = scanned("constexpr int G = 2;\n"
				 "template <class T> class other { enum { L = 1 }; T w_; };\n"
				 "template <typename T, int H = 1>\n"
				 "class field {\n"
				 "public:\n"
				 "\tT &operator()(int i, int j) { return v_[(i + H) * (n_ + 2 * H) + j + H]; }\n"
				 "\tT &at(int c, int i, int j) { return v_[(c * m_ + G + i) * n_ + j]; }\n"
				 "\tT &by(int i, int j) { return v_[idx(i, j)]; }\n"
				 "\tT &first(int i, int j) { return v_[(i + H) * j]; }\n"
				 "\tT &size(size_t i) { return v_[i + 1]; }\n"
				 "\tT &own(int i) { return v_[i + n_]; }\n"
				 "\tT &twice(int i) { return v_[(i + 1) * n_ + i + 2]; }\n"
				 "private:\n"
				 "\tint idx(int k, int l) const { return (k + 1) * n_ + l + H; }\n"
				 "};\n");

	assert_gives(s, "operator()", ACCESSOR_ELEMENT, "v_", "(-@, -@)");
	assert_gives(s, "at", ACCESSOR_ELEMENT, "v_", ".at(0, -G, 0)");
	assert_gives(s, "by", ACCESSOR_ELEMENT, "v_", ".by(-1, -@)");
	assert_gives(s, "first", ACCESSOR_ELEMENT, "v_", ".first(0, 0)");
	assert_gives(s, "size", 0, NULL, NULL);
	assert_gives(s, "own", 0, NULL, NULL);
	assert_gives(s, "twice", 0, NULL, NULL);
	(void)state;
	scan_close(s);
}

/* Functions of a class that change nothing, and with a type behind their arguments. */
static void test_functions_of_classes(void **state)
{
	struct scan *s = scanned("class a {\n"
				 "\tvoid f(int n) const\n"
				 "\t{\n\t\tfor (int i = 0; i < n; i++)\n\t\t\tg();\n\t}\n"
				 "\tauto h() const noexcept(true) -> std::vector<int> {\n"
				 "\t\twhile (b)\n\t\t\tg();\n\t}\n};\n");

	assert_int_equal(s->nfunction, 2);
	assert_string_equal(s->function[0].name, "f");
	assert_string_equal(s->function[1].name, "h");
	assert_int_equal(s->nloop, 2);
	scan_close(s);
}

static const char source[] = "#define N 10\n"		     /* 1 */
			     "static void halo(double *u)\n" /* 2 */
			     "{\n"
			     "\tMPI_Barrier(MPI_COMM_WORLD);\n"
			     "}\n"
			     "int main(void)\n" /* 6 */
			     "{\n"
			     "\tint rows[] = { size(), 2 };\n"
			     "\tdo {\n" /* 9 */
			     "\t\thalo(u);\n"
			     "\t\tfor (int i = 1; i <= g->n; i++)\n" /* 11 */
			     "\t\t\tif (a[i])\n"
			     "\t\t\t\tstep(i);\n"
			     "\t} while (more);\n" /* 14 */
			     "\tif (rank == 0)\n"
			     "\t\tprint(u); /* print(v) */\n" /* 16 */
			     "\treturn 0;\n"
			     "}\n";

static void test_loops(void **state)
{
	struct scan *s = scanned(source);

	assert_int_equal(s->nfunction, 2);
	assert_true(s->function[0].mpi);
	assert_int_equal(s->nloop, 2);
	assert_int_equal(s->loop[0].first, 9);
	assert_int_equal(s->loop[0].last, 14);
	assert_true(s->loop[0].mpi); /* by the function it calls */
	assert_null(s->loop[0].variable);
	assert_int_equal(s->loop[1].first, 11);
	assert_int_equal(s->loop[1].last, 13);
	assert_false(s->loop[1].mpi);
	assert_string_equal(s->loop[1].variable, "i");
	assert_string_equal(s->loop[1].from, "1");
	assert_string_equal(s->loop[1].to, "g->n");
	assert_true(scan_counts(s, "i", 0));
	assert_true(scan_counts(s, "i[0]", 0));
	assert_false(scan_counts(s, "more", 0));
	scan_close(s);
}

/* The line on which the statement begins that has the call. */
static uint32_t statement_of(const struct scan *s, const char *call)
{
	const struct function *f = &s->function[1];
	const char *at = scan_call(s, f->body, f->end, call), *begin;

	assert_non_null(at);
	begin = scan_statement(s, f->body, at);
	assert_non_null(begin);
	return scan_line(s, begin);
}

static void test_statements(void **state)
{
	struct scan *s = scanned(source);

	assert_int_equal(statement_of(s, "size"), 8); /* braces of values are no block */
	assert_int_equal(statement_of(s, "halo"), 10);
	assert_int_equal(statement_of(s, "step"), 11); /* of the loop without braces */
	assert_int_equal(statement_of(s, "print"),
			 15); /* a mark in front of print alone would be all of the if */
	assert_null(scan_call(s, strstr(s->text, "print") + 1, s->function[1].end, "print"));
	scan_close(s);
}

/* ---- expressions ---- */

static void forget_variables(struct frame_seen *f)
{
	for (uint32_t i = 0; i < f->nvariable; i++) {
		free(f->variable[i].name);
		free(f->variable[i].type);
		free(f->variable[i].value);
	}
	free(f->variable);
}

static void test_expressions(void **state)
{
	struct rank_seen none = { .nscalar = 0 };
	struct frame_seen f[2] = { { .func = "main", .file = "a.c" },
				   { .func = "main", .file = "a.c" } };
	struct env env[2] = { { .frame = &f[0], .seen = &none },
			      { .frame = &f[1], .seen = &none } };
	const int64_t last[2] = { 8, 14 }, whole[2] = { 12, 19 };
	char *text, *others;
	int64_t v;

	variables_add(&f[0], "other", "int", "7");
	variables_add(&f[1], "other", "int", "13");
	variables_add(&f[0], "f", "Field", "{n = {5, 9}, m = 3, h = 0.5, u = 0x10 -> 1.5}");
	variables_add(&f[1], "f", "Field", "{n = {6, 15}, m = 4, h = 0.5, u = 0x20 -> 1.5}");
	assert_true(env_look(&env[0], "f.n[1]", &v));
	assert_int_equal(v, 9);
	assert_false(env_look(&env[0], "f.h", &v));
	assert_false(env_look(&env[0], "f.u", &v));

	/* of what fits the smaller comes first, and the one that is preferred */
	text = expression(env, last, 2, &others);
	assert_string_equal(text, "f.n[1] - 1");
	assert_string_equal(others, "other + 1");
	free(text);
	free(others);
	env[0].prefer = "g->other";
	text = expression(env, last, 2, NULL);
	assert_string_equal(text, "other + 1"); /* what the extent is said with comes first */
	free(text);
	text = expression(env, whole, 2, NULL);
	assert_string_equal(text, "other + f.n[0]");
	free(text);
	forget_variables(&f[0]);
	forget_variables(&f[1]);
}

/* What communicates in another source makes a loop communicate; a word that is no call does not. */
static void test_sources(void **state)
{
	struct scan *s[] = { scanned("int main(void)\n{\n\tfor (;;) {\n\t\trenew(u);\n\t\tfor "
				     "(;;)\n\t\t\tu++;\n\t}\n"
				     "\tfor (;;)\n\t\trenewal(halo);\n}\n"),
			     scanned("void renew(double *u)\n{\n\thalo(u);\n}\n"),
			     scanned("void halo(double *u)\n{\n\tMPI_Barrier(c);\n}\n") };

	assert_false(s[0]->loop[0].mpi);
	scan_communicate(s, 3);
	assert_true(s[0]->loop[0].mpi); /* through two functions */
	assert_false(s[0]->loop[1].mpi);
	assert_false(s[0]->loop[2].mpi);
	assert_true(s[1]->function[0].mpi);
	for (int i = 0; i < 3; i++)
		scan_close(s[i]);
}

/* A plain variable that has not got a value says nothing, whatever it holds. */
static void test_set(void **state)
{
	struct scan *s = scanned(
		"int main(int argc, char **argv)\n{\n\tint err, n, m = 3, k;\n\tscanf(\"\", &n);\n"
		"\tk = 1;\n\tloop();\n\terr = 0;\n}\n");

	assert_false(draft_is_set(s, "err", 6));
	assert_true(draft_is_set(s, "err", 8));
	assert_true(draft_is_set(s, "n", 6));
	assert_true(draft_is_set(s, "m", 6));
	assert_true(draft_is_set(s, "k", 6));
	assert_true(draft_is_set(s, "argc", 6));
	assert_false(draft_is_set(s, "k", 5));
	scan_close(s);
}

/* A function of a class has the members of its object. */
static void test_members(void **state)
{
	struct frame_seen f = { .file = xstrdup("a.cpp") };
	struct env env = { .frame = &f, .seen = &(struct rank_seen){ 0 } };
	int64_t v;

	variables_add(&f, "this->cols_", "int", "12");
	variables_add(&f, "i", "int", "3");
	assert_true(env_value(&env, "cols_ - i", &v));
	assert_int_equal(v, 9);
	assert_false(env_value(&env, "rows_", &v));
	forget_variables(&f);
	free(f.file);
}

/* Numbers that a header of the folder names, in a class, too; none that differ. */
static void test_headers(void **state)
{
	char path[] = "/tmp/dvmdbg-scan-XXXXXX.h", text[200];
	struct env env = { .seen = &(struct rank_seen){ 0 } };
	struct scan *s;
	int64_t v;

	write_source(path, "#define ROWS 7\nclass lattice {\n\tstatic constexpr int Q = 9;\n};\n"
			   "enum { TWICE = 1 };\nconst int TWICE = 2;\n");
	snprintf(text, sizeof(text),
		 "#include \"%s\"\n#include \"dvmdbg-none.h\"\nint f;\n", strrchr(path, '/') + 1);
	env.scan = s = scanned(text);
	unlink(path);
	assert_true(env_value(&env, "Q * ROWS", &v));
	assert_int_equal(v, 63);
	assert_false(env_value(&env, "TWICE", &v));
	scan_close(s);
}

/* Single variables of a statement; what sets them; what ranks combine. */
static void test_names(void **state)
{
	static const char *const names[] = { "s", "a", "g.dt", "p->nu" };
	struct scan *s = scanned(
		"double f(double a)\n{\n\ts = a + g.dt * p->nu - b[2] * c(3);\n"
		"\tMPI_Allreduce(&s, &t, 1, MPI_DOUBLE, MPI_SUM, comm);\n"
		"\tMPI_Reduce(&k, &q->sum, 1, MPI_DOUBLE, MPI_MAX, 0, comm);\n\tp = next;\n"
		"\tMPI_Reduce(&k, &q->sum, 1, MPI_DOUBLE, MPI_MIN, 0, comm);\n}\n");
	const char *from = s->function[0].body, *to = s->function[0].end, *c = from;
	struct scan_reduction r;
	size_t n;

	for (unsigned i = 0; i < 4; i++, c += n) {
		c = scan_name(s, c, to, &n);
		assert_non_null(c);
		assert_int_equal(n, strlen(names[i]));
		assert_memory_equal(c, names[i], n);
	}
	/* MPI only sends it */
	assert_int_equal(scan_line(s, scan_sets(s, from, to, "s")), 3);
	assert_int_equal(scan_line(s, scan_sets(s, from, to, "p->nu")), 6);
	assert_null(scan_sets(s, from, to, "g.dt"));
	assert_true(scan_reduction(s, from, to, "t", &r));
	assert_true(r.all);
	assert_string_equal(r.gives, "s");
	assert_string_equal(r.op, "MPI_SUM");
	assert_true(scan_reduction(s, from, to, "q->sum", &r));
	assert_false(r.all);
	assert_string_equal(r.gives, "k");
	assert_int_equal(*r.op, '?'); /* which one is executed is not known */
	assert_false(scan_reduction(s, from, to, "s", &r));
	scan_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_accessors),
		cmocka_unit_test(test_shifted),
		cmocka_unit_test(test_lambdas),
		cmocka_unit_test(test_functions_of_classes),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_statements),
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
