! SPDX-License-Identifier: GPL-3.0-or-later
! expect: CF0211|CF0103|CF0101|CF0214 fill|main; wall
! flags: -fopenmp
! Counts how many particles are in each bin, by OpenMP. Planted: a critical section for each particle.
module bins
  implicit none
  integer, parameter :: n = 2000000, most = 64
contains
  subroutine fill(x, found)
    real(8), intent(in) :: x(:)
    integer, intent(out) :: found(most)
    integer :: i, bin
    found = 0
#ifdef REPAIRED
    !$omp parallel do private(bin) reduction(+:found)
    do i = 1, size(x)
      bin = 1 + int(x(i) * most)
      found(bin) = found(bin) + 1
    end do
#else
    !$omp parallel do private(bin)
    do i = 1, size(x)
      bin = 1 + int(x(i) * most)
      !$omp critical
      found(bin) = found(bin) + 1
      !$omp end critical
    end do
#endif
  end subroutine fill
end module bins

program particles
  use bins
  implicit none
  real(8), allocatable :: x(:)
  integer :: found(most), round
  allocate(x(n))
  call random_number(x)
  do round = 1, 16
    call fill(x, found)
    x = x * 0.999d0
  end do
  print *, sum(found)
end program particles
