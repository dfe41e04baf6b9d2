! SPDX-License-Identifier: BSD-3-Clause
! Gas in a box expands from a hot corner: hydrodynamics on a staggered grid, in the manner of CloverLeaf.
!   stagger [N [STEPS]] [--fault NAME]; stagger --fault list
! A fault a line, with tabs between: name, array, first wrong element, and file:line of the construct that has it
! wrong first, on 4 ranks with the given N. The faults show on more than one rank only.
!
! Density and energy belong to cells, 1 to N in each direction, velocities to the nodes between them, 1 to N + 1:
! node i is the low corner of cell i. A rank owns the cells i0:i1 and the nodes i0:i1, the last one also node N + 1,
! and computes what lies at its edge redundantly: nodes i0:i1 + 1, and pressure and viscosity in one layer of its
! halo. So a step needs one exchange, of two layers of cells and one of nodes, packed into one message a side.
! All arrays have the same bits on any number of ranks.
program stagger
  use mpi
  use dvmdbg
  implicit none
  integer, parameter :: wp = kind(1d0)
  ! What a rank has of the fields: of cells with two layers of halo, of cells with one, of nodes, of faces.
  type fields
    real(wp), allocatable :: density(:, :), energy(:, :)
    real(wp), allocatable :: pressure(:, :), viscosity(:, :)
    real(wp), allocatable :: xvel0(:, :), yvel0(:, :), xvel1(:, :), yvel1(:, :)
    real(wp), allocatable :: mass_x(:, :), mass_y(:, :), heat_x(:, :), heat_y(:, :)
  end type
  type(fields), target :: f
  integer, target :: n = 64, steps = 40
  real(wp), target :: dt = 0
  real(wp) :: dx, mass
  integer :: grid, rank, ranks, low(2), high(2) ! the neighbours in each direction
  integer :: i0, i1, j0, j1, it, ierr
  logical :: right
  character(len=32) :: fault = ''

  call options()
  call setup()
  call dvmdbg_function_begin('stagger')
  call dvmdbg_replicated(n, 'n')
  call dvmdbg_replicated(steps, 'steps')
  call dvmdbg_replicated(dt, 'dt')
  call register()
  call start()
  mass = total(f%density)

  call dvmdbg_sl_begin(first=1, last=steps)
  do it = 1, steps
    call dvmdbg_iteration(it)
    call renew()
    call equation_of_state(f%density, f%energy, f%pressure)
    call resist(f%xvel0, f%yvel0, f%density, f%viscosity)
    call timestep()
    call accelerate(f%density, f%pressure, f%viscosity, f%xvel0, f%yvel0, f%xvel1, f%yvel1)
    call advect(f%xvel1, f%yvel1, f%density, f%energy)
    call reset()
  end do
  call dvmdbg_sl_end()

  right = check()
  call dvmdbg_function_end()
  call MPI_Finalize(ierr)
  if (.not. right) stop 1

contains

  ! The components, under the names that the loops' marks use; their dummies may be called otherwise.
  subroutine register()
    call layers(f%density, 'density', [0, 0], 2)
    call layers(f%energy, 'energy', [0, 0], 2)
    call layers(f%pressure, 'pressure', [0, 0], 1)
    call layers(f%viscosity, 'viscosity', [0, 0], 1)
    call layers(f%xvel0, 'xvel0', [1, 1], 1)
    call layers(f%yvel0, 'yvel0', [1, 1], 1)
    call layers(f%xvel1, 'xvel1', [1, 1], 1)
    call layers(f%yvel1, 'yvel1', [1, 1], 1)
    call layers(f%mass_x, 'mass_x', [1, 0], 0)
    call layers(f%heat_x, 'heat_x', [1, 0], 0)
    call layers(f%mass_y, 'mass_y', [0, 1], 0)
    call layers(f%heat_y, 'heat_y', [0, 1], 0)
  end subroutine

  ! Of what there is one more than cells (more = 1), the last one belongs to the rank at that edge. All others
  ! have it as halo, as they have the halo's layers.
  subroutine layers(a, name, more, halo)
    real(wp), intent(in), target :: a(:, :)
    character(len=*), intent(in) :: name
    integer, intent(in) :: more(2), halo
    integer :: last(2)
    last = [i1, j1] + merge(more, 0, [i1, j1] == n)
    call dvmdbg_array(a, name, shape=n + more, own_lo=[i0, j0], own_hi=last, halo_lo=halo, &
      halo_hi=[i1, j1] + more + halo - last)
  end subroutine

  subroutine start()
    integer :: i, j
    call dvmdbg_pl_begin(first=[1, 1], last=[n, n], on=f%density, writes='density, energy')
    do j = j0, j1
      do i = i0, i1
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        f%density(i, j) = 1
        f%energy(i, j) = 1 + 1 / (1 + 8 * (((i - 0.5d0) * dx)**2 + ((j - 0.5d0) * dx)**2))
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine

  ! The pressure of the own cells, and of the layer around them: each of its neighbours computes that as well.
  subroutine equation_of_state(d, e, p)
    real(wp), intent(in) :: d(i0 - 2:, j0 - 2:), e(i0 - 2:, j0 - 2:)
    real(wp), intent(inout) :: p(i0 - 1:, j0 - 1:)
    integer :: i, j, from
    from = i0 - 1
    if (fault == 'short-pressure' .and. low(1) /= MPI_PROC_NULL) from = i0
    call dvmdbg_pl_begin(first=[0, 0], last=[n + 1, n + 1], on=p, writes='pressure', reads='density, energy')
    do j = j0 - 1, j1 + 1
      do i = from, i1 + 1
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        p(i, j) = 0.4d0 * d(i, j) * e(i, j)
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine

  ! Artificial viscosity, where gas is compressed.
  subroutine resist(x, y, d, q)
    real(wp), intent(in) :: x(i0 - 1:, j0 - 1:), y(i0 - 1:, j0 - 1:), d(i0 - 2:, j0 - 2:)
    real(wp), intent(inout) :: q(i0 - 1:, j0 - 1:)
    integer :: i, j
    call dvmdbg_pl_begin(first=[0, 0], last=[n + 1, n + 1], on=q, writes='viscosity', reads='xvel0, yvel0, density')
    do j = j0 - 1, j1 + 1
      do i = i0 - 1, i1 + 1
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        q(i, j) = 2 * d(i, j) * (dx * min(0d0, divergence(x, y, i, j)))**2
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine

  ! How fast a cell expands, by the velocities of its four nodes.
  pure real(wp) function divergence(x, y, i, j)
    real(wp), intent(in) :: x(i0 - 1:, j0 - 1:), y(i0 - 1:, j0 - 1:)
    integer, intent(in) :: i, j
    divergence = ((x(i + 1, j) + x(i + 1, j + 1)) - (x(i, j) + x(i, j + 1)) &
      + ((y(i, j + 1) + y(i + 1, j + 1)) - (y(i, j) + y(i + 1, j)))) / (2 * dx)
  end function

  ! dt: the shortest that any cell allows.
  subroutine timestep()
    integer :: i, j
    real(wp) :: least
    least = huge(least)
    call dvmdbg_pl_begin(first=[1, 1], last=[n, n], on=f%pressure, reads='pressure, viscosity, density, xvel0, yvel0')
    do j = j0, j1
      do i = i0, i1
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        least = min(least, 0.2d0 * dx / (sqrt((1.4d0 * f%pressure(i, j) + 4 * f%viscosity(i, j)) / f%density(i, j)) &
          + abs(f%xvel0(i, j)) + abs(f%yvel0(i, j))))
      end do
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(least, dt, 1, MPI_DOUBLE_PRECISION, MPI_MIN, grid, ierr)
    if (fault == 'local-dt') dt = least
    call dvmdbg_reduction(dt, dvmdbg_min)
  end subroutine

  ! New velocities x1, y1 of the nodes from the old ones and the pressure of the four cells around each.
  subroutine accelerate(d, p, q, x0, y0, x1, y1)
    real(wp), intent(in) :: d(i0 - 2:, j0 - 2:), p(i0 - 1:, j0 - 1:), q(i0 - 1:, j0 - 1:)
    real(wp), intent(in), target :: x0(i0 - 1:, j0 - 1:), y0(i0 - 1:, j0 - 1:)
    real(wp), intent(inout) :: x1(i0 - 1:, j0 - 1:), y1(i0 - 1:, j0 - 1:)
    integer :: i, j
    real(wp) :: push(4), by
    call dvmdbg_pl_begin(first=[1, 1], last=[n + 1, n + 1], on=x1, &
      writes='xvel1, yvel1', reads='density, pressure, viscosity, xvel0, yvel0')
    do j = j0, j1 + 1
      do i = i0, i1 + 1
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        by = 2 * dt / (dx * ((d(i - 1, j - 1) + d(i, j)) + (d(i, j - 1) + d(i - 1, j))))
        push = [p(i - 1, j - 1) + q(i - 1, j - 1), p(i, j - 1) + q(i, j - 1), p(i - 1, j) + q(i - 1, j), p(i, j) + q(i, j)]
        x1(i, j) = x0(i, j) - by * ((push(2) + push(4)) - (push(1) + push(3))) - dt / dx * carried(x0, x0, y0, i, j)
        y1(i, j) = y0(i, j) - by * ((push(3) + push(4)) - (push(1) + push(2))) - dt / dx * carried(y0, x0, y0, i, j)
        if (i == 1 .or. i == n + 1) x1(i, j) = 0
        if (j == 1 .or. j == n + 1) y1(i, j) = 0
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine

  ! The differences of a, against the stream (x, y).
  pure real(wp) function carried(a, x, y, i, j)
    real(wp), intent(in) :: a(i0 - 1:, j0 - 1:), x(i0 - 1:, j0 - 1:), y(i0 - 1:, j0 - 1:)
    integer, intent(in) :: i, j
    carried = max(x(i, j), 0d0) * (a(i, j) - a(i - 1, j)) + min(x(i, j), 0d0) * (a(i + 1, j) - a(i, j)) &
      + (max(y(i, j), 0d0) * (a(i, j) - a(i, j - 1)) + min(y(i, j), 0d0) * (a(i, j + 1) - a(i, j)))
  end function

  ! Moves mass and heat through the faces, in three loops that one construct holds: the first index of an
  ! iteration is the stage, as each stage runs over the same i and j.
  subroutine advect(x, y, d, e)
    real(wp), intent(in) :: x(i0 - 1:, j0 - 1:), y(i0 - 1:, j0 - 1:)
    real(wp), intent(inout) :: d(i0 - 2:, j0 - 2:), e(i0 - 2:, j0 - 2:)
    integer :: i, j
    real(wp) :: v, before
    call dvmdbg_pl_begin(first=[1, 1, 1], last=[3, n + 1, n + 1], on=d, &
      writes='mass_x, heat_x, mass_y, heat_y, density, energy', reads='density, energy, xvel1, yvel1, pressure, viscosity')
    do j = j0, j1
      do i = i0, i1 + 1
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(1, i, j)
        v = (x(i, j) + x(i, j + 1)) / 2
        f%mass_x(i, j) = v * upwind(v, d(i - 2:i + 1, j))
        f%heat_x(i, j) = v * upwind(v, d(i - 2:i + 1, j) * e(i - 2:i + 1, j))
      end do
    end do
    do j = j0, j1 + 1
      do i = i0, i1
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(2, i, j)
        v = (y(i, j) + y(i + 1, j)) / 2
        f%mass_y(i, j) = v * upwind(v, d(i, j - 2:j + 1))
        f%heat_y(i, j) = v * upwind(v, d(i, j - 2:j + 1) * e(i, j - 2:j + 1))
      end do
    end do
    do j = j0, j1
      do i = i0, i1
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(3, i, j)
        before = d(i, j)
        d(i, j) = before - dt / dx * ((f%mass_x(i + 1, j) - f%mass_x(i, j)) + (f%mass_y(i, j + 1) - f%mass_y(i, j)))
        e(i, j) = (before * e(i, j) - dt / dx * ((f%heat_x(i + 1, j) - f%heat_x(i, j)) &
          + (f%heat_y(i, j + 1) - f%heat_y(i, j))) &
          - dt * (f%pressure(i, j) + f%viscosity(i, j)) * divergence(x, y, i, j)) / d(i, j)
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine

  ! What flows through a face between the second and the third of four cells: the cell's that it comes from, with a
  ! slope that is limited as van Leer did.
  pure real(wp) function upwind(v, a)
    real(wp), intent(in) :: v, a(4)
    real(wp) :: behind, across
    across = a(3) - a(2)
    behind = merge(a(2) - a(1), a(4) - a(3), v > 0)
    upwind = merge(a(2), a(3), v > 0)
    if (behind * across > 0) upwind = upwind + merge(1, -1, v > 0) * behind * across / (behind + across)
  end function

  subroutine reset()
    integer :: i, j
    call dvmdbg_pl_begin(first=[1, 1], last=[n + 1, n + 1], on=f%xvel0, writes='xvel0, yvel0', reads='xvel1, yvel1')
    do j = j0, j1 + 1
      do i = i0, i1 + 1
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        f%xvel0(i, j) = f%xvel1(i, j)
        f%yvel0(i, j) = f%yvel1(i, j)
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine

  ! Renews the halos, first in i, then in j with the halo in i, so that the corners come along.
  subroutine renew()
    integer :: d
    real(wp), allocatable :: to_low(:), to_high(:), from_low(:), from_high(:)
    do d = 1, 2
      call pack_side(d, .false., to_low)
      call pack_side(d, .true., to_high)
      allocate (from_low, mold=to_high)
      allocate (from_high, mold=to_low)
      call MPI_Sendrecv(to_low(1), size(to_low), MPI_DOUBLE_PRECISION, low(d), 1, &
        from_high(1), size(from_high), MPI_DOUBLE_PRECISION, high(d), 1, grid, MPI_STATUS_IGNORE, ierr)
      call MPI_Sendrecv(to_high(1), size(to_high), MPI_DOUBLE_PRECISION, high(d), 2, &
        from_low(1), size(from_low), MPI_DOUBLE_PRECISION, low(d), 2, grid, MPI_STATUS_IGNORE, ierr)
      if (low(d) /= MPI_PROC_NULL) call unpack_side(d, .false., from_low)
      if (high(d) /= MPI_PROC_NULL) call unpack_side(d, .true., from_high)
      if (low(d) == MPI_PROC_NULL) call reflect(d, .false.)
      if (high(d) == MPI_PROC_NULL) call reflect(d, .true.)
      deallocate (to_low, to_high, from_low, from_high)
    end do
  end subroutine

  ! A box of cells (more 0) or nodes (1) in w layers at the low or high side: of the halo, or, inside, of what the
  ! neighbour there has in its halo. b(:, 1) and b(:, 2) are first and last in each direction.
  pure function edge(d, upper, more, w, inside) result(b)
    integer, intent(in) :: d, more, w
    logical, intent(in) :: upper, inside
    integer :: b(2, 2)
    b(:, 1) = [i0, j0]
    b(:, 2) = [i1, j1] + more
    if (d == 2) b(1, :) = b(1, :) + [-w, w]
    if (upper .and. inside) b(d, :) = b(d, 2) - more + [1 - w, 0]
    if (upper .and. .not. inside) b(d, :) = b(d, 2) + [1, w]
    if (.not. upper .and. inside) b(d, :) = b(d, 1) + more + [0, w - 1]
    if (.not. upper .and. .not. inside) b(d, :) = b(d, 1) - [w, 1]
  end function

  subroutine pack_side(d, upper, buffer)
    integer, intent(in) :: d
    logical, intent(in) :: upper
    real(wp), allocatable, intent(out) :: buffer(:)
    integer :: c(2, 2), v(2, 2)
    c = edge(d, upper, 0, 2, .true.)
    v = edge(d, upper, 1, 1, .true.)
    associate (g => f)
      buffer = [g%density(c(1, 1):c(1, 2), c(2, 1):c(2, 2)), g%energy(c(1, 1):c(1, 2), c(2, 1):c(2, 2)), &
        g%xvel0(v(1, 1):v(1, 2), v(2, 1):v(2, 2)), g%yvel0(v(1, 1):v(1, 2), v(2, 1):v(2, 2))]
    end associate
  end subroutine

  subroutine unpack_side(d, upper, buffer)
    integer, intent(in) :: d
    logical, intent(in) :: upper
    real(wp), intent(in) :: buffer(:)
    integer :: c(2, 2), v(2, 2), at
    logical :: swapped
    c = edge(d, upper, 0, 2, .false.)
    v = edge(d, upper, 1, 1, .false.)
    swapped = fault == 'swapped-velocities' .and. d == 1 .and. .not. upper
    at = 0
    if (fault == 'shallow-halo' .and. d == 1 .and. .not. upper) then
      ! as if there were one layer only
      call take(f%density(c(1, 2):c(1, 2), c(2, 1):c(2, 2)), buffer(2::2), at)
      at = 2 * at
    else
      call take(f%density(c(1, 1):c(1, 2), c(2, 1):c(2, 2)), buffer, at)
    end if
    call take(f%energy(c(1, 1):c(1, 2), c(2, 1):c(2, 2)), buffer, at)
    if (swapped) call take(f%yvel0(v(1, 1):v(1, 2), v(2, 1):v(2, 2)), buffer, at)
    call take(f%xvel0(v(1, 1):v(1, 2), v(2, 1):v(2, 2)), buffer, at)
    if (.not. swapped) call take(f%yvel0(v(1, 1):v(1, 2), v(2, 1):v(2, 2)), buffer, at)
  end subroutine

  ! Fills a from the buffer behind at.
  subroutine take(a, buffer, at)
    real(wp), intent(inout) :: a(:, :)
    real(wp), intent(in) :: buffer(:)
    integer, intent(inout) :: at
    integer :: i, j
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        at = at + 1
        a(i, j) = buffer(at)
      end do
    end do
  end subroutine

  ! At a wall the gas outside is the mirror image of that inside.
  subroutine reflect(d, upper)
    integer, intent(in) :: d
    logical, intent(in) :: upper
    call mirror(f%density, i0 - 2, j0 - 2, 0, 2, d, upper, 1)
    call mirror(f%energy, i0 - 2, j0 - 2, 0, 2, d, upper, 1)
    call mirror(f%xvel0, i0 - 1, j0 - 1, 1, 1, d, upper, merge(-1, 1, d == 1))
    call mirror(f%yvel0, i0 - 1, j0 - 1, 1, 1, d, upper, merge(-1, 1, d == 2))
  end subroutine

  subroutine mirror(a, ilo, jlo, more, w, d, upper, by)
    integer, intent(in) :: ilo, jlo, more, w, d, by
    logical, intent(in) :: upper
    real(wp), intent(inout) :: a(ilo:, jlo:)
    integer :: to(2, 2), i, j, wall
    to = edge(d, upper, more, w, .false.)
    ! the sum of an index and that of its image
    wall = merge(merge(2 * n + 1, 2 * n + 2, more == 0), 1 + more, upper)
    do j = to(2, 1), to(2, 2)
      do i = to(1, 1), to(1, 2)
        if (d == 1) a(i, j) = by * a(wall - i, j)
        if (d == 2) a(i, j) = by * a(i, wall - j)
      end do
    end do
  end subroutine

  real(wp) function total(a)
    real(wp), intent(in) :: a(i0 - 2:, j0 - 2:)
    real(wp) :: part
    part = sum(a(i0:i1, j0:j1))
    call MPI_Allreduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, grid, ierr)
  end function

  ! The mass is still there, and the gas is still symmetric about the diagonal: rows are as columns.
  ! Prints the verdict, the same on all ranks.
  logical function check()
    real(wp) :: rows(n), columns(n), part(n), error, now
    part = 0
    part(i0:i1) = sum(f%density(i0:i1, j0:j1) * f%energy(i0:i1, j0:j1), 2)
    call MPI_Allreduce(part(1), rows(1), n, MPI_DOUBLE_PRECISION, MPI_SUM, grid, ierr)
    part = 0
    part(j0:j1) = sum(f%density(i0:i1, j0:j1) * f%energy(i0:i1, j0:j1), 1)
    call MPI_Allreduce(part(1), columns(1), n, MPI_DOUBLE_PRECISION, MPI_SUM, grid, ierr)
    now = total(f%density)
    error = max(maxval(abs(rows - columns)), abs(now - mass)) / n
    check = error < 1d-10
    if (rank == 0) print '(a,i0,a,i0,a,i0,a,f0.6,a,f0.6,a,es8.1,1x,a)', 'stagger: n ', n, ', ', steps, ' steps, ', ranks, &
      ' ranks: mass ', now * dx**2, ', heat ', sum(rows) * dx**2, ', error', error, merge('OK   ', 'WRONG', check)
  end function

  ! Starts MPI and takes this rank's block.
  subroutine setup()
    integer :: dims(2), at(2)
    call MPI_Init(ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    dims = 0
    call MPI_Dims_create(ranks, 2, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .false., grid, ierr)
    call MPI_Comm_rank(grid, rank, ierr)
    call MPI_Cart_coords(grid, rank, 2, at, ierr)
    call MPI_Cart_shift(grid, 0, 1, low(1), high(1), ierr)
    call MPI_Cart_shift(grid, 1, 1, low(2), high(2), ierr)
    if (n < 3 * dims(1)) then
      if (rank == 0) print '(a,i0,a,i0,a)', 'stagger: ', n, ' cells are too few for ', ranks, ' ranks'
      call MPI_Finalize(ierr)
      stop 2
    end if
    i0 = n * at(1) / dims(1) + 1
    i1 = n * (at(1) + 1) / dims(1)
    j0 = n * at(2) / dims(2) + 1
    j1 = n * (at(2) + 1) / dims(2)
    dx = 1d0 / n
    allocate (f%density(i0 - 2:i1 + 2, j0 - 2:j1 + 2), f%energy(i0 - 2:i1 + 2, j0 - 2:j1 + 2), source=0d0)
    allocate (f%pressure(i0 - 1:i1 + 1, j0 - 1:j1 + 1), f%viscosity(i0 - 1:i1 + 1, j0 - 1:j1 + 1), source=0d0)
    allocate (f%xvel0(i0 - 1:i1 + 2, j0 - 1:j1 + 2), f%yvel0(i0 - 1:i1 + 2, j0 - 1:j1 + 2), source=0d0)
    allocate (f%xvel1(i0 - 1:i1 + 2, j0 - 1:j1 + 2), f%yvel1(i0 - 1:i1 + 2, j0 - 1:j1 + 2), source=0d0)
    allocate (f%mass_x(i0:i1 + 1, j0:j1), f%heat_x(i0:i1 + 1, j0:j1), source=0d0)
    allocate (f%mass_y(i0:i1, j0:j1 + 1), f%heat_y(i0:i1, j0:j1 + 1), source=0d0)
  end subroutine

  subroutine options()
    character(len=32) :: word
    integer :: k, given, bad
    logical :: named
    named = .false.
    given = 0
    do k = 1, command_argument_count()
      call get_command_argument(k, word)
      bad = 0
      if (named) then
        fault = word
        if (all(word /= [character(len=32) :: 'list', 'local-dt', 'shallow-halo', 'short-pressure', &
          'swapped-velocities'])) bad = 1
        named = .false.
      else if (word == '--fault') then
        named = .true.
      else
        given = given + 1
        if (given == 1) read (word, *, iostat=bad) n
        if (given == 2) read (word, *, iostat=bad) steps
        if (given > 2 .or. n < 8 .or. steps < 0) bad = 1
      end if
      if (bad /= 0) then
        print '(3a)', 'stagger: not understood: ', trim(word), &
          '; usage: stagger [N [STEPS]] [--fault NAME], N from 8; --fault list'
        stop 2
      end if
    end do
    if (fault == 'list') then
      call list('local-dt', 'dt', .false., 149)
      call list('shallow-halo', 'energy', .true., 202)
      call list('short-pressure', 'xvel1', .true., 171)
      call list('swapped-velocities', 'xvel1', .true., 171)
      stop
    end if
  end subroutine

  ! Of an array the first wrong element is that of rank 2 in the first column.
  subroutine list(name, array, element, line)
    character(len=*), intent(in) :: name, array
    logical, intent(in) :: element
    integer, intent(in) :: line
    character, parameter :: tab = achar(9)
    write (*, '(*(g0))', advance='no') name, tab, array, tab, array
    if (element) write (*, '(*(g0))', advance='no') '(', n / 2 + 1, ',1)'
    write (*, '(*(g0))') tab, 'stagger.f90:', line
  end subroutine
end program
