! MPI for nnpost in Fortran: fills in the communicator that chain%use_comm takes. Link with
! libnnpost_mpi (pkg-config nnpost_mpi) besides libnnpost_fortran.
!
!     type(nnp_comm) :: comm
!     if (nnp_mpi_world(comm, err) /= NNP_OK) error stop
!     call chains(1)%use_comm(comm)
!     call sample_chains(chains, draws)
!     call nnp_mpi_free(comm)
!
! or nnp_mpi_comm(comm, yours%MPI_VAL, err) for a communicator of your own (with `use mpi`, where it is
! an integer, that integer). See nnpost_mpi.h.
module nnpost_mpi
  use, intrinsic :: iso_c_binding
  use nnpost_c, only: nnp_comm, nnp_error
  implicit none
  private
  public :: nnp_mpi_world, nnp_mpi_comm, nnp_mpi_free

  interface
    function nnp_mpi_world(comm, err) bind(c, name="nnp_mpi_world") result(outcome)
      import
      type(nnp_comm), intent(out) :: comm
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    function nnp_mpi_comm(comm, handle, err) bind(c, name="nnp_mpi_comm") result(outcome)
      import
      type(nnp_comm), intent(out) :: comm
      integer(c_int32_t), value :: handle
      type(nnp_error), intent(out) :: err
      integer(c_int32_t) :: outcome
    end function
    subroutine nnp_mpi_free(comm) bind(c, name="nnp_mpi_free")
      import
      type(nnp_comm), intent(inout) :: comm
    end subroutine
  end interface
end module
