! SPDX-License-Identifier: GPL-3.0-or-later
! turns N STEPS: waves, arrays of pointers that are rotated, blocks in two dimensions, settings of a derived type
module turns_mod
  use mpi_f08
  implicit none
  integer, parameter :: rk = selected_real_kind(15)
  type settings
    integer :: n, steps
    real(rk) :: c, dt, h
  end type settings
  type tile
    type(MPI_Comm) :: comm
    integer :: dims(2), pos(2), is, ie, js, je, west, east, south, north
  end type tile
contains
  subroutine cut(t, n)
    type(tile), intent(inout) :: t
    integer, intent(in) :: n
    integer :: np, me
    call MPI_Comm_size(MPI_COMM_WORLD, np)
    t%dims = 0
    call MPI_Dims_create(np, 2, t%dims)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, t%dims, [.false., .false.], .false., t%comm)
    call MPI_Comm_rank(t%comm, me)
    call MPI_Cart_coords(t%comm, me, 2, t%pos)
    call MPI_Cart_shift(t%comm, 0, 1, t%west, t%east)
    call MPI_Cart_shift(t%comm, 1, 1, t%south, t%north)
    call range(n, t%dims(1), t%pos(1), t%is, t%ie)
    call range(n, t%dims(2), t%pos(2), t%js, t%je)
  end subroutine cut

  pure subroutine range(n, p, k, first, last)
    integer, intent(in) :: n, p, k
    integer, intent(out) :: first, last
    first = k*(n/p) + min(k, mod(n, p)) + 1
    last = first + n/p - 1
    if (k < mod(n, p)) last = last + 1
  end subroutine range

  subroutine note(c, at)
    real(rk) :: c
    integer :: at
    if (c > 1) print *, 'unstable', at
  end subroutine note

  subroutine swap_halo(t, a)
    type(tile), intent(in) :: t
    real(rk), intent(inout) :: a(t%is - 1:, t%js - 1:)
    real(rk) :: out(t%js:t%je), in(t%js:t%je)
    integer :: m
    m = t%je - t%js + 1
    out = a(t%is, t%js:t%je)
    in = a(t%ie + 1, t%js:t%je)
    call MPI_Sendrecv(out, m, MPI_DOUBLE_PRECISION, t%west, 0, in, m, MPI_DOUBLE_PRECISION, t%east, 0, &
         t%comm, MPI_STATUS_IGNORE)
    a(t%ie + 1, t%js:t%je) = in
    out = a(t%ie, t%js:t%je)
    in = a(t%is - 1, t%js:t%je)
    call MPI_Sendrecv(out, m, MPI_DOUBLE_PRECISION, t%east, 1, in, m, MPI_DOUBLE_PRECISION, t%west, 1, &
         t%comm, MPI_STATUS_IGNORE)
    a(t%is - 1, t%js:t%je) = in
    m = t%ie - t%is + 1
    call MPI_Sendrecv(a(t%is:t%ie, t%js), m, MPI_DOUBLE_PRECISION, t%south, 2, a(t%is:t%ie, t%je + 1), m, &
         MPI_DOUBLE_PRECISION, t%north, 2, t%comm, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(a(t%is:t%ie, t%je), m, MPI_DOUBLE_PRECISION, t%north, 3, a(t%is:t%ie, t%js - 1), m, &
         MPI_DOUBLE_PRECISION, t%south, 3, t%comm, MPI_STATUS_IGNORE)
  end subroutine swap_halo
end module turns_mod

program turns
  use turns_mod
  implicit none
  type(settings) :: s
  type(tile) :: t
  real(rk), pointer, contiguous :: old(:, :), cur(:, :), new(:, :), tmp(:, :)
  real(rk) :: part, total, k
  integer :: i, j, step, me
  character(16) :: arg
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  s%n = 36; s%steps = 10
  call get_command_argument(1, arg)
  if (len_trim(arg) > 0) read (arg, *) s%n
  call get_command_argument(2, arg)
  if (len_trim(arg) > 0) read (arg, *) s%steps
  s%c = 1.0_rk
  s%h = 1.0_rk/(s%n + 1)
  s%dt = 0.5_rk*s%h
  call cut(t, s%n)
  allocate (old(t%is - 1:t%ie + 1, t%js - 1:t%je + 1))
  allocate (cur, new, mold=old)
  old = 0; cur = 0; new = 0
  do j = t%js, t%je
    do i = t%is, t%ie
      cur(i, j) = sin(3*i*s%h)*cos(2*j*s%h)
      old(i, j) = cur(i, j)
    end do
  end do
  k = (s%c*s%dt/s%h)**2
  do step = 1, s%steps
    call swap_halo(t, cur)
    call note(k, step)
    do concurrent(j=t%js:t%je, i=t%is:t%ie)
      new(i, j) = 2*cur(i, j) - old(i, j) + k*(cur(i - 1, j) + cur(i + 1, j) + cur(i, j - 1) + cur(i, j + 1) &
           - 4*cur(i, j))
    end do
    tmp => old
    old => cur
    cur => new
    new => tmp
  end do
  part = sum(cur(t%is:t%ie, t%js:t%je)**2)
  call MPI_Allreduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, t%comm)
  if (me == 0) write (*, '(a, es20.12)') 'norm', sqrt(total)
  call MPI_Finalize()
end program turns
