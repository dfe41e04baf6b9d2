/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types, groups and operations, by their handles: what is freed, what is left, and what types are
 * made of. Entries are made when the program makes such an object and are never given back, since
 * others may be reading them: an object that gets the handle of one that was freed takes its place.
 * Compiled once per ABI.
 */
#include <mpi.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/mpi/abi.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/internal.h"
#include "runtime/mpi/race.h"

#define BUCKETS 1024u /* a power of two */
#define BASE UINT64_C(0x9e3779b97f4a7c15)

static struct handle *_Atomic first[2][BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint32_t links = 1; /* rises with each entry */
static uint64_t group_empty;

static unsigned bucket(unsigned what, uint64_t word)
{
	return (unsigned)mpistate_mix(word, what) & (BUCKETS - 1);
}

/* A handle as it is compared: those of Fortran, and of C in MPICH, have 32 bits. */
static uint64_t word_of(bool fortran, uint64_t word)
{
	return fortran || sizeof(MPI_Datatype) == 4 ? (uint32_t)word : word;
}

static uint64_t word_at(bool fortran, const void *at)
{
	uint64_t word = 0;

	memcpy(&word, at, fortran ? 4 : sizeof(MPI_Datatype));
	return word;
}

static struct handle *find(unsigned what, bool fortran, uint64_t word)
{
	struct handle *h = atomic_load_explicit(&first[fortran][bucket(what, word)],
						memory_order_acquire);

	while (h && (h->what != what || h->word[fortran] != word))
		h = h->next[fortran];
	return h;
}

/* The type that was asked for last is asked for again, mostly. */
struct handle *handles_find(unsigned what, bool fortran, uint64_t word)
{
	static __thread struct {
		uint64_t word;
		struct handle *h;
		uint32_t links;
	} last[2] __attribute__((tls_model("initial-exec")));
	uint32_t now;

	word = word_of(fortran, word);
	if (what != HANDLE_TYPE)
		return find(what, fortran, word);
	now = atomic_load_explicit(&links, memory_order_acquire);
	if (last[fortran].word != word || last[fortran].links != now) {
		last[fortran].h = find(what, fortran, word);
		last[fortran].word = word;
		last[fortran].links = now;
	}
	return last[fortran].h;
}

static void link_in(struct handle *h)
{
	for (unsigned f = 0; f < 2; f++) {
		struct handle *_Atomic *head = &first[f][bucket(h->what, h->word[f])];

		h->next[f] = atomic_load_explicit(head, memory_order_relaxed);
		atomic_store_explicit(head, h, memory_order_release);
	}
	atomic_fetch_add_explicit(&links, 1, memory_order_release);
}

/* What a type is made of. */

#define UNKNOWN ((struct mpi_sig){ .len = UINT64_MAX })

static bool is_unknown(struct mpi_sig s)
{
	return s.len == UINT64_MAX;
}

/* A hash of a after b of any length is one of a, moved by the length of b, and one of b. */
static uint64_t power(uint64_t n)
{
	uint64_t x = BASE, r = 1;

	for (; n; n >>= 1, x *= x)
		r *= n & 1 ? x : 1;
	return r;
}

static struct mpi_sig join(struct mpi_sig a, struct mpi_sig b)
{
	return (struct mpi_sig){ .len = a.len + b.len, .hash = a.hash * power(b.len) + b.hash };
}

static struct mpi_sig repeat(struct mpi_sig s, uint64_t n)
{
	struct mpi_sig r = { 0 };

	for (; n; n >>= 1, s = join(s, s))
		if (n & 1)
			r = join(r, s);
	return r;
}

/* The same, without its base. */
static struct mpi_sig mixed(struct mpi_sig s)
{
	struct mpi_sig one = { .len = 1, .hash = s.base };

	return s.base ? repeat(one, s.len) : s;
}

static struct mpi_sig sig_times(struct mpi_sig s, uint64_t n)
{
	if (is_unknown(s))
		return s;
	if (!s.base)
		return repeat(s, n);
	s.len *= n;
	return s;
}

static struct mpi_sig sig_after(struct mpi_sig a, struct mpi_sig b)
{
	if (is_unknown(a) || is_unknown(b))
		return UNKNOWN;
	if (!a.len || !b.len)
		return a.len ? a : b;
	if (!a.base || a.base != b.base)
		return join(mixed(a), mixed(b));
	a.len += b.len;
	return a;
}

uint64_t handles_signature(const struct handle *h, uint64_t count)
{
	struct mpi_sig s;

	if (!count)
		return MPI_SIG_EMPTY;
	if (!h || is_unknown(h->sig))
		return 0;
	s = sig_times(h->sig, count);
	if (!s.len)
		return MPI_SIG_EMPTY;
	return mpistate_mix(s.base ? s.base : s.hash, s.len) | 2;
}

/* Characters are received for small integers by programs that mean no harm: they are the same. */
static uint32_t compared(uint32_t base)
{
	if (base == MPISTATE_SIG_BASE('i', 1) || base == MPISTATE_SIG_BASE('u', 1))
		return MPISTATE_SIG_BASE('c', 1);
	return base;
}

/* What handles_kind returns of it. */
static uint32_t kind_of(struct mpi_sig s)
{
	if (is_unknown(s) || !s.len)
		return 0;
	return s.base ? compared(s.base) : MPISTATE_BASE_MIXED;
}

struct mpistate_sig handles_data(const struct handle *h, uint64_t count)
{
	struct mpistate_sig out = { .len = MPISTATE_SIG_UNKNOWN };
	struct mpi_sig s;

	if (!count || (h && !is_unknown(h->sig) && !h->sig.len)) {
		out.len = 0;
		return out;
	}
	if (!h || is_unknown(h->sig))
		return out;
	s = sig_times(h->sig, count);
	out.len = s.len;
	out.hash = s.base ? 0 : s.hash;
	out.base = compared(s.base);
	return out;
}

static struct mpi_sig sig_of(MPI_Datatype t)
{
	const struct handle *h = handles_find(HANDLE_TYPE, false, TYPE_WORD(t));

	return h ? h->sig : UNKNOWN;
}

static struct mpi_sig sig_struct(const int *count, const MPI_Datatype *type, int n)
{
	struct mpi_sig s = { 0 };

	for (int i = 0; i < n; i++)
		s = sig_after(s, sig_times(sig_of(type[i]), count[i] > 0 ? (uint64_t)count[i] : 0));
	return s;
}

/* Of one other type: as many of it as there is room for in the data of this. */
static struct mpi_sig sig_several(MPI_Datatype t, MPI_Datatype of)
{
	__typeof__(&PMPI_Type_size) size = NEXT(PMPI_Type_size, "PMPI_Type_size");
	int all = 0, one = 0;

	if (size(t, &all) || size(of, &one) || one < 0 || all < 0 || (!one && all))
		return UNKNOWN;
	return sig_times(sig_of(of), one ? (uint64_t)(all / one) : 0);
}

static void release(MPI_Datatype t)
{
	int ni, na, nd, combiner = MPI_COMBINER_NAMED;

	NEXT(PMPI_Type_get_envelope, "PMPI_Type_get_envelope")(t, &ni, &na, &nd, &combiner);
	if (combiner != MPI_COMBINER_NAMED)
		NEXT(PMPI_Type_free, "PMPI_Type_free")(&t);
}

static struct mpi_sig sig_made(MPI_Datatype t)
{
	int ni = 0, na = 0, nd = 0, combiner, *ints;
	struct mpi_sig s = UNKNOWN;
	MPI_Datatype *types;
	MPI_Aint *addrs;

	if (NEXT(PMPI_Type_get_envelope, "PMPI_Type_get_envelope")(t, &ni, &na, &nd, &combiner) ||
	    combiner == MPI_COMBINER_NAMED || nd < 1)
		return s;
	ints = calloc((size_t)ni + 1, sizeof(*ints));
	addrs = calloc((size_t)na + 1, sizeof(*addrs));
	types = calloc((size_t)nd + 1, sizeof(*types));
	if (ints && addrs && types &&
	    !NEXT(PMPI_Type_get_contents, "PMPI_Type_get_contents")(t, ni, na, nd, ints, addrs,
								    types)) {
		if (nd == 1 && combiner != MPI_COMBINER_STRUCT)
			s = sig_several(t, types[0]);
		else if (combiner == MPI_COMBINER_STRUCT && ni == nd + 1)
			s = sig_struct(ints + 1, types, nd);
		for (int i = 0; i < nd; i++)
			release(types[i]);
	}
	free(ints);
	free(addrs);
	free(types);
	return s;
}

/* Both handles of what is at `at`. */
static void words(unsigned what, bool fortran, const void *at, uint64_t word[2])
{
	uint64_t w = word_at(fortran, at);
	MPI_Fint f = (MPI_Fint)w;

	word[fortran] = w;
	switch (what) {
	case HANDLE_TYPE:
		word[!fortran] = fortran ? TYPE_WORD(TYPE_C(f))
					 : (uint32_t)TYPE_FORTRAN(*(const MPI_Datatype *)at);
		break;
	case HANDLE_GROUP:
		word[!fortran] = fortran ? GROUP_WORD(GROUP_C(f))
					 : (uint32_t)GROUP_FORTRAN(*(const MPI_Group *)at);
		break;
	default:
		word[!fortran] =
			fortran ? OP_WORD(OP_C(f)) : (uint32_t)OP_FORTRAN(*(const MPI_Op *)at);
	}
}

static struct handle *entry(unsigned what, const uint64_t word[2])
{
	struct handle *h = handles_find(what, false, word[0]);

	if (h && h->word[1] == word[1])
		return h;
	h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	h->what = what;
	h->word[0] = word[0];
	h->word[1] = word[1];
	return h;
}

void handles_made(unsigned what, bool fortran, const void *at, unsigned call, uint64_t pc,
		  bool committed)
{
	uint64_t word[2];
	struct handle *h;

	words(what, fortran, at, word);
	if (what == HANDLE_GROUP && word[0] == group_empty)
		return;
	pthread_mutex_lock(&lock);
	h = entry(what, word);
	if (h && !h->predefined) {
		h->live = what == HANDLE_GROUP ? h->live + 1 : 1;
		h->call = call;
		h->pc = pc;
		h->committed = committed;
		h->sig = UNKNOWN;
		blocks_forget(h);
		if (what == HANDLE_TYPE) {
			MPI_Datatype t =
				fortran ? TYPE_C((MPI_Fint)word[1]) : *(const MPI_Datatype *)at;

			h->sig = sig_made(t);
		}
		h->kind = what == HANDLE_TYPE ? kind_of(h->sig) : 0;
		if (!h->linked)
			link_in(h);
		h->linked = true;
	}
	state_changed();
	pthread_mutex_unlock(&lock);
}

struct handle *handles_at(unsigned what, bool fortran, const void *at)
{
	return at ? handles_find(what, fortran, word_at(fortran, at)) : NULL;
}

void handles_freed(struct handle *h)
{
	if (h && h->live)
		h->live--;
	state_changed();
}

void handles_left(void (*take)(const struct handle *h))
{
	for (unsigned i = 0; i < BUCKETS; i++)
		for (const struct handle *h = atomic_load(&first[0][i]); h; h = h->next[0])
			if (h->live && !h->predefined)
				take(h);
}

bool handles_is_null(unsigned what, bool fortran, uint64_t word)
{
	static uint64_t null[2][2];
	static _Atomic bool have;

	if (!atomic_load_explicit(&have, memory_order_acquire)) {
		null[0][0] = TYPE_WORD(TYPE_NULL);
		null[0][1] = (uint32_t)TYPE_FORTRAN(TYPE_NULL);
		null[1][0] = OP_WORD(OP_NULL);
		null[1][1] = (uint32_t)OP_FORTRAN(OP_NULL);
		atomic_store_explicit(&have, true, memory_order_release);
	}
	return word_of(fortran, word) == null[what == HANDLE_OP][fortran];
}

static void predefined(unsigned what, uint64_t word, int32_t fortran, const char *name, int kind,
		       uint32_t size)
{
	struct handle *h = entry(what, (uint64_t[]){ word, (uint32_t)fortran });

	if (!h || h->linked)
		return;
	h->predefined = h->committed = h->linked = true;
	h->live = 1;
	h->name = name;
	h->sig = UNKNOWN;
	if (kind)
		h->sig = (struct mpi_sig){ .base = (uint32_t)kind << 8 | size, .len = 1 };
	h->kind = what == HANDLE_TYPE ? kind_of(h->sig) : 0;
	link_in(h);
}

void handles_begin(void)
{
	__typeof__(&PMPI_Type_size) size_of = NEXT(PMPI_Type_size, "PMPI_Type_size");
	int n = 0, size = 0;

	group_empty = GROUP_WORD(GROUP_EMPTY);
#define X(c_name, symbol, kind)                                                        \
	if (TYPE_IS_THERE(c_name, symbol) && !size_of(TYPE_OF(c_name, symbol), &size)) \
		predefined(HANDLE_TYPE, TYPE_WORD(TYPE_OF(c_name, symbol)),            \
			   TYPE_FORTRAN(TYPE_OF(c_name, symbol)), #c_name, kind, (uint32_t)size);
	ABI_TYPES(X)
#undef X
#define X(c_name, symbol)                                                                        \
	predefined(HANDLE_OP, OP_WORD(OP_OF(c_name, symbol)), OP_FORTRAN(OP_OF(c_name, symbol)), \
		   #c_name, 'o', (uint32_t)++n);
	ABI_OPS(X)
#undef X
}
