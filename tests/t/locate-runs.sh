# SPDX-License-Identifier: GPL-3.0-or-later
# locate when runs are unlike in other ways than by one value: they crash, hang, end early, take another way,
# have other arrays, are not the same twice; there is nothing to compare; references that there are; Ctrl-C.
. "${0%/*}/lib.sh"

first=$(first_mpi)
unlike=$(prog tests/prog/locate/unlike "$first")
[ -x "$unlike" ] || skip_all "no MPI"

# locate ARGS…: what it says, as text, in $out, exit status in $status
locate()
{
	out=$(timeout -k 5 120 "$DVMDBG" locate "$@" 2>&1 </dev/null)
	status=$?
}
# ends HOW STATUS REGEX…: on three ranks
ends()
{
	local how=$1 want=$2
	shift 2
	locate --set STOP_TIMER=1 -n 3 "$unlike" "$how"
	like "$how" "status $status
$out" "^status $want\$" "$@"
}

ends crash-one 3 '^Signal SIGSEGV  \[0\]  sequential loop  unlike\.c:[0-9]+  last point 5\.E, iteration 3' \
	'^the reference, 1 rank: \[0\] was stopped by SIGSEGV after 5\.E\. Up to there nothing differs: 7 checksums of 4 ' \
	'^2 runs, '
ends crash 3 '^Signal SIGSEGV  \[1\] ' '^(Paused  \[0\]  .*  last point 5\.E|Point 5\.E  \[0,2\] )' '^(Paused  \[2\]|Point 5\.E  \[0,2\])  ' \
	'^the comparison, 3 ranks: \[1\] was stopped by SIGSEGV after 5\.E\. Up to there nothing differs: '
ends wrong-crash 1 '^array v, element v\[12\], first wrong at 4\.E in iteration 2 ' '^  this run   0\.92' '^4 runs, '
ends exit-one 1 'at the point 6\.E there is the parallel loop .*, but the reference has no such point\.$' \
	'^  - the reference: \[0\] exited with code 5 after 5\.E'
ends exit 1 '^the run ended after 5\.E, the reference goes on with the parallel loop unlike\.c:[0-9]+ at the point 6\.E\.$' \
	'^  - the comparison: \[0:2\] exited with code 5 after 5\.E' '^  - the runs execute different constructs after 5\.E'
for way in "rank-branch:7:PL unlike\.c:[0-9]+ on \[1\], PL unlike\.c:[0-9]+ on \[0,2\]" \
	"rank-more:8:PL unlike\.c:[0-9]+ on \[1\], PL unlike\.c:[0-9]+ on \[0,2\]" \
	"rank-fewer:7:PL unlike\.c:[0-9]+ on \[1\], PL unlike\.c:[0-9]+ on \[0,2\]"; do
	IFS=: read -r how number parts <<<"$way"
	ends "$how" 1 "^ranks go different ways after $((number - 1))\.E, in iteration 3 of the loop at unlike\.c:[0-9]+: at $number\.B there is ${way#*:*:}\. In the reference there is the parallel loop unlike\.c:[0-9]+ at $number\.B\." \
		'^  - look at what decides there which way a rank takes'
	unlike "$how: nothing else is the cause" "$out" '^array |^replicated |because'
done
rest_in all
line=$(grep -n 'size + 3' "$srcdir/tests/prog/locate/unlike.c" | cut -d: -f1)
ends mpi-error 1 "^the comparison, 3 ranks: MPI_Send failed on \[1\] at unlike\.c:$line, after 5\.E: .*[Ii]nvalid rank.*Up to there nothing differs"
ends fewer 1 '^the run ended after 7\.E, the reference goes on with the parallel loop .* at the point 8\.E\.$'
ends more 1 '^at the point 10\.E there is the parallel loop .*, but the reference has no such point\.$'
ends branch 1 '^at the point 7\.E there is the parallel loop unlike\.c:([0-9]+), but the parallel loop unlike\.c:[0-9]+ in the reference\.$' \
	'^  point      7\.E; previous correct point 6\.E' '^->'
ends scalar 1 '^replicated factor, first wrong between 5\.E and 6\.B, in iteration 2 or 3 of the loop at unlike\.c:[0-9]+, after the parallel loop at unlike\.c' \
	'^  reference  0\.5  \(1 rank\)' '^  this run   0\.25  \(3 ranks\)' '^  - factor got this value between ' '  SL  unlike\.c:[0-9]+   iteration 3'
ends inside 1 '^replicated factor, first wrong at 6\.E in iteration 3 of the loop at unlike\.c:[0-9]+, in the parallel loop at unlike\.c:[0-9]+\.$' \
	'^  reference  0\.5  \(1 rank\)' '^  this run   0\.25  \(3 ranks\)' '^  point      6\.E; previous correct point 6\.B$' \
	'^  0  .*\[0:2\]  PL  unlike\.c:[0-9]+   6\.E$' '  SL  unlike\.c:[0-9]+   iteration 3$'
ends reduced 1 'Finding replicated  \[1:2\] .*: \[0\] mean 24, \[1:2\] mean 16; the reference has mean 24, so \[1:2\] are wrong' \
	'^replicated row, element row\[1\], first wrong between 7\.E and 8\.B, in iteration 3 or 4 of the loop .*, on ranks \[1:2\]\.$' \
	'^  reference  72  \(1 rank\)$' '^  this run   48  \(on \[1:2\] of 3 ranks\)$' '^  copies     \[0\]    row\[1\] = 72, mean 24: right$' \
	'^             \[1:2\]  row\[1\] = 48, mean 16: wrong$' '^  differ     1 of 3 elements, on \[1:2\]; most row\[1\]: 48, not 72$' \
	'^  - ranks other than \[1:2\] have the value of the reference'
ends gaps 1 'Finding parts  \[0:2\]  an array is not distributed correctly: Array \("u", "unlike\.c", [0-9]+, 0\) at the point 1\.E: 22 of 24 elements; the others are owned by no rank\.' \
	'^array u is not distributed correctly: 2 of 24 elements are owned by no rank, first at 1\.E, in the parallel loop at unlike\.c' \
	'^  unowned    u\[22:23\]: 2 elements$' '^  owned      rank 0: u\[0:7\], 8 elements$' '^             rank 2: u\[16:21\], 6 elements$' \
	'^  - each element of u must be owned by one rank'
unlike "a finding is no warning as well" "$out" 'Unable to compute checksum for array \("u"'
ends overlap 1 '^array u is not distributed correctly: 1 of 24 elements is owned by more than one rank, first at 1\.E' '^  twice      u\[8\]: 1 element$'
ends shape 1 '^Array \("u", .*\) is double 25 at the point 1\.E, but double 24 in the reference\.$' '^  - u must have the same'
ends more-objects 1 '^Array \("steps", .*\) was not found at the point 1\.B in the reference\.$' '^unlike more-objects: 3 ranks'
ends nan 1 'element v\[22\], first wrong at 6\.E' '^  this run   nan ' '^  differ     1 of 24 elements, on \[2\]' \
	'^  - it is not a number'
ends nan-both 0 '^nothing differs: 1 and 3 ranks give the same bits\. 11 checksums of 4 arrays and replicated objects at 10 points were compared, 218 elements in all, up to 9\.E and at the end of the program\.$'
ends infinite 1 '^  this run   inf '
ends rounding 0 '^only rounding differs, within 1e-09 of its block.s largest value: from [0-9]+\.B on, first in total at unlike\.c:[0-9]+, by at most '
ends random 1 '^  - the reference is not reproducible: when it was run again, v had another value at 6\.E' \
	'^  - no cause is stated, as the reference is not the same in each run'
ends bare 1 '^nothing could be compared' '^  - parallel loops were passed, but there are no checksums: register the arrays'
no_leak "runs that are unlike"

echo 1 >"$tmp/count"
locate -n 3 "$unlike" wrong "$tmp/count"
like "a fault that was there once only" "status $status
$out" '^status 1$' 'element v\[12\], first wrong at 6\.E' '^  - when the program was run again, v was right there'
unlike "nothing is said about its halos" "$out" 'because the halo'

# Ranks that hang: who is where, and an end.
locate -n 3 --set HANG_LIMIT=2 "$unlike" hang-one
like "a reference that hangs" "status $status
$out" '^status 3$' '^Paused  \[0\]  sequential loop  unlike\.c:[0-9]+  last point 5\.E' '^No progress seen for ' '^the reference, 1 rank: given up, as no point was passed for [0-9]+ s\. Up to there nothing differs'
locate -n 3 --set HANG_LIMIT=7 --set STOP_TIMER=1 "$unlike" hang-inside
like "a rank that never comes" "status $status
$out" '^status 3$' 'at 6\.E \[0,2\] waited in vain for \[1\] and were released' \
	'^Paused  \[1\]  parallel loop  unlike\.c:[0-9]+  last point 6\.B' '^Paused  \[0\]  .*last point 7\.E' \
	'^  \[1\]  computes  for ' '^  \[0\]  MPI_Sendrecv from 1, tag 1, .*waits for \[1\]$' \
	'^the comparison, 3 ranks: given up, as no point was passed for [0-9]+ s\. Up to there nothing differs'
no_leak "hanging runs"

# What is no program for it.
locate -n 2 ./not-there
is "a missing program" "$status $out" "2 run 1: the reference, 1 rank
dvmdbg: locate: ./not-there: there is no such file"
locate -n 2 /bin/true
like "a program without annotations" "status $status
$out" '^status 2$' '^nothing could be compared' '^  - /bin/true has no annotations: include dvmdbg\.h' '^1 run, '
locate -n 1 "$unlike" right
like "one rank with one" "status $status
$out" '^status 0$' '^nothing differs: both runs, on 1 rank, give the same bits\.' '^  - one rank shows no faults of the distribution'
locate -n 3 --ref-ranks 2 "$unlike" wrong
like "a reference that has the fault as well" "status $status
$out" '^status 0$' '^  - a fault that 2 ranks have as well does not show'
TMPDIR=$tmp/none locate -n 2 --transport tcp "$unlike" right
like "no place for the reference" "status $status
$out" '^status 2$' "the reference cannot be stored: $tmp/none/dvmdbg-locate-"
# What a dvmdbg that was killed has left goes away at the next start: not what somebody holds, nor what is not ours.
mkdir -m 700 "$tmp/t" "$tmp/t/dvmdbg-locate-killed" "$tmp/t/dvmdbg-locate-killed/ref" "$tmp/t/dvmdbg-locate-held" "$tmp/t/locate-other"
mkdir -m 755 "$tmp/t/dvmdbg-locate-open"
echo data >"$tmp/t/dvmdbg-locate-killed/ref/sums.bin"
touch -d '1 minute ago' "$tmp"/t/*
(flock 8 && TMPDIR=$tmp/t timeout 20 "$DVMDBG" --batch -e 'set MAX_LIST' >/dev/null 2>&1) 8<"$tmp/t/dvmdbg-locate-held"
is "what a killed one has left is removed" "$(ls "$tmp/t" | tr '\n' ' ')" "dvmdbg-locate-held dvmdbg-locate-open locate-other "
locate -n 2 --image "$tmp/none/v.png" "$unlike" wrong
like "no place for the picture" "status $status
$out" '^status 1$' 'element v\[12\]' "^  - no picture: $tmp/none/v.png: No such file or directory"
unlike "it is not told as made" "$out" '^  picture'
if [ -w /dev/shm ] && mkdir "$tmp/small" && mount -t tmpfs -o size=8k tmpfs "$tmp/small" 2>/dev/null; then
	dd if=/dev/zero of="$tmp/small/fill" bs=1k count=8 2>/dev/null
	locate -n 2 -o "$tmp/small/ref" "$unlike" right
	umount "$tmp/small"
	like "a full disk" "status $status
$out" '^status 2$' 'No space left on device'
else
	skip "a full disk" "tmpfs cannot be mounted"
fi

# References that there are.
cp "$unlike" "$tmp/then" 2>/dev/null
timeout 60 "$DVMDBG" record -o "$tmp/ref" -n 2 "$unlike" right >/dev/null 2>&1 </dev/null
locate -n 3 -r "$tmp/ref" "$unlike" wrong
like "a reference that there is" "status $status
$out" '^status 1$' '^warning: the reference .* is of a run with other arguments: "right", this has "wrong"$' \
	'element v\[12\], first wrong at 6\.E' '^  reference  -0\.02.*  \(2 ranks\)' "^3 runs, .*, in $tmp/ref\.\$"
# The manifest's arguments are for the reference, when that is run again: nothing is added to what was typed.
timeout 60 "$DVMDBG" record -o "$tmp/wref" -n 2 "$unlike" wrong >/dev/null 2>&1 </dev/null
locate -n 3 -r "$tmp/wref" "$unlike"
like "no arguments on the command line are no arguments" "status $status
$out" '^status 1$' '^warning: the reference .* is of a run with other arguments: "wrong", this has ""$' \
	'element v\[12\], first wrong at 6\.E' '^  reference  0\.9.*  \(2 ranks\)' '^  this run   -0\.02.*  \(3 ranks\)'
# A reference that names another program: it must not be started, whatever it says of itself.
cp -r "$tmp/ref" "$tmp/forged"
printf '#!/bin/sh\ntouch "%s/started"\n' "$tmp" >"$tmp/evil"
chmod +x "$tmp/evil"
sed -i "s|\"program\": \"[^\"]*\"|\"program\": \"$tmp/evil\"|;s/\"build_id\": \"[0-9a-f]*\"/\"build_id\": \"\"/" "$tmp/forged/manifest.json"
locate -n 3 -r "$tmp/forged" "$unlike" wrong
like "a forged reference" "status $status
$out" '^status 1$' "^  - the reference is not run again: its program $tmp/evil is not the one of this run"
is "its program was not started" "$(ls "$tmp/started" 2>/dev/null)" ""
locate -n 3 -r "$tmp/ref" --ref-program "$tmp/then" "$unlike" wrong
like "the program of the reference can be named" "status $status
$out" '^status 1$' '^  reference  -0\.02.*  \(2 ranks\)'
locate -n 3 --ref-program "$tmp/then" "$unlike" wrong
like "… for a reference that there is" "$status $out" '^2 dvmdbg: locate: --ref-program is for an existing reference'
sed -i 's/"build_id": "[0-9a-f]*"/"build_id": "00"/' "$tmp/ref/manifest.json"
locate -n 3 -r "$tmp/ref" "$unlike" wrong
like "one of another version of the program" "status $status
$out" '^status 1$' 'is of another version of unlike' '^array v, first wrong at 6\.E' '^  means      reference -0\.0028' \
	'^  - the reference cannot be run again: .* has changed since'
heat=$(prog doc/examples/heat "$first")
locate -n 3 -r "$tmp/ref" "$heat" 40 3
like "one of another program" "status $status
$out" '^status 1$' 'is of another program: .*unlike, this is .*heat' '^at the point 1\.[BE] there is the parallel loop heat\.c:35, but the parallel loop unlike\.c'
locate -n 3 -r "$tmp/none" "$heat" 40 3
like "one that is none" "$status $out" '^2 dvmdbg: locate: .*/none is not a reference: manifest\.json: No such file'
locate -n 3 -r "$tmp/ref" --ref-ranks 2 "$heat" 40 3
like "one that is there is not made" "$status $out" "^2 dvmdbg: locate: -r DIR is an existing reference, which excludes '--ref-ranks'"
no_leak "references"

# Standard input is the program's, in each run.
echo 3 >"$tmp/number"
out=$(timeout 60 "$DVMDBG" locate -n 2 "$unlike" stdin <"$tmp/number" 2>&1)
like "a file on standard input" "$out" '^unlike stdin: 2 ranks, 1 numbers read$' '^nothing differs'

# Every outcome is an object a line, with its verdict.
for case in right:0:equal rounding:0:rounding bare:1:"nothing to compare" crash:3:failed branch:1:mismatch nan:1:mismatch; do
	IFS=: read -r how want verdict <<<"$case"
	locate -n 2 --json "$unlike" "$how"
	is "JSON of $how" "$status $(printf '%s\n' "$out" | grep -cvE '^\{"type":".*\}$') $(printf '%s\n' "$out" |
		grep -cE "^\{\"type\":\"locate\",\"verdict\":\"$verdict\",.*\"notes\":\[.*\]\}\$")" "$want 0 1"
	if command -v python3 >/dev/null; then
		check "JSON of $how is well formed" python3 -c 'import json, sys
for line in sys.argv[1].splitlines(): json.loads(line)' "$out"
	fi
done

# Ctrl-C in each phase: what is known by then, and nothing that runs on. interrupt_at NAME REGEX ARGS…
interrupt_at()
{
	local name=$1 regex=$2 pid
	shift 2
	: >"$tmp/o"
	timeout -k 5 60 "$DVMDBG" locate "$@" >"$tmp/o" 2>&1 </dev/null &
	if wait_for 20 seen '^run 1'; then
		pid=$(front_end)
		wait_for 20 seen "$regex"
		sleep 0.2
		kill -INT "$pid"
	fi
	wait $!
	status=$?
	out=$(<"$tmp/o")
	no_leak "$name"
}
interrupt_at "Ctrl-C in the reference" '^run 1' -n 3 "$unlike" slow-wrong
like "Ctrl-C in the reference" "status $status
$out" '^status 2$' '^interrupted during the reference; nothing was found so far'
interrupt_at "Ctrl-C in the comparison" '^run 2' -n 3 "$unlike" slow-wrong
like "Ctrl-C in the comparison" "status $status
$out" '^status 2$' '^interrupted during the comparison; nothing was found so far\.'
interrupt_at "Ctrl-C when it looks again" '^run 3' -n 3 "$unlike" slow-wrong
like "Ctrl-C when it looks again" "status $status
$out" '^status 1$' '^array v, first wrong at 6\.E' '^  means      reference -0\.0028' '^interrupted during the reference: this is what is known so far'

# In a terminal a line shows how far it is; nothing of it stays, and nothing of it is in a pipe.
unlike "no progress in a pipe" "$out" $'[0-9] of 9\\.E|\r'
typed_ok "the progress line in a terminal" 'sees "run 1: the reference, 1 rank: 5\\.E, \[0-9\]+ s" "run 2: the comparison, 3 ranks: 5\\.E of 9\\.E, \[0-9\]+ s" "\r\u001b\\\[K\[|\] unlike slow: 3 ranks" "nothing differs"
ends' locate -n 3 "$unlike" slow

for mpi in $(mpis_in long); do
	[ "$mpi" != "$first" ] || continue
	unlike=$(prog tests/prog/locate/unlike "$mpi")
	ends wrong 1 '^array v, element v\[12\], first wrong at 6\.E'
	ends crash 3 '^Signal SIGSEGV  \[1\] '
	ends fewer 1 '^the run ended after 7\.E'
	no_leak "$mpi"
done
done_testing
