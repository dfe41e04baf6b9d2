! SPDX-License-Identifier: GPL-3.0-or-later
! Heat in a slab, without marks: arrays of a module, local indices, copies in array syntax.
!   slab [N [STEPS]]
module field
  implicit none
  real(8), allocatable :: t(:, :), s(:, :)
  integer :: n = 24, m, first, last
end module

module step
  use field
  implicit none
contains
  subroutine start()
    integer :: i, j
    do j = 1, m
      do i = 1, n
        t(i, j) = i * 0.5d0 + (first + j - 1) * (first + j - 1) * 0.25d0
        s(i, j) = 0
      end do
    end do
  end subroutine

  subroutine relax(low, high)
    integer, intent(in) :: low, high
    integer :: i, j
    do j = low, high
      do i = 2, n - 1
        s(i, j) = 0.25d0 * (t(i - 1, j) + t(i + 1, j) + t(i, j - 1) + t(i, j + 1))
      end do
    end do
    t(2:n - 1, low:high) = s(2:n - 1, low:high)
  end subroutine
end module

program slab
  use mpi
  use step
  implicit none
  integer :: rank, ranks, k, steps = 3, ierr, below, above
  character(len=16) :: word
  real(8) :: mine, all

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) n
  end if
  first = n * rank / ranks + 1
  last = n * (rank + 1) / ranks
  m = last - first + 1
  below = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  above = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
  allocate (t(n, 0:m + 1), s(n, 0:m + 1))
  call start()
  do k = 1, steps
    call MPI_Sendrecv(t(1, 1), n, MPI_DOUBLE_PRECISION, below, 1, t(1, m + 1), n, &
      MPI_DOUBLE_PRECISION, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(t(1, m), n, MPI_DOUBLE_PRECISION, above, 2, t(1, 0), n, &
      MPI_DOUBLE_PRECISION, below, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call relax(merge(2, 1, rank == 0), merge(m - 1, m, rank == ranks - 1))
  end do
  mine = sum(t(:, 1:m))
  call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a, f12.4)', 'slab: ', all
  deallocate (t, s)
  call MPI_Finalize(ierr)
end program
