/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/sys/module.h"

#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* What is added to addresses in the file where its byte `offset` is mapped at lo: 0 and *load. */
static int load_of(const char *path, uint64_t lo, uint64_t offset, uint64_t *load)
{
	FILE *f = fopen(path, "re");
	ElfW(Ehdr) head;
	ElfW(Phdr) part;
	int rc = -1;

	if (!f)
		return -1;
	if (fread(&head, sizeof(head), 1, f) == 1 && !memcmp(head.e_ident, ELFMAG, SELFMAG) &&
	    !fseek(f, (long)head.e_phoff, SEEK_SET)) {
		for (unsigned i = 0; rc && i < head.e_phnum; i++) {
			if (fread(&part, sizeof(part), 1, f) != 1)
				break;
			if (part.p_type != PT_LOAD || offset + 0x10000 <= part.p_offset ||
			    offset >= part.p_offset + part.p_filesz)
				continue;
			*load = lo - offset - (part.p_vaddr - part.p_offset);
			rc = part.p_flags & PF_X ? 0 : -1;
		}
	}
	fclose(f);
	return rc;
}

/* A mapping with code, from a line of /proc/PID/maps. */
static bool mapping_has(const char *line, uint64_t addr, struct module *out, uint64_t *offset)
{
	char flags[8];
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &out->lo, &out->hi,
		   flags, offset, &at) < 4 ||
	    !at || addr < out->lo || addr >= out->hi || line[at] != '/')
		return false;
	snprintf(out->path, sizeof(out->path), "%.*s", (int)strcspn(line + at, "\n"), line + at);
	return true;
}

static struct module *module_add(struct modules *m, uint64_t addr)
{
	struct module *new = &m->module[m->n < MODULE_MOST ? m->n : 0];
	char name[64], line[MODULE_PATH + 128];
	uint64_t offset = 0;
	bool found = false;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)m->pid);
	f = fopen(name, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = mapping_has(line, addr, new, &offset);
	if (f)
		fclose(f);
	if (!found || load_of(new->path, new->lo, offset, &new->load)) {
		new->hi = 0;
		return NULL;
	}
	if (m->n < MODULE_MOST)
		m->n++;
	return new;
}

const char *modules_find(struct modules *m, pid_t pid, uint64_t addr, uint64_t *vaddr)
{
	struct module *at = NULL;

	if (m->pid != pid)
		m->n = 0;
	m->pid = pid;
	for (size_t i = 0; i < m->n && !at; i++)
		if (addr >= m->module[i].lo && addr < m->module[i].hi)
			at = &m->module[i];
	if (!at)
		at = module_add(m, addr);
	if (!at)
		return NULL;
	*vaddr = addr - at->load;
	return at->path;
}
