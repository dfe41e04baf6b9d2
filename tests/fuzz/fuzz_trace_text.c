/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text traces and configuration files. What can be read is written again, and can be read then. The
 * first byte says where the input begins: 0 the head, 1 behind a head.
 */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/tracefile/tracefile.h"
#include "common/dvmtext/dvmtext.h"

static char dir[] = "fuzz-text-XXXXXX";
static bool prepared;

static const char *path_of(const char *name)
{
	static char path[4][80];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[0]), "%s/%s", dir, name);
	return path[turn];
}

static void clean_up(void)
{
	unlink(path_of("in"));
	unlink(path_of("bin"));
	unlink(path_of("out"));
	rmdir(dir);
}

static void prepare(void)
{
	if (prepared)
		return;
	prepared = true;
	FUZZ_CHECK(mkdtemp(dir));
	atexit(clean_up);
}

static void try_head(void)
{
	struct err err = { "" };
	struct dvmtext_head h, again;
	FILE *f = fopen(path_of("in"), "rb");

	FUZZ_CHECK(f);
	if (dvmtext_head_read(&h, f, "in", &err)) {
		FUZZ_CHECK(*err.text);
		fclose(f);
		return;
	}
	fclose(f);
	for (int config = 0; config < 2; config++) {
		f = fopen(path_of("out"), "w+b");
		FUZZ_CHECK(f && !dvmtext_head_write(&h, f, config));
		rewind(f);
		if (dvmtext_head_read(&again, f, "out", &err)) {
			fprintf(stderr, "%s\n", err.text);
			abort();
		}
		fclose(f);
		FUZZ_CHECK(again.nloop == h.nloop && again.narray == h.narray &&
			   again.nsetting == h.nsetting);
		dvmtext_head_clear(&again);
	}
	dvmtext_head_clear(&h);
}

/* What it exports as, and as what that is imported again, is the same but for blanks; owned. */
static char *text_of(const char *name)
{
	char *text = NULL, *to;
	size_t n = 0;
	FILE *f = fopen(path_of(name), "rb"), *out = open_memstream(&text, &n);
	int c;

	FUZZ_CHECK(f && out);
	while ((c = getc(f)) != EOF)
		putc(c, out);
	fclose(f);
	fclose(out);
	to = text;
	for (char *p = text; *p; p++)
		if (*p != ' ')
			*to++ = *p;
	*to = '\0';
	return text;
}

static void export(void)
{
	struct err err = { "" };
	struct trace_reader *m = trace_reader_open(path_of("bin"), &err);
	FILE *f = fopen(path_of("out"), "wb");

	FUZZ_CHECK(m && f);
	if (dvmtext_export(m, f, "out", NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	fclose(f);
	trace_reader_close(m);
}

static void try_trace(void)
{
	struct dvmtext_count one, two;
	struct err err = { "" };
	char *first, *second;

	if (dvmtext_import(path_of("in"), path_of("bin"), 0, &one, &err)) {
		FUZZ_CHECK(*err.text);
		return;
	}
	dvmtext_head_clear(&one.head);
	export();
	if (!one.records)
		return;
	if (dvmtext_import(path_of("out"), path_of("bin"), 0, &two, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	FUZZ_CHECK(one.count[TRACE_BEFORE] == two.count[TRACE_BEFORE] &&
		   one.count[TRACE_WRITE] == two.count[TRACE_WRITE] &&
		   one.count[TRACE_READ] == two.count[TRACE_READ] &&
		   one.count[TRACE_ITER] == two.count[TRACE_ITER] &&
		   one.count[TRACE_BEGIN] == two.count[TRACE_BEGIN] &&
		   one.count[TRACE_REDUCTION] == two.count[TRACE_REDUCTION]);
	dvmtext_head_clear(&two.head);
	first = text_of("out");
	export();
	second = text_of("out");
	FUZZ_CHECK(!strcmp(first, second));
	free(first);
	free(second);
}

static const char head[] =
	"MODE = FULL\nCPU_COUNT = 1\nPL: 1() [2] {\"a.c\", 20} = \nEL: 1\nEND_HEADER\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *f;

	if (!size)
		return 0;
	prepare();
	f = fopen(path_of("in"), "wb");
	FUZZ_CHECK(f);
	if (data[0] & 1)
		fputs(head, f);
	fwrite(data + 1, 1, size - 1, f);
	fclose(f);
	try_head();
	try_trace();
	return 0;
}

#ifdef FUZZ_MAIN

static bool fuzz_seed(unsigned i, struct buf *out)
{
	static const char *const seeds[] = {
		"# Begin trace header\nTASK_NAME = \"./x\"\nMODE = FULL\nSTARTPOINT = \n"
		"ARR: \"A\" (4) [2] {\"a.c\", 15, 0, 1} = FULL\n"
		"SL: 4() [1] {\"a.c\", 28} = # , (0:1,6,1)\n  # Trace size = 7 bytes\n"
		"  PL: 2(4) [2] {\"a.c\", 31} = MODIFY, (0:1,6,1), (1:-1,6,2)\n"
		"  EL: 2 (\"A\", \"a.c\", 15, 0, \"rw\")\nEL: 4\nEND_HEADER\n",
		"BW: [4] \"A\"; {\"a.c\", 1}\nAW: [4] \"A\" = 4.5E-08; {\"a.c\", 1}\n"
		"PL: 1() [2]; {\"a.c\", 20}, 1.B\n  IT: 4, (1,1)\n  BW: [4] \"A[1][1]\"; {\"a.c\", "
		"2}\n"
		"  RD: [3] \"F(-1,7)\" = 0.1; {\"a.c\", 3}\n  AW: [4] \"A[1][1]\"#NAN; {\"a.c\", "
		"2}\n"
		"  IT: 6, (2,-1)\n  RV_RD: [1] \"s\" = 4; {\"a.c\", 3}\nEL: 1; {\"a.c\", 5}, 1.E\n"
		"  CS(\"A\", \"a.c\", 15, 0, \"w\")=\"0.5\"\nRV: [4] 0.25; {\"a.c\", "
		"2}\nEND_TRACE\n",
		"SL: 4() [1]; {\"a.c\", 28}\n  IT: 1, (1)\n  TR: 2(4) [1]; {\"a.c\", 31}, 2.B\n"
		"    IT: 1, (1)\n    RD: [6] \"z\" = (1,-2.5); {\"a.c\", 32}\n"
		"    PL: 3(2) [1]; {\"a.c\", 33}, 2.1.1.B\n      IT: 5, (5)\n"
		"      RD: [0] \"A[3][1]\" = -7; {\"a.c\", 3}\n"
		"    EL: 3; {\"a.c\", 34}, 2.1.1.E\n    IT: 2, (2)\n  EL: 2; {\"a.c\", 35}, 2.E\n"
		"# VALUE: [4] \"z\" {\"a.c\", 3, 0} = 0.5\n"
		"# VALUE: [4] \"w[1]\" {\"a.c\", 4, 1} print 00112233445566778899aabbccddeeff\n"
		"# VALUE: [4] \"w[1]\" {\"a.c\", 4, 1} part 0 8 0000000000000f3f\n"
		"SKP: {\"a.c\", 36}\nEL: 4; {\"a.c\", 36}\nEND_TRACE\n",
	};

	if (i >= sizeof(seeds) / sizeof(*seeds))
		return false;
	buf_put_u8(out, i > 0);
	buf_put_raw(out, seeds[i], strlen(seeds[i]));
	return true;
}
#endif
