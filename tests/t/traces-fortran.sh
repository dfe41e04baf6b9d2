# SPDX-License-Identifier: GPL-3.0-or-later
# As traces-faults.sh, with the Fortran examples.
. "${0%/*}/lib.sh"
all_in all
. "${0%/*}/compares.sh"
[ -x "$(hooked lu)" ] || skip_all "no Fortran programs with access hooks"

# Columns in blocks. On three ranks the wave is zero where they meet, and zeros that are missing cannot be seen.
fill=$(at jacobi.f90 'on=u' 1) write=$(at jacobi.f90 'v(i, j) = weight')
faults jacobi "40 3" <<EOT
missing-halo 2 value 0 u(2,21) 0 -0.159242 2.B (2,20) $write
missing-halo 2 value 0 v(2,20) -0.116087 -0.155897 2.B (2,20) $write
missing-halo 3 equal
missing-halo 4 value 0 u(2,11) 0 0.106372 2.B (2,10) $write
missing-halo 4 value 0 v(2,10) 0.10265 0.129243 2.B (2,10) $write
missing-halo 6 value 0 u(2,7) 0 0.159242 2.B (2,6) $write
missing-halo 6 value 0 v(2,6) 0.107026 0.146837 2.B (2,6) $write
differing-weight 2 value 1 weight 0.249 0.25 1.B - $fill
differing-weight 2 value 1 v(2,21) -0.155273 -0.155897 2.B (2,21) $write
differing-weight 3 value 2 weight 0.249 0.25 1.B - $fill
differing-weight 3 value 2 v(2,28) 0.0374323 0.0375826 2.B (2,28) $write
differing-weight 4 value 3 weight 0.249 0.25 1.B - $fill
differing-weight 4 value 3 v(2,31) 0.128726 0.129243 2.B (2,31) $write
differing-weight 6 value 5 weight 0.249 0.25 1.B - $fill
differing-weight 6 value 5 v(2,34) 0.155273 0.155897 2.B (2,34) $write
EOT

# i and j in blocks: 2 and 3 ranks share i, 4 and 6 both. Loops: 1 and 2 fill; in a step 3 rsd; 4, 6, 8 flux; 5, 7, 9
# its differences; 10 norms, 11 and 12 sweeps, 13 update. What is wrong in a halo is found in the inlined product of a
# matrix and it, where that is read.
fill=$(at lu.f90 "on=u, writes='u'" 1) init=$(at lu.f90 'u(:, i, j, k) = wave')
rhs=$(upto lu.f90 'rsd(:, i, j, k) = rsd(:, i, j, k) &' 'u(:, i - di, j - dj, k - dk))') sum=$(at lu.f90 'call dvmdbg_reduction')
norms=$(at lu.f90 "reads='rsd'") times=$(at lu.f90 'times = a(:, 1)') flux=$(at lu.f90 'on=flux')
add=$(at lu.f90 'u(:, i, j, k) = u(:, i, j, k) + gain') sweep=$(upto lu.f90 'rsd(:, i, j, k) = (rsd(:' '/ diag')
faults lu "12 2" <<EOT
missing-flux-halo 2 value 0 flux(1,7,2,2) 0 147.79 5.B (6,2,2) $rhs
missing-flux-halo 2 value 0 rsd(1,6,2,2) 749.164 601.375 5.B (6,2,2) $rhs
missing-flux-halo 3 value 0 flux(1,5,2,2) 0 183.916 5.B (4,2,2) $rhs
missing-flux-halo 3 value 0 rsd(1,4,2,2) 556.256 372.34 5.B (4,2,2) $rhs
missing-flux-halo 4 value 0 flux(1,7,2,2) 0 147.79 5.B (6,2,2) $rhs
missing-flux-halo 4 value 0 rsd(1,6,2,2) 749.164 601.375 5.B (6,2,2) $rhs
missing-flux-halo 6 value 0 flux(1,5,2,2) 0 183.916 5.B (4,2,2) $rhs
missing-flux-halo 6 value 0 rsd(1,4,2,2) 556.256 372.34 5.B (4,2,2) $rhs
wrong-reduction 2 reduction 0 result(1) 6.26943e+06 1.09462e+07 10.B - $sum
wrong-reduction 2 value 0 rsdnm(1) 79.1797 104.624 10.E - $norms
wrong-reduction 3 reduction 0 result(1) 6.30992e+06 1.09462e+07 10.B - $sum
wrong-reduction 3 value 0 rsdnm(1) 79.435 104.624 10.E - $norms
wrong-reduction 4 reduction 0 result(1) 4.5911e+06 1.09462e+07 10.B - $sum
wrong-reduction 4 value 0 rsdnm(1) 67.7577 104.624 10.E - $norms
wrong-reduction 6 reduction 0 result(1) 4.93346e+06 1.09462e+07 10.B - $sum
wrong-reduction 6 value 0 rsdnm(1) 70.2386 104.624 10.E - $norms
swapped-index 2 value 1 flux(1,6,3,2) 354.695 310.358 5.B (7,3,2) $rhs
swapped-index 2 value 1 u(1,6,3,2) 354.695 266.021 5.B (7,3,2) $rhs
swapped-index 2 value 1 rsd(1,7,3,2) 1141.86 920.176 5.B (7,3,2) $rhs
swapped-index 3 value 1 flux(1,4,3,2) 354.695 319.225 5.B (5,3,2) $rhs
swapped-index 3 value 1 u(1,4,3,2) 255.38 184.441 5.B (5,3,2) $rhs
swapped-index 3 value 1 rsd(1,5,3,2) 890.171 712.824 5.B (5,3,2) $rhs
swapped-index 4 value 2 flux(1,6,2,2) 354.695 172.421 5.B (7,2,2) $rhs
swapped-index 4 value 2 u(1,6,2,2) 354.695 167.495 5.B (7,2,2) $rhs
swapped-index 4 value 2 rsd(1,7,2,2) 1225.39 668.719 5.B (7,2,2) $rhs
swapped-index 6 value 2 flux(1,4,2,2) 354.695 177.347 5.B (5,2,2) $rhs
swapped-index 6 value 2 u(1,4,2,2) 255.38 118.232 5.B (5,2,2) $rhs
swapped-index 6 value 2 rsd(1,5,2,2) 949.744 498.099 5.B (5,2,2) $rhs
uninitialised-corner 2 unwritten 0 u(1,6,11,1) - 0 1.B (6,11,1) $fill<$init
uninitialised-corner 2 value 0 u(1,6,11,2) 0 -9.85264 4.B (6,11,2) $times
uninitialised-corner 3 unwritten 0 u(1,4,11,1) - 0 1.B (4,11,1) $fill<$init
uninitialised-corner 3 value 0 u(1,4,11,2) 0 -23.6463 4.B (4,11,2) $times
uninitialised-corner 4 unwritten 0 u(1,6,6,1) - 0 1.B (6,6,1) $fill<$init
uninitialised-corner 4 value 0 u(1,6,6,2) 0 266.021 4.B (6,6,2) $times
uninitialised-corner 6 unwritten 0 u(1,4,6,1) - 0 1.B (4,6,1) $fill<$init
uninitialised-corner 6 value 0 u(1,4,6,2) 0 165.524 4.B (4,6,2) $times
rank-constant 2 value 1 u(1,7,2,2) 169.096 169.426 13.B (7,2,2) $add
rank-constant 3 value 2 u(1,9,2,2) 150.308 150.601 13.B (9,2,2) $add
rank-constant 4 value 3 u(1,7,7,2) 225.462 225.902 13.B (7,7,2) $add
rank-constant 6 value 5 u(1,9,7,2) 225.462 225.902 13.B (9,7,2) $add
off-by-one 2 missing 0 - 144 - 4.B (6,1,1) $flux
off-by-one 2 value 0 flux(1,6,2,2) 0 172.421 5.B (5,2,2) $rhs
off-by-one 3 missing 0 - 288 - 4.B (4,1,1) $flux
off-by-one 3 value 0 flux(1,4,2,2) 0 177.347 5.B (3,2,2) $rhs
off-by-one 4 missing 0 - 144 - 4.B (6,1,1) $flux
off-by-one 4 value 0 flux(1,6,2,2) 0 172.421 5.B (5,2,2) $rhs
off-by-one 6 missing 0 - 288 - 4.B (4,1,1) $flux
off-by-one 6 value 0 flux(1,4,2,2) 0 177.347 5.B (3,2,2) $rhs
missing-wait 2 value 1 rsd(1,6,2,2) 0 -3.8956 11.B (7,2,2) $times
missing-wait 2 value 1 rsd(1,7,2,2) -3.12854 -4.19743 11.B (7,2,2) $sweep
missing-wait 3 value 1 rsd(1,4,2,2) 0 -2.68094 11.B (5,2,2) $times
missing-wait 3 value 1 rsd(1,5,2,2) -2.5706 -3.37478 11.B (5,2,2) $sweep
missing-wait 4 value 2 rsd(1,6,2,2) 0 -3.8956 11.B (7,2,2) $times
missing-wait 4 value 2 rsd(1,7,2,2) -3.12854 -4.19743 11.B (7,2,2) $sweep
missing-wait 6 value 2 rsd(1,4,2,2) 0 -2.68094 11.B (5,2,2) $times
missing-wait 6 value 2 rsd(1,5,2,2) -2.5706 -3.37478 11.B (5,2,2) $sweep
EOT
done_testing
