"""
Exact importances of a known distribution
=========================================

``asymptotic_importances`` computes what infinitely many totally randomized trees would give, for a
table that is the whole distribution: here the segments of a display of digits (thesis 6.5).
"""

import numpy as np
import pandas as pd

from silvics.importance import asymptotic_importances, masking

digits = "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"
X = pd.DataFrame([list(map(int, lit)) for lit in digits.split()]).rename(columns="X{}".format)
exact = asymptotic_importances(X, np.arange(10))
print(exact)
exact.plot()

# %%
# If the best of K variables is taken at each node, some variables hide others.

masking(X, np.arange(10)).plot()
