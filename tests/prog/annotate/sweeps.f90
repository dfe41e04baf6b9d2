! SPDX-License-Identifier: BSD-3-Clause
! A tridiagonal solver along the rows that ranks share: each waits for the one before it, a few
! columns at a time.  sweeps N
module lines
  use mpi
  implicit none
  integer, parameter :: chunk = 6
  integer :: n, rows, first, rank, ranks, up, down, ierr
  real(8), allocatable :: w(:, :), c(:)
contains
  subroutine factors()
    integer :: i
    real(8) :: last

    last = 0
    call MPI_Recv(last, 1, MPI_DOUBLE_PRECISION, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    do i = 1, rows                                          ! factors
      c(i) = 1 / (3 - last)
      last = c(i)
    end do
    call MPI_Send(last, 1, MPI_DOUBLE_PRECISION, down, 1, MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine forward()
    real(8) :: edge(chunk)
    integer :: j1, j2, i, j

    do j1 = 1, n, chunk
      j2 = min(j1 + chunk - 1, n)
      edge = 0
      call MPI_Recv(edge, chunk, MPI_DOUBLE_PRECISION, up, 2, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE, ierr)
      do j = j1, j2                                   ! forward
        w(1, j) = (w(1, j) + edge(j - j1 + 1)) * c(1)
        do i = 2, rows
          w(i, j) = (w(i, j) + w(i - 1, j)) * c(i)
        end do
        edge(j - j1 + 1) = w(rows, j)
      end do
      call MPI_Send(edge, chunk, MPI_DOUBLE_PRECISION, down, 2, MPI_COMM_WORLD, ierr)
    end do
  end subroutine
end module

program sweeps
  use lines
  integer :: i, j, step
  real(8) :: part, total
  character(16) :: word

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  n = 20
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) n
  end if
  first = n * rank / ranks
  rows = n * (rank + 1) / ranks - first
  up = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  down = merge(rank + 1, MPI_PROC_NULL, rank + 1 < ranks)
  allocate (w(rows, n), c(rows))
  do j = 1, n                                                     ! begin
    do i = 1, rows
      w(i, j) = sin(0.3d0 * (first + i)) + 0.1d0 * j
    end do
  end do
  call factors()
  do step = 1, 3
    do j = 1, n                                             ! local
      do i = 1, rows
        w(i, j) = w(i, j) + 0.01d0 * (first + i)
      end do
    end do
    call forward()
  end do
  part = sum(w)
  call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print *, total
  call MPI_Finalize(ierr)
end program
