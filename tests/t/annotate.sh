# SPDX-License-Identifier: GPL-3.0-or-later
# dvmdbg annotate on an example without its marks: the marks that it finds, the patch, and locate --auto.
. "${0%/*}/lib.sh"
own_program ../../doc/examples/heat.c
D=$DVMDBG

sed '/DVMDBG\|dvmdbg\.h/d' "$src" >heat.c
# what compiles, NAME OPTIONS…: heat.c as NAME
mine() { "mpicc.$mpi" -g -O0 "${@:2}" -o "$1" -lm 2>said; }
DVMDBG_CC=mpicc.$mpi "$builddir/runtime/dvmdbg-cc" -g -O0 heat.c -o heat -lm 2>said || skip_all "$(head -n 3 said)"
mine plain heat.c
is "the line of the first loop has not moved" "$(grep -n 'for (long i = r0' heat.c | head -n 1 | cut -d: -f1)" 27
before=$(md5sum heat.c)

said=$(timeout -k 5 200 "$D" annotate --yes -n 4 ./heat 40 2 2>&1 </dev/null)
is "annotate: status" $? 0
like "arrays of two dimensions, split along both" "$said" '^  u, v: 2-D, split along dimension 1 and 2, halo 1, 1 \(strides; own parts tile 40 x 40, 51 x 51; tags\)$'
like "their marks" "$(<heat.marks)" '^array +heat\.c:27  u  shape \[n, n\]  own \[r0:r1, c0:c1\]  halo \[1, 1\]$' \
	'^array +heat\.c:27  v  shape \[n, n\]  own \[r0:r1, c0:c1\]  halo \[1, 1\]$'
like "the loop over time" "$(<heat.marks)" '^sequential +heat\.c:41-64  range \[1:steps\]  iteration \[t\] at 42$'
like "the step" "$(<heat.marks)" \
	'^parallel +heat\.c:48-53  on v  range \[1:n - 2, 1:n - 2\]  writes \[v\]  reads \[u\]  iteration \[i, j\] at 50$'
like "replicated variables" "$(<heat.marks)" '^replicated +heat\.c:27  eps$' '^replicated +heat\.c:27  n$'
unlike "own rows are not" "$(<heat.marks)" 'replicated.* (r0|r1|c0|c1|rank|up|local)$'
like "the trial, on another size and number of ranks" "$said" '^trial: heat 61 2 on 4 and 3 ranks against one: ([0-9]+) of \1 checksums equal$'
is "the source is as it was" "$(md5sum heat.c)" "$before"

cp heat.c marked.c
is "the patch fits" "$(patch -s -p0 marked.c <heat.marks.diff 2>&1; echo $?)" 0
is "and compiles without a warning" "$(mine marked -Wall -Werror -I"$srcdir/runtime" marked.c -L"$builddir/runtime/.libs" -ldvmdbg \
	-Wl,-rpath,"$builddir/runtime/.libs"; echo $?; cat said)" 0
"$D" record -o ref -n 1 ./marked 33 2 >/dev/null 2>&1 </dev/null
like "what it marks is equal on 1 and 3 ranks" "$("$D" compare -r ref -n 3 ./marked 33 2 2>&1 </dev/null; echo "status $?")" \
	'^compared .*: equal$' '^status 0$'
printf 'break heat.c:48\ncont\nwhere\nprint u[3][4]\nquit\n' >script
like "the same marks beside the source, in a program without hooks" "$("$D" --batch -x script --marks heat.marks -n 3 ./plain 40 2 2>&1 </dev/null)" \
	'^Point 3\.B  \[0:2\]  parallel loop  heat\.c:48' '1  synchronized    \[0:2\]  SL  heat\.c:41   iteration 1' '^u\[3\]\[4\] = 0\.38245967'
sed -i '1i /* one line more */' heat.c
like "marks of an older source are said to be that" "$("$D" --batch -e cont --marks heat.marks -n 1 ./plain 40 2 2>&1 </dev/null; echo "status $?")" \
	'^warning: heat\.marks: heat\.c changed after the marks were made' '^status 2$'
sed -i 1d heat.c

rest_in all
found=$(timeout -k 5 200 "$D" locate --auto -n 4 ./heat 40 2 --fault swapped-index 2>&1 </dev/null; echo "status $?")
like "locate --auto: from no marks to the first wrong element" "$found" \
	'^array v, element v\[20\]\[1\], first wrong at 3\.E in iteration 1 of the loop at heat\.c:41, in the parallel loop at heat\.c:48, on rank 2, because the halo of u from rank 0 was stale\.$' \
	'^status 1$'

cp heat.marks all.marks
typed_ok "each mark is asked about; one is left out, and its loop" '
sees {array +heat\.c:27  u  shape[^\r\n]*\r\n  strides; own parts tile 40 x 40, 51 x 51\r\n  keep it\? \(Y/n\) $}
send "what\r"; sees {y or n is needed} {keep it\? \(Y/n\) $}
send "y\r"; sees {array +heat\.c:27  v  shape} {keep it\? \(Y/n\) $}
send "n\r"
expect -re {(parallel|sequential) [^\r\n]*\r\n  keep it\? \(Y/n\) $} { send "\r"; exp_continue } -re {patch -p0} {} timeout { give_up "no patch" }
ends' annotate -n 4 ./heat 40 2
like "what was said is said" "$out" '^left out: v, allocated at .*: as you said'
unlike "v has no mark" "$(<heat.marks)" ' v( |$)'
like "the loop that is over the other array keeps its own" "$(<heat.marks)" '^parallel .* on u '
cp all.marks heat.marks
typed_ok "Ctrl-C at a question ends it" '
sees {keep it\? \(Y/n\) $}
interrupt; sees {annotate: interrupted}
ends' annotate -n 4 ./heat 40 2
is "and leaves the marks as they were" "$(md5sum <heat.marks)" "$(md5sum <all.marks)"

# What cannot be
refused() { like "$1" "$(timeout -k 5 60 "$D" annotate --yes -n 2 "${@:3}" 2>&1 </dev/null; echo "status $?")" "$2" '^status 2$'; }
# without access hooks: built once more with them, where that can be done
out=$(timeout -k 5 200 "$D" annotate --yes -n 4 -o again.marks ./plain 40 2 2>&1 </dev/null)
is "a program with -g alone: status" $? 0
like "a program with -g alone: what is done" "$out" '^\./plain has no access hooks: its 1 source is built once more with them, as .*/plain$' \
	'^trial: plain 61 2 on 4 and 3 ranks against one: ([0-9]+) of \1 checksums equal$'
is "a program with -g alone: the same marks" "$(<again.marks)" "$(<heat.marks)"
mine fast heat.c -O2
like "an optimised one: the trial is of the build with hooks" "$(timeout -k 5 200 "$D" annotate --yes -n 4 -o fast.marks ./fast 40 2 2>&1 </dev/null)" \
	'^what follows is of that build, which is not optimised; macros' '^trial: fast 61 2 on 4 and 3 ranks against one: ([0-9]+) of \1 checksums equal$'
is "an optimised one: the same marks" "$(<fast.marks)" "$(<heat.marks)"
like "locate --auto goes on with that build" "$(timeout -k 5 100 "$D" locate --auto -n 4 ./fast 40 3 --fault missing-halo 2>&1 </dev/null; echo "status $?")" \
	'first wrong at .*, because the halo of u from rank [0-9] was stale' '^ +at heat\.c:[0-9]+ in iteration ' '^status 1$'
mkdir sub && cp heat.c sub/ && mine below sub/heat.c
out=$(timeout -k 5 200 "$D" annotate --yes -n 4 -o below.marks ./below 40 2 2>&1 </dev/null)
is "a source in a folder of where it was compiled: the same marks" "$(sed '/^#/d; s|sub/heat|heat|' below.marks)" "$(sed '/^#/d' heat.marks)"
mine bare heat.c -g0
{ echo '#ifdef EXTRA'; echo 'int extra(void) { return 1; }'; echo '#endif'; cat heat.c; } >macros.c
mine macros macros.c -DEXTRA
cp heat.c gone.c && mine gone gone.c && rm gone.c
cp heat.c broken.c && mine broken broken.c && sed -i '1i #error changed' broken.c
without="has no access hooks, by which reads and writes are seen, and cannot be built with them here"
refused "no debug information" "^dvmdbg: annotate: ./bare $without: it has no debug information: compile it with -g; build it with dvmdbg-cc" ./bare 40 2
refused "macros of the command line" "^dvmdbg: annotate: ./macros $without: what its sources make now has no function extra \(macros\.c:[0-9]+\): they have changed, or macros" ./macros 40 2
refused "a source that is not there" "^dvmdbg: annotate: ./gone $without: its source gone\.c is not there; build it" ./gone 40 2
refused "a source that does not compile" "^dvmdbg: annotate: ./broken $without: broken\.c cannot be compiled with hooks: broken\.c:1:2: error: " ./broken 40 2
refused "no program" '^dvmdbg: .*nowhere' ./nowhere
like "a file that cannot be written" "$("$D" annotate --yes -n 2 -o nix/marks ./heat 12 1 2>&1 </dev/null)" \
	'^dvmdbg: annotate: cannot write nix/marks: No such file or directory$'
is "no file is left in the folder for temporary files" "$(ls scratch)" ""
no_leak annotate
done_testing
