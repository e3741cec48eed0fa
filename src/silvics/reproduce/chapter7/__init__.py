"""Experiments and illustrations of chapter 7."""
