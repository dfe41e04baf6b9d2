! SPDX-License-Identifier: GPL-3.0-or-later
! Calls that do not match those of the other rank, in Fortran; with -DF08 by mpi_f08. On two ranks.
program match
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer :: ierr, rank, a(8), b(8), counts(2), at(2)
  real :: x(8)

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  a = rank
  x = 1
  counts = [3, 5]
  at = [0, 3]
  ! correct
  call mpi_bcast(a, 8, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_allreduce(mpi_in_place, a, 8, mpi_integer, mpi_sum, mpi_comm_world, ierr)
  if (rank == 0) then
    call mpi_gatherv(mpi_in_place, 0, mpi_integer, b, counts, at, mpi_integer, 0, mpi_comm_world, ierr)
  else
    call mpi_gatherv(a, 5, mpi_integer, b, counts, at, mpi_integer, 0, mpi_comm_world, ierr)
  end if
  call mpi_allgather(mpi_in_place, 0, mpi_integer, a, 4, mpi_integer, mpi_comm_world, ierr)
  ! not so
  if (rank == 0) then
    call mpi_allreduce(a, b, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr) ! op
    call mpi_send(a, 2, mpi_integer, 1, 1, mpi_comm_world, ierr) ! sent
  else
    call mpi_allreduce(a, b, 1, mpi_integer, mpi_max, mpi_comm_world, ierr) ! other op
    call mpi_recv(x, 2, mpi_real, 0, 1, mpi_comm_world, mpi_status_ignore, ierr) ! received
  end if
  call mpi_finalize(ierr)
end program
