"""Ways to fill in missing values, for the study of imputation.

A contender is a function ``fill(X, seed, trees, rounds)`` of a data frame with missing values; it
returns the completed data frame.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer
from tables import categorical

from silvics.impute import ForestImputer

Fill = Callable[[pd.DataFrame, int, int, int], pd.DataFrame]


def usual(X: pd.DataFrame, seed: int, trees: int, rounds: int) -> pd.DataFrame:
    """Mean, or most frequent level."""
    del seed, trees, rounds
    classes = categorical(X)
    values = {c: X[c].mode()[0] if c in classes else X[c].mean() for c in X}
    return X.fillna(values)


def neighbors(X: pd.DataFrame, seed: int, trees: int, rounds: int) -> pd.DataFrame:
    """Five nearest neighbours on standardized numbers and indicators of levels."""
    del seed, trees, rounds
    return _by_indicators(X, lambda Z: KNNImputer(keep_empty_features=True).fit_transform(Z))


def ridge(X: pd.DataFrame, seed: int, trees: int, rounds: int) -> pd.DataFrame:
    """IterativeImputer with BayesianRidge on the same columns."""
    del trees
    return _by_indicators(
        X,
        lambda Z: IterativeImputer(
            max_iter=rounds, random_state=seed, keep_empty_features=True
        ).fit_transform(Z),
    )


def sklearn_forests(X: pd.DataFrame, seed: int, trees: int, rounds: int) -> pd.DataFrame:
    """IterativeImputer with RandomForestRegressor on codes of levels."""
    coded, levels = _codes(X)
    imputer = IterativeImputer(
        RandomForestRegressor(trees, random_state=seed), max_iter=rounds, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _decoded(X, imputer.fit_transform(coded), levels)


def miceforest_means(X: pd.DataFrame, seed: int, trees: int, rounds: int) -> pd.DataFrame:
    """miceforest (LightGBM), predictions without matching, its own number of trees."""
    del trees
    return _miceforest(X, seed, rounds, 0)


def miceforest_draws(X: pd.DataFrame, seed: int, trees: int, rounds: int) -> pd.DataFrame:
    """miceforest with its default, predictive mean matching."""
    del trees
    return _miceforest(X, seed, rounds, None)


def _miceforest(X: pd.DataFrame, seed: int, rounds: int, candidates: int | None) -> pd.DataFrame:
    import miceforest

    more = {} if candidates is None else {"mean_match_candidates": candidates}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = X.reset_index(drop=True)
        frame.columns = [f"c{j}" for j in range(frame.shape[1])]
        kernel = miceforest.ImputationKernel(frame, num_datasets=1, random_state=seed, **more)
        kernel.mice(rounds, verbose=False, num_threads=1)
        found = kernel.complete_data(0)
    found.columns, found.index = X.columns, X.index
    return found


def missforest(X: pd.DataFrame, seed: int, trees: int, rounds: int) -> pd.DataFrame:
    """The package MissForest with scikit-learn's forests, which refuse its categories."""
    from missforest import MissForest
    from sklearn.ensemble import RandomForestClassifier

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        imputer = MissForest(
            clf=RandomForestClassifier(trees, random_state=seed),
            rgr=RandomForestRegressor(trees, random_state=seed),
            categorical=categorical(X) or None,
            max_iter=rounds,
            verbose=0,
        )
        return imputer.fit_transform(X)


def ours(X: pd.DataFrame, seed: int, trees: int, rounds: int) -> pd.DataFrame:
    """ForestImputer."""
    return ForestImputer(trees, max_iter=rounds, random_state=seed).fit_transform(X)


# ---- tables of numbers


def _codes(X: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, int]]:
    levels = {c: len(X[c].cat.categories) for c in categorical(X)}
    coded = {
        c: X[c].cat.codes.where(X[c].notna(), np.nan) if c in levels else X[c].astype(float)
        for c in X
    }
    return pd.DataFrame(coded), levels


def _decoded(X: pd.DataFrame, values: np.ndarray, levels: dict[str, int]) -> pd.DataFrame:
    columns = {}
    for j, c in enumerate(X):
        if c in levels:
            codes = np.clip(np.rint(values[:, j]), 0, levels[c] - 1).astype(int)
            columns[c] = pd.Categorical.from_codes(codes, dtype=X[c].dtype)
        else:
            columns[c] = values[:, j]
    return pd.DataFrame(columns, index=X.index)


def _by_indicators(X: pd.DataFrame, complete: Callable[[np.ndarray], np.ndarray]) -> pd.DataFrame:
    """Complete standardized numbers and indicators of levels; the largest indicator wins."""
    blocks = []
    for c in X:
        if isinstance(X[c].dtype, pd.CategoricalDtype):
            codes = X[c].cat.codes.to_numpy()
            block = np.eye(len(X[c].cat.categories))[codes]
            block[codes < 0] = np.nan
        else:
            values = X[c].to_numpy(float)
            spread = np.nanstd(values) or 1.0
            block = ((values - np.nanmean(values)) / spread)[:, np.newaxis]
        blocks.append(block)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = complete(np.hstack(blocks))
    columns, first = {}, 0
    for c, block in zip(X, blocks, strict=True):
        part = found[:, first : first + block.shape[1]]
        first += block.shape[1]
        if isinstance(X[c].dtype, pd.CategoricalDtype):
            codes = part.argmax(axis=1)
            filled = pd.Categorical.from_codes(codes, dtype=X[c].dtype)
            columns[c] = X[c].where(X[c].notna(), pd.Series(filled, index=X.index))
        else:
            values = X[c].to_numpy(float)
            back = part[:, 0] * (np.nanstd(values) or 1.0) + np.nanmean(values)
            columns[c] = np.where(np.isnan(values), back, values)
    return pd.DataFrame(columns, index=X.index)
