"""
Importances with an estimate of noise
=====================================

The mean decrease of impurity favours variables with many values. ``null="auto"`` estimates which
part of each importance is due to noise.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer

from silvics import RandomForestClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X.iloc[:, :8].assign(noise=np.random.default_rng(0).random(len(X)))
forest = RandomForestClassifier(300, random_state=0, n_jobs=2).fit(X, y)
impurity = forest.importances("mdi", X, y, null="auto")
print(impurity)
impurity.plot()

# %%
# Permutation importances out of bag are close to zero for the noise.

permuted = forest.importances("mda", X, y, n_repeats=5)
permuted.plot()
