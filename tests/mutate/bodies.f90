! SPDX-License-Identifier: BSD-3-Clause
! Bodies that attract each other: each rank owns some, and all positions are gathered in each step. Components of
! three in one array.
program bodies
  use mpi
  use dvmdbg
  implicit none
  integer, parameter :: wp = kind(1d0), n = 22, steps = 4
  real(wp), target :: scale = 1, energy = 0
  real(wp), allocatable, target :: x(:, :), v(:, :), force(:, :)
  real(wp), target :: all_x(3, n) = 0
  integer, allocatable :: counts(:), places(:)
  integer :: rank, size, b0, b1, r, t, ierr
  real(wp) :: dt = 0.02d0, soft = 0.1d0
  character(len=20) :: word

  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) scale
  end if
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  b0 = n * rank / size + 1
  b1 = n * (rank + 1) / size
  allocate (x(3, b0:b1), v(3, b0:b1), force(3, b0:b1), counts(size), places(size))
  do r = 0, size - 1
    places(r + 1) = 3 * (n * r / size)
    counts(r + 1) = 3 * (n * (r + 1) / size - n * r / size)
  end do
  x = 0
  v = 0
  force = 0
  call dvmdbg_function_begin('bodies')
  call dvmdbg_replicated(scale, 'scale')
  call dvmdbg_replicated(energy, 'energy')
  call dvmdbg_replicated(all_x, 'all_x')
  call dvmdbg_array(x, 'x', shape=[3, n], own_lo=[1, b0], own_hi=[3, b1])
  call dvmdbg_array(v, 'v', shape=[3, n], own_lo=[1, b0], own_hi=[3, b1])
  call dvmdbg_array(force, 'force', shape=[3, n], own_lo=[1, b0], own_hi=[3, b1])
  call start()
  call dvmdbg_sl_begin(first=1, last=steps)
  do t = 1, steps
    call dvmdbg_iteration(t)
    call MPI_Allgatherv(x, 3 * (b1 - b0 + 1), MPI_DOUBLE_PRECISION, all_x, counts, places, MPI_DOUBLE_PRECISION, &
      MPI_COMM_WORLD, ierr)
    call forces()
    call move()
  end do
  call dvmdbg_sl_end()
  call kinetic()
  if (rank == 0) print '(a,es12.6)', 'bodies: energy ', energy
  call dvmdbg_forget('x')
  call dvmdbg_forget('v')
  call dvmdbg_forget('force')
  call dvmdbg_function_end()
  call MPI_Finalize(ierr)

contains

  subroutine start()
    integer :: b
    call dvmdbg_pl_begin(first=[1], last=[n], on=x, writes='x,v')
    do b = b0, b1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(b)
      x(1, b) = scale * cos(0.7d0 * b)
      x(2, b) = scale * sin(1.1d0 * b)
      x(3, b) = scale * 0.05d0 * b
      v(:, b) = scale * 0.1d0 * [sin(0.3d0 * b), cos(0.2d0 * b), 0.5d0]
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine forces()
    integer :: b, k
    real(wp) :: d(3), sum(3)
    call dvmdbg_pl_begin(first=[1], last=[n], on=force, writes='force', reads='x')
    do b = b0, b1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(b)
      sum = 0
      do k = 1, n
        d = (all_x(:, k) - x(:, b)) / scale
        sum = sum + d / (d(1)**2 + d(2)**2 + d(3)**2 + soft)
      end do
      force(:, b) = scale * sum / n
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine move()
    integer :: b
    call dvmdbg_pl_begin(first=[1], last=[n], on=x, writes='x,v', reads='force')
    do b = b0, b1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(b)
      v(:, b) = v(:, b) + dt * force(:, b)
      x(:, b) = x(:, b) + dt * v(:, b)
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine kinetic()
    integer :: b
    real(wp) :: local
    local = 0
    call dvmdbg_pl_begin(first=[1], last=[n], on=v, reads='v')
    do b = b0, b1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(b)
      local = local + 0.5d0 * (v(1, b)**2 + v(2, b)**2 + v(3, b)**2)
    end do
    call MPI_Allreduce(local, energy, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(energy, dvmdbg_sum)
    call dvmdbg_pl_end()
  end subroutine
end program
