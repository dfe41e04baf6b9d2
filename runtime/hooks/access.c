/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the compilers call before each access, and at functions' ends, with -fsanitize=thread: gcc's
 * sanitizer.def, LLVM's ThreadSanitizer.cpp. They never call a hook with a size that is not in its
 * name; what is not aligned comes as `unaligned` from clang and as a range from gcc.
 */
#include "runtime/hooks/gate.h"

/* In whatever has instrumented code: every such object refers to something here. */
const char dvmdbg_hooked_ = HOOKS_ABI;

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
__asm__(".pushsection " HOOKS_NOTE_SECTION ", \"a\", %note\n"
	".balign 4\n"
	".long 7, 4, " TEXT(HOOKS_NOTE_TYPE) "\n"
					     ".asciz \"" HOOKS_NOTE_NAME "\"\n"
					     ".balign 4\n"
					     ".long " TEXT(HOOKS_ABI) "\n"
								      ".popsection");

#define HOOK(name, flags)                             \
	void __tsan_##name(void *addr);               \
	void __tsan_##name(void *addr)                \
	{                                             \
		report_access(addr, (flags), CALLER); \
	}
/* As the library for Java and Go has them: somebody else knows the place. */
#define HOOK_PC(name, flags)                           \
	void __tsan_##name##_pc(void *addr, void *pc); \
	void __tsan_##name##_pc(void *addr, void *pc)  \
	{                                              \
		report_access(addr, (flags), pc);      \
	}
#define HOOKS(n)                                          \
	HOOK(read##n, n)                                  \
	HOOK(write##n, n | HOOK_WRITE)                    \
	HOOK(read_write##n, n | HOOK_RMW)                 \
	HOOK(unaligned_read##n, n)                        \
	HOOK(unaligned_write##n, n | HOOK_WRITE)          \
	HOOK(unaligned_read_write##n, n | HOOK_RMW)       \
	HOOK(volatile_read##n, n)                         \
	HOOK(volatile_write##n, n | HOOK_WRITE)           \
	HOOK(unaligned_volatile_read##n, n)               \
	HOOK(unaligned_volatile_write##n, n | HOOK_WRITE) \
	HOOK_PC(read##n, n)                               \
	HOOK_PC(write##n, n | HOOK_WRITE)
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

/* The pointer to an object's virtual functions. */
HOOK(vptr_read, sizeof(void *))

void __tsan_vptr_update(void **addr, void *value);
void __tsan_vptr_update(void **addr, void *value)
{
	(void)value;
	report_access(addr, sizeof(void *) | HOOK_WRITE, CALLER);
}

#define HOOK_RANGE(name, flags)                                        \
	void __tsan_##name##_range(void *addr, size_t n);              \
	void __tsan_##name##_range(void *addr, size_t n)               \
	{                                                              \
		report_range(addr, n, (flags), CALLER);                \
	}                                                              \
	void __tsan_##name##_range_pc(void *addr, size_t n, void *pc); \
	void __tsan_##name##_range_pc(void *addr, size_t n, void *pc)  \
	{                                                              \
		report_range(addr, n, (flags), pc);                    \
	}
HOOK_RANGE(read, 0)
HOOK_RANGE(write, HOOK_WRITE)

void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc)
{
	(void)pc;
	report_flush();
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
	report_flush();
}

/* Called by a constructor of each instrumented object. */
void __tsan_init(void);
void __tsan_init(void)
{
}
