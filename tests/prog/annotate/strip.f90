! SPDX-License-Identifier: GPL-3.0-or-later
! A strip of cells, without marks: a number (mine) that is equal on all ranks until each has set its own, which is gathered.
!   strip [N]
program strip
  use mpi
  implicit none
  integer :: n, m, first, rank, ranks, ierr, below, above, k
  real(8), allocatable :: t(:), s(:)
  real(8) :: mine
  character(len=16) :: word

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call start()
  do k = 1, 3
    call step()
  end do
  call report()
  call MPI_Finalize(ierr)
contains
  subroutine start()
    integer :: i
    n = 30
    if (command_argument_count() > 0) then
      call get_command_argument(1, word)
      read (word, *) n
    end if
    first = n * rank / ranks + 1
    m = n * (rank + 1) / ranks + 1 - first
    below = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    above = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    allocate (t(0:m + 1), s(m))
    do i = 1, m
      t(i) = cos(0.1d0 * (first + i))
    end do
  end subroutine

  subroutine step()
    integer :: i
    call MPI_Sendrecv(t(1), 1, MPI_DOUBLE_PRECISION, below, 1, t(m + 1), 1, MPI_DOUBLE_PRECISION, above, 1, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(t(m), 1, MPI_DOUBLE_PRECISION, above, 2, t(0), 1, MPI_DOUBLE_PRECISION, below, 2, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    do i = 1, m
      s(i) = t(i) + 0.2d0 * (t(i - 1) - 2 * t(i) + t(i + 1))
    end do
    do i = 1, m
      t(i) = s(i)
    end do
  end subroutine

  subroutine report()
    real(8) :: each(ranks)
    integer :: i
    mine = 0
    do i = 1, m
      mine = mine + t(i)
    end do
    call MPI_Gather(mine, 1, MPI_DOUBLE_PRECISION, each, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) print '(a, f12.6)', 'strip: ', sum(each)
  end subroutine
end program
