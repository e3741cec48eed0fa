"""Experiments and illustrations of chapter 5."""
