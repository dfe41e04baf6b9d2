! SPDX-License-Identifier: GPL-3.0-or-later
! described: arrays that are registered with what calls of MPI say of them: element (i, j) is 100 i + j.
program described
  use mpi
  use dvmdbg
  use dvmdbg_mpi
  implicit none
  integer :: rank, ranks, ierr, cart, ring, filetype, file, d
  integer, dimension(2) :: dims, at, all, starts, counts, wide
  logical :: periods(2)
  integer :: two, of_two
  real(8), allocatable, target :: pairs(:, :, :)
  real(8), allocatable, target, dimension(:, :) :: plain, typed, seen, placed, boxed, wound
  character(len=200) :: folder
  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  dims = 0
  periods = .false.
  all = [7, 10]
  wide = [1, 2]
  call MPI_Dims_create(ranks, 2, dims, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., cart, ierr)
  call MPI_Comm_rank(cart, rank, ierr)
  call MPI_Cart_coords(cart, rank, 2, at, ierr)
  do d = 1, 2
    starts(d) = all(d) * at(d) / dims(d)
    counts(d) = all(d) * (at(d) + 1) / dims(d) - starts(d)
  end do
  call MPI_Type_create_subarray(2, all, counts, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, filetype, ierr)
  call MPI_Type_commit(filetype, ierr)
  call get_environment_variable('TMPDIR', folder)
  if (folder == '') folder = '/tmp'
  call MPI_File_open(MPI_COMM_WORLD, trim(folder)//'/described.out', &
    ior(ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_MODE_DELETE_ON_CLOSE), MPI_INFO_NULL, file, ierr)
  call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_DOUBLE_PRECISION, filetype, 'native', MPI_INFO_NULL, ierr)
  call fill(plain, wide)
  call fill(typed, [0, 0])
  call fill(seen, wide)
  call fill(placed, wide)
  call fill(boxed, wide)
  call fill(wound, wide)
  ! behind the last row the first one follows
  do d = 1, size(wound, 1)
    wound(d, :) = wound(d, :) - 100 * (starts(1) + d - wide(1)) + 100 * (modulo(starts(1) + d - wide(1) - 1, all(1)) + 1)
  end do
  call dvmdbg_array_subarray(plain, 'plain', all, counts, starts, wide)
  call dvmdbg_array_filetype(typed, 'typed', filetype)
  ! each element twice
  call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, two, ierr)
  call MPI_Type_create_subarray(2, all, counts, starts, MPI_ORDER_FORTRAN, two, of_two, ierr)
  allocate (pairs(2, counts(1), counts(2)))
  pairs = spread(typed, 1, 2)
  call dvmdbg_array_filetype(pairs, 'pairs', of_two)
  call MPI_Type_free(of_two, ierr)
  call MPI_Type_free(two, ierr)
  call dvmdbg_array_view(seen, 'seen', file, wide)
  call dvmdbg_array_cart(placed, 'placed', cart, counts, wide)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., ring, ierr)
  call dvmdbg_array_cart(wound, 'wound', ring, counts, wide)
  call MPI_Comm_free(ring, ierr)
  call dvmdbg_array_box(boxed, 'boxed', all, starts, counts, starts - wide, counts + 2 * wide)
  call dvmdbg_pl_begin(first=[1], last=[1])
  call dvmdbg_pl_end()
  call MPI_Type_free(filetype, ierr)
  call MPI_File_close(file, ierr)
  call MPI_Comm_free(cart, ierr)
  call MPI_Finalize(ierr)
contains
  subroutine fill(a, halo)
    real(8), allocatable, intent(inout) :: a(:, :)
    integer, intent(in) :: halo(2)
    integer :: i, j
    allocate (a(counts(1) + 2 * halo(1), counts(2) + 2 * halo(2)))
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i, j) = 100 * (starts(1) + i - halo(1)) + starts(2) + j - halo(2)
      end do
    end do
  end subroutine
end program
