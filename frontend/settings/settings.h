/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The settings of a session ("state variables" of the HPD standard and ours), one table: names,
 * defaults, limits and help come from it, so do `set`, completion and the manual.
 */
#ifndef DVMDBG_FRONTEND_SETTINGS_SETTINGS_H
#define DVMDBG_FRONTEND_SETTINGS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct settings;

/* REAL: a finite number from 0, or one of the choices. POINT: a numbered point, or empty. CHOICES:
 * some of the choices with commas, or empty. */
enum setting_kind {
	SETTING_NUMBER,
	SETTING_REAL,
	SETTING_TEXT,
	SETTING_CHOICE,
	SETTING_CHOICES,
	SETTING_POINT
};

/*      name, kind, default, choices separated by '|', low, high, help */
#define SETTING_LIST(X)                                                                            \
	X(PROMPT, TEXT, "[$PTSET]> ", "", 0, 0, "the prompt; $PTSET in it is the current set")     \
	X(MAX_PROMPT, NUMBER, "40", "", 8, 1000, "columns after which the prompt is cut")          \
	X(MAX_LIST, NUMBER, "20", "", 1, 10000,                                                    \
	  "lines that list shows, and of other lists where nothing pages")                         \
	X(MAX_LEVELS, NUMBER, "20", "", 1, 64, "frames that where shows")                          \
	X(MAX_GROUPS, NUMBER, "20", "", 2, 100000,                                                 \
	  "groups of ranks that an answer shows; -all shows all")                                  \
	X(PAGE, CHOICE, "ON", "ON|OFF", 0, 0,                                                      \
	  "ON: at the prompt of a terminal, long answers come a screen at a time")                 \
	X(MAX_HISTORY, NUMBER, "20", "", 0, 100000, "commands that history shows")                 \
	X(VERBOSE, CHOICE, "WARN", "ERR|WARN|ALL", 0, 0,                                           \
	  "what is shown besides answers: errors; warnings and notes too; all")                    \
	X(ERROR_CHECKS, CHOICE, "NORMAL", "MIN|NORMAL|MAX", 0, 0,                                  \
	  "MIN: no questions, no warnings; NORMAL: asks before what ends ranks; MAX: asks more")   \
	X(EVENT_INTERRUPT, CHOICE, "ON", "ON|OFF", 0, 0,                                           \
	  "ON: stops and ends are reported while a command is typed; OFF: before the next "        \
	  "prompt")                                                                                \
	X(EXECUTABLE_PATH, TEXT, "./:$PATH", "", 0, 0,                                             \
	  "directories that load searches for programs, with ':'")                                 \
	X(SOURCE_PATH, TEXT, "", "", 0, 0,                                                         \
	  "directories that are searched for sources, with "                                       \
	  "':'")                                                                                   \
	X(START_MODEL, CHOICE, "ALL", "ALL", 0, 0,                                                 \
	  "the threads of a process that go and cont start: all")                                  \
	X(STOP_MODEL, CHOICE, "ALL", "ALL", 0, 0,                                                  \
	  "the threads of a process that a stop stops: all")                                       \
	X(MODE, CHOICE, "PROCESSES", "PROCESSES|MULTILEVEL", 0, 0,                                 \
	  "PROCESSES: threads in sets are ignored; MULTILEVEL: [0.1] is thread 1 of rank 0")       \
	X(ON_EXIT, CHOICE, "kill", "kill|run", 0, 0,                                               \
	  "what happens to the program when dvmdbg ends; used at the next start")                  \
	X(START_TIMER, NUMBER, "30", "", 1, 86400,                                                 \
	  "seconds to wait for the ranks to connect at start")                                     \
	X(STOP_TIMER, NUMBER, "5", "", 0, 86400,                                                   \
	  "seconds to wait for the other ranks when the first have stopped")                       \
	X(GOOD_STOP, CHOICE, "wait", "wait|halt", 0, 0,                                            \
	  "when some ranks have stopped. wait: the others get STOP_TIMER seconds to stop too, "    \
	  "then they run on; halt: they are stopped")                                              \
	X(BAD_STOP, CHOICE, "halt", "halt|wait", 0, 0,                                             \
	  "when a rank fails: halt the others, or wait for them")                                  \
	X(BAD_TIMER, NUMBER, "1", "", 0, 86400,                                                    \
	  "seconds that the other ranks get to reach a point before they are halted, after a "     \
	  "rank has failed")                                                                       \
	X(HANG_TIMER, NUMBER, "10", "", 0, 86400,                                                  \
	  "seconds without movement after which a hang is reported; 0: never")                     \
	X(HANG_LIMIT, NUMBER, "300", "", 0, 86400,                                                 \
	  "seconds without movement, in locate without a point, that end a run; 0: never")         \
	X(FPE, CHOICES, "", "invalid|divzero|overflow", 0, 0,                                      \
	  "floating-point operations that stop the rank with SIGFPE; empty: none")                 \
	X(LEAKS, CHOICE, "OFF", "OFF|ON", 0, 0,                                                    \
	  "ON: what the program has made in MPI and never frees is a finding")                     \
	X(SENDS, CHOICE, "standard", "standard|synchronous", 0, 0,                                 \
	  "synchronous: MPI_Send waits for the receive, as MPI may let it; used at the next "      \
	  "start")                                                                                 \
	X(CALL_TIMER, NUMBER, "10", "", 1, 86400,                                                  \
	  "seconds after which a function is ended that call has called")                          \
	X(QUERY_TIMER, NUMBER, "10", "", 1, 86400, "seconds to wait for answers of ranks")         \
	X(CHECK_HALO, CHOICE, "OFF", "OFF|ON", 0, 0,                                               \
	  "ON: before and after each construct halos are compared with their owners")              \
	X(PRINT_LIMIT, NUMBER, "10000", "", 1, 100000000, "elements that print shows at most")     \
	X(COMPARE, CHOICE, "scaled", "scaled|relative|absolute|exact", 0, 0,                       \
	  "what the allowed difference of real numbers refers to; exact: to the last bit")         \
	X(Exp, REAL, "auto", "auto", 0, 0,                                                         \
	  "the allowed difference; auto: 1e-9 for double, 1e-5 for float")                         \
	X(RelCompareMin, REAL, "auto", "auto", 0, 0,                                               \
	  "the least magnitude that relative differences refer to; auto: 1")                       \
	X(StrictCompare, CHOICE, "OFF", "OFF|ON", 0, 0,                                            \
	  "ON: real numbers are compared to the last bit, whatever COMPARE says")                  \
	X(POINTS, CHOICE, "marks", "marks|marks,mpi|marks,omp", 0, 0,                              \
	  "what is numbered: marks; mpi: collective calls on MPI_COMM_WORLD too, as mpi:3.B; "     \
	  "omp: parallel regions of OpenMP too, as omp:3.B")                                       \
	X(LEVEL, CHOICE, "NONE", "NONE|MINIMAL|MODIFY|FULL|CHECKSUM", 0, 0,                        \
	  "what is traced; CHECKSUM: checksums, even when nothing is recorded or compared")        \
	X(TRACE_MEMORY, NUMBER, "64", "", 1, 4096, "MiB of each rank's memory for traces")         \
	X(EnableTrace, CHOICE, "1", "0|1", 0, 0, "0: no traces, whatever LEVEL says")              \
	X(Ig_left, NUMBER, "-1", "", -1, 2000000000,                                               \
	  "steps from a parallel loop's lower bounds within which iterations are traced; -1: all") \
	X(Ig_right, NUMBER, "-1", "", -1, 2000000000,                                              \
	  "steps from a parallel loop's upper bounds within which iterations are traced; -1: all") \
	X(Iloc_left, NUMBER, "-1", "", -1, 2000000000,                                             \
	  "steps from the lower bounds of a rank's part within which iterations are traced; "      \
	  "-1: all")                                                                               \
	X(Iloc_right, NUMBER, "-1", "", -1, 2000000000,                                            \
	  "steps from the upper bounds of a rank's part within which iterations are traced; "      \
	  "-1: all")                                                                               \
	X(Irep_left, NUMBER, "-1", "", -1, 2000000000,                                             \
	  "iterations of each sequential loop that are traced; -1: all")                           \
	X(TraceMode, CHOICE, "1", "0|1|2|3", 0, 0,                                                 \
	  "0: record writes FileLoopInfo and no trace; 1: a trace; 2: both; 3: compare with "      \
	  "TraceFile")                                                                             \
	X(FileLoopInfo, TEXT, "", "", 0, 0, "the configuration file of traces")                    \
	X(TracePath, TEXT, "", "", 0, 0,                                                           \
	  "directory of FileLoopInfo, ErrorFile, TraceFile and text traces")                       \
	X(TraceFile, TEXT, "", "", 0, 0,                                                           \
	  "reference that runs are compared with, with TraceMode 3")                               \
	X(Ext, TEXT, "", "", 0, 0,                                                                 \
	  "record also writes text traces, as RANK.Ext in TracePath; empty: it does not")          \
	X(WriteEmptyIter, CHOICE, "1", "0|1", 0, 0,                                                \
	  "0: text traces leave out iterations in which nothing is recorded")                      \
	X(SpaceIndent, NUMBER, "2", "", 0, 16, "blanks by which text traces are indented")         \
	X(WrtHeaderProc, NUMBER, "-1", "", -1, 1000000,                                            \
	  "rank whose trace FileLoopInfo counts; -1: those of all")                                \
	X(TrapArraysAnyway, CHOICE, "0", "0|1", 0, 0,                                              \
	  "1: checksums are of all arrays, whatever FileLoopInfo says a construct uses")           \
	X(ManualReductCalc, CHOICE, "0", "0|1", 0, 0,                                              \
	  "1: results of reductions are also calculated from the iterations of the trace")         \
	X(EnableDynControl, CHOICE, "0", "0|1", 0, 0,                                              \
	  "1: accesses are controlled: dependences, halos, initialisation, other processors")      \
	X(DynControlGrid, TEXT, "", "", 0, 0,                                                      \
	  "grid of processors that control emulates on one rank, as 2x3; empty: none")             \
	X(DynControlOnly, TEXT, "", "", 0, 0,                                                      \
	  "constructs (FILE:LINE) and variables that control is for; empty: all")                  \
	X(DynControlNot, TEXT, "", "", 0, 0,                                                       \
	  "constructs (FILE:LINE) and variables that control is off for")                          \
	X(Suppressions, TEXT, "", "", 0, 0,                                                        \
	  "file with findings of control that are not reported: KIND PLACE VARIABLE a line")       \
	X(PrintStatistic, CHOICE, "0", "0|1", 0, 0, "1: record shows what is in the traces")       \
	X(ErrorToScreen, CHOICE, "1", "0|1", 0, 0, "0: findings are written to ErrorFile")         \
	X(ErrorFile, TEXT, "", "", 0, 0, "file for findings, with ErrorToScreen 0")                \
	X(AppendErrorFile, CHOICE, "0", "0|1", 0, 0, "1: each run adds to ErrorFile")              \
	X(StartPoint, POINT, "", "", 0, 0,                                                         \
	  "where checksums and traces begin; empty: from the start")                               \
	X(FinishPoint, POINT, "", "", 0, 0,                                                        \
	  "the last point with checksums and traces; empty: to the end")                           \
	X(ChecksumMode, CHOICE, "1", "1|2", 0, 0,                                                  \
	  "checksums 1: of arrays that a construct writes; 2: also of those that it only reads")   \
	X(STOP_ON, CHOICE, "none", "none|mismatch", 0, 0,                                          \
	  "mismatch: ranks wait at each point and stop where checksums or traces differ")          \
	X(EXACT_SUMS, CHOICE, "OFF", "OFF|ON", 0, 0,                                               \
	  "ON: the sums of record, compare, locate and pair are exact, not rounded")               \
	X(SUMS, CHOICE, "wait", "wait|drop", 0, 0,                                                 \
	  "when checksums come faster than they are processed: the program waits, or drops "       \
	  "some")                                                                                  \
	X(OUTPUT, CHOICE, "merged", "merged|raw", 0, 0,                                            \
	  "the program's output at the prompt: by line, with the ranks; or as it comes")           \
	X(OUTPUT_IGNORE, TEXT, "time, sec, second, flop, rank, process, host, pid, date", "", 0,   \
	  0, "lines of output with one of these words are not compared")                           \
	X(MaxErrors, NUMBER, "100", "", 1, 1000000,                                                \
	  "findings of a comparison after which it ends")                                          \
	X(SaveArrayFilename, TEXT, "", "", 0, 0,                                                   \
	  "file for the first array that differs, or the one that SaveArrayID names")              \
	X(SaveArrayID, TEXT, "", "", 0, 0, "identifier of the array that is saved at FinishPoint")

/* All settings at their defaults. */
struct settings *settings_create(void);
void settings_destroy(struct settings *set);
/* The value of a NUMBER; the name must be one of the table. */
long settings_number(const struct settings *set, const char *name);
/* The value of any setting as text, borrowed until it is set again. */
const char *settings_text(const struct settings *set, const char *name);
/* Whether that is the word. */
bool settings_is(const struct settings *set, const char *name, const char *word);
/* Sets it; the error names the setting, the value, and what is allowed. */
int settings_set(struct settings *set, const char *name, const char *value, struct err *err);
/* Of CHOICES: a bit for each choice that is in it, the first is 1. */
unsigned settings_choices_set(const struct settings *set, const char *name);
/* Back to the default. */
int settings_unset(struct settings *set, const char *name, struct err *err);

/* The table, for listings and completion: the i-th, or NULL behind the last. */
const char *settings_name(size_t i);
const char *settings_help(size_t i);
/* "a number, 1 to 64", "one of ERR, WARN, ALL", "a text"; returns out. */
const char *settings_allowed(size_t i, char *out, size_t size);
const char *settings_default(size_t i);
/* "ERR|WARN|ALL"; "" when it has no choices. */
const char *settings_choices(size_t i);

/*
 * What help and the manual say of setting number i: paragraphs separated by newlines, or its line
 * of help.
 */
const char *settings_more(size_t i);
/* The i-th name that has more than a line, for a test; NULL behind the last. */
const char *settings_more_name(size_t i);

#endif
