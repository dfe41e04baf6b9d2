! SPDX-License-Identifier: GPL-3.0-or-later
! An allocatable array that is watched moves when it grows, and is deallocated.
module grown
  real(8), allocatable :: u(:)
end module
program moved
  use mpi
  use grown
  use dvmdbg
  integer :: ierr, k
  call mpi_init(ierr)
  allocate(u(4))
  u = 1
  call dvmdbg_sl_begin(1, 4)
  do k = 1, 4
    call dvmdbg_iteration(k)
    call dvmdbg_pl_begin(1, 1)
    u = [u, u]
    if (k == 3) u(2) = 30 ! u
    if (k == 4) deallocate(u)
    call dvmdbg_pl_end()
  end do
  call dvmdbg_sl_end()
  call mpi_finalize(ierr)
end program
