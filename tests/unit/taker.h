/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes the blocks that the program of super.c has filled, and makes one line of text of each
 * record:
 *	block 0 PL(3)           thread, and what is open where it begins
 *	begin 6.B PL 3          number, kind, level
 *	end 6.E PL 10           iterations, - not known
 *	iter 3,4
 *	read u+16=1.5           doubles, and other sizes as numbers: x+0=7:4;
 *	                        nobody's: nobody=1.5; heap+8=…
 *	write u+16=1.5          ! behind it: atomic
 *	value eps+0=0.5
 *	value big#16:           a hash
 *	reduction sum+0=6 3     operation
 *	lost 7
 */
#ifndef TESTS_UNIT_TAKER_H
#define TESTS_UNIT_TAKER_H

#include "tests/unit/super.h"

/* Takes all full blocks in their order, of a program that has ended half ones too. The text so far.
 */
const char *taken(void);
void taken_reset(void);
/* How many lines begin with that. */
unsigned lines_like(const char *text);
/* The lines of these kinds (first words, with blanks between) of thread 0, as one text. */
const char *only(const char *kinds);
/* Takes blocks all the time, from a thread, until the program has ended; counts records only. */
void take_for_ever(void);
uint64_t take_ended(void);

#endif
