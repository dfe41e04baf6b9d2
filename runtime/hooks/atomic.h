/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic accesses come as calls that have to perform the operation (interface:
 * sanitizer/tsan_interface_atomic.h). It is always sequentially consistent, which is at least what
 * is asked for. The hook comes before the operation, and what has been written is read at once.
 */
#ifndef HOOKS_ATOMIC_H
#define HOOKS_ATOMIC_H

#include "runtime/hooks/gate.h"

#define ATOMIC_LOAD(bits, type, load)                                       \
	type __tsan_atomic##bits##_load(const volatile type *a, int order); \
	type __tsan_atomic##bits##_load(const volatile type *a, int order)  \
	{                                                                   \
		(void)order;                                                \
		report_access(a, (bits) / 8 | HOOK_ATOMIC, CALLER);         \
		return load(a);                                             \
	}

#define ATOMIC_STORE(bits, type, store)                                          \
	void __tsan_atomic##bits##_store(volatile type *a, type v, int order);   \
	void __tsan_atomic##bits##_store(volatile type *a, type v, int order)    \
	{                                                                        \
		(void)order;                                                     \
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
		(void)order;                                                    \
		report_access(a, (bits) / 8 | HOOK_ATOMIC | HOOK_RMW, CALLER);  \
		old = op(a, v);                                                 \
		report_flush();                                                 \
		return old;                                                     \
	}

/* It is a write only when it has succeeded; cas leaves in *c what was there. */
#define ATOMIC_CAS_BODY(bits, a, c, v, cas)                                  \
	const void *pc = CALLER;                                             \
	int done;                                                            \
                                                                             \
	(void)order;                                                         \
	(void)order_if_not;                                                  \
	report_access(a, (bits) / 8 | HOOK_ATOMIC, pc);                      \
	done = cas(a, c, v);                                                 \
	if (done) {                                                          \
		report_access(a, (bits) / 8 | HOOK_ATOMIC | HOOK_WRITE, pc); \
		report_flush();                                              \
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

#define ATOMIC_CALLED_CAS(bytes, type, cas)                                                       \
	STANDS_IN _Bool __wrap___atomic_compare_exchange_##bytes(                                 \
		volatile void *a, void *c, type v, int order, int order_if_not);                  \
	_Bool __wrap___atomic_compare_exchange_##bytes(volatile void *a, void *c, type v, int order, \
						       int order_if_not)                          \
	{                                                                                         \
		ATOMIC_CAS_BODY(8 * (bytes), (volatile type *)a, (type *)c, v, cas)               \
		return done;                                                                      \
	}

#endif
