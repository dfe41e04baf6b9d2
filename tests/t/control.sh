# SPDX-License-Identifier: GPL-3.0-or-later
# From outside: Ctrl-C at every stage, a terminal that goes away, the front end killed, two at a time,
# bytes that are not ours, rules changed and halt while ranks run, messages that parked ranks must move.
. "${0%/*}/lib.sh"

mpi=$(first_mpi)
heat=$(prog doc/examples/heat "$mpi")

for mpi in $(mpis_in long); do
	heat=$(prog doc/examples/heat "$mpi")

	start -n 4 "$heat" 100 1000000
	tell go
	sleep 2
	tell halt where 'print n'
	expect_out "$mpi: halt stops all at one point" 20 '^Point [0-9]+\.[BE]  \[0:3\]'
	expect_out "$mpi: and they can be looked at" 10 '^n = 100$'
	tell go
	sleep 1
	tell 'break heat.c:69' wait where
	expect_out "$mpi: a rule given while ranks run is kept by all" 20 '^Point [0-9]+\.B  \[0:3\]  parallel loop  heat\.c:69'
	tell quit
	finish
	no_leak "$mpi: halt and rules"

	typed_ok "$mpi: Ctrl-C halts what runs and gives the prompt back" '
prompt; enter cont; sleep 2
interrupt; sees {\^C\r\nPoint [0-9]+\.[BE]  \[0:3\]}
prompt; enter "print n"; sees {n = 100\r}
prompt; send "print nons"; interrupt
prompt; enter "print steps"; sees {steps = 1000000\r}
prompt; enter quit; ends' -n 4 "$heat" 100 1000000

	dvm 60 'break 1.B
cont
cont' -n 2 "$(prog tests/prog/runs/big "$mpi")"
	like "$mpi: a parked rank moves its large messages" "$out" '^Point 1\.B  \[0:1\]' 'All ranks have exited with code 0'
	no_leak "$mpi: large messages"

	start -n 4 "$heat" 100 1000000
	tell 'break heat.c:61' cont
	expect_out "$mpi: a stop before the front end is killed" 30 '^Point 3\.B'
	kill -KILL "$(front_end)"
	finish
	no_leak "$mpi: the front end killed while ranks are parked"

	start -n 4 "$heat" 100 1000000
	tell go
	sleep 2
	kill -KILL "$(front_end)"
	finish
	no_leak "$mpi: the front end killed while ranks run"

	start --set ON_EXIT=run -n 2 "$heat" 100 3000
	tell 'break heat.c:61' cont
	expect_out "$mpi: a stop before the end with ON_EXIT run" 30 '^Point 3\.B'
	kill -KILL "$(front_end)"
	finish
	check "$mpi: with ON_EXIT run the program runs on" test -n "$(running "$heat")"
	wait_for 300 nothing_tagged
	no_leak "$mpi: ON_EXIT run, after its end"
done
rest_in all

for stage in 0.05 0.3 0.7; do
	start -n 4 "$heat" 100 1000000
	tell cont
	sleep $stage
	kill -INT "$(front_end)" 2>/dev/null
	sleep 0.3
	tell status quit
	finish
	check "Ctrl-C $stage s after the start does no harm" test $status -lt 124
	no_leak "Ctrl-C $stage s after the start"
done

# What a signal has ended does not look like success. ended_by SIGNAL PROGRAM VERB ARGS…: of a run that is far from its
# end, or, when it is compared and must be as long as its reference, does not come to one.
runs() { [ -n "$(running "$1")" ]; }
ended_by()
{
	local sig=$1 program=$2
	shift 2
	start "$@"
	wait_for 30 runs "$program"
	sleep 0.5
	kill "-$sig" "$(front_end)"
	finish
	like "$1, ended by SIG$sig" "status $status
$out" '^status 2$' 'the run had not ended$' "^dvmdbg: interrupted by SIG$sig\$"
	no_leak "$1, ended by SIG$sig"
}
ring=$(prog doc/examples/ring "$mpi")
timeout -k 5 60 "$DVMDBG" record -o "$tmp/ref" -n 1 "$ring" 24 200 >/dev/null 2>&1 </dev/null
for sig in TERM HUP INT; do
	ended_by $sig "$heat" record -o "$tmp/cut" -n 2 "$heat" 30 10000000
	ended_by $sig "$ring" compare -r "$tmp/ref" -n 4 "$ring" 24 200 --fault lost-message
done

start -n 2 "$heat" 100 1000000
tell 'break heat.c:61' cont
expect_out "a stop before the input ends" 30 '^Point 3\.B'
finish
check "the end of its input ends dvmdbg" test $status -lt 124
no_leak "the end of its input"

typed_ok "the terminal goes away" '
prompt; enter cont; sleep 1; close; catch wait' -n 2 "$heat" 100 1000000
for moment in 0 100 400; do
	typed_ok "Ctrl-C $moment ms after the start, in a terminal" "
after $moment; interrupt; after 500; interrupt; send \\004; ends" -n 4 "$heat" 100 1000000
done

rest_in all
# Two at a time.
printf 'break heat.c:61\ncont\nprint steps\nstep 50\ncont' >"$tmp/two"
for i in 1 2; do
	timeout -k 5 60 "$DVMDBG" --batch -x "$tmp/two" -n 2 "$heat" 60 $((i * 7)) >"$tmp/o$i" 2>&1 </dev/null &
done
wait
like "of two at a time the first sees its own" "$(<"$tmp/o1")" '^Point 3\.B  \[0:1\]' '^steps = 7$'
like "of two at a time the second sees its own" "$(<"$tmp/o2")" '^Point 3\.B  \[0:1\]' '^steps = 14$'
no_leak "two at a time"

# Bytes that are not ours, on every socket of the session.
if command -v python3 >/dev/null; then
	start -n 4 "$heat" 100 1000000
	tell 'break heat.c:61' cont
	expect_out "a stop before the noise" 30 '^Point 3\.B'
	timeout 60 python3 - $(running "$DVMDBG") $(running "$builddir/runtime/exec/dvmdbg-exec") \
		-- $(tagged) >"$tmp/noise" 2>&1 <<'EOP'
import glob, os, random, socket, sys
random.seed(1)
def sockets(pids):
    found = set()
    for pid in pids:
        for fd in glob.glob(f"/proc/{pid}/fd/*"):
            try:
                t = os.readlink(fd)
            except OSError:
                continue
            if t.startswith("socket:"):
                found.add(t[8:-1])
    return found
ours = sys.argv[1:sys.argv.index("--")]
# The launcher's sockets, which ranks inherit from it, are not for us to shake.
inodes = sockets(ours) - sockets(set(sys.argv[len(ours) + 2:]) - set(ours))
unix, tcp = set(), set()
for l in open("/proc/net/unix").read().splitlines()[1:]:
    f = l.split()
    if f[6] in inodes and len(f) > 7 and f[3] == "00010000":
        unix.add(f[7])
for l in open("/proc/net/tcp").read().splitlines()[1:]:
    f = l.split()
    if f[9] in inodes and f[3] == "0A":
        tcp.add(int(f[1].split(":")[1], 16))
count = 0
noise = [b"", b"GET / HTTP/1.0\r\n\r\n", b"DVMW" + b"\xff" * 40, b"DVMW\x01\x00\x01\x00\xff\xff\xff\x7f",
         b"\0" * 5000] + [random.randbytes(random.randrange(1, 4000)) for _ in range(20)]
for data in noise:
    for kind, where in [(socket.AF_UNIX, u) for u in unix if "dvmdbg" in u] + [(socket.AF_INET, ("127.0.0.1", p)) for p in tcp]:
        s = socket.socket(kind)
        s.settimeout(2)
        try:
            s.connect(where)
            s.sendall(data)
            count += 1
        except OSError:
            pass
        finally:
            s.close()
print("sent", count, "to", len(unix), len(tcp))
EOP
	like "noise was sent" "$(<"$tmp/noise")" '^sent [1-9]'
	tell 'step 4' 'print n'
	expect_out "after noise the session goes on" 20 '^Point 5\.B  \[0:3\]'
	expect_out "after noise values are right" 20 '^n = 100$'
	tell quit
	finish
	no_leak "noise"
fi
done_testing
