/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this rank gives its collectives, and which data it sends and receives, kept in the page so
 * that those who see all ranks can compare it. Nothing is compared here, and no message is sent.
 * Compiled once per ABI.
 */
#include <mpi.h>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "runtime/base/mpi_table.h"
#include "runtime/mpi/abi.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/internal.h"

/* How the data of a collective have to agree. */
enum rule {
	RULE_NONE,	/* it has none, or they are not looked at */
	RULE_SAME,	/* the same on all ranks */
	RULE_BLOCK,	/* too; between groups by the sizes of both */
	RULE_GATHER,	/* what the others send is what the root receives of each */
	RULE_SCATTER,	/* the other way round */
	RULE_LIST,	/* a list of counts, the same on all ranks */
	RULE_GATHERV,	/* what each sends is what the root receives of it */
	RULE_SCATTERV,	/* the other way round */
	RULE_EACH,	/* what each sends to each is what that receives of it */
	RULE_EACH_TYPE, /* with a type for each */
	RULE_NEAR,	 /* what each sends to each neighbour is what that receives of it */
	RULE_NEAR_LIST,	 /* with a list of what is received */
	RULE_NEAR_LISTS, /* of what is sent, too */
	RULE_NEAR_TYPES, /* and of types */
};

#define HOW(Name, name, ...)                                                            \
	{ MPISTATE_CALL_##Name, __VA_ARGS__ }, { MPISTATE_CALL_I##name, __VA_ARGS__ },  \
		{ MPISTATE_CALL_##Name##_c, __VA_ARGS__ },                              \
		{ MPISTATE_CALL_I##name##_c, __VA_ARGS__ },                             \
		{ MPISTATE_CALL_##Name##_init, __VA_ARGS__ },                           \
	{                                                                               \
		MPISTATE_CALL_##Name##_init_c, __VA_ARGS__                              \
	}

#define NEAR(Name, name, ...)                  \
	{ MPISTATE_CALL_##Name, __VA_ARGS__ }, \
	{                                      \
		MPISTATE_CALL_I##name, __VA_ARGS__ \
	}

/* Where a count and a type are among the arguments: of what is sent, or all there is; received. */
static const struct {
	uint16_t call;
	uint8_t rule, count, type, recv_count, recv_type;
} hows[] = {
	HOW(Bcast, bcast, RULE_SAME, 1, 2, 1, 2),
	HOW(Reduce, reduce, RULE_SAME, 2, 3, 2, 3),
	HOW(Allreduce, allreduce, RULE_SAME, 2, 3, 2, 3),
	HOW(Scan, scan, RULE_SAME, 2, 3, 2, 3),
	HOW(Exscan, exscan, RULE_SAME, 2, 3, 2, 3),
	HOW(Reduce_scatter_block, reduce_scatter_block, RULE_BLOCK, 2, 3, 2, 3),
	HOW(Allgather, allgather, RULE_SAME, 4, 5, 4, 5),
	HOW(Alltoall, alltoall, RULE_SAME, 4, 5, 4, 5),
	HOW(Gather, gather, RULE_GATHER, 1, 2, 4, 5),
	HOW(Scatter, scatter, RULE_SCATTER, 1, 2, 4, 5),
	HOW(Allgatherv, allgatherv, RULE_LIST, 4, 6, 4, 6),
	HOW(Reduce_scatter, reduce_scatter, RULE_LIST, 2, 3, 2, 3),
	HOW(Gatherv, gatherv, RULE_GATHERV, 1, 2, 4, 6),
	HOW(Scatterv, scatterv, RULE_SCATTERV, 1, 3, 5, 6),
	HOW(Alltoallv, alltoallv, RULE_EACH, 1, 3, 5, 7),
	HOW(Alltoallw, alltoallw, RULE_EACH_TYPE, 1, 3, 5, 7),
	NEAR(Neighbor_allgather, neighbor_allgather, RULE_NEAR, 1, 2, 4, 5),
	NEAR(Neighbor_allgatherv, neighbor_allgatherv, RULE_NEAR_LIST, 1, 2, 4, 6),
	NEAR(Neighbor_alltoall, neighbor_alltoall, RULE_NEAR, 1, 2, 4, 5),
	NEAR(Neighbor_alltoallv, neighbor_alltoallv, RULE_NEAR_LISTS, 1, 3, 5, 7),
	NEAR(Neighbor_alltoallw, neighbor_alltoallw, RULE_NEAR_TYPES, 1, 3, 5, 7),
};
#undef HOW
#undef NEAR

static uint8_t how_of[MPISTATE_CALLS];	/* index + 1 */
static uint16_t plain[MPISTATE_CALLS];	/* the same call with counts of 32 bits */

__attribute__((constructor)) static void agree_init(void)
{
	for (unsigned i = 0; i < sizeof(hows) / sizeof(hows[0]); i++)
		how_of[hows[i].call] = (uint8_t)(i + 1);
	for (unsigned i = 0; i < MPISTATE_CALLS; i++) {
		const char *name = mpistate_call_name(i);
		size_t n = strlen(name);

		plain[i] = (uint16_t)i;
		if (n < 2 || strcmp(name + n - 2, "_c"))
			continue;
		for (unsigned k = 0; k < MPISTATE_CALLS; k++)
			if (strlen(mpistate_call_name(k)) == n - 2 &&
			    !strncmp(mpistate_call_name(k), name, n - 2))
				plain[i] = (uint16_t)k;
	}
}

/* Where calls lie, for those who ask when the program is gone. */

struct search {
	uint64_t pc;
	struct mpistate_module *out;
};

static int find_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uint64_t lo = info->dlpi_addr + h->p_vaddr;
		ssize_t n;

		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X) || s->pc < lo ||
		    s->pc >= lo + h->p_memsz)
			continue;
		s->out->lo = lo;
		s->out->hi = lo + h->p_memsz;
		s->out->load = info->dlpi_addr;
		if (*info->dlpi_name) {
			strncpy(s->out->path, info->dlpi_name, sizeof(s->out->path) - 1);
			return 1;
		}
		n = readlink("/proc/self/exe", s->out->path, sizeof(s->out->path) - 1);
		s->out->path[n > 0 ? n : 0] = '\0';
		return 1;
	}
	return 0;
}

void agree_module(struct mpistate_page *p, uint64_t pc)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	for (unsigned i = 0; i < MPISTATE_MODULES; i++) {
		struct mpistate_module *m = &p->module[i];

		if (!atomic_load_explicit(&m->there, memory_order_acquire)) {
			pthread_mutex_lock(&lock);
			if (!m->there && dl_iterate_phdr(find_module, &(struct search){ pc, m }))
				atomic_store_explicit(&m->there, 1, memory_order_release);
			pthread_mutex_unlock(&lock);
		}
		if (!m->there || (pc >= m->lo && pc < m->hi))
			return;
	}
}

/* A collective as it is being kept. */
struct give {
	const struct mpi_thread *t;
	const mpi_word *arg;
	struct mpistate_page *page;
	struct mpistate_object *o;
	struct mpistate_given *g;
	uint32_t n; /* its number */
	uint32_t op; /* between groups: that parts are combined with */
	int32_t root; /* as the call has it */
};

static int64_t count_at(const struct give *v, unsigned at)
{
	if (v->t->fortran)
		return *(const int32_t *)v->arg[at];
	return v->t->shape->large ? (int64_t)v->arg[at] : (int32_t)v->arg[at];
}

/* The i-th of a list of counts. */
static int64_t count_in(const struct give *v, unsigned at, uint32_t i)
{
	const void *list = (const void *)v->arg[at];

	if (!list)
		return -1;
	return v->t->shape->large && !v->t->fortran ? ((const int64_t *)list)[i] :
						       ((const int32_t *)list)[i];
}

static const struct handle *type_at(const struct give *v, unsigned at)
{
	uint64_t word = v->t->fortran ? (uint64_t)*(const uint32_t *)v->arg[at] : v->arg[at];

	return handles_find(HANDLE_TYPE, v->t->fortran, word);
}

static const struct handle *type_in(const struct give *v, unsigned at, uint32_t i)
{
	const void *list = (const void *)v->arg[at];
	uint64_t word;

	if (!list)
		return NULL;
	word = v->t->fortran || sizeof(MPI_Datatype) == 4 ? ((const uint32_t *)list)[i] :
							      ((const uint64_t *)list)[i];
	return handles_find(HANDLE_TYPE, v->t->fortran, word);
}

static struct mpistate_sig data_of(const struct handle *type, int64_t count)
{
	if (count < 0)
		return (struct mpistate_sig){ .len = MPISTATE_SIG_UNKNOWN };
	return handles_data(type, (uint64_t)count);
}

static struct mpistate_sig data_at(const struct give *v, unsigned count, unsigned type)
{
	return data_of(type_at(v, type), count_at(v, count));
}

static uint64_t digest(const struct mpistate_sig *s)
{
	return mpistate_mix(s->base > MPISTATE_SIG_LIST ? s->base : s->hash, s->len);
}

/* A list of counts that is the same on all ranks. */
static struct mpistate_sig list_at(const struct give *v, unsigned count, unsigned type)
{
	const struct handle *h = type_at(v, type);
	struct mpistate_sig all = { .base = MPISTATE_SIG_LIST };

	for (uint32_t i = 0; i < v->o->size; i++) {
		struct mpistate_sig s = data_of(h, count_in(v, count, i));

		if (s.len == MPISTATE_SIG_UNKNOWN)
			return s;
		all.len += s.len;
		all.hash = mpistate_mix(all.hash, digest(&s));
	}
	return all;
}

/* Room for n parts; NULL: there is no more. */
static struct mpistate_sig *parts_room(struct give *v, uint32_t n, uint32_t *at)
{
	uint32_t have = atomic_load_explicit(&v->page->parts_n, memory_order_relaxed);

	if (n > MPISTATE_PARTS || have > MPISTATE_PARTS - n)
		return NULL;
	*at = atomic_fetch_add_explicit(&v->page->parts_n, n, memory_order_relaxed);
	return *at <= MPISTATE_PARTS - n ? &v->page->parts[*at] : NULL;
}

/* Adds what goes from one rank to another: sent, or expected. */
static bool part_add(struct give *v, struct mpistate_sig s, uint32_t from, uint32_t to, bool sent)
{
	uint64_t x;

	if (s.len == MPISTATE_SIG_UNKNOWN)
		return false;
	x = mpistate_mix(mpistate_mix(v->n, (uint64_t)from << 32 | to), digest(&s) + v->op);
	v->o->parts_sum += sent ? x : 0 - x;
	return true;
}

/* The parts for or of all ranks, without this one's own; false: some are not known. */
static bool list_parts(struct give *v, unsigned count, unsigned type, bool each, bool sent)
{
	const struct handle *h = each ? NULL : type_at(v, type);
	uint32_t at = 0, n = v->o->size, own = v->o->rank;
	struct mpistate_sig *keep = parts_room(v, n, &at);
	bool known = true;

	for (uint32_t i = 0; i < n; i++) {
		struct mpistate_sig s = { 0 };

		if (i != own) {
			s = data_of(each ? type_in(v, type, i) : h, count_in(v, count, i));
			known &= part_add(v, s, sent ? own : i, sent ? i : own, sent);
		}
		if (keep)
			keep[i] = s;
	}
	if (!keep)
		return known;
	if (sent || !v->g->nsent)
		v->g->part = at;
	if (sent)
		v->g->nsent = n;
	else
		v->g->nreceived = n;
	return known;
}

/* One part, for the root or of it. */
static bool one_part(struct give *v, unsigned count, unsigned type, bool sent)
{
	uint32_t own = v->o->rank, root = (uint32_t)v->g->root;

	v->g->sig = data_at(v, count, type);
	return part_add(v, v->g->sig, sent ? own : root, sent ? root : own, sent);
}

/* MPI_IN_PLACE; of Fortran also when it may be. */
static bool is_in_place(const struct give *v)
{
	return v->t->fortran || v->arg[0] == (mpi_word)MPI_IN_PLACE;
}

static bool each_part(struct give *v, unsigned count, unsigned type, unsigned recv_count,
		      unsigned recv_type, bool each)
{
	return !is_in_place(v) && list_parts(v, count, type, each, true) &&
	       list_parts(v, recv_count, recv_type, each, false);
}

/* ---- neighbours of a topology ---- */

#define EDGES 128

/* Ranks that are sent to and received from, in the order of the arguments; < 0: nobody. */
struct edges {
	int to[EDGES], from[EDGES];
	int nto, nfrom;
};

#define CALL(name) NEXT(PMPI_##name, "PMPI_" #name)

static bool cart_edges(MPI_Comm comm, struct edges *e)
{
	int dims = 0, from, to;

	if (CALL(Cartdim_get)(comm, &dims) || dims < 0 || 2 * dims > EDGES)
		return false;
	for (int d = 0; d < dims; d++) {
		if (CALL(Cart_shift)(comm, d, 1, &from, &to))
			return false;
		e->to[e->nto++] = e->from[e->nfrom++] = from;
		e->to[e->nto++] = e->from[e->nfrom++] = to;
	}
	return true;
}

static bool edges_of(const struct give *v, struct edges *e)
{
	int8_t at = v->t->shape->comm;
	MPI_Comm comm = v->t->fortran ? COMM_C(*(const MPI_Fint *)v->arg[at]) :
					(MPI_Comm)(uintptr_t)v->arg[at];
	int kind = 0, weighted, none[EDGES];

	e->nto = e->nfrom = 0;
	if (CALL(Topo_test)(comm, &kind))
		return false;
	if (kind == MPI_CART)
		return cart_edges(comm, e);
	if (kind == MPI_DIST_GRAPH)
		return !CALL(Dist_graph_neighbors_count)(comm, &e->nfrom, &e->nto, &weighted) &&
		       e->nfrom <= EDGES && e->nto <= EDGES &&
		       !CALL(Dist_graph_neighbors)(comm, e->nfrom, e->from, none, e->nto, e->to,
						   none);
	return false;
}

/* Several parts for one rank are one. */
static void part_join(struct mpistate_sig *to, const struct mpistate_sig *s)
{
	if (!to->len && !to->hash) {
		*to = *s;
		return;
	}
	to->base = to->base == s->base ? s->base : 0;
	to->len += s->len;
	to->hash += s->hash;
}

/* list: a count for each neighbour; each: a type, too. */
static bool near_parts(struct give *v, const int *rank, int n, unsigned count, unsigned type,
		       bool list, bool each, bool sent)
{
	uint32_t at = 0, own = v->o->rank;
	struct mpistate_sig *keep = parts_room(v, v->o->size, &at);
	bool known = true;

	for (uint32_t i = 0; keep && i < v->o->size; i++)
		keep[i] = (struct mpistate_sig){ 0 };
	for (int i = 0; i < n; i++) {
		uint32_t r = (uint32_t)rank[i];
		struct mpistate_sig s;

		if (rank[i] < 0 || r >= v->o->size || r == own)
			continue;
		s = data_of(each ? type_in(v, type, (uint32_t)i) : type_at(v, type),
			    list ? count_in(v, count, (uint32_t)i) : count_at(v, count));
		known &= part_add(v, s, sent ? own : r, sent ? r : own, sent);
		if (keep)
			part_join(&keep[r], &s);
	}
	if (!keep)
		return known;
	if (sent || !v->g->nsent)
		v->g->part = at;
	if (sent)
		v->g->nsent = v->o->size;
	else
		v->g->nreceived = v->o->size;
	return known;
}

static bool neighbours(struct give *v, unsigned rule, unsigned at)
{
	bool types = rule == RULE_NEAR_TYPES, lists = types || rule == RULE_NEAR_LISTS;
	struct edges e;

	return !is_in_place(v) && edges_of(v, &e) &&
	       near_parts(v, e.to, e.nto, hows[at].count, hows[at].type, lists, types, true) &&
	       near_parts(v, e.from, e.nfrom, hows[at].recv_count, hows[at].recv_type,
			  lists || rule == RULE_NEAR_LIST, types, false);
}

/* ---- intercommunicators ---- */

/* What a rank sends to each of the other group, or receives of it. */
struct flow {
	unsigned count, type;
	bool list, each; /* a count for each; a type, too */
};

/*
 * Ranks are numbered through both groups, the first group first. Only is the one of the other group
 * that takes part; < 0: all of it does.
 */
static bool flow_parts(struct give *v, const struct flow *f, int32_t only, bool sent,
		       struct mpistate_sig *keep)
{
	uint32_t own = v->g->rank, other = v->o->second ? 0 : v->o->local;

	for (uint32_t i = 0; i < v->o->size; i++) {
		struct mpistate_sig s;
		uint32_t r = other + i;

		if (only >= 0 && i != (uint32_t)only)
			continue;
		s = data_of(f->each ? type_in(v, f->type, i) : type_at(v, f->type),
			    f->list ? count_in(v, f->count, i) : count_at(v, f->count));
		if (!part_add(v, s, sent ? own : r, sent ? r : own, sent))
			return false;
		if (keep)
			keep[r] = s;
	}
	return true;
}

static void flows_of(unsigned at, bool rooted, int8_t op, struct flow *send, struct flow *recv)
{
	unsigned rule = hows[at].rule;
	bool each = rule == RULE_EACH_TYPE, both = each || rule == RULE_EACH;
	bool all = !rooted && op < 0 && (rule == RULE_SAME || rule == RULE_LIST);

	*send = (struct flow){ .count = hows[at].count, .type = hows[at].type,
			       .list = both || rule == RULE_SCATTERV, .each = each };
	*recv = (struct flow){ .count = hows[at].recv_count, .type = hows[at].recv_type,
			       .list = both || rule == RULE_GATHERV || rule == RULE_LIST,
			       .each = each };
	/* of MPI_Allgather, MPI_Alltoall, MPI_Allgatherv the table has what is received */
	if (all) {
		send->count = 1;
		send->type = 2;
	}
}

/* What goes from each group to the other; false: some of it is not known. */
static bool give_between(struct give *v)
{
	uint32_t at = how_of[v->t->call], n = v->g->size, part = 0;
	unsigned class = mpistate_call_starts(v->t->call);
	bool from = class == MPISTATE_FROM || class == MPISTATE_IFROM;
	bool rooted = from || class == MPISTATE_TO || class == MPISTATE_ITO;
	int32_t root = rooted ? mpistate_root(&v->page->numbers, true, v->root) : MPISTATE_ANY;
	struct mpistate_sig *keep;
	struct flow send, recv;

	v->g->sig.len = MPISTATE_SIG_UNKNOWN;
	if (!at--)
		return true;
	if (root == MPISTATE_NULL)
		v->g->op = MPISTATE_GIVEN_ANY_OP;
	else if (v->g->op == MPISTATE_GIVEN_ANY_OP)
		return false;
	if (hows[at].rule == RULE_BLOCK || hows[at].rule >= RULE_NEAR ||
	    (hows[at].rule == RULE_LIST && v->t->shape->op >= 0))
		return true;
	flows_of(at, rooted, v->t->shape->op, &send, &recv);
	v->op = v->g->op;
	keep = parts_room(v, 2 * n, &part);
	if (keep) {
		memset(keep, 0, 2 * n * sizeof(*keep));
		v->g->part = part;
		v->g->nsent = v->g->nreceived = n;
	}
	if (root == MPISTATE_NULL)
		return true;
	if (rooted) {
		bool sends = from == (root == MPISTATE_ROOT);

		return flow_parts(v, sends ? &send : &recv, root == MPISTATE_ROOT ? -1 : root,
				  sends, keep ? keep + (sends ? 0 : n) : NULL);
	}
	return flow_parts(v, &send, -1, true, keep) &&
	       flow_parts(v, &recv, -1, false, keep ? keep + n : NULL);
}

/* false: what is given is not known, and nothing can be said of it. */
static bool give_data(struct give *v)
{
	uint32_t at = how_of[v->t->call];
	bool root = (uint32_t)v->g->root == v->o->rank;

	v->g->sig.len = MPISTATE_SIG_UNKNOWN;
	if (!at)
		return true;
	at--;
	switch (hows[at].rule) {
	case RULE_SAME:
	case RULE_BLOCK:
		v->g->sig = data_at(v, hows[at].count, hows[at].type);
		break;
	case RULE_GATHER:
		v->g->sig = root ? data_at(v, hows[at].recv_count, hows[at].recv_type) :
				   data_at(v, hows[at].count, hows[at].type);
		break;
	case RULE_SCATTER:
		v->g->sig = root ? data_at(v, hows[at].count, hows[at].type) :
				   data_at(v, hows[at].recv_count, hows[at].recv_type);
		break;
	case RULE_LIST:
		v->g->sig = list_at(v, hows[at].count, hows[at].type);
		break;
	case RULE_GATHERV:
		return root ? list_parts(v, hows[at].recv_count, hows[at].recv_type, false, false) :
			      one_part(v, hows[at].count, hows[at].type, true);
	case RULE_SCATTERV:
		return root ? list_parts(v, hows[at].count, hows[at].type, false, true) :
			      one_part(v, hows[at].recv_count, hows[at].recv_type, false);
	case RULE_NEAR:
	case RULE_NEAR_LIST:
	case RULE_NEAR_LISTS:
	case RULE_NEAR_TYPES:
		return neighbours(v, hows[at].rule, at);
	default:
		return each_part(v, hows[at].count, hows[at].type, hows[at].recv_count,
				 hows[at].recv_type, hows[at].rule == RULE_EACH_TYPE);
	}
	return v->g->sig.len != MPISTATE_SIG_UNKNOWN;
}

static bool has_parts(const struct mpi_thread *t)
{
	uint32_t at = how_of[t->call];

	return at && hows[at - 1].rule >= RULE_GATHERV;
}

static uint32_t op_of(const struct mpi_thread *t)
{
	const struct handle *h;

	if (t->shape->op < 0)
		return MPISTATE_GIVEN_NO_OP;
	h = handles_find(HANDLE_OP, t->fortran, t->slot->word[t->shape->op]);
	if (!h)
		return MPISTATE_GIVEN_ANY_OP;
	return h->predefined ? handles_base(h) & 0xff : MPISTATE_GIVEN_USER_OP;
}

static const char *name_of(const struct handle *h)
{
	return h && h->predefined && h->name ? h->name : "?";
}

/* In Fortran MPI_IN_PLACE is a variable of this name, in whichever module. */
static bool is_in_place_of_fortran(const void *at)
{
	Dl_info info;

	return dladdr(at, &info) && info.dli_sname && info.dli_saddr &&
	       (!strncasecmp(info.dli_sname, "mpi_fortran_in_place", 20) ||
		!strcmp(info.dli_sname, "MPIR_F08_MPI_IN_PLACE") ||
		!strncasecmp(info.dli_sname, "mpipriv1", 8));
}

static unsigned bytes_of(const struct handle *h)
{
	unsigned n = handles_base(h) & 0xff;

	if (n)
		return n;
	return strstr(name_of(h), "DOUBLE") || strstr(name_of(h), "LONG") ? 16 : 8;
}

/* What is combined is as the program has it now. */
static void report_reduction(const struct mpi_thread *t, const mpi_word *arg)
{
	const uint64_t *word = t->slot->word;
	struct rt_mpi_reduces r = { .root = -1 };
	const struct handle *type;

	switch (plain[t->call]) {
	case MPISTATE_CALL_Reduce:
	case MPISTATE_CALL_Ireduce:
		r.root = (int)(int64_t)word[t->shape->root];
		break;
	case MPISTATE_CALL_Allreduce:
	case MPISTATE_CALL_Iallreduce:
		break;
	default:
		return;
	}
	r.from = (const void *)arg[0];
	r.to = (const void *)arg[1];
	r.count = word[2];
	if (t->fortran ? is_in_place_of_fortran(r.from) : r.from == MPI_IN_PLACE)
		r.from = r.to;
	type = handles_find(HANDLE_TYPE, t->fortran, word[3]);
	r.type = name_of(type);
	r.bytes = bytes_of(type);
	r.op = name_of(handles_find(HANDLE_OP, t->fortran, word[t->shape->op]));
	r.comm = t->object->id | 1;
	r.size = t->object->size;
	r.rank = t->object->rank;
	dvmdbg_mpi_reduces(&r);
}

void agree_collective(const struct mpi_thread *t, const mpi_word *arg, uint32_t n)
{
	struct mpistate_page *p = t->page;
	struct mpistate_object *o = t->object;
	struct mpistate_given *g;
	struct give v = { .t = t, .arg = arg, .page = p, .o = o, .n = n,
			  .root = t->shape->root >= 0 ? (int32_t)t->slot->word[t->shape->root] :
							-1 };
	uint64_t x;

	if (o->inter && !o->local)
		return;
	if (t->shape->op >= 0 && dvmdbg_mpi_reduces && !o->inter)
		report_reduction(t, arg);
	if (o->size + o->local < 2)
		return;
	g = &p->given[mpistate_given_at(
		atomic_fetch_add_explicit(&p->given_n, 1, memory_order_relaxed))];
	v.g = g;
	atomic_store_explicit(&g->number, 0, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	g->call = plain[t->call] + 1u;
	g->id = o->id;
	/* between groups each has its own word for the root */
	g->root = o->inter ? -1 : v.root;
	g->op = op_of(t);
	g->pc = t->slot->pc;
	g->part = g->nsent = g->nreceived = 0;
	g->object = (uint32_t)(o - p->object);
	g->size = o->size + o->local;
	g->rank = o->rank + (o->second ? o->size : 0);
	x = mpistate_mix(mpistate_mix(n, g->call), (uint32_t)g->root);
	if (g->op != MPISTATE_GIVEN_ANY_OP && !o->inter)
		x = mpistate_mix(x, g->op);
	g->parts = o->inter ? how_of[t->call] != 0 : has_parts(t);
	g->unknown = !(o->inter ? give_between(&v) : give_data(&v));
	if (!g->unknown && !g->parts && how_of[t->call])
		x = mpistate_mix(x, digest(&g->sig));
	o->sum += x;
	g->sum = o->sum;
	g->parts_sum = o->parts_sum;
	atomic_store_explicit(&g->number, n, memory_order_release);
}

/* Messages. */

static void kind_add(struct mpistate_pair *e, struct mpistate_kind *list, uint32_t base,
		     uint64_t pc, unsigned call)
{
	for (unsigned i = 0; i < MPISTATE_KINDS; i++) {
		if (list[i].n && list[i].base != base)
			continue;
		list[i].base = base;
		list[i].n++;
		list[i].pc = pc;
		list[i].call = call + 1;
		return;
	}
	e->id = 0;
}

uint32_t agree_base(const struct mpi_thread *t, int8_t count, int8_t type, const uint64_t *word)
{
	if (count < 0 || type < 0 || !(uint32_t)word[count])
		return 0;
	return handles_kind(handles_find(HANDLE_TYPE, t->fortran, word[type]));
}

void agree_sent(struct mpistate_pair *e, uint32_t base, uint64_t pc, unsigned call)
{
	if (!base)
		e->any++;
	else
		kind_add(e, e->sent, base, pc, call);
}

void agree_received(struct mpistate_pair *e, uint32_t base, uint64_t pc, unsigned call)
{
	e->received++;
	if (base && base != MPISTATE_BASE_MIXED)
		kind_add(e, e->got, base, pc, call);
}
