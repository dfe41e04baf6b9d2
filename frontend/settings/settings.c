/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/settings/settings.h"

#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/logical/point.h"
#include "frontend/util/names.h"
#include "frontend/util/xalloc.h"

struct setting {
	const char *name;
	enum setting_kind kind;
	const char *preset, *choices;
	long low, high;
	const char *help;
};

static const struct setting table[] = {
#define X(name, kind, preset, choices, low, high, help) \
	{ #name, SETTING_##kind, preset, choices, low, high, help },
	SETTING_LIST(X)
#undef X
};

#define SETTINGS (sizeof(table) / sizeof(table[0]))

struct settings {
	char *value[SETTINGS]; /* NULL: the default */
};

struct settings *settings_create(void)
{
	return xcalloc(1, sizeof(struct settings));
}

void settings_destroy(struct settings *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < SETTINGS; i++)
		free(set->value[i]);
	free(set);
}

/* The index of name, in any case of letters, or -1. */
static int find(const char *name)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (!strcasecmp(table[i].name, name))
			return (int)i;
	return -1;
}

const char *settings_text(const struct settings *set, const char *name)
{
	int i = find(name);

	if (i < 0)
		return "";
	return set->value[i] ? set->value[i] : table[i].preset;
}

bool settings_is(const struct settings *set, const char *name, const char *word)
{
	return !strcmp(settings_text(set, name), word);
}

long settings_number(const struct settings *set, const char *name)
{
	return strtol(settings_text(set, name), NULL, 10);
}

/* One of two words. */
static bool is_pair(const struct setting *s)
{
	const char *second = strchr(s->choices, '|');

	return s->kind == SETTING_CHOICE && second && !strchr(second + 1, '|');
}

const char *settings_allowed(size_t i, char *out, size_t size)
{
	size_t used;

	switch (table[i].kind) {
	case SETTING_NUMBER:
		snprintf(out, size, "a number, %ld to %ld", table[i].low, table[i].high);
		break;
	case SETTING_REAL:
		snprintf(out, size, "a number from 0%s%s", *table[i].choices ? ", or " : "",
			 table[i].choices);
		break;
	case SETTING_TEXT:
		snprintf(out, size, "a text");
		break;
	case SETTING_POINT:
		snprintf(out, size, "a point as 13.E or 6.2.1.B, or empty");
		break;
	case SETTING_CHOICE:
	case SETTING_CHOICES:
		if (is_pair(&table[i])) {
			size_t n = strcspn(table[i].choices, "|");

			snprintf(out, size, "%.*s or %s", (int)n, table[i].choices,
				 table[i].choices + n + 1);
			break;
		}
		used = (size_t)snprintf(out, size, "%s",
					table[i].kind == SETTING_CHOICES ? "empty, or some of " :
					strchr(table[i].choices, '|')	 ? "one of " :
									   "");
		for (const char *p = table[i].choices; *p && used + 3 < size; p++) {
			out[used++] = *p == '|' ? ',' : *p;
			if (*p == '|')
				out[used++] = ' ';
		}
		out[used] = 0;
		break;
	}
	return out;
}

/* The choice that value is, in the table's spelling, allocated; NULL when it is none. */
static char *choice(const struct setting *s, const char *value)
{
	size_t len = strlen(value);

	for (const char *p = s->choices; *p;) {
		size_t n = strcspn(p, "|");

		if (n == len && !strncasecmp(p, value, n))
			return xstrndup(p, n);
		p += n + (p[n] == '|');
	}
	return NULL;
}

/* The choices that are in value, with commas, in the table's order, allocated; NULL: one of them is
 * none. */
static char *choices(const struct setting *s, const char *value)
{
	unsigned have = 0, bit = 1;
	char *out = xcalloc(1, strlen(s->choices) + 1);

	for (const char *p = value; *p;) {
		size_t n = strcspn(p, ", ");
		char *word = xstrndup(p, n), *is = n ? choice(s, word) : NULL;

		free(word);
		for (const char *c = s->choices; is && *c; c += strcspn(c, "|"), c += *c == '|') {
			if (strlen(is) == strcspn(c, "|") && !strncmp(c, is, strlen(is)))
				break;
			bit <<= 1;
		}
		have |= is ? bit : 0;
		bit = 1;
		if (n && !is) {
			free(out);
			return NULL;
		}
		free(is);
		p += n + strspn(p + n, ", ");
	}
	for (const char *c = s->choices; *c; c += strcspn(c, "|"), c += *c == '|', bit <<= 1)
		if (have & bit) {
			if (*out)
				strcat(out, ",");
			strncat(out, c, strcspn(c, "|"));
		}
	return out;
}

unsigned settings_choices_set(const struct settings *set, const char *name)
{
	int i = find(name);
	const char *value = settings_text(set, name);
	unsigned have = 0, bit = 1;

	for (const char *c = i < 0 ? "" : table[i].choices; *c;
	     c += strcspn(c, "|"), c += *c == '|', bit <<= 1) {
		size_t n = strcspn(c, "|");

		for (const char *p = value; *p; p += strcspn(p, ","), p += *p == ',')
			if (n == strcspn(p, ",") && !strncmp(p, c, n))
				have |= bit;
	}
	return have;
}

static bool number_fits(const struct setting *s, const char *value)
{
	int64_t v;

	return !parse_int(value, s->low, s->high, &v);
}

static bool real_fits(const char *value)
{
	double v;

	return !parse_real(value, 0, DBL_MAX, &v);
}

static int unknown(const char *name, struct err *err)
{
	char names[1600] = "";
	size_t used = 0;

	for (size_t i = 0; i < SETTINGS && used < sizeof(names); i++)
		if (names_near(name, table[i].name))
			used += (size_t)snprintf(names + used, sizeof(names) - used, " %s",
						 table[i].name);
	if (*names)
		return err_set(err, "unknown setting %.100s; near:%s", name, names);
	return err_set(err, "unknown setting %.100s; 'set' shows them all", name);
}

int settings_set(struct settings *set, const char *name, const char *value, struct err *err)
{
	int i = find(name);
	char allowed[256], *copy = NULL;
	struct point point;

	if (i < 0)
		return unknown(name, err);
	switch (table[i].kind) {
	case SETTING_CHOICE:
		copy = choice(&table[i], value);
		break;
	case SETTING_CHOICES:
		copy = choices(&table[i], value);
		break;
	case SETTING_REAL:
		copy = real_fits(value) ? xstrdup(value) : choice(&table[i], value);
		break;
	case SETTING_TEXT:
		copy = xstrdup(value);
		break;
	case SETTING_POINT:
		copy = !*value || !point_parse(&point, value, NULL) ? xstrdup(value) : NULL;
		break;
	case SETTING_NUMBER:
		copy = number_fits(&table[i], value) ? xstrdup(value) : NULL;
		break;
	}
	if (!copy)
		return err_set(err, "%s cannot be '%s': it is %s", table[i].name, value,
			       settings_allowed((size_t)i, allowed, sizeof(allowed)));
	free(set->value[i]);
	set->value[i] = copy;
	return 0;
}

int settings_unset(struct settings *set, const char *name, struct err *err)
{
	int i = find(name);

	if (i < 0)
		return unknown(name, err);
	free(set->value[i]);
	set->value[i] = NULL;
	return 0;
}

const char *settings_name(size_t i)
{
	return i < SETTINGS ? table[i].name : NULL;
}

const char *settings_help(size_t i)
{
	return table[i].help;
}

const char *settings_default(size_t i)
{
	return table[i].preset;
}

const char *settings_choices(size_t i)
{
	return i < SETTINGS ? table[i].choices : "";
}

/* What help and the manual say of a setting beyond its line in the table. */
static const struct {
	const char *name, *text;
} more[] = {
	{ "MAX_LIST",
	  "Lines of the source that list shows, points that points shows, lines that search shows "
	  "of each place. Where answers do not come a screen at a time, without a terminal or with "
	  "PAGE OFF, the lists of actionpoints, objects, findings, checksums, sets, aliases, logs "
	  "and ties end there as well, and a line shows how many more there are. The option -all "
	  "of actions, what, findings, sums and viewset shows all of them, and so does --json." },
	{ "MAX_GROUPS",
	  "Groups of ranks that an answer shows, the smallest first; a line shows how many more "
	  "there are. The option -all of where, status, print, differ, decomp, halo and whichsets "
	  "shows all, and so does --json. A long set of ranks is cut as well, and followed by the "
	  "number of its members." },
	{ "PAGE",
	  "ON: at the prompt of a terminal, answers that are longer than it stop when a screen is "
	  "full: space goes on by a screen, Enter by a line, c to the end, q or Ctrl-C ends the "
	  "answer." },
	{ "FPE", "Floating-point operations after which a rank is stopped with SIGFPE, as at any "
		 "crash, at the line "
		 "that has computed them: invalid (0/0, the root of a negative number; the result "
		 "would be NaN), "
		 "divzero (1/0) and overflow, some of them with commas. It is in force from the "
		 "start of the program, "
		 "and in ranks that are there already from their next mark on, in the thread that "
		 "has called main and "
		 "in those that it starts later. Not every processor of the ARM family can stop at "
		 "them." },
	{ "HANG_TIMER",
	  "Seconds after which a run in which nothing moves is reported as a hang, with who waits "
	  "for whom, in which call, at which line; 0: never. A rank moves when it passes a point "
	  "or "
	  "another mark, begins a call of MPI that can block, or comes back from one; a test or "
	  "probe without success is no movement." },
	{ "HANG_LIMIT",
	  "In a session without a prompt, seconds without movement after which the job is ended, "
	  "although it is no deadlock as far as can be seen; 0: never. A deadlock is ended when it "
	  "is reported.\nIn locate, seconds without a new point after which a run is ended. The "
	  "run that is compared, and the repeated runs, are ended sooner: 20 seconds and 20 times "
	  "as long as the reference took without a new point." },
	{ "LEAKS",
	  "ON: communicators, windows, files, datatypes, groups, operations and persistent "
	  "requests that are not freed when MPI_Finalize is called are findings, which are "
	  "reported and count for the exit status. OFF: findings -leaks shows them. Requests "
	  "that are never completed are findings in any case." },
	{ "SENDS", "synchronous: MPI_Send, MPI_Isend and MPI_Send_init are carried out as "
		   "MPI_Ssend, MPI_Issend and "
		   "MPI_Ssend_init: they are complete when the receive has begun. MPI allows that "
		   "for every message, "
		   "and does so with long ones. Collectives that some ranks may leave before others "
		   "have come (MPI_Bcast, MPI_Reduce, MPI_Scan and their like) wait for all ranks. A "
		   "program that comes to its end only because MPI "
		   "buffers its messages "
		   "hangs then, and the hang is reported with who waits for whom. standard: as the "
		   "program calls them." },
	{ "CHECK_HALO",
	  "ON: before and after each construct halos are compared with their owners. While ranks "
	  "go on with run, cont or step, they stop at the beginning and the end of every parallel "
	  "loop and task region, and of collective calls that are points, for the "
	  "comparison.\nHalos that are stale where a construct begins "
	  "are reported in a line for each array, once for that place and the place since which "
	  "they are stale; halo shows since which point each is. This is not a finding, since not "
	  "every loop reads the halos of every array. Inside task regions, and with step -iter and "
	  "-finish, halos are compared at the end only." },
	{ "COMPARE",
	  "How real numbers are compared. scaled: two are equal enough when they differ by at most "
	  "Exp times the largest magnitude that the reference has had in the same block and "
	  "component of the array, so that small and large fields are compared by the same "
	  "measure. Dimensions of "
	  "at most 16 indices are components, blocks are those of the checksums; a replicated "
	  "scalar is measured by itself. What lies below that but differs by more than Exp of its "
	  "own value is counted as small differences. relative: numbers a and b are equal enough "
	  "when |a - b| <= Exp times the largest of |a|, |b| and RelCompareMin; that form holds as "
	  "well when Exp or RelCompareMin is set. absolute: when |a - b| <= Exp. exact: to the "
	  "last "
	  "bit. NaN equals NaN. Integers are always compared exactly." },
	{ "LEVEL",
	  "What is observed. At MINIMAL record and compare also write or compare a trace: "
	  "constructs, iterations, results of reductions, values of replicated objects; at MODIFY "
	  "also what is written, at FULL what is read, of programs compiled with dvmdbg-cc or "
	  "dvmdbg-fc. At CHECKSUM the checksums of arrays are taken at the end of each parallel "
	  "loop and task region even when nothing is recorded or compared, for the verb sums, and "
	  "copies of replicated objects that do not match are findings. TraceLevel is another name "
	  "of it, with the numbers 0 to 4." },
	{ "TRACE_MEMORY",
	  "MiB of each rank's memory for traces on their way to the file or the comparison; when "
	  "they are full the program waits. Traces take no more, in the program and in its "
	  "supervisor, however long the run; with less than 16 a comparison takes more." },
	{ "FileLoopInfo",
	  "The configuration file of traces: the constructs of the program, with levels and "
	  "iterations to be traced. record writes it with TraceMode 0 or 2, with the size of each "
	  "construct's trace as comments; with TraceMode 1 or 3 it is read before each run. A "
	  "level after = is that of the construct; without one, that of its surroundings applies; "
	  "(0:1,38,1) limits the first dimension to those from 1 to 38. The level of an array "
	  "(ARR) limits what is recorded of it: MINIMAL no accesses, MODIFY only writes, NONE not "
	  "even values of a replicated object. Checksums are taken of the arrays after EL where "
	  "the annotation names none. A comparison uses the reference's levels of arrays." },
	{ "TraceMode",
	  "What record writes: 0, only FileLoopInfo; 1, traces; 2, both. With 3 and TraceFile runs "
	  "are compared with that reference, unless record or compare sets something else." },
	{ "TraceFile",
	  "A directory that record has made, in TracePath. With TraceMode 3 runs are compared with "
	  "it as by the verb compare, which has precedence." },
	{ "Ext",
	  "When a run has been recorded with traces, text traces in the historical format are "
	  "written as well, as trace export does: RANK.Ext, in TracePath." },
	{ "WrtHeaderProc",
	  "The rank whose trace FileLoopInfo counts when it is written: the costs in it are of "
	  "that rank alone. -1: of all ranks together." },
	{ "TrapArraysAnyway",
	  "FileLoopInfo names after EL the arrays that a construct reads and writes. Checksums are "
	  "of these where the annotation names none. Without the file, or with 1, they are of what "
	  "the access hooks see the construct use on any rank; in programs that are not wholly "
	  "compiled with dvmdbg-cc and dvmdbg-fc, of all arrays." },
	{ "StartPoint",
	  "Where checksums and traces begin; empty: from the start. Used from the next run on. "
	  "The verb start sets it too." },
	{ "FinishPoint",
	  "The last point with checksums and traces; empty: to the end. It has to come after "
	  "StartPoint and must not be in another task of the same region when a run starts. Used "
	  "from the next run on. The verb finish sets it too." },
	{ "ChecksumMode",
	  "The arrays that checksums are taken of: 1, those that the construct writes; 2, also "
	  "those that it only reads; all registered ones if the construct names none. A comparison "
	  "uses the mode of the reference." },
	{ "STOP_ON",
	  "With mismatch ranks wait at each numbered point for the verdict about their checksums "
	  "and traces, and all stop where these differ from the reference." },
	{ "EXACT_SUMS",
	  "ON: checksums have exact sums, whose mean is the same bits for any distribution. OFF: "
	  "the sums of record, compare, locate and pair are rounded in their last places, which "
	  "takes "
	  "half the time; hashes, extremes and counts are the same either way. At LEVEL CHECKSUM "
	  "they are always exact. A comparison uses what the reference has." },
	{ "SUMS",
	  "What happens when checksums come faster than they are processed: the program waits, or "
	  "it drops the checksums of some points, which a warning reports. Replicated objects are "
	  "not compared with drop." },
	{ "MaxErrors", "Findings of a comparison after which it ends; the program runs on." },
	{ "SaveArrayFilename",
	  "A .npy file. When a run is compared, the first array whose checksum differs is saved in "
	  "it at that point. With SaveArrayID and FinishPoint that array is saved in it at that "
	  "point instead. The program goes on; until then ranks wait at each point." },
	{ "OUTPUT",
	  "merged: at the prompt of a terminal and on the full screen each line that the program "
	  "prints has the "
	  "ranks before it that have printed it; equal lines of several ranks that come within a "
	  "moment are one. "
	  "What is not ended by a newline is shown when its rank is quiet for a moment. raw: as it "
	  "comes from the "
	  "launcher, behind |, and so is the output of a program of one rank. Files, pipes and "
	  "logs have the program's bytes as they are. merged is used from the next start of the "
	  "program on." },
	{ "SaveArrayID",
	  "The array that is saved at FinishPoint, as messages write it: (\"u\", \"heat.c\", 32, "
	  "0) with name, file, line and counter, or a name alone." },
};

#define MORE (sizeof(more) / sizeof(more[0]))

const char *settings_more(size_t i)
{
	for (size_t k = 0; k < MORE; k++)
		if (!strcmp(more[k].name, settings_name(i)))
			return more[k].text;
	return settings_help(i);
}

const char *settings_more_name(size_t i)
{
	return i < MORE ? more[i].name : NULL;
}
