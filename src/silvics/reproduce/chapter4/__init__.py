"""Experiments and illustrations of chapter 4."""
