! A table of data in one call, and what it is made of: units, classes, weights, what is refused.
program tables
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan
  use nnpost
  implicit none
  integer, parameter :: rows = 60
  real(c_double) :: x(rows, 3), z(rows, 3), y(rows)
  integer :: tests = 0, failures = 0

  call fill()
  call report("recommended_settings", recommended_settings())
  call report("original_units", original_units())
  call report("classes", classes())
  call report("transforms", transforms())
  call report("weights", weights())
  call report("bad_input", bad_input())
  call report("interruption", interruption())
  call report("saves", saves())
  call report("shared_predictions", shared_predictions())
  print "(i0, a, i0, a)", tests, " Tests ", failures, " Failures 0 Ignored"
  if (failures > 0) error stop 1

contains

  function u(i) result(value)
    integer, intent(in) :: i
    real(c_double) :: value
    value = mod(i * 0.6180339887498949_c_double, 1.0_c_double)
  end function

  subroutine fill()
    integer :: i, j
    do j = 1, 3
      do i = 1, rows
        z(i, j) = 2 * sqrt(3.0_c_double) * (u(i + 100 * j) - 0.5_c_double)
      end do
    end do
    x(:, 1) = z(:, 1)
    x(:, 2) = 100 + 10 * z(:, 2)
    x(:, 3) = 5 + z(:, 3) / 10
    do i = 1, rows
      y(i) = sin(2 * z(i, 1)) + z(i, 2) + 0.1_c_double * (2 * u(7 * i) - 1)
    end do
  end subroutine

  subroutine report(name, fine)
    character(*), intent(in) :: name
    logical, intent(in) :: fine
    tests = tests + 1
    if (.not. fine) failures = failures + 1
    print "(a)", name // ": " // trim(merge("PASS", "FAIL", fine))
  end subroutine

  function recommended_settings() result(fine)
    logical :: fine
    type(nnp_net) :: net
    type(nnp_recipe) :: recipe
    real(c_double) :: shape, mean
    integer(c_int64_t) :: first, count
    integer :: stat
    call net%recommended(3, rows=rows)
    call recommend(net, rows, recipe, stat=stat)
    fine = net%status == NNP_OK .and. stat == NNP_OK .and. recipe%sampler == NNP_GIBBS .and. &
        recipe%posterior == NNP_INTERMEDIATE .and. recipe%start == NNP_START_FIT
    call net%recommended(3, activation=NNP_TANH, rows=rows)
    call recommend(net, rows, recipe)
    fine = fine .and. recipe%sampler == NNP_NUTS .and. recipe%posterior == NNP_CLASSICAL
    call net%recommended(3, posterior=NNP_CLASSICAL, rows=rows)
    call recommend(net, rows, recipe)
    fine = fine .and. recipe%sampler == NNP_NUTS
    call net%recommended(3, hidden=[4], activation=NNP_RELU, posterior=NNP_INTERMEDIATE, ard=.true.)
    call recommend(net, rows, recipe)
    call net%learned(NNP_ARD, 1, shape, mean, first, count)
    fine = fine .and. recipe%sampler == NNP_GIBBS .and. count == 3
    call net%recommended(3, hidden=spread(2, 1, 17), stat=stat)
    fine = fine .and. stat == NNP_E_SIZE
  end function

  function original_units() result(fine)
    logical :: fine
    type(nnp_table) :: first, other
    real(c_double) :: mean(rows), sd(rows), told(rows), spread_told(rows), lower(rows), upper(rows)
    real(c_double) :: scaled(rows, 3), score, other_score, both(rows, 2), two(2, rows)
    real(c_double), allocatable :: means(:), sds(:), there(:, :), back(:, :)
    character(len=:), allocatable :: line
    scaled = x
    scaled(:, 1) = 1024 * x(:, 1)  ! powers of two: the same bits once standardized
    call first%fit(x, y, hidden=[4], chains=2, warmup=20, draws=30)
    call other%fit(scaled, 64 * y, hidden=[4], chains=2, warmup=20, draws=30)
    call first%predict(x, mean, sd)
    call other%predict(scaled, told, spread_told)
    fine = first%status == NNP_OK .and. other%status == NNP_OK .and. &
        all(abs(told - 64 * mean) < 1e-3_c_double) .and. &
        all(abs(spread_told - 64 * sd) < 1e-3_c_double) .and. &
        sum((mean - y)**2) < 0.2_c_double * sum((y - sum(y) / rows)**2)
    call first%interval(x, lower, upper, 0.8_c_double)
    fine = fine .and. all(lower < mean) .and. all(mean < upper)
    call first%log_score(x, y, score)
    call other%log_score(scaled, 64 * y, other_score)
    fine = fine .and. abs(other_score - (score - log(64.0_c_double))) < 1e-4_c_double
    line = first%describe()
    fine = fine .and. index(line, "R-hat") > 0 .and. first%loo%p_loo > 0
    both(:, 1) = y
    both(:, 2) = 10 - y
    call first%fit(x, both, head=NNP_LOCATION_SCALE, hidden=[4], chains=2, warmup=20, draws=10)
    call first%predict(x, two)
    fine = fine .and. first%status == NNP_OK .and. sum(abs(two(1, :) + two(2, :) - 10)) < 5 * rows
    call standard(x, means, sds)
    call standardize(x, means, sds, there)
    call unstandardize(there, means, sds, back)
    fine = fine .and. all(abs(back - x) < 1e-12_c_double * (1 + abs(x)))
  end function

  function classes() result(fine)
    logical :: fine
    type(nnp_table) :: model
    integer(c_int32_t) :: labels(rows), found(rows)
    real(c_double) :: p(2, rows), q(3, rows), score, expected
    integer :: i
    labels = merge(1_c_int32_t, 0_c_int32_t, z(:, 1) + z(:, 2) > 0)
    call model%fit(x, labels, hidden=[4], chains=2, warmup=20, draws=20)
    call model%probabilities(x, p)
    call model%log_score(x, labels, score)
    expected = sum([(log(p(labels(i) + 1, i)), i=1, rows)]) / rows
    fine = model%status == NNP_OK .and. all(abs(sum(p, 1) - 1) < 1e-12_c_double) .and. &
        count((p(2, :) > 0.5_c_double) .eqv. (labels == 1)) > 50 .and. &
        abs(score - expected) < 1e-9_c_double
    labels = merge(2_c_int32_t, labels, z(:, 1) > 1)
    call model%fit(x, labels, hidden=[4], chains=2, warmup=20, draws=20)
    call model%probabilities(x, q)
    call model%classify(x, found)
    fine = fine .and. model%status == NNP_OK .and. all(abs(sum(q, 1) - 1) < 1e-12_c_double) .and. &
        all(found == maxloc(q, 1) - 1)
    call model%fit(x, 0 * labels)
    fine = fine .and. model%status == NNP_E_LABEL
  end function

  function transforms() result(fine)
    logical :: fine
    real(c_double), allocatable :: means(:), sds(:)
    real(c_double), allocatable :: there(:, :), change(:, :), out(:, :), none(:, :)
    integer(c_int32_t) :: labels(rows)
    integer :: stat
    character(len=252) :: sentence
    labels = merge(1_c_int32_t, 0_c_int32_t, z(:, 1) + z(:, 2) > 0)
    call standard(x, means, sds)
    call standardize(x, means, sds, there)
    call recommend_transform(there, labels, change)
    call transform(there, change, out)
    fine = maxval(abs(out - matmul(there, change))) < 1e-12_c_double .and. &
        abs(sum(out**2) - sum(there**2)) < 1e-9_c_double * rows .and. &
        abs(change(1, 1)) > abs(change(3, 3)) .and. maxval(abs(change(1, 2:))) <= 0
    call recommend_transform(there(:6, :), labels(:6), none)
    fine = fine .and. .not. allocated(none)
    call recommend_transform(there, labels(2:), none, stat=stat, errmsg=sentence)
    fine = fine .and. stat == NNP_E_SHAPE .and. index(sentence, "labels") == 1
    call transform(there, change(:, 2:), out, stat=stat, errmsg=sentence)
    fine = fine .and. stat == NNP_E_SHAPE .and. index(sentence, "change") == 1
  end function

  function weights() result(fine)
    logical :: fine
    type(nnp_table) :: model
    type(nnp_stacking_summary) :: stacked
    type(nnp_loo_summary) :: crossed
    real(c_double) :: alike(rows), same(rows), found(2), elpd(rows)
    real(c_double), allocatable :: log_lik(:, :, :)
    call model%fit(x, y, hidden=[4], chains=2, warmup=20, draws=30)
    fine = abs(sum(model%weights) - 1) < 1e-12_c_double
    call model%weigh()
    call model%predict(x, alike)
    call model%weigh([0.5_c_double, 0.5_c_double])
    call model%predict(x, same)
    fine = fine .and. maxval(abs(same - alike)) <= 0
    call model%weigh([0.0_c_double, 2.0_c_double])
    fine = fine .and. maxval(abs(model%weights - [0, 1])) <= 0
    call model%predict(x, same)
    fine = fine .and. maxval(abs(same - alike)) > 0
    call stacking_of(reshape([-1.0_c_double, -1.0_c_double, -3.0_c_double, -2.0_c_double], [2, 2]), &
        found, stacked)
    fine = fine .and. maxval(abs(found - [1, 0])) <= 0
    allocate (log_lik(rows, 30, 2))
    call model%log_lik(x, y, log_lik)
    call loo_of(log_lik, crossed, elpd)
    fine = fine .and. abs(sum(elpd) - model%loo%elpd) < 1e-9_c_double
    call stack_chains(log_lik, found, stacked)
    fine = fine .and. abs(sum(found) - 1) < 1e-12_c_double
  end function

  function bad_input() result(fine)
    logical :: fine
    type(nnp_table) :: model
    real(c_double) :: mean(rows), ends(rows), spoilt(rows, 3)
    character(len=252) :: sentence
    integer :: stat
    call model%predict(x, mean, stat=stat, errmsg=sentence)
    fine = stat == NNP_E_NOT_STARTED .and. index(sentence, "not fitted") > 0
    call model%fit(x, 0 * y + 2, stat=stat, errmsg=sentence)
    fine = fine .and. stat == NNP_E_VALUE .and. index(sentence, "constant") > 0 .and. &
        index(sentence, "y: ") == 1 .and. index(sentence, "x: ") == 0
    call model%predict(x, mean)  ! tells why there is no fit, not only that there is none
    fine = fine .and. model%status == NNP_E_VALUE .and. index(model%message, "constant") > 0
    spoilt = x
    spoilt(:, 2) = 7
    call model%fit(spoilt, y, hidden=[3], chains=2, warmup=5, draws=5, stat=stat, errmsg=sentence)
    fine = fine .and. stat == NNP_E_VALUE .and. index(sentence, "x: column 1 is constant") == 1 .and. &
        index(sentence, "NNP_TABLE_CONSTANT") > 0 .and. index(sentence, "(counted from 0)") > 0
    call model%fit(spoilt, y, hidden=[3], chains=2, warmup=5, draws=5, constant=.true., stat=stat)
    fine = fine .and. stat == NNP_OK
    spoilt = x
    spoilt(3, 2) = ieee_value(0.0_c_double, ieee_quiet_nan)
    call model%fit(spoilt, y, stat=stat, errmsg=sentence)
    fine = fine .and. stat == NNP_E_NOT_FINITE .and. index(sentence, "column 1") > 0 .and. &
        index(sentence, "counted from 0") > 0
    call model%fit(x, y(:50), stat=stat, errmsg=sentence)
    fine = fine .and. stat == NNP_E_SHAPE
    call model%fit(x, y, hidden=[3], chains=2, warmup=5, draws=5)
    call model%predict(x(:, :2), mean, stat=stat, errmsg=sentence)
    fine = fine .and. stat == NNP_E_SHAPE .and. sentence == "x: it has 2 columns, expected 3"
    call model%interval(x, mean, ends, 90.0_c_double, stat, sentence)
    fine = fine .and. stat == NNP_E_VALUE .and. index(sentence, "level = 90") == 1
  end function

  function interruption() result(fine)
    logical :: fine
    type(nnp_table) :: model
    real(c_double) :: mean(rows)
    character(len=:), allocatable :: line
    integer :: stat, calls
    calls = 0
    call model%fit(x, y, hidden=[3], chains=1, warmup=5, draws=500, thin=1, callback=ring, &
        user=calls, stat=stat)
    fine = stat == NNP_STOPPED .and. size(model%draws, 2) == 12
    call model%clear()
    call model%predict(x, mean, stat=stat)
    line = model%describe()
    fine = fine .and. stat == NNP_OK .and. index(line, "R-hat") > 0
  end function

  ! What was saved predicts the same bits; a fit that fails, or a block that is cut, leaves what is there.
  function saves() result(fine)
    logical :: fine
    type(nnp_table) :: model, other
    real(c_double) :: sd(rows), again(rows), mean(rows)
    integer(c_int8_t), allocatable :: block(:)
    integer :: stat
    character(len=200) :: sentence
    call model%save(block, stat, sentence)
    fine = stat == NNP_E_NOT_STARTED .and. index(sentence, "not fitted yet") > 0 .and. &
        size(block) == 0
    call model%clear()
    call model%weigh([1.0_c_double], stat, sentence)
    fine = fine .and. stat == NNP_E_NOT_STARTED .and. index(sentence, "not fitted yet") > 0
    call model%clear()
    call model%fit(x, y, hidden=[3], chains=2, warmup=5, draws=6)
    call model%predict(x, mean, sd)
    call model%save(block)
    call other%restore(block)
    call other%predict(x, mean, again)
    fine = fine .and. model%status == NNP_OK .and. other%status == NNP_OK .and. &
        maxval(abs(again - sd)) <= 0 .and. other%columns == 3 .and. size(other%draws, 3) == 2
    call other%restore(block(:100), stat)
    fine = fine .and. stat == NNP_E_SAVE_TRUNCATED
    call other%fit(x, 0 * y, stat=stat)
    fine = fine .and. stat == NNP_E_VALUE
    call other%predict(x, mean, again, stat)
    fine = fine .and. stat == NNP_OK .and. maxval(abs(again - sd)) <= 0
    fine = fine .and. other%recipe%chains == 2 .and. other%convergence%verdict /= 0
    call other%free()
    fine = fine .and. other%recipe%chains == 0 .and. other%convergence%verdict == 0 .and. &
        abs(other%loo%elpd) <= 0 .and. .not. allocated(other%weights)
  end function

  function shared_predictions() result(fine)
    logical :: fine
    integer, parameter :: many = 700, draws = 12
    type(nnp_net) :: net
    type(nnp_data) :: data
    type(nnp_pool) :: pool
    type(nnp_predictor) :: predictor, other
    real(c_double) :: x_new(many, 3), alone(1, many), shared(1, many)
    real(c_double), allocatable :: params(:, :), log_lik(:, :), again(:, :)
    integer :: i, j, stat, calls
    call net%create(3)
    call net%dense(5)
    call net%activation(NNP_RELU)
    call net%dense(1)
    call net%head(NNP_GAUSSIAN)
    allocate (params(net%parameters(), draws), log_lik(many, draws), again(many, draws))
    params = reshape([(sin(1.7_c_double * i), i=1, size(params))], shape(params))
    x_new = reshape([(cos(2.3_c_double * j), j=1, 3 * many)], shape(x_new))
    call data%create(many, 3, 1)
    call data%set_inputs(x_new)
    call data%set_targets(x_new(:, 1:1))
    call predictor%create(net, int(draws, c_int64_t))
    call predictor%predict(data, params, NNP_PREDICT_SD, alone)
    call predictor%log_lik(data, params, log_lik)
    call pool%create(3)
    call predictor%use_pool(pool)
    call predictor%predict(data, params, NNP_PREDICT_SD, shared)
    call predictor%log_lik(data, params, again)
    fine = predictor%status == NNP_OK .and. maxval(abs(alone - shared)) <= 0 .and. &
        maxval(abs(log_lik - again)) <= 0
    calls = 0
    call other%create(net, int(draws, c_int64_t))
    call other%log_lik(data, params, again, stat=stat, callback=enough, user=calls)
    fine = fine .and. stat == NNP_STOPPED .and. calls == 1
    call predictor%free()
  end function

  function enough(progress, user) result(stop_now)
    type(nnp_progress), intent(in) :: progress
    class(*), intent(inout) :: user
    logical :: stop_now
    stop_now = progress%steps == 6 * 12
    select type (user)
    type is (integer)
      user = user + 1
    end select
  end function

  function ring(progress, user) result(stop_now)
    type(nnp_progress), intent(in) :: progress
    class(*), intent(inout) :: user
    logical :: stop_now
    stop_now = progress%steps == 500 .and. progress%step == 12
    select type (user)
    type is (integer)
      user = user + 1
    end select
  end function

end program
