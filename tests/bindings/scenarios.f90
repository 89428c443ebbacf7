! The scenarios of scenarios.txt in Fortran. The callbacks show how a callback and its user work.
module callbacks
  use nnpost
  implicit none

  type :: counter
    integer :: calls = 0, stop_at = 7
  end type

contains

  function stop_at(progress, user) result(stop_now)
    type(nnp_progress), intent(in) :: progress
    class(*), intent(inout) :: user
    logical :: stop_now
    stop_now = .false.
    select type (user)
    type is (counter)
      user%calls = user%calls + 1
      stop_now = progress%step == user%stop_at
    end select
  end function

  function stop_study(state, user) result(stop_now)
    type(nnp_study_progress), intent(in) :: state
    class(*), intent(inout) :: user
    logical :: stop_now
    select type (user)
    type is (counter)
      user%calls = user%calls + 1
    end select
    stop_now = state%steps >= 5
  end function

  function stop_multistart(state, user) result(stop_now)
    type(nnp_multistart_progress), intent(in) :: state
    class(*), intent(inout) :: user
    logical :: stop_now
    stop_now = state%done > state%steps
    select type (user)
    type is (counter)
      user%calls = user%calls + 1
      stop_now = stop_now .or. user%calls == 5
    end select
  end function

  function stop_exchange(state, user) result(stop_now)
    type(nnp_exchange_progress), intent(in) :: state
    class(*), intent(inout) :: user
    logical :: stop_now
    stop_now = state%done > state%sweeps
    select type (user)
    type is (counter)
      user%calls = user%calls + 1
      stop_now = stop_now .or. user%calls == 5
    end select
  end function
end module

program scenarios
  use callbacks
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  integer, parameter :: rows = 60, chains = 2, draws = 5, thin = 2
  integer :: tests = 0, failures = 0, unit
  logical :: good
  character(len=256) :: path, sentence
  character(len=24) :: scenario
  real(real64), target :: x(rows, 3), y(rows)
  integer(c_int32_t) :: classes(rows), signs(rows)

  call get_command_argument(1, path)
  if (.not. library_agrees(sentence)) then
    print "(a)", trim(sentence)
    stop 2
  end if
  open (newunit=unit, file=trim(path), status="replace", action="write")
  x = reshape(values(rows * 3, 1), [rows, 3])
  y = values(rows, 2)
  classes = floor(1.5_real64 * (values(rows, 3) + 1))
  signs = merge(1, -1, values(rows, 4) >= 0)

  call fitted("regression", 1, NNP_GAUSSIAN, NNP_PREDICT_MEAN)
  call fitted("classes", 3, NNP_ARGMAX, NNP_PREDICT_PROBABILITIES)
  call fitted("binary", 1, NNP_SIGN_HEAD, NNP_PREDICT_PROBABILITIES)
  call student_t()
  call learning()
  call location_scale()
  call descent()
  call cnn()
  call fitted_model()
  call kept()
  call table()
  call layers()
  call sampled("gibbs", NNP_GIBBS, NNP_INTERMEDIATE, reshape([real(NNP_OPTION_RELAX, real64), &
      -0.9_real64, real(NNP_OPTION_UNIT_MOVES, real64), 1.0_real64, &
      real(NNP_OPTION_SCALE_MOVES, real64), 1.0_real64], [2, 3]), 10)
  call sampled("hmc", NNP_HMC, NNP_CLASSICAL, &
      reshape([real(NNP_OPTION_LEAPFROGS, real64), 5.0_real64], [2, 1]), 30)
  call sampled("mala", NNP_MALA, NNP_INTERMEDIATE, reshape([real(real64) ::], [2, 0]), 30)
  call sampled("nuts", NNP_NUTS, NNP_CLASSICAL, reshape([real(real64) ::], [2, 0]), 30)
  call teacher_and_study()
  call multistart()
  call exchange()
  call twin()
  call calibration()
  call resume()
  call bad_input()
  call cancel()
  call seeds()
  call threads()
  call diagnostics()
  call converged()
  call large()
  call memory()
  close (unit)
  print "(i0, a, i0, a)", tests, " Tests ", failures, " Failures 0 Ignored"
  if (failures > 0) stop 1

contains

  ! ---- Book-keeping -----------------------------------------------------------------------------

  subroutine begin(name, writes)
    character(*), intent(in) :: name
    logical, intent(in) :: writes
    scenario = name
    tests = tests + 1
    good = .true.
    if (writes) write (unit, "(a)", advance="no") name
  end subroutine

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (good .and. .not. condition) print "(4a)", trim(scenario), ": FAIL ", trim(what)
    if (good .and. .not. condition) failures = failures + 1
    good = good .and. condition
  end subroutine

  subroutine finish(wrote)
    logical, intent(in) :: wrote
    if (wrote) write (unit, "(a)") ""
    if (good) print "(2a)", trim(scenario), ": PASS"
  end subroutine

  subroutine keep(numbers)
    real(real64), intent(in) :: numbers(:)
    integer :: i
    do i = 1, size(numbers)
      write (unit, "(1x, a)", advance="no") hexadecimal(numbers(i))
    end do
  end subroutine

  function hexadecimal(number) result(text)
    real(real64), intent(in) :: number
    character(len=16) :: text
    character(len=16), parameter :: digits = "0123456789abcdef"
    integer(int64) :: word
    integer :: i, digit
    word = transfer(number, word)
    do i = 16, 1, -1
      digit = int(iand(word, 15_int64)) + 1
      text(i:i) = digits(digit:digit)
      word = shiftr(word, 4)
    end do
  end function

  ! Bit for bit.
  function same(a, b) result(equal)
    real(real64), intent(in) :: a(:, :, :), b(:, :, :)
    logical :: equal
    equal = size(a) == size(b)
    if (equal) equal = all(transfer(a, [0_int64]) == transfer(b, [0_int64]))
  end function

  function values(count, seed) result(out)
    integer, intent(in) :: count, seed
    real(real64) :: out(count)
    integer(int64) :: state
    integer :: i
    state = seed
    do i = 1, count
      state = mod(state * 16807_int64, 2147483647_int64)
      out(i) = 2 * (real(state, real64) / 2147483647.0_real64) - 1
    end do
  end function

  subroutine dense_net(net, outputs, head)
    type(nnp_net), intent(inout) :: net
    integer, intent(in) :: outputs
    integer(c_int32_t), intent(in) :: head
    call net%create(3)
    call net%dense(4)
    call net%activation(NNP_RELU)
    call net%dense(outputs)
    call net%head(head)
    call net%set(NNP_NOISE, 0.1_real64)
    if (net%status /= NNP_OK) call expect(.false., net%message)
  end subroutine

  ! ---- Fits -------------------------------------------------------------------------------------

  subroutine fitted(name, outputs, head, kind)
    character(*), intent(in) :: name
    integer, intent(in) :: outputs
    integer(c_int32_t), intent(in) :: head, kind
    type(nnp_net), target :: net
    type(nnp_fit) :: fit
    real(real64) :: out(outputs, rows)
    call begin(name, .true.)
    call dense_net(net, outputs, head)
    select case (head)
    case (NNP_GAUSSIAN)
      call fit%sample(net, x, y, chains=chains, draws=draws, warmup=10, thin=thin, seed=11)
    case (NNP_ARGMAX)
      call fit%sample(net, x, classes, chains=chains, draws=draws, warmup=10, thin=thin, seed=11)
    case default
      call fit%sample(net, x, signs, chains=chains, draws=draws, warmup=10, thin=thin, seed=11)
    end select
    call fit%predict(x, out, kind)
    if (fit%status /= NNP_OK) call expect(.false., fit%message)
    call keep(reshape(fit%draws, [size(fit%draws)]))
    call keep(reshape(out, [size(out)]))
    call expect(net%parameter_name(10_c_int64_t) == "W1[4,1]", "name of a parameter")
    call finish(.true.)
  end subroutine

  subroutine student_t()
    type(nnp_net), target :: net
    type(nnp_fit) :: fit
    real(real64) :: out(1, rows), freedom
    integer :: stat
    call begin("student_t", .true.)
    call net%create(3)
    call net%dense(4)
    call net%activation(NNP_RELU)
    call net%dense(1)
    call net%student_t(3.0_real64)
    call net%set(NNP_NOISE, 0.1_real64)
    call net%get(NNP_FREEDOM, NNP_HEAD, freedom)
    call expect(abs(freedom - 3) < 1e-15_real64, "degrees of freedom are read back")
    call fit%sample(net, x, y, chains=chains, draws=draws, warmup=10, thin=thin, seed=11)
    call fit%predict(x, out)
    if (net%status /= NNP_OK) call expect(.false., net%message)
    if (fit%status /= NNP_OK) call expect(.false., fit%message)
    call keep(reshape(fit%draws, [size(fit%draws)]))
    call keep(reshape(out, [size(out)]))
    call net%set(NNP_FREEDOM, -1.0_real64, NNP_HEAD, stat, sentence)
    call expect(stat == NNP_E_VALUE .and. index(sentence, "freedom = -1") == 1, sentence)
    call finish(.true.)
  end subroutine

  subroutine learning()
    type(nnp_net), target :: net
    type(nnp_fit) :: fit
    real(real64) :: shape, mean
    integer(c_int64_t) :: first, count
    integer :: stat
    call begin("learning", .true.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    call net%learn_tied()
    call net%learn(NNP_ARD, 1, shape=2.0_real64, mean=5.0_real64)
    call net%learn(NNP_LAMBDA_W, "W2")
    call expect(net%parameters() == 26, "26 parameters")
    call expect(net%parameter_name(26_c_int64_t) == "lambda_w2", "name of a scale")
    call net%learned(NNP_ARD, 1, shape, mean, first, count)
    call expect(abs(shape - 2) + abs(mean - 5) < 1e-15_real64 .and. first == 23 .and. count == 3, &
        "ard reads back")
    call fit%sample(net, x, y, chains=chains, draws=draws, warmup=10, thin=thin, seed=11)
    if (net%status /= NNP_OK) call expect(.false., net%message)
    if (fit%status /= NNP_OK) call expect(.false., fit%message)
    call keep(reshape(fit%draws, [size(fit%draws)]))
    call net%fix(NNP_ARD, 1)
    call net%learned(NNP_ARD, 1, shape, mean, first, count)
    call expect(count == 0, "ard is fixed")
    call net%learn_tied([1.0_real64, 0.0_real64, 1.0_real64], stat=stat, errmsg=sentence)
    call expect(stat == NNP_E_VALUE .and. index(sentence, "multiples") == 1, sentence)
    call finish(.true.)
  end subroutine

  subroutine location_scale()
    type(nnp_net), target :: net
    type(nnp_fit) :: fit
    real(real64) :: out(1, rows), options(2, 1)
    integer :: stat
    call begin("location_scale", .true.)
    call dense_net(net, 2, NNP_LOCATION_SCALE)
    call expect(net%targets() == 1, "one column of targets")
    options(:, 1) = [real(NNP_OPTION_LEAPFROGS, real64), 5.0_real64]
    call fit%sample(net, x, y, chains=chains, draws=draws, warmup=30, thin=thin, seed=11, &
        sampler=NNP_HMC, posterior=NNP_CLASSICAL, options=options)
    call fit%predict(x, out)
    if (fit%status /= NNP_OK) call expect(.false., fit%message)
    call keep(reshape(fit%draws, [size(fit%draws)]))
    call keep(reshape(out, [size(out)]))
    call fit%sample(net, x, y, stat=stat, errmsg=sentence)
    call expect(stat == NNP_E_UNSUPPORTED, sentence)
    call finish(.true.)
  end subroutine

  subroutine descent()
    type(nnp_net), target :: net
    type(nnp_fit) :: fit
    type(nnp_descent) :: made
    integer :: stat
    call begin("descent", .true.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    call fit%sample(net, x, y, chains=1, draws=5, warmup=0, seed=11)
    if (fit%status /= NNP_OK) call expect(.false., fit%message)
    call keep(reshape(fit%draws, [size(fit%draws)]))
    call fit%chains(1)%start(NNP_START_PRIOR, 11, 0)
    call fit%chains(1)%descend(20, made=made)
    call expect(made%steps == 20 .and. made%after > made%before, "20 steps up")
    call fit%chains(1)%descend(-1, stat=stat, errmsg=sentence)
    call expect(stat == NNP_E_SIZE .and. index(sentence, "steps = -1") == 1, sentence)
    call finish(.true.)
  end subroutine

  subroutine cnn()
    type(nnp_net), target :: net
    type(nnp_fit) :: fit
    real(real64) :: images(rows, 36), out(3, rows)
    call begin("cnn", .true.)
    images = reshape(values(rows * 36, 5), [rows, 36])
    call net%create_image(1, 6, 6)
    call net%conv2d(2, [3, 3])
    call net%avgpool([2, 2])
    call net%activation(NNP_RELU)
    call net%dense(3)
    call net%head(NNP_ARGMAX)
    call net%set(NNP_NOISE, 0.1_real64)
    call fit%sample(net, images, classes, chains=chains, draws=draws, warmup=10, thin=thin, seed=11)
    call fit%predict(images, out, NNP_PREDICT_PROBABILITIES)
    if (fit%status /= NNP_OK) call expect(.false., fit%message)
    call keep(reshape(fit%draws, [size(fit%draws)]))
    call keep(reshape(out, [size(out)]))
    call finish(.true.)
  end subroutine

  subroutine fitted_model()
    type(nnp_net) :: net, other
    type(nnp_fit), target :: fit
    type(nnp_predictor) :: predictor
    real(real64) :: sd(1, rows), mean(1, rows), narrow(1, rows), quantiles(3, 1, rows)
    real(real64) :: scores(2), pointwise(rows, draws, chains), again(rows, draws, chains)
    real(real64), pointer, contiguous :: all_draws(:, :)
    integer :: stat
    call begin("fitted", .true.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    call fit%sample(net, x, y, chains=chains, draws=draws, warmup=10, thin=thin, seed=11)
    call net%set(NNP_NOISE, 5.0_real64)
    all_draws(1:size(fit%draws, 1), 1:draws * chains) => fit%draws
    call fit%predict(x, sd, NNP_PREDICT_SD)
    call fit%predict(x, mean, noise=NNP_FORWARD)
    call fit%predict(x, narrow, NNP_PREDICT_SD, noise=NNP_FORWARD)
    call fit%log_lik(pointwise)
    if (fit%status /= NNP_OK) call expect(.false., fit%message)
    call predictor%create(fit%net, int(draws * chains, c_int64_t))
    call predictor%levels([0.1_real64, 0.5_real64, 0.9_real64])
    call predictor%predict(fit%data, all_draws, NNP_PREDICT_QUANTILES, quantiles)
    call predictor%score(fit%data, all_draws, NNP_SCORE_LOG, scores(1))
    call predictor%passes(64)
    call predictor%log_lik(fit%data, all_draws, again)
    call predictor%noise(NNP_FORWARD, 1)
    call predictor%score(fit%data, all_draws, NNP_SCORE_LOG, scores(2))
    if (predictor%status /= NNP_OK) call expect(.false., predictor%message)
    call expect(same(pointwise, again), "the same log likelihood")
    call expect(all(sd > narrow) .and. scores(1) > scores(2), "noise widens")
    call keep(reshape(sd, [rows]))
    call keep(reshape(quantiles, [3 * rows]))
    call keep(reshape(mean, [rows]))
    call keep(reshape(narrow, [rows]))
    call keep(scores)
    call keep(reshape(pointwise, [size(pointwise)]))
    call predictor%noise(2, 1, stat)
    call expect(stat == NNP_E_ENUM, "a noise that does not exist")
    call fit%log_lik(again(:, :2, :), stat=stat)
    call expect(stat == NNP_E_SHAPE, "little room for log likelihoods")
    call dense_net(other, 3, NNP_ARGMAX)
    call expect(abs(other%temperature() - 0.2_real64) < 1e-15_real64, "a temperature")
    call other%create(3)
    call other%dense(3)
    call other%head(NNP_ARGMAX)
    call expect(abs(other%temperature() - 1) < 1e-15_real64, "no temperature")
    call finish(.true.)
  end subroutine

  subroutine layers()
    type(nnp_net), target :: net
    type(nnp_fit) :: fit
    real(real64) :: images(rows, 36), noise
    integer :: most, layer, stat
    call begin("layers", .true.)
    images = reshape(values(rows * 36, 5), [rows, 36])
    do most = 0, 1
      call net%create_image(1, 6, 6)
      if (most == 0) then
        call net%conv2d(2, [3, 3], padding=[2, 1])
        call net%avgpool([2, 2])
        call net%activation(NNP_RELU)
      else
        call net%conv2d(2, [3, 3], padding=[1, 1])
        call net%maxpool([2, 2])
        call net%activation(NNP_TANH)
      end if
      call net%dense(3)
      call net%head(NNP_ARGMAX)
      call net%set(NNP_NOISE, 0.1_real64)
      call net%set(NNP_NOISE, 0.5_real64, "W2")
      call net%find_layer("W2", layer)
      call net%get(NNP_NOISE, 4, noise)
      call expect(layer == 4 .and. abs(noise - 0.5_real64) < 1e-15_real64, "W2 is layer 4")
      call net%get(NNP_NOISE, "b2", noise)
      call expect(abs(noise - 0.5_real64) < 1e-15_real64, "b2 is layer 4's")
      if (most == 0) then
        call fit%sample(net, images, classes, chains=chains, draws=draws, warmup=10, thin=thin, &
            seed=11)
      else
        call fit%sample(net, images, classes, chains=chains, draws=draws, warmup=30, thin=thin, &
            seed=11, sampler=NNP_HMC, posterior=NNP_CLASSICAL, &
            options=reshape([real(NNP_OPTION_LEAPFROGS, real64), 5.0_real64], [2, 1]))
      end if
      if (fit%status /= NNP_OK) call expect(.false., fit%message)
      call keep(reshape(fit%draws, [size(fit%draws)]))
    end do
    call net%find_layer("W3", layer, stat=stat)
    call expect(stat == NNP_E_OPTION, "W3 is refused")
    call net%create_image(1, 6, 6)
    call net%conv2d(2, [3, 3], padding=[3, 0], stat=stat)
    call expect(stat == NNP_E_VALUE, "a padding of 3 is refused")
    call finish(.true.)
  end subroutine

  subroutine sampled(name, sampler, posterior, options, warmup)
    character(*), intent(in) :: name
    integer(c_int32_t), intent(in) :: sampler, posterior
    real(real64), intent(in) :: options(:, :)
    integer, intent(in) :: warmup
    type(nnp_net), target :: net
    type(nnp_fit) :: fit
    call begin(name, .true.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    call fit%sample(net, x, y, chains=chains, draws=draws, warmup=warmup, thin=thin, seed=11, &
        sampler=sampler, posterior=posterior, options=options)
    if (fit%status /= NNP_OK) call expect(.false., fit%message)
    call keep(reshape(fit%draws, [size(fit%draws)]))
    if (sampler == NNP_GIBBS) call keep_moves(fit%chains(1))
    call look(fit%chains(2), fit, sampler /= NNP_GIBBS)
    call finish(.true.)
  end subroutine

  subroutine keep_moves(chain)
    type(nnp_chain), intent(inout) :: chain
    type(nnp_move_count) :: count
    integer(c_int64_t) :: steps
    integer :: move
    steps = 0
    do move = NNP_MOVE_PLAIN, NNP_MOVE_PLAIN + NNP_MOVE_KINDS - 1
      call chain%moves(int(move, c_int32_t), count)
      call keep([real(count%tried, real64), real(count%moved, real64)])
      if (move == NNP_MOVE_PLAIN .or. move == NNP_MOVE_RELAXED) steps = steps + count%tried
    end do
    call expect(steps == 20, "all steps are counted")
    call expect(index(chain%describe(), "20 steps") > 0, "a table of moves")
  end subroutine

  ! What a chain tells of itself agrees with its draws.
  subroutine look(chain, fit, gradient)
    type(nnp_chain), intent(inout) :: chain
    type(nnp_fit), intent(inout) :: fit
    logical, intent(in) :: gradient
    real(real64) :: parameters(21, 1, 1), out(1, rows), value, density
    real(real64), target :: record(NNP_STEP_STATISTICS, 4)
    call chain%read(parameters(:, 1, 1))
    call expect(same(parameters, fit%draws(:, draws:, chains:)), "the last draw is the state")
    call chain%predict(fit%data, out)
    call chain%score(fit%data, NNP_SCORE_MSE, value)
    call expect(abs(value - sum((out(1, :) - y)**2) / rows) < 1e-12_real64, "mean squared error")
    call chain%log_density(density)
    if (gradient) then
      call chain%statistic(NNP_STEP_LOG_DENSITY, value)
      call expect(abs(value - density) < 1e-8_real64 * abs(density), "log density of the step")
      call chain%record(record)
      call chain%run(3)
      call expect(chain%recorded() == 3, "three steps recorded")
      call expect(chain%variables() >= 21, "variables")
    end if
    if (chain%status /= NNP_OK) call expect(.false., chain%message)
  end subroutine

  ! ---- The others -------------------------------------------------------------------------------

  subroutine regression_data(data)
    type(nnp_data), intent(inout) :: data
    call data%create(rows, 3, 1)
    call data%set_inputs(x)
    call data%set_targets(y)
    if (data%status /= NNP_OK) call expect(.false., data%message)
  end subroutine

  subroutine teacher_and_study()
    type(nnp_net) :: net
    type(nnp_data) :: data, test
    type(nnp_teacher) :: teacher
    type(nnp_chain) :: both(2)
    type(nnp_study) :: study
    type(nnp_criteria_times) :: times
    type(counter) :: seen
    real(real64), allocatable :: parameters(:), sites(:), out(:, :)
    real(real64), pointer :: when(:), errors(:)
    real(real64) :: targets(rows)
    integer(c_int32_t) :: labels(rows)
    character(len=:), allocatable :: text
    integer :: i, stat
    call begin("teacher", .true.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    call regression_data(data)
    call regression_data(test)
    allocate (parameters(net%parameters()), sites(net%latents() * rows), &
        out(net%parameters(), draws))
    call teacher%create(net, NNP_INTERMEDIATE, 5, 0)
    call teacher%label(data, 1, sites)
    call teacher%label(test, 0)
    call teacher%read(parameters)
    if (teacher%status /= NNP_OK) call expect(.false., teacher%message)
    do i = 1, 2
      call both(i)%create(net, data, NNP_GIBBS, NNP_INTERMEDIATE)
    end do
    call both(1)%start_teacher(teacher, sites, 5, 0)
    call both(1)%sample(out)
    if (both(1)%status /= NNP_OK) call expect(.false., both(1)%message)
    call keep(parameters)
    call keep(sites)
    call data%targets(targets)
    call keep(targets)
    call keep(reshape(out, [size(out)]))
    call data%set_labels(classes)
    call data%labels(labels)
    if (data%status /= NNP_OK) call expect(.false., data%message)
    call expect(all(labels == classes), "labels are read back")
    call teacher%label(data, 1, sites(2:), stat)
    call expect(stat == NNP_E_SHAPE, "too little room for sites")
    call both(1)%start_teacher(teacher, sites(2:), 5, 0, stat)
    call expect(stat == NNP_E_SHAPE, "too few sites")
    call both(1)%clear()
    call finish(.true.)

    call begin("study", .true.)
    call both(1)%start_teacher(teacher, sites, 5, 0)
    call both(2)%start(NNP_START_ZERO, 5, 1)
    call study%create(both, test)
    call study%set(NNP_STUDY_STEPS, 600.0_real64)
    call study%set(NNP_STUDY_STOP, 0.0_real64)
    call study%set(NNP_STUDY_RHAT_BLOCK, 0.0_real64)
    call study%run(stop_study, seen, stat=stat)
    call expect(stat == NNP_STOPPED .and. seen%calls > 0, "a callback stops a study")
    call study%clear()
    call study%run()
    call study%series(2, NNP_SERIES_TEST, when, errors)
    call study%report(2, times)
    if (study%status /= NNP_OK) call expect(.false., study%message)
    call expect(size(errors) > 100 .and. size(when) == size(errors), "a long series")
    call keep(errors)
    text = verdict_text(times%verdict)
    call expect(index(text, "thermalized") + index(text, "undecided") > 0, "verdict: " // text)
    call expect(index(study%describe(), text) > 0, "the table has the verdict")
    call finish(.true.)
  end subroutine

  subroutine new_chain(chain, net, data, seed, number)
    type(nnp_chain), intent(inout) :: chain
    type(nnp_net), intent(in) :: net
    type(nnp_data), intent(in) :: data
    integer(c_int64_t), intent(in) :: seed
    integer, intent(in) :: number
    call chain%create(net, data, NNP_GIBBS, NNP_INTERMEDIATE)
    call chain%start(NNP_START_PRIOR, seed, number)
    if (chain%status /= NNP_OK) call expect(.false., chain%message)
  end subroutine

  subroutine multistart()
    type(nnp_net) :: net
    type(nnp_data) :: data
    type(nnp_chain) :: three(3)
    type(nnp_multistart) :: made
    type(nnp_attempt) :: one
    type(counter) :: seen
    real(real64), allocatable :: parameters(:)
    real(real64) :: share
    integer :: i, stat
    call begin("multistart", .true.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    call regression_data(data)
    do i = 1, 3
      call three(i)%create(net, data, NNP_GIBBS, NNP_INTERMEDIATE)
    end do
    call made%create(three)
    call expect(made%best() == 0, "no best one before they run")
    call made%set(NNP_MULTISTART_STEPS, 3000.0_real64)
    call made%get(NNP_MULTISTART_SHARE, share)
    call made%run(11)
    do i = 1, 3
      call made%report(i, one)
      call keep([one%error, real(one%rank, real64), real(one%steps, real64)])
      call expect((one%rank == 1) .eqv. (made%best() == i), "the best one has rank 1")
    end do
    allocate (parameters(net%parameters()))
    call three(made%best())%read(parameters)
    if (made%status /= NNP_OK) call expect(.false., made%message)
    call keep(parameters)
    call expect(index(made%describe(), "rank") > 0 .and. abs(share - 0.5_real64) < 1e-12_real64, &
        "a table")
    call made%run(11, stop_multistart, seen, stat)
    call expect(stat == NNP_STOPPED .and. seen%calls == 5, "a callback stops a multistart")
    call finish(.true.)
  end subroutine

  subroutine exchange()
    integer, parameter :: replicas = 6, sweeps = 10
    type(nnp_net) :: net
    type(nnp_data) :: data
    type(nnp_chain) :: six(replicas)
    type(nnp_exchange) :: made
    type(nnp_exchange_summary) :: found
    type(nnp_exchange_rung), allocatable :: rungs(:)
    type(counter) :: seen
    character(kind=c_char), allocatable :: saved(:)
    real(real64), allocatable :: first(:, :), again(:, :)
    integer(c_int32_t) :: levels(replicas, sweeps)
    integer :: i, stat
    call begin("exchange", .true.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    call regression_data(data)
    do i = 1, replicas
      call six(i)%create(net, data, NNP_GIBBS, NNP_INTERMEDIATE)
    end do
    call made%create(six)
    call made%set(NNP_EXCHANGE_ROUNDS, 3.0_real64)
    call made%set(NNP_EXCHANGE_FIRST_ROUND, 10.0_real64)
    call made%set_ladder([0.0_real64, 0.5_real64, 0.5_real64, 1.0_real64], stat)
    call expect(stat == NNP_E_VALUE, "a ladder must increase")
    call made%clear()
    call made%start(NNP_EXCHANGE_FROM_PRIOR, 11)
    call made%tune()
    allocate (saved(made%save_bytes()), first(net%parameters(), 5), again(net%parameters(), 5))
    call made%save(saved)
    call made%record(levels)
    call made%sample(first, thin=2)
    call made%report(found)
    rungs = made%ladder()
    call keep(reshape(first, [size(first)]))
    call keep(rungs%power)
    call keep([found%barrier, found%log_evidence])
    call keep(real(reshape(levels, [found%replicas * sweeps]), real64))
    call expect(made%recorded() == sweeps, "sweeps are recorded")
    call expect(size(rungs) == found%replicas, "a ladder")
    call made%restore(saved)
    call made%sample(again, thin=2)
    call expect(all(transfer(first, [0_int64]) == transfer(again, [0_int64])), "the same draws")
    call expect(index(made%describe(), "log evidence") > 0, "a text")
    if (made%status /= NNP_OK) call expect(.false., made%message)
    call made%run(100, stop_exchange, seen, stat)
    call expect(stat == NNP_STOPPED .and. seen%calls == 5, "a callback stops an exchange")
    call finish(.true.)
  end subroutine

  subroutine table()
    type(nnp_table) :: model
    real(real64) :: scaled(rows, 3)
    call begin("table", .true.)
    scaled = x
    scaled(:, 2) = 1024 * x(:, 2)
    call model%fit(scaled, 64 * y, hidden=[3], chains=chains, warmup=10, draws=draws, thin=thin, &
        seed=11, threads=1)
    call keep_table(model)
    call model%fit(scaled, classes, hidden=[3], chains=chains, warmup=10, draws=draws, thin=thin, &
        seed=11, threads=1)
    call keep_table(model)
    call model%fit(scaled, signs, hidden=[3], chains=chains, warmup=10, draws=draws, thin=thin, &
        seed=11, threads=1)
    call keep_table(model)
    call finish(.true.)
  end subroutine

  subroutine keep_table(model)
    type(nnp_table), intent(in) :: model
    if (model%status /= NNP_OK) call expect(.false., model%message)
    call keep(reshape(model%draws, [size(model%draws)]))
    call keep(model%weights)
  end subroutine

  subroutine twin()
    type(nnp_net) :: net
    type(nnp_data) :: data
    type(nnp_chain) :: chain
    type(nnp_twin) :: made
    type(nnp_verdict) :: verdict
    real(real64), pointer :: when(:), errors(:)
    integer :: i
    call begin("twin", .true.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    call regression_data(data)
    call new_chain(chain, net, data, 11_c_int64_t, 0)
    call chain%run(10)
    call made%create(chain)
    call made%run(200, .true., 5)
    do i = 1, 2
      call made%series(i, when, errors)
      call keep(errors)
    end do
    call made%report(verdict)
    if (made%status /= NNP_OK) call expect(.false., made%message)
    call expect(index(made%describe(), "its twin in equilibrium") > 0, "a sentence")
    call finish(.true.)
  end subroutine

  subroutine calibration()
    type(nnp_net), target :: net
    type(nnp_teacher) :: teacher
    type(nnp_fit) :: fit
    real(real64), allocatable :: truth(:), z(:, :)
    integer(c_int64_t), allocatable :: ranks(:)
    integer(c_int64_t) :: counts(11, 1)
    real(real64) :: p_values(1), p_value
    integer :: stat
    call begin("calibration", .true.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    allocate (truth(net%parameters()), ranks(net%parameters()), z(2, net%parameters()))
    call teacher%create(net, NNP_INTERMEDIATE, 5, 0)
    call teacher%read(truth)
    call fit%sample(net, x, y, chains=chains, draws=draws, warmup=10, thin=thin, seed=11)
    call sbc_ranks(truth, fit%draws, ranks, stat, sentence)
    call expect(stat == NNP_OK, sentence)
    call keep(real(ranks, real64))
    call sbc_histogram(reshape(ranks, [1, size(ranks)]), draws * chains, counts, p_values, stat, &
        sentence)
    call expect(stat == NNP_OK, sentence)
    call keep(real(counts(:, 1), real64))
    call keep(p_values)
    call fit%sample(net, x, y, chains=chains, draws=40, warmup=10, seed=11)
    call geweke(fit%draws, spread(0.0_real64, 1, 21), spread(1.0_real64, 1, 21), z, p_value, stat, &
        sentence)
    call expect(stat == NNP_OK, sentence)
    call keep(reshape(z, [size(z)]))
    call keep([p_value])
    call geweke(fit%draws(:, :, 1:1), fit%draws(:, :, 2:2), z, p_value, stat, sentence)
    call expect(stat == NNP_OK, sentence)
    call keep(reshape(z, [size(z)]))
    call keep([p_value])
    call sbc_ranks(truth(2:), fit%draws, ranks, stat, sentence)
    call expect(stat == NNP_E_SHAPE, "one truth too few")
    call finish(.true.)
  end subroutine

  subroutine resume()
    type(nnp_net) :: net
    type(nnp_data) :: data
    type(nnp_chain) :: chain, other
    character(kind=c_char), allocatable :: saved(:)
    real(real64), allocatable :: first(:, :, :), again(:, :, :)
    integer :: stat
    call begin("resume", .true.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    call regression_data(data)
    call new_chain(chain, net, data, 11_c_int64_t, 0)
    call new_chain(other, net, data, 1_c_int64_t, 0)
    allocate (first(net%parameters(), draws, 1), again(net%parameters(), draws, 1))
    call chain%run(10)
    allocate (saved(chain%save_bytes()))
    call chain%save(saved)
    call chain%sample(first(:, :, 1))
    call other%restore(saved)
    call other%sample(again(:, :, 1))
    if (chain%status /= NNP_OK) call expect(.false., chain%message)
    if (other%status /= NNP_OK) call expect(.false., other%message)
    call expect(same(first, again), "the same draws")
    call keep(reshape(again, [size(again)]))
    call other%restore(saved(:size(saved) - 1), stat=stat)
    call expect(stat == NNP_E_SAVE_TRUNCATED, "a truncated block is refused")
    call finish(.true.)
  end subroutine

  subroutine bad_input()
    type(nnp_net), target :: net, headless, copy
    type(nnp_fit) :: fit
    real(real64) :: broken(rows, 3), out(1, rows)
    integer :: stat
    call begin("bad_input", .false.)
    call dense_net(net, 3, NNP_ARGMAX)
    call net%set(NNP_NOISE, -1.0_real64, stat=stat, errmsg=sentence)
    call expect(stat == NNP_E_VALUE, "status of a bad value")
    call expect(sentence == "noise = -1: expected a positive, finite number", sentence)
    call expect(net%message == sentence .and. net%status == stat, "the object keeps the sentence")
    call expect(status_name(net%status) == "NNP_E_VALUE", "name of a status")
    broken = x
    broken(8, 1) = ieee_value(broken(8, 1), ieee_quiet_nan)
    call fit%sample(net, broken, classes, stat=stat, errmsg=sentence)
    call expect(stat == NNP_E_NOT_FINITE, "NaN: " // sentence)
    call fit%sample(net, x, spread(3_c_int32_t, 1, rows), stat=stat, errmsg=sentence)
    call expect(stat == NNP_E_LABEL, "a label out of range: " // sentence)
    call fit%sample(net, x, classes(:59), stat=stat, errmsg=sentence)
    call expect(stat == NNP_E_SHAPE, "labels too few")
    call fit%predict(x, out, stat=stat)
    call expect(stat == NNP_E_NOT_STARTED, "a prediction without draws")
    call headless%create(3)
    call headless%dense(3)
    call fit%sample(headless, x, classes, stat=stat)
    call expect(stat == NNP_E_NO_HEAD, "no head")
    call copy%dense(3, stat=stat)
    call expect(stat == NNP_E_NULL, "a network that was not created")
    call expect(net%layers() == 3, "nothing was changed")
    call fit%statistic(NNP_STAT_RHAT, out(1, :), stat=stat)
    call expect(stat == NNP_E_NOT_STARTED, "a statistic without draws")
    call shapes()
    copy = net
    call expect(copy%status == NNP_E_UNSUPPORTED, "two objects must not own one handle")
    call finish(.false.)
  end subroutine

  ! Arrays of another size than the library will read or write are refused.
  subroutine shapes()
    type(nnp_net) :: net
    type(nnp_data) :: data, packed
    type(nnp_chain) :: chain
    type(nnp_predictor) :: predictor
    real(real64) :: small(1, rows - 1), few(2), three(3), more(3), all_draws(21, 2)
    real(real64) :: quantiles(2, 1, rows)
    integer :: stat
    call dense_net(net, 1, NNP_GAUSSIAN)
    call regression_data(data)
    call data%set_inputs(x(2:, :), stat, sentence)
    call expect(stat == NNP_E_SHAPE .and. sentence == &
        "x, rows: it has 59 values, expected 60", sentence)
    call data%set_targets(y(2:), stat)
    call expect(stat == NNP_E_SHAPE, "targets too few")
    call data%set_labels(classes(2:), stat)
    call expect(stat == NNP_E_SHAPE, "labels too few")
    call data%targets(small(1, :), stat)
    call expect(stat == NNP_E_SHAPE, "little room for targets")
    call new_chain(chain, net, data, 11_c_int64_t, 0)
    call chain%predict(data, small, stat)
    call expect(stat == NNP_E_SHAPE, "little room for predictions")
    call chain%site(1, small, stat)
    call expect(stat == NNP_E_SHAPE, "little room for a site")
    call chain%terms(three, few, more, stat)
    call expect(stat == NNP_E_SHAPE, "little room for terms")
    call chain%start_state(all_draws(:, 1), few, 1_c_int64_t, 0, stat)
    call expect(stat == NNP_E_SHAPE, "sites too few")
    call predictor%create(net, 2_c_int64_t)
    call predictor%levels([0.1_real64, 0.9_real64])
    all_draws = 0
    call predictor%predict(data, all_draws, NNP_PREDICT_QUANTILES, quantiles, stat)
    call expect(stat == NNP_OK, "quantiles")
    call predictor%predict(data, all_draws, NNP_PREDICT_DRAWS, small, stat)
    call expect(stat == NNP_E_SHAPE, "little room for draws")
    call packed%create_from(real(floor(x), real64), 1, stat=stat)
    call expect(stat == NNP_OK, "inputs whose store is found")
    call expect(packed%store() /= NNP_STORE_DOUBLES, "not as doubles")
  end subroutine

  subroutine cancel()
    type(nnp_net), target :: net
    type(nnp_data) :: data
    type(nnp_chain) :: chain
    type(nnp_fit) :: fit
    type(counter) :: seen
    real(real64), allocatable :: out(:, :)
    integer :: stat
    integer(c_int64_t) :: made
    call begin("cancel", .false.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    call regression_data(data)
    call new_chain(chain, net, data, 11_c_int64_t, 0)
    allocate (out(net%parameters(), 50))
    call chain%run(100, stop_at, seen, stat=stat)
    call expect(stat == NNP_STOPPED .and. seen%calls == 7, "a callback stops a run")
    call expect(chain%steps() == 7, "after 7 steps")
    call chain%sample(out, thin, stop_at, seen, made, stat)
    call expect(stat == NNP_STOPPED .and. made == 3 .and. seen%calls == 14, "keeps 3 draws")
    seen%stop_at = 20
    call fit%sample(net, x, y, chains=1, draws=50, warmup=10, start=NNP_START_PRIOR, &
        callback=stop_at, user=seen, stat=stat)
    call expect(stat == NNP_STOPPED .and. size(fit%draws, 2) == 20, "a fit keeps what it has")
    call chain%start(NNP_START_PRIOR, 11, 0)
    call chain%anneal(1.0_real64, 4)
    seen%stop_at = 7
    call chain%sample(out, 1, stop_at, seen, made, stat)
    call expect(stat == NNP_STOPPED .and. made == 7, "steps of annealing are no draws")
    call chain%start(NNP_START_PRIOR, 11, 0)
    call chain%run(14)
    call chain%clear()
    call chain%run(5, stop_at)
    call expect(chain%steps() == 19, "a callback without a user")
    call finish(.false.)
  end subroutine

  subroutine seeds()
    integer(c_int64_t), parameter :: keys(5) = [9007199254740991_c_int64_t, 11_c_int64_t, &
        12_c_int64_t, 11_c_int64_t, 11_c_int64_t]
    integer, parameter :: numbers(5) = [0, 0, 0, 1, 0]
    type(nnp_net) :: net
    type(nnp_data) :: data
    type(nnp_chain) :: chain
    real(real64), allocatable :: out(:, :, :)
    integer :: i
    call begin("seeds", .true.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    call regression_data(data)
    allocate (out(net%parameters(), draws, 5))
    do i = 1, 5
      call new_chain(chain, net, data, keys(i), numbers(i))
      call chain%sample(out(:, :, i))
    end do
    call expect(.not. same(out(:, :, 2:2), out(:, :, 3:3)), "seeds differ")
    call expect(.not. same(out(:, :, 2:2), out(:, :, 4:4)), "numbers differ")
    call expect(same(out(:, :, 2:2), out(:, :, 5:5)), "the same repeats")
    call keep(reshape(out(:, :, 1), [size(out, 1) * draws]))
    call finish(.true.)
  end subroutine

  subroutine threads()
    type(nnp_net), target :: net
    type(nnp_fit) :: one, two
    call begin("threads", .false.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    call one%sample(net, x, y, chains=chains, draws=draws, warmup=10, thin=thin, seed=11, threads=1)
    call two%sample(net, x, y, chains=chains, draws=draws, warmup=10, thin=thin, seed=11, threads=2)
    if (two%status /= NNP_OK) call expect(.false., two%message)
    call expect(same(one%draws, two%draws), "the same bits")
    call finish(.false.)
  end subroutine

  subroutine diagnostics()
    integer(c_int32_t), parameter :: statistics(5) = [NNP_STAT_RHAT, NNP_STAT_ESS_BULK, &
        NNP_STAT_ESS_TAIL, NNP_STAT_MCSE_MEAN, NNP_STAT_QUANTILE]
    type(nnp_net), target :: net
    type(nnp_fit) :: fit
    real(real64), allocatable :: out(:)
    integer :: i, stat
    call begin("diagnostics", .true.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    call fit%sample(net, x, y, chains=chains, draws=40, warmup=10, seed=11)
    allocate (out(net%parameters()))
    do i = 1, 5
      call fit%statistic(statistics(i), out, 0.9_real64, stat, sentence)
      call expect(stat == NNP_OK, sentence)
      call keep(out)
    end do
    call finish(.true.)
  end subroutine

  subroutine kept()
    type(nnp_net) :: net, other
    type(nnp_fit) :: fit
    type(nnp_data) :: data
    type(nnp_chain) :: two(chains)
    type(nnp_predictor) :: predictor
    type(nnp_keeper) :: keeper
    type(nnp_draws_file) :: file
    real(real64), allocatable, target :: functions(:, :, :), log_lik(:, :, :), mean(:, :, :), &
        new(:, :, :), center(:), variance(:), rhat(:)
    real(real64), pointer :: seen(:, :, :)
    integer :: stat, c, old
    character(*), parameter :: path = "scenarios_fortran.draws"
    call begin("kept", .true.)
    open (newunit=old, file=path)
    close (old, status="delete")
    call dense_net(net, 1, NNP_GAUSSIAN)
    call regression_data(data)
    call predictor%create(net, 1_c_int64_t)
    do c = 1, chains
      call two(c)%create(net, data, NNP_GIBBS, NNP_INTERMEDIATE)
    end do
    call start_chains(two, NNP_START_FIT, 11_c_int64_t)
    call run_chains(two, 10)
    call keeper%create(net, [nnp_keep(NNP_KEEP_FUNCTIONS, predictor, data), &
        nnp_keep(NNP_KEEP_LOG_LIK, predictor, data), nnp_keep(NNP_KEEP_MEAN, predictor, data), &
        nnp_keep(NNP_KEEP_PREDICTIONS, predictor, data), &
        nnp_keep(NNP_KEEP_PARAMETERS, moments=.true.)], chains)
    if (keeper%status /= NNP_OK) call expect(.false., keeper%message)
    allocate (functions(keeper%width(1), draws, chains), log_lik(keeper%width(2), draws, chains), &
        mean(keeper%width(3), draws, chains), new(keeper%width(4), draws, chains), &
        center(keeper%width(5)), variance(keeper%width(5)), rhat(keeper%width(5)))
    call keeper%store(1, functions)
    call keeper%store(2, log_lik)
    call keeper%store(3, mean)
    call keeper%store(4, new)
    call keeper%store(4, functions, stat)
    call expect(stat == NNP_E_SHAPE, "values of another shape")
    call file%create(path, keeper, 5, draws)
    call keeper%file(5, file)
    call keep_chains(two, keeper, draws, thin, stat=stat)
    call expect(stat == NNP_OK, "a run that keeps")
    call expect(keeper%stored(5, 2) == draws, "draws in place")
    call keep(reshape(functions, [size(functions)]))
    call keep(reshape(log_lik, [size(log_lik)]))
    call keep(reshape(mean, [size(mean)]))
    call keep(reshape(new, [size(new)]))
    call keeper%moments(5, center, variance, rhat)
    call keep(center)
    call keep(variance)
    call keeper%moments(5, center, chain=2)
    call fit%sample(net, x, y, chains=chains, draws=draws, warmup=10, thin=thin, seed=11)
    call expect(maxval(abs(center - sum(fit%draws(:, :, 2), 2) / draws)) < 1e-12_real64, &
        "means of a chain")
    call file%open(path, net, stat)
    call expect(stat == NNP_OK, "a file of draws")
    call file%view(seen)
    call expect(same(seen, fit%draws), "draws come back")
    call file%create(path, keeper, 5, draws, stat)
    call expect(stat == NNP_E_FILE, "a file that exists")
    call dense_net(other, 3, NNP_ARGMAX)
    call file%open(path, other, stat)
    call expect(stat == NNP_E_SAVE_NETWORK, "a file of another network")
    call file%free()
    call expect(index(draws_advice(net, 4, 1000000000), "take 672.0 GB") > 0, "large draws")
    call expect(len(draws_advice(net, 4, 1000)) == 0, "small draws")
    open (newunit=old, file=path)
    close (old, status="delete")
    call finish(.true.)
  end subroutine

  subroutine converged()
    type(nnp_net) :: net
    type(nnp_fit) :: fit
    type(nnp_convergence) :: told
    real(real64), allocatable :: found(:, :, :)
    integer :: stat
    call begin("converged", .true.)
    call dense_net(net, 1, NNP_GAUSSIAN)
    call fit%convergence(told, stat)
    call expect(stat == NNP_E_NOT_STARTED, "a verdict without draws")
    call fit%sample(net, x, y, chains=chains, draws=40, warmup=10, seed=11)
    call fit%functions(found)
    call fit%convergence(told, stat)
    call expect(stat == NNP_OK, "a verdict")
    call keep(reshape(found, [size(found)]))
    call keep([told%rhat, told%ess_bulk, told%ess_tail])
    call expect(told%verdict > NNP_CONVERGED, "few draws")
    call expect(index(fit%describe(), "R-hat up to") > 0, "a sentence")
    call finish(.true.)
  end subroutine

  subroutine large()
    type(nnp_net) :: net
    type(nnp_data) :: data
    type(nnp_chain) :: chain
    type(nnp_error) :: err
    real(real64), target :: out(1)
    integer :: stat
    call begin("large", .false.)
    call net%create(2147483648_c_int64_t)
    call net%dense(2)
    call expect(net%parameters() == 4294967298_c_int64_t, "parameters are not wrapped")
    call expect(product(net%shape(0)) == 2147483648_c_int64_t, "inputs are not wrapped")
    call net%create(2147483653_c_int64_t, stat)
    call expect(stat == NNP_E_OVERFLOW, "too many inputs")
    call dense_net(net, 1, NNP_GAUSSIAN)
    call regression_data(data)
    call new_chain(chain, net, data, 11_c_int64_t, 0)
    stat = nnp_chain_sample(chain%handle, c_loc(out), 2_c_int64_t**62, 1_c_int64_t, &
        c_null_funptr, c_null_ptr, err)
    call expect(stat == NNP_E_OVERFLOW, "too many draws")
    call finish(.false.)
  end subroutine

  ! Pages of memory in use.
  function resident() result(pages)
    integer(int64) :: pages, total
    integer :: file
    open (newunit=file, file="/proc/self/statm", action="read")
    read (file, *) total, pages
    close (file)
  end function

  subroutine one_round()
    type(nnp_net) :: net
    type(nnp_data) :: data
    type(nnp_chain) :: chain
    type(nnp_predictor) :: predictor
    call dense_net(net, 1, NNP_GAUSSIAN)
    call regression_data(data)
    call new_chain(chain, net, data, 11_c_int64_t, 0)
    call predictor%create(net, 10_c_int64_t)
  end subroutine

  subroutine memory()
    integer(int64) :: before
    integer :: i
    call begin("memory", .false.)
    before = 0
    do i = 1, 11000
      call one_round()
      if (i == 1000) before = resident()
    end do
    call expect((resident() - before) * 4096 < 8388608, "memory grows")
    call finish(.false.)
  end subroutine
end program
