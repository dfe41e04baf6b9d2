/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text form of where ranks are: stops, ends, stacks, states, points.
 */
#include "frontend/render/render.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/core/parse.h"
#include "common/logical/construct.h"

static bool one_rank(const char *ranks)
{
	size_t n = strlen(ranks);

	return n > 2 && strspn(ranks + 1, "0123456789") == n - 2;
}

/* "Rank [1]", "Ranks [0:2]". */
static void put_ranks(FILE *f, const char *ranks)
{
	fprintf(f, "%s %s", one_rank(ranks) ? "Rank" : "Ranks", ranks);
}

static void put_place(FILE *f, const json_t *a, const char *before)
{
	const char *file = out_str(a, "file");

	if (!*file)
		return;
	fprintf(f, "%s%s", before, path_base(file));
	out_form(f, a, "<:{line}>");
}

static bool numbered(const char *construct)
{
	return !strcmp(construct, "parallel loop") || !strcmp(construct, "task region") ||
	       !strcmp(construct, "PL") || !strcmp(construct, "TR") ||
	       !strcmp(construct, construct_words(CONSTRUCT_MPI)) ||
	       !strcmp(construct, construct_brief(CONSTRUCT_MPI)) ||
	       !strcmp(construct, construct_words(CONSTRUCT_OMP)) ||
	       !strcmp(construct, construct_brief(CONSTRUCT_OMP));
}

/* What a frame is called: "main", "task 3", "PL", "parallel loop". */
static void put_construct(FILE *f, const json_t *a)
{
	const char *construct = out_str(a, "construct");
	const json_t *iteration = out_get(a, "iteration");

	if ((!strcmp(construct, "function") ||
	     !strcmp(construct, construct_brief(CONSTRUCT_MPI))) && *out_str(a, "name"))
		construct = out_str(a, "name");
	fputs(construct, f);
	if (!strcmp(construct, "task") && json_array_size(iteration)) {
		fputc(' ', f);
		out_index(f, iteration);
	}
}

/* What a stop is at: "Point 3.B", "Iteration 2", "Function main", "Beginning". */
static void put_what(FILE *f, const json_t *a)
{
	const char *construct = out_str(a, "construct");
	const json_t *iteration = out_get(a, "iteration");
	bool ending = json_is_true(out_get(a, "ending"));

	if (!strcmp(construct, "parallel loop") && !ending && json_array_size(iteration)) {
		out_form(f, a, "Iteration {iteration}");
	} else if (!strcmp(construct, construct_words(CONSTRUCT_FINISH))) {
		fputs("The end of the program", f);
	} else if (!*construct || numbered(construct)) {
		fprintf(f, "Point %s", *out_str(a, "point") ? out_str(a, "point") : "start");
	} else if (!strcmp(construct, "function")) {
		out_form(f, a, ending ? "End of function {name}" : "Function {name}");
	} else if (!strcmp(construct, "task")) {
		out_form(f, a, ending ? "End of task {iteration}" : "Task {iteration}");
	} else if (ending) {
		fputs("End", f);
	} else if (json_array_size(iteration)) {
		out_form(f, a, "Iteration {iteration}");
	} else {
		fputs("Beginning", f);
	}
}

/* "actionpoint 0", "actionpoints 0,2": those that the stop is one at. */
static void put_acts(FILE *f, const json_t *list)
{
	size_t n = json_array_size(list);

	if (n)
		fprintf(f, "  actionpoint%s ", n > 1 ? "s" : "");
	for (size_t i = 0; i < n; i++)
		fprintf(f, i ? ",%lld" : "%lld",
			(long long)json_integer_value(json_array_get(list, i)));
}

/* "    SIGSEGV at calls.c:59 in crash(), address 0x8, 3 elements before u[0][0]" */
static void put_at(FILE *f, const json_t *a)
{
	const json_t *at = out_get(a, "at");
	const char *func = out_str(at, "function");

	fputs("    ", f);
	if (!strcmp(out_str(a, "reason"), "paused") ||
	    !strcmp(out_str(a, "reason"), "error of MPI"))
		fputs(out_str(a, "reason"), f);
	else if (!strcmp(out_str(a, "type"), "exit"))
		fputs("left", f);
	else
		out_form(f, a, *out_str(a, "signal") ? "{signal}" : "MPI_Abort({code})");
	put_place(f, at, " at ");
	if (*func)
		fprintf(f, " in %s()", func);
	else
		fputs(" outside of the program's functions", f);
	out_form(f, at, "<, calling {calls}><, address {address}><, {near}><: {cause}>\n");
	out_form(f, at, "<    {message}\n>");
}

void out_text_stop(FILE *f, const json_t *a)
{
	const char *reason = out_str(a, "reason"), *construct = out_str(a, "construct");
	bool bad = true;

	if (!strcmp(reason, "signal"))
		out_form(f, a, "Signal {signal}  {ranks#}");
	else if (!strcmp(reason, "MPI_Abort"))
		out_form(f, a, "MPI_Abort({code})  {ranks#}");
	else if (!strcmp(reason, "error of MPI"))
		out_form(f, a, "Error of MPI  {ranks#}");
	else if (!strcmp(reason, "paused"))
		out_form(f, a, "Paused  {ranks#}");
	else if (!strcmp(reason, "write")) {
		out_text_write(f, out_get(a, "write"), true);
		out_form(f, a, "  {ranks#}");
	} else
		bad = false;
	if (!bad) {
		put_what(f, a);
		out_form(f, a, "  {ranks#}");
	}
	if (*construct && strcmp(construct, "function") && strcmp(construct, "task") &&
	    strcmp(construct, construct_words(CONSTRUCT_FINISH)))
		fprintf(f, "  %s", strcmp(construct, construct_words(CONSTRUCT_MPI)) ?
					   construct : out_str(a, "name"));
	put_place(f, a, "  ");
	out_form(f, a, "<  {text}>");
	put_acts(f, out_get(a, "actionpoints"));
	out_form(f, a, "<?held:  held>");
	if (bad && strcmp(out_str(a, "point"), "none")) {
		fprintf(f, "  last point %s", *out_str(a, "point") ? out_str(a, "point") : "start");
		out_form(f, a, "<, iteration {iteration}>");
	}
	fputc('\n', f);
	if (out_get(a, "at"))
		put_at(f, a);
}

/* "last seen at 13.B, in PL heat.c:61" */
static void put_last(FILE *f, const json_t *a)
{
	const char *point = out_str(a, "point");
	const json_t *stack = out_get(a, "stack");
	const json_t *inner = json_array_get(stack, json_array_size(stack) - 1);

	if (!*point || !strcmp(point, "start"))
		fputs("; no point had been passed", f);
	else if (strcmp(point, "none"))
		fprintf(f, "; last seen at %s", point);
	if (!inner)
		return;
	fputs(", in ", f);
	put_construct(f, inner);
	put_place(f, inner, " ");
}

/* "   iteration 3"; a task has its number in its name. */
static void put_iteration(FILE *f, const json_t *v)
{
	if (strcmp(out_str(v, "construct"), "task"))
		out_form(f, v, "<   iteration {iteration}>");
}

#define VALUES 3 /* of one argument, that are shown */

/* " (n=100, i=7 [3] | 3 [0:2])" */
static void put_arguments(FILE *f, const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *a = json_array_get(list, i), *groups = out_get(a, "groups");
		size_t n = json_array_size(groups);

		fprintf(f, "%s%s=", i ? ", " : " (", out_str(a, "name"));
		for (size_t k = 0; k < n && k < VALUES; k++) {
			const json_t *g = json_array_get(groups, k);

			fprintf(f, "%s%s", k ? " | " : "", out_str(g, "value"));
			if (n > 1)
				fprintf(f, " %s", out_ranks(g, "ranks"));
		}
		if (n > VALUES)
			fprintf(f, " | %zu other values", n - VALUES);
	}
	if (list)
		fputs(json_array_size(list) ? ")" : " ()", f);
}

/* "PL  heat.c:61   3.B", "main  heat.c:20". */
static void put_frame(FILE *f, const json_t *v)
{
	put_construct(f, v);
	put_arguments(f, out_get(v, "arguments"));
	put_place(f, v, "  ");
	out_form(f, v, "<   {point}>");
	put_iteration(f, v);
	if (json_is_true(out_get(v, "ending")) && !*out_str(v, "point"))
		fputs("   end", f);
}

/* The frames round the innermost one, which the line above has reported. */
static void put_outer(FILE *f, const json_t *stack)
{
	for (size_t i = json_array_size(stack); i-- > 1;) {
		fputs("    in ", f);
		put_frame(f, json_array_get(stack, i - 1));
		fputc('\n', f);
	}
}

void out_text_exit(FILE *f, const json_t *a)
{
	const char *how = out_str(a, "how"), *mpi = out_str(a, "mpi");
	long long code = (long long)out_int(a, "code");
	bool quiet = false;

	put_ranks(f, out_ranks(a, "ranks"));
	if (!strcmp(how, "killed")) {
		fprintf(f, " %s killed by %s%s", one_rank(out_ranks(a, "ranks")) ? "was" : "were",
			out_str(a, "signal"),
			json_is_true(out_get(a, "core")) ? " (core dumped)" : "");
	} else if (!strcmp(how, "not started")) {
		fprintf(f, " could not be started: %s",
			*out_str(a, "text") ? out_str(a, "text") : strerror((int)code));
		quiet = true;
	} else if (!strcmp(how, "ended")) {
		fputs(" ended; the exit status is not known, as dvmdbg did not start the program",
		      f);
		quiet = true;
	} else {
		fprintf(f, " exited with code %lld", code);
		quiet = !code && !*mpi;
	}
	if (json_is_true(out_get(a, "no_memory")))
		fputs(", by the kernel, as memory was used up", f);
	out_form(f, a, "<@abort: after MPI_Abort({abort})>< {mpi}>");
	if (!quiet)
		put_last(f, a);
	fputc('\n', f);
	if (!quiet)
		put_outer(f, out_get(a, "stack"));
	if (out_get(a, "at"))
		put_at(f, a);
}

void out_text_waiting(FILE *f, const json_t *a)
{
	const char *point = out_str(a, "point");

	fprintf(f, "%s %s", out_ranks(a, "ranks"),
		*out_str(a, "state") ? out_str(a, "state") : "running");
	if (*point && strcmp(point, "start") && strcmp(point, "none"))
		fprintf(f, ", last seen at %s", point);
	else if (strcmp(point, "none") && out_get(a, "seconds"))
		fputs(", no point passed", f);
	if (*out_str(a, "construct")) {
		fputs(", in ", f);
		put_construct(f, a);
		put_place(f, a, " ");
	}
	out_form(f, a, "<, {mpi}><@seconds:, {seconds} s ago>\n");
}

/* Lines that the variants of a frame may take, so that all frames stay within a screen. */
static size_t where_room(const json_t *frames)
{
	size_t n = json_array_size(frames), split = 0, room = out_room();

	for (size_t i = 0; i < n; i++)
		split += json_array_size(out_get(json_array_get(frames, i), "variants")) > 1;
	if (!split || room == SIZE_MAX)
		return room;
	return room > n ? (room - n) / split : 0;
}

/* Where the ranks wait for orders, or carry them out, that the rank of the frame gives. */
static void put_dispatch(FILE *f, const json_t *frame, int width, size_t room)
{
	const json_t *list = out_get(frame, "dispatch");
	size_t n = json_array_size(list), shown = n < room || n == 1 ? n : room;

	for (size_t i = 0; i < shown; i++) {
		const json_t *v = json_array_get(list, i);

		fprintf(f, "     %-14s  %-*s  ", "dispatch", width, out_ranks(v, "ranks"));
		put_frame(f, v);
		out_form(f, v, "<, in {call}>\n");
	}
	if (shown < n) {
		fputs("     ", f);
		out_more(f, n - shown, "group", "where -all");
	}
}

static void where_frame(FILE *f, const json_t *frame, bool marked, int width, size_t room)
{
	const json_t *variants = out_get(frame, "variants");
	size_t n = json_array_size(variants), shown = n;

	fprintf(f, "%s%*lld  %-14s  ", marked ? ">" : " ", 2, (long long)out_int(frame, "index"),
		out_str(frame, "kind"));
	if (n == 1) {
		fprintf(f, "%-*s  ", width, out_ranks(frame, "ranks"));
		put_frame(f, json_array_get(variants, 0));
		fputc('\n', f);
		return;
	}
	if (n > room)
		shown = room > 1 ? room - 1 : 0;
	fprintf(f, "%s", out_ranks(frame, "ranks"));
	fprintf(f, shown ? "\n" : "  in %zu groups: where -all\n", n);
	width = out_widest(variants, "ranks", shown, 40);
	for (size_t i = 0; i < shown; i++) {
		const json_t *v = json_array_get(variants, i);

		fprintf(f, "       %-*s  ", width, out_ranks(v, "ranks"));
		put_frame(f, v);
		fputc('\n', f);
	}
	if (shown && shown < n) {
		fputs("       ", f);
		out_more(f, n - shown, "group", "where -all");
	}
}

void out_text_where(FILE *f, const json_t *a)
{
	const json_t *frames = out_get(a, "frames");
	size_t n = json_array_size(frames), room = where_room(frames);
	int width = out_widest(frames, "ranks", n, 40);
	long long level = (long long)out_int(a, "level");

	for (size_t i = 0; i < n; i++) {
		const json_t *frame = json_array_get(frames, i);

		where_frame(f, frame, level && out_int(frame, "index") == level, width, room);
		put_dispatch(f, frame, width, room);
	}
	if ((json_int_t)n < out_int(a, "total") && !json_is_true(out_get(a, "one")))
		fprintf(f, "%lld more frames: where -all\n",
			(long long)(out_int(a, "total") - (json_int_t)n));
	if (!out_int(a, "total"))
		out_form(f, a, "{ranks#}  no construct or function is open\n");
	out_form(f, a, "<{lost} inner frames are not kept\n>");
	out_form_each(f, out_get(a, "lacking"), json_array_size(out_get(a, "lacking")),
		      "{ranks}  no calls are known: {text}\n");
	out_form(f, a, "<?running:{running#} still running: the stack of this moment\n>"
		    "<?silent:{silent#} did not answer within QUERY_TIMER\n>");
}

/* Those that a list of calls takes, with what is inside; they are shown to a depth. */
static void put_calls(FILE *f, const json_t *calls, unsigned depth, int width)
{
	for (size_t i = 0; i < json_array_size(calls); i++) {
		const json_t *c = json_array_get(calls, i);

		fprintf(f, "  %-*s  %*s%s", width, out_ranks(c, "ranks"), (int)depth, "",
			out_str(c, "name"));
		put_place(f, c, "  ");
		out_form(f, c, "<  {openmp}>");
		out_form(f, c, "<?times:  <?round:these {round} calls >{times} times>\n");
		put_calls(f, out_get(c, "calls"), depth + 1, width);
	}
}

static int widest_calls(const json_t *calls)
{
	int width = out_widest(calls, "ranks", json_array_size(calls), 40);

	for (size_t i = 0; i < json_array_size(calls); i++) {
		int inner = widest_calls(out_get(json_array_get(calls, i), "calls"));

		width = inner > width ? inner : width;
	}
	return width;
}

void out_text_tree(FILE *f, const json_t *calls)
{
	put_calls(f, calls, 0, widest_calls(calls));
}

void out_text_calls(FILE *f, const json_t *a)
{
	out_text_tree(f, out_get(a, "tree"));
	out_form_each(f, out_get(a, "lacking"), json_array_size(out_get(a, "lacking")),
		      "  {ranks}  no calls are known: {text}\n");
	out_form(f, a, "<  {idle}  in no function of the program\n>");
	out_form(f, a, "<?silent:{silent#} did not answer within QUERY_TIMER\n>");
}

/* "  n = 100", and of values that differ a line each with its ranks. */
static void put_variable(FILE *f, const json_t *v)
{
	const json_t *groups = out_get(v, "groups");
	size_t n = json_array_size(groups), shown = n < out_room() ? n : out_room();
	int width = out_widest(groups, "ranks", shown, 40);

	for (size_t i = 0; i < shown; i++) {
		const json_t *g = json_array_get(groups, i);

		if (n > 1)
			fprintf(f, "  %-*s", width, out_ranks(g, "ranks"));
		out_form(f, v, "  {name}");
		if (json_is_true(out_get(v, "typed")))
			out_form(f, g, ": {kind}");
		out_form(f, g, " = {value}\n");
	}
	out_more(f, n - shown, "group", "a set of ranks before the verb");
}

void out_text_locals(FILE *f, const json_t *a)
{
	const json_t *calls = out_get(a, "calls");

	for (size_t i = 0; i < json_array_size(calls); i++) {
		const json_t *c = json_array_get(calls, i), *list = out_get(c, "variables");

		if (!json_is_true(out_get(a, "one")))
			out_form(f, c, "{name}  {ranks#}\n");
		for (size_t k = 0; k < json_array_size(list); k++)
			put_variable(f, json_array_get(list, k));
		if (!json_array_size(list))
			fprintf(f, "  no %s\n",
				json_is_true(out_get(a, "args")) ? "arguments" : "variables");
	}
	out_form_each(f, out_get(a, "lacking"), json_array_size(out_get(a, "lacking")),
		      "{ranks}  no variables are known: {text}\n");
}

/* "f(3) = 9", and of results that differ a line each with its ranks. */
void out_text_call(FILE *f, const json_t *a)
{
	const json_t *groups = out_get(a, "groups"), *lacking = out_get(a, "lacking");
	size_t n = json_array_size(groups), shown = n < out_room() ? n : out_room();
	bool named = n > 1 || json_array_size(lacking);
	int width = out_widest(groups, "ranks", shown, 40);

	for (size_t i = 0; i < shown; i++) {
		const json_t *g = json_array_get(groups, i);

		if (named)
			fprintf(f, "  %-*s  ", width, out_ranks(g, "ranks"));
		out_form(f, a, "{call}");
		out_form(f, g, "<?value: = {value}><?text:: {text}>\n");
	}
	out_more(f, n - shown, "group", "a set of ranks before the verb");
	out_form_each(f, lacking, json_array_size(lacking), "  {ranks}  not called: {text}\n");
	if (json_is_true(out_get(a, "kept")))
		fputs("  kept: registers, stack, signal mask and errno are as they were; memory, "
		      "files and whatever "
		      "else the function has changed stay so\n",
		      f);
}

/* What several gdbs have said, each text with its ranks when there are others, or ranks that were
 * asked for have none. */
void out_text_gdb(FILE *f, const json_t *a)
{
	const json_t *groups = out_get(a, "groups");
	size_t n = json_array_size(groups), shown = n < out_room() ? n : out_room();

	for (size_t i = 0; i < shown; i++) {
		const json_t *g = json_array_get(groups, i);

		if (n > 1 || json_is_true(out_get(a, "some")))
			fprintf(f, "%s:\n", out_ranks(g, "ranks"));
		if (*out_str(g, "text"))
			fprintf(f, "%s\n", out_str(g, "text"));
		if (json_is_true(out_get(g, "running")))
			fprintf(f, "the program runs\n");
	}
	out_more(f, n - shown, "group", "a set of ranks before the verb");
}

static void status_group(FILE *f, const json_t *g, int width)
{
	const char *point = out_str(g, "point");
	bool stopped =
		!strcmp(out_str(g, "state"), "stopped") || !strcmp(out_str(g, "state"), "held");
	bool more = *point || *out_str(g, "reason") || *out_str(g, "signal") ||
		    out_get(g, "code") || *out_str(g, "construct") || *out_str(g, "mpi");

	fprintf(f, "  %-*s  %-*s", width, out_ranks(g, "ranks"), more ? 8 : 0, out_str(g, "state"));
	out_form(f, g, "<  {reason}><  {signal}>");
	if (!*out_str(g, "signal"))
		out_form(f, g, "<@code:  code {code}>");
	if (*point)
		fprintf(f, "  %s%s", stopped ? "" : "last seen at ", point);
	if (*out_str(g, "construct")) {
		fputs("  ", f);
		put_construct(f, g);
		put_place(f, g, "  ");
		put_iteration(f, g);
	}
	out_form(f, g, "<  {mpi}><@seconds:, {seconds} s ago>\n");
	if (*out_str(g, "text"))
		fprintf(f, "  %*s  %s\n", width, "", out_str(g, "text"));
}

/* "  rank 0: process 4711 on node1" */
static void put_processes(FILE *f, const json_t *list)
{
	size_t n = json_array_size(list), shown = n < out_room() ? n : out_room();

	out_form_each(f, list, shown, "  rank {rank}: process {pid} on {host}\n");
	out_more(f, n - shown, "rank", "status -pid -all");
}

/* "  [0.1:2]  relax  heat.c:61" */
static void put_threads(FILE *f, const json_t *threads)
{
	size_t n = json_array_size(threads), shown = n < out_room() ? n : out_room();
	int width = out_widest(threads, "ranks", shown, 40);

	if (n)
		fputs("threads:\n", f);
	for (size_t i = 0; i < shown; i++) {
		const json_t *g = json_array_get(threads, i);

		fprintf(f, "  %-*s  %s", width, out_ranks(g, "ranks"),
			*out_str(g, "name") ? out_str(g, "name") : "in no function of the program");
		put_place(f, g, "  ");
		fputc('\n', f);
	}
	out_more(f, n - shown, "group", "status -all");
}

static void put_mpi_calls(FILE *f, const json_t *calls)
{
	size_t n = json_array_size(calls), shown = n < out_room() ? n : out_room();
	int width = out_widest(calls, "ranks", shown, 40);

	if (n)
		fputs("calls of MPI:\n", f);
	for (size_t i = 0; i < shown; i++) {
		const json_t *g = json_array_get(calls, i);

		fprintf(f, "%-*s  ", width, out_ranks(g, "ranks"));
		render_mpi_call(f, g);
		out_text_still(f, g);
		fputc('\n', f);
		out_text_mpi_ops(f, g, "    ");
	}
	out_more(f, n - shown, "group", "status -mpi -all");
}

void out_text_status(FILE *f, const json_t *a)
{
	const json_t *groups = out_get(a, "groups");
	size_t n = json_array_size(groups), shown = n < out_room() ? n : out_room();
	int width = out_widest(groups, "ranks", shown, 40);

	out_form(f, a, "<?program:{program}, {n|rank}>{text}\n");
	for (size_t i = 0; i < shown; i++)
		status_group(f, json_array_get(groups, i), width);
	out_more(f, n - shown, "group", "status -all");
	out_form(f, a, "<?gdb:gdb has {gdb#}; gdb -all quit leaves it to dvmdbg again\n>");
	put_threads(f, out_get(a, "threads"));
	put_mpi_calls(f, out_get(a, "calls"));
	put_processes(f, out_get(a, "processes"));
}

void out_text_points(FILE *f, const json_t *a)
{
	const json_t *list = out_get(a, "list");
	int width = out_widest(list, "point", json_array_size(list), 40);

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *p = json_array_get(list, i);

		fprintf(f, "%-*s  %s", width, out_str(p, "point"), out_str(p, "construct"));
		put_place(f, p, "  ");
		if (json_is_number(out_get(p, "seconds")))
			fprintf(f, "   %.6f s", json_number_value(out_get(p, "seconds")));
		out_form(f, p, "<?ranks:   {ranks#}>\n");
	}
	if (!json_array_size(list))
		fprintf(f, "%s\n",
			*out_str(a, "text") ? out_str(a, "text") : "no point has been passed");
	out_form(f, a, "<?silent:{silent#} did not answer within QUERY_TIMER\n>");
}
