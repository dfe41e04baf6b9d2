/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs and their debug information, which may be anybody's: a small program of the tests, of
 * which the input overwrites parts: u8 section, u32 offset, the bytes. Section 0 is the head of the
 * file.
 */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/protocol/report.h"
#include "frontend/launch/launch.h"
#include "frontend/symbols/symbols.h"

#define PARTS 16 /* of an input */
#define SECTIONS 64

static char path[] = "/tmp/dvmdbg-fuzz-XXXXXX";
static unsigned char *good;
static size_t size;
static int out = -1;
static struct {
	size_t at, n;
} section[SECTIONS];
static unsigned sections;
static bool known; /* the program is the one that we mean */

static void leave(void)
{
	unlink(path);
	free(good);
}

/* The program that lies beside us: not stripped, with libdvmdbg and marks. */
static int open_good(void)
{
	char exe[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 32);

	FUZZ_CHECK(n > 0);
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	strcpy(slash, "/../prog/points/marks");
	n = open(exe, O_RDONLY);
	known = n >= 0;
	return known ? (int)n : open("/proc/self/exe", O_RDONLY);
}

static void find_sections(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	section[sections++].n = 64;
	section[sections].at = size - 64 * 40;
	section[sections++].n = 64 * 40;
	while (sections < SECTIONS && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type != SHT_NOBITS && sh.sh_size) {
			section[sections].at = sh.sh_offset;
			section[sections++].n = sh.sh_size;
		}
	elf_end(elf);
}

static void prepare(void)
{
	struct stat st;
	int fd;

	if (out >= 0)
		return;
	fd = open_good();
	out = mkstemp(path);
	FUZZ_CHECK(elf_version(EV_CURRENT) != EV_NONE && fd >= 0 && out >= 0 && !fstat(fd, &st));
	size = (size_t)st.st_size;
	good = malloc(size);
	FUZZ_CHECK(good && read(fd, good, size) == (ssize_t)size);
	FUZZ_CHECK(write(out, good, size) == (ssize_t)size && !fchmod(out, 0700));
	find_sections(fd);
	close(fd);
	/* what is open for writing cannot be executed, but nobody does */
	atexit(leave);
}

/* The bytes of the input, or what was there. */
static void overwrite(struct buf *in, bool back)
{
	for (unsigned i = 0; i < PARTS && buf_left(in) && !in->bad; i++) {
		unsigned k = buf_get_u8(in) % sections;
		size_t at = buf_get_u32(in) % section[k].n, n;
		const unsigned char *bytes = buf_get_blob(in, &n);

		if (in->bad || !n)
			break;
		n = n < section[k].n - at ? n : section[k].n - at;
		at += section[k].at;
		FUZZ_CHECK(pwrite(out, back ? good + at : bytes, n, (off_t)at) == (ssize_t)n);
	}
}

static void count(void *arg, const char *name)
{
	*(size_t *)arg += strlen(name);
}

/* libdw itself loses what it has found of scopes when one of them is damaged. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libdw.so";
}

/* What files of marks, frames and calls ask about code. */
static void use_code(struct symbols *s, uint64_t vaddr)
{
	static const char *const terms[] = { "t", "u", "*u", "u[t - 1]", "w->x", "eps" };
	struct symbol_site site[SYMBOL_SITES];
	struct symbol_marks marks;
	struct symbol_call call[8];
	struct symbol_loop loop;
	struct err err = { "" };
	uint64_t *end = NULL;
	uint32_t nend = 0;
	char text[256];
	int n;

	FUZZ_CHECK(symbols_calls(s, path, vaddr, call, 8) <= 8);
	symbols_local_at(s, path, vaddr, 16, -16, text, sizeof(text));
	symbols_passed_at(s, path, vaddr, 8, text, sizeof(text));
	symbols_marks(s, path, "marks.c", 40, true, &marks);
	n = symbols_sites(s, path, "marks.c", 20, 60, site, &err);
	FUZZ_CHECK(n <= SYMBOL_SITES && (n >= 0 || *err.text));
	for (int i = 0; i < n && i < 2; i++) {
		struct symbol_code frame = { NULL, 0 };

		symbols_loop(s, path, &site[i], site[i].line, site[i].line + 5, &loop, &err);
		symbol_loop_clear(&loop);
		symbols_returns(s, path, &site[i], &end, &nend, &err);
		free(end);
		end = NULL;
		symbols_frame(s, path, site[i].vaddr, &frame, &err);
		free(frame.op);
		for (unsigned k = 0; k < sizeof(terms) / sizeof(*terms); k++) {
			struct symbol_object o;

			symbols_object(s, path, site[i].vaddr, terms[k], &o, &err);
			symbol_object_clear(&o);
		}
	}
}

/* as_it_was: all is found. */
static void use_symbols(bool as_it_was)
{
	struct place p = { .file = "", .func = "", .module = path };
	struct symbol_range range[4];
	struct symbol_function f;
	struct symbol_data data;
	struct err err = { "" };
	struct symbols *s = symbols_create();
	char text[256];
	size_t n = 0;

	FUZZ_CHECK(s);
	symbols_unhooked(s, path, count, &n);
	symbols_sources(s, path, count, &n);
	p.vaddr = symbols_address(s, path, "main");
	symbols_text(s, &p, text, sizeof(text));
	for (unsigned i = 0; i < 4; i++) {
		p.vaddr += 37;
		symbols_resolve(s, &p);
		n += strlen(p.file);
		p.file = "";
	}
	FUZZ_CHECK(symbols_lines(s, path, "marks.c", 40, range, 4) <= 4);
	if (symbols_function(s, path, "main", &f))
		n += strlen(f.file);
	else
		FUZZ_CHECK(!as_it_was);
	symbols_data_at(s, path, 0x4010, 8, "main", &data, text, sizeof(text));
	symbols_data_find(s, path, "u", &data, &err);
	use_code(s, p.vaddr);
	FUZZ_CHECK(n < (1u << 30));
	symbols_destroy(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct buf in = buf_view(bytes, len), again = in;
	struct program p = { 0 };
	struct err err = { "" };

	prepare();
	overwrite(&in, false);
	if (program_open(&p, path, &err))
		FUZZ_CHECK(*err.text && len);
	FUZZ_CHECK(len || !known || p.annotated);
	program_clear(&p);
	use_symbols(!len && known);
	overwrite(&again, true);
	return 0;
}

#ifdef FUZZ_MAIN
/* A few bytes in each section. */
static bool fuzz_seed(unsigned i, struct buf *b)
{
	static const uint32_t odd[] = { 0, 1, 0x7fffffff, 0xffffffff, 0x10000, 8, 0x80 };

	prepare();
	if (i >= 32 * sections)
		return false;
	buf_put_u8(b, (uint8_t)(i / 32));
	buf_put_u32(b, i % 32 * 4);
	buf_put_blob(b, &odd[i % 7], 4);
	return true;
}
#endif
