"""
How many trees are enough?
==========================

The out-of-bag score as a function of the number of trees needs no test set. The forest must keep
its training rows.
"""

from sklearn.datasets import load_digits

from silvics import RandomForestClassifier

X, y = load_digits(return_X_y=True)
forest = RandomForestClassifier(300, keep_samples=True, random_state=0, n_jobs=2).fit(X, y)
curve = forest.oob_curve()
print(curve.enough())  # the score stays within 1 % of the last one from here on
curve.plot()

# %%
# Other scorers of scikit-learn have a name.

forest.oob_curve("neg_log_loss").plot()
