/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text form of hangs: what ranks do in MPI, for whom they wait, and why that does not end.
 */
#include "frontend/render/render.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/core/parse.h"

#define CAUSES 6 /* that are shown */
#define REQUESTS 8

static void put_place(FILE *f, const json_t *o)
{
	if (!*out_str(o, "file"))
		return;
	fprintf(f, "  %s", path_base(out_str(o, "file")));
	if (out_int(o, "line"))
		fprintf(f, ":%lld", (long long)out_int(o, "line"));
}

/* A number, or a word. */
static void put_value(FILE *f, const char *before, const json_t *v)
{
	if (json_is_integer(v))
		fprintf(f, "%s%lld", before, (long long)json_integer_value(v));
	else if (json_is_string(v))
		fprintf(f, "%s%s", before, json_string_value(v));
}

/* " from 1, tag 7, 4 MPI_INT, MPI_COMM_WORLD (2 ranks)". */
static void put_op(FILE *f, const json_t *op)
{
	const char *kind = out_str(op, "kind"), *sep = "";
	const json_t *peer = out_get(op, "peer");

	if (json_is_string(peer) || json_is_integer(peer)) {
		put_value(f, !strcmp(kind, "receive") ? " from " : " to ", peer);
		sep = ",";
	}
	if (out_get(op, "tag")) {
		bool any = json_is_string(out_get(op, "tag"));

		fprintf(f, any ? "%s any tag" : "%s tag %lld", sep,
			(long long)out_int(op, "tag"));
		sep = ",";
	}
	if (out_get(op, "root")) {
		fprintf(f, "%s root %lld", sep, (long long)out_int(op, "root"));
		sep = ",";
	}
	if (*out_str(op, "datatype")) {
		fprintf(f, "%s %lld %s", sep, (long long)out_int(op, "count"),
			out_str(op, "datatype"));
		sep = ",";
	}
	if (*out_str(op, "comm"))
		fprintf(f, " on %s (%lld rank%s)", out_str(op, "comm"),
			(long long)out_int(op, "size"), out_int(op, "size") == 1 ? "" : "s");
}

/* What comes before the call. */
static const char *doing_before(const char *doing)
{
	if (!strcmp(doing, "polls"))
		return "polls ";
	return strcmp(doing, "stopped") ? "" : "stopped in ";
}

void render_mpi_call(FILE *f, const json_t *o)
{
	const json_t *ops = out_get(o, "ops");
	json_int_t requests = out_int(o, "requests");

	if (!*out_str(o, "call")) {
		fputs(out_str(o, "doing"), f);
		return;
	}
	fprintf(f, "%s%s", doing_before(out_str(o, "doing")), out_str(o, "call"));
	if (requests > 1)
		fprintf(f, ", %s %lld requests",
			json_is_true(out_get(o, "any")) ? "one of" : "all of", (long long)requests);
	else if (json_array_size(ops) && !requests)
		put_op(f, json_array_get(ops, 0));
	put_place(f, o);
}

void out_text_mpi_ops(FILE *f, const json_t *o, const char *indent)
{
	const json_t *ops = out_get(o, "ops");
	size_t n = json_array_size(ops);

	for (size_t i = out_int(o, "requests") ? 0 : 1; i < n; i++) {
		const json_t *op = json_array_get(ops, i);

		if (i == REQUESTS && n > REQUESTS + 1) {
			fprintf(f, "%s... %zu more\n", indent, n - i);
			break;
		}
		fprintf(f, "%s%s", indent, out_str(op, "call"));
		put_op(f, op);
		put_place(f, op);
		fputc('\n', f);
	}
}

void out_text_still(FILE *f, const json_t *g)
{
	double seconds = json_number_value(out_get(g, "seconds"));

	if (seconds > 0)
		fprintf(f, "  for %.1f s", seconds);
}

static void put_group(FILE *f, const json_t *g, int width)
{
	fprintf(f, "  %-*s  ", width, out_ranks(g, "ranks"));
	render_mpi_call(f, g);
	out_text_still(f, g);
	if (*out_str(g, "waits_for"))
		fprintf(f, ", waits for %s", out_ranks(g, "waits_for"));
	fputc('\n', f);
	out_text_mpi_ops(f, g, "      ");
}

/* Of a rank whose stack alone is known. */
static void put_stack_group(FILE *f, const json_t *g, int width)
{
	const char *doing = out_str(g, "doing"), *name = out_str(g, "name");
	bool call = *out_str(g, "call");

	fprintf(f, "  %-*s  ", width, out_ranks(g, "ranks"));
	if (call)
		fprintf(f, "%s%s%s", strcmp(doing, "call") ? doing : "",
			strcmp(doing, "call") ? " in " : "", out_str(g, "call"));
	else
		fputs(doing, f);
	put_place(f, g);
	if (*name)
		fprintf(f, "  in %s()", name);
	if (*out_str(g, "why"))
		fprintf(f, ": %s", out_str(g, "why"));
	if (json_is_true(out_get(g, "moved")) && strcmp(doing, "computes"))
		fputs(", has moved", f);
	fputc('\n', f);
}

/* Of a job that was attached to. */
static void put_by_stacks(FILE *f, const json_t *a)
{
	const json_t *groups = out_get(a, "groups");
	size_t n = json_array_size(groups), shown = n < out_room() ? n : out_room();
	int width = out_widest(groups, "ranks", shown, 40);

	if (!strcmp(out_str(a, "verdict"), "no progress"))
		fprintf(f,
			"No progress seen for %.1f s; whether it is a deadlock cannot be decided "
			"for a "
			"program that dvmdbg has not started\n",
			json_number_value(out_get(a, "seconds")));
	else if (!strcmp(out_str(a, "verdict"), "stopped"))
		fputs("Nothing runs, so that nothing can be seen to move; go lets stopped ranks go "
		      "on\n",
		      f);
	else
		fprintf(f, "No hang seen in %.1f s\n", json_number_value(out_get(a, "seconds")));
	for (size_t i = 0; i < shown; i++)
		put_stack_group(f, json_array_get(groups, i), width);
	out_more(f, n - shown, "group", "hang -all");
}

void out_text_hang(FILE *f, const json_t *a)
{
	const json_t *groups = out_get(a, "groups"), *causes = out_get(a, "causes");
	size_t n = json_array_size(groups), shown = n < out_room() ? n : out_room();
	size_t why = json_array_size(causes);
	int width = out_widest(groups, "ranks", shown, 40);
	double seconds = json_number_value(out_get(a, "seconds"));

	if (!strcmp(out_str(a, "by"), "stacks")) {
		put_by_stacks(f, a);
		return;
	}
	if (!strcmp(out_str(a, "verdict"), "deadlock"))
		fprintf(f, "Deadlock: %s can never go on; nothing has moved for %.1f s\n",
			out_ranks(a, "stuck"), seconds);
	else
		fprintf(f,
			"No progress seen for %.1f s; this may not be a deadlock, as ranks may "
			"compute "
			"or poll\n",
			seconds);
	for (size_t i = 0; i < why && i < CAUSES; i++)
		fprintf(f, "  %s\n", out_str(json_array_get(causes, i), "text"));
	if (why > CAUSES)
		fprintf(f, "  ... %zu more reasons: --json has all\n", why - CAUSES);
	for (size_t i = 0; i < shown; i++)
		put_group(f, json_array_get(groups, i), width);
	out_more(f, n - shown, "group", "hang -all");
	if (out_get(a, "calls")) {
		fputs("calls:\n", f);
		out_text_tree(f, out_get(a, "calls"));
	}
}
