! SPDX-License-Identifier: BSD-3-Clause
! astray HOW: planes of a are dealt out; b gets the values of a on each. HOW: "exchanged": rank 1 exchanges the indices of b;
! "short": it uses b as if its columns were without their halo; else right.
program astray
  use mpi
  use dvmdbg
  implicit none
  integer, parameter :: wp = kind(1d0), n = 8, m = 12
  real(wp), allocatable, target :: a(:, :, :), b(:, :, :)
  integer :: rank, ranks, k0, k1, i, j, k, ierr
  character(len=32) :: how = ''

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, how)
  k0 = m * rank / ranks + 1
  k1 = m * (rank + 1) / ranks
  allocate (a(0:n + 1, 0:n + 1, k0:k1), b(0:n + 1, 0:n + 1, k0:k1))
  a = 0
  b = 0
  call dvmdbg_array(a, 'a', shape=[n, n, m], own_lo=[1, 1, k0], own_hi=[n, n, k1], halo=[1, 1, 0])
  call dvmdbg_array(b, 'b', shape=[n, n, m], own_lo=[1, 1, k0], own_hi=[n, n, k1], halo=[1, 1, 0])
  call dvmdbg_pl_begin(first=[1], last=[m], on=a, writes='a')
  do k = k0, k1
    call dvmdbg_pl_iteration(k)
    do j = 1, n
      do i = 1, n
        a(i, j, k) = sqrt(real(3 * i + 40 * j + 700 * k, wp))
      end do
    end do
  end do
  call dvmdbg_pl_end()
  call dvmdbg_pl_begin(first=[1, 1, 1], last=[n, n, m], on=b, writes='b', reads='a')
  do k = k0, k1
    do j = 1, n
      do i = 1, n
        call dvmdbg_pl_iteration(i, j, k)
        if (how == 'exchanged' .and. rank == 1) then
          b(j, i, k) = a(i, j, k)
        else if (how == 'short' .and. rank == 1) then
          call put(b, i + n * (j - 1) + (n + 2) * (n + 2) * (k - k0), a(i, j, k))
        else
          b(i, j, k) = a(i, j, k)
        end if
      end do
    end do
  end do
  call dvmdbg_pl_end()
  print '(f12.6)', sum(b) / m
  call MPI_Finalize(ierr)
contains
  ! Behind the first element of the first column, in the order of memory.
  subroutine put(x, at, value)
    real(wp), intent(inout) :: x(*)
    integer, intent(in) :: at
    real(wp), intent(in) :: value

    x(n + 3 + at) = value
  end subroutine
end program
