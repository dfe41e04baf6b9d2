/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/exec/sys/rank.h"

#include <stdlib.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/core/proc.h"
#include "common/logical/rankset.h"

/* 1 and *v for a number, 0 when the variable is absent or empty, -1 and err otherwise. */
static int number(const char *name, uint32_t *v, struct err *err)
{
	const char *text = getenv(name);
	uint64_t n;

	if (!text || !*text)
		return 0;
	if (parse_uint(text, 0, RANKSET_MAX, &n))
		return err_set(err, "%s is \"%s\", not a number from 0 to %u", name, text,
			       RANKSET_MAX);
	*v = (uint32_t)n;
	return 1;
}

int rank_detect(uint32_t *rank, uint32_t *size, struct err *err)
{
	uint32_t slurm = 0;

	*rank = *size = 0;
	for (size_t i = 0; i < PROC_LAUNCHERS; i++) {
		int r = number(proc_launchers[i].rank, rank, err);

		if (r < 0)
			return -1;
		if (r == 0)
			continue;
		if (number(proc_launchers[i].size, size, err) < 0)
			return -1;
		/* PMIx gives the size only through its library; Slurm's own count is the same */
		if (*size == 0 && number(PROC_SLURM_SIZE, &slurm, NULL) > 0)
			*size = slurm;
		break;
	}
	if (*rank >= RANKSET_MAX || (*size && *rank >= *size))
		return err_set(err, "the launcher says rank %u of %u", *rank, *size);
	return 0;
}
