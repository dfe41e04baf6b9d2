! SPDX-License-Identifier: GPL-3.0-or-later
! Steps of a sum over ranks of an array with halos, in which collective calls are all that could be points: `right`, `wrong` for
! a fault on several ranks in step 2, `stale` for halos that are not renewed there.
program collectives
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  use dvmdbg
  implicit none
  integer, parameter :: n = 24
  real(8), allocatable, target :: u(:)
  real(8), target :: total
  real(8) :: part
  integer :: rank, ranks, lo, hi, t, i, below, above
  character(len=8) :: kind
#ifdef F08
  type(mpi_comm) :: twin
#else
  integer :: twin, ierr
#define EOC , ierr
#endif
#ifndef EOC
#define EOC
#endif

  kind = "right"
  if (command_argument_count() > 0) call get_command_argument(1, kind)
  call mpi_init(i)
  call mpi_comm_rank(mpi_comm_world, rank EOC)
  call mpi_comm_size(mpi_comm_world, ranks EOC)
  lo = n*rank/ranks + 1
  hi = n*(rank + 1)/ranks
  below = merge(rank - 1, mpi_proc_null, rank > 0)
  above = merge(rank + 1, mpi_proc_null, rank < ranks - 1)
  allocate (u(lo - 1:hi + 1))
  u = 0
  total = 0
  call dvmdbg_array(u, "u", shape=[n], own_lo=[lo], own_hi=[hi], halo=1)
  call dvmdbg_replicated(total, "total")
  call mpi_comm_dup(mpi_comm_world, twin EOC) ! duplicates
  do t = 1, 3
    do i = lo, hi
      u(i) = i*t
    end do
    if (kind == "wrong" .and. t == 2 .and. rank > 0 .and. rank == ranks - 1) u(hi) = u(hi) + 0.5d0
    call mpi_barrier(twin EOC) ! apart
    if (kind /= "stale" .or. t /= 2) call renew
    part = sum(u(lo:hi))
    call mpi_allreduce(part, total, 1, mpi_double_precision, mpi_sum, mpi_comm_world EOC) ! adds
  end do
  call mpi_bcast(total, 1, mpi_double_precision, 0, mpi_comm_world EOC) ! gives
  call mpi_comm_free(twin EOC)
  call mpi_finalize(i)
contains
  subroutine renew
    call mpi_sendrecv(u(hi), 1, mpi_double_precision, above, 0, u(lo - 1), 1, mpi_double_precision, below, 0, &
      mpi_comm_world, mpi_status_ignore EOC)
    call mpi_sendrecv(u(lo), 1, mpi_double_precision, below, 1, u(hi + 1), 1, mpi_double_precision, above, 1, &
      mpi_comm_world, mpi_status_ignore EOC)
  end subroutine
end program
