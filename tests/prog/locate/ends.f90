! SPDX-License-Identifier: BSD-3-Clause
! ends both: an array is scaled wrongly on the last rank, and then deallocated; before, a result of it was wrong that is
! printed with list-directed formatting. right-both: without the faults.
program ends
  use mpi
  use dvmdbg
  implicit none
  integer, parameter :: n = 48
  real(8), allocatable :: u(:)
  real(8) :: by, part, total
  integer :: rank, ranks, ierr, lo, hi, i
  character(len=20) :: how

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  how = 'both'
  if (command_argument_count() > 0) call get_command_argument(1, how)
  lo = rank * n / ranks + 1
  hi = (rank + 1) * n / ranks
  by = merge(1.5d0, 1d0, how == 'both' .and. rank == ranks - 1 .and. ranks > 1)
  allocate (u(lo:hi))
  call dvmdbg_array(u, 'u', shape=[n], own_lo=[lo], own_hi=[hi])
  call dvmdbg_pl_begin([1], [n])
  do i = lo, hi
    u(i) = i / 8d0
  end do
  call dvmdbg_pl_end()
  part = sum(u)
  part = part * by
  call mpi_reduce(part, total, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
  if (rank == 0) print *, 'total =', total
  u = u * by ! scaled
  deallocate (u)
  call mpi_finalize(ierr)
end program ends
