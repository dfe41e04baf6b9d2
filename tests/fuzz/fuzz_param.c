/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parameter files, of ours and of the historical debugger. What is refused is told with its line.
 */
#include "tests/fuzz/fuzz.h"

#include <unistd.h>

#include "common/core/err.h"
#include "frontend/session/session.h"
#include "tests/unit/fake_job.h"

static char path[] = "/tmp/dvmdbg-fuzz-XXXXXX";

static void leave(void)
{
	unlink(path);
}

static void write_file(const uint8_t *data, size_t size)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { "" };
	struct session *s;
	char *said;

	write_file(data, size);
	s = fake_begin(&said, false);
	if (historical_file(s, path, &err))
		FUZZ_CHECK(!strncmp(err.text, path, strlen(path)) && err.text[strlen(path)] == ':');
	fake_end(s);
	return 0;
}

#ifdef FUZZ_MAIN
static bool fuzz_seed(unsigned i, struct buf *out)
{
	static const char *const text[] = {
		"EnableTrace=1;\nTraceOptions.TraceMode = 2;\nTraceOptions.TraceLevel = FULL\n",
		"/* many\nlines */ TraceOptions.Exp = 1e-4; // and so "
		"on\nTraceOptions.StrictCompare=ON\n",
		"TraceOptions.StartPoint = \"3.B\"\nTraceOptions.FinishPoint = \"256.3.4.E\"\n",
		"TraceOptions.Ig_left = -1\nTraceOptions.Iloc_right=3\nTraceOptions.Irep_left = "
		"5\n",
		"MAX_LIST = 20\nPROMPT = \"a; b // c\"\nTRACE_MEMORY = 64\n",
		"TraceOptions.HashIterIndex = 5\nTraceOptions.SpaceIndent=2\nErrorFile = errors\n",
		"TraceLevel = 7\n",
	};

	if (i >= sizeof(text) / sizeof(*text))
		return false;
	buf_put_raw(out, text[i], strlen(text[i]));
	return true;
}
#endif
