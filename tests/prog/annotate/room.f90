! SPDX-License-Identifier: GPL-3.0-or-later
! Sound in a room, without marks: components of a derived type, explicit-shape arguments, COMMON; what a rank has (least)
! and is equal on all.
!   room [N]
module rooms
  implicit none
  type :: room_type
    integer :: n, k0, k1
    real(4), allocatable :: p(:, :, :), q(:, :, :)
  end type
end module

subroutine push(n, k0, k1, p, q)
  implicit none
  integer, intent(in) :: n, k0, k1
  real(4), intent(in) :: p(n, n, k0 - 1:k1 + 1)
  real(4), intent(inout) :: q(n, n, k0 - 1:k1 + 1)
  integer :: i, j, k
  do k = max(k0, 2), min(k1, n - 1)
    do j = 2, n - 1
      do i = 2, n - 1
        q(i, j, k) = q(i, j, k) + 0.125 * (p(i - 1, j, k) + p(i + 1, j, k) + p(i, j - 1, k) &
          + p(i, j + 1, k) + p(i, j, k - 1) + p(i, j, k + 1) - 6 * p(i, j, k))
      end do
    end do
  end do
end subroutine

real(4) function total(n, k0, k1, p)
  use mpi
  implicit none
  integer, intent(in) :: n, k0, k1
  real(4), intent(in) :: p(n, n, k0 - 1:k1 + 1)
  real(4) :: part
  integer :: ierr
  part = maxval(p(:, :, k0:k1))
  call MPI_Allreduce(part, total, 1, MPI_REAL, MPI_MAX, MPI_COMM_WORLD, ierr)
end function

program room
  use mpi
  use rooms
  implicit none
  type(room_type) :: r
  real(4), external :: total
  real(4) :: most, least, allowed
  integer :: rank, ranks, n, i, j, k, it, ierr, below, above, steps
  character(len=16) :: word
  common /times/ steps

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  n = 9
  least = 1
  steps = 2
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) n
  end if
  r%n = n
  r%k0 = n * rank / ranks + 1
  r%k1 = n * (rank + 1) / ranks
  below = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  above = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
  allocate (r%p(n, n, r%k0 - 1:r%k1 + 1), r%q(n, n, r%k0 - 1:r%k1 + 1))
  do k = r%k0, r%k1
    do j = 1, n
      do i = 1, n
        r%p(i, j, k) = sin(1.0 * i) * cos(2.0 * j) + k
        r%q(i, j, k) = 0.5 * k
      end do
    end do
  end do
  do it = 1, steps
    call MPI_Sendrecv(r%p(1, 1, r%k0), n * n, MPI_REAL, below, 1, r%p(1, 1, r%k1 + 1), n * n, MPI_REAL, &
      above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(r%p(1, 1, r%k1), n * n, MPI_REAL, above, 2, r%p(1, 1, r%k0 - 1), n * n, MPI_REAL, &
      below, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call push(n, r%k0, r%k1, r%p, r%q)
    do k = r%k0, r%k1
      do j = 1, n
        do i = 1, n
          r%p(i, j, k) = r%p(i, j, k) + 0.5 * r%q(i, j, k)
        end do
      end do
    end do
  end do
  call MPI_Allreduce(least, allowed, 1, MPI_REAL, MPI_MIN, MPI_COMM_WORLD, ierr)
  most = total(n, r%k0, r%k1, r%p)
  if (rank == 0) print '(a, f12.4)', 'room: ', r%p(2, 2, 1)
  call MPI_Finalize(ierr)
end program
