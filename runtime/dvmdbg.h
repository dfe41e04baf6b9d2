/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dvmdbg.h: annotations for the dvmdbg debugger, for C (gcc, clang; gnu99 and later) and C++ (C++11 and
 * later; name the members of ARRAY, PL, SL and TR in the order of the structures below).
 *
 * Include this, link with -ldvmdbg (pkg-config dvmdbg). Without the debugger each mark costs one
 * predictable branch; with DVMDBG_OFF defined nothing at all. Indices are global and 0-based unless
 * .lower says otherwise; all counts are in elements; upper ends are inclusive.
 *
 *	DVMDBG_FUNCTION();                              this function is a frame until it returns
 *	DVMDBG_ARRAY(u, .shape = {n, n}, .own = {{r0, r1}, {c0, c1}}, .halo = {1, 1});
 *	DVMDBG_REPLICATED(eps);
 *	DVMDBG_STRUCT(par, DVMDBG_FIELD(par, dt), DVMDBG_FIELD(par, steps));
 *	DVMDBG_SL(.range = {{1, steps}})
 *	for (int it = 1; it <= steps; it++) {
 *		DVMDBG_ITERATION(it);
 *		DVMDBG_PL(.on = v, .range = {{1, n - 2}, {1, n - 2}}, .writes = {v}, .reads = {u})
 *		for (i …) for (j …) …
 *	}
 *
 * PL, SL, TR and TASK stand before a loop or a block and end with it, however it is left; a break or
 * continue directly in such a block (not in a loop inside it) leaves the block. Where that does not
 * fit, PL_BEGIN(…); … PL_END(); and the like do the same. Constructs are announced by the thread that
 * runs main, outside parallel regions. An array is named by a variable or member, u or s->u: for a
 * pointer its own address is kept, so that swapped pointers keep their names. Registering it again
 * replaces what was said before. Other variables that the same line registers, in a loop over levels
 * or a function called for each field, are arrays of their own, u@f.c:12 and u@f.c:12#1; those that
 * are gone by then have to be forgotten.
 *
 * Checksums are taken of the arrays that a PL or TR writes (.writes; also of those it reads, when that
 * is asked for), at its end; of all registered arrays where it names neither. NULL in these lists counts
 * as not there, so an array of which a rank owns nothing may be NULL. What is named must be registered.
 *
 *	DVMDBG_REPLICATED_ARRAY(w, n);                  n elements at the pointer w
 *	DVMDBG_FORGET(u);                               before it is freed or goes out of scope
 */
#ifndef DVMDBG_H
#define DVMDBG_H

#ifdef __cplusplus
#pragma GCC system_header /* no warnings about members a description leaves out */
#endif

#include <stddef.h>
#include <stdint.h>

#define DVMDBG_DIMS 8

/* Element types, when they cannot be told from the expression. */
enum dvmdbg_type {
	DVMDBG_CHAR = 0,
	DVMDBG_INT = 1,
	DVMDBG_LONG = 2,
	DVMDBG_FLOAT = 3,
	DVMDBG_DOUBLE = 4,
	DVMDBG_FLOAT_COMPLEX = 5,
	DVMDBG_DOUBLE_COMPLEX = 6,
	DVMDBG_LOGICAL = 7,
	DVMDBG_LLONG = 8,
	DVMDBG_SCHAR = 9,
	DVMDBG_UCHAR = 10,
	DVMDBG_SHORT = 11,
	DVMDBG_USHORT = 12,
	DVMDBG_UINT = 13,
	DVMDBG_ULONG = 14,
	DVMDBG_BOOL = 15,
	DVMDBG_POINTER = 16,
	DVMDBG_STRUCTURE = 64,
};

/* First and last, both inclusive; last < first: nothing. */
struct dvmdbg_range {
	long first, last;
};

/*
 * A distributed array as this rank sees it. ndim defaults to the number of leading non-zero shapes.
 * own defaults to the whole shape. The address is that of the first allocated element: halo and all.
 */
struct dvmdbg_array {
	int abi; /* set by the macros */
	int ndim;
	int type;				/* enum dvmdbg_type + 1; 0: told from the expression */
	long shape[DVMDBG_DIMS];		/* global extent */
	long lower[DVMDBG_DIMS];		/* global lower bound */
	struct dvmdbg_range own[DVMDBG_DIMS];	/* what this rank owns, global indices */
	int nothing;				/* 1: this rank owns no element at all */
	long halo[DVMDBG_DIMS];			/* halo width on both sides … */
	long halo_lo[DVMDBG_DIMS], halo_hi[DVMDBG_DIMS]; /* … or on each */
	long stride[DVMDBG_DIMS];		/* elements between neighbours; 0: densely packed */
	const long *index[DVMDBG_DIMS];		/* index list instead of own: count[d] global indices */
	long count[DVMDBG_DIMS];
	int fortran;				/* 1: first index runs fastest */
	int replicated;				/* 1: every rank holds all of it, equal by intention */
};

/* A construct: the global range of its iterations, the array its iterations are mapped on, and the
 * arrays it writes and reads, as values: u for DVMDBG_ARRAY(u, …). */
struct dvmdbg_construct {
	int abi; /* set by the macros */
	const void *on;				/* an array, or NULL */
	struct dvmdbg_range range[DVMDBG_DIMS];
	int ndim;				/* defaults to the number of leading ranges that are not {0, 0} */
	const char *name;			/* `break NAME` stops at it, as at a function */
	const void *writes[DVMDBG_DIMS], *reads[DVMDBG_DIMS]; /* since abi 2 */
};

/* A member of a structure; made by DVMDBG_FIELD. */
struct dvmdbg_field {
	const char *name;
	int type;
	unsigned offset, bytes;
};

/* A scope that closes itself; not for direct use. */
struct dvmdbg_scope {
	int once;    /* still 1 when it is closed: left by break, goto or return */
	unsigned id; /* 0: nothing was opened */
};

#define DVMDBG_ABI 2

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* 1 in a program that runs under dvmdbg, else 0. */
extern int dvmdbg_active;

/*
 * Called by the macros below, from the thread that runs main. by_pointer: addr is that of a pointer
 * variable. row: bytes of what the expression's first index selects. whole: bytes of a fixed array, else
 * 0. given: the text of the description.
 */
void dvmdbg_array_at(const void *addr, int by_pointer, const char *name, int type, size_t row,
		     size_t whole, const struct dvmdbg_array *a, const char *given,
		     const char *file, int line);
void dvmdbg_scalar_at(const void *addr, const char *name, int type, size_t size,
		      const struct dvmdbg_field *field, int nfield, const char *file, int line);
void dvmdbg_forget_at(const void *addr);
/* kind: 'F' function, 'P' parallel loop, 'S' sequential loop, 'R' task region, 'T' task (number). */
unsigned dvmdbg_open_at(int kind, long number, const struct dvmdbg_construct *c, const char *file,
			int line, const char *func);
void dvmdbg_close_at(unsigned id, int left);
void dvmdbg_end_at(int kind);
void dvmdbg_iteration_at(int n, const long *index);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

/* clang-format off */

#define DVMDBG_CAT2_(a, b) a##b
#define DVMDBG_CAT_(a, b) DVMDBG_CAT2_(a, b)
#define DVMDBG_TEXT_(...) #__VA_ARGS__

/* How each language makes a description and tells the type of an expression. */
#ifdef __cplusplus

#define DVMDBG_MAKE_(type, ...) (type{__VA_ARGS__})
#define DVMDBG_OPEN_(kind, number, ...) \
	dvmdbg_cxx::open(kind, number, DVMDBG_MAKE_(dvmdbg_construct, DVMDBG_ABI_ __VA_ARGS__), \
			 __FILE__, __LINE__, __func__)
#define DVMDBG_TYPE_OF(u) (int(dvmdbg_cxx::elem<__typeof__(u)>::type))
#define DVMDBG_TYPE_OF_OBJECT(x) (int(dvmdbg_cxx::object<__typeof__(x)>::type))
#define DVMDBG_IS_POINTER_(u) (int(dvmdbg_cxx::elem<__typeof__(u)>::pointer))
#define DVMDBG_ABI_ .abi = DVMDBG_ABI,

namespace dvmdbg_cxx {
template <class T> struct scalar { enum { type = -1 }; };
#define DVMDBG_CXX_(T, N) template <> struct scalar<T> { enum { type = DVMDBG_##N }; };
DVMDBG_CXX_(char, CHAR) DVMDBG_CXX_(signed char, SCHAR) DVMDBG_CXX_(unsigned char, UCHAR)
DVMDBG_CXX_(short, SHORT) DVMDBG_CXX_(unsigned short, USHORT) DVMDBG_CXX_(int, INT)
DVMDBG_CXX_(unsigned, UINT) DVMDBG_CXX_(long, LONG) DVMDBG_CXX_(unsigned long, ULONG)
DVMDBG_CXX_(long long, LLONG) DVMDBG_CXX_(unsigned long long, ULONG) DVMDBG_CXX_(bool, BOOL)
DVMDBG_CXX_(float, FLOAT) DVMDBG_CXX_(double, DOUBLE)
#undef DVMDBG_CXX_
template <class T> struct scalar<const T> : scalar<T> {};
template <class T> struct scalar<volatile T> : scalar<T> {};
template <class T, size_t n> struct scalar<T[n]> : scalar<T> {};
template <class T> struct elem { enum { type = -1, pointer = 0 }; };
template <class T> struct elem<T *> { enum { type = scalar<T>::type, pointer = 1 }; };
template <class T> struct elem<T *const> : elem<T *> {};
template <class T, size_t n> struct elem<T[n]> { enum { type = scalar<T>::type, pointer = 0 }; };
template <class T> struct object : scalar<T> {};
template <class T> struct object<T *> { enum { type = DVMDBG_POINTER }; };
static inline unsigned open(int kind, long number, const dvmdbg_construct &c, const char *file,
				int line, const char *func)
{
	return dvmdbg_open_at(kind, number, &c, file, line, func);
}
template <class... T> inline void iteration(T... i)
{
	const long index[] = { static_cast<long>(i)... };
	dvmdbg_iteration_at(static_cast<int>(sizeof...(i)), index);
}
}
#define DVMDBG_ITERATION_(...) dvmdbg_cxx::iteration(__VA_ARGS__)

#else

#define DVMDBG_ABI_ .abi = DVMDBG_ABI,
#define DVMDBG_MAKE_(type, ...) ((struct type){ __VA_ARGS__ })
#define DVMDBG_OPEN_(kind, number, ...) \
	dvmdbg_open_at(kind, number, &DVMDBG_MAKE_(dvmdbg_construct, DVMDBG_ABI_ __VA_ARGS__), \
		       __FILE__, __LINE__, __func__)
#define DVMDBG_ITERATION_(...) \
	do { \
		const long dvmdbg_i_[] = { __VA_ARGS__ }; \
		dvmdbg_iteration_at((int)(sizeof dvmdbg_i_ / sizeof *dvmdbg_i_), dvmdbg_i_); \
	} while (0)

#define DVMDBG_TYPES_(X) \
	X(char, CHAR) X(signed char, SCHAR) X(unsigned char, UCHAR) X(short, SHORT) \
	X(unsigned short, USHORT) X(int, INT) X(unsigned, UINT) X(long, LONG) \
	X(unsigned long, ULONG) X(long long, LLONG) X(unsigned long long, ULONG) X(_Bool, BOOL) \
	X(float, FLOAT) X(double, DOUBLE) \
	X(float _Complex, FLOAT_COMPLEX) X(double _Complex, DOUBLE_COMPLEX)
#define DVMDBG_FLAT_(T, N) T *: DVMDBG_##N, const T *: DVMDBG_##N,
#define DVMDBG_ROWS_(T, N) T (*)[]: DVMDBG_##N, const T (*)[]: DVMDBG_##N,
/* Of the elements of a pointer, or of an array or a pointer to rows, up to three dimensions; else -1. */
#define DVMDBG_TYPE_OF(u) \
	(__extension__ _Generic(&(u)[0], DVMDBG_TYPES_(DVMDBG_FLAT_) DVMDBG_TYPES_(DVMDBG_ROWS_) \
		default: _Generic((u)[0], DVMDBG_TYPES_(DVMDBG_ROWS_) default: -1)))
/* Of a variable, or of the elements of a fixed array of one or two dimensions; else -1. */
#define DVMDBG_TYPE_OF_OBJECT(x) \
	(__extension__ _Generic(&(x), DVMDBG_TYPES_(DVMDBG_FLAT_) DVMDBG_TYPES_(DVMDBG_ROWS_) \
		default: _Generic((x), DVMDBG_TYPES_(DVMDBG_ROWS_) \
			default: __builtin_classify_type(x) == 5 ? (int)DVMDBG_POINTER : -1)))
#define DVMDBG_IS_POINTER_(u) \
	(__extension__ __builtin_types_compatible_p(__typeof__(u), __typeof__(&(u)[0])))

#endif

#define DVMDBG_FIELD(x, f) \
	{ #f, DVMDBG_TYPE_OF_OBJECT((x).f), (unsigned)((const char *)&(x).f - (const char *)&(x)), \
	  (unsigned)sizeof((x).f) }

#ifdef DVMDBG_OFF

/* Nothing is executed, but what is named counts as used. */
#define DVMDBG_UNUSED_(x) ((void)sizeof(x))
#define DVMDBG_BLOCK_(v, x) for (int v = sizeof(x) > 0; v; v = 0)
#define DVMDBG_FUNCTION() ((void)0)
#define DVMDBG_ARRAY(u, ...) \
	(DVMDBG_UNUSED_(u), DVMDBG_UNUSED_(DVMDBG_MAKE_(dvmdbg_array, DVMDBG_ABI_ __VA_ARGS__)))
#define DVMDBG_REPLICATED(x) DVMDBG_UNUSED_(x)
#define DVMDBG_REPLICATED_ARRAY(x, n) (DVMDBG_UNUSED_(x), DVMDBG_UNUSED_(n))
#define DVMDBG_STRUCT(x, ...) DVMDBG_UNUSED_(x)
#define DVMDBG_FORGET(x) DVMDBG_UNUSED_(x)
#define DVMDBG_CONSTRUCT_OFF_(...) DVMDBG_MAKE_(dvmdbg_construct, DVMDBG_ABI_ __VA_ARGS__)
#define DVMDBG_PL(...) DVMDBG_BLOCK_(DVMDBG_CAT_(dvmdbg_, __COUNTER__), DVMDBG_CONSTRUCT_OFF_(__VA_ARGS__))
#define DVMDBG_SL(...) DVMDBG_BLOCK_(DVMDBG_CAT_(dvmdbg_, __COUNTER__), DVMDBG_CONSTRUCT_OFF_(__VA_ARGS__))
#define DVMDBG_TR(...) DVMDBG_BLOCK_(DVMDBG_CAT_(dvmdbg_, __COUNTER__), DVMDBG_CONSTRUCT_OFF_(__VA_ARGS__))
#define DVMDBG_TASK(k) DVMDBG_BLOCK_(DVMDBG_CAT_(dvmdbg_, __COUNTER__), k)
#define DVMDBG_PL_BEGIN(...) DVMDBG_UNUSED_(DVMDBG_CONSTRUCT_OFF_(__VA_ARGS__))
#define DVMDBG_SL_BEGIN(...) DVMDBG_UNUSED_(DVMDBG_CONSTRUCT_OFF_(__VA_ARGS__))
#define DVMDBG_TR_BEGIN(...) DVMDBG_UNUSED_(DVMDBG_CONSTRUCT_OFF_(__VA_ARGS__))
#define DVMDBG_TASK_BEGIN(k) DVMDBG_UNUSED_(k)
#define DVMDBG_PL_END() ((void)0)
#define DVMDBG_SL_END() ((void)0)
#define DVMDBG_TR_END() ((void)0)
#define DVMDBG_TASK_END() ((void)0)
#ifdef __cplusplus
namespace dvmdbg_cxx { template <class... T> constexpr int used(T...) { return 0; } }
#define DVMDBG_ITERATION(...) DVMDBG_UNUSED_(dvmdbg_cxx::used(__VA_ARGS__))
#else
#define DVMDBG_ITERATION(...) DVMDBG_UNUSED_(((const long[]){ __VA_ARGS__ }))
#endif

#else

#define DVMDBG_ON() __builtin_expect(dvmdbg_active, 0)

static inline void dvmdbg_leave_(struct dvmdbg_scope *s)
{
	if (__builtin_expect(s->id != 0, 0))
		dvmdbg_close_at(s->id, s->once);
}

#define DVMDBG_SCOPE_(v, ...) \
	struct dvmdbg_scope v __attribute__((cleanup(dvmdbg_leave_), unused)) = \
		{ 1, DVMDBG_ON() ? DVMDBG_OPEN_(__VA_ARGS__) : 0 }
#define DVMDBG_BLOCK_(v, ...) for (DVMDBG_SCOPE_(v, __VA_ARGS__); v.once; v.once = 0)
#define DVMDBG_BEGIN_(...) \
	do { \
		if (DVMDBG_ON()) \
			(void)DVMDBG_OPEN_(__VA_ARGS__); \
	} while (0)
#define DVMDBG_END_(kind) \
	do { \
		if (DVMDBG_ON()) \
			dvmdbg_end_at(kind); \
	} while (0)

#define DVMDBG_FUNCTION() DVMDBG_SCOPE_(DVMDBG_CAT_(dvmdbg_, __COUNTER__), 'F', 0, )
#define DVMDBG_PL(...) DVMDBG_BLOCK_(DVMDBG_CAT_(dvmdbg_, __COUNTER__), 'P', 0, __VA_ARGS__)
#define DVMDBG_SL(...) DVMDBG_BLOCK_(DVMDBG_CAT_(dvmdbg_, __COUNTER__), 'S', 0, __VA_ARGS__)
#define DVMDBG_TR(...) DVMDBG_BLOCK_(DVMDBG_CAT_(dvmdbg_, __COUNTER__), 'R', 0, __VA_ARGS__)
#define DVMDBG_TASK(k) DVMDBG_BLOCK_(DVMDBG_CAT_(dvmdbg_, __COUNTER__), 'T', k, )
#define DVMDBG_PL_BEGIN(...) DVMDBG_BEGIN_('P', 0, __VA_ARGS__)
#define DVMDBG_SL_BEGIN(...) DVMDBG_BEGIN_('S', 0, __VA_ARGS__)
#define DVMDBG_TR_BEGIN(...) DVMDBG_BEGIN_('R', 0, __VA_ARGS__)
#define DVMDBG_TASK_BEGIN(k) DVMDBG_BEGIN_('T', k, )
#define DVMDBG_PL_END() DVMDBG_END_('P')
#define DVMDBG_SL_END() DVMDBG_END_('S')
#define DVMDBG_TR_END() DVMDBG_END_('R')
#define DVMDBG_TASK_END() DVMDBG_END_('T')
#define DVMDBG_ITERATION(...) \
	do { \
		if (DVMDBG_ON()) \
			DVMDBG_ITERATION_(__VA_ARGS__); \
	} while (0)

#define DVMDBG_ARRAY(u, ...) DVMDBG_ARRAY_(u, #u, __VA_ARGS__)
#define DVMDBG_ARRAY_(u, name, ...) \
	do { \
		if (DVMDBG_ON()) { \
			const struct dvmdbg_array dvmdbg_a_ = { DVMDBG_ABI_ __VA_ARGS__ }; \
			dvmdbg_array_at((const void *)&(u), DVMDBG_IS_POINTER_(u), name, \
					DVMDBG_TYPE_OF(u), sizeof((u)[0]), \
					DVMDBG_IS_POINTER_(u) ? 0 : sizeof(u), &dvmdbg_a_, \
					DVMDBG_TEXT_(__VA_ARGS__), __FILE__, __LINE__); \
		} \
	} while (0)
#define DVMDBG_REPLICATED_ARRAY(x, n) DVMDBG_ARRAY_(x, #x, .ndim = 1, .shape = { (long)(n) }, .replicated = 1)
#define DVMDBG_REPLICATED(x) \
	do { \
		if (DVMDBG_ON()) \
			dvmdbg_scalar_at((const void *)&(x), #x, DVMDBG_TYPE_OF_OBJECT(x), sizeof(x), \
					 NULL, 0, __FILE__, __LINE__); \
	} while (0)
#define DVMDBG_STRUCT(x, ...) \
	do { \
		if (DVMDBG_ON()) { \
			const struct dvmdbg_field dvmdbg_f_[] = { __VA_ARGS__ }; \
			dvmdbg_scalar_at((const void *)&(x), #x, DVMDBG_STRUCTURE, sizeof(x), dvmdbg_f_, \
					 (int)(sizeof dvmdbg_f_ / sizeof *dvmdbg_f_), __FILE__, \
					 __LINE__); \
		} \
	} while (0)
#define DVMDBG_FORGET(x) \
	do { \
		if (DVMDBG_ON()) \
			dvmdbg_forget_at((const void *)&(x)); \
	} while (0)

#endif
/* clang-format on */
#endif
