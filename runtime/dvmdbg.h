/* SPDX-License-Identifier: BSD-3-Clause */
/* clang-format off */
/*
 * dvmdbg.h: annotations for the dvmdbg debugger, for C (gcc, clang; gnu99 and later) and C++ (C++11
 * and later; name the members of ARRAY, PL, SL and TR in the order of the structures below).
 *
 * Include this, link with -ldvmdbg (pkg-config dvmdbg). Without the debugger each mark costs one
 * predictable branch; with DVMDBG_OFF defined nothing at all. Indices are global and 0-based unless
 * .lower says otherwise; all counts are in elements; upper ends are inclusive.
 *
 *	DVMDBG_FUNCTION();                              this function is a frame until it returns
 *	DVMDBG_DISPATCH();                              in this block a rank waits for orders
 *	                                                and carries them out
 *	DVMDBG_ARRAY(u, .shape = {n, n}, .own = {{r0, r1}, {c0, c1}}, .halo = {1, 1});
 *	DVMDBG_ARRAY(a, .shape = {n, n}, .own = {{rank * b, n - 1}, {0, n - 1}},
 *		     .step = {size * b}, .block = {b});
 *	DVMDBG_REPLICATED(eps);
 *	DVMDBG_STRUCT(par, DVMDBG_FIELD(par, dt), DVMDBG_FIELD(par, steps));
 *	DVMDBG_SL(.range = {{1, steps}})
 *	for (int it = 1; it <= steps; it++) {
 *		DVMDBG_ITERATION(it);
 *		DVMDBG_PL(.on = v, .range = {{1, n - 2}, {1, n - 2}}, .writes = {v}, .reads = {u})
 *		for (i …) for (j …) …
 *	}
 *
 * PL, SL, TR and TASK stand before a loop or a block and end with it, however it is left; a break
 * or continue directly in such a block (not in a loop inside it) leaves the block. Where that does
 * not fit, PL_BEGIN(…); … PL_END(); and the like do the same. What stands in a mark is evaluated
 * under the debugger only: ITERATION(++it) would count nowhere else. Constructs are announced by
 * the thread that runs main, outside parallel regions. An array is named by a variable or member, u
 * or s->u: for a pointer its own address is kept, so that swapped pointers keep their names.
 * A std::vector is named as such in ARRAY and FORGET, with .data() in lists: .writes = {v.data()};
 * a std::unique_ptr to an array likewise, with .get().
 * Registering it again replaces the former description. Other variables that the same line
 * registers, in a loop over levels or a function called for each field, are arrays of their own,
 * u@f.c:12 and u@f.c:12#1; those that are gone by then have to be forgotten. A name with an index
 * is typed in accents: print `level[k]`@f.c:12#1[3].
 *
 * Of an array of structures name the fields; each is an array, which can be shown, added up and
 * compared as any other:
 *
 *	DVMDBG_ARRAY(cells, .shape = {n}, .own = {{i0, i1}}, .fields = DVMDBG_FIELDS(cells, t, rho, v));
 *
 * They are called cells.t, cells.rho and cells.v, an element cells[3].t; cells[3] is all fields of
 * one. A field that is an array, double v[3], has one more index: cells[3].v[0]. The first argument
 * of FIELDS is what [0] makes a structure of: of struct cell cells[N][M] it is cells[0]. Members of
 * members are named as in C, pos.x. In lists .writes = {cells} are all fields, .writes =
 * {&cells->rho} is one (the first field of all has the address of the structures). Where FIELDS
 * cannot be used, .fields = {{"t", DVMDBG_DOUBLE, 0, 8}, …}: name, type, offset and bytes of each,
 * and .bytes of a structure. A field is left out, with a finding, when the structure's size is no
 * multiple of its elements': double complex in a structure of 24 bytes.
 *
 * One of its members alone is registered by
 *
 *	DVMDBG_MEMBER(body, x, .shape = {n}, .own = {{i0, i1}});
 *
 * body points to the first stored structure. The array is called body.x, and stays at this address:
 * in lists it is .writes = {&body->x}. Where there are more dimensions, and rows have room behind
 * them, .stride counts in elements of the member.
 *
 * An array whose rows are allocated one by one, double **u or std::vector<std::vector<double>>:
 *
 *	DVMDBG_ROWS(u, .shape = {n, m}, .own = {{i0, i1}, {0, m - 1}}, .halo = {1, 0});
 *
 * u[k] leads to the stored row number k, from 0, and the rows lie at equal distances, as those do
 * that are allocated one after the other; where they do not, that is a finding. In lists it is
 * .writes = {&u[0][0]}, and DVMDBG_FORGET(u[0]) forgets it. Its table of pointers is kept, so that
 * u means these rows also when pointers to tables are swapped.
 *
 * An array whose elements are not in memory: on a device, in a file, in an object of a library.
 * Give functions that bring them and take them back; ARRAY has the members, too, for a pointer to a
 * device:
 *
 *	DVMDBG_ELSEWHERE(file, DVMDBG_DOUBLE, .shape = {n}, .own = {{i0, i1}}, .fetch = read_part,
 *			 .store = write_part, .context = &file);
 *
 * file is any variable, whose name the array has; in lists it is .writes = {&file}. At each point
 * that stops or compares, all that this rank stores of it is brought.
 *
 * Checksums are taken of the arrays that a PL or TR writes (.writes; also of those it reads, when
 * that is requested), at its end; of all registered arrays where it names neither. NULL in these
 * lists is ignored, so an array of which a rank owns nothing may be NULL. What is named must be
 * registered.
 *
 *	DVMDBG_REPLICATED_ARRAY(w, n);                  n elements at the pointer w
 *	DVMDBG_MAPPED(x, rank == 2);                    a variable that is of one rank only
 *	DVMDBG_FORGET(u);                               before it is freed or goes out of scope
 *
 * For traces and their comparison, which need a program compiled with dvmdbg-cc:
 *
 *	DVMDBG_PL_ITERATION(i, j);                      the iteration that begins, in a PL
 *	DVMDBG_PL_ITERATION_END();                      what follows in the PL is in none
 *	DVMDBG_REDUCTION(eps, DVMDBG_MAX);              a reduction is complete: its result
 *	DVMDBG_REDUCTION_ARRAY(sums, n, DVMDBG_SUM);    of n elements at the pointer sums
 *	DVMDBG_SKIP();                                  what this rank did since the last construct
 *	                                                is its own
 *
 * For dynamic control (dvmdbg check), before the PL or TR that they are of:
 *
 *	DVMDBG_PRIVATE(x); DVMDBG_PRIVATE_ARRAY(p, n);  each iteration has its own, and writes it
 *	                                                before it reads it
 *	DVMDBG_READONLY(x); DVMDBG_READONLY_ARRAY(p, n); no iteration writes it
 *	DVMDBG_REDUCES(x); DVMDBG_REDUCES_ARRAY(p, n);  iterations contribute to a reduction of it
 *	DVMDBG_ACROSS(u, .below = {1, 0});              iterations depend on those with an index one
 *	                                                less
 *	DVMDBG_COMPUTES_HALO(u);                        iterations compute the halo of u, too
 *	DVMDBG_AFTER(k);                                before a TASK: it depends on task k, and on
 *	                                                those that k depends on
 *
 * and where it happens, on any number of ranks:
 *
 *	DVMDBG_HALO_START(u); … DVMDBG_HALO(u);         the renewal of halos begins, is complete
 *	                                                (alone: both)
 *	DVMDBG_REDUCTION_START(x); … DVMDBG_REDUCTION(x, DVMDBG_SUM); an asynchronous reduction
 *	DVMDBG_REMOTE(p, n);                            what is loaded into p from now on is of
 *	                                                other ranks
 *
 * What is not declared follows from its first use: a variable that iterations write before they
 * read it is private, one that they only read is read only, one that MPI or DVMDBG_REDUCTION
 * combines behind the loop is a reduction's.
 *
 * SKIP stands behind what only some ranks do, or do otherwise, outside of PL and TR: if (rank == 0)
 * { … } DVMDBG_SKIP(). All ranks come by it. Loops and writes in front of it are not compared;
 * registered replicated objects have to be equal again where the next PL or TR begins.
 *
 * An iteration lasts until the next one is marked: in nested loops, what comes before the inner one
 * needs a mark too, else it is in the last iteration of the outer one before. In one PL a rank
 * executes each once: a loop that comes to the same ones in each step of a ring is left without
 * marks, or each step is a PL, as far as their number is the same for any number of ranks. Messages
 * and exchanges of halos of a pipeline stand inside of the PL's block, behind PL_ITERATION_END. In
 * a program compiled by the compiler alone DVMDBG_PL_ITERATION and its END compile to nothing; in
 * others each costs one predictable branch until iterations are wanted: by a trace, by break or
 * step with -iter. Where they are not, the debugger does not know in which iteration of a PL the
 * program is.
 */
/* clang-format on */
#ifndef DVMDBG_H
#define DVMDBG_H

#ifdef __cplusplus
#pragma GCC system_header /* no warnings about members a description leaves out */
#endif

#include <stddef.h>
#include <stdint.h>

#define DVMDBG_DIMS 8

/* How a reduction makes one value of many. */
enum dvmdbg_op {
	DVMDBG_SUM = 1,
	DVMDBG_PROD = 2,
	DVMDBG_MAX = 3,
	DVMDBG_MIN = 4,
	DVMDBG_AND = 5,
	DVMDBG_OR = 6,
	DVMDBG_XOR = 7, /* of truth values: .neqv. */
	DVMDBG_EQV = 8,
	DVMDBG_BAND = 9, /* of bits */
	DVMDBG_BOR = 10,
	DVMDBG_BXOR = 11,
	DVMDBG_MAXLOC = 12,
	DVMDBG_MINLOC = 13,
};

/* Element types, when the expression does not show them. */
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

/* What a pointer to an array's part points to: its first element with the halo, as it is allocated,
 * or the first one that this rank owns, with the halo before it. */
enum dvmdbg_first {
	DVMDBG_STORED = 0,
	DVMDBG_OWN = 1,
};

#define DVMDBG_FIELD_MOST 32

/* A member of a structure; made by DVMDBG_FIELD. */
struct dvmdbg_field {
	const char *name;
	int type;
	unsigned offset, bytes;
};

/*
 * A distributed array as this rank sees it. ndim defaults to the number of shapes that are written
 * down. One of them may be 0, of an array without elements. own defaults to the whole shape. The
 * address is that of the first stored element: halo and all. Where a pointer points to the first
 * own element, as after u = all + 1, give .first = DVMDBG_OWN.
 */
struct dvmdbg_array {
	int abi; /* set by the macros */
	int ndim;
	int type; /* enum dvmdbg_type + 1; 0: that of the expression */
	long shape[DVMDBG_DIMS];		/* global extent */
	long lower[DVMDBG_DIMS];		/* global lower bound */
	struct dvmdbg_range own[DVMDBG_DIMS];	/* what this rank owns, global indices */
	int nothing;				/* 1: this rank owns no element at all */
	long halo[DVMDBG_DIMS];			/* halo width on both sides … */
	long halo_lo[DVMDBG_DIMS], halo_hi[DVMDBG_DIMS]; /* … or on each */
	long stride[DVMDBG_DIMS];		/* elements between neighbours; 0: densely packed */
	const long *index[DVMDBG_DIMS]; /* index list instead of own: count[d] global indices */
	long count[DVMDBG_DIMS];
	int fortran;				/* 1: first index runs fastest */
	int replicated; /* 1: every rank holds all of it, meant to be equal */
	int first; /* enum dvmdbg_first: which element the pointer points to; since abi 3 */
	long step[DVMDBG_DIMS]; /* not 0: of own first … last only every step-th index, cyclically …
				 */
	long block[DVMDBG_DIMS]; /* … or every step the next block of them; since abi 4 */
	/*
	 * Where the elements are not in this memory: functions that copy `count` of those that this
	 * rank stores, halo and all, beginning with number `first`, in the order of memory, and
	 * return 0. store may be NULL: nothing can be assigned then. They are called by the thread
	 * that runs main, at points. Since abi 6.
	 */
	int (*fetch)(void *context, void *to, size_t first, size_t count);
	int (*store)(void *context, const void *from, size_t first, size_t count);
	void *context;
	/*
	 * Partly replicated, as along one dimension of a grid of processes: all ranks together hold
	 * the whole array `copies` times, and this rank's part belongs to copy number `copy`, from
	 * 0. Each element counts once, in copy 0; the others are compared with it. Since abi 7.
	 */
	int copies, copy;
	/* Of an array of structures: each field that has a name here is an array, cells.t. Since
	 * abi 7. bytes: of a structure, 0: what the expression shows. Set both by DVMDBG_FIELDS. */
	struct dvmdbg_field fields[DVMDBG_FIELD_MOST];
	size_t bytes;
	/* 1: behind the array's end in this dimension its beginning follows: halo that goes beyond
	 * it has copies of the elements at the other end. Since abi 8. */
	int periodic[DVMDBG_DIMS];
};

/* A construct: the global range of its iterations, the array its iterations are mapped on, and the
 * arrays it writes and reads, as values: u for DVMDBG_ARRAY(u, …). */
struct dvmdbg_construct {
	int abi; /* set by the macros */
	const void *on;				/* an array, or NULL */
	struct dvmdbg_range range[DVMDBG_DIMS];
	int ndim; /* defaults to the number of leading ranges that are not {0, 0} */
	const char *name;			/* `break NAME` stops at it, as at a function */
	const void *writes[DVMDBG_DIMS], *reads[DVMDBG_DIMS]; /* since abi 2 */
	/* element of `on` that an iteration is mapped on: shift[d] more than the index number
	 * by[d], from 1; by 0: d + 1; -1: any element in that dimension. Since abi 5. */
	long shift[DVMDBG_DIMS];
	int by[DVMDBG_DIMS];
};

/* How far iterations depend on each other: on indices that much below, and above; all 0: any. */
struct dvmdbg_across {
	long below[DVMDBG_DIMS], above[DVMDBG_DIMS];
};

/* A scope that closes itself; not for direct use. */
struct dvmdbg_scope {
	int once;    /* still 1 when it is closed: left by break, goto or return */
	unsigned id; /* 0: nothing was opened */
};

#define DVMDBG_ABI 8

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* 1 in a program that runs under dvmdbg, else 0. Where accesses are hooked it is constant to the
 * compiler, so that looking at it is none. */
#ifdef DVMDBG_HOOKED
extern const int dvmdbg_active;
/* Other than 0 while iterations of parallel loops are wanted: it may change at any time, in any
 * thread. Also constant, and read again by each mark. */
extern const volatile int dvmdbg_iterations;
#else
extern int dvmdbg_active;
#endif

/*
 * Called by the macros below, from the thread that runs main. by_pointer: addr is that of a pointer
 * variable. row: bytes of what the expression's first index selects. whole: bytes of a fixed array,
 * else 0. given: the text of the description.
 */
void dvmdbg_array_at(const void *addr, int by_pointer, const char *name, int type, size_t row,
		     size_t whole, const struct dvmdbg_array *a, const char *given,
		     const char *file, int line);
void dvmdbg_scalar_at(const void *addr, const char *name, int type, size_t size,
		      const struct dvmdbg_field *field, int nfield, const char *file, int line);
/* A member of structures that are `row` bytes apart. */
void dvmdbg_member_at(const void *addr, const char *name, int type, size_t size, size_t row,
		      const struct dvmdbg_array *a, const char *given, const char *file, int line);
/* apart: bytes between the pointers to rows, of which addr is the first one's. */
void dvmdbg_rows_at(const void *addr, size_t apart, const char *name, int type, size_t size,
		    const struct dvmdbg_array *a, const char *given, const char *file, int line);
void dvmdbg_mapped_at(const void *addr, const char *name, int type, size_t size, int owns,
		      const char *file, int line);
void dvmdbg_forget_at(const void *addr);
/* kind: 'F' function, 'D' dispatch loop, 'P' parallel loop, 'S' sequential loop, 'R' task region,
 * 'T' task (number). */
unsigned dvmdbg_open_at(int kind, long number, const struct dvmdbg_construct *c, const char *file,
			int line, const char *func);
void dvmdbg_close_at(unsigned id, int left);
void dvmdbg_end_at(int kind);
void dvmdbg_iteration_at(int n, const long *index);
/* The first n of the values; an array of them would be memory that is written. */
void dvmdbg_pl_iteration_at(int n, long i, long j, long k, long l, long p, long q, long r, long s);
void dvmdbg_sl_iteration_at(int n, long i, long j, long k, long l, long p, long q, long r, long s);
void dvmdbg_reduction_at(const void *addr, const char *name, int type, size_t size, int op,
			 const char *file, int line);
void dvmdbg_skip_at(const char *file, int line);
/* What is declared for dynamic control: kind as in DVMDBG_PRIVATE and the others. */
void dvmdbg_declare_at(int kind, const void *addr, size_t bytes);
void dvmdbg_across_at(const void *addr, const struct dvmdbg_across *a);
void dvmdbg_after_at(long task);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

/* clang-format off */

#define DVMDBG_CAT2_(a, b) a##b
#define DVMDBG_CAT_(a, b) DVMDBG_CAT2_(a, b)
#define DVMDBG_TEXT_(...) #__VA_ARGS__
/* How many there are, and the first eight of them. */
#define DVMDBG_NINTH_(a, b, c, d, e, f, g, h, n, ...) n
#define DVMDBG_COUNT_(...) DVMDBG_NINTH_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define DVMDBG_EIGHT_(a, b, c, d, e, f, g, h, ...) \
	(long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f), (long)(g), (long)(h)
#define DVMDBG_VALUES_(...) \
	DVMDBG_COUNT_(__VA_ARGS__), DVMDBG_EIGHT_(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0)

/* How each language makes a description and finds the type of an expression. */
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
struct none { enum { type = -1, pointer = 0 }; };
none complex_of(...);
template <class T> struct halves { enum { type = -1 }; };
template <> struct halves<float> { enum { type = DVMDBG_FLOAT_COMPLEX }; };
template <> struct halves<double> { enum { type = DVMDBG_DOUBLE_COMPLEX }; };
template <class T> auto complex_of(T *z) -> decltype(z->real(), halves<decltype(z->imag())>());
template <class T> struct scalar { /* what has real() and imag(): std::complex */
	enum { type = decltype(complex_of(static_cast<T *>(0)))::type };
};
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
template <class T> struct scalar<T *> { enum { type = DVMDBG_POINTER }; };
/* What has data() and capacity() begins with a pointer to its elements: std::vector. */
template <class T> struct first;
template <class T> struct first<T *> { enum { type = scalar<T>::type, pointer = 1 }; };
template <class T> auto vector_of(T *v) -> decltype(v->capacity(), first<decltype(v->data())>());
/* std::unique_ptr to an array, which is the pointer. */
template <class T> auto vector_of(T *v) -> decltype(v->release(), (*v)[0], first<decltype(v->get())>());
none vector_of(...);
template <class T> struct elem {
	typedef decltype(vector_of(static_cast<T *>(0))) is;
	enum { type = is::type, pointer = is::pointer };
};
template <class T> struct elem<T &> : elem<T> {};
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
#define DVMDBG_FLAT_(T, N) T *: DVMDBG_##N, const T *: DVMDBG_##N, volatile T *: DVMDBG_##N,
#define DVMDBG_POINTERS_(T, N) T **: (int)DVMDBG_POINTER, const T **: (int)DVMDBG_POINTER,
#define DVMDBG_ROWS_(T, N) \
	T (*)[]: DVMDBG_##N, const T (*)[]: DVMDBG_##N, volatile T (*)[]: DVMDBG_##N,
/* Of the elements of a pointer, or of an array or a pointer to rows, up to three dimensions; else
 * -1. */
#define DVMDBG_TYPE_OF(u) \
	(__extension__ _Generic(&(u)[0], DVMDBG_TYPES_(DVMDBG_FLAT_) DVMDBG_TYPES_(DVMDBG_ROWS_) \
		DVMDBG_TYPES_(DVMDBG_POINTERS_) \
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
/*
 * The members f, … of the structures in x, an array of them or a pointer to the first (of an array
 * a[M][N] that is a[0]): up to 16, for .fields. The description has them expanded, the text of the
 * description has not.
 */
#define DVMDBG_FIELDS(x, ...) \
	{ DVMDBG_CAT_(DVMDBG_FIELDS_, DVMDBG_COUNT16_(__VA_ARGS__))(x, __VA_ARGS__) }, \
	.bytes = sizeof((x)[0])
#define DVMDBG_17TH_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, ...) q
#define DVMDBG_COUNT16_(...) \
	DVMDBG_17TH_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define DVMDBG_NIL_()
#define DVMDBG_FIELD_NAME_() DVMDBG_FIELD
#define DVMDBG_LATE_(x, f) DVMDBG_FIELD_NAME_ DVMDBG_NIL_ DVMDBG_NIL_()()() ((x)[0], f)
#define DVMDBG_FIELDS_1(x, f) DVMDBG_LATE_(x, f)
#define DVMDBG_FIELDS_2(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_1(x, __VA_ARGS__)
#define DVMDBG_FIELDS_3(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_2(x, __VA_ARGS__)
#define DVMDBG_FIELDS_4(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_3(x, __VA_ARGS__)
#define DVMDBG_FIELDS_5(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_4(x, __VA_ARGS__)
#define DVMDBG_FIELDS_6(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_5(x, __VA_ARGS__)
#define DVMDBG_FIELDS_7(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_6(x, __VA_ARGS__)
#define DVMDBG_FIELDS_8(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_7(x, __VA_ARGS__)
#define DVMDBG_FIELDS_9(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_8(x, __VA_ARGS__)
#define DVMDBG_FIELDS_10(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_9(x, __VA_ARGS__)
#define DVMDBG_FIELDS_11(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_10(x, __VA_ARGS__)
#define DVMDBG_FIELDS_12(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_11(x, __VA_ARGS__)
#define DVMDBG_FIELDS_13(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_12(x, __VA_ARGS__)
#define DVMDBG_FIELDS_14(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_13(x, __VA_ARGS__)
#define DVMDBG_FIELDS_15(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_14(x, __VA_ARGS__)
#define DVMDBG_FIELDS_16(x, f, ...) DVMDBG_LATE_(x, f), DVMDBG_FIELDS_15(x, __VA_ARGS__)

#define DVMDBG_UNUSED_(x) ((void)sizeof(x))
#ifdef __cplusplus
namespace dvmdbg_cxx { template <class... T> constexpr int used(T...) { return 0; } }
#define DVMDBG_NO_ITERATION_(...) DVMDBG_UNUSED_(dvmdbg_cxx::used(__VA_ARGS__))
#else
#define DVMDBG_NO_ITERATION_(...) DVMDBG_UNUSED_(((const long[]){ __VA_ARGS__ }))
#endif

#ifdef DVMDBG_OFF

/* Nothing is executed, but what is named counts as used. */
#define DVMDBG_BLOCK_(v, x) for (int v = sizeof(x) > 0; v; v = 0)
#define DVMDBG_FUNCTION() ((void)0)
#define DVMDBG_DISPATCH() ((void)0)
#define DVMDBG_ARRAY(u, ...) \
	(DVMDBG_UNUSED_(u), DVMDBG_UNUSED_(DVMDBG_MAKE_(dvmdbg_array, DVMDBG_ABI_ __VA_ARGS__)))
#define DVMDBG_MEMBER(a, m, ...) \
	(DVMDBG_UNUSED_((a)[0].m), DVMDBG_UNUSED_(DVMDBG_MAKE_(dvmdbg_array, DVMDBG_ABI_ __VA_ARGS__)))
#define DVMDBG_ROWS(u, ...) \
	(DVMDBG_UNUSED_((u)[0][0]), DVMDBG_UNUSED_(DVMDBG_MAKE_(dvmdbg_array, DVMDBG_ABI_ __VA_ARGS__)))
#define DVMDBG_ELSEWHERE(x, type, ...) \
	(DVMDBG_UNUSED_(x), DVMDBG_UNUSED_(DVMDBG_MAKE_(dvmdbg_array, DVMDBG_ABI_ __VA_ARGS__)))
#define DVMDBG_REPLICATED(x) DVMDBG_UNUSED_(x)
#define DVMDBG_MAPPED(x, owns) (DVMDBG_UNUSED_(x), DVMDBG_UNUSED_(owns))
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
#define DVMDBG_ITERATION(...) DVMDBG_NO_ITERATION_(__VA_ARGS__)
#define DVMDBG_PL_ITERATION(...) DVMDBG_NO_ITERATION_(__VA_ARGS__)
#define DVMDBG_PL_ITERATION_END() ((void)0)
#define DVMDBG_REDUCTION(x, op) (DVMDBG_UNUSED_(x), DVMDBG_UNUSED_(op))
#define DVMDBG_REDUCTION_ARRAY(x, n, op) (DVMDBG_UNUSED_(x), DVMDBG_UNUSED_(n), DVMDBG_UNUSED_(op))
#define DVMDBG_SKIP() ((void)0)
#define DVMDBG_DECLARE_(kind, at, bytes) (DVMDBG_UNUSED_(at), DVMDBG_UNUSED_(bytes))
#define DVMDBG_ACROSS(u, ...) \
	(DVMDBG_UNUSED_(u), DVMDBG_UNUSED_(DVMDBG_MAKE_(dvmdbg_across, __VA_ARGS__)))
#define DVMDBG_AFTER(k) DVMDBG_UNUSED_(k)

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
#define DVMDBG_DISPATCH() DVMDBG_SCOPE_(DVMDBG_CAT_(dvmdbg_, __COUNTER__), 'D', 0, )
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
#ifdef DVMDBG_HOOKED
#define DVMDBG_WANTED_() __builtin_expect(dvmdbg_iterations, 0)
#define DVMDBG_ITERATION(...) \
	do { \
		if (DVMDBG_ON()) \
			dvmdbg_sl_iteration_at(DVMDBG_VALUES_(__VA_ARGS__)); \
	} while (0)
#define DVMDBG_PL_ITERATION(...) \
	do { \
		if (DVMDBG_WANTED_()) \
			dvmdbg_pl_iteration_at(DVMDBG_VALUES_(__VA_ARGS__)); \
	} while (0)
#define DVMDBG_PL_ITERATION_END() \
	do { \
		if (DVMDBG_WANTED_()) \
			dvmdbg_pl_iteration_at(0, 0, 0, 0, 0, 0, 0, 0, 0); \
	} while (0)
#else
#define DVMDBG_ITERATION(...) \
	do { \
		if (DVMDBG_ON()) \
			DVMDBG_ITERATION_(__VA_ARGS__); \
	} while (0)
#define DVMDBG_PL_ITERATION(...) DVMDBG_NO_ITERATION_(__VA_ARGS__)
#define DVMDBG_PL_ITERATION_END() ((void)0)
#endif

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
#define DVMDBG_ROWS(u, ...) \
	do { \
		if (DVMDBG_ON()) { \
			const struct dvmdbg_array dvmdbg_a_ = { DVMDBG_ABI_ __VA_ARGS__ }; \
			dvmdbg_rows_at((const void *)&(u)[0], sizeof((u)[0]), #u, \
				       DVMDBG_TYPE_OF((u)[0]), sizeof((u)[0][0]), &dvmdbg_a_, \
				       DVMDBG_TEXT_(__VA_ARGS__), __FILE__, __LINE__); \
		} \
	} while (0)
#define DVMDBG_ELSEWHERE(x, type, ...) DVMDBG_ELSEWHERE_(x, #x, type, __VA_ARGS__)
#define DVMDBG_ELSEWHERE_(x, name, type, ...) \
	do { \
		if (DVMDBG_ON()) { \
			const struct dvmdbg_array dvmdbg_a_ = { DVMDBG_ABI_ __VA_ARGS__ }; \
			dvmdbg_array_at((const void *)&(x), 0, name, type, sizeof(x), 0, &dvmdbg_a_, \
					DVMDBG_TEXT_(__VA_ARGS__), __FILE__, __LINE__); \
		} \
	} while (0)
#define DVMDBG_MEMBER(a, m, ...) \
	do { \
		if (DVMDBG_ON()) { \
			const struct dvmdbg_array dvmdbg_a_ = { DVMDBG_ABI_ __VA_ARGS__ }; \
			dvmdbg_member_at((const void *)&(a)[0].m, #a "[]." #m, DVMDBG_TYPE_OF_OBJECT((a)[0].m), \
					 sizeof((a)[0].m), sizeof((a)[0]), &dvmdbg_a_, \
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
/* A variable whose value counts on the rank that owns it; others have something else in theirs. */
#define DVMDBG_MAPPED(x, owns) \
	do { \
		if (DVMDBG_ON()) \
			dvmdbg_mapped_at((const void *)&(x), #x, DVMDBG_TYPE_OF_OBJECT(x), sizeof(x), \
					 (owns) != 0, __FILE__, __LINE__); \
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
#define DVMDBG_REDUCTION(x, op) \
	do { \
		if (DVMDBG_ON()) \
			dvmdbg_reduction_at((const void *)&(x), #x, DVMDBG_TYPE_OF_OBJECT(x), \
					    sizeof(x), (op), __FILE__, __LINE__); \
	} while (0)
#define DVMDBG_REDUCTION_ARRAY(x, n, op) \
	do { \
		if (DVMDBG_ON()) \
			dvmdbg_reduction_at((const void *)(x), #x, DVMDBG_TYPE_OF(x), \
					    sizeof((x)[0]) * (size_t)(n), (op), __FILE__, __LINE__); \
	} while (0)

#define DVMDBG_SKIP() \
	do { \
		if (DVMDBG_ON()) \
			dvmdbg_skip_at(__FILE__, __LINE__); \
	} while (0)

#define DVMDBG_DECLARE_(kind, at, bytes) \
	do { \
		if (DVMDBG_ON()) \
			dvmdbg_declare_at((kind), (const void *)(at), (size_t)(bytes)); \
	} while (0)
#define DVMDBG_ACROSS(u, ...) \
	do { \
		if (DVMDBG_ON()) { \
			const struct dvmdbg_across dvmdbg_a_ = { __VA_ARGS__ }; \
			dvmdbg_across_at((const void *)(u), &dvmdbg_a_); \
		} \
	} while (0)
#define DVMDBG_AFTER(k) \
	do { \
		if (DVMDBG_ON()) \
			dvmdbg_after_at(k); \
	} while (0)

#endif

/* Of a variable; of n elements at a pointer. */
#define DVMDBG_PRIVATE(x) DVMDBG_DECLARE_('P', &(x), sizeof(x))
#define DVMDBG_PRIVATE_ARRAY(x, n) DVMDBG_DECLARE_('P', x, sizeof((x)[0]) * (size_t)(n))
#define DVMDBG_READONLY(x) DVMDBG_DECLARE_('R', &(x), sizeof(x))
#define DVMDBG_READONLY_ARRAY(x, n) DVMDBG_DECLARE_('R', x, sizeof((x)[0]) * (size_t)(n))
#define DVMDBG_REDUCES(x) DVMDBG_DECLARE_('D', &(x), sizeof(x))
#define DVMDBG_REDUCES_ARRAY(x, n) DVMDBG_DECLARE_('D', x, sizeof((x)[0]) * (size_t)(n))
#define DVMDBG_REDUCTION_START(x) DVMDBG_DECLARE_('S', &(x), sizeof(x))
#define DVMDBG_REDUCTION_START_ARRAY(x, n) DVMDBG_DECLARE_('S', x, sizeof((x)[0]) * (size_t)(n))
#define DVMDBG_REMOTE(x, n) DVMDBG_DECLARE_('B', x, sizeof((x)[0]) * (size_t)(n))
/* Of an array, as it is named in .writes. */
#define DVMDBG_COMPUTES_HALO(u) DVMDBG_DECLARE_('C', u, 0)
#define DVMDBG_HALO_START(u) DVMDBG_DECLARE_('H', u, 0)
#define DVMDBG_HALO(u) DVMDBG_DECLARE_('h', u, 0)
/* clang-format on */
#endif
