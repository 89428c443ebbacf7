#!/usr/bin/env python3
"""baselines.py FILE [--target NAME] [--drop NAME,NAME] --line TABLE.md
baselines.py --export FOLDER

Models of scikit-learn on a table of data, at its defaults, with the split and the units of
examples/benchmark/tabular: lines for the same table. A single Gaussian per row has the model's own standard
deviation (linear, GP) or that of its out-of-fold errors in the training rows. --export writes tables
that scikit-learn ships."""
import argparse
import pathlib
import time

import numpy as np
from sklearn import datasets
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import BayesianRidge
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer

MOST_ROWS_OF_GP = 3000  # it takes the cube of them
ROWS_OF_PART = 2000  # what it sees of more


class FirstRows:
    """A model that is fitted to the first rows of shuffled data alone."""

    def __init__(self, model, rows):
        self.model, self.rows = model, rows

    def fit(self, x, y):
        self.model.fit(x[:self.rows], y[:self.rows])

    def predict(self, x, return_std=False):
        return self.model.predict(x, return_std=return_std)


def read(path, target, dropped):
    """Inputs and target, as examples/benchmark/tabular reads them."""
    text = pathlib.Path(path).read_text(encoding="utf-8").replace(";", ",").splitlines()
    rows = [line.split(",") if "," in line else line.split() for line in text if line.strip()]
    try:
        names = [str(i + 1) for i, _ in enumerate(map(float, rows[0]))]
    except ValueError:
        names = [name.strip().strip('"') for name in rows.pop(0)]
    kept = [i for i, name in enumerate(names) if name not in dropped]
    last = names.index(target) if target else kept[-1]
    kept = [i for i in kept if i != last]
    values = [[float(row[i]) for i in kept + [last]] for row in rows]
    return np.array(values)[:, :-1], np.array(values)[:, -1]


def models(rows, inputs):
    """Name, model, and whether it tells standard deviations."""
    yield "linear", BayesianRidge(), True
    # one smooth function of each input, with one learned precision for all of them
    yield "GAM", make_pipeline(SplineTransformer(8, extrapolation="linear"), BayesianRidge()), True
    yield "random forest", RandomForestRegressor(random_state=0), False
    yield "sklearn MLP", MLPRegressor((100, 100), max_iter=2000, early_stopping=True,
                                      random_state=0), False
    kernel = ConstantKernel(1.0) * RBF(np.ones(inputs)) + WhiteKernel(0.1)
    gp = GaussianProcessRegressor(kernel, normalize_y=True)
    if rows <= MOST_ROWS_OF_GP:
        yield "GP", gp, True
    else:
        yield f"GP, {ROWS_OF_PART} of the rows", FirstRows(gp, ROWS_OF_PART), True


def run(model, tells, x, y, x_new, y_new):
    """RMSE, NLL and coverage of 90 % intervals."""
    spread = None if tells else np.std(y - cross_val_predict(model, x, y, cv=5))
    model.fit(x, y)
    mean, sd = (model.predict(x_new, return_std=True) if tells
                else (model.predict(x_new), np.full(len(x_new), spread)))
    error = y_new - mean
    nll = np.mean(0.5 * np.log(2 * np.pi * sd**2) + 0.5 * (error / sd) ** 2)
    return np.sqrt(np.mean(error**2)), nll, np.mean(np.abs(error) < 1.6449 * sd)


def export(folder):
    """Regression tables that scikit-learn has without fetching anything."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    data = datasets.load_diabetes(scaled=False)
    lines = [",".join([*data.feature_names, "progression"])]
    lines += [",".join(map(repr, map(float, [*x, y]))) for x, y in zip(data.data, data.target)]
    (folder / "diabetes.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--target")
    parser.add_argument("--drop", default="")
    parser.add_argument("--line")
    parser.add_argument("--export")
    asked, _ = parser.parse_known_args()
    if asked.export:
        return export(asked.export)
    x, y = read(asked.file, asked.target, asked.drop.split(","))
    x, x_new, y, y_new = train_test_split(x, y, test_size=0.2, random_state=0)
    keep = x.std(axis=0) > 0
    mean, sd = x.mean(axis=0)[keep], x.std(axis=0)[keep]
    x, x_new = (x[:, keep] - mean) / sd, (x_new[:, keep] - mean) / sd
    y, y_new = (y - y.mean()) / y.std(), (y_new - y.mean()) / y.std()
    name = pathlib.Path(asked.file).name
    for method, model, tells in models(*x.shape):
        began = time.process_time()
        rmse, nll, coverage = run(model, tells, x, y, x_new, y_new)
        line = (f"| {name} | {method} | {len(x)} | {rmse:.4f} | {nll:.4f} | | {100 * coverage:.1f} % "
                f"| | | {time.process_time() - began:.0f} |")
        print(line)
        if asked.line:
            with open(asked.line, "a", encoding="utf-8") as table:
                print(line, file=table)
    return None


if __name__ == "__main__":
    main()
