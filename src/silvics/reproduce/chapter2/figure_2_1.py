"""Figure 2.1: underfitting and overfitting, and the errors that Algorithms 2.1 and 2.2 estimate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics import mean_squared_error

from silvics import DecisionTreeRegressor
from silvics.datasets import NoisyCosine
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.protocols import nested_cross_validation, train_validation_test
from silvics.reproduce.settings import Settings

N = 100  # samples of a training set
PROBLEM = NoisyCosine()


def pairs(settings: Settings, leaves: list[int]) -> dict[str, list[list[float]]]:
    """Return training and test errors of trees with so many leaves, for pairs of sets."""
    found: dict[str, list[list[float]]] = {"training": [], "test": []}
    for pair in range(settings.pick(tiny=15, small=100, paper=100)):
        X, y = PROBLEM.sample(2 * N, random_state=settings.seed + pair)
        trees = [DecisionTreeRegressor(max_leaf_nodes=n).fit(X[:N], y[:N]) for n in leaves]
        for name, rows in (("training", slice(N)), ("test", slice(N, None))):
            errors = [mean_squared_error(y[rows], tree.predict(X[rows])) for tree in trees]
            found[name].append(errors)
    return found


def protocols(settings: Settings, leaves: list[int]) -> dict[str, list[float]]:
    """Return the errors by which the number of leaves is selected, and those of the selected."""
    grid = {"max_leaf_nodes": leaves}
    found: dict[str, list[float]] = {
        name: [] for name in ("valid", "of selected", "nested valid", "nested", "true")
    }
    X_new, y_new = PROBLEM.sample(5000, random_state=12345)
    for run in range(settings.pick(tiny=5, small=40, paper=200)):
        X, y = PROBLEM.sample(N, random_state=1000 + settings.seed + run)
        kwargs: dict[str, Any] = {"scoring": "neg_mean_squared_error", "random_state": run}
        one = train_validation_test(DecisionTreeRegressor(), grid, X, y, **kwargs)
        folds = nested_cross_validation(DecisionTreeRegressor(), grid, X, y, n_folds=5, **kwargs)
        found["valid"].append(-one.validation_score)
        found["of selected"].append(-one.score)
        found["nested valid"].append(-folds.validation_score)
        found["nested"].append(-folds.score)
        found["true"].append(float(mean_squared_error(y_new, folds.model.predict(X_new))))
    return found


def measure(settings: Settings) -> dict[str, Any]:
    """Return the errors of all pairs, and those of the protocols."""
    leaves = settings.pick(
        tiny=[2, 4, 8, 32, 100], small=[2, 3, 4, 5, 6, 8, 10, 13, 18, 25, 40, 60, 100],
        paper=list(range(2, 101)),
    )  # fmt: skip
    return {
        "leaves": leaves,
        **pairs(settings, leaves),
        "protocols": protocols(settings, [n for n in leaves if n <= 20]),
        "residual_error": PROBLEM.residual_error,
    }


def averages(ours: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean training error and the mean test error by complexity."""
    return np.mean(ours["training"], axis=0), np.mean(ours["test"], axis=0)


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the averages at the ends and at the minimum, and those of the protocols."""
    training, test = averages(ours)
    rows = [Row("pairs of training and test sets", printed["pairs"], len(ours["test"]))]
    for at in (0, int(test.argmin()), -1):
        n = ours["leaves"][at]
        rows += [Row(f"training error, {n} leaves", None, float(training[at])),
                 Row(f"test error, {n} leaves", None, float(test[at]))]  # fmt: skip
    rows.append(Row("residual error", None, ours["residual_error"]))
    labels = {
        "valid": "Algorithm 2.1: error by which the model is selected",
        "of selected": "Algorithm 2.1: error on the test set",
        "nested valid": "Algorithm 2.2: error by which the model is selected",
        "nested": "Algorithm 2.2: error on the outer folds",
        "true": "error of the model of Algorithm 2.2 on new samples",
    }
    means = {name: float(np.mean(errors)) for name, errors in ours["protocols"].items()}
    return rows + [Row(label, None, means[name]) for name, label in labels.items()]


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:  # noqa: ARG001
    """Judge what sections 2.3.1 and 2.3.2 say."""
    training, test = averages(ours)
    best, leaves = int(test.argmin()), ours["leaves"]
    parts = ours["protocols"]
    gap = np.array(parts["of selected"]) - parts["valid"]
    nested = np.array(parts["nested"]) - parts["nested valid"]
    found = [
        Statement(
            "the training error falls with complexity, down to 0",
            bool((np.diff(training) < 1e-12).all() and training[-1] < 1e-12),
            f"from {training[0]:.3f} to {training[-1]:.3f}",
        ),
        Statement(
            "the test error falls and then rises",
            0 < best < len(leaves) - 1
            and test[0] > 1.05 * test[best]
            and test[-1] > 1.05 * test[best],
            f"{test[0]:.3f} with {leaves[0]} leaves, {test[best]:.3f} with {leaves[best]}, "
            f"{test[-1]:.3f} with {leaves[-1]}",
        ),
    ]
    for name, gaps in (("validation", gap), ("cross-validation", nested)):
        found.append(
            Statement(
                f"the minimised {name} error is optimistic",
                gaps.mean() > 0,
                f"by {gaps.mean():.3f}, standard error {gaps.std() / len(gaps) ** 0.5:.3f}",
            )
        )
    return found


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the errors of each pair, and their averages."""
    ax, leaves = axes[0], ours["leaves"]
    for name, thin, thick in (("training", "lightblue", "C0"), ("test", "mistyrose", "C3")):
        for errors in ours[name][:30]:
            ax.plot(leaves, errors, color=thin, linewidth=0.6)
        ax.plot(
            leaves, np.mean(ours[name], axis=0), color=thick, linewidth=2, label=f"{name} error"
        )
    ax.axvline(leaves[int(averages(ours)[1].argmin())], color="gray", linewidth=1)
    ax.set(xscale="log", xlabel="leaves", ylabel="mean squared error", ylim=(0, None))
    ax.legend()
