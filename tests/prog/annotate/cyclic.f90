! SPDX-License-Identifier: BSD-3-Clause
! Columns distributed cyclically, variables of a module: elimination without pivoting: cyclic N
module data
  implicit none
  integer :: n, rank, ranks, mine
  double precision, allocatable :: a(:, :)
end module
program cyc
  use mpi
  use data
  implicit none
  integer :: ierr, i, l, k, j
  double precision, allocatable :: col(:)
  character(16) :: arg
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  n = 20
  if (command_argument_count() > 0) then
    call get_command_argument(1, arg)
    read (arg, *) n
  end if
  mine = (n - rank + ranks - 1) / ranks
  allocate (a(n, mine), col(n))
  do l = 1, mine
    j = (l - 1) * ranks + rank + 1
    do i = 1, n
      a(i, l) = 1d0 / (i + j) + merge(n, 0, i == j)
    end do
  end do
  do k = 1, n - 1
    if (mod(k - 1, ranks) == rank) then
      col(k + 1:n) = a(k + 1:n, (k - 1) / ranks + 1) / a(k, (k - 1) / ranks + 1)
    end if
    call MPI_Bcast(col, n, MPI_DOUBLE_PRECISION, mod(k - 1, ranks), MPI_COMM_WORLD, ierr)
    do l = 1, mine
      if ((l - 1) * ranks + rank + 1 > k) then
        do i = k + 1, n
          a(i, l) = a(i, l) - col(i) * a(k, l)
        end do
      end if
    end do
  end do
  if (rank == 0) print *, a(1, 1)
  call MPI_Finalize(ierr)
end program
