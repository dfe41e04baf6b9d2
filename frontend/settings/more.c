/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/settings/more.h"

#include <string.h>

#include "frontend/settings/settings.h"

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
	{ "HANG_TIMER",
	  "Seconds without a new point after which locate ends a run; 0: never. The run that is "
	  "compared, and the repeated runs, are ended sooner: 20 seconds and 20 times as long as "
	  "the reference took without a new point." },
	{ "CHECK_HALO",
	  "ON: before and after each construct halos are compared with their owners. While ranks "
	  "go on with run, cont or step, they stop at the beginning and the end of every parallel "
	  "loop and task region for the comparison.\nHalos that are stale where a construct begins "
	  "are reported in a line for each array, once for that place and the place since which "
	  "they are stale; halo shows since which point each is. This is not a finding, since not "
	  "every loop reads the halos of every array. Inside task regions, and with step -iter and "
	  "-finish, halos are compared at the end only." },
	{ "COMPARE",
	  "How real numbers are compared: Exp is relative or absolute; exact: to the last bit. "
	  "Numbers a and b are equal enough when |a - b| <= Exp (absolute), or when |a - b| <= "
	  "Exp times the largest of |a|, |b| and RelCompareMin (relative). NaN equals NaN. "
	  "Integers are always compared exactly." },
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
	  "of these where the annotation names none; with 1 they are of all arrays." },
	{ "StartPoint",
	  "Where checksums and traces begin; empty: from the start. Used from the next run on. "
	  "The verb start sets it too." },
	{ "FinishPoint",
	  "The last point with checksums and traces; empty: to the end. It has to come after "
	  "StartPoint and must not be in another task of the same region. Used from the next run "
	  "on. The verb finish sets it too." },
	{ "ChecksumMode",
	  "The arrays that checksums are taken of: 1, those that the construct writes; 2, also "
	  "those that it only reads; all registered ones if the construct names none. A comparison "
	  "uses the mode of the reference." },
	{ "STOP_ON",
	  "With mismatch ranks wait at each numbered point for the verdict about their checksums "
	  "and traces, and all stop where these differ from the reference." },
	{ "SUMS",
	  "What happens when checksums come faster than they are processed: the program waits, or "
	  "it drops the checksums of some points, which a warning reports. Replicated objects are "
	  "not compared with drop." },
	{ "MaxErrors", "Findings of a comparison after which it ends; the program runs on." },
	{ "SaveArrayFilename",
	  "A .npy file. With STOP_ON mismatch the first array that differs is saved in it where "
	  "the ranks stop. With SaveArrayID and FinishPoint that array is saved in it at that "
	  "point, and the program goes on." },
	{ "SaveArrayID",
	  "The array that is saved at FinishPoint, as messages write it: (\"u\", \"heat.c\", 32, "
	  "0), or a name alone." },
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
