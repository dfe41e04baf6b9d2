! SPDX-License-Identifier: GPL-3.0-or-later
! solver N STEPS [HOW]: the heat example in Fortran, as somebody would port it: phi and psi for u and v, blocks of columns,
! other loops in other places. HOW: "wrong": psi(3, 4) is wrong in step 2; "more": a step more;
! "float": psi is in an array of single precision as well.
program solver
  use mpi
  use dvmdbg
  implicit none
  integer, parameter :: wp = kind(1d0)
  real(wp), parameter :: pi = acos(-1d0)
  integer, target :: n, steps
  real(wp), target :: weight = 0.5d0, largest = 0
  real(wp), allocatable, target :: phi(:, :), psi(:, :)
  real(4), allocatable, target :: single(:, :)
  integer :: rank, ranks, left, right, c0, c1, west, east, i, j, it, ierr
  character(len=32) :: word, how = ''
  real(wp) :: local

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, word)
  read (word, *) n
  call get_command_argument(2, word)
  read (word, *) steps
  call get_command_argument(3, how)
  if (how == 'more') steps = steps + 1
  c0 = int(int(n, 8) * rank / ranks) + 1
  c1 = int(int(n, 8) * (rank + 1) / ranks)
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
  west = max(c0, 2)
  east = min(c1, n - 1)
  allocate (phi(n, c0 - 1:c1 + 1), psi(n, c0 - 1:c1 + 1), single(n, c0:c1))

  call dvmdbg_function_begin('solver')
  call dvmdbg_replicated(weight, 'weight')
  call dvmdbg_replicated(largest, 'largest')
  call dvmdbg_array(phi, 'phi', shape=[n, n], own_lo=[1, c0], own_hi=[n, c1], halo=[0, 1])
  call dvmdbg_array(psi, 'psi', shape=[n, n], own_lo=[1, c0], own_hi=[n, c1], halo=[0, 1])
  if (how == 'float') call dvmdbg_array(single, 'single', shape=[n, n], own_lo=[1, c0], own_hi=[n, c1])

  call dvmdbg_pl_begin(first=[1, 1], last=[n, n], on=phi, writes='phi,psi')
  phi = 0
  psi = 0
  single = 0
  call dvmdbg_pl_end()

  call dvmdbg_pl_begin(first=[1, 1], last=[n, n], on=phi, writes='phi')
  do j = max(c0, 2), min(c1, n - 1)
    do i = 2, n - 1
      phi(i, j) = sin(2 * pi * (i - 1) / (n - 1)) * sin(3 * pi * (j - 1) / (n - 1))
    end do
  end do
  call dvmdbg_pl_end()

  call dvmdbg_sl_begin(first=1, last=steps)
  do it = 1, steps
    call dvmdbg_iteration(it)
    call renew(phi)
    call dvmdbg_pl_begin(first=[2, 2], last=[n - 1, n - 1], on=psi)
    do j = west, east
      do i = 2, n - 1
        psi(i, j) = (1 - weight) * phi(i, j) + weight * 0.25d0 * &
          (phi(i - 1, j) + phi(i + 1, j) + phi(i, j - 1) + phi(i, j + 1))
        if (how == 'wrong' .and. it == 2 .and. i == 3 .and. j == 4) psi(i, j) = psi(i, j) + 1
        single(i, j) = real(psi(i, j), 4)
      end do
    end do
    call dvmdbg_pl_end()
    local = 0
    call dvmdbg_pl_begin(first=[2, 2], last=[n - 1, n - 1], on=psi, writes='phi', reads='psi')
    do j = west, east
      do i = 2, n - 1
        local = max(local, abs(psi(i, j) - phi(i, j)))
        phi(i, j) = psi(i, j)
      end do
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
  end do
  call dvmdbg_sl_end()
  if (rank == 0) print '(a,i0,a,i0,a,i0,a)', 'solver: n ', n, ', ', steps, ' steps, ', ranks, ' ranks'
  call dvmdbg_function_end()
  call MPI_Finalize(ierr)

contains

  ! Renews the halo columns.
  subroutine renew(a)
    real(wp), intent(inout) :: a(1:, c0 - 1:)
    call MPI_Sendrecv(a(1, c0), n, MPI_DOUBLE_PRECISION, left, 1, a(1, c1 + 1), n, MPI_DOUBLE_PRECISION, &
      right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(a(1, c1), n, MPI_DOUBLE_PRECISION, right, 2, a(1, c0 - 1), n, MPI_DOUBLE_PRECISION, &
      left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine
end program
