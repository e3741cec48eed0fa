"""
A network of genes from their expression
========================================

GENIE3 predicts every gene from the others by a forest, and reads the network from the importances.
The data are simulated in the manner of the DREAM4 challenge: the genes of a random network settle
at levels that their regulators set, under a different perturbation of all genes in each sample.
"""

import matplotlib.pyplot as plt
import numpy as np

from silvics.network import genie3

n_genes, n_samples = 40, 120
random = np.random.default_rng(0)
names = [f"G{j + 1}" for j in range(n_genes)]

# Each gene has up to three regulators among the first ten, which raise or lower it.
strength = np.zeros((n_genes, n_genes))
for target in range(n_genes):
    others = np.setdiff1d(np.arange(10), target)
    chosen = random.choice(others, random.integers(1, 4), replace=False)
    strength[chosen, target] = random.choice([-1.0, 1.0], len(chosen)) * random.uniform(2, 4)

# Levels follow a sigmoid of what the regulators do, and the perturbation of the sample.
perturbation = random.normal(scale=1.0, size=(n_samples, n_genes))
levels = np.full((n_samples, n_genes), 0.5)
for _ in range(100):
    levels += 0.2 * (1 / (1 + np.exp(-(levels - 0.5) @ strength - perturbation)) - levels)
expression = levels + random.normal(scale=0.02, size=levels.shape)

# %%
# One call grows the forests of all genes. ``regulators=`` could name the ten known ones.

network = genie3(expression, feature_names=names, n_estimators=300, random_state=0)
print(network)
network.plot(top=40)

# %%
# The edges that were simulated are the gold standard. Most edges at the top of the ranking are
# true; a random ranking would have as many as the dashed line says.

edges = [(names[i], names[j]) for i, j in np.argwhere(strength)]
accuracy = network.accuracy(edges)
print(accuracy)
ax = accuracy.plot().ax_
ax.axhline(accuracy.density, linestyle="--", color="0.5")
plt.show()

# %%
# Knowledge of the regulators leaves fewer pairs to choose from.

known = genie3(expression, regulators=names[:10], feature_names=names, random_state=0)
print(known.accuracy(edges))
