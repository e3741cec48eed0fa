"""Experiments and illustrations of chapter 6."""
