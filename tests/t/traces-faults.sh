# SPDX-License-Identifier: GPL-3.0-or-later
# Traces find the faults of the C examples: recorded on one rank, compared on several, the first finding is the right
# one. What is right follows from the source of each example, and from what it computes; a few lines behind the first
# are what comes of it.
. "${0%/*}/lib.sh"
all_in all
. "${0%/*}/compares.sh"
[ -x "$(hooked heat)" ] || skip_all "no programs with access hooks"

# Rows and columns of the plate in blocks: 2 and 3 ranks share the rows, 4 and 6 both. What is wrong before the first
# step's loop 3 (of 1 fill, 2 zero, 3 step, 4 change, 5 step …) is found there, by who reads it first.
fill=$(at heat.c 'DVMDBG_PL(.on = u') init=$(at heat.c 'AT(u, i, j) = exact') loop=$(at heat.c 'DVMDBG_PL(.on = v' 2)
read=$(at heat.c 'AT(u, i - 1, j)') write=$(at heat.c 'AT(v, i, j) = (1 - eps)') sum=$(at heat.c 'DVMDBG_REDUCTION(change')
again=$(at heat.c 'if (fabs(AT(v')
faults heat "40 3" <<EOT
differing-eps 2 value 1 eps 0.75 0.5 1.B - $fill
differing-eps 2 value 1 v[20][1] -0.0189536 -0.0190547 3.B (20,1) $write
differing-eps 3 value 2 eps 0.75 0.5 1.B - $fill
differing-eps 3 value 2 v[26][1] -0.203989 -0.205077 3.B (26,1) $write
differing-eps 4 value 3 eps 0.75 0.5 1.B - $fill
differing-eps 4 value 3 v[20][20] 0.0786215 0.079041 3.B (20,20) $write
differing-eps 6 value 5 eps 0.75 0.5 1.B - $fill
differing-eps 6 value 5 v[26][20] 0.846168 0.850682 3.B (26,20) $write
missing-halo 2 value 0 u[20][1] 0 -0.0192569 3.B (19,1) $read
missing-halo 2 value 0 v[19][1] 0.0214618 0.0190547 3.B (19,1) $write
missing-halo 3 value 0 u[13][1] 0 0.207253 3.B (12,1) $read
missing-halo 3 value 0 v[12][1] 0.195507 0.221414 3.B (12,1) $write
missing-halo 4 value 0 u[20][1] 0 -0.0192569 3.B (19,1) $read
missing-halo 4 value 0 v[19][1] 0.0214618 0.0190547 3.B (19,1) $write
missing-halo 6 value 0 u[13][1] 0 0.207253 3.B (12,1) $read
missing-halo 6 value 0 v[12][1] 0.195507 0.221414 3.B (12,1) $write
wrong-reduction 2 reduction 0 change 0.0208339 0.010417 4.E - $sum
wrong-reduction 3 reduction 0 change 0.0298626 0.010417 4.E - $sum
wrong-reduction 4 reduction 0 change 0.0416678 0.010417 4.E - $sum
wrong-reduction 6 reduction 0 change 0.0597252 0.010417 4.E - $sum
swapped-index 2 value 1 u[19][1] 0 0.0192569 3.B (20,1) $read
swapped-index 2 value 1 v[20][1] -0.0214618 -0.0190547 3.B (20,1) $write
swapped-index 3 value 1 u[12][1] 0 0.223764 3.B (13,1) $read
swapped-index 3 value 1 v[13][1] 0.177106 0.205077 3.B (13,1) $write
swapped-index 4 value 2 u[19][1] 0 0.0192569 3.B (20,1) $read
swapped-index 4 value 2 v[20][1] -0.0214618 -0.0190547 3.B (20,1) $write
swapped-index 6 value 2 u[12][1] 0 0.223764 3.B (13,1) $read
swapped-index 6 value 2 v[13][1] 0.177106 0.205077 3.B (13,1) $write
uninitialised-corner 2 unwritten 0 u[19][38] - 0.0192569 1.B - $fill<$init
uninitialised-corner 3 unwritten 0 u[12][38] - 0.223764 1.B - $fill<$init
uninitialised-corner 4 unwritten 0 u[19][19] - -0.0798799 1.B - $fill<$init
uninitialised-corner 6 unwritten 0 u[12][19] - -0.928199 1.B - $fill<$init
off-by-one 2 missing 0 - 38 - 3.B (19,1) $loop
off-by-one 2 value 0 v[19][1] 0 0.0190547 4.B (19,1) $again
off-by-one 3 missing 0 - 76 - 3.B (12,1) $loop
off-by-one 3 value 0 v[12][1] 0 0.221414 4.B (12,1) $again
off-by-one 4 missing 0 - 38 - 3.B (19,1) $loop
off-by-one 4 value 0 v[19][1] 0 0.0190547 4.B (19,1) $again
off-by-one 6 missing 0 - 76 - 3.B (12,1) $loop
off-by-one 6 value 0 v[12][1] 0 0.221414 4.B (12,1) $again
EOT

# What is seen at lower levels: writes, then which iterations are executed, values, and reductions.
exe=$(hooked heat)
record heat.modify MODIFY 1 "$exe" 40 3
record heat.minimal MINIMAL 1 "$exe" 40 3
for n in $many; do
	compare heat heat.modify "$n" "$exe" 40 3 --fault missing-halo
	first "at level MODIFY, missing-halo on $n" heat "$(sed -n "s/^missing-halo $n \(.* v.*\)/\1/p" heat.table)"
	compare heat heat.minimal "$n" "$exe" 40 3 --fault off-by-one
	first "at level MINIMAL, off-by-one on $n" heat "$(sed -n "s/^off-by-one $n \(missing \)0/\1-/p" heat.table)"
done
# A reference from several ranks: the row is on another one of them.
for m in 2 3; do
	record "heat.$m" FULL $m "$exe" 40 3
	compare heat "heat.$m" 4 "$exe" 40 3 --fault missing-halo
	first "missing-halo on 4, recorded on $m" heat "value 0 u[20][1] 0 -0.0192569 3.B (19,1) $read" \
		"value 0 v[19][1] 0.0214618 0.0190547 3.B (19,1) $write"
	like "and on which rank it was" "$(grep -F '"element":"v[19][1]"' heat.json | head -n 1)" "\"reference_rank\":$((m - 2))[^0-9]"
done
record heat.4 FULL 4 "$exe" 40 3
compare heat heat.4 2 "$exe" 40 3 --fault uninitialised-corner
first "uninitialised-corner on 2, recorded on 4" heat "unwritten 0 u[19][38] - 0.0192569 1.B - $fill<$init"
compare heat heat.4 2 "$exe" 40 3 --fault off-by-one
first "off-by-one on 2, recorded on 4" heat "missing 0 - 38 - 3.B (19,1) $loop" "value 0 v[19][1] 0 0.0190547 4.B (19,1) $again"
no_leak "other references"

# Rows in blocks. The halo is right in the first step with missing-halo, and that of the step before in the second: loop
# 8 of 1 fill, 2 dot, 3 q, 4 dot, 5 x, 6 dot, 7 p, 8 q ….
fill=$(at cg.c 'DVMDBG_PL(.on = r') row=$(at cg.c 'HALO_AT(a, i - 1, j)') write=$(at cg.c 'AT(q, i, j) = row')
sum=$(at cg.c 'DVMDBG_REDUCTION') turn=$(at cg.c 'DVMDBG_PL(.on = p')
faults cg "40 6" <<EOT
missing-halo 2 value 0 p[20][0] 7.89871 14.5672 8.B (19,0) $row
missing-halo 2 value 0 q[19][0] 59.0708 52.4023 8.B (19,0) $write
missing-halo 3 value 0 p[13][0] 6.00476 9.21605 8.B (12,0) $row
missing-halo 3 value 0 q[12][0] 50.7603 47.549 8.B (12,0) $write
missing-halo 4 value 0 p[10][0] 4.47016 18.0503 8.B (9,0) $row
missing-halo 4 value 0 q[9][0] 33.3959 19.8157 8.B (9,0) $write
missing-halo 6 value 0 p[6][0] 7.79657 14.2786 8.B (5,0) $row
missing-halo 6 value 0 q[5][0] 59.7175 53.2355 8.B (5,0) $write
wrong-reduction 2 reduction 0 rho 25606.5 50392.7 2.B - $sum
wrong-reduction 3 reduction 0 rho 17025.4 50392.7 2.B - $sum
wrong-reduction 4 reduction 0 rho 14295.1 50392.7 2.B - $sum
wrong-reduction 6 reduction 0 rho 9983.53 50392.7 2.B - $sum
swapped-index 2 value 1 p[19][0] 3 4.6793 3.B (20,0) $row
swapped-index 2 value 1 q[20][0] 20.7007 19.0214 3.B (20,0) $write
swapped-index 3 value 1 p[12][0] 3 3.03687 3.B (13,0) $row
swapped-index 3 value 1 q[13][0] 16.4345 16.3976 3.B (13,0) $write
swapped-index 4 value 1 p[9][0] 3 8.81271 3.B (10,0) $row
swapped-index 4 value 1 q[10][0] 6.35503 0.542328 3.B (10,0) $write
swapped-index 6 value 1 p[5][0] 3 4.96128 3.B (6,0) $row
swapped-index 6 value 1 q[6][0] 20.8411 18.8799 3.B (6,0) $write
rank-constant 2 value 1 diag 4.5 4.25 1.B - $fill
rank-constant 2 value 1 q[20][0] 20.996 19.0214 3.B (20,0) $write
rank-constant 3 value 2 diag 4.5 4.25 1.B - $fill
rank-constant 3 value 2 q[26][0] -6.2909 -7.2424 3.B (26,0) $write
rank-constant 4 value 3 diag 4.5 4.25 1.B - $fill
rank-constant 4 value 3 q[30][0] 20.8999 18.8985 3.B (30,0) $write
rank-constant 6 value 5 diag 4.5 4.25 1.B - $fill
rank-constant 6 value 5 q[33][0] -6.5442 -7.45698 3.B (33,0) $write
off-by-one 2 missing 0 - 40 - 7.B (19,0) $turn
off-by-one 2 value 0 p[19][0] 4.6793 25.2263 8.B (18,0) $row
off-by-one 3 missing 0 - 80 - 7.B (12,0) $turn
off-by-one 3 value 0 p[12][0] 3.03687 20.5858 8.B (11,0) $row
off-by-one 4 missing 0 - 120 - 7.B (9,0) $turn
off-by-one 4 value 0 p[9][0] 8.81271 17.4093 8.B (8,0) $row
off-by-one 6 missing 0 - 200 - 7.B (5,0) $turn
off-by-one 6 value 0 p[5][0] 4.96128 26.023 8.B (4,0) $row
EOT
done_testing
