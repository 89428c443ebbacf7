#!/usr/bin/env python3
"""Times the library next to what Debian has: gradients of PyTorch and Stan, iterations of R's nnet,
and NUTS of Stan on the same posterior. One thread each, processor time; contenders take turns, the
best of several rounds counts. A peer that is not installed is left out. `make bench-peers` runs it.

    peers.py [--rounds 5] [--warmup 60] [--draws 100] [--nuts-rounds 1]

NNPOST_LIBRARY names the library."""
import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np

import nnpost

try:
    import torch
    torch.set_num_threads(1)
except ImportError:
    torch = None


class Problem:
    """A network, data of a teacher with weights from the prior, and that teacher's weights."""

    def __init__(self, title, sizes, activation, rows, noise):
        self.title, self.sizes, self.activation, self.noise = title, sizes, activation, noise
        self.name = "-".join(map(str, sizes))
        self.net = nnpost.Net(sizes[0])
        for units in sizes[1:-1]:
            self.net.dense(units).activation(activation)
        self.net.dense(sizes[-1]).gaussian().set("noise", noise)
        draw = np.random.default_rng(1)
        self.layers = [(draw.normal(size=(out, into)) / into**.5, draw.normal(size=out) / into**.5)
                       for into, out in zip(sizes[:-1], sizes[1:])]
        self.start = np.concatenate([part.ravel() for layer in self.layers for part in layer])
        self.x = draw.normal(size=(rows, sizes[0]))
        self.y = self.outputs(self.layers, self.x) + noise**0.5 * draw.normal(size=(rows, 1))
        self.data = nnpost.Data(self.x, self.y)

    def outputs(self, layers, x):
        act = np.tanh if self.activation == "tanh" else lambda z: np.maximum(z, 0)
        for i, (w, b) in enumerate(layers):
            x = x @ w.T + b
            if i + 1 < len(layers):
                x = act(x)
        return x

    def write(self, folder):
        sizes, relu = self.sizes, float(self.activation == "relu")
        shape = [len(self.x), sizes[0], sizes[1], len(sizes) - 3, relu, self.noise, *sizes[:-1]]
        for what, values in dict(shape=shape, x=self.x, y=self.y, start=self.start).items():
            np.savetxt(Path(folder) / f"{self.name}.{what}", np.ravel(values), fmt="%.17g")


def milliseconds(work, repeats):
    """Of processor time, per call."""
    before = time.process_time()
    for _ in range(repeats):
        work()
    return 1e3 * (time.process_time() - before) / repeats


class Ours:
    """HMC with leapfrogs so short that weights stay where they are: a gradient each."""
    name, leapfrogs = "nnpost, a leapfrog of HMC", 100

    def __init__(self, problem):
        self.chain = nnpost.Chain(problem.net, problem.data, "hmc", "classical", step_size=1e-9,
                                  leapfrogs=self.leapfrogs, adapt_step=0, adapt_mass=0)
        self.chain.start_weights(problem.start)

    def density(self, problem):
        """Without the constants of the prior."""
        constant = sum(0.5 * (w.size + b.size) * np.log(w.shape[1] / (2 * np.pi))
                       for w, b in problem.layers)
        return self.chain.log_density - constant

    def round(self):
        return milliseconds(lambda: self.chain.run(1), 5) / self.leapfrogs


class Torch:
    name = "PyTorch autograd"

    def __init__(self, problem):
        wanted = dict(dtype=torch.float64, requires_grad=True)
        self.layers = [[torch.tensor(part, **wanted) for part in layer] for layer in problem.layers]
        self.x, self.y = torch.tensor(problem.x), torch.tensor(problem.y)
        self.act, self.noise = getattr(torch, problem.activation), problem.noise
        self.parts = [part for layer in self.layers for part in layer]

    def gradient(self):
        z, prior = self.x, 0
        for i, (w, b) in enumerate(self.layers):
            prior = prior + 0.5 * w.shape[1] * ((w * w).sum() + (b * b).sum())
            z = torch.nn.functional.linear(z, w, b)
            z = self.act(z) if i + 1 < len(self.layers) else z
        off = self.y - z
        density = -0.5 * (off * off).sum() / self.noise - prior
        torch.autograd.grad(density, self.parts)
        return float(density)

    def round(self):
        return milliseconds(self.gradient, 20)


class R:
    """The process of peers.R."""

    def __init__(self, folder):
        script = Path(__file__).with_name("peers.R")
        self.process = subprocess.Popen(["Rscript", str(script), folder], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.has = self.process.stdout.readline().split()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()  # that ends it
        self.process.wait()

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        answer = self.process.stdout.readline().split()
        if not answer:
            sys.exit("peers.R ended: its message is above")
        return [float(word) for word in answer]


class Asked:
    """A figure of peers.R."""

    def __init__(self, name, r, request, problem, repeats):
        self.name = name
        self.words, self.r = (request, problem.name, repeats), r

    def round(self):
        return self.r.ask(*self.words)[1]


def contenders(problem, r):
    found = [Ours(problem)]
    if torch:
        found.append(Torch(problem))
    if "stan" in r.has:
        found.append(Asked("Stan (rstan)", r, "stan_gradient", problem, 20))
    if "nnet" in r.has and len(problem.sizes) == 3:
        found.append(Asked("nnet, a BFGS iteration (logistic)", r, "nnet_iteration", problem, 20))
    return found


def check(problem, found, r):
    """All must compute the same density."""
    values = [found[0].density(problem)]
    values += [f.gradient() for f in found if isinstance(f, Torch)]
    values += [r.ask("stan_gradient", problem.name, 1)[0]] if "stan" in r.has else []
    if max(values) - min(values) > 1e-9 * abs(values[0]):
        sys.exit(f"{problem.title}: log densities differ: {values}")


def race_gradients(problem, r, rounds):
    found = contenders(problem, r)
    check(problem, found, r)
    best = {f.name: np.inf for f in found}
    for _ in range(rounds):
        for f in found:
            best[f.name] = min(best[f.name], f.round())
    print(f"\nms per gradient, classical posterior: {problem.title}")
    for name, ms in best.items():
        print(f"  {name:36s} {ms:8.3f} {ms / best[found[0].name]:8.1f} times ours", flush=True)


def effective(problem, draws, x_new):
    """Median and least effective sample size of predictions at new inputs."""
    (into, units), predictions = problem.sizes[:2], []
    for q in draws:
        w1, rest = q[:into * units].reshape(units, into), q[into * units:]
        layers = [(w1, rest[:units]), (rest[None, units:2 * units], rest[2 * units:])]
        predictions.append(problem.outputs(layers, x_new)[:, 0])
    ess = nnpost.statistic(np.array(predictions)[None], "ess_mean")
    return np.median(ess), ess.min()


def race_nuts(problem, r, folder, given):
    warmup, draws, depth = given.warmup, given.draws, 8  # trees of Stan take minutes with more
    x_new = np.random.default_rng(2).normal(size=(100, problem.sizes[0]))
    print(f"\neffective predictions, NUTS, {warmup} + {draws} steps from the teacher:"
          f" {problem.title}, D = {problem.noise:g}\n"
          f"  {'':24s} {'median':>8s} {'least':>8s} {'gradients':>10s}"
          f" {'seconds':>8s} {'median/s':>9s} {'least/s':>8s}", flush=True)

    def ours(seed):
        chain = nnpost.Chain(problem.net, problem.data, "nuts", "classical", warmup=warmup,
                             max_depth=depth)
        chain.start_weights(problem.start, seed=seed)
        chain.run(warmup)
        chain.record(draws)
        before = time.process_time()
        made = chain.sample(draws)
        return made, chain.recorded["leapfrogs"].sum(), time.process_time() - before

    def stan(seed):
        _, seconds, leapfrogs = r.ask("stan_nuts", problem.name, warmup, draws, seed, depth)
        return np.loadtxt(Path(folder) / "stan.draws"), leapfrogs, seconds

    runs = [("nnpost", ours)] + ([("Stan (rstan)", stan)] if "stan" in r.has else [])
    for seed in range(1, given.nuts_rounds + 1):
        for name, run in runs:
            made, leapfrogs, seconds = run(seed)
            median, least = effective(problem, made, x_new)
            print(f"  {name:24s} {median:8.0f} {least:8.0f} {leapfrogs:10.0f} {seconds:8.2f}"
                  f" {median / seconds:9.2f} {least / seconds:8.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=60)
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--nuts-rounds", type=int, default=1)
    given = parser.parse_args()
    info = nnpost.build_info()
    print(f"SIMD: {info['simd']}, OpenBLAS for: {info['blas core']},",
          f"PyTorch: {torch.__version__ if torch else 'not installed'}")
    paper = Problem("50-10-1 relu, 2084 rows", (50, 10, 1), "relu", 2084, 1e-3)
    deep = Problem("5-16-16-16-16-1 tanh, 1200 rows", (5, 16, 16, 16, 16, 1), "tanh", 1200, 1e-2)
    with tempfile.TemporaryDirectory() as folder:
        for problem in (paper, deep):
            problem.write(folder)
        print("compiling Stan's program, a minute", flush=True)
        with R(folder) as r:
            for problem in (paper, deep):
                race_gradients(problem, r, given.rounds)
            race_nuts(paper, r, folder, given)


if __name__ == "__main__":
    main()
