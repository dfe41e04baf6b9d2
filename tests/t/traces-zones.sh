# SPDX-License-Identifier: GPL-3.0-or-later
# As traces-faults.sh, with examples that have tasks, and rows that are dealt out like cards.
. "${0%/*}/lib.sh"
all_in all
. "${0%/*}/compares.sh"
[ -x "$(hooked heat)" ] || skip_all "no programs with access hooks"

# Three zones, a task each; the core, task 1, is shared by all ranks. What was not passed from zone to zone is beyond the
# zone's array, so its first trace is what is written. Numbers: region 1 fills, 2 and 3 are steps, each with two ways (1, 2)
# and a search (3).
fill=$(at multiblock.c 'DVMDBG_PL(.on = z->u, .range = { { 0, n - 1 }') init=$(at multiblock.c 'AT(z, u, i, j) = wave')
tasks=$(at multiblock.c 'DVMDBG_TR') loop=$(at multiblock.c 'DVMDBG_PL(.range') read=$(at multiblock.c 'AT(z, u, i - di')
write=$(at multiblock.c 'AT(z, v, i, j) = (1 - eps)') sum=$(at multiblock.c 'DVMDBG_REDUCTION')
faults multiblock "40 3" <<EOT
missing-exchange 2 value 1 core.v[20][0] -0.732897 -0.981065 2.1.1.B (20,0) $write
missing-exchange 3 value 1 core.v[13][0] -0.0564753 -0.0755986 2.1.1.B (13,0) $write
missing-exchange 4 value 1 core.v[10][0] 0.42445 0.568174 2.1.1.B (10,0) $write
missing-exchange 6 value 1 core.v[6][0] 0.737223 0.986856 2.1.1.B (6,0) $write
skipped-exchange 2 value 1 east.v[0][0] -0.223138 -0.222066 3.3.1.B (0,0) $write
skipped-exchange 3 value 1 east.v[0][0] -0.223138 -0.222066 3.3.1.B (0,0) $write
skipped-exchange 4 value 2 east.v[0][0] -0.223138 -0.222066 3.3.1.B (0,0) $write
skipped-exchange 6 value 3 east.v[0][0] -0.223138 -0.222066 3.3.1.B (0,0) $write
wrong-reduction 2 reduction 0 peak 1.95925 0.979626 2.E - $sum
wrong-reduction 3 reduction 0 peak 2.93888 0.979626 2.E - $sum
wrong-reduction 4 reduction 0 peak 3.9185 0.979626 2.E - $sum
wrong-reduction 6 reduction 0 peak 5.86626 0.979626 2.E - $sum
swapped-index 2 value 1 core.u[19][0] 0.225024 -0.981065 2.1.2.B (20,0) $read
swapped-index 2 value 1 core.v[20][0] -0.66664 -0.968162 2.1.2.B (20,0) $write
swapped-index 3 value 1 core.u[12][0] 0.225024 0.150754 2.1.2.B (13,0) $read
swapped-index 3 value 1 core.v[13][0] -0.0560367 -0.0746043 2.1.2.B (13,0) $write
swapped-index 4 value 1 core.u[9][0] 0.225024 0.737282 2.1.2.B (10,0) $read
swapped-index 4 value 1 core.v[10][0] 0.432636 0.560701 2.1.2.B (10,0) $write
swapped-index 6 value 1 core.u[5][0] 0.225024 0.969516 2.1.2.B (6,0) $read
swapped-index 6 value 1 core.v[6][0] 0.787754 0.973877 2.1.2.B (6,0) $write
uninitialised-corner 2 unwritten 0 core.u[19][19] - 0.986848 1.1.1.B (19,19) $fill<$init
uninitialised-corner 3 unwritten 0 core.u[12][19] - -0.151642 1.1.1.B (12,19) $fill<$init
uninitialised-corner 4 unwritten 0 core.u[9][19] - -0.741628 1.1.1.B (9,19) $fill<$init
uninitialised-corner 6 unwritten 0 core.u[5][19] - -0.975231 1.1.1.B (5,19) $fill<$init
rank-constant 2 value 1 eps 0.75 0.5 1.B - $tasks
rank-constant 2 value 1 core.v[20][0] -0.978174 -0.981065 2.1.1.B (20,0) $write
rank-constant 3 value 2 eps 0.75 0.5 1.B - $tasks
rank-constant 3 value 2 core.v[26][0] -0.0753758 -0.0755986 2.1.1.B (26,0) $write
rank-constant 4 value 3 eps 0.75 0.5 1.B - $tasks
rank-constant 4 value 3 core.v[30][0] 0.735109 0.737282 2.1.1.B (30,0) $write
rank-constant 6 value 5 eps 0.75 0.5 1.B - $tasks
rank-constant 6 value 5 core.v[33][0] 0.983948 0.986856 2.1.1.B (33,0) $write
off-by-one 2 missing 0 - 20 - 2.1.1.B (19,0) $loop
off-by-one 3 missing 0 - 40 - 2.1.1.B (12,0) $loop
off-by-one 4 missing 0 - 60 - 2.1.1.B (9,0) $loop
off-by-one 6 missing 0 - 100 - 2.1.1.B (5,0) $loop
EOT

# Row i is on rank i mod ranks, and its pivot in column i + 13; loop 1 fills, 2 to 41 eliminate, 42 to 81 substitute.
# column, pivot and x are replicated: the first wrong write is reported, or, where they are received, the loop that uses them.
fill=$(at ring.c 'DVMDBG_PL(.on = a, .range = { { 0, n - 1 }') init=$(at ring.c 'AT(l, j) = element')
abs=$(at ring.c 'sum += fabs') side=$(at ring.c 'AT(l, n) = side') sum=$(at ring.c 'DVMDBG_REDUCTION')
loop=$(at ring.c 'DVMDBG_PL(.on = a, .range = { { k + 1') back=$(at ring.c 'DVMDBG_PL(.on = a, .range = { { 0, k - 1 }')
take=$(at ring.c 'AT(l, n) -= AT') pivot=$(at ring.c 'pivot[j] = row') column=$(at ring.c 'column[k] = at') found=$(at ring.c '*found = AT')
faults ring "40 3" <<EOT
local-index 2 value 1 a[1][40] 92.0765 53.7792 1.B (1,40) $side
local-index 3 value 1 a[1][40] 92.0765 53.7792 1.B (1,40) $side
local-index 4 value 1 a[1][40] 92.0765 53.7792 1.B (1,40) $side
local-index 6 value 1 a[1][40] 92.0765 53.7792 1.B (1,40) $side
wrong-reduction 2 reduction 0 norm 143.671 75.4096 1.E - $sum
wrong-reduction 3 reduction 0 norm 216.295 75.4096 1.E - $sum
wrong-reduction 4 reduction 0 norm 284.556 75.4096 1.E - $sum
wrong-reduction 6 reduction 0 norm 417.237 75.4096 1.E - $sum
uninitialised-element 2 unwritten 0 a[38][0] - -0.132232 1.B (38,0) $fill<$init
uninitialised-element 2 value 0 a[38][0] 0 -0.132232 1.B (38,0) $abs
uninitialised-element 3 unwritten 0 a[39][0] - 0.994839 1.B (39,0) $fill<$init
uninitialised-element 3 value 0 a[39][0] 0 0.994839 1.B (39,0) $abs
uninitialised-element 4 unwritten 0 a[36][0] - 0.459796 1.B (36,0) $fill<$init
uninitialised-element 4 value 0 a[36][0] 0 0.459796 1.B (36,0) $abs
uninitialised-element 6 unwritten 0 a[36][0] - 0.459796 1.B (36,0) $fill<$init
uninitialised-element 6 value 0 a[36][0] 0 0.459796 1.B (36,0) $abs
rank-constant 2 value 1 weight 60 40 1.B - $fill
rank-constant 2 value 1 a[1][14] 59.4122 39.4122 1.B (1,14) $init
rank-constant 3 value 2 weight 60 40 1.B - $fill
rank-constant 3 value 2 a[2][15] 59.1267 39.1267 1.B (2,15) $init
rank-constant 4 value 3 weight 60 40 1.B - $fill
rank-constant 4 value 3 a[3][16] 60.8601 40.8601 1.B (3,16) $init
rank-constant 6 value 5 weight 60 40 1.B - $fill
rank-constant 6 value 5 a[5][18] 60.8555 40.8555 1.B (5,18) $init
off-by-one 2 missing 1 - 1 - 2.B (1) $loop
off-by-one 2 value 0 pivot[0] 0.0230715 0.0230418 2.E - $pivot
off-by-one 3 missing 1 - 2 - 2.B (1) $loop
off-by-one 3 value 0 pivot[0] 0.0230715 0.0230418 2.E - $pivot
off-by-one 4 missing 1 - 3 - 2.B (1) $loop
off-by-one 4 value 0 pivot[0] 0.0230715 0.0230418 2.E - $pivot
off-by-one 6 missing 1 - 5 - 2.B (1) $loop
off-by-one 6 value 0 pivot[0] 0.0230715 0.0230418 2.E - $pivot
missing-wait 2 value 0 pivot[0] 0.0214549 0.0230418 2.E - $pivot
missing-wait 2 value 0 column[1] 13 14 2.E - $column
missing-wait 3 value 0 pivot[0] 0.0214549 0.0230418 2.E - $pivot
missing-wait 3 value 0 column[1] 13 14 2.E - $column
missing-wait 4 value 0 pivot[0] 0.0214549 0.0230418 2.E - $pivot
missing-wait 4 value 0 column[1] 13 14 2.E - $column
missing-wait 6 value 0 pivot[0] 0.0214549 0.0230418 2.E - $pivot
missing-wait 6 value 0 column[1] 13 14 2.E - $column
wrong-owner 2 value 0 x[14] -87.0663 1.25 79.E - $found
wrong-owner 2 value 1 x[14] -87.0663 1.25 80.B - $back
wrong-owner 2 value 0 a[0][40] 0 88.2462 80.B (0) $take
wrong-owner 3 value 0 x[14] -87.0663 1.25 79.E - $found
wrong-owner 3 value 1 x[14] -87.0663 1.25 80.B - $back
wrong-owner 3 value 0 a[0][40] 0 88.2462 80.B (0) $take
wrong-owner 4 value 0 x[14] -87.0663 1.25 79.E - $found
wrong-owner 4 value 1 x[14] -87.0663 1.25 80.B - $back
wrong-owner 4 value 0 a[0][40] 0 88.2462 80.B (0) $take
wrong-owner 6 value 0 x[14] -87.0663 1.25 79.E - $found
wrong-owner 6 value 1 x[14] -87.0663 1.25 80.B - $back
wrong-owner 6 value 0 a[0][40] 0 88.2462 80.B (0) $take
EOT
done_testing
