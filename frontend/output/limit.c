/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of an answer stays within a screen when thousands of ranks differ, or lists are long and
 * nobody pages. What is cut here is in the answer itself: --json has all of it, and so has the text
 * when the answer says "all".
 */
#include "frontend/output/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SET_COLUMNS 48 /* of a set of ranks */
#define SETS 8	       /* texts that last at the same time */

static size_t groups = 20, entries = 20;
static bool whole, scrolls;

void out_text_limit(size_t most_groups, size_t most_entries)
{
	groups = most_groups;
	entries = most_entries;
}

void out_text_scrolls(bool on)
{
	scrolls = on;
}

void out_text_whole(bool all)
{
	whole = all;
}

size_t out_room(void)
{
	return whole ? SIZE_MAX : groups;
}

size_t out_entries(size_t n)
{
	return whole || scrolls || n < entries ? n : entries;
}

/* Members of a set as it is written: "[0:3,8]". */
static unsigned long long members(const char *set)
{
	unsigned long long n = 0, lo, hi;
	int used;

	for (set += *set == '['; *set && *set != ']'; set += *set == ',') {
		if (sscanf(set, "%llu:%llu%n", &lo, &hi, &used) == 2)
			n += hi - lo + 1;
		else if (sscanf(set, "%llu%n", &lo, &used) == 1)
			n++;
		else
			break;
		set += used;
	}
	return n;
}

const char *out_ranks(const json_t *o, const char *key)
{
	static char kept[SETS][SET_COLUMNS + 32];
	static unsigned next;
	const char *set = out_str(o, key);
	char *out = kept[next % SETS];
	size_t n = SET_COLUMNS - 16;

	if (whole || strlen(set) <= SET_COLUMNS)
		return set;
	next++;
	while (n && set[n - 1] != ',')
		n--;
	snprintf(out, sizeof(kept[0]), "%.*s...] (%llu)", (int)n, set, members(set));
	return out;
}

int out_widest(const json_t *list, const char *key, size_t n, int most)
{
	bool ranks = !strcmp(key, "ranks");
	int max = 0;

	for (size_t i = 0; i < n && i < json_array_size(list); i++) {
		const json_t *o = json_array_get(list, i);
		int len = (int)strlen(ranks ? out_ranks(o, key) : out_str(o, key));

		max = len > max ? len : max;
	}
	return max < most ? max : most;
}

void out_more_entries(FILE *f, size_t n)
{
	size_t shown = out_entries(n);

	if (shown < n)
		fprintf(f, "... %zu more: set MAX_LIST = %zu shows all\n", n - shown, n);
}

void out_more(FILE *f, size_t n, const char *what, const char *how)
{
	if (n)
		fprintf(f, "... %zu more %s%s: %s\n", n, what, n == 1 ? "" : "s", how);
}
