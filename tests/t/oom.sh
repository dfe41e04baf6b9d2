# SPDX-License-Identifier: GPL-3.0-or-later
# Sessions with a real program in which one call site fails to get memory, once: of the front end, of a
# supervisor, of the library in the program. The front end says so and exits with 2; the others report and go
# on. In make check a few sites, with DVMDBG_LONG all.
. "${0%/*}/lib.sh"
all_in all

! ldd "$DVMDBG" | grep -q libasan || skip_all "sanitizers have their own malloc"
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
heat=$(prog doc/examples/heat "$mpi")
hooked=$(prog doc/examples/heat-hooked "$mpi")
part=${DVMDBG_OOM_PART:-1}
[ -z "${DVMDBG_LONG:-}" ] || part=100000

lib=$tmp/libfail.so
$CC -std=gnu11 -D_GNU_SOURCE -g -O1 -shared -fPIC -I"$srcdir" -o "$lib" "$srcdir/tests/oom/fail.c" \
	"$srcdir/tests/oom/fail_preload.c" || skip_all "no compiler for the library that fails"

script='break heat.c:61
actions
cont
where
print eps
print u[3:5][2:9]
differ
step 3
assign eps = 0.5
status
points
halo u
decomp u
watch u[3][3]
cont
info
delete -all
cont'
printf '%s\n' "$script" >"$tmp/script"

# Each runs a session: its output, both streams, is in $tmp/o.
run_control() { timeout -k 5 60 "$DVMDBG" --batch -x "$tmp/script" -n 2 "$heat" 40 3; }
run_sums() { timeout -k 5 60 "$DVMDBG" compare -r "$tmp/sums" -n 2 "$heat" 40 3 --fault differing-eps; }
run_traces() { timeout -k 5 60 "$DVMDBG" compare -r "$tmp/traces" -n 2 "$hooked" 40 3 --fault swapped-index; }
session()
{
	LD_PRELOAD=$lib "run_$1" >"$tmp/o" 2>&1 </dev/null
	status=$?
}
# What differs from run to run: times, and the order of lines of several ranks.
plain() { sed -E 's/[0-9.]+ m?s\b/TIME/g; s/0x[0-9a-f]+/ADDR/g; s/[0-9]+ bytes/N bytes/g; s/bytes received .*/bytes received/' "$1" | grep -v '^|' | sort; }

# judge WHO SESSION: of the session that has ended; says what is wrong, if anything
judge()
{
	case $status in
	124 | 137) echo "it hangs" && return ;;
	1[3-9]?) echo "status $status" && return ;;
	esac
	# a launcher whose front end ends in the middle has words of its own
	if [ "$1" != dvmdbg ] && grep -qiE 'segmentation|assertion|stack smashing|corrupted|signal 11' "$tmp/o"; then
		echo "it crashes"
	elif [ "$status" = "$right" ] && cmp -s <(plain "$tmp/o") "$tmp/right"; then
		:
	elif ! grep -qE 'out of memory|no memory|Cannot allocate memory|no answer|does? not answer|did not answer|incomplete' "$tmp/o"; then
		echo "another answer, and no word of it"
	elif [ "$1" = dvmdbg ] && [ "$status" = 0 ]; then
		echo "the front end exits with $status"
	fi
}
explain()
{
	local line=$1 module=$2 at
	at=${line##* }
	diag "$line"
	case $module in
	dvmdbg) module=$DVMDBG ;;
	dvmdbg-exec) module=$builddir/runtime/exec/dvmdbg-exec ;;
	*) module=$(find "$builddir/runtime" -name "$module*" -type f | head -n 1) ;;
	esac
	diag "$(addr2line -spfe "$module" ${at//,/ } 2>&1)"
}

only_xalloc()
{
	cut -d ' ' -f 3 "$tmp/sites" | cut -d , -f 1 | addr2line -se "$DVMDBG" | paste -d ' ' - "$tmp/sites" |
		grep '^xalloc' | sed 's/^xalloc[^ ]* \((.*) \)\?//' >"$tmp/few"
	mv "$tmp/few" "$tmp/sites"
}

# sites WHO SESSION: lets sites of that program fail, one after another
sites()
{
	local who=$1 name=$2 n step tried=0 bad=0 line why
	rm -f "$tmp/record"
	export DVMDBG_FAIL_PROGRAM=$who
	DVMDBG_FAIL_RECORD=$tmp/record session "$name"
	right=$status
	plain "$tmp/o" >"$tmp/right"
	sort -u "$tmp/record" >"$tmp/sites" 2>/dev/null || : >"$tmp/sites"
	# of the many in the front end a few that have no other way than the end
	[ "$who" != dvmdbg ] || [ -n "${DVMDBG_LONG:-}" ] || only_xalloc
	n=$(wc -l <"$tmp/sites")
	step=$(((n + part - 1) / part))
	while read -r line; do
		tried=$((tried + 1))
		rm -f "$tmp/once"
		DVMDBG_FAIL_SITE=${line%% *} DVMDBG_FAIL_ONCE=$tmp/once session "$name"
		why=$(judge "$who" "$name")
		if [ -n "$why" ] && [ ! -e "$tmp/once" ]; then
			# nothing has failed so far: the machine is busy
			DVMDBG_FAIL_SITE=${line%% *} DVMDBG_FAIL_ONCE=$tmp/once session "$name"
			why=$(judge "$who" "$name")
		fi
		if [ -z "$why" ] && ! wait_for 10 nothing_tagged; then
			why="something is left behind: $(running "$DVMDBG") $(tagged)"
		fi
		[ -n "$why" ] || continue
		bad=$((bad + 1))
		diag "$why (status $status, without $right)"
		explain "$line" "$(echo "$line" | cut -d ' ' -f 2)"
		diag "$(diff <(plain "$tmp/o") "$tmp/right" | head -n 12)"
	done < <(awk -v step="$step" 'step && NR % step == 0 || NR == 1' "$tmp/sites")
	diag "$name, $who: $tried of $n sites"
	is "$name: no memory once in $who" "$bad of $tried" "0 of $tried"
}

timeout 60 "$DVMDBG" record --level CHECKSUM -o "$tmp/sums" -n 1 "$heat" 40 3 >"$tmp/o" 2>&1 </dev/null ||
	diag "$(<"$tmp/o")"
names="control sums"
if [ -x "$hooked" ]; then
	names="$names traces"
	timeout 60 "$DVMDBG" record --level FULL -o "$tmp/traces" -n 1 "$hooked" 40 3 >"$tmp/o" 2>&1 </dev/null ||
		diag "$(<"$tmp/o")"
fi
for name in ${DVMDBG_OOM_SESSIONS:-$names}; do
	for who in ${DVMDBG_OOM_WHO:-dvmdbg dvmdbg-exec libdvmdbg}; do
		sites "$who" "$name"
	done
done
no_leak "all sessions"
done_testing
