/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/cmd/cmd.h"

#include <stdbool.h>
#include <stddef.h>

const struct topic topics[] = {
	{
		"sets",
		"the ranks that a command applies to",
		"A set in brackets before a command chooses its ranks: [2], [0:3], [0,4:7], [all], "
		"or a name. {0..3} and 0-3 work too. Without one the command applies to the "
		"current set, which is the prompt; focus changes it.\nBuilt in are all, running, "
		"stopped, runnable, held, waiting (inside MPI_Init or MPI_Finalize), exited, lost, "
		"and exec(NAME). defset makes others: they are evaluated each time they are used, "
		"or once and for all with ! before the members.\nWith set MODE MULTILEVEL threads "
		"are "
		"members, too: [0.1] is thread 1 of rank 0, [0:3.1:2] are two threads of each of "
		"four ranks, [*.0] are those that run main, [0.*] is each thread of rank 0; [0] is "
		"the process. where, status, up, down, print and locals show what these threads "
		"are in and have, other verbs take their processes. Threads are numbered by age "
		"as where -threads shows them.\nWhen some members cannot execute "
		"a command, it is executed for the others, and a warning shows which were left out "
		"and why. Equal answers of several ranks are shown once, those of the fewest ranks "
		"first.",
		{ "[0:3] print eps", "focus [stopped]", "defset edge [!0,3]", "[edge] where" },
	},
	{
		"points",
		"how constructs are numbered",
		"Parallel loops (PL) and task regions (TR) are numbered as they are executed, the "
		"same for any number of ranks and in every run. 6.B is the beginning and 6.E the "
		"end of number 6; 256.3.4.B is the beginning of the 4th loop in task 3 of region "
		"256.\nRanks stop together at such points. list shows the newest number of a "
		"construct next to its source line.\nWith set POINTS marks,mpi collective calls on "
		"MPI_COMM_WORLD, not on its duplicates, are constructs too, in programs without "
		"annotations as well: mpi:6.B is the beginning of the 6th. With set POINTS "
		"marks,omp parallel regions of OpenMP are: omp:6.B. Each kind has its own "
		"numbers.",
		{ "break 13.B", "break mpi:6.B", "list 13.B", "points -last 10" },
	},
	{
		"locations",
		"places to stop at or to list",
		"A location is a point (13.B), file:line, #file#line, a line of the current file, "
		"or a function or construct that announces its name. The last components of the "
		"file's path are enough. A line stops where the construct on it begins.",
		{ "break heat.c:61", "break 256.3.4.E", "break 61", "list #heat.c#61" },
	},
	{
		"expressions",
		"what print and similar verbs compute",
		"Names of registered objects, fields p.x and those of arrays of structures, "
		"cells[3:5].t, elements and sections, numbers, + - * / %, comparisons, && || !, "
		"& | ^ ~ << >> of whole numbers in 64 bits, c ? a : b, "
		"parentheses; abs(a), and min(a, b) and max(a, b) element "
		"by element. sum(a), min(a) and max(a), or minval(a) and maxval(a), are of all "
		"elements of an array or a section: of a distributed one each rank evaluates what "
		"it owns, whatever its size; of a replicated one each rank has its own. Sums are "
		"NaN when an element is, extremes leave NaN out, and a note says how many. Of "
		"an array that is registered through a pointer the elements are meant: a == b "
		"compares those; [#0]a is the pointer.\nA name that no registered object has "
		"is a variable of the chosen frame, as the debug information has it, with the "
		"program's types: *p, &a[3], p + 1, (struct cell *)q, sizeof(T). Where both have "
		"it the registered one is meant, and [#0]name is the variable of frame 0. Elsewhere it is "
		"#program#file#procedure#name, any part of which may be left out, ns::x, module::x, "
		"or [process.thread#frame]name; the thread is not distinguished. f(x) of the program "
		"is called on each stopped rank, as by call, in a copy of the process; CALL_TIMER "
		"ends it. Errors show the column.\nChoose one of several "
		"registrations of a name as in u@heat.c:31; what lists them. A name with an index, "
		"as DVMDBG_ARRAY(row[0], …) gives it, stands in accents: `row[0]`[1][2]. Values that differ "
		"between ranks are shown by groups.",
		{ "print eps * 2", "print max(u) - min(u[0:9][*])", "print u@heat.c:31[0][0]",
		  "break 3.B -if sum(u) > 1e6", "print ((struct cell *)p)[3].t",
		  "print residual(u, n) / n - [0]i" },
	},
	{
		"sections",
		"parts of arrays",
		"Indices are global, whatever the number of ranks, and the lower bounds are the "
		"array's own. Both ends are inclusive in both spellings: a[2:5] has four elements, "
		"a(2:5,*) is the Fortran one. a[*] is all of a dimension, a[0:9:2] every second, "
		"a[{1,4,9}] a list.",
		{ "print u[498:501][498:501]", "print u(1:10:2,*)", "save u[*][0:9] u.npy",
		  "stat u[{1,4,9}][*]" },
	},
	{
		"actionpoints",
		"what stops the program",
		"break stops where execution comes to a place, barrier holds ranks there until all "
		"have come, watch stops when a variable has changed. They are numbered from 0, and "
		"a number is never used again. They survive a rerun; actions lists them, disable "
		"and enable turn them off and on, delete removes them, export writes them to a "
		"file. -count n stops at every n-th hit, -if CONDITION when it is true on some "
		"rank. The end of a run reports those that were never reached, with the places "
		"that were.\nAt a stop at a numbered point all ranks are there. step goes from "
		"point to point without any.",
		{ "break heat.c:61 -count 10", "break 40.E -if eps < 1e-6", "actions", "disable 0",
		  "delete -all" },
	},
	{
		"checksums",
		"how runs are compared",
		"At the end of each parallel loop and task region checksums of the arrays that it "
		"writes are taken (sums, hashes, extremes), so that runs on different numbers of "
		"ranks can be compared without keeping arrays. EXACT_SUMS ON makes the sums "
		"exact. record writes those of a run into a "
		"directory, compare compares a run with them, locate does both and looks for the "
		"first wrong element, and pair has two runs side by side.\nCOMPARE, Exp and "
		"RelCompareMin set the tolerance; start and finish choose the points; STOP_ON "
		"mismatch stops at the first that differs.",
		{ "record ref", "compare ref", "set STOP_ON mismatch", "sums u", "locate" },
	},
	{
		"patterns",
		"what search and points look for",
		"Patterns are the regular expressions of PCRE2: . is any character, [a-z] a set, "
		"x* x+ x? repetitions, ^ "
		"and $ the ends of the line, \\b those of a word, (one|two) a choice; \\ before a "
		"special character takes its meaning away. (?i) at the beginning makes capital and "
		"small letters the same. A ^ marks the place of an error in a pattern; a pattern "
		"that takes too many steps ends with an error.",
		{ "search u_new|halo", "search (?i)jacobi -in source",
		  "search heat\\.c:6\\d -in points", "points heat.c:61 -last 5" },
	},
	{
		"logging",
		"copies of commands and answers",
		"log writes commands and answers to a file from now on; log -off ends that. "
		"history "
		"shows the last commands. With --json on the command line each answer is one JSON "
		"object on a line of its own, with the same data. save writes arrays, and run "
		">file 2>file what the program prints.",
		{ "log session.txt", "log commands.dbg -input", "log -off", "history 5" },
	},
	{
		"scripts",
		"commands from files",
		"input runs the commands of a file, -x FILE and -e COMMAND on the command line do "
		"so at the start. A backslash at its end continues a line, # begins a comment, and "
		"the first error ends the file and is reported with file and line. With --batch "
		"dvmdbg ends after them, without a prompt.",
		{ "input try.dbg", "# nothing but a comment" },
	},
	{
		"aliases",
		"your own names, and short ones",
		"alias gives a command, or several with ;, a name; what follows the alias follows "
		"the last of them. In place at the start: bt (where), c (cont), s (step), n (step "
		"-over), p (print), r (rerun), b (break), i (info), l (list), d (delete), k "
		"(kill), h (help), q (quit), source (input), finish-loop (step -finish). Every "
		"verb can be cut to what is unambiguous; an ambiguous one lists the candidates.",
		{ "alias look where; print eps", "alias", "unalias look" },
	},
	{
		"gdb",
		"coming from gdb",
		"run, r, c, n, s, p, b, i, bt, up, down, l, d, q, source, print u[3], info "
		"breakpoints, info locals, info threads, list heat.c:61 work as in gdb, with "
		"numbered points in place of statements and all ranks in place of one process. For "
		"words that only gdb has, dvmdbg shows what to type instead.\nfinish, start and "
		"record differ from gdb: step -finish leaves a construct, run starts the program, "
		"and record makes a reference for comparisons.",
		{ "b heat.c:61", "r", "bt", "p eps", "info breakpoints" },
	},
	{
		"settings",
		"what can be changed in the session",
		"set shows all settings, with what they can be; set NAME = value changes one, "
		"unset NAME "
		"puts it back. Names may be typed in any case. help NAME explains one. "
		"They are "
		"the state variables of the HPD standard, in capital letters, and those of ours.",
		{ "set STOP_TIMER = 10", "set GOOD_STOP halt", "set MAX_LIST", "unset STOP_TIMER",
		  "help STOP_ON" },
	},
	{
		"repeating",
		"commands once more",
		"!! repeats the last command, !n number n of history, !-n the n-th last, !text the "
		"last "
		"that begins with text. What follows is put behind it. The arrow keys bring back "
		"earlier lines, Ctrl-R looks for one, Tab completes words.",
		{ "history 5" },
	},
	{
		"pairs",
		"two runs side by side",
		"pair starts a second run, A, beside the present one, B. Both go on together and "
		"are compared at every point. A command is for both, or for one with A: or B: "
		"before it. tie relates what corresponds when the programs are different.",
		{ "pair -n 1", "print eps", "tie A.u@heat.c:61 = B.phi@solver.f90:120",
		  "pair -off" },
	},
	{
		"full-screen",
		"source, stack, points and arrays at once",
		"tui, --tui at the start, or Ctrl-X a turn the full screen on and off. There ? "
		"lists "
		"the keys, : types a command, / looks for a pattern, and Ctrl-X a goes back to the "
		"prompt with the line that was being typed.",
		{ "tui", "tui array u" },
	},
	{
		"exit-status",
		"the exit status of dvmdbg",
		"0: all was compared and nothing was found. 1: there are findings, or the runs "
		"differ. 2: wrong usage, a command or its set-up failed (with --batch the first "
		"error ends the session), dvmdbg was interrupted or cannot go on, or not "
		"everything could be compared, recorded or shown: the last line of the report, "
		"\"Not fully compared\", says what, for instance points without a partner, "
		"damaged files, or elements that no rank owns. 3: the program failed or hung: it "
		"died of a signal, left with a status that is not zero, or without MPI_Finalize "
		"while other ranks had not ended, or a supervisor was lost. If several hold, 1 "
		"comes before 3, and 3 before 2. With --json a session without a prompt ends with "
		"an answer of the type result, which names all that hold: findings, program "
		"failed, incomplete, error.",
		{ "findings", "status" },
	},
	{ NULL, NULL, NULL, { NULL } },
};

static bool same(const char *name, const char *typed)
{
	while (*name && (*name == *typed || (*name == '-' && *typed == ' '))) {
		name++;
		typed++;
	}
	return *name == *typed;
}

const struct topic *topic_find(const char *name)
{
	for (size_t i = 0; topics[i].name; i++)
		if (same(topics[i].name, name))
			return &topics[i];
	return NULL;
}
