# SPDX-License-Identifier: GPL-3.0-or-later
# Text traces in place of references: by a file's or a directory's name, of several ranks, in comparisons with and
# without a program, with the limits that their heads say. Those of the historical debugger, where they lie beside the
# sources, go through import and export without loss, and agree with one another.
. "${0%/*}/lib.sh"

heat=$builddir/doc/examples/heat-hooked
[ -x "$heat" ] || skip_all "no program with access hooks"
cd "$tmp" || exit 1

shell()
{
	out=$(timeout -k 5 120 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}

shell record --level FULL --set Ext=trd -o ref -n 2 "$heat" 20 2
is "record writes texts" "$status $(echo ?.trd)" "0 0.trd 1.trd"
shell trace stat 1.trd
like "trace stat: of all ranks of the run" "status $status
$out" '^status 0$' '^\[0\]  FULL .*from \./0\.trd$' '^\[1\]  FULL .*from \./1\.trd$'
shell trace print 0.trd -n 5 -element 'v[10][10]' -rank 1
like "trace print: of the other rank" "$out" '^\[1\] 2\.B +write v\[10\]\[10\] = '
shell trace diff ref 0.trd
like "trace diff: the same as the native one" "status $status
$out" '^status 0$' '^compared traces at level FULL: 5984 accesses, 1696 iterations, .* equal'
shell compare -r 0.trd -n 3 "$heat" 20 2
like "compare -r: a run, other ranks" "status $status
$out" '^status 0$' '^compared traces at level FULL: 5984 accesses, 1696 iterations, .* equal'
unlike "nothing is said of a version or arguments" "$out" 'warning'
mkdir dir && cp ?.trd dir
if in_set all; then
	shell compare -r dir -n 4 "$heat" 20 2 --fault differing-eps
	like "compare -r: a directory, a fault" "status $status
$out" '^status 1$' '^Finding value  \[3\] .*: v\[10\]\[10\]: .* at 3\.B in iteration \(10,10\)  heat\.c:67  rank 1 there'
fi
out=$(timeout -k 5 120 "$DVMDBG" --set TraceMode=3 --set TracePath=dir --set TraceFile=0.trd -n 2 "$heat" 20 2 2>&1 <<<cont)
like "TraceFile: a text" "$out" '^compared traces at level FULL: 5984 accesses, .* equal'
cp 0.trd dir/other.0
shell trace stat dir
like "two of one rank: which?" "status $status
$out" '^status 2$' 'dir: (0\.trd and other\.0|other\.0 and 0\.trd) are both text traces of rank 0: name the one that is meant$'
shell locate -r 0.trd -n 4 "$heat" 20 2 --fault swapped-index
like "locate: what differs first from a text" "status $status
$out" '^status 1$' '^u\[9\]\[1\], first wrong at 3\.B in iteration \(10,1\), read at heat\.c:65, on rank 2\.$' '^  here       0$' \
	'^  reference  0\.078338366152120[0-9]*$' '^`rerun -to finding 1` goes there\.$' '; the reference is the trace 0\.trd\.$'
unlike "and it was compared" "$out" 'Not fully'
if in_set all; then
	shell locate -r 0.trd -n 3 "$heat" 20 2
	like "locate: nothing differs from a text" "status $status
$out" '^status 0$' '^nothing differs from the trace 0\.trd'
fi
sed 's/^  IT: /  IT; /' 0.trd >bad.trd
shell trace stat bad.trd
like "what cannot be read: line, column, what was expected" "status $status
$out" '^status 2$' 'bad\.trd:[0-9]+:[0-9]+: not a record of a trace: IT; '
gzip -c 0.trd >0.trd.gz
shell trace stat 0.trd.gz
like "compressed: what to do" "status $status
$out" '^status 2$' '0\.trd\.gz is compressed: gunzip it first$'

# The historical debugger names elements as the source does, which does not say which they are.
mkdir old
for k in 0 1; do
	sed -E 's/"([uv])\[[0-9]+\]\[[0-9]+\]"/"\1 [ i ][ j ]"/; /^# RV of/d' $k.trd >old/$k.trd
done
for n in 1 3; do
	shell compare -r old -n $n "$heat" 20 2
	like "elements by the source's names: equal on $n" "status $status
$out" '^status 0$' '^compared traces at level FULL: 5984 accesses, 1696 iterations, [0-9]+ values, [1-9][0-9]* reductions: equal'
done
shell compare -r old -n 3 "$heat" 20 2 --fault differing-eps
like "elements by the source's names: a fault" "status $status
$out" '^status 1$' '^Finding value  .*: v: .* here, .* in the reference .*, at 3\.B in iteration \([0-9]+,[0-9]+\)  heat\.c:'
shell trace diff old ref
like "… and two traces" "status $status
$out" '^status 0$' '^compared traces at level FULL: 5984 accesses, 1696 iterations, .* equal'

# Results of arrays, which the format has no record for.
reduced=$builddir/tests/prog/traces/reduced-hooked
shell record --level FULL --set Ext=arr -o aref -n 1 "$reduced" arrays
like "results of an array are in the text" "$(<0.arr)" \
	'^# RESULTS: \[4\] "all\[0\]" \{".*reduced\.c", [0-9]+, 0\} [0-9a-f]{64}; \{".*reduced\.c", [0-9]+\}$'
shell trace import 0.arr arr.bin
shell trace export arr.bin again.arr
is "… and imported and exported what they were" "$(cmp 0.arr again.arr 2>&1)" ""
for ref in aref 0.arr; do
	shell compare -r $ref -n 3 "$reduced" arrays
	like "$ref: they are compared" "status $status
$out" '^status 0$' ', 3 reductions: equal$'
	shell compare -r $ref -n 3 "$reduced" array-max
	like "$ref: … and wrong ones found" "status $status
$out" '^status 1$' '^Finding reduction .*: all\[0\]: .* here, .* in the reference '
done

# The head's settings are those of the run; in a comparison they hold in place of what is set.
shell record --level FULL --set Ext=lim --set Ig_left=1 --set Irep_left=1 --set StartPoint=2.B --set FinishPoint=5.E \
	-o lref -n 2 "$heat" 20 2
like "the head has limits and points" "$(<0.lim)" '^MODE = FULL$' '^STARTPOINT = 2\.B$' '^FINISHPOINT = 5\.E$' \
	'^IG_LEFT = 1$' '^IG_RIGHT = -1$' '^ILOC_LEFT = -1$' '^IREP_LEFT = 1$' '^IREP_RIGHT = -1$'
for ref in lref 0.lim; do
	shell compare -r $ref --set Ig_left=0 -n 3 "$heat" 20 2
	like "$ref: its limits hold" "status $status
$out" '^status 0$' '^compared traces at level FULL: 620 accesses, 212 iterations, .* equal'
done
shell record --level FULL --set Ext=loc --set Iloc_left=1 -o loref -n 2 "$heat" 20 2
shell compare -r 0.loc -n 3 "$heat" 20 2
like "of a process's own part: what the reference has" "status $status
$out" '^status 0$' '^compared traces at level FULL: 2112 accesses, 512 iterations, .* equal; [0-9]+ not compared$'

# The flow of document 000: a text of level CHECKSUM with a configuration file, on few processes; another run compared
# with it; the array that differs saved where it does, of both runs; a picture of the difference.
shell record --level CHECKSUM --set Ext=cs --set TraceMode=2 --set FileLoopInfo=conf -o cref -n 2 "$heat" 20 2
like "CHECKSUM: text and configuration file" "status $status
$out" '^status 0$' '^wrote 0\.cs$' '^wrote conf$'
like "checksums are in the text, with access lists" "$(<0.cs)" '^MODE = CHECKSUM$' '^ARR: "v" \(4\) \[2\] \{".*heat\.c", [0-9]+, 0, 1\} = $' \
	'^EL: 2 \("v", ".*heat\.c", [0-9]+, 0, "w"\)$' '^EL: 2; \{".*heat\.c", [0-9]+\}, 2\.E$' \
	'^  CS\("u", ".*heat\.c", [0-9]+, 0, "w"\)="8\.344' '^    CS\("v", ".*heat\.c", [0-9]+, 0, "w"\)="8\.04' '^  IT: 2, \(2\)$'
unlike "and no iterations of parallel loops" "$(<0.cs)" 'IT: [0-9]+, \([0-9]+,'
is "all ranks have the same" "$(grep CS 1.cs)" "$(grep CS 0.cs)"
like "access sets are in the configuration file" "$(<conf)" '^EL: 1 \("u", ".*heat\.c", [0-9]+, 0, "w"\)$'
sed '/^ARR: "u"/d' conf >conf2
sed -i 's/^END_HEADER/TR: 9() [1] {"heat.c", 5} =\nEL: 9\n&/' conf
shell record --level CHECKSUM --set Ext=cs2 --set FileLoopInfo=conf -o chosen -n 3 "$heat" 20 2
like "a construct that the run has not is named" "$out" '^warning: FileLoopInfo: construct 9 of the file, a task region at heat\.c:5, was not in this run$'
is "and no other" "$(grep -c FileLoopInfo <<<"$out")" 1
if in_set all; then
	shell record --level CHECKSUM --set FileLoopInfo=conf2 -o chosen2 -n 1 "$heat" 20 1
	like "an access list that names what is not declared" "status $status
$out" '^status 0$' '^warning: FileLoopInfo: Reference to undefined array \("u", ".*heat\.c", [0-9]+, 0\) in the access list of construct 1: no ARR line'
fi
shell compare 0.cs2 0.cs
like "two texts are compared" "status $status
$out" '^status 0$' '^compared 4 checksums of 2 arrays at 4 points: equal$'
for k in 0 1; do
	sed 's/\(CS("v".*\)="6\./\1="6.1/' 0.cs >$k.one
	sed 's/\(CS("v".*\)="6\..*/\1 FAILED/' 0.cs >$k.two
done
shell compare 0.one 0.cs
like "another value in a text" "status $status
$out" '^status 1$' 'Different checksums for array \("v", ".*heat\.c", [0-9]+, 0, "w"\): 6\.4.* != 6\.14.* at the point 5\.E; previous correct point is 3\.E' \
	'^compared 4 checksums of 2 arrays at 4 points: 1 finding$'
shell compare 0.two 0.cs
like "a checksum that failed" "status $status
$out" '^status 0$' "^warning: failed checksums found\\. They won't be recounted$" '^compared 3 checksums of .*: equal; 1 could not be compared$'
shell compare -r 0.cs -n 3 "$heat" 20 2
like "a run with a text" "status $status
$out" '^status 0$' '^compared 4 checksums of 2 arrays at 4 points: equal$'
shell trace diff 0.cs 0.trd
like "checksums and a trace without: nothing is compared, which is no success" "status $status
$out" '^status 2$' '0\.cs has checksums alone, of which 0\.trd has none: there was nothing to compare'
shell compare -r 0.cs -n 4 "$heat" 20 2 --fault swapped-index
like "a run with a fault" "status $status
$out" '^status 1$' '^Finding checksum  \[0:3\] .*Different checksums for array \("v", .*: 8\.04.* != -0\.0002.* at the point 3\.E; previous correct point is 2\.E'
shell record --level CHECKSUM --set SaveArrayFilename=v.npy --set SaveArrayID=v --set FinishPoint=3.E -o saved -n 2 "$heat" 20 2
like "the array is saved there" "$out" '^Array v has been successfully saved to file v\.npy at the point 3\.E$'
out=$(timeout -k 5 120 "$DVMDBG" -n 4 "$heat" 20 2 --fault swapped-index 2>&1 <<<'break 3.E
cont
diff v -with v.npy -list 1 -image v.png')
like "and compared with the other run's, as a picture" "$out" '^  picture  v\.png$'
check "it is one" [ -s v.png ]
shell record --level NONE --set Ext=none -o nref -n 2 "$heat" 20 2
is "NONE: constructs alone" "$(grep -c '; {' 0.none) $(grep -c 'IT:\|RV:\|CS' 0.none) $(grep MODE 0.none)" "14 0 MODE = NONE"

shell compare -r 0.none -n 2 "$heat" 20 2
like "… with which nothing can be compared" "status $status
$out" '^status 2$' '0\.none is of level NONE, which has constructs alone: there was nothing to compare'
shell trace diff 0.none 0.trd
like "… nor a trace" "status $status
$out" '^status 2$' '0\.none is of level NONE, which has constructs alone: there was nothing to compare'

rest_in all
# What loops use that do not say it, as the hooks see it: of F(A,B), F(B,C) (document 000) what each call uses, in place
# of all that is registered.
"$builddir/runtime/dvmdbg-cc" -g -O1 "-I$srcdir/runtime" "$srcdir/tests/prog/traces/uses.c" -o uses "-L$builddir/runtime/.libs" \
	"-Wl,-rpath,$builddir/runtime/.libs" -ldvmdbg
# sets FILE: the checksums of a text, in short
sets() { sed -n 's/^EL: .*, \([0-9]*\.E\)$/\1/p; s/^ *CS("\([a-z]*\)".*"\([rw]*\)")="\(.*\)"$/\1 \2 \3/p' "$1" | tr '\n' ' '; }
for n in 1 3; do
	shell record --level CHECKSUM --set Ext=us --set TraceMode=2 --set FileLoopInfo=used -o uref$n -n $n ./uses none
	is "uses on $n: what is written" "$status $(sets 0.us)" "0 1.E b w 41 2.E c w 82 3.E a w 82 "
	shell record --level CHECKSUM --set Ext=us --set ChecksumMode=2 -o uref2 -n $n ./uses none
	is "uses on $n: what is read, too" "$(sets 0.us)" "1.E a r 20.5 b w 41 2.E b r 41 c w 82 3.E a w 82 c r 82 "
done
shell compare -r uref1 -n 4 ./uses
like "uses: other ranks have the same" "status $status
$out" '^status 0$' '^compared 3 checksums of 3 arrays at 3 points: equal$'
shell compare -r uref3 -n 2 ./uses none wrong
like "uses: a wrong value" "status $status
$out" '^status 1$' 'Different checksums for array \("b", "uses\.c", [0-9]+, 0, "rw?"\): 41 != 61\.5 at the point 1\.E'
# The file's sets are those of the line, so all three calls have them; with TrapArraysAnyway those of each call.
shell record --level CHECKSUM --set Ext=us --set FileLoopInfo=used -o uref4 -n 1 ./uses
is "uses: by the configuration file" "$(sets 0.us)" "1.E b w 41 c w 0 2.E b w 41 c w 82 3.E a w 82 "
shell record --level CHECKSUM --set Ext=us --set FileLoopInfo=used --set TrapArraysAnyway=1 -o uref5 -n 1 ./uses
is "uses: TrapArraysAnyway" "$(sets 0.us)" "1.E b w 41 2.E c w 82 3.E a w 82 "

shell record --level FULL --set Ext=cost --set TraceMode=2 --set FileLoopInfo=costs -o cost -n 1 "$heat" 20 2
# cost: bytes and lines of the text from a line to another
cost() { sed -n "/^$1[^=]*;/,/^$2;/p" 0.cost | wc -cl | awk '{ print $2, $1 }'; }
is "the costs of the text are those of its lines" \
	"$(awk '/Trace size/ && !/Native/ { b = $5 } /String count/ { print b, $5 }' costs | sed -n '1p;2p;4p')" \
	"$(wc -cl <0.cost | awk '{ print $2, $1 }')
$(cost 'PL: 1()' 'EL: 1')
$(cost 'SL: 3()' 'EL: 3')"
like "and of the native form" "$(<costs)" '^  # Native trace size = [1-9][0-9]* bytes$' '^  # Used memory = [1-9]'
sed -i 's/^\(PL: 1() .*\) = .*/\1 = NONE/' costs
cp costs edited
shell record --level FULL --set Ext=cost --set TraceMode=2 --set FileLoopInfo=costs -o cost -n 1 "$heat" 20 1
like "a file with levels of its own is kept" "status $status
$out" '^status 0$' '^costs had levels or ranges of its own: it is kept as costs\.old; with TraceMode 1 it is read$' '^wrote costs$'
check "as it was" cmp edited costs.old
shell record --level MINIMAL --set PrintStatistic=1 -o st -n 1 "$heat" 20 1
like "PrintStatistic" "$out" '^\[0\] +MINIMAL +[0-9]+ records in '
shell record --level FULL --set EnableTrace=0 -o off -n 1 "$heat" 20 1
is "EnableTrace" "$status $(ls off | grep -c trace)" "0 0"
missing=
for name in $(grep -oE '\b(t|unit|fuzz|data)/[a-z/_-]+\.(sh|c|trd)' "$srcdir/doc/DVM.md" | sort -u); do
	[ -e "$srcdir/tests/$name" ] || missing+=" $name"
done
is "doc/DVM.md: its tests are there" "$missing" ""

# lines FILE: its text without blanks
lines() { tr -d ' \t' <"$1"; }
old=$srcdir/../shared/traces
if [ -d "$old" ]; then
	script=
	for text in "$old"/*.trd.gz; do
		name=$(basename "$text" .trd.gz)
		gunzip -c "$text" >"$name.old"
		case $name in *config) continue ;; esac
		script+="trace import $name.old $name.bin
trace export $name.bin $name.new
"
	done
	timeout -k 5 120 "$DVMDBG" <<<"$script" >said 2>&1
	for text in *.new; do
		check "${text%.new}: imported and exported it is what it was" cmp <(lines "${text%.new}.old") <(lines "$text")
	done
	gunzip -c "$old/jacobi-c.full.p2.rank0.trd.gz" >h.rank0.trd
	gunzip -c "$old/jacobi-c.full.p2.rank1.trd.gz" >h.rank1.trd
	gunzip -c "$old/jacobi-c.full.p1.trd.gz" >h1.trd
	shell trace diff h.rank1.trd h1.trd
	like "one process and two agree" "status $status
$out" '^status 0$' '^compared traces at level FULL: 5168 accesses, 1504 iterations, 0 values, 40 reductions: equal$'
	# The same program with MPI, compared with them.
	prog=$builddir/tests/prog/traces/original-hooked
	for n in 1 2 4; do
		shell compare -r h1.trd -n $n "$prog"
		like "a run on $n with one of its traces" "status $status
$out" '^status 0$' '^compared traces at level FULL: 5888 accesses, 1504 iterations, [0-9]+ values, [1-9][0-9]* reductions: equal'
	done
	shell compare -r h.rank0.trd -n 3 "$prog" wrong
	like "… and with a wrong element" "status $status
$out" '^status 1$' '^Finding value  \[[12]\] .*: A: .* here, .* in the reference .*, at 6\.B in iteration \(5,4\)  ojac\.cdv:36  '
	shell compare -r h.rank0.trd -n 2 "$prog" stale
	like "… and with a halo that is not renewed" "status $status
$out" '^status 1$' '^Finding value  .*: A: .* here, .* in the reference .*, at 5\.B in iteration \([34],[1-6]\)  ojac\.cdv:41  '
	for level in minimal modify; do
		shell compare -r "jacobi-c.$level.p1.old" -n 3 "$prog"
		like "… of level $level" "status $status
$out" '^status 0$' "^compared traces at level ${level^^}: .* [1-9][0-9]* reductions: equal"
	done
	shell compare -r jacobi-c.checksum.p1.old -n 3 "$prog" wrong
	like "… and of checksums" "status $status
$out" '^status 1$' 'Different checksums for array \("A", "ojac\.cdv", 15, 0, "w"\): 4\.0625 != 4\.064453125 at the point 6\.E; previous correct point is 4\.E'
fi
no_leak "texts"
done_testing
