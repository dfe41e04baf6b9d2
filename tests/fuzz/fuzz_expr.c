/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions: what parses is evaluated over a small job of 4 ranks. */
#include "tests/fuzz/fuzz.h"

#include "common/array/array.h"
#include "common/core/err.h"
#include "common/expr/expr.h"

/* One group of all ranks, or, when it differs, rank 3 apart. The elements count up from 0. */
static int fill(struct values *out, bool differs)
{
	uint64_t total = values_total(out);
	unsigned char *bytes = calloc(total ? total : 1, out->elem_size);
	struct rankset ranks = { 0 };
	struct value v = { .class = VALUE_IS_INT };
	int rc;

	for (uint64_t i = 0; i < total && out->type != VALUE_STRUCT; i++) {
		v.i = (int64_t)i % 100;
		value_store(out->type, bytes + i * out->elem_size, &v, NULL);
	}
	rankset_add(&ranks, 0, differs ? 2 : 3);
	rc = values_add(out, &ranks, bytes);
	if (differs && !rc) {
		memset(bytes, 1, total * out->elem_size);
		rankset_clear(&ranks);
		rankset_add(&ranks, 3, 3);
		rc = values_add(out, &ranks, bytes);
	}
	rankset_clear(&ranks);
	free(bytes);
	return rc;
}

static int array(const char *name, const struct section *sec, struct values *out, struct err *err)
{
	struct section s = { 0 };

	if (sec && section_copy(&s, sec))
		return -1;
	if (section_bind(&s, name, 2, (int64_t[]){ 0, -2 }, (int64_t[]){ 9, 5 }, err) ||
	    section_total(&s) > 4096) {
		section_clear(&s);
		return err_set(err, "%s: not this section", name);
	}
	for (unsigned d = 0; d < s.ndim; d++) {
		for (uint64_t i = 0; i < section_count(&s, d); i++)
			FUZZ_CHECK(section_index(&s, d, i) >= (d ? -2 : 0) &&
				   section_index(&s, d, i) <= (d ? 2 : 8));
		if (!s.dim[d].scalar)
			out->count[out->ndim++] = section_count(&s, d);
	}
	section_clear(&s);
	return fill(out, false);
}

/* The name decides: the type by its first letter, u is an array, names of even length differ. */
static int resolve(void *arg, const char *name, const struct section *sec, struct values *out,
		   struct err *err)
{
	out->type = *name == 's' ? VALUE_STRUCT : (unsigned char)*name % VALUE_TYPES;
	out->elem_size = *name == 's' ? 24 : (uint32_t)value_size(out->type);
	if (*name == 'u' || *name == 'v')
		return array(name, sec, out, err);
	if (sec)
		return err_set(err, "%s is not an array", name);
	return fill(out, strlen(name) % 2 == 0);
}

/* The lengths of names: an object may hide a function. */
static bool known(void *arg, const char *name)
{
	return strlen(name) == 6;
}

/* What the evaluator gives a scope of a reduction's argument is an expression by itself, with the
 * same columns. */
static int reduce(void *arg, enum reduce what, const struct expr *e, const char *text,
		  struct values *out, struct err *err)
{
	struct expr *again = expr_parse(text, NULL);

	FUZZ_CHECK(again && again->kind == e->kind && again->column == e->column);
	expr_destroy(again);
	return 1;
}

/* Any part of the source is an expression by itself: ranks get it as text. */
static int typed(void *arg, const struct expr *e, struct values *out, struct err *err)
{
	char *text = strndup(e->source + e->from, e->end - e->from);
	struct expr *again = expr_parse(text, NULL);

	FUZZ_CHECK(e->from < e->end && e->end <= strlen(e->source));
	FUZZ_CHECK(again && again->kind == e->kind);
	expr_destroy(again);
	free(text);
	out->type = VALUE_POINTER;
	out->elem_size = 8;
	return fill(out, false);
}

static int call(void *arg, const struct expr *e, const char *cast, struct values *out,
		struct err *err)
{
	struct expr_name n;
	char *name = NULL;
	const struct expr *in = e->inside ? e : expr_call_within(e, &name);
	bool known;

	FUZZ_CHECK(in && in->inside && !expr_name_split(name ? name : e->name, &n) && n.nword);
	known = strlen(name ? name : e->name) <= 4;
	free(name);
	if (!known)
		return 1;
	out->type = VALUE_DOUBLE;
	out->elem_size = 8;
	return fill(out, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct expr_scope scope = { .resolve = resolve,
					  .known = known,
					  .reduce = reduce,
					  .typed = typed,
					  .call = call };
	char *text = strndup((const char *)data, size);
	struct err err = { "" };
	struct expr *e = expr_parse(text, &err);
	struct rankset who = { 0 };
	struct values q;

	FUZZ_CHECK(e || *err.text);
	rankset_add(&who, 0, 3);
	if (e) {
		if (!expr_eval(e, &who, &scope, &q, &err)) {
			FUZZ_CHECK(q.n >= 1);
			for (size_t g = 0; g < q.n; g++)
				FUZZ_CHECK(rankset_count(&q.group[g].ranks) >= 1);
			values_clear(&q);
		} else {
			FUZZ_CHECK(*err.text && !q.n);
		}
	}
	rankset_clear(&who);
	expr_destroy(e);
	free(text);
	return 0;
}

#ifdef FUZZ_MAIN
static bool fuzz_seed(unsigned i, struct buf *out)
{
	static const char *const text[] = {
		"a + b * 2 - c / 4 % 3",
		"-x < 1.5e-3 && !(y >= 0x1F) || z != 2",
		"u[2:5][*] * 2 + 1",
		"u(2:8:3,-1) - u({1,4,7},2)",
		"u[i][n+1] == v[{1,2}][::2]",
		"p%x%y + s.t@src/heat.c:12",
		"a .and. .not. b .or. c.lt.1d-3",
		"u[8:0:-1][:1] / u[*][-2:]",
		"(((1)))+++---!!2",
		"u[u[1][1]][0].field > 3",
		"sum(u[*][0]) / max(a, b, 2) - min(abs(u(1:3,0)))",
		"minval(u) + maxval(3) + abs(x) < sum(3)",
		"-a ** b ** 2 | c & (double) d ^ 3",
		"minloc(abs(u)) + maxloc(v(1:3,0)) * mean(u) - norm(a)",
		"merge(u, 0, isnan(u) || isinf(v)) + count(u > 3) - sizeof(unsigned char)",
		"any(sqrt(u) < exp(b)) || all(log(v) == 2) && norm2(x)",
		"cells.t[3].w[1:2].x + **pp->q@10 - *a@3[1]",
		"&u[3].x == &v && $rank * $iteration",
		"((struct cell *)p)[3].t + *(q + 1) - &a[3] + sizeof(struct p *) + sizeof *b",
		"#f.c#g#x[1] + [2.0#1]y * ns::z + (real)k - (p + 1)->x->y@3",
		"f(\"a,b\", (1, 2)) + g() ** (box<int> *)p - (double)h(x)",
		"mod(int(a), 3) + real(cmplx(b, 1)) - iand(c, ior(d, 1))",
	};

	if (i >= sizeof text / sizeof *text)
		return false;
	buf_put_raw(out, text[i], strlen(text[i]));
	return true;
}
#endif
