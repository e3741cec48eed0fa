"""Linear models on the leaves of a forest, beside the forest: accuracy on real tables.

python benchmarks/embedding_study.py FOLDER --write docs/studies/embedding.md

FOLDER has Parquet files, with classes in the column "target".
"""

# ruff: noqa: E501 (the text of the page)

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from silvics import ForestEmbedding, RandomForestClassifier, RandomTreesEmbedding

SETS = ["vehicle", "waveform", "spambase", "pendigits"]
N_TREES, MOST_ROWS, N_SPLITS = 100, 4000, 3


def scores_of(X, y, seed):
    """Accuracies of all models on half of the rows."""
    X, test, y, truth = train_test_split(X, y, test_size=0.5, random_state=seed, stratify=y)
    forest = RandomForestClassifier(N_TREES, random_state=seed, n_jobs=1)
    half = np.arange(len(X)) % 2 == 0
    fitted = RandomForestClassifier(N_TREES, random_state=seed).fit(X[half], y[half])
    found = {
        "linear": make_pipeline(StandardScaler(), LogisticRegression(max_iter=200)).fit(X, y),
        "forest": forest.fit(X, y),
        "same rows, ones": make_pipeline(
            ForestEmbedding(forest), LogisticRegression(max_iter=200)
        ).fit(X, y),
        "same rows, kernel": make_pipeline(
            ForestEmbedding(forest, values="kernel"), LogisticRegression(C=100, max_iter=200)
        ).fit(X, y),
        "halves, ones": make_pipeline(
            ForestEmbedding(fitted, prefit=True), LogisticRegression(max_iter=200)
        ).fit(X[~half], y[~half]),
        "SVM, same rows": make_pipeline(ForestEmbedding(forest), LinearSVC(C=0.01)).fit(X, y),
        "random trees": make_pipeline(
            RandomTreesEmbedding(N_TREES, max_depth=None, random_state=seed),
            LogisticRegression(max_iter=200),
        ).fit(X, y),
    }
    return {name: model.score(test, truth) for name, model in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    rows, names = [], []
    for name in SETS:
        table = pd.read_parquet(given.folder / f"{name}.parquet")
        table = table.sample(min(len(table), MOST_ROWS), random_state=0)
        X = table.drop(columns="target").to_numpy(dtype=float)
        y = table["target"].astype(str).to_numpy()
        found = pd.DataFrame([scores_of(X, y, seed) for seed in range(N_SPLITS)]).mean()
        names = list(found.index)
        cells = " | ".join(f"{value:.4f}" for value in found)
        rows.append(f"| {name} | {len(X):,} | {cells} |")
        print(rows[-1], flush=True)
    text = f"""# Linear models on the leaves of a forest

<!-- Written by benchmarks/embedding_study.py: change that, and run `make bench-embedding`. -->

Accuracy on the half of the rows that is left out, means over {N_SPLITS} splits, of at most {MOST_ROWS:,} rows; forests of {N_TREES} trees. "linear" is
logistic regression on the variables, "forest" the forest. "same rows" is logistic regression on the leaves of a forest that
was fitted to the same rows, with ones (equation 4.40) or the values of the kernel (equation 4.44). In "halves", the forest
and the linear model have one half of the training rows each. "SVM" is a linear support vector machine on the ones. "random trees" are totally
randomized trees, which do not know the outputs.

| table | rows | {" | ".join(names)} |
| --- | ---: | {" | ".join(["---:"] * len(names))} |
{chr(10).join(rows)}
"""
    print(text)
    if given.write:
        given.write.write_text(text)


if __name__ == "__main__":
    main()
