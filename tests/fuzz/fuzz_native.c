/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variables, types and expressions by debug information that may be anybody's: a core file of a
 * small program, whose file the input overwrites parts of: u8 section, u32 offset, the bytes.
 * Section 0 is an expression instead, which is asked for.
 */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/protocol/answer.h"
#include "common/protocol/msg.h"
#include "runtime/exec/native/native.h"
#include "runtime/exec/sys/core.h"
#include "runtime/exec/sys/memory.h"

#define PARTS 16 /* of an input */
#define SECTIONS 64

static const char *const terms[] = {
	"c->at.x",
	"*c",
	"c->next->rows[1][0:2]",
	"cells[2].low + 1",
	"cells.id",
	"row[1]",
	"u@3",
	"(double *)u + 1",
	"sizeof(*c)",
	"(struct cell *)c",
	"&cells[1]",
	"((struct point *)c->to)->y",
	"table[1][*]",
	"wave * 2",
	"#subject.c#outer#n",
	"GREEN",
	"last",
	"c->count",
	"sizeof(struct cell)",
	"(char)text[1]",
};

static char directory[] = "/tmp/dvmdbg-fuzz-XXXXXX";
static char path[64], core_path[64];
static unsigned char *good;
static size_t size;
static int out = -1;
static struct {
	size_t at, n;
} section[SECTIONS];
static unsigned sections;

static void leave(void)
{
	unlink(path);
	unlink(core_path);
	rmdir(directory);
	free(good);
}

/* The program that lies beside us. */
static int open_good(void)
{
	char exe[PATH_MAX], *slash;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 32);

	FUZZ_CHECK(n > 0);
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	strcpy(slash, "/subject");
	return open(exe, O_RDONLY);
}

/* Only debug information, unwinding and symbols: the memory is the core's. */
static void find_sections(int fd)
{
	static const char *const wanted[] = {
		".debug_info",	  ".debug_abbrev",   ".debug_str",	".debug_line",
		".debug_aranges", ".debug_loclists", ".debug_rnglists", ".debug_line_str",
		".eh_frame",	  ".symtab",	     ".strtab"
	};
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *scn = NULL;
	size_t names = 0;
	GElf_Shdr sh;

	sections = 1;
	FUZZ_CHECK(elf && !elf_getshdrstrndx(elf, &names));
	while (sections < SECTIONS && (scn = elf_nextscn(elf, scn)))
		for (unsigned i = 0; gelf_getshdr(scn, &sh) && i < sizeof(wanted) / sizeof(*wanted);
		     i++) {
			const char *name = elf_strptr(elf, names, sh.sh_name);

			if (!name || strcmp(name, wanted[i]) || !sh.sh_size)
				continue;
			section[sections].at = sh.sh_offset;
			section[sections++].n = sh.sh_size;
		}
	elf_end(elf);
}

static void prepare(void)
{
	char command[256];
	struct stat st;
	int fd;

	if (out >= 0)
		return;
	FUZZ_CHECK(elf_version(EV_CURRENT) != EV_NONE && mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/subject", directory);
	snprintf(core_path, sizeof(core_path), "%s/core", directory);
	fd = open_good();
	out = open(path, O_RDWR | O_CREAT | O_EXCL, 0700);
	FUZZ_CHECK(fd >= 0 && out >= 0 && !fstat(fd, &st));
	atexit(leave);
	size = (size_t)st.st_size;
	good = malloc(size);
	FUZZ_CHECK(good && read(fd, good, size) == (ssize_t)size);
	FUZZ_CHECK(write(out, good, size) == (ssize_t)size);
	close(out); /* what is open for writing cannot be executed */
	find_sections(fd);
	close(fd);
	snprintf(command, sizeof(command),
		 "gdb -batch -nx -ex run -ex 'gcore %s' %s >/dev/null 2>&1 </dev/null", core_path,
		 path);
	FUZZ_CHECK(!system(command) && !access(core_path, R_OK));
	out = open(path, O_RDWR);
	FUZZ_CHECK(out >= 0);
}

/* The bytes of the input, or what was there. Returns an expression of it, "" there is none. */
static void overwrite(struct buf *in, bool back, char *term, size_t room)
{
	*term = '\0';
	for (unsigned i = 0; i < PARTS && buf_left(in) && !in->bad; i++) {
		unsigned k = buf_get_u8(in) % sections;
		size_t at = buf_get_u32(in), n;
		const unsigned char *bytes = buf_get_blob(in, &n);

		if (in->bad || !n)
			break;
		if (!k) {
			n = n < room - 1 ? n : room - 1;
			memcpy(term, bytes, n);
			term[n] = '\0';
			continue;
		}
		at %= section[k].n;
		n = n < section[k].n - at ? n : section[k].n - at;
		at += section[k].at;
		FUZZ_CHECK(pwrite(out, back ? good + at : bytes, n, (off_t)at) == (ssize_t)n);
	}
}

/* libdw itself loses what it has found of scopes when one of them is damaged. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libdw.so";
}

/* What is in an element is read from inside it. */
static void pack(const struct native_placed *p)
{
	unsigned char *element = calloc(1, p->size + 1), *packed = malloc(p->packed + 1);

	FUZZ_CHECK(element && packed && p->npart);
	native_placed_pack(p, element, packed);
	free(element);
	free(packed);
}

static void ask(struct native *n, const char *name, uint32_t how)
{
	struct msg_query q = { .kind = QUERY_LOCALS, .name = name, .func = "", .n = how };
	struct answer_elements a = { 0 };
	struct native_placed placed = { .part = NULL };
	struct buf answer = BUF_INIT;
	struct err err = { "" };

	native_locals(n, false, &q, &answer);
	FUZZ_CHECK(!answer.bad && answer.len);
	buf_clear(&answer);
	if (*name && native_numbers(n, false, name, &a, &err) < 0)
		FUZZ_CHECK(*err.text);
	free(a.room);
	if (*name && native_place(n, false, &q, &placed, &err) > 0)
		pack(&placed);
	native_placed_clear(&placed);
}

/* The answer to a question of which it is known what comes out. */
static void expect(struct native *n, const char *name, double number)
{
	struct answer_elements a = { 0 };
	struct err err = { "" };
	double got = 0;

	if (native_numbers(n, false, name, &a, &err) <= 0)
		fprintf(stderr, "%s: %s\n", name, err.text);
	FUZZ_CHECK(a.n == sizeof(got));
	memcpy(&got, a.bytes, sizeof(got));
	FUZZ_CHECK(got == number);
	free(a.room);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct buf in = buf_view(bytes, len), again = in;
	struct memory memory = { .pid = INT32_MAX }; /* of no process */
	struct err err = { "" };
	struct native *n;
	char term[200];

	prepare();
	overwrite(&in, false, term, sizeof(term));
	memory.core = core_open(core_path, path, &err);
	FUZZ_CHECK(memory.core);
	n = native_create(NULL, &memory);
	FUZZ_CHECK(n);
	if (!len) {
		expect(n, "u[2]", 3);
		expect(n, "((double *)u)[1]", 2);
	}
	ask(n, "", LOCALS_FRAMES | LOCALS_ARGUMENTS | LOCALS_VARIABLES);
	ask(n, "", LOCALS_ARGUMENTS | LOCALS_VARIABLES | LOCALS_LONG | LOCALS_ADDRESSES);
	for (size_t i = len % 5; i < sizeof(terms) / sizeof(*terms); i += 5)
		ask(n, terms[i], 0);
	if (*term)
		ask(n, term, LOCALS_LONG);
	native_destroy(n);
	core_close(memory.core);
	overwrite(&again, true, term, sizeof(term));
	return 0;
}

#ifdef FUZZ_MAIN
/* A few bytes in each section, and expressions. */
static bool fuzz_seed(unsigned i, struct buf *b)
{
	static const uint32_t odd[] = { 0, 1, 0x7fffffff, 0xffffffff, 0x10000, 8, 0x80 };
	unsigned many = sizeof(terms) / sizeof(*terms);

	prepare();
	if (i < many) {
		buf_put_u8(b, 0);
		buf_put_u32(b, 0);
		buf_put_blob(b, terms[i], strlen(terms[i]));
		return true;
	}
	i -= many;
	if (i >= 64 * (sections - 1))
		return false;
	buf_put_u8(b, (uint8_t)(1 + i / 64));
	buf_put_u32(b, i % 64 * 16);
	buf_put_blob(b, &odd[i % 7], 1 + i % 4);
	return true;
}
#endif
