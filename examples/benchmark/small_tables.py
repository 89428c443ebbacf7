#!/usr/bin/env python3
"""small_tables.py [--only NAME,NAME] [--folds K] [--most N] [--line TABLE.md] [--threads N]

One call with nothing set but the data, on tables that scikit-learn and R ship, next to models of
scikit-learn at their defaults: iris, Pima, Boston, mtcars; digits, breast cancer, wine, diabetes.
K folds in turn are for testing (KFold, classes stratified, shuffled with random_state 1), the other
rows for the fit; --most stops after N of them. Tables of R are read by Rscript, if there is one.

Numbers are in units of the target's standard deviation in the training rows. Errors are standard
errors over the test rows of all folds. The last column tells by how many standard errors of the
difference, row by row, the log score of nnpost is ahead of a model's (below 0: behind)."""
import argparse
import io
import pathlib
import subprocess
import sys
import time
import warnings

import numpy as np
from sklearn import datasets
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent / "bindings" / "python"))
import baselines
import nnpost

OF_R = {"iris": ("iris", "Species"), "Pima": ("rbind(MASS::Pima.tr, MASS::Pima.te)", "type"),
        "Boston": ("MASS::Boston", "medv"), "mtcars": ("mtcars", "mpg")}
OF_SKLEARN = {"digits": datasets.load_digits, "breast cancer": datasets.load_breast_cancer,
              "wine": datasets.load_wine, "diabetes": datasets.load_diabetes}
NUMBERS = ("Boston", "mtcars", "diabetes")


def read(name):
    """Inputs and target; None if R is needed and not there."""
    if name in OF_SKLEARN:
        return OF_SKLEARN[name](return_X_y=True)
    code, target = OF_R[name]
    try:
        text = subprocess.run(["Rscript", "--vanilla", "-e", f"write.csv({code}, row.names = FALSE)"],
                              capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    rows = [line.replace('"', "").split(",") for line in io.StringIO(text)]
    names = [column.strip() for column in rows[0]]
    at = names.index(target)
    y = np.array([row[at].strip() for row in rows[1:]])
    x = np.array([[float(value) for i, value in enumerate(row) if i != at] for row in rows[1:]])
    return x, (y.astype(float) if name in NUMBERS else y)


def splits(name, x, y, count):
    """Training and test rows of every fold."""
    kind = KFold if name in NUMBERS else StratifiedKFold
    return list(kind(count, shuffle=True, random_state=1).split(x, y))


def classifiers():
    yield "logistic", LogisticRegression(max_iter=5000)
    yield "LDA", LinearDiscriminantAnalysis()
    yield "random forest", RandomForestClassifier(random_state=0)
    yield "sklearn MLP", MLPClassifier((100, 100), max_iter=2000, random_state=0)
    yield "GP", GaussianProcessClassifier(1.0 * RBF(), random_state=0)


# Scores of the test rows of one fold, one array each: squared errors or hits, log densities or log
# probabilities, and, for numbers, whether 90 % intervals cover them.

def regression_scores(model, tells, x, y, x_new, y_new):
    spread = None if tells else np.std(y - cross_val_predict(model, x, y, cv=5))
    model.fit(x, y)
    mean, sd = (model.predict(x_new, return_std=True) if tells
                else (model.predict(x_new), spread))
    error = y_new - mean
    return (error**2, -0.5 * np.log(2 * np.pi * sd**2) - 0.5 * (error / sd) ** 2,
            abs(error) < 1.6449 * sd)


def class_scores(model, x, y, x_new, y_new):
    model.fit(x, y)
    p = np.clip(model.predict_proba(x_new), 1e-6, 1)
    at = np.searchsorted(model.classes_, y_new)
    p = p[np.arange(len(p)), at] / p.sum(axis=1)
    return (model.predict(x_new) == y_new).astype(float), np.log(p)


def own_scores(name, x, y, x_new, y_new, threads):
    """Of nnpost, and its verdict."""
    kind = nnpost.NNPostRegressor if name in NUMBERS else nnpost.NNPostClassifier
    model = kind(verbose=0, progress=False, threads=threads)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(x, y)
    if name not in NUMBERS:
        p = model.predict_proba(x_new)
        p = p[np.arange(len(p)), np.searchsorted(model.classes_, y_new)]
        scores = (model.predict(x_new) == y_new).astype(float), np.log(p)
    else:
        each = model.log_lik(x_new, y_new)
        weights = model.chain_weights_[:, None, None] / each.shape[1]
        lower, upper = model.predict_interval(x_new, level=0.9)
        scores = ((y_new - model.predict(x_new)) ** 2,
                  np.log((weights * np.exp(each)).sum(axis=(0, 1))),
                  (lower < y_new) & (y_new < upper))
    return scores, model.convergence_


def told(name, scores):
    """RMSE or accuracy, and the log score, with standard errors; how many are covered."""
    first, log_score = scores[:2]
    error = first.std() / np.sqrt(len(first))
    best = np.sqrt(first.mean()) if name in NUMBERS else first.mean()
    if name in NUMBERS:
        error /= 2 * best
    covered = f"{100 * scores[2].mean():.1f} %" if name in NUMBERS else ""
    return (f"{best:.3f} ± {error:.3f} | {log_score.mean():.3f} ± "
            f"{log_score.std() / np.sqrt(len(log_score)):.3f} | {covered}")


def models_of(name, x):
    if name in NUMBERS:
        for label, model, tells in baselines.models(*x.shape):
            yield label, lambda *rows, m=model, t=tells: regression_scores(m, t, *rows)
    else:
        for label, model in classifiers():
            yield label, lambda *rows, m=model: class_scores(make_pipeline(StandardScaler(), m), *rows)


def standardized(values, rows):
    """Columns in units of their standard deviation in some rows."""
    scale = values[rows].std(axis=0)
    return (values - values[rows].mean(axis=0)) / np.where(scale > 0, scale, 1)


def run(name, tell, asked):
    found = read(name)
    if found is None:
        return tell(f"| {name} | needs Rscript with MASS | | | | | | |")
    x, y = found
    scores, seconds, verdicts, fitted = {}, {}, [], 0

    def add(label, began, made):
        scores.setdefault(label, []).append(made)
        seconds[label] = seconds.get(label, 0) + time.process_time() - began

    for rows, new in splits(name, x, y, asked.folds)[:asked.most]:
        own, theirs = y, x
        if name in NUMBERS:  # models of scikit-learn want columns of order 1
            own, theirs = standardized(y, rows), standardized(x, rows)
        fitted = len(rows)
        began = time.process_time()
        made, verdict = own_scores(name, x[rows], own[rows], x[new], own[new], asked.threads)
        add("**nnpost**", began, made)
        verdicts.append(verdict)
        print(f"{name}, fold {len(verdicts)}: log score {made[1].mean():.3f}, {verdict}", file=sys.stderr)
        for label, scores_of in models_of(name, theirs[rows]):
            began = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                add(label, began, scores_of(theirs[rows], own[rows], theirs[new], own[new]))
    worst = max(verdicts, key=lambda verdict: verdict.rhat)
    ours = np.concatenate([made[1] for made in scores["**nnpost**"]])
    for label, made in scores.items():
        joined = [np.concatenate(parts) for parts in zip(*made)]
        ahead = ours - joined[1]
        own = label == "**nnpost**"
        tell(f"| {name} | {label}{f' (worst: {worst})' if own else ''} | {fitted} | "
             f"{told(name, joined)} | {seconds[label] / len(made):.0f} | "
             + ("|" if own else f"{ahead.mean() / (ahead.std() / np.sqrt(len(ahead)) + 1e-12):+.1f} |"))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join([*OF_R, *OF_SKLEARN]))
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--most", type=int, default=None)
    parser.add_argument("--line")
    parser.add_argument("--threads", type=int, default=None)
    asked = parser.parse_args()

    def tell(line):
        print(line, flush=True)
        if asked.line:
            with open(asked.line, "a", encoding="utf-8") as table:
                print(line, file=table)
    tell("| data | method | rows | RMSE or accuracy | log score | 90 % covers | core seconds a fit | "
         "nnpost ahead, errors |")
    tell("|---|---|---|---|---|---|---|---|")
    for name in asked.only.split(","):
        if name not in OF_R and name not in OF_SKLEARN:
            parser.error(f"--only: {name!r}, expected some of {', '.join([*OF_R, *OF_SKLEARN])}")
        run(name, tell, asked)


if __name__ == "__main__":
    main()
