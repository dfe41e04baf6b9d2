/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls of MPI were given, for comparison between ranks: the answers to QUERY_AGREE. Texts of
 * places are borrowed, from the buffer when it was got.
 */
#ifndef DVMDBG_COMMON_MPISTATE_AGREE_H
#define DVMDBG_COMMON_MPISTATE_AGREE_H

#include <stdint.h>

#include "common/core/codec.h"
#include "common/mpistate/mpistate.h"
#include "common/protocol/report.h"

/* What is asked for. */
enum mpistate_agree {
	MPISTATE_AGREE_COLLECTIVES, /* agree_list: of each communicator the newest collective */
	MPISTATE_AGREE_ONE,	    /* agree_one: name: identity in hexadecimal digits; n: number */
	MPISTATE_AGREE_BALANCE,	 /* u64: of the data of messages sent, less those received; u64: how
				  * many are  sent, less those received. Equal over all ranks: 0 */
	MPISTATE_AGREE_MESSAGES, /* agree_messages */
	MPISTATE_AGREE_EXTENTS, /* agree_extents */
	MPISTATE_AGREE_CLASHES,	 /* agree_clashes */
	MPISTATE_AGREE_RACE,	 /* agree_race */
};

/* A communicator, window or file. */
struct agree_object {
	uint64_t id;
	uint32_t size, number; /* ranks; collectives so far */
	uint64_t sum, parts_sum;
};

struct agree_list {
	uint8_t unsure; /* calls were not seen: nothing can be said */
	uint8_t final;	/* MPI_Finalize has been called, and all collectives before it are kept */
	uint32_t n;
	struct agree_object *object; /* owned */
};
void agree_list_clear(struct agree_list *l);
int agree_list_code(struct codec *c, struct agree_list *l);
CODEC_PAIR(agree_list, agree_list_clear(x))

/* A collective. */
struct agree_one {
	uint8_t known, unknown; /* it is kept; what its data are is not known */
	uint16_t call;
	uint32_t size, rank; /* of the communicator, and in it */
	int32_t root;	     /* -1: it has none */
	uint32_t op;	     /* MPISTATE_GIVEN_… */
	struct mpistate_sig sig;
	uint64_t sum, parts_sum;
	struct place place;
	uint8_t what, world; /* enum mpistate_what */
	char name[MPISTATE_NAME];
	uint16_t made_by; /* MPISTATE_CALLS: not known */
	struct place made;
	uint32_t nsent, nreceived;
	struct mpistate_sig
		*part; /* owned; for each rank what it is sent, and what comes from it */
};
void agree_one_clear(struct agree_one *a);
int agree_one_code(struct codec *c, struct agree_one *a);
CODEC_PAIR(agree_one, agree_one_clear(x))

/* Messages of one communicator, peer, tag and basic type. */
struct agree_message {
	uint64_t id;
	int32_t peer, tag; /* peer: of MPI_COMM_WORLD */
	uint8_t received;
	uint32_t base, n; /* base 0: all that there were */
	uint32_t any;	  /* of all: those that fit anything */
	uint16_t call;	  /* of the newest that was sent */
	struct place place;
};

struct agree_messages {
	uint8_t unsure;
	uint8_t final;	/* MPI_Finalize has been called, and no message was sent in vain */
	uint32_t blind; /* messages were received of which nothing is known */
	uint32_t n;
	struct agree_message *message; /* owned */
};
#define AGREE_MESSAGES (MPISTATE_PAIRS * (2 * MPISTATE_KINDS + 2))
void agree_messages_clear(struct agree_messages *m);
int agree_messages_code(struct codec *c, struct agree_messages *m);
CODEC_PAIR(agree_messages, agree_messages_clear(x))

/* Buffers of calls that were not complete, and their uses. */
struct agree_clash {
	uint16_t call, by; /* by: MPISTATE_CALLS: the program's code */
	uint32_t arg, by_arg;
	uint8_t writes, by_writes;
	struct place place, by_place;
};

struct agree_clashes {
	uint8_t accesses; /* there are accesses to windows */
	uint32_t n;
	struct agree_clash *clash; /* owned */
};
void agree_clashes_clear(struct agree_clashes *l);
int agree_clashes_code(struct codec *c, struct agree_clashes *l);
CODEC_PAIR(agree_clashes, agree_clashes_clear(x))

/* Buffers of calls, and how many bytes of them the call uses. */
struct agree_extent {
	uint16_t call;
	uint32_t arg;
	uint8_t writes;
	uint64_t bytes;
	uint64_t vaddr;		  /* of the module of place, when it is data of it */
	int64_t from_sp, from_bp; /* behind the caller's registers */
	struct place place;
};

struct agree_extents {
	uint32_t n;
	struct agree_extent *extent; /* owned */
};
void agree_extents_clear(struct agree_extents *l);
int agree_extents_code(struct codec *c, struct agree_extents *l);
CODEC_PAIR(agree_extents, agree_extents_clear(x))

/* Accesses to windows, as in race.h; pc is the index of a place. */
struct agree_race {
	uint8_t over;  /* what came later is not here */
	uint64_t host; /* equal where clocks are the same */
	uint32_t nwindow, nevent, naccess, nplace;
	struct mpistate_window *window; /* all owned */
	struct mpistate_event *event;
	struct mpistate_access *access;
	struct place *place;
};
void agree_race_clear(struct agree_race *r);
int agree_race_code(struct codec *c, struct agree_race *r);
CODEC_PAIR(agree_race, agree_race_clear(x))

/* Of a message in the balance. */
uint64_t agree_weight(uint64_t id, uint32_t from, uint32_t to, int32_t tag, uint32_t base);

#endif
