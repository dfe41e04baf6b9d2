/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <stdlib.h>
#include <string.h>

#include "frontend/fortran/fortran.h"

static void assert_statement(const struct fortran *f, uint32_t i, uint32_t first, uint32_t last,
			     const char *text)
{
	assert_in_range(i, 0, f->n - 1);
	assert_string_equal(f->statement[i].text, text);
	assert_int_equal(f->statement[i].first, first);
	assert_int_equal(f->statement[i].last, last);
}

static void test_statements_of_free_form(void **state)
{
	const char *text = "Program P ! a comment; with 'marks\n"
			   "  print '(a)', 'it''s; ! no comment', \"x\"\n"
			   "  u(1) = a + &  ! goes on\n"
			   "    ! a comment between\n"
			   "\n"
			   "    & b; v = 2\n"
			   "  s = 'one &\n"
			   "    &two'; w = 3\n"
			   "10 continue\n"
			   "rows: do I = 1, 2\n"
			   "#if X\n"
			   "  end do rows\n"
			   "end";
	struct fortran *f = fortran_parse(text, false);

	assert_int_equal(strlen(f->text), strlen(text));
	assert_int_equal(f->n, 10);
	assert_statement(f, 0, 1, 1, "program p");
	assert_null(strchr(f->statement[1].text, ';'));
	assert_statement(f, 2, 3, 6, "u(1) = a +   b");
	assert_statement(f, 3, 6, 6, "v = 2");
	assert_string_equal(f->statement[4].text, "s =");
	assert_statement(f, 5, 8, 8, "w = 3");
	assert_statement(f, 6, 9, 9, "continue");
	assert_int_equal(f->statement[6].label, 10);
	assert_statement(f, 7, 10, 10, "do i = 1, 2");
	assert_statement(f, 8, 12, 12, "end do rows");
	assert_statement(f, 9, 13, 13, "end");
	/* where it is in the source */
	assert_memory_equal(text + f->statement[8].at, "end do rows", 11);
	assert_int_equal(f->statement[8].end - f->statement[8].at, 11);
	fortran_free(f);
}

static void test_statements_of_fixed_form(void **state)
{
	struct fortran *f = fortran_parse("C     a comment\n"
					  "      PROGRAM P\n"
					  "      X = 'a text\n"
					  "     & that goes on' // Y\n"
					  "* one more\n"
					  "      DO 20 I = 1,\n"
					  "     1  N\n"
					  "   20 CONTINUE                             "
					  "                             beyond the last column\n"
					  "      END\n",
					  true);

	assert_int_equal(f->n, 5);
	assert_statement(f, 0, 2, 2, "program p");
	assert_int_equal(f->statement[1].last, 4);
	assert_non_null(strstr(f->statement[1].text, "// y"));
	assert_null(strstr(f->statement[1].text, "goes"));
	assert_statement(f, 2, 6, 7, "do 20 i = 1,  n");
	assert_statement(f, 3, 8, 8, "continue");
	assert_int_equal(f->statement[3].label, 20);
	fortran_free(f);
}

static void assert_unit(const struct fortran *f, uint32_t i, enum fortran_kind kind,
			const char *name, uint32_t host, const char *body)
{
	assert_in_range(i, 0, f->nunit - 1);
	assert_int_equal(f->unit[i].kind, kind);
	assert_string_equal(f->unit[i].name, name);
	assert_int_equal(f->unit[i].host, host);
	assert_string_equal(f->statement[f->unit[i].body].text, body);
}

static const char units[] = "module m\n"
			    "  implicit none\n"
			    "  type :: grid\n"
			    "    real, allocatable :: u(:, :), r\n"
			    "  contains\n"
			    "    procedure :: go\n"
			    "  end type\n"
			    "  interface\n"
			    "    subroutine outer(x)\n"
			    "      real :: x\n"
			    "    end subroutine\n"
			    "  end interface\n"
			    "  real(8), target :: w(10) = 0\n"
			    "contains\n"
			    "  pure real(8) function f(x, n)\n"
			    "    integer, intent(in) :: n\n"
			    "    real(8), intent(in) :: x(n)\n"
			    "    f = x(1)\n"
			    "  end function f\n"
			    "  subroutine go(g)\n"
			    "    class(grid) :: g\n"
			    "    g%r = 1\n"
			    "  end\n"
			    "end module\n"
			    "program p\n"
			    "  use m, only: w, grid\n"
			    "  integer, parameter :: wp = kind(1d0)\n"
			    "  real(wp), allocatable :: u(:, :), v(:, :)\n"
			    "  integer n, k(4)\n"
			    "  real, pointer :: q(:)\n"
			    "  common /c/ a(10), b\n"
			    "  real = 5\n"
			    "  call inside()\n"
			    "contains\n"
			    "  subroutine inside\n"
			    "    n = 2\n"
			    "    if (n > 1) end = 3\n"
			    "  end subroutine inside\n"
			    "end program\n"
			    "subroutine alone(a, n)\n"
			    "  real a(n, *)\n"
			    "  a(1, 1) = 2\n"
			    "end\n"
			    "x = 1\n"
			    "end\n";

static void test_units(void **state)
{
	struct fortran *f = fortran_parse(units, false);

	assert_int_equal(f->nunit, 7);
	assert_unit(f, 0, FORTRAN_MODULE, "m", FORTRAN_NONE, "contains");
	assert_unit(f, 1, FORTRAN_FUNCTION, "f", 0, "f = x(1)");
	assert_unit(f, 2, FORTRAN_SUBROUTINE, "go", 0, "g%r = 1");
	assert_unit(f, 3, FORTRAN_PROGRAM, "p", FORTRAN_NONE, "real = 5");
	assert_unit(f, 4, FORTRAN_SUBROUTINE, "inside", 3, "n = 2");
	assert_unit(f, 5, FORTRAN_SUBROUTINE, "alone", FORTRAN_NONE, "a(1, 1) = 2");
	assert_unit(f, 6, FORTRAN_PROGRAM, "", FORTRAN_NONE, "x = 1");
	assert_int_equal(fortran_unit_at(f, 33), 3);
	assert_int_equal(fortran_unit_at(f, 36), 4);
	assert_int_equal(fortran_unit_at(f, 18), 1);
	assert_int_equal(fortran_unit_at(f, 13), 0);
	fortran_free(f);
}

static void test_declarations(void **state)
{
	struct fortran *f = fortran_parse(units, false);
	struct fortran_entity e;

	assert_true(fortran_find(f, 4, "u", &e)); /* the host's */
	assert_int_equal(e.unit, 3);
	assert_true(e.array && e.allocatable && !e.target && !e.pointer && !e.dummy);
	assert_string_equal(e.type, "real(wp)");
	assert_true(fortran_find(f, 3, "n", &e));
	assert_true(!e.array && !strcmp(e.type, "integer"));
	assert_true(fortran_find(f, 3, "k", &e) && e.array);
	assert_true(fortran_find(f, 3, "q", &e) && e.pointer);
	assert_true(fortran_find(f, 3, "wp", &e) && e.parameter);
	assert_true(fortran_find(f, 3, "a", &e) && e.common && e.array);
	assert_true(fortran_find(f, 3, "b", &e) && e.common && !e.array);
	assert_true(fortran_find(f, 3, "w", &e)); /* of the module */
	assert_true(e.unit == 0 && e.target && e.initial);
	assert_true(fortran_find(f, 1, "x", &e) && e.dummy && e.array);
	assert_true(fortran_find(f, 5, "a", &e) && e.dummy && e.array);
	assert_false(fortran_find(f, 5, "w", &e));
	assert_false(fortran_find(f, 3, "f", &e)); /* not of those that USE brings */
	assert_true(fortran_component(f, "u", &e) && e.array && e.allocatable);
	assert_true(fortran_component(f, "r", &e) && !e.array);
	assert_true(fortran_uses(f, 4, "m", "w"));
	assert_false(fortran_uses(f, 4, "m", "f"));
	assert_true(fortran_uses(f, 2, "m", "w"));
	fortran_free(f);
}

static void test_texts(void **state)
{
	size_t n;

	assert_string_equal(fortran_word("a%u + u_x + u", "u"), "u");
	assert_null(fortran_word("a % u + xu", "u"));
	assert_string_equal(fortran_begins("enddo x", "end", "do"), "x");
	assert_null(fortran_begins("enddone", "end", "do"));
	assert_string_equal(fortran_assignment("u(1, f(2))%x = 3", &n), " 3");
	assert_int_equal(n, 1);
	assert_null(fortran_assignment("if (a == b) c = 1", NULL));
	assert_null(fortran_assignment("do i = 1, 2", NULL));
	assert_null(fortran_assignment("u(1", NULL));
	assert_true(fortran_is_fixed("a/b.F") && fortran_is_fixed("b.for") &&
		    !fortran_is_fixed("b.f90"));
}

/* What is no Fortran ends, too. */
static void test_nonsense(void **state)
{
	static const char *const texts[] = { "",
					     "&",
					     "'",
					     "\"\n&",
					     "(((",
					     "end\nend\nend",
					     "contains",
					     "type x",
					     "do\n;;;\n&\n&",
					     "function",
					     "program",
					     "10",
					     "a:\n",
					     "module procedure",
					     "use ,",
					     "use" };

	for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		for (int fixed = 0; fixed < 2; fixed++) {
			struct fortran *f = fortran_parse(texts[i], fixed);
			struct fortran_entity e;

			for (uint32_t k = 0; k < f->nunit; k++)
				fortran_find(f, k, "x", &e);
			fortran_unit_at(f, 1);
			fortran_free(f);
		}
}

static void written(const char *dir, const char *name, const char *text)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* What INCLUDE brings is declared in the unit, in the line of INCLUDE; a file that is not there
 * brings nothing. */
static void test_includes(void **state)
{
	static const char source[] = "      SUBROUTINE S\n"
				     "      INCLUDE 'mpif.h'\n"
				     "      INCLUDE 'grid.inc'\n"
				     "#include \"more.inc\"\n"
				     "      N = 1\n"
				     "      END\n";
	char dir[] = "/tmp/dvmdbg-include-XXXXXX", path[100];
	struct fortran_entity e;
	struct fortran *f;

	assert_non_null(mkdtemp(dir));
	written(dir, "grid.inc",
		"      INTEGER N, M\n      REAL U(10,\n     &  20)\n      COMMON /G/ U, N, M\n");
	written(dir, "more.inc", "      INCLUDE 'more.inc'\n      INTEGER K\n");
	snprintf(path, sizeof(path), "%s/s.f", dir);
	f = fortran_parse_file(source, path);
	assert_true(f->fixed);
	assert_int_equal(f->nunit, 1);
	assert_true(fortran_find(f, 0, "u", &e) && e.array && e.common);
	assert_string_equal(e.type, "real");
	assert_int_equal(f->statement[e.first].first, 3);
	assert_true(fortran_find(f, 0, "n", &e) && e.common);
	assert_true(fortran_find(f, 0, "k", &e) && !e.common);
	assert_int_equal(f->statement[f->unit[0].body].first, 5);
	assert_int_equal(fortran_unit_at(f, 6), 0);
	fortran_free(f);
	snprintf(path, sizeof(path), "%s/grid.inc", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/more.inc", dir);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_statements_of_free_form),
		cmocka_unit_test(test_statements_of_fixed_form),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_declarations),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_includes),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
