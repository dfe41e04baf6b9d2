/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables that each thread has for itself: where a module's are follows from the thread pointer,
 * as in the ABI ("ELF Handling For Thread-Local Storage") and glibc's csu/libc-tls.c, elf/dl-tls.c.
 */
#include "runtime/exec/native/internal.h"

#include <elf.h>

#if defined(__x86_64__)
#define MODULE_RELOCATION R_X86_64_DTPMOD64
#define VECTOR_AT 8 /* of the pointer to the vector, from the thread pointer on */
#elif defined(__aarch64__)
#define MODULE_RELOCATION R_AARCH64_TLS_DTPMOD
#define VECTOR_AT 0
#define CONTROL_BLOCK 16u
#endif

#define VECTOR_ENTRY 16u

struct segments {
	GElf_Phdr local; /* PT_TLS */
	bool program;	 /* it is the program itself */
};

static bool find_segments(Elf *elf, struct segments *out)
{
	size_t n;
	bool found = false;

	*out = (struct segments){ 0 };
	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph))
			continue;
		out->program |= ph.p_type == PT_INTERP;
		if (ph.p_type != PT_TLS)
			continue;
		out->local = ph;
		found = true;
	}
	return found;
}

#ifdef MODULE_RELOCATION
/* The program's come first: their distance to the thread pointer is known when it is linked. */
static uint64_t program_block(const GElf_Phdr *ph, uint64_t thread)
{
	uint64_t align = ph->p_align ? ph->p_align : 1, first = -ph->p_vaddr & (align - 1), off;

#if defined(__x86_64__)
	off = (ph->p_memsz - first + align - 1) / align * align + first;
	return thread - off;
#else
	off = (CONTROL_BLOCK + align - 1) / align * align;
	if (off - CONTROL_BLOCK < first)
		off += align;
	return thread + off - first;
#endif
}

/* A library's number, which the loader has put into its table. */
static bool module_number(struct frame *f, Elf *elf, GElf_Addr bias, uint64_t *out)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		GElf_Shdr sh;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA ||
		    !(data = elf_getdata(scn, NULL)) || !sh.sh_entsize)
			continue;
		for (size_t i = 0; i < sh.sh_size / sh.sh_entsize; i++) {
			GElf_Rela r;

			if (gelf_getrela(data, (int)i, &r) &&
			    GELF_R_TYPE(r.r_info) == MODULE_RELOCATION &&
			    frame_read(f, r.r_offset + bias, out, sizeof(*out)) && *out)
				return true;
		}
	}
	return false;
}

bool frame_local_storage(struct frame *f, uint64_t offset, uint64_t *out)
{
	uint64_t thread = f->capture->thread, number, vector, block;
	struct segments s;
	GElf_Addr bias;
	Elf *elf = f->mod ? dwfl_module_getelf(f->mod, &bias) : NULL;

	if (!elf || !thread || !find_segments(elf, &s))
		return false;
	if (s.program) {
		*out = program_block(&s.local, thread) + offset;
		return true;
	}
	/* a thread that has used none of them has no block */
	if (!module_number(f, elf, bias, &number) ||
	    !frame_read(f, thread + VECTOR_AT, &vector, sizeof(vector)) ||
	    !frame_read(f, vector + number * VECTOR_ENTRY, &block, sizeof(block)) || !block ||
	    block == UINT64_MAX)
		return false;
	*out = block + offset;
	return true;
}
#else
bool frame_local_storage(struct frame *f, uint64_t offset, uint64_t *out)
{
	(void)f;
	(void)offset;
	(void)out;
	return false;
}
#endif
