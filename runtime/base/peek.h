/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads memory that may be gone. A load that faults is continued behind, as the handler of SIGSEGV
 * and SIGBUS asks peek_fixup: the addresses of all such loads are in a section of their own. On
 * other processors it is a plain load.
 */
#ifndef DVMDBG_RUNTIME_PEEK_H
#define DVMDBG_RUNTIME_PEEK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)

#define PEEK_(insn, reg)                                         \
	__asm__ volatile("1: " insn " (%[from]), %" reg "[to]\n" \
			 "2:\n"                                  \
			 ".subsection 1\n"                       \
			 "3: movl $1, %[bad]\n"                  \
			 "   jmp 2b\n"                           \
			 ".previous\n"                           \
			 ".pushsection dvmdbg_peek, \"a\"\n"     \
			 ".balign 4\n"                           \
			 ".long 1b - ., 3b - .\n"                \
			 ".popsection\n"                         \
			 : [to] "=&r"(to), [bad] "+r"(bad)       \
			 : [from] "r"(addr))
#define PEEK_1 PEEK_("movzbl", "k")
#define PEEK_2 PEEK_("movzwl", "k")
#define PEEK_4 PEEK_("movl", "k")
#define PEEK_8 PEEK_("movq", "q")

#elif defined(__aarch64__)

#define PEEK_(insn, reg)                                         \
	__asm__ volatile("1: " insn " %" reg "[to], [%[from]]\n" \
			 "2:\n"                                  \
			 ".subsection 1\n"                       \
			 "3: mov %w[bad], #1\n"                  \
			 "   b 2b\n"                             \
			 ".previous\n"                           \
			 ".pushsection dvmdbg_peek, \"a\"\n"     \
			 ".balign 4\n"                           \
			 ".long 1b - ., 3b - .\n"                \
			 ".popsection\n"                         \
			 : [to] "=&r"(to), [bad] "+r"(bad)       \
			 : [from] "r"(addr))
#define PEEK_1 PEEK_("ldrb", "w")
#define PEEK_2 PEEK_("ldrh", "w")
#define PEEK_4 PEEK_("ldr", "w")
#define PEEK_8 PEEK_("ldr", "x")

#else

#define PEEK_1 memcpy(&to, (const void *)(uintptr_t)addr, 1)
#define PEEK_2 memcpy(&to, (const void *)(uintptr_t)addr, 2)
#define PEEK_4 memcpy(&to, (const void *)(uintptr_t)addr, 4)
#define PEEK_8 memcpy(&to, (const void *)(uintptr_t)addr, 8)
#define PEEK_PLAIN

#endif

/* The bytes at an address, aligned or not, as a number; false: they cannot be read. */
#define PEEK_FUNCTION(size)                                        \
	static inline bool peek_##size(uint64_t addr, uint64_t *v) \
	{                                                          \
		uint64_t to = 0;                                   \
		uint32_t bad = 0;                                  \
                                                                   \
		PEEK_##size;                                       \
		*v = to;                                           \
		return !bad;                                       \
	}
PEEK_FUNCTION(1)
PEEK_FUNCTION(2)
PEEK_FUNCTION(4)
PEEK_FUNCTION(8)

/* size: 1, 2, 4, 8 or 16. */
static inline bool peek(uint64_t addr, unsigned size, uint64_t v[2])
{
	v[1] = 0;
	if (__builtin_expect(size == 8, 1))
		return peek_8(addr, v);
	switch (size) {
	case 4:
		return peek_4(addr, v);
	case 2:
		return peek_2(addr, v);
	case 1:
		return peek_1(addr, v);
	}
	return peek_8(addr, v) && peek_8(addr + 8, v + 1);
}

/* n bytes; false: not all of them can be read. */
bool peek_bytes(void *to, uint64_t addr, uint64_t n);
/* Called by the handler of a fault, with its context: true, and it is to return. */
bool peek_fixup(void *context);

#endif
