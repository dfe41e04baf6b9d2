/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators, and the windows and files made of them, each with an identity that all its ranks
 * work out alike and without a message: that of what it was made of, how many were made of that
 * before, and which ranks it has. Compiled once per ABI.
 */
#include <mpi.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/mpi/abi.h"
#include "runtime/mpi/internal.h"

#define BUCKETS 512u /* a power of two */
#define MADE 1024u   /* identities of communicators of groups; a power of two */

/* Objects by handle, in C and in Fortran: index + 1 of the first, and of the next of each. */
static _Atomic uint32_t first[2][BUCKETS];
static _Atomic uint32_t next[2][MPISTATE_OBJECTS];
/* Handles that were freed last. */
#define FREED 64
#define BRIDGES 64 /* pairs of groups with communicators between them */
static struct {
	_Atomic uint64_t word[2];
	unsigned what;
} freed[FREED];
static uint32_t nfreed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Group world;
const unsigned objects_request_bytes = sizeof(MPI_Request);

static unsigned bucket(unsigned what, uint64_t handle)
{
	return (unsigned)mpistate_mix(handle, what) & (BUCKETS - 1);
}

static uint64_t handle_in(const struct mpistate_object *o, bool fortran)
{
	return fortran ? (uint64_t)o->fortran : o->handle;
}

struct mpistate_object *objects_find(struct mpistate_page *p, unsigned what, bool fortran,
				     uint64_t handle)
{
	uint32_t at = atomic_load_explicit(&first[fortran][bucket(what, handle)],
					   memory_order_acquire);

	/* what another thread takes out meanwhile may lead elsewhere, but not for ever */
	for (unsigned i = 0; at && i < MPISTATE_OBJECTS; i++) {
		struct mpistate_object *o = &p->object[at - 1];

		if (o->what == what && handle_in(o, fortran) == handle &&
		    atomic_load_explicit(&o->serial, memory_order_relaxed))
			return o;
		at = atomic_load_explicit(&next[fortran][at - 1], memory_order_acquire);
	}
	return NULL;
}

uint64_t objects_handle(unsigned what, bool fortran, uint64_t word)
{
	if (fortran)
		return (uint64_t)(int64_t)(int32_t)word;
	return what != MPISTATE_FILE && sizeof(MPI_Comm) == 4 ? (uint32_t)word : word;
}

uint64_t objects_handle_at(unsigned what, bool fortran, const void *at)
{
	uint64_t word;

	if (fortran || (what != MPISTATE_FILE && sizeof(MPI_Comm) == 4))
		word = (uint64_t)(int64_t)*(const int32_t *)at;
	else
		memcpy(&word, at, sizeof(word));
	return objects_handle(what, fortran, word);
}

bool objects_status(const void *list, size_t i, int32_t *source, int32_t *tag)
{
	const MPI_Status *s = (const MPI_Status *)list;

	if (s == MPI_STATUS_IGNORE || s == MPI_STATUSES_IGNORE)
		return false;
	*source = s[i].MPI_SOURCE;
	*tag = s[i].MPI_TAG;
	return true;
}

static void link_in(struct mpistate_page *p, uint32_t i)
{
	for (unsigned f = 0; f < 2; f++) {
		_Atomic uint32_t *head = &first[f][bucket(p->object[i].what,
							  handle_in(&p->object[i], f))];

		atomic_store(&next[f][i], atomic_load(head));
		atomic_store(head, i + 1);
	}
}

static void link_out(struct mpistate_page *p, uint32_t i)
{
	for (unsigned f = 0; f < 2; f++) {
		_Atomic uint32_t *at = &first[f][bucket(p->object[i].what,
							handle_in(&p->object[i], f))];

		while (*at && *at != i + 1)
			at = &next[f][*at - 1];
		if (*at)
			atomic_store(at, atomic_load(&next[f][i]));
	}
}

/* An object that nobody finds before it is linked; NULL: there are no more. */
static struct mpistate_object *object_new(struct mpistate_page *p, unsigned what)
{
	for (uint32_t i = 0; i < MPISTATE_OBJECTS; i++) {
		struct mpistate_object *o = &p->object[i];

		if (atomic_load(&o->serial))
			continue;
		memset(o, 0, sizeof(*o));
		o->what = what;
		return o;
	}
	return NULL;
}

bool objects_was_freed(unsigned what, bool fortran, uint64_t handle)
{
	for (unsigned i = 0; i < FREED; i++)
		if (freed[i].word[fortran] == handle && freed[i].what == what && handle)
			return true;
	return false;
}

/* All, or those with a handle that is in use again. */
static void forget_freed(const struct mpistate_object *o)
{
	for (unsigned i = 0; i < FREED; i++)
		if (!o || (freed[i].what == o->what && (freed[i].word[0] == o->handle ||
							freed[i].word[1] == (uint64_t)o->fortran)))
			freed[i].word[0] = freed[i].word[1] = 0;
}

void objects_forget_freed(void)
{
	pthread_mutex_lock(&lock);
	forget_freed(NULL);
	pthread_mutex_unlock(&lock);
}

/*
 * Groups make communicators by themselves (MPI_Comm_create_group), again and again the same: the
 * n-th of them has an identity of its own, and all its ranks count them in one order.
 */
static uint64_t once(uint64_t id)
{
	static struct {
		uint64_t id;
		uint32_t n;
	} made[MADE];
	uint32_t at = (uint32_t)id & (MADE - 1);

	for (unsigned i = 0; i < MADE; i++, at = (at + 1) & (MADE - 1)) {
		if (made[at].n && made[at].id != id)
			continue;
		made[at].id = id;
		return made[at].n++ ? mpistate_mix(id, made[at].n) : id;
	}
	return id;
}

static void object_done(struct mpistate_page *p, struct mpistate_object *o)
{
	forget_freed(o);
	link_in(p, (uint32_t)(o - p->object));
	atomic_store(&o->serial, atomic_fetch_add(&p->serial, 1) + 1);
	state_changed();
}

void objects_gone(struct mpistate_page *p, struct mpistate_object *o)
{
	pthread_mutex_lock(&lock);
	freed[nfreed % FREED].what = o->what;
	freed[nfreed % FREED].word[0] = o->handle;
	freed[nfreed++ % FREED].word[1] = (uint64_t)o->fortran;
	atomic_store(&o->serial, 0);
	link_out(p, (uint32_t)(o - p->object));
	state_changed();
	pthread_mutex_unlock(&lock);
}

void objects_named(struct mpistate_object *o)
{
	char name[MPI_MAX_OBJECT_NAME + 1] = "";
	MPI_Comm comm;
	int len;

#ifdef OPEN_MPI
	comm = (MPI_Comm)(uintptr_t)o->handle;
#else
	comm = (MPI_Comm)o->handle;
#endif
	if (o->what != MPISTATE_COMM ||
	    NEXT(PMPI_Comm_get_name, "PMPI_Comm_get_name")(comm, name, &len) != MPI_SUCCESS)
		return;
	name[sizeof(o->name) - 1] = '\0';
	memcpy(o->name, name, sizeof(o->name));
}

#define FEW 256 /* ranks that need no memory of the heap, which there may be none of */

/* Ranks of group among those of MPI_COMM_WORLD, to out. */
static int translate(MPI_Group group, int n, int32_t *out)
{
	int few[FEW], *own = n <= FEW ? few : malloc((size_t)n * sizeof(*own));
	int rc = -1;

	for (int i = 0; own && i < n; i++)
		own[i] = i;
	if (own)
		rc = NEXT(PMPI_Group_translate_ranks, "PMPI_Group_translate_ranks")(group, n, own,
										    world, out);
	for (int i = 0; !rc && i < n; i++)
		if (out[i] == MPI_UNDEFINED)
			out[i] = MPISTATE_UNKNOWN;
	if (own != few)
		free(own);
	return rc;
}

/* The rank in o of one of MPI_COMM_WORLD. */
static int32_t local_of(const struct mpistate_page *p, const struct mpistate_object *o,
			int32_t rank)
{
	for (uint32_t i = 0; !o->world && o->members && i < o->size; i++)
		if (p->members[o->members + i] == rank)
			return (int32_t)i;
	return o->world ? rank : MPISTATE_UNKNOWN;
}

int objects_group(struct mpistate_page *p, const struct mpistate_object *o, bool fortran,
		  mpi_word arg, int32_t **out)
{
#ifdef OPEN_MPI
	MPI_Group group = fortran ? GROUP_C(*(const MPI_Fint *)arg) : (MPI_Group)arg;
#else
	MPI_Group group = fortran ? GROUP_C(*(const MPI_Fint *)arg) : (MPI_Group)(int)arg;
#endif
	int n = 0;

	*out = NULL;
	if (NEXT(PMPI_Group_size, "PMPI_Group_size")(group, &n) != MPI_SUCCESS || n <= 0)
		return -1;
	*out = malloc((size_t)n * sizeof(**out));
	if (!*out || translate(group, n, *out)) {
		free(*out);
		*out = NULL;
		return -1;
	}
	for (int i = 0; i < n; i++)
		(*out)[i] = local_of(p, o, (*out)[i]);
	return n;
}

static uint64_t hash_of(const int32_t *rank, uint32_t n)
{
	uint64_t h = n;

	for (uint32_t i = 0; i < n; i++)
		h = mpistate_mix(h, (uint32_t)rank[i]);
	return h;
}

/* Keeps the list of ranks: as that of another object, where one is the same. */
static void keep_members(struct mpistate_page *p, struct mpistate_object *o, const int32_t *rank)
{
	uint32_t at = atomic_load(&p->members_n), same = 0;

	while (same < o->size && rank[same] == (int32_t)same)
		same++;
	o->world = same == o->size;
	for (uint32_t i = 0; !o->world && i < MPISTATE_OBJECTS; i++) {
		const struct mpistate_object *other = &p->object[i];

		if (other->serial && other->members && other->size == o->size &&
		    !memcmp(&p->members[other->members], rank, o->size * sizeof(*rank))) {
			o->members = other->members;
			return;
		}
	}
	at = at ? at : 1;
	if (o->world || o->size > MPISTATE_MEMBERS - at)
		return;
	memcpy(&p->members[at], rank, o->size * sizeof(*rank));
	o->members = at;
	atomic_store(&p->members_n, at + o->size);
}

/* The hash of the ranks of a group; keeps them in o unless it is NULL. */
static uint64_t take_group(struct mpistate_page *p, struct mpistate_object *o, MPI_Comm comm,
			   bool remote)
{
	__typeof__(&PMPI_Comm_group) get =
		remote ? NEXT(PMPI_Comm_remote_group, "PMPI_Comm_remote_group") :
			 NEXT(PMPI_Comm_group, "PMPI_Comm_group");
	MPI_Group group;
	int32_t few[FEW], *rank;
	uint64_t h = 0;
	int n = 0;

	if (get(comm, &group) != MPI_SUCCESS)
		return 0;
	NEXT(PMPI_Group_size, "PMPI_Group_size")(group, &n);
	rank = n <= FEW ? few : malloc((size_t)n * sizeof(*rank));
	if (rank && !translate(group, n, rank)) {
		h = hash_of(rank, (uint32_t)n);
		if (o) {
			o->size = (uint32_t)n;
			keep_members(p, o, rank);
		}
	}
	if (rank != few)
		free(rank);
	NEXT(PMPI_Group_free, "PMPI_Group_free")(&group);
	return h;
}

/* How many were made between these two groups: the same on all of them. */
static uint32_t bridges(uint64_t groups)
{
	static struct {
		uint64_t groups;
		uint32_t n;
	} made[BRIDGES];

	for (unsigned i = 0; i < BRIDGES; i++) {
		if (made[i].n && made[i].groups != groups)
			continue;
		made[i].groups = groups;
		return made[i].n++;
	}
	return 0;
}

/* Whether all ranks of the other group are of this job. */
static bool knows_group(const struct mpistate_page *p, const struct mpistate_object *o)
{
	for (uint32_t i = 0; o->members && i < o->size; i++)
		if (p->members[o->members + i] < 0)
			return false;
	return o->members || o->world;
}

/* Ranks and identity of a communicator; seed: what is the same on all that have made it. */
static void take_comm(struct mpistate_page *p, struct mpistate_object *o, MPI_Comm comm,
		      uint64_t seed)
{
	int inter = 0;
	uint64_t own, other, groups;

	NEXT(PMPI_Comm_test_inter, "PMPI_Comm_test_inter")(comm, &inter);
	o->inter = inter != 0;
	NEXT(PMPI_Comm_rank, "PMPI_Comm_rank")(comm, (int *)&o->rank);
	own = take_group(p, o, comm, inter);
	if (!inter) {
		o->id = mpistate_mix(seed, own);
		return;
	}
	other = take_group(p, NULL, comm, false);
	o->second = own > other;
	if (knows_group(p, o))
		NEXT(PMPI_Comm_size, "PMPI_Comm_size")(comm, (int *)&o->local);
	groups = own < other ? mpistate_mix(own, other) : mpistate_mix(other, own);
	o->id = mpistate_mix(groups, bridges(groups));
}

static void like_parent(struct mpistate_object *o, const struct mpistate_object *parent,
			uint64_t seed)
{
	o->size = parent->size;
	o->rank = parent->rank;
	o->inter = parent->inter;
	o->local = parent->local;
	o->second = parent->second;
	o->members = parent->members;
	o->world = parent->world;
	o->id = mpistate_mix(seed, 1);
}

static void comm_add(struct mpistate_page *p, struct mpistate_object *parent, MPI_Comm comm,
		     unsigned call, uint64_t pc, uint64_t seed)
{
	struct mpistate_object *o = object_new(p, MPISTATE_COMM);

	/* what is called on it cannot be compared */
	if (!o) {
		atomic_store(&p->unsure, 1);
		return;
	}
	o->handle = COMM_WORD(comm);
	o->fortran = COMM_FORTRAN(comm);
	o->made_by = call + 1;
	o->made_pc = pc;
	/* one that is being duplicated may not be used yet */
	if (call == MPISTATE_CALL_Comm_idup && parent)
		like_parent(o, parent, seed);
	else
		take_comm(p, o, comm, seed);
	if (call == MPISTATE_CALL_Comm_create_group)
		o->id = once(o->id);
	object_done(p, o);
}

/* A window or a file: what it was made of has all its ranks. */
static void other_add(struct mpistate_page *p, struct mpistate_object *parent, unsigned what,
		      bool fortran, const void *at, unsigned call, uint64_t pc)
{
	struct mpistate_object *o = parent ? object_new(p, what) : NULL;

	if (!o)
		return;
	if (fortran) {
		o->fortran = *(const int32_t *)at;
		o->handle = what == MPISTATE_WIN ? WIN_WORD((MPI_Fint)o->fortran) :
						   FILE_WORD((MPI_Fint)o->fortran);
	} else {
		o->handle = objects_handle_at(what, false, at);
		o->fortran = what == MPISTATE_WIN ? WIN_FORTRAN(at) : FILE_FORTRAN(at);
	}
	o->made_by = call + 1;
	o->made_pc = pc;
	like_parent(o, parent, mpistate_mix(parent->id, atomic_load(&parent->children)));
	if (what == MPISTATE_WIN)
		error_window(o->handle);
	object_done(p, o);
}

static MPI_Comm comm_at(bool fortran, const void *at)
{
	return fortran ? COMM_C(*(const MPI_Fint *)at) : *(const MPI_Comm *)at;
}

void objects_await(bool fortran, const void *comm)
{
	NEXT(PMPI_Barrier, "PMPI_Barrier")(fortran ? COMM_C(*(const MPI_Fint *)comm) :
						     *(const MPI_Comm *)comm);
}

void objects_made(struct mpistate_page *p, struct mpistate_object *parent, unsigned what,
		  bool fortran, const void *at, unsigned call, uint64_t pc)
{
	uint64_t seed = 0;

	pthread_mutex_lock(&lock);
	/* all ranks of parent are here, but for those of a group that calls by itself */
	if (parent && call != MPISTATE_CALL_Comm_create_group &&
	    call != MPISTATE_CALL_Intercomm_create)
		seed = atomic_fetch_add(&parent->children, 1) + 1;
	if (parent)
		seed = mpistate_mix(parent->id, seed);
	if (what != MPISTATE_COMM)
		other_add(p, parent, what, fortran, at, call, pc);
	else if (comm_at(fortran, at) != MPI_COMM_NULL_)
		comm_add(p, parent, comm_at(fortran, at), call, pc, seed);
	pthread_mutex_unlock(&lock);
}

static void add_predefined(struct mpistate_page *p, MPI_Comm comm, const char *name, uint64_t seed)
{
	pthread_mutex_lock(&lock);
	comm_add(p, NULL, comm, MPISTATE_CALL_Init, 0, seed);
	pthread_mutex_unlock(&lock);
	for (unsigned i = 0; i < MPISTATE_OBJECTS; i++)
		if (p->object[i].serial && p->object[i].handle == COMM_WORD(comm))
			strcpy(p->object[i].name, name);
}

static void add_types(struct mpistate_page *p)
{
	unsigned n = 0;

#define X(c_name, symbol, kind)                                               \
	if (n < MPISTATE_TYPES && TYPE_IS_THERE(c_name, symbol)) {            \
		MPI_Datatype t = TYPE_OF(c_name, symbol);                     \
		p->type[n].fortran = TYPE_FORTRAN(t);                         \
		strcpy(p->type[n].name, #c_name);                             \
		p->type[n++].handle = TYPE_WORD(t);                           \
	}
	ABI_TYPES(X)
#undef X
}

void objects_begin(struct mpistate_page *p)
{
	MPI_Comm all = COMM_WORLD;

	if (atomic_load(&p->on))
		return;
	p->numbers = (struct mpistate_numbers){
		.any_source = MPI_ANY_SOURCE,
		.any_tag = MPI_ANY_TAG,
		.proc_null = MPI_PROC_NULL,
		.root = MPI_ROOT,
		.request_bytes = sizeof(MPI_Request),
		.request_null = REQUEST_NULL_WORD,
		.request_null_fortran = REQUEST_NULL_FORTRAN,
	};
	if (NEXT(PMPI_Comm_group, "PMPI_Comm_group")(all, &world) != MPI_SUCCESS)
		return;
	add_types(p);
	add_predefined(p, all, "MPI_COMM_WORLD", 1);
	add_predefined(p, COMM_SELF, "MPI_COMM_SELF", 2);
	atomic_store(&p->on, 1);
}
