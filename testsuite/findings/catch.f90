! SPDX-License-Identifier: GPL-3.0-or-later
! expect: CF0231 add; processor
! Sorts fish of a catch by their weight into lists. Planted: each list grows by one fish at a time,
! heavy = [heavy, fish], so that it is copied to a new place for each.
module fishery
  implicit none
  type basket
    real(8), allocatable :: weights(:)
    integer :: n = 0
  end type
contains
  real(8) function next_weight(state)
    integer(8), intent(inout) :: state
    state = mod(state * 1103515245_8 + 12345_8, 2147483648_8)
    next_weight = 0.1d0 + 9.9d0 * real(state, 8) / 2147483648d0
  end function

  subroutine add(to, weight)
    type(basket), intent(inout) :: to
    real(8), intent(in) :: weight
#ifdef REPAIRED
    real(8), allocatable :: larger(:)
    if (.not. allocated(to%weights)) allocate(to%weights(16))
    if (to%n == size(to%weights)) then
      allocate(larger(2 * to%n))
      larger(1:to%n) = to%weights
      call move_alloc(larger, to%weights)
    end if
    to%n = to%n + 1
    to%weights(to%n) = weight
#else
    if (.not. allocated(to%weights)) allocate(to%weights(0))
    to%weights = [to%weights, weight]
    to%n = to%n + 1
#endif
  end subroutine

  real(8) function mean_of(from)
    type(basket), intent(in) :: from
    integer :: i
    mean_of = 0
    do i = 1, from%n
      mean_of = mean_of + sqrt(from%weights(i)) * exp(-from%weights(i))
    end do
    mean_of = mean_of / max(from%n, 1)
  end function
end module

program catch
  use fishery
  implicit none
  type(basket) :: light, heavy
  integer(8) :: state = 17
  integer :: i
  real(8) :: weight
  do i = 1, 60000
    weight = next_weight(state)
    if (weight > 5) then
      call add(heavy, weight)
    else
      call add(light, weight)
    end if
  end do
  print '(2f12.6)', mean_of(light), mean_of(heavy)
end program
