/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of traces: records, statistics, the last writes of an element. */
#include <string.h>
#include <strings.h>

#include "common/array/value.h"
#include "frontend/render/render.h"

#define FEW_RANKS 8 /* of which each function is counted, too */

/* Answers have the shortest number that reads back the same in its own type, as a double. */
static void put_value(FILE *f, const json_t *v)
{
	size_t n = json_array_size(v);
	char text[VALUE_TEXT];
	struct value x;

	x = (struct value){ .class = VALUE_IS_REAL, .re = json_real_value(v) };
	if (json_is_string(v))
		fputs(json_string_value(v), f);
	else if (json_is_integer(v))
		fprintf(f, "%lld", (long long)json_integer_value(v));
	else if (json_is_real(v))
		fputs(value_format(VALUE_DOUBLE, &x, 0, text), f);
	else if (json_is_boolean(v))
		fputs(json_is_true(v) ? "true" : "false", f);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ", " : "(", f);
		put_value(f, json_array_get(v, i));
	}
	if (n)
		fputc(')', f);
}

static void put_range(FILE *f, const json_t *list)
{
	for (size_t d = 0; d < json_array_size(list); d++) {
		const json_t *r = json_array_get(list, d);
		long long step = (long long)json_integer_value(json_array_get(r, 2));

		fprintf(f, "%s%lld:%lld", d ? "," : "  (",
			(long long)json_integer_value(json_array_get(r, 0)),
			(long long)json_integer_value(json_array_get(r, 1)));
		if (step != 1)
			fprintf(f, ":%lld", step);
	}
	if (json_array_size(list))
		fputc(')', f);
}

/* "[2] 3.B          write v[20][1] = 0.5  heat.c:67" */
static void put_record(FILE *f, const json_t *r)
{
	const char *op = out_str(r, "op");
	int depth = (int)out_int(r, "depth");

	fprintf(f, "[%lld", (long long)out_int(r, "rank"));
	if (out_get(r, "thread"))
		fprintf(f, ".%lld", (long long)out_int(r, "thread"));
	fprintf(f, "] %-8s %*s%s", out_str(r, "point"), 2 * (depth < 10 ? depth : 10), "", op);
	if (*out_str(r, "construct"))
		fprintf(f, " %s", out_str(r, "construct"));
	out_form(f, r, "<@iteration: {iteration}>< {element}>< (allocated at {allocated})>");
	if (out_get(r, "value")) {
		fputs(" = ", f);
		put_value(f, out_get(r, "value"));
	}
	put_range(f, out_get(r, "range"));
	out_form(f, r, "<@iterations:  {iterations} iterations><@records: {records} records>");
	if (!strcmp(op, "begin"))
		out_form(f, r, "<  {level}>");
	out_form(f, r, "< {text}>");
	if (out_get(r, "took"))
		fprintf(f, ", at %.6f s for %s", json_real_value(out_get(r, "time")),
			out_str(r, "took"));
	out_form(f, r, "<?left:  left early><?atomic:  atomic><  {place}>\n");
}

void out_text_trace(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "list");

	for (size_t i = 0; i < json_array_size(list); i++)
		put_record(f, json_array_get(list, i));
	out_form(f, a, "<... {more} more: -n, -from, -to, -rank, -array choose\n>");
}

static void put_file(FILE *f, const json_t *m)
{
	json_int_t records = out_int(m, "records"), bytes = out_int(m, "bytes");

	out_form(f, m, "[{rank}]  {level}  {records} records in {blocks} blocks, {bytes} bytes");
	if (records)
		fprintf(f, " (%.2f a record)", (double)bytes / (double)records);
	out_form(f, m,
		 ", to {last}<, in detail from {start}><, in detail to {finish}>"
		 "<!complete:, the run had not ended><, from {origin}><; {note}>\n");
}

/* "     400  MPI_Allreduce    3200 bytes    1.2 ms  longest 0.1 ms of [2]" */
static void put_total(FILE *f, const json_t *t, const char *before, const char *name)
{
	fprintf(f, "%s%8lld  %-22s %12lld bytes  %12.6f s", before, (long long)out_int(t, "calls"),
		name, (long long)out_int(t, "bytes"), json_real_value(out_get(t, "seconds")));
	if (out_int(t, "calls"))
		fprintf(f, "  longest %.6f s", json_real_value(out_get(t, "longest")));
}

static void put_calls(FILE *f, const json_t *calls)
{
	const json_t *list = out_get(calls, "list"), *ranks = out_get(calls, "ranks");
	bool few = json_array_size(ranks) > 1 && json_array_size(ranks) <= FEW_RANKS;

	fprintf(f, "calls of MPI, in %.6f s:\n", json_real_value(out_get(calls, "seconds")));
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *t = json_array_get(list, i);

		put_total(f, t, "  ", out_str(t, "call"));
		out_form(f, t, " on [{longest_rank}]\n");
	}
	for (size_t i = 0; i < json_array_size(ranks); i++) {
		const json_t *t = json_array_get(ranks, i), *of = out_get(t, "calls_of");
		char name[32];

		snprintf(name, sizeof(name), "[%lld]", (long long)out_int(t, "rank"));
		put_total(f, t, "  ", name);
		fputc('\n', f);
		for (size_t k = 0; k < json_array_size(of) && few; k++) {
			const json_t *one = json_array_get(of, k);

			put_total(f, one, "    ", out_str(one, "call"));
			fputc('\n', f);
		}
	}
}

void out_text_trace_stat(FILE *f, const json_t *a)
{
	json_t *list = json_object_get((json_t *)a, "list"), *n;
	const char *op;

	for (size_t i = 0; i < json_array_size(list); i++)
		put_file(f, json_array_get(list, i));
	out_form(f, a, "{records} records in {bytes} bytes");
	json_object_foreach(json_object_get((json_t *)a, "counts"), op, n)
		fprintf(f, ", %s %lld", op, (long long)json_integer_value(n));
	fputc('\n', f);
	if (out_get(a, "calls"))
		put_calls(f, out_get(a, "calls"));
}

/* Rows of letters under a scale of time. */
void out_text_timeline(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "list"), *legend = out_get(a, "legend");
	int width = (int)out_int(a, "width"), label = 1;
	char from[32], to[32];

	for (size_t i = 0; i < json_array_size(list); i++) {
		int n = snprintf(from, sizeof(from), "[%lld]",
				 (long long)out_int(json_array_get(list, i), "rank"));

		label = n > label ? n : label;
	}
	snprintf(from, sizeof(from), "%.6f s", json_real_value(out_get(a, "from")));
	snprintf(to, sizeof(to), "%.6f s", json_real_value(out_get(a, "to")));
	fprintf(f, "%*s %s%*s\n", label, "", from,
		width > (int)strlen(from) + 1 ? width - (int)strlen(from) : (int)strlen(to) + 1,
		to);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *r = json_array_get(list, i);

		snprintf(from, sizeof(from), "[%lld]", (long long)out_int(r, "rank"));
		fprintf(f, "%*s %s\n", label, from, out_str(r, "row"));
	}
	out_form(f, a,
		 "a column is {cell}; small letters: calls took less than half of it; . no call\n");
	out_form_each(f, legend, SIZE_MAX, "{letter} {words}\n");
}

/* The element that was asked for; of a complex one which part it is. */
static const char *written(const json_t *a, const json_t *w)
{
	const char *asked = out_str(a, "element"), *found = out_str(w, "element");
	size_t n = strlen(asked);

	/* Fortran's may have been asked for in other letters */
	return !strncasecmp(found, asked, n) && (!found[n] || strchr("%.", found[n])) ? found
										      : asked;
}

static void put_writer(FILE *f, const json_t *w)
{
	out_form(f, w, "  written by [{rank}] at ");
	fputs(*out_str(w, "point") ? out_str(w, "point") : "start", f);
	out_form(f, w, "< in iteration {iteration}><  {place}>");
}

/* Where the value comes from: what was read for a write is indented below it. */
static void put_chain(FILE *f, const json_t *w)
{
	const json_t *chain = out_get(w, "chain");

	for (size_t i = 0; i < json_array_size(chain); i++) {
		const json_t *o = json_array_get(chain, i);

		fprintf(f, "%*s%s = ", 2 * (int)out_int(o, "depth"), "", out_str(o, "element"));
		put_value(f, out_get(o, "value"));
		if (!strcmp(out_str(o, "from"), "unseen")) {
			out_form(f, o, "  read by [{rank}]; no write of it was recorded<  {place}>\n");
			continue;
		}
		put_writer(f, o);
		if (!strcmp(out_str(o, "from"), "message"))
			fputs("; a message has likely brought it", f);
		if (json_is_true(out_get(o, "again")))
			fputs("; as above", f);
		fputc('\n', f);
	}
	if (json_is_true(out_get(w, "shortened")))
		fputs("  (what was read before is left out)\n", f);
}

/* "v[20][1] was last written by [2] at 3.B in iteration (20,1), = 0.5  heat.c:67" */
void out_text_last_write(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "list");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *w = json_array_get(list, i);

		fprintf(f, "%s = ", written(a, w));
		put_value(f, out_get(w, "value"));
		put_writer(f, w);
		fputc('\n', f);
		put_chain(f, w);
	}
	if (!json_array_size(list))
		fprintf(f, "%s\n", out_str(a, "text"));
	else if (*out_str(a, "trace"))
		fprintf(f, "  (according to %s)\n", out_str(a, "trace"));
}

void out_text_levels(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "list");
	json_t *limits = json_object_get((json_t *)a, "limits"), *n;
	const char *name;

	fprintf(f, "level: %s\n", out_str(a, "level"));
	out_form_each(f, list, SIZE_MAX, "  {location}: {level}\n");
	json_object_foreach(limits, name, n)
		fprintf(f, "limit: %s=%lld\n", name, (long long)json_integer_value(n));
}
