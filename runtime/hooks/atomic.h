/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic accesses come as calls that have to perform the operation (interface:
 * sanitizer/tsan_interface_atomic.h). It is always sequentially consistent, which is at least what
 * is asked for. The hook comes before the operation, and what has been written is read at once.
 */
#ifndef HOOKS_ATOMIC_H
#define HOOKS_ATOMIC_H

#include "runtime/hooks/gate.h"

/* What releases is reported before its access, whose value is read at the next event.
 * Memory orders: 0 relaxed, 1 consume, 2 acquire, 3 release, 4 both, 5 sequentially consistent. */
static inline void report_order(const volatile void *a, int what, uint64_t value)
{
	if (gate_is_open() && dvmdbg_hooks_.orders)
		dvmdbg_hooks_.orders(a, what, value);
}

static inline int is_acquire(int order)
{
	return order && order != 3 ? HOOK_ACQUIRES : HOOK_LOADS;
}

static inline int is_release(int order)
{
	return order >= 3 ? HOOK_RELEASES : HOOK_STORES;
}

#define ATOMIC_LOAD(bits, type, load)                                       \
	type __tsan_atomic##bits##_load(const volatile type *a, int order); \
	type __tsan_atomic##bits##_load(const volatile type *a, int order)  \
	{                                                                   \
		type v;                                                     \
                                                                            \
		report_access(a, (bits) / 8 | HOOK_ATOMIC, CALLER);         \
		v = load(a);                                                \
		report_order(a, is_acquire(order), (uint64_t)v);            \
		return v;                                                   \
	}

#define ATOMIC_STORE(bits, type, store)                                          \
	void __tsan_atomic##bits##_store(volatile type *a, type v, int order);   \
	void __tsan_atomic##bits##_store(volatile type *a, type v, int order)    \
	{                                                                        \
		report_order(a, is_release(order), 0);                           \
		report_access(a, (bits) / 8 | HOOK_ATOMIC | HOOK_WRITE, CALLER); \
		store(a, v);                                                     \
		report_flush();                                                  \
	}

#define ATOMIC_RMW(bits, type, name, op)                                        \
	type __tsan_atomic##bits##_##name(volatile type *a, type v, int order); \
	type __tsan_atomic##bits##_##name(volatile type *a, type v, int order)  \
	{                                                                       \
		type old;                                                       \
                                                                                \
		report_order(a, is_release(order), 0);                          \
		report_access(a, (bits) / 8 | HOOK_ATOMIC | HOOK_RMW, CALLER);  \
		old = op(a, v);                                                 \
		report_order(a, is_acquire(order), (uint64_t)old);              \
		report_flush();                                                 \
		return old;                                                     \
	}

/* It is a write only when it has succeeded; cas leaves in *c what was there. */
#define ATOMIC_CAS_BODY(bits, a, c, v, cas)                                         \
	const void *pc = CALLER;                                                    \
	int done;                                                                   \
                                                                                    \
	report_order(a, is_release(order), 0);                                      \
	report_access(a, (bits) / 8 | HOOK_ATOMIC, pc);                             \
	done = cas(a, c, v);                                                        \
	report_order(a, is_acquire(done ? order : order_if_not), (uint64_t)(c)[0]); \
	if (done) {                                                                 \
		report_access(a, (bits) / 8 | HOOK_ATOMIC | HOOK_WRITE, pc);        \
		report_flush();                                                     \
	}

#define ATOMIC_CAS(bits, type, name, cas)                                              \
	int __tsan_atomic##bits##_##name(volatile type *a, type *c, type v, int order, \
					 int order_if_not);                            \
	int __tsan_atomic##bits##_##name(volatile type *a, type *c, type v, int order, \
					 int order_if_not)                             \
	{                                                                              \
		ATOMIC_CAS_BODY(bits, a, c, v, cas)                                    \
		return done;                                                           \
	}

#define ATOMIC_CAS_VAL(bits, type, cas)                                                   \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type c, type v, \
							int order, int order_if_not);     \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type c, type v, \
							int order, int order_if_not)      \
	{                                                                                 \
		ATOMIC_CAS_BODY(bits, a, &c, v, cas)                                      \
		return c;                                                                 \
	}

#define ATOMIC_CALLED_CAS(bytes, type, cas)                                               \
	STANDS_IN _Bool __wrap___atomic_compare_exchange_##bytes(                         \
		volatile void *a, void *c, type v, int order, int order_if_not);          \
	_Bool __wrap___atomic_compare_exchange_##bytes(volatile void *a, void *c, type v, \
						       int order, int order_if_not)       \
	{                                                                                 \
		ATOMIC_CAS_BODY(8 * (bytes), (volatile type *)a, (type *)c, v, cas)       \
		return done;                                                              \
	}

#endif
