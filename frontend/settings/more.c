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
	  "and ties end there as well, and a line tells how many more there are. The option -all "
	  "of actions, what, findings, sums and viewset shows all of them, and so does --json." },
	{ "MAX_GROUPS",
	  "Groups of ranks that an answer shows, the smallest first; a line tells how many more "
	  "there are. The option -all of where, status, print, differ, decomp, halo and whichsets "
	  "shows all, and so does --json. A set of ranks that is long is cut as well, with the number of its members "
	  "behind it." },
	{ "PAGE",
	  "ON: at the prompt of a terminal, answers that are longer than it stop when a screen is "
	  "full: space goes on by a screen, Enter by a line, c to the end, q or Ctrl-C ends the "
	  "answer." },
	{ "HANG_TIMER",
	  "Seconds without a new point after which locate gives a run up; 0: never. The run that "
	  "is compared, and those in which locate looks again, are given up sooner: 20 seconds "
	  "and 20 times as long as the reference took without a new point." },
	{ "CHECK_HALO",
	  "ON: before and after each construct halos are compared with their owners. While ranks "
	  "go on with run, cont or step, they stop at the beginning and the end of every parallel "
	  "loop and task region for the time that takes.\n"
	  "Halos that are stale where one begins, which may read them, are told in a line for "
	  "each array, once for that place and the place since which they are stale, and halo "
	  "tells since which point each is. That is no finding: not every loop reads the halos "
	  "of every array. Inside task regions, and with step -iter and -finish, halos are "
	  "compared at the end only." },
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
	  "they are full the program waits. That is all that traces take, in the program and "
	  "beside it, however long the run; with less than 16 a comparison takes more." },
	{ "FileLoopInfo",
	  "The configuration file of traces: the constructs of the program, with levels and "
	  "iterations to be traced. record writes it with TraceMode 0 or 2, with what the trace of "
	  "each construct has cost as comments; with TraceMode 1 or 3 it is read before each "
	  "run. A level behind = is that of the construct, none is that of what is around it; "
	  "(0:1,38,1) limits the first dimension to those from 1 to 38. The level of an array "
	  "(ARR) limits what is recorded of it: MINIMAL no accesses, MODIFY writes alone, NONE "
	  "not even values of a replicated object. Arrays behind EL are those that checksums are "
	  "taken of there, where the annotation does not say it. In a comparison the reference's "
	  "levels of arrays hold." },
	{ "TraceMode",
	  "What record writes: 0, only FileLoopInfo; 1, traces; 2, both. With 3 and TraceFile runs "
	  "are compared with that reference, when neither record nor compare says otherwise." },
	{ "TraceFile",
	  "A directory that record has made, in TracePath. With TraceMode 3 runs are compared with "
	  "it as by the verb compare, which comes before it." },
	{ "Ext",
	  "When a run has been recorded with traces, text traces in the historical format are "
	  "written as well, as trace export does: RANK.Ext, in TracePath." },
	{ "WrtHeaderProc",
	  "The rank whose trace FileLoopInfo counts when it is written: the costs in it are of "
	  "that rank alone. -1: of all ranks together." },
	{ "TrapArraysAnyway",
	  "FileLoopInfo says behind EL which arrays a construct reads and writes. Checksums are of "
	  "these, where the annotation does not say it; with 1 they are of all arrays." },
	{ "StartPoint",
	  "Where checksums and traces begin; empty: from the start. Used from the next run on. "
	  "The verb start sets it too." },
	{ "FinishPoint",
	  "The last point with checksums and traces; empty: to the end. It has to come after "
	  "StartPoint and must not be in another task of the same region. Used from the next run "
	  "on. The verb finish sets it too." },
	{ "ChecksumMode",
	  "Of which arrays checksums are taken: 1, of those that the construct writes; 2, also of "
	  "those that it only reads. Of a construct that does not say what it writes and reads: "
	  "of all that are registered. In a comparison that of the reference holds." },
	{ "STOP_ON",
	  "With mismatch ranks wait at each numbered point for the verdict about their checksums and "
	  "traces, and all stop where these are not those of the reference." },
	{ "SUMS",
	  "What happens when checksums come faster than they are taken: the program waits, or it "
	  "drops the checksums of some points, which is told. Replicated objects are not compared "
	  "with drop." },
	{ "MaxErrors", "Findings of a comparison after which it ends; the program runs on." },
	{ "SaveArrayFilename",
	  "A .npy file. With STOP_ON mismatch the first array that differs is saved in it where "
	  "the ranks stop. With SaveArrayID and FinishPoint that array is saved in it at that "
	  "point, and the program goes on." },
	{ "SaveArrayID",
	  "The array that is saved at FinishPoint, as messages name it: (\"u\", \"heat.c\", 32, "
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
