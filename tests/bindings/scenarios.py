"""The scenarios of scenarios.txt in Python."""
import copy
import gc
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
import warnings

import numpy as np

import nnpost

ROWS = 60
bits = {}


def values(count, seed):
    out = np.empty(count)
    for i in range(count):
        seed = seed * 16807 % 2147483647
        out[i] = 2 * (seed / 2147483647) - 1
    return out


def keep(name, *arrays):
    words = np.concatenate([np.ravel(array) for array in arrays]).astype(">f8").view(">u8")
    bits[name] = " ".join(f"{word:016x}" for word in words.tolist())


def dense_net(outputs, head):
    return nnpost.Net(3).dense(4).relu().dense(outputs).head(head).set("noise", 0.1)


X = values(ROWS * 3, 1).reshape(ROWS, 3, order="F")
Y = values(ROWS, 2)
CLASSES = np.floor(1.5 * (values(ROWS, 3) + 1)).astype(int)
SIGNS = np.where(values(ROWS, 4) >= 0, 1, -1)
REGRESSION = dense_net(1, "gaussian")


def sampled(net, x, y, **options):
    gibbs = options.get("sampler", "gibbs") == "gibbs"
    options = {"draws": 5, "thin": 2, "threads": 1, **options}
    return nnpost.sample(net, x, y, chains=2, seed=11, warmup=10 if gibbs else 30, **options)


def same(a, b):
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def raises(kind, function, *parts):
    try:
        function()
    except kind as error:
        assert all(part in str(error) for part in parts), f"{error}: expected {parts}"
        return error
    raise AssertionError(f"expected {kind} with {parts}")


def chain(seed=11, number=0, net=REGRESSION):
    return nnpost.Chain(net, nnpost.Data(X, Y)).start("prior", seed, number)


# ---- Scenarios ----------------------------------------------------------------------------------

def regression():
    fit = sampled(REGRESSION, X, Y)
    keep("regression", fit.draws, fit.predict(X))
    assert fit.draws.shape == (2, 5, 21) and list(fit.posterior) == ["W1", "b1", "W2", "b2"]
    assert np.shares_memory(fit.posterior["W1"], fit.draws)
    with fit:
        assert nnpost.Data(X * 0 + 7, store="auto").store != "doubles" == fit.data.store
    assert fit.chains[0]._pointer is None  # draws and predictions stay
    for order in "CF":  # taken where it lies
        lying = np.asarray(X, order=order)
        assert nnpost._library.matrix(lying)[0] is lying
        assert same(fit.predict(lying), fit.predict(X))
    assert fit.posterior["W1"][1, 2, 3, 0] == fit.draws[1, 2, 9]
    assert fit.summary()["parameter"][9] == "W1[4,1]" and "rhat" in str(fit.summary())


def classes():
    fit = sampled(dense_net(3, "argmax"), X, CLASSES)
    probabilities = fit.predict(X, "probabilities")
    keep("classes", fit.draws, probabilities)
    assert np.allclose(probabilities.sum(axis=1), 1)


def binary():
    fit = sampled(dense_net(1, "sign_head"), X, SIGNS)
    keep("binary", fit.draws, fit.predict(X, "probabilities"))


def student_t():
    net = nnpost.Net(3).dense(4).relu().dense(1).student_t(3).set("noise", 0.1)
    fit = sampled(net, X, Y)
    keep("student_t", fit.draws, fit.predict(X))
    assert net.get("freedom", nnpost._api.NNP_HEAD) == 3 and "freedom 3" in str(net)
    raises(nnpost.Error, lambda: nnpost.Net(3).dense(1).student_t(-1), "NNP_E_VALUE", "freedom")


def learning():
    net = dense_net(1, "gaussian").learn_tied().learn("ard", 1, shape=2, mean=5)
    net.learn("lambda_w", "W2")
    assert net.parameters == 26 and net.parameter_names[-1] == "lambda_w2"
    assert net.learned("ard", "W1") == {"shape": 2, "mean": 5, "first": 22, "count": 3}
    fit = sampled(net, X, Y)
    keep("learning", fit.draws)
    assert list(fit.posterior) == ["W1", "b1", "W2", "b2", "D", "lambda_w1", "lambda_w2"]
    assert fit.posterior["lambda_w1"].shape == (2, 5, 3) and fit.posterior["D"].shape == (2, 5)
    assert "lambda_w1[3]" in fit.summary()["parameter"] and "tied" in str(net)
    again = pickle.loads(pickle.dumps(net))
    assert again.parameter_names == net.parameter_names
    assert net.copy().fix("ard", 1).learned("ard", 1) is None
    raises(nnpost.Error, lambda: net.learn_tied([1, 0, 1]), "NNP_E_VALUE", "multiples")
    raises(nnpost.Error, lambda: net.learn_tied([1]), "multiples")


def location_scale():
    net = nnpost.Net(3).dense(4).relu().dense(2).location_scale().set("noise", 0.1)
    assert (net.outputs, net.targets) == (2, 1)
    fit = sampled(net, X, Y, sampler="hmc", posterior="classical", leapfrogs=5)
    keep("location_scale", fit.draws, fit.predict(X))
    assert fit.predict(X, "quantiles").shape == (60, 1, 3) and np.isfinite(fit.score(X, Y, "log"))
    raises(nnpost.Error, lambda: sampled(net, X, Y), "NNP_E_UNSUPPORTED", "location_scale")


def descent():
    made = chain()
    told = made.descend(20)
    keep("descent", nnpost.sample(REGRESSION, X, Y, chains=1, seed=11, warmup=0, draws=5).draws)
    assert told == made.descent and told["after"] > told["before"]
    assert told["steps"] == 20 and told["ended"] == "steps"
    assert made.start("fit").descent["ended"] in ("converged", "flat", "steps")
    raises(nnpost.Error, lambda: made.descend(-1), "steps = -1")


def cnn():
    images = values(ROWS * 36, 5).reshape(ROWS, 36, order="F")
    net = nnpost.Net(1, 6, 6).conv2d(2, 3).avgpool(2).relu().dense(3).argmax().set("noise", 0.1)
    fit = sampled(net, images, CLASSES)
    keep("cnn", fit.draws, fit.predict(images, "probabilities"))
    assert fit.posterior["W1"].shape == (2, 5, 2, 1, 3, 3)
    assert same(fit.predict(images.reshape(ROWS, 1, 6, 6), "votes"), fit.predict(images, "votes"))


def fitted():
    net = REGRESSION.copy()
    fit = sampled(net, X, Y)
    before = fit.score(X, Y, "log")
    net.set("noise", 5)
    levels = (0.1, 0.5, 0.9)
    wide = fit.predict(X, "quantiles", levels=levels)
    narrow = fit.predict(X, "quantiles", levels=levels, noise="forward")
    log_lik = fit.log_lik()
    scores = fit.score(X, Y, "log"), fit.score(X, Y, "log", noise="forward")
    keep("fitted", fit.predict(X, "sd"), wide, fit.predict(X, noise="forward"),
         fit.predict(X, "sd", noise="forward"), scores, log_lik)
    assert scores[0] == before > scores[1] and fit.net.get("noise", 1) == 0.1
    assert (wide[:, 0, 2] - wide[:, 0, 0] > narrow[:, 0, 2] - narrow[:, 0, 0]).all()
    assert log_lik.shape == (2, 5, ROWS) and same(fit.log_lik(X, Y), log_lik)
    assert fit.to_dict(log_likelihood=True)["log_likelihood"]["y"].shape == (2, 5, ROWS)
    raises(nnpost.Error, lambda: fit.predict(X, noise="loud"), "NNP_E_ENUM", "fitted")
    raises(ValueError, lambda: fit.log_lik(X), "both or none")
    # WAIC: the log score of the training rows less the variance of the log likelihood.
    each = log_lik.reshape(10, ROWS)
    lppd = np.log(np.exp(each).mean(axis=0))
    assert np.isfinite(lppd - each.var(axis=0, ddof=1)).all() and lppd.mean() > each.mean()
    # Classes: a noise that was set is a temperature of the classical posterior.
    assert dense_net(3, "argmax").temperature == 0.2
    net = nnpost.Net(3).dense(3).argmax()
    assert net.temperature == net.copy().temperature == pickle.loads(pickle.dumps(net)).temperature
    assert net.temperature == REGRESSION.temperature == 1
    options = {"sampler": "hmc", "posterior": "classical"}
    assert "temperature" not in repr(sampled(net, X, CLASSES, **options))
    hot = sampled(dense_net(3, "argmax"), X, CLASSES, **options)
    assert "classical at temperature 0.2" in repr(hot)


def kept():
    names = ["functions", "log_lik", "mean", "predictions", "moments"]
    fit = sampled(REGRESSION, X, Y, keep=names)
    moments = fit.moments
    keep("kept", *(fit.kept[name] for name in names[:4]), moments.mean, moments.variance)
    assert not fit.has_draws and "predictions" in repr(fit) and "R-hat" in repr(fit)
    draws = sampled(REGRESSION, X, Y).draws
    assert np.allclose(moments.mean, draws.mean(axis=(0, 1)))
    assert np.allclose(fit.predict(None, "sd"), np.std(fit.kept["predictions"].reshape(10, -1),
                                                       axis=0, ddof=1).reshape(-1, 1))
    assert same(fit.log_lik(), fit.kept["log_lik"]) and fit.summary()["parameter"][0] == "log_lik"
    for call in (lambda: fit.predict(X + 1), fit.save_draws, lambda: fit.score(X + 1, Y)):
        raises(ValueError, call, "keeps no parameters")
    again = pickle.loads(pickle.dumps(fit))
    assert same(again.predict(None), fit.predict(None)) and same(again.moments.mean, moments.mean)
    raises(nnpost.ArgumentError, lambda: sampled(REGRESSION, X, Y, keep="nothing"), "nothing")
    raises(ValueError, lambda: sampled(REGRESSION, X, Y, keep="log_lik_at"), "at=(x, y)")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "draws.nnp")
        mapped = sampled(REGRESSION, X, Y, file=path)
        assert same(np.array(mapped.draws), draws)
        raises(ValueError, lambda: mapped.resume(1), "room for the first run only")
        assert same(mapped.predict(X), sampled(REGRESSION, X, Y).predict(X))
        file = nnpost.DrawsFile(path, REGRESSION)
        assert same(np.array(file.draws), draws) and file.what == "parameters"
        assert same(nnpost.merge(REGRESSION, X, Y, [file.save(1), file.save(0)]).draws, draws)
        view = file.draws[1]
        del file
        assert same(np.array(view), draws[1])
        raises(nnpost.Error, lambda: sampled(REGRESSION, X, Y, file=path), "NNP_E_FILE", "exists")
        raises(nnpost.Error, lambda: nnpost.DrawsFile(path, nnpost.Net(3).dense(1).gaussian()),
               "NNP_E_SAVE_NETWORK")
        raises(nnpost.Error, lambda: nnpost.DrawsFile(path + "x"), "NNP_E_FILE")
    told = nnpost._keep.advice(REGRESSION, 4, 10**9)
    assert "take 672.0 GB" in told and "(keep)" in told and "(file)" in told
    assert nnpost._keep.advice(REGRESSION, 4, 1000) == ""


def table():
    scaled = X * [1, 1024, 1]
    arguments = {"hidden": (3,), "chains": 2, "warmup": 10, "draws": 5, "thin": 2,
                 "random_state": 11, "threads": 1, "verbose": 0, "progress": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that they have not converged
        models = [nnpost.NNPostRegressor(**arguments).fit(scaled, 64 * Y),
                  nnpost.NNPostClassifier(**arguments).fit(scaled, CLASSES),
                  nnpost.NNPostClassifier(**arguments).fit(scaled, SIGNS)]
    keep("table", *(part for model in models for part in (model.fit_.draws, model.chain_weights_)))


def layers():
    images = values(ROWS * 36, 5).reshape(ROWS, 36, order="F")
    padded = nnpost.Net(1, 6, 6).conv2d(2, 3, padding=(2, 1)).avgpool(2).relu().dense(3).argmax()
    most = nnpost.Net(1, 6, 6).conv2d(2, 3, padding=1).maxpool(2).tanh().dense(3).argmax()
    for net in (padded, most):
        net.set("noise", 0.1).set("noise", 0.5, layer="W2")
        assert net.find_layer("W2") == 4 and net.get("noise", 4) == net.get("noise", "b2") == 0.5
        raises(nnpost.Error, lambda: net.find_layer("W3"), "NNP_E_OPTION", "W2 is layer 4")
    assert padded.copy().shape(1) == (2, 8, 6) and "maxpool" in str(most)
    raises(nnpost.Error, lambda: nnpost.Net(1, 6, 6).conv2d(2, 3, padding=3), "NNP_E_VALUE")
    raises(nnpost.Error, lambda: sampled(most, images, CLASSES), "NNP_E_UNSUPPORTED")
    keep("layers", sampled(padded, images, CLASSES).draws,
         sampled(most, images, CLASSES, sampler="hmc", posterior="classical", leapfrogs=5).draws)


def gibbs():
    fit = sampled(REGRESSION, X, Y, relax=-0.9, unit_moves=1, scale_moves=1)
    moves = fit.chains[0].moves()
    keep("gibbs", fit.draws, [float(count[name]) for count in moves.values()
                              for name in ("tried", "moved")])
    assert moves["plain"]["tried"] + moves["relaxed"]["tried"] == 20
    assert "20 steps" in fit.chains[0].describe()


def hmc():
    fit = sampled(REGRESSION, X, Y, sampler="hmc", posterior="classical", leapfrogs=5)
    keep("hmc", fit.draws)
    assert fit.to_dict()["sample_stats"]["acceptance_rate"].shape == (2, 5)


def mala():
    keep("mala", sampled(REGRESSION, X, Y, sampler="mala").draws)


def nuts():
    keep("nuts", sampled(REGRESSION, X, Y, sampler="nuts", posterior="classical").draws)
    # Predictions are those of the posterior that was sampled: of the classical one by softmax.
    fit = sampled(dense_net(3, "argmax"), X, CLASSES, sampler="nuts", posterior="classical")
    scores = np.exp(fit.predict(X[:2], "draws"))
    softmax = (scores / scores.sum(axis=2, keepdims=True)).mean(axis=0)
    assert np.allclose(fit.predict(X[:2], "probabilities"), softmax)


def informed_chain():
    teacher = nnpost.Teacher(REGRESSION, seed=5)
    data = nnpost.Data(X, outputs=1)
    sites = teacher.label(data, 1)
    made = nnpost.Chain(REGRESSION, data).start_teacher(teacher, sites, 5, 0)
    return teacher, sites, made


def teacher():
    who, sites, made = informed_chain()
    keep("teacher", who.parameters, sites, made.data.targets, made.sample(5))
    assert np.array_equal(nnpost.Data(X, labels=CLASSES).labels, CLASSES)
    raises(nnpost.Error, lambda: made.data.labels, "NNP_E_NO_DATA")


def study():
    net = REGRESSION.copy()
    found = nnpost.teacher_student(net, X, X, starts=["zero"], steps=600, seed=5, stop=0,
                                   rhat_block=0)
    times, errors = found.series(1, "test")
    keep("study", errors)
    assert len(times) == len(errors) > 100
    verdict = found.report(1)["verdict"]
    assert verdict.verdict in ("thermalized", "not thermalized", "undecided")
    assert verdict.verdict in str(verdict) and str(verdict) in str(found)
    informed = found.series(0, "test")[1]
    again = nnpost.thermalization(informed, [errors], times, options={"scale": "log"})
    assert str(again[0]).split()[0] == str(verdict).split()[0]
    all_of = nnpost.criteria(informed, errors, times=times)
    assert str(all_of["verdict"]) == str(verdict) and np.isnan(all_of["rhat"])
    raises(TypeError, lambda: found.thermalization(zz=1), "zz")
    # A test function of one's own, and what it throws.
    own = nnpost.Study([chain(), chain(number=1)], None, steps=50, rhat_block=0)
    own.function(lambda who: who.log_density)
    assert len(own.run().series(1)[1]) == len(own.series(0)[0]) > 10
    own = nnpost.Study([chain(), chain(number=1)], None, steps=50, rhat_block=0)
    own.function(lambda who: 1 / 0)
    raises(ZeroDivisionError, own.run)


def multistart():
    with nnpost.Data(X, Y) as data:
        chains = [nnpost.Chain(REGRESSION, data) for _ in range(3)]
        made = nnpost.Multistart(chains, steps=3000)
        raises(nnpost.Error, lambda: made.best, "NNP_E_NOT_STARTED")
        made.run(seed=11)
        reports = [made.report(i) for i in range(3)]
        keep("multistart",
             [float(one[name]) for one in reports for name in ("error", "rank", "steps")],
             made.best.parameters)
        assert made.best is chains[[one["rank"] for one in reports].index(1)]
        assert "rank" in str(made) and made.get("share") == 0.5
        seen = []
        made.run(11, lambda state: seen.append(state.done) or len(seen) == 5)
        assert len(seen) == 5


def exchange():
    with nnpost.Data(X, Y) as data:
        chains = [nnpost.Chain(REGRESSION, data) for _ in range(6)]
        made = nnpost.Exchange(chains, rounds=3, first_round=10)
        raises(nnpost.ArgumentError, lambda: setattr(made, "ladder", [0, 0.5, 0.5, 1]),
               "NNP_E_VALUE")
        raises(nnpost.Error, lambda: made.run(1), "NNP_E_NOT_STARTED")
        saved = made.start("prior", 11).tune().save()
        draws = made.record(10).sample(5, thin=2)
        found = made.summary()
        keep("exchange", draws, made.ladder["power"],
             [found.barrier, found.log_evidence], made.levels.astype(float))
        assert made.levels.shape == (10, found.replicas) and made.evidence[0] == found.log_evidence
        assert np.array_equal(draws, made.restore(saved).sample(5, thin=2))
        assert "log evidence" in str(made) and made.get("steps") == 1
        assert made.verdict in ("mixes", "run longer", "more replicas", "slow")
        assert np.array_equal(made.target.parameters, draws[-1])
        seen = []
        made.run(100, lambda state: seen.append(state.done) or len(seen) == 5)
        assert len(seen) == 5
        made.ladder = [0, 0.1, 1]
        assert made.summary().replicas == 3
    fit = nnpost.exchange(REGRESSION, X, Y, draws=20, rounds=2, replicas=8, threads=1)
    assert fit.draws.shape == (2, 20, 21) and len(fit.exchanges) == 2
    assert np.isfinite(fit.evidence.log_evidence) and "log evidence" in str(fit)
    fit.resume(20)
    assert fit.draws.shape == (2, 40, 21) and fit.predict(X).shape == (60, 1)
    fit.close()


def twin():
    one = chain()
    one.run(10)
    made = nnpost.Twin(one).run(200, seed=5)
    keep("twin", made.series(0)[1], made.series(1)[1])
    assert made.report().verdict in ("thermalized", "not thermalized", "undecided")
    assert "its twin in equilibrium" in str(made)


def calibration():
    truth, draws = nnpost.Teacher(REGRESSION, seed=5).parameters, sampled(REGRESSION, X, Y).draws
    ranks = nnpost.sbc_ranks(truth, draws)
    counts, p = nnpost.sbc_histogram(ranks.reshape(-1, 1), 10, 11)
    draws = sampled(REGRESSION, X, Y, draws=40, thin=1).draws
    z, p_value = nnpost.geweke(draws, mean=np.zeros(21), second_moment=np.ones(21))
    z_draws, p_draws = nnpost.geweke(draws[:1], draws[1:])
    keep("calibration", ranks.astype(float), counts.astype(float), p, z, [p_value], z_draws,
         [p_draws])
    tied = nnpost.sbc_ranks(draws[0, 0], draws, ties=np.full(21, 0.999))
    assert np.all(tied >= nnpost.sbc_ranks(draws[0, 0], draws))


def resume():
    first = chain()
    first.run(10)
    saved = first.save()
    draws, again = first.sample(5), chain(seed=1).restore(saved).sample(5)
    assert same(draws, again)
    keep("resume", again)
    raises(nnpost.Error, lambda: chain().restore(saved[:-1]), "NNP_E_SAVE_TRUNCATED")
    fit, whole = sampled(REGRESSION, X, Y), sampled(REGRESSION, X, Y, draws=10)
    fit_again = sampled(REGRESSION, X, Y, resume=fit.save())
    assert same(whole.draws[:, 5:], fit_again.draws)
    assert same(whole.draws, fit.resume(5).draws)


def bad_input():
    error = raises(ValueError, lambda: REGRESSION.copy().set("noise", -1),
                   "NNP_E_VALUE: noise = -1: expected a positive, finite number")
    assert isinstance(error, nnpost.Error) and error.name == "NNP_E_VALUE" and error.status == 6
    raises(ValueError, lambda: REGRESSION.copy().set(nnpost._api.NNP_RELU, 1),
           "property = 102 (NNP_RELU, an activation): expected a property")
    with nnpost.Chain(REGRESSION, nnpost.Data(X, Y), schedule="parallel", blas="none") as one:
        assert one.get("schedule") == nnpost._api.NNP_PARALLEL
        raises(ValueError, lambda: one.set("schedule", "sideways"), "NNP_E_ENUM", "backward")
        raises(ValueError, lambda: one.set("schedule", 2), "option schedule = 2: expected")
    broken = X.copy()
    broken[7, 0] = np.nan
    raises(ValueError, lambda: nnpost.Data(broken), "NNP_E_NOT_FINITE")
    argmax = dense_net(3, "argmax")
    raises(ValueError, lambda: sampled(argmax, X, np.full(ROWS, 3)), "NNP_E_LABEL")
    raises(ValueError, lambda: sampled(argmax, X, np.full(ROWS, 0.5)), "NNP_E_LABEL")
    raises(ValueError, lambda: sampled(REGRESSION, X, Y[:-1]), "59 rows", "60")
    raises(nnpost.Error, lambda: nnpost.Chain(nnpost.Net(3).dense(1), nnpost.Data(X, Y)),
           "NNP_E_NO_HEAD")
    raises(ValueError, lambda: nnpost.Net(3).activation("rleu"), "rleu", "leaky_relu")
    raises(ValueError, lambda: chain().set("step_size", 1), "NNP_E_OPTION")
    raises(ValueError, lambda: sampled(argmax, X, np.full(ROWS, np.nan)), "NNP_E_LABEL", "nan")
    raises(ValueError, lambda: sampled(argmax, X, ["a"] * ROWS), "NNP_E_LABEL", "'a'")
    raises(nnpost.Error, lambda: nnpost.sample(nnpost.Net(3).dense(1), X, Y), "NNP_E_NO_HEAD")
    raises(ValueError, lambda: nnpost.sample(REGRESSION, X, Y, warmup=-1), "warmup = -1")
    raises(ValueError, lambda: nnpost.sample(REGRESSION, X, Y, draws=0), "draws = 0")
    # A layer with a bad property is not added.
    net = nnpost.Net(3)
    raises(ValueError, lambda: net.dense(2, nosie=1), "nosie")
    raises(ValueError, lambda: net.dense(2, noise=-1), "noise = -1")
    assert net.layers == 0 and net.copy().layers == 0 and "0 layers" in repr(net)
    with nnpost.Net(3) as net:
        net.close()
    raises(ValueError, lambda: net.layers, "closed")
    # What a chain needs is closed: it is refused, not read after it was freed.
    with nnpost.Data(X, Y) as data, nnpost.Pool(2) as pool:
        lost, pooled = nnpost.Chain(REGRESSION, data).start(), chain()
        pooled.use_pool(pool)
    raises(ValueError, lambda: lost.run(1), "Data is closed")
    raises(ValueError, lambda: pooled.run(1), "Pool is closed")
    pooled.use_pool(None)
    assert pooled.run(1) == 1
    raises(ValueError, lambda: pooled.run(5, lambda _: pooled.close()), "in use by a run")
    raises(ValueError, lambda: pooled.run(5, lambda _: pooled.data.close()), "in use by a run")
    raises(TypeError, lambda: copy.deepcopy(pooled), "save()")
    raises(TypeError, lambda: pickle.dumps(pooled), "save()")
    assert str(pickle.loads(pickle.dumps(REGRESSION))) == str(REGRESSION)


def cancel():
    made = chain()
    assert made.run(100, lambda progress: progress.step == 7) == 7 and made.steps == 7
    assert made.sample(50, 2, lambda progress: progress.step == 7).shape == (3, 21)

    def angry(progress):
        gc.collect()
        raise KeyError("from inside")
    raises(KeyError, lambda: made.run(100, angry), "from inside")
    assert made.steps == 15
    # Ctrl-C ends a run; what was drawn by then is kept.
    main = threading.get_ident()

    def run_until_interrupted():
        threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
        made.run(10**12)
    raises(KeyboardInterrupt, run_until_interrupted)

    def ring(progress):
        if progress.steps == 1000 and progress.step == 20 and progress.chain_index == 0:
            signal.raise_signal(signal.SIGINT)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = nnpost.sample(REGRESSION, X, Y, draws=500, thin=2, warmup=30, chains=1, callback=ring)
    assert fit.interrupted and fit.draws.shape == (1, 10, 21)
    assert "interrupted: 10 of 500" in str(caught[0].message)
    # Several chains: those on other threads may be further, and draws all have are kept.
    two = nnpost.sample(REGRESSION, X, Y, draws=500, warmup=0, chains=2, threads=2, start="prior",
                        callback=lambda progress: progress.step >= 20).draws
    made = two.shape[1]
    assert same(two.copy(), nnpost.sample(REGRESSION, X, Y, draws=500, warmup=0, chains=2,
                                          start="prior", threads=1).draws[:, :made].copy())
    whole = nnpost.sample(REGRESSION, X, Y, draws=10, thin=2, warmup=30, chains=1)
    assert same(fit.draws.copy(), whole.draws)


def seeds():
    keep("seeds", chain(9007199254740991).sample(5))
    draws = [chain(seed, number).sample(5) for seed, number in ((11, 0), (12, 0), (11, 1), (11, 0))]
    assert not same(draws[0], draws[1]) and not same(draws[0], draws[2])
    assert same(draws[0], draws[3])
    chain(2**64 - 1)
    raises(OverflowError, lambda: chain(2**64), "seed")


def threads():
    assert same(sampled(REGRESSION, X, Y).draws, sampled(REGRESSION, X, Y, threads=2).draws)
    # A forked process (multiprocessing's fork) has the pool's handle without its threads.
    many = nnpost.Data(np.tile(X, (20, 1)), np.tile(Y, 20))
    alone, pooled = (nnpost.Chain(REGRESSION, many).start("prior", 11, 0) for _ in range(2))
    pooled.use_pool(nnpost.Pool(2))
    alone.run(4)
    pooled.run(2)
    child = os.fork()
    if child == 0:
        failed = 1
        try:
            signal.alarm(60)
            pooled.run(2)
            failed = 0 if same(pooled.parameters, alone.parameters) else 1
            pooled.pool.close()
        finally:
            os._exit(failed)
    assert os.waitpid(child, 0)[1] == 0
    pooled.run(2)
    assert same(pooled.parameters, alone.parameters)


def diagnostics():
    draws = sampled(REGRESSION, X, Y, draws=40, thin=1).draws
    names = "rhat", "ess_bulk", "ess_tail", "mcse_mean", "quantile"
    keep("diagnostics", *(nnpost.statistic(draws, name, 0.9) for name in names))
    fortran = np.asfortranarray(draws)  # any layout will do
    assert same(nnpost.statistic(fortran, "rhat"), nnpost.statistic(draws, "rhat"))
    assert nnpost.statistic_names()[0] == "rhat"
    assert nnpost.block_rhat(draws, 10).shape == (4, 6)
    counts, p = nnpost.sbc_histogram([[0], [1], [2], [3]], 3, 2)
    assert counts.tolist() == [[2, 2]] and p.shape == (1,)
    z, p_value = nnpost.geweke(draws, mean=np.zeros(21), second_moment=np.ones(21))
    assert z.shape == (21, 2) and 0 <= p_value <= 1
    assert nnpost.option_info("schedule")["default"] == nnpost._api.NNP_SEQUENTIAL


def converged():
    fit = sampled(REGRESSION, X, Y, draws=40, thin=1)
    names, values = fit.functions()
    told = fit.convergence
    keep("converged", values, [told.rhat, told.ess_bulk, told.ess_tail])
    assert names[:2] == ["log_lik", "f[1]"] and values.shape == (2, 40, 17)
    assert told.verdict not in ("converged", "undecided") and told.worst in names
    assert str(told) in repr(fit) and "R-hat up to" in str(fit.summary()).splitlines()[-1]
    assert nnpost.convergence(values[:, :3]).verdict == "undecided"
    classes = sampled(dense_net(3, "argmax"), X, CLASSES)
    names, values = classes.functions(rows=2)
    assert names[1:] == [f"p[{row},{c}]" for row in (1, ROWS) for c in (1, 2, 3)]
    assert np.allclose(values[:, :, 1:4].sum(axis=2), 1)
    fit.close()
    assert str(told) in repr(fit)
    classes.close()
    assert "was not judged" in repr(classes)


def large():
    net = nnpost.Net(2**31).dense(2)
    assert net.parameters == 4294967298 and net.shape(0)[0] * net.shape(0)[2] == 2**31
    for inputs in (2147483653, 2**40, 2**64 + 5):
        raises((nnpost.Error, OverflowError), lambda: nnpost.Net(inputs), "inputs")
    raises((nnpost.Error, MemoryError), lambda: chain().sample(2**62))
    raises((nnpost.Error, MemoryError), lambda: sampled(REGRESSION, X, Y, draws=2**62))


def memory():
    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    for i in range(11000):
        with dense_net(1, "gaussian") as net, nnpost.Predictor(net, 10):
            chain(net=net)
        if i == 1000:
            before = resident()
    more = resident() - before
    assert more < 8 * 2**20, f"{more} bytes more"


SCENARIOS = (regression, classes, binary, student_t, learning, location_scale, descent, cnn, fitted,
             kept, table, layers, gibbs, hmc, mala, nuts, teacher, study, multistart, exchange, twin,
             calibration, resume, bad_input, cancel, seeds, threads, diagnostics, converged, large,
             memory)


def main(path):
    failures = 0
    for scenario in SCENARIOS:
        began = time.monotonic()
        try:
            scenario()
            print(f"{scenario.__name__}: PASS ({time.monotonic() - began:.1f} s)")
        except BaseException as error:  # the others still run
            failures += 1
            print(f"{scenario.__name__}: FAIL {type(error).__name__}: {error}")
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"{name} {words}\n" for name, words in bits.items())
    print(f"{len(SCENARIOS)} Tests {failures} Failures 0 Ignored")
    return 1 if failures else 0


sys.exit(main(sys.argv[1]))
