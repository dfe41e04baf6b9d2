# SPDX-License-Identifier: GPL-3.0-or-later
# Checksums and references as a user types them: record and compare, from the shell and in a session; faults
# told at their point; interval, modes, saved arrays; references that are damaged, of something else, or
# cannot be written; arrays that do not fit together; ranks that do not come.
. "${0%/*}/lib.sh"

first=$(first_mpi)
heat=$(prog doc/examples/heat "$first")
[ -x "$heat" ] || skip_all "no MPI"
cg=$(prog doc/examples/cg "$first")
jacobi=$(prog doc/examples/jacobi "$first")
askew=$(prog tests/prog/locate/askew "$first")
unlike=$(prog tests/prog/locate/unlike "$first")
tasks=$(prog tests/prog/points/tasks "$first")
cd "$tmp" || exit 1

# shell ARGS…: dvmdbg with these; what it says is in $out, its exit status in $status
shell()
{
	out=$(timeout -k 5 60 "$DVMDBG" "$@" 2>&1 </dev/null)
	status=$?
}
# told NAME STATUS REGEX…: of what shell or dvm has done
told()
{
	local name=$1 want=$2
	shift 2
	like "$name" "status $status
$out" "^status $want\$" "$@"
}
last_line() { said | tail -n 1; }
# The header of a .npy file, and number COUNT of doubles from the FIRST (from 0) on, one a line.
header() { od -A n -v -t u1 -j 8 -N 2 "$1" | awk '{ print $1 + 256 * $2 }' | while read -r n; do
	dd if="$1" bs=1 skip=10 count="$n" 2>/dev/null; done; }
doubles()
{
	local n
	n=$(od -A n -v -t u1 -j 8 -N 2 "$1" | awk '{ print 10 + $1 + 256 * $2 }')
	od -A n -v -t f8 -w8 -j $((n + 8 * $2)) -N $((8 * $3)) "$1" | awk '{ printf "%.12g\n", $1 }'
}
# patch FILE BYTE: this byte becomes another
patch_byte()
{
	local old
	old=$(od -A n -v -t u1 -j "$2" -N 1 "$1")
	printf "\\$(printf %o $((old ^ 0x55)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# A clean program is equal to itself on any number of ranks, bit by bit.
for mpi in $(mpis); do
	program=$(prog doc/examples/heat "$mpi")
	shell record -o "ref-$mpi" -n 1 "$program" 40 10
	told "$mpi: record" 0 "^recorded 25 checksums at 32 points in ref-$mpi, [0-9]+ bytes\$"
	counts="1 2 3 4 6"
	[ "$mpi" = "$first" ] || counts=3
	for n in $counts; do
		shell compare -r "ref-$mpi" -n "$n" "$program" 40 10
		is "$mpi: heat on $n ranks equals 1 rank" "$status $(last_line)" \
			"0 compared 25 checksums of 6 arrays at 22 points: equal"
	done
	shell compare -r "ref-$mpi" -n 4 "$program" 40 10 --fault missing-halo
	told "$mpi: a fault, in the documents' words" 1 \
		'Different checksums for array \("v", "heat\.c", 33, 0, "w"\): [-0-9.e]+ != 5\.17736e-05 at the point 3\.E; previous correct point is 2\.E, at 3\.E  heat\.c:61  #1$' \
		'^compared 25 checksums of 6 arrays at 22 points: 2 findings$'
	no_leak "$mpi: record and compare"
done
mv "ref-$first" ref
is "a reference is a manifest and sums" "$(cd ref && echo *)" "manifest.json output.txt sums.bin"
if [ -x "$jacobi" ]; then
	shell record -o jacobi -n 1 "$jacobi" 30 5
	for n in 2 3 4 6; do
		shell compare -r jacobi -n $n "$jacobi" 30 5
		is "jacobi on $n ranks equals 1 rank" "$status $(last_line)" \
			"0 compared 30 checksums of 6 arrays at 16 points: equal"
	done
	shell compare -r jacobi -n 4 "$jacobi" 30 5 --fault missing-halo
	told "Fortran: a fault" 1 '^Finding checksum .*for array \("v", .* at the point 2\.E; previous correct point is 1\.E, at 2\.E  jacobi\.f90:56  #[0-9]+$'
fi
shell record -o cg -n 1 "$cg" 40 10
for n in 2 3 4 6; do
	shell compare -r cg -n $n "$cg" 40 10
	told "cg on $n ranks differs by rounding" 0 '^compared 90 checksums of 9 arrays at 74 points: only rounding differs, from 2\.E on, by at most [0-9.]+e-[0-9]+ \(absolute\), within 1e-09 of its block.s largest value'
done
shell compare -r cg -n 3 --set StrictCompare=ON "$cg" 40 10
told "strictly it differs" 1 'Different checksums for array \("rho", "cg\.c", 47, 0, "rw"\): [0-9.]+ != [0-9.]+ at the point 2\.E'
shell compare -r cg -n 3 --set COMPARE=absolute --set Exp=1e-30 "$cg" 40 10
told "so it does with a small tolerance" 1 'Different checksums for array \("x", "cg\.c", 49, 0, "w"\)'
shell record -o tasks -n 1 "$tasks"
shell compare -r tasks -n 1 "$tasks"
is "points inside tasks are compared" "$status $(last_line)" "0 compared 10 checksums of 4 arrays at 8 points: equal"
no_leak "examples"
rest_in all

# In a session: what is next, what stands in its way, and a stop at the very point.
dvm 60 'record
record two
record
compare ref
compare
record two
record -off
compare' -n 2 "$heat" 40 10
told "of record and compare the later one holds" 0 '^the next run is neither recorded nor compared$' \
	'^the next run is recorded into two$' '^compare: the next run is not recorded into two any more$' \
	'^the next run is compared with ref$' '^record: the next run is not compared with ref any more$'
dvm 60 'record two
run
record -off
compare two
run
compare -off
run
compare nix' -n 2 "$heat" 40 10
told "record, then compare" 2 '^recorded 25 checksums at 32 points in two, ' '^compare: applies to the next run; type rerun$' \
	'^compared 25 checksums of 6 arrays at 22 points: equal$' ':8: nix is not a reference: manifest\.json: No such file'
is "the third run was not compared" "$(printf '%s\n' "$out" | grep -c '^compared')" 1
shell compare -r two -n 4 "$heat" 40 10
is "a reference of 2 ranks" "$status $(last_line)" "0 compared 25 checksums of 6 arrays at 22 points: equal"
dvm 60 'compare ref
set STOP_ON = mismatch
run
status
where 1
sums v
set STOP_ON = none
findings
cont' -n 4 "$heat" 40 10 --fault missing-halo
told "all ranks stop at the very point" 1 '^Point 3\.E  \[0:3\]  parallel loop  heat\.c:61  checksums differ$' \
	'^  \[0:3\]  stopped   mismatch  3\.E  PL  heat\.c:61$' '^  0  synchronized    \[0:3\]  PL  heat\.c:61   3\.E$' \
	'^  v  +5\.1773[0-9]+e-05  +(0|-?[0-9.]+e-1[78])  differs  +1600 ' '^All ranks have ended\.$'
dvm 60 'compare ref
set STOP_ON = mismatch
run
status' -n 3 "$heat" 40 10
told "without a mismatch nobody stops" 0 '^All ranks have exited with code 0\.$' '^compared 25 checksums .*: equal$'
dvm 60 'compare ref
set STOP_ON = mismatch
run' -n 4 "$heat" 40 10 --fault missing-halo
told "a script that ends at the stop" 1 '^compared 7 checksums of 6 arrays at 4 points: 1 finding; the run had not ended$'
dvm 60 'compare ref
set MaxErrors = 1
run' -n 4 "$heat" 40 10 --fault differing-eps
told "MaxErrors" 1 '^warning: there are 1 findings, MaxErrors; the comparison ends here$' \
	'Instances of replicated array \("eps", "heat\.c", 30, 0\) do not match at the point 1\.B: \[0:2\] 0\.5, \[3\] 0\.75.*, at 1\.B  heat\.c:35  #1$'
unlike "MaxErrors: no more is told" "$out" 'Different checksums'
dvm 60 'level CHECKSUM
run
findings -kind replicated' -n 3 "$askew" copies
told "copies that do not match, without a reference" 1 \
	'^Finding replicated  \[2\]  .*Instances of replicated array \("local", "askew\.c", [0-9]+, 0\) do not match at the point 6\.B: \[0:1\] 0\.5, \[2\] 0\.75, '
is "and nothing else" "$(printf '%s\n' "$out" | grep -c '^Finding')" 2
no_leak "sessions"

# sums
for n in 1 4; do
	dvm 60 'break 3.E
cont
sums v' --json --level CHECKSUM -n $n "$heat" 40 10
	printf '%s\n' "$out" | grep '"type":"sums"' | sed 's/.*"mean":\([^,]*\),.*"hash":"\([0-9a-f]*\)".*/\1 \2/' >"hash$n"
done
like "sums has a mean and a hash" "$(<hash4)" '^[-0-9.e]+ [0-9a-f]{16}$'
check "they are the same on 1 and 4 ranks" cmp hash1 hash4
dvm 60 'break 5.E
sums' -n 2 "$heat" 40 10
told "sums before anything" 2 'sums: no checksums have been taken; type level CHECKSUM, record or compare'
dvm 60 'level CHECKSUM
break 5.E
cont
sums
sums u' -n 2 "$heat" 40 10
told "sums" 2 '^Checksums at 5\.E  parallel loop  heat\.c:61$' '^  v  +1\.8201043970600403e-18 +1600 +-0\.971179 +0\.971179$' \
	'^  eps  +0\.5 +1 +0\.5 +0\.5$' ':5: sums: there is no checksum of u at 5\.E; the newest is that of [1-4]\.[BE]$'
dvm 60 'level CHECKSUM
set ChecksumMode = 2
break 6.E
cont
sums' -n 2 "$heat" 40 10
told "ChecksumMode 2: what is only read, too" 0 '^  u  +[-0-9.e]+ +1600 ' '^  v  +[-0-9.e]+ +1600 '
dvm 60 'level CHECKSUM
break 6.E
cont
sums u' -n 2 "$heat" 40 10
told "ChecksumMode 1: it is not" 2 'there is no checksum of u at 6\.E; the newest is that of [1-5]\.[BE]$'
dvm 60 'level CHECKSUM
break 6.E
cont
sums nix' -n 2 "$heat" 40 10
told "a name that nothing has" 2 ':4: sums: there is no object .nix.'
dvm 60 'set ChecksumMode = 2
record mode2
run
record -off
unset ChecksumMode
compare mode2
run' -n 2 "$heat" 40 10
told "the mode of the reference holds" 0 '^recorded 45 checksums at 32 points in mode2, ' '^compared 45 checksums of 6 arrays at 32 points: equal$'
dvm 60 'set ChecksumMode = 3' -n 1 "$heat"
told "another mode" 2 "ChecksumMode cannot be '3': it is 1 or 2\$"

# The interval.
dvm 60 'start 7.B
finish 9.E
start
finish
record part
run
record -off
start -
finish -
start
finish
compare part
run
sums v' -n 2 "$heat" 40 10
told "an interval" 0 '^start: 7\.B$' '^finish: 9\.E$' '^recorded 7 checksums at 5 points in part, ' '^start: none, from the start \(of checksums' \
	'^finish: none, to the end \(of checksums' '^compared 7 checksums of 5 arrays at 4 points: equal$' '^Checksums at 9\.E  .*against part$'
shell compare -r ref -n 3 --start 8.B --finish 9.E "$heat" 40 10
is "an interval from the shell" "$status $(last_line)" "0 compared 6 checksums of 5 arrays at 3 points: equal"
# refused NAME SCRIPT REGEX
refused()
{
	dvm 60 "$2" -n 2 "$heat" 40 10
	told "$1" 2 "$3"
}
refused "reversed points" 'record nothing
start 13.E
finish 7.B
cont' ':4: Start point is not less than finish point\.$'
refused "equal points" 'record nothing
finish 7.E
start 7.E
run' ':4: Start point is not less than finish point\.$'
refused "incomparable points" 'record nothing
start 5.1.2.B
finish 5.2.1.E
run' ':4: Start and finish points are incomparable values\.$'
dvm 60 'record moved
finish 9.E
start 7.B
start 13.B
finish 14.E
run' -n 2 "$heat" 40 10
told "start and finish moved in any order" 0 \
	'^warning: Start point is not less than finish point\. Move one of them before the next run is started\.$' \
	'^recorded 5 checksums at 3 points in moved, '
refused "no point" 'start 5' ":1: Invalid start point value: TraceOptions\\.StartPoint = '5'\\. \"5\" is not a point"
refused "no point to finish at" 'finish x.E' ":1: Invalid finish point value: TraceOptions\\.FinishPoint = 'x\\.E'\\."
shell record -o nothing -n 1 --start 9.B --finish 8.B "$heat" 40 10
told "reversed in the shell" 2 'Start point is not less than finish point\.$'
dvm 60 'start 5.1.2.B
finish 7.2.2.E
level CHECKSUM
run' -n 2 "$heat" 40 10
told "points inside of a task region that is none" 0 \
	'^warning: Start point 5\.1\.2\.B implies task region but actual construction is parallel loop; starting verbose trace from the point 5\.E\.$' \
	'^warning: Finish point 7\.2\.2\.E implies task region but actual construction is parallel loop; finishing verbose trace at the point 7\.B\.$'
unlike "points inside of a task region that is none: no warning contradicts" "$out" 'was not reached'
no_leak "sums and intervals"

# Whole arrays on the way.
dvm 60 'record arrays -arrays u,v@heat.c:33 -at 13.E,14.E,13.E
run' -n 2 "$heat" 40 10
told "whole arrays" 0 '^Array u has been successfully saved to file arrays/arrays/u@13\.E\.npy at the point 13\.E$' \
	'^Array v@heat\.c:33 has been successfully saved to file arrays/arrays/v@14\.E\.npy at the point 14\.E$' \
	'^recorded 25 checksums at 32 points in arrays, '
unlike "whole arrays: it is no stop" "$out" '^Point'
is "their files" "$(cd arrays/arrays && echo *)" "u@13.E.npy u@14.E.npy v@13.E.npy v@14.E.npy"
dvm 60 'break 13.E
cont
save u u13.npy
save v v13.npy
diff v -with arrays/arrays/v@13.E.npy' -n 4 "$heat" 40 10
check "the same as by save on other ranks" cmp u13.npy arrays/arrays/u@13.E.npy
check "v as well" cmp v13.npy arrays/arrays/v@13.E.npy
like "the header" "$(header u13.npy)" "'descr': '[<>]f8', 'fortran_order': False, 'shape': \(40, 40\)"
is "an element is what the loop computes" "$(doubles u13.npy $((40 * 9 + 5)) 1)" "$(awk 'BEGIN { p = atan2(0, -1)
	k = 0.5 + 0.25 * (cos(2*p/39) + cos(3*p/39)); printf "%.12g", k^5 * sin(2*p*9/39) * sin(3*p*5/39) }')"
dvm 60 'compare arrays
set STOP_ON = mismatch
break 13.E
cont
diff u' -n 3 "$heat" 40 10
told "diff finds them in the reference" 0 '^u: all 1600 elements are equal to '
dvm 60 'record arrays -arrays u,nix -at 13.E
run' -n 2 "$heat" 40 10
told "an array that is not there" 2 '^Array u has been' \
	"^warning: Array nix was not found at the point 13\\.E: there is no object 'nix'" \
	'^recorded 25 checksums at 32 points in arrays, '
is "the files of the former reference are gone" "$(cd arrays/arrays && echo *)" "u@13.E.npy"
dvm 60 'record arrays -arrays u -at 13.E,1300.E
run' -n 2 "$heat" 40 10
told "a point that does not come" 2 '^warning: the run did not reach 1300\.E, where arrays were to be saved$'
refused "arrays without points" 'record a -arrays u' ':1: record: give -arrays and -at together: -arrays u,v -at 13\.E$'
refused "points without arrays" 'record a -at 13.E' ':1: record: give -arrays and -at together'
refused "arrays at no point" 'record a -arrays u -at 13' ':1: record -at: "13" is not a point'
dvm 60 'set SaveArrayFilename = own.npy
set SaveArrayID = ("u", "heat.c", 32, 0)
finish 13.E
run' -n 2 "$heat" 40 10
told "SaveArrayID" 0 '^Array \("u", "heat\.c", 32, 0\) has been successfully saved to file own\.npy at the point 13\.E$' '^All ranks have exited with code 0\.$'
check "SaveArrayID: its file" cmp own.npy u13.npy
dvm 60 'set SaveArrayFilename = nix/own.npy
set SaveArrayID = u
finish 13.E
run' -n 2 "$heat" 40 10
told "SaveArrayFilename in no directory" 2 "^warning: Can't open file nix/own\\.npy for writing: nix/own\\.npy: No such file"
dvm 60 'set SaveArrayFilename = other.npy
set SaveArrayID = ("u", "heat.c", 32, 1)
finish 13.E
run' -n 2 "$heat" 40 10
told "SaveArrayID: another array of that line" 2 '^warning: Array \("u", "heat\.c", 32, 1\) was not found at the point 13\.E: '
check "SaveArrayID: no other array is saved" [ ! -e other.npy ]
refused "SaveArrayID that is none" 'set SaveArrayFilename = own.npy
set SaveArrayID = ("u", "heat.c", 32' ':2: Invalid array ID specification \("u", "heat\.c", 32\.$'
dvm 60 'set SaveArrayFilename = wrong.npy
set STOP_ON = mismatch
compare ref
run' -n 4 "$heat" 40 10 --fault missing-halo
told "SaveArrayFilename of a mismatch" 1 '^Array \("v", "heat\.c", 33, 0\) has been successfully saved to file wrong\.npy at the point 3\.E$'
mv wrong.npy stopped.npy
dvm 60 'set SaveArrayFilename = wrong.npy
compare ref
run' -n 4 "$heat" 40 10 --fault missing-halo
told "it needs no stop" 1 '^Array \("v", "heat\.c", 33, 0\) has been successfully saved to file wrong\.npy at the point 3\.E$' \
	'^compared 25 checksums of 6 arrays at 22 points: 2 findings$'
unlike "it needs no stop: nothing has stopped" "$out" '^Point|stopped'
check "it needs no stop: the same file" cmp wrong.npy stopped.npy
like "its header" "$(header wrong.npy)" "'shape': \(40, 40\)"
no_leak "saved arrays"

# A reference that is moved, and one that is replaced.
mkdir -p far/away
mv two far/away/ref
shell compare -r far/away/ref -n 3 "$heat" 40 10
is "a reference that was moved" "$status $(last_line)" "0 compared 25 checksums of 6 arrays at 22 points: equal"
touch far/away/ref/mine
shell record -o far/away/ref -n 1 "$heat" 40 3
told "a reference is replaced" 0 '^recorded 11 checksums at 11 points in far/away/ref, '
is "what else is there stays" "$(cd far/away/ref && echo *)" "manifest.json mine output.txt sums.bin"
cp far/away/ref/sums.bin before.bin
shell record -o far/away/ref -n 1 "$tmp/nix" 40 3
told "no program, no change" 2 'nix: there is no such file$'
check "the former reference is still there" cmp before.bin far/away/ref/sums.bin

# Of something else: what differs is told, and it goes on where constructs match.
shell compare -r ref -n 2 "$cg" 40 10
told "a reference of another program" 1 '^warning: the reference ref is of another program: .*/heat[^,]*, this is .*/cg[^,]*$' \
	'at the point 1\.B there is the parallel loop cg\.c:54, but the parallel loop heat\.c:35 in the reference, at 1\.B  cg\.c:54  #1$' \
	'^compared 0 checksums of 0 arrays at 0 points: 1 finding$'
shell compare -r ref -n 2 "$heat" 40 12
told "other arguments: a longer run" 1 '^warning: the reference ref is of a run with other arguments: "40 10", this has "40 12"$' \
	'array \("steps", "heat\.c", 29, 0, "rw"\): 10 != 12 at the point 1\.B; previous correct point is absent' \
	'at the point 23\.E there is the parallel loop heat\.c:61, but the reference has no such point' \
	'^warning: the run went on after 22\.E, where the reference ends: 4 more constructs were not compared$' \
	'^compared 25 checksums of 6 arrays at 22 points: 2 findings$'
shell compare -r ref -n 2 "$heat" 40 8
told "other arguments: a shorter run" 1 '^warning: the run ended after 18\.E, the reference goes on to 22\.E$' \
	'^compared 21 checksums of 6 arrays at 18 points: 1 finding$'
shell compare -r ref -n 2 "$heat" 30 10
told "other shapes" 1 'Array \("u", "heat\.c", 32, 0\) is double 30 x 30 at the point 1\.E, but double 40 x 40 in the reference' \
	'array \("n", "heat\.c", 28, 0, "rw"\): 40 != 30 at the point 1\.B'
shell record -o unlike -n 1 "$unlike" right
shell compare -r unlike -n 3 "$unlike" branch
told "another way: it goes on behind it" 1 'at the point 7\.E there is the parallel loop unlike\.c:[0-9]+, but the parallel loop unlike\.c:[0-9]+ in the reference' \
	'^compared 10 checksums of 4 arrays at 9 points: 1 finding$'
shell compare -r unlike -n 3 "$unlike" fewer
told "a run that ends too early" 1 'the run ended after 7\.E, the reference goes on with the parallel loop unlike\.c:[0-9]+ at the point 8\.E'
shell compare -r unlike -n 3 "$unlike" crash
told "a run that crashes" 3 '^Signal SIGSEGV  \[1\] ' '^compared 7 checksums of 4 arrays at 6 points: equal; the run had not ended$'
shell compare -r unlike -n 3 "$unlike" more-objects
told "an object that the reference does not have" 1 'Array \("steps", "unlike\.c", [0-9]+, 0\) was not found at the point 1\.B in the reference'
if [ "$first" = openmpi ] && [ -x "$builddir/tests/prog/moved/heat" ]; then
	shell compare -r ref -n 3 "$builddir/tests/prog/moved/heat" 40 10
	told "another version: lines have moved" 0 '^warning: the reference ref is of another version of heat: points correspond by their numbers, arrays by their names$' \
		'^compared 25 checksums of 6 arrays at 22 points: equal$'
	shell compare -r ref -n 4 "$builddir/tests/prog/moved/heat" 40 10 --fault missing-halo
	told "another version: its fault" 1 'at the point 3\.E; previous correct point is 2\.E, at 3\.E  heat\.c:63  #1$'
fi
no_leak "references of something else"

# Not a whole reference. A long one has several blocks.
shell record -o long -n 1 "$heat" 40 100
size=$(stat -c %s long/sums.bin)
# broken NAME STATUS REGEX…: compares with the directory broken
broken()
{
	shell compare -r broken -n 2 "$heat" 40 100
	told "$@"
	rm -rf broken
}
fresh() { rm -rf broken; cp -r long broken; }
mkdir broken
broken "an empty directory" 2 '^dvmdbg: broken is not a reference: manifest\.json: No such file or directory$'
broken "no directory" 2 '^dvmdbg: broken is not a reference: manifest\.json: No such file or directory$'
echo x >broken
broken "a file" 2 '^dvmdbg: broken is not a reference: manifest\.json: Not a directory$'
mkdir broken
echo x >broken/x
broken "another directory" 2 '^dvmdbg: broken is not a reference: manifest\.json: No such file'
fresh
truncate -s $((size * 2 / 3)) broken/sums.bin
broken "cut off" 2 '^warning: broken/sums\.bin is cut off at byte [0-9]+: only the [0-9]+ points before can be used$' \
	'^warning: the run went on after [0-9]+\.[BE], where the reference ends: [0-9]+ more constructs were not compared$' \
	'^compared [0-9]+ checksums of 6 arrays at [0-9]+ points: equal$'
fresh
truncate -s 200 broken/sums.bin
broken "cut off in the first block" 2 '^dvmdbg: broken/sums\.bin is cut off at byte 16: '
fresh
truncate -s 16 broken/sums.bin
broken "cut off between blocks" 2 '^dvmdbg: broken/sums\.bin is cut off: it has 0 of 303 points$'
fresh
: >broken/sums.bin
broken "sums that are empty" 2 '^dvmdbg: broken/sums\.bin is empty or not a file of checksums$'
fresh
rm broken/sums.bin
broken "no sums" 2 '^dvmdbg: broken/sums\.bin: No such file or directory$'
fresh
rm broken/sums.bin
mkfifo broken/sums.bin
broken "a pipe" 2 '^dvmdbg: broken/sums\.bin: '
fresh
truncate -s 100 broken/manifest.json
broken "half a manifest" 2 '^dvmdbg: broken/manifest\.json: line [0-9]+: '
fresh
: >broken/manifest.json
broken "an empty manifest" 2 '^dvmdbg: broken/manifest\.json: line 1: '
fresh
echo '{"type": "something"}' >broken/manifest.json
broken "another manifest" 2 '^dvmdbg: broken/manifest\.json is not that of a reference$'
fresh
sed -i 's/"format": 2/"format": 7/' broken/manifest.json
broken "a later format" 2 '^dvmdbg: broken: a reference of format 7; this dvmdbg reads 2$'
fresh
sed -i 's/"finish": null/"finish": "far"/' broken/manifest.json
broken "a manifest with a bad point" 2 '^dvmdbg: broken/manifest\.json.*"far" is not a point'
fresh
patch_byte broken/sums.bin 3000
broken "a damaged block: the others are compared" 2 '^warning: broken/sums\.bin: the block at byte 16 is damaged: 64 points are not compared$' \
	'^compared [0-9]+ checksums of [0-9]+ arrays at [0-9]+ points: equal$'
# Wherever a byte is wrong: it is told, or does not matter; never a false finding, never a crash.
bad=
for file in sums.bin manifest.json; do
	bytes=$(stat -c %s "long/$file")
	for at in 1 17 21 25 29 40 $((bytes / 3)) $((bytes / 2)) $((bytes - 5)); do
		fresh
		patch_byte "broken/$file" $at
		shell compare -r broken -n 1 "$heat" 40 100
		printf '%s\n' "$status $out" | grep -qE '^(0|2) ' || bad="$bad $file:$at($status)"
		[ $status = 0 ] || printf '%s\n' "$out" | grep -qE '(sums\.bin|manifest\.json|broken)' ||
			bad="$bad $file:$at(nothing told)"
		[ "$file" != sums.bin ] || [ $status = 2 ] || bad="$bad $file:$at(not seen)"
	done
done
is "a wrong byte anywhere" "$bad" ""
fresh
if [ "$(id -u)" != 0 ] || command -v setpriv >/dev/null; then
	as=
	# Root without the right to read all, not another user: who may not enter the folder of the clone.
	[ "$(id -u)" != 0 ] || as="setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search"
	chmod 0 broken/sums.bin
	out=$(timeout -k 5 60 $as "$DVMDBG" compare -r broken -n 1 "$heat" 40 10 2>&1 </dev/null)
	status=$?
	told "sums that cannot be read" 2 '^dvmdbg: broken/sums\.bin: Permission denied$'
else
	skip "sums that cannot be read" "root can read all"
fi

# Where no reference can be written.
mkdir taken
echo x >taken/x
shell record -o taken -n 1 "$heat" 40 10
told "a directory with other content" 2 '^dvmdbg: taken: the directory is not empty, and it is not a reference$'
is "it stays as it is" "$(cd taken && echo *)" x
shell record -o taken/x -n 1 "$heat" 40 10
told "a file" 2 '^dvmdbg: taken/x: Not a directory, and it is not a reference$'
shell record -o nix/ref -n 1 "$heat" 40 10
told "a directory that is not there" 2 '^dvmdbg: nix/ref\.partial: No such file or directory$'
if mkdir small && mount -t tmpfs -o size=20k tmpfs small 2>/dev/null; then
	shell record -o small/ref -n 2 "$heat" 40 200
	told "a full disk" 2 '^warning: small/ref\.partial: No space left on device; the reference ends before [0-9]+ points; what was recorded before is kept$' \
		'^heat: .* OK$'
	shell compare -r small/ref -n 3 "$heat" 40 200
	told "what was recorded before it was full" 2 '^warning: small/ref ends early: its run did not end, or could not be recorded$' \
		'^compared [1-9][0-9]* checksums of [0-9]+ arrays at [1-9][0-9]* points: equal$' \
		'^Not fully compared: small/ref ends early: .*; the run went on after .*, where the reference ends: [0-9]+ more constructs were not compared\.$'
	rm -rf small/*
	dvm 60 'record small/ref
run' -n 2 "$heat" 40 200
	told "a full disk in a session" 2 '^warning: small/ref\.partial: No space left on device'
	# There is room again for the manifest: what is told as recorded is what was kept.
	rm -rf small/*
	head -c 4096 /dev/zero >small/fill
	start -n 1 "$heat" 40 200
	tell 'record small/ref' 'break 400.B' run
	expect_out "the disk is full before" 60 '^Point 400\.B'
	rm small/fill
	tell 'delete 0' cont quit
	finish
	kept=$(printf '%s\n' "$out" | sed -n 's/^recorded \([1-9][0-9]* checksums\) at [0-9]* points in small\/ref, .*/\1/p')
	shell compare -r small/ref -n 1 "$heat" 40 200
	is "what is told as recorded is what was kept" "$(said | grep ^compared | sed 's/ of .*://')" "compared $kept equal" ||
		diag "$(grep -v '^|' "$tmp/o" | tail -n 5)"
	umount small
else
	skip "a full disk" "tmpfs cannot be mounted"
fi
no_leak "references that are no good"

# Arrays that do not fit together between ranks.
shell record -o askew -n 1 "$askew" right
shell compare -r askew -n 3 "$askew" right
is "those that do" "$status $(last_line)" "0 compared 11 checksums of 5 arrays at 10 points: equal"
# unfit HOW REGEX: the array w has no checksum, and nobody can say whether it should
unfit()
{
	shell compare -r askew -n 3 "$askew" "$1"
	told "$1" '[12]' "^warning: Unable to compute checksum for array \\(\"w\", \"askew\\.c\", [0-9]+, 0\\) at the point 3\\.E: $2\$" \
		'^compared 7 checksums of 4 arrays at 6 points: (equal|1 finding); 4 could not be compared$' \
		'^Not fully compared: .*4 checksums could not be compared\.$'
	is "$1: one warning" "$(printf '%s\n' "$out" | grep -c 'Unable to compute')" 1
}
unfit some '16 of 24 elements; not registered on \[1\]'
unfit shapes 'registered with different shapes: \(24\) on \[0,2\], \(30\) on \[1\]'
# astray HOW REGEX: w is not dealt out whole, as it was in the reference
astray()
{
	shell compare -r askew -n 3 "$askew" "$1"
	told "$1" 1 "^Finding parts .*Array \\(\"w\", \"askew\\.c\", [0-9]+, 0\\).*at the point 3\\.E: $2.*previous correct point is absent, at 3\\.E  askew\\.c:" \
		'^compared 7 checksums of 4 arrays at 6 points: 1 finding; 4 could not be compared$'
	is "$1: it is told once" "$(printf '%s\n' "$out" | grep -c "$2")" 1
}
astray twice '25 of 24 elements; elements are owned by more than one rank'
astray nobody '23 of 24 elements; the others are owned by no rank'
shell compare -r askew -n 3 "$askew" some-scalars
told "a scalar on some ranks" 2 '^warning: Unable to compute checksum for array \("local", "askew\.c", [0-9]+, 0\) at the point 1\.B: not registered on \[1\]$'
shell compare -r askew -n 3 "$askew" gone
told "an array that is no more" 1 'Array \("w", "askew\.c", [0-9]+, 0\) was not found at the point 7\.E, but the reference has it, at 7\.E '
shell record -o failed -n 3 "$askew" shapes
shell compare -r failed -n 2 "$askew" right
told "a reference with FAILED" 2 "^warning: failed checksums found\\. They won't be recounted\$" \
	'^compared 7 checksums of 4 arrays at 6 points: equal; 4 could not be compared$'
is "it is told once" "$(printf '%s\n' "$out" | grep -c 'failed checksums found')" 1
shell record -o idle -n 1 "$askew" idle
shell compare -r idle -n 3 "$askew" idle
is "a loop that runs on no rank" "$status $(last_line)" "0 compared 11 checksums of 5 arrays at 10 points: equal"

# Ranks that do not come: who waits for whom, and no hang.
dvm 60 'compare askew
set STOP_ON = mismatch
set STOP_TIMER = 1
run' -n 3 "$askew" pipeline
told "ranks that wait for one that holds" 0 '^warning: at 2\.E \[0\] waited in vain for \[1:2\] and were released; ' \
	'^All ranks have exited with code 0\.$' '^compared 11 checksums of 5 arrays at 10 points: equal$'
start --batch -n 3 "$unlike" hang-inside
tell 'compare unlike' 'set STOP_ON = mismatch' 'set STOP_TIMER = 1' 'go'
expect_out "a rank that never comes" 30 '^warning: at 6\.E \[0,2\] waited in vain for \[1\] and were released; '
tell 'status'
expect_out "it can be seen" 30 '^  \[1\] +running +last seen at 6\.B'
finish
told "it ends all the same" 0 '^compared 7 checksums of 4 arrays at 6 points: equal; the run had not ended$'
no_leak "ranks that do not fit together"

# A full queue: the program waits, or gives points up and says which. Its supervisor sleeps meanwhile.
supervisor() { running "$builddir/runtime/exec/dvmdbg-exec"; }
has_ended() { [ -z "$(running "$1")" ]; }
at_first() { tell status; sleep 0.1; seen '^  \[0\] +running +last seen at 1\.E'; }
# flood HOW: 1500 loops, of whose exact sums the queue takes some hundreds
flood()
{
	rm -f begin
	start --batch --set SUMS="$1" --set EXACT_SUMS=ON "$builddir/tests/prog/arrays/sums" flood "$tmp/begin"
	tell 'record flood' 'go'
	check "$1: it runs" wait_for 30 at_first
	kill -STOP $(supervisor)
	touch begin
}
flood drop
check "drop: the program does not wait" wait_for 60 has_ended "$builddir/tests/prog/arrays/sums"
kill -CONT $(supervisor)
tell 'wait'
finish
told "drop: it is told which points were given up" 2 '^warning: SUMS drop: \[0\] gave up checksums between [0-9]+\.E and 150[01]\.E$' \
	'^recorded [0-9]+ checksums at [0-9]+ points in flood, '
flood wait
sleep 0.5 # so that the queue is full; if it is not, nothing is lost
kill -CONT $(supervisor)
tell 'wait'
finish
told "wait: nothing is given up" 0 '^recorded 1500 checksums at 1500 points in flood, '
unlike "wait: and nothing is said of that" "$out" 'gave up'
no_leak "a full queue"
done_testing
