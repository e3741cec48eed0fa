"""The experiments and computed illustrations of the thesis: the command ``silvics reproduce``."""
