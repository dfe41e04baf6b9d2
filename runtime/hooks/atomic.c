/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic accesses of 1 to 8 bytes, and fences. */
#include "runtime/hooks/atomic.h"

#define LOAD(a) __atomic_load_n(a, __ATOMIC_SEQ_CST)
#define STORE(a, v) __atomic_store_n(a, v, __ATOMIC_SEQ_CST)
#define EXCHANGE(a, v) __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST)
#define ADD(a, v) __atomic_fetch_add(a, v, __ATOMIC_SEQ_CST)
#define SUB(a, v) __atomic_fetch_sub(a, v, __ATOMIC_SEQ_CST)
#define AND(a, v) __atomic_fetch_and(a, v, __ATOMIC_SEQ_CST)
#define OR(a, v) __atomic_fetch_or(a, v, __ATOMIC_SEQ_CST)
#define XOR(a, v) __atomic_fetch_xor(a, v, __ATOMIC_SEQ_CST)
#define NAND(a, v) __atomic_fetch_nand(a, v, __ATOMIC_SEQ_CST)
#define CAS(a, c, v) __atomic_compare_exchange_n(a, c, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

#define ATOMICS(bits, type)                                  \
	ATOMIC_LOAD(bits, type, LOAD)                        \
	ATOMIC_STORE(bits, type, STORE)                      \
	ATOMIC_RMW(bits, type, exchange, EXCHANGE)           \
	ATOMIC_RMW(bits, type, fetch_add, ADD)               \
	ATOMIC_RMW(bits, type, fetch_sub, SUB)               \
	ATOMIC_RMW(bits, type, fetch_and, AND)               \
	ATOMIC_RMW(bits, type, fetch_or, OR)                 \
	ATOMIC_RMW(bits, type, fetch_xor, XOR)               \
	ATOMIC_RMW(bits, type, fetch_nand, NAND)             \
	ATOMIC_CAS(bits, type, compare_exchange_strong, CAS) \
	ATOMIC_CAS(bits, type, compare_exchange_weak, CAS)   \
	ATOMIC_CAS_VAL(bits, type, CAS)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

/* What gcc 12 and later make of OpenMP's atomic when there is no such operation, as with double,
 * has no hook. As calls (-fno-inline-atomics) the linker puts these in their place (--wrap, as in
 * wrap.c). */
ATOMIC_CALLED_CAS(1, uint8_t, CAS)
ATOMIC_CALLED_CAS(2, uint16_t, CAS)
ATOMIC_CALLED_CAS(4, uint32_t, CAS)
ATOMIC_CALLED_CAS(8, uint64_t, CAS)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	report_order(NULL, HOOK_FENCE, 0);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
	(void)order;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
