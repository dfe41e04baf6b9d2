! SPDX-License-Identifier: GPL-3.0-or-later
! Shallow water on a basin with walls, Lax-Friedrichs, blocks in two dimensions
module state_m
  use mpi
  implicit none
  type :: state
     real(8), allocatable :: h(:,:), hu(:,:), hv(:,:)
  end type state
  type :: mesh
     integer :: nx, ny, mx, my, ox, oy
     integer :: comm, rank, west, east, south, north
     real(8) :: dx, g
  end type mesh
  integer :: coltype
contains
  subroutine make_mesh(m, nx, ny)
    type(mesh), intent(out) :: m
    integer, intent(in) :: nx, ny
    integer :: np, ierr, dims(2), pos(2)
    logical :: per(2)
    dims = 0
    per = .false.
    call MPI_Comm_size(MPI_COMM_WORLD, np, ierr)
    call MPI_Dims_create(np, 2, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, per, .false., m%comm, ierr)
    call MPI_Comm_rank(m%comm, m%rank, ierr)
    call MPI_Cart_coords(m%comm, m%rank, 2, pos, ierr)
    call MPI_Cart_shift(m%comm, 0, 1, m%west, m%east, ierr)
    call MPI_Cart_shift(m%comm, 1, 1, m%south, m%north, ierr)
    m%nx = nx
    m%ny = ny
    m%ox = nx * pos(1) / dims(1)
    m%mx = nx * (pos(1) + 1) / dims(1) - m%ox
    m%oy = ny * pos(2) / dims(2)
    m%my = ny * (pos(2) + 1) / dims(2) - m%oy
    m%dx = 1.0d0 / nx
    m%g = 9.81d0
    call MPI_Type_vector(m%my + 2, 1, m%mx + 2, MPI_DOUBLE_PRECISION, coltype, ierr)
    call MPI_Type_commit(coltype, ierr)
  end subroutine make_mesh

  subroutine make_state(s, m)
    type(state), intent(inout) :: s
    type(mesh), intent(in) :: m
    allocate(s%h(0:m%mx+1, 0:m%my+1), s%hu(0:m%mx+1, 0:m%my+1), s%hv(0:m%mx+1, 0:m%my+1))
    s%h = 1.0d0
    s%hu = 0.0d0
    s%hv = 0.0d0
  end subroutine make_state

  subroutine exchange(a, m)
    type(mesh), intent(in) :: m
    real(8), intent(inout) :: a(0:m%mx+1, 0:m%my+1)
    integer :: ierr, n
    n = m%mx + 2
    call MPI_Sendrecv(a(1,0), 1, coltype, m%west, 1, &
         a(m%mx+1,0), 1, coltype, m%east, 1, m%comm, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(a(m%mx,0), 1, coltype, m%east, 2, &
         a(0,0), 1, coltype, m%west, 2, m%comm, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(a(0,1), n, MPI_DOUBLE_PRECISION, m%south, 3, &
         a(0,m%my+1), n, MPI_DOUBLE_PRECISION, m%north, 3, m%comm, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(a(0,m%my), n, MPI_DOUBLE_PRECISION, m%north, 4, &
         a(0,0), n, MPI_DOUBLE_PRECISION, m%south, 4, m%comm, MPI_STATUS_IGNORE, ierr)
  end subroutine exchange

  subroutine reflect(s, m)
    type(state), intent(inout) :: s
    type(mesh), intent(in) :: m
    if (m%west == MPI_PROC_NULL) then
       s%h(0,:) = s%h(1,:)
       s%hu(0,:) = -s%hu(1,:)
       s%hv(0,:) = s%hv(1,:)
    end if
    if (m%east == MPI_PROC_NULL) then
       s%h(m%mx+1,:) = s%h(m%mx,:)
       s%hu(m%mx+1,:) = -s%hu(m%mx,:)
       s%hv(m%mx+1,:) = s%hv(m%mx,:)
    end if
    if (m%south == MPI_PROC_NULL) then
       s%h(:,0) = s%h(:,1)
       s%hu(:,0) = s%hu(:,1)
       s%hv(:,0) = -s%hv(:,1)
    end if
    if (m%north == MPI_PROC_NULL) then
       s%h(:,m%my+1) = s%h(:,m%my)
       s%hu(:,m%my+1) = s%hu(:,m%my)
       s%hv(:,m%my+1) = -s%hv(:,m%my)
    end if
  end subroutine reflect

  subroutine advance(s, t, m, dt)
    type(state), intent(in) :: s
    type(state), intent(inout) :: t
    type(mesh), intent(in) :: m
    real(8), intent(in) :: dt
    real(8) :: l
    integer :: i, j
    l = dt / (2 * m%dx)
    do j = 1, m%my
       do i = 1, m%mx
          t%h(i,j) = 0.25d0 * (s%h(i-1,j) + s%h(i+1,j) + s%h(i,j-1) + s%h(i,j+1)) &
               - l * (s%hu(i+1,j) - s%hu(i-1,j) + s%hv(i,j+1) - s%hv(i,j-1))
          t%hu(i,j) = 0.25d0 * (s%hu(i-1,j) + s%hu(i+1,j) + s%hu(i,j-1) + s%hu(i,j+1)) &
               - l * 0.5d0 * m%g * (s%h(i+1,j)**2 - s%h(i-1,j)**2)
          t%hv(i,j) = 0.25d0 * (s%hv(i-1,j) + s%hv(i+1,j) + s%hv(i,j-1) + s%hv(i,j+1)) &
               - l * 0.5d0 * m%g * (s%h(i,j+1)**2 - s%h(i,j-1)**2)
       end do
    end do
  end subroutine advance
end module state_m

program shallow
  use state_m
  implicit none
  type(state) :: a, b
  type(mesh) :: m
  integer :: nx, ny, steps, n, i, j, ierr
  real(8) :: dt, mass, total
  character(32) :: arg
  call MPI_Init(ierr)
  nx = 24
  ny = 20
  steps = 6
  if (command_argument_count() >= 3) then
     call get_command_argument(1, arg); read (arg, *) nx
     call get_command_argument(2, arg); read (arg, *) ny
     call get_command_argument(3, arg); read (arg, *) steps
  end if
  call make_mesh(m, nx, ny)
  call make_state(a, m)
  call make_state(b, m)
  do j = 1, m%my
     do i = 1, m%mx
        a%h(i,j) = 1.0d0 + 0.3d0 * exp(-0.04d0 * ((m%ox + i - 8)**2 + (m%oy + j - 7)**2))
     end do
  end do
  dt = 0.1d0 * m%dx
  do n = 1, steps
     call exchange(a%h, m)
     call exchange(a%hu, m)
     call exchange(a%hv, m)
     call reflect(a, m)
     call advance(a, b, m, dt)
     a%h(1:m%mx,1:m%my) = b%h(1:m%mx,1:m%my)
     a%hu(1:m%mx,1:m%my) = b%hu(1:m%mx,1:m%my)
     a%hv(1:m%mx,1:m%my) = b%hv(1:m%mx,1:m%my)
  end do
  mass = sum(a%h(1:m%mx,1:m%my)) * m%dx**2
  call MPI_Reduce(mass, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, m%comm, ierr)
  if (m%rank == 0) print '(a,f14.10)', 'mass ', total
  call MPI_Finalize(ierr)
end program shallow
