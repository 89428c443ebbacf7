! evidence: how many hidden units do the data support? Replica exchange samples the posterior of each network
! by chains on a ladder from the prior up to it, and finds the evidence log p(y | X) on the way. The
! network with the highest evidence explains the data best.
program evidence
  use nnpost
  implicit none
  integer, parameter :: rows = 60
  type(nnp_data) :: data
  real(c_double) :: x(rows, 2)
  integer :: i, hidden

  x(:, 1) = [(4 * mod(i * 0.7548776662466927d0, 1d0) - 2, i = 1, rows)]
  x(:, 2) = [(4 * mod(i * 0.5698402909980532d0, 1d0) - 2, i = 1, rows)]
  call data%create(rows, 2, 1)
  call data%set_inputs(x)
  call data%set_targets(abs(x(:, 1)) - x(:, 2) / 2)
  do hidden = 1, 4
    call compare(hidden)
  end do

contains
  subroutine compare(hidden)
    integer, intent(in) :: hidden
    type(nnp_net) :: net
    type(nnp_chain) :: chains(30)
    type(nnp_exchange) :: exchange
    type(nnp_exchange_summary) :: found
    integer :: c
    call net%create(2)
    call net%dense(hidden)
    call net%activation(NNP_RELU)
    call net%dense(1)
    call net%head(NNP_GAUSSIAN)
    call net%set(NNP_NOISE, 1d-2)
    do c = 1, size(chains)
      call chains(c)%create(net, data, NNP_GIBBS, NNP_INTERMEDIATE)
    end do
    call exchange%create(chains)
    call exchange%start(NNP_EXCHANGE_FROM_PRIOR, 1) ! seed 1
    call exchange%tune()    ! finds the ladder, then keeps it
    call exchange%run(2000) ! exchange%sample keeps draws
    call exchange%report(found)
    if (exchange%status /= NNP_OK) print "(a)", exchange%message
    print "(i0, a, f0.1, a, f3.1)", hidden, " units: log evidence ", found%log_evidence, " +- ", found%evidence_error
  end subroutine
end program
