"""The estimators of Python: scikit-learn's own checks, units, columns, labels, files, interruption.

estimators.py            all tests
estimators.py --alone    in a process that has no scikit-learn
Prints `NAME: PASS` or `NAME: FAIL reason` for each, and Unity's line at the end."""
import contextlib
import doctest
import functools
import inspect
import io
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import traceback
import typing
import warnings

import numpy as np

ALONE = "--alone" in sys.argv
if ALONE:
    sys.modules["sklearn"] = sys.modules["pandas"] = None  # as if they were not installed

import nnpost
import nnpost._estimators
from nnpost import NNPostClassifier, NNPostRegressor

try:
    import pandas
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV
    from sklearn.utils.estimator_checks import check_estimator
except ImportError:
    assert ALONE

# Of the classical posterior, whose layers below the last have no noise: predictions are then exact
# functions of the draws.
SMALL = dict(hidden=(4,), posterior="classical", chains=2, warmup=20, draws=10, threads=1, verbose=0)
RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 3)) * [1, 10, 0.1] + [0, 100, 5]
Z = (X - X.mean(axis=0)) / X.std(axis=0)
Y = np.sin(2 * Z[:, 0]) + Z[:, 1] + 0.1 * RNG.normal(size=60)


def refused(text, function, *arguments, kind=ValueError, **more):
    try:
        function(*arguments, **more)
    except kind as error:
        assert text in str(error), str(error)
        return
    raise AssertionError(f"was not refused: {text}")


def regressor(**more):
    return NNPostRegressor(**{**SMALL, **more})


def classifier(**more):
    return NNPostClassifier(**{**SMALL, **more})


def test_scikit_learn_approves_of_the_regressor():
    check_estimator(regressor(posterior=None))


def test_scikit_learn_approves_of_the_classifier():
    check_estimator(classifier())


def test_recommended_settings_are_the_librarys():
    net = nnpost.Net.recommended(3, rows=60)
    recipe = nnpost.recommend(net, 60)
    assert regressor(posterior=None, chains=None, warmup=None, draws=None)._recipe(net, 60) == recipe
    assert recipe.sampler == "gibbs" and recipe.posterior == "intermediate" and recipe.start == "fit"
    for asked in (dict(activation="tanh"), dict(posterior="classical"), dict(sampler="nuts")):
        other = regressor(**{"posterior": None, **asked}).fit(X, Y)
        assert (other.recipe_.sampler, other.recipe_.posterior) == ("nuts", "classical")
    large = nnpost.Net.recommended(3, rows=5000)
    recipe = nnpost.recommend(large, 5000)
    assert recipe.sampler == "hmc" and recipe.options["leapfrogs"] == 500 and large.layers == 9
    own = regressor(posterior=None, sampler="nuts")._recipe(large, 5000)
    assert own.sampler == "nuts" and "leapfrogs" not in own.options
    again = pickle.loads(pickle.dumps(net))
    assert again.parameter_names == net.parameter_names
    for head, rows in (("location_scale", 5000), ("gaussian", 60)):  # what None chooses
        chosen, told = (nnpost.Net.recommended(3, head=name, rows=rows) for name in (None, head))
        assert chosen.parameter_names == told.parameter_names
        assert pickle.loads(pickle.dumps(chosen)).parameter_names == told.parameter_names
    chosen = nnpost.Net.recommended(3, head=None, posterior="intermediate", rows=5000)
    assert nnpost.recommend(chosen, 5000).sampler == "gibbs"
    tied = nnpost.Net.recommended(3, activation="relu", posterior="intermediate", ard=True)
    assert nnpost.recommend(tied, 60).sampler == "gibbs"
    assert "D" in tied.parameter_names and "lambda_w1[3]" in tied.parameter_names
    refused("at most 16", nnpost.Net.recommended, 3, hidden=(2,) * 17)
    fit = nnpost.sample(nnpost.Net.recommended(3, hidden=(3,), rows=60), Z, Y, threads=1,
                        **recipe._replace(warmup=5, draws=5, chains=2).arguments())
    assert fit.draws.shape[:2] == (2, 5)


def test_labels_of_transforms_are_whole_numbers():
    for labels in ([0.5] * 60, ["0", "1"] * 30, [np.nan] * 60, [0, 2**32 + 1] * 30):
        refused("labels: they are", nnpost.recommend_transform, Z, labels)
    refused("labels: there are 59, z has 60 rows", nnpost.recommend_transform, Z, [0] * 59)


def test_probabilities_add_up_far_from_the_data():
    model = classifier().fit(X, np.array(["a", "b", "c"])[np.arange(60) % 3])
    p = model.predict_proba(X * 1e20)
    assert abs(p.sum(axis=1) - 1).max() < 1e-12 and p.min() >= 0


def test_a_refused_refit_leaves_the_fit_as_it_was():
    model = classifier().fit(X, np.arange(60) % 2)
    before = model.predict_proba(X)
    refused("all labels are of one class", model.fit, 2 * X, np.zeros(60))
    assert (model.predict_proba(X) == before).all() and list(model.classes_) == [0, 1]


def test_predictions_are_in_the_original_units():
    first = regressor().fit(X, Y)
    scales = [1024, 1, 0.5]  # powers of two: the same bits once standardized
    other = regressor().fit(X * scales, 64 * Y)
    mean, sd = first.predict(X, return_std=True)
    told, spread = other.predict(X * scales, return_std=True)
    assert (first.fit_.draws == other.fit_.draws).all()
    assert np.allclose(told, 64 * mean, rtol=1e-5) and np.allclose(spread, 64 * sd, rtol=1e-5)
    assert first.score(X, Y) > 0.8
    lower, upper = other.predict_interval(X * scales, 0.8)
    assert (lower < told).all() and (told < upper).all()
    density = other.log_score(X * scales, 64 * Y)
    assert abs(density - (first.log_score(X, Y) - np.log(64))) < 1e-5
    moved = regressor().fit(X + 1e4, 50 * Y + 3000)
    assert moved.score(X + 1e4, 50 * Y + 3000) > 0.8
    each = first.log_lik(X, Y)  # the log score is that of the weighted mixture
    weights = first.chain_weights_[:, None, None] / each.shape[1]
    mixture = np.log((weights * np.exp(each)).sum(axis=(0, 1)))
    assert abs(mixture.mean() - first.log_score(X, Y)) < 1e-9
    assert first.sample_y(X[:4]).shape == (20, 4)
    assert first.predict_quantiles(X[:4], (0.5,)).shape == (4, 1)


def test_chains_count_by_their_weights():
    model = regressor(stacking=False).fit(X, Y)
    fit = model.fit_
    assert (model.chain_weights_ == 0.5).all() and fit.weights is None
    alike = fit.predict(Z, "mean")
    fit.weights = np.array([0.5, 0.5])
    assert (fit.predict(Z, "mean") == alike).all()
    fit.weights = np.array([0.0, 2.0])
    one = nnpost.Predictor(fit.net, 10)
    one.posterior("classical")
    one.units(*fit.units)
    second = one.predict(nnpost.Data(Z), fit.draws[1], "mean")
    assert np.allclose(fit.predict(Z, "mean"), second, rtol=1e-12)
    stacked = regressor(stacking=True).fit(X, Y)
    assert abs(stacked.chain_weights_.sum() - 1) < 1e-12
    assert np.isfinite(stacked.loo_.elpd) and "elpd_loo" in str(stacked.loo_)


def test_several_targets_and_other_heads():
    both = np.column_stack((Y, 10 - 3 * Y))
    for head in "gaussian", "location_scale", "student_t":
        model = regressor(head=head).fit(X, both)
        assert model.predict(X).shape == (60, 2)
        lower, upper = model.predict_interval(X)
        assert lower.shape == (60, 2) and (lower < upper).all()
        assert model.predict_quantiles(X, (0.1, 0.5, 0.9)).shape == (60, 2, 3)
    noisy = regressor(posterior="intermediate", activation="relu").fit(X, Y)
    assert noisy.recipe_.sampler == "gibbs" and noisy.score(X, Y) > 0.5
    assert regressor(ard=True, options={"max_depth": 5}).fit(X, Y).score(X, Y) > 0.5
    refused("head = 'argmax'", regressor(head="argmax").fit, X, Y)


def test_classes_of_every_kind():
    truth = Z[:, 0] + Z[:, 1] > 0
    for labels in (truth, truth.astype(int), np.where(truth, "yes", "no"), np.where(truth, 1, -1),
                   np.where(truth, 7.0, 3.0),
                   np.array(["a", "b"], dtype=object)[truth.astype(int)]):
        model = classifier().fit(X, labels)
        probability = model.predict_proba(X)
        assert probability.shape == (60, 2) and np.allclose(probability.sum(axis=1), 1)
        assert model.predict(X).dtype == model.classes_.dtype
        assert model.score(X, labels) > 0.85
        chosen = probability[np.arange(60), np.searchsorted(model.classes_, labels)]
        assert abs(model.log_score(X, labels) - np.log(chosen).mean()) < 1e-9
    three = np.digitize(Z[:, 0], [-0.5, 0.5]) * 5
    model = classifier().fit(X, three)
    assert model.predict_proba(X).shape == (60, 3) and model.score(X, three) > 0.8
    assert model.log_lik(X, three).shape == (2, 10, 60)
    assert np.allclose(nnpost.transform(Z, model.input_matrix_), Z @ model.input_matrix_)
    assert model.input_matrix_[0, 0] > model.input_matrix_[1, 1]  # the classes differ in column 0
    assert classifier(ard=True).fit(X, three).input_matrix_ is None
    assert nnpost.recommend_transform(Z[:6], three[:6]) is None
    refused("labels: there are 6, z has 60 rows", nnpost.recommend_transform, Z, three[:6])
    refused("change: its shape is (2, 2), z has 3 columns", nnpost.transform, Z, np.eye(2))
    refused("class 4", model.log_score, X, np.full(60, 4))
    refused("one class, 1", classifier().fit, X, np.ones(60, dtype=int))


def test_bad_input_is_named():
    model = regressor()
    spoilt = X.copy()
    spoilt[:, 1] = 4
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(spoilt, Y)
    assert any("column 1 of X is constant, all its values are 4" in str(w.message) for w in caught)
    refused("target 0 is constant, all its values are 2", model.fit, X, np.full(60, 2.0))
    spoilt[5, 2] = np.nan
    refused("Input X contains NaN. It is in row 5, column 2 (from 0)", model.fit, spoilt, Y)
    fitted = regressor().fit(X, Y)
    refused("Input X contains NaN. It is in row 5, column 2", fitted.predict, spoilt)
    spoilt[5, 2] = np.inf
    refused("Input X contains infinity", model.fit, spoilt, Y)
    holes = np.where(np.arange(60) == 7, np.nan, Y)
    refused("Input y contains NaN. It is in row 7 (from 0)", model.fit, X, holes)
    refused("Input y contains NaN. It is in row 7 (from 0), expected classes", classifier().fit, X,
            np.where(np.arange(60) == 7, None, Y > 0))
    words = X.astype(object)
    words[3, 1] = "Paris"
    refused("X: row 3, column 1 (from 0) is the text 'Paris', expected numbers", model.fit, words, Y)
    assert (regressor(hidden=4).fit(X, Y).predict(X) == fitted.predict(X)).all()
    refused("one row", model.fit, X[:1], Y[:1])
    refused("expecting 3 features", model.predict, X[:, :2])
    refused("not fitted", regressor().predict, X)
    refused("sample_weight", model.fit, X, Y, kind=TypeError, sample_weight=np.ones(60))
    refused("level = 1.5", model.fit(X, Y).predict_interval, X, level=1.5)


def test_columns_of_data_frames_go_by_their_names():
    frame = pandas.DataFrame(X, columns=["a", "b", "c"], index=np.arange(60) * 10)
    target = pandas.Series(Y, index=frame.index, name="sound")
    model = regressor(output="pandas").fit(frame, target)
    told = model.predict(frame[["c", "a", "b"]])
    assert told.index.equals(frame.index) and told.name == "sound"
    assert (told.to_numpy() == model.predict(frame).to_numpy()).all()
    assert (told.to_numpy() == regressor().fit(X, Y).predict(X)).all()
    refused("no column 'b'", model.predict, frame[["a", "c"]])
    refused("column 'd' was not there", model.predict, frame.assign(d=1))
    refused("row 2, column 'b'", model.predict, frame.assign(b=np.where(np.arange(60) == 2, np.nan, 1)))
    refused("X: row 0, column 'c' (from 0) is the text 'Paris'", model.fit, frame.assign(c="Paris"), Y)
    constant = frame.assign(b=2.5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        regressor().fit(constant, target)
    assert any("column 'b' of X is constant" in str(w.message) for w in caught)
    labels = pandas.Series(np.where(Y > 0, "up", "down"))
    share = classifier(output="pandas").fit(frame, labels).predict_proba(frame)
    assert list(share.columns) == ["down", "up"] and share.index.equals(frame.index)
    both = pandas.DataFrame({"u": Y, "v": -Y}, index=frame.index)
    assert list(regressor(output="pandas").fit(frame, both).predict(frame).columns) == ["u", "v"]


def test_fits_are_kept_whole():
    folder = tempfile.mkdtemp()
    models = [regressor().fit(X, Y), regressor(head="location_scale").fit(X, np.c_[Y, -Y]),
              classifier().fit(X, np.where(Y > 0, "up", "down"))]
    if not ALONE:
        frame = pandas.DataFrame(X, columns=list("abc"))
        models.append(classifier(stacking=False).fit(frame, np.digitize(Y, [-1, 1])))
    for i, model in enumerate(models):
        path = os.path.join(folder, f"{i}.nnpost")
        model.save(path)
        for again in pickle.loads(pickle.dumps(model)), nnpost.load(path):
            assert (again.predict(X) == model.predict(X)).all()
            assert again.verdict() == model.verdict() and again.loo_.elpd == model.loo_.elpd
            assert repr(again.get_params()) == repr(model.get_params())
            assert (again.fit_.draws == model.fit_.draws).all()
    told = pickle.loads(pickle.dumps(models[0].fit_))
    assert "R-hat" in repr(told)
    refused("pickled", told.log_lik)


def test_closed_fits_say_why_they_cannot_continue():
    model = regressor().fit(X, Y)
    for fit in model.fit_, pickle.loads(pickle.dumps(model.fit_)):
        refused("fit again with more draws, such as draws=15", fit.resume, 5)
    refused("loo_", model.fit_.loo)


def test_control_c_keeps_what_there_is():
    def ring(progress):
        if progress.steps == 1000 and progress.step == 24 and progress.chain_index == 0:
            signal.raise_signal(signal.SIGINT)
    whole = nnpost._estimators.sample
    nnpost._estimators.sample = functools.partial(whole, callback=ring)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = regressor(chains=1, draws=500, thin=2).fit(X, Y)
    finally:
        nnpost._estimators.sample = whole
    assert model.interrupted_ and model.fit_.draws.shape[1] == 12
    assert any("interrupted: 12 of 500" in str(w.message) for w in caught)
    assert "(interrupted)" in model.verdict() and model.predict(X).shape == (60,)


def test_predictions_share_threads_and_can_be_stopped():
    net = nnpost.Net(3).dense(5).activation("relu").dense(1).head("gaussian")
    draws = np.random.default_rng(1).normal(size=(12, net.parameters))
    rows = np.random.default_rng(2).normal(size=(700, 3))
    predictor, data = nnpost.Predictor(net, 12), nnpost.Data(rows, targets=rows[:, 0])
    predictor.levels((0.1, 0.9))
    kinds = ("mean", "sd", "quantiles", "draws")
    alone = [predictor.predict(data, draws, kind) for kind in kinds]
    log_lik, score = predictor.log_lik(data, draws), predictor.score(data, draws, "log")
    with nnpost.Pool(3) as pool:
        predictor.use_pool(pool)
        for kind, expected in zip(kinds, alone):
            assert (predictor.predict(data, draws, kind) == expected).all()
        assert (predictor.log_lik(data, draws) == log_lik).all()
        assert predictor.score(data, draws, "log") == score
        refused("in use by a run", predictor.predict, data, draws,
                callback=lambda told: pool.close())
        predictor.use_pool(None)
    refused("asked to stop", predictor.predict, data, draws, callback=lambda told: True,
            kind=nnpost.Error)
    told = []
    refused("divi", predictor.log_lik, data, draws, kind=ZeroDivisionError,
            callback=lambda state: told.append(state.steps) or 1 / 0)
    assert told == [6 * 12]

    def ring(_told):
        signal.raise_signal(signal.SIGINT)
    refused("", predictor.log_lik, data, draws, callback=ring, kind=KeyboardInterrupt)
    assert (predictor.predict(data, draws, "sd") == alone[1]).all()


def test_one_bar_goes_over_the_whole_fit():
    seen = io.StringIO()
    with contextlib.redirect_stderr(seen), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        regressor(warmup=300, draws=300, progress=True).fit(X, Y)
    shares = [int(share) for share in re.findall(r"(\d+) %", seen.getvalue())]
    assert shares and shares == sorted(shares), shares
    bar = nnpost._fit._Bar(2, start=30, warmup=10, sampling=50)
    bar.begin("warm-up")
    with contextlib.redirect_stderr(seen):
        bar(nnpost._api.nnp_progress(None, 1, 0, 10, 0.0))
        bar.began -= 10  # seconds
        bar(nnpost._api.nnp_progress(None, 1, 10, 10, 10.0))
    assert "1 min 50 s left" in seen.getvalue()[-60:], seen.getvalue()[-60:]
    assert [nnpost._fit._duration(s) for s in (3, 100, 4000)] == ["3 s", "1 min 40 s", "1 h 6 min"]


def test_chains_that_nothing_tells_apart_count_alike():
    found = nnpost.stack_chains(np.random.default_rng(1).normal(size=(3, 10, 40)))
    assert np.allclose(found.weights, 1 / 3) and found.unreliable == 40
    assert found.largest_k > found.k_limit


def test_one_line_says_whether_it_converged():
    code = ("import numpy as np, nnpost\n"
            "x = np.linspace(-1, 1, 30).reshape(-1, 1)\n"
            "nnpost.NNPostRegressor((3,), chains=2, warmup=10, draws=10).fit(x, x[:, 0] ** 2)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("NNPostRegressor: ") and "R-hat" in lines[0], lines
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        regressor(draws=10).fit(X, Y)
    assert any(w.category.__name__ == "ConvergenceWarning" for w in caught)


def test_it_works_with_the_tools_of_scikit_learn():
    search = GridSearchCV(regressor(), {"hidden": [(2,), (4,)]}, cv=2).fit(X, Y)
    assert search.best_score_ > 0.3
    assert clone(regressor(draws=7)).draws == 7
    a, b = regressor(random_state=5).fit(X, Y), regressor(random_state=5, threads=2).fit(X, Y)
    assert (a.predict(X) == b.predict(X)).all()
    assert (a.predict(X) != regressor(random_state=6).fit(X, Y).predict(X)).any()
    regressor(random_state=None).fit(X, Y)
    regressor(random_state=np.random.RandomState(1)).fit(X, Y)


def test_arviz_gets_its_groups():
    net = nnpost.Net.recommended(3, hidden=(3,))
    fit = nnpost.sample(net, Z, Y, sampler="nuts", posterior="classical", chains=2, warmup=10,
                        draws=5, threads=1)
    groups = fit.to_dict(log_likelihood=True, posterior_predictive=True)
    assert groups["log_likelihood"]["y"].shape == (2, 5, 60)
    assert groups["posterior_predictive"]["y"].shape == (2, 5, 60, 1)
    assert np.isclose(fit.loo().elpd, nnpost.loo(fit.log_lik()).pointwise.sum())


def test_everything_has_a_docstring_and_hints():
    bare = []
    for name in nnpost.__all__:
        thing = getattr(nnpost, name)
        members = [(name, thing)] if callable(thing) else []
        if inspect.isclass(thing):
            members += [(f"{name}.{key}", value) for key, value in vars(thing).items()
                        if not key.startswith("_")]
        for full, member in members:
            inner = member.fget if isinstance(member, property) else member
            inner = getattr(inner, "__func__", inner)
            if not (inspect.isfunction(inner) or inspect.isclass(inner)):
                continue
            if not inspect.getdoc(inner):
                bare.append(full + " has no docstring")
            if inspect.isfunction(inner) and "return" not in inner.__annotations__:
                bare.append(full + " does not say what it returns")
    assert not bare, "; ".join(bare)
    typing.get_type_hints(NNPostRegressor.fit)


def test_examples_in_docstrings_run():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in "_estimators", "_recommended", "_diagnostics", "_model", "_fit", "_exchange":
            found = doctest.testmod(getattr(nnpost, name))
            assert found.failed == 0, name


def test_scikit_learn_is_not_needed():
    done = subprocess.run([sys.executable, __file__, "--alone"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def main():
    tests = {name[5:]: value for name, value in globals().items() if name.startswith("test_")}
    if ALONE:
        few = ("units", "classes", "bad_input", "kept_whole")
        tests = {name: value for name, value in tests.items() if any(w in name for w in few)}
    failures = 0
    for name, test in tests.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                test()
            print(f"{name}: PASS")
        except Exception as error:  # every one is reported
            failures += 1
            print(f"{name}: FAIL {type(error).__name__}: {error}")
            traceback.print_exc()
    print(f"{len(tests)} Tests {failures} Failures 0 Ignored")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
