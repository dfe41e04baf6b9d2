# SPDX-License-Identifier: GPL-3.0-or-later
# Traces as they are recorded: what is in them, and that they can be read after whatever happens.
. "${0%/*}/lib.sh"
[ "$have_openmpi" = yes ] || [ "$have_mpich" = yes ] || skip_all "no MPI"
prog=$builddir/tests/prog/traces/traced-hooked
plain=$builddir/tests/prog/traces/traced
[ -x "$prog" ] || skip_all "no program with access hooks"
cat=$builddir/tests/prog/traces/tracecat
ref=$tmp/ref
cd "$tmp" || exit 1

# counts FILE: what is in a trace, in one line
counts() { "$cat" "$1" -c 2>&1 | tr '\n' ' '; }
count() { "$cat" "$1" -c 2>/dev/null | sed -n "s/^$2 //p"; }
# accesses to u and v of one rank: with so many own elements, in so many steps
accesses() { echo $((2 * $1 + 4 * $1 * $2)); }

n=1000 steps=3 own=500
wanted=$(mpirun "$(first_mpi)" 2 "$plain" $n $steps)
is "the program with hooks computes the same by itself" "$(mpirun "$(first_mpi)" 2 "$prog" $n $steps)" "$wanted"

dvm 120 "level FULL
record $ref
run" -n 2 "$prog" $n $steps
is "recording ends well" "$status" 0
is "the program computes the same" "$(printf '%s\n' "$out" | grep -Fx -- "$wanted")" "$wanted"
for r in 0 1; do
	f=$ref/trace.$r.bin
	is "rank $r: each access to the arrays is there" "$(count "$f" named)" "$(accesses $own $steps)"
	is "rank $r: each iteration" "$(count "$f" ITER)" $((own * (1 + 2 * steps) + steps))
	is "rank $r: each construct" "$(count "$f" BEGIN) $(count "$f" END)" "8 8"
	like "rank $r: values, the reduction, to the end" "$(counts "$f")" \
		"VALUE 15 .*REDUCTION 1 .*missing 0 .* complete"
done
like "an access has its place, element and value" "$("$cat" "$ref/trace.1.bin")" \
	'^WRITE 1\.B u\+0 = 0\.00199601 \[8\] traced-hooked [0-9a-f]+$' '^BEGIN 2\.B PL level 3 0:999$'
no_leak "recording"

dvm 120 "level MODIFY
record $ref
run" -n 2 "$prog" $n $steps
f=$ref/trace.0.bin
is "MODIFY: writes only" "$(count "$f" named) $(count "$f" READ)" "$((own + 2 * own * steps)) "
dvm 120 "level MINIMAL
record $ref
run" -n 2 "$prog" $n $steps
like "MINIMAL: no accesses" "$(counts "$f")" "^BEGIN 8 END 8 ITER 3503 VALUE 15 REDUCTION 1 named 0 "
dvm 120 "level MINIMAL
record $ref
run" -n 2 "$plain" $n $steps
like "MINIMAL: of a program without hooks, too" "$(counts "$f")" "^BEGIN 8 END 8 ITER 3 VALUE 15 REDUCTION 1 named 0 "
dvm 120 "level NONE
record $ref
run" -n 2 "$prog" $n $steps
is "NONE: no trace, and none of the run before" "$(ls "$ref" | grep -c trace)" 0

dvm 120 "level FULL
start 3.B
finish 4.E
record $ref
run" -n 2 "$prog" $n $steps
is "from start to finish: two loops" "$(count "$f" named)" $((4 * own))
is "outside only constructs begin and end, and steps" \
	"$(count "$f" BEGIN) $(count "$f" END) $(count "$f" ITER)" "8 8 $((2 * own + steps))"

# Blocks of 16 KiB: all are used many times.
dvm 120 "level FULL
set TRACE_MEMORY 1
record $ref
run" -n 2 "$prog" 100000 3
is "in one MiB" "$status $(count "$f" named) $(count "$f" missing)" "0 $(accesses 50000 3) 0"
check "that took many blocks" [ "$(count "$f" blocks)" -gt 64 ]

dvm 120 "level FULL
record $ref
run" -n 2 "$prog" $n $steps fork
is "children that are forked are left alone" \
	"$(count "$f" named) $(printf '%s\n' "$out" | grep -Fx -- "$wanted")" "$(accesses $own $steps) $wanted"
no_leak "forks"

# At a stop all that was recorded is in the file.
start -n 2 "$prog" $n $steps
tell "level FULL" "record $ref" "break 4.B" "run" "print steps"
expect_out "it stops" 60 'steps = 3'
f=$ref.partial/trace.0.bin
is "at a stop all of before is there" "$(count "$f" named) $(count "$f" BEGIN)" "$((own + 4 * own)) 5"
like "and it is known that it is not all" "$(counts "$f")" incomplete
tell cont quit
finish
f=$ref/trace.0.bin
is "and then the rest" "$(count "$f" named)" "$(accesses $own $steps)"
no_leak "a stop"

# Ends in the middle of a loop: half of it is there.
for how in exit kill segv abort abrt term; do
	dvm 120 "level FULL
record $ref
run
cont" -n 2 --set STOP_TIMER=1 "$prog" $n $steps $how
	is "$how: what was done is there" "$(count "$f" named)" $((own + 4 * own + 2 * (own / 2 + 1)))
	like "$how: and that it is not all" "$(counts "$f")" $([ $how = exit ] && echo ' complete' || echo incomplete)
	no_leak "$how"
done

# A wrong value that is right again at the end: checksums do not see it. Ranks stop where it was.
rm -rf "$ref"
dvm 120 "level FULL
record $ref
run
record -off
level NONE
compare $ref
set STOP_ON mismatch
run $n $steps odd
status
where
set STOP_ON none
cont" -n 2 "$prog" $n $steps
like "comparing: all ranks stop at the end of that loop" "$out" '4\.E' 'mismatch'
like "comparing: a finding of values, of the element" "$out" 'v\[750\]: -1 here, '
no_leak "comparing"
rest_in all
dvm 120 "compare $ref
run" -n 4 "$prog" $n $steps
is "comparing: a run that is right has no finding" "$status" 0
unlike "comparing: nothing is told" "$out" 'here, '

# Threads: each has blocks of its own, and it is the same whatever their number.
if "$builddir/runtime/dvmdbg-cc" -O2 -fopenmp -I"$srcdir/runtime" "$srcdir/tests/prog/traces/traced_omp.c" -o omp \
	-L"$builddir/runtime/.libs" -Wl,-rpath,"$builddir/runtime/.libs" -ldvmdbg 2>/dev/null; then
	wanted=$(OMP_NUM_THREADS=1 ./omp 2000 4)
	export OMP_NUM_THREADS=1
	rm -rf "$ref"
	dvm 120 "level FULL
record $ref
run" -n 1 ./omp 2000 4
	one="$(count "$f" named) $(count "$f" ITER) $(count "$f" END)"
	is "one thread: all accesses" "$one" "$((1998 * 5 * 4 + 2000)) $((1998 * 2 * 4 + 4)) 9"
	export OMP_NUM_THREADS=4
	dvm 120 "compare $ref
run" -n 1 ./omp 2000 4
	[ "$status" = 0 ] || diag "$out"
	is "four threads compare with one" "$status $(printf '%s\n' "$out" | grep -Fx -- "$wanted")" "0 $wanted"
	unlike "four threads: no finding" "$out" 'here, '
	dvm 120 "level FULL
record $ref
run" -n 1 ./omp 2000 4
	is "four threads: the same accesses" "$(count "$f" named) $(count "$f" ITER) $(count "$f" END)" "$one"
	is "four threads: blocks of each" "$("$cat" "$f" | sed -n 's/^block [0-9]* thread \([0-9]*\).*/\1/p' |
		sort -u | tr '\n' ' ')" "0 1 2 3 "
	is "four threads: their iterations are counted" "$("$cat" "$f" | grep -c '^END [1-8]\.E PL 1998$')" 8
	unset OMP_NUM_THREADS
	no_leak "threads"
else
	skip "threads" "no OpenMP"
fi

# Libraries with hooks that come and go, perhaps at the same addresses: each access is of the right one.
hooked() { "$builddir/runtime/dvmdbg-cc" -g -O1 -I"$srcdir/runtime" "$srcdir/tests/prog/hooks/plugin.c" "$@"; }
hooked -o plugin -rdynamic -L"$builddir/runtime/.libs" -Wl,-rpath,"$builddir/runtime/.libs" -ldvmdbg -ldl
hooked -shared -fPIC -DFILL=100 -o one.so
hooked -shared -fPIC -DFILL=200 -o two.so
dvm 120 "level FULL
record $ref
run ./one.so ./two.so ./one.so" -n 1 ./plugin
like "libraries: the program computes the same" "$out" '^plugin: 209'
"$cat" "$ref/trace.0.bin" >all
for k in 1:one 2:two 3:one; do
	IFS=: read -r point name <<<"$k"
	is "libraries: $name.so fills u" "$(sed -n "/^BEGIN $point.B/,/^END $point.E/p" all |
		grep -c "^WRITE $point.B u+[0-9]* = [0-9]* \[8\] $name.so ")" 10
done
# What nobody has registered has the same name however often, and wherever, its module is loaded.
own() { nm "$1" | sed -n "s/^0*\([0-9a-f]*\) . $2\$/\1/p"; }
is "libraries: their own variables, and the program's" \
	"$(sed -n 's/^READ \([123]\)\.B @\([a-z.]*+[0-9a-f]*\) = .*/\1 \2/p' all | sort | uniq -c | sed 's/^ *//')" \
	"10 1 one.so+$(own one.so early)
10 1 plugin+$(own plugin u)
10 2 plugin+$(own plugin u)
10 2 two.so+$(own two.so early)
10 3 one.so+$(own one.so early)
10 3 plugin+$(own plugin u)"
is "libraries: what their constructors write" \
	"$(sed -n 's/^WRITE \([a-z0-9.E]*\) @\([a-z]*\.so+[0-9a-f]* = [0-9]*\) .*/\1 \2/p' all | tr '\n' ';')" \
	"start one.so+$(own one.so early) = 100;1.E two.so+$(own two.so early) = 200;2.E one.so+$(own one.so early) = 100;"
no_leak "libraries"

# The front end is killed, and a supervisor, while all are busy.
slow()
{
	rm -rf "$ref" "$ref.partial"
	start -n 2 "$prog" 100000 3 slow
	tell "set ON_EXIT $1" "level FULL" "record $ref" "run"
	wait_for 60 test -s "$ref.partial/trace.0.bin"
	wait_for 60 eval '[ "$(stat -c %s "$ref.partial/trace.0.bin")" -gt 200000 ]'
}
readable() { "$cat" "$1" -c >/dev/null 2>&1 && [ "$(count "$1" named)" -gt 100000 ]; }
slow kill
kill -KILL "$(front_end)"
finish 2>/dev/null
no_leak "the front end is killed"
check "the front end is killed: the trace can be read" readable "$ref.partial/trace.0.bin"

# What asks dvmdbg to end, as a batch system does, is no end of the run.
for sig in INT TERM HUP; do
	rm -rf "$ref" "$ref.partial"
	timeout -k 5 100 "$DVMDBG" record -o "$ref" --level FULL -n 2 "$prog" 100000 3 slow </dev/null >"$tmp/o" 2>&1 &
	session=$!
	wait_for 60 test -s "$ref.partial/trace.0.bin"
	kill -$sig "$(front_end)"
	wait $session
	is "record is ended by SIG$sig: its status" $? 2
	like "record is ended by SIG$sig: it says so" "$(<"$tmp/o")" 'the run had not ended$'
	no_leak "record is ended by SIG$sig"
done

# Memory, however long the run: what blocks and all that is made of them take.
memory() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$1/status"; }
rm -rf "$ref" "$ref.partial"
start -n 1 "$prog" 100000 3 slow
tell "level FULL" "set TRACE_MEMORY 16" "record $ref" "run"
wait_for 100 eval '[ "$(stat -c %s "$ref.partial/trace.0.bin" 2>/dev/null || echo 0)" -gt 20000000 ]'
for p in $(running "$builddir/runtime/exec/dvmdbg-exec"); do
	[ "$(tr '\0' '\n' <"/proc/$p/cmdline" | grep -c traced)" -gt 0 ] || continue
	check "memory: $(memory "$p") kB of the supervisor are not more than it may have" [ "$(memory "$p")" -lt $((16 * 1024 + 8192)) ]
done
kill -INT "$(front_end)" # it waits for the end of what goes on for ever
tell kill quit
finish
no_leak "memory"

slow kill
cp /dev/null copy
# the rank whose file it is
exe=$(running "$builddir/runtime/exec/dvmdbg-exec" | while read -r p; do
	tr '\0' '\n' <"/proc/$p/environ" | grep -qE '^(OMPI_COMM_WORLD_RANK|PMI_RANK)=0$' && echo "$p"
done)
kill -KILL $exe
wait_for 20 eval '[ -z "$(tagged | while read -r p; do [ "$(cut -d " " -f 4 "/proc/$p/stat" 2>/dev/null)" = '"$exe"' ] && echo $p; done)" ]'
tell kill quit
finish
check "a supervisor is killed: the trace can be read" readable "$ref/trace.0.bin"
no_leak "a supervisor is killed"

# A file that cannot grow: the run goes on, and this is said once.
start -n 2 "$prog" 200000 3
tell "level FULL" "set TRACE_MEMORY 1" "record $ref" "break 1.B" "run" "print steps"
expect_out "it waits" 60 'steps = 3'
for p in $(running "$builddir/runtime/exec/dvmdbg-exec"); do
	prlimit --pid "$p" --fsize=100000:unlimited
done
tell cont
expect_out "no room: the program runs on" 60 'traced: 200000 elements, 3 steps'
tell quit
finish
is "no room: that is said once for each rank, with the file" \
	"$(printf '%s\n' "$out" | grep -c '^warning: the trace of .* ends here: .*trace\.[01]\.bin: .*File too large')" 2
is "no room: and it is a finding of each" \
	"$(printf '%s\n' "$out" | grep -cE '^Finding partial +\[[01]\] .*trace\.[01]\.bin: File too large; the trace ends after [0-9]+ blocks' )" 2
like "no room: what was written can be read" "$(counts "$ref/trace.0.bin")" incomplete
check "no room: and it is some" [ "$(count "$ref/trace.0.bin" named)" -gt 1000 ]
no_leak "no room"

# A disk that is full in the middle of a block.
if mkdir small && mount -t tmpfs -o size=256k tmpfs small 2>/dev/null; then
	dvm 120 "level FULL
set TRACE_MEMORY 1
record $tmp/small/ref
run
findings" -n 1 "$prog" 200000 3
	like "a full disk: the program runs on, and it is a finding" "status $status
$out" '^status 2$' 'traced: 200000 elements, 3 steps' '^warning: the trace of \[0\] ends here: .*No space left on device' \
		'^Finding partial +\[0\] .*/small/ref.partial/trace\.0\.bin: No space left on device; the trace ends after [0-9]+ blocks'
	f=small/ref/trace.0.bin
	like "a full disk: what was written can be read" "$(counts "$f")" 'missing 0 .* incomplete'
	check "a full disk: and it is as much as there was room for" [ "$(count "$f" named)" -gt 10000 ]
	is "a full disk: of whole blocks" "$("$cat" "$f" | grep -c '^block .* half:')" 0
	dvm 120 "compare $tmp/small/ref
run" -n 2 "$prog" 200000 3
	like "a full disk: what is there is compared" "status $status
$out" '^status 2$' 'did not come to its end: only what it has is compared' '^compared traces .* [1-9][0-9]* accesses.*: equal'
	out=$(timeout -k 5 60 "$DVMDBG" trace export small/ref small/text 2>&1 </dev/null)
	like "a full disk: export says so" "$? $out" '^2 .*small/text: No space left on device'
	check "a full disk: and leaves no half of a file" [ ! -e small/text ]
	if mknod full c 1 7 2>/dev/null; then
		timeout -k 5 60 "$DVMDBG" trace export small/ref full >/dev/null 2>&1 </dev/null
		check "a full disk: a device that is full stays" [ -c full ]
	fi
	umount small
	no_leak "a full disk"
else
	skip "a full disk" "tmpfs cannot be mounted"
fi
done_testing
