/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/cmd/topics.h"

#include <stdbool.h>
#include <stddef.h>

const struct topic topics[] = {
	{
		"sets",
		"for which ranks a command is",
		"Before a command a set in brackets says for which ranks it is: [2], [0:3], "
		"[0,4:7], [all], or a name. {0..3} and 0-3 are understood too. Without one the "
		"current set holds, which is the prompt; focus changes it.\n"
		"Built in are all, running, stopped, runnable, held, waiting (inside MPI_Init or "
		"MPI_Finalize), exited, lost, and exec(NAME). defset makes others: they are "
		"evaluated "
		"each time they are used, or once and for all with ! before the members.\n"
		"A command that some members cannot take is carried out for the others, and it is "
		"said which were left out and why. Equal answers of several ranks are shown once, "
		"those of the fewest ranks first.",
		{ "[0:3] print eps", "focus [stopped]", "defset edge [!0,3]", "[edge] where" },
	},
	{
		"points",
		"how constructs are numbered",
		"Parallel loops (PL) and task regions (TR) are numbered as they are executed, the "
		"same for any number of ranks and in every run. 6.B is the beginning and 6.E the "
		"end "
		"of number 6; 256.3.4.B is the beginning of the 4th loop in task 3 of region 256.\n"
		"Ranks stop together at such points. Beside a line of source, list shows the "
		"newest "
		"number of the construct on it.",
		{ "break 13.B", "list 13.B", "points -last 10" },
	},
	{
		"locations",
		"places to stop at or to list",
		"A place is a point (13.B), file:line, #file#line, a line of the current file, or "
		"a "
		"procedure or construct that announces its name. Of file the last components of "
		"its "
		"path are enough. A line stops where the construct on it begins.",
		{ "break heat.c:61", "break 256.3.4.E", "break 61", "list #heat.c#61" },
	},
	{
		"expressions",
		"what print and its like understand",
		"Names of registered objects, fields p.x, elements and sections, numbers, + - * / "
		"%, "
		"comparisons, && || !, parentheses; abs(a), and min(a, b) and max(a, b) element by "
		"element. sum(a), min(a) and max(a), or minval(a) and maxval(a), are of all "
		"elements of an array or a section: of a distributed one the ranks look at what "
		"they own, whatever its size; of a replicated one each rank has its own. Sums are "
		"NaN when an element is, extremes leave NaN out. What is not registered by the program (other "
		"local variables, say) is not seen.\n"
		"A name that is registered at several places can be made definite, as in "
		"u@heat.c:31; what lists them. Values that differ between ranks are shown by "
		"groups.",
		{ "print eps * 2", "print max(u) - min(u[0:9][*])", "print u@heat.c:31[0][0]",
		  "break 3.B -if sum(u) > 1e6" },
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
		"have "
		"come, watch stops when a variable has changed. They are numbered from 0, and a "
		"number "
		"is never used again. They survive a rerun; actions lists them, disable and enable "
		"turn "
		"them off and on, delete removes them, export writes them to a file. -count n "
		"stops at "
		"every n-th hit, -if CONDITION when it is true on some rank. When a run ends, "
		"those that "
		"were never reached are told, with the places that were met.\n"
		"At a stop at a numbered point all ranks are there. step goes from point to point "
		"without any.",
		{ "break heat.c:61 -count 10", "break 40.E -if eps < 1e-6", "actions", "disable 0",
		  "delete -all" },
	},
	{
		"checksums",
		"how runs are compared",
		"At the end of each parallel loop and task region exact sums and hashes of the "
		"arrays "
		"that it writes are taken, so that runs on different numbers of ranks can be "
		"compared "
		"without keeping arrays. record writes those of a run into a directory, compare "
		"compares a run with them, locate does both and looks for the first wrong element, "
		"and pair has two runs side by side.\n"
		"COMPARE, Exp and RelCompareMin say how equal numbers have to be; start and finish "
		"which points count; STOP_ON mismatch stops at the first that differs.",
		{ "record ref", "compare ref", "set STOP_ON mismatch", "sums u", "locate" },
	},
	{
		"patterns",
		"regular expressions of search and points",
		"Patterns are PCRE2's: . is any character, [a-z] a set, x* x+ x? repetitions, ^ "
		"and $ "
		"the ends of the line, \\b those of a word, (one|two) a choice; \\ before a "
		"special "
		"character takes its meaning away. (?i) at the beginning makes capital and small "
		"letters the same. What is no pattern is shown with a ^ below the place; a pattern "
		"that takes too many steps is given up.",
		{ "search u_new|halo", "search (?i)jacobi -in source",
		  "search heat\\.c:6\\d -in points", "points heat.c:61 -last 5" },
	},
	{
		"logging",
		"copies of what is said",
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
		"so "
		"at the start. A backslash at its end continues a line, # begins a comment, and "
		"the "
		"first error ends the file and is told with file and line. With --batch dvmdbg "
		"ends "
		"after them, without a prompt.",
		{ "input try.dbg", "# nothing but a comment" },
	},
	{
		"aliases",
		"names of one's own, and short ones",
		"alias gives a command, or several with ;, a name; what follows the alias follows "
		"the "
		"last of them. In place at the start: bt (where), c (cont), s (step), n (step "
		"-over), "
		"p (print), r (rerun), b (break), i (info), l (list), d (delete), k (kill), h "
		"(help), q "
		"(quit), source (input), finish-loop (step -finish). Every verb can be cut to what "
		"is "
		"unambiguous; when it is not, the candidates are told.",
		{ "alias look where; print eps", "alias", "unalias look" },
	},
	{
		"gdb",
		"coming from gdb",
		"run, r, c, n, s, p, b, i, bt, up, down, l, d, q, source, print u[3], info "
		"breakpoints, "
		"info locals, info threads, list heat.c:61 do what one expects, with numbered "
		"points "
		"in place of statements and all ranks in place of one process. Words that only gdb "
		"has "
		"are answered with what to type instead.\n"
		"finish, start and record are other things here: step -finish leaves a construct, "
		"run starts the program, and record makes a reference for comparisons.",
		{ "b heat.c:61", "r", "bt", "p eps", "info breakpoints" },
	},
	{
		"settings",
		"what can be changed about the session",
		"set shows all settings, with what they can be; set NAME = value changes one, "
		"unset NAME "
		"puts it back. Names may be typed in any case. help NAME tells more about one. "
		"They are "
		"the state variables of the HPD standard, in capital letters, and those of ours.",
		{ "set STOP_TIMER = 10", "set MAX_LIST", "unset STOP_TIMER", "help STOP_ON" },
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
		"are "
		"compared at every point. A command is for both, or for one with A: or B: before "
		"it. "
		"tie tells what corresponds when the programs are different.",
		{ "pair -n 1", "print eps", "tie A.u@heat.c:61 = B.phi@solver.f90:120",
		  "pair -off" },
	},
	{
		"full-screen",
		"source, stack, points and arrays at a time",
		"tui, --tui at the start, or Ctrl-X a turn the full screen on and off. There ? "
		"lists "
		"the keys, : types a command, / looks for a pattern, and Ctrl-X a goes back to the "
		"prompt with the line that was being typed.",
		{ "tui", "tui array u" },
	},
	{
		"exit-status",
		"what dvmdbg ends with",
		"0: nothing was found. 1: there are findings, or checksums differ. 2: a command or "
		"its "
		"set-up failed (with --batch the first error ends the session). 3: the program "
		"failed: "
		"it died of a signal, left with a status that is not zero, or a supervisor was "
		"lost.",
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
