/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Marks for loops of OpenMP in any text: they are inside of it, and in C those behind the
 * preprocessor leave its lines.
 */
#include "tests/fuzz/fuzz.h"

#include "runtime/loops/loops.h"

static void check(struct text *t, bool lines)
{
	FUZZ_CHECK(!t->bad && strlen(t->data) == t->len);
	for (size_t i = 0; i < t->n; i++) {
		FUZZ_CHECK(t->insert[i].at <= t->len);
		FUZZ_CHECK(!lines || !strchr(t->insert[i].text, '\n'));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (unsigned way = 0; way < 5; way++) {
		struct text t = { .data = malloc(size + 1) };

		FUZZ_CHECK(t.data);
		memcpy(t.data, data, size);
		t.data[size] = '\0';
		t.len = strlen(t.data);
		if (way < 3)
			c_marks(&t, way == 1, way == 2);
		else
			fortran_marks(&t, way == 3, "f.f90");
		check(&t, way < 2);
		text_clear(&t);
	}
	return 0;
}

#ifdef FUZZ_MAIN
static bool fuzz_seed(unsigned i, struct buf *out)
{
	static const char *const text[] = {
		"#pragma omp parallel for collapse(2)\nfor (;;) { for (;;) if (a) b; else c; }\n",
		"{\n#pragma omp for \\\n nowait\nfor (i = '\\''; i < R\"x(;)x\"; i++) a[i] = "
		"1'000; // {\n}",
		"int f(void) { return omp_get_thread_num(); } /* for ( */\n# 7 \"x.c\"\n",
		"!$omp parallel do &\n!$omp private(j)\nouter: do i = 1, &\n n\n a(i) = '&!'\nend "
		"do outer\n",
		"c$omp do\nc$omp+ ordered(1)\n      do 10 i = 1,\n     & n\n   10 continue\nc$omp "
		"end do nowait\n",
		"{\n#pragma omp simd safelen(4) reduction(+:s)\nfor (;;) b;\n#pragma omp "
		"simd\nfor (;;) {\n#pragma omp ordered simd\n;\n}\n",
		"!$omp simd safelen(2*4)\ndo i = 1, 3\n a(i) = 1\nend do\n!$omp end simd\n",
		"!$omp parallel\n!$omp do collapse(2)\ndo i = 1, 3\ndo j = 1, 3\nend "
		"do\nenddo\n!$omp end do\n",
	};

	if (i >= sizeof(text) / sizeof(*text))
		return false;
	buf_put_raw(out, text[i], strlen(text[i]));
	return true;
}
#endif
