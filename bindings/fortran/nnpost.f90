! nnpost for Fortran: a derived type for every handle of the C API, with type-bound procedures.
!
! For tables of data, in one call with recommended settings and in the units of y:
!
!     type(nnp_table) :: model
!     call model%fit(x, y)
!     call model%predict(x_new, mean, sd)
!     print *, model%describe()
!
! For a network of your own:
!
!     type(nnp_net) :: net
!     type(nnp_fit) :: fit
!     call net%create(3)
!     call net%dense(8)
!     call net%activation(NNP_RELU)
!     call net%dense(1)
!     call net%head(NNP_GAUSSIAN)
!     call fit%sample(net, x, y, draws=500)
!     call fit%predict(x_new, mean)
!
! Arrays are Fortran's: x(row, feature), y(row) or y(row, output), draws(parameter, draw, chain).
! They are passed to the library without copying if they are contiguous; their sizes are checked.
! Rows and columns in the library's messages are counted from 0, and the messages say so.
!
! Nothing here stops the program. Every call takes stat and errmsg, as ALLOCATE does; an object also
! keeps the status and the message of its last call that failed, in object%status and
! object%message, so that a few calls can be checked at once. Zero is success; NNP_STOPPED means
! that a callback ended the run.
!
! An object is freed when it goes out of scope, or by object%free(). It cannot be assigned.
! Constants and the C functions themselves come with the module (see nnpost_c and nnpost.h).
module nnpost
  use nnpost_c
  implicit none
  public
  private :: note, refuse, wrong, text_of, trampoline, study_trampoline, multistart_trampoline, &
      exchange_trampoline, holder, study_holder, multistart_holder, exchange_holder, hold, &
      hold_multistart, hold_exchange, refuse_copy, pointers_of, tell, letters_of, table_set, &
      table_look, table_weights, table_no_fit, table_unfit, table_kind, table_outputs, table_judge, &
      no_recipe, no_convergence, no_loo, or_zero, layer_of_name, predictor_watch

  ! Common to all objects.
  type, abstract :: nnp_object
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int32_t) :: status = NNP_OK
    character(len=:), allocatable :: message
  contains
    procedure :: clear
    procedure, private :: refuse_copy
    generic :: assignment(=) => refuse_copy
  end type

  type, extends(nnp_object) :: nnp_net
  contains
    procedure, private :: net_create_32, net_create_64, net_dense_32, net_dense_64
    generic :: create => net_create_32, net_create_64
    generic :: dense => net_dense_32, net_dense_64
    procedure :: create_image => net_create_image
    procedure :: recommended => net_recommended
    procedure :: activation => net_activation
    procedure :: conv2d => net_conv2d
    procedure :: avgpool => net_avgpool
    procedure :: maxpool => net_maxpool
    procedure :: image => net_image
    procedure :: head => net_head
    procedure :: student_t => net_student_t
    procedure, private :: net_set_number, net_set_name, net_get_number, net_get_name
    generic :: set => net_set_number, net_set_name
    generic :: get => net_get_number, net_get_name
    procedure, private :: net_learn_number, net_learn_name, net_fix_number, net_fix_name
    generic :: learn => net_learn_number, net_learn_name
    procedure :: learn_tied => net_learn_tied
    generic :: fix => net_fix_number, net_fix_name
    procedure :: learned => net_learned
    procedure :: find_layer => net_find_layer
    procedure :: copy_from => net_copy_from
    procedure :: temperature => net_temperature
    procedure :: layers => net_layers
    procedure :: parameters => net_parameters
    procedure :: outputs => net_outputs
    procedure :: targets => net_targets
    procedure :: latents => net_latents
    procedure :: layer => net_layer
    procedure :: shape => net_shape
    procedure :: parameter_name => net_parameter_name
    procedure :: describe => net_describe
    procedure :: free => net_free
    final :: net_final
  end type

  type, extends(nnp_object) :: nnp_data
    integer(c_int64_t) :: rows = 0, features = 0, outputs = 0
  contains
    procedure, private :: data_create_32, data_create_64, data_targets, data_target, &
        data_read_targets, data_read_target
    generic :: create => data_create_32, data_create_64
    procedure :: create_from => data_create_from
    procedure :: create_rows => data_create_rows
    procedure :: set_inputs => data_inputs
    generic :: set_targets => data_targets, data_target
    procedure :: set_labels => data_labels
    generic :: targets => data_read_targets, data_read_target
    procedure :: labels => data_read_labels
    procedure :: store => data_store
    procedure :: free => data_free
    final :: data_final
  end type

  type, extends(nnp_object) :: nnp_pool
  contains
    procedure :: create => pool_create
    procedure :: free => pool_free
    final :: pool_final
  end type

  ! Ranks that are threads of this process, each with its own objects.
  type, extends(nnp_object) :: nnp_team
  contains
    procedure :: create => team_create
    procedure :: comm => team_comm
    procedure :: free => team_free
    final :: team_final
  end type

  ! Ranks that share nothing but a folder, such as jobs of an array; it must be new for every job.
  type, extends(nnp_object) :: nnp_folder
  contains
    procedure :: create => folder_create
    procedure :: comm => folder_comm
    procedure :: free => folder_free
    final :: folder_final
  end type

  ! One Markov chain of a network on some data. The data must outlive it.
  type, extends(nnp_object) :: nnp_chain
    integer(c_int64_t) :: parameters = 0, rows = 0, latents = 0, outputs = 0
    integer(c_int64_t), allocatable :: widths(:)  ! of sites 1, 2, …
  contains
    procedure, private :: chain_start_32, chain_start_64, chain_run_32, chain_run_64
    procedure :: create => chain_create
    procedure :: set => chain_set
    procedure :: get => chain_get
    procedure :: use_pool => chain_use_pool
    procedure :: use_comm => chain_use_comm
    generic :: start => chain_start_32, chain_start_64
    procedure :: start_weights => chain_start_weights
    procedure :: start_state => chain_start_state
    procedure :: start_teacher => chain_start_teacher
    procedure :: anneal => chain_anneal
    procedure :: descend => chain_descend
    generic :: run => chain_run_32, chain_run_64
    procedure :: sample => chain_sample
    procedure :: steps => chain_steps
    procedure :: draws => chain_draws
    procedure :: annealing => chain_annealing
    procedure :: moves => chain_moves
    procedure :: describe => chain_describe
    procedure :: read => chain_read
    procedure :: site => chain_site
    procedure :: log_density => chain_log_density
    procedure :: terms => chain_terms
    procedure :: gradient_statistic => chain_gradient_statistic
    procedure :: predict => chain_predict
    procedure :: score => chain_score
    procedure :: statistic => chain_statistic
    procedure :: record => chain_record
    procedure :: recorded => chain_recorded
    procedure :: variables => chain_variables
    procedure :: scales => chain_scales
    procedure :: set_scales => chain_set_scales
    procedure :: save_bytes => chain_save_bytes
    procedure :: save => chain_save
    procedure :: restore => chain_restore
    procedure :: restore_rows => chain_restore_rows
    procedure :: save_draws => chain_save_draws
    procedure :: free => chain_free
    final :: chain_final
  end type

  type, extends(nnp_object) :: nnp_teacher
    integer(c_int64_t) :: parameters = 0, latents = 0
  contains
    procedure :: create => teacher_create
    procedure :: read => teacher_read
    procedure :: set => teacher_set
    procedure :: label => teacher_label
    procedure :: free => teacher_free
    final :: teacher_final
  end type

  type, extends(nnp_object) :: nnp_predictor
    integer(c_int64_t) :: parameters = 0, outputs = 0, level_count = 0
    integer(c_int8_t), pointer, private :: helpers(:) => null() ! room for threads
  contains
    procedure :: create => predictor_create
    procedure :: use_pool => predictor_use_pool
    procedure :: posterior => predictor_posterior
    procedure :: noise => predictor_noise
    procedure :: passes => predictor_passes
    procedure :: levels => predictor_levels
    procedure :: weights => predictor_weights
    procedure :: units => predictor_units
    procedure :: predict => predictor_predict
    procedure :: score => predictor_score
    procedure :: log_lik => predictor_log_lik
    procedure :: free => predictor_free
    final :: predictor_final
  end type

  ! Extracts quantities from every draw while chains run (keep_chains), instead of all parameters.
  ! Quantities, draws and chains count from 1. Their rows must outlive it.
  !
  !     call keeper%create(net, [nnp_keep(NNP_KEEP_PREDICTIONS, predictor, test), &
  !         nnp_keep(NNP_KEEP_PARAMETERS, moments=.true.)], size(chains))
  !     call keeper%store(1, values)            values(value, draw, chain)
  !     call keep_chains(chains, keeper, draws=1000, thin=10)
  !     call keeper%moments(2, mean, variance)
  type, extends(nnp_object) :: nnp_keeper
    integer :: chain_count = 0
  contains
    procedure :: create => keeper_create
    procedure :: width => keeper_width
    procedure :: store => keeper_store
    procedure :: file => keeper_file
    procedure :: stored => keeper_stored
    procedure :: moments => keeper_moments
    procedure :: free => keeper_free
    final :: keeper_final
  end type

  ! A file of draws that is mapped into memory: created for a quantity of a keeper, or opened for
  ! reading.
  type, extends(nnp_object) :: nnp_draws_file
  contains
    procedure :: create => draws_file_create
    procedure :: open => draws_file_open
    procedure :: view => draws_file_view
    procedure :: free => draws_file_free
    final :: draws_file_final
  end type

  ! Watches chains until they have thermalized. Chains and test data must outlive it.
  type, extends(nnp_object) :: nnp_study
    integer :: chain_count = 0
  contains
    procedure :: create => study_create
    procedure :: set => study_set
    procedure :: get => study_get
    procedure :: partner => study_partner
    procedure :: run => study_run
    procedure :: state => study_state
    procedure :: report => study_report
    procedure :: series => study_series
    procedure :: describe => study_describe
    procedure :: free => study_free
    final :: study_final
  end type

  ! Chains that each get a share of a budget; the one that fits best continues. They must outlive
  ! it.
  type, extends(nnp_object) :: nnp_multistart
    integer :: chain_count = 0
  contains
    procedure, private :: multistart_run_32, multistart_run_64
    procedure :: create => multistart_create
    procedure :: set => multistart_set
    procedure :: get => multistart_get
    generic :: run => multistart_run_32, multistart_run_64
    procedure :: best => multistart_best
    procedure :: report => multistart_report
    procedure :: describe => multistart_describe
    procedure :: free => multistart_free
    final :: multistart_final
  end type

  ! Replica exchange: chains from the prior to the posterior that swap, and the evidence. The chains
  ! need not be started and must outlive it; the last of them is a chain of the posterior.
  !
  !     call exchange%create(chains)
  !     call exchange%start(NNP_EXCHANGE_FROM_PRIOR, seed)
  !     call exchange%tune()
  !     call exchange%sample(draws, thin=5)
  !     call exchange%report(summary)      ! summary%log_evidence, %restarts, %wanted chains, …
  !     print *, exchange%describe()
  type, extends(nnp_object) :: nnp_exchange
    integer :: chain_count = 0
    integer(c_int64_t) :: parameters = 0
  contains
    procedure, private :: exchange_start_32, exchange_start_64
    procedure :: create => exchange_create
    procedure :: set => exchange_set
    procedure :: get => exchange_get
    procedure :: set_ladder => exchange_set_ladder
    procedure :: ladder => exchange_ladder
    generic :: start => exchange_start_32, exchange_start_64
    procedure :: tune => exchange_tune
    procedure :: run => exchange_run
    procedure :: sample => exchange_sample
    procedure :: record => exchange_record
    procedure :: recorded => exchange_recorded
    procedure :: report => exchange_report
    procedure :: describe => exchange_describe
    procedure :: save_bytes => exchange_save_bytes
    procedure :: save => exchange_save
    procedure :: restore => exchange_restore
    procedure :: free => exchange_free
    final :: exchange_final
  end type

  ! Tests whether a Gibbs chain is stuck. The chain must outlive its twin.
  type, extends(nnp_object) :: nnp_twin
  contains
    procedure :: create => twin_create
    procedure :: run => twin_run
    procedure :: report => twin_report
    procedure :: series => twin_series
    procedure :: describe => twin_describe
    procedure :: free => twin_free
    final :: twin_final
  end type

  ! Chains of one network on one set of data, and their draws. The fit has a copy of the network.
  type, extends(nnp_object) :: nnp_fit
    real(c_double), allocatable :: draws(:, :, :)  ! parameter, draw, chain
    type(nnp_data) :: data
    type(nnp_chain), allocatable :: chains(:)
    type(nnp_pool) :: pool
    type(nnp_net) :: net
    integer(c_int32_t) :: posterior = NNP_INTERMEDIATE
    real(c_double), allocatable :: weights(:)  ! of chains in predictions; not allocated: all alike
    real(c_double), allocatable :: unit_mean(:), unit_sd(:)  ! of targets that were standardized
  contains
    procedure, private :: fit_targets, fit_target, fit_labels, fit_go, prepare => fit_prepare
    generic :: sample => fit_targets, fit_target, fit_labels
    procedure :: predict => fit_predict
    procedure :: log_lik => fit_log_lik
    procedure :: loo => fit_loo
    procedure :: stack => fit_stack
    procedure :: functions => fit_functions
    procedure :: convergence => fit_convergence
    procedure :: describe => fit_describe
    procedure :: statistic => fit_statistic
    procedure :: free => fit_free
  end type

  ! Of a table that was not fitted.
  type(nnp_recipe), parameter :: no_recipe = nnp_recipe(sampler=0, posterior=0, start=0, &
      chains=0, warmup=0, draws=0, thin=0, option_count=0, options=0, values=0)
  type(nnp_convergence), parameter :: no_convergence = nnp_convergence(verdict=0, rhat=0, &
      ess_bulk=0, ess_tail=0, ess_needed=0, worst=0)
  type(nnp_loo_summary), parameter :: no_loo = nnp_loo_summary(elpd=0, elpd_error=0, p_loo=0, &
      p_loo_error=0, largest_k=0, k_limit=0, unreliable=0)

  ! A table of data, fitted in one call with what the library recommends: columns are standardized
  ! (those of classes then changed linearly), all scales learned, and chains that disagree are weighted
  ! by stacking. It is the nnp_table of nnpost.h. draws points into the library's memory: it is valid
  ! until the next fit.
  type, extends(nnp_object) :: nnp_table
    real(c_double), pointer, contiguous :: draws(:, :, :) => null()  ! parameter, draw, chain
    real(c_double), allocatable :: weights(:)  ! of chains in predictions
    integer(c_int64_t) :: rows = 0, columns = 0  ! that were fitted
    integer(c_int64_t) :: targets = 0, classes = 0  ! one of them is 0
    type(nnp_recipe) :: recipe = no_recipe
    type(nnp_convergence) :: convergence = no_convergence
    type(nnp_loo_summary) :: loo = no_loo
  contains
    procedure, private :: table_targets, table_target, table_labels, table_predict_one, &
        table_predict_all, table_interval_one, table_interval_all, table_score_one, &
        table_score_all, table_score_labels, table_log_lik_one, table_log_lik_all, &
        table_log_lik_labels
    generic :: fit => table_targets, table_target, table_labels
    generic :: predict => table_predict_one, table_predict_all
    generic :: interval => table_interval_one, table_interval_all
    generic :: log_score => table_score_one, table_score_all, table_score_labels
    generic :: log_lik => table_log_lik_one, table_log_lik_all, table_log_lik_labels
    procedure :: probabilities => table_probabilities
    procedure :: classify => table_classify
    procedure :: weigh => table_weigh
    procedure :: save => table_save
    procedure :: restore => table_restore
    procedure :: describe => table_describe
    procedure :: free => table_free
    final :: table_final
  end type

  abstract interface
    ! Called after every step; .true. stops the run. user is what was passed with the callback.
    function nnp_on_step(progress, user) result(stop_now)
      import :: nnp_progress
      type(nnp_progress), intent(in) :: progress
      class(*), intent(inout) :: user
      logical :: stop_now
    end function

    function nnp_on_study(state, user) result(stop_now)
      import :: nnp_study_progress
      type(nnp_study_progress), intent(in) :: state
      class(*), intent(inout) :: user
      logical :: stop_now
    end function

    function nnp_on_multistart(state, user) result(stop_now)
      import :: nnp_multistart_progress
      type(nnp_multistart_progress), intent(in) :: state
      class(*), intent(inout) :: user
      logical :: stop_now
    end function

    function nnp_on_exchange(state, user) result(stop_now)
      import :: nnp_exchange_progress
      type(nnp_exchange_progress), intent(in) :: state
      class(*), intent(inout) :: user
      logical :: stop_now
    end function
  end interface

  interface geweke
    procedure :: geweke_moments, geweke_draws
  end interface

  ! How a Fortran callback and its user are passed through the library.
  type :: holder
    procedure(nnp_on_step), pointer, nopass :: callback => null()
    class(*), pointer :: user => null()
  end type
  type :: study_holder
    procedure(nnp_on_study), pointer, nopass :: callback => null()
    class(*), pointer :: user => null()
  end type
  type :: multistart_holder
    procedure(nnp_on_multistart), pointer, nopass :: callback => null()
    class(*), pointer :: user => null()
  end type
  type :: exchange_holder
    procedure(nnp_on_exchange), pointer, nopass :: callback => null()
    class(*), pointer :: user => null()
  end type

contains

  ! ---- Errors -----------------------------------------------------------------------------------

  ! Passes the outcome of a call to the caller and, if it failed, to the object.
  subroutine note(object, status, err, stat, errmsg)
    class(nnp_object), intent(inout) :: object
    integer(c_int32_t), intent(in) :: status
    type(nnp_error), intent(in) :: err
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(stat)) stat = status
    if (status == NNP_OK) return
    object%status = status
    object%message = with_origin(text_of(err%message))
    if (present(errmsg)) errmsg = object%message
  end subroutine

  ! The library counts rows and columns from 0: a message that names one says so.
  function with_origin(sentence) result(message)
    character(*), intent(in) :: sentence
    character(:), allocatable :: message
    message = sentence
    if (index(sentence, "counted from 0") > 0) return
    if (numbered("row ") .or. numbered("column ")) message = message // " (counted from 0)"
  contains
    logical function numbered(word)
      character(*), intent(in) :: word
      integer :: first, digit
      first = index(sentence, word)
      digit = first + len(word)
      numbered = .false.
      if (first > 0 .and. digit <= len(sentence)) numbered = verify(sentence(digit:digit), "0123456789") == 0
    end function
  end function

  ! A failure found on this side.
  subroutine refuse(object, status, sentence, stat, errmsg)
    class(nnp_object), intent(inout) :: object
    integer(c_int32_t), intent(in) :: status
    character(*), intent(in) :: sentence
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(stat)) stat = status
    if (present(errmsg)) errmsg = sentence
    object%status = status
    object%message = sentence
  end subroutine

  ! True, with a failure recorded, if an array does not have the expected number of values.
  function wrong(object, name, found, expected, stat, errmsg)
    class(nnp_object), intent(inout) :: object
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: found, expected
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    logical :: wrong
    character(len=96) :: numbers
    wrong = found /= expected
    if (.not. wrong) return
    write (numbers, "(a, i0, a, i0)") ": it has ", found, " values, expected ", expected
    call refuse(object, NNP_E_SHAPE, name // trim(numbers), stat, errmsg)
  end function

  ! The failure of a call without an object.
  subroutine tell(status, sentence, stat, errmsg)
    integer(c_int32_t), intent(in) :: status
    character(*), intent(in) :: sentence
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(stat)) stat = status
    if (present(errmsg) .and. status /= NNP_OK) errmsg = with_origin(sentence)
  end subroutine

  ! Forgets the last failure.
  subroutine clear(self)
    class(nnp_object), intent(inout) :: self
    self%status = NNP_OK
    self%message = ""
  end subroutine

  ! Two objects must not own one handle.
  subroutine refuse_copy(self, other)
    class(nnp_object), intent(inout) :: self
    class(nnp_object), intent(in) :: other
    call refuse(self, NNP_E_UNSUPPORTED, "objects cannot be assigned: create another one")
    if (other%status /= NNP_OK) self%message = self%message // " (and that one failed before)"
  end subroutine

  function text_of(letters) result(text)
    character(kind=c_char), intent(in) :: letters(:)
    character(len=:), allocatable :: text
    integer :: i, length
    length = size(letters)
    do i = 1, size(letters)
      if (letters(i) == c_null_char) then
        length = i - 1
        exit
      end if
    end do
    allocate (character(len=length) :: text)
    do i = 1, length
      text(i:i) = letters(i)
    end do
  end function

  ! "NNP_E_SHAPE" for NNP_E_SHAPE.
  function status_name(status) result(text)
    integer(c_int32_t), intent(in) :: status
    character(len=:), allocatable :: text
    text = c_text(nnp_status_name(status))
  end function

  ! Copies a string of the library.
  function c_text(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    call c_f_pointer(pointer, letters, [64])
    text = text_of(letters)
  end function

  ! Whether the library loaded has the ABI this module was made for; programs call it first.
  function library_agrees(errmsg) result(agrees)
    character(*), intent(inout), optional :: errmsg
    logical :: agrees
    character(len=:), allocatable :: found
    integer(c_int32_t) :: abi
    abi = nnp_abi_version_call()
    found = c_text(nnp_version_call())
    agrees = abi == NNP_ABI_VERSION
    if (.not. agrees .and. present(errmsg)) write (errmsg, "(3a, i0, a, i0)") &
        "libnnpost, version ", found, ", has ABI ", abi, ", expected ", NNP_ABI_VERSION
  end function

  ! ---- Networks ---------------------------------------------------------------------------------

  subroutine net_create_64(self, inputs, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int64_t), intent(in) :: inputs
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call self%free()
    call note(self, nnp_net_create(self%handle, inputs, err), err, stat, errmsg)
  end subroutine

  subroutine net_create_32(self, inputs, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int32_t), intent(in) :: inputs
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call net_create_64(self, int(inputs, c_int64_t), stat, errmsg)
  end subroutine

  subroutine net_create_image(self, channels, height, width, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer, intent(in) :: channels, height, width
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call self%free()
    call note(self, nnp_net_create_image(self%handle, int(channels, c_int64_t), &
        int(height, c_int64_t), int(width, c_int64_t), err), err, stat, errmsg)
  end subroutine

  ! The network the library recommends for standardized data, all scales learned: targets (1), or of
  ! NNP_ARGMAX classes; head (NNP_GAUSSIAN); hidden, units of hidden layers, by default what suits
  ! this number of training rows, and likewise activation and posterior, each chosen to suit the
  ! other; ard (.false.), one precision for each input.
  subroutine net_recommended(self, inputs, targets, head, hidden, activation, posterior, ard, rows, &
      stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer, intent(in) :: inputs
    integer, intent(in), optional :: targets, hidden(:), rows
    integer(c_int32_t), intent(in), optional :: head, activation, posterior
    logical, intent(in), optional :: ard
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_model), target :: model
    type(nnp_error) :: err
    integer(c_int64_t) :: columns, known
    integer(c_int32_t) :: kind, status, own(2)
    columns = 1
    known = 0
    kind = NNP_GAUSSIAN
    if (present(targets)) columns = targets
    if (present(rows)) known = rows
    if (present(head)) kind = head
    call self%free()
    status = nnp_model_defaults(c_loc(model), int(inputs, c_int64_t), columns, kind, known, err)
    if (status == NNP_OK .and. present(hidden)) then
      if (size(hidden) > size(model%hidden)) then
        call refuse(self, NNP_E_SIZE, "hidden: expected at most 16 layers", stat, errmsg)
        return
      end if
      model%hidden_count = size(hidden)
      model%hidden(:size(hidden)) = hidden
    end if
    own = 0
    if (present(activation)) own(1) = activation
    if (present(posterior)) own(2) = posterior
    if (status == NNP_OK) status = nnp_model_choose(c_loc(model), own(1), own(2), err)
    if (present(ard)) model%ard = merge(1, 0, ard)
    if (status == NNP_OK) status = nnp_net_create_model(self%handle, c_loc(model), err)
    call note(self, status, err, stat, errmsg)
  end subroutine

  ! Makes an independent copy of a network.
  subroutine net_copy_from(self, net, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    class(nnp_net), intent(in) :: net
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call self%free()
    call note(self, nnp_net_copy(self%handle, net%handle, err), err, stat, errmsg)
  end subroutine

  subroutine net_free(self)
    class(nnp_net), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_net_free(self%handle)
    self%handle = c_null_ptr
    call self%clear()
  end subroutine

  subroutine net_final(self)
    type(nnp_net), intent(inout) :: self
    call self%free()
  end subroutine

  subroutine net_dense_64(self, units, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int64_t), intent(in) :: units
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_net_dense(self%handle, units, err), err, stat, errmsg)
  end subroutine

  subroutine net_dense_32(self, units, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int32_t), intent(in) :: units
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call net_dense_64(self, int(units, c_int64_t), stat, errmsg)
  end subroutine

  subroutine net_activation(self, kind, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int32_t), intent(in) :: kind
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_net_activation(self%handle, kind, err), err, stat, errmsg)
  end subroutine

  ! filters of sizes(height, width), moved by strides(down, across), over an image with padding(rows,
  ! columns) of zeros on each side. If a padding is refused, the layer has none.
  subroutine net_conv2d(self, filters, sizes, strides, padding, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer, intent(in) :: filters, sizes(2)
    integer, intent(in), optional :: strides(2), padding(2)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int64_t) :: moves(2), last
    integer(c_int32_t) :: outcome
    moves = 1
    if (present(strides)) moves = strides
    outcome = nnp_net_conv2d(self%handle, int(filters, c_int64_t), int(sizes(1), c_int64_t), &
        int(sizes(2), c_int64_t), moves(1), moves(2), err)
    if (outcome == NNP_OK .and. present(padding)) then
      last = self%layers()
      outcome = nnp_net_set(self%handle, last, NNP_PADDING_Y, real(padding(1), c_double), err)
      if (outcome == NNP_OK) &
          outcome = nnp_net_set(self%handle, last, NNP_PADDING_X, real(padding(2), c_double), err)
    end if
    call note(self, outcome, err, stat, errmsg)
  end subroutine

  subroutine net_avgpool(self, sizes, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer, intent(in) :: sizes(2)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_net_avgpool(self%handle, int(sizes(1), c_int64_t), &
        int(sizes(2), c_int64_t), err), err, stat, errmsg)
  end subroutine

  ! The largest pixel of each window of sizes(height, width); not for NNP_GIBBS.
  subroutine net_maxpool(self, sizes, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer, intent(in) :: sizes(2)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_net_maxpool(self%handle, int(sizes(1), c_int64_t), &
        int(sizes(2), c_int64_t), err), err, stat, errmsg)
  end subroutine

  subroutine net_image(self, channels, height, width, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer, intent(in) :: channels, height, width
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_net_image(self%handle, int(channels, c_int64_t), &
        int(height, c_int64_t), int(width, c_int64_t), err), err, stat, errmsg)
  end subroutine

  subroutine net_head(self, kind, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int32_t), intent(in) :: kind
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_net_head(self%handle, kind, err), err, stat, errmsg)
  end subroutine

  ! The head for regression with heavy tails, with this number of degrees of freedom.
  subroutine net_student_t(self, freedom, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    real(c_double), intent(in) :: freedom
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int32_t) :: outcome
    outcome = nnp_net_head(self%handle, NNP_STUDENT_T, err)
    if (outcome == NNP_OK) &
        outcome = nnp_net_set(self%handle, int(NNP_HEAD, c_int64_t), NNP_FREEDOM, freedom, err)
    call note(self, outcome, err, stat, errmsg)
  end subroutine

  ! Sets a property of one layer, or of all that have it.
  subroutine net_set_number(self, property, value, layer, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int32_t), intent(in) :: property
    real(c_double), intent(in) :: value
    integer, intent(in), optional :: layer
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int64_t) :: which
    which = NNP_ALL_LAYERS
    if (present(layer)) which = layer
    call note(self, nnp_net_set(self%handle, which, property, value, err), err, stat, errmsg)
  end subroutine

  ! Sets a property of the layer that has the weights or biases of this name.
  subroutine net_set_name(self, property, value, layer, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int32_t), intent(in) :: property
    real(c_double), intent(in) :: value
    character(*), intent(in) :: layer
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int64_t), target :: which
    integer(c_int32_t) :: outcome
    outcome = layer_of_name(self, layer, which, err)
    if (outcome == NNP_OK) outcome = nnp_net_set(self%handle, which, property, value, err)
    call note(self, outcome, err, stat, errmsg)
  end subroutine

  ! Learns NNP_NOISE, NNP_LAMBDA_W, NNP_LAMBDA_B or NNP_ARD of a layer, or of all that have it;
  ! shape and mean are those of the hyperprior of the precision, by default the library's. Learned
  ! scales are parameters.
  subroutine net_learn_number(self, property, layer, shape, mean, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int32_t), intent(in) :: property
    integer, intent(in), optional :: layer
    real(c_double), intent(in), optional :: shape, mean
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int64_t) :: which
    which = NNP_ALL_LAYERS
    if (present(layer)) which = layer
    call note(self, nnp_net_learn(self%handle, which, property, or_zero(shape), or_zero(mean), &
        err), err, stat, errmsg)
  end subroutine

  subroutine net_learn_name(self, property, layer, shape, mean, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int32_t), intent(in) :: property
    character(*), intent(in) :: layer
    real(c_double), intent(in), optional :: shape, mean
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int64_t), target :: which
    integer(c_int32_t) :: outcome
    outcome = layer_of_name(self, layer, which, err)
    if (outcome == NNP_OK) outcome = nnp_net_learn(self%handle, which, property, or_zero(shape), &
        or_zero(mean), err)
    call note(self, outcome, err, stat, errmsg)
  end subroutine

  ! Learns one noise D for all layers: layer k has D * multiples(k).
  subroutine net_learn_tied(self, multiples, shape, mean, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    real(c_double), intent(in), optional, target :: multiples(:)
    real(c_double), intent(in), optional :: shape, mean
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    real(c_double), allocatable, target :: values(:)
    type(c_ptr) :: place
    place = c_null_ptr
    if (present(multiples)) then
      if (size(multiples) /= self%layers()) then
        call refuse(self, NNP_E_SHAPE, "multiples: expected one for each layer", stat, errmsg)
        return
      end if
      values = multiples
      place = c_loc(values)
    end if
    call note(self, nnp_net_learn_tied(self%handle, place, or_zero(shape), or_zero(mean), err), &
        err, stat, errmsg)
  end subroutine

  ! Undoes learn and learn_tied: the scale is fixed at the mean of its hyperprior.
  subroutine net_fix_number(self, property, layer, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int32_t), intent(in) :: property
    integer, intent(in), optional :: layer
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int64_t) :: which
    which = NNP_ALL_LAYERS
    if (present(layer)) which = layer
    call note(self, nnp_net_fix(self%handle, which, property, err), err, stat, errmsg)
  end subroutine

  subroutine net_fix_name(self, property, layer, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int32_t), intent(in) :: property
    character(*), intent(in) :: layer
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int64_t), target :: which
    integer(c_int32_t) :: outcome
    outcome = layer_of_name(self, layer, which, err)
    if (outcome == NNP_OK) outcome = nnp_net_fix(self%handle, which, property, err)
    call note(self, outcome, err, stat, errmsg)
  end subroutine

  ! The hyperprior of a layer's scale, and where its values are among the parameters, from 1; a
  ! count of 0 if it is fixed.
  subroutine net_learned(self, property, layer, shape, mean, first, count, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int32_t), intent(in) :: property
    integer, intent(in) :: layer
    real(c_double), intent(out), target :: shape, mean
    integer(c_int64_t), intent(out), target :: first, count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    shape = 0
    mean = 0
    first = -1
    count = 0
    call note(self, nnp_net_learned(self%handle, int(layer, c_int64_t), property, c_loc(shape), &
        c_loc(mean), c_loc(first), c_loc(count), err), err, stat, errmsg)
    first = first + 1
  end subroutine

  function or_zero(value) result(given)
    real(c_double), intent(in), optional :: value
    real(c_double) :: given
    given = 0
    if (present(value)) given = value
  end function

  function layer_of_name(net, name, layer, err) result(outcome)
    class(nnp_net), intent(in) :: net
    character(*), intent(in) :: name
    integer(c_int64_t), intent(out), target :: layer
    type(nnp_error), intent(out) :: err
    integer(c_int32_t) :: outcome
    character(kind=c_char), target :: letters(len_trim(name) + 1)
    integer :: i
    do i = 1, len_trim(name)
      letters(i) = name(i:i)
    end do
    letters(len_trim(name) + 1) = c_null_char
    layer = 0
    outcome = nnp_net_find_layer(net%handle, c_loc(letters), c_loc(layer), err)
  end function

  ! The layer that holds the weights or biases of this name, such as "W2" or "b2".
  subroutine net_find_layer(self, name, layer, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(out) :: layer
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int64_t), target :: which
    call note(self, layer_of_name(self, name, which, err), err, stat, errmsg)
    layer = int(which)
  end subroutine

  subroutine net_get_name(self, property, layer, value, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int32_t), intent(in) :: property
    character(*), intent(in) :: layer
    real(c_double), intent(out), target :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int64_t), target :: which
    integer(c_int32_t) :: outcome
    value = 0
    outcome = layer_of_name(self, layer, which, err)
    if (outcome == NNP_OK) outcome = nnp_net_get(self%handle, which, property, c_loc(value), err)
    call note(self, outcome, err, stat, errmsg)
  end subroutine

  subroutine net_get_number(self, property, layer, value, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer(c_int32_t), intent(in) :: property
    integer, intent(in) :: layer
    real(c_double), intent(out), target :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    value = 0
    call note(self, nnp_net_get(self%handle, int(layer, c_int64_t), property, c_loc(value), err), &
        err, stat, errmsg)
  end subroutine

  ! Temperature of the classical posterior: for classes 1 unless the noise D of the last layer was
  ! set, 2D if it was; for numbers always 1. 0 for a network without a head.
  function net_temperature(self) result(value)
    class(nnp_net), intent(in) :: self
    real(c_double), target :: value
    type(nnp_error) :: err
    value = 0
    if (nnp_net_temperature(self%handle, c_loc(value), err) /= NNP_OK) value = 0
  end function

  ! The numbers below are 0 for a network that was not created.

  function net_layers(self) result(count)
    class(nnp_net), intent(in) :: self
    integer(c_int64_t), target :: count
    type(nnp_error) :: err
    count = 0
    if (nnp_net_layers(self%handle, c_loc(count), err) /= NNP_OK) count = 0
  end function

  function net_parameters(self) result(count)
    class(nnp_net), intent(in) :: self
    integer(c_int64_t), target :: count
    type(nnp_error) :: err
    count = 0
    if (nnp_net_parameters(self%handle, c_loc(count), err) /= NNP_OK) count = 0
  end function

  function net_outputs(self) result(count)
    class(nnp_net), intent(in) :: self
    integer(c_int64_t), target :: count
    type(nnp_error) :: err
    count = 0
    if (nnp_net_outputs(self%handle, c_loc(count), err) /= NNP_OK) count = 0
  end function

  ! Columns of targets and predictions: as many as outputs, unless the head says otherwise.
  function net_targets(self) result(count)
    class(nnp_net), intent(in) :: self
    integer(c_int64_t), target :: count
    type(nnp_error) :: err
    count = 0
    if (nnp_net_targets(self%handle, c_loc(count), err) /= NNP_OK) count = 0
  end function

  ! Latent variables per row.
  function net_latents(self) result(count)
    class(nnp_net), intent(in) :: self
    integer(c_int64_t), target :: count
    type(nnp_error) :: err
    count = 0
    if (nnp_net_latents(self%handle, c_loc(count), err) /= NNP_OK) count = 0
  end function

  ! Where the parameters of a layer are; `first` counts from 1.
  subroutine net_layer(self, layer, first, weights, biases, stat, errmsg)
    class(nnp_net), intent(inout) :: self
    integer, intent(in) :: layer
    integer(c_int64_t), intent(out), target :: first, weights, biases
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    first = -1
    weights = 0
    biases = 0
    call note(self, nnp_net_layer(self%handle, int(layer, c_int64_t), c_loc(first), &
        c_loc(weights), c_loc(biases), err), err, stat, errmsg)
    first = first + 1
  end subroutine

  ! Channels, height, width of a site; 0 is the input.
  function net_shape(self, site) result(sizes)
    class(nnp_net), intent(in) :: self
    integer, intent(in) :: site
    integer(c_int64_t), target :: sizes(3)
    type(nnp_error) :: err
    sizes = 0
    if (nnp_net_shape(self%handle, int(site, c_int64_t), c_loc(sizes), err) /= NNP_OK) sizes = 0
  end function

  ! "W1[3,17]" or "b1[3]"; `parameter` counts from 1.
  function net_parameter_name(self, parameter) result(text)
    class(nnp_net), intent(in) :: self
    integer(c_int64_t), intent(in) :: parameter
    character(len=:), allocatable :: text
    character(kind=c_char), target :: buffer(128)
    type(nnp_error) :: err
    buffer = c_null_char
    if (nnp_net_parameter_name(self%handle, parameter - 1, c_loc(buffer), &
        size(buffer, kind=c_size_t), err) /= NNP_OK) buffer = c_null_char
    text = text_of(buffer)
  end function

  ! A table of layers, shapes, parameters and bytes for this number of rows.
  function net_describe(self, rows) result(text)
    class(nnp_net), intent(in) :: self
    integer, intent(in) :: rows
    character(len=:), allocatable :: text
    character(kind=c_char), allocatable, target :: buffer(:)
    type(nnp_error) :: err
    allocate (buffer(128 * self%layers() + 512))
    buffer = c_null_char
    if (nnp_net_print(self%handle, int(rows, c_int64_t), c_loc(buffer), &
        size(buffer, kind=c_size_t), err) /= NNP_OK) buffer = c_null_char
    text = text_of(buffer)
  end function

  ! ---- Data -------------------------------------------------------------------------------------

  ! Allocates memory for rows of inputs, targets (0 if there are none) and labels.
  subroutine data_create_64(self, rows, features, outputs, stat, errmsg)
    class(nnp_data), intent(inout) :: self
    integer(c_int64_t), intent(in) :: rows, features, outputs
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call self%free()
    self%rows = rows
    self%features = features
    self%outputs = outputs
    call note(self, nnp_data_create(self%handle, rows, features, outputs, err), err, stat, errmsg)
  end subroutine

  subroutine data_create_32(self, rows, features, outputs, stat, errmsg)
    class(nnp_data), intent(inout) :: self
    integer(c_int32_t), intent(in) :: rows, features, outputs
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call data_create_64(self, int(rows, c_int64_t), int(features, c_int64_t), &
        int(outputs, c_int64_t), stat, errmsg)
  end subroutine

  ! Data with these inputs, which cannot be changed later, stored as given by NNP_STORE_…
  ! (NNP_STORE_AUTO).
  subroutine data_create_from(self, x, outputs, store, stat, errmsg)
    class(nnp_data), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: x(:, :)
    integer, intent(in) :: outputs
    integer(c_int32_t), intent(in), optional :: store
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(nnp_inputs), target :: inputs
    call self%free()
    self%rows = size(x, 1, c_int64_t)
    self%features = size(x, 2, c_int64_t)
    self%outputs = outputs
    inputs = nnp_inputs(c_loc(x), self%rows, self%features, NNP_COLUMN_MAJOR, NNP_STORE_AUTO)
    if (present(store)) inputs%store = store
    call note(self, nnp_data_create_from(self%handle, c_loc(inputs), self%outputs, err), &
        err, stat, errmsg)
  end subroutine

  ! Data for this rank's rows out of more (see split_rows), made by all ranks together.
  subroutine data_create_rows(self, rows, features, outputs, comm, stat, errmsg)
    class(nnp_data), intent(inout) :: self
    type(nnp_rows), intent(in), target :: rows
    integer, intent(in) :: features, outputs
    type(nnp_comm), intent(in), target, optional :: comm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(c_ptr) :: given
    call self%free()
    self%rows = rows%count
    self%features = features
    self%outputs = outputs
    given = c_null_ptr
    if (present(comm)) given = c_loc(comm)
    call note(self, nnp_data_create_rows(self%handle, c_loc(rows), given, self%features, &
        self%outputs, err), err, stat, errmsg)
  end subroutine

  ! The rows of this rank, for data that do not fit on one machine: rows%count of total from number
  ! rows%first + 1 on. Draws depend on blocks (up to 32; one for every rank at least), not on the
  ! number of ranks or on how the rows are divided.
  subroutine split_rows(total, rows, comm, blocks, stat, errmsg)
    integer(c_int64_t), intent(in) :: total
    type(nnp_rows), intent(out), target :: rows
    type(nnp_comm), intent(in), target, optional :: comm
    integer, intent(in), optional :: blocks
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(c_ptr) :: given
    integer(c_int64_t) :: wanted
    integer(c_int32_t) :: status
    given = c_null_ptr
    if (present(comm)) given = c_loc(comm)
    wanted = 0
    if (present(blocks)) wanted = blocks
    status = nnp_rows_split(given, total, wanted, c_loc(rows), err)
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  subroutine data_free(self)
    class(nnp_data), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_data_free(self%handle)
    self%handle = c_null_ptr
    call self%clear()
  end subroutine

  subroutine data_final(self)
    type(nnp_data), intent(inout) :: self
    call self%free()
  end subroutine

  ! x(row, feature), with the sizes the data was created for.
  subroutine data_inputs(self, x, stat, errmsg)
    class(nnp_data), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: x(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (wrong(self, "x, rows", size(x, 1, c_int64_t), self%rows, stat, errmsg)) return
    if (wrong(self, "x, columns", size(x, 2, c_int64_t), self%features, stat, errmsg)) return
    call note(self, nnp_data_set_inputs(self%handle, c_loc(x), NNP_COLUMN_MAJOR, err), &
        err, stat, errmsg)
  end subroutine

  subroutine data_targets(self, y, stat, errmsg)
    class(nnp_data), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: y(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (wrong(self, "y, rows", size(y, 1, c_int64_t), self%rows, stat, errmsg)) return
    if (wrong(self, "y, columns", size(y, 2, c_int64_t), self%outputs, stat, errmsg)) return
    call note(self, nnp_data_set_targets(self%handle, c_loc(y), NNP_COLUMN_MAJOR, err), &
        err, stat, errmsg)
  end subroutine

  subroutine data_target(self, y, stat, errmsg)
    class(nnp_data), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: y(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(c_double), pointer, contiguous :: one_column(:, :)
    one_column(1:size(y), 1:1) => y
    call data_targets(self, one_column, stat, errmsg)
  end subroutine

  ! Classes 0, 1, …, or -1 and +1.
  subroutine data_labels(self, labels, stat, errmsg)
    class(nnp_data), intent(inout) :: self
    integer(c_int32_t), intent(in), contiguous, target :: labels(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (wrong(self, "labels", size(labels, kind=c_int64_t), self%rows, stat, errmsg)) return
    call note(self, nnp_data_set_labels(self%handle, c_loc(labels), err), err, stat, errmsg)
  end subroutine

  ! Reads the targets back, whether set by you or by a teacher: y(row, output), or y(row) if there
  ! is one output.
  subroutine data_read_targets(self, y, stat, errmsg)
    class(nnp_data), intent(inout) :: self
    real(c_double), intent(out), contiguous, target :: y(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (wrong(self, "y, rows", size(y, 1, c_int64_t), self%rows, stat, errmsg)) return
    if (wrong(self, "y, columns", size(y, 2, c_int64_t), self%outputs, stat, errmsg)) return
    call note(self, nnp_data_targets(self%handle, c_loc(y), NNP_COLUMN_MAJOR, err), err, stat, &
        errmsg)
  end subroutine

  subroutine data_read_target(self, y, stat, errmsg)
    class(nnp_data), intent(inout) :: self
    real(c_double), intent(out), contiguous, target :: y(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(c_double), pointer, contiguous :: one_column(:, :)
    one_column(1:size(y), 1:1) => y
    call data_read_targets(self, one_column, stat, errmsg)
  end subroutine

  subroutine data_read_labels(self, labels, stat, errmsg)
    class(nnp_data), intent(inout) :: self
    integer(c_int32_t), intent(out), contiguous, target :: labels(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (wrong(self, "labels", size(labels, kind=c_int64_t), self%rows, stat, errmsg)) return
    call note(self, nnp_data_labels(self%handle, c_loc(labels), err), err, stat, errmsg)
  end subroutine

  ! NNP_STORE_DOUBLES, …; 0 if the data was not created.
  function data_store(self) result(store)
    class(nnp_data), intent(in) :: self
    integer(c_int32_t), target :: store
    type(nnp_error) :: err
    store = 0
    if (nnp_data_store(self%handle, c_loc(store), err) /= NNP_OK) store = 0
  end function

  ! ---- Pools ------------------------------------------------------------------------------------

  subroutine pool_create(self, threads, stat, errmsg)
    class(nnp_pool), intent(inout) :: self
    integer, intent(in) :: threads
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call self%free()
    call note(self, nnp_pool_create(self%handle, int(threads, c_int64_t), err), err, stat, errmsg)
  end subroutine

  subroutine pool_free(self)
    class(nnp_pool), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_pool_free(self%handle)
    self%handle = c_null_ptr
    call self%clear()
  end subroutine

  subroutine pool_final(self)
    type(nnp_pool), intent(inout) :: self
    call self%free()
  end subroutine

  ! ---- Ranks ------------------------------------------------------------------------------------

  subroutine team_create(self, ranks, stat, errmsg)
    class(nnp_team), intent(inout) :: self
    integer, intent(in) :: ranks
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call self%free()
    call note(self, nnp_team_create(self%handle, int(ranks, c_int64_t), err), err, stat, errmsg)
  end subroutine

  ! The communicator of one of its ranks, from 0; the team must outlive it.
  subroutine team_comm(self, rank, comm, stat, errmsg)
    class(nnp_team), intent(inout) :: self
    integer, intent(in) :: rank
    type(nnp_comm), intent(out), target :: comm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_team_comm(self%handle, int(rank, c_int64_t), c_loc(comm), err), err, stat, &
        errmsg)
  end subroutine

  subroutine team_free(self)
    class(nnp_team), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_team_free(self%handle)
    self%handle = c_null_ptr
    call self%clear()
  end subroutine

  subroutine team_final(self)
    type(nnp_team), intent(inout) :: self
    call self%free()
  end subroutine

  ! rank from 0; a rank waits `patience` seconds (600) for another before it gives up.
  subroutine folder_create(self, path, rank, ranks, patience, stat, errmsg)
    class(nnp_folder), intent(inout) :: self
    character(*), intent(in) :: path
    integer, intent(in) :: rank, ranks
    real(c_double), intent(in), optional :: patience
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    character(kind=c_char), target :: letters(len_trim(path) + 1)
    real(c_double) :: seconds
    integer :: i
    call self%free()
    do i = 1, len_trim(path)
      letters(i) = path(i:i)
    end do
    letters(len_trim(path) + 1) = c_null_char
    seconds = 600
    if (present(patience)) seconds = patience
    call note(self, nnp_folder_create(self%handle, c_loc(letters), int(rank, c_int64_t), &
        int(ranks, c_int64_t), seconds, err), err, stat, errmsg)
  end subroutine

  ! The communicator of a folder, which must outlive it.
  subroutine folder_comm(self, comm, stat, errmsg)
    class(nnp_folder), intent(inout) :: self
    type(nnp_comm), intent(out), target :: comm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_folder_comm(self%handle, c_loc(comm), err), err, stat, errmsg)
  end subroutine

  subroutine folder_free(self)
    class(nnp_folder), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_folder_free(self%handle)
    self%handle = c_null_ptr
    call self%clear()
  end subroutine

  subroutine folder_final(self)
    type(nnp_folder), intent(inout) :: self
    call self%free()
  end subroutine

  ! ---- Chains -----------------------------------------------------------------------------------

  subroutine chain_create(self, net, data, sampler, posterior, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    class(nnp_net), intent(in) :: net
    class(nnp_data), intent(in) :: data
    integer(c_int32_t), intent(in) :: sampler, posterior
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer :: k
    call self%free()
    call note(self, nnp_chain_create(self%handle, net%handle, data%handle, sampler, posterior, &
        err), err, stat, errmsg)
    self%parameters = net%parameters()
    self%rows = data%rows
    self%outputs = net%targets()
    self%latents = net%latents() * data%rows
    self%widths = [(product(net%shape(k)), k=1, int(net%layers()))]
  end subroutine

  subroutine chain_free(self)
    class(nnp_chain), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_chain_free(self%handle)
    self%handle = c_null_ptr
    call self%clear()
  end subroutine

  elemental impure subroutine chain_final(self)
    type(nnp_chain), intent(inout) :: self
    call self%free()
  end subroutine

  subroutine chain_set(self, option, value, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    integer(c_int32_t), intent(in) :: option
    real(c_double), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_chain_set(self%handle, option, value, err), err, stat, errmsg)
  end subroutine

  subroutine chain_get(self, option, value, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    integer(c_int32_t), intent(in) :: option
    real(c_double), intent(out), target :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    value = 0
    call note(self, nnp_chain_get(self%handle, option, c_loc(value), err), err, stat, errmsg)
  end subroutine

  ! Lets the pool's threads work on the rows from now on; the pool must outlive its use.
  subroutine chain_use_pool(self, pool, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    class(nnp_pool), intent(in) :: pool
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_chain_use_pool(self%handle, pool%handle, err), err, stat, errmsg)
  end subroutine

  ! From now on, calls whose first chain this is are made by all ranks together, with the chains
  ! distributed between them; without comm: by this process alone. comm comes from a team, a folder
  ! or nnpost_mpi, which must outlive its use.
  subroutine chain_use_comm(self, comm, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    type(nnp_comm), intent(in), target, optional :: comm
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(c_ptr) :: given
    given = c_null_ptr
    if (present(comm)) given = c_loc(comm)
    call note(self, nnp_chain_use_comm(self%handle, given, err), err, stat, errmsg)
  end subroutine

  ! kind: NNP_START_…. The bits of seed are taken as those of an unsigned number.
  subroutine chain_start_64(self, kind, seed, number, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    integer(c_int32_t), intent(in) :: kind
    integer(c_int64_t), intent(in) :: seed
    integer, intent(in) :: number
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_chain_start(self%handle, kind, seed, int(number, c_int64_t), err), &
        err, stat, errmsg)
  end subroutine

  subroutine chain_start_32(self, kind, seed, number, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    integer(c_int32_t), intent(in) :: kind, seed
    integer, intent(in) :: number
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call chain_start_64(self, kind, int(seed, c_int64_t), number, stat, errmsg)
  end subroutine

  subroutine chain_start_weights(self, parameters, noisy, seed, number, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: parameters(:)
    logical, intent(in) :: noisy
    integer(c_int64_t), intent(in) :: seed
    integer, intent(in) :: number
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (wrong(self, "parameters", size(parameters, kind=c_int64_t), self%parameters, stat, &
        errmsg)) return
    call note(self, nnp_chain_start_weights(self%handle, c_loc(parameters), &
        merge(1_c_int32_t, 0_c_int32_t, noisy), seed, int(number, c_int64_t), err), &
        err, stat, errmsg)
  end subroutine

  ! Starts from parameters and all latent sites, as returned by teacher%label.
  subroutine chain_start_state(self, parameters, sites, seed, number, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: parameters(:), sites(:)
    integer(c_int64_t), intent(in) :: seed
    integer, intent(in) :: number
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (wrong(self, "parameters", size(parameters, kind=c_int64_t), self%parameters, stat, &
        errmsg)) return
    if (wrong(self, "sites", size(sites, kind=c_int64_t), self%latents, stat, errmsg)) return
    call note(self, nnp_chain_start_state(self%handle, c_loc(parameters), c_loc(sites), seed, &
        int(number, c_int64_t), err), err, stat, errmsg)
  end subroutine

  ! Anneals after a start: the noise falls from `noise` to its own value over the first `steps`
  ! steps.
  subroutine chain_anneal(self, noise, steps, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    real(c_double), intent(in) :: noise
    integer, intent(in) :: steps
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_chain_anneal(self%handle, noise, int(steps, c_int64_t), err), &
        err, stat, errmsg)
  end subroutine

  ! Maximizes the log density of the weights, from any start, with up to `steps` steps (0: the
  ! default); then the chain is at step 0. `made` is the result.
  subroutine chain_descend(self, steps, callback, user, made, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    integer, intent(in), optional :: steps
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    type(nnp_descent), intent(out), target, optional :: made
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(holder), target :: held
    type(c_funptr) :: call_back
    integer(c_int64_t) :: most
    integer(c_int32_t) :: told
    most = 0
    if (present(steps)) most = steps
    call_back = hold(held, callback, user)
    call note(self, nnp_chain_descend(self%handle, most, call_back, c_loc(held), err), &
        err, stat, errmsg)
    if (present(made)) told = nnp_chain_descent(self%handle, c_loc(made), err)
  end subroutine

  ! Starts from the teacher; with the sites that made the labels this is an exact draw.
  subroutine chain_start_teacher(self, teacher, sites, seed, number, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    class(nnp_teacher), intent(in) :: teacher
    real(c_double), intent(in), contiguous, target, optional :: sites(:)
    integer, intent(in) :: seed, number
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(c_ptr) :: where
    where = c_null_ptr
    if (present(sites)) then
      if (wrong(self, "sites", size(sites, kind=c_int64_t), self%latents, stat, errmsg)) return
      where = c_loc(sites)
    end if
    call note(self, nnp_chain_start_teacher(self%handle, teacher%handle, where, &
        int(seed, c_int64_t), int(number, c_int64_t), err), err, stat, errmsg)
  end subroutine

  subroutine chain_run_64(self, steps, callback, user, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    integer(c_int64_t), intent(in) :: steps
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(holder), target :: held
    type(c_funptr) :: call_back
    call_back = hold(held, callback, user)
    call note(self, nnp_chain_run(self%handle, steps, call_back, c_loc(held), err), &
        err, stat, errmsg)
  end subroutine

  subroutine chain_run_32(self, steps, callback, user, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    integer(c_int32_t), intent(in) :: steps
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call chain_run_64(self, int(steps, c_int64_t), callback, user, stat, errmsg)
  end subroutine

  ! draws(parameter, draw): as many as fit, one every `thin` steps (1). `made` is their number, in
  ! case a callback stopped it.
  subroutine chain_sample(self, draws, thin, callback, user, made, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    real(c_double), intent(out), contiguous, target :: draws(:, :)
    integer, intent(in), optional :: thin
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer(c_int64_t), intent(out), optional :: made
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(holder), target :: held
    type(c_funptr) :: call_back
    integer(c_int64_t) :: every
    if (present(made)) made = 0
    if (size(draws, 1, c_int64_t) /= self%parameters) then
      call refuse(self, NNP_E_SHAPE, "draws: expected a row for each parameter", stat, errmsg)
      return
    end if
    every = 1
    if (present(thin)) every = thin
    call_back = hold(held, callback, user)
    call note(self, nnp_chain_sample(self%handle, c_loc(draws), size(draws, 2, c_int64_t), every, &
        call_back, c_loc(held), err), err, stat, errmsg)
    if (present(made) .and. (err%status == NNP_OK .or. err%status == NNP_STOPPED)) made = self%draws()
  end subroutine

  function chain_steps(self) result(steps)
    class(nnp_chain), intent(in) :: self
    integer(c_int64_t), target :: steps
    type(nnp_error) :: err
    steps = 0
    if (nnp_chain_steps(self%handle, c_loc(steps), err) /= NNP_OK) steps = 0
  end function

  ! Draws of this chain written by its last sampling: fewer than requested if it was stopped.
  function chain_draws(self) result(draws)
    class(nnp_chain), intent(in) :: self
    integer(c_int64_t), target :: draws
    type(nnp_error) :: err
    draws = 0
    if (nnp_chain_draws(self%handle, c_loc(draws), err) /= NNP_OK) draws = 0
  end function

  ! Steps of annealing left.
  function chain_annealing(self) result(steps)
    class(nnp_chain), intent(in) :: self
    integer(c_int64_t), target :: steps
    type(nnp_error) :: err
    steps = 0
    if (nnp_chain_annealing(self%handle, c_loc(steps), err) /= NNP_OK) steps = 0
  end function

  ! Counts of a Gibbs chain's moves of kind NNP_MOVE_… since its start.
  subroutine chain_moves(self, move, count, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    integer(c_int32_t), intent(in) :: move
    type(nnp_move_count), intent(out), target :: count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_chain_moves(self%handle, move, c_loc(count), err), err, stat, errmsg)
  end subroutine

  ! A table of steps and moves.
  function chain_describe(self) result(text)
    class(nnp_chain), intent(in) :: self
    character(len=:), allocatable :: text
    character(kind=c_char), target :: buffer(1024)
    type(nnp_error) :: err
    buffer = c_null_char
    if (nnp_chain_print(self%handle, c_loc(buffer), size(buffer, kind=c_size_t), err) /= NNP_OK) &
        buffer = c_null_char
    text = text_of(buffer)
  end function

  ! The current parameters.
  subroutine chain_read(self, parameters, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    real(c_double), intent(out), contiguous, target :: parameters(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (wrong(self, "parameters", size(parameters, kind=c_int64_t), self%parameters, stat, &
        errmsg)) return
    call note(self, nnp_chain_parameters(self%handle, c_loc(parameters), err), err, stat, errmsg)
  end subroutine

  ! Site k, from 1, as values(feature, row).
  subroutine chain_site(self, k, values, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    integer, intent(in) :: k
    real(c_double), intent(out), contiguous, target :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (allocated(self%widths)) then
      if (k >= 1 .and. k <= size(self%widths)) then
        if (wrong(self, "values", size(values, kind=c_int64_t), self%widths(k) * self%rows, stat, &
            errmsg)) return
      end if
    end if
    call note(self, nnp_chain_site(self%handle, int(k, c_int64_t), c_loc(values), err), &
        err, stat, errmsg)
  end subroutine

  ! Terms of the log density, one for each layer.
  subroutine chain_terms(self, log_noise, log_prior, residuals, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    real(c_double), intent(out), contiguous, target :: log_noise(:), log_prior(:), residuals(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (allocated(self%widths)) then
      if (wrong(self, "log_noise", size(log_noise, kind=c_int64_t), &
          size(self%widths, kind=c_int64_t), stat, errmsg)) return
      if (wrong(self, "log_prior", size(log_prior, kind=c_int64_t), &
          size(self%widths, kind=c_int64_t), stat, errmsg)) return
      if (wrong(self, "residuals", size(residuals, kind=c_int64_t), &
          size(self%widths, kind=c_int64_t), stat, errmsg)) return
    end if
    call note(self, nnp_chain_terms(self%handle, c_loc(log_noise), c_loc(log_prior), &
        c_loc(residuals), err), err, stat, errmsg)
  end subroutine

  ! The gradient statistic of a layer with weights: about zero once the chain samples the posterior.
  subroutine chain_gradient_statistic(self, layer, value, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    integer, intent(in) :: layer
    real(c_double), intent(out), target :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    value = 0
    call note(self, nnp_chain_gradient_statistic(self%handle, int(layer, c_int64_t), c_loc(value), &
        err), err, stat, errmsg)
  end subroutine

  ! out(output, row) without noise, from the current parameters.
  subroutine chain_predict(self, data, out, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    class(nnp_data), intent(in) :: data
    real(c_double), intent(out), contiguous, target :: out(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (wrong(self, "out", size(out, kind=c_int64_t), self%outputs * data%rows, stat, errmsg)) &
        return
    call note(self, nnp_chain_predict(self%handle, data%handle, c_loc(out), err), &
        err, stat, errmsg)
  end subroutine

  ! NNP_SCORE_… of the current parameters.
  subroutine chain_score(self, data, score, value, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    class(nnp_data), intent(in) :: data
    integer(c_int32_t), intent(in) :: score
    real(c_double), intent(out), target :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    value = 0
    call note(self, nnp_chain_score(self%handle, data%handle, score, c_loc(value), err), &
        err, stat, errmsg)
  end subroutine

  ! NNP_STEP_… of a gradient sampler's last step.
  subroutine chain_statistic(self, statistic, value, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    integer(c_int32_t), intent(in) :: statistic
    real(c_double), intent(out), target :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    value = 0
    call note(self, nnp_chain_statistic(self%handle, statistic, c_loc(value), err), &
        err, stat, errmsg)
  end subroutine

  ! From the next step on all statistics are written to values(statistic, step), for as many steps
  ! as fit. The array must be a target that lives until it is replaced or the chain is freed.
  subroutine chain_record(self, values, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    real(c_double), intent(inout), contiguous, target :: values(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (size(values, 1) /= NNP_STEP_STATISTICS) then
      call refuse(self, NNP_E_SHAPE, "values: expected NNP_STEP_STATISTICS rows", stat, errmsg)
      return
    end if
    call note(self, nnp_chain_record(self%handle, c_loc(values), size(values, 2, c_int64_t), &
        err), err, stat, errmsg)
  end subroutine

  ! Steps recorded so far.
  function chain_recorded(self) result(steps)
    class(nnp_chain), intent(in) :: self
    integer(c_int64_t), target :: steps
    type(nnp_error) :: err
    steps = 0
    if (nnp_chain_recorded(self%handle, c_loc(steps), err) /= NNP_OK) steps = 0
  end function

  ! Variables a gradient sampler moves.
  function chain_variables(self) result(count)
    class(nnp_chain), intent(in) :: self
    integer(c_int64_t), target :: count
    type(nnp_error) :: err
    count = 0
    if (nnp_chain_variables(self%handle, c_loc(count), err) /= NNP_OK) count = 0
  end function

  ! The diagonal of the inverse mass matrix, variables() numbers.
  subroutine chain_scales(self, variances, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    real(c_double), intent(out), contiguous, target :: variances(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (size(variances, kind=c_int64_t) /= self%variables()) then
      call refuse(self, NNP_E_SHAPE, "variances: expected variables() of them", stat, errmsg)
      return
    end if
    call note(self, nnp_chain_scales(self%handle, c_loc(variances), err), err, stat, errmsg)
  end subroutine

  subroutine chain_set_scales(self, variances, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: variances(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (size(variances, kind=c_int64_t) /= self%variables()) then
      call refuse(self, NNP_E_SHAPE, "variances: expected variables() of them", stat, errmsg)
      return
    end if
    call note(self, nnp_chain_set_scales(self%handle, c_loc(variances), err), err, stat, errmsg)
  end subroutine

  subroutine chain_log_density(self, value, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    real(c_double), intent(out), target :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    value = 0
    call note(self, nnp_chain_log_density(self%handle, c_loc(value), err), err, stat, errmsg)
  end subroutine

  function chain_save_bytes(self) result(bytes)
    class(nnp_chain), intent(in) :: self
    integer(c_size_t), target :: bytes
    type(nnp_error) :: err
    bytes = 0
    if (nnp_chain_save_bytes(self%handle, c_loc(bytes), err) /= NNP_OK) bytes = 0
  end function

  ! Saves everything, random streams included, to a buffer of save_bytes() characters.
  subroutine chain_save(self, buffer, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    character(kind=c_char), intent(out), contiguous, target :: buffer(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_chain_save(self%handle, c_loc(buffer), size(buffer, kind=c_size_t), err), &
        err, stat, errmsg)
  end subroutine

  subroutine chain_restore(self, buffer, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    character(kind=c_char), intent(in), contiguous, target :: buffer(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_chain_restore(self%handle, c_loc(buffer), size(buffer, kind=c_size_t), &
        err), err, stat, errmsg)
  end subroutine

  ! A block of bytes among several, for restore_rows and merge_draws; it must not move.
  function saved_block(buffer) result(save)
    character(kind=c_char), intent(in), contiguous, target :: buffer(:)
    type(nnp_saved) :: save
    save%buffer = c_loc(buffer)
    save%size = size(buffer, kind=c_size_t)
  end function

  ! Rows over ranks: continues from the saves of all ranks, whatever their number.
  subroutine chain_restore_rows(self, saves, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    type(nnp_saved), intent(in), contiguous, target :: saves(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_chain_restore_rows(self%handle, c_loc(saves), size(saves, kind=c_int64_t), &
        err), err, stat, errmsg)
  end subroutine

  ! draws(parameter, draw) of this chain in a block for merge_draws, which is allocated here.
  subroutine chain_save_draws(self, draws, buffer, stat, errmsg)
    class(nnp_chain), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: draws(:, :)
    character(kind=c_char), allocatable, intent(out), target :: buffer(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_size_t), target :: bytes
    integer(c_int64_t) :: count
    integer(c_int32_t) :: status
    count = size(draws, 2, c_int64_t)
    if (wrong(self, "draws, parameters", size(draws, 1, c_int64_t), self%parameters, stat, errmsg)) &
        return
    status = nnp_draws_save_bytes(self%handle, count, c_loc(bytes), err)
    if (status == NNP_OK) then
      allocate (buffer(bytes))
      status = nnp_draws_save(self%handle, c_loc(draws), count, c_loc(buffer), bytes, err)
    end if
    call note(self, status, err, stat, errmsg)
  end subroutine

  ! Merges the draws of separate jobs, in the order of their chains' numbers: the last ones of each,
  ! as many as fit into draws(parameter, draw, chain).
  subroutine merge_draws(saves, draws, stat, errmsg)
    type(nnp_saved), intent(in), contiguous, target :: saves(:)
    real(c_double), intent(out), contiguous, target :: draws(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(nnp_saved_draws), target :: told
    integer(c_int32_t) :: status
    status = NNP_OK
    if (size(saves) > 0) status = nnp_draws_saved(saves(1)%buffer, saves(1)%size, c_loc(told), err)
    if (status == NNP_OK .and. size(saves) > 0) then
      if (told%parameters /= size(draws, 1) .or. size(saves) /= size(draws, 3)) then
        call tell(NNP_E_SHAPE, "draws: expected a place for every parameter of every save", &
            stat, errmsg)
        return
      end if
    end if
    if (status == NNP_OK) status = nnp_draws_merge(c_loc(saves), size(saves, kind=c_int64_t), &
        c_loc(draws), size(draws, 2, c_int64_t), c_null_ptr, err)
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! Several chains side by side, on the pool of the first one.
  subroutine run_chains(chains, steps, callback, user, stat, errmsg)
    class(nnp_chain), intent(inout) :: chains(:)
    integer, intent(in) :: steps
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(holder), target :: held
    type(c_ptr), target :: pointers(size(chains))
    type(c_funptr) :: call_back
    pointers = pointers_of(chains)
    call_back = hold(held, callback, user)
    call note(chains(1), nnp_chains_run(c_loc(pointers), size(chains, kind=c_int64_t), &
        int(steps, c_int64_t), call_back, c_loc(held), err), err, stat, errmsg)
  end subroutine

  ! Starts all chains in the same way (NNP_START_…), with numbers 0, 1, …
  subroutine start_chains(chains, kind, seed, callback, user, stat, errmsg)
    class(nnp_chain), intent(inout) :: chains(:)
    integer(c_int32_t), intent(in) :: kind
    integer(c_int64_t), intent(in) :: seed
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(holder), target :: held
    type(c_ptr), target :: pointers(size(chains))
    type(c_funptr) :: call_back
    pointers = pointers_of(chains)
    call_back = hold(held, callback, user)
    call note(chains(1), nnp_chains_start(c_loc(pointers), size(chains, kind=c_int64_t), kind, &
        seed, call_back, c_loc(held), err), err, stat, errmsg)
  end subroutine

  ! draws(parameter, draw, chain).
  subroutine sample_chains(chains, draws, thin, callback, user, stat, errmsg)
    class(nnp_chain), intent(inout) :: chains(:)
    real(c_double), intent(out), contiguous, target :: draws(:, :, :)
    integer, intent(in), optional :: thin
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(holder), target :: held
    type(c_ptr), target :: pointers(size(chains))
    type(c_funptr) :: call_back
    integer(c_int64_t) :: every
    if (size(draws, 1, c_int64_t) /= chains(1)%parameters .or. &
        size(draws, 3) /= size(chains)) then
      call refuse(chains(1), NNP_E_SHAPE, "draws: expected parameters x draws x chains", stat, &
          errmsg)
      return
    end if
    every = 1
    if (present(thin)) every = thin
    pointers = pointers_of(chains)
    call_back = hold(held, callback, user)
    call note(chains(1), nnp_chains_sample(c_loc(pointers), size(chains, kind=c_int64_t), &
        c_loc(draws), size(draws, 2, c_int64_t), every, call_back, c_loc(held), err), &
        err, stat, errmsg)
  end subroutine

  ! ---- Keeping less than all draws --------------------------------------------------------------

  ! A quantity for nnp_keeper: what it is (NNP_KEEP_...), how and at which rows it is predicted, and
  ! whether means and variances over draws are kept.
  function nnp_keep(what, predictor, data, moments, rows) result(kept)
    integer(c_int32_t), intent(in) :: what
    class(nnp_predictor), intent(in), optional :: predictor
    class(nnp_data), intent(in), optional :: data
    logical, intent(in), optional :: moments
    integer, intent(in), optional :: rows
    type(nnp_kept) :: kept
    kept%what = what
    kept%moments = 0
    kept%predictor = c_null_ptr
    kept%data = c_null_ptr
    kept%rows = 0
    if (present(predictor)) kept%predictor = predictor%handle
    if (present(data)) kept%data = data%handle
    if (present(moments)) kept%moments = merge(1_c_int32_t, 0_c_int32_t, moments)
    if (present(rows)) kept%rows = rows
  end function

  subroutine keeper_create(self, net, kept, chain_count, stat, errmsg)
    class(nnp_keeper), intent(inout) :: self
    class(nnp_net), intent(in) :: net
    type(nnp_kept), intent(in), contiguous, target :: kept(:)
    integer, intent(in) :: chain_count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call self%free()
    self%chain_count = chain_count
    call note(self, nnp_keeper_create(self%handle, net%handle, c_loc(kept), &
        size(kept, kind=c_int64_t), int(chain_count, c_int64_t), err), err, stat, errmsg)
  end subroutine

  ! Number of values per draw of a quantity; 0 if there is no such quantity.
  function keeper_width(self, quantity) result(width)
    class(nnp_keeper), intent(in) :: self
    integer, intent(in) :: quantity
    integer(c_int64_t) :: width
    integer(c_int64_t), target :: found
    type(nnp_error) :: err
    width = 0
    if (nnp_keeper_width(self%handle, quantity - 1_c_int64_t, c_loc(found), err) == NNP_OK) &
        width = found
  end function

  ! Stores values in values(value, draw, chain) from now on; the array must exist until the last
  ! run.
  subroutine keeper_store(self, quantity, values, stat, errmsg)
    class(nnp_keeper), intent(inout) :: self
    integer, intent(in) :: quantity
    real(c_double), intent(inout), contiguous, target :: values(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (size(values, 1, c_int64_t) /= self%width(quantity) .or. &
        size(values, 3) /= self%chain_count) then
      call refuse(self, NNP_E_SHAPE, "values: expected values x draws x chains", stat, errmsg)
      return
    end if
    call note(self, nnp_keeper_store(self%handle, quantity - 1_c_int64_t, c_loc(values), &
        size(values, 2, c_int64_t), err), err, stat, errmsg)
  end subroutine

  ! Writes values to a file from now on, which must not be freed before the last run.
  subroutine keeper_file(self, quantity, file, stat, errmsg)
    class(nnp_keeper), intent(inout) :: self
    integer, intent(in) :: quantity
    class(nnp_draws_file), intent(in) :: file
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_keeper_file(self%handle, quantity - 1_c_int64_t, file%handle, err), err, &
        stat, errmsg)
  end subroutine

  ! Draws of a chain that are in place; -1 if there is no such quantity or chain.
  function keeper_stored(self, quantity, chain) result(draws)
    class(nnp_keeper), intent(in) :: self
    integer, intent(in) :: quantity, chain
    integer(c_int64_t) :: draws
    integer(c_int64_t), target :: found
    type(nnp_error) :: err
    draws = -1
    if (nnp_keeper_stored(self%handle, quantity - 1_c_int64_t, chain - 1_c_int64_t, c_loc(found), &
        err) == NNP_OK) draws = found
  end function

  ! Moments of all draws so far: of one chain, or of all, then also with R-hat of unsplit chains.
  subroutine keeper_moments(self, quantity, mean, variance, rhat, chain, stat, errmsg)
    class(nnp_keeper), intent(inout) :: self
    integer, intent(in) :: quantity
    real(c_double), intent(out), contiguous, target :: mean(:)
    real(c_double), intent(out), contiguous, target, optional :: variance(:), rhat(:)
    integer, intent(in), optional :: chain
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(c_ptr) :: to_variance, to_rhat
    integer(c_int64_t) :: which
    to_variance = c_null_ptr
    to_rhat = c_null_ptr
    which = NNP_ALL_CHAINS
    if (present(chain)) which = chain - 1
    if (wrong(self, "mean", size(mean, kind=c_int64_t), self%width(quantity), stat, errmsg)) return
    if (present(variance)) then
      if (wrong(self, "variance", size(variance, kind=c_int64_t), self%width(quantity), stat, &
          errmsg)) return
      to_variance = c_loc(variance)
    end if
    if (present(rhat)) then
      if (wrong(self, "rhat", size(rhat, kind=c_int64_t), self%width(quantity), stat, errmsg)) return
      to_rhat = c_loc(rhat)
    end if
    call note(self, nnp_keeper_moments(self%handle, quantity - 1_c_int64_t, which, c_loc(mean), &
        to_variance, to_rhat, err), err, stat, errmsg)
  end subroutine

  subroutine keeper_free(self)
    class(nnp_keeper), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_keeper_free(self%handle)
    self%handle = c_null_ptr
    call self%clear()
  end subroutine

  subroutine keeper_final(self)
    type(nnp_keeper), intent(inout) :: self
    call self%free()
  end subroutine

  ! Makes `draws` times thin (1) steps of every chain, taking all quantities of the keeper after
  ! each thin.
  subroutine keep_chains(chains, keeper, draws, thin, callback, user, stat, errmsg)
    class(nnp_chain), intent(inout) :: chains(:)
    class(nnp_keeper), intent(inout) :: keeper
    integer, intent(in) :: draws
    integer, intent(in), optional :: thin
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(holder), target :: held
    type(c_ptr), target :: pointers(size(chains))
    type(c_funptr) :: call_back
    integer(c_int64_t) :: every
    every = 1
    if (present(thin)) every = thin
    pointers = pointers_of(chains)
    call_back = hold(held, callback, user)
    call note(keeper, nnp_chains_keep(c_loc(pointers), size(chains, kind=c_int64_t), &
        keeper%handle, int(draws, c_int64_t), every, call_back, c_loc(held), err), err, stat, errmsg)
  end subroutine

  ! Advice if this number of draws and chains takes more than 2 GB; else "".
  function draws_advice(net, chains, draws) result(advice)
    class(nnp_net), intent(in) :: net
    integer, intent(in) :: chains, draws
    character(len=:), allocatable :: advice
    character(kind=c_char), target :: letters(256)
    type(nnp_error) :: err
    advice = ""
    if (nnp_draws_advice(net%handle, int(chains, c_int64_t), int(draws, c_int64_t), &
        c_loc(letters), size(letters, kind=c_size_t), err) == NNP_OK) advice = text_of(letters)
  end function

  function letters_of(path) result(letters)
    character(*), intent(in) :: path
    character(kind=c_char) :: letters(len_trim(path) + 1)
    integer :: i
    do i = 1, len_trim(path)
      letters(i) = path(i:i)
    end do
    letters(len_trim(path) + 1) = c_null_char
  end function

  ! Creates a file with room for this many draws of each chain of a quantity.
  subroutine draws_file_create(self, path, keeper, quantity, draws, stat, errmsg)
    class(nnp_draws_file), intent(inout) :: self
    character(*), intent(in) :: path
    class(nnp_keeper), intent(in) :: keeper
    integer, intent(in) :: quantity, draws
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    character(kind=c_char), target :: letters(len_trim(path) + 1)
    call self%free()
    letters = letters_of(path)
    call note(self, nnp_draws_file_create(self%handle, c_loc(letters), keeper%handle, &
        quantity - 1_c_int64_t, int(draws, c_int64_t), err), err, stat, errmsg)
  end subroutine

  ! Opens a file and checks all of it; with net, also whether it belongs to that network.
  subroutine draws_file_open(self, path, net, stat, errmsg)
    class(nnp_draws_file), intent(inout) :: self
    character(*), intent(in) :: path
    class(nnp_net), intent(in), optional :: net
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    character(kind=c_char), target :: letters(len_trim(path) + 1)
    type(c_ptr) :: of_net
    call self%free()
    letters = letters_of(path)
    of_net = c_null_ptr
    if (present(net)) of_net = net%handle
    call note(self, nnp_draws_file_open(self%handle, c_loc(letters), of_net, err), err, stat, errmsg)
  end subroutine

  ! A read-only view draws(value, draw, chain) of the draws that all chains have, valid until the
  ! file is freed. The file may have room for more.
  subroutine draws_file_view(self, draws, stat, errmsg)
    class(nnp_draws_file), intent(inout) :: self
    real(c_double), pointer, intent(out) :: draws(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(nnp_draws), target :: where
    real(c_double), pointer :: all(:, :, :)
    integer(c_int32_t) :: status
    nullify (draws)
    status = nnp_draws_file_view(self%handle, c_loc(where), err)
    call note(self, status, err, stat, errmsg)
    if (status /= NNP_OK) return
    call c_f_pointer(where%values, all, [where%quantities, where%chain_stride / where%quantities, &
        where%chains])
    draws => all(:, 1:where%draws, :)
  end subroutine

  subroutine draws_file_free(self)
    class(nnp_draws_file), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_draws_file_free(self%handle)
    self%handle = c_null_ptr
    call self%clear()
  end subroutine

  subroutine draws_file_final(self)
    type(nnp_draws_file), intent(inout) :: self
    call self%free()
  end subroutine

  function pointers_of(chains) result(pointers)
    class(nnp_chain), intent(in) :: chains(:)
    type(c_ptr) :: pointers(size(chains))
    integer :: i
    do i = 1, size(chains)
      pointers(i) = chains(i)%handle
    end do
  end function

  ! ---- Callbacks --------------------------------------------------------------------------------

  ! The function the library should call: the trampoline if there is a callback, else nothing.
  function hold(held, callback, user) result(call_back)
    type(holder), intent(inout) :: held
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    type(c_funptr) :: call_back
    call_back = c_null_funptr
    if (.not. present(callback)) return
    held%callback => callback
    if (present(user)) held%user => user
    call_back = c_funloc(trampoline)
  end function

  function trampoline(progress, user) bind(c) result(stop_now)
    type(nnp_progress), intent(in) :: progress
    type(c_ptr), value :: user
    integer(c_int32_t) :: stop_now
    type(holder), pointer :: held
    integer :: nobody
    call c_f_pointer(user, held)
    nobody = 0
    if (associated(held%user)) then
      stop_now = merge(1_c_int32_t, 0_c_int32_t, held%callback(progress, held%user))
    else
      stop_now = merge(1_c_int32_t, 0_c_int32_t, held%callback(progress, nobody))
    end if
  end function

  function study_trampoline(study, state, user) bind(c) result(stop_now)
    type(c_ptr), value :: study
    type(nnp_study_progress), intent(in) :: state
    type(c_ptr), value :: user
    integer(c_int32_t) :: stop_now
    type(study_holder), pointer :: held
    integer :: nobody
    stop_now = 0
    if (.not. c_associated(study)) return
    call c_f_pointer(user, held)
    nobody = 0
    if (associated(held%user)) then
      stop_now = merge(1_c_int32_t, 0_c_int32_t, held%callback(state, held%user))
    else
      stop_now = merge(1_c_int32_t, 0_c_int32_t, held%callback(state, nobody))
    end if
  end function

  function hold_multistart(held, callback, user) result(call_back)
    type(multistart_holder), intent(inout) :: held
    procedure(nnp_on_multistart), optional :: callback
    class(*), intent(inout), target, optional :: user
    type(c_funptr) :: call_back
    call_back = c_null_funptr
    if (.not. present(callback)) return
    held%callback => callback
    if (present(user)) held%user => user
    call_back = c_funloc(multistart_trampoline)
  end function

  function multistart_trampoline(state, user) bind(c) result(stop_now)
    type(nnp_multistart_progress), intent(in) :: state
    type(c_ptr), value :: user
    integer(c_int32_t) :: stop_now
    type(multistart_holder), pointer :: held
    integer :: nobody
    call c_f_pointer(user, held)
    nobody = 0
    if (associated(held%user)) then
      stop_now = merge(1_c_int32_t, 0_c_int32_t, held%callback(state, held%user))
    else
      stop_now = merge(1_c_int32_t, 0_c_int32_t, held%callback(state, nobody))
    end if
  end function

  function hold_exchange(held, callback, user) result(call_back)
    type(exchange_holder), intent(inout) :: held
    procedure(nnp_on_exchange), optional :: callback
    class(*), intent(inout), target, optional :: user
    type(c_funptr) :: call_back
    call_back = c_null_funptr
    if (.not. present(callback)) return
    held%callback => callback
    if (present(user)) held%user => user
    call_back = c_funloc(exchange_trampoline)
  end function

  function exchange_trampoline(state, user) bind(c) result(stop_now)
    type(nnp_exchange_progress), intent(in) :: state
    type(c_ptr), value :: user
    integer(c_int32_t) :: stop_now
    type(exchange_holder), pointer :: held
    integer :: nobody
    call c_f_pointer(user, held)
    nobody = 0
    if (associated(held%user)) then
      stop_now = merge(1_c_int32_t, 0_c_int32_t, held%callback(state, held%user))
    else
      stop_now = merge(1_c_int32_t, 0_c_int32_t, held%callback(state, nobody))
    end if
  end function

  ! ---- Teachers ---------------------------------------------------------------------------------

  ! A network with parameters from the prior.
  subroutine teacher_create(self, net, posterior, seed, number, stat, errmsg)
    class(nnp_teacher), intent(inout) :: self
    class(nnp_net), intent(in) :: net
    integer(c_int32_t), intent(in) :: posterior
    integer, intent(in) :: seed, number
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call self%free()
    call note(self, nnp_teacher_create(self%handle, net%handle, posterior, &
        int(seed, c_int64_t), int(number, c_int64_t), err), err, stat, errmsg)
    self%parameters = net%parameters()
    self%latents = 0
    if (posterior == NNP_INTERMEDIATE) self%latents = net%latents()
  end subroutine

  subroutine teacher_free(self)
    class(nnp_teacher), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_teacher_free(self%handle)
    self%handle = c_null_ptr
    call self%clear()
  end subroutine

  subroutine teacher_final(self)
    type(nnp_teacher), intent(inout) :: self
    call self%free()
  end subroutine

  subroutine teacher_read(self, parameters, stat, errmsg)
    class(nnp_teacher), intent(inout) :: self
    real(c_double), intent(out), contiguous, target :: parameters(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (wrong(self, "parameters", size(parameters, kind=c_int64_t), self%parameters, stat, &
        errmsg)) return
    call note(self, nnp_teacher_parameters(self%handle, c_loc(parameters), err), err, stat, errmsg)
  end subroutine

  ! Replaces the parameters.
  subroutine teacher_set(self, parameters, stat, errmsg)
    class(nnp_teacher), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: parameters(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (wrong(self, "parameters", size(parameters, kind=c_int64_t), self%parameters, stat, &
        errmsg)) return
    call note(self, nnp_teacher_set_parameters(self%handle, c_loc(parameters), err), &
        err, stat, errmsg)
  end subroutine

  ! Sets targets or labels of data; sites, rows times net%latents(), receives the sites that made
  ! them.
  subroutine teacher_label(self, data, noise, sites, stat, errmsg)
    class(nnp_teacher), intent(inout) :: self
    class(nnp_data), intent(inout) :: data
    integer, intent(in) :: noise
    real(c_double), intent(out), contiguous, target, optional :: sites(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(c_ptr) :: where
    where = c_null_ptr
    if (present(sites)) then
      if (wrong(self, "sites", size(sites, kind=c_int64_t), self%latents * data%rows, stat, &
          errmsg)) return
      if (size(sites) > 0) where = c_loc(sites)
    end if
    call note(self, nnp_teacher_label(self%handle, data%handle, int(noise, c_int64_t), where, &
        err), err, stat, errmsg)
  end subroutine

  ! ---- Predictions ------------------------------------------------------------------------------

  subroutine predictor_create(self, net, max_draws, stat, errmsg)
    class(nnp_predictor), intent(inout) :: self
    class(nnp_net), intent(in) :: net
    integer(c_int64_t), intent(in) :: max_draws
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call self%free()
    call note(self, nnp_predictor_create(self%handle, net%handle, max_draws, err), &
        err, stat, errmsg)
    self%parameters = net%parameters()
    self%outputs = net%targets()
  end subroutine

  subroutine predictor_free(self)
    class(nnp_predictor), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_predictor_free(self%handle)
    self%handle = c_null_ptr
    if (associated(self%helpers)) deallocate (self%helpers)
    call self%clear()
  end subroutine

  subroutine predictor_final(self)
    type(nnp_predictor), intent(inout) :: self
    call self%free()
  end subroutine

  ! Distributes rows over the threads of the pool, which must outlive its use, from now on.
  subroutine predictor_use_pool(self, pool, stat, errmsg)
    class(nnp_predictor), intent(inout) :: self
    class(nnp_pool), intent(in) :: pool
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int8_t), pointer :: memory(:)
    integer(c_size_t), target :: bytes
    integer(c_intptr_t) :: at
    integer(c_int32_t) :: status
    bytes = 0
    nullify (memory)
    status = nnp_predictor_pool_bytes(self%handle, pool%handle, c_loc(bytes), err)
    if (status == NNP_OK) then
      allocate (memory(bytes + 64))
      at = transfer(c_loc(memory(1)), at)
      at = 1 + modulo(-at, 64_c_intptr_t)
      status = nnp_predictor_use_pool(self%handle, pool%handle, c_loc(memory(at)), bytes, err)
    end if
    if (status == NNP_OK) then
      if (associated(self%helpers)) deallocate (self%helpers)
      self%helpers => memory
    else if (associated(memory)) then
      deallocate (memory)
    end if
    call note(self, status, err, stat, errmsg)
  end subroutine

  ! The status of a call with the user's callback, which is removed afterwards.
  subroutine predictor_watch(self, call_back, held)
    class(nnp_predictor), intent(inout) :: self
    type(c_funptr), intent(in) :: call_back
    type(holder), intent(inout), target :: held
    type(nnp_error) :: err
    integer(c_int32_t) :: ignored
    ignored = nnp_predictor_watch(self%handle, call_back, c_loc(held), err)
  end subroutine

  ! The posterior the draws are from; NNP_INTERMEDIATE by default.
  subroutine predictor_posterior(self, posterior, stat, errmsg)
    class(nnp_predictor), intent(inout) :: self
    integer(c_int32_t), intent(in) :: posterior
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_predictor_posterior(self%handle, posterior, err), err, stat, errmsg)
  end subroutine

  ! NNP_FITTED (default): all noise of the model; NNP_FORWARD: the forward pass, without noise.
  subroutine predictor_noise(self, noise, seed, stat, errmsg)
    class(nnp_predictor), intent(inout) :: self
    integer(c_int32_t), intent(in) :: noise
    integer, intent(in) :: seed
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_predictor_noise(self%handle, noise, int(seed, c_int64_t), err), &
        err, stat, errmsg)
  end subroutine

  ! Passes with fresh noise per draw; 0 (default): as many as needed.
  subroutine predictor_passes(self, passes, stat, errmsg)
    class(nnp_predictor), intent(inout) :: self
    integer, intent(in) :: passes
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_predictor_passes(self%handle, int(passes, c_int64_t), err), &
        err, stat, errmsg)
  end subroutine

  subroutine predictor_levels(self, levels, stat, errmsg)
    class(nnp_predictor), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: levels(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int32_t) :: status
    status = nnp_predictor_levels(self%handle, c_loc(levels), size(levels, kind=c_int64_t), err)
    if (status == NNP_OK) self%level_count = size(levels, kind=c_int64_t)
    call note(self, status, err, stat, errmsg)
  end subroutine

  ! Weights of draws, used by all but NNP_PREDICT_DRAWS and log likelihoods.
  subroutine predictor_weights(self, weights, stat, errmsg)
    class(nnp_predictor), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: weights(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_predictor_weights(self%handle, c_loc(weights), &
        size(weights, kind=c_int64_t), err), err, stat, errmsg)
  end subroutine

  ! Sets the units of results, mean + sd * target, for targets that were standardized.
  subroutine predictor_units(self, mean, sd, stat, errmsg)
    class(nnp_predictor), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: mean(:), sd(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (wrong(self, "mean", size(mean, kind=c_int64_t), self%outputs, stat, errmsg)) return
    if (wrong(self, "sd", size(sd, kind=c_int64_t), self%outputs, stat, errmsg)) return
    call note(self, nnp_predictor_units(self%handle, c_loc(mean), c_loc(sd), err), err, stat, errmsg)
  end subroutine

  ! out is as nnpost.h lays out kind: out(output, row) for NNP_PREDICT_MEAN and others, out(level,
  ! output, row) for NNP_PREDICT_QUANTILES, out(output, row, draw) for NNP_PREDICT_DRAWS.
  ! callback, here and below: called with step of steps parts of the work; .true. stops it
  ! (NNP_STOPPED).
  subroutine predictor_predict(self, data, draws, kind, out, stat, errmsg, callback, user)
    class(nnp_predictor), intent(inout) :: self
    class(nnp_data), intent(in) :: data
    real(c_double), intent(in), contiguous, target :: draws(:, :)
    integer(c_int32_t), intent(in) :: kind
    real(c_double), intent(inout), contiguous, target :: out(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    type(nnp_error) :: err
    type(holder), target :: held
    integer(c_int32_t) :: status
    integer(c_int64_t) :: expected
    if (size(draws, 1, c_int64_t) /= self%parameters) then
      call refuse(self, NNP_E_SHAPE, "draws: expected a row for each parameter", stat, errmsg)
      return
    end if
    expected = self%outputs * data%rows
    if (kind == NNP_PREDICT_QUANTILES) expected = expected * self%level_count
    if (kind == NNP_PREDICT_DRAWS) expected = expected * size(draws, 2, c_int64_t)
    if (wrong(self, "out", size(out, kind=c_int64_t), expected, stat, errmsg)) return
    call predictor_watch(self, hold(held, callback, user), held)
    status = nnp_predict(self%handle, data%handle, c_loc(draws), size(draws, 2, c_int64_t), kind, &
        c_loc(out), err)
    call predictor_watch(self, c_null_funptr, held)
    call note(self, status, err, stat, errmsg)
  end subroutine

  subroutine predictor_score(self, data, draws, score, value, stat, errmsg, callback, user)
    class(nnp_predictor), intent(inout) :: self
    class(nnp_data), intent(in) :: data
    real(c_double), intent(in), contiguous, target :: draws(:, :)
    integer(c_int32_t), intent(in) :: score
    real(c_double), intent(out), target :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    type(nnp_error) :: err
    type(holder), target :: held
    integer(c_int32_t) :: status
    value = 0
    if (size(draws, 1, c_int64_t) /= self%parameters) then
      call refuse(self, NNP_E_SHAPE, "draws: expected a row for each parameter", stat, errmsg)
      return
    end if
    call predictor_watch(self, hold(held, callback, user), held)
    status = nnp_score(self%handle, data%handle, c_loc(draws), size(draws, 2, c_int64_t), score, &
        c_loc(value), err)
    call predictor_watch(self, c_null_funptr, held)
    call note(self, status, err, stat, errmsg)
  end subroutine

  ! The log likelihood of every row's target or label under every draw: out(row, draw).
  subroutine predictor_log_lik(self, data, draws, out, stat, errmsg, callback, user)
    class(nnp_predictor), intent(inout) :: self
    class(nnp_data), intent(in) :: data
    real(c_double), intent(in), contiguous, target :: draws(:, :)
    real(c_double), intent(inout), contiguous, target :: out(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    type(nnp_error) :: err
    type(holder), target :: held
    integer(c_int32_t) :: status
    if (size(draws, 1, c_int64_t) /= self%parameters) then
      call refuse(self, NNP_E_SHAPE, "draws: expected a row for each parameter", stat, errmsg)
      return
    end if
    if (wrong(self, "out", size(out, kind=c_int64_t), data%rows * size(draws, 2, c_int64_t), &
        stat, errmsg)) return
    call predictor_watch(self, hold(held, callback, user), held)
    status = nnp_log_lik(self%handle, data%handle, c_loc(draws), size(draws, 2, c_int64_t), &
        c_loc(out), err)
    call predictor_watch(self, c_null_funptr, held)
    call note(self, status, err, stat, errmsg)
  end subroutine

  ! ---- Diagnostics ------------------------------------------------------------------------------

  ! PSIS-LOO of log_lik(row, draw, chain), computed as in R's package loo; elpd(row) and
  ! pareto_k(row) are optional.
  subroutine loo_of(log_lik, summary, elpd, pareto_k, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: log_lik(:, :, :)
    type(nnp_loo_summary), intent(out), target :: summary
    real(c_double), intent(out), contiguous, target, optional :: elpd(:), pareto_k(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(nnp_draws), target :: where
    type(c_ptr) :: to_elpd, to_k
    integer(c_size_t), target :: bytes
    real(c_double), allocatable, target :: memory(:)
    integer(c_int32_t) :: status
    bytes = 0
    to_elpd = c_null_ptr
    to_k = c_null_ptr
    if (present(elpd)) then
      if (size(elpd) /= size(log_lik, 1)) then
        call tell(NNP_E_SHAPE, "elpd: expected one for each row", stat, errmsg)
        return
      end if
      to_elpd = c_loc(elpd)
    end if
    if (present(pareto_k)) then
      if (size(pareto_k) /= size(log_lik, 1)) then
        call tell(NNP_E_SHAPE, "pareto_k: expected one for each row", stat, errmsg)
        return
      end if
      to_k = c_loc(pareto_k)
    end if
    status = nnp_draws_init(c_loc(where), c_loc(log_lik), size(log_lik, 1, c_int64_t), &
        size(log_lik, 2, c_int64_t), size(log_lik, 3, c_int64_t), err)
    if (status == NNP_OK) status = nnp_loo_bytes(c_loc(where), c_loc(bytes), err)
    if (status == NNP_OK) then
      allocate (memory((bytes + 7) / 8))
      status = nnp_loo(c_loc(where), c_null_ptr, to_elpd, to_k, c_loc(summary), c_loc(memory), &
          bytes, err)
    end if
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! Weights of models with which their mixture best predicts left-out rows, from elpd(row, model).
  subroutine stacking_of(elpd, weights, summary, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: elpd(:, :)
    real(c_double), intent(out), contiguous, target :: weights(:)
    type(nnp_stacking_summary), intent(out), target :: summary
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_size_t), target :: bytes
    real(c_double), allocatable, target :: memory(:)
    integer(c_int32_t) :: status
    bytes = 0
    if (size(weights) /= size(elpd, 2)) then
      call tell(NNP_E_SHAPE, "weights: expected one for each model", stat, errmsg)
      return
    end if
    status = nnp_stacking_bytes(size(elpd, 1, c_int64_t), size(elpd, 2, c_int64_t), c_loc(bytes), err)
    if (status == NNP_OK) then
      allocate (memory((bytes + 7) / 8))
      status = nnp_stacking(c_loc(elpd), size(elpd, 1, c_int64_t), size(elpd, 2, c_int64_t), &
          c_loc(weights), c_loc(summary), c_loc(memory), bytes, err)
    end if
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! Stacking weights of chains, from the leave-one-out densities of their own draws: log_lik(row,
  ! draw, chain). Rows whose k is above its limit (summary%unreliable) count equally for all chains.
  subroutine stack_chains(log_lik, weights, summary, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: log_lik(:, :, :)
    real(c_double), intent(out), contiguous, target :: weights(:)
    type(nnp_stacking_summary), intent(out), target :: summary
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(nnp_draws), target :: where
    integer(c_size_t), target :: bytes
    real(c_double), allocatable, target :: memory(:)
    integer(c_int32_t) :: status
    bytes = 0
    if (size(weights) /= size(log_lik, 3)) then
      call tell(NNP_E_SHAPE, "weights: expected one for each chain", stat, errmsg)
      return
    end if
    status = nnp_draws_init(c_loc(where), c_loc(log_lik), size(log_lik, 1, c_int64_t), &
        size(log_lik, 2, c_int64_t), size(log_lik, 3, c_int64_t), err)
    if (status == NNP_OK) status = nnp_stack_chains_bytes(c_loc(where), c_loc(bytes), err)
    if (status == NNP_OK) then
      allocate (memory((bytes + 7) / 8))
      status = nnp_stack_chains(c_loc(where), c_loc(weights), c_loc(summary), c_loc(memory), bytes, &
          err)
    end if
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! ---- Recommended settings ---------------------------------------------------------------------

  ! How to sample a network on this number of training rows; posterior: by default the one that
  ! suits it.
  subroutine recommend(net, rows, recipe, posterior, stat, errmsg)
    class(nnp_net), intent(in) :: net
    integer, intent(in) :: rows
    type(nnp_recipe), intent(out), target :: recipe
    integer(c_int32_t), intent(in), optional :: posterior
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int32_t) :: which, status
    which = 0
    if (present(posterior)) which = posterior
    status = nnp_recommend(net%handle, int(rows, c_int64_t), which, c_loc(recipe), err)
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! Mean and standard deviation of the columns of x(row, column). NNP_E_VALUE: a column is constant;
  ! everything is filled nevertheless, and its sd is 0.
  subroutine standard(x, mean, sd, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: x(:, :)
    real(c_double), intent(out), allocatable, target :: mean(:), sd(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int32_t) :: status
    allocate (mean(size(x, 2)), sd(size(x, 2)))
    status = nnp_standard(c_loc(x), size(x, 1, c_int64_t), size(x, 2, c_int64_t), &
        NNP_COLUMN_MAJOR, c_loc(mean), c_loc(sd), err)
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! out = (x - mean) / sd by columns; 0 in columns whose sd is 0.
  subroutine standardize(x, mean, sd, out, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: x(:, :), mean(:), sd(:)
    real(c_double), intent(out), allocatable, target :: out(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int32_t) :: status
    if (size(mean) /= size(x, 2) .or. size(sd) /= size(x, 2)) then
      call tell(NNP_E_SHAPE, "mean, sd: expected one for each column of x", stat, errmsg)
      return
    end if
    allocate (out(size(x, 1), size(x, 2)))
    status = nnp_standardize(c_loc(x), size(x, 1, c_int64_t), size(x, 2, c_int64_t), &
        NNP_COLUMN_MAJOR, c_loc(mean), c_loc(sd), c_loc(out), err)
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! out = mean + sd * x by columns.
  subroutine unstandardize(x, mean, sd, out, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: x(:, :), mean(:), sd(:)
    real(c_double), intent(out), allocatable, target :: out(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int32_t) :: status
    if (size(mean) /= size(x, 2) .or. size(sd) /= size(x, 2)) then
      call tell(NNP_E_SHAPE, "mean, sd: expected one for each column of x", stat, errmsg)
      return
    end if
    allocate (out(size(x, 1), size(x, 2)))
    status = nnp_unstandardize(c_loc(x), size(x, 1, c_int64_t), size(x, 2, c_int64_t), &
        NNP_COLUMN_MAJOR, c_loc(mean), c_loc(sd), c_loc(out), err)
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! The recommended linear change of the inputs of classes, from standardized rows z and their labels
  ! (0, 1 and so on, or -1 and +1): a matrix (from, to) for transform, which is not allocated if
  ! inputs are best left alone. Not for networks with ard.
  subroutine recommend_transform(z, labels, change, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: z(:, :)
    integer(c_int32_t), intent(in), contiguous, target :: labels(:)
    real(c_double), intent(out), allocatable :: change(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int32_t) :: status
    integer(c_int64_t) :: rows, columns
    integer(c_size_t), target :: bytes
    real(c_double), allocatable, target :: room(:)  ! the matrix, then work memory
    rows = size(z, 1, c_int64_t)
    columns = size(z, 2, c_int64_t)
    if (size(labels, 1, c_int64_t) /= rows) then
      call tell(NNP_E_SHAPE, "labels: expected one for each row of z", stat, errmsg)
      return
    end if
    status = nnp_recommend_transform_bytes(c_loc(labels), rows, columns, c_loc(bytes), err)
    if (status == NNP_OK .and. bytes > 0) then
      allocate (room(bytes / 8))
      status = nnp_recommend_transform(c_loc(z), c_loc(labels), rows, columns, NNP_COLUMN_MAJOR, &
          c_loc(room), bytes, err)
      if (status == NNP_OK) change = reshape(room(:columns * columns), [columns, columns])
    end if
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! out = matmul(z, change), for a change of recommend_transform; entries above its diagonal are not
  ! read.
  subroutine transform(z, change, out, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: z(:, :), change(:, :)
    real(c_double), intent(out), allocatable, target :: out(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int32_t) :: status
    if (any(shape(change) /= size(z, 2))) then
      call tell(NNP_E_SHAPE, "change: expected a row and a column for each column of z", stat, &
          errmsg)
      return
    end if
    allocate (out(size(z, 1), size(z, 2)))
    status = nnp_transform(c_loc(z), size(z, 1, c_int64_t), size(z, 2, c_int64_t), &
        NNP_COLUMN_MAJOR, c_loc(change), c_loc(out), err)
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! The verdict on draws(function, draw, chain) of functions that matter, such as predictions.
  subroutine convergence_of(draws, found, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: draws(:, :, :)
    type(nnp_convergence), intent(out), target :: found
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(nnp_draws), target :: where
    integer(c_size_t), target :: bytes
    real(c_double), allocatable, target :: memory(:)
    integer(c_int32_t) :: status
    bytes = 0
    status = nnp_draws_init(c_loc(where), c_loc(draws), size(draws, 1, c_int64_t), &
        size(draws, 2, c_int64_t), size(draws, 3, c_int64_t), err)
    if (status == NNP_OK) status = nnp_convergence_bytes(c_loc(where), c_loc(bytes), err)
    if (status == NNP_OK) then
      allocate (memory((bytes + 7) / 8))
      status = nnp_convergence_of(c_loc(where), c_loc(found), c_loc(memory), bytes, err)
    end if
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! The same in a sentence.
  function describe_convergence(found) result(text)
    type(nnp_convergence), intent(in), target :: found
    character(len=:), allocatable :: text
    character(kind=c_char), target :: buffer(160)
    type(nnp_error) :: err
    buffer = c_null_char
    if (nnp_convergence_text(c_loc(found), c_loc(buffer), size(buffer, kind=c_size_t), err) &
        /= NNP_OK) buffer = c_null_char
    text = text_of(buffer)
  end function

  ! NNP_STAT_… of draws(quantity, draw, chain): one value for each quantity.
  subroutine statistic_of(draws, statistic, out, probability, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: draws(:, :, :)
    integer(c_int32_t), intent(in) :: statistic
    real(c_double), intent(out), contiguous, target :: out(:)
    real(c_double), intent(in), optional :: probability
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(nnp_draws), target :: where
    integer(c_size_t), target :: bytes
    real(c_double), allocatable, target :: memory(:)
    real(c_double) :: level
    integer(c_int32_t) :: status
    level = 0.5_c_double
    if (present(probability)) level = probability
    bytes = 0
    status = nnp_draws_init(c_loc(where), c_loc(draws), size(draws, 1, c_int64_t), &
        size(draws, 2, c_int64_t), size(draws, 3, c_int64_t), err)
    if (status == NNP_OK) status = nnp_statistic_bytes(c_loc(where), c_loc(bytes), err)
    if (status == NNP_OK .and. size(out) /= size(draws, 1)) then
      if (present(stat)) stat = NNP_E_SHAPE
      if (present(errmsg)) errmsg = "out: expected a value for each quantity"
      return
    end if
    if (status == NNP_OK) then
      allocate (memory((bytes + 7) / 8))
      status = nnp_statistic(c_loc(where), statistic, level, c_loc(out), c_loc(memory), bytes, err)
    end if
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! Ranks of the true parameters among draws(parameter, draw, chain): 0 to the number of draws.
  subroutine sbc_ranks(truth, draws, ranks, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: truth(:), draws(:, :, :)
    integer(c_int64_t), intent(out), contiguous, target :: ranks(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(nnp_draws), target :: where
    integer(c_int32_t) :: status
    if (size(truth) /= size(draws, 1) .or. size(ranks) /= size(draws, 1)) then
      call tell(NNP_E_SHAPE, "truth, ranks: expected one for each quantity", stat, errmsg)
      return
    end if
    status = nnp_draws_init(c_loc(where), c_loc(draws), size(draws, 1, c_int64_t), &
        size(draws, 2, c_int64_t), size(draws, 3, c_int64_t), err)
    if (status == NNP_OK) status = nnp_sbc_ranks(c_loc(truth), c_loc(where), c_null_ptr, &
        c_loc(ranks), err)
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! ranks(quantity, replication), each 0 to max_rank, to counts(bin, quantity) and the p-value of
  ! uniformity of each quantity.
  subroutine sbc_histogram(ranks, max_rank, counts, p_values, stat, errmsg)
    integer(c_int64_t), intent(in), contiguous, target :: ranks(:, :)
    integer, intent(in) :: max_rank
    integer(c_int64_t), intent(out), contiguous, target :: counts(:, :)
    real(c_double), intent(out), contiguous, target :: p_values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (size(counts, 2) /= size(ranks, 1) .or. size(p_values) /= size(ranks, 1)) then
      call tell(NNP_E_SHAPE, "counts, p_values: expected one for each quantity", stat, errmsg)
      return
    end if
    call tell(nnp_sbc_histogram(c_loc(ranks), size(ranks, 1, c_int64_t), &
        size(ranks, 2, c_int64_t), int(max_rank, c_int64_t), size(counts, 1, c_int64_t), &
        c_loc(counts), c_loc(p_values), err), text_of(err%message), stat, errmsg)
  end subroutine

  ! Geweke's joint test of alternating(quantity, draw, chain) against the moments of the prior:
  ! z(2, quantity) of means and second moments, and the p-value of the largest.
  subroutine geweke_moments(alternating, mean, second_moment, z, p_value, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: alternating(:, :, :), mean(:), &
        second_moment(:)
    real(c_double), intent(out), contiguous, target :: z(:, :)
    real(c_double), intent(out), target :: p_value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(nnp_draws), target :: where
    integer(c_size_t), target :: bytes
    real(c_double), allocatable, target :: memory(:)
    integer(c_int32_t) :: status
    if (size(z, 1) /= 2 .or. any([size(z, 2), size(mean), size(second_moment)] /= &
        size(alternating, 1))) then
      call tell(NNP_E_SHAPE, "mean, second_moment, z: expected one, z two, a quantity", stat, &
          errmsg)
      return
    end if
    p_value = 0
    bytes = 0
    status = nnp_draws_init(c_loc(where), c_loc(alternating), size(alternating, 1, c_int64_t), &
        size(alternating, 2, c_int64_t), size(alternating, 3, c_int64_t), err)
    if (status == NNP_OK) status = nnp_geweke_bytes(c_loc(where), c_null_ptr, c_loc(bytes), err)
    if (status == NNP_OK) then
      allocate (memory((bytes + 7) / 8))
      status = nnp_geweke_moments(c_loc(where), c_loc(mean), c_loc(second_moment), c_loc(z), &
          c_loc(p_value), c_loc(memory), bytes, err)
    end if
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! The same against draws of the prior.
  subroutine geweke_draws(alternating, prior, z, p_value, stat, errmsg)
    real(c_double), intent(in), contiguous, target :: alternating(:, :, :), prior(:, :, :)
    real(c_double), intent(out), contiguous, target :: z(:, :)
    real(c_double), intent(out), target :: p_value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(nnp_draws), target :: left, right
    integer(c_size_t), target :: bytes
    real(c_double), allocatable, target :: memory(:)
    integer(c_int32_t) :: status
    if (size(z, 1) /= 2 .or. size(z, 2) /= size(alternating, 1)) then
      call tell(NNP_E_SHAPE, "z: expected two for each quantity", stat, errmsg)
      return
    end if
    p_value = 0
    bytes = 0
    status = nnp_draws_init(c_loc(left), c_loc(alternating), size(alternating, 1, c_int64_t), &
        size(alternating, 2, c_int64_t), size(alternating, 3, c_int64_t), err)
    if (status == NNP_OK) status = nnp_draws_init(c_loc(right), c_loc(prior), &
        size(prior, 1, c_int64_t), size(prior, 2, c_int64_t), size(prior, 3, c_int64_t), err)
    if (status == NNP_OK) status = nnp_geweke_bytes(c_loc(left), c_loc(right), c_loc(bytes), err)
    if (status == NNP_OK) then
      allocate (memory((bytes + 7) / 8))
      status = nnp_geweke_draws(c_loc(left), c_loc(right), c_loc(z), c_loc(p_value), &
          c_loc(memory), bytes, err)
    end if
    call tell(status, text_of(err%message), stat, errmsg)
  end subroutine

  ! ---- Studies ----------------------------------------------------------------------------------

  ! The first chain is the informed one.
  subroutine study_create(self, chains, test, capacity, stat, errmsg)
    class(nnp_study), intent(inout) :: self
    class(nnp_chain), intent(in) :: chains(:)
    class(nnp_data), intent(in) :: test
    integer, intent(in), optional :: capacity
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(c_ptr), target :: pointers(size(chains))
    integer(c_int64_t) :: room
    call self%free()
    room = 4096
    if (present(capacity)) room = capacity
    pointers = pointers_of(chains)
    self%chain_count = size(chains)
    call note(self, nnp_study_create(self%handle, c_loc(pointers), &
        size(chains, kind=c_int64_t), test%handle, room, err), err, stat, errmsg)
  end subroutine

  subroutine study_free(self)
    class(nnp_study), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_study_free(self%handle)
    self%handle = c_null_ptr
    call self%clear()
  end subroutine

  subroutine study_final(self)
    type(nnp_study), intent(inout) :: self
    call self%free()
  end subroutine

  subroutine study_set(self, option, value, stat, errmsg)
    class(nnp_study), intent(inout) :: self
    integer(c_int32_t), intent(in) :: option
    real(c_double), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_study_set(self%handle, option, value, err), err, stat, errmsg)
  end subroutine

  subroutine study_get(self, option, value, stat, errmsg)
    class(nnp_study), intent(inout) :: self
    integer(c_int32_t), intent(in) :: option
    real(c_double), intent(out), target :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    value = 0
    call note(self, nnp_study_get(self%handle, option, c_loc(value), err), err, stat, errmsg)
  end subroutine

  ! Sets the partner (from 1) of a chain, with which its R-hat is computed; the informed chain by
  ! default.
  subroutine study_partner(self, chain, partner, stat, errmsg)
    class(nnp_study), intent(inout) :: self
    integer, intent(in) :: chain, partner
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_study_partner(self%handle, int(chain - 1, c_int64_t), &
        int(partner - 1, c_int64_t), err), err, stat, errmsg)
  end subroutine

  subroutine study_run(self, callback, user, stat, errmsg)
    class(nnp_study), intent(inout) :: self
    procedure(nnp_on_study), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(study_holder), target :: held
    type(c_funptr) :: call_back
    call_back = c_null_funptr
    if (present(callback)) then
      held%callback => callback
      if (present(user)) held%user => user
      call_back = c_funloc(study_trampoline)
    end if
    call note(self, nnp_study_run(self%handle, call_back, c_loc(held), err), err, stat, errmsg)
  end subroutine

  subroutine study_state(self, state, stat, errmsg)
    class(nnp_study), intent(inout) :: self
    type(nnp_study_progress), intent(out), target :: state
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_study_state(self%handle, c_loc(state), err), err, stat, errmsg)
  end subroutine

  ! Times by all criteria and verdict of chain 2, 3, …; verdict_text puts the verdict in words.
  subroutine study_report(self, chain, times, stat, errmsg)
    class(nnp_study), intent(inout) :: self
    integer, intent(in) :: chain
    type(nnp_criteria_times), intent(out), target :: times
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_study_report(self%handle, int(chain - 1, c_int64_t), c_loc(times), err), &
        err, stat, errmsg)
  end subroutine

  ! A view of a series of chain 1, 2, …, valid until the next run of the study.
  subroutine study_series(self, chain, which, times, values, stat, errmsg)
    class(nnp_study), intent(inout) :: self
    integer, intent(in) :: chain
    integer(c_int32_t), intent(in) :: which
    real(c_double), pointer, intent(out) :: times(:), values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(nnp_series), target :: series
    integer(c_int32_t) :: status
    nullify (times, values)
    status = nnp_study_series(self%handle, int(chain - 1, c_int64_t), which, c_loc(series), err)
    call note(self, status, err, stat, errmsg)
    if (status /= NNP_OK .or. series%count == 0) return
    call c_f_pointer(series%times, times, [series%count])
    call c_f_pointer(series%values, values, [series%count])
  end subroutine

  function study_describe(self) result(text)
    class(nnp_study), intent(in) :: self
    character(len=:), allocatable :: text
    character(kind=c_char), allocatable, target :: buffer(:)
    type(nnp_error) :: err
    allocate (buffer(256 * self%chain_count + 512))
    buffer = c_null_char
    if (nnp_study_print(self%handle, c_loc(buffer), size(buffer, kind=c_size_t), err) /= NNP_OK) &
        buffer = c_null_char
    text = text_of(buffer)
  end function

  function verdict_text(verdict) result(text)
    type(nnp_verdict), intent(in) :: verdict
    character(len=:), allocatable :: text
    type(nnp_verdict), target :: copy
    character(kind=c_char), target :: buffer(160)
    type(nnp_error) :: err
    copy = verdict
    buffer = c_null_char
    if (nnp_verdict_text(c_loc(copy), c_loc(buffer), size(buffer, kind=c_size_t), err) &
        /= NNP_OK) buffer = c_null_char
    text = text_of(buffer)
  end function

  ! ---- Without a teacher ------------------------------------------------------------------------

  subroutine multistart_create(self, chains, stat, errmsg)
    class(nnp_multistart), intent(inout) :: self
    class(nnp_chain), intent(in) :: chains(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(c_ptr), target :: pointers(size(chains))
    call self%free()
    pointers = pointers_of(chains)
    self%chain_count = size(chains)
    call note(self, nnp_multistart_create(self%handle, c_loc(pointers), &
        size(chains, kind=c_int64_t), err), err, stat, errmsg)
  end subroutine

  subroutine multistart_free(self)
    class(nnp_multistart), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_multistart_free(self%handle)
    self%handle = c_null_ptr
    call self%clear()
  end subroutine

  subroutine multistart_final(self)
    type(nnp_multistart), intent(inout) :: self
    call self%free()
  end subroutine

  ! NNP_MULTISTART_STEPS must be set: steps of all chains together.
  subroutine multistart_set(self, option, value, stat, errmsg)
    class(nnp_multistart), intent(inout) :: self
    integer(c_int32_t), intent(in) :: option
    real(c_double), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_multistart_set(self%handle, option, value, err), err, stat, errmsg)
  end subroutine

  subroutine multistart_get(self, option, value, stat, errmsg)
    class(nnp_multistart), intent(inout) :: self
    integer(c_int32_t), intent(in) :: option
    real(c_double), intent(out), target :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    value = 0
    call note(self, nnp_multistart_get(self%handle, option, c_loc(value), err), err, stat, errmsg)
  end subroutine

  ! Starts all chains, runs them, and continues with the best.
  subroutine multistart_run_64(self, seed, callback, user, stat, errmsg)
    class(nnp_multistart), intent(inout) :: self
    integer(c_int64_t), intent(in) :: seed
    procedure(nnp_on_multistart), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(multistart_holder), target :: held
    type(c_funptr) :: call_back
    call_back = hold_multistart(held, callback, user)
    call note(self, nnp_multistart_run(self%handle, seed, call_back, c_loc(held), err), &
        err, stat, errmsg)
  end subroutine

  subroutine multistart_run_32(self, seed, callback, user, stat, errmsg)
    class(nnp_multistart), intent(inout) :: self
    integer(c_int32_t), intent(in) :: seed
    procedure(nnp_on_multistart), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call multistart_run_64(self, int(seed, c_int64_t), callback, user, stat, errmsg)
  end subroutine

  ! The number, from 1, of the chain to sample from; 0 before all attempts are over.
  function multistart_best(self) result(chain)
    class(nnp_multistart), intent(in) :: self
    integer :: chain
    integer(c_int64_t), target :: number
    type(nnp_error) :: err
    chain = 0
    if (nnp_multistart_best(self%handle, c_loc(number), err) == NNP_OK) chain = int(number) + 1
  end function

  ! Training error, rank and steps of chain 1, 2, ….
  subroutine multistart_report(self, chain, out, stat, errmsg)
    class(nnp_multistart), intent(inout) :: self
    integer, intent(in) :: chain
    type(nnp_attempt), intent(out), target :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_multistart_report(self%handle, int(chain - 1, c_int64_t), c_loc(out), &
        err), err, stat, errmsg)
  end subroutine

  ! A table, the best one first; chains count from 0 there.
  function multistart_describe(self) result(text)
    class(nnp_multistart), intent(in) :: self
    character(len=:), allocatable :: text
    character(kind=c_char), allocatable, target :: buffer(:)
    type(nnp_error) :: err
    allocate (buffer(80 * self%chain_count + 80))
    buffer = c_null_char
    if (nnp_multistart_print(self%handle, c_loc(buffer), size(buffer, kind=c_size_t), &
        err) /= NNP_OK) &
        buffer = c_null_char
    text = text_of(buffer)
  end function

  ! ---- Replica exchange ---------------------------------------------------------------------------

  subroutine exchange_create(self, chains, stat, errmsg)
    class(nnp_exchange), intent(inout) :: self
    class(nnp_chain), intent(in) :: chains(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(c_ptr), target :: pointers(size(chains))
    call self%free()
    pointers = pointers_of(chains)
    self%chain_count = size(chains)
    if (size(chains) > 0) self%parameters = chains(1)%parameters
    call note(self, nnp_exchange_create(self%handle, c_loc(pointers), &
        size(chains, kind=c_int64_t), err), err, stat, errmsg)
  end subroutine

  subroutine exchange_free(self)
    class(nnp_exchange), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_exchange_free(self%handle)
    self%handle = c_null_ptr
    call self%clear()
  end subroutine

  subroutine exchange_final(self)
    type(nnp_exchange), intent(inout) :: self
    call self%free()
  end subroutine

  ! NNP_EXCHANGE_REPLICAS (0: chosen from the barrier), _ROUNDS, _FIRST_ROUND, _STEPS.
  subroutine exchange_set(self, option, value, stat, errmsg)
    class(nnp_exchange), intent(inout) :: self
    integer(c_int32_t), intent(in) :: option
    real(c_double), intent(in) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_exchange_set(self%handle, option, value, err), err, stat, errmsg)
  end subroutine

  subroutine exchange_get(self, option, value, stat, errmsg)
    class(nnp_exchange), intent(inout) :: self
    integer(c_int32_t), intent(in) :: option
    real(c_double), intent(out), target :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    value = 0
    call note(self, nnp_exchange_get(self%handle, option, c_loc(value), err), err, stat, errmsg)
  end subroutine

  ! Sets the ladder: increasing powers of the likelihood from 0 to 1.
  subroutine exchange_set_ladder(self, powers, stat, errmsg)
    class(nnp_exchange), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: powers(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_exchange_set_ladder(self%handle, c_loc(powers), &
        size(powers, kind=c_int64_t), err), err, stat, errmsg)
  end subroutine

  ! By level: power, probability of swaps with the level above, barrier from the prior up to there.
  function exchange_ladder(self) result(rungs)
    class(nnp_exchange), intent(in) :: self
    type(nnp_exchange_rung), allocatable :: rungs(:)
    type(nnp_exchange_rung), target :: one
    type(nnp_exchange_summary), target :: found
    type(nnp_error) :: err
    integer(c_int64_t) :: l
    allocate (rungs(0))
    if (nnp_exchange_report(self%handle, c_loc(found), err) /= NNP_OK) return
    do l = 0, found%replicas - 1
      if (nnp_exchange_level(self%handle, l, c_loc(one), err) /= NNP_OK) return
      rungs = [rungs, one]
    end do
  end function

  ! NNP_EXCHANGE_FROM_PRIOR, or _FROM_TARGET: from the current state of the last chain.
  subroutine exchange_start_64(self, from, seed, stat, errmsg)
    class(nnp_exchange), intent(inout) :: self
    integer(c_int32_t), intent(in) :: from
    integer(c_int64_t), intent(in) :: seed
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_exchange_start(self%handle, from, seed, err), err, stat, errmsg)
  end subroutine

  subroutine exchange_start_32(self, from, seed, stat, errmsg)
    class(nnp_exchange), intent(inout) :: self
    integer(c_int32_t), intent(in) :: from, seed
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call exchange_start_64(self, from, int(seed, c_int64_t), stat, errmsg)
  end subroutine

  ! Finds the ladder; gradient samplers adapt during this time.
  subroutine exchange_tune(self, callback, user, stat, errmsg)
    class(nnp_exchange), intent(inout) :: self
    procedure(nnp_on_exchange), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(exchange_holder), target :: held
    type(c_funptr) :: call_back
    call_back = hold_exchange(held, callback, user)
    call note(self, nnp_exchange_tune(self%handle, call_back, c_loc(held), err), err, stat, errmsg)
  end subroutine

  subroutine exchange_run(self, sweeps, callback, user, stat, errmsg)
    class(nnp_exchange), intent(inout) :: self
    integer, intent(in) :: sweeps
    procedure(nnp_on_exchange), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(exchange_holder), target :: held
    type(c_funptr) :: call_back
    call_back = hold_exchange(held, callback, user)
    call note(self, nnp_exchange_run(self%handle, int(sweeps, c_int64_t), call_back, c_loc(held), &
        err), err, stat, errmsg)
  end subroutine

  ! draws(parameter, draw): those of the target after every thin-th sweep.
  subroutine exchange_sample(self, draws, thin, callback, user, stat, errmsg)
    class(nnp_exchange), intent(inout) :: self
    real(c_double), intent(out), contiguous, target :: draws(:, :)
    integer, intent(in), optional :: thin
    procedure(nnp_on_exchange), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(exchange_holder), target :: held
    type(c_funptr) :: call_back
    integer(c_int64_t) :: every
    if (size(draws, 1, c_int64_t) /= self%parameters) then
      call refuse(self, NNP_E_SHAPE, "draws: expected a row for each parameter", stat, errmsg)
      return
    end if
    every = 1
    if (present(thin)) every = thin
    call_back = hold_exchange(held, callback, user)
    call note(self, nnp_exchange_sample(self%handle, c_loc(draws), size(draws, 2, c_int64_t), &
        every, call_back, c_loc(held), err), err, stat, errmsg)
  end subroutine

  ! Records the index process of the next sweeps: one value for each replica in use and sweep, the
  ! replica fastest; levels count from 0. There must be room for all chains, and levels must not
  ! move as long as the exchange runs.
  subroutine exchange_record(self, levels, stat, errmsg)
    class(nnp_exchange), intent(inout) :: self
    integer(c_int32_t), intent(inout), contiguous, target :: levels(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (size(levels, 1) < self%chain_count) then
      call refuse(self, NNP_E_SHAPE, "levels: expected a row for each chain", stat, errmsg)
      return
    end if
    call note(self, nnp_exchange_record(self%handle, c_loc(levels), size(levels, 2, c_int64_t), &
        err), err, stat, errmsg)
  end subroutine

  ! Sweeps recorded so far.
  function exchange_recorded(self) result(sweeps)
    class(nnp_exchange), intent(in) :: self
    integer(c_int64_t), target :: sweeps
    type(nnp_error) :: err
    sweeps = 0
    if (nnp_exchange_recorded(self%handle, c_loc(sweeps), err) /= NNP_OK) sweeps = 0
  end function

  subroutine exchange_report(self, out, stat, errmsg)
    class(nnp_exchange), intent(inout) :: self
    type(nnp_exchange_summary), intent(out), target :: out
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_exchange_report(self%handle, c_loc(out), err), err, stat, errmsg)
  end subroutine

  ! The verdict in a few sentences.
  function exchange_describe(self) result(text)
    class(nnp_exchange), intent(in) :: self
    character(len=:), allocatable :: text
    character(kind=c_char), target :: buffer(768)
    type(nnp_error) :: err
    buffer = c_null_char
    if (nnp_exchange_text(self%handle, c_loc(buffer), size(buffer, kind=c_size_t), err) &
        /= NNP_OK) buffer = c_null_char
    text = text_of(buffer)
  end function

  function exchange_save_bytes(self) result(bytes)
    class(nnp_exchange), intent(in) :: self
    integer(c_size_t), target :: bytes
    type(nnp_error) :: err
    bytes = 0
    if (nnp_exchange_save_bytes(self%handle, c_loc(bytes), err) /= NNP_OK) bytes = 0
  end function

  ! Saves ladder, counts and all chains to a buffer of save_bytes() characters.
  subroutine exchange_save(self, buffer, stat, errmsg)
    class(nnp_exchange), intent(inout) :: self
    character(kind=c_char), intent(out), contiguous, target :: buffer(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_exchange_save(self%handle, c_loc(buffer), size(buffer, kind=c_size_t), &
        err), err, stat, errmsg)
  end subroutine

  subroutine exchange_restore(self, buffer, stat, errmsg)
    class(nnp_exchange), intent(inout) :: self
    character(kind=c_char), intent(in), contiguous, target :: buffer(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_exchange_restore(self%handle, c_loc(buffer), size(buffer, kind=c_size_t), &
        err), err, stat, errmsg)
  end subroutine

  subroutine twin_create(self, chain, stat, errmsg)
    class(nnp_twin), intent(inout) :: self
    class(nnp_chain), intent(in) :: chain
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call self%free()
    call note(self, nnp_twin_create(self%handle, chain%handle, err), err, stat, errmsg)
  end subroutine

  subroutine twin_free(self)
    class(nnp_twin), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_twin_free(self%handle)
    self%handle = c_null_ptr
    call self%clear()
  end subroutine

  subroutine twin_final(self)
    type(nnp_twin), intent(inout) :: self
    call self%free()
  end subroutine

  ! Runs the chain, which should have settled before, and its twin, on labels with the model's noise
  ! or without.
  subroutine twin_run(self, steps, noisy, seed, callback, user, stat, errmsg)
    class(nnp_twin), intent(inout) :: self
    integer, intent(in) :: steps, seed
    logical, intent(in) :: noisy
    procedure(nnp_on_multistart), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(multistart_holder), target :: held
    type(c_funptr) :: call_back
    call_back = hold_multistart(held, callback, user)
    call note(self, nnp_twin_run(self%handle, int(steps, c_int64_t), &
        merge(1_c_int32_t, 0_c_int32_t, noisy), int(seed, c_int64_t), call_back, c_loc(held), &
        err), err, stat, errmsg)
  end subroutine

  ! The verdict with the twin as the informed chain; describe() puts it in words.
  subroutine twin_report(self, verdict, stat, errmsg)
    class(nnp_twin), intent(inout) :: self
    type(nnp_verdict), intent(out), target :: verdict
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    call note(self, nnp_twin_report(self%handle, c_loc(verdict), err), err, stat, errmsg)
  end subroutine

  ! A view of the training errors of the chain (1) or of its twin (2), valid until the next run.
  subroutine twin_series(self, which, times, values, stat, errmsg)
    class(nnp_twin), intent(inout) :: self
    integer, intent(in) :: which
    real(c_double), pointer, intent(out) :: times(:), values(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(nnp_series), target :: series
    integer(c_int32_t) :: status
    nullify (times, values)
    status = nnp_twin_series(self%handle, int(which - 1, c_int64_t), c_loc(series), err)
    call note(self, status, err, stat, errmsg)
    if (status /= NNP_OK .or. series%count == 0) return
    call c_f_pointer(series%times, times, [series%count])
    call c_f_pointer(series%values, values, [series%count])
  end subroutine

  function twin_describe(self) result(text)
    class(nnp_twin), intent(in) :: self
    character(len=:), allocatable :: text
    character(kind=c_char), target :: buffer(256)
    type(nnp_error) :: err
    buffer = c_null_char
    if (nnp_twin_text(self%handle, c_loc(buffer), size(buffer, kind=c_size_t), err) /= NNP_OK) &
        buffer = c_null_char
    text = text_of(buffer)
  end function

  ! ---- From data to draws in one call -----------------------------------------------------------

  ! chains (4), draws (1000) of each, one every thin (1) steps after warmup (1000) steps; sampler
  ! (NNP_GIBBS), posterior (NNP_INTERMEDIATE), start (NNP_START_FIT), seed (1), threads (1);
  ! options(2, :) are pairs of an NNP_OPTION_… and its value. With comm, ranks share the chains;
  ! with rows (and comm), x and y are this rank's part of more rows (split_rows). number (0) is that
  ! of the first chain: jobs whose draws will be merged (merge_draws) use different ones.
  subroutine fit_targets(self, net, x, y, chains, draws, warmup, thin, seed, sampler, posterior, &
      start, threads, options, callback, user, stat, errmsg, comm, rows, number)
    class(nnp_fit), intent(inout) :: self
    type(nnp_net), intent(in) :: net
    real(c_double), intent(in), contiguous :: x(:, :), y(:, :)
    integer, intent(in), optional :: chains, draws, warmup, thin, seed, threads
    integer(c_int32_t), intent(in), optional :: sampler, posterior, start
    real(c_double), intent(in), optional :: options(:, :)
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_comm), intent(in), optional :: comm
    type(nnp_rows), intent(in), optional :: rows
    integer, intent(in), optional :: number
    call self%free()
    call self%net%copy_from(net)
    if (size(y, 1) /= size(x, 1)) then
      call refuse(self, NNP_E_SHAPE, "y: expected as many rows as x has", stat, errmsg)
      return
    end if
    if (present(rows)) then
      call self%data%create_rows(rows, size(x, 2), size(y, 2), comm)
    else
      call self%data%create(size(x, 1, c_int64_t), size(x, 2, c_int64_t), size(y, 2, c_int64_t))
    end if
    if (self%data%status == NNP_OK) call self%data%set_inputs(x)
    if (self%data%status == NNP_OK) call self%data%set_targets(y)
    call self%fit_go(chains, draws, warmup, thin, seed, sampler, posterior, start, threads, &
        options, callback, user, stat, errmsg, comm, rows, number)
  end subroutine

  subroutine fit_target(self, net, x, y, chains, draws, warmup, thin, seed, sampler, posterior, &
      start, threads, options, callback, user, stat, errmsg, comm, rows, number)
    class(nnp_fit), intent(inout) :: self
    type(nnp_net), intent(in) :: net
    real(c_double), intent(in), contiguous :: x(:, :)
    real(c_double), intent(in), contiguous, target :: y(:)
    integer, intent(in), optional :: chains, draws, warmup, thin, seed, threads
    integer(c_int32_t), intent(in), optional :: sampler, posterior, start
    real(c_double), intent(in), optional :: options(:, :)
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_comm), intent(in), optional :: comm
    type(nnp_rows), intent(in), optional :: rows
    integer, intent(in), optional :: number
    real(c_double), pointer, contiguous :: one_column(:, :)
    one_column(1:size(y), 1:1) => y
    call self%fit_targets(net, x, one_column, chains, draws, warmup, thin, seed, sampler, &
        posterior, start, threads, options, callback, user, stat, errmsg, comm, rows, number)
  end subroutine

  subroutine fit_labels(self, net, x, labels, chains, draws, warmup, thin, seed, sampler, &
      posterior, start, threads, options, callback, user, stat, errmsg, comm, rows, number)
    class(nnp_fit), intent(inout) :: self
    type(nnp_net), intent(in) :: net
    real(c_double), intent(in), contiguous :: x(:, :)
    integer(c_int32_t), intent(in), contiguous :: labels(:)
    integer, intent(in), optional :: chains, draws, warmup, thin, seed, threads
    integer(c_int32_t), intent(in), optional :: sampler, posterior, start
    real(c_double), intent(in), optional :: options(:, :)
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_comm), intent(in), optional :: comm
    type(nnp_rows), intent(in), optional :: rows
    integer, intent(in), optional :: number
    call self%free()
    call self%net%copy_from(net)
    if (size(labels) /= size(x, 1)) then
      call refuse(self, NNP_E_SHAPE, "labels: expected one for each row of x", stat, errmsg)
      return
    end if
    if (present(rows)) then
      call self%data%create_rows(rows, size(x, 2), 0, comm)
    else
      call self%data%create(size(x, 1, c_int64_t), size(x, 2, c_int64_t), 0_c_int64_t)
    end if
    if (self%data%status == NNP_OK) call self%data%set_inputs(x)
    if (self%data%status == NNP_OK) call self%data%set_labels(labels)
    call self%fit_go(chains, draws, warmup, thin, seed, sampler, posterior, start, threads, &
        options, callback, user, stat, errmsg, comm, rows, number)
  end subroutine

  ! The data exist already; errors are collected and reported at the end.
  subroutine fit_go(self, chains, draws, warmup, thin, seed, sampler, posterior, start, threads, &
      options, callback, user, stat, errmsg, comm, rows, number)
    class(nnp_fit), intent(inout) :: self
    integer, intent(in), optional :: chains, draws, warmup, thin, seed, threads
    integer(c_int32_t), intent(in), optional :: sampler, posterior, start
    real(c_double), intent(in), optional :: options(:, :)
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_comm), intent(in), optional :: comm
    type(nnp_rows), intent(in), optional :: rows
    integer, intent(in), optional :: number
    integer :: chain_count, draw_count, steps, every, c, i, failed
    integer(c_int64_t) :: key
    integer(c_int64_t) :: least
    integer(c_int64_t), allocatable :: before(:)
    integer(c_int32_t) :: method, density, from
    chain_count = 4
    draw_count = 1000
    steps = 1000
    key = 1
    method = NNP_GIBBS
    density = NNP_INTERMEDIATE
    from = NNP_START_FIT
    if (present(chains)) chain_count = chains
    if (present(draws)) draw_count = draws
    if (present(warmup)) steps = warmup
    if (present(seed)) key = seed
    if (present(sampler)) method = sampler
    if (present(posterior)) density = posterior
    if (present(start)) from = start
    if (chain_count < 1 .or. draw_count < 1) then
      call refuse(self, NNP_E_SIZE, "chains, draws: expected 1 or more", stat, errmsg)
      return
    end if
    self%posterior = density
    if (.not. gather(self%net)) return
    if (.not. gather(self%data)) return
    allocate (self%chains(chain_count))
    do c = 1, chain_count
      call self%chains(c)%create(self%net, self%data, method, density)
      if (.not. gather(self%chains(c))) return
      if (method /= NNP_GIBBS) call self%chains(c)%set(NNP_OPTION_WARMUP, real(steps, c_double))
      if (present(options)) then
        do i = 1, size(options, 2)
          call self%chains(c)%set(nint(options(1, i), c_int32_t), options(2, i))
        end do
      end if
      if (.not. gather(self%chains(c))) return
    end do
    if (present(threads)) then
      call self%pool%create(threads)
      if (.not. gather(self%pool)) return
      call self%chains(1)%use_pool(self%pool)
    end if
    if (present(comm) .and. .not. present(rows)) call self%chains(1)%use_comm(comm)
    if (present(number)) then
      do c = 1, chain_count
        call self%chains(c)%start(from, key, number + c - 1)
        if (.not. gather(self%chains(c))) return
      end do
    else
      call start_chains(self%chains, from, key, callback, user)
    end if
    if (.not. gather(self%chains(1))) return
    allocate (self%draws(self%net%parameters(), draw_count, chain_count), stat=failed)
    if (failed /= 0) then
      call refuse(self, NNP_E_OUT_OF_MEMORY, "draws: not enough memory for them", stat, errmsg)
      return
    end if
    call run_chains(self%chains, steps, callback, user)
    allocate (before(chain_count))
    do c = 1, chain_count
      before(c) = self%chains(c)%steps()
    end do
    if (gather(self%chains(1))) call sample_chains(self%chains, self%draws, thin, callback, user)
    if (.not. gather(self%chains(1))) then
      every = 1
      if (present(thin)) every = max(thin, 1)
      least = huge(least)
      do c = 1, chain_count
        least = min(least, self%chains(c)%steps() - before(c))
      end do
      self%draws = self%draws(:, :least / every, :)  ! those made by then
      return
    end if
    if (present(stat)) stat = NNP_OK

  contains

    function gather(object) result(fine)
      class(nnp_object), intent(in) :: object
      logical :: fine
      fine = object%status == NNP_OK
      if (.not. fine) call refuse(self, object%status, object%message, stat, errmsg)
    end function
  end subroutine

  subroutine fit_free(self)
    class(nnp_fit), intent(inout) :: self
    if (allocated(self%draws)) deallocate (self%draws)
    if (allocated(self%chains)) deallocate (self%chains)
    if (allocated(self%weights)) deallocate (self%weights)
    if (allocated(self%unit_mean)) deallocate (self%unit_mean)
    if (allocated(self%unit_sd)) deallocate (self%unit_sd)
    call self%pool%free()
    call self%data%free()
    call self%net%free()
    call self%clear()
  end subroutine

  ! A predictor of the fit's posterior, in its units, on its threads; with the weights of its
  ! chains, if requested.
  subroutine fit_prepare(self, predictor, draws, weighed)
    class(nnp_fit), intent(in) :: self
    type(nnp_predictor), intent(inout) :: predictor
    integer(c_int64_t), intent(in) :: draws
    logical, intent(in) :: weighed
    real(c_double), allocatable :: each(:)
    integer :: c
    call predictor%create(self%net, draws)
    call predictor%posterior(self%posterior)
    if (c_associated(self%pool%handle)) call predictor%use_pool(self%pool)
    if (allocated(self%unit_mean)) call predictor%units(self%unit_mean, self%unit_sd)
    if (.not. (weighed .and. allocated(self%weights))) return
    each = [(spread(self%weights(c), 1, size(self%draws, 2)), c=1, size(self%weights))]
    call predictor%weights(each)
  end subroutine

  ! Leave-one-out cross-validation of the training rows.
  subroutine fit_loo(self, summary, stat, errmsg)
    class(nnp_fit), intent(inout) :: self
    type(nnp_loo_summary), intent(out) :: summary
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(c_double), allocatable :: log_lik(:, :, :)
    integer :: status
    if (.not. allocated(self%draws)) then
      call refuse(self, NNP_E_NOT_STARTED, "fit: it has no draws yet", stat, errmsg)
      return
    end if
    allocate (log_lik(self%data%rows, size(self%draws, 2), size(self%draws, 3)))
    call self%log_lik(log_lik, stat=status, errmsg=errmsg)
    if (status == NNP_OK) call loo_of(log_lik, summary, stat=status, errmsg=errmsg)
    if (present(stat)) stat = status
  end subroutine

  ! Finds weights of chains by stacking and uses them from now on.
  subroutine fit_stack(self, stat, errmsg)
    class(nnp_fit), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(c_double), allocatable :: log_lik(:, :, :), weights(:)
    type(nnp_stacking_summary) :: summary
    integer :: status
    if (.not. allocated(self%draws)) then
      call refuse(self, NNP_E_NOT_STARTED, "fit: it has no draws yet", stat, errmsg)
      return
    end if
    allocate (log_lik(self%data%rows, size(self%draws, 2), size(self%draws, 3)))
    allocate (weights(size(self%draws, 3)))
    call self%log_lik(log_lik, stat=status, errmsg=errmsg)
    if (status == NNP_OK) call stack_chains(log_lik, weights, summary, status, errmsg)
    if (status == NNP_OK) self%weights = weights
    if (present(stat)) stat = status
  end subroutine

  ! Predictions from all draws, at x(row, feature): out(output, row) of kind (NNP_PREDICT_MEAN),
  ! with all noise of the model (noise = NNP_FITTED, the default) or of the forward pass
  ! (NNP_FORWARD).
  subroutine fit_predict(self, x, out, kind, noise, seed, stat, errmsg)
    class(nnp_fit), intent(inout), target :: self
    real(c_double), intent(in), contiguous :: x(:, :)
    real(c_double), intent(out), contiguous :: out(:, :)
    integer(c_int32_t), intent(in), optional :: kind
    integer(c_int32_t), intent(in), optional :: noise
    integer, intent(in), optional :: seed
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_predictor) :: predictor
    type(nnp_data) :: fresh
    real(c_double), pointer, contiguous :: all_draws(:, :)
    integer(c_int64_t) :: outputs
    integer(c_int32_t) :: what, which_noise
    integer :: key
    what = NNP_PREDICT_MEAN
    which_noise = NNP_FITTED
    key = 1
    if (present(noise)) which_noise = noise
    if (present(kind)) what = kind
    if (present(seed)) key = seed
    if (.not. allocated(self%draws)) then
      call refuse(self, NNP_E_NOT_STARTED, "fit: it has no draws yet", stat, errmsg)
      return
    end if
    outputs = self%net%targets()
    if (what == NNP_PREDICT_QUANTILES .or. what == NNP_PREDICT_DRAWS .or. &
        size(out, 1) /= outputs .or. size(out, 2) /= size(x, 1)) then
      call refuse(self, NNP_E_SHAPE, "out: expected outputs x rows, and a kind that fills it", &
          stat, errmsg)
      return
    end if
    all_draws(1:size(self%draws, 1), 1:size(self%draws, 2) * size(self%draws, 3)) => self%draws
    call fresh%create(size(x, 1, c_int64_t), size(x, 2, c_int64_t), 0_c_int64_t)
    if (fresh%status == NNP_OK) call fresh%set_inputs(x)
    if (fresh%status /= NNP_OK) then
      call refuse(self, fresh%status, fresh%message, stat, errmsg)
      return
    end if
    call self%prepare(predictor, size(all_draws, 2, c_int64_t), .true.)
    call predictor%noise(which_noise, key)
    if (predictor%status == NNP_OK) call predictor%predict(fresh, all_draws, what, out)
    if (predictor%status /= NNP_OK) then
      call refuse(self, predictor%status, predictor%message, stat, errmsg)
    else if (present(stat)) then
      stat = NNP_OK
    end if
  end subroutine

  ! The log likelihood of every row of training under every draw: out(row, draw, chain).
  subroutine fit_log_lik(self, out, passes, seed, stat, errmsg)
    class(nnp_fit), intent(inout), target :: self
    real(c_double), intent(inout), contiguous :: out(:, :, :)
    integer, intent(in), optional :: passes, seed
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_predictor) :: predictor
    real(c_double), pointer, contiguous :: all_draws(:, :)
    integer :: key
    key = 1
    if (present(seed)) key = seed
    if (.not. allocated(self%draws)) then
      call refuse(self, NNP_E_NOT_STARTED, "fit: it has no draws yet", stat, errmsg)
      return
    end if
    all_draws(1:size(self%draws, 1), 1:size(self%draws, 2) * size(self%draws, 3)) => self%draws
    call self%prepare(predictor, 1_c_int64_t, .false.)
    call predictor%noise(NNP_FITTED, key)
    if (present(passes)) call predictor%passes(passes)
    if (predictor%status == NNP_OK) call predictor%log_lik(self%data, all_draws, out)
    if (predictor%status /= NNP_OK) then
      call refuse(self, predictor%status, predictor%message, stat, errmsg)
    else if (present(stat)) then
      stat = NNP_OK
    end if
  end subroutine

  ! The functions used to judge convergence, out(function, draw, chain): the log likelihood,
  ! predictions at some rows of training (16, or `rows`), learned scales.
  subroutine fit_functions(self, out, rows, stat, errmsg)
    class(nnp_fit), intent(inout), target :: self
    real(c_double), intent(out), allocatable, target :: out(:, :, :)
    integer, intent(in), optional :: rows
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_predictor) :: predictor
    type(nnp_error) :: err
    integer(c_int64_t), target :: count
    integer(c_int64_t) :: shown
    integer(c_int32_t) :: status
    shown = 0
    count = 0
    if (present(rows)) shown = rows
    if (.not. allocated(self%draws)) then
      call refuse(self, NNP_E_NOT_STARTED, "fit: it has no draws yet", stat, errmsg)
      return
    end if
    call predictor%create(self%net, 1_c_int64_t)
    call predictor%posterior(self%posterior)
    status = nnp_functions_count(predictor%handle, self%data%handle, shown, c_loc(count), err)
    if (status == NNP_OK) then
      allocate (out(count, size(self%draws, 2), size(self%draws, 3)))
      status = nnp_functions(predictor%handle, self%data%handle, c_loc(self%draws), &
          size(self%draws, 2, c_int64_t) * size(self%draws, 3, c_int64_t), shown, c_loc(out), err)
    end if
    call note(self, status, err, stat, errmsg)
  end subroutine

  ! The verdict on the chains.
  subroutine fit_convergence(self, found, stat, errmsg)
    class(nnp_fit), intent(inout) :: self
    type(nnp_convergence), intent(out) :: found
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(c_double), allocatable :: values(:, :, :)
    integer :: status
    call self%functions(values, stat=status, errmsg=errmsg)
    if (status == NNP_OK) call convergence_of(values, found, status, errmsg)
    if (present(stat)) stat = status
  end subroutine

  ! The same in a sentence.
  function fit_describe(self) result(text)
    class(nnp_fit), intent(inout) :: self
    character(len=:), allocatable :: text
    type(nnp_convergence) :: found
    integer :: stat
    text = "undecided: there are no draws"
    call self%convergence(found, stat)
    if (stat == NNP_OK) text = describe_convergence(found)
  end function

  ! NNP_STAT_… of every parameter.
  subroutine fit_statistic(self, statistic, out, probability, stat, errmsg)
    class(nnp_fit), intent(in) :: self
    integer(c_int32_t), intent(in) :: statistic
    real(c_double), intent(out), contiguous :: out(:)
    real(c_double), intent(in), optional :: probability
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (.not. allocated(self%draws)) then
      call tell(NNP_E_NOT_STARTED, "fit: it has no draws yet", stat, errmsg)
      return
    end if
    call statistic_of(self%draws, statistic, out, probability, stat, errmsg)
  end subroutine

  ! ---- Tables of data in one call ---------------------------------------------------------------

  ! Fits a model of y(row, target), or y(row), given x(row, column), both in any units. What is left out
  ! is chosen to suit the number of rows: head (NNP_GAUSSIAN up to 3000 rows, beyond
  ! NNP_LOCATION_SCALE, for noise that varies; or NNP_STUDENT_T for heavy tails), hidden (units of each
  ! hidden layer), activation, posterior, ard (.true.: one precision for each input), chains, draws of
  ! each, warmup (steps before the first draw), thin (steps for each draw), seed (1), threads (one per
  ! processor, up to the number of chains).
  ! constant = .true. (NNP_TABLE_CONSTANT) ignores constant columns of x, which are refused otherwise.
  ! NNP_STOPPED, by a callback: the draws made by then are kept. A fit that fails leaves the one
  ! before.
  subroutine table_targets(self, x, y, head, hidden, activation, posterior, ard, chains, draws, &
      warmup, thin, seed, threads, constant, callback, user, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: x(:, :), y(:, :)
    integer(c_int32_t), intent(in), optional :: head, activation, posterior
    integer, intent(in), optional :: hidden(:), chains, draws, warmup, thin, seed, threads
    logical, intent(in), optional :: ard, constant
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(holder), target :: held
    type(c_funptr) :: call_back
    integer(c_int32_t) :: status
    call self%clear()
    if (wrong(self, "y", size(y, 1, c_int64_t), size(x, 1, c_int64_t), stat, errmsg)) return
    call_back = hold(held, callback, user)
    status = table_set(self, head, hidden, activation, posterior, ard, chains, draws, warmup, thin, &
        seed, threads, constant, call_back, held, err)
    if (status == NNP_OK) status = nnp_table_fit(self%handle, c_loc(x), c_loc(y), &
        size(x, 1, c_int64_t), size(x, 2, c_int64_t), size(y, 2, c_int64_t), NNP_COLUMN_MAJOR, err)
    call table_look(self, status, err, stat, errmsg)
  end subroutine

  subroutine table_target(self, x, y, head, hidden, activation, posterior, ard, chains, draws, &
      warmup, thin, seed, threads, constant, callback, user, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous :: x(:, :)
    real(c_double), intent(in), contiguous, target :: y(:)
    integer(c_int32_t), intent(in), optional :: head, activation, posterior
    integer, intent(in), optional :: hidden(:), chains, draws, warmup, thin, seed, threads
    logical, intent(in), optional :: ard, constant
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(c_double), pointer, contiguous :: one_column(:, :)
    one_column(1:size(y), 1:1) => y
    call self%table_targets(x, one_column, head, hidden, activation, posterior, ard, chains, draws, &
        warmup, thin, seed, threads, constant, callback, user, stat, errmsg)
  end subroutine

  ! Labels are classes, numbered 0, 1, …; two of them may also be -1 and +1.
  subroutine table_labels(self, x, labels, hidden, activation, posterior, ard, chains, draws, &
      warmup, thin, seed, threads, constant, callback, user, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: x(:, :)
    integer(c_int32_t), intent(in), contiguous, target :: labels(:)
    integer(c_int32_t), intent(in), optional :: activation, posterior
    integer, intent(in), optional :: hidden(:), chains, draws, warmup, thin, seed, threads
    logical, intent(in), optional :: ard, constant
    procedure(nnp_on_step), optional :: callback
    class(*), intent(inout), target, optional :: user
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(holder), target :: held
    type(c_funptr) :: call_back
    integer(c_int32_t) :: status
    call self%clear()
    if (wrong(self, "labels", size(labels, kind=c_int64_t), size(x, 1, c_int64_t), stat, errmsg)) &
        return
    call_back = hold(held, callback, user)
    status = table_set(self, NNP_GAUSSIAN, hidden, activation, posterior, ard, chains, draws, &
        warmup, thin, seed, threads, constant, call_back, held, err)
    if (status == NNP_OK) status = nnp_table_fit_labels(self%handle, c_loc(x), c_loc(labels), &
        size(x, 1, c_int64_t), size(x, 2, c_int64_t), NNP_COLUMN_MAJOR, err)
    call table_look(self, status, err, stat, errmsg)
  end subroutine

  ! Settings of the next fit: those that are given, all others at their defaults.
  function table_set(self, head, hidden, activation, posterior, ard, chains, draws, warmup, thin, &
      seed, threads, constant, call_back, held, err) result(status)
    class(nnp_table), intent(inout) :: self
    integer(c_int32_t), intent(in), optional :: head, activation, posterior
    integer, intent(in), optional :: hidden(:), chains, draws, warmup, thin, seed, threads
    logical, intent(in), optional :: ard, constant
    type(c_funptr), intent(in) :: call_back
    type(holder), intent(in), target :: held
    type(nnp_error), intent(out) :: err
    integer(c_int32_t) :: status, setting
    integer(c_int64_t), target :: widths(16)
    real(c_double), target :: initial
    status = NNP_OK
    if (.not. c_associated(self%handle)) status = nnp_table_create(self%handle, err)
    do setting = NNP_TABLE_SEED, NNP_TABLE_CONSTANT
      if (status == NNP_OK) status = nnp_table_setting_info(setting, c_null_ptr, c_null_ptr, &
          c_null_ptr, c_loc(initial), err)
      if (status == NNP_OK) status = nnp_table_set(self%handle, setting, initial, err)
    end do
    call put(NNP_TABLE_HEAD, head)
    call put(NNP_TABLE_ACTIVATION, activation)
    call put(NNP_TABLE_POSTERIOR, posterior)
    if (present(ard)) call put(NNP_TABLE_ARD, merge(1, 0, ard))
    call put(NNP_TABLE_CHAINS, chains)
    call put(NNP_TABLE_DRAWS, draws)
    call put(NNP_TABLE_WARMUP, warmup)
    call put(NNP_TABLE_THIN, thin)
    call put(NNP_TABLE_SEED, seed)
    call put(NNP_TABLE_THREADS, threads)
    if (present(constant)) call put(NNP_TABLE_CONSTANT, merge(1, 0, constant))
    if (status == NNP_OK .and. present(hidden)) then
      widths(:min(size(hidden), 16)) = hidden(:min(size(hidden), 16))
      status = nnp_table_hidden(self%handle, c_loc(widths), size(hidden, kind=c_int64_t), err)
    else if (status == NNP_OK) then
      status = nnp_table_hidden(self%handle, c_null_ptr, 0_c_int64_t, err)
    end if
    if (status == NNP_OK) status = nnp_table_watch(self%handle, call_back, c_loc(held), err)

  contains

    subroutine put(which, value)
      integer(c_int32_t), intent(in) :: which
      integer, intent(in), optional :: value
      if (status == NNP_OK .and. present(value)) &
          status = nnp_table_set(self%handle, which, real(value, c_double), err)
    end subroutine
  end function

  ! After a fit, or one that was stopped: what there is now.
  subroutine table_look(self, status, err, stat, errmsg)
    class(nnp_table), intent(inout), target :: self
    integer(c_int32_t), intent(in) :: status
    type(nnp_error), intent(in) :: err
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_inside), target :: inside
    type(nnp_convergence), target :: convergence
    type(nnp_loo_summary), target :: loo
    type(nnp_recipe), target :: recipe
    type(nnp_error) :: ignored
    integer(c_int32_t) :: found
    ! the callback of this call is gone with it
    if (c_associated(self%handle)) &
        found = nnp_table_watch(self%handle, c_null_funptr, c_null_ptr, ignored)
    call note(self, status, err, stat, errmsg)
    if (status /= NNP_OK .and. status /= NNP_STOPPED) return
    if (nnp_table_inside(self%handle, c_loc(inside), ignored) /= NNP_OK) return
    self%columns = inside%columns
    self%targets = inside%targets
    self%classes = inside%classes
    self%rows = inside%rows
    call c_f_pointer(inside%draws, self%draws, &
        [inside%parameters, inside%draw_count, inside%chains])
    call table_weights(self, inside)
    found = nnp_table_convergence(self%handle, c_loc(convergence), ignored)
    found = nnp_table_loo(self%handle, c_loc(loo), ignored)
    found = nnp_table_recipe(self%handle, c_loc(recipe), ignored)
    self%convergence = convergence
    self%loo = loo
    self%recipe = recipe
  end subroutine

  subroutine table_weights(self, inside)
    class(nnp_table), intent(inout) :: self
    type(nnp_inside), intent(in) :: inside
    real(c_double), pointer :: weights(:)
    call c_f_pointer(inside%weights, weights, [inside%chains])
    self%weights = weights
  end subroutine

  subroutine table_free(self)
    class(nnp_table), intent(inout) :: self
    if (c_associated(self%handle)) call nnp_table_free(self%handle)
    self%handle = c_null_ptr
    self%draws => null()
    if (allocated(self%weights)) deallocate (self%weights)
    self%columns = 0
    self%targets = 0
    self%classes = 0
    self%rows = 0
    self%recipe = no_recipe
    self%convergence = no_convergence
    self%loo = no_loo
    call self%clear()
  end subroutine

  subroutine table_final(self)
    type(nnp_table), intent(inout) :: self
    call self%free()
  end subroutine

  ! Whether there is no fit; then the call is refused.
  function table_no_fit(self, stat, errmsg) result(unfit)
    class(nnp_table), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    logical :: unfit
    character(len=:), allocatable :: sentence
    unfit = .not. associated(self%draws)
    if (unfit .and. self%status == NNP_OK) then
      call refuse(self, NNP_E_NOT_STARTED, "table: it was not fitted yet", stat, errmsg)
    else if (unfit) then  ! why the fit failed is what there is to know
      sentence = self%message
      call refuse(self, self%status, sentence, stat, errmsg)
    end if
  end function

  ! Whether there is no fit, or x has other columns than it; then the call is refused.
  function table_unfit(self, x, stat, errmsg) result(unfit)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in) :: x(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    logical :: unfit
    character(len=96) :: numbers
    unfit = table_no_fit(self, stat, errmsg)
    if (unfit) return
    if (size(x, 2) /= self%columns) then
      unfit = .true.
      write (numbers, "(a, i0, a, i0)") "x: it has ", size(x, 2), " columns, expected ", &
          self%columns
      call refuse(self, NNP_E_SHAPE, trim(numbers), stat, errmsg)
    end if
  end function

  ! Values of a mean for each row: of targets, or of scores of classes.
  function table_outputs(self) result(count)
    class(nnp_table), intent(in) :: self
    integer(c_int64_t) :: count
    count = self%targets
    if (self%classes > 0) count = merge(1_c_int64_t, self%classes, self%classes == 2)
  end function

  ! One kind of prediction, [target or class, row].
  subroutine table_kind(self, x, kind, name, out, each, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: x(:, :)
    integer(c_int32_t), intent(in) :: kind
    character(*), intent(in) :: name
    real(c_double), intent(inout), contiguous, target :: out(:, :)
    integer(c_int64_t), intent(in) :: each
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (wrong(self, name, size(out, kind=c_int64_t), each * size(x, 1), stat, errmsg)) return
    call note(self, nnp_table_predict(self%handle, c_loc(x), size(x, 1, c_int64_t), &
        size(x, 2, c_int64_t), NNP_COLUMN_MAJOR, kind, c_loc(out), err), err, stat, errmsg)
  end subroutine

  ! Predictive means at x(row, column), and standard deviations of new targets, in units of y:
  ! mean(row), sd(row) of one target, mean(target, row), sd(target, row) of several.
  subroutine table_predict_all(self, x, mean, sd, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous :: x(:, :)
    real(c_double), intent(inout), contiguous :: mean(:, :)
    real(c_double), intent(inout), contiguous, optional :: sd(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: status
    if (table_unfit(self, x, stat, errmsg)) return
    call table_kind(self, x, NNP_PREDICT_MEAN, "mean", mean, table_outputs(self), status, errmsg)
    if (status == NNP_OK .and. present(sd)) &
        call table_kind(self, x, NNP_PREDICT_SD, "sd", sd, table_outputs(self), status, errmsg)
    if (present(stat)) stat = status
  end subroutine

  subroutine table_predict_one(self, x, mean, sd, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous :: x(:, :)
    real(c_double), intent(inout), contiguous, target :: mean(:)
    real(c_double), intent(inout), contiguous, target, optional :: sd(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(c_double), pointer, contiguous :: means(:, :), sds(:, :)
    means(1:1, 1:size(mean)) => mean
    if (present(sd)) then
      sds(1:1, 1:size(sd)) => sd
      call self%table_predict_all(x, means, sds, stat, errmsg)
    else
      call self%table_predict_all(x, means, stat=stat, errmsg=errmsg)
    end if
  end subroutine

  ! Central intervals that hold a new target with probability level (0.9): lower(target, row), or
  ! lower(row) of one target.
  subroutine table_interval_all(self, x, lower, upper, level, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: x(:, :)
    real(c_double), intent(inout), contiguous, target :: lower(:, :), upper(:, :)
    real(c_double), intent(in), optional :: level
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    real(c_double) :: share
    integer(c_int64_t) :: values
    integer(c_int32_t) :: found
    real(c_double), allocatable, target :: ends(:, :)
    share = 0.9_c_double
    if (present(level)) share = level
    if (table_unfit(self, x, stat, errmsg)) return
    values = table_outputs(self) * size(x, 1)
    if (wrong(self, "lower", size(lower, kind=c_int64_t), values, stat, errmsg)) return
    if (wrong(self, "upper", size(upper, kind=c_int64_t), values, stat, errmsg)) return
    allocate (ends(2, values))
    found = nnp_table_interval(self%handle, c_loc(x), size(x, 1, c_int64_t), &
        size(x, 2, c_int64_t), NNP_COLUMN_MAJOR, share, c_loc(ends), err)
    call note(self, found, err, stat, errmsg)
    if (found /= NNP_OK) return
    lower = reshape(ends(1, :), shape(lower))
    upper = reshape(ends(2, :), shape(upper))
  end subroutine

  subroutine table_interval_one(self, x, lower, upper, level, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous :: x(:, :)
    real(c_double), intent(inout), contiguous, target :: lower(:), upper(:)
    real(c_double), intent(in), optional :: level
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(c_double), pointer, contiguous :: lowers(:, :), uppers(:, :)
    lowers(1:1, 1:size(lower)) => lower
    uppers(1:1, 1:size(upper)) => upper
    call self%table_interval_all(x, lowers, uppers, level, stat, errmsg)
  end subroutine

  ! Predictive probabilities of all classes: p(class, row).
  subroutine table_probabilities(self, x, p, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous :: x(:, :)
    real(c_double), intent(inout), contiguous :: p(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (table_unfit(self, x, stat, errmsg)) return
    if (self%classes > 0 .and. size(p, 1) /= self%classes) then
      call refuse(self, NNP_E_SHAPE, "p: expected classes x rows", stat, errmsg)
      return
    end if
    call table_kind(self, x, NNP_PREDICT_PROBABILITIES, "p", p, size(p, 1, c_int64_t), stat, errmsg)
  end subroutine

  ! The most probable class of every row, numbered as the labels of the fit.
  subroutine table_classify(self, x, labels, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: x(:, :)
    integer(c_int32_t), intent(inout), contiguous, target :: labels(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    if (table_unfit(self, x, stat, errmsg)) return
    if (wrong(self, "labels", size(labels, kind=c_int64_t), size(x, 1, c_int64_t), stat, errmsg)) &
        return
    call note(self, nnp_table_classify(self%handle, c_loc(x), size(x, 1, c_int64_t), &
        size(x, 2, c_int64_t), NNP_COLUMN_MAJOR, c_loc(labels), err), err, stat, errmsg)
  end subroutine

  ! Rows with targets y or with labels; the other one is null. Computes what is present: the mean log
  ! score, or the log likelihood of every row under every draw, out(row, draw, chain).
  subroutine table_judge(self, x, y, labels, score, out, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous, target :: x(:, :)
    type(c_ptr), intent(in) :: y, labels
    real(c_double), intent(out), target, optional :: score
    real(c_double), intent(inout), contiguous, target, optional :: out(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(c_ptr) :: predictor, data
    integer(c_int64_t) :: draws
    integer(c_int32_t) :: status
    predictor = c_null_ptr
    data = c_null_ptr
    draws = size(self%draws, 2, c_int64_t) * size(self%draws, 3, c_int64_t)
    if (present(out)) then
      if (wrong(self, "out", size(out, kind=c_int64_t), size(x, 1) * draws, stat, errmsg)) return
    end if
    status = nnp_table_predictor(self%handle, predictor, err)
    if (status == NNP_OK) status = nnp_table_data(self%handle, c_loc(x), y, labels, &
        size(x, 1, c_int64_t), NNP_COLUMN_MAJOR, data, err)
    if (status == NNP_OK .and. present(score)) status = nnp_score(predictor, data, &
        c_loc(self%draws), draws, NNP_SCORE_LOG, c_loc(score), err)
    if (status == NNP_OK .and. present(out)) &
        status = nnp_log_lik(predictor, data, c_loc(self%draws), draws, c_loc(out), err)
    call nnp_data_free(data)
    call nnp_predictor_free(predictor)
    call note(self, status, err, stat, errmsg)
  end subroutine

  ! Mean log predictive density of y(row, target) or y(row), in its units, or log probability of
  ! labels(row).
  subroutine table_score_all(self, x, y, value, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous :: x(:, :)
    real(c_double), intent(in), contiguous, target :: y(:, :)
    real(c_double), intent(out) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    value = 0
    if (table_unfit(self, x, stat, errmsg)) return
    if (wrong(self, "y", size(y, kind=c_int64_t), self%targets * size(x, 1), stat, errmsg)) return
    call table_judge(self, x, c_loc(y), c_null_ptr, score=value, stat=stat, errmsg=errmsg)
  end subroutine

  subroutine table_score_one(self, x, y, value, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous :: x(:, :)
    real(c_double), intent(in), contiguous, target :: y(:)
    real(c_double), intent(out) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(c_double), pointer, contiguous :: one_column(:, :)
    one_column(1:size(y), 1:1) => y
    call self%table_score_all(x, one_column, value, stat, errmsg)
  end subroutine

  subroutine table_score_labels(self, x, labels, value, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous :: x(:, :)
    integer(c_int32_t), intent(in), contiguous, target :: labels(:)
    real(c_double), intent(out) :: value
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    value = 0
    if (table_unfit(self, x, stat, errmsg)) return
    if (wrong(self, "labels", size(labels, kind=c_int64_t), size(x, 1, c_int64_t), stat, errmsg)) &
        return
    call table_judge(self, x, c_null_ptr, c_loc(labels), score=value, stat=stat, errmsg=errmsg)
  end subroutine

  ! The log likelihood of every row under every draw, out(row, draw, chain), for loo_of and
  ! stack_chains.
  subroutine table_log_lik_all(self, x, y, out, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous :: x(:, :)
    real(c_double), intent(in), contiguous, target :: y(:, :)
    real(c_double), intent(inout), contiguous :: out(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (table_unfit(self, x, stat, errmsg)) return
    if (wrong(self, "y", size(y, kind=c_int64_t), self%targets * size(x, 1), stat, errmsg)) return
    call table_judge(self, x, c_loc(y), c_null_ptr, out=out, stat=stat, errmsg=errmsg)
  end subroutine

  subroutine table_log_lik_one(self, x, y, out, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous :: x(:, :)
    real(c_double), intent(in), contiguous, target :: y(:)
    real(c_double), intent(inout), contiguous :: out(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(c_double), pointer, contiguous :: one_column(:, :)
    one_column(1:size(y), 1:1) => y
    call self%table_log_lik_all(x, one_column, out, stat, errmsg)
  end subroutine

  subroutine table_log_lik_labels(self, x, labels, out, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous :: x(:, :)
    integer(c_int32_t), intent(in), contiguous, target :: labels(:)
    real(c_double), intent(inout), contiguous :: out(:, :, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (table_unfit(self, x, stat, errmsg)) return
    if (wrong(self, "labels", size(labels, kind=c_int64_t), size(x, 1, c_int64_t), stat, errmsg)) &
        return
    call table_judge(self, x, c_null_ptr, c_loc(labels), out=out, stat=stat, errmsg=errmsg)
  end subroutine

  ! Replaces the weights of chains that the fit found. Without weights, all chains count alike.
  subroutine table_weigh(self, weights, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    real(c_double), intent(in), contiguous, target, optional :: weights(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    type(nnp_inside), target :: inside
    type(c_ptr) :: given
    integer(c_int32_t) :: status
    if (table_no_fit(self, stat, errmsg)) return
    given = c_null_ptr
    if (present(weights)) then
      if (wrong(self, "weights", size(weights, kind=c_int64_t), &
          size(self%weights, kind=c_int64_t), stat, errmsg)) return
      given = c_loc(weights)
    end if
    status = nnp_table_weigh(self%handle, given, err)
    call note(self, status, err, stat, errmsg)
    if (status /= NNP_OK) return
    if (nnp_table_inside(self%handle, c_loc(inside), err) == NNP_OK) &
        call table_weights(self, inside)
  end subroutine

  ! Writes the fit as bytes, which can be kept in a file.
  subroutine table_save(self, block, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    integer(c_int8_t), intent(out), allocatable, target :: block(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_size_t), target :: bytes
    integer(c_int32_t) :: status
    bytes = 0
    if (table_no_fit(self, stat, errmsg)) then
      allocate (block(0))
      return
    end if
    status = nnp_table_save_bytes(self%handle, c_loc(bytes), err)
    allocate (block(bytes))
    if (status == NNP_OK) status = nnp_table_save(self%handle, c_loc(block), bytes, err)
    call note(self, status, err, stat, errmsg)
  end subroutine

  ! Reads a fit from the bytes that save wrote. It replaces the one the table has.
  subroutine table_restore(self, block, stat, errmsg)
    class(nnp_table), intent(inout) :: self
    integer(c_int8_t), intent(in), contiguous, target :: block(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(nnp_error) :: err
    integer(c_int32_t) :: status
    call self%clear()
    status = NNP_OK
    if (.not. c_associated(self%handle)) status = nnp_table_create(self%handle, err)
    if (status == NNP_OK) status = nnp_table_restore(self%handle, c_loc(block), &
        size(block, kind=c_size_t), err)
    call table_look(self, status, err, stat, errmsg)
  end subroutine

  ! One line on whether the chains have converged, and if not, what helps.
  function table_describe(self) result(text)
    class(nnp_table), intent(in) :: self
    character(len=:), allocatable :: text
    character(kind=c_char), target :: buffer(512)
    type(nnp_error) :: err
    text = "not fitted yet"
    if (.not. c_associated(self%handle)) return
    if (nnp_table_text(self%handle, c_loc(buffer), size(buffer, kind=c_size_t), err) == NNP_OK) &
        text = text_of(buffer)
  end function

end module
