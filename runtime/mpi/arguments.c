/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arguments that are special to some calls: lists, second buffers, what takes the place of data,
 * dimensions, groups, modes, files. What the standard says is erroneous, and can be seen without
 * asking anybody. Compiled once per ABI.
 */
#include <mpi.h>

#include "common/protocol/finding_kind.h"
#include "runtime/mpi/abi.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/internal.h"

#define wrong(t, ...) check_report(t, FINDING_MISUSE, __VA_ARGS__)
#define NONE (-1)

/* A call that is looked at. */
struct given {
	const struct mpi_thread *t;
	const mpi_word *arg;
};

static int64_t value(const struct given *v, int at)
{
	if (v->t->fortran)
		return v->arg[at] ? *(const int32_t *)v->arg[at] : 0;
	return v->t->shape->large ? (int64_t)v->arg[at] : (int32_t)v->arg[at];
}

/* An address or an offset, which has 64 bits in Fortran too. */
static int64_t wide(const struct given *v, int at)
{
	if (v->t->fortran)
		return v->arg[at] ? *(const int64_t *)v->arg[at] : 0;
	return (int64_t)v->arg[at];
}

/* Of those that stay numbers of 32 bits in calls with large counts. */
static int32_t small(const struct given *v, int at)
{
	return v->t->fortran ? (int32_t)value(v, at) : (int32_t)v->arg[at];
}

static const int32_t *list(const struct given *v, int at)
{
	return (const int32_t *)v->arg[at];
}

static int64_t item(const struct given *v, int at, uint32_t i)
{
	const void *l = (const void *)v->arg[at];

	return v->t->shape->large && !v->t->fortran ? ((const int64_t *)l)[i] :
						       ((const int32_t *)l)[i];
}

static uint64_t handle_word(const struct given *v, int at)
{
	return v->t->fortran ? (uint64_t)*(const uint32_t *)v->arg[at] : v->arg[at];
}

static const struct handle *type_at(const struct given *v, int at)
{
	return handles_find(HANDLE_TYPE, v->t->fortran, handle_word(v, at));
}

static void check_count_at(const struct given *v, int at, const char *what)
{
	if (value(v, at) < 0)
		wrong(v->t, "the %s (argument %d) is %lld; it has to be 0 or more", what, at + 1,
		      (long long)value(v, at));
}

/* Whether the list is there; so many numbers, none of them negative. */
static bool check_list(const struct given *v, int at, int64_t n, const char *what)
{
	if (n <= 0)
		return true;
	if (!v->arg[at]) {
		wrong(v->t, "the list of %ss (argument %d) is NULL", what, at + 1);
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (item(v, at, i) >= 0)
			continue;
		wrong(v->t, "the %s at position %u (argument %d) is %lld", what, i, at + 1,
		      (long long)item(v, at, i));
		return false;
	}
	return true;
}

/* Collectives. */

enum { ALL, ROOT, NOWHERE }; /* ranks for which arguments mean something */

/* A buffer: its arguments. */
struct side {
	int8_t buffer, count, counts, type, types; /* one of count and counts; of type and types */
	uint8_t where;
	bool each; /* the count is for each rank */
};

struct collective {
	uint16_t call;
	struct side send, recv;
	uint8_t in_place; /* where MPI_IN_PLACE may be given for send, or for recv … */
	bool in_recv;	  /* … instead */
};

#define ONE(b, n, t, where) { b, n, NONE, t, NONE, where, false }
#define EACH(b, n, t, where) { b, n, NONE, t, NONE, where, true }
#define LIST(b, l, t, where) { b, NONE, l, t, NONE, where, true }
#define LISTS(b, l, t, where) { b, NONE, l, NONE, t, where, true }
#define NOTHING { NONE, NONE, NONE, NONE, NONE, NOWHERE, false }
#define ROW(Name, name, ...)                                                            \
	{ MPISTATE_CALL_##Name, __VA_ARGS__ }, { MPISTATE_CALL_I##name, __VA_ARGS__ },  \
		{ MPISTATE_CALL_##Name##_c, __VA_ARGS__ },                              \
		{ MPISTATE_CALL_I##name##_c, __VA_ARGS__ },                             \
		{ MPISTATE_CALL_##Name##_init, __VA_ARGS__ },                           \
	{                                                                               \
		MPISTATE_CALL_##Name##_init_c, __VA_ARGS__                              \
	}

/* clang-format off */
static const struct collective collectives[] = {
	ROW(Bcast, bcast, ONE(0, 1, 2, ALL), NOTHING, NOWHERE, false),
	ROW(Gather, gather, ONE(0, 1, 2, ALL), EACH(3, 4, 5, ROOT), ROOT, false),
	ROW(Gatherv, gatherv, ONE(0, 1, 2, ALL), LIST(3, 4, 6, ROOT), ROOT, false),
	ROW(Scatter, scatter, EACH(0, 1, 2, ROOT), ONE(3, 4, 5, ALL), ROOT, true),
	ROW(Scatterv, scatterv, LIST(0, 1, 3, ROOT), ONE(4, 5, 6, ALL), ROOT, true),
	ROW(Allgather, allgather, ONE(0, 1, 2, ALL), EACH(3, 4, 5, ALL), ALL, false),
	ROW(Allgatherv, allgatherv, ONE(0, 1, 2, ALL), LIST(3, 4, 6, ALL), ALL, false),
	ROW(Alltoall, alltoall, EACH(0, 1, 2, ALL), EACH(3, 4, 5, ALL), ALL, false),
	ROW(Alltoallv, alltoallv, LIST(0, 1, 3, ALL), LIST(4, 5, 7, ALL), ALL, false),
	ROW(Alltoallw, alltoallw, LISTS(0, 1, 3, ALL), LISTS(4, 5, 7, ALL), ALL, false),
	ROW(Reduce, reduce, ONE(0, 2, 3, ALL), ONE(1, 2, 3, ROOT), ROOT, false),
	ROW(Allreduce, allreduce, ONE(0, 2, 3, ALL), ONE(1, 2, 3, ALL), ALL, false),
	ROW(Scan, scan, ONE(0, 2, 3, ALL), ONE(1, 2, 3, ALL), ALL, false),
	ROW(Exscan, exscan, ONE(0, 2, 3, ALL), ONE(1, 2, 3, ALL), ALL, false),
	ROW(Reduce_scatter_block, reduce_scatter_block, EACH(0, 2, 3, ALL), ONE(1, 2, 3, ALL), ALL,
	    false),
	ROW(Reduce_scatter, reduce_scatter, LIST(0, 2, 3, ALL), NOTHING, ALL, false),
#define NEIGHBOR(Name) \
	{ MPISTATE_CALL_##Name, ONE(0, 1, 2, ALL), ONE(3, 4, 5, ALL), NOWHERE, false }
	NEIGHBOR(Neighbor_allgather), NEIGHBOR(Neighbor_alltoall),
	NEIGHBOR(Ineighbor_allgather), NEIGHBOR(Ineighbor_alltoall),
};
/* clang-format on */

static uint8_t collective_of[MPISTATE_CALLS]; /* index + 1 */

__attribute__((constructor)) static void arguments_init(void)
{
	for (unsigned i = 0; i < sizeof(collectives) / sizeof(collectives[0]); i++)
		collective_of[collectives[i].call] = (uint8_t)(i + 1);
}

static bool is_root(const struct given *v)
{
	int8_t root = v->t->shape->root;

	return root < 0 || (uint32_t)small(v, root) == v->t->object->rank;
}

/* Of C alone. */
static bool is_in_place(const struct given *v, int at)
{
	return v->arg[at] == (mpi_word)MPI_IN_PLACE;
}

/* Types of those that were not looked at with the call's own. */
static void check_type_at(const struct given *v, int at)
{
	const struct handle *h = type_at(v, at);

	if (handles_is_null(HANDLE_TYPE, v->t->fortran, handle_word(v, at)))
		wrong(v->t, "the datatype (argument %d) is MPI_DATATYPE_NULL", at + 1);
	else if (h && h->live && !h->committed)
		wrong(v->t, "the datatype (argument %d) has not been committed", at + 1);
}

static bool check_side(const struct given *v, const struct side *s)
{
	const struct mpistate_shape *h = v->t->shape;
	const struct handle *type = s->type >= 0 ? type_at(v, s->type) : NULL;
	bool any = false;

	if (s->counts >= 0) {
		if (!check_list(v, s->counts, v->t->object->size, "count"))
			return false;
		for (uint32_t i = 0; i < v->t->object->size; i++)
			any |= item(v, s->counts, i) > 0;
	} else {
		if (s->count != h->count)
			check_count_at(v, s->count, "count");
		any = value(v, s->count) > 0;
	}
	if (s->type >= 0 && s->type != h->type)
		check_type_at(v, s->type);
	/* what has its count first is looked at with that */
	if (any && !v->arg[s->buffer] && type && type->predefined && (h->count != 1 || s->buffer || h->root != 3))
		wrong(v->t, "the buffer (argument %d) is NULL", s->buffer + 1);
	return any;
}

/* Bytes from the buffer on that certainly belong to it; 0: that is not known. */
static uint64_t extent(const struct given *v, const struct side *s)
{
	const struct handle *type = s->type >= 0 ? type_at(v, s->type) : NULL;
	int64_t n = s->count >= 0 ? value(v, s->count) : 0;

	if (!type || !type->predefined || !handles_base(type) || n <= 0)
		return 0;
	return (uint64_t)n * (handles_base(type) & 0xff) * (s->each ? v->t->object->size : 1);
}

static void check_apart(const struct given *v, const struct collective *c)
{
	uint64_t send = extent(v, &c->send), recv = extent(v, &c->recv);
	mpi_word a = v->arg[c->send.buffer], b = v->arg[c->recv.buffer];

	if (!send || !recv || a >= b + recv || b >= a + send ||
	    (v->t->shape->op >= 0 && v->t->shape->root < 0 && a == b))
		return;
	wrong(v->t, "the buffers (arguments %d and %d) overlap", c->send.buffer + 1,
	      c->recv.buffer + 1);
}

/* What comes of each rank: a list of counts, and behind it one of places. */
static int64_t piece_end(const struct given *v, int counts, uint32_t i)
{
	return item(v, counts + 1, i) + item(v, counts, i);
}

static bool pieces_meet(const struct given *v, int counts, uint32_t i, uint32_t k)
{
	return item(v, counts, i) > 0 && item(v, counts, k) > 0 &&
	       item(v, counts + 1, i) < piece_end(v, counts, k) &&
	       item(v, counts + 1, k) < piece_end(v, counts, i);
}

#define PIECES 256 /* of so many ranks each is held against each when they are not in order */

/* What comes from several ranks must not go to one place. */
static void check_pieces(const struct given *v, const struct side *s)
{
	const struct handle *type = s->type >= 0 ? type_at(v, s->type) : NULL;
	uint32_t n = v->t->object->size, last = 0;

	if (s->counts < 0 || !type || !type->predefined || !v->arg[s->counts + 1])
		return;
	for (uint32_t i = 1; i < n; i++) {
		bool behind = item(v, s->counts + 1, i) >= piece_end(v, s->counts, last);

		if (item(v, s->counts, i) <= 0)
			continue;
		for (uint32_t k = 0; k < i && !behind && n <= PIECES; k++)
			if (pieces_meet(v, s->counts, k, i)) {
				wrong(v->t,
				      "the pieces of ranks %u and %u (arguments %d and %d) "
				      "overlap",
				      k, i, s->counts + 1, s->counts + 2);
				return;
			}
		if (piece_end(v, s->counts, i) > piece_end(v, s->counts, last))
			last = i;
	}
}

static void check_sides(const struct given *v, const struct collective *c)
{
	bool root = is_root(v), here = c->in_place == ALL || (c->in_place == ROOT && root);
	const struct side *sides[] = { &c->send, &c->recv };
	bool there[2];

	for (unsigned i = 0; i < 2; i++) {
		const struct side *s = sides[i];

		there[i] = s->where == ALL || (s->where == ROOT && root);
		/* in Fortran MPI_IN_PLACE is an address like others */
		if (v->t->fortran && here && c->in_recv == (i == 1))
			there[i] = false;
		if (!there[i])
			continue;
		if (v->t->fortran || !is_in_place(v, s->buffer)) {
			there[i] = check_side(v, s);
			if (there[i] && i)
				check_pieces(v, s);
			continue;
		}
		there[i] = false;
		if (!here || c->in_recv != (i == 1))
			wrong(v->t, "MPI_IN_PLACE is not allowed for this buffer (argument %d)%s",
			      s->buffer + 1,
			      c->in_place == ROOT && !root ? " but at the root" : "");
	}
	if (there[0] && there[1])
		check_apart(v, c);
}

/* Operations that are predefined, with types for which they are not. */

enum { INTEGER = 1, REAL = 2, COMPLEX = 4, LOGICAL = 8, BYTE = 16, PAIR = 32, CHARACTER = 64 };

static unsigned kind_of(const struct handle *type)
{
	switch (handles_base(type) >> 8) {
	case 'i':
	case 'u':
		return INTEGER;
	case 'f':
		return REAL;
	case 'z':
		return COMPLEX;
	case 'l':
		return LOGICAL;
	case 'b':
		return BYTE;
	case 'c':
		return CHARACTER;
	}
	return 0;
}

/* In the order of ABI_OPS. */
static const uint8_t allowed[] = {
	INTEGER | REAL,		  /* MPI_MAX */
	INTEGER | REAL,		  /* MPI_MIN */
	INTEGER | REAL | COMPLEX, /* MPI_SUM */
	INTEGER | REAL | COMPLEX, /* MPI_PROD */
	INTEGER | LOGICAL,	  /* MPI_LAND */
	INTEGER | BYTE,		  /* MPI_BAND */
	INTEGER | LOGICAL,	  /* MPI_LOR */
	INTEGER | BYTE,		  /* MPI_BOR */
	INTEGER | LOGICAL,	  /* MPI_LXOR */
	INTEGER | BYTE,		  /* MPI_BXOR */
	PAIR,			  /* MPI_MAXLOC */
	PAIR,			  /* MPI_MINLOC */
};

static void check_op_type(const struct given *v, int at, int type)
{
	const struct handle *op = handles_find(HANDLE_OP, v->t->fortran, handle_word(v, at));
	const struct handle *h = type_at(v, type);
	unsigned n = op && op->predefined ? handles_base(op) & 0xff : 0;

	if (!n || n > sizeof(allowed) || !h || !h->live)
		return;
	if (!h->predefined) {
		if (h->call != MPISTATE_CALL_Type_dup)
			wrong(v->t,
			      "%s (argument %d) is not defined for derived datatypes (argument %d)",
			      op->name, at + 1, type + 1);
	} else if (kind_of(h) && !(kind_of(h) & allowed[n - 1])) {
		wrong(v->t, "%s (argument %d) is not defined for %s (argument %d)", op->name,
		      at + 1, h->name, type + 1);
	}
}

static void check_collective(const struct given *v)
{
	const struct mpistate_shape *h = v->t->shape;

	if (!v->t->object || v->t->object->inter)
		return;
	check_sides(v, &collectives[collective_of[v->t->call] - 1]);
	if (h->op >= 0 && h->type >= 0)
		check_op_type(v, h->op, h->type);
}

/* Topologies and groups. */

static void check_cart(const struct given *v)
{
	int64_t n = value(v, 1), all = 1;

	if (n < 0)
		wrong(v->t, "the number of dimensions (argument 2) is %lld", (long long)n);
	if (n <= 0 || !v->arg[2])
		return;
	for (uint32_t i = 0; i < n && all <= INT32_MAX; i++) {
		if (list(v, 2)[i] <= 0) {
			wrong(v->t, "dimension %u (argument 3) is %d", i, list(v, 2)[i]);
			return;
		}
		all *= list(v, 2)[i];
	}
	if (v->t->object && !v->t->object->inter && all > v->t->object->size)
		wrong(v->t,
		      "the dimensions (argument 3) need %lld ranks, of a communicator with %u",
		      (long long)all, v->t->object->size);
}

static void check_split(const struct given *v)
{
	int64_t color = value(v, 1);

	if (color < 0 && color != MPI_UNDEFINED)
		wrong(v->t, "the color (argument 2) is %lld", (long long)color);
}

/* How many ranks a group has; < 0: that is not known. */
static int group_size(const struct given *v, int at)
{
	uint64_t word = handle_word(v, at);
	const struct handle *h = handles_find(HANDLE_GROUP, v->t->fortran, word);
	int n = -1;

	if (!h)
		return -1;
	if (!h->live) {
		wrong(v->t, "the group (argument %d) has been freed", at + 1);
		return -1;
	}
	if (NEXT(PMPI_Group_size, "PMPI_Group_size")(
		    v->t->fortran ? GROUP_C((MPI_Fint)word) : GROUP_OF(v->arg[at]), &n))
		return -1;
	return n;
}

static void check_members(const struct given *v)
{
	int size = group_size(v, 0);
	int64_t n = value(v, 1);

	if (n < 0)
		wrong(v->t, "the number of ranks (argument 2) is %lld", (long long)n);
	for (uint32_t i = 0; size >= 0 && i < n && v->arg[2]; i++) {
		int32_t rank = list(v, 2)[i];

		if (rank < 0 || rank >= size) {
			wrong(v->t, "position %u (argument 3) is rank %d, of a group with %d ranks",
			      i, rank, size);
			return;
		}
		for (uint32_t k = 0; k < i && k < 64; k++) {
			if (list(v, 2)[k] != rank)
				continue;
			wrong(v->t, "rank %d is at two positions (argument 3)", rank);
			return;
		}
	}
}

/* Types that are made. */

static void check_subarray(const struct given *v)
{
	int64_t n = value(v, 0), order = small(v, 4);

	if (n < 1)
		wrong(v->t, "the number of dimensions (argument 1) is %lld", (long long)n);
	for (uint32_t i = 0; i < n; i++) {
		int64_t all = item(v, 1, i), part = item(v, 2, i), at = item(v, 3, i);

		if (all < 1 || part < 1 || part > all)
			wrong(v->t, "dimension %u has %lld of %lld elements (arguments 3 and 2)", i,
			      (long long)part, (long long)all);
		else if (at < 0 || at > all - part)
			wrong(v->t,
			      "the part of dimension %u begins at %lld and has %lld of %lld "
			      "elements "
			      "(arguments 4, 3 and 2)",
			      i, (long long)at, (long long)part, (long long)all);
		else
			continue;
		return;
	}
	if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
		wrong(v->t,
		      "the order (argument 5) is %lld, neither MPI_ORDER_C nor MPI_ORDER_FORTRAN",
		      (long long)order);
}

static void check_darray(const struct given *v)
{
	int32_t size = small(v, 0), rank = small(v, 1), n = small(v, 2);
	int64_t grid = 1;

	if (size < 1)
		wrong(v->t, "the number of ranks (argument 1) is %d", size);
	else if (rank < 0 || rank >= size)
		wrong(v->t, "the rank (argument 2) is %d, of %d", rank, size);
	if (n < 1)
		wrong(v->t, "the number of dimensions (argument 3) is %d", n);
	for (int32_t i = 0; i < n; i++) {
		int32_t how = list(v, 4)[i], arg = list(v, 5)[i], parts = list(v, 6)[i];

		if (item(v, 3, (uint32_t)i) < 1)
			wrong(v->t, "dimension %d (argument 4) has %lld elements", i,
			      (long long)item(v, 3, (uint32_t)i));
		if (how != MPI_DISTRIBUTE_BLOCK && how != MPI_DISTRIBUTE_CYCLIC &&
		    how != MPI_DISTRIBUTE_NONE)
			wrong(v->t, "the distribution of dimension %d (argument 5) is %d", i, how);
		if (how != MPI_DISTRIBUTE_NONE && arg != MPI_DISTRIBUTE_DFLT_DARG && arg < 1)
			wrong(v->t, "the blocks of dimension %d (argument 6) have %d elements", i,
			      arg);
		if (parts < 1 || (how == MPI_DISTRIBUTE_NONE && parts != 1))
			wrong(v->t, "dimension %d (argument 7) has %d part%s", i, parts,
			      parts == 1 ? "" : "s");
		grid *= parts > 0 && parts < 65536 ? parts : 1;
	}
	if (n > 0 && size > 0 && grid != size)
		wrong(v->t, "the parts (argument 7) are for %lld ranks, not %d (argument 1)",
		      (long long)grid, size);
}

static void check_struct(const struct given *v)
{
	int64_t n = value(v, 0);

	if (!check_list(v, 1, n, "length") || n <= 0 || !v->arg[3])
		return;
	for (uint32_t i = 0; i < n; i++) {
		const void *types = (const void *)v->arg[3];
		uint64_t word = v->t->fortran || sizeof(MPI_Datatype) == 4 ?
					((const uint32_t *)types)[i] :
					((const uint64_t *)types)[i];

		if (!handles_is_null(HANDLE_TYPE, v->t->fortran, word))
			continue;
		wrong(v->t, "the datatype at position %u (argument 4) is MPI_DATATYPE_NULL", i);
		return;
	}
}

/* Windows and files. */

static void check_bits(const struct given *v, int at, int32_t of)
{
	int32_t assert = small(v, at);

	if (assert & ~of)
		wrong(v->t, "the assertion (argument %d) is %d, which this call does not know",
		      at + 1, assert);
}

static void check_lock(const struct given *v)
{
	int32_t kind = small(v, 0);

	if (kind != MPI_LOCK_EXCLUSIVE && kind != MPI_LOCK_SHARED)
		wrong(v->t,
		      "the lock (argument 1) is %d, neither MPI_LOCK_EXCLUSIVE nor MPI_LOCK_SHARED",
		      kind);
	check_bits(v, 2, MPI_MODE_NOCHECK);
}

static void check_window(const struct given *v, int size, int disp)
{
	if (wide(v, size) < 0)
		wrong(v->t, "the size (argument %d) is %lld", size + 1, (long long)wide(v, size));
	else if (size && wide(v, size) && !v->arg[0])
		wrong(v->t, "the memory (argument 1) is NULL");
	if (small(v, disp) <= 0)
		wrong(v->t, "the displacement unit (argument %d) is %d", disp + 1, small(v, disp));
}

/* What is accessed in a window: a displacement, a count and a type. */
static void check_target(const struct given *v, int disp, int count, int type)
{
	uint64_t here, there;

	if (small(v, v->t->shape->dest) == v->t->page->numbers.proc_null)
		return;
	if (wide(v, disp) < 0)
		wrong(v->t, "the displacement (argument %d) is %lld", disp + 1,
		      (long long)wide(v, disp));
	check_count_at(v, count, "count");
	check_type_at(v, type);
	if (value(v, 1) < 0 || value(v, count) < 0)
		return;
	here = handles_signature(type_at(v, 2), (uint64_t)value(v, 1));
	there = handles_signature(type_at(v, type), (uint64_t)value(v, count));
	if (here && there && here != there && type == 6)
		wrong(v->t,
		      "the data here (arguments 2 and 3) are not those at the target (arguments %d "
		      "and %d)",
		      count + 1, type + 1);
}

static void check_mode(const struct given *v)
{
	int32_t mode = small(v, 2);
	int how =
		!!(mode & MPI_MODE_RDONLY) + !!(mode & MPI_MODE_WRONLY) + !!(mode & MPI_MODE_RDWR);

	if (how != 1)
		wrong(v->t,
		      "the mode (argument 3) has %s of MPI_MODE_RDONLY, MPI_MODE_WRONLY and "
		      "MPI_MODE_RDWR",
		      how ? "several" : "none");
	else if (mode & MPI_MODE_RDONLY && mode & (MPI_MODE_CREATE | MPI_MODE_EXCL))
		wrong(v->t, "the mode (argument 3) has %s with MPI_MODE_RDONLY",
		      mode & MPI_MODE_CREATE ? "MPI_MODE_CREATE" : "MPI_MODE_EXCL");
	else if (mode & MPI_MODE_RDWR && mode & MPI_MODE_SEQUENTIAL)
		wrong(v->t, "the mode (argument 3) has MPI_MODE_SEQUENTIAL with MPI_MODE_RDWR");
}

/* One begun of those that come in two halves, of each file. */
static void check_halves(const struct given *v)
{
	static struct {
		uint32_t serial, call; /* of the file; enum mpistate_call + 1 */
	} begun[MPISTATE_OBJECTS];
	const struct mpistate_object *o = v->t->object;
	unsigned call = v->t->call, n;

	if (!o || o->what != MPISTATE_FILE || call < MPISTATE_CALL_File_read_all_begin ||
	    call > MPISTATE_CALL_File_write_ordered_end)
		return;
	n = (unsigned)(o - v->t->page->object);
	if (begun[n].serial != o->serial)
		begun[n].call = 0;
	begun[n].serial = o->serial;
	if ((call - MPISTATE_CALL_File_read_all_begin) % 2 == 0) {
		if (begun[n].call)
			wrong(v->t, "%s has been called for this file and not ended",
			      mpistate_call_name(begun[n].call - 1));
		begun[n].call = call + 1;
	} else {
		if (begun[n].call != call)
			wrong(v->t, "%s has not been called for this file before",
			      mpistate_call_name(call - 1));
		begun[n].call = 0;
	}
}

static void check_file(const struct given *v)
{
	const struct mpistate_shape *h = v->t->shape;

	check_halves(v);
	if (h->count >= 0) {
		check_count_at(v, h->count, "count");
		check_type_at(v, h->type);
	}
	/* the buffer comes second, or after an offset */
	if (h->count == 3 && wide(v, 1) < 0)
		wrong(v->t, "the offset (argument 2) is %lld", (long long)wide(v, 1));
	switch (v->t->call) {
	case MPISTATE_CALL_File_set_size:
	case MPISTATE_CALL_File_preallocate:
		if (wide(v, 1) < 0)
			wrong(v->t, "the size (argument 2) is %lld", (long long)wide(v, 1));
		break;
	case MPISTATE_CALL_File_set_view:
		if (wide(v, 1) < 0 && wide(v, 1) != MPI_DISPLACEMENT_CURRENT)
			wrong(v->t, "the displacement (argument 2) is %lld", (long long)wide(v, 1));
		check_type_at(v, 2);
		check_type_at(v, 3);
		break;
	}
}

static void check_made(const struct given *v)
{
	switch (v->t->call) {
	case MPISTATE_CALL_Type_vector:
	case MPISTATE_CALL_Type_hvector:
	case MPISTATE_CALL_Type_create_hvector:
	case MPISTATE_CALL_Type_create_indexed_block:
	case MPISTATE_CALL_Type_create_hindexed_block:
		check_count_at(v, 1, "length of blocks");
		break;
	case MPISTATE_CALL_Type_indexed:
	case MPISTATE_CALL_Type_hindexed:
	case MPISTATE_CALL_Type_create_hindexed:
		check_list(v, 1, value(v, 0), "length");
		break;
	case MPISTATE_CALL_Type_struct:
	case MPISTATE_CALL_Type_create_struct:
		check_struct(v);
		break;
	case MPISTATE_CALL_Type_create_subarray:
		check_subarray(v);
		break;
	case MPISTATE_CALL_Type_create_darray:
		check_darray(v);
		break;
	case MPISTATE_CALL_Group_incl:
	case MPISTATE_CALL_Group_excl:
		check_members(v);
		break;
	case MPISTATE_CALL_Group_union:
	case MPISTATE_CALL_Group_intersection:
	case MPISTATE_CALL_Group_difference:
		group_size(v, 0);
		group_size(v, 1);
		break;
	case MPISTATE_CALL_Op_create:
		if (!v->arg[0])
			wrong(v->t, "the function (argument 1) is NULL");
		break;
	}
}

static void check_others(const struct given *v)
{
	switch (v->t->call) {
	case MPISTATE_CALL_Comm_split:
		check_split(v);
		break;
	case MPISTATE_CALL_Comm_create:
	case MPISTATE_CALL_Comm_create_group:
		group_size(v, 1);
		break;
	case MPISTATE_CALL_Cart_create:
		check_cart(v);
		break;
	case MPISTATE_CALL_Win_create:
		check_window(v, 1, 2);
		break;
	case MPISTATE_CALL_Win_allocate:
	case MPISTATE_CALL_Win_allocate_shared:
		check_window(v, 0, 1);
		break;
	case MPISTATE_CALL_Win_lock:
		check_lock(v);
		break;
	case MPISTATE_CALL_Win_lock_all:
		check_bits(v, 0, MPI_MODE_NOCHECK);
		break;
	case MPISTATE_CALL_Win_fence:
		check_bits(v, 0,
			   MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE |
				   MPI_MODE_NOSUCCEED);
		break;
	case MPISTATE_CALL_Win_post:
		group_size(v, 0);
		check_bits(v, 1, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
		break;
	case MPISTATE_CALL_Win_start:
		group_size(v, 0);
		check_bits(v, 1, MPI_MODE_NOCHECK);
		break;
	case MPISTATE_CALL_Put:
	case MPISTATE_CALL_Get:
	case MPISTATE_CALL_Rput:
	case MPISTATE_CALL_Rget:
	case MPISTATE_CALL_Accumulate:
	case MPISTATE_CALL_Raccumulate:
		check_target(v, 4, 5, 6);
		break;
	case MPISTATE_CALL_Get_accumulate:
	case MPISTATE_CALL_Rget_accumulate:
		check_target(v, 7, 8, 9);
		break;
	case MPISTATE_CALL_File_open:
		check_mode(v);
		break;
	}
}

void arguments_check(const struct mpi_thread *t, const mpi_word *arg)
{
	const struct given v = { t, arg };

	if (collective_of[t->call])
		check_collective(&v);
	else if (t->shape->file >= 0)
		check_file(&v);
	else if (t->shape->class == MPISTATE_LOCAL)
		check_made(&v);
	else
		check_others(&v);
}
