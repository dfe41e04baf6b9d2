/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The whole command language over a fake job: sets, verbs and their options, expressions, points,
 * aliases, history, lines that go on. An input is a few lines. Files that commands write are in a
 * directory of its own, which is why '/' is only let through as an operator.
 */
#include "tests/fuzz/fuzz.h"

#include <ftw.h>
#include <unistd.h>

#include "common/protocol/answer.h"
#include "common/array/array.h"
#include "common/logical/construct.h"
#include "common/protocol/report.h"
#include "common/array/value.h"
#include "frontend/cmd/cmd.h"
#include "frontend/session/session.h"
#include "tests/unit/fake_job.h"

#define LINES 12 /* of an input that are run */

static char dir[] = "/tmp/dvmdbg-fuzz-XXXXXX";

static int discard(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static void leave(void)
{
	nftw(dir, discard, 16, FTW_DEPTH | FTW_PHYS);
}

/* No program can be started, and what is written goes nowhere else. */
static void settle(void)
{
	static bool settled;

	if (settled)
		return;
	settled = true;
	FUZZ_CHECK(mkdtemp(dir) && !chdir(dir));
	atexit(leave);
	setenv("PATH", "/nowhere", 1);
	setenv("HOME", dir, 1);
	setenv("XDG_STATE_HOME", dir, 1);
	setenv("XDG_RUNTIME_DIR", dir, 1);
	setenv("TERM", "dumb", 1);
}

static void know(const char *name, unsigned kind, int64_t extent)
{
	struct array_desc d = { .name = (char *)name,
				.file = (char *)"src/heat.c",
				.line = 30,
				.kind = (uint8_t)kind,
				.type = VALUE_DOUBLE,
				.order = 'C',
				.elem_size = 8,
				.ndim = extent > 0,
				.extent = { extent },
				.own_hi = { extent - 1 },
				.stride = { 1 } };
	double x = 0.5;
	struct buf b = BUF_INIT;

	array_desc_put_global(&d, &b);
	fake_answer(QUERY_NAMES, NULL, "0:2", &b);
	array_desc_put_global(&d, &b);
	array_desc_put_local(&d, &b);
	fake_answer(QUERY_LAYOUT, name, "0:2", &b);
	if (kind == ARRAY_DISTRIBUTED)
		return;
	for (int i = 0; i < 2; i++) {
		buf_put_u8(&b, ANSWER_VALUE);
		buf_put_u8(&b, VALUE_DOUBLE);
		buf_put_u64(&b, 1);
		buf_put_raw(&b, &x, sizeof(x));
		fake_answer(QUERY_FETCH, name, i ? "2" : "0:1", &b);
		x += *name == 'x';
	}
}

/* Ranks 0 to 2 stand in a loop, 3 runs. */
static void furnish(void)
{
	struct report_stack *stack = calloc(1, sizeof(*stack));
	struct answer_native *native = calloc(1, sizeof(*native));
	struct report_status status = { .state = RANK_STOPPED, .point = { 3, 0, 0, POINT_BEGIN } };
	struct place here = { .file = "src/heat.c", .func = "main", .line = 61, .module = "" };
	struct report_point passed = { .point = status.point, .kind = CONSTRUCT_PL, .place = here };
	struct buf b = BUF_INIT;

	FUZZ_CHECK(stack && native);
	stack->n = 2;
	stack->frame[0] = (struct report_frame){ .kind = CONSTRUCT_FUNCTION, .place = here };
	stack->frame[1] =
		(struct report_frame){ .kind = CONSTRUCT_PL, .point = status.point, .place = here };
	status.frame = stack->frame[1];
	report_stack_put(stack, &b);
	fake_answer(QUERY_STACK, NULL, "0:3", &b);
	native->near = "";
	native->stack = *stack;
	answer_native_put(native, &b);
	fake_answer(QUERY_NATIVE, NULL, "0:2", &b);
	report_status_put(&status, &b);
	fake_answer(QUERY_STATUS, NULL, "0:3", &b);
	buf_put_u32(&b, 1);
	report_point_put(&passed, &b);
	fake_answer(QUERY_POINTS, NULL, "0:3", &b);
	know("eps", ARRAY_REPLICATED, 0);
	know("x", ARRAY_REPLICATED, 0);
	know("u", ARRAY_DISTRIBUTED, 40);
	fake_state("3", JOB_RUNNING);
	free(native);
	free(stack);
}

/* As a text, without ways out of the directory. */
static char *tame(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	FUZZ_CHECK(text != NULL);
	for (char *p = text; *p; p++)
		if (*p == '/' && p[1] != ' ')
			*p = '_';
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = tame(data, size), *rest = text, *line, *said;
	struct session *s;

	settle();
	s = fake_begin(&said, size & 1);
	furnish();
	for (int i = 0; i < LINES && (line = strsep(&rest, "\n")); i++) {
		int rc = cmd_line(s, line);
		const char *reported = fake_printed();

		/* what failed has told why */
		FUZZ_CHECK(!rc || *reported);
		fake_calls();
		s->quitting = s->fill_screen = false;
		/* verbs that end the job or load another */
		if (!s->job)
			break;
	}
	fake_end(s);
	free(text);
	return 0;
}

#ifdef FUZZ_MAIN
static bool fuzz_seed(unsigned i, struct buf *out)
{
	static const char *const text[] = {
		"[0:2] print x*2 + u[3:5][1] -name\nprint eps / 0 -format d\n!!\n!-2",
		"defset odd 1,3\n[odd] where 3 -all\nviewset\nwhichsets [0]\nundefset -all",
		"[0,2:3.*] status -mpi\n{0..2} where\n[!0:1.*] print eps\n[stopped] what -all",
		"break heat.c:61 -count 3\nbreak 13.B -if eps < 1e-6 && x != 2\nactions\n"
		"disable 0\nenable -all\ndelete -break",
		"break #src/heat.c#61 -stop [0:1]\nbarrier 5.2.3.E\nwatch u[3] -length 2\nactions "
		"-all",
		"alias show print eps; where; status\nshow\nunalias show\nalias\nbt\np x",
		"focus [0:1]\nlist 1 -length 5\nlist $EXEC\nlist heat.c:61\nup\ndown",
		"set MAX_LEVELS = 3\nset PROMPT = \"a b\"\nset\nunset -all\nset VERBOSE = ERR",
		"history 3\n!print\n!1\n# a comment\nprint \\\nx",
		"step 2\nstep -over\nstep -finish\nstep -iter\ncont\ngo\nwait -waitany\nhalt",
		"log out -output\nlog out2 -input -quiet\nlog -off\ninput out\nexport acts\n",
		"points heat.c:6. -last 5\nsearch /eps|u\nsearch [a-z]+(\ninfo address x\ndecomp u "
		"-all",
		"assign eps 0.25 -force\nassign u[3] 2\nprint u[::2]\nprint u[{1,4}] "
		"-index\ndiffer",
		"help\nhelp print\nhelp sets\nhelp nothing\ninfo\nfindings -kind k -rank 0:1",
		"load ./heat -copies 4\nrun 1 2 <in >out\nrerun\nkill\ndetach\nattach "
		"3\ncore\nquit",
		"level CHECKSUM\nstart 3.B\nfinish 13.E\nlimit Ig_left=2\nsums u\nhalo u\nstat "
		"u\nheatmap u",
		"save u[1:3] a.npy\ndiff u a.npy\nrecord r\ncompare r\nlocate\ntie 3 5\nuntie\nA: "
		"print x",
		"proginput hello\nproginput -eof\nsync [0:1]\ngdb 0\ntui\nst\nsta\nxyzzy\n[9] "
		"where\n[",
	};

	if (i >= sizeof text / sizeof *text)
		return false;
	buf_put_raw(out, text[i], strlen(text[i]));
	return true;
}
#endif
