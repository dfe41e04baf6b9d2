/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tree of thousands of nodes on one machine. Each is a struct node as in dvmdbg-exec, with real
 * sockets and messages, but many share a process, and what they tell of their ranks comes from a
 * page and memory that are filled in for the rank that is asked. The test program plays it itself
 * when it is started in the place of dvmdbg-exec, once for all ranks.
 */
#ifndef DVMDBG_TESTS_SIM_H
#define DVMDBG_TESTS_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/exec/tree/tree.h"

struct buf;
struct memory;
struct msg_query;
struct page_read;
struct point;
struct report_exit;
struct report_stop;
struct sim_ranks;

/* In what ranks differ: the value of x, and the iteration or point they are at. */
#define SIM_SCENARIO_LIST(X)                                            \
	X(same, "nothing")                                              \
	X(odd, "one rank in the middle is unlike the others")           \
	X(alternate, "odd ranks are unlike even ones")                  \
	X(groups, "64 groups, dealt out in turn")                       \
	X(all, "every rank is unlike every other")                      \
	X(scatter, "as all, and they stop in different iterations")     \
	X(running, "as all, and they never stop: last points differ")   \
	X(exits, "they end, each with an exit code of its own, to 255") \
	X(ring, "they never stop: each receives from the next one")     \
	X(late,                                                         \
	  "they never stop: all are in a barrier but one in the middle, which receives from 0")
enum sim_scenario {
#define X(name, what) SIM_##name,
	SIM_SCENARIO_LIST(X)
#undef X
	SIM_SCENARIOS
};

/* The process that plays all ranks; argv[2] is the scenario. Its exit status. */
int sim_main(char **argv);

/* What ranks say (sim_rank.c). One rank at a time is what the page shows. NULL: no such
 * scenario. */
struct sim_ranks *sim_ranks_create(const char *scenario, uint32_t size);
void sim_ranks_destroy(struct sim_ranks *s);
/* What is read for answers; borrowed. */
struct page_read *sim_ranks_page(struct sim_ranks *s, struct memory **m);
enum sim_scenario sim_ranks_scenario(const struct sim_ranks *s);
bool sim_never_stops(enum sim_scenario scenario);
/* Makes the page that of this rank, stopped (or running) after so many `go`. */
void sim_ranks_show(struct sim_ranks *s, uint32_t rank, uint32_t goes, bool stopped);
void sim_ranks_stop(struct sim_ranks *s, unsigned reason, struct report_stop *out);
void sim_ranks_exit(struct sim_ranks *s, struct report_exit *out);
/* The answer, by the code that supervisors answer with. */
void sim_ranks_answer(struct sim_ranks *s, unsigned state, uint32_t gen, const struct msg_query *q,
		      struct buf *out);

/*
 * How long nodes have worked for one order: the front end's go or question number. Kept in memory
 * that all processes share. The slowest way from a leaf to the root, as if each node were on a host
 * of its own.
 */
struct sim_cost;
struct sim_cost *sim_cost_create(uint32_t size);
void sim_cost_begin(struct sim_cost *c, uint32_t rank, uint32_t order);
void sim_cost_add(struct sim_cost *c, uint32_t rank, uint64_t nsec);
/*
 * Appends "order path-usec nodes usec-of-all" to the file that DVMDBG_SIM_COST names, if any, for
 * the order before the present one of rank 0.
 */
void sim_cost_write(const struct sim_cost *c);

#endif
