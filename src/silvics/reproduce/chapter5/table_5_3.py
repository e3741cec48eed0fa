"""Table 5.3: what popular libraries for random forests can do, and whether silvics can.

Each feature is used on a small table: algorithms, impurities and tasks by a fit, and a rule that
stops growth by a fit that stops earlier than without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from silvics import ForestClassifier, ForestRegressor, RandomPatchesClassifier
from silvics.datasets import Friedman1, Waveform
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

ALGORITHMS: dict[str, Callable[[], Any]] = {
    "Bagging": lambda: ForestClassifier("bagging", 5),
    "RF": lambda: ForestClassifier("random_forest", 5),
    "ETs": lambda: ForestClassifier("extra_trees", 5),
    "RS": lambda: ForestClassifier("random_subspace", 5),
    "RP": lambda: RandomPatchesClassifier(n_estimators=5),
}
IMPURITIES: dict[str, dict[str, Any]] = {
    "Gini": {"criterion": "gini"},
    "Entropy": {"criterion": "entropy"},
    "MSE": {"criterion": "squared_error"},
    "GainRatio": {"criterion": "gain_ratio"},
    "Relief": {"choice": "relief"},
}
# Our parameter for each name in the table.
STOPPING: dict[str, dict[str, Any]] = {
    "max_depth": {"max_depth": 3},
    "depth": {"max_depth": 3},
    "maxDepth": {"max_depth": 3},
    "min_samples_split": {"min_samples_split": 40},
    "min_samples_count": {"min_samples_split": 40},
    "nmin": {"min_samples_split": 40},
    "min_instances": {"min_samples_split": 40},
    "min_samples_leaf": {"min_samples_leaf": 20},
    "nodesize": {"min_samples_leaf": 20},
    "min_subset": {"min_samples_leaf": 20},
    "max_leaf_nodes": {"max_leaf_nodes": 5},
    "maxnodes": {"max_leaf_nodes": 5},
    "forest_accuracy": {"target_score": 0.5},
    "varmin": {"min_impurity_split": 3.0},
    "maxnbsplits": {"max_splits": 4},
    "worst_acceptable": {"min_score": 0.05},
    "max_majority": {"max_majority": 0.7},
}


def learning_set(task: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a small table for classification, C, or regression, R."""
    problem = Waveform() if task == "C" else Friedman1()
    return problem.sample(300, random_state=0)


def grown(task: str, **parameters: Any) -> Any:
    """Return a forest that is grown with parameters."""
    forest: Any = ForestClassifier if task == "C" else ForestRegressor
    return forest("random_forest", 20, random_state=0, **parameters).fit(*learning_set(task))


def works(use: Callable[[str], bool], name: str) -> bool:
    """Return whether a feature does what it should; parameters that do not exist are no feature."""
    try:
        return use(name)
    except TypeError:
        return False


def classifies(algorithm: str) -> bool:
    """Return whether an algorithm gives a classifier."""
    return hasattr(ALGORITHMS[algorithm]().fit(*learning_set("C")), "classes_")


def is_learned(task: str) -> bool:
    """Return whether forests are grown for a task."""
    return len(grown(task)) == 20


def stops(name: str) -> bool:
    """Return whether a rule makes forests smaller."""
    task = "R" if name in ("varmin", "nmin", "maxnbsplits") else "C"
    free, stopped = (
        sum(tree.tree_.node_count for tree in grown(task, **parameters).estimators_)
        for parameters in ({}, STOPPING[name])
    )
    return stopped < free


def fits(impurity: str) -> bool:
    """Return whether forests can be grown with an impurity, and are not those of the default."""
    task = "R" if impurity == "MSE" else "C"
    forest = grown(task, **IMPURITIES[impurity])
    same = forest.digest() == grown(task).digest()
    return same == (impurity in ("Gini", "MSE"))


def measure(settings: Settings) -> dict[str, Any]:  # noqa: ARG001
    """Return whether each feature is there."""
    forest = grown("C")
    return {
        "algorithms": {name: works(classifies, name) for name in ALGORITHMS},
        "tasks": {task: works(is_learned, task) for task in ("C", "R")},
        "impurity": {name: works(fits, name) for name in IMPURITIES},
        "stopping": {name: works(stops, name) for name in STOPPING},
        "importances": {"yes": bool(np.ptp(forest.importances().values) > 0)},
        "threads": {"yes": grown("C", n_jobs=2).digest() == forest.digest()},
    }


KINDS = ("algorithms", "tasks", "impurity", "stopping", "importances", "threads")


def lacking(ours: Mapping[str, Any], features: Mapping[str, list[str]]) -> list[str]:
    """Return the features of a library that silvics does not have."""
    return [name for kind in KINDS for name in features.get(kind, ()) if not ours[kind][name]]


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the features of each library, and those that silvics has."""
    rows = []
    for library, features in printed["libraries"].items():
        for kind in KINDS:
            names = features.get(kind, [])
            if names:
                there = [name for name in names if ours[kind][name]]
                rows.append(Row(f"{library}, {kind}", ", ".join(names), ", ".join(there)))
    return rows


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge whether silvics has every feature of each library."""
    found = []
    for library, features in printed["libraries"].items():
        total = sum(len(features.get(kind, ())) for kind in KINDS)
        without = lacking(ours, features)
        here = f"{total - len(without)} of {total}"
        found.append(
            Statement(
                f"silvics has the features of {library}",
                not without,
                f"{here}, without {', '.join(without)}" if without else here,
            )
        )
    return found
