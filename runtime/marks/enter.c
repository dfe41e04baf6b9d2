/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a trap to the mark and back, with all registers as they were: those of vectors too, as the
 * program is in the midst of a function.
 */
#include "runtime/marks/internal.h"

#include <stdint.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* Of xsave: which parts, and bytes; 0: fxsave. */
uint32_t marks_parts[2] __attribute__((visibility("hidden")));
uint64_t marks_room __attribute__((visibility("hidden"))) = 512;

/*
 * The frame is described as that of a signal's handler: what called it is the program, at saved.pc.
 * 264: bytes of struct saved and of the red zone.
 */
__asm__(".text\n"
	".globl marks_enter\n"
	".hidden marks_enter\n"
	".type marks_enter, @function\n"
	"marks_enter:\n"
	".cfi_startproc\n"
	".cfi_signal_frame\n"
	".cfi_def_cfa %rbx, 264\n"
	".cfi_offset %r15, -264\n"
	".cfi_offset %r14, -256\n"
	".cfi_offset %r13, -248\n"
	".cfi_offset %r12, -240\n"
	".cfi_offset %r11, -232\n"
	".cfi_offset %r10, -224\n"
	".cfi_offset %r9, -216\n"
	".cfi_offset %r8, -208\n"
	".cfi_offset %rdi, -200\n"
	".cfi_offset %rsi, -192\n"
	".cfi_offset %rbp, -184\n"
	".cfi_offset %rbx, -176\n"
	".cfi_offset %rdx, -168\n"
	".cfi_offset %rcx, -160\n"
	".cfi_offset %rax, -152\n"
	".cfi_offset %rip, -136\n"
	"	cld\n"
	"	subq marks_room(%rip), %rsp\n"
	"	andq $-64, %rsp\n"
	"	movq %rsp, %r12\n"
	"	movl marks_parts(%rip), %eax\n"
	"	movl 4+marks_parts(%rip), %edx\n"
	"	testl %eax, %eax\n"
	"	je 1f\n"
	"	xorl %ecx, %ecx\n"
	"	movq %rcx, 512(%r12)\n"
	"	movq %rcx, 520(%r12)\n"
	"	movq %rcx, 528(%r12)\n"
	"	movq %rcx, 536(%r12)\n"
	"	movq %rcx, 544(%r12)\n"
	"	movq %rcx, 552(%r12)\n"
	"	movq %rcx, 560(%r12)\n"
	"	movq %rcx, 568(%r12)\n"
	"	xsave64 (%r12)\n"
	"	jmp 2f\n"
	"1:	fxsave64 (%r12)\n"
	"2:	movq %rbx, %rdi\n"
	"	movq %r12, %rsi\n"
	"	call marks_run\n"
	"	movq %rax, %rcx\n"
	"	movl marks_parts(%rip), %eax\n"
	"	movl 4+marks_parts(%rip), %edx\n"
	"	testl %eax, %eax\n"
	"	je 3f\n"
	"	xrstor64 (%r12)\n"
	"	jmp 4f\n"
	"3:	fxrstor64 (%r12)\n"
	"4:	movq %rbx, %rsp\n"
	"	jmp *%rcx\n"
	".cfi_endproc\n"
	".size marks_enter, .-marks_enter\n");

int enter_init(void)
{
	uint32_t a, b, c, d, low, high;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) ||
	    !__get_cpuid_count(13, 0, &a, &b, &c, &d))
		return 0;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	marks_room = b;
	/* all but tiles, which no library uses by itself, and which would fill the stack */
	marks_parts[0] = low & ~(3u << 17);
	marks_parts[1] = high;
	return 0;
}
#else
void marks_enter(void)
{
}

int enter_init(void)
{
	return -1;
}
#endif
