# SPDX-License-Identifier: GPL-3.0-or-later
# locate follows a chain to its root: through work arrays and scalars that nobody registered, buffers, halos that two
# ranks compute, a pipeline. The root, its grade, and each step.
. "$(dirname "$0")/lib.sh"
all_in compiler
own_program locate/chain.c
hooked chain || skip_all "it does not compile: $(head -n 3 said)"

# start HOW…: two at a time, the reports in HOW.out
start()
{
	local how
	for how; do
		(timeout -k 5 200 "$DVMDBG" locate -n 3 ./chain "$how" >"$how.out" 2>&1 </dev/null; echo "status $?" >>"$how.out") &
		[ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
	done
	wait
}
# tells HOW REGEX…: one finding, of which these lines tell
tells() { like "$1" "$(cat "$1.out")" '^status 1$' "${@:2}"; }

start none work scalar packed early node pipe
update=$(source_line '/* update */') flux=$(source_line '/* flux */') node=$(source_line '/* node */') scale=$(source_line '/* scale */') sweep=$(source_line '/* sweep */')
like "without a fault" "$(cat none.out)" '^status 0$' '^nothing differs'

# Set wrong in memory that nobody registered, in an earlier loop, and between loops.
tells work "^array q, element q\\[20\\]\\[0\\], .* on rank 1, because $flux sets byte 40 of the memory allocated at chain\\.c:[0-9]+ to -0\\.44.*, and to -0\\.73.* in the reference, though it reads the same numbers\\.\$" \
	"^  chain      byte 40 of the memory .*: -0\\.44[0-9]*, -0\\.73[0-9]* in the reference, set at $flux in iteration 20 on rank 1\$" \
	"^             q\\[20\\]\\[0\\]: -0\\.048[0-9]*, -0\\.122[0-9]* in the reference, set at $update in iteration 20 on rank 1\$"
tells scalar "^array q, element q\\[16\\]\\[0\\], .* on rank 1, because $scale sets scale to 0\\.26, and to 0\\.25 in the reference, though it reads the same numbers\\.\$" \
	"^  chain      scale: 0\\.26, 0\\.25 in the reference, set at $scale on rank 1\$"

# Through buffers: another element; and what was not put into them again.
tells packed "^array q, element q\\[15\\]\\[0\\], .* on rank 0, because the halo of q from rank 1 was wrong when $flux read q\\[16\\]\\[1\\] on rank 0: it held q\\[17\\]\\[1\\] of rank 1\\.\$" \
	"^  chain      q\\[17\\]\\[1\\]: 0\\.337[0-9]*, taken at $(source_line '/* pack */') on rank 1\$" \
	"^             q\\[16\\]\\[1\\]: 0\\.337[0-9]*, 0\\.737[0-9]* in the reference, read at $flux on rank 0\$" \
	"^             byte 128 of the memory .*, set at $flux in iteration 15 on rank 0\$" "^             q\\[15\\]\\[0\\]: .*, set at $update in iteration 15 on rank 0\$"
tells early "^array q, element q\\[15\\]\\[0\\], .* on rank 0, because the halo of q from rank 1 was stale when $node read q\\[16\\]\\[2\\] on rank 0\\.\$" \
	"^             node\\[16\\]: .*, set at $node in iteration 16 on rank 0\$"

# A node that two ranks compute: no halo is to blame.
tells node "^array q, element q\\[31\\]\\[0\\], .* on rank 1, because $node sets node\\[32\\] to 0\\.658[0-9]*, and to 0\\.648[0-9]* in the reference, though" \
	"^  chain      node\\[32\\]: .*, set at $node in iteration 32 on rank 1\$" "^             q\\[31\\]\\[0\\]: .*, set at $(source_line '/* of nodes */') in iteration 31 on rank 1\$"
unlike "a halo that is computed" "$(cat node.out)" 'the halo of'

# In the same loop the owner had it right.
tells pipe "^array sweep, element sweep\\[16\\], .* on rank 1, because the halo of sweep from rank 0 was stale when $sweep read sweep\\[15\\] on rank 1\\.\$" \
	"^  - rank 0 has set sweep\\[15\\] to [0-9.]+ at $sweep: look for its way to rank 1 before $sweep"
is "nothing is left" "$(ls "$TMPDIR")" ""
no_leak "locate"
done_testing
