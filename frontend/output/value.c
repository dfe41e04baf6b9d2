/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text form of values. An answer "print" has per group of ranks either `values`, flat with the
 * last dimension fastest, or `fields`, each with values of its own; `dims` shows the global
 * indices.
 */
#include "frontend/output/format.h"
#include "frontend/output/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/section.h"
#include "common/array/value.h"
#include "frontend/output/output.h"
#include "frontend/util/names.h"
#include "frontend/util/xalloc.h"

static int columns = 120;

int out_text_columns(int n)
{
	int before = columns;

	columns = n;
	return before;
}

/* How values of one answer are written. */
struct style {
	unsigned type; /* enum value_type */
	const char *format;
	int digits; /* of reals without a format; 0: all */
};

static unsigned type_of(const char *name)
{
	for (unsigned t = 0; t < VALUE_TYPES; t++)
		if (!strcmp(value_type_name(t), name))
			return t;
	return VALUE_DOUBLE;
}

static double real_of(const json_t *v)
{
	if (json_is_string(v))
		return strtod(json_string_value(v), NULL);
	return json_number_value(v);
}

static struct value value_of(unsigned type, const json_t *v)
{
	struct value x = { .class = (uint8_t)value_class(type) };

	switch (value_class(type)) {
	case VALUE_IS_REAL:
		x.re = real_of(v);
		break;
	case VALUE_IS_COMPLEX:
		x.re = real_of(json_array_get(v, 0));
		x.im = real_of(json_array_get(v, 1));
		break;
	case VALUE_IS_UINT:
		x.i = json_is_string(v) ? (int64_t)strtoull(json_string_value(v), NULL, 0)
					: json_integer_value(v);
		break;
	case VALUE_IS_BOOL:
		x.i = json_is_true(v);
		break;
	case VALUE_IS_INT:
		x.i = json_integer_value(v);
		break;
	}
	return x;
}

static const char *value_text(const struct style *s, const json_t *v, char out[VALUE_TEXT])
{
	struct out_format form;
	struct value x;

	if (!v || json_is_null(v))
		return strcpy(out, "?");
	x = value_of(s->type, v);
	if (!*s->format || out_format_parse(s->format, &form, NULL))
		return value_format(s->type, &x, s->digits, out);
	return out_format_value(&form, s->type, &x, out);
}

const char *out_text_value(const char *kind, const json_t *v, char *out)
{
	const struct style s = { type_of(kind), "", 0 };

	return json_is_string(v) && !strcmp(kind, "text") ? json_string_value(v)
							  : value_text(&s, v, out);
}

const char *out_text_value_as(const char *kind, const char *format, const json_t *v, char *out)
{
	const struct style s = { type_of(kind), format, 0 };

	return value_text(&s, v, out);
}

/* One dimension's indices of an answer. */
static long long index_at(const json_t *dim, size_t i)
{
	const json_t *list = out_get(dim, "list");

	if (list)
		return (long long)json_integer_value(json_array_get(list, i));
	return (long long)(out_int(dim, "first") + (json_int_t)i * out_int(dim, "step"));
}

static size_t dim_n(const json_t *dims, size_t d)
{
	return (size_t)out_int(json_array_get(dims, d), "n");
}

/* What an element is called: "u[498][3]"; name "" leaves only the indices. */
static void put_element(FILE *f, const json_t *a, const json_t *dims, const char *name,
			const size_t *at)
{
	size_t n = json_array_size(dims);
	bool round = !strcmp(out_str(a, "spelling"), "(");
	const json_t *fixed = out_get(a, "subscripts");
	int64_t index[ARRAY_DIMS];
	char text[600];

	/* subscripts: of every dimension of the object; a number where it is fixed. */
	n = fixed ? json_array_size(fixed) : n;
	for (size_t d = 0, k = 0; d < n && d < ARRAY_DIMS; d++) {
		const json_t *one = json_array_get(fixed, d);

		index[d] = json_is_integer(one) ? (int64_t)json_integer_value(one)
						: index_at(json_array_get(dims, k), at[k]);
		if (!json_is_integer(one))
			k++;
	}
	fputs(names_element(name, round, (unsigned)n, index, text, sizeof(text)), f);
}

/* Each element in a line of its own, with its index. */
static void put_lines(FILE *f, const json_t *a, const struct style *s, const json_t *dims,
		      const json_t *values, const char *name, const char *indent)
{
	size_t at[ARRAY_DIMS] = { 0 }, n = json_array_size(dims);
	char text[VALUE_TEXT];

	for (size_t i = 0; i < json_array_size(values); i++) {
		fputs(indent, f);
		put_element(f, a, dims, name, at);
		fprintf(f, " = %s\n", value_text(s, json_array_get(values, i), text));
		for (size_t d = n; d-- && ++at[d] == dim_n(dims, d);)
			at[d] = 0;
		if (i % 256 == 255 && out_cut_short())
			break;
	}
}

static int glyph_width(const struct style *s, const json_t *values)
{
	char text[VALUE_TEXT];
	size_t width = 1;

	for (size_t i = 0; i < json_array_size(values); i++) {
		size_t len = strlen(value_text(s, json_array_get(values, i), text));

		width = len > width ? len : width;
		if (i % 256 == 255 && out_cut_short())
			break;
	}
	return (int)width;
}

static int index_width(const json_t *dim)
{
	int width = 1;

	for (size_t i = 0; i < (size_t)out_int(dim, "n"); i++) {
		int len = snprintf(NULL, 0, "%lld", index_at(dim, i));

		width = len > width ? len : width;
	}
	return width;
}

/* A table of a slice: element (i, j) is values[base + i * down + j * right]. */
struct table {
	const json_t *rows, *cols, *values;
	size_t base, down, right;
	int width;
};

static void put_table(FILE *f, const struct style *s, const struct table *t, const char *indent)
{
	size_t nrow = (size_t)out_int(t->rows, "n"), ncol = (size_t)out_int(t->cols, "n");
	int label = index_width(t->rows), head = index_width(t->cols);
	int width = t->width > head ? t->width : head;
	size_t fit = (size_t)(columns - label - 2) / (size_t)(width + 2);
	char text[VALUE_TEXT];

	fit = fit ? fit : 1;
	for (size_t c = 0; c < ncol; c += fit) {
		size_t end = c + fit < ncol ? c + fit : ncol;

		fprintf(f, "%s  %*s", indent, label, "");
		for (size_t j = c; j < end; j++)
			fprintf(f, "  %*lld", width, index_at(t->cols, j));
		fputc('\n', f);
		for (size_t i = 0; i < nrow; i++) {
			fprintf(f, "%s  %*lld", indent, label, index_at(t->rows, i));
			for (size_t j = c; j < end; j++) {
				size_t at = t->base + i * t->down + j * t->right;

				fprintf(f, "  %*s", width,
					value_text(s, json_array_get(t->values, at), text));
			}
			fputc('\n', f);
			if (out_cut_short())
				return;
		}
	}
}

/* Full precision when the columns fit beside each other, else as many digits as do: 10, 8 or 6. */
static int table_digits(struct style s, const struct table *t, const json_t *values)
{
	static const int tries[] = { 0, 10, 8, 6 };
	bool real = value_class(s.type) == VALUE_IS_REAL || value_class(s.type) == VALUE_IS_COMPLEX;
	int room = columns - index_width(t->rows) - 2, ncol = (int)out_int(t->cols, "n");

	/* What cannot fit however short is not tried. */
	for (size_t i = ncol * 3 > room ? 3 : 0;
	     real && !*s.format && i < sizeof(tries) / sizeof(*tries); i++) {
		s.digits = tries[i];
		if (ncol * (glyph_width(&s, values) + 2) <= room)
			break;
	}
	return s.digits;
}

/* Three dimensions and more: a table per combination of the others, under the indices it has. */
static void put_slices(FILE *f, const struct style *full, const json_t *a, const json_t *dims,
		       const json_t *values, const char *indent)
{
	size_t n = json_array_size(dims), at[ARRAY_DIMS] = { 0 }, stride[ARRAY_DIMS];
	bool fortran = !strcmp(out_str(a, "order"), "F");
	size_t row = fortran ? 0 : n - 2, col = row + 1;
	struct table t = { .rows = json_array_get(dims, row),
			   .cols = json_array_get(dims, col),
			   .values = values };
	struct style short_style = *full, *s = &short_style;

	s->digits = table_digits(*full, &t, values);
	t.width = glyph_width(s, values);

	stride[n - 1] = 1;
	for (size_t d = n - 1; d--;)
		stride[d] = stride[d + 1] * dim_n(dims, d + 1);
	t.down = stride[row];
	t.right = stride[col];
	for (;;) {
		size_t d;

		t.base = 0;
		if (n > 2)
			fprintf(f, "%s  %c", indent, fortran ? '(' : '[');
		for (d = 0; d < n; d++) {
			t.base += at[d] * stride[d];
			if (n == 2)
				continue;
			if (d)
				fputs(fortran ? "," : "][", f);
			if (d == row || d == col)
				fputc('*', f);
			else
				fprintf(f, "%lld", index_at(json_array_get(dims, d), at[d]));
		}
		if (n > 2)
			fprintf(f, "%c:\n", fortran ? ')' : ']');
		put_table(f, s, &t, indent);
		for (d = n; d--;) {
			if (d == row || d == col)
				continue;
			if (++at[d] < dim_n(dims, d))
				break;
			at[d] = 0;
		}
		if (d == (size_t)-1 || out_cut_short())
			break;
	}
	if (s->digits)
		fprintf(f, "%s(%d digits; -format .17g shows all)\n", indent, s->digits);
}

/* "1 2 3 4" as long as it fits; else lines that begin with the index of their first element. */
static void put_row(FILE *f, const struct style *s, const json_t *dims, const json_t *values,
		    size_t used, const char *indent)
{
	const json_t *dim = json_array_get(dims, 0);
	size_t n = json_array_size(values), total = used, fit;
	int width = glyph_width(s, values), label = index_width(dim);
	char text[VALUE_TEXT];

	for (size_t i = 0; i < n && total <= (size_t)columns; i++)
		total += strlen(value_text(s, json_array_get(values, i), text)) + 1;
	if (total <= (size_t)columns) {
		for (size_t i = 0; i < n; i++)
			fprintf(f, " %s", value_text(s, json_array_get(values, i), text));
		fputc('\n', f);
		return;
	}
	fputc('\n', f);
	fit = (size_t)(columns - label - 2) / (size_t)(width + 2);
	fit = fit ? fit : 1;
	for (size_t i = 0; i < n; i++) {
		if (i % fit == 0)
			fprintf(f, "%s  %*lld:", indent, label, index_at(dim, i));
		fprintf(f, "  %*s", width, value_text(s, json_array_get(values, i), text));
		if (i % fit != fit - 1 && i != n - 1)
			continue;
		fputc('\n', f);
		if (out_cut_short())
			return;
	}
}

/* "{dt = 0.1, steps = 5}" in line. */
static void put_fields(FILE *f, const json_t *fields, const char *format)
{
	char text[VALUE_TEXT];

	fputc('{', f);
	for (size_t i = 0; i < json_array_size(fields); i++) {
		const json_t *field = json_array_get(fields, i), *values = out_get(field, "values");
		struct style s = { type_of(out_str(field, "kind")), format, 0 };
		size_t n = json_array_size(values);

		fprintf(f, "%s%s = %s", i ? ", " : "", out_str(field, "name"), n > 1 ? "{" : "");
		for (size_t k = 0; k < n; k++)
			fprintf(f, "%s%s", k ? ", " : "",
				value_text(&s, json_array_get(values, k), text));
		if (n > 1)
			fputc('}', f);
	}
	fputc('}', f);
}

/* Characters as a text, up to the first zero. */
static void put_string(FILE *f, const struct style *s, const json_t *values)
{
	fputs(" \"", f);
	for (size_t i = 0; i < json_array_size(values); i++) {
		struct value x = value_of(s->type, json_array_get(values, i));

		if (!x.i)
			break;
		if (x.i >= 32 && x.i < 127)
			fputc((int)x.i, f);
		else
			fprintf(f, "\\%03o", (unsigned)x.i & 0xff);
	}
	fputs("\"\n", f);
}

/* Characters that make a text, with zeroes behind it or none, and no small numbers. */
static bool is_text(const struct style *s, const json_t *values)
{
	size_t n = json_array_size(values), i = 0;

	if (s->type != VALUE_CHAR || *s->format)
		return false;
	for (; i < n; i++) {
		int64_t c = value_of(s->type, json_array_get(values, i)).i;

		if (!c)
			break;
		if (c < 32 || c > 126)
			return false;
	}
	for (size_t k = i; k < n; k++)
		if (value_of(s->type, json_array_get(values, k)).i)
			return false;
	return i > 0;
}

/* One group's values after what is written on the line so far. */
static void put_group(FILE *f, const json_t *a, const json_t *g, size_t used, const char *indent)
{
	const json_t *dims = out_get(g, "dims") ? out_get(g, "dims") : out_get(a, "dims");
	const json_t *values = out_get(g, "values"), *error = out_get(g, "error");
	struct style s = { type_of(out_str(g, "kind")), out_str(a, "format"), 0 };
	char text[VALUE_TEXT];

	if (error) {
		fprintf(f, " <%s>\n", json_string_value(error));
	} else if (out_get(g, "fields")) {
		fputc(' ', f);
		put_fields(f, out_get(g, "fields"), s.format);
		fputc('\n', f);
	} else if (!json_array_size(dims)) {
		fprintf(f, " %s\n", value_text(&s, json_array_get(values, 0), text));
	} else if (!json_array_size(values)) {
		fputs(" (no element)\n", f);
	} else if (json_is_true(out_get(a, "named")) || json_is_true(out_get(a, "indexed"))) {
		fputc('\n', f);
		put_lines(f, a, &s, dims, values,
			  json_is_true(out_get(a, "named")) ? out_str(a, "name") : "", indent);
	} else if (json_array_size(dims) == 1 && (!strcmp(s.format, "s") || is_text(&s, values))) {
		put_string(f, &s, values);
	} else if (json_array_size(dims) == 1) {
		put_row(f, &s, dims, values, used, indent);
	} else {
		fputc('\n', f);
		put_slices(f, &s, a, dims, values, indent);
	}
}

/* A group as one short text, or NULL when it is a table or too long. */
static char *short_group(const json_t *a, const json_t *g)
{
	char *text = NULL, *end;
	size_t len = 0;
	FILE *f = xmemstream(&text, &len);

	fprintf(f, "%s:", out_ranks(g, "ranks"));
	put_group(f, a, g, strlen(out_ranks(g, "ranks")) + 1, "");
	xmemstream_close(f);
	end = text ? strchr(text, '\n') : NULL;
	if (!end || end[1]) {
		free(text);
		return NULL;
	}
	*end = 0;
	return text;
}

/* Of scalars in more groups than are shown: between what they are. */
static void put_spread(FILE *f, const json_t *a, const json_t *groups)
{
	const json_t *least = NULL, *greatest = NULL;
	struct style s = { type_of(out_str(json_array_get(groups, 0), "kind")),
			   out_str(a, "format"), 0 };
	double lo = 0, hi = 0;
	char text[VALUE_TEXT];

	if (value_class(s.type) == VALUE_IS_COMPLEX || value_class(s.type) == VALUE_IS_BOOL)
		return;
	for (size_t i = 0; i < json_array_size(groups); i++) {
		const json_t *g = json_array_get(groups, i), *values = out_get(g, "values");
		double x = json_array_size(values) == 1 ? real_of(json_array_get(values, 0)) : NAN;

		if (isnan(x))
			continue;
		if (!least || x < lo) {
			least = g;
			lo = x;
		}
		if (!greatest || x > hi) {
			greatest = g;
			hi = x;
		}
	}
	if (!least)
		return;
	fprintf(f, "   least %s",
		value_text(&s, json_array_get(out_get(least, "values"), 0), text));
	fprintf(f, " on %s, greatest ", out_ranks(least, "ranks"));
	fprintf(f, "%s on %s\n",
		value_text(&s, json_array_get(out_get(greatest, "values"), 0), text),
		out_ranks(greatest, "ranks"));
}

/* room: of groups that are shown. */
static void put_differing(FILE *f, const json_t *a, const json_t *groups, size_t used, size_t room)
{
	size_t all = json_array_size(groups), n = all < room ? all : room, total = used + 12;
	char **text = xcalloc(n, sizeof(*text)), how[300];
	bool short_ones = n == all;

	for (size_t i = 0; i < n; i++) {
		text[i] = short_group(a, json_array_get(groups, i));
		total += text[i] ? strlen(text[i]) + 4 : 0;
		short_ones = short_ones && text[i];
	}
	fputs(" <differing>", f);
	if (short_ones && total <= (size_t)columns) {
		for (size_t i = 0; i < n; i++)
			fprintf(f, "%s%s", i ? "    " : "   ", text[i]);
		fputc('\n', f);
	} else {
		fputc('\n', f);
		for (size_t i = 0; i < n; i++) {
			const json_t *g = json_array_get(groups, i);

			fprintf(f, "   %s:", out_ranks(g, "ranks"));
			put_group(f, a, g, strlen(out_ranks(g, "ranks")) + 4, "   ");
		}
	}
	if (n < all) {
		snprintf(how, sizeof(how), "print %.200s -all", out_str(a, "expr"));
		fputs("   ", f);
		out_more(f, all - n, "group", how);
		if (!json_array_size(out_get(a, "dims")))
			put_spread(f, a, groups);
	}
	for (size_t i = 0; i < n; i++)
		free(text[i]);
	free(text);
}

/* room: of groups that are shown. */
static void print_some(FILE *f, const json_t *a, size_t room)
{
	const json_t *groups = out_get(a, "groups"), *notes = out_get(a, "notes");

	if (json_array_size(groups)) {
		fprintf(f, "%s =", out_str(a, "expr"));
		if (json_array_size(groups) > 1 || json_is_true(out_get(a, "differing")))
			put_differing(f, a, groups, strlen(out_str(a, "expr")) + 2, room);
		else
			put_group(f, a, json_array_get(groups, 0), strlen(out_str(a, "expr")) + 2,
				  "");
	}
	if (out_cut_short())
		fputs("   (cut short)\n", f);
	for (size_t i = 0; i < json_array_size(notes); i++)
		fprintf(f, "   %s\n", json_string_value(json_array_get(notes, i)));
}

void out_text_print(FILE *f, const json_t *a)
{
	print_some(f, a, out_room());
}

void out_text_differ(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "list");
	size_t n = json_array_size(list), shown = out_entries(n), room = out_room();

	/* what each takes beside its groups: name, how to see the rest, notes */
	if (room != SIZE_MAX && n > 1)
		room = room / n > 4 ? room / n - 3 : 2;
	for (size_t i = 0; i < shown; i++)
		print_some(f, json_array_get(list, i), room);
	out_more(f, n - shown, "object", "differ -all");
	if (!n)
		fprintf(f, "%s\n", out_str(a, "text"));
}
