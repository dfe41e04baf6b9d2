/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which rank this supervisor is, reported by what the launcher has left in the environment.
 */
#ifndef DVMDBG_EXEC_RANK_H
#define DVMDBG_EXEC_RANK_H

#include <stdint.h>

struct err;

/*
 * Without a launcher: rank 0 of 0 (size not known). -1 and err for numbers that cannot be.
 */
int rank_detect(uint32_t *rank, uint32_t *size, struct err *err);

#endif
