/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/mpistate/mpistate.h"

#include <string.h>

static const struct {
	const char *name, *args;
	uint8_t class, large;
} calls[MPISTATE_CALLS] = {
#define X(name, lower, upper, class, args, c, fortran) \
	[MPISTATE_CALL_##name] = { "MPI_" #name, args, MPISTATE_##class, 0 },
	MPISTATE_LIST(X)
#undef X
#define X(name, class, args, c) \
	[MPISTATE_CALL_##name] = { "MPI_" #name, args, MPISTATE_##class, 1 },
		MPISTATE_LIST_LATER(X)
#undef X
	[MPISTATE_CALL_Init] = { "MPI_Init", "", MPISTATE_OTHER, 0 },
	[MPISTATE_CALL_Finalize] = { "MPI_Finalize", "", MPISTATE_OTHER, 0 },
};

const char *mpistate_call_name(unsigned call)
{
	return call < MPISTATE_CALLS ? calls[call].name : "?";
}

const char *mpistate_call_args(unsigned call)
{
	return call < MPISTATE_CALLS ? calls[call].args : "";
}

unsigned mpistate_call_class(unsigned call)
{
	return call < MPISTATE_CALLS ? calls[call].class : (unsigned)MPISTATE_OTHER;
}

unsigned mpistate_call_starts(unsigned call)
{
	const char *name = mpistate_call_name(call), *end = strstr(name, "_init");

	for (unsigned i = 0; end && i < MPISTATE_CALLS; i++)
		if (!strncmp(calls[i].name, name, (size_t)(end - name)) &&
		    !calls[i].name[end - name])
			return calls[i].class;
	return mpistate_call_class(call);
}

int8_t mpistate_call_result(unsigned call)
{
	/* clang-format off */
	static const int8_t at[MPISTATE_CALLS] = { /* + 1 */
#define R(upper, lower, arg) \
	[MPISTATE_CALL_##upper] = (arg) + 1, [MPISTATE_CALL_I##lower] = (arg) + 1,
		R(Bcast, bcast, 0) R(Gather, gather, 3) R(Gatherv, gatherv, 3)
		R(Scatter, scatter, 3) R(Scatterv, scatterv, 4)
		R(Allgather, allgather, 3) R(Allgatherv, allgatherv, 3)
		R(Alltoall, alltoall, 3) R(Alltoallv, alltoallv, 4) R(Alltoallw, alltoallw, 4)
		R(Reduce, reduce, 1) R(Allreduce, allreduce, 1) R(Reduce_scatter, reduce_scatter, 1)
		R(Reduce_scatter_block, reduce_scatter_block, 1) R(Scan, scan, 1) R(Exscan, exscan, 1)
#undef R
	};
	/* clang-format on */

	return call < MPISTATE_CALLS ? (int8_t)(at[call] - 1) : -1;
}

/* Those of which there can be two: the second set is of the receive. */
static bool put_twice(struct mpistate_shape *s, char letter, int8_t at)
{
	bool receives = s->source >= 0 || (s->dest_tag >= 0 && letter != 's');

	switch (letter) {
	case 'n':
		*(s->count < 0 || !receives ? &s->count : &s->recv_count) = at;
		return true;
	case 't':
		*(s->type < 0 || !receives ? &s->type : &s->recv_type) = at;
		return true;
	case 'g':
		*(s->source >= 0 ? &s->source_tag : &s->dest_tag) = at;
		return true;
	}
	return false;
}

static int8_t *place_of(struct mpistate_shape *s, char letter)
{
	static const char letters[] = "dscrokhqwvNQfKWHxXYTGOmFuz";
	int8_t *const place[] = { &s->dest,	    &s->source,	   &s->comm,	  &s->root,
				  &s->op,	    &s->win,	   &s->file,	  &s->made_request,
				  &s->request,	    &s->value,	   &s->number,	  &s->requests,
				  &s->flag,	    &s->made_comm, &s->made_win,  &s->made_file,
				  &s->ends_comm,    &s->ends_win,  &s->ends_file,
				  &s->made_type,    &s->made_group, &s->made_op, &s->commits,
				  &s->ends_type,    &s->ends_group, &s->ends_op };
	const char *at = strchr(letters, letter);

	return at && letter ? place[at - letters] : NULL;
}

/* Of the later calls those with large counts. */
static bool is_large(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && !strcmp(name + n - 2, "_c");
}

struct mpistate_shape mpistate_shape(unsigned call)
{
	const char *args = mpistate_call_args(call);
	struct mpistate_shape s;

	memset(&s, -1, sizeof(s));
	s.class = (uint8_t)mpistate_call_class(call);
	s.words = (uint8_t)strlen(args);
	s.large = call < MPISTATE_CALLS && calls[call].large && is_large(calls[call].name);
	for (int8_t i = 0; args[i]; i++) {
		int8_t *place = place_of(&s, args[i]);

		if (!put_twice(&s, args[i], i) && place)
			*place = i;
	}
	if (s.recv_count < 0)
		s.recv_count = s.count;
	if (s.recv_type < 0)
		s.recv_type = s.type;
	return s;
}
