"""Experiments and illustrations of chapter 2."""
