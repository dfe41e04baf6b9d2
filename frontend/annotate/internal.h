/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What training runs show of a program without marks: its memory, the sweeps over it, and what
 * follows for its arrays.
 */
#ifndef DVMDBG_FRONTEND_ANNOTATE_INTERNAL_H
#define DVMDBG_FRONTEND_ANNOTATE_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/core/hash.h"
#include "frontend/marks/marks.h"
#include "frontend/scan/scan.h"

struct draft;
struct err;
struct fortran;
struct fortran_entity;
struct symbols;

/*
 * pitches.c: the steps that the addresses of one access go in, nested: a loop over columns inside
 * of one over rows has steps of an element and of a row. A level gets the beginnings of the level
 * below.
 */
#define WALK_LEVELS 5
#define WALK_STEPS 12 /* different ones that are kept of a level */

struct walk_step {
	int64_t step;	 /* bytes, not 0 */
	uint64_t n;	 /* how often it was made */
};

struct walk {
	struct walk_level {
		int64_t begin, last, step; /* of the run that goes on */
		uint64_t length;
		bool any;
		struct walk_step made[WALK_STEPS];
	} level[WALK_LEVELS];
};

void walk_to(struct walk *w, int64_t at);
/* What is unfinished is taken for finished; afterwards `made` is complete. */
void walk_end(struct walk *w);

#define LAYOUT_DIMS 4

/*
 * Allocations that are the rows of one array, as a table has their addresses. They are one region,
 * as if all were at equal distances; where they are not, it is said to begin at the table.
 */
struct rows {
	uint64_t *row, n;     /* owned; where each is */
	uint64_t bytes;	      /* of each */
	uint64_t base, pitch; /* of the region; bytes from one to the next */
	uint64_t table;	      /* where the address of the first one is */
};

/* The memory of one variable or allocation on a rank. */
struct region {
	char *name;	  /* owned; of a variable; NULL: it was allocated */
	const char *file; /* where it was allocated, the symbols' own; NULL: not known */
	const char *func;
	uint32_t line;
	uint32_t nth; /* of those of the same name or place, from 0 */
	uint64_t base, bytes;
	unsigned unit; /* bytes of an element */
	bool stack; /* it is all of a stack: what is in it follows from what ranks show where they
		       stop */
	int64_t extent[LAYOUT_DIMS]; /* where the debug information has them; from the widest pitch
					on */
	unsigned nextent;	     /* 0: not known */
	bool structures; /* a variable whose elements are some: extent has their parts last */
	uint64_t *value; /* owned; what was written first; NULL: nothing was */
	uint64_t *valued; /* owned; a bit for each byte that has one */
	uint64_t nvalued, fill; /* bytes of it so far; the first one */
	bool mixed; /* there are others */
	const struct rows *rows; /* it is these; NULL: it is one block */
};

/* The accesses of one line of the source to one region. */
struct sweep {
	const char *file, *func; /* the symbols' own */
	uint32_t line;
	uint32_t region;
	bool write;
	unsigned size;	    /* bytes of an access; several sizes are several sweeps */
	uint64_t n;	    /* accesses */
	uint64_t elements;  /* different ones */
	uint64_t first;	    /* when it was first seen: records before it on this rank */
	uint64_t *touched;  /* owned; a bit for each `size` bytes of the region */
	uint64_t room;	    /* words of it */
	struct walk walk;
};

/* What a variable of a few bytes was seen to hold. */
struct scalar {
	char *name; /* owned */
	unsigned size;
	int64_t value, value_first; /* the last one; the first one that is not 0 */
	uint32_t changes;
	uint64_t changed_first, changed_last; /* in records of the rank */
};

/* What the debugger has shown of a variable. */
struct variable {
	char *name, *type; /* owned */
	char *value;	   /* owned; as it is shown */
	bool whole;	   /* value is an integer, in number */
	bool pointer;	   /* it is an address, in number */
	int64_t number;
};

/* variables.c: a variable as the debugger shows it, and the parts that the text of its value
 * has. */
struct frame_seen;
void variables_add(struct frame_seen *f, const char *name, const char *type, const char *value);

struct frame_seen {
	char *func, *file; /* owned */
	uint32_t line;
	struct variable *variable;
	uint32_t nvariable;
};

/* A rank at a loop that it comes to for the first time. */
struct stop_seen {
	struct frame_seen modules; /* variables of modules, no frame */
	struct frame_seen *frame; /* innermost first */
	uint32_t nframe;
};

/* Of an array that is shown by its address; how many dimensions, 0: it is none, or has more than
 * max. */
unsigned variable_bounds(const struct variable *v, int64_t *lo, int64_t *hi, unsigned max);

/* What it points to is shown with members. */
bool variable_of_structures(const struct variable *v);

struct rank_seen {
	struct rows *rows; /* owned */
	struct region *region;
	struct sweep *sweep;
	struct scalar *scalar;
	uint32_t nrows, nregion, nsweep, nscalar;
	uint64_t begin; /* of the first loop over an array, in records */
	struct hash region_by, sweep_by, scalar_by;
	struct stop_seen *stop;
	uint32_t nstop;
};

/* One run. */
struct training {
	uint32_t ranks;
	uint32_t size; /* which arguments it had: runs of equal ones are compared */
	struct rank_seen *rank;
};

/* collect.c: reads the traces of a run from the directory. */
int training_read(struct training *t, const char *dir, struct symbols *symbols, struct err *err);
/* Bytes of the region that the line goes over that goes over most of it. */
uint64_t region_used(const struct rank_seen *s, uint32_t region);
/* When stops are known: arrays that are on stacks get regions of their own. */
void training_stacks(struct training *t);
/* Likewise: what points to a table of rows points to the array. */
void training_rows(struct training *t);
/* pitches.c: extents of variables that are arrays of structures. */
void training_structures(const struct draft *m, struct training *t, uint32_t n);
void training_clear(struct training *t);
/* A line went over an array on some rank. */
bool training_shows(const struct training *t);

/*
 * layout.c: an array is the memory of the same variable or allocation on all ranks of all runs.
 * Dimensions go from the one with the widest pitch to the densest; all counts are in elements.
 */
struct part {		/* of an array on a rank */
	uint32_t region; /* UINT32_MAX: it has none */
	int64_t pitch[LAYOUT_DIMS], stored[LAYOUT_DIMS];
	int64_t own_lo[LAYOUT_DIMS], own_n[LAYOUT_DIMS]; /* among the stored ones */
	int64_t first[LAYOUT_DIMS];			 /* global index of the first own one */
};

struct array_run { /* of an array in a run */
	struct part *part; /* owned, by rank */
	int64_t shape[LAYOUT_DIMS];
	unsigned grid[LAYOUT_DIMS]; /* ranks along each dimension */
	unsigned order[LAYOUT_DIMS]; /* dimensions, the one along which ranks follow last is last */
	int64_t block; /* along the first dimension, of a cyclic array: rank r has the blocks r, r +
			  ranks, … */
};

struct array_guess {
	const char *name, *file, *func; /* of the region on rank 0 of the first run; borrowed */
	uint32_t line, nth;
	unsigned ndim, unit;
	int64_t halo_lo[LAYOUT_DIMS], halo_hi[LAYOUT_DIMS];
	bool stack;	 /* it is none, but all of a stack */
	bool tiles;	 /* own parts are known */
	bool replicated; /* as large on each rank as on fewer */
	bool full;	 /* likewise, but each uses its own part only */
	bool alike;	 /* own parts are those of another one that is as large everywhere */
	bool cyclic; /* along the first dimension, in blocks; then `first` of parts means nothing
			there */
	bool everywhere; /* each rank of each run has it */
	bool listed;	 /* ranks have, or use, it in other numbers: why_not says so */
	bool room;	 /* it is declared larger than what is used of it, as large on each rank */
	uint32_t component_of; /* 1 + the array of which it is as large as one; 0: none */
	bool structures; /* its elements are some, unit their bytes */
	bool misplaced;	 /* values speak against the only own parts that its size gives */
	bool padded;	 /* rows are followed by room that differs from run to run */
	struct array_run *run; /* owned, by training */
	uint32_t nrun;
	char why_not[240];     /* "" it has a layout */
};

struct guesses {
	const struct training *training; /* borrowed */
	uint32_t ntraining;
	struct array_guess *array;
	uint32_t narray;
	const struct mark_names *closed; /* borrowed; members of classes that are private; NULL:
					    not known */
};

/*
 * The run of the size of t on the fewest ranks, on one if the program runs on one, and its number,
 * where which is not NULL: others are compared with it.
 */
const struct training *training_reference(const struct guesses *g, const struct training *t,
					  uint32_t *which);
void guesses_make(struct guesses *g, const struct training *t, uint32_t n);
/* Rows of so many elements, by run, make one more dimension of an array that is dense, if all parts
 * are of whole rows. */
void guesses_fold(struct guesses *g, uint32_t array, const int64_t *row);
/* Its elements are complex. */
bool guesses_pair(struct guesses *g, uint32_t array);
/* Its elements are structures, which the densest dimension goes along. False: it is not as many
 * elements everywhere. */
bool guesses_structures(struct guesses *g, uint32_t array);
/* The global index of an element of a rank's own part along a dimension, both from 0. */
int64_t guesses_index(const struct guesses *g, const struct array_guess *a, uint32_t run,
		      uint32_t rank, unsigned d, int64_t own);
/*
 * The share of values that were written first and agree with those of the reference run. block:
 * rows are distributed in blocks of so many in turn; 0: each rank has one block. 0.5: unknown.
 */
double guesses_agree(const struct guesses *g, const struct array_guess *a, uint32_t run,
		     uint32_t ref, int64_t block);
/* Values do not speak against the own parts of a run: enough of them agree, or all of one rank. */
bool guesses_fit(const struct guesses *g, const struct array_guess *a, uint32_t run, uint32_t ref);
/* Where a rank is in a grid, along a dimension. */
uint32_t grid_coordinate(uint32_t rank, unsigned ndim, const unsigned *grid,
			 const unsigned *order, unsigned d);
#define GUESSES_AGREE 0.3 /* at least; a fault on one of two ranks spares as much */
/*
 * halos.c: arrays whose own parts no line shows get those of one that is as large on each rank of
 * each run; then, when dimensions are known, halos.
 */
void guesses_alike(struct guesses *g);
/* What does not show in which order ranks go along dimensions gets the order that others show. */
void guesses_orders(struct guesses *g);
/* Adds to why_not the line of the program whose parts, on the ranks of the run, leave some of what
 * it writes in the reference run without an owner. */
void guesses_lacking(const struct guesses *g, struct array_guess *a, uint32_t run, uint32_t ref);
/* As large as the other one on each rank of each run, and of the same elements. */
bool guesses_as_large(const struct guesses *g, const struct array_guess *a,
		      const struct array_guess *b);
/* Each rank has as many bytes of it as the others, and as on fewer ranks. */
bool guesses_equally_large(const struct guesses *g, const struct array_guess *a);
void guesses_halos(struct guesses *g);
/* From where to where, not included, a rank touches its part along a dimension. */
void part_touched(const struct rank_seen *s, const struct part *p, const struct array_guess *a,
		  unsigned d, int64_t *from, int64_t *end);
/* pitches.c: the same along all dimensions, but for lines that set all that the rank touches, as
 * those that set it to zero. */
void part_used(const struct rank_seen *s, const struct part *p, const struct array_guess *a,
	       int64_t *from, int64_t *end);
/* pitches.c: the part has no neighbour on that side. */
bool part_at_border(const struct array_run *x, const struct part *p, unsigned d, bool hi);
/* pitches.c: of an array that each rank has whole, what loops spare at its borders, and others
 * touch, is owned by those who have no neighbour there. */
void part_borders(const struct guesses *g, struct array_guess *a);
void guesses_clear(struct guesses *g);
/* Where each rank of a run has what is like that region; false, and why_not: one has none. */
bool guesses_regions(const struct training *t, struct array_guess *a, struct array_run *x,
		     const struct region *like);
/*
 * By rank: at most max dimensions of its region, and its element's size; its part, which has the
 * region, gets pitches and extents.
 */
void sweep_pitches(const struct training *t, struct part *parts, unsigned max, unsigned *n,
		   unsigned *unit);
/* The box of a sweep's elements in a part; false: it has none. *fill: elements / box. */
bool sweep_box(const struct sweep *s, const struct part *p, unsigned ndim, unsigned unit,
	       int64_t *lo, int64_t *n, double *fill);
/* The line takes what it writes from memory that lines write zeros to at most: messages have brought
 * it. */
bool sweep_unpacks(const struct rank_seen *r, const struct sweep *s);
/* It goes over at least half of a rank's own elements that have the index along a dimension, which
 * is counted in the own part. */
bool sweep_row(const struct sweep *s, const struct part *p, unsigned ndim, unsigned unit,
	       unsigned along, int64_t index);
/* Whether it goes over the middle of that box, not only along its faces, as calls that pack do one
 * after the other. */
bool sweep_middle(const struct sweep *s, const struct part *p, unsigned ndim, unsigned unit,
		  const int64_t *lo, const int64_t *n);

/*
 * trial.c: runs the program on so many ranks with its traces in dir, and stops it at each of the
 * addresses of its code, once; what is seen at the stops is added to t->rank, whose ranks have to
 * be there: training_read first. argv ends with NULL. -1: the run failed.
 */
struct breaks {
	uint64_t *at; /* addresses in the program's file */
	uint32_t n;
	bool fortran; /* arrays have addresses and bounds */
	char **name;  /* owned; variables of modules that are asked about as well */
	uint32_t nname;
	char *calls; /* owned; the code of functions that count as part of their callers, "" none */
};
int training_run(const char *dvmdbg, char *const *argv, uint32_t ranks, const struct breaks *b,
		 const char *dir, char **answers, struct err *err);
/*
 * dvmdbg with these words, its answers as JSON, a line each; in: what it reads, NULL nothing. b:
 * breakpoints of a survey, NULL none. -1: it could not be started, or Ctrl-C has come.
 */
int run_dvmdbg(char *const *argv, FILE *in, const struct breaks *b, char **answers,
	       struct err *err);
/* Both lists, which end with NULL, in one, to be freed alone. */
char **run_words(const char *const *first, char *const *argv);

/*
 * trial.c: a run that was not learned from, on as few ranks as it can, is the reference for others,
 * all with the marks of the file. The answer's member "trial".
 */
struct trial {
	const char *dvmdbg, *marks, *dir;
	char *const *argv;
	uint32_t reference;    /* ranks of the run that others are compared with */
	const uint32_t *count; /* ranks of the others */
	uint32_t n;
};
json_t *trial_run(const struct trial *t, struct err *err);
/* Adds what a run reports, lines of JSON, to the trial: sums, and findings of each kind and place
 * once. */
void trial_take(json_t *trial, char *answers, uint32_t ranks);
/* All checksums that differ do so in the last digits only: what the program computes amplifies
 * rounding. */
bool trial_rounds(const json_t *trial);
/* The arguments with numbers larger by a part, smaller when it is negative, which do not divide, or
 * differ, as the first ones do, nor as in also; owned, NULL: there are none. */
char **trial_larger(char *const *argv, long part, char *const *also);
/* Hardly a checksum is equal: that is more than a fault of a program mostly does. */
bool trial_suspicious(const json_t *trial);
/*
 * What tags_check says of the marks: it is named as evidence in the answer; an array of which more
 * is refuted than proved is left out, and so is what needs it; one whose halo comes round the end is
 * periodic. Returns how many marks are removed or changed.
 */
uint32_t trial_tags(const json_t *tags, struct marks *m, json_t *answer);
/*
 * Removes the marks that cannot be right, whatever the program computes; returns how many. notes:
 * what is known to differ on few ranks, and stays. taken gets the marks and why.
 */
uint32_t trial_drop(const json_t *trial, struct marks *m, const json_t *notes, json_t *taken);

/* Removes marks that mean nothing in the program, which cannot be compiled; they are noted. */
void trial_compiles(struct marks *m, struct symbols *s, const char *program, json_t *notes);

void training_stops(struct training *t, char *answers);

struct annotate_request;

/*
 * expr.c: what a number is in terms of variables. One environment for each rank of each run.
 */
struct env {
	const struct scan *scan; /* a mark would stand in front of the line; NULL: anywhere */
	uint32_t line;
	const char *prefer; /* of the first: an expression whose variable comes before others; NULL:
			       none */
	const struct frame_seen *frame;
	const struct rank_seen *seen; /* global variables, which are the same at any time */
	const struct mark_names *closed; /* as in guesses */
	bool hidden; /* private members of C++ are good as well */
	bool blocks; /* bounds of blocks may be said by the number of the rank */
	bool anywhere; /* a variable need not be in scope, nor have its value there */
};
/* The text of an expression that has these n values, owned by the caller; NULL: none was found.
 * others: also fits, to be freed; NULL none. */
/* The frame has it. */
bool env_has(const struct env *e, const char *name);
bool env_look(const struct env *e, const char *name, int64_t *value);
char *expression(const struct env *env, const int64_t *want, uint32_t n, char **others);
/* The same of one variable that has most of the values: the first that is another one, and which it
 * is. */
char *expression_nearly(const struct env *env, const int64_t *want, uint32_t n, uint32_t *row,
			int64_t *value);
/* The text has these values. */
bool expression_fits(const struct env *env, const char *text, const int64_t *want, uint32_t n);

/* The variable can be named at the place of the environments. */
bool expression_usable(const struct env *env, const char *name);
/* The value of numbers, variables and + - * (): false: it is not known. */
bool env_value(const struct env *e, const char *text, int64_t *value);

/* draft.c: marks, as far as they are known. */
#define DRAFT_ARRAYS 8
#define DRAFT_ENV 512

struct draft_array {
	uint32_t array; /* in guesses */
	bool good;	/* the mark is whole; otherwise see why_not */
	bool by_rank;	/* numbers are good where no variables give them */
	bool suspects;	/* a variable that nearly gives them is of interest */
	unsigned several; /* 1 + a dimension that several ways to divide fit; 0: none was seen */
	char *nearly;	/* owned; the variable that gives most of them, and where not; or NULL */
	int64_t base[LAYOUT_DIMS]; /* the first index of the whole array, as the source counts */
	struct mark mark;
	struct mark_names member; /* of structures, each as a[].x; n 0: they are none */
	uint32_t when;	/* stops of rank 0 in the first run, before the one at its mark */
	char *others[LAYOUT_DIMS]; /* owned; what fits the shape as well, with commas; NULL: nothing
				    */
	char why_not[240];
};

/*
 * What a loop does when it is come to for the first time. Arrays that are exchanged are others each
 * time, and after so many steps others in each run.
 */
struct uses {
	uint32_t writes[DRAFT_ARRAYS], reads[DRAFT_ARRAYS], nwrites, nreads;
	uint32_t on; /* the array its iterations are mapped on */
};

struct draft_loop { /* a parallel loop */
	const struct scan *scan;
	const struct loop *loop, *sequential; /* that it is in, NULL: none */
	struct uses *run; /* owned, by training */
	uint32_t later[DRAFT_ARRAYS], nlater; /* of the first run; what it uses when it is come to
						 again */
	bool good;
	bool flat; /* over all of own parts by one index */
	bool inside; /* of own parts: it has no mark, but loops around it have */
	bool hidden; /* its range names private members, which its arrays may not */
	const char *why_not; /* it has no mark; NULL: its arrays have none */
	struct mark mark;
};

struct draft {
	struct symbols *symbols; /* of the program; borrowed */
	const char *program;
	struct scan **scan; /* owned */
	char *unread;	    /* owned; a source that could not be read, NULL: none */
	struct draft_array *array;
	struct draft_loop *loop;
	uint32_t nscan, narray, nloop;
	struct mark_names closed; /* members of classes that are private */
	struct closed_in { /* by that member: where its class is declared */
		char *class, *file; /* owned; file NULL: not known */
		uint32_t line;
	} *closed_in; /* owned */
	struct marks friends; /* of these classes; it has no marks */
	struct mark_names shut, open; /* of each other: as in marks */
	struct mark_names notes; /* what was seen of the program on the way */
	bool by_rank; /* marks may hold for the size and the numbers of ranks of the runs alone */
};

/* The outermost loop with, or without, MPI in which the line is. */
const struct loop *draft_in_loop(const struct scan *s, uint32_t line, bool mpi);
/* A header of the compiler or of a library: its loops are not the program's, and marks have no
 * place there. */
bool draft_foreign(const char *path);
/* The source of that path; NULL: it has not been read. */
const struct scan *draft_source(const struct draft *m, const char *path);
/* The same; it is read when it has not been. */
const struct scan *draft_open(struct draft *m, const char *path);

/*
 * The code of functions that have no loops, and of the C++ library's: what they access is accessed
 * where they are called. "low-high,…", to be freed.
 */
char *draft_small(const char *program, struct draft *m);

/* Why an array has no mark. */
#define STRUCTURES "its elements are structures: mark each member by hand, with .stride"

/* uses.c: parallel loops, and which arrays they use. */
void draft_loops(struct draft *m, const struct guesses *g);
/* What was written to it first are addresses of other memory: it is a table of rows. */
bool region_leads(const struct rank_seen *s, const struct region *x);
/* A parallel loop goes over it. */
bool uses_array(const struct draft *m, uint32_t array);
/* The loop does so when it is come to first. */
bool uses_in(const struct draft_loop *l, uint32_t array);
/* What an array of the first run is called at the loop, the same in all runs; NULL: nothing. */
const char *uses_name(const struct guesses *g, const struct draft_loop *l, uint32_t array,
		      bool write);
/* Where the loop begins a pointer leads to a plane of the array that is not its first one: each time
 * it may go over another one. */
bool uses_plane(const struct guesses *g, const struct draft_loop *l, uint32_t array);
/* What the array is called that the loop is mapped on, which becomes `on` of each run; NULL: none
 * has a mark. */
const char *uses_on(const struct draft *m, const struct guesses *g, struct draft_loop *l);
/* It is come to with other arrays later, of which some have no mark. */
bool uses_others(const struct draft *m, const struct guesses *g, const struct draft_loop *l);
/* It is executed inside of another parallel loop. */
bool uses_nested(const struct draft *m, const struct guesses *g, const struct draft_loop *l);
/* Ranks come to it one after the other: around it each receives first and sends then, so that a
 * point in it, at which ranks wait for each other, would never be come to by all. */
bool uses_pipelined(const struct draft *m, const struct guesses *g, const struct draft_loop *l);
void uses_clear(struct draft_loop *l);
/* Loops that write some of a marked array, and have no mark, are noted. */
void uses_edges(struct draft *m, const struct guesses *g);
/* Inner loops that go over whole rows are a dimension of their own. */
void draft_fold(struct draft *m, struct guesses *g);
/* A member that symbols_closed gives; arg: the draft. */
struct symbol_closed;
void draft_close(void *arg, const struct symbol_closed *m);
/* Marks that name private members go into the patch where their classes give them, or can have the
 * mark's class, or main, as a friend. */
void draft_open_members(struct draft *m);
/* With what was seen at stops at the loops. */
void draft_arrays(struct draft *m, const struct guesses *g);
void draft_marks(struct draft *m, const struct guesses *g);
void draft_clear(struct draft *m);

/* iterations.c: loops that are nested directly, from the marked one inwards: at most max. */
unsigned draft_nest(const struct scan *s, const struct loop *l, const struct loop **out,
		    unsigned max);
/*
 * The range of a loop's iterations, and what marks one, when each of the nested loops goes along a
 * dimension of the array. A dimension without a loop is gone over in each iteration. False: they
 * are not its elements. hidden: private members of C++ are named as well.
 */
bool draft_iterations(const struct guesses *g, const struct draft_array *array,
		      struct draft_loop *l, bool hidden);
/* It spares rows where own parts meet, and another loop, which has no mark, writes these: what it
 * writes depends on the number of ranks. edges: the last of these loops, behind which all is
 * written; NULL: none is known. */
bool draft_inside(const struct draft *m, const struct guesses *g, const struct draft_loop *l,
		  const struct loop **edges);

/* Its function is called for one part of the array after the other, in a loop that communicates:
 * the last call gets the loop's mark, since all is written behind it. False: it is not. */
bool draft_parts(const struct draft *m, const struct guesses *g, struct draft_loop *l);

/*
 * cyclic.c: an array of which no values tell where its parts are has none where they speak against
 * those of another one that is as large everywhere.
 */
void guesses_misplaced(struct guesses *g);
/*
 * cyclic.c: own rows of a cyclic array for its mark, which the source counts from base; false: no
 * variables say so. And the index of a row, from its text in the own part, from 0; owned by the
 * caller.
 */
bool cyclic_rows(const struct guesses *g, const struct array_guess *a, struct env *env,
		 uint32_t n, int64_t base, struct mark *m);
char *cyclic_index(const struct guesses *g, const struct array_guess *a, const struct env *env,
		   uint32_t n, const char *own, int64_t base);
/* The first or last index of blocks along a dimension, or what differs from it by a constant, by
 * the rank and the number of ranks, where no sum or product of variables has it: text is what has,
 * and is taken over. NULL: it is not known. *several, which may be NULL: then several ways to
 * divide fit, and the source does not say which. */
char *cyclic_block(const struct guesses *g, const struct array_guess *a, unsigned d,
		   const struct env *env, uint32_t n, const int64_t *want, bool last, char *text,
		   bool *several);

/* The function in which a line is; NULL: none. */
const struct function *draft_function(const struct scan *s, uint32_t line);
/* The variable's name stands in the function in front of the line. */
bool draft_declared(const struct scan *s, const char *name, uint32_t line);
/* A plain variable of the function has got a value in front of the line, as far as the text
 * shows. */
bool draft_is_set(const struct scan *s, const char *name, uint32_t line);
/* One of the names is that, of len letters. */
bool draft_has_name(const struct mark_names *n, const char *name, size_t len);
/* So that it can be named in a mark there; what is not local is known where the file has said it
 * before. hidden: private members are good as well. */
bool draft_usable(const struct scan *s, const char *name, uint32_t line, bool local,
		  const struct mark_names *closed, bool hidden);

/* places.c */
struct place_of {
	const struct scan *scan;
	uint32_t line; /* in front of which a mark stands */
	uint32_t stop; /* where ranks stop for it: mostly the same */
};

struct places {
	struct place_of *place; /* owned */
	uint32_t n;
};

/* pitches.c: what is called so there is an array of C that is declared with as many dimensions, and
 * its rows have room behind what is used. */
bool declared_room(const struct draft *m, const struct array_guess *a, const struct place_of *p,
		   const char *name);
void places_make(struct places *p, const struct draft *m);
void places_clear(struct places *p);
/* The stop of a rank at a line; NULL: it did not come there. */
const struct stop_seen *stop_at(const struct rank_seen *s, const char *file, uint32_t line);
/*
 * What a pointer held, or where an array is, that has the name where the rank stopped; when: in
 * records of the rank, for what is not local. False: there is no such name, or it is not known.
 */
bool place_address(const struct rank_seen *s, const char *file, uint32_t line, const char *name,
		   uint64_t when, uint64_t *addr);
/*
 * What an array is called where ranks stopped, the same on all ranks of all runs, or NULL. lasting:
 * by a variable that is there as long as the array is used.
 */
const char *place_name(const struct guesses *g, const struct draft *m, uint32_t array,
		       const char *file, uint32_t line, bool lasting);
/*
 * A pointer that the structure or table it is in keeps for longer than the call; a member of a
 * local structure, and a plain variable, are gone when the function returns.
 */
bool place_keeps(const char *name);
/* One for each rank of each run, at most DRAFT_ENV; 0: there are more. A mark would stand at the
 * line. */
uint32_t place_environments(const struct guesses *g, const struct scan *scan, uint32_t stop_line,
			    uint32_t line, struct env *env);

/* What the array, or its first row, is called at the place leads to structures. */
bool place_of_structures(const struct draft *m, const struct place_of *p, const struct env *env,
			 const char *name, bool rows);
/* Members of the structures that the name at the place leads to which are numbers; false: there are
 * none, or the array has other dimensions there. */
bool place_members(const struct draft *m, const struct place_of *p, const char *name,
		   const struct array_guess *a, struct mark_names *to);

/* unlike.c: the first line that sets other values than on one rank, in words, owned; NULL: none. */
char *unlike_line(const struct draft *m, const struct guesses *g);

/* beside.c: marks that follow from the text. */
void add_functions(struct marks *to, const struct draft *m);
void add_sequential_around(struct marks *to, const struct draft *m, const struct guesses *g,
			   const struct draft_loop *l);
/* MPI sets the variable there, alike on all ranks: by a reduction or broadcast. */
bool is_reduced(const struct scan *s, const char *at);
/* MPI combines it over the ranks, or gathers what each has: it is what a rank has, though it may be
 * equal on all in a run. */
bool is_summand(const struct scan *s, const char *name);
/*
 * A variable of the file gets a value in a function that is called behind the line of the mark
 * alone, which no run needs to have come to: what is there when the mark is come to does not stay
 * so.
 */
bool draft_comes_later(const struct scan *s, const char *name, uint32_t line);
void add_reductions(struct marks *to, const struct draft *m);
/* What the files of marks have and the patch has not. */
void draft_note_beside(struct draft *m, const struct annotate_request *r);
void add_forget(struct marks *to, const struct draft *m, const struct mark *array);

/*
 * fortran.c: gives frames what their functions see of hosts and modules; needs the sources of their
 * modules in the draft.
 */
void fortran_frames(struct draft *m, struct training *t, uint32_t n);
/* Arrays, and objects of derived types, of the modules of a source. */
void fortran_modules(struct breaks *b, const struct scan *s);
/* Of a region whose extents are known. */
void region_pitches(const struct region *r, struct part *p);
/* Extents of regions, from the bounds of variables at stops. */
void fortran_extents(struct training *t, uint32_t n);
/* The name is visible in the unit: declared there, in a host, or in a module of any source. */
bool fortran_sees(const struct draft *m, const struct scan *s, uint32_t unit, const char *name,
		  struct fortran_entity *out);
/* First indices of the whole array that has that name there: from its bounds on one rank, else
 * 1. */
void fortran_bases(const struct guesses *g, const struct array_guess *a, const char *name,
		   const struct env *env, int64_t *base);
/* Dimensions in Fortran's order. */
void fortran_order(struct mark *m);
/* The variable, as the function at the line sees it, lasts longer than the function. */
bool fortran_kept(const struct draft *m, const struct scan *s, uint32_t line, const char *name);
/* It is no variable of the unit's own. */
bool fortran_outside(const struct draft *m, const struct scan *s, uint32_t line, const char *name);
/* Reductions of a source, and where the array is deallocated. */
void fortran_reductions(struct marks *to, const struct scan *s);
void fortran_forget(struct marks *to, const struct scan *s, const struct mark *array);
/* The unit can have a frame: it is left at its end alone. */
bool fortran_frame(const struct scan *s, const struct function *f);
/* A variable that the unit declares has got a value in front of the line, and is no error code. */
bool fortran_is_set(const struct scan *s, const char *name, uint32_t line);
/* It may be announced in front of the line, when it is the same on all ranks. */
bool fortran_replicated(const struct draft *m, const struct scan *s, const struct variable *v,
			uint32_t line);

/* compose.c: all marks, in the order in which they go into the sources; those of the draft become
 * its. */
void compose(struct marks *to, struct draft *m, const struct guesses *g);

#endif
