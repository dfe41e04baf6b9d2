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

static struct scan *scanned(const char *text, const char *ending)
{
	char path[] = "/tmp/dvmdbg-scan-XXXXXX", *name;
	int fd = mkstemp(path);
	struct scan *s;
	FILE *f;

	assert_true(fd >= 0);
	close(fd);
	name = malloc(sizeof(path) + strlen(ending));
	sprintf(name, "%s%s", path, ending);
	f = fopen(name, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	s = scan_open(name, NULL);
	unlink(name);
	unlink(path);
	free(name);
	assert_non_null(s);
	return s;
}

static void assert_loop(const struct scan *s, uint32_t i, uint32_t first, uint32_t last,
			const char *variable, const char *from, const char *to)
{
	const struct loop *l = &s->loop[i];

	assert_in_range(i, 0, s->nloop - 1);
	assert_int_equal(l->first, first);
	assert_int_equal(l->last, last);
	if (!variable) {
		assert_null(l->variable);
		return;
	}
	assert_string_equal(l->variable, variable);
	assert_string_equal(l->from, from);
	if (to)
		assert_string_equal(l->to, to);
	else
		assert_null(l->to);
}

static void test_loops(void **state)
{
	struct scan *s = scanned("program p\n"
				 "  real, allocatable :: u(:, :), x\n"
				 "  call Renew()\n"
				 "  do it = 1, max(n, 3)\n"
				 "    call renew()\n"
				 "rows: do J = c0, &\n"
				 "        c1 - 1\n"
				 "      DO i = n - 1, 2, -1\n"
				 "        u(i, j) = 1; x = 2\n"
				 "      enddo\n"
				 "    end do rows\n"
				 "    do i = 1, n, 2\n"
				 "    end do\n"
				 "    do while (x > 1)\n"
				 "      x = x / 2\n"
				 "    end do\n"
				 "  end do\n"
				 "  u = 0\n"
				 "  x = 0\n"
				 "  u(2:, 1) = x\n"
				 "  x = maxval(abs(u))\n"
				 "  where (u > 1)\n"
				 "    u = 1\n"
				 "  end where\n"
				 "  where (u > 1) u = 2\n"
				 "  do concurrent (j = 1:n, i = 2:m - 1)\n"
				 "    u(i, j) = 3\n"
				 "  end do\n"
				 "  do\n"
				 "    exit\n"
				 "  end do\n"
				 "contains\n"
				 "  subroutine renew()\n"
				 "    call MPI_Sendrecv(u)\n"
				 "  end subroutine\n"
				 "end program\n",
				 ".f90");

	assert_int_equal(s->nfunction, 2);
	assert_string_equal(s->function[0].name, "p");
	assert_true(s->function[0].program && !s->function[1].program);
	assert_int_equal(s->function[0].body_line, 2);
	assert_int_equal(s->function[0].last, 32);
	assert_true(s->function[0].mpi && s->function[1].mpi);
	assert_int_equal(s->function[1].host, 0);

	assert_int_equal(s->nloop, 14);
	assert_loop(s, 0, 4, 17, "it", "1", "max(n, 3)");
	assert_true(s->loop[0].mpi);
	assert_loop(s, 1, 6, 11, "j", "c0", "c1 - 1");
	assert_int_equal(s->loop[1].body_line, 7);
	assert_false(s->loop[1].mpi);
	assert_loop(s, 2, 8, 10, "i", "n - 1", "2");
	assert_true(s->loop[2].down && s->loop[2].braces);
	assert_loop(s, 3, 12, 13, "i", "1", NULL); /* every second one */
	assert_loop(s, 4, 14, 16, NULL, NULL, NULL);
	assert_loop(s, 5, 18, 18, NULL, NULL, NULL);
	assert_true(s->loop[5].implicit);
	assert_loop(s, 6, 20, 20, NULL, NULL, NULL);
	assert_loop(s, 7, 21, 21, NULL, NULL, NULL);
	assert_loop(s, 8, 22, 24, NULL, NULL, NULL);
	assert_loop(s, 9, 23, 23, NULL, NULL, NULL);
	assert_loop(s, 10, 25, 25, NULL, NULL, NULL);
	assert_loop(s, 11, 26, 28, "j", "1", "n");
	assert_loop(s, 12, 26, 28, "i", "2", "m - 1");
	assert_true(s->loop[12].at > s->loop[11].at && s->loop[12].end == s->loop[11].end);
	assert_loop(s, 13, 29, 31, NULL, NULL, NULL);
	assert_false(s->loop[13].implicit);
	scan_close(s);
}

static void test_labels_in_fixed_form(void **state)
{
	struct scan *s = scanned("      SUBROUTINE RELAX(U, N)\n"
				 "      REAL U(N, N)\n"
				 "      DO 10 J = 2,\n"
				 "     &    N - 1\n"
				 "      DO 10 I = 2, N - 1\n"
				 "   10 U(I, J) = 0\n"
				 "      DO 20, K = 1, 3\n"
				 "      CALL MPI_BARRIER(C, IERR)\n"
				 "   20 CONTINUE\n"
				 "      CALL MPI_COMM_RANK(C, ME, IERR)\n"
				 "      END\n",
				 ".f");

	assert_int_equal(s->nfunction, 1);
	assert_string_equal(s->function[0].name, "relax");
	assert_int_equal(s->nloop, 3);
	assert_loop(s, 0, 3, 6, "j", "2", "n - 1");
	assert_loop(s, 1, 5, 6, "i", "2", "n - 1");
	assert_loop(s, 2, 7, 9, "k", "1", "3");
	assert_true(s->loop[2].mpi && !s->loop[0].mpi);
	scan_close(s);
}

static void assert_value(const struct env *e, const char *text, int64_t value)
{
	int64_t is;

	if (!env_value(e, text, &is))
		fail_msg("'%s' has no value", text);
	assert_int_equal(is, value);
}

static void test_bounds(void **state)
{
	struct variable v[] = { { .name = "n", .whole = true, .number = 10 },
				{ .name = "g%c0", .whole = true, .number = 4 },
				{ .name = "x", .whole = false } };
	struct frame_seen f = { .variable = v, .nvariable = 3 };
	struct rank_seen none = { 0 };
	struct scan *s = scanned("program p\nend program p\n", ".f90");
	struct env e = { .frame = &f, .seen = &none, .scan = s };
	int64_t is;

	assert_value(&e, "n - 1", 9);
	assert_value(&e, "2*(n-g%c0) + 1", 13);
	assert_value(&e, "max(g%c0, 2) - min( n , 3,-1)", 5);
	assert_value(&e, "n/3", 3);
	assert_value(&e, "-n", -10);
	assert_false(env_value(&e, "x", &is));
	assert_false(env_value(&e, "m + 1", &is));
	assert_false(env_value(&e, "n +", &is));
	assert_false(env_value(&e, "n / 0", &is));
	assert_false(env_value(&e, "", &is));
	assert_false(env_value(&e, "1.5", &is));
	assert_false(env_value(&e, "n % 3", &is));
	scan_close(s);
	/* in C */
	e.scan = NULL;
	assert_value(&e, "n % 3", 1);
	assert_value(&e, "(n % 3 < 1 ? n : n / 5) + 1", 3);
	assert_value(&e, "(n > 9 ? n : 0)", 10);
}

static void assert_variable(const struct frame_seen *f, uint32_t i, const char *name,
			    const char *value)
{
	assert_in_range(i, 0, f->nvariable - 1);
	assert_string_equal(f->variable[i].name, name);
	assert_string_equal(f->variable[i].value, value);
}

static void test_parts_of_variables(void **state)
{
	char fortran[] = "a.f90", c[] = "a.c";
	struct frame_seen f = { .file = fortran }, g = { .file = c };
	int64_t lo[3], hi[3];

	variables_add(&f, "g", "type grid",
		      "{n = 5, u = 0x7f10 (0:9,-1:4), at = {x = 1, t = \"a, }\"}}");
	assert_int_equal(f.nvariable, 4);
	assert_variable(&f, 0, "g%n", "5");
	assert_true(f.variable[0].whole && f.variable[0].number == 5);
	assert_variable(&f, 1, "g%u", "0x7f10 (0:9,-1:4)");
	assert_true(f.variable[1].pointer && f.variable[1].number == 0x7f10);
	assert_int_equal(variable_bounds(&f.variable[1], lo, hi, 3), 2);
	assert_true(lo[0] == 0 && hi[0] == 9 && lo[1] == -1 && hi[1] == 4);
	assert_int_equal(variable_bounds(&f.variable[1], lo, hi, 1), 0);
	assert_int_equal(variable_bounds(&f.variable[0], lo, hi, 3), 0);
	assert_variable(&f, 2, "g%at%x", "1");
	assert_variable(&f, 3, "g%at%t", "\"a, }\"");
	variables_add(&f, "o", "type grid", "{_data = {n = 7}}");
	assert_variable(&f, 4, "o%n", "7");
	variables_add(&g, "p", "struct grid *", "0x55 -> {n = 5, u = 0x77 -> 1.5}");
	assert_int_equal(g.nvariable, 3);
	assert_variable(&g, 1, "p->n", "5");
	assert_variable(&g, 2, "p->u", "0x77 -> 1.5");
	for (uint32_t i = 0; i < f.nvariable; i++) {
		free(f.variable[i].name);
		free(f.variable[i].type);
		free(f.variable[i].value);
	}
	for (uint32_t i = 0; i < g.nvariable; i++) {
		free(g.variable[i].name);
		free(g.variable[i].type);
		free(g.variable[i].value);
	}
	free(f.variable);
	free(g.variable);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_labels_in_fixed_form),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_parts_of_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
