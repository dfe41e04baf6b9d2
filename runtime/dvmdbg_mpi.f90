! SPDX-License-Identifier: BSD-3-Clause
!
! dvmdbg_mpi.f90: arrays as calls of MPI, or PETSc's DMDA, already describe them: one line registers each. Compile it
! behind dvmdbg.f90, with the program's compiler.
!
!   use dvmdbg_mpi
!   call MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, filetype, ierr)
!   call dvmdbg_array_subarray(u, "u", sizes, subsizes, starts, halo)    the same arguments: starts from 0
!   call dvmdbg_array_filetype(u, "u", filetype, halo)                   the type
!   call dvmdbg_array_view(u, "u", file, halo)                           the view of MPI_File_set_view
!   call dvmdbg_array_cart(u, "u", cart, shape_here, halo)               a Cartesian communicator
!   call dvmdbg_array_box(u, "u", sizes, starts, counts, ghost_starts, ghost_counts)  as DMDAGetCorners: starts from 0
!
! u is what is allocated here, halo and all. halo, where it is given: widths on both sides in each dimension. A type is
! a subarray in Fortran's order; of vectors of several numbers, u has a dimension for these, the first. shape_here: how many elements this rank owns in each dimension of the communicator;
! the others' are asked for, so that all ranks of it come by (under the debugger; else nothing is called).
module dvmdbg_mpi
  use, intrinsic :: iso_c_binding, only: c_int, c_char
  use mpi
  use dvmdbg, only: dvmdbg_array
  implicit none
  private
  public :: dvmdbg_array_subarray, dvmdbg_array_filetype, dvmdbg_array_view, dvmdbg_array_cart, dvmdbg_array_box

  interface
    ! 1: the program runs under the debugger.
    integer(c_int) function active() bind(c, name="dvmdbg_mpi_on")
      import :: c_int
    end function
  end interface

contains

  subroutine dvmdbg_array_subarray(a, name, sizes, subsizes, starts, halo)
    type(*), dimension(..), intent(in), target :: a
    character(len=*), intent(in) :: name
    integer, intent(in) :: sizes(:), subsizes(:), starts(:)
    integer, intent(in), optional :: halo(:)
    integer :: width(size(sizes))
    if (active() == 0) return
    width = 0
    if (present(halo)) width = halo
    call register(a, name, sizes, starts, subsizes, width, width)
  end subroutine

  ! starts from 0.
  subroutine register(a, name, sizes, starts, counts, below, above, periods)
    type(*), dimension(..), intent(in), target :: a
    character(len=*), intent(in) :: name
    integer, intent(in) :: sizes(:), starts(:), counts(:), below(:), above(:)
    logical, intent(in), optional :: periods(:)
    integer :: periodic(size(sizes))
    integer :: lo(size(sizes)), hi(size(sizes))
    lo = starts + 1
    hi = starts + counts
    periodic = 0
    if (present(periods)) periodic = merge(1, 0, periods)
    call dvmdbg_array(a, name, shape=sizes, own_lo=lo, own_hi=hi, halo_lo=below, halo_hi=above, &
      nothing=merge(1_c_int, 0_c_int, any(counts == 0)), periodic=periodic)
  end subroutine

  subroutine dvmdbg_array_box(a, name, sizes, starts, counts, ghost_starts, ghost_counts)
    type(*), dimension(..), intent(in), target :: a
    character(len=*), intent(in) :: name
    integer, intent(in) :: sizes(:), starts(:), counts(:), ghost_starts(:), ghost_counts(:)
    integer :: below(size(sizes)), above(size(sizes))
    if (active() == 0) return
    below = starts - ghost_starts
    above = ghost_starts + ghost_counts - starts - counts
    call register(a, name, sizes, starts, counts, below, above)
  end subroutine

  recursive subroutine dvmdbg_array_filetype(a, name, filetype, halo)
    type(*), dimension(..), intent(in), target :: a
    character(len=*), intent(in) :: name
    integer, intent(in) :: filetype
    integer, intent(in), optional :: halo(:)
    integer :: nints, naddresses, ntypes, combiner, ierr, n, i
    integer :: within
    integer, allocatable :: ints(:), types(:), width(:)
    integer(MPI_ADDRESS_KIND), allocatable :: addresses(:)
    if (active() == 0) return
    call MPI_Type_get_envelope(filetype, nints, naddresses, ntypes, combiner, ierr)
    allocate (ints(nints + 1), addresses(naddresses + 1), types(ntypes + 1))
    if (combiner == MPI_COMBINER_NAMED) then
      ntypes = 0
    else
      call MPI_Type_get_contents(filetype, nints, naddresses, ntypes, ints, addresses, types, ierr)
    end if
    n = 0
    if (ntypes > 0) n = ints(1)
    ! ROMIO's views are a type of one such type
    if (combiner == MPI_COMBINER_DUP .or. (combiner == MPI_COMBINER_CONTIGUOUS .and. n == 1)) then
      call dvmdbg_array_filetype(a, name, types(1), halo)
    else
      within = -1
      if (combiner == MPI_COMBINER_SUBARRAY) within = elements_in(types(1))
      if (within == 1 .and. rank(a) == n) then
        call dvmdbg_array_subarray(a, name, ints(2:1 + n), ints(2 + n:1 + 2 * n), ints(2 + 2 * n:1 + 3 * n), halo)
      else if (within > 1 .and. rank(a) == n + 1) then
        allocate (width(n))
        width = 0
        if (present(halo)) width = halo
        call dvmdbg_array_subarray(a, name, [within, ints(2:1 + n)], [within, ints(2 + n:1 + 2 * n)], &
          [0, ints(2 + 2 * n:1 + 3 * n)], [0, width])
      else
        write (0, '(3a)') 'dvmdbg cannot read how ', name, ' is distributed: register it with dvmdbg_array'
      end if
    end if
    do i = 1, ntypes
      call free_unless_named(types(i))
    end do
  end subroutine

  subroutine dvmdbg_array_view(a, name, file, halo)
    type(*), dimension(..), intent(in), target :: a
    character(len=*), intent(in) :: name
    integer, intent(in) :: file
    integer, intent(in), optional :: halo(:)
    integer(MPI_OFFSET_KIND) :: at
    integer :: element, filetype, ierr
    character(len=MPI_MAX_DATAREP_STRING) :: how
    if (active() == 0) return
    call MPI_File_get_view(file, at, element, filetype, how, ierr)
    call dvmdbg_array_filetype(a, name, filetype, halo)
    call free_unless_named(filetype)
    call free_unless_named(element)
  end subroutine

  ! How many elements one of this type is: 1 also of a derived type; -1: that cannot be read.
  integer function elements_in(type)
    integer, intent(in) :: type
    integer :: nints, naddresses, ntypes, combiner, ierr, inner
    integer, allocatable :: ints(:), types(:)
    integer(MPI_ADDRESS_KIND), allocatable :: addresses(:)
    call MPI_Type_get_envelope(type, nints, naddresses, ntypes, combiner, ierr)
    elements_in = -1
    if (combiner == MPI_COMBINER_NAMED .or. combiner == MPI_COMBINER_STRUCT .or. &
      combiner == MPI_COMBINER_RESIZED) elements_in = 1
    if (combiner /= MPI_COMBINER_CONTIGUOUS) return
    allocate (ints(nints), addresses(naddresses + 1), types(ntypes))
    call MPI_Type_get_contents(type, nints, naddresses, ntypes, ints, addresses, types, ierr)
    call MPI_Type_get_envelope(types(1), nints, naddresses, ntypes, inner, ierr)
    if (inner == MPI_COMBINER_NAMED) elements_in = ints(1)
    call free_unless_named(types(1))
  end function

  subroutine free_unless_named(type)
    integer, intent(inout) :: type
    integer :: n, m, k, combiner, ierr
    call MPI_Type_get_envelope(type, n, m, k, combiner, ierr)
    if (combiner /= MPI_COMBINER_NAMED) call MPI_Type_free(type, ierr)
  end subroutine

  subroutine dvmdbg_array_cart(a, name, cart, shape_here, halo)
    type(*), dimension(..), intent(in), target :: a
    character(len=*), intent(in) :: name
    integer, intent(in) :: cart, shape_here(:)
    integer, intent(in), optional :: halo(:)
    integer, dimension(size(shape_here)) :: dims, coords, sizes, starts, width
    logical, dimension(size(shape_here)) :: periods, keep
    integer :: d, line, ierr
    if (active() == 0) return
    call MPI_Cart_get(cart, size(shape_here), dims, periods, coords, ierr)
    width = 0
    if (present(halo)) width = halo
    starts = 0
    do d = 1, size(shape_here)
      keep = .false.
      keep(d) = .true.
      call MPI_Cart_sub(cart, keep, line, ierr)
      call MPI_Allreduce(shape_here(d), sizes(d), 1, MPI_INTEGER, MPI_SUM, line, ierr)
      call MPI_Exscan(shape_here(d), starts(d), 1, MPI_INTEGER, MPI_SUM, line, ierr)
      if (coords(d) == 0) starts(d) = 0
      call MPI_Comm_free(line, ierr)
    end do
    call register(a, name, sizes, starts, shape_here, width, width, periods)
  end subroutine
end module
