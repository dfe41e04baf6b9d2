/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file of marks: an error that names the file and the line, or marks, which are the same once
 * they are written and read again. Addresses and code are not asked for: that needs a program.
 */
#include "tests/fuzz/fuzz.h"

#include <unistd.h>

#include "common/core/err.h"
#include "frontend/marks/marks.h"

static char path[] = "/tmp/dvmdbg-fuzz-XXXXXX";

static void leave(void)
{
	unlink(path);
}

static void write_file(const void *data, size_t size)
{
	static bool made;
	FILE *f;

	if (!made) {
		int fd = mkstemp(path);

		FUZZ_CHECK(fd >= 0);
		close(fd);
		atexit(leave);
		made = true;
	}
	f = fopen(path, "wb");
	FUZZ_CHECK(f && fwrite(data, 1, size, f) == size);
	FUZZ_CHECK(!fclose(f));
}

static char *written(const struct marks *m)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	FUZZ_CHECK(f);
	for (uint32_t i = 0; i < m->n; i++)
		mark_write(&m->mark[i], f, "");
	FUZZ_CHECK(!fclose(f));
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { "" };
	struct marks m, same;
	char *text, *again;

	write_file(data, size);
	if (marks_read(&m, path, &err)) {
		FUZZ_CHECK(!strncmp(err.text, path, strlen(path)) && err.text[strlen(path)] == ':');
		FUZZ_CHECK(!m.mark && !m.n);
		return 0;
	}
	text = written(&m);
	write_file(text, strlen(text));
	FUZZ_CHECK(!marks_read(&same, path, &err) && same.n == m.n);
	again = written(&same);
	FUZZ_CHECK(!strcmp(text, again));
	free(text);
	free(again);
	marks_clear(&m);
	marks_clear(&same);
	return 0;
}

#ifdef FUZZ_MAIN
static bool fuzz_seed(unsigned i, struct buf *out)
{
	static const char *const text[] = {
		"# marks\n\nfunction    heat.c:20\nreplicated  heat.c:29  eps\n",
		"array       heat.c:31  u  shape [n, n]  own [r0:r1, c0:c1]  halo [1:2, 1]\nforget "
		" heat.c:75  u\n",
		"sequential  heat.c:52-70  range [1:steps]  iteration [t] at 53\n",
		("parallel    heat.c:61-67  on v  range [1:n - 2, 1:n - 2]  writes [v]  reads [u, "
		 "w]  "
		 "iteration [i, j] at 63\nreduction   heat.c:68  change max\n"),
		"array  gas.c:12  c[].rho  shape [n]  own [0:n - 1]\n",
		"array  lu.c:30  a  shape [n, n]  own [rank * b:n - 1:size * b:b, 0:n - 1]\n",
		"array  lu.f90:30  a  shape [n, n]  own [1:n, rank + 1:n:ranks]  lower [1, 0]\n",
		"array  room.f90:12  r%p(:, 1)  shape [n]  own [r%k0:r%k1]  halo [0:1]\n",
	};

	if (i >= sizeof(text) / sizeof(*text))
		return false;
	buf_put_raw(out, text[i], strlen(text[i]));
	return true;
}
#endif
