! SPDX-License-Identifier: GPL-3.0-or-later
! Registrations in Fortran, all at once: of the own part with its halo around it, and three that are refused.
program fregister
  use dvmdbg
  implicit none
  real(8), target :: u(0:11, 0:21), v(10, 20)
  integer :: i, j
  do j = 0, 21
    do i = 0, 11
      u(i, j) = 100 * i + j
    end do
  end do
  v = 0
  call dvmdbg_function_begin('fregister')
  call dvmdbg_array(u(1:10, 1:20), 'inside', shape=[10, 20], halo=1, first=dvmdbg_own)
  call dvmdbg_array(u, 'whole', shape=[10, 20], halo=1, first=dvmdbg_stored)
  call dvmdbg_array(v, 'bare', shape=[10, 20], halo=1)
  call dvmdbg_array(v, 'turned', shape=[20, 10])
  call dvmdbg_array(v, 'short', shape=[10, 21])
  call dvmdbg_pl_begin(first=[1, 1], last=[10, 20], on=v, writes='inside, bare')
  call dvmdbg_pl_end()
  call dvmdbg_function_end()
end program
