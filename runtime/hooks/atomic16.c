/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic accesses of 16 bytes. Apart from the others, for they need libatomic, which only programs
 * with such accesses shall need; code without hooks uses it for the same objects, so nothing else
 * would do.
 */
#include "runtime/hooks/atomic.h"

#ifdef __SIZEOF_INT128__

#ifdef __clang__
/* libatomic is what is meant */
#pragma clang diagnostic ignored "-Watomic-alignment"
#endif

typedef unsigned __int128 u128;

static u128 load(const volatile u128 *a)
{
	return __atomic_load_n(a, __ATOMIC_SEQ_CST);
}

static void store(volatile u128 *a, u128 v)
{
	__atomic_store_n(a, v, __ATOMIC_SEQ_CST);
}

static int cas(volatile u128 *a, u128 *c, u128 v)
{
	return __atomic_compare_exchange_n(a, c, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

#define OPERATION(name, result)                    \
	static u128 name(volatile u128 *a, u128 v) \
	{                                          \
		u128 old = load(a);                \
                                                   \
		while (!cas(a, &old, result))      \
			;                          \
		return old;                        \
	}
OPERATION(exchange, v)
OPERATION(add, old + v)
OPERATION(sub, old - v)
OPERATION(and, old &v)
OPERATION(or, old | v)
OPERATION(xor, old ^ v)
OPERATION(nand, ~(old &v))

ATOMIC_LOAD(128, u128, load)
ATOMIC_STORE(128, u128, store)
ATOMIC_RMW(128, u128, exchange, exchange)
ATOMIC_RMW(128, u128, fetch_add, add)
ATOMIC_RMW(128, u128, fetch_sub, sub)
ATOMIC_RMW(128, u128, fetch_and, and)
ATOMIC_RMW(128, u128, fetch_or, or)
ATOMIC_RMW(128, u128, fetch_xor, xor)
ATOMIC_RMW(128, u128, fetch_nand, nand)
ATOMIC_CAS(128, u128, compare_exchange_strong, cas)
ATOMIC_CAS(128, u128, compare_exchange_weak, cas)
ATOMIC_CAS_VAL(128, u128, cas)

#endif
