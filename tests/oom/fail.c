/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/oom/fail.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAMES 48
#define MODULES 8

/* Our own modules: the program, when it is ours, and libraries. */
static struct module {
	char name[64];
	uintptr_t base, lo, hi;
} module[MODULES];
static unsigned nmodule;
static uintptr_t libc_lo, libc_hi;

static struct fail_site site[FAIL_SITES];
static unsigned char used[2 * FAIL_SITES]; /* hashes that were seen, roughly */
static size_t nsite;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static atomic_bool ready, recording, armed, done;
static uint64_t target;
static const char *record_path, *once_path;
static const void *outermost;
static _Thread_local bool inside;

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The code of a module. */
static void find_code(const struct dl_phdr_info *info, uintptr_t *lo, uintptr_t *hi)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		*lo = info->dlpi_addr + p->p_vaddr;
		*hi = *lo + p->p_memsz;
	}
}

static int add_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *program = base_name(program_invocation_name);
	const char *name = *info->dlpi_name ? base_name(info->dlpi_name) : program;
	bool ours = *(bool *)arg && !*info->dlpi_name;
	struct module *m = &module[nmodule];

	(void)size;
	if (!strncmp(name, "libc.so", 7))
		find_code(info, &libc_lo, &libc_hi);
	if ((!ours && strncmp(name, "libdvmdbg", 9)) || nmodule == MODULES)
		return 0;
	snprintf(m->name, sizeof(m->name), "%s", name);
	m->base = info->dlpi_addr;
	find_code(info, &m->lo, &m->hi);
	nmodule++;
	return 0;
}

/* Whose allocations are looked at: of a session's programs only those of the one that is named. */
__attribute__((constructor)) static void begin(void)
{
	const char *program = getenv("DVMDBG_FAIL_PROGRAM"), *hash = getenv("DVMDBG_FAIL_SITE");
	const char *self = base_name(program_invocation_name);
	bool ours = !program || !strcmp(program, self);
	void *frames[2];

	/* what it allocates for itself it does now */
	inside = true;
	backtrace(frames, 2);
	inside = false;
	record_path = getenv("DVMDBG_FAIL_RECORD");
	once_path = getenv("DVMDBG_FAIL_ONCE");
	if (program && !ours && strcmp(program, "libdvmdbg"))
		return;
	ours = ours && strcmp(self, "libdvmdbg");
	dl_iterate_phdr(add_module, &ours);
	recording = record_path != NULL;
	if (hash) {
		target = strtoull(hash, NULL, 16);
		armed = true;
	}
	ready = true;
}

static const struct module *find_module(uintptr_t at)
{
	for (unsigned i = 0; i < nmodule; i++)
		if (at >= module[i].lo && at < module[i].hi)
			return &module[i];
	return NULL;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	for (unsigned i = 0; i < 8; i++)
		h = (h ^ (v >> (8 * i) & 0xff)) * UINT64_C(0x100000001b3);
	return h;
}

/*
 * The site this call comes from; false: it is not from our own code, nor from the C library on
 * behalf of that.
 */
static bool find_site(struct fail_site *s, const void *caller)
{
	void *frames[FRAMES];
	int n = backtrace(frames, FRAMES), i = 0;

	*s = (struct fail_site){ .hash = UINT64_C(0xcbf29ce484222325) };
	while (i < n && frames[i] != caller)
		i++;
	for (; i < n && s->n < FAIL_DEPTH && frames[i] != outermost; i++) {
		uintptr_t at = (uintptr_t)frames[i];
		const struct module *m = find_module(at);

		if (!m && !s->n && (at < libc_lo || at >= libc_hi))
			return false;
		if (!m)
			continue;
		if (!s->n)
			s->module = m->name;
		s->at[s->n++] = at - m->base;
		s->hash = mix(s->hash, at - m->base);
	}
	for (const char *c = s->module; c && *c; c++)
		s->hash = mix(s->hash, (unsigned char)*c);
	return s->n > 0;
}

void fail_format(const struct fail_site *s, char *out, size_t size)
{
	size_t len =
		(size_t)snprintf(out, size, "%016llx %s ", (unsigned long long)s->hash, s->module);

	for (unsigned i = 0; i < s->n && len < size; i++)
		len += (size_t)snprintf(out + len, size - len, "%s0x%zx", i ? "," : "",
					s->at[i] - 1);
}

static void append(const struct fail_site *s)
{
	char line[256];
	int fd = open(record_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	fail_format(s, line, sizeof(line) - 1);
	strcat(line, "\n");
	if (fd >= 0 && write(fd, line, strlen(line)) < 0)
		_exit(99);
	close(fd);
}

static void keep(const struct fail_site *s)
{
	size_t at = s->hash % sizeof(used);

	while (atomic_flag_test_and_set(&lock))
		;
	for (size_t i = 0; used[at] && i < nsite; i++)
		if (site[i].hash == s->hash)
			goto out;
	if (nsite < FAIL_SITES) {
		used[at] = 1;
		site[nsite++] = *s;
		if (record_path)
			append(s);
	}
out:
	atomic_flag_clear(&lock);
}

/* Whether it is this process that fails. */
static bool claim(void)
{
	int fd;

	if (atomic_exchange(&done, true))
		return false;
	if (!once_path)
		return true;
	fd = open(once_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

bool fail_now(const void *caller)
{
	struct fail_site s;
	bool fail = false;
	int saved = errno;

	if (inside || !ready || (!recording && (!armed || done)))
		return false;
	inside = true;
	if (find_site(&s, caller)) {
		if (recording)
			keep(&s);
		fail = armed && s.hash == target && claim();
	}
	inside = false;
	errno = fail ? ENOMEM : saved;
	return fail;
}

void fail_record(void)
{
	nsite = 0;
	memset(used, 0, sizeof(used));
	recording = true;
}

void fail_at(uint64_t hash)
{
	target = hash;
	done = false;
	armed = true;
}

void fail_stop(void)
{
	recording = armed = false;
}

void fail_outermost(const void *caller)
{
	outermost = caller;
}

void fail_pause(bool pause)
{
	inside = pause;
}

const struct fail_site *fail_sites(size_t *n)
{
	*n = nsite;
	return site;
}

bool fail_done(void)
{
	return done;
}
