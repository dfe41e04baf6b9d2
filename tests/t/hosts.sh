# SPDX-License-Identifier: GPL-3.0-or-later
# Ranks on other hosts: network namespaces, each with a name, an interface and nothing else in common with us. What
# they say goes by TCP, also among them; one that goes silent is lost after its timer.
if [ -z "${DVMDBG_TEST_HOSTS-}" ]; then
	# in a namespace of our own there is nothing that could be disturbed, and nothing to be taken away again
	if why=$(unshare -rn ip link add br0 type bridge 2>&1); then
		DVMDBG_TEST_HOSTS=1 exec unshare -rn bash "$0"
	fi
	echo "1..0 # SKIP no network namespaces: $why" | head -n 1
	exit 0
fi
. "${0%/*}/lib.sh"
export HOME=$tmp
export DVMDBG_PEER_TIMER=1

# The front end is 10.77.0.1, host N 10.77.0.(N + 1)
none_left() { [ -z "$(running "$builddir/runtime/exec/dvmdbg-exec")" ]; }
ip link set lo up
ip link add br0 type bridge
ip addr add 10.77.0.1/24 dev br0
ip link set br0 up
for n in 1 2; do
	unshare -nu sleep 1000 &
	host[n]=$!
	wait_for 5 test ! "/proc/${host[n]}/ns/net" -ef /proc/self/ns/net || not_ok "host $n"
	ip link add "h$n" type veth peer name eth0 netns "${host[n]}"
	ip link set "h$n" master br0 up
	nsenter -t "${host[n]}" -n -u sh -c "hostname node$n; ip link set lo up; ip link set eth0 up; ip addr add 10.77.0.$((n + 1))/24 dev eth0"
done
# without ping: to be refused is an answer
reached() { nsenter -t "${host[1]}" -n bash -c 'exec 3<>/dev/tcp/10.77.0.3/9' 2>&1 | grep -q refused; }
check "the hosts reach each other" wait_for 10 reached

# spread -n N COMMAND…: a launcher; even ranks run on the first host, odd ones on the second
cat >"$tmp/spread" <<EOT
#!/bin/bash
n=\$2
shift 2
for ((r = 0; r < n; r++)); do
	host=${host[1]}
	[ \$((r % 2)) = 0 ] || host=${host[2]}
	PMI_RANK=\$r PMI_SIZE=\$n nsenter -t \$host -n -u "\$@" &
done
wait
EOT
chmod +x "$tmp/spread"

start -n 4 --launcher "$tmp/spread" --transport tcp --set STOP_TIMER=1 "$builddir/tests/prog/runs/serial"
tell 'break 2.B' cont 'print a[1]' '[1] status -pid' 'where -native'
expect_out "all ranks stop at one point" 20 '^Point 2\.B +\[0:3\]'
expect_out "their values are read" 10 '^a\[1\] = 11'
expect_out "each is where it says" 10 'node2'
expect_out "their calls are seen" 10 '^ +\[0:3\] +main  serial.c'

# silence: no packet comes or goes, and nobody says so; on a slow machine they are lost before the question
ip link set h2 down
tell 'print a[2]'
expect_out "meanwhile they have not answered" 60 '\[1,3\] (did not answer|left out: lost)'
# together, or one after the other
expect_out "a host that has gone silent is lost after its timer" 20 \
	'the supervisors? of \[1(,3)?\] (is|are) gone, and the program'
expect_out "with all its ranks" 20 'the supervisors? of \[(1,)?3\] (is|are) gone, and the program'
tell status
expect_out "that is their state" 10 '^  \[1,3\] +lost'
tell 'print a[3]'
expect_out "the others can be used" 10 '^a\[3\] = 13'
tell quit
ip link set h2 up
finish
check "their supervisors notice it too, and end" wait_for 15 none_left
done_testing
