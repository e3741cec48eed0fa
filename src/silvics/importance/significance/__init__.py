"""Which importances are more than chance: tests by permutation and by shadows."""
